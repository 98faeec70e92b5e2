// program_write.h: how the program of a subsystem is written: fields, parameters, operations, links; ends and members.
#ifndef JN_SOLVE_FAST_PROGRAM_WRITE_H
#define JN_SOLVE_FAST_PROGRAM_WRITE_H

#include <string.h>

#include "solve/fast/kernels.h"
#include "solve/fast/program.h"

static inline int lane_field(lane_program *b, int n)
{
  const int at = b->nw;
  if (at + n > LANE_FIELDS) {
    b->full = true;
    return 0;
  }
  b->nw += n;
  return at;
}

static inline int lane_number(lane_program *b, double x)
{
  if (b->np == LANE_FIELDS) {
    b->full = true;
    return 0;
  }
  b->p[b->np] = x;
  return b->np++;
}

static inline int lane_vector(lane_program *b, v3 x)
{
  const int at = lane_number(b, x.x);
  lane_number(b, x.y);
  lane_number(b, x.z);
  return at;
}

static inline int lane_offset(lane_program *b, int table)  // of a curve, as bits
{
  return lane_number(b, r_real(table));
}

static inline void lane_constant(lane_program *b, int at, v3 x)
{
  b->image[at] = x.x, b->image[at + 1] = x.y, b->image[at + 2] = x.z;
}

static inline void lane_constant_screw(lane_program *b, int at, sv x)
{
  lane_constant(b, at, x.a);
  lane_constant(b, at + 3, x.l);
}

enum { LANE_ARGUMENTS = 400 };  // of an operation

typedef struct lane_arguments {
  int n, a[LANE_ARGUMENTS];
} lane_arguments;

static inline void lane_put(lane_arguments *a, int x)
{
  if (a->n < LANE_ARGUMENTS) a->a[a->n] = x;
  a->n++;
}

static inline void lane_put_all(lane_arguments *a, const int *x, int n)
{
  for (int i = 0; i < n; i++) lane_put(a, x[i]);
}

#define LANE_PUT(a, ...)                                      \
  do {                                                        \
    const int put_[] = {__VA_ARGS__};                         \
    lane_put_all(a, put_, (int)(sizeof put_ / sizeof *put_)); \
  } while (0)

// A number of entries that is known once they are put: its place, for lane_put_count().
static inline int lane_leave_count(lane_arguments *a)
{
  lane_put(a, 0);
  return a->n - 1;
}

static inline void lane_put_count(lane_arguments *a, int at, int n)
{
  if (at < LANE_ARGUMENTS) a->a[at] = n;
}

static inline void lane_write(lane_program *b, lane_phase phase, lane_kind kind,
                              const lane_arguments *a)
{
  lane_list *l = &b->list[phase];
  if (a->n > LANE_ARGUMENTS || l->nop == LANE_LIST_OPS || l->narg + a->n > LANE_LIST_ARGS) {
    b->full = true;
    return;
  }
  l->op[l->nop++] = (lane_written){kind, a->n, l->narg};
  memcpy(l->arg + l->narg, a->a, (size_t)a->n * sizeof *a->a);
  l->narg += a->n;
}

#define LANE_WRITE(phase, kind, ...) \
  do {                               \
    lane_arguments a_ = {0};         \
    LANE_PUT(&a_, __VA_ARGS__);      \
    lane_write(b, phase, kind, &a_); \
  } while (0)

static inline void lane_row_of(lane_program *b, lane_kind op, const lane_arguments *a,
                               lane_output of, int nfield)
{
  if (b->nrow_of == LANE_ELEMENTS || a->n >= LANE_ROW_ARGS) {
    b->full = true;
    return;
  }
  lane_row *r = &b->row_of[b->nrow_of++];
  *r = (lane_row){.op = op, .of = of, .nfield = nfield, .narg = a->n};
  memcpy(r->arg, a->a, (size_t)a->n * sizeof *a->a);
}

static inline void lane_map_state(lane_program *b, lane_section section, int at, int general)
{
  if (b->nlink == LANE_LINKS)
    b->full = true;
  else
    b->link[b->nlink++] = (lane_state_map){
        .section = section, .field = at, .general = general, .second = -1, .rotor = -1};
}

static inline int lane_member_of(const lane_program *b, int body)  // -1: none
{
  for (int i = 0; i < b->n; i++)
    if (b->m[i].body == body && !b->m[i].stands_in) return i;
  return -1;
}

static inline int lane_subsystem_of(const jn_system *s, int body)  // -1: core, ground, or ungrouped
{
  const int k = lane_is_core(s, body) ? -1 : s->model->part[s->body[body].node];
  return k >= 0 && s->ungrouped[k] ? -1 : k;
}

static inline int lane_place_in(const jn_system *s, int subsystem, int body)  // -1: not in it
{
  const jn_subsystem *k = &s->model->subsystem[subsystem];
  for (int i = 0; i < k->nbody; i++)
    if (s->body_of_node[k->node[i]] == body) return i;
  return -1;
}

typedef struct lane_end {  // of a cut joint or a spring
  int member;              // -1: the parent
  int r, p, v, b;
} lane_end;

// other: member to take where the body is none, -1: the parent
static inline lane_end lane_end_of(const lane_program *b, int body, int other)
{
  const int own = lane_member_of(b, body), i = own >= 0 ? own : other;
  if (i >= 0) return (lane_end){i, b->m[i].r, b->m[i].p, b->m[i].v, b->m[i].b};
  return (lane_end){-1, -1, -1, -1, -1};
}

// The parameters of a point, and what its operation takes for the end's rotation.
static inline int lane_point(lane_program *b, const lane_end *e, v3 at, int *rotation)
{
  *rotation = e->r;
  if (e->member < 0 || b->m[e->member].circle < 0) return lane_vector(b, at);
  const jn_tree_joint *j = &b->s->joint[b->m[e->member].body];
  const v3 along = v3_scale(v3_dot(at, j->axis), j->axis), across = v3_sub(at, along);
  *rotation = LANE_CIRCLE - b->m[e->member].circle;
  const v3 hinge = b->m[e->member].rests ? v3_set(0, 0, 0) : j->at;
  const int p = lane_vector(b, v3_add(hinge, along));
  lane_vector(b, across);
  lane_vector(b, v3_cross(j->axis, across));
  return p;
}

static inline int lane_t_of(const lane_program *b, int coordinate,
                            int z)  // field of T; -1: zero, -2: one
{
  const int c = b->column[coordinate], nz = b->nv + b->ns;
  if (c < b->nrow) return b->t + c * (nz + 1) + z;
  return c - b->nrow == z ? -2 : -1;
}

static inline int lane_take_input(lane_program *b, int signal, bool rate)
{
  if (b->nin == LANE_INPUTS) {
    b->full = true;
    return 0;
  }
  b->in[b->nin] = (lane_input){JN_SIGNAL_VALUES * signal + rate};
  return b->nin++;
}

static inline void lane_tie_joint(lane_program *b, const lane_member *m)
{
  const jn_system *s = b->s;
  const jn_tree_joint *j = &s->joint[m->body];
  for (int k = 0; k < j->nq; k++) lane_map_state(b, LANE_Q, m->q + k, j->q + k);
  if (m->rotor) return;
  for (int k = 0; k < j->nv; k++) {
    const int column = b->column[m->first + k];
    if (column < b->nrow)
      lane_map_state(b, LANE_FOLLOWS, b->u + column, s->nq + j->v + k);
    else
      lane_map_state(b, LANE_V, column - b->nrow, s->nq + j->v + k);
  }
}

// Why lanes cannot do it, where memory is exhausted: it is no reason to do without them, so that the system is not built.
const char *jn_lane_no_memory(lane_program *b);

// Stages of the program that are written in files of their own. Not NULL: why lanes cannot do it.
const char *jn_lane_find_members(lane_program *b);
const char *jn_lane_find_core_body(lane_program *b, const int *like, int before);
const char *jn_lane_choose_dependent(lane_program *b, const lane_program *like);

#endif
