// sum.c: y = Σ weight u, of what is connected.
#include "components/component_kinds.h"

static const jn_component_parameter parameters[] = {
    {"weight_a", "SI", "of `a`", 1.0, JN_ANY_NUMBER},
    {"weight_b", "SI", "of `b`", 1.0, JN_ANY_NUMBER},
    {"weight_c", "SI", "of `c`", 1.0, JN_ANY_NUMBER},
    {"weight_d", "SI", "of `d`", 1.0, JN_ANY_NUMBER},
};
static const jn_port in[] = {
    {"a", "SI", "first of what is summed", .direct = 1},
    {"b", "SI", "second", .direct = 1},
    {"c", "SI", "third", .direct = 1},
    {"d", "SI", "fourth", .direct = 1},
};
static const jn_port out[] = {{"out", "SI", "weighted sum of its inputs", .rates = 0}};

static void outputs(const void *self, const jn_component_io *io)
{
  const double *weight = self;
  double sum = 0.0;
  for (int i = 0; i < 4; i++) sum += weight[i] * io->u[i];
  io->y[0] = sum;
}

const jn_component_table jn_component_sum = {JN_COMPONENT("sum")};
