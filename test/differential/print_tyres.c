// print_tyres.c: tyres as text.
#include "differential/print.h"

#ifndef JT_TYRE_PLUGIN
#define JT_TYRE_PLUGIN ""
#endif

static double short_of(double x)
{
  char s[40];
  snprintf(s, sizeof s, "%.5g", x);
  return strtod(s, NULL);
}

// A table of forces at slips, of the size that the load gives.
static void carpet(text *t, const char *name, const char *slips, const double *slip,
                   const double *part, double load, bool two_sided, double bias)
{
  say(t, ", %s: {%s: [", name, slips);
  const int n = 5;
  for (int i = two_sided ? -(n - 1) : 0; i < n; i++) {
    number(t, i < 0 ? -slip[-i] : slip[i]);
    if (i < n - 1) say(t, ", ");
  }
  say(t, "], loads: [");
  for (int k = 1; k <= 3; k++) {
    number(t, 0.5 * load * k);
    if (k < 3) say(t, ", ");
  }
  say(t, "], values: [");
  for (int k = 1; k <= 3; k++) {
    const double scale = (k == 1 ? 0.54 : k == 2 ? 1.0 : 1.38) * load;
    say(t, "[");
    for (int i = two_sided ? -(n - 1) : 0; i < n; i++) {
      number(t, short_of((i < 0 ? -part[-i] : part[i]) * scale + (two_sided ? bias * scale : 0.0)));
      if (i < n - 1) say(t, ", ");
    }
    say(t, k < 3 ? "], " : "]");
  }
  say(t, "]}");
}

static void carpets(text *t, const vehicle_tyre *y)
{
  static const double angle[] = {0, 0.05, 0.1, 0.2, 0.4}, slip[] = {0, 0.05, 0.1, 0.3, 1};
  static const double fy[] = {0, -0.5, -0.8, -0.95, -0.9}, fx[] = {0, 0.7, 0.95, 0.9, 0.7};
  static const double mz[] = {0, 0.016, 0.012, 0.004, 0};
  carpet(t, "side_force", "slip_angles", angle, fy, y->load, y->two_sided, 0.015625);
  carpet(t, "longitudinal_force", "slips", slip, fx, y->load, false, 0.0);
  if (y->aligning)
    carpet(t, "aligning_torque", "slip_angles", angle, mz, y->load, y->two_sided, 0.0);
}

void print_tyre(text *t, const vehicle_tyre *y)
{
  static const char *const files[] = {"models/tyres/sample.tir",
                                      "models/tyres/HMMWV_Pac02Tire.tir"};
  static const char *const combined[] = {"", "ellipse", "typical"};
  say(t, "  %s: {type: %s", y->name, vehicle_tyre_word(y->kind));
  if (y->kind == VEHICLE_TYRE_MAGIC_FORMULA) {
    say(t, ", file: %s", files[y->file]);
    if (y->measured) say(t, ", measured: %s", sides[y->measured]);
    if (y->use_mode >= 0) say(t, ", use_mode: %d", y->use_mode);
    if (y->combined) say(t, ", combined: %s", combined[y->combined]);
    key_if(t, "lead", y->lead);
    say(t, ", coefficients: {UNLOADED_RADIUS: ");
    number(t, y->radius);
    key(t, "RIM_RADIUS", short_of(0.625 * y->radius));
    key(t, "VERTICAL_STIFFNESS", y->stiffness);
    key(t, "VERTICAL_DAMPING", y->damping);
    key(t, "FNOMIN", y->load);
    say(t, "}}\n");
    return;
  }
  key(t, "radius", y->radius);
  if (y->load_curve) {
    say(t, ", load_curve: [[0, 0], ");
    list(t, (double[]){short_of(0.5 * y->load / y->stiffness), short_of(0.4375 * y->load)}, 2);
    say(t, ", ");
    list(t, (double[]){short_of(4.0 * y->load / y->stiffness), short_of(4.5 * y->load)}, 2);
    say(t, "]");
  } else {
    key(t, "stiffness", y->stiffness);
  }
  key_if(t, "damping", y->damping);
  if (y->kind != VEHICLE_TYRE_VERTICAL && y->kind != VEHICLE_TYRE_MF_SIMPLE)
    key(t, "load", y->load);
  switch (y->kind) {
    case VEHICLE_TYRE_LINEAR:
    case VEHICLE_TYRE_BRUSH:
    case VEHICLE_TYRE_FIALA:
      key(t, "slip_stiffness", y->slip_stiffness);
      key(t, "cornering_stiffness", y->cornering_stiffness);
      key(t, "friction", y->friction);
      if (y->kind == VEHICLE_TYRE_LINEAR) break;
      key_if(t, "relaxation_x", y->relaxation_x);
      key_if(t, "relaxation_y", y->relaxation_y);
      key_if(t, "lead", y->lead);
      if (y->kind == VEHICLE_TYRE_BRUSH) break;
      key_if(t, "friction_sliding", y->friction_sliding);
      key_if(t, "width", y->width);
      key_if(t, "rolling_resistance", y->rolling_resistance);
      break;
    case VEHICLE_TYRE_MF_SIMPLE:
      key(t, "rolling_radius", y->rolling_radius);
      key(t, "relaxation_length", y->relaxation_length);
      key(t, "b", y->b);
      key(t, "c", y->c);
      key(t, "d", y->d);
      key(t, "e", y->e);
      if (y->world_frame) say(t, ", frame: world");
      break;
    case VEHICLE_TYRE_CARPET:
      carpets(t, y);
      key_if(t, "rolling_resistance", y->rolling_resistance);
      key_if(t, "relaxation_x", y->relaxation_x);
      key_if(t, "relaxation_y", y->relaxation_y);
      key_if(t, "lead", y->lead);
      break;
    case VEHICLE_TYRE_PLUGIN:
      say(t, ", plugin: \"%s\"", JT_TYRE_PLUGIN);
      if (y->measured) say(t, ", measured: %s", sides[y->measured]);
      key_if(t, "lead", y->lead);
      say(t, ", parameters: {slope_x: ");
      number(t, y->slip_stiffness);
      key(t, "slope_y", y->cornering_stiffness);
      key_if(t, "trail", y->width);
      key_if(t, "rolling", y->rolling_resistance);
      say(t, "}");
      break;
    default:
      break;
  }
  say(t, "}\n");
}
