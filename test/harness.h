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
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- what cannot be checked here ---------------------------------------------------------------------

enum {
  JT_SKIPPED = 77
};  // exit code of a program that could not run one of its tests: CTest reports it as skipped
static int jt_nskipped;

// Ends a test that this machine cannot run, and says why.
#define JT_SKIP(why)                     \
  do {                                   \
    print_message("skipped: %s\n", why); \
    jt_nskipped++;                       \
    _skip(__FILE__, __LINE__);           \
  } while (0)
#undef skip
#define skip() JT_SKIP("it cannot be run on this machine")

// ---- one test of a program ------------------------------------------------------------------------

// `test_wheels NAME` runs the tests of that name, in which * and ? stand for any characters. The C library of Linux hands
// the arguments to constructors too, so that no main() has to pass them on.
static int jt_nword;
static char **jt_word;

__attribute__((constructor)) static void jt_take_words(int argc, char **argv)
{
  jt_nword = argc - 1;
  jt_word = argv + 1;
}

// Is it a test that CTest runs alone (jn_apart in test/CMakeLists.txt), so that nothing but it is reported as skipped? JT_APART has
// their names, each between blanks.
static inline int jt_is_apart(const char *name)
{
  const char *apart = getenv("JT_APART");
  char word[256];
  snprintf(word, sizeof word, " %s ", name);
  return apart && !jt_nword && strstr(apart, word);
}

// A name that fits no test is a failure: otherwise a misspelt one would pass.
static inline int jt_run_group(const char *group, const struct CMUnitTest *all, size_t n,
                               CMFixtureFunction setup, CMFixtureFunction teardown)
{
  struct CMUnitTest *tests = malloc(n * sizeof *tests);
  if (!tests) abort();
  memcpy(tests, all, n * sizeof *tests);
  size_t fits = 0;
  for (size_t i = 0; jt_nword && i < n; i++) fits += !fnmatch(jt_word[0], tests[i].name, 0);
  if (jt_nword > 1 || (jt_nword && !fits)) {
    print_error(jt_nword > 1 ? "expected one name of a test\n" : "there is no test \"%s\"\n",
                jt_word[0]);
    for (size_t i = 0; i < n; i++) print_error("  %s\n", tests[i].name);
    return 2;
  }
  if (jt_nword) cmocka_set_test_filter(jt_word[0]);
  size_t left = 0;
  for (size_t i = 0; i < n; i++)
    if (!jt_is_apart(tests[i].name)) tests[left++] = tests[i];
  const int failed = _cmocka_run_group_tests(group, tests, left, setup, teardown);
  free(tests);
  return failed ? 1 : jt_nskipped ? JT_SKIPPED : 0;
}

#undef cmocka_run_group_tests
#define cmocka_run_group_tests(tests, setup, teardown) \
  jt_run_group(#tests, tests, sizeof(tests) / sizeof *(tests), setup, teardown)

// ---- checks ---------------------------------------------------------------------------------------

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

// ---- random numbers, processors --------------------------------------------------------------------

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

#define JT_NO_AVX2 "the processor has no AVX2 and fused products"

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
