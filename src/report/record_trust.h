// record_trust.h: is the motion of a run to be trusted? Looked at beside its rows, where it costs steps nothing.
#ifndef JN_REPORT_RECORD_TRUST_H
#define JN_REPORT_RECORD_TRUST_H

#include "base/arena.h"
#include "jounce/run.h"

// States: those that are kept, the one that the reason is looked for at, the one whose energy was doubted.
enum { JN_TRUST_NEWER, JN_TRUST_OLDER, JN_TRUST_SUSPECT, JN_TRUST_DOUBTED, JN_TRUST_STATES };

typedef struct jn_trust {
  const jn_system *s;
  double least;      // energy that is not judged [J]
  int nbody, *body;  // those that are to be above the road, counted from the first
  double *state[JN_TRUST_STATES];
  bool has_doubted;     // the last of these
  double share;         // of the energy in play that it has drifted by
  int64_t nkept, kept;  // how many were kept, and the step of the newest
  bool suspects;
  bool doubt_has_reason,
      has_reason;    // why it is doubted, why it failed: nothing is to be found out
  bool motion_lost;  // that is what failed
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
