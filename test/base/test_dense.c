// The laws of dense.h. Bounds are backward errors: gamma(k) = k eps / (1 - k eps) bounds k
// roundings in a row (Higham, Accuracy and Stability of Numerical Algorithms, 2002, ch. 3); its
// count k is stated at each use. eps is the unit roundoff 2^-53.
#include "base/dense.h"

#include <stdlib.h>
#include <string.h>

#include "harness.h"

enum { MAX = 40 };  // largest dimension used here

static double gamma_of(int k)
{
  return k * 0x1p-53 / (1.0 - k * 0x1p-53);
}

// A reflector of length m costs about m + 6 roundings an element, and a factorisation applies at
// most min(m, n) from each side: Higham's gamma~(m n) with all constants written out (theorem
// 19.4).
static double gamma_qr(int m, int n)
{
  int large = m > n ? m : n, small = m < n ? m : n;
  return gamma_of(4 * (large + 6) * (small + 1));
}

static double frobenius(size_t count, const double *a)
{
  double largest = 0.0, sum = 0.0;
  for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(a[i]));
  if (largest == 0.0) return 0.0;
  for (size_t i = 0; i < count; i++) sum += (a[i] / largest) * (a[i] / largest);
  return largest * sqrt(sum);
}

// C (m x n) = A (m x l) B (l x n); with `at` or `bt` the argument is stored transposed.
static void multiply(int m, int l, int n, const double *a, int at, const double *b, int bt,
                     double *c)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double s = 0.0;
      for (int k = 0; k < l; k++)
        s += (at ? a[k * m + i] : a[i * l + k]) * (bt ? b[j * l + k] : b[k * n + j]);
      c[i * n + j] = s;
    }
}

static void fill(jt_random *r, size_t count, double *a)
{
  for (size_t i = 0; i < count; i++) a[i] = jt_random_in(r, -1.0, 1.0);
}

// (m x n) of exact rank: products of small integers, so that no rounding makes it full.
static void fill_rank(jt_random *r, int m, int n, int rank, double *a)
{
  double b[MAX * MAX], c[MAX * MAX];
  for (int i = 0; i < m * rank; i++) b[i] = jt_random_below(r, 201) - 100;
  for (int i = 0; i < rank * n; i++) c[i] = jt_random_below(r, 201) - 100;
  multiply(m, rank, n, b, 0, c, 0, a);
}

// Factorise in a block of exactly the size asked for, so that the sanitizer sees an overrun.
static jn_qr factor(int m, int n, const double *a, double tol)
{
  jn_qr f;
  void *work = aligned_alloc(64, jn_qr_size(m, n));
  assert_non_null(work);
  jn_qr_factor(&f, m, n, a, tol, work);
  return f;
}

static void release(jn_qr *f)
{
  free(f->a);
}  // the first array of the block

static void is_permutation(int n, const int *perm)
{
  int seen[MAX] = {0};
  for (int j = 0; j < n; j++) {
    assert_in_range(perm[j], 0, n - 1);
    assert_int_equal(seen[perm[j]]++, 0);
  }
}

static void columns_are_orthonormal(int m, int n, const double *basis, double tol)
{
  double gram[MAX * MAX];
  multiply(n, m, n, basis, 1, basis, 0, gram);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) JT_NEAR(gram[i * n + j], i == j, tol);
}

// Everything that must hold of a factorisation whose decided rank is exact: `rest` bounds what was
// rejected, relative to |A|.
static void laws_of_qr(const jn_qr *f, const double *a, double rest)
{
  int m = f->m, n = f->n, r = f->rank;
  double size = frobenius((size_t)m * n, a), tol = gamma_qr(m, n);
  double basis[MAX * MAX], product[MAX * MAX], b[MAX], x[MAX], y[MAX], residual[MAX];
  is_permutation(n, f->perm);
  JT_LE(f->next, f->last);
  JT_LE(f->last, f->first);

  jn_qr_null(f, basis);
  columns_are_orthonormal(n, n - r, basis, tol);
  multiply(m, n, n - r, a, 0, basis, 0, product);
  JT_LE(frobenius((size_t)m * (n - r), product), (tol + rest) * size);

  // x is least-squares when A' (A x - b) = 0, and shortest when it is orthogonal to the null space.
  // Backward error: x solves a system with A changed by tol |A|; the residual of the normal
  // equations then moves by |A| tol (|A| |x| + |residual|), and so does the part in the null space,
  // amplified by the condition of what was accepted.
  double condition = r ? size / f->last : 0.0;
  jt_random random = {(uint64_t)(m * 100 + n)};
  fill(&random, m, b);
  double least = jn_qr_solve(f, b, x);
  multiply(m, n, 1, a, 0, x, 0, residual);
  for (int i = 0; i < m; i++) residual[i] -= b[i];
  double scale = size * frobenius(n, x) + frobenius(m, b);
  JT_NEAR(least, frobenius(m, residual), (tol + rest) * scale);
  multiply(n, m, 1, a, 1, residual, 0, product);
  JT_LE(frobenius(n, product), (tol + rest) * size * scale);
  multiply(n - r, n, 1, basis, 1, x, 0, product);
  JT_LE(frobenius(n - r, product), (tol + rest) * (1.0 + condition) * frobenius(n, x));

  jn_qr_left_null(f, basis);
  columns_are_orthonormal(m, m - r, basis, tol);
  multiply(n, m, m - r, a, 1, basis, 0, product);
  JT_LE(frobenius((size_t)n * (m - r), product), (tol + rest) * size);

  fill(&random, n, b);
  least = jn_qr_solve_transposed(f, b, y);
  multiply(n, m, 1, a, 1, y, 0, residual);
  for (int j = 0; j < n; j++) residual[j] -= b[j];
  scale = size * frobenius(m, y) + frobenius(n, b);
  JT_NEAR(least, frobenius(n, residual), (tol + rest) * scale);
  multiply(m, n, 1, a, 0, residual, 0, product);
  JT_LE(frobenius(m, product), (tol + rest) * size * scale);
  multiply(m - r, m, 1, basis, 1, y, 0, product);
  JT_LE(frobenius(m - r, product), (tol + rest) * (1.0 + condition) * frobenius(m, y));
}

static void qr_of_any_shape_keeps_its_laws(void **state)
{
  (void)state;
  jt_random random = {1};
  double a[MAX * MAX];
  for (int m = 0; m <= 9; m++)
    for (int n = 0; n <= 9; n++) {
      fill(&random, m * n, a);
      jn_qr f = factor(m, n, a, 1e-12);
      assert_int_equal(f.rank, m < n ? m : n);
      JT_NEAR(f.next, 0.0, 0.0);
      JT_NEAR(f.gap, 0.0, 0.0);
      laws_of_qr(&f, a, 0.0);
      release(&f);
    }
}

static void qr_finds_the_exact_rank(void **state)
{
  (void)state;
  jt_random random = {2};
  double a[MAX * MAX];
  static const int shapes[][2] = {{6, 6}, {12, 5}, {5, 12}, {30, 20}, {20, 30}, {40, 40}};
  for (int s = 0; s < 6; s++) {
    int m = shapes[s][0], n = shapes[s][1], least = m < n ? m : n;
    for (int rank = 0; rank <= least; rank += least > 10 ? 5 : 1) {
      fill_rank(&random, m, n, rank, a);
      jn_qr f = factor(m, n, a, 1e-12);
      assert_int_equal(f.rank, rank);
      JT_LE(f.next, gamma_qr(m, n) * frobenius((size_t)m * n, a));  // what is rejected is rounding
      laws_of_qr(&f, a, 0.0);
      release(&f);
    }
  }
}

static void zero_matrix_has_rank_zero(void **state)
{
  (void)state;
  double a[12] = {0}, b[4] = {3, 0, 4, 0}, x[3], basis[16];
  jn_qr f = factor(4, 3, a, 1e-12);
  assert_int_equal(f.rank, 0);
  JT_NEAR(f.first, 0.0, 0.0);
  JT_NEAR(f.gap, 0.0, 0.0);
  JT_NEAR(jn_qr_solve(&f, b, x), 5.0, 0.0);
  for (int j = 0; j < 3; j++) JT_NEAR(x[j], 0.0, 0.0);
  jn_qr_null(&f, basis);
  for (int i = 0; i < 9; i++) JT_NEAR(basis[i], i % 4 == 0, 0.0);
  jn_qr_left_null(&f, basis);
  for (int i = 0; i < 16; i++) JT_NEAR(basis[i], i % 5 == 0, 0.0);
  release(&f);
}

static void one_number_is_its_own_factor(void **state)
{
  (void)state;
  double a = -4.0, b = 2.0, x;
  jn_qr f = factor(1, 1, &a, 0.0);
  assert_int_equal(f.rank, 1);
  JT_NEAR(f.first, 4.0, 0.0);
  JT_NEAR(f.last, 4.0, 0.0);
  JT_NEAR(jn_qr_solve(&f, &b, &x), 0.0, 0.0);
  JT_NEAR(x, -0.5, 0.0);
  release(&f);
}

static void rank_decision_shows_its_gap(void **state)
{
  (void)state;
  // A diagonal matrix is its own R: every diagonal is known, and 3e-9 is the first below tol * 4.
  double a[25] = {0};
  static const double diagonal[5] = {1e-3, 4.0, 3e-9, 2.0, 1e-10};
  for (int i = 0; i < 5; i++) a[i * 6] = diagonal[i];
  jn_qr f = factor(5, 5, a, 1e-8);
  static const int order[3] = {1, 3, 0};
  assert_int_equal(f.rank, 3);
  for (int j = 0; j < 3; j++) assert_int_equal(f.perm[j], order[j]);
  JT_NEAR(f.first, 4.0, 0.0);
  JT_NEAR(f.last, 1e-3, 0.0);
  JT_NEAR(f.next, 3e-9, 0.0);
  JT_NEAR(f.gap, 3e-6, 3e-6 * gamma_of(4));
  release(&f);

  f = factor(5, 5, a, 1e-12);  // and with a finer tolerance nothing is rejected
  assert_int_equal(f.rank, 5);
  JT_NEAR(f.last, 1e-10, 0.0);
  JT_NEAR(f.gap, 0.0, 0.0);
  release(&f);
}

static void equal_columns_are_chosen_in_their_order(void **state)
{
  (void)state;
  double a[36] = {0};
  for (int i = 0; i < 6; i++) a[i * 7] = 1.0;
  jn_qr f = factor(6, 6, a, 1e-12);
  for (int j = 0; j < 6; j++) assert_int_equal(f.perm[j], j);
  release(&f);

  // Column 2 goes first and takes 0 to its place; 0 must still be chosen before 1.
  a[2 * 7] = 2.0;
  f = factor(6, 6, a, 1e-12);
  static const int order[6] = {2, 0, 1, 3, 4, 5};
  for (int j = 0; j < 6; j++) assert_int_equal(f.perm[j], order[j]);
  release(&f);
}

static void scale_of_the_matrix_changes_nothing_but_the_scale(void **state)
{
  (void)state;
  jt_random random = {3};
  double a[48], scaled[48], x[6], y[6], b[8], n0[36], n1[36];
  fill_rank(&random, 8, 6, 4, a);
  fill(&random, 8, b);
  jn_qr f = factor(8, 6, a, 1e-12);
  jn_qr_solve(&f, b, x);
  jn_qr_null(&f, n0);
  static const int exponents[] = {-1000, -3, 0, 40, 1005};
  for (int e = 0; e < 5; e++) {
    for (int i = 0; i < 48; i++) scaled[i] = ldexp(a[i], exponents[e]);
    jn_qr g = factor(8, 6, scaled, 1e-12);
    assert_int_equal(g.rank, f.rank);
    assert_memory_equal(g.perm, f.perm, 6 * sizeof *f.perm);
    JT_NEAR(g.gap, f.gap, 0.0);
    JT_NEAR(g.first, ldexp(f.first, exponents[e]), 0.0);
    jn_qr_null(&g, n1);
    assert_memory_equal(n0, n1, 12 * sizeof *n0);
    jn_qr_solve(&g, b, y);
    for (int j = 0; j < 6; j++) JT_NEAR(y[j], ldexp(x[j], -exponents[e]), 0.0);
    release(&g);
  }
  release(&f);
}

static void rank_of_denormals_and_of_graded_columns(void **state)
{
  (void)state;
  double tiny[4] = {0x1p-1074, 0.0, 0.0, 0x1p-1070};
  jn_qr f = factor(2, 2, tiny, 1e-3);
  assert_int_equal(f.rank, 2);
  assert_int_equal(f.perm[0], 1);
  release(&f);

  // Columns shrink by ten each, 20 decades: all independent, found largest first.
  jt_random random = {4};
  double a[21 * 21];
  fill(&random, 21 * 21, a);
  for (int i = 0; i < 21; i++)
    for (int j = 0; j < 21; j++) a[i * 21 + j] *= pow(10.0, -j);
  f = factor(21, 21, a, 0.0);
  assert_int_equal(f.rank, 21);
  laws_of_qr(&f, a, 0.0);
  release(&f);
}

static void rank_of_hilbert_and_vandermonde_follows_their_singular_values(void **state)
{
  (void)state;
  // sigma_max of the n x n Hilbert matrix lies in (1, pi), and its condition for n = 5, 8 is
  // 4.766e5, 1.526e10 (Higham, table 28.1). The pivoted diagonal obeys sigma_n <= |r_nn| <= sqrt(n)
  // sigma_n 2^n: rank is full with a tolerance below sigma_n / sigma_1 and not full above 2^n
  // sqrt(n) of it.
  static const struct {
    int n;
    double condition;
  } hilbert[] = {{5, 4.766e5}, {8, 1.526e10}};
  double a[64];
  for (int t = 0; t < 2; t++) {
    int n = hilbert[t].n;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) a[i * n + j] = 1.0 / (i + j + 1);
    double ratio = 1.0 / hilbert[t].condition;
    jn_qr f = factor(n, n, a, 0.3 * ratio);
    assert_int_equal(f.rank, n);
    laws_of_qr(&f, a, 0.0);
    release(&f);
    f = factor(n, n, a, fmin(0.5, ldexp(sqrt(n) * ratio, n)));
    assert_true(f.rank < n);
    assert_true(f.next > 0.0);
    release(&f);
  }

  // Vandermonde with 7 nodes, one of them twice: exactly one row too many.
  static const double node[7] = {-3, -2, -1, 0, 1, 2, 1};
  for (int i = 0; i < 7; i++)
    for (int j = 0; j < 7; j++) a[i * 7 + j] = pow(node[i], j);
  jn_qr f = factor(7, 7, a, 1e-12);
  assert_int_equal(f.rank, 6);
  laws_of_qr(&f, a, 0.0);
  double left[7];
  jn_qr_left_null(&f, left);  // row 4 - row 6, and nothing else takes part
  for (int i = 0; i < 7; i++)
    JT_NEAR(fabs(left[i]), i == 4 || i == 6 ? sqrt(0.5) : 0.0,
            gamma_qr(7, 7) * frobenius(49, a) / f.last);
  JT_NEAR(left[4] + left[6], 0.0, gamma_qr(7, 7) * frobenius(49, a) / f.last);
  release(&f);
}

static void input_survives_and_what_is_not_finite_is_refused(void **state)
{
  (void)state;
  jt_random random = {5};
  double a[20], copy[20];
  fill(&random, 20, a);
  memcpy(copy, a, sizeof a);
  jn_qr f = factor(5, 4, a, 1e-12);
  assert_memory_equal(a, copy, sizeof a);
  release(&f);
  static const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int t = 0; t < 3; t++)
    for (int i = 0; i < 20; i += 19) {
      memcpy(a, copy, sizeof a);
      a[i] = bad[t];
      f = factor(5, 4, a, 1e-12);
      assert_int_equal(f.rank, -1);
      release(&f);
    }
}

static void solve_may_write_over_its_right_side(void **state)
{
  (void)state;
  jt_random random = {6};
  double a[36], b[6], x[6];
  fill(&random, 36, a);
  fill(&random, 6, b);
  jn_qr f = factor(6, 6, a, 1e-12);
  jn_qr_solve(&f, b, x);
  jn_qr_solve(&f, b, b);
  assert_memory_equal(x, b, sizeof x);
  release(&f);
}

// ---- Square systems ----

// |A X - B| <= gamma(count) (bound |X|), element by element, with bound the product of the absolute
// factors: Higham, theorems 9.4 (LU), 10.4 (Cholesky), and 11.3 for L D L'.
static void residual_is_rounding(int n, int k, const double *a, const double *bound,
                                 const double *x, const double *b, int count)
{
  double size[MAX * MAX], ax[MAX * MAX], limit[MAX * MAX];
  for (int i = 0; i < n * k; i++) size[i] = fabs(x[i]);
  multiply(n, n, k, a, 0, x, 0, ax);
  multiply(n, n, k, bound, 0, size, 0, limit);
  for (int i = 0; i < n * k; i++) JT_NEAR(ax[i], b[i], gamma_of(count + n + 1) * limit[i]);
}

static void definite(jt_random *r, int n, double grade, double *a)
{
  double g[MAX * MAX];
  fill(r, (size_t)n * n, g);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) g[i * n + j] *= pow(grade, i);
  multiply(n, n, n, g, 0, g, 1, a);
  for (int i = 0; i < n; i++) a[i * n + i] += pow(grade, 2 * i) * n;
}

static void spoil_upper(int n, double *a)
{
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) a[i * n + j] = NAN;
}

// L L' - A is within gamma(n + 1) |L| |L|' (Higham 2002, theorem 10.3), and its own sums' rounding.
static void cholesky_factors_to_rounding(void **state)
{
  (void)state;
  jt_random random = {7};
  double a[MAX * MAX], l[MAX * MAX], product[MAX * MAX], bound[MAX * MAX];
  for (int n = 1; n <= MAX; n += n < 8 ? 1 : 8)
    for (int graded = 0; graded < 2; graded++) {
      definite(&random, n, graded ? 0.1 : 1.0, a);
      memcpy(l, a, sizeof a);
      spoil_upper(n, l);
      assert_int_equal(jn_chol_factor(n, l), 0);
      for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) l[i * n + j] = 0.0;
      multiply(n, n, n, l, 0, l, 1, product);
      for (int i = 0; i < n * n; i++) l[i] = fabs(l[i]);
      multiply(n, n, n, l, 0, l, 1, bound);
      for (int i = 0; i < n * n; i++) JT_NEAR(product[i], a[i], gamma_of(2 * n + 1) * bound[i]);
    }
}

static void cholesky_names_the_pivot_that_is_not_positive(void **state)
{
  (void)state;
  double a[9] = {4, 0, 0, 2, 5, 0, 0, 4, 4};  // pivots 4, 4, 0
  assert_int_equal(jn_chol_factor(3, a), 3);
  double b[4] = {-1, 0, 0, 1};
  assert_int_equal(jn_chol_factor(2, b), 1);
  double c[4] = {1, 0, NAN, 1};
  assert_int_equal(jn_chol_factor(2, c), 2);
  double d[1] = {INFINITY};
  assert_int_equal(jn_chol_factor(1, d), 1);
  assert_int_equal(jn_chol_factor(0, NULL), 0);
}

static void lu_solves_to_rounding(void **state)
{
  (void)state;
  jt_random random = {8};
  double a[MAX * MAX], lu[MAX * MAX], l[MAX * MAX], u[MAX * MAX], bound[MAX * MAX];
  double b[MAX * 3], x[MAX * 3];
  int pivot[MAX];
  for (int n = 1; n <= MAX; n += n < 8 ? 1 : 8)
    for (int graded = 0; graded < 2; graded++) {
      fill(&random, n * n, a);
      for (int i = 0; i < n * n; i++) a[i] *= graded ? pow(10.0, -(i / n) - i % n) : 1.0;
      a[0] = n > 1 ? 0.0 : 1.0;  // without an exchange it would stop here
      memcpy(lu, a, sizeof a);
      assert_int_equal(jn_lu_factor(n, lu, pivot), 0);
      fill(&random, n * 3, b);
      memcpy(x, b, sizeof b);
      jn_lu_solve(n, lu, pivot, 3, x);
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
          l[i * n + j] = j < i ? fabs(lu[i * n + j]) : i == j;
          u[i * n + j] = j < i ? 0.0 : fabs(lu[i * n + j]);
          JT_LE(l[i * n + j], 1.0);
        }
      multiply(n, n, n, l, 0, u, 0, bound);
      for (int i = n - 1; i >= 0; i--)
        for (int j = 0; j < n; j++) {
          double t = bound[i * n + j];
          bound[i * n + j] = bound[pivot[i] * n + j];
          bound[pivot[i] * n + j] = t;
        }
      residual_is_rounding(n, 3, a, bound, x, b, 3 * n);
    }
}

static void lu_names_the_column_that_depends(void **state)
{
  (void)state;
  double a[9] = {1, 2, 3, 2, 4, 1, 4, 8, 5};  // column 1 is twice column 0
  int pivot[3];
  assert_int_equal(jn_lu_factor(3, a, pivot), 2);
  double zero[1] = {0}, bad[4] = {1, NAN, 0, 1};
  assert_int_equal(jn_lu_factor(1, zero, pivot), 1);
  assert_int_equal(jn_lu_factor(2, bad, pivot), 2);
}

static void hilbert_inverse_is_found_to_its_condition(void **state)
{
  (void)state;
  // Its inverse is made of integers: (-1)^(i+j) (i+j-1) C(n+i-1, n-j) C(n+j-1, n-i) C(i+j-2,
  // i-1)^2. Relative forward error <= 2 gamma(3n) cond for a backward error of gamma(3n) in norm, n
  // doubles it at most once more for norms; the data 1/(i+j-1) are rounded too.
  enum { n = 6 };
  const double condition = 1.495e7;
  double a[n * n], exact[n * n], x[n * n];
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= n; j++) {
      double c1 = 1, c2 = 1, c3 = 1;
      for (int t = 1; t <= n - j; t++) c1 = c1 * (n + i - t) / t;
      for (int t = 1; t <= n - i; t++) c2 = c2 * (n + j - t) / t;
      for (int t = 1; t <= i - 1; t++) c3 = c3 * (i + j - 1 - t) / t;
      exact[(i - 1) * n + j - 1] = ((i + j) % 2 ? -1.0 : 1.0) * (i + j - 1) * c1 * c2 * c3 * c3;
      a[(i - 1) * n + j - 1] = 1.0 / (i + j - 1);
    }
  double limit = 4.0 * n * gamma_of(3 * n + 1) * condition * frobenius(n * n, exact);
  int pivot[n];
  double f[n * n];
  for (int method = 0; method < 2; method++) {
    memcpy(f, a, sizeof a);
    for (int i = 0; i < n * n; i++) x[i] = i / n == i % n;
    if (method == 0) {
      assert_int_equal(jn_lu_factor(n, f, pivot), 0);
      jn_lu_solve(n, f, pivot, n, x);
    } else {
      jn_qr g = factor(n, n, a, 1e-12);
      for (int j = 0; j < n; j++) {
        double e[n] = {0}, column[n];
        e[j] = 1.0;
        jn_qr_solve(&g, e, column);
        for (int i = 0; i < n; i++) x[i * n + j] = column[i];
      }
      release(&g);
    }
    for (int i = 0; i < n * n; i++) x[i] -= exact[i];
    JT_LE(frobenius(n * n, x), limit);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(qr_of_any_shape_keeps_its_laws),
      cmocka_unit_test(qr_finds_the_exact_rank),
      cmocka_unit_test(zero_matrix_has_rank_zero),
      cmocka_unit_test(one_number_is_its_own_factor),
      cmocka_unit_test(rank_decision_shows_its_gap),
      cmocka_unit_test(equal_columns_are_chosen_in_their_order),
      cmocka_unit_test(scale_of_the_matrix_changes_nothing_but_the_scale),
      cmocka_unit_test(rank_of_denormals_and_of_graded_columns),
      cmocka_unit_test(rank_of_hilbert_and_vandermonde_follows_their_singular_values),
      cmocka_unit_test(input_survives_and_what_is_not_finite_is_refused),
      cmocka_unit_test(solve_may_write_over_its_right_side),
      cmocka_unit_test(cholesky_factors_to_rounding),
      cmocka_unit_test(cholesky_names_the_pivot_that_is_not_positive),
      cmocka_unit_test(lu_solves_to_rounding),
      cmocka_unit_test(lu_names_the_column_that_depends),
      cmocka_unit_test(hilbert_inverse_is_found_to_its_condition),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
