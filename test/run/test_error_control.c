// `reference` against closed forms where the estimate that belongs to its method sees nothing: under inputs that change with time and
// where forces begin, whatever rows are asked for on the way.
#include "jounce/reference.h"
#include "run/run_case.h"

static const double MASS = 2.0, AMPLITUDE = 1000.0, STIFFNESS = 3000.0;

// What a channel says at `end`, with so many rows on the way.
static double value_at(const char *model, const char *scenario, double end, int rows,
                       const char *channel)
{
  jn_error err = {0};
  jn_reference *reference = NULL;
  jt_run r = jt_start(jt_parse(model), scenario, NULL);
  jt_ok(jn_reference_create(r.system, r.data, &reference, &err), &err, "reference");
  for (int i = 1; i <= rows; i++)
    jt_ok(jn_reference_advance(reference, end * i / rows, &err), &err, "reference");
  jt_row(&r);
  const double x = jt_now(&r, channel);
  jn_reference_free(reference);
  jt_end(&r);
  return x;
}

// ---- inputs -----------------------------------------------------------------------------------------

// On a slide, pushed by a sine, on a spring or on none.
static double pushed(double end, int rows, double frequency, double stiffness)
{
  char model[600], scenario[200];
  snprintf(
      model, sizeof model,
      "jounce: 1\nname: shaken\ngravity: [0, 0, 0]\nbodies:\n  block: {mass: %g, cg: [0, 0, 0], "
      "inertia: [1, 1, 1]}\njoints:\n  slide: {type: translational, bodies: [ground, block], "
      "at: [0, 0, 0], axis: [1, 0, 0]}\nforces:\n"
      "  push: {type: force, body: block, at: [0, 0, 0], force: [1, 0, 0], channel: act.push}\n"
      "  spring: {type: tsda, bodies: [ground, block], at: [[-100, 0, 0], [0, 0, 0]], "
      "stiffness: %g, free_length: 100}\n",
      MASS, stiffness);
  snprintf(scenario, sizeof scenario,
           "jounce: 1\nscenario: shaken\nend: 10\nstep: 1e-3\nintegrator: reference\ninputs:\n"
           "  act.push: {type: sine, amplitude: %g, frequency: %g}\n",
           AMPLITUDE, frequency);
  return value_at(model, scenario, end, rows, "block.x");
}

// m x'' = F sin(w t) from rest: x = F / (m w) (t - sin(w t) / w).
static void quadratures_are_estimated(void **state)
{
  (void)state;
  static const double frequency[] = {0.7, 7.0, 50.0, 400.0};
  for (int i = 0; i < 4; i++)
    for (int rows = 1; rows <= 1000; rows *= 10) {
      const double w = 2.0 * M_PI * frequency[i], end = 1.03,
                   x = AMPLITUDE / (MASS * w) * (end - sin(w * end) / w);
      JT_NEAR(pushed(end, rows, frequency[i], 0.0), x, 1e-11 * (1.0 + fabs(x)));
    }
}

// x'' + n^2 x = a sin(w t) from rest: x = a / (n^2 - w^2) (sin(w t) - w / n sin(n t)).
static double forced(double n, double w, double a, double t)
{
  return a / (n * n - w * w) * (sin(w * t) - w / n * sin(n * t));
}

static void so_are_forced_vibrations(void **state)
{
  (void)state;
  static const double frequency[] = {0.7, 7.0, 50.0};
  for (int i = 0; i < 3; i++)
    for (int rows = 1; rows <= 100; rows *= 10) {
      const double w = 2.0 * M_PI * frequency[i], end = 1.03;
      JT_NEAR(pushed(end, rows, frequency[i], STIFFNESS),
              forced(sqrt(STIFFNESS / MASS), w, AMPLITUDE / MASS, end), 1e-10);
    }
}

// A block at x = 0 and a table 100 m behind it that is shaken: the block slides on the ground with a spring between them, or on the
// table with none.
static double shaken(double end, int rows, double frequency, double size, bool sprung)
{
  char model[700], spring[200], scenario[200];
  snprintf(spring, sizeof spring,
           "forces:\n  spring: {type: tsda, bodies: [table, block], at: [[-100, 0, 0], [0, 0, 0]], "
           "stiffness: %g, free_length: 100}\n",
           STIFFNESS);
  snprintf(
      model, sizeof model,
      "jounce: 1\nname: shaken\ngravity: [0, 0, 0]\nbodies:\n"
      "  table: {mass: 1, cg: [-100, 0, 0], inertia: [1, 1, 1]}\n"
      "  block: {mass: %g, cg: [0, 0, 0], inertia: [1, 1, 1]}\njoints:\n"
      "  shaker: {type: translational, bodies: [ground, table], at: [-100, 0, 0], "
      "axis: [1, 0, 0], motion: {channel: act.table}}\n"
      "  slide: {type: translational, bodies: [%s, block], at: [0, 0, 0], axis: [1, 0, 0]}\n%s",
      MASS, sprung ? "ground" : "table", sprung ? spring : "");
  snprintf(scenario, sizeof scenario,
           "jounce: 1\nscenario: shaken\nend: 10\nstep: 1e-3\nintegrator: reference\ninputs:\n"
           "  act.table: {type: sine, amplitude: %g, frequency: %g}\n",
           size, frequency);
  return value_at(model, scenario, end, rows, "block.x");
}

// n^2 u is what pushes the block on the spring; on the table it keeps the table's first speed.
static void so_are_prescribed_motions(void **state)
{
  (void)state;
  static const double frequency[] = {0.7, 7.0, 50.0}, size = 0.1;
  for (int i = 0; i < 3; i++)
    for (int rows = 1; rows <= 100; rows *= 10) {
      const double w = 2.0 * M_PI * frequency[i], end = 1.03, n = sqrt(STIFFNESS / MASS);
      JT_NEAR(shaken(end, rows, frequency[i], size, false), size * w * end, 1e-10);
      JT_NEAR(shaken(end, rows, frequency[i], size, true), forced(n, w, n * n * size, end), 1e-11);
    }
}

// ---- forces that begin ------------------------------------------------------------------------------

// A wheel of mass m falls from a height above the road onto a tyre with F = k u + c u', which jumps by c times its speed: from then
// on u'' + 2 b u' + n^2 u = g, so that u = g / n^2 + e^(-b t) (A cos(d t) + B sin(d t)).
static void landings_are_found(void **state)
{
  (void)state;
  static const double stiffness = 2e5, damping = 800.0, height = 0.0123, radius = 0.3, mass = 30.0,
                      g = 9.81, after = 0.02;
  const double fall = sqrt(2.0 * height / g), b = 0.5 * damping / mass, n2 = stiffness / mass,
               d = sqrt(n2 - b * b), a = -g / n2, c = (g * fall + b * a) / d,
               u = g / n2 + exp(-b * after) * (a * cos(d * after) + c * sin(d * after)),
               rate = exp(-b * after) *
                      ((d * c - b * a) * cos(d * after) - (d * a + b * c) * sin(d * after));
  char model[700];
  snprintf(
      model, sizeof model,
      "jounce: 1\nname: drop\ngravity: [0, 0, %g]\nbodies:\n"
      "  post: {mass: 10, cg: [0, 0, %.17g], inertia: [1, 1, 1]}\n"
      "  wheel: {mass: %g, cg: [0, 0, %.17g], inertia: [1, 1, 1]}\njoints:\n"
      "  slide: {type: translational, bodies: [ground, post], at: [0, 0, 0], axis: [0, 0, 1]}\n"
      "  bearing: {type: revolute, bodies: [post, wheel], at: [0, 0, %.17g], axis: [0, 1, 0]}\n"
      "tyres:\n  t: {type: vertical, radius: %g, stiffness: %g, damping: %g}\n"
      "forces:\n  w: {type: tyre, body: wheel, at: [0, 0, %.17g], tyre: t}\n",
      -g, radius + height, mass - 10.0, radius + height, radius + height, radius, stiffness,
      damping, radius + height);
  for (int rows = 1; rows <= 100; rows *= 10) {
    static const char scenario[] =
        "jounce: 1\nscenario: drop\nend: 1\nstep: 1e-3\nintegrator: reference\n";
    const double end = fall + after;
    JT_NEAR(value_at(model, scenario, end, rows, "wheel.z"), radius - u, 1e-12);
    JT_NEAR(value_at(model, scenario, end, rows, "wheel.vz"), -rate, 1e-10);
  }
}

// ---- whoever watches --------------------------------------------------------------------------------

static int ends_at(void *user, double t)
{
  return t >= *(double *)user;
}

static void it_stops_when_asked_to(void **state)
{
  (void)state;
  static const char model[] =
      "jounce: 1\nname: p\nbodies:\n  bob: {mass: 1, cg: [1, 0, 0], inertia: [1, 1, 1]}\n"
      "joints:\n  pin: {type: revolute, bodies: [ground, bob], at: [0, 0, 0], axis: [0, 1, 0]}\n";
  double end = 3.0;
  jn_error err = {0};
  jn_reference *reference = NULL;
  jt_run r = jt_start(jt_parse(model), NULL, &(jn_sim_opts){.integrator = JN_INTEGRATOR_REFERENCE});
  jt_ok(jn_reference_create(r.system, r.data, &reference, &err), &err, "reference");
  jn_reference_watch(reference, ends_at, &end);
  jt_ok(jn_reference_advance(reference, 2.0, &err), &err, "reference");
  assert_int_equal(jn_reference_advance(reference, 1000.0, &err), JN_E_CALL);
  JT_LE(3.0, jn_time(r.data));
  JT_LE(jn_time(r.data), 3.5);
  // The state is that of the time: from there it comes to where it would have come.
  double angle[2];
  jn_reference_watch(reference, NULL, NULL);
  jt_ok(jn_reference_advance(reference, 4.0, &err), &err, "reference");
  jt_row(&r);
  angle[0] = jt_now(&r, "joint.pin.angle");
  jn_reference_free(reference);
  jt_end(&r);
  angle[1] = value_at(model, "jounce: 1\nscenario: p\nend: 9\nintegrator: reference\n", 4.0, 1,
                      "joint.pin.angle");
  JT_NEAR(angle[0], angle[1], 1e-10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quadratures_are_estimated), cmocka_unit_test(so_are_forced_vibrations),
      cmocka_unit_test(so_are_prescribed_motions), cmocka_unit_test(landings_are_found),
      cmocka_unit_test(it_stops_when_asked_to),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
