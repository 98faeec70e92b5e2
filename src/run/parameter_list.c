// parameter_list.c: one walk over all numbers of a system; it counts, gathers and scatters them.
#include "run/parameter_list.h"

#include <string.h>

#include "solve/fast/fast.h"

typedef struct walk {
  int n;
  double *to;          // gathered here, or
  const double *from;  // scattered from there; both NULL: counted
} walk;

static void numbers(walk *w, double *x, int n)
{
  if (w->to) memcpy(w->to + w->n, x, (size_t)n * sizeof *x);
  if (w->from) memcpy(x, w->from + w->n, (size_t)n * sizeof *x);
  w->n += n;
}

static void number(walk *w, double *x)
{
  numbers(w, x, 1);
}

static void vector(walk *w, v3 *x)
{
  numbers(w, &x->x, 3);
}

static void flag(walk *w, bool *x)  // that follows from numbers
{
  double value = *x;
  number(w, &value);
  if (w->from) *x = value != 0.0;
}

_Static_assert(sizeof(v3) == 3 * sizeof(double) && sizeof(m3) == 9 * sizeof(double) &&
                   sizeof(s3) == 6 * sizeof(double) && sizeof(si) == 10 * sizeof(double) &&
                   sizeof(struct ai) == 21 * sizeof(double),
               "plain numbers");

// ---- mechanism --------------------------------------------------------------------------------------

static void bodies(walk *w, jn_system *s)
{
  vector(w, &s->gravity);
  for (int i = 0; i < s->nframe; i++) vector(w, &s->frame[i].origin);
  for (int i = 0; i < s->nbody; i++) {
    jn_body *b = &s->body[i];
    number(w, &b->mass);
    vector(w, &b->cg);
    numbers(w, &b->inertia.xx, 6);
    vector(w, &b->anchor);
    numbers(w, b->orientation, 4);
  }
}

static void joints(walk *w, jn_system *s)
{
  for (int i = s->nframe; i < s->nbody; i++) {
    jn_tree_joint *j = &s->joint[i];
    vector(w, &j->at);
    vector(w, &j->axis);
    vector(w, &j->second_at);
    numbers(w, &j->turn.x.x, 9);
    flag(w, &j->askew);
    for (int k = 0; k < j->nmove; k++) {
      vector(w, &j->move[k].own);
      vector(w, &j->move[k].arm);
      number(w, &j->move[k].pitch);
    }
  }
  for (int i = 0; i < s->ncut; i++) {
    jn_cut *c = &s->cut[i];
    vector(w, &c->at_a);
    vector(w, &c->at_b);
    for (int k = 0; k < JN_NX; k++) vector(w, &c->x[k]);
    for (int k = 0; k < JN_NY; k++) vector(w, &c->y[k]);
    numbers(w, c->value, JN_NVALUE);
    number(w, &c->pitch);
  }
}

static void scales(walk *w, jn_system *s)
{
  numbers(w, s->length_scale, s->nrow);
  numbers(w, s->coordinate_scale, s->nv);
  numbers(w, s->core_row_scale, s->ncore_row);
  numbers(w, s->core_scale, s->ncore);
  for (int i = 0; i < s->nblock; i++) {
    numbers(w, s->block[i].row_scale, s->block[i].m);
    numbers(w, s->block[i].column_scale, s->block[i].n);
  }
}

// ---- what acts --------------------------------------------------------------------------------------

static void elements(walk *w, jn_system *s)
{
  numbers(w, s->table, s->ntable);
  for (int i = 0; i < s->nelement; i++) {
    jn_element *e = &s->element[i];
    vector(w, &e->ends.at_a);
    vector(w, &e->ends.at_b);
    numbers(w, e->p, e->nfield);
    number(w, &e->start);
  }
  for (int i = 0; i < s->nwheel; i++) {
    jn_wheel *k = &s->wheel[i];
    vector(w, &k->at);
    vector(w, &k->axis);
    number(w, &k->inertia);
    flag(w, &k->gyroscopic);
    number(w, &k->x);
    number(w, &k->y);
    number(w, &k->start);
    numbers(w, k->tyre.p, k->tyre.nfield);
    number(w, &k->outward);
    number(w, &k->compliance_lag);
  }
  for (int i = 0; i < s->ncomponent; i++)
    if (s->component[i].table) numbers(w, s->component[i].value, s->component[i].table->nparameter);
}

// ---- the fast path ----------------------------------------------------------------------------------

static void lanes(walk *w, jn_lane *l)
{
  for (int i = 0; i < l->ncore; i++) {
    numbers(w, (double *)&l->core[i].rigid, sizeof l->core[i].rigid / sizeof(double));
    numbers(w, (double *)&l->core[i].inertia, sizeof l->core[i].inertia / sizeof(double));
  }
  for (int g = 0; g < l->ngroup; g++) {
    lane_group *k = &l->group[g];
    numbers(w, k->p, LANES * k->np);
    numbers(w, k->image, LANES * k->nw);
    numbers(w, k->open, LANES * k->nrow);
    number(w, &k->square);
    for (int lane = 0; lane < k->lanes; lane++)
      for (int i = 0; i < k->nroller; i++) {
        number(w, &k->roller[lane * LANE_BODIES + i].sign);
        vector(w, &k->roller[lane * LANE_BODIES + i].axis);
      }
    for (int i = 0; i < k->lanes * k->nlink; i++) vector(w, &k->link[i].axis);
  }
  for (int i = 0; i < l->nsensor; i++) {
    vector(w, &l->sensor[i].spin_axis);
    number(w, &l->sensor[i].sign);
  }
}

// ---- the whole --------------------------------------------------------------------------------------

static int all(jn_system *s, bool with_start, walk w)
{
  bodies(&w, s);
  joints(&w, s);
  scales(&w, s);
  elements(&w, s);
  if (s->lane) lanes(&w, s->lane);
  if (with_start) {
    numbers(&w, s->y0, s->nq + s->nv + s->nx);
    numbers(&w, s->cut0, s->ncut);
  }
  return w.n;
}

int jn_parameters_count(const jn_system *s, bool with_start)
{
  return all((jn_system *)s, with_start, (walk){0});
}

void jn_parameters_gather(const jn_system *s, bool with_start, double *number)
{
  all((jn_system *)s, with_start, (walk){.to = number});
}

void jn_parameters_scatter(jn_system *s, bool with_start, const double *number)
{
  all(s, with_start, (walk){.from = number});
}
