// tir.c: lines of a tyre property file to the values of jn_tir.
#include "tir/tir.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tir/tir_reader.h"

// ---- keys and sections ------------------------------------------------------------------------

enum { READ_N = 0, READ_5 = 1, READ_6 = 2, READ_B = READ_5 | READ_6 };

#define KEY_ROW(key, quantity, otherwise, use) \
  {#key, sizeof #key - 1, TIR_Q_##quantity, otherwise, READ_##use},
#define KEY_LIST(section, LIST) LIST(KEY_ROW)
static const struct {
  const char *name;
  size_t length;
  tir_quantity quantity;
  double otherwise;
  int use;
} key_of[TIR_NKEY] = {TIR_SECTIONS(KEY_LIST)};

#define KEY_COUNT(key, quantity, otherwise, use) +1
#define SECTION_ROW(section, LIST)               {section, LIST(KEY_COUNT)},
static const struct {
  const char *name;
  int nkey;
} section_of[] = {TIR_SECTIONS(SECTION_ROW)};

enum { NSECTION = sizeof section_of / sizeof *section_of };

// Further sections in which files have keys of ours.
static const char *const more_sections[] = {"TIRE_CONDITIONS", "LOADED_RADIUS_COEFFICIENTS",
                                            "CONTACT_PATCH", "PARAMETER"};

// What some files call keys of ours: the loaded radius without underscores, the two pressures and the
// factor of the camber's side force of PAC2002. INFLATION_PRESSURE is none of them: vendors write it in bar into sections of their own.
#define ALIASES(X)   \
  X(QV1, Q_V1)       \
  X(QV2, Q_V2)       \
  X(QRE0, Q_RE0)     \
  X(QFZ1, Q_FZ1)     \
  X(QFZ2, Q_FZ2)     \
  X(QFZ3, Q_FZ3)     \
  X(QFCX, Q_FCX)     \
  X(QFCY, Q_FCY)     \
  X(IP, INFLPRES)    \
  X(IP_NOM, NOMPRES) \
  X(LKG, LKYC)

#define ALIAS_ROW(alias, key) {#alias, TIR_##key},
static const struct {
  const char *name;
  int key;
} alias_of[] = {ALIASES(ALIAS_ROW)};

const char *jn_tir_key(int key)
{
  return key_of[key].name;
}

const char *jn_tir_section(int key)
{
  int i = 0;
  while (key >= section_of[i].nkey) key -= section_of[i++].nkey;
  return section_of[i].name;
}

bool jn_tir_uses(const jn_tir *tir, int key)
{
  return key_of[key].use & (tir->version == 52 ? READ_5 : READ_6);
}

// A few hundred names for each of at most TIR_MOST_LINES lines: an order is not worth its while.
static int find_key(tir_span name)
{
  for (int i = 0; i < TIR_NKEY; i++)
    if (name.length == key_of[i].length && jn_tir_same(name, key_of[i].name)) return i;
  return -1;
}

static int find_alias(tir_span name)
{
  for (size_t i = 0; i < sizeof alias_of / sizeof *alias_of; i++)
    if (jn_tir_same(name, alias_of[i].name)) return alias_of[i].key;
  return -1;
}

// ---- what nothing uses ------------------------------------------------------------------------

jn_status jn_tir_no_memory(const tir_reader *r)
{
  return jn_no_memory(r->err, (jn_pos){r->scan.file, 0, 0});
}

jn_status jn_tir_unused(tir_reader *r, const char *section, const char *key, const char *text,
                        int line)
{
  if (!text) text = "";
  if (r->out->nunused == r->room) {
    const int room = r->room ? 2 * r->room : 16;
    tir_item *more = jn_pool_alloc(r->pool, (size_t)room, sizeof *more);
    if (!more) return jn_tir_no_memory(r);
    if (r->room) memcpy(more, r->unused, (size_t)r->room * sizeof *more);
    r->out->unused = r->unused = more;
    r->room = room;
  }
  r->unused[r->out->nunused++] = (tir_item){section, key, text, line, false};
  return JN_OK;
}

jn_status jn_tir_replaced(tir_reader *r, const char *section, const char *key, int line,
                          const char *format, ...)
{
  char text[80];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  const char *kept = jn_pool_text(r->pool, text);
  jn_status st = kept ? jn_tir_unused(r, section, key, kept, line) : jn_tir_no_memory(r);
  if (!st) r->unused[r->out->nunused - 1].replaced = true;
  return st;
}

static const char *keep(tir_reader *r, tir_span s)
{
  return jn_pool_text_n(r->pool, s.at, s.length);
}

static jn_status pair_unused(tir_reader *r, const char *section, const tir_line *line)
{
  const char *key = keep(r, line->name), *text = keep(r, line->value);
  if (!key || !text) return jn_tir_no_memory(r);
  return jn_tir_unused(r, section, key, text, line->number);
}

// ---- lines ------------------------------------------------------------------------------------

typedef enum tir_place {
  PLACE_NONE,  // before the first section
  PLACE_UNITS,
  PLACE_HEADER,
  PLACE_OURS,  // keys of keys.h
  PLACE_LOAD,
  PLACE_BOTTOM,
  PLACE_FOREIGN  // a vendor's, or of a part of the format that nothing here reads: any text
} tir_place;

typedef struct tir_state {
  tir_place place;
  const char *section;  // as written
  bool in_rows;         // below {columns} that nothing uses: rows may be any text
} tir_state;

static jn_status found(const tir_reader *r, const tir_line *line, tir_span what, jn_status code,
                       const char *path, const char *expected)
{
  return jn_fail(r->err, code, (jn_pos){r->scan.file, line->number, what.col}, path,
                 "found \"%s\", expected %s", jn_quoted(what.at, what.length, 80).text, expected);
}

static tir_place place_of(tir_span name)
{
  if (jn_tir_same(name, "UNITS")) return PLACE_UNITS;
  if (jn_tir_same(name, "MDI_HEADER")) return PLACE_HEADER;
  if (jn_tir_same(name, "DEFLECTION_LOAD_CURVE")) return PLACE_LOAD;
  if (jn_tir_same(name, "BOTTOMING_CURVE")) return PLACE_BOTTOM;
  for (int i = 0; i < NSECTION; i++)
    if (jn_tir_same(name, section_of[i].name)) return PLACE_OURS;
  for (size_t i = 0; i < sizeof more_sections / sizeof *more_sections; i++)
    if (jn_tir_same(name, more_sections[i])) return PLACE_OURS;
  return PLACE_FOREIGN;
}

static jn_status read_section(tir_reader *r, tir_state *state, const tir_line *line)
{
  if (line->trouble) return found(r, line, line->odd, JN_E_PARSE, NULL, line->trouble);
  const char *section = keep(r, line->name);
  if (!section) return jn_tir_no_memory(r);
  *state = (tir_state){.place = place_of(line->name), .section = section};
  if (state->place == PLACE_FOREIGN)
    return jn_tir_unused(r, state->section, NULL, NULL, line->number);
  if (state->place != PLACE_LOAD && state->place != PLACE_BOTTOM) return JN_OK;
  const bool load = state->place == PLACE_LOAD;
  tir_rows *rows = load ? &r->load : &r->bottom;
  const bool replaced = r->instead && (load ? r->instead->deflection_load : r->instead->bottoming);
  jn_status st = JN_OK;
  if (rows->first_line && !replaced)
    st = jn_tir_replaced(r, section, "{pen fz}", rows->first_line,
                         "is given again in line %d, which is taken", line->number);
  rows->first_line = line->number;
  rows->n = 0;
  return st;
}

static jn_status read_number(tir_reader *r, const tir_state *state, const tir_line *line, int key)
{
  const char *name = key_of[key].name;
  double value = NAN;
  const tir_number kind = line->quoted ? TIR_NO_NUMBER : jn_tir_number(line->value, &value);
  if (r->out->line[key])
    return jn_fail(r->err, JN_E_SCHEMA, (jn_pos){r->scan.file, line->number, line->name.col}, name,
                   "is given twice, first in line %d", r->out->line[key]);
  if (kind == TIR_NOT_FINITE)
    return found(r, line, line->value, JN_E_RANGE, name, "a finite number");
  if (kind == TIR_NO_NUMBER) {
    // Files in use have `MASS = kg`, which harms nobody.
    if (key_of[key].use == READ_N) return pair_unused(r, state->section, line);
    return found(r, line, line->value, JN_E_SCHEMA, name,
                 line->quoted ? "a number (without quotes)" : "a number");
  }
  r->out->value[key] = value;
  r->out->line[key] = line->number;
  r->col[key] = line->value.col;
  return JN_OK;
}

static jn_status read_side(tir_reader *r, const tir_line *line)
{
  static const struct {
    const char *word;
    tir_side side;
    bool says_so;
  } words[] = {{"LEFT", TIR_LEFT, true},
               {"RIGHT", TIR_RIGHT, true},
               {"SYMMETRIC", TIR_EITHER, true},
               {"UNKNOWN", TIR_EITHER, false}};
  if (r->side_line)
    return jn_fail(r->err, JN_E_SCHEMA, (jn_pos){r->scan.file, line->number, line->name.col},
                   "TYRESIDE", "is given twice, first in line %d", r->side_line);
  r->side_line = line->number;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (jn_tir_same(line->value, words[i].word)) {
      r->out->side = words[i].side;
      r->out->has_side = words[i].says_so;
      return JN_OK;
    }
  return found(r, line, line->value, JN_E_SCHEMA, "TYRESIDE",
               "'LEFT', 'RIGHT', 'SYMMETRIC' or 'UNKNOWN'");
}

static jn_status read_format(tir_reader *r, const tir_line *line)
{
  if (r->format_line)
    return jn_fail(r->err, JN_E_SCHEMA, (jn_pos){r->scan.file, line->number, line->name.col},
                   "PROPERTY_FILE_FORMAT", "is given twice, first in line %d", r->format_line);
  r->format_line = line->number;
  r->format_col = line->value.col;
  r->out->format = keep(r, line->value);
  return r->out->format ? jn_tir_check_format(r) : jn_tir_no_memory(r);
}

static jn_status read_header(tir_reader *r, const tir_line *line)
{
  if (jn_tir_same(line->name, "FILE_TYPE") && !jn_tir_same(line->value, "tir"))
    return found(r, line, line->value, JN_E_SCHEMA, "FILE_TYPE", "'tir'");
  if (jn_tir_same(line->name, "FILE_FORMAT") && !jn_tir_same(line->value, "ASCII"))
    return found(r, line, line->value, JN_E_SCHEMA, "FILE_FORMAT", "'ASCII'");
  return JN_OK;
}

// A value that is not there counts as a key that is not there: files in use have `MFSAFE3 =`.
static jn_status read_pair(tir_reader *r, tir_state *state, const tir_line *line)
{
  int key = find_key(line->name);
  if (state->place == PLACE_FOREIGN) {
    if (key >= 0 && !r->stray[key].line)
      r->stray[key] = (tir_stray){line->number, line->name.col, state->section};
    return pair_unused(r, state->section, line);
  }
  if (line->trouble) return found(r, line, line->odd, JN_E_PARSE, NULL, line->trouble);
  if (state->place == PLACE_NONE)
    return found(r, line, line->name, JN_E_PARSE, NULL, "a [SECTION] before the first key");
  if (state->place == PLACE_LOAD || state->place == PLACE_BOTTOM)
    return found(r, line, line->name, JN_E_PARSE, state->section, "rows of two numbers");
  if (!line->value.length) return JN_OK;
  if (state->place == PLACE_HEADER) return read_header(r, line);
  if (state->place == PLACE_UNITS) {
    bool known;
    jn_status st = jn_tir_units_read(&r->units, r->scan.file, line, &known, r->err);
    return st || known ? st : pair_unused(r, state->section, line);
  }
  state->in_rows = false;
  if (jn_tir_same(line->name, "PROPERTY_FILE_FORMAT")) return read_format(r, line);
  if (jn_tir_same(line->name, "TYRESIDE")) return read_side(r, line);
  if (key < 0) key = find_alias(line->name);
  return key < 0 ? pair_unused(r, state->section, line) : read_number(r, state, line, key);
}

static jn_status read_row(tir_reader *r, tir_state *state, const tir_line *line)
{
  tir_rows *rows = state->place == PLACE_LOAD ? &r->load : &r->bottom;
  tir_span rest = line->name, word = {0};
  double value[2];
  if (rows->n == TIR_MOST_ROWS)
    return jn_fail(r->err, JN_E_LIMIT, (jn_pos){r->scan.file, line->number, line->name.col},
                   state->section, "is one row too many: at most %d are read", TIR_MOST_ROWS);
  for (int i = 0; i < 2; i++) {
    word = jn_tir_word(&rest);
    if (!word.length)
      return found(r, line, line->name, JN_E_PARSE, state->section, "a row of two numbers");
    const tir_number kind = jn_tir_number(word, &value[i]);
    if (kind != TIR_NUMBER)
      return found(r, line, word, kind == TIR_NOT_FINITE ? JN_E_RANGE : JN_E_SCHEMA, state->section,
                   kind == TIR_NOT_FINITE ? "a finite number" : "a number");
  }
  word = jn_tir_word(&rest);
  if (word.length)
    return found(r, line, word, JN_E_PARSE, state->section, "the end of a row of two numbers");
  rows->x[rows->n] = value[0];
  rows->y[rows->n] = value[1];
  rows->line[rows->n++] = line->number;
  return JN_OK;
}

static jn_status read_head(tir_reader *r, tir_state *state, const tir_line *line)
{
  if (state->place == PLACE_FOREIGN) return JN_OK;
  if (line->trouble) return found(r, line, line->odd, JN_E_PARSE, NULL, line->trouble);
  if (state->place == PLACE_NONE)
    return found(r, line, line->name, JN_E_PARSE, NULL, "a [SECTION] before the first table");
  if (state->place == PLACE_LOAD || state->place == PLACE_BOTTOM) {
    tir_span rest = line->name;
    const tir_span x = jn_tir_word(&rest), y = jn_tir_word(&rest);
    if (!jn_tir_same(x, "pen") || !jn_tir_same(y, "fz") || jn_tir_word(&rest).length)
      return found(r, line, line->name, JN_E_SCHEMA, state->section, "the columns {pen fz}");
    return JN_OK;
  }
  state->in_rows = true;
  if (state->place == PLACE_HEADER) return JN_OK;  // comments
  const char *name = keep(r, line->name);
  return name ? jn_tir_unused(r, state->section, name, NULL, line->number) : jn_tir_no_memory(r);
}

static jn_status read_text(tir_reader *r, tir_state *state, const tir_line *line)
{
  if (state->place == PLACE_FOREIGN || state->in_rows) return JN_OK;
  if (state->place == PLACE_LOAD || state->place == PLACE_BOTTOM) return read_row(r, state, line);
  return found(r, line, line->name, JN_E_PARSE, NULL,
               state->place == PLACE_NONE ? "a [SECTION]" : "KEY = value");
}

static jn_status read_lines(tir_reader *r)
{
  static jn_status (*const read_line[])(tir_reader *, tir_state *, const tir_line *) = {
      [TIR_LINE_SECTION] = read_section,
      [TIR_LINE_HEAD] = read_head,
      [TIR_LINE_PAIR] = read_pair,
      [TIR_LINE_TEXT] = read_text};
  tir_state state = {PLACE_NONE, "", false};
  for (;;) {
    tir_line line;
    bool more;
    jn_status st = jn_tir_scan_next(&r->scan, &line, &more, r->err);
    if (!st && more) st = read_line[line.kind](r, &state, &line);
    if (st || !more) return st;
  }
}

// ---- to SI ------------------------------------------------------------------------------------

// Files in use have a Q_RE0 of zero beside complete coefficients of forces.
static jn_status pass_over_zero(tir_reader *r, int key)
{
  const int line = r->out->line[key];
  if (!line || r->out->value[key] != 0.0 || jn_tir_is_replaced(r, key)) return JN_OK;
  r->out->line[key] = 0;
  return jn_tir_replaced(r, jn_tir_section(key), key_of[key].name, line, "is 0, taken as %g",
                         key_of[key].otherwise);
}

static jn_status convert_values(tir_reader *r)
{
  jn_status st = pass_over_zero(r, TIR_Q_RE0);
  if (st) return st;
  for (int i = 0; i < TIR_NKEY; i++) {
    double *value = &r->out->value[i];
    if (!r->out->line[i]) {
      *value = key_of[i].otherwise;
      continue;
    }
    *value = jn_tir_to_si(&r->units, key_of[i].quantity, *value);
    if (!isfinite(*value))
      return jn_fail(r->err, JN_E_RANGE, (jn_pos){r->scan.file, r->out->line[i], r->col[i]},
                     key_of[i].name, "is too large for a double in SI units");
  }
  return JN_OK;
}

static jn_status convert_table(tir_reader *r, const tir_rows *rows, tir_table *out)
{
  double *x = jn_pool_alloc(r->pool, (size_t)rows->n, sizeof *x);
  double *y = jn_pool_alloc(r->pool, (size_t)rows->n, sizeof *y);
  if (!x || !y) return jn_tir_no_memory(r);
  for (int i = 0; i < rows->n; i++) {
    x[i] = jn_tir_to_si(&r->units, TIR_Q_LENGTH, rows->x[i]);
    y[i] = jn_tir_to_si(&r->units, TIR_Q_FORCE, rows->y[i]);
    if (!isfinite(x[i]) || !isfinite(y[i]))
      return jn_fail(r->err, JN_E_RANGE, (jn_pos){r->scan.file, rows->line[i], 1}, NULL,
                     "a number of this row is too large for a double in SI units");
  }
  *out = (tir_table){rows->n, x, y};
  return JN_OK;
}

static jn_status parse(const char *text, size_t length, const char *file,
                       const tir_instead *instead, jn_pool *pool, jn_tir *out, jn_error *err)
{
  *out = (jn_tir){.file = jn_pool_text(pool, file), .format = "", .side = TIR_EITHER};
  tir_reader *r = jn_pool_alloc(pool, 1, sizeof *r);
  if (!out->file || !r) return jn_no_memory(err, (jn_pos){file, 0, 0});
  r->pool = pool;
  r->instead = instead;
  r->out = out;
  r->err = err;
  r->units = jn_tir_units_si();
  jn_status st = jn_tir_scan_begin(&r->scan, text, length, out->file, err);
  if (!st) st = read_lines(r);
  if (!st) st = convert_values(r);
  if (!st) st = convert_table(r, &r->load, &out->deflection_load);
  if (!st) st = convert_table(r, &r->bottom, &out->bottoming);
  return st ? st : jn_tir_check(r);
}

jn_status jn_tir_parse(const char *text, size_t length, const char *file, jn_pool *pool,
                       jn_tir *out, jn_error *err)
{
  return parse(text, length, file, NULL, pool, out, err);
}

// ---- from a file ------------------------------------------------------------------------------

// Looked at before it is opened, because opening a device may do something, and after, because it may
// have been another one; a pipe that nobody writes to must not keep us waiting.
static jn_status open_plain(const char *file, jn_pos pos, const char *about, int *in, jn_error *err)
{
  struct stat info;
  *in = -1;
  int failed = stat(file, &info);
  for (int look = 0; look < 2 && !failed; look++) {
    if (!S_ISREG(info.st_mode)) {
      if (*in >= 0) close(*in);
      *in = -1;
      return jn_fail(err, JN_E_FILE, pos, NULL, "%sis %s, expected a tyre property file", about,
                     S_ISDIR(info.st_mode) ? "a directory" : "a device, a pipe or a socket");
    }
    if (look) return JN_OK;
    *in = open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    failed = *in < 0 || fstat(*in, &info);
  }
  const int why = errno;
  if (*in >= 0) close(*in);
  *in = -1;
  return jn_fail(err, JN_E_FILE, pos, NULL, "%scannot be opened: %s", about, strerror(why));
}

// One byte more than allowed is enough to know that a file is too long.
static jn_status read_all(int in, jn_pos pos, const char *about, char **text, size_t *length,
                          jn_error *err)
{
  size_t room = 1 << 16;
  *text = malloc(room);
  *length = 0;
  while (*text) {
    const ssize_t n = read(in, *text + *length, room - *length);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0)
      return jn_fail(err, JN_E_FILE, pos, NULL, "%scannot be read: %s", about, strerror(errno));
    *length += (size_t)n;
    if (n == 0 || *length > TIR_MOST_BYTES) return JN_OK;
    if (*length < room) continue;
    char *more = realloc(*text, room *= 2);
    if (!more) break;
    *text = more;
  }
  return jn_no_memory(err, pos);
}

jn_status jn_tir_load(const char *file, jn_pos from, const tir_instead *instead, jn_pool *pool,
                      jn_tir *out, jn_error *err)
{
  const jn_pos pos = from.file ? from : (jn_pos){file, 0, 0};
  char about[200] = "", *text = NULL;
  size_t length = 0;
  int in;
  if (from.file) snprintf(about, sizeof about, "\"%s\" ", jn_quoted(file, strlen(file), 160).text);
  jn_status st = open_plain(file, pos, about, &in, err);
  if (!st) st = read_all(in, pos, about, &text, &length, err);
  if (in >= 0) close(in);
  if (!st) st = parse(text, length, file, instead, pool, out, err);
  free(text);
  return st;
}
