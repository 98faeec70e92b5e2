// wheel.h: a wheel on its tyre, once for one wheel and for lanes: where it meets the road, what turns it and what its carrier
// bears.
//
// A wheel is a rotor in its carrier, whose mass and whose inertia across the axis the carrier has. With the axis a, the
// carrier's angular velocity w and the absolute angular velocity Omega about a, its momentum is I Omega a, so that
//
//   I Omega' = a . (all moments on it),   on the carrier: what is left of them, - I Omega (w x a)
//
// The caller says how the wheel moves and takes the loads to its bodies; between both are two functions, the contact and the
// torques, with the tyre (tyre_at.h) between them. All vectors are in one set of axes, whichever the caller has at hand.
#ifndef JN_ELEMENTS_WHEEL_H
#define JN_ELEMENTS_WHEEL_H

#include "base/curve.h"
#include "base/m3.h"
#include "elements/road/road.h"
#include "elements/tyre/tyre_at.h"

typedef struct wheel_motion {
  m3 world;     // rows: the world's axes
  v3 origin;    // place in the world of the point that `at` is from
  v3 at;        // wheel centre
  v3 velocity;  // of it
  v3 axis;      // of spin, unit, to the left
  v3 omega;     // angular velocity of the carrier, with that of steering
  real spin;    // of the wheel against it, about the axis
} wheel_motion;

// The axis as its carrier holds it, whose rotation is r (NULL: none), steered to the left about the carrier's own z.
JN_INLINE void wheel_steer(const m3 *r, real angle, real rate, v3 *axis, v3 *omega)
{
  const r_sin_cos t = r_sincos_near(angle);
  const v3 z = v3_set(0, 0, 1);
  *axis = m3_mul_v3(m3_about(z, t.cos, t.sin), *axis);
  *omega = v3_axpy(rate, r ? m3_column(*r, 2) : z, *omega);
}

// ---- contact --------------------------------------------------------------------------------------

// What the tyre is asked, without its states, on a road of this form and with these parameters; q has post, time, keep and object.
// Height of the road under the wheel comes out beside.
JN_INLINE tyre_in wheel_touch(const wheel_motion *m, jn_tyre_kind kind, int form, const real *road,
                              road_query q, real *z)
{
  const v3 up = m->world.z;
  tyre_in in = {.axis = m->axis,
                .velocity = m->velocity,
                .omega = m->omega,
                .spin = m->spin,
                .forward = m->world.x,
                .normal = up};
  in.height = v3_dot(up, m->at) + m->origin.z;
  in.road_rate = in.state[0] = in.state[1] = *z = r_set(0.0);
  in.friction = r_set(1.0);
  if (form & ROAD_PLAIN) return in;
  const v3 ex = m->world.x, ey = m->world.y, v = m->velocity;
  const v3 centre =
      v3_make(v3_dot(ex, m->at) + m->origin.x, v3_dot(ey, m->at) + m->origin.y, in.height);
  const v3 moving = v3_make(v3_dot(ex, v), v3_dot(ey, v), v3_dot(up, v));
  q.x = centre.x, q.y = centre.y, q.z = centre.z;
  const road_hit hit = road_at(form, road, &q);
  const road_plane k =
      tyre_follows(kind) ? road_follow(&hit, centre, moving) : road_touch(&hit, centre);
  in.normal = v3_axpy(k.normal.x, ex, v3_axpy(k.normal.y, ey, v3_scale(k.normal.z, up)));
  in.height = k.height;
  in.road_rate = k.rate;
  in.friction = hit.friction;
  *z = hit.z;
  return in;
}

// ---- torques --------------------------------------------------------------------------------------

typedef struct wheel_drive {
  real inertia;  // about the axis
  real gyro;     // the same, 0 where no gyroscopic moment is applied
  real whole;    // absolute angular velocity about the axis
  bool driven;   // else `drive` counts for nothing
  real drive;    // torque
  bool braked;   // likewise of these two
  real limit;    // of the brake's torque
  real hold;     // its state
  v3 bears;  // angular velocity of the body that takes the tyre's moment, without that of steering
  v3 on_brake;  // of the one that the brake reacts on
  v3 on_drive;  // of the one that the drive reacts on
} wheel_drive;

typedef struct wheel_loads {
  v3 moment;    // on the carrier at the wheel centre, without those of drive and brake
  real torque;  // all that turns the wheel
  real
      power;  // of everything on wheel and bodies: a prescribed steer angle does work beside that, which is not the tyre's
  brake_out brake;  // torque against a positive spin, and its state's rate
} wheel_loads;

// axis, omega: of the wheel as its carrier holds it. power: what it is added to.
JN_INLINE wheel_loads wheel_turn(const wheel_motion *m, const tyre_out *o, const wheel_drive *d,
                                 real power)
{
  const v3 axis = m->axis, moment = v3_cross_add(o->arm, o->force, o->moment);  // about the centre
  const real own = v3_dot(axis, moment);
  wheel_loads k = {.torque = own};
  k.moment =
      v3_sub(v3_axpy(-own, axis, moment), v3_cross(m->omega, v3_scale(d->gyro * d->whole, axis)));
  k.power = power + v3_dot(o->force, m->velocity) + v3_dot(k.moment, d->bears) + own * d->whole;
  k.brake.torque = k.brake.a = k.brake.b = r_set(0.0);
  if (d->driven) {
    k.torque = k.torque + d->drive;
    k.power = r_fma(d->drive, d->whole - v3_dot(axis, d->on_drive), k.power);
  }
  if (d->braked) {
    k.brake = brake(d->limit, d->inertia, m->spin, d->hold);
    k.torque = k.torque - k.brake.torque;
    k.power = r_fma(-k.brake.torque, d->whole - v3_dot(axis, d->on_brake), k.power);
  }
  return k;
}

// ---- compliance -----------------------------------------------------------------------------------

// Steer and camber of the suspension's compliance, without its lag: sums of curves over side force and aligning moment. Bit i
// of `curves`: there is curve i, at the place in the table whose bits are at[i].
JN_INLINE void wheel_yields(const double *table, int curves, const real at[TYRE_NCOMPLIANCE],
                            const tyre_out *o, real yields[2])
{
  const real by[2] = {o->fy, o->mz};
  for (int i = 0; i < 2; i++) {
    yields[i] = r_set(0.0);
    for (int j = 0; j < 2; j++)
      if (curves >> (2 * i + j) & 1)
        yields[i] =
            yields[i] + curve_at(table, r_bits(at[2 * i + j]), TYRE_COMPLIANCE_STEPS, by[j]).y;
  }
}

#endif
