// core_multipliers.c: the core with multipliers of its rows.
//
//   M x = f + J' l,  J x = g.   With M = L' L, y = L x, W = J L^-1:  y = L^-T f + W' l,  W y = g
//
// so that W W' l = g - W L^-T f. M, L, J and W are packed (packed.c). As many rows are kept as are independent in general, chosen by complete pivoting; others
// depend on them. Where those kept come near to dependent they are chosen anew; where that does not help, at a
// singular position, the orthogonal factors of W answer: of all multipliers the shortest ones, and of the
// demanded accelerations what can be met.
#include <string.h>

#include "solve/general/dense_core.h"

// What is left of a row's square beside those before it, over the largest that it ever was. (Over its present square
// would not do: at a dead centre a row vanishes alone.) Multipliers have an error of rounding over this; orthogonal
// factors, one of rounding over its root. `reference` takes them early.
static const double CHOOSE_ANEW = 1e-4;
static const double SPREAD = 1e-12;  // of squares of rows, between heavy bodies and light ones
static const double DEPENDENT = 1e-7, DEPENDENT_REFERENCE = 0.05;
static const double RANK_TOLERANCE = 2e-8, REDUNDANT_TOLERANCE = 3e-7;

static void choose_rows(const jn_system *s, jn_data *d)
{
  jn_core_data *c = d->core;
  jn_core_unpack_rows(s, c, true, c->trial);
  jn_pivots_choose(s->ncore_row, s->ncore, c->trial, 0.0, c->trial_rows, c->trial_cols,
                   c->trial_pivot);
  // Rising, so that the order of sums does not depend on how large pivots are.
  bool *keep = c->keep;
  memset(keep, 0, (size_t)s->ncore_row * sizeof *keep);
  for (int i = 0; i < s->core_rank; i++) keep[c->trial_rows[i]] = true;
  for (int r = 0, i = 0; r < s->ncore_row; r++)
    if (keep[r]) c->pick[i++] = r;
  d->events += c->choice->chosen;  // the first choice is none
  c->choice->chosen = true;
}

// A kept row of W and where its numbers belong.
typedef struct image {
  int n;
  const int *column;
  double *w;
} image;

static image image_of(const jn_system *s, const jn_core_data *c, int i)
{
  const int row = c->pick[i];
  const jn_support *u = &s->core_support[s->core_row_cut[row]];
  return (image){u->n, u->column, c->w + s->core_row_first[row]};
}

static double times(image k, const double *y)
{
  double x = 0.0;
  for (int i = 0; i < k.n; i++) x = r_fma(k.w[i], y[k.column[i]], x);
  return x;
}

// Returns how far the rows kept are from dependent.
static double factor_kept(const jn_system *s, jn_data *d)
{
  jn_core_data *c = d->core;
  const int m = s->core_rank;
  double *out = c->schur;
  for (int i = 0; i < m; i++) {
    const int row = c->pick[i];
    const image own = image_of(s, c, i);
    memcpy(own.w, c->jacobian + s->core_row_first[row], (size_t)own.n * sizeof *own.w);
    jn_packed_first_row(s, c->chol, &s->core_support[s->core_row_cut[row]], own.w);
    for (int k = 0; k < own.n; k++) c->spread[own.column[k]] = own.w[k];
    for (int j = 0; j <= i; j++) *out++ = times(image_of(s, c, j), c->spread);
    for (int k = 0; k < own.n; k++) c->spread[own.column[k]] = 0.0;
    const double square = out[-1], scale = s->core_row_scale[row];
    c->square[row] = r_max(c->square[row], square);
    c->choice->largest = r_max(c->choice->largest, square * scale * scale);
  }
  jn_triangle_factor(m, c->schur);
  double conditioning = 1.0;
  const double *diagonal = c->schur;
  for (int i = 0; i < m; diagonal += ++i + 1) {
    // A row that was never large, at a run's beginning, is judged by the largest of all.
    const double inverse = *diagonal, scale = s->core_row_scale[c->pick[i]];
    const double square =
        r_max(c->square[c->pick[i]], SPREAD * c->choice->largest / (scale * scale));
    const double left = 1.0 / (inverse * inverse * square);
    c->unit[i] = 1.0 / r_sqrt(square);
    conditioning = r_min(conditioning, left);
    conditioning = left == left ? conditioning : 0.0;
  }
  return conditioning;
}

static void factor(const jn_system *s, jn_data *d)
{
  jn_core_data *c = d->core;
  const size_t n = (size_t)s->ncore, m = (size_t)s->core_rank;
  memcpy(c->chol, c->mass, (size_t)s->core_first[n] * sizeof *c->chol);
  jn_packed_factor(s, c->chol);
  c->degenerate = false;
  c->conditioning = 1.0;
  if (!m) return;
  if (!c->choice->chosen) choose_rows(s, d);
  c->conditioning = factor_kept(s, d);
  // A choice that did not help is not tried again before things have changed.
  const bool tried =
      c->conditioning > 0.1 * c->choice->tried && c->conditioning < 10.0 * c->choice->tried;
  if (!(c->conditioning > CHOOSE_ANEW) && !tried) {
    const double before = c->conditioning;
    memcpy(c->pick_before, c->pick, m * sizeof *c->pick);
    choose_rows(s, d);
    c->conditioning = factor_kept(s, d);
    c->choice->tried = 0.0;
    if (!(c->conditioning >
          10.0 * before)) {  // no better: the position is to blame, not the choice
      c->choice->tried = before;
      memcpy(c->pick, c->pick_before, m * sizeof *c->pick);
      c->conditioning = factor_kept(s, d);
    }
  }
  if (c->conditioning > (d->closing ? DEPENDENT_REFERENCE : DEPENDENT)) return;
  memset(c->all, 0, m * n * sizeof *c->all);
  for (size_t i = 0; i < m; i++) {  // each of length one at its best
    const image k = image_of(s, c, (int)i);
    for (int j = 0; j < k.n; j++) c->all[i * n + (size_t)k.column[j]] = k.w[j] * c->unit[i];
  }
  c->degenerate = jn_qr_factor(&c->qr, (int)m, s->ncore, c->all, RANK_TOLERANCE, c->qr_work) >= 0;
  d->events++;
}

static void solve(const jn_system *s, jn_data *d)
{
  jn_core_data *c = d->core;
  const size_t n = (size_t)s->ncore, m = (size_t)s->core_rank, all = (size_t)s->ncore_row;
  double *y = c->x;
  if (c->still) {
    memset(y, 0, n * sizeof *y);
  } else {
    memcpy(y, c->rhs, n * sizeof *y);
    jn_packed_first(s, c->chol, y);
  }
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
      l[i] = c->gamma[c->pick[i]];
      if (!c->still) l[i] -= times(image_of(s, c, (int)i), y);
    }
    jn_triangle_solve((int)m, c->schur, l);
    for (size_t i = 0; i < m; i++) {
      const image k = image_of(s, c, (int)i);
      c->lambda[c->pick[i]] = l[i];
      for (int j = 0; j < k.n; j++) y[k.column[j]] = r_fma(k.w[j], l[i], y[k.column[j]]);
    }
  }
  jn_packed_second(s, c->chol, y);
}

const jn_core_solver jn_core_multipliers = {.factor = factor, .solve = solve};

// Multipliers of redundant rows: of all that hold the same, the shortest, with moments as forces over the size of what
// loops span. J' l is given by those of the rows kept.
void jn_multipliers_shorten(const jn_system *s, jn_data *d)
{
  jn_core_data *c = d->core;
  const size_t n = (size_t)s->ncore, all = (size_t)s->ncore_row;
  double *held = c->scratch, *l = c->scratch + n;
  memset(held, 0, n * sizeof *held);
  jn_core_unpack_rows(s, c, false, c->every);
  for (size_t i = 0; i < all; i++)
    for (size_t j = 0; j < n; j++) {
      held[j] = r_fma(c->lambda[i], c->every[i * n + j], held[j]);
      c->every[i * n + j] *= s->core_row_scale[i];
    }
  jn_qr f;
  if (jn_qr_factor(&f, s->ncore_row, s->ncore, c->every, REDUNDANT_TOLERANCE, c->every_work) < 0)
    return;
  jn_qr_solve_transposed(&f, held, l);
  for (size_t i = 0; i < all; i++) c->lambda[i] = l[i] * s->core_row_scale[i];
}
