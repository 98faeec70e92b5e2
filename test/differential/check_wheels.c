// check_wheels.c: wheels by the formulas of the manual (docs/tyres.md): contact, torques, gyroscopic moment, loads of tyres that have a
// stiffness, forces of those that have a formula, and what every tyre must do.
#include "elements/tyre/brush.h"
#include "elements/tyre/fiala.h"
#include "elements/tyre/mf_simple.h"
#include "elements/tyre/rolling.h"
#include "elements/wheel.h"
#include "laws.h"

static const double EPS = LAWS_EPS;

typedef struct wheel {
  const jn_wheel *w;
  const jn_wheel_state *state;
  const tyre_out *o;
  int node;
  place centre;
  v3 axis;           // of the bearing, steered
  v3 carrier;        // angular velocity without the spin
  double spin;       // against the carrier, about the axis
  v3 x, y, z;        // of the contact
  v3 arm, sliding;   // to the contact; velocity of a rigid wheel there
  double cosine;     // of the camber
  double turns;      // angular velocity of the tyre about its axis
  double speed_off;  // rounding of velocities
} wheel;

static bool is_upright(jn_tyre_kind kind)  // its force is below the centre, whatever the camber
{
  return kind == JN_TYRE_VERTICAL || kind == JN_TYRE_MF_SIMPLE;
}

static wheel wheel_of(const laws *k, int i)
{
  const jn_system *s = k->s;
  wheel q = {.w = &s->wheel[i], .state = &k->d->wheel[i], .o = &k->d->wheel[i].tyre};
  const jn_body *body = &s->body[q.w->body];
  q.node = body->node;
  q.centre = laws_place(k, q.node, v3_add(body->anchor, q.w->at));
  const jt_body *b = &k->at[q.node];
  const m3 frame = k->d->frame[body->frame].r;
  v3 axis = q.w->axis;
  q.carrier = b->w;
  if (q.w->steer >= 0) {
    const double angle = k->d->in[q.w->steer][0];
    axis = v3_set(axis.x * cos(angle) - axis.y * sin(angle),
                  axis.x * sin(angle) + axis.y * cos(angle), axis.z);
    q.carrier = v3_axpy(k->d->in[q.w->steer][1], m3_column(b->r, 2), q.carrier);
  }
  q.axis = m3_mul_v3(b->r, axis);
  if (q.w->spin >= 0) {
    q.spin = k->d->x[q.w->spin] - v3_dot(q.axis, q.carrier);
  } else {
    const int on = q.w->carrier;
    q.spin = v3_dot(q.axis, on < 0 ? b->w : v3_sub(b->w, k->at[s->body[on].node].w));
    q.carrier = v3_axpy(-q.spin, q.axis, q.carrier);
  }
  // Where the suspension is compliant the tyre leans and turns about an axis of its own; its road is what the engine was given.
  const v3 leans = m3_mul_v3(frame, q.state->axis);
  const v3 all = v3_axpy(q.spin, leans, q.carrier);
  q.turns = v3_dot(leans, q.carrier) + q.spin;
  q.z = m3_mul_v3(frame, q.state->normal);
  q.x = v3_unit(v3_cross(leans, q.z));
  q.y = v3_cross(q.z, q.x);
  q.cosine = v3_norm(v3_cross(leans, q.z));
  const v3 down = v3_unit(v3_axpy(v3_dot(leans, q.z), leans, v3_neg(q.z)));
  q.arm = v3_scale(q.o->loaded_radius, is_upright(q.w->tyre.kind) ? v3_neg(q.z) : down);
  q.sliding = v3_add(q.centre.v, v3_cross(all, q.arm));
  q.speed_off = 128.0 * EPS * (q.centre.speed + v3_norm(all) * (1.0 + fabs(q.o->loaded_radius)));
  return q;
}

// Loads of the contact, of drive and brake, on all bodies that they act on; and what turns a rotor.
static void wheel_loads_of(laws *k, const wheel *q)
{
  const jn_system *s = k->s;
  const jn_wheel *w = q->w;
  const tyre_out *o = q->o;
  const bool along_world = w->tyre.kind == JN_TYRE_MF_SIMPLE;  // perhaps
  const v3 x = along_world ? v3_set(0, 0, 0) : q->x, y = along_world ? x : q->y;
  v3 force = v3_axpy(o->fx, x, v3_axpy(o->fy, y, v3_scale(o->load, q->z)));
  if (along_world) force = m3_mul_v3(k->d->frame[s->body[w->body].frame].r, o->force);
  const v3 moment = v3_axpy(o->mx, q->x, v3_axpy(o->my, q->y, v3_scale(o->mz, q->z)));
  const v3 contact = v3_add(q->centre.p, q->arm);
  const v3 about = v3_add(moment, v3_cross(q->arm, force));
  const double own = v3_dot(q->axis, about);
  const double drive = w->drive >= 0 ? k->d->in[w->drive][0] : 0.0,
               brake = w->hold >= 0 ? q->state->torque : 0.0;
  const double off = 64.0 * EPS * (v3_norm(force) + v3_norm(moment));
  laws_push(k, q->node, contact, force, off);
  laws_turn(k, q->node, moment, off);
  if (w->reaction >= 0) laws_turn(k, s->body[w->reaction].node, v3_scale(-drive, q->axis), 0.0);
  if (w->carrier >= 0) laws_turn(k, s->body[w->carrier].node, v3_scale(brake, q->axis), 0.0);
  if (w->spin < 0) {
    laws_turn(k, q->node, v3_scale(drive - brake, q->axis), off);
    return;
  }
  laws_turn(k, q->node, v3_scale(-own, q->axis), off);
  const double whole = k->d->x[w->spin];
  if (w->gyroscopic) {
    const v3 gyro = v3_cross(q->carrier, v3_scale(w->inertia * whole, q->axis));
    laws_turn(k, q->node, v3_neg(gyro),
              64.0 * EPS * w->inertia * fabs(whole) * (1.0 + v3_norm(q->carrier)));
  }
  const double torque = own + drive - brake;
  laws_judge(
      k, w->name, "torque", torque, w->inertia * k->v->dy[s->nq + s->nv + w->spin],
      4.0 * off * (1.0 + fabs(q->o->loaded_radius)) + 8.0 * EPS * (fabs(drive) + fabs(brake)));
}

// How the wheel stands and moves, and what follows from that without a law of the tyre.
static void wheel_motion_of(laws *k, const wheel *q)
{
  const jn_wheel *w = q->w;
  const tyre_out *o = q->o;
  const double off = q->speed_off, length = 64.0 * EPS * (1.0 + q->centre.length);
  const jn_tyre_kind kind = w->tyre.kind;
  laws_judge(k, w->name, "speed", q->spin, q->state->spin, off);
  laws_judge(k, w->name, "z", q->centre.p.z, q->state->centre.z, length);
  const v3 contact = v3_add(q->centre.p, q->arm);
  laws_judge(k, w->name, "contact_x", contact.x, q->state->contact.x, length);
  laws_judge(k, w->name, "contact_y", contact.y, q->state->contact.y, length);
  laws_judge(k, w->name, "contact_z", contact.z, q->state->contact.z, length);
  if (kind == JN_TYRE_MF_SIMPLE) return;
  laws_judge(k, w->name, "vx", v3_dot(q->centre.v, q->x), o->vx, off);
  laws_judge(k, w->name, "vy", v3_dot(q->centre.v, q->y), o->vy, off);
  // Speed that slips are over: of the contact point, ahead; with a rolling radius of its own, of the tread over the road.
  const bool rolls = kind != JN_TYRE_VERTICAL && kind != JN_TYRE_LINEAR && kind != JN_TYRE_BRUSH;
  double along = v3_dot(q->sliding, q->x), over = v3_dot(q->centre.v, q->x);
  if (rolls) {
    along += (o->loaded_radius - o->rolling_radius) * q->turns;
    over = along + o->rolling_radius * q->turns;
  }
  over = fmax(fabs(over), 1.0);
  laws_judge(k, w->name, "slip", -along / over, o->slip, 8.0 * off / over * (1.0 + fabs(o->slip)));
  laws_judge(k, w->name, "slip_angle", atan(v3_dot(q->sliding, q->y) / over), o->slip_angle,
             8.0 * off / over * (1.0 + fabs(v3_dot(q->sliding, q->y) / over)) + 8.0 * EPS);
}

// Friction of the last of a road's patches, which goes over to what is below within its edge.
double laws_friction(const jn_road *road, double x, double y, double *steep)
{
  double friction = road->p[ROAD_FRICTION];
  *steep = 0.0;
  for (int i = 0; i < road->form >> ROAD_PATCH_SHIFT; i++) {
    const double *patch = road->p + ROAD_FIELDS + PATCH_FIELDS * i;
    const double from_x = x - patch[PATCH_X0], to_x = patch[PATCH_X1] - x;
    const double from_y = y - patch[PATCH_Y0], to_y = patch[PATCH_Y1] - y;
    if (from_x <= 0.0 || to_x <= 0.0 || from_y <= 0.0 || to_y <= 0.0) continue;
    const double deep = fmin(fmin(from_x, to_x), fmin(from_y, to_y)) * patch[PATCH_STEEP];
    friction += fmin(deep, 1.0) * (patch[PATCH_FRICTION] - friction);
    *steep += patch[PATCH_STEEP] < PATCH_SHARP ? patch[PATCH_STEEP] : 0.0;
  }
  return friction;
}

// Of the road under the centre.
static void wheel_friction_of(laws *k, const wheel *q)
{
  const jn_road *road = &k->s->binding.road[q->w->road];
  if (road_shape(road->form) == JN_ROAD_CALLS || road->form & ROAD_PLAIN) return;
  const double x =
      road->form & ROAD_MOVES ? q->w->x + road->p[ROAD_SPEED] * k->d->t_in : q->centre.p.x;
  double steep;
  const double friction = laws_friction(road, x, q->centre.p.y, &steep);
  laws_judge(k, q->w->name, "friction", friction, q->state->friction,
             64.0 * EPS * (1.0 + steep * (q->centre.length + fabs(x))));
}

// Load over deflection and its rate, of tyres that have a stiffness; on roads that rest.
static void wheel_load_of(laws *k, const wheel *q)
{
  const jn_system *s = k->s;
  const jn_wheel *w = q->w;
  const tyre_out *o = q->o;
  const double *p = w->tyre.p;
  const jn_road *road = &s->binding.road[w->road];
  const bool upright = is_upright(w->tyre.kind),
             law = w->tyre.kind == JN_TYRE_FIALA || w->tyre.kind == JN_TYRE_CARPET;
  const bool plain = upright || w->tyre.kind == JN_TYRE_LINEAR || w->tyre.kind == JN_TYRE_BRUSH;
  if (road_shape(road->form) != JN_ROAD_FLAT || (!plain && !law)) return;
  if (law && (w->tyre.form & (ROLL_BY_CURVE | ROLL_BOTTOMS | ROLL_BOTTOMS_BY_CURVE))) return;
  const double grade = road->p[ROAD_GRADE], bank = road->p[ROAD_BANK];
  const v3 c = q->centre.p;
  const double under =
      road->form & ROAD_PLAIN ? 0.0 : road->p[ROAD_LEVEL] + grade * c.x + bank * c.y;
  const v3 normal = road->form & ROAD_PLAIN ? v3_set(0, 0, 1) : v3_unit(v3_set(-grade, -bank, 1));
  const double height = (c.z - under) * normal.z, closing = -v3_dot(q->centre.v, normal);
  const double depth = p[0] * (upright ? 1.0 : q->cosine) - height;
  const double off = 256.0 * EPS * (1.0 + q->centre.length) * (1.0 + fabs(grade) + fabs(bank));
  laws_judge(k, w->name, "error of the normal", 0.0, v3_norm(v3_sub(normal, q->z)), 16.0 * EPS);
  laws_judge(k, w->name, "deflection", depth, o->deflection, off);
  const double stiffness = p[1], deep = fmax(depth, 0.0);
  double load, steep = stiffness;
  if (law || w->tyre.kind == JN_TYRE_BRUSH) {
    const double damping = law ? p[ROLL_DAMPING] : p[TYRE_BRUSH_DAMPING] / p[TYRE_BRUSH_LOAD];
    load = stiffness * deep * fmax(1.0 + damping * closing, 0.0);
    steep = stiffness * (1.0 + fabs(damping * closing) + damping * deep);
  } else {
    if (fabs(depth) < off) return;  // there it jumps
    load = depth > 0.0 ? fmax(stiffness * depth + p[2] * closing, 0.0) : 0.0;
    steep += p[2];
  }
  laws_judge(k, w->name, "fz", load, o->load, steep * (off + q->speed_off) + 16.0 * EPS * load);
}

// What has a formula without a state, or whose state's rate has one.
static void wheel_forces_of(laws *k, const wheel *q)
{
  const jn_wheel *w = q->w;
  const tyre_out *o = q->o;
  const double *p = w->tyre.p, grip = q->state->friction;
  const double over = fmax(fabs(o->vx), 1.0), off = 16.0 * q->speed_off / over;
  if (w->tyre.kind == JN_TYRE_MF_SIMPLE) {
    // The slip z behind its relaxation length: sigma z' = Re Omega - vx - |vx| z, and Fx over it.
    const double z = k->d->x[w->slip], bz = p[TYRE_MF_B] * z / grip;
    const double fx = o->load * p[TYRE_MF_D] * grip *
                      sin(p[TYRE_MF_C] * atan(bz - p[TYRE_MF_E] * (bz - atan(bz))));
    laws_judge(k, w->name, "fx", fx, o->fx, 256.0 * EPS * o->load * (1.0 + fabs(bz)));
    const double rate =
        (o->rolling_radius * q->turns - o->vx - fabs(o->vx) * z) / p[TYRE_MF_RELAXATION_LENGTH];
    laws_judge(k, w->name, "rate of its slip", rate, k->v->dy[k->s->nq + k->s->nv + w->slip],
               64.0 * q->speed_off * (1.0 + fabs(z)) / p[TYRE_MF_RELAXATION_LENGTH]);
  } else if (w->tyre.kind == JN_TYRE_LINEAR) {
    const double g = fmin(1.0, o->load / p[5]), limit = p[6] * grip * o->load;
    const double slip = -v3_dot(q->sliding, q->x) / over,
                 angle = atan(v3_dot(q->sliding, q->y) / over);
    const double fx = p[3] * g * slip, fy = -p[4] * g * angle, size = hypot(fx, fy);
    const double back = size > limit ? limit / size : 1.0;
    const double allowed = (p[3] + p[4]) * off * (1.0 + hypot(slip, angle)) + 64.0 * EPS * limit;
    laws_judge(k, w->name, "fx", back * fx, o->fx, allowed);
    laws_judge(k, w->name, "fy", back * fy, o->fy, allowed);
  } else if (w->tyre.kind == JN_TYRE_FIALA) {
    // Rolling resistance, and the arm between rolling and loaded radius, which does no work.
    const double rolls = o->rolling_radius * q->turns,
                 resists = p[ROLL_FIELDS + FIALA_ROLLING_RESISTANCE];
    if (fabs(rolls) > p[ROLL_SLOW])
      laws_judge(
          k, w->name, "my",
          -copysign(resists, rolls) * o->load + (o->loaded_radius - o->rolling_radius) * o->fx,
          o->my, 64.0 * EPS * (o->load + fabs(o->fx)));
  } else if (w->tyre.kind == JN_TYRE_BRUSH && o->load > 0.0) {
    laws_judge(k, w->name, "force within friction", 1.0,
               fmax(1.0, hypot(o->fx, o->fy) / (p[TYRE_BRUSH_FRICTION] * grip * o->load)), 1e-12);
    // Deflection u of the tread: u' = -vs - |v0| u / sigma while it sticks, up to a fifth of what it can hold.
    const double vs[2] = {v3_dot(q->sliding, q->x), v3_dot(q->sliding, q->y)};
    const double v0 = fabs(o->vx - vs[0]);
    const double scale =
        2.0 / 3.0 / (p[TYRE_BRUSH_FRICTION] * grip * (p[TYRE_BRUSH_LOAD] + o->load));
    double z[2], held = 0.0;
    for (int i = 0; i < 2; i++) {
      z[i] = k->d->x[w->slip + i] / p[TYRE_BRUSH_RELAXATION_X + i];
      held += pow(fmax(1.0, scale * p[TYRE_BRUSH_SLIP_STIFFNESS + i]) * z[i], 2);
    }
    for (int i = 0; i < 2 && sqrt(held) < 0.19; i++)
      laws_judge(k, w->name, i ? "rate of tread_y" : "rate of tread_x", -vs[i] - v0 * z[i],
                 k->v->dy[k->s->nq + k->s->nv + w->slip + i], 64.0 * q->speed_off);
  }
}

// ---- compliance -------------------------------------------------------------------------------------------

static double curve_of(const laws *k, int at, double x)
{
  return at < 0 ? 0.0 : jn_curve_at(k->s->table + at, TYRE_COMPLIANCE_STEPS, x, NULL);
}

// Steer and camber by side force and aligning torque, behind a lag; and the axis that they give.
static void wheel_compliance_of(laws *k, const wheel *q)
{
  const jn_wheel *w = q->w;
  if (w->comply < 0) return;
  const double *x = k->d->x + w->comply, *rate = k->v->dy + k->s->nq + k->s->nv + w->comply;
  const double by[2] = {q->o->fy, q->o->mz};
  for (int i = 0; i < 2; i++) {
    const double yields =
        curve_of(k, w->compliance[2 * i], by[0]) + curve_of(k, w->compliance[2 * i + 1], by[1]);
    laws_judge(k, w->name, i ? "rate of camber" : "rate of steer",
               (yields - x[i]) / w->compliance_lag, rate[i],
               64.0 * EPS * (fabs(yields) + fabs(x[i]) + 1e-6) / w->compliance_lag);
  }
  // To the left about the road's normal, then to the right about the heading.
  const v3 left = v3_axpy(sin(x[0]), v3_cross(q->z, q->axis),
                          v3_axpy(1.0 - cos(x[0]), v3_scale(v3_dot(q->z, q->axis), q->z),
                                  v3_scale(cos(x[0]), q->axis)));
  const v3 heading = v3_unit(v3_cross(left, q->z));
  const v3 own = v3_axpy(sin(x[1]), v3_cross(heading, left), v3_scale(cos(x[1]), left));
  const m3 frame = k->d->frame[k->s->body[w->body].frame].r;
  laws_judge(k, w->name, "error of the axis", 0.0,
             v3_norm(v3_sub(own, m3_mul_v3(frame, q->state->axis))), 64.0 * EPS);
}

// What a brake holds is at most its limit, and against the spin where that is fast: within the time 1 / 200 s it would have gone twice
// the way that winds it up.
static void wheel_brake_of(laws *k, const wheel *q)
{
  const jn_wheel *w = q->w;
  if (w->hold < 0 || w->brake < 0) return;
  const double limit = k->d->in[w->brake][0], torque = q->state->torque;
  laws_judge(k, w->name, "braking within its limit", 0.0,
             fmax(0.0, fabs(torque) - fmax(limit, 0.0)), 1e-12 * fabs(limit) + 1e-300);
  const double windup = fmax(limit / (w->inertia * 200.0 * 200.0), 1e-2);
  if (limit > 0.0 && fabs(q->spin) > 2.0 * 200.0 * windup)
    laws_judge(k, w->name, "braking against the spin", 1.0, torque * q->spin > 0.0 ? 1.0 : 0.0,
               0.1);
}

void laws_wheels(laws *k)
{
  for (int i = 0; i < k->s->nwheel; i++) {
    const wheel q = wheel_of(k, i);
    wheel_loads_of(k, &q);
    wheel_motion_of(k, &q);
    wheel_load_of(k, &q);
    wheel_friction_of(k, &q);
    wheel_forces_of(k, &q);
    wheel_compliance_of(k, &q);
    wheel_brake_of(k, &q);
  }
}

// ---- sliding ----------------------------------------------------------------------------------------------

// Deflections of all treads that do not change while the wheels slide on as they do: u = b / a, again and again, since a depends on u.
static bool settle_treads(view *v, state *x)
{
  const jn_system *s = v->run.s;
  double change = INFINITY;
  for (int n = 0; n < 60 && change > 1e-9; n++) {
    view_at(v, x);
    change = 0.0;
    for (int i = 0; i < s->nwheel; i++) {
      const jn_wheel *w = &s->wheel[i];
      const tyre_out *o = &v->run.d->wheel[i].tyre;
      for (int c = 0; c < w->tyre.nslip && o->load > 0.0; c++) {
        double *u = &x->y[s->nq + s->nv + w->slip + c];
        const double next = 0.5 * (*u + o->rate_b[c] / fmax(o->rate_a[c], 1e-3));
        change = fmax(change, fabs(next - *u));
        *u = next;
      }
    }
  }
  return change <= 1e-9;
}

// Forces of laws without offsets take energy at any slip; measured tyres push to one side without slip, so theirs must be large. A
// Magic Formula outside of the loads that it was fitted to may do anything: drawn vehicles have other loads than its file. The
// aligning torque of brush theory turns the wheel into its direction of travel.
static void judge_sliding(laws *k, const wheel *q)
{
  const jn_wheel *w = q->w;
  const tyre_out *o = q->o;
  const jn_tyre_kind kind = w->tyre.kind;
  const bool measured = kind == JN_TYRE_CARPET || kind == JN_TYRE_PLUGIN;
  if (!(o->load > 0.0) || is_upright(kind) || kind == JN_TYRE_MAGIC_FORMULA) return;
  const double along = v3_dot(q->sliding, q->x) + (o->loaded_radius - o->rolling_radius) * q->turns,
               across = v3_dot(q->sliding, q->y), sliding = hypot(along, across);
  const double over = fmax(fabs(along + o->rolling_radius * q->turns), 1.0);
  if (sliding < (measured ? 0.1 : 0.01) * over) return;
  const double power = (o->fx * along + o->fy * across) / sliding;
  laws_judge(k, w->name, "force along the sliding", 0.0, fmax(0.0, power), 1e-9 * o->load);
  if (kind == JN_TYRE_FIALA && along + o->rolling_radius * q->turns > w->tyre.p[ROLL_SLOW])
    laws_judge(k, w->name, "trail ahead", 0.0, fmax(0.0, o->mz * o->fy),
               1e-12 * o->load * o->load + 1e-300);
}

void laws_sliding(view *v, const state *x, laws *k)
{
  const jn_system *s = v->run.s;
  state near;
  bool any = false;
  for (int i = 0; i < s->nwheel; i++) any |= s->wheel[i].tyre.nslip > 0;
  if (!state_make(s, &near)) return;
  memcpy(near.y, x->y, (size_t)(s->nq + s->nv + s->nx) * sizeof *near.y);
  memcpy(near.turn, x->turn, (size_t)s->nq * sizeof *near.turn);
  near.t = x->t;
  if (any && settle_treads(v, &near)) {
    view_at(v, &near);
    for (int i = 0; i < s->nwheel; i++) {
      const wheel q = wheel_of(k, i);
      judge_sliding(k, &q);
    }
  }
  view_at(v, x);
  state_free(&near);
}
