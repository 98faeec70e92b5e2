// record_csv.c: rows as comma-separated values. Lines that begin with # say what was run and in which
// units; then one line of names, and a line for each row; then # again, how it ended.
//
// Lines are written together; if they do not fit on the disc, none of them is left.
#define _GNU_SOURCE  // open_memstream
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/system.h"
#include "report/record.h"
#include "spec/scenario_internal.h"

enum { BUFFER_BYTES = 1 << 18 };

static void put_line(FILE *out, const char *what, const char *name, const char *file)
{
  char shown[512];
  fprintf(out, "# %s:", what);
  if (name) fprintf(out, " %s", jn_quote(name, strlen(name), shown, sizeof shown));
  if (file) fprintf(out, " (%s)", jn_quote(file, strlen(file), shown, sizeof shown));
  fputc('\n', out);
}

static int put_value(const jn_csv *csv, double x, char *out)
{
  return jn_number_text(&csv->power, x, out);
}

static void put_head(const jn_csv *csv, const jn_run_result *r, FILE *out)
{
  const jn_system *s = r->system;
  char step[JN_NUMBER_ROOM], end[JN_NUMBER_ROOM];
  const int nstep = put_value(csv, r->solver.step, step), nend = put_value(csv, r->end, end);
  fprintf(out, "# jounce %s\n", jn_version());
  put_line(out, "model", r->model, s->model->spec->pos.file);
  if (s->binding.scenario) put_line(out, "scenario", r->scenario, s->binding.scenario->pos.file);
  fprintf(out, "# solver: %s, %s, %s, step %.*s s, end %.*s s\n",
          jn_sim_word_of("formulation", (int)r->solver.formulation),
          jn_sim_word_of("integrator", (int)r->solver.integrator),
          jn_sim_word_of("stabilize", (int)r->solver.stabilize), nstep, step, nend, end);
  fputs("# units: ", out);
  for (int i = 0; i < r->nchannel; i++)
    fprintf(out, "%s%s", i ? "," : "", jn_channel_at(s, r->channel[i]).unit);
  fputc('\n', out);
  for (int i = 0; i < r->nchannel; i++)
    fprintf(out, "%s%s", i ? "," : "", jn_channel_at(s, r->channel[i]).name);
  fputc('\n', out);
}

// The head is the first that waits to be written.
static bool set_up(jn_csv *csv, const jn_run_result *r)
{
  char *head = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&head, &size);
  csv->n = r->nchannel;
  csv->longest = (size_t)csv->n * JN_NUMBER_ROOM + 1;
  jn_powers_init(&csv->power);
  if (out) put_head(csv, r, out);
  bool good = out && !ferror(out);
  if (out && fclose(out)) good = false;
  good = good && head;  // the text may not have found its last place
  csv->room = (size > BUFFER_BYTES ? size : BUFFER_BYTES) + csv->longest;
  csv->line = good ? malloc(csv->room) : NULL;
  if (csv->line) memcpy(csv->line, head, csv->used = size);
  free(head);
  return csv->line != NULL;
}

bool jn_csv_open(jn_csv *csv, const char *name, const jn_run_result *r)
{
  csv->standard = !strcmp(name, "-");
  if (!set_up(csv, r)) {
    errno = ENOMEM;
    return false;
  }
  if (csv->standard)
    csv->out.file = STDOUT_FILENO;
  else if (!jn_output_open(&csv->out, name))
    return false;
  return csv->open = true;
}

bool jn_csv_has_room(const jn_csv *csv)
{
  return csv->used + csv->longest <= csv->room;
}

void jn_csv_row(jn_csv *csv, const double *value)
{
  for (int i = 0; i < csv->n; i++) {
    if (i) csv->line[csv->used++] = ',';
    csv->used += (size_t)put_value(csv, value[i], csv->line + csv->used);
  }
  csv->line[csv->used++] = '\n';
}

static bool write_standard(const jn_csv *csv)
{
  for (size_t done = 0; done < csv->used;) {
    const ssize_t put = write(csv->out.file, csv->line + done, csv->used - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    done += (size_t)put;
  }
  return true;
}

bool jn_csv_flush(jn_csv *csv)
{
  const bool good = csv->standard ? write_standard(csv)
                                  : jn_output_write(&csv->out, csv->line, csv->used, csv->end);
  const int why = errno;
  if (good)
    csv->end += (int64_t)csv->used;
  else if (!csv->standard && ftruncate(csv->out.file, (off_t)csv->end))
    csv->end = -1;  // a line that is cut stays; a reader leaves it out
  csv->used = 0;
  errno = why;
  return good;
}

// One line, whatever names are in it.
static int put_remark(char *to, size_t room, const char *what, const char *text)
{
  if (!text[0]) return 0;
  const int n = snprintf(to, room, "# %s: %s", what, text);
  for (int i = 0; i < n; i++)
    if ((unsigned char)to[i] < ' ') to[i] = ' ';
  to[n] = '\n';
  return n + 1;
}

bool jn_csv_finish(jn_csv *csv, const jn_run_result *r)
{
  enum { ROOM = 1 << 10 };
  _Static_assert(sizeof r->error < ROOM && sizeof r->doubt < ROOM, "lines at the end");
  char *to = csv->line;
  to += put_remark(to, ROOM, "outcome", jn_outcome_word(r->outcome));
  to += put_remark(to, ROOM, "error", r->error);
  to += put_remark(to, ROOM, "doubt", r->doubt);
  csv->used = (size_t)(to - csv->line);
  return jn_csv_flush(csv);
}

void jn_csv_go_back(jn_csv *csv, int64_t end)
{
  const int why = errno;
  if (!csv->standard && !ftruncate(csv->out.file, (off_t)end)) csv->end = end;
  errno = why;
}

void jn_csv_close(jn_csv *csv, bool discard)
{
  if (!csv->standard) jn_output_close(&csv->out, discard);
  free(csv->line);
  *csv = (jn_csv){0};
}
