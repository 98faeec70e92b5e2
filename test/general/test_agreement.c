// Three formulations, several bases, several choices of cut joints: one mechanism. At random
// assembled states of every model they give the same accelerations of the bodies, the same
// resultant of constraint forces on each body and, where these are determined, the same reactions
// of each joint.
//
// JN_AGREEMENT_STATES=20000 in the environment draws more states than the usual 1,000.
#include <dirent.h>

#include "joint_states.h"

enum { VARIANTS = 4, MOST_BODIES = 100, FORMULATIONS = JN_NFORMULATION };

// Agreement that is asked for, relative to the largest acceleration with or without constraints.
static const double AGREEMENT = 1e-9;
static const double CONDITION = 1e6;  // of the scaled rows; states beyond it are drawn again

typedef struct variant {
  jn_model *m;
  jt_run k[FORMULATIONS];
  jt_closer closer;
  int rank;      // of all rows, in general
  int *channel;  // of a joint's fx, -1: it has none (nfile_edge); the same in all formulations
} variant;

typedef struct deviation {
  double linear, angular, force, moment, joint_force, joint_moment, balance;
} deviation;

typedef struct mechanism {
  const char *file;
  jn_spec *spec;
  int n;
  variant v[VARIANTS];
  bool *undetermined;  // reaction of a joint (nfile_edge)
  int states, closed_redraws, condition_redraws;
  double condition;  // largest that was taken
  deviation worst;
} mechanism;

// ---- variants ----------------------------------------------------------------------------------

static bool same_tree(const jn_model *a, const jn_model *b)
{
  for (int e = 0; e < a->nfile_edge; e++)
    if (a->in_tree[e] != b->in_tree[e]) return false;
  for (int v = 0; v < a->nnode; v++)
    if (a->parent[v] != b->parent[v]) return false;
  return true;
}

static void take_variant(mechanism *k, jn_model *m)
{
  variant *v = &k->v[k->n++];
  v->m = m;
  for (int f = 0; f < FORMULATIONS; f++) v->k[f] = jt_run_of(m, (jn_formulation)f);
  v->closer = jt_closer_of(v->k[0].s);
  for (int i = 0; i < m->nset; i++) {
    assert_true(m->set[i].ranked);
    v->rank += m->set[i].rank;
    for (int j = 0; j < m->set[i].nundetermined; j++) {
      const int e = m->set[i].undetermined[j];
      if (e < m->nfile_edge) k->undetermined[e] = true;
    }
  }
  v->channel = malloc(((size_t)m->nfile_edge + 1) * sizeof *v->channel);
  assert_non_null(v->channel);
  for (int e = 0; e < m->nfile_edge; e++) {
    char name[128];
    snprintf(name, sizeof name, "joint.%s.fx", m->edge[e].name);
    v->channel[e] = jn_channel_find(v->k[0].s, name);
  }
}

// The automatic tree, then others: any base, one to three joints that must be cut. What cannot be
// is refused.
static void find_variants(mechanism *k, jt_random *r)
{
  take_variant(k, jt_compile(k->spec, NULL));
  const jn_model *first = k->v[0].m;
  for (int attempt = 0; attempt < 60 && k->n < VARIANTS; attempt++) {
    const char *cut[3];
    jn_compile_opts opts = {.cut = cut};
    const int kind = attempt % 3;
    if (kind != 1) opts.base = jn_node_name(first, jt_random_below(r, first->nnode));
    if (kind != 0 && first->nfile_edge)
      for (opts.ncut = 0; opts.ncut <= jt_random_below(r, 3); opts.ncut++)
        cut[opts.ncut] = first->edge[jt_random_below(r, first->nfile_edge)].name;
    jn_error err = {0};
    jn_model *m = NULL;
    if (jn_model_compile(k->spec, &opts, &m, &err)) continue;
    bool known = false;
    for (int i = 0; i < k->n; i++) known |= same_tree(m, k->v[i].m);
    if (known)
      jn_model_free(m);
    else
      take_variant(k, m);
  }
}

// ---- states ------------------------------------------------------------------------------------

// Frobenius norm of T times that of its inverse, T the triangle of the orthogonal factors: at least
// the condition number, at most rank times that. INFINITY: of lower rank than in general.
static double condition_of(variant *v)
{
  const jt_run *k = &v->k[JN_FORMULATION_RECURSIVE];
  const jn_system *s = k->s;
  if (!s->nrow) return 1.0;
  jt_scaled_rows(k, v->closer.j);
  jn_qr f;
  if (jn_qr_factor(&f, s->nrow, s->nv, v->closer.j, 1e-8, v->closer.work) < v->rank)
    return INFINITY;
  const size_t n = (size_t)s->nv, m = (size_t)v->rank;
  double norm = 0.0, inverse = 0.0, *x = v->closer.x;
  for (size_t i = 0; i < m; i++)
    for (size_t j = i; j < m; j++) norm += f.a[i * n + j] * f.a[i * n + j];
  for (size_t c = 0; c < m; c++)
    for (size_t i = c + 1; i-- > 0;) {  // column c of the inverse
      double sum = i == c ? 1.0 : 0.0;
      for (size_t j = i + 1; j <= c; j++) sum -= f.a[i * n + j] * x[j];
      x[i] = sum / f.a[i * n + i];
      inverse += x[i] * x[i];
    }
  return sqrt(norm * inverse);
}

static void draw(jt_run *k, jt_random *r)
{
  const jn_system *s = k->s;
  jn_data *d = k->d;
  const double wide = jt_random_in(r, 0.05, 1.0);  // near the design position, and far from it
  double *v = d->y + s->nq;
  memcpy(d->y, s->y0, (size_t)(s->nq + s->nv + s->nx) * sizeof *d->y);
  for (int i = s->nframe; i < s->nbody; i++) {
    const jn_tree_joint *j = &s->joint[i];
    const bool base = j->kind == JN_TREE_BASE;
    for (int m = 0; m < j->scalars; m++) {
      const bool angle = s->coordinate_angle[j->v + m];
      d->y[j->q + m] += jt_random_in(r, -1, 1) * (base ? 5.0 : wide * (angle ? 1.5 : 0.1));
    }
    for (int m = 0; m < j->nv; m++)
      v[j->v + m] = jt_random_in(r, -1, 1) * (s->coordinate_angle[j->v + m] ? 3.0
                                              : base                        ? 20.0
                                                                            : 1.0);
    if (j->sphere < 0) continue;
    double *e = d->y + j->sphere;
    q4 turn = jt_random_turn(r);
    if (!base)
      turn = q_mul(q_exp(v3_scale(wide, jt_random_v3(r, 0.8))), q_make(e[0], v3_load(e + 1)));
    e[0] = turn.w, e[1] = turn.x, e[2] = turn.y, e[3] = turn.z;
  }
  for (int i = 0; i < s->nx; i++) v[s->nv + i] = jt_random_in(r, -0.1, 0.1);
  k->t = d->offset = jt_random_in(r, 0.01, 0.99);
  for (int i = 0; i < s->ninput; i++)
    jn_input_set(d, s->first_input + i, jt_random_in(r, -0.1, 0.1), jt_random_in(r, -1, 1));
}

// The state of the first run, in all others. False: rows are too near to depending on each other in
// one of them.
static bool spread(mechanism *k, const jt_body *at)
{
  const jt_run *first = &k->v[0].k[JN_FORMULATION_RECURSIVE];
  double worst = 0.0;
  for (int i = 0; i < k->n; i++) {
    for (int f = 0; f < FORMULATIONS; f++) {
      jt_run *x = &k->v[i].k[f];
      if (x == first) continue;
      assert_true(x->s->nx == first->s->nx && x->s->ninput == first->s->ninput);
      x->t = x->d->offset = first->t;
      memcpy(x->d->y + x->s->nq + x->s->nv, first->d->y + first->s->nq + first->s->nv,
             (size_t)x->s->nx * sizeof(double));
      for (int c = 0; c < x->s->ninput; c++)
        jn_input_set(x->d, x->s->first_input + c, first->d->in[c][0], first->d->in[c][1]);
      // Rounding of places of up to 10 m and speeds of up to 100 m/s, in a chain of bodies.
      const double apart = jt_transfer(x, at);
      if (!(apart < 1e-11))
        fail_msg("%s, tree %d: the state cannot be taken over: %g apart", k->file, i, apart);
    }
    worst = fmax(worst, condition_of(&k->v[i]));
  }
  if (worst < CONDITION) k->condition = fmax(k->condition, worst);
  return worst < CONDITION;
}

// ---- what comes out ----------------------------------------------------------------------------

typedef struct outcome {
  jt_body at[MOST_BODIES + 1];
  v3 applied_f[MOST_BODIES + 1], applied_m[MOST_BODIES + 1];  // about the cg
  v3 held_f[MOST_BODIES + 1], held_m[MOST_BODIES + 1];        // sum of reactions, about the cg
  v3 joint_f[2 * MOST_BODIES], joint_m[2 * MOST_BODIES];      // at the second body's point
} outcome;

// Force elements about a joint of the tree are generalised forces; on bodies they are pairs of
// moments or forces.
static void add_joint_springs(const jt_run *k, outcome *o)
{
  const jn_system *s = k->s;
  for (int i = 0; i < s->nelement; i++) {
    const jn_coordinate *r = &s->element[i].in;
    if (r->v < 0) continue;
    int body = s->nframe;
    while (!(r->v >= s->joint[body].v && r->v < s->joint[body].v + s->joint[body].nv)) body++;
    const int up = s->body[body].parent, own = s->body[body].node, node = s->body[up].node;
    const m3 frame = k->d->frame[s->body[body].frame].r;
    const v3 u = m3_mul_v3(frame, m3_mul_v3(k->d->pose[up].r, s->joint[body].axis));
    const v3 load = v3_scale(-k->d->element[s->element[i].output + 2], u);
    if (r->angular) {
      o->applied_m[own] = v3_add(o->applied_m[own], load);
      o->applied_m[node] = v3_sub(o->applied_m[node], load);
      continue;
    }
    const v3 p = jt_anchor(k, body, &o->at[own]);
    o->applied_f[own] = v3_add(o->applied_f[own], load);
    o->applied_m[own] = v3_add(o->applied_m[own], v3_cross(v3_sub(p, o->at[own].p), load));
    o->applied_f[node] = v3_sub(o->applied_f[node], load);
    o->applied_m[node] = v3_sub(o->applied_m[node], v3_cross(v3_sub(p, o->at[node].p), load));
  }
}

static void look(const variant *v, const jt_run *k, outcome *o)
{
  const jn_system *s = k->s;
  const jn_model *m = v->m;
  const v3 zero = v3_set(0, 0, 0);
  jt_see_all(k, o->at);
  for (int n = 0; n < m->nnode; n++)
    o->applied_f[n] = o->applied_m[n] = o->held_f[n] = o->held_m[n] = zero;
  for (int i = s->nframe; i < s->nbody; i++) {
    const int node = s->body[i].node;
    const m3 frame = k->d->frame[s->body[i].frame].r;
    const sv f = sv_shift_force(k->d->force[i], jt_cg_about(k, i));
    o->applied_f[node] = v3_axpy(s->body[i].mass, s->gravity, m3_mul_v3(frame, f.l));
    o->applied_m[node] = m3_mul_v3(frame, f.a);
  }
  add_joint_springs(k, o);
  for (int e = 0; e < m->nfile_edge; e++) {
    const double *w = v->channel[e] < 0 ? NULL : jn_row(k->d) + v->channel[e];
    const v3 f = w ? v3_load(w) : zero, moment = w ? v3_load(w + 3) : zero;
    const int a = m->edge[e].a, b = m->edge[e].b;
    const v3 p = jt_joint_point(k, e, o->at);
    o->joint_f[e] = f, o->joint_m[e] = moment;
    o->held_f[b] = v3_add(o->held_f[b], f);
    o->held_f[a] = v3_sub(o->held_f[a], f);
    o->held_m[b] = v3_add(o->held_m[b], v3_add(moment, v3_cross(v3_sub(p, o->at[b].p), f)));
    o->held_m[a] = v3_sub(o->held_m[a], v3_add(moment, v3_cross(v3_sub(p, o->at[a].p), f)));
  }
}

typedef struct scales {
  double linear, angular, force, moment, joint_force, joint_moment;
} scales;

static v3 solve3(s3 a, v3 b)  // by Cramer's rule
{
  const m3 f = s3_full(a);
  const m3 co = m3_rows(v3_cross(f.y, f.z), v3_cross(f.z, f.x), v3_cross(f.x, f.y));
  return v3_scale(1.0 / v3_dot(f.x, co.x), m3_tmul_v3(co, b));
}

// The largest of |a| and |M^-1 Q|, Q with what spin brings; and the forces that belong to them.
// Weight has no moment about a centre of gravity, but turns what joints hold: over their arms it
// belongs to the scale of angular accelerations, which would otherwise vanish where a mechanism
// rests in equilibrium.
static scales scales_of(const jt_run *k, const outcome *o)
{
  const jn_system *s = k->s;
  scales c = {0};
  double longest = 0.0;
  for (int i = s->nframe; i < s->nbody; i++) {
    const int n = s->body[i].node;
    const jt_body *x = &o->at[n];
    const double mass = s->body[i].mass;
    const s3 inertia = s3_rotate(x->r, s->body[i].inertia);
    const v3 q = v3_sub(o->applied_m[n], v3_cross(x->w, s3_mul_v3(inertia, x->w)));
    c.linear = fmax(c.linear, fmax(v3_norm(x->a), v3_norm(o->applied_f[n]) / mass));
    c.angular = fmax(c.angular, fmax(v3_norm(x->dw), v3_norm(solve3(inertia, q))));
    c.force = fmax(c.force, fmax(mass * v3_norm(x->a), v3_norm(o->applied_f[n])));
    c.moment = fmax(c.moment, fmax(v3_norm(s3_mul_v3(inertia, x->dw)), v3_norm(q)));
  }
  for (int e = 0; e < s->model->nfile_edge; e++) {
    c.joint_force = fmax(c.joint_force, v3_norm(o->joint_f[e]));
    const int a = s->model->edge[e].a, b = s->model->edge[e].b;
    const v3 p = jt_joint_point(k, e, o->at);
    const double arm =
        fmax(a ? v3_norm(v3_sub(p, o->at[a].p)) : 0.0, b ? v3_norm(v3_sub(p, o->at[b].p)) : 0.0);
    longest = fmax(longest, arm);
    c.joint_moment =
        fmax(c.joint_moment, fmax(v3_norm(o->joint_m[e]), arm * v3_norm(o->joint_f[e])));
  }
  if (longest > 0.0) c.angular = fmax(c.angular, c.linear / longest);
  c.joint_force = fmax(c.joint_force, c.force);
  c.joint_moment = fmax(c.joint_moment, c.moment);
  return c;
}

static void raise(double *worst, v3 a, v3 b, double scale)
{
  const double apart = v3_norm(v3_sub(a, b)),
               x = apart == 0.0 ? 0.0 : apart / scale;  // a body at rest has no scale
  if (!(x <= *worst)) *worst = x;
}

static void compare(mechanism *k, const outcome *a, const outcome *b, const scales *c, deviation *w)
{
  const jn_model *m = k->v[0].m;
  for (int n = 1; n < m->nnode; n++) {
    raise(&w->linear, a->at[n].a, b->at[n].a, c->linear);
    raise(&w->angular, a->at[n].dw, b->at[n].dw, c->angular);
    raise(&w->force, a->held_f[n], b->held_f[n], c->joint_force);
    raise(&w->moment, a->held_m[n], b->held_m[n], c->joint_moment);
  }
  for (int e = 0; e < m->nfile_edge; e++) {
    if (k->undetermined[e]) continue;
    raise(&w->joint_force, a->joint_f[e], b->joint_f[e], c->joint_force);
    raise(&w->joint_moment, a->joint_m[e], b->joint_m[e], c->joint_moment);
  }
}

// Newton and Euler: what joints and force elements put on a body is what moves it.
static void balance(const jt_run *k, const outcome *o, const scales *c, deviation *w)
{
  const jn_system *s = k->s;
  for (int i = s->nframe; i < s->nbody; i++) {
    const int n = s->body[i].node;
    const jt_body *x = &o->at[n];
    const s3 inertia = s3_rotate(x->r, s->body[i].inertia);
    const v3 spin = v3_add(s3_mul_v3(inertia, x->dw), v3_cross(x->w, s3_mul_v3(inertia, x->w)));
    raise(&w->balance, v3_add(o->held_f[n], o->applied_f[n]), v3_scale(s->body[i].mass, x->a),
          c->joint_force);
    raise(&w->balance, v3_add(o->held_m[n], o->applied_m[n]), spin, c->joint_moment);
  }
}

// ---- models ------------------------------------------------------------------------------------

static double largest(const deviation *w)
{
  const double x[] = {w->linear,      w->angular,      w->force,  w->moment,
                      w->joint_force, w->joint_moment, w->balance};
  double most = 0.0;
  for (size_t i = 0; i < sizeof x / sizeof *x; i++)
    if (!(x[i] <= most)) most = x[i];
  return most;
}

static int state_count(const jn_model *m)
{
  const char *given = getenv("JN_AGREEMENT_STATES");
  if (given) return atoi(given);
  return !JT_SLOW ? 1000 : m->nnode > 40 ? 6 : 30;  // large ones are dense in two formulations
}

static void check_model(const char *file)
{
  static outcome first, other;
  jt_random r = {1};
  for (const char *c = file; *c; c++) r.state = r.state * 31 + (unsigned char)*c;
  mechanism k = {.file = file, .spec = jt_load(file)};
  if (k.spec->nbody > MOST_BODIES) {
    jn_spec_free(k.spec);
    return;
  }
  k.undetermined = calloc((size_t)k.spec->njoint + 1, sizeof *k.undetermined);
  assert_true(k.undetermined && k.spec->njoint < 2 * MOST_BODIES);
  find_variants(&k, &r);
  variant *v = &k.v[0];
  jt_run *run = &v->k[JN_FORMULATION_RECURSIVE];
  const int want = state_count(v->m);
  while (k.states < want) {
    if (k.closed_redraws + k.condition_redraws > 20 * want + 1000)
      fail_msg("%s: hardly a state can be assembled", file);
    draw(run, &r);
    if (run->s->nrow && !(jt_close(run, &v->closer) < 1e-13)) {
      k.closed_redraws++;
      continue;
    }
    if (!(condition_of(v) < CONDITION)) {
      k.condition_redraws++;
      continue;
    }
    jt_project(run, &v->closer);
    jt_look(run);
    jt_see_all(run, first.at);
    if (!spread(&k, first.at)) {
      k.condition_redraws++;
      continue;
    }
    k.states++;
    jt_transfer(run, first.at);  // angles within one turn
    jt_evaluate(run);
    look(v, run, &first);
    const scales c = scales_of(run, &first);
    balance(run, &first, &c, &k.worst);
    for (int i = 0; i < k.n; i++)
      for (int f = 0; f < FORMULATIONS; f++) {
        jt_run *x = &k.v[i].k[f];
        if (x == run) continue;
        jt_evaluate(x);
        look(&k.v[i], x, &other);
        deviation w = {0};
        compare(&k, &first, &other, &c, &w);
        balance(x, &other, &c, &w);
        if (!(largest(&w) <= AGREEMENT) && getenv("JN_AGREEMENT_SHOW"))
          printf("  tree %d, %s: %.1e %.1e %.1e %.1e %.1e %.1e %.1e, condition %.1e and %.1e\n", i,
                 jn_sim_word_of("formulation", f), w.linear, w.angular, w.force, w.moment,
                 w.joint_force, w.joint_moment, w.balance, condition_of(v), condition_of(&k.v[i]));
#define WORSE(x) k.worst.x = w.x <= k.worst.x ? k.worst.x : w.x
        WORSE(linear), WORSE(angular), WORSE(force), WORSE(moment), WORSE(joint_force),
            WORSE(joint_moment), WORSE(balance);
#undef WORSE
      }
  }
  printf("%-38s %5d %6d %6d %6d %9.1e %8.1e %8.1e %8.1e %8.1e %8.1e %8.1e %8.1e\n", file, k.n,
         k.states, k.closed_redraws, k.condition_redraws, k.condition, k.worst.linear,
         k.worst.angular, k.worst.force, k.worst.moment, k.worst.joint_force, k.worst.joint_moment,
         k.worst.balance);
  fflush(stdout);
  const bool agree = largest(&k.worst) <= AGREEMENT;
  for (int i = 0; i < k.n; i++) {
    for (int f = 0; f < FORMULATIONS; f++) jt_run_free(&k.v[i].k[f]);
    jt_closer_free(&k.v[i].closer);
    free(k.v[i].channel);
    jn_model_free(k.v[i].m);
  }
  free(k.undetermined);
  jn_spec_free(k.spec);
  if (!agree) fail_msg("%s: deviations above %g", file, AGREEMENT);
}

static int by_name(const void *a, const void *b)
{
  return strcmp(a, b);
}

static void check_folder(const char *folder)
{
  enum { FILES = 128, NAME = 512 };
  static char file[FILES][NAME];
  int n = 0;
  DIR *dir = opendir(folder);
  assert_non_null(dir);
  for (struct dirent *d; (d = readdir(dir)) && n < FILES;) {
    const char *dot = strrchr(d->d_name, '.');
    if (d->d_name[0] == '.' || !dot || strcmp(dot, ".yaml")) continue;
    snprintf(file[n++], NAME, "%s/%s", folder, d->d_name);
  }
  closedir(dir);
  assert_true(n > 0 && n < FILES);
  qsort(file, (size_t)n, NAME, by_name);
  printf("%-38s %5s %6s %6s %6s %9s %8s %8s %8s %8s %8s %8s %8s\n", "", "trees", "states", "open",
         "singul", "condition", "linear", "angular", "force", "moment", "joint f", "joint m",
         "balance");
  const char *only = getenv("JN_AGREEMENT_MODEL");
  for (int i = 0; i < n; i++)
    if (!only || strstr(file[i], only)) check_model(file[i]);
}

static void formulations_trees_and_cuts_agree_on_the_models(void **state)
{
  (void)state;
  check_folder("models");
}

static void formulations_trees_and_cuts_agree_on_the_test_models(void **state)
{
  (void)state;
  check_folder("test/models");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formulations_trees_and_cuts_agree_on_the_models),
      cmocka_unit_test(formulations_trees_and_cuts_agree_on_the_test_models),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
