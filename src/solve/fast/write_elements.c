// write_elements.c: springs and torsions of a subsystem.
#include "solve/fast/program_write.h"

bool jn_lane_takes_tsda(const jn_system *s, int i)
{
  const jn_ends *e = &s->tsda[i].ends;
  const int a = lane_subsystem_of(s, e->a), b = lane_subsystem_of(s, e->b);
  if ((a < 0) == (b < 0)) return a >= 0 && a == b;
  const int top = s->body_of_node[s->model->subsystem[a < 0 ? b : a].parent];
  return (a < 0 ? e->a : e->b) == top;
}

bool jn_lane_takes_rsda(const jn_system *s, int i)
{
  const jn_rsda *r = &s->rsda[i];
  if (r->v < 0) return false;
  for (int k = s->nframe; k < s->nbody; k++)
    if (s->joint[k].drive < 0 && r->v >= s->joint[k].v && r->v < s->joint[k].v + s->joint[k].nv)
      return lane_subsystem_of(s, k) >= 0;
  return false;
}

static void put_law(lane_program *b, lane_arguments *a, const jn_law *l)
{
  lane_put(a, lane_number(b, l->stiffness));
  lane_number(b, l->damping);
  lane_number(b, l->preload);
  lane_put(a, b->np), lane_put(a, l->nspring);
  for (int i = 0; i < l->nspring; i++) lane_number(b, l->spring[i]);
  lane_put(a, b->np), lane_put(a, l->ndamper);
  for (int i = 0; i < l->ndamper; i++) lane_number(b, l->damper[i]);
  lane_put(a, lane_offset(b, l->spring_curve));
  lane_offset(b, l->damper_curve);
  lane_put(a, l->spring_curve >= 0 ? l->spring_steps : -1);
  lane_put(a, l->damper_curve >= 0 ? l->damper_steps : -1);
  lane_put(a, l->actuator.input >= 0 ? lane_take_input(b, l->actuator.input, false) : -1);
}

static long law_key(const jn_law *l)
{
  return ((l->nspring * 10 + l->ndamper) * 30 + (l->spring_curve >= 0 ? l->spring_steps : -1) + 1) *
             30 +
         (l->damper_curve >= 0 ? l->damper_steps : -1) + 1;
}

static long tsda_key(const lane_program *b, int i)
{
  const jn_tsda *t = &b->s->tsda[i];
  return ((long)(lane_member_of(b, t->ends.a) + 1) * 20 + lane_member_of(b, t->ends.b) + 1) *
             100000 +
         law_key(&t->law);
}

void jn_lane_write_spring(lane_program *b, int i)
{
  const jn_tsda *t = &b->s->tsda[i];
  const lane_end ea = lane_end_of(b, t->ends.a, false), eb = lane_end_of(b, t->ends.b, false);
  lane_arguments a = {0};
  int ra, rb;
  const int pa = lane_point(b, &ea, t->ends.at_a, &ra), pb = lane_point(b, &eb, t->ends.at_b, &rb);
  lane_put(&a, pa), lane_put(&a, ra), lane_put(&a, ea.p), lane_put(&a, ea.v);
  lane_put(&a, ea.member >= 0 ? b->m[ea.member].force : -1);
  lane_put(&a, pb), lane_put(&a, rb), lane_put(&a, eb.p), lane_put(&a, eb.v);
  lane_put(&a, eb.member >= 0 ? b->m[eb.member].force : -1);
  lane_put(&a, lane_number(b, t->free_length)), lane_put(&a, b->power);
  put_law(b, &a, &t->law);
  lane_write(b, LANE_FORCE, LANE_SPRING, &a);
}

int jn_lane_find_springs(const lane_program *b,
                         int *list)  // alike in all that are alike; -1: too many
{
  int n = 0;
  for (int i = 0; i < b->s->ntsda; i++) {
    const jn_ends *e = &b->s->tsda[i].ends;
    if (!jn_lane_takes_tsda(b->s, i) ||
        (lane_member_of(b, e->a) < 0 && lane_member_of(b, e->b) < 0))
      continue;
    if (n == LANE_ELEMENTS) return -1;
    int at = n++;
    for (; at > 0 && tsda_key(b, list[at - 1]) > tsda_key(b, i); at--) list[at] = list[at - 1];
    list[at] = i;
  }
  return n;
}

void jn_lane_write_torsions(lane_program *b, const int *turns)
{
  const jn_system *s = b->s;
  const int nz = b->nv + b->ns;
  for (int m = 0; m < b->n; m++)
    for (int k = 0; k < b->m[m].ncoord; k++)
      for (int i = s->rsda_first[s->joint[b->m[m].body].v + k]; i >= 0; i = s->rsda_next[i]) {
        if (!jn_lane_takes_rsda(s, i)) continue;
        const jn_rsda *r = &s->rsda[i];
        lane_arguments a = {0};
        lane_put(&a, b->m[m].q + (r->q - s->joint[b->m[m].body].q));
        lane_put(&a, r->angular ? turns[b->m[m].first + k] : -1);
        lane_put(&a, b->m[m].u[k]), lane_put(&a, lane_number(b, r->servo ? 0.0 : r->free_angle)),
            lane_put(&a, b->power);
        lane_put(&a, r->servo ? lane_take_input(b, r->law.actuator.input, false) : -1);
        if (r->servo) lane_take_input(b, r->law.actuator.input, true);
        int n = 0;
        const int count = a.n;
        lane_put(&a, 0);
        for (int z = 0; z < nz; z++) {
          const int t = lane_t_of(b, b->m[m].first + k, z);
          if (t != -1) lane_put(&a, t), lane_put(&a, b->q + z), n++;
        }
        a.a[count] = n;
        jn_law law = r->law;
        if (r->servo) law.actuator.input = -1;
        put_law(b, &a, &law);
        lane_write(b, LANE_FORCE, LANE_TORSION, &a);
      }
}
