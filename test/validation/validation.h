// validation.h: runs of the engine held against histories from elsewhere.
//
// A trial runs one case in one way and notes what it measured. Trials are cmocka tests; with
// --table they are run one after the other and what they measured is printed as a table. Arguments
// choose trials: those whose names have every word given.
#ifndef JN_TEST_VALIDATION_H
#define JN_TEST_VALIDATION_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "jounce/jounce.h"
#include "jounce/reference.h"
#include "jounce/sim.h"

// ---- what trials measure ------------------------------------------------------------------------

enum { VT_NOTES = 64, VT_TRIALS = 512 };

typedef struct vt_note {
  char quantity[64];
  double allowed, measured;
  char detail[160];   // for people: when, what against what
  char table[2][64];  // the two numbers as the table shows them
} vt_note;

typedef struct vt_report {
  int nnote;
  vt_note note[VT_NOTES];
  char broken[1200];  // why it did not run to its end, empty if it did
} vt_report;

typedef struct vt_trial {
  char name[96];
  void (*run)(const struct vt_trial *trial, vt_report *report);
  const void *subject;  // the case
  int formulation, stabilize, mode;
} vt_trial;

static vt_trial vt_trials[VT_TRIALS];
static int vt_ntrial;

static inline vt_note *vt_measured(vt_report *report, double allowed, double measured)
{
  static vt_note spare;
  vt_note *n = report->nnote < VT_NOTES ? &report->note[report->nnote++] : &spare;
  *n = (vt_note){.allowed = allowed, .measured = measured};
  snprintf(n->table[0], sizeof n->table[0], "%.1e", allowed);
  snprintf(n->table[1], sizeof n->table[1], "%.1e", measured);
  return n;
}

static inline void vt_broke(vt_report *report, const char *what, const jn_error *err)
{
  char line[1024] = "";
  if (err) jn_error_line(err, line, sizeof line);
  snprintf(report->broken, sizeof report->broken, "%s%s%s", what, err ? ": " : "", line);
}

// ---- tables of numbers --------------------------------------------------------------------------

enum { VT_COLUMNS = 40, VT_TRUSTED = 8 };

typedef struct vt_table {
  int nrow, ncol;
  char name[VT_COLUMNS][32];
  double *value;  // (nrow x ncol)
  int ntrusted;   // of the comment "# trusted (absolute, SI): position 1e-11, rotation 5e-11"
  char trusted_kind[VT_TRUSTED][32];
  double trusted[VT_TRUSTED];
} vt_table;

static inline void vt_table_free(vt_table *t)
{
  free(t->value);
  t->value = NULL;
}

static inline void vt_read_trusted(vt_table *t, const char *comment)
{
  const char *at = strstr(comment, "SI): ");
  at = at ? at + 5 : comment + strlen(comment);
  for (int used = 0; t->ntrusted < VT_TRUSTED; at += used, t->ntrusted++) {
    int i = t->ntrusted;
    if (sscanf(at, " %31s %lf%*[,]%n", t->trusted_kind[i], &t->trusted[i], &used) < 2) return;
    if (!used) used = (int)strlen(at);
  }
}

static inline bool vt_read_names(vt_table *t, char *line)
{
  for (char *word = strtok(line, ",\n"); word; word = strtok(NULL, ",\n")) {
    if (t->ncol == VT_COLUMNS) return false;
    snprintf(t->name[t->ncol++], sizeof t->name[0], "%s", word);
  }
  return t->ncol > 0;
}

static inline bool vt_read_row(vt_table *t, char *line)
{
  if ((t->nrow & (t->nrow - 1)) == 0) {  // rows so far: 0 or a power of two
    size_t room = t->nrow ? 2 * (size_t)t->nrow : 1;
    double *more = realloc(t->value, room * (size_t)t->ncol * sizeof *more);
    if (!more) return false;
    t->value = more;
  }
  double *row = t->value + (size_t)t->nrow++ * (size_t)t->ncol;
  char *at = line;
  for (int c = 0; c < t->ncol; c++) {
    char *end = at;
    row[c] = strtod(at, &end);
    if (end == at) return false;
    at = *end == ',' ? end + 1 : end;
  }
  return true;
}

static inline bool vt_table_read(vt_table *t, const char *file)
{
  *t = (vt_table){0};
  FILE *in = fopen(file, "r");
  if (!in) return false;
  char line[4096];
  bool good = true;
  while (good && fgets(line, sizeof line, in)) {
    if (line[0] == '#') {
      if (!strncmp(line, "# trusted", 9)) vt_read_trusted(t, line);
    } else if (!t->ncol)
      good = vt_read_names(t, line);
    else
      good = vt_read_row(t, line);
  }
  fclose(in);
  if (!good) vt_table_free(t);
  return good && t->nrow > 0;
}

static inline int vt_column(const vt_table *t, const char *name)
{
  for (int c = 0; c < t->ncol; c++)
    if (!strcmp(t->name[c], name)) return c;
  return -1;
}

static inline double vt_value(const vt_table *t, int row, int column)
{
  return t->value[(size_t)row * (size_t)t->ncol + (size_t)column];
}

// Largest magnitude of a column and of those that follow it.
static inline double vt_peak(const vt_table *t, int column, int n)
{
  double peak = 0;
  for (int r = 0; r < t->nrow; r++)
    for (int c = 0; c < n; c++) peak = fmax(peak, fabs(vt_value(t, r, column + c)));
  return peak;
}

// ---- runs of the engine -------------------------------------------------------------------------

typedef struct vt_run {
  jn_spec *spec;
  jn_model *model;
  jn_scenario *scenario;
  jn_system *system;
  jn_data *data;
  jn_reference *reference;  // NULL: fixed steps
  double step;
} vt_run;

static inline void vt_close(vt_run *run)
{
  jn_reference_free(run->reference);
  jn_data_free(run->data);
  jn_system_free(run->system);
  jn_scenario_free(run->scenario);
  jn_model_free(run->model);
  jn_spec_free(run->spec);
  *run = (vt_run){0};
}

// A model with the given text, which stands in `file` or beside it (text NULL: the file itself).
static inline bool vt_open(vt_run *run, const char *file, const char *text, const char *scenario,
                           const jn_sim_opts *opts, vt_report *report)
{
  jn_error err = {0};
  *run = (vt_run){.step = opts->step};
  jn_status st = text ? jn_spec_parse(text, strlen(text), file, NULL, 0, &run->spec, &err)
                      : jn_spec_load(file, NULL, 0, &run->spec, &err);
  if (!st) st = jn_model_compile(run->spec, NULL, &run->model, &err);
  if (!st && scenario) st = jn_scenario_load(scenario, &run->scenario, &err);
  if (!st) st = jn_system_create(run->model, run->scenario, opts, &run->system, &err);
  if (!st) st = jn_data_create(run->system, &run->data, &err);
  if (!st && opts->integrator == JN_INTEGRATOR_REFERENCE)
    st = jn_reference_create(run->system, run->data, &run->reference, &err);
  if (!st) return true;
  vt_broke(report, "cannot start", &err);
  vt_close(run);
  return false;
}

static inline bool vt_flagged(const vt_run *run, jn_step_flags flags, vt_report *report)
{
  if (flags == JN_STEP_OK) return false;
  const char *failing_body = jn_data_failing_body(run->system, run->data);
  snprintf(report->broken, sizeof report->broken, "stopped at t = %g s: %s%s, %s",
           jn_time(run->data), flags & JN_STEP_NOT_FINITE ? "not finite" : "",
           flags & JN_STEP_OPEN ? "loops open" : "", failing_body ? failing_body : "");
  return true;
}

// On to the time t, where all channels are evaluated.
static inline bool vt_advance(vt_run *run, double t, vt_report *report)
{
  jn_error err = {0};
  if (run->reference) {
    if (jn_reference_advance(run->reference, t, &err)) {
      vt_broke(report, "the reference integrator stopped", &err);
      return false;
    }
  } else
    while (jn_time(run->data) < t - 0.5 * run->step)
      if (vt_flagged(run, jn_step(run->system, run->data), report)) return false;
  if (vt_flagged(run, jn_evaluate(run->system, run->data), report)) return false;
  if (fabs(jn_time(run->data) - t) <= 1e-9 * (1 + t)) return true;
  snprintf(report->broken, sizeof report->broken, "came to t = %.17g s instead of %.17g s",
           jn_time(run->data), t);
  return false;
}

// The channel called prefix + suffix.
static inline int vt_channel(const vt_run *run, const char *prefix, const char *suffix,
                             vt_report *report)
{
  char name[160];
  snprintf(name, sizeof name, "%s%s", prefix, suffix);
  int channel = jn_channel_find(run->system, name);
  if (channel < 0) snprintf(report->broken, sizeof report->broken, "there is no channel %s", name);
  return channel;
}

// ---- the program --------------------------------------------------------------------------------

static inline vt_trial *vt_add(void (*run)(const vt_trial *, vt_report *), const void *subject)
{
  if (vt_ntrial == VT_TRIALS) abort();
  vt_trial *t = &vt_trials[vt_ntrial++];
  *t = (vt_trial){.run = run, .subject = subject};
  return t;
}

static inline bool vt_note_good(const vt_note *n)
{
  return n->measured <= n->allowed;  // NaN is not
}

static inline void vt_cmocka(void **state)
{
  static vt_report report;
  const vt_trial *trial = *state;
  report = (vt_report){0};
  trial->run(trial, &report);
  int bad = report.broken[0] != 0 || report.nnote == 0;
  if (report.broken[0]) print_error("%s\n", report.broken);
  for (int i = 0; i < report.nnote; i++) {
    const vt_note *n = &report.note[i];
    if (vt_note_good(n)) {
      print_message("  %-28s %s of %s\n", n->quantity, n->table[1], n->table[0]);
      continue;
    }
    print_error("%s: %.4g, allowed %.4g; %s\n", n->quantity, n->measured, n->allowed, n->detail);
    bad++;
  }
  if (bad) fail();
}

static inline void vt_print_table(const char *const *head)
{
  static vt_report report;
  printf("| case | quantity | %s | %s |\n|---|---|---:|---:|\n", head[0], head[1]);
  for (int i = 0; i < vt_ntrial; i++) {
    report = (vt_report){0};
    vt_trials[i].run(&vt_trials[i], &report);
    if (report.broken[0]) printf("| %s | %s | | **failed** |\n", vt_trials[i].name, report.broken);
    for (int k = 0; k < report.nnote; k++) {
      const vt_note *n = &report.note[k];
      printf("| %s | %s | %s | %s%s%s |\n", vt_trials[i].name, n->quantity, n->table[0],
             vt_note_good(n) ? "" : "**", n->table[1], vt_note_good(n) ? "" : "**");
    }
    fflush(stdout);
  }
}

static inline bool vt_wanted(const vt_trial *trial, int nword, char **word)
{
  for (int i = 0; i < nword; i++)
    if (strcmp(word[i], "--table") != 0 && !strstr(trial->name, word[i])) return false;
  return true;
}

static inline int vt_main(int argc, char **argv, const char *group, const char *const *head)
{
  static struct CMUnitTest test[VT_TRIALS];
  bool table = false;
  int n = 0;
  for (int i = 1; i < argc; i++) table |= !strcmp(argv[i], "--table");
  for (int i = 0; i < vt_ntrial; i++)
    if (vt_wanted(&vt_trials[i], argc - 1, argv + 1)) vt_trials[n++] = vt_trials[i];
  vt_ntrial = n;
  if (!n) return fprintf(stderr, "no trial is called so\n"), 2;
  if (table) return vt_print_table(head), 0;
  for (int i = 0; i < n; i++)
    test[i] = (struct CMUnitTest){vt_trials[i].name, vt_cmocka, NULL, NULL, &vt_trials[i]};
  return _cmocka_run_group_tests(group, test, (size_t)n, NULL, NULL);
}

#endif
