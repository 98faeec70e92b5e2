// compare_runs.h: a vehicle in lanes, some of it computed as the general path does it, beside the same by the general path alone.
#ifndef JN_TEST_FAST_COMPARE_RUNS_H
#define JN_TEST_FAST_COMPARE_RUNS_H

#include <math.h>
#include <string.h>

#include "run/run_case.h"
#include "solve/fast/fast.h"

typedef struct pair {
  jt_run mixed, general;
} pair;

static pair start_both(const char *model, const char *scenario, jn_sim_opts o)
{
  pair p;
  p.mixed = jt_start(jt_parse(model), scenario, &o);
  if (!p.mixed.system->lane) fail_msg("%s", p.mixed.system->lane_reason);
  o.path = JN_PATH_GENERAL;
  p.general = jt_start(jt_parse(model), scenario, &o);
  return p;
}

static void end_both(pair *p)
{
  jt_end(&p->mixed);
  jt_end(&p->general);
}

// Rows that lanes make, of the same state as the general path's row: what is in the arrays is what was computed.
static void compare_rows(jt_run *r)
{
  const int n = jn_channel_count(r->system);
  int *channel = calloc((size_t)n, sizeof *channel), *picked = calloc((size_t)n, sizeof *picked);
  double *row = calloc((size_t)n, sizeof *row);
  int count = 0;
  for (int c = 0; c < n; c++) {
    const char *name = jn_channel_at(r->system, c).name;
    if (!strncmp(name, "solver.", 7)) continue;
    jn_rows *one = NULL;
    jn_error err = {0};
    channel[0] = c;
    jt_ok(jn_rows_create(r->system, channel, 1, &one, &err), &err, name);
    if (!jn_rows_general(one)) picked[count++] = c;
    jn_rows_free(one);
  }
  jn_rows *rows = NULL;
  jn_error err = {0};
  jt_ok(jn_rows_create(r->system, picked, count, &rows, &err), &err, "rows");
  jt_flag(r, jn_rows_fill(rows, r->data, row));
  const double *whole = jt_row(r);
  for (int i = 0; i < count; i++) {
    const double x = whole[picked[i]];
    if (!(fabs(row[i] - x) <= 1e-8 * fmax(1.0, fabs(x))))
      fail_msg("%s: %.17g in lanes, %.17g by the general path",
               jn_channel_at(r->system, picked[i]).name, row[i], x);
  }
  jn_rows_free(rows);
  free(channel), free(picked), free(row);
}

enum { TIMES = 6, STEPS = 20 };
static const double STEP = 2.5e-4;

static bool is_compared(const char *name)  // what counts, beside the solver's own numbers
{
  return strncmp(name, "solver.", 7) != 0 || !strcmp(name, "solver.work");
}

// All channels of a run by rk4, at some times, one row behind the other.
static double *rows_of(jt_run *r, int steps, bool mixed)
{
  const size_t n = (size_t)jn_channel_count(r->system);
  double *out = calloc(TIMES * n, sizeof *out);
  assert_non_null(out);
  for (size_t i = 0; i < TIMES; i++) {
    memcpy(out + i * n, jt_row(r), n * sizeof *out);
    if (mixed) {
      JT_LE(jn_data_stats(r->data).path_difference, 1e-10);
      compare_rows(r);
      assert_true(jn_is_fast(r->data));
    }
    jt_steps(r, steps);
  }
  return out;
}

// Rates agree to rounding at the states that are met. Runs are apart by no more than what half the step changes: loops are closed in
// two ways, with errors of one order. Ends the pair, which has begun with rk4 and STEP.
static void compare_runs(const char *model, const char *scenario, pair p)
{
  const jn_sim_opts half = {
      .integrator = JN_INTEGRATOR_RK4, .step = 0.5 * STEP, .path = JN_PATH_GENERAL};
  jt_run fine = jt_start(jt_parse(model), scenario, &half);
  double *a = rows_of(&p.mixed, STEPS, true), *b = rows_of(&p.general, STEPS, false),
         *c = rows_of(&fine, 2 * STEPS, false);
  const int n = jn_channel_count(fine.system);
  for (int k = 0; k < n; k++) {
    const char *name = jn_channel_at(fine.system, k).name;
    double changes = 0.0, size = 1.0;
    for (int i = 0; i < TIMES; i++) {
      changes = fmax(changes, fabs(b[i * n + k] - c[i * n + k]));
      size = fmax(size, fabs(b[i * n + k]));
    }
    for (int i = 0; i < TIMES && is_compared(name); i++)
      if (!(fabs(a[i * n + k] - b[i * n + k]) <= changes + 1e-9 * size))
        fail_msg("%s at %g s: %.17g mixed, %.17g by the general path; half the step changes %.2g",
                 name, i * STEPS * STEP, a[i * n + k], b[i * n + k], changes);
  }
  free(a), free(b), free(c);
  jt_end(&fine);
  end_both(&p);
}

// Bits of a run do not depend on rows that are made on its way, whichever dependent coordinates the general path has for them.
static void expect_no_trace(const char *model, const char *scenario, double step, int steps)
{
  static const char *const names[] = {"wheel_fl.z", "chassis.vx", "chassis.pitch", "solver.energy"};
  const jn_sim_opts o = {.integrator = JN_INTEGRATOR_AB3, .step = step};
  jt_run a = jt_start(jt_parse(model), scenario, &o), b = jt_start(jt_parse(model), scenario, &o);
  int channel[4];
  for (int i = 0; i < 4; i++) channel[i] = jt_channel(&b, names[i]);
  jn_error err = {0};
  jn_rows *rows = NULL;
  jt_ok(jn_rows_create(b.system, channel, 4, &rows, &err), &err, "rows");
  for (int i = 0; i < steps; i++) {
    double row[4];
    jt_steps(&a, 1);
    if (i % 2) jt_flag(&b, jn_rows_fill(rows, b.data, row));
    if (i % 7 == 0) jt_row(&b);
    jt_steps(&b, 1);
  }
  const jn_lane *l = a.system->lane;
  assert_memory_equal(a.data->lane->y, b.data->lane->y,
                      (size_t)(l->nq + l->nv + l->nx) * sizeof(double));
  assert_int_equal(jn_data_stats(a.data).events, jn_data_stats(b.data).events);
  jn_rows_free(rows);
  jt_end(&a);
  jt_end(&b);
}

#endif
