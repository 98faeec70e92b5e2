// check_laws.c: loads on bodies by the formulas of the manual (docs/format.md, docs/tyres.md), from the numbers of the file and from
// where the bodies are, against those that the general path puts on them. Elements have one kernel for all paths, so that comparing
// paths shows no error in it.
#include "base/map.h"
#include "components/bus.h"
#include "elements/law.h"
#include "laws.h"

static const double EPS = LAWS_EPS;

void laws_judge(laws *k, const char *who, const char *what, double own, double value,
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

place laws_place(const laws *k, int node, v3 design)
{
  const jt_body *b = &k->at[node];
  if (!node) return (place){0, design, v3_set(0, 0, 0), v3_norm(design), 0.0};
  const v3 p = jt_point(&k->v->run, k->s->body_of_node[node], b, design), arm = v3_sub(p, b->p);
  const v3 v = v3_add(b->v, v3_cross(b->w, arm));
  return (place){node, p, v, 1.0 + v3_norm(p),
                 1.0 + v3_norm(b->v) + v3_norm(b->w) * (1.0 + v3_norm(arm))};
}

void laws_push(laws *k, int node, v3 p, v3 force, double rounding)
{
  if (!node) return;
  const v3 arm = v3_sub(p, k->at[node].p);
  const double reach = v3_norm(arm), size = rounding + 16.0 * EPS * v3_norm(force);
  k->force[node] = v3_add(k->force[node], force);
  k->moment[node] = v3_add(k->moment[node], v3_cross(arm, force));
  k->size[node] += size;
  k->turns[node] += size * (1.0 + reach) + 64.0 * EPS * v3_norm(force) * (1.0 + v3_norm(p));
}

void laws_turn(laws *k, int node, v3 moment, double rounding)
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
  const jn_tsda_keys *t = &e->spec->as.tsda;
  const law_terms terms = {t->stiffness, t->damping, &t->spring_polynomial, &t->damper_polynomial};
  const place a = laws_place(k, node_of(t->bodies[0]), v3_load(t->at.v[0])),
              b = laws_place(k, node_of(t->bodies[1]), v3_load(t->at.v[t->at.n - 1]));
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
  laws_judge(k, e->name, "length", length, out[0], dx);
  laws_judge(k, e->name, "rate", rate, out[1], dv);
  laws_judge(k, e->name, "force", pull, out[2], off);
  const double turned = fabs(pull) * dx / length;  // its direction
  laws_push(k, a.node, a.p, v3_scale(pull, n), off + turned);
  laws_push(k, b.node, b.p, v3_scale(-pull, n), off + turned);
}

// In a joint: its coordinate and rate are channels. What acts on coordinates of the tree is no load on bodies.
static void in_joint(laws *k, const jn_element *e)
{
  const double *out = k->d->element + e->output;
  const double dx = 64.0 * EPS * (1.0 + fabs(out[0])), dv = 64.0 * EPS * (1.0 + fabs(out[1]));
  if (e->kind == JN_FORCE_SERVO) {
    const jn_servo_keys *t = &e->spec->as.servo;
    const double wanted = input_of(k, e, 0), rate = input_of(k, e, 1);
    laws_judge(
        k, e->name, "force", t->stiffness * (out[0] - wanted) + t->damping * (out[1] - rate),
        out[2],
        t->stiffness * (dx + EPS * fabs(wanted)) + t->damping * (dv + EPS * fabs(rate)) + EPS);
  } else {
    const jn_rsda_keys *t = &e->spec->as.rsda;
    const law_terms terms = {t->stiffness, t->damping, &t->spring_polynomial,
                             &t->damper_polynomial};
    const double x = out[0] - e->p[LAW_FREE];
    laws_judge(k, e->name, "force", law_of(k, e, &terms, x, out[1]), out[2],
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
  const jn_bushing_keys *t = &e->spec->as.bushing;
  const place a = laws_place(k, node_of(t->bodies[0]), v3_load(t->at.v[0])),
              b = laws_place(k, node_of(t->bodies[1]), v3_load(t->at.v[t->at.n - 1]));
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
    laws_judge(k, e->name, name[i], f, out[i], df + EPS);
    off += df;
    turn_off += t->rotational_stiffness[i] * 64.0 * EPS + t->rotational_damping[i] * dw;
    force = v3_axpy(f, u, force), moment = v3_axpy(m, u, moment);
  }
  laws_push(k, b.node, b.p, force, off);
  laws_push(k, a.node, b.p, v3_neg(force), off);
  laws_turn(k, b.node, moment, turn_off);
  laws_turn(k, a.node, v3_neg(moment), turn_off);
}

static void load(laws *k, const jn_element *e)
{
  if (e->kind == JN_FORCE_FORCE) {
    const jn_force_keys *t = &e->spec->as.force;
    const int node = node_of(t->body), i = k->s->body_of_node[node];
    const v3 cg = v3_add(k->s->body[i].anchor, k->s->body[i].cg);
    const place p = laws_place(k, node, JN_GIVEN(t, jn_force_keys, at) ? v3_load(t->at) : cg);
    v3 f = v3_load(t->force);
    if (t->frame != JN_FRAME_WORLD) f = m3_mul_v3(k->at[node].r, f);
    if (e->actuator.input >= 0) f = v3_scale(input_of(k, e, 0), f);
    laws_push(k, node, p.p, f, 0.0);
    return;
  }
  const jn_torque_keys *t = &e->spec->as.torque;
  const int a = node_of(t->bodies[0]), b = node_of(t->bodies[1]);
  v3 m = m3_mul_v3(k->at[a].r, v3_scale(t->torque, v3_unit(v3_load(t->axis))));
  if (e->actuator.input >= 0) m = v3_scale(input_of(k, e, 0), m);
  if (JN_GIVEN(t, jn_torque_keys, start) && k->d->t_in < t->start) m = v3_set(0, 0, 0);
  laws_turn(k, b, m, 0.0);
  laws_turn(k, a, v3_neg(m), 0.0);
}

// ---- components -------------------------------------------------------------------------------------------

// Outputs and rates of the built-in kinds (docs/format.md), from what is on the bus.
static void component(laws *k, const jn_component *c)
{
  const jn_system *s = k->s;
  const jn_instance *n = &s->instance[c->instance];
  if (!c->table || n->is_plugin) return;
  const double *p = c->value, *dx = k->v->dy + s->nq + s->nv, *y = k->d->in[c->out];
  const double *x = k->d->x + n->x, *dplain = dx + n->x, *e = k->d->x + n->e,
               *ddeclared = dx + n->e;
  double u[4] = {0};
  for (int i = 0; i < c->table->nin && i < 4; i++) u[i] = k->d->in[c->signal[i]][0];
  const char *kind = c->table->kind;
#define SAME(what, own, value, size) \
  laws_judge(k, c->name, what, own, value, 64.0 * EPS * (size) + 1e-300)
  if (!strcmp(kind, "lag")) {
    SAME("rate", (u[0] - e[0]) / p[0], ddeclared[0], (fabs(u[0]) + fabs(e[0])) / p[0]);
    SAME("output", e[0], y[0], fabs(e[0]));
  } else if (!strcmp(kind, "filter")) {
    const double second = (u[0] - x[0] - 2.0 * p[0] * x[1]) / (p[0] * p[0]);
    const double size = (fabs(u[0]) + fabs(x[0]) + p[0] * fabs(x[1])) / (p[0] * p[0]);
    SAME("rate", x[1], dplain[0], fabs(x[1]));
    SAME("second rate", second, dplain[1], size);
    SAME("output", x[0], y[0], fabs(x[0]));
    SAME("rate of the output", x[1], y[1], fabs(x[1]));
    SAME("second rate of the output", second, y[2], size);
  } else if (!strcmp(kind, "gain")) {  // factor, offset, least, most
    const double out = fmax(p[2], fmin(p[3], p[0] * u[0] + p[1]));
    SAME("output", out, y[0], fabs(p[0] * u[0]) + fabs(p[1]));
  } else if (!strcmp(kind, "sum")) {
    double out = 0.0, size = 0.0;
    for (int i = 0; i < 4; i++) out += p[i] * u[i], size += fabs(p[i] * u[i]);
    SAME("output", out, y[0], size);
  } else if (!strcmp(kind, "speed")) {  // gain, integral time, most, least; aimed at, measured
    const double out = fmax(p[3], fmin(p[2], p[0] * (u[0] - u[1]) + x[0]));
    const double size = p[0] * (fabs(u[0]) + fabs(u[1])) + fabs(x[0]);
    SAME("output", out, y[0], size);
    SAME("rate", (out - x[0]) / p[1], dplain[0], size / p[1]);
  } else if (!strcmp(kind, "pid")) {
    // gain, integral time, derivative time, filter time, most, least; target, measured, rate
    const double error = u[0] - u[1], over = p[3] > 0.0 ? 1.0 / p[3] : 0.0;
    const double change = p[3] > 0.0 ? (error - e[0]) * over : -u[2];
    const double looks = p[0] * p[2] * change, wants = p[0] * error + looks + x[0];
    const double size =
        fabs(p[0]) * (fabs(u[0]) + fabs(u[1]) +
                      p[2] * (fabs(u[2]) + (fabs(u[0]) + fabs(u[1]) + fabs(e[0])) * over)) +
        fabs(x[0]);
    const double out = fmax(p[5], fmin(p[4], wants));
    SAME("output", out, y[0], size);
    if (isfinite(p[1])) SAME("rate", (out - looks - x[0]) / p[1], dplain[0], size / p[1]);
    SAME("rate of its lag", (error - e[0]) * over, ddeclared[0],
         (fabs(u[0]) + fabs(u[1]) + fabs(e[0])) * over);
  }
#undef SAME
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
    laws_judge(k, name, "sum of forces", 0.0, v3_norm(v3_sub(force, k->force[n])),
               4.0 * k->size[n] + 1e-300);
    laws_judge(k, name, "sum of moments", 0.0, v3_norm(v3_sub(moment, k->moment[n])),
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
      case JN_FORCE_CONTACT:
        laws_contact(k, e, node_of(e->spec->as.contact.body));
        break;
      default: {  // plug-ins
        int body[2];
        const int n = jn_force_bodies(s->model->spec, e->spec, body);
        for (int b = 0; b < n; b++) k->unknown[node_of(body[b])] = true;
      }
    }
  }
  for (int i = 0; i < s->ncomponent; i++) component(k, &s->component[i]);
  laws_wheels(k);
}

void check_laws(view *v, const state *x, int number, outcome *o)
{
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
    o->cover.rare[RARE_CONTACT_PUSHES] |= k.pushes;
    o->cover.rare[RARE_CONTACT_FIRST] |= k.pushes && number == 0;
    if (number == 1) laws_sliding(v, x, &k);
    note(o, CHECK_STATE_LAWS, k.worst, "state %d: %s", number, k.what);
  }
  free(at), free(k.force), free(k.moment), free(k.size), free(k.turns), free(k.unknown);
}
