// format_page.c: prints docs/format.md, the reference of model and scenario files, from the schema.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "components/component_kinds.h"
#include "spec/scenario_schema.h"
#include "yaml/yaml_filter.h"

static const char head[] =
    "# The model file\n"
    "\n"
    "This page is made from the schema by `make docs`; do not edit it. [The scenario file]"
    "(#the-scenario-file)\n"
    "has the second half.\n"
    "\n"
    "A model is a YAML 1.2 file (JSON is YAML too). Geometry is given in the design position, in "
    "one set of\n"
    "axes for the whole vehicle. Unknown keys are errors, and every error names file, line and "
    "column. A\n"
    "file is UTF-8; anchors, aliases and tags are not used. A model, includes and all, has at most "
    "%d MB and\n"
    "%d values (numbers, words, lists and mappings), nested at most %d deep.\n"
    "\n"
    "```yaml\n"
    "jounce: 1\n"
    "name: pendulum on a slider\n"
    "bodies:\n"
    "  slider: {mass: 2, cg: [0, 0, 0],  inertia: [0.01, 0.01, 0.01]}\n"
    "  bob:    {mass: 1, cg: [0, 0, -1], inertia: [0.02, 0.02, 0.005]}\n"
    "joints:\n"
    "  rail:  {type: translational, bodies: [ground, slider], at: [0, 0, 0], axis: [1, 0, 0]}\n"
    "  pivot: {type: revolute, bodies: [slider, bob], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "forces:\n"
    "  spring: {type: tsda, bodies: [ground, slider], at: [[-1, 0, 0], [0, 0, 0]], stiffness: 50}\n"
    "initial:\n"
    "  pivot: {angle: 0.3}\n"
    "```\n"
    "\n"
    "Names are of letters, digits, `_` and `-`, at most 63 characters. `ground` is the body that "
    "does not\n"
    "move. `jounce check FILE --expand` prints a model with its includes as one file in SI units "
    "and ISO\n"
    "axes. `--set bodies.bob.mass=1.5` overrides a value, `--set bodies.bob.cg.2=-1.2` an element "
    "of a\n"
    "list (from 0), in the units and axes of the file that has it.\n";

static const char scenario_head[] =
    "\n# The scenario file\n"
    "\n"
    "A scenario describes what happens to a model: what goes in over time, how it is solved, what "
    "is "
    "recorded, and\n"
    "when the run ends. It is YAML like a model, one file, with the same limits. The key "
    "`scenario` "
    "distinguishes\n"
    "the two. Time begins at 0.\n"
    "\n"
    "```yaml\n"
    "jounce: 1\n"
    "scenario: step torque on the shaft\n"
    "end: 10\n"
    "inputs:\n"
    "  motor: {type: step, at: 1, from: 0, to: 100}\n"
    "  rack: 0.01\n"
    "record: {channels: [\"chassis.*\", \"joint.lca.angle\"], every: 0.01}\n"
    "stop:\n"
    "  fallen: {channel: chassis.z, below: 0.1}\n"
    "```\n"
    "\n"
    "A scenario does not know what a channel drives, and so not of which unit its values are: "
    "values of inputs and\n"
    "limits of stops are in SI units always. `units` are those of times, frequencies and phases.\n";

static const char *range_text(jn_range r)
{
  return r == JN_R_ABOVE_ZERO     ? ", above zero"
         : r == JN_R_NOT_NEGATIVE ? ", zero or above"
         : r == JN_R_NOT_ZERO     ? ", not zero"
                                  : "";
}

static void print_words(const jn_word *words)
{
  for (const jn_word *w = words; w->word; w++)
    printf("%s`%s` (%s)", w == words ? ": " : ", ", w->word, w->help);
}

static void print_fields(const jn_object *object)
{
  printf("\n| key | value | unit | default | meaning |\n|---|---|---|---|---|\n");
  for (int i = 0; i < object->n; i++) {
    const jn_field *f = &object->field[i];
    printf("| `%s` | %s%s", f->key, jn_type_texts[f->type], range_text(f->range));
    if (f->words) print_words(f->words);
    bool has_unit = f->quantity != JN_Q_ONE;
    printf(" | %s | %s | %s |\n", has_unit ? jn_quantities[f->quantity].si : "",
           f->need ? f->need : "**required**", f->help);
  }
}

static const char *count_text(int least, int most)
{
  if (most == 0) return "none";
  if (least == 2) return "two";
  if (least == 0) return most == 2 ? "none, one or two" : "none or one";
  return most == 2 ? "one or two" : "one";
}

static void print_units(void)
{
  printf(
      "\n## units\n\nThe units of one file's numbers, an included file has its own:\n"
      "`units: {length: mm, angle: deg}`. A unit of the tables below follows from these: with "
      "lengths in\n"
      "mm a stiffness is in N/mm and an inertia in kg mm². Force has a unit of its own.\n"
      "\n| key | units, the first is the default |\n|---|---|\n");
  for (int d = 0; d < JN_NDIM; d++) {
    printf("| `%s` |", jn_dimension_words[d]);
    for (const jn_unit *u = jn_units; u->word; u++)
      if (u->dimension == d) printf(" `%s`", u->word);
    printf(" |\n");
  }
}

static void print_joint_kinds(void)
{
  printf(
      "\n### joint types\n\nWeight is what the joint costs in the spanning tree. A driven joint "
      "weighs 0 "
      "and has no\ncoordinate; cut, it has a row more.\n"
      "\n| type | coordinates | rows if cut | weight | points | axes | motion |\n"
      "|---|---|---|---|---|---|---|\n");
  for (int i = 0; i < JN_NJOINT_KIND; i++) {
    const jn_joint_kind_info *k = &jn_joint_kinds[i];
    printf("| `%s` | %d | %d | %.1f | %s | %s | %s |\n", k->word, k->ncoord, k->nrow, k->weight,
           count_text(k->points_least, k->points_most), count_text(k->axes_least, k->axes_most),
           k->help);
  }
}

static void print_kinds(const jn_kind *(*kind_at)(int), int n, const char *what)
{
  for (int i = 0; i < n; i++) {
    const jn_kind *kind = kind_at(i);
    printf("\n### %s type `%s`\n\n%s.\n", what, kind->word, kind->help);
    print_fields(&kind->object);
  }
}

static void print_curves(void)
{
  printf(
      "\n## curves\n\nA list of points with rising x, `[[x, y], [x, y], ...]`, or a mapping:\n"
      "\n| key | value | default | meaning |\n|---|---|---|---|\n"
      "| `points` | list of at least two points [x, y] | **required** | x rises |\n");
  printf("| `method` | one of the words");
  print_words(jn_curve_methods);
  printf(" | linear | between the points |\n| `outside` | one of the words");
  print_words(jn_curve_outside);
  printf(" | linear | before the first and after the last point |\n");
}

static void print_maps(void)
{
  printf(
      "\n## maps\n\nA force over a deflection and its rate together, of a `tsda` or an `rsda`; "
      "what depends on one of the "
      "two alone is better a curve:\n"
      "\n| key | value | default | meaning |\n|---|---|---|---|\n"
      "| `deflections` | list of 2 to %d rising numbers | **required** | from the free length or "
      "angle |\n"
      "| `rates` | list of 2 to %d rising numbers | **required** | |\n"
      "| `values` | list of lists | **required** | one row for each rate, with one number for each "
      "deflection |\n",
      JN_MAP_MOST, JN_MAP_MOST);
  printf("| `method` | one of the words");
  print_words(jn_curve_methods);
  printf(
      " | linear | along each row, over the deflection; between rows, over the rate, it is always "
      "straight lines |\n| `outside` | one of the words");
  print_words(jn_curve_outside);
  printf(" | linear | on all four sides |\n");
}

static void print_tyre_tables(void)
{
  printf(
      "\n## tables of a tyre\n\nA table over slip or slip angle and load (a carpet plot), of a "
      "tyre of type `carpet`; see "
      "[tyres.md](tyres.md):\n"
      "\n| key | value | meaning |\n|---|---|---|\n"
      "| `slips` or `slip_angles` | list of 2 to %d rising numbers | from 0 on, then the other "
      "side is the mirror image; or to both sides of 0 |\n"
      "| `loads` | list of 1 to %d rising numbers above zero | zero at no load is understood |\n"
      "| `values` | list of lists | one row for each load, with one number for each slip |\n",
      JN_CARPET_MOST_SLIPS, JN_CARPET_MOST_LOADS);
}

static void section(const char *title, const char *text, const jn_object *object)
{
  printf("\n## %s\n\n%s\n", title, text);
  if (object) print_fields(object);
}

static void print_ports(const char *what, const jn_port *port, int n)
{
  if (n) printf("\n| %s | unit | meaning |\n|---|---|---|\n", what);
  for (int i = 0; i < n; i++)
    printf("| `%s` | %s | %s |\n", port[i].name, port[i].unit, port[i].help);
}

static void print_components(void)
{
  printf(
      "\n## component\n\nAn entry of `components`, of a model or of a scenario, with its `type` "
      "(or `type: "
      "plugin`, see [plugins.md](plugins.md)), its\n"
      "parameters, which are in SI units whatever the file's are, and\n"
      "\n| key | value | default | meaning |\n|---|---|---|---|\n"
      "| `inputs` | mapping from ports to signals or numbers | `NAME.PORT` is an input channel | "
      "what its "
      "inputs are connected to |\n"
      "| `outputs` | mapping from ports to input channels, or lists of them | none | what its "
      "outputs drive "
      "|\n"
      "\nSignals, and when they are known, are in [components.md](components.md).\n");
  const jn_component_table *t;
  for (int i = 0; (t = jn_component_kind(i)); i++) {
    printf("\n### component type `%s`\n\n%s.\n", t->kind, jn_component_help(i));
    printf("\n| key | value | unit | default | meaning |\n|---|---|---|---|---|\n");
    for (int k = 0; k < t->nparameter; k++) {
      const jn_component_parameter *p = &t->parameter[k];
      char otherwise[32] = "**required**";
      if (isinf(p->otherwise))
        snprintf(otherwise, sizeof otherwise, "none");
      else if (!isnan(p->otherwise))
        snprintf(otherwise, sizeof otherwise, "%g", p->otherwise);
      printf("| `%s` | number%s | %s | %s | %s |\n", p->name,
             p->range == JN_ABOVE_ZERO     ? ", above zero"
             : p->range == JN_NOT_NEGATIVE ? ", zero or above"
                                           : "",
             p->unit, otherwise, p->help);
    }
    print_ports("input", t->in, t->nin);
    print_ports("output", t->out, t->nout);
  }
}

static void print_scenario(void)
{
  fputs(scenario_head, stdout);
  section("scenario", "The keys of the file itself.", &jn_scenario_object);
  section(
      "input",
      "An entry of `inputs` is called after the channel that it drives: letters, digits, `_` "
      "and `-`, in parts\n"
      "with dots between them. It is a number, or a mapping with its `type`. Where it jumps, it "
      "has the new value\n"
      "already; integrators of several steps start again there.",
      NULL);
  print_kinds(jn_signal_kind_at, JN_NSIGNAL_KIND, "input");
  section("driver",
          "An entry of `drivers`, with its `type`. Its channels are `driver.NAME.speed`, an input: "
          "what it aims "
          "at, and\n"
          "`measured`, `torque` and `integral`, which it gives. The drive channels of its wheels "
          "are its own.",
          NULL);
  print_kinds(jn_driver_kind_at, JN_NDRIVER_KIND, "driver");
  print_components();
  section("road",
          "The surface under all tyres, or, as an entry of `roads`, under the wheels that it "
          "names, with "
          "its `type`; see\n"
          "[tyres.md](tyres.md). Heights are along the world's z.",
          NULL);
  print_kinds(jn_road_kind_at, JN_NROAD_KIND, "road");
  section(
      "patch",
      "An entry of a road's `patches`: a rectangle along the world's x and y, or a track where one "
      "of them is left\n"
      "out, in which friction is another. Its border is no part of it. At most 32.",
      &jn_patch_object);
  section("record",
          "Rows are recorded at each step, or so seldom that there are at most 10,000 of them, "
          "unless `every` gives another\n"
          "otherwise.",
          &jn_record_object);
  section("stop",
          "An entry of `stop`, with `below` or `above` or both. Its name is reported with the end "
          "of the run.",
          &jn_stop_object);
}

int main(void)
{
  printf(head, JN_FILE_MOST_BYTES >> 20, JN_FILE_MOST_VALUES, JN_FILE_MOST_DEPTH);
  section("model", "The keys of the file itself.", &jn_model_object);
  print_units();
  section("body", "An entry of `bodies`.", &jn_body_object);
  section("joint",
          "An entry of `joints`, with its `type`. A point or an axis may be given once, or once on "
          "each body\n"
          "(imported models): the loops are then closed, and the position error is reported.",
          &jn_joint_object);
  print_joint_kinds();
  section("motion", "Prescribed motion of a joint: a channel or a curve.", &jn_motion_object);
  section("force", "An entry of `forces`, with its `type`. Tension is positive.", NULL);
  print_kinds(jn_force_kind_at, JN_NFORCE_KIND, "force");
  section(
      "tyre",
      "An entry of `tyres`, with its `type`; wheels refer to it by name. See [tyres.md](tyres.md).",
      NULL);
  print_kinds(jn_tyre_kind_at, JN_NTYRE_KIND, "tyre");
  print_curves();
  print_maps();
  print_tyre_tables();
  section("initial",
          "An entry of `initial` is called after a joint, a body or a wheel. What is not given "
          "follows from\n"
          "the joints. Of a joint:",
          &jn_initial_joint_object);
  printf("\nOf a body:\n");
  print_fields(&jn_initial_body_object);
  printf("\nOf a wheel whose spin is a state of its own:\n");
  print_fields(&jn_initial_wheel_object);
  section("topology",
          "Choices that are otherwise made automatically; see [topology.md](topology.md).",
          &jn_topology_object);
  print_scenario();
  return ferror(stdout) ? 1 : 0;
}
