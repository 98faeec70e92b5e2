// plateau.h: a plateau with haversine edges across the whole road: h = H (1 - cos(pi x / edge)) / 2 on the way up, H
// between, mirrored on the way down.
#ifndef JN_ELEMENTS_ROAD_PLATEAU_H
#define JN_ELEMENTS_ROAD_PLATEAU_H

#include "elements/road/profile.h"

JN_INLINE road_profile plateau_profile(const real *p, real x, real y)
{
  (void)y;
  const real pi = r_set(3.14159265358979323846), zero = r_set(0.0);
  const real edge = p[ROAD_EDGE], half = r_set(0.5) * p[ROAD_HEIGHT], k = pi / edge;
  const road_bump b = road_bump_at(p, x);
  const r_mask falls = r_lt(b.to, b.from);
  const real distance = r_max(r_min(edge, r_select(falls, b.to, b.from)), zero);
  const r_sin_cos turn = r_sincos_near(k * distance);
  const real z = r_select(b.over, half * (r_set(1.0) - turn.cos), zero);
  const real steep = r_select(r_lt(distance, edge), half * k * turn.sin, zero);
  return (road_profile){p[ROAD_LEVEL] + z, r_select(b.over, r_select(falls, -steep, steep), zero),
                        zero};
}

JN_INLINE int plateau_bends(const double *p, double at[ROAD_BENDS])
{
  const double from = p[ROAD_AT], to = from + p[ROAD_LENGTH], edge = p[ROAD_EDGE];
  at[0] = from, at[1] = to, at[2] = from + edge, at[3] = to - edge;
  return 4;
}

JN_INLINE double plateau_highest(const double *p)
{
  return p[ROAD_LEVEL] + fmax(p[ROAD_HEIGHT], 0.0);
}

#endif
