// Steady-state laws give a lane the very bits that width 1 gives, optimised or not, without and with fused products.
#include <string.h>

#include "harness.h"
#include "law_kernels.h"
#include "laws_data.h"

enum { CASES = 2000 };

static double in[CASES][LAW_IN], expected[CASES][LAW_OUT], found[CASES][LAW_OUT];
static double table[2 * LAWS_TABLE];
static law_tyres tyres = {.table = table};

static void fill_inputs(void)
{
  jt_random r = {7};
  for (int c = 0; c < CASES; c++) {
    for (int i = 0; i < 2; i++) {
      const double size = pow(10.0, jt_random_in(&r, -8.0, c % 3 ? 0.5 : 6.0));
      in[c][i] = c % 7 == i ? 0.0 : jt_random_below(&r, 2) ? size : -size;
    }
    in[c][2] = c % 11 ? jt_random_in(&r, 0.0, 6e4) : 0.0;
    in[c][3] = jt_random_in(&r, 0.0, 40.0);
    in[c][4] = jt_random_in(&r, -1.0, 1.0);
    in[c][5] = jt_random_in(&r, -1.0, 1.0);
  }
  assert_int_equal(
      tabulated_build(&laws_half, table + LAWS_AT, LAWS_AT, tyres.half, &tyres.half_form, NULL),
      JN_OK);
  assert_int_equal(tabulated_build(&laws_full, table + LAWS_TABLE, LAWS_TABLE, tyres.full,
                                   &tyres.full_form, NULL),
                   JN_OK);
}

static void run(law_kernel *kernel, double (*out)[LAW_OUT])
{
  memset(out, 0, sizeof expected);
  assert_int_equal(kernel(&tyres, CASES, in, out), LAW_OUT);
}

static void check(law_kernel *oracle, law_kernel *const *other, int n)
{
  run(oracle, expected);
  for (int c = 0; c < CASES; c++)
    for (int i = 0; i < LAW_OUT; i++) assert_true(isfinite(expected[c][i]));
  for (int k = 0; k < n; k++) {
    run(other[k], found);
    assert_memory_equal(expected, found, sizeof expected);
  }
}

static void one_set_of_bits(void **state)
{
  (void)state;
  if (!jt_cpu_serves()) JT_SKIP(JT_NO_AVX2);
  fill_inputs();
  law_kernel *const plain[] = {law_1_O3_0, law_4_O0_0, law_4_O3_0};
  law_kernel *const fused[] = {law_1_O3_1, law_4_O0_1, law_4_O3_1};
  check(law_1_O0_0, plain, 3);
  check(law_1_O0_1, fused, 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_set_of_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
