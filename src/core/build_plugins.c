// build_plugins.c: force elements of the user's own, from shared objects. This is the only place that loads code.
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/build.h"
#include "spec/names.h"

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

static jn_status check_parameters(const jn_plugin_table *t, const jn_force_spec *f, jn_error *err)
{
  const jn_parameters *p = &f->as.plugin.parameters;
  for (int i = 0; t->parameter && i < p->n; i++) {
    jn_nearest near = jn_nearest_to(p->name[i]);
    char hint[176];
    int k = 0;
    for (; t->parameter[k] && strcmp(t->parameter[k], p->name[i]) != 0; k++)
      jn_nearest_try(&near, t->parameter[k]);
    if (!t->parameter[k])
      return jn_fail(err, JN_E_SCHEMA, f->pos, NULL,
                     "forces.%s: the plug-in has no parameter \"%s\"%s", f->name, p->name[i],
                     jn_nearest_or_known(&near, hint, sizeof hint));
  }
  return JN_OK;
}

// Names of channels are ours to answer for.
static jn_status check_outputs(const jn_plugin_table *t, const jn_force_spec *f, jn_error *err)
{
  static const char *const taken[JN_PLUGIN_VALUES] = {"fx", "fy", "fz", "mx", "my", "mz"};
  if (t->nout < 0 || t->nout > JN_PLUGIN_OUTPUTS || (t->nout && !t->output))
    return jn_fail(err, JN_E_LIMIT, f->pos, NULL,
                   "forces.%s: the plug-in has %d outputs, expected 0 to %d", f->name, t->nout,
                   JN_PLUGIN_OUTPUTS);
  for (int i = 0; i < t->nout; i++) {
    const jn_plugin_output *o = &t->output[i];
    bool good = o->name && o->unit && o->help && *o->name && strlen(o->name) <= JN_NAME_MAX;
    for (const char *c = o->name; good && *c; c++)
      good = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
             *c == '_';
    for (int k = 0; good && k < JN_PLUGIN_VALUES; k++) good = strcmp(o->name, taken[k]) != 0;
    for (int k = 0; good && k < i; k++) good = strcmp(o->name, t->output[k].name) != 0;
    if (!good)
      return jn_fail(err, JN_E_SCHEMA, f->pos, NULL,
                     "forces.%s: output %d of the plug-in needs a unit, a help text and a name of "
                     "its own, of letters, digits and _, other than fx fy fz mx my mz",
                     f->name, i + 1);
  }
  return JN_OK;
}

static jn_status init_element(jn_plugin_element *p, const jn_plugin_table *t,
                              const jn_force_spec *f, jn_error *err)
{
  char reason[240] = "";
  const jn_plugin_spec *k = &f->as.plugin;
  jn_plugin_setup setup = {.element = f->name,
                           .n = k->parameters.n,
                           .name = k->parameters.name,
                           .value = k->parameters.value,
                           .reason = reason,
                           .reason_size = sizeof reason};
  memcpy(setup.position[0], k->at.v[0], sizeof setup.position[0]);
  memcpy(setup.position[1], k->at.v[k->at.n - 1], sizeof setup.position[1]);
  if (t->init(&setup, &p->self)) {
    reason[sizeof reason - 1] = 0;
    return jn_fail(err, JN_E_RANGE, f->pos, NULL, "forces.%s: the plug-in refuses: %s", f->name,
                   *reason ? tidy(reason) : "it does not say why");
  }
  p->table = t;  // from here on it is to be freed
  return JN_OK;
}

static jn_status load(jn_plugin_element *p, const jn_force_spec *f, jn_error *err)
{
  const char *file = f->as.plugin.plugin;
  p->library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!p->library)
    return jn_fail(err, JN_E_FILE, f->pos, NULL, "forces.%s: the plug-in %s cannot be loaded: %s",
                   f->name, file, why_not(file));
  const jn_plugin_table *t = dlsym(p->library, "jounce_plugin");
  if (!t)
    return jn_fail(err, JN_E_FILE, f->pos, NULL,
                   "forces.%s: %s is no plug-in: it does not define jounce_plugin "
                   "(jounce/plugin.h says what it is)",
                   f->name, file);
  if (t->version != JN_PLUGIN_VERSION)
    return jn_fail(err, JN_E_FILE, f->pos, NULL,
                   "forces.%s: the plug-in %s is of version %d, expected %d: compile it with "
                   "this jounce's plugin.h",
                   f->name, file, t->version, JN_PLUGIN_VERSION);
  if (!t->init || !t->force)
    return jn_fail(err, JN_E_FILE, f->pos, NULL,
                   "forces.%s: the table of the plug-in %s lacks `%s`", f->name, file,
                   t->init ? "force" : "init");
  jn_status st = check_parameters(t, f, err);
  if (!st) st = check_outputs(t, f, err);
  return st ? st : init_element(p, t, f, err);
}

jn_status jn_build_plugins(jn_system *s, jn_error *err)
{
  jn_status st = JN_OK;
  s->nplugin_value = 0;
  for (int i = 0; i < s->nplugin && !st; i++) {
    jn_plugin_element *p = &s->plugin[i];
    if (s->opts.without_plugins)
      jn_build_note(s, "the plug-in of \"%s\" is not loaded: it exerts no force", p->name);
    else
      st = load(p, p->spec, err);
    p->first = s->nplugin_value;
    s->nplugin_value += JN_PLUGIN_VALUES + (p->table ? p->table->nout : 0);
  }
  return st;
}

void jn_build_plugins_free(jn_system *s)
{
  for (int i = 0; i < s->nplugin; i++) {
    jn_plugin_element *p = &s->plugin[i];
    if (p->table && p->table->free) p->table->free(p->self);
    if (p->library) dlclose(p->library);
  }
}
