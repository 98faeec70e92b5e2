// additions.c: what a user adds to a vehicle, and what it adds to a step: its own work, and nothing else.
//
// Times are those of whole stretches, rows and inputs included, because a row costs something in one step of ten.
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "subject.h"

#define VEHICLE "jounce: 1\nname: peer vehicle\ninclude: models/peer-vehicle.yaml\n"
#define STOP(corner, x, y)                                                             \
  "  stop_" corner ": {type: tsda, bodies: [chassis, lca_" corner "], at: [[" x ", " y \
  ", 0.8], [" x ", " y                                                                 \
  ", 0.33]], spring_curve: {points: [[-0.2, -4e4], [-0.1, 0], [0.2, 0]], "             \
  "method: monotone}}\n"
#define PLUGIN "examples/plugin-force/bump_stop.so"

typedef struct addition {
  const char *name, *model;
  bool rows, live;
} addition;

static const addition additions[] = {
    {"as it is", VEHICLE, false, false},
    {"a row of all channels every 10 ms", VEHICLE, true, false},
    {"four bump stops by curves",
     VEHICLE "forces:\n" STOP("fl", "1.6", "0.6") STOP("fr", "1.6", "-0.6")
         STOP("rl", "-1.778", "0.6") STOP("rr", "-1.778", "-0.6"),
     false, false},
    {"a plug-in force on the chassis",
     VEHICLE "forces:\n  push: {type: plugin, plugin: " PLUGIN ", bodies: [ground, chassis], at: "
             "[[0, 0, -1], [0, 0, 0.7]], parameters: {length: 1, stiffness: 1e4}}\n",
     false, false},
    {"a live input in each step", VEHICLE, false, true}};

typedef struct stretch {
  bench_subject s;
  const addition *what;
  int rack;
} stretch;

static bool drive(stretch *k, int n)
{
  int flags = JN_STEP_OK;
  for (int i = 0; i < n && !flags; i++) {
    if (k->what->live) jn_input_set(k->s.data, k->rack, 1e-3 * sin(1e-2 * i), 1e-2);
    flags |= (int)jn_step(k->s.system, k->s.data);
    if (k->what->rows && i % 10 == 9) flags |= (int)jn_evaluate(k->s.system, k->s.data);
  }
  return !flags;
}

// Seconds of a step, the least of some repeats; negative: it has failed.
static double time_of(const bench *b, stretch *k)
{
  const int n = b->quick ? 50 : 1000, repeats = b->quick ? 1 : 20;
  double best = INFINITY;
  for (int r = 0; r < repeats; r++) {
    if (bench_subject_restart(&k->s)) return -1.0;
    if (k->what->rows) jn_data_audit(k->s.data, JN_AUDIT_ALL);
    if (!drive(k, 10)) return -1.0;
    const double t = bench_now();
    if (!drive(k, n)) return -1.0;
    best = fmin(best, (bench_now() - t) / n);
  }
  return best;
}

static int measure(bench *b, const addition *a, double *plain)
{
  jn_spec *spec = NULL;
  jn_error err = {0};
  const jn_sim_opts o = {.path = (jn_path)b->path};
  stretch k = {.what = a};
  if (jn_spec_parse(a->model, strlen(a->model), "bench.yaml", NULL, 0, &spec, &err))
    return bench_say(&err);
  if (bench_subject_open(&k.s, spec, &o)) return 1;
  k.rack = jn_channel_find(k.s.system, "driver.rack");
  const jn_path_info p = jn_system_path(k.s.system);
  int lists = 0;
  for (int g = 0; g < p.ngroup; g++) {
    const jn_path_group group = jn_system_path_group(k.s.system, g);
    for (int i = 0; i < JN_LANE_LISTS; i++) lists += group.compiled[i];
  }
  const double t = time_of(b, &k);
  if (a == additions) *plain = t;
  bench_row(b, a->name,
            (bench_column[]){{"us", 1e6 * t, 3},
                             {"more us", 1e6 * (t - *plain), 3},
                             {"groups of lanes", p.ngroup, 0},
                             {"lists compiled", lists, 0},
                             {"elements by themselves", p.nsingle, 0},
                             {0}});
  bench_subject_close(&k.s);
  return t < 0.0;
}

int bench_additions(bench *b)
{
  double plain = NAN;
  int wrong = 0;
  const bool compiled = !access(PLUGIN, R_OK);
  for (size_t i = 0; i < sizeof additions / sizeof *additions && !wrong; i++)
    if (compiled || !strstr(additions[i].model, PLUGIN)) wrong = measure(b, &additions[i], &plain);
  if (!compiled)
    bench_note(b,
               "no plug-in: " PLUGIN " is not there (examples/plugin-force says how it is made)");
  bench_note(b, "us for a step of the peer vehicle at 15 m/s, ab3 at 1 ms");
  return wrong;
}
