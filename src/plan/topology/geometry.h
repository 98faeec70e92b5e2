// geometry.h: how a joint moves, and what it holds, at any position of a mechanism.
//
// A body's position is its displacement D from the design position: x -> R x + t, in world axes. Points and
// axes are those of the file, so no body needs a frame of its own; in the design position every D is the
// identity. Used when a plan is made, to find ranks and to close loops; stepping has kernels of its own.
#ifndef JN_PLAN_TOPOLOGY_GEOMETRY_H
#define JN_PLAN_TOPOLOGY_GEOMETRY_H

#include "base/m3.h"
#include "base/spatial.h"
#include "joints/joint.h"
#include "plan/topology/topology.h"

typedef struct jn_displacement {
  m3 r;
  v3 t;
} jn_displacement;

typedef struct jn_joint_geometry {
  jn_joint_kind kind;
  bool driven;
  v3 at[2];      // joint point on the first and on the second body
  v3 slide;      // from the first to the second, as far as the joint lets them be apart
  double apart;  // and as far as it does not: what assembly closes  [m]
  double askew;  // angle between the axes on the two bodies  [rad]
  v3 axis[2];    // unit axes, likewise
  m3 turn;       // rotation of the second body that makes its axis parallel to the first's
  double pitch;  // travel of a screw over its angle                                       [m/rad]
  v3 x[JN_NX], y[JN_NY];    // directions that its rows name (joints/joint.h)
  double value[JN_NVALUE];  // and their values
} jn_joint_geometry;

typedef struct jn_joint_state {  // coordinates of a tree joint, from the design position
  double s[3];                   // angles, travels
  double e[4];                   // quaternion, where the joint has a sphere
} jn_joint_state;

typedef struct jn_joint_lead {  // the path from one body of a joint to the other
  int nmove;
  jn_move move[JN_MOVES];
  v3 start;  // where it begins, on the body that it leads from
  v3 end;    // where it ends in the design position, on the body that it leads to
  m3 turn;   // after the moves
} jn_joint_lead;

JN_PRIVATE jn_joint_geometry jn_joint_geometry_of(const jn_model *m, int edge);
jn_joint_state jn_joint_state_zero(void);

// From the first body to the second, or the other way.
jn_joint_lead jn_joint_lead_of(const jn_joint_geometry *g, bool reversed);

// Displacement of the second body relative to the first.
jn_displacement jn_joint_displacement(const jn_joint_geometry *g, const jn_joint_state *state);

// Motions of the second body relative to the first about the origin, in the first's axes of the design
// position, one for each coordinate (at most 6; a driven joint's too). Returns how many.
// translates[i]: a length, not an angle.
int jn_joint_twists(const jn_joint_geometry *g, const jn_joint_state *state, sv twist[6],
                    bool translates[6]);
void jn_joint_advance(const jn_joint_geometry *g, jn_joint_state *state, const double *step);

// Rows of a joint as a constraint, at relative displacement e = D_first^-1 D_second: residual, and the
// force whose power on a relative motion, in the first's axes, is the residual's rate. Returns how
// many (at most 6). lengths[i]: in metres.
int jn_joint_wrenches(const jn_joint_geometry *g, const jn_displacement *e, double residual[6],
                      sv wrench[6], bool lengths[6]);

jn_displacement jn_displacement_identity(void);
jn_displacement jn_displacement_mul(const jn_displacement *a, const jn_displacement *b);
jn_displacement jn_displacement_inverse(const jn_displacement *a);
v3 jn_displacement_point(const jn_displacement *d, v3 x);

// A motion or a force in a displaced body's axes, seen in world axes about the world's origin.
sv jn_motion_to_world(const jn_displacement *d, sv motion);
sv jn_force_to_world(const jn_displacement *d, sv force);

#endif
