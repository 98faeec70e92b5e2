// generate_elements.c: random numbers of short decimals, and elements of a vehicle with sizes that fit it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "differential/generate.h"

// ---- numbers --------------------------------------------------------------------------------------

static uint64_t bits(uint64_t *state)  // splitmix64
{
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static double unit(uint64_t *state)
{
  return (double)(bits(state) >> 11) * 0x1p-53;
}

double rounded(double x, int digits)
{
  char text[40];
  snprintf(text, sizeof text, "%.*g", digits, x);
  return strtod(text, NULL);
}

bool chance(drawing *d, double probability)
{
  return unit(&d->random.choice) < probability;
}

int choose(drawing *d, int n)
{
  return (int)(bits(&d->random.choice) % (uint64_t)n);
}

double size_in(drawing *d, double lo, double hi)
{
  return rounded(lo + (hi - lo) * unit(&d->random.size), 4);
}

double log_size_in(drawing *d, double lo, double hi)
{
  return rounded(lo * pow(hi / lo, unit(&d->random.size)), 3);
}

streams fork_streams(drawing *d)
{
  return (streams){bits(&d->random.choice), bits(&d->random.size)};
}

void vector_in(drawing *d, double reach, double x[3])
{
  for (int i = 0; i < 3; i++) x[i] = rounded(size_in(d, -reach, reach), 3);
}

void direction_in(drawing *d, double x[3])
{
  do vector_in(d, 1.0, x);
  while (x[0] * x[0] + x[1] * x[1] + x[2] * x[2] < 0.1);
}

void direction_near(drawing *d, double x, double y, double z, double apart, bool free,
                    double out[3])
{
  const double length = free ? size_in(d, 0.3, 2.5) * (unit(&d->random.size) < 0.3 ? -1 : 1) : 1;
  double off[3];
  vector_in(d, apart, off);
  if (d->square && apart <= 0.1) off[0] = off[1] = off[2] = 0.0;
  out[0] = rounded(length * (x + off[0]), 4);
  out[1] = rounded(length * d->side * (y + off[1]), 4);
  out[2] = rounded(length * (z + off[2]), 4);
}

void point_at(drawing *d, double x, double y, double z, double out[3])
{
  double off[3];
  vector_in(d, 0.02, off);
  out[0] = rounded(d->centre[0] + d->length * (x + off[0]), 4);
  out[1] = d->side * rounded(d->centre[1] + d->length * (y + off[1]), 4);
  out[2] = rounded(d->centre[2] + d->length * (z + off[2]), 4);
}

void between(const double a[3], const double b[3], double part, double out[3])
{
  for (int i = 0; i < 3; i++) out[i] = rounded(a[i] + part * (b[i] - a[i]), 4);
}

double distance_of(const double a[3], const double b[3])
{
  const double x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2];
  return sqrt(x * x + y * y + z * z);
}

void cross_of(const double a[3], const double b[3], double out[3])
{
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

// ---- bodies ---------------------------------------------------------------------------------------

static void name_it(const drawing *d, char *name, const char *text)
{
  if (snprintf(name, VEHICLE_NAME, "%s%s", text, d->suffix) >= VEHICLE_NAME) abort();
}

static int next(int *n, int most)
{
  if (*n >= most) abort();
  return (*n)++;
}

// Principal values of a solid of some shape, which any turn leaves a solid's.
static void draw_inertia(drawing *d, double mass, double radius, double inertia[6])
{
  const double whole = mass * radius * radius;
  double square[3];
  for (int i = 0; i < 3; i++) square[i] = size_in(d, 0.15, 0.6);
  for (int i = 0; i < 3; i++)
    inertia[i] = rounded(whole * (square[(i + 1) % 3] + square[(i + 2) % 3]), 4);
  const double least = whole * 2.0 * 0.15;
  if (!chance(d, 0.4) || d->square) return;
  // Products are small against the least of the three, so that it stays a body's inertia.
  for (int i = 3; i < 6; i++) {
    const double sign = i == 4 ? 1.0 : d->side;
    inertia[i] = sign * rounded(least * size_in(d, -0.25, 0.25), 3);
  }
}

int add_body(drawing *d, const char *name, double mass, const double cg[3], double radius)
{
  vehicle *v = d->v;
  const int i = next(&v->nbody, VEHICLE_BODIES);
  vehicle_body *b = &v->body[i];
  *b = (vehicle_body){.order = i, .place = d->place, .parent = VEHICLE_NONE};
  name_it(d, b->name, name);
  b->mass = rounded(mass, 4);
  memcpy(b->cg, cg, sizeof b->cg);
  draw_inertia(d, mass, radius, b->inertia);
  if (!chance(d, 0.25) || d->square) return i;
  b->norientation = chance(d, 0.5) ? 3 : 4;
  if (b->norientation == 3) {
    const double reach[3] = {3.1, 1.5, 3.1};
    for (int k = 0; k < 3; k++)
      b->orientation[k] = (k == 1 ? 1.0 : d->side) * rounded(size_in(d, -reach[k], reach[k]), 3);
  } else {
    // Whole numbers whose squares add up to a square: a unit quaternion of short decimals.
    static const double unit_q[][4] = {
        {0.8, 0.6, 0, 0},      {0.6, 0, 0.8, 0},      {0.8, 0, 0, -0.6},
        {0.5, 0.5, 0.5, 0.5},  {0.7, 0.1, -0.5, 0.5}, {0.1, 0.5, 0.5, 0.7},
        {0.5, -0.7, 0.1, 0.5}, {0.4, 0.4, -0.2, 0.8}, {0.96, 0, 0.28, 0}};
    const double *q = unit_q[choose(d, (int)(sizeof unit_q / sizeof unit_q[0]))];
    const double sign[4] = {1, d->side, 1, d->side};
    for (int k = 0; k < 4; k++) b->orientation[k] = sign[k] * q[k];
  }
  return i;
}

// ---- joints ---------------------------------------------------------------------------------------

int add_joint(drawing *d, const char *name, vehicle_joint_kind kind, int a, int b)
{
  vehicle *v = d->v;
  const int i = next(&v->njoint, VEHICLE_JOINTS);
  vehicle_joint *j = &v->joint[i];
  *j = (vehicle_joint){
      .order = i, .place = d->place, .kind = kind, .body = {a, b}, .motion = VEHICLE_NONE};
  name_it(d, j->name, name);
  return i;
}

int add_joint_at(drawing *d, const char *name, vehicle_joint_kind kind, int a, int b,
                 const double at[3])
{
  const int i = add_joint(d, name, kind, a, b);
  d->v->joint[i].nat = 1;
  memcpy(d->v->joint[i].at[0], at, 3 * sizeof *at);
  return i;
}

int add_revolute(drawing *d, const char *name, int a, int b, const double at[3],
                 const double axis[3])
{
  const int i = add_joint_at(d, name, VEHICLE_JOINT_REVOLUTE, a, b, at);
  d->v->joint[i].naxis = 1;
  memcpy(d->v->joint[i].axis[0], axis, 3 * sizeof *axis);
  return i;
}

int add_distance(drawing *d, const char *name, int a, int b, const double p[3], const double q[3])
{
  const int i = add_joint(d, name, VEHICLE_JOINT_DISTANCE, a, b);
  d->v->joint[i].nat = 2;
  memcpy(d->v->joint[i].at[0], p, 3 * sizeof *p);
  memcpy(d->v->joint[i].at[1], q, 3 * sizeof *q);
  return i;
}

// Both axes across a line.
int add_universal(drawing *d, const char *name, int a, int b, const double at[3],
                  const double along[3])
{
  const int i = add_joint_at(d, name, VEHICLE_JOINT_UNIVERSAL, a, b, at);
  vehicle_joint *j = &d->v->joint[i];
  const double help[3] = {fabs(along[2]) < 0.7 * distance_of((double[3]){0}, along) ? 0.0 : 1.0,
                          0.0,
                          fabs(along[2]) < 0.7 * distance_of((double[3]){0}, along) ? 1.0 : 0.0};
  double first[3], second[3];
  cross_of(along, help, first);
  cross_of(along, first, second);
  const double n1 = distance_of((double[3]){0}, first), n2 = distance_of((double[3]){0}, second);
  j->naxis = 2;
  for (int k = 0; k < 3; k++) {
    j->axis[0][k] = rounded(first[k] / n1, 3);
    j->axis[1][k] = rounded(second[k] / n2, 3);
  }
  return i;
}

void turn_round(drawing *d, int joint)
{
  vehicle_joint *j = &d->v->joint[joint];
  if (j->kind == VEHICLE_JOINT_SPHERICAL_REVOLUTE ||
      j->kind == VEHICLE_JOINT_SPHERICAL_TRANSLATIONAL)
    return;
  const int body = j->body[0];
  j->body[0] = j->body[1];
  j->body[1] = body;
  for (int k = 0; k < 3; k++) {
    double x = j->at[0][k];
    if (j->nat == 2) j->at[0][k] = j->at[1][k], j->at[1][k] = x;
    x = j->axis[0][k];
    if (j->naxis == 2) j->axis[0][k] = j->axis[1][k], j->axis[1][k] = x;
  }
}

// ---- forces ---------------------------------------------------------------------------------------

int add_force(drawing *d, const char *name, vehicle_force_kind kind, int a, int b)
{
  vehicle *v = d->v;
  const int i = next(&v->nforce, VEHICLE_FORCES);
  vehicle_force *f = &v->force[i];
  *f = (vehicle_force){.order = i,
                       .place = d->place,
                       .kind = kind,
                       .body = {a, b},
                       .joint = VEHICLE_NONE,
                       .channel = VEHICLE_NONE,
                       .reaction = VEHICLE_NONE};
  name_it(d, f->name, name);
  return i;
}

int add_spring(drawing *d, const char *name, int a, int b, const double p[3], const double q[3],
               double stiffness, double damping)
{
  const int i = add_force(d, name, VEHICLE_FORCE_TSDA, a, b);
  vehicle_force *f = &d->v->force[i];
  f->nat = 2;
  memcpy(f->at[0], p, 3 * sizeof *p);
  memcpy(f->at[1], q, 3 * sizeof *q);
  f->stiffness = rounded(stiffness, 4);
  f->damping = rounded(damping, 4);
  return i;
}

// Holds a mass of some radius of gyration at about the frequency.
int add_bushing(drawing *d, const char *name, int a, int b, const double at[3], double mass,
                double frequency, double radius)
{
  const int i = add_force(d, name, VEHICLE_FORCE_BUSHING, a, b);
  vehicle_force *f = &d->v->force[i];
  const double w = 2.0 * 3.14159265358979 * frequency;
  f->nat = 1;
  memcpy(f->at[0], at, 3 * sizeof *at);
  for (int k = 0; k < 3; k++) {
    f->linear[0][k] = rounded(mass * w * w * size_in(d, 0.5, 1.5), 3);
    f->linear[1][k] = rounded(mass * w * size_in(d, 0.2, 0.6), 3);
    f->rotational[0][k] = rounded(mass * radius * radius * w * w * size_in(d, 0.5, 1.5), 3);
    f->rotational[1][k] = rounded(mass * radius * radius * w * size_in(d, 0.2, 0.6), 3);
  }
  if (chance(d, 0.4)) {
    f->has_axes = true;
    direction_near(d, 1, 0.1, 0.2, 0.4, true, f->axes[0]);
    direction_near(d, -0.2, 1, 0.1, 0.4, true, f->axes[1]);
  }
  if (chance(d, 0.2)) {
    double off[3];
    vector_in(d, 0.01 * d->length, off);
    f->nat = 2;
    for (int k = 0; k < 3; k++) f->at[1][k] = rounded(at[k] + (k == 1 ? d->side : 1) * off[k], 5);
  }
  return i;
}

int add_channel(drawing *d, const char *name)
{
  vehicle *v = d->v;
  const int i = next(&v->nchannel, VEHICLE_CHANNELS);
  if (snprintf(v->channel[i], VEHICLE_NAME, "act.%s", name) >= VEHICLE_NAME) abort();
  return i;
}

int add_servo(drawing *d, const char *name, int joint, double inertia, double frequency)
{
  const int i = add_force(d, name, VEHICLE_FORCE_SERVO, 0, 0);
  vehicle_force *f = &d->v->force[i];
  const double w = 2.0 * 3.14159265358979 * frequency;
  f->joint = joint;
  f->stiffness = rounded(inertia * w * w, 3);
  f->damping = rounded(0.6 * inertia * w, 3);
  f->channel = add_channel(d, f->name);
  return i;
}

// Rising, through zero, steeper at the ends.
vehicle_curve curve_through(drawing *d, double reach, double height)
{
  vehicle_curve c = {.n = 3 + choose(d, 3), .method = choose(d, 3), .outside = choose(d, 2)};
  static const double at[3][5] = {{-1, 0, 1}, {-1, -0.3, 0.2, 1}, {-1, -0.4, 0, 0.3, 1}};
  for (int i = 0; i < c.n; i++) {
    const double x = at[c.n - 3][i];
    c.x[i] = rounded(reach * x, 4);
    c.y[i] = rounded(height * (0.4 * x + 0.6 * x * x * x) * size_in(d, 0.8, 1.2), 4);
  }
  return c;
}
