// switch.c: a car that drives on while its suspension, its load and its steering arms are changed under it.
//
//   switch MODEL [NAME=VALUE ...]     one second as the file says, then one second with each change, one after the other
#include <jounce/jounce.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16, EVERY = 100 };

static int complain(const jn_error *err)
{
  char line[1024];
  fprintf(stderr, "%s\n", jn_error_line(err, line, sizeof line));
  return 2;
}

// One second of steps, and some rows of it.
static int drive(const jn_system *system, jn_data *data, const char *what)
{
  const int z = jn_channel_find(system, "chassis.z"), load = jn_channel_find(system, "wheel.fl.fz");
  const int steps = (int)(1.0 / jn_system_opts(system)->step + 0.5);
  printf("%s\n", what);
  for (int i = 0; i < steps; i++) {
    jn_step_flags flags = JN_STEP_OK;
    if (i % (steps / EVERY * 20) == 0) {
      flags = jn_evaluate(system, data);
      if (flags == JN_STEP_OK && z >= 0 && load >= 0)
        printf("  %6.3f s   height %8.5f m   load of the left front wheel %7.1f N\n", jn_time(data),
               jn_row(data)[z], jn_row(data)[load]);
    }
    if (flags == JN_STEP_OK) flags = jn_step(system, data);
    if (flags != JN_STEP_OK) {
      const char *body = jn_data_failing_body(system, data);
      return fprintf(stderr, "failed at %g s: %s\n", jn_time(data), body ? body : "?"), 1;
    }
  }
  return 0;
}

int main(int argc, char **argv)
{
  jn_error err;
  jn_spec *spec[MOST] = {NULL};
  jn_system *system[MOST] = {NULL};
  jn_model *model = NULL;
  jn_data *data = NULL;
  int code = 0;
  const int changes = argc - 2;
  if (changes < 0 || changes >= MOST) return fprintf(stderr, "switch MODEL [NAME=VALUE ...]\n"), 2;

  // The file as it is: its plan, its parameters, one run.
  if (jn_spec_load(argv[1], NULL, 0, &spec[0], &err) ||
      jn_model_compile(spec[0], NULL, &model, &err) ||
      jn_system_create(model, NULL, NULL, &system[0], &err) ||
      jn_data_create(system[0], &data, &err))
    code = complain(&err);

  // Before it has to be in time: a block of parameters for each change, on the same plan.
  for (int i = 1; i <= changes && !code; i++) {
    const char *set = argv[i + 1];
    if (jn_spec_load(argv[1], &set, 1, &spec[i], &err) ||
        jn_system_with(system[0], spec[i], &system[i], &err))
      code = complain(&err);
  }

  // In time: a switch allocates nothing, and takes about as long as a few steps.
  for (int i = 0; i <= changes && !code; i++) {
    if (jn_data_switch(data, system[i], &err))
      code = complain(&err);
    else
      code = drive(system[i], data, i ? argv[i + 1] : "as the file says");
  }

  jn_data_free(data);  // before the systems that it may refer to
  for (int i = 0; i < MOST; i++) {
    jn_system_free(system[i]);
    jn_spec_free(spec[i]);
  }
  jn_model_free(model);
  return code;
}
