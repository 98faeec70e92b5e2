// read.c: a tree of mappings and lists into a spec, as the schema says.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec/spec_reader.h"
#include "spec/spec_units.h"

size_t jn_reader_enter(jn_reader *r, const char *key)
{
  size_t was = strlen(r->path), left = sizeof r->path - was;
  char shown[80];
  jn_quote(key, strlen(key), shown, sizeof shown);
  snprintf(r->path + was, left, "%s%s", was ? "." : "", shown);
  return was;
}

// ---- any object -------------------------------------------------------------------------------

const jn_field *jn_field_of(const jn_object *object, const char *key)
{
  for (int i = 0; i < object->n; i++)
    if (!strcmp(object->field[i].key, key)) return &object->field[i];
  return NULL;
}

static jn_status unknown_key(jn_reader *r, const jn_node *node, const jn_object *object, bool typed)
{
  jn_nearest near = jn_nearest_to(node->key);
  for (int i = 0; i < object->n; i++) jn_nearest_try(&near, object->field[i].key);
  if (typed) jn_nearest_try(&near, "type");
  return jn_fail(r->err, JN_E_SCHEMA, jn_node_key_pos(node), r->path, "has no key \"%s\"%s",
                 jn_quoted(node->key, node->key_length, 64).text, jn_hint(&near).text);
}

jn_status jn_lacks(jn_reader *r, const jn_node *map, const char *key)
{
  return jn_fail(r->err, JN_E_SCHEMA, jn_node_key_pos(map), r->path, "lacks the key \"%s\"", key);
}

void jn_read_defaults(const jn_object *object, void *values)
{
  for (int i = 0; i < object->n; i++) {
    const jn_field *f = &object->field[i];
    void *place = (char *)values + f->offset;
    if (!f->need) continue;
    double number = strtod(f->need, NULL);  // none has a decimal point, which a locale may change
    if (f->type == JN_T_FLAG && !strcmp(f->need, "true")) *(bool *)place = true;
    if (f->type == JN_T_NUMBER && number != 0.0) *(double *)place = number;
    if (f->type == JN_T_INTEGER && number != 0.0) *(int *)place = (int)number;
    if (f->type == JN_T_NEVER && !strcmp(f->need, "never")) *(double *)place = INFINITY;
  }
}

jn_status jn_read_object(jn_reader *r, const jn_node *map, const jn_object *object, bool typed,
                         void *values)
{
  if (map->kind != JN_NODE_MAP) return jn_expected(r, map, "a mapping of keys and values");
  uint32_t *given = values;
  jn_read_defaults(object, values);
  for (const jn_node *n = map->first; n; n = n->next) {
    if (typed && !strcmp(n->key, "type")) continue;
    const jn_field *f = jn_field_of(object, n->key);
    if (!f) return unknown_key(r, n, object, typed);
    size_t was = jn_reader_enter(r, n->key);
    jn_status st = jn_read_value(r, n, f, (char *)values + f->offset);
    if (st) return st;
    r->path[was] = 0;
    *given |= 1u << (f - object->field);
  }
  for (int i = 0; i < object->n; i++)
    if (!object->field[i].need && !(*given >> i & 1u))
      return jn_lacks(r, map, object->field[i].key);
  return JN_OK;
}

jn_status jn_read_key(jn_reader *r, const jn_node *root, const jn_object *object, const char *key,
                      void *place)
{
  const jn_node *n = jn_node_find(root, key);
  if (!n) return JN_OK;
  const size_t was = jn_reader_enter(r, key);
  const jn_status st = jn_read_value(r, n, jn_field_of(object, key), place);
  if (!st) r->path[was] = 0;
  return st;
}

jn_status jn_read_type(jn_reader *r, const jn_node *map, const jn_word *words, int *out)
{
  if (map->kind != JN_NODE_MAP) return jn_expected(r, map, "a mapping of keys and values");
  const jn_node *type = jn_node_find(map, "type");
  if (!type) return jn_lacks(r, map, "type");
  size_t was = jn_reader_enter(r, "type");
  jn_status st = jn_read_word(r, type, words, out);
  if (!st) r->path[was] = 0;
  return st;
}

// ---- sections ---------------------------------------------------------------------------------

// Names are used in channels and on the command line: letters, digits, _ and -.
static jn_status check_name(jn_reader *r, const jn_node *node)
{
  bool good = node->key_length > 0 && node->key[0] != '-';
  for (size_t i = 0; i < node->key_length && good; i++) {
    char c = node->key[i];
    good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  }
  if (node->key_length > JN_NAME_MAX)
    return jn_fail(r->err, JN_E_LIMIT, jn_node_key_pos(node), r->path,
                   "the name \"%s\" has %zu characters, at most %d are allowed",
                   jn_quoted(node->key, node->key_length, 64).text, node->key_length, JN_NAME_MAX);
  if (!good)
    return jn_fail(r->err, JN_E_SCHEMA, jn_node_key_pos(node), r->path,
                   "\"%s\" is no name; use letters, digits, _ and -",
                   jn_quoted(node->key, node->key_length, 64).text);
  if (r->spec && !strcmp(node->key, "ground"))
    return jn_fail(r->err, JN_E_SCHEMA, jn_node_key_pos(node), r->path,
                   "\"ground\" is the body that does not move; use another name");
  return JN_OK;
}

static jn_status check_channel(jn_reader *r, const jn_node *node)
{
  char shown[64];
  jn_quote(node->key, node->key_length, shown, sizeof shown);
  if (node->key_length > JN_CHANNEL_MAX)
    return jn_fail(r->err, JN_E_LIMIT, jn_node_key_pos(node), r->path,
                   "the name \"%s\" has %zu characters, at most %d are allowed", shown,
                   node->key_length, JN_CHANNEL_MAX);
  if (!jn_is_channel(node->key, false))
    return jn_fail(r->err, JN_E_SCHEMA, jn_node_key_pos(node), r->path,
                   "\"%s\" is no name of a channel such as driver.steer", shown);
  return JN_OK;
}

static bool is_nothing(const jn_node *node)
{
  return node->kind == JN_NODE_SCALAR && !node->quoted &&
         (node->length == 0 || !strcmp(node->text, "~") || !strcmp(node->text, "null"));
}

jn_status jn_read_section(jn_reader *r, const jn_node *root, const jn_section *s)
{
  const jn_node *section = jn_node_find(root, s->key);
  if (!section || is_nothing(section)) return JN_OK;
  size_t top = jn_reader_enter(r, s->key);
  if (section->kind != JN_NODE_MAP)
    return jn_expected(r, section, "a mapping from names to elements");
  *s->array = jn_pool_alloc(r->pool, (size_t)section->count, s->size);
  if (!*s->array || (s->names && !jn_names_init(s->names, section->count)))
    return JN_READ_NO_MEMORY(r, section);
  int i = 0;
  for (const jn_node *n = section->first; n; n = n->next, i++) {
    jn_status st = s->channels ? check_channel(r, n) : check_name(r, n);
    if (st) return st;
    if (s->names) jn_names_add(s->names, n->key, n->key_length, i);
  }
  i = 0;
  for (const jn_node *n = section->first; n; n = n->next, i++) {
    size_t was = jn_reader_enter(r, n->key);
    *s->count = i + 1;
    jn_status st = s->read(r, n, i);
    if (st) return st;
    r->path[was] = 0;
  }
  r->path[top] = 0;
  return JN_OK;
}

const char *jn_keep_name(jn_reader *r, const jn_node *node)
{
  return jn_pool_text_n(r->pool, node->key, node->key_length);
}

jn_status jn_read_name(jn_reader *r, const jn_node *node, const char **name, jn_pos *pos)
{
  *name = jn_keep_name(r, node);
  *pos = jn_node_key_pos(node);
  return *name ? JN_OK : JN_READ_NO_MEMORY(r, node);
}

jn_status jn_read_named(jn_reader *r, const jn_node *node, const jn_word *words, const char **name,
                        jn_pos *pos, int *kind)
{
  const jn_status st = jn_read_name(r, node, name, pos);
  return st ? st : jn_read_type(r, node, words, kind);
}

static jn_status read_point_entry(jn_reader *r, const jn_node *node, int i)
{
  r->point_name[i] = node->key;  // the tree outlives the reading
  return jn_read_vector(r, node, JN_Q_LENGTH, r->point[i]);
}

static jn_status read_body_entry(jn_reader *r, const jn_node *node, int i)
{
  jn_body_spec *b = &r->spec->body[i];
  const jn_status st = jn_read_name(r, node, &b->name, &b->pos);
  if (st) return st;
  b->keys.orientation[0] = 1.0;
  return jn_read_object(r, node, &jn_body_object, false, &b->keys);
}

static bool kind_turns(jn_joint_kind kind)
{
  const int has = jn_joint_kinds[kind].has;
  return (has & JN_HAS_BOTH) == JN_HAS_ANGLE || has & JN_HAS_ANGLES;
}

// Points, axes, lead and motion that the kind of joint asks for.
static jn_status check_joint_keys(jn_reader *r, const jn_node *node, const jn_joint_spec *j)
{
  const jn_joint_kind_info *kind = &jn_joint_kinds[j->kind];
  const int points = j->keys.at.n, axes = j->keys.axis.n;
  static const char *const number[] = {"none", "one", "two"};
  const char *two_axes = kind->axes_least == 2 ? " (one on each body)" : "";
  if (points < kind->points_least || points > kind->points_most)
    return JN_READ_FAIL(r, JN_E_SCHEMA, node, "a %s joint needs %s, found %s", kind->word,
                        kind->points_least == 2  ? "`at` with two points, one on each body"
                        : kind->points_most == 0 ? "no `at`"
                        : kind->points_most == 1 ? "at most one point in `at`"
                                                 : "`at` with one point, or one for each body",
                        number[points]);
  if (axes < kind->axes_least || axes > kind->axes_most)
    return JN_READ_FAIL(r, JN_E_SCHEMA, node, "a %s joint needs %s%s, found %s", kind->word,
                        kind->axes_most == 0    ? "no `axis`"
                        : kind->axes_least == 2 ? "`axis` with two directions"
                        : kind->axes_most == 1  ? "`axis` with one direction"
                                                : "`axis`",
                        two_axes, number[axes]);
  bool has_lead = JN_GIVEN(&j->keys, jn_joint_keys, lead);
  if (has_lead != jn_joint_has(j->kind, JN_HAS_LEAD))
    return JN_READ_FAIL(r, JN_E_SCHEMA, node,
                        has_lead ? "a %s joint has no `lead`; only a screw has"
                                 : "a %s joint needs `lead`, its travel in one turn",
                        kind->word);
  if (jn_joint_driven(j) && !kind->drivable)
    return JN_READ_FAIL(r, JN_E_SCHEMA, node,
                        "a %s joint cannot be driven; revolute, translational and screw joints can",
                        kind->word);
  return JN_OK;
}

static jn_status read_joint_entry(jn_reader *r, const jn_node *node, int i)
{
#define X(kind, word, ncoord, nrow, weight, p0, p1, a0, a1, drivable, has, help) {word, help},
  static const jn_word kinds[] = {JN_JOINT_KINDS(X){0}};
#undef X
  jn_joint_spec *j = &r->spec->joint[i];
  int kind;
  jn_status st = jn_read_named(r, node, kinds, &j->name, &j->pos, &kind);
  if (st) return st;
  j->kind = (jn_joint_kind)kind;
  r->turning = kind_turns(j->kind);
  st = jn_read_object(r, node, &jn_joint_object, true, &j->keys);
  return st ? st : check_joint_keys(r, node, j);
}

#define X(kind, word, list, member, help) {word, help},
static const jn_word force_words[] = {JN_FORCE_KINDS(X){0}};
static const jn_word tyre_words[] = {JN_TYRE_KINDS(X){0}};
#undef X

// Either a stiffness or a curve of the load, which begins where the tyre touches.
static jn_status check_load(jn_reader *r, const jn_node *node)
{
  const jn_node *curve = jn_node_find(node, "load_curve");
  const bool straight = jn_node_find(node, "stiffness");
  if (straight == (curve != NULL))
    return JN_READ_FAIL(r, JN_E_SCHEMA, node,
                        "has %s, expected either a `stiffness` or a `load_curve`",
                        straight ? "both" : "neither");
  return JN_OK;
}

static jn_status check_load_curve(jn_reader *r, const jn_node *node, const jn_curve_spec *c)
{
  const jn_node *curve = jn_node_find(node, "load_curve"), *n = curve->first;
  const size_t was = jn_reader_enter(r, "load_curve");
  if (c->x[0] != 0.0 || c->y[0] != 0.0)
    return JN_READ_FAIL(r, JN_E_RANGE, n, "begins at [%s, %s], must begin at [0, 0]",
                        n->first->text, n->last->text);
  for (int i = 1; i < c->n; i++) {
    n = n->next;
    if (!(c->y[i] > c->y[i - 1]))
      return JN_READ_FAIL(r, JN_E_RANGE, n->last,
                          "load of point %d is %s, must be above the one before it", i + 1,
                          n->last->text);
  }
  r->path[was] = 0;
  return JN_OK;
}

static jn_status read_tyre_entry(jn_reader *r, const jn_node *node, int i)
{
  jn_tyre_spec *t = &r->spec->tyre[i];
  int kind;
  jn_status st = jn_read_named(r, node, tyre_words, &t->name, &t->pos, &kind);
  if (st) return st;
  t->kind = (jn_tyre_kind)kind;
  const jn_object *object = &jn_tyre_kind_at(kind)->object;
  st = jn_read_object(r, node, object, true, &t->as);
  if (t->kind == JN_TYRE_MF_SIMPLE && !JN_GIVEN(&t->as.mf_simple, jn_tyre_mf_simple_spec, frame))
    t->as.mf_simple.frame = JN_FRAME_BODY;
  if (t->kind == JN_TYRE_PLUGIN && !JN_GIVEN(&t->as.plugin, jn_tyre_plugin_spec, measured))
    t->as.plugin.measured = JN_SIDE_EITHER;
  if (!st && t->kind == JN_TYRE_MAGIC_FORMULA) st = jn_read_magic_formula(r, node, t);
  if (!st && t->kind == JN_TYRE_FIALA &&
      !JN_GIVEN(&t->as.fiala, jn_tyre_fiala_spec, friction_sliding))
    t->as.fiala.friction_sliding = t->as.fiala.friction;
  if (!st && jn_field_of(object, "stiffness") && jn_field_of(object, "load_curve")) {
    st = check_load(r, node);
    const jn_curve_spec *curve = &t->as.rolling.load_curve;
    if (!st && curve->n) st = check_load_curve(r, node, curve);
  }
  return st;
}

// Of a key that says how a channel is followed.
static jn_status without_channel(jn_reader *r, const jn_node *key, const char *what)
{
  return jn_fail(r->err, JN_E_SCHEMA, jn_node_key_pos(key), r->path,
                 "has a `%s`, but no `channel` that it could follow", what);
}

static jn_status read_force_entry(jn_reader *r, const jn_node *node, int i)
{
  jn_force_spec *f = &r->spec->force[i];
  int kind;
  jn_status st = jn_read_named(r, node, force_words, &f->name, &f->pos, &kind);
  if (st) return st;
  f->kind = (jn_force_kind)kind;
  const jn_node *joint = jn_node_find(node, "joint");  // whose coordinate the units depend on
  if (joint && joint->kind == JN_NODE_SCALAR) {
    int k = jn_names_find(&r->joints, joint->text, joint->length);
    r->turning = k >= 0 && kind_turns(r->spec->joint[k].kind);
  }
  st = jn_read_object(r, node, &jn_force_kind_at(kind)->object, true, &f->as);
  if (!st && jn_node_find(node, "lag") && !jn_node_find(node, "channel"))
    st = without_channel(r, jn_node_find(node, "lag"), "lag");
  if (st) return st;
  if (f->kind == JN_FORCE_WHEEL && !JN_GIVEN(&f->as.wheel, jn_wheel_keys, axis))
    f->as.wheel.axis[1] = 1.0;
  if (f->kind == JN_FORCE_TYRE && !JN_GIVEN(&f->as.tyre, jn_tyre_keys, axis))
    f->as.tyre.axis[1] = 1.0;
  if (f->kind == JN_FORCE_BUSHING && !JN_GIVEN(&f->as.bushing, jn_bushing_keys, axes) &&
      node->source->axes) {  // stiffnesses are along the axes of their file
    jn_bushing_keys *b = &f->as.bushing;
    b->axes = (jn_vectors){2, {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}}};
    jn_axes_turn_vector(node->source->axes, b->axes.v[0]);
    jn_axes_turn_vector(node->source->axes, b->axes.v[1]);
    b->given |= 1u << offsetof(jn_bushing_keys_bits, axes);
  }
  if (f->kind == JN_FORCE_TORQUE && !JN_GIVEN(&f->as.torque, jn_torque_keys, start))
    f->as.torque.start = -INFINITY;
  return JN_OK;
}

static jn_status read_component_entry(jn_reader *r, const jn_node *node, int i)
{
  return jn_read_component(r, node, &r->spec->component[i]);
}

// Initial values that the kind of joint has.
static jn_status check_initial_joint(jn_reader *r, const jn_node *node, jn_joint_kind kind,
                                     const jn_initial_joint_keys *k)
{
  const jn_object *o = &jn_initial_joint_object;
  const int has = jn_joint_kinds[kind].has, both = JN_HAS_BOTH;
  const bool allowed[] = {// in the order of the keys
                          has & JN_HAS_ANGLE,       has & JN_HAS_POSITION,    has & both,
                          (has & both) == both,     has & JN_HAS_ANGLES,      has & JN_HAS_ANGLES,
                          has & JN_HAS_ORIENTATION, has & JN_HAS_ORIENTATION, has & JN_HAS_OFFSET,
                          has & JN_HAS_OFFSET};
  char list[96] = "";
  for (int i = 0; i < o->n; i++)
    if (allowed[i]) strcat(strcat(list, list[0] ? ", " : "; it has "), o->field[i].key);
  for (int i = 0; i < o->n; i++)
    if (k->given >> i & 1u && !allowed[i])
      return JN_READ_FAIL(r, JN_E_SCHEMA, node, "a %s joint has no initial `%s`%s",
                          jn_joint_kinds[kind].word, o->field[i].key,
                          list[0] ? list : "; give the velocity and angular_velocity of its body");
  return JN_OK;
}

static jn_status read_initial_entry(jn_reader *r, const jn_node *node, int i)
{
  jn_initial_spec *s = &r->spec->initial[i];
  s->pos = jn_node_key_pos(node);
  s->joint = jn_names_find(&r->joints, node->key, node->key_length);
  s->body = jn_names_find(&r->bodies, node->key, node->key_length);
  s->wheel = jn_names_find(&r->forces, node->key, node->key_length);
  const bool tyre = s->wheel >= 0 && r->spec->force[s->wheel].kind == JN_FORCE_TYRE;
  if (s->wheel >= 0 && r->spec->force[s->wheel].kind != JN_FORCE_WHEEL) s->wheel = -1;
  if ((s->joint >= 0) + (s->body >= 0) + (s->wheel >= 0) > 1)
    return jn_fail(r->err, JN_E_SCHEMA, s->pos, r->path,
                   "is the name of a %s and of a %s; rename one of them",
                   s->body >= 0 ? "body" : "joint", s->wheel >= 0 ? "wheel" : "joint");
  if (s->joint >= 0) {
    jn_joint_kind kind = r->spec->joint[s->joint].kind;
    r->turning = kind_turns(kind);
    s->as.joint.orientation[0] = 1.0;
    jn_status st = jn_read_object(r, node, &jn_initial_joint_object, false, &s->as.joint);
    return st ? st : check_initial_joint(r, node, kind, &s->as.joint);
  }
  if (s->body >= 0) return jn_read_object(r, node, &jn_initial_body_object, false, &s->as.body);
  if (s->wheel >= 0) return jn_read_object(r, node, &jn_initial_wheel_object, false, &s->as.wheel);
  if (tyre)
    return jn_fail(r->err, JN_E_SCHEMA, s->pos, r->path,
                   "is a tyre on a body; give the speed of the joint that the body spins in");
  jn_nearest near = jn_nearest_to(node->key);
  for (int k = 0; k < r->spec->njoint; k++) jn_nearest_try(&near, r->spec->joint[k].name);
  for (int k = 0; k < r->spec->nbody; k++) jn_nearest_try(&near, r->spec->body[k].name);
  for (int k = 0; k < r->spec->nforce; k++)
    if (r->spec->force[k].kind == JN_FORCE_WHEEL) jn_nearest_try(&near, r->spec->force[k].name);
  return jn_fail(r->err, JN_E_SCHEMA, s->pos, r->path,
                 "is neither a joint nor a body nor a wheel%s", jn_hint(&near).text);
}

// ---- the model --------------------------------------------------------------------------------

jn_status jn_unknown_in_file(const jn_node *node, const jn_object *object, const char *what,
                             jn_error *err)
{
  jn_nearest near = jn_nearest_to(node->key);
  for (int i = 0; i < object->n; i++) jn_nearest_try(&near, object->field[i].key);
  return jn_fail(err, JN_E_SCHEMA, jn_node_key_pos(node), NULL, "%s has no key \"%s\"%s", what,
                 jn_quoted(node->key, node->key_length, 64).text, jn_hint(&near).text);
}

jn_status jn_read_version(jn_reader *r, const jn_node *root, const char *what)
{
  static const jn_field version_field = {.key = "jounce", .type = JN_T_INTEGER};
  const jn_node *version = jn_node_find(root, "jounce");
  int number;
  if (!version)
    return JN_READ_FAIL(r, JN_E_SCHEMA, root,
                        "lacks the key \"jounce\"; %s begins with `jounce: 1`", what);
  size_t was = jn_reader_enter(r, "jounce");
  jn_status st = jn_read_value(r, version, &version_field, &number);
  if (!st && number != 1)
    st = JN_READ_FAIL(r, JN_E_SCHEMA, version,
                      "the format's version is %d, this jounce knows version 1", number);
  if (!st) r->path[was] = 0;
  return st;
}

// The model's own keys: known ones only, and the format's version.
static jn_status read_head(jn_reader *r, const jn_node *root)
{
  jn_spec *spec = r->spec;
  for (const jn_node *n = root->first; n; n = n->next)
    if (!jn_field_of(&jn_model_object, n->key))
      return jn_unknown_in_file(n, &jn_model_object, "a model", r->err);
  spec->gravity[2] = -9.81;
  jn_status st = jn_read_version(r, root, "a model");
  if (!st) st = jn_read_key(r, root, &jn_model_object, "name", &spec->name);
  if (!st) st = jn_read_key(r, root, &jn_model_object, "description", &spec->description);
  return st ? st : jn_read_key(r, root, &jn_model_object, "gravity", spec->gravity);
}

static jn_status read_model(jn_reader *r, const jn_node *root)
{
  jn_spec *s = r->spec;
  if (root->kind != JN_NODE_MAP)
    return jn_expected(r, root, "a model: a mapping of keys and values");
  jn_status st = read_head(r, root);
  if (st) return st;

  const jn_node *points = jn_node_find(root, "points");
  int npoint = points ? points->count : 0;
  void *coordinates = NULL;
  r->point_name = jn_pool_alloc(r->pool, (size_t)npoint, sizeof *r->point_name);
  r->point = jn_pool_alloc(r->pool, (size_t)npoint, sizeof *r->point);
  if (!r->point_name || !r->point) return JN_READ_NO_MEMORY(r, root);
  st = jn_read_section(
      r, root,
      &(jn_section){"points", 1, &coordinates, &npoint, &r->points, read_point_entry, false});
  if (st) return st;

  const jn_node *bodies = jn_node_find(root, "bodies");
  if (!bodies || is_nothing(bodies) || (bodies->kind == JN_NODE_MAP && bodies->count == 0))
    return JN_READ_FAIL(r, JN_E_SCHEMA, bodies ? bodies : root,
                        "found no bodies, expected at least one in `bodies`");
  const jn_section section[] = {
      {"bodies", sizeof *s->body, (void **)&s->body, &s->nbody, &r->bodies, read_body_entry, false},
      {"joints", sizeof *s->joint, (void **)&s->joint, &s->njoint, &r->joints, read_joint_entry,
       false},
      {"tyres", sizeof *s->tyre, (void **)&s->tyre, &s->ntyre, &r->tyres, read_tyre_entry, false},
      {"forces", sizeof *s->force, (void **)&s->force, &s->nforce, &r->forces, read_force_entry,
       false},
      {"components", sizeof *s->component, (void **)&s->component, &s->ncomponent, NULL,
       read_component_entry, false},
      {"initial", sizeof *s->initial, (void **)&s->initial, &s->ninitial, NULL, read_initial_entry,
       false},
  };
  for (size_t i = 0; i < sizeof section / sizeof *section; i++) {
    st = jn_read_section(r, root, &section[i]);
    if (st) return st;
  }

  const jn_node *topology = jn_node_find(root, "topology");
  s->topology.base = JN_GROUND;
  if (topology) {
    size_t was = jn_reader_enter(r, "topology");
    st = jn_read_object(r, topology, &jn_topology_object, false, &s->topology);
    if (st) return st;
    r->path[was] = 0;
  }
  return JN_OK;
}

jn_status jn_spec_read(jn_spec *spec, const jn_node *root, jn_error *err)
{
  jn_reader r = {.pool = &spec->pool, .spec = spec, .files = &spec->files, .err = err};
  spec->pos = jn_node_pos(root);
  jn_status st = read_model(&r, root);
  jn_names_free(&r.points);
  jn_names_free(&r.bodies);
  jn_names_free(&r.joints);
  jn_names_free(&r.tyres);
  jn_names_free(&r.forces);
  return st ? st : jn_spec_check(spec, err);
}
