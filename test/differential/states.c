// states.c: random assembled states, and tolerances measured at each.
#include "states.h"

// ---- memory ---------------------------------------------------------------------------------------

static double *numbers(int n)
{
  return calloc((size_t)n + 1, sizeof(double));
}

bool state_make(const jn_system *s, state *x)
{
  *x = (state){.y = numbers(s->nq + s->nv + s->nx), .turn = numbers(s->nq)};
  return x->y && x->turn;
}

void state_free(state *x)
{
  free(x->y), free(x->turn);
  *x = (state){0};
}

bool view_make(const jn_system *s, view *v)
{
  const int n = s->nq + s->nv + s->nx;
  const size_t nodes = (size_t)s->model->nnode + 1;
  jn_error err = {0};
  *v =
      (view){.system = with_options(s, JN_INTEGRATOR_RK4, JN_STABILIZE_NONE, s->binding.opts.step)};
  v->run.s = &v->system;
  v->dy = numbers(n), v->rate = numbers(s->nexp), v->row = numbers(s->nchannel);
  v->dy_allowed = numbers(n), v->row_allowed = numbers(s->nchannel), v->v_allowed = numbers(s->nv);
  v->held_f = calloc(nodes, sizeof(v3)), v->held_m = calloc(nodes, sizeof(v3));
  v->force = calloc(nodes, sizeof(v3)), v->moment = calloc(nodes, sizeof(v3));
  v->reaction = calloc((size_t)s->model->nfile_edge + 1, sizeof *v->reaction);
  classes_of(s, &v->class);
  for (int e = 0; v->reaction && e < s->model->nfile_edge; e++) {
    char name[160];
    snprintf(name, sizeof name, "joint.%s.fx", s->model->edge[e].name);
    v->reaction[e] = jn_channel_find(s, name);
  }
  return v->reaction && v->class.of && v->dy && v->rate && v->row && v->dy_allowed &&
         v->row_allowed && v->v_allowed && v->held_f && v->held_m && v->force && v->moment &&
         !jn_data_create(&v->system, &v->run.d, &err);
}

void view_free(view *v)
{
  jn_data_free(v->run.d);
  free(v->dy), free(v->rate), free(v->row);
  free(v->dy_allowed), free(v->row_allowed), free(v->v_allowed);
  free(v->held_f), free(v->held_m), free(v->force), free(v->moment), free(v->reaction);
  classes_free(&v->class);
  *v = (view){0};
}

// ---- drawing --------------------------------------------------------------------------------------

static double in(jt_random *r, double lo, double hi)
{
  return jt_random_in(r, lo, hi);
}

// The wheel whose bearing leads to body i, NULL: none.
static const jn_wheel *bearing_of(const jn_system *s, int i)
{
  const int joint = s->joint[i].edge >= 0 ? s->model->edge[s->joint[i].edge].joint : -1;
  for (int k = 0; k < s->nwheel; k++)
    if (s->wheel[k].spin < 0 && s->wheel[k].bearing >= 0 && s->wheel[k].bearing == joint)
      return &s->wheel[k];
  return NULL;
}

static void draw_base(const jn_system *s, const jn_tree_joint *j, jt_random *r, double speed,
                      double *y)
{
  const jn_road *road = &s->binding.road[JN_COMMON_ROAD];
  const bool even = road_shape(road->form) == JN_ROAD_FLAT;
  const double grade = even ? road->p[ROAD_GRADE] : 0.0, bank = even ? road->p[ROAD_BANK] : 0.0;
  const double dx = in(r, -1, 1) * (even ? 3.0 : 0.3), dy = in(r, -2, 2);
  double *q = y + j->q, *e = y + j->sphere, *v = y + s->nq + j->v;
  q[0] += dx, q[1] += dy;
  q[2] += in(r, -0.03, 0.03) + (grade * dx + bank * dy);
  const bool level = even && grade == 0.0 && bank == 0.0;
  const q4 about = q_exp(v3_set(0, 0, in(r, -1, 1) * (level ? 1.5 : 0.1)));
  const q4 lean = q_exp(v3_set(in(r, -0.04, 0.04), in(r, -0.03, 0.03), 0));
  const q4 turn = q_mul(q_mul(about, lean), q_make(e[0], v3_load(e + 1)));
  e[0] = turn.w, e[1] = turn.x, e[2] = turn.y, e[3] = turn.z;
  const v3 ahead = q_rotate(turn, v3_set(speed, 0, 0));
  v3_store(v, v3_add(ahead, jt_random_v3(r, 0.7)));
  v3_store(v + 3, jt_random_v3(r, 0.6));
}

static void draw_joint(const jn_system *s, int i, jt_random *r, double wide, double speed, state *x)
{
  const jn_tree_joint *j = &s->joint[i];
  double *v = x->y + s->nq;
  const jn_wheel *w = bearing_of(s, i);
  for (int m = 0; m < j->scalars; m++) {
    const bool angle = s->coordinate_angle[j->v + m];
    x->y[j->q + m] += in(r, -1, 1) * (w ? 2.5 : wide * (angle ? 0.25 : 0.03));
    if (angle && j->kind == JN_JOINT_REVOLUTE && jt_random_below(r, 8) == 0)
      x->turn[j->q + m] = jt_random_below(r, 2) ? 1.0 : -1.0;
  }
  for (int m = 0; m < j->nv; m++) {
    const bool angle = s->coordinate_angle[j->v + m];
    v[j->v + m] = in(r, -1, 1) * (angle ? 1.5 : 0.4);
    if (w && w->tyre.p[0] != 0.0)
      v[j->v + m] = (v3_dot(j->axis, w->axis) < 0.0 ? -1.0 : 1.0) * speed / 0.35 * in(r, 0.8, 1.2);
  }
  if (j->sphere < 0) return;
  double *e = x->y + j->sphere;
  const q4 turn = q_mul(q_exp(v3_scale(wide, jt_random_v3(r, 0.2))), q_make(e[0], v3_load(e + 1)));
  e[0] = turn.w, e[1] = turn.x, e[2] = turn.y, e[3] = turn.z;
}

// Wheels that roll, with slip; treads bent by some of their relaxation length; brakes and actuators anywhere within
// their range.
static void draw_own_states(const jn_system *s, jt_random *r, double speed, double *x)
{
  for (int i = 0; i < s->ncomponent; i++) {
    const jn_component *c = &s->component[i];
    const jn_instance *k = &s->instance[c->instance];
    const bool driver = !c->hidden && !c->spec;
    for (int n = 0; n < k->ndeclared; n++)
      x[k->e + n] = c->spec ? x[k->e + n] + in(r, -0.01, 0.01) : in(r, -1, 1);
    for (int n = 0; n < k->nplain; n++)
      x[k->x + n] = driver ? in(r, -200, 200) : n ? in(r, -0.1, 0.1) : x[k->x] + in(r, -0.01, 0.01);
  }
  for (int i = 0; i < s->nwheel; i++) {
    const jn_wheel *w = &s->wheel[i];
    if (w->spin >= 0) x[w->spin] = speed / 0.35 * in(r, 0.8, 1.2) + in(r, -2, 2);
    for (int k = 0; k < w->tyre.nslip; k++)
      x[w->slip + k] = in(r, -1, 1) * (w->tyre.nslip > 1 ? 0.015 : 0.05);
    if (w->hold >= 0) x[w->hold] = in(r, -0.9, 0.9);
    for (int k = 0; k < 2 && w->comply >= 0; k++) x[w->comply + k] = in(r, -0.01, 0.01);
  }
  x[s->work_state] = 0.0;
}

// Beside a breakpoint an evaluation belongs to one side of it or to the other: keep away from them.
static double draw_time(const jn_system *s, jt_random *r)
{
  for (int tries = 0; tries < 20; tries++) {
    const double t = in(r, 0.0, s->binding.opts.end);
    bool clear = true;
    for (int i = 0; i < s->binding.nbreakpoint; i++)
      clear &= fabs(s->binding.breakpoint[i] - t) > 1e-5;
    if (clear) return t;
  }
  return 0.37 * s->binding.opts.end;
}

void state_later(const jn_system *s, jt_random *r, state *x)
{
  x->t = draw_time(s, r);
}

static void place(view *v, const state *x)
{
  const jn_system *s = v->run.s;
  jn_data *d = v->run.d;
  memcpy(d->y, x->y, (size_t)(s->nq + s->nv + s->nx) * sizeof *d->y);
  memcpy(d->turn, x->turn, (size_t)s->nq * sizeof *d->turn);
  memset(d->cut_angle, 0, (size_t)s->ncut * sizeof *d->cut_angle);
  v->run.t = d->offset = x->t;
  d->step = 0;
}

static void take(const view *v, state *x)
{
  const jn_system *s = v->run.s;
  memcpy(x->y, v->run.d->y, (size_t)(s->nq + s->nv + s->nx) * sizeof *x->y);
}

static void measure(const subject *k, view *v, jt_closer *c, state *x)
{
  jt_look(&v->run);
  x->residual = jt_scaled_worst(v->run.s, v->run.d->residual);
  measure_conditions(k, &v->run, c, x);
}

void state_measure(const subject *k, const view *v, state *x)
{
  view own = *v;
  place(&own, x);
  jt_closer c = jt_closer_of(v->run.s);
  measure(k, &own, &c, x);
  jt_closer_free(&c);
}

void state_initial(const subject *k, const view *v, state *x)
{
  const jn_system *s = v->run.s;
  memcpy(x->y, s->y0, (size_t)(s->nq + s->nv + s->nx) * sizeof *x->y);
  memset(x->turn, 0, (size_t)s->nq * sizeof *x->turn);
  x->t = 0.0;
  state_measure(k, v, x);
}

bool state_draw(const subject *k, view *v, jt_random *r, state *x, outcome *o)
{
  const jn_system *s = v->run.s;
  jt_closer c = jt_closer_of(s);
  bool good = false;
  for (int tries = 0; tries < 6 && !good; tries++) {
    const double wide = in(r, 0.1, 1.0) / (1 + tries), speed = in(r, -3, 30);
    memcpy(x->y, s->y0, (size_t)(s->nq + s->nv + s->nx) * sizeof *x->y);
    memset(x->turn, 0, (size_t)s->nq * sizeof *x->turn);
    x->t = draw_time(s, r);
    for (int i = s->nframe; i < s->nbody; i++) {
      if (s->joint[i].kind == JN_TREE_BASE)
        draw_base(s, &s->joint[i], r, speed, x->y);
      else if (s->joint[i].drive < 0)
        draw_joint(s, i, r, wide, speed, x);
    }
    draw_own_states(s, r, speed, x->y + s->nq + s->nv);
    place(v, x);
    if (s->nrow && !(jt_close(&v->run, &c) < 1e-13)) {
      o->skipped[SKIP_CLOSED]++;
      continue;
    }
    jt_project(&v->run, &c);
    take(v, x);
    measure(k, v, &c, x);
    good = x->condition < 1e6 && x->mass < 1e9;
    if (!good) o->skipped[SKIP_CONDITION]++;
  }
  jt_closer_free(&c);
  return good;
}

// ---- evaluation -----------------------------------------------------------------------------------

// Force elements about a joint of the tree are generalised forces; on bodies they are pairs of moments or forces.
static void add_joint_springs(view *v, const jt_body *at)
{
  const jn_system *s = v->run.s;
  const jn_data *d = v->run.d;
  for (int i = 0; i < s->nelement; i++) {
    const jn_coordinate *r = &s->element[i].in;
    if (r->v < 0) continue;
    int body = s->nframe;
    while (!(r->v >= s->joint[body].v && r->v < s->joint[body].v + s->joint[body].nv)) body++;
    const int up = s->body[body].parent, own = s->body[body].node, other = s->body[up].node;
    const m3 frame = d->frame[s->body[body].frame].r;
    const v3 u = m3_mul_v3(frame, m3_mul_v3(d->pose[up].r, s->joint[body].axis));
    const v3 load = v3_scale(-d->element[s->element[i].output + 2], u);
    if (r->angular) {
      v->moment[own] = v3_add(v->moment[own], load);
      v->moment[other] = v3_sub(v->moment[other], load);
      continue;
    }
    const v3 p = jt_anchor(&v->run, body, &at[own]);
    v->force[own] = v3_add(v->force[own], load);
    v->moment[own] = v3_add(v->moment[own], v3_cross(v3_sub(p, at[own].p), load));
    v->force[other] = v3_sub(v->force[other], load);
    v->moment[other] = v3_sub(v->moment[other], v3_cross(v3_sub(p, at[other].p), load));
  }
}

static void sum_wrenches(view *v)
{
  const jn_system *s = v->run.s;
  const jn_model *m = s->model;
  jt_body *at = calloc((size_t)m->nnode + 1, sizeof *at);
  const v3 zero = v3_set(0, 0, 0);
  if (!at) return;
  jt_see_all(&v->run, at);
  for (int n = 0; n < m->nnode; n++)
    v->force[n] = v->moment[n] = v->held_f[n] = v->held_m[n] = zero;
  for (int i = s->nframe; i < s->nbody; i++) {
    const int node = s->body[i].node;
    const m3 frame = v->run.d->frame[s->body[i].frame].r;
    const sv f = sv_shift_force(v->run.d->force[i], jt_cg_about(&v->run, i));
    v->force[node] = v3_axpy(s->body[i].mass, s->gravity, m3_mul_v3(frame, f.l));
    v->moment[node] = m3_mul_v3(frame, f.a);
  }
  add_joint_springs(v, at);
  for (int e = 0; e < m->nfile_edge; e++) {
    const int channel = v->reaction[e];
    if (channel < 0) continue;
    const v3 f = v3_load(v->row + channel), moment = v3_load(v->row + channel + 3);
    const int a = m->edge[e].a, b = m->edge[e].b;
    const v3 p = jt_joint_point(&v->run, e, at);
    v->held_f[b] = v3_add(v->held_f[b], f);
    v->held_f[a] = v3_sub(v->held_f[a], f);
    v->held_m[b] = v3_add(v->held_m[b], v3_add(moment, v3_cross(v3_sub(p, at[b].p), f)));
    v->held_m[a] = v3_sub(v->held_m[a], v3_add(moment, v3_cross(v3_sub(p, at[a].p), f)));
  }
  free(at);
}

void view_at(view *v, const state *x)
{
  const jn_system *s = v->run.s;
  jn_data *d = v->run.d;
  place(v, x);
  jn_segment_begin(s, d, x->t);
  jn_evaluate_stage(s, d, x->t, d->y, d->dy, d->rate, false);
  jn_channels_fill(s, d);
  memcpy(v->dy, d->dy, (size_t)(s->nq + s->nv + s->nx) * sizeof *v->dy);
  memcpy(v->rate, d->rate, (size_t)s->nexp * sizeof *v->rate);
  memcpy(v->row, d->channel, (size_t)s->nchannel * sizeof *v->row);
  sum_wrenches(v);
}
