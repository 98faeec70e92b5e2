// Results in which something is not as jounce writes it, made of a good one by libhdf5: each is refused with the name of what is
// wrong, or what somebody has added is left alone.
#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "harness.h"
#include "jounce/result.h"
#include "jounce/run.h"

static char folder[] = "/tmp/jounce-changed-XXXXXX", good[96], changed[96];
enum { CHANNELS = 3, ROWS = 11 };

// ---- a good one --------------------------------------------------------------------------------------------

static void record(void)
{
  static const char *const some[] = {"time", "P.x", "P.z"};
  jn_error err = {0};
  jn_spec *spec = NULL;
  jn_model *model = NULL;
  jn_scenario *scenario = NULL;
  jn_system *system = NULL;
  jn_run_result result;
  const jn_run_opts opts = {.out = folder, .every = 0.01, .record = some, .nrecord = CHANNELS};
  static const char text[] = "jounce: 1\nscenario: good\nend: 0.1\n";
  assert_int_equal(jn_spec_load("models/pendulum.yaml", NULL, 0, &spec, &err), 0);
  assert_int_equal(jn_model_compile(spec, NULL, &model, &err), 0);
  assert_int_equal(jn_scenario_parse(text, strlen(text), "good.yaml", &scenario, &err), 0);
  assert_int_equal(jn_system_create(model, scenario, NULL, &system, &err), 0);
  if (jn_run(system, &opts, &result, &err)) fail_msg("%s", err.text);
  jn_run_result_free(&result);
  jn_system_free(system);
  jn_scenario_free(scenario);
  jn_model_free(model);
  jn_spec_free(spec);
}

static hid_t copy_of_good(void)
{
  static char bytes[1 << 20];
  FILE *in = fopen(good, "rb"), *out = fopen(changed, "wb");
  assert_true(in && out);
  const size_t n = fread(bytes, 1, sizeof bytes, in);
  assert_true(n > 0 && n < sizeof bytes && fwrite(bytes, 1, n, out) == n);
  fclose(in), fclose(out);
  const hid_t file = H5Fopen(changed, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(file >= 0);
  return file;
}

// ---- changes -----------------------------------------------------------------------------------------------

// A dataset in place of the one of that name, of zeros; size 0: none. `chunked`: in pieces.
static void replace(hid_t file, const char *name, hid_t type, int rank, const hsize_t *size,
                    bool chunked)
{
  assert_true(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
  if (!rank) return;
  const hid_t space = H5Screate_simple(rank, size, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
  if (chunked) assert_true(H5Pset_chunk(list, rank, size) >= 0);
  const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
  assert_true(set >= 0);
  H5Dclose(set), H5Pclose(list), H5Sclose(space);
}

static hid_t text_of(size_t size)  // H5T_VARIABLE: of any length
{
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, size);
  return type;
}

static void put_attribute(hid_t file, const char *name, hid_t type, hsize_t n, const void *value)
{
  if (H5Aexists(file, name) > 0) assert_true(H5Adelete(file, name) >= 0);
  const hid_t space = n ? H5Screate_simple(1, &n, NULL) : H5Screate(H5S_SCALAR);
  const hid_t a = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(a >= 0 && H5Awrite(a, type, value) >= 0);
  H5Aclose(a), H5Sclose(space);
}

// ---- what comes of them --------------------------------------------------------------------------------------

static void is_refused(hid_t file, const char *what, const char *text)
{
  jn_error err = {0};
  jn_result *r = NULL;
  char line[1024];
  H5Fclose(file);
  const jn_status st = jn_result_open(changed, &r, &err);
  jn_error_line(&err, line, sizeof line);
  if (!st) fail_msg("%s: is no error", what);
  if (!strstr(line, text)) fail_msg("%s: \"%s\", expected %s", what, line, text);
  assert_null(r);
}

static void sets_that_are_missing_are_named(void **state)
{
  (void)state;
  static const char *const names[] = {"model",         "channel_names", "channel_units",
                                      "channel_helps", "body_names",    "time",
                                      "channels",      "motion"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char text[64];
    const hid_t file = copy_of_good();
    replace(file, names[i], -1, 0, NULL, false);
    snprintf(text, sizeof text, "%s: is broken", names[i]);
    is_refused(file, names[i], text);
  }
}

static void sets_of_another_shape_are_named(void **state)
{
  (void)state;
  const hid_t text = text_of(8), any = text_of(H5T_VARIABLE), number = H5T_IEEE_F64LE;
  const struct {
    const char *name;
    hid_t type;
    int rank;
    hsize_t size[3];
    bool chunked;
    const char *text;
  } list[] = {
      {"model", number, 1, {1}, false, "model: is broken"},
      {"model", any, 1, {1}, false, "model: is broken"},
      {"scenario", number, 1, {1}, false, "scenario: is broken"},
      {"channel_names", any, 1, {CHANNELS}, false, "channel_names: is broken"},
      {"channel_names", number, 1, {CHANNELS}, false, "channel_names: is broken"},
      {"channel_names", text, 1, {0}, false, "channel_names: is broken"},
      {"channel_units", text, 1, {CHANNELS - 1}, false, "channel_units: is broken"},
      {"channel_helps", text, 1, {CHANNELS + 1}, false, "channel_helps: is broken"},
      {"channel_helps", number, 1, {CHANNELS}, false, "channel_helps: is broken"},
      {"body_names", any, 1, {1}, false, "body_names: is broken"},
      {"body_names", text, 1, {2}, false, "motion: is broken"},
      {"time", number, 1, {0}, false, "time: is broken"},
      {"time", number, 2, {ROWS, 1}, false, "time: is broken"},
      {"time", H5T_STD_I64LE, 1, {ROWS}, false, "time: is broken"},
      {"time", number, 1, {ROWS + 1}, false, "channels: is broken"},
      {"channels", H5T_IEEE_F32LE, 2, {ROWS, CHANNELS}, false, "channels: is broken"},
      {"channels", H5T_IEEE_F64BE, 2, {ROWS, CHANNELS}, false, "channels: is broken"},
      {"channels", number, 2, {ROWS, CHANNELS + 1}, false, "channels: is broken"},
      {"channels", number, 1, {ROWS}, false, "channels: is broken"},
      {"channels", number, 2, {ROWS, CHANNELS}, true, "channels: is not contiguous"},
      {"motion", number, 3, {ROWS, 1, 6}, false, "motion: is broken"},
      {"motion", number, 3, {ROWS - 1, 1, 7}, false, "motion: is broken"},
      {"motion", number, 3, {ROWS, 1, 7}, true, "motion: is not contiguous"},
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    const hid_t file = copy_of_good();
    replace(file, list[i].name, list[i].type, list[i].rank, list[i].size, list[i].chunked);
    is_refused(file, list[i].name, list[i].text);
  }
  H5Tclose(any), H5Tclose(text);
}

static void another_format_is_refused(void **state)
{
  (void)state;
  const double next = 99.0;
  const hid_t text = text_of(8);
  hid_t file = copy_of_good();
  put_attribute(file, "jounce_result", H5T_NATIVE_DOUBLE, 0, &next);
  is_refused(file, "a later format", "jounce_result: is 99, this version of jounce reads ");
  file = copy_of_good();
  put_attribute(file, "jounce_result", text, 0, "one\0\0\0\0");
  is_refused(file, "a text", "is HDF5, but no result of jounce run");
  file = copy_of_good();
  assert_true(H5Adelete(file, "jounce_result") >= 0);
  is_refused(file, "no format", "is HDF5, but no result of jounce run");
  H5Tclose(text);
}

static void what_others_have_added_is_left_alone(void **state)
{
  (void)state;
  const double list[2] = {1.0, 2.0};
  const int count = 7;
  const char *long_text = "of any length";
  const hid_t any = text_of(H5T_VARIABLE), file = copy_of_good();
  put_attribute(file, "list", H5T_NATIVE_DOUBLE, 2, list);
  put_attribute(file, "count", H5T_NATIVE_INT, 0, &count);
  put_attribute(file, "text", any, 0, &long_text);
  H5Tclose(any);
  H5Fclose(file);
  jn_error err = {0};
  jn_result *r = NULL;
  if (jn_result_open(changed, &r, &err)) fail_msg("%s", err.text);
  assert_int_equal(jn_result_rows(r), ROWS);
  assert_int_equal(jn_result_channel_count(r), CHANNELS);
  assert_string_equal(jn_result_channel_at(r, 1).name, "P.x");
  assert_true(isnan(jn_result_number(r, "list")));
  JT_NEAR(jn_result_number(r, "count"), 7.0, 0.0);
  assert_null(jn_result_text(r, "text"));
  assert_string_equal(jn_result_text(r, "scenario"), "good");
  jn_result_free(r);
}

// ---- comments of a CSV file -------------------------------------------------------------------------------------

static void same_text(const jn_result *r, const char *name, const char *expected, const char *file)
{
  const char *text = jn_result_text(r, name);
  if (!text != !expected || (text && strcmp(text, expected)))
    fail_msg("%s: %s is %s, not %s", file, name, text ? text : "absent",
             expected ? expected : "absent");
}

static void comments_are_taken_apart(void **state)
{
  (void)state;
  static const struct {
    const char *text, *model, *model_file, *scenario, *integrator;
    double step;
  } list[] = {
      {"# model: a car (car.yaml)\n", "a car", "car.yaml", NULL, NULL, NAN},
      {"# model: a car (new) (car.yaml)\n", "a car (new)", "car.yaml", NULL, NULL, NAN},
      {"# model: (car.yaml)\n", NULL, "car.yaml", NULL, NULL, NAN},
      {"# model: a car\n", "a car", NULL, NULL, NULL, NAN},
      {"# model: a car (\n", "a car (", NULL, NULL, NULL, NAN},
      {"# model: \n", NULL, NULL, NULL, NULL, NAN},
      {"# scenario: turn (turn.yaml)\n", NULL, NULL, "turn", NULL, NAN},
      {"# solver: subsystem, rk4, none, step 0.002 s, end 1 s\n", NULL, NULL, NULL, "rk4", 0.002},
      {"# solver: subsystem, rk4\n", NULL, NULL, NULL, NULL, NAN},
      {"# solver:\n# somebody's own\n#\n", NULL, NULL, NULL, NULL, NAN},
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    jn_error err = {0};
    jn_result *r = NULL;
    FILE *out = fopen(changed, "wb");
    assert_non_null(out);
    fprintf(out, "%stime,x\n0,1\n1,2\n", list[i].text);
    fclose(out);
    if (jn_result_open(changed, &r, &err)) fail_msg("%s: %s", list[i].text, err.text);
    same_text(r, "model", list[i].model, list[i].text);
    same_text(r, "model_file", list[i].model_file, list[i].text);
    same_text(r, "scenario", list[i].scenario, list[i].text);
    same_text(r, "integrator", list[i].integrator, list[i].text);
    const double step = jn_result_number(r, "step");
    if (!(step == list[i].step || (isnan(step) && isnan(list[i].step))))
      fail_msg("%s: a step of %g s", list[i].text, step);
    assert_int_equal(jn_result_rows(r), 2);
    jn_result_free(r);
  }
}

static void a_zero_byte_in_a_row_is_refused(void **state)
{
  (void)state;
  enum { ROWS_BEFORE = 100 };  // behind what is looked at to see what kind of file it is
  jn_error err = {0};
  jn_result *r = NULL;
  FILE *out = fopen(changed, "wb");
  assert_non_null(out);
  fputs("time,x\n", out);
  for (int i = 0; i < ROWS_BEFORE; i++) fprintf(out, "%d,1\n", i);
  fwrite("100,2\0,3\n", 1, 9, out);
  fclose(out);
  assert_int_equal(jn_result_open(changed, &r, &err), JN_E_PARSE);
  assert_int_equal(err.line, ROWS_BEFORE + 2);
  assert_non_null(strstr(err.text, "holds a zero byte"));
}

// Of damaged files libhdf5 keeps parts open, and says so when the program ends: of what is refused nothing may be open.
static void damaged_files_are_refused_in_one_line(void **state)
{
  (void)state;
  static jt_run run;
  const char *const arguments[] = {"plot", "test/fuzz/corpus_result/library-keeps-parts-open.h5",
                                   "--out", changed, NULL};
  jt_command(".", arguments, &run);
  assert_int_equal(run.code, 2);
  assert_string_equal(run.out, "");
  assert_string_equal(run.err,
                      "jounce: test/fuzz/corpus_result/library-keeps-parts-open.h5: channels: is "
                      "broken, or is no result of jounce run\n");
}

// ---- the folder ----------------------------------------------------------------------------------------------

static int enter(void **state)
{
  (void)state;
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  if (!mkdtemp(folder)) return -1;
  snprintf(good, sizeof good, "%s/good.h5", folder);
  snprintf(changed, sizeof changed, "%s/changed.h5", folder);
  record();
  return 0;
}

static int leave(void **state)
{
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sets_that_are_missing_are_named),
      cmocka_unit_test(sets_of_another_shape_are_named),
      cmocka_unit_test(another_format_is_refused),
      cmocka_unit_test(what_others_have_added_is_left_alone),
      cmocka_unit_test(comments_are_taken_apart),
      cmocka_unit_test(a_zero_byte_in_a_row_is_refused),
      cmocka_unit_test(damaged_files_are_refused_in_one_line),
  };
  return cmocka_run_group_tests(tests, enter, leave);
}
