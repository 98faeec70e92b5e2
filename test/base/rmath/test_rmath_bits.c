// test_rmath_bits.c: a function of rmath.h or real.h gives the same bits whatever compiled it (gcc
// or clang, -O0, -O2 or -O3) and at either width. Fused products give bits of their own, so the
// builds with and without them are two families, each compared with its first member. NaNs are
// taken as equal: their sign and payload depend on the order of operands, the compiler's choice.
#include <float.h>
#include <string.h>

#include "harness.h"
#include "rmath_builds.h"

enum { RANDOM = 4 * 10000, MOST = 1 << 16 };
static double xs[MOST], ys[MOST], want[MOST], got[MOST];
static int count;

static const char *const names[] = {
#define X(name, expression) #name,
    JT_RMATH_LIST(X)
#undef X
};

static double any_bits(jt_random *r)
{
  uint64_t bits = jt_random_bits(r);
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static double any_log(jt_random *r, int lo, int hi)
{
  double x = scalbn(jt_random_in(r, 1.0, 2.0), lo + jt_random_below(r, hi - lo));
  return jt_random_below(r, 2) ? x : -x;
}

// Lanes next to each other are of all sizes, so a lane that leaked into another would show.
static void fill(void)
{
  // clang-format off
  static const double special[] = {
    0.0, 0x1p-1074, DBL_MIN, 0x1p-54, 0.5, 1.0, 1.0 + DBL_EPSILON, 1.5, 2.0, 3.0, 709.0, 710.0,
    745.0, 746.0, 1e5, 0x1p53, 0x1p65, 0x1p512, 0x1.6ac5b262ca1ffp+849, DBL_MAX, INFINITY, NAN};
  // clang-format on
  enum { N = sizeof special / sizeof *special };
  jt_random r = {7};
  count = 0;
  for (int i = 0; i < 4 * N * N; i++) {
    double x = special[i / 4 % N], y = special[i / 4 / N];
    xs[count] = i & 1 ? -x : x;
    ys[count++] = i & 2 ? -y : y;
  }
  for (int i = 0; i < RANDOM; i++) {
    switch (i % 5) {
      case 0:
        xs[count] = any_bits(&r), ys[count] = any_bits(&r);
        break;
      case 1:
        xs[count] = any_log(&r, -30, 17), ys[count] = any_log(&r, -30, 17);
        break;
      case 2:
        xs[count] = jt_random_in(&r, -1, 1), ys[count] = jt_random_in(&r, -1, 1);
        break;
      case 3:
        xs[count] = jt_random_in(&r, -5, 5), ys[count] = jt_random_in(&r, -5, 5);
        break;
      case 4:
        xs[count] = fabs(any_log(&r, -4, 4)), ys[count] = any_log(&r, 0, 10);
        break;
    }
    count++;
  }
  while (count % 4) xs[count] = ys[count] = 1.0, count++;
}

static void compare(const jt_rmath_build *a, const jt_rmath_build *b)
{
  for (int f = 0; f < JT_RMATH_COUNT; f++) {
    int differ = 0, at = 0;
    a->run[f](xs, ys, want, count);
    b->run[f](xs, ys, got, count);
    for (int i = 0; i < count; i++) {
      if (isnan(want[i]) && isnan(got[i])) continue;
      if (memcmp(&want[i], &got[i], sizeof *got) && !differ++) at = i;
    }
    if (differ) {
      fail_msg("%s: %d of %d differ, first at (%a, %a): %s gives %a, %s gives %a", names[f], differ,
               count, xs[at], ys[at], a->label, want[at], b->label, got[at]);
    }
  }
}

static void check_family(int fused)
{
  const jt_rmath_build *first = jt_rmath_find(fused);
  if (!first) JT_SKIP(JT_NO_AVX2);
  int widths = 0;
  for (int i = 0; i < JT_RMATH_BUILD_COUNT; i++) {
    if (jt_rmath_builds[i]->fused != fused) continue;
    print_message("%s\n", jt_rmath_builds[i]->label);
    compare(first, jt_rmath_builds[i]);
    widths |= jt_rmath_builds[i]->width;
  }
  assert_int_equal(widths, 1 | 4);
}

static void fused_bits_are_one(void **state)
{
  (void)state;
  check_family(1);
}

static void unfused_bits_are_one(void **state)
{
  (void)state;
  check_family(0);
}

// Or else two builds could agree on a "fused" product that is none.
static void fused_products_round_once(void **state)
{
  (void)state;
  for (int i = 0; i < JT_RMATH_BUILD_COUNT; i++) {
    const jt_rmath_build *b = jt_rmath_builds[i];
    if (!jt_rmath_runs_here(b)) continue;
    double x[4] = {1 + 0x1p-30, 1 + 0x1p-30, 1 + 0x1p-30, 1 + 0x1p-30};
    double y[4] = {-1 + 0x1p-30, -1 + 0x1p-30, -1 + 0x1p-30, -1 + 0x1p-30}, f[4];
    b->run[JT_RMATH_fma](x, y, f, 4);
    // x y = -1 + 2^-60 exactly, which alone rounds to -1
    for (int k = 0; k < 4; k++) JT_NEAR(f[k], b->fused ? 0x1p-30 + 0x1p-60 : 0x1p-30, 0.0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fused_products_round_once),
      cmocka_unit_test(fused_bits_are_one),
      cmocka_unit_test(unfused_bits_are_one),
  };
  fill();
  return cmocka_run_group_tests_name("rmath_bits", tests, NULL, NULL);
}
