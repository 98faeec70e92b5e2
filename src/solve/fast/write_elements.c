// write_elements.c: force elements of a subsystem.
#include "solve/fast/program_write.h"

// Both ends on bodies of one subsystem, or one of them on its parent body.
static bool is_within(const jn_system *s, const jn_ends *e)
{
  const int a = lane_subsystem_of(s, e->a), b = lane_subsystem_of(s, e->b);
  if ((a < 0) == (b < 0)) return a >= 0 && a == b;
  const int parent = lane_parent_of(s, a < 0 ? b : a);
  return (a < 0 ? e->a : e->b) == parent;
}

static bool is_in_joint_within(const jn_system *s, const jn_coordinate *c)
{
  const int body = c->v < 0 ? -1 : jn_lane_body_of_speed(s, c->v);
  return body >= 0 && lane_subsystem_of(s, body) >= 0;
}

static int subsystem_of(const jn_system *s, const jn_element *e)  // of its ends, -1: none
{
  const int a = e->ends.a < 0 ? -1 : lane_subsystem_of(s, e->ends.a);
  return a >= 0 || e->ends.b < 0 ? a : lane_subsystem_of(s, e->ends.b);
}

// Elements of another subsystem that are as this one is in its own.
static int count_like(const jn_system *s, const jn_element *e, int own, int other)
{
  const int a = lane_place_in(s, own, e->ends.a), b = lane_place_in(s, own, e->ends.b);
  int n = 0;
  for (int i = 0; i < s->nelement; i++) {
    const jn_element *k = &s->element[i];
    n += k->kind == e->kind && k->form == e->form && subsystem_of(s, k) == other &&
         lane_place_in(s, other, k->ends.a) == a && lane_place_in(s, other, k->ends.b) == b;
  }
  return n;
}

// Have all subsystems that could share a group as many like it? An element of one corner alone would take that corner out of
// its group, which costs more than the element does ungrouped.
static bool is_in_all(const jn_system *s, const jn_element *e)
{
  const jn_subsystem *list = s->model->subsystem;
  const int own = subsystem_of(s, e), n = count_like(s, e, own, own);
  for (int i = 0; i < s->model->nsubsystem; i++)
    if (!s->ungrouped[i] && list[i].shape == list[own].shape &&
        lane_parent_of(s, i) == lane_parent_of(s, own) && count_like(s, e, own, i) != n)
      return false;
  return true;
}

bool jn_lane_takes_element(const jn_system *s, const jn_element *e)
{
  switch (jn_element_kinds[e->kind].ends) {
    case JN_ENDS_LINE:
      return is_within(s, &e->ends);
    case JN_ENDS_FRAME:
    case JN_ENDS_PAIR:
      return is_within(s, &e->ends) && is_in_all(s, e);
    case JN_ENDS_COORDINATE:
      return is_in_joint_within(s, &e->in);
    case JN_ENDS_BODY:
      return lane_subsystem_of(s, e->ends.b) >= 0 && is_in_all(s, e);
    default:
      return false;
  }
}

bool jn_lane_element_turns(const jn_system *s, int body)
{
  for (int i = 0; i < s->nelement; i++) {
    const jn_element *e = &s->element[i];
    const jn_element_ends ends = jn_element_kinds[e->kind].ends;
    if (ends != JN_ENDS_FRAME && ends != JN_ENDS_PAIR && ends != JN_ENDS_BODY) continue;
    if ((e->ends.a == body || e->ends.b == body) && jn_lane_takes_element(s, e)) return true;
  }
  return false;
}

// ---- which ----------------------------------------------------------------------------------------

static int coordinate_of(const lane_program *b,
                         int v)  // of a speed of the system, -1: not of this subsystem
{
  for (int m = 0; m < b->n; m++) {
    const int k = v - b->s->joint[b->m[m].body].v;
    if (!b->m[m].given && k >= 0 && k < b->m[m].ncoord) return b->m[m].first + k;
  }
  return -1;
}

// Its place among the elements of the subsystem: alike in all that are alike.
typedef struct sort_key {
  int order, a, b, form;
} sort_key;

static bool key_of(const lane_program *b, const jn_element *e, sort_key *k)
{
  *k = (sort_key){.order = jn_element_order(e->kind), .form = e->form};
  if (!jn_lane_takes_element(b->s, e)) return false;
  if (jn_element_kinds[e->kind].ends == JN_ENDS_COORDINATE) {
    k->a = coordinate_of(b, e->in.v);
    k->form = 0;
    return k->a >= 0;
  }
  k->a = lane_member_of(b, e->ends.a), k->b = lane_member_of(b, e->ends.b);
  return k->a >= 0 || k->b >= 0;
}

static bool is_before(const sort_key *x, const sort_key *y)
{
  if (x->order != y->order) return x->order < y->order;
  if (x->a != y->a) return x->a < y->a;
  return x->b != y->b ? x->b < y->b : x->form < y->form;
}

int jn_lane_find_elements(const lane_program *b, int *list)
{
  sort_key key[LANE_ELEMENTS], own;
  int n = 0;
  for (int i = 0; i < b->s->nelement; i++) {
    if (!key_of(b, &b->s->element[i], &own)) continue;
    if (n == LANE_ELEMENTS) return -1;
    int at = n++;
    for (; at > 0 && is_before(&own, &key[at - 1]); at--)
      list[at] = list[at - 1], key[at] = key[at - 1];
    list[at] = i, key[at] = own;
  }
  return n;
}

// ---- one of them ----------------------------------------------------------------------------------

static void put_end(lane_program *b, lane_arguments *a, int body, v3 at)
{
  const lane_end e = lane_end_of(b, body, -1);
  int rotation;
  const int p = lane_point(b, &e, at, &rotation);
  LANE_PUT(a, p, rotation, e.p, e.v, e.member >= 0 ? b->m[e.member].force : -1, e.r);
}

static void put_coordinate(lane_program *b, lane_arguments *a, const jn_coordinate *c,
                           const int *turns)
{
  const int coordinate = coordinate_of(b, c->v), nz = b->nv + b->ns;
  int m = 0;
  while (!(coordinate >= b->m[m].first && coordinate < b->m[m].first + b->m[m].ncoord)) m++;
  LANE_PUT(a, b->m[m].q + (c->q - b->s->joint[b->m[m].body].q), c->angular ? turns[coordinate] : -1,
           b->m[m].u[coordinate - b->m[m].first]);
  const int count = lane_leave_count(a);
  int n = 0;
  for (int z = 0; z < nz; z++) {
    const int t = lane_t_of(b, coordinate, z);
    if (t == -1) continue;
    LANE_PUT(a, t, b->q + z);
    n++;
  }
  lane_put_count(a, count, n);
}

static const struct {
  lane_kind step, row;
} operation[] = {
#define ENTRY(kind)                  [JN_FORCE_##kind] = {LANE_ELEMENT_##kind, LANE_ROW_##kind},
#define X(kind, word, ends, outputs) LANE_ENDS_##ends(ENTRY(kind))
    JN_ELEMENT_KINDS(X)
#undef X
#undef ENTRY
};

void jn_lane_write_element(lane_program *b, int i, const int *turns)
{
  const jn_element *e = &b->s->element[i];
  const jn_actuator *actuator = &e->actuator;
  lane_arguments a = {0};
  lane_put(&a, b->np);
  for (int k = 0; k < e->nfield; k++) lane_number(b, e->p[k]);
  lane_put(&a, e->form);
  lane_put(&a, actuator->input >= 0 ? lane_take_input(b, actuator->input, false) : -1);
  lane_put(&a, actuator->follows ? lane_take_input(b, actuator->input, true) : -1);
  lane_put(&a, b->power);
  switch (jn_element_kinds[e->kind].ends) {
    case JN_ENDS_COORDINATE:
      put_coordinate(b, &a, &e->in, turns);
      break;
    case JN_ENDS_BODY:
      put_end(b, &a, e->ends.b, e->ends.at_b);
      lane_put(&a, b->outside);
      break;
    default:
      put_end(b, &a, e->ends.a, e->ends.at_a);
      put_end(b, &a, e->ends.b, e->ends.at_b);
  }
  lane_write(b, LANE_FORCE, operation[e->kind].step, &a);
  const int nout = jn_element_kinds[e->kind].nout;
  if (nout) lane_row_of(b, operation[e->kind].row, &a, (lane_output){.index = i}, nout);
}
