// fuzz_tir.c: any bytes as a tyre property file. They are refused with a message, or they are a tyre: then
// each value is a number or absent, and the tyre, written down in SI units, reads back as itself.
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "fuzz/check.h"
#include "fuzz/mutate.h"
#include "tir/tir.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

// Lines end with LF, CR LF or CR.
static int count_lines(const char *text, size_t size)
{
  int n = 1;
  for (size_t i = 0; i < size; i++) n += text[i] == '\n' || text[i] == '\r';
  return n;
}

static void check_values(const jn_tir *t, int lines)
{
  for (int i = 0; i < TIR_NKEY; i++) {
    CHECK(t->line[i] >= 0 && t->line[i] <= lines, "%s in line %d\n", jn_tir_key(i), t->line[i]);
    CHECK(isfinite(t->value[i]) || (!t->line[i] && isnan(t->value[i])), "%s is %g\n", jn_tir_key(i),
          t->value[i]);
  }
  CHECK(t->version == 52 || t->version == 61, "version %d\n", t->version);
  CHECK(t->value[TIR_UNLOADED_RADIUS] > 0.0 && t->value[TIR_FNOMIN] > 0.0, "no radius or load\n");
  CHECK(t->value[TIR_VERTICAL_STIFFNESS] > 0.0 || t->value[TIR_Q_FZ1] > 0.0 || t->deflection_load.n,
        "no stiffness\n");
  CHECK(t->value[TIR_LFZO] > 0.0 && t->value[TIR_LONGVL] > 0.0, "nothing to scale with\n");
  const double mode = fabs(t->value[TIR_USE_MODE]);
  CHECK(mode <= 24.0 && fmod(mode, 10.0) <= 4.0, "mode %g\n", mode);
  for (int i = 0; i < t->nunused; i++) {
    const tir_item *item = &t->unused[i];
    CHECK(item->section && item->text && item->line > 0 && item->line <= lines, "item %d\n", i);
  }
}

static void check_table(const tir_table *t)
{
  CHECK(t->n == 0 || (t->n >= 2 && t->n <= 31), "%d rows\n", t->n);
  for (int i = 0; i < t->n; i++) {
    CHECK(isfinite(t->x[i]) && isfinite(t->y[i]) && t->x[i] >= 0.0 && t->y[i] >= 0.0, "row %d\n",
          i);
    CHECK(!i || (t->x[i] > t->x[i - 1] && t->y[i] >= t->y[i - 1]), "row %d falls\n", i);
  }
}

static void write_table(FILE *out, const char *section, const tir_table *t)
{
  if (t->n) fprintf(out, "[%s]\n{pen fz}\n", section);
  for (int i = 0; i < t->n; i++) fprintf(out, "%.17g %.17g\n", t->x[i], t->y[i]);
}

static char *write_down(const jn_tir *t, size_t *length)
{
  static const char *const sides[] = {"LEFT", "RIGHT", "SYMMETRIC"};
  char *text = NULL;
  FILE *out = open_memstream(&text, length);
  CHECK(out, "no memory\n");
  fprintf(out, "[MODEL]\nTYRESIDE = '%s'\n", t->has_side ? sides[t->side] : "UNKNOWN");
  if (t->format[0]) fprintf(out, "PROPERTY_FILE_FORMAT = '%s'\n", t->format);
  for (int i = 0; i < TIR_NKEY; i++)
    if (t->line[i])
      fprintf(out, "[%s]\n%s = %.17g\n", jn_tir_section(i), jn_tir_key(i), t->value[i]);
  write_table(out, "DEFLECTION_LOAD_CURVE", &t->deflection_load);
  write_table(out, "BOTTOMING_CURVE", &t->bottoming);
  fclose(out);
  return text;
}

static bool same_table(const tir_table *a, const tir_table *b)
{
  const size_t size = (size_t)a->n * sizeof *a->x;
  return a->n == b->n && !memcmp(a->x, b->x, size) && !memcmp(a->y, b->y, size);
}

static void check_again(const jn_tir *t, jn_pool *pool)
{
  size_t length = 0;
  char *text = write_down(t, &length);
  jn_tir again;
  jn_error err = {0};
  CHECK(!jn_tir_parse(text, length, "written.tir", pool, &again, &err), "%d:%d %s: %s\n%s\n",
        err.line, err.col, err.path, err.text, text);
  CHECK(again.version == t->version && again.fittyp == t->fittyp && again.side == t->side &&
            again.has_side == t->has_side,
        "another version or side\n%s\n", text);
  for (int i = 0; i < TIR_NKEY; i++)
    CHECK(
        !again.line[i] == !t->line[i] && !memcmp(&again.value[i], &t->value[i], sizeof t->value[i]),
        "%s: %.17g, then %.17g\n%s\n", jn_tir_key(i), t->value[i], again.value[i], text);
  CHECK(same_table(&t->deflection_load, &again.deflection_load) &&
            same_table(&t->bottoming, &again.bottoming),
        "other tables\n%s\n", text);
  CHECK(again.nunused == 0, "%d items are not used\n%s\n", again.nunused, text);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  jn_pool pool = {0};
  jn_tir tir;
  jn_error err = {0};
  const char *text = (const char *)data;
  const int lines = count_lines(text, size);
  const jn_status st = jn_tir_parse(text, size, "fuzz.tir", &pool, &tir, &err);
  if (st) {
    check_error(st, &err);
    CHECK(err.line <= lines && err.col <= (int)size + 1, "%d:%d\n", err.line, err.col);
  } else {
    check_values(&tir, lines);
    check_table(&tir.deflection_load);
    check_table(&tir.bottoming);
    check_again(&tir, &pool);
  }
  jn_pool_free(&pool);
  return 0;
}

// ---- changes that keep a tyre near a tyre -------------------------------------------------------

static size_t change_value(uint8_t *data, size_t size, size_t most, unsigned *state)
{
  static const char *const words[] = {
      "0",     "-0",       "1",      "-1",        "1e-300", "1e-9",  "1D3",   "+.5E-1",
      "1.",    "1e300",    "5e-324", "0.3",       "4000",   "14",    "114",   "-24",
      "61",    "62",       "6",      "52",        "meter",  "mm",    "inch",  "newton",
      "kgf",   "degrees",  "slug",   "minute",    "bar",    "psi",   "kPa",   "PAC2002",
      "MF_05", "LEFT",     "RIGHT",  "SYMMETRIC", "nan",    "MODEL", "UNITS", "SHAPE",
      "",      "PRESSURE", "QFZ1",   "IP",        "IP_NOM", "fz",    "pen",   "MF_TYRE"};
  return change_word(data, size, most, state, words, sizeof words / sizeof *words);
}

static size_t add_mark(uint8_t *data, size_t size, size_t most, unsigned *state)
{
  static const char *const pieces[] = {"\n",
                                       "\r\n",
                                       "\r",
                                       "\t",
                                       " ",
                                       "$",
                                       "!",
                                       "'",
                                       "\"",
                                       "=",
                                       "{pen fz}\n",
                                       "[VENDOR]\n",
                                       "(COMMENTS)\n",
                                       "0 0\n",
                                       "\xe9",
                                       "\xef\xbb\xbf",
                                       "\x1a"};
  return add_piece(data, size, most, state, pieces, sizeof pieces / sizeof *pieces);
}

// Away with a line, or a new one for any key: a key that stands there twice is an error.
static size_t change_line(uint8_t *data, size_t size, size_t most, unsigned *state)
{
  size_t length, at = find_line(data, size, state, &length);
  if (pick(state, 3) == 0) return splice(data, size, most, at, length, "", 0);
  char line[64];
  snprintf(line, sizeof line, "%s = %g\n", jn_tir_key((int)pick(state, TIR_NKEY)),
           0.25 * (double)pick(state, 64) - 2.0);
  return splice(data, size, most, at, 0, line, strlen(line));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
  static const mutation some[] = {add_mark,     change_line,  change_line,
                                  change_value, change_value, change_value};
  return mutate(data, size, most, seed, some, sizeof some / sizeof *some);
}
