// half_sine.h: a bump of half a sine across the whole road, h = H sin(pi x / L).
#ifndef JN_ELEMENTS_ROAD_HALF_SINE_H
#define JN_ELEMENTS_ROAD_HALF_SINE_H

#include "elements/road/profile.h"

// r_sincos_near: angles are within 0 .. pi.
JN_INLINE road_profile half_sine_profile(const real *p, real x, real y)
{
  (void)y;
  const real pi = r_set(3.14159265358979323846), zero = r_set(0.0), k = pi / p[ROAD_LENGTH];
  const road_bump b = road_bump_at(p, x);
  const r_sin_cos turn = r_sincos_near(k * r_select(b.over, b.from, zero));
  return (road_profile){p[ROAD_LEVEL] + r_select(b.over, p[ROAD_HEIGHT] * turn.sin, zero),
                        r_select(b.over, p[ROAD_HEIGHT] * k * turn.cos, zero), zero};
}

JN_INLINE int half_sine_bends(const double *p, double at[ROAD_BENDS])
{
  at[0] = p[ROAD_AT], at[1] = p[ROAD_AT] + p[ROAD_LENGTH];
  return 2;
}

JN_INLINE double half_sine_highest(const double *p)
{
  return p[ROAD_LEVEL] + fmax(p[ROAD_HEIGHT], 0.0);
}

#endif
