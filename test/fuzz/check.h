// check.h: what fuzz programs hold against what they get.
#ifndef JN_TEST_FUZZ_CHECK_H
#define JN_TEST_FUZZ_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include "jounce/base.h"

#define CHECK(condition, ...)                                            \
  do {                                                                   \
    if (!(condition)) {                                                  \
      fprintf(stderr, "%s: ", #condition), fprintf(stderr, __VA_ARGS__); \
      abort();                                                           \
    }                                                                    \
  } while (0)

// A refusal says what and where, in one line of printable text.
static inline void check_error(jn_status st, const jn_error *err)
{
  char line[1024];
  CHECK(err->code == st && st < 0, "code %d, status %d\n", (int)err->code, (int)st);
  CHECK(err->text[0], "no text\n");
  CHECK(err->line >= 0 && err->col >= 0 && !err->line == !err->col, "%d:%d\n", err->line, err->col);
  jn_error_line(err, line, sizeof line);
  for (const char *s = line; *s; s++)
    CHECK((unsigned char)*s >= 0x20 && *s != 0x7f, "control character in: %s\n", line);
}

#endif
