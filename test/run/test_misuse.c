// Every public call, called wrongly: NULL, indices out of range, data and rows of another system, numbers that are not finite. It
// returns a status with a text, or the value that its header promises, and leaves what it was given as it was.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "jounce/equilibrium.h"
#include "jounce/jounce.h"
#include "jounce/reference.h"
#include "jounce/report.h"
#include "jounce/result.h"
#include "jounce/run.h"
#include "jounce/tyre.h"

typedef struct made {
  jn_spec *spec;
  jn_model *model;
  jn_system *system;
  jn_data *data;
} made;

static made make(const char *file)
{
  made m = {0};
  jn_error err = {0};
  if (jn_spec_load(file, NULL, 0, &m.spec, &err) ||
      jn_model_compile(m.spec, NULL, &m.model, &err) ||
      jn_system_create(m.model, NULL, NULL, &m.system, &err) ||
      jn_data_create(m.system, &m.data, &err))
    fail_msg("%s: %s", file, err.text);
  return m;
}

static void drop(made *m)
{
  jn_data_free(m->data);
  jn_system_free(m->system);
  jn_model_free(m->model);
  jn_spec_free(m->spec);
}

static made crank, car;  // two systems that have nothing to do with each other

static int set_up(void **state)
{
  (void)state;
  crank = make("models/slider-crank.yaml");
  car = make("models/quarter-car.yaml");
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  drop(&crank);
  drop(&car);
  return 0;
}

static jn_error err;
static char nothing_was_made;  // where `out` points before a call that fails

// The call is refused as a wrong one, with a text that names the function, with and without somebody who wants to know.
#define REFUSED(function, ...)                                                     \
  do {                                                                             \
    err = (jn_error){0};                                                           \
    assert_int_equal(function(__VA_ARGS__, &err), JN_E_CALL);                      \
    assert_int_equal(err.code, JN_E_CALL);                                         \
    if (!strstr(err.text, #function)) fail_msg("%s: \"%s\"", #function, err.text); \
    assert_int_equal(function(__VA_ARGS__, NULL), JN_E_CALL);                      \
  } while (0)

// Likewise, and *out is NULL afterwards.
#define MAKES_NOTHING(type, function, ...)         \
  do {                                             \
    type *out = (type *)(void *)&nothing_was_made; \
    REFUSED(function, __VA_ARGS__, &out);          \
    assert_null(out);                              \
    REFUSED(function, __VA_ARGS__, NULL);          \
  } while (0)

static void readers_need_names_and_places(void **state)
{
  (void)state;
  static const char *const hole[] = {"gravity=[0,0,-9]", NULL};
  static const char text[] = "jounce: 1\n";
  MAKES_NOTHING(jn_spec, jn_spec_load, NULL, NULL, 0);
  MAKES_NOTHING(jn_spec, jn_spec_load, "models/pendulum.yaml", NULL, 1);
  MAKES_NOTHING(jn_spec, jn_spec_load, "models/pendulum.yaml", hole, 2);
  MAKES_NOTHING(jn_spec, jn_spec_parse, NULL, 10, "name", NULL, 0);
  MAKES_NOTHING(jn_spec, jn_spec_parse, text, sizeof text - 1, NULL, NULL, 0);
  MAKES_NOTHING(jn_spec, jn_spec_parse, text, sizeof text - 1, "name", NULL, 3);
  MAKES_NOTHING(jn_scenario, jn_scenario_load, NULL);
  MAKES_NOTHING(jn_scenario, jn_scenario_parse, NULL, 10, "name");
  MAKES_NOTHING(jn_scenario, jn_scenario_parse, text, sizeof text - 1, NULL);
  MAKES_NOTHING(jn_tyre, jn_tyre_load, NULL, NULL, 0);
  MAKES_NOTHING(jn_tyre, jn_tyre_load, "models/tyres/sample.tir", NULL, 1);
  MAKES_NOTHING(jn_tyre, jn_tyre_load_model, NULL, NULL, NULL, 0);
  MAKES_NOTHING(jn_tyre, jn_tyre_load_model, "models/hmmwv-mf.yaml", NULL, hole, 2);
  MAKES_NOTHING(jn_result, jn_result_open, NULL);
  char *printed = &nothing_was_made;
  REFUSED(jn_spec_print, NULL, &printed, NULL);
  assert_null(printed);
  REFUSED(jn_spec_print, crank.spec, NULL, NULL);
  REFUSED(jn_scenario_print, NULL, &printed, NULL);
}

static void a_spec_that_was_not_read_makes_nothing(void **state)
{
  (void)state;
  const jn_compile_opts cuts = {.ncut = 2}, hole = {.cut = (const char *const[]){NULL}, .ncut = 1};
  MAKES_NOTHING(jn_model, jn_model_compile, NULL, NULL);
  MAKES_NOTHING(jn_model, jn_model_compile, crank.spec, &cuts);
  MAKES_NOTHING(jn_model, jn_model_compile, crank.spec, &hole);
  MAKES_NOTHING(jn_system, jn_system_create, NULL, NULL, NULL);
  MAKES_NOTHING(jn_system, jn_system_with, NULL, crank.spec);
  MAKES_NOTHING(jn_system, jn_system_with, crank.system, NULL);
  MAKES_NOTHING(jn_data, jn_data_create, NULL);
  MAKES_NOTHING(jn_equilibrium, jn_equilibrium_find, NULL, NULL);
  MAKES_NOTHING(jn_tyre, jn_tyre_of, NULL, NULL);
  assert_int_equal(jn_model_count(NULL).bodies, 0);
  const jn_sim_opts wrong[] = {{.formulation = (jn_formulation)99},
                               {.integrator = (jn_integrator)-1},
                               {.stabilize = (jn_stabilize)99},
                               {.path = (jn_path)99},
                               {.step = NAN},
                               {.step = -1.0},
                               {.end = INFINITY},
                               {.baumgarte = NAN, .stabilize = JN_STABILIZE_BAUMGARTE},
                               {.newton_iterations = -1},
                               {.tolerance = NAN}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    jn_system *system = crank.system;
    const jn_status st = jn_system_create(crank.model, NULL, &wrong[i], &system, &err);
    assert_true(st == JN_E_CALL || st == JN_E_RANGE);
    assert_true(err.text[0]);
    assert_null(system);
  }
}

static void words_that_there_are_not(void **state)
{
  (void)state;
  assert_int_equal(jn_sim_word(NULL, "ab3"), -1);
  assert_int_equal(jn_sim_word("integrator", NULL), -1);
  assert_int_equal(jn_sim_word("no such", "ab3"), -1);
  assert_null(jn_sim_word_of(NULL, 0));
  assert_null(jn_sim_word_of("integrator", -1));
  assert_null(jn_sim_word_of("integrator", 1000));
  assert_null(jn_nearest_word(NULL, NULL, 0));
  assert_null(jn_nearest_word("word", NULL, 3));
  assert_string_equal(jn_status_text((jn_status)-1000), "unknown status");
  char line[8] = "as was";
  assert_ptr_equal(jn_error_line(NULL, line, sizeof line), line);
  assert_string_equal(line, "");
  assert_null(jn_error_line(&err, NULL, 0));
  assert_non_null(jn_tyre_use_text(-1000));
}

static void indices_out_of_range_have_nothing(void **state)
{
  (void)state;
  const int beyond[] = {-1, -1000, 1000, INT32_MAX, INT32_MIN};
  for (int i = 0; i < 5; i++) {
    const int k = beyond[i];
    const jn_system *const of[] = {crank.system, NULL};
    for (int s = 0; s < 2; s++) {
      assert_null(jn_channel_at(of[s], k).name);
      assert_null(jn_body_name(of[s], k));
      assert_null(jn_system_note(of[s], k));
      assert_int_equal(jn_system_path_group(of[s], k).lanes, 0);
      assert_null(jn_system_path_subsystem(of[s], k).name);
      assert_null(jn_system_path_ungrouped(of[s], k));
      assert_true(jn_system_path_ungrouped_cost(of[s], k) == 0.0);
      assert_null(jn_component_at(of[s], k).name);
      assert_null(jn_component_input_at(of[s], k, 0).port);
      assert_null(jn_component_input_at(of[s], 0, k).port);
      assert_null(jn_component_output_at(of[s], k, 0).port);
      assert_null(jn_component_output_at(of[s], 0, k).port);
      assert_null(jn_component_driven(of[s], 0, 0, k));
      assert_int_equal(jn_input_owner_of(of[s], k), JN_OWNER_NONE);
    }
  }
}

static void no_system_has_nothing(void **state)
{
  (void)state;
  char line[400] = "as was";
  assert_int_equal(jn_channel_count(NULL), 0);
  assert_int_equal(jn_body_count(NULL), 0);
  assert_int_equal(jn_component_count(NULL), 0);
  assert_int_equal(jn_system_left_out(NULL), 0);
  assert_int_equal(jn_channel_find(NULL, "slider.x"), -1);
  assert_int_equal(jn_channel_find(crank.system, NULL), -1);
  assert_null(jn_system_opts(NULL));
  assert_non_null(jn_system_path(NULL).general);
  assert_string_equal(jn_system_path_line(NULL, line, sizeof line), "");
  assert_null(jn_system_path_line(crank.system, NULL, 0));
  REFUSED(jn_model_show_json, NULL, NULL, stdout);
  REFUSED(jn_model_show_json, crank.model, NULL, NULL);
  REFUSED(jn_model_show_json, crank.model, car.system, stdout);
  jn_model_show_text(NULL, stdout);
  jn_model_show_text(crank.model, NULL);
  jn_model_show_dot(NULL, stdout);
  jn_model_show_dot(crank.model, NULL);
  jn_system_show_dot(NULL, stdout);
  jn_system_show_dot(crank.system, NULL);
  jn_spec_free(NULL), jn_scenario_free(NULL), jn_model_free(NULL), jn_system_free(NULL);
  jn_data_free(NULL), jn_rows_free(NULL), jn_equilibrium_free(NULL), jn_reference_free(NULL);
  jn_result_free(NULL), jn_tyre_free(NULL), jn_run_result_free(NULL);
}

static void data_of_another_system_is_refused(void **state)
{
  (void)state;
  const double before = jn_time(crank.data);
  double motion[7 * 16];
  for (int i = 0; i < 7 * 16; i++) motion[i] = -77.0;
  jn_equilibrium *e = NULL;
  assert_int_equal(jn_equilibrium_find(car.system, NULL, &e, &err), JN_OK);
  assert_int_equal(jn_equilibrium_apply(car.system, e, crank.data), JN_E_CALL);
  assert_int_equal(jn_equilibrium_apply(crank.system, e, crank.data), JN_E_CALL);
  assert_int_equal(jn_equilibrium_apply(crank.system, NULL, crank.data), JN_E_CALL);
  assert_int_equal(jn_equilibrium_apply(NULL, e, car.data), JN_E_CALL);
  assert_int_equal(jn_equilibrium_apply(car.system, e, NULL), JN_E_CALL);
  assert_int_equal(jn_equilibrium_apply(car.system, e, car.data), JN_OK);
  jn_equilibrium_free(e);
  assert_int_equal(jn_body_motion(car.system, crank.data, motion), JN_E_CALL);
  assert_int_equal(jn_body_motion(NULL, crank.data, motion), JN_E_CALL);
  assert_int_equal(jn_body_motion(crank.system, NULL, motion), JN_E_CALL);
  assert_int_equal(jn_body_motion(crank.system, crank.data, NULL), JN_E_CALL);
  for (int i = 0; i < 7 * 16; i++) assert_true(motion[i] == -77.0);
  assert_int_equal(jn_body_motion(crank.system, crank.data, motion), JN_OK);
  assert_null(jn_data_failing_body(car.system, crank.data));
  assert_null(jn_data_failing_body(crank.system, NULL));
  assert_int_equal(jn_data_copy(car.data, crank.data), JN_E_CALL);
  assert_int_equal(jn_data_copy(NULL, crank.data), JN_E_CALL);
  assert_int_equal(jn_data_copy(crank.data, NULL), JN_E_CALL);
  assert_int_equal(jn_data_switch(crank.data, car.system, &err), JN_E_CALL);
  REFUSED(jn_data_switch, NULL, crank.system);
  REFUSED(jn_data_switch, crank.data, NULL);
  MAKES_NOTHING(jn_reference, jn_reference_create, car.system, crank.data);
  MAKES_NOTHING(jn_reference, jn_reference_create, crank.system, NULL);
  MAKES_NOTHING(jn_reference, jn_reference_create, NULL, crank.data);
  assert_true(jn_time(crank.data) == before);
}

static void no_data_has_nothing(void **state)
{
  (void)state;
  char bytes[64] = {0};
  assert_true(isnan(jn_time(NULL)));
  assert_null(jn_row(NULL));
  assert_int_equal(jn_data_stats(NULL).steps, 0);
  assert_int_equal(jn_data_save(NULL, bytes, sizeof bytes), 0);
  REFUSED(jn_data_restore, NULL, bytes, sizeof bytes);
  REFUSED(jn_data_restore, crank.data, NULL, sizeof bytes);
  jn_data_reset(NULL);
  jn_data_audit(NULL, JN_AUDIT_ALL);
  jn_data_audit(crank.data, (jn_audit)77);
  jn_data_audit(crank.data, (jn_audit)-1);
  assert_int_equal(jn_step(crank.system, crank.data), JN_STEP_OK);
  jn_data_reset(crank.data);
}

static void what_is_no_input_is_not_set(void **state)
{
  (void)state;
  const int n = jn_channel_count(car.system);
  int input = -1;
  for (int i = 0; i < n; i++)
    if (jn_channel_at(car.system, i).input) input = i;
  assert_true(input >= 0);
  const size_t size = jn_data_save(car.data, NULL, 0);
  unsigned char *before = malloc(size), *after = malloc(size);
  jn_data_save(car.data, before, size);
  const int wrong[] = {-1, 0, n, INT32_MAX, INT32_MIN};
  for (int i = 0; i < 5; i++) assert_int_equal(jn_input_set(car.data, wrong[i], 1, 0), JN_E_CALL);
  assert_int_equal(jn_input_set(NULL, input, 1.0, 0.0), JN_E_CALL);
  assert_int_equal(jn_input_set(car.data, input, NAN, 0.0), JN_E_RANGE);
  assert_int_equal(jn_input_set(car.data, input, INFINITY, 0.0), JN_E_RANGE);
  assert_int_equal(jn_input_set(car.data, input, 0.0, NAN), JN_E_RANGE);
  jn_data_save(car.data, after, size);
  assert_memory_equal(before, after, size);
  assert_int_equal(jn_input_set(car.data, input, 0.01, 0.0), JN_OK);
  jn_data_save(car.data, after, size);
  assert_memory_not_equal(before, after, size);
  jn_data_reset(car.data);
  free(before);
  free(after);
}

static void rows_need_channels_that_there_are(void **state)
{
  (void)state;
  const int n = jn_channel_count(crank.system), wrong[] = {0, n}, below[] = {0, -1};
  MAKES_NOTHING(jn_rows, jn_rows_create, NULL, wrong, 1);
  MAKES_NOTHING(jn_rows, jn_rows_create, crank.system, NULL, 1);
  MAKES_NOTHING(jn_rows, jn_rows_create, crank.system, wrong, -1);
  jn_rows *rows = NULL;
  assert_int_equal(jn_rows_create(crank.system, wrong, 2, &rows, &err), JN_E_CALL);
  assert_int_equal(jn_rows_create(crank.system, below, 2, &rows, &err), JN_E_CALL);
  assert_null(rows);
  assert_null(jn_rows_general(NULL));
}

// Within steps a build for developers asserts. Any other one refuses rows of another plan, since they would be read and written beyond
// the ends of arrays; a step takes the system of the data.
#ifdef JN_VALIDATING
static void fill(void *rows)
{
  double row[4];
  jn_rows_fill(rows, crank.data, row);
}

static void step(void *system)
{
  jn_step(system, crank.data);
}

static void evaluate(void *system)
{
  jn_evaluate(system, crank.data);
}

static void assert_asserts(void (*call)(void *), void *with)
{
  int status;
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGABRT, SIG_DFL);
    if (!freopen("/dev/null", "w", stderr)) _exit(2);
    call(with);
    _exit(0);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void steps_with_what_is_of_another_system(void **state)
{
  (void)state;
  jn_rows *rows = NULL;
  assert_int_equal(jn_rows_create(car.system, (int[]){0, 1}, 2, &rows, &err), JN_OK);
  assert_asserts(fill, rows);
  assert_asserts(step, car.system);
  assert_asserts(step, NULL);
  assert_asserts(evaluate, car.system);
  jn_rows_free(rows);
}
#else
static void steps_with_what_is_of_another_system(void **state)
{
  (void)state;
  const int n = jn_channel_count(car.system);
  int *channel = calloc((size_t)n, sizeof *channel);
  double *row = calloc((size_t)n, sizeof *row);
  for (int i = 0; i < n; i++) channel[i] = i, row[i] = -77.0;
  jn_rows *rows = NULL;
  assert_int_equal(jn_rows_create(car.system, channel, n, &rows, &err), JN_OK);
  assert_int_equal(jn_rows_fill(rows, crank.data, row), JN_STEP_CALL);
  for (int i = 0; i < n; i++) assert_true(row[i] == -77.0);
  assert_int_equal(jn_rows_fill(rows, car.data, row), JN_STEP_OK);
  assert_int_equal(jn_step(crank.system, car.data), JN_STEP_OK);  // the data knows its system
  assert_int_equal(jn_step(NULL, car.data), JN_STEP_OK);
  assert_int_equal(jn_evaluate(crank.system, car.data), JN_STEP_OK);
  jn_data_reset(car.data);
  jn_rows_free(rows);
  free(channel);
  free(row);
}
#endif

static void reference_goes_forward_only(void **state)
{
  (void)state;
  jn_reference *r = NULL;
  assert_int_equal(jn_reference_create(crank.system, crank.data, &r, &err), JN_OK);
  assert_int_equal(jn_reference_advance(r, 0.01, &err), JN_OK);
  REFUSED(jn_reference_advance, NULL, 1.0);
  REFUSED(jn_reference_advance, r, 0.005);
  REFUSED(jn_reference_advance, r, NAN);
  REFUSED(jn_reference_advance, r, INFINITY);
  JT_NEAR(jn_time(crank.data), 0.01, 1e-15);
  assert_int_equal(jn_reference_advance(r, 0.01, &err), JN_OK);
  jn_reference_watch(NULL, NULL, NULL);
  assert_int_equal(jn_reference_steps(NULL), 0);
  jn_reference_free(r);
  jn_data_reset(crank.data);
}

static void runs_need_systems(void **state)
{
  (void)state;
  jn_run_result result;
  memset(&result, 0x55, sizeof result);
  const jn_run_opts record = {.nrecord = 1}, every = {.every = NAN},
                    hole = {.record = (const char *const[]){NULL}, .nrecord = 1};
  REFUSED(jn_run, NULL, NULL, &result);
  assert_null(result.note);  // it can be freed
  REFUSED(jn_run, crank.system, NULL, NULL);
  REFUSED(jn_run, crank.system, &record, &result);
  REFUSED(jn_run, crank.system, &hole, &result);
  REFUSED(jn_run, crank.system, &every, &result);
  REFUSED(jn_run_check, NULL, NULL);
  REFUSED(jn_run_check, crank.system, &record);
  jn_run_result_free(&result);
  REFUSED(jn_run_show_json, NULL, stdout);
  REFUSED(jn_run_show_json, &result, stdout);
  jn_run_show_text(NULL, stdout);
  jn_run_show_text(&result, stdout);
}

static void no_tyre_has_no_numbers(void **state)
{
  (void)state;
  jn_tyre *tyre = NULL;
  assert_int_equal(jn_tyre_load("models/tyres/sample.tir", NULL, 0, &tyre, &err), JN_OK);
  const int n = jn_tyre_entry_count(tyre), wrong[] = {-1, n, INT32_MAX, INT32_MIN};
  for (int i = 0; i < 4; i++) {
    assert_null(jn_tyre_entry_at(tyre, wrong[i]).section);
    assert_null(jn_tyre_entry_at(NULL, wrong[i]).section);
  }
  assert_int_equal(jn_tyre_entry_count(NULL), 0);
  assert_null(jn_tyre_about(NULL).name);
  assert_true(isnan(jn_tyre_at(NULL, (jn_tyre_point){0}).fx));
  assert_true(isnan(jn_tyre_limits_at(NULL, 1.0, 0.0).friction[0]));
  assert_true(isnan(jn_tyre_load_at(NULL, 0.01, 0.0).load));
  assert_true(isnan(jn_tyre_stand_at(NULL, 1e3, 0.0).deflection));
  assert_true(isnan(jn_tyre_utilise(NULL).value));
  jn_tyre_figure figure[JN_TYRE_FIGURES];
  jn_tyre_figures(NULL, figure);
  assert_true(isnan(figure[0].value) && figure[JN_TYRE_FIGURES - 1].key);
  jn_tyre_figures(tyre, NULL);
  const double odd[] = {NAN, INFINITY, -INFINITY, 1e308, -1e308};
  for (int i = 0; i < 5; i++) {  // numbers that are none come to an end, with some answer
    (void)jn_tyre_at(tyre, (jn_tyre_point){odd[i], odd[i], odd[i], odd[i], odd[i], odd[i]});
    (void)jn_tyre_limits_at(tyre, odd[i], odd[i]);
    (void)jn_tyre_load_at(tyre, odd[i], odd[i]);
    (void)jn_tyre_stand_at(tyre, odd[i], odd[i]);
  }
  REFUSED(jn_tyre_report_write, NULL, NULL, "-");
  REFUSED(jn_tyre_report_write, tyre, NULL, NULL);
  REFUSED(jn_tyre_table_write, NULL, "points.csv", "-");
  REFUSED(jn_tyre_table_write, tyre, NULL, "-");
  REFUSED(jn_tyre_table_write, tyre, "points.csv", NULL);
  jn_tyre_free(tyre);
}

static void results_have_their_rows_alone(void **state)
{
  (void)state;
  char file[] = "/tmp/jounce-misuse-XXXXXX.csv";
  const int f = mkstemps(file, 4);
  FILE *out = fdopen(f, "w");
  assert_non_null(out);
  fputs("time,a\n0,1\n1,2\n2,3\n", out);
  fclose(out);
  jn_result *r = NULL;
  if (jn_result_open(file, &r, &err)) fail_msg("%s", err.text);
  double value[16];
  const struct {
    int channel;
    int64_t first, stride, count;
  } wrong[] = {{0, -1, 1, 1},        {0, 0, 0, 1},         {0, 0, 1, -1},
               {0, 0, 1, 4},         {0, 3, 1, 1},         {0, 0, 2, 3},
               {-1, 0, 1, 1},        {2, 0, 1, 1},         {0, 0, 1, INT64_MAX},
               {0, INT64_MAX, 1, 1}, {0, 0, INT64_MAX, 2}, {0, INT64_MIN, -1, 1}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_int_equal(jn_result_read(r, wrong[i].channel, wrong[i].first, wrong[i].stride,
                                    wrong[i].count, value, &err),
                     JN_E_CALL);
  assert_int_equal(jn_result_read_all(r, 0, 1, 4, value, &err), JN_E_CALL);
  assert_int_equal(jn_result_motion(r, 0, 1, 4, value, &err), JN_E_CALL);
  assert_int_equal(jn_result_read(NULL, 0, 0, 1, 1, value, &err), JN_E_CALL);
  assert_int_equal(jn_result_read(r, 0, 0, 1, 1, NULL, &err), JN_E_CALL);
  assert_int_equal(jn_result_read_all(NULL, 0, 1, 1, value, &err), JN_E_CALL);
  assert_int_equal(jn_result_read_all(r, 0, 1, 1, NULL, &err), JN_E_CALL);
  assert_int_equal(jn_result_motion(NULL, 0, 1, 1, value, &err), JN_E_CALL);
  assert_null(jn_result_channel_at(r, -1).name);
  assert_null(jn_result_channel_at(r, 2).name);
  assert_null(jn_result_channel_at(NULL, 0).name);
  assert_null(jn_result_body_name(r, 0));
  assert_null(jn_result_body_name(NULL, 0));
  assert_int_equal(jn_result_channel_count(NULL) + jn_result_body_count(NULL), 0);
  assert_int_equal(jn_result_rows(NULL), 0);
  assert_int_equal(jn_result_channel_find(r, NULL), -1);
  assert_int_equal(jn_result_channel_find(NULL, "time"), -1);
  assert_null(jn_result_file(NULL));
  assert_null(jn_result_model(NULL));
  assert_null(jn_result_scenario(NULL));
  assert_null(jn_result_text(NULL, "model"));
  assert_null(jn_result_text(r, NULL));
  assert_true(isnan(jn_result_number(NULL, "step")) && isnan(jn_result_number(r, NULL)));
  REFUSED(jn_report_write, NULL, "-", NULL);
  REFUSED(jn_report_write, r, NULL, NULL);
  jn_result_free(r);
  remove(file);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(readers_need_names_and_places),
      cmocka_unit_test(a_spec_that_was_not_read_makes_nothing),
      cmocka_unit_test(words_that_there_are_not),
      cmocka_unit_test(indices_out_of_range_have_nothing),
      cmocka_unit_test(no_system_has_nothing),
      cmocka_unit_test(data_of_another_system_is_refused),
      cmocka_unit_test(no_data_has_nothing),
      cmocka_unit_test(what_is_no_input_is_not_set),
      cmocka_unit_test(rows_need_channels_that_there_are),
      cmocka_unit_test(steps_with_what_is_of_another_system),
      cmocka_unit_test(reference_goes_forward_only),
      cmocka_unit_test(runs_need_systems),
      cmocka_unit_test(no_tyre_has_no_numbers),
      cmocka_unit_test(results_have_their_rows_alone),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
