// generate_suspensions.c: corners and solid axles. Hardpoints are those of a car, from the wheel's centre, scaled
// and jittered; spring
// rates follow from the mass that a corner carries and from how a spring moves with the wheel.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "differential/generate.h"

static const double pi = 3.14159265358979;

// ---- springs --------------------------------------------------------------------------------------

static double dot_of(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Velocity of a point of a body that turns about an axis by 1 rad/s.
static void turning(const double at[3], const double axis[3], const double p[3], double out[3])
{
  const double r[3] = {p[0] - at[0], p[1] - at[1], p[2] - at[2]};
  const double n = sqrt(dot_of(axis, axis)), u[3] = {axis[0] / n, axis[1] / n, axis[2] / n};
  cross_of(u, r, out);
}

// Lengthening of the line from p to q, of which q moves.
static double lengthening(const double p[3], const double q[3], const double velocity[3])
{
  const double e[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
  return dot_of(e, velocity) / sqrt(dot_of(e, e));
}

static double kept_from_zero(double x)
{
  return fabs(x) > 0.25 ? x : x < 0.0 ? -0.25 : 0.25;
}

// A nonlinear part, small against the linear one.
static void bend_spring(drawing *d, vehicle_force *f, double reach, double rate)
{
  if (chance(d, 0.15)) f->spring = curve_through(d, reach, 0.3 * f->stiffness * reach);
  if (chance(d, 0.15)) f->damper = curve_through(d, rate, 0.4 * f->damping * rate);
  if (chance(d, 0.12)) {
    f->nspring = 1 + choose(d, 3);
    for (int i = 0; i < f->nspring; i++)
      f->spring_term[i] = rounded(f->stiffness * size_in(d, -0.1, 0.2) / pow(reach, i), 3);
  }
  if (chance(d, 0.12)) {
    f->ndamper = 1 + choose(d, 3);
    for (int i = 0; i < f->ndamper; i++)
      f->damper_term[i] = rounded(f->damping * size_in(d, 0.0, 0.2) / pow(rate, i), 3);
  }
  if (chance(d, 0.08) && d->v->nchannel < VEHICLE_CHANNELS / 2) {
    f->channel = add_channel(d, f->name);
    if (chance(d, 0.5)) f->lag = size_in(d, 0.005, 0.05);
  }
  if (chance(d, 0.12)) {
    f->map[0] = curve_through(d, reach, 0.3 * f->stiffness * reach);
    f->map[1] = curve_through(d, rate, 0.4 * f->damping * rate);
    f->coupled = 0.5 / (0.3 * f->stiffness * reach + 0.4 * f->damping * rate);
  }
}

// Carries the corner's sprung mass in the design position. `ratio`: lengthening per rise of the wheel.
static void carry(drawing *d, int on_top, int on_arm, const double top[3], const double low[3],
                  double ratio)
{
  ratio = kept_from_zero(ratio);
  const double w = 2.0 * pi * size_in(d, 1.0, 2.2), rate = d->sprung * w * w / (ratio * ratio);
  const double damping = 2.0 * size_in(d, 0.2, 0.5) * d->sprung * w / (ratio * ratio);
  const double tension = d->sprung * d->gravity / ratio, length = distance_of(top, low);
  const bool apart = chance(d, 0.25), turned = chance(d, 0.3);
  const int a = turned ? on_arm : on_top, b = turned ? on_top : on_arm;
  const double *p = turned ? low : top, *q = turned ? top : low;
  const int i = add_spring(d, "spring", a, b, p, q, rate, apart ? 0.0 : damping);
  vehicle_force *f = &d->v->force[i];
  const double free = rounded(length - tension / f->stiffness, 5);
  if (chance(d, 0.03)) {
    if (chance(d, 0.5))
      f->auto_preload = true;
    else
      f->auto_free = true;
  } else if (chance(d, 0.5) && free > 0.3 * length) {
    f->has_free = true;
    f->free = free;
  } else {
    f->preload = rounded(tension, 4);
  }
  bend_spring(d, f, 0.05 * d->length, 0.5);
  if (!apart) return;
  const int k = add_spring(d, "damper", a, b, p, q, 0.0, damping);
  bend_spring(d, &d->v->force[k], 0.05 * d->length, 0.5);
}

// ---- pieces ---------------------------------------------------------------------------------------

static int arm_between(drawing *d, const char *name, double part, const double p[3],
                       const double q[3])
{
  double cg[3];
  between(p, q, size_in(d, 0.3, 0.7), cg);
  return add_body(d, name, part * d->unsprung, cg, 0.3 * distance_of(p, q) + 0.03 * d->length);
}

static int hinge(drawing *d, const char *name, int a, int b, const double at[3],
                 const double axis[3])
{
  const int j = add_revolute(d, name, a, b, at, axis);
  if (chance(d, 0.2)) turn_round(d, j);
  return j;
}

static int ball(drawing *d, const char *name, int a, int b, const double at[3])
{
  const bool turned = chance(d, 0.2);
  const int j = add_joint_at(d, name, VEHICLE_JOINT_SPHERICAL, turned ? b : a, turned ? a : b, at);
  return j;
}

// The carrier of the wheel has the wheel's mass too, where that is no body of its own.
static int carrier(drawing *d, const char *name, double part, double x, double y, double z)
{
  double cg[3];
  point_at(d, x, y, z, cg);
  const double mass = (part + (d->bearing ? 0.0 : 0.4)) * d->unsprung;
  return add_body(d, name, mass, cg, 0.15 * d->length);
}

static void tie_rod(drawing *d, int upright, bool steered, bool light)
{
  double in[3], out[3];
  point_at(d, -0.15, -0.36, 0.02, in);
  point_at(d, -0.16, -0.1, 0.0, out);
  const int to = steered && d->rack != VEHICLE_NONE ? d->rack : d->top;
  if (chance(d, 0.85) || light) {
    const bool turned = chance(d, 0.2);
    if (turned)
      add_distance(d, "tie", upright, to, out, in);
    else
      add_distance(d, "tie", to, upright, in, out);
    return;
  }
  // A rod of some mass: the universal joint keeps it from spinning about its own line.
  const double along[3] = {out[0] - in[0], out[1] - in[1], out[2] - in[2]};
  const int rod = arm_between(d, "rod", 0.03, in, out);
  const bool inside =
      d->wild && chance(d, 0.5);  // on the rack, the rod would be a subsystem of its own
  const int u = inside ? add_universal(d, "rod_u", to, rod, in, along)
                       : add_universal(d, "rod_u", upright, rod, out, along);
  if (chance(d, 0.2)) turn_round(d, u);
  if (inside)
    add_joint_at(d, "rod_s", VEHICLE_JOINT_SPHERICAL, rod, upright, out);
  else
    add_joint_at(d, "rod_s", VEHICLE_JOINT_SPHERICAL, to, rod, in);
}

typedef struct lower {
  int arm;
  double in[3], axis[3], ball[3];
} lower;

static lower lower_arm(drawing *d)
{
  lower l;
  point_at(d, 0.0, -0.42, -0.08, l.in);
  point_at(d, 0.01, -0.1, -0.13, l.ball);
  direction_near(d, 1, 0, 0, 0.1, true, l.axis);
  l.arm = arm_between(d, "lca", 0.1, l.in, l.ball);
  hinge(d, "lca_in", d->top, l.arm, l.in, l.axis);
  return l;
}

// Of a spring between the top and a point of the lower arm.
static double arm_ratio(const lower *l, const double top[3], const double low[3])
{
  double v[3], rise[3];
  turning(l->in, l->axis, low, v);
  turning(l->in, l->axis, l->ball, rise);
  return lengthening(top, low, v) / rise[2];
}

static void finish(drawing *d, int carried, bool steered)
{
  double centre[3] = {d->centre[0], d->side * d->centre[1], d->centre[2]};
  draw_wheel(d, carried, centre, 0.4 * d->unsprung, steered);
}

// ---- corners --------------------------------------------------------------------------------------

static void spring_on_arm(drawing *d, const lower *l)
{
  double top[3], low[3];
  point_at(d, 0.05, -0.28, 0.4, top);
  between(l->in, l->ball, size_in(d, 0.55, 0.8), low);
  low[2] = rounded(low[2] + 0.02 * d->length, 4);
  carry(d, d->top, l->arm, top, low, arm_ratio(l, top, low));
}

// A rocker between the lower arm's rod and the spring.
static void spring_on_rocker(drawing *d, const lower *l, int upright)
{
  double pivot[3], out[3], up[3], low[3], top[3], axis[3];
  point_at(d, 0.0, -0.36, 0.4, pivot);
  point_at(d, 0.0, -0.24, 0.42, out);
  point_at(d, 0.0, -0.38, 0.54, up);
  point_at(d, 0.02, -0.6, 0.56, top);
  direction_near(d, 1, 0, 0, 0.08, true, axis);
  // On the lower arm, the rod would make that arm part of the core.
  const bool on_arm = d->wild && chance(d, 0.5);
  between(l->in, l->ball, on_arm ? size_in(d, 0.7, 0.9) : 1.0, low);
  if (!on_arm) low[2] = rounded(low[2] + 0.03 * d->length, 4);
  const int rocker = arm_between(d, "rocker", 0.05, pivot, up);
  hinge(d, "rocker_in", d->top, rocker, pivot, axis);
  add_distance(d, "pushrod", on_arm ? l->arm : upright, rocker, low, out);
  double vl[3], rise[3], vo[3], vu[3];
  turning(l->in, l->axis, low, vl);
  turning(l->in, l->axis, l->ball, rise);
  turning(pivot, axis, out, vo);
  turning(pivot, axis, up, vu);
  const double turn = -lengthening(out, low, vl) / lengthening(low, out, vo) / rise[2];
  carry(d, d->top, rocker, top, up, turn * lengthening(top, up, vu));
}

static void wishbones(drawing *d, bool steered, bool rocker)
{
  double in[3], out[3], axis[3];
  const lower l = lower_arm(d);
  point_at(d, -0.02, -0.34, 0.14, in);
  point_at(d, -0.03, -0.13, 0.16, out);
  direction_near(d, 1, 0, 0, 0.1, true, axis);
  const int upper = arm_between(d, "uca", 0.06, in, out);
  const int upright = carrier(d, "upright", 0.3, 0.0, -0.05, 0.0);
  hinge(d, "uca_in", d->top, upper, in, axis);
  ball(d, "lca_out", l.arm, upright, l.ball);
  ball(d, "uca_out", upper, upright, out);
  tie_rod(d, upright, steered, rocker && !d->wild);
  if (rocker)
    spring_on_rocker(d, &l, upright);
  else
    spring_on_arm(d, &l);
  d->arm = l.arm;
  finish(d, upright, steered);
}

static void strut(drawing *d, bool steered, bool body)
{
  double top[3], low[3], foot[3];
  const lower l = lower_arm(d);
  point_at(d, -0.02, -0.2, 0.5, top);
  point_at(d, 0.0, -0.13, 0.1, low);
  between(low, l.ball, 0.3, foot);
  const double along[3] = {rounded(top[0] - low[0], 4), rounded(top[1] - low[1], 4),
                           rounded(top[2] - low[2], 4)};
  const int upright = carrier(d, "upright", 0.4, 0.0, -0.06, 0.05);
  ball(d, "lca_out", l.arm, upright, l.ball);
  int upper = d->top;
  if (body) {
    upper = arm_between(d, "strut", 0.06, low, top);
    const int j = add_joint_at(d, "strut_slide", VEHICLE_JOINT_TRANSLATIONAL, upright, upper, low);
    d->v->joint[j].naxis = 1;
    memcpy(d->v->joint[j].axis[0], along, sizeof along);
    if (chance(d, 0.2)) turn_round(d, j);
    ball(d, "strut_top", d->top, upper, top);
  } else {
    const int j =
        add_joint_at(d, "strut", VEHICLE_JOINT_SPHERICAL_TRANSLATIONAL, upright, d->top, top);
    d->v->joint[j].naxis = 1;
    memcpy(d->v->joint[j].axis[0], along, sizeof along);
  }
  tie_rod(d, upright, steered, false);
  carry(d, d->top, upright, top, foot, -0.98);
  d->arm = l.arm;
  finish(d, upright, steered);
}

static void links(drawing *d, bool steered)
{
  double in[3], out[3];
  const lower l = lower_arm(d);
  const int upright = carrier(d, "upright", 0.4, 0.0, -0.05, 0.0);
  ball(d, "lca_out", l.arm, upright, l.ball);
  for (int i = 0; i < 2; i++) {
    point_at(d, i ? -0.15 : 0.13, -0.36, 0.13, in);
    point_at(d, i ? -0.04 : 0.03, -0.12, 0.15, out);
    add_distance(d, i ? "link_b" : "link_a", d->top, upright, in, out);
  }
  tie_rod(d, upright, steered, false);
  spring_on_arm(d, &l);
  d->arm = upright;
  finish(d, upright, steered);
}

// Five rods, and an upright that no joint but these holds.
static void multilink(drawing *d, bool steered)
{
  static const double rod[5][6] = {{0.2, -0.4, -0.1, 0.02, -0.1, -0.13},
                                   {-0.2, -0.4, -0.1, -0.03, -0.1, -0.13},
                                   {0.15, -0.36, 0.13, 0.03, -0.12, 0.15},
                                   {-0.18, -0.36, 0.13, -0.04, -0.12, 0.15}};
  const int upright = carrier(d, "upright", 0.5, 0.0, -0.05, 0.0);
  char name[8];
  for (int i = 0; i < 4; i++) {
    double in[3], out[3];
    point_at(d, rod[i][0], rod[i][1], rod[i][2], in);
    point_at(d, rod[i][3], rod[i][4], rod[i][5], out);
    snprintf(name, sizeof name, "link_%c", 'a' + i);
    add_distance(d, name, d->top, upright, in, out);
  }
  tie_rod(d, upright, steered, false);
  double top[3], low[3];
  point_at(d, 0.02, -0.22, 0.4, top);
  point_at(d, 0.0, -0.1, -0.05, low);
  carry(d, d->top, upright, top, low, -0.95);
  if (chance(d, 0.5)) add_joint(d, "upright_free", VEHICLE_JOINT_FREE, d->top, upright);
  d->arm = upright;
  finish(d, upright, steered);
}

// Arms that carry the wheel themselves.
static void swinging(drawing *d, suspension kind, bool steered)
{
  double pivot[3], axis[3], top[3], low[3], v[3], rise[3];
  if (kind == SWING_AXLE) {
    point_at(d, 0.0, -0.45, 0.02, pivot);
    direction_near(d, 1, 0, 0, 0.1, true, axis);
  } else {
    point_at(d, 0.42, -0.2, 0.04, pivot);
    direction_near(d, kind == SEMI_TRAILING ? -0.35 : 0, 1, 0, 0.06, true, axis);
  }
  const int arm = carrier(d, "arm", 0.6, kind == SWING_AXLE ? 0.0 : 0.12, -0.1, 0.0);
  const double centre[3] = {d->centre[0], d->side * d->centre[1], d->centre[2]};
  const int j = hinge(d, "arm_in", d->top, arm, pivot, axis);
  point_at(d, 0.06, -0.2, 0.4, top);
  point_at(d, 0.08, -0.14, 0.03, low);
  turning(pivot, axis, low, v);
  turning(pivot, axis, centre, rise);
  carry(d, d->top, arm, top, low, lengthening(top, low, v) / rise[2]);
  if (chance(d, 0.15)) {  // a torsion bar beside it
    const int f = add_force(d, "bar", VEHICLE_FORCE_RSDA, 0, 0);
    d->v->force[f].joint = j;
    d->v->force[f].stiffness = rounded(d->sprung * 10.0 * d->length * d->length, 3);
    d->v->force[f].damping = rounded(d->sprung * 0.3 * d->length * d->length, 3);
    if (chance(d, 0.5)) d->v->force[f].has_free = true;
    d->v->force[f].free = size_in(d, -0.05, 0.05);
    bend_spring(d, &d->v->force[f], 0.2, 2.0);
  }
  d->arm = arm;
  finish(d, arm, steered);
}

static void pillar(drawing *d, bool steered)
{
  double at[3], top[3], low[3], axis[3];
  const bool knuckle = steered && d->rack != VEHICLE_NONE;
  point_at(d, 0.0, -0.08, 0.1, at);
  point_at(d, 0.0, -0.1, 0.45, top);
  point_at(d, 0.0, -0.09, 0.0, low);
  direction_near(d, 0, 0, 1, 0.08, true, axis);
  const int slider = knuckle ? arm_between(d, "pillar", 0.15, at, low)
                             : carrier(d, "pillar", 0.5, 0.0, -0.05, 0.05);
  const int j = add_joint_at(d, "pillar_in", VEHICLE_JOINT_TRANSLATIONAL, d->top, slider, at);
  d->v->joint[j].naxis = 1;
  memcpy(d->v->joint[j].axis[0], axis, sizeof axis);
  if (chance(d, 0.2)) turn_round(d, j);
  carry(d, d->top, slider, top, low, -1.0);
  d->arm = slider;
  int last = slider;
  if (knuckle) {
    direction_near(d, 0, 0, 1, 0.06, true, axis);
    last = carrier(d, "knuckle", 0.4, 0.0, -0.04, 0.0);
    hinge(d, "kingpin", slider, last, low, axis);
    tie_rod(d, last, true, false);
  }
  finish(d, last, steered);
}

void draw_corner(drawing *d, suspension kind, bool steered)
{
  switch (kind) {
    case DOUBLE_WISHBONE:
    case PUSHROD:
      wishbones(d, steered, kind == PUSHROD);
      break;
    case MACPHERSON:
    case STRUT_BODY:
      strut(d, steered, kind == STRUT_BODY);
      break;
    case LINKED:
      links(d, steered);
      break;
    case MULTILINK:
      multilink(d, steered);
      break;
    case TRAILING_ARM:
    case SEMI_TRAILING:
    case SWING_AXLE:
      swinging(d, kind, steered);
      break;
    case SLIDING:
      pillar(d, steered);
      break;
    default:
      d->arm = d->top;
      d->bearing = d->bearing && chance(d, 0.3);
      finish(d, d->top, steered);
      break;
  }
}

// ---- solid axles ----------------------------------------------------------------------------------

// The middle of the axle, for points with y across: the side is the left one there.
static void middle(drawing *d, double x, double y, double z, double out[3])
{
  const double half = d->centre[1];
  d->centre[1] = 0.0;
  point_at(d, x, y, z, out);
  d->centre[1] = half;
}

static int axle_on_joints(drawing *d, suspension kind, const double cg[3], double mass)
{
  double at[3], axis[3], q[3];
  const double radius = 0.5 * d->centre[1];
  switch (kind) {
    case SOLID_GUIDED: {
      middle(d, 0.0, 0.0, 0.05, at);
      direction_near(d, 0, 0, 1, 0.05, true, axis);
      const int guide = add_body(d, "guide", 0.1 * mass, at, 0.15 * d->length);
      const int j = add_joint_at(d, "guide_in", VEHICLE_JOINT_TRANSLATIONAL, d->top, guide, at);
      d->v->joint[j].naxis = 1;
      memcpy(d->v->joint[j].axis[0], axis, sizeof axis);
      if (chance(d, 0.2)) turn_round(d, j);
      const int axle = add_body(d, "axle", mass, cg, radius);
      direction_near(d, 1, 0, 0, 0.05, true, axis);
      hinge(d, "axle_roll", guide, axle, at, axis);
      return axle;
    }
    case SOLID_SLIDING: {
      const int axle = add_body(d, "axle", mass, cg, radius);
      middle(d, 0.5, 0.0, 0.05, at);
      direction_near(d, 0, 1, 0, 0.05, true, axis);
      hinge(d, "axle_in", d->top, axle, at, axis);
      return axle;
    }
    case SOLID_SPHERE: {
      const int axle = add_body(d, "axle", mass, cg, radius);
      middle(d, 0.6, 0.0, 0.05, at);
      ball(d, "axle_in", d->top, axle, at);
      middle(d, -0.1, 0.4, 0.1, at);
      middle(d, -0.1, -0.3, 0.05, q);
      add_distance(d, "panhard", d->top, axle, at, q);
      return axle;
    }
    default: {
      const int axle = add_body(d, "axle", mass, cg, radius);
      static const double link[4][6] = {{0.6, 0.4, 0.0, 0.0, 0.4, -0.1},
                                        {0.6, -0.4, 0.0, 0.0, -0.4, -0.1},
                                        {0.5, 0.1, 0.25, 0.0, 0.05, 0.15},
                                        {-0.1, 0.4, 0.1, -0.1, -0.3, 0.05}};
      for (int i = 0; i < 4; i++) {
        char name[8];
        middle(d, link[i][0], link[i][1], link[i][2], at);
        middle(d, link[i][3], link[i][4], link[i][5], q);
        snprintf(name, sizeof name, "link_%c", 'a' + i);
        add_distance(d, name, d->top, axle, at, q);
      }
      return axle;
    }
  }
}

void draw_solid_axle(drawing *d, suspension kind)
{
  double cg[3];
  middle(d, 0.0, 0.0, 0.0, cg);
  const int axle = axle_on_joints(d, kind, cg, (d->bearing ? 1.2 : 2.0) * d->unsprung);
  char suffix[sizeof d->suffix];
  memcpy(suffix, d->suffix, sizeof suffix);
  const streams both = fork_streams(d), after = d->random;
  for (int i = 0; i < 2; i++) {
    double top[3], low[3];
    d->side = i ? -1 : 1;
    d->random = both;
    snprintf(d->suffix, sizeof d->suffix, "%.4s%c", suffix, i ? 'r' : 'l');
    d->place.corner = 1 + i;
    point_at(d, 0.02, -0.2, 0.4, top);
    point_at(d, 0.0, -0.22, 0.05, low);
    carry(d, d->top, axle, top, low, -1.0);
    d->arm = axle;
    finish(d, axle, false);
  }
  d->random = after;
  d->side = 1;
  d->place.corner = 0;
  memcpy(d->suffix, suffix, sizeof suffix);
}
