// quat.h: rotations as unit quaternions, scalar first, against `real`.
//
// q = (w, e) with e = (x, y, z) turns body axes into world axes: v_w = R v_b and
//
//   R = (2 w^2 - 1) I + 2 e e' + 2 w skew(e)
//
// q and -q are the same rotation. (Euler parameters: Nikravesh, Computer-Aided Analysis of
// Mechanical Systems, 1988, ch. 6.)
#ifndef JN_BASE_QUAT_H
#define JN_BASE_QUAT_H

#include "base/m3.h"
#include "base/rmath.h"

typedef struct q4 {
  real w, x, y, z;
} q4;

JN_INLINE q4 q_make(real w, v3 e)
{
  q4 q = {w, e.x, e.y, e.z};
  return q;
}

JN_INLINE v3 q_vector(q4 q)  // e
{
  return v3_make(q.x, q.y, q.z);
}

JN_INLINE q4 q_load(const real *from)
{
  return q_make(from[0], v3_load(from + 1));
}

JN_INLINE void q_store(real *to, q4 q)
{
  to[0] = q.w;
  v3_store(to + 1, q_vector(q));
}

JN_INLINE q4 q_identity(void)
{
  return q_make(r_set(1.0), v3_set(0, 0, 0));
}

JN_INLINE q4 q_conj(q4 q)  // the opposite rotation
{
  return q_make(q.w, v3_neg(q_vector(q)));
}

JN_INLINE q4 q_scale(real s, q4 q)
{
  return q_make(s * q.w, v3_scale(s, q_vector(q)));
}

JN_INLINE q4 q_axpy(real s, q4 p, q4 q)  // s p + q
{
  return q_make(r_fma(s, p.w, q.w), v3_axpy(s, q_vector(p), q_vector(q)));
}

JN_INLINE real q_dot(q4 p, q4 q)
{
  return r_fma(p.w, q.w, v3_dot(q_vector(p), q_vector(q)));
}

// p q: first q, then p, so that R(p q) = R(p) R(q).
//
//   (w, e)(u, f) = (w u - e.f, w f + u e + e x f)
JN_INLINE q4 q_mul(q4 p, q4 q)
{
  v3 e = q_vector(p), f = q_vector(q);
  return q_make(r_fma(p.w, q.w, -v3_dot(e, f)),
                v3_cross_add(e, f, v3_axpy(p.w, f, v3_scale(q.w, e))));
}

JN_INLINE q4 q_normalise(q4 q)
{
  return q_scale(r_set(1.0) / r_sqrt(q_dot(q, q)), q);
}

JN_INLINE m3 q_to_m3(q4 q)
{
  v3 e = q_vector(q), d = v3_add(e, e), s = v3_scale(q.w, d);  // 2 e, 2 w e
  real c = r_fma(q.w + q.w, q.w, r_set(-1.0));                 // 2 w^2 - 1
  return m3_rows(v3_make(r_fma(d.x, e.x, c), r_fma(d.x, e.y, -s.z), r_fma(d.x, e.z, s.y)),
                 v3_make(r_fma(d.x, e.y, s.z), r_fma(d.y, e.y, c), r_fma(d.y, e.z, -s.x)),
                 v3_make(r_fma(d.x, e.z, -s.y), r_fma(d.y, e.z, s.x), r_fma(d.z, e.z, c)));
}

// R v without forming R: v + 2 w (e x v) + 2 e x (e x v).
JN_INLINE v3 q_rotate(q4 q, v3 v)
{
  v3 e = q_vector(q), t = v3_cross(e, v);
  t = v3_add(t, t);
  return v3_cross_add(e, t, v3_axpy(q.w, t, v));
}

JN_INLINE v3 q_rotate_back(q4 q, v3 v)  // R' v
{
  return q_rotate(q_conj(q), v);
}

// The rotation matrix R holds 4 q q' in sums and differences of its elements, one row for each
// component as the leading one (Shepperd 1978). Any row gives q up to its length; the one with the
// largest leading component, at least 1/2, loses no digits. All four are formed and one is
// selected, so that lanes need no branch. Returns w >= 0.
JN_INLINE q4 q_from_m3(m3 r)
{
  const real one = r_set(1.0);
  real wx = r.z.y - r.y.z, wy = r.x.z - r.z.x, wz = r.y.x - r.x.y;
  real xy = r.x.y + r.y.x, xz = r.x.z + r.z.x, yz = r.y.z + r.z.y;
  real ww = one + r.x.x + r.y.y + r.z.z, xx = one + r.x.x - r.y.y - r.z.z;
  real yy = one - r.x.x + r.y.y - r.z.z, zz = one - r.x.x - r.y.y + r.z.z;

  real most = ww;
  q4 q = q_make(ww, v3_make(wx, wy, wz));
  r_mask larger = r_lt(most, xx);
  most = r_select(larger, xx, most);
  q = q_make(r_select(larger, wx, q.w), v3_select(larger, v3_make(xx, xy, xz), q_vector(q)));
  larger = r_lt(most, yy);
  most = r_select(larger, yy, most);
  q = q_make(r_select(larger, wy, q.w), v3_select(larger, v3_make(xy, yy, yz), q_vector(q)));
  larger = r_lt(most, zz);
  q = q_make(r_select(larger, wz, q.w), v3_select(larger, v3_make(xz, yz, zz), q_vector(q)));

  real sign = r_select(r_lt(q.w, r_set(0.0)), -one, one);
  return q_scale(sign / r_sqrt(q_dot(q, q)), q);
}

// dq/dt for the angular velocity in body axes: q' = q (0, w_b) / 2.
JN_INLINE q4 q_rate_body(q4 q, v3 omega_b)
{
  return q_mul(q, q_make(r_set(0.0), v3_scale(r_set(0.5), omega_b)));
}

// dq/dt for the angular velocity in world axes: q' = (0, w_w) q / 2.
JN_INLINE q4 q_rate_world(q4 q, v3 omega_w)
{
  return q_mul(q_make(r_set(0.0), v3_scale(r_set(0.5), omega_w)), q);
}

// Rotation about the unit vector `axis`; cosine and sine of HALF the angle.
JN_INLINE q4 q_about(v3 axis, real cos_half, real sin_half)
{
  return q_make(cos_half, v3_scale(sin_half, axis));
}

// The rotation by |a| about a: (cos |a|/2, sin |a|/2 a/|a|). Near zero sin(t/2)/t is its series
// 1/2 - t^2/48; the next term, t^4/3840, is below 2^-64 of it where the series is taken. For |a| up
// to 2e5, the reach of r_sincos_near.
JN_INLINE q4 q_exp(v3 a)
{
  const real small = r_set(0x1p-27);
  real square = v3_dot(a, a), angle = r_sqrt(square), half = r_set(0.5) * angle;
  r_mask near = r_lt(square, small);
  r_sin_cos t = r_sincos_near(half);
  real ratio = t.sin / r_select(near, r_set(1.0), angle);
  ratio = r_select(near, r_fma(square, r_set(-1.0 / 48.0), r_set(0.5)), ratio);
  return q_make(t.cos, v3_scale(ratio, a));
}

// The rotation vector of q, of length at most pi: the inverse of q_exp. Near zero 2 atan(n/w)/n is
// its series 2/w (1 - n^2 / 3 w^2); the next term is n^4/5 of it.
JN_INLINE v3 q_log(q4 q)
{
  const real small = r_set(0x1p-27), zero = r_set(0.0);
  q = q_scale(r_select(r_lt(q.w, zero), r_set(-1.0), r_set(1.0)), q);
  v3 e = q_vector(q);
  real square = v3_dot(e, e), n = r_sqrt(square);
  r_mask near = r_lt(square, small);
  real two = r_set(2.0), inverse = r_set(1.0) / r_select(near, q.w, n);
  real far = two * r_atan2(n, q.w) * inverse;
  real t = square * inverse * inverse;
  real close = two * inverse * r_fma(t, r_set(-1.0 / 3.0), r_set(1.0));
  return v3_scale(r_select(near, close, far), e);
}

#endif
