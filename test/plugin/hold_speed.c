// hold_speed.c: the built-in component `speed`, written again as a user would: it must give the same bits.
#include <jounce/plugin.h>
#include <math.h>
#include <stdlib.h>

static const jn_component_parameter parameters[] = {
    {"gain", "N m s/m", "torque per error", NAN, JN_ABOVE_ZERO},
    {"time", "s", "of the integral", 1.0, JN_ABOVE_ZERO},
    {"limit", "N m", "of the torque", NAN, JN_ABOVE_ZERO},
};
static const jn_port in[] = {{"wanted", "m/s", "speed to hold", .direct = 1, .unconnected = 7.5},
                             {"now", "m/s", "speed as it is", .direct = 1}};
static const jn_port out[] = {{"torque", "N m", "on all wheels", .shared = 1}};
static const jn_state_info state[] = {{"sum", "N m", "of errors", 0}};

typedef struct hold {
  double gain, time, limit;
} hold;

static int init(const jn_plugin_setup *setup, void **self)
{
  hold *h = malloc(sizeof *h);
  if (!h || !setup->connected[1]) {
    free(h);
    return 1;
  }
  h->gain = jn_plugin_number(setup, "gain", 0.0);
  h->time = jn_plugin_number(setup, "time", 0.0);
  h->limit = jn_plugin_number(setup, "limit", 0.0);
  *self = h;
  return 0;
}

static double torque(const hold *h, const jn_component_io *io)
{
  const double x = h->gain * (io->u[0] - io->u[1]) + io->x[0];
  return x > h->limit ? h->limit : x < -h->limit ? -h->limit : x;
}

static void outputs(const void *self, const jn_component_io *io)
{
  io->y[0] = torque(self, io);
}

static void rates(const void *self, const jn_component_io *io)
{
  const hold *h = self;
  io->dx[0] = (torque(h, io) - io->x[0]) / h->time;
}

const jn_component_table jounce_component = {
    JN_PLUGIN_VERSION, "hold", 2, 1,       1,     3, in,  out, state,
    parameters,        init,   0, outputs, rates, 0, free};
