// build_order.c: what is solved together: blocks of loops, the core, and the order of elimination.
#include <stdlib.h>
#include <string.h>

#include "base/union_find.h"
#include "plan/build.h"

typedef struct ordering {
  jn_system *s;
  int *group;    // of bodies outside the core that loops tie together (nbody)
  bool *looped;  // body lies in a loop outside the core (nbody)
  int *list;     // scratch (nbody + ncut)
} ordering;

// Calls for each body on the way between the two ends of a cut joint, from both ends inwards.
typedef void (*visit_body)(void *user, int body);
static int walk_loop(const jn_system *s, const jn_cut *c, visit_body visit, void *user)
{
  int a = c->a, b = c->b;
  while (a != b) {
    int *i = a > b ? &a : &b;
    visit(user, *i);
    *i = s->body[*i].parent;
  }
  return a;
}

// ---- core -----------------------------------------------------------------------------------------

static void to_core(void *user, int body)
{
  const jn_system *s = user;
  for (; body >= s->nframe && !s->in_core[body]; body = s->body[body].parent)
    s->in_core[body] = true;
}

// Does a set need orthogonal factors or more rows than it has coordinates for? Then it is no block.
static bool is_rank_deficient(const jn_loop_set *set)
{
  return !set->ranked || set->isolated || set->rank < set->nrow || set->design_rank < set->rank;
}

static void choose_core(jn_system *s, const bool *forced)
{
  const jn_model *m = s->model;
  const bool all = s->core_whole;
  for (int i = s->nframe; i < s->nbody; i++)
    if (all || m->core[s->body[i].node]) to_core(s, i);
  for (int i = 0; i < m->nloop; i++) {
    const jn_cut *c = &s->cut[s->cut_of_edge[m->loop[i].cut]];
    if (!is_rank_deficient(&m->set[m->loop[i].set]) && !(forced && forced[i])) continue;
    to_core(s, walk_loop(s, c, to_core, s));
  }
}

// ---- blocks ---------------------------------------------------------------------------------------

typedef struct tying {
  ordering *o;
  int first;  // body outside the core that was met first, -1: none yet
} tying;

static void tie(void *user, int body)
{
  tying *t = user;
  ordering *o = t->o;
  if (o->s->in_core[body]) return;
  o->looped[body] = true;
  if (t->first < 0)
    t->first = body;
  else
    o->group[jn_group_find(o->group, body)] = jn_group_find(o->group, t->first);
}

static int common_ancestor(const jn_system *s, int a, int b)
{
  while (a != b) {
    int *i = a > b ? &a : &b;
    *i = s->body[*i].parent;
  }
  return a;
}

static int compare_int(const void *a, const void *b)
{
  return *(const int *)a - *(const int *)b;
}

static int index_of(const int *list, int n, int value)
{
  for (int i = 0; i < n; i++)
    if (list[i] == value) return i;
  return -1;
}

// Core bodies between `body` and the top.
static void add_core(const jn_system *s, jn_block *k, int body)
{
  for (; body != k->top && body >= s->nframe; body = s->body[body].parent)
    if (index_of(k->core, k->ncore, body) < 0) k->core[k->ncore++] = body;
}

typedef struct outermost {  // body of a loop outside the core
  const jn_system *s;
  int *body;
} outermost;

static void outside_core(void *user, int body)
{
  const outermost *k = user;
  if (!k->s->in_core[body]) *k->body = body;
}

static bool is_member(const jn_block *k, int body)
{
  return index_of(k->body, k->nbody, body) >= 0;
}

static int *kept(jn_system *s, const int *from, int n)  // a list of its own size
{
  int *to = jn_build_array(s, n, sizeof *to);
  if (to) memcpy(to, from, (size_t)n * sizeof *to);
  return to;
}

static jn_status find_members(ordering *o, jn_block *k, int representative, jn_error *err)
{
  jn_system *s = o->s;
  for (int i = s->nframe; i < s->nbody; i++)
    if (o->looped[i] && jn_group_find(o->group, i) == representative) o->list[k->nbody++] = i;
  k->body = kept(s, o->list, k->nbody);
  if (!k->body) return jn_build_no_memory(s, err);
  k->top = -1;
  for (int g = 0; g < k->nbody; g++) {  // where members hang
    const int up = s->body[k->body[g]].parent;
    if (!is_member(k, up)) k->top = k->top < 0 ? up : common_ancestor(s, k->top, up);
  }
  return JN_OK;
}

static jn_status find_cuts(ordering *o, jn_block *k, int representative, jn_error *err)
{
  jn_system *s = o->s;
  for (int i = 0; i < s->ncut; i++) {
    const jn_cut *c = &s->cut[i];
    const bool a = is_member(k, c->a), b = is_member(k, c->b);
    if ((!a && !b) || !c->nrow) continue;
    // A loop that hangs on a member, and passes through none, is a block of its own.
    int inside = -1;
    walk_loop(s, c, outside_core, &(outermost){s, &inside});
    if (jn_group_find(o->group, inside) != representative) continue;
    o->list[k->ncut++] = i;
    if (!a) k->top = common_ancestor(s, k->top, c->a);
    if (!b) k->top = common_ancestor(s, k->top, c->b);
  }
  k->cut = kept(s, o->list, k->ncut);
  return k->cut ? JN_OK : jn_build_no_memory(s, err);
}

// Core bodies between the top and those that members hang on or cut joints end on.
static jn_status find_core_bodies(ordering *o, jn_block *k, jn_error *err)
{
  jn_system *s = o->s;
  k->core = o->list;
  for (int g = 0; g < k->nbody; g++) {
    const int up = s->body[k->body[g]].parent;
    if (!is_member(k, up)) add_core(s, k, up);
  }
  for (int i = 0; i < k->ncut; i++) {
    const jn_cut *c = &s->cut[k->cut[i]];
    if (!is_member(k, c->a)) add_core(s, k, c->a);
    if (!is_member(k, c->b)) add_core(s, k, c->b);
  }
  k->core = kept(s, o->list, k->ncore);
  if (!k->core) return jn_build_no_memory(s, err);
  qsort(k->core, (size_t)k->ncore, sizeof(int), compare_int);
  return JN_OK;
}

static jn_status number_columns(jn_system *s, jn_block *k, jn_error *err)
{
  const int nb = k->nbody + k->ncore;
  k->parent = jn_build_array(s, nb, sizeof(int));
  k->column = jn_build_array(s, nb, sizeof(int));
  k->order = jn_build_array(s, nb, sizeof(int));
  if (!k->parent || !k->column || !k->order) return jn_build_no_memory(s, err);
  for (int g = 0; g < nb; g++) {
    const int body = g < k->nbody ? k->body[g] : k->core[g - k->nbody], up = s->body[body].parent;
    const int member = index_of(k->body, k->nbody, up), core = index_of(k->core, k->ncore, up);
    int *count = g < k->nbody ? &k->n : &k->nc;
    k->parent[g] = member >= 0 ? member : core >= 0 ? -2 - core : -1;
    k->column[g] = *count;
    *count += s->joint[body].nv;
    // Core bodies first: members hang on them.
    k->order[g] = g < k->ncore ? k->nbody + g : g - k->ncore;
  }
  return JN_OK;
}

static int local_of(const jn_block *k, int body)
{
  const int member = index_of(k->body, k->nbody, body), core = index_of(k->core, k->ncore, body);
  return member >= 0 ? member : core >= 0 ? k->nbody + core : -1;
}

static jn_status number_rows(jn_system *s, jn_block *k, jn_error *err)
{
  k->row = jn_build_array(s, k->ncut, sizeof(int));
  k->end_a = jn_build_array(s, k->ncut, sizeof(int));
  k->end_b = jn_build_array(s, k->ncut, sizeof(int));
  if (!k->row || !k->end_a || !k->end_b) return jn_build_no_memory(s, err);
  for (int i = 0; i < k->ncut; i++) {
    k->row[i] = k->m, k->m += s->cut[k->cut[i]].nrow;
    k->end_a[i] = local_of(k, s->cut[k->cut[i]].a);
    k->end_b[i] = local_of(k, s->cut[k->cut[i]].b);
  }
  k->cut_of_row = jn_build_array(s, k->m, sizeof(int));
  k->global_row = jn_build_array(s, k->m, sizeof(int));
  k->row_scale = jn_build_array(s, k->m, sizeof(double));
  k->column_scale = jn_build_array(s, k->n, sizeof(double));
  if (!k->cut_of_row || !k->global_row || !k->row_scale || !k->column_scale)
    return jn_build_no_memory(s, err);
  for (int i = 0; i < k->ncut; i++)
    for (int r = 0; r < s->cut[k->cut[i]].nrow; r++) {
      const int own = k->row[i] + r, global = s->cut[k->cut[i]].row + r;
      k->cut_of_row[own] = i;
      k->global_row[own] = global;
      k->row_scale[own] = s->length_scale[global];
    }
  for (int g = 0; g < k->nbody; g++) {
    const jn_tree_joint *j = &s->joint[k->body[g]];
    for (int c = 0; c < j->nv; c++)
      k->column_scale[k->column[g] + c] = s->coordinate_scale[j->v + c];
  }
  return JN_OK;
}

static jn_status fill_block(ordering *o, jn_block *k, int representative, jn_error *err)
{
  jn_status st = find_members(o, k, representative, err);
  if (!st) st = find_cuts(o, k, representative, err);
  if (!st) st = find_core_bodies(o, k, err);
  if (!st) st = number_columns(o->s, k, err);
  return st ? st : number_rows(o->s, k, err);
}

static jn_status find_blocks(ordering *o, jn_error *err)
{
  jn_system *s = o->s;
  for (int i = 0; i < s->nbody; i++) o->group[i] = i;
  for (int i = 0; i < s->ncut; i++) {
    tying t = {o, -1};
    if (s->cut[i].nrow) walk_loop(s, &s->cut[i], tie, &t);
  }
  for (int i = s->nframe; i < s->nbody; i++)
    s->nblock += o->looped[i] && jn_group_find(o->group, i) == i;
  s->block = jn_build_array(s, s->nblock, sizeof *s->block);
  if (!s->block) return jn_build_no_memory(s, err);
  int at = 0;
  for (int i = s->nframe; i < s->nbody; i++) {  // in the order of their first bodies
    if (!o->looped[i]) continue;
    const int own = jn_group_find(o->group, i);
    bool seen = false;
    for (int k = s->nframe; k < i && !seen; k++)
      seen = o->looped[k] && jn_group_find(o->group, k) == own;
    if (seen) continue;
    jn_status st = fill_block(o, &s->block[at], own, err);
    if (st) return st;
    for (int c = 0; c < s->block[at].ncut; c++) s->cut[s->block[at].cut[c]].block = at;
    at++;
  }
  return JN_OK;
}

// ---- order ----------------------------------------------------------------------------------------

static jn_status set_units(ordering *o, jn_error *err)
{
  jn_system *s = o->s;
  s->unit = jn_build_array(s, s->nbody, sizeof *s->unit);
  if (!s->unit) return jn_build_no_memory(s, err);
  for (int i = s->nbody - 1; i >= s->nframe; i--) {
    if (s->in_core[i]) continue;
    if (!o->looped[i]) {
      s->unit[s->nunit++] = (jn_elimination){i, -1};
      continue;
    }
    // A block comes when its innermost body is reached: all that hangs on it has then been done.
    for (int b = 0; b < s->nblock; b++)
      if (s->block[b].body[0] == i) s->unit[s->nunit++] = (jn_elimination){-1, b};
  }
  return JN_OK;
}

// Rows of the core that are independent in general: what the plan found of each set, less its rows in blocks, which have
// full rank.
static int general_rank(const jn_system *s)
{
  const jn_model *m = s->model;
  int rank = 0;
  for (int i = 0; i < m->nset; i++) {
    int in_blocks = 0, in_core = 0;
    for (int l = 0; l < m->nloop; l++) {
      if (m->loop[l].set != i) continue;
      const jn_cut *c = &s->cut[s->cut_of_edge[m->loop[l].cut]];
      *(c->block < 0 ? &in_core : &in_blocks) += c->nrow;
    }
    const int own = m->set[i].ranked ? m->set[i].rank - in_blocks : in_core;
    rank += own < in_core ? (own > 0 ? own : 0) : in_core;
  }
  return rank < s->ncore ? rank : s->ncore;
}

static jn_status set_core(jn_system *s, jn_error *err)
{
  s->core_column = jn_build_array(s, s->nbody, sizeof(int));
  s->core_cut = jn_build_array(s, s->ncut, sizeof(int));
  s->core_row_scale = jn_build_array(s, s->nrow, sizeof(double));
  s->core_scale = jn_build_array(s, s->nv, sizeof(double));
  s->core_speed = jn_build_array(s, s->nv, sizeof(int));
  if (!s->core_column || !s->core_speed || !s->core_cut || !s->core_row_scale || !s->core_scale)
    return jn_build_no_memory(s, err);
  for (int k = 0; k < s->ncore_body; k++) {
    const int i = s->core_body[k];
    s->core_column[i] = s->ncore;
    for (int m = 0; m < s->joint[i].nv; m++) {
      s->core_speed[s->ncore] = s->joint[i].v + m;
      s->core_scale[s->ncore++] = s->coordinate_scale[s->joint[i].v + m];
    }
  }
  for (int i = 0; i < s->ncut; i++)
    if (s->cut[i].block < 0 && s->cut[i].nrow) {
      s->core_cut[s->ncore_cut++] = i;
      for (int r = 0; r < s->cut[i].nrow; r++)
        s->core_row_scale[s->ncore_row++] = s->length_scale[s->cut[i].row + r];
    }
  s->core_rank = general_rank(s);
  return JN_OK;
}

static int *rising(jn_system *s, int first, int end)
{
  int *list = jn_build_array(s, end - first, sizeof *list);
  for (int i = first; list && i < end; i++) list[i - first] = i;
  return list;
}

static jn_status set_whole(jn_system *s, jn_error *err)
{
  s->whole = (jn_part){.nbody = s->nbody - s->nframe,
                       .body = rising(s, s->nframe, s->nbody),
                       .ncut = s->ncut,
                       .cut = rising(s, 0, s->ncut),
                       .nblock = s->nblock,
                       .block = rising(s, 0, s->nblock),
                       .nunit = s->nunit,
                       .unit = s->unit};
  return s->whole.body && s->whole.cut && s->whole.block ? JN_OK : jn_build_no_memory(s, err);
}

jn_status jn_build_order(jn_system *s, const bool *forced, jn_error *err)
{
  s->nblock = s->nunit = s->ncore = s->ncore_body = s->ncore_row = s->ncore_cut = 0;
  for (int i = 0; i < s->ncut; i++) s->cut[i].block = -1;
  s->in_core = jn_build_array(s, s->nbody, sizeof(bool));
  s->core_body = jn_build_array(s, s->nbody, sizeof(int));
  ordering o = {s, jn_build_array(s, s->nbody, sizeof(int)),
                jn_build_array(s, s->nbody, sizeof(bool)),
                jn_build_array(s, s->nbody + s->ncut, sizeof(int))};
  if (!s->in_core || !s->core_body || !o.group || !o.looped || !o.list)
    return jn_build_no_memory(s, err);
  choose_core(s, forced);
  for (int i = s->nframe; i < s->nbody; i++)
    if (s->in_core[i]) s->core_body[s->ncore_body++] = i;
  jn_status st = find_blocks(&o, err);
  if (!st) st = set_units(&o, err);
  if (!st) st = set_whole(s, err);
  return st ? st : set_core(s, err);
}
