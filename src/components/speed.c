// speed.c: a driver who holds a speed: a PI controller within the limits of its torque.
#include <math.h>

#include "components/component_kinds.h"

enum { GAIN, INTEGRAL_TIME, MOST, LEAST };
static const jn_component_parameter parameters[] = {
    [GAIN] = {"gain", "N m s/m", "torque per error of the speed", NAN, JN_ABOVE_ZERO},
    [INTEGRAL_TIME] = {"integral_time", "s", "time in which a lasting error adds as much again",
                       NAN, JN_ABOVE_ZERO},
    [MOST] = {"most", "N m", "largest torque", INFINITY, JN_ANY_NUMBER},
    [LEAST] = {"least", "N m", "least torque", -INFINITY, JN_ANY_NUMBER},
};
enum { SPEED, MEASURED };
static const jn_port in[] = {
    [SPEED] = {"speed", "m/s", "speed that the driver aims at", .direct = 1},
    [MEASURED] = {"measured", "m/s", "forward speed of its body", .direct = 1},
};
static const jn_port out[] = {{"torque", "N m", "on all its wheels together", .shared = 1}};
static const jn_state_info states[] = {
    {"integral", "N m", "part of it that errors of the speed have summed up to", 0}};

static int init(const jn_plugin_setup *setup, void **self)
{
  (void)self;
  return jn_component_limits(setup, setup->value[LEAST], setup->value[MOST]);
}

// With the error e of the speed and the state z, the part of the torque that has summed up [AsH06, ch. 3]:
//
//   T = gain e + z, at least `least` and at most `most`,   z' = (T - z) / Ti
//
// Between the limits z' = gain e / Ti: an integral. At a limit z goes to that limit and no farther, so that
// it has not wound up when the error changes its sign.
static double torque(const double *p, const jn_component_io *io)
{
  return jn_component_within(p[GAIN] * (io->u[SPEED] - io->u[MEASURED]) + io->x[0], p[LEAST],
                             p[MOST]);
}

static void outputs(const void *self, const jn_component_io *io)
{
  io->y[0] = torque(self, io);
}

static void rates(const void *self, const jn_component_io *io)
{
  const double *p = self;
  io->dx[0] = (torque(p, io) - io->x[0]) / p[INTEGRAL_TIME];
}

const jn_component_table jn_component_speed = {JN_COMPONENT("speed"), .nstate = JN_COUNT(states),
                                               .state = states, .init = init, .rates = rates};
