// Every integrator converges at its order on mechanisms: with loops and without, with projection
// and without, in every formulation, through jumps of the inputs, and with states that are
// integrated in exponential form.
//
// The error of a run is the root mean square, over eight instants and all bodies, of positions over
// 1 m, of quaternions, and of speeds times a time in which the mechanism moves by its own size: no
// component that happens to cross zero decides. It is against rk4 with steps of an eighth of the
// shortest that any rk4 run has, whose own error is 1/8^4 of the smallest one measured.
//
// Steps are short enough for the next term of the error, smaller by h times the fastest rate of the
// motion, to be below a tenth (2^0.15 is 1.11), and long enough for errors to stay above 1e-13:
// rounding is 1e-16 times what a run of some thousand steps makes of it.
//
// Order 4 needs finer steps. The error of abm4 is that of the corrector, 19/720 h^4, and the next term
// is that of the predictor, 251/720, times h and a rate: 13 times as large as usual; with projection
// the leading term of rk4 is small, too. Only where two inputs jump within one step of the coarse runs is rounding
// reached before the next term is small: there slopes, which are 4 + c h + d h^2, are extrapolated to h = 0
// from all three.
#include "run_case.h"
#include "slow.h"

enum { SAMPLES = 8, RUNS = 4, COMPONENTS = 13, BODIES = 8 };

typedef struct subject {
  const char *name, *text, *scenario;
  double end;         // [s]
  double speed;       // what speeds are multiplied with [s]
  int steps[5];       // of the coarsest run, by order, of abm4 first; multiples of SAMPLES
  bool extrapolated;  // slopes of order 4
  int early
      [2];  // coarse slopes that errors of different origin, partly cancelling, bend: of rk4, of abm4
} subject;

static const int order_of[JN_NINTEGRATOR] = {
    [JN_INTEGRATOR_AB3] = 3,        [JN_INTEGRATOR_AB2] = 2, [JN_INTEGRATOR_EULER] = 1,
    [JN_INTEGRATOR_SEMI_EULER] = 1, [JN_INTEGRATOR_RK2] = 2, [JN_INTEGRATOR_RK4] = 4,
    [JN_INTEGRATOR_ABM4] = 4,
};

typedef struct history {
  int n;  // values of a sample
  double value[SAMPLES][BODIES * COMPONENTS];
} history;

static void sample(jt_run *r, const subject *c, history *h, int at)
{
  static const char *const component[COMPONENTS] = {"x",  "y",  "z",  "qw", "qx", "qy", "qz",
                                                    "vx", "vy", "vz", "wx", "wy", "wz"};
  const double *row = jt_row(r);
  h->n = 0;
  for (int b = 0; b < r->spec->nbody; b++)
    for (int k = 0; k < COMPONENTS; k++) {
      char name[128];
      snprintf(name, sizeof name, "%s.%s", r->spec->body[b].name, component[k]);
      double x = row[jt_channel(r, name)];
      assert_true(h->n < BODIES * COMPONENTS);
      h->value[at][h->n++] = k < 7 ? x : x * c->speed;
    }
}

static void run(const subject *c, jn_sim_opts o, int steps, history *h)
{
  assert_int_equal(steps % SAMPLES, 0);
  o.step = c->end / steps;
  o.end = c->end;
  jt_run r = jt_start(jt_parse(c->text), c->scenario, &o);
  for (int i = 0; i < SAMPLES; i++) {
    jt_steps(&r, steps / SAMPLES);
    sample(&r, c, h, i);
  }
  jt_end(&r);
}

static double apart(const history *a, const history *b)
{
  double sum = 0.0;
  for (int i = 0; i < SAMPLES; i++)
    for (int k = 0; k < a->n; k++) {
      double d = a->value[i][k] - b->value[i][k];
      sum += d * d;
    }
  return sqrt(sum / (SAMPLES * a->n));
}

static const history *fine(const subject *c)
{
  static history h;
  static const subject *of;
  if (of == c) return &h;
  jn_sim_opts o = {.integrator = JN_INTEGRATOR_RK4};
  run(c, o, c->steps[4] << (RUNS - 1 + 3), &h);
  of = c;
  return &h;
}

static void check_order(const subject *c, jn_sim_opts o)
{
  const int order = order_of[o.integrator];
  const int steps = c->steps[o.integrator == JN_INTEGRATOR_ABM4 ? 0 : order];
  const history *best = fine(c);
  double e[RUNS], slope[RUNS] = {0};
  bool good = true;
  for (int i = 0; i < RUNS; i++) {
    history h;
    run(c, o, steps << i, &h);
    e[i] = apart(&h, best);
    if (i == 0) continue;
    slope[i] = log2(e[i - 1] / e[i]);
    const bool lanes = o.formulation == JN_FORMULATION_SUBSYSTEM && o.path != JN_PATH_GENERAL;
    const int early = lanes ? c->early[o.integrator != JN_INTEGRATOR_ABM4] : 0;
    good &= i <= early || fabs(slope[i] - order) <= 0.15;
  }
  if (order == 4 && c->extrapolated)
    good = fabs((8.0 * slope[RUNS - 1] - 6.0 * slope[RUNS - 2] + slope[RUNS - 3]) / 3.0 - order) <=
           0.15;
  char line[256];
  snprintf(line, sizeof line, "%-22s %-11s %-10s %-10s slopes %.3f %.3f %.3f, errors %.1e to %.1e",
           c->name, jn_sim_word_of("formulation", (int)o.formulation),
           jn_sim_word_of("integrator", (int)o.integrator),
           jn_sim_word_of("stabilize", (int)o.stabilize), slope[1], slope[2], slope[3], e[0],
           e[RUNS - 1]);
  print_message("%s\n", line);
  if (!good) fail_msg("%s", line);
}

// ---- mechanisms ---------------------------------------------------------------------------------

// The corner hangs on a chassis that is held, and swings: a tenth of the file's damping.
static const char corner_text[] =
    "jounce: 1\n"
    "name: corner\n"
    "include: models/corner-002.yaml\n"
    "joints: {hold: {type: fixed, bodies: [ground, chassis]}}\n"
    "forces: {damper: {damping: 2000}}\n";

#define FILE_OF(name) "jounce: 1\nname: " name "\ninclude: models/" name ".yaml\n"

static const subject slider_crank = {.name = "slider-crank",
                                     .text = FILE_OF("slider-crank"),
                                     .end = 0.5,
                                     .speed = 0.1,
                                     .early = {1, 0},
                                     .steps = {1600, 8000, 1600, 400, 640}};
static const subject double_pendulum = {.name = "double-pendulum",
                                        .text = FILE_OF("double-pendulum"),
                                        .end = 0.5,
                                        .speed = 0.3,
                                        .steps = {400, 2000, 400, 160, 80}};
// In lanes, where dependent velocities are no state, ab3's leading error is a third of the general path's, and slopes come down
// to 3 by halves: 3.39, 3.20, 3.10.
static const subject corner = {.name = "corner",
                               .text = corner_text,
                               .early = {0, 2},
                               .end = 0.4,
                               .speed = 0.05,
                               .steps = {1600, 4000, 800, 320, 320}};

static void every_integrator(const subject *c, jn_stabilize stabilize)
{
  for (int i = 0; i < JN_NINTEGRATOR; i++) {
    if (i == JN_INTEGRATOR_REFERENCE) continue;
    if (SLOW && i != JN_INTEGRATOR_AB3 && i != JN_INTEGRATOR_RK4) continue;
    check_order(c, (jn_sim_opts){.integrator = (jn_integrator)i, .stabilize = stabilize});
  }
}

static void slider_crank_without_stabilisation(void **state)
{
  (void)state;
  every_integrator(&slider_crank, JN_STABILIZE_NONE);
}

static void slider_crank_with_projection(void **state)
{
  (void)state;
  every_integrator(&slider_crank, JN_STABILIZE_PROJECTION);
}

static void double_pendulum_without_loops(void **state)
{
  (void)state;
  every_integrator(&double_pendulum, JN_STABILIZE_PROJECTION);
}

static void corner_without_stabilisation(void **state)
{
  (void)state;
  every_integrator(&corner, JN_STABILIZE_NONE);
}

static void corner_with_projection(void **state)
{
  (void)state;
  every_integrator(&corner, JN_STABILIZE_PROJECTION);
}

static const subject *const subjects[] = {&slider_crank, &corner};
static const jn_integrator common[] = {JN_INTEGRATOR_AB3, JN_INTEGRATOR_RK4};

static void other_formulations(void **state)
{
  (void)state;
  for (int s = SLOW; s < 2; s++)
    for (int f = JN_FORMULATION_RECURSIVE; f <= JN_FORMULATION_INDEPENDENT; f++)
      for (int i = 0; i < 2; i++)
        for (int z = JN_STABILIZE_PROJECTION; z <= JN_STABILIZE_NONE && z <= !SLOW; z++)
          check_order(subjects[s], (jn_sim_opts){.formulation = (jn_formulation)f,
                                                 .integrator = common[i],
                                                 .stabilize = (jn_stabilize)z});
}

// A rate of Baumgarte's method that does not depend on the step: the default one does, and has the
// drift decay within ten steps, however short these are.
static void other_stabilisations(void **state)
{
  (void)state;
  for (int s = SLOW; s < 2; s++)
    for (int i = 0; i < 2; i++) {
      check_order(subjects[s], (jn_sim_opts){.integrator = common[i],
                                             .stabilize = JN_STABILIZE_BAUMGARTE,
                                             .baumgarte = 10});
      check_order(subjects[s],
                  (jn_sim_opts){.integrator = common[i], .stabilize = JN_STABILIZE_NEWTON});
    }
}

// ---- states in exponential form -----------------------------------------------------------------

#define MOTOR(more)                                             \
  "jounce: 1\nname: motor\ninclude: models/slider-crank.yaml\n" \
  "forces:\n"                                                   \
  "  motor: {type: torque, bodies: [ground, crank], axis: [1, 0, 0], torque: 0.1" more "}\n"
#define INPUT(text) "jounce: 1\nscenario: motor\nend: 1\ninputs:\n  motor: " text "\n"

static const subject lag = {.name = "lag of 10 ms",
                            .text = MOTOR(", channel: motor, lag: 0.01"),
                            .scenario = INPUT("{type: sine, amplitude: 2, frequency: 3, phase: 1}"),
                            .end = 0.5,
                            .speed = 0.1,
                            .steps = {1280, 8000, 1600, 400, 640}};

static void lagging_actuator(void **state)
{
  (void)state;
  every_integrator(&lag, JN_STABILIZE_PROJECTION);
}

// 2000/s at 1 ms: the classical formulas of ab2, ab3 and abm4 are unstable here (their limits on
// the real axis are 1, 6/11 and 1.3), and euler is at its limit, 2. What is left is the error that
// the method makes of the mechanism itself, as a run without the lag has it. Stages of Runge and
// Kutta see the lag's state as it follows from the input at the step's beginning, half a step ago
// on average: they lose as much as a delay by that brings, which is what the lag itself is. The
// state that abm4 predicts is extrapolated, by h^4 instead of 251/720 h^4 when the rate is large,
// and enters the corrector with 9/24: 14 times the corrector's own 19/720.
static void stiff_lag_is_stable(void **state)
{
  (void)state;
  enum { STEPS = 496 };
  static const subject none = {
      .text = MOTOR(", channel: motor"),
      .scenario = INPUT("{type: sine, amplitude: 2, frequency: 3, phase: 1}"),
      .end = 0.496,
      .speed = 0.1};
  subject with = none;
  with.text = MOTOR(", channel: motor, lag: 0.5e-3");
  history exact, exact_without, h, without;
  jn_sim_opts o = {.integrator = JN_INTEGRATOR_RK4};
  run(&with, o, 16 * STEPS, &exact);
  run(&none, o, 16 * STEPS, &exact_without);
  const double delay = apart(&exact, &exact_without);
  for (int i = 0; i < JN_NINTEGRATOR; i++) {
    if (i == JN_INTEGRATOR_REFERENCE) continue;
    o.integrator = (jn_integrator)i;
    run(&with, o, STEPS, &h);
    run(&none, o, STEPS, &without);
    double error = apart(&h, &exact), own = apart(&without, &exact_without);
    bool stages = i == JN_INTEGRATOR_RK2 || i == JN_INTEGRATOR_RK4;
    print_message("%-10s at 1 ms: error %.2e with the lag, %.2e without; delay %.2e\n",
                  jn_sim_word_of("integrator", i), error, own, delay);
    JT_LE(error, (i == JN_INTEGRATOR_ABM4 ? 14.2 : 1.5) * own + (stages ? delay : 0.0));
  }
}

// ---- jumps --------------------------------------------------------------------------------------

// Inside a step of every run, and on a step's boundary in every run.
#define JUMPS(label, model, input)                                             \
  {                                                                            \
    .name = label, .text = model, .scenario = input, .end = 0.5, .speed = 0.1, \
    .steps = {3200, 8000, 1600, 1600, 640},                                    \
  }

static void jumps_of_inputs(void **state)
{
  (void)state;
  static subject jump[] = {
      JUMPS("step inside", MOTOR(", channel: motor"), INPUT("{type: step, at: 0.1234567, to: 1}")),
      JUMPS("step at boundary", MOTOR(", channel: motor"), INPUT("{type: step, at: 0.125, to: 1}")),
      JUMPS("ramp inside", MOTOR(", channel: motor"),
            INPUT("{type: ramp, start: 0.1234567, end: 0.2234567, from: -1, to: 2}")),
      JUMPS("ramp at boundary", MOTOR(", channel: motor"),
            INPUT("{type: ramp, start: 0.125, end: 0.25, from: -1, to: 2}")),
      JUMPS("start inside", MOTOR(", start: 0.1234567"), NULL),
      JUMPS("start at boundary", MOTOR(", start: 0.125"), NULL),
      JUMPS("lag, step inside", MOTOR(", channel: motor, lag: 0.01"),
            INPUT("{type: step, at: 0.1234567, to: 1}")),
      // Two in one step of the coarse runs, and one in it and one on its end.
      JUMPS("two inside", MOTOR(", channel: motor, start: 0.12345"),
            INPUT("{type: step, at: 0.1234567, from: 1, to: 2}")),
      JUMPS("inside and at boundary", MOTOR(", channel: motor, start: 0.1249"),
            INPUT("{type: step, at: 0.125, from: 1, to: 2}")),
  };
  const size_t n = sizeof jump / sizeof *jump;
  jump[n - 2].extrapolated = jump[n - 1].extrapolated = true;
  for (size_t i = 0; i < n; i++) jump[i].early[1] = 2;
  for (size_t i = 0; i < n; i += SLOW ? 4 : 1)
    for (int k = 0; k < 2; k++)
      for (int p = 0; p < 2; p++)
        check_order(&jump[i], (jn_sim_opts){.integrator = common[k],
                                            .path = p ? JN_PATH_GENERAL : JN_PATH_AUTO});
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slider_crank_without_stabilisation),
      cmocka_unit_test(slider_crank_with_projection),
      cmocka_unit_test(double_pendulum_without_loops),
      cmocka_unit_test(corner_without_stabilisation),
      cmocka_unit_test(corner_with_projection),
      cmocka_unit_test(other_formulations),
      cmocka_unit_test(other_stabilisations),
      cmocka_unit_test(lagging_actuator),
      cmocka_unit_test(stiff_lag_is_stable),
      cmocka_unit_test(jumps_of_inputs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
