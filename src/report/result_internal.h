// result_internal.h: the inside of a result that was opened, filled by the reader of its kind of file.
#ifndef JN_REPORT_RESULT_INTERNAL_H
#define JN_REPORT_RESULT_INTERNAL_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "jounce/result.h"

typedef struct jn_result_value {  // a text or a number that goes with the whole
  const char *name;
  const char *text;  // NULL: a number
  double number;
  struct jn_result_value *next;
} jn_result_value;

struct jn_result {
  jn_pool pool;  // owns all texts and lists
  char *file;
  int64_t rows;
  int nchannel, nbody, nattribute;
  jn_channel *channel;  // (nchannel)
  const char **body;    // (nbody)
  jn_result_value *value;
  const char *model, *scenario;
  double *row;                     // of a CSV file (rows x nchannel)
  int64_t hdf5, channels, motion;  // handles of an HDF5 file and its datasets, 0: none
};

// Memory, text and values in the result's pool; false: memory is exhausted.
bool jn_result_put(jn_result *r, const char *name, const char *text, double number);

jn_status jn_result_out_of_memory(const jn_result *r, jn_error *err);

// Fill a result whose `file` is set, from the descriptor `in`, which is closed afterwards. On an error, jn_result_free() frees what
// there is.
jn_status jn_result_open_csv(jn_result *r, int in, jn_error *err);
jn_status jn_result_open_hdf5(jn_result *r, int in, jn_error *err);
void jn_result_close_hdf5(jn_result *r);

jn_status jn_result_read_hdf5(jn_result *r, int channel, int64_t first, int64_t stride,
                              int64_t count, double *out, jn_error *err);
jn_status jn_result_read_all_hdf5(jn_result *r, int64_t first, int64_t stride, int64_t count,
                                  double *out, jn_error *err);
jn_status jn_result_motion_hdf5(jn_result *r, int64_t first, int64_t stride, int64_t count,
                                double *out, jn_error *err);

#endif
