// part.h: a part of a system, computed alone: all that hangs on one body, the top, and ends on bodies of the core that others share.
// Whoever computes the rest some other way (solve/fast/) has the motion of the top and of those bodies' joints, and takes what the part
// adds to both.
//
// Positions, velocities and accelerations are in the general path's arrays, as after an evaluation there.
#ifndef JN_SOLVE_GENERAL_PART_H
#define JN_SOLVE_GENERAL_PART_H

#include "solve/data.h"

typedef struct jn_part {
  int top;
  int nbody, *body;      // members, and shared ones, in forward order
  int nmember, *member;  // bodies whose inertia it has, in forward order
  int nshared, *shared;  // core bodies between the top and what its loops end on, in forward order
  int ncut, *cut;
  int nunit;
  jn_elimination *unit;  // from the leaves inwards
  int block;             // the one whose core coordinates are the shared ones, -1: none are
  bool driven;           // motions are prescribed in it, or in joints of shared bodies
} jn_part;

// Reads q, the top's pose and station, drives: poses, joint motions, inertias, rows; factors, articulated[top] being what hangs on the
// top.
void jn_part_positions(const jn_system *s, jn_data *d, const jn_part *p);
void jn_part_factor(const jn_system *s, jn_data *d, const jn_part *p);

// Reads v, the top's twist, rates of drives: twists. Dependent velocities follow from the others, whatever v has of them, and are
// put there.
void jn_part_velocities(const jn_system *s, jn_data *d, const jn_part *p);
void jn_part_biases(const jn_system *s, jn_data *d, const jn_part *p);

// No force acts on it.
void jn_part_clear_forces(const jn_system *s, jn_data *d, const jn_part *p);

// Reads forces: push[top] is what hangs on the top, load of shared coordinates what acts on them. Then reads accel[top], and qdd
// of shared coordinates: accelerations of all bodies, and qdd.
void jn_part_backward(const jn_system *s, jn_data *d, const jn_part *p);
void jn_part_forward(const jn_system *s, jn_data *d, const jn_part *p);

// After accelerations: multipliers of its rows, wrenches of its tree joints; those of shared bodies and of the top have what the part
// adds.
void jn_part_reactions(const jn_system *s, jn_data *d, const jn_part *p);

// Positions anew at q, and what they leave open taken out of dependent coordinates, with the factors at hand.
void jn_part_close(const jn_system *s, jn_data *d, const jn_part *p);

#endif
