// law_kernels.h: one kernel that asks every steady-state law, built several times.
#ifndef JN_TEST_LAW_KERNELS_H
#define JN_TEST_LAW_KERNELS_H

#include "elements/tyre/tabulated.h"

enum {
  LAW_IN = 6,   // numbers a case reads
  LAW_OUT = 33  // and writes
};

typedef struct law_tyres {  // of the carpets
  double *table;
  double half[TABULATED_FIELDS], full[TABULATED_FIELDS];
  int half_form, full_form;
} law_tyres;

// Cases are independent; count is a multiple of 4. Returns how many numbers a case wrote.
typedef int law_kernel(const law_tyres *tyres, int count, const double (*in)[LAW_IN],
                       double (*out)[LAW_OUT]);

// JN_WIDTH, optimisation, JN_FUSED; CMakeLists.txt makes an object of each.
#define LAW_KERNELS(X) \
  X(law_1_O0_0)        \
  X(law_1_O3_0)        \
  X(law_4_O0_0)        \
  X(law_4_O3_0)        \
  X(law_1_O0_1)        \
  X(law_1_O3_1)        \
  X(law_4_O0_1)        \
  X(law_4_O3_1)

#define X(name) law_kernel name;
LAW_KERNELS(X)
#undef X

#endif
