// harness.h: checks in the words of numerical tests, on top of cmocka.
#ifndef JN_TEST_HARNESS_H
#define JN_TEST_HARNESS_H

// cmocka.h needs these four first, in this order.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <stdio.h>

// Both compare so that NaN fails.
#define JT_NEAR(a, b, tol)                                                                 \
  do {                                                                                     \
    double jt_a = (a), jt_b = (b), jt_tol = (tol);                                         \
    if (!(fabs(jt_a - jt_b) <= jt_tol)) {                                                  \
      print_error("%s = %.17g, %s = %.17g: apart by %g, allowed %g\n", #a, jt_a, #b, jt_b, \
                  fabs(jt_a - jt_b), jt_tol);                                              \
      fail();                                                                              \
    }                                                                                      \
  } while (0)

#define JT_LE(a, b)                                                        \
  do {                                                                     \
    double jt_a = (a), jt_b = (b);                                         \
    if (!(jt_a <= jt_b)) {                                                 \
      print_error("%s = %.17g is above %s = %.17g\n", #a, jt_a, #b, jt_b); \
      fail();                                                              \
    }                                                                      \
  } while (0)

// A small, portable generator (splitmix64), so that random tests are the same tests everywhere.
typedef struct jt_random {
  uint64_t state;
} jt_random;

static inline uint64_t jt_random_bits(jt_random *r)
{
  uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static inline double jt_random_in(jt_random *r, double lo, double hi)
{
  return lo + (hi - lo) * (double)(jt_random_bits(r) >> 11) * 0x1p-53;
}

static inline int jt_random_below(jt_random *r, int n)
{
  return (int)(jt_random_bits(r) % (uint64_t)n);
}

// Can this CPU run kernels that were built for AVX2 and fused products?
static inline int jt_cpu_serves(void)
{
#if defined __x86_64__
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return 1;
#endif
}

#endif
