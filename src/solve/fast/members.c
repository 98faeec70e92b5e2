// members.c: the members of a subsystem's program: its bodies, and core bodies that it is jointed to.
#include <stdlib.h>

#include "solve/fast/program_write.h"

// ---- members --------------------------------------------------------------------------------------

// All but those with a massless arm, whose screw turns with it, and those whose slide is turned by a ball.
bool jn_lane_has_joint(const jn_tree_joint *j)
{
  for (int i = 0; i < j->nmove; i++)
    if (j->move[i].kind == JN_MOVE_ARM || (i > 0 && j->move[i - 1].kind == JN_MOVE_SPHERE))
      return false;
  return true;
}

static const char *reason_against(const jn_tree_joint *j)
{
  if (!jn_lane_has_joint(j)) return "lanes have no operation for joints of its kind";
  return lane_is_identity(j->turn) ? NULL : "the axes given on its two bodies differ";
}

// The next one, on `up`: it has no fields yet.
static lane_member *new_member(lane_program *b, int body, int up)
{
  lane_member *m = &b->m[b->n++];
  *m = (lane_member){
      .body = body, .up = up, .r = -1, .p = -1, .v = -1, .b = -1, .force = -1, .circle = -1};
  return m;
}

static void take_mass(lane_member *m, const jn_body *body)
{
  m->mass = body->mass;
  m->cg = body->cg;
  m->inertia = body->inertia;
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
        (lane_given){body, i, core >= 0 ? j->drive : -1, turns, j->sphere == j->q + i ? 1.0 : 0.0};
  return NULL;
}

static const char *add_member(lane_program *b, int body, int up)
{
  const jn_system *s = b->s;
  const jn_tree_joint *j = &s->joint[body];
  if (b->n == LANE_BODIES) return "it has too many bodies";
  b->joint = j->edge;
  const char *why = reason_against(j);
  if (why) return why;
  b->joint = -1;
  lane_member *m = new_member(b, body, up);
  m->rotor = jn_lane_is_rotor(s, body);
  take_mass(m, &s->body[body]);
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
  lane_member *m = new_member(b, core >= 0 ? core : body, up);
  m->stands_in = true;
  m->rests = core < 0;
  return add_given(b, m, core);
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
        const char *why = reason_against(&s->joint[body]);
        if (why) return why;
        b->joint = -1;
        of[m] = i, depths[m] = depth;
        why = add_stand_in(b, body, own->n > depth ? own->body[depth] : -1, last[i]);
        if (why) return why;
      }
      last[i] = m;
    }
  }
  return NULL;
}

// A core body: joints between it and the parent body, then its own, whose coordinates are all given. like: body whose joint stands
// at each place.
const char *jn_lane_find_core_body(lane_program *b, const int *like, int before)
{
  attachment a;
  if (!climb(b->s, b->parent, b->core, &a)) return "it is too far from the parent body";
  for (int i = 0; i < before; i++) {
    const int own = i - (before - (a.n - 1));
    const char *why = add_stand_in(b, like[i], own >= 0 ? a.body[own] : -1, i - 1);
    if (why) return why;
  }
  lane_member *m = new_member(b, b->core, before - 1);
  take_mass(m, &b->s->body[b->core]);
  return add_given(b, m, b->core);
}

// Parents first, otherwise as the plan has them: alike in all that are alike.
static const char *find_own_members(lane_program *b)
{
  const jn_system *s = b->s;
  const jn_subsystem *k = &s->model->subsystem[b->subsystem];
  int last[LANE_BODIES + 2 * LANE_CUTS];
  if (k->nbody > LANE_BODIES) return "it has too many bodies";
  likes *l = calloc(1, sizeof *l);
  if (!l) return jn_lane_no_memory(b);
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

// ---- hinges on the parent body ----------------------------------------------------------------------

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

const char *jn_lane_find_members(lane_program *b)
{
  const char *why = find_own_members(b);
  if (why) return why;
  merge_rotors(b);
  return find_hinged(b);
}
