// road.h: a road behind one query: what is under (x, y)?
//
// The surface is z(x, y, t) in world axes. A road that moves lies still under nobody: each wheel stands
// on a post, whose height is that of the road at (its x in the design position + V t).
//
// A kind of road is one file, and a line in ROAD_SHAPES: a kernel on `real`, or a table of functions (calls.h) for what
// cannot be one. `form` says which formulas apply: the same in all lanes, known when a list is compiled. Every road
// answers everywhere, with bounded work, and without memory of its own: a hint changes how soon, never what.
#ifndef JN_ELEMENTS_ROAD_ROAD_H
#define JN_ELEMENTS_ROAD_ROAD_H

#include "base/v3.h"
#include "elements/road/calls.h"
#include "elements/road/flat.h"
#include "elements/road/half_sine.h"
#include "elements/road/patches.h"
#include "elements/road/plateau.h"

// Kind in the file; what its functions begin with; where its own keys of the file go, in their order (but for `moving`, which is
// ROAD_SPEED of all that have it).
#define ROAD_SHAPES(X)             \
  X(FLAT, flat, ROAD_LEVEL)        \
  X(HALF_SINE, half_sine, ROAD_AT) \
  X(PLATEAU, plateau, ROAD_AT)

typedef enum jn_road_shape {
#define X(name, word, first) JN_ROAD_##name,
  ROAD_SHAPES(X)
#undef X
      JN_ROAD_CALLS
} jn_road_shape;

enum {  // form: its shape, these bits, and how many patches it has
  ROAD_SHAPE = 15,
  ROAD_MOVES = 16,
  ROAD_PLAIN = 32,  // the plane z = 0, friction 1: it need not be asked
  ROAD_PATCH_SHIFT = 8
};

JN_INLINE int road_shape(int form)
{
  return form & ROAD_SHAPE;
}
JN_INLINE int road_fields(int form)  // parameters
{
  return ROAD_FIELDS + PATCH_FIELDS * (form >> ROAD_PATCH_SHIFT);
}
enum { ROAD_MOST_FIELDS = ROAD_FIELDS + PATCH_FIELDS * ROAD_PATCHES };

typedef struct jn_road {
  const char *name;  // for messages
  int form;
  double highest;  // no point of it is above that
  double p[ROAD_MOST_FIELDS];
} jn_road;

typedef struct road_query {
  real x, y, z;  // wheel centre: of surfaces above each other, the next below it counts
  real post;     // its x in the design position, where it stands on a road that moves
  real time;
  real *keep;  // of each contact (keep.h), of use to roads by calls alone; NULL: nothing is kept
  const road_object *object;  // those of the system, of roads by calls
} road_query;

typedef struct road_hit {
  real z;  // height of the surface under (x, y), world
  real slope_x, slope_y;
  real rate;      // of z at a point that stands still
  v3 normal;      // of the surface, unit
  v3 up;          // of the plane that bumps stand on
  real friction;  // relative to what the tyre's parameters say
} road_hit;

JN_INLINE road_hit road_at(int form, const real *p, const road_query *q)
{
  const real zero = r_set(0.0), one = r_set(1.0);
  const int shape = road_shape(form);
  const bool moves = form & ROAD_MOVES;
  const real x = moves ? r_fma(p[ROAD_SPEED], q->time, q->post) : q->x;
  road_profile k = {zero, zero, zero};
  road_hit h = {.rate = zero};
  switch (shape) {
#define X(name, word, first)        \
  case JN_ROAD_##name:              \
    k = word##_profile(p, x, q->y); \
    break;
    ROAD_SHAPES(X)
#undef X
    default: {
      real none = zero;
      const road_called c =
          road_call(p, q->object, x, q->y, q->z, q->time, q->keep ? q->keep : &none);
      k = c.profile, h.rate = c.rate, h.friction = c.friction;
    }
  }
  if (shape != JN_ROAD_CALLS) h.friction = road_friction(form >> ROAD_PATCH_SHIFT, p, x, q->y);
  h.z = k.z, h.slope_x = k.slope_x, h.slope_y = k.slope_y;
  if (moves) h.rate = p[ROAD_SPEED] * k.slope_x, h.slope_x = h.slope_y = zero;
  const real n = one / r_sqrt(r_fma(h.slope_x, h.slope_x, r_fma(h.slope_y, h.slope_y, one)));
  h.normal = v3_make(-n * h.slope_x, -n * h.slope_y, n);
  h.up = shape == JN_ROAD_FLAT ? h.normal : v3_set(0, 0, 1);
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

// x at which its slope or the derivative of that jumps; how many.
JN_INLINE int road_bends(const jn_road *r, double at[ROAD_BENDS])
{
  switch (road_shape(r->form)) {
#define X(name, word, first) \
  case JN_ROAD_##name:       \
    return word##_bends(r->p, at);
    ROAD_SHAPES(X)
#undef X
    default:
      return 0;
  }
}

// No point of it is above that. INFINITY: there is no such height, or none that is known.
JN_INLINE double road_highest(const jn_road *r)
{
  switch (road_shape(r->form)) {
#define X(name, word, first) \
  case JN_ROAD_##name:       \
    return word##_highest(r->p);
    ROAD_SHAPES(X)
#undef X
    default:
      return INFINITY;
  }
}

#endif
