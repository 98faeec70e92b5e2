#include "solve/general/part.h"

#include "solve/general/articulated.h"
#include "solve/general/constraint_rows.h"
#include "solve/general/dense_core.h"
#include "solve/general/stages.h"

static const v3 zero = {0, 0, 0};

void jn_part_positions(const jn_system *s, jn_data *d, const jn_part *p)
{
  for (int i = 0; i < p->nbody; i++) jn_body_place(s, d, p->body[i]);
  for (int i = 0; i < p->nmember; i++) jn_body_inertia(s, d, p->member[i]);
  for (int i = 0; i < p->ncut; i++) jn_cut_positions(s, d, p->cut[i]);
}

void jn_part_factor(const jn_system *s, jn_data *d, const jn_part *p)
{
  d->articulated[p->top] = (ai){0};
  for (int i = 0; i < p->nmember; i++)
    d->articulated[p->member[i]] = ai_from_rigid(d->inertia[p->member[i]]);
  for (int k = 0; k < p->nunit; k++) jn_unit_factor(s, d, &p->unit[k]);
}

static void move(const jn_system *s, jn_data *d, const jn_part *p)
{
  for (int i = 0; i < p->nbody; i++) jn_body_velocity(s, d, p->body[i]);
  for (int i = 0; i < p->ncut; i++) jn_cut_rates(s, d, p->cut[i]);
}

// Found from nothing, not from what v has of them, so that they depend on the others alone, to the last bit.
void jn_part_velocities(const jn_system *s, jn_data *d, const jn_part *p)
{
  for (int k = 0; k < p->nunit && p->ncut; k++)
    if (p->unit[k].block >= 0) jn_block_rest(s, d, p->unit[k].block, d->v);
  move(s, d, p);
  if (!p->ncut) return;
  for (int k = 0; k < p->nunit; k++) {
    if (p->unit[k].block < 0) continue;
    const jn_block *b = &s->block[p->unit[k].block];
    jn_block_follow(s, d, p->unit[k].block, d->residual_rate, d->e);
    for (int g = 0; g < b->nbody; g++) {
      const jn_tree_joint *j = &s->joint[b->body[g]];
      for (int v = j->v; v < j->v + j->nv; v++) d->v[v] += d->e[v];
    }
  }
  move(s, d, p);
}

void jn_part_biases(const jn_system *s, jn_data *d, const jn_part *p)
{
  for (int i = 0; i < p->nbody; i++) jn_body_bias(s, d, p->body[i]);
  for (int i = 0; i < p->ncut; i++) jn_cut_gamma(s, d, p->cut[i]);
}

void jn_part_clear_forces(const jn_system *s, jn_data *d, const jn_part *p)
{
  for (int i = 0; i < p->nmember; i++) {
    const jn_tree_joint *j = &s->joint[p->member[i]];
    d->force[p->member[i]] = sv_make(zero, zero);
    for (int v = j->v; v < j->v + j->nv; v++) d->tau[v] = 0.0;
  }
}

void jn_part_backward(const jn_system *s, jn_data *d, const jn_part *p)
{
  d->push[p->top] = sv_make(zero, zero);
  for (int i = 0; i < p->nmember; i++) {
    const jn_tree_joint *j = &s->joint[p->member[i]];
    jn_body_right_side(s, d, p->member[i]);
    for (int v = j->v; v < j->v + j->nv; v++) d->load[v] = d->tau[v];
  }
  for (int i = 0; i < p->nshared; i++) {
    const jn_tree_joint *j = &s->joint[p->shared[i]];
    d->carry[p->shared[i]] = d->bias[p->shared[i]];
    for (int v = j->v; v < j->v + j->nv; v++) d->load[v] = 0.0;
  }
  for (int k = 0; k < p->nunit; k++) jn_unit_backward(s, d, &p->unit[k]);
}

void jn_part_forward(const jn_system *s, jn_data *d, const jn_part *p)
{
  for (int i = 0; i < p->nshared; i++) jn_body_accelerate(s, d, p->shared[i]);
  for (int k = p->nunit - 1; k >= 0; k--) jn_unit_forward(s, d, &p->unit[k]);
}

// From members onto the top; bodies are in forward order.
static void sum_up(const jn_system *s, jn_data *d, const jn_part *p, bool with_cuts)
{
  d->reaction[p->top] = sv_make(zero, zero);
  for (int i = 0; i < p->nshared; i++) d->reaction[p->shared[i]] = sv_make(zero, zero);
  for (int i = 0; i < p->nmember; i++) jn_body_needs(s, d, p->member[i]);
  for (int i = 0; i < p->ncut && with_cuts; i++) jn_cut_passes(s, d, p->cut[i]);
  for (int i = p->nbody - 1; i >= 0; i--) jn_body_hands_on(s, d, p->body[i]);
}

void jn_part_reactions(const jn_system *s, jn_data *d, const jn_part *p)
{
  sum_up(s, d, p, false);
  for (int i = 0; i < p->nmember; i++) jn_body_unbalanced(s, d, p->member[i], d->e);
  for (int k = 0; k < p->nunit; k++)
    if (p->unit[k].block >= 0) jn_block_multipliers(s, d, p->unit[k].block, d->e);
  sum_up(s, d, p, true);
}

void jn_part_close(const jn_system *s, jn_data *d, const jn_part *p)
{
  for (int i = 0; i < p->nbody; i++) jn_body_place(s, d, p->body[i]);
  for (int i = 0; i < p->ncut; i++) jn_cut_residuals(s, d, p->cut[i]);
  for (int k = 0; k < p->nunit; k++) {
    if (p->unit[k].block < 0) continue;
    const jn_block *b = &s->block[p->unit[k].block];
    jn_block_follow(s, d, p->unit[k].block, d->residual, d->e);
    for (int g = 0; g < b->nbody; g++) {
      const jn_tree_joint *j = &s->joint[b->body[g]];
      if (j->drive < 0) jn_joint_displace(j, d->q + j->q, d->e + j->v);
    }
  }
}
