// Compiled once for each entry of TYRE_KERNELS, with TYRE_NAME, JN_WIDTH and JN_FUSED given.
#include "tyre_kernels.h"

#include "elements/road/road.h"
#include "elements/tyre/tyre_kinds.h"

typedef struct tape {
  const real *in;
  real *out;
  int written;
} tape;

static v3 vector(const tape *t, int at)
{
  return v3_make(t->in[at], t->in[at + 1], t->in[at + 2]);
}

static void put(tape *t, real x)
{
  t->out[t->written++] = x;
}

static void put_v3(tape *t, v3 a)
{
  put(t, a.x);
  put(t, a.y);
  put(t, a.z);
}

static void put_out(tape *t, tyre_out o)
{
  put_v3(t, o.force);
  put_v3(t, o.arm);
  put_v3(t, o.moment);
  for (int i = 0; i < 2; i++) {
    put(t, o.rate_a[i]);
    put(t, o.rate_b[i]);
  }
  put(t, o.load);
  put(t, o.slip);
  put(t, o.slip_angle);
  put(t, o.camber);
  put(t, o.deflection);
  put(t, o.fx);
  put(t, o.fy);
}

static void one(tape *t)
{
  static const double number[4][JN_TYRE_FIELDS] = {
      {0.33, 2e5, 500},
      {0.33, 2e5, 500, 6e4, 5e4, 4e3, 0.9},
      {0.33, 2e5, 500, 0.32, 0.25, 10, 1.65, 1, 0.5, 1},
      {0.33, 2e5, 500, 6e4, 5e4, 4e3, 0.9, 0.1, 0.4, 0.02},
  };
  static const jn_road road[] = {
      {.form = JN_ROAD_FLAT,
       .p = {1, [ROAD_LEVEL] = -0.1, [ROAD_GRADE] = 0.2, [ROAD_BANK] = -0.05}},
      {.form = JN_ROAD_HALF_SINE | 1 << ROAD_PATCH_SHIFT,
       .p = {0.8, [ROAD_AT] = -1, 2, 0.2, [ROAD_FIELDS] = -0.2, 0.3, -0.1, 0.2, 0.3, 1 / 0.2}},
      {.form = JN_ROAD_PLATEAU, .p = {0.6, [ROAD_AT] = -1, 2, 0.2, 0.5}},
      {.form = JN_ROAD_PLATEAU | ROAD_MOVES, .p = {1, [ROAD_AT] = -1, 2, 0.2, 0.5, 3}},
  };
  const v3 centre = vector(t, 0);
  for (int k = 0; k < 4; k++) {
    real p[JN_TYRE_FIELDS];
    for (int i = 0; i < JN_TYRE_FIELDS; i++) p[i] = r_set(number[k][i]);
    real q[ROAD_FIELDS + PATCH_FIELDS];
    for (int i = 0; i < ROAD_FIELDS + PATCH_FIELDS; i++) q[i] = r_set(road[k].p[i]);
    const road_hit hit = road_at(
        road[k].form, q,
        &(road_query){
            .x = centre.x, .y = centre.y, .z = centre.z, .post = centre.x, .time = t->in[3]});
    const v3 velocity = vector(t, 4);
    const road_plane plane = k % 2 ? road_touch(&hit, centre) : road_follow(&hit, centre, velocity);
    tyre_in in = {.axis = v3_unit(v3_add(vector(t, 7), v3_set(0, 4, 0))),
                  .velocity = velocity,
                  .omega = vector(t, 10),
                  .spin = t->in[13],
                  .forward = v3_set(1, 0, 0),
                  .normal = plane.normal,
                  .height = plane.height + r_set(0.3),
                  .road_rate = plane.rate,
                  .friction = hit.friction,
                  .state = {t->in[14], t->in[15]}};
    put_v3(t, plane.normal);
    put(t, plane.height);
    put(t, plane.rate);
    put_out(t, k == 0   ? tyre_vertical(p, in)
               : k == 1 ? tyre_linear(p, in)
               : k == 2 ? tyre_mf_simple(p, in)
                        : tyre_brush(p, in));
  }
}

static void one_brake(tape *t)
{
  const brake_out b = brake(r_set(300.0) * t->in[16], r_set(1.2), t->in[13], t->in[17]);
  put(t, b.torque);
  put(t, b.a);
  put(t, b.b);
}

static void put_law(tape *t, int form, const double *numbers, tyre_slip s)
{
  real p[MF_FIELDS];
  for (int i = 0; i < MF_FIELDS; i++) p[i] = r_set(numbers[i]);
  const tyre_forces f = mf_forces(form, p, NULL, s);
  const tyre_limits r = mf_limits(form, p, NULL, s.load, s.camber);
  const real all[] = {f.fx, f.fy, f.mx, f.my, f.mz};
  for (int i = 0; i < 5; i++) put(t, all[i]);
  for (int i = 0; i < 2; i++) {
    put(t, r.stiffness[i]);
    put(t, r.friction[i]);
    put(t, r.relaxation[i]);
  }
}

static void one_magic_formula(tape *t)
{
  const tyre_slip s = {.kappa = t->in[17],
                       .tan_alpha = t->in[18] * t->in[18] * t->in[18],
                       .camber = r_set(0.1) * t->in[19],
                       .load = r_set(4000.0) * r_abs(t->in[20]),
                       .speed = r_set(20.0) * r_abs(t->in[21]),
                       .forward = t->in[22],
                       .rolling = t->in[23]};
#define X(number, form, version) put_law(t, form, tyre_mf[number], s);
  TYRE_MF_FORMS(X)
#undef X
}

int TYRE_NAME(int count, const double (*in)[TYRE_IN], double (*out)[TYRE_OUT])
{
  int written = 0;
  for (int c = 0; c < count; c += JN_WIDTH) {
    real from[TYRE_IN], to[TYRE_OUT];
    for (int i = 0; i < TYRE_IN; i++)
      for (int lane = 0; lane < JN_WIDTH; lane++) r_put(&from[i], lane, in[c + lane][i]);
    tape t = {from, to, 0};
    one(&t);
    one_brake(&t);
    one_magic_formula(&t);
    written = t.written;
    for (int i = 0; i < written; i++)
      for (int lane = 0; lane < JN_WIDTH; lane++) out[c + lane][i] = r_lane(to[i], lane);
  }
  return written;
}
