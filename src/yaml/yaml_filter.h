// yaml_filter.h: what a file must be before the YAML library may see it.
#ifndef JN_YAML_YAML_FILTER_H
#define JN_YAML_YAML_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

// Of one model, all its files together, or of one scenario. The library reads far ahead of what it
// reports, so the last two are counted before it begins: at these limits it is done within a
// second.
enum {
  JN_FILE_MOST_BYTES = 16 << 20,
  JN_FILE_MOST_LINES = 1000000,
  JN_FILE_MOST_FILES = 64,
  JN_FILE_MOST_DEPTH = 24,       // of mappings and lists in each other
  JN_FILE_MOST_VALUES = 250000,  // scalars, lists and mappings
  JN_FILE_MOST_MARKS = 500000,   // characters that may begin or end a value, usually two to one
  JN_FILE_MOST_BLANK = 50000000  // white space, each times the length of the run it stands in
};

typedef struct jn_spent {  // so far, over the files of one model
  const char *what;        // "model" or "scenario"
  size_t bytes;
  int files, values, lines, marks;
  int64_t blank;
} jn_spent;

// At most as much as above, valid UTF-8, no control characters, no directive but %YAML 1.2, no keys
// behind a ?. *skip is the length of a byte order mark to leave out.
jn_status jn_filter(const char *text, size_t length, const char *file, jn_spent *spent,
                    size_t *skip, jn_error *err);

#endif
