// straight.h: a core of a floating base that all groups hang on, and at most one free slide on it, which may be shared: a rack. Most
// vehicles have no other. parents.h computes the same for any core, by loops over bodies and through memory; here it is one
// piece of code without a loop over bodies, which keeps in registers what the next line needs. The operations and their order are
// those of parents.h, so that bits are the same.

typedef double straight_four __attribute__((vector_size(32), aligned(8)));

// place_base, publish_parents and place_core of a slide.
static void straight_kinematics(const jn_system *s, jn_data *d, const double *y, double *dy)
{
  const jn_lane *l = s->lane;
  lane_core_data *c = d->lane->core;
  const lane_core *k = l->core;
  place_base(s, d, k, c, y, dy);
  c->time = d->t_in;
  for (int g = 0; g < l->ngroup; g++) publish_shared(&l->group[g], d, y, d->lane->shared[g]);
  if (l->ncore < 2) return;
  const lane_core *own = &l->core[1];
  dy[own->q] = y[own->v];
  place_slide(own, &c[1], c, &s->joint[own->body], y[own->q], y[own->v], NULL);
}

// What groups give a rack. The first of them is added to -0, which changes no bit of it.
typedef struct straight_shared {
  sv f;
  double q, d;
} straight_shared;

static straight_shared straight_gather(const jn_system *s, const jn_data *d)
{
  const jn_lane *l = s->lane;
  const v3 none = {-0.0, -0.0, -0.0};
  straight_shared a = {sv_make(none, none), -0.0, -0.0};
  for (int g = 0; g < l->ngroup; g++) {
    const double *w = d->lane->w[g];
    const lane_scatter *k = l->group[g].scatter, *end = k + l->group[g].nscatter;
    for (; k < end; k++) {
      const double *f = w + k->f;
      a.f = sv_add(a.f, sv_make(v3_make(f[0], f[LANES], f[2 * LANES]),
                                v3_make(f[3 * LANES], f[4 * LANES], f[5 * LANES])));
      a.q += w[k->q];
      a.d += w[k->d];
    }
  }
  return a;
}

// gather_groups, eliminate_slide, solve_base and joint_acceleration.
static void straight_solve(const jn_system *s, jn_data *d, double *dy)
{
  const jn_lane *l = s->lane;
  lane_core_data *c = d->lane->core;
  const lane_core *base = l->core, *own = &l->core[1];
  const v3 w = c->w;
  double total[LANE_SUM_P];  // inertia, in the order of sums
  _Static_assert(sizeof total == sizeof(ai), "sums begin with an articulated inertia");
  sv push = turning_push(base->rigid, w);
  if (base->ungrouped) push = sv_sub(push, c->force);
  const double *from = &base->inertia.j.xx;
  for (int g = 0; g < l->ngroup; g++, from = total) {
    const double *sum = d->lane->sum + (size_t)g * LANE_NSUM;
#pragma GCC unroll 8
    for (int i = 0; i + 4 <= LANE_SUM_P; i += 4)
      *(straight_four *)(total + i) =
          *(const straight_four *)(from + i) + *(const straight_four *)(sum + i);
    total[LANE_SUM_P - 1] = from[LANE_SUM_P - 1] + sum[LANE_SUM_P - 1];
    push = sv_add(push, jn_lane_sum_push(sum));
  }
  ai a;
  __builtin_memcpy(&a, from, sizeof a);
  double e = 0.0, mass = 1.0;
  sv f = sv_make(nil, nil);
  if (l->ncore > 1) {
    const lane_core_data *slide = &d->lane->core[1];
    const v3 u = s->joint[own->body].axis, at = slide->at;
    const si i = si_shift(own->rigid, v3_neg(at));
    sv turning = turning_push(own->rigid, w);
    if (own->ungrouped) turning = sv_sub(turning, slide->force);
    sv p = sv_shift_force(sv_add(turning, si_mul(own->rigid, slide->bias)), v3_neg(at));
    double tau = slide->tau[0];
    mass = i.m;
    f = sv_make(v3_cross(i.h, u), v3_scale(i.m, u));
    if (own->set >= 0) {
      const straight_shared given = straight_gather(s, d);
      f = sv_add(f, given.f);
      mass += given.d;
      tau += given.q;
    }
    e = tau - v3_dot(u, p.l);
    const sv g = sv_scale(1.0 / mass, f);
    a = ai_add_rigid(ai_less_outer(a, f, g), i);
    push = sv_add(push, sv_axpy(e, g, p));
  }
  const sv up = solve_base(a, push);
  const m3 world = c->world;
  double *dv = dy + base->v;
  c->accel = up;
  v3_store(dv, v3_add(s->gravity, m3_mul_v3(world, up.l)));
  v3_store(dv + 3, m3_mul_v3(world, up.a));
  if (l->ncore < 2) return;
  const double qdd = (e - sv_dot(up, f)) / mass;
  dy[own->v] = d->lane->core[1].qdd[0] = qdd;
  for (int g = 0; g < l->ngroup; g++) {
    const lane_given_at *k = l->group[g].reply, *end = k + l->group[g].nreply;
    double *shared = d->lane->shared[g];
    for (; k < end; k++) shared[k->to] = qdd;
  }
}
