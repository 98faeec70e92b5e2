// Every shipped model compiles to the counts of test/models/expected.csv, which
// tools/expected_topology.py finds in another way, and to the facts of its reference.
#include <dirent.h>

#include "mechanism.h"

typedef struct expectation {
  char file[128];
  int bodies, joints, cuts, coordinates, constraints, dof, redundant, singular, cartesian_rows;
  double weight;
} expectation;

enum { MODELS = 256 };
static expectation expected[MODELS];
static int nexpected;

static int read_expected(void **state)
{
  (void)state;
  FILE *in = fopen("test/models/expected.csv", "r");
  if (!in) return -1;
  char line[512];
  bool head = fgets(line, sizeof line, in) &&
              !strcmp(line,
                      "file,bodies,joints,cuts,weight,coordinates,constraints,dof,redundant,"
                      "singular,cartesian_rows\n");
  while (head && fgets(line, sizeof line, in) && nexpected < MODELS) {
    expectation *x = &expected[nexpected++];
    head = sscanf(line, "%127[^,],%d,%d,%d,%lf,%d,%d,%d,%d,%d,%d", x->file, &x->bodies, &x->joints,
                  &x->cuts, &x->weight, &x->coordinates, &x->constraints, &x->dof, &x->redundant,
                  &x->singular, &x->cartesian_rows) == 11;
  }
  fclose(in);
  return head ? 0 : -1;
}

static void models_compile_to_the_expected_counts(void **state)
{
  (void)state;
  assert_true(nexpected >= 22);
  for (int i = 0; i < nexpected; i++) {
    const expectation *x = &expected[i];
    jn_spec *spec = jt_load(x->file);
    jn_model *m = jt_compile(spec, NULL);
    jn_model_counts c = jn_model_count(m);
    int rows = 0;
    for (int e = 0; e < m->nfile_edge; e++) rows += m->edge[e].nrow;
    bool good = c.bodies == x->bodies && c.joints == x->joints && c.cuts == x->cuts &&
                fabs(c.weight - x->weight) < 1e-9 && c.coordinates == x->coordinates &&
                c.constraints == x->constraints && c.dof == x->dof && c.redundant == x->redundant &&
                c.singular == x->singular && rows == x->cartesian_rows;
    if (!good)
      fail_msg("%s: %d,%d,%d,%.1f,%d,%d,%d,%d,%d,%d", x->file, c.bodies, c.joints, c.cuts, c.weight,
               c.coordinates, c.constraints, c.dof, c.redundant, c.singular, rows);
    for (int k = 0; k < m->nset; k++) {
      const jn_loop_set *s = &m->set[k];
      assert_true(s->ranked);
      JT_LE(s->gap, 1e-6);     // what was rejected is rounding
      JT_LE(s->closed, 1e-5);  // the files' rounded digits
    }
    jn_model_free(m);
    jn_spec_free(spec);
  }
}

static void check_listed(const char *folder)
{
  DIR *dir = opendir(folder);
  assert_non_null(dir);
  for (struct dirent *d; (d = readdir(dir));) {
    char file[512];
    const char *dot = strrchr(d->d_name, '.');
    if (d->d_name[0] == '.' || !dot || (strcmp(dot, ".yaml") && strcmp(dot, ".json"))) continue;
    snprintf(file, sizeof file, "%s/%s", folder, d->d_name);
    int i = 0;
    while (i < nexpected && strcmp(expected[i].file, file)) i++;
    if (i == nexpected) fail_msg("%s is not in test/models/expected.csv", file);
  }
  closedir(dir);
}

static void every_model_has_its_expectations(void **state)
{
  (void)state;
  check_listed("models");
  check_listed("test/models");
}

// ---- the references' own facts ------------------------------------------------------------------

typedef struct fixture {
  jn_spec *spec;
  jn_model *m;
} fixture;

static fixture open_model(const char *file, const jn_compile_opts *opts)
{
  fixture f = {jt_load(file), NULL};
  f.m = jt_compile(f.spec, opts);
  return f;
}

static void close_model(fixture *f)
{
  jn_model_free(f->m);
  jn_spec_free(f->spec);
}

// 7 coordinates a body: the rank of joint rows and normalisation rows is what the DOF leave.
static void five_link_suspension_has_rank_31_or_66_and_46_or_11_dof(void **state)
{
  (void)state;
  static const struct {
    const char *file;
    int rank, dof;
  } variant[] = {{"models/five-link-bushings.yaml", 31, 46},
                 {"models/five-link-joints.yaml", 66, 11}};
  for (int i = 0; i < 2; i++) {
    fixture f = open_model(variant[i].file, NULL);
    char *json = jt_json(f.m), wanted[64];
    assert_int_equal(f.m->dof, variant[i].dof);
    assert_int_equal(7 * f.spec->nbody - f.m->dof, variant[i].rank);
    snprintf(wanted, sizeof wanted, "\"rank\": %d\n", variant[i].rank);
    const char *cartesian = strstr(json, "\"cartesian\"");
    assert_non_null(cartesian);
    assert_non_null(strstr(cartesian, wanted));
    free(json);
    close_model(&f);
  }
}

static void check_undetermined(const jn_model *m, int set, int n, const char *const *name)
{
  assert_int_equal(m->set[set].nundetermined, n);
  for (int i = 0; i < n; i++)
    assert_string_equal(m->edge[m->set[set].undetermined[i]].name, name[i]);
}

static void bricards_mechanism_moves_by_one_redundant_row_that_all_six_hinges_share(void **state)
{
  (void)state;
  fixture f = open_model("models/bricard.yaml", NULL);
  assert_int_equal(f.m->redundant, 1);
  assert_false(f.m->singular);
  assert_int_equal(f.m->set[0].nlocked, 0);
  check_undetermined(f.m, 0, 6, (const char *[]){"J1", "J2", "J3", "J4", "J5", "J6"});
  close_model(&f);
}

// Planar loops of revolutes have three redundant rows each.
static void planar_loops_have_three_redundant_rows_each(void **state)
{
  (void)state;
  static const struct {
    const char *file;
    int loops;
  } planar[] = {{"models/andrews.yaml", 3},
                {"models/n-four-bar.yaml", 2},
                {"test/models/n-four-bar-40.yaml", 40},
                {"test/models/n-four-bar-singular.yaml", 2}};
  for (int i = 0; i < 4; i++) {
    fixture f = open_model(planar[i].file, NULL);
    assert_int_equal(f.m->nloop, planar[i].loops);
    assert_int_equal(f.m->redundant, 3 * planar[i].loops);
    assert_int_equal(f.m->singular, i == 3);
    close_model(&f);
  }
}

// Every reaction of a planar mechanism has parts that are undetermined: all joints are named.
static void all_joints_of_a_planar_mechanism_are_undetermined(void **state)
{
  (void)state;
  fixture f = open_model("models/andrews.yaml", NULL);
  check_undetermined(f.m, 0, 10,
                     (const char *[]){"A5", "A7", "B", "E3", "E4", "E6", "F", "G", "H", "O"});
  close_model(&f);
}

// No joint of these is locked: what stands still at a dead centre moves beside it.
static void joints_that_stand_still_at_a_dead_centre_are_not_locked(void **state)
{
  (void)state;
  static const char *const file[] = {"models/andrews.yaml", "models/n-four-bar.yaml",
                                     "test/models/n-four-bar-singular.yaml",
                                     "models/slider-crank.yaml", "models/bricard.yaml"};
  for (int i = 0; i < 5; i++) {
    fixture f = open_model(file[i], NULL);
    for (int k = 0; k < f.m->nset; k++)
      if (f.m->set[k].nlocked)
        fail_msg("%s: \"%s\" counts as locked", file[i], f.m->edge[f.m->set[k].locked[0]].name);
    close_model(&f);
  }
}

static void singular_position_is_distinguished_from_redundancy(void **state)
{
  (void)state;
  fixture regular = open_model("models/n-four-bar.yaml", NULL);
  fixture singular = open_model("test/models/n-four-bar-singular.yaml", NULL);
  assert_int_equal(regular.m->set[0].design_rank, regular.m->set[0].rank);
  assert_true(singular.m->set[0].design_rank < singular.m->set[0].rank);
  assert_int_equal(singular.m->set[0].rank, regular.m->set[0].rank);
  assert_int_equal(singular.m->redundant, regular.m->redundant);
  assert_int_equal(singular.m->dof, regular.m->dof);
  close_model(&regular);
  close_model(&singular);
}

// Perera, Romano & Nunez print six of the eight.
static void corner_has_eight_spanning_trees(void **state)
{
  (void)state;
  static const int weight10[] = {52, 52, 71, 71, 82, 101, 101, 120};
  jn_compile_opts opts = {.trees = 1};
  fixture f = open_model("models/corner-002.yaml", &opts);
  assert_true(f.m->trees.count == 8.0);
  assert_int_equal(f.m->trees.n, 8);
  for (int i = 0; i < 8; i++) assert_int_equal(f.m->trees.weight10[i], weight10[i]);
  close_model(&f);
}

static void hmmwv_of_thirteen_bodies_has_4096_trees_and_8_cuts(void **state)
{
  (void)state;
  jn_compile_opts opts = {.trees = 1};
  fixture f = open_model("models/hmmwv-002.yaml", &opts);
  assert_true(f.m->trees.count == 4096.0);  // 8^4: the corners are free of each other
  assert_int_equal(f.m->trees.n, 4096);
  assert_int_equal(f.m->trees.ncut, 8);
  assert_int_equal(f.m->trees.weight10[0], 208);
  assert_int_equal(f.m->ncut, 8);
  close_model(&f);
}

// The core's bodies, the ground left out where it is not the base.
static void check_core(const jn_model *m, int n, const char *const *name)
{
  int count = 0;
  for (int v = m->base == JN_NODE_GROUND ? 0 : 1; v < m->nnode; v++) count += m->core[v];
  assert_int_equal(count, n);
  for (int i = 0; i < n; i++) {
    int v = jn_node_by_name(m, name[i]);
    assert_true(v >= 0 && m->core[v]);
  }
}

// Where a body of the first subsystem is called ..._fl, its like is called the same at its corner.
static void check_corners_alike(const jn_model *m, int nbody)
{
  static const char *const corner[] = {"_fl", "_fr", "_rl", "_rr"};
  assert_int_equal(m->nsubsystem, 4);
  assert_int_equal(m->nshape, 1);
  bool seen[4] = {false};
  for (int i = 0; i < 4; i++) {
    const jn_subsystem *s = &m->subsystem[i];
    assert_int_equal(s->nbody, nbody);
    const char *first = jn_node_name(m, s->node[0]), *end = first + strlen(first) - 3;
    int c = 0;
    while (c < 4 && strcmp(end, corner[c])) c++;
    assert_true(c < 4 && !seen[c]);
    seen[c] = true;
    for (int k = 0; k < nbody; k++) {
      const char *mine = jn_node_name(m, s->node[k]);
      const char *like = jn_node_name(m, m->subsystem[0].node[k]);
      size_t stem = strlen(like) - 3;
      assert_int_equal(strlen(mine), stem + 3);
      assert_memory_equal(mine, like, stem);
      assert_string_equal(mine + stem, end);
    }
  }
}

static void corners_of_a_car_are_four_subsystems_of_one_shape_on_chassis_and_rack(void **state)
{
  (void)state;
  fixture hmmwv = open_model("models/hmmwv.yaml", NULL);
  assert_string_equal(jn_node_name(hmmwv.m, hmmwv.m->base), "chassis");
  check_core(hmmwv.m, 2, (const char *[]){"chassis", "rack"});
  check_corners_alike(hmmwv.m, 3);
  close_model(&hmmwv);
  fixture peer = open_model("models/peer-vehicle.yaml", NULL);
  assert_string_equal(jn_node_name(peer.m, peer.m->base), "chassis");
  check_core(peer.m, 2, (const char *[]){"chassis", "rack"});
  check_corners_alike(peer.m, 4);
  assert_int_equal(peer.m->ncoord, 31);
  assert_int_equal(peer.m->nrow, 16);
  assert_int_equal(peer.m->dof, 15);
  close_model(&peer);
  fixture small = open_model("models/hmmwv-002.yaml", NULL);
  check_core(small.m, 1, (const char *[]){"chassis"});
  check_corners_alike(small.m, 3);
  close_model(&small);
}

static int part_of(const jn_model *m, const char *body)
{
  return m->part[jn_node_by_name(m, body)];
}

// Two struts on chassis and rack, and one twist axle.
static void passenger_car_has_two_struts_alike_and_an_axle(void **state)
{
  (void)state;
  fixture f = open_model("models/passenger-car.yaml", NULL);
  const jn_model *m = f.m;
  assert_string_equal(jn_node_name(m, m->base), "chassis");
  check_core(m, 2, (const char *[]){"chassis", "rack"});
  assert_int_equal(m->nsubsystem, 3);
  assert_int_equal(m->nshape, 2);
  int left = part_of(m, "lca_fl"), right = part_of(m, "lca_fr"), axle = part_of(m, "axle_rl");
  assert_true(left != right && left != axle && right != axle);
  assert_int_equal(m->subsystem[left].shape, m->subsystem[right].shape);
  assert_true(m->subsystem[axle].shape != m->subsystem[left].shape);
  static const char *const strut[] = {"lca", "spindle", "rod", "wheel"};
  static const char *const on_axle[] = {"axle_rr", "wheel_rl", "wheel_rr", "track_bar"};
  for (int i = 0; i < 4; i++) {
    char name[32];
    snprintf(name, sizeof name, "%s_fl", strut[i]);
    assert_int_equal(part_of(m, name), left);
    snprintf(name, sizeof name, "%s_fr", strut[i]);
    assert_int_equal(part_of(m, name), right);
    assert_int_equal(part_of(m, on_axle[i]), axle);
  }
  close_model(&f);
}

static void tractor_and_semitrailer_are_the_core_of_ten_wheels(void **state)
{
  (void)state;
  fixture f = open_model("models/tractor-semitrailer.yaml", NULL);
  assert_string_equal(jn_node_name(f.m, f.m->base), "tractor");
  check_core(f.m, 2, (const char *[]){"tractor", "semitrailer"});
  assert_int_equal(f.m->nsubsystem, 10);
  assert_int_equal(f.m->nshape, 2);  // slides and trailing arms
  for (int i = 0; i < 10; i++) assert_int_equal(f.m->subsystem[i].nbody, 1);
  close_model(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(models_compile_to_the_expected_counts),
      cmocka_unit_test(every_model_has_its_expectations),
      cmocka_unit_test(five_link_suspension_has_rank_31_or_66_and_46_or_11_dof),
      cmocka_unit_test(bricards_mechanism_moves_by_one_redundant_row_that_all_six_hinges_share),
      cmocka_unit_test(planar_loops_have_three_redundant_rows_each),
      cmocka_unit_test(all_joints_of_a_planar_mechanism_are_undetermined),
      cmocka_unit_test(joints_that_stand_still_at_a_dead_centre_are_not_locked),
      cmocka_unit_test(singular_position_is_distinguished_from_redundancy),
      cmocka_unit_test(corner_has_eight_spanning_trees),
      cmocka_unit_test(hmmwv_of_thirteen_bodies_has_4096_trees_and_8_cuts),
      cmocka_unit_test(corners_of_a_car_are_four_subsystems_of_one_shape_on_chassis_and_rack),
      cmocka_unit_test(passenger_car_has_two_struts_alike_and_an_axle),
      cmocka_unit_test(tractor_and_semitrailer_are_the_core_of_ten_wheels),
  };
  return cmocka_run_group_tests(tests, read_expected, NULL);
}
