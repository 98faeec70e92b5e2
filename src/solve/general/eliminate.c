// eliminate.c: the equations of motion, from the leaves inwards, at the core, and outwards again.
//
// An open joint passes the articulated inertia of what hangs on it [Fea08 ch. 7]:
//
//   U = I S,  D = S' U,  I_parent += I - U D^-1 U',  p_parent += p + I c + U D^-1 (tau - S' (p + I c))
//
// A block of loops passes the same, condensed over its constraints (block.c). What is left is the core.
#include <string.h>

#include "solve/general/articulated.h"
#include "solve/general/cut_angle.h"
#include "solve/general/dense_core.h"

static const v3 zero = {0, 0, 0};

static sv parent_accel(const jn_system *s, const jn_data *d, const sv *accel, int i)
{
  if (s->joint[i].kind == JN_TREE_BASE) return sv_make(zero, zero);
  return jn_motion_of_parent(s, d, accel, i);
}

static void add_inertia(const jn_system *s, const jn_data *d, int i, ai a, ai *inertia)
{
  if (s->body[i].new_station) a = ai_shift(a, jn_to_parent(s, d, i));
  ai *up = &inertia[s->body[i].parent];
  *up = ai_add(*up, a);
}

// ---- one open joint -----------------------------------------------------------------------------

static void joint_factor(const jn_system *s, jn_data *d, int i)
{
  const jn_tree_joint *j = &s->joint[i];
  const int n = j->nv;
  const sv *col = &d->s[j->v];
  sv *u = &d->u[j->v];
  double *l = &d->d[6 * (size_t)j->v];
  ai a = d->articulated[i];
  for (int k = 0; k < n; k++) u[k] = ai_mul(a, col[k]);
  for (int k = 0; k < n; k++)
    for (int m = 0; m <= k; m++) l[k * 6 + m] = sv_dot(col[k], u[m]);
  jn_chol_plain(n, l, 6);
  sv w[6];  // L^-1 U'
  for (int k = 0; k < n; k++) {
    w[k] = u[k];
    for (int m = 0; m < k; m++) w[k] = sv_axpy(-l[k * 6 + m], w[m], w[k]);
    w[k] = sv_scale(1.0 / l[k * 6 + k], w[k]);
    a = ai_less_outer(a, w[k], w[k]);
  }
  if (j->kind != JN_TREE_BASE) add_inertia(s, d, i, a, d->articulated);
}

static void joint_backward(const jn_system *s, jn_data *d, int i)
{
  const jn_tree_joint *j = &s->joint[i];
  const int n = j->nv;
  const sv *col = &d->s[j->v], *u = &d->u[j->v];
  double *e = &d->e[j->v];
  sv p = sv_add(d->push[i], ai_mul(d->articulated[i], d->carry[i]));
  for (int k = 0; k < n; k++) e[k] = d->load[j->v + k] - sv_dot(col[k], p);
  double y[6];
  memcpy(y, e, (size_t)n * sizeof *y);
  jn_chol_forward(n, &d->d[6 * (size_t)j->v], 6, y);
  jn_chol_backward(n, &d->d[6 * (size_t)j->v], 6, y);
  for (int k = 0; k < n; k++) p = sv_axpy(y[k], u[k], p);
  if (j->kind != JN_TREE_BASE) jn_hand_on(s, d, i, p, d->push);
}

static void joint_forward(const jn_system *s, jn_data *d, int i)
{
  const jn_tree_joint *j = &s->joint[i];
  const int n = j->nv;
  const sv *col = &d->s[j->v], *u = &d->u[j->v];
  // e = tau - S' (p + I c) has what the joint carries; the parent's own acceleration is new.
  const sv up = parent_accel(s, d, d->accel, i);
  sv a = sv_add(up, d->carry[i]);
  double *x = &d->qdd[j->v];
  for (int k = 0; k < n; k++) x[k] = d->e[j->v + k] - sv_dot(up, u[k]);
  jn_chol_forward(n, &d->d[6 * (size_t)j->v], 6, x);
  jn_chol_backward(n, &d->d[6 * (size_t)j->v], 6, x);
  for (int k = 0; k < n; k++) a = sv_axpy(x[k], col[k], a);
  d->accel[i] = a;
}

// ---- core ---------------------------------------------------------------------------------------

static double *mass_at(const jn_system *s, const jn_data *d, int i, int j)
{
  const int outer = i > j ? i : j, inner = i > j ? j : i;
  return d->core->mass + s->core_first[outer] + s->core_depth[inner] - 1;
}

// Into mass, from a column's wrench on body i: every core coordinate between it and the ground.
static void wrench_into(const jn_system *s, jn_data *d, int i, sv f, int column)
{
  for (;;) {
    const jn_tree_joint *j = &s->joint[i];
    if (j->kind == JN_TREE_BASE) {  // whose motions are the frame's axes
      double *at = mass_at(s, d, column, s->core_column[i]);
      at[0] += f.l.x, at[1] += f.l.y, at[2] += f.l.z;
      at[3] += f.a.x, at[4] += f.a.y, at[5] += f.a.z;
      return;
    }
    for (int k = 0; k < j->nv; k++)
      *mass_at(s, d, column, s->core_column[i] + k) += sv_dot(d->s[j->v + k], f);
    if (s->body[i].new_station) f = sv_shift_force(f, jn_to_parent(s, d, i));
    i = s->body[i].parent;
    if (i < s->nframe) return;
  }
}

static void own_mass(const jn_system *s, jn_data *d)
{
  jn_core_data *c = d->core;
  memset(c->mass, 0, (size_t)s->core_first[s->ncore] * sizeof *c->mass);
  for (int k = 0; k < s->ncore_body; k++)
    c->composite[s->core_body[k]] = d->articulated[s->core_body[k]];
  for (int k = s->ncore_body - 1; k >= 0; k--) {
    const int i = s->core_body[k], up = s->body[i].parent;
    const jn_tree_joint *j = &s->joint[i];
    for (int m = 0; m < j->nv; m++) {
      // Own columns to the left of this one, and all further in.
      sv f = ai_mul(c->composite[i], d->s[j->v + m]);
      const int column = s->core_column[i] + m;
      for (int l = 0; l <= m; l++)
        *mass_at(s, d, column, s->core_column[i] + l) += sv_dot(d->s[j->v + l], f);
      if (j->kind == JN_TREE_BASE || up < s->nframe) continue;
      if (s->body[i].new_station) f = sv_shift_force(f, jn_to_parent(s, d, i));
      wrench_into(s, d, up, f, column);
    }
    if (up >= s->nframe) add_inertia(s, d, i, c->composite[i], c->composite);
  }
}

static void block_mass(const jn_system *s, jn_data *d, int b)
{
  const jn_block *k = &s->block[b];
  const jn_block_data *kd = &d->block[b];
  int x = 0;
  for (int g = 0; g < k->ncore; g++)
    for (int m = 0; m < s->joint[k->core[g]].nv; m++, x++) {
      const int column = s->core_column[k->core[g]] + m;
      if (k->top >= s->nframe) wrench_into(s, d, k->top, jn_block_coupling(k, kd, x), column);
      int y = 0;
      for (int h = 0; h < k->ncore; h++)
        for (int o = 0; o < s->joint[k->core[h]].nv; o++, y++) {
          const int other = s->core_column[k->core[h]] + o;
          if (other > column) continue;
          *mass_at(s, d, column, other) += jn_block_inertia(k, kd, x, y);
        }
    }
}

static void hung_mass(const jn_system *s, jn_data *d, const jn_hung_joints *h)
{
  for (int x = 0; x < h->n; x++) {
    if (h->body >= s->nframe) wrench_into(s, d, h->body, h->f[x], h->column[x]);
    for (int y = 0; y < h->n; y++)
      if (h->column[y] <= h->column[x])
        *mass_at(s, d, h->column[x], h->column[y]) += h->d[x * h->n + y];
  }
}

static void core_mass(const jn_system *s, jn_data *d, const jn_part *p)
{
  own_mass(s, d);
  for (int b = 0; b < p->nblock; b++) block_mass(s, d, p->block[b]);
  for (int h = 0; h < p->nhung_joints; h++) hung_mass(s, d, &d->hung_joints[h]);
}

// A row's wrenches as generalised forces on the coordinates between its two bodies, packed along the cut's support.
static void row_into(const jn_system *s, const jn_data *d, const jn_support *u, int a, int b,
                     const jn_row_data *w, double *row)
{
  sv fa = w->a, fb = w->b;
  while (a != b) {
    const bool first = a > b;  // parents have lower numbers: the higher one steps
    int *i = first ? &a : &b;
    sv *f = first ? &fa : &fb;
    const jn_tree_joint *j = &s->joint[*i];
    for (int k = 0; k < j->nv; k++) {
      const double x = sv_dot(d->s[j->v + k], *f);
      const int place = s->core_depth[s->core_column[*i] + k] - 1;
      row[!first && place >= u->common ? place + u->a : place] += first ? -x : x;
    }
    if (s->body[*i].new_station) *f = sv_shift_force(*f, jn_to_parent(s, d, *i));
    *i = j->kind == JN_TREE_BASE ? s->body[*i].frame : s->body[*i].parent;
    if (a < s->nframe && b < s->nframe) return;
  }
}

static void core_rows(const jn_system *s, jn_data *d)
{
  jn_core_data *c = d->core;
  memset(c->jacobian, 0, (size_t)s->core_row_first[s->ncore_row] * sizeof *c->jacobian);
  int at = 0;
  for (int k = 0; k < s->ncore_cut; k++) {
    const jn_cut *cut = &s->cut[s->core_cut[k]];
    for (int r = 0; r < cut->nrow; r++, at++)
      row_into(s, d, &s->core_support[k], cut->a, cut->b, &d->row[cut->row + r],
               c->jacobian + s->core_row_first[at]);
  }
}

// Bias accelerations, and wrenches that they and what pushes put on each body.
static void core_biases(const jn_system *s, jn_data *d, const jn_part *p)
{
  jn_core_data *c = d->core;
  for (int f = 0; f < s->nframe; f++) c->beta[f] = d->ground[f];
  for (int k = 0; k < s->ncore_body; k++) {
    const int i = s->core_body[k];
    c->beta[i] = sv_add(parent_accel(s, d, c->beta, i), d->carry[i]);
    c->sum[i] = sv_add(d->push[i], ai_mul(d->articulated[i], c->beta[i]));
  }
  for (int b = 0; b < p->nblock; b++) {  // core coordinates in a block, and its top's bias
    const jn_block *k = &s->block[p->block[b]];
    const jn_block_data *kd = &d->block[p->block[b]];
    int x = 0;
    for (int g = 0; g < k->ncore; g++)
      for (int m = 0; m < s->joint[k->core[g]].nv; m++, x++)
        d->load[s->joint[k->core[g]].v + m] -= sv_dot(c->beta[k->top], jn_block_coupling(k, kd, x));
  }
  for (int h = 0; h < p->nhung_joints; h++) {
    const jn_hung_joints *k = &d->hung_joints[h];
    for (int x = 0; x < k->n; x++) d->load[k->v[x]] -= sv_dot(c->beta[k->body], k->f[x]);
  }
}

static void core_right_side(const jn_system *s, jn_data *d, const jn_part *p)
{
  jn_core_data *c = d->core;
  if (d->correcting)
    for (int k = 0; k < s->ncore_body; k++) c->sum[s->core_body[k]] = d->push[s->core_body[k]];
  else
    core_biases(s, d, p);
  for (int k = s->ncore_body - 1; k >= 0; k--) {
    const int i = s->core_body[k];
    const jn_tree_joint *j = &s->joint[i];
    for (int m = 0; m < j->nv; m++)
      c->rhs[s->core_column[i] + m] = d->load[j->v + m] - sv_dot(d->s[j->v + m], c->sum[i]);
    if (s->body[i].parent >= s->nframe) jn_hand_on(s, d, i, c->sum[i], c->sum);
  }
}

static void core_demands(const jn_system *s, jn_data *d)
{
  jn_core_data *c = d->core;
  int at = 0;
  for (int k = 0; k < s->ncore_cut; k++) {
    const jn_cut *cut = &s->cut[s->core_cut[k]];
    for (int r = cut->row; r < cut->row + cut->nrow; r++, at++) {
      c->gamma[at] = d->gamma[r];
      if (d->correcting) continue;
      c->gamma[at] -= sv_dot(c->beta[cut->b], d->row[r].b);
      c->gamma[at] += sv_dot(c->beta[cut->a], d->row[r].a);
    }
  }
}

static void accelerate_body(const jn_system *s, jn_data *d, int i)
{
  const jn_tree_joint *j = &s->joint[i];
  sv a = sv_add(parent_accel(s, d, d->accel, i), d->carry[i]);
  for (int m = 0; m < j->nv; m++) a = sv_axpy(d->qdd[j->v + m], d->s[j->v + m], a);
  d->accel[i] = a;
}

static void core_accelerations(const jn_system *s, jn_data *d)
{
  for (int f = 0; f < s->nframe; f++) d->accel[f] = d->ground[f];
  for (int k = 0; k < s->ncore_body; k++) {
    const int i = s->core_body[k];
    const jn_tree_joint *j = &s->joint[i];
    for (int m = 0; m < j->nv; m++) d->qdd[j->v + m] = d->core->x[s->core_column[i] + m];
    if (!d->core->still) accelerate_body(s, d, i);
  }
}

// ---- one unit -----------------------------------------------------------------------------------

static void unit_factor(const jn_system *s, jn_data *d, const jn_elimination *unit)
{
  if (unit->block >= 0)
    jn_block_factor(s, d, unit->block);
  else
    joint_factor(s, d, unit->body);
}

static void unit_backward(const jn_system *s, jn_data *d, const jn_elimination *unit)
{
  if (unit->block >= 0)
    jn_block_backward(s, d, unit->block);
  else
    joint_backward(s, d, unit->body);
}

static void unit_forward(const jn_system *s, jn_data *d, const jn_elimination *unit)
{
  if (unit->block >= 0)
    jn_block_forward(s, d, unit->block);
  else
    joint_forward(s, d, unit->body);
}

// ---- the whole ----------------------------------------------------------------------------------

// Where multipliers would not do, the partition does (run/system.c).
static const jn_core_solver *solver_of(const jn_system *s, const jn_part *p)
{
  return p->partition || s->core_partition ? &jn_core_partition : s->formulation->core;
}

void jn_part_factor_units(const jn_system *s, jn_data *d, const jn_part *p)
{
  for (int f = 0; f < s->nframe; f++) d->articulated[f] = (ai){0};
  for (int i = 0; i < p->nbody; i++)
    d->articulated[p->body[i]] = ai_from_rigid(d->inertia[p->body[i]]);
  for (int k = 0; k < p->nunit; k++) unit_factor(s, d, &p->unit[k]);
  core_rows(s, d);
}

void jn_part_factor_core(const jn_system *s, jn_data *d, const jn_part *p)
{
  for (int h = 0; h < p->nhung; h++) {
    ai *on = &d->articulated[d->hung[h].body];
    *on = ai_add(*on, d->hung[h].inertia);
  }
  if (!s->ncore) return;
  core_mass(s, d, p);
  if (p->partition)
    jn_core_partition_mass(s, d);  // rows were factorised when dependent velocities were asked for
  else
    solver_of(s, p)->factor(s, d);
}

void jn_general_factor(const jn_system *s, jn_data *d)
{
  jn_part_factor_units(s, d, &s->whole);
  jn_part_factor_core(s, d, &s->whole);
}

void jn_part_solve(const jn_system *s, jn_data *d, const jn_part *p)
{
  for (int k = 0; k < p->nunit; k++) unit_backward(s, d, &p->unit[k]);
  d->core->still = d->correcting && !p->nunit;
  if (s->ncore_body && !d->core->still) core_right_side(s, d, p);
  core_demands(s, d);
  if (s->ncore) solver_of(s, p)->solve(s, d);
  core_accelerations(s, d);
  for (int k = p->nunit - 1; k >= 0; k--) unit_forward(s, d, &p->unit[k]);
}

bool jn_general_is_ill_conditioned(const jn_system *s, const jn_data *d)
{
  static const double ILL_CONDITIONED =
      1e-6;  // a thousandth of the distance at which rows are at their best
  return s->ncore_row > 0 && d->core->conditioning < ILL_CONDITIONED;
}

// ---- right-hand sides -----------------------------------------------------------------------------

static void push_body(jn_data *d, int i)
{
  const sv momentum = si_mul(d->inertia[i], d->twist[i]);
  d->push[i] = sv_sub(sv_crf(d->twist[i], momentum), d->force[i]);
  d->carry[i] = d->bias[i];
}

void jn_part_right_side(const jn_system *s, jn_data *d, const jn_part *p)
{
  for (int f = 0; f < s->nframe; f++) {
    d->ground[f] = sv_make(zero, v3_neg(d->frame[f].gravity));
    d->push[f] = sv_make(zero, zero);
  }
  for (int i = 0; i < p->nbody; i++) push_body(d, p->body[i]);
  memcpy(d->load, d->tau, (size_t)s->nv * sizeof *d->load);
  for (int h = 0; h < p->nhung; h++) {
    sv *on = &d->push[d->hung[h].body];
    *on = sv_add(*on, d->hung[h].push);
  }
  for (int h = 0; h < p->nhung_joints; h++)
    for (int x = 0; x < d->hung_joints[h].n; x++)
      d->load[d->hung_joints[h].v[x]] += d->hung_joints[h].q[x];
  d->correcting = false;
}

void jn_general_correction(const jn_system *s, jn_data *d, const double *change)
{
  const sv none = sv_make(zero, zero);
  for (int f = 0; f < s->nframe; f++) d->ground[f] = none, d->push[f] = none;
  for (int i = s->nframe; i < s->nbody; i++) d->push[i] = d->carry[i] = none;
  memset(d->load, 0, (size_t)s->nv * sizeof *d->load);
  memcpy(d->gamma, change, (size_t)s->nrow * sizeof *d->gamma);
  d->correcting = true;
}

// Where prescribed velocities jump, all others answer as to a blow: M dv = impulses, with the jumps in place of what joints
// carry and rows demand. They are the equations of motion without forces and biases, and dv stands for accelerations.
void jn_general_blow(const jn_system *s, jn_data *d, const jn_drive_state *before)
{
  const sv none = sv_make(zero, zero);
  for (int f = 0; f < s->nframe; f++) d->ground[f] = none, d->push[f] = none;
  for (int i = s->nframe; i < s->nbody; i++) {
    const int k = s->joint[i].drive;
    d->push[i] = none;
    d->carry[i] = k < 0 ? none : sv_scale(d->drive[k].rate - before[k].rate, d->s_drive[k]);
  }
  memset(d->load, 0, (size_t)s->nv * sizeof *d->load);
  memset(d->gamma, 0, (size_t)s->nrow * sizeof *d->gamma);
  for (int i = 0; i < s->ncut; i++) {
    const jn_cut *c = &s->cut[i];
    if (c->drive < 0) continue;
    d->gamma[c->row + c->nrow - 1] =
        jn_drive_unit(c) * (d->drive[c->drive].rate - before[c->drive].rate);
  }
  d->correcting = false;
}

// ---- reactions ------------------------------------------------------------------------------------

// What inertia and applied forces need at a body. Then what is unbalanced at its coordinates.
static void need_at(jn_data *d, int i)
{
  const sv momentum = si_mul(d->inertia[i], d->twist[i]);
  d->reaction[i] = sv_sub(sv_add(si_mul(d->inertia[i], d->accel[i]), sv_crf(d->twist[i], momentum)),
                          d->force[i]);
}

static void find_unbalanced(const jn_system *s, jn_data *d, int i, double *e)
{
  for (int v = s->joint[i].v; v < s->joint[i].v + s->joint[i].nv; v++)
    e[v] = sv_dot(d->s[v], d->reaction[i]) - d->tau[v];
}

// What hangs on a body needs as much there.
static void need_hung(jn_data *d, const jn_part *p)
{
  for (int h = 0; h < p->nhung; h++) {
    const jn_hung *k = &d->hung[h];
    d->reaction[k->body] =
        sv_add(d->reaction[k->body], sv_add(k->push, ai_mul(k->inertia, d->accel[k->body])));
  }
  for (int h = 0; h < p->nhung_joints; h++) {
    const jn_hung_joints *k = &d->hung_joints[h];
    for (int x = 0; x < k->n; x++)
      d->reaction[k->body] = sv_axpy(d->qdd[k->v[x]], k->f[x], d->reaction[k->body]);
  }
}

// Wrench that each tree joint must pass on, of bodies' inertia, applied forces and, if asked for, cut joints.
static void gather(const jn_system *s, jn_data *d, const jn_part *p, bool with_cuts)
{
  for (int f = 0; f < s->nframe; f++) d->reaction[f] = sv_make(zero, zero);
  for (int i = 0; i < p->nbody; i++) need_at(d, p->body[i]);
  need_hung(d, p);
  for (int i = 0; i < p->ncut && with_cuts; i++)
    jn_cut_reaction(d, &s->cut[p->cut[i]], d->lambda, d->reaction);
  for (int i = p->nbody - 1; i >= 0; i--) {
    const int body = p->body[i];
    jn_hand_on(s, d, body, d->reaction[body], d->reaction);
  }
}

void jn_part_reactions(const jn_system *s, jn_data *d, const jn_part *p)
{
  memset(d->lambda, 0, (size_t)s->nrow * sizeof *d->lambda);
  if (p->ncut) {
    // What is unbalanced at each coordinate without the cut joints is what their rows must hold: J' lambda.
    gather(s, d, p, false);
    for (int i = 0; i < p->nbody; i++) find_unbalanced(s, d, p->body[i], d->e);
    for (int b = 0; b < p->nblock; b++) jn_block_multipliers(s, d, p->block[b], d->e);
    if (s->core_rank < s->ncore_row) jn_multipliers_shorten(s, d);
    int at = 0;
    for (int k = 0; k < s->ncore_cut; k++) {
      const jn_cut *cut = &s->cut[s->core_cut[k]];
      for (int r = cut->row; r < cut->row + cut->nrow; r++, at++)
        d->lambda[r] = d->core->lambda[at];
    }
  }
  gather(s, d, p, true);
}

double jn_part_drive_power(const jn_system *s, const jn_data *d, const jn_part *p)
{
  double power = 0.0;
  for (int i = 0; i < p->nbody; i++) {
    const int k = s->joint[p->body[i]].drive;
    if (k >= 0) power += d->drive[k].rate * sv_dot(d->s_drive[k], d->reaction[p->body[i]]);
  }
  for (int i = 0; i < p->ncut; i++) {
    const jn_cut *c = &s->cut[p->cut[i]];
    if (c->drive >= 0)
      power += d->drive[c->drive].rate * jn_drive_unit(c) * d->lambda[c->row + c->nrow - 1];
  }
  return power;
}

// ---- the whole Jacobian, for assembling -------------------------------------------------------------

void jn_general_wrench_columns(const jn_system *s, const jn_data *d, int body, int stop, sv f,
                               double sign, double *row)
{
  while (body != stop && body >= s->nframe) {
    const jn_tree_joint *j = &s->joint[body];
    for (int k = 0; k < j->nv; k++) row[j->v + k] += sign * sv_dot(d->s[j->v + k], f);
    if (j->kind == JN_TREE_BASE) return;
    if (s->body[body].new_station) f = sv_shift_force(f, jn_to_parent(s, d, body));
    body = s->body[body].parent;
  }
}

void jn_general_jacobian(const jn_system *s, const jn_data *d, double *jacobian)
{
  memset(jacobian, 0, (size_t)s->nrow * (size_t)s->nv * sizeof *jacobian);
  for (int i = 0; i < s->ncut; i++) {
    const jn_cut *c = &s->cut[i];
    int a = c->a, b = c->b;
    while (a != b) {
      int *k = a > b ? &a : &b;
      *k = s->body[*k].parent;
    }
    for (int r = c->row; r < c->row + c->nrow; r++) {
      double *row = jacobian + (size_t)r * (size_t)s->nv;
      jn_general_wrench_columns(s, d, c->b, a, d->row[r].b, 1.0, row);
      jn_general_wrench_columns(s, d, c->a, a, d->row[r].a, -1.0, row);
    }
  }
}
