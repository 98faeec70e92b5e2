// coverage.c: what was drawn, by path: which element met which joint.
#include <string.h>

#include "compare.h"
#include "components/component_kinds.h"
#include "solve/fast/program.h"
#include "spec/scenario_internal.h"

static int element_of(const jn_spec *spec, const jn_force_spec *f)
{
  if (f->kind == JN_FORCE_WHEEL) return JN_NFORCE_KIND + (int)spec->tyre[f->as.wheel.tyre].kind;
  if (f->kind == JN_FORCE_TYRE)
    return JN_NFORCE_KIND + JN_NTYRE_KIND + (int)spec->tyre[f->as.tyre.tyre].kind;
  return (int)f->kind;
}

static bool has_no_name(int element)  // wheels and tyres are counted by their law
{
  return element == JN_FORCE_WHEEL || element == JN_FORCE_TYRE;
}

static const char *element_word(int element, char text[32])
{
  if (element < JN_NFORCE_KIND) return jn_force_kind_at(element)->word;
  const int tyre = element - JN_NFORCE_KIND;
  snprintf(text, 32, "%s %s", tyre < JN_NTYRE_KIND ? "wheel" : "tyre",
           jn_tyre_kind_at(tyre % JN_NTYRE_KIND)->word);
  return text;
}

static const char *const road_word[NROAD] = {"plane",          "height",      "grade or bank",
                                             "half-sine",      "plateau",     "moving half-sine",
                                             "moving plateau", "plug-in road"};

static int road_of(const jn_road_spec *r)
{
  if (!r->as.given) return 0;
  if (r->kind == JN_ROAD_KIND_FLAT)
    return r->as.flat.grade != 0.0 || r->as.flat.bank != 0.0 ? 2 : r->as.flat.height != 0.0;
  if (r->kind == JN_ROAD_KIND_PLUGIN) return 7;
  if (r->kind == JN_ROAD_KIND_HALF_SINE) return r->as.half_sine.moving != 0.0 ? 5 : 3;
  return r->as.plateau.moving != 0.0 ? 6 : 4;
}

// Components by kind, but for those of elements and motions.
static const char *rare_word(int i)
{
  static const char *const words[RARE_COMPONENT] = {"friction",
                                                    "patches",
                                                    "roads of single wheels",
                                                    "ungrouped subsystem",
                                                    "core by the general path",
                                                    "loops in the core",
                                                    "rest with shared joints",
                                                    "rest with motions",
                                                    "rest of assemblies",
                                                    "core joints without code",
                                                    "core axes that differ",
                                                    "shared, bodies apart",
                                                    "redundant core rows",
                                                    "redundant beside loops",
                                                    "motion in a core's cut",
                                                    "contact of a core body",
                                                    "not alone on it",
                                                    "contact of another body",
                                                    "contact pushes at first",
                                                    "contact pushes"};
  if (i < RARE_COMPONENT) return words[i];
  for (int k = 0; k <= i - RARE_COMPONENT; k++)
    if (!jn_component_kind(k)) return "";
  return jn_component_kind(i - RARE_COMPONENT)->kind;
}

static void rare_of(const jn_system *s, coverage *out)
{
  for (int i = JN_COMMON_ROAD; i < s->binding.nroad; i++) {
    const jn_road *r = &s->binding.road[i];
    out->rare[RARE_FRICTION] |= r->p[ROAD_FRICTION] != 1.0;
    out->rare[RARE_PATCHES] |= r->form >> ROAD_PATCH_SHIFT > 0;
  }
  out->rare[RARE_SINGLE] = s->binding.nroad > JN_COMMON_ROAD + 1;
  for (int i = 0; i < s->ncomponent; i++)
    for (int k = 0; jn_component_kind(k) && k < NRARE - RARE_COMPONENT; k++)
      if (!s->component[i].hidden && s->component[i].table == jn_component_kind(k))
        out->rare[RARE_COMPONENT + k] = true;
}

// Is a joint of the core shared by groups that hang on different bodies?
static bool is_shared_apart(const jn_lane *l)
{
  for (int g = 0; g < l->ngroup; g++)
    for (int h = 0; h < g; h++) {
      const lane_group *a = &l->group[g], *b = &l->group[h];
      for (int i = 0; i < a->lanes * a->ns && a->parent != b->parent; i++)
        for (int k = 0; k < b->lanes * b->ns; k++)
          if (a->given[i].body >= 0 && a->given[i].body == b->given[k].body) return true;
    }
  return false;
}

static void contacts_of(const jn_system *s, coverage *out)
{
  const jn_lane *l = s->lane;
  for (int i = 0; i < l->nungrouped; i++) {
    const lane_ungrouped *k = &l->ungrouped[i];
    if (k->element < 0 || s->element[k->element].kind != JN_FORCE_CONTACT) continue;
    out->rare[k->contact ? RARE_CONTACT_CORE : RARE_CONTACT_PLACE] = true;
    out->rare[RARE_CONTACT_SECOND] |= k->contact && !k->alone;
  }
}

void coverage_ungrouped(const jn_system *s, coverage *out)
{
  const jn_lane *l = s->lane;
  const jn_part *p = &l->rest.part;
  contacts_of(s, out);
  out->rare[RARE_UNGROUPED] = l->nsubsystem > 0;
  out->rare[RARE_REST_CORE] = l->rest.why;
  out->rare[RARE_REST_LOOPS] = p->partition;
  out->rare[RARE_REST_SHARED] = p->nhung_joints > 0;
  out->rare[RARE_REST_DRIVEN] = l->rest.driven;
  if (!jn_lane_has_rest(l)) return;
  out->rare[RARE_REST_FRAMES] = s->nframe > 1;
  out->rare[RARE_REST_APART] = is_shared_apart(l);
  out->rare[RARE_REST_REDUNDANT] = p->partition && s->core_rank < s->ncore_row;
  for (int i = 0; i < l->ncore; i++) {
    const jn_tree_joint *j = &s->joint[l->core[i].body];
    out->rare[RARE_REST_KIND] |= j->kind != JN_TREE_BASE && !jn_lane_has_joint(j);
    out->rare[RARE_REST_AXES] |= !lane_is_identity(j->turn);
  }
  for (int i = 0; i < l->nsubsystem; i++)
    out->rare[RARE_REST_BESIDE] |= strstr(l->subsystem[i].why, "loops are redundant") != NULL;
  for (int i = 0; i < s->ncore_cut; i++)
    out->rare[RARE_REST_CUT] |= s->cut[s->core_cut[i]].drive >= 0;
}

void coverage_of(const jn_system *s, const jn_scenario *c, coverage *out)
{
  const jn_model *m = s->model;
  const jn_spec *spec = m->spec;
  memset(out, 0, sizeof *out);
  rare_of(s, out);
  for (int e = 0; e < m->nfile_edge; e++) out->joint[m->edge[e].kind][!m->in_tree[e]] = true;
  for (int i = 0; i < spec->nforce; i++) {
    const int element = element_of(spec, &spec->force[i]);
    int body[2];
    const int n = jn_force_bodies(spec, &spec->force[i], body);
    out->element[element] = true;
    for (int b = 0; b < n; b++)
      for (int e = 0; e < m->nfile_edge && body[b] != JN_GROUND; e++)
        if (m->edge[e].a == body[b] + 1 || m->edge[e].b == body[b] + 1)
          out->pair[m->edge[e].kind][!m->in_tree[e]][element] = true;
  }
  out->integrator[c->solver.integrator] = true;
  out->stabilize[c->solver.stabilize] = true;
  out->road[road_of(&c->road)] = true;
}

static void add(int n, int *to, const bool *from)
{
  for (int i = 0; i < n; i++) to[i] += from[i];
}

void coverage_add(coverage_table *t, const coverage *c, bool lanes)
{
  const int p = lanes ? 0 : 1;
  add(JN_NJOINT_KIND * 2 * NELEMENT, &t->pair[p][0][0][0], &c->pair[0][0][0]);
  add(JN_NJOINT_KIND * 2, &t->joint[p][0][0], &c->joint[0][0]);
  add(NELEMENT, t->element[p], c->element);
  add(JN_NINTEGRATOR, t->integrator[p], c->integrator);
  add(JN_NSTABILIZE, t->stabilize[p], c->stabilize);
  add(NROAD, t->road[p], c->road);
  add(NRARE, t->rare[p], c->rare);
}

static void line(FILE *out, const char *word, int lanes, int general)
{
  if (lanes + general) fprintf(out, "  %-24s %6d %8d\n", word, lanes, general);
}

static void show_pairs(const coverage_table *t, FILE *out)
{
  fprintf(
      out,
      "elements on bodies with a joint, vehicles in lanes / by the general path; * cut joint\n");
  for (int j = 0; j < JN_NJOINT_KIND; j++)
    for (int cut = 0; cut < 2; cut++) {
      if (!(t->joint[0][j][cut] + t->joint[1][j][cut])) continue;
      int column = 0;
      fprintf(out, "  %s%s: %d/%d\n", jn_joint_kinds[j].word, cut ? " *" : "", t->joint[0][j][cut],
              t->joint[1][j][cut]);
      for (int e = 0; e < NELEMENT; e++) {
        const int lanes = t->pair[0][j][cut][e], general = t->pair[1][j][cut][e];
        char text[32], cell[64];
        if (!(lanes + general)) continue;
        snprintf(cell, sizeof cell, "%s %d/%d", element_word(e, text), lanes, general);
        fprintf(out, "%s%-28s", column % 4 ? " " : "    ", cell);
        if (++column % 4 == 0) fprintf(out, "\n");
      }
      if (column % 4) fprintf(out, "\n");
    }
}

// Joints and elements that lanes had none of, and pairs of such that lanes have each of but not together.
static void show_missing(const coverage_table *t, FILE *out)
{
  char text[32];
  fprintf(out, "never in lanes:");
  for (int j = 0; j < JN_NJOINT_KIND; j++)
    for (int cut = 0; cut < 2; cut++)
      if (!t->joint[0][j][cut])
        fprintf(out, " %s%s;", jn_joint_kinds[j].word, cut ? " cut" : " in the tree");
  for (int e = 0; e < NELEMENT; e++)
    if (!t->element[0][e] && !has_no_name(e)) fprintf(out, " %s;", element_word(e, text));
  fprintf(out, "\nin lanes, but never together:");
  for (int j = 0; j < JN_NJOINT_KIND; j++)
    for (int cut = 0; cut < 2; cut++)
      for (int e = 0; e < NELEMENT; e++)
        if (t->joint[0][j][cut] && t->element[0][e] && !t->pair[0][j][cut][e])
          fprintf(out, " %s%s with %s;", jn_joint_kinds[j].word, cut ? " cut" : "",
                  element_word(e, text));
  fprintf(out, "\n");
}

void coverage_show(const coverage_table *t, FILE *out)
{
  char text[32];
  fprintf(out, "coverage                    lanes  general\n");
  for (int i = 0; i < JN_NINTEGRATOR; i++)
    line(out, jn_sim_word_of("integrator", i), t->integrator[0][i], t->integrator[1][i]);
  for (int i = 0; i < JN_NSTABILIZE; i++)
    line(out, jn_sim_word_of("stabilize", i), t->stabilize[0][i], t->stabilize[1][i]);
  for (int i = 0; i < NROAD; i++) line(out, road_word[i], t->road[0][i], t->road[1][i]);
  for (int i = 0; i < NRARE; i++) line(out, rare_word(i), t->rare[0][i], t->rare[1][i]);
  for (int e = 0; e < NELEMENT; e++)
    line(out, element_word(e, text), t->element[0][e], t->element[1][e]);
  show_pairs(t, out);
  show_missing(t, out);
}
