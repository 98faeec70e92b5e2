// Nothing is allocated or freed once a run has been created: every model, every integrator, every
// formulation, steps with events and without.
#include <glob.h>

#include "allocations.h"
#include "run_case.h"

static void the_watch_sees_calls(void **state)
{
  (void)state;
  calls = 0;
  watching = 1;
  void *volatile p = malloc(100);
  char *volatile text = strdup("libc's own");
  free(p);
  free(text);
  watching = 0;
  assert_int_equal(calls, 4);
}

static void check(jt_run *r, const char *what, int steps)
{
  jn_step_flags flags = JN_STEP_OK;
  calls = 0;
  watching = 1;
  for (int i = 0; i < steps && !flags; i++) {
    flags = jn_evaluate(r->system, r->data);
    if (!flags) flags = jn_step(r->system, r->data);
  }
  watching = 0;
  if (calls) fail_msg("%s: %d calls of the allocator", what, calls);
  jt_flag(r, flags);
}

// Short steps: none of these runs is about accuracy, and all must be stable with euler.
static void every_model_every_integrator(void **state)
{
  (void)state;
  glob_t files;
  assert_int_equal(glob("models/*.yaml", 0, NULL, &files), 0);
  assert_int_equal(glob("test/models/*.yaml", GLOB_APPEND, NULL, &files), 0);
  assert_true(files.gl_pathc >= 22);
  for (size_t k = 0; k < files.gl_pathc; k++)
    for (int f = 0; f < JN_NFORMULATION; f++)
      for (int i = 0; i < JN_NINTEGRATOR; i++)
        for (int z = 0; z < JN_NSTABILIZE; z++) {
          if (i == JN_INTEGRATOR_REFERENCE || (i != JN_INTEGRATOR_AB3 && z != i % JN_NSTABILIZE))
            continue;
          jn_sim_opts o = {.formulation = (jn_formulation)f,
                           .integrator = (jn_integrator)i,
                           .stabilize = (jn_stabilize)z,
                           .step = 1e-5};
          jt_run r = jt_start(jt_load(files.gl_pathv[k]), NULL, &o);
          check(&r, files.gl_pathv[k], 6);
          jt_end(&r);
        }
  globfree(&files);
}

// Starts and restarts of multistep methods, jumps inside of steps and on their ends, two in one
// step, live inputs.
static void events(void **state)
{
  (void)state;
  static const char text[] =
      "jounce: 1\ninclude: models/slider-crank.yaml\nforces:\n"
      "  motor: {type: torque, bodies: [ground, crank], axis: [1, 0, 0], torque: 1, start: "
      "0.0105,\n"
      "          channel: motor, lag: 0.01}\n"
      "  servo: {type: servo, joint: A, stiffness: 1, damping: 0.1, channel: servo}\n";
  static const char scenario[] =
      "jounce: 1\nscenario: events\nend: 1\ninputs:\n"
      "  motor: {type: step, at: 0.0107, to: 0.3}\n"
      "  servo: {type: ramp, start: 0.02, end: 0.0305, to: 0.1}\n";
  for (int f = 0; f < JN_NFORMULATION; f++)
    for (int i = 0; i < JN_NINTEGRATOR; i++) {
      if (i == JN_INTEGRATOR_REFERENCE) continue;
      jn_sim_opts o = {.formulation = (jn_formulation)f, .integrator = (jn_integrator)i};
      jt_run r = jt_start(jt_parse(text), scenario, &o);
      const int64_t before = jn_data_stats(r.data).events;
      check(&r, "jumps", 50);
      calls = 0;
      watching = 1;
      jn_input_set(r.data, jn_channel_find(r.system, "servo"), 0.05, 0.0);
      watching = 0;
      assert_int_equal(calls, 0);
      check(&r, "live input", 10);
      assert_true(jn_data_stats(r.data).events >= before + 2);
      jt_end(&r);
    }
}

static int events_of(const char *file, jn_formulation formulation, int steps)
{
  jn_sim_opts o = {.formulation = formulation, .integrator = JN_INTEGRATOR_RK4};
  jt_run r = jt_start(jt_load(file), NULL, &o);
  check(&r, file, steps);
  const int64_t n = jn_data_stats(r.data).events;
  jt_end(&r);
  return (int)n;
}

static void new_partitions_and_singular_positions(void **state)
{
  (void)state;
  assert_true(events_of("models/n-four-bar.yaml", JN_FORMULATION_INDEPENDENT, 1500) > 1);
  assert_true(events_of("test/models/n-four-bar-singular.yaml", JN_FORMULATION_RECURSIVE, 100) > 0);
  assert_true(events_of("test/models/n-four-bar-singular.yaml", JN_FORMULATION_SUBSYSTEM, 100) > 0);
}

// A run in lanes, on the general path, evaluated and not: copied, saved, restored, begun again.
static void snapshots(void **state)
{
  (void)state;
  for (int p = 0; p < 2; p++) {
    const jn_sim_opts o = {.path = p ? JN_PATH_GENERAL : JN_PATH_AUTO};
    jt_run r = jt_start(jt_load("models/hmmwv.yaml"), NULL, &o);
    jn_error err = {0};
    jn_data *other;
    jt_ok(jn_data_create(r.system, &other, &err), &err, "data");
    const size_t size = jn_data_save(r.data, NULL, 0);
    unsigned char *bytes = malloc(size);
    assert_non_null(bytes);
    for (int i = 0; i < 4; i++) {
      jt_steps(&r, 5);
      if (i % 2) jt_row(&r);
      calls = 0;
      watching = 1;
      bool good = jn_data_copy(other, r.data) == JN_OK;
      good &= jn_data_save(r.data, bytes, size) == size;
      good &= jn_data_restore(other, bytes, size, &err) == JN_OK;
      good &= jn_data_restore(other, bytes, size - 1, &err) != JN_OK;
      jn_data_reset(other);
      watching = 0;
      assert_true(good);
      assert_int_equal(calls, 0);
    }
    free(bytes);
    jn_data_free(other);
    jt_end(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_watch_sees_calls),
      cmocka_unit_test(every_model_every_integrator),
      cmocka_unit_test(events),
      cmocka_unit_test(new_partitions_and_singular_positions),
      cmocka_unit_test(snapshots),
  };
  return cmocka_run_group_tests(tests, watch, NULL);
}
