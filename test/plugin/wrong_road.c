// A road that is wrong, in one way each.
#include <math.h>
#include <stdio.h>

#include "jounce/plugin.h"

static int init(const jn_plugin_setup *setup, void **self)
{
  (void)self;
#ifdef WRONG_INIT
  snprintf(setup->reason, setup->reason_size, "it never does");
  return 1;
#else
  (void)setup;
  return 0;
#endif
}

static void at(const void *self, const jn_road_plugin_query *query, int *hint,
               jn_road_plugin_answer *answer)
{
  (void)self, (void)hint;
  if (query->x > 4.0) answer->slope_y = NAN;
}

const jn_road_plugin_table jounce_road_plugin = {
#ifdef WRONG_VERSION
    .version = JN_PLUGIN_VERSION + 1,
#else
    .version = JN_PLUGIN_VERSION,
#endif
    .init = init,
#ifndef WRONG_TABLE
    .at = at
#endif
};
