// runs.h: one short run, and how its rows are judged: by what halving the step changes, and by rounding.
#ifndef JT_DIFFERENTIAL_RUNS_H
#define JT_DIFFERENTIAL_RUNS_H

#include "states.h"

typedef struct leg {
  jn_system system;
  jn_data *d;
  jn_step_flags flags;
  bool left;  // the lanes, because of a fallen pivot
} leg;

bool leg_begin(const jn_system *s, jn_integrator integrator, jn_stabilize stabilize, double step,
               leg *k);
void leg_go(leg *k, int steps);
void leg_row(leg *k, double *row);  // of the present time
void leg_end(leg *k);

// One correction with the factors of rk4's last stage leaves the square of what a step has left: does it fall with half the step as
// rounding would not?
bool closes_faster(const subject *k, way w, int steps, double left);

typedef struct judge {
  const subject *k;
  const jn_system *s;       // whose channels rows have
  const view *v;            // their classes
  const double *tolerance;  // of the first row (nchannel)
  double *allowed;          // (nchannel)
} judge;

// Differences that are explained at a row whose error by the step is `error`: a multiple of that in its class, and rounding.
void allow_run(const judge *j, const double *row, const double *error, double factor);

// Is the error so large that rows have no digits to compare?
bool is_stiff(const judge *j, const double *row, const double *error);

// It has a class, and is determined in this row.
bool is_judged(const judge *j, int channel, const double *row);
double apart_at(const jn_system *s, int channel, const double *a, const double *b);
double rows_apart(const judge *j, const double *a, const double *b, int *channel);  // worst ratio
void judge_rows(const judge *j, const char *who, const double *a, const double *b, check c,
                outcome *o);
void differ(const jn_system *s, const double *a, const double *b, double *error);

extern const double FACTOR, ROUNDING;
enum {
  SHORT_PARTS = 64
};  // parts of a step that two methods are compared with where halving it shows little

#endif
