// Options of a run that are none are refused by name, when the system is made and not when it runs.
#include "run_case.h"

static const struct {
  jn_sim_opts opts;
  jn_status status;
  const char *text;
} wrong[] = {
    {{.step = -1e-3}, JN_E_RANGE, "the step is -0.001 s, must be above zero"},
    {{.step = NAN}, JN_E_RANGE, "the step is nan s"},
    {{.step = INFINITY}, JN_E_RANGE, "the step is inf s"},
    {{.end = -1.0}, JN_E_RANGE, "the end is at -1 s, must be above zero"},
    {{.end = INFINITY}, JN_E_RANGE, "the end is at inf s"},
    {{.step = 1e-9, .end = 1e4}, JN_E_LIMIT, "the run has more than 1e12 steps"},
    {{.formulation = (jn_formulation)-1}, JN_E_CALL, "name no formulation"},
    {{.formulation = JN_NFORMULATION}, JN_E_CALL, "name no formulation"},
    {{.integrator = (jn_integrator)-1}, JN_E_CALL, "name no formulation, integrator"},
    {{.integrator = JN_NINTEGRATOR}, JN_E_CALL, "name no formulation, integrator"},
    {{.stabilize = (jn_stabilize)-1}, JN_E_CALL, "stabilisation"},
    {{.stabilize = JN_NSTABILIZE}, JN_E_CALL, "stabilisation"},
    {{.path = (jn_path)-1}, JN_E_CALL, "or path"},
    {{.path = JN_NPATH}, JN_E_CALL, "or path"},
    {{.baumgarte = -1.0}, JN_E_RANGE, "the rate of `baumgarte` is -1 1/s"},
    {{.baumgarte = INFINITY}, JN_E_RANGE, "the rate of `baumgarte` is inf 1/s"},
    {{.newton_iterations = -1}, JN_E_RANGE, "`newton` takes 1 to 100 corrections, not -1"},
    {{.newton_iterations = 101}, JN_E_RANGE, "`newton` takes 1 to 100 corrections, not 101"},
    {{.tolerance = 1e-16}, JN_E_RANGE, "tolerance"},
    {{.tolerance = 1.0}, JN_E_RANGE, "tolerance"},
    {{.tolerance = NAN}, JN_E_RANGE, "tolerance"},
};

static void options_that_are_none_are_refused(void **state)
{
  (void)state;
  jn_spec *spec = jt_load("models/pendulum.yaml");
  jn_model *model = jt_compile(spec, NULL);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    jn_error err = {0};
    jn_system *system = NULL;
    const jn_status st = jn_system_create(model, NULL, &wrong[i].opts, &system, &err);
    if (st != wrong[i].status || !strstr(err.text, wrong[i].text))
      fail_msg("%zu: status %d, \"%s\", expected %d, %s", i, (int)st, err.text,
               (int)wrong[i].status, wrong[i].text);
    assert_null(system);
  }
  jn_model_free(model);
  jn_spec_free(spec);
}

static void words_have_numbers_and_back(void **state)
{
  (void)state;
  assert_int_equal(jn_sim_word("integrator", "rk4"), JN_INTEGRATOR_RK4);
  assert_int_equal(jn_sim_word("path", "general"), JN_PATH_GENERAL);
  assert_int_equal(jn_sim_word("path", "rk4"), -1);
  assert_int_equal(jn_sim_word("colour", "red"), -1);
  assert_string_equal(jn_sim_word_of("stabilize", JN_STABILIZE_NEWTON), "newton");
  assert_null(jn_sim_word_of("stabilize", JN_NSTABILIZE));
  assert_null(jn_sim_word_of("stabilize", -1));
  assert_null(jn_sim_word_of("colour", 0));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(options_that_are_none_are_refused),
                                     cmocka_unit_test(words_have_numbers_and_back)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
