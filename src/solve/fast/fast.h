// fast.h: a system run in lanes: groups of like subsystems (operations.h) and the core they hang on.
//
// Its state is the system's own in another order: positions, velocities and other states of the core and of what is not in a
// group come first, then those of each group, field by field. Velocities of dependent coordinates are no state: they follow
// from the others. Rows of channels are gathered from it (view.c); those with reactions are made by the general path, from the same
// state put back.
#ifndef JN_SOLVE_FAST_FAST_H
#define JN_SOLVE_FAST_FAST_H

#include "solve/fast/operations.h"
#include "solve/general/general.h"
#include "solve/path.h"

// A core body: its joint, its inertia, and what is summed up on it. Its own axes, about its anchor.
typedef struct lane_core {
  int body;  // of the system
  int up;    // core body it hangs on, -1: the ground
  jn_joint_kind kind;
  int q, v, nv;  // first in the lanes' state
  int drive;     // -1: not driven
  bool laned;  // its inertia is a group's business: nobody asks for its motion but rows and sensors
  int set, coordinate;  // of shared joints that it belongs to, -1: none; its first coordinate there
  bool ungrouped;       // an ungrouped element acts on it
  bool watched;         // by a sensor
  bool leaf;            // nothing hangs on it
  bool slide;  // such a leaf, on a translational joint of another core body: it needs no matrix
  si rigid;    // own axes, about its anchor
  ai inertia;  // the same
} lane_core;

typedef struct lane_input {  // of a lane: a value of the bus
  int at;                    // among all signals' values, rates and accelerations
} lane_input;

typedef enum lane_section { LANE_Q, LANE_V, LANE_X, LANE_E, LANE_FOLLOWS, LANE_TURNS } lane_section;

typedef struct lane_state_map {  // of a number of the general state
  lane_section
      section;  // FOLLOWS: a speed, in the workspace; TURNS: whole turns of a position, likewise
  int field, general;
  int second;  // of FOLLOWS: field of the acceleration, -1: none
  int rotor;  // body whose whole angular velocity about its wheel's axis the state is, -1: the number itself
  v3 axis;
} lane_state_map;

typedef struct lane_pose {  // of a member, for ungrouped elements
  int body;
  int up;  // member it hangs on, -1: the parent
  int r, p, v,
      force;        // fields; r -1: axes of the parent, LANE_ROTOR: it has none, else LANE_CIRCLE
  int bias, accel;  // of its motion, -1: it has none; acceleration without it, for rows
  bool hinged;      // about a principal axis on the parent body
} lane_pose;

typedef struct lane_roller {  // a wheel body: the fields of its angle and of its spin
  int body;
  int q, v, carrier;  // member
  double sign;        // of its joint's axis against the wheel's
  v3 axis;            // of the wheel, on its carrier
} lane_roller;

typedef struct lane_output {  // of an element, for rows
  bool wheel;
  int index;
  int field, op;  // first field; the operation that fills it, of LANE_ROW
} lane_output;

enum { LANE_BODIES = 28, LANE_ROTOR = -2 };

typedef struct lane_given {  // a coordinate or position of a shared joint
  int body, index;           // core body whose joint it is; -1: it rests, or is prescribed
  int drive;                 // -1: it is not
  bool angle;
  double rest;  // its value, if it rests
} lane_given;

typedef struct lane_given_at {  // a number of a shared joint, of a lane
  int to;                       // among those of the group
  int from;                     // of the state; of accelerations a coordinate of a set
  int set;                      // of accelerations
} lane_given_at;

typedef struct lane_driven_at {  // a prescribed motion, likewise
  int drive;
  int position, rate;  // where they go
  double whole;        // 1: whole turns are left aside
} lane_driven_at;

typedef struct lane_scatter {  // of one lane and one coordinate of a shared joint
  int set, coordinate;
  bool first;                    // of all for that coordinate
  int f, q, d;                   // first number of its coupling, force, inertia in the workspace
  int n;                         // coordinates before it that the lane has, each once
  int with[LANE_Z], to[LANE_Z];  // inertia with them, their places in the set
} lane_scatter;

typedef struct lane_group {
  int parent;                        // core body, -1: the ground
  int lanes;                         // in use; the others are copies of the first
  int ns, nsq;                       // coordinates and positions of shared joints
  int shared_f, shared_q, shared_d;  // what it gives them: fields
  int nstate, ndriven, nreply;
  lane_given_at *state, *reply;  // positions and velocities from the state; accelerations
  lane_driven_at *driven;
  lane_given *given_q, *given;  // whose these numbers are (LANES x nsq, LANES x ns)
  int nscatter;
  lane_scatter *scatter;  // of lanes in use: what goes to which set
  int nw, np;             // fields of workspace and parameters
  int q, v, x, e;  // its first field in the state: positions, velocities, states, declared states
  int nq, nv, nx, ne;  // fields
  const lane_op *op[LANE_NPHASE];
  int nop[LANE_NPHASE];
  int compiled[LANE_NPHASE];  // precompiled operation list that is the same, -1: none is
  double *p;                  // parameters (np x LANES)
  double *image;              // of the workspace before the first evaluation (nw x LANES)
  int out;                    // sums' first field in the workspace
  int outside;                // wrench from outside, likewise
  int worst;                  // how far pivots have fallen, -1: no loops
  int nredundant;             // rows of its loops that hold if the others do
  int nrow, side;  // rows of its loops; the first field of what they have open, every other one
  double *open;    // scale of each: 1 for angles, 1 / size for lengths (nrow x LANES)
  double square;   // largest square of these
  int residuals;   // of the loops, for rows: position, velocity; -1: no loops
  int nin;
  lane_input *in;  // (nin x LANES)
  int nbody;
  lane_pose *pose;  // (LANES x LANE_BODIES)
  int nroller;
  lane_roller *roller;  // (LANES x LANE_BODIES)
  int nlink;
  lane_state_map *link;  // (LANES x nlink)
  int noutput;
  lane_output *output;  // (LANES x noutput)
  int *subsystem;       // of the plan (lanes)
  int ncoord, *column;  // of each coordinate: dependent ones first, which rows pivot on (ncoord)
  int *row;             // place of each row (nrow)
} lane_group;

// Shared joints that groups couple: eliminated together onto the parent body.
enum { LANE_SET = 12 };
typedef struct lane_set {
  int parent;  // core body, -1: the ground
  int n;
  struct {
    int core,
        index;  // core body and which of its joint's coordinates; -1: prescribed in a subsystem
    int drive;  // -1: it is not prescribed
  } at[LANE_SET];
  int nfree, free[LANE_SET];  // coordinates that are not prescribed
  int nbody;                  // core bodies, parents first
  struct {
    int core, up;           // up: which of these it hangs on, -1: the parent body
    int n, path[LANE_SET];  // coordinates that it moves with, inner ones first
    int own;                // of these, the first of its own joint
    bool rigid;             // nothing hangs on it but bodies of the set
  } body[LANE_SET];
  bool several;          // one coordinate of a core body alone is its joint's business
  bool given[LANE_SET];  // a lane has been found that gives it something
} lane_set;

typedef struct lane_set_data {
  sv f[LANE_SET];  // coupling to the parent body; first what groups give, then all
  double q[LANE_SET], d[LANE_SET * LANE_SET];  // force; inertia, by rows: likewise
  double qdd[LANE_SET], effort[LANE_SET];
  double l[LANE_SET * LANE_SET];  // factors of those that are not prescribed
} lane_set_data;

typedef struct lane_ungrouped {  // an element outside of groups
  int element, wheel;            // -1: it is the other
  int core, coordinate;          // in a joint of the core in lanes, -1: it pulls on bodies
  int subsystem;                 // ungrouped subsystem that it acts on, -1: none
  int less;  // core body whose hinge about the same axis it is measured from, -1: none
  double sign, less_sign;  // of the hinges' axes against the element's
  const jn_element *as;    // the element as one in the first of the two
  int q, v, lane_q, lane_v;
  bool contact, alone;  // a contact of the core body with the road; nothing before it pushes that
} lane_ungrouped;

typedef struct lane_subsystem {  // that no group takes
  int subsystem;                 // of the plan
  const char *why;
} lane_subsystem;

// All that no group has, where parents.h does not serve: the functions of the general path compute it, and groups hang on it (rest.c).
// Its bodies are in the general path's arrays at every evaluation.
typedef struct lane_rest {
  jn_part part;     // without bodies: there is none
  const char *why;  // the core is part of it, NULL: for the sake of ungrouped subsystems alone
  int *q, *v;       // first position and velocity of each of its bodies in the lanes' state (nbody)
  bool driven;      // motions are prescribed in it, or in joints that groups share
} lane_rest;

typedef struct lane_place {  // where an ungrouped element finds a body
  int body;
  int group;  // a member in a lane; LANE_CORE_BODY, LANE_REST_BODY
  int lane;   // of a core body, its number
  int member;
} lane_place;
enum { LANE_CORE_BODY = -1, LANE_REST_BODY = -2 };

typedef enum lane_sense_from {
  LANE_OF_FIELD,
  LANE_OF_STATE,
  LANE_OF_CORE,
  LANE_OF_DRIVE,
  LANE_OF_GENERAL  // the general path's function reads it: of the rest
} lane_sense_from;

// A sensor, gathered from lanes and parent bodies.
typedef struct lane_sensor {
  jn_sense what;
  int axis, signal;
  lane_place place;  // of the body; of a wheel's carrier
  lane_place other;  // of a wheel that is a body and no rotor
  bool spins;        // of a wheel: `from` has its whole spin
  v3 spin_axis;      // on the carrier
  double sign;       // of what it measures against the joint's coordinate
  // where a coordinate, its rate or a spin is: a field of a group; general x; the lanes' state; a prescribed motion
  lane_sense_from from;
  int group, lane, field;
  lane_section section;
  int turns;  // field of whole turns; of a core joint, number of the general position; -1: none
  int steer;  // signal, -1: none
} lane_sensor;

typedef struct lane_round {  // an angle of the state, and the whole turns that it leaves aside
  int q, turn;
} lane_round;

typedef struct jn_lane {
  int nq, nv, nx, nexp;  // of the lanes' state
  int ncore, ngroup, nsubsystem, nungrouped, nplace;
  lane_core *core;
  lane_group *group;
  lane_subsystem *subsystem;
  lane_rest rest;
  lane_ungrouped *ungrouped;
  int nstation,
      *station;  // those that begin with bodies in lanes, whose poses are about the frame's origin
  int nset;
  lane_set *set;
  bool bodiless;  // some have no bodies but those in lanes
  lane_place *place;
  int nsensor;
  lane_sensor *sensor;  // those of s->use, and held ones
  bool knows_held;      // all of these
  int nwheel, *wheel;   // those of the ungrouped elements that are wheels
  int core_x, core_e;   // first state and declared state that no group has
  int ncut, *cut;       // cut joints whose angle is counted on after a step
  int nplain, *plain;   // these, by their place in the general x
  int nbrake,
      *brake;  // numbers of the state that are those of brakes: the first of each four lanes
  int nbrake_alone, *brake_alone;  // and those of ungrouped wheels
  int ndeclared, *declared;
  // A base with all groups on it and at most one slide, a rack: the core of most vehicles has code of its own (straight.h).
  bool straight;
  bool closes_apart;  // after a step there is more to do than in groups and in the core
  int nround, nunit;  // of core joints that are not prescribed, after a step:
  lane_round *round;  // angles that are kept within +-pi
  int *unit;          // quaternions that are kept at unit length: their first number in the state
  const lane_engine *engine;
  const struct lane_core_engine *core_engine;
} jn_lane;

// It begins with what groups read of the body that they hang on, in the order of LANE_PARENT_..: nothing is copied.
typedef struct lane_core_data {
  v3 w, v;  // own axes
  m3 world;
  v3 place;  // in the world
  sv accel;  // acceleration: angular, linear less gravity
  double time;
  m3 r;   // to the axes of `up`
  v3 at;  // anchor, from that of `up`, in its axes
  sv bias;
  sv push, force;
  ai inertia;
  sv s[6], u[6];  // in the axes of `up`, about the own anchor; of a slide about that of `up`
  double d[36], e[6], qdd[6];
  double tau[6];
  double effort;  // what a prescribed motion needs
} lane_core_data;
_Static_assert(offsetof(lane_core_data, v) == LANE_PARENT_V * sizeof(double) &&
                   offsetof(lane_core_data, world) == LANE_PARENT_R * sizeof(double) &&
                   offsetof(lane_core_data, place) == LANE_PARENT_P * sizeof(double) &&
                   offsetof(lane_core_data, accel) == LANE_PARENT_A * sizeof(double) &&
                   offsetof(lane_core_data, time) == LANE_PARENT_TIME * sizeof(double),
               "groups find the numbers of their parent body by LANE_PARENT_..");

typedef struct jn_lane_data {
  double *y;  // it lasts, and so does the integrator's history
  double *
      turn;  // likewise: room for the workspace's counts of turns while it is saved (jn_lane_turns)
  double *dy, *rate;
  double *before;                // y at the beginning of a step whose stages are evaluated
  bool staged, ill_conditioned;  // it is kept; pivots fell too far in a stage
  double pivots;                 // how far they had fallen at its beginning
  double *general;  // rates of the system's other states by the general path, to be compared (nx)
  double **w;       // workspace of each group
  double *
      *parent;  // of each group: the first of the body's numbers that it hangs on (LANE_NPARENT)
  double **in;
  double **shared;  // positions, velocities and accelerations of shared joints of each group
  lane_set_data *set;
  double *sum;  // (LANE_NSUM) of each group
  lane_core_data *core, *ground;
  lane_run *run;  // of each group
  struct jn_integ *integ;
} jn_lane_data;

// Chooses lanes for what can be run in lanes; s->lane stays NULL, and s->lane_reason says why, if something cannot.
jn_status jn_lane_build(jn_system *s, jn_error *err);

// Is a force element part of a subsystem's operation list? The others are computed one by one.
bool jn_lane_takes_element(const jn_system *s, const jn_element *e);
bool jn_lane_takes_wheel(const jn_system *s, int i);

// What plug-ins have left in the contact of a wheel (elements/road/keep.h); 0: nothing, or no group has it.
int jn_lane_marks(const jn_system *s, const jn_data *d, int wheel);

// Is a wheel body one of rotation that nothing but its tyres touches? Its angle is then of no consequence: its mass counts with
// its carrier, and its spin is a state of its own.
bool jn_lane_find_rotors(jn_system *s);  // once; false: memory is exhausted
bool jn_lane_is_rotor(const jn_system *s, int body);
void jn_lane_place(const jn_system *s, jn_lane_data *d, jn_arena *last, jn_arena *a);

// The general state into the lanes' and back.
void jn_lane_enter(const jn_system *s, jn_data *d);
void jn_lane_leave(const jn_system *s, jn_data *d);

// What of the workspace lasts, counts of turns: how many numbers, into `turn`, and the workspace anew with those of d->lane->turn.
int jn_lane_turns(const jn_lane *l);
void jn_lane_save_turns(const jn_system *s, const jn_data *d, void *turn);
void jn_lane_restore(const jn_system *s, jn_data *d);

// y' at y; inputs are those of the instant.
void jn_lane_evaluate(const jn_system *s, jn_data *d, const double *y, double *dy, double *rate);
void jn_lane_qdot(const jn_system *s, jn_data *d, const double *y, double *dq);
void jn_lane_close(const jn_system *s, jn_data *d);  // after a step
void jn_lane_phase(const jn_system *s, jn_data *d,
                   lane_phase phase);  // of all groups, to be timed alone

// The rest in an evaluation: motion, factors and rates of positions; with what groups hang on it, accelerations. Its part in what is
// open and how far pivots have fallen; after a step; between the lanes' state and the general one.
void jn_lane_rest_kinematics(const jn_system *s, jn_data *d, const double *y, double *dy);
void jn_lane_rest_solve(const jn_system *s, jn_data *d, double *dy);
jn_health jn_lane_rest_health(const jn_system *s, const jn_data *d, jn_health of_groups);
void jn_lane_rest_close(const jn_system *s, jn_data *d, double *y);
void jn_lane_rest_copy(const jn_system *s, double *y, double *q, double *v, bool in);
void jn_lane_rest_place(const jn_system *s, jn_data *d, jn_arena *a);
void jn_lane_rest_begin(const jn_system *s, jn_data *d);  // what is constant in the workspace
int jn_lane_ungrouped_of(const jn_system *s, const jn_lane *l, int body);  // subsystem, -1: none

static inline bool jn_lane_has_rest(const jn_lane *l)
{
  return l->rest.part.nbody > 0;
}

// Where numbers of a group begin: in the state, or in the workspace.
static inline int jn_lane_section_at(const lane_group *k, lane_section section)
{
  const int first[] = {[LANE_Q] = k->q, [LANE_V] = k->v,    [LANE_X] = k->x,
                       [LANE_E] = k->e, [LANE_FOLLOWS] = 0, [LANE_TURNS] = 0};
  return first[section];
}

static inline int jn_lane_size(const jn_lane *l)  // of its state
{
  return l->nq + l->nv + l->nx;
}

// What a group adds to the body that it hangs on: its own axes, about its anchor.
static inline ai jn_lane_sum_inertia(const double *sum)
{
  const ai a = {s3_make(sum[0], sum[1], sum[2], sum[3], sum[4], sum[5]),
                m3_rows(v3_load(sum + LANE_SUM_H), v3_load(sum + LANE_SUM_H + 3),
                        v3_load(sum + LANE_SUM_H + 6)),
                s3_make(sum[15], sum[16], sum[17], sum[18], sum[19], sum[20])};
  return a;
}

static inline sv jn_lane_sum_push(const double *sum)
{
  return sv_make(v3_load(sum + LANE_SUM_P), v3_load(sum + LANE_SUM_P + 3));
}

// Sensors of the present evaluation onto the bus, after the phase LANE_MOTION.
void jn_lane_sense(const jn_system *s, jn_data *d, const double *y);

// Place of a number of a group's state or workspace.
double *jn_lane_field(const jn_data *d, int group, lane_section section, int field, int lane);

// Largest difference of accelerations and other rates between the lanes and the general path, both just evaluated at the same
// state: relative to the largest acceleration. Rows are computed by the general path: this is what they say of the lanes.
typedef struct lane_difference {
  double size;
  int body;  // whose acceleration it is, -1: of another state
} lane_difference;
lane_difference jn_lane_compare(const jn_system *s, const jn_data *d);

// ---- what others read of the lanes --------------------------------------------------------------------

// Pose and motion of the ground in the frame of the general path, with stations cleared; a field of a lane.
void jn_lane_gather_ground(const jn_system *s, jn_data *d);
v3 jn_lane_vector(const double *w, int field, int lane);
// A member's rotation against its parent body; false: their axes are the same.
bool jn_lane_member_turn(const jn_system *s, const jn_data *d, const lane_place *p, m3 *turn);
// Of a wheel body that is a rotor: its fields, and the member that carries it.
const lane_roller *jn_lane_roller_of(const jn_system *s, const lane_place *p, lane_place *carrier);
double jn_lane_roll_rate(const jn_system *s, const jn_data *d, int g, int lane,
                         const lane_roller *k, const double *y);
int jn_lane_body_of_speed(const jn_system *s, int v);  // whose tree joint has it, -1: none
int jn_lane_core_of(const jn_lane *l, int body);       // -1: the ground, or no core body
bool jn_lane_find_body(const jn_system *s, const jn_lane *l, int body, lane_place *p);

typedef struct lane_body_motion {  // of a body and of its anchor, world axes
  m3 r;                            // from own axes
  v3 p, v, w;
  v3 a, dw;  // a: less gravity; where they were asked for
} lane_body_motion;

// After an evaluation in lanes of d->lane->y, and where accelerations are asked for of bodies in lanes, after the operations of
// LANE_ROW that they need. Real-time safe.
void jn_lane_body_motion(const jn_system *s, jn_data *d, const lane_place *place,
                         bool accelerations, lane_body_motion *out);

// A selection of the lanes' numbers, put into the arrays of the general path for those who make rows of channels.
typedef enum lane_source {
  LANE_FROM_Y,
  LANE_FROM_DY,
  LANE_FROM_FIELD,
  LANE_FROM_SIGNAL,  // of the bus
  LANE_FROM_TIME,
  LANE_FROM_DRIVE
} lane_source;
typedef enum lane_target { LANE_TO_Y, LANE_TO_ACCELERATION, LANE_TO_TURNS } lane_target;
typedef struct lane_copy {
  lane_source from;
  int group, at;
  lane_target to;
  int index;
} lane_copy;

typedef struct lane_gathered {  // outputs of an element
  lane_output of;
  int group, lane;
} lane_gathered;

// A channel that is one number of the lanes, or an angle with its whole turns.
typedef struct lane_gather {
  lane_source from;
  int group, at;
  int turns;    // field of the same lane, -1: none
  int general;  // turns of a parent body's joint, -1: none
  int to;       // in the row
} lane_gather;

typedef struct
    lane_gathers {  // one after the other from one place, in plain copies where that is enough
  lane_source from;
  int group;
  bool plain;
  int first, n;
} lane_gathers;

bool jn_lane_gather_find(const jn_system *s, const jn_subject *subject, int channel,
                         lane_gather *out);

typedef struct jn_lane_view {
  int ngroup;
  lane_op **op;  // of each group: what is to be run of its LANE_ROW (ngroup)
  int *nop;
  lane_gathered *gathered;
  int nplace, ncopy, nagain, ngathered;
  lane_place *place;  // bodies: pose, motion, acceleration
  lane_copy *copy;    // coordinates and states
  int *again;         // wheels whose plug-in tyres have outputs of their own: computed once more
  bool residuals;     // of the loops
  jn_pool pool;       // of all this
} jn_lane_view;

typedef struct lane_wanted {
  bool *all;                      // the arrays below, in one block
  bool *body;                     // into the arrays of the general path (nbody)
  bool *moves;                    // accelerations of bodies in lanes (ngroup)
  bool *joint;                    // coordinates of a body's tree joint (nbody)
  bool *state;                    // of x (nx)
  bool *element, *wheel;          // whose operations are run
  bool *put_element, *put_wheel;  // whose outputs are put where the general path has them
  bool residuals;
  bool accelerations;  // of coordinates
} lane_wanted;

bool jn_lane_view_create(const jn_system *s, const lane_wanted *wanted,
                         jn_lane_view *out);  // false: memory is exhausted
void jn_lane_view_free(jn_lane_view *view);

// Orders a list of gathers; returns how many runs it then has, at most n.
int jn_lane_gather_order(lane_gather *g, int n, lane_gathers *out);
void jn_lane_gather(const jn_data *d, const lane_gather *g, const lane_gathers *run, int nrun,
                    double *row);

bool jn_lane_has_wheel(const jn_system *s, int i);  // a wheel's outputs come from an operation

// After an evaluation in lanes of d->lane->y. Real-time safe.
void jn_lane_view_fill(const jn_lane_view *view, const jn_system *s, jn_data *d);

// How far the pivots of loops may fall since they were chosen (jn_health): 1 at first, from LANE_ILL_CONDITIONED on too far.
static const double LANE_ILL_CONDITIONED = 10.0;

// The same at the lanes' state, which was just entered; below LANE_SERVES they may go on from here.
static const double LANE_SERVES = 5.0;
double jn_lane_pivots(const jn_system *s, jn_data *d);

// Engines: four lanes at once and one after the other with fused products, and for CPUs that have none.
extern const lane_engine jn_lane_wide, jn_lane_narrow_fused, jn_lane_narrow;

typedef struct lane_core_engine {  // of the core, or of the rest
  void (*kinematics)(const jn_system *s, jn_data *d, const double *y, double *dy);
  void (*place)(const jn_system *s, jn_data *d, int core, const double *y, double *dy);
  void (*publish_shared)(const lane_group *k, const jn_data *d, const double *y, double *to);
  void (*solve)(const jn_system *s, jn_data *d, double *dy);
  jn_health (*health)(const jn_system *s, const jn_data *d);
  // Are all rates finite, and those of a motion? nq, nv, n: multiples of LANES.
  bool (*is_bounded)(const double *dy, int nq, int nv, int n);
  const struct jn_method_table *const *methods;  // of its integrator
} lane_core_engine;

extern const lane_core_engine jn_lane_core[2],
    jn_lane_core_fused[2];  // of the core, of the rest

#endif
