// parents.h: the bodies that groups hang on. A file that defines LANE_CORE includes this: one source, with fused products and
// without.
//
// Each core body is seen in its own axes about its anchor; acceleration is that of the anchor, less gravity. With
// X the linear map of a motion from the parent, c the bias across the joint, S its screws about the own anchor:
//
//   A = X A_up + S q'' + c,   I_up += X' (I - U D^-1 U') X,   U = I S + F,   D = S' I S + d
//
// where F and d are what groups add that share the joint (operations.h). D is about the own anchor, because about that of the
// parent it would be a difference of products of mass and distance.
#include "base/quat.h"
#include "solve/fast/fast.h"
#include "solve/general/articulated.h"
#include "solve/integrate/integrate.h"
#include "solve/path.h"

static const v3 nil = {0, 0, 0};

// Screws about the own anchor: turns come last.
#define JOINT_MOVE                  core_move
#define JOINT_TO                    sv *
#define JOINT_Q(q, i)               ((q)[i])
#define JOINT_TURNING(to, i, u, p)  ((to)[i] = sv_make(u, nil))
#define JOINT_SLIDING(to, i, u)     ((to)[i] = sv_make(nil, u))
#define JOINT_SCREW(to, i, u, p, h) ((to)[i] = sv_make(u, v3_scale(h, u)))
#include "joints/moves.h"

// ---- kinematics -----------------------------------------------------------------------------------

JN_INLINE void place_base(const jn_system *s, jn_data *d, const lane_core *k, lane_core_data *c,
                          const double *y, double *dy)
{
  const double *q = y + k->q, *v = y + k->v;
  const q4 e = q_make(q[3], v3_make(q[4], q[5], q[6]));
  const v3 velocity = v3_load(v), spin = v3_load(v + 3), moved = v3_load(q);
  c->world = joint_sphere(e.w, q_vector(e));
  c->place = v3_add(s->frame[0].origin, moved);
  c->w = m3_tmul_v3(c->world, spin);
  c->v = m3_tmul_v3(c->world, velocity);
  const q4 rate = q_rate_world(e, spin);
  double *dq = dy + k->q;
  v3_store(dq, velocity);
  dq[3] = rate.w, dq[4] = rate.x, dq[5] = rate.y, dq[6] = rate.z;
  d->frame[0].r = c->world;
  d->frame[0].moved = moved;
  d->frame[0].velocity = velocity;
}

// On a slide, whose axes are those of the parent. drive: what is prescribed, or NULL.
JN_INLINE void place_slide(const lane_core *k, lane_core_data *c, const lane_core_data *up,
                           const jn_tree_joint *j, double q, double v, const jn_drive_state *drive)
{
  c->at = v3_axpy(q, j->axis, j->at);
  const v3 sliding = v3_scale(v, j->axis), reach = v3_cross(up->w, c->at);
  c->w = up->w;
  if (!k->leaf || k->ungrouped || k->watched) {  // its motion is read
    c->v = v3_add(v3_add(up->v, reach), sliding);
    c->world = up->world;
    c->place = v3_add(up->place, m3_mul_v3(up->world, c->at));
  }
  v3 linear = v3_cross(up->w, v3_axpy(2.0, sliding, reach));
  if (drive) linear = v3_axpy(drive->accel, j->axis, linear);
  c->bias = sv_make(nil, linear);
}

// What a joint does, in the parent's axes. Slides come before turns, so that only turns are carried aside.
typedef struct crossing {
  sv motion;
  v3 own;  // what its moving axes add to the angular acceleration
} crossing;

static crossing cross_joint(const jn_tree_joint *j, lane_core_data *c, const double *q,
                            const double *v, double *dq)
{
  crossing x = {sv_make(nil, nil), nil};
  joint_at k = {m3_identity(), j->at, false};
  for (int i = 0; i < j->nmove; i++) {
    const jn_move *m = &j->move[i];
    const joint_numbers n = {m->own, m->arm, m->pitch};
    k = core_move(k, m->kind, true, n, q, m->q, c->s, m->v);
    sv own = sv_scale(v[m->v], c->s[m->v]);
    for (int a = m->v + 1; a < m->v + jn_move_speeds(m); a++) own = sv_axpy(v[a], c->s[a], own);
    if (i > 0) x.own = v3_add(x.own, v3_cross(x.motion.a, own.a));
    x.motion = i > 0 ? sv_add(x.motion, own) : own;
    if (m->kind != JN_MOVE_SPHERE) continue;
    const q4 de = q_rate_world(q_make(q[m->q], v3_load(q + m->q + 1)), own.a);
    double *e = dq + m->q;
    e[0] = de.w, e[1] = de.x, e[2] = de.y, e[3] = de.z;
  }
  c->r = k.r;
  c->at = k.p;
  return x;
}

static void place_core(const jn_system *s, jn_data *d, const lane_core *k, lane_core_data *c,
                       const double *y, double *dy)
{
  const jn_tree_joint *j = &s->joint[k->body];
  const lane_core_data *up = k->up < 0 ? d->lane->ground : &d->lane->core[k->up];
  const jn_drive_state *drive = k->drive >= 0 ? &d->drive[k->drive] : NULL;
  const double *q = drive ? &drive->s : y + k->q, *v = drive ? &drive->rate : y + k->v;
  for (int i = 0; i < k->nv; i++) dy[k->q + i] = v[i];
  if (k->kind == JN_JOINT_TRANSLATIONAL) {
    place_slide(k, c, up, j, q[0], v[0], drive);
    return;
  }
  const crossing x = cross_joint(j, c, q, v, dy + k->q);
  const v3 reach = v3_cross(up->w, c->at);
  c->w = m3_tmul_v3(c->r, v3_add(up->w, x.motion.a));
  c->v = m3_tmul_v3(c->r, v3_add(v3_add(up->v, reach), x.motion.l));
  c->world = m3_mul(up->world, c->r);
  c->place = v3_add(up->place, m3_mul_v3(up->world, c->at));
  const v3 angular = v3_cross_add(up->w, x.motion.a, x.own);
  const v3 linear = v3_cross(up->w, v3_axpy(2.0, x.motion.l, reach));
  sv bias = sv_make(angular, linear);
  if (drive) bias = sv_axpy(drive->accel, c->s[0], bias);
  c->bias = sv_rotate_back(c->r, bias);
}

// Positions and velocities of shared joints. Prescribed angles may have any number of turns, which lanes do not reduce.
static void publish_shared(const lane_group *k, const jn_data *d, const double *y, double *to)
{
  for (int i = 0; i < k->nstate; i++) to[k->state[i].to] = y[k->state[i].from];
  for (int i = 0; i < k->ndriven; i++) {
    const lane_driven_at *a = &k->driven[i];
    const jn_drive_state *drive = &d->drive[a->drive];
    const double turn = 6.283185307179586, turns = a->whole * __builtin_rint(drive->s / turn);
    to[a->position] = r_fma(-turn, turns, drive->s);
    to[a->rate] = drive->rate;
  }
}

static void publish_parents(const jn_system *s, jn_data *d, const double *y)
{
  const jn_lane *l = s->lane;
  for (int g = 0; g < l->ngroup; g++) {
    const lane_group *k = &l->group[g];
    d->lane->parent[g][LANE_PARENT_TIME] = d->t_in;
    publish_shared(k, d, y, d->lane->shared[g]);
  }
}

static void place(const jn_system *s, jn_data *d, int core, const double *y, double *dy)
{
  place_core(s, d, &s->lane->core[core], &d->lane->core[core], y, dy);
}

static void kinematics(const jn_system *s, jn_data *d, const double *y, double *dy)
{
  const jn_lane *l = s->lane;
  for (int i = 0; i < l->ncore; i++) {
    lane_core_data *c = &d->lane->core[i];
    const lane_core *k = &l->core[i];
    if (k->laned && !k->watched) {  // but for rates of a quaternion nobody asks for more than these
      for (int m = 0; m < k->nv; m++) dy[k->q + m] = y[k->v + m];
      if (s->joint[k->body].sphere >= 0) place_core(s, d, k, c, y, dy);
    } else if (l->core[i].kind == JN_TREE_BASE)
      place_base(s, d, &l->core[i], c, y, dy);
    else
      place_core(s, d, &l->core[i], c, y, dy);
  }
  publish_parents(s, d, y);
}

// ---- equations of motion --------------------------------------------------------------------------

// L D L' of three rows. Not cofactors: with a heavy body on a light base they lose the square of the condition.
typedef struct ldl {
  double l21, l31, l32;
  v3 inverse;  // of D
} ldl;

JN_INLINE ldl ldl_factor(s3 a)
{
  ldl f;
  f.inverse.x = 1.0 / a.xx;
  f.l21 = a.xy * f.inverse.x, f.l31 = a.xz * f.inverse.x;
  f.inverse.y = 1.0 / r_fma(-f.l21, a.xy, a.yy);
  const double yz = r_fma(-f.l21, a.xz, a.yz);
  f.l32 = yz * f.inverse.y;
  f.inverse.z = 1.0 / r_fma(-f.l32, yz, r_fma(-f.l31, a.xz, a.zz));
  return f;
}

JN_INLINE v3 ldl_solve(const ldl *f, v3 b)
{
  const double y = r_fma(-f->l21, b.x, b.y), z = r_fma(-f->l32, y, r_fma(-f->l31, b.x, b.z));
  v3 x;
  x.z = z * f->inverse.z;
  x.y = r_fma(-f->l32, x.z, y * f->inverse.y);
  x.x = r_fma(-f->l21, x.y, r_fma(-f->l31, x.z, b.x * f->inverse.x));
  return x;
}

// I A = -p, in blocks.
JN_INLINE sv solve_base(ai a, sv p)
{
  const ldl m = ldl_factor(a.m);
  const m3 k = m3_rows(ldl_solve(&m, a.h.x), ldl_solve(&m, a.h.y), ldl_solve(&m, a.h.z));  // h m^-1
  const s3 left = s3_make(a.j.xx - v3_dot(k.x, a.h.x), a.j.yy - v3_dot(k.y, a.h.y),
                          a.j.zz - v3_dot(k.z, a.h.z), a.j.xy - v3_dot(k.x, a.h.y),
                          a.j.xz - v3_dot(k.x, a.h.z), a.j.yz - v3_dot(k.y, a.h.z));
  const ldl j = ldl_factor(left);
  const v3 angular = ldl_solve(&j, v3_sub(m3_mul_v3(k, p.l), p.a));
  const v3 linear = v3_neg(ldl_solve(&m, v3_add(p.l, m3_tmul_v3(a.h, angular))));
  return sv_make(angular, linear);
}

// Bias of a body that turns about its anchor: w x J w,  w x (w x h).
JN_INLINE sv turning_push(si i, v3 w)
{
  return sv_make(v3_cross(w, s3_mul_v3(i.j, w)), v3_cross(w, v3_cross(w, i.h)));
}

JN_INLINE ai ai_add_rigid(ai a, si i)
{
  const v3 h = i.h;
  const ai b = {s3_add(a.j, i.j),
                m3_rows(v3_make(a.h.x.x, a.h.x.y - h.z, a.h.x.z + h.y),
                        v3_make(a.h.y.x + h.z, a.h.y.y, a.h.y.z - h.x),
                        v3_make(a.h.z.x - h.y, a.h.z.y + h.x, a.h.z.z)),
                s3_make(a.m.xx + i.m, a.m.yy + i.m, a.m.zz + i.m, a.m.xy, a.m.xz, a.m.yz)};
  return b;
}

// A body that nothing hangs on, on a slide: S = (0, u).
static void eliminate_slide(const lane_core *k, lane_core_data *c, v3 u, lane_core_data *up,
                            const lane_set_data *set)
{
  const si i = si_shift(k->rigid, v3_neg(c->at));
  const sv own = sv_add(c->push, si_mul(k->rigid, c->bias));
  sv p = sv_shift_force(own, v3_neg(c->at));
  double d = i.m, q = c->tau[0];
  sv f = sv_make(v3_cross(i.h, u), v3_scale(i.m, u));
  if (set) {
    f = sv_add(f, set->f[0]);
    d += set->d[0];
    q += set->q[0];
  }
  c->u[0] = f;
  c->d[0] = d;
  c->e[0] = q - v3_dot(u, p.l);
  ai a = up->inertia;
  if (k->drive >= 0) {  // the force that it takes is u . A - e
    c->e[0] -= (d - i.m) * c->qdd[0];
    p = sv_axpy(c->qdd[0], sv_sub(f, sv_make(v3_cross(i.h, u), v3_scale(i.m, u))), p);
  } else {
    const sv g = sv_scale(1.0 / d, f);
    a = ai_less_outer(a, f, g);
    p = sv_axpy(c->e[0], g, p);
  }
  up->inertia = ai_add_rigid(a, i);
  up->push = sv_add(up->push, p);
}

// Any joint: D by L D L' in place of itself, few and well away from zero.
static void eliminate_joint(const lane_core *k, lane_core_data *c, lane_core_data *up,
                            const lane_set_data *set)
{
  const int n = k->nv;
  ai i = c->inertia;
  sv p = sv_add(c->push, ai_mul(i, c->bias));
  if (k->kind != JN_JOINT_TRANSLATIONAL) {
    i = ai_rotate(c->r, i);
    p = sv_rotate(c->r, p);
  }
  for (int a = 0; a < n || a == 0; a++) c->u[a] = ai_mul(i, c->s[a]);
  for (int a = 0; a < n || a == 0; a++) {
    for (int b = 0; b < n; b++) c->d[a * n + b] = sv_dot(c->s[a], c->u[b]);
    c->e[a] = c->tau[a] - sv_dot(c->s[a], p);
  }
  if (set) {
    c->d[0] += set->d[0];
    c->e[0] += set->q[0];
    const sv loops = sv_shift_force(set->f[0], c->at);
    c->u[0] = sv_add(c->u[0], loops);
    if (k->drive >= 0) {
      c->e[0] -= set->d[0] * c->qdd[0];
      p = sv_axpy(c->qdd[0], loops, p);
    }
  }
  double y[6];
  sv w[6];
  for (int a = 0; a < n && k->drive < 0; a++) {
    w[a] = c->u[a];
    y[a] = c->e[a];
    for (int b = 0; b < a; b++) {
      double x = c->d[a * n + b];
      for (int m = 0; m < b; m++) x = r_fma(-c->d[a * n + m] * c->d[b * n + m], c->d[m * n + m], x);
      c->d[a * n + b] = x / c->d[b * n + b];
      w[a] = sv_axpy(-c->d[a * n + b], w[b], w[a]);
      y[a] = r_fma(-c->d[a * n + b], y[b], y[a]);
    }
    double x = c->d[a * n + a];
    for (int m = 0; m < a; m++) x = r_fma(-c->d[a * n + m] * c->d[a * n + m], c->d[m * n + m], x);
    c->d[a * n + a] = x;
    const sv g = sv_scale(1.0 / x, w[a]);
    i = ai_less_outer(i, w[a], g);
    p = sv_axpy(y[a], g, p);
  }
  if (k->up < 0) return;
  up->inertia = ai_add(up->inertia, ai_shift(i, v3_neg(c->at)));
  up->push = sv_add(up->push, sv_shift_force(p, v3_neg(c->at)));
}

static sv body_acceleration(const lane_core *k, const lane_core_data *c, sv up)
{
  sv a = up;
  const int n = k->drive >= 0 ? 0 : k->nv;  // what is prescribed is part of the bias
  for (int m = 0; m < n; m++) a = sv_axpy(c->qdd[m], c->s[m], a);
  return sv_add(sv_rotate_back(c->r, a), c->bias);
}

// Accelerations of the joint's coordinates, and of the body where something hangs on it. up: of the parent, at the point that U is
// about.
static void joint_acceleration(const lane_core *k, lane_core_data *c, sv up, double *dv)
{
  const int n = k->nv;
  if (n == 1) {
    dv[0] = c->qdd[0] = (c->e[0] - sv_dot(up, c->u[0])) / c->d[0];
  } else if (n > 1) {
    double x[6];
    for (int m = 0; m < n; m++) {
      x[m] = c->e[m] - sv_dot(up, c->u[m]);
      for (int b = 0; b < m; b++) x[m] = r_fma(-c->d[m * n + b], x[b], x[m]);
    }
    for (int m = n - 1; m >= 0; m--) {
      x[m] = x[m] / c->d[m * n + m];
      for (int b = m + 1; b < n; b++) x[m] = r_fma(-c->d[b * n + m], x[b], x[m]);
      dv[m] = c->qdd[m] = x[m];
    }
  }
  if (!k->leaf) c->accel = body_acceleration(k, c, up);
}

// ---- shared joints ----------------------------------------------------------------------------------
//
// With c the coordinates of a set, A the acceleration of its parent body, and K_i the motion of body i per unit of them, about its
// own anchor:
//
//   (D + sum K_i' I_i K_i) c'' + F' A = Q - sum K_i' (p_i + I_i b_i),   F = sum X_i' I_i K_i + what groups give
//
// b_i is what is left of a body's acceleration with A and c'' zero. c is eliminated onto the parent body, as a joint's is.

typedef struct set_body {
  m3 r;  // to the axes of the parent body, and place there
  v3 at;
  sv rest;         // b
  sv k[LANE_SET];  // of each coordinate of its path
} set_body;

static void gather_sets(const jn_system *s, jn_data *d)
{
  const jn_lane *l = s->lane;
  for (int i = 0; i < l->nset; i++) {
    lane_set_data *a = &d->lane->set[i];
    const int n = l->set[i].n;
    for (int k = 0; k < n * n && n > 1; k++) a->d[k] = 0.0;
    for (int k = 0; k < n; k++)
      if (!l->set[i].given[k]) a->f[k] = sv_make(nil, nil), a->q[k] = 0.0;
  }
  for (int g = 0; g < l->ngroup; g++) {
    const double *w = d->lane->w[g];
    for (int i = 0; i < l->group[g].nscatter; i++) {
      const lane_scatter *k = &l->group[g].scatter[i];
      lane_set_data *a = &d->lane->set[k->set];
      const int c = k->coordinate;
      double *f = &a->f[c].a.x, *dd = &a->d[c * l->set[k->set].n + c];
      const double *from = w + k->f;
      if (k->first) {
        for (int e = 0; e < 6; e++) f[e] = from[LANES * e];
        a->q[c] = w[k->q];
        *dd = w[k->d];
      } else {
        for (int e = 0; e < 6; e++) f[e] += from[LANES * e];
        a->q[c] += w[k->q];
        *dd += w[k->d];
      }
      const int n = l->set[k->set].n;
      for (int m = 0; m < k->n; m++) {  // twice, if both are the same coordinate
        a->d[c * n + k->to[m]] += w[k->with[m]];
        a->d[k->to[m] * n + c] += w[k->with[m]];
      }
    }
  }
}

static void place_set_body(const lane_set *set, int i, const lane_core_data *c, set_body *b)
{
  set_body *own = &b[i];
  const set_body *up = set->body[i].up < 0 ? NULL : &b[set->body[i].up];
  own->r = up ? m3_mul(up->r, c->r) : c->r;
  own->at = up ? v3_add(up->at, m3_mul_v3(up->r, c->at)) : c->at;
  own->rest = c->bias;
  if (up) own->rest = sv_add(own->rest, sv_rotate_back(c->r, sv_shift_motion(up->rest, c->at)));
  for (int k = 0; k < set->body[i].n; k++) {
    const int first = set->body[i].own;
    own->k[k] =
        sv_rotate_back(c->r, k < first ? sv_shift_motion(up->k[k], c->at) : c->s[k - first]);
  }
}

static void eliminate_set(const jn_system *s, jn_data *d, const lane_set *set, lane_set_data *a)
{
  const int n = set->n;
  lane_core_data *core = d->lane->core, none, *up = set->parent < 0 ? &none : &core[set->parent];
  set_body b[LANE_SET];
  if (set->parent < 0) {  // the ground: nobody asks what is summed up
    none.push = sv_make(nil, nil);
    none.inertia = ai_from_rigid(si_make(0.0, nil, s3_make(0, 0, 0, 0, 0, 0)));
  }
  for (int k = 0; k < n; k++) {
    if (set->at[k].drive < 0) {
      a->q[k] += core[set->at[k].core].tau[set->at[k].index];
      continue;
    }
    a->qdd[k] = d->drive[set->at[k].drive].accel;
    for (int m = 0; m < n; m++) a->q[m] -= a->d[m * n + k] * a->qdd[k];
    up->push = sv_axpy(a->qdd[k], a->f[k], up->push);
  }
  for (int i = 0; i < set->nbody; i++) {
    const lane_core_data *c = &core[set->body[i].core];
    const lane_core *k = &s->lane->core[set->body[i].core];
    place_set_body(set, i, c, b);
    const bool rigid = set->body[i].rigid;
    const sv p =
        sv_add(c->push, rigid ? si_mul(k->rigid, b[i].rest) : ai_mul(c->inertia, b[i].rest));
    for (int m = 0; m < set->body[i].n; m++) {
      const int row = set->body[i].path[m];
      const sv h = rigid ? si_mul(k->rigid, b[i].k[m]) : ai_mul(c->inertia, b[i].k[m]);
      a->f[row] = sv_add(a->f[row], sv_shift_force(sv_rotate(b[i].r, h), v3_neg(b[i].at)));
      a->q[row] -= sv_dot(b[i].k[m], p);
      for (int o = 0; o <= m; o++) {
        const double x = sv_dot(b[i].k[o], h);
        const int column = set->body[i].path[o];
        a->d[row * n + column] += x;
        if (o < m) a->d[column * n + row] += x;
      }
    }
    if (set->parent < 0) continue;
    up->push = sv_add(up->push, sv_shift_force(sv_rotate(b[i].r, p), v3_neg(b[i].at)));
    up->inertia =
        rigid ? ai_add_rigid(up->inertia, si_shift(si_rotate(b[i].r, k->rigid), v3_neg(b[i].at)))
              : ai_add(up->inertia, ai_shift(ai_rotate(b[i].r, c->inertia), v3_neg(b[i].at)));
  }
  sv w[LANE_SET];
  double y[LANE_SET];
  for (int r = 0; r < set->nfree; r++) {
    const int row = set->free[r];
    double *l = a->l + r * n;
    w[r] = a->f[row];
    y[r] = a->q[row];
    for (int m = 0; m < r; m++) {  // row by row: L D first, then each over its d
      double x = a->d[row * n + set->free[m]];
      for (int o = 0; o < m; o++) x = r_fma(-l[o], a->l[m * n + o], x);
      l[m] = x;
    }
    double x = a->d[row * n + row];
    for (int m = 0; m < r; m++) {
      const double ld = l[m];
      l[m] = ld * a->l[m * n + m];
      x = r_fma(-ld, l[m], x);
      w[r] = sv_axpy(-l[m], w[m], w[r]);
      y[r] = r_fma(-l[m], y[m], y[r]);
    }
    l[r] = 1.0 / x;
    const sv g = sv_scale(l[r], w[r]);
    up->inertia = ai_less_outer(up->inertia, w[r], g);
    up->push = sv_axpy(y[r], g, up->push);
  }
}

static void set_accelerations(const jn_system *s, jn_data *d, const lane_set *set, lane_set_data *a,
                              double *dy)
{
  const int n = set->n;
  const sv up = set->parent < 0 ? d->lane->ground->accel : d->lane->core[set->parent].accel;
  double x[LANE_SET];
  for (int r = 0; r < set->nfree; r++) {
    x[r] = a->q[set->free[r]] - sv_dot(up, a->f[set->free[r]]);
    for (int m = 0; m < r; m++) x[r] = r_fma(-a->l[r * n + m], x[m], x[r]);
  }
  for (int r = set->nfree - 1; r >= 0; r--) {
    x[r] *= a->l[r * n + r];
    for (int m = r + 1; m < set->nfree; m++) x[r] = r_fma(-a->l[m * n + r], x[m], x[r]);
    a->qdd[set->free[r]] = x[r];
  }
  for (int k = 0; k < n; k++) {
    const int c = set->at[k].core, drive = set->at[k].drive;
    if (c >= 0) d->lane->core[c].qdd[set->at[k].index] = a->qdd[k];
    if (drive < 0) {
      dy[s->lane->core[c].v + set->at[k].index] = a->qdd[k];
      continue;
    }
    double effort = sv_dot(up, a->f[k]) - a->q[k];
    for (int m = 0; m < set->nfree; m++)
      effort = r_fma(a->d[k * n + set->free[m]], a->qdd[set->free[m]], effort);
    a->effort[k] = effort;
    if (c >= 0) d->lane->core[c].effort = effort;
    d->power += d->drive[drive].rate * effort;
  }
}

// ---- all of it --------------------------------------------------------------------------------------

static void gather_groups(const jn_system *s, jn_data *d)
{
  const jn_lane *l = s->lane;
  lane_core_data *core = d->lane->core;
  for (int i = 0; i < l->ncore; i++) {
    lane_core_data *c = &core[i];
    if (l->core[i].laned) continue;
    if (!l->core[i].slide) c->inertia = l->core[i].inertia;
    c->push = turning_push(l->core[i].rigid, c->w);
    if (l->core[i].ungrouped) c->push = sv_sub(c->push, c->force);
  }
  for (int g = 0; g < l->ngroup; g++) {
    const lane_group *k = &l->group[g];
    const double *sum = d->lane->sum + (size_t)g * LANE_NSUM;
    if (k->parent < 0) continue;
    lane_core_data *c = &core[k->parent];
    c->inertia = ai_add(c->inertia, jn_lane_sum_inertia(sum));
    c->push = sv_add(c->push, jn_lane_sum_push(sum));
  }
  if (l->nset) gather_sets(s, d);
}

static void eliminate(const jn_system *s, jn_data *d)
{
  const jn_lane *l = s->lane;
  lane_core_data *core = d->lane->core;
  for (int i = 0; i < l->nset && l->bodiless; i++)  // all that belongs to them is in lanes
    if (!l->set[i].nbody) eliminate_set(s, d, &l->set[i], &d->lane->set[i]);
  for (int i = l->ncore - 1; i >= 0; i--) {
    const lane_core *k = &l->core[i];
    lane_core_data *c = &core[i];
    if (k->kind == JN_TREE_BASE || k->laned) continue;
    const lane_set *set = k->set < 0 ? NULL : &l->set[k->set];
    lane_set_data *shared = set ? &d->lane->set[k->set] : NULL;
    if (k->drive >= 0) c->qdd[0] = d->drive[k->drive].accel;
    if (set && set->several) {
      if (i == set->body[0].core) eliminate_set(s, d, set, shared);  // its first, which comes last
    } else if (k->slide) {
      eliminate_slide(k, c, s->joint[k->body].axis, &core[k->up], shared);
    } else {
      eliminate_joint(k, c, k->up < 0 ? NULL : &core[k->up], shared);
    }
  }
}

static void solve(const jn_system *s, jn_data *d, double *dy)
{
  const jn_lane *l = s->lane;
  lane_core_data *core = d->lane->core;
  gather_groups(s, d);
  eliminate(s, d);
  for (int i = 0; i < l->ncore; i++) {
    const lane_core *k = &l->core[i];
    lane_core_data *c = &core[i];
    double *dv = dy + k->v;
    if (k->kind == JN_TREE_BASE) {
      c->accel = solve_base(c->inertia, c->push);
      v3_store(dv, v3_add(s->gravity, m3_mul_v3(c->world, c->accel.l)));
      v3_store(dv + 3, m3_mul_v3(c->world, c->accel.a));
      continue;
    }
    if (k->laned) continue;
    const lane_set *set = k->set < 0 ? NULL : &l->set[k->set];
    sv up = k->up < 0 ? d->lane->ground->accel : core[k->up].accel;
    if (!k->slide) up = sv_shift_motion(up, c->at);
    if (set && set->several) {
      if (i == set->body[0].core) set_accelerations(s, d, set, &d->lane->set[k->set], dy);
      if (!k->leaf) c->accel = body_acceleration(k, c, up);
      continue;
    }
    if (k->drive >= 0) {
      c->effort = sv_dot(up, c->u[0]) - c->e[0];
      d->power += d->drive[k->drive].rate * c->effort;
    }
    joint_acceleration(k, c, up, dv);
    if (set) d->lane->set[k->set].qdd[0] = c->qdd[0];
  }
  for (int i = 0; i < l->nset && l->bodiless; i++)
    if (!l->set[i].nbody) set_accelerations(s, d, &l->set[i], &d->lane->set[i], dy);
  for (int g = 0; g < l->ngroup; g++) {
    const lane_group *k = &l->group[g];
    double *shared = d->lane->shared[g];
    for (int i = 0; i < k->nreply; i++)
      shared[k->reply[i].to] = d->lane->set[k->reply[i].set].qdd[k->reply[i].from];
  }
}

#include "solve/fast/straight.h"

// What is open in all loops, row by row.
static double largest_open(const jn_system *s, const jn_data *d)
{
  double largest = 0.0;
  for (int g = 0; g < s->lane->ngroup; g++) {
    const lane_group *k = &s->lane->group[g];
    for (int i = 0; i < k->nrow * LANES; i++) {
      const int row = i / LANES, lane = i % LANES;
      const double x = d->lane->w[g][LANES * (k->side + 2 * row) + lane] * k->open[i];
      largest = __builtin_fabs(x) <= largest ? largest : __builtin_fabs(x);
    }
  }
  return largest;
}

// Of all loops, at the last evaluation; free lanes are copies of the first, or zero. Squares of what is open are summed up, which
// is cheap: with the largest scale, no row has a residual of more than the root of that.
static jn_health health(const jn_system *s, const jn_data *d)
{
  typedef double four __attribute__((vector_size(32)));
  typedef long mask __attribute__((vector_size(32)));
  four pivots = {0, 0, 0, 0}, sum = {0, 0, 0, 0};
  for (int g = 0; g < s->lane->ngroup; g++) {
    const lane_group *k = &s->lane->group[g];
    if (k->worst < 0) continue;
    const four *w = (const four *)__builtin_assume_aligned(d->lane->w[g], 32);
    const four x = w[k->worst];
    four squares = {0, 0, 0, 0};
    const mask less = (mask)(x <= pivots);
    pivots = (four)((less & (mask)pivots) | (~less & (mask)x));
    const four *side = w + k->side;
#pragma GCC unroll 4
    for (int i = 0; i < k->nrow; i++) squares += side[2 * i] * side[2 * i];
    sum += squares * k->square;
  }
  typedef double two __attribute__((vector_size(16)));
  const two low = __builtin_shufflevector(pivots, pivots, 0, 1),
            high = __builtin_shufflevector(pivots, pivots, 2, 3);
  const double first = low[0] <= high[0] ? high[0] : low[0],
               second = low[1] <= high[1] ? high[1] : low[1];
  const two half =
      __builtin_shufflevector(sum, sum, 0, 1) + __builtin_shufflevector(sum, sum, 2, 3);
  jn_health k = {first <= second ? second : first, JN_OPEN};
  if (!(half[0] + half[1] <= JN_OPEN * JN_OPEN)) k.open = largest_open(s, d);
  return k;
}

// Rates of nq coordinates against JN_FASTEST, of nv velocities against JN_STEEPEST, squares summed up; other states have to be
// finite.
static bool is_bounded(const double *dy, int nq, int nv, int n)
{
  typedef double four __attribute__((vector_size(32)));
  four fast = {0, 0, 0, 0}, steep = {0, 0, 0, 0};
#pragma GCC unroll 4
  for (int i = 0; i + 4 <= nq; i += 4) {
    const four x = *(const four *)__builtin_assume_aligned(dy + i, 32);
    fast += x * x;
  }
#pragma GCC unroll 4
  for (int i = nq; i + 4 <= nq + nv; i += 4) {
    const four x = *(const four *)__builtin_assume_aligned(dy + i, 32);
    steep += x * x;
  }
#pragma GCC unroll 4
  for (int i = nq + nv; i + 4 <= n; i += 4)
    fast += *(const four *)__builtin_assume_aligned(dy + i, 32) * 0.0;
  const four sum =
      fast * (1.0 / (JN_FASTEST * JN_FASTEST)) + steep * (1.0 / (JN_STEEPEST * JN_STEEPEST));
  return (sum[0] + sum[1]) + (sum[2] + sum[3]) <= 1.0;
}

static void kinematics_of(const jn_system *s, jn_data *d, const double *y, double *dy)
{
  if (s->lane->straight)
    straight_kinematics(s, d, y, dy);
  else
    kinematics(s, d, y, dy);
}

static void solve_of(const jn_system *s, jn_data *d, double *dy)
{
  if (s->lane->straight)
    straight_solve(s, d, dy);
  else
    solve(s, d, dy);
}

// The same of the rest, whose joints have their positions and velocities where the general path has them.
static void publish_joints(const lane_group *k, const jn_data *d, const double *y, double *to)
{
  (void)y;
  publish_shared(k, d, d->y, to);
}

static void kinematics_of_rest(const jn_system *s, jn_data *d, const double *y, double *dy)
{
  jn_lane_rest_kinematics(s, d, y, dy);
  publish_parents(s, d, d->y);
}

static jn_health health_of_rest(const jn_system *s, const jn_data *d)
{
  return jn_lane_rest_health(s, d, health(s, d));
}

const lane_core_engine LANE_CORE[2] = {
    {kinematics_of, place, publish_shared, solve_of, health, is_bounded, LANE_METHODS},
    {kinematics_of_rest, place, publish_joints, jn_lane_rest_solve, health_of_rest, is_bounded,
     LANE_METHODS}};
