// The core's matrices without their structural zeros: they hold every number that differs from zero, their factors
// are factors, and what they answer meets the equations.
#include <dirent.h>

#include "joint_states.h"
#include "solve/general/dense_core.h"

// Two racks on a chassis, and three links on spheres, each tied to the chassis, the second one by way of an arm; the first
// rack ties the first two together, the second one the last two. So the second link is in a block that couples racks,
// of which neither is on the other's way to the ground.
static const char TWO_RACKS[] =
    "jounce: 1\n"
    "bodies:\n"
    "  chassis: {mass: 500, cg: [0, 0, 0.5], inertia: [200, 300, 400]}\n"
    "  front: {mass: 5, cg: [0.5, 0, 0.4], inertia: [0.2, 0.02, 0.2]}\n"
    "  rear: {mass: 7, cg: [-0.5, 0, 0.4], inertia: [0.2, 0.02, 0.2]}\n"
    "  one: {mass: 20, cg: [1, 0.8, 0.4], inertia: [0.5, 0.6, 0.7]}\n"
    "  two: {mass: 25, cg: [0.1, 0.8, 0.4], inertia: [0.5, 0.6, 0.7]}\n"
    "  arm: {mass: 4, cg: [0, 0.5, 0.4], inertia: [0.05, 0.06, 0.07]}\n"
    "  three: {mass: 30, cg: [-1, 0.8, 0.4], inertia: [0.5, 0.6, 0.7]}\n"
    "joints:\n"
    "  front_guide: {type: translational, bodies: [chassis, front], at: [0.5, 0, 0.4], axis: [0, "
    "1, 0]}\n"
    "  rear_guide: {type: translational, bodies: [chassis, rear], at: [-0.5, 0, 0.4], axis: [0, 1, "
    "0]}\n"
    "  ball_1: {type: spherical, bodies: [chassis, one], at: [1, 0.6, 0.4]}\n"
    "  pivot: {type: revolute, bodies: [chassis, arm], at: [0, 0.4, 0.4], axis: [1, 0, 0]}\n"
    "  ball_2: {type: spherical, bodies: [arm, two], at: [0, 0.6, 0.4]}\n"
    "  ball_3: {type: spherical, bodies: [chassis, three], at: [-1, 0.6, 0.4]}\n"
    "  stay_1: {type: distance, bodies: [chassis, one], at: [[1, 0.5, 0.8], [1, 0.9, 0.5]]}\n"
    "  stay_2: {type: distance, bodies: [chassis, two], at: [[0, 0.5, 0.8], [0, 0.9, 0.5]]}\n"
    "  stay_3: {type: distance, bodies: [chassis, three], at: [[-1, 0.5, 0.8], [-1, 0.9, 0.5]]}\n"
    "  rod_1: {type: distance, bodies: [front, one], at: [[0.6, 0.3, 0.4], [0.8, 0.8, 0.45]]}\n"
    "  rod_2: {type: distance, bodies: [front, two], at: [[0.4, 0.3, 0.4], [0.2, 0.8, 0.45]]}\n"
    "  rod_3: {type: distance, bodies: [rear, two], at: [[-0.4, 0.3, 0.4], [-0.3, 0.9, 0.6]]}\n"
    "  rod_4: {type: distance, bodies: [rear, three], at: [[-0.6, 0.3, 0.4], [-0.8, 0.8, 0.45]]}\n"
    "initial:\n"
    "  front_guide: {speed: 0.3}\n"
    "  chassis: {velocity: [3, 1, 0], angular_velocity: [0.2, 0.3, -0.4]}\n";

static double *square(int n)
{
  double *a = calloc((size_t)n * (size_t)n + 1, sizeof *a);
  assert_non_null(a);
  return a;
}

static bool is_on_way(const jn_system *s, int outer, int inner)  // to the ground
{
  for (; outer >= s->nframe; outer = s->body[outer].parent)
    if (outer == inner) return true;
  return false;
}

// The definition: sum over bodies of S_i' I S_k, of all coordinates that move the body.
static double mass_by_definition(const jt_run *k, int body_i, int i, int body_k, int j)
{
  double sum = 0.0;
  for (int b = k->s->nframe; b < k->s->nbody; b++)
    if (is_on_way(k->s, b, body_i) && is_on_way(k->s, b, body_k))
      sum += sv_dot(k->d->s[i], si_mul(k->d->inertia[b], k->d->s[j]));
  return sum;
}

static void mass_is_that_of_all_bodies(const jt_run *k, const double *mass)
{
  const jn_system *s = k->s;
  const int n = s->ncore;
  for (int a = 0; a < s->ncore_body; a++)
    for (int b = 0; b < s->ncore_body; b++) {
      const int p = s->core_body[a], q = s->core_body[b];
      for (int i = 0; i < s->joint[p].nv; i++)
        for (int j = 0; j < s->joint[q].nv; j++) {
          const int row = s->core_column[p] + i, column = s->core_column[q] + j;
          const double ought = mass_by_definition(k, p, s->joint[p].v + i, q, s->joint[q].v + j);
          const double size = sqrt(mass[row * n + row] * mass[column * n + column]);
          JT_NEAR(mass[row * n + column], ought, 1e-12 * size);
        }
    }
}

// Nothing is filled in: as many numbers as coordinates on the ways to the ground.
static void paths_are_ways_to_the_ground(const jn_system *s)
{
  int n = 0;
  for (int a = 0; a < s->ncore_body; a++)
    for (int b = 0; b < s->ncore_body; b++) {
      const int p = s->core_body[a], q = s->core_body[b], nv = s->joint[p].nv;
      if (p == q) n += nv * (nv + 1) / 2;
      if (p != q && is_on_way(s, p, q)) n += nv * s->joint[q].nv;
    }
  assert_int_equal(s->core_first[s->ncore], n);
}

static void factors_multiply_to_mass(const jt_run *k, const double *mass)
{
  const jn_system *s = k->s;
  const int n = s->ncore;
  double *l = square(n);
  for (int i = 0; i < n; i++) {
    const int first = s->core_first[i], depth = s->core_depth[i];
    for (int p = 0; p < depth; p++) {
      const double x = k->d->core->chol[first + p];
      l[i * n + s->core_path[first + p]] = p == depth - 1 ? 1.0 / x : x;
    }
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double x = 0.0;
      for (int m = 0; m < n; m++) x += l[m * n + i] * l[m * n + j];
      JT_NEAR(x, mass[i * n + j], 1e-12 * sqrt(mass[i * n + i] * mass[j * n + j]));
    }
  free(l);
}

// M x = f + J' l and J x = g, for any f and for the g of any motion.
static void answers_meet_the_equations(jt_run *k, const double *mass, jt_random *r)
{
  const jn_system *s = k->s;
  jn_core_data *c = k->d->core;
  const int n = s->ncore, m = s->ncore_row;
  double *rows = calloc((size_t)n * (size_t)m + 1, sizeof *rows);
  double *motion = calloc((size_t)n + 1, sizeof *motion);
  assert_true(rows && motion);
  jn_core_unpack_rows(s, c, false, rows);
  for (int still = 0; still < 2; still++) {
    for (int i = 0; i < n; i++) {
      c->rhs[i] = still ? 0.0 : jt_random_in(r, -1, 1) * sqrt(mass[i * n + i]);
      motion[i] = jt_random_in(r, -1, 1) / sqrt(mass[i * n + i]);
    }
    for (int i = 0; i < m; i++) {
      c->gamma[i] = 0.0;
      for (int j = 0; j < n; j++) c->gamma[i] += rows[i * n + j] * motion[j];
    }
    c->still = still;
    jn_core_multipliers.solve(s, k->d);
    const double condition = 1.0 / c->conditioning;
    for (int i = 0; i < n; i++) {
      double x = -c->rhs[i];
      for (int j = 0; j < n; j++) x += mass[i * n + j] * c->x[j];
      for (int j = 0; j < m; j++) x -= rows[j * n + i] * c->lambda[j];
      JT_NEAR(x / sqrt(mass[i * n + i]), 0.0, 1e-12 * condition);
    }
    for (int i = 0; i < m; i++) {
      double x = -c->gamma[i], size = 0.0;
      for (int j = 0; j < n; j++) {
        x += rows[i * n + j] * c->x[j];
        size += fabs(rows[i * n + j]) / sqrt(mass[j * n + j]);
      }
      JT_NEAR(x, 0.0, 1e-12 * condition * size);
    }
  }
  free(rows);
  free(motion);
}

static jt_run made_ready(const jn_model *m, jn_formulation formulation)
{
  const jn_sim_opts o = {.formulation = formulation, .path = JN_PATH_GENERAL};
  jn_error err = {0};
  jt_run k = {0};
  jt_ok(jn_system_create(m, NULL, &o, &k.s, &err), &err, NULL);
  jt_ok(jn_data_create(k.s, &k.d, &err), &err, NULL);
  return k;
}

static void check(const jn_model *m, jn_formulation f, jt_random *r)
{
  jt_run k = made_ready(m, f);
  jt_look(&k);
  jn_general_factor(k.s, k.d);
  double *mass = square(k.s->ncore);
  if (k.s->ncore) jn_core_unpack_mass(k.s, k.d->core, mass);
  if (!k.s->nunit && k.s->nstation == k.s->nframe) mass_is_that_of_all_bodies(&k, mass);
  if (!k.s->nunit) paths_are_ways_to_the_ground(k.s);
  if (k.s->ncore && !k.s->core_partition) {
    factors_multiply_to_mass(&k, mass);
    if (!k.d->core->degenerate) answers_meet_the_equations(&k, mass, r);
  }
  free(mass);
  jt_run_free(&k);
}

static void every_model(void **state)
{
  (void)state;
  jt_random r = {7};
  DIR *folder = opendir("models");
  int n = 0;
  assert_non_null(folder);
  for (const struct dirent *e; (e = readdir(folder));) {
    char file[512];
    if (!strstr(e->d_name, ".yaml")) continue;
    snprintf(file, sizeof file, "models/%s", e->d_name);
    jn_spec *spec = jt_load(file);
    jn_model *m = jt_compile(spec, NULL);
    check(m, JN_FORMULATION_RECURSIVE, &r);
    check(m, JN_FORMULATION_SUBSYSTEM, &r);
    jn_model_free(m);
    jn_spec_free(spec);
    n++;
  }
  closedir(folder);
  assert_true(n >= 20);
}

static void blocks_that_couple_core_bodies_side_by_side(void **state)
{
  (void)state;
  jt_random r = {11};
  jn_spec *spec = jt_parse(TWO_RACKS);
  jn_model *m = jt_compile(spec, NULL);
  check(m, JN_FORMULATION_SUBSYSTEM, &r);
  jt_run a = made_ready(m, JN_FORMULATION_SUBSYSTEM), b = made_ready(m, JN_FORMULATION_RECURSIVE);
  int both = 0;
  for (int i = 0; i < a.s->nblock; i++) both += a.s->block[i].ncore == 2;
  assert_int_equal(both, 1);
  jt_evaluate(&a);
  jt_evaluate(&b);
  assert_int_equal(a.s->nv, b.s->nv);
  for (int i = 0; i < a.s->nv; i++)
    JT_NEAR(a.d->qdd[i], b.d->qdd[i], 1e-9 * fmax(1.0, fabs(b.d->qdd[i])));
  jt_run_free(&a);
  jt_run_free(&b);
  jn_model_free(m);
  jn_spec_free(spec);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_model),
      cmocka_unit_test(blocks_that_couple_core_bodies_side_by_side),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
