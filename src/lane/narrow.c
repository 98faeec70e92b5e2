// narrow.c: lists one lane after the other, and the core, on any CPU.
#define JN_WIDTH         1
#define LANE_ENGINE      jn_lane_narrow
#define LANE_ENGINE_NAME "one lane at a time"
#include "lane/lane.h"
#include "lane/run.h"

#define LANE_CORE jn_lane_core
#define LANE_STEP jn_integ_step
#define LANE_RK4  jn_integ_rk4
#include "lane/core.h"
