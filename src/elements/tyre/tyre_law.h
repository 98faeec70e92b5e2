// tyre_law.h: what a steady-state tyre law is asked and what it answers.
//
// A law knows nothing of wheels, roads and time: rolling.h finds load and slips, lets the slips relax, keeps a standing tyre
// standing, and asks the law for forces. A law is three things, written against `real`:
//
//   enum { FIALA_..., FIALA_FIELDS }                                     its parameters, one real each
//   tyre_limits  fiala_limits(form, p, table, load, camber)                its stiffness, friction and relaxation at a load
//   tyre_forces fiala_forces(form, p, table, slip)                       its forces and moments
//
// `form` has bits of the law's own that say which formulas apply: the same in all lanes, known when a list is compiled, so
// that branching on it is free. `table` is where curves live (curve.h): a parameter holds the bits of a table's index.
//
// Signs of ISO-W: positive kappa drives, positive tan_alpha slides to the left and gives a negative side force, positive
// camber leans to the right. The tyre is on the side it was measured on: rolling.h mirrors.
#ifndef JN_ELEMENTS_TYRE_TYRE_LAW_H
#define JN_ELEMENTS_TYRE_TYRE_LAW_H

#include "base/rmath.h"

typedef struct tyre_slip {
  real kappa;      // -vsx / |vx|
  real tan_alpha;  // vsy / |vx|
  real camber;     // [rad]
  real load;       // [N], zero or more; at zero every force is zero
  real speed;      // |vx| of the contact [m/s]
  real
      forward;  // 1 forward, -1 in reverse, continuous between: what follows the direction of travel (trail) takes its sign
  real rolling;  // likewise of the wheel's spin: rolling resistance takes its sign
} tyre_slip;

typedef struct
    tyre_limits {      // at small slip, longitudinal and lateral, all above zero wherever load is
  real stiffness[2];   // force per slip [N]
  real friction[2];    // largest force over load
  real relaxation[2];  // length [m]
} tyre_limits;

typedef struct tyre_forces {
  real fx, fy;      // [N]
  real mx, my, mz;  // on the wheel, at the contact point, about ISO-W axes [N m]
} tyre_forces;

JN_INLINE tyre_forces tyre_no_forces(void)
{
  const real zero = r_set(0.0);
  return (tyre_forces){zero, zero, zero, zero, zero};
}

#endif
