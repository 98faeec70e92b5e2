// Roads from shared objects: the worked example against the road that it copies, and wrong ones.
#include "plugin/command_file.h"

#define MODEL "models/hmmwv.yaml"

static void write_scenario(const char *road)
{
  FILE *f = fopen(file, "w");
  assert_non_null(f);
  fprintf(f, "jounce: 1\nscenario: road\nend: 1.5\nspeed: 8\n%s\n", road);
  assert_int_equal(fclose(f), 0);
}

// Sums of three channels over the rows of a run, behind that of time.
static int run_to(const char *road, double last[4])
{
  write_scenario(road);
  RUN("run", MODEL, file, "--out", "-", "--record", "wheel.fl.z", "--record", "wheel.rr.fz",
      "--record", "chassis.z", "--every", "0.1");
  if (run.code) return run.code;
  for (char *line = strtok(run.out, "\n"); line; line = strtok(NULL, "\n"))
    for (int i = 0; i < 4 && line[0] >= '0' && line[0] <= '9'; i++) last[i] += fabs(cell(line, i));
  return 0;
}

static void the_example_is_the_bump_that_it_copies(void **state)
{
  (void)state;
  double built[4] = {0}, plugged[4] = {0}, flat[4] = {0};
  assert_int_equal(run_to("road: {type: half-sine, at: 6, length: 1.2, height: 0.05}", built), 0);
  if (run_to("road: {type: plugin, plugin: " PLUGINS
             "/my_road.so, parameters: {at: 6, length: 1.2, "
             "height: 0.05}}",
             plugged))
    fail_msg("%s", run.err);
  assert_non_null(strstr(run.err, "path         lanes: 4 of 4"));
  assert_int_equal(run_to("road: {type: flat}", flat), 0);
  for (int i = 0; i < 4; i++) JT_NEAR(plugged[i], built[i], 1e-7 * (1 + fabs(built[i])));
  assert_true(fabs(flat[1] - built[1]) > 1e-2);
}

static void fails(const char *road, int code, const char *with)
{
  double last[4];
  assert_int_equal(run_to(road, last), code);
  if (!strstr(run.err, with)) fail_msg("expected \"%s\" in: %s", with, run.err);
}

static void wrong_roads_are_refused_with_their_names(void **state)
{
  (void)state;
  fails("road: {type: plugin, plugin: " PLUGINS "/my_road.so, parameters: {hight: 1}}", 2,
        "the plug-in has no parameter \"hight\", did you mean \"height\"?");
  fails("road: {type: plugin, plugin: " PLUGINS "/my_road.so, parameters: {length: 0}}", 2,
        "the plug-in refuses: length and friction must be above zero");
  fails("road: {type: plugin, plugin: " PLUGINS "/no_road.so}", 2, "cannot be loaded");
  fails("road: {type: plugin, plugin: " PLUGINS "/my_tyre.so}", 2,
        "it does not define jounce_road_plugin");
  fails("road: {type: plugin, plugin: " PLUGINS "/wrong_road_version.so}", 2, "is of version");
  fails("road: {type: plugin, plugin: " PLUGINS "/wrong_road_init.so}", 2,
        "the plug-in refuses: it never does");
  fails("road: {type: plugin, plugin: " PLUGINS "/wrong_road_table.so}", 2, "lacks `at`");
  fails("roads: {kerb: {type: flat, wheels: [fl, xx]}}", 2,
        "roads.kerb: the model has no wheel \"xx\"");
  fails("roads: {kerb: {type: flat, wheels: fl}, curb: {type: flat, wheels: [fr, fl]}}", 2,
        "roads.curb: the wheel \"fl\" stands on the road \"kerb\" already");
}

static void a_road_that_is_not_a_number_is_named(void **state)
{
  (void)state;
  fails("road: {type: plugin, plugin: " PLUGINS "/wrong_road_later.so}", 1,
        "the road \"road\" gave what is not a number");
  fails("roads: {kerb: {type: plugin, plugin: " PLUGINS "/wrong_road_later.so, wheels: rl}}", 1,
        "the road \"kerb\" gave what is not a number");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_example_is_the_bump_that_it_copies),
      cmocka_unit_test(wrong_roads_are_refused_with_their_names),
      cmocka_unit_test(a_road_that_is_not_a_number_is_named),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
