// component_report.c: components, what they read and what they drive, for people.
#include <math.h>
#include <string.h>

#include "run/run_internal.h"
#include "spec/scenario_internal.h"

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
  if (!s->binding.opts.without_plugins) return 0;
  for (int i = 0; i < s->nelement; i++) n += s->element[i].plugin >= 0;
  for (int i = 0; i < s->nwheel; i++) n += s->wheel[i].plugin != NULL;
  for (int i = 0; i < s->nshown; i++) n += s->component[i].table == NULL;
  return n;
}

static bool is_left_out(const jn_system *s,
                        const char *name)  // output of a plug-in that was not loaded
{
  for (int i = 0; i < s->nshown; i++)
    for (int k = 0; !s->component[i].table && k < s->component[i].spec->nout; k++)
      if (!strcmp(s->component[i].spec->out[k].signal, name)) return true;
  return false;
}

// A port with a number of its own?
static bool is_number(const jn_system *s, const char *name)
{
  for (int i = 0; i < s->nshown; i++) {
    const jn_component *c = &s->component[i];
    for (int k = 0; c->table && k < c->table->nin; k++)
      if (c->own_input[k] && !isnan(c->constant[k]) && !strcmp(c->own_input[k], name)) return true;
  }
  return false;
}

jn_input_owner jn_input_owner_of(const jn_system *s, int channel)
{
  const jn_channel c = jn_channel_at(s, channel);
  int i = 0;
  while (i < s->ninput && (!c.input || strcmp(s->input[i].name, c.name) != 0)) i++;
  if (i == s->ninput) return JN_OWNER_NONE;
  if (s->input[i].driven >= 0 || is_left_out(s, c.name)) return JN_OWNER_COMPONENT;
  for (int k = 0; s->binding.scenario && k < s->binding.scenario->ninput; k++)
    if (!strcmp(s->binding.scenario->input[k].name, c.name)) return JN_OWNER_SCENARIO;
  return s->input[i].signal >= 0 || is_number(s, c.name) ? JN_OWNER_NUMBER : JN_OWNER_NONE;
}
