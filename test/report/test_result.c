// A record in HDF5 has what the engine computed and what CSV has, to the last bit; it is whole whenever its writer
// is killed; and what is no result is refused.
#define _GNU_SOURCE  // nftw
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/m3.h"
#include "base/quat.h"
#include "harness.h"
#include "jounce/jounce.h"
#include "report/hdf5.h"
#include "report/record.h"

static char folder[64];

// ---- a model made ready ----------------------------------------------------------------------------

typedef struct ready {
  jn_spec *spec;
  jn_scenario *scenario;
  jn_model *model;
  jn_system *system;
} ready;

static void check(jn_status st, const jn_error *err)
{
  char line[1024];
  if (st) print_error("%s\n", jn_error_line(err, line, sizeof line));
  assert_int_equal(st, JN_OK);
}

static ready make_ready(const char *model, const char *scenario, jn_sim_opts opts)
{
  ready m = {0};
  jn_error err = {0};
  check(jn_spec_load(model, NULL, 0, &m.spec, &err), &err);
  if (scenario) check(jn_scenario_load(scenario, &m.scenario, &err), &err);
  check(jn_model_compile(m.spec, NULL, &m.model, &err), &err);
  check(jn_system_create(m.model, m.scenario, &opts, &m.system, &err), &err);
  return m;
}

static void let_go(ready *m)
{
  jn_system_free(m->system);
  jn_model_free(m->model);
  jn_scenario_free(m->scenario);
  jn_spec_free(m->spec);
}

static jn_result *open_result(const char *path)
{
  jn_error err = {0};
  jn_result *r = NULL;
  check(jn_result_open(path, &r, &err), &err);
  return r;
}

static const char *in_folder(const char *name)
{
  static char path[4][PATH_MAX];
  static int next;
  char *p = path[next++ % 4];
  snprintf(p, PATH_MAX, "%s/%s", folder, name);
  return p;
}

static void write_file(const char *name, const void *bytes, size_t n)
{
  FILE *out = fopen(in_folder(name), "wb");
  assert_non_null(out);
  assert_int_equal(fwrite(bytes, 1, n, out), n);
  assert_int_equal(fclose(out), 0);
}

static char *read_file(const char *name, size_t *n)
{
  FILE *in = fopen(in_folder(name), "rb");
  assert_non_null(in);
  fseek(in, 0, SEEK_END);
  *n = (size_t)ftell(in);
  rewind(in);
  char *bytes = malloc(*n + 1);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, *n, in), *n);
  fclose(in);
  return bytes;
}

static double *read_column(jn_result *r, int channel)
{
  jn_error err = {0};
  const int64_t n = jn_result_rows(r);
  double *x = malloc((size_t)n * sizeof *x);
  assert_non_null(x);
  check(jn_result_read(r, channel, 0, 1, n, x, &err), &err);
  return x;
}

static double *read_motion(jn_result *r)
{
  jn_error err = {0};
  const int64_t n = jn_result_rows(r);
  double *x = malloc((size_t)(n * jn_result_body_count(r)) * 7 * sizeof *x);
  assert_non_null(x);
  check(jn_result_motion(r, 0, 1, n, x, &err), &err);
  return x;
}

// ---- what is in it ---------------------------------------------------------------------------------

// HDF5, CSV and the engine itself, in every channel and every bit.
static void records_have_the_rows_of_the_engine(void **state)
{
  (void)state;
  static const char *const all[] = {"*"};
  static const char *const models[] = {"slider-crank", "andrews", "free-body"};
  for (int k = 0; k < 3; k++) {
    char model[PATH_MAX], scenario[PATH_MAX], name[64];
    jn_error err = {0};
    jn_run_result run;
    jn_data *d;
    snprintf(model, sizeof model, "models/%s.yaml", models[k]);
    snprintf(scenario, sizeof scenario, "scenarios/%s.yaml", models[k]);
    ready m = make_ready(model, scenario, (jn_sim_opts){.step = 1e-4, .end = 0.05});
    const jn_run_opts opts = {.out = folder, .record = all, .nrecord = 1, .every = 1e-4};
    check(jn_run(m.system, &opts, &run, &err), &err);
    assert_int_equal(run.rows, 501);
    snprintf(name, sizeof name, "%s.csv", models[k]);
    jn_result *h = open_result(run.hdf5), *c = open_result(in_folder(name));
    assert_string_equal(jn_result_file(h), run.hdf5);
    assert_string_equal(jn_result_file(c), run.file);
    const int n = jn_channel_count(m.system), nbody = jn_body_count(m.system);
    assert_int_equal(jn_result_rows(h), 501);
    assert_int_equal(jn_result_rows(c), 501);
    assert_int_equal(jn_result_channel_count(h), n);
    assert_int_equal(jn_result_channel_count(c), n);
    assert_int_equal(jn_result_body_count(h), nbody);
    assert_int_equal(jn_result_body_count(c), 0);

    double *rows = malloc((size_t)(501 * n) * sizeof *rows), motion[7 * 64];
    double *moved = read_motion(h);
    check(jn_data_create(m.system, &d, &err), &err);
    for (int i = 0; i <= 500; i++) {
      assert_int_equal(jn_evaluate(m.system, d), 0);
      memcpy(rows + i * n, jn_row(d), (size_t)n * sizeof *rows);
      jn_body_motion(m.system, d, motion);
      assert_memory_equal(motion, moved + 7 * i * nbody, (size_t)(7 * nbody) * sizeof *motion);
      if (i < 500) assert_int_equal(jn_step(m.system, d), 0);
    }
    for (int i = 0; i < n; i++) {
      const jn_channel is = jn_channel_at(m.system, i), in_h = jn_result_channel_at(h, i),
                       in_c = jn_result_channel_at(c, i);
      double *x = read_column(h, i), *y = read_column(c, i);
      assert_string_equal(in_h.name, is.name);
      assert_string_equal(in_c.name, is.name);
      assert_string_equal(in_h.unit, is.unit);
      assert_string_equal(in_c.unit, is.unit);
      assert_string_equal(in_h.help, is.help);
      assert_int_equal(jn_result_channel_find(h, is.name), i);
      for (int j = 0; j <= 500; j++) {
        assert_memory_equal(&x[j], &rows[j * n + i], sizeof *x);
        assert_memory_equal(&y[j], &rows[j * n + i], sizeof *x);
      }
      free(x), free(y);
    }
    for (int i = 0; i < nbody; i++)
      assert_string_equal(jn_result_body_name(h, i), jn_body_name(m.system, i));
    assert_int_equal(jn_result_channel_find(h, "nothing.x"), -1);
    jn_data_free(d);
    free(rows), free(moved);
    jn_result_free(h);
    jn_result_free(c);
    jn_run_result_free(&run);
    let_go(&m);
  }
}

// A part of the rows, and rows that are not there.
static void rows_are_read_in_strides(void **state)
{
  (void)state;
  jn_error err = {0};
  jn_run_result run;
  ready m = make_ready("models/pendulum.yaml", NULL, (jn_sim_opts){.end = 0.1});
  check(jn_run(m.system, &(jn_run_opts){.out = folder}, &run, &err), &err);
  const char *const file[] = {run.hdf5, run.file};
  for (int k = 0; k < 2; k++) {
    jn_result *r = open_result(file[k]);
    const int x = jn_result_channel_find(r, "P.x");
    double *all = read_column(r, x), some[40], *motion = k ? NULL : read_motion(r);
    check(jn_result_read(r, x, 3, 7, 14, some, &err), &err);
    for (int i = 0; i < 14; i++) assert_memory_equal(&some[i], &all[3 + 7 * i], sizeof *some);
    if (!k) {
      check(jn_result_motion(r, 5, 19, 5, some, &err), &err);
      for (int i = 0; i < 5; i++)
        assert_memory_equal(&some[7 * i], &motion[7 * (5 + 19 * i)], 7 * sizeof *some);
    }
    check(jn_result_read(r, x, 100, 1000, 1, some, &err), &err);
    check(jn_result_read(r, x, 500, 1, 0, some, &err), &err);
    static const int64_t wrong[][3] = {{0, 1, 102}, {101, 1, 1}, {-1, 1, 1},       {0, 0, 1},
                                       {0, 1, -1},  {0, 51, 3},  {1, INT64_MAX, 3}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
      const int64_t *w = wrong[i];
      assert_int_equal(jn_result_read(r, x, w[0], w[1], w[2], some, &err), JN_E_CALL);
      assert_int_equal(jn_result_motion(r, w[0], w[1], w[2], some, &err), JN_E_CALL);
    }
    assert_int_equal(jn_result_read(r, -1, 0, 1, 1, some, &err), JN_E_CALL);
    assert_int_equal(jn_result_read(r, 1000, 0, 1, 1, some, &err), JN_E_CALL);
    free(all), free(motion);
    jn_result_free(r);
  }
  jn_run_result_free(&run);
  let_go(&m);
}

static v3 carried(const double *motion, v3 cg, v3 point)  // a point of the design position
{
  const q4 q = q_make(motion[3], v3_load(motion + 4));
  return v3_add(v3_load(motion), q_rotate(q, v3_sub(point, cg)));
}

// What a picture needs: the motion carries the joint's point, as it is in the design position, along with either
// body, and the two stay together. The bodies have axes of their own, which must not matter.
static void motion_carries_joint_points(void **state)
{
  (void)state;
  static const char model[] =
      "jounce: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  a: {mass: 2, cg: [0.3, 0.1, -0.2], inertia: [1, 2, 3], orientation: [0.6, 0, 0.8, 0]}\n"
      "  b: {mass: 1, cg: [0.9, -0.1, 0.4], inertia: [2, 1, 1], orientation: [0.3, -0.4, 1.2]}\n"
      "joints:\n"
      "  p: {type: revolute, bodies: [ground, a], at: [0.1, 0, 0.05], axis: [0, 1, 0.3]}\n"
      "  q: {type: spherical, bodies: [a, b], at: [0.7, 0.2, 0.1]}\n"
      "initial:\n  p: {angle: 2.2, speed: 3}\n";
  const v3 p = v3_set(0.1, 0, 0.05), q = v3_set(0.7, 0.2, 0.1),
           cg[2] = {v3_set(0.3, 0.1, -0.2), v3_set(0.9, -0.1, 0.4)};
  jn_error err = {0};
  jn_run_result run;
  write_file("model.yaml", model, sizeof model - 1);
  ready m = make_ready(in_folder("model.yaml"), NULL, (jn_sim_opts){.end = 2.0});
  check(jn_run(m.system, &(jn_run_opts){.out = folder, .format = JN_RECORD_HDF5}, &run, &err),
        &err);
  assert_null(run.file);
  jn_result *r = open_result(folder);  // the only result there
  assert_string_equal(jn_result_body_name(r, 0), "a");
  assert_string_equal(jn_result_body_name(r, 1), "b");
  double *motion = read_motion(r), turned = 0.0;
  for (int i = 0; i < jn_result_rows(r); i++) {
    const double *a = motion + 14 * i, *b = a + 7;
    const v3 at_p = carried(a, cg[0], p), on_a = carried(a, cg[0], q), on_b = carried(b, cg[1], q);
    JT_LE(sqrt(v3_dot(v3_sub(at_p, p), v3_sub(at_p, p))), 1e-14);
    JT_LE(sqrt(v3_dot(v3_sub(on_a, on_b), v3_sub(on_a, on_b))), 1e-14);
    turned = fmax(turned, fabs(b[4]));
  }
  JT_LE(0.1, turned);  // it has not just stood there
  free(motion);
  jn_result_free(r);
  jn_run_result_free(&run);
  let_go(&m);
}

static void results_say_what_was_run(void **state)
{
  (void)state;
  jn_error err = {0};
  jn_run_result run;
  ready m = make_ready("models/andrews.yaml", "scenarios/andrews.yaml",
                       (jn_sim_opts){.end = 0.01,
                                     .step = 1e-4,
                                     .integrator = JN_INTEGRATOR_RK4,
                                     .formulation = JN_FORMULATION_RECURSIVE});
  check(jn_run(m.system, &(jn_run_opts){.out = folder}, &run, &err), &err);
  for (int k = 0; k < 2; k++) {
    jn_result *r = open_result(k ? run.file : run.hdf5);
    const struct {
      const char *name, *text;
    } texts[] = {{"jounce", jn_version()},
                 {"model", run.model},
                 {"scenario", run.scenario},
                 {"model_file", "models/andrews.yaml"},
                 {"formulation", "recursive"},
                 {"scenario_file", "scenarios/andrews.yaml"},
                 {"integrator", "rk4"},
                 {"stabilize", "projection"},
                 {"outcome", "done"},
                 {"error", k ? NULL : ""},
                 {"nothing", NULL}};
    const struct {
      const char *name;
      double number;
    } numbers[] = {{"step", 1e-4},
                   {"end", 0.01},
                   {"steps", k ? NAN : 100},
                   {"events", k ? NAN : (double)run.stats.events},
                   {"wall_time", k ? NAN : run.wall_time},
                   {"realtime_factor", k ? NAN : run.realtime_factor},
                   {"us_mean", k ? NAN : run.us_mean},
                   {"us_median", k ? NAN : run.us_median},
                   {"us_p99", k ? NAN : run.us_p99},
                   {"us_max", k ? NAN : run.us_max},
                   {"max_position_norm", k ? NAN : run.stats.position_norm},
                   {"max_velocity_norm", k ? NAN : run.stats.velocity_norm},
                   {"energy_drift", k ? NAN : run.stats.energy_drift},
                   {"path_difference", k ? NAN : run.stats.path_difference},
                   {"model", NAN},
                   {"nothing", NAN}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
      const char *is = jn_result_text(r, texts[i].name);
      if (!is || !texts[i].text)
        assert_ptr_equal(is, texts[i].text);
      else
        assert_string_equal(is, texts[i].text);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
      const double is = jn_result_number(r, numbers[i].name);
      if (!(is == numbers[i].number || (isnan(is) && isnan(numbers[i].number))))
        print_error("%s is %g, expected %g\n", numbers[i].name, is, numbers[i].number);
      assert_true(is == numbers[i].number || (isnan(is) && isnan(numbers[i].number)));
    }
    if (!k) {
      struct tm utc = {0};
      const char *created = jn_result_text(r, "created");
      assert_non_null(created);
      assert_non_null(strptime(created, "%Y-%m-%dT%H:%M:%SZ", &utc));
      JT_LE(fabs(difftime(timegm(&utc), time(NULL))), 600.0);
      // Both documents can be read, and are those that ran.
      char *model, *scenario;
      check(jn_spec_print(m.spec, &model, NULL, &err), &err);
      check(jn_scenario_print(m.scenario, &scenario, NULL, &err), &err);
      assert_string_equal(jn_result_model(r), model);
      assert_string_equal(jn_result_scenario(r), scenario);
      free(model), free(scenario);
    } else {
      assert_null(jn_result_model(r));
      assert_null(jn_result_scenario(r));
    }
    jn_result_free(r);
  }
  jn_run_result_free(&run);
  let_go(&m);
}

// Longer names than HDF5 takes, names with anything in them, and no scenario.
static void texts_may_be_long_and_strange(void **state)
{
  (void)state;
  enum { LONG = 65536 };
  char *model = malloc(LONG + 1000);
  jn_error err = {0};
  jn_run_result run;
  assert_non_null(model);
  strcpy(model, "jounce: 1\nname: \"");
  for (int i = 0; i < LONG / 2; i++) strcat(model + 2 * i, "\xc3\xa9");
  strcat(model,
         "\"\nbodies: {a: {mass: 1, cg: [0, 0, 0], inertia: [1, 1, 1]}}\n"
         "joints: {j: {type: free, bodies: [ground, a]}}\n");
  write_file("long.yaml", model, strlen(model));
  ready m = make_ready(in_folder("long.yaml"), NULL, (jn_sim_opts){.end = 0.01});
  check(jn_run(m.system, &(jn_run_opts){.out = folder}, &run, &err), &err);
  jn_result *r = open_result(run.hdf5);
  const char *name = jn_result_text(r, "model");
  assert_non_null(name);
  assert_true(strlen(name) >= 1000 && strlen(name) % 2 == 0);  // no character is cut
  assert_int_equal(strncmp(name, run.model, strlen(name)), 0);
  assert_non_null(strstr(jn_result_model(r), run.model));
  assert_null(jn_result_text(r, "scenario"));
  assert_null(jn_result_scenario(r));
  jn_result_free(r);
  jn_run_result_free(&run);
  let_go(&m);
  free(model);
}

// ---- the recorder alone ----------------------------------------------------------------------------

// A recorder of the pendulum's channels, whose rows are numbers of our own.
typedef struct recorder {
  ready m;
  jn_run_result r;
  jn_hdf5 h;
  double motion[7];
} recorder;

static void set_row(recorder *t, int64_t row)
{
  for (int i = 0; i < t->r.nchannel; i++) t->r.last[i] = (double)row + 1e-3 * i;
  for (int i = 0; i < 7; i++) t->motion[i] = -(double)row - 1e-3 * i;
}

static void begin_record(recorder *t, const char *file, int64_t rows)
{
  jn_error err = {0};
  *t = (recorder){.m = make_ready("models/pendulum.yaml", NULL, (jn_sim_opts){.end = 1.0})};
  t->r = (jn_run_result){.system = t->m.system, .model = "test", .end = 1.0};
  check(jn_record_pick(t->m.system, &(jn_run_opts){0}, &t->r.channel, &t->r.nchannel, &err), &err);
  t->r.last = calloc((size_t)t->r.nchannel, sizeof *t->r.last);
  assert_non_null(t->r.last);
  assert_int_equal(jn_body_count(t->m.system), 1);
  set_row(t, 0);
  assert_true(jn_hdf5_open(&t->h, in_folder(file), &t->r, rows, t->motion));
  assert_true(jn_output_name(&t->h.out, in_folder(file)));
}

static void end_record(recorder *t)
{
  jn_hdf5_close(&t->h, false);
  free(t->r.channel);
  free(t->r.last);
  let_go(&t->m);
}

static void next_row(recorder *t, int64_t row)
{
  set_row(t, row);
  if (!jn_hdf5_has_room(&t->h)) assert_true(jn_hdf5_flush(&t->h, false));
  assert_true(jn_hdf5_row(&t->h, t->r.last, t->motion));
}

// All rows are there, and are as they were written.
static void check_rows(jn_result *r)
{
  const int64_t n = jn_result_rows(r);
  for (int i = 0; i < jn_result_channel_count(r); i++) {
    double *x = read_column(r, i);
    for (int64_t k = 0; k < n; k++) JT_NEAR(x[k], (double)k + 1e-3 * i, 0.0);
    free(x);
  }
  double *x = read_motion(r);
  for (int64_t k = 0; k < 7 * n; k++) JT_NEAR(x[k], -(double)(k / 7) - 1e-3 * (double)(k % 7), 0.0);
  free(x);
}

static void every_number_comes_back(void **state)
{
  (void)state;
  static const double odd[] = {0.0,        -0.0,  INFINITY, -INFINITY, NAN,  0x1p-1074,
                               -0x1p-1022, 1e308, -1e308,   0.1,       M_PI, 1.0 / 3.0};
  enum { N = sizeof odd / sizeof *odd };
  recorder t;
  begin_record(&t, "odd.h5", N + 1);
  for (int k = 0; k < N; k++) {
    for (int i = 0; i < t.r.nchannel; i++) t.r.last[i] = odd[(k + i) % N];
    for (int i = 0; i < 7; i++) t.motion[i] = odd[(k + 5 * i) % N];
    assert_true(jn_hdf5_row(&t.h, t.r.last, t.motion));
  }
  assert_true(jn_hdf5_finish(&t.h, &t.r));
  jn_result *r = open_result(in_folder("odd.h5"));
  double *motion = read_motion(r);
  for (int i = 0; i < t.r.nchannel; i++) {
    double *x = read_column(r, i);
    for (int k = 0; k < N; k++) assert_memory_equal(&x[k + 1], &odd[(k + i) % N], sizeof *x);
    free(x);
  }
  for (int k = 0; k < N; k++)
    for (int i = 0; i < 7; i++)
      assert_memory_equal(&motion[7 * (k + 1) + i], &odd[(k + 5 * i) % N], sizeof *motion);
  free(motion);
  jn_result_free(r);
  // A row that was not announced has no place.
  assert_false(jn_hdf5_row(&t.h, t.r.last, t.motion));
  assert_int_equal(errno, EFBIG);
  end_record(&t);
}

#define GROWS "grows.unfinished.h5"

// Whoever looks while it grows sees what was flushed, and the number of rows is right for every reader.
static void a_growing_record_can_be_read(void **state)
{
  (void)state;
  recorder t;
  jn_lock lock;
  long holder;
  begin_record(&t, GROWS, 100000000);  // a file of 15 GB, all but a few pages of it a hole
  for (int n = 1; n <= 3000; n += 100) {
    const bool held = n > 1000;  // else nobody says that he writes it
    if (n == 1001) assert_true(jn_lock_take(&lock, in_folder("grows.lock"), &holder));
    jn_result *r = open_result(in_folder(GROWS));
    assert_int_equal(jn_result_rows(r), n);
    assert_string_equal(jn_result_text(r, "outcome"), held ? "running" : "unfinished");
    assert_true(isnan(jn_result_number(r, "wall_time")));
    check_rows(r);
    for (int k = 0; k < 100; k++) next_row(&t, n + k);
    check_rows(r);  // one that was opened before does not mind
    jn_result_free(r);
    assert_true(jn_hdf5_flush(&t.h, true));
  }
  struct stat there;
  assert_int_equal(stat(in_folder(GROWS), &there), 0);
  assert_true(there.st_size > 1000000000 && 512 * there.st_blocks < 4000000);
  t.r.outcome = JN_RUN_INTERRUPTED;
  assert_true(jn_hdf5_finish(&t.h, &t.r));
  // It has ended early: the room that was left is gone.
  assert_int_equal(stat(in_folder(GROWS), &there), 0);
  assert_true(there.st_size < 3001 * 8 * (t.r.nchannel + 8) + 100000);
  jn_result *r = open_result(in_folder(GROWS));
  assert_int_equal(jn_result_rows(r), 3001);
  assert_string_equal(jn_result_text(r, "outcome"), "interrupted");
  check_rows(r);
  jn_result_free(r);
  end_record(&t);
  jn_lock_release(&lock);
  assert_int_equal(access(in_folder("grows.lock"), F_OK), -1);
}

static void a_full_disc_is_reported(void **state)
{
  (void)state;
  if (access("/dev/full", W_OK)) JT_SKIP("there is no /dev/full");
  recorder t;
  begin_record(&t, "full.h5", 1000000);
  next_row(&t, 1);
  assert_true(jn_hdf5_flush(&t.h, true));
  const int full = open("/dev/full", O_WRONLY), file = t.h.out.file;
  t.h.out.file = full;
  bool good = true;
  int64_t n = 2;
  for (; n < 100000 && good; n++) {
    set_row(&t, n);
    good = (jn_hdf5_has_room(&t.h) || jn_hdf5_flush(&t.h, false)) &&
           jn_hdf5_row(&t.h, t.r.last, t.motion);
  }
  assert_false(good);
  assert_int_equal(errno, ENOSPC);
  close(full);
  t.h.out.file = file;
  jn_result *r = open_result(in_folder("full.h5"));
  assert_int_equal(jn_result_rows(r), 2);
  check_rows(r);
  jn_result_free(r);
  end_record(&t);
}

static void a_record_beyond_all_discs_is_refused(void **state)
{
  (void)state;
  jn_error err = {0};
  jn_run_result run;
  ready m = make_ready("models/pendulum.yaml", NULL, (jn_sim_opts){.end = 1e8});
  const jn_run_opts opts = {.out = folder, .every = 1e-3};
  assert_int_equal(jn_run(m.system, &opts, &run, &err), JN_E_LIMIT);
  assert_non_null(strstr(err.text, "more than 1 TB"));
  assert_non_null(strstr(err.text, "--every"));
  assert_int_equal(access(in_folder("pendulum.h5"), F_OK), -1);
  assert_int_equal(access(in_folder("pendulum.h5.part"), F_OK), -1);
  assert_int_equal(access(in_folder("pendulum.csv"), F_OK), -1);
  let_go(&m);
}

// ---- a writer that is killed -----------------------------------------------------------------------

// It writes, flushes and ends a record as fast as it can, so that most of its time is spent between two states
// of the file; it writes to shared memory how many rows a flush has promised, and how many records have ended. Whenever it is killed,
// the file has at least these rows, and each row is as it was written. It is killed after so many rows, or when a record has ended,
// however long that takes.
static void a_killed_writer_leaves_a_whole_file(void **state)
{
  (void)state;
  enum { KILLS = 60, ROWS = 100 };
  int64_t *promised =
      mmap(NULL, 2 * sizeof *promised, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(promised != MAP_FAILED);
  int64_t *ended = promised + 1;
  jt_random random = {20};
  int grown = 0;
  for (int k = 0; k < KILLS; k++) {
    *promised = *ended = 0;
    unlink(in_folder("killed.h5"));
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      for (;;) {
        recorder t;
        begin_record(&t, "killed.h5", ROWS);
        *promised = 1;
        for (int64_t i = 1; i < ROWS - k;
             i++) {  // ends early but for k = 0, so that it is made again
          next_row(&t, i);
          if (i % 3 && !jn_hdf5_flush(&t.h, true)) _exit(1);
          if (i % 3) *promised = i + 1;
        }
        if (!jn_hdf5_finish(&t.h, &t.r)) _exit(1);
        *promised = 1;  // the next one begins
        ++*ended;
        end_record(&t);
      }
    }
    const int64_t rows = 1 + jt_random_below(&random, ROWS - KILLS - 10);
    const bool at_end = k % 3 == 2;
    while ((at_end ? !*(volatile int64_t *)ended : *(volatile int64_t *)promised < rows) &&
           waitpid(child, NULL, WNOHANG) == 0)
      nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    kill(child, SIGKILL);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    jn_result *r = open_result(in_folder("killed.h5"));
    JT_LE((double)*promised, (double)jn_result_rows(r));
    check_rows(r);
    grown += jn_result_rows(r) > 1;
    jn_result_free(r);
  }
  assert_true(grown > KILLS / 2);  // otherwise nothing was seen
  munmap(promised, 2 * sizeof *promised);
}

// ---- what is no result -----------------------------------------------------------------------------

static void expect_refused(const char *path, const char *text)
{
  jn_error err = {0};
  char line[1024];
  jn_result *r = NULL;
  const jn_status st = jn_result_open(path, &r, &err);
  jn_error_line(&err, line, sizeof line);
  if (!st || !strstr(line, text)) print_error("%s: \"%s\", expected %s\n", path, line, text);
  assert_true(st);
  assert_non_null(strstr(line, text));
  assert_null(r);
}

static void what_is_no_result_is_refused(void **state)
{
  (void)state;
  static const struct {
    const char *text, *error;
  } list[] = {
      {"", "is empty"},
      {"hello\n", ":1:1: found \"hello\", expected names of channels, of which \"time\""},
      {"x,time\n1,2\n", ":1:1: found \"x\""},
      {"# a comment\n", "has no line of names"},
      {"time,x", "has no line of names"},  // never ended
      {"time,x\n", "has no row"},
      {"time,x\n1,2", "has no row"},
      {"time,x\n1,2\n3\n", ":3:1: has 1 numbers, expected 2"},
      {"time,x\n1,2,3\n", ":2:4: has more than 2 numbers"},
      {"time,x\n1,y\n", ":2:3: found \"y\", expected a number: x"},
      {"time,x\n1,2\n\n", ":3:1: found \"\", expected a number: time"},
      {"time,x\n1,2 3\n", ":2:3: found \"2 3\""},
      {"time,,x\n1,2,3\n", "column 2 has no name"},
      {"time,\xff\n1,2\n", ":1:1: is no result"},
      {"# units: s\ntime,x\n1,2\n", ":2:1: has 2 names, and units of 1 channels"},
      {"\x89HDF\r\n\x1a\n", "is broken, or is no result"},
      {"\x89HDF\r\n\x1a\nand more that is none", "is broken, or is no result"},
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    write_file("x.csv", list[i].text, strlen(list[i].text));
    expect_refused(in_folder("x.csv"), list[i].error);
  }
  write_file("x.csv", "\0\0\0", 3);
  expect_refused(in_folder("x.csv"), "neither HDF5 nor comma-separated values");
  unlink(in_folder("x.csv"));
  expect_refused(in_folder("x.csv"), "cannot be opened: No such file");
  expect_refused(in_folder("none/x.h5"), "cannot be opened: No such file");
  expect_refused("", "is empty or too long");
  expect_refused("/dev/null", "is no plain file, but a device, a pipe or a socket");
  expect_refused(folder, "holds no result");
  write_file("a.csv", "time\n1\n", 7);
  jn_result *r = open_result(folder);
  assert_int_equal(jn_result_rows(r), 1);
  jn_result_free(r);
  write_file("b.csv", "time\n1\n", 7);
  expect_refused(folder, "holds several results");
}

// The last row of a CSV file whose writer was killed is cut.
static void a_cut_line_is_left_out(void **state)
{
  (void)state;
  static const char text[] = "time,x\n1,20\r\n2,30\n3,4";
  write_file("cut.csv", text, sizeof text - 1);
  jn_result *r = open_result(in_folder("cut.csv"));
  assert_int_equal(jn_result_rows(r), 2);
  double *x = read_column(r, 1);
  JT_NEAR(x[0], 20.0, 0.0);
  JT_NEAR(x[1], 30.0, 0.0);
  free(x);
  jn_result_free(r);
}

// Of a file with an end cut off or bytes changed: no crash, and an error or a result that can be read.
static void broken_files_do_no_harm(void **state)
{
  (void)state;
  recorder t;
  begin_record(&t, "whole.h5", 3);
  next_row(&t, 1), next_row(&t, 2);
  assert_true(jn_hdf5_finish(&t.h, &t.r));
  size_t n;
  char *bytes = read_file("whole.h5", &n);
  const size_t head = n < 12000 ? n : 12000;
  for (int k = 0; k < 12; k++) {
    write_file("cut.h5", bytes, 8 + (n - 9) * (size_t)k / 11);
    expect_refused(in_folder("cut.h5"), "is broken, or is no result");
  }
  jt_random random = {7};
  int refused = 0;
  for (int k = 0; k < 150; k++) {
    const size_t at = 8 + (size_t)jt_random_below(&random, (int)head - 8);
    const char was = bytes[at];
    bytes[at] = (char)(was ^ 1 << jt_random_below(&random, 8));
    write_file("flip.h5", bytes, n);
    bytes[at] = was;
    jn_error err = {0};
    jn_result *r;
    if (jn_result_open(in_folder("flip.h5"), &r, &err)) {
      assert_true(err.code == JN_E_PARSE && err.text[0]);
      refused++;
      continue;
    }
    for (int i = 0; i < jn_result_channel_count(r); i++) {
      double x;
      jn_result_read(r, i, jn_result_rows(r) - 1, 1, 1, &x, &err);
    }
    jn_result_free(r);
  }
  assert_true(refused > 10 && refused < 140);
  free(bytes);
  end_record(&t);
}

// ---- results that lead elsewhere -------------------------------------------------------------------------

static const char secret[] = "nobody but its owner reads this\n";

// The model, a text, stored in a file of its own.
static void store_outside(hid_t file, const char *where)
{
  const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR),
              list = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t one = 1;
  const hid_t flat = H5Screate_simple(1, &one, NULL);
  H5Tset_size(type, sizeof secret - 1);
  assert_true(H5Pset_external(list, where, 0, sizeof secret - 1) >= 0);
  const hid_t set = H5Dcreate(file, "model", type, flat, H5P_DEFAULT, list, H5P_DEFAULT);
  assert_true(set >= 0);
  H5Dclose(set), H5Sclose(flat), H5Pclose(list), H5Sclose(space), H5Tclose(type);
}

// Times: with a filter, or as a view of another file's.
static void store_times(hid_t file, bool filtered)
{
  const hsize_t rows = 3;
  const double time[3] = {0, 1, 2};
  const hid_t space = H5Screate_simple(1, &rows, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
  if (filtered)
    assert_true(H5Pset_chunk(list, 1, &rows) >= 0 && H5Pset_shuffle(list) >= 0);
  else
    assert_true(H5Pset_virtual(list, space, in_folder("other.h5"), "time", space) >= 0);
  const hid_t set = H5Dcreate(file, "time", H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
  assert_true(set >= 0);
  if (filtered)
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, time) >= 0);
  H5Dclose(set), H5Pclose(list), H5Sclose(space);
}

typedef enum lead {
  LEAD_STORAGE,
  LEAD_PIPE,
  LEAD_LINK,
  LEAD_SOFT,
  LEAD_SOFT_TIME,
  LEAD_SOFT_SCENARIO,
  LEAD_VIEW,
  LEAD_FILTER,
  LEADS
} lead;

static void mislead(hid_t file, lead how)
{
  const bool time = how == LEAD_SOFT_TIME || how == LEAD_VIEW || how == LEAD_FILTER;
  if (how != LEAD_SOFT_SCENARIO)
    assert_true(H5Ldelete(file, time ? "time" : "model", H5P_DEFAULT) >= 0);
  if (how == LEAD_STORAGE) store_outside(file, in_folder("secret"));
  if (how == LEAD_PIPE) store_outside(file, in_folder("pipe"));
  if (how == LEAD_LINK)
    H5Lcreate_external(in_folder("other.h5"), "/model", file, "model", H5P_DEFAULT, H5P_DEFAULT);
  if (how == LEAD_SOFT) H5Lcreate_soft("/body_names", file, "model", H5P_DEFAULT, H5P_DEFAULT);
  if (how == LEAD_SOFT_TIME) H5Lcreate_soft("/motion", file, "time", H5P_DEFAULT, H5P_DEFAULT);
  if (how == LEAD_SOFT_SCENARIO)
    H5Lcreate_soft("/model", file, "scenario", H5P_DEFAULT, H5P_DEFAULT);
  if (how == LEAD_VIEW || how == LEAD_FILTER) store_times(file, how == LEAD_FILTER);
}

// A result may come from anybody. None of another file's contents gets into what is made of it, and no pipe is waited for.
static void results_that_lead_to_other_files_are_refused(void **state)
{
  (void)state;
  static const char *const text[LEADS] = {
      [LEAD_STORAGE] = "model: is stored in another file",
      [LEAD_PIPE] = "model: is stored in another file",
      [LEAD_LINK] = "model: is a link",
      [LEAD_SOFT] = "model: is a link",
      [LEAD_SOFT_TIME] = "time: is a link",
      [LEAD_SOFT_SCENARIO] = "scenario: is a link",
      [LEAD_VIEW] = "time: is stored in another file",
      [LEAD_FILTER] = "time: is not contiguous",
  };
  recorder t;
  size_t n;
  write_file("secret", secret, sizeof secret - 1);
  assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
  begin_record(&t, "other.h5", 3);
  next_row(&t, 1), next_row(&t, 2);
  assert_true(jn_hdf5_finish(&t.h, &t.r));
  end_record(&t);
  char *bytes = read_file("other.h5", &n);
  for (int how = 0; how < LEADS; how++) {
    write_file("x.h5", bytes, n);
    const hid_t file = H5Fopen(in_folder("x.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    mislead(file, (lead)how);
    assert_true(H5Fclose(file) >= 0);
    expect_refused(in_folder("x.h5"), text[how]);
  }
  write_file("x.h5", bytes, n);
  jn_result_free(open_result(in_folder("x.h5")));  // as it was made
  free(bytes);
  expect_refused(in_folder("pipe"), "is no plain file, but a device, a pipe or a socket");
  assert_int_equal(symlink("pipe", in_folder("pipe.csv")), 0);
  expect_refused(in_folder("pipe.csv"), "is no plain file, but a device, a pipe or a socket");
}

// More of anything than a result has is refused before it takes memory.
static void texts_beyond_all_limits_are_refused(void **state)
{
  (void)state;
  char head[512];
  const int n = snprintf(head, sizeof head, "# %0300d\ntime,x\n0,1\n", 0);
  write_file("long.csv", head, (size_t)n);
  assert_int_equal(truncate(in_folder("long.csv"), 20 << 20),
                   0);  // zeros up to there, without an end of line
  expect_refused(in_folder("long.csv"), ":4:1: is a line of more than 16777216 bytes");
  assert_int_equal(truncate(in_folder("long.csv"), (off_t)3 << 30), 0);
  expect_refused(in_folder("long.csv"), "is larger than 1 GB");
  expect_refused("/proc/version", "is empty");  // a file of the kernel's, which has no size

  recorder t;
  begin_record(&t, "x.h5", 3);
  next_row(&t, 1), next_row(&t, 2);
  assert_true(jn_hdf5_finish(&t.h, &t.r));
  end_record(&t);
  const hid_t file = H5Fopen(in_folder("x.h5"), H5F_ACC_RDWR, H5P_DEFAULT),
              space = H5Screate(H5S_SCALAR);
  for (int i = 0; i < 1200; i++) {
    char name[32];
    snprintf(name, sizeof name, "attribute %d", i);
    const hid_t a = H5Acreate(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(a >= 0 && H5Awrite(a, H5T_NATIVE_DOUBLE, &(double){1.0}) >= 0);
    H5Aclose(a);
  }
  H5Sclose(space);
  assert_true(H5Fclose(file) >= 0);
  expect_refused(in_folder("x.h5"), "attributes: is broken");
}

// ---- the folder --------------------------------------------------------------------------------------

static int enter(void **state)
{
  (void)state;
  strcpy(folder, "/tmp/jounce-result-XXXXXX");
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

#define TEST(f) cmocka_unit_test_setup_teardown(f, enter, leave)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(records_have_the_rows_of_the_engine),
      TEST(rows_are_read_in_strides),
      TEST(motion_carries_joint_points),
      TEST(results_say_what_was_run),
      TEST(texts_may_be_long_and_strange),
      TEST(every_number_comes_back),
      TEST(a_growing_record_can_be_read),
      TEST(a_full_disc_is_reported),
      TEST(a_record_beyond_all_discs_is_refused),
      TEST(a_killed_writer_leaves_a_whole_file),
      TEST(what_is_no_result_is_refused),
      TEST(a_cut_line_is_left_out),
      TEST(broken_files_do_no_harm),
      TEST(results_that_lead_to_other_files_are_refused),
      TEST(texts_beyond_all_limits_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
