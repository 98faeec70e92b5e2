// tyre_table.c: forces of a tyre at the points of a CSV file.
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/error.h"
#include "jounce/tyre.h"
#include "report/output.h"
#include "report/plain_file.h"
#include "run/tyre_alone.h"

enum { NCOLUMN = 6, PRESSURE = 4, MOST_COLUMNS = 256, MOST_BYTES = 1 << 30 };

static const char *const columns[NCOLUMN] = {"kappa", "alpha_rad", "gamma_rad",
                                             "Fz_N",  "p_Pa",      "vx_mps"};

typedef struct reading {
  const char *file;
  char *text;  // all of it; cells are cut out in place
  size_t length;
  int line;
  int column[NCOLUMN];  // which cell of a row, -1: not seen
  int ncell;            // of the line with the names
  double (*point)[NCOLUMN];
  int64_t npoint, room;
  jn_error *err;
} reading;

typedef struct cell {
  char *text;
  int col;  // from 1
} cell;

static jn_status read_file(reading *r)
{
  const jn_pos pos = {r->file, 0, 0};
  struct stat there;
  int in;
  jn_status st = jn_plain_open(r->file, &in, r->err);
  if (st) return st;
  if (fstat(in, &there))
    st = jn_fail(r->err, JN_E_FILE, pos, NULL, "cannot be read: %s", strerror(errno));
  else if (there.st_size > MOST_BYTES)
    st = jn_fail(r->err, JN_E_LIMIT, pos, NULL, "is larger than 1 GB");
  else if (!(r->text = malloc((size_t)there.st_size + 1)))
    st = jn_no_memory(r->err, JN_NOWHERE);
  while (!st && r->length < (size_t)there.st_size) {
    const ssize_t n = read(in, r->text + r->length, (size_t)there.st_size - r->length);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) st = jn_fail(r->err, JN_E_FILE, pos, NULL, "cannot be read: %s", strerror(errno));
    if (n <= 0) break;
    r->length += (size_t)n;
  }
  if (!st) r->text[r->length] = 0;
  close(in);
  return st;
}

static char *quoted(const char *text, char out[96])
{
  return jn_quote(text, strlen(text), out, 96);
}

static jn_pos at(const reading *r, int col)
{
  return (jn_pos){r->file, r->line, col};
}

// The cells of a line, without the blanks around them. A line may have more than there is room for: they are counted.
static int split(char *line, cell *list, int most)
{
  int n = 0;
  for (char *begin = line, *next = line; next; begin = next) {
    char *comma = strchr(begin, ',');
    next = comma ? comma + 1 : NULL;
    if (comma) *comma = 0;
    while (*begin == ' ' || *begin == '\t') begin++;
    for (char *end = begin + strlen(begin); end > begin && strchr(" \t", end[-1]);) *--end = 0;
    if (n < most) list[n] = (cell){begin, (int)(begin - line) + 1};
    n++;
  }
  return n;
}

static jn_status read_names(reading *r, const cell *name, int n)
{
  char shown[96];
  if (n > MOST_COLUMNS)
    return jn_fail(r->err, JN_E_LIMIT, at(r, 1), NULL, "has %d columns, expected at most %d", n,
                   MOST_COLUMNS);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < NCOLUMN; k++) {
      if (strcmp(name[i].text, columns[k])) continue;
      if (r->column[k] >= 0)
        return jn_fail(r->err, JN_E_SCHEMA, at(r, name[i].col), NULL,
                       "found the column \"%s\" a second time, expected it once",
                       quoted(name[i].text, shown));
      r->column[k] = i;
    }
  for (int k = 0; k < NCOLUMN; k++)
    if (r->column[k] < 0)
      return jn_fail(r->err, JN_E_SCHEMA, at(r, 1), NULL,
                     "found no column \"%s\", expected kappa, alpha_rad, gamma_rad, Fz_N, p_Pa "
                     "and vx_mps",
                     columns[k]);
  r->ncell = n;
  return JN_OK;
}

static jn_status read_number(reading *r, const cell *c, int k, double *out)
{
  char shown[96];
  const bool none = k == PRESSURE && (!*c->text || !strcmp(c->text, "nan") ||
                                      !strcmp(c->text, "NaN") || !strcmp(c->text, "NAN"));
  *out = NAN;
  if (none) return JN_OK;
  if (strlen(c->text) > JN_DECIMAL_LONGEST || !jn_is_decimal(c->text) ||
      !isfinite(*out = jn_decimal(c->text)))
    return jn_fail(r->err, JN_E_PARSE, at(r, c->col), columns[k], "found \"%s\", expected a number",
                   quoted(c->text, shown));
  if (k == PRESSURE && !(*out > 0.0))
    return jn_fail(r->err, JN_E_RANGE, at(r, c->col), columns[k],
                   "is %g, expected a pressure above zero", *out);
  return JN_OK;
}

static jn_status read_row(reading *r, const cell *value, int n)
{
  if (n != r->ncell)
    return jn_fail(r->err, JN_E_PARSE, at(r, 1), NULL,
                   "found %d cells, expected %d as in the "
                   "line of names",
                   n, r->ncell);
  if (r->npoint == r->room) {
    r->room = r->room ? 2 * r->room : 256;
    void *more = realloc(r->point, (size_t)r->room * sizeof *r->point);
    if (!more) return jn_no_memory(r->err, JN_NOWHERE);
    r->point = more;
  }
  jn_status st = JN_OK;
  for (int k = 0; k < NCOLUMN && !st; k++)
    st = read_number(r, &value[r->column[k]], k, &r->point[r->npoint][k]);
  if (!st) r->npoint++;
  return st;
}

static jn_status read_line(reading *r, char *line, size_t length)
{
  cell list[MOST_COLUMNS];
  if (length && line[length - 1] == '\r') line[--length] = 0;
  if (!length || line[0] == '#') return JN_OK;
  const size_t zero = strlen(line);
  if (zero < length)
    return jn_fail(r->err, JN_E_PARSE, at(r, (int)zero + 1), NULL,
                   "found a byte of value zero, expected text");
  const int n = split(line, list, MOST_COLUMNS);
  return r->ncell ? read_row(r, list, n) : read_names(r, list, n);
}

static jn_status read_points(reading *r)
{
  jn_status st = read_file(r);
  char *begin = r->text, *end = r->text + r->length;
  if (!st && r->length >= 3 && !memcmp(begin, "\xef\xbb\xbf", 3)) begin += 3;
  while (!st && begin < end) {
    char *line_end = memchr(begin, '\n', (size_t)(end - begin));
    if (!line_end) line_end = end;
    *line_end = 0;
    r->line++;
    st = read_line(r, begin, (size_t)(line_end - begin));
    begin = line_end + 1;
  }
  if (!st && !r->ncell)
    st = jn_fail(r->err, JN_E_PARSE, (jn_pos){r->file, 0, 0}, NULL,
                 "is empty, expected a line with the names of the columns");
  return st;
}

// ---- out -------------------------------------------------------------------------------------------

static void put(FILE *out, double x, char end)
{
  char text[40];
  snprintf(text, sizeof text, "%.17g", x);
  char *point = strchr(text, ',');
  if (point) *point = '.';  // of a locale
  fprintf(out, "%s%c", isnan(x) ? "nan" : text, end);
}

typedef struct table {
  const reading *r;
  const jn_tyre *tyre;
} table;

static jn_status put_rows(FILE *out, void *user, jn_error *err)
{
  const table *t = user;
  (void)err;
  fprintf(out, "kappa,alpha_rad,gamma_rad,Fz_N,p_Pa,vx_mps,Fx,Fy,Mx,My,Mz\n");
  for (int64_t i = 0; i < t->r->npoint; i++) {
    const double *x = t->r->point[i];
    const jn_tyre_forces f =
        jn_tyre_at(t->tyre, (jn_tyre_point){x[0], x[1], x[2], x[3], x[4], x[5]});
    for (int k = 0; k < NCOLUMN; k++) put(out, x[k], ',');
    put(out, f.fx, ','), put(out, f.fy, ','), put(out, f.mx, ',');
    put(out, f.my, ','), put(out, f.mz, '\n');
  }
  return JN_OK;
}

jn_status jn_tyre_table_write(const jn_tyre *tyre, const char *points, const char *file,
                              jn_error *err)
{
  JN_NEEDS(err, tyre && points && file, "a tyre, a file of points and the name of a file");
  reading r = {.file = points, .column = {-1, -1, -1, -1, -1, -1}, .err = err};
  const jn_file_list input = {points, tyre->own ? tyre->own->files : NULL};
  jn_status st = jn_output_check(file, "table", &input, err);
  if (!st) st = read_points(&r);
  if (!st) st = jn_file_write(file, "table", put_rows, &(table){&r, tyre}, err);
  free(r.point);
  free(r.text);
  return st;
}
