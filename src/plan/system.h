// system.h: a model made ready to run: bodies, joints, cut joints, blocks and the core in the order in
// which they are computed, with their numbers. Immutable; what changes in a run is in data.h.
//
// Frames. Each assembly (what joints connect, the ground left aside) is computed in an inertial frame of
// its own, chosen anew at every evaluation: of a floating assembly it coincides with the base body, moves
// with the velocity that the base's point has at that instant, and falls freely; of one that stands on the ground
// it has world axes, and its origin is the joint point of the first body. No derivative of it is ever
// taken. So digits do not depend on where in the world a vehicle drives, nor on how fast.
//
// Bodies are numbered from the ground outwards. Bodies 0 .. nframe - 1 are the ground as each frame sees it.
// A body's points are held from its anchor, the point at which its own tree joint ends, in vehicle axes of
// the design position; its pose is the rotation from there, and the anchor's place.
//
// Stations. Spatial quantities of all bodies of a station are about one point, so that they add
// without transformation; a body far away from it, measured in its own radius of gyration, begins a new station at
// its anchor, because digits would be lost.
#ifndef JN_PLAN_SYSTEM_H
#define JN_PLAN_SYSTEM_H

#include "base/m3.h"
#include "base/spatial.h"
#include "components/bus.h"
#include "elements/element_kinds.h"
#include "elements/road/road.h"
#include "elements/tyre/tyre_kinds.h"
#include "joints/joint.h"
#include "jounce/plugin.h"
#include "jounce/sim.h"
#include "plan/topology/topology.h"

// What leads from the parent to a body. Directions and points in the parent's design axes.
typedef struct jn_tree_joint {
  jn_joint_kind kind;  // or JN_TREE_BASE
  int edge;
  bool reversed;  // the file's first body is the child
  int q, nq;      // first position, number of them: scalars, then a quaternion
  int v, nv;      // first speed; a driven joint has none
  int scalars;    // positions that are no quaternion
  int sphere;     // first of the four positions of a quaternion, -1: it has none
  int drive;      // -1: not driven
  int nmove;
  jn_move move[JN_MOVES];
  v3 at;         // joint point on the parent, from its anchor
  v3 axis;       // of the first move that is about an axis of the file or along it
  bool askew;    // the axes given on the two bodies differ:
  m3 turn;       // what takes out the difference
  v3 second_at;  // joint point of the file's second body, if that is the parent
} jn_tree_joint;

typedef struct jn_body {
  int node;    // of the plan
  int parent;  // -1 of the grounds
  int frame, station;
  bool new_station;  // its station begins with it
  bool floating;     // hangs on a JN_TREE_BASE: its frame is its own
  double mass;
  v3 cg;                  // from the anchor
  s3 inertia;             // about the cg, in vehicle axes of the design position
  v3 anchor;              // world, in the design position
  double orientation[4];  // the body's own axes in the design position, for people
} jn_body;

typedef struct jn_frame {
  int body;   // whose anchor is the origin
  int group;  // of nodes of the plan, while it is built
  bool floating;
  v3 origin;  // world, in the design position
} jn_frame;

// A joint as a constraint between bodies a and b. Points from the anchors, directions in design axes.
typedef struct jn_cut {
  jn_joint_kind kind;
  int edge;
  int a, b;  // the file's first and second body
  int row, nrow;
  int drive;  // -1: not driven
  v3 at_a, at_b;
  v3 x[JN_NX],
      y[JN_NY];  // directions on a and on b, values: as its rows name them (joints/joint.h)
  double value[JN_NVALUE];
  double pitch;  // of a screw [m/rad]
  jn_joint_row rows[JN_ROWS];
  int block;  // that takes its rows, -1: the core
} jn_cut;

// Loops of one subsystem that share coordinates, eliminated together: member bodies, whose tree joints hold
// the coordinates; the top, on which they hang; core joints between the top and other core bodies
// that members or cut joints end on.
typedef struct jn_block {
  int nbody, *body;  // members, in forward order
  int top;
  int ncore, *core;  // core bodies whose tree joints lie in its loops, in forward order
  int ncut, *cut;
  int n, m, nc;  // coordinates, rows, core coordinates
  int *
      parent;  // of each member, then of each core body: member i, -1: the top, -2 - k: core body k
  int *column;  // first coordinate of each member (nbody), of each core body (ncore)
  int *row;     // first row of each cut (ncut)
  int *order;   // members and core bodies (nbody + i), parents first
  int *cut_of_row, *global_row;  // of each row: place in `cut`; row of the system (m)
  int *end_a, *end_b;            // of each cut: member, or nbody + core body; -1: the top (ncut)
  double *row_scale, *column_scale;  // what makes rows and coordinates comparable (m), (n)
} jn_block;

// Core coordinates on which a cut joint's rows, or their images under the factors, have numbers: on both
// bodies' paths, then on the first body's alone, then on the second's alone.
typedef struct jn_support {
  int common, a, n;  // number of the first and of the second ones; of all
  int *column;       // (n)
} jn_support;

typedef struct jn_elimination {  // of the elimination, from the leaves inwards
  int body;                      // joint by joint; -1: a block
  int block;
} jn_elimination;

// A part of a system that the functions of the general path compute: the whole, or what lanes leave (solve/fast/rest.c). The core is
// always in it, whole.
typedef struct jn_part {
  int nbody, *body;  // in forward order
  int ncut, *cut;
  int nblock, *block;
  int nunit;
  jn_elimination *unit;     // from the leaves inwards
  bool partition;           // the core is solved by partition, whatever the formulation has
  int nhung, nhung_joints;  // what others hang on it (solve/data.h)
} jn_part;

typedef struct jn_drive {  // prescribed motion
  int edge;
  int signal;  // of the bus: value, rate, acceleration
  int input;   // channel that it is without a filter, -1: another signal
  bool curve;  // the joint's own, over time
} jn_drive;

typedef struct jn_input_channel {
  const char *name;
  int signal;  // offset into the tables over time, -1: zero
  const char *unit, *help;
  bool quiet;       // no note that it has no value
  bool given;       // by `inputs` of the scenario
  bool number;      // the port of a component, with a number of its own
  bool left_out;    // what drives it is a plug-in that was not loaded
  int driven;       // component whose output it is, -1: none
  int rates;        // that whoever reads it needs beside the value
  bool prescribes;  // a motion: it is needed before positions
} jn_input_channel;

typedef struct jn_timed {  // a signal that is a function of time
  int signal;
  int table;  // offset into the tables over time
} jn_timed;

typedef struct jn_actuator {  // a signal that drives a force element
  int input;                  // of the bus: an input channel, or that behind a lag; -1: none
  bool follows;               // a coordinate is held to it, and to its rate
} jn_actuator;

// Where an element's two ends are. One frame: both are seen in it. Two frames: in world axes.
typedef struct jn_ends {
  int a, b;
  v3 at_a, at_b;
} jn_ends;

// Where an element acts in a joint. A tree joint with a coordinate: a generalised force. Otherwise a pair of moments about
// the axis, or of forces along it, on the two bodies of the cut or driven joint.
typedef struct jn_coordinate {
  int v, q;    // speed and position of the tree joint, -1: a cut or driven one
  int cut;     // -1: a tree joint
  int driven;  // body whose driven tree joint it is, -1: not driven
  bool angular;
} jn_coordinate;

typedef struct jn_element {  // a force element; wheels are apart
  const char *name;
  const struct jn_force_spec *spec;
  jn_force_kind kind;
  jn_ends ends;      // two bodies, or the second alone (the first is -1); of a COORDINATE none
  jn_coordinate in;  // of a COORDINATE
  jn_actuator actuator;
  int form, nfield;             // which terms it has, numbers (elements/)
  double p[JN_ELEMENT_FIELDS];  // those of its kernel
  int output;                   // first of its outputs among all
  int plugin;                   // -1: it is none
  double start;                 // instant at which it begins, 0: it always acts
  bool automatic;               // preload or free length or angle balances the design position
  bool auto_free;               // free length or angle
} jn_element;

enum { JN_PLUGIN_OUTPUTS = PLUG_OUTPUTS };  // of its own, at most

typedef struct jn_tyre_data {  // what a tyre's kernel needs
  jn_tyre_kind kind;
  int form;       // which formulas apply (rolling.h)
  int nslip;      // relaxation states
  int nfield;     // parameters
  tir_side side;  // it was measured on
  double p[JN_TYRE_FIELDS];
} jn_tyre_data;

// A wheel on its tyre. Its spin is a state of its own, the absolute angular velocity Omega about the axis
// (I Omega' is all that turns it, exactly), or that of a body on a bearing.
typedef struct jn_wheel {
  const char *name;  // of the element: fl
  int body;          // carrier of a `wheel`; the spinning body of a `tyre`
  v3 at, axis;       // wheel centre from the body's anchor; spin axis, to the left; design axes
  double inertia;    // about the axis
  bool gyroscopic;
  int spin;                 // its state in x, -1: a body spins
  int slip;                 // first of its relaxation states in x
  int hold;                 // state of its brake in x, -1: it has no bearing to brake in
  int drive, brake, steer;  // input channels, -1: none
  int carrier;              // body that brake and bearing react on, -1: none is known
  int reaction;             // and the drive
  int bearing;              // joint of the spec, -1: none
  double x, y;              // of the centre in the design position, world
  double start;             // spin that the file gives
  int road;                 // that it stands on
  jn_tyre_data tyre;
  const tyre_plugin *plugin;  // of its tyre, NULL: it is built in
  int output;                 // first of the plug-in's outputs among those of all elements
  double outward;             // 1 on the left side of the vehicle, -1 on the right, 0: neither
  int vehicle;                // body that its steer angle is measured against
  int comply;  // first of the two states of its compliance, steer and camber, -1: it is stiff
  int compliance[TYRE_NCOMPLIANCE];  // offsets into the tables, -1: none
  double compliance_lag;
} jn_wheel;

// What is measured on the mechanism, after velocities. Bodies: axes 0 to 2.
typedef enum jn_sense {
  JN_SENSE_PLACE,     // position of the centre of gravity, world
  JN_SENSE_VELOCITY,  // its velocity, world
  JN_SENSE_SPEED,  // the same along the body's own axes, those that are the world's in the design position
  JN_SENSE_TURNING,  // angular velocity, world axes
  JN_SENSE_RATE,     // the same about its own axes
  JN_SENSE_ANGLE,    // roll, pitch, yaw
  JN_SENSE_VALUE,    // joint coordinate, turns counted
  JN_SENSE_CHANGE,   // its rate
  JN_SENSE_SPIN      // of a wheel against its carrier
} jn_sense;

typedef struct jn_sensor {
  const char *name;
  jn_sense what;
  int axis;
  int body;    // also: whose tree joint it is
  int cut;     // of a joint: -1: in the tree
  int which;   // coordinate of the joint
  bool angle;  // of a coordinate: turns count
  int wheel;
  int signal;       // that it goes to
  bool used;        // directly, not only held
  bool is_channel;  // the row has it anyway
} jn_sensor;

// A value as it was at the step's beginning: of a channel of the row, or of a sensor.
typedef struct jn_held {
  const char *name;
  int channel;  // -1: of a sensor
  int sensor;
  int signal;  // that keeps it
  jn_pos pos;
  const char *by;  // component that reads it first
} jn_held;

typedef enum jn_link_kind {
  JN_LINK_NONE,
  JN_LINK_INPUT,
  JN_LINK_OUTPUT,
  JN_LINK_SENSOR,
  JN_LINK_HELD
} jn_link_kind;

// A component as the files have it, by name; jn_instance is what is evaluated.
typedef struct jn_component {
  const char *name;           // its channels' first part
  const char *section, *own;  // `drivers`, its name there
  jn_pos pos;
  const jn_component_table *table;       // NULL: a plug-in that was not loaded
  const struct jn_component_spec *spec;  // NULL: of `drivers`, of a lag or of a filter
  void *self, *library;
  bool made;      // `init` has been called, so `free` is to be
  double *value;  // of its parameters
  // of each input (nin): is it connected; to which signal, NULL: none; where the file says so; its constant, NAN: none
  unsigned char *connected;
  const char **wanted;
  const char **own_input;  // channel that the input itself is, where nothing is connected
  jn_pos *wanted_pos;
  double *constant;
  int *signal;         // of each input (nin)
  jn_link_kind *link;  // (nin)
  int *source;         // of each input: component, -1: none (nin)
  bool *shown;         // of each input: it has a channel (nin)
  int out;             // signal of its first output
  int ndriven;
  int *driven_port, *driven_signal;
  bool hidden;      // part of a joint's motion or of a force element: it has no channels
  bool prescribes;  // a motion depends on it directly
  bool early;
  int x, e;  // first of its states
  int instance;
} jn_component;

enum { JN_DESIGN_ROAD, JN_COMMON_ROAD };  // of the roads of a system

// What channels are about, in the order of rows.
typedef enum jn_subject_kind {
  JN_SUBJECT_TIME,
  JN_SUBJECT_INPUT,
  JN_SUBJECT_BODY,
  JN_SUBJECT_JOINT,
  JN_SUBJECT_ELEMENT,
  JN_SUBJECT_WHEEL,
  JN_SUBJECT_COMPONENT,
  JN_SUBJECT_SOLVER
} jn_subject_kind;

typedef struct jn_subject {
  jn_subject_kind kind;
  int index;         // among its kind
  int first, count;  // channels
} jn_subject;

// What the scenario and the options give: shared by all systems that are made like one, but for what parameters have a part in.
typedef struct jn_binding {
  const jn_scenario *scenario;
  jn_sim_opts opts;
  int ntimed, ntime_table;
  jn_timed *timed;
  double *time_table;  // functions of time (ntime_table)
  int nbreakpoint;
  double *breakpoint;  // rising instants at which an input or its derivatives jump
  // The plane z = 0, which the design position stands on; the scenario's road; roads of individual wheels.
  int nroad;
  jn_road *road;  // (nroad)
} jn_binding;

// Three things: a plan (run/plan_list.c says what of it), a block of parameters (run/parameter_list.c) and a binding; beside them what
// is resolved for a run: objects of shared libraries.
struct jn_system {
  jn_pool pool;
  const jn_model *model;
  jn_binding binding;
  v3 gravity;

  int nbody, nframe, nstation, nq, nv, nx, nexp;
  int nrow, ncut, nblock, nunit, ndrive, ninput;
  jn_body *body;         // (nbody)
  jn_tree_joint *joint;  // that leads to a body (nbody)
  jn_frame *frame;       // (nframe)
  jn_cut *cut;           // (ncut)
  jn_block *block;
  jn_elimination *unit;  // (nunit)
  jn_part whole;         // all of these
  int *body_of_node;     // of the plan's nodes; 0 for the ground (nnode)
  int *cut_of_edge;      // -1: not a constraint (nedge)
  int *body_of_edge;     // whose tree joint an edge is, -1: none (nedge)
  int *
      initial_order;  // the file's initial values in the order of the plan: edges, then bodies (ninitial)
  int ninitial;
  int *station_body;       // that begins a station, or its ground (nstation)
  bool *coordinate_angle;  // of each speed: an angle, not a length (nv)
  bool *row_angle;         // of each row (nrow)
  double *
      length_scale;  // of each row: 1 for angles, 1 / size for lengths, so that residuals compare (nrow)
  double *coordinate_scale;  // of each speed: 1 for angles, size for lengths (nv)

  // core: joints whose coordinates are solved for together
  bool *in_core;               // body's tree joint is in the core (nbody)
  int ncore_body, *core_body;  // in forward order
  int ncore, *core_column;     // coordinates; first column of a core body's joint (nbody), -1
  int *core_speed;             // velocity of each column (ncore)
  int ncore_row, ncore_cut, *core_cut;
  const struct jn_formulation_table *formulation;  // solve/formulation.h
  bool core_whole;                                 // all coordinates are in it
  bool core_partition;     // it is solved by partition, whatever the formulation has
  int core_rank;           // independent rows of them in general
  double *core_row_scale;  // length_scale of each core row (ncore_row)
  double *core_scale;      // coordinate_scale of each core coordinate (ncore)

  // Its matrices are packed (build_sparsity.c): a row of mass or factor along the coordinate's path, so that the row
  // of one on the path is as long as its place there; a row of a cut joint along its support.
  int *core_depth;           // coordinates on the path, itself included (ncore)
  int *core_first;           // where its row begins (ncore + 1)
  int *core_path;            // coordinates on it, rising, itself the last (core_first[ncore])
  jn_support *core_support;  // of each core cut (ncore_cut)
  int *core_row_cut;         // of each core row: place in core_cut (ncore_row)
  int *core_row_first;       // where it begins (ncore_row + 1)

  jn_drive *drive;
  jn_input_channel *input;
  double *table;  // curves, maps and tabulated tyres (ntable)
  int ntable;
  int nelement, nwheel, noutput;
  jn_element *element;    // in the order of element_kinds.h, then of names
  int *element_in_speed;  // first element in the coordinate of a speed, -1: none (nv)
  int *element_next;      // the next one there, -1: none (nelement)
  jn_wheel *wheel;
  jn_tyre_data *tyre;        // (ntyre of the spec)
  tyre_plugin *tyre_plugin;  // those of them that are plug-ins; the others have none (ntyre)
  road_object *road_object;  // of those that are called (nroad)
  int work_state;            // of x: work done by all that is no inertia and no weight
  int first_lag;  // first declared state of x: it and what follows is of the form u' = b - a u

  // bus and components
  int nsignal;  // inputs are the first of them
  int nothing;  // a signal that stays zero
  int nsensor, nheld;
  jn_sensor *sensor;
  jn_held *held;
  int nuse, *use;  // sensors that are read directly
  bool held_reactions;
  struct jn_rows
      *held_rows;  // the held channels as the lanes have them, NULL: the general path samples them
  int ncomponent, nshown;   // those with channels come first
  jn_component *component;  // by name
  int ninstance, nearly;    // those that need no sensor directly come first
  jn_instance *instance;    // in order of evaluation
  int *instance_component;  // (ninstance)
  int nreported;
  int *reported;  // components with channels, in order of evaluation (nreported)

  int nchannel, first_input, first_body;  // run/channels.c
  jn_channel *channel;                    // (nchannel)
  int *channel_by_name;                   // sorted (nchannel)
  int nsubject;
  jn_subject *subject;  // (nsubject)
  int nnote;
  const char **note;
  bool short_of_memory;  // while it is built

  // Decisions of the plan that hang on numbers. A system on the plan of another (jn_system_with) takes them from there; what its
  // numbers break is in `broken`.
  bool *rotor;  // wheel body whose angle is of no consequence (solve/fast, nbody)
  bool *
      ungrouped;  // subsystem that no group takes (solve/fast, nsubsystem of the model); NULL: not asked
  const char **ungrouped_reason;  // and why
  bool *forced;                   // loop that no block can eliminate (nloop of the model)
  const struct jn_system *like;   // while it is built: whose plan it takes; NULL: it makes its own
  const char *broken;             // likewise: the first decision that does not hold, NULL: all do
  jn_model *own_model;            // of such a one, NULL: the model is the caller's

  struct jn_lane *lane;     // how it is run in lanes; NULL: it is not
  const char *lane_reason;  // and why not

  uint64_t plan_mark, parameter_mark, geometry_mark, scenario_mark;  // run/snapshot.c

  double *y0;    // assembled initial state (nq + nv + nx)
  double *cut0;  // angles of cut joints in it, turns counted (ncut)

  int nplugin;
  el_plugin *plugin;
};

#endif
