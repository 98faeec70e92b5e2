// Memory that is exhausted inside the libraries, in one process: each allocation that their own code makes fails in turn, once for each
// sequence of calls that leads to one. Every call then returns JN_E_MEMORY, or that a file cannot be written for want of it, or all comes
// out as it does without the failure; under the sanitizers nothing is left behind. (Whole commands, and allocations of other libraries, are left to `allocations`.)
#include <errno.h>
#include <execinfo.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/hash.h"
#include "harness.h"
#include "jounce/jounce.h"

// ---- the allocator, as the linker hands it to the libraries (--wrap) ---------------------------------

static long count, fails_at;  // calls so far; the one that fails, 0: none
static bool goes_on;          // all behind it fail too
static uint64_t *site;        // of each call, where they are looked at
static long nsite;

enum { DEPTH = 7, MOST_SITES = 1 << 20 };

static bool fails(void)
{
  count++;
  if (site && count <= MOST_SITES) {
    void *frame[DEPTH];
    const int n = backtrace(frame, DEPTH);
    site[nsite++] = jn_hash(JN_HASH_BEGIN, frame, (size_t)n * sizeof *frame);
  }
  const bool now = fails_at && (count == fails_at || (goes_on && count > fails_at));
  if (now) errno = ENOMEM;
  return now;
}

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__real_aligned_alloc(size_t align, size_t n);
char *__real_strdup(const char *s);
char *__real_strndup(const char *s, size_t n);
FILE *__real_open_memstream(char **text, size_t *length);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_aligned_alloc(size_t align, size_t n);
char *__wrap_strdup(const char *s);
char *__wrap_strndup(const char *s, size_t n);
FILE *__wrap_open_memstream(char **text, size_t *length);

void *__wrap_malloc(size_t n)
{
  return fails() ? NULL : __real_malloc(n);
}
void *__wrap_calloc(size_t n, size_t size)
{
  return fails() ? NULL : __real_calloc(n, size);
}
void *__wrap_realloc(void *p, size_t n)
{
  return fails() ? NULL : __real_realloc(p, n);
}
void *__wrap_aligned_alloc(size_t align, size_t n)
{
  return fails() ? NULL : __real_aligned_alloc(align, n);
}
char *__wrap_strdup(const char *s)
{
  return fails() ? NULL : __real_strdup(s);
}
char *__wrap_strndup(const char *s, size_t n)
{
  return fails() ? NULL : __real_strndup(s, n);
}
FILE *__wrap_open_memstream(char **text, size_t *length)
{
  return fails() ? NULL : __real_open_memstream(text, length);
}

// ---- what is done -----------------------------------------------------------------------------------

typedef struct trial {
  const char *name, *model, *scenario;
  jn_sim_opts opts;
  bool records;  // to files, and reads them again
} trial;

static char folder[] = "/tmp/jounce-memory-XXXXXX";
static FILE *nowhere;
static uint64_t outcome;  // of all that came out

static void see(const void *bytes, size_t n)
{
  outcome = jn_hash(outcome, bytes, n);
}
static void see_text(const char *text)
{
  if (text) see(text, strlen(text));
}

// Everything that one system serves.
static jn_status use(const jn_spec *spec, const jn_system *s, jn_error *err)
{
  jn_data *d = NULL, *other = NULL;
  jn_rows *rows = NULL;
  jn_system *changed = NULL;
  jn_equilibrium *rest = NULL;
  jn_reference *reference = NULL;
  void *bytes = NULL;
  double row[3];
  const int channel[3] = {0, jn_channel_count(s) / 2, jn_channel_count(s) - 1};
  char line[400];
  see_text(jn_system_path_line(s, line, sizeof line));
  for (int i = 0; jn_system_note(s, i); i++) see_text(jn_system_note(s, i));
  jn_status st = jn_data_create(s, &d, err);
  if (!st) st = jn_rows_create(s, channel, 3, &rows, err);
  if (!st) jn_evaluate(s, d);
  for (int i = 0; i < 3 && !st; i++) jn_step(s, d);
  if (!st && !jn_rows_fill(rows, d, row)) see(row, sizeof row);
  if (!st) st = jn_system_with(s, spec, &changed, err);
  if (!st) st = jn_data_create(changed, &other, err);
  const size_t size = st ? 0 : jn_data_save(d, NULL, 0);
  bytes = size ? __real_malloc(size) : NULL;
  if (bytes) jn_data_save(d, bytes, size);
  if (!st && bytes) st = jn_data_restore(other, bytes, size, err);
  if (!st) st = jn_data_switch(d, changed, err);
  if (!st) jn_step(changed, d);
  if (!st) see(jn_row(d), sizeof(double));
  if (!st) st = jn_equilibrium_find(s, NULL, &rest, err);
  if (!st) see(rest->row, (size_t)rest->nrow * sizeof *rest->row);
  if (!st) st = jn_reference_create(s, other, &reference, err);
  if (!st) st = jn_reference_advance(reference, jn_time(other) + 1e-3, err);
  jn_reference_free(reference);
  jn_equilibrium_free(rest);
  free(bytes);
  jn_data_free(other);
  jn_system_free(changed);
  jn_rows_free(rows);
  jn_data_free(d);
  return st;
}

static jn_status record(const jn_system *s, jn_error *err)
{
  jn_result *r = NULL;
  jn_run_result k;
  char file[100];
  const jn_run_opts o = {.out = folder, .name = "trial", .every = 2e-3};
  jn_status st = jn_run_check(s, &o, err);
  if (!st) st = jn_run(s, &o, &k, err);
  if (st) return st;
  const bool failed = k.outcome == JN_RUN_UNRECORDED || k.outcome == JN_RUN_FAILED;
  const bool short_of = failed && (strstr(k.error, strerror(ENOMEM)) || strstr(k.error, "memory"));
  if (failed && !short_of) fail_msg("the run failed: %s", k.error);
  st = short_of ? JN_E_MEMORY : jn_run_show_json(&k, nowhere, err);
  if (!st) jn_run_show_text(&k, nowhere);
  jn_run_result_free(&k);
  for (int i = 0; i < 2 && !st; i++) {
    double time[2];
    snprintf(file, sizeof file, "%s/trial.%s", folder, i ? "csv" : "h5");
    st = jn_result_open(file, &r, err);
    if (!st) st = jn_result_read(r, 0, 0, 1, 2, time, err);
    if (!st) see(time, sizeof time);
    snprintf(file, sizeof file, "%s/trial.html", folder);
    if (!st) st = jn_report_write(r, file, NULL, err);
    jn_result_free(r);
    r = NULL;
  }
  return st;
}

static jn_status attempt(const trial *t, jn_error *err)
{
  jn_spec *spec = NULL;
  jn_scenario *scenario = NULL;
  jn_model *model = NULL;
  jn_system *s = NULL;
  char *text = NULL, *other = NULL;
  unsigned long length;
  jn_status st = jn_spec_load(t->model, NULL, 0, &spec, err);
  if (!st && t->scenario) st = jn_scenario_load(t->scenario, &scenario, err);
  if (!st) st = jn_spec_print(spec, &text, &length, err);
  if (!st && scenario) st = jn_scenario_print(scenario, &other, &length, err);
  if (!st) see_text(text), see_text(other);
  if (!st) st = jn_model_compile(spec, NULL, &model, err);
  if (!st) st = jn_system_create(model, scenario, &t->opts, &s, err);
  if (!st) st = jn_model_show_json(model, s, nowhere, err);
  if (!st) jn_model_show_text(model, nowhere), jn_model_show_dot(model, nowhere);
  if (!st) jn_system_show_dot(s, nowhere);
  if (!st) st = t->records ? record(s, err) : use(spec, s, err);
  jn_system_free(s);
  jn_model_free(model);
  jn_scenario_free(scenario);
  jn_spec_free(spec);
  free(other);
  free(text);
  return st;
}

// ---- each of them in turn ---------------------------------------------------------------------------

// Numbers of the calls that are the first ones of their sequence of calls; `most` of them.
static long choose(long *chosen, long most)
{
  uint64_t *seen = __real_malloc((size_t)nsite * sizeof *seen);
  long n = 0, left = 0;
  assert_non_null(seen);
  for (long i = 0; i < nsite; i++) {
    long lo = 0, hi = n;
    while (lo < hi) {
      const long mid = (lo + hi) / 2;
      if (seen[mid] < site[i])
        lo = mid + 1;
      else
        hi = mid;
    }
    if (lo < n && seen[lo] == site[i]) continue;
    memmove(seen + lo + 1, seen + lo, (size_t)(n - lo) * sizeof *seen);
    seen[lo] = site[i];
    chosen[n++] = i + 1;
  }
  free(seen);
  const long every = (n + most - 1) / most;
  for (long i = 0; i < n; i += every) chosen[left++] = chosen[i];
  return left;
}

static void try_all(const trial *t)
{
  const char *given = getenv("JT_MOST_FAILURES");
  const long most = given && atol(given) > 0 ? atol(given) : 60;
  jn_error err = {0};
  long *chosen = __real_malloc(MOST_SITES * sizeof *chosen);
  site = __real_malloc(MOST_SITES * sizeof *site);
  assert_true(chosen && site);
  count = nsite = fails_at = 0;
  outcome = JN_HASH_BEGIN;
  assert_int_equal(attempt(t, &err), JN_OK);
  const uint64_t right = outcome;
  const long all = count, n = choose(chosen, most);
  free(site);
  site = NULL;
  long refused = 0;
  for (int k = 0; k < 2; k++)
    for (long i = 0; i < n; i++) {
      count = 0, fails_at = chosen[i], goes_on = k;
      err = (jn_error){0};
      outcome = JN_HASH_BEGIN;
      const jn_status st = attempt(t, &err);
      const bool failed = count >= fails_at;
      fails_at = 0;
      // What only the first record of a name has to ask for; what a child process asks for is not counted here.
      if (!failed && !st) {
        assert_true(outcome == right);
        continue;
      }
      const bool said = st == JN_E_MEMORY || (st && strstr(err.text, strerror(ENOMEM)));
      if (!said && (st || outcome != right))
        fail_msg("%s: call %ld fails: status %d, %s: %s%s", t->name, chosen[i], (int)st, err.path,
                 err.text, st ? "" : "all is well, but not the same");
      refused += st != 0;
    }
  print_message("%s: %ld allocations, %ld failed alone and with all behind, %ld refused\n", t->name,
                all, n, refused);
  assert_true(2 * refused > n);
  free(chosen);
}

#define TRIAL(word, ...)                          \
  static void word(void **state)                  \
  {                                               \
    (void)state;                                  \
    const trial t = {.name = #word, __VA_ARGS__}; \
    try_all(&t);                                  \
  }
TRIAL(spatial_mechanism, .model = "models/slider-crank.yaml",
      .scenario = "scenarios/slider-crank.yaml")
TRIAL(redundant_rows, .model = "models/andrews.yaml")
TRIAL(vehicle, .model = "models/hmmwv.yaml", .scenario = "scenarios/hmmwv-yaw-hold.yaml")
TRIAL(vehicle_by_blocks, .model = "models/hmmwv.yaml",
      .opts.formulation = JN_FORMULATION_INDEPENDENT)
TRIAL(vehicle_one_lane, .model = "models/hmmwv-bars.yaml", .opts.path = JN_PATH_NARROW)
TRIAL(magic_formula, .model = "models/passenger-car-mf.yaml",
      .scenario = "scenarios/passenger-car-mf-circle.yaml")
TRIAL(open_tree, .model = "models/tractor-semitrailer.yaml",
      .scenario = "scenarios/tractor-semitrailer.yaml")
TRIAL(bushings, .model = "models/five-link-bushings.yaml")
TRIAL(odd_corners, .model = "test/models/hmmwv-odd-corners.yaml")
TRIAL(core_with_loops, .model = "test/models/hmmwv-pitman.yaml")
TRIAL(recorded, .model = "models/quarter-car.yaml", .scenario = "scenarios/quarter-car.yaml",
      .opts.end = 0.01, .records = true)
TRIAL(recorded_vehicle, .model = "models/hmmwv-shell.yaml",
      .scenario = "scenarios/hmmwv-shell-rollover.yaml", .opts.end = 0.01, .records = true)

static int begin(void **state)
{
  (void)state;
  nowhere = fopen("/dev/null", "w");
  return nowhere && mkdtemp(folder) ? 0 : -1;
}

static int end(void **state)
{
  char command[64];
  (void)state;
  snprintf(command, sizeof command, "rm -r %s", folder);
  fclose(nowhere);
  return system(command);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spatial_mechanism), cmocka_unit_test(redundant_rows),
      cmocka_unit_test(vehicle),           cmocka_unit_test(vehicle_by_blocks),
      cmocka_unit_test(vehicle_one_lane),  cmocka_unit_test(magic_formula),
      cmocka_unit_test(open_tree),         cmocka_unit_test(bushings),
      cmocka_unit_test(odd_corners),       cmocka_unit_test(core_with_loops),
      cmocka_unit_test(recorded),          cmocka_unit_test(recorded_vehicle),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
