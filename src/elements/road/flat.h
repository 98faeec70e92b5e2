// flat.h: a plane with a grade and a bank.
#ifndef JN_ELEMENTS_ROAD_FLAT_H
#define JN_ELEMENTS_ROAD_FLAT_H

#include "elements/road/profile.h"

JN_INLINE road_profile flat_profile(const real *p, real x, real y)
{
  const real z = r_fma(p[ROAD_GRADE], x, r_fma(p[ROAD_BANK], y, p[ROAD_LEVEL]));
  return (road_profile){z, p[ROAD_GRADE], p[ROAD_BANK]};
}

JN_INLINE int flat_bends(const double *p, double at[ROAD_BENDS])
{
  (void)p, (void)at;
  return 0;
}

JN_INLINE double flat_highest(const double *p)
{
  return p[ROAD_GRADE] != 0.0 || p[ROAD_BANK] != 0.0 ? INFINITY : p[ROAD_LEVEL];
}

#endif
