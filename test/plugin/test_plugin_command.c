// Plug-ins by the command line: the worked example, wrong ones, and who runs their code.
#include <jansson.h>

#include "plugin/command_file.h"

#define EXAMPLE  "examples/plugin-force/quarter-car-with-stop.yaml"
#define SCENARIO "examples/plugin-force/high-bump.yaml"
#define SET_STOP "--set", "forces.stop.plugin=" PLUGINS "/bump_stop.so"

// The push at every row is the law of the header comment, from length and rate of the strut at the same points.
static void the_example_follows_its_law(void **state)
{
  (void)state;
  RUN("run", EXAMPLE, SCENARIO, SET_STOP, "--out", "-", "--record", "force.*", "--every", "0.01");
  if (run.code != 0) fail_msg("%s", run.err);
  assert_non_null(strstr(run.err, "path         lanes: 1 of 4"));
  assert_non_null(strstr(run.err, "1 element ungrouped"));
  int rows = 0, pushes = 0;
  for (char *line = strtok(run.out, "\n"); line; line = strtok(NULL, "\n")) {
    if (line[0] < '0' || line[0] > '9') continue;  // head
    const double length = cell(line, 1), rate = cell(line, 2);
    const double x = fmax(0.395 - length, 0.0);
    const double f = fmax(80e3 * x * (1.0 - 0.5 * rate) + 4e8 * x * x * x, 0.0);
    JT_NEAR(cell(line, 10), x, 1e-7);
    JT_NEAR(cell(line, 11), f, 1e-6 * (1.0 + f));
    rows++;
    pushes += f > 0.0;
  }
  assert_true(rows > 100);
  assert_true(pushes > 5 && pushes < rows / 2);
}

static const char head[] =
    "jounce: 1\nname: pushed\nbodies: {b: {mass: 1, cg: [0, 0, 0], inertia: [1, 1, 1]}}\n"
    "joints: {j: {type: revolute, bodies: [ground, b], at: [0, 1, 0], axis: [1, 0, 0]}}\n"
    "forces:\n";

static void write_model(const char *plugin, const char *more)
{
  FILE *out = fopen(file, "w");
  assert_non_null(out);
  fprintf(
      out,
      "%s  push: {type: plugin, plugin: %s, bodies: [ground, b], at: [[0, 0, 1], [0, 0, 0]]%s}\n",
      head, plugin, more);
  fclose(out);
}

static void wrong_plug_ins_are_refused_at_their_place(void **state)
{
  (void)state;
  static const struct {
    const char *plugin, *more, *says;
  } wrong[] = {
      {"./not-there.so", "", "/tmp/not-there.so cannot be loaded: cannot open shared object file"},
      {"/etc/passwd", "", "cannot be loaded: "},
      {PLUGINS "/wrong_symbol.so", "", "is no plug-in: it does not define jounce_plugin"},
      {PLUGINS "/wrong_version.so", "", "is of version 3, expected 2: compile it with"},
      {PLUGINS "/wrong_init.so", "", "the plug-in refuses: push will not do  [1m of 0"},
      {PLUGINS "/wrong_silent.so", "", "the plug-in refuses: no reason given"},
      {PLUGINS "/wrong_table.so", "", "lacks `force`"},
      {PLUGINS "/wrong_output.so", "", "output 1 of the plug-in needs"},
      {PLUGINS "/wrong_outputs.so", "", "the plug-in has 1000000 outputs, expected 0 to 64"},
      {PLUGINS "/spring.so", ", parameters: {stifness: 1}",
       "the plug-in has no parameter \"stifness\", did you mean \"stiffness\"?"},
      {PLUGINS "/spring.so", ", parameters: {stiffness: hard}",
       "forces.push.parameters.stiffness: found \"hard\", expected a number"},
      {PLUGINS "/spring.so", ", parameters: 3",
       "expected a mapping from names to numbers, or a list of numbers"},
      {PLUGINS "/spring.so", ", parameters: {\"a b\": 3}", "use letters, digits and _"},
      {"\"\"", "", "expected the name of a file"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    write_model(wrong[i].plugin, wrong[i].more);
    RUN("run", file, "--out", "-", "--end", "0.01");
    assert_int_equal(run.code, 2);
    const char *const says = wrong[i].says;
    if (!strstr(run.err, says)) fail_msg("%s: %s", wrong[i].plugin, run.err);
    if (!strstr(run.err, ":6:")) fail_msg("no place: %s", run.err);
    if (strchr(run.err, '\n') != strrchr(run.err, '\n')) fail_msg("more than a line: %s", run.err);
  }
}

// A force that is not a number ends the run, which names it: at the beginning of a step, or at a stage within one.
static void a_force_that_is_no_number_ends_the_run(void **state)
{
  (void)state;
  static const char *const how[][2] = {
      {"auto", "ab3"}, {"general", "ab3"}, {"auto", "rk4"}, {"general", "rk4"}};
  for (size_t i = 0; i < 2 * sizeof how / sizeof *how; i++) {
    write_model(i % 2 ? PLUGINS "/wrong_later.so" : PLUGINS "/wrong_force.so",
                ", parameters: {stiffness: 1}");
    RUN("run", file, "--out", "-", "--end", "0.1", "--path", how[i / 2][0], "--integrator",
        how[i / 2][1]);
    assert_int_equal(run.code, 1);
    assert_non_null(strstr(run.err, i % 2 ? "failed at t = 0.05 s" : "failed at t = 0 s"));
    if (!strstr(run.err, "the plug-in force \"push\" gave what is not a number"))
      fail_msg("%s", run.err);
  }
}

// wrong_loaded.so ends with 77 the process that loads it.
static void only_who_runs_a_model_runs_its_code(void **state)
{
  (void)state;
  write_model(PLUGINS "/wrong_loaded.so", "");
  RUN("check", file);
  assert_int_equal(run.code, 0);
  assert_non_null(strstr(run.out, "ungrouped: push"));
  assert_non_null(strstr(run.out, "note: the plug-in of \"push\" is not loaded"));
  RUN("check", file, "--channels");
  assert_int_equal(run.code, 0);
  assert_non_null(strstr(run.out, "force.push.fx"));
  RUN("check", file, "--json");
  assert_int_equal(run.code, 0);
  RUN("check", file, "--expand");
  assert_int_equal(run.code, 0);
  RUN("topology", file);
  assert_int_equal(run.code, 0);
  RUN("check", file, "--plugins");
  assert_int_equal(run.code, 77);
  RUN("run", file, "--out", "-");
  assert_int_equal(run.code, 77);
  RUN("equilibrium", file);
  assert_int_equal(run.code, 77);
}

static void check_loads_if_asked_to(void **state)
{
  (void)state;
  RUN("check", EXAMPLE, SET_STOP, "--plugins", "--channels");
  assert_int_equal(run.code, 0);
  assert_non_null(strstr(run.out, "force.stop.squeeze"));
  RUN("check", EXAMPLE, SET_STOP, "--channels");
  assert_int_equal(run.code, 0);
  assert_null(strstr(run.out, "force.stop.squeeze"));
  RUN("check", EXAMPLE, "--set", "forces.stop.plugin=" PLUGINS "/wrong_version.so", "--plugins");
  assert_int_equal(run.code, 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_example_follows_its_law),
      cmocka_unit_test(wrong_plug_ins_are_refused_at_their_place),
      cmocka_unit_test(a_force_that_is_no_number_ends_the_run),
      cmocka_unit_test(only_who_runs_a_model_runs_its_code),
      cmocka_unit_test(check_loads_if_asked_to),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
