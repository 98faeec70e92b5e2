// real.h: the number that kernels are written against.
//
// A kernel is one source, compiled twice: with JN_WIDTH 1 a `real` is a double and serves any
// model; with JN_WIDTH 4 it is four doubles in one 256-bit vector (GNU vector extensions), and a
// lane is one of four like subsystems or one of four vehicles. Every operation below gives a lane
// the very bits that width 1 gives, so the narrow kernel is the oracle of the wide one.
//
// Rules for kernel code: no branch on a lane's value (compare to a mask, then r_select), no libm,
// fused products only where r_fma says so. With JN_FUSED 0 (CPUs without FMA) r_fma rounds twice:
// other bits, equally reproducible.
#ifndef JN_BASE_REAL_H
#define JN_BASE_REAL_H

#include <stdint.h>
#include <string.h>

#ifndef JN_WIDTH
#define JN_WIDTH 1
#endif

#ifndef JN_FUSED
#if defined __FP_FAST_FMA || defined __FMA__  // clang says only the second
#define JN_FUSED 1
#else
#define JN_FUSED 0
#endif
#endif

#ifdef JN_LISTS_ONLY  // a build that checks, not one that is fast: kernels are called
#define JN_INLINE static inline __attribute__((unused))
#else
#define JN_INLINE static inline __attribute__((always_inline, unused))
#endif

#if JN_WIDTH == 1

typedef double real;
typedef int64_t r_mask;   // all ones where true; also the bits of a real
typedef uint64_t r_word;  // the same bits where they must wrap or shift

JN_INLINE real r_set(double x)
{
  return x;
}
JN_INLINE r_mask r_bits(real x)
{
  r_mask k;
  memcpy(&k, &x, sizeof k);
  return k;
}
JN_INLINE real r_real(r_mask k)
{
  real x;
  memcpy(&x, &k, sizeof x);
  return x;
}
JN_INLINE r_mask r_int(int64_t k)
{
  return k;
}
JN_INLINE r_mask r_lt(real a, real b)
{
  return -(r_mask)(a < b);
}
JN_INLINE r_mask r_le(real a, real b)
{
  return -(r_mask)(a <= b);
}
JN_INLINE r_mask r_eq(real a, real b)
{
  return -(r_mask)(a == b);
}
JN_INLINE real r_sqrt(real x)
{
  return __builtin_sqrt(x);
}
JN_INLINE double r_lane(real x, int lane)
{
  (void)lane;
  return x;
}
JN_INLINE void r_put(real *x, int lane, double value)
{
  (void)lane;
  *x = value;
}
JN_INLINE real r_gather(const double *table, r_mask index)
{
  return table[index];
}

#elif JN_WIDTH == 4

typedef double real __attribute__((vector_size(32)));
typedef int64_t r_mask __attribute__((vector_size(32)));
typedef uint64_t r_word __attribute__((vector_size(32)));

JN_INLINE real r_set(double x)
{
  return (real){x, x, x, x};
}
JN_INLINE r_mask r_bits(real x)
{
  return (r_mask)x;
}
JN_INLINE real r_real(r_mask k)
{
  return (real)k;
}
JN_INLINE r_mask r_int(int64_t k)
{
  return (r_mask){k, k, k, k};
}
JN_INLINE r_mask r_lt(real a, real b)
{
  return a < b;
}
JN_INLINE r_mask r_le(real a, real b)
{
  return a <= b;
}
JN_INLINE r_mask r_eq(real a, real b)
{
  return a == b;
}
JN_INLINE real r_sqrt(real x)
{
#if defined __AVX__ && __has_builtin(__builtin_ia32_sqrtpd256)
  return __builtin_ia32_sqrtpd256(x);
#else
  return (real){__builtin_sqrt(x[0]), __builtin_sqrt(x[1]), __builtin_sqrt(x[2]),
                __builtin_sqrt(x[3])};
#endif
}
JN_INLINE double r_lane(real x, int lane)
{
  return x[lane];
}
JN_INLINE void r_put(real *x, int lane, double value)
{
  (*x)[lane] = value;
}
JN_INLINE real r_gather(const double *table, r_mask index)
{
  return (real){table[index[0]], table[index[1]], table[index[2]], table[index[3]]};
}

#else
#error "JN_WIDTH is 1 or 4"
#endif

// a*b + c, rounded once where the CPU can (JN_FUSED), twice where it cannot.
JN_INLINE real r_fma(real a, real b, real c)
{
#if !JN_FUSED
  return a * b + c;
#elif JN_WIDTH == 1
  return __builtin_fma(a, b, c);
#elif __has_builtin(__builtin_elementwise_fma)  // clang from 16 on
  return __builtin_elementwise_fma(a, b, c);
#elif defined __FMA__ && __has_builtin(__builtin_ia32_vfmaddpd256)
  return __builtin_ia32_vfmaddpd256(a, b, c);
#else
  return (real){__builtin_fma(a[0], b[0], c[0]), __builtin_fma(a[1], b[1], c[1]),
                __builtin_fma(a[2], b[2], c[2]), __builtin_fma(a[3], b[3], c[3])};
#endif
}

// Bits as integers: sums wrap, r_shr brings in zeros. (AVX2 has no arithmetic 64-bit shift.)
JN_INLINE r_mask r_iadd(r_mask a, r_mask b)
{
  return (r_mask)((r_word)a + (r_word)b);
}
JN_INLINE r_mask r_isub(r_mask a, r_mask b)
{
  return (r_mask)((r_word)a - (r_word)b);
}
JN_INLINE r_mask r_shl(r_mask a, int n)
{
  return (r_mask)((r_word)a << n);
}
JN_INLINE r_mask r_shr(r_mask a, int n)
{
  return (r_mask)((r_word)a >> n);
}

JN_INLINE real r_select(r_mask m, real a, real b)  // a where m, else b
{
  return r_real((m & r_bits(a)) | (~m & r_bits(b)));
}
JN_INLINE real r_abs(real x)
{
  return r_real(r_bits(x) & r_int(INT64_MAX));
}
JN_INLINE real r_copysign(real size, real sign)
{
  return r_real((r_bits(size) & r_int(INT64_MAX)) | (r_bits(sign) & r_int(INT64_MIN)));
}

// Of two equal or unordered numbers r_min gives b and r_max gives a, so r_min(hi, x) and
// r_max(x, lo) keep a NaN x.
JN_INLINE real r_min(real a, real b)
{
  return r_select(r_lt(a, b), a, b);
}
JN_INLINE real r_max(real a, real b)
{
  return r_select(r_lt(a, b), b, a);
}

#endif
