// joint_rows.h: what a cut joint holds, row by row.
//
// A row holds an expression of where its bodies a and b are at a value. Its rate is the power of a wrench on b, and of the opposite
// one on a: a force f at b's point P and a moment m. Second rates are those of the expression with accelerations of coordinates left
// aside; `bias` is what is left of the bodies' own, where a caller has it.
#ifndef JN_JOINTS_JOINT_ROWS_H
#define JN_JOINTS_JOINT_ROWS_H

#include "base/m3.h"
#include "base/rmath.h"
#include "base/spatial.h"
#include "joints/joint.h"

// ---- primitives -------------------------------------------------------------------------------------
// What is open: the value less the expression.

JN_INLINE real row_along(v3 d, v3 f, real value)  // d . f
{
  return value - v3_dot(d, f);
}
JN_INLINE real row_between(v3 x, v3 y, real value)  // x . y
{
  return value - v3_dot(x, y);
}
JN_INLINE v3 row_between_moment(v3 x, v3 y)
{
  return v3_cross(y, x);
}
// |d| near the length L: (d.d - L^2) / 2 L has the same rates there and needs no root. e = d / L.
JN_INLINE real row_distance(v3 d, v3 e, real length)
{
  return r_set(0.5) * (length - v3_dot(d, e));
}
// Of b about a's axis, within +-pi: where the image m of a's normal is between the normals.
JN_INLINE real row_angle(v3 m, v3 normal, v3 other)
{
  return r_atan2(v3_dot(m, other), v3_dot(m, normal));
}

// ---- second rates -----------------------------------------------------------------------------------

// Acceleration of a body's point that has velocity v.
JN_INLINE v3 row_acceleration(v3 w, v3 v, v3 bias)
{
  return v3_cross_add(w, v, bias);
}
// v: of P. gap: the same less the velocity that P would have on a. bias: of b at P, less that of a there.
JN_INLINE real row_along_second(v3 f, v3 wa, v3 wb, v3 v, v3 gap, v3 bias)
{
  const v3 x = v3_cross_add(v3_sub(wb, wa), v, bias);
  return v3_dot(f, x) + v3_dot(v3_cross(wa, f), gap);
}
JN_INLINE real row_between_second(v3 x, v3 y, v3 wa, v3 wb, v3 bias)
{
  const v3 rate = v3_add(v3_cross(v3_cross(wb, y), x), v3_cross(y, v3_cross(wa, x)));
  return v3_dot(v3_cross(y, x), bias) + v3_dot(rate, v3_sub(wb, wa));
}
// d, v, x: along e = d / |d|, and second; v: rate of d, across e where |d| itself is held; x: acceleration of d
JN_INLINE real row_distance_second(v3 e, v3 v, v3 x, real inverse)
{
  return r_fma(inverse, v3_dot(v, v), v3_dot(e, x));
}
JN_INLINE real row_angle_second(v3 u, v3 wa, v3 wb, v3 bias)
{
  return v3_dot(u, bias) + v3_dot(v3_cross(wa, u), v3_sub(wb, wa));
}

// ---- any row ----------------------------------------------------------------------------------------
#if JN_WIDTH == 1

typedef struct jn_row_place {  // of a joint, at some position of its bodies, in one set of axes
  const m3 *a, *b;             // rotations from the design position
  const v3 *x, *y;             // directions in the design position (JN_NX), (JN_NY)
  const double *value;         // (JN_NVALUE)
  double pitch, drive;         // of a screw [m/rad]; what is prescribed, as the row has it
  v3 d;                        // from a's point to b's
} jn_row_place;

typedef struct jn_row_value {
  double residual;  // expression less value
  v3 f, m;
} jn_row_value;

typedef struct jn_row_motion {  // velocities, in the same axes
  v3 wa, wb;
  v3 point, gap;  // as row_along_second has them
  v3 rate;        // of d
  v3 accel;       // its second rate
} jn_row_motion;

jn_row_value jn_row_at(const jn_joint_row *row, const jn_row_place *p);
double jn_row_second(const jn_joint_row *row, const jn_row_place *p, const jn_row_motion *k);

// What is left of an angle without whole turns.
static inline double jn_nearest_turn(double angle)
{
  const double turn = 6.283185307179586;
  return angle - turn * __builtin_round(angle / turn);
}
#endif

#endif
