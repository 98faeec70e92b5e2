// reorder.h: a model file with everything in another order.
#ifndef JT_REORDER_H
#define JT_REORDER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

enum { JT_LINES = 4096, JT_KEYS = 64 };

static inline void jt_shuffle(jt_random *r, char **line, int n)
{
  for (int i = n - 1; i > 0; i--) {
    int k = jt_random_below(r, i + 1);
    char *t = line[i];
    line[i] = line[k];
    line[k] = t;
  }
}

// A line "  name: {key: value, key: [a, b], ...}" with its keys in another order.
static inline void jt_print_shuffled(jt_random *r, char *line, FILE *out)
{
  char *open = strchr(line, '{'), *last = line + strlen(line) - 1, *key[JT_KEYS];
  int n = 0, depth = 0;
  if (!open || *last != '}' || strpbrk(line, "\"'")) {
    fprintf(out, "%s\n", line);
    return;
  }
  *last = '\0';
  key[n++] = open + 1;
  for (char *at = open + 1; *at; at++) {
    if (*at == '[' || *at == '{') depth++;
    if (*at == ']' || *at == '}') depth--;
    if (*at != ',' || depth) continue;
    assert_true(n < JT_KEYS);
    *at = '\0';
    key[n++] = at + 1;
  }
  jt_shuffle(r, key, n);
  *open = '\0';
  fprintf(out, "%s{", line);
  for (int i = 0; i < n; i++) fprintf(out, "%s%s", i ? ", " : "", key[i]);
  fprintf(out, "}\n");
}

// Sections, the elements in each, and the keys of each in another order. Relies on jn_spec_print
// writing an element a line.
static inline char *jt_reordered(jt_random *r, const char *text)
{
  char *copy = strdup(text), *out = NULL, *line[JT_LINES], *section[64];
  size_t length = 0;
  FILE *file = open_memstream(&out, &length);
  int nline = 0, nsection = 0, first[64], count[64], order[64] = {0};
  for (char *s = strtok(copy, "\n"); s; s = strtok(NULL, "\n")) {
    assert_true(nline < JT_LINES && nsection < 64);
    if (s[0] != ' ') {
      section[nsection] = s;
      first[nsection] = nline;
      count[nsection++] = 0;
    } else {
      line[nline++] = s;
      count[nsection - 1]++;
    }
  }
  for (int i = 0; i < nsection; i++) {
    jt_shuffle(r, line + first[i], count[i]);
    int k = jt_random_below(r, i + 1);
    order[i] = order[k];
    order[k] = i;
  }
  for (int i = 0; i < nsection; i++) {
    int s = order[i];
    fprintf(file, "%s\n", section[s]);
    for (int k = 0; k < count[s]; k++) jt_print_shuffled(r, line[first[s] + k], file);
  }
  fclose(file);
  free(copy);
  return out;
}

#endif
