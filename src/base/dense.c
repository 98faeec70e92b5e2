#include "base/dense.h"

#include <math.h>

static int min_int(int a, int b)
{
  return a < b ? a : b;
}
static int max_int(int a, int b)
{
  return a < b ? b : a;
}

static void swap(double *a, double *b)
{
  double t = *a;
  *a = *b;
  *b = t;
}

// Length of x: scaled by its largest element, so that squares neither overflow nor vanish.
static double norm(int n, const double *x)
{
  double largest = 0.0, sum = 0.0;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
  if (!(largest > 0.0 && isfinite(largest))) return largest;
  for (int i = 0; i < n; i++) sum += (x[i] / largest) * (x[i] / largest);
  return largest * sqrt(sum);
}

// ---- Orthogonal factorisation ----

static void qr_place(jn_qr *f, jn_arena *arena)
{
  size_t m = (size_t)f->m, n = (size_t)f->n, least = (size_t)min_int(f->m, f->n);
  f->a = jn_arena_take(arena, m * n, sizeof *f->a);  // two ints: the product fits
  f->q = jn_arena_take(arena, least, sizeof *f->q);
  f->z = jn_arena_take(arena, least, sizeof *f->z);
  f->row = jn_arena_take(arena, n, sizeof *f->row);
  f->column = jn_arena_take(arena, (size_t)max_int(max_int(f->m, f->n), 1), sizeof *f->column);
  f->perm = f->order = jn_arena_take(arena, n, sizeof *f->order);
}

size_t jn_qr_size(int m, int n)
{
  jn_qr f = {.m = m, .n = n};
  jn_arena measure = {0};
  qr_place(&f, &measure);
  return jn_arena_size(&measure);
}

void *jn_qr_work(jn_pool *pool, int m, int n)
{
  unsigned char *at = jn_pool_alloc(pool, jn_qr_size(m, n) + JN_ARENA_ALIGN, 1);
  return at ? at + (-(uintptr_t)at & (JN_ARENA_ALIGN - 1)) : NULL;
}

// Copy A, scaled by a power of two to elements below 1: squares of lengths are then safe, and
// nothing is rounded. False if an element is not finite.
static int qr_load(jn_qr *f, const double *a)
{
  size_t count = (size_t)f->m * (size_t)f->n;
  double largest = 0.0;
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(a[i])) return 0;
    largest = fmax(largest, fabs(a[i]));
  }
  frexp(largest, &f->exponent);
  for (size_t i = 0; i < count; i++) f->a[i] = ldexp(a[i], -f->exponent);
  return 1;
}

// The reflector H = I - tau v v', v = (1, tail), with H (alpha, x) = (beta, 0); `square` is |x|^2
// (Golub & Van Loan, Matrix Computations, 5.1.3, in LAPACK's sign: alpha - beta never cancels).
// Returns tau; *alpha becomes beta, and x is to be multiplied by *scale to give the tail.
static double reflector(double *alpha, double square, double *scale)
{
  *scale = 1.0;
  if (square == 0.0) return 0.0;
  double beta = -copysign(sqrt(*alpha * *alpha + square), *alpha);
  double tau = (beta - *alpha) / beta;
  *scale = 1.0 / (*alpha - beta);
  *alpha = beta;
  return tau;
}

static void qr_swap_columns(jn_qr *f, int j, int k)
{
  if (j == k) return;
  for (int i = 0; i < f->m; i++) swap(&f->a[(size_t)i * f->n + j], &f->a[(size_t)i * f->n + k]);
  int t = f->order[j];
  f->order[j] = f->order[k];
  f->order[k] = t;
}

// Reflect column k onto its diagonal and apply the reflector to the columns right of it. `square`
// receives what is left of each below row k. Recomputed while the elements pass by, that costs next
// to nothing, and there is no down-dating that could cancel (Golub & Van Loan 5.4.2).
static void qr_column(jn_qr *f, int k, double *square, double *w)
{
  int m = f->m, n = f->n;
  double *head = f->a + (size_t)k * n, scale, below = 0.0;
  for (int i = k + 1; i < m; i++) below += f->a[(size_t)i * n + k] * f->a[(size_t)i * n + k];
  double tau = f->q[k] = reflector(&head[k], below, &scale);
  for (int i = k + 1; i < m; i++) f->a[(size_t)i * n + k] *= scale;

  for (int j = k + 1; j < n; j++) w[j] = head[j];
  for (int i = k + 1; i < m; i++) {
    const double *row = f->a + (size_t)i * n;
    for (int j = k + 1; j < n; j++) w[j] += row[k] * row[j];
  }
  for (int j = k + 1; j < n; j++) {
    head[j] -= tau * w[j];
    square[j] = 0.0;
  }
  for (int i = k + 1; i < m; i++) {
    double *row = f->a + (size_t)i * n, v = tau * row[k];
    for (int j = k + 1; j < n; j++) {
      row[j] -= v * w[j];
      square[j] += row[j] * row[j];
    }
  }
}

// [R11 R12] = [T 0] Z: reflect each row of R12 onto the diagonal, the last row first (Golub & Van
// Loan 5.4.7). The vectors replace R12.
static void qr_rows(jn_qr *f)
{
  int n = f->n, r = f->rank;
  for (int i = r - 1; i >= 0; i--) {
    double *row = f->a + (size_t)i * n, scale, square = 0.0;
    for (int j = r; j < n; j++) square += row[j] * row[j];
    double tau = f->z[i] = reflector(&row[i], square, &scale);
    for (int j = r; j < n; j++) row[j] *= scale;
    for (int l = 0; l < i; l++) {
      double *above = f->a + (size_t)l * n, w = above[i];
      for (int j = r; j < n; j++) w += above[j] * row[j];
      w *= tau;
      above[i] -= w;
      for (int j = r; j < n; j++) above[j] -= w * row[j];
    }
  }
}

int jn_qr_factor(jn_qr *f, int m, int n, const double *a, double tol, void *work)
{
  assert(m >= 0 && n >= 0 && tol >= 0.0 && tol < 1.0);
  *f = (jn_qr){.m = m, .n = n};
  tol = fmax(tol, 1e-150);
  jn_arena arena = {.base = work, .cap = SIZE_MAX};
  qr_place(f, &arena);
  for (int j = 0; j < n; j++) f->order[j] = j;
  if (!qr_load(f, a)) return f->rank = -1;

  // The squares wait in the scratch of the solves, which is not in use yet.
  double *square = f->column;
  for (int j = 0; j < n; j++) square[j] = 0.0;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) square[j] += f->a[(size_t)i * n + j] * f->a[(size_t)i * n + j];

  for (; f->rank < min_int(m, n); f->rank++) {
    int k = f->rank, longest = k;
    for (int j = k + 1; j < n; j++)
      // Equal lengths happen (a symmetric mechanism): the smaller index in A wins, whatever the
      // exchanges before have done to the order.
      if (square[j] > square[longest] ||
          (square[j] == square[longest] && f->order[j] < f->order[longest]))
        longest = j;
    double size = sqrt(square[longest]);
    if (k == 0) f->first = size;
    if (!(size > tol * f->first)) {
      f->next = size;
      break;
    }
    f->last = size;
    qr_swap_columns(f, k, longest);
    qr_column(f, k, square, f->row);
  }
  qr_rows(f);
  f->gap = f->rank ? f->next / f->last : 0.0;
  f->first = f->rank ? ldexp(f->first, f->exponent) : 0.0;
  f->last = ldexp(f->last, f->exponent);
  f->next = ldexp(f->next, f->exponent);
  return f->rank;
}

// x -= tau v (v' x) for the k-th vector of Q, v = (0 .. 0, 1, column k of A below the diagonal).
static void qr_reflect_q(const jn_qr *f, int k, double *x)
{
  const double *v = f->a + k;
  double w = x[k];
  for (int i = k + 1; i < f->m; i++) w += v[(size_t)i * f->n] * x[i];
  w *= f->q[k];
  x[k] -= w;
  for (int i = k + 1; i < f->m; i++) x[i] -= w * v[(size_t)i * f->n];
}

// The same for the k-th vector of Z, v = (0 .. 0, 1, 0 .. 0, row k of A from column rank on).
static void qr_reflect_z(const jn_qr *f, int k, double *x)
{
  const double *v = f->a + (size_t)k * f->n;
  double w = x[k];
  for (int j = f->rank; j < f->n; j++) w += v[j] * x[j];
  w *= f->z[k];
  x[k] -= w;
  for (int j = f->rank; j < f->n; j++) x[j] -= w * v[j];
}

double jn_qr_solve(const jn_qr *f, const double *b, double *x)
{
  int m = f->m, n = f->n, r = f->rank;
  double *t = f->column;
  for (int i = 0; i < m; i++) t[i] = b[i];
  for (int k = 0; k < r; k++) qr_reflect_q(f, k, t);  // Q' b
  double residual = norm(m - r, t + r);

  for (int i = r - 1; i >= 0; i--) {  // T y = (Q' b)_1
    for (int j = i + 1; j < r; j++) t[i] -= f->a[(size_t)i * n + j] * t[j];
    t[i] /= f->a[(size_t)i * n + i];
  }
  for (int j = r; j < n; j++) t[j] = 0.0;
  for (int k = 0; k < r; k++) qr_reflect_z(f, k, t);  // x = P Z' (y, 0)
  for (int j = 0; j < n; j++) x[f->order[j]] = ldexp(t[j], -f->exponent);
  return residual;
}

double jn_qr_solve_transposed(const jn_qr *f, const double *c, double *y)
{
  int m = f->m, n = f->n, r = f->rank;
  double *t = f->column;
  for (int j = 0; j < n; j++) t[j] = c[f->order[j]];
  for (int k = r - 1; k >= 0; k--) qr_reflect_z(f, k, t);  // Z P' c
  double residual = norm(n - r, t + r);

  for (int i = 0; i < r; i++) {  // T' u = (Z P' c)_1, in the order that reads T by rows
    t[i] /= f->a[(size_t)i * n + i];
    for (int j = i + 1; j < r; j++) t[j] -= f->a[(size_t)i * n + j] * t[i];
  }
  for (int i = r; i < m; i++) t[i] = 0.0;
  for (int k = r - 1; k >= 0; k--) qr_reflect_q(f, k, t);  // y = Q (u, 0)
  for (int i = 0; i < m; i++) y[i] = ldexp(t[i], -f->exponent);
  return residual;
}

void jn_qr_null(const jn_qr *f, double *basis)
{
  int n = f->n, r = f->rank, columns = n - r;
  double *t = f->column;
  for (int c = 0; c < columns; c++) {
    for (int j = 0; j < n; j++) t[j] = j == r + c;
    for (int k = 0; k < r; k++) qr_reflect_z(f, k, t);
    for (int j = 0; j < n; j++) basis[(size_t)f->order[j] * columns + c] = t[j];
  }
}

void jn_qr_left_null(const jn_qr *f, double *basis)
{
  int m = f->m, r = f->rank, columns = m - r;
  double *t = f->column;
  for (int c = 0; c < columns; c++) {
    for (int i = 0; i < m; i++) t[i] = i == r + c;
    for (int k = r - 1; k >= 0; k--) qr_reflect_q(f, k, t);
    for (int i = 0; i < m; i++) basis[(size_t)i * columns + c] = t[i];
  }
}

// ---- Square systems ----

// Row i of B less l times row j: the inner loop of every substitution below.
static void subtract_row(int k, double l, double *b, int i, int j)
{
  double *to = b + (size_t)i * k;
  const double *from = b + (size_t)j * k;
  for (int c = 0; c < k; c++) to[c] -= l * from[c];
}

static void divide_row(int k, double d, double *b, int i)
{
  for (int c = 0; c < k; c++) b[(size_t)i * k + c] /= d;
}

static void exchange_rows(int i, int j, int k, double *b)
{
  for (int c = 0; i != j && c < k; c++) swap(&b[(size_t)i * k + c], &b[(size_t)j * k + c]);
}

int jn_chol_factor(int n, double *a)
{
  for (int i = 0; i < n; i++) {
    double *row = a + (size_t)i * n;
    for (int j = 0; j <= i; j++) {
      const double *other = a + (size_t)j * n;
      double s = row[j];
      for (int l = 0; l < j; l++) s -= row[l] * other[l];
      if (j < i) row[j] = s / other[j];
      if (j == i && (!(s > 0.0) || !isfinite(s))) return i + 1;
      if (j == i) row[i] = sqrt(s);
    }
  }
  return 0;
}

int jn_lu_factor(int n, double *a, int *pivot)
{
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(a[(size_t)i * n + k]) > fabs(a[(size_t)p * n + k])) p = i;
    pivot[k] = p;
    exchange_rows(k, p, n, a);
    const double *head = a + (size_t)k * n;
    if (!(fabs(head[k]) > 0.0) || !isfinite(head[k])) return k + 1;
    for (int i = k + 1; i < n; i++) {
      double *row = a + (size_t)i * n;
      row[k] /= head[k];
      for (int j = k + 1; j < n; j++) row[j] -= row[k] * head[j];
    }
  }
  return 0;
}

void jn_lu_solve(int n, const double *lu, const int *pivot, int k, double *b)
{
  for (int i = 0; i < n; i++) exchange_rows(i, pivot[i], k, b);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) subtract_row(k, lu[(size_t)i * n + j], b, i, j);
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) subtract_row(k, lu[(size_t)i * n + j], b, i, j);
    divide_row(k, lu[(size_t)i * n + i], b, i);
  }
}

// ---- Eigenvalues ----

// Two rows or columns turned in their plane: x and y of n elements, each `apart` from the next.
static void turn(int n, double c, double s, double *x, double *y, int apart)
{
  for (int i = 0; i < n; i++, x += apart, y += apart) {
    const double was = *x;
    *x = c * was - s * *y;
    *y = s * was + c * *y;
  }
}

void jn_eigen(int n, double *a, double *v)
{
  const int nn = n * n;
  for (int i = 0; i < nn; i++) v[i] = i % (n + 1) == 0;
  for (int sweep = 0; sweep < 60; sweep++) {
    double off = 0.0, all = 0.0;
    for (int i = 0; i < nn; i++) {
      all += a[i] * a[i];
      if (i % (n + 1)) off += a[i] * a[i];
    }
    if (!(off > 1e-34 * all)) return;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        const double apq = a[p * n + q];
        if (apq == 0.0) continue;
        const double theta = (a[q * n + q] - a[p * n + p]) / (2.0 * apq);
        const double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
        const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
        turn(n, c, s, a + p, a + q, n);
        turn(n, c, s, a + p * n, a + q * n, 1);
        turn(n, c, s, v + p, v + q, n);
      }
  }
}
