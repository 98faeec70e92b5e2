// tyre_laws.c: compiled once for each width and CPU; BENCH_NAME is the function that it makes.
#include "tyres.h"

JN_INLINE real four(const double *from, int lane)
{
  real x;
  memcpy(&x, from + lane, sizeof x);
  return x;
}

// Form is a constant wherever this is inlined.
JN_INLINE void many(int form, const double *numbers, int rounds, double (*slip)[4])
{
  real p[MF_FIELDS];
  for (int i = 0; i < MF_FIELDS; i++) p[i] = r_set(numbers[i]);
  for (int k = 0; k < rounds; k++) {
    __asm__ volatile(""
                     :
                     : "r"(slip)
                     : "memory");  // for all the compiler knows, loads have changed
    for (int lane = 0; lane < 4; lane += JN_WIDTH) {
      const real kappa = four(slip[0], lane), load = four(slip[2], lane), camber = r_set(0.02);
      const tyre_slip s = {kappa,       four(slip[1], lane), camber,    load,
                           r_set(20.0), r_set(1.0),          r_set(1.0)};
      const tyre_limits limits = mf_limits(form, p, NULL, load, camber);
      const tyre_forces f = mf_forces(form, p, NULL, s);
      const real all =
          f.fx + f.fy + f.mx + f.my + f.mz + limits.relaxation[0] + limits.relaxation[1];
      const real next = r_fma(r_set(1e-15), all, kappa);
      memcpy(slip[0] + lane, &next, sizeof next);
    }
  }
}

void BENCH_NAME(int form, const double *p, int rounds, double (*slip)[4])
{
#define X(name, file, known) \
  if (form == (known)) many(known, p, rounds, slip);
  BENCH_TYRES(X)
#undef X
}
