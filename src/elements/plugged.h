// plugged.h: force of a shared object of the user's own (jounce/plugin.h). The one element that is no kernel: it is given the world,
// one element at a time.
#ifndef JN_ELEMENTS_PLUGGED_H
#define JN_ELEMENTS_PLUGGED_H

#include "elements/element.h"
#include "jounce/plugin.h"

typedef struct el_plugin {
  void *library, *self;
  const jn_plugin_table *table;  // NULL: it was not loaded, and exerts nothing
} el_plugin;

#define WRENCH_OUTPUTS(X)                                     \
  X(fx, "N", "on the second body, world axes")                \
  X(fy, "N", "on the second body, world axes")                \
  X(fz, "N", "on the second body, world axes")                \
  X(mx, "N m", "on the second body at its point, world axes") \
  X(my, "N m", "on the second body at its point, world axes") \
  X(mz, "N m", "on the second body at its point, world axes")

#if JN_WIDTH == 1
JN_INLINE el_load plugged_at(int form, el_numbers p, const el_motion *m)
{
  (void)form, (void)p;
  const m3 r[2] = {m->ra, m->rb};
  const v3 turning[2] = {m->wa, m->wb};
  jn_plugin_motion at = {.time = m->time};
  jn_plugin_wrench w = {0};
  for (int i = 0; i < 2; i++) {
    v3_store(at.position[i], m->place[i]);
    v3_store(at.velocity[i], m->velocity[i]);
    v3_store(at.rotation[i], r[i].x);
    v3_store(at.rotation[i] + 3, r[i].y);
    v3_store(at.rotation[i] + 6, r[i].z);
    v3_store(at.angular_velocity[i], turning[i]);
  }
  if (m->plugin->table) m->plugin->table->force(m->plugin->self, &at, &w, m->own);
  el_load o;
  o.force = v3_load(w.force), o.moment = v3_load(w.moment);
  const v3 across = v3_sub(m->place[1], m->place[0]);
  const v3 speed = v3_sub(v3_sub(m->velocity[1], m->velocity[0]), v3_cross(m->wa, across));
  o.power = v3_dot(o.force, speed) + v3_dot(o.moment, v3_sub(m->wb, m->wa));
  v3_store(o.out, o.force);
  v3_store(o.out + 3, o.moment);
  return o;
}
#endif

#endif
