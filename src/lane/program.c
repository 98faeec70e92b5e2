// program.c: the program of one subsystem.
#include "lane/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/curve.h"
#include "dyn/core.h"
#include "lane/ops.h"

typedef lane_program program;

// ---- writing --------------------------------------------------------------------------------------

static int field(program *b, int n)
{
  const int at = b->nw;
  if (at + n > LANE_FIELDS) {
    b->full = true;
    return 0;
  }
  b->nw += n;
  return at;
}

static int number(program *b, double x)
{
  if (b->np == LANE_FIELDS) {
    b->full = true;
    return 0;
  }
  b->p[b->np] = x;
  return b->np++;
}

static int vector(program *b, v3 x)
{
  const int at = number(b, x.x);
  number(b, x.y);
  number(b, x.z);
  return at;
}

static int offset(program *b, int table)  // of a curve, as bits
{
  const int64_t k = table;
  double x;
  memcpy(&x, &k, sizeof x);
  return number(b, x);
}

static void constant(program *b, int at, v3 x)
{
  b->image[at] = x.x, b->image[at + 1] = x.y, b->image[at + 2] = x.z;
}

static void constant_screw(program *b, int at, sv x)
{
  constant(b, at, x.a);
  constant(b, at + 3, x.l);
}

typedef struct arguments {
  int n, a[160];
} arguments;

static void put(arguments *a, int x)
{
  if (a->n < 160) a->a[a->n] = x;
  a->n++;
}

static void put_all(arguments *a, const int *x, int n)
{
  for (int i = 0; i < n; i++) put(a, x[i]);
}

static void write(program *b, lane_phase phase, lane_kind kind, const arguments *a)
{
  lane_list *l = &b->list[phase];
  if (a->n > 160 || l->nop == LANE_LIST_OPS || l->narg + a->n > LANE_LIST_ARGS) {
    b->full = true;
    return;
  }
  l->op[l->nop++] = (lane_written){kind, a->n, l->narg};
  memcpy(l->arg + l->narg, a->a, (size_t)a->n * sizeof *a->a);
  l->narg += a->n;
}

#define WRITE(phase, kind, ...)                               \
  do {                                                        \
    const int list_[] = {__VA_ARGS__};                        \
    arguments a_ = {0};                                       \
    put_all(&a_, list_, (int)(sizeof list_ / sizeof *list_)); \
    write(b, phase, kind, &a_);                               \
  } while (0)

static void link(program *b, lane_section section, int at, int general)
{
  if (b->nlink == LANE_LINKS)
    b->full = true;
  else
    b->link[b->nlink++] =
        (lane_link){.section = section, .field = at, .general = general, .rotor = -1};
}

// ---- members --------------------------------------------------------------------------------------

static int member_of(const program *b, int body)  // -1: none
{
  for (int i = 0; i < b->n; i++)
    if (b->m[i].body == body) return i;
  return -1;
}

static bool is_touched(const jn_system *s, int body)  // by more than its own joint and its tyre
{
  for (int i = s->nframe; i < s->nbody; i++)
    if (s->body[i].parent == body && s->joint[i].kind != JN_TREE_BASE) return true;
  for (int i = 0; i < s->ncut; i++)
    if (s->cut[i].a == body || s->cut[i].b == body) return true;
  for (int i = 0; i < s->ntsda; i++)
    if (s->tsda[i].ends.a == body || s->tsda[i].ends.b == body) return true;
  for (int i = 0; i < s->nbushing; i++)
    if (s->bushing[i].ends.a == body || s->bushing[i].ends.b == body) return true;
  for (int i = 0; i < s->nplugin; i++)
    if (s->plugin[i].ends.a == body || s->plugin[i].ends.b == body) return true;
  for (int i = 0; i < s->nload; i++)
    if (s->load[i].a == body || s->load[i].b == body) return true;
  return s->rsda_first[s->joint[body].v] >= 0;
}

static v3 at_right_angles(v3 a)
{
  const v3 u = fabs(a.x) < 0.6 ? v3_set(1, 0, 0) : v3_set(0, 1, 0);
  return v3_unit(v3_cross(a, u));
}

// A body of rotation about the axis of its joint, which it alone turns about: its angle is nobody's business.
static bool is_rotor(const jn_system *s, const jn_wheel *w)
{
  const int i = w->body;
  const jn_tree_joint *j = &s->joint[i];
  const jn_body *k = &s->body[i];
  if (w->spin >= 0 || j->kind != JN_TREE_REVOLUTE || j->drive >= 0 || is_touched(s, i))
    return false;
  const v3 a = j->axis, n = at_right_angles(a), o = v3_cross(a, n);
  const double size = k->inertia.xx + k->inertia.yy + k->inertia.zz, e = 1e-12;
  const v3 ja = s3_mul_v3(k->inertia, a), jn = s3_mul_v3(k->inertia, n);
  const double along = v3_dot(a, ja), across = v3_dot(n, jn);
  const v3 off = v3_cross(a, k->cg), centre = v3_cross(a, w->at), bend = v3_cross(a, w->axis);
  return fabs(v3_dot(n, ja)) + fabs(v3_dot(o, ja)) + fabs(v3_dot(o, jn)) < e * size &&
         fabs(across - v3_dot(o, s3_mul_v3(k->inertia, o))) < e * size && along > 0 &&
         v3_norm(off) < 1e-12 && v3_norm(centre) < 1e-12 && v3_norm(bend) < 1e-12;
}

static const jn_wheel *wheel_on(const jn_system *s, int body)
{
  for (int i = 0; i < s->nwheel; i++)
    if (s->wheel[i].body == body) return &s->wheel[i];
  return NULL;
}

static bool kind_fits(jn_tree_kind k)
{
  return k == JN_TREE_REVOLUTE || k == JN_TREE_TRANSLATIONAL || k == JN_TREE_SPHERICAL ||
         k == JN_TREE_UNIVERSAL;
}

static const char *add_member(program *b, int body, int up)
{
  const jn_system *s = b->s;
  const jn_tree_joint *j = &s->joint[body];
  if (b->n == LANE_BODIES) return "it has too many bodies";
  if (!kind_fits(j->kind)) return "a joint is of a kind that lanes have no operation for";
  if (j->drive >= 0) return "a joint is driven";
  if (!lane_is_identity(j->turn)) return "the axes given on the two bodies of a joint differ";
  lane_member *m = &b->m[b->n++];
  *m = (lane_member){
      .body = body, .up = up, .r = -1, .p = -1, .v = -1, .b = -1, .force = -1, .circle = -1};
  const jn_wheel *w = wheel_on(s, body);
  m->rotor = w && up >= 0 && is_rotor(s, w);
  if (w && w->spin < 0 && !m->rotor)
    return is_touched(s, body) ? "something acts on a wheel body beside its bearing and its tyre"
                               : "a wheel body is not alike all round its axis";
  m->mass = s->body[body].mass;
  m->cg = s->body[body].cg;
  m->inertia = s->body[body].inertia;
  if (m->rotor) return NULL;
  m->first = b->ncoord;
  m->ncoord = j->nv;
  b->ncoord += j->nv;
  return b->ncoord > LANE_COORDS ? "it has too many coordinates" : NULL;
}

// Parents first, otherwise as the plan has them: alike in all that are alike.
static const char *find_members(program *b)
{
  const jn_system *s = b->s;
  const jn_subsystem *k = &s->model->subsystem[b->subsystem];
  for (int placed = 0; placed < k->nbody;) {
    const int before = placed;
    for (int i = 0; i < k->nbody; i++) {
      const int body = s->body_of_node[k->node[i]], parent = s->body[body].parent;
      if (member_of(b, body) >= 0) continue;
      const int up = member_of(b, parent);
      if (up < 0 && parent != b->top) continue;
      if (up >= 0 && b->m[up].rotor) continue;
      const char *why = add_member(b, body, up);
      if (why) return why;
      placed++;
    }
    if (placed == before) return "it hangs on several core bodies";
  }
  return NULL;
}

// A rotor's mass and what it has across its axis go to its carrier.
static void merge_rotors(program *b)
{
  for (int i = 0; i < b->n; i++) {
    if (!b->m[i].rotor) continue;
    lane_member *to = &b->m[b->m[i].up];
    const jn_tree_joint *j = &b->s->joint[b->m[i].body];
    const v3 c =
        v3_add(j->at, b->m[i].cg);  // on the carrier, where it stands at angle 0; at any other too
    const double mass = to->mass + b->m[i].mass;
    const v3 cg = v3_scale(1.0 / mass, v3_axpy(to->mass, to->cg, v3_scale(b->m[i].mass, c)));
    const v3 d0 = v3_sub(to->cg, cg), d1 = v3_sub(c, cg), a = j->axis;
    const double about = v3_dot(a, s3_mul_v3(b->m[i].inertia, a));
    s3 sum = s3_add(to->inertia, s3_inertia(v3_scale(to->mass, d0), d0));
    sum = s3_add(sum, s3_add(b->m[i].inertia, s3_inertia(v3_scale(b->m[i].mass, d1), d1)));
    sum = s3_sub(sum, s3_scale(about, s3_make(a.x * a.x, a.y * a.y, a.z * a.z, a.x * a.y, a.x * a.z,
                                              a.y * a.z)));
    to->mass = mass, to->cg = cg, to->inertia = sum;
  }
}

// ---- cut joints -----------------------------------------------------------------------------------

enum { CUTS = 8 };

static int place_in(const jn_system *s, const jn_subsystem *k, int body)  // -1: not in it
{
  for (int i = 0; i < k->nbody; i++)
    if (s->body_of_node[k->node[i]] == body) return i;
  return -1;
}

static long cut_key(const jn_system *s, const jn_subsystem *k, const jn_cut *c)
{
  return ((long)c->kind * 100 + place_in(s, k, c->a) + 1) * 100 + place_in(s, k, c->b) + 1;
}

// Cut joints of a subsystem, alike in all that are alike. -1: too many.
static int find_cuts(const jn_system *s, int subsystem, int *list)
{
  const jn_subsystem *k = &s->model->subsystem[subsystem];
  int n = 0;
  for (int i = 0; i < s->ncut; i++) {
    const jn_cut *c = &s->cut[i];
    if (!c->nrow || (place_in(s, k, c->a) < 0 && place_in(s, k, c->b) < 0)) continue;
    if (n == CUTS) return -1;
    int at = n++;
    for (; at > 0 && cut_key(s, k, &s->cut[list[at - 1]]) > cut_key(s, k, c); at--)
      list[at] = list[at - 1];
    list[at] = i;
  }
  return n;
}

// Does this cut joint, or one like it in a subsystem alike, end on the shared core body?
static bool ends_on_shared(const program *b, int at, bool second)
{
  const jn_system *s = b->s;
  const jn_subsystem *own = &s->model->subsystem[b->subsystem];
  for (int k = 0; b->shared >= 0 && k < s->model->nsubsystem; k++) {
    const jn_subsystem *other = &s->model->subsystem[k];
    int list[CUTS];
    if (other->shape != own->shape || other->parent != own->parent) continue;
    if (find_cuts(s, k, list) <= at) continue;
    const jn_cut *c = &s->cut[list[at]];
    if ((second ? c->b : c->a) == b->shared) return true;
  }
  return false;
}

typedef struct end {  // of a cut joint or a spring
  int member;         // -1: the top, -2: the shared core body
  int r, p, v, b;
} end;

static end end_of(const program *b, int body, bool shared)
{
  const int i = member_of(b, body);
  if (i >= 0) return (end){i, b->m[i].r, b->m[i].p, b->m[i].v, b->m[i].b};
  if (shared) return (end){-2, b->shared_r, b->shared_p, b->shared_v, -1};
  return (end){-1, -1, -1, -1, -1};
}

// A point of an end, from what the end's pose is about. Of a shared body that stands for the top: the same point.
static v3 point_on(const program *b, int body, const end *e, v3 at)
{
  if (e->member != -2 || body == b->shared) return at;
  return v3_sub(at, b->s->joint[b->shared].at);
}

// The parameters of a point, and what its operation takes for the end's rotation.
static int point(program *b, const end *e, v3 at, int *rotation)
{
  *rotation = e->r;
  if (e->member < 0 || b->m[e->member].circle < 0) return vector(b, at);
  const jn_tree_joint *j = &b->s->joint[b->m[e->member].body];
  const v3 along = v3_scale(v3_dot(at, j->axis), j->axis), across = v3_sub(at, along);
  *rotation = LANE_CIRCLE - b->m[e->member].circle;
  const int p = vector(b, v3_add(j->at, along));
  vector(b, across);
  vector(b, v3_cross(j->axis, across));
  return p;
}

// Coordinates between an end and the top that the other end does not move with.
static void put_path(const program *b, arguments *a, const end *e, const end *other, bool second,
                     int *n)
{
  if (e->member == -2) {
    const int column = b->nrow + b->nv;
    put(a, b->shared_s), put(a, second), put(a, column), put(a, second ? -1 : 1);
    (*n)++;
    return;
  }
  for (int i = e->member; i >= 0; i = b->m[i].up) {
    bool common = false;
    for (int k = other->member; k >= 0; k = b->m[k].up) common |= k == i;
    if (common) return;
    for (int k = 0; k < b->m[i].ncoord; k++) {
      const int column = b->column[b->m[i].first + k],
                sign = (second ? 1 : -1) * (column < b->nrow ? 1 : -1);
      put(a, b->m[i].s + 6 * k), put(a, second), put(a, column), put(a, sign);
      (*n)++;
    }
  }
}

typedef struct cutting {
  program *b;
  const jn_cut *c;
  end ea, eb;
  v3 at_a, at_b;
  int p_a, p_b, r_a, r_b;
  int row;  // of the subsystem, in the order of the file
} cutting;

static int row_at(const program *b, int row)
{
  return b->j + b->row[row] * (b->nrow + b->nv + b->ns);
}

static int side_at(const program *b, int row)
{
  return b->side + 2 * b->row[row];
}

static void put_paths(cutting *k, arguments *a)
{
  const int count = a->n;
  int n = 0;
  put(a, 0);
  put_path(k->b, a, &k->ea, &k->eb, false, &n);
  put_path(k->b, a, &k->eb, &k->ea, true, &n);
  if (count < 160) a->a[count] = n;
}

static void put_ends(const cutting *k, arguments *a)
{
  put(a, k->p_a), put(a, k->r_a), put(a, k->ea.p);
  put(a, k->p_b), put(a, k->r_b), put(a, k->eb.p);
}

static void cut_point(cutting *k)
{
  program *b = k->b;
  const int pa = field(b, 3), pb = field(b, 3);
  arguments a = {0};
  put_ends(k, &a);
  put(&a, pa), put(&a, pb);
  for (int i = 0; i < 3; i++) put(&a, side_at(b, k->row + i));
  for (int i = 0; i < 3; i++) put(&a, row_at(b, k->row + i));
  put_paths(k, &a);
  write(b, LANE_POSE, LANE_POINT, &a);
  WRITE(LANE_MOTION, LANE_POINT_BIAS, pa, pb, k->ea.v, k->ea.b, k->eb.v, k->eb.b,
        side_at(b, k->row), side_at(b, k->row + 1), side_at(b, k->row + 2));
  k->row += 3;
}

static void cut_distance(cutting *k)
{
  program *b = k->b;
  const int pa = field(b, 3), pb = field(b, 3), e = field(b, 3), side = side_at(b, k->row);
  const int p_length = number(b, k->c->length);
  number(b, 1.0 / k->c->length);
  arguments a = {0};
  put_ends(k, &a);
  put(&a, pa), put(&a, pb), put(&a, side), put(&a, row_at(b, k->row)), put(&a, p_length);
  put(&a, e);
  put_paths(k, &a);
  write(b, LANE_POSE, LANE_DISTANCE, &a);
  WRITE(LANE_MOTION, LANE_DISTANCE_BIAS, pa, pb, k->ea.v, k->ea.b, k->eb.v, k->eb.b, side, e,
        p_length);
  k->row++;
}

static void cut_along(cutting *k, v3 f, double value)
{
  program *b = k->b;
  const int pb = field(b, 3), e = field(b, 3), side = side_at(b, k->row);
  arguments a = {0};
  put_ends(k, &a);
  put(&a, pb), put(&a, side), put(&a, row_at(b, k->row)), put(&a, vector(b, f)), put(&a, e);
  put(&a, number(b, value)), put(&a, k->ea.r);
  put_paths(k, &a);
  write(b, LANE_POSE, LANE_ALONG, &a);
  WRITE(LANE_MOTION, LANE_ALONG_BIAS, pb, k->ea.v, k->ea.b, k->eb.v, k->eb.b, side, e);
  k->row++;
}

static void cut_between(cutting *k, v3 x, v3 y, double value)
{
  program *b = k->b;
  const int fx = field(b, 3), fy = field(b, 3), side = side_at(b, k->row);
  arguments a = {0};
  put(&a, vector(b, x)), put(&a, k->ea.r), put(&a, vector(b, y)), put(&a, k->eb.r);
  put(&a, fx), put(&a, fy), put(&a, side), put(&a, row_at(b, k->row)), put(&a, number(b, value));
  put_paths(k, &a);
  write(b, LANE_POSE, LANE_BETWEEN, &a);
  WRITE(LANE_MOTION, LANE_BETWEEN_BIAS, fx, fy, k->ea.v, k->ea.b, k->eb.v, k->eb.b, side);
  k->row++;
}

static void cut_no_rotation(cutting *k)
{
  const jn_cut *c = k->c;
  cut_between(k, c->normal_a[0], c->normal_b[1], 0.0);
  cut_between(k, c->normal_a[1], v3_cross(c->normal_b[0], c->normal_b[1]), 0.0);
  cut_between(k, c->axis_a, c->normal_b[0], 0.0);
}

// The rows of a cut joint, as dyn/rows.c has them.
static const char *write_cut(program *b, int cut, int at, int *row)
{
  const jn_cut *c = &b->s->cut[cut];
  cutting k = {.b = b, .c = c, .row = *row};
  k.ea = end_of(b, c->a, ends_on_shared(b, at, false));
  k.eb = end_of(b, c->b, ends_on_shared(b, at, true));
  k.p_a = point(b, &k.ea, point_on(b, c->a, &k.ea, c->at_a), &k.r_a);
  k.p_b = point(b, &k.eb, point_on(b, c->b, &k.eb, c->at_b), &k.r_b);
  if (c->drive >= 0) return "a cut joint is driven";
  switch (c->kind) {
    case JN_JOINT_FIXED:
      cut_point(&k);
      cut_no_rotation(&k);
      break;
    case JN_JOINT_REVOLUTE:
      cut_point(&k);
      cut_between(&k, c->normal_a[0], c->axis_b, 0.0);
      cut_between(&k, c->normal_a[1], c->axis_b, 0.0);
      break;
    case JN_JOINT_TRANSLATIONAL:
      cut_along(&k, c->normal_a[0], 0.0);
      cut_along(&k, c->normal_a[1], 0.0);
      cut_no_rotation(&k);
      break;
    case JN_JOINT_CYLINDRICAL:
      cut_along(&k, c->normal_a[0], 0.0);
      cut_along(&k, c->normal_a[1], 0.0);
      cut_between(&k, c->normal_a[0], c->axis_b, 0.0);
      cut_between(&k, c->normal_a[1], c->axis_b, 0.0);
      break;
    case JN_JOINT_UNIVERSAL:
      cut_point(&k);
      cut_between(&k, c->axis_a, c->axis_b, c->cosine);
      break;
    case JN_JOINT_SPHERICAL:
      cut_point(&k);
      break;
    case JN_JOINT_PLANAR:
      cut_along(&k, c->axis_a, 0.0);
      cut_between(&k, c->normal_a[0], c->axis_b, 0.0);
      cut_between(&k, c->normal_a[1], c->axis_b, 0.0);
      break;
    case JN_JOINT_NO_ROTATION:
      cut_no_rotation(&k);
      break;
    case JN_JOINT_DISTANCE:
      cut_distance(&k);
      break;
    case JN_JOINT_SPHERICAL_REVOLUTE:
      cut_along(&k, c->axis_a, c->offset);
      cut_distance(&k);
      break;
    case JN_JOINT_SPHERICAL_TRANSLATIONAL:
      cut_along(&k, c->normal_a[0], 0.0);
      cut_along(&k, c->normal_a[1], 0.0);
      break;
    default:
      return "a cut joint is of a kind that lanes have no operation for";
  }
  *row = k.row;
  return NULL;
}

// ---- joints ---------------------------------------------------------------------------------------

static int u_field(const program *b, int coordinate)
{
  const int c = b->column[coordinate];
  return c < b->nrow ? b->u + c : b->z + (c - b->nrow);
}

// Hinged on the top about a principal axis: then its inertia has no first harmonic of the angle.
static bool is_hinged(const program *b, const lane_member *m)
{
  const jn_tree_joint *j = &b->s->joint[m->body];
  const v3 about = s3_mul_v3(m->inertia, j->axis);
  const double size = m->inertia.xx + m->inertia.yy + m->inertia.zz;
  return m->up < 0 && j->kind == JN_TREE_REVOLUTE &&
         v3_norm(v3_axpy(-v3_dot(about, j->axis), j->axis, about)) <= 1e-14 * size;
}

// Is more asked of a body hinged on the top than points, which its angle tells?
static bool needs_rotation(const program *b, const lane_member *m)
{
  const jn_system *s = b->s;
  for (int i = 0; i < b->n; i++)
    if (b->m[i].up >= 0 && &b->m[b->m[i].up] == m) return true;
  for (int i = 0; i < s->ncut; i++) {
    const jn_cut *c = &s->cut[i];
    if (c->a != m->body && c->b != m->body) continue;
    if (c->kind != JN_JOINT_SPHERICAL && c->kind != JN_JOINT_DISTANCE) return true;
  }
  return wheel_on(s, m->body) != NULL || !is_hinged(b, m);
}

static void write_joint(program *b, lane_member *m)
{
  const jn_tree_joint *j = &b->s->joint[m->body];
  const bool on_top = m->up < 0;
  const lane_member *up = on_top ? NULL : &b->m[m->up];
  const int ru = on_top ? -1 : up->r, pu = on_top ? -1 : up->p;
  m->q = b->nq;
  b->nq += j->nq;
  m->s = field(b, 6 * j->nv);
  for (int k = 0; k < m->ncoord; k++) m->u[k] = u_field(b, m->first + k);
  const int p_at = vector(b, j->at), p_axis = vector(b, j->axis);
  m->p = field(b, 3);
  switch (j->kind) {
    case JN_TREE_REVOLUTE:
      if (!on_top || needs_rotation(b, m)) m->r = field(b, 9);
      if (on_top) {
        constant(b, m->p, j->at);
        constant_screw(b, m->s, sv_make(j->axis, v3_cross(j->at, j->axis)));
        m->circle = field(b, 2);
        WRITE(LANE_POSE, LANE_REVOLUTE_TOP, m->q, p_axis, m->circle, m->r);
      } else {
        WRITE(LANE_POSE, LANE_REVOLUTE, m->q, p_at, p_axis, ru, pu, m->r, m->p, m->s);
      }
      break;
    case JN_TREE_TRANSLATIONAL:
      m->r = ru;
      if (on_top) {
        constant_screw(b, m->s, sv_make(v3_set(0, 0, 0), j->axis));
        WRITE(LANE_POSE, LANE_SLIDE_TOP, m->q, p_at, p_axis, m->p);
      } else {
        WRITE(LANE_POSE, LANE_SLIDE, m->q, p_at, p_axis, ru, pu, m->p, m->s);
      }
      break;
    case JN_TREE_SPHERICAL:
      m->r = field(b, 9);
      if (on_top) {
        constant(b, m->p, j->at);
        for (int k = 0; k < 3; k++) {
          const v3 e = v3_set(k == 0, k == 1, k == 2);
          constant_screw(b, m->s + 6 * k, sv_make(e, v3_cross(j->at, e)));
        }
        WRITE(LANE_POSE, LANE_BALL_TOP, m->q, m->r);
      } else {
        WRITE(LANE_POSE, LANE_BALL, m->q, p_at, ru, pu, m->r, m->p, m->s);
      }
      break;
    default:  // universal
      m->r = field(b, 9);
      WRITE(LANE_POSE, LANE_UNIVERSAL, m->q, p_at, p_axis, vector(b, j->second), ru, pu, m->r, m->p,
            m->s);
  }
}

static bool wraps(jn_tree_kind kind)
{
  return kind == JN_TREE_REVOLUTE || kind == JN_TREE_UNIVERSAL;
}

static void link_joint(program *b, const lane_member *m)
{
  const jn_system *s = b->s;
  const jn_tree_joint *j = &s->joint[m->body];
  for (int k = 0; k < j->nq; k++) link(b, LANE_Q, m->q + k, j->q + k);
  if (m->rotor) return;
  for (int k = 0; k < j->nv; k++) {
    const int column = b->column[m->first + k];
    if (column < b->nrow)
      link(b, LANE_FOLLOWS, b->u + column, s->nq + j->v + k);
    else
      link(b, LANE_V, column - b->nrow, s->nq + j->v + k);
  }
}

static void write_shared(program *b)
{
  if (b->shared < 0) return;
  const jn_tree_joint *j = &b->s->joint[b->shared];
  bool own = false;  // does one of its own cut joints end there?
  int list[CUTS];
  const int n = find_cuts(b->s, b->subsystem, list);
  for (int i = 0; i < n; i++)
    own |= b->s->cut[list[i]].a == b->shared || b->s->cut[list[i]].b == b->shared;
  const v3 axis = own ? j->axis : v3_set(0, 0, 0);
  b->shared_s = field(b, 6);
  b->shared_v = field(b, 6);
  b->shared_p = field(b, 3);
  const int p_at = vector(b, j->at),
            p_axis = vector(b, j->kind == JN_TREE_REVOLUTE ? j->axis : axis);
  if (j->kind == JN_TREE_REVOLUTE) {
    b->shared_r = field(b, 9);
    constant(b, b->shared_p, j->at);
    constant_screw(b, b->shared_s, sv_make(axis, v3_cross(j->at, axis)));
    WRITE(LANE_POSE, LANE_HINGE, p_axis, number(b, own ? 1.0 : 0.0), b->shared_s, b->shared_r,
          b->shared_v);
  } else {
    b->shared_r = -1;
    constant_screw(b, b->shared_s, sv_make(v3_set(0, 0, 0), axis));
    WRITE(LANE_POSE, LANE_GUIDE, p_at, p_axis, b->shared_p, b->shared_v);
  }
}

// Poses and rows: all that the choice of dependent coordinates needs.
static const char *write_poses(program *b)
{
  const int nz = b->nv + b->ns;
  b->z = field(b, nz);
  b->u = field(b, b->nrow);
  b->j = field(b, b->nrow * (b->nrow + nz));
  b->lu = field(b, b->nrow * b->nrow);
  b->t = field(b, b->nrow * (nz + 1));
  b->side = field(b, 2 * b->nrow);
  b->correction = field(b, b->nrow);
  for (int i = 0; i < b->n; i++) {
    lane_member *m = &b->m[i];
    if (m->rotor) continue;
    m->v = field(b, 6);
    m->b = m->up >= 0 || b->s->joint[m->body].kind == JN_TREE_UNIVERSAL ? field(b, 6) : -1;
  }
  write_shared(b);
  for (int i = 0; i < b->n; i++)
    if (!b->m[i].rotor) write_joint(b, &b->m[i]);
  for (int i = 0; i < b->n; i++) {  // biases of loops come after motions
    lane_member *m = &b->m[i];
    if (m->rotor) continue;
    arguments a = {0};
    const lane_member *up = m->up < 0 ? NULL : &b->m[m->up];
    put(&a, up ? up->v : -1), put(&a, up ? up->b : -1), put(&a, m->v), put(&a, m->b);
    put(&a, b->s->joint[m->body].kind == JN_TREE_UNIVERSAL), put(&a, m->ncoord);
    for (int k = 0; k < m->ncoord; k++) put(&a, m->s + 6 * k);
    for (int k = 0; k < m->ncoord; k++) put(&a, m->u[k]);
    write(b, LANE_MOTION, LANE_MOVE, &a);
  }
  int list[CUTS], row = 0;
  const int n = find_cuts(b->s, b->subsystem, list);
  for (int i = 0; i < n; i++) {
    const char *why = write_cut(b, list[i], i, &row);
    if (why) return why;
  }
  return NULL;
}

// ---- choice of dependent coordinates --------------------------------------------------------------

// Rows at the initial state, in the order of the file and of the coordinates.
static bool initial_rows(const program *b, double *a)
{
  const jn_system *s = b->s;
  const size_t nw = (size_t)b->nw * LANES, np = (size_t)b->np * LANES, nq = (size_t)b->nq * LANES;
  double *w = aligned_alloc(64, ((nw + np + nq + LANE_NTOP) * sizeof *w + 63) / 64 * 64);
  if (!w) return false;
  double *p = w + nw, *q = p + np, *top = q + nq;
  memset(w, 0, (nw + np + nq + LANE_NTOP) * sizeof *w);
  for (int i = 0; i < b->nw; i++) w[LANES * i] = b->image[i];
  for (int i = 0; i < b->np; i++) p[LANES * i] = b->p[i];
  for (int i = 0; i < b->n; i++) {
    const jn_tree_joint *j = &s->joint[b->m[i].body];
    if (b->m[i].rotor) continue;
    for (int k = 0; k < j->nq; k++) q[LANES * (b->m[i].q + k)] = s->y0[j->q + k];
  }
  if (b->shared >= 0 && s->joint[b->shared].drive < 0)
    top[LANE_TOP_CORE] = s->y0[s->joint[b->shared].q];
  const lane_list *l = &b->list[LANE_POSE];
  lane_op op[LANE_LIST_OPS];
  for (int i = 0; i < l->nop; i++)
    op[i] = (lane_op){l->op[i].kind, l->op[i].narg, l->arg + l->op[i].first};
  const lane_run r = {.w = w,
                      .p = p,
                      .q = q,
                      .v = q,
                      .x = q,
                      .e = q,
                      .dq = q,
                      .dv = q,
                      .dx = q,
                      .de = q,
                      .rate = q,
                      .top = top,
                      .in = q,
                      .table = s->table};
  jn_lane_narrow.list(op, l->nop, 1, &r);
  const int width = b->nrow + b->nv + b->ns;
  for (int i = 0; i < b->nrow; i++)
    for (int k = 0; k < b->ncoord; k++) {
      const int column = b->column[k];
      const double x = w[LANES * (b->j + b->row[i] * width + column)];
      a[i * b->ncoord + k] = column < b->nrow ? x : -x;
    }
  free(w);
  return true;
}

// Pivots of the dependent columns in the order that is set; the smallest over the largest.
static double pivots_of(program *b, const double *a)
{
  double m[LANE_ROWS][LANE_ROWS], least = INFINITY, most = 0.0;
  for (int i = 0; i < b->nrow; i++)
    for (int k = 0; k < b->ncoord; k++)
      if (b->column[k] < b->nrow) m[b->row[i]][b->column[k]] = a[i * b->ncoord + k];
  for (int p = 0; p < b->nrow; p++) {
    b->first[p] = fabs(m[p][p]);
    least = fmin(least, b->first[p]);
    most = fmax(most, b->first[p]);
    for (int i = p + 1; i < b->nrow; i++) {
      const double f = m[i][p] / m[p][p];
      for (int k = p; k < b->nrow; k++) m[i][k] -= f * m[p][k];
    }
  }
  return b->nrow ? least / most : 1.0;
}

static const char *choose(program *b, const program *like)
{
  double a[LANE_ROWS * LANE_COORDS], scaled[LANE_ROWS * LANE_COORDS], first[LANE_COORDS];
  int rows[LANE_ROWS], cols[LANE_COORDS];
  if (!initial_rows(b, a)) return "memory is exhausted";
  if (like) {
    memcpy(b->column, like->column, sizeof b->column);
    memcpy(b->row, like->row, sizeof b->row);
    if (pivots_of(b, a) > 0.01) return NULL;
  }
  memcpy(scaled, a, sizeof a);
  int list[CUTS], row = 0;
  const int n = find_cuts(b->s, b->subsystem, list);
  for (int i = 0; i < n; i++)
    for (int r = 0; r < b->s->cut[list[i]].nrow; r++, row++)
      for (int m = 0; m < b->n; m++)
        for (int k = 0; k < b->m[m].ncoord; k++)
          scaled[row * b->ncoord + b->m[m].first + k] *=
              b->s->length_scale[b->s->cut[list[i]].row + r] *
              b->s->coordinate_scale[b->s->joint[b->m[m].body].v + k];
  if (jn_pivots_choose(b->nrow, b->ncoord, scaled, 1e-6, rows, cols, first) < b->nrow)
    return "its loops are near a singular position";
  for (int i = 0; i < b->nrow; i++) b->row[rows[i]] = i;
  // Independent ones in the order of the coordinates.
  for (int k = 0; k < b->ncoord; k++) b->column[k] = -1;
  for (int i = 0; i < b->nrow; i++) b->column[cols[i]] = i;
  for (int k = 0, at = b->nrow; k < b->ncoord; k++)
    if (b->column[k] < 0) b->column[k] = at++;
  pivots_of(b, a);
  return NULL;
}

// ---- columns --------------------------------------------------------------------------------------

static int t_of(const program *b, int coordinate, int z)  // field of T, -1: none, -2: one
{
  const int c = b->column[coordinate], nz = b->nv + b->ns;
  if (c < b->nrow) return b->t + c * (nz + 1) + z;
  return c - b->nrow == z ? -2 : -1;
}

static bool has_children(const program *b, const lane_member *m)
{
  for (int i = 0; i < b->n; i++)
    if (!b->m[i].rotor && b->m[i].up >= 0 && &b->m[b->m[i].up] == m) return true;
  return false;
}

static void write_columns(program *b, lane_member *m)
{
  const int nz = b->nv + b->ns;
  const lane_member *up = m->up < 0 ? NULL : &b->m[m->up];
  const bool fixed = m->up < 0 && m->ncoord == 1;      // its screw is a constant
  if (is_hinged(b, m) && !has_children(b, m)) return;  // it has no need of them
  arguments columns = {0};
  int n = 0;
  for (int z = 0; z <= nz; z++) {
    const int from = up ? up->k[z] : -1;
    int t[3], own = 0;
    for (int k = 0; k < m->ncoord; k++) {
      t[k] = t_of(b, m->first + k, z);
      own += t[k] != -1;
    }
    m->k[z] = from;
    if (!own) continue;
    if (fixed && t[0] == -2) {
      m->k[z] = m->s;
      continue;
    }
    m->k[z] = field(b, 6);
    put(&columns, from), put(&columns, m->k[z]), put_all(&columns, t, m->ncoord);
    n++;
  }
  if (!n) return;
  arguments a = {0};
  put(&a, n), put(&a, m->ncoord);
  for (int k = 0; k < m->ncoord; k++) put(&a, m->s + 6 * k);
  put_all(&a, columns.a, columns.n);
  write(b, LANE_MOTION, LANE_COLUMNS, &a);
}

// ---- force elements -------------------------------------------------------------------------------

static int subsystem_of(const jn_system *s, int body)  // -1: core or ground
{
  return body < s->nframe || s->in_core[body] ? -1 : s->model->part[s->body[body].node];
}

bool jn_lane_takes_tsda(const jn_system *s, int i)
{
  const jn_ends *e = &s->tsda[i].ends;
  const int a = subsystem_of(s, e->a), b = subsystem_of(s, e->b);
  if ((a < 0) == (b < 0)) return a >= 0 && a == b;
  const int top = s->body_of_node[s->model->subsystem[a < 0 ? b : a].parent];
  return (a < 0 ? e->a : e->b) == top;
}

bool jn_lane_takes_rsda(const jn_system *s, int i)
{
  const jn_rsda *r = &s->rsda[i];
  if (r->v < 0) return false;
  for (int k = s->nframe; k < s->nbody; k++)
    if (s->joint[k].drive < 0 && r->v >= s->joint[k].v && r->v < s->joint[k].v + s->joint[k].nv)
      return subsystem_of(s, k) >= 0;
  return false;
}

static int input(program *b, int channel, int lag)
{
  if (b->nin == LANE_INPUTS) {
    b->full = true;
    return 0;
  }
  b->in[b->nin] = (lane_input){channel, lag, 3 * channel + (lag == -2)};
  return b->nin++;
}

static void put_law(program *b, arguments *a, const jn_law *l)
{
  put(a, number(b, l->stiffness));
  number(b, l->damping);
  number(b, l->preload);
  put(a, b->np), put(a, l->nspring);
  for (int i = 0; i < l->nspring; i++) number(b, l->spring[i]);
  put(a, b->np), put(a, l->ndamper);
  for (int i = 0; i < l->ndamper; i++) number(b, l->damper[i]);
  put(a, offset(b, l->spring_curve));
  offset(b, l->damper_curve);
  put(a, l->spring_curve >= 0 ? l->spring_steps : -1);
  put(a, l->damper_curve >= 0 ? l->damper_steps : -1);
  put(a, l->actuator.input >= 0 ? input(b, l->actuator.input, l->actuator.lag) : -1);
}

static long law_key(const jn_law *l)
{
  return ((l->nspring * 10 + l->ndamper) * 30 + (l->spring_curve >= 0 ? l->spring_steps : -1) + 1) *
             30 +
         (l->damper_curve >= 0 ? l->damper_steps : -1) + 1;
}

static long tsda_key(const program *b, int i)
{
  const jn_tsda *t = &b->s->tsda[i];
  return ((long)(member_of(b, t->ends.a) + 1) * 20 + member_of(b, t->ends.b) + 1) * 100000 +
         law_key(&t->law);
}

static void write_spring(program *b, int i)
{
  const jn_tsda *t = &b->s->tsda[i];
  const end ea = end_of(b, t->ends.a, false), eb = end_of(b, t->ends.b, false);
  arguments a = {0};
  int ra, rb;
  const int pa = point(b, &ea, t->ends.at_a, &ra), pb = point(b, &eb, t->ends.at_b, &rb);
  put(&a, pa), put(&a, ra), put(&a, ea.p), put(&a, ea.v);
  put(&a, ea.member >= 0 ? b->m[ea.member].force : -1);
  put(&a, pb), put(&a, rb), put(&a, eb.p), put(&a, eb.v);
  put(&a, eb.member >= 0 ? b->m[eb.member].force : -1);
  put(&a, number(b, t->free_length)), put(&a, b->power);
  put_law(b, &a, &t->law);
  write(b, LANE_FORCE, LANE_SPRING, &a);
}

enum { ELEMENTS = 24 };

static int find_springs(const program *b, int *list)  // alike in all that are alike; -1: too many
{
  int n = 0;
  for (int i = 0; i < b->s->ntsda; i++) {
    const jn_ends *e = &b->s->tsda[i].ends;
    if (!jn_lane_takes_tsda(b->s, i) || (member_of(b, e->a) < 0 && member_of(b, e->b) < 0))
      continue;
    if (n == ELEMENTS) return -1;
    int at = n++;
    for (; at > 0 && tsda_key(b, list[at - 1]) > tsda_key(b, i); at--) list[at] = list[at - 1];
    list[at] = i;
  }
  return n;
}

static void write_torsions(program *b, const int *turns)
{
  const jn_system *s = b->s;
  const int nz = b->nv + b->ns;
  for (int m = 0; m < b->n; m++)
    for (int k = 0; k < b->m[m].ncoord; k++)
      for (int i = s->rsda_first[s->joint[b->m[m].body].v + k]; i >= 0; i = s->rsda_next[i]) {
        if (!jn_lane_takes_rsda(s, i)) continue;
        const jn_rsda *r = &s->rsda[i];
        arguments a = {0};
        put(&a, b->m[m].q + (r->q - s->joint[b->m[m].body].q));
        put(&a, r->angular ? turns[b->m[m].first + k] : -1);
        put(&a, b->m[m].u[k]), put(&a, number(b, r->servo ? 0.0 : r->free_angle)),
            put(&a, b->power);
        put(&a, r->servo ? input(b, r->law.actuator.input, -1) : -1);
        if (r->servo) input(b, r->law.actuator.input, -2);
        int n = 0;
        const int count = a.n;
        put(&a, 0);
        for (int z = 0; z < nz; z++) {
          const int t = t_of(b, b->m[m].first + k, z);
          if (t != -1) put(&a, t), put(&a, b->q + z), n++;
        }
        a.a[count] = n;
        jn_law law = r->law;
        if (r->servo) law.actuator.input = -1;
        put_law(b, &a, &law);
        write(b, LANE_FORCE, LANE_TORSION, &a);
      }
}

static bool is_plain_road(const jn_road *r)
{
  return r->shape == JN_ROAD_FLAT && r->level == 0.0 && r->grade == 0.0 && r->bank == 0.0;
}

static const char *write_wheel(program *b, int i)
{
  const jn_system *s = b->s;
  const jn_wheel *w = &s->wheel[i];
  int own = member_of(b, w->body);
  const bool body = b->m[own].rotor;
  const lane_member *m = &b->m[body ? b->m[own].up : own];
  const jn_tree_joint *j = &s->joint[w->body];
  const v3 at = body ? v3_add(j->at, w->at) : w->at;
  const double inertia = body ? v3_dot(j->axis, s3_mul_v3(b->m[own].inertia, j->axis)) : w->inertia;
  arguments a = {.n = WHEEL_NARG};
  a.a[WHEEL_KIND] = (int)w->tyre.kind;
  a.a[WHEEL_FORM] = w->tyre.form;
  a.a[WHEEL_P_AT] = vector(b, at);
  number(b, w->x);
  a.a[WHEEL_P_AXIS] = vector(b, w->axis);
  a.a[WHEEL_P_INERTIA] = number(b, inertia);
  number(b, body || w->gyroscopic ? inertia : 0.0);
  a.a[WHEEL_P_TYRE] = b->np;
  a.a[WHEEL_NTYRE] = w->tyre.nfield;
  for (int k = 0; k < w->tyre.nfield; k++) number(b, w->tyre.p[k]);
  a.a[WHEEL_R] = m->r, a.a[WHEEL_P] = m->p, a.a[WHEEL_V] = m->v;
  a.a[WHEEL_FORCE] = m->force;
  a.a[WHEEL_POWER] = b->power;
  a.a[WHEEL_X_SPIN] = a.a[WHEEL_V_SPIN] = a.a[WHEEL_Q_ANGLE] = a.a[WHEEL_P_SIGN] =
      a.a[WHEEL_RELATIVE] = -1;
  if (body) {
    a.a[WHEEL_V_SPIN] = b->nv + b->nspin++;
    a.a[WHEEL_Q_ANGLE] = b->m[own].q = b->nq++;
    a.a[WHEEL_P_SIGN] = number(b, v3_dot(j->axis, w->axis) < 0 ? -1.0 : 1.0);
    a.a[WHEEL_RELATIVE] = field(b, 1);
    link_joint(b, &b->m[own]);
    link(b, LANE_V, a.a[WHEEL_V_SPIN], s->nq + j->v);
    if (b->nlink) b->link[b->nlink - 1].rotor = w->body, b->link[b->nlink - 1].axis = w->axis;
    link(b, LANE_FOLLOWS, a.a[WHEEL_RELATIVE], s->nq + j->v);
  } else {
    a.a[WHEEL_X_SPIN] = b->nx++;
    link(b, LANE_X, a.a[WHEEL_X_SPIN], s->nq + s->nv + w->spin);
  }
  a.a[WHEEL_NSLIP] = w->tyre.nslip;
  a.a[WHEEL_E_SLIP] = b->ne;
  for (int k = 0; k < w->tyre.nslip; k++) link(b, LANE_E, b->ne++, s->nq + s->nv + w->slip + k);
  a.a[WHEEL_E_COMPLY] = a.a[WHEEL_P_COMPLY] = -1;
  a.a[WHEEL_COMPLIANCE] = 0;
  if (w->comply >= 0) {
    a.a[WHEEL_E_COMPLY] = b->ne;
    for (int k = 0; k < 2; k++) link(b, LANE_E, b->ne++, s->nq + s->nv + w->comply + k);
    a.a[WHEEL_P_COMPLY] = number(b, 1.0 / w->compliance_lag);
    for (int k = 0; k < TYRE_NCOMPLIANCE; k++) {
      offset(b, w->compliance[k]);
      if (w->compliance[k] >= 0) a.a[WHEEL_COMPLIANCE] |= 1 << k;
    }
  }
  a.a[WHEEL_E_HOLD] = -1;
  a.a[WHEEL_BRAKE] = -1;
  if (w->hold >= 0 && w->brake >= 0) {
    a.a[WHEEL_BRAKE] = input(b, w->brake, -1);
    a.a[WHEEL_E_HOLD] = b->ne++;
    link(b, LANE_E, a.a[WHEEL_E_HOLD], s->nq + s->nv + w->hold);
  }
  a.a[WHEEL_DRIVE] = w->drive >= 0 ? input(b, w->drive, -1) : -1;
  a.a[WHEEL_OUTSIDE] = b->outside;
  a.a[WHEEL_ON_TOP] = w->drive >= 0 && w->reaction == b->top;
  if (w->drive >= 0 && w->reaction != b->top && w->reaction != m->body)
    return "the drive of a wheel reacts on a body elsewhere";
  a.a[WHEEL_STEER] = -1;
  if (w->steer >= 0) {
    a.a[WHEEL_STEER] = input(b, w->steer, -1);
    input(b, w->steer, -2);  // its rate
  }
  a.a[WHEEL_FLAT] = is_plain_road(&s->road);
  write(b, LANE_FORCE, LANE_WHEEL, &a);
  return NULL;
}

// ---- dynamics -------------------------------------------------------------------------------------

// z and pairs of them that a body before has begun to sum.
typedef struct begun {
  bool any, z[LANE_Z];
} begun;

static void put_columns(program *b, const lane_member *m, arguments *a, begun *g)
{
  const int nz = b->nv + b->ns, count = a->n;
  int n = 0;
  bool fresh[LANE_Z];
  for (int z = 0; z < nz; z++) fresh[z] = !g->z[z];
  put(a, 0);
  for (int z = 0; z < nz; z++) {
    const int k = is_hinged(b, m) ? t_of(b, m->first, z) : m->k[z];
    if (k == -1) continue;
    put(a, z), put(a, fresh[z]), put(a, k), n++;
    g->z[z] = true;
  }
  if (count < 160) a->a[count] = n;
  g->any = true;
}

// Harmonics of the angle, from eight positions around the hinge.
static int hinged(program *b, const lane_member *m)
{
  enum { POSITIONS = 8 };
  const jn_tree_joint *j = &b->s->joint[m->body];
  const sv screw = sv_make(j->axis, v3_cross(j->at, j->axis));
  double x[HINGED_FIELDS] = {0};
  x[HINGED_MASS] = m->mass;
  x[HINGED_INVERSE] = 1.0 / m->mass;
  v3_store(x + HINGED_S, screw.a);
  v3_store(x + HINGED_S + 3, screw.l);
  for (int i = 0; i < POSITIONS; i++) {
    const double angle = 2.0 * M_PI * i / POSITIONS, c = cos(angle), s = sin(angle);
    const m3 turn = m3_about(j->axis, c, s);
    const s3 own = s3_rotate(turn, m->inertia);
    const si inertia = si_from_cg(m->mass, v3_add(j->at, m3_mul_v3(turn, m->cg)), own);
    const sv h = si_mul(inertia, screw);
    const double f[5] = {1.0 / POSITIONS, 2.0 * c / POSITIONS, 2.0 * s / POSITIONS,
                         2.0 * cos(2.0 * angle) / POSITIONS, 2.0 * sin(2.0 * angle) / POSITIONS};
    const double k[6] = {own.xx, own.yy, own.zz, own.xy, own.xz, own.yz};
    for (int n = 0; n < 3; n++) {
      const double *first = &inertia.h.x, *moment = &h.a.x;
      for (int e = 0; e < 3; e++) {
        x[HINGED_H0 + 3 * n + e] += f[n] * first[e];
        x[HINGED_N0 + 3 * n + e] += f[n] * moment[e];
      }
    }
    for (int e = 0; e < 6; e++) {
      x[HINGED_J0 + e] += f[0] * k[e];
      x[HINGED_J1 + e] += f[3] * k[e];
      x[HINGED_J2 + e] += f[4] * k[e];
    }
    x[HINGED_SELF] += f[0] * sv_dot(screw, h);
  }
  const int p = b->np;
  for (int i = 0; i < HINGED_FIELDS; i++) number(b, x[i]);
  return p;
}

static void write_body(program *b, const lane_member *m, begun *g)
{
  const int nz = b->nv + b->ns;
  const bool first = !g->any;
  arguments a = {0};
  if (is_hinged(b, m)) {
    const int bias = t_of(b, m->first, nz);
    put(&a, m->circle), put(&a, hinged(b, m)), put(&a, m->u[0]), put(&a, bias >= 0 ? bias : -1);
    put(&a, m->force), put(&a, b->inertia), put(&a, b->push), put(&a, b->f), put(&a, b->d);
    put(&a, b->q), put(&a, first);
    put_columns(b, m, &a, g);
    write(b, LANE_INERTIA, LANE_HINGED, &a);
    return;
  }
  const int p_body = number(b, m->mass);
  vector(b, m->cg);
  const s3 j = m->inertia;
  number(b, j.xx), number(b, j.yy), number(b, j.zz), number(b, j.xy), number(b, j.xz),
      number(b, j.yz);
  put(&a, m->r), put(&a, m->p), put(&a, p_body), put(&a, m->v), put(&a, m->b);
  put(&a, m->k[nz]), put(&a, m->force), put(&a, b->inertia), put(&a, b->push);
  put(&a, b->f), put(&a, b->d), put(&a, b->q), put(&a, first);
  put_columns(b, m, &a, g);
  write(b, LANE_INERTIA, LANE_BODY, &a);
}

// Fields that are summed up from nothing in every evaluation.
static void lay_sums(program *b)
{
  const int nz = b->nv + b->ns;
  b->zero = b->nw;
  for (int i = 0; i < b->n; i++)
    if (!b->m[i].rotor) b->m[i].force = field(b, 6);
  b->q = field(b, nz);
  b->power = field(b, 1);
  b->outside = field(b, 6);
  b->nzero = b->nw - b->zero;
  b->f = field(b, 6 * nz);
  b->d = field(b, nz * (nz + 1) / 2);
  b->inertia = field(b, 9);
  b->push = field(b, 6);
  b->y = field(b, b->nv * (7 + b->ns));
  b->out = field(b, LANE_NSUM);
}

static const char *write_dynamics(program *b)
{
  const jn_system *s = b->s;
  int turns[LANE_COORDS];
  lay_sums(b);
  WRITE(LANE_FACTORS, LANE_ZERO, b->zero, b->nzero);
  for (int i = 0; i < b->n; i++)
    if (!b->m[i].rotor) write_columns(b, &b->m[i]);

  for (int i = 0; i < LANE_COORDS; i++) turns[i] = -1;
  arguments wrap = {0}, unit = {0}, correct = {0}, rates = {0};
  put(&wrap, 0), put(&unit, 0), put(&correct, 0), put(&rates, 0);
  for (int i = 0; i < b->n; i++) {
    lane_member *m = &b->m[i];
    if (m->rotor) continue;
    const jn_tree_joint *j = &s->joint[m->body];
    link_joint(b, m);
    const bool ball = j->kind == JN_TREE_SPHERICAL;
    for (int k = 0; k < (ball ? 1 : m->ncoord); k++) {
      const int q = m->q + k;
      bool any = false;
      put(&rates, q), put(&correct, q);
      for (int c = 0; c < 3; c++) {  // of a ball all three, else its own
        const bool has = ball || c == 0;
        const int column = has ? b->column[m->first + k + c] : b->nrow;
        put(&rates, has ? m->u[k + c] : -1);
        put(&correct, column < b->nrow ? b->correction + column : -1);
        any |= column < b->nrow;
      }
      put(&rates, ball), put(&correct, ball);
      rates.a[0]++;
      if (any)
        correct.a[0]++;
      else
        correct.n -= 5;
      if (ball) put(&unit, q), unit.a[0]++;
      if (!wraps(j->kind)) continue;
      turns[m->first + k] = field(b, 1);
      link(b, LANE_TURNS, turns[m->first + k], j->q + k);
      put(&wrap, q), put(&wrap, turns[m->first + k]), wrap.a[0]++;
    }
  }
  double mass = 0.0;
  begun sums = {0};
  for (int i = 0; i < b->n; i++) {
    if (b->m[i].rotor) continue;
    write_body(b, &b->m[i], &sums);
    mass += b->m[i].mass;
  }
  WRITE(LANE_INERTIA, LANE_ELIMINATE, b->nv, b->ns, b->inertia, b->push, b->f, b->d, b->q,
        number(b, mass), b->y, b->out, b->power, b->outside);

  // Force elements come last, so that a further one leaves all other lists as they are.
  int list[ELEMENTS];
  const int n = find_springs(b, list);
  if (n < 0) return "it has too many springs";
  for (int i = 0; i < n; i++) write_spring(b, list[i]);
  write_torsions(b, turns);
  for (int i = 0; i < s->nwheel; i++) {
    if (member_of(b, s->wheel[i].body) < 0) continue;
    const char *why = write_wheel(b, i);
    if (why) return why;
    const int own = member_of(b, s->wheel[i].body);
    if (b->m[own].rotor) {
      const int turn = field(b, 1);
      link(b, LANE_TURNS, turn, s->joint[b->m[own].body].q);
      put(&wrap, b->m[own].q), put(&wrap, turn), wrap.a[0]++;
    }
  }
  WRITE(LANE_REPLY, LANE_ANSWER, b->nv, b->ns, b->y, 0);
  write(b, LANE_RATE, LANE_RATES, &rates);
  if (correct.a[0] && s->opts.stabilize != JN_STABILIZE_NONE)
    write(b, LANE_CLOSE, LANE_CORRECT, &correct);
  if (wrap.a[0]) write(b, LANE_CLOSE, LANE_WRAP, &wrap);
  if (unit.a[0]) write(b, LANE_CLOSE, LANE_UNIT, &unit);
  return NULL;
}

// ---- the whole ------------------------------------------------------------------------------------

static void begin(program *b, const jn_system *s, int subsystem, int shared)
{
  memset(b, 0, sizeof *b);
  b->s = s;
  b->subsystem = subsystem;
  b->top = s->body_of_node[s->model->subsystem[subsystem].parent];
  b->shared = shared;
  b->ns = shared >= 0;
  b->worst = b->shared_r = b->shared_p = b->shared_v = b->shared_s = -1;
}

static const char *measure(program *b)
{
  const char *why = find_members(b);
  if (why) return why;
  merge_rotors(b);
  int list[CUTS];
  const int n = find_cuts(b->s, b->subsystem, list);
  if (n < 0) return "it has too many loops";
  for (int i = 0; i < n; i++) b->nrow += b->s->cut[list[i]].nrow;
  if (b->nrow > LANE_ROWS) return "its loops have more than six rows";
  b->nv = b->ncoord - b->nrow;
  if (b->nv < 1) return "it has no freedom of its own";
  if (b->nv + b->ns > LANE_Z) return "it has more than four freedoms";
  if (b->shared >= 0) {
    const jn_tree_joint *j = &b->s->joint[b->shared];
    if (j->kind != JN_TREE_TRANSLATIONAL && j->kind != JN_TREE_REVOLUTE)
      return "its loops end on a core body whose joint is neither revolute nor translational";
    if (b->s->body[b->shared].parent != b->top)
      return "its loops end on a core body that does not hang on its own";
  }
  return NULL;
}

static const char *write_all(program *b, const program *like)
{
  const char *why = measure(b);
  if (why) return why;
  for (int i = 0; i < b->ncoord; i++) b->column[i] = i;
  for (int i = 0; i < b->nrow; i++) b->row[i] = i;
  if (b->nrow) {  // once to see the rows, once more in the order chosen
    why = write_poses(b);
    if (!why && b->full) why = "it is too large";
    if (!why) why = choose(b, like);
    if (why) return why;
    program *fresh = malloc(sizeof *fresh);
    if (!fresh) return "memory is exhausted";
    begin(fresh, b->s, b->subsystem, b->shared);
    why = measure(fresh);
    memcpy(fresh->column, b->column, sizeof b->column);
    memcpy(fresh->row, b->row, sizeof b->row);
    memcpy(fresh->first, b->first, sizeof b->first);
    *b = *fresh;
    free(fresh);
    if (why) return why;
  }
  const int nz = b->nv + b->ns;
  why = write_poses(b);
  if (why) return why;
  if (b->nrow) {
    const int p_first = b->np;
    for (int i = 0; i < b->nrow; i++) number(b, b->first[i]);
    b->worst = field(b, 1);
    WRITE(LANE_FACTORS, LANE_FACTOR, b->nrow, nz, b->j, b->lu, b->t, b->worst, p_first);
    const bool delayed = b->s->opts.stabilize == JN_STABILIZE_DELAYED;
    WRITE(LANE_MOTION, LANE_SOLVE, b->nrow, nz, b->lu, b->side, b->t, b->correction, 0,
          delayed ? 2 : 1);
    if (b->s->opts.stabilize == JN_STABILIZE_PROJECTION)
      WRITE(LANE_OPEN, LANE_SOLVE, b->nrow, nz, b->lu, b->side, b->t, b->correction, 1, 1);
  }
  WRITE(LANE_RATE, LANE_SPEEDS, b->nv, 0, b->ns, b->z, b->nrow, nz, b->t, b->u);
  why = write_dynamics(b);
  return why ? why : b->full ? "it is too large" : NULL;
}

bool jn_lane_program(const jn_system *s, int subsystem, int shared, const lane_program *like,
                     lane_program *b, const char **why)
{
  begin(b, s, subsystem, shared);
  *why = write_all(b, like);
  return !*why;
}
