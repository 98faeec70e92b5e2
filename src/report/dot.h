// dot.h: bodies and joints as Graphviz draws them, in `jounce topology --dot` and `jounce check --diagram`.
#ifndef JN_REPORT_DOT_H
#define JN_REPORT_DOT_H

#include <stdio.h>

#include "plan/topology/topology.h"

// Fill and line of what is of one shape; of -1, the core.
typedef struct jn_dot_colours {
  const char *fill, *line;
} jn_dot_colours;
jn_dot_colours jn_dot_colours_of(int shape);

// Is the ground part of the mechanism? Not if all that it does is carry a floating base.
bool jn_dot_ground(const jn_model *m);
bool jn_dot_joint_shown(const jn_model *m, int edge);

// A body as a box; `lines`: what stands below its name, `more`: further attributes, both may be empty.
void jn_dot_body(const jn_model *m, FILE *out, int node, const char *lines, const char *more);

// A joint as an edge, from the body nearer the ground to the other. Cut joints are dashed.
void jn_dot_joint(const jn_model *m, FILE *out, int edge, const char *more);

// "14 bodies, 21 joints, 8 cut: 11 degrees of freedom"
void jn_dot_counts(const jn_model *m, FILE *out);

// What all nodes and edges have.
void jn_dot_style(FILE *out, const char *edge);

#endif
