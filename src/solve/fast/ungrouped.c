// ungrouped.c: subsystems that no group takes, computed one by one by the functions of the general path (solve/general/part.h), in the
// axes of the base: onto the core body that they hang on, which lanes have in its own axes, and onto joints that they share.
#include <string.h>

#include "plan/build.h"
#include "solve/fast/fast_build.h"
#include "solve/fast/program.h"
#include "solve/general/articulated.h"
#include "solve/general/cut_angle.h"
#include "solve/general/dense_core.h"
#include "solve/general/stages.h"

static const v3 zero = {0, 0, 0};

// ---- which ----------------------------------------------------------------------------------------

static bool is_of(const jn_system *s, int body, int subsystem)
{
  return !lane_is_core(s, body) && s->model->part[s->body[body].node] == subsystem;
}

static bool has_cut(const jn_system *s, const jn_cut *c, int subsystem)
{
  return c->nrow && (is_of(s, c->a, subsystem) || is_of(s, c->b, subsystem));
}

// Its loops are eliminated onto lanes' core, and by blocks: where rows are redundant, or none can be chosen safely, the general path
// solves for all of a subsystem's coordinates together.
static bool is_clear(const jn_system *s, const jn_block *k, int subsystem)
{
  for (int i = 0; i < k->nbody; i++)
    if (!is_of(s, k->body[i], subsystem)) return false;
  for (int i = 0; i < k->ncore; i++)
    if (!lane_is_core(s, k->core[i]) || s->joint[k->core[i]].kind == JN_TREE_BASE) return false;
  return lane_is_core(s, k->top) || is_of(s, k->top, subsystem);
}

bool jn_lane_may_be_ungrouped(const jn_system *s, int subsystem)
{
  int top = -1;  // all that hangs on the core hangs on one body of it
  int sharing = 0;
  for (int i = s->nframe; i < s->nbody; i++) {
    if (!is_of(s, i, subsystem)) continue;
    if (s->in_core[i] || s->joint[i].kind == JN_TREE_BASE) return false;
  }
  for (int i = 0; i < s->ncut; i++)
    if (has_cut(s, &s->cut[i], subsystem) && s->cut[i].block < 0) return false;
  for (int k = 0; k < s->nunit; k++) {
    const jn_elimination *u = &s->unit[k];
    const jn_block *b = u->block < 0 ? NULL : &s->block[u->block];
    if (!is_of(s, b ? b->body[0] : u->body, subsystem)) continue;
    const int on = b ? b->top : s->body[u->body].parent;
    if (b && !is_clear(s, b, subsystem)) return false;
    // One block alone gives shared joints what its loops do.
    if (b && b->ncore && (sharing++ || !lane_is_core(s, on))) return false;
    if (!lane_is_core(s, on)) continue;
    if (top >= 0 && on != top) return false;
    top = on;
  }
  return top >= 0;
}

static int *list_of(jn_system *s, int most)
{
  return jn_build_array(s, most, sizeof(int));
}

static void find_shared(const jn_system *s, jn_lane *l, lane_subsystem *k)
{
  jn_part *p = &k->part;
  const jn_block *b = p->block < 0 ? NULL : &s->block[p->block];
  for (int i = 0; b && i < b->ncore; i++) {
    p->driven |= s->joint[b->core[i]].drive >= 0;
    k->shared_core[p->nshared] = jn_lane_core_of(l, b->core[i]);
    p->shared[p->nshared++] = b->core[i];
  }
}

bool jn_lane_subsystem_build(jn_system *s, jn_lane *l, int subsystem, const char *why)
{
  lane_subsystem *k = &l->subsystem[l->nsubsystem++];
  jn_part *p = &k->part;
  *k = (lane_subsystem){.subsystem = subsystem, .why = why, .part.block = -1};
  p->body = list_of(s, s->nbody), p->member = list_of(s, s->nbody);
  p->shared = list_of(s, s->nbody), k->shared_core = list_of(s, s->nbody);
  p->cut = list_of(s, s->ncut);
  p->unit = jn_build_array(s, s->nunit, sizeof *p->unit);
  if (!p->body || !p->member || !p->shared || !k->shared_core || !p->cut || !p->unit) return false;
  for (int u = 0; u < s->nunit; u++) {
    const jn_block *b = s->unit[u].block < 0 ? NULL : &s->block[s->unit[u].block];
    const int first = b ? b->body[0] : s->unit[u].body;
    if (!is_of(s, first, subsystem)) continue;
    p->unit[p->nunit++] = s->unit[u];
    const int on = b ? b->top : s->body[first].parent;
    if (!lane_is_core(s, on)) continue;
    p->top = on;
    p->block = b && b->ncore ? s->unit[u].block : p->block;
  }
  find_shared(s, l, k);
  for (int i = s->nframe, at = 0; i < s->nbody; i++) {
    const bool own = is_of(s, i, subsystem), shared = at < p->nshared && p->shared[at] == i;
    if (own) p->member[p->nmember++] = i, p->driven |= s->joint[i].drive >= 0;
    if (own || shared) p->body[p->nbody++] = i;
    at += shared;
  }
  for (int i = 0; i < s->ncut; i++)
    if (has_cut(s, &s->cut[i], subsystem)) {
      p->cut[p->ncut++] = i;
      p->driven |= s->cut[i].drive >= 0;
    }
  k->core = jn_lane_core_of(l, p->top);
  if (k->core >= 0) l->core[k->core].leaf = false;
  return true;
}

int jn_lane_ungrouped_of(const jn_system *s, const jn_lane *l, int body)
{
  for (int i = 0; i < l->nsubsystem; i++)
    if (body >= s->nframe && is_of(s, body, l->subsystem[i].subsystem)) return i;
  return -1;
}

// ---- state ----------------------------------------------------------------------------------------

// Its coordinates, from the lanes' state to another or back: q and v of the general path's order.
static void copy_state(const jn_system *s, const lane_subsystem *k, double *y, double *q, double *v,
                       bool in)
{
  double *own_q = y + k->q, *own_v = y + k->v;
  for (int i = 0; i < k->part.nmember; i++) {
    const jn_tree_joint *j = &s->joint[k->part.member[i]];
    const size_t nq = (size_t)j->nq * sizeof *q, nv = (size_t)j->nv * sizeof *v;
    memcpy(in ? own_q : q + j->q, in ? q + j->q : own_q, nq);
    memcpy(in ? own_v : v + j->v, in ? v + j->v : own_v, nv);
    own_q += j->nq, own_v += j->nv;
  }
}

void jn_lane_ungrouped_copy(const jn_system *s, jn_data *d, double *y, bool in)
{
  for (int i = 0; i < s->lane->nsubsystem; i++)
    copy_state(s, &s->lane->subsystem[i], y, d->y, d->y + s->nq, in);
}

// And those of the joints that it shares.
static void take_state(const jn_system *s, jn_data *d, const lane_subsystem *k, const double *y)
{
  copy_state(s, k, (double *)y, d->q, d->v, false);
  for (int i = 0; i < k->part.nshared; i++) {
    const jn_tree_joint *j = &s->joint[k->part.shared[i]];
    const lane_core *c = &s->lane->core[k->shared_core[i]];
    memcpy(d->q + j->q, y + c->q, (size_t)j->nq * sizeof *y);
    memcpy(d->v + j->v, y + c->v, (size_t)j->nv * sizeof *y);
  }
}

static void take_rates(const jn_system *s, const jn_data *d, const lane_subsystem *k, double *dq)
{
  dq += k->q;
  for (int i = 0; i < k->part.nmember; i++) {
    const jn_tree_joint *j = &s->joint[k->part.member[i]];
    if (j->drive < 0) jn_joint_qdot(j, d->q + j->q, d->v + j->v, dq);
    dq += j->nq;
  }
}

// Dependent velocities, which follow from the others: so that the state has them, should a block choose other ones.
static void settle(const jn_system *s, const jn_data *d, const lane_subsystem *k, double *y)
{
  double *v = y + k->v;
  for (int m = 0; m < k->part.nmember; m++) {
    const jn_tree_joint *j = &s->joint[k->part.member[m]];
    memcpy(v, d->v + j->v, (size_t)j->nv * sizeof *v);
    v += j->nv;
  }
}

// ---- one evaluation -------------------------------------------------------------------------------

// Does it hang on the base, whose axes and anchor are those of the frame?
static bool is_base(const jn_system *s, const lane_subsystem *k)
{
  return k->core == 0 && s->frame[0].floating;
}

static void gather_top(const jn_system *s, jn_data *d, const lane_subsystem *k,
                       lane_subsystem_data *to)
{
  if (k->core < 0) {
    to->pose = d->pose[0];
    to->twist = d->twist[0];
  } else if (is_base(s, k)) {  // there is nothing to round off
    to->pose = (jn_pose){m3_identity(), zero};
    to->twist = sv_make(d->lane->core[0].w, zero);
  } else {
    jn_lane_gather_parent(s, d, k->core, &to->pose, &to->twist);
  }
}

static void show_top(jn_data *d, const lane_subsystem *k, const lane_subsystem_data *from)
{
  d->pose[k->part.top] = from->pose;
  d->twist[k->part.top] = from->twist;
}

static sv own_wrench(const lane_subsystem_data *k, sv f)  // axes of the top, about its anchor
{
  return sv_rotate_back(k->pose.r, sv_shift_force(f, k->pose.p));
}

// What the top's acceleration has that the general path's has not: that is of a point which the body passes, not of the anchor.
static sv passing(const lane_subsystem_data *k)
{
  const v3 velocity = v3_cross_add(k->twist.a, k->pose.p, k->twist.l);
  return sv_make(zero, m3_tmul_v3(k->pose.r, v3_cross(k->twist.a, velocity)));
}

static void take_factors(const jn_system *s, const jn_data *d, const lane_subsystem *k,
                         lane_subsystem_data *to)
{
  const ai a = d->articulated[k->part.top];
  const bool base = is_base(s, k);
  to->inertia = base ? a : ai_rotate(m3_transpose(to->pose.r), ai_shift(a, to->pose.p));
  if (k->part.block < 0) return;
  const jn_block *b = &s->block[k->part.block];
  const jn_block_data *from = &d->block[k->part.block];
  for (int x = 0; x < k->nshared; x++) {
    const sv f = jn_block_coupling(b, from, x);
    to->f[x] = base ? f : own_wrench(to, f);
    for (int y = 0; y <= x; y++) to->d[x * k->nshared + y] = jn_block_inertia(b, from, x, y);
  }
}

void jn_lane_ungrouped_move(const jn_system *s, jn_data *d, const double *y, double *dq)
{
  jn_lane_gather_ground(s, d);
  for (int i = 0; i < s->lane->nsubsystem; i++) {
    const lane_subsystem *k = &s->lane->subsystem[i];
    lane_subsystem_data *to = &d->lane->subsystem[i];
    take_state(s, d, k, y);
    gather_top(s, d, k, to);
    show_top(d, k, to);
    jn_part_positions(s, d, &k->part);
    jn_part_factor(s, d, &k->part);
    take_factors(s, d, k, to);
    jn_part_velocities(s, d, &k->part);
    jn_part_biases(s, d, &k->part);
    jn_part_clear_forces(s, d, &k->part);
    take_rates(s, d, k, dq);
    if (y == d->lane->y) settle(s, d, k, d->lane->y);
  }
}

void jn_lane_ungrouped_push(const jn_system *s, jn_data *d)
{
  for (int i = 0; i < s->lane->nsubsystem; i++) {
    const lane_subsystem *k = &s->lane->subsystem[i];
    lane_subsystem_data *to = &d->lane->subsystem[i];
    jn_part_backward(s, d, &k->part);
    const sv more = passing(to);
    to->push = own_wrench(to, d->push[k->part.top]);
    to->push = sv_sub(to->push, ai_mul(to->inertia, more));
    for (int b = 0, x = 0; b < k->part.nshared; b++)
      for (int v = 0; v < s->joint[k->part.shared[b]].nv; v++, x++)
        to->q[x] = d->load[s->joint[k->part.shared[b]].v + v] + sv_dot(more, to->f[x]);
  }
}

// What prescribed motions need, of it: in its own joints all of it, in those that it shares a part.
static void drive(const jn_system *s, jn_data *d, const lane_subsystem *k)
{
  const jn_part *p = &k->part;
  jn_part_reactions(s, d, p);
  for (int i = 0; i < p->nmember; i++) {
    const int at = s->joint[p->member[i]].drive;
    if (at >= 0) d->power += d->drive[at].rate * sv_dot(d->s_drive[at], d->reaction[p->member[i]]);
  }
  for (int i = 0; i < p->ncut; i++) {
    const jn_cut *c = &s->cut[p->cut[i]];
    if (c->drive >= 0)
      d->power += d->drive[c->drive].rate * jn_drive_unit(c) * d->lambda[c->row + c->nrow - 1];
  }
  for (int i = 0; i < p->nshared; i++) {
    const int at = s->joint[p->shared[i]].drive;
    if (at < 0) continue;
    const double effort = sv_dot(d->s_drive[at], d->reaction[p->shared[i]]);
    d->lane->core[k->shared_core[i]].effort += effort;
    d->power += d->drive[at].rate * effort;
  }
}

// From the acceleration of the anchor to that of the point which passes the frame's origin, as the general path has it.
static sv about_origin(const jn_pose *pose, sv twist, sv accel)
{
  const v3 velocity = v3_cross_add(twist.a, pose->p, twist.l);
  const v3 linear = v3_sub(accel.l, v3_cross(twist.a, velocity));
  return sv_make(accel.a, v3_sub(linear, v3_cross(accel.a, pose->p)));
}

void jn_lane_ungrouped_accelerate(const jn_system *s, jn_data *d, double *dy)
{
  d->accel[0] = sv_make(zero, v3_neg(m3_tmul_v3(d->frame[0].r, s->gravity)));
  for (int i = 0; i < s->lane->nsubsystem; i++) {
    const lane_subsystem *k = &s->lane->subsystem[i];
    const lane_subsystem_data *from = &d->lane->subsystem[i];
    const jn_part *p = &k->part;
    if (k->core >= 0)
      d->accel[p->top] = about_origin(&from->pose, from->twist,
                                      sv_rotate(from->pose.r, d->lane->core[k->core].accel));
    for (int b = 0; b < p->nshared; b++) {
      const jn_tree_joint *j = &s->joint[p->shared[b]];
      const double *dv = dy + s->lane->core[k->shared_core[b]].v;
      for (int v = 0; v < j->nv; v++) d->qdd[j->v + v] = dv[v];
    }
    jn_part_forward(s, d, p);
    if (p->driven) drive(s, d, k);
    double *dv = dy + k->v;
    for (int m = 0; m < p->nmember; m++) {
      const jn_tree_joint *j = &s->joint[p->member[m]];
      memcpy(dv, d->qdd + j->v, (size_t)j->nv * sizeof *dv);
      dv += j->nv;
    }
  }
}

double jn_lane_ungrouped_open(const jn_system *s, const jn_data *d)
{
  double largest = 0.0;
  for (int i = 0; i < s->lane->nsubsystem; i++) {
    const jn_part *p = &s->lane->subsystem[i].part;
    for (int k = 0; k < p->ncut; k++) {
      const jn_cut *c = &s->cut[p->cut[k]];
      for (int r = c->row; r < c->row + c->nrow; r++) {
        const double open = __builtin_fabs(d->residual[r]) * s->length_scale[r];
        if (!(open <= largest)) largest = open;
      }
    }
  }
  return largest;
}

// ---- after a step ---------------------------------------------------------------------------------

// Loops are closed as lanes close theirs, by dependent coordinates alone; they do not mind where the top is.
void jn_lane_ungrouped_close(const jn_system *s, jn_data *d, double *y)
{
  for (int i = 0; i < s->lane->nsubsystem; i++) {
    const lane_subsystem *k = &s->lane->subsystem[i];
    take_state(s, d, k, y);
    show_top(d, k, &d->lane->subsystem[i]);
    if (k->part.ncut && s->binding.opts.stabilize != JN_STABILIZE_NONE)
      jn_part_close(s, d, &k->part);
    for (int m = 0; m < k->part.nmember; m++) {
      const jn_tree_joint *j = &s->joint[k->part.member[m]];
      jn_joint_wrap(j, d->q + j->q, d->turn + j->q);
    }
    copy_state(s, k, y, d->q, d->v, true);
  }
}
