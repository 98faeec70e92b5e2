// packed.c: factors of the core's matrices without their structural zeros.
//
//   A = L' L,  L lower triangular, found from the last row to the first:
//
//   l_kk = sqrt(a_kk),  l_kp = a_kp / l_kk,  and from each row p before k:  a_pq -= l_kp l_kq,  q <= p
//
// Rows are packed along paths (plan/system.h): the row of a coordinate on another one's path lies along the
// beginning of that path, so that the innermost loops run over neighbours in memory, with no index and no sum to wait for.
// Diagonals are inverted, because everyone divides by them. A pivot that is not positive gives NaN, which is found later.
#include <string.h>

#include "solve/general/dense_core.h"

// y - f x
static inline void subtract(int n, double f, const double *restrict x, double *restrict y)
{
  for (int i = 0; i < n; i++) y[i] = r_fma(-f, x[i], y[i]);
}

static double scale_row(int n, double *row)
{
  const double inverse = 1.0 / r_sqrt(row[n - 1]);
  row[n - 1] = inverse;
  for (int p = 0; p < n - 1; p++) row[p] *= inverse;
  return inverse;
}

// ---- along paths ----------------------------------------------------------------------------------

void jn_packed_factor(const jn_system *s, double *a)
{
  for (int k = s->ncore - 1; k >= 0; k--) {
    const int first = s->core_first[k], n = s->core_depth[k];
    double *row = a + first;
    scale_row(n, row);
    for (int p = n - 2; p >= 0; p--)
      subtract(p + 1, row[p], row, a + s->core_first[s->core_path[first + p]]);
  }
}

void jn_packed_first(const jn_system *s, const double *l, double *b)
{
  for (int k = s->ncore - 1; k >= 0; k--) {
    const int first = s->core_first[k], n = s->core_depth[k], *path = s->core_path + first;
    const double *row = l + first, x = b[k] * row[n - 1];
    b[k] = x;
    for (int p = 0; p < n - 1; p++) b[path[p]] = r_fma(-row[p], x, b[path[p]]);
  }
}

void jn_packed_second(const jn_system *s, const double *l, double *b)
{
  for (int k = 0; k < s->ncore; k++) {
    const int first = s->core_first[k], n = s->core_depth[k], *path = s->core_path + first;
    const double *row = l + first;
    double x = b[k];
    for (int p = 0; p < n - 1; p++) x = r_fma(-row[p], b[path[p]], x);
    b[k] = x * row[n - 1];
  }
}

void jn_packed_first_row(const jn_system *s, const double *l, const jn_support *u, double *w)
{
  double *own = w + u->common + u->a;  // on the second body's path alone
  for (int i = u->n - 1; i >= 0; i--) {
    const int k = u->column[i], second = i - u->common - u->a;
    const double *row = l + s->core_first[k], x = w[i] * row[s->core_depth[k] - 1];
    w[i] = x;
    subtract(second >= 0 ? u->common : i, x, row, w);
    subtract(second, x, row + u->common, own);
  }
}

// ---- whole triangles: row i begins at i (i + 1) / 2 -------------------------------------------------

static double *triangle_row(const double *a, int i)
{
  return (double *)a + (size_t)i * (size_t)(i + 1) / 2;
}

void jn_triangle_factor(int n, double *a)
{
  for (int k = n - 1; k >= 0; k--) {
    double *row = triangle_row(a, k);
    scale_row(k + 1, row);
    for (int p = k - 1; p >= 0; p--) subtract(p + 1, row[p], row, triangle_row(a, p));
  }
}

void jn_triangle_solve(int n, const double *l, double *b)
{
  for (int k = n - 1; k >= 0; k--) {  // L^-T
    const double *row = triangle_row(l, k);
    b[k] *= row[k];
    subtract(k, b[k], row, b);
  }
  for (int k = 0; k < n; k++) {  // L^-1
    const double *row = triangle_row(l, k);
    double x = b[k];
    for (int p = 0; p < k; p++) x = r_fma(-row[p], b[p], x);
    b[k] = x * row[k];
  }
}

// ---- unpacked ---------------------------------------------------------------------------------------

void jn_core_unpack_rows(const jn_system *s, const jn_core_data *c, bool scaled, double *rows)
{
  const size_t n = (size_t)s->ncore;
  memset(rows, 0, (size_t)s->ncore_row * n * sizeof *rows);
  for (int r = 0; r < s->ncore_row; r++) {
    const jn_support *u = &s->core_support[s->core_row_cut[r]];
    const double *row = c->jacobian + s->core_row_first[r];
    double *out = rows + (size_t)r * n;
    for (int i = 0; i < u->n; i++) {
      const int k = u->column[i];
      out[k] = scaled ? row[i] * s->core_row_scale[r] * s->core_scale[k] : row[i];
    }
  }
}

void jn_core_unpack_mass(const jn_system *s, const jn_core_data *c, double *mass)
{
  const size_t n = (size_t)s->ncore;
  memset(mass, 0, n * n * sizeof *mass);
  for (size_t k = 0; k < n; k++)
    for (int i = s->core_first[k]; i < s->core_first[k + 1]; i++) {
      const size_t other = (size_t)s->core_path[i];
      mass[k * n + other] = mass[other * n + k] = c->mass[i];
    }
}
