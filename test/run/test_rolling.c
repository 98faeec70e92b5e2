// Tyres of every kind on wheels: standing on slopes, through zero speed, locked, in the air and landing.
#include "rolling_case.h"
#include "slow.h"

typedef struct range {
  double lo, hi;
} range;

static void widen(range *r, double x)
{
  r->lo = fmin(r->lo, x), r->hi = fmax(r->hi, x);
}

// ---- standing ---------------------------------------------------------------------------------------

// On 20 % with the brakes on, up the slope and across it. What friction holds it holds for good: nothing in the
// physics of a parked vehicle moves, so neither place nor force may, but for rounding.
static void check_parked(const rolling_tyre *t, const char *slope, bool across)
{
  char text[2048], head[128], scenario[512];
  rolling_cart_text(text, sizeof text, t, (rolling_cart){0});
  snprintf(head, sizeof head, "road: {type: flat, %s}\n", slope);
  rolling_inputs(scenario, sizeof scenario, head, "brake", "20e3");
  jt_run r = jt_start(jt_parse(text), scenario, &(jn_sim_opts){.step = 1e-3, .end = 600});
  jn_data_audit(r.data, JN_AUDIT_NONE);
  const int settle = SLOW ? 20000 : 45000, stand = SLOW ? 2000 : 60000, last = SLOW ? 1000 : 10000;
  jt_steps(&r, settle);
  jt_row(&r);
  const v3 first =
      v3_set(jt_now(&r, "chassis.x"), jt_now(&r, "chassis.y"), jt_now(&r, "chassis.z"));
  double pull = 0.0;
  for (int i = 0; i < 4; i++) pull += across ? r.data->wheel[i].tyre.fy : r.data->wheel[i].tyre.fx;
  // What the slope pulls: m g sin(slope).
  JT_NEAR(fabs(pull), 4.0 * t->load * 0.2 / sqrt(1.04), 1e-3 * t->load);
  jt_steps(&r, stand - last);
  range spin[4], force[4];
  for (int k = 0; k < last; k += 7) {  // an odd count: what flips from step to step is seen
    jt_steps(&r, 7);
    jt_row(&r);
    for (int i = 0; i < 4; i++) {
      const jn_wheel_state *w = &r.data->wheel[i];
      const double f = across ? w->tyre.fy : w->tyre.fx;
      if (!k) spin[i] = (range){w->spin, w->spin}, force[i] = (range){f, f};
      widen(&spin[i], w->spin);
      widen(&force[i], f);
    }
  }
  const v3 then = v3_set(jt_now(&r, "chassis.x"), jt_now(&r, "chassis.y"), jt_now(&r, "chassis.z"));
  const double crept = v3_norm(v3_sub(then, first));
  double spins = 0.0, forces = 0.0;
  for (int i = 0; i < 4; i++) {
    spins = fmax(spins, spin[i].hi - spin[i].lo);
    forces = fmax(forces, force[i].hi - force[i].lo);
  }
  print_message("  %-18s %s: crept %.1e m, spin within %.1e rad/s, force within %.1e N\n", t->name,
                slope, crept, spins, forces);
  const double settled = SLOW ? 100.0 : 1.0;  // in less time the truck has not ceased to sway
  JT_LE(crept, settled * 1e-6);
  JT_LE(spins, settled * 1e-6);
  JT_LE(forces, settled * 1e-5 * t->load);
  jt_end(&r);
}

static void parked_on_a_slope_nothing_moves(void **state)
{
  (void)state;
  for (int i = 0; i < ROLLING_TYRES; i++) {
    check_parked(&rolling_tyres[i], "grade: 0.2", false);
    check_parked(&rolling_tyres[i], "bank: 0.2", true);
  }
}

// ---- through zero speed -----------------------------------------------------------------------------

typedef struct changes {
  double most[5], seen[5];  // from step to step of Fx, Fy, Fz, My, Mz; and their size
  int turns;                // of the front left wheel's acceleration
  int landings;
} changes;

static changes watch(const char *text, const char *scenario, double step, double from, double end)
{
  jt_run r = jt_start(jt_parse(text), scenario,
                      &(jn_sim_opts){.step = step, .integrator = JN_INTEGRATOR_RK4, .end = end});
  jn_data_audit(r.data, JN_AUDIT_NONE);
  changes c = {0};
  double before[4][5], turned = 0.0, load = 0.0;
  const int n = (int)lround(end / step);
  for (int k = 0; k < n; k++) {
    jt_steps(&r, 1);
    jt_row(&r);
    for (int i = 0; i < 4; i++) {
      const tyre_out *o = &r.data->wheel[i].tyre;
      const double f[5] = {o->fx, o->fy, o->load, o->my, o->mz};
      for (int j = 0; j < 5; j++) {
        if (step * k > from) c.most[j] = fmax(c.most[j], fabs(f[j] - before[i][j]));
        c.seen[j] = fmax(c.seen[j], fabs(f[j]));
        before[i][j] = f[j];
      }
      if (o->load == 0.0) {
        const double none = fabs(o->fx) + fabs(o->fy) + fabs(o->mx) + fabs(o->my) + fabs(o->mz) +
                            v3_norm(o->force) + v3_norm(o->moment);
        JT_NEAR(none, 0.0, 0.0);  // in the air nothing pushes
      }
    }
    const tyre_out *o = &r.data->wheel[0].tyre;
    c.landings += o->load > 0.0 && load == 0.0;
    load = o->load;
    const double rate = r.data->wheel[0].spin_rate;
    if (fabs(rate) > 0.2) {  // rad/s^2: what is felt
      c.turns += rate * turned < 0.0;
      turned = rate;
    }
  }
  jt_end(&r);
  return c;
}

// A force that is continuous changes half as much in half of the step; one that jumps, as much.
static changes check_continuous(const rolling_tyre *t, const char *what, const char *text,
                                const char *scenario, double step, double from, double end)
{
  static const char *const name[] = {"Fx", "Fy", "Fz", "My", "Mz"};
  const changes a = watch(text, scenario, step, from, end);
  const changes b = watch(text, scenario, 0.5 * step, from, end);
  print_message("  %-18s %s:", t->name, what);
  for (int j = 0; j < 5; j++)
    if (a.seen[j] > 0.0)
      print_message(" %s %.2g, %.2g of %.3g;", name[j], a.most[j], b.most[j], a.seen[j]);
  print_message(" %d and %d turns\n", a.turns, b.turns);
  for (int j = 0; j < 5; j++) {
    if (a.most[j] < 1e-6 * t->load) continue;  // it has none
    JT_LE(b.most[j], 0.65 * a.most[j]);
    JT_LE(a.most[j], 0.35 * a.seen[j]);
  }
  JT_LE(0.1 * t->load, a.seen[0]);
  JT_LE(0.1 * t->load, a.seen[1]);
  return b;
}

// Ahead at 2 m/s with the front wheels turned (from a tenth of a second on: by then they know that they are), then
// the drive pushes back, and ahead again.
static void forces_do_not_jump_through_zero_speed(void **state)
{
  (void)state;
  for (int i = 0; i < ROLLING_TYRES; i++) {
    const rolling_tyre *t = &rolling_tyres[i];
    char text[2048], scenario[768], signal[128];
    rolling_cart_text(text, sizeof text, t, (rolling_cart){0});
    // 0.3 g at the most: from 2 m/s to -0.8 m/s within 1.5 s, back within 3 s, and again
    snprintf(signal, sizeof signal, "{type: sine, amplitude: %g, frequency: 0.3333, phase: 3.1416}",
             0.3 * t->load * t->radius);
    rolling_inputs(scenario, sizeof scenario, "speed: 2\n", "drive", signal);
    strcat(scenario, "  wheel.fl.steer: 0.1\n  wheel.fr.steer: 0.1\n");
    const changes c =
        check_continuous(t, "through zero", text, scenario, 1e-3, 0.1, SLOW ? 1.2 : 4.5);
    // The torque turns thrice; each time, and at the start, the tread rings on for some periods.
    assert_in_range(c.turns, SLOW ? 0 : 1, 60);
  }
}

// ---- locked -----------------------------------------------------------------------------------------

// Brakes lock the wheels at 30 m/s. Until it stands, force is against the sliding, and within friction; then it rocks
// on its treads, less and less.
static void locked_wheels_slide_to_rest(void **state)
{
  (void)state;
  for (int i = 0; i < ROLLING_TYRES; i++) {
    const rolling_tyre *t = &rolling_tyres[i];
    char text[2048], scenario[512], signal[128];
    rolling_cart_text(text, sizeof text, t, (rolling_cart){0});
    snprintf(signal, sizeof signal, "{type: ramp, start: 0.1, end: 0.2, to: %g}",
             3.0 * t->load * t->radius);
    rolling_inputs(scenario, sizeof scenario, "speed: 30\n", "brake", signal);
    jt_run r = jt_start(jt_parse(text), scenario, &(jn_sim_opts){.step = 1e-3, .end = 600});
    jn_data_audit(r.data, JN_AUDIT_NONE);
    double stops = 0.0, most = 0.0, rocks[3] = {0};
    int locked = 0;
    for (int k = 0; k < 40000; k += 5) {
      jt_steps(&r, 5);
      jt_row(&r);
      const double v = jt_now(&r, "chassis.vx"), now = 5e-3 + 1e-3 * k;
      if (!stops && v < 0.0) stops = now;
      if (stops && now > stops + 8.0) break;
      if (stops) {
        if (now < stops + 1.0) rocks[0] = fmax(rocks[0], fabs(v));
        if (now > stops + 3.0 && now < stops + 4.0) rocks[1] = fmax(rocks[1], fabs(v));
        if (now > stops + 7.0) rocks[2] = fmax(rocks[2], fabs(v));
      }
      for (int w = 0; w < 4; w++) {
        const jn_wheel_state *s = &r.data->wheel[w];
        if (s->tyre.load <= 0.0) continue;
        // of what the law can hold at this load, by its own peak friction
        const tyre_limits can = rolling_limits(r.system, &r.system->wheel[w], s->tyre.load);
        const double limit = fmax(can.friction[0], can.friction[1]) * s->tyre.load;
        most = fmax(most, hypot(s->tyre.fx, s->tyre.fy) / limit);
        if (stops || now < 0.5 || v < 0.5) continue;
        locked += fabs(s->spin) < 0.5;
        if (!(s->tyre.fx < -0.3 * s->tyre.load)) fail_msg("%s: pushes ahead at %g s", t->name, now);
      }
    }
    print_message(
        "  %-18s stands after %.2f s, up to %.3f of friction, rocks with %.1e %.1e %.1e m/s\n",
        t->name, stops, most, rocks[0], rocks[1], rocks[2]);
    assert_true(stops > 1.0);
    assert_true(locked > 1000);
    // Longitudinally friction is the limit; laterally files have up to 0.05 of the load at no slip (PVY1, PVY2).
    JT_LE(most, i < 3 ? 1.0 + 1e-12 : hypot(1.0, 0.05));
    // A mass m on four springs k = C / sigma with dampers k T: its swing fades with exp(-4 k T / 2 m t). Pitch and
    // brakes are springs behind these, so it takes somewhat longer.
    const tyre_limits limits = rolling_limits(r.system, &r.system->wheel[0], t->load);
    const double spring = limits.stiffness[0] / limits.relaxation[0], mass = 4.0 * t->load / 9.81;
    const double fades = 4.0 * spring * 5e-3 / (2.0 * mass);
    // Friction at most works on it along the distance that a tread can be bent by, r = 1.55 of the sliding limit (tread.h).
    const double mu = limits.friction[0];
    const double distance = 1.55 * 3.0 * mu * t->load / limits.stiffness[0] * limits.relaxation[0];
    JT_LE(rocks[0], sqrt(2.0 * 9.81 * mu * distance));
    JT_LE(rocks[1], 0.5 * rocks[0]);
    JT_LE(rocks[2], fmax(rocks[1] * exp(-0.5 * fades * 4.0), 1e-6));
    jt_end(&r);
  }
}

// ---- in the air -------------------------------------------------------------------------------------

// Dropped from 0.2 m at 8 m/s ahead, 1 m/s to the left, with wheels that turn too slowly: it lands, bounces, lands.
static void dropped_wheels_land_without_a_jump(void **state)
{
  (void)state;
  for (int i = 0; i < ROLLING_TYRES; i++) {
    const rolling_tyre *t = &rolling_tyres[i];
    char text[2048];
    rolling_cart_text(
        text, sizeof text, t,
        (rolling_cart){
            .lift = 0.2, .velocity = {8, 1, 0}, .spin = 4.0 / t->radius, .damping = 0.1});
    const changes c = check_continuous(t, "dropped", text, "jounce: 1\nscenario: x\nend: 600\n",
                                       2.5e-4, 0.0, 0.9);
    print_message("    lands %d times\n", c.landings);
    assert_in_range(c.landings, 2, 8);
  }
}

// A tread that was bent springs back in the air, with the damping time of the tyre (5 ms).
static void treads_spring_back_in_the_air(void **state)
{
  (void)state;
  for (int i = 0; i < ROLLING_TYRES; i++) {
    const rolling_tyre *t = &rolling_tyres[i];
    char text[2048];
    rolling_cart_text(text, sizeof text, t, (rolling_cart){.lift = 0.2, .velocity = {8, 1, 0}});
    jt_run r = jt_start(jt_parse(text), NULL, &(jn_sim_opts){.step = 1e-3});
    double *x = r.data->x + r.system->wheel[0].slip;
    x[0] = 0.01, x[1] = -0.02;
    jt_steps(&r, 20);
    x = r.data->x + r.system->wheel[0].slip;
    JT_NEAR(x[0], 0.01 * exp(-0.02 / 5e-3), 1e-12);
    JT_NEAR(x[1], -0.02 * exp(-0.02 / 5e-3), 1e-12);
    jt_end(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parked_on_a_slope_nothing_moves),
      cmocka_unit_test(forces_do_not_jump_through_zero_speed),
      cmocka_unit_test(locked_wheels_slide_to_rest),
      cmocka_unit_test(dropped_wheels_land_without_a_jump),
      cmocka_unit_test(treads_spring_back_in_the_air),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
