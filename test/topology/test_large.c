// Ten thousand bodies compile, and to the right counts. Times are printed, not judged.
#include <time.h>

#include "mechanism.h"

enum { MANY = 10000 };

typedef struct file {
  char *text;
  size_t length;
  FILE *out;
} file;

// Points are named, so that ten thousand bodies stay below the number of values a file may have.
static void begin(file *f)
{
  f->out = open_memstream(&f->text, &f->length);
  assert_non_null(f->out);
  fprintf(f->out,
          "jounce: 1\npoints:\n"
          "  o: [0, 0, 0]\n  p: [1, 0, 1]\n  q: [0, 1, 2]\n"
          "  lca_pivot: [0, 0.42, 0.338]\n  uca_pivot: [0, 0.48, 0.593]\n"
          "  lca_ball: [0.01, 0.79, 0.318]\n  uca_ball: [-0.015, 0.75, 0.608]\n"
          "  hub: [0, 0.91, 0.448]\n  tie_in: [0.17, 0.4, 0.43]\n  tie_out: [0.17, 0.77, 0.43]\n"
          "bodies:\n");
}

static void add_bodies(file *f, int n)
{
  for (int i = 0; i < n; i++) fprintf(f->out, "  b%d: {mass: 1, cg: o, inertia: [1, 1, 1]}\n", i);
}

// Body -1 is the ground.
static void add_joint(file *f, const char *name, int number, const char *type, int a, int b)
{
  char first[16] = "ground";
  if (a >= 0) snprintf(first, sizeof first, "b%d", a);
  fprintf(f->out, "  %s%d: {type: %s, bodies: [%s, b%d], at: %s%s}\n", name, number, type, first, b,
          !strcmp(type, "distance") ? "[p, q]" : "o",
          !strcmp(type, "revolute") ? ", axis: [0, 1, 0]" : "");
}

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Read and compile, stage by stage.
static jn_model *compile(file *f, const char *what, jn_spec **spec)
{
  jn_error err = {0};
  fclose(f->out);
  double t[7] = {now()};
  jt_ok(jn_spec_parse(f->text, f->length, "large.yaml", NULL, 0, spec, &err), &err, NULL);
  t[1] = now();
  jn_model *m = calloc(1, sizeof *m);
  m->spec = *spec;
  jt_ok(jn_graph_build(m, &err), &err, NULL);
  t[2] = now();
  jt_ok(jn_spanning_find(m, NULL, &err), &err, NULL);
  t[3] = now();
  jt_ok(jn_loops_find(m, &err), &err, NULL);
  t[4] = now();
  jt_ok(jn_subsystems_find(m, &err), &err, NULL);
  t[5] = now();
  jt_ok(jn_ranks_find(m, &err), &err, NULL);
  t[6] = now();
  jn_costs_estimate(m);
  print_message(
      "%-22s read %.3f  graph %.3f  tree %.3f  loops %.3f  subsystems %.3f  ranks %.3f s\n", what,
      t[1] - t[0], t[2] - t[1], t[3] - t[2], t[4] - t[3], t[5] - t[4], t[6] - t[5]);
  free(f->text);
  return m;
}

static void release(jn_model *m, jn_spec *spec)
{
  jn_model_free(m);
  jn_spec_free(spec);
}

static void long_chain(void **state)
{
  (void)state;
  file f;
  jn_spec *spec;
  begin(&f);
  add_bodies(&f, MANY);
  fprintf(f.out, "joints:\n");
  for (int i = 0; i < MANY; i++) add_joint(&f, "j", i, "revolute", i - 1, i);
  jn_model *m = compile(&f, "chain", &spec);
  assert_int_equal(m->ncut, 0);
  assert_int_equal(m->weight10, 11 * MANY);
  assert_int_equal(m->longest_chain, MANY);
  assert_int_equal(m->nchain, 1);
  assert_int_equal(m->chain[0].length, MANY);
  assert_int_equal(m->dof, MANY);
  assert_int_equal(m->nsubsystem, 1);
  assert_true(m->nonzeros == 0.5 * MANY * (MANY + 1.0));
  release(m, spec);
}

// A chain that floats hangs by its middle.
static void floating_chain(void **state)
{
  (void)state;
  file f;
  jn_spec *spec;
  begin(&f);
  add_bodies(&f, MANY + 1);
  fprintf(f.out, "joints:\n");
  for (int i = 1; i <= MANY; i++) add_joint(&f, "j", i, "revolute", i - 1, i);
  jn_model *m = compile(&f, "floating chain", &spec);
  assert_int_equal(m->base, jn_node_by_name(m, "b5000"));
  assert_int_equal(m->longest_chain, MANY / 2 + 1);
  assert_int_equal(m->dof, MANY + 6);
  assert_int_equal(m->nsubsystem, 2);
  assert_int_equal(m->nshape, 1);
  release(m, spec);
}

static void star(void **state)
{
  (void)state;
  file f;
  jn_spec *spec;
  begin(&f);
  add_bodies(&f, MANY);
  fprintf(f.out, "joints:\n");
  for (int i = 1; i < MANY; i++) add_joint(&f, "j", i, i % 2 ? "revolute" : "spherical", 0, i);
  jn_model *m = compile(&f, "star", &spec);
  assert_int_equal(m->base, jn_node_by_name(m, "b0"));
  assert_int_equal(m->ncut, 0);
  assert_int_equal(m->longest_chain, 2);
  assert_int_equal(m->ncoord, 6 + 5000 * 1 + 4999 * 3);
  assert_int_equal(m->nsubsystem, MANY - 1);
  assert_int_equal(m->nshape, 2);
  release(m, spec);
}

static void random_tree_with_five_thousand_more_joints(void **state)
{
  (void)state;
  file f;
  jn_spec *spec;
  jt_random r = {41};
  begin(&f);
  add_bodies(&f, MANY);
  fprintf(f.out, "joints:\n");
  for (int i = 0; i < MANY; i++)
    add_joint(&f, "t", i, "revolute", jt_random_below(&r, i + 1) - 1, i);
  for (int i = 0; i < MANY / 2; i++) {
    int a = jt_random_below(&r, MANY), b = jt_random_below(&r, MANY - 1);
    add_joint(&f, "x", i, "distance", a, b + (b >= a));
  }
  jn_model *m = compile(&f, "random tree, loops", &spec);
  assert_int_equal(m->ncut, MANY / 2);
  assert_int_equal(m->weight10, 11 * MANY);
  assert_int_equal(m->ncoord, MANY);
  assert_int_equal(m->nrow, MANY / 2);
  assert_int_equal(m->dof, -1);  // too large a set for a rank: unknown
  release(m, spec);
}

// The same with joints of one weight: far too many trees to compare.
static void random_graph_of_one_kind_of_joint(void **state)
{
  (void)state;
  file f;
  jn_spec *spec;
  jt_random r = {42};
  begin(&f);
  add_bodies(&f, MANY);
  fprintf(f.out, "joints:\n");
  for (int i = 0; i < MANY; i++)
    add_joint(&f, "t", i, "spherical", jt_random_below(&r, i + 1) - 1, i);
  for (int i = 0; i < MANY / 2; i++) {
    int a = jt_random_below(&r, MANY), b = jt_random_below(&r, MANY - 1);
    add_joint(&f, "x", i, "spherical", a, b + (b >= a));
  }
  jn_model *m = compile(&f, "random, one kind", &spec);
  assert_int_equal(m->ncut, MANY / 2);
  assert_int_equal(m->weight10, 30 * MANY);
  assert_false(m->exact_chain);
  assert_true(m->longest_chain < 100);
  release(m, spec);
}

static void ladder(void **state)
{
  (void)state;
  file f;
  jn_spec *spec;
  begin(&f);
  add_bodies(&f, MANY);
  fprintf(f.out, "joints:\n");
  for (int i = 0; i < MANY; i++) add_joint(&f, "rail", i, "spherical", i < 2 ? -1 : i - 2, i);
  for (int i = 0; i < MANY; i += 2) add_joint(&f, "rung", i, "distance", i, i + 1);
  jn_model *m = compile(&f, "ladder", &spec);
  assert_int_equal(m->ncut, MANY / 2);
  assert_int_equal(m->longest_chain, MANY / 2);
  assert_int_equal(m->ncoord, 3 * MANY);
  assert_int_equal(m->nset, 1);
  release(m, spec);
}

// Rungs and rails of hinges: planar loops, far more rows than coordinates, all in one set.
static void ladder_of_hinges(void **state)
{
  (void)state;
  file f;
  jn_spec *spec;
  begin(&f);
  add_bodies(&f, MANY);
  fprintf(f.out, "joints:\n");
  for (int i = 0; i < MANY; i++) add_joint(&f, "rail", i, "revolute", i < 2 ? -1 : i - 2, i);
  for (int i = 0; i < MANY; i += 2) add_joint(&f, "rung", i, "revolute", i, i + 1);
  jn_model *m = compile(&f, "ladder of hinges", &spec);
  assert_int_equal(m->ncut, MANY / 2);
  assert_int_equal(m->nrow, 5 * MANY / 2);
  assert_int_equal(m->dof, -1);
  release(m, spec);
}

static void corners(void **state)
{
  (void)state;
  enum { CORNERS = 2500 };
  static const char *const part[] = {"lca", "uca", "upright", "wheel"};
  file f;
  jn_spec *spec;
  begin(&f);
  fprintf(f.out, "  chassis: {mass: 1000, cg: o, inertia: [1e6, 1e6, 1e6]}\n");
  for (int i = 0; i < CORNERS; i++)
    for (int k = 0; k < 4; k++)
      fprintf(f.out, "  %s%d: {mass: 1, cg: hub, inertia: [1, 1, 1]}\n", part[k], i);
  fprintf(f.out, "joints:\n");
  for (int i = 0; i < CORNERS; i++) {
    const char *x = "axis: [1, 0, 0]", *y = "axis: [0, 1, 0]";
    fprintf(f.out, "  lca_pivot%d: {type: revolute, bodies: [chassis, lca%d], at: lca_pivot, %s}\n",
            i, i, x);
    fprintf(f.out, "  uca_pivot%d: {type: revolute, bodies: [chassis, uca%d], at: uca_pivot, %s}\n",
            i, i, x);
    fprintf(f.out, "  lca_ball%d: {type: spherical, bodies: [lca%d, upright%d], at: lca_ball}\n", i,
            i, i);
    fprintf(f.out, "  uca_ball%d: {type: spherical, bodies: [uca%d, upright%d], at: uca_ball}\n", i,
            i, i);
    fprintf(f.out, "  hub%d: {type: revolute, bodies: [upright%d, wheel%d], at: hub, %s}\n", i, i,
            i, y);
    fprintf(f.out,
            "  tie%d: {type: distance, bodies: [chassis, upright%d], at: [tie_in, tie_out]}\n", i,
            i);
  }
  fprintf(f.out, "forces:\n");
  for (int i = 0; i < CORNERS; i++)
    fprintf(f.out,
            "  spring%d: {type: tsda, bodies: [chassis, lca%d], at: [uca_pivot, lca_ball]}\n", i,
            i);
  jn_model *m = compile(&f, "corners", &spec);
  assert_int_equal(m->base, jn_node_by_name(m, "chassis"));
  assert_int_equal(m->ncut, 2 * CORNERS);
  assert_int_equal(m->ncoord, 6 + 6 * CORNERS);
  assert_int_equal(m->nrow, 4 * CORNERS);
  assert_int_equal(m->dof, 6 + 2 * CORNERS);  // wheel travel and spin
  assert_int_equal(m->redundant, 0);
  assert_int_equal(m->nset, CORNERS);
  assert_int_equal(m->nsubsystem, CORNERS);
  assert_int_equal(m->nshape, 1);
  for (int i = 0; i < CORNERS; i++) assert_int_equal(m->set[i].rank, 4);
  release(m, spec);
}

// Bodies without joints: in a row of bushings, and each for itself.
static void bodies_on_bushings(void **state)
{
  (void)state;
  for (int lone = 0; lone < 2; lone++) {
    file f;
    jn_spec *spec;
    begin(&f);
    add_bodies(&f, MANY);
    fprintf(f.out, "forces:\n");
    for (int i = 0; i < MANY; i++)
      if (lone)
        fprintf(f.out, "  f%d: {type: force, body: b%d, force: [0, 0, 1]}\n", i, i);
      else if (i > 0)
        fprintf(f.out, "  f%d: {type: bushing, bodies: [b%d, b%d], at: [0, 0, 0]}\n", i, i - 1, i);
    jn_model *m = compile(&f, lone ? "lone bodies" : "row of bushings", &spec);
    assert_int_equal(m->ncoord, 6 * MANY);
    assert_int_equal(m->dof, 6 * MANY);
    assert_int_equal(m->nedge, MANY);
    if (lone) assert_int_equal(m->longest_chain, 1);
    release(m, spec);
  }
}

static void bodies_that_name_their_parents(void **state)
{
  (void)state;
  file f;
  jn_spec *spec;
  begin(&f);
  for (int i = 0; i < MANY; i++) {
    fprintf(f.out, "  b%d: {mass: 1, cg: o, inertia: [1, 1, 1]", i);
    if (i > 0) fprintf(f.out, ", parent: b%d", (i - 1) / 2);
    fprintf(f.out, "}\n");
  }
  fprintf(f.out, "forces:\n");
  for (int i = 0; i < MANY; i++)
    fprintf(f.out, "  f%d: {type: force, body: b%d, force: [0, 0, 1]}\n", i, i);
  jn_model *m = compile(&f, "named parents", &spec);
  assert_int_equal(m->longest_chain, 14);  // of a binary tree
  release(m, spec);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(long_chain),
      cmocka_unit_test(floating_chain),
      cmocka_unit_test(star),
      cmocka_unit_test(random_tree_with_five_thousand_more_joints),
      cmocka_unit_test(random_graph_of_one_kind_of_joint),
      cmocka_unit_test(ladder),
      cmocka_unit_test(ladder_of_hinges),
      cmocka_unit_test(corners),
      cmocka_unit_test(bodies_on_bushings),
      cmocka_unit_test(bodies_that_name_their_parents),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
