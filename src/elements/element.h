// element.h: what every force element is: the motion of its ends in, its load out, by one kernel on `real`.
//
// A kernel is called NAME_at(form, p, m): `form` says which terms of its law there are and is a constant where lists are
// precompiled, p are its numbers, m is what the loader of its ends found (element_kinds.h). General path and lanes have a
// loader and a writer for each sort of ends, and the kernel of each kind in common. What a kernel does not read of the motion, and what
// a writer does not read of the load, costs nothing.
//
//   LINE        two points: d and its rate; gives `pull` along n, which draws them together
//   COORDINATE  of a joint: x with turns counted, v; gives `pull`, which resists
//   FRAME       two points with axes: d, rate, ra, rb, wa, wb; gives force and moment on b at b's point
//   PAIR        two sets of axes: ra, rb, wa, wb; gives a moment on b
//   BODY        a point of b: rb, place and velocity; gives a force there. ra: axes of the world
//   WORLD       as FRAME, in axes of the world, with places and velocities; for code outside of kernels
//   ROAD        a point of b in axes of the world: place, velocity, rb, wb, and the road; gives force and moment there
//
// What acts on b acts on a too, reversed, at the same point; of BODY and ROAD on nothing else.
#ifndef JN_ELEMENTS_ELEMENT_H
#define JN_ELEMENTS_ELEMENT_H

#include <stdbool.h>

#include "base/m3.h"

enum {
  JN_ELEMENT_FIELDS = 32,
  JN_ELEMENT_OUTPUTS = 6
};  // numbers and outputs of an element, at most

struct el_plugin;
struct jn_road;
struct road_object;

typedef struct el_motion {
  v3 d, rate;                    // from a's point to b's, and its rate
  m3 ra, rb;                     // from the design position's axes to those of everything here
  v3 wa, wb;                     // angular velocities
  v3 place[2], velocity[2];      // of the two points
  real x, v;                     // coordinate and its rate
  real input, input_rate, time;  // of its actuator
  const double *table;           // curves and maps
  bool turned_a, turned_b;       // constants: ra and rb are not the identity
  const struct el_plugin *plugin;
  double *own;  // outputs of the plug-in itself
  const struct jn_road *road;
  const struct road_object *road_object;  // those of the system, of roads by calls
  double post;  // x of b's point in the design position, for roads that move
  double over;  // height of b\'s centre of gravity, from above which roads are asked
} el_motion;

typedef struct el_load {
  v3 n;
  real pull, speed;
  v3 force, moment;
  real power;  // of force and moment; that of `pull` is -pull speed
  real out[JN_ELEMENT_OUTPUTS];
} el_load;

// Numbers of one element; those of one lane among others are not side by side.
typedef struct el_numbers {
  const real *p;
  int apart;
} el_numbers;

JN_INLINE real el_number(el_numbers n, int i)
{
  return n.p[i * n.apart];
}
JN_INLINE v3 el_vector(el_numbers n, int i)
{
  return v3_make(el_number(n, i), el_number(n, i + 1), el_number(n, i + 2));
}
JN_INLINE m3 el_matrix(el_numbers n, int i)
{
  return m3_rows(el_vector(n, i), el_vector(n, i + 3), el_vector(n, i + 6));
}

#define NO_OUTPUTS(X)

#endif
