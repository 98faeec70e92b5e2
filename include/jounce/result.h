// result.h: what a run has recorded, read back.
//
// Libraries: all of this is in libjounce-offline.
#ifndef JOUNCE_RESULT_H
#define JOUNCE_RESULT_H

#include <stdint.h>

#include "jounce/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

// An open result. One thread at a time, and of all results together, because the HDF5 library is so.
typedef struct jn_result jn_result;

// Open a record of `jounce run`: NAME.h5, NAME.csv, or a folder that holds one of them, or both of one name;
// then the .h5 is read. A record may still be growing, or be what is left of a run that was killed: it is then
// as long as it was at the last flush. What is no result, is broken or ends too early is an error that says so. On
// success the caller owns *out and returns it with jn_result_free(). Allocates.
JN_API jn_status jn_result_open(const char *path, jn_result **out, jn_error *err);
JN_API void jn_result_free(jn_result *result);  // NULL is allowed

JN_API const char *jn_result_file(const jn_result *result);  // that is read
JN_API int64_t jn_result_rows(const jn_result *result);

// ---- channels: what was recorded ------------------------------------------------------------------

// Channel 0 is the time. A CSV file has no sentences: `help` is "" then. `input` is 0.
JN_API int jn_result_channel_count(const jn_result *result);
JN_API jn_channel jn_result_channel_at(const jn_result *result, int i);
JN_API int jn_result_channel_find(const jn_result *result, const char *name);  // -1: there is none

// Values of a channel in rows first, first + stride, ... (count of them). stride is at least 1.
JN_API jn_status jn_result_read(jn_result *result, int channel, int64_t first, int64_t stride,
                                int64_t count, double *out, jn_error *err);

// Values of all channels in rows as above (count x jn_result_channel_count): the quick way to read many.
JN_API jn_status jn_result_read_all(jn_result *result, int64_t first, int64_t stride, int64_t count,
                                    double *out, jn_error *err);

// ---- motion of the bodies, for pictures -------------------------------------------------------------

// As jn_body_motion gives it: x y z qw qx qy qz of each body. A CSV file has none: no bodies then.
JN_API int jn_result_body_count(const jn_result *result);
JN_API const char *jn_result_body_name(const jn_result *result, int i);

// Of all bodies, in rows as above (count x jn_result_body_count x 7).
JN_API jn_status jn_result_motion(jn_result *result, int64_t first, int64_t stride, int64_t count,
                                  double *out, jn_error *err);

// ---- what was run, and how it went ------------------------------------------------------------------

// Texts: "jounce" (version), "created", "model", "scenario", "model_file", "scenario_file", "formulation",
// "integrator", "stabilize", "outcome" ("running", "unfinished": has not ended, and nobody goes on with it, "done", "stopped",
// "interrupted", "failed", "unrecorded"), "error", "doubt" (why it is not to be trusted). NULL: it is not known; of a CSV file,
// neither are "created", "error" and "doubt", and "outcome" only while it is called NAME.unfinished.csv.
JN_API const char *jn_result_text(const jn_result *result, const char *name);

// Numbers: "step", "end" [s]; and, once the run has ended, "steps", "events", "wall_time" [s], "realtime_factor",
// "us_mean", "us_median", "us_p99", "us_max" [us], "max_position_norm", "max_velocity_norm", "energy_drift" [J],
// "energy_in_play" [J],
// "path_difference".
// NaN: it is not known; of a CSV file, only the first two are.
JN_API double jn_result_number(const jn_result *result, const char *name);

// The whole model and the scenario, as files in SI units. NULL: it has none; a CSV file has neither.
JN_API const char *jn_result_model(const jn_result *result);
JN_API const char *jn_result_scenario(const jn_result *result);

#ifdef __cplusplus
}
#endif

#endif
