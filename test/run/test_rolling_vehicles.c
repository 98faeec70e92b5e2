// The vehicles on Magic Formula tyres in their scenarios: parked, a step of the steering, a circle that grows tighter.
#include "rolling_case.h"
#include "slow.h"

static jt_run open(const char *model, const char *scenario, double step, double end)
{
  jn_error err = {0};
  jt_run r = {.spec = jt_load(model)};
  r.model = jt_compile(r.spec, NULL);
  jt_ok(jn_scenario_load(scenario, &r.scenario, &err), &err, scenario);
  const jn_sim_opts o = {.integrator = JN_INTEGRATOR_AB3, .step = step, .end = end};
  jt_ok(jn_system_create(r.model, r.scenario, &o, &r.system, &err), &err, model);
  jt_ok(jn_data_create(r.system, &r.data, &err), &err, model);
  jn_data_audit(r.data, JN_AUDIT_NONE);
  return r;
}

// Of the chassis, to its left, level.
static double lateral(jt_run *r)
{
  const double yaw = jt_now(r, "chassis.yaw");
  return cos(yaw) * jt_now(r, "chassis.ay") - sin(yaw) * jt_now(r, "chassis.ax");
}

// Across its path, which is not across the chassis: that slips by degrees.
static double across(jt_run *r)
{
  const double vx = jt_now(r, "chassis.vx"), vy = jt_now(r, "chassis.vy");
  return (vx * jt_now(r, "chassis.ay") - vy * jt_now(r, "chassis.ax")) / hypot(vx, vy);
}

// The angle of its path to the chassis.
static double sideslip(jt_run *r)
{
  const double path = atan2(jt_now(r, "chassis.vy"), jt_now(r, "chassis.vx"));
  return remainder(path - jt_now(r, "chassis.yaw"), 2.0 * M_PI);
}

static double peak(const char *model, const char *scenario, double step)
{
  jt_run r = open(model, scenario, step, 6.0);
  const int every = (int)lround(1e-3 / step), n = (SLOW ? 2000 : 6000);
  double most = 0.0;
  for (int k = 0; k < n; k++) {
    jt_steps(&r, every);
    jt_row(&r);
    most = fmax(most, lateral(&r));
  }
  jt_end(&r);
  return most;
}

static const struct {
  const char *model, *step, *circle;
  double speed;
} vehicles[] = {
    {"models/hmmwv-mf.yaml", "scenarios/hmmwv-mf-step-steer.yaml", "scenarios/hmmwv-mf-circle.yaml",
     60.0 / 3.6},
    {"models/passenger-car-mf.yaml", "scenarios/passenger-car-mf-step-steer.yaml",
     "scenarios/passenger-car-mf-circle.yaml", 100.0 / 3.6},
};

// Half the step changes the peak of the lateral acceleration by less than a thousandth.
static void a_step_of_the_steering_is_resolved(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    const double whole = peak(vehicles[i].model, vehicles[i].step, 1e-3);
    const double half = peak(vehicles[i].model, vehicles[i].step, 5e-4);
    print_message("  %s: %.6f m/s^2, %.6f with half the step\n", vehicles[i].model, whole, half);
    assert_true(whole > 1.0);
    JT_NEAR(whole, half, 1e-3 * half);
  }
}

// So slow that every instant is steady: what accelerates to the left is v w of a motion on a circle (w of its path: its
// sideslip grows, too), and the speed is held. The steering goes on turning, by 1/40 of its way in a second.
static void the_circle_ends_near_steady_state(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    const double end = SLOW ? 6.0 : 41.0;
    jt_run r = open(vehicles[i].model, vehicles[i].circle, 1e-3, 41.0);
    jt_steps(&r, (int)lround(1e3 * (end - 1.0)));
    jt_row(&r);
    const double before = across(&r), was = end - 2.0;  // the steering began at 1 s
    const double slipped = sideslip(&r);
    jt_steps(&r, 999);
    jt_row(&r);
    const double v = hypot(jt_now(&r, "chassis.vx"), jt_now(&r, "chassis.vy"));
    const double slips = (sideslip(&r) - slipped) / 0.999;
    const double turning = jt_now(&r, "chassis.wz") + slips, a = across(&r);
    print_message("  %s: %.3f m/s, %.4f m/s^2, v w = %.4f; a second ago %.4f\n", vehicles[i].model,
                  v, a, v * turning, before);
    JT_NEAR(v, vehicles[i].speed, 0.01 * vehicles[i].speed);
    assert_true(a > (SLOW ? 0.3 : 2.0));
    JT_NEAR(a, v * turning, 0.001 * a);
    // in one more second it grows in proportion to the steering, or less
    assert_true(a > before);
    JT_LE(a - before, 1.5 * before / was);
    jt_end(&r);
  }
}

// On the suspension it is drawn with, all brakes on, up a slope of 20 %.
static void a_parked_vehicle_stays_where_it_is(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    char scenario[512];
    rolling_inputs(scenario, sizeof scenario, "road: {type: flat, grade: 0.2}\n", "brake", "3000");
    jt_run r =
        jt_start(jt_load(vehicles[i].model), scenario, &(jn_sim_opts){.step = 1e-3, .end = 600});
    jn_data_audit(r.data, JN_AUDIT_NONE);
    jt_steps(&r, SLOW ? 10000 : 30000);
    jt_row(&r);
    const double x = jt_now(&r, "chassis.x");
    jt_steps(&r, SLOW ? 1000 : 60000);
    jt_row(&r);
    const double crept = jt_now(&r, "chassis.x") - x;
    print_message("  %s: crept %.1e m\n", vehicles[i].model, crept);
    JT_NEAR(crept, 0.0, SLOW ? 1e-4 : 1e-6);
    double mass = 0.0, pull = 0.0;
    for (int k = 0; k < r.spec->nbody; k++) mass += r.spec->body[k].keys.mass;
    for (int k = 0; k < 4; k++) {  // wheels have toe, and pull and push aside
      char channel[32];
      snprintf(channel, sizeof channel, "tyre.%s.steer", rolling_wheels[k]);
      const double steer = jt_now(&r, channel);
      pull += cos(steer) * r.data->wheel[k].tyre.fx - sin(steer) * r.data->wheel[k].tyre.fy;
    }
    JT_NEAR(pull, 9.81 * mass * 0.2 / sqrt(1.04), SLOW ? 50.0 : 0.1);
    jt_end(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_step_of_the_steering_is_resolved),
      cmocka_unit_test(the_circle_ends_near_steady_state),
      cmocka_unit_test(a_parked_vehicle_stays_where_it_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
