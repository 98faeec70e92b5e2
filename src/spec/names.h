// names.h: finding things by name, and the nearest name when there is none.
#ifndef JN_SPEC_NAMES_H
#define JN_SPEC_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

// A hash table from names to whole numbers; the names are the caller's and must outlive it.
typedef struct jn_names {
  struct jn_name_slot *slot;
  int nslot, count;
} jn_names;

bool jn_names_init(jn_names *names, int capacity);  // false: memory is exhausted
void jn_names_free(jn_names *names);
int jn_names_find(const jn_names *names, const char *name, size_t length);  // -1: absent

// Adds it and returns -1, or returns the number of the one that is there already.
int jn_names_add(jn_names *names, const char *name, size_t length, int value);

// Is it a name such as C has: letters, digits and _, of a length that fits?
bool jn_is_name(const char *text, size_t length);

// Nearest of several names to one that was not found, for "did you mean". Feed every candidate to
// jn_nearest_try; `best` stays NULL when none is near enough to be meant.
typedef struct jn_nearest {
  const char *wanted, *best;
  int distance;
  bool pattern;     // * in `wanted` stands for any characters
  char known[144];  // the candidates, as many as fit
} jn_nearest;

JN_PRIVATE jn_nearest jn_nearest_to(const char *wanted);
JN_PRIVATE jn_nearest jn_nearest_to_pattern(const char *wanted);
JN_PRIVATE void jn_nearest_try(jn_nearest *n, const char *candidate);

// The wanted one of `count` structs of so many bytes, with the name `at` bytes from where each begins; -1: it is none of them, and all have
// been tried. Of none, `first` may be NULL.
int jn_nearest_find(jn_nearest *n, int count, const void *first, size_t at, size_t size);
#define JN_FIND(near, array, count) \
  jn_nearest_find(near, count, array, offsetof(__typeof__(*(array)), name), sizeof *(array))

// ", did you mean `best`?", or nothing. Returns `out`.
JN_PRIVATE char *jn_nearest_text(const jn_nearest *n, char *out, size_t size);

// The same, or the candidates if none is near. Returns `out`.
JN_PRIVATE char *jn_nearest_or_known(const jn_nearest *n, char *out, size_t size);

static inline jn_text jn_meant(const jn_nearest *n)  // the first of these two
{
  jn_text t;
  jn_nearest_text(n, t.text, sizeof t.text);
  return t;
}

static inline jn_text jn_hint(const jn_nearest *n)  // the second
{
  jn_text t;
  jn_nearest_or_known(n, t.text, sizeof t.text);
  return t;
}

#endif
