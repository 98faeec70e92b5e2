// equilibrium.h: positions in which a system stays at rest, with its inputs as they are at t = 0.
//
// Library: libjounce.
#ifndef JOUNCE_EQUILIBRIUM_H
#define JOUNCE_EQUILIBRIUM_H

#include "jounce/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

// Zero is the default of everything.
typedef struct jn_equilibrium_opts {
  int design;           // begin at the design position, not at the file's initial one
  int most_iterations;  // 0: 200
} jn_equilibrium_opts;

// A direction in which the system can move, called after the coordinate with the largest share in
// it.
typedef struct jn_direction {
  char name[160];    // "joint \"lca\", angle"; "body \"chassis\", along z", in world axes
  const char *unit;  // of the force: "N" or "N m"
  double force;      // unbalanced, in the direction of a growing coordinate
  int weight;        // 1: most of it is weight
} jn_direction;

typedef struct jn_equilibrium {
  int found;  // 1: every force is balanced
  int iterations;
  double unbalanced;   // largest unbalanced force that is left, by coordinate     [N or N m]
  jn_direction worst;  // where
  double scale;        // size of the forces in play, with which that compares       [N]
  // Neutral: nothing resists and nothing pushes; they were held. Unheld: something pushes, and
  // nothing resists however far it moves. Unstable: balanced, but what moves away goes on.
  int nneutral, nunheld, nunstable;
  jn_direction *neutral, *unheld, *unstable;
  int nmode;
  double *mode;  // squares of the angular frequencies about it, rising       [1/s²] (nmode)
  int nrow;
  double *row;  // values of all channels there, at rest (jn_channel_count)
  int nstate;
  double *state;  // of the system; for jn_equilibrium_apply
  uint64_t plan;  // by which it knows its own systems
} jn_equilibrium;

// The status says whether the search could be made; whether there is an equilibrium, `found` does. If
// there is none, state and row are those where the search ended. On success the caller owns *out.
// `opts` may be NULL. Allocates.
JN_API jn_status jn_equilibrium_find(const jn_system *system, const jn_equilibrium_opts *opts,
                                     jn_equilibrium **out, jn_error *err);
JN_API void jn_equilibrium_free(jn_equilibrium *e);  // NULL is allowed

// Puts a run there: at rest, at t = 0. Prescribed motions that do not begin at rest move on.
// JN_E_CALL: it is of another plan than the data; then the data is as it was. Real-time safe.
JN_API jn_status jn_equilibrium_apply(const jn_system *system, const jn_equilibrium *e,
                                      jn_data *data);

#ifdef __cplusplus
}
#endif

#endif
