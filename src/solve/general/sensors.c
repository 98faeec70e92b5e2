// sensors.c: what components measure, from poses and twists of the general path.
#include <math.h>

#include "base/quat.h"
#include "base/rmath.h"
#include "solve/general/force_point.h"
#include "solve/general/forces.h"

double jn_sense_angle(m3 r, const double orientation[4], int axis)
{
  // R = Rz(yaw) Ry(pitch) Rx(roll)
  const m3 own = m3_mul(r, q_to_m3(q_make(orientation[0], v3_load(orientation + 1))));
  if (axis == 0) return r_atan2(own.z.y, own.z.z);
  if (axis == 2) return r_atan2(own.y.x, own.x.x);
  const double sine = -own.z.x;
  return r_asin(sine > 1.0 ? 1.0 : sine < -1.0 ? -1.0 : sine);
}

static double sense_body(const jn_system *s, const jn_data *d, const jn_sensor *k)
{
  const jn_body *b = &s->body[k->body];
  const jn_frame_state *f = &d->frame[b->frame];
  const jn_point p = jn_point_of(s, d, k->body, b->cg);
  const m3 r = d->pose[k->body].r;
  switch (k->what) {
    case JN_SENSE_PLACE:
      return jn_sense_part(
          v3_add(v3_add(s->frame[b->frame].origin, f->moved), m3_mul_v3(f->r, p.p)), k->axis);
    case JN_SENSE_VELOCITY:
      return jn_sense_part(v3_add(f->velocity, m3_mul_v3(f->r, p.v)), k->axis);
    case JN_SENSE_SPEED:
      return v3_dot(m3_column(r, k->axis), v3_add(p.v, m3_tmul_v3(f->r, f->velocity)));
    case JN_SENSE_TURNING:
      return jn_sense_part(m3_mul_v3(f->r, d->twist[k->body].a), k->axis);
    case JN_SENSE_ANGLE:
      return jn_sense_angle(m3_mul(f->r, r), b->orientation, k->axis);
    default:
      return v3_dot(m3_column(r, k->axis), d->twist[k->body].a);
  }
}

static double sense_joint(const jn_system *s, const jn_data *d, const jn_sensor *k)
{
  const bool rate = k->what == JN_SENSE_CHANGE;
  if (k->cut >= 0) {
    const int drive = s->cut[k->cut].drive;
    double change;
    v3 axis;
    const double x = jn_cut_coordinate(
        s, d, k->cut, drive >= 0 ? d->drive[drive].s : d->cut_angle[k->cut], &change, &axis);
    return rate ? change : x;
  }
  const jn_tree_joint *j = &s->joint[k->body];
  if (j->drive >= 0) return rate ? d->drive[j->drive].rate : d->drive[j->drive].s;
  if (rate) return d->v[j->v + k->which];
  return d->q[j->q + k->which] + (k->angle ? 2.0 * M_PI * d->turn[j->q + k->which] : 0.0);
}

// Against the carrier, as wheel_forces.c has it.
static double sense_spin(const jn_system *s, const jn_data *d, const jn_wheel *w)
{
  const m3 pose = d->pose[w->body].r;
  v3 axis = w->axis, omega = d->twist[w->body].a;
  if (w->steer >= 0) {
    const r_sin_cos t = r_sincos(d->in[w->steer][0]);
    axis = m3_mul_v3(m3_about(v3_set(0, 0, 1), t.cos, t.sin), axis);
    omega = v3_axpy(d->in[w->steer][1], m3_column(pose, 2), omega);
  }
  axis = m3_mul_v3(pose, axis);
  if (w->spin >= 0) return d->x[w->spin] - v3_dot(axis, omega);
  if (w->carrier < 0) return v3_dot(axis, omega);
  v3 carried = d->twist[w->carrier].a;
  const int own = s->body[w->body].frame, other = s->body[w->carrier].frame;
  if (own != other) carried = m3_tmul_v3(d->frame[own].r, m3_mul_v3(d->frame[other].r, carried));
  return v3_dot(axis, omega) - v3_dot(axis, carried);
}

void jn_sensor_read(const jn_system *s, jn_data *d, int i)
{
  const jn_sensor *k = &s->sensor[i];
  d->in[k->signal][0] = k->what == JN_SENSE_SPIN ? sense_spin(s, d, &s->wheel[k->wheel])
                        : k->what == JN_SENSE_VALUE || k->what == JN_SENSE_CHANGE
                            ? sense_joint(s, d, k)
                            : sense_body(s, d, k);
}
