// linear.h: forces linear in slip up to a friction limit, one contact point, no states.
#ifndef JN_ELEMENTS_TYRE_LINEAR_H
#define JN_ELEMENTS_TYRE_LINEAR_H

#include "elements/tyre/contact.h"

enum {
  TYRE_LINEAR_RADIUS,
  TYRE_LINEAR_STIFFNESS,
  TYRE_LINEAR_DAMPING,
  TYRE_LINEAR_SLIP_STIFFNESS,
  TYRE_LINEAR_CORNERING_STIFFNESS,
  TYRE_LINEAR_LOAD,
  TYRE_LINEAR_FRICTION,
  TYRE_LINEAR_FIELDS
};

//   sx, sy = sliding velocity of the contact point / max(|vx|, 1 m/s),  g = min(1, Fz / load)
//   Fx = -Ck g sx,  Fy = -Ca g atan(sy),  the pair scaled to friction Fz where it is larger
JN_INLINE tyre_out tyre_linear(const real *p, tyre_in in)
{
  const real one = r_set(1.0);
  const tyre_frame f = tyre_frame_of(in.axis, in.normal);
  const real closing = in.road_rate - v3_dot(in.velocity, in.normal);
  tyre_out o = tyre_nothing();
  o.deflection = r_fma(p[TYRE_LINEAR_RADIUS], f.cosine, -in.height);
  o.load = tyre_load(p[TYRE_LINEAR_STIFFNESS], p[TYRE_LINEAR_DAMPING], o.deflection, closing);
  o.loaded_radius = o.rolling_radius = in.height / f.cosine;
  o.arm = v3_scale(o.loaded_radius, f.down);
  const v3 turning = v3_axpy(in.spin, in.axis, in.omega);
  tyre_report_slip(&o, &f, in.velocity, v3_cross_add(turning, o.arm, in.velocity));

  const real g = r_min(one, o.load / p[TYRE_LINEAR_LOAD]);
  const real fx = p[TYRE_LINEAR_SLIP_STIFFNESS] * g * o.slip;
  const real fy = -p[TYRE_LINEAR_CORNERING_STIFFNESS] * g * o.slip_angle;
  const real size = r_sqrt(r_fma(fx, fx, fy * fy)),
             limit = p[TYRE_LINEAR_FRICTION] * in.friction * o.load;
  const r_mask slides = r_lt(limit, size);
  const real back = r_select(slides, limit / r_select(slides, size, one), one);
  o.fx = back * fx;
  o.fy = back * fy;
  o.utilisation = back * size / r_max(limit, r_set(1e-300));
  o.force = tyre_force(&f, in.normal, o.fx, o.fy, o.load);
  return o;
}

#endif
