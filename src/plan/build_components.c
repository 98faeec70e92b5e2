// build_components.c: components of the model and of the scenario: their kinds, what their ports are connected to, and the
// order in which they are evaluated. It follows from the connections, never from the files.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "components/kinds.h"
#include "plan/build.h"
#include "spec/names.h"
#include "spec/scenario_internal.h"

static int max_of(int a, int b)
{
  return a > b ? a : b;
}

static const char *path_of(const jn_component *c, char path[96])
{
  snprintf(path, 96, "%s.%s", c->section, c->own);
  return path;
}

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
  char path[96], hint[176], shown[64];
  snprintf(path, sizeof path, "components.%s", k->name);
  jn_nearest near = jn_nearest_to(k->type);
  for (int i = 0; (*out = jn_component_kind(i)); i++) {
    if (!strcmp((*out)->kind, k->type)) return JN_OK;
    jn_nearest_try(&near, (*out)->kind);
  }
  jn_nearest_try(&near, "plugin");
  return jn_fail(err, JN_E_SCHEMA, k->type_pos, path, "there is no component of type \"%s\"%s",
                 jn_quote(k->type, strlen(k->type), shown, sizeof shown),
                 jn_nearest_or_known(&near, hint, sizeof hint));
}

static bool in_range(double x, jn_parameter_range range)
{
  return range == JN_ABOVE_ZERO ? x > 0.0 : range == JN_NOT_NEGATIVE ? x >= 0.0 : true;
}

static jn_status set_parameters(jn_component *c, jn_error *err)
{
  const jn_component_table *t = c->table;
  const jn_parameters *p = &c->spec->parameters;
  char path[96], hint[176];
  path_of(c, path);
  for (int i = 0; i < t->nparameter; i++) c->value[i] = t->parameter[i].otherwise;
  for (int i = 0; i < p->n; i++) {
    jn_nearest near = jn_nearest_to(p->name[i]);
    int k = 0;
    for (; k < t->nparameter && strcmp(t->parameter[k].name, p->name[i]) != 0; k++)
      jn_nearest_try(&near, t->parameter[k].name);
    if (k == t->nparameter) {
      if (!c->spec->plugin) {
        jn_nearest_try(&near, "inputs");
        jn_nearest_try(&near, "outputs");
      }
      return jn_fail(err, JN_E_SCHEMA, c->spec->parameter_pos[i], path, "has no %s \"%s\"%s",
                     c->spec->plugin ? "parameter" : "key", p->name[i],
                     jn_nearest_or_known(&near, hint, sizeof hint));
    }
    if (!in_range(p->value[i], t->parameter[k].range))
      return jn_fail(
          err, JN_E_RANGE, c->spec->parameter_pos[i], path, "`%s` is %.9g, must %s", p->name[i],
          p->value[i],
          t->parameter[k].range == JN_ABOVE_ZERO ? "be above zero" : "not be below zero");
    c->value[k] = p->value[i];
  }
  for (int i = 0; i < t->nparameter; i++)
    if (isnan(c->value[i]))
      return jn_fail(err, JN_E_SCHEMA, c->pos, path, "lacks the %s \"%s\": %s",
                     c->spec->plugin ? "parameter" : "key", t->parameter[i].name,
                     t->parameter[i].help);
  return JN_OK;
}

static int find_port(const jn_port *port, int n, const char *name, jn_nearest *near)
{
  for (int i = 0; i < n; i++) {
    if (!strcmp(port[i].name, name)) return i;
    jn_nearest_try(near, port[i].name);
  }
  return -1;
}

static jn_status no_port(const jn_component *c, const jn_link_spec *link, const char *what,
                         const jn_nearest *near, jn_error *err)
{
  char path[96], hint[176];
  return jn_fail(err, JN_E_SCHEMA, link->pos, path_of(c, path), "has no %s \"%s\"%s", what,
                 link->port, jn_nearest_or_known(near, hint, sizeof hint));
}

static jn_status set_links(jn_component *c, jn_error *err)
{
  const jn_component_spec *k = c->spec;
  for (int i = 0; i < k->nin; i++) {
    jn_nearest near = jn_nearest_to(k->in[i].port);
    const int port = find_port(c->table->in, c->table->nin, k->in[i].port, &near);
    if (port < 0) return no_port(c, &k->in[i], "input", &near, err);
    c->wanted[port] = k->in[i].signal;
    c->wanted_pos[port] = k->in[i].pos;
    c->connected[port] = true;
    if (!k->in[i].signal) c->constant[port] = k->in[i].value;
  }
  for (int i = 0; i < k->nout; i++) {
    jn_nearest near = jn_nearest_to(k->out[i].port);
    if (find_port(c->table->out, c->table->nout, k->out[i].port, &near) < 0)
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
  if (!c->value || !c->connected || !c->wanted || !c->own_input || !c->wanted_pos || !c->constant ||
      !c->signal || !c->link || !c->source || !c->shown || !c->driven_port || !c->driven_signal)
    return false;
  for (int i = 0; i < nin; i++) c->constant[i] = NAN, c->source[i] = -1;
  c->self = c->value;
  return true;
}

// A component of a file. Its name is the first part of channels: it must not be that of others.
static jn_status check_name(const jn_system *s, const jn_component *c, jn_error *err)
{
  static const char *const taken[] = {"joint", "force",  "wheel",  "tyre",
                                      "law",   "driver", "solver", "time"};
  const jn_spec *spec = s->model->spec;
  char path[96];
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
    if (!strcmp(taken[i], c->own))
      return jn_fail(err, JN_E_SCHEMA, c->pos, path_of(c, path),
                     "channels of another kind begin with \"%s\"; use another name", c->own);
  if (!strcmp(c->own, "ground"))
    return jn_fail(err, JN_E_SCHEMA, c->pos, path_of(c, path),
                   "is the name of the body that does not move; use another name");
  for (int i = 0; i < spec->nbody; i++)
    if (!strcmp(spec->body[i].name, c->own))
      return jn_fail(err, JN_E_SCHEMA, c->pos, path_of(c, path),
                     "is the name of a body too, whose channels begin with it; use another name");
  return JN_OK;
}

static jn_status add_component(jn_system *s, const jn_component_spec *k, jn_error *err)
{
  jn_component *c = &s->component[s->ncomponent++];
  *c = (jn_component){
      .name = k->name, .section = "components", .own = k->name, .pos = k->pos, .spec = k};
  jn_status st = check_name(s, c, err);
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
  for (int i = 1; i < s->nshown; i++) {
    const jn_component *k = &s->component[i];
    char path[96];
    if (!strcmp(k->name, k[-1].name))
      return jn_fail(err, JN_E_SCHEMA, k->pos, path_of(k, path),
                     "model and scenario both have a component of this name");
  }
  return JN_OK;
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

static bool is_given(const jn_scenario *c, const char *name)
{
  for (int i = 0; c && i < c->ninput; i++)
    if (!strcmp(c->input[i].name, name)) return true;
  return false;
}

// A number at a port is its only source.
static jn_status has_two_sources(const jn_component *c, int port, const char *other, jn_error *err)
{
  char path[96];
  return jn_fail(err, JN_E_SCHEMA, c->wanted_pos[port], path_of(c, path),
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
      const char *name = c->own_input[k];
      jn_input_channel *in = &s->input[jn_build_input(s, name)];
      in->unit = port->unit, in->help = port->help, in->quiet = true;
      if (!isnan(c->constant[k]) && is_given(s->binding.scenario, name))
        return has_two_sources(c, k, "`inputs` of the scenario", err);
      const double value = isnan(c->constant[k]) ? port->unconnected : c->constant[k];
      if (!c->spec || is_given(s->binding.scenario, name) ||
          (value == 0.0 && isnan(c->constant[k])))
        continue;
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

// ---- sensors --------------------------------------------------------------------------------------

typedef struct body_sensor {
  const char *suffix;
  jn_sense what;
  int axis;
  bool
      is_channel;  // false: a component has it among its own channels, whether the body has it or not
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

// The part of a name between its group and its last dot is that of the element?
static bool names(const char *text, const char *group, const char *element, const char **suffix)
{
  const size_t n = strlen(group), m = strlen(element);
  if (strncmp(text, group, n) != 0 || strncmp(text + n, element, m) != 0 || text[n + m] != '.')
    return false;
  *suffix = text + n + m + 1;
  return true;
}

static bool find_body_sensor(const jn_system *s, const char *name, jn_sensor *out)
{
  const jn_spec *spec = s->model->spec;
  const char *suffix;
  for (int b = 0; b < spec->nbody; b++) {
    if (!names(name, "", spec->body[b].name, &suffix)) continue;
    for (size_t i = 0; i < sizeof of_bodies / sizeof *of_bodies; i++) {
      const body_sensor *k = &of_bodies[i];
      if (strcmp(suffix, k->suffix) != 0) continue;
      *out = (jn_sensor){.what = k->what,
                         .axis = k->axis,
                         .body = jn_build_index(s, b),
                         .cut = -1,
                         .is_channel = k->is_channel};
      return true;
    }
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

static bool find_joint_sensor(const jn_system *s, const char *name, jn_sensor *out)
{
  const jn_model *m = s->model;
  const char *suffix;
  for (int e = 0; e < m->nfile_edge; e++) {
    if (!names(name, "joint.", m->edge[e].name, &suffix)) continue;
    bool rate, angle;
    const int which = coordinate_of(m->edge[e].kind, suffix, &rate, &angle);
    const int body = s->body_of_edge[e], cut = s->cut_of_edge[e];
    if (which < 0 || (body < 0 && (cut < 0 || jn_joint_has(m->edge[e].kind, JN_HAS_BOTH))))
      return false;
    *out = (jn_sensor){.what = rate ? JN_SENSE_CHANGE : JN_SENSE_VALUE,
                       .body = body,
                       .cut = body >= 0 ? -1 : cut,
                       .which = which,
                       .angle = angle,
                       .is_channel = true};
    return true;
  }
  return false;
}

static bool find_wheel_sensor(const jn_system *s, const char *name, jn_sensor *out)
{
  const char *suffix;
  for (int i = 0; i < s->nwheel; i++) {
    if (!names(name, "wheel.", s->wheel[i].name, &suffix) || strcmp(suffix, "speed") != 0) continue;
    // The axis turns with the steer angle: where that is an output, this is no sensor, but held.
    if (s->wheel[i].steer >= 0 && s->input[s->wheel[i].steer].driven >= 0) return false;
    *out =
        (jn_sensor){.what = JN_SENSE_SPIN, .wheel = i, .body = -1, .cut = -1, .is_channel = true};
    return true;
  }
  return false;
}

static int find_sensor(jn_system *s, const char *name)  // -1: there is none
{
  for (int i = 0; i < s->nsensor; i++)
    if (!strcmp(s->sensor[i].name, name)) return i;
  jn_sensor k;
  if (!find_wheel_sensor(s, name, &k) && !find_joint_sensor(s, name, &k) &&
      !find_body_sensor(s, name, &k))
    return -1;
  k.name = name;
  k.signal = s->nsignal++;
  s->sensor[s->nsensor] = k;
  return s->nsensor++;
}

static int hold(jn_system *s, const jn_component *c, int port, int sensor)
{
  const char *name = c->wanted[port];
  for (int i = 0; i < s->nheld; i++)
    if (!strcmp(s->held[i].name, name)) return s->held[i].signal;
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
  const char *suffix;
  for (int i = 0; i < 4 && s->binding.opts.without_tyres; i++)
    if (!strncmp(signal, of_wheels[i], strlen(of_wheels[i]))) return true;
  for (int i = 0; i < s->nshown; i++)
    if (!s->component[i].table && names(signal, "", s->component[i].name, &suffix)) return true;
  return false;
}

static bool find_output(const jn_system *s, const char *name, int *component, int *port)
{
  const char *suffix;
  for (*component = 0; *component < s->nshown; ++*component) {
    const jn_component *c = &s->component[*component];
    if (!c->table || !names(name, "", c->name, &suffix)) continue;
    for (*port = 0; *port < c->table->nout; ++*port)
      if (!strcmp(c->table->out[*port].name, suffix)) return true;
  }
  return false;
}

static void connect_input(jn_system *s, jn_component *c, int port)
{
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
  } else if ((k = find_sensor(s, name)) >= 0) {
    c->link[port] = JN_LINK_SENSOR;
    c->signal[port] = s->sensor[k].signal;
    c->shown[port] = !s->sensor[k].is_channel;
  } else {
    c->link[port] = JN_LINK_HELD;
    c->signal[port] = hold(s, c, port, -1);
  }
}

static jn_status connect_output(jn_system *s, int component, const jn_link_spec *link,
                                jn_error *err)
{
  jn_component *c = &s->component[component];
  char path[96], hint[176];
  path_of(c, path);
  const int i = jn_build_input(s, link->signal);
  if (i < 0 && jn_build_component_is_absent(s, link->signal)) return JN_OK;
  if (i < 0) {
    jn_nearest near = jn_nearest_to(link->signal);
    for (int k = 0; k < s->ninput; k++) jn_nearest_try(&near, s->input[k].name);
    return jn_fail(err, JN_E_SCHEMA, link->pos, path,
                   "drives \"%s\", and the model has no such input channel%s", link->signal,
                   jn_nearest_or_known(&near, hint, sizeof hint));
  }
  jn_nearest near = jn_nearest_to(link->port);
  const int port = find_port(c->table->out, c->table->nout, link->port, &near);
  return jn_build_drives(s, component, port, i, link->pos, err);
}

jn_status jn_build_drives(jn_system *s, int component, int port, int input, jn_pos pos,
                          jn_error *err)
{
  jn_component *c = &s->component[component];
  char path[96];
  path_of(c, path);
  jn_input_channel *in = &s->input[input];
  if (is_given(s->binding.scenario, in->name))
    return jn_fail(err, JN_E_SCHEMA, pos, path, "drives \"%s\", and `inputs` gives it already",
                   in->name);
  if (in->driven >= 0)
    return jn_fail(err, JN_E_SCHEMA, pos, path, "drives \"%s\", which \"%s\" drives already",
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
  char path[96];
  for (int i = 0; i < s->nshown; i++) {
    const jn_component *c = &s->component[i];
    for (int k = 0; k < c->ndriven; k++) {
      const jn_port *port = &c->table->out[c->driven_port[k]];
      const jn_input_channel *in = &s->input[c->driven_signal[k]];
      if (port->rates >= in->rates) continue;
      return jn_fail(
          err, JN_E_SCHEMA, c->pos, path_of(c, path),
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
      return jn_fail(err, JN_E_SCHEMA, c->wanted_pos[k], path_of(c, path),
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
  char text[400] = "", path[96];
  size_t used = 0;
  for (int i = 0; i < n && used < sizeof text - 160; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s\"%s\" %s \"%s\"",
                             i ? ", of " : "", s->component[ring[i]].name, i ? "on" : "depend on",
                             s->component[ring[(i + 1) % n]].name);
  const jn_component *c = &s->component[ring[0]];
  return jn_fail(err, JN_E_SCHEMA, c->pos, path_of(c, path),
                 "algebraic loop: outputs of %s%s, all within one evaluation; put a component with "
                 "a state between them, such as a `lag`",
                 text, used < sizeof text - 160 ? "" : ", ...");
}

// What a motion depends on directly is needed before positions: it takes sensors as they were at the step's beginning.
static void find_early(jn_system *s, const int *order)
{
  for (int i = 0; i < s->ndrive; i++)
    for (int k = 0; k < s->ncomponent; k++) {
      jn_component *c = &s->component[k];
      if (c->table && s->drive[i].signal >= c->out && s->drive[i].signal < c->out + c->table->nout)
        c->prescribes = true;
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
        c->signal[k] = hold(s, c, k, find_sensor(s, c->wanted[k]));
      }
      if (c->link[k] == JN_LINK_SENSOR || (c->source[k] >= 0 && !s->component[c->source[k]].early))
        c->early = false;
    }
  }
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
  if (!s->instance || !s->instance_component) return jn_build_no_memory(s, err);
  for (int pass = 0; pass < 2; pass++)
    for (int n = 0; n < s->ncomponent; n++) {
      jn_component *c = &s->component[order[n]];
      if (!c->table || c->early != (pass == 0)) continue;
      c->instance = s->ninstance;
      s->instance_component[s->ninstance] = order[n];
      if (!make_instance(s, c, &s->instance[s->ninstance++])) return jn_build_no_memory(s, err);
      s->nearly += pass == 0;
    }
  return JN_OK;
}

static jn_status find_used(jn_system *s, jn_error *err)
{
  s->use = jn_build_array(s, s->nsensor + 1, sizeof *s->use);
  if (!s->use) return jn_build_no_memory(s, err);
  for (int i = 0; i < s->nsensor; i++) {
    s->sensor[i].used = false;
    for (int n = 0; n < s->nshown; n++)
      for (int k = 0; s->component[n].table && k < s->component[n].table->nin; k++)
        s->sensor[i].used |= s->component[n].link[k] == JN_LINK_SENSOR &&
                             s->component[n].signal[k] == s->sensor[i].signal;
    if (s->sensor[i].used) s->use[s->nuse++] = i;
  }
  return JN_OK;
}

// ---- the whole ------------------------------------------------------------------------------------

jn_status jn_build_components(jn_system *s, jn_error *err)
{
  int ports = 0;
  for (int i = 0; i < s->nshown; i++)
    ports += s->component[i].table ? s->component[i].table->nin : 0;
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
  jn_status st = JN_OK;
  for (int i = 0; i < s->nshown && !st; i++) {
    jn_component *c = &s->component[i];
    for (int k = 0; c->table && c->spec && k < c->spec->nout && !st; k++)
      st = connect_output(s, i, &c->spec->out[k], err);
  }
  if (st) return st;
  for (int i = 0; i < s->nshown; i++)
    for (int k = 0; s->component[i].table && k < s->component[i].table->nin; k++) {
      const jn_component *c = &s->component[i];
      connect_input(s, &s->component[i], k);
      if (c->wanted[k] || isnan(c->constant[k]) || s->input[c->signal[k]].driven < 0) continue;
      char other[JN_CHANNEL_MAX + 16];
      snprintf(other, sizeof other, "component \"%s\"",
               s->component[s->input[c->signal[k]].driven].name);
      return has_two_sources(c, k, other, err);
    }
  find_needs(s);
  st = check_rates(s, err);
  if (!st) st = find_order(s, order, err);
  if (st) return st;
  find_early(s, order);
  st = find_used(s, err);
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
    char path[96], hint[176];
    snprintf(path, sizeof path, "components.%s", h->by);
    jn_nearest near = jn_nearest_to(h->name);
    for (int k = 0; k < s->nchannel && h->channel < 0 && h->sensor < 0; k++) {
      if (!strcmp(s->channel[k].name, h->name)) h->channel = k;
      jn_nearest_try(&near, s->channel[k].name);
    }
    if (h->channel < 0 && h->sensor < 0)
      return jn_fail(err, JN_E_SCHEMA, h->pos, path, "reads \"%s\", and there is no such channel%s",
                     h->name, jn_nearest_text(&near, hint, sizeof hint));
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
