// rmath_trig.h: sine, cosine, tangent and their inverses. Included through rmath.h.
#ifndef JN_BASE_RMATH_TRIG_H
#define JN_BASE_RMATH_TRIG_H

#include "base/rmath_pair.h"
#include "base/rmath_two_over_pi.h"

#define R_PI_HI  0x1.921fb54442d18p+1
#define R_PI_LO  0x1.1a62633145c07p-53
#define R_PI2_HI 0x1.921fb54442d18p+0  // pi/2
#define R_PI2_LO 0x1.1a62633145c07p-54

// Up to here r_sincos_near reduces with three constants, and the other functions choose it too.
#define R_NEAR 1e5

// Polynomials: minimax, coefficients chosen among doubles (Sollya's fpminimax), by
// test/base/rmath/polynomials.sollya. The leading terms are given, not fitted.
// clang-format off
static const double r_sin_c[6] = {  // (sin r - r)/r^3 in r^2, |r| <= pi/4; sin to 2^-57.8
  -0x1.5555555555548p-3,  0x1.111111110f76p-7,   -0x1.a01a019bf2b7dp-13, 0x1.71de355fa4c72p-19,
  -0x1.ae5e550039428p-26, 0x1.5d8e624f8bcc2p-33};
static const double r_cos_c[7] = {  // (cos r - 1)/r^2 in r^2, |r| <= pi/4; cos to 2^-64.0
  -0x1p-1,                0x1.555555555554bp-5,  -0x1.6c16c16c1504cp-10, 0x1.a01a019c97a14p-16,
  -0x1.27e4f7f911fc7p-22, 0x1.1ee9e17e7e358p-29, -0x1.8fa9a74b9cc6ep-37};
static const double r_asin_c[12] = {  // (asin r - r)/r^3 in r^2, |r| <= 1/2; asin to 2^-55.9
   0x1.555555555539p-3,   0x1.333333336e80fp-4,   0x1.6db6db427a4f8p-5,  0x1.f1c72c38fb342p-6,
   0x1.6e89f440197a8p-6,  0x1.1c6be1a68770bp-6,   0x1.c6fdc1aaa59bcp-7,  0x1.8ec2fca6002c5p-7,
   0x1.abcf5cd7f42b6p-8,  0x1.3ff4a9908979ep-6,  -0x1.09d3283354289p-6,  0x1.056d6c811bcb5p-5};
static const double r_atan_c[20] = {  // (atan r - r)/r^3 in r^2, |r| <= 1; atan to 2^-57.5
  -0x1.5555555555526p-2,  0x1.99999999955b4p-3,  -0x1.249249237f57dp-3,  0x1.c71c717fcf76dp-4,
  -0x1.745d11ae74c7ap-4,  0x1.3b13669a2a047p-4,  -0x1.110e5126fd02dp-4,  0x1.e1bba66c1a4b8p-5,
  -0x1.ae5e72c0e6984p-5,  0x1.82dad79d1736p-5,   -0x1.59a3ff2ac6667p-5,  0x1.2c2e5ccfd4e26p-5,
  -0x1.e9fa0da6643e9p-6,  0x1.683cc98472e13p-6,  -0x1.c78fcd542af16p-7,  0x1.d7b927bbdceedp-8,
  -0x1.7a399ad4364a2p-9,  0x1.b3facbcd7bb8ap-11, -0x1.3f364d4b9695cp-13, 0x1.bbed9f7b04237p-17};
// clang-format on

// An angle as quadrant * pi/2 + r, |r| <= pi/4 and a little.
typedef struct r_angle {
  r_pair r;
  r_mask quadrant;  // its two low bits count, the others are anything
} r_angle;

// For 0 <= x <= R_NEAR: W. J. Cody, W. Waite, Software Manual for the Elementary Functions (1980).
// pi/2 in parts of 37, 37 and 53 bits: n has at most 16, so its products with the first two are
// exact, fused or not. The low part keeps r right where x is next to a multiple of pi/2: over the
// domain r/n is at least 2^-67.8, and n times the third part is off by at most n 2^-129.
JN_INLINE r_angle r_reduce_near(real x)
{
  const real part1 = r_set(0x1.921fb5444p+0), part2 = r_set(0x1.68c234c4cp-39);
  const real part3 = r_set(0x1.98a2e03707345p-77);
  real units = r_fma(x, r_set(0x1.45f306dc9c883p-1), r_set(R_UNITS));
  real n = units - R_UNITS;
  real rest = r_fma(-n, part1, x);
  real hi = r_fma(-n, part2, rest);
  real lo = r_fma(-n, part3, r_fma(-n, part2, rest - hi));
  return (r_angle){{hi, lo}, r_bits(units)};
}

// x less the nearest multiple of 4, exactly, for |x| < 2^53.
JN_INLINE real r_modulo_4(real x)
{
  return x - ((x + 4.0 * R_UNITS) - 4.0 * R_UNITS);
}

// For x >= 1, infinity and NaN (both give NaN): y t modulo 4 as rmath_two_over_pi.h has it. The
// leading products, up to 2^85, lose their multiples of 4 at once, exactly. What is left is summed
// exactly from the large to the small, the integer taken off on the way. What remains for the tail
// is below 2^-75, or is the rounding of a sum that did not cancel: there a plain sum will do.
JN_INLINE r_angle r_reduce_huge(real x)
{
  r_mask bits = r_bits(x);
  r_mask row = r_shr(r_isub(bits, r_int(INT64_C(1023) << 52)), 57) & r_int(31);
  real y = r_real(r_isub(bits, r_shl(row, 57)));
  r_mask at = r_shl(row, 2);
  r_pair p0 = r_two_prod(y, r_gather(r_two_over_pi, at));
  r_pair p1 = r_two_prod(y, r_gather(r_two_over_pi + 1, at));
  r_pair p2 = r_two_prod(y, r_gather(r_two_over_pi + 2, at));
  real p3 = y * r_gather(r_two_over_pi + 3, at);

  real high = p0.hi - ((p0.hi + 0x1.8p88) - 0x1.8p88);  // less a multiple of 2^36: below 2^36
  r_pair s = r_two_sum(r_modulo_4(high), r_modulo_4(p0.lo));
  r_pair t = r_two_sum(s.hi, r_modulo_4(p1.hi));
  real units = t.hi + R_UNITS;
  r_pair a = r_two_sum(t.hi - (units - R_UNITS), p1.lo);
  r_pair b = r_two_sum(a.hi, p2.hi);
  r_pair c = r_two_sum(s.lo, t.lo);
  r_pair d = r_two_sum(b.hi, c.hi);
  real tail = ((p2.lo + p3) + c.lo) + ((a.lo + b.lo) + d.lo);

  r_pair quarters = r_fast_two_sum(d.hi, tail);  // of a turn: at most a half and a little
  r_pair r = r_pair_mul(quarters, (r_pair){r_set(R_PI2_HI), r_set(R_PI2_LO)});
  return (r_angle){r_fast_two_sum(r.hi, r.lo), r_bits(units)};
}

JN_INLINE r_angle r_reduce(real x)
{
  r_angle near = r_reduce_near(x), huge = r_reduce_huge(r_max(x, r_set(1.0)));
  r_mask is_near = r_le(x, r_set(R_NEAR));
  return (r_angle){r_pair_select(is_near, near.r, huge.r),
                   (is_near & near.quadrant) | (~is_near & huge.quadrant)};
}

// sin r - r.hi for a reduced angle, z = r.hi^2
JN_INLINE real r_sin_rest(r_pair r, real z)
{
  return r_fma(r.hi * z, r_poly(z, r_sin_c, 6), r.lo);
}

typedef struct r_sin_cos {
  real sin, cos;
} r_sin_cos;

JN_INLINE r_sin_cos r_sincos_of(r_angle a, real x)
{
  real z = a.r.hi * a.r.hi;
  real s = a.r.hi + r_sin_rest(a.r, z);
  real c = 1.0 + r_fma(z, r_poly(z, r_cos_c, 7), -(a.r.hi * a.r.lo));
  r_mask odd = -(a.quadrant & r_int(1));
  r_mask sin_sign = r_shl(a.quadrant, 62) ^ r_bits(x);
  r_mask cos_sign = r_shl(r_iadd(a.quadrant, r_int(1)), 62);
  return (r_sin_cos){r_turn(r_select(odd, c, s), sin_sign), r_turn(r_select(odd, s, c), cos_sign)};
}

JN_INLINE r_sin_cos r_sincos_near(real x)
{
  return r_sincos_of(r_reduce_near(r_abs(x)), x);
}
JN_INLINE r_sin_cos r_sincos(real x)
{
  return r_sincos_of(r_reduce(r_abs(x)), x);
}
JN_INLINE real r_sin(real x)
{
  return r_sincos(x).sin;
}
JN_INLINE real r_cos(real x)
{
  return r_sincos(x).cos;
}

// sin/cos, or -cos/sin in the odd quadrants, both as pairs: three roundings, in sine, cosine and
// quotient, would come to more than 2 ulp. The cosine's second term, -z/2, is exact as well.
JN_INLINE real r_tan(real x)
{
  r_angle a = r_reduce(r_abs(x));
  r_pair z = r_two_prod(a.r.hi, a.r.hi);
  r_pair s = r_fast_two_sum(a.r.hi, r_sin_rest(a.r, z.hi));
  r_pair c = r_fast_two_sum(r_set(1.0), -0.5 * z.hi);
  real tail = r_fma(z.hi * z.hi, r_poly(z.hi, r_cos_c + 1, 6), -(a.r.hi * a.r.lo));
  c = r_fast_two_sum(c.hi, c.lo + (tail - 0.5 * z.lo));
  r_mask odd = -(a.quadrant & r_int(1));
  r_pair t = r_pair_div(r_pair_select(odd, c, s), r_pair_select(odd, s, c));
  return r_turn(t.hi + t.lo, odd ^ r_bits(x));
}

// asin and acos share asin s = s + rest for 0 <= s <= 1/2. Above 1/2,
//   asin x = pi/2 - 2 asin s,  s = sqrt((1 - x)/2),
// where 1 - x is exact. The constant is added to s first, to the rest then.
typedef struct r_arc {
  real s, rest;
  r_mask big;  // |x| > 1/2
} r_arc;

JN_INLINE r_arc r_arc_of(real x)
{
  real a = r_abs(x);
  r_mask big = r_lt(r_set(0.5), a);
  real z = r_select(big, 0.5 * (1.0 - a), a * a);
  real s = r_select(big, r_sqrt(z), a);
  real z2 = z * z;
  real p = r_fma(r_poly(z, r_asin_c + 6, 6), z2 * (z2 * z2), r_poly(z, r_asin_c, 6));
  return (r_arc){s, s * z * p, big};
}

JN_INLINE real r_asin(real x)
{
  r_arc a = r_arc_of(x);
  r_pair big = r_fast_two_sum(r_set(R_PI2_HI), -2.0 * a.s);
  big.lo = big.lo + (R_PI2_LO - 2.0 * a.rest);
  return r_copysign(r_select(a.big, big.hi, a.s) + r_select(a.big, big.lo, a.rest), x);
}

JN_INLINE real r_acos(real x)
{
  r_arc a = r_arc_of(x);
  r_mask minus = r_lt(x, r_set(0.0));
  // pi/2 - asin x; above 1/2 0 + 2 asin s, below -1/2 pi - 2 asin s
  real hi = r_select(a.big, r_select(minus, r_set(R_PI_HI), r_set(0.0)), r_set(R_PI2_HI));
  real lo = r_select(a.big, r_select(minus, r_set(R_PI_LO), r_set(0.0)), r_set(R_PI2_LO));
  real times = r_select(a.big, r_set(2.0), r_set(-1.0));
  times = r_select(minus, -times, times);
  return (hi + times * a.s) + (lo + times * a.rest);
}

// atan t = t + rest for 0 <= t <= 1
JN_INLINE real r_atan_rest(real t)
{
  real z = t * t, z2 = z * z, z4 = z2 * z2;
  real p = r_fma(r_poly(z, r_atan_c + 10, 10), z2 * (z4 * z4), r_poly(z, r_atan_c, 10));
  return t * z * p;
}

JN_INLINE real r_atan(real x)
{
  real a = r_abs(x);
  r_mask steep = r_lt(r_set(1.0), a);
  real t = r_select(steep, r_set(1.0), a) / r_select(steep, a, r_set(1.0));
  real rest = r_atan_rest(t);
  r_pair big = r_fast_two_sum(r_set(R_PI2_HI), -t);
  big.lo = big.lo + (R_PI2_LO - rest);
  return r_copysign(r_select(steep, big.hi, t) + r_select(steep, big.lo, rest), x);
}

// The angle of (x, y): atan of the smaller over the larger side, then added to or taken from 0,
// pi/2 or pi. Two equal sides are 1 even if infinite; both zero is the angle of the x axis, and the
// sign of x's zero decides which end.
JN_INLINE real r_atan2(real y, real x)
{
  real a = r_abs(y), b = r_abs(x);
  r_mask steep = r_lt(b, a), left = r_lt(r_copysign(r_set(1.0), x), r_set(0.0));
  real small = r_select(steep, b, a), large = r_select(steep, a, b);
  real equal = r_select(r_eq(large, r_set(0.0)), r_set(0.0), r_set(1.0));
  real t = r_select(r_eq(small, large), equal, small / large);
  real rest = r_atan_rest(t);
  real hi = r_select(steep, r_set(R_PI2_HI), r_select(left, r_set(R_PI_HI), r_set(0.0)));
  real lo = r_select(steep, r_set(R_PI2_LO), r_select(left, r_set(R_PI_LO), r_set(0.0)));
  r_mask minus = steep ^ left;
  r_pair sum = r_fast_two_sum(hi, r_turn(t, minus));
  return r_copysign(sum.hi + (sum.lo + (lo + r_turn(rest, minus))), y);
}

#endif
