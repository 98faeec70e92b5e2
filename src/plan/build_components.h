// build_components.h: what the two stages that build components share.
#ifndef JN_PLAN_BUILD_COMPONENTS_H
#define JN_PLAN_BUILD_COMPONENTS_H

#include "plan/build.h"
#include "spec/names.h"

static inline jn_text jn_component_path(const jn_component *c)  // where a message finds it
{
  return jn_entry(c->section, c->own);
}

// By name, of those with channels, which are sorted by it; -1: there is none.
int jn_component_named(const jn_system *s, const char *name, size_t length);

// A number at a port is its only source: an error that names the other one.
jn_status jn_component_two_sources(const jn_component *c, int port, const char *other,
                                   jn_error *err);

#endif
