// assemble.c: an initial state that satisfies the constraints: positions by Newton's method with the shortest
// steps, speeds by orthogonal factors.
//
// What the file's `initial` gives is held. Where that cannot be, it gives way, and a note tells by how much.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dense.h"
#include "base/quat.h"
#include "core/build.h"
#include "sim/sim.h"

enum { MOST_COORDINATES = 3000 };
static const double RANK_TOLERANCE = 1e-7, CLOSED = 1e-14, CLOSED_ENOUGH = 1e-9;

typedef struct assembling {
  jn_system *s;
  jn_data *d;
  bool *held;          // coordinates that the file gives (nv)
  double *a, *b, *x;   // matrix, right-hand side, solution
  void *work;
  jn_error *err;
} assembling;

static jn_status no_memory(assembling *k)
{
  return jn_fail(k->err, JN_E_MEMORY, k->s->model->spec->pos, NULL, "memory is exhausted");
}

// ---- what the file says -----------------------------------------------------------------------------

static q4 quaternion(const double *e)
{
  return q_make(e[0], v3_load(e + 1));
}

static void store(double *e, q4 q)
{
  e[0] = q.w, e[1] = q.x, e[2] = q.y, e[3] = q.z;
}

#define GIVES(key) JN_GIVEN(k, jn_initial_joint_keys, key)

static void hold(assembling *a, int v, int n)
{
  for (int i = 0; i < n; i++) a->held[v + i] = true;
}

static void set_position(assembling *a, int i, const jn_initial_joint_keys *k)
{
  jn_system *s = a->s;
  const jn_tree_joint *j = &s->joint[i];
  double *q = a->d->y + j->q;
  if (j->drive >= 0) return;
  switch (j->kind) {
    case JN_TREE_REVOLUTE:
    case JN_TREE_SCREW:
      if (GIVES(angle)) q[0] = k->angle, hold(a, j->v, 1);
      break;
    case JN_TREE_TRANSLATIONAL:
      if (GIVES(position)) q[0] = k->position, hold(a, j->v, 1);
      break;
    case JN_TREE_CYLINDRICAL:
      if (GIVES(position)) q[0] = k->position, hold(a, j->v, 1);
      if (GIVES(angle)) q[1] = k->angle, hold(a, j->v + 1, 1);
      break;
    case JN_TREE_UNIVERSAL:
      if (!GIVES(angles)) break;
      q[0] = k->angles[j->reversed ? 1 : 0], q[1] = k->angles[j->reversed ? 0 : 1];
      hold(a, j->v, 2);
      break;
    case JN_TREE_SPHERICAL:
    case JN_TREE_FREE:
    case JN_TREE_BASE:
    case JN_TREE_NO_ROTATION: {
      q4 turn = q_identity();
      if (j->sphere >= 0 && GIVES(orientation)) {
        turn = q_normalise(quaternion(k->orientation));
        store(a->d->y + j->sphere, j->reversed ? q_conj(turn) : turn);
        hold(a, j->v + j->scalars, 3);
      }
      if (j->kind == JN_TREE_SPHERICAL || !GIVES(offset)) break;
      v3 o = v3_load(k->offset);
      v3_store(q, j->reversed ? v3_neg(q_rotate_back(turn, o)) : o);
      hold(a, j->v, 3);
      break;
    }
    default:
      break;
  }
}

static void set_positions(assembling *a, bool initial)
{
  const jn_system *s = a->s;
  const jn_spec *spec = s->model->spec;
  memset(a->d->y, 0, (size_t)(s->nq + s->nv + s->nx) * sizeof(double));
  memset(a->held, 0, (size_t)s->nv * sizeof *a->held);
  for (int i = s->nframe; i < s->nbody; i++)
    if (s->joint[i].sphere >= 0) a->d->y[s->joint[i].sphere] = 1.0;
  for (int i = 0; initial && i < spec->ninitial; i++) {
    if (spec->initial[i].joint < 0) continue;
    const int body = jn_build_body_of(s, spec->initial[i].joint);
    if (body >= 0) set_position(a, body, &spec->initial[i].as.joint);
  }
}

// ---- positions ------------------------------------------------------------------------------------

// One step towards closed loops; returns the largest scaled residual before it.
static double close_step(assembling *k, bool holding, bool *stuck)
{
  jn_system *s = k->s;
  jn_data *d = k->d;
  const size_t n = (size_t)s->nv;
  jn_dyn_positions(s, d);
  double worst = 0.0;
  for (int r = 0; r < s->nrow; r++) {
    k->b[r] = -d->residual[r] * s->length_scale[r];
    if (!(fabs(k->b[r]) <= worst)) worst = fabs(k->b[r]);
  }
  *stuck = false;
  if (!isfinite(worst) || worst < CLOSED) return worst;
  jn_dyn_jacobian(s, d, k->a);
  for (int r = 0; r < s->nrow; r++)
    for (size_t j = 0; j < n; j++)
      k->a[(size_t)r * n + j] *= holding && k->held[j] ? 0.0 : s->length_scale[r] * s->coordinate_scale[j];
  jn_qr f;
  if (jn_qr_factor(&f, s->nrow, s->nv, k->a, RANK_TOLERANCE, k->work) < 0) {
    *stuck = true;
    return worst;
  }
  jn_qr_solve(&f, k->b, k->x);
  double length = 0.0;
  for (size_t j = 0; j < n; j++) length = fmax(length, fabs(k->x[j]));
  const double shorten = length > 0.5 ? 0.5 / length : 1.0;  // half a radian is as far as a slope reaches
  for (size_t j = 0; j < n; j++) k->x[j] *= shorten * s->coordinate_scale[j];
  jn_dyn_move(s, d->y, k->x, d->frame);
  return worst;
}

static double close_loops(assembling *k, bool holding)
{
  double worst = INFINITY, before;
  bool stuck;
  for (int i = 0; i < 60; i++) {
    before = worst;
    worst = close_step(k, holding, &stuck);
    if (!isfinite(worst) || worst < CLOSED || stuck) return worst;
    if (worst < CLOSED_ENOUGH && worst >= 0.5 * before) return worst;  // rounding is reached
  }
  return worst;
}

static jn_status assemble_positions(assembling *k, bool initial, bool tell)
{
  jn_system *s = k->s;
  jn_data *d = k->d;
  set_positions(k, initial);
  d->from = -INFINITY, d->limit = s->nkink ? s->kink[0] : INFINITY;
  jn_segment_begin(s, d, 0.0);
  jn_inputs_at(s, d, 0.0);
  for (int i = 0; i < s->ndrive; i++) {  // filters begin at rest where their input is
    const jn_drive *e = &s->drive[i];
    if (e->filter >= 0) d->x[e->filter] = d->in[e->input][0];
  }
  jn_inputs_at(s, d, 0.0);
  if (!s->nrow) return JN_OK;
  jn_dyn_positions(s, d);
  int cut = 0;
  const double apart = jn_worst(s, d->residual, &cut);
  double *start = malloc(((size_t)s->nq + 1) * sizeof *start);
  if (!start) return no_memory(k);
  memcpy(start, d->y, (size_t)s->nq * sizeof *start);
  double worst = close_loops(k, true);
  if (!(worst < CLOSED_ENOUGH)) {
    memcpy(d->y, start, (size_t)s->nq * sizeof *start);
    worst = close_loops(k, false);
    if (worst < CLOSED_ENOUGH && tell)
      jn_build_note(s, "initial positions of joints do not fit the loops: they were changed to close them");
  }
  free(start);
  if (!(worst < CLOSED_ENOUGH)) {
    jn_dyn_positions(s, d);
    const double left = jn_worst(s, d->residual, &cut);
    return jn_fail(k->err, JN_E_TOPOLOGY, s->model->spec->pos, NULL,
                   "the loops cannot be closed: joint \"%s\" stays apart by %.3g (m or rad)",
                   s->model->edge[s->cut[cut].edge].name, left);
  }
  if (tell && apart > 1e-9)
    jn_build_note(s, "assembled: joint \"%s\" was apart by %.3g (m or rad)", s->model->edge[s->cut[cut].edge].name, apart);
  return JN_OK;
}

// ---- speeds ---------------------------------------------------------------------------------------

typedef struct conditions {
  int n, room;
  double *row, *value;     // (n x nv), (n)
  const char **name;       // (n)
} conditions;

static double *new_condition(assembling *k, conditions *c, double value, const char *name)
{
  double *row = c->row + (size_t)c->n * (size_t)k->s->nv;
  memset(row, 0, (size_t)k->s->nv * sizeof *row);
  c->value[c->n] = value;
  c->name[c->n++] = name;
  return row;
}

// Speeds of a joint's coordinates from `first` on.
static void condition_tree(assembling *k, conditions *c, int v, const double *value, int n, const char *name)
{
  for (int i = 0; i < n; i++) new_condition(k, c, value[i], name)[v + i] = 1.0;
}

static void condition_body(assembling *k, conditions *c, int body, bool angular, v3 value, const char *name)
{
  const jn_system *s = k->s;
  const jn_data *d = k->d;
  const m3 r = d->frame[s->body[body].frame].r;
  const v3 about = v3_add(d->pose[body].p, m3_mul_v3(d->pose[body].r, s->body[body].cg));
  const double want[3] = {value.x, value.y, value.z};
  for (int i = 0; i < 3; i++) {
    const v3 world = v3_set(i == 0, i == 1, i == 2), e = m3_tmul_v3(r, world);
    const sv w = angular ? sv_make(e, v3_set(0, 0, 0)) : sv_make(v3_cross(about, e), e);
    double *row = new_condition(k, c, want[i] - sv_dot(d->twist[body], w), name);
    jn_dyn_wrench_columns(s, d, body, -1, w, 1.0, row);
  }
}

// A cut joint's own rate: the wrench that works on it alone.
static void condition_cut(assembling *k, conditions *c, int cut, bool angular, double value, const char *name)
{
  const jn_system *s = k->s;
  const jn_data *d = k->d;
  const jn_cut *j = &s->cut[cut];
  const v3 u = m3_mul_v3(d->pose[j->a].r, j->axis_a), none = v3_set(0, 0, 0);
  const v3 pb = v3_add(d->pose[j->b].p, m3_mul_v3(d->pose[j->b].r, j->at_b));
  const v3 pa = v3_add(pb, v3_sub(d->station[s->body[j->b].station], d->station[s->body[j->a].station]));
  const sv wb = angular ? sv_make(u, none) : sv_make(v3_cross(pb, u), u);
  const sv wa = angular ? sv_make(u, none) : sv_make(v3_cross(pa, u), u);
  double *row = new_condition(k, c, value - sv_dot(d->twist[j->b], wb) + sv_dot(d->twist[j->a], wa), name);
  jn_dyn_wrench_columns(s, d, j->b, -1, wb, 1.0, row);
  jn_dyn_wrench_columns(s, d, j->a, -1, wa, -1.0, row);
}

static void condition_joint(assembling *k, conditions *c, int joint, const jn_initial_joint_keys *key)
{
  const jn_system *s = k->s;
  const jn_joint_kind kind = s->model->spec->joint[joint].kind;
  const char *name = s->model->spec->joint[joint].name;
  const int i = jn_build_body_of(s, joint), cut = jn_build_cut_of(s, joint);
  const bool speed = JN_GIVEN(key, jn_initial_joint_keys, speed), spin = JN_GIVEN(key, jn_initial_joint_keys, spin);
  if (i < 0) {
    if (cut < 0) return;
    if (speed) condition_cut(k, c, cut, kind != JN_JOINT_TRANSLATIONAL && kind != JN_JOINT_CYLINDRICAL, key->speed, name);
    if (spin) condition_cut(k, c, cut, true, key->spin, name);
    return;
  }
  const jn_tree_joint *j = &s->joint[i];
  if (j->drive >= 0) return;
  if (speed) condition_tree(k, c, j->v, &key->speed, 1, name);
  if (spin) condition_tree(k, c, j->v + 1, &key->spin, 1, name);
  if (JN_GIVEN(key, jn_initial_joint_keys, speeds)) {
    const double both[2] = {key->speeds[j->reversed ? 1 : 0], key->speeds[j->reversed ? 0 : 1]};
    condition_tree(k, c, j->v, both, 2, name);
  }
  // Of the second body in the first's axes. Reversed: the child is the first.
  const bool turns = JN_GIVEN(key, jn_initial_joint_keys, angular_velocity) && j->sphere >= 0;
  const bool moves = JN_GIVEN(key, jn_initial_joint_keys, velocity) && j->kind != JN_TREE_SPHERICAL;
  const m3 rel = j->sphere < 0 ? m3_identity() : q_to_m3(quaternion(k->d->y + j->sphere));  // child to parent axes
  v3 w = turns ? v3_load(key->angular_velocity) : v3_set(0, 0, 0), v = moves ? v3_load(key->velocity) : v3_set(0, 0, 0);
  if (j->reversed) {
    // p_child = -R o with R child to parent: rate = -R (o' + w_first x o), w of child against parent is -R w
    w = v3_neg(m3_mul_v3(rel, w));
    v3 o = v3_neg(m3_tmul_v3(rel, v3_load(k->d->y + j->q)));
    v = v3_sub(v3_cross(w, v3_neg(m3_mul_v3(rel, o))), m3_mul_v3(rel, v));
    if (j->kind == JN_TREE_SPHERICAL) v = v3_set(0, 0, 0);
  }
  if (j->kind == JN_TREE_BASE) {  // its coordinates are in frame axes here
    const m3 r = k->d->frame[s->body[i].frame].r;
    w = m3_tmul_v3(r, w), v = m3_tmul_v3(r, v);
  }
  const double ww[3] = {w.x, w.y, w.z}, vv[3] = {v.x, v.y, v.z};
  if (turns) condition_tree(k, c, j->v + j->scalars, ww, 3, name);
  if (moves) condition_tree(k, c, j->v, vv, 3, name);
}

static void collect(assembling *k, conditions *c)
{
  const jn_spec *spec = k->s->model->spec;
  for (int i = 0; i < spec->ninitial; i++) {
    const jn_initial_spec *init = &spec->initial[i];
    if (init->joint >= 0) {
      condition_joint(k, c, init->joint, &init->as.joint);
      continue;
    }
    const jn_initial_body_keys *b = &init->as.body;
    const int body = k->s->body_of_node[init->body + 1];
    const char *name = spec->body[init->body].name;
    if (JN_GIVEN(b, jn_initial_body_keys, velocity)) condition_body(k, c, body, false, v3_load(b->velocity), name);
    if (JN_GIVEN(b, jn_initial_body_keys, angular_velocity))
      condition_body(k, c, body, true, v3_load(b->angular_velocity), name);
  }
}

// x = x0 + N z: x0 the shortest that the rows allow, N what they leave free, z such that the conditions are met as
// well as can be, and otherwise shortest. All scaled.
static jn_status solve_speeds(assembling *k, conditions *c)
{
  jn_system *s = k->s;
  jn_data *d = k->d;
  const size_t n = (size_t)s->nv, m = (size_t)s->nrow;
  jn_qr f;
  jn_dyn_jacobian(s, d, k->a);
  for (size_t r = 0; r < m; r++) {
    k->b[r] = -d->residual_rate[r] * s->length_scale[r];
    for (size_t j = 0; j < n; j++) k->a[r * n + j] *= s->length_scale[r] * s->coordinate_scale[j];
  }
  if (jn_qr_factor(&f, s->nrow, s->nv, k->a, RANK_TOLERANCE, k->work) < 0) return no_memory(k);
  jn_qr_solve(&f, k->b, k->x);
  const size_t free_n = n - (size_t)f.rank;
  double *basis = malloc((n * free_n + 1) * sizeof *basis), *cn = malloc(((size_t)c->n * free_n + 1) * sizeof *cn);
  double *z = malloc((free_n + (size_t)c->n + 1) * sizeof *z);
  void *work = aligned_alloc(JN_ARENA_ALIGN, (jn_qr_size(c->n, (int)free_n) + JN_ARENA_ALIGN) & ~(size_t)(JN_ARENA_ALIGN - 1));
  jn_status st = basis && cn && z && work ? JN_OK : no_memory(k);
  if (!st) {
    jn_qr_null(&f, basis);
    for (int i = 0; i < c->n; i++) {
      const double *row = c->row + (size_t)i * n;
      double left = c->value[i];
      for (size_t j = 0; j < n; j++) left -= row[j] * s->coordinate_scale[j] * k->x[j];
      z[i] = left;
      for (size_t l = 0; l < free_n; l++) {
        double sum = 0.0;
        for (size_t j = 0; j < n; j++) sum += row[j] * s->coordinate_scale[j] * basis[j * free_n + l];
        cn[(size_t)i * free_n + l] = sum;
      }
    }
    jn_qr g;
    if (jn_qr_factor(&g, c->n, (int)free_n, cn, RANK_TOLERANCE, work) >= 0) {
      jn_qr_solve(&g, z, z);
      for (size_t j = 0; j < n; j++)
        for (size_t l = 0; l < free_n; l++) k->x[j] += basis[j * free_n + l] * z[l];
    }
    for (size_t j = 0; j < n; j++) d->qdd[j] = k->x[j] * s->coordinate_scale[j];
    for (int i = 0; i < c->n; i++) {
      double off = -c->value[i], size = fabs(c->value[i]);
      for (size_t j = 0; j < n; j++) off += c->row[(size_t)i * n + j] * d->qdd[j];
      if (fabs(off) > 1e-9 * (1.0 + size))
        jn_build_note(s, "initial speed of \"%s\" does not fit the joints: it was changed by %.3g (SI)", c->name[i], off);
    }
  }
  free(basis);
  free(cn);
  free(z);
  free(work);
  return st;
}

// Without loops and with joints' own speeds alone there is nothing to solve.
static bool is_plain(const jn_system *s)
{
  const jn_spec *spec = s->model->spec;
  bool plain = s->nrow == 0;
  for (int i = 0; i < spec->ninitial; i++) plain &= spec->initial[i].joint >= 0;
  return plain;
}

static jn_status assemble_speeds(assembling *k)
{
  jn_system *s = k->s;
  jn_data *d = k->d;
  const jn_spec *spec = s->model->spec;
  conditions c = {.room = 6 * spec->ninitial + 1};
  const bool plain = is_plain(s);
  jn_dyn_positions(s, d);
  jn_dyn_speeds(s, d);
  memset(d->qdd, 0, (size_t)s->nv * sizeof *d->qdd);
  if (plain && spec->ninitial > 64) {  // long chains: one row at a time
    c.room = 12;
  }
  c.row = malloc((size_t)c.room * ((size_t)s->nv + 1) * sizeof *c.row);
  c.value = malloc((size_t)c.room * sizeof *c.value);
  c.name = malloc((size_t)c.room * sizeof *c.name);
  jn_status st = c.row && c.value && c.name ? JN_OK : no_memory(k);
  if (!st && plain) {
    for (int i = 0; i < spec->ninitial; i++) {
      c.n = 0;
      condition_joint(k, &c, spec->initial[i].joint, &spec->initial[i].as.joint);
      for (int r = 0; r < c.n; r++)
        for (int j = 0; j < s->nv; j++)
          if (c.row[(size_t)r * (size_t)s->nv + (size_t)j] != 0.0) d->qdd[j] = c.value[r];
    }
  } else if (!st) {
    collect(k, &c);
    st = solve_speeds(k, &c);
  }
  free(c.row);
  free(c.value);
  free(c.name);
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

// ---- the whole ------------------------------------------------------------------------------------

static jn_status run(assembling *k, bool with_initial)
{
  jn_status st = assemble_positions(k, with_initial, with_initial);
  if (!st && with_initial) st = assemble_speeds(k);
  return st;
}

static jn_status with_memory(jn_system *s, jn_data *d, bool with_initial, jn_error *err)
{
  assembling k = {.s = s, .d = d, .err = err};
  const size_t n = (size_t)s->nv, m = (size_t)s->nrow, most = n > m ? n : m;
  if ((s->nrow || !is_plain(s)) && s->nv > MOST_COORDINATES)
    return jn_fail(err, JN_E_LIMIT, s->model->spec->pos, NULL,
                   "the model has loops or given velocities of bodies and %d coordinates; at most %d can be assembled", s->nv,
                   MOST_COORDINATES);
  k.held = calloc(n + 1, sizeof *k.held);
  k.a = malloc((m * n + 1) * sizeof *k.a);
  k.b = malloc((most + 1) * sizeof *k.b);
  k.x = malloc((most + 1) * sizeof *k.x);
  const size_t size = s->nrow || !is_plain(s) ? jn_qr_size(s->nrow, s->nv) : 64;
  k.work = aligned_alloc(JN_ARENA_ALIGN, (size + JN_ARENA_ALIGN - 1) & ~(size_t)(JN_ARENA_ALIGN - 1));
  jn_status st = k.held && k.a && k.b && k.x && k.work ? run(&k, with_initial) : no_memory(&k);
  free(k.held);
  free(k.a);
  free(k.b);
  free(k.x);
  free(k.work);
  return st;
}

jn_status jn_assemble(jn_system *s, jn_data *d, bool with_initial, jn_error *err)
{
  if (with_initial)
    for (int e = 0; e < s->model->nedge; e++) {
      const jn_edge *edge = &s->model->edge[e];
      if (s->model->in_tree[e] && edge->apart > 1e-9)
        jn_build_note(s, "assembled: the points of joint \"%s\" were %.3g m apart", edge->name, edge->apart);
      if (s->model->in_tree[e] && edge->askew > 1e-9)
        jn_build_note(s, "assembled: the axes of joint \"%s\" were %.3g rad askew", edge->name, edge->askew);
    }
  return with_memory(s, d, with_initial, err);
}
