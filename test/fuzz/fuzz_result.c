// fuzz_result.c: any bytes as a result, HDF5 or CSV. They are refused with a message, or they are a result: then all that it
// says of itself holds, every row can be read or is refused, and it makes a report that is well-formed and from whose data
// elements nothing gets out, whatever its names are.
#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/check.h"
#include "fuzz/mutate.h"
#include "jounce/report.h"
#include "jounce/result.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

static char folder[] = "/tmp/jounce-fuzz-XXXXXX";
static char result_file[64], page_file[64];

static void leave(void)
{
  remove(result_file), remove(page_file), rmdir(folder);
}

static void enter(void)
{
  if (result_file[0]) return;
  CHECK(mkdtemp(folder), "no folder\n");
  snprintf(result_file, sizeof result_file, "%s/r.h5", folder);
  snprintf(page_file, sizeof page_file, "%s/r.html", folder);
  atexit(leave);
}

// ---- what it says of itself -------------------------------------------------------------------------------

static void check_rows(jn_result *r, int64_t first, int64_t stride, int64_t count)
{
  const int n = jn_result_channel_count(r), bodies = jn_result_body_count(r);
  double *all = malloc(((size_t)n + 7 * (size_t)bodies) * (size_t)count * sizeof *all), one = 0.0;
  jn_error err = {0};
  CHECK(all, "no memory\n");
  const jn_status st = jn_result_read_all(r, first, stride, count, all, &err);
  if (st) check_error(st, &err);
  for (int c = 0; c < n && c < 3 && !st; c++) {
    CHECK(!jn_result_read(r, c, first, 1, 1, &one, &err), "channel %d: %s\n", c, err.text);
    CHECK(!memcmp(&one, &all[c], sizeof one), "channel %d: %g, then %g\n", c, all[c], one);
  }
  const jn_status moved = jn_result_motion(r, first, stride, count, all, &err);
  if (moved) check_error(moved, &err);
  free(all);
}

static void check_names(const jn_result *r)
{
  CHECK(jn_result_rows(r) > 0 && jn_result_channel_count(r) > 0, "nothing in it\n");
  for (int i = 0; i < jn_result_channel_count(r); i++) {
    const jn_channel c = jn_result_channel_at(r, i);
    CHECK(c.name && c.unit && c.help, "channel %d\n", i);
    CHECK(jn_result_channel_find(r, c.name) <= i, "channel %d is not found\n", i);
  }
  for (int i = 0; i < jn_result_body_count(r); i++)
    CHECK(jn_result_body_name(r, i), "body %d\n", i);
  (void)jn_result_text(r, "outcome"), (void)jn_result_number(r, "step");
}

static void check_reading(jn_result *r)
{
  const int64_t rows = jn_result_rows(r);
  double x;
  jn_error err = {0};
  check_rows(r, 0, 1, rows < 3 ? rows : 3);
  check_rows(r, rows - 1, 1, 1);
  if (rows > 2) check_rows(r, 0, rows - 1, 2);
  CHECK(jn_result_read(r, 0, rows, 1, 1, &x, &err) == JN_E_CALL, "a row behind the last\n");
}

// ---- its page ---------------------------------------------------------------------------------------------

static char *read_page(size_t *n)
{
  FILE *in = fopen(page_file, "rb");
  CHECK(in && !fseek(in, 0, SEEK_END), "no page\n");
  *n = (size_t)ftell(in);
  rewind(in);
  char *text = calloc(1, *n + 1);
  CHECK(text && fread(text, 1, *n, in) == *n, "no page\n");
  fclose(in);
  CHECK(strlen(text) == *n, "a zero byte in the page\n");
  return text;
}

static const char *after(const char *text, const char *words)
{
  const char *at = strstr(text, words);
  CHECK(at, "the page has no %s\n", words);
  return at + strlen(words);
}

// The two elements with data stand one after the other; in the first is nothing but digits, in the second one JSON object
// without a character that could end it.
static void check_page(jn_result *r)
{
  jn_error err = {0};
  jn_report report;
  const jn_status st = jn_report_write(r, page_file, &report, &err);
  if (st) {
    check_error(st, &err);
    return;
  }
  size_t n = 0;
  char *page = read_page(&n);
  const char *at = after(page, "<script type=\"text/plain\" id=\"data\">");
  while (isalnum((unsigned char)*at) || *at == '+' || *at == '/') at++;
  static const char between[] = "</script>\n<script type=\"application/json\" id=\"about\">";
  CHECK(!strncmp(at, between, strlen(between)), "data: %.40s\n", at);
  at += strlen(between);
  const size_t length = strcspn(at, "<");
  CHECK(!strncmp(at + length, "</script>", 9), "about: %.40s\n", at + length);
  for (size_t i = 0; i < length; i++) CHECK(at[i] >= 0x20, "about: byte %d\n", at[i]);
  json_error_t why;
  json_t *about = json_loadb(at, length, JSON_REJECT_DUPLICATES, &why);
  CHECK(json_is_object(about), "about: %s\n", why.text);
  const json_t *list = json_object_get(about, "channels");
  CHECK((int)json_array_size(list) == report.channels, "%d channels\n", report.channels);
  for (size_t i = 0; i < json_array_size(list); i++)
    CHECK(json_is_string(json_object_get(json_array_get(list, i), "name")), "channel %zu\n", i);
  json_decref(about);
  free(page);
  remove(page_file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  enter();
  FILE *out = fopen(result_file, "wb");
  CHECK(out && fwrite(data, 1, size, out) == size && !fclose(out), "it cannot be written\n");
  jn_error err = {0};
  jn_result *r = NULL;
  const jn_status st = jn_result_open(result_file, &r, &err);
  CHECK(!st == !!r, "status %d\n", (int)st);
  if (st) {
    check_error(st, &err);
    return 0;
  }
  check_names(r);
  check_reading(r);
  check_page(r);
  jn_result_free(r);
  return 0;
}

// ---- changes that keep a result near a result -----------------------------------------------------------

static const char *const pieces[] = {"</script>",
                                     "<!--",
                                     "]]>",
                                     "<script>",
                                     "\\u003c/script>",
                                     "\"",
                                     "\\",
                                     "\x01",
                                     "\xff",
                                     "\xc0\xaf",
                                     "\xed\xa0\x80",
                                     "\xe2\x80\xa8",
                                     "\xf0\x9f\x9a\x97",
                                     "&lt;",
                                     "{",
                                     "time",
                                     "# units: ",
                                     "# model: ",
                                     "# solver: a, b, c, step 1 s, end 1e999 s",
                                     "nan",
                                     "inf",
                                     "-0",
                                     "1e999",
                                     "0x1p3",
                                     "1e-400",
                                     ",",
                                     "\n",
                                     "\r\n",
                                     ",,",
                                     "()"};
enum { NPIECE = sizeof pieces / sizeof *pieces };

static size_t change_word_or_number(uint8_t *data, size_t size, size_t most, unsigned *state)
{
  return change_word(data, size, most, state, pieces, NPIECE);
}

static size_t add(uint8_t *data, size_t size, size_t most, unsigned *state)
{
  return add_piece(data, size, most, state, pieces, NPIECE);
}

static size_t change_line(uint8_t *data, size_t size, size_t most, unsigned *state)
{
  size_t length, old, from = find_line(data, size, state, &length);
  if (pick(state, 3) == 0) return splice(data, size, most, from, length, "", 0);
  const size_t at = find_line(data, size, state, &old);
  return splice(data, size, most, at, pick(state, 2) ? old : 0, data + from, length);
}

// HDF5 has its places by address: what is changed there keeps its length. Lengths, offsets and counts are numbers of one to eight
// bytes; names are read best as what they end a page with.
static size_t change_in_place(uint8_t *data, size_t size, unsigned *state)
{
  static const uint8_t odd[] = {0, 1, 2, 3, 4, 7, 8, 0x10, 0x18, 0x40, 0x7f, 0x80, 0xfe, 0xff};
  for (unsigned times = 1 + pick(state, 3); times > 0; times--) {
    const size_t at = pick(state, size);
    const char *piece = pieces[pick(state, NPIECE)];
    switch (pick(state, 4)) {
      case 0:
        data[at] ^= (uint8_t)(1u << pick(state, 8));
        break;
      case 1:
        for (size_t i = at, n = 1u << pick(state, 4); i < size && n > 0; i++, n--) data[i] = 0xff;
        break;
      case 2:
        data[at] = odd[pick(state, sizeof odd)];
        break;
      default:  // over a text, of which a result is full
        for (size_t i = at; *piece && i < size && isprint(data[i]);) data[i++] = (uint8_t)*piece++;
    }
  }
  if (pick(state, 50) == 0) size = 1 + pick(state, size);  // cut off
  return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
  static const mutation some[] = {add, change_line, change_word_or_number, change_word_or_number};
  unsigned state = seed;
  if (size > 4 && !memcmp(data, "\211HDF", 4)) return change_in_place(data, size, &state);
  return mutate(data, size, most, seed, some, sizeof some / sizeof *some);
}
