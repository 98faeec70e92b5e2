// main.c: the peer vehicle's manoeuvre in jounce and, where it was there when this was built, in MuJoCo: the
// same steps, the same clock, in turns, on one core.
//
//   bench-peers [--repeats N] [--end T] [--core N] [--json FILE] [--markdown]
//
// Each variant is run once to look at its motion, which is compared with a reference, and then N times
// to be timed, all variants once and then all again, so that a busy spell of the machine meets them all.
// A step in which the kernel took the core away says nothing about the engine: it is left out, and
// counted.
#include <errno.h>
#include <jansson.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "peer.h"

enum { MOST_RESULTS = 32, NREFERENCE = 5 };

static const peer *const peers[] = {
    &peer_jounce,
#ifdef JN_HAVE_MUJOCO
    &peer_mujoco,
#endif
};

typedef struct options {
  int repeats, core;
  double end;
  const char *json;
  bool markdown;
} options;

// Chassis at an instant.
typedef struct instant {
  double t, p[3], yaw, roll, lateral;
} instant;

typedef struct result {
  const peer *peer;
  const peer_variant *variant;
  double least, median, p99;  // [us]: of all steps; of the repeats with the least of each
  double slowest;             // median of the slowest repeat
  double left_out;            // largest share of steps left out
  double drift;               // largest position error of a joint or tie rod [m]
  int compared;               // instants of the reference that the run has reached
  double position;            // largest differences from the reference there [m]
  double yaw, roll, lateral;  // likewise, as shares
} result;

static long steps_of(double seconds)
{
  return lround(seconds / STEP);
}

// ---- the motion -----------------------------------------------------------------------------------------

// Returns the number of instants.
static int read_reference(const char *file, instant *at)
{
  FILE *in = fopen(file, "r");
  char line[512];
  int n = 0;
  while (in && n < NREFERENCE && fgets(line, sizeof line, in)) {
    instant *k = &at[n];
    n += sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf,%lf", &k->t, &k->p[0], &k->p[1], &k->p[2], &k->yaw,
                &k->roll, &k->lateral) == 7;
  }
  if (in) fclose(in);
  return n;
}

// Lateral acceleration: of the centre of mass along the chassis' horizontal left axis, from velocities 10 ms
// apart.
static instant look(const body_state *chassis, const double *v_before, double apart)
{
  const double *r = chassis->r, yaw = atan2(r[3], r[0]);
  instant k = {.yaw = yaw, .roll = atan2(r[7], r[8])};
  memcpy(k.p, chassis->p, sizeof k.p);
  k.lateral =
      (-sin(yaw) * (chassis->v[0] - v_before[0]) + cos(yaw) * (chassis->v[1] - v_before[1])) /
      apart;
  return k;
}

static double share(double value, double reference)
{
  return fabs(value - reference) / fabs(reference);
}

static void compare(result *r, const instant *is, const instant *ought)
{
  r->position = fmax(r->position, distance(is->p, ought->p));
  r->yaw = fmax(r->yaw, share(is->yaw, ought->yaw));
  r->roll = fmax(r->roll, share(is->roll, ought->roll));
  r->lateral = fmax(r->lateral, share(is->lateral, ought->lateral));
  r->compared++;
}

static bool watch(result *r, const options *o, const instant *reference, int nreference)
{
  const long n = steps_of(o->end), lag = steps_of(0.01);
  body_state s[NBODY];
  double before[3] = {0.0, 0.0, 0.0};
  void *run = r->peer->open(r->variant);
  bool good = run != NULL;
  for (long i = 1; i <= n && good; i++) {
    good = r->peer->step(run);
    r->peer->states(run, s);
    r->drift = fmax(r->drift, violation(s));
    for (int k = 0; k < nreference; k++) {
      const long at = steps_of(reference[k].t);
      if (i == at - lag) memcpy(before, s[CHASSIS].v, sizeof before);
      if (i != at) continue;
      const instant is = look(&s[CHASSIS], before, (double)lag * STEP);
      compare(r, &is, &reference[k]);
    }
  }
  if (run) r->peer->close(run);
  return good;
}

// ---- the time -------------------------------------------------------------------------------------------

static double now(void)  // [us]
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static long times_preempted(void)
{
  struct rusage u;
  getrusage(RUSAGE_THREAD, &u);
  return u.ru_nivcsw;
}

static int rising(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// us: room for all steps, its pages touched before.
static bool take_time(result *r, const options *o, double *us)
{
  const long n = steps_of(o->end);
  long kept = 0;
  void *run = r->peer->open(r->variant);
  bool good = run != NULL;
  for (long i = 0; i < n && good; i++) {
    const long preempted = times_preempted();
    const double t0 = now();
    good = r->peer->step(run);
    us[kept] = now() - t0;
    kept += times_preempted() == preempted;
  }
  if (run) r->peer->close(run);
  if (!good || !kept) return false;
  qsort(us, (size_t)kept, sizeof *us, rising);
  const double median = us[kept / 2];
  r->least = fmin(r->least, us[0]);
  r->median = fmin(r->median, median);
  r->slowest = fmax(r->slowest, median);
  r->p99 = fmin(r->p99, us[(long)(0.99 * (double)kept)]);
  r->left_out = fmax(r->left_out, (double)(n - kept) / (double)n);
  return true;
}

// ---- results --------------------------------------------------------------------------------------------

// The fastest that stands for a peer, NULL: the peer is not here.
static const result *best_of(const result *r, int n, const char *name)
{
  const result *best = NULL;
  for (int i = 0; i < n; i++)
    if (!strcmp(r[i].peer->name, name) && r[i].variant->contends &&
        (!best || r[i].median < best->median))
      best = &r[i];
  return best;
}

static json_t *number_or_null(const result *r, double value)
{
  return r ? json_real(value) : json_null();
}

static json_t *as_json(const result *r)
{
  json_t *j =
      json_pack("{s:s, s:s, s:s, s:s, s:b, s:f, s:f, s:f, s:f, s:f, s:f}", "peer", r->peer->name,
                "variant", r->variant->name, "formulation", r->variant->formulation, "integrator",
                r->variant->integrator, "contends", (int)r->variant->contends, "min_us", r->least,
                "median_us", r->median, "p99_us", r->p99, "slowest_median_us", r->slowest,
                "left_out", r->left_out, "drift_m", r->drift);
  json_t *agreement = r->compared ? json_pack("{s:i, s:f, s:f, s:f, s:f}", "instants", r->compared,
                                              "position_m", r->position, "yaw", r->yaw, "roll",
                                              r->roll, "lateral_acceleration", r->lateral)
                                  : json_null();
  if (j) json_object_set_new(j, "agreement", agreement);
  return j;
}

static bool write_json(const options *o, const result *r, int n)
{
  const result *own = best_of(r, n, "jounce"), *other = best_of(r, n, "MuJoCo");
  json_t *all = json_object(), *list = json_array();
  for (int i = 0; i < n; i++) json_array_append_new(list, as_json(&r[i]));
  json_object_set_new(all, "mujoco_us", number_or_null(other, other ? other->median : 0.0));
  json_object_set_new(all, "mujoco_variant",
                      other ? json_string(other->variant->name) : json_null());
  json_object_set_new(all, "jounce_us", number_or_null(own, own ? own->median : 0.0));
  json_object_set_new(all, "jounce_variant", own ? json_string(own->variant->name) : json_null());
  json_object_set_new(
      all, "ratio",
      number_or_null(own ? other : own, own && other ? other->median / own->median : 0.0));
  json_object_set_new(all, "drift_m", number_or_null(own, own ? own->drift : 0.0));
  json_object_set_new(all, "repeats", json_integer(o->repeats));
  json_object_set_new(all, "end_s", json_real(o->end));
  json_object_set_new(all, "step_s", json_real(STEP));
  json_object_set_new(all, "variants", list);
  const bool good = json_dump_file(all, o->json, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) == 0;
  json_decref(all);
  if (!good) fprintf(stderr, "bench-peers: %s cannot be written\n", o->json);
  return good;
}

static void print_times(const options *o, const result *r, int n)
{
  static const char *const shape[2] = {"%-20s %-30s %-20s %8s %8s %8s %8s %9s %10s\n",
                                       "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n"};
  const char *row = shape[o->markdown];
  printf(row, "variant", "formulation", "integrator", "min us", "median", "p99", "spread",
         "left out", "drift m");
  if (o->markdown) printf("|---|---|---|---:|---:|---:|---:|---:|---:|\n");
  for (int i = 0; i < n; i++, r++) {
    char name[64], least[16], median[16], p99[16], spread[16], left_out[16], drift[16];
    snprintf(name, sizeof name, "%s/%s", r->peer->name, r->variant->name);
    snprintf(least, sizeof least, "%.2f", r->least);
    snprintf(median, sizeof median, "%.2f", r->median);
    snprintf(p99, sizeof p99, "%.2f", r->p99);
    snprintf(spread, sizeof spread, "%.0f %%", 100.0 * (r->slowest / r->median - 1.0));
    snprintf(left_out, sizeof left_out, "%.1f %%", 100.0 * r->left_out);
    snprintf(drift, sizeof drift, "%.1e", r->drift);
    printf(row, name, r->variant->formulation, r->variant->integrator, least, median, p99, spread,
           left_out, drift);
  }
}

static void print_agreement(const options *o, const result *r, int n)
{
  static const char *const shape[2] = {"%-20s %12s %10s %10s %10s\n",
                                       "| %s | %s | %s | %s | %s |\n"};
  const char *row = shape[o->markdown];
  printf("\n");
  printf(row, "variant", "position m", "yaw", "roll", "lat. acc.");
  if (o->markdown) printf("|---|---:|---:|---:|---:|\n");
  for (int i = 0; i < n; i++, r++) {
    char name[64], position[16], yaw[16], roll[16], lateral[16];
    snprintf(name, sizeof name, "%s/%s", r->peer->name, r->variant->name);
    snprintf(position, sizeof position, "%.5f", r->position);
    snprintf(yaw, sizeof yaw, "%.4f %%", 100.0 * r->yaw);
    snprintf(roll, sizeof roll, "%.4f %%", 100.0 * r->roll);
    snprintf(lateral, sizeof lateral, "%.4f %%", 100.0 * r->lateral);
    if (r->compared) printf(row, name, position, yaw, roll, lateral);
  }
}

static void print_ratio(const result *r, int n)
{
  const result *own = best_of(r, n, "jounce"), *other = best_of(r, n, "MuJoCo");
  if (own && other)
    printf("\njounce/%s %.2f us, MuJoCo/%s %.2f us: %.1f times\n", own->variant->name, own->median,
           other->variant->name, other->median, other->median / own->median);
  else
    printf("\nMuJoCo was not there when this was built: `make bench-peers` installs it\n");
}

// ---- the whole ------------------------------------------------------------------------------------------

static bool pin(int core)
{
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((unsigned)core, &set);
  if (!sched_setaffinity(0, sizeof set, &set)) return true;
  fprintf(stderr, "bench-peers: core %d cannot be had\n", core);
  return false;
}

static bool measure(const options *o, result *r, int n)
{
  instant reference[NREFERENCE];
  const int nreference = read_reference("bench/peers/reference.csv", reference);
  const size_t room = (size_t)steps_of(o->end);
  double *us = malloc(room * sizeof *us);
  bool good = us && nreference == NREFERENCE && pin(o->core);
  if (nreference != NREFERENCE)
    fprintf(
        stderr,
        "bench-peers: bench/peers/reference.csv is not there: run it from the project's folder\n");
  for (size_t i = 0; us && i < room; i++) us[i] = 0.0;
  for (int pass = 0; pass <= o->repeats && good; pass++)
    for (int i = 0; i < n && good; i++) {
      good = pass ? take_time(&r[i], o, us) : watch(&r[i], o, reference, nreference);
      if (!good)
        fprintf(stderr, "bench-peers: %s/%s has failed\n", r[i].peer->name, r[i].variant->name);
    }
  free(us);
  return good;
}

static bool number(const char *text, double least, double most, double *value)
{
  char *end;
  errno = 0;
  *value = strtod(text, &end);
  return end != text && !*end && !errno && *value >= least && *value <= most;
}

static bool read_options(int argc, char **argv, options *o)
{
  *o = (options){.repeats = 5, .end = END};
  for (int i = 1; i < argc; i++) {
    const char *key = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
    double x = 0.0;
    bool good = true;
    if (!strcmp(key, "--markdown")) {
      o->markdown = true;
      continue;
    }
    i++;
    if (!strcmp(key, "--json"))
      good = *value, o->json = value;
    else if (!strcmp(key, "--repeats"))
      good = number(value, 1, 1000, &x), o->repeats = (int)x;
    else if (!strcmp(key, "--core"))
      good = number(value, 0, CPU_SETSIZE - 1, &x), o->core = (int)x;
    else if (!strcmp(key, "--end"))
      good = number(value, STEP, END, &o->end);
    else
      good = false;
    if (good) continue;
    fprintf(stderr,
            "bench-peers: \"%s %s\" is not understood\n"
            "bench-peers [--repeats N] [--end T] [--core N] [--json FILE] [--markdown]\n",
            key, value);
    return false;
  }
  return true;
}

int main(int argc, char **argv)
{
  options o;
  result r[MOST_RESULTS];
  int n = 0;
  if (!read_options(argc, argv, &o)) return 2;
  for (size_t i = 0; i < sizeof peers / sizeof *peers; i++)
    for (const peer_variant *v = peers[i]->variant; v->name && n < MOST_RESULTS; v++)
      r[n++] =
          (result){.peer = peers[i], .variant = v, .least = 1e300, .median = 1e300, .p99 = 1e300};
  if (!measure(&o, r, n)) return 1;
  print_times(&o, r, n);
  print_agreement(&o, r, n);
  print_ratio(r, n);
  return o.json && !write_json(&o, r, n) ? 1 : 0;
}
