#include "spec/spec_units.h"

#include <string.h>

#include "spec/names.h"

jn_source jn_source_si(const char *file)
{
  jn_source source = {.file = file};
  for (const jn_unit *u = jn_units; u->word; u++)  // the SI unit is the first of its dimension
    if (!source.unit[u->dimension]) source.unit[u->dimension] = u;
  return source;
}

static jn_status read_unit(jn_source *source, const jn_node *node, int dimension, jn_error *err)
{
  char path[32] = "units.", known[128] = "";
  strcat(path, jn_dimension_words[dimension]);
  for (const jn_unit *u = jn_units; u->word; u++) {
    if (u->dimension != dimension) continue;
    if (node->kind == JN_NODE_SCALAR && !strcmp(node->text, u->word)) {
      source->unit[dimension] = u;
      return JN_OK;
    }
    if (known[0]) strcat(known, ", ");
    strcat(known, u->word);
  }
  return jn_fail(err, JN_E_SCHEMA, jn_node_pos(node), path, "found %s, expected one of %s",
                 jn_shown(node).text, known);
}

static jn_status read_units(jn_source *source, const jn_node *units, jn_error *err)
{
  char shown[96];
  if (units->kind != JN_NODE_MAP)
    return jn_fail(err, JN_E_SCHEMA, jn_node_pos(units), "units",
                   "found %s, expected a mapping such as {length: mm, angle: deg}",
                   jn_shown(units).text);
  for (const jn_node *n = units->first; n; n = n->next) {
    int d = 0;
    while (d < JN_NDIM && strcmp(n->key, jn_dimension_words[d])) d++;
    if (d == JN_NDIM) {
      jn_quote(n->key, n->key_length, shown, sizeof shown);
      jn_nearest near = jn_nearest_to(shown);
      for (d = 0; d < JN_NDIM; d++) jn_nearest_try(&near, jn_dimension_words[d]);
      return jn_fail(err, JN_E_SCHEMA, jn_node_key_pos(n), "units", "has no key \"%s\"%s", shown,
                     jn_hint(&near).text);
    }
    jn_status st = read_unit(source, n, d, err);
    if (st) return st;
  }
  return JN_OK;
}

jn_status jn_source_read(jn_source *source, jn_node *root, jn_error *err)
{
  const jn_node *units = jn_node_find(root, "units"), *axes = jn_node_find(root, "axes");
  if (units) {
    jn_status st = read_units(source, units, err);
    if (st) return st;
    jn_node_remove(root, units);
  }
  if (axes) {
    const jn_word *w = jn_axes_words;
    while (w->word && (axes->kind != JN_NODE_SCALAR || strcmp(axes->text, w->word))) w++;
    if (!w->word)
      return jn_fail(err, JN_E_SCHEMA, jn_node_pos(axes), "axes",
                     "found %s, expected one of iso, sae, dads", jn_shown(axes).text);
    source->axes = (int)(w - jn_axes_words);
    jn_node_remove(root, axes);
  }
  return JN_OK;
}

double jn_to_si_over(const jn_source *source, jn_quantity y, jn_quantity x, int n, double value)
{
  double up = 1.0, down = 1.0;
  for (int d = 0; d < JN_NDIM; d++) {
    const jn_unit *u = source->unit[d];
    int power = jn_quantities[y].power[d] - n * jn_quantities[x].power[d];
    for (; power > 0; power--) up *= u->up, down *= u->down;
    for (; power < 0; power++) up *= u->down, down *= u->up;
  }
  return value * up / down;
}

double jn_to_si(const jn_source *source, jn_quantity quantity, double value)
{
  return jn_to_si_over(source, quantity, JN_Q_ONE, 0, value);
}

// Row i of a rotation from the file's axes to ISO: sign[i] times component from[i].
static const struct {
  int from[3];
  double sign[3];
} turns[] = {
    {{0, 1, 2}, {1, 1, 1}},    // ISO
    {{0, 1, 2}, {1, -1, -1}},  // SAE: half a turn about x
    {{1, 0, 2}, {1, -1, 1}},   // DADS: x is y, y is -x
};

void jn_axes_turn_vector(int axes, double v[3])
{
  if (axes == 0) return;  // leaves the sign of a zero alone
  double old[3] = {v[0], v[1], v[2]};
  for (int i = 0; i < 3; i++)  // + 0: no negative zero
    v[i] = turns[axes].sign[i] * old[turns[axes].from[i]] + 0.0;
}

void jn_axes_turn_inertia(int axes, double j[6])
{
  if (axes == 0) return;
  static const int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  double old[6];
  memcpy(old, j, sizeof old);
  for (int r = 0; r < 3; r++)
    for (int c = r; c < 3; c++)
      j[place[r][c]] = turns[axes].sign[r] * turns[axes].sign[c] *
                           old[place[turns[axes].from[r]][turns[axes].from[c]]] +
                       0.0;
}

// A q A⁻¹: the vector part of a quaternion turns like a vector, the scalar stays.
void jn_axes_turn_quaternion(int axes, double q[4])
{
  jn_axes_turn_vector(axes, q + 1);
}
