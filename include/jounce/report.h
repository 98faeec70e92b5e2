// report.h: the report of a result, one HTML file for the browser: summary, plots, the mechanism moving in 3-D.
//
// Libraries: all of this is in libjounce-offline.
#ifndef JOUNCE_REPORT_H
#define JOUNCE_REPORT_H

#include <stdio.h>

#include "jounce/result.h"

#ifdef __cplusplus
extern "C" {
#endif

// What went into a report. A report keeps every n-th row, so that it stays small enough to be opened and sent.
typedef struct jn_report {
  int64_t rows, rows_every;      // of the channels
  int channels, channels_of;     // those in the report, those in the result
  int64_t motion, motion_every;  // rows of the replay; 0: there is none
  char note
      [400];  // that the run has not ended; why there is no replay, or no geometry; empty: nothing of these
} jn_report;

// Writes an HTML file that needs no other file and no network, as jn_file_write does; not over the result. `out` may be NULL.
// Allocates.
JN_API jn_status jn_report_write(jn_result *result, const char *file, jn_report *out,
                                 jn_error *err);

// Writes a file of any kind, whole or not at all: it gets its name, in place of what had it, when all that `put` writes is on the
// disc. "-" is standard output; a pipe or a device is written as `put` goes along. `what` it is stands in messages: "report".
typedef jn_status (*jn_file_put)(FILE *out, void *user, jn_error *err);
JN_API jn_status jn_file_write(const char *file, const char *what, jn_file_put put, void *user,
                               jn_error *err);

#ifdef __cplusplus
}
#endif

#endif
