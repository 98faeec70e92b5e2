// formulation.h: a way of writing the equations of motion, on the common state q, v, x of the tree, stage by stage
// (solve/general/general.h says what each leaves behind). One is a table called jn_formulation_NAME, with NAME from
// JN_FORMULATION_LIST (jounce/sim.h).
#ifndef JN_SOLVE_FORMULATION_H
#define JN_SOLVE_FORMULATION_H

#include "solve/data.h"

// How coordinates that are solved for together are: the core (solve/general/dense_core.h).
//
//   M x = f + J' lambda,  J x = gamma
typedef struct jn_core_solver {
  size_t (*doubles)(const jn_system *s);  // of memory of its own, `own` of the core; NULL: none
  void (*factor)(const jn_system *s,
                 jn_data *d);  // of mass and jacobian; says how good the `conditioning` of rows is
  void (*solve)(const jn_system *s, jn_data *d);  // rhs, gamma -> x, lambda
} jn_core_solver;

typedef struct jn_formulation_table {
  bool whole;  // all coordinates are in the core: no chain and no loop is eliminated before
  bool lanes;  // the fast path computes it where it can
  const jn_core_solver *core;
  void (*positions)(const jn_system *s, jn_data *d);
  void (*factor)(const jn_system *s, jn_data *d);
  void (*velocities)(const jn_system *s, jn_data *d);
  void (*biases)(const jn_system *s, jn_data *d);
  void (*solve)(const jn_system *s, jn_data *d);
  void (*reactions)(const jn_system *s, jn_data *d);
  // A = dy'/dy at (t, y), row by row; NULL: by differences (integrate/linearise.c).
  void (*linearise)(const jn_system *s, jn_data *d, double t, const double *y, double *a);
} jn_formulation_table;

extern const jn_formulation_table *const jn_formulations[JN_NFORMULATION];

// Stages in joint coordinates, for tables that differ in their core alone.
#define JN_JOINT_COORDINATES                                                                   \
  .positions = jn_general_positions, .factor = jn_general_factor,                              \
  .velocities = jn_general_velocities, .biases = jn_general_biases, .solve = jn_general_solve, \
  .reactions = jn_general_reactions

#endif
