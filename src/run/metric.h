// metric.h: how far a mechanism has moved, measured by its joints.
//
// Where constraints and what a file gives leave a choice, the motion is taken that moves joints least. Coordinates of the tree are
// no measure of that: which joints are in it, and which body is the base, may hang on names. So all joints count, cut ones too, by
// the relative velocities of their two bodies: angular, and of the second body's joint point as the first sees it; of what
// floats, also the velocities of a body of reference. What no joint holds moves with what force elements hold it to: such elements
// count as joints do.
//
//   |x|^2 = sum over joints |w|^2 + |v|^2 / size^2  +  sum over floating assemblies |w_ref|^2 + |v_ref|^2 / size^2  =  x' G x
//
// With L L' = G, y = L' x is as long as the motion: rows A over x are A L^-T over y, and shortest solutions in y are those that
// move joints least.
#ifndef JN_RUN_METRIC_H
#define JN_RUN_METRIC_H

#include "run/run_internal.h"

typedef struct jn_relative {  // of a joint: its second body against its first, in the first's axes
  m3 r;                       // from design axes
  v3 p;                       // joint point of the second, from the anchor of the first
} jn_relative;

typedef struct jn_metric {
  const jn_system *s;
  double size;  // length that compares with a radian [m]
  double *l;    // factor, by rows within the profile (nv x nv)
  int *first;   // of each row, first column that is not zero (nv)
  double *row;  // scratch (nv)
  int *column;  // scratch (nv)
  bool *held;   // coordinates that do not move, as it was last asked for (nv)
  jn_pool pool;
} jn_metric;

// Memory of a metric; free() is allowed after it failed.
jn_status jn_metric_init(jn_metric *m, const jn_system *s, jn_error *err);
void jn_metric_free(jn_metric *m);

// The body whose motion counts as that of a floating assembly: the heaviest, of equal ones the one nearest to the centre of
// gravity, then the one farthest forward, to the left, up.
int jn_frame_reference(const jn_system *s, int frame);

// G at the present positions, over velocities x in units of coordinate_scale, factorised. fixed (nv, or NULL): coordinates that
// do not move. bases: reference bodies count; else floating bases are fixed. centre (nframe, or NULL): velocities of floating
// bases are those of statics.h. False: there is a coordinate that moves no joint, and G is taken for the unit matrix.
bool jn_metric_at(jn_metric *m, const jn_data *d, const bool *fixed, bool bases, const v3 *centre);

// Gradient over x of half the square of what moves already while all coordinates rest: prescribed motions (nv). Reference bodies
// count.
void jn_metric_prescribed(const jn_metric *m, const jn_data *d, double *g);

void jn_metric_row(const jn_metric *m, double *row);  // a row over x becomes one over y
void jn_metric_back(const jn_metric *m, double *y);   // y becomes x
void jn_metric_forth(const jn_metric *m, double *x);  // and back again

// Are force elements between parts that no joint connects all between a part's first body and the body that the tree hangs it
// on? Then a part whose coordinates rest moves least.
bool jn_parts_follow_tree(const jn_system *s);

// Relative poses of all joints and force elements, and places of reference bodies in the world behind them, as the file has them or at the present
// positions (jn_relative_count). And the gradient of half the square of what has moved since, over x (nv); bases and centre as above.
int jn_relative_count(const jn_system *s);
void jn_relative_design(const jn_system *s, jn_relative *out);
void jn_relative_now(const jn_system *s, const jn_data *d, jn_relative *out);
void jn_relative_gradient(const jn_metric *m, const jn_data *d, const jn_relative *from, bool bases,
                          const v3 *centre, double *g);

#endif
