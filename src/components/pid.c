// pid.c: proportional, integral and derivative action within limits, in the form
//
//   T = gain (e + Td e') + z, at least `least` and at most `most`,   z' = (T - gain Td e' - z) / Ti
//
// with e = target - measured. Between the limits z' = gain e / Ti; at a limit the integral goes to it and no farther
// [AsH06, ch. 3]. Without `integral_time` there is none. e' is that of the measured value where `rate` is connected (the
// target's rate is left aside, so that its steps give no blow), else of the error behind a lag of `filter_time`, a declared
// state w: e' = (e - w) / Tf, w' = (e - w) / Tf.
#include <math.h>
#include <stdio.h>

#include "components/component_kinds.h"

enum { GAIN, INTEGRAL_TIME, DERIVATIVE_TIME, FILTER_TIME, MOST, LEAST };
static const jn_component_parameter parameters[] = {
    [GAIN] = {"gain", "SI", "output per error", NAN, JN_ANY_NUMBER},
    [INTEGRAL_TIME] = {"integral_time", "s", "time in which a lasting error adds as much again",
                       INFINITY, JN_ABOVE_ZERO},
    [DERIVATIVE_TIME] = {"derivative_time", "s", "by which the error is extrapolated", 0.0,
                         JN_NOT_NEGATIVE},
    [FILTER_TIME] = {"filter_time", "s", "of the lag behind which the error is differentiated", 0.0,
                     JN_NOT_NEGATIVE},
    [MOST] = {"most", "SI", "upper limit of the output", INFINITY, JN_ANY_NUMBER},
    [LEAST] = {"least", "SI", "lower limit", -INFINITY, JN_ANY_NUMBER},
};
enum { TARGET, MEASURED, RATE };
static const jn_port in[] = {
    [TARGET] = {"target", "SI", "what the measured value should be", .direct = 1},
    [MEASURED] = {"measured", "SI", "what is controlled", .direct = 1},
    [RATE] = {"rate", "SI/s", "rate of `measured`, for the derivative part", .direct = 1},
};
static const jn_port out[] = {{"out", "SI", "what it asks for", .rates = 0}};
enum { INTEGRAL, LAGGED };
static const jn_state_info states[] = {
    [INTEGRAL] = {"integral", "SI", "part of the output that errors have summed up to", 0},
    [LAGGED] = {"lagged", "SI", "error behind `filter_time`", 1},
};

static int init(const jn_plugin_setup *setup, void **self)
{
  (void)self;
  const double *p = setup->value;
  if (p[DERIVATIVE_TIME] > 0.0 && (p[FILTER_TIME] > 0.0) == setup->connected[RATE]) {
    snprintf(setup->reason, setup->reason_size,
             setup->connected[RATE]
                 ? "has a `filter_time`, and the input `rate` is connected too; "
                   "leave one of them out"
                 : "`derivative_time` needs the input `rate`, or a `filter_time`");
    return 1;
  }
  return jn_component_limits(setup, p[LEAST], p[MOST]);
}

typedef struct action {
  double out, derivative;
} action;

static action act(const double *p, const jn_component_io *io)
{
  const double e = io->u[TARGET] - io->u[MEASURED];
  const double rate = p[FILTER_TIME] > 0.0 ? (e - io->x[LAGGED]) / p[FILTER_TIME] : -io->u[RATE];
  const double derivative = p[GAIN] * p[DERIVATIVE_TIME] * rate;
  const double wanted = p[GAIN] * e + io->x[INTEGRAL] + derivative;
  return (action){jn_component_within(wanted, p[LEAST], p[MOST]), derivative};
}

static void start(const void *self, const double *u, double *x)
{
  const double *p = self;
  x[INTEGRAL] = 0.0;
  x[LAGGED] = p[FILTER_TIME] > 0.0 ? u[TARGET] - u[MEASURED] : 0.0;
}

static void outputs(const void *self, const jn_component_io *io)
{
  io->y[0] = act(self, io).out;
}

static void rates(const void *self, const jn_component_io *io)
{
  const double *p = self;
  const action k = act(p, io);
  io->dx[INTEGRAL] = (k.out - k.derivative - io->x[INTEGRAL]) / p[INTEGRAL_TIME];
  io->a[0] = p[FILTER_TIME] > 0.0 ? 1.0 / p[FILTER_TIME] : 0.0;
  io->dx[LAGGED] = io->a[0] * (io->u[TARGET] - io->u[MEASURED] - io->x[LAGGED]);
}

const jn_component_table jn_component_pid = {JN_COMPONENT("pid"), .nstate = JN_COUNT(states),
                                             .state = states,     .init = init,
                                             .start = start,      .rates = rates};
