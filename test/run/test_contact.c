// Contacts with the road against closed forms: bounce and restitution of Hunt and Crossley's law, sliding to a stop, weight on any
// slope, posts that move; and vehicles that lie on their sides and roofs on every path.
#include "run/run_internal.h"
#include "run_case.h"
#include "solve/data.h"

static const double GRAVITY = 9.81;

// A mass on one point 0.2 m below it, guided along `axis`, with a velocity.
static jt_run bouncer(double gravity, double damping, double height, double velocity,
                      const char *scenario, const jn_sim_opts *o)
{
  char text[1024];
  snprintf(text, sizeof text,
           "jounce: 1\nname: bouncer\ngravity: [0, 0, %.17g]\n"
           "bodies: {m: {mass: 3, cg: [0, 0, 0.5], inertia: [1, 1, 1]}}\n"
           "joints: {guide: {type: translational, bodies: [ground, m], at: [0, 0, 0], axis: [0, 0, "
           "1]}}\n"
           "forces: {c: {type: contact, body: m, at: [[0.7, 0, 0.3]], stiffness: 2e4, damping: "
           "%.17g}}\n"
           "initial: {guide: {position: %.17g, speed: %.17g}}\n",
           -gravity, damping, height, velocity);
  return jt_start(jt_parse(text), scenario, o);
}

static const jn_sim_opts fine = {.integrator = JN_INTEGRATOR_RK4, .step = 1e-5};

// Without damping it is a spring: k d²/2 = m g (h + d) at the deepest, and all of the height comes back.
static void an_elastic_point_gives_all_back(void **state)
{
  (void)state;
  const double drop = 0.05, m = 3, k = 2e4, weight = m * GRAVITY;
  const double deepest = (weight + sqrt(weight * weight + 2 * k * weight * drop)) / k;
  jt_run r = bouncer(GRAVITY, 0, drop - 0.3, 0, NULL, &fine);
  double depth = 0, top = -1;
  bool touched = false;
  while (jn_time(r.data) < 0.3) {
    jt_row(&r);
    depth = fmax(depth, jt_now(&r, "force.c.depth"));
    touched |= jt_now(&r, "force.c.fz") > 0;
    if (touched && jt_now(&r, "joint.guide.speed") > 0)
      top = fmax(top, jt_now(&r, "joint.guide.position"));
    jt_steps(&r, 1);
  }
  JT_NEAR(depth, deepest, 1e-6 * deepest);  // rows are 1e-5 s apart
  JT_NEAR(top, drop - 0.3, 1e-6);
  jt_end(&r);
}

// m v dv = -k d (1 + c v') dd has an integral of v alone: with F(v) = v/c - ln(1 + c v)/c², F(in) = F(-out) [HuC75].
static double balance_of(double c, double v)
{
  return v / c - log1p(c * v) / (c * c);
}

static double leaves_with(double c, double in)
{
  double lo = 0, hi = in;
  for (int i = 0; i < 100; i++) {
    const double out = 0.5 * (lo + hi);
    if (balance_of(c, -out) < balance_of(c, in))
      lo = out;
    else
      hi = out;
  }
  return lo;
}

static void restitution_is_that_of_hunt_and_crossley(void **state)
{
  (void)state;
  static const double damping[] = {0.1, 0.5, 2}, speed[] = {0.3, 1, 4};
  for (int i = 0; i < 9; i++) {
    const double c = damping[i / 3], in = speed[i % 3];
    jt_run r = bouncer(0, c, -0.299, -in, NULL, &fine);
    jt_steps(&r, 30000);
    jt_row(&r);
    JT_NEAR(jt_now(&r, "force.c.depth"), 0, 0);
    JT_NEAR(jt_now(&r, "joint.guide.speed"), leaves_with(c, in), 1e-5 * in);
    JT_NEAR(jt_now(&r, "solver.energy_drift"), 0, 1e-6 * in * in);
    jt_end(&r);
  }
}

// Four points at rest on a plane that slides: v' = -mu g v / √(v² + w²), so that with s = √(v² + w²) s - w artanh(w/s) falls by mu g t.
static double fallen(double v, double w)
{
  const double s = sqrt(v * v + w * w);
  return s - w * atanh(w / s);
}

static void sliding_is_braked_by_coulomb(void **state)
{
  (void)state;
  const double m = 50, k = 1e5, sink = m * GRAVITY / (4 * k);
  char text[1024];
  snprintf(
      text, sizeof text,
      "jounce: 1\nname: box\nbodies: {box: {mass: %g, cg: [0, 0, 0], inertia: [5, 5, 5]}}\n"
      "joints: {place: {type: planar, bodies: [ground, box], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
      "forces: {c: {type: contact, body: box, at: [[1, 1, %.17g], [1, -1, %.17g], [-1, 1, "
      "%.17g], [-1, -1, %.17g]], stiffness: %g, friction: 0.6}}\n"
      "initial: {box: {velocity: [3, 4, 0]}}\n",
      m, -sink, -sink, -sink, -sink, k);
  jt_run r = jt_start(jt_parse(text),
                      "jounce: 1\nscenario: s\nend: 9\nroad: {type: flat, friction: 0.5}\n", &fine);
  for (int i = 0; i < 4; i++) {
    jt_steps(&r, 30000);
    jt_row(&r);
    const double x = jt_now(&r, "box.vx"), y = jt_now(&r, "box.vy"), t = jn_time(r.data);
    JT_NEAR(y * 3, x * 4, 1e-9);
    if (t < 1.5) JT_NEAR(fallen(hypot(x, y), 0.2), fallen(5, 0.2) - 0.3 * GRAVITY * t, 1e-9);
    JT_NEAR(jt_now(&r, "force.c.fz"), m * GRAVITY, 1e-9 * m * GRAVITY);
  }
  jt_end(&r);
}

// Deep in the road slow motion is braked by k times 20 ms at most, so that light bodies bear it: v' = -k T v / m.
static void deep_points_brake_slow_motion_gently(void **state)
{
  (void)state;
  const double k = 1e5, m = 20, v = 1e-3;
  jt_run r = jt_start(
      jt_parse("jounce: 1\nname: skid\nbodies: {m: {mass: 20, cg: [0, 0, 0], inertia: [1, 1, 1]}}\n"
               "joints: {rail: {type: translational, bodies: [ground, m], at: [0, 0, 0], axis: [1, "
               "0, 0]}}\n"
               "forces: {c: {type: contact, body: m, at: [[0, 0, -0.1]], stiffness: 1e5, friction: "
               "0.8}}\n"
               "initial: {rail: {speed: 1e-3}}\n"),
      NULL, &(jn_sim_opts){.integrator = JN_INTEGRATOR_RK4, .step = 1e-4});
  jt_steps(&r, 200);
  jt_row(&r);
  JT_NEAR(jt_now(&r, "joint.rail.speed"), v * exp(-k * 0.02 / m * 0.02), 1e-6 * v);
  jt_end(&r);
}

// At rest on any road: the road bears the weight; what friction lets creep goes with the speed at which it bears the weight's part
// along the slope, mu cos = sin √(1 + w²/v²).
static void a_slope_bears_the_weight(void **state)
{
  (void)state;
  static const char model[] =
      "jounce: 1\nname: box\nbodies: {box: {mass: 200, cg: [0, 0, 0.5], inertia: [50, 50, 50]}}\n"
      "joints: {place: {type: free, bodies: [ground, box]}}\n"
      "forces: {c: {type: contact, body: box, at: [[1, 1, 0], [1, -1, 0], [-1, 1, 0], [-1, -1, 0], "
      "[1, 1, 1], [1, -1, 1], [-1, 1, 1], [-1, -1, 1]], stiffness: 1e5}}\n";
  static const double grade[] = {0, 0.1, -0.3}, bank[] = {0, 0.2, 0.1};
  for (int i = 0; i < 3; i++) {
    char scenario[200];
    snprintf(scenario, sizeof scenario,
             "jounce: 1\nscenario: s\nend: 9\nroad: {type: flat, grade: %g, bank: %g}\n", grade[i],
             bank[i]);
    jt_run r = jt_start(jt_parse(model), scenario, &(jn_sim_opts){.step = 5e-4});
    jt_steps(&r, 30000);
    jt_row(&r);
    const double steep = hypot(grade[i], bank[i]);
    const double v = steep > 0 ? 0.2 / sqrt(pow(0.5 / steep, 2) - 1) : 0;
    const double down = hypot(jt_now(&r, "box.vx"), jt_now(&r, "box.vy"));
    JT_NEAR(jt_now(&r, "force.c.fz"), 200 * GRAVITY, 1e-6 * 200 * GRAVITY);
    JT_NEAR(jt_now(&r, "force.c.fx"), 0, 1e-3);
    JT_NEAR(jt_now(&r, "force.c.fy"), 0, 1e-3);
    JT_NEAR(down * sqrt(1 + steep * steep), v, 1e-6);
    jt_end(&r);
  }
}

// A point on a post under which a bump passes is as deep as the bump is high at its x of the design position + V t, and approached as
// fast as that grows.
static void a_bump_that_moves_pushes_what_is_held(void **state)
{
  (void)state;
  const double from = 2, length = 0.5, height = 0.02, speed = 4, x0 = 0.7, k = 2e4, c = 0.5;
  jt_run r = jt_start(
      jt_parse(
          "jounce: 1\nname: post\nbodies: {m: {mass: 3, cg: [0, 0, 0.5], inertia: [1, 1, 1]}}\n"
          "joints: {guide: {type: translational, bodies: [ground, m], at: [0, 0, 0], axis: [0, 0, "
          "1], "
          "motion: {curve: [[0, 0], [9, 0]]}}}\n"
          "forces: {c: {type: contact, body: m, at: [[0.7, 0, 0], [9, 0, 0.5]], stiffness: "
          "2e4}}\n"),
      "jounce: 1\nscenario: s\nend: 1\nroad: {type: half-sine, at: 2, length: 0.5, height: 0.02, "
      "moving: 4}\n",
      &(jn_sim_opts){.step = 1e-3});
  int pushed = 0;
  for (int i = 0; i < 500; i++) {
    jt_row(&r);
    const double x = x0 + speed * jn_time(r.data) - from, angle = M_PI * x / length;
    const bool on = x >= 0 && x <= length;
    const double depth = on ? height * sin(angle) : 0,
                 rate = on ? height * M_PI / length * speed * cos(angle) : 0;
    JT_NEAR(jt_now(&r, "force.c.depth"), depth, 1e-15);
    JT_NEAR(jt_now(&r, "force.c.fz"), k * depth * fmax(0, 1 + c * rate), 1e-11 * k * height);
    pushed += depth > 0;
    jt_steps(&r, 1);
  }
  assert_in_range(pushed, 120, 130);
  jt_end(&r);
}

// ---- vehicles ---------------------------------------------------------------------------------------

static const char rolled[] =
    "jounce: 1\ninclude: models/hmmwv-shell.yaml\n"
    "joints: {placed: {type: free, bodies: [ground, chassis]}}\n"
    "initial: {placed: {orientation: [%s, 0, 0], offset: [0, 0, %s]}}\n";

// After 20 s it has stopped rocking on its tyres; what carries it is its weight. All paths have it end alike.
static void a_rolled_vehicle_lies(void **state)
{
  (void)state;
  static const char *const start[][2] = {{"3.1", "1.9"}, {"1.3", "1.2"}, {"-1.4", "1.2"}};
  static const jn_path path[] = {JN_PATH_AUTO, JN_PATH_LIST, JN_PATH_GENERAL};
  for (int i = 0; i < 3; i++) {
    double roll[3], height[3];
    for (int k = 0; k < 3; k++) {
      char text[512];
      snprintf(text, sizeof text, rolled, start[i][0], start[i][1]);
      jt_run r = jt_start(jt_parse(text), NULL, &(jn_sim_opts){.step = 1e-3, .path = path[k]});
      double weight = 0;
      for (int b = r.system->nframe; b < r.system->nbody; b++)
        weight += r.system->body[b].mass * GRAVITY;
      jt_steps(&r, 20000);
      jt_row(&r);
      const double points = jt_now(&r, "force.shell.fz");
      const double carried = points + jt_now(&r, "wheel.fl.fz") + jt_now(&r, "wheel.fr.fz") +
                             jt_now(&r, "wheel.rl.fz") + jt_now(&r, "wheel.rr.fz");
      JT_NEAR(carried, weight, 1e-3 * weight);
      JT_LE(0.3 * weight, points);
      JT_NEAR(jt_now(&r, "chassis.vz"), 0, 1e-3);
      roll[k] = fabs(jt_now(&r, "chassis.roll")), height[k] = jt_now(&r, "chassis.z");
      JT_LE(1.2, roll[k]);
      JT_LE(0.8, height[k]);
      jt_end(&r);
    }
    for (int k = 1; k < 3; k++) {
      JT_NEAR(roll[k], roll[0], 1e-2);
      JT_NEAR(height[k], height[0], 1e-2);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_elastic_point_gives_all_back),
      cmocka_unit_test(restitution_is_that_of_hunt_and_crossley),
      cmocka_unit_test(sliding_is_braked_by_coulomb),
      cmocka_unit_test(deep_points_brake_slow_motion_gently),
      cmocka_unit_test(a_slope_bears_the_weight),
      cmocka_unit_test(a_bump_that_moves_pushes_what_is_held),
      cmocka_unit_test(a_rolled_vehicle_lies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
