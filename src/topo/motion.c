#include "topo/motion.h"

#include <math.h>
#include <string.h>

// ---- small algebra ----------------------------------------------------------------------------

static double dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
  double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  memcpy(out, c, sizeof c);
}

static void sub(const double a[3], const double b[3], double out[3])
{
  for (int i = 0; i < 3; i++) out[i] = a[i] - b[i];
}

static void rotate(const double r[3][3], const double x[3], double out[3])
{
  double y[3] = {dot(r[0], x), dot(r[1], x), dot(r[2], x)};
  memcpy(out, y, sizeof y);
}

static void unit(const double v[3], double out[3])
{
  double n = hypot(hypot(v[0], v[1]), v[2]);
  for (int i = 0; i < 3; i++) out[i] = v[i] / n;
}

static void multiply(const double a[3][3], const double b[3][3], double out[3][3])
{
  double c[3][3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) c[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
  memcpy(out, c, sizeof c);
}

// Rotation by an angle about a unit axis (Rodrigues).
static void turn_about(const double u[3], double angle, double r[3][3])
{
  double c = cos(angle), s = sin(angle);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) r[i][j] = (i == j ? c : 0.0) + (1.0 - c) * u[i] * u[j];
  r[0][1] -= s * u[2], r[1][0] += s * u[2];
  r[0][2] += s * u[1], r[2][0] -= s * u[1];
  r[1][2] -= s * u[0], r[2][1] += s * u[0];
}

static void turn_by(const double v[3], double r[3][3])
{
  double angle = hypot(hypot(v[0], v[1]), v[2]), u[3] = {1.0, 0.0, 0.0};
  if (angle > 0.0) unit(v, u);
  turn_about(u, angle, r);
}

static const double identity[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

// x -> p + R (x - p)
static jn_displacement about(const double p[3], const double r[3][3])
{
  jn_displacement d;
  double rp[3];
  memcpy(d.r, r, sizeof d.r);
  rotate(r, p, rp);
  sub(p, rp, d.t);
  return d;
}

jn_displacement jn_displacement_identity(void)
{
  jn_displacement d = {{{0}}, {0}};
  memcpy(d.r, identity, sizeof d.r);
  return d;
}

jn_displacement jn_displacement_mul(const jn_displacement *a, const jn_displacement *b)
{
  jn_displacement d;
  multiply(a->r, b->r, d.r);
  jn_displacement_point(a, b->t, d.t);
  return d;
}

jn_displacement jn_displacement_inverse(const jn_displacement *a)
{
  jn_displacement d;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) d.r[i][j] = a->r[j][i];
  rotate(d.r, a->t, d.t);
  for (int i = 0; i < 3; i++) d.t[i] = -d.t[i];
  return d;
}

void jn_displacement_point(const jn_displacement *d, const double x[3], double out[3])
{
  double y[3];
  rotate(d->r, x, y);
  for (int i = 0; i < 3; i++) out[i] = y[i] + d->t[i];
}

jn_twist jn_twist_to_world(const jn_displacement *d, const jn_twist *t)
{
  jn_twist out;
  double moved[3];
  rotate(d->r, t->w, out.w);
  rotate(d->r, t->v, out.v);
  cross(d->t, out.w, moved);
  for (int i = 0; i < 3; i++) out.v[i] += moved[i];
  return out;
}

double jn_twist_dot(const jn_twist *row, const jn_twist *t)
{
  return dot(row->w, t->w) + dot(row->v, t->v);
}

// ---- geometry ---------------------------------------------------------------------------------

// Two unit vectors that complete u to a right-handed frame.
static void complete(const double u[3], double n[2][3])
{
  int k = fabs(u[0]) <= fabs(u[1]) ? (fabs(u[0]) <= fabs(u[2]) ? 0 : 2)
                                   : (fabs(u[1]) <= fabs(u[2]) ? 1 : 2);
  double e[3] = {k == 0, k == 1, k == 2};
  cross(u, e, n[0]);
  unit(n[0], n[0]);
  cross(u, n[0], n[1]);
}

// The shortest rotation that takes unit vector `from` to `to`.
static void align(const double from[3], const double to[3], double r[3][3])
{
  double axis[3], n[2][3];
  cross(from, to, axis);
  double s = hypot(hypot(axis[0], axis[1]), axis[2]), c = dot(from, to);
  if (s > 0.0)
    unit(axis, axis);
  else
    complete(from, n), memcpy(axis, n[0], sizeof axis);
  turn_about(axis, atan2(s, c), r);
}

jn_joint_geometry jn_joint_geometry_of(const jn_model *m, int edge)
{
  const jn_edge *e = &m->edge[edge];
  jn_joint_geometry g = {.kind = e->kind, .driven = e->driven};
  memcpy(g.turn, identity, sizeof g.turn);
  const double *cg = m->spec->body[e->b > 0 ? e->b - 1 : 0].keys.cg;
  if (e->joint < 0) {
    memcpy(g.at[0], cg, sizeof g.at[0]);
    memcpy(g.at[1], cg, sizeof g.at[1]);
    return g;
  }
  const jn_joint_keys *k = &m->spec->joint[e->joint].keys;
  if (e->b == 0 && k->at.n == 0) cg = m->spec->body[e->a - 1].keys.cg;
  for (int i = 0; i < 2; i++) {
    memcpy(g.at[i], k->at.n ? k->at.v[k->at.n == 2 ? i : 0] : cg, sizeof g.at[i]);
    if (k->axis.n) unit(k->axis.v[k->axis.n == 2 ? i : 0], g.axis[i]);
  }
  double d[3];
  sub(g.at[1], g.at[0], d);
  g.length = hypot(hypot(d[0], d[1]), d[2]);
  g.offset = dot(d, g.axis[0]);
  g.cosine = dot(g.axis[0], g.axis[1]);
  g.pitch = k->lead / (2.0 * M_PI);
  if (k->axis.n) complete(g.axis[0], g.normal);
  if (k->axis.n == 2 && g.kind != JN_JOINT_UNIVERSAL) align(g.axis[1], g.axis[0], g.turn);
  return g;
}

jn_joint_state jn_joint_state_zero(void)
{
  jn_joint_state s = {{0}, {{0}}};
  memcpy(s.r, identity, sizeof s.r);
  return s;
}

// ---- as a tree joint --------------------------------------------------------------------------

// Second body turned by R such that its joint point comes to `point`.
static jn_displacement put_at(const jn_joint_geometry *g, const double point[3], const double r[3][3])
{
  jn_displacement d;
  double p[3];
  memcpy(d.r, r, sizeof d.r);
  rotate(r, g->at[1], p);
  sub(point, p, d.t);
  return d;
}

// Where the joint point of the second body is, in the first's axes.
static void joint_point(const jn_joint_geometry *g, const jn_joint_state *state, double p[3])
{
  const double *s = state->s, *u = g->axis[0];
  memcpy(p, g->at[0], 3 * sizeof *p);
  switch (g->kind) {
    case JN_JOINT_TRANSLATIONAL:
    case JN_JOINT_CYLINDRICAL:
    case JN_JOINT_SPHERICAL_TRANSLATIONAL:
      for (int i = 0; i < 3; i++) p[i] += u[i] * s[0];
      break;
    case JN_JOINT_SCREW:
      for (int i = 0; i < 3; i++) p[i] += u[i] * g->pitch * s[0];
      break;
    case JN_JOINT_PLANAR:
      for (int i = 0; i < 3; i++) p[i] += g->normal[0][i] * s[0] + g->normal[1][i] * s[1];
      break;
    case JN_JOINT_FREE:
    case JN_JOINT_NO_ROTATION:
    case JN_JOINT_DISTANCE:
      for (int i = 0; i < 3; i++) p[i] = g->at[1][i] + s[i];
      break;
    case JN_JOINT_SPHERICAL_REVOLUTE: {
      double r[3][3];
      turn_about(u, s[0], r);
      jn_displacement link = about(g->at[0], r);
      jn_displacement_point(&link, g->at[1], p);
      break;
    }
    default:
      break;
  }
}

jn_displacement jn_joint_displacement(const jn_joint_geometry *g, const jn_joint_state *state)
{
  double p[3], r[3][3], second[3][3];
  const double *s = state->s;
  joint_point(g, state, p);
  switch (g->kind) {
    case JN_JOINT_REVOLUTE:
    case JN_JOINT_SCREW:
      turn_about(g->axis[0], s[0], r);
      multiply(r, g->turn, r);
      break;
    case JN_JOINT_CYLINDRICAL:
      turn_about(g->axis[0], s[1], r);
      multiply(r, g->turn, r);
      break;
    case JN_JOINT_PLANAR:
      turn_about(g->axis[0], s[2], r);
      multiply(r, g->turn, r);
      break;
    case JN_JOINT_UNIVERSAL:
      turn_about(g->axis[0], s[0], r);
      turn_about(g->axis[1], s[1], second);
      multiply(r, second, r);
      break;
    default:  // those with a sphere, and those that do not turn
      multiply(state->r, g->turn, r);
  }
  return put_at(g, p, r);
}

// A rotation about an axis through p, a translation.
static jn_twist rotation(const double u[3], const double p[3])
{
  jn_twist t;
  memcpy(t.w, u, sizeof t.w);
  cross(p, u, t.v);
  return t;
}

static jn_twist translation(const double u[3])
{
  jn_twist t = {{0}, {0}};
  memcpy(t.v, u, sizeof t.v);
  return t;
}

static int sphere_twists(const double p[3], jn_twist *twist)
{
  for (int i = 0; i < 3; i++) twist[i] = rotation(identity[i], p);
  return 3;
}

int jn_joint_twists(const jn_joint_geometry *g, const jn_joint_state *state, jn_twist twist[6],
                    bool translates[6])
{
  double p[3], u[3];
  int n = 0;
  joint_point(g, state, p);
  for (int i = 0; i < 6; i++) translates[i] = false;
  switch (g->kind) {
    case JN_JOINT_FIXED:
    case JN_NJOINT_KIND:
      break;
    case JN_JOINT_REVOLUTE:
      twist[n++] = rotation(g->axis[0], p);
      break;
    case JN_JOINT_TRANSLATIONAL:
      translates[n] = true;
      twist[n++] = translation(g->axis[0]);
      break;
    case JN_JOINT_CYLINDRICAL:
      translates[n] = true;
      twist[n++] = translation(g->axis[0]);
      twist[n++] = rotation(g->axis[0], p);
      break;
    case JN_JOINT_SCREW:
      twist[n] = rotation(g->axis[0], p);
      for (int i = 0; i < 3; i++) twist[n].v[i] += g->pitch * g->axis[0][i];
      n++;
      break;
    case JN_JOINT_UNIVERSAL: {
      double r[3][3];
      turn_about(g->axis[0], state->s[0], r);
      rotate(r, g->axis[1], u);
      twist[n++] = rotation(g->axis[0], p);
      twist[n++] = rotation(u, p);
      break;
    }
    case JN_JOINT_SPHERICAL:
      n += sphere_twists(p, twist);
      break;
    case JN_JOINT_PLANAR:
      translates[0] = translates[1] = true;
      twist[n++] = translation(g->normal[0]);
      twist[n++] = translation(g->normal[1]);
      twist[n++] = rotation(g->axis[0], p);
      break;
    case JN_JOINT_FREE:
    case JN_JOINT_DISTANCE:
    case JN_JOINT_NO_ROTATION:
      for (; n < 3; n++) translates[n] = true, twist[n] = translation(identity[n]);
      if (g->kind != JN_JOINT_NO_ROTATION) n += sphere_twists(p, twist + n);
      break;
    case JN_JOINT_SPHERICAL_REVOLUTE: {
      double arm[3];
      sub(p, g->at[0], arm);
      cross(g->axis[0], arm, u);  // the link turns, the second body's orientation is its own
      twist[n++] = translation(u);
      n += sphere_twists(p, twist + n);
      break;
    }
    case JN_JOINT_SPHERICAL_TRANSLATIONAL:
      translates[n] = true;
      twist[n++] = translation(g->axis[0]);
      n += sphere_twists(p, twist + n);
      break;
  }
  return n;
}

void jn_joint_advance(const jn_joint_geometry *g, jn_joint_state *state, const double *step)
{
  int scalars = 0, sphere = -1;
  switch (g->kind) {
    case JN_JOINT_SPHERICAL:
      sphere = 0;
      break;
    case JN_JOINT_FREE:
    case JN_JOINT_DISTANCE:
      scalars = sphere = 3;
      break;
    case JN_JOINT_SPHERICAL_REVOLUTE:
    case JN_JOINT_SPHERICAL_TRANSLATIONAL:
      scalars = sphere = 1;
      break;
    default:
      scalars = jn_joint_kinds[g->kind].ncoord;
  }
  for (int i = 0; i < scalars; i++) state->s[i] += step[i];
  if (sphere >= 0) {
    double r[3][3];
    turn_by(step + sphere, r);
    multiply(r, state->r, state->r);
  }
}

// ---- as a constraint --------------------------------------------------------------------------

typedef struct rows {
  const jn_joint_geometry *g;
  int n;
  double *residual;
  jn_twist *row;
  bool *lengths;
  double p[3], d[3];  // second body's point, in the first's axes; from the first's point to it
} rows;

// d . f = value: force along f at p.
static void row_along(rows *k, const double f[3], double value)
{
  k->residual[k->n] = dot(k->d, f) - value;
  memcpy(k->row[k->n].v, f, 3 * sizeof *f);
  cross(k->p, f, k->row[k->n].w);
  k->lengths[k->n++] = true;
}

// x . y = value with x on the first body and y on the second: moment along y x x.
static void row_between(rows *k, const double x[3], const double y[3], double value)
{
  k->residual[k->n] = dot(x, y) - value;
  memset(k->row[k->n].v, 0, sizeof k->row[k->n].v);
  cross(y, x, k->row[k->n].w);
  k->lengths[k->n++] = false;
}

static void rows_point(rows *k)
{
  for (int i = 0; i < 3; i++) row_along(k, identity[i], 0.0);
}

// No relative rotation: the vector of R - R' vanishes.
static void rows_no_rotation(rows *k, const double r[3][3])
{
  const double v[3] = {0.5 * (r[2][1] - r[1][2]), 0.5 * (r[0][2] - r[2][0]),
                       0.5 * (r[1][0] - r[0][1])};
  double trace = r[0][0] + r[1][1] + r[2][2];
  for (int i = 0; i < 3; i++) {
    k->residual[k->n] = v[i];
    memset(&k->row[k->n], 0, sizeof k->row[k->n]);
    for (int j = 0; j < 3; j++)  // dv/dw = (tr R - R) / 2
      k->row[k->n].w[j] = 0.5 * ((i == j ? trace : 0.0) - r[i][j]);
    k->lengths[k->n++] = false;
  }
}

static void row_distance(rows *k)
{
  double n = hypot(hypot(k->d[0], k->d[1]), k->d[2]), u[3];
  for (int i = 0; i < 3; i++) u[i] = n > 0.0 ? k->d[i] / n : 0.0;
  row_along(k, u, 0.0);
  k->residual[k->n - 1] = n - k->g->length;
}

int jn_joint_rows(const jn_joint_geometry *g, const jn_displacement *e, double residual[6],
                  jn_twist row[6], bool lengths[6])
{
  rows k = {.g = g, .residual = residual, .row = row, .lengths = lengths};
  const double *u = g->axis[0], *n1 = g->normal[0], *n2 = g->normal[1];
  double axis[3], r[3][3], back[3][3];
  jn_displacement_point(e, g->at[1], k.p);
  sub(k.p, g->at[0], k.d);
  rotate(e->r, g->axis[1], axis);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) back[i][j] = g->turn[j][i];
  multiply(e->r, back, r);  // rotation from where the axes are parallel
  switch (g->kind) {
    case JN_JOINT_FIXED:
      rows_point(&k);
      rows_no_rotation(&k, r);
      break;
    case JN_JOINT_REVOLUTE:
      rows_point(&k);
      row_between(&k, n1, axis, 0.0);
      row_between(&k, n2, axis, 0.0);
      break;
    case JN_JOINT_TRANSLATIONAL:
      row_along(&k, n1, 0.0);
      row_along(&k, n2, 0.0);
      rows_no_rotation(&k, r);
      break;
    case JN_JOINT_CYLINDRICAL:
    case JN_JOINT_SCREW:
      row_along(&k, n1, 0.0);
      row_along(&k, n2, 0.0);
      row_between(&k, n1, axis, 0.0);
      row_between(&k, n2, axis, 0.0);
      if (g->kind == JN_JOINT_SCREW) {
        double m1[3];
        rotate(r, n1, m1);
        row_along(&k, u, g->pitch * atan2(dot(m1, n2), dot(m1, n1)));
        for (int i = 0; i < 3; i++) row[k.n - 1].w[i] -= g->pitch * u[i];
      }
      break;
    case JN_JOINT_UNIVERSAL:
      rows_point(&k);
      row_between(&k, u, axis, g->cosine);
      break;
    case JN_JOINT_SPHERICAL:
      rows_point(&k);
      break;
    case JN_JOINT_PLANAR:
      row_along(&k, u, 0.0);
      row_between(&k, n1, axis, 0.0);
      row_between(&k, n2, axis, 0.0);
      break;
    case JN_JOINT_NO_ROTATION:
      rows_no_rotation(&k, r);
      break;
    case JN_JOINT_DISTANCE:
      row_distance(&k);
      break;
    case JN_JOINT_SPHERICAL_REVOLUTE:
      row_along(&k, u, g->offset);
      row_distance(&k);
      break;
    case JN_JOINT_SPHERICAL_TRANSLATIONAL:
      row_along(&k, n1, 0.0);
      row_along(&k, n2, 0.0);
      break;
    case JN_JOINT_FREE:
    case JN_NJOINT_KIND:
      break;
  }
  if (g->driven && g->kind == JN_JOINT_REVOLUTE) {  // the angle itself
    double m1[3], m2[3];
    rotate(r, n1, m1);
    rotate(r, n2, m2);
    row_between(&k, n2, m1, 0.0);
    residual[k.n - 1] = atan2(dot(m1, n2), dot(m1, n1));
    memcpy(row[k.n - 1].w, u, 3 * sizeof *u);
  } else if (g->driven) {
    row_along(&k, u, 0.0);
  }
  return k.n;
}
