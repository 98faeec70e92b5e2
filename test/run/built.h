// built.h: a model from its file to data, for tests that look at one state.
#ifndef JT_SIM_BUILT_H
#define JT_SIM_BUILT_H

#include "jounce/sim.h"
#include "topology/mechanism.h"

typedef struct built {
  jn_spec *spec;
  jn_model *model;
  jn_scenario *scenario;
  jn_system *system;
  jn_data *data;
} built;

static inline void drop(built *b)
{
  jn_data_free(b->data);
  jn_system_free(b->system);
  jn_scenario_free(b->scenario);
  jn_model_free(b->model);
  jn_spec_free(b->spec);
  *b = (built){0};
}

static inline double value_in(const built *b, const double *row, const char *channel)
{
  const int i = jn_channel_find(b->system, channel);
  if (i < 0) fail_msg("%s has no channel %s", b->spec->name, channel);
  return row[i];
}

static inline double value(const built *b, const char *channel)
{
  return value_in(b, jn_row(b->data), channel);
}

#endif
