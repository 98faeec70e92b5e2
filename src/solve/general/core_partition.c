// core_partition.c: the core without multipliers: dependent coordinates u eliminated [KiW sec. 4].
//
//   u = u0 + T v,  T = -J_u^-1 J_v;   R = (T; 1):   R' M R v = R' (f - M (u0; 0))
//
// Which coordinates are dependent is found by complete pivoting and kept until a pivot has fallen to a tenth of
// what it was then: a new choice is an event, decided by numbers alone. On the general path all coordinates are integrated, so
// no history has to be restarted.
#include <math.h>
#include <string.h>

#include "solve/general/dense_core.h"

static const double RANK_TOLERANCE = 1e-7;

static void choose(const jn_system *s, jn_data *d)
{
  jn_core_data *c = d->core;
  jn_core_unpack_rows(s, c, true, c->trial);
  c->split->rank = jn_pivots_choose(s->ncore_row, s->ncore, c->trial, RANK_TOLERANCE, c->rows,
                                    c->cols, c->first);
  if (c->split->rank > s->core_rank)
    c->split->rank = s->core_rank;  // redundant rows, apart by what loops are open
  d->events += c->split->chosen;    // the first choice is none
}

// L U of the dependent columns, all numbers comparable.
static bool factor_rows(const jn_system *s, jn_core_data *c, const double *first)
{
  const size_t r = (size_t)c->split->rank;
  for (size_t i = 0; i < r; i++)
    for (size_t j = 0; j < r; j++) {
      const int row = c->rows[i], column = c->cols[j];
      c->lu[i * r + j] = c->full_rows[(size_t)row * (size_t)s->ncore + (size_t)column] *
                         s->core_row_scale[row] * s->core_scale[column];
    }
  return jn_lu_fixed(c->split->rank, c->lu, first);
}

// Replaces (rows of) a right-hand side in the order of `rows` by dependent coordinates in the order of `cols`.
static void solve_rows(const jn_system *s, const jn_core_data *c, size_t columns, double *x)
{
  const size_t r = (size_t)c->split->rank;
  for (size_t i = 0; i < r; i++)
    for (size_t k = 0; k < columns; k++) x[i * columns + k] *= s->core_row_scale[c->rows[i]];
  jn_lu_fixed_solve(c->split->rank, c->lu, (int)columns, x);
  for (size_t i = 0; i < r; i++)
    for (size_t k = 0; k < columns; k++) x[i * columns + k] *= s->core_scale[c->cols[i]];
}

static double mass_at(const jn_core_data *c, size_t n, int i, int j)
{
  return c->full_mass[(size_t)i * n + (size_t)j];
}

void jn_core_partition_rows(const jn_system *s, jn_data *d)
{
  jn_core_data *c = d->core;
  const size_t n = (size_t)s->ncore;
  jn_core_unpack_rows(s, c, false, c->full_rows);
  if (s->ncore_row &&
      (!c->split->chosen || c->split->rank < s->core_rank || !factor_rows(s, c, c->first))) {
    choose(s, d);
    factor_rows(s, c, NULL);
    for (int i = 0; i < c->split->rank; i++)
      c->first[i] = __builtin_fabs(c->lu[(size_t)i * (size_t)c->split->rank + (size_t)i]);
    c->split->chosen = true;
  }
  if (!s->ncore_row)
    for (size_t j = 0; j < n; j++) c->cols[j] = (int)j;
  const size_t r = (size_t)c->split->rank, f = n - r;
  double least = INFINITY;
  for (size_t i = 0; i < r; i++) least = r_min(least, fabs(c->lu[i * r + i]));
  // Against its own best, not against other pivots: small ones are a matter of the loops' proportions. A run may begin beside a
  // singular position, so that its best is no less than a hundredth.
  c->split->largest = r_max(c->split->largest, r_max(r > 0 ? least : 1.0, 0.01));
  c->conditioning = r > 0 ? least / c->split->largest * (least / c->split->largest) : 1.0;
  for (size_t i = 0; i < r; i++)
    for (size_t j = 0; j < f; j++)
      c->t[i * f + j] = -c->full_rows[(size_t)c->rows[i] * n + (size_t)c->cols[r + j]];
  solve_rows(s, c, f, c->t);
}

void jn_core_partition_mass(const jn_system *s, jn_data *d)
{
  jn_core_data *c = d->core;
  const size_t n = (size_t)s->ncore, r = (size_t)c->split->rank, f = n - r;
  jn_core_unpack_mass(s, c, c->full_mass);
  for (size_t i = 0; i < n; i++)  // M R, rows in the order of cols
    for (size_t j = 0; j < f; j++) {
      double x = mass_at(c, n, c->cols[i], c->cols[r + j]);
      for (size_t k = 0; k < r; k++)
        x = r_fma(mass_at(c, n, c->cols[i], c->cols[k]), c->t[k * f + j], x);
      c->mr[i * f + j] = x;
    }
  for (size_t i = 0; i < f; i++)
    for (size_t j = 0; j <= i; j++) {
      double x = c->mr[(r + i) * f + j];
      for (size_t k = 0; k < r; k++) x = r_fma(c->t[k * f + i], c->mr[k * f + j], x);
      c->reduced[i * f + j] = x;
    }
  jn_chol_plain((int)f, c->reduced, (int)f);
}

static void factor(const jn_system *s, jn_data *d)
{
  jn_core_partition_rows(s, d);
  jn_core_partition_mass(s, d);
}

// ---- dependent coordinates alone -----------------------------------------------------------------------

void jn_core_rest(const jn_system *s, const jn_data *d, double *v)
{
  const jn_core_data *c = d->core;
  for (int i = 0; i < c->split->rank; i++) v[s->core_speed[c->cols[i]]] = 0.0;
}

void jn_core_follow(const jn_system *s, jn_data *d, const double *open, double *change)
{
  jn_core_data *c = d->core;
  for (int k = 0, at = 0; k < s->ncore_cut; k++) {
    const jn_cut *cut = &s->cut[s->core_cut[k]];
    for (int r = cut->row; r < cut->row + cut->nrow; r++) c->gamma[at++] = -open[r];
  }
  double *u = c->scratch;
  for (int i = 0; i < c->split->rank; i++) u[i] = c->gamma[c->rows[i]];
  solve_rows(s, c, 1, u);
  for (int i = 0; i < s->ncore; i++) change[s->core_speed[i]] = 0.0;
  for (int i = 0; i < c->split->rank; i++) change[s->core_speed[c->cols[i]]] = u[i];
}

static void solve(const jn_system *s, jn_data *d)
{
  jn_core_data *c = d->core;
  const size_t n = (size_t)s->ncore, r = (size_t)c->split->rank, f = n - r;
  double *u = c->scratch, *v = u + n, *g = v + n;
  for (size_t i = 0; i < r; i++) u[i] = c->gamma[c->rows[i]];
  solve_rows(s, c, 1, u);
  // f - M (u0; 0), then on the independent ones
  for (size_t i = 0; i < n; i++) {
    double x = c->still ? 0.0 : c->rhs[c->cols[i]];
    for (size_t k = 0; k < r; k++) x = r_fma(-mass_at(c, n, c->cols[i], c->cols[k]), u[k], x);
    g[i] = x;
  }
  for (size_t j = 0; j < f; j++) {
    double x = g[r + j];
    for (size_t k = 0; k < r; k++) x = r_fma(c->t[k * f + j], g[k], x);
    v[j] = x;
  }
  jn_chol_forward((int)f, c->reduced, (int)f, v);
  jn_chol_backward((int)f, c->reduced, (int)f, v);
  for (size_t i = 0; i < r; i++) {
    for (size_t j = 0; j < f; j++) u[i] = r_fma(c->t[i * f + j], v[j], u[i]);
    c->x[c->cols[i]] = u[i];
  }
  for (size_t j = 0; j < f; j++) c->x[c->cols[r + j]] = v[j];
  // J_u' lambda = (M x - f)_u
  memset(c->lambda, 0, (size_t)s->ncore_row * sizeof *c->lambda);
  for (size_t i = 0; i < r; i++) {
    double x = -g[i];
    for (size_t j = 0; j < f; j++) x = r_fma(c->mr[i * f + j], v[j], x);
    u[i] = x * s->core_scale[c->cols[i]];
  }
  jn_lu_fixed_solve_transposed((int)r, c->lu, u);
  for (size_t i = 0; i < r; i++) c->lambda[c->rows[i]] = u[i] * s->core_row_scale[c->rows[i]];
}

const jn_core_solver jn_core_partition = {.factor = factor, .solve = solve};
