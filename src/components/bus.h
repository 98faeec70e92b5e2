// bus.h: components and the signals that connect them.
//
// The bus is an array of signals, three doubles each: value, rate, acceleration. Its first ones are the run's input channels
// (functions of time, live inputs, or driven by a component's output), then come sensors, held values and outputs. Within
// an evaluation everything on it has one value: components are called in an order in which what they need directly is known.
#ifndef JN_COMPONENTS_BUS_H
#define JN_COMPONENTS_BUS_H

#include <stdbool.h>

#include "jounce/plugin.h"

enum { JN_SIGNAL_VALUES = 3 };

typedef struct jn_bus_copy {  // of an output value to a value of the bus
  int from, to;
  int parts;  // that it is divided into
} jn_bus_copy;

// One component. Indices of values are into the bus as a flat array.
typedef struct jn_instance {
  const char *name;  // its channels' first part
  const jn_component_table *table;
  void *self;
  int nu, ny;   // values of its inputs and outputs
  int *from;    // value that each input value is (nu)
  int *direct;  // the same for `outputs`: of ports that are not direct, the zero value (nu)
  int ncopy;
  jn_bus_copy *copy;  // outputs to their own signals, then to the signals that they drive
  int x, nplain;      // first of its plain states in x
  int e, ndeclared;   // first of its declared states in x
  bool early;         // known before positions: it needs no sensor directly
  bool is_plugin;
} jn_instance;

// Order of n components: component i needs `source[first[i]] .. source[first[i + 1] - 1]` within an evaluation, and comes
// after them; otherwise they come as they are numbered. Returns 0, or the length of a ring, in which each needs the next one
// and the last the first; ring: (n), mark: scratch (n).
int jn_bus_order(int n, const int *first, const int *source, int *order, int *ring, int *mark);

// One component at time t: its outputs onto the bus, but for signals that are live; its rates into dx, and those of
// declared states into rate, which begins at state `first_declared` of x. Return the first output value, or the state whose rate
// is not finite although all inputs are; -1: there is none.
int jn_instance_outputs(const jn_instance *k, double t, double *bus, const bool *live, int nlive,
                        const double *x);
int jn_instance_rates(const jn_instance *k, double t, const double *bus, const double *x,
                      double *dx, double *rate, int first_declared);

// States at rest with the inputs that are on the bus.
void jn_instance_start(const jn_instance *k, const double *bus, double *x);

#endif
