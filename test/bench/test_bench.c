// `jounce bench` and bench-peers: what they print, short runs of them. And the vehicle of the peers: the other
// engines' is the one of models/peer-vehicle.yaml.
#include <jansson.h>

#include "bench/peers/peer_vehicle.h"
#include "cli/command.h"
#include "jounce/jounce.h"

enum { VEHICLES = 7, WAYS = 4 };
static const char *const way[WAYS] = {"subsystem", "general", "recursive", "independent"};
static jt_run run;

#define RUN(...)                                                  \
  do {                                                            \
    const char *const arguments[] = {"bench", __VA_ARGS__, NULL}; \
    jt_command(".", arguments, &run);                             \
  } while (0)

static json_t *parsed(void)
{
  json_error_t err;
  assert_int_equal(run.code, 0);
  json_t *j = json_loads(run.out, 0, &err);
  if (!j) print_error("%s\n%s\n", err.text, run.out);
  assert_non_null(j);
  return j;
}

static double number_of(const json_t *object, const char *key)
{
  const json_t *x = json_object_get(object, key);
  if (!json_is_number(x)) print_error("%s is no number\n", key);
  assert_true(json_is_number(x));
  return json_number_value(x);
}

static bool is_counted(const json_t *row, const char *key)  // by valgrind
{
  return json_is_number(json_object_get(row, key));
}

// ---- jounce bench --------------------------------------------------------------------------------

static void vehicles_have_all_figures(void **state)
{
  (void)state;
  static const char *const stage[] = {"positions %", "factors %",    "velocities %", "forces %",
                                      "solve %",     "correction %", "integrator %", "rest %"};
  RUN("--suite", "vehicles", "--quick", "--json");
  json_t *all = parsed(), *list = json_object_get(all, "vehicles");
  assert_int_equal(json_array_size(list), VEHICLES * WAYS);
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *row = json_array_get(list, i);
    const char *name = json_string_value(json_object_get(row, "name"));
    assert_non_null(strstr(name, way[i % WAYS]));
    assert_true(number_of(row, "min us") > 0.0);
    JT_LE(number_of(row, "min us"), number_of(row, "median us"));
    JT_LE(number_of(row, "median us"), number_of(row, "p99 us"));
    assert_true(isfinite(number_of(row, "drift")));
    assert_true(json_is_null(json_object_get(row, "instructions")));  // not in a quick look
    double sum = 0.0;
    for (size_t k = 0; k < sizeof stage / sizeof *stage; k++) sum += number_of(row, stage[k]);
    JT_NEAR(sum, 100.0, 8 * 0.5);  // each rounded
  }
  json_decref(all);
}

// What is added costs its own work: a spring or a plug-in some hundred to two thousand instructions of a step, Magic
// Formula tyres five thousand, where the general path would take a hundred thousand more. Instructions, so that no busy machine is seen.
static void there_is_no_cliff_in_instructions(void **state)
{
  (void)state;
#ifdef JN_LISTS_ONLY
  JT_SKIP("kernels are called in this build, and not inlined: it has other counts");
#endif
  RUN("--suite", "additions", "--json");
  json_t *all = parsed(), *list = json_object_get(all, "additions");
  assert_in_range(json_array_size(list), 9,
                  11);  // with plug-ins of the examples, if they are compiled
  const bool counted = is_counted(json_array_get(list, 0), "instructions");
  double plain = 0.0;
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *row = json_array_get(list, i);
    assert_int_equal(number_of(row, "groups of lanes"), 1);
    if (!is_counted(row, "instructions")) continue;  // beside steps: rows, live inputs
    const double n = number_of(row, "instructions");
    if (i == 0) plain = n;
    JT_LE(n, plain + 6000);
  }
  json_decref(all);
  if (!counted) JT_SKIP("valgrind is not installed, or cannot run this build");
}

// A row is made of what the step's own evaluation has: 50 channels take a third of its instructions, where a second evaluation
// would take as many again.
static void rows_cost_a_part_of_a_step(void **state)
{
  (void)state;
  RUN("--suite", "rows", "--json");
  json_t *all = parsed(), *list = json_object_get(all, "rows");
  assert_int_equal(json_array_size(list), 3);
  const json_t *steps = json_array_get(list, 0), *usual = json_array_get(list, 1);
  assert_int_equal(number_of(usual, "channels"), 50);
  assert_true(number_of(usual, "us") > 0.0);
  const bool counted = is_counted(usual, "more");
  if (counted) JT_LE(number_of(usual, "more"), 0.4 * number_of(steps, "instructions"));
  json_decref(all);
  if (!counted) JT_SKIP("valgrind is not installed, or cannot run this build");
}

static void every_suite_is_one_object(void **state)
{
  (void)state;
  static const char *const suite[] = {"compile",  "functions", "tyres", "models",
                                      "vehicles", "additions", "rows",  "scaling"};
  RUN("--quick", "--json");
  json_t *all = parsed();
  assert_int_equal(json_object_size(all), sizeof suite / sizeof *suite);
  for (size_t i = 0; i < sizeof suite / sizeof *suite; i++)
    assert_true(json_is_array(json_object_get(all, suite[i])));
  json_t *tyres = json_object_get(all, "tyres");
  assert_int_equal(json_array_size(tyres), 2);
  for (int i = 0; i < 2; i++) assert_true(number_of(json_array_get(tyres, i), "ns, any CPU") > 0.0);
  json_decref(all);
}

// Every line of a table has as many columns as its head.
static void markdown_is_tables(void **state)
{
  (void)state;
  RUN("--suite", "vehicles", "--quick", "--markdown");
  assert_int_equal(run.code, 0);
  int columns = 0, rows = 0;
  for (char *line = strtok(run.out, "\n"); line; line = strtok(NULL, "\n")) {
    int bars = 0;
    for (const char *c = line; *c; c++) bars += *c == '|';
    if (!bars) columns = 0;
    if (bars && !columns) columns = bars;
    if (bars) assert_int_equal(bars, columns);
    rows += bars > 0;
  }
  assert_int_equal(rows, 2 * (2 + VEHICLES * WAYS));
}

static void wrong_calls_are_refused(void **state)
{
  (void)state;
  RUN("--suite", "nothing");
  assert_int_equal(run.code, 2);
  assert_non_null(strstr(run.err, "vehicles"));
  RUN("--fast");
  assert_int_equal(run.code, 2);
}

// ---- bench-peers ---------------------------------------------------------------------------------

static int peers(const char *arguments)
{
  char command[1024];
  snprintf(command, sizeof command, "%s %s > /dev/null 2>&1", JN_PEERS, arguments);
  const int status = system(command);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void peers_print_all_figures(void **state)
{
  (void)state;
  static const char *const figure[] = {"min_us",   "median_us", "p99_us", "slowest_median_us",
                                       "left_out", "drift_m"};
  char file[] = "/tmp/jounce-peers-XXXXXX", arguments[128];
  json_error_t err;
  close(mkstemp(file));
  snprintf(arguments, sizeof arguments, "--only jounce --repeats 2 --end 0.05 --json %s", file);
  assert_int_equal(peers(arguments), 0);
  json_t *all = json_load_file(file, 0, &err);
  assert_non_null(all);
  unlink(file);
  assert_true(json_is_null(json_object_get(all, "mujoco_us")));
  assert_true(json_is_null(json_object_get(all, "ratio")));
  JT_LE(number_of(all, "drift_m"), 1e-9);
  const char *best = json_string_value(json_object_get(all, "jounce_variant"));
  const double us = number_of(all, "jounce_us");
  const json_t *list = json_object_get(all, "variants");
  assert_true(json_array_size(list) >= 4);
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *v = json_array_get(list, i);
    for (size_t k = 0; k < sizeof figure / sizeof *figure; k++) number_of(v, figure[k]);
    if (json_is_true(json_object_get(v, "contends"))) JT_LE(us, number_of(v, "median_us"));
    if (!strcmp(json_string_value(json_object_get(v, "variant")), best))
      JT_NEAR(number_of(v, "median_us"), us, 0.0);
  }
  json_decref(all);
}

static void peers_refuse_what_they_do_not_know(void **state)
{
  (void)state;
  assert_int_equal(peers("--repeats 0"), 2);
  assert_int_equal(peers("--end 11"), 2);
  assert_int_equal(peers("--only nobody"), 2);
  assert_int_equal(peers("--json"), 2);
  assert_int_equal(peers("--only jounce --repeats 1 --end 0.01 --json /nowhere/file"), 1);
}

// ---- the vehicle ---------------------------------------------------------------------------------

typedef struct vehicle {
  jn_spec *spec;
  jn_model *model;
  jn_system *system;
  jn_data *data;
} vehicle;

static double channel(const vehicle *v, const char *body, const char *what)
{
  char name[96];
  snprintf(name, sizeof name, "%s.%s", body, what);
  const int i = jn_channel_find(v->system, name);
  assert_true(i >= 0);
  return jn_row(v->data)[i];
}

static const char *body_name(int body, char name[32])
{
  static const char *const part[4] = {"lca", "uca", "upright", "wheel"}, *const at[4] = {"fl", "fr",
                                                                                         "rl",
                                                                                         "rr"};
  if (body < 2)
    snprintf(name, 32, "%s", body == RACK ? "rack" : "chassis");
  else
    snprintf(name, 32, "%s_%s", part[(body - 2) % 4], at[(body - 2) / 4]);
  return name;
}

// Bodies stand where vehicle.h says; accelerations at t = 0 follow from its masses and forces: what all bodies need
// together is what acts from outside, tyres and weight.
static void vehicle_is_that_of_the_model_file(void **state)
{
  (void)state;
  static const char *const xyz[3] = {"x", "y", "z"}, *const axyz[3] = {"ax", "ay", "az"};
  vehicle v = {0};
  jn_error err = {0};
  assert_int_equal(jn_spec_load("models/peer-vehicle.yaml", NULL, 0, &v.spec, &err), 0);
  assert_int_equal(jn_model_compile(v.spec, NULL, &v.model, &err), 0);
  assert_int_equal(jn_system_create(v.model, NULL, NULL, &v.system, &err), 0);
  assert_int_equal(jn_data_create(v.system, &v.data, &err), 0);
  assert_int_equal(jn_evaluate(v.system, v.data), JN_STEP_OK);
  body_state s[NBODY] = {0};
  double needed[3] = {0.0, 0.0, 0.0}, given[3] = {0.0, 0.0, 0.0};
  for (int i = 0; i < NBODY; i++) {
    char name[32];
    body_name(i, name);
    for (int k = 0; k < 3; k++) {
      s[i].p[k] = channel(&v, name, xyz[k]);
      s[i].r[4 * k] = 1.0;
      JT_NEAR(s[i].p[k], cg_of(i)[k], 1e-12);
      needed[k] += mass_of(i).mass * channel(&v, name, axyz[k]);
    }
    s[i].v[0] = channel(&v, name, "vx");
    s[i].w[1] = channel(&v, name, "wy");
    JT_NEAR(s[i].v[0], SPEED, 1e-12);
    given[2] -= mass_of(i).mass * GRAVITY;
  }
  for (int i = 0; i < NCORNER; i++) JT_NEAR(s[wheel(i)].w[1], SPEED / HUB_HEIGHT, 1e-12);
  JT_LE(violation(s), 1e-12);
  body_force f[NBODY];
  forces_at(0.0, s, f);
  for (int i = 0; i < NBODY; i++)
    for (int k = 0; k < 3; k++) given[k] += f[i].force[k];
  for (int k = 0; k < 3; k++) JT_NEAR(needed[k], given[k], 1e-7);
  jn_data_free(v.data);
  jn_system_free(v.system);
  jn_model_free(v.model);
  jn_spec_free(v.spec);
}

// Each body moved alone opens a joint by as much, the chassis too; a rack on its line opens none of its guide's, but
// makes its tie rods longer and shorter by nearly as much.
static void violation_sees_every_body(void **state)
{
  (void)state;
  for (int moved = 0; moved < NBODY; moved++) {
    body_state s[NBODY] = {0};
    for (int i = 0; i < NBODY; i++)
      for (int k = 0; k < 3; k++) s[i].p[k] = cg_of(i)[k], s[i].r[4 * k] = 1.0;
    JT_LE(violation(s), 1e-15);
    s[moved].p[0] += 1e-3;
    JT_NEAR(violation(s), 1e-3, 1e-12);
    s[moved].p[0] -= 1e-3;
    s[moved].p[1] += 1e-3;
    JT_NEAR(violation(s), 1e-3, moved == RACK ? 1e-6 : 1e-12);
  }
}

// As model files have it: linear between two corners.
static void ramp_has_its_corners(void **state)
{
  (void)state;
  JT_NEAR(rack_demand_at(RAMP_BEGIN).position, 0.0, 0.0);
  JT_NEAR(rack_demand_at(0.5 * (RAMP_BEGIN + RAMP_END)).position, 0.5 * RAMP_TO, 1e-15);
  JT_NEAR(rack_demand_at(RAMP_END).position, RAMP_TO, 0.0);
  JT_NEAR(rack_demand_at(RAMP_END).rate, 0.0, 0.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vehicles_have_all_figures),
      cmocka_unit_test(rows_cost_a_part_of_a_step),
      cmocka_unit_test(there_is_no_cliff_in_instructions),
      cmocka_unit_test(every_suite_is_one_object),
      cmocka_unit_test(markdown_is_tables),
      cmocka_unit_test(wrong_calls_are_refused),
      cmocka_unit_test(peers_print_all_figures),
      cmocka_unit_test(peers_refuse_what_they_do_not_know),
      cmocka_unit_test(vehicle_is_that_of_the_model_file),
      cmocka_unit_test(violation_sees_every_body),
      cmocka_unit_test(ramp_has_its_corners),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
