// fiala.h: Fiala's tyre in steady state, with the formulas that simulation programs have made of it, and a combined
// slip that follows from what these formulas assume.
//
//   U = U0 - (U0 - U1) min(|s|, 1),  s = (kappa, tan a),  F = U Fz
//
//   Fx = Cs kappa up to kappa_c = F / (2 Cs), then sgn(kappa) (F - F^2 / (4 Cs |kappa|))
//   Fy = -sgn(a) F (1 - H^3),  Mz = sgn(a) F w (1 - H) H^3,  H = 1 - Ca |tan a| / (3 F), zero beyond tan a_c = 3 F / Ca
//
// Both forces are those of tread elements that stick from the leading edge on, bent in proportion to the distance that they
// have gone, and slide from where friction is exceeded: longitudinally under uniform pressure, laterally under parabolic
// pressure. With q = (Cs kappa, Ca tan a), what they would give if all stuck, r = |q| / F, and the part a of the patch
// that sticks,
//
//                        sticks            sticking elements give    sliding ones give
//   uniform pressure     a = min(1, 1/2r)  F r a^2                   F (1 - a)
//   parabolic pressure   a = max(0, 1-r/3) F r a^2                   F (1 - a)^2 (1 + 2 a)
//
// whose sums are the formulas above. In combined slip, c = q / |q|, each kind of pressure counts as much as the slip
// has its direction, by cx^2 and cy^2. Elements that stick pull along q, those that slide against the sliding, along s:
//
//   (Fx, -Fy) = F (A c + B s / |s|),  A = r (cx^2 ax^2 + cy^2 ay^2),  B = cx^2 (1 - ax) + cy^2 (1 - ay)^2 (1 + 2 ay)
//
// A + B <= 1, so the pair never leaves the circle of U Fz; where all slides it is against the sliding; in pure slip it
// is the formula, and at small slip (Cs kappa, Ca tan a), with a continuous slope.
#ifndef JN_ELEMENTS_TYRE_FIALA_H
#define JN_ELEMENTS_TYRE_FIALA_H

#include "elements/tyre/tyre_law.h"

enum {  // as their keys
  FIALA_SLIP_STIFFNESS,
  FIALA_CORNERING_STIFFNESS,
  FIALA_FRICTION,
  FIALA_FRICTION_SLIDING,
  FIALA_WIDTH,
  FIALA_ROLLING_RESISTANCE,
  FIALA_RELAXATION_X,
  FIALA_RELAXATION_Y,
  FIALA_FIELDS
};

JN_INLINE tyre_limits fiala_limits(int form, const real *p, const double *table, real load,
                                   real camber)
{
  (void)form, (void)table, (void)load, (void)camber;
  return (tyre_limits){.stiffness = {p[FIALA_SLIP_STIFFNESS], p[FIALA_CORNERING_STIFFNESS]},
                       .friction = {p[FIALA_FRICTION], p[FIALA_FRICTION]},
                       .relaxation = {p[FIALA_RELAXATION_X], p[FIALA_RELAXATION_Y]}};
}

JN_INLINE tyre_forces fiala_forces(int form, const real *p, const double *table, tyre_slip slip)
{
  (void)form, (void)table;
  const real one = r_set(1.0), half = r_set(0.5), tiny = r_set(1e-300);
  const real s[2] = {slip.kappa, slip.tan_alpha};
  const real q[2] = {p[FIALA_SLIP_STIFFNESS] * s[0], p[FIALA_CORNERING_STIFFNESS] * s[1]};
  const real size = r_sqrt(r_fma(s[0], s[0], s[1] * s[1]));
  const real bent = r_sqrt(r_fma(q[0], q[0], q[1] * q[1]));
  const real falls = p[FIALA_FRICTION] - p[FIALA_FRICTION_SLIDING];
  const real limit = slip.load * r_fma(-falls, r_min(one, size), p[FIALA_FRICTION]);

  // A light tyre slides long before r is 1e12, where r a^2 is nothing.
  const real r = r_min(r_set(1e12), bent / r_max(limit, tiny));
  const real per = one / r_max(bent, tiny), c[2] = {per * q[0], per * q[1]};
  const real cx2 = c[0] * c[0], cy2 = c[1] * c[1];
  const real ax = r_min(one, half / r_max(r, tiny));
  const real slid = r_min(one, r * r_set(1.0 / 3.0)), ay = one - slid;
  const real stick = limit * r * r_fma(cx2, ax * ax, cy2 * (ay * ay));
  const real slide = limit *
                     r_fma(cx2, one - ax, cy2 * (slid * slid * r_fma(r_set(2.0), ay, one))) /
                     r_max(size, tiny);

  tyre_forces f = tyre_no_forces();
  f.fx = r_fma(stick, c[0], slide * s[0]);
  f.fy = -r_fma(stick, c[1], slide * s[1]);
  f.mz = slip.forward * (limit * p[FIALA_WIDTH] * (slid * (ay * ay * ay)) * c[1]);
  f.my = -slip.rolling * p[FIALA_ROLLING_RESISTANCE] * slip.load;
  return f;
}

#endif
