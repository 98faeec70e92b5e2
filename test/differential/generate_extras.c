// generate_extras.c: what is hung on a vehicle: limbs on every kind of joint, closed loops with every kind of joint,
// further force elements.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "differential/generate.h"

bool is_wheel_body(const vehicle *v, int body)
{
  for (int i = 0; i < v->nforce; i++)
    if (v->force[i].kind == VEHICLE_FORCE_TYRE && v->force[i].body[0] == body) return true;
  return false;
}

// Any body; wheel bodies only where anything goes, and seldom.
static int some_body(drawing *d)
{
  for (;;) {
    const int b = choose(d, d->v->nbody);
    if (!is_wheel_body(d->v, b) || (d->wild && chance(d, 0.1))) return b;
  }
}

static int or_ground(drawing *d, double probability, int body)
{
  return chance(d, probability) ? VEHICLE_GROUND : body;
}

// The same body on the other side, or on the next corner; or the body itself.
static int counterpart(const vehicle *v, int body, int k)
{
  const char *end = strrchr(v->body[body].name, '_');
  if (!end || !v->body[body].place.corner) return body;
  const int n = (int)(end - v->body[body].name) + 1;
  for (int i = 0; i < v->nbody; i++)
    if (!strncmp(v->body[i].name, v->body[body].name, (size_t)n) && v->body[i].place.corner &&
        k-- == 0)
      return i;
  return VEHICLE_NONE;
}

static void place_near(drawing *d, const double p[3], double reach, double out[3])
{
  double off[3];
  vector_in(d, reach, off);
  for (int k = 0; k < 3; k++) out[k] = rounded(p[k] + (k == 1 ? d->side : 1.0) * off[k], 4);
}

static bool has_angle(vehicle_joint_kind k)
{
  return k == VEHICLE_JOINT_REVOLUTE || k == VEHICLE_JOINT_CYLINDRICAL || k == VEHICLE_JOINT_SCREW;
}

static bool has_point(vehicle_joint_kind k)
{
  return k != VEHICLE_JOINT_FIXED && k != VEHICLE_JOINT_FREE && k != VEHICLE_JOINT_NO_ROTATION;
}

static int joint_of_kind(drawing *d, const char *name, vehicle_joint_kind kind, int a, int b,
                         const double at[3], double reach)
{
  int j;
  double near[3];
  direction_in(d, near);
  if (kind == VEHICLE_JOINT_DISTANCE || kind == VEHICLE_JOINT_SPHERICAL_REVOLUTE) {
    double q[3];
    q[0] = rounded(at[0] + 0.6 * reach, 4);
    q[1] = rounded(at[1] + d->side * 0.5 * reach, 4);
    q[2] = rounded(at[2] + 0.7 * reach, 4);
    j = add_distance(d, name, a, b, at, q);
    d->v->joint[j].kind = kind;
    if (kind == VEHICLE_JOINT_SPHERICAL_REVOLUTE) {
      // Not along the line between the points: the link turns about the axis.
      d->v->joint[j].naxis = 1;
      direction_near(d, 0.7, -0.6, -0.2, 0.1, true, d->v->joint[j].axis[0]);
    }
    return j;
  }
  j = has_point(kind) || chance(d, 0.3) ? add_joint_at(d, name, kind, a, b, at)
                                        : add_joint(d, name, kind, a, b);
  give_axes(d, j, near, 0.0);
  if (kind == VEHICLE_JOINT_SPHERICAL_TRANSLATIONAL) {
    d->v->joint[j].naxis = 1;
    memcpy(d->v->joint[j].axis[0], near, sizeof near);
  }
  return j;
}

// ---- torsion springs ------------------------------------------------------------------------------

static void torsion(drawing *d, const char *name, int joint, double inertia)
{
  const int i = add_force(d, name, VEHICLE_FORCE_RSDA, 0, 0);
  vehicle_force *f = &d->v->force[i];
  const double w = 2.0 * 3.14159265358979 * size_in(d, 2, 6);
  f->joint = joint;
  f->stiffness = rounded(inertia * w * w, 3);
  f->damping = rounded(0.5 * inertia * w, 3);
  if (chance(d, 0.3)) f->has_free = true;
  f->free = rounded(size_in(d, -0.1, 0.1), 2);
  if (chance(d, 0.3)) f->preload = rounded(0.05 * f->stiffness * size_in(d, -1, 1), 2);
  if (chance(d, 0.3)) f->spring = curve_through(d, 0.5, 0.2 * f->stiffness);
  if (chance(d, 0.3)) f->damper = curve_through(d, 3, f->damping);
  if (chance(d, 0.3)) {
    f->nspring = 3;
    for (int k = 0; k < 3; k++)
      f->spring_term[k] = rounded(f->stiffness * size_in(d, -0.1, 0.2), 2);
  }
  if (chance(d, 0.3)) {
    f->ndamper = 2;
    for (int k = 0; k < 2; k++) f->damper_term[k] = rounded(f->damping * size_in(d, 0, 0.1), 2);
  }
  if (chance(d, 0.3)) {
    f->channel = add_channel(d, f->name);
    if (chance(d, 0.5)) f->lag = rounded(size_in(d, 0.005, 0.05), 2);
  }
}

// ---- limbs ----------------------------------------------------------------------------------------

static void hold_limb(drawing *d, int parent, int body, int joint, double radius)
{
  const vehicle_joint *j = &d->v->joint[joint];
  const double mass = d->v->body[body].mass, w = 2.0 * 3.14159265358979 * size_in(d, 3, 8);
  char name[24];
  snprintf(name, sizeof name, "hold%d", d->place.limb);
  if (j->kind == VEHICLE_JOINT_FIXED) return;
  if (has_angle(j->kind) && chance(d, 0.5)) {
    const double arm = distance_of(j->at[0], d->v->body[body].cg);
    torsion(d, name, joint, mass * (radius * radius + arm * arm));
    if (j->kind != VEHICLE_JOINT_CYLINDRICAL) return;
    snprintf(name, sizeof name, "slid%d", d->place.limb);
  }
  const bool many = j->kind != VEHICLE_JOINT_REVOLUTE && j->kind != VEHICLE_JOINT_TRANSLATIONAL &&
                    j->kind != VEHICLE_JOINT_SCREW;
  if ((j->kind == VEHICLE_JOINT_TRANSLATIONAL || j->kind == VEHICLE_JOINT_REVOLUTE) &&
      chance(d, 0.3)) {
    const double arm = distance_of(j->at[0], d->v->body[body].cg);
    const bool turns = j->kind == VEHICLE_JOINT_REVOLUTE;
    add_servo(d, name, joint, mass * (turns ? radius * radius + arm * arm : 1.0), 5.0);
    return;
  }
  if (many || chance(d, 0.4)) {
    add_bushing(d, name, parent, body, d->v->body[body].cg, mass, size_in(d, 3, 8), radius);
    return;
  }
  for (int i = 0; i < 2; i++) {
    double p[3], q[3];
    place_near(d, d->v->body[body].cg, 0.3 * d->length, p);
    place_near(d, d->v->body[body].cg, 0.05 * d->length, q);
    p[2] = rounded(p[2] + 0.35 * d->length, 4);
    snprintf(name, sizeof name, "hold%d_%c", d->place.limb, 'a' + i);
    add_spring(d, name, parent, body, p, q, mass * w * w, 0.5 * mass * w);
  }
}

static void draw_limb(drawing *d, int parent, vehicle_joint_kind kind)
{
  static const double origin[3] = {0, 0, 1};
  vehicle *v = d->v;
  const double *from = parent < 0 ? origin : v->body[parent].cg;
  const double most = parent < 0 ? 0.02 * d->mass : 0.25 * v->body[parent].mass;
  const double mass = fmin(0.02 * d->mass * size_in(d, 0.3, 1.5), most), radius = 0.1 * d->length;
  double at[3], cg[3];
  char name[24];
  place_near(d, from, 0.15 * d->length, at);
  place_near(d, at, 0.12 * d->length, cg);
  d->place.limb++;
  snprintf(name, sizeof name, "limb%d", d->place.limb);
  const int b = add_body(d, name, mass, cg, radius);
  if (kind == VEHICLE_NJOINT) {
    // No joint reaches it.
    snprintf(name, sizeof name, "hold%d", d->place.limb);
    add_bushing(d, name, parent, b, cg, mass, size_in(d, 3, 8), radius);
    if (chance(d, 0.5)) v->body[b].parent = parent;
    return;
  }
  snprintf(name, sizeof name, "limb%d_in", d->place.limb);
  const int j = joint_of_kind(d, name, kind, parent, b, at, 0.2 * d->length);
  hold_limb(d, parent, b, j, radius);
  if (chance(d, 0.3)) turn_round(d, j);
  vehicle_joint *joint = &v->joint[j];
  const bool one = kind == VEHICLE_JOINT_REVOLUTE || kind == VEHICLE_JOINT_TRANSLATIONAL ||
                   kind == VEHICLE_JOINT_SCREW || kind == VEHICLE_JOINT_CYLINDRICAL;
  if (one && chance(d, 0.4)) {
    joint->has_position = true;
    joint->position[0] = rounded(size_in(d, -0.05, 0.05), 2);
    joint->position[1] = rounded(size_in(d, -0.2, 0.2), 2);
  }
  if ((one || kind == VEHICLE_JOINT_UNIVERSAL) && chance(d, 0.4)) {
    joint->has_speed = true;
    for (int k = 0; k < 2; k++) joint->speed[k] = rounded(size_in(d, -1, 1), 2);
  }
  if (kind == VEHICLE_JOINT_UNIVERSAL && chance(d, 0.4)) {
    joint->has_position = true;
    for (int k = 0; k < 2; k++) joint->position[k] = rounded(size_in(d, -0.2, 0.2), 2);
  }
  if ((kind == VEHICLE_JOINT_SPHERICAL || kind == VEHICLE_JOINT_FREE) && chance(d, 0.4)) {
    joint->has_angles = joint->has_angular = true;
    vector_in(d, 0.2, joint->angles);
    vector_in(d, 1.0, joint->angular);
  }
  if ((kind == VEHICLE_JOINT_NO_ROTATION || kind == VEHICLE_JOINT_FREE) && chance(d, 0.4)) {
    joint->has_offset = joint->has_velocity = true;
    vector_in(d, 0.02, joint->offset);
    vector_in(d, 0.3, joint->velocity);
  }
}

void draw_limbs(drawing *d)
{
  static const vehicle_joint_kind tame[] = {VEHICLE_JOINT_REVOLUTE, VEHICLE_JOINT_TRANSLATIONAL,
                                            VEHICLE_JOINT_UNIVERSAL, VEHICLE_JOINT_SPHERICAL};
  const int n = CHOOSE(d, 0, 0, 0, 0, 1, 1, 1, 2, 3);
  if (d->v->nbody > 40) return;
  for (int i = 0; i < n; i++) {
    const bool any = d->wild && chance(d, 0.6);
    int parent = d->wild ? or_ground(d, 0.04, some_body(d)) : some_body(d);
    if (!d->wild && chance(d, 0.4)) parent = d->chassis;
    const int most = parent >= 0 && d->v->body[parent].place.corner && chance(d, 0.8) ? 2 : 4;
    const vehicle_joint_kind kind =
        any ? (vehicle_joint_kind)choose(d, VEHICLE_NJOINT + 1) : tame[choose(d, most)];
    // On all corners alike, or on one.
    if (parent >= 0 && d->v->body[parent].place.corner && chance(d, 0.6)) {
      const streams same = fork_streams(d);
      const streams after = d->random;
      for (int k = 0;; k++) {
        const int other = counterpart(d->v, parent, k);
        if (other == VEHICLE_NONE || d->v->nbody > 56) break;
        d->random = same;
        d->side = d->v->body[other].place.corner == 2 ? -1.0 : 1.0;
        draw_limb(d, other, kind);
        if (other == parent && counterpart(d->v, parent, 0) == parent &&
            counterpart(d->v, parent, 1) == VEHICLE_NONE)
          break;
      }
      d->random = after;
      d->side = 1.0;
    } else {
      draw_limb(d, parent, kind);
    }
  }
}

// ---- loops ----------------------------------------------------------------------------------------

typedef struct loop_plan {
  int n;  // joints, one more than bodies
  int kind[4];
  int cut;  // joint that must be cut, -1: any
  bool tame;
} loop_plan;

// Short names, for the table.
enum {
  R = VEHICLE_JOINT_REVOLUTE,
  T = VEHICLE_JOINT_TRANSLATIONAL,
  U = VEHICLE_JOINT_UNIVERSAL,
  S = VEHICLE_JOINT_SPHERICAL,
  P = VEHICLE_JOINT_PLANAR,
  C = VEHICLE_JOINT_CYLINDRICAL,
  H = VEHICLE_JOINT_SCREW,
  F = VEHICLE_JOINT_FIXED,
  N = VEHICLE_JOINT_NO_ROTATION,
  D = VEHICLE_JOINT_DISTANCE,
  SR = VEHICLE_JOINT_SPHERICAL_REVOLUTE,
  ST = VEHICLE_JOINT_SPHERICAL_TRANSLATIONAL,
  O = VEHICLE_JOINT_FREE,
};

// Chains whose freedoms add up to seven or eight: one or two are left.
static const loop_plan loops[] = {
    {3, {U, U, P}, -1, true},    {3, {S, R, P}, -1, true},   {3, {R, S, N}, 2, true},
    {3, {R, U, SR}, -1, true},   {3, {T, U, ST}, -1, true},  {3, {R, D, T}, -1, true},
    {3, {R, D, R}, -1, true},    {3, {U, U, S}, -1, true},   {3, {U, S, C}, 2, true},
    {2, {S, SR}, -1, true},      {2, {S, ST}, -1, true},     {2, {S, D}, -1, true},
    {2, {U, D}, -1, true},       {4, {U, U, U, R}, 3, true}, {4, {U, U, U, T}, 3, true},
    {4, {U, U, S, F}, 3, true},  {3, {R, U, ST}, -1, true},  {3, {T, D, U}, -1, true},
    {4, {U, U, U, H}, 3, false}, {3, {S, H, P}, -1, false},  {3, {C, C, S}, -1, false},
    {3, {C, U, S}, -1, false},   {3, {C, D, R}, -1, false},  {3, {P, D, R}, -1, false},
    {3, {H, D, H}, -1, false},   {2, {P, D}, -1, false},     {2, {O, U}, -1, false},
    {3, {H, D, N}, -1, false},
};

static bool is_link(vehicle_joint_kind k)
{
  return k == VEHICLE_JOINT_DISTANCE || k == VEHICLE_JOINT_SPHERICAL_REVOLUTE;
}

// A closed chain from a body and back to it. Joints lie around a polygon, far from one line.
static void draw_loop(drawing *d, int parent, const loop_plan *l)
{
  vehicle *v = d->v;
  const double *c = v->body[parent].cg, reach = 0.25 * d->length, radius = 0.08 * d->length;
  static const double corner[5][3] = {
      {0, 0, 0.2}, {1, 0.2, 0.4}, {1.1, 1, 1.1}, {0.2, 0.9, 1.3}, {-0.5, 0.4, 0.9}};
  double at[5][3], cg[3];
  const double mass = fmin(0.01 * d->mass * size_in(d, 0.3, 1.0), 0.15 * v->body[parent].mass);
  for (int i = 0; i < 5; i++) {
    for (int k = 0; k < 3; k++) cg[k] = c[k] + (k == 1 ? d->side : 1.0) * reach * corner[i][k];
    place_near(d, cg, 0.1 * reach, at[i]);
  }
  d->place.limb++;
  int before = parent, corners = 0;
  char name[24];
  for (int i = 0; i < l->n; i++) {
    const vehicle_joint_kind kind = (vehicle_joint_kind)l->kind[i];
    int body = parent;
    const double *p = at[corners];
    const double *q = is_link(kind) ? at[++corners] : p;
    corners++;
    if (i < l->n - 1) {
      between(q, at[corners > 4 ? 0 : corners], 0.5, cg);
      snprintf(name, sizeof name, "loop%d_%c", d->place.limb, 'a' + i);
      body = add_body(d, name, mass, cg, radius);
    }
    snprintf(name, sizeof name, "turn%d_%c", d->place.limb, 'a' + i);
    const int j = joint_of_kind(d, name, kind, before, body, p, reach);
    vehicle_joint *joint = &v->joint[j];
    if (is_link(kind)) memcpy(joint->at[1], q, sizeof joint->at[1]);
    if (kind == VEHICLE_JOINT_SPHERICAL_REVOLUTE) {
      const double along[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
      double side[3], other[3];
      direction_in(d, other);
      cross_of(along, other, side);
      const double n = distance_of((double[3]){0}, side);
      for (int k = 0; k < 3; k++)
        joint->axis[0][k] = n > 1e-3 ? rounded(side[k] / n, 3) : joint->axis[0][k];
    }
    if (chance(d, 0.2)) turn_round(d, j);
    if (l->cut == i && v->ncut < VEHICLE_CUTS) v->cut[v->ncut++] = j;
    if (i < l->n - 1) {
      // Each body is held softly to where it is.
      snprintf(name, sizeof name, "keep%d_%c", d->place.limb, 'a' + i);
      const int f = add_bushing(d, name, parent, body, v->body[body].cg, mass, size_in(d, 2, 5),
                                2.0 * radius);
      v->force[f].nat = 1;
    }
    before = body;
  }
}

void draw_loops(drawing *d)
{
  const int n = CHOOSE(d, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2);
  for (int i = 0; i < n && d->v->nbody < 50; i++) {
    int body = chance(d, d->wild ? 0.5 : 0.85) ? d->chassis : some_body(d);
    if (is_wheel_body(d->v, body)) body = d->chassis;
    for (;;) {
      const loop_plan *l = &loops[choose(d, (int)(sizeof loops / sizeof loops[0]))];
      if (!l->tame && !d->wild) continue;
      draw_loop(d, body, l);
      break;
    }
  }
}

// ---- force elements -------------------------------------------------------------------------------

static void draw_tsda(drawing *d, const char *name, int a, int b, double mass, const double p[3],
                      const double q[3])
{
  const int i =
      add_spring(d, name, a, b, p, q, mass * size_in(d, 20, 150), mass * size_in(d, 0, 3));
  vehicle_force *f = &d->v->force[i];
  if (chance(d, 0.3)) f->stiffness = 0.0;
  if (chance(d, 0.3)) f->spring = curve_through(d, 0.1, 4.0 * mass);
  if (chance(d, 0.3)) f->damper = curve_through(d, 1.0, 2.0 * mass);
  if (chance(d, 0.3)) {
    f->nspring = 1 + choose(d, 3);
    for (int k = 0; k < f->nspring; k++) f->spring_term[k] = rounded(mass * size_in(d, -8, 20), 2);
  }
  if (chance(d, 0.3)) {
    f->ndamper = 1 + choose(d, 3);
    for (int k = 0; k < f->ndamper; k++) f->damper_term[k] = rounded(mass * size_in(d, 0, 1), 2);
  }
  if (chance(d, 0.3)) f->preload = rounded(mass * size_in(d, -2, 2), 2);
  if (chance(d, 0.3)) f->has_free = true;
  f->free = rounded(distance_of(p, q) * size_in(d, 0.9, 1.1), 3);
  if (chance(d, 0.3)) {
    f->channel = add_channel(d, f->name);
    if (chance(d, 0.5)) f->lag = rounded(size_in(d, 0.005, 0.05), 2);
  }
}

// A torsion spring or a servo in a joint, or in the like joints of all corners.
static void in_joints(drawing *d, const char *name, double mass)
{
  vehicle *v = d->v;
  const bool servo = chance(d, 0.3), alike = chance(d, 0.6);
  int found = VEHICLE_NONE;
  for (int k = 0; k < 20 && found < 0 && v->njoint; k++) {
    const int j = choose(d, v->njoint);
    const vehicle_joint *joint = &v->joint[j];
    const bool wheel = (joint->body[0] >= 0 && is_wheel_body(v, joint->body[0])) ||
                       (joint->body[1] >= 0 && is_wheel_body(v, joint->body[1]));
    const bool fits =
        servo ? joint->kind == VEHICLE_JOINT_REVOLUTE || joint->kind == VEHICLE_JOINT_TRANSLATIONAL
              : has_angle(joint->kind);
    if (fits && joint->motion == VEHICLE_NONE && (!wheel || (d->wild && chance(d, 0.2)))) found = j;
  }
  if (found < 0) return;
  const char *end = strrchr(v->joint[found].name, '_');
  const int n = end ? (int)(end - v->joint[found].name) + 1 : 0, count = v->njoint;
  const streams same = fork_streams(d), after = d->random;
  for (int j = 0; j < count; j++) {
    const vehicle_joint *joint = &v->joint[j];
    const bool like = alike && n && joint->place.corner && v->joint[found].place.corner &&
                      joint->kind == v->joint[found].kind && joint->motion == VEHICLE_NONE &&
                      !strncmp(joint->name, v->joint[found].name, (size_t)n);
    if ((j != found && !like) || v->nchannel > VEHICLE_CHANNELS - 4) continue;
    char text[48];
    snprintf(text, sizeof text, "%s_%d", name, j);
    d->random.choice = same.choice;
    const bool turns = joint->kind != VEHICLE_JOINT_TRANSLATIONAL;
    const double inertia = turns ? 0.02 * mass * d->length * d->length : 0.2 * mass;
    if (servo)
      add_servo(d, text, j, inertia, 3.0);
    else
      torsion(d, text, j, inertia);
  }
  d->random.choice = after.choice;
}

// A spring between two bodies of a corner, on all corners.
static bool draw_on_corners(drawing *d, const char *name)
{
  vehicle *v = d->v;
  const int a = some_body(d), b = some_body(d);
  const vehicle_place *p = &v->body[a].place, *q = &v->body[b].place;
  if (a == b || !p->corner || (q->corner && (q->axle != p->axle || q->corner != p->corner)) ||
      is_wheel_body(v, a) || is_wheel_body(v, b) || p->limb || q->limb)
    return false;
  const streams same = fork_streams(d), after = d->random;
  for (int k = 0;; k++) {
    const int to = counterpart(v, a, k);
    if (to == VEHICLE_NONE) break;
    int from = b;
    for (int i = 0; q->corner; i++) {
      from = counterpart(v, b, i);
      if (from == VEHICLE_NONE || (v->body[from].place.axle == v->body[to].place.axle &&
                                   v->body[from].place.corner == v->body[to].place.corner))
        break;
    }
    if (from < 0 || from == to) continue;
    char text[48];
    double x[3], y[3];
    d->random = same;
    d->side = v->body[to].place.corner == 2 ? -1.0 : 1.0;
    place_near(d, v->body[to].cg, 0.1 * d->length, x);
    place_near(d, v->body[from].cg, 0.1 * d->length, y);
    snprintf(text, sizeof text, "%s_%d", name, k + 1);
    if (distance_of(x, y) > 0.05 * d->length && v->nforce < VEHICLE_FORCES - 8 &&
        v->nchannel < VEHICLE_CHANNELS - 8)
      draw_tsda(d, text, from, to, 0.2 * fmin(v->body[to].mass, v->body[from].mass), x, y);
  }
  d->side = 1.0;
  d->random = after;
  return true;
}

// A wheel more, on any body: a castor below the chassis, one on the rack.
static void draw_castor(drawing *d, const char *name)
{
  vehicle *v = d->v;
  int b = d->chassis;
  for (int k = 0; k < 20 && chance(d, 0.5); k++) b = choose(d, v->nbody);
  if (is_wheel_body(v, b) || v->ntyre == VEHICLE_TYRES || v->body[b].place.limb) b = d->chassis;
  const int i = add_force(d, name, VEHICLE_FORCE_WHEEL, b, b);
  vehicle_force *w = &v->force[i];
  // Any tyre of the vehicle, lifted so far that it carries a tenth of what the others do.
  w->tyre = choose(d, v->ntyre);
  const vehicle_tyre *t = &v->tyre[w->tyre];
  w->at[0][0] = rounded(v->body[b].cg[0] - 0.4 * d->length, 4);
  w->at[0][1] = rounded(0.2 * d->length * size_in(d, -1, 1), 3);
  w->at[0][2] = rounded(t->radius - 0.1 * t->load / t->stiffness, 4);
  w->inertia = rounded(0.3 * d->unsprung * t->radius * t->radius, 3);
  w->has_spin = true;
  w->spin = rounded(d->speed / t->radius, 4);
}

static void draw_element(drawing *d, int number)
{
  static const double origin[3] = {0.3, 0.2, 1};
  vehicle *v = d->v;
  const int a = some_body(d);
  int b = or_ground(d, 0.2, some_body(d));
  if (a == b) b = VEHICLE_GROUND;
  const double mass = 0.3 * (b < 0 ? v->body[a].mass : fmin(v->body[a].mass, v->body[b].mass));
  double p[3], q[3];
  char name[24];
  place_near(d, v->body[a].cg, 0.2 * d->length, p);
  place_near(d, b < 0 ? origin : v->body[b].cg, 0.2 * d->length, q);
  snprintf(name, sizeof name, "more%d", number);
  if (distance_of(p, q) < 0.05 * d->length) return;
  switch (choose(d, 10)) {
    case 0:
    case 1:
      draw_tsda(d, name, a, b, mass, p, q);
      return;
    case 2:
      in_joints(d, name, mass);
      return;
    case 3: {
      const int f = add_bushing(d, name, a, b, p, mass, 1.0, 0.2 * d->length);
      if (b < 0 && d->speed > 0.0)
        for (int k = 0; k < 3; k++)
          v->force[f].linear[0][k] = rounded(0.02 * v->force[f].linear[0][k], 3);
      return;
    }
    case 4: {
      const int f = add_force(d, name, VEHICLE_FORCE_FORCE, a, a);
      vehicle_force *e = &v->force[f];
      vector_in(d, 1.0, e->vector);
      for (int k = 0; k < 3; k++) e->vector[k] = rounded(5.0 * mass * e->vector[k], 3);
      e->body_frame = chance(d, 0.5);
      if (chance(d, 0.6)) e->nat = 1;
      memcpy(e->at[0], p, sizeof p);
      if (chance(d, 0.5)) e->channel = add_channel(d, e->name);
      if (e->channel >= 0 && chance(d, 0.5)) e->lag = rounded(size_in(d, 0.005, 0.05), 2);
      return;
    }
    case 5: {
      const int f = add_force(d, name, VEHICLE_FORCE_TORQUE, b, a);
      vehicle_force *e = &v->force[f];
      direction_in(d, e->vector);
      e->torque = rounded(0.3 * mass * d->length * size_in(d, -1, 1), 3);
      if (chance(d, 0.4)) e->start = rounded(size_in(d, 0.01, 0.08), 2);
      if (chance(d, 0.5)) e->channel = add_channel(d, e->name);
      if (e->channel >= 0 && chance(d, 0.5)) e->lag = rounded(size_in(d, 0.005, 0.05), 2);
      return;
    }
    case 6:
    case 7:
      if (!draw_on_corners(d, name)) draw_tsda(d, name, a, b, mass, p, q);
      return;
    case 8:
      if (chance(d, 0.4)) draw_castor(d, name);
      return;
    default: {
#ifdef JT_FORCE_PLUGIN
      // A stop that is touched in the design position already.
      const int f = add_force(d, name, VEHICLE_FORCE_PLUGIN, a, b);
      vehicle_force *e = &v->force[f];
      e->nat = 2;
      memcpy(e->at[0], p, sizeof p);
      memcpy(e->at[1], q, sizeof q);
      e->free = rounded(distance_of(p, q) + 0.02 * size_in(d, -1, 1), 4);
      e->stiffness = rounded(mass * 80.0, 3);
      if (chance(d, 0.5)) e->preload = rounded(mass * 3000.0, 2);
      if (chance(d, 0.5)) e->damping = 0.3;
#else
      draw_tsda(d, name, a, b, mass, p, q);
#endif
      return;
    }
  }
}

void draw_elements(drawing *d)
{
  const int n = CHOOSE(d, 0, 0, 0, 1, 1, 2, 3, 4);
  for (int i = 0; i < n && d->v->nforce < VEHICLE_FORCES - 4; i++) draw_element(d, i + 1);
}
