// Static balance: equilibria against closed forms and an independent scan, preloads that balance
// the design position, directions that nothing holds, and that what is at rest stays there.
#include "jounce/equilibrium.h"

#include "base/v3.h"
#include "built.h"
#include "cli/command.h"
#include "slow.h"

static built build_with(const char *text, const char *scenario, const jn_compile_opts *opts,
                        jn_integrator integrator)
{
  jn_error err = {0};
  built b = {.spec = jt_parse(text)};
  b.model = jt_compile(b.spec, opts);
  if (scenario)
    jt_ok(jn_scenario_parse(scenario, strlen(scenario), "scenario.yaml", &b.scenario, &err), &err,
          scenario);
  const jn_sim_opts o = {.without_tyres = 1, .integrator = integrator, .step = 1e-3};
  jt_ok(jn_system_create(b.model, b.scenario, &o, &b.system, &err), &err, text);
  jt_ok(jn_data_create(b.system, &b.data, &err), &err, text);
  return b;
}

static built build(const char *text)
{
  return build_with(text, NULL, NULL, JN_INTEGRATOR_RK4);
}

static jn_equilibrium *find(const built *b)
{
  jn_error err = {0};
  jn_equilibrium *e = NULL;
  jt_ok(jn_equilibrium_find(b->system, NULL, &e, &err), &err, b->spec->name);
  return e;
}

static const char *note_with(const built *b, const char *one, const char *two)
{
  const char *line;
  for (int i = 0; (line = jn_system_note(b->system, i)); i++)
    if (strstr(line, one) && strstr(line, two)) return line;
  return NULL;
}

// Largest acceleration of any body in a row: of centres of gravity, and of turning.
static double largest_acceleration(const built *b, const double *row)
{
  static const char *const a[] = {"ax", "ay", "az", "dwx", "dwy", "dwz"};
  double most = 0.0;
  for (int i = 0; i < b->spec->nbody; i++)
    for (int k = 0; k < 6; k++) {
      char name[128];
      snprintf(name, sizeof name, "%s.%s", b->spec->body[i].name, a[k]);
      most = fmax(most, fabs(value_in(b, row, name)));
    }
  return most;
}

static void found(const built *b, const jn_equilibrium *e)
{
  if (!e->found)
    fail_msg("%s: no equilibrium: %g %s at %s", b->spec->name, e->unbalanced, e->worst.unit,
             e->worst.name);
  JT_LE(e->unbalanced,
        1e-9 * e->scale * 10.0);  // 1e-9 of the forces' moment; a lever of 0.1 m and more
}

// It stays where it is, undamped, for a second. What is unbalanced, at most r, moves a stable
// system by at most 2 r / k, which is 2 r / (m w^2); rounding adds up as in a random walk,
// amplified by the softest mode.
static void stays(built *b, const jn_equilibrium *e, double seconds)
{
  double least = INFINITY;
  for (int i = 0; i < e->nmode; i++)
    if (e->mode[i] > 1e-3) least = fmin(least, e->mode[i]);
  jn_equilibrium_apply(b->system, e, b->data);
  assert_int_equal(jn_evaluate(b->system, b->data), JN_STEP_OK);
  double first[1024];
  const int n = jn_channel_count(b->system);
  assert_true(n <= 1024);
  memcpy(first, jn_row(b->data), (size_t)n * sizeof *first);
  // The row at rest is the row of the run.
  for (int i = 0; i < n; i++)
    if (strstr(jn_channel_at(b->system, i).name, ".angle") ||
        strstr(jn_channel_at(b->system, i).name, ".length"))
      JT_NEAR(first[i], e->row[i], 0.0);
  const double a = largest_acceleration(b, first);
  for (int i = 0; i < (int)(seconds * 1e3); i++)
    assert_int_equal(jn_step(b->system, b->data), JN_STEP_OK);
  assert_int_equal(jn_evaluate(b->system, b->data), JN_STEP_OK);
  for (int i = 0; i < b->spec->nbody; i++)
    for (int k = 0; k < 3; k++) {
      char name[128];
      snprintf(name, sizeof name, "%s.%c", b->spec->body[i].name, "xyz"[k]);
      JT_NEAR(value_in(b, jn_row(b->data), name), value_in(b, first, name),
              2.0 * a / least + 1e-11);
    }
}

// ---- closed forms -------------------------------------------------------------------------------

static void mass_hangs_on_its_spring(void **state)
{
  (void)state;
  built b = build(
      "jounce: 1\n"
      "name: mass on a spring\n"
      "bodies:\n  m: {mass: 3, cg: [0, 0, -1], inertia: [1, 1, 1]}\n"
      "joints:\n  guide: {type: translational, bodies: [ground, m], at: [0, 0, -1], axis: [0, 0, "
      "1]}\n"
      "forces:\n  s: {type: tsda, bodies: [ground, m], at: [[0, 0, 0], [0, 0, -1]], stiffness: "
      "400}\n");
  jn_equilibrium *e = find(&b);
  found(&b, e);
  JT_NEAR(value_in(&b, e->row, "joint.guide.position"), -3.0 * 9.81 / 400.0, 1e-15);
  JT_NEAR(value_in(&b, e->row, "force.s.force"), 3.0 * 9.81, 1e-12);
  JT_NEAR(value_in(&b, e->row, "joint.guide.fz"), 0.0, 1e-12);
  assert_int_equal(e->nmode, 1);
  JT_NEAR(e->mode[0], 400.0 / 3.0, 1e-8 * 400.0 / 3.0);
  assert_int_equal(e->nneutral + e->nunheld + e->nunstable, 0);
  stays(&b, e, 1.0);
  jn_equilibrium_free(e);
  drop(&b);
}

static double bisect(double (*f)(double, const double *), const double *p, double low, double high)
{
  const double sign = f(low, p);
  for (int i = 0; i < 200; i++) {
    const double mid = 0.5 * (low + high);
    if (f(mid, p) * sign > 0.0)
      low = mid;
    else
      high = mid;
  }
  return 0.5 * (low + high);
}

static double torsion(double angle, const double *p)  // k a = m g l cos a
{
  return p[0] * angle - p[1] * cos(angle);
}

// A horizontal arm that a torsion spring holds up; softer and softer, up to hanging nearly straight
// down.
static void pendulum_leans_on_its_torsion_spring(void **state)
{
  (void)state;
  static const double k[] = {300.0, 30.0, 3.0, 0.3};
  for (int i = 0; i < 4; i++) {
    char text[1024];
    snprintf(text, sizeof text,
             "jounce: 1\nname: torsion\n"
             "bodies:\n  arm: {mass: 2, cg: [0.7, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
             "joints:\n  hinge: {type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: [0, "
             "1, 0]}\n"
             "forces:\n  s: {type: rsda, joint: hinge, stiffness: %g}\n",
             k[i]);
    const double p[] = {k[i], 2.0 * 9.81 * 0.7}, angle = bisect(torsion, p, 0.0, 0.5 * M_PI);
    built b = build(text);
    jn_equilibrium *e = find(&b);
    found(&b, e);
    JT_NEAR(value_in(&b, e->row, "joint.hinge.angle"), angle, 1e-13);
    const double inertia = 0.1 + 2.0 * 0.7 * 0.7, stiffness = k[i] + p[1] * sin(angle);
    JT_NEAR(e->mode[0], stiffness / inertia, 1e-8 * stiffness / inertia);
    JT_NEAR(value_in(&b, e->row, "joint.hinge.fz"), 2.0 * 9.81, 1e-12);
    stays(&b, e, 1.0);
    jn_equilibrium_free(e);
    drop(&b);
  }
}

// From nearly upright, and from exactly there.
static void pendulum_falls_into_its_stable_position(void **state)
{
  (void)state;
  static const char text[] =
      "jounce: 1\nname: pendulum\n"
      "bodies:\n  arm: {mass: 2, cg: [0, 0, 0.7], inertia: [0.1, 0.1, 0.1]}\n"
      "joints:\n  hinge: {type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0]}\n"
      "initial:\n  hinge: {angle: %g}\n";
  char whole[1024];
  snprintf(whole, sizeof whole, text, 1e-4);
  built b = build(whole);
  jn_equilibrium *e = find(&b);
  found(&b, e);
  JT_NEAR(value_in(&b, e->row, "joint.hinge.angle"), M_PI, 1e-13);
  assert_int_equal(e->nunstable, 0);
  jn_equilibrium_free(e);
  drop(&b);
  snprintf(whole, sizeof whole, text, 0.0);
  b = build(whole);
  e = find(&b);
  found(&b, e);
  JT_NEAR(value_in(&b, e->row, "joint.hinge.angle"), 0.0, 0.0);
  assert_int_equal(e->nunstable, 1);
  assert_string_equal(e->unstable[0].name, "joint \"hinge\", angle");
  const double w2 = -2.0 * 9.81 * 0.7 / (0.1 + 2.0 * 0.49);
  JT_NEAR(e->mode[0], w2, -1e-8 * w2);
  jn_equilibrium_free(e);
  drop(&b);
}

// A follower force across the tip of two links with torsion springs: no potential, and K is not
// symmetric.
//   k2 a2 = F l2,   k1 a1 = F (l2 + l1 cos a2)
static void follower_force_bends_two_links(void **state)
{
  (void)state;
  built b = build(
      "jounce: 1\nname: follower\ngravity: [0, 0, 0]\n"
      "bodies:\n"
      "  one: {mass: 1, cg: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
      "  two: {mass: 1, cg: [1.4, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
      "joints:\n"
      "  a: {type: revolute, bodies: [ground, one], at: [0, 0, 0], axis: [0, -1, 0]}\n"
      "  b: {type: revolute, bodies: [one, two], at: [1, 0, 0], axis: [0, -1, 0]}\n"
      "forces:\n"
      "  ka: {type: rsda, joint: a, stiffness: 20}\n"
      "  kb: {type: rsda, joint: b, stiffness: 10}\n"
      "  f: {type: force, body: two, at: [1.8, 0, 0], force: [0, 0, 12], frame: body}\n");
  jn_equilibrium *e = find(&b);
  found(&b, e);
  const double a2 = 12.0 * 0.8 / 10.0, a1 = 12.0 * (0.8 + cos(a2)) / 20.0;
  JT_NEAR(value_in(&b, e->row, "joint.b.angle"), a2, 1e-12);
  JT_NEAR(value_in(&b, e->row, "joint.a.angle"), a1, 1e-12);
  jn_equilibrium_free(e);
  drop(&b);
}

// ---- a loop against a scan of its potential -----------------------------------------------------

typedef struct four_bar {
  v3 a, b, c,
      d;  // crank pin on the ground, crank to coupler, coupler to rocker, rocker on the ground
  double k, length;
  double m[3];
  v3 cg[3];
} four_bar;

static const four_bar bar = {
    {0, 0, 0}, {0.1, 0, 0.4}, {1.1, 0, 0.7}, {1, 0, 0},
    200,       0.7,           {2, 5, 3},     {{0.05, 0, 0.2}, {0.6, 0, 0.6}, {1.05, 0, 0.35}}};

static v3 rotated(v3 x, double angle)  // about y
{
  return v3_set(cos(angle) * x.x + sin(angle) * x.z, x.y, cos(angle) * x.z - sin(angle) * x.x);
}

// Potential energy at a crank angle: circles meet on the side of the design position.
static double potential(double angle, const four_bar *k)
{
  const v3 b = v3_add(k->a, rotated(v3_sub(k->b, k->a), angle)), to = v3_sub(k->d, b);
  const double l2 = v3_norm(v3_sub(k->c, k->b)), l3 = v3_norm(v3_sub(k->c, k->d)), r = v3_norm(to);
  const double along = (l2 * l2 - l3 * l3 + r * r) / (2.0 * r),
               across = sqrt(l2 * l2 - along * along);
  const v3 u = v3_scale(1.0 / r, to), n = v3_set(-u.z, 0, u.x);
  v3 c = v3_axpy(along, u, v3_axpy(across, n, b));
  const double a2 = atan2(-(c.z - b.z), c.x - b.x) - atan2(-(k->c.z - k->b.z), k->c.x - k->b.x);
  const double a3 =
      atan2(-(c.z - k->d.z), c.x - k->d.x) - atan2(-(k->c.z - k->d.z), k->c.x - k->d.x);
  const double z1 = k->a.z + rotated(v3_sub(k->cg[0], k->a), angle).z,
               z2 = b.z + rotated(v3_sub(k->cg[1], k->b), a2).z;
  const double z3 = k->d.z + rotated(v3_sub(k->cg[2], k->d), a3).z;
  const double stretch =
      v3_norm(v3_sub(c, k->a)) - k->length;  // from the crank's pin to the coupler's end
  return 9.81 * (k->m[0] * z1 + k->m[1] * z2 + k->m[2] * z3) + 0.5 * k->k * stretch * stretch;
}

static double slope(double angle, const double *p)
{
  (void)p;
  const double h = 1e-3;  // of order six: error h^6, rounding over h
  return (45.0 * (potential(angle + h, &bar) - potential(angle - h, &bar)) -
          9.0 * (potential(angle + 2 * h, &bar) - potential(angle - 2 * h, &bar)) +
          potential(angle + 3 * h, &bar) - potential(angle - 3 * h, &bar)) /
         (60.0 * h);
}

static const char four_bar_text[] =
    "jounce: 1\nname: four-bar with a spring\n"
    "bodies:\n"
    "  crank:   {mass: 2, cg: [0.05, 0, 0.2], inertia: [0.05, 0.05, 0.05]}\n"
    "  coupler: {mass: 5, cg: [0.6, 0, 0.6], inertia: [0.2, 0.2, 0.2]}\n"
    "  rocker:  {mass: 3, cg: [1.05, 0, 0.35], inertia: [0.1, 0.1, 0.1]}\n"
    "joints:\n"
    "  a: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  b: {type: revolute, bodies: [crank, coupler], at: [0.1, 0, 0.4], axis: [0, 1, 0]}\n"
    "  c: {type: %s, bodies: [coupler, rocker], at: [1.1, 0, 0.7]%s}\n"
    "  d: {type: revolute, bodies: [rocker, ground], at: [1, 0, 0], axis: [0, 1, 0]}\n"
    "forces:\n"
    "  s: {type: tsda, bodies: [ground, coupler], at: [[0, 0, 0], [1.1, 0, 0.7]], stiffness: 200, "
    "free_length: 0.7}\n";

static void four_bar_rests_where_its_potential_is_least(void **state)
{
  (void)state;
  // Downhill from the design position to the first valley.
  double low = 0.0, high;
  const double step = slope(0.0, NULL) > 0.0 ? -0.01 : 0.01;
  int n = 0;
  while (slope(low + step, NULL) * slope(0.0, NULL) > 0.0 && n++ < 600) low += step;
  high = low + step;
  assert_true(n < 600 && n > 10);  // a motion worth the name
  const double angle = bisect(slope, NULL, low, high);
  static const char *const cuts[] = {"a", "b", "c", "d"};
  for (int spatial = 0; spatial < 2;
       spatial++)  // hinges alone are redundant, with a ball they are not
    for (int k = 0; k < 4; k++) {
      char text[2048];
      snprintf(text, sizeof text, four_bar_text, spatial ? "spherical" : "revolute",
               spatial ? "" : ", axis: [0, 1, 0]");
      built b =
          build_with(text, NULL, &(jn_compile_opts){.cut = &cuts[k], .ncut = 1}, JN_INTEGRATOR_RK4);
      jn_equilibrium *e = find(&b);
      found(&b, e);
      // The scan's slope is good to 1e-15 of 50 J over 1e-3, on a curvature of some 10 J.
      JT_NEAR(value_in(&b, e->row, "joint.a.angle"), angle, 1e-10);
      JT_LE(value_in(&b, e->row, "solver.position_norm"), 1e-13);
      if (k == 0) stays(&b, e, 0.5);
      jn_equilibrium_free(e);
      drop(&b);
    }
}

// ---- neutral, unheld ----------------------------------------------------------------------------

static void a_free_body_is_neutral_without_gravity_and_falls_with_it(void **state)
{
  (void)state;
  static const char text[] =
      "jounce: 1\nname: box\ngravity: [0, %g, 0]\n"
      "bodies:\n  box: {mass: 3, cg: [1, 2, 3], inertia: [1, 2, 2.5]}\n"
      "  lid: {mass: 1, cg: [1, 2.5, 3], inertia: [0.1, 0.1, 0.1]}\n"
      "joints:\n  F: {type: free, bodies: [ground, box]}\n"
      "  hinge: {type: revolute, bodies: [box, lid], at: [1, 2.2, 3], axis: [0, 0, 1]}\n"
      "forces:\n  spring: {type: rsda, joint: hinge, stiffness: 10, free_angle: 0.4}\n";
  char whole[1024];
  snprintf(whole, sizeof whole, text, 0.0);
  built b = build(whole);
  jn_equilibrium *e = find(&b);
  found(&b, e);
  static const char *const names[] = {"along x",         "along y",         "along z",
                                      "turning about x", "turning about y", "turning about z"};
  assert_int_equal(e->nneutral, 6);
  for (int i = 0; i < 6; i++) {
    char name[64];
    snprintf(name, sizeof name, "body \"box\", %s", names[i]);
    assert_string_equal(e->neutral[i].name, name);
  }
  JT_NEAR(value_in(&b, e->row, "joint.hinge.angle"), 0.4, 1e-12);
  jn_equilibrium_free(e);
  drop(&b);

  snprintf(whole, sizeof whole, text, -9.81);
  b = build(whole);
  e = find(&b);
  assert_false(e->found);
  assert_int_equal(e->nunheld, 1);
  assert_int_equal(e->nneutral, 5);
  assert_string_equal(e->unheld[0].name, "body \"box\", along y");
  assert_string_equal(e->unheld[0].unit, "N");
  assert_int_equal(e->unheld[0].weight, 1);
  JT_NEAR(e->unheld[0].force, -4.0 * 9.81, 1e-8);
  JT_NEAR(value_in(&b, e->row, "joint.hinge.angle"), 0.4,
          1e-8);                                     // as it falls, its spring is at ease
  JT_NEAR(value_in(&b, e->row, "box.y"), 2.0, 0.1);  // and it was not dropped to see
  jn_equilibrium_free(e);
  drop(&b);
}

static void what_nothing_holds_is_named(void **state)
{
  (void)state;
  built b = build(
      "jounce: 1\nname: shaft\n"
      "bodies:\n  rotor: {mass: 3, cg: [0, 0, 0], inertia: [1, 1, 1]}\n"
      "joints:\n  shaft: {type: revolute, bodies: [ground, rotor], at: [0, 0, 0], axis: [0, 1, "
      "0]}\n"
      "forces:\n  motor: {type: torque, bodies: [ground, rotor], axis: [0, 1, 0], torque: -7}\n");
  jn_equilibrium *e = find(&b);
  assert_false(e->found);
  assert_int_equal(e->nunheld, 1);
  assert_string_equal(e->unheld[0].name, "joint \"shaft\", angle");
  assert_string_equal(e->unheld[0].unit, "N m");
  assert_int_equal(e->unheld[0].weight, 0);
  JT_NEAR(e->unheld[0].force, -7.0, 1e-12);
  jn_equilibrium_free(e);
  drop(&b);
}

// Nothing resists at first; 0.3 m farther down something does.
static void a_slack_rope_holds_once_it_is_tight(void **state)
{
  (void)state;
  built b = build(
      "jounce: 1\nname: rope\n"
      "bodies:\n  m: {mass: 3, cg: [0, 0, -1], inertia: [1, 1, 1]}\n"
      "joints:\n  guide: {type: translational, bodies: [ground, m], at: [0, 0, -1], axis: [0, 0, "
      "1]}\n"
      "forces:\n  rope: {type: tsda, bodies: [ground, m], at: [[0, 0, 0], [0, 0, -1]], "
      "spring_curve: [[-1, 0], [0.3, 0], [1.3, 1000]]}\n");
  jn_equilibrium *e = find(&b);
  found(&b, e);
  JT_NEAR(value_in(&b, e->row, "joint.guide.position"), -0.3 - 3.0 * 9.81 / 1000.0, 1e-13);
  jn_equilibrium_free(e);
  drop(&b);
}

// ---- vehicles -----------------------------------------------------------------------------------

static void a_vehicle_without_tyres_falls_and_says_so(void **state)
{
  (void)state;
  built b = build("jounce: 1\ninclude: models/hmmwv.yaml\n");
  double mass = 0.0;
  for (int i = 0; i < b.spec->nbody; i++) mass += b.spec->body[i].keys.mass;
  jn_equilibrium *e = find(&b);
  assert_false(e->found);
  assert_int_equal(e->nunheld, 1);
  assert_string_equal(e->unheld[0].name, "body \"chassis\", along z");
  assert_int_equal(e->unheld[0].weight, 1);
  JT_NEAR(e->unheld[0].force, -9.81 * mass, 1e-7 * mass);
  assert_int_equal(e->nneutral, 5);
  jn_equilibrium_free(e);
  drop(&b);
}

// Its chassis on a stand, the wheels droop on their springs: the same from any tree, and it stays.
static void a_vehicle_on_a_stand_droops(void **state)
{
  (void)state;
  static const char text[] =
      "jounce: 1\nname: hmmwv on a stand\ninclude: models/hmmwv.yaml\n"
      "joints:\n  stand: {type: fixed, bodies: [ground, chassis]}\n";
  static const char *const cuts[][4] = {
      {"lca_pivot_fl", "lca_pivot_fr", "lca_pivot_rl", "lca_pivot_rr"},
      {"uca_ball_fl", "lca_ball_fr", "uca_pivot_rl", "tie_rod_rr"}};
  double droop[4] = {0};
  for (int i = 0; i < 3; i++) {
    built b = build_with(text, NULL, i ? &(jn_compile_opts){.cut = cuts[i - 1], .ncut = 4} : NULL,
                         JN_INTEGRATOR_RK4);
    jn_equilibrium *e = find(&b);
    found(&b, e);
    assert_int_equal(e->nneutral, 0);
    assert_int_equal(e->nunstable, 0);
    JT_LE(largest_acceleration(&b, e->row), 1e-9 * 9.81);
    static const char *const wheels[] = {"wheel_fl.z", "wheel_fr.z", "wheel_rl.z", "wheel_rr.z"};
    for (int k = 0; k < 4; k++) {
      const double z = value_in(&b, e->row, wheels[k]);
      if (i) JT_NEAR(z, droop[k], 1e-9);
      droop[k] = z;
    }
    if (!SLOW && i == 0) stays(&b, e, 0.2);
    jn_equilibrium_free(e);
    drop(&b);
  }
}

// It hangs by its wheels from four ropes of 5 m: the base floats, and everything pushes on everything.
static void a_vehicle_hangs_the_same_from_any_base(void **state)
{
  (void)state;
  static const char *const wheels[] = {"wheel_fl", "wheel_fr", "wheel_rl", "wheel_rr"};
  static const char *const bases[] = {NULL, "wheel_rr", "uca_fl"};
  static const double x[] = {1.648579, 1.648579, -1.653405, -1.653405};
  char text[2048] = "jounce: 1\nname: hmmwv on ropes\ninclude: models/hmmwv-002.yaml\nforces:\n";
  for (int k = 0; k < 4; k++) {
    char line[256];
    const double y = k % 2 ? -0.875617 : 0.875617;
    snprintf(line, sizeof line,
             "  rope%d: {type: tsda, bodies: [ground, %s], at: [[%g, %g, 5.453711], [%.9g, %.9g, "
             "0.453711]], stiffness: 400e3}\n",
             k, wheels[k], x[k], y, x[k], y);
    strcat(text, line);
  }
  double first[4][3] = {{0}};
  for (int i = 0; i < 3; i++) {
    built b = build_with(text, NULL, &(jn_compile_opts){.base = bases[i]}, JN_INTEGRATOR_RK4);
    jn_equilibrium *e = find(&b);
    found(&b, e);
    assert_int_equal(e->nneutral + e->nunstable, 0);
    double mass = 0.0, lift = 0.0;
    for (int k = 0; k < b.spec->nbody; k++) mass += b.spec->body[k].keys.mass;
    for (int k = 0; k < 4; k++) {
      char name[64];
      for (int c = 0; c < 3; c++) {
        snprintf(name, sizeof name, "%s.%c", wheels[k], "xyz"[c]);
        const double now = value_in(&b, e->row, name);
        // What is left unbalanced, 1e-9 of 25 kN at the most, on swings of 5 kN/m.
        if (i) JT_NEAR(now, first[k][c], 1e-8);
        first[k][c] = now;
      }
      snprintf(name, sizeof name, "force.rope%d.force", k);
      const double tension = value_in(&b, e->row, name);
      snprintf(name, sizeof name, "force.rope%d.length", k);
      lift += tension * (5.453711 - first[k][2]) / value_in(&b, e->row, name);
    }
    JT_NEAR(lift, 9.81 * mass, 1e-8 * 9.81 * mass);
    JT_LE(largest_acceleration(&b, e->row), 1e-7);
    jn_equilibrium_free(e);
    drop(&b);
  }
}

static void bushings_and_many_bodies_settle(void **state)
{
  (void)state;
  built b = build(
      "jounce: 1\nname: five links on bushings\ninclude: models/five-link-bushings.yaml\n"
      "joints:\n  stand: {type: fixed, bodies: [ground, chassis], at: [0, 0, 0]}\n");
  jn_equilibrium *e = find(&b);
  found(&b, e);
  assert_int_equal(e->nneutral, 1);  // a wheel that is balanced about its axle
  assert_string_equal(e->neutral[0].name, "joint \"bearing\", angle");
  // Rounding of forces of 1e4 N over a link's inertia of 4e-4 kg m2, on levers of 0.1 m.
  JT_LE(largest_acceleration(&b, e->row), 1e-6);
  assert_int_equal(e->nunstable, 0);
  jn_equilibrium_free(e);
  drop(&b);
}

// ---- inputs -------------------------------------------------------------------------------------

static void inputs_are_held_as_they_are_at_the_beginning(void **state)
{
  (void)state;
  static const char text[] =
      "jounce: 1\nname: inputs\n"
      "bodies:\n  m: {mass: 3, cg: [0, 0, -1], inertia: [1, 1, 1]}\n"
      "  n: {mass: 2, cg: [1, 0, 0], inertia: [1, 1, 1]}\n"
      "joints:\n  guide: {type: translational, bodies: [ground, m], at: [0, 0, -1], axis: [0, 0, "
      "1]}\n"
      "  slide: {type: translational, bodies: [m, n], at: [1, 0, 0], axis: [0, 0, 1], motion: "
      "{channel: lift, filter: 0.1}}\n"
      "forces:\n  s: {type: tsda, bodies: [ground, m], at: [[0, 0, 0], [0, 0, -1]], stiffness: "
      "400, channel: pull, lag: 0.1}\n";
  static const char scenario[] =
      "jounce: 1\nscenario: inputs\nend: 1\n"
      "inputs:\n  pull: {type: ramp, end: 1, from: 20, to: 50}\n  lift: {type: ramp, end: 1, from: "
      "0.2, to: 0.5}\n";
  built b = build_with(text, scenario, NULL, JN_INTEGRATOR_RK4);
  jn_equilibrium *e = find(&b);
  found(&b, e);
  JT_NEAR(value_in(&b, e->row, "joint.guide.position"), -(5.0 * 9.81 - 20.0) / 400.0, 1e-14);
  JT_NEAR(value_in(&b, e->row, "joint.slide.position"), 0.2, 0.0);
  JT_NEAR(value_in(&b, e->row, "joint.slide.drive"), 2.0 * 9.81, 1e-11);
  jn_equilibrium_free(e);
  drop(&b);
}

// From the design position on request: the initial one lies in another valley.
static void the_search_may_begin_at_the_design_position(void **state)
{
  (void)state;
  // A leaf that snaps through: two springs in line with a hinge, both positions stable.
  built b = build(
      "jounce: 1\nname: snap\ngravity: [0, 0, 0]\n"
      "bodies:\n  m: {mass: 1, cg: [0, 0, 0.1], inertia: [1, 1, 1]}\n"
      "joints:\n  guide: {type: translational, bodies: [ground, m], at: [0, 0, 0.1], axis: [0, 0, "
      "1]}\n"
      "forces:\n  s: {type: tsda, bodies: [ground, m], at: [[-1, 0, 0], [0, 0, 0.1]], stiffness: "
      "1000, free_length: 1.02}\n"
      "initial:\n  guide: {position: -0.25}\n");
  const double height = sqrt(1.02 * 1.02 - 1.0);
  jn_error err = {0};
  for (int design = 0; design < 2; design++) {
    jn_equilibrium *e = NULL;
    jt_ok(jn_equilibrium_find(b.system, &(jn_equilibrium_opts){.design = design}, &e, &err), &err,
          "snap");
    found(&b, e);
    JT_NEAR(value_in(&b, e->row, "m.z"), design ? height : -height, 1e-10);
    jn_equilibrium_free(e);
  }
  drop(&b);
}

// ---- preloads -----------------------------------------------------------------------------------

static const char quarter_car[] =
    "jounce: 1\nname: quarter car that is level\ninclude: models/quarter-car.yaml\n"
    "forces:\n"
    "  strut: {%s: auto}\n"
    "  tread: {type: tsda, bodies: [ground, knuckle], at: [[0, 0.75, -0.5], [0, 0.75, 0.3]], "
    "stiffness: 200e3, %s: auto}\n"
    "initial: {bearing: {speed: 0}}\n";

static void preloads_balance_the_design_position(void **state)
{
  (void)state;
  static const char *const keys[] = {"preload", "free_length"};
  static const char *const cuts[] = {"LBJ", "LCA_pivot", "UCA_pivot"};
  double force[2] = {0};
  for (int k = 0; k < 2; k++)
    for (int c = 0; c < 3; c++) {
      char text[1024];
      snprintf(text, sizeof text, quarter_car, keys[k], keys[1 - k]);
      built b =
          build_with(text, NULL, &(jn_compile_opts){.cut = &cuts[c], .ncut = 1}, JN_INTEGRATOR_RK4);
      assert_int_equal(jn_evaluate(b.system, b.data), JN_STEP_OK);
      const double *row = jn_row(b.data);
      JT_LE(largest_acceleration(&b, row), 1e-9 * 9.81);
      JT_NEAR(value_in(&b, row, "joint.guide.position"), 0.0, 1e-12);
      // The tread carries the weight of all five bodies, pushing.
      JT_NEAR(value_in(&b, row, "force.tread.force"), -440.0 * 9.81, 1e-8);
      const double strut = value_in(&b, row, "force.strut.force");
      if (force[0] != 0.0) JT_NEAR(strut, force[0], 1e-8 * fabs(force[0]));
      force[0] = strut;
      assert_non_null(note_with(&b, "balanced", "\"strut\""));
      assert_non_null(note_with(&b, "balanced", "\"tread\""));
      assert_null(note_with(&b, "not balanced", ""));
      // So it is in equilibrium, and stays.
      jn_equilibrium *e = find(&b);
      found(&b, e);
      JT_NEAR(value_in(&b, e->row, "joint.LCA_pivot.angle"), 0.0, 1e-10);
      if (c == 0) stays(&b, e, 0.5);
      jn_equilibrium_free(e);
      drop(&b);
    }
}

// Initial values of the file do not matter: the design position is balanced.
static void the_design_position_is_balanced_not_the_initial_one(void **state)
{
  (void)state;
  static const char text[] =
      "jounce: 1\nname: arm\n"
      "bodies:\n  arm: {mass: 2, cg: [0.7, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
      "joints:\n  hinge: {type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0]}\n"
      "forces:\n  s: {type: rsda, joint: hinge, stiffness: 60, damping: 1, %s}\n"
      "initial:\n  hinge: {angle: %g, speed: %g}\n";
  static const char *const keys[] = {
      "preload: auto", "free_angle: auto", "free_angle: auto, spring_polynomial: [10, 0, 500]",
      "free_angle: auto, spring_curve: [[-1, -100], [0, 20], [1, 50]]"};
  const double moment = 2.0 * 9.81 * 0.7;
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 2; i++) {
      char whole[1024];
      snprintf(whole, sizeof whole, text, keys[k], i * 0.2, i * 3.0);
      built b = build(whole);
      assert_int_equal(jn_evaluate(b.system, b.data), JN_STEP_OK);
      if (!i) {
        JT_NEAR(value_in(&b, jn_row(b.data), "force.s.force"), moment, 1e-11);
        JT_LE(largest_acceleration(&b, jn_row(b.data)), 1e-11);
      }
      jn_equilibrium *e = find(&b);
      found(&b, e);
      JT_NEAR(value_in(&b, e->row, "joint.hinge.angle"), 0.0, 1e-11);
      jn_equilibrium_free(e);
      drop(&b);
    }
}

// More springs than directions: of all preloads that hold it the shortest, p = n (n.n)^-1 m g with
// n the springs' directions cosines along the guide; forces and torques alike.
static void surplus_springs_share_by_least_norm(void **state)
{
  (void)state;
  built b = build(
      "jounce: 1\nname: shared\n"
      "bodies:\n  m: {mass: 3, cg: [0, 0, -1], inertia: [1, 1, 1]}\n"
      "joints:\n  guide: {type: translational, bodies: [ground, m], at: [0, 0, -1], axis: [0, 0, "
      "1]}\n"
      "forces:\n"
      "  s1: {type: tsda, bodies: [ground, m], at: [[0, 0, 0], [0, 0, -1]], preload: auto}\n"
      "  s2: {type: tsda, bodies: [ground, m], at: [[3, 0, 3], [0, 0, -1]], stiffness: 1e4, "
      "preload: auto}\n"
      "  s3: {type: tsda, bodies: [m, ground], at: [[0, 0, -1], [0, 0, -2]], stiffness: 1e4, "
      "free_length: auto}\n"
      "  s4: {type: tsda, bodies: [m, ground], at: [[0, 0, -1], [4, 0, -1]], stiffness: 1e4, "
      "preload: auto}\n");
  assert_int_equal(jn_evaluate(b.system, b.data), JN_STEP_OK);
  const double n[] = {1.0, 0.8, -1.0, 0.0}, sum = 1.0 + 0.64 + 1.0;
  static const char *const names[] = {"force.s1.force", "force.s2.force", "force.s3.force",
                                      "force.s4.force"};
  for (int i = 0; i < 4; i++)
    JT_NEAR(value_in(&b, jn_row(b.data), names[i]), n[i] / sum * 3.0 * 9.81, 1e-10);
  JT_LE(largest_acceleration(&b, jn_row(b.data)), 1e-12);
  drop(&b);
}

// A slide that a servo holds carries a weight by a spring, and by a link a second slide: the spring has the weight, as if the slide were
// prescribed, whichever joint of the loop is cut; two servos on one slide are as one.
static void servos_hold_with_whatever_it_takes(void **state)
{
  (void)state;
#define HELD                                                                                     \
  "jounce: 1\nname: held\nbodies:\n"                                                             \
  "  a: {mass: 10, cg: [0, 0, 0], inertia: [1, 1, 1]}\n"                                         \
  "  b: {mass: 5, cg: [0, 0, 1], inertia: [1, 1, 1]}\n"                                          \
  "  c: {mass: 2, cg: [1, 0, 0], inertia: [1, 1, 1]}\n"                                          \
  "joints:\n"                                                                                    \
  "  ga: {type: translational, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"           \
  "  gb: {type: translational, bodies: [ground, b], at: [0, 0, 1], axis: [0, 0, 1]}\n"           \
  "  gc: {type: translational, bodies: [ground, c], at: [1, 0, 0], axis: [0, 0, 1]}\n"           \
  "  link: {type: distance, bodies: [a, c], at: [[0, 0, 0], [1, 0, 0.5]]}\n"                     \
  "forces:\n"                                                                                    \
  "  sv: {type: servo, joint: ga, stiffness: 1e6, damping: 1e3, channel: u}\n"                   \
  "  s: {type: tsda, bodies: [a, b], at: [[0, 0, 0], [0, 0, 1]], stiffness: 1000, free_length: " \
  "auto}\n"
  static const char *const models[] = {
      HELD, HELD "topology: {cut: [ga]}\n", HELD "topology: {cut: [gc]}\n",
      HELD "  more: {type: servo, joint: gc, stiffness: 1e5, damping: 1e3, channel: w}\n"};
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    built b = build(models[i]);
    assert_null(note_with(&b, "not balanced", ""));
    assert_int_equal(jn_evaluate(b.system, b.data), JN_STEP_OK);
    JT_NEAR(value_in(&b, jn_row(b.data), "force.s.force"), -5.0 * 9.81, 1e-9);
    drop(&b);
  }
}

static void what_no_preload_balances_is_named(void **state)
{
  (void)state;
  built b = build(
      "jounce: 1\nname: pushed aside\n"
      "bodies:\n"
      "  sledge: {mass: 3, cg: [0, 0, 0], inertia: [1, 1, 1]}\n"
      "  lift: {mass: 2, cg: [0, 0, 0], inertia: [1, 1, 1]}\n"
      "joints:\n"
      "  rail: {type: translational, bodies: [ground, sledge], at: [0, 0, 0], axis: [1, 0, 0]}\n"
      "  mast: {type: translational, bodies: [sledge, lift], at: [0, 0, 0], axis: [0, 0, 1]}\n"
      "forces:\n"
      "  s: {type: tsda, bodies: [sledge, lift], at: [[0, 0, 1], [0, 0, 0]], stiffness: 1000, "
      "preload: auto}\n"
      "  wind: {type: force, body: lift, force: [7, 0, 0]}\n");
  const char *line = note_with(&b, "not balanced", "\"rail\"");
  assert_non_null(line);
  assert_non_null(strstr(line, "position"));
  assert_non_null(strstr(line, ": 7 N are left"));
  assert_null(note_with(&b, "not balanced", "\"mast\""));
  assert_int_equal(jn_evaluate(b.system, b.data), JN_STEP_OK);
  JT_NEAR(value_in(&b, jn_row(b.data), "force.s.force"), 2.0 * 9.81, 1e-12);
  drop(&b);
  // A vehicle in the air: one line, about its weight.
  b = build(
      "jounce: 1\ninclude: models/open-tree-vehicle.yaml\nforces: {spring_fl: {free_length: "
      "auto}}\n");
  assert_non_null(note_with(&b, "not balanced", "body \"chassis\", along z"));
  drop(&b);
}

// A spring that would have to be shorter than nothing.
static void a_free_length_below_zero_is_refused(void **state)
{
  (void)state;
  static const char text[] =
      "jounce: 1\nname: soft\n"
      "bodies:\n  m: {mass: 3, cg: [0, 0, -1], inertia: [1, 1, 1]}\n"
      "joints:\n  guide: {type: translational, bodies: [ground, m], at: [0, 0, -1], axis: [0, 0, "
      "1]}\n"
      "forces:\n  s: {type: tsda, bodies: [ground, m], at: [[0, 0, 0], [0, 0, -1]], stiffness: 20, "
      "free_length: auto}\n";
  jn_error err = {0};
  jn_spec *spec = jt_parse(text);
  jn_model *model = jt_compile(spec, NULL);
  jn_system *system = NULL;
  assert_int_equal(jn_system_create(model, NULL, NULL, &system, &err), JN_E_RANGE);
  assert_null(system);
  assert_non_null(strstr(err.text, "forces.s"));
  assert_non_null(strstr(err.text, "preload: auto"));
  jn_model_free(model);
  jn_spec_free(spec);
}

// A spring so soft that the deflection is no number.
static void a_deflection_without_bounds_is_refused(void **state)
{
  (void)state;
  static const char text[] =
      "jounce: 1\n"
      "bodies:\n  a: {mass: 1, cg: [1, 0, 0], inertia: [1, 1, 1]}\n"
      "joints:\n  p: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
      "forces:\n  t: {type: rsda, joint: p, stiffness: 5e-324, free_angle: auto}\n";
  jn_error err = {0};
  jn_system *system = NULL;
  jn_spec *spec = jt_parse(text);
  jn_model *model = jt_compile(spec, NULL);
  assert_int_equal(jn_system_create(model, NULL, NULL, &system, &err), JN_E_RANGE);
  assert_non_null(strstr(err.text, "no deflection"));
  jn_model_free(model);
  jn_spec_free(spec);
}

// ---- the command --------------------------------------------------------------------------------

static void the_command_prints_positions_forces_and_failures(void **state)
{
  (void)state;
  static jt_run run;
  jt_command(".", (const char *const[]){"equilibrium", "models/pendulum.yaml", NULL}, &run);
  assert_int_equal(run.code, 0);
  assert_non_null(strstr(run.out, "in equilibrium"));
  assert_non_null(strstr(run.out, "1.57079633"));  // the rod hangs down
  assert_non_null(strstr(run.out, "9.81"));        // and its pin carries it
  jt_command(".",
             (const char *const[]){"equilibrium", "models/hmmwv.yaml", "--without-tyres", NULL},
             &run);
  assert_int_equal(run.code, 1);
  assert_string_equal(run.out, "");
  assert_non_null(strstr(run.err, "nothing holds body \"chassis\", along z, against gravity"));
  jt_command(".", (const char *const[]){"equilibrium", "models/pendulum.yaml", "--json", NULL},
             &run);
  assert_int_equal(run.code, 0);
  assert_non_null(strstr(run.out, "\"found\": true"));
  assert_string_equal(run.err, "");
  jt_command(
      ".",
      (const char *const[]){"equilibrium", "models/hmmwv.yaml", "--json", "--without-tyres", NULL},
      &run);
  assert_int_equal(run.code, 1);
  assert_non_null(strstr(run.out, "\"found\": false"));
  static const char *const wrong[][4] = {{"equilibrium", NULL},
                                         {"equilibrium", "models/pendulum.yaml", "--colour", NULL},
                                         {"equilibrium", "models/pendulum.yaml", "--set", NULL},
                                         {"equilibrium", "models/no-such.yaml", NULL}};
  for (int i = 0; i < 4; i++) {
    jt_command(".", wrong[i], &run);
    assert_int_equal(run.code, 2);
    assert_string_equal(run.out, "");
    assert_true(strlen(run.err) > 20);
  }
}

// Three axles on hinges, the springs of two of them given: wheels cannot balance them. Hinges that lean by next to nothing would let
// them, by loads of 2e8 N; all is as with hinges that do not lean.
static void what_hardly_acts_balances_nothing(void **state)
{
  (void)state;
  static const double lean[] = {0.0, 1e-7, 1e-5}, at[] = {1.4, -0.6, -1.4};
  double force[3];
  for (int k = 0; k < 3; k++) {
    char bodies[600] = "", joints[600] = "", forces[1500] = "", text[3000];
    for (int i = 0; i < 3; i++) {
      const double x = at[i];
      size_t n = strlen(bodies);
      snprintf(bodies + n, sizeof bodies - n,
               "  a%d: {mass: 40, cg: [%g, 0, 0.3], inertia: [3, 2, 3]}\n", i, x);
      n = strlen(joints);
      snprintf(joints + n, sizeof joints - n,
               "  hinge%d: {type: revolute, bodies: [chassis, a%d], at: [%g, 0, 0.3], "
               "axis: [%g, 1, 0]}\n",
               i, i, x + 0.4, lean[k]);
      for (int side = -1; side <= 1; side += 2) {
        n = strlen(forces);
        snprintf(forces + n, sizeof forces - n,
                 "  spring%d%c: {type: tsda, bodies: [chassis, a%d], at: [[%g, %g, 0.6], [%g, %g, "
                 "0.3]], stiffness: 2e4, preload: %s}\n"
                 "  wheel%d%c: {type: wheel, body: a%d, at: [%g, %g, 0.3], inertia: 1, tyre: t}\n",
                 i, side < 0 ? 'r' : 'l', i, x, 0.5 * side, x, 0.5 * side, i < 2 ? "-900" : "auto",
                 i, side < 0 ? 'r' : 'l', i, x, 0.7 * side);
      }
    }
    snprintf(text, sizeof text,
             "jounce: 1\nname: lean\nbodies:\n"
             "  chassis: {mass: 500, cg: [0, 0, 0.5], inertia: [200, 400, 400]}\n%s"
             "joints:\n%styres:\n  t: {type: vertical, radius: 0.31, stiffness: 2e5}\n"
             "forces:\n%s",
             bodies, joints, forces);
    built b = build_with(text, NULL, NULL, JN_INTEGRATOR_RK4);
    assert_int_equal(jn_evaluate(b.system, b.data), JN_STEP_OK);
    force[k] = value_in(&b, jn_row(b.data), "force.spring2l.force");
    JT_NEAR(value_in(&b, jn_row(b.data), "force.spring2r.force"), force[k], 1e-4 * fabs(force[k]));
    assert_non_null(note_with(&b, "not balanced", "hinge0"));
    drop(&b);
  }
  JT_NEAR(force[1], force[0], 0.01 * fabs(force[0]));
  JT_NEAR(force[2], force[1], 1e-4 * fabs(force[0]));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mass_hangs_on_its_spring),
      cmocka_unit_test(pendulum_leans_on_its_torsion_spring),
      cmocka_unit_test(pendulum_falls_into_its_stable_position),
      cmocka_unit_test(follower_force_bends_two_links),
      cmocka_unit_test(four_bar_rests_where_its_potential_is_least),
      cmocka_unit_test(a_free_body_is_neutral_without_gravity_and_falls_with_it),
      cmocka_unit_test(what_nothing_holds_is_named),
      cmocka_unit_test(a_slack_rope_holds_once_it_is_tight),
      cmocka_unit_test(a_vehicle_without_tyres_falls_and_says_so),
      cmocka_unit_test(a_vehicle_on_a_stand_droops),
      cmocka_unit_test(a_vehicle_hangs_the_same_from_any_base),
      cmocka_unit_test(bushings_and_many_bodies_settle),
      cmocka_unit_test(inputs_are_held_as_they_are_at_the_beginning),
      cmocka_unit_test(the_search_may_begin_at_the_design_position),
      cmocka_unit_test(preloads_balance_the_design_position),
      cmocka_unit_test(the_design_position_is_balanced_not_the_initial_one),
      cmocka_unit_test(surplus_springs_share_by_least_norm),
      cmocka_unit_test(servos_hold_with_whatever_it_takes),
      cmocka_unit_test(what_no_preload_balances_is_named),
      cmocka_unit_test(what_hardly_acts_balances_nothing),
      cmocka_unit_test(a_free_length_below_zero_is_refused),
      cmocka_unit_test(a_deflection_without_bounds_is_refused),
      cmocka_unit_test(the_command_prints_positions_forces_and_failures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
