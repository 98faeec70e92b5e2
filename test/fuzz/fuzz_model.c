// fuzz_model.c: any bytes as a model. They are refused with a message, or they are a model; then it
// prints as a text that reads back as the same text, and it compiles or is refused. Bytes with the word
// "scenario" are tried as a scenario too; its inputs then are functions of time, or are refused.
//
// Input that begins with "#set " has overrides in its first line, with tabs between them.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jounce/jounce.h"
#include "signal/signal.h"

enum { MOST_SETS = 4 };

#define CHECK(condition, ...)                                            \
  do {                                                                   \
    if (!(condition)) {                                                  \
      fprintf(stderr, "%s: ", #condition), fprintf(stderr, __VA_ARGS__); \
      abort();                                                           \
    }                                                                    \
  } while (0)

// A refusal says what and where, in one line of printable text.
static void check_error(jn_status st, const jn_error *err)
{
  char line[1024];
  CHECK(err->code == st && st < 0, "code %d, status %d\n", (int)err->code, (int)st);
  CHECK(err->text[0], "no text\n");
  CHECK(err->line >= 0 && err->col >= 0 && !err->line == !err->col, "%d:%d\n", err->line, err->col);
  jn_error_line(err, line, sizeof line);
  for (const char *s = line; *s; s++)
    CHECK((unsigned char)*s >= 0x20 && *s != 0x7f, "control character in: %s\n", line);
}

static void check_print(const jn_spec *spec)
{
  char *text = NULL, *again = NULL;
  unsigned long length = 0, second = 0;
  jn_spec *copy = NULL;
  jn_error err = {0};
  CHECK(!jn_spec_print(spec, &text, &length, &err), "%s\n", err.text);
  jn_status st = jn_spec_parse(text, length, "printed.yaml", NULL, 0, &copy, &err);
  CHECK(!st, "%d:%d %s: %s\n%s\n", err.line, err.col, err.path, err.text, text);
  CHECK(!jn_spec_print(copy, &again, &second, &err), "%s\n", err.text);
  CHECK(length == second && !memcmp(text, again, length), "\n%s\n%s\n", text, again);
  free(text);
  free(again);
  jn_spec_free(copy);
}

// No number that is none: as a word of its own, since names may hold these letters.
static void check_numbers(const char *text)
{
  static const char *const none[] = {"nan", "inf"};
  for (int i = 0; i < 2; i++)
    for (const char *s = text; (s = strstr(s, none[i])); s++) {
      bool begins = s == text || strchr(" -[,:", s[-1]);
      CHECK(!begins || (s[3] && !strchr(" ,]\n", s[3])), "%s\n", text);
    }
}

static void check_compile(const jn_spec *spec)
{
  jn_model *model = NULL;
  jn_error err = {0};
  jn_status st = jn_model_compile(spec, NULL, &model, &err);
  CHECK(!st == !!model, "status %d\n", (int)st);
  if (st) {
    check_error(st, &err);
    check_numbers(err.text);
    return;
  }
  jn_model_counts n = jn_model_count(model);
  CHECK(n.dof == n.coordinates - n.constraints + n.redundant && n.dof >= 0 && n.redundant >= 0,
        "%d coordinates - %d constraints + %d redundant = %d\n", n.coordinates, n.constraints,
        n.redundant, n.dof);
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  CHECK(out && !jn_model_show_json(model, out, &err), "%s\n", err.text);
  jn_model_show_text(model, out);
  jn_model_show_dot(model, out);
  fclose(out);
  check_numbers(text);
  free(text);
  jn_model_free(model);
}

static void check_signal(const jn_signal_spec *spec)
{
  enum { MOST_KINKS = 64 };
  static const double times[] = {-1.0, 0.0, 1e-3, 0.5, 1.0, 2.0, 10.0, 1e6};
  double *table = malloc(jn_signal_doubles(spec) * sizeof *table), at[MOST_KINKS];
  jn_error err = {0};
  CHECK(table, "no memory\n");
  jn_status st = jn_signal_build(table, spec, &err);
  if (st) check_error(st, &err);
  for (size_t i = 0; i < sizeof times / sizeof *times && !st; i++) {
    jn_signal_value v = jn_signal_at(table, times[i]);
    (void)v;  // may overflow far from its points, but must not trap
  }
  int n = jn_signal_kinks(spec, 0.0, 10.0, NULL);
  CHECK(n >= 0, "%d kinks\n", n);
  if (n <= MOST_KINKS) {
    CHECK(jn_signal_kinks(spec, 0.0, 10.0, at) == n, "not %d kinks again\n", n);
    for (int i = 0; i < n; i++)
      CHECK(at[i] > (i ? at[i - 1] : 0.0) && at[i] < 10.0, "kink %d at %g\n", i, at[i]);
  }
  free(table);
}

static void check_scenario(const char *text, size_t size)
{
  jn_error err = {0};
  jn_scenario *scenario = NULL;
  jn_status st = jn_scenario_parse(text, size, "/nowhere/fuzz.yaml", &scenario, &err);
  CHECK(!st == !!scenario, "status %d\n", (int)st);
  if (st) {
    check_error(st, &err);
    return;
  }
  const jn_solver_spec *s = &scenario->solver;
  CHECK(s->end > 0.0 && s->step > 0.0 && s->step <= s->end && s->end / s->step <= 1e12,
        "step %g, end %g\n", s->step, s->end);
  for (int i = 0; i < scenario->ninput; i++) check_signal(&scenario->input[i]);
  jn_scenario_free(scenario);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);  // libFuzzer's own

static bool has_word(const char *text, size_t size, const char *word)
{
  size_t n = strlen(word);
  for (size_t i = 0; i + n <= size; i++)
    if (!memcmp(text + i, word, n)) return true;
  return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const char *text = (const char *)data, *set[MOST_SETS];
  char first[4096];
  int nset = 0;
  const char *end = size > 5 && !memcmp(text, "#set ", 5) ? memchr(text, '\n', size) : NULL;
  if (end && (size_t)(end - text) < sizeof first) {
    size_t length = (size_t)(end - text);
    memcpy(first, text, length);
    first[length] = 0;
    for (char *s = strtok(first + 5, "\t"); s && nset < MOST_SETS; s = strtok(NULL, "\t"))
      set[nset++] = s;
  }
  if (has_word(text, size, "scenario")) check_scenario(text, size);
  jn_error err = {0};
  jn_spec *spec = NULL;
  jn_status st = jn_spec_parse(text, size, "/nowhere/fuzz.yaml", set, nset, &spec, &err);
  CHECK(!st == !!spec, "status %d\n", (int)st);
  if (st) {
    check_error(st, &err);
    return 0;
  }
  check_print(spec);
  check_compile(spec);
  jn_spec_free(spec);
  return 0;
}

// ---- changes that keep a model near a model -----------------------------------------------------
// Changed bytes seldom get past the reader. Three times in four, words or lines are changed instead.

static unsigned pick(unsigned *state, size_t n)  // below n
{
  *state = *state * 1664525u + 1013904223u;
  return (unsigned)((uint64_t)(*state >> 8) * n >> 24);
}

static bool is_word(uint8_t c)
{
  return c == '_' || c == '-' || c == '.' || c == '+' || (c >= '0' && c <= '9') ||
         (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// A word at random: its begin and its length, which is 0 if there is none.
static size_t find_word(const uint8_t *data, size_t size, unsigned *state, size_t *length)
{
  size_t at = pick(state, size);
  while (at < size && !is_word(data[at])) at++;
  while (at > 0 && at < size && is_word(data[at - 1])) at--;
  for (*length = 0; at + *length < size && is_word(data[at + *length]);) ++*length;
  return at;
}

static size_t find_line(const uint8_t *data, size_t size, unsigned *state, size_t *length)
{
  size_t at = pick(state, size);
  while (at > 0 && data[at - 1] != '\n') at--;
  for (*length = 0; at + *length < size && data[at + (*length)++] != '\n';) continue;
  return at;
}

// `old` bytes at `at` give way to `length` bytes of `text`, which may be a part of data.
static size_t splice(uint8_t *data, size_t size, size_t most, size_t at, size_t old,
                     const void *text, size_t length)
{
  uint8_t copy[4096];
  if (length > sizeof copy || size - old + length > most) return size;
  memcpy(copy, text, length);
  memmove(data + at + length, data + at + old, size - at - old);
  memcpy(data + at, copy, length);
  return size - old + length;
}

static size_t change_word(uint8_t *data, size_t size, size_t most, unsigned *state)
{
  static const char *const words[] = {"0",
                                      "-0",
                                      "1",
                                      "-1",
                                      "1e-300",
                                      "1e-9",
                                      "1e-99",
                                      "1e99",
                                      "1e8",
                                      "-1e8",
                                      "1e300",
                                      "5e-324",
                                      "0.3",
                                      "3.14159265358979",
                                      "auto",
                                      "true",
                                      "fixed",
                                      "revolute",
                                      "screw",
                                      "spherical",
                                      "universal",
                                      "planar",
                                      "free",
                                      "distance",
                                      "cylindrical",
                                      "translational",
                                      "no-rotation",
                                      "spherical-revolute",
                                      "spherical-translational",
                                      "ground",
                                      "a",
                                      "b",
                                      "p",
                                      "q",
                                      "tsda",
                                      "rsda",
                                      "bushing",
                                      "servo",
                                      "wheel",
                                      "sae",
                                      "dads",
                                      "mm",
                                      "deg",
                                      "parent",
                                      "base",
                                      "cut",
                                      "motion",
                                      "lead",
                                      "orientation",
                                      "initial",
                                      "never",
                                      "scenario",
                                      "table",
                                      "chirp",
                                      "end",
                                      "lag",
                                      "offset",
                                      "spring_polynomial"};
  size_t old, length, at = find_word(data, size, state, &old);
  if (pick(state, 3) == 0) {
    size_t from = find_word(data, size, state, &length);
    return splice(data, size, most, at, old, data + from, length);
  }
  const char *word = words[pick(state, sizeof words / sizeof *words)];
  return splice(data, size, most, at, old, word, strlen(word));
}

static size_t add_yaml(uint8_t *data, size_t size, size_t most, unsigned *state)
{
  static const char *const pieces[] = {
      "\n",   "\n  ",       "\n- ",    " ",     "\t",        "\r\n",     "\n\n",     "# ",
      " #",   "- ",         "? ",      ": ",    ", ",        "[",        "]",        "{",
      "}",    "&a ",        "*a ",     "!a ",   "! ",        "|\n",      ">\n",      "|1\n ",
      ">+2",  "|-\n",       "\"",      "'",     "''",        "\\n",      "\\u",      "\\x8",
      "\\\n", "%",          "@",       "---\n", "...\n",     "\xc3\xa9", "\xc2\x85", "~",
      "<<: ", "\"a\\x85\"", "'it''s'", "\na: ", "          "};
  const char *piece = pieces[pick(state, sizeof pieces / sizeof *pieces)];
  return splice(data, size, most, pick(state, size + 1), 0, piece, strlen(piece));
}

static size_t change_line(uint8_t *data, size_t size, size_t most, unsigned *state)
{
  size_t length, old, from = find_line(data, size, state, &length);
  if (pick(state, 3) == 0) return splice(data, size, most, from, length, "", 0);
  size_t at = find_line(data, size, state, &old);
  size_t now = splice(data, size, most, at, 0, data + from, length);
  if (now == size) return size;
  size_t colon = at;  // a name of its own, lest it stand there twice
  while (colon < now && data[colon] != ':' && data[colon] != '\n') colon++;
  const char digit = (char)('0' + pick(state, 10));
  return splice(data, now, most, colon, 0, &digit, 1);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
  unsigned state = seed;
  if (size == 0 || pick(&state, 4) == 0) return LLVMFuzzerMutate(data, size, most);
  for (unsigned n = 1 + pick(&state, 3); n > 0 && size > 0; n--) switch (pick(&state, 6)) {
      case 0:
        size = add_yaml(data, size, most, &state);
        break;
      case 1:
      case 2:
        size = change_line(data, size, most, &state);
        break;
      default:
        size = change_word(data, size, most, &state);
    }
  return size ? size : LLVMFuzzerMutate(data, size, most);
}
