#include "joints/joint_rows.h"

static const v3 zero = {0, 0, 0};

static v3 first(const jn_joint_row *row, const jn_row_place *p)
{
  return m3_mul_v3(*p->a, p->x[row->shape.x]);
}

static v3 second(const jn_joint_row *row, const jn_row_place *p)
{
  return m3_mul_v3(*p->b, p->y[row->shape.y]);
}

static double angle(const jn_row_place *p)
{
  return row_angle(m3_mul_v3(*p->b, p->y[JN_Y_NORMAL]), m3_mul_v3(*p->a, p->x[JN_X_NORMAL]),
                   m3_mul_v3(*p->a, p->x[JN_X_OTHER]));
}

static jn_row_value along(const jn_row_place *p, v3 f, double value)
{
  return (jn_row_value){-row_along(p->d, f, value), f, zero};
}

jn_row_value jn_row_at(const jn_joint_row *row, const jn_row_place *p)
{
  const double value = p->value[row->shape.value] + (row->driven ? p->drive : 0.0);
  switch ((jn_row_kind)row->shape.kind) {
    case JN_ROW_POINT:  // along a's own axes
      return along(p, m3_column(*p->a, row->part), 0.0);
    case JN_ROW_ALONG:
      return along(p, first(row, p), value);
    case JN_ROW_BETWEEN: {
      const v3 x = first(row, p), y = second(row, p);
      return (jn_row_value){-row_between(x, y, value), zero, row_between_moment(x, y)};
    }
    case JN_ROW_DISTANCE: {
      const double n = v3_norm(p->d), inverse = n > 0.0 ? 1.0 / n : 0.0;
      return (jn_row_value){n - value, v3_scale(inverse, p->d), zero};
    }
    case JN_ROW_ANGLE:
      return (jn_row_value){jn_nearest_turn(angle(p) - value), zero, first(row, p)};
    case JN_ROW_SCREW: {
      const v3 u = first(row, p);
      const double travel = -row_along(p->d, u, value);
      return (jn_row_value){p->pitch * jn_nearest_turn(travel / p->pitch - angle(p)), u,
                            v3_scale(-p->pitch, u)};
    }
    case JN_ROW_END:
      break;
  }
  return (jn_row_value){0.0, zero, zero};
}

double jn_row_second(const jn_joint_row *row, const jn_row_place *p, const jn_row_motion *k)
{
  switch ((jn_row_kind)row->shape.kind) {
    case JN_ROW_POINT:
      return row_along_second(m3_column(*p->a, row->part), k->wa, k->wb, k->point, k->gap, zero);
    case JN_ROW_ALONG:
      return row_along_second(first(row, p), k->wa, k->wb, k->point, k->gap, zero);
    case JN_ROW_BETWEEN:
      return row_between_second(first(row, p), second(row, p), k->wa, k->wb, zero);
    case JN_ROW_DISTANCE: {
      const double n = v3_norm(p->d), inverse = n > 0.0 ? 1.0 / n : 0.0;
      const v3 e = v3_scale(inverse, p->d);
      return row_distance_second(e, v3_axpy(-v3_dot(e, k->rate), e, k->rate), k->accel, inverse);
    }
    case JN_ROW_ANGLE:
      return row_angle_second(first(row, p), k->wa, k->wb, zero);
    case JN_ROW_SCREW: {
      const v3 u = first(row, p);
      return row_along_second(u, k->wa, k->wb, k->point, k->gap, zero) -
             p->pitch * row_angle_second(u, k->wa, k->wb, zero);
    }
    case JN_ROW_END:
      break;
  }
  return 0.0;
}
