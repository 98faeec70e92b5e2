// rows.c: what rows of channels cost beyond the steps that they are taken from. A row is made of the evaluation with which
// the next step begins, so that only what is left counts as the row's.
//
// Steps with rows and without take turns, and the least of each counts.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "run/channels.h"
#include "spec/scenario_internal.h"
#include "subject.h"

static const char MODEL[] = "models/peer-vehicle.yaml", SCENARIO[] = "scenarios/peer-vehicle.yaml";

// What an engineer records of a manoeuvre: 50 channels.
static const char *const usual[] = {"time",
                                    "driver.rack",
                                    "chassis.x",
                                    "chassis.y",
                                    "chassis.z",
                                    "chassis.vx",
                                    "chassis.vy",
                                    "chassis.vz",
                                    "chassis.roll",
                                    "chassis.wx",
                                    "chassis.wy",
                                    "chassis.wz",
                                    "chassis.pitch",
                                    "chassis.ax",
                                    "chassis.ay",
                                    "chassis.az",
                                    "chassis.yaw",
                                    "wheel.*.fx",
                                    "wheel.*.fy",
                                    "wheel.*.fz",
                                    "tyre.*.slip",
                                    "tyre.*.slip_angle",
                                    "force.spring_*.length",
                                    "force.spring_*.force",
                                    "joint.lca_pivot_*.angle",
                                    "joint.rack_guide.position"};

static bool is_usual(const char *name)
{
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
    if (jn_pattern_fits(usual[i], name)) return true;
  return false;
}

typedef struct selection {
  const char *name, *word;  // word: "usual", "all", "none"
  double seconds, instructions;
  jn_rows *rows;
  int n;
  double *row;
} selection;

// "usual": the 50 channels; "all": every one but reactions of joints, which the general path alone has.
static jn_status choose(const jn_system *s, selection *k, jn_error *err)
{
  if (!strcmp(k->word, "none")) return JN_OK;
  const int n = jn_channel_count(s);
  int *channel = calloc((size_t)n + 1, sizeof *channel);
  k->row = calloc((size_t)n + 1, sizeof *k->row);
  const bool all = !strcmp(k->word, "all");
  k->n = 0;
  for (int i = 0; channel && i < n; i++)
    if (all ? !jn_channel_is_reaction(s, i) : is_usual(jn_channel_at(s, i).name))
      channel[k->n++] = i;
  const jn_status st =
      channel && k->row ? jn_rows_create(s, channel, k->n, &k->rows, err) : JN_E_MEMORY;
  free(channel);
  return st;
}

static void release(selection *k)
{
  jn_rows_free(k->rows);
  free(k->row);
}

static bool drive(bench_subject *s, const selection *k, int n)
{
  jn_step_flags flags = JN_STEP_OK;
  for (int i = 0; i < n && !flags; i++) {
    if (k->rows) flags = jn_rows_fill(k->rows, s->data, k->row);
    if (!flags) flags = jn_step(s->system, s->data);
  }
  return !flags;
}

bool bench_rows_steps(bench_subject *s, const char *word, int n)
{
  selection k = {.word = word};
  jn_error err = {0};
  const bool good = choose(s->system, &k, &err) ? (bench_say(&err), false) : drive(s, &k, n);
  release(&k);
  return good;
}

static bool take_time(const bench *b, bench_subject *s, selection *k)
{
  const int n = b->quick ? 50 : 1000;
  if (bench_subject_restart(s)) return false;
  bool good = drive(s, k, 10);
  const double t = bench_now();
  good = good && drive(s, k, n);
  k->seconds = fmin(k->seconds, (bench_now() - t) / n);
  return good;
}

int bench_rows(bench *b)
{
  selection list[] = {{.name = "steps alone", .word = "none"},
                      {.name = "usual channels every step", .word = "usual"},
                      {.name = "all channels but reactions every step", .word = "all"}};
  enum { N = sizeof list / sizeof *list };
  const bench_way *way = bench_way_at(b, 0);
  bench_subject s;
  jn_error err = {0};
  if (bench_subject_load(&s, MODEL, SCENARIO, way)) return 1;
  bool good = true;
  for (int i = 0; i < N && good; i++) {
    list[i].seconds = INFINITY;
    if (choose(s.system, &list[i], &err)) good = !bench_say(&err);
    list[i].instructions = b->quick ? NAN : bench_work_rows(b, MODEL, SCENARIO, way, list[i].word);
  }
  for (int r = 0; r < (b->quick ? 1 : 100) && good; r++)
    for (int i = 0; i < N && good; i++) good = take_time(b, &s, &list[i]);
  for (int i = 0; i < N && good; i++) {
    const selection *k = &list[i];
    bench_row(b, k->name,
              (bench_column[]){{"channels", k->n, 0},
                               {"us", 1e6 * k->seconds, 2},
                               {"more us", 1e6 * (k->seconds - list->seconds), 2},
                               {"instructions", k->instructions, 0},
                               {"more", k->instructions - list->instructions, 0},
                               {0}});
  }
  for (int i = 0; i < N; i++) release(&list[i]);
  bench_subject_close(&s);
  if (isnan(list[0].instructions))
    bench_note(b, b->quick ? "instructions are not counted in a quick look"
                           : "instructions are not counted: valgrind is not installed");
  bench_note(b, "a step of the peer vehicle's scenario, and a row in each");
  return !good;
}
