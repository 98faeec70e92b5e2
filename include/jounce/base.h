// base.h: status, error and version, shared by every other header.
#ifndef JOUNCE_BASE_H
#define JOUNCE_BASE_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__
#define JN_API __attribute__((visibility("default")))
#else
#define JN_API
#endif

#define JN_STATUS_LIST(X)                                           \
  X(JN_OK, 0, "ok")                                                 \
  X(JN_E_FILE, -1, "the file cannot be read or written")            \
  X(JN_E_PARSE, -2, "the file does not follow the grammar")         \
  X(JN_E_SCHEMA, -3, "a key or its kind of value is not known")     \
  X(JN_E_RANGE, -4, "a value lies outside its allowed range")       \
  X(JN_E_TOPOLOGY, -5, "bodies and joints do not form a mechanism") \
  X(JN_E_LIMIT, -6, "the input is larger than a stated limit")      \
  X(JN_E_MEMORY, -7, "memory is exhausted")                         \
  X(JN_E_CALL, -8, "the call or the command line is wrong")         \
  X(JN_E_PLAN, -9, "the change does not fit the plan")

#define X(name, code, text) name = code,
typedef enum jn_status { JN_STATUS_LIST(X) } jn_status;
#undef X

// Filled by a function that fails; the caller owns it, NULL is allowed everywhere.
typedef struct jn_error {
  jn_status code;
  char file[256];  // source file, empty when there is none
  int line, col;   // position in the source file from 1, 0 when there is none
  char path[160];  // element it concerns, e.g. "joints.lca_pivot.axis", empty when there is none
  char text[400];  // one sentence: what was found, what is expected
} jn_error;

JN_API const char *jn_status_text(jn_status status);  // static text, never NULL
JN_API const char *jn_version(void);                  // "MAJOR.MINOR.PATCH", static

// One line "file:line:col: path: text" without its absent parts, at most `size` bytes with the
// closing zero. Returns `line`.
JN_API char *jn_error_line(const jn_error *err, char *line, unsigned long size);

// Of `n` words the one that `wanted` is most likely a misspelling of, by edit distance; NULL if none is near.
JN_API const char *jn_nearest_word(const char *wanted, const char *const *words, int n);

#ifdef __cplusplus
}
#endif

#endif
