// component_report.c: components and what they read, for people.
#include "run/run_internal.h"

// The i-th of those with channels in the order of evaluation.
static const jn_component *shown(const jn_system *s, int i)
{
  for (int k = 0; k < s->ninstance; k++) {
    const jn_component *c = &s->component[s->instance_component[k]];
    if (!c->hidden && i-- == 0) return c;
  }
  return NULL;
}

int jn_component_count(const jn_system *s)
{
  int n = 0;
  while (shown(s, n)) n++;
  return n;
}

jn_component_info jn_component_at(const jn_system *s, int i)
{
  const jn_component *c = shown(s, i);
  if (!c) return (jn_component_info){0};
  return (jn_component_info){.name = c->name,
                             .kind = c->spec ? c->spec->type : c->table->kind,
                             .sensed = !c->early,
                             .ninput = c->table->nin};
}

jn_component_input jn_component_input_at(const jn_system *s, int i, int input)
{
  const jn_component *c = shown(s, i);
  if (!c || input < 0 || input >= c->table->nin) return (jn_component_input){0};
  return (jn_component_input){.port = c->table->in[input].name,
                              .signal = c->wanted[input] ? c->wanted[input] : c->own_input[input],
                              .held = c->link[input] == JN_LINK_HELD};
}
