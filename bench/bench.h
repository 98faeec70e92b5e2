// bench.h: suites of measurements, each a table.
#ifndef JN_BENCH_BENCH_H
#define JN_BENCH_BENCH_H

#include <stdio.h>

#include "jounce/sim.h"
#include "times.h"

typedef struct bench {
  const char *command;  // how a shell runs this program, to have valgrind run it again
  bool json, markdown;
  bool quick;         // few repeats: to see that it works
  int path;           // of `subsystem`, alone; 0: the default, beside other ways to compute
  const char *table;  // the present one
  int suites, rows;   // so far
} bench;

enum { BENCH_POWER = -1 };  // digits of a number that is shown with its power of ten

typedef struct bench_column {
  const char *name;  // NULL closes a list of them
  double value;      // NAN: there is none
  int digits;        // behind the point
} bench_column;

// A line of the table, with its head before the first one.
void bench_row(bench *b, const char *name, const bench_column *columns);

// For people: a further table of a suite; a sentence below one.
void bench_head(bench *b, const char *table);
void bench_note(const bench *b, const char *text);

// A hanging chain of n links as the text of a model file, which the caller returns with free().
char *bench_chain(int n, int rungs, size_t *length);

// Measure a suite, or all that need no asking (NULL). 0: done.
int bench_run(bench *b, const char *suite);
const char *bench_suite(int i);  // their names, NULL behind the last

// Suites: 0 if they could be measured.
int bench_tyre_laws(bench *b);
int bench_models(bench *b);
int bench_vehicles(bench *b);
int bench_additions(bench *b);
int bench_rows(bench *b);
int bench_scaling(bench *b);
int bench_work_suite(bench *b);

// Ways to compute a model, by name; NULL behind the last. With a path: that of `subsystem` along it alone.
typedef struct bench_way {
  const char *name;
  jn_formulation formulation;
  jn_path path;
} bench_way;
const bench_way *bench_way_at(const bench *b, int i);

// A shipped vehicle that is measured, in a scenario of its own; NULL behind the last.
typedef struct bench_vehicle {
  const char *name, *model, *scenario;
} bench_vehicle;
const bench_vehicle *bench_vehicle_at(int i);

// Instructions of single steps, counted by valgrind.
typedef struct bench_work {
  double first;        // of the first step
  double least, most;  // of those from the fourth on
} bench_work;

// scenario: "-": none. False: it cannot be done here.
bool bench_work_count(const bench *b, const char *model, const char *scenario, const bench_way *way,
                      int steps, bench_work *work);

// Of a step with the row of a selection (rows.c) before it, on average; NAN: it cannot be done here.
double bench_work_rows(const bench *b, const char *model, const char *scenario,
                       const bench_way *way, const char *rows);

// What valgrind runs for it: so many steps; with rows or without (NULL).
int bench_steps(const char *model, const char *scenario, const char *way, const char *steps,
                const char *rows);

#endif
