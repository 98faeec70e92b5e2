// program.c: the program of one subsystem.
#include "solve/fast/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/fast/kernels.h"
#include "solve/fast/program_write.h"
#include "solve/general/general.h"

// ---- joints ---------------------------------------------------------------------------------------

static int u_field(const lane_program *b, int coordinate)
{
  const int c = b->column[coordinate];
  return c < b->nrow ? b->u + c : b->z + (c - b->nrow);
}

static bool has_wheel(const jn_system *s, int body)
{
  for (int i = 0; i < s->nwheel; i++)
    if (s->wheel[i].body == body) return true;
  return false;
}

// Is more asked of a body hinged on the parent than points, which its angle gives?
static bool wants_directions(const jn_cut *c)
{
  for (int r = 0; r < c->nrow; r++)
    if (c->rows[r].shape.kind != JN_ROW_POINT && c->rows[r].shape.kind != JN_ROW_DISTANCE)
      return true;
  return false;
}

static bool needs_rotation(const lane_program *b, const lane_member *m)
{
  const jn_system *s = b->s;
  for (int i = 0; i < b->n; i++)
    if (b->m[i].up >= 0 && &b->m[b->m[i].up] == m) return true;
  int list[LANE_CUTS];
  const int n = jn_lane_find_cuts(s, b->subsystem, list);
  for (int i = 0; i < n; i++) {
    const jn_cut *c = &s->cut[list[i]];
    for (int e = 0; e < 2; e++) {
      const lane_end end = lane_end_of(b, e ? c->b : c->a, b->end[i][e]);
      if (end.member >= 0 && &b->m[end.member] == m && wants_directions(c)) return true;
    }
  }
  if (m->stands_in) return false;
  return has_wheel(s, m->body) || jn_lane_element_turns(s, m->body) || !m->hinged;
}

static bool turns(const jn_tree_joint *j)
{
  for (int i = 0; i < j->nmove; i++)
    if (jn_move_is_angle(&j->move[i])) return true;
  return false;
}

static bool travels(const jn_tree_joint *j)
{
  for (int i = 0; i < j->nmove; i++)
    if (j->move[i].kind != JN_MOVE_TURN && j->move[i].kind != JN_MOVE_SPHERE) return true;
  return false;
}

static int directions(lane_program *b, const jn_tree_joint *j)
{
  const int at = b->np;
  for (int i = 0; i < j->nmove; i++) {
    lane_vector(b, j->move[i].own);
    if (j->move[i].kind == JN_MOVE_SCREW) lane_number(b, j->move[i].pitch);
  }
  return at;
}

static void write_joint(lane_program *b, lane_member *m)
{
  jn_tree_joint joint = b->s->joint[m->body];
  const jn_tree_joint *j = &joint;
  if (m->rests) joint.at = v3_set(0, 0, 0);  // it stands where what it hangs on stands
  const bool on_parent = m->up < 0, hinge = on_parent && j->kind == JN_JOINT_REVOLUTE;
  const lane_member *up = on_parent ? NULL : &b->m[m->up];
  const int ru = on_parent ? -1 : up->r, pu = on_parent ? -1 : up->p;
  if (!m->given) {
    m->q = b->nq;
    b->nq += j->nq;
  }
  m->s = lane_field(b, 6 * m->ncoord);
  for (int k = 0; k < m->ncoord; k++) m->u[k] = u_field(b, m->first + k);
  const int p_at = lane_vector(b, j->at), p_own = directions(b, j);
  m->p = lane_field(b, 3);
  m->r = ru;
  if (turns(j)) m->r = hinge && !needs_rotation(b, m) ? -1 : lane_field(b, 9);
  if (hinge) m->circle = lane_field(b, 2);
  const bool stands = on_parent && !travels(j), screws_stand = on_parent && j->nmove == 1;
  if (stands) lane_constant(b, m->p, j->at);
  if (screws_stand) {
    const double design[4] = {j->sphere >= 0 ? 1.0 : 0.0};
    sv screw[6];
    jn_general_screws(j, design, screw);
    for (int k = 0; k < m->ncoord; k++) lane_constant_screw(b, m->s + 6 * k, screw[k]);
  }
  if (stands && !j->nmove) return;
  LANE_WRITE(LANE_POSE, LANE_JOINT, (int)j->kind, m->q, p_at, p_own, ru, pu, turns(j) ? m->r : -1,
             stands ? -1 : m->p, screws_stand || !m->ncoord ? -1 : m->s, m->circle, m->given);
}

// Fields of the loops, and of each member's motion.
static void lay_loops(lane_program *b)
{
  const int nz = b->nv + b->ns, nall = b->nrow + b->nredundant;
  b->z = lane_field(b, nz);
  b->u = lane_field(b, b->nrow);
  b->j = lane_field(b, nall * (b->nrow + nz));
  b->lu = lane_field(b, b->nrow * b->nrow);
  b->t = lane_field(b, b->nrow * (nz + 1));
  b->side = lane_field(b, 2 * nall);
  b->correction = lane_field(b, b->nrow);
  for (int i = 0; i < b->ns; i++) b->column[LANE_OWN + i] = b->nrow + b->nv + i;
}

static void lay_motion(lane_program *b, lane_member *m)
{
  const jn_tree_joint *j = &b->s->joint[m->body];
  const lane_member *up = m->up < 0 ? NULL : &b->m[m->up];
  if (!m->ncoord && up) {  // it moves as its parent does
    m->v = up->v, m->b = up->b;
    return;
  }
  m->v = lane_field(b, 6);
  m->b = up || jn_moves_carried(j->move, j->nmove) ? lane_field(b, 6) : -1;
}

static void write_motion(lane_program *b, const lane_member *m)
{
  lane_arguments a = {0};
  const jn_tree_joint *j = &b->s->joint[m->body];
  const lane_member *up = m->up < 0 ? NULL : &b->m[m->up];
  LANE_PUT(&a, up ? up->v : -1, up ? up->b : -1, m->v, m->b, jn_moves_carried(j->move, j->nmove),
           m->ncoord);
  for (int k = 0; k < m->ncoord; k++) lane_put(&a, m->s + 6 * k);
  lane_put_all(&a, m->u, m->ncoord);
  lane_write(b, LANE_MOTION, LANE_BODY_MOTION, &a);
}

// Poses and rows: all that the choice of dependent coordinates needs.
static const char *write_poses(lane_program *b)
{
  lay_loops(b);
  for (int i = 0; i < b->n; i++)
    if (!b->m[i].rotor) lay_motion(b, &b->m[i]);
  for (int i = 0; i < b->n; i++)
    if (!b->m[i].rotor) write_joint(b, &b->m[i]);
  for (int i = 0; i < b->n; i++)  // biases of loops come after motions
    if (!b->m[i].rotor && b->m[i].ncoord) write_motion(b, &b->m[i]);
  int list[LANE_CUTS], row = 0;
  const int n = jn_lane_find_cuts(b->s, b->subsystem, list);
  for (int i = 0; i < n; i++) {
    const char *why = jn_lane_write_cut(b, list[i], i, &row);
    if (why) return why;
  }
  return NULL;
}

// ---- columns --------------------------------------------------------------------------------------

// Does a body of the subsystem hang on it, at any depth?
static bool carries(const lane_program *b, const lane_member *m)
{
  for (int i = 0; i < b->n; i++)
    if (b->m[i].up >= 0 && &b->m[b->m[i].up] == m &&
        (b->m[i].stands_in ? carries(b, &b->m[i]) : !b->m[i].rotor))
      return true;
  return false;
}

static void write_columns(lane_program *b, lane_member *m)
{
  const int nz = b->nv + b->ns;
  const lane_member *up = m->up < 0 ? NULL : &b->m[m->up];
  const bool fixed = m->up < 0 && m->ncoord == 1;             // its screw is a constant
  if ((m->hinged || m->stands_in) && !carries(b, m)) return;  // it has no need of them
  lane_arguments columns = {0};
  int n = 0;
  for (int z = 0; z <= nz; z++) {
    const int from = up ? up->k[z] : -1;
    int t[6], own = 0;
    for (int k = 0; k < m->ncoord; k++) {
      t[k] = lane_t_of(b, m->first + k, z);
      own += t[k] != -1;
    }
    m->k[z] = from;
    if (!own) continue;
    if (fixed && t[0] == -2) {
      m->k[z] = m->s;
      continue;
    }
    m->k[z] = lane_field(b, 6);
    LANE_PUT(&columns, from, m->k[z]);
    lane_put_all(&columns, t, m->ncoord);
    n++;
  }
  if (!n) return;
  lane_arguments a = {0};
  LANE_PUT(&a, n, m->ncoord);
  for (int k = 0; k < m->ncoord; k++) lane_put(&a, m->s + 6 * k);
  lane_put_all(&a, columns.a, columns.n);
  lane_write(b, LANE_MOTION, LANE_MOTIONS, &a);
}

// ---- dynamics -------------------------------------------------------------------------------------

// z and pairs of them that a body before has begun to sum. A z begins with the first body that moves with it, and so do its
// pairs, unless each of the two has begun with a body that does not move with the other: then the pair begins from zero.
typedef struct begun {
  bool any, z[LANE_Z], pair[LANE_Z][LANE_Z];
} begun;

static void begin_pairs(lane_program *b, const bool moves[LANE_Z], const bool fresh[LANE_Z],
                        begun *g)
{
  for (int z = 0; z < LANE_Z; z++)
    for (int y = 0; y < z && moves[z]; y++) {
      if (!moves[y] || g->pair[z][y]) continue;
      g->pair[z][y] = true;
      if (!fresh[z] && !fresh[y])
        LANE_WRITE(LANE_FACTORS, LANE_ZERO, b->d + z * (z + 1) / 2 + y, 1);
    }
}

static void put_columns(lane_program *b, const lane_member *m, lane_arguments *a, begun *g)
{
  const int nz = b->nv + b->ns, count = lane_leave_count(a);
  int n = 0;
  bool fresh[LANE_Z] = {false}, moves[LANE_Z] = {false};
  for (int z = 0; z < nz; z++) fresh[z] = !g->z[z];
  for (int z = 0; z < nz; z++) {
    const int k = m->hinged ? lane_t_of(b, m->first, z) : m->k[z];
    if (k == -1) continue;
    LANE_PUT(a, z, fresh[z], k);
    n++;
    g->z[z] = moves[z] = true;
  }
  begin_pairs(b, moves, fresh, g);
  lane_put_count(a, count, n);
  g->any = true;
}

// Harmonics of the angle, from eight positions around the hinge.
static int hinged(lane_program *b, const lane_member *m)
{
  enum { POSITIONS = 8 };
  const jn_tree_joint *j = &b->s->joint[m->body];
  const sv screw = sv_make(j->axis, v3_cross(j->at, j->axis));
  double x[HINGED_FIELDS] = {0};
  x[HINGED_MASS] = m->mass;
  x[HINGED_INVERSE] = 1.0 / m->mass;
  v3_store(x + HINGED_S, screw.a);
  v3_store(x + HINGED_S + 3, screw.l);
  for (int i = 0; i < POSITIONS; i++) {
    const double angle = 2.0 * M_PI * i / POSITIONS, c = cos(angle), s = sin(angle);
    const m3 turn = m3_about(j->axis, c, s);
    const s3 own = s3_rotate(turn, m->inertia);
    const si inertia = si_from_cg(m->mass, v3_add(j->at, m3_mul_v3(turn, m->cg)), own);
    const sv h = si_mul(inertia, screw);
    const double f[5] = {1.0 / POSITIONS, 2.0 * c / POSITIONS, 2.0 * s / POSITIONS,
                         2.0 * cos(2.0 * angle) / POSITIONS, 2.0 * sin(2.0 * angle) / POSITIONS};
    const double k[6] = {own.xx, own.yy, own.zz, own.xy, own.xz, own.yz};
    for (int n = 0; n < 3; n++) {
      const double *first = &inertia.h.x, *moment = &h.a.x;
      for (int e = 0; e < 3; e++) {
        x[HINGED_H0 + 3 * n + e] += f[n] * first[e];
        x[HINGED_N0 + 3 * n + e] += f[n] * moment[e];
      }
    }
    for (int e = 0; e < 6; e++) {
      x[HINGED_J0 + e] += f[0] * k[e];
      x[HINGED_J1 + e] += f[3] * k[e];
      x[HINGED_J2 + e] += f[4] * k[e];
    }
    x[HINGED_SELF] += f[0] * sv_dot(screw, h);
  }
  const int p = b->np;
  for (int i = 0; i < HINGED_FIELDS; i++) lane_number(b, x[i]);
  return p;
}

static void write_body(lane_program *b, const lane_member *m, begun *g)
{
  const int nz = b->nv + b->ns;
  const bool first = !g->any;
  lane_arguments a = {0};
  if (m->hinged) {
    const int bias = lane_t_of(b, m->first, nz);
    LANE_PUT(&a, m->circle, hinged(b, m), m->u[0], bias >= 0 ? bias : -1, m->force, b->inertia,
             b->push, b->f, b->d, b->q, first);
    put_columns(b, m, &a, g);
    lane_write(b, LANE_INERTIA, LANE_HINGED, &a);
    return;
  }
  const int p_body = lane_number(b, m->mass);
  lane_vector(b, m->cg);
  const s3 j = m->inertia;
  lane_number(b, j.xx), lane_number(b, j.yy), lane_number(b, j.zz), lane_number(b, j.xy),
      lane_number(b, j.xz), lane_number(b, j.yz);
  LANE_PUT(&a, m->r, m->p, p_body, m->v, m->b, m->k[nz], m->force, b->inertia, b->push, b->f, b->d,
           b->q, first);
  put_columns(b, m, &a, g);
  lane_write(b, LANE_INERTIA, LANE_BODY, &a);
}

// Fields that are summed up from nothing in every evaluation.
static void lay_sums(lane_program *b)
{
  const int nz = b->nv + b->ns;
  b->sums = b->nw;
  for (int i = 0; i < b->n; i++)
    if (!b->m[i].rotor && !b->m[i].stands_in) b->m[i].force = lane_field(b, 6);
  b->q = lane_field(b, nz);
  b->power = lane_field(b, 1);
  b->outside = lane_field(b, 6);
  b->nsums = b->nw - b->sums;
  b->f = lane_field(b, 6 * nz);
  b->d = lane_field(b, nz * (nz + 1) / 2);
  b->inertia = lane_field(b, 9);
  b->push = lane_field(b, 6);
  b->y = lane_field(b, b->nv * (7 + b->ns));
  b->shared = lane_field(b, b->nv ? b->ns * (b->ns + 15) / 2 : 0);
  b->out = lane_field(b, LANE_NSUM);
}

// Operations on all positions, collected joint by joint: a number of entries, then these.
typedef struct positions {
  lane_arguments rates;    // of each joint: q_ u u u ball
  lane_arguments correct;  // q_ correction correction correction ball
  lane_arguments wrap;     // angles that are kept within +-pi: q_, field of whole turns
  lane_arguments unit;     // quaternions: q_
  int turns[LANE_COORDS];  // of each coordinate: field of its whole turns, -1: it has none
} positions;

static int whole_turns(lane_program *b, lane_arguments *wrap, int q, int general)
{
  const int turns = lane_field(b, 1);
  lane_map_state(b, LANE_TURNS, turns, general);
  LANE_PUT(wrap, q, turns);
  wrap->a[0]++;
  return turns;
}

// Coordinate k of a joint; all three of a ball at once.
static void add_position(lane_program *b, const lane_member *m, int k, positions *p)
{
  const jn_tree_joint *j = &b->s->joint[m->body];
  const jn_move *move = jn_move_of(j->move, k);
  const bool ball = move->kind == JN_MOVE_SPHERE;
  const int q = m->q + move->q + (ball ? 0 : k - move->v);
  if (ball && k > move->v) return;
  int u[3] = {-1, -1, -1}, correction[3] = {-1, -1, -1};
  bool any = false;
  for (int c = 0; c < (ball ? 3 : 1); c++) {
    const int column = b->column[m->first + k + c];
    u[c] = m->u[k + c];
    if (column < b->nrow) correction[c] = b->correction + column, any = true;
  }
  LANE_PUT(&p->rates, q, u[0], u[1], u[2], ball);
  p->rates.a[0]++;
  if (any) {
    LANE_PUT(&p->correct, q, correction[0], correction[1], correction[2], ball);
    p->correct.a[0]++;
  }
  if (ball) lane_put(&p->unit, q), p->unit.a[0]++;
  if (jn_move_wraps(move)) p->turns[m->first + k] = whole_turns(b, &p->wrap, q, j->q + (q - m->q));
}

static void find_positions(lane_program *b, positions *p)
{
  *p = (positions){.rates.n = 1, .correct.n = 1, .wrap.n = 1, .unit.n = 1};
  for (int i = 0; i < LANE_COORDS; i++) p->turns[i] = -1;
  for (int i = 0; i < b->n; i++) {
    const lane_member *m = &b->m[i];
    if (m->rotor || m->given) continue;
    lane_tie_joint(b, m);
    for (int k = 0; k < m->ncoord; k++) add_position(b, m, k, p);
  }
}

static void write_bodies(lane_program *b)
{
  double mass = 0.0;
  begun sums = {0};
  for (int i = 0; i < b->n; i++) {
    if (b->m[i].rotor || b->m[i].stands_in) continue;
    write_body(b, &b->m[i], &sums);
    mass += b->m[i].mass;
  }
  LANE_WRITE(LANE_INERTIA, LANE_ELIMINATE, b->nv, b->ns, b->inertia, b->push, b->f, b->d, b->q,
             lane_number(b, mass), b->y, b->out, b->power, b->outside, b->shared);
}

static const char *write_forces(lane_program *b, positions *p)
{
  const jn_system *s = b->s;
  int list[LANE_ELEMENTS];
  const int n = jn_lane_find_elements(b, list);
  if (n < 0) return "it has too many force elements";
  for (int i = 0; i < n; i++) jn_lane_write_element(b, list[i], p->turns);
  for (int i = 0; i < s->nwheel; i++) {
    const int own = lane_member_of(b, s->wheel[i].body);
    if (own < 0 || !jn_lane_takes_wheel(s, i)) continue;
    if (jn_lane_write_wheel(b, i))
      whole_turns(b, &p->wrap, b->m[own].q, s->joint[b->m[own].body].q);
  }
  return NULL;
}

static const char *write_dynamics(lane_program *b)
{
  positions p;
  lay_sums(b);
  LANE_WRITE(LANE_FACTORS, LANE_ZERO, b->sums, b->nsums);
  for (int i = 0; i < b->n; i++)
    if (!b->m[i].rotor) write_columns(b, &b->m[i]);
  find_positions(b, &p);
  write_bodies(b);
  // Force elements come last, so that a further one leaves all other operation lists as they are.
  const char *why = write_forces(b, &p);
  if (why) return why;
  if (b->nv) LANE_WRITE(LANE_ACCELERATIONS, LANE_ACCELERATION, b->nv, b->ns, b->y, b->nsq + b->ns);
  lane_write(b, LANE_RATE, LANE_RATES, &p.rates);
  if (p.correct.a[0] && b->s->binding.opts.stabilize != JN_STABILIZE_NONE)
    lane_write(b, LANE_CLOSURE, LANE_CORRECT, &p.correct);
  if (p.wrap.a[0]) lane_write(b, LANE_CLOSURE, LANE_WRAP, &p.wrap);
  if (p.unit.a[0]) lane_write(b, LANE_CLOSURE, LANE_UNIT, &p.unit);
  return NULL;
}

// What rows of channels need. It comes last, so that it leaves all other operation lists as they are.
static void write_rows(lane_program *b)
{
  const int nz = b->nv + b->ns;
  b->accelerations = lane_field(b, b->ncoord + b->ns);
  LANE_WRITE(LANE_ROW, LANE_COORDINATES, b->nv, b->ns, b->nrow, b->t, b->accelerations,
             b->nsq + b->ns);
  for (int i = 0; i < b->n; i++) {
    lane_member *m = &b->m[i];
    if (m->rotor || (m->stands_in && !carries(b, m))) continue;
    lane_arguments a = {0};
    m->accel = lane_field(b, 6);
    LANE_PUT(&a, m->up < 0 ? -1 : b->m[m->up].accel, m->accel, m->ncoord);
    for (int k = 0; k < m->ncoord; k++)
      LANE_PUT(&a, m->s + 6 * k, b->accelerations + b->column[m->first + k]);
    lane_write(b, LANE_ROW, LANE_BODY_ACCELERATION, &a);
  }
  for (int i = 0; i < b->nlink; i++) {
    lane_state_map *k = &b->link[i];
    if (k->section == LANE_FOLLOWS && k->field >= b->u && k->field < b->u + b->nrow)
      k->second = b->accelerations + (k->field - b->u);
  }
  b->residuals = b->nrow ? lane_field(b, 2) : -1;
  if (b->nrow)
    LANE_WRITE(LANE_ROW, LANE_RESIDUALS, b->nrow, nz, b->j, b->side, b->u, b->z, b->residuals);
  for (int i = 0; i < b->nrow_of; i++) {
    const lane_row *k = &b->row_of[i];
    const int at = lane_field(b, k->nfield);
    lane_arguments a = {0};
    lane_put(&a, at);
    lane_put_all(&a, k->arg, k->narg);
    b->output[i] = k->of;
    b->output[i].field = at, b->output[i].op = b->list[LANE_ROW].nop;
    lane_write(b, LANE_ROW, k->op, &a);
  }
}

// ---- the whole ------------------------------------------------------------------------------------

static void begin(lane_program *b, const jn_system *s, int subsystem)
{
  memset(b, 0, sizeof *b);
  b->s = s;
  b->subsystem = subsystem;
  b->core = -1;
  if (subsystem >= 0) b->parent = lane_parent_of(s, subsystem);
  b->joint = b->worst = -1;
}

static const char *measure(lane_program *b)
{
  if (b->core >= 0) return NULL;
  const char *why = jn_lane_find_members(b);
  if (why) return why;
  int list[LANE_CUTS];
  const int n = jn_lane_find_cuts(b->s, b->subsystem, list);
  if (n < 0) return "it has too many loops";
  for (int i = 0; i < n; i++) b->nrow += b->s->cut[list[i]].nrow;
  if (b->nrow > LANE_ROWS) return "its loops have more than 32 rows";
  b->nrow -= b->nredundant;
  b->nv = b->ncoord > b->nrow ? b->ncoord - b->nrow : 0;  // less, where rows are redundant
  if (b->nv + b->ns > LANE_Z) return "it has more than 16 freedoms";
  return NULL;
}

// Chooses dependent coordinates, for which the rows are written once, and begins again in that order.
static const char *choose_and_begin_again(lane_program *b, const lane_program *like)
{
  const char *why = write_poses(b);
  if (!why && b->full) why = "it is too large";
  if (!why) why = jn_lane_choose_dependent(b, like);
  if (why) return why;
  lane_program *fresh = malloc(sizeof *fresh);
  if (!fresh) return jn_lane_no_memory(b);
  begin(fresh, b->s, b->subsystem);
  fresh->nredundant = b->nredundant;
  why = measure(fresh);
  memcpy(fresh->column, b->column, sizeof b->column);
  memcpy(fresh->row, b->row, sizeof b->row);
  memcpy(fresh->first, b->first, sizeof b->first);
  *b = *fresh;
  free(fresh);
  return why;
}

static void write_loops(lane_program *b)
{
  const int nz = b->nv + b->ns, p_first = b->np;
  const jn_stabilize how = b->s->binding.opts.stabilize;
  for (int i = 0; i < b->nrow; i++) lane_number(b, b->first[i]);
  b->worst = lane_field(b, 1);
  LANE_WRITE(LANE_FACTORS, LANE_FACTOR, b->nrow, nz, b->j, b->lu, b->t, b->worst, p_first);
  LANE_WRITE(LANE_MOTION, LANE_SOLVE, b->nrow, nz, b->lu, b->side, b->t, b->correction, 0,
             how == JN_STABILIZE_DELAYED ? 2 : 1);
  if (how == JN_STABILIZE_PROJECTION)
    LANE_WRITE(LANE_CORRECTIONS, LANE_SOLVE, b->nrow, nz, b->lu, b->side, b->t, b->correction, 1,
               1);
}

static const char *write_all(lane_program *b, const lane_program *like)
{
  const char *why = measure(b);
  if (why) return why;
  for (int i = 0; i < b->ncoord; i++) b->column[i] = i;
  for (int i = 0; i < LANE_ROWS; i++) b->row[i] = i;
  if (b->nrow) why = choose_and_begin_again(b, like);
  if (!why) why = write_poses(b);
  if (why) return why;
  if (b->nrow) write_loops(b);
  LANE_WRITE(LANE_RATE, LANE_DEPENDENT_VELOCITIES, b->nv, b->ns, b->nsq, b->z, b->nrow,
             b->nv + b->ns, b->t, b->u);
  why = write_dynamics(b);
  write_rows(b);
  return why ? why : b->full ? "it is too large" : NULL;
}

const char *jn_lane_no_memory(lane_program *b)
{
  b->short_of_memory = true;
  return "memory is exhausted";
}

bool jn_lane_program(jn_system *s, int subsystem, const lane_program *like, lane_program *b,
                     const char **why)
{
  begin(b, s, subsystem);
  *why = write_all(b, like);
  s->short_of_memory |= b->short_of_memory;
  return !*why;
}

bool jn_lane_program_core(jn_system *s, int body, int parent, const int *like, int before,
                          lane_program *b, const char **why)
{
  begin(b, s, -1);
  b->core = body;
  b->parent = parent;
  *why = jn_lane_find_core_body(b, like, before);
  if (!*why) *why = write_all(b, NULL);
  s->short_of_memory |= b->short_of_memory;
  return !*why;
}
