// road.h: small roads given by formulas: a plane, a half-sine bump, a plateau with haversine edges.
//
// The surface is z(x, y, t) in world axes. A road that moves lies still under nobody: each wheel stands
// on a post, whose height is that of the road at (its x in the design position + V t).
//
// Branches on the kind of road alone; lanes are wheels.
#ifndef JN_ELEMENTS_ROAD_ROAD_H
#define JN_ELEMENTS_ROAD_ROAD_H

#include <stdbool.h>

#include "base/rmath.h"
#include "base/v3.h"

typedef enum jn_road_shape { JN_ROAD_FLAT, JN_ROAD_HALF_SINE, JN_ROAD_PLATEAU } jn_road_shape;

typedef struct jn_road {
  jn_road_shape shape;
  double level;        // of the plane at the origin                        [m]
  double grade, bank;  // its rise per length along x, along y (flat)
  double at, length;   // where the bump begins, how long it is             [m]
  double height;       // of the bump                                       [m]
  double edge;         // of a plateau: length of each edge                 [m]
  double moving;       // speed at which it passes under the wheels, 0: none [m/s]
} jn_road;

typedef struct road_hit {
  real z;  // height of the surface under (x, y), world
  real slope_x, slope_y;
  real rate;  // of z at a point that stands still
  v3 normal;  // of the surface, unit
  v3 up;      // of the plane that bumps stand on
} road_hit;

// Height above the plane and its derivative over x. r_sincos_near: angles are within 0 .. pi.
JN_INLINE void road_profile(const jn_road *r, real x, real *z, real *slope)
{
  const real pi = r_set(3.14159265358979323846), zero = r_set(0.0);
  const real from = x - r_set(r->at), to = r_set(r->length) - from;
  const r_mask over = r_le(zero, from) & r_le(zero, to);
  if (r->shape == JN_ROAD_HALF_SINE) {  // h = H sin(pi x / L)
    const real k = pi / r_set(r->length);
    const r_sin_cos turn = r_sincos_near(k * r_select(over, from, zero));
    *z = r_select(over, r_set(r->height) * turn.sin, zero);
    *slope = r_select(over, r_set(r->height) * k * turn.cos, zero);
    return;
  }
  // h = H (1 - cos(pi x / edge)) / 2 on the way up, H between, mirrored on the way down
  const real edge = r_set(r->edge), half = r_set(0.5 * r->height), k = pi / edge;
  const r_mask falls = r_lt(to, from);
  const real way = r_max(r_min(edge, r_select(falls, to, from)), zero);
  const r_sin_cos turn = r_sincos_near(k * way);
  *z = r_select(over, half * (r_set(1.0) - turn.cos), zero);
  const real steep = r_select(r_lt(way, edge), half * k * turn.sin, zero);
  *slope = r_select(over, r_select(falls, -steep, steep), zero);
}

JN_INLINE road_hit road_at(const jn_road *r, real x, real y, real t)
{
  const real zero = r_set(0.0), one = r_set(1.0);
  road_hit h = {.rate = zero};
  if (r->shape == JN_ROAD_FLAT) {
    h.slope_x = r_set(r->grade), h.slope_y = r_set(r->bank);
    h.z = r_fma(h.slope_x, x, r_fma(h.slope_y, y, r_set(r->level)));
  } else {
    real z, slope;
    road_profile(r, r_fma(r_set(r->moving), t, x), &z, &slope);
    const bool moves = r->moving != 0.0;
    h.z = r_set(r->level) + z;
    h.slope_x = moves ? zero : slope, h.slope_y = zero;
    h.rate = moves ? r_set(r->moving) * slope : zero;
  }
  const real n = one / r_sqrt(r_fma(h.slope_x, h.slope_x, r_fma(h.slope_y, h.slope_y, one)));
  h.normal = v3_make(-n * h.slope_x, -n * h.slope_y, n);
  h.up = r->shape == JN_ROAD_FLAT ? h.normal : v3_set(0, 0, 1);
  return h;
}

// A road as a wheel at `centre` moving with `velocity` meets it: a plane and its speed (world axes).
typedef struct road_plane {
  v3 normal;
  real height, rate;
} road_plane;

// The tangent plane under the centre.
JN_INLINE road_plane road_touch(const road_hit *h, v3 centre)
{
  const road_plane p = {h->normal, (centre.z - h->z) * h->normal.z, h->rate * h->normal.z};
  return p;
}

// The point that follows under the centre, along the normal of the plane that bumps stand on: for
// tyres that push straight up.
JN_INLINE road_plane road_follow(const road_hit *h, v3 centre, v3 velocity)
{
  // slopes relative to that plane's own, -up.x / up.z
  const real rise = r_fma(h->slope_x, h->up.z, h->up.x) * velocity.x +
                    r_fma(h->slope_y, h->up.z, h->up.y) * velocity.y;
  const road_plane p = {h->up, (centre.z - h->z) * h->up.z, r_fma(h->rate, h->up.z, rise)};
  return p;
}

#endif
