// additions.c: what a user adds to a vehicle, and what it adds to a step: its own work, and nothing else.
//
// Times are those of whole stretches, rows and inputs included, because a row costs something in one step of ten; all
// additions in turn, and the least of each. Instructions are those of jn_step alone.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "subject.h"

#define VEHICLE "jounce: 1\nname: peer vehicle\ninclude: %s/models/peer-vehicle.yaml\n"
#define STOP(corner, x, y)                                                             \
  "  stop_" corner ": {type: tsda, bodies: [chassis, lca_" corner "], at: [[" x ", " y \
  ", 0.8], [" x ", " y                                                                 \
  ", 0.33]], spring_curve: {points: [[-0.2, -4e4], [-0.1, 0], [0.2, 0]], "             \
  "method: monotone}}\n"
#define PLUGIN "examples/plugin-force/bump_stop.so"
#define TYRE   "examples/plugin-tyre/my_tyre.so"

#define DRIVER                                         \
  "jounce: 1\nscenario: a driver\nend: 10\ndrivers:\n" \
  "  cruise: {type: speed, body: chassis, wheels: [fl, fr], speed: 15}\n"

#define CARRIES "radius: 0.47, stiffness: 280e3, damping: 1000, "
#define WITH_TYRES(kind)                                                                      \
  VEHICLE "tyres:\n  other: {" kind                                                           \
          "}\nforces:\n  fl: {tyre: other}\n  fr: {tyre: other}\n  rl: {tyre: other}\n  rr: " \
          "{tyre: other}\n"

typedef struct addition {
  const char *name, *model;
  bool rows, live;
  const char *scenario;  // NULL: none
} addition;

static const addition additions[] = {
    {"as it is", VEHICLE, false, false, NULL},
    {"a row of all channels every 10 ms", VEHICLE, true, false, NULL},
    {"four bump stops by curves",
     VEHICLE "forces:\n" STOP("fl", "1.6", "0.6") STOP("fr", "1.6", "-0.6")
         STOP("rl", "-1.778", "0.6") STOP("rr", "-1.778", "-0.6"),
     false, false, NULL},
    {"a plug-in force on the chassis",
     VEHICLE "forces:\n  push: {type: plugin, plugin: %s/" PLUGIN
             ", bodies: [ground, chassis], at: "
             "[[0, 0, -1], [0, 0, 0.7]], parameters: {length: 1, stiffness: 1e4}}\n",
     false, false, NULL},
    {"tyres that carry and do no more", WITH_TYRES(CARRIES "type: vertical"), false, false, NULL},
    {"brush tyres in place of linear ones",
     WITH_TYRES(CARRIES "type: brush, slip_stiffness: 60e3, cornering_stiffness: 60e3, load: 5000, "
                        "friction: 0.9"),
     false, false, NULL},
    {"Fiala tyres in place of linear ones",
     WITH_TYRES(CARRIES "type: fiala, slip_stiffness: 60e3, cornering_stiffness: 60e3, load: 5000, "
                        "friction: 0.9, width: 0.2"),
     false, false, NULL},
    {"Magic Formula tyres (6.1) in place of linear ones",
     WITH_TYRES("type: magic-formula, file: %s/models/tyres/sample.tir, coefficients: "
                "{UNLOADED_RADIUS: 0.47}"),
     false, false, NULL},
    {"plug-in tyres in place of linear ones",
     WITH_TYRES(CARRIES
                "type: plugin, plugin: %s/" TYRE ", load: 5000, parameters: {slope_x: 60e3, "
                "slope_y: 60e3, peak_x: 0.9, peak_y: 0.9, peak_slip_x: 0.16, peak_slip_y: 0.16}"),
     false, false, NULL},
    {"a live input in each step", VEHICLE, false, true, NULL},
    {"a driver who holds the speed", VEHICLE, false, false, DRIVER}};

enum { NADDITION = sizeof additions / sizeof *additions };

typedef struct stretch {
  const addition *what;
  char file[32], plan[32];  // model and scenario
  bench_subject s;
  int rack;
  double seconds, instructions;  // of a step
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

static bool take_time(stretch *k, int n)
{
  if (bench_subject_restart(&k->s)) return false;
  if (k->what->rows) jn_data_audit(k->s.data, JN_AUDIT_ALL);
  bool good = drive(k, 10);
  const double t = bench_now();
  good = good && drive(k, n);
  k->seconds = fmin(k->seconds, (bench_now() - t) / n);
  return good;
}

// Into a file of its own; relative names are the project's folder's.
static bool write_file(char file[32], const char *text)
{
  char folder[1024];
  snprintf(file, 32, "/tmp/jounce-bench-XXXXXX");
  const int f = getcwd(folder, sizeof folder) ? mkstemp(file) : -1;
  FILE *out = f < 0 ? NULL : fdopen(f, "w");
  if (!out) return false;
  fprintf(out, text, folder, folder);
  return !fclose(out);
}

static bool begin(const bench *b, const bench_way *way, stretch *k)
{
  bench_work w;
  k->seconds = INFINITY;
  k->instructions = NAN;
  const char *plan = k->what->scenario ? k->plan : "-";
  const bool good = write_file(k->file, k->what->model) &&
                    (!k->what->scenario || write_file(k->plan, k->what->scenario)) &&
                    !bench_subject_load(&k->s, k->file, plan, way);
  if (good) k->rack = jn_channel_find(k->s.system, "driver.rack");
  const bool plain = !k->what->rows && !k->what->live;
  if (good && plain && !b->quick && bench_work_count(b, k->file, plan, way, 20, &w))
    k->instructions = w.most;
  remove(k->file);
  if (k->what->scenario) remove(k->plan);
  return good;
}

static void show(bench *b, const stretch *k, const stretch *plain)
{
  const jn_path_info p = jn_system_path(k->s.system);
  int lists = 0;
  for (int g = 0; g < p.ngroup; g++) {
    const jn_path_group group = jn_system_path_group(k->s.system, g);
    for (int i = 0; i < JN_LANE_LISTS; i++) lists += group.compiled[i];
  }
  bench_row(b, k->what->name,
            (bench_column[]){{"us", 1e6 * k->seconds, 2},
                             {"more us", 1e6 * (k->seconds - plain->seconds), 2},
                             {"instructions", k->instructions, 0},
                             {"groups of lanes", p.ngroup, 0},
                             {"operation lists precompiled", lists, 0},
                             {"elements ungrouped", p.nungrouped, 0},
                             {0}});
}

int bench_additions(bench *b)
{
  stretch k[NADDITION];
  int n = 0;
  bool good = true;
  const bool force = !access(PLUGIN, R_OK), tyre = !access(TYRE, R_OK);
  for (int i = 0; i < NADDITION && good; i++) {
    if ((!force && strstr(additions[i].model, PLUGIN)) ||
        (!tyre && strstr(additions[i].model, TYRE)))
      continue;
    k[n] = (stretch){.what = &additions[i]};
    good = begin(b, bench_way_at(b, 0), &k[n]);
    n += good;
  }
  for (int r = 0; r < (b->quick ? 1 : 40) && good; r++)
    for (int i = 0; i < n && good; i++) good = take_time(&k[i], b->quick ? 50 : 1000);
  for (int i = 0; i < n && good; i++) show(b, &k[i], &k[0]);
  for (int i = 0; i < n; i++) bench_subject_close(&k[i].s);
  if (!force)
    bench_note(b, "no plug-in force: " PLUGIN " is not there (its folder says how it is made)");
  if (!tyre)
    bench_note(b, "no plug-in tyre: " TYRE " is not there (its folder says how it is made)");
  bench_note(b, "a step of the peer vehicle at 15 m/s, ab3 at 1 ms");
  return !good;
}
