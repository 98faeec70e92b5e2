// rig.h: a wheel alone on a rig.
#ifndef JN_TEST_RIG_H
#define JN_TEST_RIG_H

#include "run_case.h"

// A wheel on a hub that slides up and down on a slider that is moved along x, or across, by a channel.
static inline void jt_rig(char *text, size_t size, const char *tyres, const char *wheel,
                          const char *post)
{
  snprintf(
      text, size,
      "jounce: 1\nname: rig\n%s"
      "bodies:\n  slider: {mass: 10, cg: [0, 0, 1], inertia: [1, 1, 1]}\n"
      "  hub: {mass: 400, cg: [0, 0, 0.31], inertia: [9, 9, 9]}\n"
      "joints:\n  rail: {type: translational, bodies: [ground, slider], at: [0, 0, 1], axis: [1, "
      "0, 0], "
      "motion: {channel: rig.x}}\n"
      "  post: {type: translational, bodies: [slider, hub], at: [0, 0, 1], axis: [0, 0, 1]%s}\n"
      "forces:\n  w: {type: wheel, body: hub, at: [0, 0, 0.31], inertia: 1.2, tyre: t%s}\n",
      tyres, post, wheel);
}

#endif
