// tyre_kernels.h: one kernel that calls every tyre and every road, built several times.
#ifndef JN_TEST_TYRE_KERNELS_H
#define JN_TEST_TYRE_KERNELS_H

#include "elements/tyre/magic_formula.h"

enum {
  TYRE_IN = 24,   // numbers a case reads
  TYRE_OUT = 192  // and at most writes
};

// Cases are independent; count is a multiple of 4. Returns how many numbers a case wrote.
typedef int tyre_kernel(int count, const double (*in)[TYRE_IN], double (*out)[TYRE_OUT]);

// Magic Formula tyres: forms that a kernel knows when it is compiled, and parameters that the test cooks for them.
enum {
  TYRE_MF_52 = 4,
  TYRE_MF_61 = 4 | MF_SIN_PKY4 | MF_CAMBER_STIFFNESS | MF_UPRIGHT | MF_TIPPING | MF_ROLLING_POWER,
  TYRE_MF_NFORM = 5
};
extern double tyre_mf[TYRE_MF_NFORM][MF_FIELDS];

// X(number, form, version)
#define TYRE_MF_FORMS(X)                                             \
  X(0, TYRE_MF_61 | MF_RELAX_X_STIFFNESS | MF_RELAX_Y_STIFFNESS, 61) \
  X(1, TYRE_MF_61 | MF_BOOK, 61)                                     \
  X(2, TYRE_MF_52 | MF_RELAX_X_LOAD | MF_RELAX_Y_LOAD, 52)           \
  X(3, TYRE_MF_52 | MF_ELLIPSE, 52)                                  \
  X(4, (TYRE_MF_61 & ~MF_USE) | 3 | MF_UNCAPPED | MF_TIPPING_OUTSIDE, 61)

// name, JN_WIDTH, optimisation, JN_FUSED; CMakeLists.txt makes an object of each.
#define TYRE_KERNELS(X) \
  X(tyre_1_O0_0)        \
  X(tyre_1_O3_0)        \
  X(tyre_4_O0_0)        \
  X(tyre_4_O3_0)        \
  X(tyre_1_O0_1)        \
  X(tyre_1_O3_1)        \
  X(tyre_4_O0_1)        \
  X(tyre_4_O3_1)

#define X(name) tyre_kernel name;
TYRE_KERNELS(X)
#undef X

#endif
