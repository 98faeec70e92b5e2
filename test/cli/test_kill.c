// A run that is killed leaves a file that opens and has all rows up to the last flush; they are those of a run that nobody
// disturbed. It is killed when it has so many rows, however long that takes.
#define _GNU_SOURCE  // nftw
#include <ftw.h>

#include "cli/command.h"
#include "jounce/jounce.h"
#include "run/channels.h"

enum { KILLS = 20, PATIENT = 3, STEPS_PER_ROW = 10 };
static char folder[64];

// ---- the undisturbed run ---------------------------------------------------------------------------

typedef struct row {
  double time, x, motion[7];
} row;

typedef struct truth {
  jn_spec *spec;
  jn_model *model;
  jn_system *system;
  jn_data *data;
  jn_rows *rows;  // time, P.x, then what the motion is made of
  int64_t n, room;
  row *row;
} truth;

static void begin_truth(truth *t)
{
  jn_error err = {0};
  const jn_sim_opts opts = {.end = 1e5};
  *t = (truth){0};
  assert_int_equal(jn_spec_load("models/pendulum.yaml", NULL, 0, &t->spec, &err), 0);
  assert_int_equal(jn_model_compile(t->spec, NULL, &t->model, &err), 0);
  assert_int_equal(jn_system_create(t->model, NULL, &opts, &t->system, &err), 0);
  assert_int_equal(jn_data_create(t->system, &t->data, &err), 0);
  assert_int_equal(jn_body_count(t->system), 1);
  int channel[9] = {0, jn_channel_find(t->system, "P.x")};
  jn_motion_channels(t->system, channel + 2);
  assert_int_equal(jn_rows_create(t->system, channel, 9, &t->rows, &err), 0);
}

static const row *true_rows(truth *t, int64_t n)
{
  if (n > t->room) {
    t->room = 2 * n;
    t->row = realloc(t->row, (size_t)t->room * sizeof *t->row);
    assert_non_null(t->row);
  }
  for (; t->n < n; t->n++) {
    row *r = &t->row[t->n];
    double value[9];
    assert_int_equal(jn_rows_fill(t->rows, t->data, value), 0);
    r->time = value[0], r->x = value[1];
    jn_motion_from(t->system, value + 2, r->motion);
    for (int i = 0; i < STEPS_PER_ROW; i++) assert_int_equal(jn_step(t->system, t->data), 0);
  }
  return t->row;
}

static void end_truth(truth *t)
{
  jn_rows_free(t->rows);
  jn_data_free(t->data);
  jn_system_free(t->system);
  jn_model_free(t->model);
  jn_spec_free(t->spec);
  free(t->row);
}

// ---- the killed ones -------------------------------------------------------------------------------

static pid_t start(bool csv_too, bool often)
{
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child) return child;
  const int null = open("/dev/null", O_RDWR);
  if (dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0) _exit(126);
  execl(JN_COMMAND, "jounce", "run", "models/pendulum.yaml", "--end", "1e5", "--every",
        often ? "0.01" : "1", "--record", "P.x", "--out", folder, "--format",
        csv_too ? "both" : "hdf5", (char *)NULL);
  _exit(127);
}

static void wait_s(double s)
{
  struct timespec t = {.tv_sec = (time_t)s, .tv_nsec = (long)(1e9 * (s - floor(s)))};
  nanosleep(&t, NULL);
}

static int64_t rows_of(const char *path, const char *outcome)
{
  jn_error err = {0};
  jn_result *r;
  const jn_status st = jn_result_open(path, &r, &err);
  if (st) print_error("%s: %s\n", err.file, err.text);
  assert_int_equal(st, JN_OK);
  assert_string_equal(jn_result_text(r, "outcome"), outcome);
  const int64_t n = jn_result_rows(r);
  jn_result_free(r);
  return n;
}

static void check_rows(const char *path, truth *t, int every)
{
  jn_error err = {0};
  jn_result *r;
  assert_int_equal(jn_result_open(path, &r, &err), JN_OK);
  assert_string_equal(jn_result_text(r, "outcome"), "unfinished");
  const int64_t n = jn_result_rows(r);
  const row *is = true_rows(t, (n - 1) * every + 1);
  double *x = malloc((size_t)n * 9 * sizeof *x);
  assert_non_null(x);
  assert_int_equal(jn_result_read(r, 0, 0, 1, n, x, &err), JN_OK);
  assert_int_equal(jn_result_read(r, 1, 0, 1, n, x + n, &err), JN_OK);
  assert_int_equal(jn_result_motion(r, 0, 1, n, x + 2 * n, &err), JN_OK);
  for (int64_t i = 0; i < n; i++) {
    assert_memory_equal(&x[i], &is[i * every].time, sizeof *x);
    assert_memory_equal(&x[n + i], &is[i * every].x, sizeof *x);
    assert_memory_equal(&x[2 * n + 7 * i], is[i * every].motion, 7 * sizeof *x);
  }
  free(x);
  jn_result_free(r);
}

// The first ones write rows so often that they are at it most of the time. The last ones hold all rows of a
// second back, so that only the clock makes them flush.
static void a_killed_run_leaves_its_rows(void **state)
{
  (void)state;
  char path[PATH_MAX];
  truth t;
  jt_random random = {2026};
  int64_t most = 0;
  snprintf(path, sizeof path, "%s/pendulum.unfinished.h5", folder);
  begin_truth(&t);
  for (int k = 0; k < KILLS; k++) {
    const bool patient = k >= KILLS - PATIENT;
    unlink(path);
    const pid_t child = start(k % 2, !patient);
    const double give_up = jt_now() + JT_PATIENCE_S;
    while (access(path, F_OK) && jt_now() < give_up) wait_s(1e-4);
    const int64_t wanted = patient ? 2 : 1 + jt_random_below(&random, 20000);
    int64_t seen = 0;
    while ((seen = rows_of(path, "running")) < wanted && jt_now() < give_up) wait_s(1e-3);
    kill(child, SIGKILL);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    const int64_t left =
        rows_of(folder, "unfinished");  // by the folder, which may hold more than the file
    assert_true(left >= seen && seen >= wanted);
    check_rows(path, &t, patient ? 100 : 1);
    if (left > most) most = left;
  }
  assert_true(most > 1000);  // otherwise nothing was seen
  end_truth(&t);
}

static int enter(void **state)
{
  (void)state;
  strcpy(folder, "/tmp/jounce-kill-XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int discard(const char *path, const struct stat *stat, int kind, struct FTW *at)
{
  (void)stat, (void)kind, (void)at;
  return remove(path);
}

static int leave(void **state)
{
  (void)state;
  return nftw(folder, discard, 8, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_killed_run_leaves_its_rows, enter, leave),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
