// closure.h: one decoupled set of loops at a position: its constraint rows, and closing its loops.
#ifndef JN_PLAN_TOPOLOGY_CLOSURE_H
#define JN_PLAN_TOPOLOGY_CLOSURE_H

#include "base/dense.h"
#include "plan/topology/geometry.h"

typedef struct jn_closure_member {  // a tree joint of the set
  int edge, child, parent;
  int column;  // of its first coordinate, -1: it has none
  int ncoord;
  jn_joint_geometry g;
} jn_closure_member;

typedef struct jn_closure {
  const jn_model *m;
  int *position;  // of a node in the forward order (nnode)
  int *local;     // member whose child a node is, -1: not in this set (nnode)

  // of the set that is open
  bool motors_free;  // driven joints have their coordinates, and lack their driven row
  int nmember, nloop, nrow, ncol;
  jn_closure_member *member;  // parents first
  double size;                // characteristic length of the set  [m]
  jn_joint_geometry *cut;     // of each loop (nloop)
  int *loop;                  // numbers of the loops (nloop)
  jn_joint_state *state;      // (nmember)
  jn_displacement *place;     // of each member's child (nmember)
  double *rows;               // scaled constraint rows (nrow x ncol)
  double *residual;           // scaled (nrow)
  double *scale;              // of each coordinate: 1 for angles, size for lengths (ncol)
  double *step;               // scratch of steps (max(nrow, ncol))
  int worst;                  // loop with the largest residual
  void *work;                 // of the factorisation
  jn_pool pool, set_pool;     // of all this; of the set that is open
} jn_closure;

// What a loop must reach to count as closed, as scaled residual.
#define JN_CLOSED_ENOUGH 1e-9

bool jn_closure_init(jn_closure *c, const jn_model *m);  // false: memory is exhausted
void jn_closure_free(jn_closure *c);

// Take a set up, in its design position, and lay it down.
bool jn_closure_open(jn_closure *c, int set, bool motors_free);  // false: memory is exhausted
void jn_closure_shut(jn_closure *c);

double jn_closure_evaluate(jn_closure *c);  // rows and residuals; the largest residual
double jn_closure_close(jn_closure *c);     // Newton's method; the residual reached
void jn_closure_advance(jn_closure *c, const double *step);
int jn_closure_factor(jn_closure *c, jn_qr *f);  // rank of the rows, -1: not finite

// The child that a tree joint leads to.
int jn_closure_child(const jn_closure *c, int edge);

// Rows of the i-th loop's cut joint, in the axes of its first body, whose place is *first.
int jn_closure_loop_rows(const jn_closure *c, int i, jn_displacement *first, double residual[6],
                         sv row[6], bool lengths[6]);

#endif
