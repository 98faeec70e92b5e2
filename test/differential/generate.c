// generate.c: a vehicle from a seed: chassis, axles, steering, trailers; then what is hung on it, and how it is run.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "differential/generate.h"

// ---- steering -------------------------------------------------------------------------------------

static bool takes_tie_rod(suspension kind)
{
  return kind == DOUBLE_WISHBONE || kind == PUSHROD || kind == MACPHERSON || kind == STRUT_BODY ||
         kind == LINKED || kind == MULTILINK || kind == SLIDING;
}

static bool is_solid(suspension kind)
{
  return kind >= SOLID_GUIDED && kind <= SOLID_LINKS;
}

void drive_by_curve(drawing *d, int joint, double reach)
{
  vehicle_joint *j = &d->v->joint[joint];
  j->motion = VEHICLE_GROUND;
  j->curve = (vehicle_curve){.n = 5, .method = 1 + choose(d, 2), .outside = 1};
  static const double at[] = {0, 0.008, 0.016, 0.12, 0.4}, part[] = {0, 0.3, 0.4, 1, -0.6};
  for (int i = 0; i < 5; i++) {
    j->curve.x[i] = at[i];
    j->curve.y[i] = d->calm && i < 3 ? 0.0 : rounded(reach * part[i], 3);
  }
}

static void drive_joint(drawing *d, int joint, double reach)
{
  vehicle_joint *j = &d->v->joint[joint];
  if (chance(d, 0.4)) {
    drive_by_curve(d, joint, reach);
    return;
  }
  j->motion = add_channel(d, j->name);
  if (chance(d, 0.5)) j->filter = rounded(size_in(d, 0.01, 0.05), 2);
}

// A rack or a pitman arm, free with a servo or driven. Returns its body.
static int draw_rack(drawing *d, bool may_drive)
{
  const double length = d->length, mass = 0.01 * d->mass;
  const bool pitman = chance(d, 0.3);
  double at[3] = {rounded(d->centre[0] - 0.15 * length, 4), 0.0,
                  rounded(d->centre[2] + 0.02 * length, 4)};
  double axis[3];
  const int rack = add_body(d, "rack", mass, at, 0.2 * length);
  if (pitman) {
    at[0] = rounded(at[0] + 0.25 * length, 4);
    direction_near(d, 0, 0, 1, 0.08, true, axis);
  } else {
    direction_near(d, 0, 1, 0, 0.06, true, axis);
  }
  const int j = pitman ? add_revolute(d, "rack_in", d->top, rack, at, axis)
                       : add_joint_at(d, "rack_in", VEHICLE_JOINT_TRANSLATIONAL, d->top, rack, at);
  vehicle_joint *joint = &d->v->joint[j];
  joint->naxis = 1;
  memcpy(joint->axis[0], axis, sizeof axis);
  if (chance(d, 0.2)) turn_round(d, j);
  if (may_drive && chance(d, 0.35)) {
    drive_joint(d, j, pitman ? 0.03 : 0.008 * length);
  } else {
    const double arm = pitman ? 0.25 * length : 1.0;
    add_servo(d, "steer", j, (mass + d->unsprung) * arm * arm, size_in(d, 4, 9));
    if (!d->calm && chance(d, 0.3)) {
      joint->has_position = true;
      joint->position[0] = rounded(size_in(d, -0.01, 0.01) * length, 2);
    }
  }
  return rack;
}

// ---- axles ----------------------------------------------------------------------------------------

typedef struct axle_plan {
  suspension kind[2];
  streams side[2];
  bool dual, steered;
} axle_plan;

static suspension draw_kind(drawing *d)
{
  static const suspension tame[] = {
      DOUBLE_WISHBONE, DOUBLE_WISHBONE, DOUBLE_WISHBONE, MACPHERSON,   MACPHERSON, STRUT_BODY,
      TRAILING_ARM,    SEMI_TRAILING,   SWING_AXLE,      PUSHROD,      PUSHROD,    LINKED,
      SLIDING,         SOLID_GUIDED,    SOLID_SLIDING,   SOLID_SPHERE, RIGID};
  if (d->wild && chance(d, 0.35)) return chance(d, 0.6) ? MULTILINK : SOLID_LINKS;
  return tame[choose(d, (int)(sizeof tame / sizeof tame[0]))];
}

static axle_plan draw_plan(drawing *d)
{
  axle_plan p = {.dual = chance(d, 0.07)};
  const int likeness = CHOOSE(d, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2);
  p.kind[0] = draw_kind(d);
  p.side[0] = p.side[1] = fork_streams(d);
  p.kind[1] = p.kind[0];
  if (likeness >= 1) p.side[1].size = fork_streams(d).size;  // of one kind, with other numbers
  if (likeness == 2 && !is_solid(p.kind[0])) {
    p.side[1].choice = fork_streams(d).choice;
    p.kind[1] = draw_kind(d);
    if (is_solid(p.kind[1])) p.kind[1] = TRAILING_ARM;
  }
  return p;
}

static void draw_axle(drawing *d, const axle_plan *p, int number, double x)
{
  const streams after = d->random;
  const double load = (d->sprung + d->unsprung) * d->gravity / (p->dual ? 2 : 1);
  const double radius = d->radius;
  d->centre[0] = rounded(x, 4);
  d->place.axle = number;
  snprintf(d->suffix, sizeof d->suffix, "_%d", number);
  d->dual = p->dual;
  d->random = p->side[0];
  d->tyre = draw_tyre(d, radius, load);
  if (is_solid(p->kind[0])) {
    d->bearing = chance(d, 0.4);
    draw_solid_axle(d, p->kind[0]);
  } else {
    for (int i = 0; i < 2; i++) {
      d->side = i ? -1 : 1;
      d->random = p->side[i];
      d->place.corner = 1 + i;
      snprintf(d->suffix, sizeof d->suffix, "_%d%c", number, i ? 'r' : 'l');
      d->bearing = chance(d, 0.4);
      draw_corner(d, p->kind[i], p->steered && (i == 0 || !d->half_rack));
    }
  }
  d->place.axle = d->place.corner = 0;
  d->side = 1;
  d->suffix[0] = 0;
  d->random = after;
}

// A spring between the two sides, in place of a bar.
static void draw_roll_spring(drawing *d, int number, int left, int right)
{
  const double *p = d->v->body[left].cg, *q = d->v->body[right].cg;
  if (left == right || distance_of(p, q) < 0.1 * d->length) return;
  char name[24];
  snprintf(name, sizeof name, "roll_%d", number);
  double a[3] = {p[0], p[1], rounded(p[2] + 0.1 * d->length, 4)};
  d->place.axle = number;
  add_spring(d, name, left, right, a, q, 15.0 * d->sprung, 0.2 * d->sprung);
  d->place.axle = 0;
}

// ---- between chassis and axles --------------------------------------------------------------------

void give_axes(drawing *d, int joint, const double near[3], double apart)
{
  vehicle_joint *j = &d->v->joint[joint];
  switch (j->kind) {
    case VEHICLE_JOINT_UNIVERSAL: {
      static const double zero[3];
      double a[3], b[3], c[3];
      direction_near(d, near[0], near[1], near[2], apart, true, a);
      do {
        direction_in(d, b);
        cross_of(a, b, c);
      } while (distance_of(zero, c) < 0.5 * distance_of(zero, a) * distance_of(zero, b));
      j->naxis = 2;
      for (int k = 0; k < 3; k++) {
        j->axis[0][k] = a[k];
        j->axis[1][k] = rounded(c[k], 4);
      }
      return;
    }
    case VEHICLE_JOINT_REVOLUTE:
    case VEHICLE_JOINT_TRANSLATIONAL:
    case VEHICLE_JOINT_CYLINDRICAL:
    case VEHICLE_JOINT_PLANAR:
    case VEHICLE_JOINT_SCREW:
      j->naxis = 1;
      direction_near(d, near[0], near[1], near[2], apart, true, j->axis[0]);
      if (j->kind == VEHICLE_JOINT_SCREW) j->lead = rounded(size_in(d, 0.05, 0.3), 2);
      return;
    default:
      return;
  }
}

// On any joint, held by a bushing. A driven joint needs none.
static int draw_subframe(drawing *d, double x)
{
  static const vehicle_joint_kind tame[] = {VEHICLE_JOINT_REVOLUTE, VEHICLE_JOINT_TRANSLATIONAL,
                                            VEHICLE_JOINT_UNIVERSAL, VEHICLE_JOINT_SPHERICAL};
  static const vehicle_joint_kind others[] = {VEHICLE_JOINT_CYLINDRICAL, VEHICLE_JOINT_PLANAR,
                                              VEHICLE_JOINT_SCREW,       VEHICLE_JOINT_FREE,
                                              VEHICLE_JOINT_NO_ROTATION, VEHICLE_JOINT_FIXED};
  const vehicle_joint_kind kind =
      d->wild && chance(d, 0.5) ? others[choose(d, 6)] : tame[choose(d, 4)];
  const double at[3] = {rounded(x, 4), 0.0, rounded(d->radius * 1.3, 4)};
  double near[3];
  const int sub = add_body(d, "sub", 0.05 * d->mass, at, 0.4 * d->length);
  direction_in(d, near);
  const int j =
      kind == VEHICLE_JOINT_FREE || kind == VEHICLE_JOINT_NO_ROTATION || kind == VEHICLE_JOINT_FIXED
          ? add_joint(d, "sub_in", kind, d->top, sub)
          : add_joint_at(d, "sub_in", kind, d->top, sub, at);
  give_axes(d, j, near, 0.0);
  if ((kind == VEHICLE_JOINT_REVOLUTE || kind == VEHICLE_JOINT_TRANSLATIONAL) && chance(d, 0.25)) {
    drive_joint(d, j, 0.01);
  } else if (kind != VEHICLE_JOINT_FIXED) {
    const int f = add_bushing(d, "sub_bush", d->top, sub, at, 0.25 * d->mass, 9.0, 0.6 * d->length);
    d->v->force[f].nat = 1;
  }
  if (chance(d, 0.2)) turn_round(d, j);
  return sub;
}

// Two axles on a beam that pitches.
static int draw_bogie(drawing *d, double x)
{
  const double at[3] = {rounded(x, 4), 0.0, rounded(d->radius * 1.2, 4)};
  double axis[3];
  const int bogie = add_body(d, "bogie", 0.04 * d->mass, at, 0.6 * d->length);
  direction_near(d, 0, 1, 0, 0.03, true, axis);
  add_revolute(d, "bogie_in", d->top, bogie, at, axis);
  return bogie;
}

// ---- units ----------------------------------------------------------------------------------------

typedef struct unit_plan {
  int body;
  double mass;
  int naxle;
  double x[3];
  bool steer;
} unit_plan;

static int last_body_of(const drawing *d, int axle, int corner)
{
  int found = VEHICLE_NONE;
  for (int i = 0; i < d->v->nbody; i++)
    if (d->v->body[i].place.axle == axle && d->v->body[i].place.corner == corner &&
        strncmp(d->v->body[i].name, "wheel", 5) && found == VEHICLE_NONE)
      found = i;
  return found;
}

static void draw_unit(drawing *d, const unit_plan *u, int first)
{
  const bool alike = chance(d, 0.65), same_sizes = chance(d, 0.5);
  const bool sub = chance(d, 0.12), bogie = u->naxle > 1 && chance(d, 0.06);
  const axle_plan common = draw_plan(d);
  d->mass = u->mass;
  d->sprung = rounded(u->mass / (2 * u->naxle), 4);
  d->unsprung = rounded(d->sprung * size_in(d, 0.09, 0.16), 3);
  d->top = u->body;
  d->rack = VEHICLE_NONE;
  int on_all = u->body;
  if (d->place.unit) snprintf(d->suffix, sizeof d->suffix, "_t%d", d->place.unit % 10);
  if (bogie) on_all = draw_bogie(d, 0.5 * (u->x[u->naxle - 1] + u->x[u->naxle - 2]));
  for (int k = 0; k < u->naxle; k++) {
    axle_plan p = alike ? common : draw_plan(d);
    if (alike && !same_sizes)
      for (int i = 0; i < 2; i++) p.side[i].size += (uint64_t)k * 0x632be59bd9b4e019u;
    d->top = bogie && k >= u->naxle - 2 ? on_all : u->body;
    if (sub && k == 0 && is_solid(p.kind[0]) && !d->wild) p.kind[0] = p.kind[1] = SEMI_TRAILING;
    if (sub && k == 0) d->top = draw_subframe(d, u->x[k]);
    d->suffix[0] = 0;
    const bool ties = takes_tie_rod(p.kind[0]) || takes_tie_rod(p.kind[1]);
    d->centre[0] = u->x[k];
    d->half_rack = false;
    p.steered = u->steer && (k == 0 ? chance(d, 0.85) : chance(d, 0.2));
    // A rack on a subframe joins the two corners, and the subframe with them, to one subsystem.
    const bool linked = !(sub && k == 0) || d->wild || chance(d, 0.15);
    if (p.steered && ties && linked && chance(d, 0.85)) {
      d->half_rack = chance(d, 0.08);
      if (d->rack == VEHICLE_NONE || !chance(d, 0.3)) {
        d->place.axle = first + k;
        snprintf(d->suffix, sizeof d->suffix, "_%d", first + k);
        const int before = d->rack;
        const bool one = d->half_rack || !takes_tie_rod(p.kind[0]) || !takes_tie_rod(p.kind[1]);
        const bool drag = before != VEHICLE_NONE && d->wild && chance(d, 0.3);
        d->rack = draw_rack(d, !drag && (d->wild || !one));
        if (drag) {
          const double *cg = d->v->body[before].cg, l = d->length;
          const double from[3] = {cg[0], rounded(0.3 * l, 4), cg[2]};
          const double to[3] = {rounded(cg[0] - 0.2 * l, 4), rounded(-0.3 * l, 4), cg[2]};
          add_distance(d, "drag", before, d->rack, from, to);
        }
        d->place.axle = 0;
        d->suffix[0] = 0;
      }
    }
    const int rack = d->rack;
    if (!ties) d->rack = VEHICLE_NONE;
    draw_axle(d, &p, first + k, u->x[k]);
    d->rack = rack;
    if (chance(d, 0.15)) {
      const int l = last_body_of(d, first + k, 1), r = last_body_of(d, first + k, 2);
      if (l >= 0 && r >= 0) draw_roll_spring(d, first + k, l, r);
    }
  }
  d->top = u->body;
}

static void axle_places(drawing *d, unit_plan *u, double middle)
{
  static const double at[3][3] = {{0}, {1.3, -1.3}, {1.7, -0.8, -2.0}};
  for (int k = 0; k < u->naxle; k++)
    u->x[k] = rounded(middle + d->length * (at[u->naxle - 1][k] + size_in(d, -0.1, 0.1)), 4);
}

static int draw_frame(drawing *d, const char *name, const unit_plan *u, double z)
{
  double x = 0.0;
  for (int k = 0; k < u->naxle; k++) x += u->x[k] / u->naxle;
  const double cg[3] = {rounded(x + 0.05 * d->length * size_in(d, -1, 1), 4),
                        chance(d, 0.3) ? rounded(0.03 * d->length * size_in(d, -1, 1), 3) : 0.0,
                        rounded(z, 4)};
  return add_body(d, name, u->mass, cg, 1.1 * d->length);
}

static void draw_trailer(drawing *d, int unit, int towing, double hitch, int *axle)
{
  static const vehicle_joint_kind kinds[] = {VEHICLE_JOINT_SPHERICAL, VEHICLE_JOINT_UNIVERSAL,
                                             VEHICLE_JOINT_REVOLUTE};
  unit_plan u = {.naxle = 1 + choose(d, 2)};
  const double at[3] = {rounded(hitch, 4), 0.0, rounded(1.3 * d->radius, 4)};
  u.mass = rounded(d->towing_mass * size_in(d, 0.3, 0.9), 3);
  axle_places(d, &u, hitch - 2.4 * d->length);
  if (u.naxle == 2)
    for (int k = 0; k < 2; k++) u.x[k] = rounded(hitch - d->length * (2.0 + 1.1 * k), 4);
  d->place = (vehicle_place){.unit = unit};
  char name[24];
  snprintf(name, sizeof name, "trailer_%d", unit);
  u.body = draw_frame(d, name, &u, 2.0 * d->radius);
  snprintf(name, sizeof name, "hitch_%d", unit);
  const vehicle_joint_kind kind = kinds[choose(d, 3)];
  const int j = add_joint_at(d, name, kind, towing, u.body, at);
  if (kind == VEHICLE_JOINT_UNIVERSAL) {
    d->v->joint[j].naxis = 2;
    direction_near(d, 0, 1, 0, 0.02, true, d->v->joint[j].axis[0]);
    direction_near(d, 0, 0, 1, 0.02, true, d->v->joint[j].axis[1]);
  } else {
    give_axes(d, j, (double[3]){0, 0, 1}, 0.02);
  }
  if (chance(d, 0.3)) turn_round(d, j);
  draw_unit(d, &u, *axle);
  *axle += u.naxle;
}

// ---- the ground -----------------------------------------------------------------------------------

// A rig, or a free joint that gives place and heading.
static void hold_chassis(drawing *d)
{
  static const vehicle_joint_kind kinds[] = {
      VEHICLE_JOINT_TRANSLATIONAL, VEHICLE_JOINT_TRANSLATIONAL, VEHICLE_JOINT_REVOLUTE,
      VEHICLE_JOINT_UNIVERSAL,     VEHICLE_JOINT_SPHERICAL,     VEHICLE_JOINT_CYLINDRICAL,
      VEHICLE_JOINT_PLANAR,        VEHICLE_JOINT_NO_ROTATION};
  vehicle *v = d->v;
  const vehicle_joint_kind kind = kinds[choose(d, d->wild ? 8 : 5)];
  const double *cg = v->body[d->chassis].cg;
  const double at[3] = {rounded(cg[0] - 3.0 * d->length, 4), 0.0, cg[2]};
  const bool along = kind == VEHICLE_JOINT_TRANSLATIONAL || kind == VEHICLE_JOINT_CYLINDRICAL;
  int j;
  if (kind == VEHICLE_JOINT_NO_ROTATION)
    j = add_joint(d, "rig", kind, VEHICLE_GROUND, d->chassis);
  else
    j = add_joint_at(d, "rig", kind, VEHICLE_GROUND, d->chassis, along ? cg : at);
  give_axes(d, j, along ? (double[3]){0, 0, 1} : (double[3]){0, 1, 0}, 0.03);
  if (chance(d, 0.3)) turn_round(d, j);
  d->rig = j;
}

static void float_chassis(drawing *d)
{
  const int j = add_joint(d, "afloat", VEHICLE_JOINT_FREE, VEHICLE_GROUND, d->chassis);
  vehicle_joint *joint = &d->v->joint[j];
  const double yaw = rounded(size_in(d, -3, 3), 3);
  if (chance(d, 0.5)) {
    joint->nat = 1;
    memcpy(joint->at[0], d->v->body[d->chassis].cg, sizeof joint->at[0]);
  }
  joint->has_offset = joint->has_angles = joint->has_velocity = true;
  joint->offset[0] = rounded(size_in(d, -5, 5), 3);
  joint->offset[1] = rounded(size_in(d, -5, 5), 3);
  joint->angles[2] = yaw;
  joint->velocity[0] = rounded(d->speed * cos(yaw), 4);
  joint->velocity[1] = rounded(d->speed * sin(yaw), 4);
  if (chance(d, 0.5)) {
    joint->has_angular = true;
    vector_in(d, 0.1, joint->angular);
  }
  d->afloat = true;
}

// Points and axes once on each body, a little apart: imported models are so.
static void part_points(drawing *d)
{
  vehicle *v = d->v;
  for (int i = 0; i < v->njoint; i++) {
    vehicle_joint *j = &v->joint[i];
    if (j->nat != 1 || j->kind == VEHICLE_JOINT_NO_ROTATION || j->kind == VEHICLE_JOINT_FREE ||
        !chance(d, 0.3) || !strncmp(j->name, "bearing", 7))
      continue;
    j->nat = 2;
    for (int k = 0; k < 3; k++)
      j->at[1][k] = rounded(j->at[0][k] + 0.001 * d->length * size_in(d, -1, 1), 5);
    if (j->naxis != 1 || j->kind == VEHICLE_JOINT_SPHERICAL_TRANSLATIONAL || !chance(d, 0.5))
      continue;
    j->naxis = 2;
    for (int k = 0; k < 3; k++)
      j->axis[1][k] = rounded(j->axis[0][k] * (1.0 + 0.002 * size_in(d, -1, 1)), 5);
  }
}

// ---- the whole ------------------------------------------------------------------------------------

static void draw_solver(drawing *d)
{
  vehicle *v = d->v;
  static const double steps[] = {0.00025, 0.0005, 0.001, 0.001, 0.001, 0.002};
  v->step = steps[choose(d, 6)];
  v->end = 0.1;
  v->integrator = (jn_integrator)CHOOSE(d, JN_INTEGRATOR_AB3, JN_INTEGRATOR_AB3, JN_INTEGRATOR_AB2,
                                        JN_INTEGRATOR_EULER, JN_INTEGRATOR_SEMI_EULER,
                                        JN_INTEGRATOR_RK2, JN_INTEGRATOR_RK4, JN_INTEGRATOR_ABM4);
  v->stabilize = d->wild && chance(d, 0.2)
                     ? (jn_stabilize)CHOOSE(d, JN_STABILIZE_BAUMGARTE, JN_STABILIZE_NEWTON)
                     : (jn_stabilize)CHOOSE(d, JN_STABILIZE_PROJECTION, JN_STABILIZE_PROJECTION,
                                            JN_STABILIZE_DELAYED, JN_STABILIZE_NONE);
}

void vehicle_draw(vehicle *v, uint64_t seed)
{
  *v = (vehicle){.seed = seed, .base = VEHICLE_NONE};
  drawing drawn = {.v = v,
                   .random = {seed, seed ^ 0x5851f42d4c957f2du},
                   .side = 1,
                   .gravity = 9.81,
                   .one_tyre = -1,
                   .rig = VEHICLE_NONE,
                   .rack = VEHICLE_NONE};
  drawing *d = &drawn;
  for (int i = 0; i < 4; i++) fork_streams(d);  // neighbouring seeds part
  d->wild = v->wild = chance(d, 0.24);
  d->calm = chance(d, 0.7);
  d->square = chance(d, 0.25);
  draw_solver(d);
  unit_plan u = {.mass = log_size_in(d, 200, 20000),
                 .naxle = CHOOSE(d, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3),
                 .steer = true};
  const bool held = u.naxle == 1 ? chance(d, 0.4) : chance(d, 0.08);
  d->towing_mass = u.mass;
  d->unsprung = rounded(0.12 * u.mass / (2 * u.naxle), 3);
  d->length = rounded(pow(u.mass / 1300.0, 0.25), 3);
  d->radius = rounded(0.33 * d->length, 3);
  d->centre[1] = rounded(0.75 * d->length * size_in(d, 0.9, 1.15), 4);
  d->centre[2] = rounded(d->radius - 0.018 * d->length * size_in(d, 0.8, 1.4), 4);
  d->speed = held ? 0.0 : (double)CHOOSE(d, 0, 2, 10, 20, 30);
  if (chance(d, 0.12)) {
    v->has_gravity = true;
    vector_in(d, 1.5, v->gravity);
    v->gravity[2] = rounded(v->gravity[2] - 9.81, 4);
  }
  if (chance(d, 0.4)) d->one_tyre = draw_tyre(d, d->radius, u.mass * 1.12 * 9.81 / (2 * u.naxle));
  axle_places(d, &u, 0.0);
  u.body = d->chassis = draw_frame(d, "chassis", &u, 1.8 * d->radius);
  if (held)
    hold_chassis(d);
  else if (chance(d, 0.15))
    float_chassis(d);
  int axle = 1;
  draw_unit(d, &u, axle);
  axle += u.naxle;
  const int trailers = u.naxle == 1 || held ? 0 : CHOOSE(d, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2);
  double hitch = u.x[u.naxle - 1] - 0.7 * d->length;
  int towing = d->chassis;
  for (int i = 1; i <= trailers && v->nbody < 30; i++) {
    draw_trailer(d, i, towing, hitch, &axle);
    for (towing = v->nbody - 1; strncmp(v->body[towing].name, "trailer", 7); towing--) continue;
    hitch -= 4.4 * d->length;
  }
  d->place = (vehicle_place){0};
  d->mass = d->towing_mass;
  d->sprung = rounded(d->mass / (2 * u.naxle), 4);
  d->unsprung = rounded(0.12 * d->sprung, 3);
  draw_limbs(d);
  draw_loops(d);
  draw_core(d, seed);
  if (d->wild && !d->calm && chance(d, 0.3)) part_points(d);
  draw_elements(d);
  draw_initial(d);
  draw_topology(d);
  draw_scenario(d);
  draw_rare(d, seed);
  draw_odd_corner(d, seed);
  draw_contacts(d, seed);
}
