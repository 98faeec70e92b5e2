// multipliers.c: the core with multipliers of its rows.
//
//   M x = f + J' l,  J x = g.   With M = L L', y = L' x, W = J L^-T:  y = L^-1 f + W' l,  W y = g
//
// so that W W' l = g - W L^-1 f. As many rows are kept as are independent in general, chosen by complete pivoting; others
// depend on them. Where those kept come near to dependent they are chosen anew; where that does not help, at a
// singular position, the orthogonal factors of W answer: of all multipliers the shortest ones, and of the
// demanded accelerations what can be met.
#include <string.h>

#include "dyn/core.h"

// What is left of a row's square beside those before it, over the largest that it ever was. (Over its present square
// would not do: at a dead centre a row vanishes by itself.) Multipliers have an error of rounding over this; orthogonal
// factors, one of rounding over its root. `reference` takes them early.
static const double CHOOSE_ANEW = 1e-4;
static const double SPREAD = 1e-12;  // of squares of rows, between heavy bodies and light ones
static const double DEPENDENT = 1e-7, DEPENDENT_REFERENCE = 0.05;
static const double RANK_TOLERANCE = 2e-8, REDUNDANT_TOLERANCE = 3e-7;

static void choose_rows(const jn_system *s, jn_data *d)
{
  jn_core_data *c = d->core;
  for (int i = 0; i < s->ncore_row; i++)
    for (int j = 0; j < s->ncore; j++)
      c->trial[(size_t)i * (size_t)s->ncore + (size_t)j] = jn_core_scaled(s, c, i, j);
  jn_pivots_choose(s->ncore_row, s->ncore, c->trial, 0.0, c->rows, c->cols, c->first);
  // Rising, so that the order of sums does not depend on how large pivots are.
  bool *keep = c->keep;
  memset(keep, 0, (size_t)s->ncore_row * sizeof *keep);
  for (int i = 0; i < s->core_rank; i++) keep[c->rows[i]] = true;
  for (int r = 0, i = 0; r < s->ncore_row; r++)
    if (keep[r]) c->pick[i++] = r;
  d->events += c->chosen;  // the first choice is none
  c->chosen = true;
}

// Returns how far the rows kept are from dependent.
static double factor_kept(const jn_system *s, jn_data *d)
{
  jn_core_data *c = d->core;
  const size_t n = (size_t)s->ncore, m = (size_t)s->core_rank;
  for (size_t i = 0; i < m; i++) {
    memcpy(c->w + i * n, c->jacobian + (size_t)c->pick[i] * n, n * sizeof *c->w);
    jn_chol_forward(s->ncore, c->chol, s->ncore, c->w + i * n);
  }
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j <= i; j++) {
      double x = 0.0;
      for (size_t k = 0; k < n; k++) x = r_fma(c->w[i * n + k], c->w[j * n + k], x);
      c->schur[i * m + j] = x;
    }
  for (size_t i = 0; i < m; i++) {
    const double scale = s->core_row_scale[c->pick[i]];
    c->square[c->pick[i]] = r_max(c->square[c->pick[i]], c->schur[i * m + i]);
    c->largest = r_max(c->largest, c->schur[i * m + i] * scale * scale);
  }
  jn_chol_plain((int)m, c->schur, (int)m);
  double weakest = 1.0;
  for (size_t i = 0; i < m; i++) {
    // A row that was never large, at a run's beginning, is judged by the largest of all.
    const double pivot = c->schur[i * m + i], scale = s->core_row_scale[c->pick[i]];
    const double square = r_max(c->square[c->pick[i]], SPREAD * c->largest / (scale * scale));
    c->unit[i] = 1.0 / r_sqrt(square);
    weakest = r_min(weakest, pivot * pivot / square);
    weakest = pivot == pivot ? weakest : 0.0;
  }
  return weakest;
}

void jn_multipliers_factor(const jn_system *s, jn_data *d)
{
  jn_core_data *c = d->core;
  const size_t n = (size_t)s->ncore, m = (size_t)s->core_rank;
  memcpy(c->chol, c->mass, n * n * sizeof *c->chol);
  jn_chol_plain(s->ncore, c->chol, s->ncore);
  c->degenerate = false;
  c->weakest = 1.0;
  if (!m) return;
  if (!c->chosen) choose_rows(s, d);
  c->weakest = factor_kept(s, d);
  // A choice that did not help is not tried again before things have changed.
  const bool tried = c->weakest > 0.1 * c->tried && c->weakest < 10.0 * c->tried;
  if (!(c->weakest > CHOOSE_ANEW) && !tried) {
    const double before = c->weakest;
    memcpy(c->pick_before, c->pick, m * sizeof *c->pick);
    choose_rows(s, d);
    c->weakest = factor_kept(s, d);
    c->tried = 0.0;
    if (!(c->weakest > 10.0 * before)) {  // no better: the position is to blame, not the choice
      c->tried = before;
      memcpy(c->pick, c->pick_before, m * sizeof *c->pick);
      c->weakest = factor_kept(s, d);
    }
  }
  if (c->weakest > (d->closing ? DEPENDENT_REFERENCE : DEPENDENT)) return;
  for (size_t i = 0; i < m; i++)  // each of length one at its best
    for (size_t k = 0; k < n; k++) c->all[i * n + k] = c->w[i * n + k] * c->unit[i];
  c->degenerate = jn_qr_factor(&c->qr, (int)m, s->ncore, c->all, RANK_TOLERANCE, c->qr_work) >= 0;
  d->events++;
}

void jn_multipliers_solve(const jn_system *s, jn_data *d)
{
  jn_core_data *c = d->core;
  const size_t n = (size_t)s->ncore, m = (size_t)s->core_rank, all = (size_t)s->ncore_row;
  double *y = c->x;
  memcpy(y, c->rhs, n * sizeof *y);
  jn_chol_forward(s->ncore, c->chol, s->ncore, y);
  memset(c->lambda, 0, all * sizeof *c->lambda);
  if (c->degenerate) {
    double *left = c->scratch;
    for (size_t i = 0; i < m; i++) {
      double x = c->gamma[c->pick[i]] * c->unit[i];
      for (size_t k = 0; k < n; k++) x = r_fma(-c->all[i * n + k], y[k], x);
      left[i] = x;
    }
    double *step = c->scratch + (m > n ? m : n);
    jn_qr_solve(&c->qr, left, step);
    for (size_t k = 0; k < n; k++) y[k] += step[k];
    jn_qr_solve_transposed(&c->qr, step, left);
    for (size_t i = 0; i < m; i++) c->lambda[c->pick[i]] = left[i] * c->unit[i];
  } else if (m) {
    double *l = c->scratch;
    for (size_t i = 0; i < m; i++) {
      double x = c->gamma[c->pick[i]];
      for (size_t k = 0; k < n; k++) x = r_fma(-c->w[i * n + k], y[k], x);
      l[i] = x;
    }
    jn_chol_forward((int)m, c->schur, (int)m, l);
    jn_chol_backward((int)m, c->schur, (int)m, l);
    for (size_t i = 0; i < m; i++) {
      c->lambda[c->pick[i]] = l[i];
      for (size_t k = 0; k < n; k++) y[k] = r_fma(c->w[i * n + k], l[i], y[k]);
    }
  }
  jn_chol_backward(s->ncore, c->chol, s->ncore, y);
}

// Multipliers of redundant rows: of all that hold the same, the shortest, with moments as forces over the size of what
// loops span. J' l is given by those of the rows kept.
void jn_multipliers_shorten(const jn_system *s, jn_data *d)
{
  jn_core_data *c = d->core;
  const size_t n = (size_t)s->ncore, all = (size_t)s->ncore_row;
  double *held = c->scratch, *l = c->scratch + n;
  memset(held, 0, n * sizeof *held);
  for (size_t i = 0; i < all; i++)
    for (size_t j = 0; j < n; j++) {
      const double x = c->jacobian[i * n + j];
      held[j] = r_fma(c->lambda[i], x, held[j]);
      c->every[i * n + j] = x * s->core_row_scale[i];
    }
  jn_qr f;
  if (jn_qr_factor(&f, s->ncore_row, s->ncore, c->every, REDUNDANT_TOLERANCE, c->every_work) < 0)
    return;
  jn_qr_solve_transposed(&f, held, l);
  for (size_t i = 0; i < all; i++) c->lambda[i] = l[i] * s->core_row_scale[i];
}
