// vehicle.h: a random vehicle as plain data: what the differential test draws, writes, changes and reduces.
//
//   seed -> vehicle -> model and scenario (YAML) -> every path and formulation, compared (compare.h)
//
// A vehicle is copied by assignment. Bodies, joints, force elements and so on refer to each other by index, so that
// parts can
// be removed and names exchanged.
#ifndef JT_DIFFERENTIAL_VEHICLE_H
#define JT_DIFFERENTIAL_VEHICLE_H

#include <stdbool.h>
#include <stdint.h>

#include "jounce/sim.h"

enum {
  VEHICLE_BODIES = 72,
  VEHICLE_JOINTS = 128,
  VEHICLE_FORCES = 144,
  VEHICLE_TYRES = 10,
  VEHICLE_CHANNELS = 48,
  VEHICLE_INPUTS = 80,
  VEHICLE_DRIVERS = 2,
  VEHICLE_CUTS = 16,
  VEHICLE_POINTS = 5,   // of a curve
  VEHICLE_TERMS = 3,    // of a polynomial
  VEHICLE_DRIVEN = 12,  // wheels of a driver
  VEHICLE_COMPONENTS = 6,
  VEHICLE_PATCHES = 3,
  VEHICLE_ROADS = 2,   // of single wheels
  VEHICLE_PLACES = 8,  // of a contact
  VEHICLE_NAME = 24,
};

// References: a number from 0 on is an index.
enum { VEHICLE_NONE = -2, VEHICLE_GROUND = -1 };

// Where an element belongs, so that whole units can be taken out: 0 is the vehicle itself. Axles and corners count
// from 1.
typedef struct vehicle_place {
  int unit;    // 0: towing vehicle, 1, 2: trailers
  int axle;    // 0: none
  int corner;  // 0: none, 1: left, 2: right
  int limb;    // 0: none; a limb is a body with its joints and what holds it
} vehicle_place;

typedef struct vehicle_curve {
  int n;  // 0: there is none
  int method, outside;
  double x[VEHICLE_POINTS], y[VEHICLE_POINTS];
} vehicle_curve;

typedef struct vehicle_body {
  char name[VEHICLE_NAME];
  bool out;  // taken out: not written
  int order;
  vehicle_place place;
  double mass, cg[3], inertia[6];
  int norientation;  // 0: none, 3: angles, 4: a quaternion
  double orientation[4];
  int parent;                      // VEHICLE_NONE: not given
  bool has_velocity, has_angular;  // initial values
  double velocity[3], angular[3];
} vehicle_body;

#define VEHICLE_JOINT_LIST(X)                 \
  X(FIXED, "fixed")                           \
  X(REVOLUTE, "revolute")                     \
  X(TRANSLATIONAL, "translational")           \
  X(CYLINDRICAL, "cylindrical")               \
  X(UNIVERSAL, "universal")                   \
  X(SPHERICAL, "spherical")                   \
  X(PLANAR, "planar")                         \
  X(SCREW, "screw")                           \
  X(FREE, "free")                             \
  X(NO_ROTATION, "no-rotation")               \
  X(DISTANCE, "distance")                     \
  X(SPHERICAL_REVOLUTE, "spherical-revolute") \
  X(SPHERICAL_TRANSLATIONAL, "spherical-translational")

#define VEHICLE_FORCE_LIST(X) \
  X(TSDA, "tsda")             \
  X(RSDA, "rsda")             \
  X(BUSHING, "bushing")       \
  X(SERVO, "servo")           \
  X(FORCE, "force")           \
  X(TORQUE, "torque")         \
  X(PLUGIN, "plugin")         \
  X(CONTACT, "contact")       \
  X(WHEEL, "wheel")           \
  X(TYRE, "tyre")

#define VEHICLE_TYRE_LIST(X)        \
  X(VERTICAL, "vertical")           \
  X(LINEAR, "linear")               \
  X(MF_SIMPLE, "mf-simple")         \
  X(BRUSH, "brush")                 \
  X(FIALA, "fiala")                 \
  X(CARPET, "carpet")               \
  X(MAGIC_FORMULA, "magic-formula") \
  X(PLUGIN, "plugin")

#define VEHICLE_INPUT_LIST(X) \
  X(CONSTANT, "constant")     \
  X(STEP, "step")             \
  X(RAMP, "ramp")             \
  X(SINE, "sine")             \
  X(CHIRP, "chirp")           \
  X(TABLE, "table")

#define VEHICLE_ROAD_LIST(X) \
  X(NONE, "")                \
  X(FLAT, "flat")            \
  X(HALF_SINE, "half-sine")  \
  X(PLATEAU, "plateau")      \
  X(PLUGIN, "plugin")

#define VEHICLE_COMPONENT_LIST(X) \
  X(PID, "pid")                   \
  X(LAG, "lag")                   \
  X(FILTER, "filter")             \
  X(GAIN, "gain")                 \
  X(SUM, "sum")

// What is measured of a body, in its own axes, and whether a mirror turns it round.
#define VEHICLE_SENSE_LIST(X) \
  X("speed_x", false)         \
  X("speed_y", true)          \
  X("speed_z", false)         \
  X("rate_x", true)           \
  X("rate_y", false)          \
  X("rate_z", true)

#define X(name, word) VEHICLE_JOINT_##name,
typedef enum vehicle_joint_kind { VEHICLE_JOINT_LIST(X) VEHICLE_NJOINT } vehicle_joint_kind;
#undef X
#define X(name, word) VEHICLE_FORCE_##name,
typedef enum vehicle_force_kind { VEHICLE_FORCE_LIST(X) VEHICLE_NFORCE } vehicle_force_kind;
#undef X
#define X(name, word) VEHICLE_TYRE_##name,
typedef enum vehicle_tyre_kind { VEHICLE_TYRE_LIST(X) VEHICLE_NTYRE } vehicle_tyre_kind;
#undef X
#define X(name, word) VEHICLE_INPUT_##name,
typedef enum vehicle_input_kind { VEHICLE_INPUT_LIST(X) VEHICLE_NINPUT } vehicle_input_kind;
#undef X
#define X(name, word) VEHICLE_COMPONENT_##name,
typedef enum vehicle_component_kind {
  VEHICLE_COMPONENT_LIST(X) VEHICLE_NCOMPONENT
} vehicle_component_kind;
#undef X
#define X(name, word) VEHICLE_ROAD_##name,
typedef enum vehicle_road_kind { VEHICLE_ROAD_LIST(X) VEHICLE_NROAD } vehicle_road_kind;
#undef X

// The word of the file.
const char *vehicle_joint_word(vehicle_joint_kind kind);
const char *vehicle_force_word(vehicle_force_kind kind);
const char *vehicle_tyre_word(vehicle_tyre_kind kind);
const char *vehicle_input_word(vehicle_input_kind kind);
const char *vehicle_road_word(vehicle_road_kind kind);
const char *vehicle_component_word(vehicle_component_kind kind);
const char *vehicle_sense_word(int sense);
bool vehicle_sense_flips(int sense);

typedef struct vehicle_joint {
  char name[VEHICLE_NAME];
  bool out;
  int order;
  vehicle_place place;
  vehicle_joint_kind kind;
  int body[2];
  int nat, naxis;
  double at[2][3], axis[2][3];
  double lead;
  int motion;  // channel, VEHICLE_NONE: none; VEHICLE_GROUND: the curve
  double filter;
  vehicle_curve curve;
  // Initial values: a scalar joint has position[0] and speed[0], a universal one two of each, a cylindrical one
  // position and
  // angle. Spherical and free joints have angles and angular velocity, free and no-rotation ones offset and velocity.
  bool has_position, has_speed, has_angles, has_angular, has_offset, has_velocity;
  double position[2], speed[2], angles[3], angular[3], offset[3], velocity[3];
} vehicle_joint;

typedef struct vehicle_force {
  char name[VEHICLE_NAME];
  bool out;
  int order;
  vehicle_place place;
  vehicle_force_kind kind;
  int body[2];  // of one: the first
  int joint;    // of rsda and servo
  int nat;
  double at[2][3];
  double stiffness, damping, preload, free;  // free: free_length or free_angle
  bool has_free, auto_free, auto_preload;
  vehicle_curve spring, damper;
  int nspring, ndamper;  // terms of the polynomials
  double spring_term[VEHICLE_TERMS], damper_term[VEHICLE_TERMS];
  vehicle_curve
      map[2];  // over deflection, and over rate: their sum, and `coupled` times their product
  double coupled;
  int channel;  // VEHICLE_NONE: none
  double lag;
  bool has_axes;
  double axes[2][3], linear[2][3], rotational[2][3];  // bushing: stiffness, damping
  double vector[3];                                   // force, or the torque's axis
  bool body_frame;
  double torque, start;  // start: 0: none
  // contacts
  int nplace;
  double point[VEHICLE_PLACES][3], friction;
  // wheels
  bool has_axis;
  double axis[3];
  double inertia;
  int tyre;
  bool not_gyroscopic, steered;
  int side;                 // 0: not given, 1: left, 2: right, 3: either
  vehicle_curve comply[4];  // steer by force, by torque, camber by force, by torque
  double comply_lag;        // 0: not given
  int reaction;             // VEHICLE_NONE: not given
  bool has_spin;
  double spin;
} vehicle_force;

typedef struct vehicle_tyre {
  char name[VEHICLE_NAME];
  bool out;
  int order;
  vehicle_tyre_kind kind;
  double radius, stiffness, damping, load;
  double slip_stiffness, cornering_stiffness, friction;
  double friction_sliding, width, rolling_resistance;  // 0: not given
  double relaxation_x, relaxation_y, lead;             // 0: not given
  double rolling_radius, relaxation_length, b, c, d, e;
  bool world_frame;
  bool load_curve;           // instead of the stiffness
  bool aligning, two_sided;  // carpet
  int file;                  // magic-formula: 0, 1
  int use_mode;              // -1: not given
  int measured;              // 0: not given, 1: left, 2: right, 3: either
  int combined;              // 0: not given, 1: ellipse, 2: typical
} vehicle_tyre;

typedef enum vehicle_target {
  VEHICLE_TO_CHANNEL,
  VEHICLE_TO_DRIVE,
  VEHICLE_TO_BRAKE,
  VEHICLE_TO_STEER,
  VEHICLE_TO_DRIVER,
} vehicle_target;

typedef struct vehicle_input {
  bool out;
  int order;
  vehicle_target target;
  int index;  // of a channel, a wheel or a driver
  vehicle_input_kind kind;
  double from, to, at, end;  // constant: to
  double amplitude, frequency[2], phase, offset;
  vehicle_curve table;
} vehicle_input;

typedef struct vehicle_driver {
  char name[VEHICLE_NAME];
  bool out;
  int body, nwheel, wheel[VEHICLE_DRIVEN];
  bool has_speed;
  double speed, gain, integral_time, most, least;  // 0: not given
} vehicle_driver;

// A controller or the like: what it measures, and what it drives.
typedef struct vehicle_signal {
  enum { SIGNAL_NONE, SIGNAL_NUMBER, SIGNAL_BODY, SIGNAL_JOINT, SIGNAL_WHEEL, SIGNAL_COMPONENT } of;
  int index, sense;  // of a body: which of VEHICLE_SENSE_LIST
  double number;
} vehicle_signal;

typedef struct vehicle_component {
  char name[VEHICLE_NAME];
  bool out;
  vehicle_component_kind kind;
  vehicle_signal in[3];
  double p[6];        // its parameters, in the order of print_component
  vehicle_target to;  // channel or driving torque
  int index;          // VEHICLE_NONE: it drives nothing
} vehicle_component;

typedef struct vehicle_patch {
  bool has_x, has_y;
  double x[2], y[2], friction, edge;
} vehicle_patch;

typedef struct vehicle_road {
  vehicle_road_kind kind;
  double height, grade, bank, at, length, edge, moving;
  double friction;  // 0: not given; of a plug-in: on its bump
  int npatch;
  vehicle_patch patch[VEHICLE_PATCHES];
  int nwheel, wheel[VEHICLE_DRIVEN];  // of single wheels; none: of all
} vehicle_road;

typedef struct vehicle {
  uint64_t seed;
  bool wild;  // drawn with what leads to the general path
  int nbody, njoint, nforce, ntyre, nchannel, ninput, ndriver;
  vehicle_body body[VEHICLE_BODIES];
  vehicle_joint joint[VEHICLE_JOINTS];
  vehicle_force force[VEHICLE_FORCES];
  vehicle_tyre tyre[VEHICLE_TYRES];
  char channel[VEHICLE_CHANNELS][VEHICLE_NAME];  // names that the model's channels have
  vehicle_input input[VEHICLE_INPUTS];
  vehicle_driver driver[VEHICLE_DRIVERS];
  bool has_gravity;
  double gravity[3];
  vehicle_road road;
  int nroad;
  vehicle_road single[VEHICLE_ROADS];  // of single wheels
  int ncomponent;
  bool in_model;  // components are in the model, not in the scenario
  vehicle_component component[VEHICLE_COMPONENTS];
  bool has_speed;
  double speed;
  int base;  // VEHICLE_NONE: automatic
  int ncut, cut[VEHICLE_CUTS];
  // How it is solved. The path is left at auto.
  jn_integrator integrator;
  jn_stabilize stabilize;
  double step, end;
} vehicle;

// ---- drawing and writing (generate.c, print.c) ------------------------------------------------------

// The same vehicle for the same seed, on every machine.
// Plug-ins are drawn where JT_FORCE_PLUGIN, JT_TYRE_PLUGIN and JT_ROAD_PLUGIN are defined: paths of those of examples/, bump_stop,
// my_tyre and my_road.
void vehicle_draw(vehicle *v, uint64_t seed);

// YAML, one element a line, readable numbers; the caller frees it. The scenario names the vehicle's integrator,
// stabilisation and step.
char *vehicle_model(const vehicle *v);
char *vehicle_scenario(const vehicle *v);

// ---- reduction (parts.c) ----------------------------------------------------------------------------

// Parts that may be taken out, one by one: trailers, axles, bodies, joints, force elements, initial values, inputs,
// drivers,
// road, choices of base and cuts, optional keys (products of inertia, orientation, curves, lags, compliances ...), and
// numbers that may be made plain (a step, a gravity). With a part goes all that refers to it.
int vehicle_parts(const vehicle *v);
// False: there is nothing to be taken out there. `v` is a smaller vehicle afterwards, which need not be valid.
bool vehicle_take_out(vehicle *v, int part);

// ---- identities (identity.c) ------------------------------------------------------------------------

// Other vehicles that must move alike.
typedef enum vehicle_identity {
  VEHICLE_RENAMED,   // other names, other order of everything in the file
  VEHICLE_MIRRORED,  // left for right
  VEHICLE_TURNED,    // heading elsewhere, about the vertical
  VEHICLE_MOVED,     // a kilometre away
  VEHICLE_REBUILT,  // wheel elements as wheel bodies on a revolute joint, and wheel bodies as elements
  VEHICLE_REBASED,  // another base, other cuts
  VEHICLE_NIDENTITY
} vehicle_identity;

// False: it does not apply to this vehicle (a road that is not the same everywhere, a wheel body that is no rotor ...).
bool vehicle_transform(const vehicle *v, vehicle_identity k, uint64_t seed, vehicle *out);

// Where the value of a channel of `v` is found in `out`: other = sign * value. False: the two have nothing to do
// with each
// other (positions of a vehicle that heads elsewhere). `other` has room for 128 characters.
bool vehicle_channel(const vehicle *v, const vehicle *out, vehicle_identity k, const char *name,
                     char *other, double *sign);

// Without gravity, ground, wheels and outer forces: linear and angular momentum are constant. False: it does not apply.
bool vehicle_set_free(const vehicle *v, vehicle *out);

#endif
