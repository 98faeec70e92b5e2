// A plan depends on the mechanism alone: not on the order of the file, not on what bodies are
// called.
#include <dirent.h>

#include "mechanism.h"
#include "reorder.h"

static void check_any_order(jt_random *r, const jn_spec *spec, int rounds)
{
  jn_model *m = jt_compile(spec, NULL);
  char *text = jt_print(spec), *json = jt_json(m);
  for (int i = 0; i < rounds; i++) {
    char *other_text = jt_reordered(r, text);
    jn_spec *other = jt_parse(other_text);
    jn_model *n = jt_compile(other, NULL);
    char *other_json = jt_json(n);
    assert_string_equal(json, other_json);
    free(other_json);
    jn_model_free(n);
    jn_spec_free(other);
    free(other_text);
  }
  free(json);
  free(text);
  jn_model_free(m);
}

// ---- bodies with other names --------------------------------------------------------------------

// The same spec, read again with other names of bodies; to_new[i] is the number of body i there.
static jn_spec *renamed(jt_random *r, const char *text, int *to_new)
{
  jn_spec *spec = jt_parse(text);
  char(*name)[32] = calloc((size_t)spec->nbody, sizeof *name);
  for (int i = 0; i < spec->nbody; i++) {
    snprintf(name[i], sizeof name[i], "%c%c_body_%d", 'a' + jt_random_below(r, 26),
             'a' + jt_random_below(r, 26), i);
    spec->body[i].name = name[i];
  }
  char *changed = jt_print(spec), *shuffled = jt_reordered(r, changed);
  jn_spec *out = jt_parse(shuffled);
  for (int i = 0; i < spec->nbody; i++) {
    to_new[i] = 0;
    while (strcmp(out->body[to_new[i]].name, name[i])) to_new[i]++;
  }
  free(shuffled);
  free(changed);
  jn_spec_free(spec);
  free(name);
  return out;
}

// Do two numberings of the nodes divide them alike?
static void check_same_partition(const jn_model *m, const jn_model *n, const int *node)
{
  for (int v = 0; v < m->nnode; v++)
    for (int w = 0; w < m->nnode; w++)
      assert_int_equal(m->part[v] == m->part[w], n->part[node[v]] == n->part[node[w]]);
}

static void check_same_plan(const jn_model *m, const jn_model *n, const int *to_new)
{
  int *node = calloc((size_t)m->nnode, sizeof *node);
  for (int v = 1; v < m->nnode; v++) node[v] = to_new[v - 1] + 1;
  assert_int_equal(m->nedge, n->nedge);
  assert_int_equal(m->weight10, n->weight10);
  assert_int_equal(m->longest_chain, n->longest_chain);
  assert_int_equal(n->base, node[m->base]);
  for (int e = 0; e < m->nfile_edge; e++) {
    assert_string_equal(m->edge[e].name, n->edge[e].name);
    assert_int_equal(m->in_tree[e], n->in_tree[e]);
  }
  for (int v = 1; v < m->nnode; v++) {
    assert_int_equal(n->parent[node[v]], node[m->parent[v]]);
    assert_int_equal(n->core[node[v]], m->core[v]);
  }
  assert_int_equal(m->nloop, n->nloop);
  assert_int_equal(m->nset, n->nset);
  for (int i = 0; i < m->nloop; i++) {
    assert_int_equal(m->loop[i].cut, n->loop[i].cut);
    assert_int_equal(m->loop[i].length, n->loop[i].length);
    assert_int_equal(m->loop[i].set, n->loop[i].set);
  }
  for (int i = 0; i < m->nset; i++) {
    assert_int_equal(m->set[i].rank, n->set[i].rank);
    assert_int_equal(m->set[i].design_rank, n->set[i].design_rank);
  }
  assert_int_equal(m->nsubsystem, n->nsubsystem);
  assert_int_equal(m->nshape, n->nshape);
  check_same_partition(m, n, node);
  for (int v = 1; v < m->nnode; v++)
    for (int w = 1; w < m->nnode; w++)
      if (m->part[v] >= 0 && m->part[w] >= 0)
        assert_int_equal(
            m->subsystem[m->part[v]].shape == m->subsystem[m->part[w]].shape,
            n->subsystem[n->part[node[v]]].shape == n->subsystem[n->part[node[w]]].shape);
  assert_int_equal(m->ncoord, n->ncoord);
  assert_int_equal(m->nrow, n->nrow);
  assert_int_equal(m->dof, n->dof);
  assert_int_equal(m->redundant, n->redundant);
  assert_int_equal(m->singular, n->singular);
  assert_true(m->cost.subsystem == n->cost.subsystem && m->cost.recursive == n->cost.recursive);
  free(node);
}

static void check_any_names(jt_random *r, const jn_spec *spec, int rounds)
{
  jn_model *m = jt_compile(spec, NULL);
  char *text = jt_print(spec);
  int *to_new = calloc((size_t)spec->nbody, sizeof *to_new);
  for (int i = 0; i < rounds; i++) {
    jn_spec *other = renamed(r, text, to_new);
    jn_model *n = jt_compile(other, NULL);
    check_same_plan(m, n, to_new);
    jn_model_free(n);
    jn_spec_free(other);
  }
  free(to_new);
  free(text);
  jn_model_free(m);
}

// ---- on what ------------------------------------------------------------------------------------

typedef void (*check)(jt_random *r, const jn_spec *spec, int rounds);

static void on_every_model(check law, uint64_t seed, int rounds)
{
  static const char *const folders[] = {"models", "test/models"};
  jt_random r = {seed};
  int files = 0;
  for (int i = 0; i < 2; i++) {
    DIR *dir = opendir(folders[i]);
    assert_non_null(dir);
    for (struct dirent *d; (d = readdir(dir));) {
      char file[512];
      if (!strstr(d->d_name, ".yaml")) continue;
      snprintf(file, sizeof file, "%s/%s", folders[i], d->d_name);
      jn_spec *spec = jt_load(file);
      law(&r, spec, rounds);
      jn_spec_free(spec);
      files++;
    }
    closedir(dir);
  }
  assert_true(files >= 22);
}

// Bodies, some of them without a joint, and a pendulum so that something moves.
static void on_random_mechanisms(check law, uint64_t seed, int count)
{
  jt_random r = {seed};
  for (int round = 0; round < count; round++) {
    jt_mechanism k;
    int nbody = 2 + jt_random_below(&r, 8);
    jt_random_mechanism(&k, &r, nbody, jt_random_below(&r, nbody + 6),
                        jt_random_below(&r, 3) ? 0.25 : 0.0, 1 + jt_random_below(&r, 5));
    for (int i = jt_random_below(&r, 6); i > 0; i--) {
      int a = jt_random_below(&r, nbody), b = jt_random_below(&r, nbody + 1) - 1;
      if (a != b) jt_add_force(&k, &r, a, b);
    }
    jt_add_joint(&k, &r, JN_JOINT_REVOLUTE, jt_random_below(&r, nbody), jt_add_body(&k, &r));
    jn_spec *spec = jt_moving_spec(&k);
    law(&r, spec, 2);
    jn_spec_free(spec);
  }
}

static void models_in_any_order_give_the_same_plan_to_the_byte(void **state)
{
  (void)state;
  on_every_model(check_any_order, 11, 4);
}

static void random_mechanisms_in_any_order_give_the_same_plan_to_the_byte(void **state)
{
  (void)state;
  on_random_mechanisms(check_any_order, 12, 200);
}

static void models_with_other_names_of_bodies_give_the_same_plan(void **state)
{
  (void)state;
  on_every_model(check_any_names, 13, 4);
}

static void random_mechanisms_with_other_names_of_bodies_give_the_same_plan(void **state)
{
  (void)state;
  on_random_mechanisms(check_any_names, 14, 200);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(models_in_any_order_give_the_same_plan_to_the_byte),
      cmocka_unit_test(random_mechanisms_in_any_order_give_the_same_plan_to_the_byte),
      cmocka_unit_test(models_with_other_names_of_bodies_give_the_same_plan),
      cmocka_unit_test(random_mechanisms_with_other_names_of_bodies_give_the_same_plan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
