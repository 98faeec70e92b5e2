// contact.h: what every tyre kernel takes and gives, and where a wheel meets a plane road.
//
// Kernels are written against `real`: one source for one wheel and for four lanes. They know no
// axes of their own; all vectors are in one set of axes, whichever the caller has at hand.
//
// Signs (ISO 8855, ISO-W): x forward, y to the left, z along the road's normal. Positive slip drives,
// a positive slip angle gives a negative side force, a wheel of positive camber leans to the right.
#ifndef JN_ELEMENTS_TYRE_CONTACT_H
#define JN_ELEMENTS_TYRE_CONTACT_H

#include "base/rmath.h"
#include "base/v3.h"

typedef struct tyre_in {
  v3 axis;      // of spin, unit, to the left
  v3 velocity;  // of the wheel centre
  v3 omega;     // angular velocity of the carrier, without the spin
  real spin;    // of the wheel relative to its carrier, about axis (0 where omega has it all)
  v3 forward;  // world x: a rig's direction of travel, which mf-simple keeps to with `frame: world`
  v3 normal;   // of the road, unit, upwards
  real height;          // wheel centre above the road plane, along normal
  real road_rate;       // speed of the road surface along normal
  real friction;        // of the road, relative to what the tyre's parameters say; above zero
  real state[2];        // relaxation: longitudinal, lateral
  const double *table;  // where curves live (law.h)
  const struct tyre_plugin *plugin;  // those of the model, among which parameters hold an index
  real *keep;                        // of its contact (keep.h); NULL: nothing is kept
} tyre_in;

typedef struct tyre_out {
  v3 force;                                         // on the wheel, at the contact point
  v3 arm;                                           // contact point from the wheel centre
  v3 moment;                                        // free moment on the wheel
  real rate_b[2], rate_a[2];                        // state' = b - a state, a >= 0
  real load, slip, slip_angle, camber, deflection;  // for channels
  real fx, fy;                                      // along heading, to the left of it
  real mx, my, mz;                                  // parts of the moment, ISO-W
  real loaded_radius, rolling_radius;  // centre to contact; forward speed over free spin
  real vx, vy;                         // of the wheel centre, along the same directions
  real utilisation;                    // force along the road over what friction gives
} tyre_out;

enum {
  TYRE_COMPLIANCE_STEPS = 5,
  TYRE_NCOMPLIANCE = 4
};                             // curves: steer, camber, each by force and by torque
enum { TYRE_SLIP_FLOOR = 1 };  // least speed that slips are divided by [m/s]

// Directions in the road plane, and the contact point under the centre within the wheel's plane:
//
//   x = a x n / |a x n|,  y = n x x,  d = -(n - (n.a) a) / |..|,  d.n = -cos(camber)
typedef struct tyre_frame {
  v3 x, y;
  v3 down;      // from the centre to the contact, unit
  real cosine;  // of the camber
  real sine;
} tyre_frame;

JN_INLINE tyre_frame tyre_frame_of(v3 axis, v3 normal)
{
  const v3 c = v3_cross(axis, normal);
  tyre_frame f;
  f.sine = v3_dot(axis, normal);
  f.cosine = r_sqrt(r_max(v3_dot(c, c), r_set(1e-12)));  // a wheel that lies flat heads nowhere
  const real q = r_set(1.0) / f.cosine;
  f.x = v3_scale(q, c);
  f.y = v3_cross(normal, f.x);
  f.down = v3_scale(q, v3_axpy(f.sine, axis, v3_neg(normal)));
  return f;
}

// The axis of a wheel on a compliant suspension: turned to the left about the normal, then leant to the right about its heading.
JN_INLINE v3 tyre_comply(v3 axis, v3 normal, real steer, real camber)
{
  const r_sin_cos t = r_sincos_near(steer), c = r_sincos_near(camber);
  const real up = v3_dot(axis, normal);
  const v3 flat = v3_axpy(-up, normal, axis), across = v3_cross(normal, axis);
  const v3 turned = v3_axpy(up, normal, v3_axpy(t.cos, flat, v3_scale(t.sin, across)));
  const tyre_frame f = tyre_frame_of(turned, normal);
  return v3_axpy(c.cos, turned, v3_scale(c.sin, v3_cross(f.x, turned)));
}

// Linear spring and damper towards the road, which only pushes and ends where the wheel leaves.
JN_INLINE real tyre_load(real stiffness, real damping, real depth, real closing)
{
  const real zero = r_set(0.0);
  const real load = r_fma(damping, closing, stiffness * depth);
  return r_select(r_lt(zero, depth), r_max(zero, load), zero);
}

// Slips for people: velocity of the contact point over the longitudinal speed.
JN_INLINE void tyre_report_slip(tyre_out *o, const tyre_frame *f, v3 velocity, v3 sliding)
{
  const real vx = r_max(r_abs(v3_dot(velocity, f->x)), r_set(TYRE_SLIP_FLOOR));
  o->slip = -v3_dot(sliding, f->x) / vx;
  o->slip_angle = r_atan(v3_dot(sliding, f->y) / vx);
  o->camber = r_atan2(f->sine, f->cosine);
  o->vx = v3_dot(velocity, f->x);
  o->vy = v3_dot(velocity, f->y);
}

JN_INLINE tyre_out tyre_nothing(void)
{
  const v3 none = v3_set(0, 0, 0);
  const real zero = r_set(0.0);
  tyre_out o = {.force = none, .arm = none, .moment = none};
  o.rate_b[0] = o.rate_b[1] = o.rate_a[0] = o.rate_a[1] = zero;
  o.load = o.slip = o.slip_angle = o.camber = o.deflection = o.fx = o.fy = zero;
  o.mx = o.my = o.mz = o.loaded_radius = o.rolling_radius = o.vx = o.vy = o.utilisation = zero;
  return o;
}

JN_INLINE v3 tyre_force(const tyre_frame *f, v3 normal, real fx, real fy, real fz)
{
  return v3_axpy(fx, f->x, v3_axpy(fy, f->y, v3_scale(fz, normal)));
}

#endif
