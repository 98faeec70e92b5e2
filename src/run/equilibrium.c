// equilibrium.c: positions in which nothing is unbalanced.
//
// In the free motions X of the present position (statics.h), with mass matrix M and stiffness K,
// the change of what is unbalanced,
//
//   r = X' (g - J' lambda),   K = d r / d z with lambda held,
//   L L' = M,   L^-1 K L^-T = V diag(w^2) V'
//
// V are the modes and w their angular frequencies (of the symmetric part). A step is
//
//   z = -L^-T V (|w^2| + mu)^-1 V' L^-1 r
//
// Newton's where all w^2 > 0 and mu = 0. The absolute value turns steps down where the potential
// curves down; mu, as large as keeps the step in the region where slopes are trusted, makes it an
// implicit step of motion through honey: mass-weighted, damped. Either is taken only if the forces
// do work along it, or get less. Modes without stiffness are neutral: they are held, and pushed
// along only at the end, if something pushes, to see whether anything resists farther on. Steps of finite length move along them
// all the same, in every tree otherwise; so an equilibrium is followed along them back to the place that is nearest to where
// the search began, joints moved least (metric.h).
#include "jounce/equilibrium.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/build.h"
#include "run/metric.h"
#include "run/statics.h"
#include "solve/integrate/integrate.h"

enum { MOST_FREE = 300, PUSHES = 7 };
// Central differences: truncation is the square of the step, rounding over it 2e-16, so that K has
// ten digits.
static const double DIFFERENCE = 5e-6;
static const double BALANCED = 1e-9, BALANCED_WELL = 1e-14;
static const double FIRST_RADIUS = 0.2, MOST_RADIUS = 0.5,
                    LEAST_RADIUS = 1e-10;  // rad, or sizes of the model

typedef struct search {
  const jn_system *s;
  jn_data *d;
  jn_statics at;
  int n, room;           // free motions, and how many there may be
  double *x;             // X (nv x n)
  double *k, *sym;       // L^-1 K L^-T; its symmetric part, later scratch (n x n)
  double *l;             // L (n x n)
  double *v, *w2;        // modes (n x n, one a column), squared frequencies (n)
  double *rm;            // V' L^-1 r (n)
  bool *neutral;         // (n)
  double *z, *step;      // modal step (n), by coordinate (nv)
  double *plus, *minus;  // scratch (nv)
  double *full;          // scratch (n x n)
  int *pivot;
  sv *twist;        // of each body in each free motion (n x nbody)
  double *q0, *q1;  // positions kept (nq)
  jn_metric metric;
  jn_relative *begin;  // where it began (jn_relative_count)
  double *g0;          // what was unbalanced at q0 (nv)
  double radius;
  double active;  // unbalanced in modes that are not neutral, scaled [N m]
  double idle;    // and in neutral ones
  int iterations;
  jn_pool pool;  // of all this
} search;

// ---- memory -------------------------------------------------------------------------------------

static double *numbers(jn_pool *pool, size_t n)
{
  return jn_pool_alloc(pool, n, sizeof(double));
}

static jn_status reserve(search *k, int nfree, jn_error *err)
{
  const size_t nv = (size_t)k->s->nv, n = (size_t)(k->room = nfree), nq = (size_t)k->s->nq;
  jn_pool *pool = &k->pool;
  k->x = numbers(pool, nv * n);
  k->k = numbers(pool, n * n), k->sym = numbers(pool, n * n), k->l = numbers(pool, n * n);
  k->v = numbers(pool, n * n), k->full = numbers(pool, n * n);
  k->w2 = numbers(pool, n), k->rm = numbers(pool, n), k->z = numbers(pool, n);
  k->pivot = jn_pool_alloc(pool, n, sizeof *k->pivot);
  k->neutral = jn_pool_alloc(pool, n, sizeof *k->neutral);
  k->step = numbers(pool, nv), k->plus = numbers(pool, nv), k->minus = numbers(pool, nv);
  k->g0 = numbers(pool, nv);
  k->twist = jn_pool_alloc(pool, n * (size_t)k->s->nbody, sizeof *k->twist);
  k->q0 = numbers(pool, nq), k->q1 = numbers(pool, nq);
  return pool->failed ? jn_build_no_memory(k->s, err) : JN_OK;
}

// ---- factors ------------------------------------------------------------------------------------

// b = L^-1 b, or L^-T b; b has n rows and `columns` columns.
static void forward(int n, const double *l, int columns, double *b)
{
  const size_t w = (size_t)n, c = (size_t)columns;
  for (size_t i = 0; i < w; i++)
    for (size_t k = 0; k < c; k++) {
      double x = b[i * c + k];
      for (size_t j = 0; j < i; j++) x -= l[i * w + j] * b[j * c + k];
      b[i * c + k] = x / l[i * w + i];
    }
}

static void backward(int n, const double *l, int columns, double *b)
{
  const size_t w = (size_t)n, c = (size_t)columns;
  for (size_t i = w; i-- > 0;)
    for (size_t k = 0; k < c; k++) {
      double x = b[i * c + k];
      for (size_t j = i + 1; j < w; j++) x -= l[j * w + i] * b[j * c + k];
      b[i * c + k] = x / l[i * w + i];
    }
}

static void transpose(int n, double *a)
{
  const size_t w = (size_t)n;
  for (size_t i = 0; i < w; i++)
    for (size_t j = 0; j < i; j++) {
      const double t = a[i * w + j];
      a[i * w + j] = a[j * w + i], a[j * w + i] = t;
    }
}

// ---- modes --------------------------------------------------------------------------------------

static bool find_mass(search *k)
{
  const jn_system *s = k->s;
  jn_data *d = k->d;
  const size_t n = (size_t)k->n, nb = (size_t)s->nbody;
  for (size_t c = 0; c < n; c++) {
    for (int j = 0; j < s->nv; j++) d->v[j] = k->x[(size_t)j * n + c];
    for (int f = 0; f < s->nframe; f++) {
      if (!s->frame[f].floating) continue;
      double *own = d->v + s->joint[s->frame[f].body].v;
      const v3 arm = m3_mul_v3(d->frame[f].r, k->at.centre[f]);
      v3_store(own, v3_sub(v3_load(own), v3_cross(v3_load(own + 3), arm)));
    }
    jn_general_velocities(s, d);
    for (int i = s->nframe; i < s->nbody; i++) {
      const jn_frame_state *f = &d->frame[s->body[i].frame];
      sv t = d->twist[i];
      t.l = v3_add(t.l, m3_tmul_v3(f->r, f->velocity));
      k->twist[c * nb + (size_t)i] = t;
    }
  }
  memset(d->v, 0, (size_t)s->nv * sizeof *d->v);
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b <= a; b++) {
      double sum = 0.0;
      for (size_t i = (size_t)s->nframe; i < nb; i++)
        sum += sv_dot(k->twist[a * nb + i], si_mul(d->inertia[i], k->twist[b * nb + i]));
      k->l[a * n + b] = sum;
    }
  return !jn_chol_factor(k->n, k->l);
}

static void find_stiffness(search *k)
{
  const jn_system *s = k->s;
  const size_t n = (size_t)k->n;
  memcpy(k->q0, k->d->y, (size_t)s->nq * sizeof *k->q0);
  for (size_t c = 0; c < n; c++) {
    for (int j = 0; j < s->nv; j++) k->step[j] = k->x[(size_t)j * n + c];
    jn_statics_move(&k->at, DIFFERENCE, k->step);
    jn_statics_force(&k->at, true, true, k->plus);
    memcpy(k->d->y, k->q0, (size_t)s->nq * sizeof *k->q0);
    jn_statics_update(&k->at);
    jn_statics_move(&k->at, -DIFFERENCE, k->step);
    jn_statics_force(&k->at, true, true, k->minus);
    memcpy(k->d->y, k->q0, (size_t)s->nq * sizeof *k->q0);
    jn_statics_update(&k->at);
    for (size_t a = 0; a < n; a++) {
      double sum = 0.0;
      for (int j = 0; j < s->nv; j++) sum += k->x[(size_t)j * n + a] * (k->plus[j] - k->minus[j]);
      k->k[a * n + c] = sum / (2.0 * DIFFERENCE);
    }
  }
}

// Motion of a mode by coordinate: X L^-T v.
static void mode_motion(search *k, int mode, double *z, double *motion)
{
  const size_t n = (size_t)k->n;
  for (size_t a = 0; a < n; a++) z[a] = k->v[a * n + (size_t)mode];
  backward(k->n, k->l, 1, z);
  for (int j = 0; j < k->s->nv; j++) {
    double sum = 0.0;
    for (size_t a = 0; a < n; a++) sum += k->x[(size_t)j * n + a] * z[a];
    motion[j] = sum;
  }
}

// Without stiffness, as far as differences show, measured as work over scaled motion.
static void find_neutral(search *k, double largest)
{
  const double least = 1e-9 * largest + 1e-8 * k->at.forces;
  for (int i = 0; i < k->n; i++) {
    double square = 0.0;
    mode_motion(k, i, k->z, k->step);
    for (int j = 0; j < k->s->nv; j++) {
      const double x = k->step[j] / k->s->coordinate_scale[j];
      square += x * x;
    }
    k->neutral[i] = fabs(k->w2[i]) <= least * square;
  }
}

// What is unbalanced, split by kind of mode.
static void split(search *k)
{
  const size_t n = (size_t)k->n;
  memcpy(k->z, k->at.r, n * sizeof *k->z);
  forward(k->n, k->l, 1, k->z);
  for (size_t i = 0; i < n; i++) {
    k->rm[i] = 0.0;
    for (size_t a = 0; a < n; a++) k->rm[i] += k->v[a * n + i] * k->z[a];
  }
  k->active = k->idle = 0.0;
  for (int kind = 0; kind < 2; kind++) {  // back to the scaled free motions: L V rm
    double *most = kind ? &k->idle : &k->active;
    for (size_t a = 0; a < n; a++) {
      k->z[a] = 0.0;
      for (size_t i = 0; i < n; i++)
        if (k->neutral[i] == (kind == 1)) k->z[a] += k->v[a * n + i] * k->rm[i];
    }
    for (size_t a = 0; a < n; a++) {
      double sum = 0.0;
      for (size_t b = 0; b <= a; b++) sum += k->l[a * n + b] * k->z[b];
      *most = fmax(*most, fabs(sum));
    }
  }
}

// Everything at the present positions; loops are closed. False: not finite, or no mass moves.
static bool look(search *k)
{
  const jn_system *s = k->s;
  if (!jn_statics_at(&k->at) || k->at.nfree > k->room) return false;
  const size_t n = (size_t)(k->n = k->at.nfree);
  for (int j = 0; j < s->nv; j++)
    for (size_t c = 0; c < n; c++)
      k->x[(size_t)j * n + c] = k->at.basis[(size_t)j * n + c] * s->coordinate_scale[j];
  if (!n) {
    k->active = k->idle = 0.0;
    return true;
  }
  if (!find_mass(k)) return false;
  find_stiffness(k);
  double largest = 0.0;
  for (size_t i = 0; i < n * n; i++) {
    if (!isfinite(k->k[i])) return false;
    largest = fmax(largest, fabs(k->k[i]));
  }
  forward(k->n, k->l, k->n, k->k);
  transpose(k->n, k->k);
  forward(k->n, k->l, k->n, k->k);
  transpose(k->n, k->k);
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < n; b++) k->sym[a * n + b] = 0.5 * (k->k[a * n + b] + k->k[b * n + a]);
  jn_eigen(k->n, k->sym, k->v);
  for (size_t i = 0; i < n; i++) k->w2[i] = k->sym[i * (n + 1)];
  find_neutral(k, largest);
  split(k);
  return true;
}

// ---- steps --------------------------------------------------------------------------------------

static double length_of(const search *k)
{
  double length = 0.0;
  for (int j = 0; j < k->s->nv; j++)
    length = fmax(length, fabs(k->step[j]) / k->s->coordinate_scale[j]);
  return length;
}

static void from_modes(search *k)  // z in modes -> step by coordinate
{
  const size_t n = (size_t)k->n;
  double *y = k->plus;
  for (size_t a = 0; a < n; a++) {
    y[a] = 0.0;
    for (size_t i = 0; i < n; i++) y[a] += k->v[a * n + i] * k->z[i];
  }
  backward(k->n, k->l, 1, y);
  for (int j = 0; j < k->s->nv; j++) {
    k->step[j] = 0.0;
    for (size_t a = 0; a < n; a++) k->step[j] += k->x[(size_t)j * n + a] * y[a];
  }
}

static void damped_step(search *k, double mu)
{
  for (int i = 0; i < k->n; i++) k->z[i] = k->neutral[i] ? 0.0 : -k->rm[i] / (fabs(k->w2[i]) + mu);
  from_modes(k);
}

// Newton's step with the whole K, in the modes that have stiffness. False: it is singular.
static bool newton_step(search *k)
{
  const size_t n = (size_t)k->n;
  int m = 0;
  for (size_t i = 0; i < n; i++) {
    if (!k->neutral[i] && !(k->w2[i] > 0.0)) return false;
    m += !k->neutral[i];
  }
  size_t a = 0;
  for (size_t p = 0; p < n; p++)  // K V
    for (size_t j = 0; j < n; j++) {
      double sum = 0.0;
      for (size_t q = 0; q < n; q++) sum += k->k[p * n + q] * k->v[q * n + j];
      k->sym[p * n + j] = sum;
    }
  for (size_t i = 0; i < n; i++) {
    if (k->neutral[i]) continue;
    size_t b = 0;
    for (size_t j = 0; j < n; j++) {
      if (k->neutral[j]) continue;
      double sum = 0.0;
      for (size_t p = 0; p < n; p++) sum += k->v[p * n + i] * k->sym[p * n + j];
      k->full[a * (size_t)m + b++] = sum;
    }
    k->z[a++] = -k->rm[i];
  }
  if (jn_lu_factor(m, k->full, k->pivot)) return false;
  jn_lu_solve(m, k->full, k->pivot, 1, k->z);
  for (size_t i = n; i-- > 0;) k->z[i] = k->neutral[i] ? 0.0 : k->z[--a];
  from_modes(k);
  return true;
}

static void choose_step(search *k)
{
  if (newton_step(k) && length_of(k) <= k->radius) return;
  damped_step(k, 0.0);
  if (length_of(k) <= k->radius) return;
  double low = 0.0, high = 1.0;
  for (int i = 0; i < 200; i++, high *= 4.0) {
    damped_step(k, high);
    if (length_of(k) <= k->radius) break;
    low = high;
  }
  double longest = length_of(k);  // of the step with `high`
  for (int i = 0; i < 30 && longest < 0.9 * k->radius; i++) {
    const double mid = low > 0.0 ? sqrt(low * high) : 1e-3 * high;
    damped_step(k, mid);
    const double length = length_of(k);
    if (length <= k->radius)
      high = mid, longest = length;
    else
      low = mid;
    if (low == 0.0 && mid < 1e-30) break;
  }
  damped_step(k, high);
}

// Moves by k->step and closes the loops. False: it cannot. *work: what forces do along it, less
// than zero: they resist.
static bool take_step(search *k, double *work)
{
  const jn_system *s = k->s;
  const double length = length_of(k);
  memcpy(k->q0, k->d->y, (size_t)s->nq * sizeof *k->q0);
  memcpy(k->g0, k->at.g, (size_t)s->nv * sizeof *k->g0);
  memset(k->minus, 0, (size_t)s->nv * sizeof *k->minus);
  jn_statics_move(&k->at, 1.0, k->step);
  bool good = jn_statics_close(&k->at, k->minus);
  for (int j = 0; j < s->nv; j++)
    good &= fabs(k->minus[j]) <= 2.0 * (length + 1e-6) * s->coordinate_scale[j];
  if (good) jn_statics_force(&k->at, true, false, k->plus);
  *work = 0.0;
  for (int j = 0; j < s->nv; j++)
    *work -= 0.5 * (k->g0[j] + k->plus[j]) * (k->step[j] + k->minus[j]);
  return good && isfinite(*work);
}

static void go_back(search *k)
{
  memcpy(k->d->y, k->q0, (size_t)k->s->nq * sizeof *k->q0);
  jn_statics_at(&k->at);
}

// Until the modes with stiffness are balanced. False: they cannot be.
static bool descend(search *k, int most)
{
  double best = INFINITY;
  int idle = 0;
  k->radius = FIRST_RADIUS;
  while (k->iterations < most) {
    if (!look(k)) return false;
    const double floor = k->at.forces;
    if (k->active <= BALANCED_WELL * floor) return true;
    if (k->active <= BALANCED * floor) {  // on to rounding
      idle = k->active > 0.5 * best ? idle + 1 : 0;
      best = fmin(best, k->active);
      if (idle >= 2) return true;
    }
    k->iterations++;
    const double before = k->active;
    for (;;) {
      double work, after = 0.0;
      choose_step(k);
      const double length = length_of(k), noise = 1e-12 * floor * length;
      const bool moved = take_step(k, &work);
      bool good = moved && work >= -noise;
      if (moved && !good && before <= 1e-3 * floor) {  // not all forces have a potential
        for (int c = 0; jn_statics_at(&k->at) && c < k->n; c++)
          after = fmax(after, fabs(k->at.r[c]));
        good = after < before;
      }
      if (good) {
        jn_cuts_follow(k->s, k->d);
        k->radius = fmin(MOST_RADIUS, fmax(k->radius, 2.0 * length));
        break;
      }
      go_back(k);
      if (before <= BALANCED * floor) return true;
      k->radius = 0.25 * fmin(k->radius, length);
      if (!(k->radius > LEAST_RADIUS)) return false;
    }
  }
  return look(k) && k->active <= BALANCED * k->at.forces;
}

// Along what pushes in neutral modes, farther and farther. True: something has changed there.
static bool push(search *k)
{
  const double before = k->idle;
  memcpy(k->q1, k->d->y, (size_t)k->s->nq * sizeof *k->q1);
  double radius = FIRST_RADIUS;
  for (int i = 0; i < PUSHES; i++, radius *= 2.0) {
    double work;
    for (int m = 0; m < k->n; m++) k->z[m] = k->neutral[m] ? -k->rm[m] : 0.0;
    from_modes(k);
    const double by = radius / length_of(k);
    for (int j = 0; j < k->s->nv; j++) k->step[j] *= by;
    k->iterations++;
    if (!take_step(k, &work) || !look(k)) break;
    jn_cuts_follow(k->s, k->d);
    bool stiff = false;
    for (int m = 0; m < k->n; m++)
      stiff |= !k->neutral[m] && fabs(k->rm[m]) > 0.0 && k->active > BALANCED * k->at.forces;
    if (stiff || fabs(k->idle - before) > 1e-6 * before) return true;
  }
  memcpy(k->d->y, k->q1, (size_t)k->s->nq * sizeof *k->q1);
  jn_cuts_follow(k->s, k->d);
  look(k);
  return false;
}

// A step along neutral modes towards the place nearest to where it began: |L' N w + L^-1 g| least, N their motions. Returns its
// length; 0: there is none to take, or no memory, which the search keeps.
static double step_back(search *k)
{
  const jn_system *s = k->s;
  const size_t nv = (size_t)s->nv;
  int m = 0;
  for (int i = 0; i < k->n; i++) m += k->neutral[i];
  jn_pool pool = {0};
  double *a = numbers(&pool, nv * (size_t)m), *motion = numbers(&pool, nv * (size_t)m),
         *h = numbers(&pool, nv);
  void *work = jn_qr_work(&pool, s->nv, m);
  jn_qr f;
  bool good = m && !pool.failed;
  if (good) {
    jn_metric_at(&k->metric, k->d, NULL, true, k->at.centre);
    jn_relative_gradient(&k->metric, k->d, k->begin, true, k->at.centre, h);
    jn_metric_row(&k->metric, h);
    for (int i = 0, c = 0; i < k->n; i++) {
      if (!k->neutral[i]) continue;
      mode_motion(k, i, k->z, k->step);
      for (size_t j = 0; j < nv; j++) {
        motion[j * (size_t)m + (size_t)c] = k->step[j];
        k->step[j] /= s->coordinate_scale[j];
      }
      jn_metric_forth(&k->metric, k->step);
      for (size_t j = 0; j < nv; j++) a[j * (size_t)m + (size_t)c] = k->step[j];
      c++;
    }
    good = jn_qr_factor(&f, s->nv, m, a, 1e-7, work) > 0;
  }
  double length = 0.0;
  if (good) {
    jn_qr_solve(&f, h, h);
    for (size_t j = 0; j < nv; j++) {
      k->step[j] = 0.0;
      for (size_t c = 0; c < (size_t)m; c++) k->step[j] -= motion[j * (size_t)m + c] * h[c];
    }
    length = length_of(k);
  }
  k->pool.failed |= pool.failed;
  jn_pool_free(&pool);
  return length;
}

// Back along neutral modes, as long as all stays balanced; else where it was.
static void go_back_idle(search *k, int most)
{
  const size_t nq = (size_t)k->s->nq;
  double work, length, before = INFINITY;
  for (int i = 0; i < 20 && (length = step_back(k)) > 1e-13; i++) {
    if (length < 1e-9 && length > 0.5 * before) return;  // rounding
    before = length;
    memcpy(k->q1, k->d->y, nq * sizeof *k->q1);
    for (int j = 0; j < k->s->nv; j++) k->step[j] *= fmin(1.0, MOST_RADIUS / length);
    const bool good = take_step(k, &work) && descend(k, most) && k->idle <= BALANCED * k->at.forces;
    jn_cuts_follow(k->s, k->d);
    if (good) continue;
    memcpy(k->d->y, k->q1, nq * sizeof *k->q1);
    jn_cuts_follow(k->s, k->d);
    look(k);
    return;
  }
}

// ---- results ------------------------------------------------------------------------------------

typedef enum modes { ALL, NEUTRAL, UNSTABLE } modes;

static bool is_one(const search *k, int mode, modes of)
{
  return of == ALL || (of == NEUTRAL ? k->neutral[mode] : !k->neutral[mode] && k->w2[mode] < 0.0);
}

// The coordinates that lead these modes, in the order of the model. NULL: no memory.
static jn_direction *name_modes(search *k, modes of, int *n)
{
  const jn_system *s = k->s;
  const size_t nv = (size_t)s->nv;
  int m = 0;
  for (int i = 0; i < k->n; i++) m += is_one(k, i, of);
  jn_direction *out = calloc((size_t)m + 1, sizeof *out);
  jn_pool pool = {0};
  double *motion = numbers(&pool, nv * (size_t)m), *force = numbers(&pool, (size_t)m),
         *weight = numbers(&pool, (size_t)m), *g = numbers(&pool, nv);
  int *leader = jn_pool_alloc(&pool, (size_t)m, sizeof *leader);
  bool good = out && !pool.failed;
  for (int i = 0, at = 0; i < k->n && good; i++) {
    if (!is_one(k, i, of)) continue;
    mode_motion(k, i, k->z, k->step);
    double square = 0.0;  // of scaled length one
    for (size_t j = 0; j < nv; j++) {
      const double x = k->step[j] / s->coordinate_scale[j];
      square += x * x;
    }
    for (size_t j = 0; j < nv; j++) motion[j * (size_t)m + (size_t)at] = k->step[j] / sqrt(square);
    at++;
  }
  if (good) {
    jn_statics_force(&k->at, false, false, g);
    good = jn_statics_lead(&k->at, m, motion, g, leader, weight);
    jn_statics_force(&k->at, true, false, g);
    good = good && jn_statics_lead(&k->at, m, motion, g, leader, force);
  }
  for (int i = 0; i < m && good; i++) {
    int at = i;  // rising
    for (int j = i + 1; j < m; j++)
      if (leader[j] < leader[at]) at = j;
    const int l = leader[at];
    const double f = force[at], w = weight[at];
    leader[at] = leader[i], force[at] = force[i], weight[at] = weight[i];
    leader[i] = l, force[i] = f, weight[i] = w;
    jn_statics_name(s, l, out[i].name, sizeof out[i].name);
    out[i].unit = jn_statics_unit(s, l);
    out[i].force = -f;
    out[i].weight = fabs(w - f) < 0.5 * fabs(f);
  }
  jn_pool_free(&pool);
  if (!good) {
    free(out);
    return NULL;
  }
  *n = m;
  return out;
}

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// The row of channels at rest.
static void fill_row(search *k, double *row)
{
  const jn_system *s = k->s;
  jn_data *d = k->d;
  s->formulation->positions(s, d);
  s->formulation->factor(s, d);
  s->formulation->velocities(s, d);
  s->formulation->biases(s, d);
  jn_forces_apply(s, d);
  jn_part_right_side(s, d, &s->whole);
  s->formulation->solve(s, d);
  d->reactions_done = false;
  d->now_position_norm = jn_worst(s, d->residual, NULL);
  d->now_velocity_norm = 0.0;
  jn_channels_fill(s, d);
  memcpy(row, d->channel, (size_t)s->nchannel * sizeof *row);
}

// Assemblies that fall are neutral as seen from where they fall: unheld all the same, along their
// weight.
static void list_falling(search *k, jn_equilibrium *e)
{
  const jn_system *s = k->s;
  for (int v = 0; v < s->nv; v++) {
    const double weight = jn_statics_fall(&k->at, v);
    if (!(fabs(weight) > 0.0)) continue;
    jn_direction *d = &e->unheld[e->nunheld++];
    *d = (jn_direction){.unit = "N", .force = weight, .weight = 1};
    jn_statics_name(s, v, d->name, sizeof d->name);
    int kept = 0;
    for (int i = 0; i < e->nneutral; i++)
      if (strcmp(e->neutral[i].name, d->name)) e->neutral[kept++] = e->neutral[i];
    e->nneutral = kept;
    e->found = 0;
    if (fabs(weight) > e->unbalanced) e->unbalanced = fabs(weight), e->worst = *d;
  }
}

static jn_status fill_result(search *k, bool found, jn_equilibrium *e, jn_error *err)
{
  const jn_system *s = k->s;
  const size_t nstate = (size_t)(2 * s->nq + s->nx + s->ncut);
  int nall = 0;
  e->found = found;
  e->iterations = k->iterations;
  e->scale = k->at.forces / k->at.size;
  e->row = calloc((size_t)s->nchannel + 1, sizeof *e->row);
  e->state = calloc(nstate + 1, sizeof *e->state);
  e->mode = calloc((size_t)k->n + 1, sizeof *e->mode);
  jn_direction *all = name_modes(k, ALL, &nall), *idle = name_modes(k, NEUTRAL, &e->nneutral);
  e->unstable = name_modes(k, UNSTABLE, &e->nunstable);
  e->neutral = idle;
  e->unheld = calloc((size_t)e->nneutral + 3 * (size_t)s->nframe + 1, sizeof *e->unheld);
  if (!e->row || !e->state || !e->mode || !all || !idle || !e->unstable || !e->unheld) {
    free(all);
    return jn_build_no_memory(s, err);
  }
  for (int i = 0; i < nall; i++)
    if (i == 0 || fabs(all[i].force) > e->unbalanced)
      e->unbalanced = fabs(all[i].force), e->worst = all[i];
  free(all);
  int n = 0;
  for (int i = 0; i < e->nneutral; i++) {
    const double size = !strcmp(idle[i].unit, "N") ? k->at.size : 1.0;
    if (fabs(idle[i].force) * size > BALANCED * k->at.forces)
      e->unheld[e->nunheld++] = idle[i];
    else
      e->neutral[n++] = idle[i];
  }
  e->nneutral = n;
  list_falling(k, e);
  e->nmode = k->n;
  memcpy(e->mode, k->w2, (size_t)k->n * sizeof *e->mode);
  qsort(e->mode, (size_t)e->nmode, sizeof *e->mode, compare);
  jn_wrap_and_normalise(s, k->d);
  e->nrow = s->nchannel;
  fill_row(k, e->row);
  e->nstate = (int)nstate;
  e->plan = s->plan_mark;
  memcpy(e->state, k->d->y, (size_t)s->nq * sizeof *e->state);
  memcpy(e->state + s->nq, k->d->turn, (size_t)s->nq * sizeof *e->state);
  memcpy(e->state + 2 * s->nq, k->d->x, (size_t)s->nx * sizeof *e->state);
  memcpy(e->state + 2 * s->nq + s->nx, k->d->cut_angle, (size_t)s->ncut * sizeof *e->state);
  return JN_OK;
}

// ---- the whole ----------------------------------------------------------------------------------

static jn_status not_finite(const search *k, const char *where, jn_error *err)
{
  char remark[JN_REMARK];
  return jn_fail(err, JN_E_RANGE, k->s->model->spec->pos, NULL,
                 "forces or loops are not finite where the search %s%s", where,
                 jn_plugin_fault_text(k->s, k->d, remark));
}

static jn_status run(search *k, const jn_equilibrium_opts *opts, jn_equilibrium *e, jn_error *err)
{
  const jn_system *s = k->s;
  const int most = opts && opts->most_iterations > 0 ? opts->most_iterations : 200;
  if (opts && opts->design) {
    // Writes notes on the initial state alone.
    jn_status st = jn_assemble((jn_system *)s, k->d, false, err);
    if (st) return st;
    memset(k->d->turn, 0, (size_t)s->nq * sizeof *k->d->turn);
  }
  jn_statics_rest(s, k->d);
  if (!jn_statics_close(&k->at, NULL) || !jn_statics_at(&k->at))
    return not_finite(k, "begins", err);
  jn_relative_now(s, k->d, k->begin);
  // Loops may lose rows on the way: room for as many motions as could then be free.
  const int room = s->nv < MOST_FREE ? s->nv : MOST_FREE;
  if (k->at.nfree > MOST_FREE)
    return jn_fail(
        err, JN_E_LIMIT, s->model->spec->pos, NULL,
        "the model has %d degrees of freedom; the static balance of at most %d can be found",
        k->at.nfree, MOST_FREE);
  jn_status st = reserve(k, room, err);
  if (st) return st;
  bool good = descend(k, most);
  while (good && k->idle > BALANCED * k->at.forces && k->iterations < most) {
    if (!push(k)) break;
    good = descend(k, most);
  }
  if (good && k->active <= BALANCED * k->at.forces && k->idle <= BALANCED * k->at.forces)
    go_back_idle(k, k->iterations + most);
  if (k->pool.failed) return jn_build_no_memory(s, err);
  if (!look(k)) return not_finite(k, "came to", err);
  const bool found =
      good && k->active <= BALANCED * k->at.forces && k->idle <= BALANCED * k->at.forces;
  return fill_result(k, found, e, err);
}

jn_status jn_equilibrium_find(const jn_system *s, const jn_equilibrium_opts *opts,
                              jn_equilibrium **out, jn_error *err)
{
  if (out) *out = NULL;
  JN_NEEDS(err, s && out, "a system, and a place for the equilibrium");
  search k = {.s = s};
  jn_equilibrium *e = calloc(1, sizeof *e);
  jn_status st = e ? jn_data_create(s, &k.d, err) : jn_build_no_memory(s, err);
  if (!st) st = jn_statics_init(&k.at, s, k.d, err);
  if (!st) st = jn_metric_init(&k.metric, s, err);
  k.begin = jn_pool_alloc(&k.pool, (size_t)jn_relative_count(s), sizeof *k.begin);
  if (!st && !k.begin) st = jn_build_no_memory(s, err);
  if (!st) st = run(&k, opts, e, err);
  jn_statics_free(&k.at);
  jn_metric_free(&k.metric);
  jn_pool_free(&k.pool);
  jn_data_free(k.d);
  if (st)
    jn_equilibrium_free(e);
  else
    *out = e;
  return st;
}

void jn_equilibrium_free(jn_equilibrium *e)
{
  if (!e) return;
  free(e->neutral), free(e->unheld), free(e->unstable), free(e->mode), free(e->row), free(e->state);
  free(e);
}

jn_status jn_equilibrium_apply(const jn_system *s, const jn_equilibrium *e, jn_data *d)
{
  if (!jn_is_of(d, s) || !e || !e->state || e->plan != s->plan_mark) return JN_E_CALL;
  const double *cut = e->state + 2 * s->nq + s->nx;
  memcpy(d->y, e->state, (size_t)s->nq * sizeof *d->y);
  memset(d->v, 0, (size_t)s->nv * sizeof *d->v);
  memcpy(d->turn, e->state + s->nq, (size_t)s->nq * sizeof *d->turn);
  memcpy(d->x, e->state + 2 * s->nq, (size_t)s->nx * sizeof *d->x);
  memcpy(d->cut_angle, cut, (size_t)s->ncut * sizeof *d->cut_angle);
  d->step = 0;
  d->offset = 0.0;
  d->events = d->rows_seen = 0;
  d->position_norm = d->velocity_norm = 0.0;
  d->energy = (jn_account){0};
  d->path_difference = d->path_time = 0.0;
  d->failing_body = d->path_body = d->faulty = d->faulty_plugin = -1;
  d->advances = s->lane ? JN_ADVANCES_FAST : JN_ADVANCES_GENERAL;
  d->left_lanes = 0;
  jn_state_set(d);
  return JN_OK;
}
