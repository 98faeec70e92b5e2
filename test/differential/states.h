// states.h: random assembled states of a vehicle, and how far rounding may bring rates and outputs apart at one.
#ifndef JT_DIFFERENTIAL_STATES_H
#define JT_DIFFERENTIAL_STATES_H

#include "compare.h"
#include "general/joint_states.h"

typedef struct state {
  double t;
  double *y, *turn;  // (nq + nv + nx), (nq)
  double residual;   // of the loops, scaled
  double condition;  // of the scaled rows
  double mass;       // of the mass matrix, scaled to ones on its diagonal
  double arm;        // square of distance over radius of gyration: inertias are about one point
  double spread;     // largest factor by which a coordinate follows from others
} state;

// General path at a state, with what is needed to judge differences.
typedef struct view {
  jt_run run;
  jn_system system;     // with stabilize none: no correction takes part
  double *dy, *rate;    // (nq + nv + nx), (nexp)
  double *row;          // (nchannel)
  double *dy_allowed;   // difference that is explained (nq + nv + nx)
  double *row_allowed;  // (nchannel)
  double *v_allowed;    // of velocities themselves (nv)
  v3 *held_f, *held_m;  // sum of reactions on each body, about its cg, world axes (nnode)
  v3 *force, *moment;   // applied (nnode)
  int *reaction;        // channel of a joint's fx, -1: it has none (nfile_edge)
  classes class;
  double force_allowed, moment_allowed;  // of reactions
  double angular_allowed;                // of angular accelerations
} view;

// Of the positions that the run looks at (conditions.c).
void measure_conditions(const subject *k, const jt_run *run, jt_closer *c, state *x);

bool state_make(const jn_system *s, state *x);
void state_free(state *x);

bool view_make(const jn_system *s, view *v);
void view_free(view *v);

// The initial state of the system, as it is.
void state_initial(const subject *k, const view *v, state *x);

// Conditions of a state that is set.
void state_measure(const subject *k, const view *v, state *x);

// Another time, away from breakpoints of inputs.
void state_later(const jn_system *s, jt_random *r, state *x);

// False: nothing could be drawn that closes and is conditioned well; counted in `o`.
bool state_draw(const subject *k, view *v, jt_random *r, state *x, outcome *o);

// Sets the state and evaluates it; fills dy, rate, row, and wrenches on the bodies.
void view_at(view *v, const state *x);

// The same, then differences that rounding explains (allow.c).
void view_allow(view *v, const state *x, jt_random *r);

// Rates of all that has one among the channels, by differences over a short time (check_rates.c); loads of elements by the formulas
// of the manual (check_laws.c). The view has been allowed for, and is left as it was.
void check_rates(view *v, const state *x, int number, outcome *o);
void check_laws(view *v, const state *x, int number, outcome *o);

// One step of the methods of order 1 from a state, whose rates `g` has.
void compare_steps(const jn_system *general, const jn_system *lanes, const view *g, const state *x,
                   outcome *o);

// Velocities that a run in lanes puts back: those of dependent coordinates follow from the others, so rates of constraint
// residuals are rounding, whatever the residuals are.
void check_left(const subject *k, const jn_system *s, jn_data *d, int steps, outcome *o);

// A run in lanes that has been evaluated: the rates with which its next step begins, after so many steps, against those of
// the general path. What an evaluation leaves behind for the next one shows here.
void compare_running(const subject *k, const jn_system *s, jn_data *d, int steps, outcome *o);

#endif
