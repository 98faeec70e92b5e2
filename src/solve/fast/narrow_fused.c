// narrow_fused.c: operation lists one lane after the other, and the core, with fused products: the oracle of wide.c.
#define JN_WIDTH         1
#define LANE_ENGINE      jn_lane_narrow_fused
#define LANE_ENGINE_NAME "one lane at a time, fused products"
#include "solve/fast/fast.h"
#include "solve/fast/run_list.h"

#define LANE_CORE    jn_lane_core_fused
#define LANE_METHODS jn_methods_fused
#include "solve/fast/parents.h"
