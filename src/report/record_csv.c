// record_csv.c: rows as comma-separated values. Lines that begin with # say what was run and in which
// units; then one line of names, and a line for each row.
//
// It is written under its final name, because a run that fails must leave what it recorded.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "plan/system.h"
#include "report/record.h"
#include "spec/scenario_internal.h"

char *jn_record_name(const jn_system *s, const char *folder, const char *ending)
{
  const char *file = s->binding.scenario ? s->binding.scenario->pos.file : s->model->spec->pos.file;
  if (!file) file = "run";
  const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
  const char *dot = strrchr(base, '.');
  const int length = (int)(dot && dot > base ? dot - base : (long)strlen(base));
  const size_t room = strlen(folder) + (size_t)length + strlen(ending) + sizeof "/.";
  char *name = malloc(room);
  const char *slash = folder[0] && folder[strlen(folder) - 1] == '/' ? "" : "/";
  if (name) snprintf(name, room, "%s%s%.*s.%s", folder, slash, length, base, ending);
  return name;
}

jn_status jn_record_folder(const char *folder, jn_error *err)
{
  char path[PATH_MAX];
  const size_t n = strlen(folder);
  if (n == 0 || n >= sizeof path)
    return jn_fail(err, JN_E_FILE, JN_NOWHERE, NULL, "the folder's name is empty or too long");
  for (size_t i = 1; i <= n; i++) {
    if (folder[i] && folder[i] != '/') continue;
    memcpy(path, folder, i);
    path[i] = 0;
    if (!mkdir(path, 0777) || errno == EEXIST || errno == EISDIR) continue;
    struct stat there;
    if (!stat(path, &there))
      continue;  // a part of the path that cannot be written, and need not be
    return jn_fail(err, JN_E_FILE, (jn_pos){path, 0, 0}, NULL, "the folder cannot be made: %s",
                   strerror(errno));
  }
  return JN_OK;
}

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

static void put_head(const jn_csv *csv, const jn_run_result *r)
{
  const jn_system *s = r->system;
  FILE *out = csv->file;
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

jn_status jn_csv_open(jn_csv *csv, const char *name, const jn_run_result *result, jn_error *err)
{
  const bool standard = !strcmp(name, "-");
  csv->n = result->nchannel;
  csv->line = malloc((size_t)csv->n * JN_NUMBER_ROOM + 1);
  if (!csv->line) return jn_no_memory(err, JN_NOWHERE);
  jn_powers_init(&csv->power);
  csv->file = standard ? stdout : fopen(name, "w");
  if (!csv->file)
    return jn_fail(err, JN_E_FILE, (jn_pos){name, 0, 0}, NULL, "the record cannot be written: %s",
                   strerror(errno));
  if (!standard) setvbuf(csv->file, NULL, _IOFBF, 1 << 18);
  put_head(csv, result);
  return JN_OK;
}

bool jn_csv_row(jn_csv *csv, const double *value)
{
  int n = 0;
  for (int i = 0; i < csv->n; i++) {
    if (i) csv->line[n++] = ',';
    n += put_value(csv, value[i], csv->line + n);
  }
  csv->line[n++] = '\n';
  return fwrite(csv->line, 1, (size_t)n, csv->file) == (size_t)n;
}

bool jn_csv_flush(jn_csv *csv)
{
  return !fflush(csv->file) && !ferror(csv->file);
}

bool jn_csv_close(jn_csv *csv)
{
  bool good = true;
  if (csv->file) good = jn_csv_flush(csv);
  if (csv->file && csv->file != stdout && fclose(csv->file)) good = false;
  free(csv->line);
  csv->file = NULL;
  csv->line = NULL;
  return good;
}
