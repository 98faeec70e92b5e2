// connect_components.c: what the ports of components are connected to, and the order in which components are evaluated. It follows
// from the connections, never from the files.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plan/build.h"
#include "plan/build_components.h"
#include "spec/names.h"

static int max_of(int a, int b)
{
  return a > b ? a : b;
}

// ---- sensors --------------------------------------------------------------------------------------

typedef struct body_sensor {
  const char *suffix;
  jn_sense what;
  int axis;
  bool is_channel;  // false: a component shows it among its own
} body_sensor;

static const body_sensor of_bodies[] = {
    {"x", JN_SENSE_PLACE, 0, true},        {"y", JN_SENSE_PLACE, 1, true},
    {"z", JN_SENSE_PLACE, 2, true},        {"roll", JN_SENSE_ANGLE, 0, true},
    {"pitch", JN_SENSE_ANGLE, 1, true},    {"yaw", JN_SENSE_ANGLE, 2, true},
    {"vx", JN_SENSE_VELOCITY, 0, true},    {"vy", JN_SENSE_VELOCITY, 1, true},
    {"vz", JN_SENSE_VELOCITY, 2, true},    {"wx", JN_SENSE_TURNING, 0, true},
    {"wy", JN_SENSE_TURNING, 1, true},     {"wz", JN_SENSE_TURNING, 2, true},
    {"speed_x", JN_SENSE_SPEED, 0, false}, {"speed_y", JN_SENSE_SPEED, 1, false},
    {"speed_z", JN_SENSE_SPEED, 2, false}, {"rate_x", JN_SENSE_RATE, 0, false},
    {"rate_y", JN_SENSE_RATE, 1, false},   {"rate_z", JN_SENSE_RATE, 2, false},
};

// What signals are looked up by while they are connected.
typedef struct connecting {
  jn_system *s;
  jn_names body, joint, wheel;  // numbers of the spec's bodies, of edges, of wheels
  jn_names sensor, held;        // those that there are so far
} connecting;

// A signal's name: group, element, suffix. The element is what lies between its group and its last dot.
typedef struct signal_name {
  const char *element, *suffix;
  size_t length;  // of the element
} signal_name;

static bool split(const char *text, const char *group, signal_name *out)
{
  const size_t n = strlen(group);
  const char *dot = strrchr(text, '.');
  if (strncmp(text, group, n) != 0 || !dot || dot < text + n) return false;
  *out = (signal_name){text + n, dot + 1, (size_t)(dot - text) - n};
  return true;
}

static int find_element(const jn_names *names, const char *text, const char *group,
                        const char **suffix)
{
  signal_name k;
  if (!split(text, group, &k)) return -1;
  *suffix = k.suffix;
  return jn_names_find(names, k.element, k.length);
}

static void add_name(jn_names *names, const char *name, int value)
{
  jn_names_add(names, name, strlen(name), value);
}

static bool index_names(connecting *k, int ports)
{
  const jn_system *s = k->s;
  const jn_model *m = s->model;
  if (!jn_names_init(&k->body, m->spec->nbody) || !jn_names_init(&k->joint, m->nfile_edge) ||
      !jn_names_init(&k->wheel, s->nwheel) || !jn_names_init(&k->sensor, ports) ||
      !jn_names_init(&k->held, ports))
    return false;
  for (int i = 0; i < m->spec->nbody; i++) add_name(&k->body, m->spec->body[i].name, i);
  for (int i = 0; i < m->nfile_edge; i++) add_name(&k->joint, m->edge[i].name, i);
  for (int i = 0; i < s->nwheel; i++) add_name(&k->wheel, s->wheel[i].name, i);
  return true;
}

static void free_names(connecting *k)
{
  jn_names_free(&k->body);
  jn_names_free(&k->joint);
  jn_names_free(&k->wheel);
  jn_names_free(&k->sensor);
  jn_names_free(&k->held);
}

static bool find_body_sensor(const connecting *c, const char *name, jn_sensor *out)
{
  const char *suffix;
  const int b = find_element(&c->body, name, "", &suffix);
  for (size_t i = 0; b >= 0 && i < sizeof of_bodies / sizeof *of_bodies; i++) {
    const body_sensor *k = &of_bodies[i];
    if (strcmp(suffix, k->suffix) != 0) continue;
    *out = (jn_sensor){.what = k->what,
                       .axis = k->axis,
                       .body = jn_build_index(c->s, b),
                       .cut = -1,
                       .is_channel = k->is_channel};
    return true;
  }
  return false;
}

// Coordinates that a channel of the joint has: -1: none.
static int coordinate_of(jn_joint_kind kind, const char *suffix, bool *rate, bool *angle)
{
  const int has = jn_joint_kinds[kind].has & JN_HAS_BOTH;
  const bool turns = has == JN_HAS_ANGLE, slides = has == JN_HAS_POSITION,
             both = has == JN_HAS_BOTH;
  *rate = !strcmp(suffix, "speed") || (both && !strcmp(suffix, "spin"));
  *angle = turns || (both && (!strcmp(suffix, "angle") || !strcmp(suffix, "spin")));
  if ((turns || both) && !strcmp(suffix, "angle")) return both ? 1 : 0;
  if ((slides || both) && !strcmp(suffix, "position")) return 0;
  if ((turns || slides || both) && !strcmp(suffix, "speed")) return 0;
  return both && !strcmp(suffix, "spin") ? 1 : -1;
}

static bool find_joint_sensor(const connecting *c, const char *name, jn_sensor *out)
{
  const jn_system *s = c->s;
  const char *suffix;
  const int e = find_element(&c->joint, name, "joint.", &suffix);
  if (e < 0) return false;
  bool rate, angle;
  const jn_joint_kind kind = s->model->edge[e].kind;
  const int which = coordinate_of(kind, suffix, &rate, &angle);
  const int body = s->body_of_edge[e], cut = s->cut_of_edge[e];
  if (which < 0 || (body < 0 && (cut < 0 || jn_joint_has(kind, JN_HAS_BOTH)))) return false;
  *out = (jn_sensor){.what = rate ? JN_SENSE_CHANGE : JN_SENSE_VALUE,
                     .body = body,
                     .cut = body >= 0 ? -1 : cut,
                     .which = which,
                     .angle = angle,
                     .is_channel = true};
  return true;
}

static bool find_wheel_sensor(const connecting *c, const char *name, jn_sensor *out)
{
  const char *suffix;
  const int i = find_element(&c->wheel, name, "wheel.", &suffix);
  if (i < 0 || strcmp(suffix, "speed") != 0) return false;
  // The axis turns with the steer angle: where that is an output, this is no sensor, but held.
  const int steer = c->s->wheel[i].steer;
  if (steer >= 0 && c->s->input[steer].driven >= 0) return false;
  *out = (jn_sensor){.what = JN_SENSE_SPIN, .wheel = i, .body = -1, .cut = -1, .is_channel = true};
  return true;
}

static int find_sensor(connecting *c, const char *name)  // -1: there is none
{
  jn_system *s = c->s;
  const int known = jn_names_find(&c->sensor, name, strlen(name));
  jn_sensor k;
  if (known >= 0) return known;
  if (!find_wheel_sensor(c, name, &k) && !find_joint_sensor(c, name, &k) &&
      !find_body_sensor(c, name, &k))
    return -1;
  k.name = name;
  k.signal = s->nsignal++;
  s->sensor[s->nsensor] = k;
  add_name(&c->sensor, name, s->nsensor);
  return s->nsensor++;
}

static int hold(connecting *k, const jn_component *c, int port, int sensor)
{
  jn_system *s = k->s;
  const char *name = c->wanted[port];
  const int known = jn_names_add(&k->held, name, strlen(name), s->nheld);
  if (known >= 0) return s->held[known].signal;
  s->held[s->nheld++] = (jn_held){.name = name,
                                  .channel = -1,
                                  .sensor = sensor,
                                  .signal = s->nsignal,
                                  .pos = c->wanted_pos[port],
                                  .by = c->name};
  return s->nsignal++;
}

// ---- connections ----------------------------------------------------------------------------------

bool jn_build_component_is_absent(const jn_system *s, const char *signal)
{
  static const char *const of_wheels[] = {"wheel.", "tyre.", "law.", "driver."};
  for (int i = 0; i < 4 && s->binding.opts.without_tyres; i++)
    if (!strncmp(signal, of_wheels[i], strlen(of_wheels[i]))) return true;
  signal_name k;
  const int i = split(signal, "", &k) ? jn_component_named(s, k.element, k.length) : -1;
  return i >= 0 && !s->component[i].table;
}

static bool find_output(const jn_system *s, const char *name, int *component, int *port)
{
  signal_name k;
  *component = split(name, "", &k) ? jn_component_named(s, k.element, k.length) : -1;
  const jn_component_table *t = *component >= 0 ? s->component[*component].table : NULL;
  for (*port = 0; t && *port < t->nout; ++*port)
    if (!strcmp(t->out[*port].name, k.suffix)) return true;
  return false;
}

static void connect_input(connecting *known, jn_component *c, int port)
{
  jn_system *s = known->s;
  const char *name = c->wanted[port] ? c->wanted[port] : c->own_input[port];
  int other, out, k;
  c->link[port] = JN_LINK_INPUT;
  if ((k = jn_build_input(s, name)) >= 0) {
    c->signal[port] = k;
  } else if (find_output(s, name, &other, &out)) {
    c->link[port] = JN_LINK_OUTPUT;
    c->signal[port] = s->component[other].out + out;
    c->source[port] = other;
  } else if (jn_build_component_is_absent(s, name)) {
    c->signal[port] = s->nothing;
  } else if ((k = find_sensor(known, name)) >= 0) {
    c->link[port] = JN_LINK_SENSOR;
    c->signal[port] = s->sensor[k].signal;
    c->shown[port] = !s->sensor[k].is_channel;
  } else {
    c->link[port] = JN_LINK_HELD;
    c->signal[port] = hold(known, c, port, -1);
  }
}

static jn_status connect_output(jn_system *s, int component, const jn_link_spec *link,
                                jn_error *err)
{
  jn_component *c = &s->component[component];
  const int i = jn_build_input(s, link->signal);
  if (i < 0 && jn_build_component_is_absent(s, link->signal)) return JN_OK;
  if (i < 0) {
    jn_nearest near = jn_nearest_to(link->signal);
    JN_FIND(&near, s->input, s->ninput);
    return jn_fail(err, JN_E_SCHEMA, link->pos, jn_component_path(c).text,
                   "drives \"%s\", and the model has no such input channel%s", link->signal,
                   jn_hint(&near).text);
  }
  jn_nearest near = jn_nearest_to(link->port);
  const int port = JN_FIND(&near, c->table->out, c->table->nout);
  return jn_build_drives(s, component, port, i, link->pos, err);
}

jn_status jn_build_drives(jn_system *s, int component, int port, int input, jn_pos pos,
                          jn_error *err)
{
  jn_component *c = &s->component[component];
  const jn_text path = jn_component_path(c);
  jn_input_channel *in = &s->input[input];
  if (in->given)
    return jn_fail(err, JN_E_SCHEMA, pos, path.text, "drives \"%s\", and `inputs` gives it already",
                   in->name);
  if (in->driven >= 0)
    return jn_fail(err, JN_E_SCHEMA, pos, path.text, "drives \"%s\", which \"%s\" drives already",
                   in->name, s->component[in->driven].name);
  in->driven = component;
  c->driven_port[c->ndriven] = port;
  c->driven_signal[c->ndriven++] = input;
  return JN_OK;
}

// Who reads an input channel and needs its rates, or needs it before positions.
static void find_needs(jn_system *s)
{
  for (int i = 0; i < s->nwheel; i++)
    if (s->wheel[i].steer >= 0)
      s->input[s->wheel[i].steer].rates = max_of(s->input[s->wheel[i].steer].rates, 1);
  for (int i = 0; i < s->nelement; i++) {
    const int k = s->element[i].actuator.input;
    if (s->element[i].actuator.follows && k >= 0 && k < s->ninput)
      s->input[k].rates = max_of(s->input[k].rates, 1);
  }
  for (int i = 0; i < s->ndrive; i++) {
    const int k = s->drive[i].input;
    if (k >= 0) s->input[k].rates = 2, s->input[k].prescribes = true;
  }
  for (int i = 0; i < s->ncomponent; i++) {
    const jn_component *c = &s->component[i];
    for (int k = 0; c->table && k < c->table->nin; k++)
      if (c->link[k] == JN_LINK_INPUT && c->signal[k] < s->ninput)
        s->input[c->signal[k]].rates = max_of(s->input[c->signal[k]].rates, c->table->in[k].rates);
  }
}

static jn_status check_rates(const jn_system *s, jn_error *err)
{
  for (int i = 0; i < s->nshown; i++) {
    const jn_component *c = &s->component[i];
    for (int k = 0; k < c->ndriven; k++) {
      const jn_port *port = &c->table->out[c->driven_port[k]];
      const jn_input_channel *in = &s->input[c->driven_signal[k]];
      if (port->rates >= in->rates) continue;
      return jn_fail(
          err, JN_E_SCHEMA, c->pos, jn_component_path(c).text,
          "output \"%s\" has no %s, which \"%s\" needs: put a component of type `filter` "
          "between them",
          port->name, in->rates == 2 ? "acceleration" : "rate", in->name);
    }
    for (int k = 0; c->table && k < c->table->nin; k++) {
      int has = 2;
      if (c->link[k] == JN_LINK_SENSOR || c->link[k] == JN_LINK_HELD) has = 0;
      if (c->link[k] == JN_LINK_OUTPUT) {
        const jn_component *other = &s->component[c->source[k]];
        has = other->table->out[c->signal[k] - other->out].rates;
      }
      if (has >= c->table->in[k].rates) continue;
      return jn_fail(err, JN_E_SCHEMA, c->wanted_pos[k], jn_component_path(c).text,
                     "input \"%s\" needs rates, and \"%s\" has none: put a component of type "
                     "`filter` between them",
                     c->table->in[k].name, c->wanted[k]);
    }
  }
  return JN_OK;
}

// ---- order ----------------------------------------------------------------------------------------

static jn_status report_ring(const jn_system *s, const int *ring, int n, jn_error *err)
{
  char text[400] = "";
  size_t used = 0;
  for (int i = 0; i < n && used < sizeof text - 160; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s\"%s\" %s \"%s\"",
                             i ? ", of " : "", s->component[ring[i]].name, i ? "on" : "depend on",
                             s->component[ring[(i + 1) % n]].name);
  const jn_component *c = &s->component[ring[0]];
  return jn_fail(err, JN_E_SCHEMA, c->pos, jn_component_path(c).text,
                 "algebraic loop: outputs of %s%s, all within one evaluation; put a component with "
                 "a state between them, such as a `lag`",
                 text, used < sizeof text - 160 ? "" : ", ...");
}

// What a motion depends on directly is needed before positions: it takes sensors as they were at the step's beginning.
static jn_status find_early(connecting *known, const int *order, jn_error *err)
{
  jn_system *s = known->s;
  bool *prescribes = jn_build_array(s, s->nsignal, sizeof *prescribes);
  if (!prescribes) return jn_build_no_memory(s, err);
  for (int i = 0; i < s->ndrive; i++)
    if (s->drive[i].signal >= 0) prescribes[s->drive[i].signal] = true;
  for (int k = 0; k < s->ncomponent; k++) {
    jn_component *c = &s->component[k];
    for (int i = 0; c->table && i < c->table->nout; i++) c->prescribes |= prescribes[c->out + i];
  }
  for (int i = 0; i < s->ninput; i++)
    if (s->input[i].prescribes && s->input[i].driven >= 0)
      s->component[s->input[i].driven].prescribes = true;
  for (int n = s->ncomponent - 1; n >= 0; n--) {
    const jn_component *c = &s->component[order[n]];
    for (int k = 0; c->table && c->prescribes && k < c->table->nin; k++)
      if (c->table->in[k].direct && c->source[k] >= 0) s->component[c->source[k]].prescribes = true;
  }
  for (int n = 0; n < s->ncomponent; n++) {
    jn_component *c = &s->component[order[n]];
    c->early = true;
    for (int k = 0; c->table && k < c->table->nin; k++) {
      if (!c->table->in[k].direct) continue;
      if (c->link[k] == JN_LINK_SENSOR && c->prescribes) {
        c->link[k] = JN_LINK_HELD;
        c->signal[k] = hold(known, c, k, find_sensor(known, c->wanted[k]));
      }
      if (c->link[k] == JN_LINK_SENSOR || (c->source[k] >= 0 && !s->component[c->source[k]].early))
        c->early = false;
    }
  }
  return JN_OK;
}

static jn_status find_order(jn_system *s, int *order, jn_error *err)
{
  const int n = s->ncomponent;
  int edges = 0;
  for (int i = 0; i < n; i++) edges += s->component[i].table ? s->component[i].table->nin : 0;
  int *first = jn_build_array(s, n + 1, sizeof *first),
      *ring = jn_build_array(s, n + 1, sizeof *ring);
  int *mark = jn_build_array(s, n + 1, sizeof *mark),
      *source = jn_build_array(s, edges + 1, sizeof *source);
  if (!first || !ring || !mark || !source) return jn_build_no_memory(s, err);
  int m = 0;
  for (int i = 0; i < n; i++) {
    jn_component *c = &s->component[i];
    first[i] = m;
    for (int k = 0; c->table && k < c->table->nin; k++) {
      if (c->link[k] == JN_LINK_INPUT && c->signal[k] < s->ninput)
        c->source[k] = s->input[c->signal[k]].driven;
      if (c->table->in[k].direct && c->source[k] >= 0) source[m++] = c->source[k];
    }
  }
  first[n] = m;
  const int length = jn_bus_order(n, first, source, order, ring, mark);
  return length ? report_ring(s, ring, length, err) : JN_OK;
}

// ---- instances ------------------------------------------------------------------------------------

static int values_of(const jn_port *port, int n)
{
  int sum = 0;
  for (int i = 0; i < n; i++) sum += 1 + port[i].rates;
  return sum;
}

static int declared_of(const jn_component_table *t)
{
  int n = 0;
  for (int i = 0; i < t->nstate; i++) n += t->state[i].declared;
  return n;
}

// Parts that an output is divided into.
static int parts_of(const jn_component *c, int port)
{
  int n = 0;
  for (int i = 0; i < c->ndriven; i++) n += c->driven_port[i] == port;
  return c->table->out[port].shared ? n : 1;
}

static bool make_instance(jn_system *s, jn_component *c, jn_instance *k)
{
  const jn_component_table *t = c->table;
  *k = (jn_instance){.name = c->name,
                     .table = t,
                     .self = c->self,
                     .nu = values_of(t->in, t->nin),
                     .ny = values_of(t->out, t->nout),
                     .ndeclared = declared_of(t),
                     .early = c->early,
                     .is_plugin = c->library != NULL};
  k->nplain = t->nstate - k->ndeclared;
  k->from = jn_build_array(s, k->nu + 1, sizeof *k->from);
  k->direct = jn_build_array(s, k->nu + 1, sizeof *k->direct);
  k->copy = jn_build_array(s, k->ny + JN_SIGNAL_VALUES * c->ndriven + 1, sizeof *k->copy);
  if (!k->from || !k->direct || !k->copy) return false;
  int n = 0;
  for (int i = 0; i < t->nin; i++)
    for (int r = 0; r <= t->in[i].rates; r++, n++) {
      k->from[n] = JN_SIGNAL_VALUES * c->signal[i] + r;
      k->direct[n] = t->in[i].direct ? k->from[n] : JN_SIGNAL_VALUES * s->nothing + r;
    }
  n = 0;
  for (int i = 0; i < t->nout; n += 1 + t->out[i].rates, i++)
    for (int r = 0; r <= t->out[i].rates; r++) {
      k->copy[k->ncopy++] = (jn_bus_copy){n + r, JN_SIGNAL_VALUES * (c->out + i) + r, 1};
      for (int j = 0; j < c->ndriven; j++)
        if (c->driven_port[j] == i)
          k->copy[k->ncopy++] =
              (jn_bus_copy){n + r, JN_SIGNAL_VALUES * c->driven_signal[j] + r, parts_of(c, i)};
    }
  return true;
}

static jn_status make_instances(jn_system *s, const int *order, jn_error *err)
{
  s->instance = jn_build_array(s, s->ncomponent + 1, sizeof *s->instance);
  s->instance_component = jn_build_array(s, s->ncomponent + 1, sizeof *s->instance_component);
  s->reported = jn_build_array(s, s->nshown + 1, sizeof *s->reported);
  if (!s->instance || !s->instance_component || !s->reported) return jn_build_no_memory(s, err);
  for (int pass = 0; pass < 2; pass++)
    for (int n = 0; n < s->ncomponent; n++) {
      jn_component *c = &s->component[order[n]];
      if (!c->table || c->early != (pass == 0)) continue;
      c->instance = s->ninstance;
      s->instance_component[s->ninstance] = order[n];
      if (!c->hidden) s->reported[s->nreported++] = order[n];
      if (!make_instance(s, c, &s->instance[s->ninstance++])) return jn_build_no_memory(s, err);
      s->nearly += pass == 0;
    }
  return JN_OK;
}

static jn_status find_used(jn_system *s, jn_error *err)
{
  s->use = jn_build_array(s, s->nsensor + 1, sizeof *s->use);
  bool *read = jn_build_array(s, s->nsignal, sizeof *read);
  if (!s->use || !read) return jn_build_no_memory(s, err);
  for (int n = 0; n < s->nshown; n++) {
    const jn_component *c = &s->component[n];
    for (int k = 0; c->table && k < c->table->nin; k++)
      read[c->signal[k]] |= c->link[k] == JN_LINK_SENSOR;
  }
  for (int i = 0; i < s->nsensor; i++) {
    s->sensor[i].used = read[s->sensor[i].signal];
    if (s->sensor[i].used) s->use[s->nuse++] = i;
  }
  return JN_OK;
}

// ---- the whole ------------------------------------------------------------------------------------

static jn_status connect_outputs(jn_system *s, jn_error *err)
{
  jn_status st = JN_OK;
  for (int i = 0; i < s->nshown && !st; i++) {
    const jn_component *c = &s->component[i];
    for (int k = 0; c->spec && k < c->spec->nout && !st; k++) {
      const jn_link_spec *link = &c->spec->out[k];
      const int in = c->table ? -1 : jn_build_input(s, link->signal);
      if (in >= 0) s->input[in].left_out = true;
      if (c->table) st = connect_output(s, i, link, err);
    }
  }
  return st;
}

static jn_status connect_inputs(connecting *known, jn_error *err)
{
  jn_system *s = known->s;
  for (int i = 0; i < s->nshown; i++)
    for (int k = 0; s->component[i].table && k < s->component[i].table->nin; k++) {
      const jn_component *c = &s->component[i];
      connect_input(known, &s->component[i], k);
      if (c->wanted[k] || isnan(c->constant[k]) || s->input[c->signal[k]].driven < 0) continue;
      char other[JN_CHANNEL_MAX + 16];
      snprintf(other, sizeof other, "component \"%s\"",
               s->component[s->input[c->signal[k]].driven].name);
      return jn_component_two_sources(c, k, other, err);
    }
  return JN_OK;
}

static jn_status connect_and_order(connecting *known, int *order, jn_error *err)
{
  jn_system *s = known->s;
  jn_status st = connect_outputs(s, err);
  if (!st) st = connect_inputs(known, err);
  if (st) return st;
  find_needs(s);
  st = check_rates(s, err);
  if (!st) st = find_order(s, order, err);
  return st ? st : find_early(known, order, err);
}

jn_status jn_build_components(jn_system *s, jn_error *err)
{
  const int ports = jn_build_component_inputs_most(s);
  s->sensor = jn_build_array(s, ports + 1, sizeof *s->sensor);
  s->held = jn_build_array(s, ports + 1, sizeof *s->held);
  int *order = jn_build_array(s, s->ncomponent + 1, sizeof *order);
  if (!s->sensor || !s->held || !order) return jn_build_no_memory(s, err);
  for (int i = 0; i < s->nshown; i++) {
    jn_component *c = &s->component[i];
    if (!c->table) continue;
    c->out = s->nsignal;
    s->nsignal += c->table->nout;
  }
  connecting known = {.s = s};
  jn_status st = index_names(&known, ports) ? JN_OK : jn_build_no_memory(s, err);
  if (!st) st = connect_and_order(&known, order, err);
  free_names(&known);
  if (!st) st = find_used(s, err);
  return st ? st : make_instances(s, order, err);
}

void jn_build_component_states(jn_system *s, bool declared)
{
  for (int i = 0; i < s->ninstance;
       i++) {  // filters have theirs, behind those of all lags come the others'
    jn_component *c = &s->component[s->instance_component[i]];
    jn_instance *k = &s->instance[i];
    k->x = c->x, k->e = c->e;
  }
  for (int pass = 0; pass < 2; pass++)
    for (int n = 0; n < s->ncomponent; n++) {
      jn_component *c = &s->component[n];
      if (!c->table || c->hidden != (pass == 0)) continue;
      jn_instance *k = &s->instance[c->instance];
      if (!declared && !c->hidden) k->x = c->x = s->nx, s->nx += k->nplain;
      if (declared) k->e = c->e = s->nx, s->nx += k->ndeclared;
    }
}

// Accelerations, loads and reactions follow from what components give, so they are never of the same evaluation.
jn_status jn_build_held(jn_system *s, jn_error *err)
{
  for (int i = 0; i < s->nheld; i++) {
    jn_held *h = &s->held[i];
    char path[96];
    snprintf(path, sizeof path, "components.%s", h->by);
    if (h->sensor < 0) h->channel = jn_channel_find(s, h->name);
    if (h->channel < 0 && h->sensor < 0) {
      jn_nearest near = jn_nearest_to(h->name);
      for (int k = 0; k < s->nchannel; k++) jn_nearest_try(&near, s->channel[k].name);
      return jn_fail(err, JN_E_SCHEMA, h->pos, path, "reads \"%s\", and there is no such channel%s",
                     h->name, jn_meant(&near).text);
    }
    if (s->binding.opts.integrator == JN_INTEGRATOR_REFERENCE)
      return jn_fail(
          err, JN_E_CALL, h->pos, path,
          "reads \"%s\", which is held over a step; `reference` has no steps of its own: "
          "use another integrator",
          h->name);
    s->held_reactions |= !strncmp(h->name, "joint.", 6);
    jn_build_note(s, "component \"%s\" reads \"%s\" as it is at the beginning of each step%s",
                  h->by, h->name, h->sensor >= 0 ? ": a prescribed motion depends on it" : "");
  }
  return JN_OK;
}
