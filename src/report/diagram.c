// diagram.c: a system as a Graphviz graph. On one side the mechanism: subsystems as clusters of bodies, joints as edges, cut joints
// dashed. Beside it the bus: what gives signals at the top, components with their ports, what signals drive at the bottom.
#include <math.h>
#include <string.h>

#include "jounce/run.h"
#include "plan/system.h"
#include "report/dot.h"

// ---- mechanism ------------------------------------------------------------------------------------

// Below a body's name: the wheels that it carries. One that many hang on is as wide as that takes.
static void show_body(const jn_system *s, FILE *out, int v)
{
  const jn_model *m = s->model;
  char lines[200] = "", more[48] = "";
  size_t used = 0;
  int children = 0;
  for (int i = 0; i < s->nwheel && v != JN_NODE_GROUND; i++)
    if (s->wheel[i].body == s->body_of_node[v] &&
        used + strlen(s->wheel[i].name) + 12 < sizeof lines)
      used += (size_t)snprintf(lines + used, sizeof lines - used, "\\nwheel %s", s->wheel[i].name);
  for (int i = m->incident_at[v]; i < m->incident_at[v + 1]; i++)
    children += m->parent[jn_other(&m->edge[m->incident[i]], v)] == v;
  if (children > 3)
    snprintf(more, sizeof more, ", width=%.1f", 0.6 * (children < 40 ? children : 40));
  jn_dot_body(m, out, v, lines, more);
}

static void show_mechanism(const jn_system *s, FILE *out)
{
  const jn_model *m = s->model;
  fprintf(out, "  subgraph \"cluster mechanism\" {\n    label=\"mechanism\"; style=invis;\n");
  for (int i = 0; i < m->nnode; i++) {
    const int v = m->order[i];
    if (m->part[v] >= 0 || (v == JN_NODE_GROUND && !jn_dot_ground(m))) continue;
    fprintf(out, "    ");
    show_body(s, out, v);
  }
  for (int i = 0; i < m->nsubsystem; i++) {
    const jn_subsystem *k = &m->subsystem[i];
    const jn_dot_colours c = jn_dot_colours_of(k->shape);
    fprintf(
        out,
        "    subgraph \"cluster subsystem %d\" {\n"
        "      label=\"%s, shape %d\\n%d coordinate%s, %d constraint%s\"; labelloc=b; fontsize=11; "
        "color=\"%s\"; fontcolor=\"%s\"; style=rounded;\n",
        i, jn_node_name(m, k->node[0]), k->shape, k->ncoord, k->ncoord == 1 ? "" : "s", k->nrow,
        k->nrow == 1 ? "" : "s", c.line, c.line);
    for (int b = 0; b < k->nbody; b++) {
      fprintf(out, "      ");
      show_body(s, out, k->node[b]);
    }
    fprintf(out, "    }\n");
  }
  fprintf(out, "  }\n");
  for (int e = 0; e < m->nedge; e++)
    if (jn_dot_joint_shown(m, e)) jn_dot_joint(m, out, e, "");
}

// ---- bus --------------------------------------------------------------------------------------------

static void put_html(FILE *out, const char *text)
{
  for (; *text; text++) switch (*text) {
      case '<':
        fputs("&lt;", out);
        break;
      case '>':
        fputs("&gt;", out);
        break;
      case '&':
        fputs("&amp;", out);
        break;
      case '"':
        fputs("&quot;", out);
        break;
      default:
        fputc(*text, out);
    }
}

// A row of ports over the width of the component.
static void show_ports(FILE *out, const jn_port *port, int n, char letter, const char *fill)
{
  if (n == 0) return;
  fprintf(out,
          "<TR><TD BORDER=\"0\" CELLPADDING=\"0\"><TABLE BORDER=\"0\" CELLBORDER=\"1\" "
          "CELLSPACING=\"0\"><TR>");
  for (int i = 0; i < n; i++) {
    fprintf(out, "<TD PORT=\"%c%d\" BGCOLOR=\"%s\"><FONT POINT-SIZE=\"10\">", letter, i, fill);
    put_html(out, port[i].name);
    fprintf(out, "</FONT></TD>");
  }
  fprintf(out, "</TR></TABLE></TD></TR>");
}

static void show_component(const jn_system *s, FILE *out, int i)
{
  const jn_component *c = &s->component[i];
  fprintf(out,
          "    \"component %d\" [shape=plain, style=\"\", label=<<TABLE BORDER=\"1\" "
          "CELLBORDER=\"0\" CELLSPACING=\"0\" BGCOLOR=\"#ffffff\">",
          i);
  if (c->table) show_ports(out, c->table->in, c->table->nin, 'i', "#eef3f8");
  fprintf(out, "<TR><TD CELLPADDING=\"5\"><B>");
  put_html(out, c->name);
  fprintf(out, "</B><BR/>");
  put_html(out, !c->table ? "plug-in, not loaded" : c->spec ? c->spec->type : c->table->kind);
  fprintf(out, "</TD></TR>");
  if (c->table) show_ports(out, c->table->out, c->table->nout, 'o', "#f3efe4");
  fprintf(out, "</TABLE>>];\n");
}

// Before a lag or a filter that is part of a force or a joint.
static int channel_behind(const jn_system *s, int signal)
{
  for (int i = 0; i < s->ncomponent && signal >= s->ninput; i++)
    if (s->component[i].hidden && s->component[i].out == signal) signal = s->component[i].signal[0];
  return signal;
}

typedef struct words {  // what an input acts on, as many as fit
  char text[160];
  size_t used;
  int n;
} words;

static void add_word(words *w, const char *kind, const char *name)
{
  enum { MOST = 3 };
  if (w->n++ < MOST && w->used + strlen(name) + 16 < sizeof w->text)
    w->used +=
        (size_t)snprintf(w->text + w->used, sizeof w->text - w->used, "\\n%s %s", kind, name);
}

static words acts_on(const jn_system *s, int input)
{
  words w = {0};
  for (int i = 0; i < s->nwheel; i++) {
    const jn_wheel *k = &s->wheel[i];
    if (k->drive == input || k->brake == input || k->steer == input)
      add_word(&w, "on wheel", k->name);
  }
  for (int i = 0; i < s->nelement; i++)
    if (s->element[i].actuator.input >= 0 &&
        channel_behind(s, s->element[i].actuator.input) == input)
      add_word(&w, "force", s->element[i].name);
  for (int i = 0; i < s->ndrive; i++)
    if (!s->drive[i].curve && channel_behind(s, s->drive[i].signal) == input)
      add_word(&w, "motion of", s->model->edge[s->drive[i].edge].name);
  if (w.n > 3) snprintf(w.text + w.used, sizeof w.text - w.used, "\\nand %d more", w.n - 3);
  return w;
}

static jn_input_owner owner_of(const jn_system *s, int input)
{
  return jn_input_owner_of(s, jn_channel_find(s, s->input[input].name));
}

static bool is_port(const jn_system *s, int input)  // the open or constant input of a component
{
  for (int i = 0; i < s->nshown; i++)
    for (int k = 0; s->component[i].table && k < s->component[i].table->nin; k++)
      if (s->component[i].own_input[k] && s->component[i].signal[k] == input) return true;
  return false;
}

static bool is_read(const jn_system *s, int input)  // by a port that was connected to it
{
  for (int i = 0; i < s->nshown; i++)
    for (int k = 0; s->component[i].table && k < s->component[i].table->nin; k++)
      if (s->component[i].wanted[k] && s->component[i].link[k] == JN_LINK_INPUT &&
          s->component[i].signal[k] == input)
        return true;
  return false;
}

// Inputs that somebody gives or reads are drawn; the others are many, and named in one box.
static bool is_drawn(const jn_system *s, int input)
{
  const jn_input_owner owner = owner_of(s, input);
  return owner == JN_OWNER_SCENARIO || owner == JN_OWNER_COMPONENT || is_read(s, input);
}

static void show_input(const jn_system *s, FILE *out, int i)
{
  const words w = acts_on(s, i);
  const bool given = owner_of(s, i) == JN_OWNER_SCENARIO;
  fprintf(out, "    \"input %d\" [%s, fillcolor=\"%s\", label=\"%s%s%s\"];\n", i,
          given ? "shape=box, style=filled" : "shape=box, style=\"rounded,filled\"",
          given ? "#e6f2e6" : "#f6f6f6", s->input[i].name, given ? "\\ninput of the scenario" : "",
          w.text);
}

static void show_left(const jn_system *s, FILE *out)
{
  int n = 0, at = 0;
  for (int i = 0; i < s->ninput; i++) {
    if (is_drawn(s, i) || is_port(s, i) || owner_of(s, i) != JN_OWNER_NONE) continue;
    const int length = (int)strlen(s->input[i].name);
    if (n == 0)
      fprintf(
          out,
          "    \"left inputs\" [shape=note, style=\"\", color=\"#888888\", fontcolor=\"#555555\", "
          "fontsize=10, label=\"inputs left at zero\\n");
    if (n++ && at + length > 44)
      fprintf(out, "\\l"), at = 0;
    else if (n > 1)
      fprintf(out, "  ");
    fputs(s->input[i].name, out);
    at += length + 2;
  }
  if (n) fprintf(out, "\\l\"];\n");
}

// What a port of component i is connected to, as a node and an edge to the port.
static void show_link(const jn_system *s, FILE *out, int i, int k)
{
  const jn_component *c = &s->component[i];
  const int signal = c->signal[k];
  const char *grey = ", color=\"#888888\"";
  if (c->link[k] == JN_LINK_OUTPUT) {
    fprintf(out, "    \"component %d\":o%d:s -- \"component %d\":i%d:n [dir=forward];\n",
            c->source[k], signal - s->component[c->source[k]].out, i, k);
  } else if (c->own_input[k] && !is_drawn(s, signal)) {
    char number[32];
    snprintf(number, sizeof number, "%.6g", c->constant[k]);
    fprintf(out, "    \"port %d %d\" [shape=plaintext, style=\"\", fontsize=10, label=\"%s\"];\n",
            i, k,
            !isnan(c->constant[k])                 ? number
            : owner_of(s, signal) == JN_OWNER_NONE ? "open"
                                                   : c->own_input[k]);
    fprintf(out, "    \"port %d %d\" -- \"component %d\":i%d:n [dir=forward%s];\n", i, k, i, k,
            grey);
  } else if (c->link[k] == JN_LINK_INPUT) {
    fprintf(out, "    \"input %d\" -- \"component %d\":i%d:n [dir=forward];\n", signal, i, k);
  } else {
    const bool held = c->link[k] == JN_LINK_HELD;
    fprintf(out,
            "    \"signal %d\" [shape=ellipse, style=\"filled%s\", fillcolor=\"#fdf6d8\", "
            "label=\"%s%s\"];\n",
            signal, held ? ",dashed" : "", c->wanted[k], held ? "\\nheld over the step" : "");
    fprintf(out, "    \"signal %d\" -- \"component %d\":i%d:n [dir=forward%s];\n", signal, i, k,
            held ? ", style=dashed" : "");
  }
}

static void show_bus(const jn_system *s, FILE *out)
{
  if (!s->ninput && !s->nshown) return;
  fprintf(out,
          "  subgraph \"cluster bus\" {\n    label=\"bus\"; fontsize=13; style=rounded; "
          "color=\"#aaaaaa\"; "
          "bgcolor=\"#fcfcfc\";\n");
  for (int i = 0; i < s->ninput; i++)
    if (is_drawn(s, i)) show_input(s, out, i);
  for (int i = 0; i < s->nshown; i++) {
    const jn_component *c = &s->component[i];
    show_component(s, out, i);
    for (int k = 0; c->table && k < c->table->nin; k++) show_link(s, out, i, k);
    for (int k = 0; c->table && k < c->ndriven; k++)
      fprintf(out, "    \"component %d\":o%d:s -- \"input %d\" [dir=forward];\n", i,
              c->driven_port[k], c->driven_signal[k]);
    for (int k = 0; !c->table && k < c->spec->nout; k++)
      for (int j = 0; j < s->ninput; j++)
        if (!strcmp(s->input[j].name, c->spec->out[k].signal))
          fprintf(out, "    \"component %d\" -- \"input %d\" [dir=forward];\n", i, j);
  }
  show_left(s, out);
  fprintf(out, "  }\n");
}

void jn_system_show_dot(const jn_system *s, FILE *out)
{
  if (!s || !out) return;
  const jn_model *m = s->model;
  fprintf(out, "graph diagram {\n");
  fprintf(out,
          "  graph [layout=dot, ranksep=0.7, nodesep=0.35, fontname=\"Helvetica\", fontsize=11, "
          "labelloc=t, label=\"");
  for (const char *t = m->spec->name; *t; t++)
    if (*t == '"' || *t == '\\')
      fprintf(out, "\\%c", *t);
    else
      fputc(*t, out);
  fprintf(out, "\\n");
  jn_dot_counts(m, out);
  fprintf(out, "\"];\n");
  jn_dot_style(out, "");
  show_mechanism(s, out);
  show_bus(s, out);
  fprintf(out, "}\n");
}
