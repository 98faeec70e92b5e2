// Tyre plug-ins by the command line: the worked example, wrong ones, and who runs their code.
#include "plugin/command_file.h"

#define EXAMPLE  "examples/plugin-tyre/hmmwv-on-my-tyre.yaml"
#define SCENARIO "examples/plugin-tyre/brake-in-a-turn.yaml"
#define SET_TYRE "--set", "tyres.mine.plugin=" PLUGINS "/my_tyre.so"

static int column(const char *head, const char *name)
{
  const char *found = strstr(head, name);
  if (!found) fail_msg("no column %s in %s", name, head);
  int n = 0;
  for (const char *c = head; c < found; c++) n += *c == ',';
  return n;
}

// Force of one direction at the mixed slip u, by the numbers of the example's file.
static double force_at(double load, double slope, double peak_slip, double sliding_slip, double u)
{
  const double x = load / 8562.827, g = x * (1.1 - 0.1 * x), peak = g * 0.8 * 8562.827;
  if (u <= 1.0)
    return peak_slip * g * slope * u / (1.0 + u * (u + g * slope * peak_slip / peak - 2.0));
  const double w = fmin((u - 1.0) * peak_slip / (sliding_slip - peak_slip), 1.0);
  return peak - 0.1 * peak * w * w * (3.0 - 2.0 * w);
}

// In every row the forces are those of the slip that the plug-in returns: (Fx / fx(u))^2 + (Fy / fy(u))^2 = 1.
static void the_example_follows_its_law(void **state)
{
  (void)state;
  static const char *const names[] = {"wheel.fl.fx", "wheel.fl.fy",  "wheel.fl.fz",   "wheel.fl.mz",
                                      "law.fl.slip", "law.fl.trail", "wheel.fl.speed"};
  enum { FX, FY, FZ, MZ, SLIP, TRAIL, SPEED, NAMES };
  RUN("run", EXAMPLE, SCENARIO, SET_TYRE, "--out", "-", "--record", "wheel.fl.*", "--record",
      "law.fl.*", "--every", "0.05");
  if (run.code != 0) fail_msg("%s", run.err);
  assert_non_null(strstr(run.err, "path         lanes: 4 of 4"));
  int rows = 0, mixed = 0, at[NAMES] = {0};
  double last = 0.0;
  for (char *line = strtok(run.out, "\n"); line; line = strtok(NULL, "\n")) {
    if (strstr(line, names[FX]))
      for (int i = 0; i < NAMES; i++) at[i] = column(line, names[i]);
    if (line[0] < '0' || line[0] > '9') continue;  // head
    const double fx = cell(line, at[FX]), fy = cell(line, at[FY]), u = cell(line, at[SLIP]);
    const double load = cell(line, at[FZ]);
    // The sign of travel, by which the trail is multiplied, is 1 from 1 m/s on.
    last = cell(line, at[SPEED]);
    if (last > 10.0)
      JT_NEAR(cell(line, at[MZ]), -cell(line, at[TRAIL]) * fy, 1e-5 * (1.0 + fabs(fy)));
    rows++;
    if (u < 1e-3) continue;
    const double x = fx / force_at(load, 152216.23, 0.12, 0.5, u);
    const double y = fy / force_at(load, 63376.05, 0.25, 0.8, u);
    JT_NEAR(x * x + y * y, 1.0, 1e-5);
    mixed += fabs(x) > 0.3 && fabs(y) > 0.3;
  }
  assert_true(rows > 100);
  assert_true(mixed > 20);
  JT_NEAR(last, 0.0, 1e-2);  // it stands in the end
}

// A wheel on a post, driven from rest.
static void write_model(const char *plugin, const char *more)
{
  FILE *out = fopen(file, "w");
  assert_non_null(out);
  fprintf(out,
          "jounce: 1\nname: driven\nbodies: {hub: {mass: 400, cg: [0, 0, 0.31], inertia: [9, 9, "
          "9]}}\n"
          "joints: {j: {type: no-rotation, bodies: [ground, hub]}}\n"
          "tyres:\n"
          "  mine: {type: plugin, plugin: %s, radius: 0.33, %s}\n"
          "forces:\n"
          "  w: {type: wheel, body: hub, at: [0, 0, 0.31], inertia: 1, tyre: mine}\n",
          plugin, more);
  fclose(out);
}

#define CARRIES "stiffness: 2e5, load: 4e3"

static void wrong_tyres_are_refused_at_their_place(void **state)
{
  (void)state;
  static const struct {
    const char *plugin, *more, *says;
  } wrong[] = {
      {"./not-there.so", CARRIES,
       "tyres.mine: the plug-in /tmp/not-there.so cannot be loaded: cannot open shared object"},
      {PLUGINS "/spring.so", CARRIES, "is no plug-in: it does not define jounce_tyre_plugin"},
      {PLUGINS "/wrong_tyre_version.so", CARRIES, "is of version 3, expected 2: compile it with"},
      {PLUGINS "/wrong_tyre_init.so", CARRIES,
       "tyres.mine: the plug-in refuses: mine of 0.33 m will not do"},
      {PLUGINS "/wrong_tyre_table.so", CARRIES, "lacks `limits`"},
      {PLUGINS "/wrong_tyre_output.so", CARRIES,
       "output 1 of the plug-in needs a unit, a help text and a name of its own, of letters, "
       "digits and _\n"},
      {PLUGINS "/wrong_tyre_outputs.so", CARRIES, "the plug-in has 65 outputs, expected 0 to 64"},
      {PLUGINS "/law.so", CARRIES ", parameters: {frictoin: 1}",
       "tyres.mine: the plug-in has no parameter \"frictoin\", did you mean \"friction\"?"},
      {PLUGINS "/my_tyre.so", CARRIES, "the plug-in refuses: slopes, peaks, their slips"},
      {PLUGINS "/law.so", "load: 4e3",
       "tyres.mine: has neither, expected either a `stiffness` or a `load_curve`"},
      {PLUGINS "/law.so", "load: 4e3, load_curve: [[0, 10], [0.1, 100]]",
       "begins at [0, 10], must begin at [0, 0]"},
      {PLUGINS "/law.so", "load: 4e3, load_curve: [[0, 0], [0.1, 100], [0.2, 50]]",
       "load of point 3 is 50, must be above the one before it"},
      {PLUGINS "/law.so", CARRIES ", measured: middle",
       "found \"middle\", expected one of left, right, either"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    write_model(wrong[i].plugin, wrong[i].more);
    RUN("run", file, "--out", "-", "--end", "0.01");
    assert_int_equal(run.code, 2);
    if (!strstr(run.err, wrong[i].says)) fail_msg("%s: %s", wrong[i].plugin, run.err);
    if (!strstr(run.err, ":6:")) fail_msg("no place: %s", run.err);
    if (strchr(run.err, '\n') != strrchr(run.err, '\n')) fail_msg("more than a line: %s", run.err);
  }
}

// What is not a number, or no length, ends the run, and the tyre is named, at whatever stage of a step it comes up, in lanes
// and on the general path. (While preloads and an equilibrium are looked for, tyres only carry.)
static void a_tyre_that_breaks_its_contract_is_named(void **state)
{
  (void)state;
  static const char *const how[] = {"later", "forces", "limits"};
  static const char *const integrator[] = {"ab3", "rk4", "reference"};
  static const char says[] = "the plug-in tyre \"mine\" gave what is not a number, or no length";
  char set[1024];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < (i ? 1 : 3); k++)
      for (int general = 0; general < 2; general++) {
        snprintf(set, sizeof set, "tyres.mine.plugin=" PLUGINS "/wrong_tyre_%s.so", how[i]);
        RUN("run", EXAMPLE, SCENARIO, "--set", set, "--out", "-", "--record", "wheel.fl.fx",
            "--integrator", integrator[k], "--path", general ? "general" : "auto");
        if (run.code != 1 || !strstr(run.err, says))
          fail_msg("%s, %s: %d %s", how[i], integrator[k], run.code, run.err);
        if (!i && !strstr(run.err, "failed at t = 2.")) fail_msg("%s", run.err);
      }
  write_model(PLUGINS "/wrong_tyre_forces.so", CARRIES);
  RUN("run", file, "--out", "-");
  assert_int_equal(run.code, 1);
  assert_non_null(strstr(run.err, says));
}

// wrong_loaded.so ends with 77 the process that loads it.
static void only_who_runs_a_model_runs_its_code(void **state)
{
  (void)state;
  write_model(PLUGINS "/wrong_loaded.so", CARRIES);
  RUN("check", file);
  assert_int_equal(run.code, 0);
  assert_non_null(strstr(run.out, "note: the plug-in of the tyre \"mine\" is not loaded"));
  RUN("check", file, "--channels");
  assert_int_equal(run.code, 0);
  RUN("check", file, "--expand");
  assert_int_equal(run.code, 0);
  assert_non_null(strstr(run.out, "/wrong_loaded.so\""));
  RUN("topology", file);
  assert_int_equal(run.code, 0);
  RUN("run", file, "--without-tyres", "--out", "-", "--end", "0.01");
  assert_int_equal(run.code, 0);
  RUN("check", file, "--plugins");
  assert_int_equal(run.code, 77);
  RUN("run", file, "--out", "-");
  assert_int_equal(run.code, 77);
  RUN("equilibrium", file);
  assert_int_equal(run.code, 77);
}

static void check_loads_if_asked_to(void **state)
{
  (void)state;
  RUN("check", EXAMPLE, SET_TYRE, "--plugins", "--channels");
  assert_int_equal(run.code, 0);
  assert_non_null(strstr(run.out, "law.rr.trail"));
  RUN("check", EXAMPLE, SET_TYRE, "--channels");
  assert_int_equal(run.code, 0);
  assert_null(strstr(run.out, "law.rr.trail"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_example_follows_its_law),
      cmocka_unit_test(wrong_tyres_are_refused_at_their_place),
      cmocka_unit_test(a_tyre_that_breaks_its_contract_is_named),
      cmocka_unit_test(only_who_runs_a_model_runs_its_code),
      cmocka_unit_test(check_loads_if_asked_to),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
