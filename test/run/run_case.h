// run_case.h: a model on its way from text to steps, all of which must succeed.
#ifndef JN_TEST_RUN_H
#define JN_TEST_RUN_H

#include "jounce/sim.h"
#include "topology/mechanism.h"

typedef struct jt_run {
  jn_spec *spec;
  jn_model *model;
  jn_scenario *scenario;
  jn_system *system;
  jn_data *data;
} jt_run;

static inline jn_scenario *jt_scenario(const char *text)
{
  jn_error err = {0};
  jn_scenario *s = NULL;
  jt_ok(jn_scenario_parse(text, strlen(text), "scenario.yaml", &s, &err), &err, text);
  return s;
}

// The run owns the spec from here on. A scenario's own options are left aside.
static inline jt_run jt_start(jn_spec *spec, const char *scenario, const jn_sim_opts *opts)
{
  jn_error err = {0};
  jt_run r = {.spec = spec, .model = jt_compile(spec, NULL)};
  if (scenario) r.scenario = jt_scenario(scenario);
  jt_ok(jn_system_create(r.model, r.scenario, opts, &r.system, &err), &err, spec->name);
  jt_ok(jn_data_create(r.system, &r.data, &err), &err, spec->name);
  return r;
}

static inline void jt_end(jt_run *r)
{
  jn_data_free(r->data);
  jn_system_free(r->system);
  jn_scenario_free(r->scenario);
  jn_model_free(r->model);
  jn_spec_free(r->spec);
  *r = (jt_run){0};
}

static inline void jt_flag(const jt_run *r, jn_step_flags flags)
{
  if (flags == JN_STEP_OK) return;
  const char *failing_body = jn_data_failing_body(r->system, r->data);
  fail_msg("%s: flag %d at %g s, by %s", r->spec->name, (int)flags, jn_time(r->data),
           failing_body ? failing_body : "nobody");
}

static inline void jt_steps(jt_run *r, int n)
{
  for (int i = 0; i < n; i++) jt_flag(r, jn_step(r->system, r->data));
}

// The row of the present time.
static inline const double *jt_row(jt_run *r)
{
  jt_flag(r, jn_evaluate(r->system, r->data));
  return jn_row(r->data);
}

static inline int jt_channel(const jt_run *r, const char *name)
{
  int i = jn_channel_find(r->system, name);
  if (i < 0) fail_msg("%s has no channel %s", r->spec->name, name);
  return i;
}

// A channel of that row.
static inline double jt_now(jt_run *r, const char *channel)
{
  return jn_row(r->data)[jt_channel(r, channel)];
}

#endif
