// bushing.h: stiffness and damping along and about three axes that turn with the first body.
//
// With R = Ra' Rb the turn of b against a, both from the design position, in which nothing is deflected:
//
//   x = A' Ra' d,  v = A' Ra' (d' - wa x d),  angles = A' vee((R - R') / 2),  w = A' Ra' (wb - wa)
//
// A: the bushing's axes. vee(A' R A) = A' vee(R), so that only vectors are turned by A.
#ifndef JN_ELEMENTS_BUSHING_H
#define JN_ELEMENTS_BUSHING_H

#include "elements/element.h"

enum {
  BUSHING_STIFFNESS = 0,
  BUSHING_DAMPING = 3,
  BUSHING_TURN_STIFFNESS = 6,
  BUSHING_TURN_DAMPING = 9,
  BUSHING_AXES = 12,  // columns: its axes; not there if they are the vehicle's
  BUSHING_FIELDS = 21
};

enum { BUSHING_SKEW = 1 };  // bits of `form`: it has axes of its own

#define BUSHING_OUTPUTS(X)                                   \
  X(fx, "N", "on the second body, along the bushing's axes") \
  X(fy, "N", "on the second body, along the bushing's axes") \
  X(fz, "N", "on the second body, along the bushing's axes")

JN_INLINE v3 bushing_law(el_numbers p, int stiffness, int damping, v3 x, v3 v)
{
  const v3 k = el_vector(p, stiffness), c = el_vector(p, damping);
  return v3_make(-r_fma(k.x, x.x, c.x * v.x), -r_fma(k.y, x.y, c.y * v.y),
                 -r_fma(k.z, x.z, c.z * v.z));
}

JN_INLINE el_load bushing_at(int form, el_numbers p, const el_motion *m)
{
  el_load o;
  v3 x = m->d, v = v3_sub(m->rate, v3_cross(m->wa, m->d)), w = v3_sub(m->wb, m->wa);
  m3 turn = m->rb;
  if (m->turned_a) {
    x = m3_tmul_v3(m->ra, x), v = m3_tmul_v3(m->ra, v), w = m3_tmul_v3(m->ra, w);
    turn = m->turned_b ? m3_tmul(m->ra, m->rb) : m3_transpose(m->ra);
  }
  v3 angle =
      v3_scale(r_set(0.5), v3_make(turn.z.y - turn.y.z, turn.x.z - turn.z.x, turn.y.x - turn.x.y));
  if (form & BUSHING_SKEW) {
    const m3 axes = el_matrix(p, BUSHING_AXES);
    x = m3_tmul_v3(axes, x), v = m3_tmul_v3(axes, v), w = m3_tmul_v3(axes, w);
    angle = m3_tmul_v3(axes, angle);
  }
  const v3 f = bushing_law(p, BUSHING_STIFFNESS, BUSHING_DAMPING, x, v);
  const v3 t = bushing_law(p, BUSHING_TURN_STIFFNESS, BUSHING_TURN_DAMPING, angle, w);
  o.force = f, o.moment = t;
  if (form & BUSHING_SKEW) {
    const m3 axes = el_matrix(p, BUSHING_AXES);
    o.force = m3_mul_v3(axes, o.force), o.moment = m3_mul_v3(axes, o.moment);
  }
  if (m->turned_a) o.force = m3_mul_v3(m->ra, o.force), o.moment = m3_mul_v3(m->ra, o.moment);
  o.power = v3_dot(f, v) + v3_dot(t, w);
  o.out[0] = f.x, o.out[1] = f.y, o.out[2] = f.z;
  return o;
}

#endif
