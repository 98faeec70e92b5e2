// plugin.h: a force element, a tyre or a road of your own, compiled into a shared object that a model file or a scenario names.
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
// This header is all that a plug-in needs. The shared object exports a table: `jounce_plugin` of a force,
// `jounce_tyre_plugin` of a tyre, `jounce_road_plugin` of a road. It is loaded when a system is created, once for each element, tyre or road of the file, and
// closed with the system.
//
// Contract of `force`, `reach`, `forces` and `at`. They are called in every evaluation, several times a step, in the thread
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

// Of everything below. A table of another version is refused.
#define JN_PLUGIN_VERSION 1

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

// What `init` is told; valid while it runs.
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
// load, lets the slips relax over the lengths that the law tells, keeps a standing tyre standing, mirrors a tyre that was
// measured on the other side of a vehicle, and then asks. So a law knows nothing of wheels, roads and time.
//
// Signs of ISO-W: x ahead, y to the left, z up, as the wheel points. Positive kappa drives; a positive tan_alpha is
// sliding to the left, and a tyre answers with a negative side force; positive camber leans to the right.

// Slips are those of the sliding contact point over its speed ahead, vsx and vsy over |vx|, behind their relaxation; of a
// tyre that stands, those that its bent tread stands for. They are finite, and as large as can be where a wheel is locked,
// spins or is dragged sideways.
typedef struct jn_tyre_plugin_slip {
  double load;       // above zero: in the air a law is not asked    [N]
  double camber;     //                                              [rad]
  double kappa;      // -vsx / |vx|
  double tan_alpha;  // vsy / |vx|
  double speed;      // |vx|                                         [m/s]
  double forward;    // 1 ahead, -1 in reverse, continuous between: the sign of what trails
  double rolling;    // likewise of the wheel's spin: the sign of rolling resistance
} jn_tyre_plugin_slip;

// What the law gives at small slip, ahead [0] and to the side [1]. All above zero and finite, else the run ends.
typedef struct jn_tyre_plugin_reach {
  double stiffness[2];   // force per kappa, per tan_alpha                               [N]
  double friction[2];    // largest force over load                                      [-]
  double relaxation[2];  // way over which slips follow                                  [m]
} jn_tyre_plugin_reach;

// Of the road on the wheel, at the contact point. Zero before each call.
typedef struct jn_tyre_plugin_forces {
  double fx, fy;  //                                                         [N]
  double mx;      // overturning                                             [N m]
  double my;      // rolling resistance: negative if it brakes a wheel that rolls ahead
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
  void (*reach)(const void *self, double load, double camber, jn_tyre_plugin_reach *reach);
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

#if defined __GNUC__
#define JN_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define JN_PLUGIN_EXPORT
#endif

// What a plug-in defines: one of them, or several.
extern JN_PLUGIN_EXPORT const jn_plugin_table jounce_plugin;
extern JN_PLUGIN_EXPORT const jn_tyre_plugin_table jounce_tyre_plugin;
extern JN_PLUGIN_EXPORT const jn_road_plugin_table jounce_road_plugin;

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
