// m3.h: 3 x 3 matrices against `real`. An m3 is three rows, so that nine reals in memory are
// row-major and a.y.z is the element in row y, column z. An s3 is a symmetric one in six numbers.
#ifndef JN_BASE_M3_H
#define JN_BASE_M3_H

#include "base/v3.h"

typedef struct m3 {
  v3 x, y, z;  // rows
} m3;

typedef struct s3 {
  real xx, yy, zz, xy, xz, yz;  // matrix elements, in the order of a file's `inertia`
} s3;

JN_INLINE m3 m3_rows(v3 x, v3 y, v3 z)
{
  m3 a = {x, y, z};
  return a;
}

JN_INLINE m3 m3_columns(v3 x, v3 y, v3 z)
{
  return m3_rows(v3_make(x.x, y.x, z.x), v3_make(x.y, y.y, z.y), v3_make(x.z, y.z, z.z));
}

JN_INLINE v3 m3_column(m3 a, int k)
{
  return k == 0   ? v3_make(a.x.x, a.y.x, a.z.x)
         : k == 1 ? v3_make(a.x.y, a.y.y, a.z.y)
                  : v3_make(a.x.z, a.y.z, a.z.z);
}

JN_INLINE m3 m3_identity(void)
{
  return m3_rows(v3_set(1, 0, 0), v3_set(0, 1, 0), v3_set(0, 0, 1));
}

JN_INLINE m3 m3_transpose(m3 a)
{
  return m3_columns(a.x, a.y, a.z);
}

JN_INLINE m3 m3_add(m3 a, m3 b)
{
  return m3_rows(v3_add(a.x, b.x), v3_add(a.y, b.y), v3_add(a.z, b.z));
}

JN_INLINE m3 m3_sub(m3 a, m3 b)
{
  return m3_rows(v3_sub(a.x, b.x), v3_sub(a.y, b.y), v3_sub(a.z, b.z));
}

JN_INLINE m3 m3_scale(real s, m3 a)
{
  return m3_rows(v3_scale(s, a.x), v3_scale(s, a.y), v3_scale(s, a.z));
}

JN_INLINE v3 m3_mul_v3(m3 a, v3 b)  // A b
{
  return v3_make(v3_dot(a.x, b), v3_dot(a.y, b), v3_dot(a.z, b));
}

JN_INLINE v3 m3_tmul_v3(m3 a, v3 b)  // A' b
{
  return v3_axpy(b.z, a.z, v3_axpy(b.y, a.y, v3_scale(b.x, a.x)));
}

JN_INLINE m3 m3_mul(m3 a, m3 b)  // A B: each row of A picks rows of B
{
  return m3_rows(m3_tmul_v3(b, a.x), m3_tmul_v3(b, a.y), m3_tmul_v3(b, a.z));
}

JN_INLINE m3 m3_tmul(m3 a, m3 b)  // A' B
{
  return m3_mul(m3_transpose(a), b);
}

JN_INLINE m3 m3_mult(m3 a, m3 b)  // A B'
{
  return m3_rows(m3_mul_v3(b, a.x), m3_mul_v3(b, a.y), m3_mul_v3(b, a.z));
}

JN_INLINE m3 m3_skew(v3 a)  // skew(a) b = a x b
{
  const real zero = r_set(0.0);
  return m3_rows(v3_make(zero, -a.z, a.y), v3_make(a.z, zero, -a.x), v3_make(-a.y, a.x, zero));
}

JN_INLINE m3 m3_outer(v3 a, v3 b)  // a b'
{
  return m3_rows(v3_scale(a.x, b), v3_scale(a.y, b), v3_scale(a.z, b));
}

// Rotation about the unit vector a by the angle whose cosine and sine are given (Rodrigues):
//
//   R = cos I + sin skew(a) + (1 - cos) a a'
JN_INLINE m3 m3_about(v3 a, real cosine, real sine)
{
  v3 t = v3_scale(r_set(1.0) - cosine, a), s = v3_scale(sine, a);
  return m3_rows(v3_make(r_fma(t.x, a.x, cosine), r_fma(t.x, a.y, -s.z), r_fma(t.x, a.z, s.y)),
                 v3_make(r_fma(t.x, a.y, s.z), r_fma(t.y, a.y, cosine), r_fma(t.y, a.z, -s.x)),
                 v3_make(r_fma(t.x, a.z, -s.y), r_fma(t.y, a.z, s.x), r_fma(t.z, a.z, cosine)));
}

// ---- Symmetric matrices ----

JN_INLINE s3 s3_make(real xx, real yy, real zz, real xy, real xz, real yz)
{
  s3 a = {xx, yy, zz, xy, xz, yz};
  return a;
}

JN_INLINE m3 s3_full(s3 a)
{
  return m3_rows(v3_make(a.xx, a.xy, a.xz), v3_make(a.xy, a.yy, a.yz), v3_make(a.xz, a.yz, a.zz));
}

JN_INLINE s3 s3_add(s3 a, s3 b)
{
  return s3_make(a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz);
}

JN_INLINE s3 s3_sub(s3 a, s3 b)
{
  return s3_make(a.xx - b.xx, a.yy - b.yy, a.zz - b.zz, a.xy - b.xy, a.xz - b.xz, a.yz - b.yz);
}

JN_INLINE s3 s3_scale(real s, s3 a)
{
  return s3_make(s * a.xx, s * a.yy, s * a.zz, s * a.xy, s * a.xz, s * a.yz);
}

JN_INLINE v3 s3_mul_v3(s3 a, v3 b)
{
  return m3_mul_v3(s3_full(a), b);
}

// (a.b) I - (a b' + b a') / 2, symmetric in a and b. With a = m b it is the inertia about the
// origin of a point mass at b; its mixed terms are what a change of the reference point needs.
JN_INLINE s3 s3_inertia(v3 a, v3 b)
{
  const real half = r_set(-0.5);
  real xx = a.x * b.x, yy = a.y * b.y, zz = a.z * b.z;
  return s3_make(yy + zz, xx + zz, xx + yy, half * r_fma(a.x, b.y, a.y * b.x),
                 half * r_fma(a.x, b.z, a.z * b.x), half * r_fma(a.y, b.z, a.z * b.y));
}

// R A R': a symmetric tensor carried by a rotation. Six elements are computed, so that it stays
// symmetric to the last bit.
JN_INLINE s3 s3_rotate(m3 r, s3 a)
{
  m3 t = m3_mul(r, s3_full(a));
  return s3_make(v3_dot(t.x, r.x), v3_dot(t.y, r.y), v3_dot(t.z, r.z), v3_dot(t.x, r.y),
                 v3_dot(t.x, r.z), v3_dot(t.y, r.z));
}

#endif
