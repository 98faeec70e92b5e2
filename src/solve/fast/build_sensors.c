// build_sensors.c: where lanes find what components read.
#include "plan/build.h"
#include "solve/fast/fast_build.h"
#include "solve/fast/program_write.h"

// Does the general path's function find all that it reads in the general path's arrays? Those of bodies in lanes are not filled.
static bool is_in_arrays(const jn_system *s, int body)
{
  return body < s->nframe || lane_subsystem_of(s, body) < 0;
}

static bool senses_rest(const jn_system *s, jn_lane *l, const jn_sensor *k)
{
  const bool joint = k->what == JN_SENSE_VALUE || k->what == JN_SENSE_CHANGE;
  int a = k->body, b = -1;
  if (k->what == JN_SENSE_SPIN) a = s->wheel[k->wheel].body, b = s->wheel[k->wheel].carrier;
  if (joint && k->cut >= 0) a = s->cut[k->cut].a, b = s->cut[k->cut].b;
  if (!jn_lane_has_rest(l) || !is_in_arrays(s, a) || !is_in_arrays(s, b)) return false;
  return true;
}

static bool sense_body(jn_system *s, jn_lane *l, const jn_sensor *k, int body, lane_place *p)
{
  *p = (lane_place){.body = body, .group = -1, .lane = -1};
  if (body < s->nframe) return true;  // the ground
  jn_lane_find_body(s, l, body, p);
  if (p->group == LANE_REST_BODY)  // what groups hang on is beside them, too
    p->group = LANE_CORE_BODY, p->lane = jn_lane_core_of(l, body);
  if (p->group < 0 && p->lane < 0)
    return jn_lane_refuse(s, "a component reads %s, which lanes do not know", k->name);
  if (p->group >= 0) return true;
  for (int c = p->lane; c >= 0; c = l->core[c].up)  // it is placed on those that it hangs on
    l->core[c].watched = true;
  return true;
}

// A number of the general state in a group: false if no group has it.
static bool find_field(const jn_lane *l, int general, bool turns, lane_sensor *out, int *field)
{
  for (int g = 0; g < l->ngroup; g++)
    for (int lane = 0; lane < l->group[g].lanes; lane++)
      for (int i = 0; i < l->group[g].nlink; i++) {
        const lane_state_map *k = &l->group[g].link[lane * l->group[g].nlink + i];
        if (k->general != general || (k->section == LANE_TURNS) != turns) continue;
        if (!turns) out->from = LANE_OF_FIELD, out->section = k->section;
        out->group = g, out->lane = lane, *field = k->field;
        return true;
      }
  return false;
}

static bool sense_wheel(jn_system *s, jn_lane *l, const jn_sensor *k, int wheel, double sign,
                        lane_sensor *out)
{
  const jn_wheel *w = &s->wheel[wheel];
  const bool rotor = w->spin < 0 && jn_lane_is_rotor(s, w->body);
  out->what = JN_SENSE_SPIN;
  out->spins = w->spin >= 0 || rotor;
  out->spin_axis = w->axis;
  out->sign = sign;
  out->steer = w->steer;
  if (w->spin >= 0) {
    if (!find_field(l, s->nq + s->nv + w->spin, false, out, &out->field))
      out->from = LANE_OF_STATE, out->field = w->spin;  // of a wheel that no group has
    return sense_body(s, l, k, w->body, &out->place);
  }
  if (rotor && !find_field(l, s->nq + s->joint[w->body].v, false, out, &out->field))
    return jn_lane_refuse(s, "a component reads %s, which lanes do not know", k->name);
  if (!rotor && !sense_body(s, l, k, w->body, &out->other)) return false;
  if (w->carrier < 0) {
    out->place = (lane_place){.group = -1, .lane = -1};
    return true;
  }
  return sense_body(s, l, k, w->carrier, &out->place);
}

static bool sense_joint(jn_system *s, jn_lane *l, const jn_sensor *k, lane_sensor *out)
{
  if (k->cut >= 0) return jn_lane_refuse(s, "a component reads %s, and that joint is cut", k->name);
  const jn_tree_joint *j = &s->joint[k->body];
  const bool rate = k->what == JN_SENSE_CHANGE;
  out->turns = -1;
  if (j->drive >= 0) {
    out->from = LANE_OF_DRIVE, out->field = j->drive;
    return true;
  }
  if (rate && jn_lane_is_rotor(s, k->body))
    for (int i = 0; i < s->nwheel; i++)
      if (s->wheel[i].body == k->body)
        return sense_wheel(s, l, k, i, v3_dot(j->axis, s->wheel[i].axis) < 0.0 ? -1.0 : 1.0, out);
  const int c = jn_lane_core_of(l, k->body), which = k->which;
  if (c >= 0) {
    out->from = LANE_OF_CORE, out->field = (rate ? l->core[c].v : l->core[c].q) + which;
    if (k->angle && !rate) out->turns = j->q + which;
    return true;
  }
  const int general = rate ? s->nq + j->v + which : j->q + which;
  if (!find_field(l, general, false, out, &out->field))
    return jn_lane_refuse(s, "a component reads %s, which lanes do not know", k->name);
  if (k->angle && !rate) find_field(l, j->q + which, true, out, &out->turns);
  return true;
}

static bool build_sensor(jn_system *s, jn_lane *l, const jn_sensor *k)
{
  lane_sensor *out = &l->sensor[l->nsensor];
  *out = (lane_sensor){
      .what = k->what, .axis = k->axis, .signal = k->signal, .sign = 1.0, .turns = -1, .steer = -1};
  if (senses_rest(s, l, k)) {
    out->from = LANE_OF_GENERAL;
    out->field = (int)(k - s->sensor);
    l->nsensor++;
    return true;
  }
  const bool good = k->what == JN_SENSE_SPIN ? sense_wheel(s, l, k, k->wheel, 1.0, out)
                    : k->what == JN_SENSE_VALUE || k->what == JN_SENSE_CHANGE
                        ? sense_joint(s, l, k, out)
                        : sense_body(s, l, k, k->body, &out->place);
  l->nsensor += good;
  return good;
}

bool jn_lane_build_sensors(jn_system *s, jn_lane *l)
{
  l->sensor = jn_build_array(s, s->nuse + s->nheld, sizeof *l->sensor);
  bool good = l->sensor;
  for (int i = 0; i < s->nuse && good; i++) good = build_sensor(s, l, &s->sensor[s->use[i]]);
  l->knows_held = good;
  for (int i = 0; i < s->nheld && l->knows_held; i++)
    if (s->held[i].channel < 0) l->knows_held = build_sensor(s, l, &s->sensor[s->held[i].sensor]);
  if (good) s->lane_reason = NULL;  // what is not known of held ones the general path samples
  return good;
}
