// tree.h: a file's text as a tree of mappings, lists and scalars, each with its position.
//
// It stands between the YAML library and the schema: includes are merged and overrides applied here,
// before anything has a meaning. A node remembers its source, because units and axes are a file's own.
#ifndef JN_SPEC_TREE_H
#define JN_SPEC_TREE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "spec/schema.h"

typedef struct jn_source {  // one file, or one override of the command line
  const char *file;
  const jn_unit *unit[JN_NDIM];
  int axes;  // index into jn_axes_words
} jn_source;

typedef enum jn_node_kind { JN_NODE_SCALAR, JN_NODE_LIST, JN_NODE_MAP } jn_node_kind;

typedef struct jn_node {
  jn_node_kind kind;
  bool quoted;  // scalar in quotes: text, never a number
  const jn_source *source;
  int line, col;     // of the value
  const char *text;  // of a scalar, closed by a zero
  size_t length;
  const char *key;  // in a mapping
  size_t key_length;
  int key_line, key_col;
  struct jn_node *first, *last, *next;  // children; sibling
  int count;
} jn_node;

// What a node is called in a message: "a list of 3", "the text \"abc\"", ... Returns `out`.
JN_PRIVATE char *jn_node_show(const jn_node *node, char *out, size_t size);

static inline jn_text jn_shown(const jn_node *node)  // the same
{
  jn_text t;
  jn_node_show(node, t.text, sizeof t.text);
  return t;
}

JN_PRIVATE jn_pos jn_node_pos(const jn_node *node);      // of the value
JN_PRIVATE jn_pos jn_node_key_pos(const jn_node *node);  // of the key in front of it

JN_PRIVATE void jn_node_append(jn_node *parent, jn_node *child);
JN_PRIVATE jn_node *jn_node_find(const jn_node *map,
                                 const char *key);  // NULL if absent, or not a mapping
JN_PRIVATE void jn_node_remove(jn_node *parent, const jn_node *child);

// A key that stands twice in one mapping: its second node; NULL if there is none. NULL with *memory
// set when memory is exhausted.
JN_PRIVATE const jn_node *jn_node_twice(const jn_node *map, bool *memory);

// Put what `over` says on top of `under`: mappings are merged key by key, anything else is replaced.
// Both end up in `under`.
JN_PRIVATE jn_status jn_node_merge(jn_node *under, jn_node *over, jn_error *err);

// Source of what stands at `path`, or of the last thing on the way to it that is there: an override is in its
// units and axes.
JN_PRIVATE const jn_source *jn_node_source_at(const jn_node *root, const char *path);

// Put `value` where `path` says, such as "bodies.chassis.mass" or "bodies.chassis.cg.2" (from 0).
// A mapping gets a new key; everything in front of the last part must exist.
JN_PRIVATE jn_status jn_node_set(jn_node *root, const char *path, jn_node *value, jn_pool *pool,
                                 jn_error *err);

#endif
