// path_cost.c: instructions of a step, estimated from the operation lists, and what would make a vehicle cheaper.
//
// Each operation has a price that follows from its arguments: how many coordinates a row has, how many columns a body moves with.
// The prices were fitted to counts of callgrind on AVX2, one evaluation in a step: within a factor of 1.5 of them on the shipped
// vehicles (test/fast/test_path_cost.c). They are for comparing parts of a vehicle with each other, not for a clock.
#include <math.h>

#include "run/run_internal.h"
#include "solve/fast/fast.h"

static double cube(double x)
{
  return x * x * x;
}

static double cost_of_factor(double m, double nz)
{
  return 20.0 + 1.1 * cube(m) + 2.2 * m * m * nz;
}

static double cost_of_eliminate(double nv, double ns)
{
  return 90.0 + nv * (90.0 + 15.0 * ns) + 20.0 * nv * nv + 12.0 * ns * ns;
}

static double cost_of_wheel(jn_tyre_kind kind)
{
  return kind == JN_TYRE_MAGIC_FORMULA ? 3000.0 : kind == JN_TYRE_CARPET ? 3200.0 : 600.0;
}

// An operation with arguments that the compiler knows.
static double cost_of(const lane_op *o)
{
  const int *a = o->arg;
  switch ((lane_kind)o->kind) {
    case LANE_JOINT:
      return (a[4] >= 0 ? 170.0 : 95.0) * (a[0] == JN_JOINT_UNIVERSAL ? 1.7 : 1.0);
    case LANE_POINT:
      return 30.0 + 15.0 * a[14];
    case LANE_DISTANCE:
      return 40.0 + 13.0 * a[12];
    case LANE_ALONG:
      return 40.0 + 12.0 * a[13];
    case LANE_BETWEEN:
      return 30.0 + 8.0 * a[9];
    case LANE_POINT_BIAS:
    case LANE_DISTANCE_BIAS:
    case LANE_ALONG_BIAS:
    case LANE_BETWEEN_BIAS:
      return 80.0;
    case LANE_FACTOR:
      return cost_of_factor(a[0], a[1]);
    case LANE_SOLVE:
      return 8.0 + 1.2 * a[0] * a[0] * a[7];
    case LANE_DEPENDENT_VELOCITIES:
      return 4.0 + 2.0 * (a[0] + a[1]) + 1.5 * a[4] * (a[5] + 2);
    case LANE_BODY_MOTION:
      return 10.0 + 18.0 * a[5];
    case LANE_MOTIONS:
      return 10.0 + 11.0 * a[0] * a[1];
    case LANE_RATES:
    case LANE_CORRECT:
      return 8.0 * a[0];
    case LANE_WRAP:
    case LANE_UNIT:
      return 10.0 * a[0];
    case LANE_ZERO:
      return a[1];
    case LANE_WHEEL:
      return cost_of_wheel((jn_tyre_kind)a[0]);
    case LANE_HINGED:
      return 250.0 + 35.0 * a[11];
    case LANE_BODY:
      return 310.0 + 105.0 * a[13];
    case LANE_ELIMINATE:
      return cost_of_eliminate(a[0], a[1]);
    case LANE_ACCELERATION:
      return 10.0 * a[0];
    case LANE_ELEMENT_BUSHING:
      return 320.0;
    case LANE_ELEMENT_RSDA:
    case LANE_ELEMENT_SERVO:
      return 60.0;
    default:  // a force element
      return 150.0;
  }
}

double jn_path_cost_group(const jn_system *s, const lane_group *g)
{
  double sum = 150.0;  // summed over lanes, handed on
  const double width = s->lane->engine->width == 1 ? 0.9 * g->lanes : 1.0;
  for (int p = 0; p < LANE_ROW; p++) {
    const bool twice = p == LANE_POSE && g->nop[LANE_CORRECTIONS];
    for (int i = 0; i < g->nop[p]; i++) {
      const double own = cost_of(&g->op[p][i]);
      sum += (twice ? 2.0 : 1.0) * width * (g->compiled[p] >= 0 ? own : 1.6 * own + 25.0);
    }
  }
  return sum;
}

double jn_path_cost_ungrouped(const jn_system *s, int i)
{
  const lane_ungrouped *k = &s->lane->ungrouped[i];
  if (k->wheel >= 0) return 3000.0;
  if (k->subsystem >= 0) return 900.0;  // whose bodies' poses are there
  return k->core >= 0 ? 250.0 : 2700.0;
}

// As the general path has it, with its elements.
double jn_path_cost_subsystem(const jn_system *s, int i)
{
  const lane_subsystem *k = &s->lane->subsystem[i];
  double sum = 21.0 * jn_cost_of_subsystem(s->model, k->subsystem);
  for (int e = 0; e < s->lane->nungrouped; e++)
    if (s->lane->ungrouped[e].subsystem == i) sum += jn_path_cost_ungrouped(s, e);
  return sum;
}

// The core of the rest: bodies, and matrices over its coordinates, more of them where it has loops.
static double cost_of_general_core(const jn_system *s)
{
  const double n = s->ncore, matrices = s->lane->rest.part.partition ? 110.0 : 10.0;
  return 5000.0 * s->lane->ncore + matrices * n * n;
}

// What bodies and integrator take beside groups, ungrouped subsystems and elements.
static double cost_of_core(const jn_system *s)
{
  const jn_lane *l = s->lane;
  double sum = 1500.0 + 9.0 * jn_lane_size(l);
  if (jn_lane_has_rest(l)) return sum + cost_of_general_core(s);
  for (int i = 0; i < l->ncore; i++)
    sum += l->core[i].laned ? 15.0 : l->core[i].kind == JN_TREE_BASE ? 700.0 : 450.0;
  for (int i = 0; i < l->nset; i++)
    if (l->set[i].several) sum += 150.0 + 120.0 * l->set[i].n + 20.0 * l->set[i].n * l->set[i].n;
  return sum;
}

double jn_path_cost(const jn_system *s)
{
  if (!s->lane) return 21.0 * s->model->cost.subsystem;
  double sum = cost_of_core(s);
  for (int g = 0; g < s->lane->ngroup; g++) sum += jn_path_cost_group(s, &s->lane->group[g]);
  for (int i = 0; i < s->lane->nsubsystem; i++) sum += jn_path_cost_subsystem(s, i);
  for (int i = 0; i < s->lane->nungrouped; i++)
    if (s->lane->ungrouped[i].subsystem < 0) sum += jn_path_cost_ungrouped(s, i);
  return sum;
}

// ---- advice -----------------------------------------------------------------------------------------

// Is there another group with room for it, but for its shape?
static bool has_other(const jn_lane *l, const lane_group *own)
{
  for (int g = 0; g < l->ngroup; g++)
    if (&l->group[g] != own && l->group[g].subsystem[0] >= 0 && l->group[g].parent == own->parent &&
        l->group[g].lanes + own->lanes <= LANES)
      return true;
  return false;
}

const char *jn_path_advice(const jn_system *s, const lane_group *g)
{
  int listed = 0;
  for (int p = 0; p < LANE_ROW; p++) listed += g->compiled[p] < 0 && g->nop[p] > 0;
  if (g->subsystem[0] >= 0 && g->lanes <= LANES / 2 && has_other(s->lane, g))
    return "corners alike in bodies, joints and kinds of force elements would share one group, "
           "which costs as much as this one";
  if (g->nrow > 8)
    return "its loops are factored as one: a sprung link in place of a rigid one leaves fewer rows";
  if (listed > 2 && s->binding.opts.path == JN_PATH_AUTO)
    return "it is of no precompiled shape: operation lists run one operation after the other take "
           "half as much again";
  return NULL;
}

// Beside others of its shape it would fill a lane that is computed anyway, if one is left; a group of its own costs less too.
const char *jn_path_advice_ungrouped(const jn_system *s, int i)
{
  const jn_subsystem *list = s->model->subsystem, *own = &list[s->lane->subsystem[i].subsystem];
  for (int g = 0; g < s->lane->ngroup; g++) {
    const lane_group *k = &s->lane->group[g];
    if (k->subsystem[0] >= 0 && list[k->subsystem[0]].shape == own->shape && k->lanes < LANES)
      return "there is a free lane beside others of its shape, which would compute it at no cost "
             "of its own";
  }
  return "in lanes it would cost less than half of that";
}
