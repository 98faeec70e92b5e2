// topology_dot.c: the plan as a Graphviz graph: tree joints solid, cut joints dashed, like subsystems in one
// colour, the base in bold.
#include <math.h>

#include "report/dot.h"

// Where Graphviz begins: the design position seen from above, x up the page, raised bodies set aside. A
// spring layout moves bodies apart from there, so that a vehicle still looks like one.
static void show_node(const jn_model *m, FILE *out, int v, double scale)
{
  char place[64] = "";
  if (v != JN_NODE_GROUND) {
    const double *cg = m->spec->body[v - 1].keys.cg;
    snprintf(place, sizeof place, ", pos=\"%.3f,%.3f\"", -scale * (cg[1] + 0.3 * cg[2]),
             scale * (cg[0] + 0.15 * cg[2]));
  }
  fprintf(out, "  ");
  jn_dot_body(m, out, v, "", place);
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
  if (!m || !out) return;
  const double scale = paper_scale(m);
  fprintf(out, "graph topology {\n");
  fprintf(
      out,
      "  graph [layout=neato, overlap=prism, splines=true, sep=\"+14\", fontname=\"Helvetica\",\n"
      "         labelloc=t, fontsize=18, label=\"");
  jn_dot_counts(m, out);
  fprintf(out, "\"];\n");
  jn_dot_style(out, ", len=1.7");
  for (int i = 0; i < m->nnode; i++)
    if (m->order[i] != JN_NODE_GROUND || jn_dot_ground(m)) show_node(m, out, m->order[i], scale);
  for (int e = 0; e < m->nedge; e++)
    if (jn_dot_joint_shown(m, e)) jn_dot_joint(m, out, e, "");
  fprintf(out, "}\n");
}
