// compare.c: a vehicle made ready in every way of solving it, and the order of comparisons.
#include "compare.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "spec/scenario_internal.h"

#define X(name, in, way, word, help) word,
const char *const check_word[NCHECK] = {CHECKS(X)};
#undef X
#define X(name, in, way, word, help) help,
const char *const check_help[NCHECK] = {CHECKS(X)};
#undef X
#define X(name, text) text,
const char *const skip_text[NSKIP] = {SKIPS(X)};
#undef X
const char *const way_word[NWAY] = {"general", "recursive", "independent",
                                    "auto",    "list",      "narrow"};

// ---- outcome ------------------------------------------------------------------------------------

void note(outcome *o, check k, double ratio, const char *fmt, ...)
{
  o->made[k]++;
  if (o->made[k] > 1 && ratio <= o->ratio[k]) return;
  o->ratio[k] = isnan(ratio) ? INFINITY : ratio;
  va_list args;
  va_start(args, fmt);
  vsnprintf(o->what[k], WHAT, fmt, args);
  va_end(args);
}

int worst_check(const outcome *o)
{
  int worst = -1;
  for (int k = 0; k < NCHECK; k++)
    if (o->ratio[k] > 1.0 && (worst < 0 || o->ratio[k] > o->ratio[worst])) worst = k;
  return worst;
}

// ---- subject ------------------------------------------------------------------------------------

// Texts that are counted must not differ by the names in them: what stands in quotes, and behind "of", and numbers.
static void plain_reason(const char *text, char out[WHAT])
{
  size_t n = 0;
  for (const char *c = text; *c && n + 2 < WHAT; c++) {
    if (*c == '"') {
      out[n++] = '*';
      while (c[1] && c[1] != '"') c++;
      if (c[1]) c++;
    } else if (*c >= '0' && *c <= '9') {
      out[n++] = '#';
      while ((c[1] >= '0' && c[1] <= '9') || c[1] == '.' || c[1] == 'e' ||
             (c[1] == '-' && c[0] == 'e'))
        c++;
    } else {
      out[n++] = *c;
    }
  }
  out[n] = 0;
  static const char *const before[] = {"subsystem of ", "core body ", "joint ",
                                       "element ",      "reads ",     "pulls on "};
  for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
    char *at = strstr(out, before[i]);
    if (!at) continue;
    at += strlen(before[i]);
    char *end = at;
    while (*end && *end != ' ' && *end != ':' && *end != ',') end++;
    if (end == at) continue;
    *at = '*';
    memmove(at + 1, end, strlen(end) + 1);
  }
}

static bool reject(outcome *o, const char *stage, const jn_error *err)
{
  char text[sizeof err->text + 40];
  snprintf(text, sizeof text, "%s: %s", stage, err->text);
  o->rejected = true;
  plain_reason(text, o->reason);
  return false;
}

static bool create(subject *k, way w, outcome *o)
{
  static const jn_formulation formulation[NWAY] = {
      [RECURSIVE] = JN_FORMULATION_RECURSIVE, [INDEPENDENT] = JN_FORMULATION_INDEPENDENT};
  static const jn_path path[NWAY] = {JN_PATH_GENERAL, JN_PATH_GENERAL, JN_PATH_GENERAL,
                                     JN_PATH_AUTO,    JN_PATH_LIST,    JN_PATH_NARROW};
  jn_sim_opts opts = k->drawn;
  opts.integrator = JN_INTEGRATOR_RK4;
  opts.formulation = formulation[w];
  opts.path = path[w];
  if (opts.stabilize == JN_STABILIZE_BAUMGARTE || opts.stabilize == JN_STABILIZE_NEWTON)
    opts.stabilize = JN_STABILIZE_PROJECTION;
  jn_error err = {0};
  const jn_status st = jn_system_create(k->model, k->scenario, &opts, &k->system[w], &err);
  if (st && w == GENERAL) return reject(o, "system", &err);
  note(o, CHECK_ACCEPTED, st ? INFINITY : 0.0, "general is accepted, %s is not: %s", way_word[w],
       err.text);
  return st == JN_OK;
}

static bool find_redundancy(subject *k)
{
  const jn_model *m = k->model;
  k->undetermined = calloc((size_t)m->nfile_edge + 1, sizeof *k->undetermined);
  if (!k->undetermined) return false;
  for (int i = 0; i < m->nset; i++) {
    if (!m->set[i].ranked) k->rank = -1;
    if (k->rank >= 0) k->rank += m->set[i].rank;
    for (int j = 0; j < m->set[i].nundetermined; j++)
      if (m->set[i].undetermined[j] < m->nfile_edge)
        k->undetermined[m->set[i].undetermined[j]] = true;
  }
  return true;
}

bool subject_open(const char *model, const char *scenario, const char *name, unsigned ways,
                  subject *k, outcome *o)
{
  jn_error err = {0};
  *k = (subject){0};
  if (jn_spec_parse(model, strlen(model), name, NULL, 0, &k->spec, &err))
    return reject(o, "model", &err);
  if (jn_scenario_parse(scenario, strlen(scenario), "scenario.yaml", &k->scenario, &err))
    return reject(o, "scenario", &err);
  if (jn_model_compile(k->spec, NULL, &k->model, &err)) return reject(o, "topology", &err);
  k->drawn = jn_sim_opts_of(k->scenario);
  if (k->drawn.step == 0.0) k->drawn.step = 1e-3;
  if (!find_redundancy(k)) return false;
  bool good = create(k, GENERAL, o);
  for (int w = RECURSIVE; good && w < NWAY; w++) {
    if (!(ways >> w & 1)) continue;
    if (w > AUTO && !k->system[AUTO]) continue;
    create(k, (way)w, o);
    if (w != AUTO || !k->system[AUTO] || k->system[AUTO]->lane) continue;
    plain_reason(k->system[AUTO]->lane_reason, k->reason);
    jn_system_free(k->system[AUTO]);
    k->system[AUTO] = NULL;
  }
  return good;
}

void subject_close(subject *k)
{
  for (int w = 0; w < NWAY; w++) jn_system_free(k->system[w]);
  jn_model_free(k->model);
  jn_scenario_free(k->scenario);
  jn_spec_free(k->spec);
  free(k->undetermined);
  *k = (subject){0};
}

jn_system with_options(const jn_system *s, jn_integrator integrator, jn_stabilize stabilize,
                       double step)
{
  jn_system other = *s;
  other.binding.opts.integrator = integrator;
  other.binding.opts.stabilize = stabilize;
  other.binding.opts.step = step;
  other.binding.opts.baumgarte = 0.1 / step;
  return other;
}

// ---- classes of channels --------------------------------------------------------------------------

void classes_of(const jn_system *s, classes *c)
{
  *c = (classes){.of = calloc((size_t)s->nchannel + 1, sizeof *c->of)};
  bool reaction[64] = {false};
  for (int i = 0; c->of && i < s->nchannel; i++) {
    const jn_channel *h = &s->channel[i];
    c->of[i] = -1;
    // Residuals are rounding, events are counted differently, and roll and yaw have no meaning at a pitch of 90 degrees.
    if (!strncmp(h->name, "solver.", 7) && strcmp(h->name, "solver.energy") &&
        strcmp(h->name, "solver.work"))
      continue;
    const char *dot = strrchr(h->name, '.');
    if (dot && (!strcmp(dot, ".roll") || !strcmp(dot, ".pitch") || !strcmp(dot, ".yaw"))) continue;
    if (dot && !strcmp(dot, ".utilisation")) continue;  // jumps where a wheel lifts
    const bool holds = !strncmp(h->name, "joint.", 6) && h->unit[0] == 'N';
    int k = 0;
    while (k < c->n && (strcmp(c->unit[k], h->unit) || reaction[k] != holds)) k++;
    if (k == 64) continue;
    if (k == c->n) c->unit[c->n] = h->unit, reaction[c->n++] = holds;
    c->of[i] = k;
  }
}

void classes_free(classes *c)
{
  free(c->of);
  *c = (classes){0};
}

// ---- the whole ------------------------------------------------------------------------------------

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

checks checks_in(unsigned stages)
{
#define X(name, in, way, word, help) | ((in)&stages ? 1ull << CHECK_##name : 0)
  return 0 CHECKS(X);
#undef X
}

static unsigned ways_of(checks wanted)
{
#define X(name, in, way, word, help) | (unsigned)(wanted >> CHECK_##name & 1) << (way)
  return 1u << GENERAL | 1u << AUTO CHECKS(X);  // whether it runs in lanes is counted
#undef X
}

static void compare(const char *model, const char *scenario, const char *name, const vehicle *v,
                    uint64_t seed, checks wanted, outcome *o)
{
  const double start = now();
  subject k;
  course c = {0};
  if (subject_open(model, scenario, name, ways_of(wanted), &k, o)) {
    o->lanes = k.system[AUTO] != NULL;
    if (!o->lanes) memcpy(o->reason, k.reason, sizeof o->reason);
    coverage_of(k.system[GENERAL], k.scenario, &o->cover);
    if (o->lanes) coverage_ungrouped(k.system[AUTO], &o->cover);
    compare_states(&k, seed, wanted, o);
    compare_runs(&k, wanted, &c, o);
    if (v) compare_alike(&k, v, seed, &c, wanted, o);
  }
  course_free(&c);
  subject_close(&k);
  o->seconds = now() - start;
}

void compare_text(const char *model, const char *scenario, const char *name, uint64_t seed,
                  checks wanted, outcome *o)
{
  memset(o, 0, sizeof *o);
  o->seed = seed;
  compare(model, scenario, name, NULL, seed, wanted, o);
}

void compare_vehicle(const vehicle *v, uint64_t seed, checks wanted, outcome *o)
{
  memset(o, 0, sizeof *o);
  o->seed = seed;
  char *model = vehicle_model(v), *scenario = vehicle_scenario(v);
  if (model && scenario) compare(model, scenario, VEHICLE_FILE, v, seed, wanted, o);
  free(model);
  free(scenario);
}
