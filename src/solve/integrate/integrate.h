// integrate.h: explicit integrators of fixed step. They see an equation and know no mechanics.
//
//   y = (q, v, x),  y' = f(t, y)
//
// q are positions, v velocities, x first-order states. The last `nexp` of x are declared in the form
//
//   u' = b - a u,  a >= 0
//
// and advance by the exponential form of the same formula: a is frozen at the step's beginning,
// a_n, and what is left, g = u' + a_n u, is treated as the method treats a derivative, under the
// integral of exp(-a_n (t_{n+1} - s)) g(s) ds. Order is kept, a = 0 gives the classical formula,
// and any a is stable that does not change much within a step (methods/adams.c says how much).
//
// Evaluations of f in a step, the caller's one at its beginning included: 1 (euler, semi-euler, ab2, ab3), 2 (rk2, abm4) or 4 (rk4);
// those with a history take a Runge-Kutta step until they have it. A method is a table in methods/ and a line in
// JN_INTEGRATOR_LIST (jounce/sim.h).
//
// A step does not allocate, and takes no branch that depends on numbers: only on how many steps
// were done since the last restart.
#ifndef JN_SOLVE_INTEGRATE_INTEGRATE_H
#define JN_SOLVE_INTEGRATE_INTEGRATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "jounce/sim.h"

typedef struct jn_ode {
  int nq, nv, nx, nexp;
  // dy = f(t, y), and the rates a of the declared states (nexp).
  void (*eval)(void *user, double t, const double *y, double *dy, double *a);
  // dq/dt at positions and velocities of y (semi-euler needs it at the new velocities; no other method
  // does).
  void (*qdot)(void *user, const double *y, double *dq);
  void *user;
  // A = df/dy at (t, y), row by row (n x n); NULL: by differences (jn_linearise).
  void (*linearise)(void *user, double t, const double *y, double *a);
} jn_ode;

struct jn_integ;

typedef struct jn_method_table {
  int order;            // of its error over a run
  int depth;            // past steps that it needs, fewer than JN_INTEG_PAST
  jn_integrator start;  // method, without a history, of the first `depth` steps after a restart
  // As jn_integ_step. With a depth it keeps this step's row of the history (method.h: jn_past_keep).
  void (*step)(struct jn_integ *w, const jn_ode *f, double t, double h, double *y, const double *dy,
               const double *a);
} jn_method_table;

// All of them, without and with fused products, on CPUs that have them; bits differ.
extern const jn_method_table *const jn_methods[JN_NINTEGRATOR],
    *const jn_methods_fused[JN_NINTEGRATOR];

enum { JN_INTEG_PAST = 4 };  // rows of the longest history: three past steps and the present one

// Numbers of the history.
typedef struct jn_integ_past {
  int steps;  // done since the last restart, up to depth: below it a Runge-Kutta step is taken
  int head;   // row that the next step writes
  double h;   // of the history                                               [s]
} jn_integ_past;

// History and scratch: plain memory, placed by one walk. What lasts from step to step is the history alone, which has a
// place of its own.
typedef struct jn_integ {
  const jn_method_table *const *methods, *method;  // all, and its own
  int nq, nv, nx, nexp;
  int n;      // nq + nv + nx
  int depth;  // past steps the method needs; if any, depth + 1 rows of history go round

  jn_integ_past *past;
  double *past_dy[JN_INTEG_PAST];  // y' at the beginning of past steps       (n)
  double *past_u[JN_INTEG_PAST];   // and the declared states                 (nexp)

  double *stage;  // y inside a step                                          (n)
  double *k[3];   // y' there                                                 (n)
  double *rate;   // and a there, which no formula uses                       (nexp)
  double *mid;    // scratch: u at the middle (rk4), extrapolated g (abm4)    (nexp)
  double *c[4];   // coefficients of the exponential forms                    (nexp)
} jn_integ;

// Size (arena base NULL) or place: the history in one arena, scratch in another, or both in the same. Touches no memory but *w,
// and not its history; then jn_integ_restart(w).
void jn_integ_place(jn_integ *w, const jn_method_table *const *methods, jn_integrator method,
                    int nq, int nv, int nx, int nexp, jn_arena *history, jn_arena *scratch);

// Forget the past: before the first step, and after anything that f does not describe (a jump of y
// or f, another h).
void jn_integ_restart(jn_integ *w);

// The next step of a multistep method will be one of Runge and Kutta. False for the other methods.
bool jn_integ_starting(const jn_integ *w);

// Advance y from t to t + h in place. dy and a are f(t, y), and must outlive the calls of f->eval.
// y is written at the end, when nothing is evaluated any more. h is the same from restart to
// restart.
void jn_integ_step(jn_integ *w, const jn_ode *f, double t, double h, double *y, const double *dy,
                   const double *a);

// One step of rk4 of any length and for any method, to land on a discontinuity within a step.
// Leaves the history as it is; behind the discontinuity the caller restarts.
void jn_integ_rk4(jn_integ *w, const jn_ode *f, double t, double h, double *y, const double *dy,
                  const double *a);

// A = df/dy at (t, y), row by row (n x n): f's own, or by central differences, to about 1e-10 of what f is. Scratch:
// jn_linearise_size(f) bytes, aligned as an arena's memory. The last evaluation is another one then.
size_t jn_linearise_size(const jn_ode *f);
void jn_linearise(const jn_ode *f, double t, const double *y, double *scratch, double *a);

#endif
