// Tyres as plug-ins: what they are given, what becomes of what they give, on the general path and in lanes; the worked
// example against its formulas.
#include <dlfcn.h>
#include <stdlib.h>

#include "jounce/equilibrium.h"
#include "jounce/plugin.h"
#include "plan/system.h"
#include "run/run_case.h"

static double now(const jt_run *r, const char *channel)
{
  return jn_row(r->data)[jt_channel(r, channel)];
}

// ---- a rig ------------------------------------------------------------------------------------------

#define CARRIES "radius: 0.33, stiffness: 2e5, damping: 12e3, load: 4e3"  // 0.67 of critical
#define LAW(more, parameters) \
  "type: plugin, plugin: " PLUGINS "/law.so, " CARRIES more ", parameters: {" parameters "}"

// A steered wheel on a hub that slides up and down on a slider that is moved along x at 10 m/s.
static jt_run rig(const char *tyre, const char *wheel, const char *inputs)
{
  char text[2048], scenario[512];
  snprintf(
      text, sizeof text,
      "jounce: 1\nname: rig\ntyres:\n  t: {%s}\n"
      "bodies:\n  slider: {mass: 10, cg: [0, 0, 1], inertia: [1, 1, 1]}\n"
      "  hub: {mass: 400, cg: [0, 0, 0.31], inertia: [9, 9, 9]}\n"
      "joints:\n  rail: {type: translational, bodies: [ground, slider], at: [0, 0, 1], axis: [1, "
      "0, 0], motion: {channel: rig.x}}\n"
      "  post: {type: translational, bodies: [slider, hub], at: [0, 0, 1], axis: [0, 0, 1]}\n"
      "forces:\n  w: {type: wheel, body: hub, at: [0, 0, 0.31], inertia: 1.2, tyre: t, steered: "
      "true%s}\n",
      tyre, wheel);
  snprintf(scenario, sizeof scenario,
           "jounce: 1\nscenario: x\nend: 2\nspeed: 10\ninputs:\n"
           "  rig.x: {type: ramp, end: 10, to: 100}\n%s",
           inputs);
  return jt_start(jt_parse(text), scenario,
                  &(jn_sim_opts){.step = 1e-3, .integrator = JN_INTEGRATOR_RK4});
}

static void settle(jt_run *r)
{
  jt_steps(r, 1900);
  jt_row(r);
}

// The load is the weight; slips are those of the contact; forces are the law's, and are felt by the wheel.
static void a_law_is_given_the_slip_and_gives_the_force(void **state)
{
  (void)state;
  jt_run r = rig(LAW("", "trail: 0.03, resistance: 0.02"), "",
                 "  wheel.w.steer: 0.02\n  wheel.w.drive: 300\n");
  settle(&r);
  const double load = 400.0 * 9.81, given[] = {now(&r, "law.w.kappa"), now(&r, "law.w.tan_alpha")};
  JT_NEAR(now(&r, "wheel.w.fz"), load, 1e-6 * load);
  JT_NEAR(now(&r, "law.w.load"), now(&r, "wheel.w.fz"), 0.0);
  JT_NEAR(given[0], now(&r, "tyre.w.slip"), 1e-9);
  JT_NEAR(given[1], tan(now(&r, "tyre.w.slip_angle")), 1e-9);
  JT_NEAR(given[1], -tan(0.02), 1e-9);  // sliding to the right
  JT_NEAR(now(&r, "law.w.speed"), 10.0 * cos(0.02), 1e-9);
  JT_NEAR(now(&r, "law.w.forward"), 1.0, 0.0);
  JT_NEAR(now(&r, "law.w.rolling"), 1.0, 0.0);
  JT_NEAR(now(&r, "law.w.radius"), 0.33, 0.0);
  JT_NEAR(now(&r, "law.w.nominal"), 4e3, 0.0);
  // The wheel spins evenly: drive, rolling resistance and Fx over the rolling radius, with which jounce adds to My what
  // the law does not know.
  const double fx = (300.0 - 0.02 * 0.33 * load) / now(&r, "tyre.w.rolling_radius");
  const double fy = 5e4 * tan(0.02);
  JT_NEAR(now(&r, "wheel.w.fx"), fx, 1e-5 * fx);
  JT_NEAR(now(&r, "wheel.w.fx"), 6e4 * given[0], 1e-9 * fx);
  JT_NEAR(now(&r, "wheel.w.fy"), fy, 1e-9 * fy);
  JT_NEAR(now(&r, "wheel.w.mx"), -0.01 * fy, 1e-9 * fy);
  JT_NEAR(now(&r, "wheel.w.mz"), -0.03 * fy, 1e-9 * fy);
  const double arm = now(&r, "tyre.w.loaded_radius") - now(&r, "tyre.w.rolling_radius");
  JT_NEAR(now(&r, "wheel.w.my"), -0.02 * 0.33 * now(&r, "wheel.w.fz") + arm * now(&r, "wheel.w.fx"),
          1e-9 * load);
  JT_NEAR(now(&r, "tyre.w.utilisation"), hypot(fx, fy) / (0.9 * load), 1e-5);
  jt_end(&r);
}

// u' = -vs - |vx| u / sigma from the instant at which it is steered: the side force reaches 1 - 1/e of itself after sigma.
static void slips_follow_over_the_lengths_that_the_law_returns(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    const double sigma = i ? 0.8 : 0.4;
    jt_run r = rig(i ? LAW("", "relaxation_y: 0.8") : LAW("", "relaxation_y: 0.4"), "",
                   "  wheel.w.steer: {type: step, at: 1, to: 0.02}\n");
    const int steps = 1000 + (int)lround(1e3 * sigma / (10.0 * cos(0.02)));
    jt_steps(&r, steps);
    jt_row(&r);
    const double way = 10.0 * cos(0.02) * 1e-3 * (steps - 1000);
    // The force runs ahead of the tread by `lead`: (u - T vs) / (1 + a T) is what is left of the way, over 1 + a T.
    const double left = exp(-way / sigma) / (1.0 + 10.0 * cos(0.02) / sigma * 5e-3);
    JT_NEAR(now(&r, "wheel.w.fy"), 5e4 * tan(0.02) * (1.0 - left), 1e-3 * 5e4 * tan(0.02));
    jt_end(&r);
  }
}

// A side force of its own is to the other side on a wheel on the other side than it was measured on, and what depends on
// slip is not.
static void a_law_measured_on_the_other_side_is_mirrored(void **state)
{
  (void)state;
  static const struct {
    const char *measured, *side;
    double sign;
  } k[] = {{"", ", side: left", 1},
           {"", ", side: right", 1},
           {", measured: left", ", side: left", 1},
           {", measured: left", ", side: right", -1},
           {", measured: right", ", side: left", -1},
           {", measured: right", ", side: right", 1},
           {", measured: right", ", side: either", 1}};
  for (size_t i = 0; i < sizeof k / sizeof *k; i++) {
    char tyre[512];
    snprintf(tyre, sizeof tyre,
             "type: plugin, plugin: " PLUGINS "/law.so, " CARRIES
             "%s, parameters: {pull: 0.05, trail: 0.03}",
             k[i].measured);
    jt_run r = rig(tyre, k[i].side, "  wheel.w.steer: 0.01\n");
    settle(&r);
    const double fy = k[i].sign * 0.05 * now(&r, "wheel.w.fz") + 5e4 * tan(0.01);
    JT_NEAR(now(&r, "wheel.w.fy"), fy, 1e-6 * 5e4);
    JT_NEAR(now(&r, "wheel.w.mz"), -0.03 * fy, 1e-6 * 5e4);
    JT_NEAR(now(&r, "law.w.tan_alpha"), -k[i].sign * tan(0.01), 1e-9);
    jt_end(&r);
  }
}

// Load over deflection by points; between them it rises without overshoot.
static void a_load_curve_takes_the_place_of_the_stiffness(void **state)
{
  (void)state;
  jt_run r = rig("type: plugin, plugin: " PLUGINS
                 "/law.so, radius: 0.33, damping: 12e3, load: 4e3, load_curve: [[0, 0], [0.01, "
                 "1e3], [0.02, 3924], [0.03, 8e3]]",
                 "", "");
  settle(&r);
  JT_NEAR(now(&r, "tyre.w.deflection"), 0.02, 1e-7);
  jt_end(&r);
}

// ---- a vehicle --------------------------------------------------------------------------------------

#define EXAMPLE "examples/plugin-tyre/hmmwv-on-my-tyre.yaml"

// more: a value to set beside, or NULL
static jn_spec *hmmwv(const char *more)
{
  jn_error err = {0};
  jn_spec *spec = NULL;
  const char *set[] = {"tyres.mine.plugin=" PLUGINS "/my_tyre.so", more};
  jt_ok(jn_spec_load(EXAMPLE, set, more ? 2 : 1, &spec, &err), &err, EXAMPLE);
  return spec;
}

static const char turn[] =
    "jounce: 1\nscenario: turn\nend: 1\nspeed: 15\ninputs:\n"
    "  driver.rack: {type: ramp, start: 0.05, end: 0.1, to: -0.01}\n"
    "  wheel.fl.brake: {type: ramp, start: 0.05, end: 0.1, to: 2000}\n"
    "  wheel.rr.drive: {type: ramp, start: 0.05, end: 0.1, to: 900}\n";

static jt_run drive(jn_path path, double step, double end)
{
  jt_run r = jt_start(hmmwv(NULL), turn, &(jn_sim_opts){.path = path, .step = step});
  assert_true(!jn_system_path(r.system).general == (path != JN_PATH_GENERAL));
  jt_steps(&r, (int)lround(end / step));
  jt_row(&r);
  return r;
}

static double apart(const jt_run *a, const jt_run *b)
{
  double most = 0.0;
  for (int i = 0; i < jn_channel_count(a->system); i++) {
    const jn_channel c = jn_channel_at(a->system, i);
    if (strncmp(c.name, "wheel.", 6) && strncmp(c.name, "tyre.", 5) && strncmp(c.name, "law.", 4) &&
        strncmp(c.name, "chassis.", 8))
      continue;
    const double x = jn_row(a->data)[i], y = jn_row(b->data)[i];
    const double e = fabs(x - y) / (1.0 + fabs(x) + (c.unit[0] == 'N' ? 2525.5 * 9.81 : 0.0));
    if (!(e <= most)) most = e;
  }
  return most;
}

// It stays in lanes: one after the other or four at once, the same bits; and against the general path, which closes loops
// at another place of a step, they differ by what ab3 leaves open, which falls with the third power of the step.
static void lanes_call_it_as_the_general_path_does(void **state)
{
  (void)state;
  jt_run one = drive(JN_PATH_NARROW, 1e-3, 0.4), four = drive(JN_PATH_LIST, 1e-3, 0.4);
  assert_true(apart(&one, &four) == 0.0);
  assert_true(now(&four, "wheel.fl.fx") < -1e3 && now(&four, "wheel.rr.fx") > 1e3);
  assert_true(now(&four, "wheel.fr.fy") > 1e3);
  jt_end(&one), jt_end(&four);
  double e[2];
  for (int half = 0; half < 2; half++) {
    const double step = half ? 0.5e-3 : 1e-3;
    jt_run a = drive(JN_PATH_GENERAL, step, 0.4), b = drive(JN_PATH_AUTO, step, 0.4);
    e[half] = apart(&a, &b);
    jt_end(&a), jt_end(&b);
  }
  print_message("general path and lanes apart by %.2g, with half the step %.2g\n", e[0], e[1]);
  JT_LE(e[0], 1e-6);
  JT_LE(e[1], fmax(e[0] / 6.0, 1e-11));
}

// One object for a tyre: what its wheels share.
static void wheels_share_one_tyre(void **state)
{
  (void)state;
  jt_run r = jt_start(hmmwv(NULL), turn, NULL);
  assert_int_equal(r.system->nwheel, 4);
  for (int i = 0; i < 4; i++) {
    assert_ptr_equal(r.system->wheel[i].plugin, r.system->wheel[0].plugin);
    assert_non_null(r.system->wheel[i].plugin->self);
  }
  jt_end(&r);
}

// On a slope of 20 % with all brakes on it stands, held by what the slope pulls.
static void a_vehicle_on_it_stays_parked_on_a_slope(void **state)
{
  (void)state;
  jt_run r = jt_start(hmmwv(NULL),
                      "jounce: 1\nscenario: x\nend: 600\nroad: {type: flat, grade: 0.2}\ninputs:\n"
                      "  wheel.fl.brake: 3000\n  wheel.fr.brake: 3000\n"
                      "  wheel.rl.brake: 3000\n  wheel.rr.brake: 3000\n",
                      &(jn_sim_opts){.step = 1e-3, .end = 600});
  jn_data_audit(r.data, JN_AUDIT_NONE);
  jt_steps(&r, 10000);  // it settles
  jt_row(&r);
  const double x = now(&r, "chassis.x"), y = now(&r, "chassis.y");
  const double pull = now(&r, "wheel.fl.fx") + now(&r, "wheel.fr.fx") + now(&r, "wheel.rl.fx") +
                      now(&r, "wheel.rr.fx");
  double mass = 0.0;
  for (int i = 0; i < r.spec->nbody; i++) mass += r.spec->body[i].keys.mass;
  JT_NEAR(pull, 9.81 * mass * 0.2 / sqrt(1.04), 1.0);
  jt_steps(&r, 60000);
  jt_row(&r);
  const double moved = hypot(now(&r, "chassis.x") - x, now(&r, "chassis.y") - y);
  print_message("moved by %.3g m in a minute\n", moved);
  JT_LE(moved, 1e-5);
  jt_end(&r);
}

// The static balance knows the load that jounce gives, whether the law is loaded or not; camber, at which the law has a side
// force without slip, is left aside.
static void equilibrium_stands_on_it(void **state)
{
  (void)state;
  double height[2];
  for (int i = 0; i < 2; i++) {
    jn_error err = {0};
    jn_equilibrium *e = NULL;
    jt_run r = jt_start(hmmwv("tyres.mine.parameters.camber=0"), NULL,
                        &(jn_sim_opts){.without_plugins = i});
    jt_ok(jn_equilibrium_find(r.system, NULL, &e, &err), &err, EXAMPLE);
    height[i] = e->row[jt_channel(&r, "chassis.z")];
    assert_int_equal(jn_channel_find(r.system, "law.fl.slip") >= 0, !i);
    jn_equilibrium_free(e);
    jt_end(&r);
  }
  JT_NEAR(height[0], height[1], 1e-9);
}

// ---- the example's law ------------------------------------------------------------------------------

enum { SLOPE_X, SLOPE_Y, PEAK, P_X, P_Y, S_X, S_Y, NUMBERS };
static const char *const names[] = {
    "slope_x",        "slope_y", "peak_x",     "peak_slip_x", "peak_slip_y", "sliding_slip_x",
    "sliding_slip_y", "peak_y",  "degression", "trail",       "rolling",     "sliding"};
static const double values[] = {120e3, 70e3, 1.1, 0.1, 0.18, 0.4, 0.6, 1.1, 1.7, 0.04, 0.01, 0.85};

// As the literature writes it: sm dF0 s / (1 + s (s + dF0 sm / Fm - 2)).
static double tmeasy(double slope, double peak, double at, double until, double slip)
{
  const double s = slip / at, end = 0.85 * peak;
  if (s <= 1.0) return at * slope * s / (1.0 + s * (s + slope * at / peak - 2.0));
  if (slip >= until) return end;
  const double w = (slip - at) / (until - at);
  return peak - (peak - end) * w * w * (3.0 - 2.0 * w);
}

static void the_example_follows_its_formulas(void **state)
{
  (void)state;
  void *library = dlopen(PLUGINS "/my_tyre.so", RTLD_NOW | RTLD_LOCAL);
  assert_non_null(library);
  const jn_tyre_plugin_table *t = dlsym(library, "jounce_tyre_plugin");
  assert_non_null(t);
  char reason[200];
  void *self = NULL;
  const jn_plugin_setup setup = {.element = "t",
                                 .n = sizeof values / sizeof *values,
                                 .name = names,
                                 .value = values,
                                 .reason = reason,
                                 .reason_size = sizeof reason,
                                 .radius = 0.33,
                                 .load = 4e3};
  assert_int_equal(t->init(&setup, &self), 0);
  // 1 at the nominal load, 1.7 at twice it; between them x (1.15 - 0.15 x); the vertex is at 1.15 / 0.3 = 3.8333
  static const double at[][2] = {
      {4e3, 1.0}, {8e3, 1.7}, {2e3, 0.5375}, {6e3, 1.3875}, {40e3, 1.15 * 1.15 / 0.6}};
  for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
    const double load = at[i][0], g = at[i][1], peak = g * 1.1 * 4e3;
    jn_tyre_plugin_limits limits = {0};
    t->limits(self, load, 0.0, &limits);
    JT_NEAR(limits.stiffness[0], g * values[SLOPE_X], 1e-9 * limits.stiffness[0]);
    JT_NEAR(limits.stiffness[1], g * values[SLOPE_Y], 1e-9 * limits.stiffness[1]);
    JT_NEAR(limits.friction[0], peak / load, 1e-12);
    for (double s = -1.0; s <= 1.0; s += 0.01) {
      jn_tyre_plugin_forces f = {0};
      double out[2];
      // Ahead alone.
      const double size = fabs(s), sign = s < 0.0 ? -1.0 : 1.0;
      t->forces(self, &(jn_tyre_plugin_slip){.load = load, .kappa = s, .rolling = 1.0}, &f, out);
      JT_NEAR(f.fx, sign * tmeasy(g * values[SLOPE_X], peak, 0.1, 0.4, size), 1e-9 * peak);
      JT_NEAR(f.fy, 0.0, 0.0);
      JT_NEAR(f.my, -0.01 * 0.33 * load, 1e-9 * load);
      // Lateral slip alone.
      f = (jn_tyre_plugin_forces){0};
      t->forces(self, &(jn_tyre_plugin_slip){.load = load, .tan_alpha = s, .forward = 1.0}, &f,
                out);
      JT_NEAR(f.fy, -sign * tmeasy(g * values[SLOPE_Y], peak, 0.18, 0.6, size), 1e-9 * peak);
      JT_NEAR(f.fx, 0.0, 0.0);
      JT_LE(fabs(f.mz), 0.04 * fabs(f.fy) * (1.0 + 1e-12));
      JT_LE(0.0, f.mz * s);  // turns the wheel to where it goes
      // Both: along a ray of one mixed slip each force is its part of its own curve.
      f = (jn_tyre_plugin_forces){0};
      const double u = size / 0.1;
      t->forces(self,
                &(jn_tyre_plugin_slip){
                    .load = load, .kappa = 0.6 * 0.1 * u, .tan_alpha = -0.8 * 0.18 * u},
                &f, out);
      JT_NEAR(out[0], u, 1e-12 * (1.0 + u));
      JT_NEAR(f.fx, 0.6 * tmeasy(g * values[SLOPE_X], peak, 0.1, 0.4, 0.1 * u), 1e-9 * peak);
      JT_NEAR(f.fy, 0.8 * tmeasy(g * values[SLOPE_Y], peak, 0.18, 0.6, 0.18 * u), 1e-9 * peak);
    }
  }
  t->free(self);
  dlclose(library);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_law_is_given_the_slip_and_gives_the_force),
      cmocka_unit_test(slips_follow_over_the_lengths_that_the_law_returns),
      cmocka_unit_test(a_law_measured_on_the_other_side_is_mirrored),
      cmocka_unit_test(a_load_curve_takes_the_place_of_the_stiffness),
      cmocka_unit_test(lanes_call_it_as_the_general_path_does),
      cmocka_unit_test(wheels_share_one_tyre),
      cmocka_unit_test(a_vehicle_on_it_stays_parked_on_a_slope),
      cmocka_unit_test(equilibrium_stands_on_it),
      cmocka_unit_test(the_example_follows_its_formulas),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
