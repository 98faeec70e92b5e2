// reader.h: the state of one reading, shared by the files that read a tree into a spec.
#ifndef JN_SPEC_READER_H
#define JN_SPEC_READER_H

#include "spec/names.h"
#include "spec/spec.h"
#include "spec/tree.h"

typedef struct jn_reader {
  jn_spec *spec;
  jn_error *err;
  jn_names points, bodies, joints, tyres;
  double (*point)[3];       // coordinates of the named points (points.count x 3)
  const char **point_name;  // (points.count)
  bool turning;    // the joint at hand has an angle: JOINT_ quantities are of angle, not of length
  char path[160];  // of the element at hand, for messages
} jn_reader;

// Fails at `node`, naming the element at hand.
#define JN_READ_FAIL(r, code, node, ...) \
  jn_fail((r)->err, code, jn_node_pos(node), (r)->path, __VA_ARGS__)

// Go down to an element and back: size_t was = jn_reader_enter(r, key); ... r->path[was] = 0;
size_t jn_reader_enter(jn_reader *r, const char *key);

// Fill `values` (a struct of the object's list) from a mapping. A key `type`, if `typed`, has been
// dealt with.
jn_status jn_read_object(jn_reader *r, const jn_node *map, const jn_object *object, bool typed,
                         void *values);

// One value of a field into its place.
jn_status jn_read_value(jn_reader *r, const jn_node *node, const jn_field *field, void *place);

// A word of a list: *out is its index.
jn_status jn_read_word(jn_reader *r, const jn_node *node, const jn_word *words, int *out);

jn_status jn_read_vector(jn_reader *r, const jn_node *node, jn_quantity quantity, double out[3]);

// A whole tree into an empty spec (src/file calls it), and the checks that need the whole.
JN_PRIVATE jn_status jn_spec_read(jn_spec *spec, const jn_node *root, jn_error *err);
jn_status jn_spec_check(const jn_spec *spec, jn_error *err);

#endif
