// record.h: the rows of a run in a file, and the times of its steps.
#ifndef JN_REPORT_RECORD_H
#define JN_REPORT_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/error.h"
#include "jounce/run.h"
#include "report/lock.h"
#include "report/output.h"

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

// ---- rows as text ------------------------------------------------------------------------------------

typedef struct jn_csv {
  bool open, standard;  // standard: to standard output
  jn_new_file out;      // else
  int64_t end;          // bytes in it
  jn_powers power;
  char *line;                  // that wait (room)
  size_t used, room, longest;  // bytes; longest: of a line
  int n;                       // numbers of a line
} jn_csv;

// "-" is standard output. What stands above the rows is the first that waits. false: errno says why.
bool jn_csv_open(jn_csv *csv, const char *name, const jn_run_result *result);
bool jn_csv_has_room(const jn_csv *csv);  // for another row that waits
void jn_csv_row(jn_csv *csv, const double *value);
bool jn_csv_finish(jn_csv *csv, const jn_run_result *result);  // how it ended; nothing waits
void jn_csv_go_back(jn_csv *csv, int64_t end);                 // to this many bytes
bool jn_csv_flush(jn_csv *csv);  // what waits is in the file, or nothing of it, and errno says why
void jn_csv_close(jn_csv *csv, bool discard);

// ---- rows in HDF5 ------------------------------------------------------------------------------------

// Datasets with a row each time, in the order in which they grow.
enum { JN_HDF5_MOTION, JN_HDF5_CHANNELS, JN_HDF5_TIME, JN_HDF5_SETS };

typedef struct jn_hdf5_set {
  int n[2];        // dimensions behind that of rows, 0: none
  int64_t width;   // numbers of a row
  int64_t at;      // place of the first row in the file
  int64_t extent;  // place of the number of rows
  double *buffer;  // rows that wait (jn_hdf5.most x width)
} jn_hdf5_set;

typedef struct jn_hdf5 {
  bool open;
  jn_new_file out;
  time_t created;
  int64_t room, rows;  // of the file; in the file
  int held, most;      // rows that wait, and that may
  jn_hdf5_set set[JN_HDF5_SETS];
} jn_hdf5;

// Is there a disc for so many rows? Asked before anything is made.
jn_status jn_hdf5_check(const char *name, const jn_run_result *result, int64_t rows, jn_error *err);

// A file in the folder of `name`, with room for so many rows and with the first one, which is result->last. `motion`: as
// jn_body_motion gives it. false: errno says why, as for all of these.
bool jn_hdf5_open(jn_hdf5 *h, const char *name, const jn_run_result *result, int64_t rows,
                  const double *motion);
bool jn_hdf5_has_room(const jn_hdf5 *h);  // for another row that waits
bool jn_hdf5_row(jn_hdf5 *h, const double *value, const double *motion);  // which waits
bool jn_hdf5_flush(jn_hdf5 *h, bool to_disc);                  // what waits is in the file
bool jn_hdf5_show(jn_hdf5 *h, int64_t rows);                   // no more than these
bool jn_hdf5_finish(jn_hdf5 *h, const jn_run_result *result);  // the end of the run too
void jn_hdf5_close(jn_hdf5 *h, bool discard);

// ---- the record of a run: its files, and its name, which no other run has meanwhile -------------------

enum { JN_RECORD_FILES = 2 };  // CSV, HDF5

// Behind the name: of a record that is not whole; of the file that stands for the name's lock.
#define JN_UNFINISHED ".unfinished"
#define JN_LOCKED     ".lock"

// Is this a file of a record that a run still writes, or its lock? An older result of that name is not.
bool jn_record_is_growing(const char *file);

// Will a run that goes on give its record this name?
bool jn_record_is_awaited(const char *file);

const char *jn_outcome_word(jn_run_outcome outcome);

typedef struct jn_record {
  bool open;
  jn_lock lock;
  jn_csv csv;
  jn_hdf5 hdf5;
  char *name[JN_RECORD_FILES];  // at the end; NULL: there is no such file
  int64_t rows, waiting;        // in each file; not yet there
} jn_record;

// "DIR/NAME" for a run; the caller frees it.
jn_status jn_record_name(const jn_system *s, const jn_run_opts *opts, char **out, jn_error *err);

// Is it a file that the record of the run has, or may have? -1: memory is exhausted.
int jn_record_has(const char *name, const char *file);

// Makes the files, with the first row. Sets result->file and result->hdf5. After JN_E_FILE errno says why, and nothing is left.
jn_status jn_record_open(jn_record *c, jn_run_result *result, const jn_run_opts *opts, int64_t rows,
                         const double *motion, jn_error *err);
bool jn_record_row(jn_record *c, const double *value,
                   const double *motion);  // false: errno says why
// All files have the same rows afterwards: all that were given, or those that they had.
bool jn_record_flush(jn_record *c, bool to_disc);
// What the result says goes into the record, and the files get their names; a record that was lost keeps those it has.
bool jn_record_finish(jn_record *c, jn_run_result *result);
void jn_record_close(jn_record *c, bool discard);

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

// The state of a run from a file and to a file (record_state.c).
jn_status jn_state_read(jn_data *d, const char *file, jn_error *err);
jn_status jn_state_write(const jn_data *d, const char *file, jn_error *err);

// Can a state be saved there? Only a saved state is overwritten. Asked before a run begins.
jn_status jn_state_check(const char *file, jn_error *err);

#endif
