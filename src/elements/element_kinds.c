#include "elements/element_kinds.h"

#include <string.h>

#define OUTPUT(name, unit, help)     {#name, unit, help},
#define X(kind, word, ends, outputs) static const jn_output kind##_outputs[] = {outputs(OUTPUT){0}};
JN_ELEMENT_KINDS(X)
#undef X
static const jn_output sliding_outputs[] = {SLIDE_OUTPUTS(OUTPUT){0}};

enum {
#define X(kind, word, ends, outputs) PLACE_##kind,
  JN_ELEMENT_KINDS(X)
#undef X
};

const jn_element_kind jn_element_kinds[JN_NFORCE_KIND] = {
#define X(kind, word, ends, outputs)                           \
  [JN_FORCE_##kind] = {JN_ENDS_##ends, PLACE_##kind, #outputs, \
                       (int)(sizeof kind##_outputs / sizeof *kind##_outputs) - 1, kind##_outputs},
    JN_ELEMENT_KINDS(X)
#undef X
};
#define X(kind, word, ends, outputs) \
  _Static_assert(sizeof kind##_outputs / sizeof *kind##_outputs <= JN_ELEMENT_OUTPUTS + 1, #kind);
JN_ELEMENT_KINDS(X)
#undef X

int jn_element_order(jn_force_kind kind)
{
  const jn_element_kind *own = &jn_element_kinds[kind];
  int first = own->place;
  for (int i = 0; own->list && i < JN_NFORCE_KIND; i++) {
    const jn_element_kind *k = &jn_element_kinds[i];
    if (k->list && !strcmp(k->list, own->list) && k->place < first) first = k->place;
  }
  return first;
}

const jn_output *jn_element_outputs(jn_force_kind kind, bool sliding)
{
  return sliding ? sliding_outputs : jn_element_kinds[kind].out;
}
