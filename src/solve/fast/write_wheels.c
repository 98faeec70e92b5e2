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

typedef struct wheel_writing {
  lane_program *b;
  const jn_wheel *w;
  lane_member *own;  // body that the wheel is or is on
  const lane_member *carrier;
  bool owner;  // of a wheel body: the first of its tyres
  int *a;      // arguments (WHEEL_NARG)
} wheel_writing;

static void put_wheel(const wheel_writing *k)
{
  lane_program *b = k->b;
  const jn_wheel *w = k->w;
  const jn_tree_joint *j = &b->s->joint[w->body];
  const bool body = k->own->rotor;
  const double inertia = body ? v3_dot(j->axis, s3_mul_v3(k->own->inertia, j->axis)) : w->inertia;
  k->a[WHEEL_KIND] = (int)w->tyre.kind;
  k->a[WHEEL_FORM] = w->tyre.form;
  k->a[WHEEL_P_AT] = lane_vector(b, body ? v3_add(j->at, w->at) : w->at);
  lane_number(b, w->x);
  k->a[WHEEL_P_AXIS] = lane_vector(b, w->axis);
  k->a[WHEEL_P_INERTIA] = lane_number(b, inertia);
  lane_number(b, (body ? k->owner : w->gyroscopic) ? inertia : 0.0);
  k->a[WHEEL_P_TYRE] = b->np;
  k->a[WHEEL_NTYRE] = w->tyre.nfield;
  for (int i = 0; i < w->tyre.nfield; i++) lane_number(b, w->tyre.p[i]);
  k->a[WHEEL_R] = k->carrier->r, k->a[WHEEL_P] = k->carrier->p, k->a[WHEEL_V] = k->carrier->v;
  k->a[WHEEL_FORCE] = k->carrier->force;
  k->a[WHEEL_POWER] = b->power;
  k->a[WHEEL_OUTSIDE] = b->outside;
  k->a[WHEEL_ON_TOP] = w->drive >= 0 && w->reaction == b->parent;
}

// A state of its own, or the speed of a wheel body, which the first of its tyres brings in.
static void put_spin(const wheel_writing *k)
{
  lane_program *b = k->b;
  const jn_system *s = b->s;
  const jn_wheel *w = k->w;
  const jn_tree_joint *j = &s->joint[w->body];
  lane_member *own = k->own;
  k->a[WHEEL_X_SPIN] = k->a[WHEEL_V_SPIN] = k->a[WHEEL_Q_ANGLE] = k->a[WHEEL_P_SIGN] =
      k->a[WHEEL_RELATIVE] = -1;
  if (!own->rotor) {
    k->a[WHEEL_X_SPIN] = b->nx++;
    lane_map_state(b, LANE_X, k->a[WHEEL_X_SPIN], s->nq + s->nv + w->spin);
    return;
  }
  if (k->owner) {
    own->spin = b->nv + b->nspin++;
    k->a[WHEEL_Q_ANGLE] = own->q = b->nq++;
    own->sign = v3_dot(j->axis, w->axis) < 0 ? -1.0 : 1.0;
    k->a[WHEEL_P_SIGN] = lane_number(b, own->sign);
    k->a[WHEEL_RELATIVE] = lane_field(b, 1);
    lane_tie_joint(b, own);
    lane_map_state(b, LANE_V, own->spin, s->nq + j->v);
    if (b->nlink) b->link[b->nlink - 1].rotor = w->body, b->link[b->nlink - 1].axis = w->axis;
    lane_map_state(b, LANE_FOLLOWS, k->a[WHEEL_RELATIVE], s->nq + j->v);
  }
  k->a[WHEEL_V_SPIN] = own->spin;
}

// Relaxation, then compliance of the wheel's steer and camber.
static void put_tyre_states(const wheel_writing *k)
{
  lane_program *b = k->b;
  const jn_wheel *w = k->w;
  const int x = b->s->nq + b->s->nv;
  k->a[WHEEL_NSLIP] = w->tyre.nslip;
  k->a[WHEEL_E_SLIP] = b->ne;
  for (int i = 0; i < w->tyre.nslip; i++) lane_map_state(b, LANE_E, b->ne++, x + w->slip + i);
  k->a[WHEEL_E_COMPLY] = k->a[WHEEL_P_COMPLY] = -1;
  k->a[WHEEL_COMPLIANCE] = 0;
  if (w->comply < 0) return;
  k->a[WHEEL_E_COMPLY] = b->ne;
  for (int i = 0; i < 2; i++) lane_map_state(b, LANE_E, b->ne++, x + w->comply + i);
  k->a[WHEEL_P_COMPLY] = lane_number(b, 1.0 / w->compliance_lag);
  for (int i = 0; i < TYRE_NCOMPLIANCE; i++) {
    lane_offset(b, w->compliance[i]);
    if (w->compliance[i] >= 0) k->a[WHEEL_COMPLIANCE] |= 1 << i;
  }
}

static void put_inputs(const wheel_writing *k)
{
  lane_program *b = k->b;
  const jn_wheel *w = k->w;
  k->a[WHEEL_E_HOLD] = k->a[WHEEL_BRAKE] = k->a[WHEEL_DRIVE] = k->a[WHEEL_STEER] = -1;
  if (w->hold >= 0 && w->brake >= 0) {
    k->a[WHEEL_BRAKE] = lane_take_input(b, w->brake, false);
    k->a[WHEEL_E_HOLD] = b->ne++;
    lane_map_state(b, LANE_E, k->a[WHEEL_E_HOLD], b->s->nq + b->s->nv + w->hold);
  }
  if (w->drive >= 0) k->a[WHEEL_DRIVE] = lane_take_input(b, w->drive, false);
  if (w->steer >= 0) {
    k->a[WHEEL_STEER] = lane_take_input(b, w->steer, false);
    lane_take_input(b, w->steer, true);  // its rate
  }
}

static void put_road(const wheel_writing *k)
{
  lane_program *b = k->b;
  const jn_road *road = &b->s->binding.road[k->w->road];
  k->a[WHEEL_ROAD] = road->form;
  k->a[WHEEL_P_ROAD] = k->a[WHEEL_KEEP] = -1;
  if (!(road->form & ROAD_PLAIN)) {
    k->a[WHEEL_P_ROAD] = b->np;
    for (int i = 0; i < road_fields(road->form); i++) lane_number(b, road->p[i]);
  }
  if (road_shape(road->form) == JN_ROAD_CALLS || k->w->plugin) k->a[WHEEL_KEEP] = lane_field(b, 1);
}

bool jn_lane_write_wheel(lane_program *b, int i)
{
  lane_arguments a = {.n = WHEEL_NARG};
  wheel_writing k = {.b = b, .w = &b->s->wheel[i], .a = a.a};
  k.own = &b->m[lane_member_of(b, k.w->body)];
  k.carrier = k.own->rotor ? &b->m[k.own->up] : k.own;
  k.owner = k.own->rotor && is_first(b->s, i);
  put_wheel(&k);
  put_spin(&k);
  put_tyre_states(&k);
  put_inputs(&k);
  put_road(&k);
  lane_write(b, LANE_FORCE, LANE_WHEEL, &a);
  lane_row_of(b, LANE_WHEEL_ROW, &a, (lane_output){.wheel = true, .index = i}, WHEEL_ROW_FIELDS);
  return k.owner;
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
