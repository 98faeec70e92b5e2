// rest.c: what no group has, where parents.h does not serve: a core with loops, several assemblies, ungrouped subsystems. The functions of
// the general path compute it as one part (solve/general/general.h), and groups hang on its bodies.
//
// Its bodies are in the general path's arrays: about their stations, in the axes of their frames; accelerations are those of points that
// pass there. Groups see the body that they hang on in its own axes, about its anchor, and its acceleration is the anchor's: more by
// w x v, with v the anchor's velocity in the frame. Less gravity both.
//
// As in groups, dependent velocities follow from the others at every evaluation, and loops are closed by dependent coordinates alone.
#include <string.h>

#include "plan/build.h"
#include "solve/fast/fast_build.h"
#include "solve/fast/program_write.h"
#include "solve/general/articulated.h"
#include "solve/general/cut_angle.h"
#include "solve/general/dense_core.h"

// ---- which ----------------------------------------------------------------------------------------

int jn_lane_ungrouped_of(const jn_system *s, const jn_lane *l, int body)
{
  if (lane_is_core(s, body)) return -1;
  for (int i = 0; i < l->nsubsystem; i++)
    if (s->model->part[s->body[body].node] == l->subsystem[i].subsystem) return i;
  return -1;
}

static bool is_rest(const jn_system *s, int body)
{
  return body >= s->nframe && lane_subsystem_of(s, body) < 0;
}

// Has the factor of the core's mass matrix a number for both?
static bool are_coupled(const jn_system *s, int a, int b)
{
  const int outer = a > b ? a : b, inner = a > b ? b : a;
  for (int i = s->core_first[outer]; i < s->core_first[outer + 1]; i++)
    if (s->core_path[i] == inner) return true;
  return false;
}

// The last of the core's coordinates that a body moves with, -1: none.
static int column_at(const jn_system *s, int body)
{
  for (; body >= s->nframe; body = s->body[body].parent)
    if (s->joint[body].nv) return s->core_column[body] + s->joint[body].nv - 1;
  return -1;
}

// Joints that a lane shares: what it adds to the core must have a place there.
static bool has_places(const jn_system *s, const lane_group *g, int lane, int parent)
{
  int column[LANE_Z], n = 0;
  for (int i = 0; i < g->ns; i++) {
    const lane_given *k = &g->given[lane * g->ns + i];
    if (k->body >= 0) column[n++] = s->core_column[k->body] + k->index;
  }
  const int top = column_at(s, parent);
  for (int i = 0; i < n; i++) {
    if (top >= 0 && !are_coupled(s, column[i], top)) return false;
    for (int k = 0; k < i; k++)
      if (!are_coupled(s, column[i], column[k])) return false;
  }
  return true;
}

const char *jn_lane_hangs(const jn_system *s, const lane_group *g, int lane, int parent)
{
  for (int i = 0; i < g->nbody; i++)
    if (s->in_core[g->pose[lane * LANE_BODIES + i].body] &&
        !lane_is_core(s, g->pose[lane * LANE_BODIES + i].body))
      return "its loops are redundant or near a singular position, and so are others that they "
             "touch";
  if (g->nredundant) return "its loops are redundant, and the core has loops";
  if (parent < s->nframe && s->nframe > 1) return "it stands on the ground beside other assemblies";
  return has_places(s, g, lane, parent) ? NULL
                                        : "it couples joints of the core that nothing else does";
}

bool jn_lane_rest_build(jn_system *s, jn_lane *l)
{
  lane_rest *r = &l->rest;
  jn_part *p = &r->part;
  p->body = jn_build_array(s, s->nbody, sizeof *p->body);
  p->cut = jn_build_array(s, s->ncut, sizeof *p->cut);
  p->block = jn_build_array(s, s->nblock, sizeof *p->block);
  p->unit = jn_build_array(s, s->nunit, sizeof *p->unit);
  r->q = jn_build_array(s, 2 * s->nbody, sizeof *r->q);
  if (!p->body || !p->cut || !p->block || !p->unit || !r->q) return false;
  r->v = r->q + s->nbody;
  for (int i = s->nframe; i < s->nbody; i++)
    if (is_rest(s, i)) p->body[p->nbody++] = i, r->driven |= s->joint[i].drive >= 0;
  for (int i = 0; i < s->ncut; i++) {
    const jn_cut *c = &s->cut[i];
    const bool grouped = lane_subsystem_of(s, c->a) >= 0 || lane_subsystem_of(s, c->b) >= 0;
    if (!c->nrow || grouped) continue;
    p->cut[p->ncut++] = i;
    r->driven |= c->drive >= 0;
  }
  for (int i = 0; i < s->nblock; i++)
    if (is_rest(s, s->block[i].body[0])) p->block[p->nblock++] = i;
  for (int i = 0; i < s->nunit; i++) {
    const jn_elimination *u = &s->unit[i];
    if (is_rest(s, u->block < 0 ? u->body : s->block[u->block].body[0])) p->unit[p->nunit++] = *u;
  }
  p->partition = s->ncore_row > 0;
  for (int g = 0; g < l->ngroup; g++) {
    const lane_group *k = &l->group[g];
    p->nhung += k->parent >= 0;
    for (int lane = 0; lane < k->lanes && k->ns; lane++) {
      p->nhung_joints++;
      for (int i = 0; i < k->ns; i++) r->driven |= k->given[lane * k->ns + i].drive >= 0;
    }
  }
  return true;
}

// ---- workspace ------------------------------------------------------------------------------------

#define TAKE(pointer, count) ((pointer) = jn_arena_take(a, (size_t)(count), sizeof *(pointer)))

void jn_lane_rest_place(const jn_system *s, jn_data *d, jn_arena *a)
{
  const jn_lane *l = s->lane;
  const jn_part *p = &l->rest.part;
  TAKE(d->hung, p->nhung);
  jn_hung_joints *joints = TAKE(d->hung_joints, p->nhung_joints);
  for (int g = 0; g < l->ngroup && p->nbody; g++) {
    const int n = l->group[g].ns;
    for (int lane = 0; lane < l->group[g].lanes && n; lane++) {
      jn_hung_joints none, *to = joints ? joints++ : &none;
      TAKE(to->v, n);
      TAKE(to->column, n);
      TAKE(to->f, n);
      TAKE(to->q, n);
      TAKE(to->d, n * n);
    }
  }
}

void jn_lane_rest_begin(const jn_system *s, jn_data *d)
{
  const jn_lane *l = s->lane;
  jn_hung *hung = d->hung;
  jn_hung_joints *to = d->hung_joints;
  for (int g = 0; g < l->ngroup; g++) {
    const lane_group *k = &l->group[g];
    const int body = k->parent < 0 ? 0 : l->core[k->parent].body;
    if (k->parent >= 0) (hung++)->body = body;
    for (int lane = 0; lane < k->lanes && k->ns; lane++, to++) {
      to->body = body, to->n = 0;
      for (int i = 0; i < k->ns; i++) {
        const lane_given *at = &k->given[lane * k->ns + i];
        if (at->body < 0) continue;
        to->v[to->n] = s->joint[at->body].v + at->index;
        to->column[to->n++] = s->core_column[at->body] + at->index;
      }
    }
  }
}

// ---- state ----------------------------------------------------------------------------------------

void jn_lane_rest_copy(const jn_system *s, double *y, double *q, double *v, bool in)
{
  const lane_rest *r = &s->lane->rest;
  for (int i = 0; i < r->part.nbody; i++) {
    const jn_tree_joint *j = &s->joint[r->part.body[i]];
    const size_t nq = (size_t)j->nq * sizeof *q, nv = (size_t)j->nv * sizeof *v;
    double *own_q = y + r->q[i], *own_v = y + r->v[i];
    memcpy(in ? own_q : q + j->q, in ? q + j->q : own_q, nq);
    memcpy(in ? own_v : v + j->v, in ? v + j->v : own_v, nv);
  }
}

static void take_state(const jn_system *s, jn_data *d, const double *y)
{
  jn_lane_rest_copy(s, (double *)y, d->q, d->v, false);
}

// ---- one evaluation -------------------------------------------------------------------------------

static void add_followed(const jn_system *s, jn_data *d, const jn_block *b)
{
  for (int g = 0; g < b->nbody; g++) {
    const jn_tree_joint *j = &s->joint[b->body[g]];
    for (int v = j->v; v < j->v + j->nv; v++) d->v[v] += d->e[v];
  }
}

// Dependent velocities are found from nothing, not from what v has of them, so that they depend on the others alone, to the last
// bit: first the core's, which loops outside of it touch.
static void move(const jn_system *s, jn_data *d, const jn_part *p)
{
  if (p->partition) jn_core_rest(s, d, d->v);
  for (int b = 0; b < p->nblock; b++) jn_block_rest(s, d, p->block[b], d->v);
  jn_part_velocities(s, d, p);
  if (p->partition) {
    jn_core_follow(s, d, d->residual_rate, d->e);
    for (int i = 0; i < s->ncore; i++) d->v[s->core_speed[i]] += d->e[s->core_speed[i]];
    jn_part_velocities(s, d, p);
  }
  if (!p->nblock) return;
  for (int b = 0; b < p->nblock; b++) {
    jn_block_follow(s, d, p->block[b], d->residual_rate, d->e);
    add_followed(s, d, &s->block[p->block[b]]);
  }
  jn_part_velocities(s, d, p);
}

static void clear_forces(const jn_system *s, jn_data *d, const jn_part *p)
{
  const v3 zero = {0, 0, 0};
  for (int i = 0; i < p->nbody; i++) {
    const jn_tree_joint *j = &s->joint[p->body[i]];
    d->force[p->body[i]] = sv_make(zero, zero);
    for (int v = j->v; v < j->v + j->nv; v++) d->tau[v] = 0.0;
  }
}

static v3 anchor_velocity(const jn_data *d, int body)  // in the frame
{
  return v3_cross_add(d->twist[body].a, d->pose[body].p, d->twist[body].l);
}

static void gather_parents(const jn_system *s, jn_data *d)
{
  const jn_lane *l = s->lane;
  for (int i = 0; i < l->ncore; i++) {
    const int body = l->core[i].body, frame = s->body[body].frame;
    const jn_frame_state *f = &d->frame[frame];
    const jn_pose *pose = &d->pose[body];
    const v3 at = v3_add(pose->p, d->station[s->body[body].station]);
    lane_core_data *c = &d->lane->core[i];
    c->world = m3_mul(f->r, pose->r);
    c->place = v3_add(v3_add(s->frame[frame].origin, f->moved), m3_mul_v3(f->r, at));
    c->w = m3_tmul_v3(pose->r, d->twist[body].a);
    c->v = m3_tmul_v3(pose->r, v3_add(anchor_velocity(d, body), m3_tmul_v3(f->r, f->velocity)));
  }
}

void jn_lane_rest_kinematics(const jn_system *s, jn_data *d, const double *y, double *dy)
{
  const lane_rest *r = &s->lane->rest;
  const jn_part *p = &r->part;
  take_state(s, d, y);
  jn_part_positions(s, d, p);
  jn_part_factor_units(s, d, p);
  if (p->partition) jn_core_partition_rows(s, d);
  move(s, d, p);
  jn_part_biases(s, d, p);
  clear_forces(s, d, p);
  gather_parents(s, d);
  for (int i = 0; i < p->nbody; i++) {
    const jn_tree_joint *j = &s->joint[p->body[i]];
    if (j->drive < 0) jn_joint_qdot(j, d->q + j->q, d->v + j->v, dy + r->q[i]);
  }
  if (y == d->lane->y) jn_lane_rest_copy(s, d->lane->y, d->q, d->v, true);  // dependent velocities
}

// What its anchor's acceleration has beyond that of the point which passes the station; own axes.
static sv passing(const jn_data *d, int body)
{
  const v3 more = v3_cross(d->twist[body].a, anchor_velocity(d, body));
  return sv_make(v3_set(0, 0, 0), m3_tmul_v3(d->pose[body].r, more));
}

static sv wrench_of(const jn_pose *pose, sv own)  // from own axes and the anchor
{
  return sv_shift_force(sv_rotate(pose->r, own), v3_neg(pose->p));
}

// What a lane has of its shared coordinate i.
static sv coupling_of(const jn_data *d, int g, int lane, int i)
{
  const lane_group *k = &d->system->lane->group[g];
  const int f = k->shared_f + 6 * i;
  return sv_make(jn_lane_vector(d->lane->w[g], f, lane),
                 jn_lane_vector(d->lane->w[g], f + 3, lane));
}

static double force_of(const jn_data *d, int g, int lane, int i)
{
  return d->lane->w[g][LANES * (d->system->lane->group[g].shared_q + i) + lane];
}

static double inertia_of(const jn_data *d, int g, int lane, int i, int k)
{
  const int outer = i > k ? i : k, inner = i > k ? k : i;
  const int at = d->system->lane->group[g].shared_d + outer * (outer + 1) / 2 + inner;
  return d->lane->w[g][LANES * at + lane];
}

// Of a lane: joints that it shares. Those that are prescribed are known: returns what they put on the body, own axes.
static sv hang_joints(const jn_data *d, int g, int lane, sv more, jn_hung_joints *to)
{
  const lane_group *k = &d->system->lane->group[g];
  const lane_given *at = k->given + lane * k->ns;
  const jn_pose *pose = &d->pose[to->body];
  sv known = sv_make(v3_set(0, 0, 0), v3_set(0, 0, 0));
  for (int i = 0, x = 0; i < k->ns; i++) {
    const sv f = coupling_of(d, g, lane, i);
    if (at[i].drive >= 0) known = sv_axpy(d->drive[at[i].drive].accel, f, known);
    if (at[i].body < 0) continue;
    to->f[x] = wrench_of(pose, f);
    to->q[x] = force_of(d, g, lane, i) - sv_dot(more, f);
    for (int m = 0, y = 0; m < k->ns; m++) {
      const double inertia = inertia_of(d, g, lane, i, m);
      if (at[m].drive >= 0) to->q[x] -= inertia * d->drive[at[m].drive].accel;
      if (at[m].body >= 0) to->d[x * to->n + y++] = inertia;
    }
    x++;
  }
  return known;
}

static void hang_groups(const jn_system *s, jn_data *d)
{
  const jn_lane *l = s->lane;
  jn_hung *hung = d->hung;
  jn_hung_joints *joints = d->hung_joints;
  for (int g = 0; g < l->ngroup; g++) {
    const lane_group *k = &l->group[g];
    const int body = k->parent < 0 ? 0 : l->core[k->parent].body;
    const double *sum = d->lane->sum + (size_t)g * LANE_NSUM;
    const sv more = passing(d, body);
    sv push = jn_lane_sum_push(sum);
    for (int lane = 0; lane < k->lanes && k->ns; lane++)
      push = sv_add(push, hang_joints(d, g, lane, more, joints++));
    if (k->parent < 0) continue;
    const jn_pose *pose = &d->pose[body];
    const ai own = jn_lane_sum_inertia(sum);
    hung->inertia = ai_shift(ai_rotate(pose->r, own), v3_neg(pose->p));
    (hung++)->push = wrench_of(pose, sv_add(push, ai_mul(own, more)));
  }
}

// Accelerations of what groups hang on, and of joints that they share.
static void release_groups(const jn_system *s, jn_data *d)
{
  const jn_lane *l = s->lane;
  for (int i = 0; i < l->ncore; i++) {
    const int body = l->core[i].body;
    const jn_pose *pose = &d->pose[body];
    const sv a = d->accel[body], at = sv_make(a.a, v3_cross_add(a.a, pose->p, a.l));
    d->lane->core[i].accel = sv_add(sv_rotate_back(pose->r, at), passing(d, body));
  }
  for (int g = 0; g < l->ngroup; g++) {
    const lane_group *k = &l->group[g];
    double *to = d->lane->shared[g] + LANES * (k->nsq + k->ns);
    for (int i = 0; i < LANES * k->ns; i++) {
      const lane_given *at = &k->given[i % LANES * k->ns + i / LANES];
      if (at->drive >= 0) to[i] = d->drive[at->drive].accel;
      if (at->body >= 0) to[i] = d->qdd[s->joint[at->body].v + at->index];
    }
  }
}

static lane_core_data *core_of_drive(const jn_system *s, jn_data *d, int drive)  // NULL: none
{
  for (int i = 0; i < s->lane->ncore; i++)
    if (s->lane->core[i].drive == drive) return &d->lane->core[i];
  return NULL;
}

// What prescribed motions need: in joints of its own all but what lanes that share these put there beside what they put on bodies.
static void drive(const jn_system *s, jn_data *d)
{
  const jn_lane *l = s->lane;
  jn_part_reactions(s, d, &l->rest.part);
  d->power += jn_part_drive_power(s, d, &l->rest.part);
  for (int i = 0; i < l->ncore; i++)
    if (l->core[i].drive >= 0)
      d->lane->core[i].effort = sv_dot(d->s_drive[l->core[i].drive], d->reaction[l->core[i].body]);
  for (int g = 0; g < l->ngroup; g++) {
    const lane_group *k = &l->group[g];
    const double *accel = d->lane->shared[g] + LANES * (k->nsq + k->ns);
    const sv up = k->parent < 0 ? d->lane->ground->accel : d->lane->core[k->parent].accel;
    for (int lane = 0; lane < k->lanes; lane++)
      for (int i = 0; i < k->ns; i++) {
        const int at = k->given[lane * k->ns + i].drive;
        if (at < 0) continue;
        double effort = sv_dot(up, coupling_of(d, g, lane, i)) - force_of(d, g, lane, i);
        for (int m = 0; m < k->ns; m++)
          effort = r_fma(inertia_of(d, g, lane, i, m), accel[LANES * m + lane], effort);
        lane_core_data *own = core_of_drive(s, d, at);
        if (own) own->effort += effort;
        d->power += d->drive[at].rate * effort;
      }
  }
}

void jn_lane_rest_solve(const jn_system *s, jn_data *d, double *dy)
{
  const lane_rest *r = &s->lane->rest;
  const jn_part *p = &r->part;
  hang_groups(s, d);
  jn_part_factor_core(s, d, p);
  jn_part_right_side(s, d, p);
  jn_part_solve(s, d, p);
  release_groups(s, d);
  if (r->driven) drive(s, d);
  jn_part_vdot(s, d, p, d->e);
  for (int i = 0; i < p->nbody; i++) {
    const jn_tree_joint *j = &s->joint[p->body[i]];
    memcpy(dy + r->v[i], d->e + j->v, (size_t)j->nv * sizeof *dy);
  }
}

jn_health jn_lane_rest_health(const jn_system *s, const jn_data *d, jn_health of_groups)
{
  const jn_part *p = &s->lane->rest.part;
  jn_health k = of_groups;
  for (int i = 0; i < p->ncut; i++) {
    const jn_cut *c = &s->cut[p->cut[i]];
    for (int r = c->row; r < c->row + c->nrow; r++) {
      const double open = __builtin_fabs(d->residual[r]) * s->length_scale[r];
      if (!(open <= k.open)) k.open = open;
    }
  }
  if (jn_general_is_ill_conditioned(s, d)) k.pivots = LANE_ILL_CONDITIONED;
  return k;
}

// ---- after a step ---------------------------------------------------------------------------------

static void displace(const jn_system *s, jn_data *d, const int *body, int n)
{
  for (int i = 0; i < n; i++) {
    const jn_tree_joint *j = &s->joint[body[i]];
    if (j->drive < 0 && j->kind != JN_TREE_BASE) jn_joint_displace(j, d->q + j->q, d->e + j->v);
  }
}

// With the factors at hand. Loops of the core do not touch a floating base.
static void close_loops(const jn_system *s, jn_data *d, const jn_part *p)
{
  if (p->partition) {
    jn_part_residuals(s, d, p);
    jn_core_follow(s, d, d->residual, d->e);
    displace(s, d, s->core_body, s->ncore_body);
  }
  if (!p->nblock) return;
  jn_part_residuals(s, d, p);
  for (int b = 0; b < p->nblock; b++) {
    jn_block_follow(s, d, p->block[b], d->residual, d->e);
    displace(s, d, s->block[p->block[b]].body, s->block[p->block[b]].nbody);
  }
}

void jn_lane_rest_close(const jn_system *s, jn_data *d, double *y)
{
  const jn_part *p = &s->lane->rest.part;
  take_state(s, d, y);
  if (s->binding.opts.stabilize != JN_STABILIZE_NONE) close_loops(s, d, p);
  for (int i = 0; i < p->nbody; i++) {
    const jn_tree_joint *j = &s->joint[p->body[i]];
    jn_joint_wrap(j, d->q + j->q, d->turn + j->q);
  }
  jn_lane_rest_copy(s, y, d->q, d->v, true);
}
