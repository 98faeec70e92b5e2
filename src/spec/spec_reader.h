// spec_reader.h: the state of one reading, shared by the files that read a tree into a spec or a
// scenario.
#ifndef JN_SPEC_SPEC_READER_H
#define JN_SPEC_SPEC_READER_H

#include "spec/names.h"
#include "spec/spec_internal.h"
#include "spec/tree.h"

typedef struct jn_reader {
  jn_pool *pool;               // of what is read
  jn_spec *spec;               // NULL while a scenario is read
  const jn_file_list **files;  // of the spec or the scenario
  jn_error *err;
  jn_names points, bodies, joints, tyres, forces;
  double (*point)[3];       // coordinates of the named points (points.count x 3)
  const char **point_name;  // (points.count)
  bool turning;    // the joint at hand has an angle: JOINT_ quantities are of angle, not of length
  char path[160];  // of the element at hand, for messages
} jn_reader;

// Fails at `node`, naming the element at hand.
#define JN_READ_FAIL(r, code, node, ...) \
  jn_fail((r)->err, code, jn_node_pos(node), (r)->path, __VA_ARGS__)

#define JN_READ_NO_MEMORY(r, node) JN_READ_FAIL(r, JN_E_MEMORY, node, "memory is exhausted")

jn_status jn_expected(jn_reader *r, const jn_node *node, const char *what);  // and what was found
jn_status jn_lacks(jn_reader *r, const jn_node *map, const char *key);

// Go down to an element and back: size_t was = jn_reader_enter(r, key); ... r->path[was] = 0;
size_t jn_reader_enter(jn_reader *r, const char *key);

// The field of that key; NULL if there is none.
const jn_field *jn_field_of(const jn_object *object, const char *key);

// Defaults that are numbers, `never` or `true`; the rest stays as it is.
void jn_read_defaults(const jn_object *object, void *values);

// Fill `values` (a struct of the object's list) from a mapping. A key `type`, if `typed`, has been
// dealt with.
jn_status jn_read_object(jn_reader *r, const jn_node *map, const jn_object *object, bool typed,
                         void *values);

// A key of the whole file, which is `object`, into its place, if the file has it.
jn_status jn_read_key(jn_reader *r, const jn_node *root, const jn_object *object, const char *key,
                      void *place);

// Word of the key `type`: *out is its index in `words`.
jn_status jn_read_type(jn_reader *r, const jn_node *map, const jn_word *words, int *out);

// The key of `jounce: 1`; `what` is "a model" or "a scenario".
jn_status jn_read_version(jn_reader *r, const jn_node *root, const char *what);

// A key that `object`, which is the whole file, has not.
jn_status jn_unknown_in_file(const jn_node *node, const jn_object *object, const char *what,
                             jn_error *err);

// One section, a mapping from names to elements: allocate `*array` of `size` bytes an element,
// check and number all names (so that an element may name one that comes later), then read each.
typedef jn_status (*jn_read_element)(jn_reader *r, const jn_node *node, int i);
typedef struct jn_section {
  const char *key;
  size_t size;
  void **array;
  int *count;
  jn_names *names;  // NULL: not needed
  jn_read_element read;
  bool channels;  // the names are those of channels
} jn_section;
jn_status jn_read_section(jn_reader *r, const jn_node *root, const jn_section *section);

// Name of an element, kept; with its position; and with its `type`, one of the words.
const char *jn_keep_name(jn_reader *r, const jn_node *node);
jn_status jn_read_name(jn_reader *r, const jn_node *node, const char **name, jn_pos *pos);
jn_status jn_read_named(jn_reader *r, const jn_node *node, const jn_word *words, const char **name,
                        jn_pos *pos, int *kind);

// Is it a channel's name: parts of letters, digits, _ and - with dots between them? With `pattern`,
// * may stand anywhere.
bool jn_is_channel(const char *text, bool pattern);

bool jn_is_number(const jn_node *node);  // not in quotes, of a reasonable length

// One value of a field into its place.
jn_status jn_read_value(jn_reader *r, const jn_node *node, const jn_field *field, void *place);

// A word of a list: *out is its index.
jn_status jn_read_word(jn_reader *r, const jn_node *node, const jn_word *words, int *out);

// An entry of `components`.
jn_status jn_read_component(jn_reader *r, const jn_node *node, jn_component_spec *out);

// The rest of a magic-formula tyre, once its keys are read.
jn_status jn_read_magic_formula(jn_reader *r, const jn_node *node, jn_tyre_spec *tyre);

// Of a road: not so small that slips, which are divided by it, are lost.
jn_status jn_check_friction(jn_reader *r, const jn_node *node, double value);

jn_status jn_read_vector(jn_reader *r, const jn_node *node, jn_quantity quantity, double out[3]);

// A whole tree into an empty spec (src/yaml calls it), and the checks that need the whole.
JN_PRIVATE jn_status jn_spec_read(jn_spec *spec, const jn_node *root, jn_error *err);
jn_status jn_spec_check(const jn_spec *spec, jn_error *err);

#endif
