// compare.h: one vehicle in every way of solving it, and what is found when the results are compared.
//
//   model and scenario -> subject (systems of all ways) -> states, runs, identities -> outcome
//
// A comparison gives a ratio: how far two results are apart over how far rounding, conditioning and step length may
// bring them. Above 1 it is a finding. Nothing here prints or ends the process, so that a reduction can call it again
// and again.
#ifndef JT_DIFFERENTIAL_COMPARE_H
#define JT_DIFFERENTIAL_COMPARE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "solve/data.h"
#include "vehicle.h"

// ---- comparisons --------------------------------------------------------------------------------

// Name, where it is made, the way beside the general and the automatic one that it needs, word, help.
#define CHECKS(X)                                                                                 \
  X(ACCEPTED, 0, GENERAL, "accepted", "what one way of solving accepts, all accept")              \
  X(INITIAL_RECURSIVE, IN_STATES, RECURSIVE, "initial-recursive",                                 \
    "assembled initial state, recursive")                                                         \
  X(INITIAL_INDEPENDENT, IN_STATES, INDEPENDENT, "initial-independent", "the same, independent")  \
  X(STATE_RECURSIVE, IN_STATES, RECURSIVE, "state-recursive",                                     \
    "rates, outputs and reactions at a state, recursive")                                         \
  X(STATE_INDEPENDENT, IN_STATES, INDEPENDENT, "state-independent", "the same, independent")      \
  X(STATE_BALANCE, IN_STATES, GENERAL, "state-balance",                                           \
    "Newton and Euler for each body, general path")                                               \
  X(STATE_RATES, IN_STATES, GENERAL, "state-rates",                                               \
    "over a short time positions change with velocities, energy with power ...")                  \
  X(STATE_LAWS, IN_STATES, GENERAL, "state-laws",                                                 \
    "loads on bodies by the formulas of their elements")                                          \
  X(STATE_LANES, IN_STATES, GENERAL, "state-lanes", "rates at a state in lanes, general path")    \
  X(STATE_ROWS, IN_STATES, GENERAL, "state-rows", "channels of rows made in lanes, general path") \
  X(STATE_LIST, IN_STATES, LIST, "state-list", "bits of the rates, list against auto")            \
  X(STATE_NARROW, IN_STATES, NARROW, "state-narrow", "bits of the rates, narrow against auto")    \
  X(FIRST_STEP, IN_STATES, GENERAL, "first-step",                                                 \
    "one short step of euler and semi-euler, lanes against general")                              \
  X(UNUSED_LANES, IN_STATES | IN_RUNS, GENERAL, "unused-lanes",                                   \
    "unused lanes are copies of the first, and finite")                                           \
  X(CLOSED, IN_RUNS, GENERAL, "closed",                                                           \
    "constraint residuals after a few steps with projection, general path")                       \
  X(RUN_RECURSIVE, IN_RUNS, RECURSIVE, "run-recursive",                                           \
    "motion by rk4, recursive against general")                                                   \
  X(RUN_INDEPENDENT, IN_RUNS, INDEPENDENT, "run-independent",                                     \
    "motion by rk4, independent against general")                                                 \
  X(RUN_REFERENCE, IN_RUNS, GENERAL, "run-reference",                                             \
    "motion by reference against that by rk4, general path")                                      \
  X(RUN_LANES, IN_RUNS, GENERAL, "run-lanes", "motion by rk4, lanes against general")             \
  X(RUN_RATES, IN_RUNS, GENERAL, "run-rates",                                                     \
    "rates with which a step within a run in lanes begins")                                       \
  X(DRAWN_RECURSIVE, IN_DRAWN, RECURSIVE, "drawn-recursive",                                      \
    "motion by the drawn integrator, recursive")                                                  \
  X(DRAWN_RK4, IN_DRAWN, GENERAL, "drawn-rk4",                                                    \
    "motion by the drawn integrator against that by rk4, general path")                           \
  X(DRAWN_LANES, IN_DRAWN, GENERAL, "drawn-lanes",                                                \
    "motion by the drawn integrator, lanes against general")                                      \
  X(DRAWN_LIST, IN_DRAWN, LIST, "drawn-list",                                                     \
    "bits of all channels and states after a run, list against auto")                             \
  X(DRAWN_NARROW, IN_DRAWN, NARROW, "drawn-narrow", "the same, narrow against auto")              \
  X(ENERGY, IN_RUNS, GENERAL, "energy", "energy less work is constant, general path")             \
  X(RENAMED, IN_ALIKE, GENERAL, "renamed", "other names and another order of the file")           \
  X(MIRRORED, IN_ALIKE, GENERAL, "mirrored", "left for right")                                    \
  X(TURNED, IN_ALIKE, GENERAL, "turned", "heading elsewhere")                                     \
  X(MOVED, IN_ALIKE, GENERAL, "moved", "a kilometre away")                                        \
  X(REBUILT, IN_ALIKE, GENERAL, "rebuilt",                                                        \
    "wheel elements as wheel bodies and the other way round")                                     \
  X(REBASED, IN_ALIKE, GENERAL, "rebased", "another base, other cut joints")                      \
  X(MOMENTUM, IN_ALIKE, GENERAL, "momentum", "free vehicle: linear and angular momentum")         \
  X(CRASH, 0, GENERAL, "crash", "the process ended, or a sanitizer reported")                     \
  X(SLOW, 0, GENERAL, "slow", "a vehicle took longer than its time limit")

enum { IN_STATES = 1, IN_RUNS = 2, IN_DRAWN = 4, IN_ALIKE = 8 };

#define X(name, in, way, word, help) CHECK_##name,
typedef enum check { CHECKS(X) NCHECK } check;
#undef X

extern const char *const check_word[NCHECK], *const check_help[NCHECK];

// Why something was not compared; counted.
#define SKIPS(X)                                                 \
  X(CLOSED, "states: loops did not close")                       \
  X(CONDITION, "states: ill-conditioned")                        \
  X(PIVOT, "states: lanes left because of a fallen pivot")       \
  X(STIFF, "runs: error above 1e-3 at that step")                \
  X(FAILED, "runs: not finite at that step in the general path") \
  X(LEFT, "runs: lanes left because of a fallen pivot")          \
  X(NOT_ALIKE, "identities: do not apply")                       \
  X(REFUSED, "identities: the other vehicle is refused")

#define X(name, text) SKIP_##name,
typedef enum skip { SKIPS(X) NSKIP } skip;
#undef X

extern const char *const skip_text[NSKIP];

// ---- coverage -----------------------------------------------------------------------------------

// Elements by kind: force kinds but wheels, then wheel elements and tyres of wheel bodies, by tyre.
enum { NELEMENT = JN_NFORCE_KIND + 2 * JN_NTYRE_KIND, NROAD = 8 };
enum {
  RARE_FRICTION,
  RARE_PATCHES,
  RARE_SINGLE,
  RARE_UNGROUPED,
  RARE_REST_CORE,
  RARE_REST_LOOPS,
  RARE_REST_SHARED,
  RARE_REST_DRIVEN,
  RARE_REST_FRAMES,
  RARE_REST_KIND,
  RARE_REST_AXES,
  RARE_REST_APART,
  RARE_REST_REDUNDANT,
  RARE_REST_BESIDE,
  RARE_REST_CUT,
  RARE_CONTACT_CORE,
  RARE_CONTACT_SECOND,
  RARE_CONTACT_PLACE,
  RARE_CONTACT_FIRST,
  RARE_CONTACT_PUSHES,
  RARE_COMPONENT,
  NRARE = RARE_COMPONENT + 8
};

typedef struct coverage {  // of one vehicle: what it has
  bool pair[JN_NJOINT_KIND][2]
           [NELEMENT];  // an element on a body with such a joint: in the tree, cut
  bool joint[JN_NJOINT_KIND][2], element[NELEMENT];
  bool integrator[JN_NINTEGRATOR], stabilize[JN_NSTABILIZE], road[NROAD], rare[NRARE];
} coverage;

typedef struct coverage_table {  // number of vehicles, by path: lanes, general
  int pair[2][JN_NJOINT_KIND][2][NELEMENT], joint[2][JN_NJOINT_KIND][2], element[2][NELEMENT];
  int integrator[2][JN_NINTEGRATOR], stabilize[2][JN_NSTABILIZE], road[2][NROAD], rare[2][NRARE];
} coverage_table;

void coverage_ungrouped(const jn_system *s, coverage *out);  // of a vehicle in lanes
void coverage_of(const jn_system *s, const jn_scenario *c, coverage *out);
void coverage_add(coverage_table *t, const coverage *c, bool lanes);
void coverage_show(const coverage_table *t, FILE *out);

// ---- outcome ------------------------------------------------------------------------------------

enum { WHAT = 200 };

// Plain data: it goes through a pipe.
typedef struct outcome {
  uint64_t seed;
  bool rejected, lanes;
  bool skip;          // not compared at all
  char reason[WHAT];  // why it was rejected, or is not in lanes
  int made[NCHECK];
  double ratio[NCHECK];  // worst of each
  char what[NCHECK][WHAT];
  int skipped[NSKIP];
  coverage cover;
  double seconds;
} outcome;

// One more comparison; `fmt` says what is compared, and is kept if it is the worst so far.
void note(outcome *o, check k, double ratio, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
int worst_check(const outcome *o);  // with the largest ratio above 1, -1: nothing was found

// ---- ways of solving ----------------------------------------------------------------------------

typedef enum way { GENERAL, RECURSIVE, INDEPENDENT, AUTO, LIST, NARROW, NWAY } way;
extern const char *const way_word[NWAY];

// A vehicle made ready in every way. Options of its systems: rk4, the drawn step, and the drawn stabilisation, or
// projection if lanes do not know that one.
typedef struct subject {
  jn_spec *spec;
  jn_model *model;
  jn_scenario *scenario;
  jn_sim_opts drawn;
  jn_system *system[NWAY];  // AUTO and what follows it: NULL if it does not run in lanes
  char reason[WHAT];        // why not
  int rank;                 // of all rows, in general; -1: unknown
  bool *undetermined;       // reactions of a joint (nfile_edge)
} subject;

// False: it was rejected, and o->reason says why. `name`: the file that the model would be, beside which it finds those that it
// names. `ways`: bits of the ways wanted; GENERAL always is.
bool subject_open(const char *model, const char *scenario, const char *name, unsigned ways,
                  subject *k, outcome *o);
#define VEHICLE_FILE "vehicle.yaml"  // of drawn vehicles: in the project's folder
void subject_close(subject *k);

// The same system with other options. Everything else is shared, so the original must outlive it.
jn_system with_options(const jn_system *s, jn_integrator integrator, jn_stabilize stabilize,
                       double step);

enum { ALL_WAYS = (1 << NWAY) - 1, LANE_WAYS = 1 << AUTO | 1 << LIST | 1 << NARROW };

// Classes of channels that are compared by one scale: their unit, and whether they are reactions.
typedef struct classes {
  int n, *of;  // of each channel; -1: not compared
  const char *unit[64];
} classes;
void classes_of(const jn_system *s, classes *c);
void classes_free(classes *c);

// ---- what is compared ---------------------------------------------------------------------------

// `wanted`: bits of checks; the others are left out where that saves time.
typedef uint64_t checks;
checks checks_in(unsigned stages);  // bits: IN_STATES, ...
enum { STATES = 4, RUN_STEPS = 40 };

void compare_states(const subject *k, uint64_t seed, checks wanted, outcome *o);

// Rows of the general path by rk4 with the drawn step h, at the beginning and at the end; what halving it changes.
typedef struct course {
  bool good;  // it can be compared: finite, and accurate to 1e-3
  int steps;
  double step;
  double *first, *last, *error;  // (nchannel)
  double *lanes, *lane_error;    // the last one in lanes, and both errors; NULL: not run
  double *tolerance;             // of the first row, from rounding and conditioning
} course;

void compare_runs(const subject *k, checks wanted, course *c, outcome *o);
void course_free(course *c);

void compare_alike(const subject *k, const vehicle *v, uint64_t seed, const course *c,
                   checks wanted, outcome *o);

// All of it. compare_text: model and scenario as text, without identities.
void compare_vehicle(const vehicle *v, uint64_t seed, checks wanted, outcome *o);
void compare_text(const char *model, const char *scenario, const char *name, uint64_t seed,
                  checks wanted, outcome *o);

// ---- reduction ----------------------------------------------------------------------------------

// Takes out what can be taken out while the same comparison still finds it, and writes model, scenario and a text with
// numbers and commands to `folder`. Candidates are compared in children, so that crashes can be reduced as well.
void reduce(const vehicle *v, const outcome *found, check k, double seconds, const char *folder);

// The vehicle and all that must move alike, to `folder`.
void write_all_alike(const vehicle *v, uint64_t seed, const char *folder);

// Compares in a child with a time limit; what the child did not survive is an outcome too.
void compare_guarded(const vehicle *v, uint64_t seed, checks wanted, unsigned seconds, outcome *o);

#endif
