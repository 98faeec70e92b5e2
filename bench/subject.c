// subject.c: a model made ready to be measured.
#include "subject.h"

#include <string.h>

int bench_say(const jn_error *err)
{
  char line[1024];
  fprintf(stderr, "%s\n", jn_error_line(err, line, sizeof line));
  return 1;
}

void bench_subject_close(bench_subject *s)
{
  jn_data_free(s->data);
  jn_system_free(s->system);
  jn_scenario_free(s->scenario);
  jn_model_free(s->model);
  jn_spec_free(s->spec);
}

int bench_subject_restart(bench_subject *s)
{
  jn_error err = {0};
  jn_data_free(s->data);
  s->data = NULL;
  if (jn_data_create(s->system, &s->data, &err)) return bench_say(&err);
  jn_data_audit(s->data, JN_AUDIT_NONE);
  return 0;
}

static int make(bench_subject *s, const jn_sim_opts *o)
{
  jn_error err = {0};
  jn_status st = jn_model_compile(s->spec, NULL, &s->model, &err);
  if (!st) st = jn_system_create(s->model, s->scenario, o, &s->system, &err);
  if (st ? bench_say(&err) : bench_subject_restart(s)) {
    bench_subject_close(s);
    return 1;
  }
  return 0;
}

int bench_subject_open(bench_subject *s, jn_spec *spec, const jn_sim_opts *o)
{
  *s = (bench_subject){.spec = spec};
  return !spec || make(s, o);
}

int bench_subject_load(bench_subject *s, const char *model, const char *scenario,
                       const bench_way *way)
{
  jn_error err = {0};
  *s = (bench_subject){0};
  jn_status st = jn_spec_load(model, NULL, 0, &s->spec, &err);
  if (!st && strcmp(scenario, "-") != 0) st = jn_scenario_load(scenario, &s->scenario, &err);
  if (st) {
    bench_subject_close(s);
    return bench_say(&err);
  }
  jn_sim_opts o = jn_sim_opts_of(s->scenario);
  o.formulation = way->formulation;
  o.path = way->path;
  return make(s, &o);
}
