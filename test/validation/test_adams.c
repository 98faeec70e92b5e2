// One body on one joint or spring against Adams' histories of it (test/validation/README.md).
//
// Each case is run with the joint in the tree and with the joint cut, the body then hanging on a
// free joint, in every formulation. All quantities must be within 0.1 % of the peak of their
// vector.
//
// Adams records position, velocity, acceleration, angular velocity and acceleration of the centre of
// gravity and the orientation of its marker, all in world axes: pendulum.x .. pendulum.dwz as they
// are. Its reactions (JOINT(1,0,..), that is of marker I) are what the ground feels: the force, and
// the torque about the ground's joint point I, in world axes. jounce reports what the second body,
// here the pendulum, feels at its own joint point J:
//
//   F_adams = -f        T_adams = -(m + (J - I) x f)
//
// Of a spring Adams records the force on the ground, which is the tension along the line from I to J.
// A torsion spring's torque on the ground counts with the joint's. An actuator is apart from the
// joint it drives: of the joint, what is normal to the axis is compared, and the actuator's force
// on the body is the channel joint.J.drive along the axis.
#include "validation.h"

typedef enum element { JOINT, SPRING, TORSION, DRIVEN } element;

typedef struct subject {
  const char *name;  // of files: test/validation/adams/NAME.yaml and data/NAME.csv
  double step;       // [s]
  double at[2][3];   // points I and J in the design position
  element element;   // J is a force if SPRING, the torsion spring is S
  double axis[3];    // unit vector, of TORSION and DRIVEN
} subject;

// clang-format off
#define HALF 0.70710678118654752
static const subject subjects[] = {
    {"revolute-case01",           1e-3,    {{0, 0, 0}, {0, 0, 0}}, JOINT,   {0, 0, 0}},
    {"spherical-case01",          1e-3,    {{0, 0, 0}, {0, 0, 0}}, JOINT,   {0, 0, 0}},
    {"universal-case01",          1e-3,    {{0, 0, 0}, {0, 0, 0}}, JOINT,   {0, 0, 0}},
    {"cylindrical-case01",        1e-3,    {{0, 0, 0}, {0, 0, 0}}, JOINT,   {0, 0, 0}},
    {"cylindrical-case02",        1e-3,    {{0, 0, 0}, {0, 0, 0}}, JOINT,   {0, 0, 0}},
    {"prismatic-case01",          1e-3,    {{0, 0, 0}, {0, 0, 0}}, JOINT,   {0, 0, 0}},
    {"prismatic-case02",          1e-3,    {{1, 2, 3}, {1, 2, 3}}, JOINT,   {0, 0, 0}},
    {"distance-case01",           1e-3,    {{0, 0, 0}, {0, 2, 0}}, JOINT,   {0, 0, 0}},
    {"distance-case02",           0.25e-3, {{1, 2, 3}, {1, 4, 3}}, JOINT,   {0, 0, 0}},  // jerks
    {"spherical-revolute-case01", 0.25e-3, {{0, 0, 0}, {2, 0, 0}}, JOINT,   {0, 0, 0}},  // likewise
    {"spring-case02",             1e-3,    {{0, 0, 0}, {0, 2, 0}}, SPRING,  {0, 0, 0}},
    {"torsion-spring-case02",     1e-3,    {{0, 0, 0}, {0, 0, 0}}, TORSION, {0, 1, 0}},
    {"actuator-case01",           1e-3,    {{0, 0, 0}, {0, 0, 0}}, DRIVEN,  {0, 0, 1}},
    {"actuator-case02",           1e-3,    {{0, 0, 0}, {0, 0, 0}}, DRIVEN,  {HALF, 0, HALF}},
};
// clang-format on
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

typedef enum quantity {
  POS,
  VEL,
  ACC,
  QUAT,
  AVEL,
  AACC,
  FORCE,
  TORQUE,
  DRIVE,
  QUANTITIES
} quantity;
static const struct {
  const char *word, *channel[4];
  int n;
} quantities[QUANTITIES] = {
    [POS] = {"position", {"x", "y", "z"}, 3},
    [VEL] = {"velocity", {"vx", "vy", "vz"}, 3},
    [ACC] = {"acceleration", {"ax", "ay", "az"}, 3},
    [QUAT] = {"quaternion", {"qw", "qx", "qy", "qz"}, 4},
    [AVEL] = {"angular velocity", {"wx", "wy", "wz"}, 3},
    [AACC] = {"angular acceleration", {"dwx", "dwy", "dwz"}, 3},
    [FORCE] = {"reaction force", {"fx", "fy", "fz"}, 3},
    [TORQUE] = {"reaction torque", {"mx", "my", "mz"}, 3},
    [DRIVE] = {"actuator force", {"drive"}, 3},
};

// A quantity that stays zero, or is rounding in Adams, has no peak to measure by: it must be below
// this.
static const double nothing = 1e-9;

static void cross(const double a[3], const double b[3], double out[3])
{
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

// v turned by the quaternion q, or back: v + 2 w (u x v) + 2 u x (u x v), with -u to turn back.
static void turn(const double q[4], bool back, const double v[3], double out[3])
{
  double u[3], uv[3], uuv[3];
  for (int i = 0; i < 3; i++) u[i] = back ? -q[i + 1] : q[i + 1];
  cross(u, v, uv);
  cross(u, uv, uuv);
  for (int i = 0; i < 3; i++) out[i] = v[i] + 2 * (q[0] * uv[i] + uuv[i]);
}

typedef struct probe {
  int channel[DRIVE][4];
  int element;    // tension, torque or force of what is no joint
  double arm[3];  // from the centre of gravity to J, body axes
} probe;

static int count_quantities(const subject *s)
{
  return s->element == DRIVEN ? QUANTITIES : DRIVE;
}

static bool find_channels(const vt_run *run, const subject *s, probe *p, vt_report *report)
{
  static const char *const other[] = {
      [SPRING] = "force.J.force", [TORSION] = "force.S.force", [DRIVEN] = "joint.J.drive"};
  for (int q = 0; q < (s->element == SPRING ? FORCE : DRIVE); q++)
    for (int i = 0; i < quantities[q].n; i++) {
      const char *prefix = q < FORCE ? "pendulum." : "joint.J.";
      p->channel[q][i] = vt_channel(run, prefix, quantities[q].channel[i], report);
      if (p->channel[q][i] < 0) return false;
    }
  if (s->element == JOINT) return true;
  p->element = vt_channel(run, other[s->element], "", report);
  return p->element >= 0;
}

static void read_channels(const vt_run *run, const probe *p, quantity q, double out[4])
{
  for (int i = 0; i < quantities[q].n; i++) out[i] = jn_row(run->data)[p->channel[q][i]];
}

// The arm of J, of the first row: there it is where the model says.
static void find_arm(const vt_run *run, const subject *s, probe *p)
{
  double x[4], quat[4], d[3];
  read_channels(run, p, POS, x);
  read_channels(run, p, QUAT, quat);
  for (int i = 0; i < 3; i++) d[i] = s->at[1][i] - x[i];
  turn(quat, true, d, p->arm);
}

static double dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// What is beside the joint: on entry out[FORCE] and out[TORQUE] are what the joint does to the
// ground, `lever` is J - I.
static void add_element(const subject *s, double value, const double lever[3],
                        double out[QUANTITIES][4])
{
  double along = dot(out[FORCE], s->axis), length = sqrt(dot(lever, lever));
  for (int i = 0; i < 3; i++) switch (s->element) {
      case JOINT:
        break;
      case SPRING:
        out[FORCE][i] = value * lever[i] / length;
        break;
      case TORSION:
        out[TORQUE][i] += value * s->axis[i];
        break;
      case DRIVEN:
        out[FORCE][i] -= along * s->axis[i];
        out[DRIVE][i] = value * s->axis[i];
        break;
    }
}

// All quantities as Adams records them.
static void as_adams(const vt_run *run, const subject *s, const probe *p, double out[QUANTITIES][4])
{
  double lever[3], f[4] = {0}, m[4] = {0}, moment[3];
  for (int q = 0; q < FORCE; q++) read_channels(run, p, (quantity)q, out[q]);
  turn(out[QUAT], false, p->arm, lever);
  for (int i = 0; i < 3; i++) lever[i] += out[POS][i] - s->at[0][i];
  if (s->element != SPRING) {
    read_channels(run, p, FORCE, f);
    read_channels(run, p, TORQUE, m);
  }
  cross(lever, f, moment);
  for (int i = 0; i < 3; i++) {
    out[FORCE][i] = -f[i];
    out[TORQUE][i] = -(m[i] + moment[i]);
  }
  add_element(s, s->element == JOINT ? 0 : jn_row(run->data)[p->element], lever, out);
}

typedef struct deviation {
  double worst[QUANTITIES], at[QUANTITIES];
} deviation;

static bool compare(vt_run *run, const subject *s, const vt_table *t, deviation *d,
                    vt_report *report)
{
  probe p;
  int n = count_quantities(s);
  if (!find_channels(run, s, &p, report)) return false;
  for (int r = 0; r < t->nrow; r++) {
    double is[QUANTITIES][4] = {{0}}, time = vt_value(t, r, 0);
    if (!vt_advance(run, time, report)) return false;
    if (r == 0) find_arm(run, s, &p);
    as_adams(run, s, &p, is);
    for (int q = 0, c = 1; q < n; c += quantities[q++].n) {
      double same = 0;
      for (int i = 0; i < quantities[q].n; i++) same += is[q][i] * vt_value(t, r, c + i);
      double sign = q == QUAT && same < 0 ? -1 : 1;
      for (int i = 0; i < quantities[q].n; i++) {
        double e = fabs(sign * is[q][i] - vt_value(t, r, c + i));
        if (!(e <= d->worst[q])) d->worst[q] = e, d->at[q] = time;
      }
    }
  }
  return true;
}

static void run_adams(const vt_trial *trial, vt_report *report)
{
  const subject *s = trial->subject;
  char file[160], text[320];
  vt_table t;
  vt_run run;
  deviation d = {0};
  snprintf(file, sizeof file, "test/validation/adams/data/%s.csv", s->name);
  if (!vt_table_read(&t, file)) {
    snprintf(report->broken, sizeof report->broken, "cannot read %s", file);
    return;
  }
  snprintf(file, sizeof file, "test/validation/adams/%s.yaml", s->name);
  snprintf(text, sizeof text,
           "jounce: 1\ninclude: %s.yaml\njoints:\n"
           "  F: {type: free, bodies: [ground, pendulum]}\ntopology: {cut: [J]}\n",
           s->name);
  jn_sim_opts opts = {.formulation = (jn_formulation)trial->formulation,
                      .integrator = JN_INTEGRATOR_RK4,
                      .step = s->step,
                      .end = vt_value(&t, t.nrow - 1, 0)};
  bool good = vt_open(&run, file, trial->mode ? text : NULL, NULL, &opts, report);
  if (good) {
    good = compare(&run, s, &t, &d, report);
    vt_close(&run);
  }
  for (int q = 0, c = 1; good && q < count_quantities(s); c += quantities[q++].n) {
    double peak = vt_peak(&t, c, quantities[q].n);
    bool zero = peak < nothing;
    double unit = zero ? 1 : peak / 100;
    vt_note *n = vt_measured(report, zero ? nothing : 0.1, d.worst[q] / unit);
    snprintf(n->quantity, sizeof n->quantity, "%s", quantities[q].word);
    snprintf(n->detail, sizeof n->detail, "%s, at t = %g s, peak %.4g, deviation %.3g",
             zero ? "absolute" : "% of the peak", d.at[q], peak, d.worst[q]);
    snprintf(n->table[0], sizeof n->table[0], zero ? "zero" : "0.1 %%");
    if (zero)
      snprintf(n->table[1], sizeof n->table[1], "%.0e", d.worst[q]);
    else
      snprintf(n->table[1], sizeof n->table[1], "%.4f %%", d.worst[q] / unit);
  }
  vt_table_free(&t);
}

int main(int argc, char **argv)
{
  static const char *const head[] = {"allowed", "deviation, of the peak"};
  for (int i = 0; i < SUBJECTS; i++)
    for (int cut = 0; cut < (subjects[i].element == SPRING ? 1 : 2); cut++)
      for (int f = 0; f < JN_NFORMULATION; f++) {
        vt_trial *t = vt_add(run_adams, &subjects[i]);
        t->formulation = f;
        t->mode = cut;
        snprintf(t->name, sizeof t->name, "%s%s, %s", subjects[i].name, cut ? ", cut" : "",
                 jn_sim_word_of("formulation", f));
      }
  return vt_main(argc, argv, "Adams", head);
}
