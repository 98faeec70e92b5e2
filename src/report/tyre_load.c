// tyre_load.c: a tyre from a property file, read as a model would read it: options, units and errors are the model
// reader's own.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/tyre_alone.h"
#include "tir/tir.h"

static const char *base_of(const char *file)
{
  const char *slash = strrchr(file, '/');
  return slash ? slash + 1 : file;
}

// A name for the model beside the file, where the file is then looked for. What is wrong there comes from an override.
static const char told_by[] = "--set";

static char *model_name(jn_pool *pool, const char *file)
{
  const size_t folder = (size_t)(base_of(file) - file);
  char *name = jn_pool_alloc(pool, folder + sizeof told_by, 1);
  if (name) snprintf(name, folder + sizeof told_by, "%.*s%s", (int)folder, file, told_by);
  return name;
}

// The smallest model that something can be looked at in: `what` with the name of a file beside it, in quotes, and `rest`.
static char *model_text(jn_pool *pool, const char *what, const char *file, const char *rest)
{
  static const char body[] =
      "jounce: 1\nbodies: {looked_at: {mass: 1, cg: [0, 0, 0], inertia: [1, 1, 1]}}\n"
      "joints: {held_at: {type: free, bodies: [ground, looked_at]}}\n";
  const char *base = base_of(file);
  const size_t room = sizeof body + strlen(what) + 4 * strlen(base) + strlen(rest) + 2;
  char *text = jn_pool_alloc(pool, room, 1), *to = text;
  if (!text) return NULL;
  to += sprintf(to, "%s%s\"", body, what);
  for (; *base; base++) {
    const unsigned char c = (unsigned char)*base;
    if (c < ' ' || c == 0x7f)
      to += sprintf(to, "\\x%02x", c);
    else
      to += sprintf(to, "%s%c", c == '"' || c == '\\' ? "\\" : "", c);
  }
  sprintf(to, "\"%s", rest);
  return text;
}

static char *tyre_text(jn_pool *pool, const char *file)
{
  return model_text(pool, "tyres: {tyre: {type: magic-formula, file: ", file, "}}\n");
}

// "KEY=VALUE" of the tyre as the override of a model.
static const char **overrides(jn_pool *pool, const char *const *set, int nset)
{
  static const char path[] = "tyres.tyre.";
  const char **list = jn_pool_alloc(pool, (size_t)nset + 1, sizeof *list);
  for (int i = 0; list && i < nset; i++) {
    const size_t room = sizeof path + strlen(set[i]);
    char *text = jn_pool_alloc(pool, room, 1);
    if (!text) return NULL;
    snprintf(text, room, "%s%s", path, set[i]);
    list[i] = text;
  }
  return list;
}

// What the reader reports of a key is reported of the tyre: the model around it is nobody's.
static void cut_out(char *text, const char *what)
{
  char *at = strstr(text, what);
  if (at) memmove(at, at + strlen(what), strlen(at + strlen(what)) + 1);
}

static void forget_model(jn_error *err, const char *model, const char *file)
{
  if (!err) return;
  if (!strcmp(base_of(err->file), base_of(file)))  // as the caller wrote it
    snprintf(err->file, sizeof err->file, "%s", file);
  if (!strncmp(err->file, "--set ", 6)) cut_out(err->file, "tyres.tyre.");
  if (model && !strcmp(err->file, model)) {
    snprintf(err->file, sizeof err->file, "%s", told_by);
    err->line = err->col = 0;
  }
  cut_out(err->path, "tyres.tyre.");
  if (!strcmp(err->path, "tyres.tyre")) err->path[0] = 0;
}

static jn_status check_sets(const char *const *set, int nset, jn_error *err)
{
  for (int i = 0; i < nset; i++)
    if (!strchr(set[i], '='))
      return jn_fail(err, JN_E_CALL, (jn_pos){"--set", 0, 0}, NULL,
                     "found \"%s\", expected key=value such as pressure=180e3",
                     jn_quoted(set[i], strlen(set[i]), 96).text);
  return JN_OK;
}

jn_status jn_tyre_load(const char *file, const char *const *set, int nset, jn_tyre **out,
                       jn_error *err)
{
  if (out) *out = NULL;
  JN_NEEDS(err, file && out && jn_has_texts(set, nset),
           "the name of a file, as many keys as are announced, and a place for the tyre");
  jn_pool pool = {0};
  jn_tir *tir = jn_pool_alloc(&pool, 1, sizeof *tir);
  jn_spec *spec = NULL;
  const tir_instead all = jn_tir_instead_of_all();  // what is absent, --set may have
  jn_status st =
      tir ? jn_tir_load(file, JN_NOWHERE, &all, &pool, tir, err) : jn_no_memory(err, JN_NOWHERE);
  const char *text = tyre_text(&pool, file), *name = model_name(&pool, file);
  const char *const *list = overrides(&pool, set, nset);
  if (!st && (!text || !name || !list)) st = jn_no_memory(err, JN_NOWHERE);
  if (!st) st = check_sets(set, nset, err);
  if (!st) st = jn_spec_parse(text, strlen(text), name, list, nset, &spec, err);
  if (!st) st = jn_tyre_of(spec, NULL, out, err);
  if (st) {
    forget_model(err, name, file);
    jn_spec_free(spec);
  } else {
    jn_tyre *t = *out;
    const char *base = base_of(file), *dot = strrchr(base, '.');
    t->own = spec;
    t->info.name =
        jn_pool_text_n(&t->pool, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
    if (!t->info.name) {
      st = jn_no_memory(err, JN_NOWHERE);
      jn_tyre_free(t);
      *out = NULL;
    }
  }
  jn_pool_free(&pool);
  return st;
}

// A file of tyres alone becomes a model by including it. What is wrong around it is not reported: then the file is no such one.
static jn_status load_around(const char *file, const char *const *set, int nset, jn_spec **out,
                             jn_error *err)
{
  jn_pool pool = {0};
  jn_error own = {0};
  const char *text = model_text(&pool, "include: ", file, "\n"), *name = model_name(&pool, file);
  const jn_status st = text && name ? jn_spec_parse(text, strlen(text), name, set, nset, out, &own)
                                    : jn_no_memory(&own, JN_NOWHERE);
  if (st && err && name && strcmp(own.file, name)) *err = own;
  const char *shown = st ? NULL : jn_pool_text(&(*out)->pool, file);
  if (shown) (*out)->pos.file = shown;
  jn_pool_free(&pool);
  return st;
}

jn_status jn_tyre_load_model(const char *file, const char *name, const char *const *set, int nset,
                             jn_tyre **out, jn_error *err)
{
  jn_spec *spec = NULL;
  if (out) *out = NULL;
  JN_NEEDS(err, file && out && jn_has_texts(set, nset),
           "the name of a file, as many overrides as are announced, and a place for the tyre");
  jn_status st = jn_spec_load(file, set, nset, &spec, err);
  if (st) st = load_around(file, set, nset, &spec, err);
  if (!st) st = jn_tyre_of(spec, name, out, err);
  if (st)
    jn_spec_free(spec);
  else
    (*out)->own = spec;
  return st;
}
