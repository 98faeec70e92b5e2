// Mechanisms against solutions that are known to ten and more digits (test/validation/README.md).
//
// reference:  the adaptive integrator meets the solution within a hundred times what the solution
//             is trusted to.
// order:      rk4 at three halved steps converges with order 4, in every formulation, with and
//             without projection.
// fixed step: rk4 at 1 ms stays within the given bound, through singular positions too.
#include "validation.h"

typedef enum kind { POSITION, ROTATION, VELOCITY, ANGULAR_VELOCITY, ACCELERATION, FORCE } kind;
static const char *const kind_word[] = {"position",         "rotation",     "velocity",
                                        "angular_velocity", "acceleration", "force"};

// A column of the file is offset + scale * channel. In a quaternion both names lack their last
// letter: e0..e3 are qw, qx, qy, qz, and the sign is free.
typedef struct column {
  const char *name, *channel;
  kind kind;
  double scale, offset;
  bool quaternion;
} column;

enum { COLUMNS = 40, STEPS = 3 };

typedef struct subject {
  const char *name, *model, *data, *scenario;
  double tolerance;      // of the adaptive integrator
  double factor[6];      // allowed over trusted, by kind; 0: 100
  double digits;         // relative, of positions in the last row; 0: no such demand
  double order_end;      // how far the convergence is watched, 0: not at all
  int order_steps;       // of the coarsest run, between two rows
  bool multistep;        // ab3 is watched too
  double fixed;          // bound of rk4 at 1 ms, 0: not asked for
  double beside;         // instant of a row beside a singular position, 0: none
  double beside_factor;  // allowed over trusted there, for velocities
  bool fastest_only;     // in `independent` alone, which is quickest there: the others take long
  column column[COLUMNS];
} subject;

#define SAME(name, channel, kind)    \
  {                                  \
    name, channel, kind, 1, 0, false \
  }
#define QUATERNION(name, channel)       \
  {                                     \
    name, channel, ROTATION, 1, 0, true \
  }
#define ANGLE(name, joint, scale, start)                               \
  {name, "joint." joint ".angle", POSITION, scale, start, false},      \
      {name "_d", "joint." joint ".speed", VELOCITY, scale, 0, false}, \
  {                                                                    \
    name "_dd", "joint." joint ".accel", ACCELERATION, scale, 0, false \
  }
#define N_FOUR_BAR                                       \
  {                                                      \
    {"phi", "joint.A0.angle", POSITION, -1, 0, false},   \
        {"phi_d", "rocker0.wz", VELOCITY, -1, 0, false}, \
        {"B0_x", "rocker0.x", POSITION, 2, 0, false},    \
        {"B0_y", "rocker0.y", POSITION, 2, 0, false},    \
        {"B0_vx", "rocker0.vx", VELOCITY, 2, 0, false},  \
        {"B0_vy", "rocker0.vy", VELOCITY, 2, 0, false},  \
  }

#define FIVE_LINK                                                                               \
  {                                                                                             \
    SAME("chassis_x", "chassis.x", POSITION), SAME("chassis_y", "chassis.y", POSITION),         \
        SAME("chassis_z", "chassis.z", POSITION), SAME("chassis_vx", "chassis.vx", VELOCITY),   \
        SAME("chassis_vy", "chassis.vy", VELOCITY), SAME("chassis_vz", "chassis.vz", VELOCITY), \
        SAME("chassis_ax", "chassis.ax", ACCELERATION),                                         \
        SAME("chassis_az", "chassis.az", ACCELERATION), QUATERNION("knuckle_e", "knuckle.q"),   \
        SAME("diffshaft_wy", "diffshaft.wy", ANGULAR_VELOCITY),                                 \
        SAME("strut_length", "force.strut.length", POSITION),                                   \
        SAME("tyre_Fz", "wheel.tyre.fz", FORCE), SAME("tyre_Fx", "wheel.tyre.fx", FORCE),       \
        SAME("rim_x", "rim.x", POSITION), SAME("rim_z", "rim.z", POSITION),                     \
        SAME("rim_vz", "rim.vz", VELOCITY),                                                     \
  }

static const subject subjects[] = {
    {
        .name = "andrews",
        .model = "models/andrews.yaml",
        .data = "test/validation/data/andrews.csv",
        .tolerance = 1e-14,
        .digits = 1e-10,
        .order_end = 0.01,
        .order_steps = 10,
        // The multipliers are those of the test set: G^T lambda enters with a minus sign, and the
        // rows are the point E of K2 less that of K3, K4 and K6. So they are what these three feel.
        .column =
            {
                ANGLE("beta", "O", 1, -6.1713890014276e-02),
                ANGLE("Theta", "F", 1, 0),
                ANGLE("gamma", "B", 1, 0.45527981916307037),
                ANGLE("Phi", "G", -1, 0.22266839016588588),
                ANGLE("delta", "A5", 1, 0.48736497954384256),
                ANGLE("Omega", "H", -1, -0.22266839016588588),
                ANGLE("epsilon", "A7", 1, 1.2305474445498212),
                SAME("lambda1", "joint.E3.fx", FORCE),
                SAME("lambda2", "joint.E3.fy", FORCE),
                SAME("lambda3", "joint.E4.fx", FORCE),
                SAME("lambda4", "joint.E4.fy", FORCE),
                SAME("lambda5", "joint.E6.fx", FORCE),
                SAME("lambda6", "joint.E6.fy", FORCE),
            },
    },
    {
        .name = "pendulum",
        .model = "models/pendulum.yaml",
        .data = "test/validation/data/pendulum.csv",
        .tolerance = 1e-14,
        .order_end = 10,
        .order_steps = 4,
        .column =
            {
                SAME("x", "P.x", POSITION),
                SAME("y", "P.y", POSITION),
                SAME("vx", "P.vx", VELOCITY),
                SAME("vy", "P.vy", VELOCITY),
                {"angle_from_minus_y", "joint.O.angle", POSITION, -1, 1.5707963267948966, false},
            },
    },
    {
        .name = "n-four-bar-2",
        .model = "models/n-four-bar.yaml",
        .data = "test/validation/data/n-four-bar-2.csv",
        .tolerance = 1e-13,
        .order_end = 0.4,  // the first singular position is near 0.71 s
        .order_steps = 1,
        .fixed = 1e-3,
        .column = N_FOUR_BAR,
    },
    {
        .name = "n-four-bar-40",
        .model = "test/models/n-four-bar-40.yaml",
        .data = "test/validation/data/n-four-bar-40.csv",
        .tolerance = 1e-14,
        // One row, at 10.55 s, lies 0.002 rad beside a singular position. Rounding of 40 m, 7e-15, moves the
        // mechanism there by that over 0.002 across its path, and turns the path by that over 0.002 again.
        // Behind it the mechanism is 1e-11 rad ahead or behind, with accelerations of some 10 rad/s^2. It passes there in about ten
        // steps, each with a rounding of its own: these add up to 3e-11.
        .factor = {[POSITION] = 300, [VELOCITY] = 400},
        .beside = 10.55,
        .beside_factor = 2e4,
        .fixed = 1e-3,
        .fastest_only = true,
        .column = N_FOUR_BAR,
    },
    {
        .name = "free-body",
        .model = "models/free-body.yaml",
        .data = "test/validation/data/free-body.csv",
        .tolerance = 1e-14,
        // The two flips enlarge what double precision rounds off: no more than about 1e-8 can be
        // asked of an attitude that is known to 1e-13.
        .factor = {[ROTATION] = 1e5, [ANGULAR_VELOCITY] = 1e5},
        .order_end = 2,  // before the flip, which shows the error of energy: of order 5
        .order_steps = 8,
        .column =
            {
                QUATERNION("e", "B.q"),
                SAME("wx", "B.wx", ANGULAR_VELOCITY),
                SAME("wy", "B.wy", ANGULAR_VELOCITY),
                SAME("wz", "B.wz", ANGULAR_VELOCITY),
            },
    },
    {
        .name = "spinning-top",
        .model = "models/spinning-top.yaml",
        .data = "test/validation/data/spinning-top.csv",
        .tolerance = 1e-14,
        .order_end = 1,
        .order_steps = 10,
        .column =
            {
                SAME("top_x", "top.x", POSITION),
                SAME("top_y", "top.y", POSITION),
                SAME("top_z", "top.z", POSITION),
                QUATERNION("top_e", "top.q"),
                SAME("top_vx", "top.vx", VELOCITY),
                SAME("top_vy", "top.vy", VELOCITY),
                SAME("top_vz", "top.vz", VELOCITY),
                SAME("top_wx", "top.wx", ANGULAR_VELOCITY),
                SAME("top_wy", "top.wy", ANGULAR_VELOCITY),
                SAME("top_wz", "top.wz", ANGULAR_VELOCITY),
            },
    },
    {
        .name = "slider-crank",
        .model = "models/slider-crank.yaml",
        .data = "test/validation/data/slider-crank.csv",
        .tolerance = 1e-14,
        .order_end = 0.5,  // later, errors of two signs cancel in part with projection
        .order_steps = 40,
        .column =
            {
                SAME("crank_angle", "joint.A.angle", ROTATION),
                SAME("crank_rate", "joint.A.speed", ANGULAR_VELOCITY),
                SAME("slider_x", "slider.x", POSITION),
                SAME("slider_vx", "slider.vx", VELOCITY),
                SAME("rod_x", "rod.x", POSITION),
                SAME("rod_y", "rod.y", POSITION),
                SAME("rod_z", "rod.z", POSITION),
                QUATERNION("rod_e", "rod.q"),
                SAME("rod_vx", "rod.vx", VELOCITY),
                SAME("rod_vy", "rod.vy", VELOCITY),
                SAME("rod_vz", "rod.vz", VELOCITY),
                SAME("rod_wx", "rod.wx", ANGULAR_VELOCITY),
                SAME("rod_wy", "rod.wy", ANGULAR_VELOCITY),
                SAME("rod_wz", "rod.wz", ANGULAR_VELOCITY),
            },
    },
    {
        .name = "quarter-car",
        .model = "models/quarter-car.yaml",
        .data = "test/validation/data/quarter-car.csv",
        .scenario = "scenarios/quarter-car.yaml",
        .tolerance = 1e-14,
        .order_end = 3,  // over both breakpoints of the road, which are instants
        .order_steps = 4,
        .multistep = true,
        .column =
            {
                SAME("chassis_z", "chassis.z", POSITION),
                SAME("chassis_vz", "chassis.vz", VELOCITY),
                SAME("chassis_az", "chassis.az", ACCELERATION),
                SAME("wheel_x", "wheel.x", POSITION),
                SAME("wheel_y", "wheel.y", POSITION),
                SAME("wheel_z", "wheel.z", POSITION),
                SAME("wheel_vx", "wheel.vx", VELOCITY),
                SAME("wheel_vy", "wheel.vy", VELOCITY),
                SAME("wheel_vz", "wheel.vz", VELOCITY),
                SAME("spring_length", "force.strut.length", POSITION),
                SAME("tyre_Fz", "wheel.tyre.fz", FORCE),
                SAME("wheel_spin_rel", "wheel.tyre.speed", ANGULAR_VELOCITY),
                QUATERNION("knuckle_e", "knuckle.q"),
                SAME("knuckle_wx", "knuckle.wx", ANGULAR_VELOCITY),
                SAME("knuckle_wy", "knuckle.wy", ANGULAR_VELOCITY),
                SAME("knuckle_wz", "knuckle.wz", ANGULAR_VELOCITY),
            },
    },
    {
        .name = "five-link-joints",
        .model = "models/five-link-joints.yaml",
        .data = "test/validation/data/five-link-joints.csv",
        .scenario = "scenarios/five-link-joints.yaml",
        .tolerance = 1e-12,
        .fastest_only = true,
        .column = FIVE_LINK,
    },
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

// ---- columns and channels -----------------------------------------------------------------------

typedef struct wiring {
  int column[4], channel[4], n;  // four for a quaternion, else one
} wiring;

static bool wire_column(const vt_run *run, const vt_table *t, const column *c, wiring *out,
                        vt_report *report)
{
  static const char *const digit[] = {"0", "1", "2", "3"}, *const letter[] = {"w", "x", "y", "z"};
  out->n = c->quaternion ? 4 : 1;
  for (int i = 0; i < out->n; i++) {
    char name[40];
    snprintf(name, sizeof name, "%s%s", c->name, c->quaternion ? digit[i] : "");
    out->column[i] = vt_column(t, name);
    if (out->column[i] < 0) {
      snprintf(report->broken, sizeof report->broken, "the data have no column %s", name);
      return false;
    }
    out->channel[i] = vt_channel(run, c->channel, c->quaternion ? letter[i] : "", report);
    if (out->channel[i] < 0) return false;
  }
  return true;
}

// Largest difference of one row.
static double apart(const vt_run *run, const vt_table *t, int row, const column *c, const wiring *l)
{
  const double *now = jn_row(run->data);
  double sum = 0, worst = 0;
  for (int i = 0; i < l->n; i++) sum += now[l->channel[i]] * vt_value(t, row, l->column[i]);
  double sign = c->quaternion && sum < 0 ? -1 : 1;
  for (int i = 0; i < l->n; i++) {
    double is = c->offset + sign * c->scale * now[l->channel[i]];
    double d = fabs(is - vt_value(t, row, l->column[i]));
    if (!(d <= worst)) worst = d;  // NaN stays
  }
  return worst;
}

static int count_columns(const subject *s)
{
  int n = 0;
  while (n < COLUMNS && s->column[n].name) n++;
  return n;
}

// What the file says of a kind; of the whole file relative to the column's peak.
static double trusted(const vt_table *t, kind k, double peak)
{
  for (int i = 0; i < t->ntrusted; i++) {
    if (!strcmp(t->trusted_kind[i], kind_word[k])) return t->trusted[i];
    if (!strcmp(t->trusted_kind[i], "relative_all_columns")) return t->trusted[i] * peak;
  }
  return 0;
}

// ---- a run against the file ---------------------------------------------------------------------

typedef struct deviation {
  double worst[COLUMNS], at[COLUMNS];  // over all rows up to the end
  double last[COLUMNS];                // of the last row
  double square;                       // sum over positions and rotations
  double beside[COLUMNS];              // at the row beside a singular position
} deviation;

static bool compare(const subject *s, const vt_table *t, const jn_sim_opts *opts, double end,
                    deviation *d, vt_report *report)
{
  vt_run run;
  wiring l[COLUMNS];
  int n = count_columns(s);
  *d = (deviation){0};
  if (!vt_open(&run, s->model, NULL, s->binding.scenario, opts, report)) return false;
  bool good = true;
  for (int c = 0; good && c < n; c++) good = wire_column(&run, t, &s->column[c], &l[c], report);
  for (int r = 0; good && r < t->nrow && vt_value(t, r, 0) <= end * (1 + 1e-12); r++) {
    good = vt_advance(&run, vt_value(t, r, 0), report);
    for (int c = 0; good && c < n; c++) {
      double e = d->last[c] = apart(&run, t, r, &s->column[c], &l[c]);
      const bool beside = s->beside > 0 && s->column[c].kind == VELOCITY &&
                          fabs(vt_value(t, r, 0) - s->beside) < 1e-9;
      if (beside)
        d->beside[c] = e;
      else if (!(e <= d->worst[c]))
        d->worst[c] = e, d->at[c] = vt_value(t, r, 0);
      if (s->column[c].kind <= ROTATION) d->square += e * e;
    }
  }
  vt_close(&run);
  return good;
}

static bool read_data(const subject *s, vt_table *t, vt_report *report)
{
  if (vt_table_read(t, s->data)) return true;
  snprintf(report->broken, sizeof report->broken, "cannot read %s", s->data);
  return false;
}

static double last_time(const vt_table *t)
{
  return vt_value(t, t->nrow - 1, 0);
}

static void note_columns(const subject *s, const vt_table *t, const deviation *d, double bound,
                         vt_report *report)
{
  for (int c = 0, n = count_columns(s); c < n; c++) {
    const column *k = &s->column[c];
    char first[40];
    snprintf(first, sizeof first, "%s%s", k->name, k->quaternion ? "0" : "");
    double peak = vt_peak(t, vt_column(t, first), k->quaternion ? 4 : 1);
    double factor = s->factor[k->kind] > 0 ? s->factor[k->kind] : 100;
    double allowed = bound > 0 ? bound : factor * trusted(t, k->kind, peak);
    vt_note *note = vt_measured(report, allowed, d->worst[c]);
    snprintf(note->quantity, sizeof note->quantity, "%s%s", k->name, k->quaternion ? "0..3" : "");
    snprintf(note->detail, sizeof note->detail, "at t = %g s, peak of the column %.3g", d->at[c],
             peak);
    if (s->beside > 0 && k->kind == VELOCITY) {
      const double there = bound > 0 ? bound : s->beside_factor * trusted(t, k->kind, peak);
      note = vt_measured(report, there, d->beside[c]);
      snprintf(note->quantity, sizeof note->quantity, "%s at %g s", k->name, s->beside);
    }
    if (s->digits > 0 && k->kind == POSITION && bound <= 0) {
      double value = fabs(vt_value(t, t->nrow - 1, vt_column(t, k->name)));
      note = vt_measured(report, s->digits, d->last[c] / value);
      snprintf(note->quantity, sizeof note->quantity, "%s at the end, relative", k->name);
    }
  }
}

static void run_reference(const vt_trial *trial, vt_report *report)
{
  const subject *s = trial->subject;
  vt_table t;
  deviation d;
  if (!read_data(s, &t, report)) return;
  jn_sim_opts opts = {.formulation = (jn_formulation)trial->formulation,
                      .integrator = JN_INTEGRATOR_REFERENCE,
                      .end = last_time(&t),
                      .tolerance = s->tolerance};
  if (compare(s, &t, &opts, last_time(&t), &d, report)) note_columns(s, &t, &d, 0, report);
  vt_table_free(&t);
}

static void run_fixed_step(const vt_trial *trial, vt_report *report)
{
  const subject *s = trial->subject;
  vt_table t;
  deviation d;
  if (!read_data(s, &t, report)) return;
  jn_sim_opts opts = {.formulation = (jn_formulation)trial->formulation,
                      .integrator = JN_INTEGRATOR_RK4,
                      .step = 1e-3,
                      .end = last_time(&t)};
  if (compare(s, &t, &opts, last_time(&t), &d, report)) note_columns(s, &t, &d, s->fixed, report);
  vt_table_free(&t);
}

static void run_order(const vt_trial *trial, vt_report *report)
{
  const subject *s = trial->subject;
  vt_table t;
  deviation d;
  double error[STEPS], step[STEPS];
  if (!read_data(s, &t, report)) return;
  for (int i = 0; i < STEPS && !report->broken[0]; i++) {
    step[i] = vt_value(&t, 1, 0) / (double)(s->order_steps << i);
    jn_sim_opts opts = {.formulation = (jn_formulation)trial->formulation,
                        .integrator = (jn_integrator)trial->mode,
                        .stabilize = (jn_stabilize)trial->stabilize,
                        .step = step[i],
                        .end = s->order_end};
    compare(s, &t, &opts, s->order_end, &d, report);
    error[i] = sqrt(d.square);
  }
  vt_table_free(&t);
  for (int i = 1; i < STEPS && !report->broken[0]; i++) {
    double order = log2(error[i - 1] / error[i]);
    const int want = trial->mode == JN_INTEGRATOR_AB3 ? 3 : 4;
    vt_note *n = vt_measured(report, 0.15, fabs(order - want));
    snprintf(n->quantity, sizeof n->quantity, "order, %.3g to %.3g ms", 1e3 * step[i - 1],
             1e3 * step[i]);
    snprintf(n->detail, sizeof n->detail, "order %.3f, errors %.3g and %.3g", order, error[i - 1],
             error[i]);
    snprintf(n->table[0], sizeof n->table[0], "%d ± 0.15", want);
    snprintf(n->table[1], sizeof n->table[1], "%.2f", order);
  }
}

// ---- trials -------------------------------------------------------------------------------------

static void add(const subject *s, const char *what, void (*run)(const vt_trial *, vt_report *),
                int formulation, int stabilize)
{
  vt_trial *t = vt_add(run, s);
  t->formulation = formulation;
  t->stabilize = stabilize;
  const char *f = jn_sim_word_of("formulation", formulation);
  const char *z = stabilize >= 0 ? jn_sim_word_of("stabilize", stabilize) : NULL;
  t->mode = JN_INTEGRATOR_RK4;
  snprintf(t->name, sizeof t->name, "%s, %s, %s%s%s", s->name, what, f, z ? ", " : "", z ? z : "");
  if (stabilize < 0) t->stabilize = JN_STABILIZE_PROJECTION;
}

static void add_subject(const subject *s)
{
  for (int f = 0; f < JN_NFORMULATION; f++) {
    if (s->fastest_only && f != JN_FORMULATION_INDEPENDENT) continue;
    if (s->tolerance > 0) add(s, "reference", run_reference, f, -1);
    if (s->fixed > 0) add(s, "fixed step", run_fixed_step, f, -1);
    if (s->order_end <= 0) continue;
    add(s, "order", run_order, f, JN_STABILIZE_PROJECTION);
    add(s, "order", run_order, f, JN_STABILIZE_NONE);
    if (!s->multistep) continue;
    add(s, "order of ab3", run_order, f, JN_STABILIZE_PROJECTION);
    vt_trials[vt_ntrial - 1].mode = JN_INTEGRATOR_AB3;
  }
}

int main(int argc, char **argv)
{
  static const char *const head[] = {"allowed", "measured"};
  for (int i = 0; i < SUBJECTS; i++) {
#ifdef __SANITIZE_ADDRESS__
    if (subjects[i].fastest_only) continue;  // minutes under the sanitizers
#endif
    add_subject(&subjects[i]);
  }
  return vt_main(argc, argv, "reference solutions", head);
}
