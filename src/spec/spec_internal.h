// spec_internal.h: what the user wrote, in SI units and ISO axes, with names resolved to indices.
#ifndef JN_SPEC_SPEC_INTERNAL_H
#define JN_SPEC_SPEC_INTERNAL_H

#include "base/arena.h"
#include "base/error.h"
#include "jounce/spec.h"
#include "spec/schema.h"
#include "tir/tir.h"

enum {
  JN_GROUND = -1,        // index of the body that does not move
  JN_NAME_MAX = 63,      // longest name of an element [bytes]
  JN_CHANNEL_MAX = 127,  // and of a channel
};

// Files that something was read from.
typedef struct jn_file_list {
  const char *name;
  const struct jn_file_list *next;
} jn_file_list;

// The name is not copied; false: memory is exhausted.
JN_PRIVATE bool jn_file_list_add(jn_pool *pool, const jn_file_list **list, const char *name);

typedef struct jn_body_spec {
  const char *name;
  jn_pos pos;
  jn_body_keys keys;
} jn_body_spec;

typedef struct jn_joint_spec {
  const char *name;
  jn_pos pos;
  jn_joint_kind kind;
  jn_joint_keys keys;
} jn_joint_spec;

typedef struct jn_force_spec {
  const char *name;
  jn_pos pos;
  jn_force_kind kind;
  union {  // each begins with `given`
    uint32_t given;
#define X(kind, word, list, member, help) jn_##member##_keys member;
    JN_FORCE_KINDS(X)
#undef X
  } as;
} jn_force_spec;

typedef struct jn_tyre_spec {
  const char *name;
  jn_pos pos;
  jn_tyre_kind kind;
  union {
    uint32_t given;
    jn_tyre_rolling_spec rolling;  // those with a law begin with it
#define X(kind, word, list, member, help) jn_tyre_##member##_spec member;
    JN_TYRE_KINDS(X)
#undef X
  } as;
  const jn_tir *tir;  // of a magic-formula: the file with what the model says of it, NULL: of none
  const jn_tir *written;  // and the file alone, NULL: of none
} jn_tyre_spec;

typedef struct jn_initial_spec {  // of a joint, of a body or of a wheel
  jn_pos pos;
  int joint;  // -1: of the body
  int body;   // -1: of the wheel
  int wheel;  // a force element; -1: none
  union {
    uint32_t given;
    jn_initial_joint_keys joint;
    jn_initial_body_keys body;
    jn_initial_wheel_keys wheel;
  } as;
} jn_initial_spec;

typedef struct jn_link_spec {  // of a port of a component
  const char *port;
  const char *signal;  // NULL: the value
  double value;
  jn_pos pos;
} jn_link_spec;

// What a component's kind has is the business of components/: here are words and numbers, and where they stand.
typedef struct jn_component_spec {
  const char *name;
  jn_pos pos;
  const char *type;
  jn_pos type_pos;
  const char *plugin;  // shared object, NULL: it is built in
  jn_pos plugin_pos;
  jn_parameters parameters;
  const jn_pos *parameter_pos;  // (parameters.n)
  int nin, nout;
  const jn_link_spec *in;   // one for each port (nin)
  const jn_link_spec *out;  // one for each signal: a port may have several (nout)
} jn_component_spec;

struct jn_spec {
  jn_pool pool;               // owns everything below
  const jn_file_list *files;  // all that it was read from, and those that it names
  const char *name, *description;
  double gravity[3];
  int nbody, njoint, nforce, ntyre, ncomponent, ninitial;
  jn_body_spec *body;            // (nbody)
  jn_joint_spec *joint;          // (njoint)
  jn_force_spec *force;          // (nforce)
  jn_tyre_spec *tyre;            // (ntyre)
  jn_component_spec *component;  // (ncomponent)
  jn_initial_spec *initial;      // (ninitial)
  jn_topology_spec topology;
  jn_pos pos;  // of the document
};

const char *jn_spec_body_name(const jn_spec *spec, int body);  // "ground" for JN_GROUND

// The bodies that a force element touches: fills two indices, returns how many (1 or 2).
int jn_force_bodies(const jn_spec *spec, const jn_force_spec *force, int body[2]);

// Does it hold its two bodies together, or just act on them (torque, and what has one body)?
bool jn_force_binds(const jn_force_spec *force);

// Where it is attached, on both bodies; NULL: it has no such key.
const jn_vectors *jn_force_points(const jn_force_spec *force);

const char *jn_force_channel(const jn_force_spec *force);  // of its actuator, NULL: none

JN_PRIVATE double jn_tyre_radius(const jn_tyre_spec *tyre);  // unloaded [m]

// The joint is driven: its coordinate is prescribed.
bool jn_joint_driven(const jn_joint_spec *joint);

#endif
