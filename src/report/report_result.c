// report_result.c: the report of a result, one HTML file: the page of web/, then the data in blocks, then a JSON object about it.
//
// What a report keeps. Channels: every n-th row and the last one, n as small as MOST_CHANNEL_BYTES allow; a channel
// that never changes is one number; smallest and largest values are those of all rows. Replay: likewise, with
// its own n and MOST_MOTION_BYTES. Numbers are of 4 bytes, times of 8, and base64 makes 4 characters of 3 bytes.
#include "report/report_result.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/result_internal.h"

enum {
  MOST_CHANNELS = 2000,
  MOST_CHANNEL_BYTES = 12 << 20,
  MOST_MOTION_BYTES = 3 << 20,
  AT_ONCE = 1 << 19,  // numbers that are read at once
  POSE = 7,           // numbers of a body in a row
};
static const double FAR =
    1000.0;  // of the world's origin: from there on positions are relative [m]

typedef struct extremes {  // of a channel over all rows; NaN: there is no number
  double low, high, low_time, high_time, first, last;
  bool begun, changes;
} extremes;

typedef struct page {
  jn_result *r;
  jn_report *p;
  jn_spec *spec;  // NULL: the result has none that can be read
  FILE *out;
  jn_blocks blocks;
  double *time;       // of the rows in the page
  float *value;       // of the channels in them (channels x rows)
  extremes *extreme;  // (channels)
  jn_pool pool;       // of all this
} page;

// ---- JSON --------------------------------------------------------------------------------------------

// Inside a script no "<" may stand, whatever the names are: "</script" would end it.
static int put_safely(const char *text, size_t n, void *user)
{
  for (size_t i = 0; i < n; i++) {
    if (text[i] == '<')
      fputs("\\u003c", user);
    else
      fputc(text[i], user);
  }
  return 0;
}

jn_status jn_page_about(FILE *out, const json_t *about, jn_error *err)
{
  if (!about) return jn_no_memory(err, JN_NOWHERE);
  fputs("<script type=\"application/json\" id=\"about\">", out);
  const int wrong = json_dump_callback(about, put_safely, out,
                                       JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9));
  fputs("</script>", out);
  return wrong ? jn_no_memory(err, JN_NOWHERE) : JN_OK;
}

// ---- rows --------------------------------------------------------------------------------------------

// Every n-th row, as few left out as `most` bytes of `size` each allow.
static int64_t every_for(int64_t rows, int64_t size, int64_t most)
{
  const int64_t room = most / (size > 0 ? size : 1);
  return room > 1 ? (rows - 1) / (room - 1) + 1 : rows > 1 ? rows - 1 : 1;
}

// Rows 0, n, 2n ... and the last one.
static int64_t count_of(int64_t rows, int64_t every)
{
  return rows == 0 ? 0 : (rows - 1 + every - 1) / every + 1;
}

// ---- channels ----------------------------------------------------------------------------------------

static const extremes nothing_yet = {NAN, NAN, NAN, NAN, NAN, NAN, false, false};

static void note_extreme(extremes *e, double x, double time)
{
  if (!e->begun) e->first = x;
  e->begun = true;
  e->changes |= !(x == e->first);  // NaN too
  e->last = x;
  if (!isfinite(x)) return;
  if (!(x >= e->low)) e->low = x, e->low_time = time;
  if (!(x <= e->high)) e->high = x, e->high_time = time;
}

// All rows are read, for the extremes; those of the page are kept, channel by channel.
static jn_status read_channels(page *w, jn_error *err)
{
  const int64_t rows = jn_result_rows(w->r), every = w->p->rows_every, kept = w->p->rows;
  const int64_t width = w->p->channels_of, at_once = AT_ONCE / width > 0 ? AT_ONCE / width : 1;
  double *row = jn_pool_alloc(&w->pool, (size_t)(at_once * width), sizeof *row);
  jn_status st = row ? JN_OK : jn_no_memory(err, JN_NOWHERE);
  for (int64_t first = 0; first < rows && !st; first += at_once) {
    const int64_t n = rows - first < at_once ? rows - first : at_once;
    st = jn_result_read_all(w->r, first, 1, n, row, err);
    for (int64_t i = 0; i < n && !st; i++) {
      const int64_t k = first + i;
      const double *value = row + i * width;
      const bool stays = k % every == 0 || k == rows - 1;
      const int64_t place = k == rows - 1 ? kept - 1 : k / every;
      if (stays) w->time[place] = value[0];
      for (int c = 0; c < w->p->channels; c++) {
        note_extreme(&w->extreme[c], value[c], value[0]);
        if (stays) w->value[c * kept + place] = (float)value[c];
      }
    }
  }
  return st;
}

static json_t *put_channel(page *w, int channel)
{
  const jn_channel c = jn_result_channel_at(w->r, channel);
  const extremes *e = &w->extreme[channel];
  json_t *o =
      json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", jn_json_text(c.name), "unit",
                jn_json_text(c.unit), "help", jn_json_text(c.help), "min", jn_json_number(e->low),
                "max", jn_json_number(e->high), "min_time", jn_json_number(e->low_time), "max_time",
                jn_json_number(e->high_time), "last", jn_json_number(e->last));
  const size_t rows = (size_t)w->p->rows;
  if (e->changes)
    jn_json_put(&o, "at",
                json_integer((json_int_t)jn_blocks_put(
                    &w->blocks, w->value + (size_t)channel * rows, rows * sizeof *w->value)));
  else
    jn_json_put(&o, "value", jn_json_number(e->first));
  return o;
}

static jn_status put_channels(page *w, json_t **about, jn_error *err)
{
  const int64_t rows = jn_result_rows(w->r);
  const int n = jn_result_channel_count(w->r);
  w->p->channels_of = n;
  w->p->channels = n < MOST_CHANNELS ? n : MOST_CHANNELS;
  w->p->rows_every = every_for(rows, 4 * (int64_t)w->p->channels, MOST_CHANNEL_BYTES);
  w->p->rows = count_of(rows, w->p->rows_every);
  const size_t kept = (size_t)w->p->rows, channels = (size_t)w->p->channels;
  w->time = jn_pool_alloc(&w->pool, kept, sizeof *w->time);
  w->value = jn_pool_alloc(&w->pool, kept * channels, sizeof *w->value);
  w->extreme = jn_pool_alloc(&w->pool, channels, sizeof *w->extreme);
  if (w->pool.failed) return jn_no_memory(err, JN_NOWHERE);
  for (size_t c = 0; c < channels; c++) w->extreme[c] = nothing_yet;
  jn_status st = read_channels(w, err);
  if (st) return st;
  json_t *list = json_array();
  for (int c = 0; c < w->p->channels; c++) jn_json_add(&list, put_channel(w, c));
  const int64_t at = jn_blocks_put(&w->blocks, w->time, kept * sizeof *w->time);
  jn_json_put(about, "channels", list);
  jn_json_put(about, "channels_left_out", json_integer(n - w->p->channels));
  jn_json_put(
      about, "rows",
      json_pack("{s:I, s:I, s:I, s:I}", "count", (json_int_t)w->p->rows, "of", (json_int_t)rows,
                "every", (json_int_t)w->p->rows_every, "time", (json_int_t)at));
  return JN_OK;
}

// ---- notes -------------------------------------------------------------------------------------------

__attribute__((format(printf, 2, 3))) static void add_note(jn_report *p, const char *fmt, ...)
{
  const size_t used = strlen(p->note);
  va_list args;
  va_start(args, fmt);
  if (used) snprintf(p->note + used, sizeof p->note - used, "; ");
  const size_t begin = strlen(p->note);
  vsnprintf(p->note + begin, sizeof p->note - begin, fmt, args);
  va_end(args);
}

static void note_outcome(const page *w)
{
  const char *outcome = jn_result_text(w->r, "outcome");
  if (outcome && !strcmp(outcome, "running"))
    add_note(w->p, "the run goes on: these are its rows so far");
  if (outcome && !strcmp(outcome, "unfinished"))
    add_note(w->p,
             "the run has not ended, and nobody goes on with it: it was killed, or this is a copy "
             "of its record while it grew");
}

// ---- motion ------------------------------------------------------------------------------------------

// Number in the result of each body of the model; false: one of them is not in it.
static bool match_bodies(const page *w, int *number)
{
  const int n = jn_result_body_count(w->r);
  for (int i = 0; i < w->spec->nbody; i++) {
    number[i] = -1;
    for (int k = 0; k < n && number[i] < 0; k++)  // the same order is the rule
      if (!strcmp(jn_result_body_name(w->r, (i + k) % n), w->spec->body[i].name))
        number[i] = (i + k) % n;
    if (number[i] < 0) return false;
  }
  return true;
}

static bool all_finite(const double *x, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

// Reads the rows of the replay, up to the first that is no motion any more. One row of all bodies is read at a
// time; they are put down body by body.
static jn_status read_motion(page *w, const int *number, float *kept, double *time, double *row,
                             double origin[3], jn_error *err)
{
  const int64_t rows = jn_result_rows(w->r), every = w->p->motion_every, count = w->p->motion;
  const size_t width = (size_t)jn_result_body_count(w->r) * POSE;
  for (int64_t k = 0; k < count; k++) {
    const int64_t at = k * every < rows ? k * every : rows - 1;
    jn_status st = jn_result_motion(w->r, at, 1, 1, row, err);
    if (!st) st = jn_result_read(w->r, 0, at, 1, 1, &time[k], err);
    if (st) return st;
    if (!all_finite(row, width) || !isfinite(time[k])) {
      w->p->motion = k;
      break;
    }
    for (int c = 0; c < 3 && k == 0; c++) origin[c] = trunc(row[number[0] * POSE + c] / FAR) * FAR;
    for (int i = 0; i < w->spec->nbody; i++)
      for (int c = 0; c < POSE; c++)
        kept[((int64_t)i * count + k) * POSE + c] =
            (float)(row[number[i] * POSE + c] - (c < 3 ? origin[c] : 0.0));
  }
  return JN_OK;
}

static void put_motion(page *w, int64_t room, const float *kept, const double *time,
                       const double origin[3], json_t **about)
{
  const jn_report *p = w->p;
  const size_t count = (size_t)p->motion;
  int64_t at = 0;
  json_t *names = json_array();
  const int64_t time_at_ = jn_blocks_put(&w->blocks, time, count * sizeof *time);
  for (int i = 0; i < w->spec->nbody; i++) {
    const int64_t block =
        jn_blocks_put(&w->blocks, kept + (int64_t)i * room * POSE, count * POSE * sizeof *kept);
    if (i == 0) at = block;
    jn_json_add(&names, jn_json_text(w->spec->body[i].name));
  }
  jn_json_put(
      about, "motion",
      json_pack("{s:I, s:I, s:I, s:I, s:I, s:[f, f, f], s:o}", "count", (json_int_t)p->motion, "of",
                (json_int_t)jn_result_rows(w->r), "every", (json_int_t)p->motion_every, "time",
                (json_int_t)time_at_, "at", (json_int_t)at, "origin", origin[0], origin[1],
                origin[2], "bodies", names));
}

static jn_status add_motion(page *w, json_t **about, jn_error *err)
{
  const int64_t rows = jn_result_rows(w->r);
  const int nbody = w->spec ? w->spec->nbody : 0;
  const int64_t size = (int64_t)nbody * POSE * (int64_t)sizeof(float);
  jn_json_put(about, "motion", json_null());
  if (!w->spec || rows == 0) return JN_OK;
  w->p->motion_every = every_for(rows, size, MOST_MOTION_BYTES);
  const int64_t room = w->p->motion = count_of(rows, w->p->motion_every);
  int *number = jn_pool_alloc(&w->pool, (size_t)nbody, sizeof *number);
  float *kept = jn_pool_alloc(&w->pool, (size_t)room, (size_t)size);
  double *time = jn_pool_alloc(&w->pool, (size_t)room, sizeof *time), origin[3] = {0.0};
  double *row = jn_pool_alloc(&w->pool, (size_t)jn_result_body_count(w->r) * POSE, sizeof *row);
  if (w->pool.failed) return jn_no_memory(err, JN_NOWHERE);
  if (!match_bodies(w, number)) {
    w->p->motion = 0;
    add_note(w->p, "no replay: the motion in the result is not that of the bodies of its model");
    return JN_OK;
  }
  const jn_status st = read_motion(w, number, kept, time, row, origin, err);
  if (!st && w->p->motion > 0) put_motion(w, room, kept, time, origin, about);
  return st;
}

// ---- the whole ---------------------------------------------------------------------------------------

static jn_status read_model(page *w, jn_error *err)
{
  const char *text = jn_result_model(w->r);
  jn_error why = {0};
  char line[300];
  if (!text || jn_result_body_count(w->r) == 0)
    add_note(w->p, "no replay: the result has channels only");
  else if (jn_spec_parse(text, strlen(text), "the result's model", NULL, 0, &w->spec, &why))
    add_note(w->p, "no replay: %s", jn_error_line(&why, line, sizeof line));
  return why.code == JN_E_MEMORY ? jn_no_memory(err, JN_NOWHERE) : JN_OK;
}

static json_t *notes(const page *w)
{
  json_t *list = json_array();
  const char *wrong = jn_result_text(w->r, "error");
  const char *doubt = jn_result_text(w->r, "doubt");
  if (wrong && wrong[0]) jn_json_add(&list, jn_json_text(wrong));
  if (doubt && doubt[0]) {
    char line[440];
    snprintf(line, sizeof line, "not to be trusted: %s", doubt);
    jn_json_add(&list, jn_json_text(line));
  }
  if (w->p->note[0]) jn_json_add(&list, jn_json_text(w->p->note));
  return list;
}

static jn_status put_result(page *w, jn_error *err)
{
  json_t *about = json_object();
  fputs("<script type=\"text/plain\" id=\"data\">", w->out);
  jn_status st = put_channels(w, &about, err);
  if (!st) st = add_motion(w, &about, err);
  fputs("</script>\n", w->out);
  jn_json_put(&about, "version", jn_json_text(jn_version()));
  jn_json_put(&about, "model", jn_json_text(jn_result_text(w->r, "model")));
  jn_json_put(&about, "scenario", jn_json_text(jn_result_text(w->r, "scenario")));
  const char *file = jn_result_file(w->r), *slash = strrchr(file, '/');
  jn_json_put(&about, "source", jn_json_text(slash ? slash + 1 : file));
  jn_json_put(&about, "facts", jn_page_facts(w->r, w->spec));
  jn_json_put(&about, "notes", notes(w));
  jn_json_put(&about, "scene", w->spec ? jn_page_scene(w->spec) : json_null());
  if (!st) st = jn_page_about(w->out, about, err);
  json_decref(about);
  return st;
}

typedef struct filling {
  jn_file_put put;
  void *user;
} filling;

static jn_status put_page(FILE *out, void *user, jn_error *err)
{
  static const char place[] = "<!--jounce:result-->";
  const filling *f = user;
  const char *here = strstr(jn_page_template, place);
  fwrite(jn_page_template, 1, (size_t)(here - jn_page_template), out);
  jn_status st = f->put(out, f->user, err);
  here += sizeof place - 1;
  fwrite(here, 1, (size_t)(jn_page_template_end - here), out);
  return st;
}

jn_status jn_page_file(const char *file, jn_file_put put, void *user, jn_error *err)
{
  return jn_file_write(file, "report", put_page, &(filling){put, user}, err);
}

static jn_status put_all(FILE *out, void *user, jn_error *err)
{
  page *w = user;
  w->out = w->blocks.out = out;
  note_outcome(w);
  const jn_status st = read_model(w, err);
  return st ? st : put_result(w, err);
}

jn_status jn_report_write(jn_result *result, const char *file, jn_report *out, jn_error *err)
{
  JN_NEEDS(err, result && file, "a result and the name of a file");
  jn_report own;
  page w = {.r = result, .p = out ? out : &own};
  *w.p = (jn_report){0};
  const jn_file_list input = {.name = jn_result_file(result)};
  jn_status st = jn_output_check(file, "report", &input, err);
  if (!st) st = jn_page_file(file, put_all, &w, err);
  jn_spec_free(w.spec);
  jn_pool_free(&w.pool);
  return st;
}
