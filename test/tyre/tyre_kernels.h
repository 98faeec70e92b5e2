// tyre_kernels.h: one kernel that calls every tyre and every road, built several times.
#ifndef JN_TEST_TYRE_KERNELS_H
#define JN_TEST_TYRE_KERNELS_H

enum {
  TYRE_IN = 24,   // numbers a case reads
  TYRE_OUT = 128  // and at most writes
};

// Cases are independent; count is a multiple of 4. Returns how many numbers a case wrote.
typedef int tyre_kernel(int count, const double (*in)[TYRE_IN], double (*out)[TYRE_OUT]);

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
