// data.h: one run: state, and the workspace of an evaluation in the order in which it is filled.
//
// One block of plain memory, placed by one walk (run/data.c), in three parts: the struct below, which is a view of the other two;
// what lasts from step to step, without an address in it, so that it can be copied and saved as it stands (run/snapshot.c); and
// workspace, which every evaluation fills anew. What lasts begins with the struct's last numbers and goes on with
// the arrays that are marked so.
//
// Spatial quantities are about the body's station, in the axes of its frame (system.h).
#ifndef JN_SOLVE_DATA_H
#define JN_SOLVE_DATA_H

#include "base/arena.h"
#include "elements/tyre/contact.h"
#include "plan/system.h"

struct jn_integ;
struct jn_ode;

typedef struct jn_pose {
  m3 r;  // from design axes to frame axes
  v3 p;  // anchor, from the station's point
} jn_pose;

// Symmetric 6 x 6: articulated inertia, (moment, force) = [j h; h' m] (angular, linear).
typedef struct ai {
  s3 j;
  m3 h;
  s3 m;
} ai;

typedef struct jn_frame_state {
  m3 r;         // from frame to world axes
  v3 moved;     // origin, from its place in the design position, world axes
  v3 velocity;  // of the origin, world axes (floating frames; others rest)
  v3 gravity;   // in frame axes
} jn_frame_state;

typedef struct jn_drive_state {
  double s, rate, accel;
} jn_drive_state;

typedef struct jn_wheel_state {
  tyre_out tyre;     // in frame axes
  v3 contact;        // point of the road, world
  v3 centre;         // world
  v3 axis, normal;   // of the wheel with its compliance, of the road; frame axes
  double road;       // height of the road under the centre
  double friction;   // of the road there
  double keep;       // of its contact (elements/road/keep.h)
  double spin;       // against the carrier
  double spin_rate;  // of the state
  double torque;     // of the brake, against the spin
  double brake_a, brake_b;
  bool carries;  // while preloads are found: `carried`, in place of what the tyre gives
  double carried;
} jn_wheel_state;

typedef struct
    jn_row_data {  // a constraint row as wrenches on its two bodies: rate of residual = b . V_b - a . V_a
  sv a, b;
} jn_row_data;

typedef struct jn_block_data {  // shapes in plan/system.h's jn_block
  double *j;                    // rows over coordinates and core coordinates (m x (n + nc))
  int *pick;                    // order of coordinates: the first m are dependent (n)
  double *lu;                   // of the dependent columns (m x m)
  int *pivot;                   // of its rows (m)
  double *t;             // response of the dependent to independent and core coordinates (m x nz)
  sv *k;                 // body motions per unit of each of these (nz x (nbody + ncore))
  sv *h;                 // momentum of that (nz x nbody)
  double *d;             // mass matrix of these (nz x nz), the block of independent ones factorised
  double *dc;            // D_vv^-1 D_vc (nv x nc)
  sv *f;                 // coupling to the top (nz)
  sv *fv;                // L^-1 F_v with L L' = D_vv (nv)
  double *x0;            // bias of the coordinates (n)
  double *y;             // D_vv^-1 Q_v (nv)
  sv *beta;              // bias accelerations (nbody + ncore)
  double *rhs;           // scratch (n + m + nz)
  double *x_load;        // scratch (n)
  double *trial;         // scratch of the choice (m x n)
  double *first;         // pivots when the order was chosen (m)
  double *chosen_pivot;  // the same of comparable numbers (n)
  bool *chosen;          // there is a choice; it, pick, pivot and first last
} jn_block_data;

// What others compute and hang on bodies of a part: inertia and wrench about the body's station; where it shares joints of the core,
// the coupling of their coordinates to that body, what acts on them, and their inertia.
typedef struct jn_hung {
  int body;
  ai inertia;
  sv push;
} jn_hung;

typedef struct jn_hung_joints {
  int body, n;
  int *v, *column;  // velocities of the system; columns of the core (n)
  sv *f;            // (n)
  double *q;        // (n)
  double *d;        // (n x n)
} jn_hung_joints;

// How much is known of the state at the present time.
typedef enum jn_stage {
  JN_STAGE_SET,  // a state is given, nothing is known of it
  JN_STAGE_CONSISTENT,  // velocities of the common state are on the constraints: to project them again would move bits
  JN_STAGE_EVALUATED  // y' and all workspace of the general path belong to it, which goes on from there
} jn_stage;

// Who advances the motion, and who has the newest state: y, q, v, x are the common one, the fast path has its own.
typedef enum jn_advances { JN_ADVANCES_GENERAL, JN_ADVANCES_FAST } jn_advances;
typedef enum jn_owner { JN_OWNER_COMMON, JN_OWNER_FAST, JN_OWNER_BOTH } jn_owner;

typedef struct jn_energy {
  double kinetic, potential;  // the latter of weight, from the design position
} jn_energy;

// Energy as rows have seen it, against the work of all forces and prescribed motions [J].
typedef struct jn_account {
  double now, first;   // kinetic and potential; the same less work, at the first row
  double drift;        // largest difference from that
  double kinetic;      // the largest
  double work, moved;  // so far; what came and went between rows, whatever its sign
} jn_account;

struct jn_data {
  const jn_system *system;
  size_t size;     // of the block
  size_t lasting;  // bytes that last, from `step` on

  // state: it lasts
  double *y;  // q, v, x
  double *q, *v, *x;
  double *turn;       // whole turns of angles that are kept within +-pi (nq)
  double *cut_angle;  // of cut joints, turns counted (ncut)
  v3 *anchor;         // in the design position, that coordinates count from (nbody)
  double t;           // of the present evaluation
  double t_in;  // the same for inputs: held between the breakpoints that the step lies between

  // inputs: they last, but for the drives
  double (*in)[3];         // the bus (components/bus.h): value, rate, acceleration (nsignal)
  double (*live_from)[2];  // instant at which a live input was set, and its value then (ninput)
  bool *live;              // set from outside (nsignal)
  jn_drive_state *drive;   // (ndrive)
  jn_drive_state *drive_before;  // the same at the end of the segment before (ndrive)

  // positions
  jn_frame_state *frame;
  v3 *station;        // point of each station from its frame's origin (nstation)
  jn_pose *pose;      // (nbody)
  sv *s;              // motion per unit of each speed (nv)
  v3 *station_spare;  // where both are put while a correction needs those of the factors
  jn_frame_state *frame_spare;
  sv *s_spare;
  sv *s_drive;       // likewise of driven joints (ndrive)
  si *inertia;       // (nbody)
  double *residual;  // (nrow)
  jn_row_data *row;  // (nrow)

  // velocities
  sv *twist;              // (nbody)
  sv *bias;               // acceleration that velocities alone bring across a joint (nbody)
  double *residual_rate;  // (nrow)

  // forces
  sv *force;              // applied (nbody)
  double *tau;            // generalised, on the tree's coordinates (nv)
  double *element;        // outputs of force elements (noutput)
  jn_wheel_state *wheel;  // (nwheel)
  double power;           // of all applied forces and drives

  // equations of motion: what solve() takes and gives; a correction takes nothing but gamma
  bool correcting;
  sv *push;        // bias wrench on each body, in; accumulated (nbody)
  sv *carry;       // bias acceleration across each joint, in (nbody)
  double *load;    // generalised force, in (nv)
  double *gamma;   // demanded acceleration of each row, in (nrow)
  sv *ground;      // acceleration of the ground less gravity, in (nframe)
  sv *accel;       // of each body less gravity, out (nbody)
  double *qdd;     // out (nv), in frame axes for a floating base
  double *lambda;  // multipliers of all rows, by reactions() (nrow)
  sv *reaction;    // wrench that the tree joint puts on the body, by reactions() (nbody)

  // factors
  ai *articulated;              // (nbody)
  jn_hung *hung;                // what hangs on a part (nhung of it)
  jn_hung_joints *hung_joints;  // (nhung_joints)
  sv *u;                        // articulated inertia times s (nv)
  double *d;                    // factor of the joint's own block (6 nv)
  double *e;                    // scratch of the elimination (nv)
  jn_block_data *block;
  struct jn_core_data *core;

  struct jn_integ *integ;
  double *dy, *rate;  // derivative, and rates of declared states
  double *channel;    // values (of all channels)

  double *change;       // scratch of corrections (nrow)
  unsigned char *kept;  // what lasts, to go back to (lasting)
  // Choices of dependent coordinates and of rows, which last (nchoice bytes); those of the lanes while the general path looks.
  unsigned char *choice, *lane_choice;
  size_t nchoice;
  int64_t lane_events;
  struct jn_lane_data *lane;
  bool closing;   // velocities are projected whatever the options say (reference)
  bool on_plane;  // while preloads are found: all wheels stand on the road of the design position
  bool still;     // an equilibrium is looked for: tyres carry, and give nothing along the road
  bool reactions_done;
  bool lanes_fresh;  // the fast path has evaluated the present time, and nothing has changed since
  double now_position_norm, now_velocity_norm;

  // From here on it lasts. A change of what stands here, or of the arrays that last, is another format (run/snapshot.c).
  struct {
    _Alignas(JN_ARENA_ALIGN) int64_t step;  // time is step * h + offset
    double offset;
    double from,
        limit;  // breakpoints that the step lies between: from <= t < limit; from INFINITY: not looked for yet
    double from_in, last_before;  // the first and the last instant between them
    int64_t
        left_lanes;  // step at which a fallen pivot had it leave them; it returns when that is back. 0: it has not
    int64_t events, rows_seen;
    double position_norm, velocity_norm;
    jn_account energy;
    double path_difference, path_time;  // largest of lanes and general path at a row, and when
    int64_t sampled;                    // held signals are those of this step - 1; 0: of none
    int nlive;                          // live inputs
    double faulty_time;                 // of the fault below
    int faulty;                         // instance that gave what is not finite, -1: none
    int faulty_output, faulty_state;    // its value, or its state with such a rate; -1: the other
    int faulty_plugin;                  // force of a plug-in that gave such a thing, -1: none
    int path_body;                      // whose acceleration that was, -1: of another state
    int failing_body;                   // body, -1: none
    jn_audit audit;                     // power of drives and reactions are wanted
    jn_stage stage;
    jn_advances advances;
    jn_owner owner;
  };
};

static inline bool jn_is_fast(const jn_data *d)
{
  return d->advances == JN_ADVANCES_FAST;
}

// From a body's station to its parent's.
static inline v3 jn_to_parent(const jn_system *s, const jn_data *d, int i)
{
  return v3_sub(d->station[s->body[s->body[i].parent].station], d->station[s->body[i].station]);
}

// The parent's motion about the body's station, of those of all bodies; and a wrench on the body, added to those on its parent.
static inline sv jn_motion_of_parent(const jn_system *s, const jn_data *d, const sv *motion, int i)
{
  const sv up = motion[s->body[i].parent];
  return s->body[i].new_station ? sv_shift_motion(up, v3_neg(jn_to_parent(s, d, i))) : up;
}

static inline void jn_hand_on(const jn_system *s, const jn_data *d, int i, sv f, sv *wrench)
{
  if (s->body[i].new_station) f = sv_shift_force(f, jn_to_parent(s, d, i));
  sv *up = &wrench[s->body[i].parent];
  *up = sv_add(*up, f);
}

// What the rows of a cut joint pass on with these multipliers (nrow), taken off the wrenches that bodies need.
static inline void jn_cut_reaction(const jn_data *d, const jn_cut *c, const double *lambda,
                                   sv *wrench)
{
  for (int r = c->row; r < c->row + c->nrow; r++) {
    wrench[c->b] = sv_axpy(-lambda[r], d->row[r].b, wrench[c->b]);
    wrench[c->a] = sv_axpy(lambda[r], d->row[r].a, wrench[c->a]);
  }
}

#endif
