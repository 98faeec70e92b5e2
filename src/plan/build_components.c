// build_components.c: components of the model and of the scenario: their kinds, parameters and ports.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "components/component_kinds.h"
#include "plan/build.h"
#include "plan/build_components.h"
#include "spec/names.h"
#include "spec/scenario_internal.h"

static const char *join(jn_system *s, const char *name, const char *port)
{
  char text[2 * JN_CHANNEL_MAX];
  snprintf(text, sizeof text, "%s.%s", name, port);
  return jn_pool_text(&s->pool, text);
}

// ---- kinds ----------------------------------------------------------------------------------------

static jn_status find_kind(const jn_component_spec *k, const jn_component_table **out,
                           jn_error *err)
{
  jn_nearest near = jn_nearest_to(k->type);
  for (int i = 0; (*out = jn_component_kind(i)); i++) {
    if (!strcmp((*out)->kind, k->type)) return JN_OK;
    jn_nearest_try(&near, (*out)->kind);
  }
  jn_nearest_try(&near, "plugin");
  return jn_fail(err, JN_E_SCHEMA, k->type_pos, jn_entry("components", k->name).text,
                 "there is no component of type \"%s\"%s",
                 jn_quoted(k->type, strlen(k->type), 64).text, jn_hint(&near).text);
}

static bool in_range(double x, jn_parameter_range range)
{
  return range == JN_ABOVE_ZERO ? x > 0.0 : range == JN_NOT_NEGATIVE ? x >= 0.0 : true;
}

static jn_status set_parameters(jn_component *c, jn_error *err)
{
  const jn_component_table *t = c->table;
  const jn_parameters *p = &c->spec->parameters;
  const jn_text path = jn_component_path(c);
  for (int i = 0; i < t->nparameter; i++) c->value[i] = t->parameter[i].otherwise;
  for (int i = 0; i < p->n; i++) {
    jn_nearest near = jn_nearest_to(p->name[i]);
    const int k = JN_FIND(&near, t->parameter, t->nparameter);
    if (k < 0) {
      if (!c->spec->plugin) {
        jn_nearest_try(&near, "inputs");
        jn_nearest_try(&near, "outputs");
      }
      return jn_fail(err, JN_E_SCHEMA, c->spec->parameter_pos[i], path.text, "has no %s \"%s\"%s",
                     c->spec->plugin ? "parameter" : "key", p->name[i], jn_hint(&near).text);
    }
    if (!in_range(p->value[i], t->parameter[k].range))
      return jn_fail(
          err, JN_E_RANGE, c->spec->parameter_pos[i], path.text, "`%s` is %.9g, must %s",
          p->name[i], p->value[i],
          t->parameter[k].range == JN_ABOVE_ZERO ? "be above zero" : "not be below zero");
    c->value[k] = p->value[i];
  }
  for (int i = 0; i < t->nparameter; i++)
    if (isnan(c->value[i]))
      return jn_fail(err, JN_E_SCHEMA, c->pos, path.text, "lacks the %s \"%s\": %s",
                     c->spec->plugin ? "parameter" : "key", t->parameter[i].name,
                     t->parameter[i].help);
  return JN_OK;
}

static jn_status no_port(const jn_component *c, const jn_link_spec *link, const char *what,
                         const jn_nearest *near, jn_error *err)
{
  return jn_fail(err, JN_E_SCHEMA, link->pos, jn_component_path(c).text, "has no %s \"%s\"%s", what,
                 link->port, jn_hint(near).text);
}

static jn_status set_links(jn_component *c, jn_error *err)
{
  const jn_component_spec *k = c->spec;
  for (int i = 0; i < k->nin; i++) {
    jn_nearest near = jn_nearest_to(k->in[i].port);
    const int port = JN_FIND(&near, c->table->in, c->table->nin);
    if (port < 0) return no_port(c, &k->in[i], "input", &near, err);
    c->wanted[port] = k->in[i].signal;
    c->wanted_pos[port] = k->in[i].pos;
    c->connected[port] = true;
    if (!k->in[i].signal) c->constant[port] = k->in[i].value;
  }
  for (int i = 0; i < k->nout; i++) {
    jn_nearest near = jn_nearest_to(k->out[i].port);
    if (JN_FIND(&near, c->table->out, c->table->nout) < 0)
      return no_port(c, &k->out[i], "output", &near, err);
  }
  return JN_OK;
}

static bool make_arrays(jn_system *s, jn_component *c, int ndriven)
{
  const int nin = c->table->nin + 1;
  c->value = jn_build_array(s, c->table->nparameter + 1, sizeof *c->value);
  c->connected = jn_build_array(s, nin, sizeof *c->connected);
  c->wanted = jn_build_array(s, nin, sizeof *c->wanted);
  c->own_input = jn_build_array(s, nin, sizeof *c->own_input);
  c->wanted_pos = jn_build_array(s, nin, sizeof *c->wanted_pos);
  c->constant = jn_build_array(s, nin, sizeof *c->constant);
  c->signal = jn_build_array(s, nin, sizeof *c->signal);
  c->link = jn_build_array(s, nin, sizeof *c->link);
  c->source = jn_build_array(s, nin, sizeof *c->source);
  c->shown = jn_build_array(s, nin, sizeof *c->shown);
  c->driven_port = jn_build_array(s, ndriven + 1, sizeof *c->driven_port);
  c->driven_signal = jn_build_array(s, ndriven + 1, sizeof *c->driven_signal);
  if (s->pool.failed) return false;
  for (int i = 0; i < nin; i++) c->constant[i] = NAN, c->source[i] = -1;
  c->self = c->value;
  return true;
}

// A component of a file. Its name is the first part of channels: it must not be that of others.
static jn_status check_name(const jn_component *c, jn_error *err)
{
  static const char *const taken[] = {"joint", "force",  "wheel",  "tyre",
                                      "law",   "driver", "solver", "time"};
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
    if (!strcmp(taken[i], c->own))
      return jn_fail(err, JN_E_SCHEMA, c->pos, jn_component_path(c).text,
                     "channels of another kind begin with \"%s\"; use another name", c->own);
  if (!strcmp(c->own, "ground"))
    return jn_fail(err, JN_E_SCHEMA, c->pos, jn_component_path(c).text,
                   "is the name of the body that does not move; use another name");
  return JN_OK;
}

static jn_status add_component(jn_system *s, const jn_component_spec *k, jn_error *err)
{
  jn_component *c = &s->component[s->ncomponent++];
  *c = (jn_component){
      .name = k->name, .section = "components", .own = k->name, .pos = k->pos, .spec = k};
  jn_status st = check_name(c, err);
  if (st) return st;
  if (!k->plugin) {
    st = find_kind(k, &c->table, err);
  } else if (s->binding.opts.without_plugins) {
    jn_build_note(s, "the plug-in of the component \"%s\" is not loaded: its outputs are zero",
                  c->name);
    return JN_OK;
  } else {
    st = jn_build_component_table(s, c, err);
  }
  if (st) return st;
  if (!make_arrays(s, c, k->nout)) return jn_build_no_memory(s, err);
  st = set_parameters(c, err);
  if (!st) st = set_links(c, err);
  return st ? st : jn_build_component_make(s, c, err);
}

static jn_status add_driver(jn_system *s, const jn_driver_spec *k, jn_error *err)
{
  jn_component *c = &s->component[s->ncomponent++];
  char name[JN_CHANNEL_MAX];
  snprintf(name, sizeof name, "driver.%s", k->name);
  *c = (jn_component){.name = jn_pool_text(&s->pool, name),
                      .section = "drivers",
                      .own = k->name,
                      .pos = k->pos,
                      .table = &jn_component_speed};
  const int wheels = k->as.speed.wheels.n;
  if (!c->name || !make_arrays(s, c, wheels)) return jn_build_no_memory(s, err);
  c->wanted[1] = join(s, k->as.speed.body, "speed_x");
  c->wanted_pos[1] = k->pos;
  c->connected[1] = true;
  return c->wanted[1] ? JN_OK : jn_build_no_memory(s, err);
}

static int compare_name(const void *a, const void *b)
{
  return strcmp(((const jn_component *)a)->name, ((const jn_component *)b)->name);
}

// Components with channels are sorted by name. Returns -1: there is none of this name.
int jn_component_named(const jn_system *s, const char *name, size_t length)
{
  int low = 0, high = s->nshown;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    const char *other = s->component[middle].name;
    int order = strncmp(other, name, length);
    if (!order) order = other[length] != 0;  // a longer one comes behind
    if (!order) return middle;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return -1;
}

static jn_status check_names(const jn_system *s, jn_error *err)
{
  const jn_spec *spec = s->model->spec;
  for (int i = 1; i < s->nshown; i++) {
    const jn_component *k = &s->component[i];
    if (!strcmp(k->name, k[-1].name))
      return jn_fail(err, JN_E_SCHEMA, k->pos, jn_component_path(k).text,
                     "model and scenario both have a component of this name");
  }
  for (int i = 0; i < spec->nbody; i++) {
    const int k = jn_component_named(s, spec->body[i].name, strlen(spec->body[i].name));
    if (k >= 0)
      return jn_fail(err, JN_E_SCHEMA, s->component[k].pos,
                     jn_component_path(&s->component[k]).text,
                     "is the name of a body too, whose channels begin with it; use another name");
  }
  return JN_OK;
}

jn_status jn_build_components_find(jn_system *s, jn_error *err)
{
  const jn_spec *spec = s->model->spec;
  const jn_scenario *c = s->binding.scenario;
  const int drivers = c && !s->binding.opts.without_tyres ? c->ndriver : 0;
  const int n =
      spec->ncomponent + (c ? c->ncomponent + c->ndriver : 0) + spec->njoint + spec->nforce;
  s->component = jn_build_array(s, n + 1, sizeof *s->component);
  if (!s->component) return jn_build_no_memory(s, err);
  jn_status st = JN_OK;
  for (int i = 0; i < spec->ncomponent && !st; i++) st = add_component(s, &spec->component[i], err);
  for (int i = 0; c && i < c->ncomponent && !st; i++) st = add_component(s, &c->component[i], err);
  for (int i = 0; i < drivers && !st; i++) st = add_driver(s, &c->driver[i], err);
  if (st) return st;
  qsort(s->component, (size_t)s->ncomponent, sizeof *s->component, compare_name);
  s->nshown = s->ncomponent;
  return check_names(s, err);
}

// ---- inputs of the run ----------------------------------------------------------------------------

int jn_build_component_inputs_most(const jn_system *s)
{
  int n = 0;
  for (int i = 0; i < s->nshown; i++) n += s->component[i].table ? s->component[i].table->nin : 0;
  return n;
}

jn_status jn_build_component_inputs(jn_system *s, const char **name, int *n, jn_error *err)
{
  for (int i = 0; i < s->nshown; i++) {
    const jn_component *c = &s->component[i];
    for (int k = 0; c->table && k < c->table->nin; k++) {
      if (c->wanted[k]) continue;
      name[*n] = c->own_input[k] = join(s, c->name, c->table->in[k].name);
      if (!name[(*n)++]) return jn_build_no_memory(s, err);
    }
  }
  return JN_OK;
}

// A number at a port is its only source.
jn_status jn_component_two_sources(const jn_component *c, int port, const char *other,
                                   jn_error *err)
{
  return jn_fail(err, JN_E_SCHEMA, c->wanted_pos[port], jn_component_path(c).text,
                 "input \"%s\" has the number %.9g, and %s gives it too; leave one of them out",
                 c->table->in[port].name, c->constant[port], other);
}

// Constants of inputs that nothing else drives.
jn_status jn_build_component_constants(jn_building *b, jn_error *err)
{
  jn_system *s = b->s;
  jn_status st = JN_OK;
  for (int i = 0; i < s->nshown; i++) {
    const jn_component *c = &s->component[i];
    for (int k = 0; c->table && k < c->table->nin && !st; k++) {
      if (c->wanted[k]) continue;
      const jn_port *port = &c->table->in[k];
      jn_input_channel *in = &s->input[jn_build_input(s, c->own_input[k])];
      in->unit = port->unit, in->help = port->help, in->quiet = true;
      in->number = !isnan(c->constant[k]);
      if (in->number && in->given)
        return jn_component_two_sources(c, k, "`inputs` of the scenario", err);
      const double value = in->number ? c->constant[k] : port->unconnected;
      if (!c->spec || in->given || (value == 0.0 && !in->number)) continue;
      st = jn_build_constant(b, (int)(in - s->input), value, c->pos, err);
    }
  }
  return st;
}

// ---- part of joints and force elements ------------------------------------------------------------

int jn_build_hidden(jn_system *s, const jn_component_table *table, const char *section,
                    const char *of, int signal, double parameter)
{
  jn_component *c = &s->component[s->ncomponent];
  char name[2 * JN_CHANNEL_MAX];
  snprintf(name, sizeof name, "%s.%s.%s", section, of, table->kind);
  *c = (jn_component){.name = jn_pool_text(&s->pool, name),
                      .section = section,
                      .own = of,
                      .table = table,
                      .hidden = true,
                      .out = s->nsignal++};
  if (!c->name || !make_arrays(s, c, 0)) return -1;
  c->value[0] = parameter;
  c->signal[0] = signal;
  c->link[0] = JN_LINK_INPUT;
  return s->ncomponent++;
}
