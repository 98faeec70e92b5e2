#include "joints/joint.h"

// ---- moves ------------------------------------------------------------------------------------------

int jn_joint_moves(jn_joint_kind kind, bool reversed, bool driven, jn_move move[JN_MOVES])
{
  const jn_joint_shape *s = &jn_joint_shapes[kind];
  int n = 0, at = 0;
  while (s->move[n].kind != JN_MOVE_END) n++;
  for (int i = 0; i < n; i++) {
    const jn_move_shape *k = &s->move[reversed && s->handed ? n - 1 - i : i];
    move[i] = (jn_move){.kind = k->kind, .direction = k->direction};
    move[i].far = driven || k->kind == JN_MOVE_SCREW;
    if (k->kind == JN_MOVE_SPHERE) continue;
    move[i].q = move[i].v = at;
    at += jn_move_speeds(&move[i]);
  }
  for (int i = 0; i < n; i++)
    if (move[i].kind == JN_MOVE_SPHERE) move[i].q = move[i].v = at;
  return n;
}

int jn_moves_carried(const jn_move *move, int n)
{
  for (int i = 1; i < n; i++)
    for (int k = 0; k < i; k++) {
      const bool both_slide = !jn_move_is_angle(&move[i]) && !jn_move_is_angle(&move[k]);
      if (!both_slide && move[i].direction != move[k].direction) return move[i].v;
      if (!both_slide && jn_move_speeds(&move[i]) + jn_move_speeds(&move[k]) > 2) return move[i].v;
    }
  return 0;
}

bool jn_joint_has_move(jn_joint_kind kind, jn_move_kind move)
{
  for (const jn_move_shape *k = jn_joint_shapes[kind].move; k->kind != JN_MOVE_END; k++)
    if (k->kind == move) return true;
  return false;
}

bool jn_joint_slides_along(jn_joint_kind kind, int direction)
{
  for (const jn_move_shape *k = jn_joint_shapes[kind].move; k->kind != JN_MOVE_END; k++)
    if ((k->kind == JN_MOVE_SLIDE || k->kind == JN_MOVE_SCREW) && k->direction == direction)
      return true;
  return false;
}

bool jn_joint_has_second_axis(jn_joint_kind kind)
{
  for (const jn_move_shape *k = jn_joint_shapes[kind].move; k->kind != JN_MOVE_END; k++)
    if (k->direction == JN_ALONG_SECOND) return true;
  return false;
}

int jn_joint_scalars(jn_joint_kind kind)
{
  int n = 0;
  for (const jn_move_shape *k = jn_joint_shapes[kind].move; k->kind != JN_MOVE_END; k++)
    if (k->kind != JN_MOVE_SPHERE) n += k->kind == JN_MOVE_SLIDES ? 3 : 1;
  return n;
}

const char *jn_coordinate_name(const jn_move *move, int n, int v, bool *body)
{
  static const char *const along[3] = {"along x", "along y", "along z"};
  static const char *const about[3] = {"turning about x", "turning about y", "turning about z"};
  const jn_move *m = jn_move_of(move, v);
  bool sphere = false, second = false;  // does the joint have them?
  for (int i = 0; i < n; i++) {
    sphere |= move[i].kind == JN_MOVE_SPHERE;
    second |= move[i].direction == JN_ALONG_SECOND;
  }
  *body = m->kind == JN_MOVE_SLIDES || (m->kind == JN_MOVE_SPHERE && n > 1);
  switch (m->kind) {
    case JN_MOVE_SLIDES:
      return along[v - m->v];
    case JN_MOVE_SPHERE:
      return about[v - m->v];
    case JN_MOVE_ARM:
      return "angle of the link";
    case JN_MOVE_SLIDE:
      return sphere                        ? "position of the slider"
             : m->direction == JN_X_NORMAL ? "along its first direction"
             : m->direction == JN_X_OTHER  ? "along its second direction"
                                           : "position";
    default:
      return !second                           ? "angle"
             : m->direction == JN_ALONG_SECOND ? "angle about its second axis"
                                               : "angle about its first axis";
  }
}

// ---- rows -------------------------------------------------------------------------------------------

int jn_joint_rows(jn_joint_kind kind, bool driven, jn_joint_row row[JN_ROWS])
{
  const jn_joint_shape *s = &jn_joint_shapes[kind];
  int n = 0;
  for (const jn_row_shape *k = s->row; k->kind != JN_ROW_END; k++)
    for (int part = 0; part < (k->kind == JN_ROW_POINT ? 3 : 1); part++)
      row[n++] = (jn_joint_row){*k, (unsigned char)part, false};
  if (driven) row[n++] = (jn_joint_row){s->drive, 0, true};
  return n;
}

bool jn_row_is_angle(const jn_joint_row *row)
{
  return row->shape.kind == JN_ROW_BETWEEN || row->shape.kind == JN_ROW_ANGLE;
}
