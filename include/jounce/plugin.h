// plugin.h: a force element of your own, compiled into a shared object that a model file names.
//
//   cc -O2 -shared -fPIC -I<folder of jounce/plugin.h> my_force.c -o my_force.so
//
//   forces:
//     my_force: {type: plugin, plugin: ./my_force.so, bodies: [chassis, hitch],
//                at: [[0, 0, 0.5], [-3, 0, 0.5]], parameters: {stiffness: 2e4}}
//
// This header is all that a plug-in needs. The shared object exports one table, `jounce_plugin`. It is loaded when a
// system is created, once for each element, and closed with the system.
//
// Contract of `force`. It is called in every evaluation, several times a step, in the thread that steps: it allocates,
// locks, opens and prints nothing, and its work is bounded. It is a function of its arguments alone: the same arguments
// give the same bits, since an integrator evaluates instants that a run never gets to, and threads share an element. So
// it writes to nothing but `wrench` and `out`.
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
  const char *element;      // its name in the model
  int n;                    // parameters that the file gives
  const char *const *name;  // of each; those of a list are called "1", "2", ...  (n)
  const double *value;      // as the file has them, whatever its units are       (n)
  double position[2][3];    // of the two points in the design position [m]
  char *reason;             // where a failing `init` says why, in one line
  size_t reason_size;
} jn_plugin_setup;

typedef struct jn_plugin_output {  // a channel: force.ELEMENT.NAME
  const char *name;                // letters, digits, _; "fx" .. "mz" are taken
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

#if defined __GNUC__
#define JN_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define JN_PLUGIN_EXPORT
#endif

// The one symbol that a plug-in defines.
extern JN_PLUGIN_EXPORT const jn_plugin_table jounce_plugin;

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
