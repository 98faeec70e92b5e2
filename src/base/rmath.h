// rmath.h: the transcendental functions of kernels, written against `real`: no branch, no libm, and
// a lane's bits are the same at either width, at any optimisation, from gcc and clang.
//
// Every function is right to 2 ulp over all doubles, gradual underflow and denormal arguments
// included, and keeps C's special values (C17, Annex F; a NaN's sign and payload are left open, and
// floating-point flags are not promised). test/base/rmath holds them to it, against quad precision.
//
// Below: the worst error found in a long search (test_rmath_accuracy searches a shorter list in every
// test run and prints its own), with fused products and without; instructions of a call at width 4
// (gcc 12 -O3, x86-64-v3), all four lanes; its time when calls do not wait for each other (`make bench`
// measures it again) and when they do (AMD Zen 3). A call at width 1 takes about the same time.
//
//                                       ulp fused  unfused  instr.   ns    ns
//   r_sincos_near   both, |x| <= 1e5         1.25     1.47      79    6    28
//   r_sincos        both, any x              1.27     1.47     220   31    61
//   r_sin, r_cos    r_sincos less one        1.27     1.47     214   31    61
//   r_tan           any x                    1.05     1.14     243   41    73
//   r_asin                                   1.21     1.21      68    6    30
//   r_acos                                   1.21     1.21      79    6    27
//   r_atan                                   1.26     1.31      83    8    33
//   r_atan2                                  1.53     1.52     107   10    34
//   r_exp                                    0.85     0.88      72    7    32
//   r_expm1                                  1.17     1.15      85    8    33
//   r_log                                    0.81     0.81      80    8    35
//   r_log1p                                  0.85     0.85     107   13    44
//   r_pow                                    1.09     1.12     262   36    67
//   r_tanh                                   1.42     1.42      95   12    44
//
// Hot code, where joint angles stay within +-pi, takes r_sincos_near; past its domain it is merely
// inaccurate. The others pay for the reduction of huge angles whether there is one or not.
#ifndef JN_BASE_RMATH_H
#define JN_BASE_RMATH_H

#include "base/rmath_exp.h"
#include "base/rmath_trig.h"

#endif
