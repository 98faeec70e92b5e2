// What `jounce check` says of a step's cost, against instructions that callgrind has counted (jounce bench --suite work).
#include "run/run_case.h"
#include "run/run_internal.h"
#include "solve/fast/fast.h"

static const struct counted {
  const char *model;
  jn_path path;
  double instructions;
} counted[] = {
    {"models/hmmwv.yaml", JN_PATH_AUTO, 8675},
    {"models/hmmwv.yaml", JN_PATH_LIST, 13771},
    {"models/hmmwv.yaml", JN_PATH_GENERAL, 133813},
    {"models/peer-vehicle.yaml", JN_PATH_AUTO, 7638},
    {"models/peer-vehicle.yaml", JN_PATH_GENERAL, 143889},
    {"models/quarter-car.yaml", JN_PATH_AUTO, 8026},
    {"models/quarter-car.yaml", JN_PATH_GENERAL, 37321},
    {"models/passenger-car.yaml", JN_PATH_AUTO, 16725},
    {"models/passenger-car.yaml", JN_PATH_GENERAL, 127641},
    {"models/hmmwv-mf.yaml", JN_PATH_AUTO, 11437},
    {"models/tractor-semitrailer.yaml", JN_PATH_AUTO, 18218},
    {"test/models/hmmwv-odd-corners.yaml", JN_PATH_AUTO, 78560},
};

static void estimates_are_near_counts(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
    const struct counted *c = &counted[i];
    jt_run r = jt_start(jt_load(c->model), NULL, &(jn_sim_opts){.path = c->path});
    const double x = jn_system_path(r.system).instructions;
    print_message("  %-34s %8.0f counted, %8.0f estimated, %.2f\n", c->model, c->instructions, x,
                  x / c->instructions);
    const jn_lane *l = r.system->lane;
    if (l && l->engine->compiled && c->path != JN_PATH_LIST) {  // where lists are precompiled
      JT_LE(x, 1.6 * c->instructions);
      JT_LE(c->instructions, 1.6 * x);
    } else if (!l) {
      JT_LE(x, 2.0 * c->instructions);
      JT_LE(c->instructions, 2.0 * x);
    }
    jt_end(&r);
  }
}

// Parts sum up to less than the whole, and a vehicle with more in it costs more.
static void parts_are_of_the_whole(void **state)
{
  (void)state;
  jt_run a = jt_start(jt_load("models/hmmwv.yaml"), NULL, NULL);
  jt_run b = jt_start(jt_load("models/hmmwv-bars.yaml"), NULL, NULL);
  const jn_path_info p = jn_system_path(a.system);
  double sum = 0.0;
  for (int i = 0; i < p.ngroup; i++) sum += jn_system_path_group(a.system, i).instructions;
  for (int i = 0; i < p.nungrouped; i++) sum += jn_system_path_ungrouped_cost(a.system, i);
  assert_true(sum > 0.3 * p.instructions && sum < p.instructions);
  assert_true(jn_system_path(b.system).instructions > p.instructions);
  jt_end(&a);
  jt_end(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(estimates_are_near_counts),
      cmocka_unit_test(parts_are_of_the_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
