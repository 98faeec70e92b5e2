// record_times.c: how long steps take, in bounded memory.
#include <math.h>

#include "report/record.h"

enum { FINE = 1 << JN_TIMES_FINE };

static int bin_of(uint64_t ns)
{
  if (ns < FINE) return (int)ns;
  const int octave = 63 - __builtin_clzll(ns) - JN_TIMES_FINE;  // from 0
  return (octave << JN_TIMES_FINE) + (int)(ns >> octave);
}

void jn_times_add(jn_times *t, uint64_t ns)
{
  t->count++;
  t->sum += ns;
  if (ns > t->max) t->max = ns;
  t->bin[bin_of(ns)]++;
}

double jn_times_quantile(const jn_times *t, double part)
{
  const double wanted = part * (double)t->count;
  uint64_t seen = 0;
  if (!t->count) return NAN;
  for (int i = 0; i < JN_TIMES_BIN; i++) {
    seen += t->bin[i];
    if (!t->bin[i] || (double)seen < wanted) continue;
    if (i < FINE) return i;
    const int octave = (i >> JN_TIMES_FINE) - 1;
    const double middle = ldexp((i & (FINE - 1)) + FINE + 0.5, octave);
    return fmin(middle, (double)t->max);
  }
  return (double)t->max;
}
