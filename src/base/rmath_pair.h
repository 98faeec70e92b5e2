// rmath_pair.h: what the functions of rmath.h share: numbers in two parts, rounding to integers,
// powers of two, polynomials.
//
// A pair is a sum hi + lo of two reals that is never rounded to one. It carries what a double
// cannot: the rest of a reduced angle, the low bits of a logarithm. Sources: T. J. Dekker, A
// floating-point technique for extending the available precision, Numer. Math. 18 (1971);
// D. E. Knuth, The Art of Computer Programming 2, 4.2.2.
#ifndef JN_BASE_RMATH_PAIR_H
#define JN_BASE_RMATH_PAIR_H

#include "base/real.h"

typedef struct r_pair {
  real hi, lo;
} r_pair;

// a + b exactly, for any two numbers (Knuth).
JN_INLINE r_pair r_two_sum(real a, real b)
{
  real s = a + b;
  real part = s - a;
  return (r_pair){s, (a - (s - part)) + (b - part)};
}

// a + b exactly, if |a| >= |b|, or a = 0, or a is a multiple of b's last bit (Dekker).
JN_INLINE r_pair r_fast_two_sum(real a, real b)
{
  real s = a + b;
  return (r_pair){s, b - (s - a)};
}

// a*b exactly, unless the product under- or overflows. Without a fused product the factors are cut
// in halves of 26 bits (Veltkamp, in Dekker 1971), which overflows above 2^996.
JN_INLINE r_pair r_two_prod(real a, real b)
{
  real p = a * b;
#if JN_FUSED
  return (r_pair){p, r_fma(a, b, -p)};
#else
  real ca = a * 0x1.0000002p27, cb = b * 0x1.0000002p27;
  real ah = ca - (ca - a), bh = cb - (cb - b);
  real al = a - ah, bl = b - bh;
  return (r_pair){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
#endif
}

// a*b to about 2^-104, each factor a pair.
JN_INLINE r_pair r_pair_mul(r_pair a, r_pair b)
{
  r_pair p = r_two_prod(a.hi, b.hi);
  p.lo = p.lo + r_fma(a.hi, b.lo, a.lo * b.hi);
  return p;
}

// a/b as a pair. One division: the remainder is brought in with the reciprocal already there.
JN_INLINE r_pair r_pair_div(r_pair a, r_pair b)
{
  real inv = r_set(1.0) / b.hi;
  real q = a.hi * inv;
  r_pair p = r_two_prod(q, b.hi);
  real rest = ((a.hi - p.hi) - p.lo) + (a.lo - q * b.lo);
  return (r_pair){q, rest * inv};
}

JN_INLINE r_pair r_pair_select(r_mask m, r_pair a, r_pair b)
{
  return (r_pair){r_select(m, a.hi, b.hi), r_select(m, a.lo, b.lo)};
}

// x with its sign turned where the sign bit of `sign` is set.
JN_INLINE real r_turn(real x, r_mask sign)
{
  return r_real(r_bits(x) ^ (sign & r_int(INT64_MIN)));
}

// Adding 3*2^51 puts the units of a number below 2^51 into the last bit of the sum, which so rounds
// it to an integer, halves to even, and leaves that integer, in two's complement, in the low bits.
#define R_UNITS 0x1.8p52

JN_INLINE real r_nearest(real x)
{
  return (x + R_UNITS) - R_UNITS;
}

// 2^n for an integer -1022 <= n <= 1023.
JN_INLINE real r_exp2i(real n)
{
  return r_real(r_shl(r_bits(n + (R_UNITS + 1023.0)), 52));
}

#ifdef __clang__
#define R_UNROLL _Pragma("clang loop unroll(full)")
#else
#define R_UNROLL _Pragma("GCC unroll 16")
#endif

// c[0] + c[1] x + ... + c[n-1] x^(n-1) for a constant n >= 3: neighbours in pairs, the pairs by
// Horner in x^2 (G. Estrin, 1960, one level of it). Half the latency of plain Horner for one more
// product, and as exact, because where signs alternate it is the neighbours that cancel.
JN_INLINE real r_poly(real x, const double *c, int n)
{
  real x2 = x * x;
  int i = n % 2 ? n - 1 : n - 2;
  real p = n % 2 ? r_set(c[i]) : r_fma(x, r_set(c[i + 1]), r_set(c[i]));
  R_UNROLL
  for (i -= 2; i >= 0; i -= 2) p = r_fma(p, x2, r_fma(x, r_set(c[i + 1]), r_set(c[i])));
  return p;
}

#endif
