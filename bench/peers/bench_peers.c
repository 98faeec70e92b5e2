// bench_peers.c: the peer vehicle's manoeuvre in jounce and, where it was there when this was built, in MuJoCo: the
// same steps, the same clock, in turns, on one core.
//
//   bench-peers [--only PEER] [--repeats N] [--end T] [--core N] [--json FILE] [--markdown]
//
// Each variant is run once to look at its motion, which is compared with a reference, and then N times
// to be timed, all variants once and then all again, so that a busy spell of the machine meets them all;
// those that stand for their peer some more times if the machine was busy in all of their repeats.
#define _GNU_SOURCE  // cores
#include <errno.h>
#include <jansson.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/times.h"
#include "peer.h"

enum { MOST_RESULTS = 32, NREFERENCE = 5, MOST_MORE = 20 };

static const peer *const peers[] = {
    &peer_jounce,
#ifdef JN_HAVE_MUJOCO
    &peer_mujoco,
#endif
};

static bool is_peer(const char *name)
{
  for (size_t i = 0; i < sizeof peers / sizeof *peers; i++)
    if (!strcmp(peers[i]->name, name)) return true;
  return false;
}

typedef struct options {
  int repeats, core;
  double end;
  const char *only, *json;
  bool markdown;
} options;

// Chassis at an instant.
typedef struct instant {
  double t, p[3], yaw, roll, lateral;
} instant;

typedef struct result {
  const peer *peer;
  const peer_variant *variant;
  bench_times times;
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

static bool take_time(result *r, const options *o, double *room)
{
  void *run = r->peer->open(r->variant);
  const bool good = run && bench_times_take(&r->times, r->peer->step, run, steps_of(o->end), room);
  if (run) r->peer->close(run);
  return good;
}

// ---- results --------------------------------------------------------------------------------------------

// The fastest that stands for a peer, NULL: the peer is not here.
static const result *best_of(const result *r, int n, const char *name)
{
  const result *best = NULL;
  for (int i = 0; i < n; i++)
    if (!strcmp(r[i].peer->name, name) && r[i].variant->contends &&
        (!best || r[i].times.median < best->times.median))
      best = &r[i];
  return best;
}

static json_t *number_or_null(const result *r, double value)
{
  return r ? json_real(value) : json_null();
}

static json_t *as_json(const result *r)
{
  json_t *j = json_pack("{s:s, s:s, s:s, s:s, s:b, s:f, s:f, s:f, s:f, s:f, s:f}", "peer",
                        r->peer->name, "variant", r->variant->name, "formulation",
                        r->variant->formulation, "integrator", r->variant->integrator, "contends",
                        (int)r->variant->contends, "min_us", 1e6 * r->times.least, "median_us",
                        1e6 * r->times.median, "p99_us", 1e6 * r->times.p99, "slowest_median_us",
                        1e6 * r->times.slowest, "left_out", r->times.left_out, "drift_m", r->drift);
  if (j) json_object_set_new(j, "quiet", json_boolean(r->times.quiet));
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
  json_object_set_new(all, "mujoco_us",
                      number_or_null(other, other ? 1e6 * other->times.median : 0.0));
  json_object_set_new(all, "mujoco_variant",
                      other ? json_string(other->variant->name) : json_null());
  json_object_set_new(all, "jounce_us", number_or_null(own, own ? 1e6 * own->times.median : 0.0));
  json_object_set_new(all, "jounce_variant", own ? json_string(own->variant->name) : json_null());
  json_object_set_new(all, "ratio",
                      number_or_null(own ? other : own,
                                     own && other ? other->times.median / own->times.median : 0.0));
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
    snprintf(least, sizeof least, "%.2f", 1e6 * r->times.least);
    snprintf(median, sizeof median, "%.2f", 1e6 * r->times.median);
    snprintf(p99, sizeof p99, "%.2f", 1e6 * r->times.p99);
    snprintf(spread, sizeof spread, "%.0f %%", 100.0 * (r->times.slowest / r->times.median - 1.0));
    snprintf(left_out, sizeof left_out, "%.1f %%", 100.0 * r->times.left_out);
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
  if (own && other && !(own->times.quiet && other->times.quiet))
    printf(
        "\nThe machine was busy all the time: figures are too large, and do not compare well.\n");
  if (own && other)
    printf("\njounce/%s %.2f us, MuJoCo/%s %.2f us: %.1f times\n", own->variant->name,
           1e6 * own->times.median, other->variant->name, 1e6 * other->times.median,
           other->times.median / own->times.median);
  else if (!is_peer("MuJoCo"))
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

static bool has_failed(const result *r)
{
  fprintf(stderr, "bench-peers: %s/%s has failed\n", r->peer->name, r->variant->name);
  return false;
}

static bool measure(const options *o, result *r, int n)
{
  instant reference[NREFERENCE];
  const int nreference = read_reference("bench/peers/reference.csv", reference);
  double *room = bench_times_room(steps_of(o->end));
  bool good = room && nreference == NREFERENCE && pin(o->core);
  if (nreference != NREFERENCE)
    fprintf(
        stderr,
        "bench-peers: bench/peers/reference.csv is not there: run it from the project's folder\n");
  for (int i = 0; i < n && good; i++)
    good = watch(&r[i], o, reference, nreference) || has_failed(&r[i]);
  // Short runs find a quiet moment more easily than long ones: who stands for a peer goes on until it had one.
  for (int pass = 0; pass < o->repeats + (o->repeats > 1 ? MOST_MORE : 0) && good; pass++)
    for (int i = 0; i < n && good; i++)
      if (pass < o->repeats || (r[i].variant->contends && !r[i].times.quiet))
        good = take_time(&r[i], o, room) || has_failed(&r[i]);
  free(room);
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
    if (!strcmp(key, "--only"))
      good = is_peer(value), o->only = value;
    else if (!strcmp(key, "--json"))
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
    fprintf(
        stderr,
        "bench-peers: \"%s %s\" is not understood\n"
        "bench-peers [--only PEER] [--repeats N] [--end T] [--core N] [--json FILE] [--markdown]\n",
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
      if (!o.only || !strcmp(o.only, peers[i]->name))
        r[n++] = (result){.peer = peers[i], .variant = v, .times = bench_times_none()};
  if (!measure(&o, r, n)) return 1;
  print_times(&o, r, n);
  print_agreement(&o, r, n);
  print_ratio(r, n);
  return o.json && !write_json(&o, r, n) ? 1 : 0;
}
