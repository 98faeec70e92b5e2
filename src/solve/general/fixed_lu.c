// fixed_lu.c: dense factorisations inside a step, of a size known when the system was made.
#include <math.h>

#include "solve/general/dense_core.h"

// Elements may grow by this much in an elimination without a search for pivots: the digits that are lost. In a
// row of forty parallelograms they grow by 2.2 each, to 1e14, with every pivot still as good as new.
static const double GROWTH = 1e3;

static void swap_int(int *a, int *b)
{
  int t = *a;
  *a = *b;
  *b = t;
}

int jn_pivots_choose(int m, int n, double *a, double tolerance, int *rows, int *cols, double *first)
{
  const size_t w = (size_t)n;
  const int least = m < n ? m : n;
  double largest = 0.0;
  for (int i = 0; i < m; i++) rows[i] = i;
  for (int j = 0; j < n; j++) cols[j] = j;
  int rank = 0;
  for (; rank < least; rank++) {
    int pi = -1, pj = -1;
    double best = 0.0;
    // Ties go to what stands first: the order depends on numbers alone where they differ, on names where not.
    for (int j = rank; j < n; j++)
      for (int i = rank; i < m; i++) {
        double x = fabs(a[(size_t)rows[i] * w + (size_t)cols[j]]);
        if (x > best * (1.0 + 1e-9)) best = x, pi = i, pj = j;
      }
    if (rank == 0) largest = best;
    if (pi < 0 || !(best > tolerance * largest)) break;
    swap_int(&rows[rank], &rows[pi]);
    swap_int(&cols[rank], &cols[pj]);
    first[rank] = best;
    const double *pivot = a + (size_t)rows[rank] * w;
    for (int i = rank + 1; i < m; i++) {
      double *row = a + (size_t)rows[i] * w;
      double f = row[cols[rank]] / pivot[cols[rank]];
      for (int j = rank + 1; j < n; j++) row[cols[j]] = r_fma(-f, pivot[cols[j]], row[cols[j]]);
    }
  }
  for (int i = rank; i < least; i++) first[i] = 0.0;
  return rank;
}

static double largest_of(size_t n, const double *a)
{
  double most = 0.0;
  for (size_t i = 0; i < n; i++) most = r_max(most, fabs(a[i]));
  return most;
}

bool jn_lu_fixed(int n, double *a, const double *first)
{
  const size_t w = (size_t)n;
  bool good = true;
  const double most = largest_of(w * w, a);
  for (int k = 0; k < n; k++) {
    const double *pivot = a + (size_t)k * w;
    const double inverse = 1.0 / pivot[k];
    if (first) good &= fabs(pivot[k]) >= 0.1 * first[k];
    for (int i = k + 1; i < n; i++) {
      double *row = a + (size_t)i * w, f = row[k] * inverse;
      row[k] = f;
      for (int j = k + 1; j < n; j++) row[j] = r_fma(-f, pivot[j], row[j]);
    }
  }
  return good & (largest_of(w * w, a) <= GROWTH * most);
}

void jn_lu_fixed_solve(int n, const double *lu, int k, double *b)
{
  const size_t w = (size_t)n, c = (size_t)k;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      for (size_t l = 0; l < c; l++)
        b[(size_t)i * c + l] =
            r_fma(-lu[(size_t)i * w + (size_t)j], b[(size_t)j * c + l], b[(size_t)i * c + l]);
  for (int i = n - 1; i >= 0; i--) {
    const double inverse = 1.0 / lu[(size_t)i * w + (size_t)i];
    for (int j = i + 1; j < n; j++)
      for (size_t l = 0; l < c; l++)
        b[(size_t)i * c + l] =
            r_fma(-lu[(size_t)i * w + (size_t)j], b[(size_t)j * c + l], b[(size_t)i * c + l]);
    for (size_t l = 0; l < c; l++) b[(size_t)i * c + l] *= inverse;
  }
}

void jn_lu_fixed_solve_transposed(int n, const double *lu, double *b)
{
  const size_t w = (size_t)n;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) b[i] = r_fma(-lu[(size_t)j * w + (size_t)i], b[j], b[i]);
    b[i] /= lu[(size_t)i * w + (size_t)i];
  }
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++) b[i] = r_fma(-lu[(size_t)j * w + (size_t)i], b[j], b[i]);
}

void jn_chol_plain(int n, double *a, int stride)
{
  const size_t w = (size_t)stride;
  for (int i = 0; i < n; i++) {
    double *row = a + (size_t)i * w;
    for (int j = 0; j < i; j++) {
      const double *other = a + (size_t)j * w;
      double x = row[j];
      for (int k = 0; k < j; k++) x = r_fma(-row[k], other[k], x);
      row[j] = x / other[j];
    }
    double x = row[i];
    for (int k = 0; k < i; k++) x = r_fma(-row[k], row[k], x);
    row[i] = r_sqrt(x);
  }
}

void jn_chol_forward(int n, const double *l, int stride, double *b)
{
  for (int i = 0; i < n; i++) {
    const double *row = l + (size_t)i * (size_t)stride;
    double x = b[i];
    for (int k = 0; k < i; k++) x = r_fma(-row[k], b[k], x);
    b[i] = x / row[i];
  }
}

void jn_chol_backward(int n, const double *l, int stride, double *b)
{
  for (int i = n - 1; i >= 0; i--) {
    double x = b[i];
    for (int k = i + 1; k < n; k++) x = r_fma(-l[(size_t)k * (size_t)stride + (size_t)i], b[k], x);
    b[i] = x / l[(size_t)i * (size_t)stride + (size_t)i];
  }
}
