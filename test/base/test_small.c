// The laws of small.h at width 1; test_bits.c carries them to width 4.
//
// Residuals are bounded element by element by gamma(k) times the product of the absolute factors
// (Higham 2002, theorems 9.4, 10.4). k: 3 n for textbook elimination and substitution, n more
// because a reciprocal is multiplied where the textbook divides, n for the residual itself.
#include "base/small.h"

#include <string.h>

#include "harness.h"

enum { MAX = 6, RIGHT = 3 };

static double gamma_of(int k)
{
  return k * 0x1p-53 / (1.0 - k * 0x1p-53);
}

typedef enum kind { LDLT, LU, KINDS } kind;

// n must be a constant where the functions are called.
#define CASE(N)                         \
  case N:                               \
    if (what == LDLT) {                 \
      *least = small_ldlt(N, a);        \
      small_ldlt_solve(N, a, RIGHT, b); \
    } else {                            \
      *least = small_lu(N, a);          \
      small_lu_solve(N, a, RIGHT, b);   \
    }                                   \
    break;

static void factor_and_solve(kind what, int n, double *a, double *b, double *least)
{
  switch (n) {
    CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6)
  }
}

static void multiply(int m, int l, int n, const double *a, const double *b, double *c)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      c[i * n + j] = 0.0;
      for (int k = 0; k < l; k++) c[i * n + j] += a[i * l + k] * b[k * n + j];
    }
}

// |L| |U| from the packed factors, whose diagonal holds reciprocals. Returns the smallest pivot.
static double absolute_product(kind what, int n, const double *f, double *bound)
{
  double l[MAX * MAX], u[MAX * MAX], least = INFINITY;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double d = 1.0 / f[i * n + i], below = j < i ? f[i * n + j] : 0.0;
      double above = j > i ? (what == LU ? f[i * n + j] : f[j * n + i]) : 0.0;
      l[i * n + j] = fabs(i == j ? 1.0 : below);
      u[i * n + j] = fabs(i == j ? d : what == LU ? above : d * above);
      least = fmin(least, fabs(d));
    }
  multiply(n, n, n, l, u, bound);
  return least;
}

static void fill(jt_random *r, int count, double *a)
{
  for (int i = 0; i < count; i++) a[i] = jt_random_in(r, -1.0, 1.0);
}

// A matrix that the method may be used on in the given order: quasi-definite (Vanderbei
// 1995) for L D L', with a diagonal that dominates by a little for LU.
static void suitable(jt_random *r, kind what, int n, double grade, double *a)
{
  double g[MAX * MAX], t[MAX * MAX];
  fill(r, n * n, g);
  if (what == LU) {
    memcpy(a, g, (size_t)(n * n) * sizeof *a);
    for (int i = 0; i < n; i++) a[i * n + i] = copysign(0.5 * n, g[i * n + i]) + g[i * n + i];
  } else {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) t[i * n + j] = g[j * n + i];
    multiply(n, n, n, g, t, a);
    for (int i = 0; i < n; i++) a[i * n + i] += 0.1;
    for (int i = n / 2; i < n; i++)
      for (int j = n / 2; j < n; j++) a[i * n + j] = -a[i * n + j];
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[i * n + j] *= pow(grade, i + j);
}

static void every_method_solves_to_rounding(void **state)
{
  (void)state;
  jt_random r = {1};
  for (int round = 0; round < 400; round++)
    for (kind what = LDLT; what < KINDS; what++)
      for (int n = 1; n <= MAX; n++) {
        double a[MAX * MAX], f[MAX * MAX], bound[MAX * MAX], b[MAX * RIGHT], x[MAX * RIGHT];
        double ax[MAX * RIGHT], size[MAX * RIGHT], limit[MAX * RIGHT], least;
        suitable(&r, what, n, round % 2 ? 1.0 : 0.03, a);
        fill(&r, n * RIGHT, b);
        memcpy(f, a, sizeof a);
        memcpy(x, b, sizeof b);
        if (what != LU)  // symmetric methods must not read above the diagonal
          for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++) f[i * n + j] = NAN;
        factor_and_solve(what, n, f, x, &least);
        double smallest = absolute_product(what, n, f, bound);
        JT_NEAR(least, smallest, gamma_of(6) * smallest);
        for (int i = 0; i < n * RIGHT; i++) size[i] = fabs(x[i]);
        multiply(n, n, RIGHT, a, x, ax);
        multiply(n, n, RIGHT, bound, size, limit);
        for (int i = 0; i < n * RIGHT; i++)
          JT_NEAR(ax[i], b[i], gamma_of(5 * n + 1) * (limit[i] + fabs(b[i])));
      }
}

static void hilbert_is_solved_to_its_condition(void **state)
{
  (void)state;
  // H x = H 1 has the solution 1; cond_inf(H_6) = 2.907e7 (Higham, table 28.1 gives cond_2 =
  // 1.495e7; the infinity norm of the inverse is 1.2e7, that of H 2.45).
  enum { n = 6 };
  for (kind what = LDLT; what < KINDS; what++) {
    double h[n * n], b[n * RIGHT] = {0}, least;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        h[i * n + j] = 1.0 / (i + j + 1);
        for (int c = 0; c < RIGHT; c++) b[i * RIGHT + c] += (c + 1) * h[i * n + j];
      }
    factor_and_solve(what, n, h, b, &least);
    for (int i = 0; i < n * RIGHT; i++)
      JT_NEAR(b[i], i % RIGHT + 1, gamma_of(6 * n) * n * 2.907e7 * (i % RIGHT + 1));
    assert_true(least > 0.0);
  }
}

static void diagonal_gives_exact_pivots(void **state)
{
  (void)state;
  for (kind what = LDLT; what < KINDS; what++) {
    double a[9] = {16, 0, 0, 0, 0.25, 0, 0, 0, 4}, b[9] = {16, 32, 0, 1, 0, 2, 4, 8, -4}, least;
    factor_and_solve(what, 3, a, b, &least);
    static const double x[9] = {1, 2, 0, 4, 0, 8, 1, 2, -1};
    for (int i = 0; i < 9; i++) JT_NEAR(b[i], x[i], 0.0);
    JT_NEAR(least, 0.25, 0.0);
  }
}

static void bad_pivots_are_reported(void **state)
{
  (void)state;
  double least, b[3 * RIGHT] = {0};
  double zero[9] = {1, 0, 0, 0, 0, 0, 0, 0, 1};
  for (kind what = LDLT; what < KINDS; what++) {
    double a[9];
    memcpy(a, zero, sizeof a);
    factor_and_solve(what, 3, a, b, &least);
    assert_true(!(least > 0.0));
  }
  for (kind what = LDLT; what < KINDS; what++)
    for (int at = 0; at < 9; at += 4) {  // one NaN is not forgotten
      double a[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2};
      a[at] = NAN;
      factor_and_solve(what, 3, a, b, &least);
      assert_true(isnan(least));
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_method_solves_to_rounding),
      cmocka_unit_test(hilbert_is_solved_to_its_condition),
      cmocka_unit_test(diagonal_gives_exact_pivots),
      cmocka_unit_test(bad_pivots_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
