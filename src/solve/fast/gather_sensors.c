// gather_sensors.c: what components measure, from lanes and parent bodies, without the general arrays.
#include <math.h>

#include "base/rmath.h"
#include "solve/fast/fast.h"
#include "solve/general/forces.h"

typedef struct motion {
  m3 world;  // from own axes
  v3 place;  // of the anchor, world
  v3 w, v;   // of the body and of its anchor, own axes
} motion;

static motion motion_of(const jn_system *s, const jn_data *d, const lane_place *p, const double *y);

// A wheel body that is a rotor has no pose of its own in the lanes: its carrier's, turned by its angle.
static motion rotor_of(const jn_system *s, const jn_data *d, const lane_place *p, const double *y)
{
  const lane_group *k = &s->lane->group[p->group];
  lane_place carrier;
  const lane_roller *r = jn_lane_roller_of(s, p, &carrier);
  const motion c = motion_of(s, d, &carrier, y);
  const jn_tree_joint *j = &s->joint[p->body];
  const r_sin_cos t = r_sincos(y[k->q + LANES * r->q + p->lane]);
  const m3 turn = m3_about(j->axis, t.cos, t.sin);
  const double rate = jn_lane_roll_rate(s, d, p->group, p->lane, r, y);
  return (motion){m3_mul(c.world, turn), v3_add(c.place, m3_mul_v3(c.world, j->at)),
                  m3_tmul_v3(turn, v3_axpy(rate, j->axis, c.w)),
                  m3_tmul_v3(turn, v3_cross_add(c.w, j->at, c.v))};
}

static motion motion_of(const jn_system *s, const jn_data *d, const lane_place *p, const double *y)
{
  const lane_core_data *c = p->group >= 0 ? NULL
                            : p->lane < 0 ? d->lane->ground
                                          : &d->lane->core[p->lane];
  if (c) return (motion){c->world, c->place, c->w, c->v};
  const lane_group *k = &s->lane->group[p->group];
  const lane_pose *m = &k->pose[p->lane * LANE_BODIES + p->member];
  if (m->r == LANE_ROTOR) return rotor_of(s, d, p, y);
  const double *w = d->lane->w[p->group];
  const lane_core_data *parent = k->parent >= 0 ? &d->lane->core[k->parent] : d->lane->ground;
  const v3 at = jn_lane_vector(w, m->p, p->lane), turning = jn_lane_vector(w, m->v, p->lane);
  // relative to the parent body, about its anchor
  const v3 own = v3_cross_add(turning, at, jn_lane_vector(w, m->v + 3, p->lane));
  motion k1 = {.world = parent->world,
               .place = v3_add(parent->place, m3_mul_v3(parent->world, at)),
               .w = v3_add(parent->w, turning),
               .v = v3_add(v3_cross_add(parent->w, at, parent->v), own)};
  m3 r;
  if (!jn_lane_member_turn(s, d, p, &r)) return k1;
  return (motion){m3_mul(k1.world, r), k1.place, m3_tmul_v3(r, k1.w), m3_tmul_v3(r, k1.v)};
}

static double body_value(const jn_system *s, const jn_data *d, const lane_sensor *k,
                         const double *y)
{
  const motion m = motion_of(s, d, &k->place, y);
  const jn_body *b = &s->body[k->place.body];
  switch (k->what) {
    case JN_SENSE_PLACE:
      return jn_sense_part(v3_add(m.place, m3_mul_v3(m.world, b->cg)), k->axis);
    case JN_SENSE_VELOCITY:
      return jn_sense_part(m3_mul_v3(m.world, v3_add(m.v, v3_cross(m.w, b->cg))), k->axis);
    case JN_SENSE_SPEED:
      return jn_sense_part(v3_add(m.v, v3_cross(m.w, b->cg)), k->axis);
    case JN_SENSE_TURNING:
      return jn_sense_part(m3_mul_v3(m.world, m.w), k->axis);
    case JN_SENSE_ANGLE:
      return jn_sense_angle(m.world, b->orientation, k->axis);
    default:
      return jn_sense_part(m.w, k->axis);
  }
}

static double number(const jn_data *d, const lane_sensor *k, const double *y)
{
  switch (k->from) {
    case LANE_OF_DRIVE:
      return k->what == JN_SENSE_CHANGE ? d->drive[k->field].rate : d->drive[k->field].s;
    case LANE_OF_STATE:
      return d->x[k->field];
    case LANE_OF_CORE:
      return y[k->field];
    default: {  // states of the evaluation are those of y
      const double *at = jn_lane_field(d, k->group, k->section, k->field, k->lane);
      return k->section == LANE_FOLLOWS ? *at : y[at - d->lane->y];
    }
  }
}

static double coordinate(const jn_data *d, const lane_sensor *k, const double *y)
{
  const double x = number(d, k, y);
  if (k->turns < 0) return x;
  const double turns = k->from == LANE_OF_CORE
                           ? d->turn[k->turns]
                           : *jn_lane_field(d, k->group, LANE_TURNS, k->turns, k->lane);
  return x + 2.0 * M_PI * turns;
}

static double spin(const jn_system *s, const jn_data *d, const lane_sensor *k, const double *y)
{
  const motion carrier = motion_of(s, d, &k->place, y);
  v3 axis = k->spin_axis, w = carrier.w;
  if (k->steer >= 0) {
    const r_sin_cos t = r_sincos(d->in[k->steer][0]);
    axis = m3_mul_v3(m3_about(v3_set(0, 0, 1), t.cos, t.sin), axis);
    w = v3_add(w, v3_set(0, 0, d->in[k->steer][1]));
  }
  if (k->spins) return k->sign * (number(d, k, y) - v3_dot(axis, w));
  const motion wheel = motion_of(s, d, &k->other, y);
  const v3 own = m3_mul_v3(wheel.world, k->spin_axis);
  return v3_dot(k->spin_axis, wheel.w) - v3_dot(own, m3_mul_v3(carrier.world, carrier.w));
}

void jn_lane_sense(const jn_system *s, jn_data *d, const double *y)
{
  for (int i = 0; i < s->lane->nsensor; i++) {
    const lane_sensor *k = &s->lane->sensor[i];
    if (k->from == LANE_OF_GENERAL) {
      jn_sensor_read(s, d, k->field);
      continue;
    }
    if (k->what == JN_SENSE_SPEED && k->axis == 0 && k->place.group < 0) {  // a driver's
      const lane_core_data *c = &d->lane->core[k->place.lane];
      d->in[k->signal][0] = c->v.x + v3_cross(c->w, s->body[k->place.body].cg).x;
      continue;
    }
    d->in[k->signal][0] = k->what == JN_SENSE_SPIN ? spin(s, d, k, y)
                          : k->what == JN_SENSE_VALUE || k->what == JN_SENSE_CHANGE
                              ? coordinate(d, k, y)
                              : body_value(s, d, k, y);
  }
}
