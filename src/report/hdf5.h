// hdf5.h: what the writer and the reader of HDF5 files share.
#ifndef JN_REPORT_HDF5_H
#define JN_REPORT_HDF5_H

#define H5_USE_110_API
#include <hdf5.h>
#include <stdbool.h>

#include "report/output.h"

enum { JN_RESULT_FORMAT = 1 };  // attribute `jounce_result` of a file: version of its layout

// The library prints its errors unless asked not to; we report them ourselves. Whoever else uses it in this
// process keeps what he has set.
typedef struct jn_hdf5_quiet {
  H5E_auto2_t was;
  void *user;
} jn_hdf5_quiet;

static inline jn_hdf5_quiet jn_hdf5_quiet_begin(void)
{
  jn_hdf5_quiet q = {NULL, NULL};
  H5Eget_auto2(H5E_DEFAULT, &q.was, &q.user);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return q;
}

static inline void jn_hdf5_quiet_end(jn_hdf5_quiet q)
{
  H5Eset_auto2(H5E_DEFAULT, q.was, q.user);
}

// ---- a file that is open already (hdf5_file.c) -------------------------------------------------------

typedef enum jn_hdf5_use { JN_HDF5_NEW, JN_HDF5_CHANGE, JN_HDF5_READ } jn_hdf5_use;

// Below 0: it cannot be opened, and errno says why, 0: the library alone knows. The descriptor remains the caller's.
hid_t jn_hdf5_begin(int file, jn_hdf5_use use);
bool jn_hdf5_end(hid_t file);  // false: not all was written, and errno says why

#endif
