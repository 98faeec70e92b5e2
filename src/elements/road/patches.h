// patches.h: friction of a road by rectangles along its x and y.
#ifndef JN_ELEMENTS_ROAD_PATCHES_H
#define JN_ELEMENTS_ROAD_PATCHES_H

#include "elements/road/profile.h"
#include "jounce/plugin.h"

enum {  // of one patch
  PATCH_X0,
  PATCH_X1,
  PATCH_Y0,
  PATCH_Y1,
  PATCH_FRICTION,
  PATCH_STEEP,  // one over the width of its edge; PATCH_SHARP: it has none
  PATCH_FIELDS
};
enum { ROAD_PATCHES = JN_ROAD_PATCHES };

static const double PATCH_SHARP = 1e300;

// Each patch lies on those before it. Within its edge, inside its border, friction goes over in a straight line:
//
//   mu <- (1 - w) mu + w mu_i,  w = min(1, d / edge),  d: least distance to its four sides, from inside
JN_INLINE real road_friction(int npatch, const real *p, real x, real y)
{
  const real zero = r_set(0.0), one = r_set(1.0);
  real friction = p[ROAD_FRICTION];
  for (int i = 0; i < npatch; i++) {
    const real *k = p + ROAD_FIELDS + PATCH_FIELDS * i;
    const real dx = r_min(x - k[PATCH_X0], k[PATCH_X1] - x);
    const real dy = r_min(y - k[PATCH_Y0], k[PATCH_Y1] - y);
    const real w = r_min(one, r_max(zero, r_min(dx, dy) * k[PATCH_STEEP]));
    friction = r_fma(w, k[PATCH_FRICTION], (one - w) * friction);
  }
  return friction;
}

#endif
