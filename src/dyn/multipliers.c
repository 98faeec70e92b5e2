// multipliers.c: the core with multipliers of its rows.
//
//   M x = f + J' l,  J x = g.   With M = L L', y = L' x, W = J L^-T:  y = L^-1 f + W' l,  W y = g
//
// so that W W' l = g - W L^-1 f. Rows that depend on others in every position were left out when the system was
// made. Where the kept ones depend too, at a singular position, the orthogonal factors of W answer: of all
// multipliers the shortest ones, and of the demanded accelerations what can be met.
#include <string.h>

#include "dyn/core.h"

// What is left of a row's square beside those before it, over the largest that it ever was, below which it counts as
// dependent. (Over its present square would not do: at a dead centre a row vanishes by itself.) Multipliers have an error of
// rounding over this; orthogonal factors, one of rounding over its root. `reference` takes them early.
static const double DEPENDENT = 1e-7, DEPENDENT_REFERENCE = 0.05;
static const double RANK_TOLERANCE = 3e-7;

void jn_multipliers_factor(const jn_system *s, jn_data *d)
{
  jn_core_data *c = d->core;
  const size_t n = (size_t)s->ncore, m = (size_t)s->core_rank;
  memcpy(c->chol, c->mass, n * n * sizeof *c->chol);
  jn_chol_plain(s->ncore, c->chol, s->ncore);
  c->degenerate = false;
  c->weakest = 1.0;
  if (!m) return;
  for (size_t i = 0; i < m; i++) {
    memcpy(c->w + i * n, c->jacobian + (size_t)s->core_pick[i] * n, n * sizeof *c->w);
    jn_chol_forward(s->ncore, c->chol, s->ncore, c->w + i * n);
  }
  bool dependent = s->core_rank < s->core_generic;
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j <= i; j++) {
      double x = 0.0;
      for (size_t k = 0; k < n; k++) x = r_fma(c->w[i * n + k], c->w[j * n + k], x);
      c->schur[i * m + j] = x;
      if (i == j) c->square[i] = r_max(c->square[i], x);
    }
  jn_chol_plain((int)m, c->schur, (int)m);
  for (size_t i = 0; i < m; i++) {
    double pivot = c->schur[i * m + i];
    double sine = pivot * pivot / c->square[i];
    dependent |= !(sine > (d->closing ? DEPENDENT_REFERENCE : DEPENDENT));
    c->weakest = r_min(c->weakest, sine);
  }
  if (!dependent) return;
  // An event: rows of all cut joints in orthogonal factors, scaled to be comparable.
  size_t at = 0;
  for (int k = 0; k < s->ncore_cut; k++)
    for (int r = 0; r < s->cut[s->core_cut[k]].nrow; r++, at++) {
      double *row = c->all + at * n;
      c->unit[at] = s->length_scale[s->cut[s->core_cut[k]].row + r];
      for (size_t l = 0; l < n; l++) row[l] = c->jacobian[at * n + l] * c->unit[at];
      jn_chol_forward(s->ncore, c->chol, s->ncore, row);
    }
  if (jn_qr_factor(&c->qr, s->ncore_row, s->ncore, c->all, RANK_TOLERANCE, c->qr_work) >= 0)
    c->degenerate = true;
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
    for (size_t i = 0; i < all; i++) {
      double x = c->gamma[i] * c->unit[i];
      for (size_t k = 0; k < n; k++) x = r_fma(-c->all[i * n + k], y[k], x);
      left[i] = x;
    }
    double *step = c->scratch + (all > n ? all : n);
    jn_qr_solve(&c->qr, left, step);
    for (size_t k = 0; k < n; k++) y[k] += step[k];
    jn_qr_solve_transposed(&c->qr, step, left);
    for (size_t i = 0; i < all; i++) c->lambda[i] = left[i] * c->unit[i];
  } else if (m) {
    double *l = c->scratch;
    for (size_t i = 0; i < m; i++) {
      double x = c->gamma[s->core_pick[i]];
      for (size_t k = 0; k < n; k++) x = r_fma(-c->w[i * n + k], y[k], x);
      l[i] = x;
    }
    jn_chol_forward((int)m, c->schur, (int)m, l);
    jn_chol_backward((int)m, c->schur, (int)m, l);
    for (size_t i = 0; i < m; i++) {
      c->lambda[s->core_pick[i]] = l[i];
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
  size_t at = 0;
  for (int k = 0; k < s->ncore_cut; k++)
    for (int r = 0; r < s->cut[s->core_cut[k]].nrow; r++, at++) {
      c->unit[at] = s->length_scale[s->cut[s->core_cut[k]].row + r];
      for (size_t j = 0; j < n; j++) {
        const double x = c->jacobian[at * n + j];
        held[j] = r_fma(c->lambda[at], x, held[j]);
        c->all[at * n + j] = x * c->unit[at];
      }
    }
  if (jn_qr_factor(&c->qr, s->ncore_row, s->ncore, c->all, RANK_TOLERANCE, c->qr_work) < 0) return;
  jn_qr_solve_transposed(&c->qr, held, l);
  for (size_t i = 0; i < all; i++) c->lambda[i] = l[i] * c->unit[i];
}
