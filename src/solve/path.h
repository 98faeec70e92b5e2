// path.h: what advances a motion: the general path, by any formulation (formulation.h), or the fast one, each with a state of its own.
//
// All see the same common state, q, v, x of the tree, in which a run is set, saved and looked at; each advances its own, which may
// be the common one. The integrator knows neither (run/step.c).
#ifndef JN_SOLVE_PATH_H
#define JN_SOLVE_PATH_H

#include "solve/data.h"
#include "solve/integrate/integrate.h"

// Loops with a larger residual have failed.
static const double JN_OPEN = 0.1;

// No motion of a mechanism has larger rates: coordinates [m/s, rad/s], and their velocities [m/s², rad/s²].
static const double JN_FASTEST = 1e6, JN_STEEPEST = 1e15;

typedef struct jn_own {  // the state that it advances, its derivative, rates of declared states
  int nq, nv, nx, nexp;
  double *y, *dy, *rate;
  jn_integ *integ;
} jn_own;

typedef struct jn_health {
  double pivots;  // fallen so many times since coordinates were chosen
  double
      open;  // constraint residuals over the size of what loops span: the largest, or JN_OPEN if none is larger
} jn_health;

typedef struct jn_path_table {
  const char *word;
  jn_owner owner;  // of the newest state behind a step
  jn_own (*own)(const jn_system *s, const jn_data *d);
  void (*take)(const jn_system *s, jn_data *d);  // common state -> own state, history begins anew
  void (*give)(const jn_system *s, jn_data *d);  // own state -> common state
  // Own state into the segment of t; where prescribed velocities jump, all jump.
  void (*cross)(const jn_system *s, jn_data *d, double t);
  // y' at (t, y), and the rates of declared states. begins: y is the own state at the beginning of a step or a segment, otherwise it
  // is a stage within one.
  void (*evaluate)(const jn_system *s, jn_data *d, double t, double *y, double *dy, double *rate,
                   bool begins);
  // dq/dt with other velocities, at the positions of the last evaluation.
  void (*qdot)(const jn_system *s, jn_data *d, const double *y, double *dq);
  // Is the state that was evaluated one to go on from? If not, the common state is it, and who is to blame is known.
  jn_step_flags (*judge)(const jn_system *s, jn_data *d);
  jn_health (*health)(const jn_system *s, const jn_data *d);
  // Was the step one that cannot be kept? Then the state is that of its beginning. NULL: never.
  bool (*take_back)(const jn_system *s, jn_data *d);
  void (*close)(const jn_system *s, jn_data *d, double t);  // behind a step, which ends at t
} jn_path_table;

#endif
