// laws.h: loads on bodies by the formulas of the manual: what check_laws.c and check_wheels.c share.
#ifndef JT_DIFFERENTIAL_LAWS_H
#define JT_DIFFERENTIAL_LAWS_H

#include "states.h"

#define LAWS_EPS 2.220446049250313e-16

typedef struct laws {
  const view *v;
  const jn_system *s;
  const jn_data *d;
  const jt_body *at;     // by node
  v3 *force, *moment;    // about the cg, by node
  double *size, *turns;  // what rounding of those may be, by node
  bool *unknown;         // something acts on it that has no formula here, by node
  bool pushes;           // a contact
  int number;
  double worst;
  char what[WHAT];
} laws;

typedef struct place {  // a point of a body
  int node;
  v3 p, v;
  double length, speed;  // sizes of what these are differences of
} place;

// Notes the worst: a value of the engine against that of its formula.
void laws_judge(laws *k, const char *who, const char *what, double own, double value,
                double allowed);

// A point of the design position on the body of that node, and loads there; rounding: of the load.
place laws_place(const laws *k, int node, v3 design);
void laws_push(laws *k, int node, v3 p, v3 force, double rounding);
void laws_turn(laws *k, int node, v3 moment, double rounding);

// What the patches of a road make of its friction at a point, and by how much that changes with the place, at most.
double laws_friction(const jn_road *road, double x, double y, double *steep);

// The road pushes points of a body of the file back.
void laws_contact(laws *k, const jn_element *e, int node);

// All wheels: loads on their bodies, how they stand and move, what turns them.
void laws_wheels(laws *k);

// A tyre that slides without change takes energy. Leaves the view where it was.
void laws_sliding(view *v, const state *x, laws *k);

#endif
