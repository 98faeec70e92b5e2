// yaml.h: the one place that knows the YAML library.
#ifndef JN_YAML_YAML_H
#define JN_YAML_YAML_H

#include "spec/tree.h"
#include "yaml/yaml_filter.h"

// Filtered text into a tree, allocated in `pool`; *root is NULL if the text is empty. *spent counts
// the values made so far, over all files of a model. Aliases, anchors, tags, several documents and
// keys that are not single words are refused.
jn_status jn_yaml_parse(const char *text, size_t length, const jn_source *source, jn_pool *pool,
                        jn_spent *spent, jn_node **root, jn_error *err);

#endif
