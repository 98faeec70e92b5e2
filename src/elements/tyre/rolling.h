// rolling.h: a tyre that rolls on the road: its load, its slips, how they relax, how it stands; the forces are those of
// a steady-state law (law.h). docs/tyres.md derives it.
#ifndef JN_ELEMENTS_TYRE_ROLLING_H
#define JN_ELEMENTS_TYRE_ROLLING_H

#include "base/curve.h"
#include "elements/tyre/contact.h"
#include "elements/tyre/tread.h"
#include "elements/tyre/tyre_law.h"

// Parameters of all such tyres; those of the law stand behind them.
enum {
  ROLL_RADIUS,        // unloaded, at rest                                              [m]
  ROLL_STIFFNESS,     // load per deflection, at rest                                   [N/m]
  ROLL_QUADRATIC,     // and per deflection squared                                     [N/m^2]
  ROLL_CAMBERED,      // more stiffness per camber squared                              [N/m]
  ROLL_STIFFENS,      // part of the load that it gains per spin                        [s]
  ROLL_GROWTH,        // of the radius per spin squared                                 [m s^2]
  ROLL_DAMPING,       // at the nominal load, over that load                            [s/m]
  ROLL_LOAD_CURVE,    // bits: table of load over deflection
  ROLL_BOTTOM,        // bottoming: loaded radius at which it begins                    [m]
  ROLL_HARDNESS,      // and its stiffness                                              [N/m]
  ROLL_BOTTOM_CURVE,  // bits: table of load over depth below ROLL_BOTTOM
  ROLL_FLAT,          // part of the deflection by which the rolling radius is shorter
  ROLL_SHORTER,       // rolling radius: shorter by A (D atan(B Fz) + F Fz): A D        [m]
  ROLL_SHORTER_B,     //                                                                [1/N]
  ROLL_SHORTER_F,     // A F                                                            [m/N]
  ROLL_DAMPING_TIME,  // by which forces lead the tread's deflection                   [s]
  ROLL_SLOW,          // speed below which what has the sign of motion fades            [m/s]
  ROLL_SIDE,          // 1, or -1: mounted on the side that it was not measured on
  ROLL_FIELDS
};

enum {  // bits of its form; those of the law are above
  ROLL_BY_CURVE = 1,
  ROLL_BOTTOMS = 2,
  ROLL_BOTTOMS_BY_CURVE = 4,
  ROLL_STEADY = 8,      // no relaxation beyond what a standing tyre needs
  ROLL_NONLINEAR = 16,  // relaxation lengths fall with slip
  ROLL_CONSERVES = 32,  // the law knows no work of the arm between rolling and loaded radius
  ROLL_FORM_BITS = 6
};

enum { ROLL_CURVE_STEPS = 5, ROLL_CURVE_POINTS = 31 };

// Laws whose stiffness does not fall with the load would have treads that slide at once as they land.
static const double ROLL_MOST_THETA = 20.0;

// The largest slip that a law is asked for, kappa and tan(alpha) together: 84 degrees. Beyond it a tyre slides throughout, and
// its force has no more than a direction. A law over the slip angle itself would lose that: the angle ends at 90 degrees while
// kappa grew on, until a wheel that slides sideways pushed longitudinally with all its friction.
static const double ROLL_MOST_SLIP = 10.0;

// Where nothing is known of the rolling radius, it is shorter by a third of the deflection [Pac12, ch. 8].
static const double ROLL_FLAT_PART = 1.0 / 3.0;

//   Fz = ((k + kg camber^2) d + k2 d^2) (1 + q |Omega|) (1 + c d') >= 0,   d = R cos(camber) - h
//
// Damping grows with the load, so that a wheel lands and leaves without a jump [HuC75].
JN_INLINE real rolling_load(int form, const real *p, const tyre_in *in, const tyre_out *o,
                            real turning, real sine)
{
  const real zero = r_set(0.0), one = r_set(1.0), deep = r_max(o->deflection, zero);
  real spring;
  if (form & ROLL_BY_CURVE)
    spring = curve_at(in->table, r_bits(p[ROLL_LOAD_CURVE]), ROLL_CURVE_STEPS, deep).y;
  else
    spring = deep * r_fma(p[ROLL_QUADRATIC], deep,
                          r_fma(p[ROLL_CAMBERED], sine * sine, p[ROLL_STIFFNESS]));
  spring = spring * r_fma(p[ROLL_STIFFENS], r_abs(turning), one);
  if (form & (ROLL_BOTTOMS | ROLL_BOTTOMS_BY_CURVE)) {
    const real below = r_max(p[ROLL_BOTTOM] - o->loaded_radius, zero);
    spring =
        spring + (form & ROLL_BOTTOMS_BY_CURVE
                      ? curve_at(in->table, r_bits(p[ROLL_BOTTOM_CURVE]), ROLL_CURVE_STEPS, below).y
                      : p[ROLL_HARDNESS] * below);
  }
  const real closing = in->road_rate - v3_dot(in->velocity, in->normal);
  return r_select(r_lt(zero, o->deflection),
                  r_max(spring, zero) * r_max(r_fma(p[ROLL_DAMPING], closing, one), zero), zero);
}

// From -1 to 1 as x passes from -1 to 1, with a continuous slope.
JN_INLINE real rolling_sign(real x)
{
  const real one = r_set(1.0), y = r_max(r_min(x, one), -one);
  return y * r_fma(r_set(-0.5), y * y, r_set(1.5));
}

// How much faster slips follow where relaxation lengths fall as the secant of brush theory does [Pac12, ch. 3, 7]:
// q = C s / (3 mu Fz), F / (C s) = 1 - q + q^2 / 3 up to q = 1, then 1 / (3 q).
JN_INLINE real rolling_quick(const real z[2], const real theta[2])
{
  const real one = r_set(1.0), third = r_set(1.0 / 3.0);
  const real x = theta[0] * z[0], y = theta[1] * z[1], q = r_sqrt(r_fma(x, x, y * y));
  const real secant =
      r_select(r_lt(q, one), r_fma(q, r_fma(q, third, -one), one), third / r_max(q, one));
  return one / r_max(secant, r_set(0.1));
}

// Where the wheel is and how it slides; the law has not been asked yet.
typedef struct tyre_rolling {
  tyre_frame f;
  tyre_out o;
  real sliding[2], speed, camber, turning;
} tyre_rolling;

JN_INLINE tyre_rolling rolling_of(int form, const real *p, const tyre_in *in)
{
  const real one = r_set(1.0), slowest = r_set(TYRE_SLIP_FLOOR);
  tyre_rolling k = {.f = tyre_frame_of(in->axis, in->normal), .o = tyre_nothing()};
  tyre_out *o = &k.o;
  k.turning = v3_dot(in->axis, in->omega) + in->spin;
  const real radius = r_fma(p[ROLL_GROWTH], k.turning * k.turning, p[ROLL_RADIUS]);
  o->deflection = r_fma(radius, k.f.cosine, -in->height);
  o->loaded_radius = in->height / k.f.cosine;
  o->load = rolling_load(form, p, in, o, k.turning, k.f.sine);
  o->rolling_radius =
      r_fma(-p[ROLL_FLAT], r_max(o->deflection, r_set(0.0)), radius) -
      r_fma(p[ROLL_SHORTER], r_atan(p[ROLL_SHORTER_B] * o->load), p[ROLL_SHORTER_F] * o->load);
  o->arm = v3_scale(o->loaded_radius, k.f.down);

  // The contact point slides with the wheel as a rigid one; longitudinally, it is the rolling radius that counts.
  const v3 turning = v3_axpy(in->spin, in->axis, in->omega);
  const v3 rigid = v3_cross_add(turning, o->arm, in->velocity);
  k.sliding[0] = r_fma(o->loaded_radius - o->rolling_radius, k.turning, v3_dot(rigid, k.f.x));
  k.sliding[1] = v3_dot(rigid, k.f.y);
  o->vx = v3_dot(in->velocity, k.f.x);
  o->vy = v3_dot(in->velocity, k.f.y);
  k.speed = r_fma(o->rolling_radius, k.turning, k.sliding[0]);  // of the contact, longitudinal
  const real over = one / r_max(r_abs(k.speed), slowest);
  o->slip = -k.sliding[0] * over;
  o->slip_angle = r_atan(k.sliding[1] * over);
  o->camber = r_atan2(k.f.sine, k.f.cosine);
  k.camber = p[ROLL_SIDE] * o->camber;
  return k;
}

// The slip that the law is asked for. limits: of the law at this load.
//
// On a road of another friction l the law is that of similarity [Pac12, 4.1], F(s) = l F0(s / l): slip stiffness is what it was,
// the largest force l times as large. Mz is a force times a length, so it goes alike; overturning and rolling resistance,
// which the load makes, are left as they are.
JN_INLINE tyre_slip rolling_slip(int form, const real *p, const tyre_in *in, tyre_rolling *k,
                                 tyre_limits limits)
{
  const real one = r_set(1.0), zero = r_set(0.0), side = p[ROLL_SIDE];
  tyre_out *o = &k->o;
  const r_mask touches = r_lt(zero, o->load);
  const real third = r_set(1.0 / 3.0) / r_max(o->load, r_set(1e-300));
  tread_in t = {
      .passing = r_abs(k->speed), .damping_time = p[ROLL_DAMPING_TIME], .quick = {one, one}};
  // Whatever the lengths, slips follow within half of the damping time at the soonest: less would be stiff, and nobody's to see.
  const real soonest = r_set(0.5) * p[ROLL_DAMPING_TIME] * t.passing;
  const real grip = in->friction, over = one / grip;
  real z[2];
  for (int i = 0; i < 2; i++) {
    t.state[i] = in->state[i];
    t.sliding[i] = k->sliding[i];
    t.length[i] = r_max(limits.relaxation[i], soonest);
    t.theta[i] =
        r_min(r_select(touches, third * limits.stiffness[i] / (limits.friction[i] * grip), one),
              r_set(ROLL_MOST_THETA));
    z[i] = in->state[i] / t.length[i];
  }
  if (form & (ROLL_STEADY | ROLL_NONLINEAR)) {
    const real wanted = form & ROLL_STEADY ? t.passing / p[ROLL_SLOW] : rolling_quick(z, t.theta);
    const real distance = r_max(soonest, r_set(1e-300));
    for (int i = 0; i < 2; i++) t.quick[i] = r_max(one, r_min(wanted, t.length[i] / distance));
  }
  t.most = r_set(ROLL_MOST_SLIP) * grip;
  tread_out out = tread(t);
  tread_in_air(&out, touches, p[ROLL_DAMPING_TIME]);
  for (int i = 0; i < 2; i++) o->rate_a[i] = out.a[i], o->rate_b[i] = out.b[i];
  return (tyre_slip){.kappa = out.slip[0] * over,
                     .tan_alpha = -side * out.slip[1] * over,
                     .camber = k->camber,
                     .load = o->load,
                     .speed = r_abs(k->speed),
                     .forward = rolling_sign(k->speed / p[ROLL_SLOW]),
                     .rolling = rolling_sign(o->rolling_radius * k->turning / p[ROLL_SLOW])};
}

JN_INLINE tyre_out rolling_result(int form, const real *p, const tyre_in *in, const tyre_rolling *k,
                                  tyre_limits limits, tyre_forces law)
{
  const real side = p[ROLL_SIDE], tiny = r_set(1e-300), grip = in->friction;
  tyre_out o = k->o;
  o.fx = law.fx * grip;
  o.fy = side * law.fy * grip;
  o.mx = side * law.mx;
  o.my = law.my;
  o.mz = side * law.mz * grip;
  // A driven wheel does the work Fx Re Omega on the road, not Fx R Omega: else it would gain what nobody spends.
  if (form & ROLL_CONSERVES) o.my = r_fma(o.loaded_radius - o.rolling_radius, o.fx, o.my);
  const real x = o.fx / r_max(limits.friction[0] * grip * o.load, tiny);
  const real y = o.fy / r_max(limits.friction[1] * grip * o.load, tiny);
  o.utilisation = r_sqrt(r_fma(x, x, y * y));
  o.force = tyre_force(&k->f, in->normal, o.fx, o.fy, o.load);
  o.moment = tyre_force(&k->f, in->normal, o.mx, o.my, o.mz);
  return o;
}

#endif
