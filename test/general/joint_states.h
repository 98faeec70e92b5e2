// joint_states.h: systems that tests make ready, states of bodies seen from the world, and the way back:
// coordinates of any tree from where the bodies are.
#ifndef JN_TEST_STATES_H
#define JN_TEST_STATES_H

#include "base/dense.h"
#include "base/quat.h"
#include "run/run_internal.h"
#include "topology/mechanism.h"

#if defined(__SANITIZE_ADDRESS__)
enum { JT_SLOW = 1 };
#else
enum { JT_SLOW = 0 };
#endif

// ---- systems -----------------------------------------------------------------------------------

typedef struct jt_run {
  jn_system *s;
  jn_data *d;
  double t;
} jt_run;

static inline jn_status jt_run_try(const jn_model *m, jn_formulation formulation, jt_run *out,
                                   jn_error *err)
{
  const jn_sim_opts opts = {.formulation = formulation,
                            .path = JN_PATH_GENERAL,
                            .stabilize = JN_STABILIZE_NONE,
                            .integrator = JN_INTEGRATOR_RK4,
                            .without_tyres = 1};
  *out = (jt_run){NULL, NULL, 0.0};
  jn_status st = jn_system_create(m, NULL, &opts, &out->s, err);
  return st ? st : jn_data_create(out->s, &out->d, err);
}

static inline jt_run jt_run_of(const jn_model *m, jn_formulation formulation)
{
  jn_error err = {0};
  jt_run k;
  jt_ok(jt_run_try(m, formulation, &k, &err), &err, NULL);
  return k;
}

static inline void jt_run_free(jt_run *k)
{
  jn_data_free(k->d);
  jn_system_free(k->s);
  *k = (jt_run){NULL, NULL, 0.0};
}

// Positions and velocities of the state at hand.
static inline void jt_look(jt_run *k)
{
  jn_segment_begin(k->s, k->d, k->t);
  jn_inputs_at(k->s, k->d, k->t);
  jn_general_positions(k->s, k->d);
  jn_general_velocities(k->s, k->d);
}

// Everything, without touching the state. Angles are within one turn, wherever they were before.
static inline void jt_evaluate(jt_run *k)
{
  memset(k->d->turn, 0, (size_t)k->s->nq * sizeof *k->d->turn);
  memset(k->d->cut_angle, 0, (size_t)k->s->ncut * sizeof *k->d->cut_angle);
  jn_segment_begin(k->s, k->d, k->t);
  jn_evaluate_stage(k->s, k->d, k->t, k->d->y, k->d->dy, k->d->rate, false);
  jn_channels_fill(k->s, k->d);
}

// ---- bodies in the world -----------------------------------------------------------------------

typedef struct jt_body {
  m3 r;        // from the design position
  v3 p, v, w;  // place and velocity of the cg, angular velocity
  v3 a, dw;    // acceleration of the cg, angular acceleration
} jt_body;

static inline v3 jt_cg_about(const jt_run *k, int i)  // from the station, frame axes
{
  return v3_add(k->d->pose[i].p, m3_mul_v3(k->d->pose[i].r, k->s->body[i].cg));
}

// accel: spatial accelerations of all bodies in an inertial frame; NULL: not wanted.
static inline jt_body jt_see(const jt_run *k, int i, const sv *accel)
{
  const jn_data *d = k->d;
  const jn_body *b = &k->s->body[i];
  const jn_frame_state *f = &d->frame[b->frame];
  const v3 about = jt_cg_about(k, i), speed = v3_cross_add(d->twist[i].a, about, d->twist[i].l);
  jt_body x = {.r = m3_mul(f->r, d->pose[i].r)};
  x.p = v3_add(v3_add(k->s->frame[b->frame].origin, f->moved),
               m3_mul_v3(f->r, v3_add(d->station[b->station], about)));
  x.v = v3_add(f->velocity, m3_mul_v3(f->r, speed));
  x.w = m3_mul_v3(f->r, d->twist[i].a);
  if (accel) {
    // A spatial acceleration is the rate of the velocity at a point that rests: of a point that
    // moves along with the body there is w x v more.
    v3 a = v3_add(v3_cross_add(accel[i].a, about, accel[i].l), v3_cross(d->twist[i].a, speed));
    x.a = m3_mul_v3(f->r, a);
    x.dw = m3_mul_v3(f->r, accel[i].a);
  }
  return x;
}

// A point of the design position, carried by the body.
static inline v3 jt_point(const jt_run *k, int i, const jt_body *x, v3 design)
{
  const jn_body *b = &k->s->body[i];
  return v3_add(x->p, m3_mul_v3(x->r, v3_sub(design, v3_add(b->anchor, b->cg))));
}

// After jt_evaluate: accelerations are those of the equations of motion, weight included. By node;
// the ground rests.
static inline void jt_see_all(const jt_run *k, jt_body *at)
{
  at[0] = (jt_body){.r = m3_identity()};
  for (int i = k->s->nframe; i < k->s->nbody; i++) {
    jt_body x = jt_see(k, i, k->d->accel);
    x.a = v3_add(x.a, k->s->gravity);  // the engine's are less gravity
    at[k->s->body[i].node] = x;
  }
}

// Where a joint's reaction is reported: the second body's joint point. Where the file gives none, the
// cg of the body that moves, the second one if both do.
static inline v3 jt_joint_point(const jt_run *k, int e, const jt_body *at)
{
  const jn_model *m = k->s->model;
  const jn_edge *edge = &m->edge[e];
  const jn_joint_keys *keys = &m->spec->joint[edge->joint].keys;
  const int moves = edge->b > 0 ? edge->b : edge->a;
  const v3 point =
      v3_load(keys->at.n ? keys->at.v[keys->at.n - 1] : m->spec->body[moves - 1].keys.cg);
  return edge->b == JN_NODE_GROUND ? point
                                   : jt_point(k, k->s->body_of_node[edge->b], &at[edge->b], point);
}

// ---- coordinates of a tree from where bodies are -----------------------------------------------

static inline double jt_angle(v3 axis, v3 from, v3 to)  // about the axis
{
  const v3 a = v3_axpy(-v3_dot(axis, from), axis, from), b = v3_axpy(-v3_dot(axis, to), axis, to);
  return atan2(v3_dot(axis, v3_cross(a, b)), v3_dot(a, b));
}

static inline v3 jt_normal(v3 u)
{
  const v3 e = fabs(u.x) < 0.6 ? v3_set(1, 0, 0) : v3_set(0, 1, 0);
  return v3_unit(v3_cross(u, e));
}

static inline double jt_angle_of(v3 axis, m3 r)
{
  const v3 n = jt_normal(axis);
  return jt_angle(axis, n, m3_mul_v3(r, n));
}

static inline void jt_store_sphere(double *q, m3 r)
{
  const q4 e = q_from_m3(r);
  q[0] = e.w, q[1] = e.x, q[2] = e.y, q[3] = e.z;
}

static inline v3 jt_anchor(const jt_run *k, int i, const jt_body *x)
{
  return i < k->s->nframe ? k->s->body[i].anchor : v3_sub(x->p, m3_mul_v3(x->r, k->s->body[i].cg));
}

// Positions of the joint that leads to body i: the joint's own equations, solved for its
// coordinates.
static inline void jt_fit_joint(const jt_run *k, int i, const jt_body *up, const jt_body *own,
                                double *y)
{
  const jn_tree_joint *j = &k->s->joint[i];
  double *q = y + j->q;
  const v3 pc = jt_anchor(k, i, own);
  if (j->kind == JN_TREE_BASE) {
    v3_store(q, v3_sub(pc, k->s->frame[k->s->body[i].frame].origin));
    jt_store_sphere(y + j->sphere, own->r);
    return;
  }
  if (j->drive >= 0) return;
  const m3 rel = m3_tmul(up->r, own->r), turn = m3_mult(rel, j->turn);
  const v3 r = v3_sub(m3_tmul_v3(up->r, v3_sub(pc, jt_anchor(k, k->s->body[i].parent, up))), j->at);
  const v3 back = v3_neg(m3_tmul_v3(rel, r));  // from the anchor to the parent's point, child axes
  if (j->sphere >= 0) jt_store_sphere(y + j->sphere, rel);
  switch (j->kind) {
    case JN_JOINT_REVOLUTE:
      q[0] = jt_angle_of(j->axis, turn);
      break;
    case JN_JOINT_TRANSLATIONAL:
      q[0] = v3_dot(j->axis, r);
      break;
    case JN_JOINT_SCREW:
      q[0] = v3_dot(j->axis, r) / j->move[0].pitch;
      break;
    case JN_JOINT_CYLINDRICAL:
      q[0] = v3_dot(j->axis, r);
      q[1] = jt_angle_of(j->axis, turn);
      break;
    case JN_JOINT_PLANAR:
      q[0] = v3_dot(j->move[0].own, r);
      q[1] = v3_dot(j->move[1].own, r);
      q[2] = jt_angle_of(j->axis, turn);
      break;
    case JN_JOINT_UNIVERSAL: {
      q[0] = jt_angle(j->axis, j->move[1].own, m3_mul_v3(rel, j->move[1].own));
      const m3 first = m3_about(j->axis, cos(q[0]), sin(q[0]));
      q[1] = jt_angle_of(j->move[1].own, m3_tmul(first, rel));
      break;
    }
    case JN_JOINT_FREE:
    case JN_JOINT_DISTANCE:
    case JN_JOINT_NO_ROTATION:
      v3_store(q, r);
      break;
    case JN_JOINT_SPHERICAL_REVOLUTE:
      q[0] = j->reversed ? jt_angle(j->move[1].own, v3_neg(j->move[1].arm), back)
                         : jt_angle(j->move[0].own, j->move[0].arm, r);
      break;
    case JN_JOINT_SPHERICAL_TRANSLATIONAL:
      q[0] = j->reversed ? -v3_dot(j->move[1].own, back) : v3_dot(j->move[0].own, r);
      break;
    default:
      break;
  }
}

// Velocities of that joint: relative motion = sum S_k v_k, by least squares. Returns what is left over,
// which is rounding if the joint permits the motion.
static inline double jt_fit_speeds(const jt_run *k, int i, const jt_body *up, const jt_body *own,
                                   double *v)
{
  static _Alignas(64) unsigned char work[16384];
  const jn_system *s = k->s;
  const jn_data *d = k->d;
  const jn_tree_joint *j = &s->joint[i];
  const v3 pc = jt_anchor(k, i, own);
  const v3 vc = v3_add(own->v, v3_cross(own->w, v3_sub(pc, own->p)));
  if (j->kind == JN_TREE_BASE) {
    v3_store(v + j->v, vc);
    v3_store(v + j->v + 3, own->w);
    return 0.0;
  }
  const v3 vp = v3_add(up->v, v3_cross(up->w, v3_sub(pc, up->p)));
  const m3 f = d->frame[s->body[i].frame].r;
  const v3 at = d->pose[i].p;
  const int n = j->drive >= 0 ? 0 : j->nv;
  double a[36], b[6], x[6] = {0};
  for (int c = 0; c < n; c++) {
    const sv col = sv_rotate(f, sv_shift_motion(d->s[j->v + c], at));
    const double e[6] = {col.a.x, col.a.y, col.a.z, col.l.x, col.l.y, col.l.z};
    for (int r = 0; r < 6; r++) a[r * n + c] = e[r];
  }
  v3_store(b, v3_sub(own->w, up->w));
  v3_store(b + 3, v3_sub(vc, vp));
  if (j->drive >= 0) {
    const sv col = sv_rotate(f, sv_shift_motion(d->s_drive[j->drive], at));
    const double rate = d->drive[j->drive].rate;
    v3_store(b, v3_axpy(-rate, col.a, v3_load(b)));
    v3_store(b + 3, v3_axpy(-rate, col.l, v3_load(b + 3)));
  }
  assert_true(jn_qr_size(6, n) <= sizeof work);
  jn_qr qr;
  jn_qr_factor(&qr, 6, n, a, 1e-12, work);
  const double left = jn_qr_solve(&qr, b, x);
  if (qr.rank < n) return INFINITY;
  for (int c = 0; c < n; c++) v[j->v + c] = x[c];
  return left;
}

// The state in which bodies are and move as given, by node. Returns the largest difference of
// places, attitudes and velocities that the tree's joints cannot follow.
static inline double jt_transfer(jt_run *k, const jt_body *at)
{
  const jn_system *s = k->s;
  jn_data *d = k->d;
  double worst = 0.0;
  for (int i = s->nframe; i < s->nbody; i++)
    jt_fit_joint(k, i, &at[s->body[s->body[i].parent].node], &at[s->body[i].node], d->y);
  jt_look(k);
  for (int i = s->nframe; i < s->nbody; i++)
    worst = fmax(worst, jt_fit_speeds(k, i, &at[s->body[s->body[i].parent].node],
                                      &at[s->body[i].node], d->y + s->nq));
  jt_look(k);
  for (int i = s->nframe; i < s->nbody; i++) {
    const jt_body *want = &at[s->body[i].node], x = jt_see(k, i, NULL);
    const m3 turn = m3_sub(x.r, want->r);
    worst = fmax(worst, v3_norm(v3_sub(x.p, want->p)));
    worst = fmax(worst, fmax(v3_norm(turn.x), fmax(v3_norm(turn.y), v3_norm(turn.z))));
    worst = fmax(worst, fmax(v3_norm(v3_sub(x.v, want->v)), v3_norm(v3_sub(x.w, want->w))));
  }
  return worst;
}

// ---- assembled states --------------------------------------------------------------------------

typedef struct jt_closer {  // memory of jt_close and jt_project
  double *j, *b, *x;
  void *work;
} jt_closer;

static inline jt_closer jt_closer_of(const jn_system *s)
{
  const size_t n = (size_t)s->nv, m = (size_t)s->nrow, most = (n > m ? n : m) + 6;
  jt_closer c = {malloc((m * n + 1) * sizeof(double)), malloc(most * sizeof(double)),
                 malloc(most * sizeof(double)), NULL};
  c.work = aligned_alloc(64, (jn_qr_size(s->nrow, s->nv) + 127) & ~(size_t)63);
  assert_true(c.j && c.b && c.x && c.work);
  return c;
}

static inline void jt_closer_free(jt_closer *c)
{
  free(c->j), free(c->b), free(c->x), free(c->work);
}

// Rows over coordinates, both scaled so that lengths and angles compare.
static inline void jt_scaled_rows(const jt_run *k, double *j)
{
  const jn_system *s = k->s;
  const size_t n = (size_t)s->nv;
  jn_general_jacobian(s, k->d, j);
  for (int r = 0; r < s->nrow; r++)
    for (size_t c = 0; c < n; c++)
      j[(size_t)r * n + c] *= s->length_scale[r] * s->coordinate_scale[c];
}

static inline double jt_scaled_worst(const jn_system *s, const double *residual)
{
  double worst = 0.0;
  for (int r = 0; r < s->nrow; r++)
    if (!(fabs(residual[r]) * s->length_scale[r] <= worst))
      worst = fabs(residual[r]) * s->length_scale[r];
  return worst;
}

// Newton's method with the shortest steps. Returns the largest scaled residual that is left.
static inline double jt_close(jt_run *k, jt_closer *c)
{
  const jn_system *s = k->s;
  double worst = INFINITY;
  for (int n = 0; n < 40; n++) {
    jt_look(k);
    const double before = worst;
    worst = jt_scaled_worst(s, k->d->residual);
    if (!isfinite(worst) || worst < 1e-15 || (worst < 1e-13 && worst > 0.5 * before)) break;
    jt_scaled_rows(k, c->j);
    for (int r = 0; r < s->nrow; r++) c->b[r] = -k->d->residual[r] * s->length_scale[r];
    jn_qr f;
    if (jn_qr_factor(&f, s->nrow, s->nv, c->j, 1e-7, c->work) < 0) return INFINITY;
    jn_qr_solve(&f, c->b, c->x);
    double length = 0.0;
    for (int i = 0; i < s->nv; i++) length = fmax(length, fabs(c->x[i]));
    const double shorten = length > 0.5 ? 0.5 / length : 1.0;
    for (int i = 0; i < s->nv; i++) c->x[i] *= shorten * s->coordinate_scale[i];
    jn_general_displace(s, k->d->y, c->x, k->d->frame);
  }
  return worst;
}

// Velocities: the nearest that the rows allow. Twice, because the first correction is large.
static inline void jt_project(jt_run *k, jt_closer *c)
{
  const jn_system *s = k->s;
  double *v = k->d->y + s->nq;
  for (int n = 0; n < 2 && s->nrow; n++) {
    jt_look(k);
    jt_scaled_rows(k, c->j);
    for (int r = 0; r < s->nrow; r++) c->b[r] = -k->d->residual_rate[r] * s->length_scale[r];
    jn_qr f;
    assert_true(jn_qr_factor(&f, s->nrow, s->nv, c->j, 1e-7, c->work) >= 0);
    jn_qr_solve(&f, c->b, c->x);
    for (int i = s->nframe; i < s->nbody; i++) {
      const jn_tree_joint *j = &s->joint[i];
      double *x = c->x + j->v;
      for (int m = 0; m < j->nv; m++) x[m] *= s->coordinate_scale[j->v + m];
      if (j->kind == JN_TREE_BASE) {  // rows are over frame axes, velocities in world axes
        const m3 r = k->d->frame[s->body[i].frame].r;
        v3_store(x, m3_mul_v3(r, v3_load(x)));
        v3_store(x + 3, m3_mul_v3(r, v3_load(x + 3)));
      }
      for (int m = 0; m < j->nv; m++) v[j->v + m] += x[m];
    }
  }
  jt_look(k);
}

// ---- random numbers ----------------------------------------------------------------------------

static inline q4 jt_random_turn(jt_random *r)  // uniform over all attitudes
{
  for (;;) {
    const double w = jt_random_in(r, -1, 1), x = jt_random_in(r, -1, 1), y = jt_random_in(r, -1, 1),
                 z = jt_random_in(r, -1, 1);
    const q4 q = q_make(w, v3_make(x, y, z));
    const double n = q_dot(q, q);
    if (n > 0.01 && n < 1.0) return q_normalise(q);
  }
}

static inline v3 jt_random_v3(jt_random *r, double size)
{
  const double x = jt_random_in(r, -size, size), y = jt_random_in(r, -size, size);
  return v3_make(x, y, jt_random_in(r, -size, size));
}

#endif
