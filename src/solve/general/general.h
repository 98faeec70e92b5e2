// general.h: kinematics and equations of motion of a system, stage by stage: of the whole (jn_general_..), or of a part of it
// (jn_part_..), which others hang what they compute on (solve/fast/rest.c).
#ifndef JN_SOLVE_GENERAL_GENERAL_H
#define JN_SOLVE_GENERAL_GENERAL_H

#include "solve/data.h"

// Positions: frames, poses, joint motions, inertias, constraint rows and residuals. Reads q and drives.
JN_PRIVATE void jn_part_positions(const jn_system *s, jn_data *d, const jn_part *p);

// Poses, joint motions and residuals alone: what a correction with factors at hand asks for.
void jn_part_residuals(const jn_system *s, jn_data *d, const jn_part *p);

// Velocities: twists of bodies, rates of residuals. Reads v and the rates of drives.
JN_PRIVATE void jn_part_velocities(const jn_system *s, jn_data *d, const jn_part *p);

// What velocities bring along: bias accelerations across joints, and gamma, the acceleration that each row demands.
JN_PRIVATE void jn_part_biases(const jn_system *s, jn_data *d, const jn_part *p);

// Equations of motion. factor() reads positions; solve() then answers any number of right-hand sides:
//
//   accelerations of all bodies such that rows have the acceleration gamma, joints carry `carry`, bodies are
//   pushed by -push and coordinates by load, and Gauss' function (the mass-weighted square of what
//   differs from free motion) is least.
//
// With velocities for accelerations the same answers how a velocity or a position is corrected.
//
// Factors of units and rows of the core ask for nothing of what hangs on the part; those of the core do.
JN_PRIVATE void jn_general_factor(const jn_system *s, jn_data *d);
void jn_part_factor_units(const jn_system *s, jn_data *d, const jn_part *p);
void jn_part_factor_core(const jn_system *s, jn_data *d, const jn_part *p);
void jn_part_solve(const jn_system *s, jn_data *d, const jn_part *p);

// Is a singular position so near that corrections would be rounding, divided by the distance?
bool jn_general_is_ill_conditioned(const jn_system *s, const jn_data *d);

// Fill the right-hand side: of motion, or of a correction that changes rows by `change` (nrow) and nothing else.
void jn_part_right_side(const jn_system *s, jn_data *d, const jn_part *p);
void jn_general_correction(const jn_system *s, jn_data *d, const double *change);

// Right-hand side of a jump of prescribed velocities from those of `before` (ndrive) to those at hand; jn_general_solve() then gives
// the jump of all others in place of accelerations.
void jn_general_blow(const jn_system *s, jn_data *d, const jn_drive_state *before);

// After a solve of the motion: multipliers of all rows, wrenches of all tree joints.
void jn_part_reactions(const jn_system *s, jn_data *d, const jn_part *p);

// After these: what prescribed motions bring in.
double jn_part_drive_power(const jn_system *s, const jn_data *d, const jn_part *p);

static inline void jn_general_positions(const jn_system *s, jn_data *d)
{
  jn_part_positions(s, d, &s->whole);
}
static inline void jn_general_velocities(const jn_system *s, jn_data *d)
{
  jn_part_velocities(s, d, &s->whole);
}
static inline void jn_general_biases(const jn_system *s, jn_data *d)
{
  jn_part_biases(s, d, &s->whole);
}
static inline void jn_general_solve(const jn_system *s, jn_data *d)
{
  jn_part_solve(s, d, &s->whole);
}
static inline void jn_general_reactions(const jn_system *s, jn_data *d)
{
  jn_part_reactions(s, d, &s->whole);
}

// Add a correction to positions: to angles, lengths, and quaternions in their tangent space.
void jn_general_displace(const jn_system *s, double *q, const double *step,
                         const jn_frame_state *frame);

// dq/dt of velocities v at q.
void jn_general_qdot(const jn_system *s, const double *q, const double *v, double *dq);

// Of one joint, each array from its first number on: dq/dt; a correction, but of a floating base; angles into +-pi, turns counted, and
// quaternions to length one. Its screws, in the parent's design axes about the anchor.
void jn_joint_qdot(const jn_tree_joint *j, const double *q, const double *v, double *dq);
void jn_joint_displace(const jn_tree_joint *j, double *q, const double *step);
void jn_joint_wrap(const jn_tree_joint *j, double *q, double *turns);
void jn_joint_normalise(const jn_tree_joint *j, double *q);
void jn_general_screws(const jn_tree_joint *j, const double *q, sv *screw);

// What a solve leaves in qdd, as rates of the system's velocities: a floating base's are in frame axes there, and less gravity.
void jn_part_vdot(const jn_system *s, const jn_data *d, const jn_part *p, double *dv);

// For assembling: all rows over all velocities (nrow x nv); a floating base's are in frame axes. And a wrench on a body
// as generalised force on every coordinate between it and `stop`, or the ground.
JN_PRIVATE void jn_general_jacobian(const jn_system *s, const jn_data *d, double *jacobian);
void jn_general_wrench_columns(const jn_system *s, const jn_data *d, int body, int stop, sv f,
                               double sign, double *row);

#endif
