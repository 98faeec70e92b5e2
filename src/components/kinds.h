// kinds.h: the built-in components: each is a table (jounce/plugin.h) in a file of its own, and a line here.
#ifndef JN_COMPONENTS_KINDS_H
#define JN_COMPONENTS_KINDS_H

#include "components/bus.h"

#define JN_COMPONENT_KINDS(X) \
  X(filter)                   \
  X(gain)                     \
  X(lag)                      \
  X(pid)                      \
  X(speed)                    \
  X(sum)

#define X(name) extern const jn_component_table jn_component_##name;
JN_COMPONENT_KINDS(X)
#undef X

// Table i in the order of names, NULL behind the last; and what it is, in one sentence.
const jn_component_table *jn_component_kind(int i);
const char *jn_component_help(int i);

// Within limits; a value that is not a number stays one.
static inline double jn_component_within(double x, double least, double most)
{
  const double below = x > most ? most : x;
  return below < least ? least : below;
}

// For `init`: limits that leave nothing between them are refused.
int jn_component_limits(const jn_plugin_setup *setup, double least, double most);

// Of the speed component: a mass m driven by T / r answers e'' + gain / (m r) (e' + e / Ti) = 0, critically damped with
// this Ti.
static inline double jn_speed_critical_time(double mass, double radius, double gain)
{
  return 4.0 * mass * radius / gain;
}

#endif
