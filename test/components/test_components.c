// Components in runs: against closed forms, in any order of the files, in lanes and by the general path.
#include "run/run_case.h"
#include "run/run_internal.h"
#include "solve/fast/fast.h"

static const char block[] =
    "jounce: 1\ngravity: [0, 0, 0]\n"
    "bodies: {block: {mass: 2, cg: [0, 0, 0], inertia: [1, 1, 1]}}\n"
    "joints: {guide: {type: translational, bodies: [ground, block], at: [0, 0, 0], axis: [1, 0, "
    "0]}}\n"
    "forces: {push: {type: force, body: block, force: [1, 0, 0], channel: push}}\n";

static const char begins[] = "jounce: 1\nscenario: x\nend: 10\n";

static jn_spec *with(const char *model, const char *components)
{
  char text[6000];
  snprintf(text, sizeof text, "%s%s", model, components);
  return jt_parse(text);
}

static jt_run start(const char *components, const char *scenario, jn_integrator integrator,
                    double step)
{
  char text[6000];
  snprintf(text, sizeof text, "%s%s", begins, scenario);
  const jn_sim_opts o = {.integrator = integrator, .step = step};
  return jt_start(with(block, components), text, &o);
}

static double at(jt_run *r, const char *channel)
{
  return jt_row(r)[jt_channel(r, channel)];
}

// ---- states ---------------------------------------------------------------------------------------

// The exponential form is exact where the input is a constant or a straight line, however short the time constant is: to
// rounding of the sums.
static void a_lag_follows_steps_and_ramps(void **state)
{
  (void)state;
  const jn_integrator methods[] = {JN_INTEGRATOR_AB3, JN_INTEGRATOR_RK4};
  const double times[] = {0.05, 1e-4};
  for (int m = 0; m < 2; m++)
    for (int k = 0; k < 2; k++) {
      const double T = times[k];
      char text[300];
      snprintf(text, sizeof text,
               "components:\n  a: {type: lag, time: %g}\n  b: {type: lag, time: %g}\n", T, T);
      jt_run r =
          start(text,
                "inputs: {a.in: {type: step, at: 0.1, from: 1, to: 3}, b.in: {type: ramp, end: "
                "5, to: 10}}\n",
                methods[m], 1e-3);
      JT_NEAR(at(&r, "a.out"), 1.0, 0.0);  // at rest
      for (int i = 0; i < 10; i++) {
        jt_steps(&r, 25);
        const double t = jn_time(r.data);
        const double step = t < 0.1 ? 1.0 : 3.0 - 2.0 * exp(-(t - 0.1) / T);
        JT_NEAR(at(&r, "a.out"), step, 1e-13);
        // inputs beside a breakpoint are taken 1e-9 of a step away from it, where the ramp has moved by 2e-12
        JT_NEAR(at(&r, "b.out"), 2.0 * (t - T * (1.0 - exp(-t / T))), 2.1e-12);
      }
      jt_end(&r);
    }
}

// x(t) of a critically damped filter after a step of its input: 1 - (1 + t / T) exp(-t / T).
static void a_filter_is_critically_damped(void **state)
{
  (void)state;
  jt_run r =
      start("components: {f: {type: filter, time: 0.1}}\n",
            "inputs: {f.in: {type: step, at: 0, from: 0, to: 1}}\n", JN_INTEGRATOR_RK4, 1e-3);
  r.data->x[r.system->component[0].x] = 0.0;  // it begins at rest at its input, which is 1 already
  for (int i = 0; i < 5; i++) {
    jt_steps(&r, 100);
    const double t = jn_time(r.data) / 0.1;
    JT_NEAR(at(&r, "f.out"), 1.0 - (1.0 + t) * exp(-t), 1e-9);  // (h / T)^4
    JT_NEAR(at(&r, "f.rate"), t * exp(-t) / 0.1, 1e-8);
  }
  jt_end(&r);
}

// ---- closed loops ---------------------------------------------------------------------------------

// 2 x'' = 50 (1 - x) - 50 0.08 x': w = 5, damping 1.
static const char position_loop[] =
    "components:\n"
    "  hold: {type: pid, gain: 50, derivative_time: 0.08, inputs: {target: 1, measured: "
    "joint.guide.position,\n"
    "         rate: joint.guide.speed}, outputs: {out: push}}\n";

static double position_exactly(double t)
{
  const double decay = 1.0, w = sqrt(25.0 - decay * decay);
  return 1.0 - exp(-decay * t) * (cos(w * t) + decay / w * sin(w * t));
}

static double position_error(jn_integrator method, double h)
{
  jt_run r = start(position_loop, "", method, h);
  jt_steps(&r, (int)lround(2.0 / h));
  const double error = fabs(at(&r, "block.x") - position_exactly(2.0));
  jt_end(&r);
  return error;
}

// A component in the loop costs no order: halving the step divides the error by 2^order.
static void integrators_keep_their_order(void **state)
{
  (void)state;
  static const struct {
    jn_integrator method;
    double order, h;
  } of[] = {{JN_INTEGRATOR_EULER, 1, 1e-3},
            {JN_INTEGRATOR_RK2, 2, 4e-3},
            {JN_INTEGRATOR_AB3, 3, 4e-3},
            {JN_INTEGRATOR_RK4, 4, 2e-2},
            {JN_INTEGRATOR_ABM4, 4, 1e-2}};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    const double a = position_error(of[i].method, of[i].h),
                 b = position_error(of[i].method, of[i].h / 2),
                 c = position_error(of[i].method, of[i].h / 4);
    JT_NEAR(log2(a / b), of[i].order, 0.4);
    JT_NEAR(log2(b / c), of[i].order, 0.3);
  }
  JT_LE(position_error(JN_INTEGRATOR_RK4, 1e-3), 1e-10);
}

// 2 v' = K (1 - v) + z, z' = K (1 - v) / Ti: with e = 1 - v, e'' + K / 2 (e' + e / Ti) = 0.
static void integral_action_is_of_second_order(void **state)
{
  (void)state;
  jt_run r = start(
      "components:\n"
      "  hold: {type: pid, gain: 8, integral_time: 0.4, inputs: {measured: block.vx}, outputs: "
      "{out: "
      "push}}\n",
      "inputs: {hold.target: 1}\n", JN_INTEGRATOR_RK4, 1e-3);
  const double decay = 2.0, w = sqrt(10.0 - 4.0);
  for (int i = 0; i < 8; i++) {
    jt_steps(&r, 250);
    const double t = jn_time(r.data);
    // e(0) = 1, e'(0) = -4
    const double e = exp(-decay * t) * (cos(w * t) + (decay - 4.0) / w * sin(w * t));
    JT_NEAR(1.0 - at(&r, "block.vx"), e, 1e-10);
  }
  jt_end(&r);
}

// At a limit the integral does not wind up: it stays within the limits, where one that summed on would not.
static void limits_hold(void **state)
{
  (void)state;
  jt_run r = start(
      "components:\n"
      "  hold: {type: pid, gain: 8, integral_time: 0.4, most: 0.5, least: -0.5,\n"
      "         inputs: {target: 1, measured: block.vx}, outputs: {out: push}}\n",
      "", JN_INTEGRATOR_RK4, 1e-3);
  for (int i = 0; i < 30; i++) {
    const double out = at(&r, "hold.out"), z = jt_now(&r, "hold.integral");
    JT_LE(fabs(out), 0.5);
    JT_LE(fabs(z), 0.5);
    JT_NEAR(jt_now(&r, "push"), out, 0.0);
    if (jn_time(r.data) > 0.0 && jn_time(r.data) < 3.0)
      JT_NEAR(jt_now(&r, "block.vx"), 0.25 * jn_time(r.data), 1e-12);
    jt_steps(&r, 100);
  }
  jt_end(&r);
}

// e' behind a lag of Tf: the loop is of third order; the same by rk4 with steps a tenth as long.
static void filtered_derivatives(void **state)
{
  (void)state;
  static const char loop[] =
      "components:\n"
      "  hold: {type: pid, gain: 50, derivative_time: 0.08, filter_time: 0.02,\n"
      "         inputs: {target: 1, measured: block.x}, outputs: {out: push}}\n";
  jt_run a = start(loop, "", JN_INTEGRATOR_RK4, 1e-3), b = start(loop, "", JN_INTEGRATOR_RK4, 1e-4);
  jt_steps(&a, 1000);
  jt_steps(&b, 10000);
  JT_NEAR(at(&a, "block.x"), at(&b, "block.x"), 1e-6);
  // beside the loop without the lag: Tf w = 0.1 of phase
  JT_NEAR(at(&a, "block.x"), position_exactly(1.0), 0.2);
  jt_end(&a);
  jt_end(&b);
}

static void algebra(void **state)
{
  (void)state;
  jt_run r = start(
      "components:\n"
      "  s: {type: sum, weight_b: -2, inputs: {a: g.out, b: 3, c: block.y}}\n"
      "  g: {type: gain, factor: 4, offset: 1, most: 10}\n",
      "inputs: {g.in: {type: ramp, end: 1, to: 4}}\n", JN_INTEGRATOR_AB3, 1e-3);
  JT_NEAR(at(&r, "s.out"), 1.0 - 6.0, 0.0);
  jt_steps(&r, 250);
  JT_NEAR(at(&r, "s.out"), 5.0 - 6.0, 1e-14);
  jt_steps(&r, 500);
  JT_NEAR(at(&r, "g.out"), 10.0, 0.0);
  JT_NEAR(jt_now(&r, "s.out"), 10.0 - 6.0, 0.0);
  jt_end(&r);
}

// ---- order ----------------------------------------------------------------------------------------

static const char *const chain[] = {
    "  a: {type: gain, factor: 3, inputs: {in: d.out}, outputs: {out: push}}\n",
    "  b: {type: sum, weight_b: -1, inputs: {a: 1, b: joint.guide.position}}\n",
    "  c: {type: lag, time: 0.05, inputs: {in: b.out}}\n",
    "  d: {type: sum, weight_b: -0.3, inputs: {a: c.out, b: block.vx}}\n",
};

static jt_run start_chain(const int order[4])
{
  char text[1000] = "components:\n";
  for (int i = 0; i < 4; i++) strcat(text, chain[order[i]]);
  return start(text, "", JN_INTEGRATOR_AB3, 1e-3);
}

static void the_order_of_the_file_changes_no_bit(void **state)
{
  (void)state;
  static const int orders[][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}, {1, 3, 0, 2}};
  jt_run r[4];
  for (int i = 0; i < 4; i++) {
    r[i] = start_chain(orders[i]);
    jt_steps(&r[i], 500);
    const double *row = jt_row(&r[i]);
    assert_memory_equal(row, jn_row(r[0].data),
                        (size_t)jn_channel_count(r[0].system) * sizeof *row);
  }
  // it moves, and what it gives is what its inputs are
  assert_true(fabs(jt_now(&r[0], "block.x")) > 0.1);
  JT_NEAR(jt_now(&r[0], "push"), 3.0 * (jt_now(&r[0], "c.out") - 0.3 * jt_now(&r[0], "block.vx")),
          1e-15);
  JT_NEAR(jt_now(&r[0], "b.out"), 1.0 - jt_now(&r[0], "block.x"), 1e-15);
  for (int i = 0; i < 4; i++) jt_end(&r[i]);
}

// Each of many lags reads the next one by name, so that none begins where its input is before all behind it do; half of them
// through an input channel that a component drives. Searches that go through all components for each would take a minute here.
static void many_components_are_connected_and_begin_at_rest(void **state)
{
  (void)state;
  enum { N = 20000, ROOM = 100 * N };
  char *text = malloc(ROOM), name[32];
  size_t used = (size_t)snprintf(text, ROOM, "%scomponents:\n", block);
  for (int i = 0; i < N; i += 2) {
    snprintf(name, sizeof name, i + 2 < N ? "c%05d.out" : "0.5", i + 2);
    used += (size_t)snprintf(text + used, ROOM - used,
                             "  c%05d: {type: lag, time: 1}\n"
                             "  c%05d: {type: lag, time: 1, inputs: {in: %s}, outputs: {out: "
                             "c%05d.in}}\n",
                             i, i + 1, name, i);
  }
  jt_run r = jt_start(jt_parse(text), NULL, NULL);
  assert_int_equal(jn_component_count(r.system), N);
  jt_row(&r);
  for (int i = 0; i < N; i++) {
    snprintf(name, sizeof name, "c%05d.out", i);
    JT_NEAR(jt_now(&r, name), 0.5, 0.0);
    assert_int_equal(jn_component_at(r.system, i).ninput, 1);
    snprintf(name, sizeof name, "c%05d.in", i);
    if (i % 2 == 0)
      assert_int_equal(jn_input_owner_of(r.system, jt_channel(&r, name)), JN_OWNER_COMPONENT);
  }
  jt_end(&r);
  free(text);
}

// ---- what is wrong --------------------------------------------------------------------------------

static void refused(const char *components, const char *scenario, int line, const char *what)
{
  char text[6000], shown[1024];
  jn_error err = {0};
  snprintf(text, sizeof text, "%s%s", begins, scenario);
  jn_spec *spec = NULL;
  char whole[6000];
  snprintf(whole, sizeof whole, "%s%s", block, components);
  jn_model *model = NULL;
  jn_scenario *c = NULL;
  jn_system *s = NULL;
  jn_status st = jn_spec_parse(whole, strlen(whole), "m.yaml", NULL, 0, &spec, &err);
  if (!st) st = jn_model_compile(spec, NULL, &model, &err);
  if (!st) st = jn_scenario_parse(text, strlen(text), "s.yaml", &c, &err);
  if (!st) st = jn_system_create(model, c, NULL, &s, &err);
  jn_error_line(&err, shown, sizeof shown);
  if (!st) fail_msg("was taken: %s%s", components, scenario);
  if (!strstr(shown, what)) fail_msg("%s\nlacks: %s", shown, what);
  if (line && err.line != line) fail_msg("%s\nis at line %d, expected %d", shown, err.line, line);
  jn_system_free(s);
  jn_scenario_free(c);
  jn_model_free(model);
  jn_spec_free(spec);
}

static void rings_are_named(void **state)
{
  (void)state;
  refused(
      "components:\n  z: {type: lag, time: 1}\n"
      "  a: {type: gain, factor: 1, inputs: {in: b.out}}\n"
      "  b: {type: sum, inputs: {a: c.out, b: a.out}}\n"
      "  c: {type: gain, factor: 1, inputs: {in: b.out}}\n",
      "", 0, "algebraic loop: outputs of \"");
  refused("components:\n  a: {type: gain, factor: 1, inputs: {in: a.out}}\n", "", 7,
          "algebraic loop: outputs of \"a\" depend on \"a\"");
  // through the channel that one of them drives
  refused(
      "components:\n  a: {type: gain, factor: 1, inputs: {in: push}, outputs: {out: b.in}}\n"
      "  b: {type: gain, factor: 1, outputs: {out: push}}\n",
      "", 7, "outputs of \"a\" depend on \"b\", of \"b\" on \"a\"");
  // with a state between them it is none
  jt_run r = start(
      "components:\n  a: {type: gain, factor: -1, inputs: {in: b.out}}\n"
      "  b: {type: lag, time: 0.1, inputs: {in: a.out}}\n",
      "", JN_INTEGRATOR_RK4, 1e-3);
  r.data->x[r.system->component[1].e] = 1.0;  // x' = -2 x / T
  jt_steps(&r, 100);
  JT_NEAR(at(&r, "b.out"), exp(-2.0), 1e-8);
  jt_end(&r);
}

static void mistakes_are_named(void **state)
{
  (void)state;
  refused("components: {a: {type: lagg, time: 1}}\n", "", 6, "did you mean \"lag\"?");
  refused("components: {a: {time: 1}}\n", "", 6, "lacks the key \"type\"");
  refused("components: {a: 3}\n", "", 6, "expected a mapping");
  refused("components:\n  a: {type: lag,\n      tine: 1}\n", "", 8, "has no key \"tine\"");
  refused("components: {a: {type: lag}}\n", "", 6, "lacks the key \"time\": time constant");
  refused("components: {a: {type: lag, time: 0}}\n", "", 6, "`time` is 0, must be above zero");
  refused("components: {a: {type: lag, time: fast}}\n", "", 6, "components.a.time");
  refused("components: {a: {type: lag, time: 1, inputs: {on: 3}}}\n", "", 6, "has no input \"on\"");
  refused("components: {a: {type: lag, time: 1, outputs: {put: push}}}\n", "", 6,
          "has no output \"put\"");
  refused("components: {a: {type: lag, time: 1, outputs: {out: pusch}}}\n", "", 6,
          "did you mean \"push\"?");
  refused("components: {a: {type: lag, time: 1, inputs: {in: block.vxx}}}\n", "", 6,
          "did you mean \"block.vx\"?");
  refused("components: {a: {type: lag, time: 1, inputs: [1]}}\n", "", 6, "expected a mapping");
  refused("components: {a: {type: gain, factor: 1, most: 1, least: 2}}\n", "", 6,
          "the least must be below the most");
  refused("components: {a: {type: pid, gain: 1, derivative_time: 1}}\n", "", 6,
          "needs the input `rate`, or a `filter_time`");
  refused("components: {block: {type: lag, time: 1}}\n", "", 6, "is the name of a body");
  refused("components: {wheel: {type: lag, time: 1}}\n", "", 6, "use another name");
  refused("components: {ground: {type: lag, time: 1}}\n", "", 6, "use another name");
  refused("components: {a: {type: lag, time: 1, inputs: {in: 3}}}\n", "inputs: {a.in: 1}\n", 6,
          "has the number 3, and `inputs` of the scenario gives it too");
  refused(
      "components: {a: {type: lag, time: 1, inputs: {in: 3}}, b: {type: lag, time: 1, outputs: "
      "{out: a.in}}}\n",
      "", 6, "has the number 3, and component \"b\" gives it too");
  refused("components: {a: {type: lag, time: 1}}\n", "components: {a: {type: lag, time: 1}}\n", 0,
          "both have a component of this name");
  refused("components: {a: {type: lag, time: 1, outputs: {out: push}}}\n", "inputs: {push: 1}\n", 6,
          "`inputs` gives it already");
  refused(
      "components: {a: {type: lag, time: 1, outputs: {out: push}}, b: {type: lag, time: 1, "
      "outputs: "
      "{out: push}}}\n",
      "", 6, "drives \"push\", which \"a\" drives already");
  refused("", "components: {a: {type: lag, time: 1, outputs: {out: [push, push]}}}\n", 4,
          "drives \"push\", which \"a\" drives already");
  refused("", "components: {a: {type: plugin}}\n", 4, "lacks the key \"plugin\"");
  refused("", "components: {a: {type: plugin, plugin: ./none.so}}\n", 4, "cannot be loaded");
}

// A servo needs the rate of what it follows, a motion the acceleration too.
static void rates_must_be_there(void **state)
{
  (void)state;
  const char driven[] =
      "jounce: 1\nbodies: {block: {mass: 2, cg: [0, 0, 0], inertia: [1, 1, 1]}}\n"
      "joints: {guide: {type: translational, bodies: [ground, block], at: [0, 0, 0], axis: [1, 0, "
      "0], "
      "motion: {channel: place}}}\n";
  char text[2000];
  snprintf(text, sizeof text, "%scomponents: {a: {type: lag, time: 1, outputs: {out: place}}}\n",
           driven);
  jn_spec *spec = jt_parse(text);
  jn_model *model = jt_compile(spec, NULL);
  jn_system *s = NULL;
  jn_error err = {0};
  assert_int_equal(jn_system_create(model, NULL, NULL, &s, &err), JN_E_SCHEMA);
  assert_non_null(strstr(err.text, "has no acceleration, which \"place\" needs"));
  assert_non_null(strstr(err.text, "`filter`"));
  jn_model_free(model);
  jn_spec_free(spec);
}

// ---- beside what joints and elements have themselves -----------------------------------------------------

static void same_rows(const char *a, const char *b, const char *scenario,
                      const char *const *channel)
{
  const jn_sim_opts o = {.step = 1e-3};
  jt_run x = jt_start(jt_parse(a), scenario, &o), y = jt_start(jt_parse(b), scenario, &o);
  for (int i = 0; i < 4; i++) {
    jt_steps(&x, 100);
    jt_steps(&y, 100);
    for (int k = 0; channel[k]; k++) {
      const double p = at(&x, channel[k]), q = at(&y, channel[k]);
      assert_memory_equal(&p, &q, sizeof p);
    }
  }
  assert_true(fabs(jt_now(&x, channel[0])) > 1e-6);
  jt_end(&x);
  jt_end(&y);
}

static void components_are_what_elements_use(void **state)
{
  (void)state;
  static const char *const channel[] = {"block.x", "block.vx", "joint.guide.accel", NULL};
  static const char scenario[] =
      "jounce: 1\nscenario: x\nend: 1\ninputs: {u.in: {type: sine, amplitude: 3, frequency: 2}}\n";
  same_rows(
      "jounce: 1\nbodies: {block: {mass: 2, cg: [0, 0, 0], inertia: [1, 1, 1]}}\n"
      "joints: {guide: {type: translational, bodies: [ground, block], at: [0, 0, 0], axis: [1, 0, "
      "0]}}\n"
      "forces: {push: {type: force, body: block, force: [1, 0, 0], channel: push, lag: 0.02}}\n"
      "components: {u: {type: gain, factor: 1, outputs: {out: push}}}\n",
      "jounce: 1\nbodies: {block: {mass: 2, cg: [0, 0, 0], inertia: [1, 1, 1]}}\n"
      "joints: {guide: {type: translational, bodies: [ground, block], at: [0, 0, 0], axis: [1, 0, "
      "0]}}\n"
      "forces: {push: {type: force, body: block, force: [1, 0, 0], channel: push}}\n"
      "components: {u: {type: gain, factor: 1}, l: {type: lag, time: 0.02, inputs: {in: u.out}, "
      "outputs: {out: push}}}\n",
      scenario, channel);
  same_rows(
      "jounce: 1\nbodies: {block: {mass: 2, cg: [0, 0, 0], inertia: [1, 1, 1]}}\n"
      "joints: {guide: {type: translational, bodies: [ground, block], at: [0, 0, 0], axis: [1, 0, "
      "0], "
      "motion: {channel: place, filter: 0.03}}}\n"
      "components: {u: {type: gain, factor: 1, outputs: {out: place}}}\n",
      "jounce: 1\nbodies: {block: {mass: 2, cg: [0, 0, 0], inertia: [1, 1, 1]}}\n"
      "joints: {guide: {type: translational, bodies: [ground, block], at: [0, 0, 0], axis: [1, 0, "
      "0], "
      "motion: {channel: place}}}\n"
      "components: {u: {type: gain, factor: 1}, f: {type: filter, time: 0.03, inputs: {in: u.out}, "
      "outputs: {out: place}}}\n",
      scenario, channel);
}

// A live value replaces what drives a channel.
static void live_inputs_come_first(void **state)
{
  (void)state;
  jt_run r =
      start("components: {g: {type: gain, factor: 1, inputs: {in: 3}, outputs: {out: push}}}\n", "",
            JN_INTEGRATOR_RK4, 1e-3);
  JT_NEAR(at(&r, "push"), 3.0, 0.0);
  jn_input_set(r.data, jt_channel(&r, "push"), -2.0, 0.0);
  JT_NEAR(at(&r, "push"), -2.0, 0.0);
  JT_NEAR(jt_now(&r, "block.ax"), -1.0, 1e-15);
  JT_NEAR(jt_now(&r, "g.out"), 3.0, 0.0);
  jt_end(&r);
}

// ---- what is not finite -----------------------------------------------------------------------------

static void ends_by(jt_run *r, jn_step_flags how, const char *says, const char *body)
{
  char remark[JN_REMARK];
  jn_step_flags flags = JN_STEP_OK;
  for (int i = 0; i < 2000 && !flags; i++) flags = jn_step(r->system, r->data);
  assert_int_equal(flags, how);
  assert_int_equal(jn_step(r->system, r->data), how);
  assert_int_equal(jn_evaluate(r->system, r->data), how);
  const char *found = jn_data_failing_body(r->system, r->data);
  if (strcmp(body, found ? found : "")) fail_msg("body %s, expected %s", found, body);
  jn_plugin_fault_text(r->system, r->data, remark);
  if (!strstr(remark, says) || !*says != !*remark) fail_msg("%s\nlacks: %s", remark, says);
  jt_end(r);
}

// 1e20 x 1e12 t is beyond 1.8e30 at 0.0179... s. Nothing depends on it, but for a component that comes before it by name.
static void an_output_that_is_not_finite_names_its_component(void **state)
{
  (void)state;
  static const char text[] =
      "components:\n  a: {type: lag, time: 1e9, inputs: {in: c.out}}\n"
      "  b: {type: gain, factor: 1e12}\n  c: {type: gain, factor: 1e20, inputs: {in: b.out}}\n";
  static const jn_integrator each[] = {JN_INTEGRATOR_AB3, JN_INTEGRATOR_RK4, JN_INTEGRATOR_EULER,
                                       JN_INTEGRATOR_ABM4};
  static const char ramp[] = "inputs: {b.in: {type: ramp, start: 0, end: 1, to: 1}}";
  for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
    jt_run r = start(text, ramp, each[i], 1e-3);
    ends_by(&r, JN_STEP_NOT_FINITE,
            "of the component \"c\" the output \"out\" is not finite, or beyond 1e30, at t = 0.01",
            "");
  }
}

static void a_rate_that_is_not_finite_names_its_component(void **state)
{
  (void)state;
  jt_run r = start("components: {l: {type: lag, time: 1e-40, inputs: {in: 1e10}}}", "",
                   JN_INTEGRATOR_RK4, 1e-3);
  r.data->x[r.system->component[0].e] = 0.0;
  ends_by(&r, JN_STEP_NOT_FINITE,
          "of the component \"l\" the rate of state \"state\" is not finite, or beyond 1e30, at t "
          "= 0 s",
          "");
}

// A filter of 1.7 ms at 1 ms has diverged long before its limits pass anything on.
static void a_state_that_diverges_behind_limits_is_named(void **state)
{
  (void)state;
  jt_run r = start(
      "components:\n  f: {type: filter, time: 1e-3}\n"
      "  g: {type: gain, factor: 1, least: -1, most: 1, inputs: {in: f.out}, outputs: {out: "
      "push}}\n",
      "inputs: {f.in: {type: ramp, start: 0, end: 1, to: 1}}", JN_INTEGRATOR_AB3, 1e-3);
  ends_by(&r, JN_STEP_NOT_FINITE, "of the component \"f\"", "");
}

// It only passes on what the body does.
static void a_component_is_not_blamed_for_a_body(void **state)
{
  (void)state;
  jt_run r = start(
      "components:\n  a: {type: gain, factor: 1e29, inputs: {in: 1}, outputs: {out: push}}\n"
      "  b: {type: gain, factor: 1e-9, inputs: {in: block.vx}}\n"
      "  c: {type: lag, time: 1, inputs: {in: block.vx}}\n",
      "", JN_INTEGRATOR_RK4, 10.0);
  ends_by(&r, JN_STEP_DIVERGED, "", "block");
}

// ---- vehicles -------------------------------------------------------------------------------------

// One lag on each: its rate is compared between lanes and general path at each row.
static const char *const of_hmmwv[] = {"chassis.x",
                                       "chassis.y",
                                       "chassis.yaw",
                                       "chassis.roll",
                                       "chassis.vx",
                                       "chassis.wz",
                                       "chassis.speed_y",
                                       "chassis.rate_x",
                                       "wheel_fl.z",
                                       "wheel_fl.vy",
                                       "wheel_rr.wx",
                                       "lca_fr.pitch",
                                       "lca_rl.speed_z",
                                       "wheel_fr.rate_y",
                                       "rack.y",
                                       "wheel.fl.speed",
                                       "wheel.rr.speed",
                                       "joint.rack_guide.position",
                                       "joint.rack_guide.speed",
                                       "joint.lca_pivot_fl.angle",
                                       "joint.lca_pivot_rr.speed",
                                       "joint.uca_pivot_fr.angle",
                                       NULL};
// Wheels that are bodies: rotors, whose poses lanes do not have.
static const char *const of_bodies[] = {
    "chassis.speed_x", "wheel.fl.speed", "wheel.rr.speed", "wheel_fl.speed_x", "wheel_rr.vz",
    "wheel_fr.rate_y", "wheel_rl.wx",    "wheel_fl.z",     "wheel_rr.roll",    NULL};

static void lanes_measure(const char *model, const char *const *signal)
{
  char text[6000];
  int n = snprintf(text, sizeof text, "jounce: 1\ninclude: models/%s.yaml\ncomponents:\n", model);
  for (int i = 0; signal[i]; i++)
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "  s%d: {type: lag, time: 0.02, inputs: {in: %s}}\n"
                  "  t%d: {type: gain, factor: 1, inputs: {in: %s}}\n",
                  i, signal[i], i, signal[i]);
  n += snprintf(
      text + n, sizeof text - (size_t)n,
      "  yaw: {type: pid, gain: 3000, derivative_time: 0.02, filter_time: 0.01, inputs: {target: "
      "0.1, measured: chassis.rate_z},\n"
      "        outputs: {out: [wheel.rl.drive, wheel.rr.drive]}}\n");
  const jn_sim_opts lanes = {.step = 5e-4, .integrator = JN_INTEGRATOR_RK4},
                    general = {
                        .step = 5e-4, .integrator = JN_INTEGRATOR_RK4, .path = JN_PATH_GENERAL};
  const char scenario[] =
      "jounce: 1\nscenario: x\nend: 1\nspeed: 12\ninputs: {driver.rack: {type: sine, amplitude: "
      "0.01, "
      "frequency: 2}}\n";
  jt_run a = jt_start(jt_parse(text), scenario, &lanes),
         b = jt_start(jt_parse(text), scenario, &general);
  if (!a.system->lane) fail_msg("%s: %s", model, a.system->lane_reason);
  for (int i = 0; i < 5; i++) {
    const double *x = jt_row(&a), *y = jt_row(&b);
    JT_LE(jn_data_stats(a.data).path_difference, 1e-10);
    for (int c = 0; c < jn_channel_count(a.system); c++) {
      const char *name = jn_channel_at(a.system, c).name;
      if (!strncmp(name, "solver.", 7)) continue;
      if (!(fabs(x[c] - y[c]) <= 1e-7 * fmax(1.0, fabs(y[c]))))
        fail_msg("%s, %s at %g s: %.17g in lanes, %.17g by the general path", model, name,
                 jn_time(a.data), x[c], y[c]);
    }
    for (int k = 0; signal[k]; k++) {
      char out[16];
      snprintf(out, sizeof out, "t%d.out", k);
      const int channel = jn_channel_find(b.system, signal[k]);
      if (channel >= 0) JT_NEAR(jt_now(&b, out), y[channel], 1e-12 * fmax(1.0, fabs(y[channel])));
    }
    jt_steps(&a, 100);
    jt_steps(&b, 100);
  }
  jt_end(&a);
  jt_end(&b);
}

static void sensors_in_lanes_are_those_of_the_general_path(void **state)
{
  (void)state;
  lanes_measure("hmmwv", of_hmmwv);
  lanes_measure("passenger-car", of_bodies);
}

// The example of docs/components.md: opposite torques, in lanes, that turn the vehicle as they should.
static void the_example_holds_a_yaw_rate(void **state)
{
  (void)state;
  jn_error err = {0};
  jt_run r = {.spec = jt_load("models/hmmwv.yaml")};
  r.model = jt_compile(r.spec, NULL);
  jt_ok(jn_scenario_load("scenarios/hmmwv-yaw-hold.yaml", &r.scenario, &err), &err, NULL);
  jt_ok(jn_system_create(r.model, r.scenario, NULL, &r.system, &err), &err, NULL);
  jt_ok(jn_data_create(r.system, &r.data, &err), &err, NULL);
  if (!r.system->lane) fail_msg("%s", r.system->lane_reason);
  jt_steps(&r, 4000);
  const double rate = at(&r, "chassis.wz"), torque = jt_now(&r, "wheel.rr.drive");
  assert_true(rate > 0.005 && rate < 0.1);  // there is no integral
  JT_NEAR(torque, 3000.0 * (0.1 - jt_now(&r, "left.measured")), 0.05 * torque);
  JT_NEAR(jt_now(&r, "wheel.rl.drive"), -torque, 0.0);
  jt_end(&r);
}

// Loads and accelerations are those of the step's beginning.
static void held_values(void **state)
{
  (void)state;
  static const char text[] =
      "jounce: 1\ninclude: models/hmmwv.yaml\ncomponents:\n"
      "  load: {type: gain, factor: 2, inputs: {in: wheel.fl.fz}}\n"
      "  shock: {type: gain, factor: 1, inputs: {in: chassis.az}}\n"
      "  pin: {type: gain, factor: 1, inputs: {in: joint.lca_pivot_fl.fz}}\n"
      "  slow: {type: lag, time: 0.1, inputs: {in: chassis.vx}}\n";
  for (int path = 0; path < 2; path++) {
    const jn_sim_opts o = {.step = 1e-3, .path = path ? JN_PATH_GENERAL : JN_PATH_AUTO};
    jt_run r = jt_start(jt_parse(text), "jounce: 1\nscenario: x\nend: 1\nspeed: 12\n", &o);
    assert_int_equal(jn_component_count(r.system), 4);
    int held = 0;
    for (int i = 0; i < 4; i++) held += jn_component_input_at(r.system, i, 0).held;
    assert_int_equal(held, 3);
    assert_false(!path && !r.system->lane);
    for (int i = 0; i < 3; i++) {
      // nothing depends on them, so what was sampled is what the row has
      JT_NEAR(at(&r, "load.out"), 2.0 * jt_now(&r, "wheel.fl.fz"), 1e-9);
      JT_NEAR(jt_now(&r, "shock.out"), jt_now(&r, "chassis.az"), 1e-12);
      JT_NEAR(jt_now(&r, "pin.out"), jt_now(&r, "joint.lca_pivot_fl.fz"), 1e-8);
      assert_true(jt_now(&r, "load.out") > 1000.0);
      jt_steps(&r, 20);
    }
    jt_end(&r);
  }
  const jn_sim_opts o = {.integrator = JN_INTEGRATOR_REFERENCE};
  jn_spec *spec = jt_parse(text);
  jn_model *model = jt_compile(spec, NULL);
  jn_system *s = NULL;
  jn_error err = {0};
  assert_int_equal(jn_system_create(model, NULL, &o, &s, &err), JN_E_CALL);
  jn_model_free(model);
  jn_spec_free(spec);
}

// A prescribed motion is needed before anything can be measured: what it depends on directly is held, and reported.
static void motions_take_held_sensors(void **state)
{
  (void)state;
  static const char text[] =
      "jounce: 1\nbodies: {a: {mass: 2, cg: [0, 0, 0], inertia: [1, 1, 1]}, b: {mass: 1, cg: [0, "
      "1, 0], "
      "inertia: [1, 1, 1]}}\n"
      "joints:\n"
      "  ga: {type: translational, bodies: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}\n"
      "  gb: {type: translational, bodies: [ground, b], at: [0, 1, 0], axis: [1, 0, 0], motion: "
      "{channel: m}}\n"
      "initial: {ga: {speed: 1}}\n"
      "components: {f: {type: filter, time: 0.01, inputs: {in: a.x}, outputs: {out: m}}}\n";
  const jn_sim_opts o = {.step = 1e-3, .integrator = JN_INTEGRATOR_RK4};
  jt_run r = jt_start(jt_parse(text), NULL, &o);
  assert_int_equal(jn_component_input_at(r.system, 0, 0).held, 1);
  bool noted = false;
  for (int i = 0; jn_system_note(r.system, i); i++)
    noted |= strstr(jn_system_note(r.system, i), "a prescribed motion depends on it") != NULL;
  assert_true(noted);
  jt_steps(&r, 500);
  // behind a ramp the filter is by 2 T, and what is held over all stages of a step is by half a step older on average
  JT_NEAR(at(&r, "b.x"), jt_now(&r, "a.x") - 0.02 - 0.5e-3, 5e-5);
  jt_end(&r);
}

static void files_are_written_as_they_were_read(void **state)
{
  (void)state;
  jn_spec *a = with(block, position_loop);
  char *text = NULL, *again = NULL;
  jn_error err = {0};
  jt_ok(jn_spec_print(a, &text, NULL, &err), &err, NULL);
  assert_non_null(
      strstr(text, "hold: {type: \"pid\", gain: 50, derivative_time: 0.08, inputs: {target: 1, "));
  jn_spec *b = jt_parse(text);
  jt_ok(jn_spec_print(b, &again, NULL, &err), &err, NULL);
  assert_string_equal(text, again);
  free(text);
  free(again);
  jn_spec_free(a);
  jn_spec_free(b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_lag_follows_steps_and_ramps),
      cmocka_unit_test(a_filter_is_critically_damped),
      cmocka_unit_test(integrators_keep_their_order),
      cmocka_unit_test(integral_action_is_of_second_order),
      cmocka_unit_test(limits_hold),
      cmocka_unit_test(filtered_derivatives),
      cmocka_unit_test(algebra),
      cmocka_unit_test(the_order_of_the_file_changes_no_bit),
      cmocka_unit_test(many_components_are_connected_and_begin_at_rest),
      cmocka_unit_test(rings_are_named),
      cmocka_unit_test(mistakes_are_named),
      cmocka_unit_test(rates_must_be_there),
      cmocka_unit_test(components_are_what_elements_use),
      cmocka_unit_test(live_inputs_come_first),
      cmocka_unit_test(an_output_that_is_not_finite_names_its_component),
      cmocka_unit_test(a_rate_that_is_not_finite_names_its_component),
      cmocka_unit_test(a_state_that_diverges_behind_limits_is_named),
      cmocka_unit_test(a_component_is_not_blamed_for_a_body),
      cmocka_unit_test(sensors_in_lanes_are_those_of_the_general_path),
      cmocka_unit_test(the_example_holds_a_yaw_rate),
      cmocka_unit_test(held_values),
      cmocka_unit_test(motions_take_held_sensors),
      cmocka_unit_test(files_are_written_as_they_were_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
