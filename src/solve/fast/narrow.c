// narrow.c: operation lists one lane after the other, and the core, on any CPU.
#define JN_WIDTH         1
#define LANE_ENGINE      jn_lane_narrow
#define LANE_ENGINE_NAME "one lane at a time"
#include "solve/fast/fast.h"
#include "solve/fast/run_list.h"

#define LANE_CORE    jn_lane_core
#define LANE_METHODS jn_methods
#include "solve/fast/parents.h"
