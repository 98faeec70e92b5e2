// write_wheels.c: wheels of a subsystem.
#include <math.h>

#include "plan/build.h"
#include "solve/fast/program_write.h"

// ---- wheel bodies ---------------------------------------------------------------------------------

// By more than its own joint and its tyres.
static bool is_touched(const jn_system *s, int body)
{
  for (int i = s->nframe; i < s->nbody; i++)
    if (s->body[i].parent == body && s->joint[i].kind != JN_TREE_BASE) return true;
  for (int i = 0; i < s->ncut; i++)
    if (s->cut[i].a == body || s->cut[i].b == body) return true;
  for (int i = 0; i < s->nelement; i++)
    if (s->element[i].ends.a == body || s->element[i].ends.b == body) return true;
  for (int i = 0; i < s->nwheel; i++) {
    const jn_wheel *w = &s->wheel[i];
    if (w->carrier == body || w->reaction == body) return true;  // of a wheel element: its own body
  }
  return s->element_in_speed[s->joint[body].v] >= 0;
}

static v3 at_right_angles(v3 a)
{
  const v3 u = fabs(a.x) < 0.6 ? v3_set(1, 0, 0) : v3_set(0, 1, 0);
  return v3_unit(v3_cross(a, u));
}

// Is the mass the same all round the axis through the anchor?
static bool is_of_rotation(const jn_body *k, v3 a)
{
  const v3 n = at_right_angles(a), o = v3_cross(a, n);
  const double size = k->inertia.xx + k->inertia.yy + k->inertia.zz, e = 1e-12;
  const v3 ja = s3_mul_v3(k->inertia, a), jn = s3_mul_v3(k->inertia, n);
  const double along = v3_dot(a, ja), across = v3_dot(n, jn);
  return fabs(v3_dot(n, ja)) + fabs(v3_dot(o, ja)) + fabs(v3_dot(o, jn)) < e * size &&
         fabs(across - v3_dot(o, s3_mul_v3(k->inertia, o))) < e * size && along > 0 &&
         v3_norm(v3_cross(a, k->cg)) < 1e-12;
}

// The reaction of its drive is on its carrier or on the parent body of the subsystem.
static bool reacts_nearby(const jn_system *s, const jn_wheel *w, int carrier)
{
  const int parent = lane_parent_of(s, lane_subsystem_of(s, carrier));
  return w->drive < 0 || w->reaction == carrier || w->reaction == parent;
}

static bool is_rotor(const jn_system *s, int body)
{
  const jn_tree_joint *j = &s->joint[body];
  const int carrier = s->body[body].parent;
  if (lane_subsystem_of(s, body) < 0 || lane_subsystem_of(s, carrier) < 0) return false;
  if (j->kind != JN_JOINT_REVOLUTE || j->drive >= 0 || !is_of_rotation(&s->body[body], j->axis))
    return false;
  const jn_wheel *first = NULL;
  for (int i = 0; i < s->nwheel; i++) {
    const jn_wheel *w = &s->wheel[i];
    if (w->body != body) continue;
    if (w->spin >= 0 || w->carrier != carrier || !reacts_nearby(s, w, carrier)) return false;
    if (v3_norm(v3_cross(j->axis, w->at)) >= 1e-12 || v3_norm(v3_cross(j->axis, w->axis)) >= 1e-12)
      return false;
    if (!first) first = w;
    if (v3_dot(first->axis, w->axis) < 0.0) return false;  // they share one spin
  }
  return first && !is_touched(s, body);
}

bool jn_lane_find_rotors(jn_system *s)
{
  s->rotor = jn_build_array(s, s->nbody, sizeof *s->rotor);
  for (int i = s->nframe; s->rotor && i < s->nbody; i++) {
    const bool rotor = is_rotor(s, i);
    s->rotor[i] = s->like ? s->like->rotor[i] : rotor;
    if (s->rotor[i] && !rotor)
      jn_build_breaks(s,
                      "bodies.%s: the plan has it as a rotor: its mass must be the same all round "
                      "the axis of its bearing, and its tyre's centre on that axis",
                      jn_node_name(s->model, s->body[i].node));
  }
  return s->rotor;
}

bool jn_lane_is_rotor(const jn_system *s, int body)
{
  return s->rotor[body];
}

bool jn_lane_takes_wheel(const jn_system *s, int i)
{
  const jn_wheel *w = &s->wheel[i];
  if (lane_subsystem_of(s, w->body) < 0) return false;
  return w->spin >= 0 ? reacts_nearby(s, w, w->body) : jn_lane_is_rotor(s, w->body);
}

// ---- one wheel ------------------------------------------------------------------------------------

// Is it the first of its body's tyres? They share the spin, which the first one owns.
static bool is_first(const jn_system *s, int wheel)
{
  for (int i = 0; i < wheel; i++)
    if (s->wheel[i].body == s->wheel[wheel].body) return false;
  return true;
}

bool jn_lane_write_wheel(lane_program *b, int i)
{
  const jn_system *s = b->s;
  const jn_wheel *w = &s->wheel[i];
  lane_member *own = &b->m[lane_member_of(b, w->body)];
  const bool body = own->rotor, owner = body && is_first(s, i);
  const lane_member *m = body ? &b->m[own->up] : own;
  const jn_tree_joint *j = &s->joint[w->body];
  const v3 at = body ? v3_add(j->at, w->at) : w->at;
  const double inertia = body ? v3_dot(j->axis, s3_mul_v3(own->inertia, j->axis)) : w->inertia;
  lane_arguments a = {.n = WHEEL_NARG};
  a.a[WHEEL_KIND] = (int)w->tyre.kind;
  a.a[WHEEL_FORM] = w->tyre.form;
  a.a[WHEEL_P_AT] = lane_vector(b, at);
  lane_number(b, w->x);
  a.a[WHEEL_P_AXIS] = lane_vector(b, w->axis);
  a.a[WHEEL_P_INERTIA] = lane_number(b, inertia);
  lane_number(b, (body ? owner : w->gyroscopic) ? inertia : 0.0);
  a.a[WHEEL_P_TYRE] = b->np;
  a.a[WHEEL_NTYRE] = w->tyre.nfield;
  for (int k = 0; k < w->tyre.nfield; k++) lane_number(b, w->tyre.p[k]);
  a.a[WHEEL_R] = m->r, a.a[WHEEL_P] = m->p, a.a[WHEEL_V] = m->v;
  a.a[WHEEL_FORCE] = m->force;
  a.a[WHEEL_POWER] = b->power;
  a.a[WHEEL_X_SPIN] = a.a[WHEEL_V_SPIN] = a.a[WHEEL_Q_ANGLE] = a.a[WHEEL_P_SIGN] =
      a.a[WHEEL_RELATIVE] = -1;
  if (owner) {
    a.a[WHEEL_V_SPIN] = own->spin = b->nv + b->nspin++;
    a.a[WHEEL_Q_ANGLE] = own->q = b->nq++;
    own->sign = v3_dot(j->axis, w->axis) < 0 ? -1.0 : 1.0;
    a.a[WHEEL_P_SIGN] = lane_number(b, own->sign);
    a.a[WHEEL_RELATIVE] = lane_field(b, 1);
    lane_tie_joint(b, own);
    lane_map_state(b, LANE_V, a.a[WHEEL_V_SPIN], s->nq + j->v);
    if (b->nlink) b->link[b->nlink - 1].rotor = w->body, b->link[b->nlink - 1].axis = w->axis;
    lane_map_state(b, LANE_FOLLOWS, a.a[WHEEL_RELATIVE], s->nq + j->v);
  } else if (body) {
    a.a[WHEEL_V_SPIN] = own->spin;
  } else {
    a.a[WHEEL_X_SPIN] = b->nx++;
    lane_map_state(b, LANE_X, a.a[WHEEL_X_SPIN], s->nq + s->nv + w->spin);
  }
  a.a[WHEEL_NSLIP] = w->tyre.nslip;
  a.a[WHEEL_E_SLIP] = b->ne;
  for (int k = 0; k < w->tyre.nslip; k++)
    lane_map_state(b, LANE_E, b->ne++, s->nq + s->nv + w->slip + k);
  a.a[WHEEL_E_COMPLY] = a.a[WHEEL_P_COMPLY] = -1;
  a.a[WHEEL_COMPLIANCE] = 0;
  if (w->comply >= 0) {
    a.a[WHEEL_E_COMPLY] = b->ne;
    for (int k = 0; k < 2; k++) lane_map_state(b, LANE_E, b->ne++, s->nq + s->nv + w->comply + k);
    a.a[WHEEL_P_COMPLY] = lane_number(b, 1.0 / w->compliance_lag);
    for (int k = 0; k < TYRE_NCOMPLIANCE; k++) {
      lane_offset(b, w->compliance[k]);
      if (w->compliance[k] >= 0) a.a[WHEEL_COMPLIANCE] |= 1 << k;
    }
  }
  a.a[WHEEL_E_HOLD] = -1;
  a.a[WHEEL_BRAKE] = -1;
  if (w->hold >= 0 && w->brake >= 0) {
    a.a[WHEEL_BRAKE] = lane_take_input(b, w->brake, false);
    a.a[WHEEL_E_HOLD] = b->ne++;
    lane_map_state(b, LANE_E, a.a[WHEEL_E_HOLD], s->nq + s->nv + w->hold);
  }
  a.a[WHEEL_DRIVE] = w->drive >= 0 ? lane_take_input(b, w->drive, false) : -1;
  a.a[WHEEL_OUTSIDE] = b->outside;
  a.a[WHEEL_ON_TOP] = w->drive >= 0 && w->reaction == b->parent;
  a.a[WHEEL_STEER] = -1;
  if (w->steer >= 0) {
    a.a[WHEEL_STEER] = lane_take_input(b, w->steer, false);
    lane_take_input(b, w->steer, true);  // its rate
  }
  const jn_road *road = &s->binding.road[w->road];
  a.a[WHEEL_ROAD] = road->form;
  a.a[WHEEL_P_ROAD] = a.a[WHEEL_KEEP] = -1;
  if (!(road->form & ROAD_PLAIN)) {
    a.a[WHEEL_P_ROAD] = b->np;
    for (int k = 0; k < road_fields(road->form); k++) lane_number(b, road->p[k]);
  }
  if (road_shape(road->form) == JN_ROAD_CALLS || w->plugin) a.a[WHEEL_KEEP] = lane_field(b, 1);
  lane_write(b, LANE_FORCE, LANE_WHEEL, &a);
  lane_row_of(b, LANE_WHEEL_ROW, &a, (lane_output){.wheel = true, .index = i}, WHEEL_ROW_FIELDS);
  return owner;
}

int jn_lane_marks(const jn_system *s, const jn_data *d, int wheel)
{
  for (int g = 0; s->lane && g < s->lane->ngroup; g++) {
    const lane_group *k = &s->lane->group[g];
    for (int i = 0; i < k->lanes * k->noutput; i++) {
      const lane_output *o = &k->output[i];
      if (!o->wheel || o->index != wheel) continue;
      const int at = k->op[LANE_ROW][o->op].arg[1 + WHEEL_KEEP];  // behind the field of its row
      return at < 0 ? 0 : keep_marks(d->lane->w[g][LANES * at + i / k->noutput]);
    }
  }
  return 0;
}
