// check_rates.c: what follows from positions alone. Over a short time a state moves with its own rates: positions must change with the
// velocities that rows have, velocities with the accelerations, lengths of springs with their rates, energy with the power, and loops
// stay closed. No kernel is compared with another one here, so that an error in one that all paths share shows, too.
#include "elements/tyre/tyre_at.h"
#include "runs.h"

// Away from the state by that time, and by twice it. Inputs have no breakpoints within 1e-5 s (states.c). Central differences err by
// TIME^2 / 6 times the third derivative, which differences over twice the time, four times as wrong, show.
static const double TIME = 0x1p-18;

enum { PLUS, MINUS, PLUS_TWO, MINUS_TWO, PLACES };

typedef struct differences {
  view *v;
  const state *x;
  int n;               // channels, then rows of loops: residuals, their rates
  double *at[PLACES];  // (n)
  double *now, *dy;    // (n), (nq + nv + nx)
  double worst;
  char what[WHAT];
} differences;

static void look(const differences *k, double *out)
{
  const jn_system *s = k->v->run.s;
  const jn_data *d = k->v->run.d;
  memcpy(out, k->v->row, (size_t)s->nchannel * sizeof *out);
  memcpy(out + s->nchannel, d->residual, (size_t)s->nrow * sizeof *out);
  memcpy(out + s->nchannel + s->nrow, d->residual_rate, (size_t)s->nrow * sizeof *out);
}

static bool look_around(differences *k)
{
  static const double by[PLACES] = {1.0, -1.0, 2.0, -2.0};
  const jn_system *s = k->v->run.s;
  const int n = s->nq + s->nv + s->nx;
  state near;
  if (!state_make(s, &near)) return false;
  memcpy(near.turn, k->x->turn, (size_t)s->nq * sizeof *near.turn);
  for (int p = 0; p < PLACES; p++) {
    near.t = k->x->t + by[p] * TIME;
    for (int i = 0; i < n; i++) near.y[i] = k->x->y[i] + by[p] * TIME * k->dy[i];
    view_at(k->v, &near);
    look(k, k->at[p]);
  }
  view_at(k->v, k->x);
  state_free(&near);
  return true;
}

typedef struct slope {
  double x, error;
} slope;

// How fast number i changes, and how far that is off. rounding: of the number.
static slope slope_of(const differences *k, int i, double rounding)
{
  const double once = (k->at[PLUS][i] - k->at[MINUS][i]) / (2.0 * TIME),
               twice = (k->at[PLUS_TWO][i] - k->at[MINUS_TWO][i]) / (4.0 * TIME);
  return (slope){once, fabs(twice - once) + rounding / TIME};
}

static void judge_slope(differences *k, const char *what, slope d, double rate, double allowed)
{
  const double ratio = fabs(d.x - rate) / (d.error + allowed);
  if (ratio <= k->worst) return;
  k->worst = isnan(ratio) ? INFINITY : ratio;
  snprintf(k->what, WHAT, "%.80s changes by %.10g, its rate is %.10g, allowed %.2g", what, d.x,
           rate, d.error + allowed);
}

// ---- channels -----------------------------------------------------------------------------------------

typedef struct pair {
  const char *value, *rate;
} pair;

static const pair pairs[] = {
    {"x", "vx"},          {"y", "vy"},          {"z", "vz"},        {"vx", "ax"},
    {"vy", "ay"},         {"vz", "az"},         {"wx", "dwx"},      {"wy", "dwy"},
    {"wz", "dwz"},        {"angle", "speed"},   {"speed", "accel"}, {"position", "speed"},
    {"angle1", "speed1"}, {"angle2", "speed2"}, {"length", "rate"},
};

static int sibling(const jn_system *s, const char *name, const char *last)
{
  char text[160];
  const char *dot = strrchr(name, '.');
  snprintf(text, sizeof text, "%.*s.%s", (int)(dot - name), name, last);
  return jn_channel_find(s, text);
}

// A cut joint whose loop is open has two axes. Its angle is measured about one body's axis, its rate is that of the other's: they differ by
// the angle between the two times what the bodies turn about other directions. So nothing is known of the rate there.
static bool cut_is_open(const differences *k, int cut)
{
  const jn_system *s = k->v->run.s;
  const jn_cut *c = &s->cut[cut];
  for (int r = c->row; r < c->row + c->nrow; r++)
    if (fabs(k->now[s->nchannel + r]) * s->length_scale[r] > 1e-12) return true;
  return false;
}

static bool is_channel_of(const char *channel, const char *section, const char *name)
{
  const size_t n = strlen(section), m = strlen(name);
  return !strncmp(channel, section, n) && !strncmp(channel + n, name, m) && channel[n + m] == '.';
}

// Of a cut joint, or of an element in one.
static bool is_of_open_joint(const differences *k, const char *channel)
{
  const jn_system *s = k->v->run.s;
  for (int i = 0; i < s->ncut; i++)
    if (is_channel_of(channel, "joint.", s->model->edge[s->cut[i].edge].name))
      return cut_is_open(k, i);
  for (int i = 0; i < s->nelement; i++)
    if (s->element[i].in.cut >= 0 && is_channel_of(channel, "force.", s->element[i].name))
      return cut_is_open(k, s->element[i].in.cut);
  return false;
}

static void judge_channels(differences *k)
{
  const jn_system *s = k->v->run.s;
  for (int i = 0; i < s->nchannel; i++) {
    const char *name = s->channel[i].name, *dot = strrchr(name, '.');
    if (!dot || k->v->class.of[i] < 0 || !strncmp(name, "wheel.", 6) || !strncmp(name, "tyre.", 5))
      continue;
    const bool joint = !strncmp(name, "joint.", 6), force = !strncmp(name, "force.", 6);
    if (is_of_open_joint(k, name)) continue;
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
      if (strcmp(dot + 1, pairs[p].value) != 0) continue;
      const char *rate = force ? "rate" : pairs[p].rate;
      // The angle of a cylindrical joint has `spin`.
      if (joint && !strcmp(dot + 1, "angle") && sibling(s, name, "spin") >= 0) rate = "spin";
      const int j = sibling(s, name, rate);
      if (j < 0 || k->v->class.of[j] < 0) continue;
      judge_slope(k, name, slope_of(k, i, k->v->row_allowed[i]), k->now[j], k->v->row_allowed[j]);
    }
  }
}

// A body's quaternion q turns with w: q' = (0, w) q / 2.
static void judge_turning(differences *k, int body)
{
  const jn_system *s = k->v->run.s;
  const char *node = jn_node_name(s->model, s->body[body].node);
  static const char *const component[4] = {"qw", "qx", "qy", "qz"};
  char name[160];
  int at[4], w;
  for (int i = 0; i < 4; i++) {
    snprintf(name, sizeof name, "%s.%s", node, component[i]);
    at[i] = jn_channel_find(s, name);
  }
  snprintf(name, sizeof name, "%s.wx", node);
  w = jn_channel_find(s, name);
  if (at[0] < 0 || w < 0) return;
  const q4 q = q_make(k->now[at[0]], v3_set(k->now[at[1]], k->now[at[2]], k->now[at[3]]));
  q4 once = q_make(0, v3_set(0, 0, 0)), twice = once;
  for (int p = 0; p < PLACES; p++) {
    const double *x = k->at[p];
    q4 near = q_make(x[at[0]], v3_set(x[at[1]], x[at[2]], x[at[3]]));
    const double sign = (q_dot(q, near) < 0.0 ? -1.0 : 1.0) * (p % 2 ? -1.0 : 1.0);
    near = q_scale(sign / ((p < PLUS_TWO ? 2.0 : 4.0) * TIME), near);
    q4 *sum = p < PLUS_TWO ? &once : &twice;
    *sum = q_make(sum->w + near.w, v3_set(sum->x + near.x, sum->y + near.y, sum->z + near.z));
  }
  const q4 a = q_mul(once, q_conj(q)), b = q_mul(twice, q_conj(q));
  const double turn[3] = {2.0 * a.x, 2.0 * a.y, 2.0 * a.z},
               other[3] = {2.0 * b.x, 2.0 * b.y, 2.0 * b.z};
  for (int c = 0; c < 3; c++) {
    snprintf(name, sizeof name, "rotation %d of %.100s", c, node);
    const slope d = {turn[c], fabs(other[c] - turn[c]) + 4.0 * k->v->row_allowed[at[0]] / TIME};
    judge_slope(k, name, d, k->now[w + c], k->v->row_allowed[w + c]);
  }
}

// Kinetic energy and that of the weight change by the power of all elements and prescribed motions. Loops that open do work, too.
static void judge_energy(differences *k)
{
  const jn_system *s = k->v->run.s;
  if (jt_scaled_worst(s, k->now + s->nchannel + s->nrow) > 1e-9) return;
  const int energy = jn_channel_find(s, "solver.energy"), work = s->nq + s->nv + s->work_state;
  judge_slope(k, "solver.energy", slope_of(k, energy, k->v->row_allowed[energy]), k->dy[work],
              k->v->dy_allowed[work]);
}

// The load of a tyre that pushes straight up is of its deflection and of how fast that changes, on any road.
static void judge_tyre(differences *k, int i)
{
  const jn_system *s = k->v->run.s;
  const jn_wheel *w = &s->wheel[i];
  const double *p = w->tyre.p;
  char name[160];
  if (!tyre_follows(w->tyre.kind)) return;
  snprintf(name, sizeof name, "tyre.%s.deflection", w->name);
  const int deflection = jn_channel_find(s, name);
  snprintf(name, sizeof name, "wheel.%s.fz", w->name);
  const int load = jn_channel_find(s, name);
  if (deflection < 0 || load < 0 || !(p[2] > 0.0) || !(k->now[load] > 0.0) ||
      !(k->now[deflection] > 1e-4))
    return;
  snprintf(name, sizeof name, "deflection of %.100s", w->name);
  judge_slope(k, name, slope_of(k, deflection, k->v->row_allowed[deflection]),
              (k->now[load] - p[1] * k->now[deflection]) / p[2],
              (k->v->row_allowed[load] + p[1] * k->v->row_allowed[deflection]) / p[2]);
}

// ---- loops --------------------------------------------------------------------------------------------

// Residuals have the rates that velocities give them, and accelerations leave these as they are.
static void judge_loops(differences *k)
{
  const jn_system *s = k->v->run.s;
  double fast = 1.0, sharp = 0.0;
  for (int i = 0; i < s->nv; i++) {
    fast = fmax(fast, fabs(k->x->y[s->nq + i]));
    sharp = fmax(sharp, k->v->dy_allowed[s->nq + i]);
  }
  // A residual is a difference of places within some metres; a rate is a sum of some twenty products (check_states.c, check_left).
  const double place = 1e-14 + k->x->residual,
               rate = (3e-14 * (10.0 + k->x->condition) + 4.0 * k->x->residual) * fast;
  for (int i = 0; i < s->ncut; i++)
    for (int r = s->cut[i].row; r < s->cut[i].row + s->cut[i].nrow; r++) {
      char name[80];
      const double unit = 1.0 / s->length_scale[r];
      const jn_cut *c = &s->cut[i];
      // The last row of one whose motion is prescribed is its angle.
      if (c->drive >= 0 && r == c->row + c->nrow - 1 && !jn_joint_slides(c->kind) &&
          cut_is_open(k, i))
        continue;
      snprintf(name, sizeof name, "row %d of %.50s", r - s->cut[i].row,
               s->model->edge[s->cut[i].edge].name);
      judge_slope(k, name, slope_of(k, s->nchannel + r, place * unit),
                  k->now[s->nchannel + s->nrow + r], rate * unit);
      // Of redundant rows some are left out, and hold only where the others close the loops.
      if (s->model->redundant > 0 && cut_is_open(k, i)) continue;
      judge_slope(k, name, slope_of(k, s->nchannel + s->nrow + r, rate * unit), 0.0,
                  20.0 * sharp * unit);
    }
}

// ---- the whole ------------------------------------------------------------------------------------------

void check_rates(view *v, const state *x, int number, outcome *o)
{
  const jn_system *s = v->run.s;
  if (x->t < 4.0 * TIME) return;  // inputs begin at 0
  differences k = {.v = v, .x = x, .n = s->nchannel + 2 * s->nrow};
  const size_t n = (size_t)k.n + 1;
  bool good = (k.now = calloc(n, sizeof *k.now)) != NULL &&
              (k.dy = calloc((size_t)(s->nq + s->nv + s->nx) + 1, sizeof *k.dy)) != NULL;
  for (int p = 0; p < PLACES; p++) good &= (k.at[p] = calloc(n, sizeof **k.at)) != NULL;
  if (good) {
    look(&k, k.now);
    memcpy(k.dy, v->dy, (size_t)(s->nq + s->nv + s->nx) * sizeof *k.dy);
    if (look_around(&k)) {
      judge_channels(&k);
      for (int i = s->nframe; i < s->nbody; i++) judge_turning(&k, i);
      judge_energy(&k);
      for (int i = 0; i < s->nwheel; i++) judge_tyre(&k, i);
      judge_loops(&k);
      note(o, CHECK_STATE_RATES, k.worst, "state %d: %s", number, k.what);
    }
  }
  for (int p = 0; p < PLACES; p++) free(k.at[p]);
  free(k.now), free(k.dy);
}
