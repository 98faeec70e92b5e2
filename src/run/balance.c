// balance.c: preloads that the file leaves to us: `preload: auto`, `free_length: auto`,
// `free_angle: auto`.
//
// In the design position at rest, what is unbalanced in the directions that joints and loops leave
// free is linear in the preloads p: r = r0 + B p. Of all p that make |r| least the shortest is
// taken, forces compared with torques by the model's size. Directions in which preloads act so little that they would be many times the
// forces in play are left unbalanced: a tyre that leans a little does not hold a vehicle sideways. What is left of r has a name. Free motions are of length one in the
// metric of the joints (metric.h), so that |r|, and with it p, do not depend on the tree.
//
// A wheel that touches the road carries what balances it: its load is one of p, and how far that is from
// what its deflection gives is reported. A servo holds with whatever that takes: what it can do is taken out of r first.
#include <math.h>
#include <string.h>

#include "plan/build.h"
#include "run/metric.h"
#include "run/statics.h"

// Directions along which elements act are taken from positions that are closed to rounding.
static const double DEPENDENT = 1e-9, BALANCED = 1e-9, RANK_TOLERANCE = 1e-7;
static const double MOST = 10.0;    // preload over the forces in play
static const double DAMPED = 0.01;  // of what acts most

typedef struct unknown {  // an element whose preload is wanted, or a wheel's load
  double *place;
  jn_element *element;    // or NULL
  jn_wheel_state *wheel;  // or NULL
  const char *name;
  double unit;  // what compares with a newton
} unknown;

typedef struct servo {  // or several that follow the same
  int signal;
  double force;  // of a unit of it, times size
} servo;

typedef struct balance {
  jn_system *s;
  jn_data *d;
  jn_statics at;
  jn_metric metric;
  int n;
  unknown *unknown;
  double *r0, *column, *p;  // (nfree + n), (nfree + n x n), (max(nfree, n))
  int nservo;
  servo *servo;
  double *push,
      *held;  // of each: r of a unit of it; the same normal to those before (nservo x nfree)
  void *work;
  jn_pool pool;
  jn_error *err;
} balance;

static bool is_line(const jn_element *e)  // else it turns
{
  return jn_element_kinds[e->kind].ends == JN_ENDS_LINE;
}

static int count(const jn_system *s)
{
  int n = 0;
  for (int i = 0; i < s->nelement; i++) n += s->element[i].automatic;
  return n ? n + s->nwheel : 0;
}

// Springs whose free length or angle is wanted are at ease for the time being.
static void list_unknowns(balance *k)
{
  jn_system *s = k->s;
  int n = 0;
  for (int i = 0; i < s->nelement; i++) {
    jn_element *e = &s->element[i];
    if (!e->automatic) continue;
    k->unknown[n++] =
        (unknown){&e->p[LAW_PRELOAD], e, NULL, e->name, is_line(e) ? 1.0 : k->metric.size};
    if (e->auto_free) e->p[LAW_FREE] = k->d->element[e->output];
  }
  for (int i = 0; i < s->nwheel; i++) {
    jn_wheel_state *w = &k->d->wheel[i];
    w->carries = w->tyre.load > 0.0;
    if (w->carries) k->unknown[n++] = (unknown){&w->carried, NULL, w, s->wheel[i].name, 1.0};
  }
  k->n = n;
}

// ---- from a preload to a free length ------------------------------------------------------------

// What the law gives at rest, but for its preload.
static double elastic(const jn_system *s, const jn_element *e, double x)
{
  double p[JN_ELEMENT_FIELDS];
  memcpy(p, e->p, sizeof p);
  p[LAW_PRELOAD] = 0.0;
  return law_at(e->form & ~LAW_INPUT, (el_numbers){p, 1}, &(el_motion){.table = s->table}, x, 0.0);
}

// The deflection at which springs give p more than undeflected: p / k, or, with curves and polynomials, found
// between two deflections that give less and more.
static bool deflect(const jn_system *s, const jn_element *e, double p, double *x)
{
  const double f0 = elastic(s, e, 0.0);
  *x = 0.0;
  if (p == 0.0) return true;
  *x = p / e->p[LAW_STIFFNESS];
  if (!law_springs(e->form, 0.0)) return isfinite(*x);
  double low = 0.0, high = copysign(1e-6, p);  // springs resist
  for (int i = 0; i < 50 && fabs(elastic(s, e, high) - f0) < fabs(p); i++) low = high, high *= 2.0;
  for (int i = 0; i < 100; i++) {
    *x = 0.5 * (low + high);
    if (fabs(elastic(s, e, *x) - f0) < fabs(p))
      low = *x;
    else
      high = *x;
  }
  return fabs(elastic(s, e, *x) - f0 - p) <= 1e-9 * (fabs(p) + fabs(f0));
}

static jn_status set_deflection(balance *k, const unknown *u, double p)
{
  if (u->wheel) {
    u->wheel->carried = p;
    return JN_OK;
  }
  jn_element *e = u->element;
  const bool line = is_line(e);
  const char *unit = line ? "N" : "N m";
  double x = 0.0, *free = &e->p[LAW_FREE];
  if (!e->auto_free) {
    e->p[LAW_PRELOAD] = p;
    jn_build_note(k->s, "balanced: the preload of \"%s\" is %.9g %s", u->name, p, unit);
    return JN_OK;
  }
  const jn_pos pos = k->s->model->spec->pos;
  if (!deflect(k->s, e, p, &x))
    return jn_fail(
        k->err, JN_E_RANGE, pos, NULL,
        "forces.%s: no deflection of its spring gives the %.6g %s that balance the design position",
        u->name, p, unit);
  *free -= x;
  if (line && !(*free > 0.0))
    return jn_fail(k->err, JN_E_RANGE, pos, NULL,
                   "forces.%s: a tension of %.6g N in the design position needs a free length of "
                   "%.6g m; it is too soft, or "
                   "use `preload: auto`",
                   u->name, p, *free);
  jn_build_note(k->s, "balanced: the free %s of \"%s\" is %.9g %s (%.6g %s)",
                line ? "length" : "angle", u->name, *free, line ? "m" : "rad", p, unit);
  return JN_OK;
}

// ---- the whole ----------------------------------------------------------------------------------

// Free motions of length one and normal to each other in the metric, and what is unbalanced in them.
static bool find_motions(balance *k)
{
  jn_statics *at = &k->at;
  const jn_system *s = k->s;
  const size_t n = (size_t)s->nv;
  jn_metric_at(&k->metric, k->d, NULL, true, at->centre);
  for (size_t r = 0; r < (size_t)s->nrow; r++) jn_metric_row(&k->metric, at->row + r * n);
  if (jn_qr_factor(&at->qr, s->nrow, s->nv, at->row, RANK_TOLERANCE, at->work) < 0) return false;
  const size_t nfree = (size_t)(at->nfree = s->nv - at->qr.rank);
  jn_qr_null(&at->qr, at->basis);
  for (size_t c = 0; c < nfree; c++) {
    for (size_t j = 0; j < n; j++) at->x[j] = at->basis[j * nfree + c];
    jn_metric_back(&k->metric, at->x);
    at->r[c] = 0.0;
    for (size_t j = 0; j < n; j++) {
      at->basis[j * nfree + c] = at->x[j];
      at->r[c] += at->x[j] * s->coordinate_scale[j] * at->g[j];
    }
  }
  return true;
}

// What is unbalanced along free motion c.
static double unbalanced(const balance *k, int c)
{
  const jn_statics *at = &k->at;
  double sum = 0.0;
  for (int j = 0; j < k->s->nv; j++)
    sum += at->basis[j * at->nfree + c] * k->s->coordinate_scale[j] * at->g[j];
  return sum;
}

// What a unit more of a number adds to that, into every `stride`-th number.
static void find_column(balance *k, double *place, double unit, double *column, int stride)
{
  jn_statics *at = &k->at;
  // As large as the forces in play, so that the difference has as many digits.
  const double trial = at->forces > 0.0 ? at->forces / at->size : 1.0, before = *place;
  *place = before + trial * unit;
  jn_statics_force(at, true, false, at->g);
  *place = before;
  for (int c = 0; c < at->nfree; c++) column[c * stride] = (unbalanced(k, c) - at->r[c]) / trial;
}

static void find_columns(balance *k)
{
  memcpy(k->r0, k->at.r, (size_t)k->at.nfree * sizeof *k->r0);
  for (int i = 0; i < k->n; i++)
    find_column(k, k->unknown[i].place, k->unknown[i].unit, k->column + i, k->n);
}

// ---- servos -----------------------------------------------------------------------------------------

static void list_servos(balance *k)
{
  for (int i = 0; i < k->s->nelement; i++) {
    const jn_element *e = &k->s->element[i];
    const int signal = e->actuator.input;
    if (!e->actuator.follows) continue;
    int m = 0;
    while (m < k->nservo && k->servo[m].signal != signal) m++;
    if (m == k->nservo) k->servo[k->nservo++] = (servo){signal, 0.0};
    k->servo[m].force += fabs(e->p[LAW_STIFFNESS]) * (e->in.angular ? 1.0 : k->at.size);
  }
}

static double dot(const double *a, const double *b, int n, int stride)
{
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum = fma(a[i], b[i * stride], sum);
  return sum;
}

static void take_out(const double *held, double *x, int n, int stride)
{
  const double most = dot(held, x, n, stride);
  for (int i = 0; i < n; i++) x[i * stride] = fma(-most, held[i], x[i * stride]);
}

// Out of r0 and of the columns, what servos can do: directions of length one, normal to each other. One in a joint that loops hold can
// do nothing.
static void leave_to_servos(balance *k)
{
  const int n = k->at.nfree;
  for (int m = 0; m < k->nservo; m++) {
    double *own = k->held + m * n, *push = k->push + m * n;
    find_column(k, &k->d->in[k->servo[m].signal][0], 1.0, push, 1);
    memcpy(own, push, (size_t)n * sizeof *own);
    for (int twice = 0; twice < 2; twice++)
      for (int i = 0; i < m; i++) take_out(k->held + i * n, own, n, 1);
    const double left = sqrt(dot(own, own, n, 1));
    const bool acts = left > DEPENDENT * k->servo[m].force;
    for (int i = 0; i < n; i++) own[i] = acts ? own[i] / left : 0.0;
    take_out(own, k->r0, n, 1);
    for (int i = 0; i < k->n; i++) take_out(own, k->column + i, n, k->n);
  }
}

// With preloads in place: what servos follow when they hold the rest, the last ones first.
static void hold_by_servos(balance *k)
{
  const int n = k->at.nfree;
  jn_statics_force(&k->at, true, false, k->at.g);
  for (int c = 0; c < n; c++) k->r0[c] = unbalanced(k, c);
  for (int m = k->nservo - 1; m >= 0; m--) {
    const double *own = k->held + m * n, *push = k->push + m * n;
    const double along = dot(own, push, n, 1);
    if (along == 0.0) continue;
    const double more = -dot(own, k->r0, n, 1) / along;
    k->d->in[k->servo[m].signal][0] += more;
    for (int c = 0; c < n; c++) k->r0[c] = fma(more, push[c], k->r0[c]);
  }
}

static void note_unbalanced(balance *k)
{
  jn_statics *at = &k->at;
  const jn_system *s = k->s;
  const size_t nfree = (size_t)at->nfree;
  jn_statics_force(at, true, false, at->g);
  double *motion = jn_pool_alloc(&k->pool, (size_t)s->nv * nfree, sizeof *motion),
         *force = jn_pool_alloc(&k->pool, nfree, sizeof *force);
  int *leader = jn_pool_alloc(&k->pool, nfree, sizeof *leader);
  for (size_t j = 0; motion && j < (size_t)s->nv * nfree; j++)
    motion[j] = at->basis[j] * s->coordinate_scale[j / nfree];
  if (!k->pool.failed && jn_statics_lead(at, at->nfree, motion, at->g, leader, force))
    for (size_t i = 0; i < nfree; i++) {
      char name[160];
      const double most = BALANCED * at->forces / s->coordinate_scale[leader[i]];
      if (fabs(force[i]) <= most) continue;
      jn_statics_name(s, leader[i], name, sizeof name);
      jn_build_note(k->s, "not balanced by any preload: %s: %.6g %s are left", name, fabs(force[i]),
                    jn_statics_unit(s, leader[i]));
    }
  for (int v = 0; v < s->nv; v++) {
    char name[160];
    const double weight = jn_statics_fall(at, v);
    if (weight == 0.0) continue;
    jn_statics_name(s, v, name, sizeof name);
    jn_build_note(k->s, "not balanced by any preload: %s: %.6g N of weight, it falls", name,
                  fabs(weight));
  }
}

// From what wheels carry back to what their tyres give.
static void note_loads(balance *k)
{
  jn_system *s = k->s;
  for (int i = 0; i < s->nwheel; i++) k->d->wheel[i].carries = false;
  jn_statics_force(&k->at, true, false, k->at.g);
  for (int i = 0; i < k->n; i++) {
    const jn_wheel_state *w = k->unknown[i].wheel;
    if (!w) continue;
    const double gives = w->tyre.load;
    if (w->carried < 0.0)
      jn_build_note(s,
                    "not balanced: wheel \"%s\" would have to pull the road with %.6g N, so it "
                    "lifts: the centre "
                    "of gravity is not between the wheels, or springs push it off",
                    k->unknown[i].name, -w->carried);
    else
      jn_build_note(
          s, "balanced: wheel \"%s\" carries %.6g N; its tyre gives %.6g N in the design position",
          k->unknown[i].name, w->carried, gives);
  }
}

static jn_status not_finite(const balance *k)
{
  char remark[JN_REMARK];
  return jn_fail(k->err, JN_E_RANGE, k->s->model->spec->pos, NULL,
                 "forces in the design position are not finite%s",
                 jn_plugin_fault_text(k->s, k->d, remark));
}

// Preloads. Should one of them be beyond all measure, |r|^2 + |DAMPED p|^2 is made least instead, which leaves out what hardly acts
// whatever the order of the file. False: not finite.
static bool find_preloads(balance *k)
{
  const int n = k->n;
  const double most = MOST * k->at.forces / k->at.size;
  double *rest = k->column + (size_t)k->at.nfree * (size_t)n, largest = 0.0;
  jn_qr f;
  if (jn_qr_factor(&f, k->at.nfree, n, k->column, DEPENDENT, k->work) < 0) return false;
  jn_qr_solve(&f, k->r0, k->p);
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(k->p[i]));
  if (largest <= most) return true;
  memset(rest, 0, (size_t)n * (size_t)n * sizeof *rest);
  for (int i = 0; i < n; i++) rest[i * n + i] = DAMPED * f.first, k->r0[k->at.nfree + i] = 0.0;
  jn_qr_factor(&f, k->at.nfree + n, n, k->column, DEPENDENT, k->work);
  jn_qr_solve(&f, k->r0, k->p);
  return true;
}

static jn_status solve(balance *k)
{
  jn_status st = JN_OK;
  jn_statics_force(&k->at, true, false, k->at.g);  // lengths and angles
  list_unknowns(k);
  if (!jn_statics_at(&k->at) || !find_motions(k)) return not_finite(k);
  find_columns(k);
  leave_to_servos(k);
  for (int c = 0; c < k->at.nfree; c++) k->r0[c] = -k->r0[c];
  if (!find_preloads(k)) return not_finite(k);
  for (int i = 0; i < k->n && !st; i++)
    st = set_deflection(k, &k->unknown[i], k->p[i] * k->unknown[i].unit);
  if (!st) hold_by_servos(k);
  if (!st) note_unbalanced(k);
  if (!st) note_loads(k);
  return st;
}

jn_status jn_balance(jn_system *s, jn_data *d, jn_error *err)
{
  const size_t n = (size_t)count(s), m = (size_t)s->nv, most = n > m ? n : m;
  if (!n) return JN_OK;
  balance k = {.s = s, .d = d, .n = (int)n, .err = err};
  jn_status st = jn_statics_init(&k.at, s, d, err);
  if (!st) st = jn_metric_init(&k.metric, s, err);
  if (st) {
    jn_statics_free(&k.at);
    return st;
  }
  k.unknown = jn_pool_alloc(&k.pool, n, sizeof *k.unknown);
  k.r0 = jn_pool_alloc(&k.pool, m + n, sizeof *k.r0);
  k.p = jn_pool_alloc(&k.pool, most, sizeof *k.p);
  k.column = jn_pool_alloc(&k.pool, (m + n) * n, sizeof *k.column);
  k.work = jn_qr_work(&k.pool, (int)(m + n), (int)n);
  k.servo = jn_pool_alloc(&k.pool, (size_t)s->nelement, sizeof *k.servo);
  if (k.servo) list_servos(&k);
  k.push = jn_pool_alloc(&k.pool, (size_t)k.nservo * m, sizeof *k.push);
  k.held = jn_pool_alloc(&k.pool, (size_t)k.nservo * m, sizeof *k.held);
  jn_statics_rest(s, d);
  for (int i = 0; i < k.nservo; i++) d->in[k.servo[i].signal][0] = 0.0;  // wherever it will begin
  d->on_plane = true;  // the design position stands on z = 0
  st = k.pool.failed ? jn_build_no_memory(s, err) : solve(&k);
  for (int i = 0; i < s->nwheel; i++) d->wheel[i].carries = false;
  d->on_plane = false;
  jn_pool_free(&k.pool);
  jn_metric_free(&k.metric);
  jn_statics_free(&k.at);
  return st;
}
