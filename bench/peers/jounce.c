// jounce.c: jounce as one of the peers, through its public interface: models/peer-vehicle.yaml with its own
// springs, tyres and servo.
#include <stdio.h>
#include <stdlib.h>

#include "jounce/jounce.h"
#include "peer.h"

// A further variant is a line here.
static const jn_sim_opts AB3 = {.integrator = JN_INTEGRATOR_AB3},
                         SEMI_EULER = {.integrator = JN_INTEGRATOR_SEMI_EULER},
                         RK4 = {.integrator = JN_INTEGRATOR_RK4}, LIST = {.path = JN_PATH_LIST},
                         NARROW = {.path = JN_PATH_NARROW}, GENERAL = {.path = JN_PATH_GENERAL},
                         DELAYED = {.stabilize = JN_STABILIZE_DELAYED},
                         DELAYED_LIST = {.stabilize = JN_STABILIZE_DELAYED, .path = JN_PATH_LIST},
                         RECURSIVE = {.formulation = JN_FORMULATION_RECURSIVE},
                         INDEPENDENT = {.formulation = JN_FORMULATION_INDEPENDENT};
static const peer_variant variants[] = {
    {"ab3", "subsystem", "ab3", true, &AB3},
    {"semi-euler", "subsystem", "semi-euler", true, &SEMI_EULER},
    {"delayed", "subsystem, delayed closure", "ab3", true, &DELAYED},
    {"rk4", "subsystem", "rk4", false, &RK4},
    {"list", "subsystem, operation lists alone", "ab3", false, &LIST},
    {"delayed-list", "the same, delayed closure", "ab3", false, &DELAYED_LIST},
    {"narrow", "subsystem, lane after lane", "ab3", false, &NARROW},
    {"general", "subsystem, body by body", "ab3", false, &GENERAL},
    {"recursive", "recursive", "ab3", false, &RECURSIVE},
    {"independent", "independent", "ab3", false, &INDEPENDENT},
    {0},
};

typedef struct run {
  jn_spec *spec;
  jn_model *model;
  jn_scenario *scenario;
  jn_system *system;
  jn_data *data;
  int first[NBODY];  // channel of each body's x
} run;

static void close_run(void *p)
{
  run *r = p;
  jn_data_free(r->data);
  jn_system_free(r->system);
  jn_scenario_free(r->scenario);
  jn_model_free(r->model);
  jn_spec_free(r->spec);
  free(r);
}

static jn_status make(run *r, const jn_sim_opts *choice, jn_error *err)
{
  char text[512];
  const int length = snprintf(text, sizeof text,
                              "jounce: 1\nscenario: the peers' manoeuvre\nend: %g\ninputs:\n"
                              "  driver.rack: {type: ramp, start: %g, end: %g, to: %g}\n",
                              END, RAMP_BEGIN, RAMP_END, RAMP_TO);
  jn_sim_opts opts = *choice;
  opts.step = STEP;
  jn_status st = jn_spec_load("models/peer-vehicle.yaml", NULL, 0, &r->spec, err);
  if (!st) st = jn_model_compile(r->spec, NULL, &r->model, err);
  if (!st) st = jn_scenario_parse(text, (unsigned long)length, "manoeuvre", &r->scenario, err);
  if (!st) st = jn_system_create(r->model, r->scenario, &opts, &r->system, err);
  if (!st) st = jn_data_create(r->system, &r->data, err);
  return st;
}

static void *open_run(const peer_variant *v)
{
  static const char *const part[4] = {"lca", "uca", "upright", "wheel"},
                           *const corner_name[NCORNER] = {"fl", "fr", "rl", "rr"};
  jn_error err = {0};
  char line[1024];
  run *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  if (make(r, v->choice, &err)) {
    fprintf(stderr, "%s\n", jn_error_line(&err, line, sizeof line));
    close_run(r);
    return NULL;
  }
  for (int i = 0; i < NBODY; i++) {
    char name[64];
    if (i < 2)
      snprintf(name, sizeof name, "%s.x", i == RACK ? "rack" : "chassis");
    else
      snprintf(name, sizeof name, "%s_%s.x", part[(i - 2) % 4], corner_name[(i - 2) / 4]);
    r->first[i] = jn_channel_find(r->system, name);
  }
  jn_data_audit(r->data, JN_AUDIT_NONE);
  return r;
}

static bool step(void *p)
{
  run *r = p;
  return jn_step(r->system, r->data) == JN_STEP_OK;
}

static void states(void *p, body_state *s)
{
  run *r = p;
  jn_evaluate(r->system, r->data);
  for (int i = 0; i < NBODY; i++) {
    // x y z, roll pitch yaw, qw qx qy qz, vx vy vz, wx wy wz
    const double *c = jn_row(r->data) + r->first[i];
    const double w = c[6], x = c[7], y = c[8], z = c[9];
    const double turn[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
        2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(s[i].p, c, sizeof s[i].p);
    memcpy(s[i].r, turn, sizeof s[i].r);
    memcpy(s[i].v, c + 10, sizeof s[i].v);
    memcpy(s[i].w, c + 13, sizeof s[i].w);
  }
}

const peer peer_jounce = {"jounce", variants, open_run, step, states, close_run};
