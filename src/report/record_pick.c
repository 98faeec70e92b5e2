// record_pick.c: which channels are recorded.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/system.h"
#include "report/record.h"
#include "spec/names.h"
#include "spec/scenario_internal.h"

// What nobody gets who has not asked for it: it is much, and few look at it.
static const char *const left_out[] = {"*.qw",          "*.qx",       "*.qy",       "*.qz",
                                       "*.ax",          "*.ay",       "*.az",       "*.dwx",
                                       "*.dwy",         "*.dwz",      "joint.*.fx", "joint.*.fy",
                                       "joint.*.fz",    "joint.*.mx", "joint.*.my", "joint.*.mz",
                                       "joint.*.accel", "*.rate_x",   "*.rate_y",   "*.rate_z"};

static bool is_usual(jn_channel c)
{
  for (size_t i = 0; i < sizeof left_out / sizeof *left_out && !c.input; i++)
    if (jn_pattern_fits(left_out[i], c.name)) return false;
  return true;
}

jn_status jn_record_find(const jn_system *s, const char *name, jn_pos pos, const char *path,
                         int *channel, jn_error *err)
{
  *channel = jn_channel_find(s, name);
  if (*channel >= 0) return JN_OK;
  jn_nearest nearest = jn_nearest_to(name);
  for (int i = 0; i < jn_channel_count(s); i++) jn_nearest_try(&nearest, jn_channel_at(s, i).name);
  return jn_fail(
      err, JN_E_CALL, pos, path, "there is no channel \"%s\"%s",
      jn_quoted(name, strlen(name), 96).text,
      nearest.best ? jn_meant(&nearest).text : " (jounce check MODEL --channels lists them)");
}

static jn_status pick_pattern(const jn_system *s, const char *pattern, jn_pos pos, const char *path,
                              bool *picked, jn_error *err)
{
  char near[96], hint[160] = "";
  bool fits = false;
  int channel;
  if (!strchr(pattern, '*')) {
    jn_status st = jn_record_find(s, pattern, pos, path, &channel, err);
    if (!st) picked[channel] = true;
    return st;
  }
  for (int i = 0; i < jn_channel_count(s); i++)
    if (jn_pattern_fits(pattern, jn_channel_at(s, i).name)) picked[i] = fits = true;
  if (fits) return JN_OK;
  jn_nearest nearest = jn_nearest_to_pattern(pattern);
  for (int i = 0; i < jn_channel_count(s); i++) jn_nearest_try(&nearest, jn_channel_at(s, i).name);
  if (nearest.best)
    snprintf(hint, sizeof hint, ", the nearest is \"%s\"",
             jn_quote(nearest.best, strlen(nearest.best), near, sizeof near));
  return jn_fail(err, JN_E_CALL, pos, path,
                 "no channel fits \"%s\"%s (jounce check MODEL --channels lists them)",
                 jn_quoted(pattern, strlen(pattern), 96).text, hint);
}

static jn_status pick(const jn_system *s, const jn_run_opts *opts, bool *picked, jn_error *err)
{
  const jn_scenario *scenario = s->binding.scenario;
  jn_status st = JN_OK;
  if (opts->nrecord > 0) {
    for (int i = 0; i < opts->nrecord && !st; i++)
      st = pick_pattern(s, opts->record[i], JN_NOWHERE, NULL, picked, err);
  } else if (scenario && scenario->record.channels.n > 0) {
    const jn_texts *t = &scenario->record.channels;
    for (int i = 0; i < t->n && !st; i++)
      st = pick_pattern(s, t->text[i], t->pos[i], "record.channels", picked, err);
  } else {
    for (int i = 0; i < jn_channel_count(s); i++) picked[i] = is_usual(jn_channel_at(s, i));
  }
  return st;
}

jn_status jn_record_pick(const jn_system *s, const jn_run_opts *opts, int **channel, int *n,
                         jn_error *err)
{
  const int count = jn_channel_count(s), time = jn_channel_find(s, "time");
  bool *picked = calloc((size_t)count + 1, sizeof *picked);
  *channel = malloc(((size_t)count + 1) * sizeof **channel);
  *n = 0;
  jn_status st = JN_OK;
  if (!picked || !*channel) st = jn_no_memory(err, JN_NOWHERE);
  if (!st) st = pick(s, opts, picked, err);
  if (!st) (*channel)[(*n)++] = time;
  for (int i = 0; i < count && !st; i++)
    if (picked[i] && i != time) (*channel)[(*n)++] = i;
  free(picked);
  return st;
}
