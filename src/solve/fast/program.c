// program.c: the program of one subsystem.
#include "solve/fast/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/curve.h"
#include "solve/fast/kernels.h"
#include "solve/fast/program_write.h"
#include "solve/general/dense_core.h"
#include "solve/general/general.h"

// ---- members --------------------------------------------------------------------------------------

static const jn_wheel *wheel_on(const jn_system *s, int body)
{
  for (int i = 0; i < s->nwheel; i++)
    if (s->wheel[i].body == body) return &s->wheel[i];
  return NULL;
}

// All but those with a massless arm, whose screw turns with it, and those whose slide is turned by a ball.
bool jn_lane_has_joint(const jn_tree_joint *j)
{
  for (int i = 0; i < j->nmove; i++)
    if (j->move[i].kind == JN_MOVE_ARM || (i > 0 && j->move[i - 1].kind == JN_MOVE_SPHERE))
      return false;
  return true;
}

// A joint whose coordinates come from outside: those of a core body, or what is prescribed.
static const char *add_given(lane_program *b, lane_member *m, int core)
{
  const jn_tree_joint *j = &b->s->joint[m->body];
  const int nv = j->drive >= 0 ? 1 : j->nv, nq = j->drive >= 0 ? 1 : j->nq;
  if (b->ns + nv > LANE_Z || b->nsq + nq > 2 * LANE_Z)
    return "it moves with too many coordinates of core bodies";
  m->given = true;
  m->first = LANE_OWN + b->ns;
  m->ncoord = nv;
  m->q = b->nsq;
  const int body = j->drive >= 0 ? -1 : core;
  for (int i = 0; i < nv; i++)
    b->given[b->ns++] = (lane_given){body, i, core >= 0 ? j->drive : -1, false, 0.0};
  const bool turns = j->nmove && jn_move_is_angle(&j->move[0]);
  for (int i = 0; i < nq; i++)
    b->given_q[b->nsq++] =
        (lane_given){body, i, core >= 0 ? j->drive : -1, turns, j->sphere == i ? 1.0 : 0.0};
  return NULL;
}

static const char *add_member(lane_program *b, int body, int up)
{
  const jn_system *s = b->s;
  const jn_tree_joint *j = &s->joint[body];
  if (b->n == LANE_BODIES) return "it has too many bodies";
  b->joint = j->edge;
  if (!jn_lane_has_joint(j)) return "lanes have no operation for joints of its kind";
  if (!lane_is_identity(j->turn)) return "the axes given on its two bodies differ";
  b->joint = -1;
  lane_member *m = &b->m[b->n++];
  *m = (lane_member){
      .body = body, .up = up, .r = -1, .p = -1, .v = -1, .b = -1, .force = -1, .circle = -1};
  m->rotor = jn_lane_is_rotor(s, body);
  m->mass = s->body[body].mass;
  m->cg = s->body[body].cg;
  m->inertia = s->body[body].inertia;
  if (m->rotor) return NULL;
  if (j->drive >= 0) return add_given(b, m, body);
  m->first = b->ncoord;
  m->ncoord = j->nv;
  b->ncoord += j->nv;
  return b->ncoord > LANE_OWN ? "it has too many coordinates" : NULL;
}

// ---- core bodies that it is jointed to --------------------------------------------------------------
//
// Beside the parent body a subsystem may hang on other core bodies, or its cut joints end on them: a steering rack, one half of
// an anti-roll bar. Their joints' coordinates come from outside and are columns like its own. Such a body is a member that
// stands in for it, without mass, and so are those between it and the parent body.
//
// Subsystems that are alike in shape share a group if their lists are the same. So each has the members that any of them needs;
// in those that end nearer to the parent body, joints at rest take the place of what is missing.

typedef struct attachment {  // core bodies from below the parent body to the one it is jointed to
  int n, body[LANE_CHAIN];
} attachment;

typedef struct attached {
  int n;  // one for each body, two for each cut joint
  attachment at[LANE_BODIES + 2 * LANE_CUTS];
} attached;

static bool climb(const jn_system *s, int parent, int body, attachment *a)
{
  a->n = 0;
  if (body < s->nframe) body = 0;
  for (; body != parent; body = s->body[body].parent) {
    if (a->n == LANE_CHAIN || body < s->nframe) return false;
    a->body[a->n++] = body;
  }
  for (int i = 0; i < a->n / 2; i++) {
    const int t = a->body[i];
    a->body[i] = a->body[a->n - 1 - i], a->body[a->n - 1 - i] = t;
  }
  return true;
}

static bool find_attached(const jn_system *s, int subsystem, attached *a)
{
  const jn_subsystem *k = &s->model->subsystem[subsystem];
  const int parent = lane_parent_of(s, subsystem);
  int list[LANE_CUTS];
  const int ncut = jn_lane_find_cuts(s, subsystem, list);
  a->n = 0;
  if (ncut < 0 || k->nbody > LANE_BODIES) return false;
  for (int i = 0; i < k->nbody + 2 * ncut; i++) {
    const int c = (i - k->nbody) / 2, second = (i - k->nbody) % 2;
    const int body = i < k->nbody ? s->body[s->body_of_node[k->node[i]]].parent
                     : second     ? s->cut[list[c]].b
                                  : s->cut[list[c]].a;
    a->at[a->n] = (attachment){0};
    if (lane_is_core(s, body) && !climb(s, parent, body, &a->at[a->n])) return false;
    a->n++;
  }
  return true;
}

enum { LANE_LIKES = 16 };

typedef struct likes {  // subsystems that could share a group, the own one first
  int n;
  attached a[LANE_LIKES];
} likes;

static bool find_likes(const lane_program *b, likes *l)
{
  const jn_model *m = b->s->model;
  const jn_subsystem *own = &m->subsystem[b->subsystem];
  if (!find_attached(b->s, b->subsystem, &l->a[0])) return false;
  l->n = 1;
  for (int i = 0; i < m->nsubsystem && l->n < LANE_LIKES; i++) {
    const jn_subsystem *k = &m->subsystem[i];
    if (i == b->subsystem || k->shape != own->shape || k->parent != own->parent) continue;
    if (find_attached(b->s, i, &l->a[l->n]) && l->a[l->n].n == l->a[0].n) l->n++;
  }
  return true;
}

// The body at a depth of an attachment in the first of those alike that has one, -1: none has; -2: their joints differ.
static int body_at(const jn_system *s, const likes *l, int i, int depth)
{
  int found = -1;
  for (int k = 0; k < l->n; k++) {
    const attachment *a = &l->a[k].at[i];
    if (a->n <= depth) continue;
    if (found < 0)
      found = a->body[depth];
    else if (s->joint[a->body[depth]].kind != s->joint[found].kind ||
             (s->joint[a->body[depth]].drive >= 0) != (s->joint[found].drive >= 0))
      return -2;
  }
  return found;
}

static bool same_in_all(const likes *l, int i, int j, int depth)
{
  for (int k = 0; k < l->n; k++) {
    const attachment *x = &l->a[k].at[i], *y = &l->a[k].at[j];
    if ((x->n > depth) != (y->n > depth) || (x->n > depth && x->body[depth] != y->body[depth]))
      return false;
  }
  return true;
}

static const char *add_stand_in(lane_program *b, int body, int core, int up)
{
  if (b->n == LANE_BODIES) return "it has too many bodies";
  b->m[b->n] = (lane_member){.body = core >= 0 ? core : body,
                             .up = up,
                             .stands_in = true,
                             .rests = core < 0,
                             .r = -1,
                             .p = -1,
                             .v = -1,
                             .b = -1,
                             .force = -1,
                             .circle = -1};
  return add_given(b, &b->m[b->n++], core);
}

// Members for the core bodies that it is jointed to. last: of each attachment.
static const char *find_core_members(lane_program *b, likes *l, int *last)
{
  const jn_system *s = b->s;
  int of[LANE_BODIES], depths[LANE_BODIES];
  for (int i = 0; i < l->a[0].n; i++) {
    last[i] = -1;
    for (int depth = 0;; depth++) {
      const int body = body_at(s, l, i, depth);
      if (body == -2 && l->n > 1) {  // it has no like
        l->n = 1;
        b->n = b->ns = b->nsq = 0;
        return find_core_members(b, l, last);
      }
      if (body < 0) break;
      int m = 0;
      while (m < b->n &&
             !(b->m[m].up == last[i] && depths[m] == depth && same_in_all(l, i, of[m], depth)))
        m++;
      if (m == b->n) {
        const attachment *own = &l->a[0].at[i];
        b->joint = s->joint[body].edge;
        if (s->joint[body].kind == JN_TREE_BASE) return "it is jointed to what lies beyond";
        b->joint = -1;
        of[m] = i, depths[m] = depth;
        const char *why = add_stand_in(b, body, own->n > depth ? own->body[depth] : -1, last[i]);
        if (why) return why;
      }
      last[i] = m;
    }
  }
  return NULL;
}

// A core body: joints between it and the parent body, then its own, whose coordinates are all given. like: body whose joint stands
// at each place.
static const char *find_core_body(lane_program *b, const int *like, int before)
{
  attachment a;
  if (!climb(b->s, b->parent, b->core, &a)) return "it is too far from the parent body";
  for (int i = 0; i < before; i++) {
    const int own = i - (before - (a.n - 1));
    const char *why = add_stand_in(b, like[i], own >= 0 ? a.body[own] : -1, i - 1);
    if (why) return why;
  }
  lane_member *m = &b->m[b->n++];
  *m = (lane_member){.body = b->core,
                     .up = before - 1,
                     .r = -1,
                     .p = -1,
                     .v = -1,
                     .b = -1,
                     .force = -1,
                     .circle = -1,
                     .mass = b->s->body[b->core].mass,
                     .cg = b->s->body[b->core].cg,
                     .inertia = b->s->body[b->core].inertia};
  return add_given(b, m, b->core);
}

// Parents first, otherwise as the plan has them: alike in all that are alike.
static const char *find_members(lane_program *b)
{
  const jn_system *s = b->s;
  const jn_subsystem *k = &s->model->subsystem[b->subsystem];
  int last[LANE_BODIES + 2 * LANE_CUTS];
  if (k->nbody > LANE_BODIES) return "it has too many bodies";
  likes *l = calloc(1, sizeof *l);
  if (!l) return "memory is exhausted";
  const char *none = find_likes(b, l) ? find_core_members(b, l, last)
                                      : "it is jointed to core bodies that are too far apart";
  const int nattached = l->a[0].n;
  free(l);
  if (none) return none;
  for (int i = k->nbody; i < nattached; i++)
    b->end[(i - k->nbody) / 2][(i - k->nbody) % 2] = last[i];
  for (int placed = 0; placed < k->nbody;) {
    const int before = placed;
    for (int i = 0; i < k->nbody; i++) {
      const int body = s->body_of_node[k->node[i]], parent = s->body[body].parent;
      if (lane_member_of(b, body) >= 0) continue;
      const int up = lane_is_core(s, parent) ? last[i] : lane_member_of(b, parent);
      if (up < 0 && !lane_is_core(s, parent)) continue;
      if (up >= 0 && b->m[up].rotor) continue;
      const char *why = add_member(b, body, up);
      if (why) return why;
      placed++;
    }
    if (placed == before) return "bodies hang on a wheel body";
  }
  return NULL;
}

// A rotor's mass and what it has across its axis go to its carrier.
static void merge_rotors(lane_program *b)
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

// ---- joints ---------------------------------------------------------------------------------------

static int u_field(const lane_program *b, int coordinate)
{
  const int c = b->column[coordinate];
  return c < b->nrow ? b->u + c : b->z + (c - b->nrow);
}

// Hinged on the parent about a principal axis: then its inertia has no first harmonic of the angle.
static bool is_hinged(const lane_program *b, const lane_member *m)
{
  if (m->stands_in) return false;
  const jn_tree_joint *j = &b->s->joint[m->body];
  const v3 about = s3_mul_v3(m->inertia, j->axis);
  const double size = m->inertia.xx + m->inertia.yy + m->inertia.zz;
  return m->up < 0 && j->kind == JN_JOINT_REVOLUTE &&
         v3_norm(v3_axpy(-v3_dot(about, j->axis), j->axis, about)) <= 1e-14 * size;
}

// As the plan has it, if there is one: numbers may be more special than it, not less.
static const char *find_hinged(lane_program *b)
{
  const jn_system *like = b->s->like;
  for (int i = 0; i < b->n; i++) {
    lane_member *m = &b->m[i];
    lane_place p;
    m->hinged = !m->rotor && is_hinged(b, m);
    if (!like || m->rotor || !jn_lane_find_body(like, like->lane, m->body, &p) || p.group < 0)
      continue;
    const bool planned = like->lane->group[p.group].pose[p.lane * LANE_BODIES + p.member].hinged;
    if (planned && !m->hinged) {
      b->joint = b->s->joint[m->body].edge;
      return "the plan has its axis as a principal axis of the inertia of its second body";
    }
    m->hinged = planned;
  }
  return NULL;
}

// Is more asked of a body hinged on the parent than points, which its angle gives?
static bool wants_directions(const jn_cut *c)
{
  for (int r = 0; r < c->nrow; r++)
    if (c->rows[r].shape.kind != JN_ROW_POINT && c->rows[r].shape.kind != JN_ROW_DISTANCE)
      return true;
  return false;
}

static bool needs_rotation(const lane_program *b, const lane_member *m)
{
  const jn_system *s = b->s;
  for (int i = 0; i < b->n; i++)
    if (b->m[i].up >= 0 && &b->m[b->m[i].up] == m) return true;
  int list[LANE_CUTS];
  const int n = jn_lane_find_cuts(s, b->subsystem, list);
  for (int i = 0; i < n; i++) {
    const jn_cut *c = &s->cut[list[i]];
    for (int e = 0; e < 2; e++) {
      const lane_end end = lane_end_of(b, e ? c->b : c->a, b->end[i][e]);
      if (end.member >= 0 && &b->m[end.member] == m && wants_directions(c)) return true;
    }
  }
  if (m->stands_in) return false;
  return wheel_on(s, m->body) != NULL || jn_lane_element_turns(s, m->body) || !m->hinged;
}

static bool turns(const jn_tree_joint *j)
{
  for (int i = 0; i < j->nmove; i++)
    if (jn_move_is_angle(&j->move[i])) return true;
  return false;
}

static bool travels(const jn_tree_joint *j)
{
  for (int i = 0; i < j->nmove; i++)
    if (j->move[i].kind != JN_MOVE_TURN && j->move[i].kind != JN_MOVE_SPHERE) return true;
  return false;
}

static int directions(lane_program *b, const jn_tree_joint *j)
{
  const int at = b->np;
  for (int i = 0; i < j->nmove; i++) {
    lane_vector(b, j->move[i].own);
    if (j->move[i].kind == JN_MOVE_SCREW) lane_number(b, j->move[i].pitch);
  }
  return at;
}

static void write_joint(lane_program *b, lane_member *m)
{
  jn_tree_joint joint = b->s->joint[m->body];
  const jn_tree_joint *j = &joint;
  if (m->rests) joint.at = v3_set(0, 0, 0);  // it stands where what it hangs on stands
  const bool on_parent = m->up < 0, hinge = on_parent && j->kind == JN_JOINT_REVOLUTE;
  const lane_member *up = on_parent ? NULL : &b->m[m->up];
  const int ru = on_parent ? -1 : up->r, pu = on_parent ? -1 : up->p;
  if (!m->given) {
    m->q = b->nq;
    b->nq += j->nq;
  }
  m->s = lane_field(b, 6 * m->ncoord);
  for (int k = 0; k < m->ncoord; k++) m->u[k] = u_field(b, m->first + k);
  const int p_at = lane_vector(b, j->at), p_own = directions(b, j);
  m->p = lane_field(b, 3);
  m->r = ru;
  if (turns(j)) m->r = hinge && !needs_rotation(b, m) ? -1 : lane_field(b, 9);
  if (hinge) m->circle = lane_field(b, 2);
  const bool stands = on_parent && !travels(j), screws_stand = on_parent && j->nmove == 1;
  if (stands) lane_constant(b, m->p, j->at);
  if (screws_stand) {
    const double design[4] = {j->sphere >= 0 ? 1.0 : 0.0};
    sv screw[6];
    jn_general_screws(j, design, screw);
    for (int k = 0; k < m->ncoord; k++) lane_constant_screw(b, m->s + 6 * k, screw[k]);
  }
  if (stands && !j->nmove) return;
  LANE_WRITE(LANE_POSE, LANE_JOINT, (int)j->kind, m->q, p_at, p_own, ru, pu, turns(j) ? m->r : -1,
             stands ? -1 : m->p, screws_stand || !m->ncoord ? -1 : m->s, m->circle, m->given);
}

// Poses and rows: all that the choice of dependent coordinates needs.
static const char *write_poses(lane_program *b)
{
  const int nz = b->nv + b->ns;
  b->z = lane_field(b, nz);
  b->u = lane_field(b, b->nrow);
  const int nall = b->nrow + b->nredundant;
  b->j = lane_field(b, nall * (b->nrow + nz));
  b->lu = lane_field(b, b->nrow * b->nrow);
  b->t = lane_field(b, b->nrow * (nz + 1));
  b->side = lane_field(b, 2 * nall);
  b->correction = lane_field(b, b->nrow);
  for (int i = 0; i < b->ns; i++) b->column[LANE_OWN + i] = b->nrow + b->nv + i;
  for (int i = 0; i < b->n; i++) {
    lane_member *m = &b->m[i];
    if (m->rotor) continue;
    const jn_tree_joint *j = &b->s->joint[m->body];
    const lane_member *up = m->up < 0 ? NULL : &b->m[m->up];
    if (!m->ncoord && up) {  // it moves as its parent does
      m->v = up->v, m->b = up->b;
      continue;
    }
    m->v = lane_field(b, 6);
    m->b = up || jn_moves_carried(j->move, j->nmove) ? lane_field(b, 6) : -1;
  }
  for (int i = 0; i < b->n; i++)
    if (!b->m[i].rotor) write_joint(b, &b->m[i]);
  for (int i = 0; i < b->n; i++) {  // biases of loops come after motions
    lane_member *m = &b->m[i];
    if (m->rotor || !m->ncoord) continue;
    lane_arguments a = {0};
    const jn_tree_joint *j = &b->s->joint[m->body];
    const lane_member *up = m->up < 0 ? NULL : &b->m[m->up];
    lane_put(&a, up ? up->v : -1), lane_put(&a, up ? up->b : -1), lane_put(&a, m->v),
        lane_put(&a, m->b);
    lane_put(&a, jn_moves_carried(j->move, j->nmove)), lane_put(&a, m->ncoord);
    for (int k = 0; k < m->ncoord; k++) lane_put(&a, m->s + 6 * k);
    for (int k = 0; k < m->ncoord; k++) lane_put(&a, m->u[k]);
    lane_write(b, LANE_MOTION, LANE_BODY_MOTION, &a);
  }
  int list[LANE_CUTS], row = 0;
  const int n = jn_lane_find_cuts(b->s, b->subsystem, list);
  for (int i = 0; i < n; i++) {
    const char *why = jn_lane_write_cut(b, list[i], i, &row);
    if (why) return why;
  }
  return NULL;
}

// ---- choice of dependent coordinates --------------------------------------------------------------

// Rows at the initial state, in the order of the file and of the coordinates.
static bool initial_rows(const lane_program *b, double *a)
{
  const jn_system *s = b->s;
  const size_t nw = (size_t)b->nw * LANES, np = (size_t)b->np * LANES, nq = (size_t)b->nq * LANES,
               nshared = (size_t)(b->nsq + 2 * b->ns) * LANES,
               n = nw + np + nq + nshared + LANE_NPARENT;
  double *w = aligned_alloc(64, (n * sizeof *w + 63) / 64 * 64);
  if (!w) return false;
  double *p = w + nw, *q = p + np, *shared = q + nq, *parent = shared + nshared;
  memset(w, 0, n * sizeof *w);
  for (int i = 0; i < b->nw; i++) w[LANES * i] = b->image[i];
  for (int i = 0; i < b->np; i++) p[LANES * i] = b->p[i];
  for (int i = 0; i < b->n; i++) {
    const jn_tree_joint *j = &s->joint[b->m[i].body];
    if (b->m[i].rotor || b->m[i].given) continue;
    for (int k = 0; k < j->nq; k++) q[LANES * (b->m[i].q + k)] = s->y0[j->q + k];
  }
  for (int i = 0; i < b->nsq; i++) {  // what is prescribed is zero in the design position
    const lane_given *k = &b->given_q[i];
    shared[LANES * i] = k->body >= 0 ? s->y0[s->joint[k->body].q + k->index] : k->rest;
  }
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
                      .parent = parent,
                      .in = q,
                      .shared = shared,
                      .table = s->table};
  jn_lane_narrow.list(op, l->nop, 1, &r);
  const int width = b->nrow + b->nv + b->ns;
  for (int i = 0; i < b->nrow; i++)
    for (int k = 0; k < b->ncoord; k++) {
      const int column = b->column[k];
      const double x = w[LANES * (b->j + i * width + column)];
      a[i * b->ncoord + k] = column < b->nrow ? x : -x;
    }
  free(w);
  return true;
}

// Pivots of the dependent columns in the order that is set.
static void pivots_of(lane_program *b, const double *a)
{
  double m[LANE_ROWS][LANE_ROWS];
  for (int i = 0; i < LANE_ROWS; i++)
    for (int k = 0; k < b->ncoord && b->row[i] < b->nrow; k++)
      if (b->column[k] < b->nrow) m[b->row[i]][b->column[k]] = a[i * b->ncoord + k];
  for (int p = 0; p < b->nrow; p++) {
    b->first[p] = fabs(m[p][p]);
    for (int i = p + 1; i < b->nrow; i++) {
      const double f = m[i][p] / m[p][p];
      for (int k = p; k < b->nrow; k++) m[i][k] -= f * m[p][k];
    }
  }
}

// How small a pivot is, in the order that is set, beside what is left of its row and of its column when its turn comes: 1 where each
// is the largest, as in an order of the subsystem's own. Its inverse bounds the multipliers of the elimination, and what one coordinate
// that follows from others has of each of these. scaled: rows and columns are comparable.
static double least_pivot(const lane_program *b, const double *scaled)
{
  double m[LANE_ROWS][LANE_OWN], least = 1.0;
  for (int i = 0; i < b->nrow + b->nredundant; i++)
    for (int k = 0; k < b->ncoord && b->row[i] < b->nrow; k++)
      m[b->row[i]][b->column[k]] = scaled[i * b->ncoord + k];
  for (int p = 0; p < b->nrow; p++) {
    double most = 0.0;
    for (int k = p; k < b->ncoord; k++) most = fmax(most, fabs(m[p][k]));
    for (int i = p; i < b->nrow; i++) most = fmax(most, fabs(m[i][p]));
    if (!(fabs(m[p][p]) > 0.0)) return 0.0;
    least = fmin(least, fabs(m[p][p]) / most);
    for (int i = p + 1; i < b->nrow; i++) {
      const double f = m[i][p] / m[p][p];
      for (int k = p; k < b->ncoord; k++) m[i][k] -= f * m[p][k];
    }
  }
  return least;
}

// Extent of the subsystem's loops in the design position: a length that compares with an angle of 1. That of the whole vehicle
// would make a slide of a suspension, which hardly moves a tie rod, look as if it moved it most.
static double size_of_loops(const lane_program *b)
{
  const jn_system *s = b->s;
  v3 low = v3_set(INFINITY, INFINITY, INFINITY), high = v3_neg(low);
  int list[LANE_CUTS];
  const int n = jn_lane_find_cuts(s, b->subsystem, list);
  for (int i = 0; i < b->n + 2 * n; i++) {
    const jn_cut *c = i < b->n ? NULL : &s->cut[list[(i - b->n) / 2]];
    const bool second = (i - b->n) % 2;
    const int body = !c ? b->m[i].body : second ? c->b : c->a;
    v3 p = s->body[body].anchor;
    if (c) p = v3_add(p, second ? c->at_b : c->at_a);
    low = v3_make(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
    high = v3_make(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
  }
  const v3 e = v3_sub(high, low);
  const double size = fmax(e.x, fmax(e.y, e.z));
  return size > 1e-6 ? size : 1.0;
}

static const lane_group *planned_group(const lane_program *b)  // NULL: there is no plan
{
  const jn_system *like = b->s->like;
  for (int g = 0; like && g < like->lane->ngroup; g++)
    for (int i = 0; i < like->lane->group[g].lanes; i++)
      if (like->lane->group[g].subsystem[i] == b->subsystem) return &like->lane->group[g];
  return NULL;
}

static void take_order(lane_program *b, const int *column, const int *row)
{
  memcpy(b->column, column, (size_t)b->ncoord * sizeof *column);
  memcpy(b->row, row, (size_t)b->nrow * sizeof *row);
}

// Rows and columns made comparable: angles, and lengths over the size of the loops.
static void scale_rows(const lane_program *b, double *a)
{
  const jn_system *s = b->s;
  int list[LANE_CUTS], row = 0;
  const int n = jn_lane_find_cuts(s, b->subsystem, list);
  const double size = size_of_loops(b);
  for (int i = 0; i < n; i++)
    for (int r = 0; r < s->cut[list[i]].nrow; r++, row++) {
      const bool angle = s->row_angle[s->cut[list[i]].row + r];
      for (int m = 0; m < b->n; m++)
        for (int k = 0; k < b->m[m].ncoord && !b->m[m].given; k++)
          a[row * b->ncoord + b->m[m].first + k] *=
              (angle ? 1.0 : 1.0 / size) *
              (s->coordinate_angle[s->joint[b->m[m].body].v + k] ? 1.0 : size);
    }
}

// An order found elsewhere serves a subsystem that is alike if its pivots are no smaller than those that a run in lanes may
// fall to: a tenth. A plan is kept to a hundredth, where four digits are lost: to leave it is an error.
static bool order_serves(lane_program *b, const lane_group *plan, const lane_program *like,
                         const double *scaled)
{
  const int all = b->nrow, kept = plan ? plan->nrow : like->nrow,
            redundant = plan ? plan->nredundant : like->nredundant;
  if (all != kept + redundant) return false;
  // Of two wheel bodies alike one may be a rotor, which is no coordinate, and the other not.
  if (b->ncoord != (plan ? plan->ncoord : like->ncoord)) return false;
  take_order(b, plan ? plan->column : like->column, plan ? plan->row : like->row);
  b->nrow = kept, b->nredundant = redundant;
  if (least_pivot(b, scaled) >= (plan ? 0.01 : 0.1)) return true;
  b->nrow = all, b->nredundant = 0;
  return false;
}

static const char *choose(lane_program *b, const lane_program *like)
{
  double a[LANE_ROWS * LANE_OWN], scaled[LANE_ROWS * LANE_OWN], first[LANE_COORDS];
  int rows[LANE_ROWS], cols[LANE_COORDS];
  if (!initial_rows(b, a)) return "memory is exhausted";
  memcpy(scaled, a, sizeof a);
  scale_rows(b, scaled);
  const lane_group *plan = planned_group(b);
  if ((plan || like) && order_serves(b, plan, like, scaled)) {
    pivots_of(b, a);
    return NULL;
  }
  const int all = b->nrow;
  b->nrow = jn_pivots_choose(all, b->ncoord, scaled, 1e-6, rows, cols, first);
  b->nredundant = all - b->nrow;
  if (b->nredundant > b->s->model->redundant) return "its loops are near a singular position";
  for (int i = 0; i < all; i++) b->row[rows[i]] = i;
  // Independent ones in the order of the coordinates.
  for (int k = 0; k < b->ncoord; k++) b->column[k] = -1;
  for (int i = 0; i < b->nrow; i++) b->column[cols[i]] = i;
  for (int k = 0, at = b->nrow; k < b->ncoord; k++)
    if (b->column[k] < 0) b->column[k] = at++;
  pivots_of(b, a);
  const bool same = !plan || (!memcmp(b->column, plan->column, (size_t)b->ncoord * sizeof(int)) &&
                              !memcmp(b->row, plan->row, (size_t)b->nrow * sizeof(int)));
  return same ? NULL : "its loops are ill-conditioned in the coordinates that the plan has chosen";
}

// ---- columns --------------------------------------------------------------------------------------

// Does a body of the subsystem hang on it, at any depth?
static bool carries(const lane_program *b, const lane_member *m)
{
  for (int i = 0; i < b->n; i++)
    if (b->m[i].up >= 0 && &b->m[b->m[i].up] == m &&
        (b->m[i].stands_in ? carries(b, &b->m[i]) : !b->m[i].rotor))
      return true;
  return false;
}

static void write_columns(lane_program *b, lane_member *m)
{
  const int nz = b->nv + b->ns;
  const lane_member *up = m->up < 0 ? NULL : &b->m[m->up];
  const bool fixed = m->up < 0 && m->ncoord == 1;             // its screw is a constant
  if ((m->hinged || m->stands_in) && !carries(b, m)) return;  // it has no need of them
  lane_arguments columns = {0};
  int n = 0;
  for (int z = 0; z <= nz; z++) {
    const int from = up ? up->k[z] : -1;
    int t[6], own = 0;
    for (int k = 0; k < m->ncoord; k++) {
      t[k] = lane_t_of(b, m->first + k, z);
      own += t[k] != -1;
    }
    m->k[z] = from;
    if (!own) continue;
    if (fixed && t[0] == -2) {
      m->k[z] = m->s;
      continue;
    }
    m->k[z] = lane_field(b, 6);
    lane_put(&columns, from), lane_put(&columns, m->k[z]), lane_put_all(&columns, t, m->ncoord);
    n++;
  }
  if (!n) return;
  lane_arguments a = {0};
  lane_put(&a, n), lane_put(&a, m->ncoord);
  for (int k = 0; k < m->ncoord; k++) lane_put(&a, m->s + 6 * k);
  lane_put_all(&a, columns.a, columns.n);
  lane_write(b, LANE_MOTION, LANE_MOTIONS, &a);
}

// ---- dynamics -------------------------------------------------------------------------------------

// z and pairs of them that a body before has begun to sum. A z begins with the first body that moves with it, and so do its
// pairs, unless each of the two has begun with a body that does not move with the other: then the pair begins from zero.
typedef struct begun {
  bool any, z[LANE_Z], pair[LANE_Z][LANE_Z];
} begun;

static void begin_pairs(lane_program *b, const bool moves[LANE_Z], const bool fresh[LANE_Z],
                        begun *g)
{
  for (int z = 0; z < LANE_Z; z++)
    for (int y = 0; y < z && moves[z]; y++) {
      if (!moves[y] || g->pair[z][y]) continue;
      g->pair[z][y] = true;
      if (!fresh[z] && !fresh[y])
        LANE_WRITE(LANE_FACTORS, LANE_ZERO, b->d + z * (z + 1) / 2 + y, 1);
    }
}

static void put_columns(lane_program *b, const lane_member *m, lane_arguments *a, begun *g)
{
  const int nz = b->nv + b->ns, count = a->n;
  int n = 0;
  bool fresh[LANE_Z] = {false}, moves[LANE_Z] = {false};
  for (int z = 0; z < nz; z++) fresh[z] = !g->z[z];
  lane_put(a, 0);
  for (int z = 0; z < nz; z++) {
    const int k = m->hinged ? lane_t_of(b, m->first, z) : m->k[z];
    if (k == -1) continue;
    lane_put(a, z), lane_put(a, fresh[z]), lane_put(a, k), n++;
    g->z[z] = moves[z] = true;
  }
  begin_pairs(b, moves, fresh, g);
  if (count < LANE_ARGUMENTS) a->a[count] = n;
  g->any = true;
}

// Harmonics of the angle, from eight positions around the hinge.
static int hinged(lane_program *b, const lane_member *m)
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
  for (int i = 0; i < HINGED_FIELDS; i++) lane_number(b, x[i]);
  return p;
}

static void write_body(lane_program *b, const lane_member *m, begun *g)
{
  const int nz = b->nv + b->ns;
  const bool first = !g->any;
  lane_arguments a = {0};
  if (m->hinged) {
    const int bias = lane_t_of(b, m->first, nz);
    lane_put(&a, m->circle), lane_put(&a, hinged(b, m)), lane_put(&a, m->u[0]),
        lane_put(&a, bias >= 0 ? bias : -1);
    lane_put(&a, m->force), lane_put(&a, b->inertia), lane_put(&a, b->push), lane_put(&a, b->f),
        lane_put(&a, b->d);
    lane_put(&a, b->q), lane_put(&a, first);
    put_columns(b, m, &a, g);
    lane_write(b, LANE_INERTIA, LANE_HINGED, &a);
    return;
  }
  const int p_body = lane_number(b, m->mass);
  lane_vector(b, m->cg);
  const s3 j = m->inertia;
  lane_number(b, j.xx), lane_number(b, j.yy), lane_number(b, j.zz), lane_number(b, j.xy),
      lane_number(b, j.xz), lane_number(b, j.yz);
  lane_put(&a, m->r), lane_put(&a, m->p), lane_put(&a, p_body), lane_put(&a, m->v),
      lane_put(&a, m->b);
  lane_put(&a, m->k[nz]), lane_put(&a, m->force), lane_put(&a, b->inertia), lane_put(&a, b->push);
  lane_put(&a, b->f), lane_put(&a, b->d), lane_put(&a, b->q), lane_put(&a, first);
  put_columns(b, m, &a, g);
  lane_write(b, LANE_INERTIA, LANE_BODY, &a);
}

// Fields that are summed up from nothing in every evaluation.
static void lay_sums(lane_program *b)
{
  const int nz = b->nv + b->ns;
  b->zero = b->nw;
  for (int i = 0; i < b->n; i++)
    if (!b->m[i].rotor && !b->m[i].stands_in) b->m[i].force = lane_field(b, 6);
  b->q = lane_field(b, nz);
  b->power = lane_field(b, 1);
  b->outside = lane_field(b, 6);
  b->nzero = b->nw - b->zero;
  b->f = lane_field(b, 6 * nz);
  b->d = lane_field(b, nz * (nz + 1) / 2);
  b->inertia = lane_field(b, 9);
  b->push = lane_field(b, 6);
  b->y = lane_field(b, b->nv * (7 + b->ns));
  b->shared = lane_field(b, b->nv ? b->ns * (b->ns + 15) / 2 : 0);
  b->out = lane_field(b, LANE_NSUM);
}

static const char *write_dynamics(lane_program *b)
{
  const jn_system *s = b->s;
  int turns[LANE_COORDS];
  lay_sums(b);
  LANE_WRITE(LANE_FACTORS, LANE_ZERO, b->zero, b->nzero);
  for (int i = 0; i < b->n; i++)
    if (!b->m[i].rotor) write_columns(b, &b->m[i]);

  for (int i = 0; i < LANE_COORDS; i++) turns[i] = -1;
  lane_arguments wrap = {0}, unit = {0}, correct = {0}, rates = {0};
  lane_put(&wrap, 0), lane_put(&unit, 0), lane_put(&correct, 0), lane_put(&rates, 0);
  for (int i = 0; i < b->n; i++) {
    lane_member *m = &b->m[i];
    if (m->rotor || m->given) continue;
    const jn_tree_joint *j = &s->joint[m->body];
    lane_tie_joint(b, m);
    for (int k = 0; k < m->ncoord; k++) {
      const jn_move *move = jn_move_of(j->move, k);
      const bool ball = move->kind == JN_MOVE_SPHERE;
      const int q = m->q + move->q + (ball ? 0 : k - move->v);
      bool any = false;
      if (ball && k > move->v) continue;  // all three at once
      lane_put(&rates, q), lane_put(&correct, q);
      for (int c = 0; c < 3; c++) {  // of a ball all three, else its own
        const bool has = ball || c == 0;
        const int column = has ? b->column[m->first + k + c] : b->nrow;
        lane_put(&rates, has ? m->u[k + c] : -1);
        lane_put(&correct, column < b->nrow ? b->correction + column : -1);
        any |= column < b->nrow;
      }
      lane_put(&rates, ball), lane_put(&correct, ball);
      rates.a[0]++;
      if (any)
        correct.a[0]++;
      else
        correct.n -= 5;
      if (ball) lane_put(&unit, q), unit.a[0]++;
      if (!jn_move_wraps(move)) continue;
      turns[m->first + k] = lane_field(b, 1);
      lane_map_state(b, LANE_TURNS, turns[m->first + k], j->q + (q - m->q));
      lane_put(&wrap, q), lane_put(&wrap, turns[m->first + k]), wrap.a[0]++;
    }
  }
  double mass = 0.0;
  begun sums = {0};
  for (int i = 0; i < b->n; i++) {
    if (b->m[i].rotor || b->m[i].stands_in) continue;
    write_body(b, &b->m[i], &sums);
    mass += b->m[i].mass;
  }
  LANE_WRITE(LANE_INERTIA, LANE_ELIMINATE, b->nv, b->ns, b->inertia, b->push, b->f, b->d, b->q,
             lane_number(b, mass), b->y, b->out, b->power, b->outside, b->shared);

  // Force elements come last, so that a further one leaves all other operation lists as they are.
  int list[LANE_ELEMENTS];
  const int n = jn_lane_find_elements(b, list);
  if (n < 0) return "it has too many force elements";
  for (int i = 0; i < n; i++) jn_lane_write_element(b, list[i], turns);
  for (int i = 0; i < s->nwheel; i++) {
    const int own = lane_member_of(b, s->wheel[i].body);
    if (own < 0 || !jn_lane_takes_wheel(s, i)) continue;
    if (jn_lane_write_wheel(b, i)) {
      const int turn = lane_field(b, 1);
      lane_map_state(b, LANE_TURNS, turn, s->joint[b->m[own].body].q);
      lane_put(&wrap, b->m[own].q), lane_put(&wrap, turn), wrap.a[0]++;
    }
  }
  if (b->nv) LANE_WRITE(LANE_ACCELERATIONS, LANE_ACCELERATION, b->nv, b->ns, b->y, b->nsq + b->ns);
  lane_write(b, LANE_RATE, LANE_RATES, &rates);
  if (correct.a[0] && s->binding.opts.stabilize != JN_STABILIZE_NONE)
    lane_write(b, LANE_CLOSURE, LANE_CORRECT, &correct);
  if (wrap.a[0]) lane_write(b, LANE_CLOSURE, LANE_WRAP, &wrap);
  if (unit.a[0]) lane_write(b, LANE_CLOSURE, LANE_UNIT, &unit);
  return NULL;
}

// What rows of channels need. It comes last, so that it leaves all other operation lists as they are.
static void write_rows(lane_program *b)
{
  const int nz = b->nv + b->ns;
  b->accelerations = lane_field(b, b->ncoord + b->ns);
  LANE_WRITE(LANE_ROW, LANE_COORDINATES, b->nv, b->ns, b->nrow, b->t, b->accelerations,
             b->nsq + b->ns);
  for (int i = 0; i < b->n; i++) {
    lane_member *m = &b->m[i];
    if (m->rotor || (m->stands_in && !carries(b, m))) continue;
    lane_arguments a = {0};
    m->accel = lane_field(b, 6);
    lane_put(&a, m->up < 0 ? -1 : b->m[m->up].accel), lane_put(&a, m->accel);
    lane_put(&a, m->ncoord);
    for (int k = 0; k < m->ncoord; k++)
      lane_put(&a, m->s + 6 * k), lane_put(&a, b->accelerations + b->column[m->first + k]);
    lane_write(b, LANE_ROW, LANE_BODY_ACCELERATION, &a);
  }
  for (int i = 0; i < b->nlink; i++) {
    lane_state_map *k = &b->link[i];
    if (k->section == LANE_FOLLOWS && k->field >= b->u && k->field < b->u + b->nrow)
      k->second = b->accelerations + (k->field - b->u);
  }
  b->residuals = b->nrow ? lane_field(b, 2) : -1;
  if (b->nrow)
    LANE_WRITE(LANE_ROW, LANE_RESIDUALS, b->nrow, nz, b->j, b->side, b->u, b->z, b->residuals);
  for (int i = 0; i < b->nrow_of; i++) {
    const lane_row *k = &b->row_of[i];
    const int at = lane_field(b, k->nfield);
    lane_arguments a = {0};
    lane_put(&a, at), lane_put_all(&a, k->arg, k->narg);
    b->output[i] = k->of;
    b->output[i].field = at, b->output[i].op = b->list[LANE_ROW].nop;
    lane_write(b, LANE_ROW, k->op, &a);
  }
}

// ---- the whole ------------------------------------------------------------------------------------

static void begin(lane_program *b, const jn_system *s, int subsystem)
{
  memset(b, 0, sizeof *b);
  b->s = s;
  b->subsystem = subsystem;
  b->core = -1;
  if (subsystem >= 0) b->parent = lane_parent_of(s, subsystem);
  b->joint = b->worst = -1;
}

static const char *measure(lane_program *b)
{
  if (b->core >= 0) return NULL;
  const char *why = find_members(b);
  if (why) return why;
  merge_rotors(b);
  why = find_hinged(b);
  if (why) return why;
  int list[LANE_CUTS];
  const int n = jn_lane_find_cuts(b->s, b->subsystem, list);
  if (n < 0) return "it has too many loops";
  for (int i = 0; i < n; i++) b->nrow += b->s->cut[list[i]].nrow;
  if (b->nrow > LANE_ROWS) return "its loops have more than 32 rows";
  b->nrow -= b->nredundant;
  b->nv = b->ncoord > b->nrow ? b->ncoord - b->nrow : 0;  // less, where rows are redundant
  if (b->nv + b->ns > LANE_Z) return "it has more than 16 freedoms";
  return NULL;
}

static const char *write_all(lane_program *b, const lane_program *like)
{
  const char *why = measure(b);
  if (why) return why;
  for (int i = 0; i < b->ncoord; i++) b->column[i] = i;
  for (int i = 0; i < LANE_ROWS; i++) b->row[i] = i;
  if (b->nrow) {  // once to see the rows, once more in the order chosen
    why = write_poses(b);
    if (!why && b->full) why = "it is too large";
    if (!why) why = choose(b, like);
    if (why) return why;
    lane_program *fresh = malloc(sizeof *fresh);
    if (!fresh) return "memory is exhausted";
    begin(fresh, b->s, b->subsystem);
    fresh->nredundant = b->nredundant;
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
    for (int i = 0; i < b->nrow; i++) lane_number(b, b->first[i]);
    b->worst = lane_field(b, 1);
    LANE_WRITE(LANE_FACTORS, LANE_FACTOR, b->nrow, nz, b->j, b->lu, b->t, b->worst, p_first);
    const bool delayed = b->s->binding.opts.stabilize == JN_STABILIZE_DELAYED;
    LANE_WRITE(LANE_MOTION, LANE_SOLVE, b->nrow, nz, b->lu, b->side, b->t, b->correction, 0,
               delayed ? 2 : 1);
    if (b->s->binding.opts.stabilize == JN_STABILIZE_PROJECTION)
      LANE_WRITE(LANE_CORRECTIONS, LANE_SOLVE, b->nrow, nz, b->lu, b->side, b->t, b->correction, 1,
                 1);
  }
  LANE_WRITE(LANE_RATE, LANE_DEPENDENT_VELOCITIES, b->nv, b->ns, b->nsq, b->z, b->nrow, nz, b->t,
             b->u);
  why = write_dynamics(b);
  write_rows(b);
  return why ? why : b->full ? "it is too large" : NULL;
}

bool jn_lane_program(const jn_system *s, int subsystem, const lane_program *like, lane_program *b,
                     const char **why)
{
  begin(b, s, subsystem);
  *why = write_all(b, like);
  return !*why;
}

bool jn_lane_program_core(const jn_system *s, int body, int parent, const int *like, int before,
                          lane_program *b, const char **why)
{
  begin(b, s, -1);
  b->core = body;
  b->parent = parent;
  *why = find_core_body(b, like, before);
  if (!*why) *why = write_all(b, NULL);
  return !*why;
}
