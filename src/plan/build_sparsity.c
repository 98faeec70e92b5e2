// build_sparsity.c: where numbers of the core's matrices can differ from zero.
//
// The mass matrix is factorised as L' L, from the last coordinate to the first. Eliminating a coordinate couples all
// that it is coupled to, which makes a tree of the coordinates: L has numbers on a coordinate's path to the
// root and nowhere else [Liu90]. Of a mechanism without blocks this is the way to the ground, on which
// composite inertia couples everything to begin with: nothing is filled in [Fea08 ch. 6.5].
#include <string.h>

#include "plan/build.h"

typedef struct coupling {  // of two coordinates of the core
  int outer, inner;        // outer > inner
} coupling;

// The last coordinate at or inside of a body, -1: none up to the ground.
static int column_at(const jn_system *s, int body)
{
  for (; body >= s->nframe; body = s->body[body].parent)
    if (s->joint[body].nv) return s->core_column[body] + s->joint[body].nv - 1;
  return -1;
}

// Each coordinate with the next one inwards, and those that a block ends on with each other.
static int list_couplings(const jn_system *s, coupling *out)
{
  int n = 0;
  for (int k = 0; k < s->ncore_body; k++) {
    const int i = s->core_body[k], first = s->core_column[i];
    const int inner = s->joint[i].kind == JN_TREE_BASE ? -1 : column_at(s, s->body[i].parent);
    for (int m = 0; m < s->joint[i].nv; m++)
      if (m || inner >= 0) out[n++] = (coupling){first + m, m ? first + m - 1 : inner};
  }
  for (int b = 0; b < s->nblock; b++) {
    const jn_block *k = &s->block[b];
    for (int g = 1; g < k->ncore; g++)
      for (int h = 0; h < g; h++) {
        const int outer = column_at(s, k->core[g]), inner = column_at(s, k->core[h]);
        if (outer > inner && inner >= 0) out[n++] = (coupling){outer, inner};
        if (inner > outer && outer >= 0) out[n++] = (coupling){inner, outer};
      }
  }
  return n;
}

// Parents in the tree of elimination [Liu90 alg. 4.2]; `root` is where paths end so far, with shortcuts.
static void find_parents(int n, int ncoupling, const coupling *c, int *parent, int *root)
{
  for (int i = 0; i < n; i++) parent[i] = root[i] = -1;
  for (int i = n - 1; i >= 0; i--)
    for (int k = 0; k < ncoupling; k++) {
      if (c[k].inner != i) continue;
      int j = c[k].outer;
      while (root[j] >= 0 && root[j] != i) {
        const int next = root[j];
        root[j] = i;
        j = next;
      }
      if (root[j] < 0 && j != i) root[j] = parent[j] = i;
    }
}

static jn_status set_paths(jn_system *s, jn_error *err)
{
  int most = s->ncore;
  for (int b = 0; b < s->nblock; b++) most += s->block[b].ncore * s->block[b].ncore;
  coupling *c = jn_build_array(s, most, sizeof *c);
  int *parent = jn_build_array(s, s->ncore, sizeof *parent);
  int *root = jn_build_array(s, s->ncore, sizeof *root);
  s->core_depth = jn_build_array(s, s->ncore, sizeof(int));
  s->core_first = jn_build_array(s, s->ncore + 1, sizeof(int));
  if (!c || !parent || !root || !s->core_depth || !s->core_first) return jn_build_no_memory(s, err);
  find_parents(s->ncore, list_couplings(s, c), c, parent, root);
  for (int i = 0; i < s->ncore; i++) {
    s->core_depth[i] = parent[i] < 0 ? 1 : s->core_depth[parent[i]] + 1;
    s->core_first[i + 1] = s->core_first[i] + s->core_depth[i];
  }
  s->core_path = jn_build_array(s, s->core_first[s->ncore], sizeof(int));
  if (!s->core_path) return jn_build_no_memory(s, err);
  for (int i = 0; i < s->ncore; i++) {
    int *path = s->core_path + s->core_first[i];
    if (parent[i] >= 0)
      memcpy(path, s->core_path + s->core_first[parent[i]],
             (size_t)s->core_depth[parent[i]] * sizeof *path);
    path[s->core_depth[i] - 1] = i;
  }
  return JN_OK;
}

// Rows of a cut joint touch coordinates on the way from one body to the other; J L^-1 has numbers on both paths to the root.
static jn_status set_support(jn_system *s, const jn_cut *cut, jn_support *u, jn_error *err)
{
  const int a = column_at(s, cut->a), b = column_at(s, cut->b);
  const int *path_a = a < 0 ? NULL : s->core_path + s->core_first[a];
  const int *path_b = b < 0 ? NULL : s->core_path + s->core_first[b];
  const int depth_a = a < 0 ? 0 : s->core_depth[a], depth_b = b < 0 ? 0 : s->core_depth[b];
  u->common = 0;
  while (u->common < depth_a && u->common < depth_b && path_a[u->common] == path_b[u->common])
    u->common++;
  u->a = depth_a - u->common;
  u->n = depth_a + depth_b - u->common;
  u->column = jn_build_array(s, u->n, sizeof *u->column);
  if (!u->column) return jn_build_no_memory(s, err);
  for (int i = 0; i < depth_a; i++) u->column[i] = path_a[i];
  for (int i = depth_a; i < u->n; i++) u->column[i] = path_b[i - u->a];
  return JN_OK;
}

jn_status jn_build_sparsity(jn_system *s, jn_error *err)
{
  jn_status st = set_paths(s, err);
  s->core_support = jn_build_array(s, s->ncore_cut, sizeof *s->core_support);
  s->core_row_cut = jn_build_array(s, s->ncore_row, sizeof(int));
  s->core_row_first = jn_build_array(s, s->ncore_row + 1, sizeof(int));
  if (!s->core_support || !s->core_row_cut || !s->core_row_first) return jn_build_no_memory(s, err);
  int row = 0;
  for (int k = 0; k < s->ncore_cut && !st; k++) {
    const jn_cut *cut = &s->cut[s->core_cut[k]];
    st = set_support(s, cut, &s->core_support[k], err);
    for (int r = 0; r < cut->nrow; r++, row++) {
      s->core_row_cut[row] = k;
      s->core_row_first[row + 1] = s->core_row_first[row] + s->core_support[k].n;
    }
  }
  return st;
}
