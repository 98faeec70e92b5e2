// spatial.h: spatial vectors and rigid-body inertia against `real`.
//
// All quantities are referred to one common point O and one set of axes ("velocity state",
// [RTRD]; Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 2). A motion is (angular
// velocity, velocity of the body's point that is at O), a force is (moment about O, force). Both
// are an `sv`; their scalar product is power, and it does not depend on O.
#ifndef JN_BASE_SPATIAL_H
#define JN_BASE_SPATIAL_H

#include "base/m3.h"

typedef struct sv {
  v3 a;  // angular velocity, or moment about O
  v3 l;  // velocity at O, or force
} sv;

// Mass, first moment and inertia about O: what adds up when bodies are joined.
typedef struct si {
  real m;  // mass                                   [kg]
  v3 h;    // first moment m c, c from O to the cg   [kg m]
  s3 j;    // inertia about O                        [kg m^2]
} si;

JN_INLINE sv sv_make(v3 angular, v3 linear)
{
  sv s = {angular, linear};
  return s;
}

JN_INLINE sv sv_neg(sv s)
{
  return sv_make(v3_neg(s.a), v3_neg(s.l));
}

JN_INLINE sv sv_add(sv s, sv t)
{
  return sv_make(v3_add(s.a, t.a), v3_add(s.l, t.l));
}

JN_INLINE sv sv_sub(sv s, sv t)
{
  return sv_make(v3_sub(s.a, t.a), v3_sub(s.l, t.l));
}

JN_INLINE sv sv_scale(real k, sv s)
{
  return sv_make(v3_scale(k, s.a), v3_scale(k, s.l));
}

JN_INLINE sv sv_axpy(real k, sv s, sv t)  // k s + t
{
  return sv_make(v3_axpy(k, s.a, t.a), v3_axpy(k, s.l, t.l));
}

JN_INLINE real sv_dot(sv motion, sv force)  // power
{
  return v3_dot(motion.a, force.a) + v3_dot(motion.l, force.l);
}

// v x m: the rate of a motion m that is carried along with v (Featherstone 2.31).
JN_INLINE sv sv_crm(sv v, sv m)
{
  return sv_make(v3_cross(v.a, m.a), v3_cross_add(v.a, m.l, v3_cross(v.l, m.a)));
}

// v x* f: the same for a force (Featherstone 2.32). As matrices crf(v) = -crm(v)', so that power is
// carried along unchanged.
JN_INLINE sv sv_crf(sv v, sv f)
{
  return sv_make(v3_cross_add(v.a, f.a, v3_cross(v.l, f.l)), v3_cross(v.a, f.l));
}

// The same motion or force, referred to O + r instead of O.
JN_INLINE sv sv_shift_motion(sv m, v3 r)
{
  return sv_make(m.a, v3_cross_add(m.a, r, m.l));
}

JN_INLINE sv sv_shift_force(sv f, v3 r)
{
  return sv_make(v3_cross_add(f.l, r, f.a), f.l);  // n - r x f
}

// The same in other axes: R maps the axes of s to the new ones.
JN_INLINE sv sv_rotate(m3 r, sv s)
{
  return sv_make(m3_mul_v3(r, s.a), m3_mul_v3(r, s.l));
}

JN_INLINE sv sv_rotate_back(m3 r, sv s)
{
  return sv_make(m3_tmul_v3(r, s.a), m3_tmul_v3(r, s.l));
}

// ---- Rigid-body inertia ----

JN_INLINE si si_make(real mass, v3 first_moment, s3 inertia)
{
  si i = {mass, first_moment, inertia};
  return i;
}

// From the centre of gravity c and the inertia about it: j = j_c + m (c.c I - c c')  (Steiner).
JN_INLINE si si_from_cg(real mass, v3 c, s3 inertia_c)
{
  v3 h = v3_scale(mass, c);
  return si_make(mass, h, s3_add(inertia_c, s3_inertia(h, c)));
}

JN_INLINE si si_add(si i, si k)
{
  return si_make(i.m + k.m, v3_add(i.h, k.h), s3_add(i.j, k.j));
}

// Momentum about O of the body moving with v (Featherstone 2.63):
//
//   (j w + h x v, m v - h x w)
JN_INLINE sv si_mul(si i, sv v)
{
  return sv_make(v3_cross_add(i.h, v.l, s3_mul_v3(i.j, v.a)),
                 v3_cross_add(v.a, i.h, v3_scale(i.m, v.l)));
}

// The same body, referred to O + r. With c -> c - r, and without ever dividing by the mass, which a
// massless link does not have:
//
//   h -> h - m r,   j -> j - m (c.c I - c c') + m ((c-r).(c-r) I - (c-r)(c-r)')
//                     = j - 2 B(h, r) + B(m r, r),   B(a, b) = (a.b) I - (a b' + b a') / 2
JN_INLINE si si_shift(si i, v3 r)
{
  v3 mr = v3_scale(i.m, r), d = v3_sub(v3_sub(mr, i.h), i.h);
  return si_make(i.m, v3_sub(i.h, mr), s3_add(i.j, s3_inertia(d, r)));
}

// The same body in other axes: the congruence diag(R, R) I diag(R, R)'.
JN_INLINE si si_rotate(m3 r, si i)
{
  return si_make(i.m, m3_mul_v3(r, i.h), s3_rotate(r, i.j));
}

#endif
