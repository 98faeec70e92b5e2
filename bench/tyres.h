// tyres.h: steady-state tyre laws at one width, timed.
#ifndef JN_BENCH_TYRES_H
#define JN_BENCH_TYRES_H

#include "elements/tyre/magic_formula.h"

// X(name, file of the tyre, its form: known when it is compiled, as in a compiled list)
#define BENCH_TYRES(X)                                                                  \
  X("Magic Formula 6.1", "test/tir/data/every_coefficient_61.tir",                      \
    4 | MF_SIN_PKY4 | MF_CAMBER_STIFFNESS | MF_UPRIGHT | MF_TIPPING | MF_ROLLING_POWER) \
  X("Magic Formula 5.2", "test/tir/data/every_coefficient_52.tir", 4)

enum { BENCH_SLIP = 3 };  // kappa, tan_alpha, load

// Forces and limits of four tyres, `rounds` times, each waiting for the one before. slip: (3 x 4); its first row grows by a
// little that depends on the forces. Built for width 4, for width 1, and for width 1 on any x86-64.
typedef void bench_tyre(int form, const double *p, int rounds, double (*slip)[4]);
bench_tyre bench_tyres_4, bench_tyres_1, bench_tyres_plain;

#endif
