// allow.c: how far rounding may bring rates and outputs apart at one state.
//
// Two parts. What rounding of the state does to the result is measured: the state is changed by CHANGE at random, and the
// change of each result is scaled down to what rounding leaves of the state. That covers stiff springs, servos and tyres, whose
// forces are differences of positions, whatever their stiffness. What rounding does in the solution is eps times the
// condition of rows, mass matrix and inertias times the size of the accelerations, with constraints or without, whichever is larger: stiff
// springs give forces that cancel.
#include "elements/bushing.h"
#include "elements/contact_points.h"
#include "elements/law.h"
#include "states.h"

static const double EPS = 2.220446049250313e-16, CHANGE = 0x1p-27;

// Lengths and velocities of vehicles are known to some eps times 3 m and 10 m/s; velocities of dependent coordinates follow from
// others, which multiplies by the condition of the rows.
static const double REACH = 3.0;

// The worst of all directions in which a state may be off is some sqrt(n), 6 to 8, times that of one at random.
static const double SAFETY = 8.0;

enum { DRAWS = 3 };

static double moved(const state *x)
{
  return (8.0 * EPS * (REACH + x->condition + x->spread) + x->residual) / CHANGE;
}

// A state nearby: positions in their tangent space, velocities and other states relative to their size.
static void change(const view *v, const state *x, jt_random *r, state *near)
{
  const jn_system *s = v->run.s;
  const int n = s->nq + s->nv + s->nx;
  double *step = calloc((size_t)s->nv + 1, sizeof *step);
  memcpy(near->y, x->y, (size_t)n * sizeof *near->y);
  memcpy(near->turn, x->turn, (size_t)s->nq * sizeof *near->turn);
  near->t = x->t;
  if (!step) return;
  for (int i = 0; i < s->nv; i++) {
    const double size = s->coordinate_angle[i] ? 1.0 : fmin(s->coordinate_scale[i], 1.0);
    step[i] = CHANGE * jt_random_in(r, -1, 1) * size;
  }
  jn_general_displace(s, near->y, step, v->run.d->frame);
  for (int i = s->nq; i < s->nq + s->nv; i++)
    near->y[i] += CHANGE * jt_random_in(r, -1, 1) * fmax(1.0, fabs(x->y[i]));
  for (int i = s->nq + s->nv; i < n; i++)
    near->y[i] += CHANGE * jt_random_in(r, -1, 1) * fmax(0.01, fabs(x->y[i]));
  free(step);
}

// ---- size of accelerations and forces ---------------------------------------------------------------

typedef struct sizes {
  double linear, angular, force, moment;
} sizes;

static v3 solve3(s3 a, v3 b)  // by Cramer's rule
{
  const m3 f = s3_full(a);
  const m3 co = m3_rows(v3_cross(f.y, f.z), v3_cross(f.z, f.x), v3_cross(f.x, f.y));
  return v3_scale(1.0 / v3_dot(f.x, co.x), m3_tmul_v3(co, b));
}

// The largest of |a| and |M^-1 Q|, and the forces that belong to them. What turns one body pushes another over an arm of
// a metre, and the other way round.
static sizes sizes_of(const view *v)
{
  const jn_system *s = v->run.s;
  sizes c = {.linear = v3_norm(s->gravity)};
  for (int i = s->nframe; i < s->nbody; i++) {
    const int n = s->body[i].node;
    const jt_body b = jt_see(&v->run, i, v->run.d->accel);
    const double mass = s->body[i].mass;
    const s3 inertia = s3_rotate(b.r, s->body[i].inertia);
    const v3 q = v3_sub(v->moment[n], v3_cross(b.w, s3_mul_v3(inertia, b.w)));
    c.linear = fmax(c.linear, fmax(v3_norm(b.a), v3_norm(v->force[n]) / mass));
    c.angular = fmax(c.angular, fmax(v3_norm(b.dw), v3_norm(solve3(inertia, q))));
    c.force = fmax(c.force, fmax(mass * v3_norm(b.a), v3_norm(v->force[n])));
    c.moment = fmax(c.moment, fmax(v3_norm(s3_mul_v3(inertia, b.dw)), v3_norm(q)));
  }
  for (int e = 0; e < s->model->nfile_edge; e++) {
    if (v->reaction[e] < 0) continue;
    c.force = fmax(c.force, v3_norm(v3_load(v->row + v->reaction[e])));
    c.moment = fmax(c.moment, v3_norm(v3_load(v->row + v->reaction[e] + 3)));
  }
  c.linear = fmax(c.linear, c.angular * 0.3), c.angular = fmax(c.angular, c.linear);
  c.moment = fmax(c.moment, c.force), c.force = fmax(c.force, c.moment);
  return c;
}

// ---- the whole ------------------------------------------------------------------------------------

enum { Q_LENGTH, Q_ANGLE, V_LENGTH, V_ANGLE, OWN };

static int kind_of(const jn_system *s, int i)  // of a number of the state
{
  if (i >= s->nq + s->nv) return OWN;
  if (i >= s->nq) return s->coordinate_angle[i - s->nq] ? V_ANGLE : V_LENGTH;
  for (int b = s->nframe; b < s->nbody; b++) {
    const jn_tree_joint *j = &s->joint[b];
    if (i < j->q || i >= j->q + j->nq) continue;
    if (j->sphere >= 0 && i >= j->sphere) return Q_ANGLE;
    return j->nv > i - j->q && s->coordinate_angle[j->v + (i - j->q)] ? Q_ANGLE : Q_LENGTH;
  }
  return Q_ANGLE;
}

static void raise_to(double *x, double y)
{
  if (!(y <= *x)) *x = y;
}

static void allow_states(view *v, const state *x, const double *apart, const sizes *c)
{
  const jn_system *s = v->run.s;
  const int n = s->nq + s->nv + s->nx;
  const double solved = EPS * (1.0 + x->condition + x->mass + x->arm + x->spread * x->spread),
               followed = EPS * (x->spread + x->condition);
  double change_of[OWN] = {0}, size[OWN] = {[V_LENGTH] = c->linear, [V_ANGLE] = c->angular};
  for (int i = 0; i < s->nq + s->nv; i++) {
    raise_to(&change_of[kind_of(s, i)], apart[i]);
    raise_to(&size[kind_of(s, i)], fabs(v->dy[i]));
  }
  // A body's velocity is a sum over joints with arms.
  const double fast = fmax(size[Q_LENGTH], size[Q_ANGLE]);
  for (int i = 0; i < n; i++) {
    const int k = kind_of(s, i);
    if (k == OWN) {
      const int e = i - (n - s->nexp);
      // The spin of a wheel that nothing turns is rounding of the moments of its tyre.
      // Power is a sum of forces times velocities, which may cancel.
      const double power = i == s->nq + s->nv + s->work_state ? c->force * REACH * fast : 0.0;
      const double own = fabs(v->dy[i]) + (e >= 0 ? fabs(v->rate[e] * x->y[i]) : 0.0) +
                         fmax(1.0, fast) + (e < 0 ? size[V_ANGLE] : 0.0) + power;
      v->dy_allowed[i] = SAFETY * (moved(x) * apart[i] + (4.0 * EPS + followed) * own);
    } else {
      const bool rate = k == V_LENGTH || k == V_ANGLE;
      v->dy_allowed[i] =
          SAFETY * (moved(x) * change_of[k] + (rate ? solved * size[k] : followed * fast));
    }
  }
  // Lanes keep their own choice of coordinates until a pivot has fallen to a tenth.
  for (int i = 0; i < s->nv; i++)
    v->v_allowed[i] = 10.0 * SAFETY * (4.0 * EPS + followed) * fmax(1.0, fast);
  v->angular_allowed = SAFETY * (moved(x) * change_of[V_ANGLE] + solved * size[V_ANGLE]);
}

// What rounding of places and velocities of two points makes of the force, or the moment, between them. Where a joint holds the points
// together there is nothing else, and no change of the state changes it.
static void element_rounding(const view *v, double *force, double *moment)
{
  const jn_system *s = v->run.s;
  double fast = 1.0;
  for (int i = 0; i < s->nq; i++) fast = fmax(fast, fabs(v->dy[i]));
  *force = *moment = 0.0;
  for (int i = 0; i < s->nelement; i++) {
    const double *p = s->element[i].p;
    if (s->element[i].kind == JN_FORCE_TSDA)
      raise_to(force, EPS * (REACH * fabs(p[LAW_STIFFNESS]) + fast * fabs(p[LAW_DAMPING])));
    if (s->element[i].kind == JN_FORCE_CONTACT)
      raise_to(force, EPS * REACH * fast * p[CONTACT_STIFFNESS] * (1.0 + p[CONTACT_DAMPING]));
    for (int k = 0; k < 3 && s->element[i].kind == JN_FORCE_BUSHING; k++) {
      raise_to(force, EPS * (REACH * p[BUSHING_STIFFNESS + k] + fast * p[BUSHING_DAMPING + k]));
      raise_to(moment, EPS * (p[BUSHING_TURN_STIFFNESS + k] + fast * p[BUSHING_TURN_DAMPING + k]));
    }
  }
}

// What components make of an input that the mechanism holds at zero: rounding of velocities in other axes, times the factors of all that
// it goes through.
static double factor_of(const jn_system *s, int component, int depth)
{
  const jn_component *c = &s->component[component];
  double own = 0.0, before = 1.0;
  if (!c->table || depth > s->ncomponent) return 0.0;
  for (int p = 0; p < c->table->nparameter; p++)
    if (isfinite(c->value[p])) own += fabs(c->value[p]);
  for (int k = 0; k < c->table->nin; k++)
    if (c->source[k] >= 0) raise_to(&before, factor_of(s, c->source[k], depth + 1));
  return own * before;
}

// At its ports and in the input that it drives.
static double component_rounding(const view *v, const char *channel)
{
  const jn_system *s = v->run.s;
  double fast = 1.0, factor = 0.0;
  for (int i = 0; i < s->ncomponent; i++) {
    const jn_component *c = &s->component[i];
    const size_t n = strlen(c->name);
    bool its = c->table && strncmp(channel, c->name, n) == 0 && channel[n] == '.';
    for (int k = 0; k < s->ninput && c->table; k++)
      its |= s->input[k].driven == i && !strcmp(s->input[k].name, channel);
    if (its) raise_to(&factor, factor_of(s, i, 0));
  }
  for (int i = s->nq; i < s->nq + s->nv; i++) raise_to(&fast, fabs(v->run.d->y[i]));
  return EPS * factor * fast;
}

static void allow_rows(view *v, const state *x, const double *apart, const sizes *c)
{
  const jn_system *s = v->run.s;
  const double solved = EPS * (1.0 + x->condition + x->mass + x->arm + x->spread * x->spread),
               followed = EPS * (x->spread + x->condition);
  double changed[64] = {0}, size[64] = {0};
  for (int i = 0; i < s->nchannel; i++) {
    const int k = v->class.of[i];
    if (k < 0) continue;
    raise_to(&changed[k], apart[i]);
    raise_to(&size[k], fabs(v->row[i]));
  }
  double by_force, by_moment;
  element_rounding(v, &by_force, &by_moment);
  v->force_allowed = v->moment_allowed = 0.0;
  for (int i = 0; i < s->nchannel; i++) {
    const int k = v->class.of[i];
    if (k < 0) continue;
    const char *unit = v->class.unit[k];
    const bool holds = !strncmp(s->channel[i].name, "joint.", 6) && unit[0] == 'N';
    double most = size[k], part = followed;
    if (!strcmp(unit, "m/s²")) most = fmax(most, c->linear), part = solved;
    if (!strcmp(unit, "rad/s²")) most = fmax(most, c->angular), part = solved;
    if (holds) most = fmax(most, strcmp(unit, "N") ? c->moment : c->force), part = solved;
    double places = !strcmp(unit, "N") ? by_force : !strcmp(unit, "N m") ? by_moment : 0.0;
    // Slips are velocities over velocities, of which sums of the latter's size are rounded.
    if (!strncmp(s->channel[i].name, "tyre.", 5)) places += EPS;
    v->row_allowed[i] = SAFETY * (moved(x) * changed[k] + part * most + places +
                                  component_rounding(v, s->channel[i].name));
    if (!holds) continue;
    // Several joints hold a body, with arms of a metre.
    raise_to(&v->force_allowed, 4.0 * v->row_allowed[i]);
    raise_to(&v->moment_allowed, 4.0 * v->row_allowed[i]);
  }
  const double least = SAFETY * solved;
  raise_to(&v->force_allowed, least * c->force);
  raise_to(&v->moment_allowed, least * c->moment);
}

void view_allow(view *v, const state *x, jt_random *r)
{
  const jn_system *s = v->run.s;
  const int n = s->nq + s->nv + s->nx;
  state near;
  double *dy = calloc((size_t)n + 1, sizeof *dy),
         *row = calloc((size_t)s->nchannel + 1, sizeof *row);
  double *apart = calloc((size_t)n + 1, sizeof *apart),
         *row_apart = calloc((size_t)s->nchannel + 1, sizeof *row_apart);
  if (state_make(s, &near) && dy && row && apart && row_apart) {
    view_at(v, x);
    memcpy(dy, v->dy, (size_t)n * sizeof *dy);
    memcpy(row, v->row, (size_t)s->nchannel * sizeof *row);
    for (int k = 0; k < DRAWS; k++) {
      change(v, x, r, &near);
      view_at(v, &near);
      for (int i = 0; i < n; i++) raise_to(&apart[i], fabs(v->dy[i] - dy[i]));
      for (int i = 0; i < s->nchannel; i++) raise_to(&row_apart[i], fabs(v->row[i] - row[i]));
    }
    view_at(v, x);
    const sizes c = sizes_of(v);
    allow_states(v, x, apart, &c);
    allow_rows(v, x, row_apart, &c);
  }
  state_free(&near);
  free(dy), free(row), free(apart), free(row_apart);
}
