#include "components/component_kinds.h"

#include <stdio.h>

#define X(name, help) &jn_component_##name,
static const jn_component_table *const tables[] = {JN_COMPONENT_KINDS(X) NULL};
#undef X

#define X(name, help) help,
static const char *const helps[] = {JN_COMPONENT_KINDS(X)};
#undef X

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
