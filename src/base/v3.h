// v3.h: vectors in space, against `real`.
//
// Products are fused (r_fma) in a fixed order. One consequence: a x a is not exactly zero but
// within half an ulp of its products, as is a x b + b x a.
#ifndef JN_BASE_V3_H
#define JN_BASE_V3_H

#include "base/real.h"

typedef struct v3 {
  real x, y, z;
} v3;

JN_INLINE v3 v3_make(real x, real y, real z)
{
  v3 a = {x, y, z};
  return a;
}

JN_INLINE v3 v3_set(double x, double y, double z)  // the same in every lane
{
  return v3_make(r_set(x), r_set(y), r_set(z));
}

JN_INLINE v3 v3_load(const real *from)
{
  return v3_make(from[0], from[1], from[2]);
}

JN_INLINE void v3_store(real *to, v3 a)
{
  to[0] = a.x;
  to[1] = a.y;
  to[2] = a.z;
}

JN_INLINE v3 v3_neg(v3 a)
{
  return v3_make(-a.x, -a.y, -a.z);
}

JN_INLINE v3 v3_add(v3 a, v3 b)
{
  return v3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

JN_INLINE v3 v3_sub(v3 a, v3 b)
{
  return v3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

JN_INLINE v3 v3_scale(real s, v3 a)
{
  return v3_make(s * a.x, s * a.y, s * a.z);
}

JN_INLINE v3 v3_axpy(real s, v3 a, v3 b)  // s a + b
{
  return v3_make(r_fma(s, a.x, b.x), r_fma(s, a.y, b.y), r_fma(s, a.z, b.z));
}

JN_INLINE real v3_dot(v3 a, v3 b)
{
  return r_fma(a.z, b.z, r_fma(a.y, b.y, a.x * b.x));
}

JN_INLINE v3 v3_cross(v3 a, v3 b)
{
  return v3_make(r_fma(a.y, b.z, -(a.z * b.y)), r_fma(a.z, b.x, -(a.x * b.z)),
                 r_fma(a.x, b.y, -(a.y * b.x)));
}

JN_INLINE v3 v3_cross_add(v3 a, v3 b, v3 c)  // a x b + c: a point's velocity, a moment's shift
{
  return v3_make(r_fma(a.y, b.z, r_fma(-a.z, b.y, c.x)), r_fma(a.z, b.x, r_fma(-a.x, b.z, c.y)),
                 r_fma(a.x, b.y, r_fma(-a.y, b.x, c.z)));
}

JN_INLINE real v3_norm(v3 a)
{
  return r_sqrt(v3_dot(a, a));
}

JN_INLINE v3 v3_unit(v3 a)  // of length 1; a zero vector has no direction and gives NaN
{
  return v3_scale(r_set(1.0) / v3_norm(a), a);
}

JN_INLINE v3 v3_select(r_mask m, v3 a, v3 b)  // a where m, else b
{
  return v3_make(r_select(m, a.x, b.x), r_select(m, a.y, b.y), r_select(m, a.z, b.z));
}

#endif
