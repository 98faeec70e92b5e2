#include "spec/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec/names.h"

char *jn_node_show(const jn_node *node, char *out, size_t size)
{
  switch (node->kind) {
    case JN_NODE_LIST:
      snprintf(out, size, "a list of %d", node->count);
      break;
    case JN_NODE_MAP:
      snprintf(out, size, "a mapping");
      break;
    case JN_NODE_SCALAR:
      if (node->length == 0 && !node->quoted)
        snprintf(out, size, "nothing");
      else
        snprintf(out, size, "%s\"%s\"", node->quoted ? "the text " : "",
                 jn_quoted(node->text, node->length, 64).text);
  }
  return out;
}

jn_pos jn_node_pos(const jn_node *node)
{
  return (jn_pos){node->source->file, node->line, node->col};
}

jn_pos jn_node_key_pos(const jn_node *node)
{
  if (!node->key) return jn_node_pos(node);
  return (jn_pos){node->source->file, node->key_line, node->key_col};
}

void jn_node_append(jn_node *parent, jn_node *child)
{
  child->next = NULL;
  if (parent->last)
    parent->last->next = child;
  else
    parent->first = child;
  parent->last = child;
  parent->count++;
}

static jn_node *find_key(const jn_node *map, const char *key, size_t length)
{
  if (map->kind != JN_NODE_MAP) return NULL;
  for (jn_node *n = map->first; n; n = n->next)
    if (n->key_length == length && !memcmp(n->key, key, length)) return n;
  return NULL;
}

jn_node *jn_node_find(const jn_node *map, const char *key)
{
  return find_key(map, key, strlen(key));
}

void jn_node_remove(jn_node *parent, const jn_node *child)
{
  jn_node *before = NULL;
  for (jn_node *n = parent->first; n; before = n, n = n->next) {
    if (n != child) continue;
    if (before)
      before->next = n->next;
    else
      parent->first = n->next;
    if (parent->last == n) parent->last = before;
    parent->count--;
    return;
  }
}

// Number every key of a mapping; -1, or the number of the first one that stands twice.
static int number_keys(const jn_node *map, jn_names *names)
{
  int i = 0;
  for (const jn_node *n = map->first; n; n = n->next, i++)
    if (jn_names_add(names, n->key, n->key_length, i) >= 0) return i;
  return -1;
}

const jn_node *jn_node_twice(const jn_node *map, bool *memory)
{
  *memory = false;
  if (map->count < 2) return NULL;
  jn_names names;
  if (!jn_names_init(&names, map->count)) {
    *memory = true;
    return NULL;
  }
  int i = number_keys(map, &names);
  jn_names_free(&names);
  const jn_node *n = NULL;
  if (i >= 0)
    for (n = map->first; i > 0; i--) n = n->next;
  return n;
}

// Put the content of `value` into the place of `old`, which keeps its key and its sibling.
static void replace(jn_node *old, const jn_node *value)
{
  jn_node was = *old;
  *old = *value;
  old->key = was.key;
  old->key_length = was.key_length;
  old->next = was.next;
}

jn_status jn_node_merge(jn_node *under, jn_node *over, jn_error *err)
{
  jn_names names;
  jn_node **at = calloc((size_t)under->count + 1, sizeof *at);
  if (!at || !jn_names_init(&names, under->count)) {
    free(at);
    return jn_no_memory(err, jn_node_pos(over));
  }
  number_keys(under, &names);
  int i = 0;
  for (jn_node *n = under->first; n; n = n->next) at[i++] = n;
  jn_status st = JN_OK;
  for (jn_node *n = over->first, *next; n && !st; n = next) {
    next = n->next;
    int k = jn_names_find(&names, n->key, n->key_length);
    if (k < 0)
      jn_node_append(under, n);
    else if (at[k]->kind == JN_NODE_MAP && n->kind == JN_NODE_MAP)
      st = jn_node_merge(at[k], n, err);
    else
      replace(at[k], n);
  }
  jn_names_free(&names);
  free(at);
  return st;
}

const jn_source *jn_node_source_at(const jn_node *root, const char *path)
{
  const jn_node *node = root;
  for (const char *part = path; node; part += *part == '.') {
    size_t length = strcspn(part, ".");
    const jn_node *child = find_key(node, part, length);
    if (node->kind == JN_NODE_LIST) {
      long i = strtol(part, NULL, 10);
      for (child = node->first; child && i > 0; i--) child = child->next;
    }
    if (!child || !part[length]) return (child ? child : node)->source;
    node = child;
    part += length;
  }
  return root->source;
}

// A mapping with whatever keys a model wants to override: where it is absent, its first key makes it.
static const char open_map[] = "coefficients";

static jn_node *add_open_map(jn_node *parent, const jn_source *source, jn_pool *pool)
{
  jn_node *map = jn_pool_alloc(pool, 1, sizeof *map);
  if (!map) return NULL;
  *map = (jn_node){.kind = JN_NODE_MAP,
                   .source = source,
                   .line = 1,
                   .col = 1,
                   .key = open_map,
                   .key_length = sizeof open_map - 1,
                   .key_line = 1,
                   .key_col = 1};
  jn_node_append(parent, map);
  return map;
}

jn_status jn_node_set(jn_node *root, const char *path, jn_node *value, jn_pool *pool, jn_error *err)
{
  const jn_pos pos = jn_node_pos(value);
  jn_node *node = root;
  for (const char *part = path;;) {
    size_t length = strcspn(part, ".");
    bool last = part[length] == 0;
    char shown[64];
    jn_quote(part, length, shown, sizeof shown);
    if (length == 0)
      return jn_fail(err, JN_E_CALL, pos, NULL, "the path has an empty part; write a.b.c=value");
    jn_node *child = NULL;
    if (node->kind == JN_NODE_MAP) {
      child = find_key(node, part, length);
      if (!child && last) {
        value->key = jn_pool_text_n(pool, part, length);
        if (!value->key) return jn_no_memory(err, pos);
        value->key_length = length;
        value->key_line = value->key_col = 1;
        jn_node_append(node, value);
        return JN_OK;
      }
      if (!child && length == sizeof open_map - 1 && !memcmp(part, open_map, length)) {
        child = add_open_map(node, value->source, pool);
        if (!child) return jn_no_memory(err, pos);
      }
      if (!child) {
        jn_nearest near = jn_nearest_to(shown);
        for (const jn_node *n = node->first; n; n = n->next)
          if (n->key_length < 64) jn_nearest_try(&near, n->key);
        return jn_fail(err, JN_E_CALL, pos, NULL, "the model has no \"%s\" here%s", shown,
                       jn_hint(&near).text);
      }
    } else if (node->kind == JN_NODE_LIST) {
      char *end;
      long i = strtol(part, &end, 10);
      if (node->count == 0)
        return jn_fail(err, JN_E_CALL, pos, NULL, "\"%s\" would be inside an empty list", shown);
      if (end != part + length || i < 0 || i >= node->count)
        return jn_fail(err, JN_E_CALL, pos, NULL,
                       "\"%s\" stands for a place in a list of %d, expected 0 to %d", shown,
                       node->count, node->count - 1);
      for (child = node->first; i > 0; i--) child = child->next;
    } else {
      return jn_fail(err, JN_E_CALL, pos, NULL,
                     "\"%s\" would be inside a single value, expected a mapping or a list", shown);
    }
    if (last) {
      replace(child, value);
      return JN_OK;
    }
    node = child;
    part += length + 1;
  }
}
