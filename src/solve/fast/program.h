// program.h: the program of one subsystem, while it is written: operation lists, parameters, what the workspace
// holds from the beginning, and how its state belongs to that of the system.
#ifndef JN_SOLVE_FAST_PROGRAM_H
#define JN_SOLVE_FAST_PROGRAM_H

#include "solve/fast/fast.h"

// A field is a place in the group's workspace, four numbers side by side, one for each lane; what is called a field below is the
// first of those that a thing takes. A parameter is a place likewise among the group's constants. -1: there is none. All
// vectors are seen from the parent body: in its axes, about its point [m, rad, N, s].
//
// Velocities of joints are u (dependent) and z: the nv independent ones, then the ns of shared joints. Loops demand J u = J_z z, so
// that u = T z, and each body moves with z by a screw K.

enum {                              // room
  LANE_OWN = 48,                    // coordinates of a subsystem
  LANE_COORDS = LANE_OWN + LANE_Z,  // and those of shared joints, which come last
  LANE_LIST_OPS = 240,              // operations of one list
  LANE_LIST_ARGS = 6000,            // and all their arguments
  LANE_FIELDS = 8000,               // of the workspace; also: parameters
  LANE_LINKS = 192,                 // numbers of the state
  LANE_INPUTS = 24,
  LANE_CUTS = 24,      // cut joints
  LANE_CHAIN = 4,      // core bodies from the parent body to one that it is jointed to
  LANE_ELEMENTS = 48,  // force elements with outputs, and wheels
  LANE_ROW_ARGS = 48   // arguments of an operation that makes outputs
};

typedef struct lane_member {  // a body of the subsystem, or one that stands in for a core body
  int body;                   // of the system
  int up;                     // member that its joint hangs on, -1: the parent
  bool rotor;                 // wheel body: its mass counts with `up`, and it has but a spin
  bool stands_in;  // for a core body that a cut joint ends on, or passes: it has no mass here
  bool rests;      // nothing is there to stand in for: it takes the place of what others alike have
  bool given;   // its coordinates are among those of shared joints: of such a body, or prescribed
  bool hinged;  // on the parent body, about a principal axis

  // fields of its pose and motion
  int r;       // rotation to the parent's axes (9), -1: its axes are these, or `circle` has it
  int p;       // its anchor (3)
  int v;       // its motion against the parent (6)
  int b;       // bias acceleration, B in kernels.h (6)
  int s;       // screws of its joint's coordinates (6 each)
  int u[6];    // velocity of each, of u or of z
  int circle;  // cosine and sine of its angle, of a body hinged on the parent (2)
  // Its screw K with each of z (6), -1: it does not move with it; last, the bias that loops demand.
  int k[LANE_Z + 1];
  int force;  // wrench of the force elements (6)
  int accel;  // acceleration, for rows of channels (6)

  int first, ncoord;  // of the subsystem's coordinates: the first of its joint, how many
  int q;        // first of its positions, in the state or, if `given`, among those of shared joints
  int spin;     // of a rotor: which of the velocities in the state
  double sign;  // of a rotor: of its joint's axis against its wheel's

  double mass;  // with those of rotors on it
  v3 cg;        // from the anchor, in axes of the design position
  s3 inertia;   // about the cg, likewise
} lane_member;

typedef struct lane_written {  // an operation
  int kind, narg;              // lane_kind, arguments
  int first;                   // of these in the list's `arg`
} lane_written;

typedef struct lane_list {
  int nop, narg;
  lane_written op[LANE_LIST_OPS];
  int arg[LANE_LIST_ARGS];
} lane_list;

// Outputs of an element or wheel, for rows of channels: written when all other fields have their places.
typedef struct lane_row {
  lane_kind op;
  lane_output of;
  int nfield;  // outputs
  int narg, arg[LANE_ROW_ARGS];
} lane_row;

typedef struct lane_program {
  const jn_system *s;
  int subsystem;  // of the model, -1: it is the program of a core body
  int core;       // this core body, -1: it is the program of a subsystem
  int parent;     // body that it hangs on and is seen from
  bool full;      // something did not fit
  bool short_of_memory;
  int joint;  // edge of the joint that lanes cannot do, -1: none

  int n;
  lane_member m[LANE_BODIES];  // parents first
  int end[LANE_CUTS][2];       // member that stands in for an end of a cut joint, -1: none

  // Coordinates and rows of loops.
  int ncoord;                // of its own joints
  int nrow, nv;              // rows, as many as dependent coordinates; independent coordinates
  int nredundant;            // rows beyond these, which hold if these do
  int ns, nsq;               // coordinates and positions of shared joints
  lane_given given[LANE_Z];  // where the coordinates of shared joints come from (ns)
  lane_given given_q[2 * LANE_Z];  // and their positions (nsq)
  int column[LANE_COORDS];         // of each coordinate: its place in u, or nrow + its place in z
  int row[LANE_ROWS];              // place of each row, as the file has them, in the elimination
  double first[LANE_ROWS];         // pivots at the initial state (nrow)

  // What is written.
  lane_list list[LANE_NPHASE];
  int np, nw;                 // parameters and fields so far
  double p[LANE_FIELDS];      // parameters (np)
  double image[LANE_FIELDS];  // the workspace before the first evaluation (nw)
  int nin;
  lane_input in[LANE_INPUTS];  // signals of the bus that it reads
  int nq, nspin, nx, ne;       // of the state: positions, spins of rotors, states, declared states
  int nlink;
  lane_state_map link[LANE_LINKS];  // which numbers of the system's state these are
  int nrow_of;
  lane_row row_of[LANE_ELEMENTS];
  lane_output output[LANE_ELEMENTS];  // where these have their outputs (nrow_of)

  // Fields of loops.
  int z, u;        // velocities (nv + ns), (nrow)
  int j;           // J and J_z, row by row ((nrow + nredundant) x (nrow + nv + ns))
  int lu;          // its factors (nrow x nrow)
  int t;           // T, with a last column for the loops' bias (nrow x (nv + ns + 1))
  int side;        // of each row: right-hand side of accelerations, residual times -1 (2 each)
  int correction;  // of the dependent coordinates, against the residuals (nrow)
  int worst;  // how far pivots have fallen since the initial state, as a ratio (1); -1: no loops

  // Fields of the equations of motion, summed over bodies: D z' + F' A = Q, A the acceleration of the parent body.
  int sums, nsums;  // those set to zero in every evaluation: forces of members, q, power, outside
  int q;            // Q: generalised forces (nv + ns)
  int power;        // of the force elements (1)
  int outside;      // wrench that acts on the parent body too: not from it or a member (6)
  int f;            // F: coupling to the parent body (6 x (nv + ns))
  int d;            // D: mass matrix, the lower triangle by rows ((nv + ns) (nv + ns + 1) / 2)
  int inertia;      // of all bodies: about the parent's point (6), mass times cg (3)
  int push;         // bias wrench of all bodies (6)
  int y;            // D_vv^-1 (F_v | Q_v | D_vs) (nv x (7 + ns))
  int out;          // what the parent body gets: LANE_SUM_.. (LANE_NSUM)
  int shared;  // what shared joints get: f (6 ns), q (ns), d (lower triangle); if nv is 0: those above

  // Fields for rows of channels.
  int accelerations;  // of all coordinates, dependent ones first (ncoord + ns)
  int residuals;  // the largest residual of the loops, the largest rate of one (2); -1: no loops
} lane_program;

// Written in the order of rows and coordinates of `like`, if that is given and serves; otherwise in an order of its own.
// False: it cannot be run in lanes, and *why says why; or memory is exhausted, which the system keeps.
bool jn_lane_program(jn_system *s, int subsystem, const lane_program *like, lane_program *b,
                     const char **why);

// The same of a core body whose coordinates groups share, with `before` joints between it and the parent body, at rest where it has
// none.
bool jn_lane_program_core(jn_system *s, int body, int parent, const int *like, int before,
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
