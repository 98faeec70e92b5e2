// articulated.h: symmetric 6 x 6 inertias against `real`, in three blocks.
//
//   (moment)   [ j  h ] (angular)
//   (force ) = [ h' m ] (linear )
#ifndef JN_SOLVE_GENERAL_ARTICULATED_H
#define JN_SOLVE_GENERAL_ARTICULATED_H

#include "solve/data.h"

JN_INLINE ai ai_from_rigid(si i)
{
  const real zero = r_set(0.0);
  ai a = {i.j, m3_skew(i.h), s3_make(i.m, i.m, i.m, zero, zero, zero)};
  return a;
}

JN_INLINE ai ai_add(ai a, ai b)
{
  ai c = {s3_add(a.j, b.j), m3_add(a.h, b.h), s3_add(a.m, b.m)};
  return c;
}

JN_INLINE sv ai_mul(ai a, sv v)
{
  return sv_make(v3_add(s3_mul_v3(a.j, v.a), m3_mul_v3(a.h, v.l)),
                 v3_add(m3_tmul_v3(a.h, v.a), s3_mul_v3(a.m, v.l)));
}

JN_INLINE ai ai_rotate(m3 r, ai a)
{
  const ai b = {s3_rotate(r, a.j), m3_mult(m3_mul(r, a.h), r), s3_rotate(r, a.m)};
  return b;
}

// a - f g' with f g' symmetric in sum: used as a - sum of u_i w_i' where w = D^-1 u.
JN_INLINE s3 s3_less_outer(s3 s, v3 f, v3 g)
{
  return s3_make(r_fma(-f.x, g.x, s.xx), r_fma(-f.y, g.y, s.yy), r_fma(-f.z, g.z, s.zz),
                 r_fma(-f.x, g.y, s.xy), r_fma(-f.x, g.z, s.xz), r_fma(-f.y, g.z, s.yz));
}

JN_INLINE m3 m3_less_outer(m3 a, v3 f, v3 g)
{
  return m3_rows(v3_axpy(-f.x, g, a.x), v3_axpy(-f.y, g, a.y), v3_axpy(-f.z, g, a.z));
}

// One term of U D^-1 U', with w the matching row of D^-1 U'. Only the sum over all terms is symmetric,
// and only the upper triangles of j and m are kept, which is all there is to it.
JN_INLINE ai ai_less_outer(ai a, sv u, sv w)
{
  ai c = {s3_less_outer(a.j, u.a, w.a), m3_less_outer(a.h, u.a, w.l), s3_less_outer(a.m, u.l, w.l)};
  return c;
}

// The same, referred to O + r instead of O. With R = skew(r), motions go from O + r to O by [1 0; R 1], so
//
//   m -> m,  h -> h - R m,  j -> j + h R - R (h - R m)'
JN_INLINE ai ai_shift(ai a, v3 r)
{
  const m3 cross = m3_skew(r), m = s3_full(a.m);
  const m3 h = m3_sub(a.h, m3_mul(cross, m));  // h - R m
  const m3 k = m3_mul(a.h, cross);             // h R
  const m3 l = m3_mult(cross, h);              // R (h - R m)'
  const m3 j = m3_sub(m3_add(s3_full(a.j), k), l);
  const real half = r_set(0.5);
  ai c = {s3_make(j.x.x, j.y.y, j.z.z, half * (j.x.y + j.y.x), half * (j.x.z + j.z.x),
                  half * (j.y.z + j.z.y)),
          h, a.m};
  return c;
}

#endif
