// tabulated.c: tables as they were measured into the blocks that the kernels read.
#include "elements/tyre/tabulated.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static const double RIGHT_ANGLE = 1.5707963;  // [rad], rounded down: its tangent is a number

static size_t block_doubles(const tabulated_table *t)
{
  return t->nload ? TABULATED_ROWS + (size_t)t->nload * TABULATED_ROW : 0;
}

size_t tabulated_doubles(const tabulated_data *d)
{
  return block_doubles(&d->side_force) + block_doubles(&d->longitudinal_force) +
         block_doubles(&d->aligning_torque);
}

static jn_status check_axes(const tabulated_table *t, bool angle, jn_error *err)
{
  if (t->nload < 1 || t->nload > TABULATED_MOST_LOADS)
    return jn_fail(err, JN_E_LIMIT, t->pos, t->path, "has %d loads, expected 1 to %d", t->nload,
                   TABULATED_MOST_LOADS);
  if (t->nslip < 2 || t->nslip > TABULATED_MOST_SLIPS)
    return jn_fail(err, JN_E_LIMIT, t->pos, t->path, "has %d slips, expected 2 to %d", t->nslip,
                   TABULATED_MOST_SLIPS);
  for (int i = 0; i < t->nload; i++)
    if (!(t->load[i] > (i ? t->load[i - 1] : 0.0)))
      return jn_fail(err, JN_E_RANGE, t->pos, t->path, "load %d is %g N, must be above %s", i + 1,
                     t->load[i], i ? "the one before it" : "zero");
  if (!(t->slip[0] <= 0.0 && t->slip[t->nslip - 1] > 0.0))
    return jn_fail(err, JN_E_RANGE, t->pos, t->path,
                   "its slips reach from %g to %g, expected from zero on, or to both sides of zero",
                   t->slip[0], t->slip[t->nslip - 1]);
  const double farthest = fmax(-t->slip[0], t->slip[t->nslip - 1]);
  if (angle && !(farthest < RIGHT_ANGLE))
    return jn_fail(err, JN_E_RANGE, t->pos, t->path,
                   "its slip angles reach %g rad, must be below a right angle", farthest);
  return JN_OK;
}

// A row's points; those of a half with their images.
static int row_points(const tabulated_table *t, int row, double *x, double *y)
{
  const double *value = t->value + (size_t)row * (size_t)t->nslip;
  int n = 0;
  if (t->slip[0] == 0.0)
    for (int i = t->nslip - 1; i > 0; i--) x[n] = -t->slip[i], y[n++] = -value[i];
  for (int i = 0; i < t->nslip; i++) x[n] = t->slip[i], y[n++] = value[i];
  return n;
}

// Peaks and the slope, of forces that point to `side` at positive slip (0: a torque, which may do what it likes).
static jn_status set_facts(const tabulated_table *t, int row, int n, const double *x,
                           const double *y, int side, bool angle, double *curve, jn_error *err)
{
  double *fact = curve + TABULATED_CURVE, slope;
  const double still = jn_curve_at(curve, TABULATED_STEPS, 0.0, &slope);
  memset(fact, 0, TABULATED_FACTS * sizeof *fact);
  fact[TABULATED_AT_ZERO] = still;
  fact[TABULATED_SLOPE] = side * slope;
  for (int i = n - 1; i >= 0 && side; i--) {  // from the side that is always given
    const int below = x[i] < 0.0, points = below ? -side : side;
    double *peak = &fact[TABULATED_PEAK + below], *at = &fact[TABULATED_PEAK_SLIP + below];
    if (x[i] == 0.0) continue;
    if (!(points * (y[i] - still) >= 0.0))
      return jn_fail(err, JN_E_RANGE, t->pos, t->path,
                     "at load %g N the force is %g N at slip %g and %g N at zero, expected one "
                     "that is %s",
                     t->load[row], y[i], x[i], still, points > 0 ? "larger" : "smaller");
    const double size = points * y[i];
    if (below ? size > *peak : size >= *peak)  // of equal ones that next to zero
      *peak = size, *at = angle ? tan(fabs(x[i])) : fabs(x[i]);
  }
  for (int k = 0; k < 2 && side; k++)
    if (!(fact[TABULATED_PEAK + k] > 2.0 * fabs(still)) || !(fact[TABULATED_SLOPE] > 0.0))
      return jn_fail(err, JN_E_RANGE, t->pos, t->path,
                     "at load %g N the largest force against slip is %g N, expected one that "
                     "grows from zero slip on to more than twice the force there, %g N",
                     t->load[row], fabs(fact[TABULATED_PEAK + k]), fabs(still));
  return JN_OK;
}

static void set_spans(const tabulated_table *t, double *block)
{
  const int n = t->nload;
  for (int i = 0; i < TABULATED_SPANS; i++) {
    double *span = block + TABULATED_SPANS + i * TABULATED_SPAN;
    const int low = i == 0 ? 0 : i < n ? i - 1 : n - 1, high = i < n ? i : n - 1;
    memset(span, 0, TABULATED_SPAN * sizeof *span);
    block[i] = i < n ? t->load[i] : INFINITY;
    span[TABULATED_LOW] = r_real(TABULATED_ROWS + low * TABULATED_ROW);
    span[TABULATED_HIGH] = r_real(TABULATED_ROWS + high * TABULATED_ROW);
    if (low == high) {  // in proportion, from zero
      span[CARPET_LOW1] = 1.0 / t->load[low];
    } else {
      const double per = 1.0 / (t->load[high] - t->load[low]);
      span[TABULATED_ORIGIN] = t->load[low];
      span[CARPET_LOW0] = 1.0;
      span[CARPET_LOW1] = -per;
      span[CARPET_HIGH1] = span[CARPET_MEAN1] = per;
    }
  }
}

static jn_status build_block(const tabulated_table *t, int side, bool angle, double *block,
                             jn_error *err)
{
  double x[2 * TABULATED_MOST_SLIPS], y[2 * TABULATED_MOST_SLIPS];
  jn_status st = check_axes(t, angle, err);
  if (!st) set_spans(t, block);
  for (int row = 0; row < t->nload && !st; row++) {
    double *curve = block + TABULATED_ROWS + row * TABULATED_ROW;
    const int n = row_points(t, row, x, y);
    if (t->slip[0] == 0.0 && y[n / 2] != 0.0)
      return jn_fail(err, JN_E_RANGE, t->pos, t->path,
                     "at load %g N it is %g at zero slip, expected 0 where the other side is not "
                     "given",
                     t->load[row], y[n / 2]);
    const jn_curve_def def = {.n = n,
                              .x = x,
                              .y = y,
                              .method = JN_CURVE_MONOTONE,
                              .below = JN_CURVE_HOLD,
                              .above = JN_CURVE_HOLD,
                              .pos = t->pos,
                              .path = t->path};
    st = jn_curve_build(curve, TABULATED_STEPS, &def, err);
    if (!st) st = set_facts(t, row, n, x, y, side, angle, curve, err);
  }
  return st;
}

jn_status tabulated_build(const tabulated_data *d, double *table, int64_t index,
                          double p[TABULATED_FIELDS], int *form, jn_error *err)
{
  const struct {
    const tabulated_table *table;
    int field, side;
    bool angle;
  } block[] = {{&d->side_force, TABULATED_SIDE_FORCE, -1, true},
               {&d->longitudinal_force, TABULATED_LONGITUDINAL_FORCE, 1, false},
               {&d->aligning_torque, TABULATED_ALIGNING_TORQUE, 0, true}};
  size_t at = 0;
  *form = d->aligning_torque.nload ? TABULATED_HAS_ALIGNING_TORQUE : 0;
  for (int i = 0; i < 3; i++) {
    p[block[i].field] = r_real(index + (int64_t)at);
    if (i == 2 && !*form) continue;
    jn_status st = build_block(block[i].table, block[i].side, block[i].angle, table + at, err);
    if (st) return st;
    at += block_doubles(block[i].table);
  }
  p[TABULATED_ROLLING_RESISTANCE] = d->rolling_resistance;
  p[TABULATED_RELAXATION_X] = d->relaxation_x;
  p[TABULATED_RELAXATION_Y] = d->relaxation_y;
  return JN_OK;
}
