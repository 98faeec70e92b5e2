// write_rows.c: rows of the cut joints of a subsystem.
#include "solve/fast/program_write.h"

// By kind and bodies; of those that are alike, what ends on a core body other than the parent body comes last.
static long cut_key(const jn_system *s, int subsystem, const jn_cut *c)
{
  const int parent = lane_parent_of(s, subsystem), end[2] = {c->a, c->b};
  bool elsewhere = false;
  for (int e = 0; e < 2; e++)
    elsewhere |= end[e] >= s->nframe && lane_is_core(s, end[e]) && end[e] != parent;
  return (((long)c->kind * 100 + lane_place_in(s, subsystem, c->a) + 1) * 100 +
          lane_place_in(s, subsystem, c->b) + 1) *
             2 +
         elsewhere;
}

// Cut joints of a subsystem, alike in all that are alike. -1: too many.
int jn_lane_find_cuts(const jn_system *s, int subsystem, int *list)
{
  if (subsystem < 0) return 0;
  int n = 0;
  for (int i = 0; i < s->ncut; i++) {
    const jn_cut *c = &s->cut[i];
    if (!c->nrow ||
        (lane_place_in(s, subsystem, c->a) < 0 && lane_place_in(s, subsystem, c->b) < 0))
      continue;
    if (n == LANE_CUTS) return -1;
    int at = n++;
    for (; at > 0 && cut_key(s, subsystem, &s->cut[list[at - 1]]) > cut_key(s, subsystem, c); at--)
      list[at] = list[at - 1];
    list[at] = i;
  }
  return n;
}

// Coordinates between an end and the parent that the other end does not move with.
static void put_path(const lane_program *b, lane_arguments *a, const lane_end *e,
                     const lane_end *other, bool second, int *n)
{
  for (int i = e->member; i >= 0; i = b->m[i].up) {
    bool common = false;
    for (int k = other->member; k >= 0; k = b->m[k].up) common |= k == i;
    if (common) return;
    for (int k = 0; k < b->m[i].ncoord; k++) {
      const int column = b->column[b->m[i].first + k],
                sign = (second ? 1 : -1) * (column < b->nrow ? 1 : -1);
      LANE_PUT(a, b->m[i].s + 6 * k, second, column, sign);
      (*n)++;
    }
  }
}

typedef struct cutting {
  lane_program *b;
  const jn_cut *c;
  lane_end ea, eb;
  v3 at_a, at_b;
  int p_a, p_b, r_a, r_b;
  int row;  // of the subsystem, in the order of the file
} cutting;

static int row_at(const lane_program *b, int row)
{
  return b->j + b->row[row] * (b->nrow + b->nv + b->ns);
}

static int side_at(const lane_program *b, int row)
{
  return b->side + 2 * b->row[row];
}

static void put_paths(cutting *k, lane_arguments *a)
{
  const int count = lane_leave_count(a);
  int n = 0;
  put_path(k->b, a, &k->ea, &k->eb, false, &n);
  put_path(k->b, a, &k->eb, &k->ea, true, &n);
  lane_put_count(a, count, n);
}

static void put_ends(const cutting *k, lane_arguments *a)
{
  LANE_PUT(a, k->p_a, k->r_a, k->ea.p, k->p_b, k->r_b, k->eb.p);
}

static void cut_point(cutting *k)
{
  lane_program *b = k->b;
  const int pa = lane_field(b, 3), pb = lane_field(b, 3);
  lane_arguments a = {0};
  put_ends(k, &a);
  LANE_PUT(&a, pa, pb);
  for (int i = 0; i < 3; i++) lane_put(&a, side_at(b, k->row + i));
  for (int i = 0; i < 3; i++) lane_put(&a, row_at(b, k->row + i));
  put_paths(k, &a);
  lane_write(b, LANE_POSE, LANE_POINT, &a);
  LANE_WRITE(LANE_MOTION, LANE_POINT_BIAS, pa, pb, k->ea.v, k->ea.b, k->eb.v, k->eb.b,
             side_at(b, k->row), side_at(b, k->row + 1), side_at(b, k->row + 2));
  k->row += 3;
}

static void cut_distance(cutting *k, double length)
{
  lane_program *b = k->b;
  const int pa = lane_field(b, 3), pb = lane_field(b, 3), e = lane_field(b, 3),
            side = side_at(b, k->row);
  const int p_length = lane_number(b, length);
  lane_number(b, 1.0 / length);
  lane_arguments a = {0};
  put_ends(k, &a);
  LANE_PUT(&a, pa, pb, side, row_at(b, k->row), p_length, e);
  put_paths(k, &a);
  lane_write(b, LANE_POSE, LANE_DISTANCE, &a);
  LANE_WRITE(LANE_MOTION, LANE_DISTANCE_BIAS, pa, pb, k->ea.v, k->ea.b, k->eb.v, k->eb.b, side, e,
             p_length);
  k->row++;
}

static void cut_along(cutting *k, v3 f, double value)
{
  lane_program *b = k->b;
  const int pb = lane_field(b, 3), e = lane_field(b, 3), side = side_at(b, k->row);
  lane_arguments a = {0};
  put_ends(k, &a);
  const int p_along = lane_vector(b, f), p_value = lane_number(b, value);
  LANE_PUT(&a, pb, side, row_at(b, k->row), p_along, e, p_value, k->ea.r);
  put_paths(k, &a);
  lane_write(b, LANE_POSE, LANE_ALONG, &a);
  LANE_WRITE(LANE_MOTION, LANE_ALONG_BIAS, pb, k->ea.v, k->ea.b, k->eb.v, k->eb.b, side, e);
  k->row++;
}

static void cut_between(cutting *k, v3 x, v3 y, double value)
{
  lane_program *b = k->b;
  const int fx = lane_field(b, 3), fy = lane_field(b, 3), side = side_at(b, k->row);
  lane_arguments a = {0};
  const int p_x = lane_vector(b, x), p_y = lane_vector(b, y), p_value = lane_number(b, value);
  LANE_PUT(&a, p_x, k->ea.r, p_y, k->eb.r, fx, fy, side, row_at(b, k->row), p_value);
  put_paths(k, &a);
  lane_write(b, LANE_POSE, LANE_BETWEEN, &a);
  LANE_WRITE(LANE_MOTION, LANE_BETWEEN_BIAS, fx, fy, k->ea.v, k->ea.b, k->eb.v, k->eb.b, side);
  k->row++;
}

static bool write_row(cutting *k, const jn_row_shape *row)
{
  const jn_cut *c = k->c;
  switch ((jn_row_kind)row->kind) {
    case JN_ROW_POINT:
      cut_point(k);
      return true;
    case JN_ROW_ALONG:
      cut_along(k, c->x[row->x], c->value[row->value]);
      return true;
    case JN_ROW_BETWEEN:
      cut_between(k, c->x[row->x], c->y[row->y], c->value[row->value]);
      return true;
    case JN_ROW_DISTANCE:
      cut_distance(k, c->value[row->value]);
      return true;
    default:
      return false;
  }
}

const char *jn_lane_write_cut(lane_program *b, int cut, int at, int *row)
{
  const jn_cut *c = &b->s->cut[cut];
  cutting k = {.b = b, .c = c, .row = *row};
  k.ea = lane_end_of(b, c->a, b->end[at][0]);
  k.eb = lane_end_of(b, c->b, b->end[at][1]);
  k.p_a = lane_point(b, &k.ea, c->at_a, &k.r_a);
  k.p_b = lane_point(b, &k.eb, c->at_b, &k.r_b);
  b->joint = c->edge;
  if (c->drive >= 0) return "is driven";
  for (const jn_row_shape *r = jn_joint_shapes[c->kind].row; r->kind != JN_ROW_END; r++)
    if (!write_row(&k, r)) return "lanes have no rows for cut joints of its kind";
  *row = k.row;
  b->joint = -1;
  return NULL;
}
