// Rows of selected channels: what the lanes give is what the general path gives at the same state; a selection has the bits of the
// whole; rows leave the motion as it is, and allocate nothing.
#include <math.h>
#include <stdlib.h>

#include "plan/system.h"
#include "run/channels.h"
#include "run_case.h"

enum { CHANNELS = 4000 };

typedef struct vehicle {
  const char *model, *scenario;
  int steps;
} vehicle;

// In lanes, with wheels as elements and as bodies, racks, drivers, trailers, slides on the ground.
static const vehicle in_lanes[] = {{"hmmwv", "hmmwv-step-steer", 1500},
                                   {"hmmwv-mf", "hmmwv-mf-step-steer", 1500},
                                   {"passenger-car", "passenger-car", 800},
                                   {"passenger-car-mf", "passenger-car-mf-circle", 800},
                                   {"tractor-semitrailer", "tractor-semitrailer", 800},
                                   {"peer-vehicle", "peer-vehicle", 1500},
                                   {"quarter-car", "quarter-car", 800},
                                   {"trailer-train", "trailer-train", 300}};
static const vehicle general[] = {{"slider-crank", "slider-crank", 300},
                                  {"andrews", "andrews", 200},
                                  {"bricard", "bricard", 200},
                                  {"five-link-joints", "five-link-joints", 300},
                                  {"spinning-top", "spinning-top", 300}};

typedef struct run {
  jt_run r;
  int channel[CHANNELS], n;
  double row[CHANNELS];
  jn_rows *rows;
} run;

static void load(const vehicle *v, jn_path path, jn_integrator integrator, run *k)
{
  char file[128];
  jn_error err = {0};
  *k = (run){0};
  snprintf(file, sizeof file, "models/%s.yaml", v->model);
  jt_ok(jn_spec_load(file, NULL, 0, &k->r.spec, &err), &err, file);
  k->r.model = jt_compile(k->r.spec, NULL);
  snprintf(file, sizeof file, "scenarios/%s.yaml", v->scenario);
  jt_ok(jn_scenario_load(file, &k->r.scenario, &err), &err, file);
  jn_sim_opts opts = jn_sim_opts_of(k->r.scenario);
  opts.path = path;
  opts.integrator = integrator;
  jt_ok(jn_system_create(k->r.model, k->r.scenario, &opts, &k->r.system, &err), &err, v->model);
  jt_ok(jn_data_create(k->r.system, &k->r.data, &err), &err, v->model);
}

static void end(run *k)
{
  jn_rows_free(k->rows);
  jt_end(&k->r);
}

static bool is_drive(const jt_run *r, int channel)  // what a rack needs: lanes have that
{
  return strstr(jn_channel_at(r->system, channel).name, ".drive") &&
         !strncmp(jn_channel_at(r->system, channel).name, "joint.", 6);
}

static void choose_all(run *k, bool reactions)
{
  jn_error err = {0};
  const int n = jn_channel_count(k->r.system);
  assert_true(n < CHANNELS);
  for (int i = 0; i < n; i++)
    if (reactions || !jn_channel_is_reaction(k->r.system, i) || is_drive(&k->r, i))
      k->channel[k->n++] = i;
  jt_ok(jn_rows_create(k->r.system, k->channel, k->n, &k->rows, &err), &err, "rows");
  assert_true(reactions || !jn_rows_general(k->rows));
}

// What a channel is compared by: the largest number of its unit in the row; of accelerations at least gravity, as the two paths are
// compared in a run.
static double scale_of(const run *k, const double *row, int channel)
{
  const char *unit = jn_channel_at(k->r.system, channel).unit;
  double scale = strstr(unit, "/s²") ? 9.81 : 1e-3;
  for (int i = 0; i < jn_channel_count(k->r.system); i++)
    if (!strcmp(jn_channel_at(k->r.system, i).unit, unit)) scale = fmax(scale, fabs(row[i]));
  return scale;
}

// Rounding of the two paths at one state: 1e-13 to 1e-9 of accelerations (jn_run_stats.path_difference). Residuals of loops are
// compared with what loops are allowed to have: lanes measure distances by their squares.
static void compare_with_general(run *k, const vehicle *v)
{
  const double *row = jt_row(&k->r);
  for (int i = 0; i < k->n; i++) {
    const jn_channel c = jn_channel_at(k->r.system, k->channel[i]);
    if (!strcmp(c.name, "solver.events")) continue;
    const double x = k->row[i], y = row[k->channel[i]];
    const double size = scale_of(k, row, k->channel[i]);
    if (!(fabs(x - y) <= 1e-9 * size))
      fail_msg("%s at %g s: %s is %.17g in lanes, %.17g by the general path", v->model,
               jn_time(k->r.data), c.name, x, y);
  }
}

static void lanes_give_the_rows_of_the_general_path(void **state)
{
  (void)state;
  static run k;
  const jn_path path[] = {JN_PATH_AUTO, JN_PATH_NARROW};
  for (size_t i = 0; i < sizeof in_lanes / sizeof *in_lanes; i++)
    for (int p = 0; p < 2; p++) {
      load(&in_lanes[i], path[p], JN_INTEGRATOR_AB3, &k);
      assert_null(jn_system_path(k.r.system).general);
      choose_all(&k, false);
      for (int n = 0; n <= in_lanes[i].steps; n++) {
        if (n % 97 == 0) {
          jt_flag(&k.r, jn_rows_fill(k.rows, k.r.data, k.row));
          compare_with_general(&k, &in_lanes[i]);
        }
        jt_steps(&k.r, 1);
      }
      end(&k);
    }
}

static void general_path_gives_the_same_bits(void **state)
{
  (void)state;
  static run k;
  for (size_t i = 0; i < sizeof general / sizeof *general; i++) {
    load(&general[i], JN_PATH_AUTO, JN_INTEGRATOR_RK4, &k);
    choose_all(&k, true);
    for (int n = 0; n <= general[i].steps; n++) {
      jt_flag(&k.r, jn_rows_fill(k.rows, k.r.data, k.row));
      if (n % 50 == 0) {
        const double *row = jt_row(&k.r);
        for (int c = 0; c < k.n; c++)  // of the energy's drift the row before is the first
          if (memcmp(&k.row[c], &row[k.channel[c]], sizeof *row))
            fail_msg("%s: %s is %.17g, in the whole row %.17g", general[i].model,
                     jn_channel_at(k.r.system, k.channel[c]).name, k.row[c], row[k.channel[c]]);
      }
      jt_steps(&k.r, 1);
    }
    end(&k);
  }
}

static void a_selection_has_the_bits_of_the_whole(void **state)
{
  (void)state;
  static run k;
  for (size_t i = 0; i < sizeof in_lanes / sizeof *in_lanes; i++) {
    uint64_t seed = 77 + i;
    load(&in_lanes[i], JN_PATH_AUTO, JN_INTEGRATOR_AB3, &k);
    choose_all(&k, false);
    jt_steps(&k.r, 211);
    jt_flag(&k.r, jn_rows_fill(k.rows, k.r.data, k.row));
    for (int trial = 0; trial < 40; trial++) {
      enum { SOME = 12 };
      int channel[SOME], at[SOME];
      double row[SOME];
      jn_rows *some;
      jn_error err = {0};
      for (int c = 0; c < SOME; c++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        at[c] = (int)((seed >> 33) % (uint64_t)k.n);
        channel[c] = k.channel[at[c]];
      }
      jt_ok(jn_rows_create(k.r.system, channel, SOME, &some, &err), &err, "some");
      jt_flag(&k.r, jn_rows_fill(some, k.r.data, row));
      for (int c = 0; c < SOME; c++)
        if (memcmp(&row[c], &k.row[at[c]], sizeof *row))
          fail_msg("%s: %s is %.17g alone, %.17g among all", in_lanes[i].model,
                   jn_channel_at(k.r.system, channel[c]).name, row[c], k.row[at[c]]);
      jn_rows_free(some);
    }
    end(&k);
  }
}

static void rows_leave_the_motion_as_it_is(void **state)
{
  (void)state;
  static run a, b;
  const jn_integrator integrator[] = {JN_INTEGRATOR_AB3, JN_INTEGRATOR_RK4,
                                      JN_INTEGRATOR_SEMI_EULER};
  for (size_t i = 0; i < sizeof in_lanes / sizeof *in_lanes; i++)
    for (int m = 0; m < 3; m++) {
      load(&in_lanes[i], JN_PATH_AUTO, integrator[m], &a);
      load(&in_lanes[i], JN_PATH_AUTO, integrator[m], &b);
      choose_all(&a, false);
      for (int n = 0; n < 150; n++) {
        jt_flag(&a.r, jn_rows_fill(a.rows, a.r.data, a.row));
        jt_steps(&a.r, 1), jt_steps(&b.r, 1);
      }
      const double *x = jt_row(&a.r), *y = jt_row(&b.r);
      for (int c = 0; c < jn_channel_count(a.r.system); c++) {
        const char *name = jn_channel_at(a.r.system, c).name;
        if (strcmp(name, "solver.energy_drift") && memcmp(&x[c], &y[c], sizeof *x))
          fail_msg("%s: %s is %.17g with rows, %.17g without", in_lanes[i].model, name, x[c], y[c]);
      }
      end(&a), end(&b);
    }
}

// Along the axes that the body's quaternion gives, from velocities in world axes: longitudinal and lateral velocity, yaw rate.
static void own_axes_are_those_of_the_quaternion(void **state)
{
  (void)state;
  static run k;
  static const char *const body[] = {"chassis", "wheel_fl"};
  load(&in_lanes[2], JN_PATH_AUTO, JN_INTEGRATOR_AB3, &k);
  choose_all(&k, false);
  jt_steps(&k.r, 700);
  jt_flag(&k.r, jn_rows_fill(k.rows, k.r.data, k.row));
  double all[CHANNELS] = {0}, moved = 0.0;
  for (int i = 0; i < k.n; i++) all[k.channel[i]] = k.row[i];
  for (int i = 0; i < 2; i++) {
    static const char *const suffix[] = {
        "qw", "qx", "qy",      "qz",      "vx",      "vy",     "vz",     "wx",
        "wy", "wz", "speed_x", "speed_y", "speed_z", "rate_x", "rate_y", "rate_z"};
    double x[16];
    for (int c = 0; c < 16; c++) {
      char name[64];
      snprintf(name, sizeof name, "%s.%s", body[i], suffix[c]);
      x[c] = all[jt_channel(&k.r, name)];
    }
    const double w = x[0], a = x[1], b = x[2], c = x[3];
    const double axis[3][3] = {{1 - 2 * (b * b + c * c), 2 * (a * b + w * c), 2 * (a * c - w * b)},
                               {2 * (a * b - w * c), 1 - 2 * (a * a + c * c), 2 * (b * c + w * a)},
                               {2 * (a * c + w * b), 2 * (b * c - w * a), 1 - 2 * (a * a + b * b)}};
    for (int n = 0; n < 3; n++) {
      double speed = 0.0, rate = 0.0;
      for (int m = 0; m < 3; m++) speed += axis[n][m] * x[4 + m], rate += axis[n][m] * x[7 + m];
      assert_true(fabs(speed - x[10 + n]) < 1e-12 * fabs(x[4]));
      assert_true(fabs(rate - x[13 + n]) < 1e-11);
      moved = fmax(moved, fabs(speed - x[4 + n]));
    }
  }
  assert_true(moved > 0.01);  // they have turned
  end(&k);
}

// Random inputs lead to states that no scenario has: turned, leaning, far from where it began.
static void shake(run *k, jt_random *r)
{
  for (int c = 0; c < jn_channel_count(k->r.system); c++) {
    const jn_channel what = jn_channel_at(k->r.system, c);
    if (!what.input) continue;
    const double most = strstr(what.name, "rack")    ? 0.02
                        : strstr(what.name, "brake") ? 800.0
                        : strstr(what.name, "drive") ? 600.0
                                                     : 0.0;
    if (most > 0.0) jn_input_set(k->r.data, c, jt_random_in(r, 0.0, most), 0.0);
  }
}

static void selections_agree_with_the_general_path_at_random_states(void **state)
{
  (void)state;
  static run k;
  jt_random r = {11};
  for (size_t i = 0; i < sizeof in_lanes / sizeof *in_lanes; i++) {
    load(&in_lanes[i], JN_PATH_AUTO, JN_INTEGRATOR_AB3, &k);
    const int all = jn_channel_count(k.r.system);
    for (int trial = 0; trial < 25; trial++) {
      jn_error err = {0};
      shake(&k, &r);
      jt_steps(&k.r, 1 + jt_random_below(&r, 60));
      for (k.n = 0; k.n < 50;) {
        const int c = jt_random_below(&r, all);
        if (!jn_channel_is_reaction(k.r.system, c)) k.channel[k.n++] = c;
      }
      jt_ok(jn_rows_create(k.r.system, k.channel, k.n, &k.rows, &err), &err, "some");
      jt_flag(&k.r, jn_rows_fill(k.rows, k.r.data, k.row));
      compare_with_general(&k, &in_lanes[i]);
      jn_rows_free(k.rows);
      k.rows = NULL;
    }
    end(&k);
  }
}

// Rows that need the general path have the bits of its whole row; what a run reports of energy and residuals is the same.
static void rows_with_reactions_have_the_bits_of_the_whole(void **state)
{
  (void)state;
  static run a, b;
  for (size_t i = 0; i < sizeof in_lanes / sizeof *in_lanes; i++) {
    jn_error err = {0};
    load(&in_lanes[i], JN_PATH_AUTO, JN_INTEGRATOR_AB3, &a);
    load(&in_lanes[i], JN_PATH_AUTO, JN_INTEGRATOR_AB3, &b);
    const int all = jn_channel_count(a.r.system);
    for (int c = 0; c < all; c++)
      if (strncmp(jn_channel_at(a.r.system, c).name, "solver.", 7) != 0) a.channel[a.n++] = c;
    jt_ok(jn_rows_create(a.r.system, a.channel, a.n, &a.rows, &err), &err, "rows");
    assert_non_null(jn_rows_general(a.rows));
    jn_data_audit(b.r.data, JN_AUDIT_ALL);
    for (int n = 0; n < 5; n++) {
      jt_flag(&a.r, jn_rows_fill(a.rows, a.r.data, a.row));
      const double *row = jt_row(&b.r);
      for (int c = 0; c < a.n; c++)
        if (memcmp(&a.row[c], &row[a.channel[c]], sizeof *row))
          fail_msg("%s: %s is %.17g, in the whole row %.17g", in_lanes[i].model,
                   jn_channel_at(a.r.system, a.channel[c]).name, a.row[c], row[a.channel[c]]);
      jt_steps(&a.r, 40), jt_steps(&b.r, 40);
    }
    const jn_run_stats x = jn_data_stats(a.r.data), y = jn_data_stats(b.r.data);
    assert_true(x.energy == y.energy && x.energy_drift == y.energy_drift);
    assert_true(x.position_norm == y.position_norm && x.velocity_norm == y.velocity_norm);
    end(&a), end(&b);
  }
}

static void reactions_come_from_the_general_path(void **state)
{
  (void)state;
  static run k;
  load(&in_lanes[0], JN_PATH_AUTO, JN_INTEGRATOR_AB3, &k);
  jn_error err = {0};
  const int channel[] = {jt_channel(&k.r, "joint.uca_pivot_fl.fz"), jt_channel(&k.r, "chassis.z")};
  jt_ok(jn_rows_create(k.r.system, channel, 2, &k.rows, &err), &err, "rows");
  assert_string_equal(jn_rows_general(k.rows), "joint.uca_pivot_fl.fz");
  jt_steps(&k.r, 100);
  jt_flag(&k.r, jn_rows_fill(k.rows, k.r.data, k.row));
  const double *row = jt_row(&k.r);
  assert_true(fabs(k.row[0]) > 1.0);
  for (int i = 0; i < 2; i++)
    assert_true(fabs(k.row[i] - row[channel[i]]) <= 1e-9 * fabs(row[channel[i]]));
  const int wrong = jn_channel_count(k.r.system);
  jn_rows *none;
  assert_int_equal(jn_rows_create(k.r.system, &wrong, 1, &none, &err), JN_E_CALL);
  assert_null(none);
  end(&k);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lanes_give_the_rows_of_the_general_path),
      cmocka_unit_test(general_path_gives_the_same_bits),
      cmocka_unit_test(a_selection_has_the_bits_of_the_whole),
      cmocka_unit_test(rows_leave_the_motion_as_it_is),
      cmocka_unit_test(own_axes_are_those_of_the_quaternion),
      cmocka_unit_test(selections_agree_with_the_general_path_at_random_states),
      cmocka_unit_test(rows_with_reactions_have_the_bits_of_the_whole),
      cmocka_unit_test(reactions_come_from_the_general_path),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
