// load.c: a model file with its includes and overrides, from disk or memory, into a spec.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "file/filter.h"
#include "file/yaml.h"
#include "spec/reader.h"
#include "spec/units.h"

typedef struct loader {
  jn_spec *spec;
  jn_pool tree;  // freed when the spec is read
  int nodes, files;
  struct {
    dev_t device;
    ino_t inode;
  } open[JN_FILE_MOST_FILES];  // files being read, each included by the one before it
  int nopen;
  jn_error *err;
} loader;

static const jn_pos nowhere = {NULL, 0, 0};

static jn_status load_tree(loader *l, const char *file, jn_pos from, jn_node **root);

static jn_status no_memory(loader *l)
{
  return jn_fail(l->err, JN_E_MEMORY, nowhere, NULL, "memory is exhausted");
}

// "dir/of/base" + "name": what an include means, relative to the file that includes.
static char *beside(loader *l, const char *base, const char *name)
{
  const char *slash = strrchr(base, '/');
  if (name[0] == '/' || !slash) return jn_pool_text(&l->spec->pool, name);
  size_t dir = (size_t)(slash - base) + 1, length = strlen(name);
  char *path = jn_pool_alloc(&l->spec->pool, dir + length + 1, 1);
  if (path) memcpy(path, base, dir), memcpy(path + dir, name, length);
  return path;
}

static jn_status include(loader *l, const jn_node *name, jn_node *under)
{
  char shown[96];
  if (name->kind != JN_NODE_SCALAR || name->length == 0 || name->length > 1024)
    return jn_fail(l->err, JN_E_SCHEMA, jn_node_pos(name), "include",
                   "found %s, expected the name of a file", jn_node_show(name, shown, sizeof shown));
  const char *file = beside(l, name->source->file, name->text);
  jn_node *root;
  if (!file) return no_memory(l);
  jn_status st = load_tree(l, file, jn_node_pos(name), &root);
  return st ? st : jn_node_merge(under, root, l->err);
}

// What the files named in `include` say, under what this file says.
static jn_status merge_includes(loader *l, jn_node **root)
{
  jn_node *names = jn_node_find(*root, "include");
  if (!names) return JN_OK;
  jn_node_remove(*root, names);
  jn_node *under = jn_pool_alloc(&l->tree, 1, sizeof *under);
  if (!under) return no_memory(l);
  *under = (jn_node){.kind = JN_NODE_MAP, .source = (*root)->source, .line = (*root)->line,
                     .col = (*root)->col};
  jn_status st = JN_OK;
  if (names->kind == JN_NODE_LIST)
    for (const jn_node *n = names->first; n && !st; n = n->next) st = include(l, n, under);
  else
    st = include(l, names, under);
  if (!st) st = jn_node_merge(under, *root, l->err);
  *root = under;
  return st;
}

static jn_status parse_tree(loader *l, const char *text, size_t length, const char *file,
                            jn_node **root)
{
  size_t skip;
  jn_status st = jn_filter(text, length, file, &skip, l->err);
  if (st) return st;
  jn_source *source = jn_pool_alloc(&l->spec->pool, 1, sizeof *source);
  if (!source) return no_memory(l);
  *source = jn_source_si(file);
  st = jn_yaml_parse(text + skip, length - skip, source, &l->tree, &l->nodes, root, l->err);
  if (st || (*root)->kind != JN_NODE_MAP) return st;
  st = jn_source_read(source, *root, l->err);
  return st ? st : merge_includes(l, root);
}

static jn_status read_stream(loader *l, FILE *in, const char *file, char **text, size_t *length)
{
  size_t room = 1 << 16;
  *text = malloc(room);
  *length = 0;
  while (*text) {
    *length += fread(*text + *length, 1, room - *length, in);
    if (ferror(in))
      return jn_fail(l->err, JN_E_FILE, (jn_pos){file, 0, 0}, NULL, "cannot be read: %s",
                     strerror(errno));
    if (*length < room || *length > JN_FILE_MOST_BYTES) return JN_OK;
    char *more = realloc(*text, room *= 2);
    if (!more) break;
    *text = more;
  }
  return no_memory(l);
}

static jn_status read_file(loader *l, const char *file, jn_pos from, char **text, size_t *length)
{
  const jn_pos pos = from.file ? from : (jn_pos){file, 0, 0};
  char shown[160], about[200] = "";
  struct stat info;
  *text = NULL;
  if (from.file)
    snprintf(about, sizeof about, "\"%s\" ", jn_quote(file, strlen(file), shown, sizeof shown));
  if (stat(file, &info))
    return jn_fail(l->err, JN_E_FILE, pos, NULL, "%scannot be opened: %s", about, strerror(errno));
  if (!S_ISREG(info.st_mode))
    return jn_fail(l->err, JN_E_FILE, pos, NULL, "%sis %s, expected a file", about,
                   S_ISDIR(info.st_mode) ? "a directory" : "not a plain file");
  for (int i = 0; i < l->nopen; i++)
    if (l->open[i].device == info.st_dev && l->open[i].inode == info.st_ino)
      return jn_fail(l->err, JN_E_FILE, pos, NULL, "%sincludes itself", about);
  if (l->files++ == JN_FILE_MOST_FILES || l->nopen == JN_FILE_MOST_FILES)
    return jn_fail(l->err, JN_E_LIMIT, pos, NULL, "a model has at most %d files",
                   JN_FILE_MOST_FILES);
  FILE *in = fopen(file, "rb");
  if (!in)
    return jn_fail(l->err, JN_E_FILE, pos, NULL, "%scannot be opened: %s", about, strerror(errno));
  l->open[l->nopen].device = info.st_dev;
  l->open[l->nopen].inode = info.st_ino;
  jn_status st = read_stream(l, in, file, text, length);
  fclose(in);
  return st;
}

static jn_status load_tree(loader *l, const char *file, jn_pos from, jn_node **root)
{
  char *text;
  size_t length;
  jn_status st = read_file(l, file, from, &text, &length);
  if (!st) {
    l->nopen++;
    st = parse_tree(l, text, length, file, root);
    l->nopen--;
  }
  free(text);
  if (!st && (*root)->kind != JN_NODE_MAP && from.file)
    st = jn_fail(l->err, JN_E_SCHEMA, jn_node_pos(*root), NULL,
                 "an included file holds a mapping, as a model does");
  return st;
}

// "path=value" with the value in YAML's short form and in the units of the model's own file.
static jn_status apply_set(loader *l, jn_node *root, const char *set)
{
  const char *equals = strchr(set, '=');
  char shown[160];
  if (!equals || equals == set)
    return jn_fail(l->err, JN_E_CALL, (jn_pos){"--set", 0, 0}, NULL,
                   "found \"%s\", expected path=value such as bodies.chassis.mass=1500",
                   jn_quote(set, strlen(set), shown, sizeof shown));
  size_t path_length = (size_t)(equals - set), skip;
  char *path = jn_pool_text_n(&l->spec->pool, set, path_length);
  char *name = jn_pool_alloc(&l->spec->pool, path_length + 7, 1);
  jn_source *source = jn_pool_alloc(&l->spec->pool, 1, sizeof *source);
  if (!path || !name || !source) return no_memory(l);
  sprintf(name, "--set %s", path);
  *source = *root->source;
  source->file = name;
  jn_node *value;
  jn_status st = jn_filter(equals + 1, strlen(equals + 1), name, &skip, l->err);
  if (!st)
    st = jn_yaml_parse(equals + 1 + skip, strlen(equals + 1 + skip), source, &l->tree, &l->nodes,
                       &value, l->err);
  return st ? st : jn_node_set(root, path, value, &l->tree, l->err);
}

// Of "dir/name.yaml": "name".
static const char *stem(loader *l, const char *file)
{
  const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
  const char *dot = strrchr(name, '.');
  return jn_pool_text_n(&l->spec->pool, name, dot > name ? (size_t)(dot - name) : strlen(name));
}

// `text` NULL: from the file itself.
static jn_status load(const char *file, const char *text, size_t length, const char *const *set,
                      int nset, jn_spec **out, jn_error *err)
{
  *out = NULL;
  loader l = {.err = err, .spec = calloc(1, sizeof *l.spec)};
  if (!l.spec) return no_memory(&l);
  jn_node *root = NULL;
  const char *name = jn_pool_text(&l.spec->pool, file);
  jn_status st = name ? JN_OK : no_memory(&l);
  if (!st)
    st = text ? parse_tree(&l, text, length, name, &root) : load_tree(&l, name, nowhere, &root);
  for (int i = 0; i < nset && !st; i++) st = apply_set(&l, root, set[i]);
  if (!st) st = jn_spec_read(l.spec, root, err);
  if (!st && !l.spec->name && !(l.spec->name = stem(&l, file))) st = no_memory(&l);
  jn_pool_free(&l.tree);
  if (st)
    jn_spec_free(l.spec);
  else
    *out = l.spec;
  return st;
}

jn_status jn_spec_load(const char *file, const char *const *set, int nset, jn_spec **out,
                       jn_error *err)
{
  return load(file, NULL, 0, set, nset, out, err);
}

jn_status jn_spec_parse(const char *text, unsigned long length, const char *name,
                        const char *const *set, int nset, jn_spec **out, jn_error *err)
{
  return load(name, text, length, set, nset, out, err);
}
