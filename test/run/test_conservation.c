// What a mechanism conserves is conserved to the integrator's order, and projection keeps loops
// closed.
#include <glob.h>

#include "base/quat.h"
#include "run_case.h"
#include "slow.h"
#include "spec/spec_internal.h"

// ---- momenta ------------------------------------------------------------------------------------

typedef struct momenta {
  v3 linear, angular;  // the latter about the world's origin
  double energy;       // less work of all elements
} momenta;

static double value(jt_run *r, const double *row, const char *body, const char *suffix)
{
  char name[200];
  snprintf(name, sizeof name, "%s.%s", body, suffix);
  return row[jt_channel(r, name)];
}

static momenta momenta_of(jt_run *r)
{
  const double *row = jt_row(r);
  momenta m = {.energy = value(r, row, "solver", "energy") - value(r, row, "solver", "work")};
  for (int i = 0; i < r->spec->nbody; i++) {
    const jn_body_spec *b = &r->spec->body[i];
    const char *n = b->name;
    const double *j = b->keys.inertia;
    v3 p = v3_make(value(r, row, n, "x"), value(r, row, n, "y"), value(r, row, n, "z"));
    v3 v = v3_make(value(r, row, n, "vx"), value(r, row, n, "vy"), value(r, row, n, "vz"));
    v3 w = v3_make(value(r, row, n, "wx"), value(r, row, n, "wy"), value(r, row, n, "wz"));
    q4 q = q_make(value(r, row, n, "qw"),
                  v3_make(value(r, row, n, "qx"), value(r, row, n, "qy"), value(r, row, n, "qz")));
    v3 own = q_rotate_back(q, w);
    v3 spin = s3_mul_v3(s3_make(j[0], j[1], j[2], j[3], j[4], j[5]), own);
    v3 push = v3_scale(b->keys.mass, v);
    m.linear = v3_add(m.linear, push);
    m.angular = v3_add(m.angular, v3_add(v3_cross(p, push), q_rotate(q, spin)));
  }
  return m;
}

typedef struct drift {
  double linear, angular, energy;  // largest changes
} drift;

static drift run(const char *text, const jn_sim_opts *o, int steps)
{
  enum { SAMPLES = 16 };
  jt_run r = jt_start(jt_parse(text), NULL, o);
  const momenta first = momenta_of(&r);
  drift d = {0};
  for (int i = 0; i < SAMPLES; i++) {
    jt_steps(&r, steps / SAMPLES);
    momenta now = momenta_of(&r);
    d.linear = fmax(d.linear, v3_norm(v3_sub(now.linear, first.linear)));
    d.angular = fmax(d.angular, v3_norm(v3_sub(now.angular, first.angular)));
    d.energy = fmax(d.energy, fabs(now.energy - first.energy));
  }
  jt_end(&r);
  return d;
}

static void check_falls(const char *what, const char *of, double coarse, double fine, int order,
                        double rounding)
{
  const double slope = log2(coarse / fine);
  print_message("%-20s %-18s %.1e %.1e: order %.2f\n", what, of, coarse, fine, slope);
  if (fine <= rounding) return;
  if (!(slope >= order - 0.15)) fail_msg("%s: %s falls from %g to %g only", what, of, coarse, fine);
}

// Changes must fall at least as the order says, until rounding: a thousandth of a step's last
// digits for each of a thousand steps.
static void check_conserved(const char *what, const char *text, double step, int steps,
                            momenta size)
{
  static const struct {
    jn_integrator integrator;
    int order;
  } by[] = {{JN_INTEGRATOR_AB3, 3}, {JN_INTEGRATOR_RK4, 4}};
  for (int i = 0; i < 2; i++) {
    jn_sim_opts o = {.integrator = by[i].integrator, .step = step};
    const drift coarse = run(text, &o, steps);
    o.step = 0.5 * step;
    const drift fine = run(text, &o, 2 * steps);
    const double digits = 0x1p-53 * steps;
    check_falls(what, "linear momentum", coarse.linear, fine.linear, by[i].order,
                digits * size.linear.x);
    check_falls(what, "angular momentum", coarse.angular, fine.angular, by[i].order,
                digits * size.angular.x);
    check_falls(what, "energy", coarse.energy, fine.energy, by[i].order, digits * size.energy);
  }
}

static momenta sizes(double linear, double angular, double energy)
{
  return (momenta){v3_make(linear, 0, 0), v3_make(angular, 0, 0), energy};
}

static void free_body(void **state)
{
  (void)state;
  check_conserved("free body",
                  "jounce: 1\ninclude: models/free-body.yaml\n"
                  "initial: {B: {velocity: [3, -2, 1]}}\n",
                  4e-3, 1600, sizes(3, 6, 9));
}

// Thrown and spinning, on a spring that nothing damps.
static void floating_mechanism(void **state)
{
  (void)state;
  check_conserved("floating corner",
                  "jounce: 1\ninclude: models/corner-002.yaml\n"
                  "gravity: [0, 0, 0]\n"
                  "forces: {damper: {damping: 0}}\n"
                  "initial: {chassis: {velocity: [2, 1, 0], angular_velocity: [0.5, 0.2, 1]}}\n",
                  2.5e-4, 1600, sizes(4e3, 4e3, 1e4));
}

// ---- energy -------------------------------------------------------------------------------------

static void energy_less_work(void **state)
{
  (void)state;
  static const struct {
    const char *file;
    double step;
    int steps;
  } subject[] = {
      {"models/pendulum.yaml", 2e-3, 500},      {"models/double-pendulum.yaml", 2e-3, 500},
      {"models/slider-crank.yaml", 2e-4, 1000}, {"models/quarter-car.yaml", 1e-4, 800},
      {"models/hmmwv.yaml", 1e-3, 200},         {"models/peer-vehicle.yaml", 1e-3, 200},
      {"models/flyball.yaml", 5e-6, 800},       {"models/andrews.yaml", 2e-6, 1000},
      {"models/bricard.yaml", 2e-3, 500},       {"models/five-link-joints.yaml", 5e-5, 400},
  };
  for (size_t i = 0; i < sizeof subject / sizeof *subject; i++)
    for (int z = JN_STABILIZE_PROJECTION; z <= JN_STABILIZE_NONE; z++)
      for (int k = 0; k < 2; k++) {
        jn_sim_opts o = {.integrator = k ? JN_INTEGRATOR_RK4 : JN_INTEGRATOR_AB3,
                         .stabilize = (jn_stabilize)z};
        double e[2], size = 0.0;
        for (int half = 0; half < 2; half++) {
          o.step = subject[i].step / (1 << half);
          jt_run r = jt_start(jt_load(subject[i].file), NULL, &o);
          for (int n = 0; n < subject[i].steps << half; n++) {
            jt_steps(&r, 1);
            size = fmax(size, fabs(jn_data_stats(r.data).energy));
          }
          e[half] = jn_data_stats(r.data).energy_drift;
          jt_end(&r);
        }
        char what[100];
        snprintf(what, sizeof what, "%s %s", subject[i].file + 7, jn_sim_word_of("stabilize", z));
        check_falls(what, k ? "rk4" : "ab3", e[0], e[1], k ? 4 : 3,
                    0x1p-53 * subject[i].steps * size);
      }
}

// A spring in a joint whose motion is prescribed turns nothing else: the motion holds it.
static void spring_in_a_driven_joint(void **state)
{
  (void)state;
  static const char text[] =
      "jounce: 1\n"
      "bodies:\n"
      "  a: {mass: 1, cg: [0, 0, -0.5], inertia: [0.1, 0.1, 0.1]}\n"
      "  b: {mass: 1, cg: [0, 0, -1.5], inertia: [0.1, 0.1, 0.1]}\n"
      "joints:\n"
      "  j: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 1, 0],\n"
      "      motion: {curve: [[0, 0], [1, 1]]}}\n"
      "  k: {type: revolute, bodies: [a, b], at: [0, 0, -1], axis: [0, 1, 0]}\n";
  static const char spring[] =
      "forces: {s: {type: rsda, joint: j, stiffness: 10, free_angle: 1}}\n";
  char both[1024];
  snprintf(both, sizeof both, "%s%s", text, spring);
  const jn_sim_opts o = {.integrator = JN_INTEGRATOR_RK4};
  jt_run without = jt_start(jt_parse(text), NULL, &o), with = jt_start(jt_parse(both), NULL, &o);
  for (int i = 0; i < 5; i++) {
    jt_steps(&without, 100);
    jt_steps(&with, 100);
    const double *x = jt_row(&without), *y = jt_row(&with);
    const int angle = jt_channel(&with, "joint.j.angle"),
              drive = jt_channel(&with, "joint.j.drive");
    JT_NEAR(y[jt_channel(&with, "joint.k.accel")], x[jt_channel(&without, "joint.k.accel")], 1e-12);
    JT_NEAR(y[drive] - x[jt_channel(&without, "joint.j.drive")], 10.0 * (y[angle] - 1.0), 1e-12);
  }
  JT_LE(jn_data_stats(with.data).energy_drift, 1e-9);  // rk4 at 1 ms: h^4 times some rates of 10/s
  jt_end(&without);
  jt_end(&with);
}

// ---- loops --------------------------------------------------------------------------------------

// 1 ms, but where the motion is too fast for it: Andrews' mechanism turns once in 10 ms, the
// bushings of the five-link suspension are too stiff for ab3. One correction leaves of a step's
// drift, which goes with h^4 in ab3, the part h omega by which the rows have turned since they were
// factorised: 1e-8 m of the slider-crank at 1 ms, which is 1/32 of that at half of it.
static double step_of(const char *file)
{
  if (strstr(file, "andrews")) return 1e-5;
  if (strstr(file, "five-link")) return 1e-4;
  if (strstr(file, "slider-crank")) return 5e-4;
  return 1e-3;
}

static void projection_keeps_loops_closed(void **state)
{
  (void)state;
  glob_t files;
  int closed = 0;
  assert_int_equal(glob("models/*.yaml", 0, NULL, &files), 0);
  for (size_t i = 0; i < files.gl_pathc; i++)
    for (int k = 0; k < 2; k++)
      for (int f = 0; f < (SLOW ? 1 : JN_NFORMULATION); f++) {
        const char *file = files.gl_pathv[i];
        jn_sim_opts o = {.integrator = k ? JN_INTEGRATOR_RK4 : JN_INTEGRATOR_AB3,
                         .formulation = (jn_formulation)f,
                         .step = step_of(file)};
        jt_run r = jt_start(jt_load(file), NULL, &o);
        if (jn_model_count(r.model).constraints) {
          closed++;
          jt_steps(&r, 1000);
          jn_run_stats s = jn_data_stats(r.data);
          print_message(
              "%-34s %-11s %-4s %.1e m, %.1e m/s\n", file, jn_sim_word_of("formulation", f),
              jn_sim_word_of("integrator", (int)o.integrator), s.position_norm, s.velocity_norm);
          JT_LE(s.position_norm, 1e-9);
          JT_LE(s.velocity_norm, 1e-9);
        }
        jt_end(&r);
      }
  assert_true(closed >= 10);
  globfree(&files);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_body),
      cmocka_unit_test(floating_mechanism),
      cmocka_unit_test(energy_less_work),
      cmocka_unit_test(spring_in_a_driven_joint),
      cmocka_unit_test(projection_keeps_loops_closed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
