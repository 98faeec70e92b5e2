// Components of shared objects by the command line: wrong ones, who runs their code, the worked example.
#include "plugin/command_file.h"

static void write_model(const char *plugin, const char *more)
{
  FILE *out = fopen(file, "w");
  assert_non_null(out);
  fprintf(
      out,
      "jounce: 1\nname: pushed\nbodies: {b: {mass: 1, cg: [0, 0, 0], inertia: [1, 1, 1]}}\n"
      "joints: {j: {type: translational, bodies: [ground, b], at: [0, 0, 0], axis: [1, 0, 0]}}\n"
      "forces: {f: {type: force, body: b, force: [1, 0, 0], channel: push}}\n"
      "components:\n  c: {type: plugin, plugin: %s, outputs: {out: push}%s}\n",
      plugin, more);
  fclose(out);
}

#define WRONG(name) PLUGINS "/wrong_component_" name ".so"

static void wrong_components_are_refused_at_their_place(void **state)
{
  (void)state;
  static const struct {
    const char *plugin, *more, *says;
  } wrong[] = {
      {"./not-there.so", "", "cannot be loaded: cannot open shared object file"},
      {PLUGINS "/spring.so", "", "is no plug-in: it does not define jounce_component"},
      {WRONG("symbol"), "", "is no plug-in: it does not define jounce_component"},
      {WRONG("version"), "", "is of version 1, expected 2: compile it with"},
      {WRONG("init"), "", "the plug-in refuses: c will not do"},
      {WRONG("count"), "", "the plug-in has 1000000 inputs, expected 0 to 64"},
      {WRONG("negative"), "", "the plug-in has -1 inputs, expected 0 to 64"},
      {WRONG("port"), "", "input 1 of the plug-in"},
      {WRONG("rates"), "", "has other than 0 to 2 rates"},
      {WRONG("order"), "", "is plain, and declared ones come last"},
      {WRONG("outputs"), "", "lacks `outputs`"},
      {WRONG("missing"), "", "lacks `rates`"},
      {WRONG("list"), "", "the plug-in has 2 states, expected 0 to 64 with a list of them"},
      {WRONG("number"), ", parameters: {gain: 1}", "has no parameter \"gain\""},
      {WRONG("number"), ", gain: 1", "has no key \"gain\""},
      {WRONG("number"), ", inputs: {inn: 1}", "did you mean \"in\"?"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    write_model(wrong[i].plugin, wrong[i].more);
    RUN("check", file, "--plugins");
    if (run.code != 2 || !strstr(run.err, wrong[i].says))
      fail_msg("%s%s: code %d, %s\nlacks: %s", wrong[i].plugin, wrong[i].more, run.code, run.err,
               wrong[i].says);
    char place[300];
    snprintf(place, sizeof place, "%s:7:", file);
    if (!strstr(run.err, place)) fail_msg("no position: %s", run.err);
  }
}

// Without --plugins nothing is loaded, and its outputs are zero.
static void nobody_runs_a_component_unasked(void **state)
{
  (void)state;
  write_model(WRONG("init"), "");
  RUN("check", file);
  assert_int_equal(run.code, 0);
  assert_non_null(strstr(run.out, "the plug-in of the component \"c\" is not loaded"));
}

static void what_is_not_a_number_ends_the_run_and_names_the_component(void **state)
{
  (void)state;
  static const char *const which[] = {WRONG("number"), WRONG("rate")};
  static const char *const says[] = {
      "of the plug-in component \"c\" the output \"out\" is not finite, or beyond 1e30, at t = "
      "0.05",
      "of the plug-in component \"c\" the rate of state \"x\" is not finite, or beyond 1e30, at t "
      "= 0.05"};
  for (int i = 0; i < 2; i++) {
    write_model(which[i], "");
    RUN("run", file, "--end", "0.2", "--out", "-");
    if (run.code != 1 || !strstr(run.err, says[i]) || strstr(run.err, "body b"))
      fail_msg("code %d: %s", run.code, run.err);
  }
}

#define EXAMPLE "examples/plugin-component/hmmwv-with-yaw-control.yaml"
#define STEERS  "examples/plugin-component/sine-steer.yaml"
#define SET_YAW "--set", "components.yaw.plugin=" PLUGINS "/yaw_control.so"

// Brakes of one side are on, never of both; they are the state; the vehicle is in lanes.
static void the_example_brakes_one_side(void **state)
{
  (void)state;
  RUN("run", EXAMPLE, STEERS, SET_YAW, "--out", "-", "--record", "yaw.*", "--every", "0.02");
  if (run.code != 0) fail_msg("%s", run.err);
  assert_non_null(strstr(run.err, "path         lanes: 4 of 4"));
  int left = 0, right = 0;
  for (char *line = strtok(run.out, "\n"); line; line = strtok(NULL, "\n")) {
    if (line[0] < '0' || line[0] > '9') continue;  // head
    const double l = cell(line, 3), r = cell(line, 4), torque = cell(line, 5);
    JT_NEAR(l - r, torque, 1e-6 * (1.0 + fabs(torque)));
    JT_NEAR(l * r, 0.0, 0.0);
    left += l > 20.0, right += r > 20.0;
  }
  assert_true(left > 5 && right > 5);
  RUN("check", EXAMPLE, STEERS, SET_YAW, "--plugins");
  assert_non_null(
      strstr(run.out,
             "steer (gain), after velocities: in = joint.rack_guide.position; out -> steer.out\n"));
  assert_non_null(strstr(
      run.out, "yaw (plugin), before positions: steer = steer.out, speed = chassis.speed_x"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_components_are_refused_at_their_place),
      cmocka_unit_test(nobody_runs_a_component_unasked),
      cmocka_unit_test(what_is_not_a_number_ends_the_run_and_names_the_component),
      cmocka_unit_test(the_example_brakes_one_side),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
