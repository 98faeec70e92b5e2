// A vehicle's suspension and its ride against solutions from elsewhere (test/validation/README.md): kinematic curves of
// the quarter car's double wishbone, and the peer vehicle's turn.
#include "base/quat.h"
#include "validation.h"

// ---- kinematics -------------------------------------------------------------------------------------

static double at(const vt_run *run, const char *channel)
{
  const int i = jn_channel_find(run->system, channel);
  if (i < 0) fail_msg("there is no channel %s", channel);
  return jn_row(run->data)[i];
}

typedef struct corner {
  double dz, camber, toe, dx, dy, contact_dx, contact_dy, spring;
} corner;

// Assembled with the lower arm at an angle, the chassis held.
static corner look(double angle)
{
  static vt_report report;
  vt_run run;
  char text[256];
  snprintf(text, sizeof text,
           "jounce: 1\ninclude: models/quarter-car.yaml\ninitial:\n  LCA_pivot: {angle: %.17g}\n"
           "  guide: {position: 0}\n",
           angle);
  if (!vt_open(&run, "quarter.yaml", text, NULL, &(jn_sim_opts){0}, &report))
    fail_msg("%s", report.broken);
  jn_evaluate(run.system, run.data);
  const q4 q = q_make(at(&run, "knuckle.qw"), v3_set(at(&run, "knuckle.qx"), at(&run, "knuckle.qy"),
                                                     at(&run, "knuckle.qz")));
  const v3 a = q_rotate(q, v3_set(0, 1, 0));
  const double down = 0.30 / sqrt(1.0 - a.z * a.z);
  corner c = {.dz = at(&run, "wheel.z") - 0.3,
              .camber = -asin(a.z),
              .toe = atan2(a.x, a.y),
              .dx = at(&run, "wheel.x"),
              .dy = at(&run, "wheel.y") - 0.75,
              .spring = at(&run, "force.strut.length")};
  c.contact_dx = c.dx + down * a.z * a.x;
  c.contact_dy = c.dy + down * a.z * a.y;
  vt_close(&run);
  return c;
}

static void curves_of_the_double_wishbone(void **state)
{
  (void)state;
  vt_table t;
  assert_true(vt_table_read(&t, "test/validation/data/quarter-car-kinematics.csv"));
  assert_true(t.nrow > 40);
  double worst = 0.0;
  for (int r = 0; r < t.nrow; r++) {
    const corner c = look(vt_value(&t, r, vt_column(&t, "lca_angle_rad")));
    const struct {
      const char *column;
      double is, scale;
    } value[] = {{"wheel_travel_mm", c.dz, 1e-3},
                 {"camber_rad", c.camber, 1},
                 {"toe_rad", c.toe, 1},
                 {"wheelcentre_dx_m", c.dx, 1},
                 {"wheelcentre_dy_m", c.dy, 1},
                 {"contact_dx_m", c.contact_dx, 1},
                 {"contact_dy_m", c.contact_dy, 1},
                 {"spring_length_m", c.spring, 1}};
    for (size_t k = 0; k < sizeof value / sizeof *value; k++) {
      const double want = value[k].scale * vt_value(&t, r, vt_column(&t, value[k].column));
      // A hundred times half a unit of the 14th digit, and of what a metre rounds to.
      const double allowed = 100.0 * (5e-14 * fabs(want) + 0x1p-53);
      JT_NEAR(value[k].is, want, allowed);
      worst = fmax(worst, fabs(value[k].is - want) / allowed);
    }
  }
  print_message("largest difference: %.2g of what is allowed\n", worst);
  vt_table_free(&t);
}

// ---- the peer vehicle -------------------------------------------------------------------------------

// Chassis at 2, 4 .. 10 s; lateral acceleration along its horizontal left axis, by differences over 10 ms.
static void turn(jn_integrator integrator, double part)
{
  static const char *const channel[] = {"chassis.x", "chassis.y", "chassis.z", "chassis.yaw",
                                        "chassis.roll"};
  static const char *const column[] = {"x_m", "y_m", "z_m", "yaw_rad", "roll_rad"};
  static vt_report report;
  vt_table t;
  vt_run run;
  assert_true(vt_table_read(&t, "test/validation/data/peer-vehicle.csv"));
  if (!vt_open(&run, "models/peer-vehicle.yaml", NULL, "scenarios/peer-vehicle.yaml",
               &(jn_sim_opts){.integrator = integrator, .step = 1e-3}, &report))
    fail_msg("%s", report.broken);
  double worst = 0.0;
  for (int r = 0; r < t.nrow; r++) {
    const double time = vt_value(&t, r, 0);
    assert_true(vt_advance(&run, time - 0.01, &report));
    const double vx = at(&run, "chassis.vx"), vy = at(&run, "chassis.vy");
    assert_true(vt_advance(&run, time, &report));
    for (int k = 0; k < 5; k++) {
      const int c = vt_column(&t, column[k]);
      const double size =
          k < 2 ? 15.0 * time : vt_peak(&t, c, 1);  // of the path, or of the largest
      const double off = fabs(at(&run, channel[k]) - vt_value(&t, r, c));
      JT_LE(off, part * size);
      worst = fmax(worst, off / size);
    }
    const double yaw = at(&run, "chassis.yaw");
    const double ay =
        (-sin(yaw) * (at(&run, "chassis.vx") - vx) + cos(yaw) * (at(&run, "chassis.vy") - vy)) /
        0.01;
    const int c = vt_column(&t, "ay_mps2");
    JT_NEAR(ay, vt_value(&t, r, c), part * vt_peak(&t, c, 1));
  }
  print_message("largest difference: %.2g %%\n", 100.0 * worst);
  vt_close(&run);
  vt_table_free(&t);
}

static void the_peer_vehicle_turns_as_in_another_engine(void **state)
{
  (void)state;
  turn(JN_INTEGRATOR_RK4, 2e-5);
  turn(JN_INTEGRATOR_AB3, 5e-4);
  turn(JN_INTEGRATOR_SEMI_EULER, 1e-3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(curves_of_the_double_wishbone),
      cmocka_unit_test(the_peer_vehicle_turns_as_in_another_engine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
