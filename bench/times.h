// times.h: how long steps take, one by one.
#ifndef JN_BENCH_TIMES_H
#define JN_BENCH_TIMES_H

#include <stdbool.h>

double bench_now(void);  // [s]

// Of repeats of the same steps: the least step of all, and the repeat with the least of each other figure; quiet
// repeats, if there are any, come before others. A step in which the kernel took the core away says nothing about the
// code: it is left out, and counted.
typedef struct bench_times {
  double least, median, p99;  // [s]
  double slowest;             // median of the slowest repeat [s]
  double left_out;            // largest share of steps left out
  bool quiet;                 // there was a repeat in which the machine was as fast as ever
} bench_times;

bench_times bench_times_none(void);  // before the first repeat

// One repeat of n steps. room: for n numbers. False: a step has failed, or all were left out.
bool bench_times_take(bench_times *t, bool (*step)(void *run), void *run, long n, double *room);

// Memory for n numbers, its pages touched; returned with free().
double *bench_times_room(long n);

#endif
