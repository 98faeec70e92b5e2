// Compiled once for each entry of LAW_KERNELS, with LAW_NAME, JN_WIDTH and JN_FUSED given.
#include "law_kernels.h"

#include "laws_data.h"

static int put(real *out, int n, tyre_forces f, tyre_limits a)
{
  const real all[] = {f.fx,           f.fy,           f.mx,          f.my,          f.mz,
                      a.stiffness[0], a.stiffness[1], a.friction[0], a.friction[1], a.relaxation[0],
                      a.relaxation[1]};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) out[n++] = all[i];
  return n;
}

int LAW_NAME(const law_tyres *tyres, int count, const double (*in)[LAW_IN], double (*out)[LAW_OUT])
{
  int written = 0;
  for (int c = 0; c < count; c += JN_WIDTH) {
    real from[LAW_IN], to[LAW_OUT], fiala[FIALA_FIELDS], half[TABULATED_FIELDS],
        full[TABULATED_FIELDS];
    for (int i = 0; i < LAW_IN; i++) {
      double lanes[JN_WIDTH];
      for (int lane = 0; lane < JN_WIDTH; lane++) lanes[lane] = in[c + lane][i];
      memcpy(&from[i], lanes, sizeof lanes);
    }
    for (int i = 0; i < FIALA_FIELDS; i++) fiala[i] = r_set(laws_fiala[i]);
    for (int i = 0; i < TABULATED_FIELDS; i++)
      half[i] = r_set(tyres->half[i]), full[i] = r_set(tyres->full[i]);
    const tyre_slip s = {.kappa = from[0],
                         .tan_alpha = from[1],
                         .camber = r_set(0.0),
                         .load = from[2],
                         .speed = from[3],
                         .forward = from[4],
                         .rolling = from[5]};
    const double *table = tyres->table;
    written =
        put(to, 0, fiala_forces(0, fiala, NULL, s), fiala_limits(0, fiala, NULL, s.load, s.camber));
    written = put(to, written, tabulated_forces(tyres->half_form, half, table, s),
                  tabulated_limits(tyres->half_form, half, table, s.load, s.camber));
    written = put(to, written, tabulated_forces(tyres->full_form, full, table, s),
                  tabulated_limits(tyres->full_form, full, table, s.load, s.camber));
    for (int i = 0; i < written; i++)
      for (int lane = 0; lane < JN_WIDTH; lane++) out[c + lane][i] = r_lane(to[i], lane);
  }
  return written;
}
