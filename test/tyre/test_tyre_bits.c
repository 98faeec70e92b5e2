// Tyre and road kernels give a lane the very bits that width 1 gives, optimised or not, without and
// with fused products.
#include <string.h>

#include "mf_tables.h"
#include "tyre_kernels.h"

enum { CASES = 400 };

static double in[CASES][TYRE_IN];
static double expected[CASES][TYRE_OUT], found[CASES][TYRE_OUT];

double tyre_mf[TYRE_MF_NFORM][MF_FIELDS];

static void cook(int number, int form, int version)
{
  jn_pool pool = {0};
  jn_tir tir;
  mf_read_tyre(
      version == 61 ? MF_TYRES "every_coefficient_61.tir" : MF_TYRES "every_coefficient_52.tir",
      &pool, &tir);
  mf_options o = mf_default_options();
  o.formulas = form & MF_BOOK ? MF_FORMULAS_BOOK : MF_FORMULAS_PAPER;
  o.uncapped = form & MF_UNCAPPED;
  o.combined = form & MF_ELLIPSE ? MF_COMBINED_ELLIPSE : MF_COMBINED_AUTO;
  o.overturning_outside = form & MF_TIPPING_OUTSIDE;
  o.use_mode = form & MF_USE;
  if (form & MF_RELAX_X_LOAD)
    tir.value[TIR_PTX1] = 2.1, tir.value[TIR_PTY1] = 1.9, tir.value[TIR_PTY2] = 2.2;
  if (form & MF_RELAX_X_STIFFNESS)
    tir.value[TIR_LONGITUDINAL_STIFFNESS] = tir.value[TIR_LATERAL_STIFFNESS] = 3e5;
  const mf_tyre t = mf_cooked(&tir, &o);
  assert_int_equal(t.form, form);
  memcpy(tyre_mf[number], t.p, sizeof t.p);
  jn_pool_free(&pool);
}

static void fill_inputs(void)
{
#define X(number, form, version) cook(number, form, version);
  TYRE_MF_FORMS(X)
#undef X
  jt_random r = {7};
  for (int c = 0; c < CASES; c++) {
    for (int i = 0; i < TYRE_IN; i++) in[c][i] = jt_random_in(&r, -2.0, 2.0);
    in[c][2] = jt_random_in(&r, -0.2, 0.3);            // height: some in the air
    in[c][4] *= c % 3 ? 10.0 : 1e-6;                   // speed ahead
    in[c][13] *= c % 5 ? 20.0 : 0.0;                   // spin, some locked
    in[c][14] *= 0.1, in[c][15] *= c % 7 ? 0.1 : 0.0;  // deflections
    if (c % 16 == 0) memset(in[c], 0, sizeof in[c]);
  }
}

static int run(tyre_kernel *kernel, double (*out)[TYRE_OUT])
{
  memset(out, 0, sizeof expected);
  const int written = kernel(CASES, in, out);
  assert_in_range(written, 150, TYRE_OUT);
  return written;
}

static void check(tyre_kernel *oracle, tyre_kernel *const *other, int n)
{
  const int written = run(oracle, expected);
  for (int c = 0; c < CASES; c++)
    for (int i = 0; i < written; i++) assert_true(isfinite(expected[c][i]));
  for (int k = 0; k < n; k++) {
    assert_int_equal(run(other[k], found), written);
    assert_memory_equal(expected, found, sizeof expected);
  }
}

static void one_set_of_bits(void **state)
{
  (void)state;
  if (!jt_cpu_serves()) JT_SKIP(JT_NO_AVX2);
  fill_inputs();
  tyre_kernel *const plain[] = {tyre_1_O3_0, tyre_4_O0_0, tyre_4_O3_0};
  tyre_kernel *const fused[] = {tyre_1_O3_1, tyre_4_O0_1, tyre_4_O3_1};
  check(tyre_1_O0_0, plain, 3);
  check(tyre_1_O0_1, fused, 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_set_of_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
