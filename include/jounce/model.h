// model.h: a spec compiled to its plan: spanning tree, cut joints, loops, subsystems, ranks.
//
// Libraries: the reports (jn_model_show_...) are in libjounce-offline, the rest in libjounce.
#ifndef JOUNCE_MODEL_H
#define JOUNCE_MODEL_H

#include <stdio.h>

#include "jounce/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

// Immutable once compiled: any number of threads may share it.
typedef struct jn_model jn_model;

// Choices of the user on top of those in the file; zero means: as the file says, else automatic.
typedef struct jn_compile_opts {
  const char *base;        // name of the base body
  const char *const *cut;  // names of joints that must be cut
  int ncut;
  int automatic;  // leave the file's own choices aside
  int trees;      // list all spanning trees
} jn_compile_opts;

// What a model amounts to.
typedef struct jn_model_counts {
  int bodies, joints;  // of the file
  int cuts;            // joints that are cut to open the loops
  int coordinates;     // of the tree, 6 of a floating base included, driven ones not
  int constraints;     // rows that the cut joints bring
  int dof;            // coordinates less independent constraints, -1: unknown, too large for a rank
  int redundant;      // constraints that follow from the others in every position
  int singular;       // 1: the design position is one in which further constraints depend
  double weight;      // of the spanning tree
  int longest_chain;  // bodies from the ground to the farthest one
  double operations;  // of one evaluation in `subsystem`, estimated
} jn_model_counts;

// On success the caller owns *out and returns it with jn_model_free(). `opts` may be NULL. The spec
// must outlive the model.
JN_API jn_status jn_model_compile(const jn_spec *spec, const jn_compile_opts *opts, jn_model **out,
                                  jn_error *err);
JN_API void jn_model_free(jn_model *model);  // NULL is allowed
JN_API jn_model_counts jn_model_count(const jn_model *model);

// The topology as text for people, as one JSON object, as a Graphviz graph. `system`: made from the model (jounce/sim.h), for initial
// coordinates; NULL: without them.
struct jn_system;
JN_API void jn_model_show_text(const jn_model *model, FILE *out);
JN_API jn_status jn_model_show_json(const jn_model *model, const struct jn_system *system,
                                    FILE *out, jn_error *err);
JN_API void jn_model_show_dot(const jn_model *model, FILE *out);

#ifdef __cplusplus
}
#endif

#endif
