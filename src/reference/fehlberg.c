// fehlberg.c: explicit Runge-Kutta method of order 8 in 13 stages [Feh68], with an estimate of its error that sees inputs over time.
//
// Fehlberg's own estimate is 41/840 of k_1 + k_11 - k_12 - k_13, stages at the times 0, 1, 0, 1: for y' = f(t) it is nothing at all.
// No other solution of order 6 or 7 in these stages does better: all of them differ from the method by multiples of k_12 - k_1 and
// k_13 - k_11. Those of order 5 do. So a small part of one of them is added,
//
//   v = (1/10, 0, 0, 0, 0, -1, -1/10, -1/2, 1/2, 1, 0, 0, 0),   sum of v_i c_i^k = 0 for k < 5, -1/648 for k = 5
//
// It errs on the safe side: at a tolerance of 1e-12 a quadrature is made in steps at which the method leaves 1e-14. Pairs of orders 8 and
// 7 without that blind spot have larger coefficients, and near 1e-13 estimate their rounding.
#include "reference/fehlberg.h"

#include <arkode/arkode_erkstep.h>

enum { STAGES = 13, ORDER = 8, EMBEDDED = 5 };

static const realtype c[STAGES] = {0,         2.0 / 27.0, 1.0 / 9.0, 1.0 / 6.0, 5.0 / 12.0,
                                   1.0 / 2.0, 5.0 / 6.0,  1.0 / 6.0, 2.0 / 3.0, 1.0 / 3.0,
                                   1,         0,          1};

static const realtype a[STAGES][STAGES] = {
    {0},
    {2.0 / 27.0},
    {1.0 / 36.0, 1.0 / 12.0},
    {1.0 / 24.0, 0, 1.0 / 8.0},
    {5.0 / 12.0, 0, -25.0 / 16.0, 25.0 / 16.0},
    {1.0 / 20.0, 0, 0, 1.0 / 4.0, 1.0 / 5.0},
    {-25.0 / 108.0, 0, 0, 125.0 / 108.0, -65.0 / 27.0, 125.0 / 54.0},
    {31.0 / 300.0, 0, 0, 0, 61.0 / 225.0, -2.0 / 9.0, 13.0 / 900.0},
    {2, 0, 0, -53.0 / 6.0, 704.0 / 45.0, -107.0 / 9.0, 67.0 / 90.0, 3},
    {-91.0 / 108.0, 0, 0, 23.0 / 108.0, -976.0 / 135.0, 311.0 / 54.0, -19.0 / 60.0, 17.0 / 6.0,
     -1.0 / 12.0},
    {2383.0 / 4100.0, 0, 0, -341.0 / 164.0, 4496.0 / 1025.0, -301.0 / 82.0, 2133.0 / 4100.0,
     45.0 / 82.0, 45.0 / 164.0, 18.0 / 41.0},
    {3.0 / 205.0, 0, 0, 0, 0, -6.0 / 41.0, -3.0 / 205.0, -3.0 / 41.0, 3.0 / 41.0, 6.0 / 41.0},
    {-1777.0 / 4100.0, 0, 0, -341.0 / 164.0, 4496.0 / 1025.0, -289.0 / 82.0, 2193.0 / 4100.0,
     51.0 / 82.0, 33.0 / 164.0, 12.0 / 41.0, 0, 1},
};

static const realtype b[STAGES] = {
    0,           0,          0,           0,           0, 34.0 / 105.0,
    9.0 / 35.0,  9.0 / 35.0, 9.0 / 280.0, 9.0 / 280.0, 0, 41.0 / 840.0,
    41.0 / 840.0};

static const realtype fehlberg[STAGES] = {
    41.0 / 840.0, 0, 0, 0, 0, 34.0 / 105.0, 9.0 / 35.0, 9.0 / 35.0, 9.0 / 280.0, 9.0 / 280.0,
    41.0 / 840.0, 0, 0};

static const realtype v[STAGES] = {1.0 / 10.0, 0,         0, 0, 0, -1, -1.0 / 10.0,
                                   -1.0 / 2.0, 1.0 / 2.0, 1, 0, 0, 0};
static const realtype PART = 1e-3;

int jn_fehlberg_set(void *erkstep)
{
  realtype embedded[STAGES];
  for (int i = 0; i < STAGES; i++) embedded[i] = fehlberg[i] + PART * v[i];
  ARKodeButcherTable table = ARKodeButcherTable_Create(
      STAGES, ORDER, EMBEDDED, (realtype *)c, (realtype *)&a[0][0], (realtype *)b, embedded);
  if (!table) return ARK_MEM_FAIL;
  const int flag = ERKStepSetTable(erkstep, table);  // which copies it
  ARKodeButcherTable_Free(table);
  return flag;
}
