// build.h: from a plan to a system, stage by stage.
#ifndef JN_PLAN_BUILD_H
#define JN_PLAN_BUILD_H

#include "plan/system.h"

// Bodies, frames, stations, tree joints and cut joints.
jn_status jn_build_bodies(jn_system *s, jn_error *err);

// Core, blocks and the order of elimination. to_core[i]: loop i of the plan must be solved in the core (may be NULL).
jn_status jn_build_order(jn_system *s, const bool *to_core, jn_error *err);

// Of the core's matrices; after jn_build_order.
jn_status jn_build_sparsity(jn_system *s, jn_error *err);

// Inputs, drives and force elements with their tables.
jn_status jn_build_forces(jn_system *s, jn_error *err);

// Numbers that elements keep in the system's table: measured in a first pass, in which `table` is NULL, then filled.
typedef struct jn_building {
  jn_system *s;
  double *table, *time_table;
  int ntable, ntime_table;
} jn_building;
int jn_build_table(jn_building *b, size_t n);  // place of n doubles
// A curve's table; *at is -1 if there are no points. At least `least` steps.
jn_status jn_build_curve(jn_building *b, const jn_curve_spec *c, jn_pos pos, const char *path,
                         int least, int *at, int *steps, jn_error *err);

// Force elements, in the order of their names: wheels too; elements are then sorted by kind. Which of them act in which
// coordinate.
jn_status jn_build_elements(jn_building *b, const jn_force_spec *const *force, jn_error *err);
jn_status jn_build_element_index(jn_system *s, jn_error *err);

// Parameters of a tyre's kernel, as on the side that it was measured on.
jn_status jn_build_tyre(jn_building *b, const jn_tyre_spec *t, jn_tyre_data *out, jn_error *err);
void jn_build_tyre_notes(jn_system *s);  // what of their files something else was taken for

// Of wheels: names of their inputs behind the first *n of a list; one element; states that are declared.
// Roads, and instants at which those that move are not smooth (at may be NULL).
jn_status jn_build_wheel_inputs(jn_system *s, const char **name, int *n, jn_error *err);
jn_status jn_build_wheel(jn_building *b, const jn_force_spec *f, jn_error *err);
void jn_build_wheel_states(jn_system *s);
void jn_build_check_wheels(jn_system *s);
jn_status jn_build_headings(jn_system *s, jn_error *err);  // what steer angles are measured against
jn_status jn_build_roads(jn_system *s, jn_error *err);
int jn_build_road_breakpoints(const jn_system *s, double *at);

// Plug-ins: loads each and makes its element; gives all of them back.
jn_status jn_build_plugins(jn_system *s, jn_error *err);
void jn_build_plugins_free(jn_system *s);

// The table of a component's shared object, loaded and checked; what its `init` makes.
jn_status jn_build_component_table(jn_system *s, jn_component *c, jn_error *err);
jn_status jn_build_component_make(jn_system *s, jn_component *c, jn_error *err);

// Components: those of the files, with their kinds; names of their inputs that nothing is connected to, behind the first *n of
// a list, of so many at most, and the constants of these; one that is part of a joint or a force element (its number, -1:
// memory is exhausted); their connections and order, after wheels; their states.
jn_status jn_build_components_find(jn_system *s, jn_error *err);
int jn_build_component_inputs_most(const jn_system *s);
jn_status jn_build_component_inputs(jn_system *s, const char **name, int *n, jn_error *err);
jn_status jn_build_component_constants(jn_building *b, jn_error *err);
int jn_build_hidden(jn_system *s, const jn_component_table *table, const char *section,
                    const char *of, int signal, double parameter);
jn_status jn_build_components(jn_system *s, jn_error *err);
void jn_build_component_states(jn_system *s, bool declared);

// An output drives an input channel.
jn_status jn_build_drives(jn_system *s, int component, int port, int input, jn_pos pos,
                          jn_error *err);

// Is it a signal of a plug-in component that was not loaded, or of wheels that are left out?
bool jn_build_component_is_absent(const jn_system *s, const char *signal);

// Held values by their channels, once there are channels.
jn_status jn_build_held(jn_system *s, jn_error *err);

// Drivers of the scenario: parameters of their components, and the wheels that these drive; after wheels.
jn_status jn_build_drivers(jn_system *s, jn_error *err);

// A signal that has one value.
jn_status jn_build_constant(jn_building *b, int signal, double value, jn_pos pos, jn_error *err);

int jn_build_input(const jn_system *s, const char *name);  // -1: there is none
int jn_build_index(const jn_system *s, int body);          // of the spec's body, -1: the ground

void *jn_build_array(jn_system *s, int n, size_t size);  // from the pool, zeroed
void jn_build_note(jn_system *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
// A decision of the plan at hand that the numbers break: the first one is kept.
void jn_build_breaks(jn_system *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const jn_element *jn_build_planned(const jn_system *s, const char *name);  // NULL: there is no plan
jn_status jn_build_no_memory(const jn_system *s, jn_error *err);
bool jn_build_lacks_memory(const jn_system *s);  // somewhere on the way

// The body whose tree joint this is, or the cut joint; a driven or fixed joint has no coordinate.
int jn_build_body_of(const jn_system *s, int joint);  // of the spec's joint; -1: it is cut
int jn_build_cut_of(const jn_system *s, int joint);   // -1: it is in the tree

#endif
