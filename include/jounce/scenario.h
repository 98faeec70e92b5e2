// scenario.h: what happens to a model: inputs over time, what to record, when to stop, how to solve.
//
// Libraries: jn_scenario_load and jn_scenario_parse are in libjounce-offline, the rest in libjounce.
#ifndef JOUNCE_SCENARIO_H
#define JOUNCE_SCENARIO_H

#include "jounce/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jn_scenario jn_scenario;

// Read a scenario file. On success the caller owns *out and returns it with jn_scenario_free(). Every
// error names its position.
JN_API jn_status jn_scenario_load(const char *file, jn_scenario **out, jn_error *err);

// The same from memory; `name` stands for the file in messages.
JN_API jn_status jn_scenario_parse(const char *text, unsigned long length, const char *name,
                                   jn_scenario **out, jn_error *err);

// The whole scenario as one file in SI units. The caller returns *text with free(). Reading it again gives
// the same text.
JN_API jn_status jn_scenario_print(const jn_scenario *scenario, char **text, unsigned long *length,
                                   jn_error *err);

JN_API void jn_scenario_free(jn_scenario *scenario);  // NULL is allowed

#ifdef __cplusplus
}
#endif

#endif
