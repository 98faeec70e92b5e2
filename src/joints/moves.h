// moves.h: one move of those from a parent body to its child. A file that includes this says before how positions are read and
// where screws go:
//
//   JOINT_MOVE                   name of the kernel
//   JOINT_TO                     type of what takes the screws
//   JOINT_Q(q, i)                position i
//   JOINT_TURNING(to, i, u, p)   screw i is a rotation about u through p
//   JOINT_SLIDING(to, i, u)      screw i is a translation along u
//   JOINT_SCREW(to, i, u, p, h)  screw i is the first, and h times the second
//   JOINT_CIRCLE(to, cos, sin)   of the angle of a turn, where somebody wants them; may be left out
//
// Screws are stored as soon as they are known: kept until the end they cost 40 % in spills. They are motions of the child against
// the parent per unit of a speed, in the axes that joint_at begins with.
#ifndef JN_JOINTS_MOVES_H
#define JN_JOINTS_MOVES_H

#include "base/m3.h"
#include "base/rmath.h"
#include "base/spatial.h"
#include "joints/joint.h"

typedef struct joint_at {  // how far the moves have led
  m3 r;
  v3 p;
  bool turned;  // r is not the identity; a constant where it counts
} joint_at;

typedef struct joint_numbers {  // of a move: those that its kind has
  v3 own, arm;
  real pitch;
} joint_numbers;

// Of a quaternion that is of length one but for what a step adds.
JN_INLINE m3 joint_sphere(real w, v3 e)
{
  const real two = r_set(2.0) / r_fma(w, w, v3_dot(e, e));
  const v3 s = v3_scale(two, e), ws = v3_scale(w, s);
  const real one = r_set(1.0), xx = s.x * e.x, yy = s.y * e.y, zz = s.z * e.z;
  return m3_rows(v3_make(one - (yy + zz), r_fma(s.x, e.y, -ws.z), r_fma(s.x, e.z, ws.y)),
                 v3_make(r_fma(s.x, e.y, ws.z), one - (xx + zz), r_fma(s.y, e.z, -ws.x)),
                 v3_make(r_fma(s.x, e.z, -ws.y), r_fma(s.y, e.z, ws.x), one - (xx + yy)));
}
JN_INLINE r_sin_cos joint_sincos(real angle, bool far)
{
  return far ? r_sincos(angle) : r_sincos_near(angle);
}
JN_INLINE v3 joint_direction(const joint_at *k, v3 own)
{
  return k->turned ? m3_mul_v3(k->r, own) : own;
}
JN_INLINE v3 joint_axis(const joint_at *k, int i)
{
  return k->turned ? m3_column(k->r, i) : v3_set(i == 0, i == 1, i == 2);
}
JN_INLINE void joint_turn(joint_at *k, m3 by)
{
  k->r = k->turned ? m3_mul(k->r, by) : by;
  k->turned = true;
}

// Screws of a move are carried along by the moves before it, whose motion is `before`; that of an arm turns with it, too.
JN_INLINE sv joint_carried(sv before, sv own)
{
  return sv_crm(before, own);
}
JN_INLINE v3 joint_arm_bias(v3 u, v3 screw, real v)
{
  return v3_scale(v * v, v3_cross(u, screw));
}

#endif

#ifndef JOINT_CIRCLE
#define JOINT_CIRCLE(to, cos, sin) ((void)0)
#endif

// kind and far are constants where it counts. q: its first position; s: its first screw.
JN_INLINE joint_at JOINT_MOVE(joint_at k, int kind, bool far, joint_numbers n, const double *q,
                              int iq, JOINT_TO to, int s)
{
  switch ((jn_move_kind)kind) {
    case JN_MOVE_TURN: {
      const r_sin_cos t = joint_sincos(JOINT_Q(q, iq), far);
      JOINT_CIRCLE(to, t.cos, t.sin);
      JOINT_TURNING(to, s, joint_direction(&k, n.own), k.p);
      joint_turn(&k, m3_about(n.own, t.cos, t.sin));
      break;
    }
    case JN_MOVE_SLIDE: {
      const v3 u = joint_direction(&k, n.own);
      JOINT_SLIDING(to, s, u);
      k.p = v3_axpy(JOINT_Q(q, iq), u, k.p);
      break;
    }
    case JN_MOVE_SCREW: {
      const r_sin_cos t = joint_sincos(JOINT_Q(q, iq), far);
      const v3 u = joint_direction(&k, n.own);
      JOINT_SCREW(to, s, u, k.p, n.pitch);
      k.p = v3_axpy(n.pitch * JOINT_Q(q, iq), u, k.p);
      joint_turn(&k, m3_about(n.own, t.cos, t.sin));
      break;
    }
    case JN_MOVE_SLIDES: {
      const v3 by = v3_make(JOINT_Q(q, iq), JOINT_Q(q, iq + 1), JOINT_Q(q, iq + 2));
      for (int i = 0; i < 3; i++) JOINT_SLIDING(to, s + i, joint_axis(&k, i));
      k.p = v3_add(k.p, joint_direction(&k, by));
      break;
    }
    case JN_MOVE_SPHERE: {
      const v3 e = v3_make(JOINT_Q(q, iq + 1), JOINT_Q(q, iq + 2), JOINT_Q(q, iq + 3));
      for (int i = 0; i < 3; i++) JOINT_TURNING(to, s + i, joint_axis(&k, i), k.p);
      joint_turn(&k, joint_sphere(JOINT_Q(q, iq), e));
      break;
    }
    case JN_MOVE_ARM: {
      const r_sin_cos t = joint_sincos(JOINT_Q(q, iq), far);
      const m3 turn = m3_about(n.own, t.cos, t.sin);
      const v3 u = joint_direction(&k, n.own), arm = joint_direction(&k, m3_mul_v3(turn, n.arm));
      JOINT_SLIDING(to, s, v3_cross(u, arm));
      k.p = v3_add(k.p, arm);
      break;
    }
    case JN_MOVE_END:
      break;
  }
  return k;
}

#undef JOINT_MOVE
#undef JOINT_TO
#undef JOINT_Q
#undef JOINT_TURNING
#undef JOINT_SLIDING
#undef JOINT_SCREW
#undef JOINT_CIRCLE
