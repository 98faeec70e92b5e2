// gain.c: y = factor u + offset, at least `least` and at most `most`.
#include <math.h>

#include "components/component_kinds.h"

enum { FACTOR, OFFSET, LEAST, MOST };
static const jn_component_parameter parameters[] = {
    {"factor", "SI", "output per input", NAN, JN_ANY_NUMBER},
    {"offset", "SI", "added to it", 0.0, JN_ANY_NUMBER},
    {"least", "SI", "lower limit of the output", -INFINITY, JN_ANY_NUMBER},
    {"most", "SI", "upper limit", INFINITY, JN_ANY_NUMBER},
};
static const jn_port in[] = {{"in", "SI", "what is multiplied", .direct = 1}};
static const jn_port out[] = {{"out", "SI", "factor × in + offset, within the limits", .rates = 0}};

static int init(const jn_plugin_setup *setup, void **self)
{
  (void)self;
  return jn_component_limits(setup, setup->value[LEAST], setup->value[MOST]);
}

static void outputs(const void *self, const jn_component_io *io)
{
  const double *p = self;
  io->y[0] = jn_component_within(p[FACTOR] * io->u[0] + p[OFFSET], p[LEAST], p[MOST]);
}

const jn_component_table jn_component_gain = {JN_COMPONENT("gain"), .init = init};
