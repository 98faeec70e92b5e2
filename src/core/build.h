// build.h: from a plan to a system, stage by stage.
#ifndef JN_CORE_BUILD_H
#define JN_CORE_BUILD_H

#include "core/system.h"

// Bodies, frames, stations, tree joints and cut joints.
jn_status jn_build_bodies(jn_system *s, jn_error *err);

// Core, blocks and the order of elimination. to_core[i]: loop i of the plan must be solved in the core (may be NULL).
jn_status jn_build_order(jn_system *s, const bool *to_core, jn_error *err);

// Of the core's matrices; after jn_build_order.
jn_status jn_build_sparsity(jn_system *s, jn_error *err);

// Inputs, drives and force elements with their tables.
jn_status jn_build_forces(jn_system *s, jn_error *err);

void *jn_build_array(jn_system *s, int n, size_t size);  // from the pool, zeroed
void jn_build_note(jn_system *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
jn_status jn_build_no_memory(const jn_system *s, jn_error *err);

// The body whose tree joint this is, or the cut joint; a driven or fixed joint has no coordinate.
int jn_build_body_of(const jn_system *s, int joint);  // of the spec's joint; -1: it is cut
int jn_build_cut_of(const jn_system *s, int joint);   // -1: it is in the tree

#endif
