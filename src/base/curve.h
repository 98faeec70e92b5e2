// curve.h: curves y(x) through points, as tables of cubic pieces.
//
// A table is plain doubles without pointers: it may be copied, saved, and stand in any parameter
// block. Its size follows from `steps` alone, the number of bisections, so that curves of different
// lengths in the lanes of one kernel are built with the same `steps` and are then evaluated by the
// same instructions. Every evaluation of a table executes the same number of them.
//
//   2^steps keys: the x of the points, then +inf
//   2^steps pieces of 8: origin, c0, c1, c2, c3, 2 c2, 3 c3, 0;  y = c0 + c1 t + .., t = x - origin
//
// Piece 0 lies below the first point, piece i from point i - 1 to point i, piece n above the last;
// those behind it are copies. At a point the piece to its right answers: the value there is y to
// the last bit, and where the slope jumps it is that of the right side.
//
// Slopes: Akima 1970; Fritsch & Butland 1984 within the bounds of Fritsch & Carlson 1980.
#ifndef JN_BASE_CURVE_H
#define JN_BASE_CURVE_H

#include <stddef.h>

#include "base/error.h"
#include "base/real.h"

typedef enum jn_curve_method {
  JN_CURVE_LINEAR,    // straight between points
  JN_CURVE_AKIMA,     // smooth, local, little overshoot; slope continuous
  JN_CURVE_MONOTONE,  // rises where the points rise, never overshoots; slope continuous
} jn_curve_method;

typedef enum jn_curve_end {
  JN_CURVE_HOLD,    // beyond the points: the value of the last one
  JN_CURVE_EXTEND,  // beyond the points: the tangent of the curve at the last one
} jn_curve_end;

typedef struct jn_curve_def {
  int n;  // points, at least 2
  const double *x, *y;
  jn_curve_method method;
  jn_curve_end below, above;
  jn_pos pos;        // where it was written, for messages
  const char *path;  // which element it belongs to, NULL for none
} jn_curve_def;

enum {
  JN_CURVE_PIECE = 8,       // doubles of a piece: one cache line
  JN_CURVE_MAX_STEPS = 20,  // a million points
};

// The fewest steps for n points; JN_CURVE_MAX_STEPS + 1 if there are too many.
int jn_curve_steps(int n);
size_t jn_curve_doubles(int steps);  // length of a table

// Fill table, of jn_curve_doubles(steps) doubles, aligned to 64 bytes for speed alone. steps may be
// more than needed. JN_E_RANGE, with a message, for fewer than two points, x that do not increase,
// or numbers that are not finite or whose slopes are not; JN_E_LIMIT for more points than steps
// allow.
jn_status jn_curve_build(double *table, int steps, const jn_curve_def *def, jn_error *err);

// Value at x and, unless slope is NULL, dy/dx. For use outside of kernels.
double jn_curve_at(const double *table, int steps, double x, double *slope);

// The same with the second derivative, which jumps at most points; there it is that of the right
// side.
double jn_curve_at2(const double *table, int steps, double x, double *slope, double *second);

// ---- Inside kernels ----

typedef struct curve_value {
  real y, slope;
} curve_value;

// How many keys from keys[0] on are not above x: one binary digit at a time, the highest first. Keys
// behind the points are +inf, so that the count never exceeds the points (but for x = inf, which
// ends in a copy).
JN_INLINE r_mask curve_count(const double *base, r_mask keys, int steps, real x)
{
  r_mask count = r_int(0);
  for (int64_t digit = (int64_t)1 << steps >> 1; digit; digit >>= 1)
    count += r_le(r_gather(base, keys + count + (digit - 1)), x) & r_int(digit);
  return count;
}

// The piece of that count, of the table that begins at base[offset].
JN_INLINE curve_value curve_on(const double *base, r_mask offset, int steps, r_mask count, real x)
{
  r_mask piece = offset + ((int64_t)1 << steps) + r_shl(count, 3);  // of JN_CURVE_PIECE doubles
  real c0 = r_gather(base, piece + 1), c1 = r_gather(base, piece + 2);
  real c2 = r_gather(base, piece + 3), c3 = r_gather(base, piece + 4);
  real twice_c2 = r_gather(base, piece + 5), thrice_c3 = r_gather(base, piece + 6);
  real t = x - r_gather(base, piece);
  curve_value v;
  v.y = r_fma(r_fma(r_fma(c3, t, c2), t, c1), t, c0);
  v.slope = r_fma(r_fma(thrice_c3, t, twice_c2), t, c1);
  return v;
}

// Lane by lane, the curve whose table begins at base[offset]; all with the same `steps`. NaN and
// infinities give NaN.
JN_INLINE curve_value curve_at(const double *base, r_mask offset, int steps, real x)
{
  return curve_on(base, offset, steps, curve_count(base, offset, steps, x), x);
}

#endif
