// A run that is not to be trusted says so, with the reason and a step that suits; one that is to be trusted does not.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jounce/run.h"
#include "run/run_case.h"
#include "run/run_internal.h"

static const char slider[] =
    "jounce: 1\nname: slider\nbodies: {m: {mass: 1, cg: [0, 0, 0], inertia: [1, 1, 1]}}\n"
    "joints: {guide: {type: translational, bodies: [ground, m], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
    "forces:\n  s: {type: tsda, bodies: [ground, m], at: [[0, 0, -1], [0, 0, 0]], stiffness: 1e6, "
    "free_length: 1}\n"
    "initial: {guide: {position: 0.01}}\n";

typedef struct outcome {
  jn_run_outcome is;
  char body[64], text[400], doubt[400];
  double time, in_play;
} outcome;

static outcome run_of(const char *model, const char *scenario, jn_sim_opts o)
{
  jn_error err = {0};
  jn_run_result r;
  jn_spec *spec = jt_parse(model);
  jn_model *m = jt_compile(spec, NULL);
  jn_scenario *given = NULL;
  jn_system *s = NULL;
  if (scenario) jt_ok(jn_scenario_load(scenario, &given, &err), &err, scenario);
  if (given) {
    const jn_sim_opts own = jn_sim_opts_of(given);
    if (!o.end) o.end = own.end;
    if (!o.step) o.step = own.step;
  }
  jt_ok(jn_system_create(m, given, &o, &s, &err), &err, "system");
  char folder[] = "/tmp/jounce-trust-XXXXXX", command[64];
  assert_non_null(mkdtemp(folder));
  const jn_run_opts opts = {.out = folder, .format = JN_RECORD_CSV};
  jt_ok(jn_run(s, &opts, &r, &err), &err, "run");
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
  outcome k = {.is = r.outcome, .time = r.time, .in_play = r.stats.energy_in_play};
  snprintf(k.body, sizeof k.body, "%s", r.error_body ? r.error_body : "");
  snprintf(k.text, sizeof k.text, "%s", r.error);
  snprintf(k.doubt, sizeof k.doubt, "%s", r.doubt);
  jn_run_result_free(&r);
  jn_system_free(s);
  jn_scenario_free(given);
  jn_model_free(m);
  jn_spec_free(spec);
  return k;
}

static void expect_doubt(const outcome *k)
{
  if (k->is != JN_RUN_FAILED && !k->doubt[0]) fail_msg("trusted, to t = %g s", k->time);
}

// The step that a message asks to try.
static double step_in(const outcome *k)
{
  const char *text = k->text[0] ? k->text : k->doubt, *at = strstr(text, ": try ");
  if (!at) fail_msg("no step in \"%s\"", text);
  return strtod(at + 6, NULL);
}

static const jn_path paths[] = {JN_PATH_AUTO, JN_PATH_GENERAL};
static const jn_integrator integrators[] = {
    JN_INTEGRATOR_AB3, JN_INTEGRATOR_AB2, JN_INTEGRATOR_EULER, JN_INTEGRATOR_SEMI_EULER,
    JN_INTEGRATOR_RK2, JN_INTEGRATOR_RK4, JN_INTEGRATOR_ABM4};

// A kilogram on 1e6 N/m: 1,000 rad/s, of which 3 ms is three radians.
static void a_step_beyond_the_fastest_motion_is_named(void **state)
{
  (void)state;
  for (size_t p = 0; p < 2; p++)
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
      const outcome k = run_of(
          slider, NULL,
          (jn_sim_opts){.integrator = integrators[i], .path = paths[p], .step = 0.003, .end = 5});
      expect_doubt(&k);
      const char *text = k.text[0] ? k.text : k.doubt;
      if (!strstr(text, "body m, 1e+03 rad/s")) fail_msg("%s", text);
      if (k.text[0]) assert_string_equal(k.body, "m");
      JT_NEAR(step_in(&k), 5e-4, 1e-12);
    }
}

// What is estimated is the largest eigenvalue: of an oscillator k/m in closed form, also with damping below and above the critical.
static void the_fastest_motion_is_the_largest_eigenvalue(void **state)
{
  (void)state;
  static const double damping[] = {0.0, 100.0, 1900.0, 2500.0, 1e4};
  for (size_t i = 0; i < sizeof damping / sizeof *damping; i++) {
    char model[1000];
    snprintf(model, sizeof model, "%s", slider);
    char *at = strstr(model, "free_length: 1");
    char rest[500];
    snprintf(rest, sizeof rest, "%s", at);
    snprintf(at, sizeof model - (size_t)(at - model), "damping: %g, %s", damping[i], rest);
    jt_run r = jt_start(jt_parse(model), NULL, &(jn_sim_opts){.path = JN_PATH_GENERAL});
    jt_row(&r);
    const jn_fastest k = jn_fastest_motion(r.system, r.data);
    const double half = 0.5 * damping[i], inner = half * half - 1e6;
    JT_NEAR(k.rate, inner > 0.0 ? half + sqrt(inner) : 1e3, 0.02 * k.rate);
    assert_string_equal(k.name, "m");
    jt_end(&r);
  }
}

// A vehicle whose steps are too long, by every path and formulation; with the step that it asks to try it is trusted.
static void vehicles_with_long_steps(void **state)
{
  (void)state;
  static const struct {
    const char *model, *scenario;
    double step;
  } list[] = {{"models/tractor-semitrailer.yaml", "scenarios/tractor-semitrailer.yaml", 0.01},
              {"models/hmmwv.yaml", "scenarios/hmmwv-step-steer.yaml", 0.006}};
  for (size_t v = 0; v < sizeof list / sizeof *list; v++)
    for (int f = 0; f < JN_NFORMULATION; f++)
      for (size_t p = 0; p < 2; p++) {
        char model[200];
        jn_sim_opts o = {
            .formulation = (jn_formulation)f, .path = paths[p], .step = list[v].step, .end = 10};
        snprintf(model, sizeof model, "jounce: 1\ninclude: %s\n", list[v].model);
        if (f != JN_FORMULATION_SUBSYSTEM && p) continue;
        const outcome k = run_of(model, list[v].scenario, o);
        expect_doubt(&k);
        if (f != JN_FORMULATION_SUBSYSTEM || p) continue;
        o.step = step_in(&k);
        const outcome good = run_of(model, list[v].scenario, o);
        assert_int_equal(good.is, JN_RUN_DONE);
        assert_string_equal(good.doubt, "");
      }
}

#define ON_ITS_ROOF(model, height)                                 \
  "jounce: 1\ninclude: models/" model                              \
  "\njoints:\n  placed: {type: free, bodies: [ground, chassis]}\n" \
  "initial:\n  placed: {orientation: [3.14159, 0, 0], offset: [0, 0, " height "]}\n"

// A vehicle on its roof without contacts falls through the road, which is seen in the row where that begins; with them it lies on it. On a
// road of their own that leads below the common one, wheels roll on.
static void bodies_below_their_road(void **state)
{
  (void)state;
  const outcome fallen = run_of(ON_ITS_ROOF("hmmwv.yaml", "1"), NULL, (jn_sim_opts){.end = 0.95});
  assert_int_equal(fallen.is, JN_RUN_DONE);
  if (!strstr(fallen.doubt, "m below the road at t = 0.") ||
      !strstr(fallen.doubt, "; no force of type contact keeps it above"))
    fail_msg("%s", fallen.doubt);
  for (int p = 0; p < 2; p++) {
    const outcome lies =
        run_of(ON_ITS_ROOF("hmmwv-shell.yaml", "1.9"), NULL,
               (jn_sim_opts){.end = 6, .path = p ? JN_PATH_GENERAL : JN_PATH_AUTO});
    assert_int_equal(lies.is, JN_RUN_DONE);
    assert_string_equal(lies.doubt, "");
  }
  char file[] = "/tmp/jounce-trust-XXXXXX";
  const int out = mkstemp(file);
  static const char scenario[] =
      "jounce: 1\nscenario: downhill\nend: 4\nspeed: 10\nroads:\n  hill: {type: flat, grade: "
      "-0.05, wheels: [fl, fr, rl, rr]}\n";
  assert_true(out >= 0);
  assert_int_equal(write(out, scenario, sizeof scenario - 1), sizeof scenario - 1);
  close(out);
  const outcome rolls = run_of("jounce: 1\ninclude: models/hmmwv.yaml\n", file, (jn_sim_opts){0});
  unlink(file);
  assert_int_equal(rolls.is, JN_RUN_DONE);
  assert_string_equal(rolls.doubt, "");
}

// What the spin of a top has is not what it falls by: at a step that is too coarse for its precession it comes down, at a tenth of that it
// does not.
static void a_top_that_comes_down_is_doubted(void **state)
{
  (void)state;
  const jn_sim_opts coarse = {.end = 3},
                    fine = {.end = 3, .step = 1e-4, .integrator = JN_INTEGRATOR_RK4};
  const outcome k = run_of("jounce: 1\ninclude: models/spinning-top.yaml\n", NULL, coarse);
  if (!strstr(k.doubt, "of body top")) fail_msg("%s", k.doubt);
  const outcome good = run_of("jounce: 1\ninclude: models/spinning-top.yaml\n", NULL, fine);
  assert_string_equal(good.doubt, "");
}

// Contacts that are too soft let a body through whatever the step is.
static void soft_contacts_are_not_blamed_on_the_step(void **state)
{
  (void)state;
  const outcome k =
      run_of(ON_ITS_ROOF("hmmwv-shell.yaml\nforces: {shell: {stiffness: 3e3}}", "1.9"), NULL,
             (jn_sim_opts){.end = 2});
  if (!strstr(k.doubt, "its contacts are too soft") || strstr(k.doubt, "step"))
    fail_msg("%s", k.doubt);
}

// From rest, by a method of low order, nothing is large against anything.
static void standing_vehicles_are_trusted(void **state)
{
  (void)state;
  static const char *const models[] = {"hmmwv", "passenger-car", "tractor-semitrailer"};
  for (int i = 0; i < 6; i++) {
    char model[100];
    snprintf(model, sizeof model, "jounce: 1\ninclude: models/%s.yaml\n", models[i / 2]);
    const outcome k =
        run_of(model, NULL,
               (jn_sim_opts){.integrator = i % 2 ? JN_INTEGRATOR_SEMI_EULER : JN_INTEGRATOR_AB3,
                             .end = 2});
    assert_int_equal(k.is, JN_RUN_DONE);
    assert_string_equal(k.doubt, "");
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_step_beyond_the_fastest_motion_is_named),
      cmocka_unit_test(the_fastest_motion_is_the_largest_eigenvalue),
      cmocka_unit_test(vehicles_with_long_steps),
      cmocka_unit_test(bodies_below_their_road),
      cmocka_unit_test(a_top_that_comes_down_is_doubted),
      cmocka_unit_test(soft_contacts_are_not_blamed_on_the_step),
      cmocka_unit_test(standing_vehicles_are_trusted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
