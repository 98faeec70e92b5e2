// statics.h: forces at rest. What is unbalanced in the directions that joints and loops leave free.
//
// Motions. Coordinates are the tree's, with one change: those of a floating base are the velocity,
// in world axes, of the base's point where the centre of gravity of its assembly is, and its
// angular velocity. So weight has no moment about a base, wherever the base body is. An assembly
// that nothing outside touches falls; what is unbalanced in it is reported without its weight, which
// moves all of it alike.
#ifndef JN_RUN_STATICS_H
#define JN_RUN_STATICS_H

#include "base/dense.h"
#include "run/run_internal.h"

typedef struct jn_statics {
  const jn_system *s;
  jn_data *d;
  int nfree;        // directions that the loops leave free
  double size;      // length that compares with a radian                        [m]
  double forces;    // size of the forces in play, times size                    [N m]
  double *g;        // unbalanced: what would have to push to hold it still      (nv)
  double *lambda;   // multipliers of the rows that hold most of it              (nrow)
  double *row;      // rows, scaled                                              (nrow x nv)
  double *basis;    // free motions, one a column, scaled orthonormal            (nv x nfree)
  double *r;        // unbalanced in each of them                                (nv)
  double *rhs, *x;  // scratch (max(nv, nrow))
  bool
      *falling;  // nothing outside touches this frame's bodies: seen from where they fall  (nframe)
  v3 *centre;    // of gravity of each frame's bodies, from the base's anchor (nframe)
  jn_qr qr;
  void *work;
  jn_pool pool;  // of all this
} jn_statics;

jn_status jn_statics_init(jn_statics *k, const jn_system *s, jn_data *d, jn_error *err);
void jn_statics_free(jn_statics *k);

// Weight along each axis of a falling assembly's base, that nothing holds; 0 of all others.
// Coordinate v of the plan.
double jn_statics_fall(const jn_statics *k, int v);

// At rest at t = 0: inputs have their values, and rates of nothing.
void jn_statics_rest(const jn_system *s, jn_data *d);

// Positions are d->y. Loops closed by the shortest steps; x (NULL is allowed): adds what was moved,
// by coordinate. False: they cannot be.
bool jn_statics_close(jn_statics *k, double *x);

// Forces, rows, multipliers, free motions and what is unbalanced in them. False: something is not
// finite.
bool jn_statics_at(jn_statics *k);

// Unbalanced at the present positions, rows with their multipliers taken along: g (nv). elements =
// false: weight alone.
void jn_statics_force(jn_statics *k, bool elements, bool rows, double *g);

// Move by `by` times x, given in the coordinates above. Poses must be those of d->y: after one of
// the functions above, or look().
void jn_statics_update(jn_statics *k);
void jn_statics_move(jn_statics *k, double by, const double *x);

// Which coordinates lead a set of motions, and what is unbalanced along each when it moves by one
// unit and the others follow as the motions say. motion (nv x n), leader (n), force (n), g (nv).
// False: no memory.
bool jn_statics_lead(const jn_statics *k, int n, const double *motion, const double *g, int *leader,
                     double *force);

// In words: "joint \"lca\", angle", "body \"chassis\", along z".
void jn_statics_name(const jn_system *s, int v, char *text, size_t size);
const char *jn_statics_unit(const jn_system *s, int v);  // of a force along it

#endif
