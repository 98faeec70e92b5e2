// tir_scan.h: the lines of a tyre property file (TeimOrbit text), before anybody asks what they mean.
//
//   [SECTION]            $ comments begin with $ or !, and last to the end of the line
//   KEY = value          a number, or a text in single or double quotes
//   {column column}      then rows of a table
#ifndef JN_TIR_TIR_SCAN_H
#define JN_TIR_TIR_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum {
  TIR_MOST_BYTES = 4 << 20,
  TIR_MOST_LINES = 20000,
  TIR_LONGEST_LINE = 4096,  // bytes
  TIR_MOST_ROWS = 31        // of a table that is used
};

typedef struct tir_span {  // a part of a line; it does not end in a zero
  const char *at;
  size_t length;
  int col;  // from 1, in bytes
} tir_span;

typedef enum tir_kind {
  TIR_LINE_SECTION,  // name: what stands in the brackets
  TIR_LINE_HEAD,     // {columns} or (sub-section); name: what stands in between
  TIR_LINE_PAIR,     // name and value, which is empty when nothing follows the equals sign
  TIR_LINE_TEXT      // anything else; name: all of it
} tir_kind;

typedef struct tir_line {
  tir_kind kind;
  int number;  // from 1
  tir_span name, value;
  bool quoted;          // the value, whose quotes are left out
  const char *trouble;  // what is expected instead, where the line is not as it should be: no error
                        // in sections that are not ours
  tir_span odd;         // what the trouble is about
} tir_line;

typedef struct tir_scan {
  const char *file;
  const char *next, *end;
  int line;  // the one that was read last
} tir_scan;

// Refuses what no line may hold, and begins behind a byte order mark.
jn_status jn_tir_scan_begin(tir_scan *scan, const char *text, size_t length, const char *file,
                            jn_error *err);

// The next line that is neither empty nor a comment; *more is false behind the last one.
jn_status jn_tir_scan_next(tir_scan *scan, tir_line *out, bool *more, jn_error *err);

bool jn_tir_same(tir_span span, const char *word);  // but for upper and lower case

// The next word between white space of `span`, which loses it; length 0: none is left.
tir_span jn_tir_word(tir_span *span);

typedef enum tir_number { TIR_NUMBER, TIR_NO_NUMBER, TIR_NOT_FINITE } tir_number;

// +.5E-1, 1., 1.0D+3: also as Fortran writes them. No unit, no comma.
tir_number jn_tir_number(tir_span span, double *out);

#endif
