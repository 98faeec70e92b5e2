// stages.h: stages of the general path body by body, joint by joint, unit by unit: the whole (kinematics.c, eliminate.c) and a part
// of it (part.c) are made of the same.
#ifndef JN_SOLVE_GENERAL_STAGES_H
#define JN_SOLVE_GENERAL_STAGES_H

#include "solve/data.h"

// Of a body whose parent has it: pose and joint motions, inertia; twist; what velocities bring across its joint.
void jn_body_place(const jn_system *s, jn_data *d, int i);
void jn_body_inertia(const jn_system *s, jn_data *d, int i);
void jn_body_velocity(const jn_system *s, jn_data *d, int i);
void jn_body_bias(const jn_system *s, jn_data *d, int i);

// Of the coordinates of a joint that is no floating base, each array from its first number on: dq/dt, a correction; of any joint: angles
// into +-pi, turns counted, and quaternions to length one.
void jn_joint_qdot(const jn_tree_joint *j, const double *q, const double *v, double *dq);
void jn_joint_displace(const jn_tree_joint *j, double *q, const double *step);
void jn_joint_wrap(const jn_tree_joint *j, double *q, double *turns);
void jn_joint_normalise(const jn_tree_joint *j, double *q);

// Right-hand side of motion on a body; then, from the leaves inwards, factors and wrenches of a unit, and outwards its accelerations.
void jn_body_right_side(const jn_system *s, jn_data *d, int i);
void jn_unit_factor(const jn_system *s, jn_data *d, const jn_elimination *unit);
void jn_unit_backward(const jn_system *s, jn_data *d, const jn_elimination *unit);
void jn_unit_forward(const jn_system *s, jn_data *d, const jn_elimination *unit);
void jn_body_accelerate(const jn_system *s, jn_data *d, int i);  // of qdd and its parent's

// Reactions: what inertia and applied forces need at a body; what a cut joint passes; and from a body on to its parent. Then what
// is unbalanced at its coordinates.
void jn_body_needs(const jn_system *s, jn_data *d, int i);
void jn_cut_passes(const jn_system *s, jn_data *d, int i);
void jn_body_hands_on(const jn_system *s, jn_data *d, int i);
void jn_body_unbalanced(const jn_system *s, jn_data *d, int i, double *e);

#endif
