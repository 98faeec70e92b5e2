// Roads in a run: friction under every law of tyres, patches of it, roads of single wheels, roads of the caller's own, in all
// ways of computing.
#include "elements/tyre/tyre_at.h"
#include "jounce/plugin.h"
#include "rolling_case.h"
#include "run/run_internal.h"
#include "solve/data.h"

static const double GRAVITY = 9.81;

typedef struct small_tyre {
  const char *name, *yaml;
} small_tyre;

// Those that rolling_case.h has not.
static const small_tyre small_tyres[] = {
    {"vertical", "tyres:\n  t: {type: vertical, radius: 0.33, stiffness: 2e5, damping: 1.5e4}\n"},
    {"linear",
     "tyres:\n  t: {type: linear, radius: 0.33, stiffness: 2e5, damping: 1.5e4, slip_stiffness: "
     "6e4, "
     "cornering_stiffness: 5e4, load: 4e3, friction: 0.9}\n"},
    {"mf-simple",
     "tyres:\n  t: {type: mf-simple, radius: 0.33, stiffness: 2e5, damping: 1.5e4, rolling_radius: "
     "0.32, relaxation_length: 0.25, b: 10, c: 1.65, d: 1, e: 0.5}\n"},
};
enum { SMALL_TYRES = sizeof small_tyres / sizeof *small_tyres };

// A hub of 400 kg that slides up and down on a slider of 10 kg, which slides along x.
static jt_run sled(const char *tyres, const char *tyre, const char *scenario, const jn_sim_opts *o)
{
  static char text[8192];
  snprintf(text, sizeof text,
           "jounce: 1\nname: sled\n%s"
           "bodies:\n  slider: {mass: 10, cg: [0, 0, 1], inertia: [1, 1, 1]}\n"
           "  hub: {mass: 400, cg: [0, 0, 0.31], inertia: [9, 9, 9]}\n"
           "joints:\n  rail: {type: translational, bodies: [ground, slider], at: [0, 0, 1], axis: "
           "[1, 0, 0]}\n"
           "  post: {type: translational, bodies: [slider, hub], at: [0, 0, 1], axis: [0, 0, 1]}\n"
           "forces:\n  w: {type: wheel, body: hub, at: [0, 0, 0.31], inertia: 1.2, tyre: %s}\n"
           "initial:\n  rail: {speed: 20}\n",
           tyres, tyre);
  return jt_start(jt_parse(text), scenario, o);
}

static const jn_sim_opts fine = {.integrator = JN_INTEGRATOR_RK4, .step = 5e-4};

static void same_rows(jt_run *a, jt_run *b, const char *what)
{
  const double *x = jt_row(a), *y = jt_row(b);
  for (int i = 0; i < a->system->nchannel; i++)
    if (memcmp(&x[i], &y[i], sizeof *x) != 0)
      fail_msg("%s: %s is %.17g and %.17g", what, a->system->channel[i].name, x[i], y[i]);
}

// ---- friction ---------------------------------------------------------------------------------------

// The road that is never asked, and one that is asked and answers 1.
static void friction_of_one_changes_no_bit(void **state)
{
  (void)state;
  static const char *const plain =
      "jounce: 1\nscenario: s\nend: 1\ninputs: {wheel.w.brake: 600}\nroad: {type: flat}\n";
  static const char *const asked =
      "jounce: 1\nscenario: s\nend: 1\ninputs: {wheel.w.brake: 600}\n"
      "road: {type: flat, patches: {a: {x: [1, 9], friction: 1, edge: 0.5}, b: {friction: 1}}}\n";
  for (int i = 0; i < SMALL_TYRES + ROLLING_TYRES; i++) {
    char tyres[512];
    const bool small = i < SMALL_TYRES;
    const rolling_tyre *t = &rolling_tyres[small ? 0 : i - SMALL_TYRES];
    if (small)
      snprintf(tyres, sizeof tyres, "%s", small_tyres[i].yaml);
    else
      snprintf(tyres, sizeof tyres, t->yaml, 0.5 * t->nominal);
    jt_run a = sled(tyres, small ? "t" : t->tyre, plain, &fine);
    jt_run b = sled(tyres, small ? "t" : t->tyre, asked, &fine);
    assert_true(a.system->binding.road[JN_COMMON_ROAD].form & ROAD_PLAIN);
    assert_false(b.system->binding.road[JN_COMMON_ROAD].form & ROAD_PLAIN);
    for (int k = 0; k < 20; k++) {
      jt_steps(&a, 20), jt_steps(&b, 20);
      same_rows(&a, &b, small ? small_tyres[i].name : t->name);
    }
    jt_end(&a), jt_end(&b);
  }
}

// F(l s) = l F(s) where friction is l and all of slip, tread and sliding is l times as large: side force, aligning moment and
// the rates of the states, at any deflection of the tread. Load, overturning and rolling resistance are what they were.
static void forces_follow_similarity(void **state)
{
  (void)state;
  jt_random r = {7};
  for (int i = 0; i < ROLLING_TYRES; i++) {
    char tyres[512];
    const rolling_tyre *t = &rolling_tyres[i];
    snprintf(tyres, sizeof tyres, t->yaml, 0.5 * t->nominal);
    jt_run run = sled(tyres, t->tyre, NULL, &fine);
    const jn_wheel *w = &run.system->wheel[0];
    int tried = 0;
    for (int k = 0; k < 50; k++) {
      const double v = 12.0, l = jt_random_in(&r, 0.05, 1.5), s = jt_random_in(&r, -0.5, 0.5);
      tyre_in in = {.axis = v3_set(0, 1, 0),
                    .velocity = v3_set(v, s * v, 0),
                    .omega = v3_set(0, 0, 0),
                    .forward = v3_set(1, 0, 0),
                    .normal = v3_set(0, 0, 1),
                    .height = t->radius - t->nominal / t->stiffness,
                    .friction = 1.0,
                    .table = run.system->table};
      // It rolls freely: no sliding along x. Nor are draws of use where treads of stiff laws are held softer (rolling.h).
      for (int n = 0; n < 200; n++)
        in.spin = v / tyre_at(w->tyre.kind, w->tyre.form, w->tyre.p, in).rolling_radius;
      in.state[1] = jt_random_in(&r, -0.1, 0.1);
      const tyre_out a = tyre_at(w->tyre.kind, w->tyre.form, w->tyre.p, in);
      if (w->tyre.kind != JN_TYRE_BRUSH) {
        const tyre_limits k0 = rolling_limits(run.system, w, a.load);
        bool stiff = false;
        for (int j = 0; j < 2; j++)
          stiff |= k0.stiffness[j] / (3 * k0.friction[j] * a.load * fmin(l, 1.0)) > ROLL_MOST_THETA;
        if (stiff) continue;
      }
      tried++;
      in.friction = l, in.velocity.y *= l, in.state[1] *= l;
      const tyre_out b = tyre_at(w->tyre.kind, w->tyre.form, w->tyre.p, in);
      const double size = a.load;
      JT_NEAR(b.load, a.load, 0.0);
      JT_NEAR(b.fy, l * a.fy, 1e-11 * size);
      JT_NEAR(b.mz, l * a.mz, 1e-11 * size);
      if (w->tyre.kind != JN_TYRE_BRUSH) JT_NEAR(b.mx, a.mx, 1e-11 * size);
      JT_NEAR(b.utilisation, a.utilisation, 1e-11);
      JT_NEAR(b.rate_a[1], a.rate_a[1], 1e-11 * (1 + fabs(a.rate_a[1])));
      JT_NEAR(b.rate_b[1], l * a.rate_b[1], 1e-11 * (1 + fabs(a.rate_b[1])));
    }
    if (tried < 10) fail_msg("%s: %d draws alone", t->name, tried);
    jt_end(&run);
  }
}

// Slope at the origin, and the largest force, of the two that have no law of their own.
static void plain_laws_keep_their_slope_and_scale_their_limit(void **state)
{
  (void)state;
  static const double linear[] = {0.33, 2e5, 0, 6e4, 5e4, 4e3, 0.9};
  static const double magic[] = {0.33, 2e5, 0, 0.33, 0.25, 10, 1.65, 1, 0.5, 1};
  tyre_in in = {.axis = v3_set(0, 1, 0),
                .velocity = v3_set(10, 0, 0),
                .omega = v3_set(0, 0, 0),
                .forward = v3_set(1, 0, 0),
                .normal = v3_set(0, 0, 1),
                .height = 0.31};
  for (double l = 0.1; l < 1.05; l += 0.3) {
    in.friction = l, in.velocity.y = 1e-4, in.spin = 10 / 0.31;
    JT_NEAR(tyre_linear(linear, in).fy, -5e4 * atan(1e-5), 1e-9);
    in.velocity.y = 30.0;
    JT_NEAR(tyre_linear(linear, in).fy, -0.9 * l * 4e3, 1e-9);
    in.velocity.y = 0.0, in.state[0] = 1e-6;
    JT_NEAR(tyre_mf_simple(magic, in).fx, 4e3 * 10 * 1.65 * 1e-6, 1e-8);
    double most = 0.0;
    for (double z = 0.0; z < 2.0; z += 1e-4)
      in.state[0] = z, most = fmax(most, tyre_mf_simple(magic, in).fx);
    JT_NEAR(most, 4e3 * l, 4e-2 * l);
  }
}

// A locked wheel under a hub of 400 kg brakes 410 kg: v' = -mu l 400 g / 410, whatever the hub does meanwhile, as long as it
// moves up and down alike at both instants.
static double slope_of_speed(const char *tyres, const char *tyre, const char *road, jn_path path)
{
  char scenario[512];
  snprintf(scenario, sizeof scenario,
           "jounce: 1\nscenario: s\nend: 2\ninputs: {wheel.w.brake: 1e6}\nroad: %s\n", road);
  jn_sim_opts o = fine;
  o.path = path;
  jt_run r = sled(tyres, tyre, scenario, &o);
  jt_steps(&r, 1000);
  jt_row(&r);
  const double v = jt_now(&r, "joint.rail.speed"), w = jt_now(&r, "joint.post.speed");
  jt_steps(&r, 1000);
  jt_row(&r);
  JT_NEAR(jt_now(&r, "joint.post.speed"), w, 1e-6);
  JT_NEAR(jt_now(&r, "wheel.w.speed"), 0.0, 1e-3);
  const double slope = (jt_now(&r, "joint.rail.speed") - v) / 0.5;
  jt_end(&r);
  return slope;
}

static void locked_wheels_brake_by_friction(void **state)
{
  (void)state;
  static const char *const road[] = {"{type: flat}", "{type: flat, friction: 0.6}",
                                     "{type: half-sine, at: -9, length: 1, height: 0.1, friction: "
                                     "0.4}",
                                     "{type: flat, patches: {ice: {y: [-2, 1], friction: 0.15}}}"};
  static const double friction[] = {1.0, 0.6, 0.4, 0.15};
  char brush[512], fiala[512];
  snprintf(fiala, sizeof fiala, rolling_tyres[1].yaml, 1.5e4);
  snprintf(brush, sizeof brush, rolling_tyres[0].yaml, 1.5e4);
  for (int k = 0; k < 4; k++) {
    const double wanted = -friction[k] * 0.9 * 400 * GRAVITY / 410;
    JT_NEAR(slope_of_speed(brush, "t", road[k], JN_PATH_AUTO), wanted, 1e-5 * -wanted);
    JT_NEAR(slope_of_speed(brush, "t", road[k], JN_PATH_GENERAL), wanted, 1e-5 * -wanted);
    JT_NEAR(slope_of_speed(small_tyres[1].yaml, "t", road[k], JN_PATH_AUTO), wanted,
            1e-5 * -wanted);
    // Fiala's: l F0(1 / l), whose friction is that of sliding, and U Fz - (U Fz)^2 / (4 Cs kappa) beyond the critical slip
    const double limit = friction[k] * 0.7 * 400 * GRAVITY;
    JT_NEAR(slope_of_speed(fiala, "t", road[k], JN_PATH_AUTO),
            -limit * (1 - limit / (4 * 6e4)) / 410, 1e-5 * -wanted);
  }
}

// From x = 10 to 20 m the wheel is on ice: v^2 falls by 2 a 10 m there, and by ten times as much on as long a way beside it.
static void a_patch_is_where_it_is(void **state)
{
  (void)state;
  char tyres[512];
  snprintf(tyres, sizeof tyres, rolling_tyres[0].yaml, 1.5e4);
  jt_run r = sled(tyres, "t",
                  "jounce: 1\nscenario: s\nend: 2\ninputs: {wheel.w.brake: 1e6}\n"
                  "road: {type: flat, patches: {ice: {x: [10, 20], friction: 0.1}}}\n",
                  &fine);
  double before = 20, square[3] = {0}, at = 0;
  static const double place[] = {10, 20, 22};
  for (int k = 0; k < 3;) {
    jt_steps(&r, 1), jt_row(&r);
    const double x = jt_now(&r, "joint.rail.position"), v = jt_now(&r, "joint.rail.speed");
    const double part = (place[k] - at) / (x - at);
    if (x >= place[k]) square[k] = pow(before + part * (v - before), 2), k++;
    if (fabs(x - 10) > 0.02 && fabs(x - 20) > 0.02)
      JT_NEAR(jt_now(&r, "tyre.w.friction"), x > 10 && x < 20 ? 0.1 : 1.0, 0.0);
    before = v, at = x;
  }
  const double a = 0.9 * 400 * GRAVITY / 410;
  JT_NEAR(square[0] - square[1], 2 * 0.1 * a * 10, 0.02 * 2 * 0.1 * a * 10);
  JT_NEAR(square[1] - square[2], 2 * a * 2, 0.02 * 2 * a * 2);
  jt_end(&r);
}

// An edge is a straight line inside the border, patches lie on each other, and infinite ones are everywhere.
static void patches_blend_and_cover(void **state)
{
  (void)state;
  jn_road r = {.form = JN_ROAD_FLAT | 3 << ROAD_PATCH_SHIFT, .p = {0.8}};
  const double patch[3][PATCH_FIELDS] = {{-INFINITY, INFINITY, 0, 1, 0.4, PATCH_SHARP},
                                         {2, 4, -INFINITY, INFINITY, 0.2, 1 / 0.5},
                                         {3.5, 3.6, 0.2, 0.3, 1.2, PATCH_SHARP}};
  memcpy(r.p + ROAD_FIELDS, patch, sizeof patch);
  static const double want[][3] = {{-100, -0.5, 0.8}, {1e6, 0.5, 0.4}, {2.25, -1, 0.5},
                                   {2.25, 0.5, 0.3},  {3, 9, 0.2},     {3.875, 0.5, 0.35},
                                   {3.55, 0.25, 1.2}, {4.0, 0.5, 0.4}, {2.0, -1, 0.8}};
  for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
    const road_query q = {.x = want[i][0], .y = want[i][1]};
    JT_NEAR(road_at(r.form, r.p, &q).friction, want[i][2], 1e-15);
  }
}

// What is printed of it reads back as the same.
static void roads_are_printed(void **state)
{
  (void)state;
  jn_scenario *s = jt_scenario(
      "jounce: 1\nscenario: s\nend: 1\nunits: {length: mm}\n"
      "road: {type: flat, friction: 0.9, patches: {ice: {x: [1000, 3000], friction: 0.2, edge: "
      "100}, "
      "wet: {friction: 0.5}}}\n"
      "roads: {kerb: {type: plateau, at: 0, length: 2000, height: 50, edge: 500, wheels: [fl, "
      "fr]}}\n");
  char *text = NULL, *again = NULL;
  jn_error err = {0};
  jt_ok(jn_scenario_print(s, &text, NULL, &err), &err, "print");
  assert_non_null(strstr(text,
                         "patches: {ice: {x: [1, 3], friction: 0.2, edge: 0.1}, wet: {friction: "
                         "0.5}}"));
  assert_non_null(strstr(text, "  kerb: {type: plateau, wheels: [\"fl\", \"fr\"], at: 0, "));
  jn_scenario *second = jt_scenario(text);
  jt_ok(jn_scenario_print(second, &again, NULL, &err), &err, "print");
  assert_string_equal(text, again);
  free(text), free(again);
  jn_scenario_free(s), jn_scenario_free(second);
}

// ---- split friction ---------------------------------------------------------------------------------

static jt_run cart(const char *scenario, const jn_sim_opts *o)
{
  static char text[8192];
  rolling_cart_text(text, sizeof text, &rolling_tyres[0],
                    (rolling_cart){.lift = 1e-6, .velocity = {15, 0, 0}});
  return jt_start(jt_parse(text), scenario, o);
}

// Locked wheels, ice under the left ones: it turns to the right, at first by (mu_r - mu_l) m g / 2 t / 2 over its inertia.
static void ice_under_the_left_turns_to_the_right(void **state)
{
  (void)state;
  static const char *const scenario =
      "jounce: 1\nscenario: s\nend: 1\n"
      "inputs: {wheel.fl.brake: 1e6, wheel.fr.brake: 1e6, wheel.rl.brake: 1e6, wheel.rr.brake: "
      "1e6}\n"
      "road: {type: flat, patches: {ice: {y: [%s], friction: 0.2}}}\n";
  for (int left = 0; left < 2; left++) {
    char text[512];
    snprintf(text, sizeof text, scenario, left ? "0, 9" : "-9, 0");
    jt_run r = cart(text, &fine);
    jt_steps(&r, 200), jt_row(&r);
    double moment = 0.0, load = 0.0;
    for (int i = 0; i < 4; i++) {
      const jn_wheel_state *k = &r.data->wheel[i];
      const double own = (k->centre.y > 0) == left ? 0.2 : 1.0;
      JT_NEAR(k->friction, own, 0.0);
      JT_NEAR(k->tyre.fx, -0.9 * own * k->tyre.load, 1e-3 * k->tyre.load);
      load += k->tyre.load, moment -= k->centre.y * k->tyre.fx;
    }
    const double track = r.data->wheel[0].centre.y - r.data->wheel[1].centre.y;
    const double wanted = 0.9 * 0.8 * load / 2 * track / 2;
    JT_NEAR(moment, left ? -wanted : wanted, 0.03 * wanted);
    jt_steps(&r, 200), jt_row(&r);
    assert_true(left ? r.data->twist[r.system->frame[0].body].a.z < -0.01
                     : r.data->twist[r.system->frame[0].body].a.z > 0.01);
    jt_end(&r);
  }
}

// ---- roads of single wheels ---------------------------------------------------------------------------

static const char *const bump = "type: half-sine, at: 5, length: 2, height: 0.04, friction: 0.7";

static void all_wheels_on_roads_of_their_own_are_on_one_road(void **state)
{
  (void)state;
  char one[512], own[512], part[512];
  snprintf(one, sizeof one, "jounce: 1\nscenario: s\nend: 1\nroad: {%s}\n", bump);
  snprintf(
      own, sizeof own,
      "jounce: 1\nscenario: s\nend: 1\nroads: {a: {%s, wheels: [fl, rr]}, b: {%s, wheels: [fr, "
      "rl]}}\n",
      bump, bump);
  snprintf(part, sizeof part,
           "jounce: 1\nscenario: s\nend: 1\nroad: {type: flat}\nroads: {kerb: {%s, wheels: [fr, "
           "rr]}}\n",
           bump);
  jt_run a = cart(one, &fine), b = cart(own, &fine), c = cart(part, &fine);
  for (int k = 0; k < 20; k++) {
    jt_steps(&a, 50), jt_steps(&b, 50), jt_steps(&c, 50);
    same_rows(&a, &b, "roads of their own");
    jt_row(&c);
    for (int i = 0; i < 4; i++) {
      const jn_wheel_state *w = &c.data->wheel[i];
      const double x = w->centre.x - 5;
      const bool right = c.system->wheel[i].name[1] == 'r';
      JT_NEAR(w->friction, right ? 0.7 : 1.0, 0.0);
      JT_NEAR(w->road, right && x > 0 && x < 2 ? 0.04 * sin(M_PI * x / 2) : 0.0, 1e-14);
    }
  }
  assert_true(c.data->wheel[0].centre.x > 7.0);
  jt_end(&a), jt_end(&b), jt_end(&c);
}

// ---- roads by calls -----------------------------------------------------------------------------------

typedef struct called {
  bool hints;
  long asked, kept;
} called;

// The bump above, from a table of 2,001 points that would be searched with a hint: what it changes is nothing but the count.
static void bump_at(const void *self, const jn_road_plugin_query *q, int *hint,
                    jn_road_plugin_answer *a)
{
  called *k = (called *)(uintptr_t)self;
  const double s = q->x - 5.0;
  const int place = s < 0 ? 1 : s > 2 ? 2 : 3;
  k->asked++, k->kept += *hint == place;
  if (k->hints) *hint = place;
  a->friction = 0.7;
  if (s < 0 || s > 2) return;
  a->height = 0.04 * sin(M_PI * s / 2);
  a->slope_x = 0.04 * M_PI / 2 * cos(M_PI * s / 2);
}

static const jn_road_plugin_table bump_table = {.version = JN_PLUGIN_VERSION, .at = bump_at};

static void a_road_of_the_caller_is_a_road(void **state)
{
  (void)state;
  char one[512];
  snprintf(one, sizeof one, "jounce: 1\nscenario: s\nend: 1\nroad: {%s}\n", bump);
  called with = {.hints = true}, without = {0};
  jn_sim_opts o = fine;
  jt_run a = cart(one, &o);
  o.road = &bump_table, o.road_self = &with;
  jt_run b = cart(NULL, &o);
  o.road_self = &without;
  jt_run c = cart(NULL, &o);
  for (int k = 0; k < 20; k++) {
    jt_steps(&a, 50), jt_steps(&b, 50), jt_steps(&c, 50);
    same_rows(&b, &c, "hints");
    jt_row(&a);
    for (int i = 0; i < 4; i++) {
      const jn_wheel_state *x = &a.data->wheel[i], *y = &b.data->wheel[i];
      JT_NEAR(y->centre.z, x->centre.z, 1e-10);
      JT_NEAR(y->tyre.load, x->tyre.load, 1e-5);
      JT_NEAR(y->friction, x->friction, 0.0);
    }
  }
  assert_true(with.asked > 1000 && with.kept > with.asked / 2);
  assert_int_equal(without.kept, 0);
  jt_end(&a), jt_end(&b), jt_end(&c);
}

static void no_height(const void *self, const jn_road_plugin_query *q, int *hint,
                      jn_road_plugin_answer *a)
{
  (void)self, (void)hint;
  if (q->x > 4) a->height = NAN;
}

static void no_friction(const void *self, const jn_road_plugin_query *q, int *hint,
                        jn_road_plugin_answer *a)
{
  (void)self, (void)hint;
  if (q->x > 4) a->friction = 0.0;
}

static void a_road_that_gives_no_number_ends_the_run(void **state)
{
  (void)state;
  const jn_road_plugin_table wrong[] = {{.version = JN_PLUGIN_VERSION, .at = no_height},
                                        {.version = JN_PLUGIN_VERSION, .at = no_friction}};
  for (int k = 0; k < 2; k++) {
    jn_sim_opts o = fine;
    o.road = &wrong[k];
    jt_run r = cart(NULL, &o);
    jn_step_flags flags = JN_STEP_OK;
    int n = 0;
    for (; n < 4000 && flags == JN_STEP_OK; n++) flags = jn_step(r.system, r.data);
    assert_true(n > 100 && n < 4000);
    char text[JN_REMARK];
    assert_non_null(strstr(jn_plugin_fault_text(r.system, r.data, text), "the road \"road\" gave"));
    jt_end(&r);
  }
}

// ---- in lanes -----------------------------------------------------------------------------------------

static const char *const drive =
    "jounce: 1\nscenario: s\nend: 1\nspeed: 12\n"
    "inputs: {wheel.fl.brake: 900, wheel.fr.brake: 900, wheel.rl.brake: 500, wheel.rr.brake: 500}\n"
    "road: {type: flat, friction: 0.9, bank: 0.02, patches: {ice: {y: [0, 9], friction: 0.2, edge: "
    "0.3}, wet: {x: [3, 6], friction: 0.6}}}\n"
    "%s";

static void paths_agree(const char *roads, const jn_road_plugin_table *table, void *self)
{
  char text[1024];
  snprintf(text, sizeof text, drive, roads);
  jt_run r[4];
  for (int p = 0; p < 4; p++) {
    const jn_sim_opts o = {.path = (jn_path)p, .step = 1e-3, .road = table, .road_self = self};
    r[p] = jt_start(jt_load("models/hmmwv.yaml"), text, &o);
    assert_true(p == JN_PATH_GENERAL || r[p].system->lane);
  }
  for (int k = 0; k < 8; k++) {
    for (int p = 0; p < 4; p++) jt_steps(&r[p], 50), jt_row(&r[p]);
    same_rows(&r[JN_PATH_AUTO], &r[JN_PATH_LIST], "list");
    same_rows(&r[JN_PATH_AUTO], &r[JN_PATH_NARROW], "narrow");
    for (int i = 0; i < r[0].system->nwheel; i++) {
      const jn_wheel_state *a = &r[0].data->wheel[i], *b = &r[JN_PATH_GENERAL].data->wheel[i];
      JT_NEAR(a->centre.x, b->centre.x, 1e-5);
      JT_NEAR(a->centre.z, b->centre.z, 1e-5);
      JT_NEAR(a->spin, b->spin, 1e-2);
      JT_NEAR(a->friction, b->friction, 1e-4);
    }
  }
  for (int p = 0; p < 4; p++) jt_end(&r[p]);
}

static void lanes_know_patches_and_roads(void **state)
{
  (void)state;
  called with = {.hints = true};
  paths_agree("", NULL, NULL);
  paths_agree(
      "roads: {kerb: {type: plateau, at: 3, length: 2, height: 0.03, edge: 0.5, wheels: [fr, "
      "rr]}}\n",
      NULL, NULL);
  paths_agree("roads: {kerb: {type: flat, height: 0.01, wheels: rl}}\n", NULL, NULL);
  paths_agree("", &bump_table, &with);
  assert_true(with.kept > 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(friction_of_one_changes_no_bit),
      cmocka_unit_test(forces_follow_similarity),
      cmocka_unit_test(plain_laws_keep_their_slope_and_scale_their_limit),
      cmocka_unit_test(locked_wheels_brake_by_friction),
      cmocka_unit_test(a_patch_is_where_it_is),
      cmocka_unit_test(patches_blend_and_cover),
      cmocka_unit_test(roads_are_printed),
      cmocka_unit_test(ice_under_the_left_turns_to_the_right),
      cmocka_unit_test(all_wheels_on_roads_of_their_own_are_on_one_road),
      cmocka_unit_test(a_road_of_the_caller_is_a_road),
      cmocka_unit_test(a_road_that_gives_no_number_ends_the_run),
      cmocka_unit_test(lanes_know_patches_and_roads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
