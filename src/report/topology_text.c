// topology_text.c: the plan as text for people.
#include <math.h>
#include <string.h>

#include "plan/topology/topology.h"

enum { MOST_LINES = 200 };  // of any list: a model of thousands of bodies is read by programs

static const char *plural(int n)
{
  return n == 1 ? "" : "s";
}

typedef struct line {  // a list of names, broken at the edge of the page
  FILE *out;
  int at, indent;
  bool begun;
} line;

static line begin(FILE *out, const char *label)
{
  return (line){out, fprintf(out, "%-13s", label), 13, false};
}

static void word(line *l, const char *text)
{
  int n = (int)strlen(text) + 1;
  if (l->begun && l->at + n > 96)
    fprintf(l->out, "\n%*s", l->indent, ""), l->at = l->indent;
  else if (l->begun)
    fputc(' ', l->out);
  fputs(text, l->out);
  l->begun = true;
  l->at += n;
}

static void end(line *l)
{
  fprintf(l->out, "\n");
}

// Width of a column: its longest text, within reason.
static int widen(int width, const char *text)
{
  int n = (int)strlen(text);
  return n > width && n <= 40 ? n : width;
}

static void show_tree(const jn_model *m, FILE *out)
{
  const int n = m->nnode - 1 < MOST_LINES ? m->nnode - 1 : MOST_LINES;
  int body = 6, joint = 9, type = 4;
  for (int i = 1; i <= n; i++) {
    const jn_edge *e = &m->edge[m->parent_edge[m->order[i]]];
    body = widen(body, jn_node_name(m, m->order[i]));
    joint = widen(joint, e->name);
    type = widen(type, jn_joint_kinds[e->kind].word);
  }
  fprintf(out, "\n%-*s  %-*s  %-*s  %-*s  %s\n", body, "body", body, "on", joint, "by joint", type,
          "type", "coordinates");
  for (int i = 1; i <= n; i++) {
    int v = m->order[i];
    const jn_edge *e = &m->edge[m->parent_edge[v]];
    fprintf(out, "%-*s  %-*s  %-*s  %-*s  %d%s\n", body, jn_node_name(m, v), body,
            jn_node_name(m, m->parent[v]), joint, e->joint < 0 ? "(implied)" : e->name, type,
            jn_joint_kinds[e->kind].word, e->ncoord, e->driven ? " (driven)" : "");
  }
  if (m->nnode - 1 > n) fprintf(out, "... and %d more\n", m->nnode - 1 - n);
  for (int e = 0; e < m->nedge; e++) {
    if (m->edge[e].apart > 1e-9)
      fprintf(out,
              "the points of %s had a position error of %.3g m and have been brought together\n",
              m->edge[e].name, m->edge[e].apart);
    if (m->edge[e].askew > 1e-9)
      fprintf(out,
              "the axes of %s had an angle error of %.3g degrees and have been brought together\n",
              m->edge[e].name, m->edge[e].askew * 180.0 / M_PI);
  }
}

typedef struct edges {  // of a loop, in a line
  const jn_model *m;
  line *l;
} edges;

static void show_edge(void *user, int edge, int sign)
{
  const edges *u = user;
  (void)sign;
  word(u->l, u->m->edge[edge].name);
}

static void show_loops(const jn_model *m, FILE *out)
{
  if (m->nloop == 0) return;
  fprintf(out, "\n%d loop%s in %d decoupled set%s\n", m->nloop, plural(m->nloop), m->nset,
          plural(m->nset));
  for (int i = 0; i < m->nset && i < MOST_LINES; i++) {
    const jn_loop_set *s = &m->set[i];
    fprintf(out, "set %d: %d coordinate%s, %d constraint%s, ", i, s->ncoord, plural(s->ncoord),
            s->nrow, plural(s->nrow));
    if (s->ranked)
      fprintf(out, "rank %d", s->rank);
    else
      fprintf(out, "too large for a rank");
    if (s->closed > 1e-9)
      fprintf(out, "; its joints had a position error of %.3g m and have been closed", s->closed);
    fprintf(out, "\n");
    for (int k = 0; k < m->nloop; k++) {
      if (m->loop[k].set != i) continue;
      int cut = m->loop[k].cut;
      line l = {out, fprintf(out, "  %s:", m->edge[cut].name), 6, true};
      edges user = {m, &l};
      if (!m->in_tree[cut]) jn_loop_walk(m, cut, show_edge, &user);
      end(&l);
    }
  }
}

static void show_subsystems(const jn_model *m, FILE *out)
{
  fprintf(out, "\n");
  line l = begin(out, "core");
  for (int i = 0; i < m->nnode; i++) {
    int v = m->order[i];
    if (m->core[v] && (v != JN_NODE_GROUND || m->base == JN_NODE_GROUND))
      word(&l, jn_node_name(m, v));
  }
  end(&l);
  fprintf(out, "%d subsystem%s of %d shape%s\n", m->nsubsystem, plural(m->nsubsystem), m->nshape,
          plural(m->nshape));
  for (int i = 0; i < m->nsubsystem && i < MOST_LINES; i++) {
    const jn_subsystem *s = &m->subsystem[i];
    line b = {out, fprintf(out, "  shape %d on %s: ", s->shape, jn_node_name(m, s->parent)), 6,
              false};
    for (int k = 0; k < s->nbody && k < MOST_LINES; k++) word(&b, jn_node_name(m, s->node[k]));
    end(&b);
  }
}

static void show_names(const jn_model *m, FILE *out, const char *label, const int *edge, int n)
{
  line l = begin(out, label);
  for (int i = 0; i < n; i++) word(&l, m->edge[edge[i]].name);
  end(&l);
}

static void show_ranks(const jn_model *m, FILE *out)
{
  fprintf(out, "\n%d coordinates, %d constraints, ", m->ncoord, m->nrow);
  if (m->dof >= 0)
    fprintf(out, "%d of them redundant: %d degree%s of freedom\n", m->redundant, m->dof,
            plural(m->dof));
  else
    fprintf(out, "an unknown number of them redundant\n");
  for (int i = 0; i < m->nset; i++) {
    const jn_loop_set *s = &m->set[i];
    if (s->ranked && s->nrow > s->rank) {
      fprintf(out, "set %d has %d redundant constraint%s; reactions are undetermined in\n", i,
              s->nrow - s->rank, plural(s->nrow - s->rank));
      show_names(m, out, "", s->undetermined, s->nundetermined);
    }
    if (s->design_rank < s->rank)
      fprintf(out,
              "set %d is in a singular position: %d further constraint%s depend%s on others here, "
              "but not beside it\n",
              i, s->rank - s->design_rank, plural(s->rank - s->design_rank),
              s->rank - s->design_rank == 1 ? "s" : "");
    if (s->isolated)
      fprintf(
          out,
          "set %d is in an isolated position: its constraints depend on each other here, but let "
          "nothing move away\n",
          i);
    if (s->ranked && s->conditioning < 1e-4 && s->design_rank == s->rank)
      fprintf(out,
              "set %d is nearly singular: the smallest pivot of its constraints is %.1e of the "
              "largest\n",
              i, s->conditioning);
    if (s->nlocked) {
      fprintf(out, "set %d cannot move in\n", i);
      show_names(m, out, "", s->locked, s->nlocked);
    }
  }
}

void jn_model_show_text(const jn_model *m, FILE *out)
{
  if (!m || !out) return;
  fprintf(out, "%s: %d bod%s, %d joint%s\n", m->spec->name, m->spec->nbody,
          m->spec->nbody == 1 ? "y" : "ies", m->spec->njoint, plural(m->spec->njoint));
  fprintf(out, "%-13s%s\n", "base", jn_node_name(m, m->base));
  fprintf(out, "%-13s%.1f, longest chain %d%s\n", "tree weight", m->weight10 / 10.0,
          m->longest_chain,
          m->exact_chain ? "" : " (too many trees of this weight to compare them all)");
  line l = begin(out, "cut joints");
  for (int e = 0; e < m->nedge; e++)
    if (!m->in_tree[e]) word(&l, m->edge[e].name);
  if (m->ncut == 0) word(&l, "none");
  end(&l);
  if (m->trees.count != 0.0) {
    if (m->trees.n)
      fprintf(out, "\n%.0f spanning tree%s: weight and cut joints\n", m->trees.count,
              plural(m->trees.n));
    else if (m->trees.count > 0.0)
      fprintf(out, "\n%.0f spanning trees, more than the %d that are listed\n", m->trees.count,
              JN_TREES_LISTED);
    else
      fprintf(out, "\nmore spanning trees than can be counted exactly\n");
    for (int i = 0; i < m->trees.n; i++) {
      line t = {out, fprintf(out, "  %5.1f  ", m->trees.weight10[i] / 10.0), 9, false};
      for (int k = 0; k < m->trees.ncut; k++)
        word(&t, m->edge[m->trees.cut[(size_t)i * (size_t)m->trees.ncut + (size_t)k]].name);
      end(&t);
    }
  }
  show_tree(m, out);
  show_loops(m, out);
  show_subsystems(m, out);
  show_ranks(m, out);
  fprintf(out,
          "\noperations of one evaluation, estimated: subsystem %.0f, recursive %.0f, "
          "independent %.0f, cartesian %.0f\n",
          m->cost.subsystem, m->cost.recursive, m->cost.independent, m->cost.cartesian);
}
