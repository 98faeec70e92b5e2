// read_components.c: an entry of `components`: a kind, its parameters, and what its ports are connected to. Which kinds
// there are, with which parameters and ports, is known where a system is built: words keep their positions until then.
#include <string.h>

#include "spec/spec_reader.h"

enum { MOST_LINKS = 1024 };  // of one component

static jn_status read_text(jn_reader *r, const jn_node *node, jn_type type, const char **out)
{
  const jn_field field = {.key = node->key, .type = type};
  return jn_read_value(r, node, &field, out);
}

static jn_status read_number(jn_reader *r, const jn_node *node, double *out)
{
  const jn_field field = {.key = node->key, .type = JN_T_NUMBER, .quantity = JN_Q_ONE};
  return jn_read_value(r, node, &field, out);
}

// Names of ports and parameters, as C and channels have them.
static jn_status check_key(jn_reader *r, const jn_node *node)
{
  if (jn_is_name(node->key, node->key_length)) return JN_OK;
  return jn_fail(r->err, JN_E_SCHEMA, jn_node_key_pos(node), r->path,
                 "\"%s\" is no name; use letters, digits and _",
                 jn_quoted(node->key, node->key_length, 64).text);
}

static jn_status add_link(jn_reader *r, const jn_node *node, const char *port, bool numbers,
                          jn_link_spec *to)
{
  *to = (jn_link_spec){.port = port, .pos = jn_node_pos(node)};
  if (!numbers || !jn_is_number(node)) return read_text(r, node, JN_T_CHANNEL, &to->signal);
  return read_number(r, node, &to->value);
}

// A mapping from ports to signals, or lists of them; numbers: a number may stand for one.
static jn_status read_links(jn_reader *r, const jn_node *map, bool outputs,
                            const jn_link_spec **out, int *count)
{
  if (map->kind != JN_NODE_MAP) return jn_expected(r, map, "a mapping from ports to channels");
  int n = 0;
  for (const jn_node *p = map->first; p; p = p->next) n += p->kind == JN_NODE_LIST ? p->count : 1;
  if (n > MOST_LINKS)
    return JN_READ_FAIL(r, JN_E_LIMIT, map, "has %d connections, at most %d are allowed", n,
                        MOST_LINKS);
  jn_link_spec *link = jn_pool_alloc(r->pool, (size_t)n, sizeof *link);
  if (!link) return JN_READ_NO_MEMORY(r, map);
  *out = link;
  for (const jn_node *p = map->first; p; p = p->next) {
    jn_status st = check_key(r, p);
    if (st) return st;
    const size_t was = jn_reader_enter(r, p->key);
    const char *port = jn_keep_name(r, p);
    if (!port) return JN_READ_NO_MEMORY(r, p);
    const bool list = outputs && p->kind == JN_NODE_LIST;
    for (const jn_node *k = list ? p->first : p; k && !st; k = list ? k->next : NULL)
      st = add_link(r, k, port, !outputs, &link[(*count)++]);
    if (st) return st;
    r->path[was] = 0;
  }
  return JN_OK;
}

// Every other key of a built-in component is a parameter.
static jn_status read_parameter(jn_reader *r, const jn_node *node, jn_parameters *p,
                                const char **name, double *value, jn_pos *pos)
{
  name[p->n] = jn_keep_name(r, node);
  if (!name[p->n]) return JN_READ_NO_MEMORY(r, node);
  pos[p->n] = jn_node_key_pos(node);
  return read_number(r, node, &value[p->n++]);
}

jn_status jn_read_component(jn_reader *r, const jn_node *node, jn_component_spec *out)
{
  out->name = jn_keep_name(r, node);
  out->pos = out->type_pos = jn_node_key_pos(node);
  if (!out->name) return JN_READ_NO_MEMORY(r, node);
  if (node->kind != JN_NODE_MAP) return jn_expected(r, node, "a mapping of keys and values");
  const jn_node *type = jn_node_find(node, "type");
  if (!type) return jn_lacks(r, node, "type");
  const char **name = jn_pool_alloc(r->pool, (size_t)node->count, sizeof *name);
  double *value = jn_pool_alloc(r->pool, (size_t)node->count, sizeof *value);
  jn_pos *pos = jn_pool_alloc(r->pool, (size_t)node->count, sizeof *pos);
  if (!name || !value || !pos) return JN_READ_NO_MEMORY(r, node);
  out->parameters.name = name, out->parameters.value = value, out->parameter_pos = pos;
  bool plugin = type->kind == JN_NODE_SCALAR && !strcmp(type->text, "plugin");
  for (const jn_node *n = node->first; n; n = n->next) {
    jn_status st = check_key(r, n);
    if (st) return st;
    const size_t was = jn_reader_enter(r, n->key);
    if (n == type) {
      out->type_pos = jn_node_pos(n);
      st = read_text(r, n, JN_T_TEXT, &out->type);
    } else if (!strcmp(n->key, "inputs")) {
      st = read_links(r, n, false, &out->in, &out->nin);
    } else if (!strcmp(n->key, "outputs")) {
      st = read_links(r, n, true, &out->out, &out->nout);
    } else if (plugin && !strcmp(n->key, "plugin")) {
      out->plugin_pos = jn_node_pos(n);
      st = read_text(r, n, JN_T_FILE, &out->plugin);
    } else if (plugin && !strcmp(n->key, "parameters")) {
      const jn_field field = {.key = n->key, .type = JN_T_PARAMETERS};
      jn_pos *each = jn_pool_alloc(r->pool, (size_t)n->count, sizeof *each);
      if (!each) return JN_READ_NO_MEMORY(r, n);
      int i = 0;
      for (const jn_node *k = n->first; k; k = k->next, i++)
        each[i] = n->kind == JN_NODE_MAP ? jn_node_key_pos(k) : jn_node_pos(k);
      out->parameter_pos = each;
      st = jn_read_value(r, n, &field, &out->parameters);
    } else if (plugin) {
      r->path[was] = 0;
      return jn_fail(r->err, JN_E_SCHEMA, jn_node_key_pos(n), r->path,
                     "has no key \"%s\"; it has type, plugin, parameters, inputs, outputs",
                     jn_quoted(n->key, n->key_length, 96).text);
    } else {
      st = read_parameter(r, n, &out->parameters, name, value, pos);
    }
    if (st) return st;
    r->path[was] = 0;
  }
  return plugin && !out->plugin ? jn_lacks(r, node, "plugin") : JN_OK;
}
