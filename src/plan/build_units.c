// build_units.c: which body a wheel's steer angle is measured against.
//
// Headings of a car's wheels are reported against the chassis, those of a train against the unit that they belong to: tractor,
// trailer, dolly. What the units are is a matter of joints, points and masses as the file has them, not of tree, base or names.
//
// Bodies are held together by joints and by elements that carry: bushings, plug-ins, and springs that stand more upright than
// 30 degrees. A COUPLING is a joint that lets what it joins turn about the vertical against each other, that is all that holds
// the two sides together, and that has wheels at a distance on both: in front of it or behind it by more than their diameter, or
// all to one side. (Wheels that stand on the joint's axis are steered by it: a kingpin, the fork of a motorcycle, the turntable of a
// wagon.) The ground counts as such a side, so that a car on a tow rope has a heading of its own; and so does a load without
// wheels, which may swing. Elements at the coupling, nearer to it than to any wheel, belong to it.
//
// Without its couplings the vehicle falls into units. The heaviest body of a unit, wheels counted with what carries them, is what
// headings are measured against: a frame, and not its axles; a trailer, whatever the tractor weighs; and the ground, for what is mounted on it. Of bodies of the same
// mass it is the one whose centre of gravity is nearest to the wheel, then the one farthest forward, to the left, up.
#include <math.h>

#include "base/union_find.h"
#include "plan/build.h"

enum { GROUND = 0 };  // body i of the spec is i + 1

typedef struct link {
  int a, b;
  const jn_joint_spec *joint;  // NULL: an element
  v3 at;
  bool beside;  // an element that belongs to a joint between the same bodies
  bool couples;
} link;

typedef struct place {  // of a wheel
  int body;
  double radius;
  v3 at;
} place;

typedef struct units {
  const jn_spec *spec;
  int n;  // bodies, with the ground
  int nlink, nplace;
  link *link;
  place *place;
  int *group;    // bodies that hold together without couplings (n)
  double *mass;  // of each body, with the wheel bodies that it carries, which have none (n)
  // search through the graph of links: all others that a body is linked to, and when it was reached
  int *first, *end;           // of its links in `at` (n + 1), (2 nlink)
  int *reached, *left, *low;  // (n)
  int *root;                  // of its component (n)
  int *from;                  // link by which it was reached (n)
  int *next, *stack;          // (n)
} units;

static double distance(v3 a, v3 b)  // as seen from above
{
  return hypot(a.x - b.x, a.y - b.y);
}

// ---- what holds together ------------------------------------------------------------------------

// Does the joint let its bodies turn about the vertical? *axis: about which line, through its point. *loose: and
// wherever it likes.
static bool yaws(const jn_joint_spec *j, v3 *axis, bool *loose)
{
  const jn_vectors *a = &j->keys.axis;
  *axis = v3_set(0, 0, 1);
  *loose = false;
  if (jn_joint_has_move(j->kind, JN_MOVE_SPHERE)) return true;
  if (!jn_joint_has_move(j->kind, JN_MOVE_TURN) && !jn_joint_has_move(j->kind, JN_MOVE_SCREW))
    return false;
  *loose =
      jn_joint_slides_along(j->kind, JN_X_NORMAL) && jn_joint_slides_along(j->kind, JN_X_OTHER);
  for (int i = 0; i < a->n; i++) {
    *axis = v3_unit(v3_load(a->v[i]));
    if (fabs(axis->z) > 0.5) return true;
  }
  return false;
}

// A joint that leaves the heading of a vehicle free, wherever on the ground it is, is none that holds it.
static bool holds_nothing(const jn_joint_spec *j)
{
  v3 axis;
  bool loose;
  const bool grounded = j->keys.bodies[0] == JN_GROUND || j->keys.bodies[1] == JN_GROUND;
  return j->kind == JN_JOINT_FREE || (grounded && yaws(j, &axis, &loose) && loose);
}

// An element between points carries what is above it; along a line, if that stands upright.
static bool carries(const jn_force_spec *f, v3 *at)
{
  const jn_vectors *p = jn_force_points(f);
  const jn_element_ends ends = jn_element_kinds[f->kind].ends;
  if (!p || (ends != JN_ENDS_LINE && ends != JN_ENDS_FRAME && ends != JN_ENDS_WORLD)) return false;
  const v3 first = v3_load(p->v[0]), last = v3_load(p->v[p->n - 1]), line = v3_sub(last, first);
  *at = v3_scale(0.5, v3_add(first, last));
  return ends != JN_ENDS_LINE || fabs(line.z) > 0.5 * v3_norm(line);
}

static void list_links(units *u)
{
  const jn_spec *spec = u->spec;
  for (int i = 0; i < spec->njoint; i++) {
    const jn_joint_spec *j = &spec->joint[i];
    if (holds_nothing(j)) continue;
    const jn_vectors *p = &j->keys.at;
    u->link[u->nlink++] = (link){.a = j->keys.bodies[0] + 1,
                                 .b = j->keys.bodies[1] + 1,
                                 .joint = j,
                                 .at = p->n ? v3_load(p->v[p->n - 1]) : v3_set(0, 0, 0)};
  }
  for (int i = 0; i < spec->nforce; i++) {
    const jn_force_spec *f = &spec->force[i];
    int pair[2];
    v3 at;
    if (!carries(f, &at)) continue;
    jn_force_bodies(spec, f, pair);
    if (pair[0] == JN_GROUND || pair[1] == JN_GROUND) continue;
    u->link[u->nlink++] = (link){.a = pair[0] + 1, .b = pair[1] + 1, .at = at};
  }
}

static void list_places(units *u)
{
  const jn_spec *spec = u->spec;
  for (int i = 0; i < spec->nforce; i++) {
    const jn_force_spec *f = &spec->force[i];
    if (f->kind == JN_FORCE_WHEEL)
      u->place[u->nplace++] =
          (place){f->as.wheel.body + 1, jn_tyre_radius(&spec->tyre[f->as.wheel.tyre]),
                  v3_load(f->as.wheel.at)};
    if (f->kind == JN_FORCE_TYRE)
      u->place[u->nplace++] =
          (place){f->as.tyre.body + 1, jn_tyre_radius(&spec->tyre[f->as.tyre.tyre]),
                  v3_load(f->as.tyre.at)};
  }
}

// ---- couplings ----------------------------------------------------------------------------------

static bool joins(const link *l, const link *other)
{
  return (l->a == other->a && l->b == other->b) || (l->a == other->b && l->b == other->a);
}

// Elements at a joint, between the same bodies and nearer to it than to any wheel, are part of it.
static void set_beside(units *u)
{
  for (int i = 0; i < u->nlink; i++) {
    link *l = &u->link[i];
    v3 axis;
    bool loose;
    for (int k = u->first[l->a]; k < u->first[l->a + 1] && !l->joint && !l->beside; k++) {
      const link *j = &u->link[u->end[k]];
      if (!j->joint || !joins(l, j) || !yaws(j->joint, &axis, &loose)) continue;
      l->beside = true;
      for (int p = 0; p < u->nplace && l->beside; p++)
        l->beside = distance(l->at, j->at) < distance(l->at, u->place[p].at);
    }
  }
}

// Which links each body has.
static void index_links(units *u)
{
  for (int i = 0; i <= u->n; i++) u->first[i] = 0;
  for (int i = 0; i < u->nlink; i++) u->first[u->link[i].a + 1]++, u->first[u->link[i].b + 1]++;
  for (int i = 0; i < u->n; i++) u->first[i + 1] += u->first[i], u->next[i] = u->first[i];
  for (int i = 0; i < u->nlink; i++) {
    u->end[u->next[u->link[i].a]++] = i;
    u->end[u->next[u->link[i].b]++] = i;
  }
}

// Depth first, without recursion: when each body is reached and left, and the earliest that what lies behind it is linked to. A
// link alone holds what lies behind it if that is linked to nothing earlier (R. E. Tarjan, Inf. Process. Lett. 2 (1974) 160-161).
static void search(units *u)
{
  int clock = 0;
  for (int i = 0; i < u->n; i++) u->reached[i] = -1, u->next[i] = u->first[i];
  for (int start = 0; start < u->n; start++) {
    int depth = 0;
    if (u->reached[start] >= 0) continue;
    u->stack[depth++] = start;
    u->from[start] = -1;
    u->reached[start] = u->low[start] = clock++;
    while (depth > 0) {
      const int v = u->stack[depth - 1];
      u->root[v] = start;
      if (u->next[v] < u->first[v + 1]) {
        const int e = u->end[u->next[v]++], w = u->link[e].a == v ? u->link[e].b : u->link[e].a;
        if (e == u->from[v] || u->link[e].beside) continue;
        if (u->reached[w] >= 0) {
          if (u->reached[w] < u->low[v]) u->low[v] = u->reached[w];
          continue;
        }
        u->from[w] = e;
        u->reached[w] = u->low[w] = clock++;
        u->stack[depth++] = w;
        continue;
      }
      u->left[v] = clock;
      depth--;
      if (depth > 0 && u->low[v] < u->low[u->stack[depth - 1]])
        u->low[u->stack[depth - 1]] = u->low[v];
    }
  }
}

static bool lies_behind(const units *u, int body, int v)
{
  return u->reached[body] >= u->reached[v] && u->reached[body] < u->left[v];
}

// Has a side of the joint that leads to body v a heading of its own: wheels at a distance, or the ground?
static bool heads(const units *u, int v, bool behind, const link *l, v3 axis, bool loose)
{
  double aside = 0.0, widest = 0.0;
  int n = 0;
  if (u->root[GROUND] == u->root[v] && lies_behind(u, GROUND, v) == behind) return true;
  for (int i = 0; i < u->nplace; i++) {
    const place *p = &u->place[i];
    if (u->root[p->body] != u->root[v] || lies_behind(u, p->body, v) != behind) continue;
    const v3 foot = v3_axpy((p->at.z - l->at.z) / axis.z, axis, l->at);  // at its centre's height
    if (loose || fabs(p->at.x - foot.x) > 2.0 * p->radius) return true;
    aside += p->at.y - foot.y;
    widest = fmax(widest, 2.0 * p->radius);
    n++;
  }
  return n && fabs(aside) > n * widest;
}

// Or has it no wheels, and is not held by the ground: a load?
static bool is_load(const units *u, int v, bool behind)
{
  bool load = u->root[GROUND] != u->root[v] || lies_behind(u, GROUND, v) != behind;
  for (int i = 0; i < u->nplace && load; i++)
    load = u->root[u->place[i].body] != u->root[v] || lies_behind(u, u->place[i].body, v) != behind;
  return load;
}

static void find_couplings(units *u)
{
  for (int v = 0; v < u->n; v++) {
    link *l = u->from[v] < 0 ? NULL : &u->link[u->from[v]];
    v3 axis;
    bool loose;
    if (!l || u->low[v] < u->reached[v] || !l->joint || !yaws(l->joint, &axis, &loose)) continue;
    l->couples = (heads(u, v, true, l, axis, loose) && heads(u, v, false, l, axis, loose)) ||
                 is_load(u, v, true) || is_load(u, v, false);
  }
}

static void gather(units *u)
{
  for (int i = 0; i < u->n; i++) u->group[i] = i;
  for (int i = 0; i < u->nlink; i++) {
    const link *l = &u->link[i];
    if (!l->couples && !l->beside)
      u->group[jn_group_find(u->group, l->a)] = jn_group_find(u->group, l->b);
  }
}

// ---- the body -----------------------------------------------------------------------------------

static v3 centre(const units *u, int body)
{
  return v3_load(u->spec->body[body - 1].keys.cg);
}

// Is body a before body b, for a wheel at that point?
static bool comes_first(const units *u, int a, int b, v3 wheel)
{
  if (a == GROUND || b == GROUND) return a == GROUND;
  const double more = u->mass[a] - u->mass[b];
  if (more != 0.0) return more > 0.0;
  const v3 p = centre(u, a), q = centre(u, b);
  const double nearer = v3_norm(v3_sub(q, wheel)) - v3_norm(v3_sub(p, wheel));
  if (nearer != 0.0) return nearer > 0.0;
  if (p.x != q.x) return p.x > q.x;
  if (p.y != q.y) return p.y > q.y;
  return p.z > q.z;
}

static int choose(units *u, int own, v3 wheel)
{
  const int unit = jn_group_find(u->group, own);
  int best = own;
  for (int i = 0; i < u->n; i++)
    if (jn_group_find(u->group, i) == unit && comes_first(u, i, best, wheel)) best = i;
  return best;
}

// A wheel as a body weighs on its carrier, as a wheel without a body does.
static void weigh(const jn_system *s, units *u)
{
  for (int i = 1; i < u->n; i++) u->mass[i] = u->spec->body[i - 1].keys.mass;
  for (int i = 0; i < s->nwheel; i++) {
    const jn_wheel *w = &s->wheel[i];
    const int own = s->body[w->body].node;
    if (w->spin >= 0 || w->carrier < s->nframe) continue;
    u->mass[s->body[w->carrier].node] += u->mass[own];
    u->mass[own] = 0.0;
  }
}

jn_status jn_build_headings(jn_system *s, jn_error *err)
{
  const jn_spec *spec = s->model->spec;
  if (!s->nwheel) return JN_OK;
  const int n = spec->nbody + 1, links = spec->njoint + spec->nforce;
  units u = {.spec = spec, .n = n};
  u.link = jn_build_array(s, links, sizeof *u.link);
  u.place = jn_build_array(s, spec->nforce, sizeof *u.place);
  u.mass = jn_build_array(s, n, sizeof *u.mass);
  u.first = jn_build_array(s, n + 1, sizeof *u.first);
  u.end = jn_build_array(s, 2 * links, sizeof *u.end);
  int **const of_bodies[] = {&u.group, &u.reached, &u.left, &u.low,
                             &u.root,  &u.from,    &u.next, &u.stack};
  for (size_t i = 0; i < sizeof of_bodies / sizeof *of_bodies; i++)
    *of_bodies[i] = jn_build_array(s, n, sizeof(int));
  if (s->pool.failed) return jn_build_no_memory(s, err);
  list_links(&u);
  list_places(&u);
  index_links(&u);
  set_beside(&u);
  search(&u);
  find_couplings(&u);
  gather(&u);
  weigh(s, &u);
  for (int i = 0; i < s->nwheel; i++) {
    jn_wheel *w = &s->wheel[i];
    const v3 centre = v3_add(s->body[w->body].anchor, w->at);
    const int best = choose(&u, s->body[w->body].node, centre);
    w->vehicle = best == GROUND ? s->body[w->body].frame : jn_build_index(s, best - 1);
  }
  return JN_OK;
}
