// contact_points.h: points of a body that the road pushes back, so that a vehicle that has rolled over lies on it.
//
// A point at the depth d below the road, along its normal n, is pushed by
//
//   N n,   N = k d max(0, 1 + c d')                       ([HuC75]: no jump where it touches, no pull where it leaves)
//
// and held back by - mu N v / sqrt(v² + w²), v its velocity along the road: Coulomb's friction, but that what lies on a slope creeps
// with some of w. Against slow motion that is a damper mu N / w; w grows with the depth, so that it is none above k times 20 ms, which
// light bodies in hard impacts bear at usual steps. It is rough: no shape between the points, no deformation that stays.
//
// A body of which no point reaches as low as the road's highest one costs a product for each point; who touches costs so much more for
// each that does. In axes of the world, one body at a time: such points are few, and hardly ever touch. Of surfaces above each other the
// one below the body's centre of gravity counts, however deep a point is.
#ifndef JN_ELEMENTS_CONTACT_POINTS_H
#define JN_ELEMENTS_CONTACT_POINTS_H

#include "elements/element.h"
#include "elements/road/road.h"

enum {
  CONTACT_STIFFNESS,
  CONTACT_DAMPING,
  CONTACT_FRICTION,
  CONTACT_AT,  // from the body's anchor in design axes, three numbers each; `form` is how many points
  CONTACT_POINTS = (JN_ELEMENT_FIELDS - CONTACT_AT) / 3
};

#define CONTACT_CREEP 0.2   // least w [m/s]
#define CONTACT_DRAGS 0.02  // [s]

#define CONTACT_OUTPUTS(X)              \
  X(fx, "N", "on the body, world axes") \
  X(fy, "N", "on the body, world axes") \
  X(fz, "N", "on the body, world axes") \
  X(depth, "m", "of its deepest point, along the road's normal; 0: none touches")

#if JN_WIDTH == 1
typedef struct contact_push {
  v3 force;
  double depth;
} contact_push;

JN_INLINE contact_push contact_at_point(el_numbers p, const el_motion *m, v3 at, double post,
                                        v3 velocity)
{
  const road_query q = {.x = at.x,
                        .y = at.y,
                        .z = r_max(at.z, m->over),
                        .post = post,
                        .time = m->time,
                        .object = m->road_object};
  const road_hit hit = road_at(m->road->form, m->road->p, &q);
  const double depth = r_max((hit.z - at.z) * hit.normal.z, 0.0),
               leaving = v3_dot(velocity, hit.normal) - hit.rate * hit.normal.z;
  const double normal = el_number(p, CONTACT_STIFFNESS) * depth *
                        r_max(1.0 - el_number(p, CONTACT_DAMPING) * leaving, 0.0);
  const v3 along = v3_axpy(-v3_dot(velocity, hit.normal), hit.normal, velocity);
  const double mu = el_number(p, CONTACT_FRICTION) * hit.friction;
  const double creep = r_max(CONTACT_CREEP, mu * depth / CONTACT_DRAGS);
  const double friction = mu * normal / r_sqrt(r_fma(creep, creep, v3_dot(along, along)));
  return (contact_push){v3_axpy(-friction, along, v3_scale(normal, hit.normal)), depth};
}

// Are all points above all of the road? z: height of the body's anchor; up: the world's z in the body's axes.
JN_INLINE bool contact_is_clear(int form, el_numbers p, const jn_road *road, double z, v3 up)
{
  double lowest = INFINITY;
  for (int i = 0; i < form; i++)
    lowest = r_min(lowest, v3_dot(up, el_vector(p, CONTACT_AT + 3 * i)));
  return z + lowest > road->highest;
}

JN_INLINE el_load contact_at(int form, el_numbers p, const el_motion *m)
{
  el_load o = {.power = 0.0};
  if (contact_is_clear(form, p, m->road, m->place[1].z, m->rb.z)) return o;
  for (int i = 0; i < form; i++) {
    const v3 own = el_vector(p, CONTACT_AT + 3 * i), arm = m3_mul_v3(m->rb, own);
    if (m->place[1].z + arm.z > m->road->highest) continue;
    const v3 velocity = v3_cross_add(m->wb, arm, m->velocity[1]);
    const contact_push k =
        contact_at_point(p, m, v3_add(m->place[1], arm), m->post + own.x, velocity);
    o.force = v3_add(o.force, k.force);
    o.moment = v3_cross_add(arm, k.force, o.moment);
    o.power += v3_dot(k.force, velocity);
    o.out[3] = r_max(o.out[3], k.depth);
  }
  v3_store(o.out, o.force);
  return o;
}
#endif

#endif
