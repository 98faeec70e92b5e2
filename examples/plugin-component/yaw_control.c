// yaw_control.c: a controller of the yaw rate, which brakes the wheels of one side.
//
//   r_wanted = v steer / (wheelbase + understeer v²),  |r_wanted| v <= most_accel    the linear single-track car
//   M = gain (r_wanted - r) behind a lag of the hydraulics, u' = (M - u) / lag
//
// A positive u turns to the left: the left wheels brake, each with half of it; a negative one the right wheels.
#include <jounce/plugin.h>
#include <math.h>

enum { GAIN, WHEELBASE, UNDERSTEER, MOST_ACCEL, MOST, LAG, NPARAMETER };
static const jn_component_parameter parameters[] = {
    [GAIN] = {"gain", "N m s", "brake torque per error of the yaw rate", NAN, JN_ABOVE_ZERO},
    [WHEELBASE] = {"wheelbase", "m", "of the vehicle", NAN, JN_ABOVE_ZERO},
    [UNDERSTEER] = {"understeer", "s²/m", "understeer coefficient", 0.0, JN_NOT_NEGATIVE},
    [MOST_ACCEL] = {"most_accel", "m/s²", "lateral acceleration that is asked for at most", 4.0,
                    JN_ABOVE_ZERO},
    [MOST] = {"most", "N m", "largest torque of a side", 4000.0, JN_ABOVE_ZERO},
    [LAG] = {"lag", "s", "time constant of the brakes", 0.03, JN_ABOVE_ZERO},
};

enum { STEER, SPEED, RATE, NIN };
static const jn_port in[] = {
    // none is direct: outputs follow from the state alone
    [STEER] = {"steer", "rad", "steer angle of the front wheels", .direct = 0},
    [SPEED] = {"speed", "m/s", "longitudinal velocity", .direct = 0},
    [RATE] = {"rate", "rad/s", "yaw rate", .direct = 0},
};

enum { LEFT, RIGHT, NOUT };
static const jn_port out[] = {
    [LEFT] = {"left", "N m", "brake torque of the left side", .shared = 1},
    [RIGHT] = {"right", "N m", "brake torque of the right side", .shared = 1},
};

static const jn_state_info state[] = {
    {"torque", "N m", "behind the lag, to the left if positive", 1}};

static double within(double x, double limit)
{
  return x > limit ? limit : x < -limit ? -limit : x;
}

static void outputs(const void *self, const jn_component_io *io)
{
  (void)self;
  io->y[LEFT] = io->x[0] > 0.0 ? io->x[0] : 0.0;
  io->y[RIGHT] = io->x[0] < 0.0 ? -io->x[0] : 0.0;
}

static void rates(const void *self, const jn_component_io *io)
{
  const double *p = self;  // parameters, in the table's order
  const double v = io->u[SPEED];
  const double wanted = v * io->u[STEER] / (p[WHEELBASE] + p[UNDERSTEER] * v * v);
  const double limited = within(wanted, p[MOST_ACCEL] / fmax(fabs(v), 1.0));
  const double moment = within(p[GAIN] * (limited - io->u[RATE]), p[MOST]);
  io->a[0] = 1.0 / p[LAG];
  io->dx[0] = io->a[0] * (moment - io->x[0]);
}

const jn_component_table jounce_component = {.version = JN_PLUGIN_VERSION,
                                             .kind = "yaw-control",
                                             .nin = NIN,
                                             .nout = NOUT,
                                             .nstate = 1,
                                             .nparameter = NPARAMETER,
                                             .in = in,
                                             .out = out,
                                             .state = state,
                                             .parameter = parameters,
                                             .outputs = outputs,
                                             .rates = rates};
