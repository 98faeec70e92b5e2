// What a scenario file says is what the scenario has, in SI units; a wrong one is refused at its
// place.
#include "spec/scenario_internal.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "jounce/jounce.h"

static jn_scenario *parse(const char *text)
{
  char line[1024];
  jn_error err = {0};
  jn_scenario *s = NULL;
  if (jn_scenario_parse(text, strlen(text), "dir/test.yaml", &s, &err))
    fail_msg("%s\n%s", jn_error_line(&err, line, sizeof line), text);
  return s;
}

#define HEAD "jounce: 1\nscenario: a test\nend: 5\n"

static const jn_signal_spec *input_of(const jn_scenario *s, const char *name)
{
  for (int i = 0; i < s->ninput; i++)
    if (!strcmp(s->input[i].name, name)) return &s->input[i];
  fail_msg("no input %s", name);
  return NULL;
}

// ---- what it says -------------------------------------------------------------------------------

static void everything_is_read(void **state)
{
  (void)state;
  jn_error err = {0};
  jn_scenario *s = NULL;
  assert_int_equal(jn_scenario_load("scenarios/example-inputs.yaml", &s, &err), JN_OK);
  assert_string_equal(s->name, "every kind of input");
  assert_string_equal(s->description, "shows the format; to be copied from, not to be run");
  assert_true(s->solver.end == 20.0 && s->solver.step == 1e-3 && s->solver.tolerance == 1e-12);
  assert_int_equal(s->ninput, 7);
  const jn_signal_spec *rack = input_of(s, "rack"), *motor = input_of(s, "motor");
  assert_int_equal(rack->kind, JN_SIGNAL_CONSTANT);
  assert_true(rack->as.constant.value == 0.01);
  assert_int_equal(motor->kind, JN_SIGNAL_STEP);
  assert_true(motor->as.step.at == 1.0 && motor->as.step.from == 0.0 && motor->as.step.to == 100.0);
  assert_string_equal(motor->pos.file, "scenarios/example-inputs.yaml");
  assert_true(motor->pos.line == 17 && motor->pos.col == 3);
  const jn_signal_ramp_spec *brake = &input_of(s, "brake")->as.ramp;
  assert_true(brake->start == 0.5 && brake->end == 1.5 && brake->from == 0.0 && brake->to == 1.0);
  const jn_signal_sine_spec *shaker = &input_of(s, "shaker")->as.sine;
  assert_true(shaker->amplitude == 2.0 && shaker->frequency == 0.5 && shaker->offset == 1.0);
  assert_true(shaker->start == 2.0 && shaker->end == 12.0);
  JT_NEAR(shaker->phase, acos(0.0), 0x1p-52);  // 90 degrees
  const jn_signal_sine_spec *pump = &input_of(s, "pump")->as.sine;
  assert_true(pump->start == 0.0 && pump->phase == 0.0 && pump->end > 1e308);
  const jn_signal_chirp_spec *sweep = &input_of(s, "road.sweep")->as.chirp;
  assert_true(sweep->frequencies[0] == 0.1 && sweep->frequencies[1] == 10.0 && sweep->end == 20.0);
  const jn_signal_table_spec *steer = &input_of(s, "driver.steer")->as.table;
  assert_int_equal(steer->points.n, 4);
  assert_true(steer->points.x[2] == 2.0 && steer->points.y[2] == 0.5);
  assert_string_equal(jn_curve_methods[steer->method].word, "akima");
  assert_string_equal(jn_curve_outside[steer->outside].word, "hold");
  assert_int_equal(s->record.channels.n, 2);
  assert_string_equal(s->record.channels.text[0], "chassis.*");
  assert_true(s->record.every == 0.01);
  assert_int_equal(s->nstop, 2);
  assert_string_equal(s->stop[0].name, "fallen");
  assert_string_equal(s->stop[0].keys.channel, "chassis.z");
  assert_true(s->stop[0].keys.below == 0.1 && s->stop[0].keys.above > 1e308);
  assert_true(s->stop[1].keys.below < -1e308 && s->stop[1].keys.above == 50.0);
  jn_scenario_free(s);
}

static void what_is_left_out_has_its_default(void **state)
{
  (void)state;
  jn_scenario *s = parse(HEAD
                         "inputs:\n  t: {type: table, points: [[0, 1], [1, 2]]}\n"
                         "stop: ~\n");
  assert_true(s->solver.step == 1e-3 && s->solver.tolerance == 1e-12);
  assert_true(s->solver.baumgarte == 0.0 && s->solver.newton_iterations == 2);
  assert_int_equal(s->solver.formulation, JN_FORMULATION_SUBSYSTEM);
  assert_int_equal(s->solver.integrator, JN_INTEGRATOR_AB3);
  assert_int_equal(s->solver.stabilize, JN_STABILIZE_PROJECTION);
  assert_int_equal(s->solver.path, JN_PATH_AUTO);
  assert_false(JN_GIVEN(&s->solver, jn_solver_spec, step));
  assert_true(JN_GIVEN(&s->solver, jn_solver_spec, end));
  assert_null(s->description);
  assert_int_equal(s->nstop, 0);
  assert_true(s->record.channels.n == 0 && s->record.every == 0.0);
  assert_string_equal(jn_curve_methods[s->input[0].as.table.method].word, "linear");
  assert_string_equal(jn_curve_outside[s->input[0].as.table.outside].word, "hold");
  jn_scenario_free(s);
}

// Every word of the public lists, as the value of the enum that is made from them.
static void solvers_are_called_by_the_words_of_the_public_lists(void **state)
{
  (void)state;
#define X(name, word, help) {"formulation", word, JN_FORMULATION_##name},
#define Y(name, word, help) {"integrator", word, JN_INTEGRATOR_##name},
#define Z(name, word, help) {"stabilize", word, JN_STABILIZE_##name},
#define W(name, word, help) {"path", word, JN_PATH_##name},
  static const struct {
    const char *key, *word;
    int value;
  } all[] = {JN_FORMULATION_LIST(X) JN_INTEGRATOR_LIST(Y) JN_STABILIZE_LIST(Z) JN_PATH_LIST(W)};
#undef X
#undef Y
#undef Z
#undef W
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    char text[128];
    snprintf(text, sizeof text, HEAD "%s: %s\n", all[i].key, all[i].word);
    jn_scenario *s = parse(text);
    int value = all[i].key[0] == 'f'   ? s->solver.formulation
                : all[i].key[0] == 'i' ? s->solver.integrator
                : all[i].key[0] == 's' ? s->solver.stabilize
                                       : s->solver.path;
    assert_int_equal(value, all[i].value);
    jn_scenario_free(s);
  }
}

// Times, rates and phases are in the file's units; what goes in and limits are not.
static void units_are_those_of_time_and_not_of_values(void **state)
{
  (void)state;
  const char *const body =
      "step: 0.5\nbaumgarte: 0.25\ntolerance: 1e-9\ninputs:\n"
      "  a: {type: sine, amplitude: 2, frequency: 3, phase: 180, offset: 4, start: 5, end: 6}\n"
      "  b: {type: table, points: [[7, 8], [9, 10]]}\n"
      "  c: {type: chirp, amplitude: 1, frequencies: [2, 4], end: 8}\n"
      "  d: {type: constant, value: 11}\n"
      "record: {channels: all.*, every: 12}\n"
      "stop: {s: {channel: x, above: 13}}\n";
  char text[1024];
  snprintf(text, sizeof text,
           HEAD "units: {time: ms, angle: deg, length: mm, force: kN, mass: t}\n%s", body);
  jn_scenario *s = parse(text);
  assert_true(s->solver.end == 5e-3 && s->solver.step == 0.5e-3);
  assert_true(s->solver.baumgarte == 250.0 && s->solver.tolerance == 1e-9);
  const jn_signal_sine_spec *a = &input_of(s, "a")->as.sine;
  assert_true(a->amplitude == 2.0 && a->offset == 4.0);
  assert_true(a->frequency == 3000.0 && a->start == 5e-3 && a->end == 6e-3);
  JT_NEAR(a->phase, 2.0 * acos(0.0), 0x1p-51);
  const jn_curve_spec *b = &input_of(s, "b")->as.table.points;
  assert_true(b->x[0] == 7e-3 && b->y[0] == 8.0 && b->x[1] == 9e-3 && b->y[1] == 10.0);
  assert_true(input_of(s, "c")->as.chirp.frequencies[1] == 4000.0);
  assert_true(input_of(s, "d")->as.constant.value == 11.0);
  assert_true(s->record.every == 12e-3 && s->record.channels.n == 1);
  assert_string_equal(s->record.channels.text[0], "all.*");
  assert_true(s->stop[0].keys.above == 13.0);
  jn_scenario_free(s);
}

static void json_is_read_as_yaml(void **state)
{
  (void)state;
  jn_scenario *s = parse(
      "{\"jounce\": 1, \"scenario\": \"x\", \"end\": 2, \"integrator\": \"rk4\",\n"
      " \"inputs\": {\"a\": {\"type\": \"sine\", \"amplitude\": 1, \"frequency\": 1,\n"
      "  \"end\": \"never\"}}, \"record\": {\"channels\": [\"*\"]}}");
  assert_int_equal(s->solver.integrator, JN_INTEGRATOR_RK4);
  assert_true(s->input[0].as.sine.end > 1e308);
  jn_scenario_free(s);
}

// In the file's units, and the same again when it is printed and read.
static void drivers_are_read(void **state)
{
  (void)state;
  jn_scenario *s = parse(HEAD
                         "units: {length: mm}\ndrivers:\n  a: {type: speed, body: b, wheels: w}\n"
                         "  c: {type: speed, body: d, wheels: [e, f], speed: 20000, gain: 5, "
                         "integral_time: 3, most: 7000, least: -9000}\n");
  char *text = NULL;
  jn_error err = {0};
  assert_int_equal(jn_scenario_print(s, &text, NULL, &err), JN_OK);
  jn_scenario_free(s);
  s = parse(text);
  free(text);
  assert_int_equal(s->ndriver, 2);
  assert_string_equal(s->driver[0].name, "a");
  const jn_driver_speed_spec *a = &s->driver[0].as.speed, *c = &s->driver[1].as.speed;
  assert_string_equal(a->body, "b");
  assert_true(a->wheels.n == 1 && !strcmp(a->wheels.text[0], "w"));
  assert_false(JN_GIVEN(a, jn_driver_speed_spec, gain));
  assert_true(c->wheels.n == 2 && !strcmp(c->wheels.text[1], "f"));
  assert_true(c->speed == 20.0 && c->gain == 5.0 && c->integral_time == 3.0);
  assert_true(c->most == 7.0 && c->least == -9.0);
  jn_scenario_free(s);
}

static void every_scenario_of_the_project_is_read(void **state)
{
  (void)state;
  DIR *dir = opendir("scenarios");
  assert_non_null(dir);
  int n = 0;
  for (struct dirent *d; (d = readdir(dir));) {
    char path[512], line[1024];
    jn_error err = {0};
    jn_scenario *s = NULL;
    if (!strstr(d->d_name, ".yaml")) continue;
    snprintf(path, sizeof path, "scenarios/%s", d->d_name);
    if (jn_scenario_load(path, &s, &err)) fail_msg("%s", jn_error_line(&err, line, sizeof line));
    jn_scenario_free(s);
    n++;
  }
  closedir(dir);
  assert_true(n >= 1);
}

// ---- patterns -----------------------------------------------------------------------------------

// The rule itself, which is slow: a * is nothing, or one character and the * again.
static bool fits_by_definition(const char *pattern, const char *name)
{
  if (*pattern == '*')
    return fits_by_definition(pattern + 1, name) ||
           (*name && fits_by_definition(pattern, name + 1));
  if (*pattern != *name) return false;
  return !*name || fits_by_definition(pattern + 1, name + 1);
}

static void stars_stand_for_any_characters(void **state)
{
  (void)state;
  assert_true(jn_pattern_fits("chassis.*", "chassis.x"));
  assert_true(jn_pattern_fits("*", ""));
  assert_true(jn_pattern_fits("*.angle", "joint.lca.angle"));
  assert_false(jn_pattern_fits("*.angle", "joint.lca.angles"));
  assert_false(jn_pattern_fits("chassis.*", "chassis"));
  jt_random r = {7};
  int fits = 0;
  for (int round = 0; round < 200000; round++) {
    char pattern[10] = "", name[10] = "";
    int np = jt_random_below(&r, 8), nn = jt_random_below(&r, 9);
    for (int i = 0; i < np; i++) pattern[i] = "ab*"[jt_random_below(&r, 3)];
    for (int i = 0; i < nn; i++) name[i] = "ab"[jt_random_below(&r, 2)];
    bool fit = jn_pattern_fits(pattern, name);
    if (fit != fits_by_definition(pattern, name)) fail_msg("%s and %s", pattern, name);
    fits += fit;
  }
  assert_true(fits > 10000);
}

// ---- what is wrong ------------------------------------------------------------------------------

static char *trim(char *s)
{
  while (*s == ' ') s++;
  for (char *end = s + strlen(s); end > s && strchr(" \n", end[-1]);) *--end = 0;
  return s;
}

static int is_refused(const char *file, const char *place, const char *text)
{
  char line[1024], begin[512];
  jn_error err = {0};
  jn_scenario *s = NULL;
  jn_status st = jn_scenario_load(file, &s, &err);
  jn_error_line(&err, line, sizeof line);
  snprintf(begin, sizeof begin, "%s:%s: %s", file, place, text);
  if (st && !s && err.code == st && !strncmp(line, begin, strlen(begin))) return 0;
  print_error("expected: %s\n  found: %s\n", begin, st ? line : "no error");
  jn_scenario_free(s);
  return 1;
}

static void wrong_scenarios_are_refused_at_their_place(void **state)
{
  (void)state;
  char line[1024], file[256];
  FILE *in = fopen("test/wrong/scenario/cases.txt", "r");
  assert_non_null(in);
  int wrong = 0, n = 0;
  while (fgets(line, sizeof line, in)) {
    if (line[0] == '#' || line[0] == '\n') continue;
    char *place = strchr(line, '|'), *text = place ? strchr(place + 1, '|') : NULL;
    assert_non_null(text);
    *place++ = 0, *text++ = 0;
    snprintf(file, sizeof file, "test/wrong/scenario/%s.yaml", trim(line));
    wrong += is_refused(file, trim(place), trim(text));
    n++;
  }
  fclose(in);
  DIR *dir = opendir("test/wrong/scenario");
  assert_non_null(dir);
  for (struct dirent *d; (d = readdir(dir));) n -= strstr(d->d_name, ".yaml") != NULL;
  closedir(dir);
  assert_int_equal(n, -1);  // every file has its line, except the good one
  assert_int_equal(wrong, 0);
}

static void files_that_are_none_are_refused(void **state)
{
  (void)state;
  jn_error err = {0};
  jn_scenario *s = NULL;
  assert_int_equal(jn_scenario_load("scenarios", &s, &err), JN_E_FILE);
  assert_null(s);
  assert_non_null(strstr(err.text, "is a directory"));
  assert_int_equal(jn_scenario_load("scenarios/nowhere.yaml", &s, &err), JN_E_FILE);
  assert_int_equal(jn_scenario_load("models/pendulum.yaml", &s, &err), JN_E_SCHEMA);
  assert_string_equal(err.text, "is a model, expected a scenario");
  jn_spec *spec = NULL;
  assert_int_equal(jn_spec_load("scenarios/example-inputs.yaml", NULL, 0, &spec, &err),
                   JN_E_SCHEMA);
  assert_string_equal(err.text, "is a scenario, expected a model");
  assert_null(spec);
  assert_int_equal(jn_scenario_load("test/wrong/scenario/empty.yaml", &s, NULL),
                   JN_E_PARSE);  // without a place for the message
}

// Too large, too many values: the limits of models, in the words of a scenario.
static void limits_are_those_of_models(void **state)
{
  (void)state;
  const size_t most = (16 << 20) + 64;
  char *text = malloc(most + 1);
  jn_error err = {0};
  jn_scenario *s = NULL;
  assert_non_null(text);
  memset(text, '#', most);
  assert_int_equal(jn_scenario_parse(text, most, "x.yaml", &s, &err), JN_E_LIMIT);
  assert_non_null(strstr(err.text, "a scenario has at most 16777216 bytes"));
  size_t at = (size_t)sprintf(text, HEAD "inputs:\n  a:\n    type: table\n    points:\n");
  for (int i = 0; i < 100000; i++) at += (size_t)sprintf(text + at, "    - [%d, 1]\n", i);
  assert_int_equal(jn_scenario_parse(text, at, "x.yaml", &s, &err), JN_E_LIMIT);
  assert_non_null(strstr(err.text, "a scenario has at most 250000"));
  at = (size_t)sprintf(text, HEAD "inputs:\n  a:\n    type: table\n    points:\n");
  for (int i = 0; i < 50000; i++) at += (size_t)sprintf(text + at, "    - [%d, 1]\n", i);
  assert_int_equal(jn_scenario_parse(text, at, "x.yaml", &s, &err), JN_OK);
  assert_int_equal(s->input[0].as.table.points.n, 50000);
  jn_scenario_free(s);
  free(text);
}

// Written, and read again: every key of every shipped scenario.
static void a_written_scenario_is_the_same(void **state)
{
  (void)state;
  int n = 0;
  DIR *folder = opendir("scenarios");
  assert_non_null(folder);
  for (const struct dirent *d; (d = readdir(folder));) {
    char path[300], *text, *again;
    jn_error err = {0};
    jn_scenario *s;
    if (!strstr(d->d_name, ".yaml")) continue;
    snprintf(path, sizeof path, "scenarios/%s", d->d_name);
    assert_int_equal(jn_scenario_load(path, &s, &err), JN_OK);
    assert_int_equal(jn_scenario_print(s, &text, NULL, &err), JN_OK);
    jn_scenario *t = parse(text);
    assert_string_equal(t->name, s->name);
    assert_int_equal(!t->description, !s->description);
    if (s->description) assert_string_equal(t->description, s->description);
    assert_memory_equal(&t->solver, &s->solver, sizeof s->solver);
    assert_int_equal(t->ninput, s->ninput);
    for (int i = 0; i < s->ninput; i++) {
      const jn_signal_spec *a = &s->input[i], *b = &t->input[i];
      assert_string_equal(b->name, a->name);
      assert_int_equal(b->kind, a->kind);
      if (a->kind != JN_SIGNAL_TABLE) {
        assert_memory_equal(&b->as, &a->as, sizeof a->as);
        continue;
      }
      const jn_signal_table_spec *x = &a->as.table, *y = &b->as.table;
      const size_t size = (size_t)x->points.n * sizeof(double);
      assert_true(y->points.n == x->points.n && y->method == x->method && y->outside == x->outside);
      assert_memory_equal(y->points.x, x->points.x, size);
      assert_memory_equal(y->points.y, x->points.y, size);
    }
    assert_int_equal(t->nstop, s->nstop);
    for (int i = 0; i < s->nstop; i++) {
      const jn_stop_keys *a = &s->stop[i].keys, *b = &t->stop[i].keys;
      assert_string_equal(t->stop[i].name, s->stop[i].name);
      assert_string_equal(b->channel, a->channel);
      assert_true(b->below == a->below && b->above == a->above && b->given == a->given);
    }
    assert_int_equal(t->record.channels.n, s->record.channels.n);
    for (int i = 0; i < s->record.channels.n; i++)
      assert_string_equal(t->record.channels.text[i], s->record.channels.text[i]);
    assert_true(t->record.every == s->record.every);
    assert_int_equal(jn_scenario_print(t, &again, NULL, &err), JN_OK);
    assert_string_equal(again, text);
    free(text), free(again);
    jn_scenario_free(s);
    jn_scenario_free(t);
    n++;
  }
  closedir(folder);
  assert_true(n >= 12);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything_is_read),
      cmocka_unit_test(a_written_scenario_is_the_same),
      cmocka_unit_test(what_is_left_out_has_its_default),
      cmocka_unit_test(solvers_are_called_by_the_words_of_the_public_lists),
      cmocka_unit_test(units_are_those_of_time_and_not_of_values),
      cmocka_unit_test(json_is_read_as_yaml),
      cmocka_unit_test(drivers_are_read),
      cmocka_unit_test(every_scenario_of_the_project_is_read),
      cmocka_unit_test(stars_stand_for_any_characters),
      cmocka_unit_test(wrong_scenarios_are_refused_at_their_place),
      cmocka_unit_test(files_that_are_none_are_refused),
      cmocka_unit_test(limits_are_those_of_models),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
