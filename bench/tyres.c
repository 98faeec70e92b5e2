// tyres.c: what the tyres of a car cost, as laws alone.
#include "tyres.h"

#include <math.h>

#include "bench.h"
#include "subject.h"
#include "tir/tir.h"

static double time_of(const bench *b, bench_tyre *tyre, int form, const double *p)
{
  const int rounds = b->quick ? 100 : 500, repeats = b->quick ? 1 : 1000;
  double best = INFINITY;
  for (int i = 0; i < repeats; i++) {
    double slip[BENCH_SLIP][4] = {
        {0.03, -0.05, 0.01, 0.2}, {0.04, 0.05, -0.1, 0.02}, {4000, 3500, 6000, 2000}};
    const double start = bench_now();
    tyre(form, p, rounds, slip);
    best = fmin(best, (bench_now() - start) / rounds);
  }
  return 1e9 * best;
}

static int measure(bench *b, const char *name, const char *file, int form)
{
  jn_pool pool = {0};
  jn_tir tir;
  jn_error err = {0};
  double p[MF_FIELDS];
  int is;
  mf_options o = mf_default_options();
  o.use_mode = 4;
  jn_status status = jn_tir_load(file, (jn_pos){NULL, 0, 0}, NULL, &pool, &tir, &err);
  if (!status) status = mf_cook(&tir, &o, p, &is, &err);
  jn_pool_free(&pool);
  if (status) return bench_say(&err);
  if (is != form) {
    fprintf(stderr, "%s: its formulas are not those that were compiled\n", file);
    return 1;
  }
  double wide = NAN, narrow = NAN;
#if defined __x86_64__
  const bool fused = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  const bool fused = true;
#endif
  if (fused) wide = time_of(b, bench_tyres_4, form, p);
  if (fused) narrow = time_of(b, bench_tyres_1, form, p);
  bench_row(b, name,
            (bench_column[]){{"ns, four in lanes", wide, 0},
                             {"ns, one by one", narrow, 0},
                             {"ns, any CPU", time_of(b, bench_tyres_plain, form, p), 0},
                             {0}});
  return 0;
}

int bench_tyre_laws(bench *b)
{
  int wrong = 0;
#define X(name, file, form) \
  if (!wrong) wrong = measure(b, name, file, form);
  BENCH_TYRES(X)
#undef X
  bench_note(b, "Forces, moments and limits of four tyres at combined slip.");
  return wrong;
}
