// wide.c: operation lists, four lanes at once.
#define JN_WIDTH         4
#define LANE_ENGINE      jn_lane_wide
#define LANE_ENGINE_NAME "four lanes at once"
#include "solve/fast/operations.h"

extern const lane_engine jn_lane_wide;
#include "solve/fast/run_list.h"
