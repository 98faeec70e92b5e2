// cut_angle.h: how a cut joint stands: its angle or travel, which no coordinate holds.
#ifndef JN_SOLVE_GENERAL_CUT_ANGLE_H
#define JN_SOLVE_GENERAL_CUT_ANGLE_H

#include "joints/joint_rows.h"
#include "solve/data.h"

// A driven row's right-hand side is the drive's value times this: a screw is driven by its angle.
static inline double jn_drive_unit(const jn_cut *c)
{
  return jn_joint_has(c->kind, JN_HAS_LEAD) ? c->pitch : 1.0;
}

double jn_angle_about(v3 u, v3 x, v3 y);  // from x to y about the unit vector u, within +-pi

// Angle (with the turns that bring it nearest to `near`) or travel, its rate, and the axis in frame axes.
double jn_cut_coordinate(const jn_system *s, const jn_data *d, int cut, double near, double *rate,
                         v3 *axis);

// Angles of all cut joints that turn go on counting turns from where they are now.
JN_PRIVATE void jn_cuts_follow(const jn_system *s, jn_data *d);

#endif
