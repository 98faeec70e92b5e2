// conditions.c: how far rounding is multiplied in a solution: by constraint rows and by the mass matrix.
#include "states.h"

// Frobenius norm of T times that of its inverse, T the triangle of the orthogonal factors of the rows in c->j: at least the
// condition number, at most rank times that. INFINITY: of lower rank than in general.
static double condition_of(const jn_system *s, int rank, jt_closer *c)
{
  jn_qr f;
  if (jn_qr_factor(&f, s->nrow, s->nv, c->j, 1e-8, c->work) < rank) return INFINITY;
  const size_t n = (size_t)s->nv, m = (size_t)rank;
  double norm = 0.0, inverse = 0.0, *x = c->x;
  for (size_t i = 0; i < m; i++)
    for (size_t j = i; j < m; j++) norm += f.a[i * n + j] * f.a[i * n + j];
  for (size_t column = 0; column < m; column++)
    for (size_t i = column + 1; i-- > 0;) {
      double sum = i == column ? 1.0 : 0.0;
      for (size_t j = i + 1; j <= column; j++) sum -= f.a[i * n + j] * x[j];
      x[i] = sum / f.a[i * n + i];
      inverse += x[i] * x[i];
    }
  return sqrt(norm * inverse);
}

// Mass matrix of all coordinates from composite bodies, scaled to ones on its diagonal: elimination is the same with any such
// scaling. Lower triangle.
static bool fill_mass(const jt_run *run, double *m)
{
  const jn_system *s = run->s;
  const jn_data *d = run->d;
  const size_t n = (size_t)s->nv;
  si *composite = calloc((size_t)s->nbody, sizeof *composite);
  if (!composite) return false;
  for (int i = s->nframe; i < s->nbody; i++) composite[i] = d->inertia[i];
  for (int i = s->nbody - 1; i >= s->nframe; i--) {
    const int up = s->body[i].parent;
    if (up >= s->nframe) composite[up] = si_add(composite[up], composite[i]);
  }
  for (int i = s->nframe; i < s->nbody; i++)
    for (int a = s->joint[i].v; a < s->joint[i].v + s->joint[i].nv; a++) {
      const sv h = si_mul(composite[i], d->s[a]);
      for (int up = i; up >= s->nframe; up = s->body[up].parent)
        for (int b = s->joint[up].v; b < s->joint[up].v + s->joint[up].nv; b++) {
          const size_t hi = (size_t)(a > b ? a : b), lo = (size_t)(a > b ? b : a);
          m[hi * n + lo] = sv_dot(d->s[b], h);
        }
    }
  for (size_t i = n; i-- > 0;)
    for (size_t j = 0; j < i; j++) m[i * n + j] /= sqrt(m[i * n + i] * m[j * n + j]);
  for (size_t i = 0; i < n; i++) m[i * n + i] = 1.0;
  free(composite);
  return true;
}

// The largest element of the inverse's diagonal, which is at least the condition number over n, from the factor L: the upper
// triangle takes columns of its inverse.
static double mass_condition(size_t n, double *l)
{
  double worst = 1.0;
  for (size_t c = 0; c < n; c++) {
    double *x = l + c * n, first = 1.0 / l[c * n + c], sum = first * first;
    for (size_t i = c + 1; i < n; i++) {
      double y = -l[i * n + c] * first;
      for (size_t j = c + 1; j < i; j++) y -= l[i * n + j] * x[j];
      x[i] = y / l[i * n + i];
      sum += x[i] * x[i];
    }
    worst = fmax(worst, sum);
  }
  return worst;
}

// Inertias and forces of all bodies of a station are about one point: of a small body far from it, its own inertia is a
// difference.
static double arm_condition(const jt_run *run)
{
  const jn_system *s = run->s;
  double worst = 1.0;
  for (int i = s->nframe; i < s->nbody; i++) {
    const s3 j = s->body[i].inertia;
    const double p = v3_norm(jt_cg_about(run, i)), least = fmin(j.xx, fmin(j.yy, j.zz));
    worst = fmax(worst, s->body[i].mass * p * fmax(p, 1.0) / least);
  }
  return worst;
}

// Coordinates that follow from others by large factors, as far as the general path lets its choice of them grow old.
static double spread_of(const jt_run *run)
{
  double most = 1.0;
  for (int i = 0; i < run->s->nblock; i++) {
    const jn_block *k = &run->s->block[i];
    const int n = k->m * (k->n - k->m + k->nc);
    for (int e = 0; e < n; e++) most = fmax(most, fabs(run->d->block[i].t[e]));
  }
  return most;
}

void measure_conditions(const subject *k, const jt_run *run, jt_closer *c, state *x)
{
  const jn_system *s = run->s;
  const size_t n = (size_t)s->nv;
  double *m = calloc(n * n + 1, sizeof *m);
  x->arm = arm_condition(run);
  x->condition = x->mass = 1.0;
  if (s->nrow && k->rank > 0) {
    jt_scaled_rows(run, c->j);
    x->condition = condition_of(s, k->rank, c);
  }
  jn_general_factor(s, run->d);
  x->spread = spread_of(run);
  if (m && s->nstation == s->nframe)  // vehicles have no second station
    x->mass = fill_mass(run, m) && !jn_chol_factor((int)n, m) ? mass_condition(n, m) : INFINITY;
  free(m);
}
