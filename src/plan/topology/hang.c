// hang.c: what joints do not connect to the ground hangs on an implied free joint: on the body that force
// elements hold it to, or on the ground.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/union_find.h"
#include "plan/topology/spanning.h"

typedef struct named_force {
  const char *name;
  int a, b;  // nodes
} named_force;

static int by_force_name(const void *x, const void *y)
{
  return strcmp(((const named_force *)x)->name, ((const named_force *)y)->name);
}

// Force elements that hold two bodies together, in the order of their names.
static named_force *binding_forces(jn_search *s, int *n)
{
  const jn_spec *spec = s->m->spec;
  named_force *list = jn_search_scratch(s, (size_t)spec->nforce + 1, sizeof *list);
  *n = 0;
  for (int i = 0; list && i < spec->nforce; i++) {
    int body[2];
    if (jn_force_binds(&spec->force[i]) && jn_force_bodies(spec, &spec->force[i], body) == 2)
      list[(*n)++] = (named_force){spec->force[i].name, body[0] + 1, body[1] + 1};
  }
  if (list) qsort(list, (size_t)*n, sizeof *list, by_force_name);
  return list;
}

typedef struct hanging {
  jn_search *s;
  int *depth;                // of a node that hangs (nnode)
  int *first, *last, *next;  // nodes that hang and have not been looked at, in lists by depth
  jn_component **by_size;    // the largest first (ncomp)
  int deepest;               // list that has had nodes
  int nasked;                // of the components, already asked for by next_largest
  int nforce;
  named_force *force;
  int *force_at, *forces;  // forces at node v, as slices
} hanging;

// Take the nodes of a component in; its root is at this depth.
static void take_in(hanging *h, jn_component *c, int depth)
{
  c->attached = true;
  jn_search_farthest(h->s, c, h->s->m->in_tree, c->root);
  for (int i = 0; i < c->nnode; i++) {
    int v = h->s->queue[i], d = h->depth[v] = depth + h->s->distance[v];
    h->next[v] = -1;
    if (h->first[d] < 0)
      h->first[d] = v;
    else
      h->next[h->last[d]] = v;
    h->last[d] = v;
    if (d > h->deepest) h->deepest = d;
  }
}

static void hang(hanging *h, jn_component *c, int on)
{
  jn_search_imply(h->s->m, on, c->root);
  take_in(h, c, h->depth[on] + 1);
}

// Hang what names this node as its parent, or what force elements hold to it.
static void hang_on(hanging *h, int v)
{
  jn_search *s = h->s;
  for (int c = 0; s->parents && c < s->ncomp; c++)
    if (!s->comp[c].attached && s->comp[c].hang == v) hang(h, &s->comp[c], v);
  for (int i = h->force_at[v]; i < h->force_at[v + 1]; i++) {
    const named_force *f = &h->force[h->forces[i]];
    jn_component *c = &s->comp[s->comp_of[f->a == v ? f->b : f->a]];
    if (!c->attached && c->hang < 0) hang(h, c, v);
  }
}

static jn_status index_forces(hanging *h)
{
  jn_search *s = h->s;
  h->force = binding_forces(s, &h->nforce);
  h->force_at = jn_search_scratch(s, (size_t)s->m->nnode + 2, sizeof(int));
  h->forces = jn_search_scratch(s, 2 * (size_t)h->nforce + 1, sizeof(int));
  if (!h->force || !h->force_at || !h->forces) return jn_search_no_memory(s);
  int *at = h->force_at + 1;
  for (int i = 0; i < h->nforce; i++) at[h->force[i].a + 1]++, at[h->force[i].b + 1]++;
  for (int v = 0; v < s->m->nnode; v++) at[v + 1] += at[v];
  for (int i = 0; i < h->nforce; i++) {
    h->forces[at[h->force[i].a]++] = i;
    h->forces[at[h->force[i].b]++] = i;
  }
  return JN_OK;
}

static int by_size(const void *x, const void *y)
{
  const jn_component *a = *(jn_component *const *)x, *b = *(jn_component *const *)y;
  return a->nnode != b->nnode ? b->nnode - a->nnode : a < b ? -1 : a > b;
}

static bool sort_components(hanging *h)
{
  jn_search *s = h->s;
  h->by_size = jn_search_scratch(s, (size_t)s->ncomp, sizeof *h->by_size);
  if (!h->by_size) return false;
  for (int i = 0; i < s->ncomp; i++) h->by_size[i] = &s->comp[i];
  qsort(h->by_size, (size_t)s->ncomp, sizeof *h->by_size, by_size);
  return true;
}

// The largest that hangs on nothing yet, and names no parent.
static jn_component *next_largest(hanging *h)
{
  while (h->nasked < h->s->ncomp) {
    jn_component *c = h->by_size[h->nasked++];
    if (!c->attached && c->hang < 0) return c;
  }
  return NULL;
}

// Look at every node that hangs, nearest the ground first; more may come to hang meanwhile.
static void look_around(hanging *h)
{
  for (int depth = 0; depth <= h->deepest; depth++)
    while (h->first[depth] >= 0) {
      int v = h->first[depth];
      h->first[depth] = h->next[v];
      hang_on(h, v);
    }
}

jn_status jn_search_hang(jn_search *s)
{
  jn_model *m = s->m;
  size_t n = (size_t)m->nnode + 1;
  hanging h = {.s = s,
               .depth = jn_search_scratch(s, n, sizeof(int)),
               .first = jn_search_scratch(s, n, sizeof(int)),
               .last = jn_search_scratch(s, n, sizeof(int)),
               .next = jn_search_scratch(s, n, sizeof(int))};
  if (!h.depth || !h.first || !h.last || !h.next) return jn_search_no_memory(s);
  jn_status st = sort_components(&h) ? index_forces(&h) : jn_search_no_memory(s);
  if (st) return st;
  for (size_t i = 0; i < n; i++) h.first[i] = -1;
  take_in(&h, &s->comp[0], 0);
  if (s->base > 0 && s->comp_of[s->base] != 0)  // the user's base hangs on nothing else
    hang(&h, &s->comp[s->comp_of[s->base]], JN_NODE_GROUND);
  look_around(&h);
  for (jn_component *c; (c = next_largest(&h)); look_around(&h)) hang(&h, c, JN_NODE_GROUND);
  for (int i = 0; i < s->ncomp; i++)
    if (!s->comp[i].attached) {
      const jn_body_spec *b = &m->spec->body[s->comp[i].root - 1];
      char path[96];
      snprintf(path, sizeof path, "bodies.%s.parent", b->name);
      return jn_fail(s->err, JN_E_TOPOLOGY, b->pos, path,
                     "parents go round in a circle and never reach the ground");
    }
  return JN_OK;
}
