// phi.h: the functions of exponential integrators, phi_0 = exp and
//
//   phi_k(z) = integral over 0..1 of exp(z (1 - s)) s^(k-1) / (k-1)! ds        k >= 1
//            = sum over j >= 0 of z^j / (j + k)!,    z phi_{k+1} = phi_k - 1/k!
//
// M. Hochbruck, A. Ostermann, Exponential integrators, Acta Numerica 19 (2010), section 2.1.
//
// The recurrence, upwards, divides a difference that vanishes with z; downwards it subtracts
// numbers that become equal as -z grows. phi_1 comes from expm1 everywhere, the others from above
// where |z| is small and from below elsewhere. With u = 2^-53, each function counted at its worst
// z <= 0 (its switch) and every rounding at its largest:
//
//   phi_1  3.4 u   expm1 to 1.17 ulp, one division
//   phi_4  < 5 u   |z| < 3: Horner, whose partial sums are phi_4, phi_5, .. themselves
//          8 u     |z| >= 3: from phi_3 (1.2 times its error, a difference, a division)
//   phi_3  < 6 u   from phi_4 below 3, from phi_2 above
//   phi_2  5.7 u   from phi_3 below 1.5, from phi_1 above
//
// No branch, no libm: see real.h. For z > 0 they are as good, but nobody needs them there.
#ifndef JN_SOLVE_INTEGRATE_PHI_H
#define JN_SOLVE_INTEGRATE_PHI_H

#include "base/rmath.h"

typedef struct phi_values {
  real p1, p2, p3, p4;
} phi_values;

JN_INLINE real phi1_at(real z)
{
  // Where z is 0, 0/0: any z whose expm1 is itself gives 1.
  z = r_select(r_eq(z, r_set(0.0)), r_set(-0x1p-900), z);
  return r_expm1(z) / z;
}

JN_INLINE phi_values phi_at(real z)
{
  // 1/(j + 4)!. The first term left out, 3^26/30!, is 4e-19 of phi_4(-3).
  static const double c[26] = {
      1.0 / 24.0,
      1.0 / 120.0,
      1.0 / 720.0,
      1.0 / 5040.0,
      1.0 / 40320.0,
      1.0 / 362880.0,
      1.0 / 3628800.0,
      1.0 / 39916800.0,
      1.0 / 479001600.0,
      1.0 / 6227020800.0,
      1.0 / 87178291200.0,
      1.0 / 1307674368000.0,
      1.0 / 20922789888000.0,
      1.0 / 355687428096000.0,
      1.0 / 6402373705728000.0,
      1.0 / 121645100408832000.0,
      1.0 / 2432902008176640000.0,
      1.0 / 51090942171709440000.0,
      1.0 / 1124000727777607680000.0,
      1.0 / 25852016738884976640000.0,
      1.0 / 620448401733239439360000.0,
      1.0 / 15511210043330985984000000.0,
      1.0 / 403291461126605635584000000.0,
      1.0 / 10888869450418352160768000000.0,
      1.0 / 304888344611713860501504000000.0,
      1.0 / 8841761993739701954543616000000.0,
  };
  r_mask near = r_lt(r_abs(z), r_set(3.0)), nearer = r_lt(r_abs(z), r_set(1.5));
  real in = r_select(near, z, r_set(0.0));  // neither way overflows where the other is taken
  real out = r_select(nearer, r_set(-3.0), z);

  phi_values from_above, p;
  from_above.p4 = r_set(c[25]);
#pragma GCC unroll 25  // straight code is what compilers make lanes of, over a loop of states
  for (int j = 24; j >= 0; j--) from_above.p4 = r_fma(from_above.p4, in, r_set(c[j]));
  from_above.p3 = r_fma(from_above.p4, in, r_set(1.0 / 6.0));
  from_above.p2 = r_fma(from_above.p3, in, r_set(0.5));

  p.p1 = phi1_at(z);
  p.p2 = (p.p1 - 1.0) / out;
  p.p3 = (p.p2 - 0.5) / out;
  p.p4 = (p.p3 - 1.0 / 6.0) / out;
  p.p2 = r_select(nearer, from_above.p2, p.p2);
  p.p3 = r_select(near, from_above.p3, p.p3);
  p.p4 = r_select(near, from_above.p4, p.p4);
  return p;
}

#endif
