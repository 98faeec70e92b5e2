// The laws of joints in motion.h, and of ranks: degrees of freedom belong to the mechanism, not to
// the way its tree was cut, its place in the world or its unit of length.
#include <dirent.h>

#include "base/dense.h"
#include "mechanism.h"
#include "plan/topology/geometry.h"

static v3 random_v3(jt_random *r)
{
  return v3_set(jt_random_in(r, -1, 1), jt_random_in(r, -1, 1), jt_random_in(r, -1, 1));
}

static m3 rotation_by(v3 a)
{
  double angle = v3_norm(a);
  if (angle == 0.0) return m3_identity();
  return m3_about(v3_scale(1.0 / angle, a), cos(angle), sin(angle));
}

static jn_displacement random_displacement(jt_random *r)
{
  return (jn_displacement){rotation_by(v3_scale(3.0, random_v3(r))), random_v3(r)};
}

static double largest(v3 a)
{
  return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
}

static void check_v3(v3 a, v3 b, double tol)
{
  JT_LE(largest(v3_sub(a, b)), tol);
}

// ---- displacements ------------------------------------------------------------------------------

static void displacements_form_a_group(void **state)
{
  (void)state;
  jt_random r = {31};
  for (int round = 0; round < 100; round++) {
    jn_displacement a = random_displacement(&r), b = random_displacement(&r);
    jn_displacement ab = jn_displacement_mul(&a, &b), back = jn_displacement_inverse(&a);
    v3 x = random_v3(&r);
    check_v3(jn_displacement_point(&ab, x), jn_displacement_point(&a, jn_displacement_point(&b, x)),
             1e-14);
    check_v3(jn_displacement_point(&back, jn_displacement_point(&a, x)), x, 1e-14);
    jn_displacement one = jn_displacement_identity();
    check_v3(jn_displacement_point(&one, x), x, 0.0);
  }
}

// A point moves in the world as its body's motion says there; power is the same in both.
static void motions_and_forces_are_seen_in_the_world_as_they_are(void **state)
{
  (void)state;
  jt_random r = {32};
  for (int round = 0; round < 100; round++) {
    jn_displacement d = random_displacement(&r);
    sv motion = {random_v3(&r), random_v3(&r)}, force = {random_v3(&r), random_v3(&r)};
    v3 x = random_v3(&r), there = jn_displacement_point(&d, x);
    v3 velocity = v3_add(motion.l, v3_cross(motion.a, x));
    sv world = jn_motion_to_world(&d, motion);
    check_v3(v3_add(world.l, v3_cross(world.a, there)), m3_mul_v3(d.r, velocity), 1e-14);
    JT_NEAR(sv_dot(world, jn_force_to_world(&d, force)), sv_dot(motion, force), 1e-13);
  }
}

// ---- joints -------------------------------------------------------------------------------------

typedef struct joint_case {
  jn_spec *spec;
  jn_model *m;
  jn_joint_geometry g;
} joint_case;

// Any joint of this kind, with one point and axis for both bodies or one for each.
static joint_case make_joint(jt_random *r, jn_joint_kind kind, bool driven, bool two)
{
  const jn_joint_kind_info *info = &jn_joint_kinds[kind];
  jt_mechanism k = {0};
  jt_add_body(&k, r), jt_add_body(&k, r);
  jt_add_joint(&k, r, JN_JOINT_SPHERICAL, JN_GROUND, 0);
  jt_joint *j = jt_add_joint(&k, r, kind, 0, 1);
  j->driven = driven;
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  fprintf(out, "jounce: 1\nbodies:\n");
  for (int i = 0; i < 2; i++) {
    fprintf(out, "  %s: {mass: 1, inertia: [1, 1, 1], cg: ", k.body[i]);
    double cg[3];
    jt_random_vector(r, cg);
    jt_write_vector(out, cg);
    fprintf(out, "}\n");
  }
  fprintf(out, "joints:\n");
  jt_write_joint(out, &k, &k.joint[0]);
  fprintf(out, "  %s: {type: %s, bodies: [%s, %s]", j->name, info->word, k.body[0], k.body[1]);
  jt_write_vectors(out, "at", two ? info->points_most : info->points_least, j->at);
  jt_write_vectors(out, "axis", two ? info->axes_most : info->axes_least, j->axis);
  if (kind == JN_JOINT_SCREW) fprintf(out, ", lead: %g", jt_random_in(r, -1, 1));
  if (driven) fprintf(out, ", motion: {channel: a.b}");
  fprintf(out, "}\n");
  fclose(out);
  joint_case c = {.spec = jt_parse(text)};
  c.m = jt_spanned(c.spec, NULL);
  c.g = jn_joint_geometry_of(c.m, jt_edge_by_name(c.m, j->name));
  free(text);
  return c;
}

static void free_joint(joint_case *c)
{
  jn_model_free(c->m);
  jn_spec_free(c->spec);
}

static jn_joint_state random_state(jt_random *r, const jn_joint_geometry *g)
{
  jn_joint_state s = jn_joint_state_zero();
  double step[6];
  for (int i = 0; i < 3; i++) {  // within a turn, where a screw's angle is defined
    for (int k = 0; k < 6; k++) step[k] = jt_random_in(r, -1, 1);
    jn_joint_advance(g, &s, step);
  }
  return s;
}

static void on_every_joint(uint64_t seed, void (*law)(jt_random *, const jn_joint_geometry *))
{
  jt_random r = {seed};
  for (int kind = 0; kind < JN_NJOINT_KIND; kind++)
    for (int driven = 0; driven <= jn_joint_kinds[kind].drivable; driven++)
      for (int round = 0; round < 20; round++) {
        joint_case c = make_joint(&r, (jn_joint_kind)kind, driven, round % 2);
        assert_int_equal(c.g.kind, kind);
        assert_int_equal(c.g.driven, driven);
        law(&r, &c.g);
        free_joint(&c);
      }
}

static int free_rows(const jn_joint_geometry *g)
{
  return jn_joint_kinds[g->kind].nrow;
}

// Positions that a joint's coordinates reach are positions that its rows allow. Of a driven joint,
// the last row gives by how much it is off; a distance joint's six coordinates do not keep its
// length.
static void rows_vanish_where_coordinates_lead(jt_random *r, const jn_joint_geometry *g)
{
  jn_joint_state s = random_state(r, g);
  jn_displacement d = jn_joint_displacement(g, &s);
  double residual[6];
  sv row[6];
  bool lengths[6];
  int n = jn_joint_wrenches(g, &d, residual, row, lengths);
  assert_int_equal(n, free_rows(g) + (g->driven ? jn_joint_kinds[g->kind].ncoord : 0));
  if (g->kind == JN_JOINT_DISTANCE) {
    v3 apart = v3_sub(jn_displacement_point(&d, g->at[1]), g->at[0]);
    JT_NEAR(residual[0], v3_norm(apart) - v3_norm(v3_sub(g->at[1], g->at[0])), 1e-14);
    return;
  }
  for (int i = 0; i < free_rows(g); i++) JT_NEAR(residual[i], 0.0, 1e-13);
  if (!g->driven) return;
  double travel = g->kind == JN_JOINT_SCREW ? g->pitch * s.s[0] : s.s[0];
  JT_NEAR(residual[n - 1], travel, 1e-13);
  assert_int_equal(lengths[n - 1], g->kind != JN_JOINT_REVOLUTE);
}

static void rows_of_a_joint_vanish_where_its_coordinates_lead(void **state)
{
  (void)state;
  on_every_joint(33, rows_vanish_where_coordinates_lead);
}

static int rank_of(const sv *vector, int n)
{
  double a[36], *at = a;
  for (int i = 0; i < n; i++) {
    const v3 part[2] = {vector[i].a, vector[i].l};
    for (int k = 0; k < 2; k++) *at++ = part[k].x, *at++ = part[k].y, *at++ = part[k].z;
  }
  jn_qr f;
  void *work = aligned_alloc(64, jn_qr_size(n, 6));
  int rank = jn_qr_factor(&f, n, 6, a, 1e-9, work);
  free(work);
  return rank;
}

// What a joint allows and what it holds are complements: together six, and no power.
static void coordinates_do_no_work_on_rows(jt_random *r, const jn_joint_geometry *g)
{
  jn_joint_state s = random_state(r, g);
  jn_displacement d = jn_joint_displacement(g, &s);
  double residual[6];
  sv row[6], twist[6];
  bool lengths[6], translates[6];
  int rows = jn_joint_wrenches(g, &d, residual, row, lengths);
  int twists = jn_joint_twists(g, &s, twist, translates);
  assert_int_equal(twists, jn_joint_kinds[g->kind].ncoord);
  assert_int_equal(rank_of(twist, twists), twists);
  assert_int_equal(rank_of(row, rows), rows);
  if (g->kind == JN_JOINT_DISTANCE) return;
  assert_int_equal(twists + free_rows(g), 6);
  for (int i = 0; i < free_rows(g); i++)
    for (int k = 0; k < twists; k++) JT_NEAR(sv_dot(twist[k], row[i]), 0.0, 1e-13);
  for (int k = 0; k < twists; k++)
    if (translates[k]) JT_NEAR(largest(twist[k].a), 0.0, 0.0);
}

static void coordinates_of_a_joint_do_no_work_on_its_rows(void **state)
{
  (void)state;
  on_every_joint(34, coordinates_do_no_work_on_rows);
}

// Central differences with step h are off by h^2 / 6 times third derivatives, here of angles and of
// lengths of a few metres, and by rounding over h.
static const double STEP = 1e-5, SLOPE = 1e-8;

static void rows_at(const jn_joint_geometry *g, const jn_displacement *e, sv motion, double h,
                    double residual[6])
{
  jn_displacement step = {rotation_by(v3_scale(h, motion.a)), v3_scale(h, motion.l)};
  jn_displacement moved = jn_displacement_mul(&step, e);
  sv row[6];
  bool lengths[6];
  jn_joint_wrenches(g, &moved, residual, row, lengths);
}

static void check_gradient(jt_random *r, const jn_joint_geometry *g, const jn_displacement *e,
                           int n)
{
  double residual[6], plus[6], minus[6];
  sv row[6];
  bool lengths[6];
  assert_true(jn_joint_wrenches(g, e, residual, row, lengths) >= n);
  for (int k = 0; k < 4; k++) {
    sv motion = {random_v3(r), random_v3(r)};
    rows_at(g, e, motion, STEP, plus);
    rows_at(g, e, motion, -STEP, minus);
    for (int i = 0; i < n; i++)
      JT_NEAR(sv_dot(motion, row[i]), (plus[i] - minus[i]) / (2.0 * STEP), SLOPE);
  }
}

// Everywhere; but the angle of a screw or of a drive has a meaning only where the axes are
// parallel.
static void rows_are_gradients(jt_random *r, const jn_joint_geometry *g)
{
  jn_joint_state s = random_state(r, g);
  jn_displacement on = jn_joint_displacement(g, &s), off = random_displacement(r);
  int n = free_rows(g) + (g->driven ? jn_joint_kinds[g->kind].ncoord : 0);
  check_gradient(r, g, &on, n);
  check_gradient(r, g, &off, free_rows(g) - (g->kind == JN_JOINT_SCREW));
}

static void rows_of_a_joint_are_the_gradients_of_its_residuals(void **state)
{
  (void)state;
  on_every_joint(35, rows_are_gradients);
}

static void twists_are_derivatives(jt_random *r, const jn_joint_geometry *g)
{
  jn_joint_state s = random_state(r, g);
  sv twist[6];
  bool translates[6];
  int n = jn_joint_twists(g, &s, twist, translates);
  for (int i = 0; i < n; i++) {
    jn_joint_state ahead = s, behind = s;
    double step[6] = {0};
    step[i] = STEP;
    jn_joint_advance(g, &ahead, step);
    step[i] = -STEP;
    jn_joint_advance(g, &behind, step);
    jn_displacement d = jn_joint_displacement(g, &s), back = jn_displacement_inverse(&d);
    jn_displacement to = jn_joint_displacement(g, &ahead), from = jn_joint_displacement(g, &behind);
    to = jn_displacement_mul(&to, &back);
    from = jn_displacement_mul(&from, &back);
    m3 rate = m3_scale(0.5 / STEP, m3_sub(to.r, from.r));
    v3 turn = v3_set(rate.z.y, rate.x.z, rate.y.x);
    check_v3(turn, v3_set(-rate.y.z, -rate.z.x, -rate.x.y), SLOPE);
    check_v3(twist[i].a, turn, SLOPE);
    check_v3(twist[i].l, v3_scale(0.5 / STEP, v3_sub(to.t, from.t)), SLOPE);
  }
}

static void twists_of_a_joint_are_the_derivatives_of_its_displacement(void **state)
{
  (void)state;
  on_every_joint(36, twists_are_derivatives);
}

// ---- degrees of freedom -------------------------------------------------------------------------

typedef struct counts {
  int dof, redundant, singular;
} counts;

static counts counts_of(const jn_spec *spec, const jn_compile_opts *opts, const char *what)
{
  jn_error err = {0};
  jn_model *m = NULL;
  jn_status st = jn_model_compile(spec, opts, &m, &err);
  if (st) print_error("%s, %s:\n", spec->name, what);
  jt_ok(st, &err, NULL);
  counts c = {m->dof, m->redundant, m->singular};
  jn_model_free(m);
  return c;
}

static void check_counts(const jn_spec *spec, counts a, counts b, const char *what)
{
  if (a.dof != b.dof || a.redundant != b.redundant || a.singular != b.singular)
    fail_msg("%s, %s: %d DOF, %d redundant, singular %d instead of %d, %d, %d", spec->name, what,
             b.dof, b.redundant, b.singular, a.dof, a.redundant, a.singular);
}

static void on_every_model(int most_bodies, void (*law)(const jn_spec *, const char *file))
{
  static const char *const folders[] = {"models", "test/models"};
  for (int i = 0; i < 2; i++) {
    DIR *dir = opendir(folders[i]);
    assert_non_null(dir);
    for (struct dirent *d; (d = readdir(dir));) {
      char file[512];
      if (!strstr(d->d_name, ".yaml")) continue;
      snprintf(file, sizeof file, "%s/%s", folders[i], d->d_name);
      jn_spec *spec = jt_load(file);
      if (spec->nbody <= most_bodies) law(spec, file);
      jn_spec_free(spec);
    }
    closedir(dir);
  }
}

static void any_base(const jn_spec *spec, const char *file)
{
  (void)file;
  counts own = counts_of(spec, NULL, "as it is");
  for (int i = 0; i < spec->nbody; i++) {
    jn_compile_opts opts = {.base = spec->body[i].name};
    check_counts(spec, own, counts_of(spec, &opts, spec->body[i].name), spec->body[i].name);
  }
}

static void degrees_of_freedom_do_not_depend_on_the_base(void **state)
{
  (void)state;
  on_every_model(20, any_base);
}

// Cut each joint that can be, and some of them together.
static void any_cut(const jn_spec *spec, const char *file)
{
  (void)file;
  counts own = counts_of(spec, NULL, "as it is");
  for (int i = 0; i < spec->njoint; i++)
    for (int k = i; k < spec->njoint && k < i + 4; k++) {
      const char *name[2] = {spec->joint[i].name, spec->joint[k].name};
      jn_compile_opts opts = {.cut = name, .ncut = 2};
      jn_model *m = NULL;
      jn_error err = {0};
      jn_status st = jt_span(spec, &opts, &m, &err);
      jn_model_free(m);
      if (st) {
        assert_int_equal(st, JN_E_TOPOLOGY);
        assert_non_null(strstr(err.text, "cannot be cut"));
      } else {
        char what[160];
        snprintf(what, sizeof what, "cut at %s and %s", name[0], name[1]);
        check_counts(spec, own, counts_of(spec, &opts, what), what);
      }
    }
}

static void degrees_of_freedom_do_not_depend_on_the_cuts(void **state)
{
  (void)state;
  on_every_model(20, any_cut);
}

// And of mechanisms that nobody designed.
static void degrees_of_freedom_of_random_mechanisms_depend_on_neither(void **state)
{
  (void)state;
  jt_random r = {39};
  int cuts = 0;
  for (int round = 0; round < 150; round++) {
    jt_mechanism k;
    int nbody = 2 + jt_random_below(&r, 6);
    jt_random_mechanism(&k, &r, nbody, nbody + jt_random_below(&r, 5), 0.25,
                        1 + jt_random_below(&r, 5));
    jt_add_joint(&k, &r, JN_JOINT_REVOLUTE, jt_random_below(&r, nbody), jt_add_body(&k, &r));
    jn_spec *spec = jt_moving_spec(&k);
    counts own = counts_of(spec, NULL, "as it is");
    for (int i = 0; i < k.njoint; i++) {
      jn_compile_opts opts = {.cut = (const char *[]){k.joint[i].name},
                              .ncut = 1,
                              .base = i < k.nbody ? k.body[i] : NULL};
      jn_model *m = NULL;
      jn_status st = jt_span(spec, &opts, &m, NULL);
      jn_model_free(m);
      if (st) opts.ncut = 0;  // a bridge
      check_counts(spec, own, counts_of(spec, &opts, k.joint[i].name), k.joint[i].name);
      cuts += opts.ncut;
    }
    jn_spec_free(spec);
  }
  assert_true(cuts > 300);
}

static void distance_joints_in_the_tree_leave_the_degrees_of_freedom(void **state)
{
  (void)state;
  jn_spec *spec = jt_load("models/peer-vehicle.yaml");
  jn_model *own = jt_compile(spec, NULL);
  const char *cut[8] = {"lca_ball_fl", "uca_ball_fl", "lca_ball_fr", "uca_ball_fr",
                        "lca_ball_rl", "uca_ball_rl", "lca_ball_rr", "uca_ball_rr"};
  jn_compile_opts opts = {.cut = cut, .ncut = 8};
  jn_model *m = jt_compile(spec, &opts);
  assert_true(m->in_tree[jt_edge_by_name(m, "tie_rod_fl")]);
  assert_int_equal(m->ncoord, own->ncoord + 4 * 3);  // six of a rod in place of three of a ball
  assert_int_equal(m->nrow, own->nrow + 4 * 3);
  assert_int_equal(m->nloop, m->ncut + 4);
  assert_int_equal(m->dof, own->dof);
  assert_int_equal(m->redundant, own->redundant);
  jn_model_free(m);
  jn_model_free(own);
  jn_spec_free(spec);
}

// ---- against all joints at once -----------------------------------------------------------------

// Rank of the rows of all joints on the velocities of all bodies in the design position: no tree,
// no loops.
static int cartesian_rank(const jn_model *m)
{
  int rows = 0, at = 0, cols = 6 * m->spec->nbody;
  for (int e = 0; e < m->nfile_edge; e++) rows += m->edge[e].nrow;
  if (rows == 0) return 0;
  v3 low = v3_set(INFINITY, INFINITY, INFINITY), high = v3_neg(low);
  for (int i = 0; i < m->spec->nbody; i++) {
    const double *c = m->spec->body[i].keys.cg;
    low = v3_set(fmin(low.x, c[0]), fmin(low.y, c[1]), fmin(low.z, c[2]));
    high = v3_set(fmax(high.x, c[0]), fmax(high.y, c[1]), fmax(high.z, c[2]));
  }
  v3 centre = v3_scale(0.5, v3_add(low, high));
  double size = fmax(largest(v3_sub(high, low)), 1e-3);
  double *a = calloc((size_t)rows * (size_t)cols, sizeof *a);
  jn_displacement here = jn_displacement_identity();
  for (int e = 0; e < m->nfile_edge; e++) {
    jn_joint_geometry g = jn_joint_geometry_of(m, e);
    double residual[6];
    sv row[6];
    bool lengths[6];
    int n = jn_joint_wrenches(&g, &here, residual, row, lengths);
    assert_int_equal(n, m->edge[e].nrow);
    for (int i = 0; i < n; i++, at++) {
      sv f = sv_shift_force(row[i], centre);
      double scale = lengths[i] ? 1.0 / size : 1.0;
      const double entry[6] = {f.a.x, f.a.y, f.a.z, size * f.l.x, size * f.l.y, size * f.l.z};
      for (int side = 0; side < 2; side++) {
        int body = (side ? m->edge[e].b : m->edge[e].a) - 1;
        for (int k = 0; k < 6 && body >= 0; k++)
          a[at * cols + 6 * body + k] += (side ? scale : -scale) * entry[k];
      }
    }
  }
  jn_qr f;
  void *work = aligned_alloc(64, jn_qr_size(rows, cols));
  int rank = jn_qr_factor(&f, rows, cols, a, 1e-7, work);
  free(work);
  free(a);
  return rank;
}

static void check_cartesian(const jn_model *m)
{
  int design_dof = m->ncoord;
  for (int i = 0; i < m->nset; i++) design_dof -= m->set[i].design_rank;
  assert_int_equal(6 * m->spec->nbody - cartesian_rank(m), design_dof);
}

static void all_joints_at_once(const jn_spec *spec, const char *file)
{
  (void)file;
  jn_model *m = jt_compile(spec, NULL);
  check_cartesian(m);
  jn_model_free(m);
}

static void degrees_of_freedom_are_those_of_all_joints_at_once(void **state)
{
  (void)state;
  on_every_model(100, all_joints_at_once);
  jt_random r = {37};
  int looped = 0, redundant = 0;
  for (int round = 0; round < 300; round++) {
    jt_mechanism k;
    int nbody = 2 + jt_random_below(&r, 7);
    jt_random_mechanism(&k, &r, nbody, jt_random_below(&r, nbody + 5), 0.25,
                        1 + jt_random_below(&r, 5));
    jt_add_joint(&k, &r, JN_JOINT_REVOLUTE, jt_random_below(&r, nbody), jt_add_body(&k, &r));
    jn_spec *spec = jt_moving_spec(&k);
    jn_model *m = jt_compile(spec, NULL);
    check_cartesian(m);
    looped += m->nloop > 0;
    redundant += m->redundant > 0;
    jn_model_free(m);
    jn_spec_free(spec);
  }
  assert_true(looped > 100 && redundant > 30);
}

// ---- elsewhere, turned, larger and smaller ------------------------------------------------------

typedef struct change {
  m3 r;
  v3 shift;
  double scale;
} change;

static void move_point(const change *c, double x[3])
{
  v3 p = v3_add(c->shift, v3_scale(c->scale, m3_mul_v3(c->r, v3_set(x[0], x[1], x[2]))));
  x[0] = p.x, x[1] = p.y, x[2] = p.z;
}

static void turn_axis(const change *c, double x[3])
{
  v3 p = m3_mul_v3(c->r, v3_set(x[0], x[1], x[2]));
  x[0] = p.x, x[1] = p.y, x[2] = p.z;
}

static void move_points(const change *c, jn_vectors *v)
{
  for (int i = 0; i < v->n; i++) move_point(c, v->v[i]);
}

// Everything that compiling looks at, and what the reader would refuse otherwise.
static void change_spec(const change *c, jn_spec *spec)
{
  for (int i = 0; i < spec->nbody; i++) {
    jn_body_keys *b = &spec->body[i].keys;
    move_point(c, b->cg);
    for (int k = 0; k < 6; k++) b->inertia[k] *= c->scale * c->scale;
  }
  for (int i = 0; i < spec->njoint; i++) {
    jn_joint_keys *j = &spec->joint[i].keys;
    move_points(c, &j->at);
    for (int k = 0; k < j->axis.n; k++) turn_axis(c, j->axis.v[k]);
    j->lead *= c->scale;
  }
  for (int i = 0; i < spec->nforce; i++) {
    jn_force_spec *f = &spec->force[i];
    if (f->kind == JN_FORCE_TSDA) move_points(c, &f->as.tsda.at);
    if (f->kind == JN_FORCE_BUSHING) move_points(c, &f->as.bushing.at);
  }
}

static change the_change;

// How far each set is from dependent is a number without a unit.
static void check_conditioning(const jn_spec *spec, const jn_spec *other)
{
  jn_model *m = jt_compile(spec, NULL), *n = jt_compile(other, NULL);
  assert_int_equal(m->nset, n->nset);
  for (int i = 0; i < m->nset; i++)
    JT_NEAR(n->set[i].conditioning, m->set[i].conditioning, 1e-6 * m->set[i].conditioning);
  jn_model_free(m);
  jn_model_free(n);
}

static void changed_spec(const jn_spec *spec, const char *file)
{
  counts own = counts_of(spec, NULL, "as it is");
  jn_spec *moved = jt_load(file);
  change_spec(&the_change, moved);
  char *text = jt_print(moved);
  jn_spec *again = jt_parse(text);  // as a file, with what the reader has to say
  check_counts(spec, own, counts_of(again, NULL, "changed"), "changed");
  if (the_change.scale != 1.0) check_conditioning(spec, again);
  jn_spec_free(again);
  jn_spec_free(moved);
  free(text);
}

static void ranks_do_not_depend_on_where_the_model_is_or_how_it_is_turned(void **state)
{
  (void)state;
  jt_random r = {38};
  for (int i = 0; i < 3; i++) {
    v3 far = v3_scale(1e5, v3_unit(random_v3(&r)));
    the_change =
        (change){rotation_by(v3_scale(3.0, random_v3(&r))), i ? far : v3_set(0, 0, 0), 1.0};
    on_every_model(100, changed_spec);
  }
}

static void ranks_do_not_depend_on_the_size_of_the_model(void **state)
{
  (void)state;
  static const double scale[] = {1e-4, 1e-3, 1e3, 1e6};
  for (int i = 0; i < 4; i++) {
    the_change = (change){m3_identity(), v3_set(0, 0, 0), scale[i]};
    on_every_model(100, changed_spec);
  }
}

// ---- joints that do not meet --------------------------------------------------------------------

// Split the joint's point in two that are this far apart.
static void part_joint(jn_joint_spec *j, v3 gap)
{
  const double d[3] = {gap.x, gap.y, gap.z};
  assert_int_equal(j->keys.at.n, 1);
  j->keys.at.n = 2;
  for (int k = 0; k < 3; k++) j->keys.at.v[1][k] = j->keys.at.v[0][k] + d[k];
}

static void joints_that_are_a_millimetre_apart_are_closed_and_reported(void **state)
{
  (void)state;
  static const char *const file[] = {"models/corner-002.yaml",   "models/quarter-car.yaml",
                                     "models/slider-crank.yaml", "models/five-link-joints.yaml",
                                     "models/hmmwv.yaml",        "models/passenger-car.yaml"};
  int closed = 0;
  for (int f = 0; f < 6; f++) {
    jn_spec *whole = jt_load(file[f]);
    jn_model *own = jt_compile(whole, NULL);
    for (int i = 0; i < whole->njoint; i++) {
      if (whole->joint[i].keys.at.n != 1) continue;
      jn_spec *spec = jt_load(file[f]);
      part_joint(&spec->joint[i], v3_set(0.6e-3, 0.48e-3, 0.64e-3));
      jn_model *m = jt_compile(spec, NULL);
      int e = jt_edge_by_name(m, spec->joint[i].name);
      double apart = m->edge[e].apart;  // of a tree joint; of a cut one, as its loop was open
      for (int k = 0; k < m->nloop; k++)
        if (m->loop[k].cut == e && !m->in_tree[e]) apart = m->set[m->loop[k].set].closed;
      JT_LE(1e-4, apart);
      JT_LE(apart, m->in_tree[e] ? 1.001e-3 : 5e-3);
      closed += !m->in_tree[e];
      assert_int_equal(m->dof, own->dof);
      assert_int_equal(m->redundant, own->redundant);
      jn_model_free(m);
      jn_spec_free(spec);
    }
    jn_model_free(own);
    jn_spec_free(whole);
  }
  assert_true(closed > 10);
}

static void check_not_closed(const char *file, const char *joint, v3 gap)
{
  jn_spec *spec = jt_load(file);
  int i = 0;
  while (strcmp(spec->joint[i].name, joint)) i++;
  part_joint(&spec->joint[i], gap);
  jn_error err = {0};
  jn_model *m = NULL;
  assert_int_equal(jn_model_compile(spec, NULL, &m, &err), JN_E_TOPOLOGY);
  assert_null(m);
  assert_non_null(strstr(err.text, "cannot be closed"));
  assert_true(err.line > 0);
  jn_spec_free(spec);
}

static void loops_that_cannot_close_are_refused(void **state)
{
  (void)state;
  check_not_closed("models/slider-crank.yaml", "B", v3_set(0, 5, 0));    // the rod is too short
  check_not_closed("models/n-four-bar.yaml", "R0", v3_set(0, 0, 1e-3));  // out of the plane
  check_not_closed("models/andrews.yaml", "G", v3_set(0, 0, 1e-3));
  check_not_closed("models/andrews.yaml", "G", v3_set(1, 0, 0));  // out of reach
}

// ---- redundant and locked -----------------------------------------------------------------------

#define BODY(name) "  " name ": {mass: 1, cg: [0, 0, 0], inertia: [1, 1, 1]}\n"

static void check_names(const jn_model *m, int n, const int *edge, int count,
                        const char *const *name)
{
  assert_int_equal(n, count);
  for (int i = 0; i < n; i++) assert_string_equal(m->edge[edge[i]].name, name[i]);
}

// The second hinge of a door holds nothing that the first does not; one beside the axis locks it.
static void second_hinge_of_a_door_is_redundant(void **state)
{
  (void)state;
  jn_spec *spec = jt_parse("jounce: 1\nbodies:\n" BODY(
      "door") "joints:\n"
              "  high: {type: revolute, bodies: [ground, door], at: [0, 0, 2], axis: [0, 0, 1]}\n"
              "  low: {type: revolute, bodies: [ground, door], at: [0, 0, 0], axis: [0, 0, 1]}\n");
  jn_model *m = jt_compile(spec, NULL);
  assert_int_equal(m->dof, 1);
  assert_int_equal(m->redundant, 5);
  assert_false(m->singular);
  check_names(m, m->set[0].nundetermined, m->set[0].undetermined, 2,
              (const char *[]){"high", "low"});
  assert_int_equal(m->set[0].nlocked, 0);
  jn_model_free(m);
  spec->joint[1].keys.at.v[0][0] = 0.1;
  jn_error err = {0};
  assert_int_equal(jn_model_compile(spec, NULL, &m, &err), JN_E_TOPOLOGY);
  assert_non_null(strstr(err.text, "nothing can move"));
  jn_spec_free(spec);
}

static void triangle_of_hinges_is_locked_and_named(void **state)
{
  (void)state;
  jn_spec *spec = jt_parse("jounce: 1\nbodies:\n" BODY("a") BODY("b") BODY(
      "swing") "joints:\n"
               "  one: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
               "  two: {type: revolute, bodies: [a, b], at: [1, 0, 1], axis: [0, 1, 0]}\n"
               "  three: {type: revolute, bodies: [b, ground], at: [2, 0, 0], axis: [0, 1, 0]}\n"
               "  top: {type: revolute, bodies: [b, swing], at: [1, 0, 1], axis: [0, 1, 0]}\n");
  jn_model *m = jt_compile(spec, NULL);
  assert_int_equal(m->dof, 1);
  assert_int_equal(m->redundant, 3);
  int tree = 0;
  for (int i = 0; i < m->set[0].nlocked; i++) {
    assert_true(m->in_tree[m->set[0].locked[i]]);
    assert_true(m->in_loop[m->set[0].locked[i]]);
    tree++;
  }
  assert_int_equal(tree, 2);
  jn_model_free(m);
  jn_spec_free(spec);
}

// A motion takes its joint's degree of freedom, in the tree and as a cut joint.
static void driven_joint_takes_one_degree_of_freedom(void **state)
{
  (void)state;
  const char *text =
      "jounce: 1\nbodies:\n" BODY("a") BODY("b") BODY("c") BODY("swing") "joints:\n"
      "  one: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]%s}\n"
      "  two: {type: spherical, bodies: [a, b], at: [0, 0, 1]}\n"
      "  three: {type: universal, bodies: [c, b], at: [2, 0, 1], axis: [[0, 1, 0], [0, 0, 1]]}\n"
      "  four: {type: revolute, bodies: [c, ground], at: [2, 0, 0], axis: [0, 1, 0]}\n"
      "  hang: {type: revolute, bodies: [b, swing], at: [1, 0, 1], axis: [0, 1, 0]}\n";
  char filled[1024];
  snprintf(filled, sizeof filled, text, "");
  jn_spec *loose = jt_parse(filled);
  snprintf(filled, sizeof filled, text, ", motion: {channel: a.b}");
  jn_spec *driven = jt_parse(filled);
  jn_compile_opts cut = {.cut = (const char *[]){"one"}, .ncut = 1};
  assert_int_equal(counts_of(loose, NULL, "loose").dof, 2);
  assert_int_equal(counts_of(loose, &cut, "loose and cut").dof, 2);
  assert_int_equal(counts_of(driven, NULL, "driven").dof, 1);
  assert_int_equal(counts_of(driven, &cut, "driven and cut").dof, 1);
  jn_spec_free(driven);
  jn_spec_free(loose);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(displacements_form_a_group),
      cmocka_unit_test(motions_and_forces_are_seen_in_the_world_as_they_are),
      cmocka_unit_test(rows_of_a_joint_vanish_where_its_coordinates_lead),
      cmocka_unit_test(coordinates_of_a_joint_do_no_work_on_its_rows),
      cmocka_unit_test(rows_of_a_joint_are_the_gradients_of_its_residuals),
      cmocka_unit_test(twists_of_a_joint_are_the_derivatives_of_its_displacement),
      cmocka_unit_test(degrees_of_freedom_do_not_depend_on_the_base),
      cmocka_unit_test(degrees_of_freedom_do_not_depend_on_the_cuts),
      cmocka_unit_test(degrees_of_freedom_of_random_mechanisms_depend_on_neither),
      cmocka_unit_test(distance_joints_in_the_tree_leave_the_degrees_of_freedom),
      cmocka_unit_test(degrees_of_freedom_are_those_of_all_joints_at_once),
      cmocka_unit_test(ranks_do_not_depend_on_where_the_model_is_or_how_it_is_turned),
      cmocka_unit_test(ranks_do_not_depend_on_the_size_of_the_model),
      cmocka_unit_test(joints_that_are_a_millimetre_apart_are_closed_and_reported),
      cmocka_unit_test(loops_that_cannot_close_are_refused),
      cmocka_unit_test(second_hinge_of_a_door_is_redundant),
      cmocka_unit_test(triangle_of_hinges_is_locked_and_named),
      cmocka_unit_test(driven_joint_takes_one_degree_of_freedom),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
