// generate_wheels.c: tyres of all kinds for a load, and wheels as elements or as bodies.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "differential/generate.h"

// ---- tyres ----------------------------------------------------------------------------------------

static bool is_alike(double x, double y)
{
  return fabs(x - y) < 0.1 * fabs(y);
}

static vehicle_tyre_kind tyre_kind(drawing *d)
{
  for (;;) {
    const vehicle_tyre_kind kind = (vehicle_tyre_kind)choose(d, VEHICLE_NTYRE);
#ifndef JT_TYRE_PLUGIN
    if (kind == VEHICLE_TYRE_PLUGIN) continue;
#endif
    return kind;
  }
}

int draw_tyre(drawing *d, double radius, double load)
{
  vehicle *v = d->v;
  if (d->one_tyre >= 0 && is_alike(v->tyre[d->one_tyre].radius, radius) &&
      is_alike(v->tyre[d->one_tyre].load, load))
    return d->one_tyre;
  if (v->ntyre == VEHICLE_TYRES) abort();
  const int i = v->ntyre++;
  vehicle_tyre *t = &v->tyre[i];
  *t = (vehicle_tyre){.order = i, .kind = tyre_kind(d), .radius = radius, .use_mode = -1};
  snprintf(t->name, sizeof t->name, "tyre_%d", i + 1);
  t->load = rounded(load, 4);
  t->stiffness = rounded(load / (radius - d->centre[2]), 4);
  t->damping = chance(d, 0.3) ? 0.0 : rounded(t->stiffness * size_in(d, 0.0005, 0.003), 3);
  t->slip_stiffness = rounded(load * size_in(d, 8, 16), 3);
  t->cornering_stiffness = rounded(load * size_in(d, 6, 14), 3);
  t->friction = rounded(size_in(d, 0.6, 1.1), 2);
  switch (t->kind) {
    case VEHICLE_TYRE_LINEAR: {
      // Viscous: its spin decays within I v / (C r^2), which the step must follow.
      const double spin = 0.7 * 0.4 * d->unsprung, v_least = fmax(fabs(d->speed), 1.0);
      t->slip_stiffness = rounded(fmin(t->slip_stiffness, spin * v_least / (4.0 * v->step)), 3);
      t->cornering_stiffness =
          rounded(fmin(t->cornering_stiffness, 0.5 * d->unsprung * v_least / (4.0 * v->step)), 3);
      break;
    }
    case VEHICLE_TYRE_MF_SIMPLE:
      t->rolling_radius = rounded(radius * 0.97, 4);
      t->relaxation_length = rounded(size_in(d, 0.2, 0.5), 2);
      t->b = rounded(size_in(d, 6, 11), 3);
      t->c = rounded(size_in(d, 1.3, 1.7), 3);
      t->d = t->friction;
      t->e = rounded(size_in(d, -0.5, 0.7), 2);
      t->world_frame = chance(d, 0.2);
      break;
    case VEHICLE_TYRE_MAGIC_FORMULA:
      t->file = choose(d, 2);
      t->use_mode = CHOOSE(d, -1, 14, 14, 4, 13, 12, 11, 3, 0, 24);
      t->measured = choose(d, 4);
      t->combined = chance(d, 0.2) ? 1 + choose(d, 2) : 0;
      break;
    case VEHICLE_TYRE_CARPET:
      t->aligning = chance(d, 0.5);
      t->two_sided = chance(d, 0.3);
      break;
    case VEHICLE_TYRE_FIALA:
      if (chance(d, 0.5)) t->friction_sliding = rounded(0.7 * t->friction, 2);
      break;
    case VEHICLE_TYRE_PLUGIN:
      t->measured = choose(d, 4);
      break;
    default:
      break;
  }
  if (chance(d, 0.5)) t->width = rounded(0.1 * radius, 2);
  if (chance(d, 0.5)) t->rolling_resistance = rounded(0.015 * radius, 2);
  if (chance(d, 0.3)) t->relaxation_x = rounded(size_in(d, 0.15, 0.4), 2);
  if (chance(d, 0.3)) t->relaxation_y = rounded(size_in(d, 0.25, 0.7), 2);
  if (chance(d, 0.2)) t->lead = rounded(size_in(d, 0.004, 0.01), 2);
  if (t->kind >= VEHICLE_TYRE_FIALA && t->kind != VEHICLE_TYRE_MAGIC_FORMULA)
    t->load_curve = chance(d, 0.2);
  return i;
}

// ---- wheels ---------------------------------------------------------------------------------------

// Axes near y whose direction is a short decimal: a wheel body that has it is a body of rotation to the last digit.
static void wheel_axis(drawing *d, double axis[3])
{
  static const double c = 0.99712, s = 0.07584;  // 3116 / 3125, 237 / 3125
  axis[0] = axis[2] = 0.0;
  axis[1] = 1.0;
  if (chance(d, 0.8)) return;
  axis[1] = c;
  axis[chance(d, 0.5) ? 0 : 2] = d->side * (chance(d, 0.5) ? s : -s);
}

static void give_way(drawing *d, vehicle_force *w)
{
  const double load = d->v->tyre[w->tyre].load, angle = 0.006;
  for (int i = 0; i < 4; i++) {
    if (!chance(d, 0.5)) continue;
    vehicle_curve c = curve_through(d, i % 2 ? 0.03 * load : load, angle);
    if (i == 0)
      for (int k = 0; k < c.n; k++) c.y[k] = -c.y[k];
    w->comply[i] = c;
  }
  if (chance(d, 0.4)) w->comply_lag = rounded(size_in(d, 0.004, 0.03), 2);
}

static int tyre_on(drawing *d, const char *name, vehicle_force_kind kind, int body,
                   const double centre[3], const double axis[3])
{
  vehicle *v = d->v;
  const int i = add_force(d, name, kind, body, body);
  vehicle_force *w = &v->force[i];
  memcpy(w->at[0], centre, sizeof w->at[0]);
  w->tyre = d->tyre;
  w->has_axis = axis[1] != 1.0 || chance(d, 0.2);
  const double length = w->has_axis && chance(d, 0.3) ? 2.0 : 1.0;
  for (int k = 0; k < 3; k++) w->axis[k] = length * axis[k];
  if (chance(d, 0.15)) w->side = 1 + choose(d, 3);
  if (chance(d, kind == VEHICLE_FORCE_WHEEL ? 0.15 : 0.06)) give_way(d, w);
  if (chance(d, 0.1)) w->reaction = d->wild && chance(d, 0.3) ? d->arm : d->top;
  if (d->wild && chance(d, 0.02)) w->reaction = VEHICLE_GROUND;
  return i;
}

// A body of rotation about the axis, its own axes turned about it by any angle.
static int wheel_body(drawing *d, const char *name, const double centre[3], const double axis[3],
                      double mass, double along)
{
  vehicle *v = d->v;
  const int i = add_body(d, name, mass, centre, 0.2 * d->length);
  vehicle_body *b = &v->body[i];
  const double across = rounded(along * size_in(d, 0.52, 0.7), 3);
  double tensor[6] = {across, along, across, 0, 0, 0};
  b->norientation = 0;
  if (axis[1] == 1.0) {
    if (chance(d, 0.4)) {
      b->norientation = 3;
      b->orientation[0] = b->orientation[2] = 0.0;
      b->orientation[1] = rounded(size_in(d, -1.5, 1.5), 3);
    }
  } else {
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    for (int k = 0; k < 6; k++)
      tensor[k] = (k < 3 ? across : 0.0) + (along - across) * axis[at[k][0]] * axis[at[k][1]];
  }
  memcpy(b->inertia, tensor, sizeof tensor);
  if (!d->wild || !chance(d, 0.05)) return i;
  // No body of rotation: then its angle matters.
  if (chance(d, 0.5))
    b->inertia[0] = rounded(1.1 * b->inertia[0], 3);
  else
    b->cg[0] = rounded(b->cg[0] + 0.004 * d->length, 5);
  return i;
}

static double spin_of(const drawing *d, const vehicle_force *w)
{
  return rounded(d->speed / (d->v->tyre[w->tyre].radius * 0.98), 4);
}

static void wheel_as_body(drawing *d, int on, const double centre[3], const double axis[3],
                          double mass, double along, const double *second)
{
  vehicle *v = d->v;
  const int b = wheel_body(d, "wheel", centre, axis, mass, along);
  double at[3], turn[3];
  // The joint's point may lie anywhere on the axis.
  const double off =
      chance(d, 0.3) && axis[1] == 1.0 ? rounded(-0.05 * d->length * d->side, 2) : 0.0;
  const double sign = chance(d, 0.3) ? -1.0 : 1.0, length = chance(d, 0.2) ? 0.5 : 1.0;
  for (int k = 0; k < 3; k++) {
    at[k] = centre[k] + (k == 1 ? off : 0.0);
    turn[k] = sign * length * axis[k];
  }
  at[1] = rounded(at[1], 6);
  const int j = add_revolute(d, "bearing", on, b, at, turn);
  const bool turned = chance(d, 0.25);
  if (turned) turn_round(d, j);
  const int w = tyre_on(d, "tyre", VEHICLE_FORCE_TYRE, b, centre, axis);
  if (second) tyre_on(d, "second", VEHICLE_FORCE_TYRE, b, second, axis);
  if (chance(d, 0.85)) {
    v->joint[j].has_speed = true;
    v->joint[j].speed[0] = spin_of(d, &v->force[w]) * sign * (turned ? -1.0 : 1.0);
  }
}

void draw_wheel(drawing *d, int on, const double centre[3], double mass, bool steerable)
{
  vehicle *v = d->v;
  const vehicle_tyre *t = &v->tyre[d->tyre];
  double axis[3], second[3];
  wheel_axis(d, axis);
  const bool dual = d->dual;
  const double along = rounded(0.7 * mass * t->radius * t->radius, 3);
  memcpy(second, centre, sizeof second);
  second[1] = rounded(second[1] - d->side * 0.6 * t->radius, 4);
  if (axis[1] != 1.0) memcpy(second, centre, sizeof second);
  if (d->bearing) {
    wheel_as_body(d, on, centre, axis, mass, along, dual && axis[1] == 1.0 ? second : NULL);
    return;
  }
  for (int i = 0; i < (dual ? 2 : 1); i++) {
    const int k =
        tyre_on(d, i ? "second" : "wheel", VEHICLE_FORCE_WHEEL, on, i ? second : centre, axis);
    vehicle_force *w = &v->force[k];
    w->inertia = rounded(dual ? 0.5 * along : along, 3);
    w->not_gyroscopic = chance(d, 0.2);
    w->steered = chance(d, steerable ? 0.3 : 0.06);
    w->has_spin = chance(d, 0.85);
    w->spin = spin_of(d, w);
  }
}
