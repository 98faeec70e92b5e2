// program.h: the program of one subsystem, while it is written: operation lists, parameters, what the workspace
// holds from the beginning, and how its state belongs to that of the system.
#ifndef JN_SOLVE_FAST_PROGRAM_H
#define JN_SOLVE_FAST_PROGRAM_H

#include "solve/fast/fast.h"

enum {
  LANE_OWN = 48,                    // coordinates of a subsystem
  LANE_COORDS = LANE_OWN + LANE_Z,  // and those of shared joints, which come last
  LANE_LIST_OPS = 240,
  LANE_LIST_ARGS = 6000,
  LANE_FIELDS = 8000,
  LANE_LINKS = 192,
  LANE_INPUTS = 24,
  LANE_CUTS = 24,
  LANE_CHAIN = 4,  // core bodies from the parent body to one that it is jointed to
  LANE_ELEMENTS = 48
};

typedef struct lane_member {
  int body;  // of the system
  int up;    // member, -1: the parent
  bool rotor;
  bool stands_in;  // for a core body that a cut joint ends on, or passes: it has no mass here
  bool rests;      // nothing is there to stand in for: it takes the place of what others alike have
  bool given;   // its coordinates are among those of shared joints: of such a body, or prescribed
  bool hinged;  // on the parent body, about a principal axis
  int r, p, v, b;     // pose, motion, bias: fields
  int s, u[6];        // its joint's first screw; velocities
  int first, ncoord;  // of the subsystem's coordinates
  int q;              // first field of its positions
  int spin;           // of a rotor: field among the velocities
  double sign;        // of a rotor: of its joint's axis against its wheel's
  int k[LANE_Z + 1];  // screw of each column, -1: it does not move with it; last: what loops demand
  int force;          // wrench of the force elements
  int accel;          // acceleration, for rows
  int circle;         // cosine and sine, of a body hinged on the parent; -1
  double mass;
  v3 cg;
  s3 inertia;
} lane_member;

typedef struct lane_written {
  int kind, narg, first;
} lane_written;

typedef struct lane_list {
  int nop, narg;
  lane_written op[LANE_LIST_OPS];
  int arg[LANE_LIST_ARGS];
} lane_list;

// An element's outputs, for rows: written when all other fields have their places.
typedef struct lane_row {
  lane_kind op;
  lane_output of;
  int nfield;
  int narg, arg[48];
} lane_row;

typedef struct lane_program {
  const jn_system *s;
  int subsystem, parent;  // parent: body; subsystem -1: of a core body
  int core;               // this, -1: of a subsystem
  bool full;              // something did not fit
  int joint;              // edge of the joint that does not fit, -1: none
  int n;
  lane_member m[LANE_BODIES];
  int ncoord, nrow, nv;  // coordinates of joints, rows, independent coordinates
  int nredundant;        // rows beyond these, which hold if these do
  int ns, nsq;           // coordinates and positions of shared joints
  lane_given given[LANE_Z], given_q[2 * LANE_Z];  // where these come from
  int end[LANE_CUTS][2];    // member that stands in for an end of a cut joint, -1: none
  int column[LANE_COORDS];  // of each coordinate: dependent ones first
  int row[LANE_ROWS];       // place of each row
  double first[LANE_ROWS];  // pivots at the beginning
  lane_list list[LANE_NPHASE];
  int np, nw, nin, nq, nspin, nx, ne, nlink;
  double p[LANE_FIELDS], image[LANE_FIELDS];
  lane_input in[LANE_INPUTS];
  lane_state_map link[LANE_LINKS];
  int nrow_of;
  lane_row row_of[LANE_ELEMENTS];
  lane_output output[LANE_ELEMENTS];  // of these
  int out, worst;
  int accelerations, residuals;  // for rows: of all coordinates; the largest two, -1: no loops
  // fields
  int j, lu, t, z, u, side, correction, residual;
  int zero, nzero, f, d, q, power, inertia, push, outside, y;
  int shared;  // what it gives shared joints: first field
} lane_program;

// Written in the order of rows and coordinates of `like`, if that is given and serves; otherwise in an order of its own.
// False: it cannot be run in lanes, and *why says why.
bool jn_lane_program(const jn_system *s, int subsystem, const lane_program *like, lane_program *b,
                     const char **why);

// The same of a core body whose coordinates groups share, with `before` joints between it and the parent body, at rest where it has
// none.
bool jn_lane_program_core(const jn_system *s, int body, int parent, const int *like, int before,
                          lane_program *b, const char **why);

// Cut joints and force elements of a subsystem, alike in all that are alike; -1: too many.
int jn_lane_find_cuts(const jn_system *s, int subsystem, int *list);
int jn_lane_find_elements(const lane_program *b, int *list);

// Has it operations for a joint?
bool jn_lane_has_joint(const jn_tree_joint *j);

// Does one of its elements need the rotation of this body?
bool jn_lane_element_turns(const jn_system *s, int body);

// One of each, into the operation lists. Not NULL: why lanes cannot do it.
const char *jn_lane_write_cut(lane_program *b, int cut, int at, int *row);
void jn_lane_write_element(lane_program *b, int element, const int *turns);
bool jn_lane_write_wheel(lane_program *b, int wheel);  // true: with the coordinates of its body

// Of the plan's core: what lanes hang on. The general path's own core may have more, where rows are redundant.
static inline bool lane_is_core(const jn_system *s, int body)
{
  return body < s->nframe || s->model->core[s->body[body].node];
}

// The body that a subsystem is seen from.
static inline int lane_parent_of(const jn_system *s, int subsystem)
{
  return s->body_of_node[s->model->subsystem[subsystem].parent];
}

static inline bool lane_is_identity(m3 a)
{
  const double e = 1e-14;
  const v3 x = v3_sub(a.x, v3_set(1, 0, 0)), y = v3_sub(a.y, v3_set(0, 1, 0)),
           z = v3_sub(a.z, v3_set(0, 0, 1));
  return v3_dot(x, x) + v3_dot(y, y) + v3_dot(z, z) < e * e;
}

#endif
