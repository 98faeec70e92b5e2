// load_spec.c: a model file with its includes and overrides, or a scenario file, from disk or memory.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spec/scenario_internal.h"
#include "spec/spec_reader.h"
#include "spec/spec_units.h"
#include "yaml/yaml.h"
#include "yaml/yaml_filter.h"

typedef struct loader {
  jn_pool *pool;  // of the spec or the scenario
  const jn_file_list **files;
  jn_pool tree;   // freed when that is read
  bool scenario;  // a scenario is read: one file
  jn_spent spent;
  struct {
    dev_t device;
    ino_t inode;
  } open[JN_FILE_MOST_FILES];  // files being read, each included by the one before it
  int nopen;
  jn_error *err;
} loader;

static jn_status load_tree(loader *l, const char *file, jn_pos from, jn_node **root);

static jn_status no_memory(loader *l)
{
  return jn_no_memory(l->err, JN_NOWHERE);
}

// "dir/of/base" + "name": what an include means, relative to the file that includes.
static char *beside(loader *l, const char *base, const char *name)
{
  const char *slash = strrchr(base, '/');
  if (name[0] == '/' || !slash) return jn_pool_text(l->pool, name);
  size_t dir = (size_t)(slash - base) + 1, length = strlen(name);
  char *path = jn_pool_alloc(l->pool, dir + length + 1, 1);
  if (path) memcpy(path, base, dir), memcpy(path + dir, name, length);
  return path;
}

static jn_status include(loader *l, const jn_node *name, jn_node *under)
{
  if (name->kind != JN_NODE_SCALAR || name->length == 0 || name->length > 1024)
    return jn_fail(l->err, JN_E_SCHEMA, jn_node_pos(name), "include",
                   "found %s, expected the name of a file", jn_shown(name).text);
  const char *file = beside(l, name->source->file, name->text);
  jn_node *root;
  if (!file) return no_memory(l);
  jn_status st = load_tree(l, file, jn_node_pos(name), &root);
  const jn_node *version = st ? NULL : jn_node_find(root, "jounce");
  if (version && (version->kind != JN_NODE_SCALAR || strcmp(version->text, "1")))
    st = jn_fail(l->err, JN_E_SCHEMA, jn_node_pos(version), "jounce",
                 "found %s, expected the version of the format: 1", jn_shown(version).text);
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
  *under = (jn_node){
      .kind = JN_NODE_MAP, .source = (*root)->source, .line = (*root)->line, .col = (*root)->col};
  jn_status st = JN_OK;
  if (names->kind == JN_NODE_LIST)
    for (const jn_node *n = names->first; n && !st; n = n->next) st = include(l, n, under);
  else
    st = include(l, names, under);
  if (!st) st = jn_node_merge(under, *root, l->err);
  *root = under;
  return st;
}

// A scenario where a model is wanted, or the other way round, is reported before anything else about
// it.
static jn_status check_what(loader *l, const jn_node *root)
{
  if (l->scenario) return jn_scenario_head(root, l->err);
  const jn_node *name = jn_node_find(root, "scenario");
  if (!name) return JN_OK;
  return jn_fail(l->err, JN_E_SCHEMA, jn_node_key_pos(name), NULL,
                 "is a scenario, expected a model");
}

static jn_status parse_tree(loader *l, const char *text, size_t length, const char *file,
                            jn_node **root)
{
  size_t skip;
  jn_status st = jn_filter(text, length, file, &l->spent, &skip, l->err);
  if (st) return st;
  jn_source *source = jn_pool_alloc(l->pool, 1, sizeof *source);
  if (!source) return no_memory(l);
  *source = jn_source_si(file);
  st = jn_yaml_parse(text + skip, length - skip, source, &l->tree, &l->spent, root, l->err);
  if (!st && !*root)
    st = jn_fail(l->err, JN_E_PARSE, (jn_pos){file, 1, 1}, NULL,
                 "is empty; a %s begins with `jounce: 1`", l->spent.what);
  if (!st) st = check_what(l, *root);
  if (st || (*root)->kind != JN_NODE_MAP) return st;
  st = jn_source_read(source, *root, l->err);
  return st ? st : merge_includes(l, root);
}

static jn_status read_stream(loader *l, int in, jn_pos pos, const char *about, char **text,
                             size_t *length)
{
  size_t room = 1 << 16, left = JN_FILE_MOST_BYTES - l->spent.bytes;
  *text = malloc(room);
  *length = 0;
  while (*text) {
    ssize_t n = read(in, *text + *length, room - *length);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0)
      return jn_fail(l->err, JN_E_FILE, pos, NULL, "%scannot be read: %s", about, strerror(errno));
    *length += (size_t)n;
    if (n == 0 || *length > left) return JN_OK;
    if (*length < room) continue;
    char *more = realloc(*text, room *= 2);
    if (!more) break;
    *text = more;
  }
  return no_memory(l);
}

// Is it a plain file, and not one of those being read?
static jn_status check_kind(loader *l, const struct stat *info, jn_pos pos, const char *about)
{
  if (!S_ISREG(info->st_mode))
    return jn_fail(l->err, JN_E_FILE, pos, NULL, "%sis %s, expected a file", about,
                   S_ISDIR(info->st_mode) ? "a directory" : "a device, a pipe or a socket");
  for (int i = 0; i < l->nopen; i++)
    if (l->open[i].device == info->st_dev && l->open[i].inode == info->st_ino)
      return jn_fail(l->err, JN_E_FILE, pos, NULL,
                     l->nopen - i == 1 ? "%sincludes itself"
                                       : "%sis being read already: %d files include each other",
                     about, l->nopen - i);
  return JN_OK;
}

static jn_status read_file(loader *l, const char *file, jn_pos from, char **text, size_t *length)
{
  const jn_pos pos = from.file ? from : (jn_pos){file, 0, 0};
  char about[200] = "";
  struct stat info;
  *text = NULL;
  if (from.file) snprintf(about, sizeof about, "\"%s\" ", jn_quoted(file, strlen(file), 160).text);
  if (l->spent.files++ == JN_FILE_MOST_FILES)
    return jn_fail(l->err, JN_E_LIMIT, pos, NULL, "%sis one too many: a model has at most %d files",
                   about, JN_FILE_MOST_FILES);
  // Looked at before it is opened, because opening a device may do something, and after, because it
  // may have been another one; a pipe that nobody writes to must not keep us waiting.
  jn_status st = JN_OK;
  int in = -1;
  if (!stat(file, &info)) {
    st = check_kind(l, &info, pos, about);
    if (st) return st;
    in = open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  }
  if (in < 0 || fstat(in, &info)) {
    st = jn_fail(l->err, JN_E_FILE, pos, NULL, "%scannot be opened: %s", about, strerror(errno));
  } else {
    st = check_kind(l, &info, pos, about);
    if (!st) st = read_stream(l, in, pos, about, text, length);
  }
  if (in >= 0) close(in);
  if (st) return st;
  l->spent.bytes += *length;
  if (l->spent.bytes > JN_FILE_MOST_BYTES)
    return jn_fail(l->err, JN_E_LIMIT, pos, NULL, "%sis too large: a %s has at most %d bytes%s",
                   about, l->spent.what, JN_FILE_MOST_BYTES,
                   from.file ? ", all its files together" : "");
  l->open[l->nopen].device = info.st_dev;
  l->open[l->nopen].inode = info.st_ino;
  return JN_OK;
}

static jn_status load_tree(loader *l, const char *file, jn_pos from, jn_node **root)
{
  char *text;
  size_t length = 0;
  jn_status st = read_file(l, file, from, &text, &length);
  if (!st && !jn_file_list_add(l->pool, l->files, file)) st = no_memory(l);
  if (!st) {
    l->nopen++;
    st = parse_tree(l, text, length, file, root);
    l->nopen--;
  }
  free(text);
  if (!st && (*root)->kind != JN_NODE_MAP && from.file)
    st = jn_fail(l->err, JN_E_SCHEMA, jn_node_pos(*root), NULL,
                 "found %s, expected a mapping: an included file is a part of a model",
                 jn_shown(*root).text);
  return st;
}

// These say how a file is read, which has happened when an override comes.
static bool is_of_the_file(const char *path)
{
  static const char *const keys[] = {"include", "units", "axes"};
  size_t length = strcspn(path, ".");
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (strlen(keys[i]) == length && !memcmp(path, keys[i], length)) return true;
  return false;
}

// "path=value" with the value in YAML's short form, in the units and axes of what it replaces.
static jn_status apply_set(loader *l, jn_node *root, const char *set)
{
  const char *equals = strchr(set, '=');
  if (!equals || equals == set)
    return jn_fail(l->err, JN_E_CALL, (jn_pos){"--set", 0, 0}, NULL,
                   "found \"%s\", expected path=value such as bodies.chassis.mass=1500",
                   jn_quoted(set, strlen(set), 160).text);
  size_t path_length = (size_t)(equals - set), skip;
  char *path = jn_pool_text_n(l->pool, set, path_length);
  char *name = jn_pool_alloc(l->pool, path_length + 7, 1);
  jn_source *source = jn_pool_alloc(l->pool, 1, sizeof *source);
  if (!path || !name || !source) return no_memory(l);
  sprintf(name, "--set %s", path);
  *source = *jn_node_source_at(root, path);
  source->file = name;
  if (is_of_the_file(path))
    return jn_fail(l->err, JN_E_CALL, (jn_pos){name, 0, 0}, NULL,
                   "include, units and axes belong to a file and cannot be overridden");
  jn_node *value;
  jn_status st = jn_filter(equals + 1, strlen(equals + 1), name, &l->spent, &skip, l->err);
  if (!st)
    st = jn_yaml_parse(equals + 1 + skip, strlen(equals + 1 + skip), source, &l->tree, &l->spent,
                       &value, l->err);
  if (!st && !value)
    st = jn_fail(l->err, JN_E_CALL, (jn_pos){name, 1, 1}, NULL, "is empty, expected a value");
  return st ? st : jn_node_set(root, path, value, &l->tree, l->err);
}

// Of "dir/name.yaml": "name".
static const char *stem(loader *l, const char *file)
{
  const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
  const char *dot = strrchr(name, '.');
  return jn_pool_text_n(l->pool, name, dot > name ? (size_t)(dot - name) : strlen(name));
}

// The tree of a file, or of `text` unless that is NULL. The name of the file is kept.
static jn_status load_root(loader *l, const char *file, const char *text, size_t length,
                           jn_node **root)
{
  const char *name = jn_pool_text(l->pool, file);
  if (!name) return no_memory(l);
  if (!text) return load_tree(l, name, JN_NOWHERE, root);
  l->spent.bytes = length;
  if (length > JN_FILE_MOST_BYTES)
    return jn_fail(l->err, JN_E_LIMIT, (jn_pos){name, 0, 0}, NULL,
                   "is too large: a %s has at most %d bytes", l->spent.what, JN_FILE_MOST_BYTES);
  return parse_tree(l, text, length, name, root);
}

static jn_status load_spec(const char *file, const char *text, size_t length,
                           const char *const *set, int nset, jn_spec **out, jn_error *err)
{
  *out = NULL;
  loader l = {.err = err, .spent.what = "model"};
  jn_spec *spec = calloc(1, sizeof *spec);
  if (!spec) return no_memory(&l);
  l.pool = &spec->pool, l.files = &spec->files;
  jn_node *root = NULL;
  jn_status st = load_root(&l, file, text, length, &root);
  for (int i = 0; i < nset && !st; i++) st = apply_set(&l, root, set[i]);
  if (!st) st = jn_spec_read(spec, root, err);
  if (!st && !spec->name && !(spec->name = stem(&l, file))) st = no_memory(&l);
  jn_pool_free(&l.tree);
  if (st)
    jn_spec_free(spec);
  else
    *out = spec;
  return st;
}

static jn_status load_scenario(const char *file, const char *text, size_t length, jn_scenario **out,
                               jn_error *err)
{
  *out = NULL;
  loader l = {.err = err, .scenario = true, .spent.what = "scenario"};
  jn_scenario *scenario = calloc(1, sizeof *scenario);
  if (!scenario) return no_memory(&l);
  l.pool = &scenario->pool, l.files = &scenario->files;
  jn_node *root = NULL;
  jn_status st = load_root(&l, file, text, length, &root);
  if (!st) st = jn_scenario_read(scenario, root, err);
  jn_pool_free(&l.tree);
  if (st)
    jn_scenario_free(scenario);
  else
    *out = scenario;
  return st;
}

jn_status jn_spec_load(const char *file, const char *const *set, int nset, jn_spec **out,
                       jn_error *err)
{
  if (out) *out = NULL;
  JN_NEEDS(err, file && out && jn_has_texts(set, nset),
           "the name of a file, as many overrides as are announced, and a place for the spec");
  return load_spec(file, NULL, 0, set, nset, out, err);
}

jn_status jn_spec_parse(const char *text, unsigned long length, const char *name,
                        const char *const *set, int nset, jn_spec **out, jn_error *err)
{
  if (out) *out = NULL;
  JN_NEEDS(err, text && name && out && jn_has_texts(set, nset),
           "a text, its name, as many overrides as are announced, and a place for the spec");
  return load_spec(name, text, length, set, nset, out, err);
}

jn_status jn_scenario_load(const char *file, jn_scenario **out, jn_error *err)
{
  if (out) *out = NULL;
  JN_NEEDS(err, file && out, "the name of a file, and a place for the scenario");
  return load_scenario(file, NULL, 0, out, err);
}

jn_status jn_scenario_parse(const char *text, unsigned long length, const char *name,
                            jn_scenario **out, jn_error *err)
{
  if (out) *out = NULL;
  JN_NEEDS(err, text && name && out, "a text, its name, and a place for the scenario");
  return load_scenario(name, text, length, out, err);
}

int jn_spec_reads(const jn_spec *spec, const char *file)
{
  struct stat one, other;
  if (stat(file, &one)) return 0;
  for (const jn_file_list *f = spec->files; f; f = f->next)
    if (!stat(f->name, &other) && one.st_dev == other.st_dev && one.st_ino == other.st_ino)
      return 1;
  return 0;
}
