// sim.h: running a model: a system made ready for one way of solving, one run of it, its channels.
//
//   spec -> model -> system -> data -> step, step, step
//
// Calls outside of steps look at what they are given: a wrong call is JN_E_CALL with a text, or returns what stands for nothing: NULL, 0,
// -1, NaN, a struct of zeros (docs/library.md).
//
// Libraries: JN_INTEGRATOR_REFERENCE runs through jn_reference_... of libjounce-offline, the rest is in
// libjounce.
#ifndef JOUNCE_SIM_H
#define JOUNCE_SIM_H

#include <stddef.h>
#include <stdint.h>

#include "jounce/model.h"
#include "jounce/scenario.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- ways of solving --------------------------------------------------------------------------

#define JN_FORMULATION_LIST(X)                                                                    \
  X(SUBSYSTEM, "subsystem", "chains body by body, each group of loops as a block, then the core") \
  X(RECURSIVE, "recursive", "joint coordinates and multipliers of the cut joints")                \
  X(INDEPENDENT, "independent", "dependent joint coordinates eliminated")

#define JN_INTEGRATOR_LIST(X)                                                                 \
  X(AB3, "ab3", "Adams-Bashforth of order 3")                                                 \
  X(AB2, "ab2", "Adams-Bashforth of order 2")                                                 \
  X(EULER, "euler", "explicit Euler")                                                         \
  X(SEMI_EULER, "semi-euler", "velocities first, positions with the new velocities, order 1") \
  X(RK2, "rk2", "Runge-Kutta of order 2 (Heun)")                                              \
  X(RK4, "rk4", "Runge-Kutta of order 4")                                                     \
  X(ABM4, "abm4", "Adams-Bashforth-Moulton of order 4, two evaluations a step")               \
  X(REFERENCE, "reference", "adaptive, of order 8, tight tolerances, not for real time")

#define JN_STABILIZE_LIST(X)                                                                     \
  X(PROJECTION, "projection", "one mass-weighted correction of positions, then of velocities")   \
  X(NONE, "none", "loops drift as the integrator lets them")                                     \
  X(DELAYED, "delayed", "what a step finds open is taken out at its end: in lanes the cheapest") \
  X(BAUMGARTE, "baumgarte", "drift is drawn back by the equations of motion")                    \
  X(NEWTON, "newton", "a fixed number of corrections, each with a factorisation of its own")

// How `subsystem` is computed. All that are in lanes give the same bits; the general path closes loops in another way,
// and differs within the integrator's own error.
#define JN_PATH_LIST(X)                                                                       \
  X(AUTO, "auto",                                                                             \
    "in lanes where the model permits, by precompiled operation lists where there are")       \
  X(LIST, "list", "in lanes, by interpreted operation lists alone")                           \
  X(NARROW, "narrow", "by the same operation lists, one lane after the other: the same bits") \
  X(GENERAL, "general", "body by body, as all other formulations")

#define X(name, word, help) JN_PATH_##name,
typedef enum jn_path { JN_PATH_LIST(X) JN_NPATH } jn_path;
#undef X
#define X(name, word, help) JN_FORMULATION_##name,
typedef enum jn_formulation { JN_FORMULATION_LIST(X) JN_NFORMULATION } jn_formulation;
#undef X
#define X(name, word, help) JN_INTEGRATOR_##name,
typedef enum jn_integrator { JN_INTEGRATOR_LIST(X) JN_NINTEGRATOR } jn_integrator;
#undef X
#define X(name, word, help) JN_STABILIZE_##name,
typedef enum jn_stabilize { JN_STABILIZE_LIST(X) JN_NSTABILIZE } jn_stabilize;
#undef X

// Zero is the default of everything.
typedef struct jn_sim_opts {
  jn_formulation formulation;
  jn_integrator integrator;
  jn_stabilize stabilize;
  double step;            // [s], 0: 1 ms
  double end;             // [s], 0: 1 s
  double baumgarte;       // rate at which drift decays [1/s], 0: a tenth of 1/step
  int newton_iterations;  // 0: 2
  jn_path path;
  double tolerance;   // of `reference`, relative; 0: 1e-12
  int without_tyres;  // leave wheels and tyres out
  // Load no plug-ins, so that no code runs but jounce's own: they exert no force (tyres carry, and do no more) and have no
  // outputs.
  int without_plugins;
  // A road of the caller's own (jounce/plugin.h), in place of the scenario's `road`; NULL: there is none. Its `init` and
  // `free` are not called: road_self is what its `at` is given. Both must outlast the system.
  const struct jn_road_plugin_table *road;
  void *road_self;
} jn_sim_opts;

// Those of the scenario, which may be NULL; zeros where it says nothing.
JN_API jn_sim_opts jn_sim_opts_of(const jn_scenario *scenario);

// The word of the lists above; -1 if there is none such. `which`: "formulation", "integrator", "stabilize", "path".
JN_API int jn_sim_word(const char *which, const char *word);
JN_API const char *jn_sim_word_of(const char *which, int value);

// ---- system: immutable, shared by threads -------------------------------------------------------

typedef struct jn_system jn_system;

// A model made ready to run with a scenario (NULL: all inputs are zero) and options (NULL: the scenario's).
// Model and scenario must outlive it. On success the caller owns *out. Allocates. Loads the plug-ins that the model names,
// which is to run code from files: reading and compiling a model never does.
JN_API jn_status jn_system_create(const jn_model *model, const jn_scenario *scenario,
                                  const jn_sim_opts *opts, jn_system **out, jn_error *err);
JN_API void jn_system_free(jn_system *system);  // NULL is allowed

// Another block of parameters on the plan of `like`: the same bodies, joints, force elements, tyres and components as `changed` has
// them, with other numbers (a mass, a spring rate, points of a curve, a tyre's coefficient, a hardpoint), with the scenario and
// options of `like`. A running jn_data switches to it (jn_data_switch). Decisions that hang on numbers stay those of the plan: which
// coordinates are dependent, which wheel bodies are rotors, how large a curve may be. JN_E_PLAN: `changed` is built otherwise,
// or its numbers break such a decision; the error names it. The spec must outlive the system; `like` need not. Allocates.
JN_API jn_status jn_system_with(const jn_system *like, const jn_spec *changed, jn_system **out,
                                jn_error *err);
JN_API const jn_sim_opts *jn_system_opts(const jn_system *system);

// What was found while it was made ready, for people: how far points were from meeting, what preloads balance,
// inputs that nothing gives a value. Line i, NULL behind the last one.
JN_API const char *jn_system_note(const jn_system *system, int i);

// ---- the path of a system ---------------------------------------------------------------------------

enum { JN_LANES = 4, JN_LANE_LISTS = 9 };

// Like subsystems side by side: lanes share lists of operations and differ in numbers.
typedef struct jn_path_group {
  int lanes;                        // in use
  const char *subsystem[JN_LANES];  // the first body of each
  const char *list[JN_LANE_LISTS];  // "pose", "force", ... (docs/dynamics.md)
  int compiled[JN_LANE_LISTS];      // 1: precompiled, 0: interpreted
  double instructions;              // of a step, estimated
  const char *advice;               // what would make it cheaper, NULL: nothing that is known
} jn_path_group;

// A subsystem that no group takes: computed as the general path does it, beside those in lanes.
typedef struct jn_path_subsystem {
  const char *name;     // its first body; NULL: there is no such subsystem
  const char *why;      // no group takes it
  double instructions;  // of a step, estimated, with its force elements
  const char *advice;   // what would make it cheaper, NULL: nothing that is known
} jn_path_subsystem;

// How its subsystems are computed: in lanes, but for those that no group takes, or all by the general path.
typedef struct jn_path_info {
  const char *general;  // why it is the general path; NULL: it is in lanes, and the rest holds
  const char *engine;   // how lanes are run
  int ngroup;           // groups of lanes
  int nungrouped;  // force elements that are part of no list and of no ungrouped subsystem: computed one by one
  double
      instructions;  // of a step of one evaluation, estimated: for comparing parts of a vehicle, not for a clock
  int nsubsystem;  // ungrouped subsystems
  const char *
      core;  // why the core is computed as on the general path; NULL: lanes have code of their own for it
} jn_path_info;

JN_API jn_path_info jn_system_path(const jn_system *system);
JN_API jn_path_group jn_system_path_group(const jn_system *system, int i);
JN_API jn_path_subsystem jn_system_path_subsystem(const jn_system *system, int i);
JN_API const char *jn_system_path_ungrouped(const jn_system *system, int i);  // the element's name
JN_API double jn_system_path_ungrouped_cost(const jn_system *system,
                                            int i);  // instructions of a step, estimated

// All of that in one line: "lanes: 4 of 4, compiled", "general: there is no subsystem". Returns `text`.
JN_API const char *jn_system_path_line(const jn_system *system, char *text, size_t size);

// ---- components -----------------------------------------------------------------------------------

// Components of the model and the scenario (docs/components.md), in the order in which they are evaluated.
typedef struct jn_component_info {
  const char *name, *kind;
  int sensed;  // 1: it needs sensors within an evaluation; 0: it is known before positions
  int ninput, noutput;
} jn_component_info;

typedef struct jn_component_input {
  const char *port, *signal;
  int held;      // 1: as it is at the beginning of the step; 0: of the same evaluation
  double value;  // of a port that the file gives a number, else NaN
} jn_component_input;

typedef struct jn_component_output {
  const char *port, *unit;
  int ndriven;  // input channels that it drives
} jn_component_output;

JN_API int jn_component_count(const jn_system *system);
JN_API jn_component_info jn_component_at(const jn_system *system, int i);
JN_API jn_component_input jn_component_input_at(const jn_system *system, int i, int input);
JN_API jn_component_output jn_component_output_at(const jn_system *system, int i, int output);
JN_API const char *jn_component_driven(const jn_system *system, int i, int output, int k);

// Components of the model and scenario whose plug-ins, and elements and tyres likewise, opts.without_plugins has left out, with
// their channels.
JN_API int jn_system_left_out(const jn_system *system);

// ---- channels -------------------------------------------------------------------------------------

typedef struct jn_channel {
  const char *name;  // "chassis.x", "joint.lca_fl.angle"
  const char *unit;  // "m"
  const char *help;  // one sentence
  int input;         // 1: a value that goes in
} jn_channel;

JN_API int jn_channel_count(const jn_system *system);
JN_API jn_channel jn_channel_at(const jn_system *system, int i);
JN_API int jn_channel_find(const jn_system *system, const char *name);  // -1: there is none

// Where the value of an input channel comes from. A live value (jn_input_set) replaces any of them.
typedef enum jn_input_owner {
  JN_OWNER_NONE,      // nowhere: zero until it is live
  JN_OWNER_SCENARIO,  // `inputs` of the scenario
  JN_OWNER_NUMBER,    // a number: of a component's port, of a driver
  JN_OWNER_COMPONENT  // the output of a component
} jn_input_owner;
JN_API jn_input_owner jn_input_owner_of(const jn_system *system, int channel);

// ---- data: one run, one thread at a time -----------------------------------------------------------

typedef struct jn_data jn_data;

// On success the caller owns *out, assembled and at t = 0. Allocates, and nothing after it does.
JN_API jn_status jn_data_create(const jn_system *system, jn_data **out, jn_error *err);
JN_API void jn_data_free(jn_data *data);  // NULL is allowed

// ---- a run copied, saved, begun again ----------------------------------------------------------------
//
// What lasts from step to step is one part of the data: state, histories of the integrator, choices of coordinates, counts of turns,
// live inputs, the path in use, jn_data_audit's setting, statistics. A run that goes on from a copy has the very bits that the
// original has. The row is not part of it: jn_evaluate fills it. Plug-ins keep no state (plugin.h). All four allocate nothing; copying,
// saving and restoring evaluate at most once, so that all are real-time safe.

// Data of the same system, or of one made of the same model, scenario and options; otherwise JN_E_CALL, and *to is as it was.
JN_API jn_status jn_data_copy(jn_data *to, const jn_data *from);

// Returns how many bytes it takes, and writes them if `size` is enough. They serve any process of the same build of jounce on the
// same type of machine that has made a system of the same model and options; they are no file format to archive runs in.
JN_API size_t jn_data_save(const jn_data *data, void *bytes, size_t size);

// A saved state belongs to a plan. The scenario may be another one, with the same drivers: time goes on from the saved one, histories
// begin anew, and live inputs stay live. Parameters may be others too: the state is then taken over as jn_data_switch does it, and
// statistics of energy begin anew. Bytes that are cut short, damaged, of another plan, of other options or of another version
// are refused, and so is a state whose loops cannot be closed; *data is as it was.
JN_API jn_status jn_data_restore(jn_data *data, const void *bytes, size_t size, jn_error *err);

// As jn_data_create makes it: assembled, at t = 0, nothing live, everything audited.
JN_API void jn_data_reset(jn_data *data);

// Between two steps, to another block of parameters of the same plan (jn_system_with), and on with the same time, coordinates,
// velocities, states and live inputs; `system` is then the one to step with, and must outlive the data. Joint coordinates count from
// the new design position. Where geometry has moved, loops are closed again and velocities projected, moving as little mass as
// can be. The integrator starts anew, which is an event; a jump of energy counts as work. The row stays that of the last
// evaluation. JN_E_CALL: another plan, scenario or other options; JN_E_RANGE: loops cannot be closed from here. *data is then
// as it was. Real-time safe.
JN_API jn_status jn_data_switch(jn_data *data, const jn_system *system, jn_error *err);

// What a row has beside the motion. A run begins with all of it; what is left out is zero. Real-time safe.
typedef enum jn_audit {
  JN_AUDIT_NONE,
  JN_AUDIT_ENERGY,  // energy and work, so the power of prescribed motions too
  JN_AUDIT_ALL,     // and reactions of joints
} jn_audit;
JN_API void jn_data_audit(jn_data *data, jn_audit audit);

typedef enum jn_step_flags {
  JN_STEP_OK = 0,
  // A state, an acceleration or an output of a component is not a number: the run has ended.
  JN_STEP_NOT_FINITE = 1,
  JN_STEP_OPEN = 2,  // the constraint residual of a loop exceeds a tenth of its size: likewise
  JN_STEP_DIVERGED =
      4,  // a coordinate is faster than 1e6 m/s or rad/s, or its velocity than 1e15 m/s² or rad/s²: likewise
  JN_STEP_CALL = 64,  // the call is wrong: rows of another plan (jn_rows_fill); nothing was done
} jn_step_flags;

// Everything at the present time: fills the row of channels. A step does not need it. Real-time safe.
JN_API jn_step_flags jn_evaluate(const jn_system *system, jn_data *data);

// On to t + step. The row stays that of the last evaluation. Real-time safe.
JN_API jn_step_flags jn_step(const jn_system *system, jn_data *data);

JN_API double jn_time(const jn_data *data);
JN_API const double *jn_row(const jn_data *data);  // values of all channels, of the last evaluation

// Where the bodies are, for pictures: of each body the position of its centre of gravity [m] and the
// quaternion w x y z that turns it from the design position, in world axes (jn_body_count x 7). It belongs
// to the row. JN_E_CALL: the data is of another plan. Real-time safe.
JN_API int jn_body_count(const jn_system *system);
JN_API const char *jn_body_name(const jn_system *system, int i);
JN_API jn_status jn_body_motion(const jn_system *system, const jn_data *data, double *motion);

// A selection of channels, compiled once: of the present time only what it needs is computed, from the path that integrates; the
// step that follows uses the same evaluation. Reactions of joints need the general path beside lanes: its price is that of
// jn_evaluate. The system must outlive it.
typedef struct jn_rows jn_rows;
JN_API jn_status jn_rows_create(const jn_system *system, const int *channel, int n, jn_rows **out,
                                jn_error *err);
JN_API void jn_rows_free(jn_rows *rows);  // NULL is allowed
JN_API jn_step_flags jn_rows_fill(const jn_rows *rows, jn_data *data,
                                  double *row);  // (n). Real-time safe.
JN_API const char *jn_rows_general(
    const jn_rows *rows);  // the first channel that needs the general path beside lanes, NULL: none

// A live input: held until it is set again. It takes the place of what the scenario says. JN_E_CALL: the channel is no input;
// JN_E_RANGE: value or rate is not finite; the input is then as it was. Real-time safe.
JN_API jn_status jn_input_set(jn_data *data, int channel, double value, double rate);

typedef struct jn_run_stats {
  int64_t steps;
  int64_t events;        // starts, restarts, new partitions, singular positions
  double position_norm;  // largest constraint residual at a row so far  [m or rad]
  double velocity_norm;  // likewise of its rate                         [m/s or rad/s]
  double energy, energy_first,
      energy_drift;  // now, at the first row, largest difference less work of inputs [J]
  // What a drift is to be judged by: the largest kinetic energy, and what forces and inputs have moved from row to row. [J]
  double energy_in_play;
  // Of a run in lanes: largest difference to the general path, where jn_evaluate has compared the two, relative to
  // the largest acceleration; when that was [s], and of which body (NULL: of a tyre or an actuator). Rounding, unless
  // something is wrong.
  double path_difference, path_time;
  const char *path_body;
} jn_run_stats;
JN_API jn_run_stats jn_data_stats(const jn_data *data);

// Names the body or joint that went wrong after a flag. Static text or the model's.
JN_API const char *jn_data_failing_body(const jn_system *system, const jn_data *data);

#ifdef __cplusplus
}
#endif

#endif
