// tread.h: slips that follow the sliding of the contact point over a length, and a tread that stands still at rest.
// docs/tyres.md derives it.
#ifndef JN_ELEMENTS_TYRE_TREAD_H
#define JN_ELEMENTS_TYRE_TREAD_H

#include "base/rmath.h"

typedef struct tread_in {
  real state[2];      // deflections u of the tread, longitudinal and lateral [m]
  real sliding[2];    // velocity vs of the contact point over the road    [m/s]
  real passing;       // speed v0 that slips are over, zero or more        [m/s]
  real length[2];     // of relaxation, sigma                              [m]
  real theta[2];      // slip stiffness over three times the friction limit [Pac12, ch. 3]
  real quick[2];      // how many times faster than sigma says; 1: as it says
  real damping_time;  // by which the force leads the deflection         [s]
  real most;          // size of the largest slip returned
} tread_in;

typedef struct tread_out {
  real slip[2];  // -vs / v0, relaxed
  real to_slip;  // slip over deflection / sigma
  real size;     // of deflection / sigma
  real a[2], b[2];
} tread_out;

// Sliding saturation q of the tread, by the part r = |c z| of the sliding limit that its deflection z (over the relaxation
// length) has reached: nothing as long as it sticks, all of it at r = 1.55. What more than k = 0.8 per r would do: a change
// of r changes the rate of saturation, so that -(r q' - q) = -0.3 k of it comes back in the steady state that `tread`
// goes to, and steps that are long against relaxation pass that on, `ab3` up to 11/3 times as much.
JN_INLINE real tread_saturation(const real z[2], const real theta[2])
{
  const real zero = r_set(0.0), one = r_set(1.0), sticks = r_set(0.2), soft = r_set(0.2);
  const real cx = r_max(theta[0], one) * z[0], cy = r_max(theta[1], one) * z[1];
  const real y = r_max(r_sqrt(r_fma(cx, cx, cy * cy)) - sticks, zero), x = r_min(y, soft);
  return r_set(0.8) * r_fma(r_set(2.5) * x, x, y - x);
}

//   u_i' = Q_i (-vs_i - (v0 + q / |z| |vs|) u_i / sigma_i)
//
// so that when steady z = u / sigma = -vs / (v0 + q / |z| |vs|), and the slip s = -vs / v0 is z / (1 - q): known from z
// alone, at any speed. However long it slides, r stays below 1.55: little more is stored than sticking tread can hold, to
// spring back when the sliding ends. The slip returned is that of z a time `damping_time` later, which damps the standing tread
// and nothing else.
JN_INLINE tread_out tread(tread_in in)
{
  const real one = r_set(1.0), tiny = r_set(1e-300);
  const real vs = r_sqrt(r_fma(in.sliding[0], in.sliding[0], in.sliding[1] * in.sliding[1]));
  const real z[2] = {in.state[0] / in.length[0], in.state[1] / in.length[1]};
  const real now = r_sqrt(r_fma(z[0], z[0], z[1] * z[1]));
  const real passing = r_fma(tread_saturation(z, in.theta) / r_max(now, tiny), vs, in.passing);
  tread_out o;
  real later[2];
  for (int i = 0; i < 2; i++) {
    const real quick = in.quick[i];
    o.a[i] = quick * (passing / in.length[i]);
    o.b[i] = -quick * in.sliding[i];
    later[i] =
        r_fma(in.damping_time / in.length[i], o.b[i], z[i]) / r_fma(o.a[i], in.damping_time, one);
  }
  o.size = r_sqrt(r_fma(later[0], later[0], later[1] * later[1]));
  // By the largest slip it slides throughout; the direction of the slip is kept, which is that of the force.
  o.to_slip =
      one / r_max(one - tread_saturation(later, in.theta), r_max(o.size / in.most, r_set(1e-6)));
  for (int i = 0; i < 2; i++) o.slip[i] = o.to_slip * later[i];
  return o;
}

// In the air the tread springs back.
JN_INLINE void tread_in_air(tread_out *o, r_mask touches, real damping_time)
{
  for (int i = 0; i < 2; i++) {
    o->a[i] = r_select(touches, o->a[i], r_set(1.0) / damping_time);
    o->b[i] = r_select(touches, o->b[i], r_set(0.0));
  }
}

#endif
