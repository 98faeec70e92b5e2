// statics.c: forces at rest, the directions that are free, and what to call them.
#include "run/statics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plan/build.h"

enum { MOST_COORDINATES = 3000 };
static const double RANK_TOLERANCE = 1e-7, CLOSED = 1e-14, CLOSED_ENOUGH = 1e-9;
static const v3 zero = {0, 0, 0};

// ---- memory -------------------------------------------------------------------------------------

// Elements between two frames touch both. The ground has no other joints to a floating frame.
static void touch(jn_statics *k, int a, int b)
{
  const jn_system *s = k->s;
  const int fa = s->body[a].frame, fb = s->body[b].frame;
  if (a < s->nframe || fa != fb) k->falling[fb] = false;
  if (b < s->nframe || fa != fb) k->falling[fa] = false;
}

static void find_falling(jn_statics *k)
{
  const jn_system *s = k->s;
  const bool weighs = v3_norm(s->gravity) > 0.0;
  for (int f = 0; f < s->nframe; f++) k->falling[f] = s->frame[f].floating && weighs;
  for (int i = 0; i < s->nelement; i++) {
    const jn_ends *e = &s->element[i].ends;
    if (e->b >= 0) touch(k, e->a >= 0 ? e->a : s->body[e->b].frame, e->b);
  }
  for (int i = 0; i < s->nwheel; i++)  // the road is ground
    touch(k, s->body[s->wheel[i].body].frame, s->wheel[i].body);
}

double jn_statics_fall(const jn_statics *k, int v)
{
  const jn_system *s = k->s;
  for (int f = 0; f < s->nframe; f++) {
    const int axis = v - s->joint[s->frame[f].body].v;
    if (!k->falling[f] || axis < 0 || axis > 2) continue;
    double mass = 0.0;
    for (int i = s->nframe; i < s->nbody; i++)
      mass += s->body[i].frame == f ? s->body[i].mass : 0.0;
    return mass * (axis == 0 ? s->gravity.x : axis == 1 ? s->gravity.y : s->gravity.z);
  }
  return 0.0;
}

jn_status jn_statics_init(jn_statics *k, const jn_system *s, jn_data *d, jn_error *err)
{
  const size_t n = (size_t)s->nv, m = (size_t)s->nrow, most = n > m ? n : m;
  *k = (jn_statics){.s = s, .d = d, .size = 1.0};
  if (s->nv > MOST_COORDINATES)
    return jn_fail(err, JN_E_LIMIT, s->model->spec->pos, NULL,
                   "the model has %d coordinates; of at most %d the static balance can be found",
                   s->nv, MOST_COORDINATES);
  for (int v = 0; v < s->nv; v++)
    if (!s->coordinate_angle[v]) k->size = s->coordinate_scale[v];
  for (int r = 0; r < s->nrow; r++)
    if (s->length_scale[r] != 1.0) k->size = 1.0 / s->length_scale[r];
  k->g = jn_pool_alloc(&k->pool, n, sizeof *k->g);
  k->lambda = jn_pool_alloc(&k->pool, m, sizeof *k->lambda);
  k->row = jn_pool_alloc(&k->pool, m * n, sizeof *k->row);
  k->basis = jn_pool_alloc(&k->pool, n * n, sizeof *k->basis);
  k->r = jn_pool_alloc(&k->pool, n, sizeof *k->r);
  k->rhs = jn_pool_alloc(&k->pool, most, sizeof *k->rhs);
  k->x = jn_pool_alloc(&k->pool, most, sizeof *k->x);
  k->falling = jn_pool_alloc(&k->pool, (size_t)s->nframe, sizeof *k->falling);
  k->centre = jn_pool_alloc(&k->pool, (size_t)s->nframe, sizeof *k->centre);
  k->work = jn_qr_work(&k->pool, s->nrow, s->nv);
  if (k->pool.failed) {
    jn_statics_free(k);
    return jn_build_no_memory(s, err);
  }
  find_falling(k);
  return JN_OK;
}

void jn_statics_free(jn_statics *k)
{
  jn_pool_free(&k->pool);
  *k = (jn_statics){0};
}

// ---- forces -------------------------------------------------------------------------------------

void jn_statics_rest(const jn_system *s, jn_data *d)
{
  memset(d->v, 0, (size_t)s->nv * sizeof *d->v);
  jn_segment_begin(s, d, 0.0);
  jn_inputs_at(s, d, 0.0);
  for (int i = 0; i < s->nsignal; i++) d->in[i][1] = d->in[i][2] = 0.0;
  for (int i = 0; i < s->ndrive; i++) d->drive[i].rate = d->drive[i].accel = 0.0;
  for (int i = 0; i < s->nwheel; i++) {  // no force along the road
    const jn_wheel *w = &s->wheel[i];
    if (w->spin >= 0) d->x[w->spin] = 0.0;
    for (int j = 0; j < w->tyre.nslip; j++) d->x[w->slip + j] = 0.0;
    if (w->hold >= 0) d->x[w->hold] = 0.0;
    for (int j = 0; j < 2 && w->comply >= 0; j++) d->x[w->comply + j] = 0.0;
  }
  d->still = true;
}

// Where the assemblies' centres of gravity are.
static void find_centres(jn_statics *k)
{
  const jn_system *s = k->s;
  const jn_data *d = k->d;
  for (int f = 0; f < s->nframe; f++) {
    double mass = 0.0;
    v3 sum = zero;
    for (int i = s->nframe; i < s->nbody && s->frame[f].floating; i++) {
      if (s->body[i].frame != f) continue;
      const v3 about = v3_add(d->pose[i].p, m3_mul_v3(d->pose[i].r, s->body[i].cg));
      sum = v3_axpy(s->body[i].mass, v3_add(d->station[s->body[i].station], about), sum);
      mass += s->body[i].mass;
    }
    k->centre[f] = mass > 0.0 ? v3_scale(1.0 / mass, sum) : zero;
  }
}

// With every body at rest its inertia asks for -gravity times its mass (plan/system.h): what is
// left after the applied forces is what tree joints pass on, and along a coordinate what nothing
// holds.
void jn_statics_force(jn_statics *k, bool elements, bool rows, double *g)
{
  const jn_system *s = k->s;
  jn_data *d = k->d;
  jn_general_positions(s, d);
  jn_general_velocities(s, d);
  if (elements) {
    jn_forces_apply(s, d);
  } else {
    memset(d->force, 0, (size_t)s->nbody * sizeof *d->force);
    memset(d->tau, 0, (size_t)s->nv * sizeof *d->tau);
  }
  find_centres(k);
  for (int f = 0; f < s->nframe; f++) d->reaction[f] = sv_make(zero, zero);
  for (int i = s->nframe; i < s->nbody; i++) {
    const int f = s->body[i].frame;
    const sv still = sv_make(zero, k->falling[f] ? zero : v3_neg(d->frame[f].gravity));
    d->reaction[i] = sv_sub(si_mul(d->inertia[i], still), d->force[i]);
  }
  for (int i = 0; i < s->ncut && rows; i++) jn_cut_reaction(d, &s->cut[i], k->lambda, d->reaction);
  for (int i = s->nbody - 1; i >= s->nframe; i--) {
    const jn_tree_joint *j = &s->joint[i];
    const sv f = d->reaction[i];
    for (int m = 0; m < j->nv; m++) g[j->v + m] = sv_dot(d->s[j->v + m], f) - d->tau[j->v + m];
    if (j->kind == JN_TREE_BASE) {
      const m3 world = d->frame[s->body[i].frame].r;
      const v3 push = v3_load(g + j->v), turn = v3_load(g + j->v + 3);
      v3_store(g + j->v, m3_mul_v3(world, push));
      v3_store(g + j->v + 3,
               m3_mul_v3(world, v3_sub(turn, v3_cross(k->centre[s->body[i].frame], push))));
    }
    jn_hand_on(s, d, i, f, d->reaction);
  }
}

// Force and moment of an element, as it last acted.
static void size_of_element(const jn_data *d, const jn_element *e, double size[2])
{
  const double *out = d->element + e->output;
  switch (jn_element_kinds[e->kind].ends) {
    case JN_ENDS_LINE:
      size[0] = fabs(out[2]);
      break;
    case JN_ENDS_COORDINATE:
      size[e->in.angular] = fabs(out[2]);
      break;
    case JN_ENDS_WORLD:
      size[1] = v3_norm(v3_load(out + 3));
      size[0] = v3_norm(v3_load(out));
      break;
    case JN_ENDS_FRAME:
    case JN_ENDS_ROAD:
      size[0] = v3_norm(v3_load(out));
      break;
    default: {  // loads have no outputs
      const jn_actuator *a = &e->actuator;
      const double x = a->input < 0 ? 1.0 : d->in[a->input][0];
      size[jn_element_kinds[e->kind].ends == JN_ENDS_PAIR] =
          fabs(x) * v3_norm(v3_load(e->p + LOAD_VALUE));
    }
  }
}

static double size_of_forces(const jn_statics *k)
{
  const jn_system *s = k->s;
  const jn_data *d = k->d;
  double most = 0.0, turning = 0.0;
  for (int i = s->nframe; i < s->nbody; i++)
    most = fmax(most, s->body[i].mass * v3_norm(s->gravity));
  for (int i = 0; i < s->nelement; i++) {
    double size[2] = {0.0, 0.0};
    size_of_element(d, &s->element[i], size);
    most = fmax(most, size[0]);
    turning = fmax(turning, size[1]);
  }
  for (int i = 0; i < s->nwheel; i++) most = fmax(most, d->wheel[i].tyre.load);
  return fmax(most * k->size, turning);
}

// ---- loops --------------------------------------------------------------------------------------

static bool factor_rows(jn_statics *k)
{
  const jn_system *s = k->s;
  jn_scaled_rows(s, k->d, k->row);
  return jn_qr_factor(&k->qr, s->nrow, s->nv, k->row, RANK_TOLERANCE, k->work) >= 0;
}

bool jn_statics_close(jn_statics *k, double *x)
{
  const jn_system *s = k->s;
  double worst = INFINITY;
  for (int i = 0; i < 40; i++) {
    const double before = worst;
    jn_general_positions(s, k->d);
    worst = jn_scaled_residuals(s, k->d, k->rhs);
    if (!isfinite(worst)) return false;
    if (worst < CLOSED || (worst < CLOSED_ENOUGH && worst >= 0.5 * before)) return true;
    if (!factor_rows(k)) return false;
    jn_qr_solve(&k->qr, k->rhs, k->x);
    jn_closing_step(s, k->d, k->x);  // bases stay where they are: no row knows them
    for (int j = 0; j < s->nv && x; j++) x[j] += k->x[j];
  }
  return worst < CLOSED_ENOUGH;
}

bool jn_statics_at(jn_statics *k)
{
  const jn_system *s = k->s;
  const size_t n = (size_t)s->nv;
  jn_statics_force(k, true, false, k->g);
  k->forces = size_of_forces(k);
  double *scaled = k->x;
  for (size_t j = 0; j < n; j++) {
    if (!isfinite(k->g[j])) return false;
    scaled[j] = k->g[j] * s->coordinate_scale[j];
  }
  if (!factor_rows(k)) return false;
  k->nfree = s->nv - k->qr.rank;
  jn_qr_null(&k->qr, k->basis);
  memset(k->r, 0, n * sizeof *k->r);
  for (size_t j = 0; j < n; j++)
    for (int c = 0; c < k->nfree; c++)
      k->r[c] += k->basis[j * (size_t)k->nfree + (size_t)c] * scaled[j];
  jn_qr_solve_transposed(&k->qr, scaled, k->lambda);
  for (int r = 0; r < s->nrow; r++) k->lambda[r] *= s->length_scale[r];
  return true;
}

void jn_statics_update(jn_statics *k)
{
  jn_general_positions(k->s, k->d);
  find_centres(k);
}

void jn_statics_move(jn_statics *k, double by, const double *x)
{
  const jn_system *s = k->s;
  for (int j = 0; j < s->nv; j++) k->x[j] = by * x[j];
  for (int f = 0; f < s->nframe; f++) {
    if (!s->frame[f].floating) continue;
    double *own = k->x + s->joint[s->frame[f].body].v;
    const m3 world = k->d->frame[f].r;
    const v3 turn = m3_tmul_v3(world, v3_load(own + 3));
    v3_store(own, v3_sub(m3_tmul_v3(world, v3_load(own)), v3_cross(turn, k->centre[f])));
    v3_store(own + 3, turn);
  }
  jn_general_displace(s, k->d->y, k->x, k->d->frame);
}

// ---- words --------------------------------------------------------------------------------------

bool jn_statics_lead(const jn_statics *k, int n, const double *motion, const double *g, int *leader,
                     double *force)
{
  const jn_system *s = k->s;
  const size_t c = (size_t)n, nv = (size_t)s->nv;
  if (!n) return true;
  jn_pool pool = {0};
  double *a = jn_pool_alloc(&pool, nv * c, sizeof *a),
         *square = jn_pool_alloc(&pool, c * c, sizeof *square);
  int *pivot = jn_pool_alloc(&pool, c, sizeof *pivot);
  void *work = jn_qr_work(&pool, n, s->nv);
  const bool enough = !pool.failed;
  if (enough) {
    for (size_t j = 0; j < nv; j++)
      for (size_t i = 0; i < c; i++) {
        const double x = motion[j * c + i] / s->coordinate_scale[j];
        a[i * nv + j] = fabs(x) < 1e-9 ? 0.0 : x;
      }
    jn_qr f;
    jn_qr_factor(&f, n, s->nv, a, 0.0, work);
    for (size_t i = 0; i < c; i++) {
      leader[i] = f.perm[i];
      force[i] = 0.0;
      for (size_t j = 0; j < nv; j++) force[i] += motion[j * c + i] * g[j];
      for (size_t l = 0; l < c; l++) square[i * c + l] = motion[(size_t)f.perm[l] * c + i];
    }
    // Of motions X with leading rows X_l: force per unit of the leaders is X_l^-T X' g.
    if (!jn_lu_factor(n, square, pivot)) jn_lu_solve(n, square, pivot, 1, force);
  }
  jn_pool_free(&pool);
  return enough;
}

void jn_statics_name(const jn_system *s, int v, char *text, size_t size)
{
  int i = s->nframe;
  while (i < s->nbody - 1 && v >= s->joint[i].v + s->joint[i].nv) i++;
  const jn_tree_joint *j = &s->joint[i];
  const jn_edge *e = &s->model->edge[j->edge];
  bool body;
  const char *words = jn_coordinate_name(j->move, j->nmove, v - j->v, &body);
  if (e->joint >= 0 && !body)
    snprintf(text, size, "joint \"%s\", %s", e->name, words);
  else
    snprintf(text, size, "body \"%s\", %s", jn_node_name(s->model, s->body[i].node), words);
}

const char *jn_statics_unit(const jn_system *s, int v)
{
  return s->coordinate_angle[v] ? "N m" : "N";
}
