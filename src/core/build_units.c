// build_units.c: which body a wheel's steer angle is measured against.
//
// Headings of a car's wheels are told against the chassis, those of a train against the unit that they belong to: tractor,
// trailer, dolly. What the units are is a matter of joints, points and masses as the file has them, not of tree, base or names.
//
// Bodies are held together by joints and by elements that carry: bushings, plug-ins, and springs that stand more upright than
// 30 degrees. A COUPLING is a joint that lets what it joins turn about the vertical against each other, that is all that holds
// the two sides together, and that has wheels at a distance on both: ahead of it or behind it by more than their diameter, or
// all to one side. (Wheels that stand on the joint's axis are steered by it: a kingpin, the fork of a motorcycle, the turntable of a
// wagon.) The ground counts as such a side, so that a car on a tow rope has a heading of its own. Elements at the coupling,
// nearer to it than to any wheel, belong to it.
//
// Without its couplings the vehicle falls into units. In each, bodies count that carry: not those that only hang on another one, as
// a load or an engine does, but those between wheels, couplings and the ground. The heaviest of them is what headings are
// measured against. So a frame is, and not its axles; a trailer, whatever the tractor weighs; and the ground, for a suspension
// mounted on it. Of bodies of the same mass it is the one whose centre of gravity is nearest to the wheel, then the one farthest ahead, to the left, up.
#include <math.h>
#include <stdlib.h>

#include "core/build.h"
#include "topo/groups.h"

enum { GROUND = 0 };  // body i of the spec is i + 1

typedef struct link {
  int a, b;
  const jn_joint_spec *joint;  // NULL: an element
  v3 at;
  bool couples;
  bool gone;  // a coupling, or part of it
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
  int *group;    // scratch: bodies that hold together (n)
  int *support;  // wheels and couplings on a body (n)
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
  switch (j->kind) {
    case JN_JOINT_SPHERICAL:
    case JN_JOINT_DISTANCE:
    case JN_JOINT_SPHERICAL_REVOLUTE:
    case JN_JOINT_SPHERICAL_TRANSLATIONAL:
      return true;
    case JN_JOINT_REVOLUTE:
    case JN_JOINT_CYLINDRICAL:
    case JN_JOINT_SCREW:
    case JN_JOINT_UNIVERSAL:
    case JN_JOINT_PLANAR:
      *loose = j->kind == JN_JOINT_PLANAR;
      for (int i = 0; i < a->n; i++) {
        *axis = v3_unit(v3_load(a->v[i]));
        if (fabs(axis->z) > 0.5) return true;
      }
      return false;
    default:
      return false;
  }
}

// A joint that leaves the heading of a vehicle free, wherever on the ground it is, is none that holds it.
static bool holds_nothing(const jn_joint_spec *j)
{
  v3 axis;
  bool loose;
  const bool grounded = j->keys.bodies[0] == JN_GROUND || j->keys.bodies[1] == JN_GROUND;
  return j->kind == JN_JOINT_FREE || (grounded && yaws(j, &axis, &loose) && loose);
}

static bool carries(const jn_force_spec *f, v3 *at)
{
  const jn_vectors *p;
  switch (f->kind) {
    case JN_FORCE_BUSHING:
      p = &f->as.bushing.at;
      break;
    case JN_FORCE_PLUGIN:
      p = &f->as.plugin.at;
      break;
    case JN_FORCE_TSDA:
      p = &f->as.tsda.at;
      break;
    default:
      return false;
  }
  const v3 first = v3_load(p->v[0]), last = v3_load(p->v[p->n - 1]), way = v3_sub(last, first);
  *at = v3_scale(0.5, v3_add(first, last));
  return f->kind != JN_FORCE_TSDA || fabs(way.z) > 0.5 * v3_norm(way);
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

// Groups of what links hold together, those without `gone`; of all but the body `without` (-1: of all).
static void gather(units *u, int without)
{
  for (int i = 0; i < u->n; i++) u->group[i] = i;
  for (int i = 0; i < u->nlink; i++) {
    const link *l = &u->link[i];
    if (l->gone || l->a == without || l->b == without) continue;
    u->group[jn_group_find(u->group, l->a)] = jn_group_find(u->group, l->b);
  }
}

static bool together(units *u, int a, int b)
{
  return jn_group_find(u->group, a) == jn_group_find(u->group, b);
}

// ---- couplings ----------------------------------------------------------------------------------

// Has the side of a joint on which `body` is, by the present groups, a heading of its own: wheels at a distance, or the ground?
static bool heads(units *u, int body, v3 at, v3 axis, bool loose)
{
  double aside = 0.0, widest = 0.0;
  int n = 0;
  if (together(u, body, GROUND)) return true;
  for (int i = 0; i < u->nplace; i++) {
    const place *p = &u->place[i];
    if (!together(u, body, p->body)) continue;
    const v3 foot = v3_axpy((p->at.z - at.z) / axis.z, axis, at);  // at the wheel centre's height
    if (loose || fabs(p->at.x - foot.x) > 2.0 * p->radius) return true;
    aside += p->at.y - foot.y;
    widest = fmax(widest, 2.0 * p->radius);
    n++;
  }
  return n && fabs(aside) > n * widest;
}

// Elements beside a joint, between the same bodies and nearer to it than to any wheel: `gone` or back again.
static void take_along(units *u, const link *joint, bool gone)
{
  for (int i = 0; i < u->nlink; i++) {
    link *l = &u->link[i];
    const bool same =
        (l->a == joint->a && l->b == joint->b) || (l->a == joint->b && l->b == joint->a);
    if (l->joint || !same) continue;
    bool nearest = true;
    for (int k = 0; k < u->nplace; k++)
      nearest &= distance(l->at, joint->at) < distance(l->at, u->place[k].at);
    if (nearest) l->gone = gone;
  }
}

static void find_couplings(units *u)
{
  for (int i = 0; i < u->nlink; i++) {  // each with all others in place
    link *l = &u->link[i];
    v3 axis;
    bool loose;
    if (!l->joint || !yaws(l->joint, &axis, &loose)) continue;
    l->gone = true;
    take_along(u, l, true);
    gather(u, -1);
    l->couples = !together(u, l->a, l->b) && heads(u, l->a, l->at, axis, loose) &&
                 heads(u, l->b, l->at, axis, loose);
    l->gone = false;
    take_along(u, l, false);
  }
  for (int i = 0; i < u->nlink; i++) {
    if (!u->link[i].couples) continue;
    u->link[i].gone = true;
    take_along(u, &u->link[i], true);
    u->support[u->link[i].a]++, u->support[u->link[i].b]++;
  }
}

// ---- the body -----------------------------------------------------------------------------------

// Does the body only hang on another one: is there one without which nothing it holds to has wheels, couplings or the ground?
static bool hangs(units *u, int body)
{
  if (body == GROUND || u->support[body]) return false;
  for (int c = 0; c < u->n; c++) {
    if (c == body) continue;
    gather(u, c);
    bool alone = true;
    for (int i = 0; i < u->n && alone; i++)
      alone = i == c || !(i == GROUND || u->support[i]) || !together(u, body, i);
    if (alone) return true;
  }
  return false;
}

static v3 centre(const units *u, int body)
{
  return v3_load(u->spec->body[body - 1].keys.cg);
}

// Is body a before body b, for a wheel at that point?
static bool comes_first(const units *u, int a, int b, v3 wheel)
{
  if (a == GROUND || b == GROUND) return a == GROUND;
  const double more = u->spec->body[a - 1].keys.mass - u->spec->body[b - 1].keys.mass;
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
  int supports = 0, standing = 0, best = -1;
  gather(u, -1);
  const int unit = jn_group_find(u->group, own);
  bool *candidate = calloc((size_t)u->n, sizeof *candidate);
  if (!candidate) return -1;
  for (int i = 0; i < u->n; i++) {
    candidate[i] = jn_group_find(u->group, i) == unit;
    if (!candidate[i]) continue;
    const int here = i == GROUND ? 1 : u->support[i];
    supports += here, standing += here > 0;
  }
  // Where all supports are on one body, it is that one, if it can stand on them; what it carries is of no account then.
  const bool any = standing == 1 && supports < 3;
  for (;;) {
    int next = -1;
    for (int i = 0; i < u->n; i++)
      if (candidate[i] && (next < 0 || comes_first(u, i, next, wheel))) next = i;
    if (next < 0) break;
    if (any || !hangs(u, next)) {
      best = next;
      break;
    }
    candidate[next] = false;
  }
  free(candidate);
  return best;
}

jn_status jn_build_heading(jn_system *s, int body, v3 wheel, int *vehicle, jn_error *err)
{
  const jn_spec *spec = s->model->spec;
  units u = {.spec = spec, .n = spec->nbody + 1};
  u.link = calloc((size_t)(spec->njoint + spec->nforce) + 1, sizeof *u.link);
  u.place = calloc((size_t)spec->nforce + 1, sizeof *u.place);
  u.group = calloc((size_t)u.n, sizeof *u.group);
  u.support = calloc((size_t)u.n, sizeof *u.support);
  int best = -1;
  if (u.link && u.place && u.group && u.support) {
    list_links(&u);
    list_places(&u);
    find_couplings(&u);
    for (int i = 0; i < u.nplace; i++) u.support[u.place[i].body]++;
    best = choose(&u, body + 1, wheel);
  }
  free(u.link), free(u.place), free(u.group), free(u.support);
  if (best < 0) return jn_build_no_memory(s, err);
  *vehicle = best == GROUND ? s->body[jn_build_index(s, body)].frame : jn_build_index(s, best - 1);
  return JN_OK;
}
