// result_csv.c: a record in comma-separated values, read: comments, one line of names, rows.
//
// A last line that does not end was being written when the run was killed: it is left out, because a number
// may be cut in the middle and still look like one.
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"
#include "report/result_internal.h"

enum { MOST_LINE = 16 << 20, CHUNK = 1 << 16 };  // bytes; of a line, and read at a time
static const int64_t MOST_BYTES = 1 << 30;

typedef struct reader {
  jn_result *r;
  int in;
  char chunk[CHUNK];
  size_t next, filled;  // of the chunk
  int64_t read;         // bytes so far
  char *line;
  size_t room, length;  // length: without the end of the line
  int at;               // number of the line, from 1
  char *units;          // the comment's, NULL: none
  int64_t capacity;
  jn_error *err;
} reader;

__attribute__((format(printf, 3, 4))) static jn_status wrong(const reader *w, size_t column,
                                                             const char *fmt, ...)
{
  char text[300];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  return jn_fail(w->err, JN_E_PARSE, (jn_pos){w->r->file, w->at, (int)column}, NULL, "%s", text);
}

static jn_status too_large(const jn_result *r, jn_error *err)
{
  return jn_fail(err, JN_E_LIMIT, (jn_pos){r->file, 0, 0}, NULL,
                 "is larger than 1 GB: read the same record in HDF5");
}

static jn_status fill_chunk(reader *w)
{
  ssize_t n;
  do {
    n = read(w->in, w->chunk, CHUNK);
  } while (n < 0 && errno == EINTR);
  if (n < 0)
    return jn_fail(w->err, JN_E_FILE, (jn_pos){w->r->file, 0, 0}, NULL, "cannot be read: %s",
                   strerror(errno));
  w->next = 0, w->filled = (size_t)n, w->read += n;
  return w->read <= MOST_BYTES ? JN_OK : too_large(w->r, w->err);
}

static jn_status append(reader *w, const char *from, size_t n)
{
  if (w->length + n > MOST_LINE)
    return jn_fail(w->err, JN_E_LIMIT, (jn_pos){w->r->file, w->at + 1, 1}, NULL,
                   "is a line of more than %d bytes", MOST_LINE);
  if (w->length + n + 1 > w->room) {
    const size_t room = 2 * (w->length + n) + 1;
    char *more = realloc(w->line, room);
    if (!more) return jn_result_out_of_memory(w->r, w->err);
    w->line = more, w->room = room;
  }
  memcpy(w->line + w->length, from, n);
  w->line[w->length += n] = 0;
  return JN_OK;
}

// The next whole line. *any is false if there is none.
static jn_status next_line(reader *w, bool *any)
{
  w->length = 0;
  for (*any = false; !*any;) {
    if (w->next == w->filled) {
      const jn_status st = fill_chunk(w);
      if (st || w->filled == 0) return st;
    }
    const char *from = w->chunk + w->next, *end = memchr(from, '\n', w->filled - w->next);
    const size_t n = end ? (size_t)(end - from) : w->filled - w->next;
    const jn_status st = append(w, from, n);
    if (st) return st;
    w->next += n + (end != NULL);
    *any = end != NULL;
  }
  if (w->length > 0 && w->line[w->length - 1] == '\r') w->line[--w->length] = 0;
  w->at++;
  return JN_OK;
}

// ---- comments --------------------------------------------------------------------------------------

// "NAME (FILE)", either of which may be absent.
static bool put_name(jn_result *r, char *text, const char *name, const char *file)
{
  const size_t n = strlen(text);
  char *open = strrchr(text, '(');
  if (open && n > 0 && text[n - 1] == ')') {
    text[n - 1] = 0;
    if (!jn_result_put(r, file, open + 1, NAN)) return false;
    if (open > text && open[-1] == ' ') open--;
    *open = 0;
  }
  return !*text || jn_result_put(r, name, text, NAN);
}

// "subsystem, ab3, projection, step 0.001 s, end 1 s"
static bool put_solver(jn_result *r, const char *text)
{
  char word[3][32];
  double step, end;
  if (sscanf(text, "%31[^,], %31[^,], %31[^,], step %lf s, end %lf s", word[0], word[1], word[2],
             &step, &end) != 5)
    return true;
  return jn_result_put(r, "formulation", word[0], NAN) &&
         jn_result_put(r, "integrator", word[1], NAN) &&
         jn_result_put(r, "stabilize", word[2], NAN) && jn_result_put(r, "step", NULL, step) &&
         jn_result_put(r, "end", NULL, end);
}

static char *behind(char *line, const char *begin)
{
  const size_t n = strlen(begin);
  return strncmp(line, begin, n) ? NULL : line + n;
}

static bool take_comment(reader *w)
{
  char *text;
  if ((text = behind(w->line, "# jounce "))) return jn_result_put(w->r, "jounce", text, NAN);
  if ((text = behind(w->line, "# model: "))) return put_name(w->r, text, "model", "model_file");
  if ((text = behind(w->line, "# scenario: ")))
    return put_name(w->r, text, "scenario", "scenario_file");
  if ((text = behind(w->line, "# solver: "))) return put_solver(w->r, text);
  if ((text = behind(w->line, "# units: ")))
    return (w->units = jn_pool_text(&w->r->pool, text)) != NULL;
  if ((text = behind(w->line, "# outcome: "))) return jn_result_put(w->r, "outcome", text, NAN);
  if ((text = behind(w->line, "# error: "))) return jn_result_put(w->r, "error", text, NAN);
  if ((text = behind(w->line, "# doubt: "))) return jn_result_put(w->r, "doubt", text, NAN);
  return true;  // somebody's own
}

// ---- names -----------------------------------------------------------------------------------------

static int count_fields(const char *line)
{
  int n = 1;
  for (; *line; line++) n += *line == ',';
  return n;
}

// The field that begins here, as a text of its own; *at moves behind it.
static const char *take_field(jn_result *r, const char **at)
{
  const size_t n = strcspn(*at, ",");
  const char *text = jn_pool_text_n(&r->pool, *at, n);
  *at += n + ((*at)[n] == ',');
  return text;
}

static bool is_utf8(const char *text)
{
  const unsigned char *s = (const unsigned char *)text;
  for (size_t left = strlen(text); left > 0;) {
    unsigned code;
    const size_t n = jn_utf8_next(s, left, &code);
    if (n == 0 || code < 0x20) return false;
    s += n, left -= n;
  }
  return true;
}

static jn_status take_names(reader *w)
{
  jn_result *r = w->r;
  const char *name = w->line, *unit = w->units;
  if (strlen(w->line) != w->length || !is_utf8(w->line))
    return wrong(w, 1, "is no result: expected names of channels");
  if (strncmp(w->line, "time", 4) || (w->line[4] && w->line[4] != ',')) {
    return wrong(w, 1, "found \"%s\", expected names of channels, of which \"time\" is the first",
                 jn_quoted(w->line, strcspn(w->line, ","), 64).text);
  }
  r->nchannel = count_fields(w->line);
  if (unit && count_fields(unit) != r->nchannel)
    return wrong(w, 1, "has %d names, and units of %d channels stand above it", r->nchannel,
                 count_fields(unit));
  r->channel = jn_pool_alloc(&r->pool, (size_t)r->nchannel, sizeof *r->channel);
  if (!r->channel) return jn_result_out_of_memory(r, w->err);
  for (int i = 0; i < r->nchannel; i++) {
    jn_channel *c = &r->channel[i];
    *c = (jn_channel){take_field(r, &name), unit ? take_field(r, &unit) : "", "", 0};
    if (!c->name || !c->unit) return jn_result_out_of_memory(r, w->err);
    if (!c->name[0]) return wrong(w, (size_t)(name - w->line), "column %d has no name", i + 1);
  }
  return JN_OK;
}

// ---- rows ------------------------------------------------------------------------------------------

static jn_status make_room(reader *w)
{
  jn_result *r = w->r;
  if (r->rows < w->capacity) return JN_OK;
  w->capacity = 2 * w->capacity + 256;
  double *more = realloc(r->row, (size_t)(w->capacity * r->nchannel) * sizeof *more);
  if (!more) return jn_result_out_of_memory(r, w->err);
  r->row = more;
  return JN_OK;
}

static jn_status take_row(reader *w)
{
  jn_result *r = w->r;
  char *at = w->line;
  jn_status st = make_room(w);
  if (st) return st;
  double *row = r->row + r->rows * r->nchannel;
  for (int i = 0; i < r->nchannel; i++) {
    char *end;
    const size_t column = (size_t)(at - w->line) + 1;
    row[i] = strtod(at, &end);
    if (end == at || (*end && *end != ','))
      return wrong(w, column, "found \"%s\", expected a number: %s",
                   jn_quoted(at, strcspn(at, ","), 64).text, r->channel[i].name);
    if (!*end && i + 1 < r->nchannel)
      return wrong(w, column, "has %d numbers, expected %d", i + 1, r->nchannel);
    if (*end && i + 1 == r->nchannel)
      return wrong(w, (size_t)(end - w->line) + 1, "has more than %d numbers", r->nchannel);
    at = end + (*end == ',');
  }
  if (at != w->line + w->length) return wrong(w, (size_t)(at - w->line) + 1, "holds a zero byte");
  r->rows++;
  return JN_OK;
}

static jn_status take_all(reader *w)
{
  bool named = false, any = true;
  jn_status st = next_line(w, &any);
  for (; !st && any; st = st ? st : next_line(w, &any)) {
    if (w->line[0] == '#') {
      if (!take_comment(w)) st = jn_result_out_of_memory(w->r, w->err);
      continue;
    }
    st = named ? take_row(w) : take_names(w);
    named = true;
  }
  if (!st && !named)
    st = jn_fail(w->err, JN_E_PARSE, (jn_pos){w->r->file, 0, 0}, NULL,
                 "is no result: it has no line of names of channels");
  if (!st && !w->r->rows)
    st = jn_fail(w->err, JN_E_PARSE, (jn_pos){w->r->file, 0, 0}, NULL, "has no row");
  return st;
}

jn_status jn_result_open_csv(jn_result *r, int in, jn_error *err)
{
  struct stat is;
  if (!fstat(in, &is) && is.st_size > MOST_BYTES) return too_large(r, err);
  reader *w = calloc(1, sizeof *w);
  // Numbers have dots, whatever the process's locale has.
  const locale_t plain = w ? newlocale(LC_NUMERIC_MASK, "C", (locale_t)0) : (locale_t)0;
  const locale_t was = plain ? uselocale(plain) : (locale_t)0;
  if (w) w->r = r, w->in = in, w->err = err;
  jn_status st = plain ? take_all(w) : jn_result_out_of_memory(r, err);
  if (plain) {
    uselocale(was);
    freelocale(plain);
  }
  if (w) free(w->line);
  free(w);
  return st;
}
