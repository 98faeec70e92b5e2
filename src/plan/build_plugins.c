// build_plugins.c: force elements and tyres of the user's own, from shared objects. This is the only place that loads code.
#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "plan/build.h"
#include "spec/names.h"
#include "spec/scenario_internal.h"

// One line of printable text, whoever wrote it.
static const char *tidy(char *text)
{
  for (char *c = text; *c; c++)
    if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = ' ';
  return text;
}

// dlerror() begins with the file's name, which the message has already.
static const char *why_not(const char *file)
{
  const char *text = dlerror();
  const size_t n = strlen(file);
  if (!text) return "for no known reason";
  return !strncmp(text, file, n) && !strncmp(text + n, ": ", 2) ? text + n + 2 : text;
}

// What the model says of a plug-in, be it a force or a tyre.
typedef struct named {
  const char *section, *name;  // forces.stop
  jn_pos pos;
  const char *file;
  const jn_parameters *parameters;
} named;

static named of_force(const jn_force_spec *f)
{
  return (named){"forces", f->name, f->pos, f->as.plugin.plugin, &f->as.plugin.parameters};
}

static named of_component(const jn_component_spec *k)
{
  return (named){"components", k->name, k->plugin_pos, k->plugin, &k->parameters};
}

static named of_tyre(const jn_tyre_spec *t)
{
  return (named){"tyres", t->name, t->pos, t->as.plugin.plugin, &t->as.plugin.parameters};
}

static named of_road(const jn_road_spec *k, const char *section)
{
  return (named){section, k->name, k->pos, k->as.plugin.plugin, &k->as.plugin.parameters};
}

static jn_status check_parameters(const named *n, const char *const *known, jn_error *err)
{
  const jn_parameters *p = n->parameters;
  for (int i = 0; known && i < p->n; i++) {
    jn_nearest near = jn_nearest_to(p->name[i]);
    int k = 0;
    for (; known[k] && strcmp(known[k], p->name[i]) != 0; k++) jn_nearest_try(&near, known[k]);
    if (!known[k])
      return jn_fail(err, JN_E_SCHEMA, n->pos, NULL, "%s.%s: the plug-in has no parameter \"%s\"%s",
                     n->section, n->name, p->name[i], jn_hint(&near).text);
  }
  return JN_OK;
}

static bool is_word(const char *name)
{
  return name && jn_is_name(name, strlen(name));
}

// Names of channels are ours to answer for. taken: those that they have already.
static jn_status check_outputs(const named *n, int nout, const jn_plugin_output *output,
                               const char *const *taken, int ntaken, jn_error *err)
{
  if (nout < 0 || nout > JN_PLUGIN_OUTPUTS || (nout && !output))
    return jn_fail(err, JN_E_LIMIT, n->pos, NULL,
                   "%s.%s: the plug-in has %d outputs, expected 0 to %d", n->section, n->name, nout,
                   JN_PLUGIN_OUTPUTS);
  for (int i = 0; i < nout; i++) {
    const jn_plugin_output *o = &output[i];
    bool good = is_word(o->name) && o->unit && o->help;
    for (int k = 0; good && k < ntaken; k++) good = strcmp(o->name, taken[k]) != 0;
    for (int k = 0; good && k < i; k++) good = strcmp(o->name, output[k].name) != 0;
    if (!good)
      return jn_fail(err, JN_E_SCHEMA, n->pos, NULL,
                     "%s.%s: output %d of the plug-in needs a unit, a help text and a name of "
                     "its own, of letters, digits and _%s",
                     n->section, n->name, i + 1, ntaken ? ", other than fx fy fz mx my mz" : "");
  }
  return JN_OK;
}

// The shared object, and its table of this name.
static jn_status open_table(const named *n, const char *symbol, void **library, const void **table,
                            jn_error *err)
{
  *library = dlopen(n->file, RTLD_NOW | RTLD_LOCAL);
  if (!*library)
    return jn_fail(err, JN_E_FILE, n->pos, NULL, "%s.%s: the plug-in %s cannot be loaded: %s",
                   n->section, n->name, n->file, why_not(n->file));
  *table = dlsym(*library, symbol);
  if (!*table)
    return jn_fail(
        err, JN_E_FILE, n->pos, NULL,
        "%s.%s: %s is no plug-in: it does not define %s (jounce/plugin.h describes what it "
        "is)",
        n->section, n->name, n->file, symbol);
  const int version = *(const int *)*table;  // every table begins with it
  const bool same = version == 1 && strcmp(symbol, "jounce_component") != 0;
  if (version != JN_PLUGIN_VERSION && !same)
    return jn_fail(err, JN_E_FILE, n->pos, NULL,
                   "%s.%s: the plug-in %s is of version %d, expected %d: compile it with "
                   "this jounce's plugin.h",
                   n->section, n->name, n->file, version, JN_PLUGIN_VERSION);
  return JN_OK;
}

static jn_status lacks(const named *n, const char *what, jn_error *err)
{
  return jn_fail(err, JN_E_FILE, n->pos, NULL, "%s.%s: the table of the plug-in %s lacks `%s`",
                 n->section, n->name, n->file, what);
}

// setup: what is known of the kind; the rest is the same for all.
static jn_status make(const named *n, int (*init)(const jn_plugin_setup *, void **),
                      jn_plugin_setup setup, void **self, jn_error *err)
{
  char reason[240] = "";
  setup.element = n->name;
  setup.n = n->parameters->n;
  setup.name = n->parameters->name;
  setup.value = n->parameters->value;
  setup.reason = reason;
  setup.reason_size = sizeof reason;
  if (!init(&setup, self)) return JN_OK;
  reason[sizeof reason - 1] = 0;
  return jn_fail(err, JN_E_RANGE, n->pos, NULL, "%s.%s: the plug-in refuses: %s", n->section,
                 n->name, *reason ? tidy(reason) : "no reason given");
}

static jn_status load_force(el_plugin *p, const jn_force_spec *f, jn_error *err)
{
  const char *taken[JN_ELEMENT_OUTPUTS];
  const jn_element_kind *kind = &jn_element_kinds[JN_FORCE_PLUGIN];
  for (int i = 0; i < kind->nout; i++) taken[i] = kind->out[i].name;
  const named n = of_force(f);
  const void *table;
  jn_status st = open_table(&n, "jounce_plugin", &p->library, &table, err);
  if (st) return st;
  const jn_plugin_table *t = table;
  if (!t->init || !t->force) return lacks(&n, t->init ? "force" : "init", err);
  const jn_vectors *at = &f->as.plugin.at;
  jn_plugin_setup setup = {0};
  memcpy(setup.position[0], at->v[0], sizeof setup.position[0]);
  memcpy(setup.position[1], at->v[at->n - 1], sizeof setup.position[1]);
  st = check_parameters(&n, t->parameter, err);
  if (!st) st = check_outputs(&n, t->nout, t->output, taken, kind->nout, err);
  if (!st) st = make(&n, t->init, setup, &p->self, err);
  if (!st) p->table = t;  // from here on it is to be freed
  return st;
}

// ---- components -----------------------------------------------------------------------------------

static jn_status bad_table(const named *n, const char *what, int i, const char *why, jn_error *err)
{
  return jn_fail(err, JN_E_FILE, n->pos, NULL, "%s.%s: %s %d of the plug-in %s %s", n->section,
                 n->name, what, i + 1, n->file, why);
}

// A list of the table: how many, and a name, a unit and a sentence of each, all names different.
static jn_status check_count(const named *n, const char *what, int count, bool there, jn_error *err)
{
  if (count >= 0 && count <= JN_COMPONENT_MOST && (count == 0 || there)) return JN_OK;
  return jn_fail(err, JN_E_LIMIT, n->pos, NULL, "%s.%s: the plug-in has %d %ss, expected 0 to %d%s",
                 n->section, n->name, count, what, JN_COMPONENT_MOST,
                 count > 0 && !there ? " with a list of them" : "");
}

static jn_status check_ports(const named *n, const char *what, const jn_port *port, int count,
                             jn_error *err)
{
  static const char *const needs = "needs a unit, a help text and a name of its own";
  int values = 0;
  jn_status st = check_count(n, what, count, port != NULL, err);
  for (int i = 0; i < count && !st; i++) {
    bool good = is_word(port[i].name) && port[i].unit && port[i].help;
    for (int k = 0; k < i && good; k++) good = strcmp(port[i].name, port[k].name) != 0;
    if (!good) return bad_table(n, what, i, needs, err);
    if (port[i].rates < 0 || port[i].rates > 2)
      return bad_table(n, what, i, "has other than 0 to 2 rates", err);
    if (!isfinite(port[i].unconnected))
      return bad_table(n, what, i, "has a value that is not finite where nothing drives it", err);
    values += 1 + port[i].rates;
  }
  if (values <= JN_COMPONENT_MOST) return st;
  return jn_fail(err, JN_E_LIMIT, n->pos, NULL,
                 "%s.%s: the %ss of the plug-in have %d values with their rates, at most %d are "
                 "allowed",
                 n->section, n->name, what, values, JN_COMPONENT_MOST);
}

static jn_status check_component(const named *n, const jn_component_table *t, jn_error *err)
{
  static const char *const needs = "needs a unit, a help text and a name of its own";
  jn_status st = check_ports(n, "input", t->in, t->nin, err);
  if (!st) st = check_ports(n, "output", t->out, t->nout, err);
  if (!st) st = check_count(n, "state", t->nstate, t->state != NULL, err);
  if (!st) st = check_count(n, "parameter", t->nparameter, t->parameter != NULL, err);
  for (int i = 0; !st && i < t->nstate; i++) {
    const jn_state_info *x = &t->state[i];
    bool good = is_word(x->name) && x->unit && x->help;
    for (int k = 0; k < i && good; k++) good = strcmp(x->name, t->state[k].name) != 0;
    for (int k = 0; k < t->nin && good; k++) good = strcmp(x->name, t->in[k].name) != 0;
    for (int k = 0; k < t->nout && good; k++) good = strcmp(x->name, t->out[k].name) != 0;
    if (!good) return bad_table(n, "state", i, needs, err);
    if (x->declared != 0 && x->declared != 1)
      return bad_table(n, "state", i, "is neither declared (1) nor plain (0)", err);
    if (i && x->declared < x[-1].declared)
      return bad_table(n, "state", i, "is plain, and declared ones come last", err);
  }
  for (int i = 0; !st && i < t->nout; i++)
    for (int k = 0; k < t->nin; k++)
      if (!strcmp(t->out[i].name, t->in[k].name)) return bad_table(n, "output", i, needs, err);
  for (int i = 0; !st && i < t->nparameter; i++) {
    const jn_component_parameter *p = &t->parameter[i];
    bool good = is_word(p->name) && p->unit && p->help;
    for (int k = 0; k < i && good; k++) good = strcmp(p->name, t->parameter[k].name) != 0;
    if (!good) return bad_table(n, "parameter", i, needs, err);
  }
  if (st) return st;
  if (t->nout && !t->outputs) return lacks(n, "outputs", err);
  return t->nstate && !t->rates ? lacks(n, "rates", err) : JN_OK;
}

jn_status jn_build_component_table(jn_system *s, jn_component *c, jn_error *err)
{
  (void)s;
  const named n = of_component(c->spec);
  const void *table = NULL;
  jn_status st = open_table(&n, "jounce_component", &c->library, &table, err);
  if (!st) st = check_component(&n, table, err);
  if (!st) c->table = table;
  return st;
}

jn_status jn_build_component_make(jn_system *s, jn_component *c, jn_error *err)
{
  const jn_component_table *t = c->table;
  if (!t->init) return JN_OK;
  const char **name = jn_build_array(s, t->nparameter + 1, sizeof *name);
  if (!name) return jn_build_no_memory(s, err);
  for (int i = 0; i < t->nparameter; i++) name[i] = t->parameter[i].name;
  char reason[240] = "";
  const jn_plugin_setup setup = {.element = c->name,
                                 .n = t->nparameter,
                                 .name = name,
                                 .value = c->value,
                                 .reason = reason,
                                 .reason_size = sizeof reason,
                                 .connected = c->connected};
  void *self = c->value;
  if (!t->init(&setup, &self)) {
    c->self = self;
    c->made = true;
    return JN_OK;
  }
  reason[sizeof reason - 1] = 0;
  return jn_fail(err, JN_E_RANGE, c->pos, jn_entry("components", c->own).text, "%s%s",
                 c->spec->plugin ? "the plug-in refuses: " : "",
                 *reason ? tidy(reason) : "no reason given");
}

static jn_status load_tyre(tyre_plugin *p, const jn_tyre_spec *k, jn_error *err)
{
  const named n = of_tyre(k);
  const void *table;
  jn_status st = open_table(&n, "jounce_tyre_plugin", &p->library, &table, err);
  if (st) return st;
  const jn_tyre_plugin_table *t = table;
  if (!t->init || !t->limits || !t->forces)
    return lacks(&n, !t->init ? "init" : !t->limits ? "limits" : "forces", err);
  const jn_plugin_setup setup = {.radius = k->as.plugin.radius, .load = k->as.plugin.load};
  st = check_parameters(&n, t->parameter, err);
  if (!st) st = check_outputs(&n, t->nout, t->output, NULL, 0, err);
  if (!st) st = make(&n, t->init, setup, &p->self, err);
  if (!st) p->table = t;
  return st;
}

static jn_status load_tyres(jn_system *s, jn_error *err)
{
  const jn_spec *spec = s->model->spec;
  jn_status st = JN_OK;
  for (int i = 0; i < spec->ntyre && !s->binding.opts.without_tyres && !st; i++) {
    if (spec->tyre[i].kind != JN_TYRE_PLUGIN) continue;
    if (s->binding.opts.without_plugins)
      jn_build_note(s, "the plug-in of the tyre \"%s\" is not loaded: it carries, and does no more",
                    spec->tyre[i].name);
    else
      st = load_tyre(&s->tyre_plugin[i], &spec->tyre[i], err);
  }
  for (int i = 0; i < s->nwheel && !st; i++) {
    jn_wheel *w = &s->wheel[i];
    w->output = s->noutput;
    if (w->plugin && w->plugin->table) s->noutput += w->plugin->table->nout;
  }
  return st;
}

static jn_status load_road(road_object *p, const jn_road_spec *k, const char *section,
                           jn_error *err)
{
  const named n = of_road(k, section);
  const void *table;
  jn_status st = open_table(&n, "jounce_road_plugin", &p->library, &table, err);
  if (st) return st;
  const jn_road_plugin_table *t = table;
  if (!t->at) return lacks(&n, "at", err);
  st = check_parameters(&n, t->parameter, err);
  if (!st && t->init) st = make(&n, t->init, (jn_plugin_setup){0}, &p->self, err);
  if (!st) p->table = t;
  return st;
}

static jn_status load_roads(jn_system *s, jn_error *err)
{
  const jn_scenario *k = s->binding.scenario;
  jn_status st = JN_OK;
  for (int i = JN_COMMON_ROAD; i < s->binding.nroad && !st; i++) {
    if (road_shape(s->binding.road[i].form) != JN_ROAD_CALLS || s->road_object[i].table) continue;
    const bool common = i == JN_COMMON_ROAD;
    const jn_road_spec *own = common ? &k->road : &k->own_road[i - JN_COMMON_ROAD - 1];
    if (s->binding.opts.without_plugins)
      jn_build_note(s, "the plug-in of the road \"%s\" is not loaded: it is the plane z = 0",
                    s->binding.road[i].name);
    else
      st = load_road(&s->road_object[i], own, common ? "scenario" : "roads", err);
  }
  return st;
}

jn_status jn_build_plugins(jn_system *s, jn_error *err)
{
  jn_status st = JN_OK;
  s->noutput = 0;
  for (int i = 0; i < s->nelement && !st; i++) {
    jn_element *e = &s->element[i];
    el_plugin *p = e->plugin < 0 ? NULL : &s->plugin[e->plugin];
    if (p && s->binding.opts.without_plugins)
      jn_build_note(s, "the plug-in of \"%s\" is not loaded: it exerts no force", e->name);
    else if (p)
      st = load_force(p, e->spec, err);
    e->output = s->noutput;
    s->noutput += jn_element_kinds[e->kind].nout + (p && p->table ? p->table->nout : 0);
  }
  if (!st) st = load_tyres(s, err);
  return st ? st : load_roads(s, err);
}

void jn_build_plugins_free(jn_system *s)
{
  for (int i = 0; i < s->nplugin; i++) {
    el_plugin *p = &s->plugin[i];
    if (p->table && p->table->free) p->table->free(p->self);
    if (p->library) dlclose(p->library);
  }
  for (int i = 0; s->road_object && i < s->binding.nroad; i++) {
    road_object *p = &s->road_object[i];
    if (p->library && p->table && p->table->free) p->table->free(p->self);
    if (p->library) dlclose(p->library);
  }
  for (int i = 0; i < s->ncomponent; i++) {
    const jn_component *c = &s->component[i];
    if (c->made && c->table->free) c->table->free(c->self);
    if (c->library) dlclose(c->library);
  }
  for (int i = 0; s->tyre_plugin && i < s->model->spec->ntyre; i++) {
    tyre_plugin *p = &s->tyre_plugin[i];
    if (p->table && p->table->free) p->table->free(p->self);
    if (p->library) dlclose(p->library);
  }
}
