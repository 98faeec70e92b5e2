// filter.h: what a file must be before the YAML library may see it.
#ifndef JN_FILE_FILTER_H
#define JN_FILE_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum {
  JN_FILE_MOST_BYTES = 16 << 20,  // of one file
  JN_FILE_MOST_NODES = 1000000,   // values in one model, includes too
  JN_FILE_MOST_DEPTH = 24,        // of mappings and lists in each other
  JN_FILE_MOST_FILES = 64,        // of one model
};

// At most 16 MB, valid UTF-8, no control characters, no directive but %YAML 1.2. *skip is the length
// of a byte order mark to leave out.
jn_status jn_filter(const char *text, size_t length, const char *file, size_t *skip, jn_error *err);

#endif
