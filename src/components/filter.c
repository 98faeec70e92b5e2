// filter.c: second order, critically damped: x'' = w² (u - x) - 2 w x' with w = 1 / time. Its output has a rate and an
// acceleration whatever its input does, so that it may prescribe a motion.
#include <math.h>

#include "components/component_kinds.h"

static const jn_component_parameter parameters[] = {
    {"time", "s", "time constant, twice", NAN, JN_ABOVE_ZERO}};
static const jn_port in[] = {
    {"in", "SI", "what it follows", .direct = 1}};  // the acceleration is its matter
static const jn_port out[] = {{"out", "SI", "input behind the filter", .rates = 2}};
static const jn_state_info states[] = {{"state", "SI", "the same", 0},
                                       {"rate", "SI/s", "its rate", 0}};

static void start(const void *self, const double *u, double *x)
{
  (void)self;
  x[0] = u[0], x[1] = 0.0;
}

static double accel(const double *time, const jn_component_io *io)
{
  const double w = 1.0 / *time;
  return w * (w * (io->u[0] - io->x[0]) - 2.0 * io->x[1]);
}

static void outputs(const void *self, const jn_component_io *io)
{
  io->y[0] = io->x[0], io->y[1] = io->x[1], io->y[2] = accel(self, io);
}

static void rates(const void *self, const jn_component_io *io)
{
  io->dx[0] = io->x[1], io->dx[1] = accel(self, io);
}

const jn_component_table jn_component_filter = {JN_COMPONENT("filter"), .nstate = JN_COUNT(states),
                                                .state = states, .start = start, .rates = rates};
