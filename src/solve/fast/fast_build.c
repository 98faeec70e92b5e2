// fast_build.c: from a system to lanes: for each subsystem a program, like programs side by side in a group.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/build.h"
#include "solve/fast/fast_build.h"
#include "solve/fast/program_write.h"
#include "solve/formulation.h"
#include "solve/general/articulated.h"

// ---- reasons --------------------------------------------------------------------------------------

static const char *reason_text(jn_system *s, const char *fmt, va_list args)
{
  char text[200];
  vsnprintf(text, sizeof text, fmt, args);
  return jn_pool_text(&s->pool, text);
}

bool jn_lane_refuse(jn_system *s, const char *fmt, ...)
{
  va_list args;
  va_start(args, fmt);
  s->lane_reason = reason_text(s, fmt, args);
  va_end(args);
  return false;
}

// Zeroed, for a while; the caller frees it. A system that lacked memory for it is not built.
static void *scratch(jn_system *s, int n, size_t size)
{
  void *at = calloc((size_t)n, size);
  s->short_of_memory |= !at;
  return at;
}

// The core belongs to the rest: keeps the first reason.
static void leave_core(jn_system *s, jn_lane *l, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void leave_core(jn_system *s, jn_lane *l, const char *fmt, ...)
{
  va_list args;
  va_start(args, fmt);
  if (!l->rest.why) l->rest.why = reason_text(s, fmt, args);
  va_end(args);
}

static const char *name_of(const jn_model *m, int subsystem)
{
  return jn_node_name(m, m->subsystem[subsystem].node[0]);
}

// Why no group takes a subsystem. joint: edge that it is about, -1: none
static const char *reason_of(jn_system *s, int joint, const char *why)
{
  const jn_model *m = s->model;
  char text[200];
  if (joint < 0) return why;
  if (m->edge[joint].kind == JN_JOINT_FREE && joint >= m->nfile_edge)
    snprintf(text, sizeof text, "%s is held by force elements alone",
             jn_node_name(m, m->edge[joint].b));
  else
    snprintf(text, sizeof text, "joint %s (%s): %s", m->edge[joint].name,
             jn_joint_kinds[m->edge[joint].kind].word, why);
  return jn_pool_text(&s->pool, text);
}

// Have the loops between core bodies no effect? Bearings of a shaft are such, beyond the first: all their rows are redundant. What
// the rank of a set has beyond those of its subsystems is the core's.
static bool core_is_open(const jn_system *s)
{
  const jn_model *m = s->model;
  for (int i = 0; i < m->nset; i++) {
    bool own = false;
    for (int k = 0; k < m->nloop; k++) {
      const jn_edge *e = &m->edge[m->loop[k].cut];
      own |= m->loop[k].set == i && e->nrow && m->core[e->a] && m->core[e->b];
    }
    if (own && !(m->set[i].ranked && m->set[i].rank <= m->set[i].apart_rank)) return false;
  }
  return true;
}

static bool fits_at_all(jn_system *s)
{
  if (s->binding.opts.path == JN_PATH_GENERAL)
    return jn_lane_refuse(s, "the general path was asked for");
  if (!s->formulation->lanes) return jn_lane_refuse(s, "lanes are for formulation subsystem");
  if (s->binding.opts.integrator == JN_INTEGRATOR_REFERENCE)
    return jn_lane_refuse(s, "integrator reference has no need of lanes");
  if (s->binding.opts.stabilize == JN_STABILIZE_BAUMGARTE ||
      s->binding.opts.stabilize == JN_STABILIZE_NEWTON)
    return jn_lane_refuse(s, "stabilize %s is not for lanes",
                          jn_sim_word_of("stabilize", s->binding.opts.stabilize));
  if (s->model->nsubsystem == 0) return jn_lane_refuse(s, "there is no subsystem");
  return true;
}

// Loops that the core solves for in the rest: their dependent coordinates are chosen by rows of a known rank, away from singular
// positions, and are no floating base's.
static bool core_can_be_split(jn_system *s)
{
  const jn_model *m = s->model;
  for (int i = 0; i < m->nloop; i++) {
    const jn_loop_set *set = &m->set[m->loop[i].set];
    const jn_cut *c = &s->cut[s->cut_of_edge[m->loop[i].cut]];
    if (c->block >= 0 || !c->nrow) continue;
    const char *name = m->edge[m->loop[i].cut].name;
    if (!set->ranked || set->isolated || set->design_rank < set->rank)
      return jn_lane_refuse(s, "the loop that joint %s closes is near a singular position", name);
    if ((c->a < s->nframe || c->b < s->nframe) && s->frame[s->body[c->b].frame].floating)
      return jn_lane_refuse(s, "joint %s holds the base to the ground in a loop", name);
  }
  return true;
}

// ---- core -----------------------------------------------------------------------------------------

int jn_lane_core_of(const jn_lane *l, int body)
{
  for (int i = 0; i < l->ncore; i++)
    if (l->core[i].body == body) return i;
  return -1;
}

static bool build_core(jn_system *s, jn_lane *l)
{
  l->core = jn_build_array(s, s->nbody, sizeof *l->core);
  for (int i = s->nframe; l->core && i < s->nbody; i++) {
    if (!lane_is_core(s, i)) continue;
    const jn_tree_joint *j = &s->joint[i];
    const char *name = jn_node_name(s->model, s->body[i].node);
    const jn_edge *e = &s->model->edge[j->edge];
    if (j->kind != JN_TREE_BASE && !jn_lane_has_joint(j))
      leave_core(s, l, "core body %s, joint %s (%s): lanes have no core for joints of its kind",
                 name, e->name, jn_joint_kinds[e->kind].word);
    if (!lane_is_identity(j->turn))
      leave_core(s, l, "core body %s, joint %s: the axes given on its two bodies differ", name,
                 e->name);
    const jn_body *k = &s->body[i];
    l->core[l->ncore] =
        (lane_core){.body = i,
                    .leaf = true,
                    .rigid = si_from_cg(k->mass, k->cg, k->inertia),
                    .kind = j->kind,
                    .nv = j->nv,
                    .drive = j->drive,
                    .set = -1,
                    .up = j->kind == JN_TREE_BASE ? -1 : jn_lane_core_of(l, s->body[i].parent)};
    l->core[l->ncore].inertia = ai_from_rigid(l->core[l->ncore].rigid);
    if (l->core[l->ncore].up >= 0) l->core[l->core[l->ncore].up].leaf = false;
    l->ncore++;
  }
  if (s->nframe != 1) leave_core(s, l, "%d assemblies that no joint connects", s->nframe);
  if (!core_is_open(s)) leave_core(s, l, "loops in the core");
  return l->core;
}

// ---- groups ---------------------------------------------------------------------------------------

static int pad(int n)
{
  return (n + LANES - 1) / LANES * LANES;
}

static bool same_program(const lane_program *a, const lane_program *b)
{
  if (a->parent != b->parent || a->nw != b->nw || a->np != b->np || a->nin != b->nin ||
      a->out != b->out || a->ns != b->ns || a->nsq != b->nsq)
    return false;
  for (int p = 0; p < LANE_NPHASE; p++) {
    if (a->list[p].nop != b->list[p].nop || a->list[p].narg != b->list[p].narg) return false;
    if (memcmp(a->list[p].op, b->list[p].op, (size_t)a->list[p].nop * sizeof *a->list[p].op) ||
        memcmp(a->list[p].arg, b->list[p].arg, (size_t)a->list[p].narg * sizeof *a->list[p].arg))
      return false;
  }
  return true;
}

static bool keep_lists(jn_system *s, lane_group *g, const lane_program *b)
{
  for (int p = 0; p < LANE_NPHASE; p++) {
    const lane_list *from = &b->list[p];
    lane_op *op = jn_build_array(s, from->nop, sizeof *op);
    int *arg = jn_build_array(s, from->narg, sizeof *arg);
    if (!op || !arg) return false;
    memcpy(arg, from->arg, (size_t)from->narg * sizeof *arg);
    for (int i = 0; i < from->nop; i++)
      op[i] = (lane_op){from->op[i].kind, from->op[i].narg, arg + from->op[i].first};
    g->op[p] = op;
    g->nop[p] = from->nop;
  }
  return true;
}

static bool same_list(const lane_op *a, const lane_op *b, int n)
{
  for (int i = 0; i < n; i++)
    if (a[i].kind != b[i].kind || a[i].narg != b[i].narg ||
        memcmp(a[i].arg, b[i].arg, (size_t)a[i].narg * sizeof *a[i].arg))
      return false;
  return true;
}

static void find_compiled(const jn_system *s, const lane_engine *e, lane_group *g)
{
  for (int p = 0; p < LANE_NPHASE; p++) {
    g->compiled[p] = -1;
    for (int i = 0; s->binding.opts.path == JN_PATH_AUTO && e->compiled && i < jn_lane_ncompiled;
         i++) {
      const lane_compiled *c = &jn_lane_compiled[i];
      if (c->phase == (lane_phase)p && c->nop == g->nop[p] && same_list(c->op, g->op[p], c->nop))
        g->compiled[p] = i;
    }
  }
}

static void fill_lane(lane_group *g, const lane_program *b, int lane)
{
  const jn_system *s = b->s;
  int list[LANE_CUTS];
  const int n = jn_lane_find_cuts(s, b->subsystem, list);
  for (int i = 0, row = 0; i < n; i++)
    for (int r = 0; r < s->cut[list[i]].nrow; r++, row++) {
      if (b->row[row] >= b->nrow) continue;  // redundant
      const double scale = s->length_scale[s->cut[list[i]].row + r];
      g->open[LANES * b->row[row] + lane] = scale;
      g->square = fmax(g->square, scale * scale);
    }
  for (int i = 0; i < g->np; i++) g->p[LANES * i + lane] = b->p[i];
  for (int i = 0; i < g->nw; i++) g->image[LANES * i + lane] = b->image[i];
  for (int i = 0; i < g->nin; i++) g->in[LANES * i + lane] = b->in[i];
  for (int i = 0; i < g->nsq; i++) g->given_q[lane * g->nsq + i] = b->given_q[i];
  for (int i = 0; i < g->ns; i++) g->given[lane * g->ns + i] = b->given[i];
}

// Four lanes of each field, aligned for loads of four.
static double *fields(jn_system *s, int n)
{
  const uintptr_t line = LANES * sizeof(double);
  double *x = jn_build_array(s, (n + 1) * LANES, sizeof *x);
  return x ? (double *)(((uintptr_t)x + line - 1) / line * line) : NULL;
}

static bool begin_group(jn_system *s, jn_lane *l, lane_group *g, const lane_program *b)
{
  *g = (lane_group){.parent = jn_lane_core_of(l, b->parent),
                    .ns = b->ns,
                    .nsq = b->nsq,
                    .shared_f = b->nv ? b->shared : b->f,
                    .shared_q = b->nv ? b->shared + 6 * b->ns : b->q,
                    .shared_d = b->nv ? b->shared + 7 * b->ns : b->d,
                    .nw = b->nw,
                    .np = b->np,
                    .nq = b->nq,
                    .nv = b->nv + b->nspin,
                    .nx = b->nx,
                    .ne = b->ne,
                    .nin = b->nin,
                    .out = b->out,
                    .outside = b->outside,
                    .worst = b->worst,
                    .nrow = b->nrow,
                    .nredundant = b->nredundant,
                    .side = b->side + 1,
                    .residuals = b->residuals};
  g->p = fields(s, g->np);
  g->image = fields(s, g->nw);
  g->open = fields(s, g->nrow);
  g->in = jn_build_array(s, g->nin * LANES, sizeof *g->in);
  g->subsystem = jn_build_array(s, LANES, sizeof *g->subsystem);
  g->given_q = jn_build_array(s, LANES * g->nsq, sizeof *g->given_q);
  g->given = jn_build_array(s, LANES * g->ns, sizeof *g->given);
  g->ncoord = b->ncoord;
  g->column = jn_build_array(s, b->ncoord, sizeof *g->column);
  g->row = jn_build_array(s, b->nrow + b->nredundant, sizeof *g->row);
  g->link = jn_build_array(s, LANES * b->nlink, sizeof *g->link);
  g->nlink = b->nlink;
  g->output = jn_build_array(s, LANES * b->nrow_of, sizeof *g->output);
  g->noutput = b->nrow_of;
  g->pose = jn_build_array(s, LANES * LANE_BODIES, sizeof *g->pose);
  g->roller = jn_build_array(s, LANES * LANE_BODIES, sizeof *g->roller);
  if (g->parent >= 0) l->core[g->parent].leaf = false;
  if (!g->p || !g->image || !g->open || !g->in || !g->subsystem || !g->link || !g->output ||
      !g->pose || !g->roller || !g->column || !g->row || !g->given || !g->given_q)
    return false;
  memcpy(g->column, b->column, (size_t)b->ncoord * sizeof *g->column);
  memcpy(g->row, b->row, (size_t)(b->nrow + b->nredundant) * sizeof *g->row);
  if (!keep_lists(s, g, b)) return false;
  find_compiled(s, l->engine, g);
  return true;
}

static void add_lane(lane_group *g, const lane_program *b, int subsystem)
{
  const int lane = g->lanes++;
  g->subsystem[lane] = subsystem;
  for (int i = lane; i < (lane ? lane + 1 : LANES); i++)
    fill_lane(g, b, i);  // those that stay free are copies of the first, as their states are
  for (int i = 0; i < b->nlink; i++) g->link[lane * b->nlink + i] = b->link[i];
  for (int i = 0; i < b->nrow_of; i++) g->output[lane * b->nrow_of + i] = b->output[i];
  g->nbody = b->n;
  for (int i = 0; i < b->n; i++) {
    const lane_member *m = &b->m[i];
    const int turn = m->r < 0 && m->circle >= 0 ? LANE_CIRCLE - m->circle : m->r;
    const int r = m->rotor ? LANE_ROTOR : turn;
    g->pose[lane * LANE_BODIES + i] =
        (lane_pose){m->body, m->up, r, m->p, m->v, m->force, m->b, m->accel, m->hinged};
  }
  g->nroller = 0;
  for (int i = 0; i < b->n; i++) {
    const lane_member *m = &b->m[i];
    if (!m->rotor) continue;
    g->roller[lane * LANE_BODIES + g->nroller++] = (lane_roller){
        m->body, m->q, m->spin, m->up, m->sign, v3_scale(m->sign, b->s->joint[m->body].axis)};
  }
}

// A group with room that its program is that of; of several the first.
static int group_for(const jn_lane *l, lane_program *const *program, const lane_program *b)
{
  for (int g = 0; g < l->ngroup; g++)
    if (l->group[g].lanes < LANES && same_program(program[g], b)) return g;
  return -1;
}

// A subsystem that the order of those alike does not serve has one of its own. Does that serve all lanes of the group?
static bool takes_order(jn_system *s, const lane_group *g, const lane_program *b,
                        lane_program *trial)
{
  const char *why;
  for (int i = 0; i < g->lanes; i++)
    if (!jn_lane_program(s, g->subsystem[i], b, trial, &why) || !same_program(b, trial))
      return false;
  return true;
}

// The group anew, in the order of `b`.
static bool rewrite_group(jn_system *s, jn_lane *l, lane_group *g, const lane_program *b,
                          lane_program *trial)
{
  const lane_group old = *g;
  const char *why;
  if (!begin_group(s, l, g, b)) return false;
  for (int i = 0; i < old.lanes; i++) {
    jn_lane_program(s, old.subsystem[i], b, trial, &why);
    add_lane(g, trial, old.subsystem[i]);
  }
  return true;
}

// Sets a subsystem aside, to be ungrouped: false, if it cannot be, since the plan has it in a group.
static bool set_aside(jn_system *s, int subsystem, const char *why)
{
  if (s->like) return false;
  s->ungrouped[subsystem] = true;
  s->ungrouped_reason[subsystem] = why;
  for (int i = s->nframe; i < s->nbody; i++)  // its wheel bodies are bodies like any other
    if (s->body[i].node != JN_NODE_GROUND && !lane_is_core(s, i) &&
        s->model->part[s->body[i].node] == subsystem)
      s->rotor[i] = false;
  return true;
}

// One that fills a group alone with a large factorisation of loops: at an order that is fixed, as dear as the general path, and less
// precise.
static bool set_large_aside(jn_system *s, const jn_lane *l, bool *again)
{
  for (int g = 0; g < l->ngroup; g++) {
    const lane_group *k = &l->group[g];
    if (k->lanes > 1 || k->nrow <= LANE_MOST_ROWS_ALONE) continue;
    char why[80];
    snprintf(why, sizeof why, "its loops have %d rows, and no other subsystem is like it", k->nrow);
    if (!set_aside(s, k->subsystem[0], jn_pool_text(&s->pool, why)))
      return jn_lane_refuse(s, "subsystem of %s: %s", name_of(s->model, k->subsystem[0]), why);
    *again = true;
  }
  return true;
}

static bool needs_rest(const jn_system *s, const jn_lane *l)
{
  bool rest = l->rest.why;
  for (int k = 0; k < s->model->nsubsystem; k++) rest |= s->ungrouped[k];
  return rest;
}

static bool set_unhung_aside(jn_system *s, const jn_lane *l, bool *again)
{
  for (int g = 0; g < l->ngroup && needs_rest(s, l); g++)
    for (int lane = 0; lane < l->group[g].lanes; lane++) {
      const int k = l->group[g].subsystem[lane];
      const char *why = jn_lane_hangs(s, &l->group[g], lane, lane_parent_of(s, k));
      if (!why) continue;
      if (!set_aside(s, k, why))
        return jn_lane_refuse(s, "subsystem of %s: %s", name_of(s->model, k), why);
      *again = true;
    }
  return true;
}

// again: a subsystem was set aside, and all others are written anew, since what they have alike may have changed.
static bool try_groups(jn_system *s, jn_lane *l, bool *again)
{
  const jn_model *m = s->model;
  lane_program **program = scratch(s, m->nsubsystem + 1, sizeof *program);  // of each group
  lane_program *b = scratch(s, 1, sizeof *b), *trial = scratch(s, 1, sizeof *trial);
  bool good = l->group && program && b && trial;
  l->ngroup = 0;
  for (int k = 0; good && k < m->nsubsystem; k++) {
    if (s->ungrouped[k]) continue;
    const jn_subsystem *sub = &m->subsystem[k];
    int alike = -1;  // of groups alike that have room, the last
    for (int g = l->ngroup - 1; g >= 0 && alike < 0; g--) {
      const jn_subsystem *other = &m->subsystem[l->group[g].subsystem[0]];
      if (l->group[g].lanes < LANES && other->shape == sub->shape && other->parent == sub->parent)
        alike = g;
    }
    const char *why;
    if (!jn_lane_program(s, k, alike < 0 ? NULL : program[alike], b, &why)) {
      why = reason_of(s, b->joint, why);
      *again = good = set_aside(s, k, why);
      if (!good) jn_lane_refuse(s, "subsystem of %s: %s", name_of(m, k), why);
      continue;
    }
    int g = group_for(l, program, b);
    if (g < 0 && alike >= 0 && takes_order(s, &l->group[alike], b, trial)) {
      g = alike;
      good = rewrite_group(s, l, &l->group[g], b, trial);
      lane_program *other = program[g];
      program[g] = b, b = other;
      if (good) add_lane(&l->group[g], program[g], k);
    } else if (g < 0) {
      g = l->ngroup++;
      program[g] = b;
      b = scratch(s, 1, sizeof *b);
      good = b && begin_group(s, l, &l->group[g], program[g]);
      if (good) add_lane(&l->group[g], program[g], k);
    } else {
      add_lane(&l->group[g], b, k);
    }
  }
  if (good && !*again) good = set_large_aside(s, l, again);
  if (good && !*again) good = set_unhung_aside(s, l, again);
  for (int g = 0; program && g < l->ngroup; g++) free(program[g]);
  free(program);
  free(b), free(trial);
  return good;
}

// Without a group there is nothing to gain: then the first of the reasons is that of the whole.
static bool build_ungrouped(jn_system *s, jn_lane *l)
{
  const jn_model *m = s->model;
  for (int k = 0; k < m->nsubsystem && !l->ngroup; k++)
    if (s->ungrouped[k])
      return jn_lane_refuse(s, "subsystem of %s: %s", name_of(m, k), s->ungrouped_reason[k]);
  int n = 0;
  for (int k = 0; k < m->nsubsystem; k++) n += s->ungrouped[k];
  l->subsystem = jn_build_array(s, n, sizeof *l->subsystem);
  l->station = jn_build_array(s, s->nstation, sizeof *l->station);
  if (!l->subsystem || !l->station) return false;
  l->nsubsystem = l->nstation = 0;
  for (int k = 0; k < m->nsubsystem; k++)
    if (s->ungrouped[k])
      l->subsystem[l->nsubsystem++] = (lane_subsystem){k, s->ungrouped_reason[k]};
  const bool rest = needs_rest(s, l);
  for (int i = 0; i < s->nstation; i++)
    if (!rest || lane_subsystem_of(s, s->station_body[i]) >= 0) l->station[l->nstation++] = i;
  return true;
}

// Nothing is set aside yet, or what the plan has set aside.
static bool begin_ungrouped(jn_system *s)
{
  const int n = s->model->nsubsystem;
  s->ungrouped = jn_build_array(s, n, sizeof *s->ungrouped);
  s->ungrouped_reason = jn_build_array(s, n, sizeof *s->ungrouped_reason);
  for (int k = 0; s->ungrouped && s->ungrouped_reason && s->like && k < n; k++) {
    s->ungrouped[k] = s->like->ungrouped[k];
    if (s->ungrouped[k])
      s->ungrouped_reason[k] = jn_pool_text(&s->pool, s->like->ungrouped_reason[k]);
  }
  return s->ungrouped && s->ungrouped_reason;
}

static bool build_groups(jn_system *s, jn_lane *l)
{
  bool again = true;
  l->group = jn_build_array(s, s->model->nsubsystem, sizeof *l->group);
  if (!l->group) return false;
  while (again) {
    again = false;
    if (!try_groups(s, l, &again)) return false;
  }
  return build_ungrouped(s, l);
}

static bool build_rest(jn_system *s, jn_lane *l)
{
  if (s->like && !jn_lane_has_rest(s->like->lane))
    return jn_lane_refuse(s, "%s", l->rest.why);  // nothing was set aside, then
  if (!core_can_be_split(s)) return false;
  return jn_lane_rest_build(s, l);
}

// ---- shared joints --------------------------------------------------------------------------------

// Whose a coordinate of a lane is: a core body's; or, behind these, a motion's that is prescribed in a subsystem. -1: nobody's.
static int owner_of(const jn_lane *l, const lane_given *k)
{
  if (k->body >= 0) return jn_lane_core_of(l, k->body);
  if (k->drive < 0) return -1;
  for (int i = 0; i < l->ncore; i++)
    if (l->core[i].drive == k->drive) return i;
  return l->ncore + k->drive;
}

typedef struct coupling {
  int n;              // core bodies and prescribed motions
  int *root;          // one of those that it is coupled with (n)
  int *parent, *set;  // body that groups see it from, -2: none does; set of a root
} coupling;

static int root_of(const coupling *c, int i)
{
  while (c->root[i] != i) i = c->root[i];
  return i;
}

// To what its lane is coupled with already: `last`, -1: nothing.
static bool couple_to(jn_system *s, const coupling *c, int at, int parent, int *last)
{
  if (at < 0) return true;
  if (c->parent[at] != -2 && c->parent[at] != parent)
    return jn_lane_refuse(s, "subsystems that hang on different bodies share a joint");
  c->parent[at] = parent;
  if (*last >= 0) c->root[root_of(c, at)] = root_of(c, *last);
  *last = at;
  return true;
}

// What is coupled: coordinates of one lane, and joints one behind the other.
static bool couple(jn_system *s, const jn_lane *l, const coupling *c)
{
  for (int g = 0; g < l->ngroup; g++)
    for (int lane = 0; lane < l->group[g].lanes; lane++)
      for (int i = 0, last = -1; i < l->group[g].ns; i++)
        if (!couple_to(s, c, owner_of(l, &l->group[g].given[lane * l->group[g].ns + i]),
                       l->group[g].parent, &last))
          return false;
  return true;
}

// Bodies between those and the body that groups see them from, fixed ones and prescribed ones, are of the set too.
static bool couple_between(jn_system *s, const jn_lane *l, const coupling *c)
{
  for (int i = l->ncore - 1; i >= 0; i--) {
    int last = i;
    if (c->parent[i] == -2 || l->core[i].up == c->parent[i] || l->core[i].up < 0) continue;
    if (!couple_to(s, c, l->core[i].up, c->parent[i], &last)) return false;
  }
  return true;
}

static bool add_to_set(jn_system *s, jn_lane *l, lane_set *set, int at)
{
  const bool core = at < l->ncore;
  const lane_core *k = core ? &l->core[at] : NULL;
  const int n = !core || k->drive >= 0 ? 1 : k->nv;
  if (set->n + n > LANE_SET)
    return jn_lane_refuse(s, "groups couple too many joints of core bodies");
  if (core) {
    const int i = set->nbody++;
    set->body[i].core = at, set->body[i].up = -1;
    set->body[i].rigid = true;
    for (int u = 0; u < i; u++)
      if (set->body[u].core == k->up) set->body[i].up = u;
    const int up = set->body[i].up;
    for (int c = 0; up >= 0 && c < set->body[up].n; c++)
      set->body[i].path[set->body[i].n++] = set->body[up].path[c];
    set->body[i].own = set->body[i].n;
    for (int c = 0; c < n; c++) set->body[i].path[set->body[i].n++] = set->n + c;
    l->core[at].set = (int)(set - l->set), l->core[at].coordinate = set->n;
  }
  for (int c = 0; c < n; c++) {
    const int drive = core ? k->drive : at - l->ncore;
    if (drive < 0) set->free[set->nfree++] = set->n;
    set->at[set->n].core = core ? at : -1;
    set->at[set->n].index = c;
    set->at[set->n++].drive = drive;
  }
  return true;
}

static bool is_in_set(const jn_lane *l, int core, int set)
{
  return core >= 0 && l->core[core].set == set;
}

// Does something hang on a body of a set that is not of it?
static void find_rigid(jn_lane *l)
{
  for (int i = 0; i < l->nset; i++)
    for (int b = 0; b < l->set[i].nbody; b++) {
      const int own = l->set[i].body[b].core;
      for (int k = 0; k < l->ncore; k++)
        if (l->core[k].up == own && !is_in_set(l, k, i)) l->set[i].body[b].rigid = false;
      for (int g = 0; g < l->ngroup; g++)
        if (l->group[g].parent == own) l->set[i].body[b].rigid = false;
    }
}

static bool build_sets(jn_system *s, jn_lane *l)
{
  coupling c = {.n = l->ncore + s->ndrive};
  c.root = jn_build_array(s, 3 * c.n, sizeof *c.root);
  l->set = jn_build_array(s, c.n, sizeof *l->set);
  if (!c.root || !l->set) return false;
  c.parent = c.root + c.n, c.set = c.parent + c.n;
  for (int i = 0; i < c.n; i++) c.root[i] = i, c.parent[i] = -2, c.set[i] = -1;
  if (!couple(s, l, &c) || !couple_between(s, l, &c)) return false;
  for (int i = 0; i < c.n; i++) {
    if (c.parent[i] == -2) continue;
    const int root = root_of(&c, i);
    if (c.set[root] < 0) {
      c.set[root] = l->nset++;
      l->set[c.set[root]].parent = c.parent[i];
    }
    if (!add_to_set(s, l, &l->set[c.set[root]], i)) return false;
    c.set[i] = c.set[root];
  }
  for (int i = 0; i < l->nset; i++) l->set[i].several = l->set[i].n > 1 || l->set[i].nbody != 1;
  find_rigid(l);
  return true;
}

// ---- core bodies in lanes ---------------------------------------------------------------------------
//
// Bodies of a set that nothing but groups and other bodies of it touch have no need of a motion of their own: halves of anti-roll
// bars, idler arms. Their inertia is added up in lanes, as that of a subsystem without coordinates of its own.

// Is a cut hinge between two core bodies about the axis that both are hinged about on one body? Its angle is the difference of theirs.
static bool is_coaxial(const jn_system *s, int cut)
{
  const jn_cut *c = &s->cut[cut];
  if (c->kind != JN_JOINT_REVOLUTE || c->drive >= 0) return false;
  const int end[2] = {c->a, c->b};
  for (int e = 0; e < 2; e++) {
    if (end[e] < s->nframe || !lane_is_core(s, end[e])) return false;
    const jn_tree_joint *j = &s->joint[end[e]];
    if (j->kind != JN_JOINT_REVOLUTE || j->drive >= 0 ||
        s->body[end[e]].parent != s->body[end[0]].parent ||
        v3_norm(v3_cross(j->axis, c->x[JN_X_AXIS])) > 1e-9)
      return false;
  }
  const v3 off = v3_sub(s->joint[c->a].at, s->joint[c->b].at);
  return v3_norm(v3_cross(off, c->x[JN_X_AXIS])) < 1e-9;
}

static bool is_untouched(const jn_system *s, int body)
{
  for (int i = 0; i < s->nelement; i++) {
    const jn_element *e = &s->element[i];
    const int cut = e->in.cut, driven = e->in.driven;
    if (jn_element_kinds[e->kind].ends != JN_ENDS_COORDINATE) {
      if (e->ends.a == body || e->ends.b == body) return false;
      continue;
    }
    if (driven >= 0 && (driven == body || s->body[driven].parent == body)) return false;
    if (cut >= 0 && !is_coaxial(s, cut) && (s->cut[cut].a == body || s->cut[cut].b == body))
      return false;
  }
  for (int i = 0; i < s->nwheel; i++) {
    const jn_wheel *w = &s->wheel[i];
    if (w->body == body || w->carrier == body || w->reaction == body || w->vehicle == body)
      return false;
  }
  return true;
}

static bool may_be_laned(const jn_system *s, const jn_lane *l, const lane_set *set)
{
  for (int b = 0; b < set->nbody; b++)
    if (!set->body[b].rigid || !is_untouched(s, l->core[set->body[b].core].body)) return false;
  return set->several;
}

// Bodies whose joints are alike share a group. Of one alone it does not pay, unless what it hangs on, or what hangs on it, is in lanes.
static void choose_laned(const jn_system *s, jn_lane *l)
{
  for (int i = 0; i < l->nset; i++)
    for (int b = 0; may_be_laned(s, l, &l->set[i]) && b < l->set[i].nbody; b++) {
      lane_core *own = &l->core[l->set[i].body[b].core];
      int like = 0;
      for (int k = 0; k < l->nset; k++)
        for (int o = 0; may_be_laned(s, l, &l->set[k]) && o < l->set[k].nbody; o++)
          like += l->set[k].parent == l->set[i].parent &&
                  l->core[l->set[k].body[o].core].kind == own->kind;
      const int up = l->set[i].body[b].up;
      own->laned = like > 1 || (up >= 0 && l->core[l->set[i].body[up].core].laned);
      for (int u = up; own->laned && u >= 0; u = l->set[i].body[u].up)
        l->core[l->set[i].body[u].core].laned = true;
    }
  // A body that was looked at before what it hangs on went into lanes goes with that.
  for (int i = 0; i < l->nset; i++)
    for (int b = 0; b < l->set[i].nbody; b++) {
      const int up = l->set[i].body[b].up;
      if (up >= 0) l->core[l->set[i].body[b].core].laned |= l->core[l->set[i].body[up].core].laned;
    }
}

// Bodies between the parent body and one of its set, inner ones first; -1: too many.
static int bodies_before(const jn_lane *l, const lane_set *set, int b, int chain[LANE_CHAIN])
{
  int n = 0;
  for (int up = set->body[b].up; up >= 0; up = set->body[up].up) n++;
  if (n > LANE_CHAIN) return -1;
  for (int up = set->body[b].up, i = n - 1; up >= 0; up = set->body[up].up)
    chain[i--] = l->core[set->body[up].core].body;
  return n;
}

// As many as the furthest of all such bodies has, if their joints are of the same kinds from the outer end on; else its own.
static int bodies_before_all(const jn_system *s, const jn_lane *l, int set, int b,
                             int like[LANE_CHAIN])
{
  const int own = bodies_before(l, &l->set[set], b, like);
  int most = own, other[LANE_CHAIN], longest[LANE_CHAIN];
  memcpy(longest, like, sizeof longest);
  for (int i = 0; i < l->nset; i++)
    for (int k = 0; l->set[i].parent == l->set[set].parent && k < l->set[i].nbody; k++) {
      if (!l->core[l->set[i].body[k].core].laned) continue;
      const int n = bodies_before(l, &l->set[i], k, other);
      for (int m = 1; m <= n && m <= most; m++)
        if (s->joint[other[n - m]].kind != s->joint[longest[most - m]].kind) return own;
      if (n > most) memcpy(longest, other, sizeof longest), most = n;
    }
  memcpy(like, longest, sizeof longest);
  return most;
}

// What is left of a set's own bodies. None of them hangs on one that is in lanes.
static void drop_laned(const jn_lane *l, lane_set *set)
{
  int place[LANE_SET], n = 0;
  for (int b = 0; b < set->nbody; b++) {
    place[b] = n;
    if (l->core[set->body[b].core].laned) continue;
    set->body[n] = set->body[b];
    if (set->body[n].up >= 0) set->body[n].up = place[set->body[n].up];
    n++;
  }
  set->nbody = n;
}

static bool add_core_body(jn_system *s, jn_lane *l, lane_program **program, int old, int core,
                          const lane_program *b)
{
  int g = old;
  while (g < l->ngroup && !(l->group[g].lanes < LANES && same_program(program[g], b))) g++;
  if (g == l->ngroup) {
    program[g] = scratch(s, 1, sizeof *b);
    if (!program[g]) return false;
    *program[g] = *b;
    l->ngroup++;
    if (!begin_group(s, l, &l->group[g], b)) return false;
  }
  add_lane(&l->group[g], b, -1 - l->core[core].body);
  return true;
}

static bool build_core_groups(jn_system *s, jn_lane *l)
{
  const int old = l->ngroup;
  lane_group *all = jn_build_array(s, old + l->ncore, sizeof *all);
  lane_program **program = scratch(s, old + l->ncore + 1, sizeof *program);
  lane_program *b = scratch(s, 1, sizeof *b);
  bool good = all && program && b;
  if (good) memcpy(all, l->group, (size_t)old * sizeof *all), l->group = all;
  choose_laned(s, l);
  for (int i = 0; good && i < l->nset; i++)
    for (int k = 0; good && k < l->set[i].nbody; k++) {
      int like[LANE_CHAIN];
      const int core = l->set[i].body[k].core;
      if (!l->core[core].laned) continue;
      const int n = bodies_before_all(s, l, i, k, like);
      const int parent = l->set[i].parent < 0 ? 0 : l->core[l->set[i].parent].body;
      const char *why = "it is too far from its parent body";
      if (n < 0 || !jn_lane_program_core(s, l->core[core].body, parent, like, n, b, &why))
        good = jn_lane_refuse(s, "core body %s: %s",
                              jn_node_name(s->model, s->body[l->core[core].body].node), why);
      else
        good = add_core_body(s, l, program, old, core, b);
    }
  for (int i = 0; good && i < l->nset; i++) {
    drop_laned(l, &l->set[i]);
    l->bodiless |= !l->set[i].nbody;
  }
  for (int g = old; program && g < l->ngroup; g++) free(program[g]);
  free(program);
  free(b);
  return good;
}

static int coordinate_at(const jn_lane *l, const lane_given *k, int *set)
{
  const int at = owner_of(l, k);
  if (at < 0) return -1;
  if (at < l->ncore) {
    *set = l->core[at].set;
    return l->core[at].coordinate + (k->drive >= 0 ? 0 : k->index);
  }
  for (*set = 0; *set < l->nset; ++*set)
    for (int c = 0; c < l->set[*set].n; c++)
      if (l->set[*set].at[c].core < 0 && l->set[*set].at[c].drive == k->drive) return c;
  return -1;
}

// Where a position or velocity of a core joint is read: in the lanes' state, of the rest in the common one.
static int state_of(const jn_system *s, const jn_lane *l, const lane_given *k, bool velocity)
{
  const lane_core *c = &l->core[jn_lane_core_of(l, k->body)];
  const jn_tree_joint *j = &s->joint[k->body];
  if (jn_lane_has_rest(l)) return (velocity ? s->nq + j->v : j->q) + k->index;
  return (velocity ? c->v : c->q) + k->index;
}

// What goes to shared joints and comes from them, lane by lane. The state has its places by now.
static bool connect_group(jn_system *s, jn_lane *l, lane_group *g)
{
  const int most = LANES * (g->nsq + g->ns);
  g->state = jn_build_array(s, most, sizeof *g->state);
  g->reply = jn_build_array(s, most, sizeof *g->reply);
  g->driven = jn_build_array(s, most, sizeof *g->driven);
  g->scatter = jn_build_array(s, LANES * g->ns, sizeof *g->scatter);
  if (!g->state || !g->reply || !g->driven || !g->scatter) return false;
  for (int lane = 0; lane < LANES; lane++) {
    const lane_given *q = g->given_q + lane * g->nsq, *v = g->given + lane * g->ns;
    int at =
        0;  // coordinates and positions of a joint follow one another: of a prescribed one, one each
    for (int i = 0; i < g->nsq; i++)
      if (q[i].body >= 0)
        g->state[g->nstate++] = (lane_given_at){LANES * i + lane, state_of(s, l, &q[i], false), 0};
    for (int i = 0; i < g->ns; i++) {
      const int rate = LANES * (g->nsq + i) + lane;
      if (v[i].body >= 0)
        g->state[g->nstate++] = (lane_given_at){rate, state_of(s, l, &v[i], true), 0};
      for (; v[i].drive >= 0 && q[at].drive != v[i].drive;) at++;
      if (v[i].drive >= 0) {
        g->driven[g->ndriven++] =
            (lane_driven_at){v[i].drive, LANES * at + lane, rate, q[at].angle ? 1.0 : 0.0};
        at++;  // a subsystem may have the same motion twice, at joints that stand in for one
      }
      int set = 0;
      const int c = jn_lane_has_rest(l) ? -1 : coordinate_at(l, &v[i], &set);
      if (c < 0) continue;
      g->reply[g->nreply++] = (lane_given_at){rate + LANES * g->ns, c, set};
      if (lane >= g->lanes) continue;
      lane_scatter *k = &g->scatter[g->nscatter++];
      *k = (lane_scatter){.set = set,
                          .coordinate = c,
                          .first = !l->set[set].given[c],
                          .f = LANES * (g->shared_f + 6 * i) + lane,
                          .q = LANES * (g->shared_q + i) + lane,
                          .d = LANES * (g->shared_d + i * (i + 1) / 2 + i) + lane};
      l->set[set].given[c] = true;
      for (int m = 0; m < i; m++) {
        const int other = coordinate_at(l, &v[m], &set);
        if (other < 0) continue;
        k->with[k->n] = LANES * (g->shared_d + i * (i + 1) / 2 + m) + lane;
        k->to[k->n++] = other;
      }
    }
  }
  return true;
}

// ---- state: core or rest, then groups -----------------------------------------------------------------

// States of the general x that no group has.
static bool find_states(jn_system *s, jn_lane *l)
{
  bool *taken = jn_build_array(s, s->nx, sizeof *taken);
  l->plain = jn_build_array(s, s->nx, sizeof *l->plain);
  l->declared = jn_build_array(s, s->nx, sizeof *l->declared);
  if (!taken || !l->plain || !l->declared) return false;
  for (int g = 0; g < l->ngroup; g++)
    for (int i = 0; i < l->group[g].lanes * l->group[g].nlink; i++) {
      const lane_state_map *k = &l->group[g].link[i];
      if (k->section == LANE_X || k->section == LANE_E) taken[k->general - s->nq - s->nv] = true;
    }
  for (int i = 0; i < s->nx; i++) {
    if (taken[i]) continue;
    if (i < s->nx - s->nexp)
      l->plain[l->nplain++] = i;
    else
      l->declared[l->ndeclared++] = i;
  }
  return true;
}

// Of the core or the rest, from `at` on; where it ends.
static int lay_out_bodies(jn_system *s, jn_lane *l, bool velocities, int at)
{
  const lane_rest *r = &l->rest;
  for (int i = 0; i < r->part.nbody; i++) {
    const int c = jn_lane_core_of(l, r->part.body[i]);
    const jn_tree_joint *j = &s->joint[r->part.body[i]];
    (velocities ? r->v : r->q)[i] = at;
    if (c >= 0) *(velocities ? &l->core[c].v : &l->core[c].q) = at;
    at += velocities ? j->nv : j->nq;
  }
  for (int i = 0; i < l->ncore && !r->part.nbody; i++) {
    *(velocities ? &l->core[i].v : &l->core[i].q) = at;
    at += velocities ? l->core[i].nv : s->joint[l->core[i].body].nq;
  }
  return pad(at);
}

static void lay_out(jn_system *s, jn_lane *l)
{
  int at = lay_out_bodies(s, l, false, 0);
  for (int g = 0; g < l->ngroup; g++) l->group[g].q = at, at += LANES * l->group[g].nq;
  l->nq = at;
  at = lay_out_bodies(s, l, true, at);
  for (int g = 0; g < l->ngroup; g++) l->group[g].v = at, at += LANES * l->group[g].nv;
  l->nv = at - l->nq;
  l->core_x = at;
  at = pad(at + l->nplain);
  for (int g = 0; g < l->ngroup; g++) l->group[g].x = at, at += LANES * l->group[g].nx;
  l->core_e = at;
  at = pad(at + l->ndeclared);
  for (int g = 0; g < l->ngroup; g++) l->group[g].e = at, at += LANES * l->group[g].ne;
  l->nx = at - l->nq - l->nv;
  l->nexp = at - l->core_e;
}

static bool is_brake(const jn_system *s, int x)
{
  for (int i = 0; i < s->nwheel; i++)
    if (s->wheel[i].hold == x) return true;
  return false;
}

// In all lanes of a group, unused ones too, which do what the first does.
static bool find_brakes(jn_system *s, jn_lane *l)
{
  l->brake = jn_build_array(s, s->nwheel, sizeof *l->brake);
  l->brake_alone = jn_build_array(s, s->nwheel, sizeof *l->brake_alone);
  if (!l->brake || !l->brake_alone) return false;
  for (int i = 0; i < l->ndeclared; i++)
    if (is_brake(s, l->declared[i])) l->brake_alone[l->nbrake_alone++] = l->core_e + i;
  for (int g = 0; g < l->ngroup; g++)
    for (int i = 0; i < l->group[g].nlink; i++) {
      const lane_state_map *k = &l->group[g].link[i];
      if (k->section == LANE_E && is_brake(s, k->general - s->nq - s->nv))
        l->brake[l->nbrake++] = l->group[g].e + LANES * k->field;
    }
  return true;
}

// What is done to core joints after a step.
static bool find_rounded(jn_system *s, jn_lane *l)
{
  int most = 0;
  for (int i = 0; i < l->ncore; i++) most += s->joint[l->core[i].body].nmove;
  l->round = jn_build_array(s, most, sizeof *l->round);
  l->unit = jn_build_array(s, most, sizeof *l->unit);
  if (!l->round || !l->unit) return false;
  for (int i = 0; i < l->ncore && !jn_lane_has_rest(l); i++) {
    const lane_core *k = &l->core[i];
    const jn_tree_joint *j = &s->joint[k->body];
    for (int m = 0; m < j->nmove && k->drive < 0; m++) {
      const int q = j->move[m].q;
      if (j->move[m].kind == JN_MOVE_SPHERE)
        l->unit[l->nunit++] = k->q + q;
      else if (jn_move_wraps(&j->move[m]))
        l->round[l->nround++] = (lane_round){k->q + q, j->q + q};
    }
  }
  return true;
}

// The shape that straight.h is for.
static bool is_straight(const jn_lane *l)
{
  const lane_core *base = &l->core[0], *slide = &l->core[1];
  if (l->ncore < 1 || l->ncore > 2 || base->kind != JN_TREE_BASE || base->laned) return false;
  if (jn_lane_has_rest(l)) return false;
  for (int g = 0; g < l->ngroup; g++)
    if (l->group[g].parent != 0) return false;
  if (l->ncore == 1) return !l->nset;
  if (!slide->slide || slide->drive >= 0 || slide->laned) return false;
  return l->nset == (slide->set >= 0) && !(l->nset && l->set[0].several);
}

// ---- ungrouped elements --------------------------------------------------------------------------

bool jn_lane_find_body(const jn_system *s, const jn_lane *l, int body, lane_place *p)
{
  if (body < s->nframe) return false;  // the ground feels nothing
  const int c = jn_lane_core_of(l, body);
  *p = (lane_place){.body = body, .group = LANE_CORE_BODY, .lane = c};
  if (jn_lane_has_rest(l) && lane_subsystem_of(s, body) < 0) {
    p->group = LANE_REST_BODY;
    return true;
  }
  if (c >= 0) return true;
  for (int g = 0; g < l->ngroup; g++)
    for (int lane = 0; lane < l->group[g].lanes; lane++)
      for (int i = 0; i < l->group[g].nbody; i++)
        if (l->group[g].pose[lane * LANE_BODIES + i].body == body)
          *p = (lane_place){.body = body, .group = g, .lane = lane, .member = i};
  return p->group >= 0;
}

static void add_place(const jn_system *s, jn_lane *l, int body)  // -1: none
{
  lane_place p;
  if (!jn_lane_find_body(s, l, body, &p) || p.group == LANE_REST_BODY) return;
  for (int i = 0; i < l->nplace; i++)
    if (l->place[i].body == body) return;
  if (p.group < 0) l->core[p.lane].ungrouped = true;
  l->place[l->nplace++] = p;
}

static int ungrouped_at(const jn_system *s, const jn_lane *l, int a, int b)  // -1 for a, b: none
{
  const int of = jn_lane_ungrouped_of(s, l, a);
  return of >= 0 ? of : jn_lane_ungrouped_of(s, l, b);
}

// A wheel on a core body, one whose drive reacts elsewhere, a wheel body that is no rotor.
static void add_wheel(const jn_system *s, jn_lane *l, int index)
{
  const jn_wheel *w = &s->wheel[index];
  l->ungrouped[l->nungrouped++] = (lane_ungrouped){.element = -1,
                                                   .wheel = index,
                                                   .core = -1,
                                                   .subsystem = jn_lane_ungrouped_of(s, l, w->body),
                                                   .less = -1};
  l->wheel[l->nwheel++] = index;
  add_place(s, l, w->body), add_place(s, l, w->carrier), add_place(s, l, w->reaction);
}

// Between two bodies: also a torsion spring or a servo in a joint that no coordinate belongs to.
static bool add_between(const jn_system *s, jn_lane *l, int index, int a, int b)
{
  l->ungrouped[l->nungrouped++] = (lane_ungrouped){
      .element = index, .wheel = -1, .core = -1, .subsystem = ungrouped_at(s, l, a, b), .less = -1};
  add_place(s, l, a), add_place(s, l, b);
  return true;
}

// In a hinge about the axis of two others: a spring in one of these, measured from the other.
static bool add_difference(jn_system *s, jn_lane *l, int index)
{
  const jn_cut *c = &s->cut[s->element[index].in.cut];
  const jn_tree_joint *ja = &s->joint[c->a], *jb = &s->joint[c->b];
  jn_element *as = jn_build_array(s, 1, sizeof *as);
  if (!as) return false;
  *as = s->element[index];
  as->in = (jn_coordinate){.v = jb->v, .q = jb->q, .cut = -1, .driven = -1};
  const int b = jn_lane_core_of(l, c->b);
  l->ungrouped[l->nungrouped++] =
      (lane_ungrouped){.element = index,
                       .wheel = -1,
                       .core = b,
                       .subsystem = -1,
                       .q = jb->q,
                       .v = jb->v,
                       .lane_q = l->core[b].q,
                       .lane_v = l->core[b].v,
                       .less = jn_lane_core_of(l, c->a),
                       .sign = v3_dot(jb->axis, c->x[JN_X_AXIS]) < 0.0 ? -1.0 : 1.0,
                       .less_sign = v3_dot(ja->axis, c->x[JN_X_AXIS]) < 0.0 ? -1.0 : 1.0,
                       .as = as};
  return true;
}

// With the road, of a body of the core in lanes: it knows where it is in the world. After all that finds its body by a place.
static bool add_contact(const jn_system *s, jn_lane *l, int index)
{
  const int body = s->element[index].ends.b, c = jn_lane_core_of(l, body);
  bool alone = true;
  if (c < 0 || jn_lane_has_rest(l)) return add_between(s, l, index, -1, body);
  for (int i = 0; i < l->nplace; i++) alone &= l->place[i].body != body;
  for (int i = 0; i < l->nungrouped; i++)
    alone &= !(l->ungrouped[i].contact && l->ungrouped[i].core == c);
  l->core[c].ungrouped = true;
  l->ungrouped[l->nungrouped++] = (lane_ungrouped){.element = index,
                                                   .wheel = -1,
                                                   .core = c,
                                                   .subsystem = -1,
                                                   .less = -1,
                                                   .contact = true,
                                                   .alone = alone};
  return true;
}

int jn_lane_body_of_speed(const jn_system *s, int v)
{
  for (int i = s->nframe; i < s->nbody; i++)
    if (v >= s->joint[i].v && v < s->joint[i].v + s->joint[i].nv) return i;
  return -1;
}

// A torsion spring or a servo in a joint of the core, or of an ungrouped subsystem.
static bool add_in_joint(jn_system *s, jn_lane *l, int index)
{
  const jn_coordinate *c = &s->element[index].in;
  if (c->cut >= 0 && !jn_lane_has_rest(l) && is_coaxial(s, c->cut))
    return add_difference(s, l, index);
  if (c->cut >= 0) return add_between(s, l, index, s->cut[c->cut].a, s->cut[c->cut].b);
  if (c->driven >= 0) return add_between(s, l, index, s->body[c->driven].parent, c->driven);
  const int body = jn_lane_body_of_speed(s, c->v);
  if (jn_lane_has_rest(l)) return add_between(s, l, index, body, body);
  const int core = jn_lane_core_of(l, body);
  if (core < 0)
    return jn_lane_refuse(s, "element %s acts in a joint that lanes do not know",
                          s->element[index].name);
  const jn_tree_joint *j = &s->joint[body];
  l->ungrouped[l->nungrouped++] = (lane_ungrouped){.element = index,
                                                   .less = -1,
                                                   .wheel = -1,
                                                   .core = core,
                                                   .subsystem = -1,
                                                   .coordinate = c->v - j->v,
                                                   .q = c->q,
                                                   .v = c->v,
                                                   .lane_q = l->core[core].q + (c->q - j->q),
                                                   .lane_v = l->core[core].v + (c->v - j->v)};
  return true;
}

static bool is_laned(const jn_lane *l, int body)
{
  const int c = jn_lane_core_of(l, body);
  return c >= 0 && l->core[c].laned;
}

// Angles of cut joints are counted on in every step, whoever reads them; but for those of anti-roll bars in lanes, whose bodies nobody
// asks for and which make no whole turns.
static void add_turns(jn_system *s, jn_lane *l)
{
  for (int i = 0; i < s->ncut; i++) {
    const jn_cut *c = &s->cut[i];
    if (!jn_joint_has(c->kind, JN_HAS_ANGLE) || is_laned(l, c->a) || is_laned(l, c->b)) continue;
    if (!jn_lane_has_rest(l) && is_coaxial(s, i)) continue;
    l->cut[l->ncut++] = i;
    add_place(s, l, c->a);
    add_place(s, l, c->b);
  }
}

static bool build_singles(jn_system *s, jn_lane *l)
{
  l->ungrouped = jn_build_array(s, s->nelement + s->nwheel, sizeof *l->ungrouped);
  l->wheel = jn_build_array(s, s->nwheel, sizeof *l->wheel);
  l->cut = jn_build_array(s, s->ncut, sizeof *l->cut);
  l->place = jn_build_array(s, s->nbody, sizeof *l->place);
  bool good = l->ungrouped && l->wheel && l->place && l->cut;
  for (int i = 0; good && i < s->nelement; i++) {
    const jn_element *e = &s->element[i];
    if (jn_lane_takes_element(s, e) || e->kind == JN_FORCE_CONTACT) continue;
    const bool in_joint = jn_element_kinds[e->kind].ends == JN_ENDS_COORDINATE;
    good = in_joint ? add_in_joint(s, l, i) : add_between(s, l, i, e->ends.a, e->ends.b);
  }
  for (int i = 0; good && i < s->nwheel; i++)
    if (!jn_lane_takes_wheel(s, i)) add_wheel(s, l, i);
  if (good) add_turns(s, l);
  for (int i = 0; good && i < s->nelement; i++)
    if (s->element[i].kind == JN_FORCE_CONTACT) good = add_contact(s, l, i);
  return good;
}

// ---- the whole ------------------------------------------------------------------------------------

static const lane_engine *choose_engine(const jn_system *s)
{
#ifdef __x86_64__
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return &jn_lane_narrow;
#endif
  return s->binding.opts.path == JN_PATH_NARROW ? &jn_lane_narrow_fused : &jn_lane_wide;
}

static jn_status build(jn_system *s, jn_error *err)
{
  s->lane = NULL;
  if (!fits_at_all(s)) return JN_OK;
  if (s->like && !s->like->lane) {  // it could not then, and is not asked again
    jn_lane_refuse(s, "%s", s->like->lane_reason);
    return JN_OK;
  }
  if (!begin_ungrouped(s) || !jn_lane_find_rotors(s)) return jn_build_no_memory(s, err);
  jn_lane *l = jn_build_array(s, 1, sizeof *l);
  if (!l) return jn_build_no_memory(s, err);
  l->engine = choose_engine(s);
  if (!build_core(s, l) || !build_groups(s, l)) return JN_OK;
  if (!needs_rest(s, l) && !build_sets(s, l)) {
    leave_core(s, l, "%s", s->lane_reason);
    l->nset = 0;
    if (!build_groups(s, l)) return JN_OK;
  }
  if (!(needs_rest(s, l) ? build_rest(s, l) : build_core_groups(s, l))) return JN_OK;
  l->core_engine =
      &(l->engine == &jn_lane_narrow ? jn_lane_core : jn_lane_core_fused)[jn_lane_has_rest(l)];
  for (int i = 0; i < l->ncore; i++)
    l->core[i].slide =
        l->core[i].leaf && l->core[i].kind == JN_JOINT_TRANSLATIONAL && l->core[i].up >= 0;
  if (!find_states(s, l)) return jn_build_no_memory(s, err);
  lay_out(s, l);
  if (!find_brakes(s, l) || !find_rounded(s, l)) return jn_build_no_memory(s, err);
  l->straight = is_straight(l);
  for (int g = 0; g < l->ngroup; g++)
    if (!connect_group(s, l, &l->group[g])) return JN_OK;
  s->lane_reason = NULL;
  if (!build_singles(s, l) || !jn_lane_build_sensors(s, l))
    return s->lane_reason ? JN_OK : jn_build_no_memory(s, err);
  l->closes_apart = l->nbrake_alone || l->ncut;
  s->lane = l;
  return JN_OK;
}

// What finds no memory is no reason to do without lanes.
jn_status jn_lane_build(jn_system *s, jn_error *err)
{
  const jn_status st = build(s, err);
  return jn_build_lacks_memory(s) ? jn_build_no_memory(s, err) : st;
}
