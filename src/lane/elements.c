// elements.c: springs, torsions and wheels of a subsystem.
#include "lane/write.h"

static int subsystem_of(const jn_system *s, int body)  // -1: core or ground
{
  return body < s->nframe || s->in_core[body] ? -1 : s->model->part[s->body[body].node];
}

bool jn_lane_takes_tsda(const jn_system *s, int i)
{
  const jn_ends *e = &s->tsda[i].ends;
  const int a = subsystem_of(s, e->a), b = subsystem_of(s, e->b);
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
      return subsystem_of(s, k) >= 0;
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
  lane_put(a, l->actuator.input >= 0 ? lane_take_input(b, l->actuator.input, l->actuator.lag) : -1);
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
        lane_put(&a, r->servo ? lane_take_input(b, r->law.actuator.input, -1) : -1);
        if (r->servo) lane_take_input(b, r->law.actuator.input, -2);
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

static bool is_plain_road(const jn_road *r)
{
  return r->shape == JN_ROAD_FLAT && r->level == 0.0 && r->grade == 0.0 && r->bank == 0.0;
}

const char *jn_lane_write_wheel(lane_program *b, int i)
{
  const jn_system *s = b->s;
  const jn_wheel *w = &s->wheel[i];
  int own = lane_member_of(b, w->body);
  const bool body = b->m[own].rotor;
  const lane_member *m = &b->m[body ? b->m[own].up : own];
  const jn_tree_joint *j = &s->joint[w->body];
  const v3 at = body ? v3_add(j->at, w->at) : w->at;
  const double inertia = body ? v3_dot(j->axis, s3_mul_v3(b->m[own].inertia, j->axis)) : w->inertia;
  lane_arguments a = {.n = WHEEL_NARG};
  a.a[WHEEL_KIND] = (int)w->tyre.kind;
  a.a[WHEEL_FORM] = w->tyre.form;
  a.a[WHEEL_P_AT] = lane_vector(b, at);
  lane_number(b, w->x);
  a.a[WHEEL_P_AXIS] = lane_vector(b, w->axis);
  a.a[WHEEL_P_INERTIA] = lane_number(b, inertia);
  lane_number(b, body || w->gyroscopic ? inertia : 0.0);
  a.a[WHEEL_P_TYRE] = b->np;
  a.a[WHEEL_NTYRE] = w->tyre.nfield;
  for (int k = 0; k < w->tyre.nfield; k++) lane_number(b, w->tyre.p[k]);
  a.a[WHEEL_R] = m->r, a.a[WHEEL_P] = m->p, a.a[WHEEL_V] = m->v;
  a.a[WHEEL_FORCE] = m->force;
  a.a[WHEEL_POWER] = b->power;
  a.a[WHEEL_X_SPIN] = a.a[WHEEL_V_SPIN] = a.a[WHEEL_Q_ANGLE] = a.a[WHEEL_P_SIGN] =
      a.a[WHEEL_RELATIVE] = -1;
  if (body) {
    a.a[WHEEL_V_SPIN] = b->nv + b->nspin++;
    a.a[WHEEL_Q_ANGLE] = b->m[own].q = b->nq++;
    a.a[WHEEL_P_SIGN] = lane_number(b, v3_dot(j->axis, w->axis) < 0 ? -1.0 : 1.0);
    a.a[WHEEL_RELATIVE] = lane_field(b, 1);
    lane_tie_joint(b, &b->m[own]);
    lane_tie(b, LANE_V, a.a[WHEEL_V_SPIN], s->nq + j->v);
    if (b->nlink) b->link[b->nlink - 1].rotor = w->body, b->link[b->nlink - 1].axis = w->axis;
    lane_tie(b, LANE_FOLLOWS, a.a[WHEEL_RELATIVE], s->nq + j->v);
  } else {
    a.a[WHEEL_X_SPIN] = b->nx++;
    lane_tie(b, LANE_X, a.a[WHEEL_X_SPIN], s->nq + s->nv + w->spin);
  }
  a.a[WHEEL_NSLIP] = w->tyre.nslip;
  a.a[WHEEL_E_SLIP] = b->ne;
  for (int k = 0; k < w->tyre.nslip; k++) lane_tie(b, LANE_E, b->ne++, s->nq + s->nv + w->slip + k);
  a.a[WHEEL_E_COMPLY] = a.a[WHEEL_P_COMPLY] = -1;
  a.a[WHEEL_COMPLIANCE] = 0;
  if (w->comply >= 0) {
    a.a[WHEEL_E_COMPLY] = b->ne;
    for (int k = 0; k < 2; k++) lane_tie(b, LANE_E, b->ne++, s->nq + s->nv + w->comply + k);
    a.a[WHEEL_P_COMPLY] = lane_number(b, 1.0 / w->compliance_lag);
    for (int k = 0; k < TYRE_NCOMPLIANCE; k++) {
      lane_offset(b, w->compliance[k]);
      if (w->compliance[k] >= 0) a.a[WHEEL_COMPLIANCE] |= 1 << k;
    }
  }
  a.a[WHEEL_E_HOLD] = -1;
  a.a[WHEEL_BRAKE] = -1;
  if (w->hold >= 0 && w->brake >= 0) {
    a.a[WHEEL_BRAKE] = lane_take_input(b, w->brake, -1);
    a.a[WHEEL_E_HOLD] = b->ne++;
    lane_tie(b, LANE_E, a.a[WHEEL_E_HOLD], s->nq + s->nv + w->hold);
  }
  a.a[WHEEL_DRIVE] = w->drive >= 0 ? lane_take_input(b, w->drive, -1) : -1;
  a.a[WHEEL_OUTSIDE] = b->outside;
  a.a[WHEEL_ON_TOP] = w->drive >= 0 && w->reaction == b->top;
  if (w->drive >= 0 && w->reaction != b->top && w->reaction != m->body)
    return "the drive of a wheel reacts on a body elsewhere";
  a.a[WHEEL_STEER] = -1;
  if (w->steer >= 0) {
    a.a[WHEEL_STEER] = lane_take_input(b, w->steer, -1);
    lane_take_input(b, w->steer, -2);  // its rate
  }
  a.a[WHEEL_FLAT] = is_plain_road(&s->road);
  lane_write(b, LANE_FORCE, LANE_WHEEL, &a);
  return NULL;
}
