// spec_units.h: from a file's units and axes to SI and ISO.
#ifndef JN_SPEC_SPEC_UNITS_H
#define JN_SPEC_SPEC_UNITS_H

#include "spec/tree.h"

JN_PRIVATE jn_source jn_source_si(const char *file);  // SI units, ISO axes

// Read a file's own `units` and `axes` into its source and take them out of the tree.
JN_PRIVATE jn_status jn_source_read(jn_source *source, jn_node *root, jn_error *err);

double jn_to_si(const jn_source *source, jn_quantity quantity, double value);

// A number of the unit of y over the n-th power of that of x.
double jn_to_si_over(const jn_source *source, jn_quantity y, jn_quantity x, int n, double value);

// All three kinds of axes are turned into each other by exact permutations and signs: no rounding.
void jn_axes_turn_vector(int axes, double v[3]);
void jn_axes_turn_inertia(int axes, double j[6]);     // xx yy zz xy xz yz
void jn_axes_turn_quaternion(int axes, double q[4]);  // of a body, whose own axes turn along

#endif
