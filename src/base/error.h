// error.h: how the inside of the library reports what is wrong with its input.
#ifndef JN_BASE_ERROR_H
#define JN_BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "jounce/base.h"

// Exported for libjounce-offline, which is built together with libjounce; not for users.
#if defined __GNUC__
#define JN_PRIVATE __attribute__((visibility("default")))
#else
#define JN_PRIVATE
#endif

// Where a thing stands in a source file; {NULL, 0, 0} for things made through the API.
typedef struct jn_pos {
  const char *file;
  int line, col;
} jn_pos;

static const jn_pos JN_NOWHERE = {NULL, 0, 0};

// Fill *err (NULL is allowed) and hand the code back, so that a check stays one line.
JN_PRIVATE jn_status jn_fail(jn_error *err, jn_status code, jn_pos pos, const char *path,
                             const char *fmt, ...) __attribute__((format(printf, 5, 6)));

// What a public call needs of its arguments. Without it, it returns JN_E_CALL and a text that names it.
#define JN_NEEDS(err, holds, what)                                                                 \
  do {                                                                                             \
    if (!(holds)) return jn_fail(err, JN_E_CALL, JN_NOWHERE, NULL, "%s needs %s", __func__, what); \
  } while (0)

// Is there a list of `n` texts?
static inline bool jn_has_texts(const char *const *text, int n)
{
  bool all = text || n <= 0;
  for (int i = 0; i < n && all; i++) all = text[i] != NULL;
  return all;
}

JN_PRIVATE jn_status jn_no_memory(jn_error *err, jn_pos pos);

// Text from outside, fit to be printed inside a message: at most `size` bytes, control characters
// and broken UTF-8 shown as \xNN, long text shortened with "...". Returns `out`.
JN_PRIVATE char *jn_quote(const char *text, unsigned long length, char *out, unsigned long size);

// Parts of messages by value, for arguments: they last as long as the call that they are written in.
typedef struct jn_text {
  char text[176];
} jn_text;

static inline jn_text jn_quoted(const char *text, unsigned long length, unsigned long size)
{
  jn_text t;
  jn_quote(text, length, t.text, size < sizeof t.text ? size : sizeof t.text);
  return t;
}

static inline jn_text jn_entry(const char *section, const char *name)  // "joints.lca_fl"
{
  jn_text t;
  snprintf(t.text, sizeof t.text, "%s.%s", section, name);
  return t;
}

#endif
