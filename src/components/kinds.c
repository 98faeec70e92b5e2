#include "components/kinds.h"

#include <stdio.h>

#define X(name) &jn_component_##name,
static const jn_component_table *const tables[] = {JN_COMPONENT_KINDS(X) NULL};
#undef X

static const char *const helps[] = {
    "Critically damped, of second order, with its rates: what may prescribe a motion",
    "A factor and an offset, within limits",
    "First order: follows its input behind a time constant",
    "Proportional, integral and derivative action within limits, at which the integral does not "
    "wind up",
    "A driver who holds a speed by a torque, within limits; what `drivers` makes",
    "Up to four signals, each with its weight",
};

const jn_component_table *jn_component_kind(int i)
{
  return tables[i];
}

const char *jn_component_help(int i)
{
  return helps[i];
}

int jn_component_limits(const jn_plugin_setup *setup, double least, double most)
{
  if (least < most) return 0;
  snprintf(setup->reason, setup->reason_size,
           "`least` is %.9g and `most` is %.9g; the least must be below the most", least, most);
  return 1;
}
