// peer_vehicle.h: the vehicle on which engines are compared, as plain data, with its force laws. Other engines
// build their model from it; jounce reads models/peer-vehicle.yaml. README.md has it in words.
//
// SI units, x forward, y left, z up. A body's frame is at its centre of mass and has world axes at
// t = 0, so that every point is given once, in world coordinates at t = 0.
#ifndef JN_BENCH_PEERS_PEER_VEHICLE_H
#define JN_BENCH_PEERS_PEER_VEHICLE_H

#include <math.h>
#include <string.h>

enum { NCORNER = 4, NBODY = 18, CHASSIS = 0, RACK = 1 };

// The bodies of corner i (fl fr rl rr).
static inline int lower_arm(int i)
{
  return 2 + 4 * i;
}
static inline int upper_arm(int i)
{
  return 3 + 4 * i;
}
static inline int upright(int i)
{
  return 4 + 4 * i;
}
static inline int wheel(int i)
{
  return 5 + 4 * i;
}

static const double GRAVITY = 9.81;

// ---- manoeuvre --------------------------------------------------------------------------------------

static const double SPEED = 15.0, HUB_HEIGHT = 0.448;  // wheels roll at speed / height of the hub
static const double END = 10.0, STEP = 1e-3;
static const double RAMP_BEGIN = 1.0, RAMP_END = 1.2, RAMP_TO = 0.010;  // of the rack

typedef struct rack_demand {
  double position, rate;
} rack_demand;

static inline rack_demand rack_demand_at(double t)
{
  const double rate = RAMP_TO / (RAMP_END - RAMP_BEGIN);
  if (t <= RAMP_BEGIN) return (rack_demand){0.0, 0.0};
  if (t >= RAMP_END) return (rack_demand){RAMP_TO, 0.0};
  return (rack_demand){rate * (t - RAMP_BEGIN), rate};
}

// ---- bodies -----------------------------------------------------------------------------------------

typedef struct body_mass {
  double mass, inertia[3];  // principal
} body_mass;

typedef struct corner {
  double lower_pivot[3], lower_cg[3];  // arm on a revolute about x of the chassis
  double upper_pivot[3], upper_cg[3];
  double lower_ball[3], upper_ball[3];
  double upright_cg[3];
  double hub[3];  // wheel on a revolute about y of the upright
  double tie_in[3], tie_out[3];
  double spring_top[3], spring_low[3];  // on the chassis, on the lower arm
  double free_length;
  int tie_body;  // that holds the tie rod's inner end
} corner;

static const double CHASSIS_CG[3] = {0.0, 0.0, 0.75}, RACK_CG[3] = {1.77, 0.0, 0.433};

// x of the hub, side (1: left), tie rod: x from the hub, inner y and z, outer y and z
#define CORNER(x, s, tx, yi, zi, yo, zo, length, body)                                         \
  {                                                                                            \
    {x, s * 0.42, 0.338}, {x, s * 0.62, 0.326}, {x, s * 0.48, 0.593}, {x, s * 0.615, 0.6},     \
        {x + 0.010, s * 0.79, 0.318}, {x - 0.015, s * 0.75, 0.608}, {x, s * 0.83, 0.448},      \
        {x, s * 0.91, 0.448}, {x + tx, s * yi, zi}, {x + tx, s * yo, zo}, {x, s * 0.50, 0.83}, \
        {x, s * 0.65, 0.328}, length, body                                                     \
  }
static const corner CORNERS[NCORNER] = {
    CORNER(1.600, 1, 0.17, 0.40, 0.433, 0.77, 0.428, 0.6229, RACK),
    CORNER(1.600, -1, 0.17, 0.40, 0.433, 0.77, 0.428, 0.6229, RACK),
    CORNER(-1.778, 1, -0.17, 0.42, 0.351, 0.79, 0.333, 0.6117, CHASSIS),
    CORNER(-1.778, -1, -0.17, 0.42, 0.351, 0.79, 0.333, 0.6117, CHASSIS),
};
#undef CORNER

static inline body_mass mass_of(int body)
{
  static const body_mass chassis = {2086.5, {1078.5, 2955.6, 3570.2}},
                         rack = {5.0, {0.20, 0.02, 0.20}};
  static const body_mass of_corner[4] = {{16.4, {0.20, 0.12, 0.30}},
                                         {5.8, {0.035, 0.03, 0.06}},
                                         {36.3, {0.40, 0.60, 0.40}},
                                         {50.0, {1.50, 2.70, 1.50}}};
  return body == CHASSIS ? chassis : body == RACK ? rack : of_corner[(body - 2) % 4];
}

static inline const double *cg_of(int body)
{
  if (body == CHASSIS) return CHASSIS_CG;
  if (body == RACK) return RACK_CG;
  const corner *c = &CORNERS[(body - 2) / 4];
  const double *const cg[4] = {c->lower_cg, c->upper_cg, c->upright_cg, c->hub};
  return cg[(body - 2) % 4];
}

// ---- states and forces --------------------------------------------------------------------------------

typedef struct body_state {
  double p[3];  // centre of mass
  double r[9];  // body to world axes, row by row
  double v[3], w[3];
} body_state;

typedef struct body_force {
  double force[3], moment[3];  // at the centre of mass, world axes
} body_force;

static inline double dot(const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void cross(const double *a, const double *b, double *out)
{
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline double distance(const double *a, const double *b)
{
  const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  return sqrt(dot(d, d));
}

// Where the body's point that was at `at` at t = 0 is now, from the centre of mass and in the world.
static inline void point_of(const body_state *s, int body, const double *at, double *arm, double *p)
{
  const double *cg = cg_of(body), *r = s[body].r;
  const double l[3] = {at[0] - cg[0], at[1] - cg[1], at[2] - cg[2]};
  for (int k = 0; k < 3; k++) {
    arm[k] = dot(r + 3 * k, l);
    p[k] = s[body].p[k] + arm[k];
  }
}

static inline void velocity_at(const body_state *s, const double *arm, double *v)
{
  cross(s->w, arm, v);
  for (int k = 0; k < 3; k++) v[k] += s->v[k];
}

static inline void add_force(body_force *f, const double *arm, const double *force)
{
  double moment[3];
  cross(arm, force, moment);
  for (int k = 0; k < 3; k++) f->force[k] += force[k], f->moment[k] += moment[k];
}

static const double SPRING_STIFFNESS = 100e3, SPRING_DAMPING = 7e3;
static const double SERVO_STIFFNESS = 5e6, SERVO_DAMPING = 4e4;
static const double TYRE_RADIUS = 0.470, TYRE_STIFFNESS = 280e3, TYRE_DAMPING = 1e3;
static const double TYRE_SLIP_STIFFNESS = 60e3, TYRE_CORNERING_STIFFNESS = 60e3;
static const double TYRE_LOAD = 5000.0, TYRE_FRICTION = 0.9, TYRE_LEAST_SPEED = 1.0;

// One contact point on the plane z = 0, under the wheel's centre within its plane.
static inline void add_tyre(const body_state *s, body_force *f)
{
  const double a[3] = {s->r[1], s->r[4], s->r[7]};  // spin axis
  const double q = 1.0 / sqrt(a[0] * a[0] + a[1] * a[1]);
  const double forward[3] = {a[1] * q, -a[0] * q, 0.0}, left[3] = {a[0] * q, a[1] * q, 0.0};
  const double down[3] = {a[2] * a[0] * q, a[2] * a[1] * q, -1.0 / q};  // within the wheel's plane
  const double depth = TYRE_RADIUS / q - s->p[2], radius = s->p[2] * q;
  const double load = TYRE_STIFFNESS * depth - TYRE_DAMPING * s->v[2];
  if (depth <= 0.0 || load <= 0.0) return;
  const double arm[3] = {radius * down[0], radius * down[1], radius * down[2]};
  double v[3];
  velocity_at(s, arm, v);
  const double rolling = fmax(fabs(dot(s->v, forward)), TYRE_LEAST_SPEED);
  const double share = fmin(1.0, load / TYRE_LOAD);
  double fx = -TYRE_SLIP_STIFFNESS * share * dot(v, forward) / rolling;
  double fy = -TYRE_CORNERING_STIFFNESS * share * atan(dot(v, left) / rolling);
  const double both = sqrt(fx * fx + fy * fy), limit = TYRE_FRICTION * load;
  if (both > limit) fx *= limit / both, fy *= limit / both;
  add_force(f, arm,
            (double[]){fx * forward[0] + fy * left[0], fx * forward[1] + fy * left[1], load});
}

// Along the chassis' y axis, on rack and chassis.
static inline void add_servo(double t, const body_state *s, body_force *f)
{
  const rack_demand demand = rack_demand_at(t);
  const double *r = s[CHASSIS].r, y[3] = {r[1], r[4], r[7]}, none[3] = {0.0, 0.0, 0.0};
  double arm[3], p[3], v[3], turning[3], d[3], dv[3], reaction_arm[3];
  point_of(s, CHASSIS, RACK_CG, arm, p);
  velocity_at(&s[CHASSIS], arm, v);
  for (int k = 0; k < 3; k++) {
    d[k] = s[RACK].p[k] - p[k];
    dv[k] = s[RACK].v[k] - v[k];
    reaction_arm[k] = s[RACK].p[k] - s[CHASSIS].p[k];
  }
  cross(s[CHASSIS].w, d, turning);
  const double force = SERVO_STIFFNESS * (demand.position - dot(d, y)) +
                       SERVO_DAMPING * (demand.rate - dot(dv, y) + dot(turning, y));
  add_force(&f[RACK], none, (double[]){force * y[0], force * y[1], force * y[2]});
  add_force(&f[CHASSIS], reaction_arm, (double[]){-force * y[0], -force * y[1], -force * y[2]});
}

// Of tyres and servo; springs are the engines' own. Reads chassis, rack and wheels.
static inline void forces_at(double t, const body_state *s, body_force f[NBODY])
{
  memset(f, 0, NBODY * sizeof *f);
  add_servo(t, s, f);
  for (int i = 0; i < NCORNER; i++) add_tyre(&s[wheel(i)], &f[wheel(i)]);
}

// ---- how far joints are open ----------------------------------------------------------------------------

static inline double gap(const body_state *s, int a, int b, const double *at)
{
  double arm[3], pa[3], pb[3];
  point_of(s, a, at, arm, pa);
  point_of(s, b, at, arm, pb);
  return distance(pa, pb);
}

// Largest position error of all joints and tie rods [m].
static inline double violation(const body_state *s)
{
  double worst = 0.0, arm[3], pa[3], pb[3];
  for (int i = 0; i < NCORNER; i++) {
    const corner *c = &CORNERS[i];
    worst = fmax(worst, gap(s, CHASSIS, lower_arm(i), c->lower_pivot));
    worst = fmax(worst, gap(s, CHASSIS, upper_arm(i), c->upper_pivot));
    worst = fmax(worst, gap(s, lower_arm(i), upright(i), c->lower_ball));
    worst = fmax(worst, gap(s, upper_arm(i), upright(i), c->upper_ball));
    worst = fmax(worst, gap(s, upright(i), wheel(i), c->hub));
    point_of(s, c->tie_body, c->tie_in, arm, pa);
    point_of(s, upright(i), c->tie_out, arm, pb);
    worst = fmax(worst, fabs(distance(pa, pb) - distance(c->tie_in, c->tie_out)));
  }
  // The rack stays on its line, the chassis' y axis.
  const double *r = s[CHASSIS].r, y[3] = {r[1], r[4], r[7]};
  point_of(s, CHASSIS, RACK_CG, arm, pa);
  double d[3], along;
  for (int k = 0; k < 3; k++) d[k] = s[RACK].p[k] - pa[k];
  along = dot(d, y);
  for (int k = 0; k < 3; k++) d[k] -= along * y[k];
  return fmax(worst, sqrt(dot(d, d)));
}

#endif
