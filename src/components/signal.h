// signal.h: functions of time, compiled to plain doubles.
//
// A table has no pointers: it may be copied, saved, and stand in any parameter block. It answers
// with the value and its first two derivatives, which driven joints need.
#ifndef JN_COMPONENTS_SIGNAL_H
#define JN_COMPONENTS_SIGNAL_H

#include "spec/scenario_internal.h"

typedef struct jn_signal_value {
  double value, rate, accel;  // [SI, SI/s, SI/s²]
} jn_signal_value;

// The curve of a driven joint, over time. Its points stay where they are: they must outlive the
// spec.
jn_signal_spec jn_signal_from_curve(const jn_curve_spec *curve, jn_pos pos);

size_t jn_signal_doubles(const jn_signal_spec *spec);  // length of its table

// Fill table, aligned to 64 bytes for speed alone. JN_E_RANGE, with a message, for values whose
// derivatives a double cannot hold; JN_E_LIMIT for too many points.
jn_status jn_signal_build(double *table, const jn_signal_spec *spec, jn_error *err);

// At time t; where something jumps, what holds from there on. Real-time safe, no libm.
jn_signal_value jn_signal_at(const double *table, double t);

// The instants in (from, to), in rising order, at which value, rate or acceleration jumps, apart
// from jumps that are rounding; all points of tables that are not `linear`. Returns how many; `at`
// may be NULL, to count.
int jn_signal_breakpoints(const jn_signal_spec *spec, double from, double to, double *at);

#endif
