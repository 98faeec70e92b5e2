// runs.c: one short run, and how its rows are judged.
#include "runs.h"

// Two ways that differ by no more than their method's error are apart by a few times what halving the step changes: the
// error at the longer step is 1 / (1 - 2^-p) of that, twice it at order 1, and the other way has one of its own.
const double FACTOR = 5.0;

// Rounding of the state grows over a run: beside what it explains at the first row, so much of the size of a class.
const double ROUNDING = 1e-9;
static const double GROWTH = 1e3;

// ---- one run ----------------------------------------------------------------------------------------

bool leg_begin(const jn_system *s, jn_integrator integrator, jn_stabilize stabilize, double step,
               leg *k)
{
  jn_error err = {0};
  *k = (leg){.system = with_options(s, integrator, stabilize, step)};
  return !jn_data_create(&k->system, &k->d, &err);
}

void leg_go(leg *k, int steps)
{
  for (int i = 0; i < steps && !k->flags; i++) {
    const bool lanes = k->d->in_lanes;
    k->flags = jn_step(&k->system, k->d);
    k->left |= lanes && !k->d->in_lanes;
  }
}

void leg_row(leg *k, double *row)
{
  if (!k->flags) k->flags = jn_evaluate(&k->system, k->d);
  memcpy(row, k->d->channel, (size_t)k->system.nchannel * sizeof *row);
}

void leg_end(leg *k)
{
  jn_data_free(k->d);
  k->d = NULL;
}

// ---- judging rows -----------------------------------------------------------------------------------

static double size_of(const judge *j, const double *row, int class)
{
  double most = 0.0;
  for (int i = 0; i < j->s->nchannel; i++)
    if (j->v->class.of[i] == class) most = fmax(most, fabs(row[i]));
  return most;
}

// Differences that are explained at a row whose error by the step is `error`.
void allow_run(const judge *j, const double *row, const double *error, double factor)
{
  double worst[64] = {0}, first[64] = {0};
  for (int i = 0; i < j->s->nchannel; i++) {
    const int k = j->v->class.of[i];
    if (k < 0) continue;
    worst[k] = fmax(worst[k], error[i]);
    first[k] = fmax(first[k], j->tolerance[i]);
  }
  for (int k = 0; k < j->v->class.n; k++) {
    const double rounding = GROWTH * first[k] + ROUNDING * fmax(size_of(j, row, k), 1e-3);
    for (int i = 0; i < j->s->nchannel; i++)
      if (j->v->class.of[i] == k) j->allowed[i] = factor * worst[k] + rounding;
  }
}

// Motion is not followed at this step: rows have no digits to compare.
bool is_stiff(const judge *j, const double *row, const double *error)
{
  static const char *const motion[] = {"m", "rad", "m/s", "rad/s"};
  for (int k = 0; k < j->v->class.n; k++) {
    bool moves = false;
    for (int m = 0; m < 4; m++) moves |= !strcmp(j->v->class.unit[k], motion[m]);
    double worst = 0.0;
    for (int i = 0; i < j->s->nchannel; i++)
      if (j->v->class.of[i] == k && !(error[i] <= worst)) worst = error[i];
    const double size = fmax(size_of(j, row, k), 0.1);
    if (!isfinite(worst) || (moves && worst > 1e-3 * size)) return true;
  }
  return false;
}

// A reaction that redundant constraints leave undetermined.
static bool is_undetermined(const judge *j, int channel)
{
  for (int e = 0; e < j->k->model->nfile_edge; e++)
    if (j->k->undetermined[e] && j->v->reaction[e] >= 0 && channel >= j->v->reaction[e] &&
        channel < j->v->reaction[e] + 6 + j->k->model->edge[e].driven)
      return true;
  return false;
}

// Slips of a wheel that hardly moves are quotients of two small velocities.
static bool is_faint(const judge *j, int channel, const double *row)
{
  const char *name = j->s->channel[channel].name, *dot = strrchr(name, '.');
  if (!dot || (strcmp(dot, ".slip") && strcmp(dot, ".slip_angle"))) return false;
  for (int i = channel + 1; i < j->s->nchannel && i < channel + 9; i++) {
    const char *end = strrchr(j->s->channel[i].name, '.');
    if (end && !strcmp(end, ".vx")) return fabs(row[i]) < 0.5;
  }
  return false;
}

bool is_judged(const judge *j, int channel, const double *row)
{
  return j->v->class.of[channel] >= 0 && !is_undetermined(j, channel) && !is_faint(j, channel, row);
}

// A quaternion and its opposite are one rotation; channels have that of positive qw, which changes where a body has turned by half a
// turn.
double apart_at(const jn_system *s, int channel, const double *a, const double *b)
{
  static const char part[] = "wxyz";
  const char *dot = strrchr(s->channel[channel].name, '.');
  const char *k = dot && dot[1] == 'q' && dot[2] && !dot[3] ? strchr(part, dot[2]) : NULL;
  double sum = 0.0;
  for (int i = 0; k && i < 4; i++) {
    const int at = channel - (int)(k - part) + i;
    sum += a[at] * b[at];
  }
  return fabs(sum < 0.0 ? a[channel] + b[channel] : a[channel] - b[channel]);
}

double rows_apart(const judge *j, const double *a, const double *b, int *channel)
{
  double worst = 0.0;
  for (int i = 0; i < j->s->nchannel; i++) {
    if (!is_judged(j, i, b)) continue;
    const double apart = apart_at(j->s, i, a, b),
                 ratio = apart == 0.0 ? 0.0 : apart / j->allowed[i];
    if (!(ratio <= worst)) worst = isnan(ratio) ? INFINITY : ratio, *channel = i;
  }
  return worst;
}

void judge_rows(const judge *j, const char *who, const double *a, const double *b, check c,
                outcome *o)
{
  int at = 0;
  const double worst = rows_apart(j, a, b, &at);
  note(o, c, worst, "%s: %s is %.12g, general %.12g, allowed %.2g", who, j->s->channel[at].name,
       a[at], b[at], j->allowed[at]);
}

void differ(const jn_system *s, const double *a, const double *b, double *error)
{
  for (int i = 0; i < s->nchannel; i++) error[i] = apart_at(s, i, a, b);
}
