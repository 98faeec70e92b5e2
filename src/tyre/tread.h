// tread.h: slips that follow the sliding of the contact point over a length, and a tread that stands still at rest.
// docs/tyres.md derives it.
#ifndef JN_TYRE_TREAD_H
#define JN_TYRE_TREAD_H

#include "base/rmath.h"

typedef struct tread_in {
  real state[2];    // deflections u of the tread, ahead and to the left [m]
  real sliding[2];  // velocity vs of the contact point over the road    [m/s]
  real passing;     // speed v0 that slips are over, zero or more        [m/s]
  real length[2];   // of relaxation, sigma                              [m]
  real reach[2];    // slip stiffness over three times the friction limit
  real quick[2];    // how many times faster than sigma says; 1: as it says
  real lead;        // how far the force runs ahead of the deflection    [s]
} tread_in;

typedef struct tread_out {
  real slip[2];  // -vs / v0, relaxed
  real to_slip;  // slip over deflection / sigma
  real size;     // of deflection / sigma
  real a[2], b[2];
} tread_out;

// How much of the sliding speed wipes the tread back: none as long as it sticks, all of it from where
// it slides throughout. z: deflections over their relaxation lengths.
JN_INLINE real tread_wiping(const real z[2], const real reach[2])
{
  const real zero = r_set(0.0), one = r_set(1.0);
  const real cx = r_max(reach[0], one) * z[0], cy = r_max(reach[1], one) * z[1];
  const real way = r_fma(r_set(2.0), r_sqrt(r_fma(cx, cx, cy * cy)), r_set(-1.0));
  const real x = r_min(one, r_max(way, zero));  // from half of the limit to the whole
  return x * x * r_fma(r_set(-2.0), x, r_set(3.0));
}

//   u_i' = q_i (-vs_i - (v0 + w |vs|) u_i / sigma_i)
//
// so that when steady z = u / sigma = -vs / (v0 + w |vs|), and the slip s = -vs / v0 is z / (1 - w |z|): known from z
// alone, at any speed. The slip told is that of z a time `lead` ahead, which damps the standing tread and nothing else.
JN_INLINE tread_out tread(tread_in in)
{
  const real one = r_set(1.0);
  const real vs = r_sqrt(r_fma(in.sliding[0], in.sliding[0], in.sliding[1] * in.sliding[1]));
  const real z[2] = {in.state[0] / in.length[0], in.state[1] / in.length[1]};
  const real passing = r_fma(tread_wiping(z, in.reach), vs, in.passing);
  tread_out o;
  real ahead[2];
  for (int i = 0; i < 2; i++) {
    const real quick = in.quick[i];
    o.a[i] = quick * (passing / in.length[i]);
    o.b[i] = -quick * in.sliding[i];
    ahead[i] = r_fma(in.lead / in.length[i], o.b[i], z[i]) / r_fma(o.a[i], in.lead, one);
  }
  o.size = r_sqrt(r_fma(ahead[0], ahead[0], ahead[1] * ahead[1]));
  const real left = r_fma(-tread_wiping(ahead, in.reach), o.size, one);
  o.to_slip = one / r_max(left, r_set(1e-6));  // by then it slides throughout
  for (int i = 0; i < 2; i++) o.slip[i] = o.to_slip * ahead[i];
  return o;
}

// In the air the tread springs back.
JN_INLINE void tread_in_air(tread_out *o, r_mask touches, real lead)
{
  for (int i = 0; i < 2; i++) {
    o->a[i] = r_select(touches, o->a[i], r_set(1.0) / lead);
    o->b[i] = r_select(touches, o->b[i], r_set(0.0));
  }
}

#endif
