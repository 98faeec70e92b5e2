// check_laws.c: loads on bodies by the formulas of the manual (docs/elements.md, docs/tyres.md), from the numbers of the file and from
// where the bodies are, against those that the general path puts on them. Elements have one kernel for all paths, so that comparing
// paths shows no error in it.
#include "base/map.h"
#include "elements/law.h"
#include "elements/tyre/brush.h"
#include "elements/tyre/rolling.h"
#include "states.h"

static const double EPS = 2.220446049250313e-16;

typedef struct laws {
  const view *v;
  const jn_system *s;
  const jn_data *d;
  const jt_body *at;     // by node
  v3 *force, *moment;    // about the cg, by node
  double *size, *turns;  // what rounding of those may be, by node
  bool *unknown;         // something acts on it that has no formula here, by node
  int number;
  double worst;
  char what[WHAT];
} laws;

static void judge_value(laws *k, const char *who, const char *what, double own, double value,
                        double allowed)
{
  const double ratio = own == value ? 0.0 : fabs(own - value) / allowed;
  if (ratio <= k->worst) return;
  k->worst = isnan(ratio) ? INFINITY : ratio;
  snprintf(k->what, WHAT, "%.40s: %.30s is %.10g, by its formula %.10g, allowed %.2g", who, what,
           value, own, allowed);
}

// ---- bodies -------------------------------------------------------------------------------------------

static int node_of(int body)  // of the file
{
  return body == JN_GROUND ? 0 : body + 1;
}

typedef struct place {  // a point of a body
  int node;
  v3 p, v;
  double length, speed;  // sizes of what these are differences of
} place;

static place place_of(const laws *k, int node, v3 design)
{
  const jt_body *b = &k->at[node];
  if (!node) return (place){0, design, v3_set(0, 0, 0), v3_norm(design), 0.0};
  const v3 p = jt_point(&k->v->run, k->s->body_of_node[node], b, design), arm = v3_sub(p, b->p);
  const v3 v = v3_add(b->v, v3_cross(b->w, arm));
  return (place){node, p, v, 1.0 + v3_norm(p),
                 1.0 + v3_norm(b->v) + v3_norm(b->w) * (1.0 + v3_norm(arm))};
}

// rounding: of the force.
static void push(laws *k, int node, v3 p, v3 force, double rounding)
{
  if (!node) return;
  const v3 arm = v3_sub(p, k->at[node].p);
  const double reach = v3_norm(arm), size = rounding + 16.0 * EPS * v3_norm(force);
  k->force[node] = v3_add(k->force[node], force);
  k->moment[node] = v3_add(k->moment[node], v3_cross(arm, force));
  k->size[node] += size;
  k->turns[node] += size * (1.0 + reach) + 64.0 * EPS * v3_norm(force) * (1.0 + v3_norm(p));
}

static void turn(laws *k, int node, v3 moment, double rounding)
{
  if (!node) return;
  k->moment[node] = v3_add(k->moment[node], moment);
  k->turns[node] += rounding + 32.0 * EPS * v3_norm(moment);
}

// ---- springs ------------------------------------------------------------------------------------------

static double polynomial(const double *c, int n, double x)  // c0 x + c1 x^2 + ...
{
  double sum = 0.0, power = x;
  for (int i = 0; i < n; i++, power *= x) sum += c[i] * power;
  return sum;
}

static double curve(const laws *k, double index, int steps, double x)
{
  int64_t at;
  memcpy(&at, &index, sizeof at);
  return steps < 0 ? 0.0 : jn_curve_at(k->s->table + at, steps, x, NULL);
}

static double input_of(const laws *k, const jn_element *e, int which)
{
  return e->actuator.input < 0 ? 0.0 : k->d->in[e->actuator.input][which];
}

typedef struct law_terms {
  double stiffness, damping;
  const jn_numbers *spring, *damper;
} law_terms;

static double law_of(const laws *k, const jn_element *e, const law_terms *t, double deflection,
                     double rate)
{
  const int mx = law_part(e->form, LAW_MAP_X, 3), mv = law_part(e->form, LAW_MAP_V, 3);
  double f = t->stiffness * deflection + t->damping * rate + e->p[LAW_PRELOAD];
  f += polynomial(t->spring->v, t->spring->n, deflection);
  f += polynomial(t->damper->v, t->damper->n, rate);
  f += curve(k, e->p[LAW_SPRING_CURVE], law_part(e->form, LAW_SPRING_STEPS, 5) - 1, deflection);
  f += curve(k, e->p[LAW_DAMPER_CURVE], law_part(e->form, LAW_DAMPER_STEPS, 5) - 1, rate);
  if (mx) f += map_at(k->s->table, r_bits(e->p[LAW_MAP]), mx, mv, deflection, rate);
  return f + input_of(k, e, 0);
}

// What rounding of a length and of a speed may do to it.
static double law_rounding(const laws *k, const jn_element *e, const law_terms *t, double x,
                           double v, double dx, double dv)
{
  const double f = law_of(k, e, t, x, v);
  double most = 0.0;
  for (int i = -1; i <= 1; i += 2) {
    most = fmax(most, fabs(law_of(k, e, t, x + i * dx, v) - f));
    most = fmax(most, fabs(law_of(k, e, t, x, v + i * dv) - f));
  }
  return 2.0 * most + 64.0 * EPS * (fabs(f) + fabs(e->p[LAW_PRELOAD]) + fabs(input_of(k, e, 0)));
}

static void spring(laws *k, const jn_element *e)
{
  const jn_tsda_spec *t = &e->spec->as.tsda;
  const law_terms terms = {t->stiffness, t->damping, &t->spring_polynomial, &t->damper_polynomial};
  const place a = place_of(k, node_of(t->bodies[0]), v3_load(t->at.v[0])),
              b = place_of(k, node_of(t->bodies[1]), v3_load(t->at.v[t->at.n - 1]));
  const v3 d = v3_sub(b.p, a.p);
  const double length = v3_norm(d);
  if (!(length > 1e-6)) {
    k->unknown[a.node] = k->unknown[b.node] = true;
    return;
  }
  const v3 n = v3_scale(1.0 / length, d);
  const double rate = v3_dot(n, v3_sub(b.v, a.v)), x = length - e->p[LAW_FREE];
  const double dx = 32.0 * EPS * (a.length + b.length),
               dv = 32.0 * EPS * (a.speed + b.speed) * (1.0 + (a.length + b.length) / length);
  const double pull = law_of(k, e, &terms, x, rate),
               off = law_rounding(k, e, &terms, x, rate, dx, dv);
  const double *out = k->d->element + e->output;
  judge_value(k, e->name, "length", length, out[0], dx);
  judge_value(k, e->name, "rate", rate, out[1], dv);
  judge_value(k, e->name, "force", pull, out[2], off);
  const double turned = fabs(pull) * dx / length;  // its direction
  push(k, a.node, a.p, v3_scale(pull, n), off + turned);
  push(k, b.node, b.p, v3_scale(-pull, n), off + turned);
}

// In a joint: its coordinate and rate are channels. What acts on coordinates of the tree is no load on bodies.
static void in_joint(laws *k, const jn_element *e)
{
  const double *out = k->d->element + e->output;
  const double dx = 64.0 * EPS * (1.0 + fabs(out[0])), dv = 64.0 * EPS * (1.0 + fabs(out[1]));
  if (e->kind == JN_FORCE_SERVO) {
    const jn_servo_spec *t = &e->spec->as.servo;
    const double wanted = input_of(k, e, 0), rate = input_of(k, e, 1);
    judge_value(
        k, e->name, "force", t->stiffness * (out[0] - wanted) + t->damping * (out[1] - rate),
        out[2],
        t->stiffness * (dx + EPS * fabs(wanted)) + t->damping * (dv + EPS * fabs(rate)) + EPS);
  } else {
    const jn_rsda_spec *t = &e->spec->as.rsda;
    const law_terms terms = {t->stiffness, t->damping, &t->spring_polynomial,
                             &t->damper_polynomial};
    const double x = out[0] - e->p[LAW_FREE];
    judge_value(k, e->name, "force", law_of(k, e, &terms, x, out[1]), out[2],
                law_rounding(k, e, &terms, x, out[1], dx, dv) + EPS);
  }
  if (e->in.v >= 0) return;
  const int joint = e->kind == JN_FORCE_SERVO ? e->spec->as.servo.joint : e->spec->as.rsda.joint;
  const jn_joint_keys *j = &k->s->model->spec->joint[joint].keys;
  for (int i = 0; i < 2; i++) k->unknown[node_of(j->bodies[i])] = true;
}

// ---- bushings and loads ---------------------------------------------------------------------------------

static void bushing(laws *k, const jn_element *e)
{
  const jn_bushing_spec *t = &e->spec->as.bushing;
  const place a = place_of(k, node_of(t->bodies[0]), v3_load(t->at.v[0])),
              b = place_of(k, node_of(t->bodies[1]), v3_load(t->at.v[t->at.n - 1]));
  const jt_body *ba = &k->at[a.node], *bb = &k->at[b.node];
  v3 axis[3] = {v3_set(1, 0, 0), v3_set(0, 1, 0), v3_set(0, 0, 1)};
  if (t->axes.n == 2) {
    const v3 second = v3_load(t->axes.v[1]);
    axis[0] = v3_unit(v3_load(t->axes.v[0]));
    axis[1] = v3_unit(v3_axpy(-v3_dot(second, axis[0]), axis[0], second));
    axis[2] = v3_cross(axis[0], axis[1]);
  }
  // Turned out of the design position by R: the vector of (R - R') / 2, which is the axis times the sine of the angle.
  const q4 q = q_mul(q_conj(q_from_m3(ba->r)), q_from_m3(bb->r));
  const v3 turned = m3_mul_v3(ba->r, v3_scale(2.0 * q.w, v3_set(q.x, q.y, q.z)));
  const v3 w = v3_sub(bb->w, ba->w), d = v3_sub(b.p, a.p);
  // As the first body sees it.
  const v3 rate = v3_sub(v3_sub(b.v, a.v), v3_cross(ba->w, d));
  const double dx = 64.0 * EPS * (a.length + b.length), dv = 64.0 * EPS * (a.speed + b.speed);
  const double dw = 64.0 * EPS * (1.0 + v3_norm(ba->w) + v3_norm(bb->w));
  v3 force = v3_set(0, 0, 0), moment = force;
  double off = 0.0, turn_off = 0.0;
  const double *out = k->d->element + e->output;
  for (int i = 0; i < 3; i++) {
    const v3 u = m3_mul_v3(ba->r, axis[i]);
    const double f = -t->stiffness[i] * v3_dot(u, d) - t->damping[i] * v3_dot(u, rate);
    const double m =
        -t->rotational_stiffness[i] * v3_dot(u, turned) - t->rotational_damping[i] * v3_dot(u, w);
    const double df = t->stiffness[i] * dx + t->damping[i] * dv + EPS * fabs(f);
    static const char *const name[] = {"fx", "fy", "fz"};
    judge_value(k, e->name, name[i], f, out[i], df + EPS);
    off += df;
    turn_off += t->rotational_stiffness[i] * 64.0 * EPS + t->rotational_damping[i] * dw;
    force = v3_axpy(f, u, force), moment = v3_axpy(m, u, moment);
  }
  push(k, b.node, b.p, force, off);
  push(k, a.node, b.p, v3_neg(force), off);
  turn(k, b.node, moment, turn_off);
  turn(k, a.node, v3_neg(moment), turn_off);
}

static void load(laws *k, const jn_element *e)
{
  if (e->kind == JN_FORCE_FORCE) {
    const jn_force_keys *t = &e->spec->as.force;
    const int node = node_of(t->body), i = k->s->body_of_node[node];
    const v3 cg = v3_add(k->s->body[i].anchor, k->s->body[i].cg);
    const place p = place_of(k, node, JN_GIVEN(t, jn_force_keys, at) ? v3_load(t->at) : cg);
    v3 f = v3_load(t->force);
    if (t->frame != JN_FRAME_WORLD) f = m3_mul_v3(k->at[node].r, f);
    if (e->actuator.input >= 0) f = v3_scale(input_of(k, e, 0), f);
    push(k, node, p.p, f, 0.0);
    return;
  }
  const jn_torque_spec *t = &e->spec->as.torque;
  const int a = node_of(t->bodies[0]), b = node_of(t->bodies[1]);
  v3 m = m3_mul_v3(k->at[a].r, v3_scale(t->torque, v3_unit(v3_load(t->axis))));
  if (e->actuator.input >= 0) m = v3_scale(input_of(k, e, 0), m);
  if (JN_GIVEN(t, jn_torque_spec, start) && k->d->t_in < t->start) m = v3_set(0, 0, 0);
  turn(k, b, m, 0.0);
  turn(k, a, v3_neg(m), 0.0);
}

// ---- wheels -------------------------------------------------------------------------------------------

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
  q.centre = place_of(k, q.node, v3_add(body->anchor, q.w->at));
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
  // Where the suspension gives way the tyre leans and turns about an axis of its own; its road is what the engine was told.
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
  q.speed_off = 128.0 * EPS * (q.centre.speed + v3_norm(all) * (1.0 + q.o->loaded_radius));
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
  push(k, q->node, contact, force, off);
  turn(k, q->node, moment, off);
  if (w->reaction >= 0) turn(k, s->body[w->reaction].node, v3_scale(-drive, q->axis), 0.0);
  if (w->carrier >= 0) turn(k, s->body[w->carrier].node, v3_scale(brake, q->axis), 0.0);
  if (w->spin < 0) {
    turn(k, q->node, v3_scale(drive - brake, q->axis), off);
    return;
  }
  turn(k, q->node, v3_scale(-own, q->axis), off);
  const double whole = k->d->x[w->spin];
  if (w->gyroscopic) {
    const v3 gyro = v3_cross(q->carrier, v3_scale(w->inertia * whole, q->axis));
    turn(k, q->node, v3_neg(gyro),
         64.0 * EPS * w->inertia * fabs(whole) * (1.0 + v3_norm(q->carrier)));
  }
  const double torque = own + drive - brake;
  judge_value(k, w->name, "torque", torque, w->inertia * k->v->dy[s->nq + s->nv + w->spin],
              4.0 * off * (1.0 + q->o->loaded_radius) + 8.0 * EPS * (fabs(drive) + fabs(brake)));
}

// How the wheel stands and moves, and what follows from that without a law of the tyre.
static void wheel_motion_of(laws *k, const wheel *q)
{
  const jn_wheel *w = q->w;
  const tyre_out *o = q->o;
  const double off = q->speed_off, length = 64.0 * EPS * (1.0 + q->centre.length);
  const jn_tyre_kind kind = w->tyre.kind;
  judge_value(k, w->name, "speed", q->spin, q->state->spin, off);
  judge_value(k, w->name, "z", q->centre.p.z, q->state->centre.z, length);
  const v3 contact = v3_add(q->centre.p, q->arm);
  judge_value(k, w->name, "contact_x", contact.x, q->state->contact.x, length);
  judge_value(k, w->name, "contact_y", contact.y, q->state->contact.y, length);
  judge_value(k, w->name, "contact_z", contact.z, q->state->contact.z, length);
  if (kind == JN_TYRE_MF_SIMPLE) return;
  judge_value(k, w->name, "vx", v3_dot(q->centre.v, q->x), o->vx, off);
  judge_value(k, w->name, "vy", v3_dot(q->centre.v, q->y), o->vy, off);
  // Speed that slips are over: of the contact point, ahead; with a rolling radius of its own, of the tread over the road.
  const bool rolls = kind != JN_TYRE_VERTICAL && kind != JN_TYRE_LINEAR && kind != JN_TYRE_BRUSH;
  double along = v3_dot(q->sliding, q->x), over = v3_dot(q->centre.v, q->x);
  if (rolls) {
    along += (o->loaded_radius - o->rolling_radius) * q->turns;
    over = along + o->rolling_radius * q->turns;
  }
  over = fmax(fabs(over), 1.0);
  judge_value(k, w->name, "slip", -along / over, o->slip, 8.0 * off / over * (1.0 + fabs(o->slip)));
  judge_value(k, w->name, "slip_angle", atan(v3_dot(q->sliding, q->y) / over), o->slip_angle,
              8.0 * off / over * (1.0 + fabs(v3_dot(q->sliding, q->y) / over)) + 8.0 * EPS);
}

// Load over deflection and its rate, of tyres that have a stiffness; on roads that rest.
static void wheel_load_of(laws *k, const wheel *q)
{
  const jn_system *s = k->s;
  const jn_wheel *w = q->w;
  const tyre_out *o = q->o;
  const double *p = w->tyre.p;
  const jn_road *road = &s->road[w->road];
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
  judge_value(k, w->name, "error of the normal", 0.0, v3_norm(v3_sub(normal, q->z)), 16.0 * EPS);
  judge_value(k, w->name, "deflection", depth, o->deflection, off);
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
  judge_value(k, w->name, "fz", load, o->load, steep * (off + q->speed_off) + 16.0 * EPS * load);
}

// What has a formula without a state, or whose state's rate has one.
static void wheel_forces_of(laws *k, const wheel *q)
{
  const jn_wheel *w = q->w;
  const tyre_out *o = q->o;
  const double *p = w->tyre.p, grip = q->state->friction;
  const double over = fmax(fabs(o->vx), 1.0), off = 16.0 * q->speed_off / over;
  if (w->tyre.kind == JN_TYRE_LINEAR) {
    const double g = fmin(1.0, o->load / p[5]), limit = p[6] * grip * o->load;
    const double slip = -v3_dot(q->sliding, q->x) / over,
                 angle = atan(v3_dot(q->sliding, q->y) / over);
    const double fx = p[3] * g * slip, fy = -p[4] * g * angle, size = hypot(fx, fy);
    const double back = size > limit ? limit / size : 1.0;
    const double allowed = (p[3] + p[4]) * off * (1.0 + hypot(slip, angle)) + 64.0 * EPS * limit;
    judge_value(k, w->name, "fx", back * fx, o->fx, allowed);
    judge_value(k, w->name, "fy", back * fy, o->fy, allowed);
  } else if (w->tyre.kind == JN_TYRE_BRUSH && o->load > 0.0) {
    judge_value(k, w->name, "force within friction", 1.0,
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
      judge_value(k, w->name, i ? "rate of tread_y" : "rate of tread_x", -vs[i] - v0 * z[i],
                  k->v->dy[k->s->nq + k->s->nv + w->slip + i], 64.0 * q->speed_off);
  }
}

// ---- the whole ------------------------------------------------------------------------------------------

static void judge_bodies(laws *k)
{
  const jn_system *s = k->s;
  for (int i = s->nframe; i < s->nbody; i++) {
    const int n = s->body[i].node;
    if (k->unknown[n]) continue;
    const m3 frame = k->d->frame[s->body[i].frame].r;
    const v3 about = jt_cg_about(&k->v->run, i);
    const sv f = sv_shift_force(k->d->force[i], about);
    const v3 force = m3_mul_v3(frame, f.l), moment = m3_mul_v3(frame, f.a);
    const char *name = jn_node_name(s->model, n);
    // The engine sums moments about one point of a station.
    const double arm = 64.0 * EPS * v3_norm(about) * (v3_norm(force) + k->size[n] / EPS / 16.0);
    judge_value(k, name, "sum of forces", 0.0, v3_norm(v3_sub(force, k->force[n])),
                4.0 * k->size[n] + 1e-300);
    judge_value(k, name, "sum of moments", 0.0, v3_norm(v3_sub(moment, k->moment[n])),
                4.0 * k->turns[n] + arm + 1e-300);
  }
}

static void apply_all(laws *k)
{
  const jn_system *s = k->s;
  for (int i = 0; i < s->nelement; i++) {
    const jn_element *e = &s->element[i];
    switch (e->kind) {
      case JN_FORCE_TSDA:
        spring(k, e);
        break;
      case JN_FORCE_RSDA:
      case JN_FORCE_SERVO:
        in_joint(k, e);
        break;
      case JN_FORCE_BUSHING:
        bushing(k, e);
        break;
      case JN_FORCE_FORCE:
      case JN_FORCE_TORQUE:
        load(k, e);
        break;
      default: {  // plug-ins
        int body[2];
        const int n = jn_force_bodies(s->model->spec, e->spec, body);
        for (int b = 0; b < n; b++) k->unknown[node_of(body[b])] = true;
      }
    }
  }
  for (int i = 0; i < s->nwheel; i++) {
    const wheel q = wheel_of(k, i);
    wheel_loads_of(k, &q);
    wheel_motion_of(k, &q);
    wheel_load_of(k, &q);
    wheel_forces_of(k, &q);
  }
}

void check_laws(const view *v, const state *x, int number, outcome *o)
{
  (void)x;
  const jn_system *s = v->run.s;
  const size_t n = (size_t)s->model->nnode + 1;
  jt_body *at = calloc(n, sizeof *at);
  laws k = {.v = v,
            .s = s,
            .d = v->run.d,
            .at = at,
            .force = calloc(n, sizeof(v3)),
            .moment = calloc(n, sizeof(v3)),
            .size = calloc(n, sizeof(double)),
            .turns = calloc(n, sizeof(double)),
            .unknown = calloc(n, sizeof(bool)),
            .number = number};
  if (at && k.force && k.moment && k.size && k.turns && k.unknown) {
    jt_see_all(&v->run, at);
    apply_all(&k);
    judge_bodies(&k);
    note(o, CHECK_STATE_LAWS, k.worst, "state %d: %s", number, k.what);
  }
  free(at), free(k.force), free(k.moment), free(k.size), free(k.turns), free(k.unknown);
}
