// fast_build.h: how lanes are built of a system, between the files that do it.
#ifndef JN_SOLVE_FAST_FAST_BUILD_H
#define JN_SOLVE_FAST_FAST_BUILD_H

#include "solve/fast/fast.h"

// Keeps the reason why there are no lanes; false.
bool jn_lane_refuse(jn_system *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

int jn_lane_core_of(const jn_lane *l, int body);  // -1: the ground, or no core body

// Ungrouped subsystems (ungrouped.c). Can one be computed alone? Then what there is of it; false: memory is exhausted.
bool jn_lane_may_be_ungrouped(const jn_system *s, int subsystem);
bool jn_lane_subsystem_build(jn_system *s, jn_lane *l, int subsystem, const char *why);

bool jn_lane_build_sensors(jn_system *s, jn_lane *l);

#endif
