// `jounce run`: what it records, what it prints, how it ends.
#define _GNU_SOURCE  // nftw
#include <ftw.h>
#include <jansson.h>

#include "cli/command.h"
#include "jounce/jounce.h"
#include "jounce/run.h"

static char root[PATH_MAX];  // the project
static char folder[64];      // where the command runs
static jt_run run;

#define P "models/pendulum.yaml"

// ---- helpers -------------------------------------------------------------------------------------

#define RUN(...)                                                \
  do {                                                          \
    const char *const arguments[] = {"run", __VA_ARGS__, NULL}; \
    jt_command(folder, arguments, &run);                        \
  } while (0)

static char *read_whole(const char *name)
{
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *in = fopen(path, "rb");
  if (!in) return NULL;
  fseek(in, 0, SEEK_END);
  long n = ftell(in);
  rewind(in);
  char *text = malloc((size_t)n + 1);
  assert_non_null(text);
  assert_int_equal(fread(text, 1, (size_t)n, in), n);
  text[n] = 0;
  fclose(in);
  return text;
}

static void write_file(const char *name, const char *text)
{
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fputs(text, out);
  assert_int_equal(fclose(out), 0);
}

static int count_columns(const char *line)
{
  int n = 1;
  for (; *line && *line != '\n'; line++) n += *line == ',';
  return n;
}

// Lines of a record: comments, names, rows; every row has all its columns and ends.
typedef struct record {
  char *text;
  const char *names;
  int ncolumn, nrow;
  const char *row[20000];
} record;

static void take_record(record *r, char *text)
{
  assert_non_null(text);
  *r = (record){.text = text};
  const char *line = text;
  for (; *line == '#'; line = strchr(line, '\n') + 1) assert_non_null(strchr(line, '\n'));
  r->names = line;
  r->ncolumn = count_columns(line);
  assert_int_equal(strncmp(line, "time", 4), 0);
  for (line = strchr(line, '\n') + 1; *line && *line != '#'; line = strchr(line, '\n') + 1) {
    assert_non_null(strchr(line, '\n'));
    assert_int_equal(count_columns(line), r->ncolumn);
    assert_true(r->nrow < 20000);
    r->row[r->nrow++] = line;
  }
}

static json_t *take_json(void)
{
  json_error_t err;
  json_t *o = json_loads(run.out, JSON_REJECT_DUPLICATES, &err);
  if (!o) print_error("%s: %s\n", err.text, run.out);
  assert_non_null(o);
  return o;
}

static double number_at(const json_t *o, const char *key)
{
  const json_t *x = json_object_get(o, key);
  if (!json_is_number(x)) print_error("%s is no number\n", key);
  assert_true(json_is_number(x));
  return json_number_value(x);
}

// ---- records ---------------------------------------------------------------------------------------

static void record_has_the_rows_of_the_engine(void **state)
{
  (void)state;
  static record r;
  jn_spec *spec;
  jn_model *model;
  jn_system *system;
  jn_data *data;
  jn_error err;
  const jn_sim_opts opts = {.step = 2e-3, .end = 0.1};
  RUN("models/slider-crank.yaml", "--step", "2e-3", "--end=0.1", "--record", "*");
  assert_int_equal(run.code, 0);
  take_record(&r, read_whole("results/slider-crank.csv"));
  assert_int_equal(r.nrow, 51);

  assert_int_equal(jn_spec_load("models/slider-crank.yaml", NULL, 0, &spec, &err), 0);
  assert_int_equal(jn_model_compile(spec, NULL, &model, &err), 0);
  assert_int_equal(jn_system_create(model, NULL, &opts, &system, &err), 0);
  assert_int_equal(jn_data_create(system, &data, &err), 0);
  assert_int_equal(r.ncolumn, jn_channel_count(system));
  const char *name = r.names;
  for (int k = 0; k < r.ncolumn; k++) {
    const size_t n = strcspn(name, ",\n");
    assert_int_equal(n, strlen(jn_channel_at(system, k).name));
    assert_int_equal(strncmp(name, jn_channel_at(system, k).name, n), 0);
    name += n + 1;
  }
  for (int i = 0; i < r.nrow; i++) {
    assert_int_equal(jn_evaluate(system, data), 0);
    const char *at = r.row[i];
    for (int k = 0; k < r.ncolumn; k++) {
      char *behind;
      const double x = strtod(at, &behind);
      assert_true(*behind == (k + 1 < r.ncolumn ? ',' : '\n'));
      assert_memory_equal(&x, &jn_row(data)[k], sizeof x);  // every bit
      at = behind + 1;
    }
    if (i < 50) assert_int_equal(jn_step(system, data), 0);
  }
  jn_data_free(data);
  jn_system_free(system);
  jn_model_free(model);
  jn_spec_free(spec);
  free(r.text);
}

static void record_says_what_was_run(void **state)
{
  (void)state;
  RUN("models/pendulum.yaml", "--end", "0.01", "--integrator", "rk4", "--record", "P.x", "--out",
      "a/b");
  assert_int_equal(run.code, 0);
  assert_string_equal(run.err, "");
  assert_non_null(strstr(run.out, "a/b/pendulum.csv: 11 rows, 2 channels"));
  char *text = read_whole("a/b/pendulum.csv");
  assert_non_null(text);
  char begin[512];
  snprintf(begin, sizeof begin,
           "# jounce %s\n# model: simple pendulum (models/pendulum.yaml)\n"
           "# solver: subsystem, rk4, projection, step 0.001 s, end 0.01 s\n# units: s,m\n"
           "time,P.x\n0,-1\n0.001,",
           jn_version());
  assert_int_equal(strncmp(text, begin, strlen(begin)), 0);
  free(text);
}

static void usual_record_leaves_much_out(void **state)
{
  (void)state;
  static record r;
  RUN("models/slider-crank.yaml", "--end", "0.001", "--out", "-");
  assert_int_equal(run.code, 0);
  assert_non_null(strstr(run.err, "standard output: 2 rows"));
  take_record(&r, strdup(run.out));
  *strchr((char *)r.names, '\n') = 0;
  static const char *const in[] = {"time,",           ",crank.x,",     ",rod.roll,",
                                   ",rod.vx,",        ",rod.wz,",      ",joint.A.angle,",
                                   ",joint.A.speed,", ",solver.energy"};
  static const char *const out[] = {".qw", ".ax", ".dwx", ".fx", ".mz", ".accel"};
  for (size_t i = 0; i < sizeof in / sizeof *in; i++) assert_non_null(strstr(r.names, in[i]));
  for (size_t i = 0; i < sizeof out / sizeof *out; i++) assert_null(strstr(r.names, out[i]));
  free(r.text);
  assert_int_equal(jt_count_files(folder), 2);  // what it was given, nothing else
}

static void rows_come_as_often_as_asked(void **state)
{
  (void)state;
  static record r;
  static const struct {
    const char *arguments[6];
    int rows;
    double second, last;
    const char *note;
  } list[] = {
      {{"--end", "0.05", "--every", "0.01"}, 6, 0.01, 0.05, NULL},
      {{"--end", "0.05", "--every", "0.02"}, 4, 0.02, 0.05, NULL},  // the last one always
      {{"--end", "0.05", "--every", "0.0104"}, 6, 0.01, 0.05, "every 0.01 s"},
      {{"--end", "0.05", "--every", "1e-5"}, 51, 0.001, 0.05, "every 0.001 s"},
      {{"--end", "0.05", "--every", "7"}, 2, 0.05, 0.05, NULL},
      {{"--end", "0.0504"}, 52, 0.001, 0.051, "it runs to 0.051 s"},
      {{"--end", "0.0001"}, 2, 0.001, 0.001, "it runs to 0.001 s"},
      {{"--end", "2.5", "--step", "1e-4"}, 8335, 0.0003, 2.5, NULL},
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    const char *const *a = list[i].arguments;
    RUN("models/pendulum.yaml", "--record", "P.x", a[0], a[1], a[2], a[3]);
    assert_int_equal(run.code, 0);
    take_record(&r, read_whole("results/pendulum.csv"));
    assert_int_equal(r.nrow, list[i].rows);
    JT_NEAR(strtod(r.row[1], NULL), list[i].second, 1e-12);
    JT_NEAR(strtod(r.row[r.nrow - 1], NULL), list[i].last, 1e-12);
    if (list[i].note) assert_non_null(strstr(run.out, list[i].note));
    assert_int_equal(strstr(run.out, "note") != NULL, list[i].note != NULL);
    free(r.text);
  }
}

// ---- scenarios -------------------------------------------------------------------------------------

static void a_stop_condition_ends_the_run(void **state)
{
  (void)state;
  static record r;
  write_file("stop.yaml",
             "jounce: 1\nscenario: until it is low\nend: 5\nrecord: {channels: P.*, every: 0.1}\n"
             "stop:\n  never: {channel: P.z, above: 1}\n  low: {channel: P.y, below: -0.5}\n");
  RUN("models/pendulum.yaml", "stop.yaml", "--json");
  assert_int_equal(run.code, 0);
  json_t *o = take_json();
  assert_string_equal(json_string_value(json_object_get(o, "stopped")), "low");
  assert_true(json_is_true(json_object_get(o, "ok")));
  assert_string_equal(json_string_value(json_object_get(o, "scenario")), "until it is low");
  const double t = number_at(o, "time");
  JT_NEAR(t, 0.329, 1e-12);  // it is there at 0.32823 s
  json_t *final = json_object_get(o, "final");
  JT_NEAR(number_at(final, "time"), t, 0.0);
  JT_NEAR(number_at(final, "P.y"), -0.5, 0.004);
  take_record(&r, read_whole("results/stop.csv"));
  assert_int_equal(r.nrow, (int)(t / 0.1) + 2);  // the row that stopped it is the last one
  JT_NEAR(strtod(r.row[r.nrow - 1], NULL), t, 0.0);
  free(r.text);
  json_decref(o);
}

// How it is computed is reported, and may be chosen; what comes out is the same to rounding.
static void a_run_reports_its_path(void **state)
{
  (void)state;
  static const struct {
    const char *path, *text;
  } all[] = {{"auto", "lanes: 4 of 4, "},
             {"list", "lanes: 4 of 4, by operation lists"},
             {"narrow", "lanes: 4 of 4, by operation lists, one lane at a time"},
             {"general", "general: the general path was asked for"}};
  double x[4];
  for (int i = 0; i < 4; i++) {
    RUN("models/peer-vehicle.yaml", "scenarios/peer-vehicle.yaml", "--json", "--end", "1.2",
        "--path", all[i].path);
    assert_int_equal(run.code, 0);
    json_t *o = take_json();
    const char *text = json_string_value(json_object_get(o, "path"));
    if (strncmp(text, all[i].text, strlen(all[i].text)) != 0)
      fail_msg("path %s: %s", all[i].path, text);
    x[i] = number_at(json_object_get(o, "final"), "chassis.y");
    json_decref(o);
  }
  assert_true(x[1] == x[0] && x[2] == x[0]);  // the same operations in the same order
  JT_NEAR(x[3], x[0], 1e-9);
  RUN("models/peer-vehicle.yaml", "--end", "0.01", "--formulation", "recursive");
  assert_non_null(strstr(run.out, "path         general: lanes are for formulation subsystem"));
}

static void the_call_is_stronger_than_the_scenario(void **state)
{
  (void)state;
  RUN("models/pendulum.yaml", "scenarios/pendulum.yaml", "--json", "--end", "0.02", "--step",
      "2e-3", "--integrator", "rk2", "--formulation", "recursive", "--stabilize", "none");
  assert_int_equal(run.code, 0);
  json_t *o = take_json();
  assert_string_equal(json_string_value(json_object_get(o, "formulation")), "recursive");
  assert_string_equal(json_string_value(json_object_get(o, "integrator")), "rk2");
  assert_string_equal(json_string_value(json_object_get(o, "stabilization")), "none");
  JT_NEAR(number_at(o, "step"), 2e-3, 0.0);
  JT_NEAR(number_at(o, "end"), 0.02, 0.0);
  JT_NEAR(number_at(o, "steps"), 10, 0.0);
  json_decref(o);
  RUN("models/pendulum.yaml", "scenarios/pendulum.yaml", "--json", "--end", "0.02", "--integrator",
      "reference");
  assert_int_equal(run.code, 0);
  o = take_json();
  assert_string_equal(json_string_value(json_object_get(o, "integrator")), "reference");
  assert_true(json_is_null(json_object_get(json_object_get(o, "us_per_step"), "median")));
  JT_NEAR(number_at(json_object_get(o, "record"), "rows"), 21, 0.0);
  JT_LE(number_at(o, "energy_drift"), 1e-10);
  json_decref(o);
}

// The model that a scenario is called after: the longest name that its own begins with.
static void model_of(const char *scenario, char *model, size_t size)
{
  snprintf(model, size, "models/%s", scenario);
  for (char *end; access(model, R_OK) && (end = strrchr(model, '-'));) strcpy(end, ".yaml");
}

static void every_scenario_runs_with_its_model(void **state)
{
  (void)state;
  static record r;
  int n = 0, wrong = 0;
  DIR *d = opendir("scenarios");
  assert_non_null(d);
  for (const struct dirent *e; (e = readdir(d));) {
    char model[PATH_MAX], scenario[PATH_MAX], name[PATH_MAX];
    const char *dot = strrchr(e->d_name, '.');
    if (!dot || strcmp(dot, ".yaml") || !strcmp(e->d_name, "example-inputs.yaml")) continue;
    model_of(e->d_name, model, sizeof model);
    snprintf(scenario, sizeof scenario, "scenarios/%s", e->d_name);
    snprintf(name, sizeof name, "results/%.*s.csv", (int)(dot - e->d_name), e->d_name);
    RUN(model, scenario, "--json");
    n++;
    if (run.code || run.err[0] || run.hung) {
      print_error("%s: exit code %d: %s\n", scenario, run.code, run.err);
      wrong++;
      continue;
    }
    json_t *o = take_json();
    take_record(&r, read_whole(name));
    JT_NEAR(number_at(o, "time"), number_at(o, "end"), 1e-9);
    JT_NEAR(number_at(json_object_get(o, "record"), "rows"), r.nrow, 0.0);
    JT_NEAR(number_at(json_object_get(o, "record"), "channels"), r.ncolumn, 0.0);
    assert_int_equal(json_object_size(json_object_get(o, "final")), r.ncolumn);
    if (number_at(o, "max_position_norm") > 1e-9 || number_at(o, "max_velocity_norm") > 1e-9) {
      print_error("%s: position errors of loops %g, %g\n", scenario,
                  number_at(o, "max_position_norm"), number_at(o, "max_velocity_norm"));
      wrong++;
    }
    free(r.text);
    json_decref(o);
  }
  closedir(d);
  assert_true(n >= 15);
  assert_int_equal(wrong, 0);
}

// ---- JSON --------------------------------------------------------------------------------------------

static void json_has_all_keys(void **state)
{
  (void)state;
  static const char *const keys[] = {"model",
                                     "scenario",
                                     "formulation",
                                     "integrator",
                                     "stabilization",
                                     "path",
                                     "step",
                                     "end",
                                     "bodies",
                                     "joints",
                                     "coordinates",
                                     "constraints",
                                     "dof",
                                     "ok",
                                     "error",
                                     "stopped",
                                     "interrupted",
                                     "time",
                                     "steps",
                                     "wall_time",
                                     "us_per_step",
                                     "realtime_factor",
                                     "us_per_row",
                                     "step_share",
                                     "max_position_norm",
                                     "max_velocity_norm",
                                     "energy_drift",
                                     "energy_in_play",
                                     "doubt",
                                     "path_difference",
                                     "events",
                                     "notes",
                                     "record",
                                     "final"};
  RUN("models/bricard.yaml", "--end", "0.1", "--json");
  assert_int_equal(run.code, 0);
  assert_string_equal(run.err, "");
  json_t *o = take_json();
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    if (!json_object_get(o, keys[i])) print_error("no %s\n", keys[i]);
    assert_non_null(json_object_get(o, keys[i]));
  }
  assert_int_equal(json_object_size(o), sizeof keys / sizeof *keys);
  assert_true(json_is_null(json_object_get(o, "scenario")));
  assert_true(json_is_null(json_object_get(o, "stopped")));
  assert_true(json_is_null(json_object_get(o, "error")));
  JT_NEAR(number_at(o, "bodies"), 5, 0.0);
  JT_NEAR(number_at(o, "joints"), 6, 0.0);
  JT_NEAR(number_at(o, "dof"), 1, 0.0);
  JT_NEAR(number_at(o, "steps"), 100, 0.0);
  const json_t *us = json_object_get(o, "us_per_step");
  JT_LE(1e-3, number_at(us, "median"));
  JT_LE(number_at(us, "median"), number_at(us, "p99"));
  JT_LE(number_at(us, "p99"), number_at(us, "max"));
  JT_LE(number_at(us, "mean"), number_at(us, "max"));
  JT_NEAR(number_at(o, "realtime_factor"), 1e6 * 1e-3 / number_at(us, "mean"),
          1e-6 * number_at(o, "realtime_factor"));
  const json_t *row = json_object_get(o, "us_per_row");
  JT_LE(1e-3, number_at(row, "evaluate"));
  JT_LE(1e-3, number_at(row, "record"));
  JT_LE(number_at(o, "step_share"), 1.0);
  const json_t *files = json_object_get(o, "record");
  assert_string_equal(json_string_value(json_object_get(files, "file")), "results/bricard.csv");
  assert_string_equal(json_string_value(json_object_get(files, "hdf5")), "results/bricard.h5");
  json_decref(o);
}

// ---- failures ------------------------------------------------------------------------------------------

static void a_run_that_fails_keeps_its_record(void **state)
{
  (void)state;
  static record r;
  RUN("models/flyball.yaml", "--integrator", "euler", "--step", "1e-3");
  assert_int_equal(run.code, 1);
  double t = 0.0;
  char body[64] = "";
  assert_int_equal(sscanf(run.err, "jounce: failed at t = %lf s: body %63[a-z0-9]:", &t, body), 2);
  assert_true(t > 0.0 && t < 1.0);
  assert_true(!strcmp(body, "shaft") || !strcmp(body, "slider") || !strncmp(body, "rod", 3));
  assert_non_null(strstr(run.err, "the motion has diverged"));
  assert_non_null(strstr(run.err, "; results/flyball.h5 has the "));
  assert_non_null(strstr(run.out, "record "));
  assert_true(strchr(run.err, '\n') == run.err + strlen(run.err) - 1);
  take_record(&r, read_whole("results/flyball.csv"));
  assert_int_equal(r.nrow, (int)round(t / 1e-3));  // all rows before that time
  assert_null(strstr(r.text, "nan"));
  free(r.text);

  // Rows seldom, and still the last good one is there.
  RUN("models/flyball.yaml", "--integrator", "euler", "--step", "1e-3", "--every", "0.5", "--json");
  assert_int_equal(run.code, 1);
  json_t *o = take_json();
  assert_true(json_is_false(json_object_get(o, "ok")));
  const json_t *e = json_object_get(o, "error");
  JT_NEAR(number_at(e, "time"), t, 1e-12);
  assert_string_equal(json_string_value(json_object_get(e, "body")), body);
  assert_non_null(strstr(json_string_value(json_object_get(e, "text")), "the motion has diverged"));
  JT_NEAR(number_at(o, "time"), t - 1e-3, 1e-12);
  take_record(&r, read_whole("results/flyball.csv"));
  assert_int_equal(r.nrow, 2);
  JT_NEAR(strtod(r.row[1], NULL), t - 1e-3, 1e-12);
  free(r.text);
  json_decref(o);
}

static void a_loop_that_opens_is_a_failure(void **state)
{
  (void)state;
  RUN("models/andrews.yaml", "--stabilize", "none", "--integrator", "euler", "--step", "1e-3",
      "--end", "1");
  assert_int_equal(run.code, 1);
  assert_non_null(strstr(run.err, "jounce: failed at t = "));
}

static void end_by(int number)
{
  static record r;
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/results/pendulum.unfinished.csv", folder);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    int null = open("/dev/null", O_RDWR);
    if (chdir(folder) || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0) _exit(126);
    signal(number, SIG_DFL);  // ignored in the background of a script
    execl(JN_COMMAND, "jounce", "run", "models/pendulum.yaml", "--end", "1e6", (char *)NULL);
    _exit(127);
  }
  const double give_up = jt_now() + JT_PATIENCE_S;
  while (access(path, F_OK) && jt_now() < give_up)
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
  kill(child, number), kill(child, number);  // as `timeout` does: to the program, and to its group
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 128 + number);
  take_record(&r, read_whole("results/pendulum.csv"));
  assert_true(r.nrow >= 1);
  free(r.text);
  snprintf(path, sizeof path, "%s/results", folder);
  assert_int_equal(jt_count_files(path), 2);  // no lock, nothing unfinished
}

static void an_interrupted_run_keeps_its_record(void **state)
{
  (void)state;
  end_by(SIGINT), end_by(SIGTERM), end_by(SIGHUP);
}

// As a shell's ulimit -f gives it, in blocks of 512 or 1024 bytes: in CSV, of which some fits, and in HDF5, where the library fails at once,
// fails when it closes the file (with an exit handler that comes after the message), or is far from failing.
static void a_limit_of_file_sizes_is_a_failure(void **state)
{
  (void)state;
  static const struct {
    const char *format;
    int blocks;
  } limited[] = {{"csv", 40}, {"hdf5", 40}, {"hdf5", 130}, {"hdf5", 150}, {"hdf5", 400}};
  for (size_t i = 0; i < sizeof limited / sizeof *limited; i++) {
    char command[2 * PATH_MAX + 300];
    snprintf(command, sizeof command,
             "cd %s && ulimit -f %d && %s run models/pendulum.yaml --end 20 --format %s --save "
             "lost.state > message 2>&1",
             folder, limited[i].blocks, JN_COMMAND, limited[i].format);
    const int status = system(command);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
    char *text = read_whole("message");
    assert_non_null(text);
    assert_non_null(strstr(text, "the record cannot be written: File too large"));
    free(text);
    assert_null(read_whole("lost.state"));
  }
}

static void a_full_disk_is_a_failure(void **state)
{
  (void)state;
  if (access("/dev/full", W_OK)) JT_SKIP("there is no /dev/full");
  char command[PATH_MAX + 200];
  snprintf(command, sizeof command, "%s run models/pendulum.yaml --out - > /dev/full 2> %s/message",
           JN_COMMAND, folder);
  const int status = system(command);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 1);
  char *text = read_whole("message");
  assert_non_null(text);
  assert_non_null(strstr(text, "the record cannot be written: No space left on device"));
  free(text);
}

// ---- files -------------------------------------------------------------------------------------------

static void set_aside(const char *name)  // a copy, to be compared with
{
  char command[2 * PATH_MAX];
  snprintf(command, sizeof command, "cd %s && cp %s aside", folder, name);
  assert_int_equal(system(command), 0);
}

static void expect_kept(const char *name)
{
  char command[2 * PATH_MAX];
  snprintf(command, sizeof command, "cd %s && cmp aside %s", folder, name);
  assert_int_equal(system(command), 0);
}

static void expect_one_line(const char *text)
{
  if (!strstr(run.err, text)) print_error("\"%s\", expected: %s\n", run.err, text);
  assert_non_null(strstr(run.err, text));
  assert_true(strchr(run.err, '\n') == run.err + strlen(run.err) - 1);
}

// By whatever names: no record, report, table or state takes the place of what it is made from.
static void nothing_is_written_over_what_is_read(void **state)
{
  (void)state;
  static const char model[] =
      "jounce: 1\ninclude: part.csv\nbodies: {a: {mass: 1, cg: [0, 0, 0], inertia: [1, 1, 1]}}\n";
  static const char part[] = "joints: {j: {type: free, bodies: [ground, a]}}\n";
  char path[2][PATH_MAX];
  write_file("m.csv", model);
  write_file("part.csv", part);
  write_file("s.csv", "jounce: 1\nscenario: s\nend: 0.01\n");
  static const char *const calls[][6] = {{"m.csv", "--out", "."},
                                         {"m.csv", "--out", "./", "--format", "csv"},
                                         {"m.csv", "s.csv", "--out", "."},
                                         {"m.csv", "--out", ".", "--name", "part"},
                                         {"m.csv", "--name", "link", "--out", "."}};
  static const char *const read[] = {"m.csv", "m.csv", "s.csv", "part.csv", "m.csv"};
  snprintf(path[0], PATH_MAX, "%s/m.csv", folder);
  snprintf(path[1], PATH_MAX, "%s/link.csv", folder);
  assert_int_equal(link(path[0], path[1]), 0);
  const int before = jt_count_files(folder);
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    set_aside(read[i]);
    RUN(calls[i][0], calls[i][1], calls[i][2], calls[i][3], calls[i][4], calls[i][5]);
    assert_int_equal(run.code, 2);
    expect_one_line("the record would be written over this file, which the run reads");
    expect_kept(read[i]);
    assert_int_equal(jt_count_files(folder), before + 1);  // the one that was set aside
  }
  RUN(P, "--end", "0.01", "--save", "old.state");
  assert_int_equal(run.code, 0);
  set_aside("old.state");
  RUN(P, "--end", "0.02", "--from", "old.state", "--save", "./old.state");
  assert_int_equal(run.code, 2);
  expect_one_line("the state cannot be saved here: the run goes on from this file");
  expect_kept("old.state");
  static const char *const made_of[][7] = {
      {"plot", "results/pendulum.h5", "--out", "results/pendulum.h5"},
      {"plot", "results/pendulum.h5", "--out", "results/../results/pendulum.h5"},
      {"plot", "results/pendulum.csv", "--out", "results/pendulum.csv"},
      {"tyre", "t.tir", "--out", "t.tir"},
      {"tyre", "t.tir", "--at", "p.csv", "--out", "p.csv"},
      {"tyre", "t.tir", "--at", "p.csv", "--out", "t.tir"}};
  char command[2 * PATH_MAX + 100];
  snprintf(command, sizeof command, "cp %s/models/tyres/sample.tir %s/t.tir", root, folder);
  assert_int_equal(system(command), 0);
  write_file("p.csv", "kappa,alpha_rad,gamma_rad,Fz_N,p_Pa,vx_mps\n0,0,0,4000,,10\n");
  for (size_t i = 0; i < sizeof made_of / sizeof *made_of; i++) {
    const char *const *a = made_of[i], *out = a[4] ? a[5] : a[3];
    set_aside(out);
    jt_command(folder, a, &run);
    assert_int_equal(run.code, 2);
    expect_one_line("it is made from this file; name another one");
    expect_kept(out);
  }
}

// Nobody else's file of a lock's name is taken for one.
static void a_file_called_as_the_lock_is_kept(void **state)
{
  (void)state;
  write_file("pendulum.lock", "somebody's list\n");
  set_aside("pendulum.lock");
  RUN(P, "--end", "0.01", "--out", ".");
  assert_int_equal(run.code, 2);
  expect_kept("pendulum.lock");
  write_file("pendulum.lock", "12345\n");  // of a run that was killed
  RUN(P, "--end", "0.01", "--out", ".");
  assert_int_equal(run.code, 0);
}

// Names of records.
static void a_record_has_the_name_that_is_asked_for(void **state)
{
  (void)state;
  RUN(P, "--end", "0.01", "--name", "my run.v2", "--out", "a");
  assert_int_equal(run.code, 0);
  assert_non_null(strstr(run.out, "a/my run.v2.h5 and a/my run.v2.csv: 11 rows"));
  static const char *const wrong[] = {"a/b", ".", "..", "x.unfinished"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    RUN(P, "--end", "0.01", "--name", wrong[i]);
    assert_int_equal(run.code, 2);
    expect_one_line("a record cannot be called");
  }
  RUN(P, "--end", "0.01", "--name", "x", "--out", "-");
  assert_int_equal(run.code, 2);
  expect_one_line("choose one of --name and --out -");
}

// A folder has the name of a file: nothing is made, and the other file is as it was.
static void a_record_whose_name_is_a_folder_is_refused(void **state)
{
  (void)state;
  char path[PATH_MAX];
  RUN(P, "--end", "0.01", "--format", "csv");
  assert_int_equal(run.code, 0);
  set_aside("results/pendulum.csv");
  snprintf(path, sizeof path, "%s/results/pendulum.h5", folder);
  assert_int_equal(mkdir(path, 0777), 0);
  RUN(P, "--end", "0.02");
  assert_int_equal(run.code, 2);
  expect_one_line("the record cannot be written: Is a directory");
  expect_kept("results/pendulum.csv");
  snprintf(path, sizeof path, "%s/results", folder);
  assert_int_equal(jt_count_files(path), 2);
}

static void run_shell(const char *how)
{
  char command[3 * PATH_MAX];
  snprintf(command, sizeof command, "cd %s && J=%s && %s", folder, JN_COMMAND, how);
  const int status = system(command);
  assert_true(WIFEXITED(status));
  run = (jt_run){.code = WEXITSTATUS(status)};
  char *err = read_whole("err");
  assert_non_null(err);
  snprintf(run.err, sizeof run.err, "%s", err);
  free(err);
}

// What is printed and does not arrive is an error, in one line, and no file gets it instead.
static void standard_output_that_takes_nothing_is_reported(void **state)
{
  (void)state;
  static const char *const calls[] = {"check models/pendulum.yaml",
                                      "check models/pendulum.yaml --json",
                                      "check models/pendulum.yaml --channels",
                                      "check models/pendulum.yaml --expand",
                                      "check models/pendulum.yaml --diagram -",
                                      "equilibrium models/pendulum.yaml",
                                      "equilibrium models/pendulum.yaml --json",
                                      "topology models/pendulum.yaml",
                                      "topology models/pendulum.yaml --json",
                                      "topology models/hmmwv.yaml --dot",
                                      "run models/pendulum.yaml --end 0.01",
                                      "run models/pendulum.yaml --end 0.01 --json",
                                      "plot results/pendulum.h5",
                                      "plot results/pendulum.h5 --out -",
                                      "tyre models/tyres/sample.tir",
                                      "tyre models/tyres/sample.tir --json",
                                      "tyre models/tyres/sample.tir --out -",
                                      "--version",
                                      "--help",
                                      "help run",
                                      "run --help"};
  static const char *const to[] = {"> /dev/full", ">&-", ">&- <&-"};
  RUN(P, "--end", "0.01");
  assert_int_equal(run.code, 0);
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    for (size_t k = 0; k < sizeof to / sizeof *to; k++) {
      char how[300];
      snprintf(how, sizeof how, "$J %s %s 2> err", calls[i], to[k]);
      run_shell(how);
      if (run.code != 2) print_error("%s: exit code %d, %s\n", how, run.code, run.err);
      assert_int_equal(run.code, 2);
      expect_one_line(k == 0 ? "No space left on device" : "Bad file descriptor");
    }
  run_shell(
      "$J run models/pendulum.yaml --end 0.01 --name closed >&- 2>&- <&-; code=$?; > err; exit "
      "$code");
  assert_int_equal(run.code, 2);
  jn_error err = {0};
  jn_result *r;
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/results/closed.h5", folder);
  assert_int_equal(jn_result_open(path, &r, &err), JN_OK);  // and nothing that was printed is in it
  assert_int_equal(jn_result_rows(r), 11);
  jn_result_free(r);
}

// ---- formats -----------------------------------------------------------------------------------------

// One run, and the same in two, the second from what the first has saved: the same rows, to the last digit.
static void a_saved_state_goes_on(void **state)
{
  (void)state;
  static record whole, rest;
  static const char *const path[] = {"auto", "general"}, *const method[] = {"ab3", "rk4"};
  for (int p = 0; p < 4; p++) {
#define MANOEUVRE                                                                                \
  "models/hmmwv.yaml", "scenarios/hmmwv-step-steer.yaml", "--path", path[p % 2], "--integrator", \
      method[p / 2], "--format", "csv", "--record", "*"
    RUN(MANOEUVRE, "--end", "1.2");
    assert_int_equal(run.code, 0);
    take_record(&whole, read_whole("results/hmmwv-step-steer.csv"));
    RUN(MANOEUVRE, "--end", "1", "--save", "at.state");  // where the ramp begins
    assert_int_equal(run.code, 0);
    RUN(MANOEUVRE, "--end", "1.2", "--from", "at.state");
    assert_int_equal(run.code, 0);
    assert_non_null(strstr(run.out, "goes on at t = 1 s from at.state"));
    take_record(&rest, read_whole("results/hmmwv-step-steer.csv"));
    assert_int_equal(rest.nrow, 21);
    assert_string_equal(rest.row[1], whole.row[101]);  // and all behind it
    free(whole.text), free(rest.text);
#undef MANOEUVRE
  }
}

static void expect_refused_state(const char *file, const char *why)
{
  RUN("models/slider-crank.yaml", "--from", file, "--end", "2", "--out", "refused");
  assert_int_equal(run.code, 2);
  if (!strstr(run.err, why)) fail_msg("\"%s\", expected: %s", run.err, why);
  if (!strstr(run.err, file)) fail_msg("\"%s\", expected: %s", run.err, file);
  assert_null(read_whole("refused/slider-crank.csv"));
}

static void wrong_states_are_refused(void **state)
{
  (void)state;
  RUN("models/slider-crank.yaml", "--end", "1", "--save", "crank.state");
  assert_int_equal(run.code, 0);
  RUN("models/slider-crank.yaml", "--end", "1", "--from", "crank.state");
  assert_int_equal(run.code, 2);
  assert_non_null(strstr(run.err, "must end later"));
  RUN(P, "--end", "1", "--save", "pendulum.state");
  assert_int_equal(run.code, 0);
  expect_refused_state("pendulum.state", "another model");
  expect_refused_state("none.state", "cannot be read");
  expect_refused_state("models", "cannot be read");
  write_file("empty.state", "");
  expect_refused_state("empty.state", "nothing");
  write_file("text.state", "jounce: 1\n");
  expect_refused_state("text.state", "no saved state");
  expect_refused_state("models/slider-crank.yaml", "no saved state");
  write_file("short.state", "jnstate");
  expect_refused_state("short.state", "cut short");
  RUN("models/slider-crank.yaml", "--end", "1.5", "--from", "crank.state", "--step", "5e-4");
  assert_int_equal(run.code, 2);
  assert_non_null(strstr(run.err, "other solver options"));
  RUN("models/slider-crank.yaml", "--end", "0.1", "--save", "no/such/folder");
  assert_int_equal(run.code, 2);  // before anything is run
  assert_non_null(strstr(run.err, "cannot be saved"));
  RUN("models/slider-crank.yaml", "--end", "0.1", "--save", "text.state");
  assert_int_equal(run.code, 2);
  assert_non_null(strstr(run.err, "is no saved state"));
  static const char *const own[] = {"results/../results/slider-crank.csv",
                                    "results/slider-crank.h5"};
  for (int i = 0; i < 2; i++) {  // there or not yet there
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, own[i]);
    unlink(path);
    RUN("models/slider-crank.yaml", "--end", "0.1", "--save", own[i]);
    assert_int_equal(run.code, 2);
    assert_non_null(strstr(run.err, "it is the record of this run"));
    assert_int_not_equal(access(path, F_OK), 0);
  }
}

static void a_state_is_saved_through_a_link(void **state)
{
  (void)state;
  struct stat is;
  char link[PATH_MAX], command[2 * PATH_MAX + 200];
  RUN(P, "--end", "1", "--save", "target.state");
  assert_int_equal(run.code, 0);
  snprintf(link, sizeof link, "%s/link.state", folder);
  assert_int_equal(symlink("target.state", link), 0);
  RUN(P, "--end", "2", "--save", "link.state");
  assert_int_equal(run.code, 0);
  assert_int_equal(lstat(link, &is), 0);
  assert_true(S_ISLNK(is.st_mode));
  RUN(P, "--end", "1.5", "--from", "target.state");  // it has the later state
  assert_int_equal(run.code, 2);
  assert_non_null(strstr(run.err, "must end later"));
  assert_int_equal(unlink(link), 0);
  assert_int_equal(symlink("nothing.state", link), 0);
  RUN(P, "--end", "1", "--save", "link.state");
  assert_int_equal(run.code, 2);
  assert_non_null(strstr(run.err, "a link that leads nowhere"));
  // What standard output goes to, by a link of this folder: the record would be lost.
  assert_int_equal(unlink(link), 0);
  assert_int_equal(symlink("rows", link), 0);
  snprintf(
      command, sizeof command,
      "cd %s && %s run models/pendulum.yaml --end 0.1 --out - --save link.state > rows 2> message",
      folder, JN_COMMAND);
  const int status = system(command);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 2);
  char *text = read_whole("message");
  assert_non_null(text);
  assert_non_null(strstr(text, "standard output or errors go to it"));
  free(text);
}

static void formats_are_as_asked(void **state)
{
  (void)state;
  static const struct {
    const char *word;
    bool csv, hdf5;
  } list[] = {{"csv", true, false}, {"hdf5", false, true}, {"both", true, true}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    char out[16], csv[64], hdf5[64], path[PATH_MAX];
    snprintf(out, sizeof out, "out-%s", list[i].word);
    snprintf(csv, sizeof csv, "%s/pendulum.csv", out);
    snprintf(hdf5, sizeof hdf5, "%s/pendulum.h5", out);
    RUN(P, "--end", "0.01", "--format", list[i].word, "--out", out, "--json");
    assert_int_equal(run.code, 0);
    json_t *o = take_json();
    const json_t *files = json_object_get(o, "record");
    const char *file = json_string_value(json_object_get(files, "file"));
    const char *other = json_string_value(json_object_get(files, "hdf5"));
    assert_int_equal(file && !strcmp(file, csv), list[i].csv);
    assert_int_equal(other && !strcmp(other, hdf5), list[i].hdf5);
    JT_NEAR(number_at(files, "rows"), 11, 0.0);
    snprintf(path, sizeof path, "%s/%s", folder, out);
    assert_int_equal(jt_count_files(path), list[i].csv + list[i].hdf5);
    json_decref(o);
  }
  RUN(P, "--end", "0.01");
  assert_non_null(strstr(run.out, "results/pendulum.h5 and results/pendulum.csv: 11 rows"));
}

// How a run ended is in its record.
static void records_say_how_runs_ended(void **state)
{
  (void)state;
  static const struct {
    const char *model, *option[2], *outcome;
    int code;
  } list[] = {{P, {"--end=0.05", NULL}, "done", 0},
              {"models/flyball.yaml", {"--integrator=euler", "--step=1e-3"}, "failed", 1},
              {P, {"stop.yaml", NULL}, "stopped", 0}};
  write_file("stop.yaml",
             "jounce: 1\nscenario: x\nend: 5\nstop: {low: {channel: P.y, below: -0.5}}\n");
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    char path[PATH_MAX], out[16];
    jn_error err = {0};
    jn_result *r;
    snprintf(out, sizeof out, "out-%zu", i);
    RUN(list[i].model, "--out", out, "--json", list[i].option[0], list[i].option[1]);
    assert_int_equal(run.code, list[i].code);
    json_t *o = take_json();
    snprintf(path, sizeof path, "%s/%s", folder, out);
    assert_int_equal(jt_count_files(path), 2);
    char csv[PATH_MAX + 20];
    snprintf(csv, sizeof csv, "%s/%s.csv", path, i == 0 ? "pendulum" : i == 1 ? "flyball" : "stop");
    assert_int_equal(jn_result_open(csv, &r, &err), JN_OK);
    assert_string_equal(jn_result_text(r, "outcome"), list[i].outcome);
    assert_int_equal(jn_result_text(r, "error") != NULL, list[i].code == 1);
    jn_result_free(r);
    assert_int_equal(jn_result_open(path, &r, &err), JN_OK);
    assert_string_equal(jn_result_text(r, "outcome"), list[i].outcome);
    assert_int_equal(jn_result_text(r, "error")[0] != 0, list[i].code == 1);
    assert_int_equal(jn_result_rows(r), (int)number_at(json_object_get(o, "record"), "rows"));
    JT_NEAR(jn_result_number(r, "steps"), number_at(o, "steps"), 0.0);
    double last;
    assert_int_equal(jn_result_read(r, 0, jn_result_rows(r) - 1, 1, 1, &last, &err), JN_OK);
    JT_NEAR(last, number_at(o, "time"), 0.0);
    jn_result_free(r);
    json_decref(o);
  }
}

// ---- wrong calls -----------------------------------------------------------------------------------------

static const struct {
  const char *arguments[5];
  const char *text;
} wrong_calls[] = {
    {{NULL}, "run needs a model (see jounce run --help)"},
    {{P, P, P}, "run takes one model and one scenario, found \"models/pendulum.yaml\" too"},
    {{P, "--stepp", "1"}, "run has no option \"--stepp\""},
    {{P, "--step"}, "--step lacks its value"},
    {{P, "--step="}, "--step lacks its value"},
    {{P, "--out"}, "--out lacks its value"},
    {{P, "--name="}, "--name lacks its value"},
    {{P, "--record"}, "--record lacks its value"},
    {{P, "--step", "0"}, "--step is \"0\", expected a number above zero, in seconds"},
    {{P, "--step", "-1"}, "--step is \"-1\""},
    {{P, "--step", "1ms"}, "--step is \"1ms\""},
    {{P, "--end", "nan"}, "--end is \"nan\""},
    {{P, "--end", "inf"}, "--end is \"inf\""},
    {{P, "--end", "1e999"}, "--end is \"1e999\""},
    {{P, "--every", "x"}, "--every is \"x\""},
    {{P, "--end", "1e300"}, "steps"},
    {{P, "--integrator", "rk5"}, "--integrator is \"rk5\", expected one of ab3, ab2, euler"},
    {{P, "--formulation", "x"}, "expected one of subsystem, recursive, independent"},
    {{P, "--stabilize", "x"}, "expected one of projection, none, delayed, baumgarte, newton"},
    {{P, "--path", "x"}, "--path is \"x\", expected one of auto, list, narrow, general"},
    {{P, "--json", "--out", "-"}, "choose one of --json and --out -"},
    {{P, "--format=hdf5", "--out", "-"}, "choose one of --format hdf5 and --out -"},
    {{P, "--format", "xml"}, "--format is \"xml\", expected one of both, csv, hdf5"},
    {{P, "--format"}, "--format lacks its value"},
    {{P, "--end=1e9", "--every=1e-3"}, "are more than 1 TB: take rows less often (--every)"},
    {{P, "nowhere.yaml"}, "nowhere.yaml: cannot be opened"},
    {{"nowhere.yaml"}, "nowhere.yaml: cannot be opened"},
    {{P, P}, "is a model, expected a scenario"},
    {{P, "--record", "P.xx"}, "there is no channel \"P.xx\", did you mean \"P.x\"?"},
    {{P, "--record", "Q*"}, "no channel fits \"Q*\" (jounce check MODEL --channels lists them)"},
    {{P, "--record", "zzzzzzzz"}, "there is no channel \"zzzzzzzz\" (jounce check MODEL"},
    {{P, "stops.yaml"}, "stops.yaml:5:18: stop.low.channel: there is no channel \"P.yy\", did you"},
    {{P, "records.yaml"}, "records.yaml:4:26: record.channels: there is no channel \"P.posx\""},
    {{P, "--out", "stops.yaml"},
     "stops.yaml/pendulum.csv: the record cannot be written: Not a dir"},
    {{P, "--out", "stops.yaml/a"}, "the folder cannot be made: Not a directory"},
    {{P, "--out", "/proc/nowhere"}, "/proc/nowhere: the folder cannot be made: No such file"},
    {{P, "--base", "Q"}, "no body \"Q\""},
    {{P, "--cut", "Q"}, "no joint \"Q\""},
    {{P, "--set", "bodies.P.mass=0"}, "is 0, must be above zero"},
};

static void wrong_calls_are_refused_and_leave_nothing(void **state)
{
  (void)state;
  int wrong = 0;
  write_file("stops.yaml",
             "jounce: 1\nscenario: x\nend: 1\nstop:\n  low: {channel: P.yy, below: -0.5}\n");
  write_file("records.yaml", "jounce: 1\nscenario: x\nend: 1\nrecord: {channels: [P.x, P.posx]}\n");
  const int before = jt_count_files(folder);
  for (size_t i = 0; i < sizeof wrong_calls / sizeof *wrong_calls; i++) {
    const char *const *a = wrong_calls[i].arguments;
    RUN(a[0], a[1], a[2], a[3]);
    const char *end = strchr(run.err, '\n');
    if (run.code == 2 && !run.out[0] && !strncmp(run.err, "jounce: ", 8) && end && !end[1] &&
        strstr(run.err, wrong_calls[i].text) && jt_count_files(folder) == before)
      continue;
    print_error("%s %s %s: exit code %d\n  %s  expected %s\n", a[0], a[1] ? a[1] : "",
                a[1] && a[2] ? a[2] : "", run.code, run.err, wrong_calls[i].text);
    wrong++;
  }
  assert_int_equal(wrong, 0);
}

static void check_lists_channels_and_inputs(void **state)
{
  (void)state;
  const char *const list[] = {"check", P, "--channels", NULL};
  jt_command(folder, list, &run);
  assert_int_equal(run.code, 0);
  assert_int_equal(strncmp(run.out, "time ", 5), 0);
  assert_non_null(strstr(run.out, "\nP.x  "));
  assert_non_null(strstr(run.out, "\njoint.O.angle "));
  const char *const inputs[] = {"check", "models/hmmwv.yaml", NULL};
  jt_command(folder, inputs, &run);
  assert_int_equal(run.code, 0);
  assert_non_null(strstr(run.out, "\ninputs: driver.rack, wheel.fl.brake, wheel.fl.drive, "));
  const char *const json[] = {"check", "models/hmmwv.yaml", "--json", NULL};
  jt_command(folder, json, &run);
  assert_int_equal(run.code, 0);
  json_t *o = take_json();
  assert_true(json_is_true(json_object_get(o, "runs")));
  assert_string_equal(json_string_value(json_array_get(json_object_get(o, "inputs"), 0)),
                      "driver.rack");
  json_decref(o);
  const char *const both[] = {"check", P, "--json", "--channels", NULL};
  jt_command(folder, both, &run);
  assert_int_equal(run.code, 0);
  o = take_json();
  assert_int_equal(json_array_size(json_object_get(o, "inputs")), 0);
  assert_true(json_array_size(json_object_get(o, "channels")) > 20);
  json_decref(o);
}

// ---- the folder --------------------------------------------------------------------------------------

static int enter(void **state)  // a fresh one for each test
{
  (void)state;
  static const char *const given[] = {"models", "scenarios"};
  strcpy(folder, "/tmp/jounce-run-XXXXXX");
  if (!mkdtemp(folder)) return -1;
  for (int i = 0; i < 2; i++) {
    char target[PATH_MAX + 32], link[PATH_MAX];
    snprintf(target, sizeof target, "%s/%s", root, given[i]);
    snprintf(link, sizeof link, "%s/%s", folder, given[i]);
    if (symlink(target, link)) return -1;
  }
  return 0;
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
  if (!getcwd(root, sizeof root)) return 1;
  const struct CMUnitTest tests[] = {
      TEST(record_has_the_rows_of_the_engine),
      TEST(record_says_what_was_run),
      TEST(usual_record_leaves_much_out),
      TEST(rows_come_as_often_as_asked),
      TEST(a_stop_condition_ends_the_run),
      TEST(a_run_reports_its_path),
      TEST(the_call_is_stronger_than_the_scenario),
      TEST(every_scenario_runs_with_its_model),
      TEST(json_has_all_keys),
      TEST(a_run_that_fails_keeps_its_record),
      TEST(a_loop_that_opens_is_a_failure),
      TEST(an_interrupted_run_keeps_its_record),
      TEST(a_limit_of_file_sizes_is_a_failure),
      TEST(a_full_disk_is_a_failure),
      TEST(nothing_is_written_over_what_is_read),
      TEST(a_file_called_as_the_lock_is_kept),
      TEST(a_record_has_the_name_that_is_asked_for),
      TEST(a_record_whose_name_is_a_folder_is_refused),
      TEST(standard_output_that_takes_nothing_is_reported),
      TEST(formats_are_as_asked),
      TEST(a_saved_state_goes_on),
      TEST(a_state_is_saved_through_a_link),
      TEST(wrong_states_are_refused),
      TEST(records_say_how_runs_ended),
      TEST(wrong_calls_are_refused_and_leave_nothing),
      TEST(check_lists_channels_and_inputs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
