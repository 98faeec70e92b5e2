// generate_core.c: cores that lanes have no code for: steering linkages, rigs of several bodies, arms without mass, axes that differ,
// assemblies beside the vehicle, joints that corners on different bodies share, corners with redundant rows.
//
// They are put into a vehicle that is drawn already, before its further elements and its inputs.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "differential/generate.h"

static int find_joint(const vehicle *v, const char *name)  // whose name begins so
{
  for (int i = 0; i < v->njoint; i++)
    if (!strncmp(v->joint[i].name, name, strlen(name))) return i;
  return VEHICLE_NONE;
}

static void off_by(drawing *d, const double p[3], const double off[3], double jitter, double out[3])
{
  double more[3];
  vector_in(d, jitter, more);
  for (int k = 0; k < 3; k++) out[k] = rounded(p[k] + d->length * (off[k] + more[k]), 4);
}

// Holds a body to where it is, softly.
static void keep(drawing *d, const char *name, int parent, int body, double frequency,
                 double radius)
{
  const vehicle_body *b = &d->v->body[body];
  const int f = add_bushing(d, name, parent, body, b->cg, b->mass, frequency, radius);
  d->v->force[f].nat = 1;
}

static void cut_it(vehicle *v, int joint)
{
  for (int i = 0; i < v->ncut; i++)
    if (v->cut[i] == joint) return;
  if (v->ncut < VEHICLE_CUTS) v->cut[v->ncut++] = joint;
}

static void differ(drawing *d, int joint)  // the axes on its two bodies, a little
{
  vehicle_joint *j = &d->v->joint[joint];
  if (j->naxis != 1 || (j->nat != 1 && j->nat != 2)) return;
  if (j->nat == 1) memcpy(j->at[1], j->at[0], sizeof j->at[1]);
  j->nat = j->naxis = 2;
  for (int k = 0; k < 3; k++) j->axis[1][k] = rounded(j->axis[0][k] + 0.002 * size_in(d, -1, 1), 5);
}

static int spring_in(drawing *d, const char *name, int joint, double inertia)
{
  const int i = add_force(d, name, VEHICLE_FORCE_RSDA, 0, 0);
  vehicle_force *f = &d->v->force[i];
  const double w = 2.0 * 3.14159265358979 * size_in(d, 2, 5);
  f->joint = joint;
  f->stiffness = rounded(inertia * w * w, 3);
  f->damping = rounded(0.5 * inertia * w, 3);
  return i;
}

static void drive_it(drawing *d, int joint, double reach)
{
  if (chance(d, 0.5)) {
    drive_by_curve(d, joint, reach);
    return;
  }
  vehicle_joint *j = &d->v->joint[joint];
  j->motion = add_channel(d, j->name);
  if (chance(d, 0.5)) j->filter = rounded(size_in(d, 0.01, 0.05), 2);
}

// ---- steering linkages --------------------------------------------------------------------------------

typedef enum linkage {
  EXACT,          // universal and ball: all rows count
  BALLS,          // two balls: the relay rod is held against rolling by a bushing
  SLEEVE,         // a sleeve and a ball
  HINGES,         // four parallel hinges: three rows are redundant
  PARALLELOGRAM,  // the same with arms of one length
  HALF_HINGES,    // three parallel hinges and a ball
  NLINKAGE
} linkage;

static void relay_joint(drawing *d, const char *name, int arm, int relay, const double at[3],
                        vehicle_joint_kind kind, const double axis[3])
{
  const int j = add_joint_at(d, name, kind, arm, relay, at);
  vehicle_joint *joint = &d->v->joint[j];
  if (kind == VEHICLE_JOINT_UNIVERSAL) {
    // Neither of its axes is that of the arm's hinge, nor along the relay rod.
    joint->naxis = 2;
    direction_near(d, 1, 0, 0, 0.05, true, joint->axis[0]);
    double across[3], other[3] = {0.1, 0.5, 1.0};
    cross_of(joint->axis[0], other, across);
    for (int k = 0; k < 3; k++) joint->axis[1][k] = rounded(across[k], 4);
  } else if (kind != VEHICLE_JOINT_SPHERICAL) {
    joint->naxis = 1;
    memcpy(joint->axis[0], axis, sizeof joint->axis[0]);
  }
  if (chance(d, 0.2)) turn_round(d, j);
}

// In place of a rack that slides: it is the relay rod, between a pitman arm and an idler arm.
static void draw_linkage(drawing *d)
{
  vehicle *v = d->v;
  const int guide = find_joint(v, "rack_in");
  if (guide == VEHICLE_NONE || v->nbody > 56) return;
  vehicle_joint *g = &v->joint[guide];
  const int end = !strncmp(v->body[g->body[0]].name, "rack", 4) ? 0 : 1;
  const int relay = g->body[end], parent = g->body[1 - end];
  if (parent < 0 || g->nat != 1) return;
  const bool slid = g->kind == VEHICLE_JOINT_TRANSLATIONAL;
  const linkage kind = (linkage)choose(d, NLINKAGE);
  const bool parallel = kind >= HINGES;
  const double *c = v->body[relay].cg, jitter = kind == PARALLELOGRAM ? 0.0 : 0.03;
  const double in_left[3] = {0.25, 0.3, 0.02}, in_right[3] = {0.25, -0.3, 0.02},
               out_left[3] = {0.0, 0.3, 0.0}, out_right[3] = {0.0, -0.3, 0.0};
  double pivot[3], idle[3], left[3], right[3], cg[3], axis[3], other[3];
  off_by(d, c, in_left, jitter, pivot);
  off_by(d, c, in_right, jitter, idle);
  off_by(d, c, out_left, jitter, left);
  off_by(d, c, out_right, jitter, right);
  direction_near(d, 0, 0, 1, 0.08, true, axis);
  if (parallel)
    memcpy(other, axis, sizeof other);
  else
    direction_near(d, 0, 0, 1, 0.08, true, other);
  d->place.limb++;
  const double mass = 0.4 * v->body[relay].mass, arm = 0.25 * d->length;
  between(pivot, left, 0.5, cg);
  const int pitman = add_body(d, "pitman", mass, cg, 0.1 * d->length);
  between(idle, right, 0.5, cg);
  const int idler = add_body(d, "idler", mass, cg, 0.1 * d->length);
  g->kind = VEHICLE_JOINT_REVOLUTE;
  g->body[end] = pitman;
  g->has_position = g->has_speed = false;
  memcpy(g->at[0], pivot, sizeof pivot);
  g->naxis = 1;
  memcpy(g->axis[0], axis, sizeof axis);
  for (int i = 0; i < v->nforce && slid; i++) {  // what was a force is a torque
    vehicle_force *f = &v->force[i];
    if ((f->kind != VEHICLE_FORCE_SERVO && f->kind != VEHICLE_FORCE_RSDA) || f->joint != guide)
      continue;
    f->stiffness = rounded(f->stiffness * arm * arm, 3);
    f->damping = rounded(f->damping * arm * arm, 3);
  }
  const int in = add_revolute(d, "idler_in", parent, idler, idle, other);
  if (chance(d, 0.2)) turn_round(d, in);
  static const vehicle_joint_kind first[NLINKAGE] = {
      VEHICLE_JOINT_UNIVERSAL, VEHICLE_JOINT_SPHERICAL, VEHICLE_JOINT_CYLINDRICAL,
      VEHICLE_JOINT_REVOLUTE,  VEHICLE_JOINT_REVOLUTE,  VEHICLE_JOINT_REVOLUTE};
  const vehicle_joint_kind second =
      kind == HINGES || kind == PARALLELOGRAM ? VEHICLE_JOINT_REVOLUTE : VEHICLE_JOINT_SPHERICAL;
  const bool swapped = chance(d, 0.3);
  const int before = v->njoint;
  relay_joint(d, "relay_l", pitman, relay, left, swapped ? second : first[kind], axis);
  relay_joint(d, "relay_r", idler, relay, right, swapped ? first[kind] : second, axis);
  if (kind == BALLS || chance(d, 0.3)) keep(d, "relay_keep", parent, relay, 4.0, arm);
  if (chance(d, 0.3)) spring_in(d, "idler_spring", in, 2.0 * mass * arm * arm);
  if (!parallel && chance(d, 0.25)) differ(d, chance(d, 0.5) ? guide : in);
  if (g->motion == VEHICLE_NONE && chance(d, 0.25)) drive_it(d, in, 0.03);
  const int driven = g->motion != VEHICLE_NONE ? guide : in;
  if (v->joint[driven].motion != VEHICLE_NONE && chance(d, 0.4)) {
    cut_it(v, driven);
    return;
  }
  switch (choose(d, 5)) {
    case 0:
      cut_it(v, in);
      break;
    case 1:
      cut_it(v, guide);
      break;
    case 2:
      cut_it(v, before + choose(d, 2));
      break;
    default:
      break;
  }
}

// A crank beside a rack, with a rod between them.
static void draw_crank(drawing *d)
{
  vehicle *v = d->v;
  const int guide = find_joint(v, "rack_in");
  if (guide == VEHICLE_NONE || v->nbody > 56) return;
  vehicle_joint *g = &v->joint[guide];
  const int end = !strncmp(v->body[g->body[0]].name, "rack", 4) ? 0 : 1;
  const int rack = g->body[end], parent = g->body[1 - end];
  if (parent < 0) return;
  double pivot[3], out[3], on_rack[3], cg[3], axis[3];
  const double *c = v->body[rack].cg;
  off_by(d, c, (const double[3]){0.3, 0.05, 0.15}, 0.03, pivot);
  off_by(d, c, (const double[3]){0.1, 0.05, 0.12}, 0.03, out);
  off_by(d, c, (const double[3]){0.02, -0.2, 0.03}, 0.03, on_rack);
  direction_near(d, 0.1, 0, 1, 0.08, true, axis);
  between(pivot, out, 0.6, cg);
  d->place.limb++;
  const double mass = 0.3 * v->body[rack].mass, arm = 0.2 * d->length;
  const int crank = add_body(d, "crank", mass, cg, 0.1 * d->length);
  const int in = add_revolute(d, "crank_in", parent, crank, pivot, axis);
  if (chance(d, 0.2)) turn_round(d, in);
  const int rod = add_distance(d, "crank_rod", crank, rack, out, on_rack);
  if (g->motion == VEHICLE_NONE && chance(d, 0.35)) {
    drive_it(d, in, 0.03);
  } else if (chance(d, 0.5)) {
    if (chance(d, 0.5))
      add_servo(d, "crank_servo", in, 3.0 * mass * arm * arm, 5.0);
    else
      spring_in(d, "crank_spring", in, 3.0 * mass * arm * arm);
  }
  if (chance(d, 0.25)) differ(d, in);
  switch (choose(d, 4)) {
    case 0:
      cut_it(v, in);
      break;
    case 1:
      cut_it(v, guide);
      break;
    case 2:
      cut_it(v, rod);
      break;
    default:
      break;
  }
}

// ---- bodies between chassis and corners -----------------------------------------------------------------

// What hung on one body hangs on another: corners of an axle, 1: left, 2: right, 3: both.
static void rehang(vehicle *v, int axle, int corners, int from, int to)
{
  for (int i = 0; i < v->njoint; i++) {
    vehicle_joint *j = &v->joint[i];
    if (j->place.axle != axle || !j->place.corner || !(corners & j->place.corner)) continue;
    for (int e = 0; e < 2; e++)
      if (j->body[e] == from) j->body[e] = to;
  }
  for (int i = 0; i < v->nforce; i++) {
    vehicle_force *f = &v->force[i];
    if (f->place.axle != axle || !f->place.corner || !(corners & f->place.corner)) continue;
    for (int e = 0; e < 2 && f->kind != VEHICLE_FORCE_RSDA && f->kind != VEHICLE_FORCE_SERVO; e++)
      if (f->body[e] == from) f->body[e] = to;
  }
}

static bool hangs_on_chassis(const vehicle *v, int axle, int chassis)
{
  for (int i = 0; i < v->njoint; i++)
    if (v->joint[i].place.axle == axle && v->joint[i].place.corner &&
        (v->joint[i].body[0] == chassis || v->joint[i].body[1] == chassis))
      return true;
  return false;
}

// A frame that the corners of an axle hang on, or those of one side, so that a rack is shared by corners on two bodies. On joints
// without code for the core, axes that differ, or plain ones.
static void draw_carrier(drawing *d)
{
  vehicle *v = d->v;
  static const vehicle_joint_kind kinds[] = {
      VEHICLE_JOINT_SPHERICAL_REVOLUTE, VEHICLE_JOINT_SPHERICAL_TRANSLATIONAL,
      VEHICLE_JOINT_REVOLUTE,           VEHICLE_JOINT_TRANSLATIONAL,
      VEHICLE_JOINT_SPHERICAL,          VEHICLE_JOINT_FIXED};
  int axle = 1 + chance(d, 0.3);  // rather the one that is steered
  if (!hangs_on_chassis(v, axle, d->chassis)) axle = 3 - axle;
  if (!hangs_on_chassis(v, axle, d->chassis) || v->nbody > 56) return;
  double x = 0.0;
  int n = 0;
  for (int i = 0; i < v->nbody; i++)
    if (v->body[i].place.axle == axle && v->body[i].place.corner) x += v->body[i].cg[0], n++;
  const double at[3] = {rounded(x / n, 4), 0.0, rounded(1.2 * d->radius, 4)};
  const vehicle_joint_kind kind = kinds[choose(d, 6)];
  const int corners = CHOOSE(d, 1, 2, 3, 3);
  double p[3], q[3], axis[3];
  d->place.limb++;
  const int sub = add_body(d, "carrier", 0.05 * d->mass, at, 0.4 * d->length);
  off_by(d, at, (const double[3]){0.25, 0.1, 0.1}, 0.05, p);
  off_by(d, at, (const double[3]){-0.05, 0.15, 0.02}, 0.05, q);
  int j;
  if (kind == VEHICLE_JOINT_SPHERICAL_REVOLUTE) {
    const bool turned = chance(d, 0.3);  // the hinge is on the second body
    j = add_distance(d, "carrier_in", turned ? sub : d->chassis, turned ? d->chassis : sub,
                     turned ? q : p, turned ? p : q);
    v->joint[j].kind = kind;
    v->joint[j].naxis = 1;
    direction_near(d, 0.2, -1, 0.1, 0.1, true, v->joint[j].axis[0]);
  } else if (kind == VEHICLE_JOINT_FIXED) {
    j = add_joint(d, "carrier_in", kind, d->chassis, sub);
  } else {
    const bool turned = kind == VEHICLE_JOINT_SPHERICAL_TRANSLATIONAL && chance(d, 0.5);
    j = add_joint_at(d, "carrier_in", kind, turned ? sub : d->chassis, turned ? d->chassis : sub,
                     p);
    direction_in(d, axis);
    if (kind != VEHICLE_JOINT_SPHERICAL) {
      v->joint[j].naxis = 1;
      memcpy(v->joint[j].axis[0], axis, sizeof axis);
    }
    if (kind != VEHICLE_JOINT_SPHERICAL_TRANSLATIONAL && chance(d, 0.3)) turn_round(d, j);
  }
  const bool one = kind == VEHICLE_JOINT_REVOLUTE || kind == VEHICLE_JOINT_TRANSLATIONAL;
  if (one && chance(d, 0.6)) differ(d, j);
  const bool driven = one && chance(d, 0.6);
  if (driven) {
    drive_it(d, j, 0.01);
  } else if (kind != VEHICLE_JOINT_FIXED) {
    const int f =
        add_bushing(d, "carrier_bush", d->chassis, sub, at, 0.25 * d->mass, 9.0, 0.6 * d->length);
    v->force[f].nat = 1;
  }
  rehang(v, axle, corners, d->chassis, sub);
  if (corners < 3 && chance(d, 0.8)) rehang(v, 3 - axle, corners, d->chassis, sub);
  if (corners < 3 && chance(d, 0.4)) v->base = d->chassis;  // not the frame
  const int guide = find_joint(v, "rack_in");
  for (int e = 0; e < 2 && guide >= 0 && (driven || chance(d, 0.7)); e++)
    if (v->joint[guide].body[e] == d->chassis) v->joint[guide].body[e] = sub;
}

// ---- assemblies -------------------------------------------------------------------------------------------

// A body on a guide of the ground, or on bushings alone, with what hangs on it; a spring ties it to a vehicle at rest.
static void draw_pad(drawing *d, int number)
{
  vehicle *v = d->v;
  static const vehicle_joint_kind kinds[] = {VEHICLE_JOINT_TRANSLATIONAL,
                                             VEHICLE_JOINT_TRANSLATIONAL,
                                             VEHICLE_JOINT_REVOLUTE,
                                             VEHICLE_JOINT_UNIVERSAL,
                                             VEHICLE_JOINT_CYLINDRICAL,
                                             VEHICLE_JOINT_SPHERICAL_REVOLUTE,
                                             VEHICLE_NJOINT};
  const vehicle_joint_kind kind = kinds[choose(d, 7)];
  const double *c = v->body[d->chassis].cg, mass = 0.03 * d->mass, radius = 0.15 * d->length;
  double at[3], cg[3], axis[3], low[3], top[3];
  char name[24];
  if (v->nbody > 60) return;
  off_by(d, c, (const double[3]){0.8 * number - 1.2, 1.6, 0.1}, 0.2, at);
  off_by(d, at, (const double[3]){0.15, 0.1, -0.05}, 0.05, cg);
  d->place.limb++;
  snprintf(name, sizeof name, "pad%d", number);
  const int pad = add_body(d, name, mass, cg, radius);
  snprintf(name, sizeof name, "pad%d_in", number);
  int j = VEHICLE_NONE;
  if (kind == VEHICLE_JOINT_SPHERICAL_REVOLUTE) {
    off_by(d, at, (const double[3]){0.1, 0.2, 0.25}, 0.03, top);
    j = add_distance(d, name, VEHICLE_GROUND, pad, top, at);
    v->joint[j].kind = kind;
    v->joint[j].naxis = 1;
    direction_near(d, 1, -0.2, -0.2, 0.1, true, v->joint[j].axis[0]);
  } else if (kind != VEHICLE_NJOINT) {
    j = add_joint_at(d, name, kind, VEHICLE_GROUND, pad, at);
    const bool turns = kind == VEHICLE_JOINT_REVOLUTE || kind == VEHICLE_JOINT_UNIVERSAL;
    give_axes(d, j, turns ? (double[3]){0, 1, 0} : (double[3]){0, 0, 1}, 0.05);
    if (kind == VEHICLE_JOINT_REVOLUTE && chance(d, 0.3)) differ(d, j);
    if (chance(d, 0.3)) turn_round(d, j);
  }
  const bool one = kind == VEHICLE_JOINT_TRANSLATIONAL || kind == VEHICLE_JOINT_REVOLUTE;
  if (one && chance(d, 0.3)) {
    drive_it(d, j, kind == VEHICLE_JOINT_REVOLUTE ? 0.03 : 0.01);
  } else {
    snprintf(name, sizeof name, "pad%d_keep", number);
    keep(d, name, VEHICLE_GROUND, pad, size_in(d, 3, 8), radius);
  }
  if (d->speed == 0.0 && chance(d, 0.5)) {
    // On which of several pads a vehicle without joints to the ground would hang is a matter of names.
    if (d->rig < 0 && !d->afloat && (number > 1 || chance(d, 0.5)))
      v->body[d->chassis].parent = VEHICLE_GROUND;
    off_by(d, cg, (const double[3]){0.0, -0.3, 0.2}, 0.05, low);
    snprintf(name, sizeof name, "pad%d_tie", number);
    add_spring(d, name, d->chassis, pad, low, cg, 400.0 * mass, 10.0 * mass);
  }
  if (!chance(d, 0.4)) return;
  // A crank on it, and a rod to the ground or back to it.
  off_by(d, cg, (const double[3]){0.2, 0.1, 0.2}, 0.03, at);
  off_by(d, at, (const double[3]){0.2, 0.05, 0.05}, 0.03, low);
  off_by(d, at, (const double[3]){0.3, 0.3, 0.3}, 0.03, top);
  direction_in(d, axis);
  between(at, low, 0.5, cg);
  snprintf(name, sizeof name, "lever%d", number);
  const int lever = add_body(d, name, 0.3 * mass, cg, 0.5 * radius);
  snprintf(name, sizeof name, "lever%d_in", number);
  add_joint_at(d, name, VEHICLE_JOINT_SPHERICAL, pad, lever, at);
  snprintf(name, sizeof name, "lever%d_keep", number);
  keep(d, name, pad, lever, size_in(d, 3, 8), radius);
  snprintf(name, sizeof name, "lever%d_rod", number);
  if (chance(d, 0.6)) add_distance(d, name, chance(d, 0.5) ? VEHICLE_GROUND : pad, lever, top, low);
}

// A car that nothing but springs ties to the vehicle: it has the same speed.
static void draw_companion(drawing *d)
{
  vehicle *v = d->v;
  if (v->nbody > 60 || d->afloat) return;
  const double *c = v->body[d->chassis].cg, mass = 0.04 * d->mass, radius = 0.2 * d->length;
  double cg[3], arm[3], axis[3];
  off_by(d, c, (const double[3]){-0.5, 0.3, 0.7}, 0.1, cg);
  off_by(d, cg, (const double[3]){0.3, 0.1, 0.2}, 0.05, arm);
  d->place.limb++;
  const int box = add_body(d, "box", mass, cg, radius);
  if (chance(d, 0.5)) v->body[box].parent = d->chassis;
  const int f = add_bushing(d, "box_mount", d->chassis, box, cg, mass, size_in(d, 3, 8), radius);
  v->force[f].nat = 1;
  if (!chance(d, 0.6)) return;
  const int lid = add_body(d, "lid", 0.2 * mass, arm, 0.5 * radius);
  direction_in(d, axis);
  const int j = add_revolute(d, "lid_in", box, lid, cg, axis);
  spring_in(d, "lid_spring", j, 0.2 * mass * radius * radius);
}

// The chassis of a rig on rods as well: loops between it and the ground, or on a swing.
static void draw_rig(drawing *d)
{
  vehicle *v = d->v;
  if (d->rig < 0 || v->nbody > 60) return;
  vehicle_joint *g = &v->joint[d->rig];
  const int end = g->body[0] == d->chassis ? 0 : 1;
  const double *c = v->body[d->chassis].cg, mass = 0.05 * d->mass;
  if (g->nat != 1 || g->body[1 - end] != VEHICLE_GROUND) return;
  d->place.limb++;
  double at[3], p[3], q[3], axis[3];
  off_by(d, c, (const double[3]){-2.5, 0.0, 0.0}, 0.1, at);
  direction_near(d, 0, 1, 0, 0.05, true, axis);
  const int table = add_body(d, "table", mass, at, 0.4 * d->length);
  g->body[1 - end] = table;
  add_revolute(d, "table_in", VEHICLE_GROUND, table, at, axis);
  keep(d, "table_keep", VEHICLE_GROUND, table, 30.0, 1.5 * d->length);
  off_by(d, at, (const double[3]){0.3, 0.3, 0.9}, 0.1, p);
  off_by(d, c, (const double[3]){0.2, 0.3, 0.4}, 0.1, q);
  add_distance(d, "table_rod", chance(d, 0.7) ? VEHICLE_GROUND : table, d->chassis, p, q);
  if (g->motion == VEHICLE_NONE && chance(d, 0.3) &&
      (g->kind == VEHICLE_JOINT_TRANSLATIONAL || g->kind == VEHICLE_JOINT_REVOLUTE))
    spring_in(d, "table_spring", find_joint(v, "table_in"), d->mass * d->length * d->length);
}

// ---- redundant rows ---------------------------------------------------------------------------------------

// A second bearing of hinges of the corners, on the first one's axis.
static void draw_bearings(drawing *d)
{
  vehicle *v = d->v;
  const char *name = CHOOSE(d, 0, 1) ? "lca_in" : "uca_in";
  const bool all = chance(d, 0.5);
  const int n = v->njoint;
  d->place.limb++;
  // Of an axle or two: methods for redundant rows take their time.
  for (int i = 0; i < n && v->njoint < n + 4 && v->njoint < VEHICLE_JOINTS - 8; i++) {
    const vehicle_joint *j = &v->joint[i];
    if (strncmp(j->name, name, 6) != 0 || j->nat != 1 || j->naxis != 1 ||
        j->motion != VEHICLE_NONE || (!all && chance(d, 0.5)))
      continue;
    double at[3];
    char text[24];
    for (int k = 0; k < 3; k++) at[k] = j->at[0][k] + 0.125 * d->length * j->axis[0][k];
    snprintf(text, sizeof text, "second_%d", i);
    add_revolute(d, text, j->body[0], j->body[1], at, j->axis[0]);
  }
}

// ---- the whole --------------------------------------------------------------------------------------------

void draw_core(drawing *d, uint64_t seed)
{
  const streams after = d->random;
  d->random = (streams){seed ^ 0x7f4a7c159e3779b9u, seed ^ 0xb5297a4d3f84d5b5u};
  for (int i = 0; i < 4; i++) fork_streams(d);
  d->side = 1.0;
  d->suffix[0] = 0;
  d->place.unit = d->place.axle = d->place.corner = 0;
  if (d->rig >= 0 && chance(d, 0.35)) draw_rig(d);
  if (chance(d, 0.18)) draw_carrier(d);
  if (chance(d, 0.14)) draw_linkage(d);
  if (chance(d, 0.07)) draw_crank(d);
  if (chance(d, 0.09))
    for (int i = 1; i < 4 && (i == 1 || chance(d, 0.4)); i++) draw_pad(d, i);
  if (chance(d, 0.05)) draw_companion(d);
  if (chance(d,
             find_joint(d->v, "idler_in") >= 0 || find_joint(d->v, "crank_in") >= 0 ? 0.3 : 0.05))
    draw_bearings(d);
  const int loose[] = {find_joint(d->v, "rack_in"), find_joint(d->v, "sub_in"),
                       find_joint(d->v, "bogie_in"), find_joint(d->v, "hitch_1"),
                       find_joint(d->v, "rig")};
  for (int i = 0; i < 5; i++)
    if (loose[i] >= 0 && d->v->joint[loose[i]].nat == 1 && chance(d, 0.06)) differ(d, loose[i]);
  d->random = after;
}
