// mechanism.h: models that tests write themselves, and what they are read and compiled to.
#ifndef JN_TEST_MECHANISM_H
#define JN_TEST_MECHANISM_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "plan/topology/topology.h"

// ---- reading and compiling, which must succeed --------------------------------------------------

static inline void jt_ok(jn_status st, const jn_error *err, const char *text)
{
  char line[1024];
  if (st == JN_OK) return;
  print_error("%s\n%s\n", jn_error_line(err, line, sizeof line), text ? text : "");
  fail();
}

static inline jn_spec *jt_parse(const char *text)
{
  jn_error err = {0};
  jn_spec *spec = NULL;
  jt_ok(jn_spec_parse(text, strlen(text), "test.yaml", NULL, 0, &spec, &err), &err, text);
  return spec;
}

static inline jn_spec *jt_load(const char *file)
{
  jn_error err = {0};
  jn_spec *spec = NULL;
  jt_ok(jn_spec_load(file, NULL, 0, &spec, &err), &err, NULL);
  return spec;
}

static inline jn_model *jt_compile(const jn_spec *spec, const jn_compile_opts *opts)
{
  jn_error err = {0};
  jn_model *m = NULL;
  jn_status st = jn_model_compile(spec, opts, &m, &err);
  if (st) {
    char *text = NULL;
    jn_spec_print(spec, &text, NULL, NULL);
    jt_ok(st, &err, text);
  }
  return m;
}

// The stages that look at the graph alone: without geometry nothing needs to be able to move.
static inline jn_status jt_span(const jn_spec *spec, const jn_compile_opts *opts, jn_model **out,
                                jn_error *err)
{
  jn_model *m = *out = calloc(1, sizeof *m);
  assert_non_null(m);
  m->spec = spec;
  jn_status st = jn_graph_build(m, err);
  if (!st) st = jn_spanning_find(m, opts, err);
  if (!st) st = jn_loops_find(m, err);
  if (!st) st = jn_subsystems_find(m, err);
  return st;
}

static inline jn_model *jt_spanned(const jn_spec *spec, const jn_compile_opts *opts)
{
  jn_error err = {0};
  jn_model *m = NULL;
  jt_ok(jt_span(spec, opts, &m, &err), &err, NULL);
  return m;
}

// What the spec says as a file, and the plan as JSON; the caller returns both with free().
static inline char *jt_print(const jn_spec *spec)
{
  jn_error err = {0};
  char *text = NULL;
  unsigned long length = 0;
  jt_ok(jn_spec_print(spec, &text, &length, &err), &err, NULL);
  assert_int_equal(strlen(text), length);
  return text;
}

static inline char *jt_json(const jn_model *m)
{
  jn_error err = {0};
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  assert_non_null(out);
  jt_ok(jn_model_show_json(m, NULL, out, &err), &err, NULL);
  fclose(out);
  return text;
}

// ---- mechanisms as plain data -------------------------------------------------------------------

enum { JT_BODIES = 24, JT_JOINTS = 40, JT_FORCES = 24, JT_WORD = 12 };

typedef struct jt_joint {
  char name[JT_WORD];
  jn_joint_kind kind;
  bool driven;
  int body[2];  // JN_GROUND: the ground
  double at[2][3], axis[2][3];
} jt_joint;

typedef struct jt_bushing {
  char name[JT_WORD];
  int body[2];
} jt_bushing;

typedef struct jt_mechanism {
  int nbody, njoint, nforce;
  char body[JT_BODIES][JT_WORD];
  double mass[JT_BODIES];
  jt_joint joint[JT_JOINTS];
  jt_bushing force[JT_FORCES];
} jt_mechanism;

static inline const char *jt_body_name(const jt_mechanism *k, int body)
{
  return body == JN_GROUND ? "ground" : k->body[body];
}

// Random letters in front of a number that makes it unique: the order of names is not that of the
// numbers.
static inline void jt_name(jt_random *r, int number, char out[JT_WORD])
{
  snprintf(out, JT_WORD, "%c%c%d", 'a' + jt_random_below(r, 26), 'a' + jt_random_below(r, 26),
           number);
}

static inline void jt_random_vector(jt_random *r, double v[3])
{
  for (int i = 0; i < 3; i++) v[i] = jt_random_in(r, -1, 1);
}

static inline jt_joint *jt_add_joint(jt_mechanism *k, jt_random *r, jn_joint_kind kind, int a,
                                     int b)
{
  assert_true(k->njoint < JT_JOINTS);
  jt_joint *j = &k->joint[k->njoint];
  *j = (jt_joint){.kind = kind, .body = {a, b}};
  jt_name(r, k->njoint++, j->name);
  for (int i = 0; i < 2; i++) {
    jt_random_vector(r, j->at[i]);
    jt_random_vector(r, j->axis[i]);
  }
  return j;
}

static inline int jt_add_body(jt_mechanism *k, jt_random *r)
{
  assert_true(k->nbody < JT_BODIES);
  jt_name(r, k->nbody, k->body[k->nbody]);
  k->mass[k->nbody] = 1 + jt_random_below(r, 3);  // equal ones happen
  return k->nbody++;
}

static inline void jt_add_force(jt_mechanism *k, jt_random *r, int a, int b)
{
  assert_true(k->nforce < JT_FORCES);
  jt_bushing *f = &k->force[k->nforce];
  *f = (jt_bushing){.body = {a, b}};
  jt_name(r, k->nforce++, f->name);
}

static inline jn_joint_kind jt_random_kind(jt_random *r)
{
  return (jn_joint_kind)jt_random_below(r, JN_NJOINT_KIND);
}

// Joints between any bodies, several between the same two, some of them driven; the ground takes
// part with the given chance. Few kinds make many trees of one weight.
static inline void jt_random_mechanism(jt_mechanism *k, jt_random *r, int nbody, int njoint,
                                       double ground, int kinds)
{
  jn_joint_kind kind[JN_NJOINT_KIND];
  *k = (jt_mechanism){0};
  for (int i = 0; i < nbody; i++) jt_add_body(k, r);
  for (int i = 0; i < kinds; i++) kind[i] = jt_random_kind(r);
  for (int i = 0; i < njoint; i++) {
    int a = jt_random_below(r, nbody), b = jt_random_below(r, nbody);
    if (a == b || jt_random_in(r, 0, 1) < ground) *(jt_random_below(r, 2) ? &a : &b) = JN_GROUND;
    jt_joint *j = jt_add_joint(k, r, kind[jt_random_below(r, kinds)], a, b);
    j->driven = jn_joint_kinds[j->kind].drivable && jt_random_below(r, 8) == 0;
  }
}

static inline void jt_write_vector(FILE *out, const double v[3])
{
  fprintf(out, "[%.17g, %.17g, %.17g]", v[0], v[1], v[2]);
}

static inline void jt_write_vectors(FILE *out, const char *key, int n, double v[2][3])
{
  if (n == 0) return;
  fprintf(out, ", %s: ", key);
  if (n == 2) fprintf(out, "[");
  jt_write_vector(out, v[0]);
  if (n == 2) fprintf(out, ", "), jt_write_vector(out, v[1]), fprintf(out, "]");
}

static inline void jt_write_joint(FILE *out, const jt_mechanism *k, jt_joint *j)
{
  const jn_joint_kind_info *kind = &jn_joint_kinds[j->kind];
  fprintf(out, "  %s: {type: %s, bodies: [%s, %s]", j->name, kind->word,
          jt_body_name(k, j->body[0]), jt_body_name(k, j->body[1]));
  jt_write_vectors(out, "at", kind->points_least, j->at);
  jt_write_vectors(out, "axis", kind->axes_least, j->axis);
  if (j->kind == JN_JOINT_SCREW) fprintf(out, ", lead: 0.3");
  if (j->driven) fprintf(out, ", motion: {channel: some.channel}");
  fprintf(out, "}\n");
}

// The text of a file, in the order of the arrays. A body that nothing touches gets a force.
static inline char *jt_mechanism_text(jt_mechanism *k)
{
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  assert_non_null(out);
  bool touched[JT_BODIES + 1] = {false}, lone = false;  // at body + 1
  fprintf(out, "jounce: 1\nbodies:\n");
  for (int i = 0; i < k->nbody; i++)
    fprintf(out, "  %s: {mass: %g, cg: [%d, 0, 0], inertia: [1, 1, 1]}\n", k->body[i], k->mass[i],
            i);
  if (k->njoint) fprintf(out, "joints:\n");
  for (int i = 0; i < k->njoint; i++) {
    jt_write_joint(out, k, &k->joint[i]);
    touched[k->joint[i].body[0] + 1] = touched[k->joint[i].body[1] + 1] = true;
  }
  for (int i = 0; i < k->nforce; i++)
    touched[k->force[i].body[0] + 1] = touched[k->force[i].body[1] + 1] = true;
  for (int i = 0; i < k->nbody; i++) lone |= !touched[i + 1];
  if (k->nforce || lone) fprintf(out, "forces:\n");
  for (int i = 0; i < k->nforce; i++)
    fprintf(out, "  %s: {type: bushing, bodies: [%s, %s], at: [0, 0, 0]}\n", k->force[i].name,
            jt_body_name(k, k->force[i].body[0]), jt_body_name(k, k->force[i].body[1]));
  for (int i = 0; i < k->nbody; i++)
    if (!touched[i + 1])
      fprintf(out, "  load%d: {type: force, body: %s, force: [0, 0, 1]}\n", i, k->body[i]);
  fclose(out);
  return text;
}

static inline jn_spec *jt_mechanism_spec(jt_mechanism *k)
{
  char *text = jt_mechanism_text(k);
  jn_spec *spec = jt_parse(text);
  free(text);
  return spec;
}

// The same for a mechanism that is to be compiled whole: its motions are dropped if they contradict
// each other.
static inline jn_spec *jt_moving_spec(jt_mechanism *k)
{
  jn_spec *spec = jt_mechanism_spec(k);
  jn_error err = {0};
  jn_model *m = NULL;
  bool refused = jn_model_compile(spec, NULL, &m, &err) && strstr(err.text, "motion");
  jn_model_free(m);
  if (!refused) return spec;
  jn_spec_free(spec);
  for (int i = 0; i < k->njoint; i++) k->joint[i].driven = false;
  return jt_mechanism_spec(k);
}

static inline int jt_edge_by_name(const jn_model *m, const char *name)
{
  for (int e = 0; e < m->nfile_edge; e++)
    if (!strcmp(m->edge[e].name, name)) return e;
  fail_msg("the model has no joint %s", name);
  return -1;
}

#endif
