// brake.h: friction between a wheel and its carrier that slides at a limit and holds below it.
#ifndef JN_ELEMENTS_TYRE_BRAKE_H
#define JN_ELEMENTS_TYRE_BRAKE_H

#include "base/real.h"

// A held wheel swings on its brake with this frequency, whatever the limit: slow enough for steps of
// milliseconds, and stiff enough that a car of 500 N m at each wheel yields by millimetres.
static const double BRAKE_FREQUENCY = 200.0;    // [rad/s]
static const double BRAKE_LEAST_WINDUP = 1e-2;  // of a small brake, up to its limit [rad]

typedef struct brake_out {
  real torque;  // against a positive spin
  real a, b;    // state' = b - a state
} brake_out;

// The state z, within -1 .. 1, is the part of the limit T in use; the brake winds up by
// wm = T / (I w0^2) before it slides [DuH02: stiction without drift]:
//
//   z' = (w - s |w| z) / wm,  torque = T z at a time 1 / w0 later, at most T: half of critical damping
//
// with s = 0 where z by then is below 1/2, 1 where it would be 1. That s is taken at the later time keeps a large step from
// winding z up far beyond 1; where one did, it counts as 1. A released brake forgets.
// Behind a step z is put back to the ends of its range. History of steps before the limit was switched could otherwise drive it on from step to
// step: a controller that opens and closes a brake at every step had it beyond 1e200.
static inline double brake_in_range(double z)
{
  const double below = 1.0 < z ? 1.0 : z;  // without a branch, and not a number stays one
  return -1.0 > below ? -1.0 : below;
}

JN_INLINE brake_out brake(real limit, real inertia, real spin, real z)
{
  const real zero = r_set(0.0), one = r_set(1.0), w0 = r_set(BRAKE_FREQUENCY),
             damping_time = one / w0;
  const real windup = r_max(r_max(limit, zero) / (inertia * w0 * w0), r_set(BRAKE_LEAST_WINDUP));
  const real used = r_max(r_min(one, z), -one), rate = spin / windup;
  const real bound = r_fma(damping_time, r_abs(rate), r_abs(used));
  const real x = r_min(one, r_max(r_fma(r_set(2.0), bound, -one), zero));
  const real slides = x * x * r_fma(r_set(-2.0), x, r_set(3.0));
  const real a = slides * r_abs(rate),
             later = r_fma(damping_time, rate, used) / r_fma(damping_time, a, one);
  const r_mask on = r_lt(zero, limit);
  brake_out o;
  o.torque = r_select(on, limit * r_max(r_min(one, later), -one), zero);
  o.a = r_select(on, a, w0);
  o.b = r_select(on, rate, zero);
  return o;
}

#endif
