// vehicles.c: what a step of the vehicles costs in every formulation, and on what it is spent.
//
// Times are those of single steps of a scenario, from its beginning on. What it is spent on is measured beside them:
// each stage of a step alone, again and again in one state, which says what a stage costs when its data
// are in the cache. `rest` is what they leave of a step that is measured likewise.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "run/run_internal.h"
#include "solve/fast/fast.h"
#include "solve/integrate/integrate.h"
#include "subject.h"

#define VEHICLE(name, scenario)                                 \
  {                                                             \
    name, "models/" name ".yaml", "scenarios/" scenario ".yaml" \
  }
static const bench_vehicle vehicles[] = {VEHICLE("peer-vehicle", "peer-vehicle"),
                                         VEHICLE("hmmwv", "hmmwv-step-steer"),
                                         VEHICLE("hmmwv-mf", "hmmwv-mf-step-steer"),
                                         VEHICLE("passenger-car", "passenger-car"),
                                         VEHICLE("passenger-car-mf", "passenger-car-mf-step-steer"),
                                         VEHICLE("tractor-semitrailer", "tractor-semitrailer"),
                                         VEHICLE("quarter-car", "quarter-car")};
enum { NVEHICLE = sizeof vehicles / sizeof *vehicles, MOST_WAYS = 8 };

const bench_vehicle *bench_vehicle_at(int i)
{
  return i < NVEHICLE ? &vehicles[i] : NULL;
}

// ---- stages -------------------------------------------------------------------------------------

static void positions(const jn_system *s, jn_data *d)
{
  jn_inputs_at(s, d, d->t);
  jn_general_positions(s, d);
}

static void velocities(const jn_system *s, jn_data *d)
{
  jn_general_velocities(s, d);
  jn_general_biases(s, d);
}

static void solve(const jn_system *s, jn_data *d)
{
  jn_part_right_side(s, d, &s->whole);
  jn_general_solve(s, d);
}

// Of velocities, then of positions.
static void correction(const jn_system *s, jn_data *d)
{
  if (!s->nrow || s->binding.opts.stabilize != JN_STABILIZE_PROJECTION) return;
  jn_general_correction(s, d, d->change);
  jn_general_solve(s, d);
  jn_general_velocities(s, d);
  jn_correct_positions(s, d, d->t, 1, false);
}

static void integrator(const jn_system *s, jn_data *d)
{
  const jn_ode f = jn_ode_of(s, d);
  jn_integ_step(d->integ, &f, d->t, s->binding.opts.step, d->y, d->dy, d->rate);
}

static void lane_positions(const jn_system *s, jn_data *d)
{
  jn_inputs_at(s, d, d->t);
  s->lane->core_engine->kinematics(s, d, d->lane->y, d->lane->dy);
  jn_lane_phase(s, d, LANE_POSE);
}

static void lane_factors(const jn_system *s, jn_data *d)
{
  jn_lane_phase(s, d, LANE_INERTIA);
}

static void lane_velocities(const jn_system *s, jn_data *d)
{
  jn_lane_phase(s, d, LANE_RATE);
  jn_lane_phase(s, d, LANE_MOTION);
}

static void lane_forces(const jn_system *s, jn_data *d)
{
  jn_lane_phase(s, d, LANE_FORCE);
}

static void lane_solve(const jn_system *s, jn_data *d)
{
  s->lane->core_engine->solve(s, d, d->lane->dy);
  jn_lane_phase(s, d, LANE_ACCELERATIONS);
}

static void lane_integrator(const jn_system *s, jn_data *d)
{
  const jn_lane_data *l = d->lane;
  const jn_ode f = jn_ode_of(s, d);
  jn_integ_step(l->integ, &f, d->t, s->binding.opts.step, l->y, l->dy, l->rate);
}

typedef void (*stage_run)(const jn_system *s, jn_data *d);

// In general, and in lanes.
static const struct {
  const char *name;
  stage_run general, lanes;
} stages[] = {{"positions %", positions, lane_positions},
              {"factors %", jn_general_factor, lane_factors},
              {"velocities %", velocities, lane_velocities},
              {"forces %", jn_forces_apply, lane_forces},
              {"solve %", solve, lane_solve},
              {"correction %", correction, jn_lane_close},
              {"integrator %", integrator, lane_integrator}};
enum { NSTAGE = sizeof stages / sizeof *stages };

static void whole(const jn_system *s, jn_data *d)
{
  jn_step(s, d);
}

// Seconds of some calls one after the other, for one of them. The state is as it was afterwards.
static double time_calls(stage_run call, const jn_system *s, jn_data *d, double *room)
{
  enum { CALLS = 10 };
  const jn_lane *l = s->lane;
  double *state = jn_is_fast(d) ? d->lane->y : d->y;
  const int n = jn_is_fast(d) ? l->nq + l->nv + l->nx : s->nq + s->nv + s->nx;
  memcpy(room, state, (size_t)n * sizeof *state);
  const double t = bench_now();
  for (int i = 0; i < CALLS; i++) call(s, d);
  const double seconds = (bench_now() - t) / CALLS;
  memcpy(state, room, (size_t)n * sizeof *state);
  return seconds;
}

// Shares of the stages in a step. Stages and steps take turns, so that a busy spell of the machine meets them all,
// and the least of each counts.
static void time_stages(const bench *b, const jn_system *s, jn_data *d, double *room, double *share)
{
  double step = INFINITY;
  for (int i = 0; i < NSTAGE; i++) share[i] = INFINITY;
  for (int round = 0; round < (b->quick ? 10 : 300); round++) {
    step = fmin(step, time_calls(whole, s, d, room));
    for (int i = 0; i < NSTAGE; i++) {
      const stage_run call = jn_is_fast(d) ? stages[i].lanes : stages[i].general;
      share[i] = fmin(share[i], time_calls(call, s, d, room));
    }
  }
  for (int i = 0; i < NSTAGE; i++) share[i] /= step;
}

static long state_size(const jn_system *s)  // of the larger one
{
  const long general = s->nq + s->nv + s->nx,
             lanes = s->lane ? s->lane->nq + s->lane->nv + s->lane->nx : 0;
  return general > lanes ? general : lanes;
}

// ---- vehicles -------------------------------------------------------------------------------------

typedef struct result {
  char name[96];
  bench_times times;
  double instructions;  // of a step, NAN: not counted
  double drift;
  double share[NSTAGE];
} result;

static bool step(void *p)
{
  bench_subject *s = p;
  return jn_step(s->system, s->data) == JN_STEP_OK;
}

// Largest constraint residual of the same steps, each of them looked at.
static bool watch_drift(bench_subject *s, long n, double *drift)
{
  bool good = !bench_subject_restart(s);
  for (long i = 0; i < n && good; i++)
    good = step(s) && jn_evaluate(s->system, s->data) == JN_STEP_OK;
  if (good) *drift = jn_data_stats(s->data).position_norm;
  return good;
}

static bool measure(const bench *b, bench_subject *s, result *r)
{
  const jn_sim_opts *o = jn_system_opts(s->system);
  const long whole = lround(o->end / o->step), most = b->quick ? 50 : 2000;
  const long n = whole < most ? whole : most;
  const int repeats = b->quick ? 1 : 5, most_repeats = b->quick ? 1 : 25;
  double *room = bench_times_room(n + state_size(s->system));
  bool good = room != NULL;
  r->times = bench_times_none();
  for (int i = 0; good && (i < repeats || (i < most_repeats && !r->times.quiet)); i++)
    good = !bench_subject_restart(s) && bench_times_take(&r->times, step, s, n, room);
  good = good && watch_drift(s, n, &r->drift);
  if (good) time_stages(b, s->system, s->data, room, r->share);
  free(room);
  return good;
}

static bool look_at(bench *b, const bench_vehicle *v, const bench_way *way, result *r)
{
  bench_subject s;
  bench_work w;
  snprintf(r->name, sizeof r->name, "%s, %s", v->name, way->name);
  if (bench_subject_load(&s, v->model, v->scenario, way)) return false;
  const bool good = measure(b, &s, r);
  bench_subject_close(&s);
  if (!good) fprintf(stderr, "jounce: %s has failed\n", r->name);
  r->instructions = NAN;
  if (good && !b->quick && bench_work_count(b, v->model, v->scenario, way, 20, &w))
    r->instructions = w.most;
  return good;
}

static int put_times(bench_column *c, const result *r)
{
  const bench_column columns[] = {{"min us", 1e6 * r->times.least, 2},
                                  {"median us", 1e6 * r->times.median, 2},
                                  {"p99 us", 1e6 * r->times.p99, 2},
                                  {"instructions", r->instructions, 0},
                                  {"drift", r->drift, BENCH_POWER}};
  memcpy(c, columns, sizeof columns);
  return sizeof columns / sizeof *columns;
}

static int put_stages(bench_column *c, const result *r)
{
  double left = 1.0;
  for (int i = 0; i < NSTAGE; i++) {
    c[i] = (bench_column){stages[i].name, 100.0 * r->share[i], 0};
    left -= r->share[i];
  }
  c[NSTAGE] = (bench_column){"rest %", 100.0 * left, 0};
  return NSTAGE + 1;
}

int bench_vehicles(bench *b)
{
  result r[NVEHICLE * MOST_WAYS];
  int n = 0;
  for (int i = 0; i < NVEHICLE; i++)
    for (int k = 0; k < MOST_WAYS && bench_way_at(b, k); k++)
      if (!look_at(b, &vehicles[i], bench_way_at(b, k), &r[n++])) return 1;
  // For people two tables, for programs all in one.
  for (int i = 0; i < n; i++) {
    bench_column c[NSTAGE + 8] = {0};
    const int at = put_times(c, &r[i]);
    if (b->json) put_stages(c + at, &r[i]);
    bench_row(b, r[i].name, c);
  }
  if (b->json) return 0;
  if (isnan(r[0].instructions))
    bench_note(b, b->quick ? "instructions are not counted in a quick look"
                           : "instructions are not counted: valgrind is not installed");
  bench_note(b, "steps of each vehicle's scenario; drift is the largest residual [m or rad]");
  bench_head(b, "where a step goes");
  for (int i = 0; i < n; i++) {
    bench_column c[NSTAGE + 2] = {0};
    put_stages(c, &r[i]);
    bench_row(b, r[i].name, c);
  }
  bench_note(b, "shares of a step, each stage timed alone");
  return 0;
}
