// tabulated.h: a tyre as it was measured: side force and aligning torque over slip angle and load, longitudinal force over
// slip and load, and a friction ellipse for both slips at once.
//
// Along the slip a row of a table is a monotone cubic (curve.h): slopes are continuous and nothing overshoots, so that
// the largest force is at a point of the table; beyond the last point its value is held. Between rows it is linear in
// the load; below the first load and above the last one in proportion to the load, so that no load gives no force.
// A row that begins at zero slip is continued to the other side as an odd function.
//
// In combined slip, with the largest force M, the slip m at which it is (tan a for the side) and the force G of zero
// slip, all by load and M and m also by the sign of the slip, x longitudinal and y lateral:
//
//   p = (kappa / mx, tan a / my),  n = |p|,  c = p / n,   e_i = |F_i(n m_i) - G_i| / |M_i - G_i|
//
// e is the part of the ellipse with the semi-axes Mx and My that is in use: e^2 = (cx ex)^2 + (cy ey)^2 <= 1. The force
// is (Mx cx ex, My cy ey) in direction up to the peak, n = 1, and goes over to that against the sliding, (kappa, tan a),
// from there to n = 3. Scaled to the part e of the ellipse, it is joined by (1 - e) G: an ellipse is convex, so it holds the
// sum. In pure slip the tables come out as they are.
#ifndef JN_ELEMENTS_TYRE_TABULATED_H
#define JN_ELEMENTS_TYRE_TABULATED_H

#include "base/curve.h"
#include "base/error.h"
#include "elements/tyre/tyre_law.h"

// ---- What is made of ------------------------------------------------------------------------------

enum { TABULATED_MOST_SLIPS = 31, TABULATED_MOST_LOADS = 15 };

typedef struct tabulated_table {
  int nslip, nload;     // 2 to 31 and 1 to 15; no loads: there is no such table
  const double *slip;   // rising: [rad] or 1. From zero on, or on both sides of it
  const double *load;   // rising, above zero [N]
  const double *value;  // (nload x nslip) [N] or [N m], in the signs of law.h
  jn_pos pos;           // where it was written, for messages
  const char *path;
} tabulated_table;

typedef struct tabulated_data {
  tabulated_table side_force, longitudinal_force;
  tabulated_table aligning_torque;  // may be left out
  double rolling_resistance;        // length by which the load acts in front of the centre [m]
  double relaxation_x, relaxation_y;
} tabulated_data;

enum {                   // parameters
  TABULATED_SIDE_FORCE,  // bits of the index of its block; likewise the next two
  TABULATED_LONGITUDINAL_FORCE,
  TABULATED_ALIGNING_TORQUE,
  TABULATED_ROLLING_RESISTANCE,
  TABULATED_RELAXATION_X,
  TABULATED_RELAXATION_Y,
  TABULATED_FIELDS
};

enum { TABULATED_HAS_ALIGNING_TORQUE = 1 };  // bits of `form`

// Doubles that the tables take: three blocks, one for each.
size_t tabulated_doubles(const tabulated_data *data);

// Fill `table`, which is base[index] of the base that kernels are given, with the parameters p and the form. JN_E_RANGE
// with a message for tables that are no tyre's: forces that do not act against the sliding, or slips, loads and sizes
// that are not as above.
jn_status tabulated_build(const tabulated_data *data, double *table, int64_t index,
                          double p[TABULATED_FIELDS], int *form, jn_error *err);

// ---- A block: one table ---------------------------------------------------------------------------
//
//   16 loads, then +inf
//   16 spans of 8: below the first load, between two, above the last
//   a row for each load: the curve, then 8 facts

enum {
  TABULATED_LOAD_STEPS = 4,
  TABULATED_STEPS = 6,  // of a row: 31 points and their mirror images
  TABULATED_SPANS = 1 << TABULATED_LOAD_STEPS,
  TABULATED_CURVE = (1 << TABULATED_STEPS) * (1 + JN_CURVE_PIECE),

  // of a span: rows below and above count with low0 + low1 t and high1 t, t = load - origin, mean1 t of the way
  TABULATED_ORIGIN = 0,
  CARPET_LOW0,
  CARPET_LOW1,
  CARPET_HIGH1,
  CARPET_MEAN1,
  TABULATED_LOW,  // bits of the place of the row, from the beginning of the block
  TABULATED_HIGH,
  TABULATED_SPAN = 8,

  // of a row
  TABULATED_AT_ZERO = 0,    // force at zero slip
  TABULATED_SLOPE,          // there, without its sign
  TABULATED_PEAK,           // size of the largest force at slips above zero, and below: [2]
  TABULATED_PEAK_SLIP = 4,  // where that is, tan a of a slip angle, without its sign: [2]
  TABULATED_FACTS = 8,

  TABULATED_ROWS = TABULATED_SPANS * (1 + TABULATED_SPAN),
  TABULATED_ROW = TABULATED_CURVE + TABULATED_FACTS
};

typedef struct tabulated_span {
  r_mask low, high;      // index of the two rows
  real on_low, on_high;  // what they count for in forces
  real mean;             // and how far from the lower to the upper one, for slips
} tabulated_span;

JN_INLINE tabulated_span tabulated_span_at(const double *base, real block, real load)
{
  const r_mask at = r_bits(block);
  const r_mask count = curve_count(base, at, TABULATED_LOAD_STEPS, load);
  const r_mask span = at + TABULATED_SPANS + r_shl(count, 3);
  const real t = load - r_gather(base, span + TABULATED_ORIGIN);
  tabulated_span s;
  s.on_low = r_fma(r_gather(base, span + CARPET_LOW1), t, r_gather(base, span + CARPET_LOW0));
  s.on_high = r_gather(base, span + CARPET_HIGH1) * t;
  s.mean = r_gather(base, span + CARPET_MEAN1) * t;
  s.low = at + r_bits(r_gather(base, span + TABULATED_LOW));
  s.high = at + r_bits(r_gather(base, span + TABULATED_HIGH));
  return s;
}

// Force or torque over the slip.
JN_INLINE real tabulated_over(const double *base, const tabulated_span *s, real slip)
{
  const r_mask count =
      curve_count(base, s->low, TABULATED_STEPS, slip);  // rows have the same slips
  const real low = curve_on(base, s->low, TABULATED_STEPS, count, slip).y;
  const real high = curve_on(base, s->high, TABULATED_STEPS, count, slip).y;
  return r_fma(s->on_low, low, s->on_high * high);
}

// A fact that grows with the load, and one that does not.
JN_INLINE real tabulated_size(const double *base, const tabulated_span *s, r_mask fact)
{
  const r_mask at = fact + TABULATED_CURVE;
  return r_fma(s->on_low, r_gather(base, s->low + at), s->on_high * r_gather(base, s->high + at));
}
JN_INLINE real tabulated_place(const double *base, const tabulated_span *s, r_mask fact)
{
  const real low = r_gather(base, s->low + fact + TABULATED_CURVE);
  return r_fma(s->mean, r_gather(base, s->high + fact + TABULATED_CURVE) - low, low);
}

// ---- The law --------------------------------------------------------------------------------------

JN_INLINE tyre_limits tabulated_limits(int form, const real *p, const double *table, real load,
                                       real camber)
{
  (void)form, (void)camber;
  tyre_limits limits = {.relaxation = {p[TABULATED_RELAXATION_X], p[TABULATED_RELAXATION_Y]}};
  for (int i = 0; i < 2; i++) {
    const real block = p[i ? TABULATED_SIDE_FORCE : TABULATED_LONGITUDINAL_FORCE];
    // Below the first load force over load is the same all the way down, but for zero.
    const real first = r_gather(table, r_bits(block));
    const real some = r_max(load, r_set(1e-6) * first);
    const tabulated_span at = tabulated_span_at(table, block, some);
    limits.stiffness[i] = tabulated_size(table, &at, r_int(TABULATED_SLOPE)) * (load / some);
    limits.friction[i] = r_max(tabulated_size(table, &at, r_int(TABULATED_PEAK)),
                               tabulated_size(table, &at, r_int(TABULATED_PEAK + 1))) /
                         some;
  }
  return limits;
}

JN_INLINE tyre_forces tabulated_forces(int form, const real *p, const double *table, tyre_slip slip)
{
  const real zero = r_set(0.0), one = r_set(1.0), tiny = r_set(1e-300);
  const real s[2] = {slip.kappa, slip.tan_alpha}, sign[2] = {one, -one};  // of force over slip
  const real block[2] = {p[TABULATED_LONGITUDINAL_FORCE], p[TABULATED_SIDE_FORCE]};

  tabulated_span span[2];
  real m[2], peak[2], still[2], ap[2];
  for (int i = 0; i < 2; i++) {
    const r_mask below = r_lt(s[i], zero) & r_int(1);  // slips below zero have peaks of their own
    span[i] = tabulated_span_at(table, block[i], slip.load);
    still[i] = tabulated_size(table, &span[i], r_int(TABULATED_AT_ZERO));
    peak[i] = tabulated_size(table, &span[i], below + TABULATED_PEAK);
    m[i] = tabulated_place(table, &span[i], below + TABULATED_PEAK_SLIP);
    ap[i] = r_abs(s[i]) / m[i];
  }
  const real n = r_sqrt(r_fma(ap[0], ap[0], ap[1] * ap[1])), per = one / r_max(n, tiny);
  const real c[2] = {per * ap[0], per * ap[1]};
  const real angle = r_copysign(r_atan(n * m[1]), s[1]);
  const real at[2] = {r_copysign(n * m[0], s[0]), angle};

  // Part of the ellipse in use, and the direction of the force, both slips being counted as positive.
  real used[2], v[2];
  for (int i = 0; i < 2; i++) {
    const real side = r_copysign(one, s[i]) * sign[i];  // where the force of this slip points
    const real rise = side * (tabulated_over(table, &span[i], at[i]) - still[i]);
    used[i] = c[i] * r_min(one, r_max(rise / r_max(r_fma(-side, still[i], peak[i]), tiny), zero));
    v[i] = used[i] * peak[i];
  }
  const real e = r_sqrt(r_fma(used[0], used[0], used[1] * used[1]));
  const real size = one / r_max(r_sqrt(r_fma(v[0], v[0], v[1] * v[1])), tiny);
  const real sliding = one / r_max(r_sqrt(r_fma(s[0], s[0], s[1] * s[1])), tiny);
  const real x = r_min(one, r_max(r_fma(r_set(0.5), n, r_set(-0.5)), zero));
  const real w = x * x * r_fma(r_set(-2.0), x, r_set(3.0));
  real d[2];
  for (int i = 0; i < 2; i++) d[i] = r_fma(one - w, size * v[i], w * (sliding * r_abs(s[i])));
  const real dx = d[0] * peak[1], dy = d[1] * peak[0];
  const real scale = e * peak[0] * peak[1] / r_max(r_sqrt(r_fma(dx, dx, dy * dy)), tiny);
  real force[2];
  for (int i = 0; i < 2; i++)
    force[i] = r_fma(one - e, still[i], r_copysign(scale * d[i], s[i]) * sign[i]);

  tyre_forces f = tyre_no_forces();
  f.fx = force[0];
  f.fy = force[1];
  f.my = -slip.rolling * p[TABULATED_ROLLING_RESISTANCE] * slip.load;
  if (form & TABULATED_HAS_ALIGNING_TORQUE) {
    // At the slip angle that would take as much of the tyre, as far as the slip is lateral; what is there without
    // slip ends as the tyre is used up along.
    const tabulated_span turn = tabulated_span_at(table, p[TABULATED_ALIGNING_TORQUE], slip.load);
    const real rest = tabulated_size(table, &turn, r_int(TABULATED_AT_ZERO));
    const real over = c[1] * (tabulated_over(table, &turn, angle) - rest);
    f.mz = slip.forward * r_fma(r_fma(-c[0] * c[0], e, one), rest, over);
  }
  return f;
}

#endif
