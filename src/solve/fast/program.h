// program.h: the program of one subsystem, while it is written: operation lists, parameters, what the workspace
// holds from the beginning, and how its state belongs to that of the system.
#ifndef JN_SOLVE_FAST_PROGRAM_H
#define JN_SOLVE_FAST_PROGRAM_H

#include "solve/fast/fast.h"

enum {
  LANE_COORDS = 16,  // coordinates of a subsystem
  LANE_Z = 4,        // independent coordinates and the shared one
  LANE_LIST_OPS = 160,
  LANE_LIST_ARGS = 2400,
  LANE_FIELDS = 1600,
  LANE_LINKS = 64,
  LANE_INPUTS = 24,
  LANE_CUTS = 8,
  LANE_ELEMENTS = 48
};

typedef struct lane_member {
  int body;  // of the system
  int up;    // member, -1: the parent
  bool rotor;
  bool hinged;        // on the parent body, about a principal axis
  int r, p, v, b;     // pose, motion, bias: fields
  int s, u[3];        // its joint's first screw; velocities
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
  int subsystem, parent, shared;  // bodies
  bool owns_shared;               // one of its own cut joints ends on the shared body
  bool full;                      // something did not fit
  int joint;                      // edge of the joint that does not fit, -1: none
  int n;
  lane_member m[LANE_BODIES];
  int ncoord, nrow, nv,
      ns;  // coordinates of joints, rows, independent coordinates, 1 if a core joint is shared
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
  int shared_r, shared_p, shared_v, shared_s;
} lane_program;

// Written in the order of rows and coordinates of `like`, if that is given and serves; otherwise in an order of its own.
// False: it cannot be run in lanes, and *why says why.
bool jn_lane_program(const jn_system *s, int subsystem, int shared, const lane_program *like,
                     lane_program *b, const char **why);

// Cut joints and force elements of a subsystem, alike in all that are alike; -1: too many.
int jn_lane_find_cuts(const jn_system *s, int subsystem, int *list);
int jn_lane_find_elements(const lane_program *b, int *list);

// Does one of its elements need the rotation of this body?
bool jn_lane_element_turns(const jn_system *s, int body);

// One of each, into the operation lists. Not NULL: why lanes cannot do it.
const char *jn_lane_write_cut(lane_program *b, int cut, int at, int *row);
void jn_lane_write_element(lane_program *b, int element, const int *turns);
bool jn_lane_write_wheel(lane_program *b, int wheel);  // true: with the coordinates of its body

static inline bool lane_is_identity(m3 a)
{
  const double e = 1e-14;
  const v3 x = v3_sub(a.x, v3_set(1, 0, 0)), y = v3_sub(a.y, v3_set(0, 1, 0)),
           z = v3_sub(a.z, v3_set(0, 0, 1));
  return v3_dot(x, x) + v3_dot(y, y) + v3_dot(z, z) < e * e;
}

#endif
