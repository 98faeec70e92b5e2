// `reference` under inputs that change with time, against closed forms: its estimate of errors must see them, whatever rows are asked
// for on the way.
#include "jounce/reference.h"
#include "run.h"

static const double MASS = 2.0, AMPLITUDE = 1000.0;

// On a slide, shaken at a frequency, on a spring or on none.
static double position_at(double end, int rows, double frequency, double stiffness)
{
  char model[600], scenario[200];
  jn_error err = {0};
  jn_reference *reference = NULL;
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
  jt_run r = jt_start(jt_parse(model), scenario, NULL);
  jt_ok(jn_reference_create(r.system, r.data, &reference, &err), &err, "reference");
  for (int i = 1; i <= rows; i++)
    jt_ok(jn_reference_advance(reference, end * i / rows, &err), &err, "reference");
  jt_row(&r);
  const double x = jt_now(&r, "block.x");
  jn_reference_free(reference);
  jt_end(&r);
  return x;
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
      JT_NEAR(position_at(end, rows, frequency[i], 0.0), x, 1e-11 * (1.0 + fabs(x)));
    }
}

// m x'' + c x = F sin(w t) from rest: x = F / (m (n^2 - w^2)) (sin(w t) - w / n sin(n t)), n^2 = c / m.
static void so_are_forced_vibrations(void **state)
{
  (void)state;
  static const double frequency[] = {0.7, 7.0, 50.0};
  for (int i = 0; i < 3; i++)
    for (int rows = 1; rows <= 100; rows *= 10) {
      const double w = 2.0 * M_PI * frequency[i], end = 1.03, n = sqrt(3000.0 / MASS),
                   x = AMPLITUDE / (MASS * (n * n - w * w)) * (sin(w * end) - w / n * sin(n * end));
      JT_NEAR(position_at(end, rows, frequency[i], 3000.0), x, 1e-10);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quadratures_are_estimated),
      cmocka_unit_test(so_are_forced_vibrations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
