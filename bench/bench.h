// bench.h: suites of measurements, each a table.
#ifndef JN_BENCH_BENCH_H
#define JN_BENCH_BENCH_H

#include <stdio.h>

typedef struct bench {
  const char *command;  // how a shell runs this program, to have valgrind run it again
  int json;
  const char *suite;  // the present one
  int suites, rows;   // so far
} bench;

typedef struct bench_column {
  const char *name;  // NULL closes a list of them
  double value;
  int digits;  // behind the point
} bench_column;

// A line of the table, with its head before the first one.
void bench_row(bench *b, const char *name, const bench_column *columns);

double bench_now(void);  // [s]

// A hanging chain of n links as the text of a model file, which the caller returns with free().
char *bench_chain(int n, int rungs, size_t *length);

// Measure a suite, or all that need no asking (NULL). command: how a shell runs `jounce bench`. 0: done.
int bench_run(const char *command, const char *suite, int json);
const char *bench_suite(int i);  // their names, NULL behind the last

// Suites: 0 if they could be measured.
int bench_models(bench *b);
int bench_scaling(bench *b);
int bench_work(bench *b);

// What bench_work has valgrind count: so many steps of a model in a formulation.
int bench_steps(const char *file, const char *formulation, const char *steps);

#endif
