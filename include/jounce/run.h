// run.h: one run from its beginning to its end, recorded and measured.
//
// Libraries: all of this is in libjounce-offline.
#ifndef JOUNCE_RUN_H
#define JOUNCE_RUN_H

#include <stdint.h>
#include <stdio.h>

#include "jounce/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum jn_record_format {
  JN_RECORD_BOTH,
  JN_RECORD_CSV,  // text: names, units, rows
  JN_RECORD_HDF5  // the same, the motion of all bodies, model, scenario and statistics (result.h)
} jn_record_format;

// Zero is the default of everything.
typedef struct jn_run_opts {
  // Folder of the record, made if it is not there; "-": CSV on standard output; NULL: no record. Files are called NAME.csv and
  // NAME.h5, and NAME.unfinished.csv and NAME.unfinished.h5 as long as they grow (docs/results.md). No two runs record under
  // one name at a time.
  const char *out;
  const char *name;  // NULL: as the scenario's file is called, else as the model's
  jn_record_format format;
  // What is recorded: names of channels, in which * stands for any characters. Without any, it is
  // what the scenario says, else everything but accelerations, reactions, quaternions and rates in own axes.
  const char *const *record;
  int nrecord;
  // Time from row to row [s]. 0: as the scenario says, else each step, but no more than 10,000 rows
  // behind the first.
  double every;
  // File of a state to go on from, saved by a run of the same model and options; NULL: from the initial state. Time goes on from the saved
  // one, to the end that the options say.
  const char *from;
  // File that the state at the end of the run is saved in, unless the motion has failed; NULL: it is not.
  const char *save;
  // Called before each step with its time; anything but 0 ends the run, with a row. May be NULL.
  int (*watch)(void *user, double t);
  void *user;
} jn_run_opts;

typedef enum jn_run_outcome {
  JN_RUN_DONE,         // to the end
  JN_RUN_STOPPED,      // a stop condition of the scenario holds
  JN_RUN_INTERRUPTED,  // `watch` has ended it
  JN_RUN_FAILED,       // the motion is no longer one
  JN_RUN_UNRECORDED    // the record cannot be written any further
} jn_run_outcome;

typedef struct jn_run_result {
  const jn_system *system;       // must outlive this: names are the system's
  const char *model, *scenario;  // their names; NULL: it has none
  jn_model_counts count;
  jn_sim_opts solver;
  double end;  // at which it was to end: a whole number of steps             [s]

  jn_run_outcome outcome;
  const char *stopped;     // name of the stop condition, NULL: none
  double time;             // of the last row                                 [s]
  double error_time;       // at which it failed                              [s]
  const char *error_body;  // that went wrong; NULL: not known
  char error[400];         // what went wrong; empty: nothing
  // Why the run is not to be trusted although it went on: energy that comes from nowhere, a body below the road. Empty: there is no reason.
  char doubt[400];
  double doubt_time;  // at which that was seen first                            [s]

  int64_t steps;
  double wall_time;  // of the run with its recording                          [s]
  // Of the steps alone. Median and 99th percentile are right to one percent. NaN: not measured,
  // because the integrator chooses its own steps.
  double us_mean, us_median, us_p99, us_max;  //                               [us]
  double realtime_factor;                     // simulated time by time of the steps
  double us_row;     // to evaluate a row, beyond what its step needs anyway; NaN: no row     [us]
  double us_record;  // to record it; NaN: no record                                          [us]
  double
      step_share;  // of the time of steps, rows and recording, that of steps; making files does not count
  jn_run_stats stats;

  int nnote;
  char **note;  // for people: those of the system, and what was done otherwise than asked

  char *file;    // of the record in CSV, "-": standard output, NULL: there is none
  char *hdf5;    // of the record in HDF5, NULL: there is none
  int64_t rows;  // of each of them
  int nchannel;  // recorded ones
  int *channel;  // their numbers, time first           (nchannel)
  double *last;  // their values in the last good row, NaN without one (nchannel)
} jn_run_result;

// Runs the system. A motion that fails is a result too, with its outcome; an error is what keeps a run
// from beginning: a channel that is not there, a folder that cannot be written, another run that records under the name. Then
// no file is left.
// On success the caller returns what *out holds with jn_run_result_free(). Allocates.
JN_API jn_status jn_run(const jn_system *system, const jn_run_opts *opts, jn_run_result *out,
                        jn_error *err);
JN_API void jn_run_result_free(jn_run_result *result);  // NULL is allowed

// Whether jn_run would begin, but for the files that it reads and makes: channels of records and stop conditions, the number of
// steps, what the integrator cannot do. Makes no file. Allocates.
JN_API jn_status jn_run_check(const jn_system *system, const jn_run_opts *opts, jn_error *err);

// A system as a Graphviz graph: subsystems, bodies and joints; beside it the bus, with components, their ports and their signals.
JN_API void jn_system_show_dot(const jn_system *system, FILE *out);

// The result as text for people, and as one JSON object.
JN_API void jn_run_show_text(const jn_run_result *result, FILE *out);
JN_API jn_status jn_run_show_json(const jn_run_result *result, FILE *out, jn_error *err);

#ifdef __cplusplus
}
#endif

#endif
