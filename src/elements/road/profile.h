// profile.h: what every kind of road is made of: parameters, and a surface z(x, y) above its own plane.
//
// A kind that is a kernel is one file and one line in road.h: `road_profile WORD_profile(p, x, y)` on `real`,
// `int WORD_bends(p, at)`: x at which its slope or the derivative of that jumps, and how many there are, and `double WORD_highest(p)`:
// no point of it is above that, INFINITY: there is no such height.
#ifndef JN_ELEMENTS_ROAD_PROFILE_H
#define JN_ELEMENTS_ROAD_PROFILE_H

#include <math.h>

#include "base/rmath.h"

enum {            // parameters of a road; those of its patches stand behind them (patches.h)
  ROAD_FRICTION,  // where no patch is, relative to the tyre's own
  ROAD_LEVEL,     // of the plane at the origin                                 [m]
  ROAD_GRADE,     // flat: rise per length along x, along y
  ROAD_BANK,
  ROAD_AT = ROAD_GRADE,      // bump: where it begins                               [m]
  ROAD_LENGTH,               // how long it is                                      [m]
  ROAD_HEIGHT,               //                                                     [m]
  ROAD_EDGE,                 // plateau: length of each edge                        [m]
  ROAD_SPEED,                // at which it passes under the wheels                 [m/s]
  ROAD_OBJECT = ROAD_GRADE,  // a road by calls (calls.h): bits of its index
  ROAD_FIELDS = ROAD_SPEED + 1
};

enum { ROAD_BENDS = 4 };  // at most

typedef struct road_profile {
  real z, slope_x, slope_y;
} road_profile;

// How far x is behind the beginning of a bump and before its end, and whether it is on it.
typedef struct road_bump {
  real from, to;
  r_mask over;
} road_bump;

JN_INLINE road_bump road_bump_at(const real *p, real x)
{
  const real from = x - p[ROAD_AT], to = p[ROAD_LENGTH] - from, zero = r_set(0.0);
  return (road_bump){from, to, r_le(zero, from) & r_le(zero, to)};
}

#endif
