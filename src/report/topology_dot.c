// topology_dot.c: the plan as a Graphviz graph: tree joints solid, cut joints dashed, one colour a shape.
#include "topo/plan.h"

// Fill and line colours of shapes, told apart by hue and lightness also in print.
static const char *const palette[][2] = {
    {"#dbe9f6", "#2b6ca3"}, {"#fde6cf", "#b8651b"}, {"#dff0d8", "#3c7d3c"}, {"#efe0f3", "#7d4a91"},
    {"#fbe0e0", "#ad3b3b"}, {"#e4e4e4", "#5a5a5a"}, {"#fff5c9", "#96801a"}, {"#d9f2f0", "#21807a"},
};
enum { NPALETTE = sizeof palette / sizeof *palette };

static void show_node(const jn_model *m, FILE *out, int v, const char *indent)
{
  const char *style = "rounded,filled", *fill = "#ffffff", *edge = "#333333";
  if (m->part[v] >= 0) {
    int c = m->subsystem[m->part[v]].shape % NPALETTE;
    fill = palette[c][0], edge = palette[c][1];
  }
  if (v == JN_NODE_GROUND) fill = "#333333";
  fprintf(out, "%s\"%s\" [style=\"%s\", fillcolor=\"%s\", color=\"%s\"%s%s];\n", indent,
          jn_node_name(m, v), style, fill, edge, v == JN_NODE_GROUND ? ", fontcolor=white" : "",
          v == m->base ? ", penwidth=2.5" : "");
}

static void show_edge(const jn_model *m, FILE *out, int e)
{
  const jn_edge *x = &m->edge[e];
  bool down = m->in_tree[e] && m->parent[x->a] == x->b && m->parent_edge[x->a] == e;
  const char *label = x->joint < 0 ? "" : x->name, *gap = x->joint < 0 ? "" : "\\n";
  fprintf(out, "  \"%s\" -- \"%s\" [label=\"%s%s%s\"%s%s];\n", jn_node_name(m, down ? x->b : x->a),
          jn_node_name(m, down ? x->a : x->b), label, gap, jn_joint_kinds[x->kind].word,
          m->in_tree[e] ? "" : ", style=dashed, color=\"#c23b22\", fontcolor=\"#c23b22\"",
          m->in_tree[e] ? "" : ", constraint=false");
}

void jn_model_show_dot(const jn_model *m, FILE *out)
{
  fprintf(out, "graph topology {\n");
  fprintf(out, "  graph [fontname=\"Helvetica\", labelloc=t, fontsize=16, nodesep=0.35, ranksep=0.7,\n"
               "         label=\"%d bodies, %d joints, %d cut: %d degrees of freedom\"];\n",
          m->spec->nbody, m->spec->njoint, m->ncut, m->dof);
  fprintf(out, "  node [shape=box, fontname=\"Helvetica\", fontsize=12, margin=\"0.12,0.06\"];\n");
  fprintf(out, "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#555555\", fontcolor=\"#555555\"];\n");
  for (int i = 0; i < m->nnode; i++) {
    int v = m->order[i];
    bool floating = v == JN_NODE_GROUND && !m->ground_named && m->base != JN_NODE_GROUND;
    if (m->part[v] < 0 && !floating) show_node(m, out, v, "  ");
  }
  for (int i = 0; i < m->nsubsystem; i++) {
    const jn_subsystem *s = &m->subsystem[i];
    fprintf(out, "  subgraph cluster_%d {\n    style=\"rounded,dotted\"; color=\"%s\";\n", i,
            palette[s->shape % NPALETTE][1]);
    for (int k = 0; k < s->nbody; k++) show_node(m, out, s->node[k], "    ");
    fprintf(out, "  }\n");
  }
  for (int e = 0; e < m->nedge; e++) {
    bool floating = m->edge[e].joint < 0 && m->edge[e].a == JN_NODE_GROUND && !m->ground_named &&
                    m->base != JN_NODE_GROUND;
    if (!floating) show_edge(m, out, e);
  }
  fprintf(out, "}\n");
}
