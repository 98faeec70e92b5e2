// block.c: a group of loops, eliminated onto the body that it hangs on and the core coordinates it touches
// [KiW sec. 2, 4].
//
// Coordinates x of the block are split in dependent u and independent v by the rows of its cut joints,
//
//   J_u u + J_v v + J_c c = gamma   =>   u = u0 + T (v, c),   T = -J_u^-1 (J_v, J_c)
//
// with c the core coordinates between the top and other core bodies that the block ends on. A unit of each z = (v, c)
// moves the bodies by screws K, relative to the top, and needs the momentum H = I K; so
//
//   D = sum K' H,   F = sum H
//
// are the block's mass matrix and its coupling to the top. Neither the mass matrix of x nor its products
// with J ever appear. Independent ones are then eliminated; (F, D) of c go to the core.
#include <string.h>

#include "solve/general/articulated.h"
#include "solve/general/dense_core.h"

static const v3 zero = {0, 0, 0};

// Motion of a member's or a core body's parent, relative to the top.
static sv of_parent(const jn_block *k, const sv *motion, int i)
{
  int p = k->parent[i];
  return p == -1 ? sv_make(zero, zero) : motion[p >= 0 ? p : k->nbody + (-2 - p)];
}

// ---- rows -----------------------------------------------------------------------------------------

// One end of a cut joint, i: from its body to the top, a column for each coordinate on the way.
static void end_columns(const jn_system *s, const jn_data *d, const jn_block *k, int i, sv w,
                        double sign, double *row)
{
  while (i >= 0) {
    const bool member = i < k->nbody;
    const jn_tree_joint *j = &s->joint[member ? k->body[i] : k->core[i - k->nbody]];
    const int column = member ? k->column[i] : k->n + k->column[i];
    for (int m = 0; m < j->nv; m++) row[column + m] += sign * sv_dot(d->s[j->v + m], w);
    const int p = k->parent[i];
    i = p == -1 ? -1 : p >= 0 ? p : k->nbody + (-2 - p);
  }
}

static void fill_rows(const jn_system *s, jn_data *d, const jn_block *k, jn_block_data *b)
{
  const size_t w = (size_t)(k->n + k->nc);
  memset(b->j, 0, (size_t)k->m * w * sizeof *b->j);
  for (int i = 0; i < k->ncut; i++) {
    const jn_cut *c = &s->cut[k->cut[i]];
    for (int r = 0; r < c->nrow; r++) {
      double *row = b->j + (size_t)(k->row[i] + r) * w;
      end_columns(s, d, k, k->end_b[i], d->row[c->row + r].b, 1.0, row);
      end_columns(s, d, k, k->end_a[i], d->row[c->row + r].a, -1.0, row);
    }
  }
}

static double scaled(const jn_block *k, const jn_block_data *b, int row, int column)
{
  return b->j[(size_t)row * (size_t)(k->n + k->nc) + (size_t)column] * k->row_scale[row] *
         k->column_scale[column];
}

// An order of rows and coordinates that is safe here: complete pivoting.
static void choose_order(jn_data *d, const jn_block *k, jn_block_data *b)
{
  for (int i = 0; i < k->m; i++)
    for (int j = 0; j < k->n; j++)
      b->trial[(size_t)i * (size_t)k->n + (size_t)j] = scaled(k, b, i, j);
  jn_pivots_choose(k->m, k->n, b->trial, 0.0, b->pivot, b->pick, b->chosen_pivot);
  d->events += *b->chosen;  // the first choice is none
}

// L U of the dependent columns, all numbers comparable.
static bool factor_rows(const jn_block *k, jn_block_data *b, const double *first)
{
  for (int i = 0; i < k->m; i++)
    for (int j = 0; j < k->m; j++) b->lu[i * k->m + j] = scaled(k, b, b->pivot[i], b->pick[j]);
  return jn_lu_fixed(k->m, b->lu, first);
}

static void keep_pivots(const jn_block *k, jn_block_data *b)
{
  for (int i = 0; i < k->m; i++) b->first[i] = __builtin_fabs(b->lu[i * k->m + i]);
}

// Replaces (rows of) a right-hand side in the order of `pivot` by dependent coordinates in the order of `pick`.
static void solve_rows(const jn_block *k, const jn_block_data *b, int columns, double *x)
{
  for (int i = 0; i < k->m; i++)
    for (int c = 0; c < columns; c++) x[i * columns + c] *= k->row_scale[b->pivot[i]];
  jn_lu_fixed_solve(k->m, b->lu, columns, x);
  for (int i = 0; i < k->m; i++)
    for (int c = 0; c < columns; c++) x[i * columns + c] *= k->column_scale[b->pick[i]];
}

// ---- factor -----------------------------------------------------------------------------------------

static void responses(const jn_system *s, jn_data *d, const jn_block *k, jn_block_data *b)
{
  const int nv = k->n - k->m, nz = nv + k->nc, nb = k->nbody + k->ncore;
  const size_t w = (size_t)(k->n + k->nc);
  for (int i = 0; i < k->m; i++) {
    const double *row = b->j + (size_t)b->pivot[i] * w;
    for (int z = 0; z < nv; z++) b->t[i * nz + z] = -row[b->pick[k->m + z]];
    for (int z = 0; z < k->nc; z++) b->t[i * nz + nv + z] = -row[k->n + z];
  }
  solve_rows(k, b, nz, b->t);
  for (int z = 0; z < nz; z++) {
    double *x = b->rhs;  // coordinates per unit of z
    memset(x, 0, (size_t)(k->n + k->nc) * sizeof *x);
    for (int i = 0; i < k->m; i++) x[b->pick[i]] = b->t[i * nz + z];
    x[z < nv ? b->pick[k->m + z] : k->n + z - nv] = 1.0;
    sv *motion = b->k + (size_t)z * (size_t)nb;
    for (int l = 0; l < nb; l++) {
      const int g = k->order[l];
      const bool member = g < k->nbody;
      const jn_tree_joint *j = &s->joint[member ? k->body[g] : k->core[g - k->nbody]];
      const int column = member ? k->column[g] : k->n + k->column[g];
      sv v = of_parent(k, motion, g);
      for (int m = 0; m < j->nv; m++) v = sv_axpy(x[column + m], d->s[j->v + m], v);
      motion[g] = v;
    }
  }
}

void jn_block_factor(const jn_system *s, jn_data *d, int i)
{
  const jn_block *k = &s->block[i];
  jn_block_data *b = &d->block[i];
  const int nv = k->n - k->m, nz = nv + k->nc, nb = k->nbody + k->ncore;
  fill_rows(s, d, k, b);
  if (!*b->chosen || !factor_rows(k, b, b->first)) {
    choose_order(d, k, b);
    factor_rows(k, b, NULL);
    keep_pivots(k, b);
    *b->chosen = true;
  }
  responses(s, d, k, b);
  ai sum = {0};
  for (int g = 0; g < k->nbody; g++) sum = ai_add(sum, d->articulated[k->body[g]]);
  for (int z = 0; z < nz; z++) {
    sv f = sv_make(zero, zero);
    for (int g = 0; g < k->nbody; g++) {
      sv h = ai_mul(d->articulated[k->body[g]], b->k[z * nb + g]);
      b->h[z * k->nbody + g] = h;
      f = sv_add(f, h);
    }
    b->f[z] = f;
    for (int y = 0; y <= z; y++) {
      double x = 0.0;
      for (int g = 0; g < k->nbody; g++) x += sv_dot(b->k[y * nb + g], b->h[z * k->nbody + g]);
      b->d[z * nz + y] = b->d[y * nz + z] = x;
    }
  }
  // Independent ones eliminated: factors in place, D_vv^-1 of couplings beside them.
  jn_chol_plain(nv, b->d, nz);
  for (int c = 0; c < k->nc; c++) {
    for (int v = 0; v < nv; v++) b->rhs[v] = b->d[(nv + c) * nz + v];
    jn_chol_forward(nv, b->d, nz, b->rhs);
    jn_chol_backward(nv, b->d, nz, b->rhs);
    for (int v = 0; v < nv; v++) b->dc[v * k->nc + c] = b->rhs[v];
  }
  for (int v = 0; v < nv; v++) {
    sv wv = b->f[v];
    for (int l = 0; l < v; l++) wv = sv_axpy(-b->d[v * nz + l], b->fv[l], wv);
    b->fv[v] = sv_scale(1.0 / b->d[v * nz + v], wv);  // L^-1 F'
    sum = ai_less_outer(sum, b->fv[v], b->fv[v]);
  }
  d->articulated[k->top] = ai_add(d->articulated[k->top], sum);
}

// ---- solve -----------------------------------------------------------------------------------------

static sv end_bias(const sv *beta, int i)
{
  return i < 0 ? sv_make(zero, zero) : beta[i];
}

void jn_block_backward(const jn_system *s, jn_data *d, int i)
{
  const jn_block *k = &s->block[i];
  jn_block_data *b = &d->block[i];
  const int nv = k->n - k->m, nz = nv + k->nc, nb = k->nbody + k->ncore;
  // Accelerations with z at rest: first what joints carry, from which rows take what is left to do.
  for (int l = 0; l < nb; l++) {
    const int g = k->order[l];
    b->beta[g] = sv_add(of_parent(k, b->beta, g),
                        d->carry[g < k->nbody ? k->body[g] : k->core[g - k->nbody]]);
  }
  for (int r = 0; r < k->m; r++) {
    const int row = b->pivot[r];
    const int cut = k->cut_of_row[row], global = k->global_row[row];
    b->rhs[r] = d->gamma[global] - sv_dot(end_bias(b->beta, k->end_b[cut]), d->row[global].b) +
                sv_dot(end_bias(b->beta, k->end_a[cut]), d->row[global].a);
  }
  solve_rows(k, b, 1, b->rhs);
  memset(b->x0, 0, (size_t)k->n * sizeof *b->x0);
  for (int r = 0; r < k->m; r++) b->x0[b->pick[r]] = b->rhs[r];
  for (int l = 0; l < nb; l++) {
    const int g = k->order[l];
    const bool member = g < k->nbody;
    const int body = member ? k->body[g] : k->core[g - k->nbody];
    const jn_tree_joint *j = &s->joint[body];
    sv a = sv_add(of_parent(k, b->beta, g), d->carry[body]);
    if (member)
      for (int m = 0; m < j->nv; m++) a = sv_axpy(b->x0[k->column[g] + m], d->s[j->v + m], a);
    b->beta[g] = a;
  }
  // Wrenches, and what they are on each z.
  sv sum = sv_make(zero, zero);
  double *q = b->rhs;
  for (int z = 0; z < nz; z++) q[z] = 0.0;
  for (int g = 0; g < k->nbody; g++) {
    sv p = sv_add(d->push[k->body[g]], ai_mul(d->articulated[k->body[g]], b->beta[g]));
    sum = sv_add(sum, p);
    for (int z = 0; z < nz; z++) q[z] -= sv_dot(b->k[z * nb + g], p);
  }
  for (int g = 0; g < k->nbody; g++) {
    const jn_tree_joint *j = &s->joint[k->body[g]];
    for (int m = 0; m < j->nv; m++) b->x_load[k->column[g] + m] = d->load[j->v + m];
  }
  for (int z = 0; z < nv; z++) q[z] += b->x_load[b->pick[k->m + z]];
  for (int r = 0; r < k->m; r++)
    for (int z = 0; z < nz; z++) q[z] = r_fma(b->t[r * nz + z], b->x_load[b->pick[r]], q[z]);
  memcpy(b->y, q, (size_t)nv * sizeof *b->y);
  jn_chol_forward(nv, b->d, nz, b->y);
  for (int v = 0; v < nv; v++) sum = sv_axpy(b->y[v], b->fv[v], sum);
  jn_chol_backward(nv, b->d, nz, b->y);
  d->push[k->top] = sv_add(d->push[k->top], sum);
  int x = 0;
  for (int g = 0; g < k->ncore; g++)
    for (int m = 0; m < s->joint[k->core[g]].nv; m++, x++) {
      double left = q[nv + x];
      for (int v = 0; v < nv; v++) left = r_fma(-b->d[(nv + x) * nz + v], b->y[v], left);
      d->load[s->joint[k->core[g]].v + m] += left;
    }
}

void jn_block_forward(const jn_system *s, jn_data *d, int i)
{
  const jn_block *k = &s->block[i];
  jn_block_data *b = &d->block[i];
  const int nv = k->n - k->m, nz = nv + k->nc;
  const sv top = d->accel[k->top];
  double *z = b->rhs;
  int x = 0;
  for (int g = 0; g < k->ncore; g++)
    for (int m = 0; m < s->joint[k->core[g]].nv; m++, x++)
      z[nv + x] = d->qdd[s->joint[k->core[g]].v + m];
  // v = D_vv^-1 (Q_v - F_v' A_top) - D_vv^-1 D_vc c
  for (int v = 0; v < nv; v++) z[v] = -sv_dot(top, b->fv[v]);
  jn_chol_backward(nv, b->d, nz, z);
  for (int v = 0; v < nv; v++) {
    z[v] += b->y[v];
    for (int c = 0; c < k->nc; c++) z[v] = r_fma(-b->dc[v * k->nc + c], z[nv + c], z[v]);
  }
  double *xs = b->x_load;
  for (int r = 0; r < k->m; r++) {
    double u = b->x0[b->pick[r]];
    for (int l = 0; l < nz; l++) u = r_fma(b->t[r * nz + l], z[l], u);
    xs[b->pick[r]] = u;
  }
  for (int v = 0; v < nv; v++) xs[b->pick[k->m + v]] = z[v];
  for (int g = 0; g < k->nbody; g++) {
    const jn_tree_joint *j = &s->joint[k->body[g]];
    for (int m = 0; m < j->nv; m++) d->qdd[j->v + m] = xs[k->column[g] + m];
    sv a = sv_add(d->accel[s->body[k->body[g]].parent], d->carry[k->body[g]]);
    for (int m = 0; m < j->nv; m++) a = sv_axpy(d->qdd[j->v + m], d->s[j->v + m], a);
    d->accel[k->body[g]] = a;
  }
}

// ---- what others take of it -----------------------------------------------------------------------

sv jn_block_coupling(const jn_block *k, const jn_block_data *b, int x)
{
  const int nv = k->n - k->m;
  sv f = b->f[nv + x];
  for (int v = 0; v < nv; v++) f = sv_axpy(-b->dc[v * k->nc + x], b->f[v], f);
  return f;
}

double jn_block_inertia(const jn_block *k, const jn_block_data *b, int x, int y)
{
  const int nv = k->n - k->m, nz = nv + k->nc;
  double sum = b->d[(nv + x) * nz + nv + y];
  for (int v = 0; v < nv; v++) sum = r_fma(-b->d[(nv + x) * nz + v], b->dc[v * k->nc + y], sum);
  return sum;
}

static void put_members(const jn_system *s, const jn_block *k, const double *x, double *v)
{
  for (int g = 0; g < k->nbody; g++) {
    const jn_tree_joint *j = &s->joint[k->body[g]];
    memcpy(v + j->v, x + k->column[g], (size_t)j->nv * sizeof *v);
  }
}

void jn_block_rest(const jn_system *s, jn_data *d, int i, double *v)
{
  const jn_block *k = &s->block[i];
  jn_block_data *b = &d->block[i];
  for (int g = 0; g < k->nbody; g++) {
    const jn_tree_joint *j = &s->joint[k->body[g]];
    memcpy(b->x_load + k->column[g], v + j->v, (size_t)j->nv * sizeof *v);
  }
  for (int r = 0; r < k->m; r++) b->x_load[b->pick[r]] = 0.0;
  put_members(s, k, b->x_load, v);
}

void jn_block_follow(const jn_system *s, jn_data *d, int i, const double *open, double *change)
{
  const jn_block *k = &s->block[i];
  jn_block_data *b = &d->block[i];
  for (int r = 0; r < k->m; r++) b->rhs[r] = -open[k->global_row[b->pivot[r]]];
  solve_rows(k, b, 1, b->rhs);
  memset(b->x_load, 0, (size_t)k->n * sizeof *b->x_load);
  for (int r = 0; r < k->m; r++) b->x_load[b->pick[r]] = b->rhs[r];
  put_members(s, k, b->x_load, change);
}

// J_u' lambda = what is unbalanced at the dependent coordinates.
void jn_block_multipliers(const jn_system *s, jn_data *d, int i, const double *unbalanced)
{
  const jn_block *k = &s->block[i];
  jn_block_data *b = &d->block[i];
  for (int g = 0; g < k->nbody; g++) {
    const jn_tree_joint *j = &s->joint[k->body[g]];
    for (int m = 0; m < j->nv; m++) b->x_load[k->column[g] + m] = unbalanced[j->v + m];
  }
  for (int r = 0; r < k->m; r++) b->rhs[r] = b->x_load[b->pick[r]] * k->column_scale[b->pick[r]];
  jn_lu_fixed_solve_transposed(k->m, b->lu, b->rhs);
  for (int r = 0; r < k->m; r++)
    d->lambda[k->global_row[b->pivot[r]]] = b->rhs[r] * k->row_scale[b->pivot[r]];
}
