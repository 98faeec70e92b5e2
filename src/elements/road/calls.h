// calls.h: a road that is no kernel: a table of functions, a plug-in's or a caller's own (jounce/plugin.h).
//
// It is called lane by lane, in order, so that a lane gets the very bits that width 1 gives.
#ifndef JN_ELEMENTS_ROAD_CALLS_H
#define JN_ELEMENTS_ROAD_CALLS_H

#include <math.h>
#include <stdbool.h>

#include "elements/road/keep.h"
#include "elements/road/patches.h"
#include "jounce/plugin.h"

typedef struct road_object {
  const char *name;  // for messages
  void *library, *self;
  const jn_road_plugin_table *table;  // NULL: it was not loaded, and is the plane z = 0
} road_object;

typedef struct road_called {
  road_profile profile;
  real rate, friction;
} road_called;

// What breaks the contract is not a number, all of it, which ends the run.
JN_INLINE jn_road_plugin_answer road_ask(const road_object *k, const jn_road_plugin_query *q,
                                         int *hint, int *marks)
{
  jn_road_plugin_answer a = {.friction = 1.0};
  if (!k->table) return a;
  k->table->at(k->self, q, hint, &a);
  const double sum = a.height + a.slope_x + a.slope_y + a.rate + a.friction;
  if (sum * 0.0 == 0.0 && a.friction >= JN_ROAD_LEAST_FRICTION) return a;
  if ((q->x + q->y + q->z + q->time) * 0.0 == 0.0) *marks |= KEEP_ROAD_BROKE;
  return (jn_road_plugin_answer){NAN, NAN, NAN, NAN, NAN};
}

// object: those of the system, among which parameters hold an index. keep: of the contact (keep.h).
JN_INLINE road_called road_call(const real *p, const road_object *object, real x, real y, real z,
                                real t, real *keep)
{
  const real zero = r_set(0.0);
  road_called all = {{zero, zero, zero}, zero, zero};
  for (int lane = 0; lane < JN_WIDTH; lane++) {
    const road_object *k = object + keep_bits(r_lane(p[ROAD_OBJECT], lane));
    const jn_road_plugin_query q = {r_lane(x, lane), r_lane(y, lane), r_lane(z, lane),
                                    r_lane(t, lane)};
    const double kept = r_lane(*keep, lane);
    int hint = (int)keep_bits(kept), marks = keep_marks(kept);
    const jn_road_plugin_answer a = road_ask(k, &q, &hint, &marks);
    r_put(keep, lane, keep_word(hint, marks));
    r_put(&all.profile.z, lane, a.height);
    r_put(&all.profile.slope_x, lane, a.slope_x);
    r_put(&all.profile.slope_y, lane, a.slope_y);
    r_put(&all.rate, lane, a.rate);
    r_put(&all.friction, lane, a.friction);
  }
  return all;
}

#endif
