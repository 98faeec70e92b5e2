// What a wheel's heading is measured against is a matter of the mechanism: not of base, cut joints, names and order.
#include <glob.h>

#include "plan/system.h"
#include "reorder.h"
#include "run_case.h"
#include "slow.h"

// ---- which body -------------------------------------------------------------------------------------

#define HEAD                                                                        \
  "jounce: 1\nname: unit\n"                                                         \
  "tyres:\n  t: {type: linear, radius: 0.33, stiffness: 2e5, slip_stiffness: 6e4, " \
  "cornering_stiffness: 5e4, load: 4e3, friction: 0.95}\n"
#define BODY(name, mass, x, y, z) \
  "  " name ": {mass: " mass ", cg: [" x ", " y ", " z "], inertia: [10, 10, 10]}\n"
#define WHEEL(name, body, x, y) \
  "  " name ": {type: wheel, body: " body ", at: [" x ", " y ", 0.32], inertia: 1, tyre: t}\n"
#define PAIR(body, x) WHEEL(body "_l", body, x, "0.7") WHEEL(body "_r", body, x, "-0.7")
#define SPRING(name, a, b, x, y)                                                          \
  "  " name ": {type: tsda, bodies: [" a ", " b "], at: [[" x ", " y ", 0.7], [" x ", " y \
  ", 0.35]], stiffness: 3e4}\n"

typedef struct unit_case {
  const char *what, *text;
  const char *expected;  // "wheel body wheel body ...", of all wheels
} unit_case;

// A solid axle in front and one at the rear, whatever joins them to the frame.
#define AXLES                               \
  BODY("frame", "1200", "-1.3", "0", "0.6") \
  BODY("front", "80", "0", "0", "0.32") BODY("rear", "120", "-2.6", "0", "0.32")
#define AXLE_SPRINGS                           \
  SPRING("sfl", "frame", "front", "0", "0.5")  \
  SPRING("sfr", "frame", "front", "0", "-0.5") \
  SPRING("srl", "frame", "rear", "-2.6", "0.5") SPRING("srr", "frame", "rear", "-2.6", "-0.5")
#define AXLE_WHEELS PAIR("front", "0") PAIR("rear", "-2.6")
#define ON_FRAME    "front_l frame front_r frame rear_l frame rear_r frame"

static const unit_case cases[] = {
    {"wheels on the chassis",
     HEAD "bodies:\n" BODY("chassis", "900", "-1", "0", "0.5") "forces:\n" WHEEL(
         "a", "chassis", "0", "0.7") WHEEL("b", "chassis", "0", "-0.7")
         WHEEL("c", "chassis", "-2.4", "0.7") WHEEL("d", "chassis", "-2.4", "-0.7"),
     "a chassis b chassis c chassis d chassis"},
    {"a load that swings, heavier than what carries it",
     HEAD "bodies:\n" BODY("chassis", "900", "-1", "0", "0.5")
         BODY("load", "5000", "-1", "0",
              "1") "joints:\n  hook: {type: spherical, bodies: [chassis, load], at: [-1, 0, 2]}\n"
                   "forces:\n" PAIR("chassis", "0") WHEEL("c", "chassis", "-2.4", "0"),
     "chassis_l chassis chassis_r chassis c chassis"},
    {"solid axles, on ball joints far ahead of them and springs",
     HEAD "bodies:\n" AXLES
          "joints:\n  tube_f: {type: spherical, bodies: [frame, front], at: [-1, 0, 0.4]}\n"
          "  tube_r: {type: spherical, bodies: [frame, rear], at: [-1.4, 0, 0.4]}\n"
          "forces:\n" AXLE_SPRINGS AXLE_WHEELS,
     ON_FRAME},
    {"solid axles on springs alone",
     HEAD "bodies:\n" AXLES "forces:\n" AXLE_SPRINGS
          "  bf: {type: bushing, bodies: [frame, front], at: [0, 0.5, 0.35], stiffness: [1e5, 1e5, "
          "1e5], rotational_stiffness: [1, 1, 1]}\n"
          "  br: {type: bushing, bodies: [frame, rear], at: [-2.6, 0.5, 0.35], stiffness: [1e5, "
          "1e5, 1e5], rotational_stiffness: [1, 1, 1]}\n" AXLE_WHEELS,
     ON_FRAME},
    {"an axle that rocks, one with a turntable, heavier than the frame",
     HEAD "bodies:\n" BODY("frame", "1200", "-1.3", "0", "0.6")
         BODY("front", "80", "0", "0", "0.32")
             BODY("rear", "120", "-2.6", "0",
                  "0.32") "joints:\n  rock: {type: revolute, bodies: [frame, rear], at: [-2.6, 0, "
                          "0.5], axis: [1, 0, 0]}\n"
                          "  table: {type: revolute, bodies: [frame, front], at: [0, 0, 0.6], "
                          "axis: [0, 0, 1]}\n"
                          "forces:\n" AXLE_WHEELS,
     ON_FRAME},
    {"kingpins of an axle, held by nothing else",
     HEAD "bodies:\n" AXLES BODY("stub_l", "20", "0", "0.6", "0.32") BODY(
         "stub_r", "20", "0", "-0.6", "0.32") "joints:\n  rock_f: {type: revolute, bodies: [frame, "
                                              "front], at: [0, 0, 0.5], axis: [1, 0, 0]}\n"
                                              "  rock_r: {type: revolute, bodies: [frame, rear], "
                                              "at: [-2.6, 0, 0.5], axis: [1, 0, 0]}\n"
                                              "  king_l: {type: revolute, bodies: [front, stub_l], "
                                              "at: [0, 0.6, 0.32], axis: [0, 0.1, 1]}\n"
                                              "  king_r: {type: revolute, bodies: [front, stub_r], "
                                              "at: [0, -0.6, 0.32], axis: [0, -0.1, 1]}\n"
                                              "forces:\n" WHEEL("a", "stub_l", "0", "0.7") WHEEL(
                                                  "b", "stub_r", "0", "-0.7") PAIR("rear", "-2.6"),
     "a frame b frame rear_l frame rear_r frame"},
    {"a car with a light trailer, on a ball that resists a little",
     HEAD "bodies:\n" BODY("car", "1800", "-1.3", "0", "0.6") BODY(
         "trailer", "300", "-6", "0",
         "0.6") "joints:\n  ball: {type: spherical, bodies: [car, trailer], at: [-3.6, 0, 0.5]}\n"
                "forces:\n  damps: {type: bushing, bodies: [car, trailer], at: [-3.6, 0, 0.5], "
                "rotational_stiffness: [10, 10, 10]}\n" PAIR("car", "0") PAIR("trailer", "-6.2")
                    WHEEL("c", "car", "-2.6", "0"),
     "car_l car car_r car trailer_l trailer trailer_r trailer c car"},
    {"a car with a heavy trailer that has an axle",
     HEAD "bodies:\n" BODY("car", "1800", "-1.3", "0", "0.6")
         BODY("trailer", "9000", "-6", "0", "0.6") BODY(
             "axle", "2000", "-6.2", "0", "0.32") "joints:\n  ball: {type: spherical, bodies: "
                                                  "[trailer, car], at: [-3.6, 0, 0.5]}\n"
                                                  "  rock: {type: cylindrical, bodies: [axle, "
                                                  "trailer], at: [-6.2, 0, 0.5], axis: [1, 0, 0]}\n"
                                                  "forces:\n" PAIR("axle", "-6.2") PAIR("car", "0")
                                                      WHEEL("c", "car", "-2.6", "0"),
     "axle_l trailer axle_r trailer car_l car car_r car c car"},
    {"a truck, a dolly and its trailer",
     HEAD "bodies:\n" BODY("truck", "8000", "-2", "0", "1") BODY("dolly", "700", "-9", "0", "0.5")
         BODY("trailer", "9000", "-12", "0",
              "1") "joints:\n  hitch: {type: spherical, bodies: [truck, dolly], at: [-6, 0, 0.6]}\n"
                   "  table: {type: universal, bodies: [dolly, trailer], at: [-9, 0, 1], axis: "
                   "[[0, 1, 0], [0, 0, 1]]}\n"
                   "forces:\n" PAIR("truck", "0") WHEEL("c", "truck", "-4", "0") PAIR("dolly", "-9")
                       PAIR("trailer", "-14"),
     "truck_l truck truck_r truck c truck dolly_l dolly dolly_r dolly trailer_l trailer trailer_r "
     "trailer"},
    {"a loader that steers by its joint",
     HEAD "bodies:\n" BODY("ahead", "5000", "1", "0", "1")
         BODY("behind", "4000", "-1.5", "0",
              "1") "joints:\n  waist: {type: revolute, bodies: [ahead, behind], at: [0, 0, 0.8], "
                   "axis: [0, 0, 1], motion: {channel: steer}}\n"
                   "forces:\n" PAIR("ahead", "1.4") PAIR(
                       "behind", "-1.4") "  ram: {type: tsda, bodies: [ahead, behind], at: [[0.4, "
                                         "0.4, 0.8], [-0.4, 0.4, 0.8]], damping: 1e3}\n",
     "ahead_l ahead ahead_r ahead behind_l behind behind_r behind"},
    {"a motorcycle",
     HEAD "bodies:\n" BODY("frame", "200", "0", "0", "0.6") BODY(
         "fork", "20", "0.6", "0", "0.6") "joints:\n  head: {type: revolute, bodies: [fork, "
                                          "frame], at: [0.45, 0, 0.9], axis: [-0.45, 0, 0.9]}\n"
                                          "forces:\n" WHEEL("f", "fork", "0.8", "0")
                                              WHEEL("r", "frame", "-0.6", "0"),
     "f frame r frame"},
    {"a corner on a rail",
     HEAD "bodies:\n" BODY("chassis", "300", "0", "0", "0.7") BODY(
         "hub", "30", "0", "0.7", "0.32") "joints:\n  rail: {type: translational, bodies: [ground, "
                                          "chassis], at: [0, 0, 0.7], axis: [0, 0, 1]}\n"
                                          "  arm: {type: revolute, bodies: [chassis, hub], at: [0, "
                                          "0.3, 0.32], axis: [1, 0, 0]}\n"
                                          "forces:\n" WHEEL("a", "hub", "0", "0.7"),
     "a ground"},
    {"a suspension on a bench",
     HEAD "bodies:\n" BODY("arm", "5", "0", "0.5", "0.2")
         BODY("hub", "30", "0", "0.7",
              "0.32") "joints:\n  low: {type: revolute, bodies: [ground, arm], at: [0, 0.3, 0.2], "
                      "axis: [1, 0, 0]}\n"
                      "  ball: {type: spherical, bodies: [arm, hub], at: [0, 0.65, 0.2]}\n"
                      "  rod: {type: distance, bodies: [ground, hub], at: [[0, 0.35, 0.5], [0, "
                      "0.65, 0.5]]}\n"
                      "  tie: {type: distance, bodies: [ground, hub], at: [[0.15, 0.35, 0.3], "
                      "[0.15, 0.65, 0.3]]}\n"
                      "forces:\n" WHEEL("a", "hub", "0", "0.7"),
     "a ground"},
    {"a car that stays upright",
     HEAD "bodies:\n" BODY("chassis", "900", "-1", "0", "0.5")
         BODY("hub", "30", "0", "0.7", "0.32") "joints:\n  plane: {type: planar, bodies: [ground, "
                                               "chassis], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                                               "  king: {type: revolute, bodies: [chassis, hub], "
                                               "at: [0, 0.65, 0.3], axis: [0, 0, 1]}\n"
                                               "forces:\n" WHEEL("a", "hub", "0", "0.7")
                                                   WHEEL("b", "chassis", "-2.4", "0.7")
                                                       WHEEL("c", "chassis", "-2.4", "-0.7"),
     "a chassis b chassis c chassis"},
    {"two halves of the same mass",
     HEAD "bodies:\n" BODY("zig", "500", "0", "0", "0.5")
         BODY("zag", "500", "-2.4", "0", "0.5") "joints:\n  twist: {type: revolute, bodies: [zag, "
                                                "zig], at: [-1.2, 0, 0.5], axis: [1, 0, 0]}\n"
                                                "forces:\n" PAIR("zig", "0") PAIR("zag", "-2.4"),
     "zig_l zig zig_r zig zag_l zag zag_r zag"},
    {"a unicycle",
     HEAD "bodies:\n" BODY("seat", "70", "0", "0", "0.9")
         BODY("rim", "5", "0", "0",
              "0.32") "joints:\n  hub: {type: revolute, bodies: [seat, rim], at: [0, 0, 0.32], "
                      "axis: [0, 1, 0]}\n"
                      "forces:\n  w: {type: tyre, body: rim, at: [0, 0, 0.32], tyre: t}\n",
     "w seat"},
};

static void check_case(const unit_case *c, const char *text)
{
  jt_run r = jt_start(jt_parse(text), NULL, &(jn_sim_opts){.step = 1e-3});
  const jn_system *s = r.system;
  for (int i = 0; i < s->nwheel; i++) {
    const int body = s->wheel[i].vehicle;
    char got[160], expected[1024];
    snprintf(got, sizeof got, " %s %s ", s->wheel[i].name,
             body < s->nframe ? "ground" : jn_node_name(r.model, s->body[body].node));
    snprintf(expected, sizeof expected, " %s ", c->expected);
    if (!strstr(expected, got)) fail_msg("%s:%sand not as in%s", c->what, got, expected);
  }
  jt_end(&r);
}

static void headings_are_those_of_units(void **state)
{
  (void)state;
  jt_random random = {11};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    check_case(&cases[i], cases[i].text);
    jn_spec *spec = jt_parse(cases[i].text);
    char *text = jt_print(spec);
    for (int k = 0; k < 4; k++) {
      char *other = jt_reordered(&random, text);
      check_case(&cases[i], other);
      free(other);
    }
    free(text);
    jn_spec_free(spec);
  }
}

// ---- shipped vehicles -------------------------------------------------------------------------------

typedef struct angles {
  int n;
  double x[256];
} angles;

// Angles of all wheels after a while of steering. False: the model does not compile with these choices.
static bool steered(const char *file, const jn_compile_opts *choice, angles *out)
{
  static const char *const what[] = {"steer", "toe", "camber"};
  jn_error err = {0};
  jt_run r = {.spec = jt_load(file)};
  if (jn_model_compile(r.spec, choice, &r.model, &err)) {
    jn_spec_free(r.spec);
    return false;
  }
  const jn_sim_opts o = {.step = 1e-4, .integrator = JN_INTEGRATOR_RK4, .path = JN_PATH_GENERAL};
  r.scenario = jt_scenario("jounce: 1\nscenario: x\nend: 1\n");
  jt_ok(jn_system_create(r.model, r.scenario, &o, &r.system, &err), &err, file);
  jt_ok(jn_data_create(r.system, &r.data, &err), &err, file);
  for (int c = 0; c < jn_channel_count(r.system); c++) {
    const jn_channel channel = jn_channel_at(r.system, c);
    if (channel.input && (strstr(channel.name, "steer") || strstr(channel.name, "rack")))
      jn_input_set(r.data, c, 0.02, 0.0);
  }
  jt_steps(&r, 100);
  jt_row(&r);
  out->n = 0;
  for (int i = 0; i < r.system->nwheel; i++)
    for (int k = 0; k < 3; k++) {
      char name[100];
      snprintf(name, sizeof name, "tyre.%s.%s", r.system->wheel[i].name, what[k]);
      out->x[out->n++] = jt_now(&r, name);
    }
  assert_true(out->n < 256);
  jt_end(&r);
  return true;
}

static double apart(const angles *a, const angles *b)
{
  double most = 0.0;
  assert_int_equal(a->n, b->n);
  for (int i = 0; i < a->n; i++) most = fmax(most, fabs(a->x[i] - b->x[i]));
  return most;
}

// Steps of two trees differ by what the projection does (its order, and rounding): far below what a heading against another body does.
static void base_and_cuts_are_no_matter(void **state)
{
  (void)state;
  glob_t files;
  int vehicles = 0;
  assert_int_equal(glob("models/*.yaml", 0, NULL, &files), 0);
  for (size_t i = 0; i < files.gl_pathc; i++) {
    const char *file = files.gl_pathv[i];
    angles first, other;
    if (!steered(file, NULL, &first)) fail_msg("%s does not compile", file);
    if (!first.n) continue;
    jn_spec *spec = jt_load(file);
    double most = 0.0, largest = 0.0;
    int tried = 0;
    for (int k = 0; k < first.n; k++) largest = fmax(largest, fabs(first.x[k]));
    for (int b = 0; b < spec->nbody + spec->njoint; b += SLOW ? 5 : 1) {
      const char *name = b < spec->nbody ? spec->body[b].name : spec->joint[b - spec->nbody].name;
      jn_compile_opts o = {0};
      if (b < spec->nbody)
        o.base = name;
      else
        o.cut = &name, o.ncut = 1;
      if (!steered(file, &o, &other)) continue;
      tried++;
      const double d = apart(&first, &other);
      if (!(d <= 1e-8)) print_error("%s with %s: apart by %g\n", file, name, d);
      most = fmax(most, d);
    }
    print_message("%-32s %2d wheels, %3d choices, angles up to %.3g, apart by %.1e\n", file,
                  first.n / 3, tried, largest, most);
    JT_LE(most, 1e-8);
    assert_true(tried > 1);
    vehicles++;
    jn_spec_free(spec);
  }
  assert_true(vehicles >= 10);
  globfree(&files);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(headings_are_those_of_units),
      cmocka_unit_test(base_and_cuts_are_no_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
