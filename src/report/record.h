// record.h: the rows of a run in a file, and the times of its steps.
#ifndef JN_REPORT_RECORD_H
#define JN_REPORT_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "jounce/run.h"

// ---- numbers as text ------------------------------------------------------------------------------

enum { JN_NUMBER_ROOM = 32, JN_POWER_LOW = -294, JN_POWER_HIGH = 342 };

__extension__ typedef unsigned __int128 jn_wide;

typedef struct jn_powers {  // of ten: 10^k = m[k - low] 2^e[k - low], m in [2^127, 2^128)
  jn_wide m[JN_POWER_HIGH - JN_POWER_LOW + 1];
  int e[JN_POWER_HIGH - JN_POWER_LOW + 1];
} jn_powers;

void jn_powers_init(jn_powers *p);

// Few digits that read back as the same number, with a dot whatever the process's locale has. Returns
// the length; not closed by a zero.
int jn_number_text(const jn_powers *p, double x, char out[JN_NUMBER_ROOM]);

// ---- which channels --------------------------------------------------------------------------------

// Numbers of the channels that are recorded, time first. The caller frees *channel.
jn_status jn_record_pick(const jn_system *s, const jn_run_opts *opts, int **channel, int *n,
                         jn_error *err);

// Number of a channel that somebody named at `pos`, or an error that says which is the nearest.
jn_status jn_record_find(const jn_system *s, const char *name, jn_pos pos, const char *path,
                         int *channel, jn_error *err);

// ---- the file -----------------------------------------------------------------------------------------

typedef struct jn_csv {
  FILE *file;  // NULL: not open
  jn_powers power;
  char *line;  // room for the longest row
  int n;
} jn_csv;

// "DIR/NAME.csv" for a run, or "-". NULL: memory is exhausted. The caller frees it.
char *jn_csv_name(const jn_system *s, const char *folder);

// Makes the folder and the file, and writes what stands above the rows.
jn_status jn_csv_open(jn_csv *csv, const char *folder, const char *name,
                      const jn_run_result *result, jn_error *err);

bool jn_csv_row(jn_csv *csv, const double *value);  // false: cannot be written, errno says why
bool jn_csv_flush(jn_csv *csv);
bool jn_csv_close(jn_csv *csv);  // likewise; also frees what it holds

// ---- times of steps -------------------------------------------------------------------------------

// A histogram with 64 bins in each octave of nanoseconds: whatever the number of steps, a quantile is
// known to 1/128.
enum { JN_TIMES_FINE = 6, JN_TIMES_BIN = (64 - JN_TIMES_FINE + 1) << JN_TIMES_FINE };

typedef struct jn_times {
  uint64_t count, sum, max;  // [ns]
  uint64_t bin[JN_TIMES_BIN];
} jn_times;

void jn_times_add(jn_times *t, uint64_t ns);
double jn_times_quantile(const jn_times *t, double part);  // [ns]; NaN: nothing was measured

#endif
