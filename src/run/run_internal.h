// run_internal.h: the inside of a run: placing its memory, one evaluation, assembling, channels.
#ifndef JN_RUN_RUN_INTERNAL_H
#define JN_RUN_RUN_INTERNAL_H

#include <string.h>

#include "solve/formulation.h"
#include "solve/general/forces.h"
#include "solve/general/general.h"

// What a saved state begins with.
#define JN_STATE_WORD "jnstate"
enum { JN_STATE_MAGIC = sizeof JN_STATE_WORD };
static inline bool jn_state_begins(const char bytes[JN_STATE_MAGIC])
{
  return !memcmp(bytes, JN_STATE_WORD, JN_STATE_MAGIC);
}

// One block for everything; NULL: memory is exhausted. Then what lasts as it is before anything: all zero is not it.
jn_data *jn_data_place(const jn_system *s);
void jn_data_begin(jn_data *d);

// Is it data of this system, or of another one of the same plan?
static inline bool jn_is_of(const jn_data *d, const jn_system *s)
{
  return s && d && (s == d->system || s->plan_mark == d->system->plan_mark);
}

// The input of a channel; -1: it is none.
static inline int jn_input_at(const jn_system *s, int channel)
{
  const bool is = channel >= s->first_input && channel - s->first_input < s->ninput;
  return is ? channel - s->first_input : -1;
}

// Do its pointers point where they should, into their own part of the block? For JN_VALIDATE.
bool jn_data_is_whole(const jn_data *d);

// Whoever has written the common state marks it by this: it is the newest, nothing is known of it, and no history leads to it.
JN_PRIVATE void jn_state_set(jn_data *d);

// The paths (solve/path.h), and from one to the other: true, if another one advances the motion from here on.
extern const struct jn_path_table jn_general_path, jn_fast_path;
bool jn_path_changes(const jn_system *s, jn_data *d);
void jn_fast_return(const jn_system *s, jn_data *d, const double *y);  // the fast path's own state

// The row was made by the general path: do the lanes, which advance the motion, have the same accelerations?
void jn_paths_compare(const jn_system *s, jn_data *d, double t);

// Of motion that is not finite: a remark that names the first component, plug-in tyre or road which gave such where what it
// was given is finite, to be put behind a message; "": there is none.
JN_PRIVATE const char *jn_plugin_fault_text(const jn_system *s, const jn_data *d,
                                            char text[JN_REMARK]);

// Marks of the plan with its parameters, and of the scenario, by which a saved state knows its own (snapshot.c).
jn_status jn_snapshot_mark(jn_system *s, jn_error *err);

// From the common state, which another block of parameters left, to one of this system: histories and choices begin anew; where
// geometry has moved, loops are closed and velocities projected. Or an error, if they cannot be: the state is then of no use.
jn_status jn_parameters_take(jn_data *d, bool moved, jn_error *err);

// Makes a system of its model, scenario and options, on the plan of s->like if there is one (system.c).
jn_status jn_system_build(jn_system *s, jn_error *err);

// Of a saved state: where the segment ends that it lies in, should this system have other breakpoints than the one that saved it.
void jn_segment_restart(const jn_system *s, jn_data *d);

// Inputs, drives and their segment of time. Breakpoints within a billionth of a step count as being at t.
JN_PRIVATE void jn_segment_begin(const jn_system *s, jn_data *d, double t);

// From the segment at hand into that of t, should it be the next one. Prescribed velocities may jump there: then those of the
// state, d->y, jump with them. By parts: begins the segment (true: velocities jump, d->drive_before has what they were); the blow that
// all velocities get.
JN_PRIVATE void jn_segment_cross(const jn_system *s, jn_data *d, double t);
bool jn_segment_enter(const jn_system *s, jn_data *d, double t);
void jn_swap_drives(jn_data *d);
void jn_strike(const jn_system *s, jn_data *d);
JN_PRIVATE void jn_inputs_at(const jn_system *s, jn_data *d, double t);

// y' at (t, y). begins: y is d->y, and velocities are projected onto the constraints first.
JN_PRIVATE void jn_evaluate_stage(const jn_system *s, jn_data *d, double t, const double *y,
                                  double *dy, double *rate, bool begins);

// The evaluation that a step begins with, by the path that integrates; jn_step makes no other.
JN_PRIVATE jn_step_flags jn_step_prepare(const jn_system *s, jn_data *d);

// A look by the general path, whichever integrates: all but the row of channels, which is filled before the look ends.
jn_step_flags jn_look_begin(const jn_system *s, jn_data *d);
void jn_look_end(jn_data *d);

// Does a row need the general path beside the lanes that integrate now? Such a row can compare the two, which costs an evaluation
// of the lanes; others do not.
JN_PRIVATE bool jn_rows_are_general(const jn_rows *r, const jn_data *d);
JN_PRIVATE jn_step_flags jn_rows_compare(const jn_rows *r, jn_data *d, double *row);

// The state at the beginning of a step, to look at again should the step turn out to have been the last: numbers that it takes, and
// back to it. Histories and turns of joints are not those of that time: no step can follow.
JN_PRIVATE int jn_state_size(const jn_system *s);
JN_PRIVATE void jn_state_keep(const jn_system *s, const jn_data *d, double *to);
JN_PRIVATE void jn_state_return(const jn_system *s, jn_data *d, const double *from);

// What the integrator sees of the path that is in use.
struct jn_ode jn_ode_of(const jn_system *s, jn_data *d);

// Positions back onto the constraints, with the factors at hand or with fresh ones, so many times; velocities likewise.
JN_PRIVATE void jn_correct_positions(const jn_system *s, jn_data *d, double t, int times,
                                     bool fresh);

// Angles into +-pi, quaternions to length one.
JN_PRIVATE void jn_wrap_and_normalise(const jn_system *s, jn_data *d);
JN_PRIVATE void jn_unit_quaternions(const jn_system *s, jn_data *d);

// To close loops with the shortest steps: what is open (nrow), returns the largest; rows (nrow x nv), so that all of these compare
// with radians; a step x (nv) that solves them, shortened and taken by d->y.
double jn_scaled_residuals(const jn_system *s, const jn_data *d, double *b);
JN_PRIVATE void jn_scaled_rows(const jn_system *s, const jn_data *d, double *a);
void jn_closing_step(const jn_system *s, jn_data *d, double *x);

// The initial state of the file, or its design position, made consistent, in d. Adds notes.
jn_status jn_assemble(jn_system *s, jn_data *d, bool with_initial, jn_error *err);

// Does the file say where a vehicle begins, so that it need not stand on the road?
bool jn_place_given(const jn_system *s, int frame);

// Notes on wheels that do not stand on the road in the design position, which d is in; leaves it at rest.
void jn_design_wheels(jn_system *s, jn_data *d);

// Preloads that the file leaves to us.
jn_status jn_balance(jn_system *s, jn_data *d, jn_error *err);

jn_status jn_channels_build(jn_system *s, jn_error *err);
void jn_channels_fill(const jn_system *s, jn_data *d);

// After an evaluation by the general path: what rows have beyond it, residuals and reactions as asked for.
void jn_row_prepare(const jn_system *s, jn_data *d);

jn_energy jn_mechanical_energy(const jn_system *s, const jn_data *d);
double jn_kinetic_energy(const jn_system *s, const jn_data *d, int body);

bool jn_are_finite(int n, const double *x);

// The body whose joint is fastest in the common state; what is not a number is faster than all.
int jn_fastest_body(const jn_system *s, const jn_data *d);

// The fastest motion about the common state, which it leaves changed: how fast it turns over or decays [1/s], 0: not known; and
// the body or wheel that moves most in it, NULL: none. Allocates.
typedef struct jn_fastest {
  double rate;
  const char *kind, *name;  // "body" or "wheel"
} jn_fastest;
JN_PRIVATE jn_fastest jn_fastest_motion(const jn_system *s, jn_data *d);

// Held channels as a selection, where lanes have all of them. Samples them, after an evaluation in lanes.
jn_status jn_held_rows_create(jn_system *s, jn_error *err);
jn_step_flags jn_held_rows_fill(const jn_system *s, jn_data *d);

// Instructions of a step, estimated: of all, of a group, of an ungrouped subsystem with its elements, of an ungrouped element. What would
// make a group cheaper, or NULL; what would make an ungrouped subsystem.
struct lane_group;
double jn_path_cost(const jn_system *s);
double jn_path_cost_group(const jn_system *s, const struct lane_group *g);
double jn_path_cost_subsystem(const jn_system *s, int i);
double jn_path_cost_ungrouped(const jn_system *s, int i);
const char *jn_path_advice(const jn_system *s, const struct lane_group *g);
const char *jn_path_advice_ungrouped(const jn_system *s, int i);

// Largest residual over all rows, and whose.
JN_PRIVATE double jn_worst(const jn_system *s, const double *residual, int *cut);

#endif
