// calls.h: a road that is no kernel: a table of functions, a plug-in's or a caller's own (jounce/plugin.h).
//
// It is called lane by lane, in order, so that a lane gets the very bits that width 1 gives.
#ifndef JN_ELEMENTS_ROAD_CALLS_H
#define JN_ELEMENTS_ROAD_CALLS_H

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "elements/road/patches.h"
#include "jounce/plugin.h"

typedef struct road_object {
  const char *name;  // for messages
  void *library, *self;
  const jn_road_plugin_table *table;  // NULL: it was not loaded, and is the plane z = 0
  // It gave what is not finite, or no friction, where it was asked something finite. Nothing depends on it but the message of a
  // run that fails. Threads share it.
  atomic_bool broke;
} road_object;

typedef struct road_called {
  road_profile profile;
  real rate, friction;
} road_called;

JN_INLINE double road_object_at(const road_object *k)
{
  const uint64_t bits = (uintptr_t)k;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// What breaks the contract is not a number, all of it, which ends the run.
JN_INLINE jn_road_plugin_answer road_ask(road_object *k, const jn_road_plugin_query *q, int *hint)
{
  jn_road_plugin_answer a = {.friction = 1.0};
  if (!k || !k->table) return a;
  k->table->at(k->self, q, hint, &a);
  const double sum = a.height + a.slope_x + a.slope_y + a.rate + a.friction;
  if (sum * 0.0 == 0.0 && a.friction >= JN_ROAD_LEAST_FRICTION) return a;
  if ((q->x + q->y + q->z + q->time) * 0.0 == 0.0)
    atomic_store_explicit(&k->broke, true, memory_order_relaxed);
  return (jn_road_plugin_answer){NAN, NAN, NAN, NAN, NAN};
}

// hint: bits of an int of each lane, of the contact's own.
JN_INLINE road_called road_call(const real *p, real x, real y, real z, real t, real *hint)
{
  const real zero = r_set(0.0);
  road_called all = {{zero, zero, zero}, zero, zero};
  for (int lane = 0; lane < JN_WIDTH; lane++) {
    const double place = r_lane(p[ROAD_OBJECT], lane);
    uint64_t bits;
    memcpy(&bits, &place, sizeof bits);
    const jn_road_plugin_query q = {r_lane(x, lane), r_lane(y, lane), r_lane(z, lane),
                                    r_lane(t, lane)};
    double kept = r_lane(*hint, lane);
    int64_t own;
    memcpy(&own, &kept, sizeof own);
    int place_of = (int)own;
    const jn_road_plugin_answer a = road_ask((road_object *)(uintptr_t)bits, &q, &place_of);
    own = place_of;
    memcpy(&kept, &own, sizeof kept);
    r_put(hint, lane, kept);
    r_put(&all.profile.z, lane, a.height);
    r_put(&all.profile.slope_x, lane, a.slope_x);
    r_put(&all.profile.slope_y, lane, a.slope_y);
    r_put(&all.rate, lane, a.rate);
    r_put(&all.friction, lane, a.friction);
  }
  return all;
}

#endif
