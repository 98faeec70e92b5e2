// spec_check.c: what can only be checked of several values together.
#include <math.h>
#include <stdlib.h>

#include "base/v3.h"
#include "spec/spec_reader.h"

static double distance(const double a[3], const double b[3])
{
  return v3_norm(v3_sub(v3_load(a), v3_load(b)));
}

static v3 direction(const double a[3])  // of length one, from any length
{
  double size = fmax(fabs(a[0]), fmax(fabs(a[1]), fabs(a[2])));
  return v3_unit(v3_set(a[0] / size, a[1] / size, a[2] / size));
}

static double sine_between(const double a[3], const double b[3])
{
  return v3_norm(v3_cross(direction(a), direction(b)));
}

// Of a point from the line through `at` along `axis`.
static double distance_from_axis(const double point[3], const double at[3], const double axis[3])
{
  return v3_norm(v3_cross(v3_sub(v3_load(point), v3_load(at)), direction(axis)));
}

static const double SMALLEST_LENGTH = 1e-9;  // [m]: shorter, a direction is rounding
static const double SMALLEST_ANGLE = 1e-6;   // [rad]: smaller, two axes are one

static jn_status check_joint(const jn_spec *s, const jn_joint_spec *j, jn_error *err)
{
  const jn_joint_keys *k = &j->keys;
  const jn_text path = jn_entry("joints", j->name);
  if (k->bodies[0] == k->bodies[1])
    return jn_fail(err, JN_E_TOPOLOGY, j->pos, path.text,
                   "joins \"%s\" to itself, expected two bodies",
                   jn_spec_body_name(s, k->bodies[0]));
  switch (j->kind) {
    case JN_JOINT_DISTANCE:
      if (distance(k->at.v[1], k->at.v[0]) < SMALLEST_LENGTH)
        return jn_fail(err, JN_E_RANGE, j->pos, path.text,
                       "its two points coincide; a distance joint needs a distance");
      break;
    case JN_JOINT_SPHERICAL_REVOLUTE:
      if (distance(k->at.v[1], k->at.v[0]) < SMALLEST_LENGTH ||
          distance_from_axis(k->at.v[1], k->at.v[0], k->axis.v[0]) < SMALLEST_LENGTH)
        return jn_fail(err, JN_E_RANGE, j->pos, path.text,
                       "its sphere lies on its axis, so the link has no length to turn");
      break;
    case JN_JOINT_UNIVERSAL:
      if (sine_between(k->axis.v[0], k->axis.v[1]) < SMALLEST_ANGLE)
        return jn_fail(err, JN_E_RANGE, j->pos, path.text,
                       "its two axes are parallel; a universal joint needs two directions");
      break;
    default:
      break;
  }
  return JN_OK;
}

static jn_status check_force(const jn_spec *s, const jn_force_spec *f, jn_error *err)
{
  int body[2];
  const jn_text path = jn_entry("forces", f->name);
  int n = jn_force_bodies(s, f, body);
  if (n == 2 && body[0] == body[1])
    return jn_fail(err, JN_E_TOPOLOGY, f->pos, path.text,
                   "acts between \"%s\" and itself, expected two bodies",
                   jn_spec_body_name(s, body[0]));
  if (n == 1 && body[0] == JN_GROUND)
    return jn_fail(err, JN_E_TOPOLOGY, f->pos, path.text,
                   "acts on the ground, which does not move; expected a body");
  switch (f->kind) {
    case JN_FORCE_TSDA:
      if (f->as.tsda.at.n != 2)
        return jn_fail(err, JN_E_SCHEMA, f->pos, path.text,
                       "`at` needs two points, one on each body; found one");
      if (distance(f->as.tsda.at.v[1], f->as.tsda.at.v[0]) < SMALLEST_LENGTH)
        return jn_fail(err, JN_E_RANGE, f->pos, path.text,
                       "its two points coincide, so it has no direction");
      break;
    case JN_FORCE_RSDA: {
      jn_joint_kind kind = s->joint[f->as.rsda.joint].kind;
      if (!jn_joint_has(kind, JN_HAS_ANGLE))
        return jn_fail(
            err, JN_E_SCHEMA, f->pos, path.text,
            "acts in the %s joint \"%s\"; it needs a revolute, cylindrical or screw joint",
            jn_joint_kinds[kind].word, s->joint[f->as.rsda.joint].name);
      break;
    }
    case JN_FORCE_SERVO: {
      const jn_joint_spec *j = &s->joint[f->as.servo.joint];
      if (jn_joint_kinds[j->kind].ncoord != 1)
        return jn_fail(err, JN_E_SCHEMA, f->pos, path.text,
                       "acts in the %s joint \"%s\"; it needs a joint with one coordinate",
                       jn_joint_kinds[j->kind].word, j->name);
      if (jn_joint_driven(j))
        return jn_fail(err, JN_E_SCHEMA, f->pos, path.text,
                       "acts in \"%s\", whose motion is prescribed already", j->name);
      break;
    }
    case JN_FORCE_WHEEL:
    case JN_FORCE_TYRE: {
      static const double up[3] = {0.0, 0.0, 1.0};
      const double *axis = f->kind == JN_FORCE_WHEEL ? f->as.wheel.axis : f->as.tyre.axis;
      if (sine_between(axis, up) < 0.1)
        return jn_fail(err, JN_E_RANGE, f->pos, path.text,
                       "its axis is upright; a wheel spins about an axis that points to the left");
      break;
    }
    case JN_FORCE_BUSHING:
      if (f->as.bushing.axes.n == 1)
        return jn_fail(err, JN_E_SCHEMA, f->pos, path.text,
                       "`axes` needs two directions, found one");
      if (f->as.bushing.axes.n == 2 &&
          sine_between(f->as.bushing.axes.v[0], f->as.bushing.axes.v[1]) < SMALLEST_ANGLE)
        return jn_fail(err, JN_E_RANGE, f->pos, path.text,
                       "its two axes are parallel; a bushing needs two directions");
      break;
    default:
      break;
  }
  return JN_OK;
}

// A body that no joint and no force names would fly away unnoticed: most likely a slip of the pen.
static jn_status check_touched(const jn_spec *s, jn_error *err)
{
  bool *touched = calloc((size_t)s->nbody, sizeof *touched);
  if (!touched) return jn_no_memory(err, s->pos);
  for (int i = 0; i < s->njoint; i++)
    for (int k = 0; k < 2; k++)
      if (s->joint[i].keys.bodies[k] >= 0) touched[s->joint[i].keys.bodies[k]] = true;
  for (int i = 0; i < s->nforce; i++) {
    int body[2], n = jn_force_bodies(s, &s->force[i], body);
    for (int k = 0; k < n; k++)
      if (body[k] >= 0) touched[body[k]] = true;
  }
  jn_status st = JN_OK;
  for (int i = 0; i < s->nbody && !st; i++) {
    const jn_text path = jn_entry("bodies", s->body[i].name);
    if (!touched[i])
      st = jn_fail(err, JN_E_TOPOLOGY, s->body[i].pos, path.text,
                   "nothing touches it: no joint and no force names it; if it is to fly free, "
                   "give it a joint of type free to ground");
    else if (JN_GIVEN(&s->body[i].keys, jn_body_keys, parent) && s->body[i].keys.parent == i)
      st = jn_fail(err, JN_E_TOPOLOGY, s->body[i].pos, path.text,
                   "cannot be its own parent, expected another body");
  }
  free(touched);
  return st;
}

jn_status jn_spec_check(const jn_spec *s, jn_error *err)
{
  jn_status st = JN_OK;
  for (int i = 0; i < s->njoint && !st; i++) st = check_joint(s, &s->joint[i], err);
  for (int i = 0; i < s->nforce && !st; i++) st = check_force(s, &s->force[i], err);
  return st ? st : check_touched(s, err);
}
