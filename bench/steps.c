// steps.c: what a step costs: of the models in every formulation, of chains of growing length.
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "jounce/jounce.h"
#include "subject.h"

// Seconds of a step, the fastest of some repeats of about ten milliseconds each. Negative: a flag.
static double time_steps(const bench *b, bench_subject *s, int audit)
{
  enum { START = 5 };
  const int repeats = b->quick ? 1 : 12;
  jn_step_flags flags = JN_STEP_OK;
  double best = 1e9;
  jn_data_audit(s->data, audit ? JN_AUDIT_ALL : JN_AUDIT_NONE);
  for (int i = 0; i < START; i++) flags |= jn_step(s->system, s->data);
  double t = bench_now();
  flags |= jn_step(s->system, s->data);
  t = bench_now() - t;
  const int n = t > 5e-3 ? 2 : (int)(1e-2 / (t + 1e-7)) + 1;
  for (int repeat = 0; repeat < repeats && !flags; repeat++) {
    t = bench_now();
    for (int i = 0; i < n && !flags; i++) flags |= jn_step(s->system, s->data);
    t = (bench_now() - t) / n;
    if (t < best) best = t;
  }
  return flags ? -1.0 : best;
}

// ---- models -------------------------------------------------------------------------------------

// Short steps: some models are too stiff for 1 ms, and a step costs the same.
static const double STEP = 1e-6;

int bench_models(bench *b)
{
  glob_t files;
  int wrong = glob("models/*.yaml", 0, NULL, &files) != 0;
  for (size_t i = 0; !wrong && i < files.gl_pathc; i++) {
    bench_column c[JN_NFORMULATION + 4] = {0};
    int n = 1;
    for (int f = 0; f < JN_NFORMULATION && !wrong; f++) {
      const jn_sim_opts o = {
          .formulation = (jn_formulation)f, .path = (jn_path)b->path, .step = STEP};
      bench_subject s;
      jn_spec *spec = NULL;
      jn_error err = {0};
      if (jn_spec_load(files.gl_pathv[i], NULL, 0, &spec, &err)) bench_say(&err);
      wrong = bench_subject_open(&s, spec, &o);
      if (wrong) break;
      c[0] = (bench_column){"bodies", jn_model_count(s.model).bodies, 0};
      c[n++] = (bench_column){jn_sim_word_of("formulation", f), 1e6 * time_steps(b, &s, 1), 2};
      if (f == JN_FORMULATION_SUBSYSTEM)
        c[n++] = (bench_column){"no audit", 1e6 * time_steps(b, &s, 0), 2};
      bench_subject_close(&s);
    }
    if (!wrong) bench_row(b, files.gl_pathv[i], c);
  }
  globfree(&files);
  bench_note(b, "us for a step of ab3 with projection; \"no audit\": without reactions and energy");
  return wrong;
}

// ---- scaling ------------------------------------------------------------------------------------

int bench_scaling(bench *b)
{
  const jn_sim_opts o = {.path = (jn_path)b->path, .step = STEP};
  double least[2] = {1e9, 1e9}, most[2] = {0.0, 0.0};
  int wrong = 0;
  for (int n = 10; n <= 10000 && !wrong; n *= 10) {
    size_t length = 0;
    char *text = bench_chain(n, 0, &length), name[64];
    jn_error err = {0};
    jn_spec *spec = NULL;
    bench_subject s;
    wrong = !text || jn_spec_parse(text, length, "chain.yaml", NULL, 0, &spec, &err) ||
            bench_subject_open(&s, spec, &o);
    free(text);
    if (wrong) break;
    double t[2];
    for (int audit = 0; audit < 2; audit++) {
      t[audit] = 1e6 * time_steps(b, &s, audit);
      if (t[audit] / n < least[audit]) least[audit] = t[audit] / n;
      if (t[audit] / n > most[audit]) most[audit] = t[audit] / n;
    }
    snprintf(name, sizeof name, "chain of %d, subsystem", n);
    bench_row(b, name,
              (bench_column[]){{"us", t[1], 2},
                               {"us/body", t[1] / n, 4},
                               {"no audit", t[0], 2},
                               {"no audit/body", t[0] / n, 4},
                               {0}});
    bench_subject_close(&s);
  }
  if (!wrong)
    bench_row(b, "largest over smallest cost of a body",
              (bench_column[]){{"us", NAN, 0},
                               {"us/body", most[1] / least[1], 2},
                               {"no audit", NAN, 0},
                               {"no audit/body", most[0] / least[0], 2},
                               {0}});
  return wrong;
}

// ---- for counting -------------------------------------------------------------------------------

const bench_way *bench_way_at(const bench *b, int i)
{
#define X(name, word, help) {word, JN_FORMULATION_SUBSYSTEM, JN_PATH_##name},
  static const bench_way paths[] = {JN_PATH_LIST(X)};
#undef X
  static const bench_way ways[] = {{"subsystem", JN_FORMULATION_SUBSYSTEM, JN_PATH_AUTO},
                                   {"general", JN_FORMULATION_SUBSYSTEM, JN_PATH_GENERAL},
                                   {"recursive", JN_FORMULATION_RECURSIVE, JN_PATH_AUTO},
                                   {"independent", JN_FORMULATION_INDEPENDENT, JN_PATH_AUTO}};
  if (b->path) return i == 0 ? &paths[b->path] : NULL;
  return i < (int)(sizeof ways / sizeof *ways) ? &ways[i] : NULL;
}

int bench_steps(const char *model, const char *scenario, const char *way, const char *steps,
                const char *rows)
{
  bench_subject s;
  int i = 0;
  const bench b = {.path = jn_sim_word("path", way) > 0 ? jn_sim_word("path", way) : 0};
  while (bench_way_at(&b, i) && strcmp(bench_way_at(&b, i)->name, way) != 0) i++;
  if (!bench_way_at(&b, i) || bench_subject_load(&s, model, scenario, bench_way_at(&b, i)))
    return 1;
  int flags = 0;
  if (rows)
    flags = !bench_rows_steps(&s, rows, atoi(steps));
  else
    for (int n = atoi(steps); n > 0 && !flags; n--) flags = (int)jn_step(s.system, s.data);
  bench_subject_close(&s);
  return flags;
}
