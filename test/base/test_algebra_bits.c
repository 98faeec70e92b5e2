// The inline algebra gives a lane the very bits that width 1 gives, optimised or not. One kernel
// source, built at width 1 and 4, -O0 and -O3, without and with fused products; each kind of
// product has one set of bits.
#include <stdlib.h>
#include <string.h>

#include "algebra_kernels.h"
#include "base/curve.h"
#include "harness.h"

enum { CASES = 400, CURVES = 6 };

static double in[CASES][ALGEBRA_IN];
static double expected[CASES][ALGEBRA_OUT], found[CASES][ALGEBRA_OUT];
static double tables[CURVES * 16 * (1 + JN_CURVE_PIECE)];
static int64_t offset[CASES];

static void fill_inputs(void)
{
  jt_random r = {1};
  for (int c = 0; c < CASES; c++) {
    for (int i = 0; i < ALGEBRA_IN; i++) in[c][i] = jt_random_in(&r, -2.0, 2.0);
    // Edges: a lane of zeros, which divides by them, and lanes of very different sizes.
    if (c % 16 == 0) memset(in[c], 0, sizeof in[c]);
    for (int i = 0; c % 16 == 5 && i < ALGEBRA_IN; i++)
      in[c][i] *= pow(10.0, jt_random_below(&r, 20) - 10);
    offset[c] = jt_random_below(&r, CURVES) * (int64_t)jn_curve_doubles(ALGEBRA_STEPS);
  }
  for (int k = 0; k < CURVES; k++) {
    double x[15], y[15];
    int n = 2 + 2 * k;
    for (int i = 0; i < n; i++) {
      x[i] = (i ? x[i - 1] : -4.0) + jt_random_in(&r, 0.1, 1.0);
      y[i] = jt_random_in(&r, -1, 1);
    }
    jn_curve_def def = {.n = n,
                        .x = x,
                        .y = y,
                        .method = (jn_curve_method)(k % 3),
                        .below = (jn_curve_end)(k & 1),
                        .above = JN_CURVE_EXTEND};
    double *table = tables + (size_t)k * jn_curve_doubles(ALGEBRA_STEPS);
    assert_int_equal(jn_curve_build(table, ALGEBRA_STEPS, &def, NULL), JN_OK);
  }
}

static int run(algebra_kernel *kernel, double (*out)[ALGEBRA_OUT])
{
  memset(out, 0, sizeof expected);
  int written = kernel(CASES, in, tables, offset, out);
  assert_in_range(written, 300, ALGEBRA_OUT);
  return written;
}

// NaN has many patterns, and which operand's is handed on is the compiler's choice: any will do.
static void same_bits(const char *name, int written)
{
  for (int c = 0; c < CASES; c++)
    for (int i = 0; i < written; i++)
      if (memcmp(&expected[c][i], &found[c][i], sizeof(double)) != 0 &&
          !(isnan(expected[c][i]) && isnan(found[c][i])))
        fail_msg("%s: case %d, number %d is %a, expected %a", name, c, i, found[c][i],
                 expected[c][i]);
}

static const struct {
  const char *name;
  algebra_kernel *kernel;
} kernels[] = {
#define X(name) {#name, name},
    ALGEBRA_KERNELS(X)
#undef X
};

static void bits_do_not_depend_on_width_or_optimisation(void **state)
{
  (void)state;
  if (!jt_cpu_serves()) JT_SKIP(JT_NO_AVX2);
  fill_inputs();
  for (int fused = 0; fused < 2; fused++) {
    int written = run(kernels[4 * fused].kernel, expected), finite = 0;
    for (int k = 1; k < 4; k++) {
      assert_int_equal(run(kernels[4 * fused + k].kernel, found), written);
      same_bits(kernels[4 * fused + k].name, written);
    }
    for (int c = 0; c < CASES; c++)
      for (int i = 0; i < written; i++) finite += isfinite(expected[c][i]) != 0;
    JT_LE(0.9 * CASES * written, finite);  // the comparison is of numbers
  }
}

static void fused_products_are_really_fused(void **state)
{
  (void)state;
  if (!jt_cpu_serves()) JT_SKIP(JT_NO_AVX2);
  fill_inputs();
  int written = run(kernels[0].kernel, expected), differ = 0;
  run(kernels[4].kernel, found);
  for (int c = 0; c < CASES; c++)
    differ += memcmp(expected[c], found[c], (size_t)written * sizeof(double)) != 0;
  assert_true(differ > CASES / 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bits_do_not_depend_on_width_or_optimisation),
      cmocka_unit_test(fused_products_are_really_fused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
