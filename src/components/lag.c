// lag.c: first order: x' = (u - x) / time, a declared state, so that any time constant is stable at any step.
#include <math.h>

#include "components/component_kinds.h"

static const jn_component_parameter parameters[] = {
    {"time", "s", "time constant", NAN, JN_ABOVE_ZERO}};
static const jn_port in[] = {{"in", "SI", "what it follows", .direct = 0}};
static const jn_port out[] = {{"out", "SI", "input behind the time constant", .rates = 0}};
static const jn_state_info states[] = {{"state", "SI", "the same", 1}};

static void start(const void *self, const double *u, double *x)
{
  (void)self;
  x[0] = u[0];
}

static void outputs(const void *self, const jn_component_io *io)
{
  (void)self;
  io->y[0] = io->x[0];
}

static void rates(const void *self, const jn_component_io *io)
{
  const double *time = self;
  io->a[0] = 1.0 / *time;
  io->dx[0] = io->a[0] * (io->u[0] - io->x[0]);
}

const jn_component_table jn_component_lag = {JN_COMPONENT("lag"), .nstate = JN_COUNT(states),
                                             .state = states, .start = start, .rates = rates};
