// cost.c: floating-point operations of one evaluation of the equations of motion, estimated.
//
// For comparing formulations, bases and cuts of one model with each other, not with a clock: products
// and sums count one each, forces are left out because they cost the same everywhere. The formulas are
// derived in docs/topology.md.
#include <math.h>

#include "plan/topology/topology.h"

static double cube(double x)
{
  return x * x * x;
}

// Kinematics of a body and its joint, and turning its inertia: the same in all joint-space forms.
static const double BODY = 250.0;

static double chain_products(const jn_model *m)
{
  double sum = 0.0;  // composite inertia times axes, then projected on every axis down the path
  for (int v = 1; v < m->nnode; v++) sum += 66.0 * m->edge[m->parent_edge[v]].ncoord;
  return sum + 11.0 * m->nonzeros;
}

static double loop_rows(const jn_model *m, int subsystem)  // -1: of all
{
  double sum = 0.0;
  for (int i = 0; i < m->nloop; i++) {
    const jn_edge *e = &m->edge[m->loop[i].cut];
    if (subsystem < 0 || m->part[e->a] == subsystem || m->part[e->b] == subsystem)
      sum += 12.0 * e->nrow * m->loop[i].length;
  }
  return sum;
}

// Elimination of a subsystem onto k core coordinates: LU of its rows, its dependent coordinates as
// functions of the rest, its independent ones eliminated.
static double eliminate(double n, double rows, double k)
{
  double r = fmin(n, rows), free_count = n - r;
  return 2.0 / 3.0 * cube(r) + 2.0 * r * r * (free_count + k) + cube(free_count) / 3.0 +
         free_count * k * k;
}

static double core_coordinates(const jn_model *m)
{
  double n = 0.0;
  for (int v = 1; v < m->nnode; v++)
    if (m->core[v]) n += m->edge[m->parent_edge[v]].ncoord;
  return n;
}

// Of its loops, or articulated inertia handed from body to body.
static double elimination_of(const jn_subsystem *s, double core)
{
  return s->nrow ? eliminate(s->ncoord, s->nrow, fmin(core, 8.0)) : 280.0 * s->nbody;
}

double jn_cost_of_subsystem(const jn_model *m, int i)
{
  return BODY * m->subsystem[i].nbody + loop_rows(m, i) +
         elimination_of(&m->subsystem[i], core_coordinates(m));
}

void jn_costs_estimate(jn_model *m)
{
  double bodies = m->spec->nbody, n = m->ncoord, rows = m->nrow, core = core_coordinates(m);
  double core_rows = 0.0, parts = 0.0;
  double common = BODY * bodies + loop_rows(m, -1);
  m->cost.recursive = common + chain_products(m) + cube(n) / 3.0 + n * n * rows + n * rows * rows +
                      cube(rows) / 3.0;
  double free_count = fmax(0.0, n - rows);
  m->cost.independent = common + chain_products(m) + 2.0 / 3.0 * cube(rows) +
                        2.0 * rows * rows * free_count + 2.0 * n * n * free_count +
                        cube(free_count) / 3.0;
  for (int i = 0; i < m->nsubsystem; i++) parts += elimination_of(&m->subsystem[i], core);
  for (int i = 0; i < m->nloop; i++) {
    const jn_edge *e = &m->edge[m->loop[i].cut];
    if (m->core[e->a] && m->core[e->b]) core_rows += e->nrow;
  }
  m->cost.subsystem = common + parts + cube(core + core_rows) / 3.0;
  double joint_rows = 0.0;
  for (int e = 0; e < m->nfile_edge; e++) joint_rows += m->edge[e].nrow;
  m->cost.cartesian = 300.0 * bodies + 400.0 * joint_rows;  // sparse, a few entries a row
}
