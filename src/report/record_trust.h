// record_trust.h: is the motion of a run to be trusted? Looked at beside its rows, where it costs steps nothing.
#ifndef JN_REPORT_RECORD_TRUST_H
#define JN_REPORT_RECORD_TRUST_H

#include "base/arena.h"
#include "jounce/run.h"

typedef struct jn_trust {
  const jn_system *s;
  double least;      // energy that is not judged [J]
  int nbody, *body;  // those that are to be above the road, counted from the first
  double *early
      [4];  // states: the newer and the older that are kept; the one that is suspected; the one that is doubted
  bool has_doubted;     // the last of these
  double share;         // of the energy in play that it has drifted by
  int64_t nkept, kept;  // how many were kept, and the step of the newest
  bool suspects;
  bool known;  // why the run failed: nothing is to be found out
  bool moves;  // it is the motion that failed
  jn_pool pool;
} jn_trust;

jn_status jn_trust_begin(jn_trust *k, const jn_system *s, jn_error *err);
void jn_trust_end(jn_trust *k);

// At the beginning of a step, when what is known of it raises no doubt.
void jn_trust_keep(jn_trust *k, const jn_data *d, int64_t step, const jn_run_result *r);

// After a row with energies; with places of the bodies as jn_body_motion has them. Each fills r->doubt, once.
void jn_trust_judge_energy(jn_trust *k, const jn_data *d, double t, jn_run_result *r);
void jn_trust_judge_places(jn_trust *k, const double *motion, double t, jn_run_result *r);

// At the end, if the run has failed or is doubted: whether the step was too long, and for what. Leaves the state changed.
void jn_trust_explain(jn_trust *k, jn_data *d, jn_run_result *r);

#endif
