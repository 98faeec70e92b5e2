// view.c: the lanes' numbers in the arrays of the general path, for rows of channels: only what a selection asks for. What is
// recorded is what was integrated.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rmath.h"
#include "solve/fast/fast.h"
#include "solve/general/forces.h"

// ---- accelerations of bodies ------------------------------------------------------------------------

typedef struct
    moving {  // a parent body: angular, and linear of its anchor less gravity; frame axes
  jn_pose pose;
  sv twist, accel;
} moving;

// Of a body that nothing hangs on, nobody has computed it.
static sv parent_acceleration(const jn_system *s, const jn_data *d, int c)
{
  const lane_core *k = &s->lane->core[c];
  const lane_core_data *own = &d->lane->core[c];
  if ((!k->leaf && !k->laned) || k->kind == JN_TREE_BASE) return own->accel;
  sv a = k->up < 0 ? d->lane->ground->accel : parent_acceleration(s, d, k->up);
  a = sv_shift_motion(a, own->at);
  for (int i = 0; i < k->nv; i++) a = sv_axpy(own->qdd[i], own->s[i], a);
  return sv_add(sv_rotate_back(own->r, a), own->bias);
}

// On a slide that nothing reads, the pose stays undone too.
static void complete_slide(const jn_system *s, jn_data *d, int c)
{
  const lane_core *k = &s->lane->core[c];
  if (k->kind != JN_JOINT_TRANSLATIONAL) return;
  lane_core_data *own = &d->lane->core[c];
  const lane_core_data *up = k->up < 0 ? d->lane->ground : &d->lane->core[k->up];
  const double rate = k->drive >= 0 ? d->drive[k->drive].rate : d->lane->y[k->v];
  own->v = v3_axpy(rate, s->joint[k->body].axis, v3_add(up->v, v3_cross(up->w, own->at)));
  own->world = up->world;
  own->place = v3_add(up->place, m3_mul_v3(up->world, own->at));
}

// Of a body in lanes all of it, with those that it hangs on.
static void complete_laned(const jn_system *s, jn_data *d, int c)
{
  const lane_core *k = &s->lane->core[c];
  if (!k->laned) return;
  if (k->up >= 0) complete_laned(s, d, k->up);
  s->lane->core_engine->place(s, d, c, d->lane->y, d->lane->dy);
}

static moving parent_motion(const jn_system *s, jn_data *d, int c)
{
  moving m = {.pose = {m3_identity(), v3_set(0, 0, 0)}};
  m.twist = sv_make(v3_set(0, 0, 0), v3_set(0, 0, 0));
  m.accel = sv_make(v3_set(0, 0, 0), v3_neg(s->gravity));
  if (c < 0) return m;  // the ground, whose frame is that of the world
  complete_laned(s, d, c);
  complete_slide(s, d, c);
  jn_lane_gather_parent(s, d, c, &m.pose, &m.twist);
  m.accel = sv_rotate(m.pose.r, parent_acceleration(s, d, c));
  return m;
}

// A member of a lane: against its parent body, then with it. With p its anchor and v its velocity, both relative, w and A those of
// the parent body: a = A + A_w x p + w x (w x p) + 2 w x v + a_rel.
static sv member_acceleration(const lane_pose *m, const double *w, int lane, const moving *parent)
{
  sv rel = sv_make(jn_lane_vector(w, m->accel, lane), jn_lane_vector(w, m->accel + 3, lane));
  if (m->bias >= 0)
    rel = sv_add(rel,
                 sv_make(jn_lane_vector(w, m->bias, lane), jn_lane_vector(w, m->bias + 3, lane)));
  const sv v = sv_make(jn_lane_vector(w, m->v, lane), jn_lane_vector(w, m->v + 3, lane));
  const v3 p = jn_lane_vector(w, m->p, lane), vp = v3_cross_add(v.a, p, v.l);
  const v3 linear = v3_cross_add(v.a, vp, v3_cross_add(rel.a, p, rel.l));
  const v3 wt = m3_tmul_v3(parent->pose.r, parent->twist.a);
  const sv at = sv_rotate_back(parent->pose.r, parent->accel);
  v3 a = v3_add(at.l, v3_add(v3_cross(at.a, p), linear));
  a = v3_cross_add(wt, v3_cross_add(wt, p, v3_add(vp, vp)), a);
  const v3 angular = v3_add(at.a, v3_cross_add(wt, v.a, rel.a));
  return sv_rotate(parent->pose.r, sv_make(angular, a));
}

static void put_member(const jn_system *s, jn_data *d, const lane_place *p, const moving *parent)
{
  const lane_pose *m = &s->lane->group[p->group].pose[p->lane * LANE_BODIES + p->member];
  jn_lane_gather_member(s, d, p, &parent->pose, parent->twist);
  d->accel[p->body] =
      lane_about_origin(&d->pose[p->body], d->twist[p->body],
                        member_acceleration(m, d->lane->w[p->group], p->lane, parent));
}

// A wheel body is a rotor on its carrier: its spin is the whole angular velocity about the axis.
static void put_rotor(const jn_system *s, jn_data *d, const lane_place *p, const moving *parent)
{
  const lane_group *k = &s->lane->group[p->group];
  const lane_roller *r = &k->roller[p->lane * LANE_BODIES];
  while (r->body != p->body) r++;
  lane_place carrier = {.group = p->group, .lane = p->lane, .member = r->carrier};
  carrier.body = k->pose[p->lane * LANE_BODIES + r->carrier].body;
  put_member(s, d, &carrier, parent);
  const jn_pose *up = &d->pose[carrier.body];
  const sv twist = d->twist[carrier.body], accel = d->accel[carrier.body];
  const jn_tree_joint *j = &s->joint[p->body];
  const r_sin_cos t = r_sincos(d->lane->y[k->q + LANES * r->q + p->lane]);
  jn_pose *pose = &d->pose[p->body];
  pose->r = m3_mul(up->r, m3_about(j->axis, t.cos, t.sin));
  pose->p = v3_add(up->p, m3_mul_v3(up->r, j->at));
  const v3 u = m3_mul_v3(up->r, j->axis);
  const sv screw = sv_make(u, v3_cross(pose->p, u));
  const double rate = jn_lane_roll_rate(s, d, p->group, p->lane, r, d->lane->y);
  const double spinning = d->lane->dy[k->v + LANES * r->v + p->lane];
  const double second = r->sign * spinning - v3_dot(u, accel.a);
  const sv rel = sv_scale(rate, screw);
  d->twist[p->body] = sv_add(twist, rel);
  d->accel[p->body] = sv_axpy(second, screw, sv_add(accel, sv_crm(twist, rel)));
  d->qdd[j->v] = second;
}

static void put_body(const jn_system *s, jn_data *d, const lane_place *p, const moving *parent)
{
  if (p->group == LANE_UNGROUPED_BODY) return;  // it is there
  d->force[p->body] = sv_make(v3_set(0, 0, 0), v3_set(0, 0, 0));
  if (p->group < 0) {
    const moving m = parent_motion(s, d, p->lane);
    d->pose[p->body] = m.pose;
    d->twist[p->body] = m.twist;
    d->accel[p->body] = lane_about_origin(&m.pose, m.twist, m.accel);
  } else if (s->lane->group[p->group].pose[p->lane * LANE_BODIES + p->member].r == -2) {
    put_rotor(s, d, p, parent);
  } else {
    put_member(s, d, p, parent);
  }
}

static void put_inertia(const jn_system *s, jn_data *d, int i)
{
  const jn_body *b = &s->body[i];
  const jn_pose *k = &d->pose[i];
  d->inertia[i] =
      si_from_cg(b->mass, v3_add(k->p, m3_mul_v3(k->r, b->cg)), s3_rotate(k->r, b->inertia));
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
  } known[] = {{"fx", WHEEL_ROW_FX},
               {"fy", WHEEL_ROW_FY},
               {"fz", WHEEL_ROW_LOAD},
               {"mx", WHEEL_ROW_MX},
               {"my", WHEEL_ROW_MY},
               {"mz", WHEEL_ROW_MZ},
               {"speed", WHEEL_ROW_SPIN},
               {"braking", WHEEL_ROW_BRAKE},
               {"x", WHEEL_ROW_CENTRE},
               {"y", WHEEL_ROW_CENTRE + 1},
               {"z", WHEEL_ROW_CENTRE + 2},
               {"contact_x", WHEEL_ROW_CONTACT},
               {"contact_y", WHEEL_ROW_CONTACT + 1},
               {"contact_z", WHEEL_ROW_CONTACT + 2},
               {"road", WHEEL_ROW_ROAD},
               {"slip", WHEEL_ROW_SLIP},
               {"slip_angle", WHEEL_ROW_SLIP_ANGLE},
               {"camber", WHEEL_ROW_CAMBER},
               {"deflection", WHEEL_ROW_DEFLECTION},
               {"vx", WHEEL_ROW_VX},
               {"vy", WHEEL_ROW_VY},
               {"loaded_radius", WHEEL_ROW_LOADED_RADIUS},
               {"rolling_radius", WHEEL_ROW_ROLLING_RADIUS},
               {"utilisation", WHEEL_ROW_UTILISATION},
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
  for (int i = 0; i < l->ncore; i++) {
    if (l->core[i].body != body) continue;
    out->at = velocity ? l->core[i].v : l->core[i].q;
    out->general = velocity ? -1 : j->q;
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
      out->at = at + (link->section == LANE_Q ? k->q : link->section == LANE_V ? k->v : 0);
    }
  }
  return found;
}

// What the prescribed motion of a parent body's joint needs.
static bool find_drive(const jn_system *s, int body, lane_gather *out)
{
  *out = (lane_gather){.from = LANE_FROM_DRIVE, .turns = -1, .general = -1};
  for (int i = 0; i < s->lane->ncore; i++)
    if (s->lane->core[i].body == body && s->lane->core[i].drive >= 0) {
      out->at = i;
      return true;
    }
  return false;
}

bool jn_lane_gather_find(const jn_system *s, const jn_subject *o, int channel, lane_gather *out)
{
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

void jn_lane_gather(const jn_system *s, const jn_data *d, const lane_gather *g, int n, double *row)
{
  const jn_lane_data *k = d->lane;
  (void)s;
  for (int i = 0; i < n; i++, g++) {
    double x = g->from == LANE_FROM_DRIVE ? k->core[g->at].effort
               : g->from == LANE_FROM_Y   ? k->y[g->at]
                                          : k->w[g->group][g->at];
    if (g->turns >= 0) x += 2.0 * M_PI * k->w[g->group][g->turns];
    if (g->general >= 0) x += 2.0 * M_PI * d->turn[g->general];
    row[g->to] = x;
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
  for (int i = 0; i < s->lane->nsubsystem; i++) {
    const jn_part *p = &s->lane->subsystem[i].part;
    for (int k = 0; k < p->ncut; k++)
      for (int r = s->cut[p->cut[k]].row; r < s->cut[p->cut[k]].row + s->cut[p->cut[k]].nrow; r++) {
        const double open = fabs(d->residual[r]), rate = fabs(d->residual_rate[r]);
        if (!(open <= d->now_position_norm)) d->now_position_norm = open;
        if (!(rate <= d->now_velocity_norm)) d->now_velocity_norm = rate;
      }
  }
}

// What op_wheel_row has put into fields.
static void put_wheel(jn_data *d, const lane_gathered *g)
{
  const double *w = d->lane->w[g->group] + (size_t)(LANES * g->of.field) + g->lane;
  jn_wheel_state *k = &d->wheel[g->of.index];
  tyre_out *o = &k->tyre;
  o->fx = w[LANES * WHEEL_ROW_FX], o->fy = w[LANES * WHEEL_ROW_FY];
  o->load = w[LANES * WHEEL_ROW_LOAD];
  o->mx = w[LANES * WHEEL_ROW_MX], o->my = w[LANES * WHEEL_ROW_MY];
  o->mz = w[LANES * WHEEL_ROW_MZ];
  o->slip = w[LANES * WHEEL_ROW_SLIP], o->slip_angle = w[LANES * WHEEL_ROW_SLIP_ANGLE];
  o->camber = w[LANES * WHEEL_ROW_CAMBER], o->deflection = w[LANES * WHEEL_ROW_DEFLECTION];
  o->vx = w[LANES * WHEEL_ROW_VX], o->vy = w[LANES * WHEEL_ROW_VY];
  o->loaded_radius = w[LANES * WHEEL_ROW_LOADED_RADIUS];
  o->rolling_radius = w[LANES * WHEEL_ROW_ROLLING_RADIUS];
  o->utilisation = w[LANES * WHEEL_ROW_UTILISATION];
  k->spin = w[LANES * WHEEL_ROW_SPIN], k->road = w[LANES * WHEEL_ROW_ROAD];
  k->friction = w[LANES * WHEEL_ROW_FRICTION];
  k->torque = w[LANES * WHEEL_ROW_BRAKE];
  k->centre = jn_lane_vector(w, WHEEL_ROW_CENTRE, 0);
  k->contact = jn_lane_vector(w, WHEEL_ROW_CONTACT, 0);
  k->axis = m3_tmul_v3(d->frame[0].r, jn_lane_vector(w, WHEEL_ROW_AXIS, 0));
  k->normal = m3_tmul_v3(d->frame[0].r, jn_lane_vector(w, WHEEL_ROW_NORMAL, 0));
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
  jn_lane_gather_ground(s, d);
  d->accel[0] = sv_make(v3_set(0, 0, 0), v3_neg(m3_tmul_v3(d->frame[0].r, s->gravity)));
  for (int i = 0; i < view->ncopy; i++) {
    const lane_copy *c = &view->copy[i];
    const double *from = c->from == LANE_FROM_Y    ? k->y
                         : c->from == LANE_FROM_DY ? k->dy
                                                   : k->w[c->group];
    double *to = c->to == LANE_TO_Y ? d->y : c->to == LANE_TO_TURNS ? d->turn : d->qdd;
    to[c->index] = from[c->at];
  }
  moving parent = {0};
  for (int i = 0, of = -2; i < view->nplace;
       i++) {  // bodies of one parent body mostly follow each other
    const lane_place *p = &view->place[i];
    const int c = p->group < 0 ? of : s->lane->group[p->group].parent;
    if (c != of) parent = parent_motion(s, d, of = c);
    put_body(s, d, p, &parent);
  }
  for (int i = 0; i < view->nplace && view->inertia; i++) put_inertia(s, d, view->place[i].body);
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
  for (int i = s->nframe; i < s->nbody; i++) {
    const jn_tree_joint *j = &s->joint[i];
    if (link->section == LANE_Q || link->section == LANE_TURNS) {
      if (link->general >= j->q && link->general < j->q + j->nq) return i;
    } else if (link->general - s->nq >= j->v && link->general - s->nq < j->v + j->nv) {
      return i;
    }
  }
  return -1;
}

static void add_link(const jn_system *s, int g, int lane, const lane_state_map *link,
                     const lane_wanted *want, jn_lane_view *v)
{
  const lane_group *k = &s->lane->group[g];
  const int body = joint_of(s, link), at = LANES * link->field + lane;
  const int first[] = {[LANE_Q] = k->q, [LANE_V] = k->v, [LANE_X] = k->x, [LANE_E] = k->e};
  if (body < 0 ? !want->state[link->general - s->nq - s->nv] : !want->joint[body]) return;
  if (link->section == LANE_TURNS) {
    add_copy(v, (lane_copy){LANE_FROM_FIELD, g, at, LANE_TO_TURNS, link->general});
  } else if (link->section == LANE_FOLLOWS) {
    add_copy(v, (lane_copy){LANE_FROM_FIELD, g, at, LANE_TO_Y, link->general});
    if (link->second >= 0 && want->accelerations)
      add_copy(v, (lane_copy){LANE_FROM_FIELD, g, LANES * link->second + lane, LANE_TO_ACCELERATION,
                              link->general - s->nq});
  } else if (link->rotor < 0) {
    add_copy(v, (lane_copy){LANE_FROM_Y, 0, first[link->section] + at, LANE_TO_Y, link->general});
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
  *v = (jn_lane_view){.ngroup = l->ngroup, .residuals = want->residuals, .inertia = want->inertia};
  v->place = calloc((size_t)s->nbody + 1, sizeof *v->place);
  v->copy = calloc((size_t)(2 * (s->nq + s->nv) + s->nx + s->nq + 1), sizeof *v->copy);
  v->again = calloc((size_t)s->nwheel + 1, sizeof *v->again);
  v->gathered = calloc((size_t)(s->nwheel + s->nelement) + 1, sizeof *v->gathered);
  v->op = calloc((size_t)l->ngroup + 1, sizeof *v->op);
  v->nop = calloc((size_t)l->ngroup + 1, sizeof *v->nop);
  if (!v->place || !v->copy || !v->again || !v->gathered || !v->op || !v->nop) return false;
  for (int g = 0; g < l->ngroup; g++)
    if (!(v->op[g] = calloc((size_t)l->group[g].nop[LANE_ROW] + 1, sizeof **v->op))) return false;
  for (int i = s->nframe; i < s->nbody; i++)
    if (want->body[i] && jn_lane_find_body(s, l, i, &v->place[v->nplace])) v->nplace++;
  for (int i = 0; i < l->ncore; i++)
    if (want->joint[l->core[i].body]) add_core_joint(s, &l->core[i], v);
  for (int g = 0; g < l->ngroup; g++)
    for (int i = 0; i < l->group[g].lanes * l->group[g].nlink; i++)
      add_link(s, g, i / l->group[g].nlink, &l->group[g].link[i], want, v);
  for (int i = 0; i < s->nwheel; i++)
    if (want->put_wheel[i] && jn_lane_takes_wheel(s, i) && !jn_lane_has_wheel(s, i))
      v->again[v->nagain++] = i;
  for (int g = 0; g < l->ngroup; g++) add_operations(s, g, moves_in(v, g), want, v);
  return true;
}

void jn_lane_view_free(jn_lane_view *v)
{
  for (int g = 0; v->op && g < v->ngroup; g++) free(v->op[g]);
  free(v->op);
  free(v->nop);
  free(v->gathered);
  free(v->place);
  free(v->copy);
  free(v->again);
  *v = (jn_lane_view){0};
}
