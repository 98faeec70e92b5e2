// Components of shared objects give the same bits as built-in ones.
#include "run/run_case.h"
#include "solve/data.h"

static const char scenario[] =
    "jounce: 1\nscenario: x\nend: 1\nspeed: 7\ninputs: {driver.rack: {type: sine, amplitude: 0.01, "
    "frequency: 1}}\n";

static jt_run start(const char *components, jn_path path)
{
  char text[2000];
  snprintf(text, sizeof text, "jounce: 1\ninclude: models/hmmwv.yaml\ncomponents:\n%s", components);
  const jn_sim_opts o = {.step = 1e-3, .path = path};
  return jt_start(jt_parse(text), scenario, &o);
}

static void a_plug_in_gives_the_bits_of_a_built_in_component(void **state)
{
  (void)state;
  static const char wheels[] =
      "outputs: {torque: [wheel.fl.drive, wheel.fr.drive, wheel.rl.drive]}";
  char own[1000], plugged[1000];
  snprintf(own, sizeof own,
           "  c: {type: speed, gain: 900, integral_time: 2, most: 1500, least: -1500, inputs: "
           "{speed: 7.5, "
           "measured: chassis.speed_x}, %s}\n",
           wheels);
  snprintf(plugged, sizeof plugged,
           "  c: {type: plugin, plugin: " PLUGINS
           "/hold_speed.so, parameters: {gain: 900, time: 2, limit: 1500}, inputs: {now: "
           "chassis.speed_x}, "
           "%s}\n",
           wheels);
  const jn_path paths[] = {JN_PATH_AUTO, JN_PATH_GENERAL};
  for (int p = 0; p < 2; p++) {
    jt_run a = start(own, paths[p]), b = start(plugged, paths[p]);
    assert_true((a.system->lane != NULL) == (p == 0) && (b.system->lane != NULL) == (p == 0));
    for (int i = 0; i < 5; i++) {
      jt_steps(&a, 50);
      jt_steps(&b, 50);
      jt_row(&a);
      jt_row(&b);
      static const char *const channel[] = {"chassis.x", "chassis.yaw", "wheel.fl.speed",
                                            "c.torque", "wheel.rl.drive"};
      for (size_t k = 0; k < sizeof channel / sizeof *channel; k++) {
        const double x = jt_now(&a, channel[k]), y = jt_now(&b, channel[k]);
        assert_memory_equal(&x, &y, sizeof x);
      }
      const double z = jt_now(&a, "c.integral"), sum = jt_now(&b, "c.sum");
      assert_memory_equal(&z, &sum, sizeof z);
      assert_true(z != 0.0);
      JT_NEAR(3.0 * jt_now(&a, "wheel.rl.drive"), jt_now(&a, "c.torque"), 1e-12);
    }
    jt_end(&a);
    jt_end(&b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plug_in_gives_the_bits_of_a_built_in_component),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
