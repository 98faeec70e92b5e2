// brush.h: tread elements with parabolic pressure, combined slip, relaxation, and a standstill that
// stands still. docs/tyres.md derives it.
#ifndef JN_TYRE_BRUSH_H
#define JN_TYRE_BRUSH_H

#include "tyre/contact.h"

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

// How much of the sliding speed wipes the tread back: none as long as it sticks, all of it from where
// it slides throughout. z: deflections over their relaxation lengths. c: slip stiffnesses over three
// times the friction limit.
JN_INLINE real tyre_brush_wiping(const real z[2], const real c[2])
{
  const real zero = r_set(0.0), one = r_set(1.0);
  const real cx = r_max(c[0], one) * z[0], cy = r_max(c[1], one) * z[1];
  const real way = r_fma(r_set(2.0), r_sqrt(r_fma(cx, cx, cy * cy)), r_set(-1.0));
  const real x = r_min(one, r_max(way, zero));  // from half of the limit to the whole
  return x * x * r_fma(r_set(-2.0), x, r_set(3.0));
}

// States are the deflections u of the tread [m], against the sliding velocity vs of the contact point:
//
//   u_i' = -vs_i - a_i u_i,  a_i = (|vr| + w |vs|) / sigma_i,  vr: rolling speed
//
// so that when steady z = u / sigma = -vs / (|vr| + w |vs|), and the slip -vs / |vr| of brush theory
// is z / (1 - w |z|). Force over that slip s, with p_i = C_i s_i / (3 mu Fz) [Pac12, ch. 3]:
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

  o.arm = v3_scale(in.height / f.cosine, f.down);
  const v3 turning = v3_axpy(in.spin, in.axis, in.omega);
  const v3 sliding = v3_cross_add(turning, o.arm, in.velocity);
  tyre_tell_slip(&o, &f, in.velocity, sliding);
  const real vs[2] = {v3_dot(sliding, f.x), v3_dot(sliding, f.y)};
  const real rolling = r_abs(v3_dot(in.velocity, f.x) - vs[0]);
  const real wiping = r_sqrt(r_fma(vs[0], vs[0], vs[1] * vs[1]));

  // C = C0 2 x / (1 + x) with x = Fz / load: C0 at the nominal load, degressive.
  const real scale = r_set(2.0 / 3.0) / (p[TYRE_BRUSH_FRICTION] * (load0 + o.load));
  const real c[2] = {scale * p[TYRE_BRUSH_SLIP_STIFFNESS],
                     scale * p[TYRE_BRUSH_CORNERING_STIFFNESS]};
  const real sigma[2] = {p[TYRE_BRUSH_RELAXATION_X], p[TYRE_BRUSH_RELAXATION_Y]};
  const real lead = p[TYRE_BRUSH_LEAD];
  const real z[2] = {in.state[0] / sigma[0], in.state[1] / sigma[1]};
  const real passing = r_fma(tyre_brush_wiping(z, c), wiping, rolling);
  real ahead[2];  // z as it will be a lead time later: damps the standing tread, and nothing else
  for (int i = 0; i < 2; i++) {
    const real a = passing / sigma[i];
    ahead[i] = r_fma(-lead / sigma[i], vs[i], z[i]) / r_fma(a, lead, one);
    o.rate_a[i] = r_select(touches, a, one / lead);  // in the air the tread springs back
    o.rate_b[i] = r_select(touches, -vs[i], zero);
  }

  const real size = r_sqrt(r_fma(ahead[0], ahead[0], ahead[1] * ahead[1]));
  const real left = r_fma(-tyre_brush_wiping(ahead, c), size, one);
  const real to_slip = one / r_max(left, r_set(1e-6));  // by then it slides throughout
  const real s[2] = {to_slip * ahead[0], to_slip * ahead[1]};
  const real px = c[0] * s[0], py = c[1] * s[1], reach = r_sqrt(r_fma(px, px, py * py));
  const real m = r_min(reach, one), rest = one - m;
  // Where it sticks, force is along the deflection; where it slides, against the sliding.
  const real mean = m * (reach / r_max(to_slip * size, tiny));
  const real dx = r_fma(rest, px, mean * s[0]), dy = r_fma(rest, py, mean * s[1]);
  const real total = p[TYRE_BRUSH_FRICTION] * o.load * r_fma(-rest * rest, rest, one);
  const real per = total / r_max(r_sqrt(r_fma(dx, dx, dy * dy)), tiny);
  o.fx = per * dx;
  o.fy = per * dy;
  o.force = tyre_force(&f, in.normal, o.fx, o.fy, o.load);
  return o;
}

#endif
