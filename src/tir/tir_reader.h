// tir_reader.h: what the parts of the reader of tyre property files share.
#ifndef JN_TIR_TIR_READER_H
#define JN_TIR_TIR_READER_H

#include "tir/tir.h"
#include "tir/tir_scan.h"
#include "tir/tir_units.h"

typedef struct tir_stray {  // a key of ours in a section that nobody knows
  int line, col;
  const char *section;
} tir_stray;

typedef struct tir_rows {  // of a table that is used, in the file's units
  int n;
  double x[TIR_MOST_ROWS], y[TIR_MOST_ROWS];
  int line[TIR_MOST_ROWS];
  int first_line;  // of the section, 0: the file has none
} tir_rows;

typedef struct tir_reader {
  tir_scan scan;
  jn_pool *pool;
  const tir_instead *instead;  // NULL: of nothing
  jn_tir *out;
  jn_error *err;
  tir_units units;
  int col[TIR_NKEY];  // of the values that out->line has
  tir_stray stray[TIR_NKEY];
  tir_rows load, bottom;
  int format_line, format_col, side_line;
  int room;  // for items that nothing uses
  tir_item *unused;
} tir_reader;

jn_status jn_tir_no_memory(const tir_reader *r);

// Something that nothing here uses. `key` and `text` may be NULL.
jn_status jn_tir_unused(tir_reader *r, const char *section, const char *key, const char *text,
                        int line);

// Does the model say it, whatever the file says?
static inline bool jn_tir_is_replaced(const tir_reader *r, int key)
{
  return r->instead && r->instead->value[key];
}

// Something that would be used, had the file not something else that is taken.
jn_status jn_tir_replaced(tir_reader *r, const char *section, const char *key, int line,
                          const char *format, ...) __attribute__((format(printf, 5, 6)));

// PROPERTY_FILE_FORMAT as soon as it is read: a file of another kind is refused by its name, before its
// own keys are.
jn_status jn_tir_check_format(const tir_reader *r);

// Everything that is known once the last line is read: equations, ranges, what must not be absent.
jn_status jn_tir_check(tir_reader *r);

#endif
