// component_report.c: components, what they read and what they drive, for people.
#include "run/run_internal.h"

// The i-th of those with channels in the order of evaluation.
static const jn_component *shown(const jn_system *s, int i)
{
  return s && i >= 0 && i < s->nreported ? &s->component[s->reported[i]] : NULL;
}

int jn_component_count(const jn_system *s)
{
  return s ? s->nreported : 0;
}

jn_component_info jn_component_at(const jn_system *s, int i)
{
  const jn_component *c = shown(s, i);
  if (!c) return (jn_component_info){0};
  return (jn_component_info){.name = c->name,
                             .kind = c->spec ? c->spec->type : c->table->kind,
                             .sensed = !c->early,
                             .ninput = c->table->nin,
                             .noutput = c->table->nout};
}

jn_component_input jn_component_input_at(const jn_system *s, int i, int input)
{
  const jn_component *c = shown(s, i);
  if (!c || input < 0 || input >= c->table->nin) return (jn_component_input){0};
  return (jn_component_input){.port = c->table->in[input].name,
                              .signal = c->wanted[input] ? c->wanted[input] : c->own_input[input],
                              .held = c->link[input] == JN_LINK_HELD,
                              .value = c->constant[input]};
}

jn_component_output jn_component_output_at(const jn_system *s, int i, int output)
{
  const jn_component *c = shown(s, i);
  if (!c || output < 0 || output >= c->table->nout) return (jn_component_output){0};
  const jn_port *port = &c->table->out[output];
  int n = 0;
  for (int k = 0; k < c->ndriven; k++) n += c->driven_port[k] == output;
  return (jn_component_output){.port = port->name, .unit = port->unit, .ndriven = n};
}

const char *jn_component_driven(const jn_system *s, int i, int output, int which)
{
  const jn_component *c = shown(s, i);
  for (int k = 0; c && k < c->ndriven; k++)
    if (c->driven_port[k] == output && which-- == 0) return s->input[c->driven_signal[k]].name;
  return NULL;
}

int jn_system_left_out(const jn_system *s)
{
  int n = 0;
  if (!s || !s->binding.opts.without_plugins) return 0;
  for (int i = 0; i < s->nelement; i++) n += s->element[i].plugin >= 0;
  for (int i = 0; i < s->nwheel; i++) n += s->wheel[i].plugin != NULL;
  for (int i = 0; i < s->nshown; i++) n += s->component[i].table == NULL;
  return n;
}

jn_input_owner jn_input_owner_of(const jn_system *s, int channel)
{
  const int i = s ? jn_input_at(s, channel) : -1;
  if (i < 0) return JN_OWNER_NONE;
  const jn_input_channel *in = &s->input[i];
  if (in->driven >= 0 || in->left_out) return JN_OWNER_COMPONENT;
  if (in->given) return JN_OWNER_SCENARIO;
  return in->signal >= 0 || in->number ? JN_OWNER_NUMBER : JN_OWNER_NONE;
}
