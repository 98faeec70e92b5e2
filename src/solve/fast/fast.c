// fast.c: one evaluation in lanes, and entering and leaving them.
#include "solve/fast/fast.h"

#include <string.h>

#include "base/quat.h"
#include "elements/tyre/brake.h"
#include "solve/general/cut_angle.h"
#include "solve/general/forces.h"
#include "solve/general/general.h"
#include "solve/integrate/integrate.h"

#define TAKE(pointer, count) ((pointer) = jn_arena_take(a, (size_t)(count), sizeof *(pointer)))

void jn_lane_place(const jn_system *s, jn_lane_data *d, jn_arena *last, jn_arena *a)
{
  const jn_lane *l = s->lane;
  jn_lane_data none, *t = d ? d : &none;
  const int n = jn_lane_size(l);
  t->y = jn_arena_take(last, (size_t)n, sizeof *t->y);
  t->turn = jn_arena_take(last, (size_t)jn_lane_turns(l), sizeof *t->turn);
  TAKE(t->before, n);
  TAKE(t->dy, n);
  TAKE(t->rate, l->nexp);
  TAKE(t->general, s->nx);
  TAKE(t->core, l->ncore);
  TAKE(t->ground, 1);
  TAKE(t->run, l->ngroup);
  TAKE(t->sum, l->ngroup * LANE_NSUM);
  TAKE(t->set, l->nset);
  double **w = TAKE(t->w, l->ngroup), **parent = TAKE(t->parent, l->ngroup),
         **in = TAKE(t->in, l->ngroup), **shared = TAKE(t->shared, l->ngroup);
  for (int g = 0; g < l->ngroup; g++) {
    double *at = jn_arena_take(a, (size_t)(l->group[g].nw * LANES), sizeof *at);
    if (w) w[g] = at;
    if (parent)
      parent[g] = &(l->group[g].parent < 0 ? t->ground : &t->core[l->group[g].parent])->w.x;
    at = jn_arena_take(a, (size_t)(l->group[g].nin * LANES), sizeof *at);
    if (in) in[g] = at;
    at = jn_arena_take(a, (size_t)((l->group[g].nsq + 2 * l->group[g].ns) * LANES), sizeof *at);
    if (shared) shared[g] = at;
  }
}

// ---- running operation lists --------------------------------------------------------------------------------

// Where the lists of a group find everything at y: what does not depend on y was put there by begin_workspace.
static const lane_run *run_at(const jn_system *s, const jn_data *d, int g, const double *y,
                              double *dy, double *rate)
{
  const jn_lane *l = s->lane;
  const lane_group *k = &l->group[g];
  lane_run *r = &d->lane->run[g];
  double *at = (double *)y;
  if (r->q == at + k->q && r->dq == dy + k->q && r->rate == rate + (k->e - l->core_e)) return r;
  r->q = at + k->q, r->v = at + k->v, r->x = at + k->x, r->e = at + k->e;
  r->dq = dy + k->q, r->dv = dy + k->v, r->dx = dy + k->x, r->de = dy + k->e;
  r->rate = rate + (k->e - l->core_e);
  return r;
}

static void run_interpreted(const jn_system *s, int g, lane_phase phase, const lane_run *r)
{
  const lane_group *k = &s->lane->group[g];
  const lane_engine *e = s->lane->engine;
  if (k->nop[phase]) e->list(k->op[phase], k->nop[phase], k->lanes, r);
}

static inline void run_phase(const jn_system *s, int g, lane_phase phase, const lane_run *r)
{
  if (r->compiled[phase])
    r->compiled[phase](r);
  else
    run_interpreted(s, g, phase, r);
}

static void scatter_actuators(const jn_system *s, jn_data *d)
{
  const double *in = &d->in[0][0];
  for (int g = 0; g < s->lane->ngroup; g++) {
    const lane_group *k = &s->lane->group[g];
    double *to = d->lane->in[g];
    for (int i = 0; i < k->nin * LANES; i++) to[i] = in[k->in[i].at];
  }
}

// ---- ungrouped elements --------------------------------------------------------------------------

// Pose and motion of the core body that a place belongs to, in the axes of its frame about its origin; c is -1: of the ground.
static void gather_parent(const jn_system *s, const jn_data *d, int c, jn_pose *pose, sv *twist)
{
  if (c < 0) {
    *pose = d->pose[0], *twist = d->twist[0];
    return;
  }
  if (jn_lane_has_rest(s->lane)) {
    const int body = s->lane->core[c].body;
    const v3 station = d->station[s->body[body].station];
    *pose = (jn_pose){d->pose[body].r, v3_add(d->pose[body].p, station)};
    *twist = sv_shift_motion(d->twist[body], v3_neg(station));
    return;
  }
  const lane_core_data *base = &d->lane->core[0], *k = &d->lane->core[c];
  const bool floats = s->frame[0].floating;
  const m3 to = floats ? base->world : m3_identity();
  const v3 origin = floats ? base->place : s->frame[0].origin;
  pose->r = m3_tmul(to, k->world);
  pose->p = m3_tmul_v3(to, v3_sub(k->place, origin));
  const v3 velocity = m3_mul_v3(pose->r, k->v), w = m3_mul_v3(pose->r, k->w);
  *twist = sv_make(
      w, v3_sub(v3_sub(velocity, floats ? base->v : v3_set(0, 0, 0)), v3_cross(w, pose->p)));
}

static m3 matrix_at(const double *w, int f, int lane)
{
  m3 a;
  double *to = &a.x.x;
  for (int i = 0; i < 9; i++) to[i] = w[LANES * (f + i) + lane];
  return a;
}

v3 jn_lane_vector(const double *w, int f, int lane)
{
  return v3_make(w[LANES * f + lane], w[LANES * (f + 1) + lane], w[LANES * (f + 2) + lane]);
}

bool jn_lane_member_turn(const jn_system *s, const jn_data *d, const lane_place *p, m3 *turn)
{
  const lane_pose *m = &s->lane->group[p->group].pose[p->lane * LANE_BODIES + p->member];
  const double *w = d->lane->w[p->group];
  if (m->r >= 0) {
    *turn = matrix_at(w, m->r, p->lane);
  } else if (m->r <= LANE_CIRCLE) {
    const double *at = w + LANES * (LANE_CIRCLE - m->r) + p->lane;
    *turn = m3_about(s->joint[m->body].axis, at[0], at[LANES]);
  }
  return m->r >= 0 || m->r <= LANE_CIRCLE;
}

const lane_roller *jn_lane_roller_of(const jn_system *s, const lane_place *p, lane_place *carrier)
{
  const lane_group *k = &s->lane->group[p->group];
  const lane_roller *r = &k->roller[p->lane * LANE_BODIES];
  while (r->body != p->body) r++;
  *carrier = (lane_place){.body = k->pose[p->lane * LANE_BODIES + r->carrier].body,
                          .group = p->group,
                          .lane = p->lane,
                          .member = r->carrier};
  return r;
}

static void gather_member(const jn_system *s, jn_data *d, const lane_place *p, const jn_pose *up,
                          sv carried)
{
  jn_pose *pose = &d->pose[p->body];
  const jn_pose parent = *up;
  const lane_pose *m = &s->lane->group[p->group].pose[p->lane * LANE_BODIES + p->member];
  const double *w = d->lane->w[p->group];
  m3 turn;
  pose->r = jn_lane_member_turn(s, d, p, &turn) ? m3_mul(parent.r, turn) : parent.r;
  pose->p = v3_add(parent.p, m3_mul_v3(parent.r, jn_lane_vector(w, m->p, p->lane)));
  const sv own = sv_make(jn_lane_vector(w, m->v, p->lane), jn_lane_vector(w, m->v + 3, p->lane));
  // relative to the parent, about its anchor, then about the frame's origin, then about the station
  const sv twist = sv_add(carried, sv_shift_motion(sv_rotate(parent.r, own), v3_neg(parent.p)));
  const v3 station = d->station[s->body[p->body].station];
  pose->p = v3_sub(pose->p, station);
  d->twist[p->body] = sv_shift_motion(twist, station);
}

static void gather_body(const jn_system *s, jn_data *d,
                        const lane_place *p)  // and clears its force
{
  d->force[p->body] = sv_make(v3_set(0, 0, 0), v3_set(0, 0, 0));
  if (p->group < 0) {
    gather_parent(s, d, p->lane, &d->pose[p->body], &d->twist[p->body]);
    return;
  }
  jn_pose parent;
  sv carried;
  gather_parent(s, d, s->lane->group[p->group].parent, &parent, &carried);
  gather_member(s, d, p, &parent, carried);
}

static void add_wrench(double *w, int at, int outside, int lane, const double x[6])
{
  for (int i = 0; i < 6; i++) {
    w[LANES * (at + i) + lane] += x[i];
    w[LANES * (outside + i) + lane] += x[i];
  }
}

static void scatter_wrench(const jn_system *s, jn_data *d, const lane_place *p)
{
  const sv f = d->force[p->body];
  jn_pose parent;
  sv motion;
  const int c = p->group < 0 ? p->lane : s->lane->group[p->group].parent;
  gather_parent(s, d, c, &parent, &motion);
  const v3 at = v3_sub(parent.p, d->station[s->body[p->body].station]);
  const sv own = sv_rotate_back(parent.r, sv_shift_force(f, at));
  if (p->group < 0) {
    d->lane->core[c].force = own;
    return;
  }
  const lane_group *k = &s->lane->group[p->group];
  const int field = k->pose[p->lane * LANE_BODIES + p->member].force;
  double *w = d->lane->w[p->group];
  const double x[6] = {own.a.x, own.a.y, own.a.z, own.l.x, own.l.y, own.l.z};
  add_wrench(w, field, k->outside, p->lane, x);
  if (p->lane > 0) return;
  for (int lane = k->lanes; lane < LANES; lane++)  // free ones stay copies of the first
    add_wrench(w, field, k->outside, lane, x);
}

// The ground, as the frame that moves with the base sees it. Where no base floats, the frame rests in the design position: that
// of the general path, which goes along with a slide on the ground, does not. Poses of bodies in lanes are about its origin.
void jn_lane_gather_ground(const jn_system *s, jn_data *d)
{
  for (int i = 0; i < s->lane->nstation; i++) d->station[s->lane->station[i]] = v3_set(0, 0, 0);
  if (jn_lane_has_rest(s->lane)) return;  // the general path's functions have done it
  jn_frame_state *f = &d->frame[0];
  if (!s->frame[0].floating) {
    f->r = m3_identity();
    f->moved = f->velocity = v3_set(0, 0, 0);
  }
  d->pose[0].r = m3_transpose(f->r);
  d->pose[0].p = v3_neg(m3_tmul_v3(f->r, f->moved));
  d->twist[0] = sv_make(v3_set(0, 0, 0), v3_neg(m3_tmul_v3(f->r, f->velocity)));
  d->accel[0] = sv_make(v3_set(0, 0, 0), v3_neg(m3_tmul_v3(f->r, s->gravity)));
}

// In a joint of the core: its coordinate, as the general path has it, and the force on it.
static void apply_in_joint(const jn_system *s, jn_data *d, const double *y, const lane_ungrouped *k)
{
  d->q[k->q] = y[k->lane_q];
  d->v[k->v] = y[k->lane_v];
  d->tau[k->v] = 0.0;
  jn_element_apply(s, d, k->element);
  d->lane->core[k->core].tau[k->coordinate] += d->tau[k->v];
}

// In a hinge between two core bodies that are hinged on a third about the same axis.
static void apply_difference(const jn_system *s, jn_data *d, const double *y,
                             const lane_ungrouped *k)
{
  const lane_core *less = &s->lane->core[k->less];
  const double turn = 6.283185307179586, other = d->turn[s->joint[less->body].q];
  d->q[k->q] =
      k->sign * (y[k->lane_q] + turn * d->turn[k->q]) - k->less_sign * (y[less->q] + turn * other);
  d->v[k->v] = k->sign * y[k->lane_v] - k->less_sign * y[less->v];
  d->tau[k->v] = 0.0;
  jn_element_apply_as(s, d, k->as);
  d->lane->core[k->core].tau[0] += k->sign * d->tau[k->v];
  d->lane->core[k->less].tau[0] -= k->less_sign * d->tau[k->v];
}

// The core body knows where it is in the world.
static void apply_contact(const jn_system *s, jn_data *d, const lane_ungrouped *k)
{
  lane_core_data *c = &d->lane->core[k->core];
  const sv f =
      jn_contact_apply(s, d, &s->element[k->element], &c->world, c->place, sv_make(c->w, c->v));
  c->force = k->alone ? f : sv_add(c->force, f);
}

static void apply_ungrouped(const jn_system *s, jn_data *d, const double *y)
{
  const jn_lane *l = s->lane;
  for (int i = 0; i < l->nungrouped; i++) {  // others are zero, and stay so
    const lane_ungrouped *k = &l->ungrouped[i];
    if (k->core >= 0) d->lane->core[k->core].tau[k->coordinate] = 0.0;
    if (k->less >= 0) d->lane->core[k->less].tau[0] = 0.0;
  }
  if (l->nplace) jn_lane_gather_ground(s, d);
  for (int i = 0; i < l->nplace; i++) gather_body(s, d, &l->place[i]);
  for (int i = 0; i < l->nungrouped; i++) {
    if (l->ungrouped[i].contact)
      continue;
    else if (l->ungrouped[i].less >= 0)
      apply_difference(s, d, y, &l->ungrouped[i]);
    else if (l->ungrouped[i].core >= 0)
      apply_in_joint(s, d, y, &l->ungrouped[i]);
    else if (l->ungrouped[i].wheel >= 0)
      jn_wheel_apply(s, d, l->ungrouped[i].wheel);
    else
      jn_element_apply(s, d, l->ungrouped[i].element);
  }
  for (int i = 0; i < l->nplace; i++) scatter_wrench(s, d, &l->place[i]);
  for (int i = 0; i < l->nungrouped; i++)
    if (l->ungrouped[i].contact) apply_contact(s, d, &l->ungrouped[i]);
}

// ---- one evaluation -------------------------------------------------------------------------------

void jn_lane_evaluate(const jn_system *s, jn_data *d, const double *y, double *dy, double *rate)
{
  const jn_lane *l = s->lane;
  jn_lane_data *k = d->lane;
  l->core_engine->kinematics(s, d, y, dy);
  for (int g = 0; g < l->ngroup; g++) {
    const lane_run *r = run_at(s, d, g, y, dy, rate);
    run_phase(s, g, LANE_POSE, r);
    run_phase(s, g, LANE_FACTORS, r);
    run_phase(s, g, LANE_RATE, r);
    run_phase(s, g, LANE_MOTION, r);
  }
  if (l->nsensor) jn_lane_sense(s, d, y);
  jn_components_late(s, d);
  scatter_actuators(s, d);
  d->power = 0.0;
  if (l->nungrouped || l->nplace) apply_ungrouped(s, d, y);
  for (int g = 0; g < l->ngroup; g++) {
    run_phase(s, g, LANE_FORCE, &k->run[g]);
    run_phase(s, g, LANE_INERTIA, &k->run[g]);
    double *sum = k->sum + (size_t)g * LANE_NSUM;
    l->engine->sum(k->w[g] + (size_t)l->group[g].out * LANES, l->group[g].lanes, sum);
    d->power += sum[LANE_SUM_POWER];
  }
  l->core_engine->solve(s, d, dy);
  for (int g = 0; g < l->ngroup; g++) run_phase(s, g, LANE_ACCELERATIONS, &k->run[g]);
}

void jn_lane_phase(const jn_system *s, jn_data *d, lane_phase phase)
{
  for (int g = 0; g < s->lane->ngroup; g++) {
    const lane_run *r = run_at(s, d, g, d->lane->y, d->lane->dy, d->lane->rate);
    run_phase(s, g, phase, r);
  }
}

// Rate of a wheel body's angle: its spin against its carrier.
double jn_lane_roll_rate(const jn_system *s, const jn_data *d, int g, int lane,
                         const lane_roller *k, const double *y)
{
  const lane_group *group = &s->lane->group[g];
  const lane_pose *m = &group->pose[lane * LANE_BODIES + k->carrier];
  const double *w = d->lane->w[g], *parent = d->lane->parent[g];
  const v3 turning = v3_add(v3_load(parent + LANE_PARENT_W), jn_lane_vector(w, m->v, lane));
  const v3 axis = m->r >= 0 ? m3_mul_v3(matrix_at(w, m->r, lane), k->axis) : k->axis;
  return k->sign * (y[group->v + LANES * k->v + lane] - v3_dot(axis, turning));
}

// Rates of positions with other velocities, at the positions of the last evaluation.
void jn_lane_qdot(const jn_system *s, jn_data *d, const double *y, double *dq)
{
  const jn_lane *l = s->lane;
  memcpy(dq, d->lane->dy, (size_t)l->nq * sizeof *dq);
  l->core_engine->kinematics(s, d, y, dq);
  for (int g = 0; g < l->ngroup; g++) {
    const lane_group *k = &l->group[g];
    const lane_run *r = run_at(s, d, g, y, dq, d->lane->rate);
    run_phase(s, g, LANE_RATE, r);
    if (!k->nroller) continue;
    run_phase(s, g, LANE_MOTION, r);
    for (int lane = 0; lane < LANES; lane++)
      for (int i = 0; i < k->nroller; i++) {
        const int from = lane < k->lanes ? lane : 0;
        const lane_roller *roller = &k->roller[from * LANE_BODIES + i];
        dq[k->q + LANES * roller->q + lane] = jn_lane_roll_rate(s, d, g, lane, roller, y);
      }
  }
}

static void close_apart(const jn_system *s, jn_data *d, double *y)
{
  const jn_lane *l = s->lane;
  for (int i = 0; i < l->nbrake_alone; i++) {
    double *z = &y[l->brake_alone[i]];
    *z = brake_in_range(*z);
  }
  for (int i = 0; i < l->ncut; i++) {  // turns are counted on, from the last evaluation's poses
    double rate;
    v3 axis;
    double *angle = &d->cut_angle[l->cut[i]];
    *angle = jn_cut_coordinate(s, d, l->cut[i], *angle, &rate, &axis);
  }
}

void jn_lane_close(const jn_system *s, jn_data *d)
{
  const jn_lane *l = s->lane;
  double *y = d->lane->y;
  if (jn_lane_has_rest(l)) jn_lane_rest_close(s, d, y);  // joints that groups share, too
  for (int g = 0; g < l->ngroup; g++) {
    const lane_group *k = &l->group[g];
    const lane_run *r = run_at(s, d, g, y, d->lane->dy, d->lane->rate);
    if (k->nop[LANE_CORRECTIONS]) {  // at the new positions, with the factors of the old ones
      l->core_engine->publish_shared(k, d, y, d->lane->shared[g]);
      run_phase(s, g, LANE_POSE, r);
      run_phase(s, g, LANE_CORRECTIONS, r);
    }
    run_phase(s, g, LANE_CLOSURE, r);
  }
  for (int i = 0; i < l->nbrake; i++) {
    double *z = &y[l->brake[i]];
    for (int lane = 0; lane < LANES; lane++) z[lane] = brake_in_range(z[lane]);
  }
  if (l->closes_apart) close_apart(s, d, y);
  for (int i = 0; i < l->nunit; i++) {
    double *at = y + l->unit[i];
    const q4 x = q_normalise(q_make(at[0], v3_load(at + 1)));
    at[0] = x.w, at[1] = x.x, at[2] = x.y, at[3] = x.z;
  }
  for (int i = 0; i < l->nround; i++) {
    double *at = y + l->round[i].q;
    const double turn = 6.283185307179586, whole = __builtin_rint(*at / turn);
    *at = r_fma(-turn, whole, *at);
    d->turn[l->round[i].turn] += whole;
  }
}

double jn_lane_pivots(const jn_system *s, jn_data *d)
{
  s->lane->core_engine->kinematics(s, d, d->lane->y, d->lane->dy);
  jn_lane_phase(s, d, LANE_POSE);
  jn_lane_phase(s, d, LANE_FACTORS);
  return s->lane->core_engine->health(s, d).pivots;
}

// ---- the way in and out ---------------------------------------------------------------------------

double *jn_lane_field(const jn_data *d, int group, lane_section section, int field, int lane)
{
  const lane_group *k = &d->system->lane->group[group];
  const bool state = section != LANE_FOLLOWS && section != LANE_TURNS;
  return (state ? d->lane->y + jn_lane_section_at(k, section) : d->lane->w[group]) +
         (LANES * field + lane);
}

static void copy_numbers(double *own, double *general, int n, bool in)
{
  memcpy(in ? own : general, in ? general : own, (size_t)n * sizeof *own);
}

static void copy_core(const jn_system *s, jn_data *d, bool in)
{
  const jn_lane *l = s->lane;
  double *y = d->lane->y;
  if (jn_lane_has_rest(l)) jn_lane_rest_copy(s, y, d->y, d->y + s->nq, in);
  for (int i = 0; i < l->ncore && !jn_lane_has_rest(l); i++) {
    const jn_tree_joint *j = &s->joint[l->core[i].body];
    copy_numbers(y + l->core[i].q, d->y + j->q, j->nq, in);
    copy_numbers(y + l->core[i].v, d->y + s->nq + j->v, j->nv, in);
  }
  double *x = d->y + s->nq + s->nv;
  for (int i = 0; i < l->nplain; i++) copy_numbers(&y[l->core_x + i], &x[l->plain[i]], 1, in);
  for (int i = 0; i < l->ndeclared; i++) copy_numbers(&y[l->core_e + i], &x[l->declared[i]], 1, in);
}

// The workspace as no evaluation leaves it otherwise: what is constant in it.
static void begin_workspace(const jn_system *s, jn_data *d)
{
  const jn_lane *l = s->lane;
  *d->lane->ground = (lane_core_data){.world = m3_identity(), .place = s->frame[0].origin};
  d->lane->ground->accel.l = v3_neg(s->gravity);
  for (int i = 0; i < l->ncore; i++) {
    lane_core_data *c = &d->lane->core[i];
    c->r = m3_identity();
    c->s[0] = sv_make(v3_set(0, 0, 0), s->joint[l->core[i].body].axis);  // of a slide
  }
  if (jn_lane_has_rest(l)) jn_lane_rest_begin(s, d);
  for (int g = 0; g < l->ngroup; g++) {
    const lane_group *k = &l->group[g];
    memcpy(d->lane->w[g], k->image, (size_t)(k->nw * LANES) * sizeof *k->image);
    memset(d->lane->shared[g], 0, (size_t)((k->nsq + 2 * k->ns) * LANES) * sizeof *k->image);
    for (int i = 0; i < k->nsq * LANES; i++)  // of joints at rest nobody writes it again
      d->lane->shared[g][i] = k->given_q[i % LANES * k->nsq + i / LANES].rest;
    d->lane->run[g] = (lane_run){.w = d->lane->w[g],
                                 .p = k->p,
                                 .parent = d->lane->parent[g],
                                 .in = d->lane->in[g],
                                 .shared = d->lane->shared[g],
                                 .table = s->table,
                                 .plugin = s->tyre_plugin,
                                 .road = s->road_object};
    for (int phase = 0; phase < LANE_NPHASE; phase++)
      if (k->nop[phase] && k->compiled[phase] >= 0)
        d->lane->run[g].compiled[phase] = l->engine->compiled[k->compiled[phase]];
  }
}

void jn_lane_enter(const jn_system *s, jn_data *d)
{
  const jn_lane *l = s->lane;
  begin_workspace(s, d);
  jn_general_positions(s, d);
  jn_general_velocities(s, d);
  for (int g = 0; g < l->ngroup; g++) {
    const lane_group *k = &l->group[g];
    for (int lane = 0; lane < LANES; lane++) {
      const int from = lane < k->lanes ? lane : 0;  // free lanes are copies of the first
      for (int i = 0; i < k->nlink; i++) {
        const lane_state_map *link = &k->link[from * k->nlink + i];
        double *to = jn_lane_field(d, g, link->section, link->field, lane);
        if (link->section == LANE_FOLLOWS) continue;
        if (link->section == LANE_TURNS)
          *to = d->turn[link->general];
        else if (link->rotor >= 0)
          *to = v3_dot(m3_mul_v3(d->pose[link->rotor].r, link->axis), d->twist[link->rotor].a);
        else
          *to = d->y[link->general];
      }
    }
  }
  copy_core(s, d, true);
}

void jn_lane_leave(const jn_system *s, jn_data *d)
{
  const jn_lane *l = s->lane;
  copy_core(s, d, false);
  // Velocities that follow from others are those of the present state; of the rest they are left in the common one.
  l->core_engine->kinematics(s, d, d->lane->y, d->lane->dy);
  for (int g = 0; g < l->ngroup; g++) {
    const lane_group *k = &l->group[g];
    const lane_run *r = run_at(s, d, g, d->lane->y, d->lane->dy, d->lane->rate);
    run_phase(s, g, LANE_POSE, r);
    run_phase(s, g, LANE_FACTORS, r);
    run_phase(s, g, LANE_RATE, r);
    run_phase(s, g, LANE_MOTION, r);
    run_phase(s, g, LANE_FORCE, r);  // wheels: their speed against the carrier
    for (int lane = 0; lane < k->lanes; lane++)
      for (int i = 0; i < k->nlink; i++) {
        const lane_state_map *link = &k->link[lane * k->nlink + i];
        const double x = *jn_lane_field(d, g, link->section, link->field, lane);
        if (link->section == LANE_TURNS)
          d->turn[link->general] = x;
        else if (link->rotor < 0)
          d->y[link->general] = x;
      }
  }
}

// ---- what lasts -----------------------------------------------------------------------------------

int jn_lane_turns(const jn_lane *l)
{
  int n = 0;
  for (int g = 0; g < l->ngroup; g++)
    for (int i = 0; i < l->group[g].nlink; i++)
      n += LANES * (l->group[g].link[i].section == LANE_TURNS);
  return n;
}

// Counts of turns are part of the operation lists' workspace: to it, or from it. The others are bytes, which may stand anywhere.
static void copy_turns(const jn_system *s, const jn_data *d, unsigned char *turn, bool in)
{
  for (int g = 0; g < s->lane->ngroup; g++) {
    const lane_group *k = &s->lane->group[g];
    for (int i = 0; i < k->nlink; i++) {
      if (k->link[i].section != LANE_TURNS) continue;
      double *w = d->lane->w[g] + LANES * k->link[i].field;  // lanes are alike in their fields
      memcpy(in ? (void *)w : turn, in ? turn : (void *)w, LANES * sizeof *w);
      turn += LANES * sizeof *w;
    }
  }
}

void jn_lane_save_turns(const jn_system *s, const jn_data *d, void *turn)
{
  copy_turns(s, d, turn, false);
}

void jn_lane_restore(const jn_system *s, jn_data *d)
{
  begin_workspace(s, d);
  copy_turns(s, d, (unsigned char *)d->lane->turn, true);
}
