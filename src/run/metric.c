// metric.c: how far a mechanism has moved, measured by its joints.
#include "run/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/quat.h"
#include "plan/build.h"

// ---- what is a matter of the model --------------------------------------------------------------

static v3 cg_of(const jn_system *s, int i)  // in the design position
{
  return v3_add(s->body[i].anchor, s->body[i].cg);
}

static bool is_bearing(const jn_system *s, int joint)  // of a wheel
{
  for (int i = 0; i < s->nwheel; i++)
    if (s->wheel[i].bearing == joint) return true;
  return false;
}

// A point of the file's, and the assembly that it belongs to.
typedef struct place {
  v3 at;
  int frame;
} place;

static void add_places(const jn_system *s, const jn_vectors *at, const int *bodies, place *p,
                       int *n)
{
  const int frame = s->body[jn_build_index(s, bodies[bodies[0] == JN_GROUND])].frame;
  for (int i = 0; i < at->n; i++) p[(*n)++] = (place){v3_load(at->v[i]), frame};
}

// Points of joints, of force elements between bodies, and centres of wheels, as the file has them. Not bearings of wheels, nor
// centres of gravity: they are others where a wheel is a body of its own.
static int list_places(const jn_system *s, place *p)
{
  const jn_spec *spec = s->model->spec;
  int n = 0, bodies[2];
  for (int j = 0; j < spec->njoint; j++) {
    const jn_joint_keys *k = &spec->joint[j].keys;
    if (spec->joint[j].kind != JN_JOINT_FREE && !is_bearing(s, j))
      add_places(s, &k->at, k->bodies, p, &n);
  }
  for (int i = 0; i < spec->nforce; i++) {
    const jn_force_spec *f = &spec->force[i];
    if (jn_force_binds(f) && jn_force_points(f) && jn_force_bodies(spec, f, bodies) == 2)
      add_places(s, jn_force_points(f), bodies, p, &n);
    if (f->kind == JN_FORCE_WHEEL)
      p[n++] = (place){v3_load(f->as.wheel.at), s->body[jn_build_index(s, f->as.wheel.body)].frame};
    if (f->kind == JN_FORCE_TYRE)
      p[n++] = (place){v3_load(f->as.tyre.at), s->body[jn_build_index(s, f->as.tyre.body)].frame};
  }
  return n;
}

// Largest distance between these of one assembly: no sum that rounds, so that it does not depend on where the model is. -1: no
// memory.
static double size_of(const jn_system *s)
{
  const jn_spec *spec = s->model->spec;
  double square = 0.0;
  place *p = calloc(2 * (size_t)(spec->njoint + spec->nforce) + 1, sizeof *p);
  if (!p) return -1.0;
  const int n = list_places(s, p);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < i; k++) {
      const v3 apart = v3_sub(p[i].at, p[k].at);
      if (p[i].frame == p[k].frame) square = fmax(square, v3_dot(apart, apart));
    }
  free(p);
  return square > 1e-12 ? sqrt(square) : 1.0;
}

// With the wheel bodies that it carries, as if they were wheels without bodies.
static double mass_of(const jn_system *s, int body)
{
  double mass = s->body[body].mass;
  for (int i = 0; i < s->nwheel; i++) {
    const jn_wheel *w = &s->wheel[i];
    if (w->spin >= 0 || w->carrier < s->nframe) continue;
    if (w->body == body) return 0.0;
    if (w->carrier != body) continue;
    bool again = false;  // another tyre of the same wheel
    for (int k = 0; k < i; k++) again |= s->wheel[k].body == w->body && s->wheel[k].spin < 0;
    mass += again ? 0.0 : s->body[w->body].mass;
  }
  return mass;
}

static bool hangs_on(const jn_system *s, int i, int body)
{
  while (i > body) i = s->body[i].parent;
  return i == body;
}

// Do cut joints hold a body and what hangs on it? Then a free joint that leads to it is there for the tree's sake alone.
static bool held_by_cuts(const jn_system *s, int body)
{
  for (int i = 0; i < s->ncut; i++)
    if (s->cut[i].nrow && hangs_on(s, s->cut[i].a, body) != hangs_on(s, s->cut[i].b, body))
      return true;
  return false;
}

// Does no joint hold a body and what hangs on it?
static bool floats(const jn_system *s, int body)
{
  if (s->joint[body].kind == JN_TREE_BASE) return true;
  const jn_edge *e = &s->model->edge[s->model->parent_edge[s->body[body].node]];
  return e->joint < 0 && e->kind == JN_JOINT_FREE && !held_by_cuts(s, body);
}

// Joints hold the bodies of an assembly together in parts: each is known by its body nearest the base.
static int part_of(const jn_system *s, int i)
{
  while (i >= s->nframe && !floats(s, i)) i = s->body[i].parent;
  return i;
}

int jn_frame_reference(const jn_system *s, int frame)
{
  v3 sum = v3_set(0, 0, 0);
  double mass = 0.0;
  for (int i = s->nframe; i < s->nbody; i++)
    if (s->body[i].frame == frame)
      sum = v3_axpy(s->body[i].mass, cg_of(s, i), sum), mass += s->body[i].mass;
  const v3 centre = v3_scale(1.0 / mass, sum);
  int best = s->frame[frame].body;
  for (int i = s->nframe; i < s->nbody; i++) {
    if (s->body[i].frame != frame || i == best) continue;
    const v3 p = cg_of(s, i), q = cg_of(s, best);
    const double far_p = v3_norm(v3_sub(p, centre)), far_q = v3_norm(v3_sub(q, centre));
    const double same = 1e-9 * (far_p + far_q);  // sums are rounded, in the order of the tree
    double more = mass_of(s, i) - mass_of(s, best);
    if (fabs(more) < 1e-12 * s->body[best].mass) more = 0.0;
    if (more == 0.0 && fabs(far_q - far_p) > same) more = far_q - far_p;
    if (more == 0.0 && fabs(p.x - q.x) > same) more = p.x - q.x;
    if (more == 0.0 && fabs(p.y - q.y) > same) more = p.y - q.y;
    if (more == 0.0) more = p.z - q.z;
    if (more > 0.0) best = i;
  }
  return best;
}

// ---- memory -------------------------------------------------------------------------------------

jn_status jn_metric_init(jn_metric *m, const jn_system *s, jn_error *err)
{
  const size_t n = (size_t)s->nv;
  *m = (jn_metric){.s = s, .size = size_of(s)};
  m->l = jn_pool_alloc(&m->pool, n * n, sizeof *m->l);
  m->row = jn_pool_alloc(&m->pool, n, sizeof *m->row);
  m->first = jn_pool_alloc(&m->pool, n, sizeof *m->first);
  m->column = jn_pool_alloc(&m->pool, n, sizeof *m->column);
  m->held = jn_pool_alloc(&m->pool, n, sizeof *m->held);
  if (!m->pool.failed && m->size > 0.0) return JN_OK;
  jn_metric_free(m);
  return jn_build_no_memory(s, err);
}

void jn_metric_free(jn_metric *m)
{
  jn_pool_free(&m->pool);
  *m = (jn_metric){0};
}

// ---- relative motions ---------------------------------------------------------------------------

typedef struct joint_ends {
  int a, b;   // first and second body
  v3 at;      // joint point of the second, from its anchor
  int child;  // of the two, -1: it is cut
} joint_ends;

// Is there a part besides that of the base?
static bool has_parts(const jn_system *s)
{
  for (int e = s->model->nfile_edge; e < s->model->nedge; e++) {
    const int child = s->body_of_edge[e];
    if (child >= 0 && s->joint[child].kind != JN_TREE_BASE) return true;
  }
  return false;
}

// Does the file say what a part moves with? Then force elements have no part in it.
static bool names_parent(const jn_system *s, int part)
{
  const jn_spec *spec = s->model->spec;
  for (int i = s->nframe; i < s->nbody; i++)
    if (JN_GIVEN(&spec->body[s->body[i].node - 1].keys, jn_body_keys, parent) &&
        part_of(s, i) == part)
      return true;
  return false;
}

// Force elements between two parts: does this one, and between which bodies? They are compared half-way between its two points.
static bool ends_of_element(const jn_system *s, const jn_element *k, joint_ends *e)
{
  const jn_ends *at = &k->ends;
  if (!has_parts(s) || jn_element_kinds[k->kind].ends == JN_ENDS_COORDINATE ||
      !jn_force_binds(k->spec))
    return false;
  if (at->a < s->nframe || at->b < s->nframe || s->body[at->a].frame != s->body[at->b].frame ||
      part_of(s, at->a) == part_of(s, at->b) || names_parent(s, part_of(s, at->a)) ||
      names_parent(s, part_of(s, at->b)))
    return false;
  const v3 a = v3_add(s->body[at->a].anchor, at->at_a), b = v3_add(s->body[at->b].anchor, at->at_b);
  *e = (joint_ends){at->a, at->b, v3_add(at->at_b, v3_scale(0.5, v3_sub(a, b))), -1};
  return true;
}

// Do force elements hold the part of a body to that of the body the tree hangs it on? A file may name a `parent` without any.
static bool held_by_elements(const jn_system *s, int part)
{
  const int up = part_of(s, s->body[part].parent);
  joint_ends e;
  for (int i = 0; i < s->nelement; i++) {
    if (!ends_of_element(s, &s->element[i], &e)) continue;
    const int a = part_of(s, e.a), b = part_of(s, e.b);
    if ((a == part && b == up) || (a == up && b == part)) return true;
  }
  return false;
}

// False: a joint that holds nothing, or in whose place force elements count.
static bool ends_of_joint(const jn_system *s, int edge, joint_ends *e)
{
  const int child = s->body_of_edge[edge], cut = s->cut_of_edge[edge];
  if (child >= 0) {
    const jn_tree_joint *j = &s->joint[child];
    const int parent = s->body[child].parent;
    if (j->kind == JN_TREE_BASE) return false;
    if (s->model->edge[edge].kind == JN_JOINT_FREE && held_by_cuts(s, child)) return false;
    if (floats(s, child) && held_by_elements(s, child)) return false;
    *e = j->reversed ? (joint_ends){child, parent, j->second_at, child}
                     : (joint_ends){parent, child, v3_set(0, 0, 0), child};
    return true;
  }
  if (cut < 0 || !s->cut[cut].nrow) return false;
  const jn_cut *c = &s->cut[cut];
  *e = (joint_ends){c->a, c->b, c->at_b, -1};
  return s->body[c->a].frame == s->body[c->b].frame;
}

// What ties bodies together: joints, then force elements.
static int count_ties(const jn_system *s)
{
  return s->model->nedge + s->nelement;
}

static bool ends_of(const jn_system *s, int tie, joint_ends *e)
{
  const int n = s->model->nedge;
  return tie < n ? ends_of_joint(s, tie, e) : ends_of_element(s, &s->element[tie - n], e);
}

int jn_relative_count(const jn_system *s)
{
  return count_ties(s) + s->nframe;
}

bool jn_parts_follow_tree(const jn_system *s)
{
  joint_ends e;
  for (int i = 0; i < s->nelement; i++) {
    if (!ends_of_element(s, &s->element[i], &e)) continue;
    const bool a = s->body[e.a].parent == e.b && floats(s, e.a),
               b = s->body[e.b].parent == e.a && floats(s, e.b);
    if (!a && !b) return false;
  }
  return true;
}

static v3 point_of(const jn_system *s, const jn_data *d, const joint_ends *e, int about)
{
  const v3 own = v3_add(d->pose[e->b].p, m3_mul_v3(d->pose[e->b].r, e->at));
  return v3_add(own, v3_sub(d->station[s->body[e->b].station], d->station[s->body[about].station]));
}

// Adds to a row what a wrench (moment, force at the joint point) does along every coordinate, as it acts between the two bodies.
static void act(const jn_system *s, const jn_data *d, const joint_ends *e, v3 moment, v3 force,
                double *row)
{
  const int end[2] = {e->b, e->a};
  if (e->child >= 0) {
    const v3 p = point_of(s, d, e, e->child);
    jn_general_wrench_columns(s, d, e->child, s->body[e->child].parent,
                              sv_make(v3_cross_add(p, force, moment), force),
                              e->child == e->b ? 1.0 : -1.0, row);
    return;
  }
  for (int i = 0; i < 2; i++)
    jn_general_wrench_columns(
        s, d, end[i], -1, sv_make(v3_cross_add(point_of(s, d, e, end[i]), force, moment), force),
        i ? -1.0 : 1.0, row);
}

// A row over velocities of floating bases as statics.h has them.
static void to_centres(const jn_system *s, const jn_data *d, const v3 *centre, double *row)
{
  for (int f = 0; f < s->nframe; f++) {
    if (!s->frame[f].floating) continue;
    double *own = row + s->joint[s->frame[f].body].v;
    const v3 push = v3_load(own), turn = v3_load(own + 3);
    v3_store(own, m3_mul_v3(d->frame[f].r, push));
    v3_store(own + 3, m3_mul_v3(d->frame[f].r, v3_sub(turn, v3_cross(centre[f], push))));
  }
}

static v3 reference_about(const jn_system *s, const jn_data *d,
                          int ref)  // its cg, from its station
{
  return v3_add(d->pose[ref].p, m3_mul_v3(d->pose[ref].r, s->body[ref].cg));
}

static jn_relative reference_place(const jn_system *s, const jn_data *d, int frame)
{
  const int ref = jn_frame_reference(s, frame);
  const jn_frame_state *f = &d->frame[frame];
  const v3 p = v3_add(reference_about(s, d, ref), d->station[s->body[ref].station]);
  return (jn_relative){m3_mul(f->r, d->pose[ref].r), v3_add(f->moved, m3_mul_v3(f->r, p))};
}

void jn_relative_design(const jn_system *s, jn_relative *out)
{
  joint_ends e;
  for (int i = 0; i < count_ties(s); i++)
    if (ends_of(s, i, &e))
      out[i] = (jn_relative){m3_identity(),
                             v3_sub(v3_add(s->body[e.b].anchor, e.at), s->body[e.a].anchor)};
  for (int f = 0; f < s->nframe; f++)
    out[count_ties(s) + f] = (jn_relative){
        m3_identity(), v3_sub(cg_of(s, jn_frame_reference(s, f)), s->frame[f].origin)};
}

void jn_relative_now(const jn_system *s, const jn_data *d, jn_relative *out)
{
  joint_ends e;
  for (int i = 0; i < count_ties(s); i++) {
    if (!ends_of(s, i, &e)) continue;
    const jn_pose *a = &d->pose[e.a], *b = &d->pose[e.b];
    out[i].r = m3_tmul(a->r, b->r);
    out[i].p = m3_tmul_v3(a->r, v3_sub(point_of(s, d, &e, e.a), a->p));
  }
  for (int f = 0; f < s->nframe; f++) out[count_ties(s) + f] = reference_place(s, d, f);
}

// Of `now` against `from`: the rotation, and the shift over the square of the size.
static void moved(const jn_metric *m, jn_relative now, const jn_relative *from, v3 *turn, v3 *shift)
{
  *turn = q_log(q_mul(q_from_m3(now.r), q_conj(q_from_m3(from->r))));
  *shift = v3_scale(1.0 / (m->size * m->size), v3_sub(now.p, from->p));
}

void jn_relative_gradient(const jn_metric *m, const jn_data *d, const jn_relative *from, bool bases,
                          const v3 *centre, double *g)
{
  const jn_system *s = m->s;
  joint_ends e;
  v3 turn, shift;
  memset(g, 0, (size_t)s->nv * sizeof *g);
  for (int i = 0; i < count_ties(s); i++) {
    if (!ends_of(s, i, &e)) continue;
    const jn_pose *a = &d->pose[e.a], *b = &d->pose[e.b];
    const jn_relative now = {m3_tmul(a->r, b->r),
                             m3_tmul_v3(a->r, v3_sub(point_of(s, d, &e, e.a), a->p))};
    moved(m, now, &from[i], &turn, &shift);
    act(s, d, &e, m3_mul_v3(a->r, turn), m3_mul_v3(a->r, shift), g);
  }
  for (int f = 0; f < s->nframe && bases; f++) {
    if (!s->frame[f].floating) continue;
    const int ref = jn_frame_reference(s, f);
    moved(m, reference_place(s, d, f), &from[count_ties(s) + f], &turn, &shift);
    const v3 push = m3_tmul_v3(d->frame[f].r, shift), twist = m3_tmul_v3(d->frame[f].r, turn);
    jn_general_wrench_columns(s, d, ref, -1,
                              sv_make(v3_cross_add(reference_about(s, d, ref), push, twist), push),
                              1.0, g);
  }
  if (centre) to_centres(s, d, centre, g);
  for (int j = 0; j < s->nv; j++) g[j] *= s->coordinate_scale[j];
}

static v3 velocity_at(sv twist, v3 p)
{
  return v3_cross_add(twist.a, p, twist.l);
}

void jn_metric_prescribed(const jn_metric *m, const jn_data *d, double *g)
{
  const jn_system *s = m->s;
  const double part = 1.0 / (m->size * m->size);
  joint_ends e;
  memset(g, 0, (size_t)s->nv * sizeof *g);
  for (int i = 0; i < count_ties(s); i++) {
    if (!ends_of(s, i, &e)) continue;
    const sv a = d->twist[e.a], b = d->twist[e.b];
    const v3 slip =
        v3_sub(velocity_at(b, point_of(s, d, &e, e.b)), velocity_at(a, point_of(s, d, &e, e.a)));
    act(s, d, &e, v3_sub(b.a, a.a), v3_scale(part, slip), g);
  }
  for (int f = 0; f < s->nframe; f++) {
    if (!s->frame[f].floating) continue;
    const int ref = jn_frame_reference(s, f);
    const sv own = d->twist[ref];
    const v3 about = reference_about(s, d, ref), push = v3_scale(part, velocity_at(own, about));
    jn_general_wrench_columns(s, d, ref, -1, sv_make(v3_cross_add(about, push, own.a), push), 1.0,
                              g);
  }
  for (int j = 0; j < s->nv; j++) g[j] *= s->coordinate_scale[j];
}

// ---- the matrix ---------------------------------------------------------------------------------

static v3 unit(int i)
{
  return v3_set(i == 0, i == 1, i == 2);
}

// Adds the square of the row at hand to the lower triangle, and clears it.
static void add_square(jn_metric *m)
{
  const jn_system *s = m->s;
  const size_t nv = (size_t)s->nv;
  int n = 0;
  for (int j = 0; j < s->nv; j++)
    if (m->row[j] != 0.0) m->row[j] *= s->coordinate_scale[j], m->column[n++] = j;
  for (int i = 0; i < n; i++) {
    const int r = m->column[i];
    if (m->column[0] < m->first[r]) m->first[r] = m->column[0];
    for (int k = 0; k <= i; k++)
      m->l[(size_t)r * nv + (size_t)m->column[k]] += m->row[r] * m->row[m->column[k]];
  }
  for (int i = 0; i < n; i++) m->row[m->column[i]] = 0.0;
}

static void fix(jn_metric *m)
{
  const size_t nv = (size_t)m->s->nv;
  for (size_t i = 0; i < nv; i++)
    for (size_t j = (size_t)m->first[i]; j <= i; j++)
      if (m->held[i] || m->held[j]) m->l[i * nv + j] = i == j;
}

// Cholesky within the profile. A pivot that vanishes belongs to a coordinate that moves nothing.
static bool factor(jn_metric *m)
{
  const size_t nv = (size_t)m->s->nv;
  for (size_t i = 0; i < nv; i++) {
    double *row = m->l + i * nv;
    const size_t from = (size_t)m->first[i];
    const double whole = row[i];
    for (size_t j = from; j <= i; j++) {
      const double *other = m->l + j * nv;
      double sum = row[j];
      for (size_t k = from > (size_t)m->first[j] ? from : (size_t)m->first[j]; k < j; k++)
        sum -= row[k] * other[k];
      if (j < i) row[j] = sum / other[j];
      if (j == i && !(sum > 1e-12 * whole)) return false;
      if (j == i) row[i] = sqrt(sum);
    }
  }
  return true;
}

bool jn_metric_at(jn_metric *m, const jn_data *d, const bool *fixed, bool bases, const v3 *centre)
{
  const jn_system *s = m->s;
  const size_t nv = (size_t)s->nv;
  joint_ends e;
  memset(m->l, 0, nv * nv * sizeof *m->l);
  for (int j = 0; j < s->nv; j++) m->first[j] = j, m->row[j] = 0.0;
  for (int i = 0; i < count_ties(s); i++) {
    if (!ends_of(s, i, &e)) continue;
    for (int c = 0; c < 6; c++) {
      const v3 none = v3_set(0, 0, 0);
      act(s, d, &e, c < 3 ? unit(c) : none, c < 3 ? none : v3_scale(1.0 / m->size, unit(c - 3)),
          m->row);
      if (centre) to_centres(s, d, centre, m->row);
      add_square(m);
    }
  }
  for (int j = 0; j < s->nv; j++) m->held[j] = fixed && fixed[j];
  for (int f = 0; f < s->nframe; f++) {
    if (!s->frame[f].floating) continue;
    const int ref = jn_frame_reference(s, f), v = s->joint[s->frame[f].body].v;
    const v3 about = reference_about(s, d, ref);
    for (int c = 0; c < 6; c++) {
      if (!bases) {  // joints move alike wherever it is
        m->held[v + c] = true;
        continue;
      }
      const v3 u = unit(c % 3), push = v3_scale(1.0 / m->size, u);
      const sv w = c < 3 ? sv_make(u, v3_set(0, 0, 0)) : sv_make(v3_cross(about, push), push);
      jn_general_wrench_columns(s, d, ref, -1, w, 1.0, m->row);
      if (centre) to_centres(s, d, centre, m->row);
      add_square(m);
    }
  }
  fix(m);
  if (factor(m)) return true;
  memset(m->l, 0, nv * nv * sizeof *m->l);
  for (size_t j = 0; j < nv; j++) m->first[j] = (int)j, m->l[j * nv + j] = 1.0;
  return false;
}

void jn_metric_row(const jn_metric *m, double *row)
{
  const size_t nv = (size_t)m->s->nv;
  for (size_t i = 0; i < nv; i++) {
    const double *l = m->l + i * nv;
    double x = row[i];
    for (size_t j = (size_t)m->first[i]; j < i; j++) x -= l[j] * row[j];
    row[i] = x / l[i];
  }
}

void jn_metric_back(const jn_metric *m, double *y)
{
  const size_t nv = (size_t)m->s->nv;
  for (size_t i = nv; i-- > 0;) {
    const double *l = m->l + i * nv, x = y[i] / l[i];
    y[i] = x;
    for (size_t j = (size_t)m->first[i]; j < i; j++) y[j] -= l[j] * x;
  }
}

void jn_metric_forth(const jn_metric *m, double *x)
{
  const size_t nv = (size_t)m->s->nv;
  for (size_t i = 0; i < nv; i++) {
    const double *l = m->l + i * nv, own = x[i];
    for (size_t j = (size_t)m->first[i]; j < i; j++) x[j] += l[j] * own;
    x[i] = l[i] * own;
  }
}
