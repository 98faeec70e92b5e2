// path_report.c: reports how a system is computed.
#include <stdarg.h>
#include <stdio.h>

#include "run/run_internal.h"
#include "solve/fast/fast.h"

static const char *const list_names[JN_LANE_LISTS] = {[LANE_POSE] = "pose",
                                                      [LANE_FACTORS] = "factor",
                                                      [LANE_RATE] = "rate",
                                                      [LANE_MOTION] = "motion",
                                                      [LANE_FORCE] = "force",
                                                      [LANE_INERTIA] = "inertia",
                                                      [LANE_ACCELERATIONS] = "accelerations",
                                                      [LANE_CORRECTIONS] = "corrections",
                                                      [LANE_CLOSURE] = "closure"};
_Static_assert(JN_LANES == (int)LANES && JN_LANE_LISTS == (int)LANE_ROW, "reported as they are");

// A list without operations takes nothing.
static bool is_compiled(const lane_group *g, int phase)
{
  return g->compiled[phase] >= 0 || g->nop[phase] == 0;
}

// Ungrouped elements but for those of ungrouped subsystems, and the i-th of them, -1: there is none.
static int count_elements(const jn_lane *l)
{
  int n = 0;
  for (int i = 0; i < l->nungrouped; i++) n += l->ungrouped[i].subsystem < 0;
  return n;
}

static int element_at(const jn_lane *l, int i)
{
  int at = -1;
  while (l && i >= 0 && ++at < l->nungrouped)
    if (l->ungrouped[at].subsystem < 0 && i-- == 0) return at;
  return -1;
}

jn_path_info jn_system_path(const jn_system *s)
{
  if (!s) return (jn_path_info){.general = "there is no system"};
  if (!s->lane) return (jn_path_info){.general = s->lane_reason, .instructions = jn_path_cost(s)};
  return (jn_path_info){.engine = s->lane->engine->name,
                        .ngroup = s->lane->ngroup,
                        .nungrouped = count_elements(s->lane),
                        .nsubsystem = s->lane->nsubsystem,
                        .core = s->lane->rest.why,
                        .instructions = jn_path_cost(s)};
}

jn_path_group jn_system_path_group(const jn_system *s, int i)
{
  jn_path_group out = {0};
  if (!s || !s->lane || i < 0 || i >= s->lane->ngroup) return out;
  const lane_group *g = &s->lane->group[i];
  out.lanes = g->lanes;
  for (int k = 0; k < g->lanes; k++)
    out.subsystem[k] =
        jn_node_name(s->model, g->subsystem[k] < 0 ? s->body[-1 - g->subsystem[k]].node
                                                   : s->model->subsystem[g->subsystem[k]].node[0]);
  out.instructions = jn_path_cost_group(s, g);
  out.advice = jn_path_advice(s, g);
  for (int p = 0; p < JN_LANE_LISTS; p++) {
    out.list[p] = list_names[p];
    out.compiled[p] = is_compiled(g, p);
  }
  return out;
}

jn_path_subsystem jn_system_path_subsystem(const jn_system *s, int i)
{
  if (!s || !s->lane || i < 0 || i >= s->lane->nsubsystem) return (jn_path_subsystem){0};
  const lane_subsystem *k = &s->lane->subsystem[i];
  return (jn_path_subsystem){
      .name = jn_node_name(s->model, s->model->subsystem[k->subsystem].node[0]),
      .why = k->why,
      .instructions = jn_path_cost_subsystem(s, i),
      .advice = jn_path_advice_ungrouped(s, i)};
}

const char *jn_system_path_ungrouped(const jn_system *s, int i)
{
  const int at = s ? element_at(s->lane, i) : -1;
  if (at < 0) return NULL;
  const lane_ungrouped *k = &s->lane->ungrouped[at];
  return k->wheel >= 0 ? s->wheel[k->wheel].name : s->element[k->element].name;
}

double jn_system_path_ungrouped_cost(const jn_system *s, int i)
{
  const int at = s ? element_at(s->lane, i) : -1;
  return at < 0 ? 0.0 : jn_path_cost_ungrouped(s, at);
}

// ---- one line -------------------------------------------------------------------------------------

typedef struct line {
  char *text;
  size_t size, used;
} line;

__attribute__((format(printf, 2, 3))) static void put(line *l, const char *fmt, ...)
{
  va_list args;
  va_start(args, fmt);
  const int n = vsnprintf(l->text + l->used, l->size - l->used, fmt, args);
  va_end(args);
  if (n > 0) l->used += (size_t)n;
  if (l->used >= l->size) l->used = l->size - 1;  // cut short
}

// Operation lists that some group interprets.
static void put_lists(line *l, const jn_lane *lane)
{
  bool listed[JN_LANE_LISTS] = {0};
  int n = 0;
  for (int p = 0; p < JN_LANE_LISTS; p++) {
    for (int g = 0; g < lane->ngroup; g++) listed[p] |= !is_compiled(&lane->group[g], p);
    n += listed[p];
  }
  put(l, n == JN_LANE_LISTS ? ", by operation lists" : ", precompiled");
  for (int p = 0, k = 0; p < JN_LANE_LISTS && n < JN_LANE_LISTS; p++)
    if (listed[p]) put(l, "%s%s", k++ ? ", " : " but for ", list_names[p]);
}

const char *jn_system_path_line(const jn_system *s, char *text, size_t size)
{
  line l = {text, size, 0};
  if (!text || !size) return text;
  text[0] = 0;
  if (!s) return text;
  if (!s->lane) {
    put(&l, "general: %s", s->lane_reason);
    return text;
  }
  const jn_lane *lane = s->lane;
  int lanes = 0;
  for (int g = 0; g < lane->ngroup; g++) lanes += lane->group[g].lanes;
  put(&l, "lanes: %d of %d", lanes, LANES * lane->ngroup);
  if (lane->ngroup > 1) put(&l, " in %d groups", lane->ngroup);
  put_lists(&l, lane);
  if (lane->engine->width == 1) put(&l, ", %s", lane->engine->name);
  const int elements = count_elements(lane), subsystems = lane->nsubsystem;
  if (elements) put(&l, "; %d element%s ungrouped", elements, elements == 1 ? "" : "s");
  if (subsystems) put(&l, "; %d subsystem%s ungrouped", subsystems, subsystems == 1 ? "" : "s");
  if (lane->rest.why) put(&l, "; core as on the general path: %s", lane->rest.why);
  return text;
}
