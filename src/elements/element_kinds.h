// element_kinds.h: the force elements. Build, both paths, statics, channels and names follow this list; what a model file says of
// them is in spec/schema.h. Wheels and tyres are apart (elements/tyre).
#ifndef JN_ELEMENTS_ELEMENT_KINDS_H
#define JN_ELEMENTS_ELEMENT_KINDS_H

#include <stdbool.h>

#include "elements/bushing.h"
#include "elements/contact_points.h"
#include "elements/load.h"
#include "elements/plugged.h"
#include "elements/spring.h"
#include "elements/torsion.h"
#include "spec/schema.h"

// Kind in the file; kernel, called word_at; what it is attached to (element.h); outputs. Elements are computed and their
// channels listed in this order; kinds with the same outputs stand together and are mixed by name.
#define JN_ELEMENT_KINDS(X)                     \
  X(TSDA, spring, LINE, SPRING_OUTPUTS)         \
  X(RSDA, torsion, COORDINATE, TORSION_OUTPUTS) \
  X(SERVO, servo, COORDINATE, TORSION_OUTPUTS)  \
  X(BUSHING, bushing, FRAME, BUSHING_OUTPUTS)   \
  X(PLUGIN, plugged, WORLD, WRENCH_OUTPUTS)     \
  X(CONTACT, contact, ROAD, CONTACT_OUTPUTS)    \
  X(FORCE, push, BODY, NO_OUTPUTS)              \
  X(TORQUE, couple, PAIR, NO_OUTPUTS)

typedef enum jn_element_ends {
  JN_ENDS_NONE,  // no element of this list
  JN_ENDS_LINE,
  JN_ENDS_COORDINATE,
  JN_ENDS_FRAME,
  JN_ENDS_PAIR,
  JN_ENDS_BODY,
  JN_ENDS_WORLD,
  JN_ENDS_ROAD
} jn_element_ends;

typedef struct jn_output {
  const char *name, *unit, *help;
} jn_output;

typedef struct jn_element_kind {
  jn_element_ends ends;
  int place;         // in the list
  const char *list;  // of its outputs, by name
  int nout;
  const jn_output *out;
} jn_element_kind;

extern const jn_element_kind jn_element_kinds[JN_NFORCE_KIND];

// Place of a kind in the order of elements: that of the first kind with the same outputs.
int jn_element_order(jn_force_kind kind);

// Outputs of an element of this kind; in a joint that slides, those of a COORDINATE have other names and units.
const jn_output *jn_element_outputs(jn_force_kind kind, bool sliding);

#endif
