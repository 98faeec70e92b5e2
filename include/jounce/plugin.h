// plugin.h: a force element, a tyre, a road or a component of your own, compiled into a shared object that a file names.
//
//   cc -O2 -shared -fPIC -I<folder of jounce/plugin.h> my_force.c -o my_force.so
//
//   forces:
//     my_force: {type: plugin, plugin: ./my_force.so, bodies: [chassis, hitch],
//                at: [[0, 0, 0.5], [-3, 0, 0.5]], parameters: {stiffness: 2e4}}
//
//   tyres:
//     mine: {type: plugin, plugin: ./my_tyre.so, radius: 0.33, stiffness: 2e5, load: 4e3, parameters: {grip: 1.1}}
//
//   road: {type: plugin, plugin: ./my_road.so, parameters: {height: 0.1}}     (in a scenario)
//
//   components:
//     mine: {type: plugin, plugin: ./my_controller.so, parameters: {gain: 2e3}, inputs: {rate: chassis.wz},
//            outputs: {left: wheel.fl.brake, right: wheel.fr.brake}}
//
// This header is all that a plug-in needs. The shared object exports a table: `jounce_plugin` of a force,
// `jounce_tyre_plugin` of a tyre, `jounce_road_plugin` of a road, `jounce_component` of a component. It is loaded when a system is
// created, once for each element, tyre, road or component of the file, and closed with the system.
//
// Contract of `force`, `limits`, `forces`, `at`, `outputs` and `rates`. They are called in every evaluation, several times a step, in the thread
// that steps: they allocate, lock, open and print nothing, and their work is bounded. They are functions of their
// arguments alone: the same arguments give the same bits, since an integrator evaluates instants that a run never gets
// to, and threads and wheels share what `init` made. So they write to nothing but what they are handed for their results.
#ifndef JOUNCE_PLUGIN_H
#define JOUNCE_PLUGIN_H

#include <stddef.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

// Of everything below. Tables of forces and tyres may also be of version 1, which had the same; others are refused.
#define JN_PLUGIN_VERSION 2

// World axes (x forward, y left, z up in the design position) and SI units throughout. [0] is the first body of the file's
// `bodies`, [1] the second; the ground is a body too.
typedef struct jn_plugin_motion {
  double time;                    //                                                       [s]
  double position[2][3];          // of the point on each body                             [m]
  double velocity[2][3];          // of the same points                                    [m/s]
  double rotation[2][9];          // from the design position, row by row: world = R body  [-]
  double angular_velocity[2][3];  //                                                    [rad/s]
} jn_plugin_motion;

// What acts on the second body, at its point. The first body feels the opposite force and moment at the same place, so that
// momentum is kept whatever they are. Zero before each call.
typedef struct jn_plugin_wrench {
  double force[3];   // [N]
  double moment[3];  // [N m]
} jn_plugin_wrench;

// What `init` is given; valid while it runs.
typedef struct jn_plugin_setup {
  const char *element;      // its name in the model, or that of the tyre
  int n;                    // parameters that the file gives
  const char *const *name;  // of each; those of a list are called "1", "2", ...  (n)
  const double *value;      // as the file has them, whatever its units are       (n)
  double position[2][3];    // of the two points in the design position [m]; of a tyre zero
  char *reason;             // where a failing `init` says why, in one line
  size_t reason_size;
  double radius;  // of a tyre: unloaded [m]
  double load;    // of a tyre: nominal  [N]
  // Since version 2, of a component: is an input, by its place in the table, connected to a signal? (nin)
  const unsigned char *connected;
} jn_plugin_setup;

typedef struct jn_plugin_output {  // a channel: force.ELEMENT.NAME, of a tyre law.WHEEL.NAME
  const char *name;                // letters, digits, _; of a force "fx" .. "mz" are taken
  const char *unit;                // "N"
  const char *help;                // one sentence
} jn_plugin_output;

typedef struct jn_plugin_table {
  int version;                     // JN_PLUGIN_VERSION
  const char *const *parameter;    // names that it knows, closed by NULL; NULL: any
  int nout;                        // outputs
  const jn_plugin_output *output;  // (nout)
  // Makes one element: 0, and what it needs in *self; else it fails, with a reason. May allocate.
  int (*init)(const jn_plugin_setup *setup, void **self);
  void (*force)(const void *self, const jn_plugin_motion *motion, jn_plugin_wrench *wrench,
                double *out);  // out: (nout)
  void (*free)(void *self);    // NULL: nothing to do
} jn_plugin_table;

// ---- tyres ----------------------------------------------------------------------------------------
//
// A steady-state law: forces and moments of a tyre that has rolled at one slip for long. jounce finds the contact and the
// load, lets the slips relax over the lengths that the law returns, keeps a standing tyre standing, mirrors a tyre that was
// measured on the other side of a vehicle, and then asks. So a law knows nothing of wheels, roads and time.
//
// Signs of ISO-W: x forward, y to the left, z up, as the wheel points. Positive kappa drives; a positive tan_alpha is
// sliding to the left, and a tyre answers with a negative side force; positive camber leans to the right.

// Slips are those of the sliding contact point over its longitudinal speed, vsx and vsy over |vx|, behind their relaxation; of a
// tyre that stands, those that its bent tread stands for. They are finite, and as large as can be where a wheel is locked,
// spins or is dragged sideways.
typedef struct jn_tyre_plugin_slip {
  double load;       // above zero: in the air a law is not asked    [N]
  double camber;     //                                              [rad]
  double kappa;      // -vsx / |vx|
  double tan_alpha;  // vsy / |vx|
  double speed;      // |vx|                                         [m/s]
  double forward;    // 1 forward, -1 in reverse, continuous between: the sign of what trails
  double rolling;    // likewise of the wheel's spin: the sign of rolling resistance
} jn_tyre_plugin_slip;

// Slip stiffness, friction and relaxation of the law, longitudinal [0] and lateral [1]. All above zero and finite, else the run ends.
typedef struct jn_tyre_plugin_limits {
  double stiffness[2];   // force per kappa, per tan_alpha                               [N]
  double friction[2];    // largest force over load                                      [-]
  double relaxation[2];  // relaxation lengths                                           [m]
} jn_tyre_plugin_limits;

// Of the road on the wheel, at the contact point. Zero before each call.
typedef struct jn_tyre_plugin_forces {
  double fx, fy;  //                                                         [N]
  double mx;      // overturning                                             [N m]
  double my;      // rolling resistance: negative if it brakes a wheel that rolls forward
  double mz;      // aligning
} jn_tyre_plugin_forces;

typedef struct jn_tyre_plugin_table {
  int version;                     // JN_PLUGIN_VERSION
  const char *const *parameter;    // names that it knows, closed by NULL; NULL: any
  int nout;                        // outputs, of each wheel
  const jn_plugin_output *output;  // (nout)
  // Makes one tyre, which all wheels share that name it: 0, and what it needs in *self; else it fails, with a reason. May
  // allocate.
  int (*init)(const jn_plugin_setup *setup, void **self);
  void (*limits)(const void *self, double load, double camber, jn_tyre_plugin_limits *limits);
  void (*forces)(const void *self, const jn_tyre_plugin_slip *slip, jn_tyre_plugin_forces *forces,
                 double *out);  // out: (nout)
  void (*free)(void *self);     // NULL: nothing to do
} jn_tyre_plugin_table;

// ---- roads ----------------------------------------------------------------------------------------
//
// A surface z(x, y, t) in world axes, with its friction: one answer for each wheel, everywhere, off the map too.

#define JN_ROAD_LEAST_FRICTION 1e-3  // slips are divided by friction
#define JN_ROAD_PATCHES        32    // of a road's friction, at most

typedef struct jn_road_plugin_query {
  double x, y;  // place that is asked for                                                    [m]
  double z;     // of the wheel centre: of surfaces above each other, the next below it counts [m]
  double time;  //                                                                            [s]
} jn_road_plugin_query;

// Zero before each call but for friction, which is 1. All finite, else the run ends.
typedef struct jn_road_plugin_answer {
  double height;            // z of the surface                                  [m]
  double slope_x, slope_y;  // its derivatives by x and y
  double rate;              // and by time, at a point that stands still         [m/s]
  double friction;  // relative to what the tyre's parameters say, at least JN_ROAD_LEAST_FRICTION
} jn_road_plugin_answer;

typedef struct jn_road_plugin_table {
  int version;                   // JN_PLUGIN_VERSION
  const char *const *parameter;  // names that it knows, closed by NULL; NULL: any
  // Makes one road, which all its wheels share: 0, and what it needs in *self; else it fails, with a reason. May allocate.
  // NULL: it needs nothing.
  int (*init)(const jn_plugin_setup *setup, void **self);
  // hint: an int of this wheel's own, 0 at first and then as the last call left it, or left it in a copy of the run, or any
  // call at all: where to begin to look. It may change how soon the answer is found, never the answer.
  void (*at)(const void *self, const jn_road_plugin_query *query, int *hint,
             jn_road_plugin_answer *answer);
  void (*free)(void *self);  // NULL: nothing to do
} jn_road_plugin_table;

// ---- components -----------------------------------------------------------------------------------
//
// What has inputs, outputs and states, and is no body, joint or force: a driver, a controller, an actuator. Its ports are
// connected to signals: sensors, inputs of the scenario, outputs of other components; its outputs drive wheels, forces and
// prescribed motions (docs/components.md). Built-in components fill the same table.

typedef struct jn_port {
  const char *name;  // letters, digits, _
  const char *unit;  // "N m"
  const char *help;  // one sentence
  int rates;  // derivatives that follow the value in u or y: 0, 1 (rate) or 2 (rate, acceleration)
  int direct;  // of an input: 1: outputs depend on it within an evaluation; 0: through the states alone
  int shared;  // of an output: 1: the signals connected to it get equal parts of it, else each the whole
  double unconnected;  // of an input: its value where nothing drives it
} jn_port;

// A declared state is one of the form x' = b - a x with a >= 0, which is stable at any step, however large a is.
typedef struct jn_state_info {
  const char *name, *unit, *help;  // a channel: COMPONENT.NAME
  int declared;                    // 1: `rates` gives a too; declared states come last
} jn_state_info;

typedef enum jn_parameter_range {
  JN_ANY_NUMBER,
  JN_ABOVE_ZERO,
  JN_NOT_NEGATIVE
} jn_parameter_range;

typedef struct jn_component_parameter {
  const char *name, *unit, *help;
  double otherwise;  // where the file does not give it; NAN: the file must
  jn_parameter_range range;
} jn_component_parameter;

typedef struct jn_component_io {  // one component, one evaluation
  double time;                    // [s]
  const double *u;  // inputs, each followed by its rates; in `outputs` zero where not direct
  const double *x;  // states                                        (nstate)
  double *y;        // outputs, each followed by its rates: by `outputs`
  double *dx;       // x', of declared ones b - a x: by `rates`      (nstate)
  double *a;        // of declared ones: by `rates`                  (their number)
} jn_component_io;

enum { JN_COMPONENT_MOST = 64 };  // values of inputs, of outputs; states; parameters

typedef struct jn_component_table {
  int version;  // JN_PLUGIN_VERSION
  const char *kind;
  int nin, nout, nstate, nparameter;
  const jn_port *in, *out;
  const jn_state_info *state;
  const jn_component_parameter *parameter;
  // Makes one component: 0, or it fails, with a reason. *self is the values of all parameters, in the table's order, and may
  // stay so: they live as long as the component. NULL: nothing to do. May allocate.
  int (*init)(const jn_plugin_setup *setup, void **self);
  void (*start)(const void *self, const double *u, double *x);  // states at rest; NULL: zeros
  void (*outputs)(const void *self, const jn_component_io *io);
  void (*rates)(const void *self, const jn_component_io *io);  // NULL: no states
  // d (y, dx) / d (u, x), row by row; NULL: by differences. Explicit integrators have no need of it.
  void (*jacobian)(const void *self, const jn_component_io *io, double *rows);
  void (*free)(void *self);  // NULL: nothing to do
} jn_component_table;

#if defined __GNUC__
#define JN_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define JN_PLUGIN_EXPORT
#endif

// What a plug-in defines: one of them, or several.
extern JN_PLUGIN_EXPORT const jn_plugin_table jounce_plugin;
extern JN_PLUGIN_EXPORT const jn_tyre_plugin_table jounce_tyre_plugin;
extern JN_PLUGIN_EXPORT const jn_road_plugin_table jounce_road_plugin;
extern JN_PLUGIN_EXPORT const jn_component_table jounce_component;

// A parameter by its name, or what it is if the file does not give it.
static inline double jn_plugin_number(const jn_plugin_setup *setup, const char *name,
                                      double otherwise)
{
  for (int i = 0; i < setup->n; i++)
    if (!strcmp(setup->name[i], name)) return setup->value[i];
  return otherwise;
}

#ifdef __cplusplus
}
#endif

#endif
