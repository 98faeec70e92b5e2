// subject.h: a model made ready to be measured.
#ifndef JN_BENCH_SUBJECT_H
#define JN_BENCH_SUBJECT_H

#include "bench.h"
#include "jounce/jounce.h"

typedef struct bench_subject {
  jn_spec *spec;
  jn_model *model;
  jn_scenario *scenario;
  jn_system *system;
  jn_data *data;  // without reactions and energy
} bench_subject;

// From files; scenario: "-": none. The scenario's options, but in this way. 0: done; otherwise nothing is left to be
// closed, and it has been reported why.
int bench_subject_load(bench_subject *s, const char *model, const char *scenario,
                       const bench_way *way);

// Takes the spec, which may be NULL: it could not be read.
int bench_subject_open(bench_subject *s, jn_spec *spec, const jn_sim_opts *o);

int bench_subject_restart(bench_subject *s);  // at t = 0 again; 0: done
void bench_subject_close(bench_subject *s);

bool bench_rows_steps(bench_subject *s, const char *rows, int n);  // with a row in each (rows.c)

int bench_say(const jn_error *err);  // what is wrong; 1

#endif
