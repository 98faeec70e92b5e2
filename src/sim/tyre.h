// tyre.h: a tyre that stands by itself (jounce/tyre.h).
#ifndef JN_SIM_TYRE_H
#define JN_SIM_TYRE_H

#include "core/system.h"
#include "jounce/tyre.h"
#include "spec/spec.h"

struct jn_tyre {
  jn_pool pool;              // owns everything below but the spec
  jn_spec *own;              // the tyre's own spec, NULL: it belongs to somebody else
  const jn_tyre_spec *spec;  // which is in a spec
  jn_tyre_data data;         // at its own pressure
  double *table;             // of its curves, at any pressure
  jn_tyre_info info;
  jn_tyre_entry *entry;
  int nentry;
};

#endif
