// `jounce check MODEL SCENARIO`: it refuses what `jounce run` refuses, in the same words, and reports components, what they drive,
// inputs that are left, and wheels that do not stand on the road.
#include <jansson.h>

#include "cli/command.h"

static jt_run run, other;
static char folder[64];

#define HMMWV   "models/hmmwv.yaml"
#define QUARTER "models/quarter-car.yaml"

#define CHECK(...)                                                \
  do {                                                            \
    const char *const arguments[] = {"check", __VA_ARGS__, NULL}; \
    jt_command(".", arguments, &run);                             \
  } while (0)

static const char *write_file(const char *name, const char *text)
{
  static char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fputs(text, out);
  assert_int_equal(fclose(out), 0);
  return path;
}

static void has(const char *text, const char *part)
{
  if (!strstr(text, part)) fail_msg("lacks \"%s\":\n%s", part, text);
}

static void lacks(const char *text, const char *part)
{
  if (strstr(text, part)) fail_msg("has \"%s\":\n%s", part, text);
}

static json_t *take_json(void)
{
  json_error_t wrong;
  assert_int_equal(run.code, 0);
  json_t *o = json_loads(run.out, 0, &wrong);
  if (!o) fail_msg("%s:\n%s", wrong.text, run.out);
  return o;
}

static bool lists(const json_t *list, const char *name)
{
  for (size_t i = 0; i < json_array_size(list); i++)
    if (!strcmp(json_string_value(json_array_get(list, i)), name)) return true;
  return false;
}

// ---- what a run refuses -----------------------------------------------------------------------------

static const struct {
  const char *text, *error;
} refused[] = {
    {"record: {channels: [chassis.x, chasis.y]}\n",
     "w.yaml:4:32: record.channels: there is no channel \"chasis.y\", did you mean \"chassis.y\"?"},
    {"record:\n  channels:\n    - chassis.*\n    - \"chasis.*\"\n",
     "w.yaml:7:7: record.channels: no channel fits \"chasis.*\", the nearest is \"chassis."},
    {"record: {channels: \"wheel.*.fzz\"}\n",
     "w.yaml:4:20: record.channels: no channel fits \"wheel.*.fzz\", the nearest is "
     "\"wheel.tyre.fz\""},
    {"record: {channels: [\"q*\"]}\n",
     "w.yaml:4:21: record.channels: no channel fits \"q*\" (jounce check MODEL --channels lists"},
    {"stop:\n  low: {below: 0.1, channel: chassis.zz}\n",
     "w.yaml:5:30: stop.low.channel: there is no channel \"chassis.zz\", did you mean "
     "\"chassis.z\"?"},
    {"step: 1e-12\n", "steps"},
};

static void what_a_run_refuses_a_check_refuses_in_the_same_words(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    char text[400], out[80];
    snprintf(text, sizeof text, "jounce: 1\nscenario: x\nend: 2\n%s", refused[i].text);
    const char *file = write_file("w.yaml", text);
    snprintf(out, sizeof out, "%s/out", folder);
    const char *const as_run[] = {"run", QUARTER, file, "--out", out, NULL};
    jt_command(".", as_run, &other);
    CHECK(QUARTER, file);
    assert_int_equal(other.code, 2);
    assert_int_equal(run.code, 2);
    assert_string_equal(run.out, "");
    assert_string_equal(run.err, other.err);
    has(run.err, refused[i].error);
    CHECK(QUARTER, file, "--json");
    assert_int_equal(run.code, 2);
    assert_string_equal(run.out, "");
  }
}

// One that no run could begin with is not called good, though its topology can be reported.
static void a_model_that_cannot_be_run_is_not_good(void **state)
{
  (void)state;
  const char *file = write_file(
      "w.yaml",
      "jounce: 1\n"
      "bodies: {rod: {mass: 1, cg: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
      "joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0]}}\n"
      "components: {c: {type: lagg}}\n");
  CHECK(file);
  assert_int_equal(run.code, 2);
  has(run.out, "w.yaml: cannot be run: components.c: there is no component of type \"lagg\"");
  has(run.out, "1 body, 1 joint, 0 of them cut");
  lacks(run.out, "good");
  CHECK(file, "--json");
  assert_int_equal(run.code, 2);
  has(run.out, "\"runs\": false");
}

static void what_the_integrator_cannot_do_is_refused_too(void **state)
{
  (void)state;
  const char *file = write_file("held.yaml",
                                "jounce: 1\nscenario: x\nend: 1\nintegrator: "
                                "reference\ncomponents:\n  k: {type: gain, factor: "
                                "2, inputs: {in: chassis.az}}\n");
  const char *const as_run[] = {"run", QUARTER, file, "--out", folder, NULL};
  jt_command(".", as_run, &other);
  CHECK(QUARTER, file);
  assert_int_equal(other.code, 2);
  assert_int_equal(run.code, 2);
  assert_string_equal(run.err, other.err);
}

// Whether it is there is not known without code that is not run.
static void channels_that_a_plug_in_may_have_are_a_note(void **state)
{
  (void)state;
  const char *file = write_file("plug.yaml",
                                "jounce: 1\nscenario: x\nend: 1\nrecord: {channels: [chassis.x, "
                                "force.stop.own]}\n");
  CHECK("examples/plugin-force/quarter-car-with-stop.yaml", file);
  assert_int_equal(run.code, 0);
  has(run.out, "note: ");
  has(run.out, "plug.yaml:4:32: record.channels: there is no channel \"force.stop.own\"");
  has(run.out, "it may be a channel of a plug-in: --plugins loads them\n");
  CHECK("examples/plugin-force/quarter-car-with-stop.yaml", file, "--json");
  json_t *o = take_json();
  has(json_string_value(json_array_get(json_object_get(o, "notes"), 0)), "force.stop.own");
  json_decref(o);
}

// ---- components and inputs --------------------------------------------------------------------------

static void components_are_reported_with_what_they_read_and_drive(void **state)
{
  (void)state;
  CHECK(HMMWV, "scenarios/hmmwv-yaw-hold.yaml");
  assert_int_equal(run.code, 0);
  has(run.out,
      "\n  left (pid), after velocities: target = 0.1, measured = chassis.rate_z, rate = "
      "left.rate; out -> wheel.rr.drive\n");
  has(run.out, "\n  right (gain), after velocities: in = left.out; out -> wheel.rl.drive\n");
  has(run.out, "\ninputs of the scenario: driver.rack\n");
  has(run.out, "\ninputs left at zero: left.rate, wheel.fl.brake, wheel.fl.drive, ");
}

static void inputs_that_a_component_drives_or_has_a_number_for_are_not_left(void **state)
{
  (void)state;
  static const char *const owned[] = {"wheel.rl.drive", "wheel.rr.drive", "left.target",
                                      "driver.rack"};
  CHECK(HMMWV, "scenarios/hmmwv-yaw-hold.yaml", "--json");
  json_t *o = take_json();
  const json_t *left = json_object_get(o, "inputs"), *given = json_object_get(o, "given");
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) assert_false(lists(left, owned[i]));
  assert_true(lists(left, "wheel.fl.drive"));
  assert_true(lists(left, "left.rate"));
  assert_int_equal(json_array_size(given), 1);
  assert_true(lists(given, "driver.rack"));
  const json_t *first = json_array_get(json_object_get(o, "components"), 0);
  const json_t *out = json_array_get(json_object_get(first, "outputs"), 0);
  assert_string_equal(json_string_value(json_object_get(out, "port")), "out");
  assert_true(lists(json_object_get(out, "drives"), "wheel.rr.drive"));
  assert_int_equal(json_array_size(json_object_get(out, "drives")), 1);
  const json_t *target = json_array_get(json_object_get(first, "inputs"), 0);
  assert_true(json_real_value(json_object_get(target, "value")) == 0.1);
  json_decref(o);

  CHECK("models/tractor-semitrailer.yaml", "scenarios/tractor-semitrailer.yaml", "--json");
  o = take_json();
  left = json_object_get(o, "inputs");
  assert_false(lists(left, "driver.cruise.speed"));
  assert_false(lists(left, "wheel.2l.drive"));
  assert_true(lists(left, "wheel.1l.drive"));
  json_decref(o);
}

// Also one of a plug-in that was not loaded.
static void a_plug_in_that_is_not_loaded_owns_what_it_drives(void **state)
{
  (void)state;
  CHECK("examples/plugin-component/hmmwv-with-yaw-control.yaml", "--json");
  json_t *o = take_json();
  const json_t *left = json_object_get(o, "inputs");
  assert_false(lists(left, "wheel.rl.brake"));
  assert_true(lists(left, "wheel.rl.drive"));
  json_decref(o);
}

// ---- wheels in the design position ------------------------------------------------------------------

// The wheel centre is 0.3 m above the road; everything weighs 440 kg x 9.81 m/s^2 on one wheel, of 200 kN/m.
static void wheels_that_hang_or_sink_are_named(void **state)
{
  (void)state;
  CHECK(QUARTER, "--set", "tyres.quarter_car.radius=0.288");
  assert_int_equal(run.code, 0);
  has(run.out,
      "\nnote: wheel \"tyre\" hangs 12 mm above the road at the design position; lower the ");
  CHECK(QUARTER, "--set", "tyres.quarter_car.radius=0.4");
  has(run.out,
      "\nnote: wheel \"tyre\" sinks 100 mm into the road at the design position, where its tyre "
      "gives 20000 N of the 4316.4 N that everything weighs; raise the ");
  CHECK(QUARTER, "--set", "tyres.quarter_car.radius=0.3");
  lacks(run.out, "hangs");
  CHECK(QUARTER);
  lacks(run.out, "hangs");
  lacks(run.out, "sinks");
}

// An axis mirrored to the right, as a hub's may be, makes a wheel that rolls backwards.
static void wheels_that_roll_the_other_way_are_named(void **state)
{
  (void)state;
  CHECK("models/peer-vehicle.yaml", "--set", "forces.fr.axis=[0, -1, 0]");
  assert_int_equal(run.code, 0);
  has(run.out,
      "\nnote: wheel \"fr\": its axis points to the other side than those of other wheels");
  CHECK("models/peer-vehicle.yaml");
  lacks(run.out, "points to the other side");
}

static void a_diagram_never_takes_the_place_of_what_it_is_drawn_from(void **state)
{
  (void)state;
  char link_name[PATH_MAX];
  const char *text = "jounce: 1\nbodies:\n  b: {mass: 1, cg: [0, 0, 0], inertia: [1, 1, 1]}\n";
  const char *model = write_file("w.svg", text);
  snprintf(link_name, sizeof link_name, "%s/w.dot", folder);
  assert_int_equal(link(model, link_name), 0);
  const char *const out[] = {model, link_name};
  for (int i = 0; i < 2; i++) {
    CHECK(model, "--diagram", out[i]);
    assert_int_equal(run.code, 2);
    has(run.err, "which is the model itself: name another file");
    char kept[256] = "";
    FILE *in = fopen(model, "r");
    assert_non_null(in);
    assert_true(fread(kept, 1, sizeof kept - 1, in) > 0);
    fclose(in);
    assert_string_equal(kept, text);
  }
}

static int enter(void **state)
{
  (void)state;
  strcpy(folder, "/tmp/jounce-check-XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int leave(void **state)
{
  (void)state;
  static const char *const made[] = {"w.yaml", "held.yaml", "plug.yaml", "w.svg", "w.dot"};
  for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, made[i]);
    unlink(path);
  }
  return rmdir(folder);  // nothing else was made
}

// Subsystems that lanes do not take, in words and in JSON.
static void ungrouped_subsystems_are_reported_with_the_reason(void **state)
{
  (void)state;
  CHECK("test/models/hmmwv-odd-corners.yaml");
  assert_int_equal(run.code, 0);
  has(run.out,
      "path: lanes: 2 of 4, ");  // precompiled, or by operation lists where there are no others
  has(run.out, "; 1 element ungrouped; 2 subsystems ungrouped\n");
  has(run.out, "ungrouped subsystem: lca_fl: joint bob_slide_fl (spherical-translational): lanes");
  has(run.out, "ungrouped subsystem: lca_rr: joint bob_arm_rr (spherical-revolute): lanes");
  has(run.out, "  ungrouped: rack_servo\n");
  CHECK("test/models/hmmwv-odd-corners.yaml", "--json");
  json_t *o = take_json();
  const json_t *path = json_object_get(o, "path"),
               *list = json_object_get(path, "ungrouped_subsystems");
  assert_int_equal(json_array_size(list), 2);
  const json_t *first = json_array_get(list, 0);
  assert_string_equal(json_string_value(json_object_get(first, "subsystem")), "lca_fl");
  has(json_string_value(json_object_get(first, "why")),
      "lanes have no operation for joints of its kind");
  assert_true(json_number_value(json_object_get(first, "instructions_estimated")) > 1000.0);
  has(json_string_value(json_object_get(first, "advice")), "in lanes it would");
  json_decref(o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_a_run_refuses_a_check_refuses_in_the_same_words),
      cmocka_unit_test(a_model_that_cannot_be_run_is_not_good),
      cmocka_unit_test(what_the_integrator_cannot_do_is_refused_too),
      cmocka_unit_test(channels_that_a_plug_in_may_have_are_a_note),
      cmocka_unit_test(components_are_reported_with_what_they_read_and_drive),
      cmocka_unit_test(ungrouped_subsystems_are_reported_with_the_reason),
      cmocka_unit_test(inputs_that_a_component_drives_or_has_a_number_for_are_not_left),
      cmocka_unit_test(a_plug_in_that_is_not_loaded_owns_what_it_drives),
      cmocka_unit_test(wheels_that_hang_or_sink_are_named),
      cmocka_unit_test(wheels_that_roll_the_other_way_are_named),
      cmocka_unit_test(a_diagram_never_takes_the_place_of_what_it_is_drawn_from),
  };
  return cmocka_run_group_tests(tests, enter, leave);
}
