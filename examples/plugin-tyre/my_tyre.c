// my_tyre.c: a tyre by the curves of TMeasy, whose parameters can be read off a measured curve: its slope at the origin,
// where and how high its peak is, and from where on the tyre slides [G. Rill, A. Arrieta Castro: Road Vehicle Dynamics,
// 2nd edition, CRC Press, 2020, ch. 3].
//
// With the slips over those of the peaks, longitudinal and lateral, a slip of both,
//
//   ux = kappa / peak_slip_x,   uy = (tan_alpha + camber sin gamma) / peak_slip_y,   u = sqrt(ux^2 + uy^2)
//
// and each direction's slope C, peak F, sliding force S = sliding F and slip us at which all slides, over that of the peak,
//
//   f(u) = C p u / ((1 - u)^2 + C p u / F)        u < 1, p the peak's slip
//        = F - (F - S) w^2 (3 - 2 w)              w = (u - 1) / (us - 1) from 0 to 1
//        = S                                      beyond
//
//   Fx = fx(u) ux / u,   Fy = -fy(u) uy / u,   Mz = -trail (1 - u)^2 (1 + 2 u) Fy up to u = 1,   My = -rolling R Fz
//
// C and F grow with the load as a parabola through their values at the nominal load and, `degression` times these, at
// twice that load; from its vertex on they stay. The trail's curve and the camber's slip are our own.
#include <jounce/plugin.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct my_tyre {
  double radius, load;     // [m], [N]
  double slope[2];         // at the nominal load: force per slip                [N]
  double peak[2];          // and largest force over load
  double peak_slip[2];     // slip at which it is
  double sliding_slip[2];  // from which on all slides
  double sliding;          // force then, over the peak
  double degression;       // force at twice the nominal load, over that at the nominal
  double relaxation[2];    // [m]
  double camber;           // side slip that has the effect of 1 rad
  double trail;            // at no slip [m]
  double rolling;          // rolling resistance over load
} my_tyre;

static const char *const parameters[] = {
    "slope_x",      "slope_y",      "peak_x",         "peak_y",
    "peak_slip_x",  "peak_slip_y",  "sliding",        "degression",
    "relaxation_x", "relaxation_y", "sliding_slip_x", "camber",
    "trail",        "rolling",      "sliding_slip_y", NULL};

static int refuse(const jn_plugin_setup *setup, const char *why)
{
  snprintf(setup->reason, setup->reason_size, "%s", why);
  return 1;
}

static int init(const jn_plugin_setup *setup, void **self)
{
#define NUMBER(name, otherwise) jn_plugin_number(setup, name, otherwise)
  const my_tyre t = {.radius = setup->radius,
                     .load = setup->load,
                     .slope = {NUMBER("slope_x", 0.0), NUMBER("slope_y", 0.0)},
                     .peak = {NUMBER("peak_x", 1.0), NUMBER("peak_y", 1.0)},
                     .peak_slip = {NUMBER("peak_slip_x", 0.12), NUMBER("peak_slip_y", 0.2)},
                     .sliding_slip = {NUMBER("sliding_slip_x", 0.5), NUMBER("sliding_slip_y", 0.7)},
                     .sliding = NUMBER("sliding", 0.9),
                     .degression = NUMBER("degression", 1.8),
                     .relaxation = {NUMBER("relaxation_x", 0.2), NUMBER("relaxation_y", 0.4)},
                     .camber = NUMBER("camber", 0.0),
                     .trail = NUMBER("trail", 0.0),
                     .rolling = NUMBER("rolling", 0.0)};
  for (int i = 0; i < 2; i++) {
    if (!(t.slope[i] > 0.0) || !(t.peak[i] > 0.0) || !(t.peak_slip[i] > 0.0) ||
        !(t.relaxation[i] > 0.0))
      return refuse(setup, "slopes, peaks, their slips and relaxation lengths must be above zero");
    if (!(t.sliding_slip[i] > t.peak_slip[i]))
      return refuse(setup, "it slides at less slip than that of the peak");
  }
  if (!(t.sliding > 0.0) || !(t.sliding <= 1.0))
    return refuse(setup, "sliding is above zero and at most 1");
  if (!(t.degression > 1.0) || !(t.degression <= 2.0))
    return refuse(setup, "degression is above 1 and at most 2");
  my_tyre *kept = malloc(sizeof *kept);
  if (!kept) return 1;
  *kept = t;
  *self = kept;
  return 0;
}

// What forces are at a load, over what they are at the nominal one: 1 there, `degression` at twice as much.
static double growth(const my_tyre *t, double load)
{
  const double bend = 1.0 - 0.5 * t->degression, vertex = (1.0 + bend) / (2.0 * bend);
  const double x = fmin(load / t->load, vertex);  // no vertex: infinite
  return x * (1.0 + bend - bend * x);
}

static double curve(const my_tyre *t, int i, double scale, double u)
{
  const double peak = scale * t->peak[i] * t->load, slide = t->sliding * peak;
  const double rise = scale * t->slope[i] * t->peak_slip[i] * u;
  if (u < 1.0) return rise / ((1.0 - u) * (1.0 - u) + rise / peak);
  const double w = fmin((u - 1.0) / (t->sliding_slip[i] / t->peak_slip[i] - 1.0), 1.0);
  return peak - (peak - slide) * w * w * (3.0 - 2.0 * w);
}

static void limits(const void *self, double load, double camber, jn_tyre_plugin_limits *r)
{
  const my_tyre *t = self;
  const double scale = growth(t, load);
  (void)camber;
  for (int i = 0; i < 2; i++) {
    r->stiffness[i] = scale * t->slope[i];
    r->friction[i] = scale * t->peak[i] * t->load / load;
    r->relaxation[i] = t->relaxation[i];
  }
}

static void forces(const void *self, const jn_tyre_plugin_slip *s, jn_tyre_plugin_forces *f,
                   double *out)
{
  const my_tyre *t = self;
  const double scale = growth(t, s->load);
  const double ux = s->kappa / t->peak_slip[0];
  const double uy = (s->tan_alpha + t->camber * sin(s->camber)) / t->peak_slip[1];
  const double u = sqrt(ux * ux + uy * uy);
  if (u > 0.0) {
    f->fx = curve(t, 0, scale, u) * (ux / u);
    f->fy = -curve(t, 1, scale, u) * (uy / u);
  }
  const double sticks = fmax(1.0 - u, 0.0), trail = t->trail * sticks * sticks * (1.0 + 2.0 * u);
  f->my = -t->rolling * t->radius * s->load * s->rolling;
  f->mz = -trail * s->forward * f->fy;
  out[0] = u;
  out[1] = trail;
}

static const jn_plugin_output outputs[] = {{"slip", "1", "both slips over those of the peaks"},
                                           {"trail", "m", "pneumatic trail"}};

const jn_tyre_plugin_table jounce_tyre_plugin = {.version = JN_PLUGIN_VERSION,
                                                 .parameter = parameters,
                                                 .nout = 2,
                                                 .output = outputs,
                                                 .init = init,
                                                 .limits = limits,
                                                 .forces = forces,
                                                 .free = free};
