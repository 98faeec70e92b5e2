// The table of joint kinds against what the schema promises, and against itself seen from the other body.
#include "harness.h"
#include "joints/joint.h"

static void coordinates_and_rows_are_as_many_as_the_schema_says(void **state)
{
  (void)state;
  for (int kind = 0; kind < JN_NJOINT_KIND; kind++) {
    jn_joint_row row[JN_ROWS + 1];
    const jn_joint_kind_info *info = &jn_joint_kinds[kind];
    const int scalars = jn_joint_scalars((jn_joint_kind)kind);
    assert_int_equal(scalars + (jn_joint_has_move((jn_joint_kind)kind, JN_MOVE_SPHERE) ? 3 : 0),
                     info->ncoord);
    assert_int_equal(jn_joint_rows((jn_joint_kind)kind, false, row), info->nrow);
    assert_int_equal(jn_joint_shapes[kind].drive.kind != JN_ROW_END, info->drivable);
    if (info->drivable) {
      assert_int_equal(jn_joint_rows((jn_joint_kind)kind, true, row), info->nrow + 1);
      assert_true(row[info->nrow].driven);
      assert_int_equal(info->ncoord, 1);
    }
  }
}

// Every speed belongs to one move, whichever body the joint is seen from, and has a name of its own.
static void moves_share_out_the_coordinates(void **state)
{
  (void)state;
  for (int kind = 0; kind <= JN_NJOINT_KIND; kind++)
    for (int reversed = 0; reversed < 2; reversed++) {
      jn_move move[JN_MOVES];
      const int n = jn_joint_moves((jn_joint_kind)kind, reversed, false, move);
      const int ncoord = jn_joint_scalars((jn_joint_kind)kind) +
                         (jn_joint_has_move((jn_joint_kind)kind, JN_MOVE_SPHERE) ? 3 : 0);
      int owner[6] = {0}, sum = 0;
      const char *name[6];
      for (int i = 0; i < n; i++)
        for (int k = 0; k < jn_move_speeds(&move[i]); k++, sum++) {
          assert_in_range(move[i].v + k, 0, ncoord - 1);
          assert_int_equal(owner[move[i].v + k]++, 0);
          assert_ptr_equal(jn_move_of(move, move[i].v + k), &move[i]);
          if (move[i].kind == JN_MOVE_SPHERE) assert_int_equal(move[i].v, ncoord - 3);
        }
      assert_int_equal(sum, ncoord);
      for (int v = 0; v < ncoord; v++) {
        bool body;
        name[v] = jn_coordinate_name(move, n, v, &body);
        for (int w = 0; w < v; w++) assert_string_not_equal(name[v], name[w]);
      }
    }
}

static void driven_angles_and_screws_are_not_kept_within_a_turn(void **state)
{
  (void)state;
  jn_move move[JN_MOVES];
  jn_joint_moves(JN_JOINT_REVOLUTE, false, false, move);
  assert_true(jn_move_wraps(&move[0]));
  jn_joint_moves(JN_JOINT_REVOLUTE, false, true, move);
  assert_false(jn_move_wraps(&move[0]));
  jn_joint_moves(JN_JOINT_SCREW, false, false, move);
  assert_false(jn_move_wraps(&move[0]));
  assert_true(jn_move_is_angle(&move[0]));
  jn_joint_moves(JN_JOINT_TRANSLATIONAL, false, false, move);
  assert_false(jn_move_wraps(&move[0]));
  assert_false(jn_move_is_angle(&move[0]));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coordinates_and_rows_are_as_many_as_the_schema_says),
      cmocka_unit_test(moves_share_out_the_coordinates),
      cmocka_unit_test(driven_angles_and_screws_are_not_kept_within_a_turn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
