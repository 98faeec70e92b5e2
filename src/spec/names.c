#include "spec/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "spec/spec_internal.h"

typedef struct jn_name_slot {
  const char *name;  // NULL: free
  size_t length;
  uint64_t hash;
  int value;
} jn_name_slot;

bool jn_names_init(jn_names *names, int capacity)
{
  int nslot = 16;
  while (nslot / 2 < capacity) nslot *= 2;  // at most half full: short probes
  *names = (jn_names){calloc((size_t)nslot, sizeof(jn_name_slot)), nslot, 0};
  return names->slot != NULL;
}

void jn_names_free(jn_names *names)
{
  free(names->slot);
  *names = (jn_names){0};
}

static jn_name_slot *slot_of(const jn_names *names, const char *name, size_t length, uint64_t hash)
{
  for (uint64_t i = hash;; i++) {
    jn_name_slot *s = &names->slot[i & (uint64_t)(names->nslot - 1)];
    if (!s->name) return s;
    if (s->hash == hash && s->length == length && !memcmp(s->name, name, length)) return s;
  }
}

int jn_names_find(const jn_names *names, const char *name, size_t length)
{
  if (!names->slot) return -1;
  const jn_name_slot *s = slot_of(names, name, length, jn_hash(JN_HASH_BEGIN, name, length));
  return s->name ? s->value : -1;
}

int jn_names_add(jn_names *names, const char *name, size_t length, int value)
{
  uint64_t hash = jn_hash(JN_HASH_BEGIN, name, length);
  jn_name_slot *s = slot_of(names, name, length, hash);
  if (s->name) return s->value;
  *s = (jn_name_slot){name, length, hash, value};
  names->count++;
  return -1;
}

bool jn_is_name(const char *text, size_t length)
{
  bool good = length > 0 && length <= JN_NAME_MAX;
  for (size_t i = 0; i < length && good; i++) {
    const char c = text[i];
    good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }
  return good;
}

enum { NEAREST_LENGTH = 63 };

// Edit distance with insertion, deletion and replacement (Wagner & Fischer 1974). Of a pattern, * takes in any characters at
// no cost.
static int edit_distance(const char *a, const char *b, bool pattern)
{
  int na = (int)strnlen(a, NEAREST_LENGTH), nb = (int)strnlen(b, NEAREST_LENGTH);
  int row[NEAREST_LENGTH + 1];
  for (int j = 0; j <= nb; j++) row[j] = j;
  for (int i = 1; i <= na; i++) {
    if (pattern && a[i - 1] == '*') {
      for (int j = 1; j <= nb; j++) row[j] = row[j] < row[j - 1] ? row[j] : row[j - 1];
      continue;
    }
    int diagonal = row[0];
    row[0]++;
    for (int j = 1; j <= nb; j++) {
      int replace = diagonal + (a[i - 1] != b[j - 1]);
      int other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
      diagonal = row[j];
      row[j] = replace < other ? replace : other;
    }
  }
  return row[nb];
}

jn_nearest jn_nearest_to(const char *wanted)
{
  size_t length = strnlen(wanted, NEAREST_LENGTH + 1);
  int limit = length > NEAREST_LENGTH ? 0 : 1 + (int)length / 3;  // more would not be the same word
  return (jn_nearest){.wanted = wanted, .distance = limit + 1};
}

jn_nearest jn_nearest_to_pattern(const char *wanted)
{
  size_t length = strnlen(wanted, NEAREST_LENGTH + 1);
  int literal = 0;  // a pattern of few letters is near to everything
  for (size_t i = 0; i < length; i++) literal += wanted[i] != '*';
  int limit = length > NEAREST_LENGTH ? 0 : literal / 3;
  return (jn_nearest){.wanted = wanted, .distance = limit + 1, .pattern = true};
}

// Once one does not fit, "..." ends the list.
static void list_candidate(jn_nearest *n, const char *candidate)
{
  size_t used = strlen(n->known), room = sizeof n->known - used;
  char shown[80];
  jn_quote(candidate, strlen(candidate), shown, sizeof shown);
  if (used && n->known[used - 1] == '.') return;
  if (strlen(shown) + sizeof ", , ..." < room)
    snprintf(n->known + used, room, "%s%s", used ? ", " : "", shown);
  else
    snprintf(n->known + used, room, "%s...", used ? ", " : "");
}

void jn_nearest_try(jn_nearest *n, const char *candidate)
{
  list_candidate(n, candidate);
  if (n->distance <= 1) return;  // nothing is nearer; also the too long
  int gap = abs((int)strnlen(candidate, NEAREST_LENGTH + 1) - (int)strlen(n->wanted));
  if (gap >= n->distance && !n->pattern) return;
  int d = edit_distance(n->wanted, candidate, n->pattern);
  if (d < n->distance) n->best = candidate, n->distance = d;
}

int jn_nearest_find(jn_nearest *n, int count, const void *first, size_t at, size_t size)
{
  for (int i = 0; i < count; i++) {
    const char *own = *(const char *const *)((const char *)first + (size_t)i * size + at);
    if (!strcmp(own, n->wanted)) return i;
    jn_nearest_try(n, own);
  }
  return -1;
}

char *jn_nearest_text(const jn_nearest *n, char *out, size_t size)
{
  out[0] = 0;
  if (n->best)
    snprintf(out, size, ", did you mean \"%s\"?", jn_quoted(n->best, strlen(n->best), 80).text);
  return out;
}

char *jn_nearest_or_known(const jn_nearest *n, char *out, size_t size)
{
  if (n->best) return jn_nearest_text(n, out, size);
  snprintf(out, size, n->known[0] ? "; expected %s" : "; the model has none", n->known);
  return out;
}

const char *jn_nearest_word(const char *wanted, const char *const *words, int n)
{
  if (!wanted || !words) return NULL;
  jn_nearest near = jn_nearest_to(wanted);
  for (int i = 0; i < n; i++) jn_nearest_try(&near, words[i]);
  return near.best;
}
