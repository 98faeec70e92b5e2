// tir_check.c: is a tyre property file one that the equations can use? Version, ranges, what is absent.
#include <math.h>
#include <string.h>

#include "tir/tir_reader.h"

static jn_pos at_key(const tir_reader *r, int key)
{
  return r->out->line[key] ? (jn_pos){r->scan.file, r->out->line[key], r->col[key]}
                           : (jn_pos){r->scan.file, 0, 0};
}

// ---- which equations --------------------------------------------------------------------------

#define OURS "PAC2002 and Magic Formula 5.2, 6.1 and 6.2 are read"

static const struct {
  const char *name;
  int version;          // 0: FITTYP says it
  const char *instead;  // not NULL: refused
} formats[] = {
    {"PAC2002", 52, NULL},
    {"MF_05", 52, NULL},
    {"MF-TYRE", 0, NULL},
    {"MF_TYRE", 0, NULL},
    {"PAC89", 0, "another formula with other coefficients; a fit to PAC2002 is expected"},
    {"PAC94", 0, "another formula with other coefficients; a fit to PAC2002 is expected"},
    {"5.2.1", 0, "a tyre of a few stiffnesses; a model's own `type: brush` is the nearest to it"},
    {"PAC-TIME", 0, "has an aligning moment of its own; a fit to PAC2002 is expected"},
    {"PAC_TIME", 0, "has an aligning moment of its own; a fit to PAC2002 is expected"},
    {"PAC_MC", 0, "is for motorcycles, whose wheels lean; a fit to Magic Formula 6.1 is expected"},
    {"PAC-MC", 0, "is for motorcycles, whose wheels lean; a fit to Magic Formula 6.1 is expected"},
    {"PAC_MOTORCYCLE", 0,
     "is for motorcycles, whose wheels lean; a fit to Magic Formula 6.1 is expected"},
    {"FIALA", 0, "a tyre of a few stiffnesses; a model's own `type: brush` is the nearest to it"},
    {"UA", 0, "a tyre of a few stiffnesses; a model's own `type: brush` is the nearest to it"},
    {"UA-TIRE", 0, "a tyre of a few stiffnesses; a model's own `type: brush` is the nearest to it"},
    {"FTIRE", 0, "a structural model that is not published; " OURS},
    {"SWIFT", 0, "has a rigid ring; a file of its Magic Formula part with FITTYP = 61 is expected"},
    {"MF-SWIFT", 0,
     "has a rigid ring; a file of its Magic Formula part with FITTYP = 61 is expected"},
    {"MF_SWIFT", 0,
     "has a rigid ring; a file of its Magic Formula part with FITTYP = 61 is expected"},
};

enum { NFORMAT = sizeof formats / sizeof *formats };

static int find_format(const char *written)
{
  const tir_span name = {written, strlen(written), 1};
  int i = 0;
  while (i < NFORMAT && !jn_tir_same(name, formats[i].name)) i++;
  return i;
}

jn_status jn_tir_check_format(const tir_reader *r)
{
  const char *written = r->out->format;
  const jn_pos pos = {r->scan.file, r->format_line, r->format_col};
  const int i = find_format(written);
  if (i == NFORMAT)
    return jn_fail(r->err, JN_E_SCHEMA, pos, "PROPERTY_FILE_FORMAT",
                   "found \"%s\", expected 'PAC2002', 'MF_05' or 'MF-TYRE'",
                   jn_quoted(written, strlen(written), 80).text);
  if (formats[i].instead)
    return jn_fail(r->err, JN_E_SCHEMA, pos, "PROPERTY_FILE_FORMAT", "found \"%s\": %s",
                   formats[i].name, formats[i].instead);
  return JN_OK;
}

static jn_status check_version(tir_reader *r)
{
  static const struct {
    int fittyp, version;
  } known[] = {{5, 52}, {6, 52}, {21, 52}, {52, 52}, {61, 61}, {62, 61}};
  jn_tir *t = r->out;
  const int named = t->format[0] ? formats[find_format(t->format)].version : 0;
  t->version = named;
  if (r->instead && r->instead->version) {
    t->version = r->instead->version;
    return JN_OK;
  }
  if (!t->line[TIR_FITTYP]) {
    if (named) return JN_OK;
    return jn_fail(r->err, JN_E_SCHEMA, (jn_pos){r->scan.file, 0, 0}, NULL,
                   "has no version; expected FITTYP = 61 or PROPERTY_FILE_FORMAT = "
                   "'PAC2002' in [MODEL], or `version` of the model's tyre");
  }
  const double fittyp = t->value[TIR_FITTYP];
  size_t i = 0;
  while (i < sizeof known / sizeof *known && fittyp != known[i].fittyp) i++;
  if (i == sizeof known / sizeof *known)
    return jn_fail(r->err, JN_E_SCHEMA, at_key(r, TIR_FITTYP), "FITTYP",
                   "found %g, expected 5, 6, 21 or 52 (Magic Formula 5.2), 61 or 62 (6.1)%s",
                   fittyp,
                   fittyp >= 70.0 && fittyp < 80.0
                       ? "; later versions are not published, a fit to 6.1 is needed"
                       : "");
  t->fittyp = known[i].fittyp;
  t->version = known[i].version;
  if (named && named != t->version)
    return jn_fail(r->err, JN_E_SCHEMA, at_key(r, TIR_FITTYP), "FITTYP",
                   "found %d, expected 6 or none: the file names '%s'", t->fittyp,
                   formats[find_format(t->format)].name);
  return JN_OK;
}

// USE_MODE: what is computed in its last digit, its dynamics in the tens, the contact with the road in
// the hundreds (1: one point on a smooth road, as here); a minus mirrors the tyre (PAC2002).
static jn_status check_use_mode(tir_reader *r)
{
  double *mode = &r->out->value[TIR_USE_MODE];
  const double size = fabs(*mode);
  const int whole = size < 1000.0 ? (int)size : 0, contact = whole / 100;
  const char *instead = NULL;
  if (size >= 1000.0 || size != whole || contact > 1)
    instead = "0 to 4, plus 10 or 20 with relaxation, plus 100 for a smooth road";
  else if (whole % 10 == 5)
    instead = "4 in the last digit: 5 has turn slip, which is not computed";
  else if (whole % 10 > 5)
    instead = "0 to 4 in the last digit";
  else if (whole / 10 % 10 == 3 || whole / 10 % 10 == 4)
    instead = "0, 1 or 2 in the tens: 3 and 4 have a rigid ring, which is not computed";
  else if (whole / 10 % 10 > 4)
    instead = "0, 1 or 2 in the tens";
  if (instead && jn_tir_is_replaced(r, TIR_USE_MODE)) return JN_OK;
  if (instead)
    return jn_fail(r->err, JN_E_RANGE, at_key(r, TIR_USE_MODE), "USE_MODE", "found %g, expected %s",
                   *mode, instead);
  *mode = copysign(whole % 100, *mode);
  if (!contact) return JN_OK;
  return jn_tir_unused(r, "MODEL", "USE_MODE",
                       "its hundreds: contact in one point of a smooth road, as always here",
                       r->out->line[TIR_USE_MODE]);
}

// ---- ranges -----------------------------------------------------------------------------------

static const int above_zero[] = {TIR_UNLOADED_RADIUS,
                                 TIR_RIM_RADIUS,
                                 TIR_WIDTH,
                                 TIR_FNOMIN,
                                 TIR_VERTICAL_STIFFNESS,
                                 TIR_LONGVL,
                                 TIR_Q_RE0,
                                 TIR_LFZO,
                                 TIR_NOMPRES,
                                 TIR_INFLPRES,
                                 TIR_LMUX,
                                 TIR_LMUY,
                                 TIR_LCX,
                                 TIR_LCY,
                                 TIR_LKX,
                                 TIR_LKY,
                                 TIR_LCZ};
static const int not_negative[] = {TIR_VXLOW, TIR_VERTICAL_DAMPING, TIR_Q_FZ1, TIR_BOTTOM_STIFF,
                                   TIR_BOTTOM_OFFST};
static const int rising[][2] = {{TIR_PRESMIN, TIR_PRESMAX}, {TIR_FZMIN, TIR_FZMAX},
                                {TIR_KPUMIN, TIR_KPUMAX},   {TIR_ALPMIN, TIR_ALPMAX},
                                {TIR_CAMMIN, TIR_CAMMAX},   {TIR_RIM_RADIUS, TIR_UNLOADED_RADIUS}};

static jn_status must_be(const tir_reader *r, int key, const char *what)
{
  return jn_fail(r->err, JN_E_RANGE, at_key(r, key), jn_tir_key(key),
                 "is %g in SI units, must be %s", r->out->value[key], what);
}

static bool counts(const tir_reader *r, int key)
{
  return r->out->line[key] && !jn_tir_is_replaced(r, key);
}

static jn_status check_ranges(const tir_reader *r)
{
  const jn_tir *t = r->out;
  for (size_t i = 0; i < sizeof above_zero / sizeof *above_zero; i++)
    if (counts(r, above_zero[i]) && !(t->value[above_zero[i]] > 0.0))
      return must_be(r, above_zero[i], "above zero");
  for (size_t i = 0; i < sizeof not_negative / sizeof *not_negative; i++)
    if (counts(r, not_negative[i]) && !(t->value[not_negative[i]] >= 0.0))
      return must_be(r, not_negative[i], "zero or above");
  for (size_t i = 0; i < sizeof rising / sizeof *rising; i++) {
    const int low = rising[i][0], high = rising[i][1];
    if (counts(r, low) && counts(r, high) && !(t->value[low] < t->value[high]))
      return jn_fail(r->err, JN_E_RANGE, at_key(r, high), jn_tir_key(high),
                     "is %g in SI units, must be above %s (%g, line %d)", t->value[high],
                     jn_tir_key(low), t->value[low], t->line[low]);
  }
  return JN_OK;
}

// ---- tables -----------------------------------------------------------------------------------

static jn_status check_table(const tir_reader *r, const tir_rows *rows, const tir_table *table,
                             const char *section)
{
  if (!rows->first_line) return JN_OK;
  if (table->n < 2)
    return jn_fail(r->err, JN_E_SCHEMA, (jn_pos){r->scan.file, rows->first_line, 1}, section,
                   "has %d row%s, expected at least 2", table->n, table->n == 1 ? "" : "s");
  for (int i = 0; i < table->n; i++) {
    const jn_pos pos = {r->scan.file, rows->line[i], 1};
    if (!(table->x[i] >= 0.0) || !(table->y[i] >= 0.0))
      return jn_fail(r->err, JN_E_RANGE, pos, section,
                     "pen %g and fz %g in SI units must be zero or above", table->x[i],
                     table->y[i]);
    if (i && !(table->x[i] > table->x[i - 1]))
      return jn_fail(r->err, JN_E_RANGE, pos, section,
                     "pen is %g m, must be above that of the row before (%g m)", table->x[i],
                     table->x[i - 1]);
    if (i && !(table->y[i] >= table->y[i - 1]))
      return jn_fail(r->err, JN_E_RANGE, pos, section,
                     "fz is %g N, must not be below that of the row before (%g N)", table->y[i],
                     table->y[i - 1]);
  }
  return JN_OK;
}

// ---- what is absent ---------------------------------------------------------------------------

// A misspelt section would take its coefficients with it, and the tyre would be another one.
static jn_status check_strays(const tir_reader *r)
{
  for (int i = 0; i < TIR_NKEY; i++) {
    const tir_stray *s = &r->stray[i];
    if (s->line && !r->out->line[i] && !jn_tir_is_replaced(r, i) && jn_tir_uses(r->out, i))
      return jn_fail(r->err, JN_E_SCHEMA, (jn_pos){r->scan.file, s->line, s->col}, jn_tir_key(i),
                     "stands in [%s], which is not a section known here, expected [%s]",
                     jn_quoted(s->section, strlen(s->section), 80).text, jn_tir_section(i));
  }
  return JN_OK;
}

static jn_status lacks(const tir_reader *r, int key)
{
  return jn_fail(r->err, JN_E_SCHEMA, (jn_pos){r->scan.file, 0, 0}, NULL,
                 "lacks %s, expected in [%s] or set as coefficients.%s", jn_tir_key(key),
                 jn_tir_section(key), jn_tir_key(key));
}

// The load needs a stiffness: a curve, or VERTICAL_STIFFNESS, or the polynomial of Q_FZ1, where zero
// means that it is not given.
static jn_status check_absent(const tir_reader *r)
{
  const jn_tir *t = r->out;
  static const int needed[] = {TIR_UNLOADED_RADIUS, TIR_FNOMIN};
  for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
    if (!t->line[needed[i]] && !jn_tir_is_replaced(r, needed[i])) return lacks(r, needed[i]);
  const bool polynomial = t->value[TIR_Q_FZ1] > 0.0;
  if (t->line[TIR_VERTICAL_STIFFNESS] || polynomial || t->deflection_load.n) return JN_OK;
  if (jn_tir_is_replaced(r, TIR_VERTICAL_STIFFNESS) || jn_tir_is_replaced(r, TIR_Q_FZ1) ||
      (r->instead && r->instead->deflection_load))
    return JN_OK;
  return jn_fail(
      r->err, JN_E_SCHEMA, (jn_pos){r->scan.file, 0, 0}, NULL,
      "lacks a vertical stiffness, expected VERTICAL_STIFFNESS in [VERTICAL], Q_FZ1 or a "
      "[DEFLECTION_LOAD_CURVE], or coefficients.VERTICAL_STIFFNESS set");
}

jn_status jn_tir_check(tir_reader *r)
{
  jn_status st = check_version(r);
  if (!st) st = check_strays(r);
  if (!st) st = check_use_mode(r);
  if (!st) st = check_ranges(r);
  if (!st && !(r->instead && r->instead->deflection_load))
    st = check_table(r, &r->load, &r->out->deflection_load, "DEFLECTION_LOAD_CURVE");
  if (!st && !(r->instead && r->instead->bottoming))
    st = check_table(r, &r->bottom, &r->out->bottoming, "BOTTOMING_CURVE");
  return st ? st : check_absent(r);
}
