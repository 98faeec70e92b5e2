// rmath_exp.h: exponential, logarithm, power, hyperbolic tangent. Included through rmath.h.
#ifndef JN_BASE_RMATH_EXP_H
#define JN_BASE_RMATH_EXP_H

#include <float.h>

#include "base/rmath_pair.h"

#define R_INF __builtin_inf()
#define R_NAN __builtin_nan("")

// ln 2: the first part has 42 bits, so that its product with an exponent (11 bits) is exact.
#define R_LN2_HI 0x1.62e42fefa38p-1
#define R_LN2_LO 0x1.ef35793c7673p-45

#define R_2_3_HI 0x1.5555555555555p-1  // 2/3
#define R_2_3_LO 0x1.5555555555555p-55

// Polynomials: minimax, coefficients chosen among doubles (Sollya's fpminimax), by
// test/base/rmath/polynomials.sollya. The leading terms are given, not fitted.
// clang-format off
static const double r_exp_c[11] = {  // (exp r - 1 - r)/r^2, |r| <= ln(2)/2; exp r - 1 to 2^-61.5
  0x1p-1,                0x1.5555555555559p-3,  0x1.555555555554dp-5,  0x1.111111110f65p-7,
  0x1.6c16c16c1ab03p-10, 0x1.a01a01b006f0fp-13, 0x1.a01a018e0e62ap-16, 0x1.71ddf80375397p-19,
  0x1.27e513358fe29p-22, 0x1.af5f4631e07b4p-26, 0x1.1f1a49429c4d9p-29};
// (2 atanh s - 2 s - 2/3 s^3)/s^5 in s^2, |s| <= (sqrt 2 - 1)/(sqrt 2 + 1); 2 atanh s to 2^-66.2
static const double r_log_c[7] = {
  0x1.9999999999b2fp-2,  0x1.2492492457f51p-2,  0x1.c71c722d3a9d8p-3,  0x1.745ce9f236c11p-3,
  0x1.3b1ee966f24f7p-3,  0x1.0f80262b88989p-3,  0x1.0e40838e8feb2p-3};
// clang-format on

// exp(x) - 1 = 2^n (1 + r + rest) - 1, |r| <= ln(2)/2 and a little: Cody, Waite (1980) for n and r.
typedef struct r_exp_parts {
  real n, r, rest;
} r_exp_parts;

JN_INLINE real r_exp_n(real x)
{
  return r_nearest(x * 0x1.71547652b82fep+0);
}

// The parts of x, given n and x - n R_LN2_HI.
JN_INLINE r_exp_parts r_exp_rest(real n, r_pair high)
{
  real r = r_fma(-n, r_set(R_LN2_LO), high.hi);
  real lo = r_fma(-n, r_set(R_LN2_LO), high.hi - r) + high.lo;
  return (r_exp_parts){n, r, r_fma(r * r, r_poly(r, r_exp_c, 11), lo)};
}

JN_INLINE r_exp_parts r_exp_split(real x)
{
  real n = r_exp_n(x);
  return r_exp_rest(n, (r_pair){r_fma(-n, r_set(R_LN2_HI), x), r_set(0.0)});
}

// The low part of x counts up to 2^-44, too much to be added to exp r as if exp r were 1.
JN_INLINE r_exp_parts r_exp_split_pair(r_pair x)
{
  real n = r_exp_n(x.hi);
  return r_exp_rest(n, r_fast_two_sum(r_fma(-n, r_set(R_LN2_HI), x.hi), x.lo));
}

// exp(x) of its parts, -1600 <= n <= 1600. 2^n comes in two factors: one would not do for the
// denormals, into which the second product then rounds once.
JN_INLINE real r_exp_join(r_exp_parts e)
{
  real half = r_nearest(0.5 * e.n);
  return (1.0 + (e.r + e.rest)) * r_exp2i(half) * r_exp2i(e.n - half);
}

JN_INLINE real r_exp(real x)
{
  x = r_min(r_set(800.0), r_max(x, r_set(-800.0)));  // far in 0 and infinity; NaN stays
  return r_exp_join(r_exp_split(x));
}

// exp(x) - 1 as a pair, for -64 <= x and n <= 1023. The three terms are summed so that for n = 0
// the result is r + rest, and for n = 1 nothing is lost in 2^n (1 + r) - 1.
JN_INLINE r_pair r_expm1_parts(r_exp_parts e)
{
  real scale = r_exp2i(e.n);
  r_pair s = r_fast_two_sum(scale - 1.0, scale * e.r);
  return r_fast_two_sum(s.hi, r_fma(scale, e.rest, s.lo));
}

JN_INLINE real r_expm1(real x)
{
  real in = r_min(r_set(800.0), r_max(x, r_set(-64.0)));  // exp(-64) is nothing next to 1
  r_exp_parts e = r_exp_split(in);
  real n = e.n;
  e.n = r_min(r_set(1023.0), n);
  return r_copysign(r_expm1_parts(e).hi * r_exp2i(n - e.n), x);
}

// (1 - exp(-2|x|)) / (1 + exp(-2|x|)), both as pairs.
JN_INLINE real r_tanh(real x)
{
  real a = r_min(r_set(22.0), r_abs(x));
  r_pair m = r_expm1_parts(r_exp_split(-2.0 * a));
  r_pair plus = r_fast_two_sum(r_set(2.0), m.hi);
  r_pair t = r_pair_div(m, (r_pair){plus.hi, plus.lo + m.lo});
  return r_copysign(t.hi + t.lo, x);
}

// x = 2^k m, sqrt(1/2) <= m < sqrt(2), for x > 0, denormals too; anything for other x.
typedef struct r_log_parts {
  real k, m;
} r_log_parts;

JN_INLINE r_log_parts r_log_split(real x)
{
  const int64_t one = 0x3ff0000000000000, root_half = 0x3fe6a09e667f3bcd;
  r_mask tiny = r_lt(x, r_set(DBL_MIN));
  r_mask bits = r_bits(r_select(tiny, x * 0x1p54, x));
  r_mask biased = r_shr(r_iadd(bits, r_int(one - root_half)), 52);  // k + 1023
  real m = r_real(r_iadd(r_isub(bits, r_shl(biased, 52)), r_int(one)));
  real k = r_real((biased & r_int(4095)) | r_bits(r_set(0x1p52))) - (0x1p52 + 1023.0);
  return (r_log_parts){r_select(tiny, k - 54.0, k), m};
}

// ln(2^k (1 + f)) + lo. With s = f/(2 + f), ln(1 + f) = 2 atanh s = 2 s + s R(s^2), and
// 2 s = f - s f, so that
//   ln(1 + f) = f - (f^2/2 - s (f^2/2 + R)),
// in which the leading term f bears no rounding (as in P. T. P. Tang, ACM TOMS 16 (1990), and
// Sun's fdlibm).
JN_INLINE real r_log_sum(real k, real f, real lo)
{
  real s = f / (2.0 + f);
  real z = s * s;
  real big_r = z * r_fma(z, r_poly(z, r_log_c, 7), r_set(R_2_3_HI));
  real half = 0.5 * f * f;
  real low = r_fma(k, r_set(R_LN2_LO), lo);
  return r_fma(k, r_set(R_LN2_HI), f - (half - r_fma(s, half + big_r, low)));
}

// ln's ends: x is 0, infinite, negative or NaN.
JN_INLINE real r_log_ends(real ln, real x)
{
  ln = r_select(r_eq(x, r_set(R_INF)), x, ln);
  ln = r_select(r_eq(x, r_set(0.0)), r_set(-R_INF), ln);
  return r_select(r_le(r_set(0.0), x), ln, r_set(R_NAN));
}

JN_INLINE real r_log(real x)
{
  r_log_parts p = r_log_split(x);
  return r_log_ends(r_log_sum(p.k, p.m - 1.0, r_set(0.0)), x);
}

// ln(1 + x), the sum as a pair u. Where k = 0, f comes out as x itself and nothing is left over;
// elsewhere what is left is below a quarter ulp of the result, and is added as it stands.
JN_INLINE real r_log1p(real x)
{
  r_pair u = r_two_sum(r_set(1.0), x);
  r_log_parts p = r_log_split(u.hi);
  real scale = r_exp2i(-r_min(p.k, r_set(1022.0)));  // above, u.lo is nothing next to u.hi
  r_pair f = r_fast_two_sum(p.m - 1.0, u.lo * scale);
  return r_copysign(r_log_ends(r_log_sum(p.k, f.hi, f.lo), u.hi), x);
}

// ln x as a pair, x > 0 and finite, to about 2^-65 of itself: 2 s + s^3 (2/3 + s^2 Q(s^2)) with all
// but Q in pairs. s^2 Q is 2^-6.4 at most, and s^3 another 2^-6.7 of the result.
JN_INLINE r_pair r_log_pair(real x)
{
  r_log_parts p = r_log_split(x);
  r_pair s = r_pair_div((r_pair){p.m - 1.0, r_set(0.0)}, r_fast_two_sum(r_set(1.0), p.m));
  r_pair z = r_pair_mul(s, s);
  r_pair c = r_fast_two_sum(r_set(R_2_3_HI), z.hi * r_poly(z.hi, r_log_c, 7));
  c.lo = c.lo + R_2_3_LO;
  r_pair cube = r_pair_mul(s, r_pair_mul(z, c));
  r_pair ln_m = r_fast_two_sum(2.0 * s.hi, cube.hi);
  ln_m.lo = ln_m.lo + r_fma(r_set(2.0), s.lo, cube.lo);
  r_pair sum = r_fast_two_sum(p.k * R_LN2_HI, ln_m.hi);
  sum.lo = sum.lo + r_fma(p.k, r_set(R_LN2_LO), ln_m.lo);
  return r_fast_two_sum(sum.hi, sum.lo);
}

// All ones where a >= 0 is an integer; infinity is one.
JN_INLINE r_mask r_is_integer(real a)
{
  return r_eq((a + 0x1p52) - 0x1p52, a) | r_le(r_set(0x1p52), a);
}

// |x|^y = exp(y ln |x|), then C's table of special cases (C17, F.10.4.4).
JN_INLINE real r_pow(real x, real y)
{
  const real zero = r_set(0.0), one = r_set(1.0), inf = r_set(R_INF);
  real a = r_abs(x);
  // Above 2^65 any |x| but 1 gives 0 or infinity, and here nothing overflows on the way.
  real e = r_min(r_set(0x1p65), r_max(y, r_set(-0x1p65)));
  r_pair ln = r_log_pair(a);
  r_pair t = r_two_prod(e, ln.hi);
  t.lo = r_fma(e, ln.lo, t.lo);
  r_mask inside = r_le(r_abs(t.hi), r_set(800.0));
  t.hi = r_min(r_set(800.0), r_max(t.hi, r_set(-800.0)));
  t.lo = r_select(inside, t.lo, zero);
  real p = r_exp_join(r_exp_split_pair(t));

  r_mask end = r_eq(a, zero) | r_eq(a, inf);
  p = r_select(end, r_select(r_eq(a, zero) ^ r_lt(y, zero), zero, inf), p);

  r_mask minus = r_lt(r_copysign(one, x), zero);
  r_mask whole = r_is_integer(r_abs(y)), even = r_is_integer(0.5 * r_abs(y));
  p = r_turn(p, minus & whole & ~even);
  p = r_select(r_lt(x, zero) & ~end & ~whole, r_set(R_NAN), p);
  p = r_select(r_eq(x, x) & r_eq(y, y), p, r_set(R_NAN));
  return r_select(r_eq(y, zero) | r_eq(x, one), one, p);
}

#endif
