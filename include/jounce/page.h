// page.h: a result as one page for the browser: summary, plots, the mechanism moving in 3-D.
//
// Libraries: all of this is in libjounce-offline.
#ifndef JOUNCE_PAGE_H
#define JOUNCE_PAGE_H

#include "jounce/result.h"

#ifdef __cplusplus
extern "C" {
#endif

// What went into a page. A page keeps every n-th row, so that it stays small enough to be opened and sent.
typedef struct jn_page {
  int64_t rows, rows_every;      // of the channels
  int channels, channels_of;     // those in the page, those in the result
  int64_t motion, motion_every;  // rows of the replay; 0: there is none
  char note[400];                // why there is no replay, or no geometry; empty: there is
} jn_page;

// Writes an HTML file that needs no other file and no network; "-" is standard output. `out` may be NULL. What was
// begun is removed if it cannot be finished. Allocates.
JN_API jn_status jn_page_write(jn_result *result, const char *file, jn_page *out, jn_error *err);

#ifdef __cplusplus
}
#endif

#endif
