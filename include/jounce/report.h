// report.h: the report of a result, one HTML file for the browser: summary, plots, the mechanism moving in 3-D.
//
// Libraries: all of this is in libjounce-offline.
#ifndef JOUNCE_REPORT_H
#define JOUNCE_REPORT_H

#include "jounce/result.h"

#ifdef __cplusplus
extern "C" {
#endif

// What went into a report. A report keeps every n-th row, so that it stays small enough to be opened and sent.
typedef struct jn_report {
  int64_t rows, rows_every;      // of the channels
  int channels, channels_of;     // those in the report, those in the result
  int64_t motion, motion_every;  // rows of the replay; 0: there is none
  char note[400];                // why there is no replay, or no geometry; empty: there is
} jn_report;

// Writes an HTML file that needs no other file and no network; "-" is standard output. `out` may be NULL. What was
// begun is removed if it cannot be finished. Allocates.
JN_API jn_status jn_report_write(jn_result *result, const char *file, jn_report *out,
                                 jn_error *err);

#ifdef __cplusplus
}
#endif

#endif
