// component_kinds.h: the built-in components: each is a table (jounce/plugin.h) in a file of its own, and a line here.
#ifndef JN_COMPONENTS_COMPONENT_KINDS_H
#define JN_COMPONENTS_COMPONENT_KINDS_H

#include "components/bus.h"

#define JN_COMPONENT_KINDS(X)                                                                     \
  X(filter, "Critically damped, of second order, with its rates: what may prescribe a motion")    \
  X(gain, "A factor and an offset, within limits")                                                \
  X(lag, "First order: follows its input behind a time constant")                                 \
  X(pid,                                                                                          \
    "Proportional, integral and derivative action within limits, at which the integral does not " \
    "wind up")                                                                                    \
  X(speed, "A driver who holds a speed by a torque, within limits; what `drivers` makes")         \
  X(sum, "Up to four signals, each with its weight")

#define X(name, help) extern const jn_component_table jn_component_##name;
JN_COMPONENT_KINDS(X)
#undef X

// What the table of every kind has, of a file with arrays `in`, `out` and `parameters` and a function `outputs`; states and other
// functions follow it.
#define JN_COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define JN_COMPONENT(word)                                                                \
  .version = JN_PLUGIN_VERSION, .kind = word, .nin = JN_COUNT(in), .nout = JN_COUNT(out), \
  .nparameter = JN_COUNT(parameters), .in = in, .out = out, .parameter = parameters,      \
  .outputs = outputs

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
