// assemble.c: an initial state that satisfies the constraints: positions by Newton's method with
// the shortest steps, velocities by orthogonal factors.
//
// What the file's `initial` gives is held, whichever joint is cut: the coordinate of a tree joint
// is set, that of a cut joint is a condition beside the rows. The way from the design position to
// what is given, and to where prescribed motions begin, is gone in stages, so that of several ways
// to close a loop the one is found that the mechanism reaches without being taken apart. What
// cannot be held is changed, as little as can be, and a note says by how much.
//
// What neither loops nor the file determine stays nearest to where it was, joints moved least (metric.h): each stage ends where no
// motion that is left brings its joints nearer to where the stage began. Newton's steps in the coordinates of the tree would
// end elsewhere in every tree.
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/quat.h"
#include "base/rmath.h"
#include "plan/build.h"
#include "run/metric.h"
#include "run/run_internal.h"
#include "solve/general/cut_angle.h"
#include "spec/scenario_internal.h"

enum { MOST_COORDINATES = 3000 };
static const double RANK_TOLERANCE = 1e-7, CLOSED = 1e-14, CLOSED_ENOUGH = 1e-9;
static const double STAGE = 0.1;  // radians, or sizes of the loops

typedef struct conditions {
  int n, room;
  double *row, *value;  // what is left to go (n x nv), (n)
  const char **name;    // (n)
} conditions;

typedef struct assembling {
  jn_system *s;
  jn_data *d;
  bool *held;         // coordinates that the file gives (nv)
  double *a, *b, *x;  // matrix, right-hand side, solution
  double *start;      // positions to return to (nq)
  double *drive;      // where prescribed motions begin; then their rates (ndrive)
  bool initial;       // what the file gives counts
  bool plain;         // there is nothing to solve
  bool *stands;       // assemblies that do not float, or are tied to one of these (nframe)
  conditions c;
  jn_metric metric;
  jn_relative *near;  // where joints were when the stage began (jn_relative_count)
  double *pull;       // what draws back there, in the metric's coordinates (nv)
  double *kept;       // a step to be shortened; speeds to begin with (nv)
  void *work;
  jn_pool pool;  // of all this
  jn_error *err;
} assembling;

static double *new_condition(assembling *k, double value, const char *name)
{
  conditions *c = &k->c;
  double *row = c->row + (size_t)c->n * (size_t)k->s->nv;
  memset(row, 0, (size_t)k->s->nv * sizeof *row);
  c->value[c->n] = value;
  c->name[c->n++] = name;
  return row;
}

// ---- what the file says -------------------------------------------------------------------------

#define GIVES(key) JN_GIVEN(k, jn_initial_joint_keys, key)

static q4 part_of_turn(const double *orientation, double fraction)
{
  const q4 whole = q_normalise(q_load(orientation));
  return fraction == 1.0 ? whole : q_exp(v3_scale(fraction, q_log(whole)));
}

static void hold(assembling *a, int v, int n)
{
  for (int i = 0; i < n; i++) a->held[v + i] = true;
}

// That fraction of what the file gives to body i's tree joint.
static void set_position(assembling *a, int i, const jn_initial_joint_keys *k, double fraction)
{
  jn_system *s = a->s;
  const jn_tree_joint *j = &s->joint[i];
  double *q = a->d->y + j->q;
  if (j->drive >= 0) return;
  q4 turn = q_identity();
  if (j->sphere >= 0 && GIVES(orientation)) turn = part_of_turn(k->orientation, fraction);
  for (int n = 0; n < j->nmove; n++) {
    const jn_move *m = &j->move[n];
    const int v = j->v + m->v;
    switch (m->kind) {
      case JN_MOVE_TURN:
      case JN_MOVE_SCREW:
        if (GIVES(angle)) q[m->q] = fraction * k->angle, hold(a, v, 1);
        if (GIVES(angles))
          q[m->q] = fraction * k->angles[m->direction == JN_ALONG_SECOND], hold(a, v, 1);
        break;
      case JN_MOVE_SLIDE:
        if (GIVES(position)) q[m->q] = fraction * k->position, hold(a, v, 1);
        break;
      case JN_MOVE_SPHERE:
        if (!GIVES(orientation)) break;
        q_store(q + m->q, j->reversed ? q_conj(turn) : turn);
        hold(a, v, 3);
        break;
      case JN_MOVE_SLIDES: {
        if (!GIVES(offset)) break;
        const v3 o = v3_scale(fraction, v3_load(k->offset));
        // x = -R o with R from the child, which is the first body, to the parent
        v3_store(q + m->q, j->reversed ? v3_neg(q_rotate_back(turn, o)) : o);
        hold(a, v, 3);
        break;
      }
      default:
        break;
    }
  }
}

static void set_design(assembling *a)
{
  const jn_system *s = a->s;
  memset(a->d->y, 0, (size_t)s->nq * sizeof(double));
  memset(a->held, 0, (size_t)s->nv * sizeof *a->held);
  for (int i = s->nframe; i < s->nbody; i++)
    if (s->joint[i].sphere >= 0) a->d->y[s->joint[i].sphere] = 1.0;
}

static void set_positions(assembling *a, double fraction)
{
  const jn_system *s = a->s;
  const jn_spec *spec = s->model->spec;
  for (int i = 0; a->initial && i < spec->ninitial; i++) {
    if (spec->initial[i].joint < 0) continue;
    const int body = jn_build_body_of(s, spec->initial[i].joint);
    if (body >= 0) set_position(a, body, &spec->initial[i].as.joint, fraction);
  }
  for (int i = 0; i < s->ndrive; i++) a->d->drive[i].s = fraction * a->drive[i];
}

static bool places_base(const jn_system *s, int joint)
{
  const int body = jn_build_body_of(s, joint);
  return body >= 0 && s->joint[body].kind == JN_TREE_BASE;
}

// The longest distance that anything has to go from the design position. Where a floating base is placed, no joint moves.
static double longest_distance(const assembling *a)
{
  const jn_system *s = a->s;
  const jn_spec *spec = s->model->spec;
  const double size = a->metric.size;
  double distance = 0.0;
  for (int i = 0; a->initial && i < spec->ninitial; i++) {
    if (spec->initial[i].joint < 0 || places_base(s, spec->initial[i].joint)) continue;
    const jn_initial_joint_keys *k = &spec->initial[i].as.joint;
    if (GIVES(angle)) distance = fmax(distance, fabs(k->angle));
    if (GIVES(position)) distance = fmax(distance, fabs(k->position) / size);
    if (GIVES(angles)) distance = fmax(distance, fmax(fabs(k->angles[0]), fabs(k->angles[1])));
    if (GIVES(orientation))
      distance = fmax(distance, v3_norm(q_log(q_normalise(q_load(k->orientation)))));
    if (GIVES(offset)) distance = fmax(distance, v3_norm(v3_load(k->offset)) / size);
  }
  for (int i = 0; i < s->ndrive; i++)
    distance =
        fmax(distance, fabs(a->drive[i]) /
                           (jn_joint_slides(s->model->edge[s->drive[i].edge].kind) ? size : 1.0));
  return distance;
}

// ---- coordinates of cut joints ------------------------------------------------------------------

// A cut joint's own coordinate: its value, and the wrenches whose power on the two bodies is its
// rate, that of b less that of a.
typedef enum own_kind { ABOUT, ALONG, FIRST, SECOND, TURN, SHIFT = TURN + 3 } own_kind;
typedef struct own {
  double x;
  sv a, b;
} own;

// TURN + i: component i, in the first body's axes, of the rotation that leads from `wanted` to the
// present one.
static own own_of(const assembling *k, int cut, int kind, q4 wanted)
{
  const jn_system *s = k->s;
  const jn_data *d = k->d;
  const jn_cut *c = &s->cut[cut];
  const jn_pose *a = &d->pose[c->a], *b = &d->pose[c->b];
  const v3 u = m3_mul_v3(a->r, c->x[JN_X_AXIS]), y = m3_mul_v3(b->r, c->y[JN_Y_AXIS]),
           none = v3_set(0, 0, 0);
  const v3 pb = v3_add(b->p, m3_mul_v3(b->r, c->at_b));
  const v3 pba =
      v3_add(pb, v3_sub(d->station[s->body[c->b].station], d->station[s->body[c->a].station]));
  const v3 apart = v3_sub(pba, v3_add(a->p, m3_mul_v3(a->r, c->at_a)));
  v3 f = none, m = none;
  double x = 0.0;
  if (kind == ABOUT) {
    double rate;
    x = jn_cut_coordinate(s, d, cut, d->cut_angle[cut], &rate, &m);
    m = u;
    if (jn_joint_slides(c->kind)) x = 0.0;
  } else if (kind == ALONG) {
    x = v3_dot(u, apart) - c->value[JN_VALUE_SLIDE], f = u;
  } else if (kind == FIRST || kind == SECOND) {
    // w_b - w_a = u s1 + y s2
    const double g = v3_dot(u, y), det = 1.0 - g * g;
    const bool first = kind == FIRST;
    x = first ? jn_angle_about(u, m3_mul_v3(a->r, c->y[JN_Y_AXIS]), y)
              : jn_angle_about(y, u, m3_mul_v3(b->r, c->x[JN_X_AXIS]));
    m = v3_scale(1.0 / det, first ? v3_axpy(-g, y, u) : v3_axpy(-g, u, y));
  } else if (kind < SHIFT) {
    const v3 e = q_log(q_mul(q_from_m3(m3_tmul(a->r, b->r)), q_conj(wanted)));
    x = kind == TURN ? e.x : kind == TURN + 1 ? e.y : e.z;
    m = m3_column(a->r, kind - TURN);
  } else {
    f = m3_column(a->r, kind - SHIFT);
    x = v3_dot(apart, f);
  }
  return (own){x, sv_make(v3_cross_add(pba, f, m), f), sv_make(v3_cross_add(pb, f, m), f)};
}

static double *cut_condition(assembling *k, int cut, const own *o, double value, const char *name)
{
  const jn_cut *c = &k->s->cut[cut];
  double *row = new_condition(k, value, name);
  jn_general_wrench_columns(k->s, k->d, c->b, -1, o->b, 1.0, row);
  jn_general_wrench_columns(k->s, k->d, c->a, -1, o->a, -1.0, row);
  return row;
}

static bool one_frame(const jn_system *s, int cut)  // else it is a free joint that holds nothing
{
  return s->body[s->cut[cut].a].frame == s->body[s->cut[cut].b].frame;
}

static void want_cut(assembling *k, int cut, const jn_initial_joint_keys *key, double fraction,
                     const char *name)
{
  const jn_cut *c = &k->s->cut[cut];
  const bool turns = jn_joint_has(c->kind, JN_HAS_ORIENTATION) &&
                     JN_GIVEN(key, jn_initial_joint_keys, orientation);
  if (c->drive >= 0 || !one_frame(k->s, cut)) return;
  const struct {
    bool given, angle;
    int kind, n;
    const double *value;
  } wanted[] = {{JN_GIVEN(key, jn_initial_joint_keys, angle), true, ABOUT, 1, &key->angle},
                {JN_GIVEN(key, jn_initial_joint_keys, position), false, ALONG, 1, &key->position},
                {JN_GIVEN(key, jn_initial_joint_keys, angles), true, FIRST, 2, key->angles},
                {turns, false, TURN, 3, (const double[3]){0.0}},
                {JN_GIVEN(key, jn_initial_joint_keys, offset), false, SHIFT, 3, key->offset}};
  const q4 turn = turns ? part_of_turn(key->orientation, fraction) : q_identity();
  for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++)
    for (int i = 0; i < wanted[w].n && wanted[w].given; i++) {
      const own o = own_of(k, cut, wanted[w].kind + i, turn);
      const double left = fraction * wanted[w].value[i] - o.x;
      cut_condition(k, cut, &o, wanted[w].angle ? jn_nearest_turn(left) : left, name);
    }
}

// A tree joint's value as a condition too, where it may have to be changed. A floating base takes
// part in no loop.
static void want_tree(assembling *k, int i, const jn_initial_joint_keys *key, double fraction,
                      const char *name)
{
  const jn_tree_joint *j = &k->s->joint[i];
  if (j->drive >= 0 || j->kind == JN_TREE_BASE) return;
  double now[7];
  bool held[6] = {false};
  memcpy(now, k->d->y + j->q, (size_t)j->nq * sizeof *now);
  for (int m = 0; m < j->nv; m++) held[m] = k->held[j->v + m], k->held[j->v + m] = false;
  set_position(k, i, key, fraction);
  for (int m = 0; m < j->scalars; m++)
    if (k->held[j->v + m]) new_condition(k, k->d->y[j->q + m] - now[m], name)[j->v + m] = 1.0;
  if (j->sphere >= 0 && k->held[j->v + j->scalars]) {
    const q4 wanted = q_load(k->d->y + j->sphere), is = q_load(now + j->scalars);
    double e[3];
    v3_store(e, q_log(q_mul(q_normalise(wanted), q_conj(q_normalise(is)))));
    for (int m = 0; m < 3; m++) new_condition(k, e[m], name)[j->v + j->scalars + m] = 1.0;
  }
  memcpy(k->d->y + j->q, now, (size_t)j->nq * sizeof *now);
  for (int m = 0; m < j->nv; m++) k->held[j->v + m] = held[m];
}

// What cut joints want at that fraction of the distance, and tree joints if asked for.
static void collect_positions(assembling *k, double fraction, bool tree)
{
  const jn_spec *spec = k->s->model->spec;
  k->c.n = 0;
  for (int i = 0; k->initial && i < k->s->ninitial; i++) {
    const jn_initial_spec *init = &spec->initial[k->s->initial_order[i]];
    const int joint = init->joint;
    if (joint < 0) continue;
    const int body = jn_build_body_of(k->s, joint), cut = jn_build_cut_of(k->s, joint);
    if (cut >= 0) want_cut(k, cut, &init->as.joint, fraction, spec->joint[joint].name);
    if (tree && body >= 0) want_tree(k, body, &init->as.joint, fraction, spec->joint[joint].name);
  }
}

// ---- positions ----------------------------------------------------------------------------------

double jn_scaled_residuals(const jn_system *s, const jn_data *d, double *b)
{
  double worst = 0.0;
  for (int r = 0; r < s->nrow; r++) {
    b[r] = -d->residual[r] * s->length_scale[r];
    if (!(fabs(b[r]) <= worst)) worst = fabs(b[r]);
  }
  return worst;
}

void jn_scaled_rows(const jn_system *s, const jn_data *d, double *a)
{
  const size_t n = (size_t)s->nv;
  jn_general_jacobian(s, d, a);
  for (int r = 0; r < s->nrow; r++)
    for (size_t j = 0; j < n; j++)
      a[(size_t)r * n + j] *= s->length_scale[r] * s->coordinate_scale[j];
}

// Half a radian is as far as a slope reaches.
void jn_closing_step(const jn_system *s, jn_data *d, double *x)
{
  double length = 0.0;
  for (int j = 0; j < s->nv; j++) length = fmax(length, fabs(x[j]));
  const double shorten = length > 0.5 ? 0.5 / length : 1.0;
  for (int j = 0; j < s->nv; j++) x[j] *= shorten * s->coordinate_scale[j];
  jn_general_displace(s, d->y, x, d->frame);
}

// Residuals and rows at the present positions, scaled; the largest residual.
static double update_rows(assembling *k)
{
  jn_general_positions(k->s, k->d);
  jn_scaled_rows(k->s, k->d, k->a);
  return jn_scaled_residuals(k->s, k->d, k->b);
}

// Rows, and beside them the values of cut joints at that fraction of their distance; coordinates that are held do not move. fraction < 0:
// nothing is held but the loops. Returns the largest scaled residual; *rows: how many there are.
static double gather_rows(assembling *k, double fraction, int *rows)
{
  jn_system *s = k->s;
  const size_t n = (size_t)s->nv;
  double worst = update_rows(k);
  k->c.n = 0;
  if (fraction >= 0.0) collect_positions(k, fraction, false);
  for (int i = 0; i < k->c.n; i++) {
    const size_t r = (size_t)(s->nrow + i);
    k->b[r] = k->c.value[i];
    if (!(fabs(k->b[r]) <= worst)) worst = fabs(k->b[r]);
    for (size_t j = 0; j < n; j++)
      k->a[r * n + j] = k->c.row[(size_t)i * n + j] * s->coordinate_scale[j];
  }
  *rows = s->nrow + k->c.n;
  for (size_t r = 0; r < (size_t)*rows && fraction >= 0.0; r++)
    for (size_t j = 0; j < n; j++)
      if (k->held[j]) k->a[r * n + j] = 0.0;
  return worst;
}

// One step towards closed loops; returns the largest scaled residual before it.
static double close_step(assembling *k, double fraction, bool *stuck)
{
  int rows;
  const double worst = gather_rows(k, fraction, &rows);
  *stuck = false;
  if (!isfinite(worst) || worst < CLOSED) return worst;
  jn_qr f;
  if (jn_qr_factor(&f, rows, k->s->nv, k->a, RANK_TOLERANCE, k->work) < 0) {
    *stuck = true;
    return worst;
  }
  jn_qr_solve(&f, k->b, k->x);
  jn_closing_step(k->s, k->d, k->x);
  return worst;
}

static bool close_loops(assembling *k, double fraction)
{
  double worst = INFINITY, best = INFINITY;
  bool stuck;
  for (int i = 0; i < 60; i++) {
    const double before = worst;
    worst = close_step(k, fraction, &stuck);
    if (!isfinite(worst) || stuck) return false;
    if (worst < CLOSED) return true;
    if (worst < CLOSED_ENOUGH && worst >= 0.5 * before) return true;  // rounding is reached
    if (i % 20 == 19) {
      if (worst > 0.5 * best) return false;  // it goes nowhere
      best = worst;
    }
  }
  return worst < CLOSED_ENOUGH;
}

// The pull of where joints were when the stage began. Returns its largest component; positions have been looked at.
static double find_pull(assembling *k, const bool *held)
{
  const jn_system *s = k->s;
  double most = 0.0;
  jn_relative_gradient(&k->metric, k->d, k->near, false, NULL, k->pull);
  for (int j = 0; j < s->nv; j++) {
    if (held && held[j]) k->pull[j] = 0.0;
    most = fmax(most, fabs(k->pull[j]));
  }
  return most;
}

// The metric at the present positions, and the pull in its coordinates.
static void take_metric(assembling *k, const bool *held)
{
  jn_metric_at(&k->metric, k->d, held, false, NULL);
  for (int j = 0; j < k->s->nv; j++)
    if (k->metric.held[j]) k->pull[j] = 0.0;
  jn_metric_row(&k->metric, k->pull);
}

static double dot(size_t n, const double *a, const double *b)
{
  double sum = 0.0;
  for (size_t j = 0; j < n; j++) sum += a[j] * b[j];
  return sum;
}

static double largest(size_t n, const double *x)
{
  double most = 0.0;
  for (size_t j = 0; j < n; j++) most = fmax(most, fabs(x[j]));
  return most;
}

// From closed loops to the nearest to where joints were, along what loops and held values leave free: with the pull h and y = L' x,
// |y + h| least. Where that does not converge, it stays as it was.
static void go_near(assembling *k, double fraction)
{
  const size_t nq = (size_t)k->s->nq, n = (size_t)k->s->nv;
  double before = INFINITY;
  bool good = false;
  memcpy(k->start, k->d->y, nq * sizeof *k->start);
  for (int i = 0; i < 60 && !good; i++) {
    int rows;
    jn_qr f;
    gather_rows(k, fraction, &rows);
    if (find_pull(k, k->held) < CLOSED) {
      if (!i) return;  // as a rule: the design position has closed loops
      good = true;
      break;
    }
    take_metric(k, k->held);
    for (size_t r = 0; r < (size_t)rows; r++) {
      jn_metric_row(&k->metric, k->a + r * n);
      k->b[r] += dot(n, k->a + r * n, k->pull);
    }
    if (jn_qr_factor(&f, rows, k->s->nv, k->a, RANK_TOLERANCE, k->work) < 0) break;
    jn_qr_solve(&f, k->b, k->x);
    for (size_t j = 0; j < n; j++) k->x[j] -= k->pull[j];
    jn_metric_back(&k->metric, k->x);
    const double length = largest(n, k->x);
    good = length < CLOSED || (length < CLOSED_ENOUGH && length > 0.5 * before);
    before = length;
    jn_closing_step(k->s, k->d, k->x);
  }
  good = good && close_loops(k, fraction);
  if (!good) memcpy(k->d->y, k->start, nq * sizeof *k->start);
}

static jn_status solve_conditions(assembling *k, const double *pull);

// How far the file's values are from being met, at the present positions.
static double missed(assembling *k, double fraction)
{
  double sum = 0.0;
  jn_general_positions(k->s, k->d);
  collect_positions(k, fraction, true);
  for (int i = 0; i < k->c.n; i++) sum += k->c.value[i] * k->c.value[i];
  return sum;
}

// Loops are closed, and what the file gives is met as well as can be: Gauss-Newton in what the rows
// leave free, with steps shortened until they bring it nearer.
static bool close_with_compromise(assembling *k, double fraction, jn_status *st)
{
  const jn_system *s = k->s;
  const size_t nq = (size_t)s->nq, n = (size_t)s->nv;
  double *step = k->kept;
  set_positions(k, fraction);  // prescribed motions, and bases
  for (int i = s->nframe; i < s->nbody; i++)
    if (s->joint[i].kind != JN_TREE_BASE)
      memcpy(k->d->y + s->joint[i].q, k->start + s->joint[i].q,
             (size_t)s->joint[i].nq * sizeof(double));
  const bool closed = close_loops(k, -1.0);
  double best = closed ? missed(k, fraction) : INFINITY, before = INFINITY;
  double mark = best, shortest = INFINITY;
  bool goes_on = closed;
  for (int i = 0, stalled = 0; i < 200 && goes_on && (stalled < 10 || fraction == 1.0); i++) {
    memcpy(k->start, k->d->y, nq * sizeof *k->start);
    update_rows(k);
    collect_positions(k, fraction, true);
    find_pull(k, NULL);
    take_metric(k, NULL);
    *st = solve_conditions(k, k->pull);
    if (*st) break;
    memcpy(step, k->x, n * sizeof *step);
    const double length = largest(n, step);
    goes_on = false;
    for (double by = 1.0; by > 1e-10 && !goes_on; by *= 0.25) {
      memcpy(k->d->y, k->start, nq * sizeof *k->start);
      jn_general_positions(s, k->d);
      for (size_t j = 0; j < n; j++) k->x[j] = by * step[j];
      jn_closing_step(k->s, k->d, k->x);
      if (!close_loops(k, -1.0)) continue;
      // Along what is left free, and in the last steps, nothing comes nearer but rounding.
      const double now = missed(k, fraction), more = by * length < 1e-6 ? 1e-6 : 1e-12;
      goes_on = now <= best * (1.0 + more) + CLOSED * CLOSED;
      if (goes_on) best = fmin(best, now);
    }
    if (!goes_on) memcpy(k->d->y, k->start, nq * sizeof *k->start);
    if (length < CLOSED || (length < CLOSED_ENOUGH && length > 0.5 * before)) break;
    before = length;
    // A value beyond a dead point of its loop is met best at that point, where slopes vanish and Gauss-Newton's steps, however much they are
    // shortened, bring it hardly nearer. On the way to what is given that is near enough.
    stalled = best < mark * (1.0 - 1e-6) || length < 0.5 * shortest ? 0 : stalled + 1;
    mark = fmin(mark, best), shortest = fmin(shortest, length);
  }
  return closed && !*st;
}

// From the design position to all that is given. What cannot be held on the way is changed there;
// *held: all is held at its end. False: it stays open.
static bool close_in_stages(assembling *k, int stages, bool *held, jn_status *st)
{
  const size_t nq = (size_t)k->s->nq;
  for (int i = 0; i <= stages; i++) {
    const double fraction = stages ? (double)i / stages : 1.0;
    memcpy(k->start, k->d->y, nq * sizeof *k->start);
    if (i) {
      jn_general_positions(k->s, k->d);
      jn_relative_now(k->s, k->d, k->near);
    } else {
      jn_relative_design(k->s, k->near);
    }
    set_positions(k, fraction);
    *held = close_loops(k, fraction);
    if (*held)
      go_near(k, fraction);
    else if (!close_with_compromise(k, fraction, st))
      return false;
    jn_cuts_follow(k->s, k->d);
  }
  return true;
}

static void note_changes(assembling *k)
{
  jn_general_positions(k->s, k->d);
  collect_positions(k, 1.0, true);
  for (int i = 0; i < k->c.n;) {
    double off = 0.0;
    const char *name = k->c.name[i];
    for (; i < k->c.n && k->c.name[i] == name; i++) off = fmax(off, fabs(k->c.value[i]));
    if (off > 1e-9)
      jn_build_note(k->s,
                    "initial position of joint \"%s\" does not fit the loops: it was changed by "
                    "%.3g (m or rad)",
                    name, off);
  }
}

static jn_status close_all(assembling *k)
{
  jn_system *s = k->s;
  jn_data *d = k->d;
  jn_status st = JN_OK;
  const double distance = longest_distance(k);
  const int stages = distance > 0.0 ? (int)ceil(fmin(distance / STAGE, 1000.0)) : 0;
  memset(d->cut_angle, 0, (size_t)s->ncut * sizeof *d->cut_angle);
  set_design(k);
  bool held = false, closed = close_in_stages(k, stages, &held, &st);
  if (!closed && !st) {  // perhaps only the way is barred
    memset(d->cut_angle, 0, (size_t)s->ncut * sizeof *d->cut_angle);
    set_design(k);
    set_positions(k, 1.0);
    closed = held = close_loops(k, 1.0);
    if (held) {
      jn_relative_design(s, k->near);
      go_near(k, 1.0);
    } else {
      set_design(k);
      set_positions(k, 1.0);
      closed = close_loops(k, -1.0);
    }
    if (closed) jn_cuts_follow(k->s, k->d);
  }
  if (st) return st;
  if (closed) {
    if (!held && k->initial) note_changes(k);
    return JN_OK;
  }
  int cut = 0;
  jn_general_positions(s, d);
  const double left = jn_worst(s, d->residual, &cut);
  return jn_fail(
      k->err, JN_E_TOPOLOGY, s->model->spec->pos, NULL,
      "the loops cannot be closed: joint \"%s\" keeps a position error of %.3g (m or rad)",
      s->model->edge[s->cut[cut].edge].name, left);
}

// ---- bases --------------------------------------------------------------------------------------

// Where a file says nothing of the place and the motion of a floating assembly as a whole, its body of reference (metric.h) is
// where the design position has it, or at rest: which body is the base is no matter of the initial state.
bool jn_place_given(const jn_system *s, int frame)
{
  const jn_spec *spec = s->model->spec;
  for (int i = 0; i < spec->ninitial; i++) {
    const int joint = spec->initial[i].joint;
    if (joint < 0 || spec->joint[joint].kind != JN_JOINT_FREE) continue;
    const jn_initial_joint_keys *k = &spec->initial[i].as.joint;
    const int *bodies = spec->joint[joint].keys.bodies;
    for (int b = 0; b < 2; b++)
      if (bodies[b] == JN_GROUND && s->body[s->body_of_node[bodies[1 - b] + 1]].frame == frame &&
          (GIVES(offset) || GIVES(orientation)))
        return true;
  }
  return false;
}

static bool place_given(const assembling *a, int frame)
{
  return a->initial && jn_place_given(a->s, frame);
}

static void settle_bases(assembling *k)
{
  const jn_system *s = k->s;
  jn_data *d = k->d;
  for (int f = 0; f < s->nframe; f++) {
    const int ref = jn_frame_reference(s, f);
    if (!s->frame[f].floating || ref == s->frame[f].body || place_given(k, f)) continue;
    jn_general_positions(s, d);
    const jn_tree_joint *j = &s->joint[s->frame[f].body];
    const m3 world = m3_transpose(d->pose[ref].r);
    const v3 at = m3_mul_v3(world, v3_add(d->station[s->body[ref].station], d->pose[ref].p));
    v3_store(d->y + j->q, v3_sub(v3_sub(s->body[ref].anchor, s->frame[f].origin), at));
    q_store(d->y + j->sphere, q_from_m3(world));
  }
}

// Is the element a tie between an assembly that floats for want of a joint and one that stands? Which is which: *frame floats.
static bool ties_down(const assembling *k, const jn_element *e, int *frame)
{
  const jn_system *s = k->s;
  if (jn_element_kinds[e->kind].ends == JN_ENDS_COORDINATE || !jn_force_binds(e->spec))
    return false;
  if (e->ends.a < s->nframe || e->ends.b < s->nframe) return false;
  const int a = s->body[e->ends.a].frame, b = s->body[e->ends.b].frame;
  *frame = k->stands[a] ? b : a;
  return k->stands[a] != k->stands[b] &&
         s->model->edge[s->joint[s->frame[*frame].body].edge].joint < 0;
}

// What force elements tie to a body that stands on the ground, and no joint of the file sets free, stays beside it: so it does
// where the tree hangs it on that body, and which body it hangs on is no matter of the initial state.
static void find_standing(assembling *k)
{
  const jn_system *s = k->s;
  bool grows = true;
  int frame = 0;
  for (int f = 0; f < s->nframe; f++) k->stands[f] = !s->frame[f].floating;
  while (grows) {
    grows = false;
    for (int i = 0; i < s->nelement; i++)
      if (ties_down(k, &s->element[i], &frame)) k->stands[frame] = grows = true;
  }
}

static bool has_wheels(const jn_system *s, int frame)
{
  for (int i = 0; i < s->nwheel; i++)
    if (s->body[s->wheel[i].body].frame == frame) return true;
  return false;
}

// What free joints join is one vehicle, though they hold nothing and it may be in several trees: all of it or nothing is laid on
// the road. in (nframe): the trees that f is joined to. True: nothing of them is held where it is, and there are wheels.
static bool is_laid(const assembling *k, int f, bool *in)
{
  const jn_system *s = k->s;
  bool grows = true, wheels = false;
  memset(in, 0, (size_t)s->nframe * sizeof *in);
  in[f] = true;
  while (grows) {
    grows = false;
    for (int i = 0; i < s->ncut; i++) {
      const int a = s->body[s->cut[i].a].frame, b = s->body[s->cut[i].b].frame;
      if (in[a] != in[b]) in[a] = in[b] = grows = true;
    }
  }
  for (int i = 0; i < s->nframe; i++) {
    if (in[i] && (k->stands[i] || place_given(k, i))) return false;
    wheels |= in[i] && has_wheels(s, i);
  }
  return wheels;
}

// A vehicle whose place the file does not give begins on the road: the plane z = 0 of the design position is
// laid onto the road's plane, about the origin, with x forward as seen from above.
static jn_status lay_on_road(assembling *k)
{
  const jn_system *s = k->s;
  const jn_road *road = &s->binding.road[JN_COMMON_ROAD];
  if (!k->initial || road_shape(road->form) != JN_ROAD_FLAT) return JN_OK;
  bool *in = jn_pool_alloc(&k->pool, (size_t)s->nframe, sizeof *in);
  if (!in) return jn_build_no_memory(s, k->err);
  const v3 z = road_at(road->form, road->p, &(road_query){0}).normal,
           y = v3_unit(v3_cross(z, v3_set(1, 0, 0)));
  const m3 turn = m3_columns(v3_cross(y, z), y, z);
  for (int f = 0; f < s->nframe; f++) {
    if (!is_laid(k, f, in)) continue;
    const jn_tree_joint *j = &s->joint[s->frame[f].body];
    double *at = k->d->y + j->q, *e = k->d->y + j->sphere;
    const v3 origin = s->frame[f].origin, place = v3_add(origin, v3_load(at));
    const v3 laid = v3_add(v3_set(0, 0, road->p[ROAD_LEVEL]), m3_mul_v3(turn, place));
    v3_store(at, v3_sub(laid, origin));
    q_store(e, q_normalise(q_mul(q_from_m3(turn), q_load(e))));
  }
  return JN_OK;
}

// ---- the way to closed loops --------------------------------------------------------------------

// States of filters and lags begin at rest where their inputs are.
static bool begin_states(const jn_system *s, jn_data *d)
{
  memset(d->v, 0, (size_t)(s->nv + s->nx) * sizeof *d->v);
  return jn_components_start(s, d, false);
}

// ---- rolling --------------------------------------------------------------------------------------

static bool rolls(const assembling *k)
{
  return k->initial && k->s->binding.scenario && k->s->binding.scenario->has_speed;
}

// Where wheels touch the road while everything rests, prescribed motions too: which bodies these would move depends on the tree,
// and a tyre's damping would make loads and rolling radii of it. Residuals are left with the rates that prescribed motions give them.
static void find_contacts(assembling *k)
{
  const jn_system *s = k->s;
  jn_data *d = k->d;
  jn_general_positions(s, d);
  for (int i = 0; i < s->ndrive; i++) k->drive[i] = d->drive[i].rate, d->drive[i].rate = 0.0;
  jn_general_velocities(s, d);
  jn_forces_apply(s, d);
  for (int i = 0; i < s->ndrive; i++) d->drive[i].rate = k->drive[i];
  jn_general_velocities(s, d);
}

// Spin at which the wheel rolls with the scenario's speed on what find_contacts() has left. A wheel that begins with its centre
// near or below the road does not roll on what is left of its radius.
static double rolling_spin(const assembling *k, int i)
{
  const tyre_out *o = &k->d->wheel[i].tyre;
  const double radius = k->s->wheel[i].tyre.p[0];
  const bool touches = o->deflection > 0.0 || k->s->wheel[i].tyre.kind == JN_TYRE_MF_SIMPLE;
  return k->s->binding.scenario->speed /
         (touches && o->rolling_radius > 0.5 * radius ? o->rolling_radius : radius);
}

static int wheel_on(const jn_system *s, int joint)  // that the joint is the bearing of, -1: none
{
  for (int i = 0; i < s->nwheel; i++)
    if (s->wheel[i].bearing == joint) return i;
  return -1;
}

// A rotor turns with its carrier, and against it as the file or the scenario says.
static void start_rotors(assembling *k)
{
  const jn_system *s = k->s;
  jn_data *d = k->d;
  for (int i = 0; i < s->nwheel; i++) {
    const jn_wheel *w = &s->wheel[i];
    if (w->spin < 0) continue;
    d->x[w->spin] = rolls(k) ? rolling_spin(k, i) : k->initial ? w->start : 0.0;
  }
  jn_general_positions(s, d);
  jn_general_velocities(s, d);
  jn_forces_apply(s, d);  // whose spins are these values less the carriers' share
  for (int i = 0; i < s->nwheel; i++)
    if (s->wheel[i].spin >= 0) d->x[s->wheel[i].spin] += d->x[s->wheel[i].spin] - d->wheel[i].spin;
}

static void note_driven(assembling *k)
{
  const jn_spec *spec = k->s->model->spec;
  for (int i = 0; i < spec->ninitial; i++) {
    const int joint = spec->initial[i].joint;
    if (joint >= 0 && jn_joint_driven(&spec->joint[joint]))
      jn_build_note(k->s, "initial values of joint \"%s\" are left aside: its motion is prescribed",
                    spec->joint[joint].name);
  }
}

static jn_status assemble_positions(assembling *k)
{
  jn_system *s = k->s;
  jn_data *d = k->d;
  jn_segment_begin(s, d, 0.0);
  jn_inputs_at(s, d, 0.0);
  if (!begin_states(s, d)) return jn_build_no_memory(s, k->err);
  jn_inputs_at(s, d, 0.0);
  for (int i = 0; i < s->ndrive; i++) k->drive[i] = d->drive[i].s;
  set_design(k);
  if (k->initial) note_driven(k);
  if (!s->ncut && (k->plain || jn_parts_follow_tree(s))) {
    set_positions(k, 1.0);
    settle_bases(k);
    return lay_on_road(k);
  }
  int cut = 0;
  for (int i = 0; i < s->ndrive; i++) d->drive[i].s = 0.0;
  jn_general_positions(s, d);
  const double apart = jn_worst(s, d->residual, &cut);
  if (k->initial && apart > 1e-9)
    jn_build_note(s, "assembled: joint \"%s\" had a position error of %.3g (m or rad)",
                  s->model->edge[s->cut[cut].edge].name, apart);
  jn_status st = close_all(k);
  for (int i = 0; i < s->ndrive; i++) d->drive[i].s = k->drive[i];
  if (!st) settle_bases(k);
  return st ? st : lay_on_road(k);
}

// ---- velocities -------------------------------------------------------------------------------------

// Velocities of a joint's coordinates from `first` on.
static void condition_tree(assembling *k, int v, const double *value, int n, const char *name)
{
  for (int i = 0; i < n; i++) new_condition(k, value[i], name)[v + i] = 1.0;
}

static void condition_body(assembling *k, int body, bool angular, v3 value, const char *name)
{
  const jn_system *s = k->s;
  const jn_data *d = k->d;
  const m3 r = d->frame[s->body[body].frame].r;
  const v3 about = v3_add(d->pose[body].p, m3_mul_v3(d->pose[body].r, s->body[body].cg));
  const double want[3] = {value.x, value.y, value.z};
  for (int i = 0; i < 3; i++) {
    const v3 world = v3_set(i == 0, i == 1, i == 2), e = m3_tmul_v3(r, world);
    const sv w = angular ? sv_make(e, v3_set(0, 0, 0)) : sv_make(v3_cross(about, e), e);
    double *row = new_condition(k, want[i] - sv_dot(d->twist[body], w), name);
    jn_general_wrench_columns(s, d, body, -1, w, 1.0, row);
  }
}

static void rate_cut(assembling *k, int cut, int kind, double value, const char *name)
{
  const jn_data *d = k->d;
  const jn_cut *c = &k->s->cut[cut];
  const own o = own_of(k, cut, kind, q_identity());
  cut_condition(k, cut, &o, value - sv_dot(d->twist[c->b], o.b) + sv_dot(d->twist[c->a], o.a),
                name);
}

static void condition_cut(assembling *k, int cut, const jn_initial_joint_keys *key,
                          const char *name)
{
  const jn_joint_kind kind = k->s->cut[cut].kind;
  const bool slides = jn_joint_has(kind, JN_HAS_POSITION);
  if (k->s->cut[cut].drive >= 0 || !one_frame(k->s, cut)) return;
  if (JN_GIVEN(key, jn_initial_joint_keys, speed))
    rate_cut(k, cut, slides ? ALONG : ABOUT, key->speed, name);
  if (JN_GIVEN(key, jn_initial_joint_keys, spin)) rate_cut(k, cut, ABOUT, key->spin, name);
  for (int i = 0; i < 2 && JN_GIVEN(key, jn_initial_joint_keys, speeds); i++)
    rate_cut(k, cut, FIRST + i, key->speeds[i], name);
  for (int i = 0; i < 3 && JN_GIVEN(key, jn_initial_joint_keys, angular_velocity); i++)
    rate_cut(k, cut, TURN + i, key->angular_velocity[i], name);
  for (int i = 0; i < 3 && JN_GIVEN(key, jn_initial_joint_keys, velocity); i++)
    rate_cut(k, cut, SHIFT + i, key->velocity[i], name);
}

static void condition_joint(assembling *k, int joint, const jn_initial_joint_keys *key)
{
  const jn_system *s = k->s;
  const char *name = s->model->spec->joint[joint].name;
  const int i = jn_build_body_of(s, joint), cut = jn_build_cut_of(s, joint);
  const bool speed = JN_GIVEN(key, jn_initial_joint_keys, speed),
             spin = JN_GIVEN(key, jn_initial_joint_keys, spin);
  if (cut >= 0) condition_cut(k, cut, key, name);
  if (i < 0) return;
  const jn_tree_joint *j = &s->joint[i];
  if (j->drive >= 0) return;
  if (speed) condition_tree(k, j->v, &key->speed, 1, name);
  if (spin) condition_tree(k, j->v + 1, &key->spin, 1, name);
  if (JN_GIVEN(key, jn_initial_joint_keys, speeds)) {
    const double both[2] = {key->speeds[j->reversed ? 1 : 0], key->speeds[j->reversed ? 0 : 1]};
    condition_tree(k, j->v, both, 2, name);
  }
  // Of the second body in the first's axes. Reversed: the child is the first.
  const bool turns = JN_GIVEN(key, jn_initial_joint_keys, angular_velocity) && j->sphere >= 0;
  const bool moves = JN_GIVEN(key, jn_initial_joint_keys, velocity) && j->scalars > 0;
  const m3 rel =
      j->sphere < 0 ? m3_identity() : q_to_m3(q_load(k->d->y + j->sphere));  // child to parent axes
  // Coordinates of a base are in frame axes here.
  const m3 axes = j->kind == JN_TREE_BASE ? k->d->frame[s->body[i].frame].r : m3_identity();
  if (turns) {
    const v3 given = v3_load(key->angular_velocity);
    const v3 w = m3_tmul_v3(axes, j->reversed ? v3_neg(m3_mul_v3(rel, given)) : given);
    const double ww[3] = {w.x, w.y, w.z};
    condition_tree(k, j->v + j->scalars, ww, 3, name);
  }
  if (!moves) return;
  // Reversed: the place of the child is p = -R o with R from its axes to the parent's, so o' = -R' (p' - w x p).
  const v3 p = v3_load(k->d->y + j->q), v = v3_load(key->velocity);
  if (!j->reversed || k->plain) {
    const v3 w = turns ? v3_load(key->angular_velocity) : v3_set(0, 0, 0);
    const v3 o = v3_neg(m3_tmul_v3(rel, p)), back = m3_mul_v3(rel, v3_sub(v3_cross(w, o), v));
    const v3 rate = m3_tmul_v3(axes, j->reversed ? back : v);
    const double vv[3] = {rate.x, rate.y, rate.z};
    condition_tree(k, j->v, vv, 3, name);
    return;
  }
  for (int c = 0; c < 3; c++) {  // with whatever angular velocity it will have
    const v3 e = m3_column(rel, c);
    double *row = new_condition(k, key->velocity[c], name);
    v3_store(row + j->v, m3_tmul_v3(axes, v3_neg(e)));
    if (j->sphere >= 0) v3_store(row + j->v + j->scalars, m3_tmul_v3(axes, v3_cross(p, e)));
  }
}

// All that floats moves forward, and wheels on bearings roll.
static void condition_rolling(assembling *k)
{
  const jn_system *s = k->s;
  const jn_spec *spec = s->model->spec;
  for (int f = 0; f < s->nframe; f++) {
    if (k->stands[f]) continue;
    const int body = jn_frame_reference(s, f);
    const char *name = jn_node_name(s->model, s->body[body].node);
    const v3 forward = m3_mul_v3(k->d->frame[f].r, m3_column(k->d->pose[body].r, 0));
    condition_body(k, body, false, v3_scale(s->binding.scenario->speed, forward), name);
    condition_body(k, body, true, v3_set(0, 0, 0), name);
  }
  for (int i = 0; i < s->nwheel; i++) {
    const jn_wheel *w = &s->wheel[i];
    if (w->bearing < 0) continue;
    const jn_joint_keys *j = &spec->joint[w->bearing].keys;
    const bool second = jn_build_index(s, j->bodies[1]) == w->body;
    const double along = v3_dot(v3_load(j->axis.v[j->axis.n == 2 && second]), w->axis);
    jn_initial_joint_keys key = {.given = 1u << offsetof(jn_initial_joint_keys_bits, speed)};
    key.speed =
        (second ? 1.0 : -1.0) * copysign(rolling_spin(k, i), along * s->binding.scenario->speed);
    condition_joint(k, w->bearing, &key);
  }
}

static void collect_speeds(assembling *k)
{
  const jn_spec *spec = k->s->model->spec;
  k->c.n = 0;
  if (rolls(k)) condition_rolling(k);
  for (int i = 0; i < k->s->ninitial; i++) {
    const jn_initial_spec *init = &spec->initial[k->s->initial_order[i]];
    if (rolls(k) && (init->joint < 0 || wheel_on(k->s, init->joint) >= 0)) continue;
    if (init->joint >= 0) {
      condition_joint(k, init->joint, &init->as.joint);
      continue;
    }
    const jn_initial_body_keys *b = &init->as.body;
    const int body = k->s->body_of_node[init->body + 1];
    const char *name = spec->body[init->body].name;
    if (JN_GIVEN(b, jn_initial_body_keys, velocity))
      condition_body(k, body, false, v3_load(b->velocity), name);
    if (JN_GIVEN(b, jn_initial_body_keys, angular_velocity))
      condition_body(k, body, true, v3_load(b->angular_velocity), name);
  }
}

// A condition that no free motion has to do with is rounding, which must not be divided by.
static void drop_idle(double *reduced, size_t free_n, double whole)
{
  const double left = dot(free_n, reduced, reduced);
  if (left < RANK_TOLERANCE * RANK_TOLERANCE * whole) memset(reduced, 0, free_n * sizeof *reduced);
}

// In the coordinates y = L' x of the metric at hand, y = y0 + N z: y0 the shortest that the rows allow, N what they leave free, z
// such that the conditions are met as well as can be, and otherwise shortest. With a pull, y + pull is the shortest. Rows and
// right-hand side in k->a and k->b, scaled, as is x.
static jn_status solve_conditions(assembling *k, const double *pull)
{
  jn_system *s = k->s;
  const conditions *c = &k->c;
  const size_t n = (size_t)s->nv;
  jn_qr f;
  for (size_t r = 0; r < (size_t)s->nrow; r++) {
    jn_metric_row(&k->metric, k->a + r * n);
    if (pull) k->b[r] += dot(n, k->a + r * n, pull);
  }
  if (jn_qr_factor(&f, s->nrow, s->nv, k->a, RANK_TOLERANCE, k->work) < 0)
    return jn_fail(k->err, JN_E_TOPOLOGY, s->model->spec->pos, NULL,
                   "the loops' equations are not finite");
  jn_qr_solve(&f, k->b, k->x);
  const size_t free_n = n - (size_t)f.rank;
  jn_pool pool = {0};
  double *basis = jn_pool_alloc(&pool, n * free_n, sizeof *basis),
         *cn = jn_pool_alloc(&pool, (size_t)c->n * free_n, sizeof *cn),
         *z = jn_pool_alloc(&pool, free_n + (size_t)c->n, sizeof *z);
  void *work = jn_qr_work(&pool, c->n, (int)free_n);
  const jn_status st = pool.failed ? jn_build_no_memory(s, k->err) : JN_OK;
  if (!st) {
    jn_qr_null(&f, basis);
    for (int i = 0; i < c->n; i++) {
      double *row = c->row + (size_t)i * n, *reduced = cn + (size_t)i * free_n;
      for (size_t j = 0; j < n; j++) row[j] *= s->coordinate_scale[j];
      jn_metric_row(&k->metric, row);
      z[i] = c->value[i] - dot(n, row, k->x) + (pull ? dot(n, row, pull) : 0.0);
      for (size_t j = 0; j < n; j++)
        for (size_t l = 0; l < free_n; l++) reduced[l] += row[j] * basis[j * free_n + l];
      drop_idle(reduced, free_n, dot(n, row, row));
    }
    jn_qr g;
    if (jn_qr_factor(&g, c->n, (int)free_n, cn, RANK_TOLERANCE, work) >= 0) {
      jn_qr_solve(&g, z, z);
      for (size_t j = 0; j < n; j++)
        for (size_t l = 0; l < free_n; l++) k->x[j] += basis[j * free_n + l] * z[l];
    }
    for (size_t j = 0; j < n && pull; j++) k->x[j] -= pull[j];
    jn_metric_back(&k->metric, k->x);
  }
  jn_pool_free(&pool);
  return st;
}

// Translation of all that floats, as one, that meets the conditions best: the mean of velocities that are given. As coordinates
// of bases; rows over these are of length one, or nil.
static void find_translation(const assembling *k, double *x)
{
  const jn_system *s = k->s;
  const size_t n = (size_t)s->nv;
  memset(x, 0, n * sizeof *x);
  for (int f = 0; f < s->nframe; f++) {
    if (!s->frame[f].floating) continue;
    const int v = s->joint[s->frame[f].body].v;
    double squares = 0.0;
    v3 sum = v3_set(0, 0, 0);
    for (int i = 0; i < k->c.n; i++) {
      const v3 row = v3_load(k->c.row + (size_t)i * n + v);
      squares += v3_dot(row, row) / 3.0;
      sum = v3_axpy(k->c.value[i], row, sum);
    }
    if (squares > 0.0) v3_store(x + v, v3_scale(1.0 / squares, sum));
  }
}

static double misfit(const assembling *k, int i)  // of a condition
{
  const size_t n = (size_t)k->s->nv;
  return dot(n, k->c.row + (size_t)i * n, k->d->qdd) - k->c.value[i];
}

static bool fits(const assembling *k, int i)
{
  return fabs(misfit(k, i)) <= 1e-9 * (1.0 + fabs(k->c.value[i]));
}

// Least motion, with that of prescribed joints, beside a translation of all that floats, which costs nothing: otherwise a vehicle
// would turn about a point whose velocity is given, so as to move less.
static jn_status least_speeds(assembling *k)
{
  jn_system *s = k->s;
  jn_data *d = k->d;
  double *still = k->kept;
  const conditions *c = &k->c;
  const size_t n = (size_t)s->nv;
  // Twice: what rounding has left of rows and conditions is taken out.
  for (int pass = 0; pass < 2; pass++) {
    update_rows(k);
    collect_speeds(k);
    if (pass == 0) find_translation(k, still);
    const bool measured = jn_metric_at(&k->metric, d, NULL, true, NULL) && pass == 0;
    const double *begun = pass ? d->qdd : still;
    for (size_t j = 0; j < n; j++) k->pull[j] = begun[j] / s->coordinate_scale[j];
    for (size_t r = 0; r < (size_t)s->nrow; r++)
      k->b[r] = -d->residual_rate[r] * s->length_scale[r] - dot(n, k->a + r * n, k->pull);
    for (size_t i = 0; i < (size_t)c->n; i++) c->value[i] -= dot(n, c->row + i * n, begun);
    if (measured) {
      jn_metric_prescribed(&k->metric, d, k->pull);
      jn_metric_row(&k->metric, k->pull);
    }
    const jn_status st = solve_conditions(k, measured ? k->pull : NULL);
    if (st) return st;
    for (size_t j = 0; j < n; j++) d->qdd[j] = begun[j] + k->x[j] * s->coordinate_scale[j];
  }
  collect_speeds(k);
  return JN_OK;
}

static jn_status solve_speeds(assembling *k)
{
  const jn_status st = least_speeds(k);
  if (st) return st;
  for (int i = 0; i < k->c.n;) {  // one line for each of the file's entries
    const char *name = k->c.name[i];
    double most = 0.0;
    for (; i < k->c.n && k->c.name[i] == name; i++)
      if (!fits(k, i) && fabs(misfit(k, i)) > fabs(most)) most = misfit(k, i);
    if (most != 0.0)
      jn_build_note(k->s,
                    "initial speed of \"%s\" does not fit the joints: it was changed by %.3g (SI)",
                    name, most);
  }
  return JN_OK;
}

// Without loops and with joints' own velocities alone there is nothing to solve.
static bool is_plain(const jn_system *s)
{
  const jn_spec *spec = s->model->spec;
  const bool moves = spec->ninitial || s->ndrive;
  bool plain = s->ncut == 0;
  plain &= !s->binding.scenario || !s->binding.scenario->has_speed;
  for (int i = 0; i < s->ninitial; i++) plain &= spec->initial[s->initial_order[i]].joint >= 0;
  for (int f = 0; f < s->nframe && moves; f++)
    plain &= !s->frame[f].floating || jn_frame_reference(s, f) == s->frame[f].body;
  return plain && (!moves || jn_parts_follow_tree(s));
}

static jn_status assemble_speeds(assembling *k)
{
  jn_system *s = k->s;
  jn_data *d = k->d;
  const jn_spec *spec = s->model->spec;
  conditions *c = &k->c;
  jn_status st = JN_OK;
  find_contacts(k);
  memset(d->qdd, 0, (size_t)s->nv * sizeof *d->qdd);
  if (k->plain) {  // one entry at a time
    for (int i = 0; i < s->ninitial; i++) {
      const jn_initial_spec *init = &spec->initial[s->initial_order[i]];
      c->n = 0;
      condition_joint(k, init->joint, &init->as.joint);
      for (int r = 0; r < c->n; r++)
        for (int j = 0; j < s->nv; j++)
          if (c->row[(size_t)r * (size_t)s->nv + (size_t)j] != 0.0) d->qdd[j] = c->value[r];
    }
  } else {
    st = solve_speeds(k);
  }
  for (int i = s->nframe; i < s->nbody && !st; i++) {
    const jn_tree_joint *j = &s->joint[i];
    for (int m = 0; m < j->nv; m++) d->v[j->v + m] = d->qdd[j->v + m];
    if (j->kind != JN_TREE_BASE) continue;
    const m3 r = d->frame[s->body[i].frame].r;
    v3_store(&d->v[j->v], m3_mul_v3(r, v3_load(&d->qdd[j->v])));
    v3_store(&d->v[j->v + 3], m3_mul_v3(r, v3_load(&d->qdd[j->v + 3])));
  }
  return st;
}

// ---- the whole ----------------------------------------------------------------------------------

static jn_status run(assembling *k)
{
  find_standing(k);
  jn_status st = assemble_positions(k);
  if (!st && k->initial) st = assemble_speeds(k);
  if (!st && k->s->nwheel) start_rotors(k);
  return st;
}

static jn_status with_memory(jn_system *s, jn_data *d, bool with_initial, jn_error *err)
{
  const bool plain = is_plain(s);
  assembling k = {.s = s, .d = d, .initial = with_initial, .plain = plain, .err = err};
  // At most 6 values of an entry; without loops one entry is taken at a time.
  const int entries = s->model->spec->ninitial + s->nframe + s->nwheel;
  const size_t room = (size_t)(plain || !with_initial ? 6 : 6 * entries) + 1;
  const size_t n = (size_t)s->nv, m = (size_t)s->nrow + (plain ? 0 : room), most = n > m ? n : m;
  if (!plain && s->nv > MOST_COORDINATES)
    return jn_fail(err, JN_E_LIMIT, s->model->spec->pos, NULL,
                   "the model has loops or given velocities of bodies and %d coordinates; at most "
                   "%d can be assembled",
                   s->nv, MOST_COORDINATES);
  k.held = jn_pool_alloc(&k.pool, n, sizeof *k.held);
  k.a = jn_pool_alloc(&k.pool, m * n, sizeof *k.a);
  k.b = jn_pool_alloc(&k.pool, most, sizeof *k.b);
  k.x = jn_pool_alloc(&k.pool, most, sizeof *k.x);
  k.start = jn_pool_alloc(&k.pool, (size_t)s->nq, sizeof *k.start);
  k.drive = jn_pool_alloc(&k.pool, (size_t)s->ndrive, sizeof *k.drive);
  k.c.row = jn_pool_alloc(&k.pool, room * n, sizeof *k.c.row);
  k.c.value = jn_pool_alloc(&k.pool, room, sizeof *k.c.value);
  k.c.name = jn_pool_alloc(&k.pool, room, sizeof *k.c.name);
  k.near = jn_pool_alloc(&k.pool, (size_t)jn_relative_count(s), sizeof *k.near);
  k.pull = jn_pool_alloc(&k.pool, n, sizeof *k.pull);
  k.stands = jn_pool_alloc(&k.pool, (size_t)s->nframe, sizeof *k.stands);
  k.kept = jn_pool_alloc(&k.pool, n, sizeof *k.kept);
  k.work = plain ? NULL : jn_qr_work(&k.pool, (int)m, s->nv);
  jn_status st = k.pool.failed ? jn_build_no_memory(s, err) : JN_OK;
  if (!st && !plain) st = jn_metric_init(&k.metric, s, err);
  if (!st) st = run(&k);
  jn_metric_free(&k.metric);
  jn_pool_free(&k.pool);
  return st;
}

jn_status jn_assemble(jn_system *s, jn_data *d, bool with_initial, jn_error *err)
{
  if (with_initial)
    for (int e = 0; e < s->model->nedge; e++) {
      const jn_edge *edge = &s->model->edge[e];
      if (s->model->in_tree[e] && edge->apart > 1e-9)
        jn_build_note(s, "assembled: the points of joint \"%s\" had a position error of %.3g m",
                      edge->name, edge->apart);
      if (s->model->in_tree[e] && edge->askew > 1e-9)
        jn_build_note(s, "assembled: the axes of joint \"%s\" were %.3g rad askew", edge->name,
                      edge->askew);
    }
  return with_memory(s, d, with_initial, err);
}
