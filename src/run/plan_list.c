// plan_list.c: what is plan: names, kinds, indices, counts, order, operation lists. Numbers, and what a scenario gives, are not.
#include "run/plan_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "solve/fast/fast.h"

static void add(jn_plan_list *l, jn_plan_item item)
{
  if (l->n == l->room && !l->full) {
    const int room = l->room ? 2 * l->room : 256;
    jn_plan_item *grown = realloc(l->item, (size_t)room * sizeof *grown);
    l->full = !grown;
    if (grown) l->item = grown, l->room = room;
  }
  if (!l->full) l->item[l->n++] = item;
}

static void word(jn_plan_list *l, const char *section, const char *name, const char *what,
                 const char *text)
{
  add(l, (jn_plan_item){.section = section, .name = name, .what = what, .word = text});
}

static void number(jn_plan_list *l, const char *section, const char *name, const char *what,
                   int64_t value)
{
  add(l, (jn_plan_item){.section = section, .name = name, .what = what, .value = value});
}

// Many numbers as one.
static void folded(jn_plan_list *l, const char *section, const char *name, const char *what,
                   uint64_t h)
{
  number(l, section, name, what, (int64_t)h);
}

// ---- the file and its topology ----------------------------------------------------------------------

static const char *body_of_spec(const jn_spec *spec, int body)
{
  return body == JN_GROUND ? "ground" : spec->body[body].name;
}

static void list_table(jn_plan_list *l, const char *tyre, const char *slips, const char *loads,
                       const jn_carpet_spec *k)
{
  number(l, "tyres", tyre, slips, k->nslip);
  number(l, "tyres", tyre, loads, k->nload);
}

static void list_forces(jn_plan_list *l, const jn_spec *spec)
{
  for (int i = 0; i < spec->nforce; i++) {
    const jn_force_spec *f = &spec->force[i];
    int body[2];
    word(l, "forces", f->name, "its type", jn_force_kind_at(f->kind)->word);
    const int n = jn_force_bodies(spec, f, body);
    for (int k = 0; k < n; k++)
      word(l, "forces", f->name, k ? "its second body" : "its body", body_of_spec(spec, body[k]));
    if (jn_force_channel(f)) word(l, "forces", f->name, "its channel", jn_force_channel(f));
  }
  for (int i = 0; i < spec->ntyre; i++) {
    const jn_tyre_spec *t = &spec->tyre[i];
    word(l, "tyres", t->name, "its type", jn_tyre_kind_at(t->kind)->word);
    if (t->kind != JN_TYRE_CARPET) continue;
    const jn_tyre_carpet_spec *k = &t->as.carpet;
    list_table(l, t->name, "the number of slips of its side_force",
               "the number of loads of its side_force", &k->side_force);
    list_table(l, t->name, "the number of slips of its longitudinal_force",
               "the number of loads of its longitudinal_force", &k->longitudinal_force);
    list_table(l, t->name, "the number of slips of its aligning_torque",
               "the number of loads of its aligning_torque", &k->aligning_torque);
  }
}

static void list_edge(jn_plan_list *l, const jn_model *m, int e)
{
  const jn_edge *k = &m->edge[e];
  word(l, "joints", k->name, "its type", jn_joint_kinds[k->kind].word);
  word(l, "joints", k->name, "its first body", jn_node_name(m, k->a));
  word(l, "joints", k->name, "its second body", jn_node_name(m, k->b));
  word(l, "joints", k->name, "it", k->driven ? "driven" : "free to move");
  word(l, "joints", k->name, "it", m->in_tree[e] ? "in the tree" : "cut");
}

static void list_loops(jn_plan_list *l, const jn_model *m)
{
  for (int i = 0; i < m->nloop; i++) {
    const char *name = m->edge[m->loop[i].cut].name;
    const jn_loop_set *set = &m->set[m->loop[i].set];
    number(l, "joints", name, "the set of its loop", m->loop[i].set);
    number(l, "joints", name, "the number of independent constraints of its loops", set->rank);
    word(l, "joints", name, "the design position of its loop",
         set->design_rank < set->rank || set->isolated ? "singular" : "regular");
  }
}

void jn_plan_list_model(jn_plan_list *l, const jn_model *m)
{
  const jn_spec *spec = m->spec;
  for (int i = 0; i < spec->nbody; i++) number(l, "bodies", spec->body[i].name, "its place", i);
  for (int e = 0; e < m->nedge; e++) list_edge(l, m, e);
  list_forces(l, spec);
  word(l, "bodies", NULL, "the base", jn_node_name(m, m->base));
  for (int k = 1; k < m->nnode; k++) {
    const int v = m->order[k];
    const char *name = jn_node_name(m, v);
    word(l, "bodies", name, "the body that it hangs on", jn_node_name(m, m->parent[v]));
    word(l, "bodies", name, "it", m->core[v] ? "in the core" : "in a subsystem");
    number(l, "bodies", name, "its subsystem", m->part[v]);
  }
  list_loops(l, m);
  for (int i = 0; i < m->nsubsystem; i++) {
    const jn_subsystem *k = &m->subsystem[i];
    const uint64_t h =
        jn_hash_ints(JN_HASH_INTS(JN_HASH_BEGIN, k->shape, k->parent), k->nbody, k->node);
    folded(l, "bodies", jn_node_name(m, k->node[0]), "the shape of its subsystem", h);
  }
}

// ---- the general path -------------------------------------------------------------------------------

static void list_joint(jn_plan_list *l, const jn_system *s, int i)
{
  const jn_tree_joint *j = &s->joint[i];
  const jn_body *b = &s->body[i];
  uint64_t h = JN_HASH_INTS(JN_HASH_BEGIN, (int)j->kind, j->edge, j->reversed, j->q, j->nq, j->v,
                            j->nv, j->scalars, j->sphere, j->drive, j->nmove);
  for (int k = 0; k < j->nmove; k++)
    h = JN_HASH_INTS(h, (int)j->move[k].kind, j->move[k].direction, j->move[k].q, j->move[k].v,
                     j->move[k].far);
  h = JN_HASH_INTS(h, b->node, b->parent, b->frame, b->station, b->new_station, b->floating,
                   s->in_core[i], s->core_column[i]);
  folded(l, "bodies", jn_node_name(s->model, b->node), "the order of its coordinates", h);
}

static void list_cut(jn_plan_list *l, const jn_system *s, const jn_cut *c)
{
  uint64_t h = JN_HASH_INTS(JN_HASH_BEGIN, (int)c->kind, c->edge, c->a, c->b, c->row, c->nrow,
                            c->drive, c->block);
  for (int r = 0; r < c->nrow; r++) {
    const jn_joint_row *k = &c->rows[r];
    h = JN_HASH_INTS(h, k->shape.kind, k->shape.x, k->shape.y, k->shape.value, k->part, k->driven);
  }
  folded(l, "joints", s->model->edge[c->edge].name, "the place of its constraints", h);
}

static void list_block(jn_plan_list *l, const jn_system *s, const jn_block *k)
{
  uint64_t h = JN_HASH_INTS(JN_HASH_BEGIN, k->top, k->n, k->m, k->nc);
  h = jn_hash_ints(jn_hash_ints(jn_hash_ints(h, k->nbody, k->body), k->ncore, k->core), k->ncut,
                   k->cut);
  folded(l, "bodies", jn_node_name(s->model, s->body[k->body[0]].node), "the block of its loops",
         h);
}

static void list_element(jn_plan_list *l, const jn_element *e)
{
  const jn_coordinate *c = &e->in;
  folded(l, "forces", e->name, "the form of its law (numbers of coefficients, curves, an input)",
         JN_HASH_INTS(JN_HASH_BEGIN, e->form));
  folded(l, "forces", e->name, "its place",
         JN_HASH_INTS(JN_HASH_BEGIN, (int)e->kind, e->ends.a, e->ends.b, c->v, c->q, c->cut,
                      c->driven, c->angular, e->actuator.input, e->nfield, e->output, e->plugin));
}

static void list_wheel(jn_plan_list *l, const jn_system *s, const jn_wheel *w)
{
  const jn_spec *spec = s->model->spec;
  word(l, "forces", w->name, "its bearing",
       w->bearing < 0 ? "no joint" : spec->joint[w->bearing].name);
  word(l, "forces", w->name, "its tyre's type", jn_tyre_kind_at(w->tyre.kind)->word);
  folded(l, "forces", w->name, "the set of formulas of its tyre",
         JN_HASH_INTS(JN_HASH_BEGIN, w->tyre.form));
  word(l, "forces", w->name, "the body that its steer angle is measured against",
       jn_node_name(s->model, s->body[w->vehicle].node));
  uint64_t h = JN_HASH_INTS(JN_HASH_BEGIN, w->body, w->spin, w->slip, w->hold, w->drive, w->brake,
                            w->steer, w->carrier, w->reaction, w->output, w->comply, w->tyre.nslip,
                            w->tyre.nfield, w->plugin ? (int)(w->plugin - s->tyre_plugin) : -1);
  h = jn_hash_ints(h, TYRE_NCOMPLIANCE, w->compliance);
  folded(l, "forces", w->name, "its states and connections", h);
}

static void list_signals(jn_plan_list *l, const jn_system *s)
{
  for (int i = 0; i < s->ninput; i++) {
    word(l, "inputs", s->input[i].name, "its unit", s->input[i].unit);
    number(l, "inputs", s->input[i].name, "the component that drives it", s->input[i].driven);
  }
  for (int i = 0; i < s->ndrive; i++)
    number(l, "joints", s->model->edge[s->drive[i].edge].name, "the signal that moves it",
           s->drive[i].signal);
  for (int i = 0; i < s->nsensor; i++) {
    const jn_sensor *k = &s->sensor[i];
    folded(l, "sensors", k->name, "what it measures",
           JN_HASH_INTS(JN_HASH_BEGIN, (int)k->what, k->axis, k->body, k->cut, k->which, k->angle,
                        k->wheel, k->signal, k->used));
  }
  for (int i = 0; i < s->nheld; i++)
    number(l, "sensors", s->held[i].name, "the signal that holds it", s->held[i].signal);
}

static void list_components(jn_plan_list *l, const jn_system *s)
{
  for (int i = 0; i < s->ncomponent; i++) {
    const jn_component *k = &s->component[i];
    const int nin = k->table ? k->table->nin : 0;
    uint64_t h = JN_HASH_INTS(JN_HASH_BEGIN, k->out, k->ndriven, k->early, k->x, k->e, k->instance);
    if (k->table) h = JN_HASH_INTS(h, nin, k->table->nout, k->table->nstate, k->table->nparameter);
    folded(l, k->section, k->own, "its states and connections", jn_hash_ints(h, nin, k->signal));
  }
  for (int i = 0; i < s->ninstance; i++)
    number(l, "components", s->instance[i].name, "its place in the order", i);
}

// ---- the fast path ----------------------------------------------------------------------------------

static uint64_t fold_place(uint64_t h, const lane_place *p)
{
  return JN_HASH_INTS(h, p->body, p->group, p->lane, p->member);
}

static uint64_t fold_maps(const lane_group *k)
{
  uint64_t h = JN_HASH_BEGIN;
  for (int i = 0; i < k->lanes * k->nlink; i++) {
    const lane_state_map *m = &k->link[i];
    h = JN_HASH_INTS(h, (int)m->section, m->field, m->general, m->second, m->rotor);
  }
  for (int i = 0; i < LANES * k->nin; i++) h = JN_HASH_INTS(h, k->in[i].at);
  for (int lane = 0; lane < k->lanes; lane++) {
    for (int i = 0; i < k->nbody; i++) {
      const lane_pose *p = &k->pose[lane * LANE_BODIES + i];
      h = JN_HASH_INTS(h, p->body, p->up, p->r, p->p, p->v, p->force, p->bias, p->accel, p->hinged);
    }
    for (int i = 0; i < k->nroller; i++) {
      const lane_roller *r = &k->roller[lane * LANE_BODIES + i];
      h = JN_HASH_INTS(h, r->body, r->q, r->v, r->carrier);
    }
  }
  for (int i = 0; i < k->lanes * k->noutput; i++)
    h = JN_HASH_INTS(h, k->output[i].wheel, k->output[i].index, k->output[i].field,
                     k->output[i].op);
  return jn_hash_ints(h, k->lanes, k->subsystem);
}

static void list_group(jn_plan_list *l, const jn_system *s, const lane_group *k)
{
  const jn_model *m = s->model;
  const char *name = jn_node_name(m, k->subsystem[0] < 0 ? s->body[-1 - k->subsystem[0]].node
                                                         : m->subsystem[k->subsystem[0]].node[0]);
  folded(l, "bodies", name, "the group of its subsystem",
         JN_HASH_INTS(JN_HASH_BEGIN, k->parent, k->lanes, k->ns, k->nsq, k->shared_f, k->nredundant,
                      k->nw, k->np, k->q, k->v, k->x, k->e, k->nq, k->nv, k->nx, k->ne, k->out,
                      k->outside, k->worst, k->nrow, k->side, k->residuals));
  uint64_t h = JN_HASH_BEGIN;
  for (int p = 0; p < LANE_NPHASE; p++) {
    h = JN_HASH_INTS(h, p, k->nop[p]);
    for (int i = 0; i < k->nop[p]; i++)
      h = jn_hash_ints(JN_HASH_INTS(h, (int)k->op[p][i].kind), k->op[p][i].narg, k->op[p][i].arg);
  }
  folded(l, "bodies", name, "an operation of its subsystem", h);
  folded(l, "bodies", name, "the choice of dependent coordinates in its loops",
         jn_hash_ints(jn_hash_ints(JN_HASH_BEGIN, k->ncoord, k->column), k->nrow + k->nredundant,
                      k->row));
  h = fold_maps(k);
  for (int i = 0; i < k->nstate; i++) h = JN_HASH_INTS(h, k->state[i].to, k->state[i].from);
  for (int i = 0; i < k->nscatter; i++) {
    const lane_scatter *a = &k->scatter[i];
    h = JN_HASH_INTS(h, a->set, a->coordinate, a->first, a->f, a->q, a->d);
    h = jn_hash_ints(jn_hash_ints(h, a->n, a->with), a->n, a->to);
  }
  folded(l, "bodies", name, "the place of its states", h);
}

static void list_rest(jn_plan_list *l, const lane_rest *r)
{
  const jn_part *p = &r->part;
  uint64_t h = JN_HASH_INTS(JN_HASH_BEGIN, p->partition, p->nhung, p->nhung_joints, r->driven);
  h = jn_hash_ints(jn_hash_ints(h, p->nbody, p->body), p->ncut, p->cut);
  h = jn_hash_ints(jn_hash_ints(h, p->nbody, r->q), p->nbody, r->v);
  h = jn_hash_ints(h, p->nblock, p->block);
  for (int i = 0; i < p->nunit; i++) h = JN_HASH_INTS(h, p->unit[i].body, p->unit[i].block);
  folded(l, "solver", NULL, "what the fast path leaves to the functions of the general path", h);
}

static void list_lanes(jn_plan_list *l, const jn_system *s)
{
  const jn_lane *k = s->lane;
  word(l, "solver", NULL, "the path", k ? "fast" : "general");
  if (!k) return;
  for (int i = 0; i < k->ncore; i++) {
    const lane_core *c = &k->core[i];
    folded(l, "bodies", jn_node_name(s->model, s->body[c->body].node), "its place in the core",
           JN_HASH_INTS(JN_HASH_BEGIN, c->up, (int)c->kind, c->q, c->v, c->nv, c->drive, c->set,
                        c->coordinate, c->laned, c->ungrouped, c->watched, c->leaf, c->slide));
  }
  for (int g = 0; g < k->ngroup; g++) list_group(l, s, &k->group[g]);
  list_rest(l, &k->rest);
  uint64_t h = JN_HASH_INTS(JN_HASH_BEGIN, k->nq, k->nv, k->nx, k->nexp, k->core_x, k->core_e);
  h = jn_hash_ints(jn_hash_ints(h, k->nplain, k->plain), k->ndeclared, k->declared);
  for (int i = 0; i < k->nungrouped; i++) {
    const lane_ungrouped *u = &k->ungrouped[i];
    h = JN_HASH_INTS(h, u->element, u->wheel, u->core, u->coordinate, u->less, u->q, u->v,
                     u->lane_q, u->lane_v, u->contact, u->alone);
  }
  for (int i = 0; i < k->nplace; i++) h = fold_place(h, &k->place[i]);
  for (int i = 0; i < k->nsensor; i++) {
    const lane_sensor *r = &k->sensor[i];
    h = fold_place(fold_place(h, &r->place), &r->other);
    h = JN_HASH_INTS(h, (int)r->what, r->axis, r->signal, r->spins, (int)r->from, r->group, r->lane,
                     r->field, (int)r->section, r->turns, r->steer);
  }
  folded(l, "solver", NULL, "what the fast path computes beside groups", h);
}

// ---- the whole --------------------------------------------------------------------------------------

void jn_plan_list_system(jn_plan_list *l, const jn_system *s)
{
  list_signals(l, s);
  list_components(l, s);
  for (int i = s->nframe; i < s->nbody; i++) list_joint(l, s, i);
  for (int i = 0; i < s->ncut; i++) list_cut(l, s, &s->cut[i]);
  for (int i = 0; i < s->nblock; i++) list_block(l, s, &s->block[i]);
  for (int i = 0; i < s->nelement; i++) list_element(l, &s->element[i]);
  for (int i = 0; i < s->nwheel; i++) list_wheel(l, s, &s->wheel[i]);
  for (int i = 0; i < s->nchannel; i++)
    word(l, "channels", s->channel[i].name, "its unit", s->channel[i].unit);
  list_lanes(l, s);
  folded(l, "solver", NULL, "the number of coordinates, states and constraints",
         JN_HASH_INTS(JN_HASH_BEGIN, s->nbody, s->nframe, s->nstation, s->nq, s->nv, s->nx, s->nexp,
                      s->nrow, s->ncut, s->nblock, s->nunit, s->ndrive, s->ninput, s->ncore,
                      s->ncore_row, s->core_rank, s->core_partition, s->work_state, s->first_lag,
                      s->nsignal, s->noutput, s->nelement, s->nwheel, s->nchannel, s->ntable));
}

void jn_plan_list_free(jn_plan_list *l)
{
  free(l->item);
  *l = (jn_plan_list){0};
}

uint64_t jn_plan_list_mark(const jn_plan_list *l)
{
  uint64_t h = JN_HASH_BEGIN;
  for (int i = 0; i < l->n; i++) {
    const jn_plan_item *k = &l->item[i];
    const char *text[] = {k->section, k->name, k->what, k->word};
    for (int t = 0; t < 4; t++)
      h = jn_hash(h, text[t] ? text[t] : "", text[t] ? strlen(text[t]) + 1 : 1);
    h = jn_hash(h, &k->value, sizeof k->value);
  }
  return h;
}

static bool same_text(const char *a, const char *b)
{
  return a == b || (a && b && !strcmp(a, b));
}

static bool is_hash(int64_t value)  // of many numbers, which nobody reads
{
  return value < -1000000 || value > 1000000;
}

static void path_of(const jn_plan_item *k, char path[120])
{
  snprintf(path, 120, "%s%s%s", k->section, k->name ? "." : "", k->name ? k->name : "");
}

static jn_status refuse(const jn_plan_item *plan, const jn_plan_item *own, jn_pos pos,
                        jn_error *err)
{
  char there[120] = "", here[120] = "";
  if (plan) path_of(plan, there);
  if (own) path_of(own, here);
  if (!own) return jn_fail(err, JN_E_PLAN, pos, there, "is part of the plan, and missing here");
  if (!plan) return jn_fail(err, JN_E_PLAN, pos, here, "is not part of the plan");
  if (strcmp(there, here) || !same_text(plan->what, own->what))
    return jn_fail(err, JN_E_PLAN, pos, here,
                   "stands where the plan has %s; parameters can change, the list of bodies, "
                   "joints, force elements and components cannot",
                   there);
  if (plan->word || own->word)
    return jn_fail(err, JN_E_PLAN, pos, here, "%s is %s, in the plan %s", own->what,
                   own->word ? own->word : "none", plan->word ? plan->word : "none");
  if (is_hash(plan->value) || is_hash(own->value))
    return jn_fail(err, JN_E_PLAN, pos, here, "%s would be another than in the plan", own->what);
  return jn_fail(err, JN_E_PLAN, pos, here, "%s is %lld, in the plan %lld", own->what,
                 (long long)own->value, (long long)plan->value);
}

jn_status jn_plan_list_compare(const jn_plan_list *plan, const jn_plan_list *own, jn_pos pos,
                               jn_error *err)
{
  if (plan->full || own->full) return jn_no_memory(err, pos);
  for (int i = 0; i < plan->n || i < own->n; i++) {
    const jn_plan_item *a = i < plan->n ? &plan->item[i] : NULL,
                       *b = i < own->n ? &own->item[i] : NULL;
    const bool same = a && b && same_text(a->section, b->section) && same_text(a->name, b->name) &&
                      same_text(a->what, b->what) && same_text(a->word, b->word) &&
                      a->value == b->value;
    if (!same) return refuse(a, b, pos, err);
  }
  return JN_OK;
}
