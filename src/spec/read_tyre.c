// read_tyre.c: what a model says of a Magic Formula tyre: a property file, coefficients that override it, or coefficients
// alone. Whichever it is, the spec then has all of them, so that a model written out needs no file.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "spec/spec_reader.h"

enum { TEXT_MOST = 64 * TIR_NKEY + 64 * 64 };

typedef struct text {
  char *at;
  size_t n;
} text;

__attribute__((format(printf, 2, 3))) static void add(text *t, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  const int n = vsnprintf(t->at + t->n, TEXT_MOST - t->n, format, list);
  va_end(list);
  for (int i = 0; i < n && t->n + 1 < TEXT_MOST; i++, t->n++)
    if (t->at[t->n] == ',') t->at[t->n] = '.';  // of a locale
}

static void add_table(text *t, const char *section, const jn_curve_spec *c)
{
  if (!c->n) return;
  add(t, "[%s]\n{pen fz}\n", section);
  for (int i = 0; i < c->n; i++) add(t, "%.17g %.17g\n", c->x[i], c->y[i]);
}

static jn_curve_spec table_of(const tir_table *t)
{
  return (jn_curve_spec){.n = t->n, .x = t->x, .y = t->y};
}

// The tyre as a property file of its own: what was given, in SI.
static void write_text(text *t, const jn_tir *tir, const bool *given,
                       const jn_tyre_magic_formula_spec *k)
{
  static const char *const side[] = {"LEFT", "RIGHT", "UNKNOWN"};
  add(t, "[MODEL]\nFITTYP = %d\n", tir->version);
  if (tir->has_side) add(t, "TYRESIDE = '%s'\n", side[tir->side]);
  for (int i = 0; i < TIR_NKEY; i++)
    if (given[i] && i != TIR_FITTYP) add(t, "%s = %.17g\n", jn_tir_key(i), tir->value[i]);
  add_table(t, "DEFLECTION_LOAD_CURVE", &k->load_curve);
  add_table(t, "BOTTOMING_CURVE", &k->bottoming_curve);
}

#define GIVEN(key) JN_GIVEN(k, jn_tyre_magic_formula_spec, key)

// What the model says of the tyre itself, whatever the file says.
typedef struct overrides {
  tir_instead instead;
  double value[TIR_NKEY];  // where instead.value is
} overrides;

static jn_status read_coefficients(jn_reader *r, const jn_node *node, const jn_parameters *p,
                                   overrides *o)
{
  const jn_node *list = jn_node_find(node, "coefficients");
  for (int i = 0; i < p->n; i++) {
    jn_nearest near = jn_nearest_to(p->name[i]);
    int k = 0;
    for (; k < TIR_NKEY && strcmp(jn_tir_key(k), p->name[i]) != 0; k++)
      jn_nearest_try(&near, jn_tir_key(k));
    if (k == TIR_NKEY || k == TIR_FITTYP)
      return JN_READ_FAIL(r, JN_E_SCHEMA, list,
                          "no tyre property file has the coefficient \"%s\"%s", p->name[i],
                          jn_hint(&near).text);
    o->value[k] = p->value[i];
    o->instead.value[k] = true;
  }
  return JN_OK;
}

static jn_status read_overrides(jn_reader *r, const jn_node *node,
                                const jn_tyre_magic_formula_spec *k, overrides *o)
{
  if (GIVEN(version) && k->version != 52 && k->version != 61)
    return JN_READ_FAIL(r, JN_E_RANGE, jn_node_find(node, "version"), "is %d, expected 52 or 61",
                        k->version);
  *o = (overrides){.instead = {.version = GIVEN(version) ? k->version : 0,
                               .deflection_load = GIVEN(load_curve),
                               .bottoming = GIVEN(bottoming_curve)}};
  jn_status st = read_coefficients(r, node, &k->coefficients, o);
  if (GIVEN(use_mode)) o->value[TIR_USE_MODE] = k->use_mode, o->instead.value[TIR_USE_MODE] = true;
  return st;
}

// The remarks of both readings; lines are those of the file.
static jn_status keep_remarks(jn_reader *r, const jn_node *node, const jn_tir *file, jn_tir *tir)
{
  const int n = file->nunused + tir->nunused;
  tir_item *item = jn_pool_alloc(r->pool, (size_t)n + 1, sizeof *item);
  if (!item) return JN_READ_NO_MEMORY(r, node);
  for (int i = 0; i < n; i++) {
    item[i] = i < file->nunused ? file->unused[i] : tir->unused[i - file->nunused];
    if (i >= file->nunused) item[i].line = 0;
  }
  tir->unused = item;
  tir->nunused = n;
  return JN_OK;
}

// The file, where there is one, with the overrides on top, read as a file of its own: what is then absent or out of range
// is found as in any other.
static jn_status override(jn_reader *r, const jn_node *node, jn_tyre_spec *t, const overrides *o,
                          jn_tir *tir)
{
  const jn_tyre_magic_formula_spec *k = &t->as.magic_formula;
  const jn_tir file = *tir;
  text own = {.at = jn_pool_alloc(r->pool, TEXT_MOST, 1)};
  if (!own.at) return JN_READ_NO_MEMORY(r, node);
  bool given[TIR_NKEY];
  for (int i = 0; i < TIR_NKEY; i++) {
    given[i] = tir->line[i] || o->instead.value[i];
    if (o->instead.value[i]) tir->value[i] = o->value[i];
  }
  if (GIVEN(version)) tir->version = k->version;
  if (GIVEN(measured)) tir->side = (tir_side)k->measured, tir->has_side = true;
  write_text(&own, tir, given, k);
  jn_error err = {0};
  jn_status st = jn_tir_parse(own.at, own.n, t->name, r->pool, tir, &err);
  if (st)
    return jn_fail(r->err, st, jn_node_key_pos(node), r->path, "%s%s%s", err.path,
                   *err.path ? ": " : "", err.text);
  tir->file = file.file;
  return keep_remarks(r, node, &file, tir);
}

// Everything that the tyre has goes where the writer finds it.
static jn_status keep_coefficients(jn_reader *r, const jn_node *node, const jn_tir *tir,
                                   jn_tyre_magic_formula_spec *k)
{
  const char **name = jn_pool_alloc(r->pool, TIR_NKEY, sizeof *name);
  double *value = jn_pool_alloc(r->pool, TIR_NKEY, sizeof *value);
  if (!name || !value) return JN_READ_NO_MEMORY(r, node);
  int n = 0;
  for (int i = 0; i < TIR_NKEY; i++)
    if (tir->line[i] && i != TIR_FITTYP) name[n] = jn_tir_key(i), value[n++] = tir->value[i];
  k->coefficients = (jn_parameters){.n = n, .name = name, .value = value};
  k->version = tir->version;
  k->measured = (int)tir->side;
  k->load_curve = table_of(&tir->deflection_load);
  k->bottoming_curve = table_of(&tir->bottoming);
#define BIT(key) (1u << offsetof(jn_tyre_magic_formula_spec_bits, key))
  k->given |= BIT(coefficients) | BIT(version) | (tir->has_side ? BIT(measured) : 0u) |
              (k->load_curve.n ? BIT(load_curve) : 0u) |
              (k->bottoming_curve.n ? BIT(bottoming_curve) : 0u);
  k->given &= ~BIT(file);
#undef BIT
  return JN_OK;
}

static jn_status load_file(jn_reader *r, const jn_node *node, jn_tyre_spec *t, const overrides *o,
                           jn_tir *tir)
{
  jn_tyre_magic_formula_spec *k = &t->as.magic_formula;
  jn_tir *written = jn_pool_alloc(r->pool, 1, sizeof *written);
  if (!written) return JN_READ_NO_MEMORY(r, node);
  jn_status st = jn_tir_load(k->file, jn_node_pos(jn_node_find(node, "file")), &o->instead, r->pool,
                             written, r->err);
  if (st) return st;
  t->written = written;
  *tir = *written;
  if (!GIVEN(load_curve)) k->load_curve = table_of(&tir->deflection_load);
  if (!GIVEN(bottoming_curve)) k->bottoming_curve = table_of(&tir->bottoming);
  return JN_OK;
}

jn_status jn_read_magic_formula(jn_reader *r, const jn_node *node, jn_tyre_spec *t)
{
  jn_tyre_magic_formula_spec *k = &t->as.magic_formula;
  overrides o;
  jn_tir *tir = jn_pool_alloc(r->pool, 1, sizeof *tir);
  if (!tir) return JN_READ_NO_MEMORY(r, node);
  t->tir = tir;
  jn_status st = read_overrides(r, node, k, &o);
  if (!st && !GIVEN(file) && (!GIVEN(version) || !GIVEN(coefficients)))
    st = jn_fail(r->err, JN_E_SCHEMA, jn_node_key_pos(node), r->path,
                 "needs `file`, or `version` and `coefficients`");
  if (!st && GIVEN(file)) st = load_file(r, node, t, &o, tir);
  if (!st && (!GIVEN(file) || GIVEN(version) || GIVEN(measured) || GIVEN(coefficients) ||
              GIVEN(load_curve) || GIVEN(bottoming_curve) || GIVEN(use_mode)))
    st = override(r, node, t, &o, tir);
  return st ? st : keep_coefficients(r, node, tir, k);
}
#undef GIVEN
