// joint.h: the kinds of joints, each written once.
//
// In the tree a joint is at most three moves, which lead from its first body to its second one after the other (moves.h). As a
// constraint it is at most six rows, made of few primitives (joint_rows.h). All else follows from this table: coordinates, their names
// and units, which of them are angles, the same joint seen from its second body. The words of the file, weights and numbers of
// points are the schema's (spec/schema.h).
#ifndef JN_JOINTS_JOINT_H
#define JN_JOINTS_JOINT_H

#include "base/v3.h"
#include "spec/schema.h"

typedef enum jn_move_kind {
  JN_MOVE_END,
  JN_MOVE_TURN,    // an angle about a direction
  JN_MOVE_SLIDE,   // a length along one
  JN_MOVE_SCREW,   // an angle, and pitch times it along the direction
  JN_MOVE_SLIDES,  // three lengths
  JN_MOVE_SPHERE,  // a quaternion; three rates along the axes before it
  JN_MOVE_ARM      // the angle of a massless link, which turns no body
} jn_move_kind;

typedef enum jn_row_kind {
  JN_ROW_END,
  JN_ROW_POINT,     // three rows: b's point on a's
  JN_ROW_ALONG,     // d . x = value, x on a, d from a's point to b's
  JN_ROW_BETWEEN,   // x . y = value, x on a, y on b
  JN_ROW_DISTANCE,  // |d| = value
  JN_ROW_ANGLE,     // angle of b about x = value
  JN_ROW_SCREW      // d . x - pitch times that angle = value
} jn_row_kind;

// Directions on the first body: its axis and two normals to it; on the second: its axis, the images of the normals and of the first
// body's axis, which fall together with them in the design position.
enum { JN_X_AXIS, JN_X_NORMAL, JN_X_OTHER, JN_NX };
enum { JN_Y_AXIS, JN_Y_NORMAL, JN_Y_OTHER, JN_Y_UP, JN_NY };
enum {
  JN_VALUE_ZERO,
  JN_VALUE_COSINE,
  JN_VALUE_OFFSET,
  JN_VALUE_LENGTH,
  JN_VALUE_SLIDE,
  JN_NVALUE
};

enum {
  JN_ALONG_SECOND = JN_NX
};  // of moves: one of the first body's directions, or the second's axis

typedef struct jn_move_shape {
  unsigned char kind, direction;
} jn_move_shape;
typedef struct jn_row_shape {
  unsigned char kind, x, y, value;
} jn_row_shape;

enum { JN_MOVES = 3, JN_SHAPE_ROWS = 5 };
typedef struct jn_joint_shape {
  jn_move_shape move[JN_MOVES + 1];  // closed by END
  bool handed;                       // seen from the second body, its moves come in reverse order
  jn_row_shape row[JN_SHAPE_ROWS + 1];  // closed by END
  jn_row_shape drive;                   // of a prescribed motion: value + what is prescribed
} jn_joint_shape;

// clang-format off
#define JN_PARALLEL {JN_ROW_BETWEEN, JN_X_NORMAL, JN_Y_AXIS, 0}, {JN_ROW_BETWEEN, JN_X_OTHER, JN_Y_AXIS, 0}
#define JN_NO_TURN  {JN_ROW_BETWEEN, JN_X_NORMAL, JN_Y_OTHER, 0}, {JN_ROW_BETWEEN, JN_X_OTHER, JN_Y_UP, 0}, {JN_ROW_BETWEEN, JN_X_AXIS, JN_Y_NORMAL, 0}
#define JN_ON_AXIS  {JN_ROW_ALONG, JN_X_NORMAL, 0, 0}, {JN_ROW_ALONG, JN_X_OTHER, 0, 0}
#define JN_POINT    {JN_ROW_POINT, 0, 0, 0}
#define JN_ADVANCE  {JN_ROW_ALONG, JN_X_AXIS, 0, JN_VALUE_SLIDE}
static const jn_joint_shape jn_joint_shapes[JN_NJOINT_KIND + 1] = {  // in a header: constant arguments fold it away
    [JN_JOINT_FIXED] = {.row = {JN_POINT, JN_NO_TURN}},
    [JN_JOINT_REVOLUTE] = {.move = {{JN_MOVE_TURN, JN_X_AXIS}}, .row = {JN_POINT, JN_PARALLEL}, .drive = {JN_ROW_ANGLE, JN_X_AXIS, 0, 0}},
    [JN_JOINT_TRANSLATIONAL] = {.move = {{JN_MOVE_SLIDE, JN_X_AXIS}}, .row = {JN_ON_AXIS, JN_NO_TURN}, .drive = JN_ADVANCE},
    [JN_JOINT_CYLINDRICAL] = {.move = {{JN_MOVE_SLIDE, JN_X_AXIS}, {JN_MOVE_TURN, JN_X_AXIS}}, .row = {JN_ON_AXIS, JN_PARALLEL}},
    [JN_JOINT_UNIVERSAL] = {.move = {{JN_MOVE_TURN, JN_X_AXIS}, {JN_MOVE_TURN, JN_ALONG_SECOND}}, .handed = true, .row = {JN_POINT, {JN_ROW_BETWEEN, JN_X_AXIS, JN_Y_AXIS, JN_VALUE_COSINE}}},
    [JN_JOINT_SPHERICAL] = {.move = {{JN_MOVE_SPHERE, 0}}, .row = {JN_POINT}},
    [JN_JOINT_PLANAR] = {.move = {{JN_MOVE_SLIDE, JN_X_NORMAL}, {JN_MOVE_SLIDE, JN_X_OTHER}, {JN_MOVE_TURN, JN_X_AXIS}}, .row = {{JN_ROW_ALONG, JN_X_AXIS, 0, 0}, JN_PARALLEL}},
    [JN_JOINT_SCREW] = {.move = {{JN_MOVE_SCREW, JN_X_AXIS}}, .row = {JN_ON_AXIS, JN_PARALLEL, {JN_ROW_SCREW, JN_X_AXIS, 0, JN_VALUE_SLIDE}}, .drive = JN_ADVANCE},
    [JN_JOINT_FREE] = {.move = {{JN_MOVE_SLIDES, 0}, {JN_MOVE_SPHERE, 0}}},
    [JN_JOINT_NO_ROTATION] = {.move = {{JN_MOVE_SLIDES, 0}}, .row = {JN_NO_TURN}},
    [JN_JOINT_DISTANCE] = {.move = {{JN_MOVE_SLIDES, 0}, {JN_MOVE_SPHERE, 0}}, .row = {{JN_ROW_DISTANCE, 0, 0, JN_VALUE_LENGTH}}},
    [JN_JOINT_SPHERICAL_REVOLUTE] = {.move = {{JN_MOVE_ARM, JN_X_AXIS}, {JN_MOVE_SPHERE, 0}}, .handed = true, .row = {{JN_ROW_ALONG, JN_X_AXIS, 0, JN_VALUE_OFFSET}, {JN_ROW_DISTANCE, 0, 0, JN_VALUE_LENGTH}}},
    [JN_JOINT_SPHERICAL_TRANSLATIONAL] = {.move = {{JN_MOVE_SLIDE, JN_X_AXIS}, {JN_MOVE_SPHERE, 0}}, .handed = true, .row = {JN_ON_AXIS}},
    [JN_NJOINT_KIND] = {.move = {{JN_MOVE_SLIDES, 0}, {JN_MOVE_SPHERE, 0}}},  // of a floating assembly: its frame
};
// clang-format on

#define JN_TREE_BASE JN_NJOINT_KIND

#if JN_WIDTH == 1
typedef struct jn_move {  // in the tree, from the parent to the child
  jn_move_kind kind;
  int direction;  // of the joint's
  int q, v;      // its first position and speed among the joint's: scalars first, a quaternion last
  bool far;      // its angle may be any: a screw's, a prescribed one; others are kept within a turn
  v3 own;        // its direction, in the axes before it
  v3 arm;        // ARM: from the axis to the end of the link
  double pitch;  // SCREW [m/rad]
} jn_move;

static inline int jn_move_speeds(const jn_move *move)  // how many it has
{
  return move->kind == JN_MOVE_SLIDES || move->kind == JN_MOVE_SPHERE ? 3 : 1;
}
static inline bool jn_move_is_angle(const jn_move *move)  // not a length
{
  return move->kind != JN_MOVE_SLIDE && move->kind != JN_MOVE_SLIDES;
}
static inline bool jn_move_wraps(const jn_move *move)  // the angle is kept within a turn
{
  return !move->far && (move->kind == JN_MOVE_TURN || move->kind == JN_MOVE_ARM);
}
static inline const jn_move *jn_move_of(const jn_move *move, int v)  // that has a joint's speed v
{
  while (v < move->v || v >= move->v + jn_move_speeds(move)) move++;
  return move;
}

// Moves of a joint seen from its first body or from its second, but for directions. Returns how many.
int jn_joint_moves(jn_joint_kind kind, bool reversed, bool driven, jn_move move[JN_MOVES]);
// First speed whose screws are carried aside by the moves before; 0: there is none.
int jn_moves_carried(const jn_move *move, int n);
int jn_joint_scalars(jn_joint_kind kind);  // positions that are no quaternion
JN_PRIVATE bool jn_joint_has_move(jn_joint_kind kind, jn_move_kind move);
bool jn_joint_slides_along(jn_joint_kind kind, int direction);  // of the first body's; a screw does
bool jn_joint_has_second_axis(jn_joint_kind kind);  // it moves about the second body's axis too

// Name of a coordinate, for people. *body: of the body it leads to, not of the joint.
const char *jn_coordinate_name(const jn_move *move, int n, int v, bool *body);
#endif

enum { JN_ROWS = 6 };          // of a joint, at most
typedef struct jn_joint_row {  // one of them
  jn_row_shape shape;
  unsigned char part;    // of the three of POINT
  unsigned char driven;  // it holds the prescribed motion
} jn_joint_row;

// Rows of a joint, the prescribed motion's last. Returns how many.
int jn_joint_rows(jn_joint_kind kind, bool driven, jn_joint_row row[JN_ROWS]);
bool jn_row_is_angle(const jn_joint_row *row);  // not a length

#endif
