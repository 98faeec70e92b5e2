// tyre_alone.h: a tyre alone (jounce/tyre.h).
#ifndef JN_RUN_TYRE_ALONE_H
#define JN_RUN_TYRE_ALONE_H

#include "jounce/tyre.h"
#include "plan/system.h"
#include "spec/spec_internal.h"

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
