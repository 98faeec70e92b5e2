// peer.h: what an engine must be able to do to be timed.
#ifndef JN_PEERS_PEER_H
#define JN_PEERS_PEER_H

#include <stdbool.h>

#include "peer_vehicle.h"

typedef struct peer_variant {
  const char *name, *formulation, *integrator;
  bool
      contends;  // one evaluation a step, its peer's usual method: the fastest of these stands for it
  const void *choice;  // of the peer
} peer_variant;

typedef struct peer {
  const char *name;
  const peer_variant *variant;           // the last one has no name
  void *(*open)(const peer_variant *v);  // at t = 0; NULL: it could not, and has reported why
  bool (*step)(void *run);               // timed: forces and one step. False: it has failed
  void (*states)(void *run, body_state *body);  // not timed, changes nothing (NBODY)
  void (*close)(void *run);
} peer;

extern const peer peer_jounce, peer_mujoco;

#endif
