// What the file leaves open is chosen by geometry: preloads that balance, initial positions and velocities that are given too often or
// too seldom. Not by names, not by the order of the file, not by the tree.
#include "built.h"
#include "jounce/equilibrium.h"
#include "plan/system.h"
#include "reorder.h"
#include "slow.h"
#include "spec/spec_internal.h"

// ---- subjects ---------------------------------------------------------------------------------------

typedef struct subject {
  const char *what, *file;
  const char *set[8];    // overrides
  const char *initial;   // more initial values
  int complaints;        // entries that cannot be met, at least
  const char *scenario;  // NULL: none
} subject;

#define ALL_SPRINGS                                                      \
  {                                                                      \
    "forces.spring_fl.preload=auto", "forces.spring_fr.preload=auto",    \
        "forces.spring_rl.preload=auto", "forces.spring_rr.preload=auto" \
  }
#define FREE_LENGTHS                                                             \
  {                                                                              \
    "forces.spring_fl.free_length=auto", "forces.spring_fr.free_length=auto",    \
        "forces.spring_rl.free_length=auto", "forces.spring_rr.free_length=auto" \
  }
#define FRONT_SPRINGS                                                \
  {                                                                  \
    "forces.spring_fl.preload=auto", "forces.spring_fr.preload=auto" \
  }

static const subject subjects[] = {
    {"free lengths", "models/hmmwv.yaml", {NULL}, "", 0, NULL},
    {"preloads", "models/peer-vehicle.yaml", ALL_SPRINGS, "", 0, NULL},
    {"preloads of the front", "models/peer-vehicle.yaml", FRONT_SPRINGS, "", 0, NULL},
    {"preloads", "models/passenger-car.yaml", ALL_SPRINGS, "", 0, NULL},
    {"preloads, that of a torsion spring too",
     "models/passenger-car.yaml",
     {"forces.spring_fl.preload=auto", "forces.spring_fr.preload=auto", "forces.beam.preload=auto"},
     "",
     0,
     NULL},
    {"free lengths of the front",
     "models/hmmwv.yaml",
     {"forces.spring_rl.free_length=0.34", "forces.spring_rr.free_length=0.35"},
     "",
     0,
     NULL},
    {"preload", "models/quarter-car.yaml", {"forces.strut.preload=auto"}, "", 0, NULL},
    {"velocities that contradict each other",
     "models/peer-vehicle.yaml",
     {NULL},
     "  upright_fl: {velocity: [14, 0.3, 0.2]}\n  lca_pivot_fl: {speed: 0.4}\n"
     "  uca_pivot_fl: {speed: -0.3}\n  lca_pivot_rr: {speed: 0.2}\n  rack: {angular_velocity: "
     "[0.1, 0.2, "
     "0.3]}\n  rack_guide: {speed: 0.1}\n",
     2,
     NULL},
    {"velocities that leave much open",
     "models/passenger-car.yaml",
     {NULL},
     "  rack_guide: {speed: 0.1}\n  lca_pivot_fl: {speed: 0.4}\n",
     0,
     NULL},
    {"velocities of wheels alone",
     "models/hmmwv.yaml",
     {NULL},
     "  wheel_fl: {velocity: [3, 0, 0.5]}\n  wheel_rr: {velocity: [3.2, 0.1, 0], "
     "angular_velocity: [0, 0, 0.4]}\n",
     0,
     NULL},
    {"positions that leave much open",
     "models/peer-vehicle.yaml",
     {NULL},
     "  rack_guide: {position: 0.03}\n  lca_pivot_rl: {angle: 0.15}\n",
     0,
     NULL},
    {"positions that contradict each other",
     "models/peer-vehicle.yaml",
     {NULL},
     "  rack_guide: {position: 0.02}\n  lca_pivot_fl: {angle: 0.12}\n  uca_pivot_fl: {angle: "
     "-0.05}\n",
     2,
     NULL},
    {"velocities beside a prescribed one",
     "models/peer-vehicle.yaml",
     {"joints.lca_pivot_rl.motion={curve: {points: [[0, 0], [1, 0.4]]}}"},
     "  rack_guide: {speed: 0.1}\n",
     0,
     NULL},
    {"velocity of a cab that springs alone hold, to two bodies",
     "models/peer-vehicle.yaml",
     {"bodies.cab={mass: 300, cg: [0.3, 0.1, 1.1], inertia: [60, 70, 80]}",
      "forces.mount_c={type: tsda, bodies: [chassis, cab], at: [[0.5, 0.4, 0.7], [0.5, 0.4, 0.9]], "
      "stiffness: 2e5, free_length: 0.2}",
      "forces.mount_a={type: tsda, bodies: [lca_fl, cab], at: [[1.3, 0.5, 0.2], [0.5, 0.4, 0.9]], "
      "stiffness: 2e5, free_length: 1}"},
     "  lca_pivot_fl: {speed: 0.4}\n",
     0,
     NULL},
    {"a crank", "models/slider-crank.yaml", {NULL}, "", 0, NULL},
    // Rolling radii depend on the load, which the damping of a tyre would make of velocities.
    {"spins of wheels that a motion lifts",
     "models/hmmwv-mf.yaml",
     {"joints.lca_pivot_rl.motion={curve: {points: [[0, 0], [1, 0.4]]}}",
      "forces.spring_rl.free_length=0.34", "tyres.mf.coefficients.VERTICAL_DAMPING=3000"},
     "",
     0,
     "jounce: 1\nscenario: rolls\nend: 1\nspeed: 20\n"},
    {"spins of wheel bodies that a motion lifts",
     "models/passenger-car-mf.yaml",
     {"joints.lca_pivot_fl.motion={curve: {points: [[0, 0], [1, 0.4]]}}",
      "tyres.mf.coefficients.VERTICAL_DAMPING=3000"},
     "",
     0,
     "jounce: 1\nscenario: rolls\nend: 1\nspeed: 20\n"},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static char *with_initial(const char *text, const char *initial)
{
  static const char section[] = "initial:\n";
  const size_t n = strlen(initial);
  char *all = malloc(strlen(text) + n + sizeof section);
  strcpy(all, text);
  if (!strstr(all, section)) strcat(all, section);
  char *at = strstr(all, section) + sizeof section - 1;
  memmove(at + n, at, strlen(at) + 1);
  memcpy(at, initial, n);
  return all;
}

static jn_spec *load(const subject *c)
{
  jn_error err = {0};
  jn_spec *spec = NULL;
  int n = 0;
  while (n < 8 && c->set[n]) n++;
  jt_ok(jn_spec_load(c->file, c->set, n, &spec, &err), &err, c->file);
  if (!c->initial[0]) return spec;
  char *text = jt_print(spec), *all = with_initial(text, c->initial);
  jn_spec_free(spec);
  spec = jt_parse(all);
  free(text), free(all);
  return spec;
}

// Points moved by some millimetres, masses changed: no two corners alike.
static void disturb(jt_random *r, jn_spec *s)
{
  for (int i = 0; i < s->nbody; i++) s->body[i].keys.mass *= jt_random_in(r, 0.9, 1.2);
  for (int i = 0; i < s->njoint; i++) {
    jn_vectors *at = &s->joint[i].keys.at;
    const bool rod = s->joint[i].kind == JN_JOINT_DISTANCE;
    for (int k = 0; k < 3 * at->n && (at->n == 1 || rod); k++)
      at->v[k / 3][k % 3] += jt_random_in(r, -4e-3, 4e-3);
  }
  for (int i = 0; i < s->nforce; i++)
    for (int k = 0; k < 6 && s->force[i].kind == JN_FORCE_TSDA; k++)
      s->force[i].as.tsda.at.v[k / 3][k % 3] += jt_random_in(r, -4e-3, 4e-3);
}

// ---- other names ------------------------------------------------------------------------------------

typedef struct names {
  char (*body)[32], (*joint)[32], (*force)[32];
} names;

static void invent(jt_random *r, char name[32], char kind, int i)
{
  snprintf(name, 32, "%c%c%c%d", 'a' + jt_random_below(r, 26), 'a' + jt_random_below(r, 26), kind,
           i);
}

// The same model in another order, with names of its own for everything.
static jn_spec *renamed(jt_random *r, const jn_spec *spec, names *to)
{
  char *text = jt_print(spec);
  jn_spec *copy = jt_parse(text);
  // The printed file is in the order of the spec, entry by entry.
  to->body = calloc((size_t)spec->nbody + 1, sizeof *to->body);
  to->joint = calloc((size_t)spec->njoint + 1, sizeof *to->joint);
  to->force = calloc((size_t)spec->nforce + 1, sizeof *to->force);
  for (int i = 0; i < spec->nbody; i++) {
    assert_string_equal(copy->body[i].name, spec->body[i].name);
    invent(r, to->body[i], 'b', i), copy->body[i].name = to->body[i];
  }
  for (int i = 0; i < spec->njoint; i++) {
    assert_string_equal(copy->joint[i].name, spec->joint[i].name);
    invent(r, to->joint[i], 'j', i), copy->joint[i].name = to->joint[i];
  }
  for (int i = 0; i < spec->nforce; i++) {
    assert_string_equal(copy->force[i].name, spec->force[i].name);
    invent(r, to->force[i], 'f', i), copy->force[i].name = to->force[i];
  }
  char *other = jt_print(copy), *mixed = jt_reordered(r, other);
  jn_spec_free(copy);
  copy = jt_parse(mixed);
  free(text), free(other), free(mixed);
  return copy;
}

static void forget(names *n)
{
  free(n->body), free(n->joint), free(n->force);
}

// ---- comparing --------------------------------------------------------------------------------------

static bool build(jn_spec *spec, const jn_compile_opts *opts, const char *scenario, built *b)
{
  jn_error err = {0};
  *b = (built){.spec = spec};
  if (scenario)
    jt_ok(jn_scenario_parse(scenario, strlen(scenario), "scenario.yaml", &b->scenario, &err), &err,
          spec->name);
  if (jn_model_compile(spec, opts, &b->model, &err)) {
    drop(b);
    return false;
  }
  jt_ok(jn_system_create(b->model, b->scenario, &(jn_sim_opts){.path = JN_PATH_GENERAL}, &b->system,
                         &err),
        &err, spec->name);
  jt_ok(jn_data_create(b->system, &b->data, &err), &err, spec->name);
  assert_int_equal(jn_evaluate(b->system, b->data), JN_STEP_OK);
  return true;
}

typedef struct difference {
  double position, velocity, force;  // m or rad; m/s or rad/s; parts of the largest
} difference;

static double channel(const built *b, const double *row, const char *group, const char *name,
                      const char *what)
{
  char text[200];
  snprintf(text, sizeof text, "%s%s%s", group, name, what);
  const int c = jn_channel_find(b->system, text);
  return c < 0 ? NAN : row[c];
}

// NULL: by the same names.
static difference compare(const built *a, const double *x, const built *b, const double *y,
                          const names *to)
{
  static const char *const p[] = {".x", ".y", ".z", ".roll", ".pitch", ".yaw"};
  static const char *const v[] = {".vx", ".vy", ".vz", ".wx", ".wy", ".wz"};
  difference d = {0};
  double most = 0.0;
  for (int i = 0; i < a->spec->nbody; i++) {
    const char *mine = a->spec->body[i].name, *theirs = to ? to->body[i] : mine;
    for (int k = 0; k < 6; k++) {
      d.position =
          fmax(d.position,
               fabs(remainder(channel(a, x, "", mine, p[k]) - channel(b, y, "", theirs, p[k]),
                              k < 3 ? 1e9 : 2.0 * M_PI)));
      d.velocity =
          fmax(d.velocity, fabs(channel(a, x, "", mine, v[k]) - channel(b, y, "", theirs, v[k])));
    }
  }
  for (int i = 0; i < a->spec->nforce; i++) {
    const char *mine = a->spec->force[i].name, *theirs = to ? to->force[i] : mine;
    const double spin = channel(a, x, "wheel.", mine, ".speed"),
                 turns = channel(b, y, "wheel.", theirs, ".speed");
    if (!isnan(spin)) d.velocity = fmax(d.velocity, fabs(spin - turns));
    const double here = channel(a, x, "force.", mine, ".force"),
                 there = channel(b, y, "force.", theirs, ".force");
    if (isnan(here)) continue;
    most = fmax(most, fabs(here));
    d.force = fmax(d.force, fabs(here - there));
  }
  d.force /= fmax(most, 1.0);
  return d;
}

static int complaints(const built *b)
{
  int n = 0;
  const char *line;
  for (int i = 0; (line = jn_system_note(b->system, i)); i++)
    n += strstr(line, "does not fit") != NULL;
  return n;
}

static void keep(difference *most, difference d)
{
  most->position = fmax(most->position, d.position);
  most->velocity = fmax(most->velocity, d.velocity);
  most->force = fmax(most->force, d.force);
}

// Iterations end within some units of 1e-14 rad, or of the loops' size, and a hundred is allowed for what conditioning adds. Velocities of up
// to 35 rad/s follow from positions, and forces over 1e4 N from springs of up to 1e6 N/m: a hundred again.
static const difference ALLOWED = {1e-12, 1e-10, 1e-10};

static void check_subject(jt_random *r, const subject *c, bool disturbed)
{
  jn_spec *spec = load(c);
  if (disturbed) disturb(r, spec);
  char *text = jt_print(spec);
  built first, other;
  assert_true(build(spec, NULL, c->scenario, &first));
  difference by_name = {0}, by_tree = {0};
  assert_true(complaints(&first) >= c->complaints);
  for (int k = 0; k < (SLOW ? 2 : 8); k++) {
    names to;
    assert_true(build(renamed(r, spec, &to), NULL, c->scenario, &other));
    keep(&by_name, compare(&first, jn_row(first.data), &other, jn_row(other.data), &to));
    assert_int_equal(complaints(&first), complaints(&other));
    drop(&other);
    forget(&to);
  }
  for (int k = 0; k < spec->nbody + spec->njoint; k += SLOW ? 7 : 1) {
    const char *name = k < spec->nbody ? spec->body[k].name : spec->joint[k - spec->nbody].name;
    jn_compile_opts o = {0};
    if (k < spec->nbody)
      o.base = name;
    else
      o.cut = &name, o.ncut = 1;
    if (!build(jt_parse(text), &o, c->scenario, &other)) continue;
    const difference d = compare(&first, jn_row(first.data), &other, jn_row(other.data), NULL);
    if (d.position > ALLOWED.position || d.velocity > ALLOWED.velocity || d.force > ALLOWED.force)
      print_message("  with %s: %.1e %.1e %.1e\n", name, d.position, d.velocity, d.force);
    keep(&by_tree, d);
    drop(&other);
  }
  print_message("%-40s %-28s names: %.0e m %.0e m/s %.0e   trees: %.0e m %.0e m/s %.0e\n", c->what,
                c->file, by_name.position, by_name.velocity, by_name.force, by_tree.position,
                by_tree.velocity, by_tree.force);
  keep(&by_name, by_tree);
  JT_LE(by_name.position, ALLOWED.position);
  JT_LE(by_name.velocity, ALLOWED.velocity);
  JT_LE(by_name.force, ALLOWED.force);
  drop(&first);
  free(text);
}

static void names_order_and_tree_are_no_matter(void **state)
{
  (void)state;
  jt_random r = {23};
  for (int i = 0; i < SUBJECTS; i++) check_subject(&r, &subjects[i], false);
}

static void nor_are_they_where_no_two_corners_are_alike(void **state)
{
  (void)state;
  jt_random r = {29};
  for (int i = 0; i < SUBJECTS; i++) check_subject(&r, &subjects[i], true);
}

// What one force element alone holds moves with what it is held to, also where velocities have to be solved for.
static void what_a_bushing_holds_moves_with_its_arm(void **state)
{
  (void)state;
  static const subject c = {
      "",
      "models/peer-vehicle.yaml",
      {"bodies.box={mass: 9, cg: [1.4, 0.6, 0.4], inertia: [0.3, 0.3, 0.3]}",
       "forces.hold={type: bushing, bodies: [lca_fl, box], at: [1.4, 0.6, 0.4], "
       "stiffness: [3e4, 3e4, 3e4], rotational_stiffness: [500, 500, 500]}"},
      "  lca_pivot_fl: {speed: 0.4}\n",
      0,
      NULL};
  static const char *const w[] = {".wx", ".wy", ".wz"};
  built b;
  assert_true(build(load(&c), NULL, NULL, &b));
  const double *row = jn_row(b.data);
  for (int k = 0; k < 3; k++)
    JT_LE(fabs(channel(&b, row, "", "box", w[k]) - channel(&b, row, "", "lca_fl", w[k])), 1e-12);
  assert_true(fabs(channel(&b, row, "", "box", ".wx")) > 0.3);
  drop(&b);
}

// What an arm and a spring hold moves with both, as little as it can. The same wheel as a body on a bearing, or within its arm:
// centre of gravity, joint points and masses of bodies are others, the motion is the same.
static void a_wheel_of_its_own_changes_nothing(void **state)
{
  (void)state;
  static const char model[] =
      "jounce: 1\nname: axle\nbodies:\n"
      "  axle: {mass: 4, cg: [-1.5, 0.53, 0.22], inertia: [0.02, 0.02, 0.02]}\n"
      "  bracket: {mass: 1, cg: [-1.4, 0.64, 0.11], inertia: [0.005, 0.005, 0.005]}\n%s"
      "tyres:\n  t: {type: vertical, radius: 0.247, stiffness: 5e4}\nforces:\n"
      "  bush: {type: bushing, bodies: [axle, bracket], at: [-1.4, 0.64, 0.11]}\n"
      "  spring: {type: tsda, bodies: [bracket, arm], at: [[-1.3, 0.54, 0.09], [-1.6, -0.42, "
      "0.27]]}\n%s"
      "joints:\n  pivot: {type: revolute, bodies: [axle, arm], at: [-1.5, -0.27, 0.26], axis: [1, "
      "0, 0]}\n%s"
      "initial:\n  pivot: {speed: -0.3}\n";
  // 4 kg at (-1.5, -0.54, 0.24) and 3 kg at (-1.5, -0.75, 0.24), farther out than any other point: 12/7 kg times 0.21 m squared.
  static const char *const parts[2][3] = {
      {"  arm: {mass: 7, cg: [-1.5, -0.63, 0.24], inertia: [0.2356, 0.12, 0.2356]}\n",
       "  wheel: {type: wheel, body: arm, at: [-1.5, -0.75, 0.24], inertia: 0.1, tyre: t}\n", ""},
      {"  arm: {mass: 4, cg: [-1.5, -0.54, 0.24], inertia: [0.06, 0.02, 0.06]}\n"
       "  rim: {mass: 3, cg: [-1.5, -0.75, 0.24], inertia: [0.1, 0.1, 0.1]}\n",
       "  wheel: {type: tyre, body: rim, at: [-1.5, -0.75, 0.24], tyre: t}\n",
       "  bearing: {type: revolute, bodies: [arm, rim], at: [-1.5, -0.65, 0.24], axis: [0, 1, "
       "0]}\n"}};
  static const char *const seen[] = {"axle.vz",    "axle.wx",    "arm.wx",
                                     "bracket.vy", "bracket.vz", "bracket.wx"};
  double first[sizeof seen / sizeof *seen];
  for (int k = 0; k < 2; k++) {
    char text[2000];
    snprintf(text, sizeof text, model, parts[k][0], parts[k][1], parts[k][2]);
    built b;
    assert_true(build(jt_parse(text), NULL, NULL, &b));
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
      const double x = jn_row(b.data)[jn_channel_find(b.system, seen[i])];
      if (k) JT_NEAR(x, first[i], 1e-12);
      first[i] = x;
    }
    JT_LE(0.01, fabs(first[5]));
    drop(&b);
  }
}

// What a spring alone holds to a sliding limb goes with it to where the file has it, also where the tree hangs the limb's
// vehicle on that by another body, and no loop has to be closed.
static void a_pad_at_a_limb_moves_with_it(void **state)
{
  (void)state;
  built b;
  assert_true(build(
      jt_parse(
          "jounce: 1\nname: limb\nbodies:\n"
          "  chassis: {mass: 3450, cg: [-0.4, 0, 0.76], inertia: [3077, 4121, 4460]}\n"
          "  limb: {mass: 90, cg: [-0.15, 0.03, 0.62], inertia: [0.6, 1.1, 1.1]}\n"
          "  pad: {mass: 103, cg: [-0.9, 2.26, 1.05], inertia: [2.2, 1.5, 2.3]}\n"
          "joints:\n  slide: {type: translational, bodies: [chassis, limb], at: [-0.26, 0.04, "
          "0.7], axis: [0, 1, 0]}\n"
          "forces:\n  keep: {type: bushing, bodies: [ground, pad], at: [-0.9, 2.26, 1.05]}\n"
          "  tie: {type: tsda, bodies: [limb, pad], at: [[-0.05, -0.06, 0.7], [-1.1, 2, 0.9]]}\n"
          "initial:\n  slide: {position: 0.036}\n"),
      NULL, NULL, &b));
  const double *row = jn_row(b.data);
  JT_NEAR(channel(&b, row, "", "chassis", ".y"), 0.0, 1e-12);
  JT_NEAR(channel(&b, row, "", "limb", ".y"), 0.03 + 0.036, 1e-12);
  JT_NEAR(channel(&b, row, "", "pad", ".y"), 2.26 + 0.036, 1e-12);
  drop(&b);
}

// What a driver has to move is the vehicle with all that springs hold to it, whichever body is the base, and not what a spring ties it
// to: the defaults of its law go by that mass.
static void a_driver_moves_the_same_mass_on_any_base(void **state)
{
  (void)state;
  static const char scenario[] =
      "jounce: 1\nscenario: cruise\nend: 1\ndrivers: {cruise: {type: speed, body: chassis, wheels: "
      "[l, r], "
      "speed: 1}}\n";
  static const char *const base[] = {"chassis", "box"};
  static const char *const afloat[] = {"", "  afloat: {type: free, bodies: [ground, chassis]}\n"};
  double first = 0.0;
  for (int k = 0; k < 3; k++) {
    char text[1600];
    snprintf(
        text, sizeof text,
        "jounce: 1\nname: car\nbodies:\n"
        "  chassis: {mass: 2000, cg: [0, 0, 0.7], inertia: [2400, 2600, 2400]}\n"
        "  box: {mass: 90, cg: [-0.6, 0.3, 1.5], inertia: [4, 2, 3]}\n"
        "  post: {mass: 500, cg: [0.5, 0, 1], inertia: [50, 50, 50]}\n"
        "joints:\n  rail: {type: translational, bodies: [ground, post], at: [0.5, 0, 1], axis: "
        "[1, 0, 0]}\n%s"
        "tyres:\n  t: {type: linear, radius: 0.4, stiffness: 2e5, slip_stiffness: 9e4, "
        "cornering_stiffness: 4e4, load: 6000, friction: 1}\nforces:\n"
        "  l: {type: wheel, body: chassis, at: [0, 0.8, 0.35], inertia: 2, tyre: t}\n"
        "  r: {type: wheel, body: chassis, at: [0, -0.8, 0.35], inertia: 2, tyre: t}\n"
        "  mount: {type: bushing, bodies: [chassis, box], at: [-0.6, 0.3, 1.5]}\n"
        "  rope: {type: tsda, bodies: [chassis, ground], at: [[-0.2, 0, 0.7], [-3, 0, 0.7]]}\n"
        "  spring: {type: tsda, bodies: [chassis, post], at: [[0.2, 0, 0.7], [0.5, 0, 1]]}\n"
        "topology: {base: %s}\n",
        afloat[k > 1], base[k % 2]);
    built b;
    assert_true(build(jt_parse(text), NULL, scenario, &b));
    const double torque = jn_row(b.data)[jn_channel_find(b.system, "driver.cruise.torque")];
    if (k) JT_NEAR(torque, first, 1e-10 * fabs(first));
    first = torque;
    drop(&b);
  }
  // (2,000 + 90 + 2 * 2 / 0.4^2) kg, 0.4 m, an error of 1 m/s in 1 s
  JT_NEAR(first, (2090.0 + 4.0 / 0.16) * 0.4, 1e-9);
}

// What springs hold to two bodies that turn against each other is where it is against these, whichever way the vehicle stands: the way to
// there is gone in as many stages.
static void parts_are_placed_alike_wherever_a_vehicle_stands(void **state)
{
  (void)state;
  static const char *const placed[][2] = {{"", ""},
                                          {"  placed: {type: free, bodies: [ground, chassis]}\n",
                                           "  placed: {orientation: [0, 0, 1.8]}\n"}};
  double apart[2];
  for (int k = 0; k < 2; k++) {
    char text[1400];
    snprintf(
        text, sizeof text,
        "jounce: 1\nname: parts\nbodies:\n"
        "  chassis: {mass: 3450, cg: [-0.4, 0, 0.76], inertia: [3077, 4121, 4460]}\n"
        "  arm: {mass: 90, cg: [-0.15, 0.5, 0.62], inertia: [0.6, 1.1, 1.1]}\n"
        "  pad: {mass: 20, cg: [0.2, 0.9, 0.7], inertia: [0.2, 0.5, 0.3]}\n"
        "joints:\n  pivot: {type: revolute, bodies: [chassis, arm], at: [-0.2, 0.1, 0.6], axis: "
        "[1, 0, 0.2]}\n%s"
        "forces:\n  bush: {type: bushing, bodies: [arm, pad], at: [0.1, 0.8, 0.7]}\n"
        "  tie: {type: tsda, bodies: [pad, chassis], at: [[0.3, 1, 0.8], [-0.5, 0.2, 1]]}\n"
        "initial:\n  pivot: {angle: 0.09}\n%s",
        placed[k][0], placed[k][1]);
    built b;
    assert_true(build(jt_parse(text), NULL, NULL, &b));
    const double *row = jn_row(b.data);
    double square = 0.0;
    for (int i = 0; i < 3; i++) {
      static const char *const axis[] = {".x", ".y", ".z"};
      const double d =
          channel(&b, row, "", "pad", axis[i]) - channel(&b, row, "", "chassis", axis[i]);
      square += d * d;
    }
    apart[k] = sqrt(square);
    drop(&b);
  }
  JT_NEAR(apart[0], apart[1], 1e-12);
}

// ---- equilibrium ------------------------------------------------------------------------------------

static jn_equilibrium *balance(const built *b)
{
  jn_error err = {0};
  jn_equilibrium *e = NULL;
  jt_ok(jn_equilibrium_find(b->system, NULL, &e, &err), &err, b->spec->name);
  assert_true(e->found);
  return e;
}

// Forces, and the place along what nothing holds: the vehicle on the road, wheels that turn. Where nothing holds, differences of forces
// distinguish a direction from its neighbours to ten digits.
static void equilibria_are_no_matter_of_names_and_trees(void **state)
{
  (void)state;
  static const subject files[] = {
      {"", "models/peer-vehicle.yaml", {NULL}, "", 0, NULL},
      {"", "models/hmmwv.yaml", {NULL}, "", 0, NULL},
      {"", "models/passenger-car.yaml", {NULL}, "", 0, NULL},
      {"", "models/quarter-car.yaml", {NULL}, "", 0, NULL},
      {"", "models/five-link-joints.yaml", {NULL}, "", 0, NULL},
      {"", "models/tractor-semitrailer.yaml", {NULL}, "", 0, NULL},
  };
  jt_random r = {31};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    jn_spec *spec = load(&files[i]);
    char *text = jt_print(spec);
    built first, other;
    assert_true(build(spec, NULL, NULL, &first));
    jn_equilibrium *e = balance(&first), *g;
    difference most = {0};
    for (int k = 0; k < spec->nbody; k += SLOW ? 5 : 1) {
      names to;
      const jn_compile_opts o = {.base = spec->body[k].name};
      if (build(jt_parse(text), &o, NULL, &other)) {
        g = balance(&other);
        keep(&most, compare(&first, e->row, &other, g->row, NULL));
        jn_equilibrium_free(g), drop(&other);
      }
      assert_true(build(renamed(&r, spec, &to), NULL, NULL, &other));
      g = balance(&other);
      keep(&most, compare(&first, e->row, &other, g->row, &to));
      jn_equilibrium_free(g), drop(&other), forget(&to);
    }
    print_message("%-32s apart by %.1e m, %.1e of the largest force\n", files[i].file,
                  most.position, most.force);
    JT_LE(most.position, 1e-9);
    JT_LE(most.force, 1e-10);
    jn_equilibrium_free(e), drop(&first);
    free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_order_and_tree_are_no_matter),
      cmocka_unit_test(nor_are_they_where_no_two_corners_are_alike),
      cmocka_unit_test(what_a_bushing_holds_moves_with_its_arm),
      cmocka_unit_test(a_wheel_of_its_own_changes_nothing),
      cmocka_unit_test(a_pad_at_a_limb_moves_with_it),
      cmocka_unit_test(a_driver_moves_the_same_mass_on_any_base),
      cmocka_unit_test(parts_are_placed_alike_wherever_a_vehicle_stands),
      cmocka_unit_test(equilibria_are_no_matter_of_names_and_trees),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
