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

bench_times bench_times_none(void)
{
  return (bench_times){.least = INFINITY, .median = INFINITY, .second = INFINITY, .p99 = INFINITY};
}

bool bench_times_confirmed(const bench_times *t)
{
  return t->second <= 1.03 * t->median;
}

bool bench_times_take(bench_times *t, bool (*step)(void *run), void *run, long n, double *room)
{
  long kept = 0;
  bool good = true;
  for (long i = 0; i < n && good; i++) {
    const long preempted = times_preempted();
    const double t0 = bench_now();
    good = step(run);
    room[kept] = bench_now() - t0;
    kept += times_preempted() == preempted;
  }
  if (!good || !kept) return false;
  qsort(room, (size_t)kept, sizeof *room, rising);
  const double median = room[kept / 2];
  t->least = fmin(t->least, room[0]);
  t->second = fmin(t->second, fmax(t->median, median));
  t->median = fmin(t->median, median);
  t->slowest = fmax(t->slowest, median);
  t->p99 = fmin(t->p99, room[(long)(0.99 * (double)kept)]);
  t->left_out = fmax(t->left_out, (double)(n - kept) / (double)n);
  return true;
}

double *bench_times_room(long n)
{
  double *room = malloc((size_t)n * sizeof *room);
  for (long i = 0; room && i < n; i++) room[i] = (double)i;
  return room;
}
