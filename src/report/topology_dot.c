// topology_dot.c: the plan as a Graphviz graph: tree joints solid, cut joints dashed, like subsystems in one
// colour, the base in bold.
#include <math.h>

#include "plan/topology/topology.h"

// Fill and line colours of shapes, distinct in hue and lightness also in print.
static const char *const palette[][2] = {
    {"#dbe9f6", "#2b6ca3"}, {"#fde6cf", "#b8651b"}, {"#dff0d8", "#3c7d3c"}, {"#efe0f3", "#7d4a91"},
    {"#fbe0e0", "#ad3b3b"}, {"#e4e4e4", "#5a5a5a"}, {"#fff5c9", "#96801a"}, {"#d9f2f0", "#21807a"},
};
enum { NPALETTE = sizeof palette / sizeof *palette };

// Where Graphviz begins: the design position seen from above, x up the page, raised bodies set aside. A
// spring layout moves bodies apart from there, so that a vehicle still looks like one.
static void show_place(const jn_model *m, FILE *out, int v, double scale)
{
  if (v == JN_NODE_GROUND) return;
  const double *cg = m->spec->body[v - 1].keys.cg;
  fprintf(out, ", pos=\"%.3f,%.3f\"", -scale * (cg[1] + 0.3 * cg[2]),
          scale * (cg[0] + 0.15 * cg[2]));
}

static void show_node(const jn_model *m, FILE *out, int v, double scale)
{
  const char *fill = "#ffffff", *line = "#333333";
  if (m->part[v] >= 0) {
    int c = m->subsystem[m->part[v]].shape % NPALETTE;
    fill = palette[c][0], line = palette[c][1];
  }
  if (v == JN_NODE_GROUND) fill = "#333333";
  fprintf(out, "  \"%s\" [fillcolor=\"%s\", color=\"%s\"%s%s", jn_node_name(m, v), fill, line,
          v == JN_NODE_GROUND ? ", fontcolor=white" : "", v == m->base ? ", penwidth=2.5" : "");
  show_place(m, out, v, scale);
  fprintf(out, "];\n");
}

static void show_edge(const jn_model *m, FILE *out, int e)
{
  const jn_edge *x = &m->edge[e];
  bool implied = x->joint < 0;
  fprintf(out, "  \"%s\" -- \"%s\" [label=\"%s%s%s\"%s];\n", jn_node_name(m, x->a),
          jn_node_name(m, x->b), implied ? "" : x->name, implied ? "" : "\\n",
          jn_joint_kinds[x->kind].word,
          m->in_tree[e] ? "" : ", style=dashed, color=\"#c23b22\", fontcolor=\"#c23b22\"");
}

// Inches of paper for a metre: the whole model on about a foot.
static double paper_scale(const jn_model *m)
{
  double extent = 0.1;
  for (int i = 0; i < m->spec->nbody; i++)
    for (int k = 0; k < i && i < 200; k++)
      for (int d = 0; d < 3; d++) {
        double x = fabs(m->spec->body[i].keys.cg[d] - m->spec->body[k].keys.cg[d]);
        if (x > extent) extent = x;
      }
  return 10.0 / extent;
}

void jn_model_show_dot(const jn_model *m, FILE *out)
{
  const double scale = paper_scale(m);
  // The ground is shown if it is part of the mechanism, not if all that it does is carry a floating base.
  const bool ground = m->ground_named || m->base == JN_NODE_GROUND;
  fprintf(out, "graph topology {\n");
  fprintf(
      out,
      "  graph [layout=neato, overlap=prism, splines=true, sep=\"+14\", fontname=\"Helvetica\",\n"
      "         labelloc=t, fontsize=18, label=\"%d bodies, %d joints, %d cut: %d degrees of "
      "freedom\"];\n",
      m->spec->nbody, m->spec->njoint, m->ncut, m->dof);
  fprintf(out,
          "  node [shape=box, style=\"rounded,filled\", fontname=\"Helvetica\", fontsize=12];\n");
  fprintf(out,
          "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#555555\", fontcolor=\"#555555\", "
          "len=1.7];\n");
  for (int i = 0; i < m->nnode; i++)
    if (m->order[i] != JN_NODE_GROUND || ground) show_node(m, out, m->order[i], scale);
  for (int e = 0; e < m->nedge; e++)
    if (ground || m->edge[e].a != JN_NODE_GROUND) show_edge(m, out, e);
  fprintf(out, "}\n");
}
