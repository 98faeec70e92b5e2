// identity_wheels.c: a wheel element as a wheel body on a revolute joint, and a wheel body as an element. Mass and
// inertia across the
// axis go from the carrier to the wheel, or back to it.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "differential/identity.h"

// ---- inertia --------------------------------------------------------------------------------------

typedef struct solid {
  double mass, cg[3], j[3][3];  // about the centre of gravity, in the axes of the vehicle
} solid;

static void rotation_of(const vehicle_body *b, double r[3][3])
{
  double w = 1.0, x = 0.0, y = 0.0, z = 0.0;
  if (b->norientation == 3) {
    const double *a = b->orientation;
    const double cr = cos(a[0] / 2), sr = sin(a[0] / 2), cp = cos(a[1] / 2), sp = sin(a[1] / 2),
                 cy = cos(a[2] / 2), sy = sin(a[2] / 2);
    w = cr * cp * cy + sr * sp * sy;
    x = sr * cp * cy - cr * sp * sy;
    y = cr * sp * cy + sr * cp * sy;
    z = cr * cp * sy - sr * sp * cy;
  } else if (b->norientation == 4) {
    w = b->orientation[0], x = b->orientation[1], y = b->orientation[2], z = b->orientation[3];
  }
  const double m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                          {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                          {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
  memcpy(r, m, sizeof m);
}

// r j r', or with the transpose r' j r.
static void turned(const double r[3][3], const double j[3][3], bool back, double out[3][3])
{
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      out[a][b] = 0.0;
      for (int m = 0; m < 3; m++)
        for (int n = 0; n < 3; n++)
          out[a][b] += (back ? r[m][a] : r[a][m]) * j[m][n] * (back ? r[n][b] : r[b][n]);
    }
}

static solid solid_of(const vehicle_body *b)
{
  solid s = {.mass = b->mass};
  double r[3][3];
  const double *i = b->inertia;
  const double own[3][3] = {{i[0], i[3], i[4]}, {i[3], i[1], i[5]}, {i[4], i[5], i[2]}};
  memcpy(s.cg, b->cg, sizeof s.cg);
  rotation_of(b, r);
  turned(r, own, false, s.j);
  return s;
}

static void give(vehicle_body *b, const solid *s)
{
  double r[3][3], own[3][3];
  rotation_of(b, r);
  turned(r, s->j, true, own);
  b->mass = s->mass;
  memcpy(b->cg, s->cg, sizeof b->cg);
  const double inertia[6] = {own[0][0], own[1][1], own[2][2], own[0][1], own[0][2], own[1][2]};
  memcpy(b->inertia, inertia, sizeof inertia);
}

// Another solid added, or taken away.
static solid with(const solid *a, const solid *b, double sign)
{
  solid s = {.mass = a->mass + sign * b->mass};
  for (int k = 0; k < 3; k++) s.cg[k] = (a->mass * a->cg[k] + sign * b->mass * b->cg[k]) / s.mass;
  const solid *part[2] = {a, b};
  for (int p = 0; p < 2; p++) {
    const double f = p ? sign : 1.0;
    double d[3], square = 0.0;
    for (int k = 0; k < 3; k++) {
      d[k] = part[p]->cg[k] - s.cg[k];
      square += d[k] * d[k];
    }
    for (int m = 0; m < 3; m++)
      for (int n = 0; n < 3; n++)
        s.j[m][n] += f * (part[p]->j[m][n] + part[p]->mass * ((m == n) * square - d[m] * d[n]));
  }
  return s;
}

// Second moments of mass must be positive in every direction, or it is no body.
static bool is_solid(const solid *s)
{
  const double half = 0.5 * (s->j[0][0] + s->j[1][1] + s->j[2][2]);
  double m[3][3];
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) m[a][b] = (a == b) * half - s->j[a][b];
  const double second = m[0][0] * m[1][1] - m[0][1] * m[1][0];
  const double third = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                       m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                       m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  const double little = 1e-3 * half;
  return s->mass > 0.0 && m[0][0] > little && second > little * little &&
         third > little * little * little;
}

static void wheel_axis(const vehicle_force *w, double axis[3])
{
  const double given[3] = {w->has_axis ? w->axis[0] : 0.0, w->has_axis ? w->axis[1] : 1.0,
                           w->has_axis ? w->axis[2] : 0.0};
  const double n = sqrt(given[0] * given[0] + given[1] * given[1] + given[2] * given[2]);
  for (int k = 0; k < 3; k++) axis[k] = given[k] / n;
}

// ---- the carrier ----------------------------------------------------------------------------------

// What the file gives of its centre of gravity stays where it is.
static void move_cg(vehicle *v, int body, const solid *s)
{
  vehicle_body *b = &v->body[body];
  double old[3];
  memcpy(old, b->cg, sizeof old);
  give(b, s);
  for (int i = 0; i < v->nforce; i++) {
    vehicle_force *f = &v->force[i];
    if (f->kind != VEHICLE_FORCE_FORCE || f->body[0] != body || f->nat) continue;
    f->nat = 1;
    memcpy(f->at[0], old, sizeof old);
  }
  if (!b->has_velocity || !b->has_angular) return;
  const double d[3] = {b->cg[0] - old[0], b->cg[1] - old[1], b->cg[2] - old[2]};
  const double *w = b->angular;
  b->velocity[0] += w[1] * d[2] - w[2] * d[1];
  b->velocity[1] += w[2] * d[0] - w[0] * d[2];
  b->velocity[2] += w[0] * d[1] - w[1] * d[0];
}

// Can its centre of gravity move? A driver looks at it, a free joint may say where it is, and without an angular
// velocity it may be
// that of joints.
static bool may_change(const vehicle *v, int body)
{
  if (body < 0) return false;
  // A vehicle that is laid onto a slope keeps the velocities that are given.
  if (v->body[body].has_velocity && (v->road.grade != 0.0 || v->road.bank != 0.0)) return false;
  for (int i = 0; i < v->ndriver; i++)
    if (!v->driver[i].out && v->driver[i].body == body) return false;
  for (int i = 0; i < v->njoint; i++) {
    const vehicle_joint *j = &v->joint[i];
    if (!j->out && (j->kind == VEHICLE_JOINT_FREE || j->kind == VEHICLE_JOINT_NO_ROTATION) &&
        j->nat == 0 && (j->body[0] == body || j->body[1] == body))
      return false;
  }
  return true;
}

// ---- a wheel element becomes a body -------------------------------------------------------------------

static bool make_body(vehicle *v, int wheel)
{
  vehicle_force *w = &v->force[wheel];
  const int on = w->body[0];
  if (w->not_gyroscopic || w->steered || !may_change(v, on) || v->nbody == VEHICLE_BODIES ||
      v->njoint == VEHICLE_JOINTS)
    return false;
  const solid carrier = solid_of(&v->body[on]);
  const double across = 0.55 * w->inertia;
  double axis[3];
  wheel_axis(w, axis);
  // From the carrier comes what a rotor has across its axis; the inertia about it was the element's.
  solid part = {.mass = 0.1 * carrier.mass};
  memcpy(part.cg, w->at[0], sizeof part.cg);
  for (int m = 0; m < 3; m++)
    for (int n = 0; n < 3; n++) part.j[m][n] = across * ((m == n) - axis[m] * axis[n]);
  const solid rest = with(&carrier, &part, -1.0);
  if (!is_solid(&rest)) return false;
  const int b = v->nbody++, j = v->njoint++;
  v->body[b] = (vehicle_body){.order = b, .place = w->place, .parent = VEHICLE_NONE};
  snprintf(v->body[b].name, VEHICLE_NAME, "rotor%d", b);
  solid rotor = part;
  for (int m = 0; m < 3; m++)
    for (int n = 0; n < 3; n++) rotor.j[m][n] += w->inertia * axis[m] * axis[n];
  give(&v->body[b], &rotor);
  move_cg(v, on, &rest);
  v->joint[j] = (vehicle_joint){.order = j,
                                .place = w->place,
                                .kind = VEHICLE_JOINT_REVOLUTE,
                                .body = {on, b},
                                .nat = 1,
                                .naxis = 1,
                                .motion = VEHICLE_NONE,
                                .has_speed = w->has_spin,
                                .speed = {w->spin}};
  snprintf(v->joint[j].name, VEHICLE_NAME, "spins%d", j);
  memcpy(v->joint[j].at[0], w->at[0], sizeof w->at[0]);
  memcpy(v->joint[j].axis[0], axis, sizeof axis);
  w->kind = VEHICLE_FORCE_TYRE;
  w->body[0] = w->body[1] = b;
  w->has_spin = false;
  return true;
}

// ---- a wheel body becomes an element ------------------------------------------------------------------

// Its only joint, if nothing else touches the body; -1: there is more.
static int only_bearing(const vehicle *v, int wheel)
{
  const int b = v->force[wheel].body[0];
  int found = -1, n = 0;
  for (int i = 0; i < v->njoint; i++)
    if (!v->joint[i].out && (v->joint[i].body[0] == b || v->joint[i].body[1] == b)) found = i, n++;
  if (n != 1 || v->joint[found].kind != VEHICLE_JOINT_REVOLUTE || v->joint[found].nat != 1 ||
      v->joint[found].naxis != 1 || v->joint[found].motion != VEHICLE_NONE || v->base == b)
    return -1;
  for (int i = 0; i < v->nforce; i++) {
    const vehicle_force *f = &v->force[i];
    if (f->out || i == wheel) continue;
    if (identity_acts_in_joint(f) ? f->joint == found
                                  : f->body[0] == b || f->reaction == b ||
                                        (identity_has_two_bodies(f) && f->body[1] == b))
      return -1;
  }
  for (int i = 0; i < v->ncut; i++)
    if (v->cut[i] == found) return -1;
  for (int i = 0; i < v->ndriver; i++)
    if (!v->driver[i].out && v->driver[i].body == b) return -1;
  for (int i = 0; i < v->nbody; i++)
    if (v->body[i].parent == b) return -1;
  return v->body[b].has_velocity || v->body[b].has_angular ? -1 : found;
}

// About the axis, and to the last digits.
static bool is_rotor(const vehicle *v, const vehicle_force *w, const vehicle_joint *j,
                     const solid *s, double *along, double *sign)
{
  double axis[3], off = 0.0;
  wheel_axis(w, axis);
  const double *a = j->axis[0], n = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  const double dot = (a[0] * axis[0] + a[1] * axis[1] + a[2] * axis[2]) / n;
  (void)v;
  *along = 0.0;
  for (int m = 0; m < 3; m++)
    for (int k = 0; k < 3; k++) *along += axis[m] * s->j[m][k] * axis[k];
  const double across = 0.5 * (s->j[0][0] + s->j[1][1] + s->j[2][2] - *along);
  for (int m = 0; m < 3; m++)
    for (int k = 0; k < 3; k++)
      off = fmax(off, fabs(s->j[m][k] - across * (m == k) - (*along - across) * axis[m] * axis[k]));
  if (off > 1e-11 * *along || fabs(fabs(dot) - 1.0) > 1e-12) return false;
  // The joint's point and the wheel's centre are on one line with the centre of gravity.
  const double *points[2] = {j->at[0], w->at[0]};
  for (int p = 0; p < 2; p++) {
    const double d[3] = {points[p][0] - s->cg[0], points[p][1] - s->cg[1], points[p][2] - s->cg[2]};
    const double cross = fabs(d[1] * axis[2] - d[2] * axis[1]) +
                         fabs(d[2] * axis[0] - d[0] * axis[2]) +
                         fabs(d[0] * axis[1] - d[1] * axis[0]);
    if (cross > 1e-12) return false;
  }
  *sign = dot < 0.0 ? -1.0 : 1.0;
  return true;
}

static bool make_element(vehicle *v, int wheel)
{
  vehicle_force *w = &v->force[wheel];
  const int b = w->body[0], bearing = b < 0 ? -1 : only_bearing(v, wheel);
  if (bearing < 0) return false;
  vehicle_joint *j = &v->joint[bearing];
  const int on = j->body[0] == b ? j->body[1] : j->body[0];
  if (!may_change(v, on)) return false;
  const solid s = solid_of(&v->body[b]), carrier = solid_of(&v->body[on]);
  double along, sign, axis[3];
  if (!is_rotor(v, w, j, &s, &along, &sign)) return false;
  wheel_axis(w, axis);
  solid still = s;
  for (int m = 0; m < 3; m++)
    for (int n = 0; n < 3; n++) still.j[m][n] -= along * axis[m] * axis[n];
  const solid sum = with(&carrier, &still, 1.0);
  if (!is_solid(&sum)) return false;
  move_cg(v, on, &sum);
  w->kind = VEHICLE_FORCE_WHEEL;
  w->body[0] = w->body[1] = on;
  w->inertia = along;
  w->has_spin = j->has_speed;
  w->spin = j->speed[0] * sign * (j->body[1] == b ? 1.0 : -1.0);
  j->out = v->body[b].out = true;
  return true;
}

bool identity_rebuild(vehicle *v, uint64_t *random)
{
  const uint64_t some = identity_bits(random) % 2 ? identity_bits(random) : ~(uint64_t)0;
  int n = 0;
  for (int pass = 0; pass < 2 && !n; pass++)
    for (int i = 0; i < v->nforce; i++) {
      if (v->force[i].out || !identity_is_wheel(&v->force[i])) continue;
      if (!pass && !(some >> (i % 64) & 1)) continue;
      n += v->force[i].kind == VEHICLE_FORCE_WHEEL ? make_body(v, i) : make_element(v, i);
    }
  return n > 0;
}
