// view.c: the lanes' numbers in the arrays of the general path, for rows of channels: only what a selection asks for. What is
// recorded is what was integrated.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rmath.h"
#include "solve/fast/fast.h"
#include "solve/general/forces.h"

// ---- bodies, where the general path has them ----------------------------------------------------------

// In its frame, about its station.
static void put_body(const jn_system *s, jn_data *d, const lane_place *place)
{
  if (place->group == LANE_REST_BODY) return;  // it is there
  lane_body_motion m;
  jn_lane_body_motion(s, d, place, true, &m);
  const int frame = s->body[place->body].frame;
  const jn_frame_state *f = &d->frame[frame];
  jn_pose *pose = &d->pose[place->body];
  const v3 at = v3_sub(m.p, v3_add(s->frame[frame].origin, f->moved));
  pose->r = m3_tmul(f->r, m.r);
  pose->p = v3_sub(m3_tmul_v3(f->r, at), d->station[s->body[place->body].station]);
  const v3 velocity = m3_tmul_v3(f->r, v3_sub(m.v, f->velocity));
  const v3 w = m3_tmul_v3(f->r, m.w), dw = m3_tmul_v3(f->r, m.dw), a = m3_tmul_v3(f->r, m.a);
  d->force[place->body] = sv_make(v3_set(0, 0, 0), v3_set(0, 0, 0));
  d->twist[place->body] = sv_make(w, v3_sub(velocity, v3_cross(w, pose->p)));
  // of the point which passes the station
  d->accel[place->body] =
      sv_make(dw, v3_sub(v3_sub(a, v3_cross(w, velocity)), v3_cross(dw, pose->p)));
}

// ---- channels that are numbers of the lanes ------------------------------------------------------------

static bool find_output(const jn_system *s, bool wheel, int index, int number, lane_gather *out)
{
  for (int g = 0; g < s->lane->ngroup; g++) {
    const lane_group *k = &s->lane->group[g];
    for (int i = 0; i < k->lanes * k->noutput; i++) {
      if (k->output[i].wheel != wheel || k->output[i].index != index) continue;
      *out = (lane_gather){.from = LANE_FROM_FIELD, .group = g, .turns = -1, .general = -1};
      out->at = LANES * (k->output[i].field + number) + i / k->noutput;
      return true;
    }
  }
  return false;
}

static bool find_wheel(const jn_system *s, int index, const char *last, lane_gather *out)
{
  static const struct {
    const char *name;
    int number;
  } known[] = {
#define X(id, member, channel) {channel, WHEEL_ROW_##id},
      WHEEL_ROW_TYRE(X)
#undef X
          {"speed", WHEEL_ROW_SPIN},
      {"braking", WHEEL_ROW_BRAKE},
      {"x", WHEEL_ROW_CENTRE},
      {"y", WHEEL_ROW_CENTRE + 1},
      {"z", WHEEL_ROW_CENTRE + 2},
      {"contact_x", WHEEL_ROW_CONTACT},
      {"contact_y", WHEEL_ROW_CONTACT + 1},
      {"contact_z", WHEEL_ROW_CONTACT + 2},
      {"road", WHEEL_ROW_ROAD},
      {"friction", WHEEL_ROW_FRICTION}};
  if (!jn_lane_has_wheel(s, index)) return false;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(last, known[i].name)) return find_output(s, true, index, known[i].number, out);
  return false;
}

// Of a tree joint with one coordinate: position with its turns, or velocity.
static bool find_coordinate(const jn_system *s, int body, bool velocity, lane_gather *out)
{
  const jn_lane *l = s->lane;
  const jn_tree_joint *j = &s->joint[body];
  *out = (lane_gather){.from = LANE_FROM_Y, .turns = -1, .general = -1};
  const int core = jn_lane_core_of(l, body);
  if (core >= 0) {
    const lane_core *k = &l->core[core];
    out->at = velocity ? k->v : k->q;
    out->general = velocity || k->kind == JN_JOINT_TRANSLATIONAL ? -1 : j->q;
    return true;
  }
  bool found = false;
  for (int g = 0; g < l->ngroup; g++) {
    const lane_group *k = &l->group[g];
    for (int i = 0; i < k->lanes * k->nlink; i++) {
      const lane_state_map *link = &k->link[i];
      const int at = LANES * link->field + i / k->nlink;
      const bool own = link->general == (velocity ? s->nq + j->v : j->q) && link->rotor < 0;
      if (!own || link->section == LANE_X || link->section == LANE_E) continue;
      if (link->section == LANE_TURNS ? velocity : (link->section != LANE_Q) != velocity) continue;
      if (link->section == LANE_TURNS) {
        out->turns = at, out->group = g;
        continue;
      }
      found = true;
      out->group = g;
      out->from = link->section == LANE_FOLLOWS ? LANE_FROM_FIELD : LANE_FROM_Y;
      out->at = at + jn_lane_section_at(k, link->section);
    }
  }
  return found;
}

// What the prescribed motion of a parent body's joint needs.
static bool find_drive(const jn_system *s, int body, lane_gather *out)
{
  const int core = jn_lane_core_of(s->lane, body);
  *out = (lane_gather){.from = LANE_FROM_DRIVE, .at = core, .turns = -1, .general = -1};
  return core >= 0 && s->lane->core[core].drive >= 0;
}

bool jn_lane_gather_find(const jn_system *s, const jn_subject *o, int channel, lane_gather *out)
{
  *out = (lane_gather){.from = LANE_FROM_TIME, .turns = -1, .general = -1};
  if (o->kind == JN_SUBJECT_TIME) return true;
  if (o->kind == JN_SUBJECT_INPUT) {
    out->from = LANE_FROM_SIGNAL;
    out->at = 3 * o->index;  // each has its rates beside it
    return true;
  }
  const char *last = strrchr(s->channel[channel].name, '.');
  if (!last) return false;
  last++;
  if (o->kind == JN_SUBJECT_ELEMENT)
    return channel - o->first < jn_element_kinds[s->element[o->index].kind].nout &&
           find_output(s, false, o->index, channel - o->first, out);
  if (o->kind == JN_SUBJECT_WHEEL) return find_wheel(s, o->index, last, out);
  if (o->kind != JN_SUBJECT_JOINT) return false;
  const jn_joint_kind kind = s->model->edge[o->index].kind;
  const int body = s->body_of_edge[o->index];
  if (!strcmp(last, "drive")) return find_drive(s, body, out);
  if ((kind != JN_JOINT_REVOLUTE && kind != JN_JOINT_TRANSLATIONAL) || body < 0 ||
      s->joint[body].drive >= 0 || jn_lane_is_rotor(s, body))
    return false;
  const bool position = !strcmp(last, "angle") || !strcmp(last, "position");
  return (position || !strcmp(last, "speed")) && find_coordinate(s, body, !position, out);
}

static bool is_plain(const lane_gather *g)
{
  return g->from <= LANE_FROM_SIGNAL && g->turns < 0 && g->general < 0;
}

static int by_place(const void *p, const void *q)
{
  const lane_gather *a = p, *b = q;
  const int key[][2] = {{is_plain(b), is_plain(a)},
                        {(int)a->from, (int)b->from},
                        {a->group, b->group},
                        {a->at, b->at}};
  for (int i = 0; i < 4; i++)
    if (key[i][0] != key[i][1]) return key[i][0] < key[i][1] ? -1 : 1;
  return a->to - b->to;
}

int jn_lane_gather_order(lane_gather *g, int n, lane_gathers *out)
{
  int nrun = 0;
  qsort(g, (size_t)n, sizeof *g, by_place);
  for (int i = 0; i < n; i++) {
    lane_gathers *last = nrun ? &out[nrun - 1] : NULL;
    if (!last || last->from != g[i].from || last->group != g[i].group ||
        last->plain != is_plain(&g[i]))
      out[nrun++] = (lane_gathers){g[i].from, g[i].group, is_plain(&g[i]), i, 1};
    else
      last->n++;
  }
  return nrun;
}

static const double *source_of(const jn_data *d, lane_source from, int group)
{
  return from == LANE_FROM_Y        ? d->lane->y
         : from == LANE_FROM_DY     ? d->lane->dy
         : from == LANE_FROM_SIGNAL ? d->in[0]
                                    : d->lane->w[group];
}

static double gather_one(const jn_data *d, const lane_gather *g)
{
  if (g->from == LANE_FROM_TIME) return d->t;
  if (g->from == LANE_FROM_DRIVE) return d->lane->core[g->at].effort;
  double x = source_of(d, g->from, g->group)[g->at];
  if (g->turns >= 0) x += 2.0 * M_PI * d->lane->w[g->group][g->turns];
  if (g->general >= 0) x += 2.0 * M_PI * d->turn[g->general];
  return x;
}

void jn_lane_gather(const jn_data *d, const lane_gather *g, const lane_gathers *run, int nrun,
                    double *row)
{
  for (const lane_gathers *k = run; k < run + nrun; k++) {
    const lane_gather *from = g + k->first, *end = from + k->n;
    if (!k->plain) {
      for (; from < end; from++) row[from->to] = gather_one(d, from);
      continue;
    }
    const double *at = source_of(d, k->from, k->group);
    for (; from < end; from++) row[from->to] = at[from->at];
  }
}

// ---- all of a view ------------------------------------------------------------------------------------

static void put_residuals(const jn_system *s, jn_data *d)
{
  d->now_position_norm = d->now_velocity_norm = 0.0;
  for (int g = 0; g < s->lane->ngroup; g++) {
    const lane_group *k = &s->lane->group[g];
    for (int lane = 0; k->residuals >= 0 && lane < k->lanes; lane++) {
      const double *w = d->lane->w[g] + (size_t)(LANES * k->residuals) + lane;
      if (!(w[0] <= d->now_position_norm)) d->now_position_norm = w[0];
      if (!(w[LANES] <= d->now_velocity_norm)) d->now_velocity_norm = w[LANES];
    }
  }
  const jn_part *p = &s->lane->rest.part;
  for (int k = 0; k < p->ncut; k++)
    for (int r = s->cut[p->cut[k]].row; r < s->cut[p->cut[k]].row + s->cut[p->cut[k]].nrow; r++) {
      const double open = fabs(d->residual[r]), rate = fabs(d->residual_rate[r]);
      if (!(open <= d->now_position_norm)) d->now_position_norm = open;
      if (!(rate <= d->now_velocity_norm)) d->now_velocity_norm = rate;
    }
}

// What op_wheel_row has put into fields.
static void put_wheel(jn_data *d, const lane_gathered *g)
{
  const double *w = d->lane->w[g->group] + (size_t)(LANES * g->of.field) + g->lane;
  jn_wheel_state *k = &d->wheel[g->of.index];
#define X(id, member, channel) k->tyre.member = w[LANES * WHEEL_ROW_##id];
  WHEEL_ROW_TYRE(X)
#undef X
  k->spin = w[LANES * WHEEL_ROW_SPIN], k->road = w[LANES * WHEEL_ROW_ROAD];
  k->friction = w[LANES * WHEEL_ROW_FRICTION];
  k->torque = w[LANES * WHEEL_ROW_BRAKE];
  k->centre = jn_lane_vector(w, WHEEL_ROW_CENTRE, 0);
  k->contact = jn_lane_vector(w, WHEEL_ROW_CONTACT, 0);
  const m3 frame = d->frame[d->system->body[d->system->wheel[g->of.index].body].frame].r;
  k->axis = m3_tmul_v3(frame, jn_lane_vector(w, WHEEL_ROW_AXIS, 0));
  k->normal = m3_tmul_v3(frame, jn_lane_vector(w, WHEEL_ROW_NORMAL, 0));
}

static void put_element(const jn_system *s, jn_data *d, const lane_gathered *g)
{
  const double *w = d->lane->w[g->group] + (size_t)(LANES * g->of.field) + g->lane;
  const jn_element *e = &s->element[g->of.index];
  for (int i = 0; i < jn_element_kinds[e->kind].nout; i++) d->element[e->output + i] = w[LANES * i];
}

void jn_lane_view_fill(const jn_lane_view *view, const jn_system *s, jn_data *d)
{
  const jn_lane_data *k = d->lane;
  for (int g = 0; g < view->ngroup; g++)
    if (view->nop[g])
      s->lane->engine->list(view->op[g], view->nop[g], s->lane->group[g].lanes, &k->run[g]);
  if (view->nplace || view->ngathered || view->nagain) jn_lane_gather_ground(s, d);
  for (int i = 0; i < view->ncopy; i++) {
    const lane_copy *c = &view->copy[i];
    const double *from = source_of(d, c->from, c->group);
    double *to = c->to == LANE_TO_Y ? d->y : c->to == LANE_TO_TURNS ? d->turn : d->qdd;
    to[c->index] = from[c->at];
  }
  for (int i = 0; i < view->nplace; i++) put_body(s, d, &view->place[i]);
  for (int i = 0; i < view->ngathered; i++) {
    const lane_gathered *g = &view->gathered[i];
    if (g->of.wheel)
      put_wheel(d, g);
    else
      put_element(s, d, g);
  }
  const double power = d->power;
  for (int i = 0; i < view->nagain; i++) jn_wheel_apply(s, d, view->again[i]);
  d->power = power;
  if (view->residuals) put_residuals(s, d);
}

// ---- what it needs --------------------------------------------------------------------------------------

static void add_copy(jn_lane_view *v, lane_copy c)
{
  v->copy[v->ncopy++] = c;
}

static void add_core_joint(const jn_system *s, const lane_core *k, jn_lane_view *v)
{
  const jn_tree_joint *j = &s->joint[k->body];
  for (int i = 0; i < j->nq && k->drive < 0; i++)
    add_copy(v, (lane_copy){LANE_FROM_Y, 0, k->q + i, LANE_TO_Y, j->q + i});
  for (int i = 0; i < j->nv; i++) {
    add_copy(v, (lane_copy){LANE_FROM_Y, 0, k->v + i, LANE_TO_Y, s->nq + j->v + i});
    add_copy(v, (lane_copy){LANE_FROM_DY, 0, k->v + i, LANE_TO_ACCELERATION, j->v + i});
  }
}

static int joint_of(const jn_system *s, const lane_state_map *link)  // body, -1: a state
{
  if (link->section == LANE_X || link->section == LANE_E) return -1;
  if (link->section != LANE_Q && link->section != LANE_TURNS)
    return jn_lane_body_of_speed(s, link->general - s->nq);
  for (int i = s->nframe; i < s->nbody; i++)
    if (link->general >= s->joint[i].q && link->general < s->joint[i].q + s->joint[i].nq) return i;
  return -1;
}

static void add_link(const jn_system *s, int g, int lane, const lane_state_map *link,
                     const lane_wanted *want, jn_lane_view *v)
{
  const lane_group *k = &s->lane->group[g];
  const int body = joint_of(s, link), at = LANES * link->field + lane;
  if (body < 0 ? !want->state[link->general - s->nq - s->nv] : !want->joint[body]) return;
  if (link->section == LANE_TURNS) {
    add_copy(v, (lane_copy){LANE_FROM_FIELD, g, at, LANE_TO_TURNS, link->general});
  } else if (link->section == LANE_FOLLOWS) {
    add_copy(v, (lane_copy){LANE_FROM_FIELD, g, at, LANE_TO_Y, link->general});
    if (link->second >= 0 && want->accelerations)
      add_copy(v, (lane_copy){LANE_FROM_FIELD, g, LANES * link->second + lane, LANE_TO_ACCELERATION,
                              link->general - s->nq});
  } else if (link->rotor < 0) {
    add_copy(v, (lane_copy){LANE_FROM_Y, 0, jn_lane_section_at(k, link->section) + at, LANE_TO_Y,
                            link->general});
    if (link->section == LANE_V)
      add_copy(
          v, (lane_copy){LANE_FROM_DY, 0, k->v + at, LANE_TO_ACCELERATION, link->general - s->nq});
  }
}

bool jn_lane_has_wheel(const jn_system *s, int i)
{
  if (!jn_lane_takes_wheel(s, i)) return false;
  const tyre_plugin *p = s->wheel[i].plugin;  // which gives its own outputs to one wheel at a time
  return !p || !p->table || !p->table->nout;
}

// Operations of a group's row list that somebody wants, in its order: of motions all, because bodies follow one from another.
static void add_operations(const jn_system *s, int g, bool motions, const lane_wanted *want,
                           jn_lane_view *v)
{
  const lane_group *k = &s->lane->group[g];
  for (int i = 0; i < k->nop[LANE_ROW]; i++) {
    const lane_op *o = &k->op[LANE_ROW][i];
    bool wanted = motions && (o->kind == LANE_COORDINATES || o->kind == LANE_BODY_ACCELERATION);
    wanted |= want->residuals && o->kind == LANE_RESIDUALS;
    for (int j = 0; j < k->lanes * k->noutput; j++) {
      const lane_output *out = &k->output[j];
      if (out->op != i || !(out->wheel ? want->wheel : want->element)[out->index]) continue;
      if (out->wheel && !jn_lane_has_wheel(s, out->index)) continue;
      wanted = true;
      if (!(out->wheel ? want->put_wheel : want->put_element)[out->index]) continue;
      v->gathered[v->ngathered++] = (lane_gathered){*out, g, j / k->noutput};
    }
    if (wanted) v->op[g][v->nop[g]++] = *o;
  }
}

static bool moves_in(const jn_lane_view *v,
                     int g)  // bodies or accelerations of the group are wanted
{
  for (int i = 0; i < v->nplace; i++)
    if (v->place[i].group == g) return true;
  for (int i = 0; i < v->ncopy; i++)
    if (v->copy[i].from == LANE_FROM_FIELD && v->copy[i].to == LANE_TO_ACCELERATION &&
        v->copy[i].group == g)
      return true;
  return false;
}

bool jn_lane_view_create(const jn_system *s, const lane_wanted *want, jn_lane_view *v)
{
  const jn_lane *l = s->lane;
  *v = (jn_lane_view){.ngroup = l->ngroup, .residuals = want->residuals};
  const size_t ncopy = (size_t)(2 * (s->nq + s->nv) + s->nx + s->nq);
  v->place = jn_pool_alloc(&v->pool, (size_t)s->nbody, sizeof *v->place);
  v->copy = jn_pool_alloc(&v->pool, ncopy, sizeof *v->copy);
  v->again = jn_pool_alloc(&v->pool, (size_t)s->nwheel, sizeof *v->again);
  v->gathered = jn_pool_alloc(&v->pool, (size_t)(s->nwheel + s->nelement), sizeof *v->gathered);
  v->op = jn_pool_alloc(&v->pool, (size_t)l->ngroup, sizeof *v->op);
  v->nop = jn_pool_alloc(&v->pool, (size_t)l->ngroup, sizeof *v->nop);
  for (int g = 0; v->op && g < l->ngroup; g++)
    v->op[g] = jn_pool_alloc(&v->pool, (size_t)l->group[g].nop[LANE_ROW], sizeof **v->op);
  if (v->pool.failed) return false;
  for (int i = s->nframe; i < s->nbody; i++)
    if (want->body[i] && jn_lane_find_body(s, l, i, &v->place[v->nplace])) v->nplace++;
  for (int i = 0; i < l->ncore && !jn_lane_has_rest(l); i++)
    if (want->joint[l->core[i].body]) add_core_joint(s, &l->core[i], v);
  for (int g = 0; g < l->ngroup; g++)
    for (int i = 0; i < l->group[g].lanes * l->group[g].nlink; i++)
      add_link(s, g, i / l->group[g].nlink, &l->group[g].link[i], want, v);
  for (int i = 0; i < s->nwheel; i++)
    if (want->put_wheel[i] && jn_lane_takes_wheel(s, i) && !jn_lane_has_wheel(s, i))
      v->again[v->nagain++] = i;
  for (int g = 0; g < l->ngroup; g++)
    add_operations(s, g, want->moves[g] || moves_in(v, g), want, v);
  return true;
}

void jn_lane_view_free(jn_lane_view *v)
{
  jn_pool_free(&v->pool);
  *v = (jn_lane_view){0};
}
