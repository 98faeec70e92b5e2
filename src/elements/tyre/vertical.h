// vertical.h: a spring and a damper straight down from the wheel centre; no force along the road.
#ifndef JN_ELEMENTS_TYRE_VERTICAL_H
#define JN_ELEMENTS_TYRE_VERTICAL_H

#include "elements/tyre/contact.h"

enum { TYRE_VERTICAL_RADIUS, TYRE_VERTICAL_STIFFNESS, TYRE_VERTICAL_DAMPING, TYRE_VERTICAL_FIELDS };

// The caller gives the normal of the plane that the road's profile stands on, and the rate at which the
// surface under the moving centre rises along it (road.h: road_follow).
JN_INLINE tyre_out tyre_vertical(const real *p, tyre_in in)
{
  const tyre_frame f = tyre_frame_of(in.axis, in.normal);
  const real closing = in.road_rate - v3_dot(in.velocity, in.normal);
  tyre_out o = tyre_nothing();
  o.deflection = p[TYRE_VERTICAL_RADIUS] - in.height;
  o.load = tyre_load(p[TYRE_VERTICAL_STIFFNESS], p[TYRE_VERTICAL_DAMPING], o.deflection, closing);
  o.loaded_radius = o.rolling_radius = in.height;
  o.arm = v3_scale(-in.height, in.normal);
  o.force = v3_scale(o.load, in.normal);
  const v3 turning = v3_axpy(in.spin, in.axis, in.omega);
  tyre_report_slip(&o, &f, in.velocity, v3_cross_add(turning, o.arm, in.velocity));
  return o;
}

#endif
