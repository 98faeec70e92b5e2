// operations.h: like subsystems in four lanes, as operation lists.
//
// A group is up to four subsystems of one shape that hang on the same core body, its parent. Everything in it is seen
// from the parent: positions from the parent's point in the parent's axes, motions relative to it, so that no operation
// but the last ones knows how the vehicle moves. Lanes share the operation list and differ in numbers, which are held field by
// field, the four lanes of a field side by side. The same list runs four lanes at once or one after the
// other, with the same bits (run_list.h); shapes that ship have it precompiled (precompiled.c).
//
//   pose           coordinates             -> poses, rows of the loops, their residuals
//   factors        rows                    -> factors, dependent coordinates over the others
//   rate           velocities              -> those of dependent coordinates, rates of positions
//   motion         both                    -> motions of bodies, biases, screws per independent velocity
//   force          poses, motions          -> wrenches on bodies, rates of wheels and tyres
//   inertia        all of it               -> eliminated onto the parent
//   accelerations  parent's acceleration   -> rates of the group's independent velocities
//   corrections    residuals of the loops  -> corrections, with the factors at hand
//   closure        after a step: corrections are applied, angles stay within +-pi
//   row            what rows of channels need beyond that: accelerations of bodies, residuals of loops
//
// Plain numbers only: this header is read at either width.
#ifndef JN_SOLVE_FAST_OPERATIONS_H
#define JN_SOLVE_FAST_OPERATIONS_H

#include <stddef.h>

#include "elements/element_kinds.h"

enum {
  LANES = 4,
  LANE_ROWS = 32,            // of a subsystem's loops
  LANE_MOST_ROWS_ALONE = 8,  // of those that no other subsystem is like
  LANE_Z = 16,               // its independent coordinates and those of shared joints
  LANE_CIRCLE = -10          // a rotation by cosine and sine: this less their field (kernels.h)
};

// Force elements: those whose ends lanes can find. LANE_OPS is given a macro called X.
#define LANE_ELEMENT(kind, word, ends, outputs)     LANE_ENDS_##ends(X(ELEMENT_##kind, word))
#define LANE_ELEMENT_ROW(kind, word, ends, outputs) LANE_ENDS_##ends(X(ROW_##kind, word##_row))
#define LANE_ENDS_LINE(x)                           x
#define LANE_ENDS_COORDINATE(x)                     x
#define LANE_ENDS_FRAME(x)                          x
#define LANE_ENDS_PAIR(x)                           x
#define LANE_ENDS_BODY(x)                           x
#define LANE_ENDS_WORLD(x)
#define LANE_ENDS_ROAD(x)

// Operations (kernels.h says what each does and what its arguments are).
#define LANE_OPS(X)                             \
  X(JOINT, joint)                               \
  X(POINT, point)                               \
  X(DISTANCE, distance)                         \
  X(ALONG, along)                               \
  X(BETWEEN, between)                           \
  X(FACTOR, factor)                             \
  X(DEPENDENT_VELOCITIES, dependent_velocities) \
  X(BODY_MOTION, body_motion)                   \
  X(POINT_BIAS, point_bias)                     \
  X(DISTANCE_BIAS, distance_bias)               \
  X(ALONG_BIAS, along_bias)                     \
  X(BETWEEN_BIAS, between_bias)                 \
  X(SOLVE, solve)                               \
  X(MOTIONS, motions)                           \
  X(RATES, rates)                               \
  X(ZERO, zero)                                 \
  JN_ELEMENT_KINDS(LANE_ELEMENT)                \
  X(WHEEL, wheel)                               \
  X(HINGED, hinged)                             \
  X(BODY, body)                                 \
  X(ELIMINATE, eliminate)                       \
  X(ACCELERATION, acceleration)                 \
  X(CORRECT, correct)                           \
  X(WRAP, wrap)                                 \
  X(UNIT, unit)                                 \
  X(COORDINATES, coordinates)                   \
  X(BODY_ACCELERATION, body_acceleration)       \
  X(RESIDUALS, residuals)                       \
  JN_ELEMENT_KINDS(LANE_ELEMENT_ROW)            \
  X(WHEEL_ROW, wheel_row)

#define X(name, op) LANE_##name,
typedef enum lane_kind { LANE_OPS(X) LANE_NKIND } lane_kind;
#undef X

typedef struct lane_op {
  int kind, narg;
  const int *arg;
} lane_op;

typedef enum lane_phase {
  LANE_POSE,
  LANE_FACTORS,
  LANE_RATE,
  LANE_MOTION,
  LANE_FORCE,
  LANE_INERTIA,
  LANE_ACCELERATIONS,
  LANE_CORRECTIONS,
  LANE_CLOSURE,
  LANE_ROW,  // not part of a step
  LANE_NPHASE
} lane_phase;

// What the core passes to all lanes of a group.
enum {
  LANE_PARENT_W = 0,   // angular velocity of the parent, in its own axes
  LANE_PARENT_V = 3,   // velocity of its point, likewise
  LANE_PARENT_R = 6,   // from its axes to world axes, by rows
  LANE_PARENT_P = 15,  // place of its point in the world
  LANE_PARENT_A = 18,  // acceleration: angular, linear less gravity; known to LANE_ACCELERATIONS
  LANE_PARENT_TIME = 24,
  LANE_NPARENT = 25
};

// What rows have of a wheel: numbers of its tyre, with their channels, and others; then places and directions in the world.
#define WHEEL_ROW_TYRE(X)                             \
  X(FX, fx, "fx")                                     \
  X(FY, fy, "fy")                                     \
  X(LOAD, load, "fz")                                 \
  X(MX, mx, "mx")                                     \
  X(MY, my, "my")                                     \
  X(MZ, mz, "mz")                                     \
  X(SLIP, slip, "slip")                               \
  X(SLIP_ANGLE, slip_angle, "slip_angle")             \
  X(CAMBER, camber, "camber")                         \
  X(DEFLECTION, deflection, "deflection")             \
  X(VX, vx, "vx")                                     \
  X(VY, vy, "vy")                                     \
  X(LOADED_RADIUS, loaded_radius, "loaded_radius")    \
  X(ROLLING_RADIUS, rolling_radius, "rolling_radius") \
  X(UTILISATION, utilisation, "utilisation")

enum {
#define X(id, member, channel) WHEEL_ROW_##id,
  WHEEL_ROW_TYRE(X)
#undef X
      WHEEL_ROW_SPIN,
  WHEEL_ROW_ROAD,
  WHEEL_ROW_FRICTION,
  WHEEL_ROW_BRAKE,
  WHEEL_ROW_CENTRE,
  WHEEL_ROW_CONTACT = WHEEL_ROW_CENTRE + 3,
  WHEEL_ROW_AXIS = WHEEL_ROW_CONTACT + 3,
  WHEEL_ROW_NORMAL = WHEEL_ROW_AXIS + 3,
  WHEEL_ROW_FIELDS = WHEEL_ROW_NORMAL + 3
};

// What a group gives its parent body, summed over lanes: articulated inertia (j h m), its wrench, power of the force elements.
// What it gives the shared joints, each lane to its own, is in fields of its own: coupling to the parent body (f), to each other
// (d, the lower triangle by rows), the force on them (q).
enum {
  LANE_SUM_J = 0,
  LANE_SUM_H = 6,
  LANE_SUM_M = 15,
  LANE_SUM_P = 21,
  LANE_SUM_POWER = 27,
  LANE_NSUM = 28
};

typedef struct lane_run {  // of one group, in one evaluation
  double *w;               // workspace
  const double *p;         // parameters
  double *q, *v, *x, *e;   // state; e: declared as u' = b - a u
  double *dq, *dv, *dx, *de, *rate;
  const double *parent;  // (LANE_NPARENT)
  const double *in;      // inputs of force elements and wheels
  const double
      *shared;          // positions, velocities and, once known, accelerations of the shared joints
  const double *table;  // curves
  const struct tyre_plugin *plugin;
  const struct road_object *road;
  void (*compiled[LANE_NPHASE])(
      const struct lane_run *r);  // precompiled lists, NULL: there is none
} lane_run;

// A precompiled operation list; taken when a group's own is the same. Phases are compared one by one, so that a further
// force element leaves all but one as they are.
typedef struct lane_compiled {
  const char *name;
  lane_phase phase;
  int nop;
  const lane_op *op;
} lane_compiled;

extern const lane_compiled jn_lane_compiled[];
extern const int jn_lane_ncompiled;

// One engine that runs operation lists: four lanes at once, or one after the other.
typedef struct lane_engine {
  const char *name;
  int width;
  void (*list)(const lane_op *op, int nop, int lanes, const lane_run *r);
  void (*const *compiled)(const lane_run *r);              // (jn_lane_ncompiled); NULL: none is
  void (*sum)(const double *out, int lanes, double *sum);  // (LANE_NSUM x LANES) -> (LANE_NSUM)
  void (*angles)(const double *sine, const double *cosine, double *angle);  // (LANES) each
} lane_engine;

#endif
