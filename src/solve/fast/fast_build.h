// fast_build.h: how lanes are built of a system, between the files that do it.
#ifndef JN_SOLVE_FAST_FAST_BUILD_H
#define JN_SOLVE_FAST_FAST_BUILD_H

#include "solve/fast/fast.h"

// Keeps the reason why there are no lanes; false.
bool jn_lane_refuse(jn_system *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

// The rest (rest.c), of all that no group has; false: memory is exhausted. NULL: a lane of a group can hang on it, else why not.
bool jn_lane_rest_build(jn_system *s, jn_lane *l);
const char *jn_lane_hangs(const jn_system *s, const lane_group *g, int lane, int parent);

bool jn_lane_build_sensors(jn_system *s, jn_lane *l);

#endif
