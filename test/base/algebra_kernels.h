// algebra_kernels.h: one kernel that calls every function of the inline algebra, built several
// times.
#ifndef JN_TEST_ALGEBRA_KERNELS_H
#define JN_TEST_ALGEBRA_KERNELS_H

#include <stdint.h>

enum {
  ALGEBRA_IN = 80,    // numbers a case reads
  ALGEBRA_OUT = 512,  // and at most writes
  ALGEBRA_STEPS = 4   // of the curves
};

// Cases are independent; count is a multiple of 4. Returns how many numbers a case wrote. `curves`
// holds tables, of which case i uses the one at offset[i].
typedef int algebra_kernel(int count, const double (*in)[ALGEBRA_IN], const double *curves,
                           const int64_t *offset, double (*out)[ALGEBRA_OUT]);

// name, JN_WIDTH, optimisation, JN_FUSED; CMakeLists.txt makes an object of each.
#define ALGEBRA_KERNELS(X) \
  X(algebra_1_O0_0)        \
  X(algebra_1_O3_0)        \
  X(algebra_4_O0_0)        \
  X(algebra_4_O3_0)        \
  X(algebra_1_O0_1)        \
  X(algebra_1_O3_1)        \
  X(algebra_4_O0_1)        \
  X(algebra_4_O3_1)

#define X(name) algebra_kernel name;
ALGEBRA_KERNELS(X)
#undef X

#endif
