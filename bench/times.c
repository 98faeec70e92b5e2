// times.c: the clock of all benchmarks.
#define _GNU_SOURCE  // RUSAGE_THREAD
#include "times.h"

#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

double bench_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static long times_preempted(void)
{
  struct rusage u;
  getrusage(RUSAGE_THREAD, &u);
  return u.ru_nivcsw;
}

static int rising(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// ---- is the machine quiet? ------------------------------------------------------------------------------

enum { BETWEEN = 50, MOST_SAMPLES = 400 };

// A fixed piece of arithmetic, some microseconds of it: it takes longer when somebody uses the other half of the core,
// or when the clock is slow.
static double yardstick(void)
{
  static volatile double sink;
  double x[8] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8};
  const double t = bench_now();
  for (int i = 0; i < 1000; i++)
    for (int k = 0; k < 8; k++) x[k] = x[k] * 0.999 + 0.001;
  const double seconds = bench_now() - t;
  for (int k = 0; k < 8; k++) sink = sink + x[k];  // so that nothing can be left out
  return seconds;
}

// Of samples taken among the steps of a repeat: half of them within a tenth of the best ever?
static bool was_quiet(int n, double *sample)
{
  static double best = INFINITY;
  qsort(sample, (size_t)n, sizeof *sample, rising);
  best = fmin(best, sample[0]);
  return sample[n / 2] <= 1.1 * best;
}

// ---- repeats ----------------------------------------------------------------------------------------------

bench_times bench_times_none(void)
{
  return (bench_times){.least = INFINITY, .median = INFINITY, .p99 = INFINITY};
}

bool bench_times_take(bench_times *t, bool (*step)(void *run), void *run, long n, double *room)
{
  double sample[MOST_SAMPLES];
  int samples = 0;
  long kept = 0;
  bool good = true;
  for (long i = 0; i < n && good; i++) {
    if (i % BETWEEN == 0 && samples < MOST_SAMPLES) sample[samples++] = yardstick();
    const long preempted = times_preempted();
    const double t0 = bench_now();
    good = step(run);
    room[kept] = bench_now() - t0;
    kept += times_preempted() == preempted;
  }
  if (!good || !kept) return false;
  qsort(room, (size_t)kept, sizeof *room, rising);
  const double median = room[kept / 2], p99 = room[(long)(0.99 * (double)kept)];
  const bool quiet = was_quiet(samples, sample);
  t->least = fmin(t->least, room[0]);
  t->slowest = fmax(t->slowest, median);
  t->left_out = fmax(t->left_out, (double)(n - kept) / (double)n);
  if (quiet && !t->quiet) t->median = t->p99 = INFINITY;
  if (quiet || !t->quiet) {
    t->median = fmin(t->median, median);
    t->p99 = fmin(t->p99, p99);
  }
  t->quiet |= quiet;
  return true;
}

double *bench_times_room(long n)
{
  double *room = malloc((size_t)n * sizeof *room);
  for (long i = 0; room && i < n; i++) room[i] = (double)i;
  return room;
}
