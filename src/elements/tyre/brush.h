// brush.h: tread elements with parabolic pressure, combined slip, relaxation, and a standstill that
// stands still. docs/tyres.md derives it.
#ifndef JN_ELEMENTS_TYRE_BRUSH_H
#define JN_ELEMENTS_TYRE_BRUSH_H

#include "elements/tyre/contact.h"
#include "elements/tyre/tread.h"

enum {
  TYRE_BRUSH_RADIUS,
  TYRE_BRUSH_STIFFNESS,
  TYRE_BRUSH_DAMPING,
  TYRE_BRUSH_SLIP_STIFFNESS,
  TYRE_BRUSH_CORNERING_STIFFNESS,
  TYRE_BRUSH_LOAD,
  TYRE_BRUSH_FRICTION,
  TYRE_BRUSH_RELAXATION_X,
  TYRE_BRUSH_RELAXATION_Y,
  TYRE_BRUSH_LEAD,
  TYRE_BRUSH_FIELDS
};

// The states are deflections of the tread (tread.h), slips s are over the rolling speed. Force over s, with
// p_i = C_i s_i / (3 mu Fz) [Pac12, ch. 3]:
//
//   |F| = mu Fz (1 - (1 - min(|p|, 1))^3)
JN_INLINE tyre_out tyre_brush(const real *p, tyre_in in)
{
  const real zero = r_set(0.0), one = r_set(1.0), tiny = r_set(1e-300);
  const tyre_frame f = tyre_frame_of(in.axis, in.normal);
  tyre_out o = tyre_nothing();

  // Damping grows with the deflection, so that a wheel lands and leaves without a jump [HuC75].
  const real closing = in.road_rate - v3_dot(in.velocity, in.normal);
  const real load0 = p[TYRE_BRUSH_LOAD];
  o.deflection = r_fma(p[TYRE_BRUSH_RADIUS], f.cosine, -in.height);
  const real spring = p[TYRE_BRUSH_STIFFNESS] * r_max(o.deflection, zero);
  o.load = spring * r_max(r_fma(p[TYRE_BRUSH_DAMPING] / load0, closing, one), zero);
  const r_mask touches = r_lt(zero, o.load);

  o.loaded_radius = o.rolling_radius = in.height / f.cosine;
  o.arm = v3_scale(o.loaded_radius, f.down);
  const v3 turning = v3_axpy(in.spin, in.axis, in.omega);
  const v3 sliding = v3_cross_add(turning, o.arm, in.velocity);
  tyre_report_slip(&o, &f, in.velocity, sliding);
  const real vs[2] = {v3_dot(sliding, f.x), v3_dot(sliding, f.y)};
  const real rolling = r_abs(v3_dot(in.velocity, f.x) - vs[0]);

  // C = C0 2 x / (1 + x) with x = Fz / load: C0 at the nominal load, degressive.
  const real mu = p[TYRE_BRUSH_FRICTION] * in.friction;
  const real scale = r_set(2.0 / 3.0) / (mu * (load0 + o.load));
  const real c[2] = {scale * p[TYRE_BRUSH_SLIP_STIFFNESS],
                     scale * p[TYRE_BRUSH_CORNERING_STIFFNESS]};
  const real damping_time = p[TYRE_BRUSH_LEAD];
  tread_out t = tread((tread_in){.state = {in.state[0], in.state[1]},
                                 .sliding = {vs[0], vs[1]},
                                 .passing = rolling,
                                 .length = {p[TYRE_BRUSH_RELAXATION_X], p[TYRE_BRUSH_RELAXATION_Y]},
                                 .theta = {c[0], c[1]},
                                 .quick = {one, one},
                                 .damping_time = damping_time,
                                 .most = r_set(1e300)});
  tread_in_air(&t, touches, damping_time);
  for (int i = 0; i < 2; i++) o.rate_a[i] = t.a[i], o.rate_b[i] = t.b[i];

  const real *s = t.slip;
  const real px = c[0] * s[0], py = c[1] * s[1], used = r_sqrt(r_fma(px, px, py * py));
  const real m = r_min(used, one), rest = one - m;
  // Where it sticks, force is along the deflection; where it slides, against the sliding.
  const real mean = m * (used / r_max(t.to_slip * t.size, tiny));
  const real dx = r_fma(rest, px, mean * s[0]), dy = r_fma(rest, py, mean * s[1]);
  const real total = mu * o.load * r_fma(-rest * rest, rest, one);
  const real per = total / r_max(r_sqrt(r_fma(dx, dx, dy * dy)), tiny);
  o.fx = per * dx;
  o.fy = per * dy;
  o.utilisation = r_fma(-rest * rest, rest, one);
  o.force = tyre_force(&f, in.normal, o.fx, o.fy, o.load);
  return o;
}

#endif
