// scenario_internal.h: what the user wants to happen, in SI units.
#ifndef JN_SPEC_SCENARIO_INTERNAL_H
#define JN_SPEC_SCENARIO_INTERNAL_H

#include "base/arena.h"
#include "jounce/scenario.h"
#include "spec/scenario_schema.h"
#include "spec/spec_internal.h"
#include "spec/tree.h"

typedef struct jn_signal_spec {  // a function of time
  const char *name;              // channel that it drives; NULL for a curve of the model
  jn_pos pos;
  jn_signal_kind kind;
  union {  // each begins with `given`
    uint32_t given;
// of sine and chirp: end is +inf for never, and behind start
#define X(kind, word, list, member, help) jn_signal_##member##_spec member;
    JN_SIGNAL_KINDS(X)
#undef X
  } as;
} jn_signal_spec;

typedef struct jn_road_spec {
  const char *name;  // of an entry of `roads`; of `road` itself: road
  jn_pos pos;
  jn_road_kind kind;
  union {  // each begins with `given`
    uint32_t given;
    jn_road_any_spec any;
    jn_road_surface_spec surface;
#define X(kind, word, list, member, help) jn_road_##member##_spec member;
    JN_ROAD_KINDS(X)
#undef X
  } as;
} jn_road_spec;

typedef struct jn_driver_spec {
  const char *name;
  jn_pos pos;
  jn_driver_kind kind;
  union {  // each begins with `given`
    uint32_t given;
#define X(kind, word, list, member, help) jn_driver_##member##_spec member;
    JN_DRIVER_KINDS(X)
#undef X
  } as;
} jn_driver_spec;

typedef struct jn_stop_spec {
  const char *name;
  jn_pos pos;
  jn_pos channel_pos;
  jn_stop_keys keys;  // channel; below is -inf and above +inf where not given
} jn_stop_spec;

struct jn_scenario {
  jn_pool pool;                    // owns everything below
  const jn_file_list *files;       // all that it was read from, and those that it names
  jn_pos pos;                      // of the document
  const char *name, *description;  // description: NULL if there is none
  jn_solver_spec solver;           // with its defaults; baumgarte is 0 where not given
  jn_road_spec road;               // all zero but for its name: the plane z = 0
  bool has_speed;
  double speed;  // initial, forward
  int nroad, ninput, ndriver, ncomponent, nstop;
  jn_road_spec *own_road;  // of individual wheels (nroad), names differ
  jn_signal_spec *input;   // (ninput), names differ
  jn_driver_spec *driver;  // (ndriver), likewise
  jn_component_spec *component;
  jn_stop_spec *stop;     // (nstop)
  jn_record_spec record;  // channels.n is 0 for all of them, every 0 for each step (see docs)
};

// A whole tree into an empty scenario (src/yaml calls it).
JN_PRIVATE jn_status jn_scenario_read(jn_scenario *scenario, const jn_node *root, jn_error *err);

// Is it a scenario, with no keys but a scenario's? Asked before units and the rest are read.
JN_PRIVATE jn_status jn_scenario_head(const jn_node *root, jn_error *err);

// Does the name fit the pattern, in which each * stands for any characters, or for none?
JN_PRIVATE bool jn_pattern_fits(const char *pattern, const char *name);

#endif
