// parts_keys.c: optional keys and digits of bodies, joints, force elements and tyres.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "differential/parts.h"

static double short_of(double x, int digits)
{
  char text[40];
  snprintf(text, sizeof text, "%.*g", digits, x);
  return strtod(text, NULL);
}

static bool shorten(double *x, int n, int digits)
{
  bool any = false;
  for (int i = 0; i < n; i++) any |= set(&x[i], short_of(x[i], digits));
  return any;
}

// ---- bodies and joints ------------------------------------------------------------------------------

bool parts_body_key(vehicle *v, int i)
{
  vehicle_body *b = &v->body[i / BODY_KEYS];
  if (b->out) return false;
  switch (i % BODY_KEYS) {
    case 0:
      return set_int(&b->norientation, 0);
    case 1:
      return cleared(b->inertia + 3, 3 * sizeof *b->inertia);
    case 2:
      return set_int(&b->parent, VEHICLE_NONE);
    case 3:
      return CLEARED(b->has_velocity);
    case 4:
      return CLEARED(b->has_angular);
    case 5:
      return set(&b->inertia[0], b->inertia[1]) | set(&b->inertia[2], b->inertia[1]);
    case 6:
      return shorten(b->cg, 3, 2);
    default:
      return shorten(&b->mass, 1, 1) | shorten(b->inertia, 6, 1);
  }
}

bool parts_joint_values(vehicle_joint *j)
{
  bool *const has[] = {&j->has_position, &j->has_speed,  &j->has_angles,
                       &j->has_angular,  &j->has_offset, &j->has_velocity};
  bool any = false;
  for (int k = 0; k < 6; k++) any |= CLEARED(*has[k]);
  return any;
}

// The axis of the vehicle that it is nearest to.
static bool square_axis(double x[3])
{
  int k = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(x[i]) > fabs(x[k])) k = i;
  bool any = false;
  for (int i = 0; i < 3; i++) any |= set(&x[i], i == k ? (x[k] < 0.0 ? -1.0 : 1.0) : 0.0);
  return any;
}

bool parts_joint_key(vehicle *v, int i)
{
  vehicle_joint *j = &v->joint[i / JOINT_KEYS];
  if (j->out) return false;
  switch (i % JOINT_KEYS) {
    case 0:
      return parts_joint_values(j);
    case 1:
      return set_int(&j->motion, VEHICLE_NONE);
    case 2:
      return j->motion >= 0 && CLEARED(j->filter);
    case 3:
      return CLEARED(j->has_position);
    case 4:
      return CLEARED(j->has_speed);
    case 5:
      return CLEARED(j->has_angles) | CLEARED(j->has_offset);
    case 6:
      return CLEARED(j->has_angular) | CLEARED(j->has_velocity);
    case 7:  // what is given on each body, given once
      if (j->kind == VEHICLE_JOINT_DISTANCE || j->kind == VEHICLE_JOINT_SPHERICAL_REVOLUTE ||
          j->nat < 2)
        return false;
      j->nat = 1;
      if (j->kind != VEHICLE_JOINT_UNIVERSAL && j->naxis == 2) j->naxis = 1;
      return true;
    case 8:
      return (j->naxis > 0 && square_axis(j->axis[0])) | (j->naxis > 1 && square_axis(j->axis[1]));
    case 9:
      return (j->nat > 0 && shorten(j->at[0], 3, 2)) | (j->nat > 1 && shorten(j->at[1], 3, 2));
    case 10:
      return j->motion == VEHICLE_GROUND &&
             (set_int(&j->curve.method, 0) | set_int(&j->curve.n, 2));
    case 11:
      return (j->has_position && shorten(j->position, 2, 1)) |
             (j->has_speed && shorten(j->speed, 2, 1));
    default:
      return (j->has_offset && shorten(j->offset, 3, 1)) |
             (j->has_angles && shorten(j->angles, 3, 1));
  }
}

// ---- forces and tyres -------------------------------------------------------------------------------

bool parts_spring_key(vehicle *v, int i)
{
  vehicle_force *f = &v->force[i / SPRING_KEYS];
  if (f->out || parts_is_wheel(f) || f->kind == VEHICLE_FORCE_CONTACT) return false;
  const bool spring = f->kind == VEHICLE_FORCE_TSDA || f->kind == VEHICLE_FORCE_RSDA;
  const bool loose = spring || f->kind == VEHICLE_FORCE_FORCE || f->kind == VEHICLE_FORCE_TORQUE;
  switch (i % SPRING_KEYS) {
    case 0:
      return spring && (CLEARED(f->spring) | CLEARED(f->map));
    case 1:
      return spring && CLEARED(f->damper);
    case 2:
      return spring && set_int(&f->nspring, 0);
    case 3:
      return spring && set_int(&f->ndamper, 0);
    case 4:
      return loose && set_int(&f->channel, VEHICLE_NONE);
    case 5:
      return f->channel >= 0 && CLEARED(f->lag);
    case 6:
      return spring && (CLEARED(f->has_free) | CLEARED(f->auto_free));
    case 7:
      return spring && (CLEARED(f->auto_preload) | CLEARED(f->preload));
    case 8:
      return f->kind != VEHICLE_FORCE_BUSHING && CLEARED(f->damping);
    case 9:
      return spring && CLEARED(f->stiffness);
    case 10:
      return f->kind == VEHICLE_FORCE_BUSHING && CLEARED(f->has_axes);
    case 11:
      return f->kind == VEHICLE_FORCE_BUSHING &&
             (CLEARED(f->rotational[0]) | CLEARED(f->rotational[1]));
    case 12:
      return f->kind == VEHICLE_FORCE_BUSHING && (CLEARED(f->linear[0]) | CLEARED(f->linear[1]));
    case 13:
      return f->kind == VEHICLE_FORCE_BUSHING &&
             (CLEARED(f->linear[1]) | CLEARED(f->rotational[1]));
    case 14:
      return CLEARED(f->body_frame) | CLEARED(f->start);
    case 15:
      return f->kind != VEHICLE_FORCE_TSDA && f->kind != VEHICLE_FORCE_PLUGIN && f->nat == 2 &&
             set_int(&f->nat, 1);
    case 16:
      return (f->nat > 0 && shorten(f->at[0], 3, 2)) | (f->nat > 1 && shorten(f->at[1], 3, 2));
    case 17:
      return set_int(&f->spring.method, 0) | set_int(&f->spring.outside, 0) |
             set_int(&f->damper.method, 0) | set_int(&f->damper.outside, 0);
    case 18:
      return shorten(&f->stiffness, 1, 1) | shorten(&f->damping, 1, 1) |
             shorten(&f->preload, 1, 1) | shorten(&f->torque, 1, 1) | shorten(f->linear[0], 6, 1) |
             shorten(f->rotational[0], 6, 1);
    default:
      return (f->kind == VEHICLE_FORCE_TORQUE || f->kind == VEHICLE_FORCE_FORCE) &&
             shorten(f->vector, 3, 1);
  }
}

// The first keys are its points, the last of which stays.
bool parts_contact_key(vehicle *v, int i)
{
  vehicle_force *f = &v->force[i / CONTACT_KEYS];
  const int k = i % CONTACT_KEYS;
  if (f->out || f->kind != VEHICLE_FORCE_CONTACT) return false;
  switch (k - VEHICLE_PLACES) {
    case 0:
      return CLEARED(f->damping);
    case 1:
      return CLEARED(f->friction);
    case 2:
      return shorten(&f->stiffness, 1, 1) | shorten(f->point[0], 3 * f->nplace, 2);
    default:
      if (k >= f->nplace || f->nplace == 1) return false;
      memmove(f->point + k, f->point + k + 1, (size_t)(f->nplace - k - 1) * sizeof *f->point);
      f->nplace--;
      return true;
  }
}

bool parts_wheel_key(vehicle *v, int i)
{
  vehicle_force *f = &v->force[i / WHEEL_KEYS];
  if (f->out || !parts_is_wheel(f)) return false;
  switch (i % WHEEL_KEYS) {
    case 0:
      return CLEARED(f->comply[0]);
    case 1:
      return CLEARED(f->comply[1]);
    case 2:
      return CLEARED(f->comply[2]);
    case 3:
      return CLEARED(f->comply[3]);
    case 4:
      return CLEARED(f->comply_lag);
    case 5:
      return set_int(&f->reaction, VEHICLE_NONE);
    case 6:
      return set_int(&f->side, 0);
    case 7:
      return CLEARED(f->steered);
    case 8:
      return CLEARED(f->not_gyroscopic);
    case 9:
      return CLEARED(f->has_axis);
    case 10:
      return CLEARED(f->has_spin);
    case 11:
      return f->has_spin && shorten(&f->spin, 1, 1);
    default:
      return shorten(f->at[0], 3, 2) | shorten(&f->inertia, 1, 1);
  }
}

bool parts_tyre_key(vehicle *v, int i)
{
  vehicle_tyre *t = &v->tyre[i / TYRE_KEYS];
  if (t->out) return false;
  switch (i % TYRE_KEYS) {
    case 0: {
      const bool other = t->kind != VEHICLE_TYRE_VERTICAL;
      t->kind = VEHICLE_TYRE_VERTICAL;
      t->load_curve = false;
      return other;
    }
    case 1:
      return t->kind > VEHICLE_TYRE_BRUSH &&
             ((t->kind = VEHICLE_TYRE_BRUSH), (t->load_curve = false), true);
    case 2:
      return CLEARED(t->damping);
    case 3:
      return CLEARED(t->load_curve);
    case 4:
      return CLEARED(t->relaxation_x) | CLEARED(t->relaxation_y) | CLEARED(t->lead);
    case 5:
      return CLEARED(t->friction_sliding) | CLEARED(t->width) | CLEARED(t->rolling_resistance);
    case 6:
      return CLEARED(t->aligning) | CLEARED(t->two_sided);
    case 7:
      return CLEARED(t->measured) | CLEARED(t->combined);
    case 8:
      return set_int(&t->use_mode, -1);
    case 9:
      return CLEARED(t->world_frame);
    default:
      return shorten(&t->stiffness, 1, 1) | shorten(&t->damping, 1, 1) | shorten(&t->load, 1, 1) |
             shorten(&t->slip_stiffness, 1, 1) | shorten(&t->cornering_stiffness, 1, 1);
  }
}
