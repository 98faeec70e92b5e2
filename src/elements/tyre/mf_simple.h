// mf_simple.h: longitudinal Magic Formula of four factors behind a relaxation length, straight down
// from the wheel centre; no side force [Pac12, ch. 4 for the formula, ch. 7 for the relaxation].
#ifndef JN_ELEMENTS_TYRE_MF_SIMPLE_H
#define JN_ELEMENTS_TYRE_MF_SIMPLE_H

#include "elements/tyre/contact.h"

enum {
  TYRE_MF_RADIUS,
  TYRE_MF_STIFFNESS,
  TYRE_MF_DAMPING,
  TYRE_MF_ROLLING_RADIUS,
  TYRE_MF_RELAXATION_LENGTH,
  TYRE_MF_B,
  TYRE_MF_C,
  TYRE_MF_D,
  TYRE_MF_E,
  TYRE_MF_WITH_WHEEL,  // 0: the longitudinal direction is world x; 1: it turns with the wheel
  TYRE_MF_FIELDS
};

//   sigma z' = -|vx| z - (vx - Re Omega),  Fx = Fz D sin(C atan(B z - E (B z - atan(B z))))
//
// on friction l: l Fx(z / l).
//
// with vx the centre's longitudinal speed and Omega the wheel's whole angular velocity about its axis. Normal
// and road_rate as of `vertical`.
JN_INLINE tyre_out tyre_mf_simple(const real *p, tyre_in in)
{
  tyre_frame f = tyre_frame_of(in.axis, in.normal);
  const real closing = in.road_rate - v3_dot(in.velocity, in.normal);
  tyre_out o = tyre_nothing();
  o.deflection = p[TYRE_MF_RADIUS] - in.height;
  o.load = tyre_load(p[TYRE_MF_STIFFNESS], p[TYRE_MF_DAMPING], o.deflection, closing);
  o.loaded_radius = in.height;
  o.rolling_radius = p[TYRE_MF_ROLLING_RADIUS];
  o.arm = v3_scale(-in.height, in.normal);

  const r_mask with_wheel = r_lt(r_set(0.5), p[TYRE_MF_WITH_WHEEL]);
  const v3 along = v3_axpy(-v3_dot(in.forward, in.normal), in.normal, in.forward);
  const real length = r_sqrt(r_max(v3_dot(along, along), r_set(1e-12)));
  f.x = v3_select(with_wheel, f.x, v3_scale(r_set(1.0) / length, along));
  f.y = v3_cross(in.normal, f.x);
  const real vx = v3_dot(in.velocity, f.x), turning = v3_dot(in.axis, in.omega) + in.spin;
  const real sliding = r_fma(-p[TYRE_MF_ROLLING_RADIUS], turning, vx);
  o.rate_a[0] = r_abs(vx) / p[TYRE_MF_RELAXATION_LENGTH];
  // (not -sliding, which gcc makes another fused product of in scalars: one zero gets another sign)
  o.rate_b[0] = r_fma(p[TYRE_MF_ROLLING_RADIUS], turning, -vx) / p[TYRE_MF_RELAXATION_LENGTH];

  const real bz = p[TYRE_MF_B] * (in.state[0] / in.friction), d = p[TYRE_MF_D] * in.friction;
  const real bent = r_fma(-p[TYRE_MF_E], bz - r_atan(bz), bz);
  o.fx = o.load * d * r_sin(p[TYRE_MF_C] * r_atan(bent));
  o.utilisation = r_abs(o.fx) / r_max(o.load * r_abs(d), r_set(1e-300));
  o.force = tyre_force(&f, in.normal, o.fx, o.fy, o.load);
  tyre_report_slip(&o, &f, in.velocity, v3_axpy(sliding - vx, f.x, in.velocity));
  return o;
}

#endif
