#include "report/dot.h"

// Distinct by hue and lightness also in print.
static const jn_dot_colours palette[] = {
    {"#dbe9f6", "#2b6ca3"}, {"#fde6cf", "#b8651b"}, {"#dff0d8", "#3c7d3c"}, {"#efe0f3", "#7d4a91"},
    {"#fbe0e0", "#ad3b3b"}, {"#e4e4e4", "#5a5a5a"}, {"#fff5c9", "#96801a"}, {"#d9f2f0", "#21807a"},
};
enum { NPALETTE = sizeof palette / sizeof *palette };

jn_dot_colours jn_dot_colours_of(int shape)
{
  return shape < 0 ? (jn_dot_colours){"#ffffff", "#333333"} : palette[shape % NPALETTE];
}

bool jn_dot_ground(const jn_model *m)
{
  return m->ground_named || m->base == JN_NODE_GROUND;
}

bool jn_dot_joint_shown(const jn_model *m, int edge)
{
  return jn_dot_ground(m) || m->edge[edge].a != JN_NODE_GROUND;
}

void jn_dot_body(const jn_model *m, FILE *out, int v, const char *lines, const char *more)
{
  const bool ground = v == JN_NODE_GROUND;
  const jn_dot_colours c = jn_dot_colours_of(m->part[v] < 0 ? -1 : m->subsystem[m->part[v]].shape);
  fprintf(out, "\"%s\" [fillcolor=\"%s\", color=\"%s\"%s%s", jn_node_name(m, v),
          ground ? "#333333" : c.fill, c.line, ground ? ", fontcolor=white" : "",
          v == m->base ? ", penwidth=2.5" : "");
  if (*lines) fprintf(out, ", label=\"%s%s\"", jn_node_name(m, v), lines);
  fprintf(out, "%s];\n", more);
}

void jn_dot_joint(const jn_model *m, FILE *out, int e, const char *more)
{
  const jn_edge *x = &m->edge[e];
  const bool implied = x->joint<0, turned = m->depth[x->a]> m->depth[x->b];
  fprintf(out, "  \"%s\" -- \"%s\" [label=\" %s%s%s \"%s%s];\n",
          jn_node_name(m, turned ? x->b : x->a), jn_node_name(m, turned ? x->a : x->b),
          implied ? "" : x->name, implied ? "" : " \\n ", jn_joint_kinds[x->kind].word,
          m->in_tree[e] ? "" : ", style=dashed, color=\"#c23b22\", fontcolor=\"#c23b22\"", more);
}

void jn_dot_counts(const jn_model *m, FILE *out)
{
  fprintf(out, "%d bod%s, %d joint%s, %d cut", m->spec->nbody, m->spec->nbody == 1 ? "y" : "ies",
          m->spec->njoint, m->spec->njoint == 1 ? "" : "s", m->ncut);
  if (m->dof >= 0) fprintf(out, ": %d degree%s of freedom", m->dof, m->dof == 1 ? "" : "s");
}

void jn_dot_style(FILE *out, const char *edge)
{
  fprintf(out,
          "  node [shape=box, style=\"rounded,filled\", fontname=\"Helvetica\", fontsize=12];\n");
  fprintf(out,
          "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#555555\", "
          "fontcolor=\"#555555\"%s];\n",
          edge);
}
