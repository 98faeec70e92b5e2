// value.c: single values of a file: numbers, vectors, names, curves.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/decimal.h"
#include "jounce/plugin.h"
#include "spec/scenario_schema.h"
#include "spec/spec_reader.h"
#include "spec/spec_units.h"

static const double FARTHEST = 1e8;  // [m]: farther away, a double no longer holds a micrometre

static const double MOST_FRICTION = 10.0;  // of a road, relative to the tyre's own

jn_status jn_expected(jn_reader *r, const jn_node *node, const char *what)
{
  return JN_READ_FAIL(r, JN_E_SCHEMA, node, "found %s, expected %s", jn_shown(node).text, what);
}

// ---- numbers ----------------------------------------------------------------------------------

bool jn_is_number(const jn_node *node)
{
  return node->kind == JN_NODE_SCALAR && !node->quoted && node->length <= JN_DECIMAL_LONGEST &&
         jn_is_decimal(node->text);
}

// What a quantity of the joint at hand stands for.
static jn_quantity quantity_of(const jn_reader *r, jn_quantity q)
{
  switch (q) {
    case JN_Q_JOINT_VALUE:
      return r->turning ? JN_Q_ANGLE : JN_Q_LENGTH;
    case JN_Q_JOINT_SPEED:
      return r->turning ? JN_Q_RATE : JN_Q_SPEED;
    case JN_Q_JOINT_STIFFNESS:
      return r->turning ? JN_Q_TURN_STIFFNESS : JN_Q_STIFFNESS;
    case JN_Q_JOINT_DAMPING:
      return r->turning ? JN_Q_TURN_DAMPING : JN_Q_DAMPING;
    default:
      return q;
  }
}

static jn_status read_number(jn_reader *r, const jn_node *node, jn_quantity quantity, double *out)
{
  if (!jn_is_number(node)) {
    static const char *const not_finite[] = {"nan",  "inf",   "-inf",  "+inf",     ".nan",
                                             ".inf", "-.inf", "+.inf", "infinity", "-infinity"};
    char small[12] = "";
    if (node->kind == JN_NODE_SCALAR && node->length < sizeof small)
      for (size_t i = 0; i < node->length; i++) small[i] = (char)(node->text[i] | 0x20);
    for (size_t i = 0; i < sizeof not_finite / sizeof *not_finite; i++)
      if (!strcmp(small, not_finite[i])) return jn_expected(r, node, "a finite number");
    return jn_expected(
        r, node,
        node->kind == JN_NODE_SCALAR && node->quoted ? "a number (without quotes)" : "a number");
  }
  double value = jn_to_si(node->source, quantity_of(r, quantity), jn_decimal(node->text));
  if (!isfinite(value)) return jn_expected(r, node, "a number that a double can hold");
  if (quantity == JN_Q_LENGTH && fabs(value) > FARTHEST)
    return jn_expected(r, node, "a length below 100,000 km");
  *out = value;
  return JN_OK;
}

static jn_status check_range(jn_reader *r, const jn_node *node, jn_range range, double value)
{
  const char *must = range == JN_R_ABOVE_ZERO && !(value > 0.0)      ? "above zero"
                     : range == JN_R_NOT_NEGATIVE && !(value >= 0.0) ? "zero or above"
                     : range == JN_R_NOT_ZERO && value == 0.0        ? "other than zero"
                                                                     : NULL;
  if (must) return JN_READ_FAIL(r, JN_E_RANGE, node, "is %s, must be %s", node->text, must);
  return JN_OK;
}

static jn_status read_ranged(jn_reader *r, const jn_node *node, const jn_field *field, double *out)
{
  jn_status st = read_number(r, node, field->quantity, out);
  return st ? st : check_range(r, node, field->range, *out);
}

// A list of `n` numbers.
static jn_status read_numbers(jn_reader *r, const jn_node *node, jn_quantity quantity, int n,
                              const char *what, double *out)
{
  if (node->kind != JN_NODE_LIST || node->count != n) return jn_expected(r, node, what);
  for (const jn_node *child = node->first; child; child = child->next) {
    jn_status st = read_number(r, child, quantity, out++);
    if (st) return st;
  }
  return JN_OK;
}

static bool is_word(const jn_node *node, const char *word)
{
  return node->kind == JN_NODE_SCALAR && !strcmp(node->text, word);  // in quotes, too: JSON
}

// Quantities of x and y of a curve or a polynomial.
static void curve_quantities(const jn_reader *r, jn_quantity q, jn_quantity *x, jn_quantity *y)
{
  static const struct {
    jn_quantity x, y;
  } of[JN_NQUANTITY] = {[JN_Q_FORCE_OVER_LENGTH] = {JN_Q_LENGTH, JN_Q_FORCE},
                        [JN_Q_FORCE_PER_LENGTHS] = {JN_Q_LENGTH, JN_Q_FORCE},
                        [JN_Q_FORCE_OVER_SPEED] = {JN_Q_SPEED, JN_Q_FORCE},
                        [JN_Q_FORCE_PER_SPEEDS] = {JN_Q_SPEED, JN_Q_FORCE},
                        [JN_Q_FORCE_OVER_ANGLE] = {JN_Q_ANGLE, JN_Q_FORCE},
                        [JN_Q_FORCE_OVER_SLIP] = {JN_Q_ONE, JN_Q_FORCE},
                        [JN_Q_TORQUE_OVER_ANGLE] = {JN_Q_ANGLE, JN_Q_TORQUE},
                        [JN_Q_TORQUE_PER_ANGLES] = {JN_Q_ANGLE, JN_Q_TORQUE},
                        [JN_Q_TORQUE_OVER_RATE] = {JN_Q_RATE, JN_Q_TORQUE},
                        [JN_Q_TORQUE_PER_RATES] = {JN_Q_RATE, JN_Q_TORQUE},
                        [JN_Q_ANGLE_OVER_FORCE] = {JN_Q_FORCE, JN_Q_ANGLE},
                        [JN_Q_ANGLE_OVER_TORQUE] = {JN_Q_TORQUE, JN_Q_ANGLE},
                        [JN_Q_INPUT_OVER_TIME] = {JN_Q_TIME, JN_Q_INPUT},
                        [JN_Q_JOINT_VALUE_OVER_TIME] = {JN_Q_TIME, JN_Q_JOINT_VALUE}};
  *x = of[q].x;
  *y = quantity_of(r, of[q].y);
}

// Coefficients of x, x², ...: force over x to the power of their place.
static jn_status read_coefficients(jn_reader *r, const jn_node *node, jn_quantity quantity,
                                   jn_numbers *out)
{
  jn_quantity x, y;
  curve_quantities(r, quantity, &x, &y);
  if (node->kind != JN_NODE_LIST || node->count < 1 || node->count > JN_NUMBERS_MOST)
    return jn_expected(r, node, "a list of 1 to 8 numbers");
  for (const jn_node *n = node->first; n; n = n->next) {
    double value;
    jn_status st = read_number(r, n, JN_Q_ONE, &value);
    if (st) return st;
    value = jn_to_si_over(n->source, y, x, out->n + 1, value);
    out->v[out->n++] = value;
    if (!isfinite(value)) return jn_expected(r, n, "a number that a double can hold");
  }
  return JN_OK;
}

// ---- vectors ----------------------------------------------------------------------------------

jn_status jn_read_vector(jn_reader *r, const jn_node *node, jn_quantity quantity, double out[3])
{
  jn_status st = read_numbers(r, node, quantity, 3, "three numbers [x, y, z]", out);
  if (!st) jn_axes_turn_vector(node->source->axes, out);
  return st;
}

static jn_status read_point(jn_reader *r, const jn_node *node, double out[3])
{
  if (node->kind != JN_NODE_SCALAR) return jn_read_vector(r, node, JN_Q_LENGTH, out);
  if (jn_is_decimal(node->text) || node->length == 0)
    return jn_expected(r, node, "a point [x, y, z] or the name of one in points");
  int i = jn_names_find(&r->points, node->text, node->length);
  if (i < 0) {
    jn_nearest near = jn_nearest_to(node->text);
    for (int k = 0; k < r->points.count; k++) jn_nearest_try(&near, r->point_name[k]);
    return JN_READ_FAIL(r, JN_E_SCHEMA, node, "there is no point %s%s", jn_shown(node).text,
                        jn_hint(&near).text);
  }
  memcpy(out, r->point[i], sizeof r->point[i]);
  return JN_OK;
}

static jn_status read_axis(jn_reader *r, const jn_node *node, double out[3])
{
  jn_status st = jn_read_vector(r, node, JN_Q_ONE, out);
  if (st) return st;
  double size = fmax(fabs(out[0]), fmax(fabs(out[1]), fabs(out[2])));
  if (!(size > 1e-100 && size < 1e100))
    return JN_READ_FAIL(r, JN_E_RANGE, node, "is %s, expected a direction",
                        size == 0.0  ? "zero"
                        : size < 1.0 ? "too short"
                                     : "too long");
  return JN_OK;
}

// One, or a list of two: [1, 2, 3], name, [[1, 2, 3], [4, 5, 6]], [name, [1, 2, 3]].
static jn_status read_one_or_two(jn_reader *r, const jn_node *node,
                                 jn_status (*read)(jn_reader *, const jn_node *, double *),
                                 jn_vectors *out)
{
  if (node->kind == JN_NODE_LIST && node->count == 2) {
    out->n = 2;
    jn_status st = read(r, node->first, out->v[0]);
    return st ? st : read(r, node->last, out->v[1]);
  }
  out->n = 1;
  return read(r, node, out->v[0]);
}

static jn_status read_places(jn_reader *r, const jn_node *node, jn_places *out)
{
  if (node->kind != JN_NODE_LIST || node->count < 1 || node->count > JN_PLACES_MOST)
    return jn_expected(r, node, "a list of 1 to 8 points");
  for (const jn_node *n = node->first; n; n = n->next) {
    jn_status st = read_point(r, n, out->v[out->n++]);
    if (st) return st;
  }
  return JN_OK;
}

// ---- inertia and orientation ----------------------------------------------------------------------

// Eigenvalues of a symmetric 3 x 3 matrix by Jacobi's rotations, in rising order.
static void principal_moments(const double j[6], double p[3])
{
  double a[3][3] = {{j[0], j[3], j[4]}, {j[3], j[1], j[5]}, {j[4], j[5], j[2]}};
  for (int sweep = 0; sweep < 12; sweep++)
    for (int i = 0; i < 2; i++)
      for (int k = i + 1; k < 3; k++) {
        if (a[i][k] == 0.0) continue;
        double theta = (a[k][k] - a[i][i]) / (2.0 * a[i][k]);
        double t = copysign(1.0, theta) / (fabs(theta) + hypot(theta, 1.0));
        double c = 1.0 / hypot(t, 1.0), s = t * c;
        for (int m = 0; m < 3; m++) {
          double x = a[m][i], y = a[m][k];
          a[m][i] = c * x - s * y, a[m][k] = s * x + c * y;
        }
        for (int m = 0; m < 3; m++) {
          double x = a[i][m], y = a[k][m];
          a[i][m] = c * x - s * y, a[k][m] = s * x + c * y;
        }
      }
  for (int i = 0; i < 3; i++) p[i] = a[i][i];
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2 - i; k++)
      if (p[k] > p[k + 1]) {
        double x = p[k];
        p[k] = p[k + 1], p[k + 1] = x;
      }
}

static jn_status read_inertia(jn_reader *r, const jn_node *node, double out[6])
{
  const char *what = "[xx, yy, zz] or [xx, yy, zz, xy, xz, yz]";
  int n = node->kind == JN_NODE_LIST && node->count == 3 ? 3 : 6;
  jn_status st = read_numbers(r, node, JN_Q_INERTIA, n, what, out);
  if (st) return st;
  jn_axes_turn_inertia(node->source->axes, out);
  double p[3], size = fabs(out[0]) + fabs(out[1]) + fabs(out[2]);
  if (!(size < 1e100))
    return JN_READ_FAIL(r, JN_E_RANGE, node, "is too large for a body, expected below 1e100");
  principal_moments(out, p);
  if (!(p[0] > 0.0))
    return JN_READ_FAIL(r, JN_E_RANGE, node,
                        "principal moments are %g, %g, %g: an inertia must be positive definite",
                        p[0], p[1], p[2]);
  // No mass distribution has more inertia about one axis than about the other two together. The
  // slack is for the rounding of flat bodies, which reach the limit.
  if (!(p[2] <= (p[0] + p[1]) * (1.0 + 1e-9)))
    return JN_READ_FAIL(r, JN_E_RANGE, node,
                        "principal moments are %g, %g, %g: no rigid body has one that is larger "
                        "than the sum of the others",
                        p[0], p[1], p[2]);
  return JN_OK;
}

static jn_status read_orientation(jn_reader *r, const jn_node *node, double q[4])
{
  const char *what = "a quaternion [w, x, y, z] or angles [roll, pitch, yaw]";
  if (node->kind == JN_NODE_LIST && node->count == 3) {
    double a[3];
    jn_status st = read_numbers(r, node, JN_Q_ANGLE, 3, what, a);
    if (st) return st;
    double c[3], s[3];
    for (int i = 0; i < 3; i++) c[i] = cos(0.5 * a[i]), s[i] = sin(0.5 * a[i]);
    q[0] = c[2] * c[1] * c[0] + s[2] * s[1] * s[0];  // yaw about z, pitch about y', roll about x''
    q[1] = c[2] * c[1] * s[0] - s[2] * s[1] * c[0];
    q[2] = c[2] * s[1] * c[0] + s[2] * c[1] * s[0];
    q[3] = s[2] * c[1] * c[0] - c[2] * s[1] * s[0];
  } else {
    jn_status st = read_numbers(r, node, JN_Q_ONE, 4, what, q);
    if (st) return st;
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(fabs(norm - 1.0) <= 1e-3))  // further off it is a mistake, not rounding
      return JN_READ_FAIL(r, JN_E_RANGE, node, "has length %g, a unit quaternion has 1", norm);
  }
  jn_axes_turn_quaternion(node->source->axes, q);
  return JN_OK;
}

// ---- names ----------------------------------------------------------------------------------------

// Index of a named element; `name_of` gives the candidates for "did you mean".
static jn_status read_name(jn_reader *r, const jn_node *node, const jn_names *names,
                           const char *what, const char *(*name_of)(const jn_spec *, int), int n,
                           int *out)
{
  if (node->kind != JN_NODE_SCALAR || node->length == 0) return jn_expected(r, node, what);
  *out = jn_names_find(names, node->text, node->length);
  if (*out >= 0) return JN_OK;
  jn_nearest near = jn_nearest_to(node->text);
  for (int i = names == &r->bodies ? JN_GROUND : 0; i < n; i++)
    jn_nearest_try(&near, name_of(r->spec, i));
  return JN_READ_FAIL(r, JN_E_SCHEMA, node, "there is no %s %s%s", strrchr(what, ' ') + 1,
                      jn_shown(node).text, jn_hint(&near).text);
}

static const char *joint_name(const jn_spec *spec, int i)
{
  return spec->joint[i].name;
}
static const char *tyre_name(const jn_spec *spec, int i)
{
  return spec->tyre[i].name;
}

static jn_status read_body(jn_reader *r, const jn_node *node, int *out)
{
  if (node->kind == JN_NODE_SCALAR && !strcmp(node->text, "ground")) {
    *out = JN_GROUND;
    return JN_OK;
  }
  return read_name(r, node, &r->bodies, "the name of a body", jn_spec_body_name, r->spec->nbody,
                   out);
}

static jn_status read_joint(jn_reader *r, const jn_node *node, int *out)
{
  return read_name(r, node, &r->joints, "the name of a joint", joint_name, r->spec->njoint, out);
}

static jn_status read_joints(jn_reader *r, const jn_node *node, jn_indices *out)
{
  if (node->kind != JN_NODE_LIST) return jn_expected(r, node, "a list of names of joints");
  int *index = jn_pool_alloc(r->pool, (size_t)node->count, sizeof *index), i = 0;
  if (!index) return JN_READ_NO_MEMORY(r, node);
  for (const jn_node *n = node->first; n; n = n->next, i++) {
    jn_status st = read_joint(r, n, &index[i]);
    if (st) return st;
  }
  *out = (jn_indices){node->count, index};
  return JN_OK;
}

static jn_status read_text(jn_reader *r, const jn_node *node, size_t longest, const char **out)
{
  if (node->kind != JN_NODE_SCALAR) return jn_expected(r, node, "text");
  if (node->length > longest)
    return JN_READ_FAIL(r, JN_E_LIMIT, node, "is %zu bytes long, at most %zu are allowed",
                        node->length, longest);
  *out = jn_pool_text_n(r->pool, node->text, node->length);
  return *out ? JN_OK : JN_READ_NO_MEMORY(r, node);
}

static jn_status note_file(jn_reader *r, const jn_node *node, const char *name)
{
  return jn_file_list_add(r->pool, r->files, name) ? JN_OK : JN_READ_NO_MEMORY(r, node);
}

// A file next to the one that names it, as an absolute path: that of a model written elsewhere is the same file.
static jn_status read_file(jn_reader *r, const jn_node *node, const char **out)
{
  jn_status st = read_text(r, node, PATH_MAX - 1, out);
  if (st) return st;
  if (!**out) return jn_expected(r, node, "the name of a file");
  if (**out == '/') return note_file(r, node, *out);
  const char *from = node->source->file ? node->source->file : "", *slash = strrchr(from, '/');
  const char *name = strncmp(*out, "./", 2) ? *out : *out + 2;
  char here[PATH_MAX] = "", whole[2 * PATH_MAX];
  if (*from != '/' && !getcwd(here, sizeof here))
    return JN_READ_FAIL(r, JN_E_FILE, node, "the present folder has no name");
  const int n = snprintf(whole, sizeof whole, "%s%s%.*s%s", here, *from != '/' ? "/" : "",
                         slash ? (int)(slash - from) + 1 : 0, from, name);
  if (n < 0 || n >= PATH_MAX)
    return JN_READ_FAIL(r, JN_E_LIMIT, node, "is a file name of more than %d bytes", PATH_MAX - 1);
  *out = jn_pool_text_n(r->pool, whole, (size_t)n);
  return *out ? note_file(r, node, *out) : JN_READ_NO_MEMORY(r, node);
}

static jn_status read_parameters(jn_reader *r, const jn_node *node, jn_parameters *out)
{
  const bool list = node->kind == JN_NODE_LIST;
  if (!list && node->kind != JN_NODE_MAP)
    return jn_expected(r, node, "a mapping from names to numbers, or a list of numbers");
  const char **name = jn_pool_alloc(r->pool, (size_t)node->count, sizeof *name);
  double *value = jn_pool_alloc(r->pool, (size_t)node->count, sizeof *value);
  if (!name || !value) return JN_READ_NO_MEMORY(r, node);
  for (const jn_node *n = node->first; n; n = n->next, out->n++) {
    char place[16];
    snprintf(place, sizeof place, "%d", out->n + 1);
    const size_t was = jn_reader_enter(r, list ? place : n->key);
    if (!list && !jn_is_name(n->key, n->key_length))
      return JN_READ_FAIL(r, JN_E_SCHEMA, n, "is no name; use letters, digits and _");
    name[out->n] =
        list ? jn_pool_text(r->pool, place) : jn_pool_text_n(r->pool, n->key, n->key_length);
    if (!name[out->n]) return JN_READ_NO_MEMORY(r, n);
    jn_status st = read_number(r, n, JN_Q_ONE, &value[out->n]);
    if (st) return st;
    r->path[was] = 0;
  }
  out->name = name;
  out->value = value;
  return JN_OK;
}

bool jn_is_channel(const char *text, bool pattern)
{
  bool good = text[0] != 0;
  for (const char *s = text; *s; s++) {
    bool part = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') ||
                *s == '_' || *s == '-' || (pattern && *s == '*');
    bool dot = *s == '.' && s != text && s[-1] != '.' && s[1];
    good = good && (part || dot);
  }
  return good;
}

static jn_status read_channel(jn_reader *r, const jn_node *node, const char **out)
{
  jn_status st = read_text(r, node, JN_CHANNEL_MAX, out);
  if (st) return st;
  return jn_is_channel(*out, false)
             ? JN_OK
             : jn_expected(r, node, "the name of a channel such as driver.steer");
}

static jn_status read_pattern(jn_reader *r, const jn_node *node, const char **out)
{
  jn_status st = read_text(r, node, JN_CHANNEL_MAX, out);
  if (st) return st;
  return jn_is_channel(*out, true)
             ? JN_OK
             : jn_expected(r, node, "names of channels such as chassis.x or \"chassis.*\"");
}

// Of an element of a model that is not at hand.
static jn_status read_element_name(jn_reader *r, const jn_node *node, const char **out)
{
  jn_status st = read_text(r, node, JN_NAME_MAX, out);
  return st || (*out)[0] ? st : jn_expected(r, node, "the name of an element of the model");
}

// A text, or a list of them.
static jn_status read_texts(jn_reader *r, const jn_node *node,
                            jn_status (*read)(jn_reader *, const jn_node *, const char **),
                            const char *wanted, jn_texts *out)
{
  bool list = node->kind == JN_NODE_LIST;
  if (list && node->count == 0) return jn_expected(r, node, wanted);
  int n = list ? node->count : 1, i = 0;
  const char **text = jn_pool_alloc(r->pool, (size_t)n, sizeof *text);
  jn_pos *pos = jn_pool_alloc(r->pool, (size_t)n, sizeof *pos);
  if (!text || !pos) return JN_READ_NO_MEMORY(r, node);
  *out = (jn_texts){n, text, pos};
  pos[0] = jn_node_pos(node);
  if (!list) return read(r, node, text);
  for (const jn_node *p = node->first; p; p = p->next) {
    pos[i] = jn_node_pos(p);
    jn_status st = read(r, p, &text[i++]);
    if (st) return st;
  }
  return JN_OK;
}

jn_status jn_read_word(jn_reader *r, const jn_node *node, const jn_word *words, int *out)
{
  char known[256] = "", shown[96];
  jn_nearest near = jn_nearest_to(node->kind == JN_NODE_SCALAR ? node->text : "");
  for (const jn_word *w = words; w->word; w++) {
    if (node->kind == JN_NODE_SCALAR && !strcmp(node->text, w->word)) {
      *out = (int)(w - words);
      return JN_OK;
    }
    jn_nearest_try(&near, w->word);
    size_t at = strlen(known);
    snprintf(known + at, sizeof known - at, "%s%s", at ? ", " : "", w->word);
  }
  jn_node_show(node, shown, sizeof shown);
  if (near.best)
    return JN_READ_FAIL(r, JN_E_SCHEMA, node, "found %s%s", shown, jn_meant(&near).text);
  return JN_READ_FAIL(r, JN_E_SCHEMA, node, "found %s, expected one of %s", shown, known);
}

static jn_status read_flag(jn_reader *r, const jn_node *node, bool *out)
{
  bool plain = node->kind == JN_NODE_SCALAR && !node->quoted;
  *out = plain && !strcmp(node->text, "true");
  if (*out || (plain && !strcmp(node->text, "false"))) return JN_OK;
  return jn_expected(r, node, "true or false");
}

static jn_status read_integer(jn_reader *r, const jn_node *node, const jn_field *field, int *out)
{
  double value;
  jn_status st = read_ranged(r, node, field, &value);
  if (st) return st;
  if (value != floor(value) || fabs(value) > 1e9) return jn_expected(r, node, "a whole number");
  *out = (int)value;
  return JN_OK;
}

// ---- curves ---------------------------------------------------------------------------------------

// Which of the keys of a list that is closed by NULL it is; -1: none.
static int key_among(const jn_node *n, const char *const *keys)
{
  for (int i = 0; keys[i]; i++)
    if (!strcmp(n->key, keys[i])) return i;
  return -1;
}

static jn_status no_such_key(jn_reader *r, const jn_node *n, const char *const *keys)
{
  jn_nearest near = jn_nearest_to(n->key);
  for (int i = 0; keys[i]; i++) jn_nearest_try(&near, keys[i]);
  return jn_fail(r->err, JN_E_SCHEMA, jn_node_key_pos(n), r->path, "has no key \"%s\"%s",
                 jn_quoted(n->key, n->key_length, 64).text, jn_hint(&near).text);
}

static jn_status read_curve_points(jn_reader *r, const jn_node *node, jn_quantity quantity,
                                   jn_curve_spec *out)
{
  if (node->kind != JN_NODE_LIST || node->count < 2)
    return jn_expected(r, node, "a list of at least two points [x, y]");
  double *x = jn_pool_alloc(r->pool, (size_t)node->count, sizeof *x);
  double *y = jn_pool_alloc(r->pool, (size_t)node->count, sizeof *y);
  if (!x || !y) return JN_READ_NO_MEMORY(r, node);
  jn_quantity qx, qy;
  curve_quantities(r, quantity, &qx, &qy);
  int i = 0;
  for (const jn_node *n = node->first; n; n = n->next, i++) {
    if (n->kind != JN_NODE_LIST || n->count != 2) return jn_expected(r, n, "a point [x, y]");
    jn_status st = read_number(r, n->first, qx, &x[i]);
    if (!st) st = read_number(r, n->last, qy, &y[i]);
    if (st) return st;
    if (i > 0 && !(x[i] > x[i - 1]))
      return JN_READ_FAIL(r, JN_E_RANGE, n->first,
                          "x of point %d is %s, must be above the one before it", i + 1,
                          n->first->text);
  }
  out->n = node->count;
  out->x = x;
  out->y = y;
  return JN_OK;
}

static jn_status read_curve(jn_reader *r, const jn_node *node, jn_quantity quantity,
                            jn_curve_spec *out)
{
  enum { OUTSIDE_LINEAR = 1 };
  out->outside = OUTSIDE_LINEAR;
  if (node->kind == JN_NODE_LIST) return read_curve_points(r, node, quantity, out);
  if (node->kind != JN_NODE_MAP)
    return jn_expected(r, node,
                       "a list of points [x, y], or {points: ..., method: ..., outside: ...}");
  for (const jn_node *n = node->first; n; n = n->next) {
    static const char *const keys[] = {"points", "method", "outside", NULL};
    const int key = key_among(n, keys);
    if (key < 0) return no_such_key(r, n, keys);
    size_t was = jn_reader_enter(r, n->key);
    jn_status st = key == 0   ? read_curve_points(r, n, quantity, out)
                   : key == 1 ? jn_read_word(r, n, jn_curve_methods, &out->method)
                              : jn_read_word(r, n, jn_curve_outside, &out->outside);
    if (st) return st;
    r->path[was] = 0;
  }
  return out->n ? JN_OK : JN_READ_FAIL(r, JN_E_SCHEMA, node, "lacks the key \"points\"");
}

// ---- tables over two variables -------------------------------------------------------------------------

// A list of `least` to `most` rising numbers.
static jn_status read_rising(jn_reader *r, const jn_node *node, jn_quantity quantity, int least,
                             int most, int *n, const double **out)
{
  char what[64];
  snprintf(what, sizeof what, "a list of %d to %d rising numbers", least, most);
  if (node->kind != JN_NODE_LIST || node->count < least || node->count > most)
    return jn_expected(r, node, what);
  double *x = jn_pool_alloc(r->pool, (size_t)node->count, sizeof *x);
  if (!x) return JN_READ_NO_MEMORY(r, node);
  *n = 0;
  for (const jn_node *c = node->first; c; c = c->next, ++*n) {
    jn_status st = read_number(r, c, quantity, &x[*n]);
    if (st) return st;
    if (*n > 0 && !(x[*n] > x[*n - 1]))
      return JN_READ_FAIL(r, JN_E_RANGE, c, "number %d is %s, must be above the one before it",
                          *n + 1, c->text);
  }
  *out = x;
  return JN_OK;
}

// Rows of numbers, one for each of what `rows` and `columns` name.
static jn_status read_rows(jn_reader *r, const jn_node *node, jn_quantity quantity, int nrow,
                           const char *rows, int ncolumn, const char *columns, const double **out)
{
  char what[96];
  snprintf(what, sizeof what, "a list of %d rows, one for each %s", nrow, rows);
  if (node->kind != JN_NODE_LIST || node->count != nrow) return jn_expected(r, node, what);
  double *value = jn_pool_alloc(r->pool, (size_t)(nrow * ncolumn), sizeof *value);
  if (!value) return JN_READ_NO_MEMORY(r, node);
  *out = value;
  snprintf(what, sizeof what, "a row of %d numbers, one for each %s", ncolumn, columns);
  for (const jn_node *row = node->first; row; row = row->next, value += ncolumn) {
    jn_status st = read_numbers(r, row, quantity, ncolumn, what, value);
    if (st) return st;
  }
  return JN_OK;
}

static jn_status read_carpet_rows(jn_reader *r, const jn_node *node, jn_quantity quantity,
                                  jn_carpet_spec *c)
{
  jn_status st = read_rows(r, node, quantity, c->nload, "load", c->nslip, "slip", &c->value);
  const double *value = c->value;
  for (const jn_node *row = node->first; !st && row; row = row->next, value += c->nslip)
    if (c->slip[0] == 0.0 && value[0] != 0.0)
      st = JN_READ_FAIL(r, JN_E_RANGE, row->first,
                        "is %s at zero slip, must be 0 where the other side is not given",
                        row->first->text);
  return st;
}

// The force next to zero slip, on its positive side, against that at or below zero: which way it grows.
static jn_status check_sign(jn_reader *r, const jn_node *rows, const jn_carpet_spec *c, int sign)
{
  int i = 0;
  while (!(c->slip[i] > 0.0)) i++;
  const double *value = c->value;
  for (const jn_node *row = rows->first; row; row = row->next, value += c->nslip) {
    if (sign * (value[i] - value[i - 1]) > 0.0) continue;
    const jn_node *n = row->first;
    for (int k = 0; k < i; k++) n = n->next;
    return JN_READ_FAIL(
        r, JN_E_RANGE, n,
        "is %s at a small positive slip, must be %s the value before it (ISO-W: %s)", n->text,
        sign > 0 ? "above" : "below",
        sign > 0 ? "positive slip drives" : "a positive slip angle gives a negative side force");
  }
  return JN_OK;
}

static jn_status read_carpet(jn_reader *r, const jn_node *node, jn_quantity quantity,
                             jn_carpet_spec *out)
{
  const double right_angle = 1.5707963;  // [rad], rounded down
  const bool angle = quantity != JN_Q_FORCE_OVER_SLIP;
  const char *const keys[] = {angle ? "slip_angles" : "slips", "loads", "values", NULL};
  jn_quantity qx, qy;
  curve_quantities(r, quantity, &qx, &qy);
  if (node->kind != JN_NODE_MAP)
    return jn_expected(r, node,
                       angle ? "a mapping {slip_angles: ..., loads: ..., values: ...}"
                             : "a mapping {slips: ..., loads: ..., values: ...}");
  for (const jn_node *n = node->first; n; n = n->next)
    if (key_among(n, keys) < 0) return no_such_key(r, n, keys);
  for (int key = 0; key < 3; key++) {
    const jn_node *n = jn_node_find(node, keys[key]);
    if (!n) return JN_READ_FAIL(r, JN_E_SCHEMA, node, "lacks the key \"%s\"", keys[key]);
    const size_t was = jn_reader_enter(r, keys[key]);
    jn_status st =
        key == 0   ? read_rising(r, n, qx, 2, JN_CARPET_MOST_SLIPS, &out->nslip, &out->slip)
        : key == 1 ? read_rising(r, n, JN_Q_FORCE, 1, JN_CARPET_MOST_LOADS, &out->nload, &out->load)
                   : read_carpet_rows(r, n, qy, out);
    if (!st && key == 0 && !(out->slip[0] <= 0.0 && out->slip[out->nslip - 1] > 0.0))
      st = JN_READ_FAIL(r, JN_E_RANGE, n->first,
                        "begins with %s and ends with %s, must begin at zero or reach to both "
                        "sides of it",
                        n->first->text, n->last->text);
    if (!st && key == 0 && angle &&
        !(-out->slip[0] < right_angle && out->slip[out->nslip - 1] < right_angle))
      st = JN_READ_FAIL(r, JN_E_RANGE, n, "reaches %s, must stay below a right angle",
                        out->slip[out->nslip - 1] < right_angle ? n->first->text : n->last->text);
    if (!st && key == 1) st = check_range(r, n->first, JN_R_ABOVE_ZERO, out->load[0]);
    if (!st && key == 2 && qy == JN_Q_FORCE) st = check_sign(r, n, out, angle ? -1 : 1);
    if (st) return st;
    r->path[was] = 0;
  }
  out->pos = jn_node_pos(node);
  return JN_OK;
}

static jn_status read_map(jn_reader *r, const jn_node *node, jn_quantity quantity, jn_map_spec *out)
{
  static const char *const keys[] = {"deflections", "rates", "values", "method", "outside", NULL};
  const bool turns = quantity == JN_Q_TORQUE_MAP;
  const jn_quantity deflection = turns ? JN_Q_ANGLE : JN_Q_LENGTH,
                    rate = turns ? JN_Q_RATE : JN_Q_SPEED, value = turns ? JN_Q_TORQUE : JN_Q_FORCE;
  if (node->kind != JN_NODE_MAP)
    return jn_expected(r, node, "a mapping {deflections: ..., rates: ..., values: ...}");
  for (const jn_node *n = node->first; n; n = n->next)
    if (key_among(n, keys) < 0) return no_such_key(r, n, keys);
  out->outside = 1;  // a straight line, as of a curve
  out->pos = jn_node_pos(node);
  for (int key = 0; keys[key]; key++) {  // not as written: rows are measured by what comes before
    const jn_node *n = jn_node_find(node, keys[key]);
    if (!n && key > 2) continue;
    if (!n) return JN_READ_FAIL(r, JN_E_SCHEMA, node, "lacks the key \"%s\"", keys[key]);
    const size_t was = jn_reader_enter(r, keys[key]);
    jn_status st =
        key == 0   ? read_rising(r, n, deflection, 2, JN_MAP_MOST, &out->n, &out->deflection)
        : key == 1 ? read_rising(r, n, rate, 2, JN_MAP_MOST, &out->nrate, &out->rate)
        : key == 2 ? read_rows(r, n, value, out->nrate, "rate", out->n, "deflection", &out->value)
        : key == 3 ? jn_read_word(r, n, jn_curve_methods, &out->method)
                   : jn_read_word(r, n, jn_curve_outside, &out->outside);
    if (st) return st;
    r->path[was] = 0;
  }
  return JN_OK;
}

static jn_status read_motion(jn_reader *r, const jn_node *node, jn_motion_spec *out)
{
  jn_status st = jn_read_object(r, node, &jn_motion_object, false, out);
  if (st) return st;
  if (JN_GIVEN(out, jn_motion_spec, channel) == JN_GIVEN(out, jn_motion_spec, curve))
    return JN_READ_FAIL(r, JN_E_SCHEMA, node, "found %s, expected either a channel or a curve",
                        JN_GIVEN(out, jn_motion_spec, channel) ? "both" : "neither");
  if (JN_GIVEN(out, jn_motion_spec, filter) && !JN_GIVEN(out, jn_motion_spec, channel))
    return jn_fail(r->err, JN_E_SCHEMA, jn_node_key_pos(jn_node_find(node, "filter")), r->path,
                   "has a `filter`, but no `channel` that it could follow");
  return JN_OK;
}

// ---- by type --------------------------------------------------------------------------------------

// Friction by which slips are divided: not so small that they are lost.
jn_status jn_check_friction(jn_reader *r, const jn_node *node, double value)
{
  if (value >= JN_ROAD_LEAST_FRICTION && value <= MOST_FRICTION) return JN_OK;
  jn_reader_enter(r, "friction");
  return JN_READ_FAIL(r, JN_E_RANGE, node, "is %s, must be from %g to %g", node->text,
                      JN_ROAD_LEAST_FRICTION, MOST_FRICTION);
}

static jn_status read_patch(jn_reader *r, const jn_node *node, jn_patch_keys *out)
{
  jn_status st = jn_read_object(r, node, &jn_patch_object, false, out);
  if (st) return st;
  const char *const key[2] = {"x", "y"};
  for (int i = 0; i < 2; i++) {
    const jn_node *k = jn_node_find(node, key[i]);
    const double *span = i ? out->y : out->x;
    if (k && !(span[0] < span[1]))
      return JN_READ_FAIL(r, JN_E_RANGE, k, "ends at %.9g m, must end behind %.9g m", span[1],
                          span[0]);
    if (k && 2.0 * out->edge > (span[1] - span[0]) * (1.0 + 1e-9))
      return JN_READ_FAIL(r, JN_E_RANGE, jn_node_find(node, "edge"),
                          "two edges of %.9g m are wider than the patch, which has %.9g m along %s",
                          out->edge, span[1] - span[0], key[i]);
  }
  return jn_check_friction(r, jn_node_find(node, "friction"), out->friction);
}

static jn_status read_patches(jn_reader *r, const jn_node *node, jn_patches *out)
{
  if (node->kind != JN_NODE_MAP) return jn_expected(r, node, "a mapping from names to patches");
  if (node->count > JN_ROAD_PATCHES)
    return JN_READ_FAIL(r, JN_E_LIMIT, node, "has %d patches, at most %d are allowed", node->count,
                        JN_ROAD_PATCHES);
  const char **name = jn_pool_alloc(r->pool, (size_t)node->count, sizeof *name);
  jn_patch_keys *patch = jn_pool_alloc(r->pool, (size_t)node->count, sizeof *patch);
  if (!name || !patch) return JN_READ_NO_MEMORY(r, node);
  for (const jn_node *n = node->first; n; n = n->next, out->n++) {
    const size_t was = jn_reader_enter(r, n->key);
    if (!jn_is_name(n->key, n->key_length))
      return JN_READ_FAIL(r, JN_E_SCHEMA, n, "is no name; use letters, digits and _");
    name[out->n] = jn_keep_name(r, n);
    if (!name[out->n]) return JN_READ_NO_MEMORY(r, n);
    jn_status st = read_patch(r, n, &patch[out->n]);
    if (st) return st;
    r->path[was] = 0;
  }
  out->name = name;
  out->patch = patch;
  return JN_OK;
}

jn_status jn_read_value(jn_reader *r, const jn_node *node, const jn_field *field, void *place)
{
  jn_status st = JN_OK;
  switch (field->type) {
    case JN_T_NUMBER:
      return read_ranged(r, node, field, place);
    case JN_T_AUTO: {
      jn_auto *a = place;
      a->automatic = is_word(node, "auto");
      return a->automatic ? JN_OK : read_ranged(r, node, field, &a->value);
    }
    case JN_T_INTEGER:
      return read_integer(r, node, field, place);
    case JN_T_FLAG:
      return read_flag(r, node, place);
    case JN_T_TEXT:
      return read_text(r, node, 65536, place);
    case JN_T_CHOICE:
      return jn_read_word(r, node, field->words, place);
    case JN_T_POINT:
      return read_point(r, node, place);
    case JN_T_POINTS:
      return read_one_or_two(r, node, read_point, place);
    case JN_T_PLACES:
      return read_places(r, node, place);
    case JN_T_VECTOR:
      return jn_read_vector(r, node, field->quantity, place);
    case JN_T_AXIS:
      return read_axis(r, node, place);
    case JN_T_AXES:
      return read_one_or_two(r, node, read_axis, place);
    case JN_T_TRIPLE: {
      double *v = place;
      st = read_numbers(r, node, field->quantity, 3, "three numbers, one for each axis", v);
      for (int i = 0; i < 3 && !st; i++)
        if (field->range == JN_R_NOT_NEGATIVE && !(v[i] >= 0.0))
          st = JN_READ_FAIL(r, JN_E_RANGE, node, "has %g, must be zero or above", v[i]);
      return st;
    }
    case JN_T_PAIR: {
      const double *v = place;
      st = read_numbers(r, node, field->quantity, 2, "two numbers", place);
      if (!st) st = check_range(r, node->first, field->range, v[0]);
      return st ? st : check_range(r, node->last, field->range, v[1]);
    }
    case JN_T_NUMBERS:
      return read_coefficients(r, node, field->quantity, place);
    case JN_T_NEVER:
      *(double *)place = INFINITY;
      if (is_word(node, "never")) return JN_OK;
      return jn_is_number(node) ? read_ranged(r, node, field, place)
                                : jn_expected(r, node, "a finite number or never");
    case JN_T_INERTIA:
      return read_inertia(r, node, place);
    case JN_T_ORIENTATION:
      return read_orientation(r, node, place);
    case JN_T_BODY:
      return read_body(r, node, place);
    case JN_T_BODIES: {
      int *body = place;
      if (node->kind != JN_NODE_LIST || node->count != 2)
        return jn_expected(r, node, "two names of bodies [first, second]");
      st = read_body(r, node->first, &body[0]);
      return st ? st : read_body(r, node->last, &body[1]);
    }
    case JN_T_JOINT:
      return read_joint(r, node, place);
    case JN_T_JOINTS:
      return read_joints(r, node, place);
    case JN_T_TYRE:
      return read_name(r, node, &r->tyres, "the name of a tyre", tyre_name, r->spec->ntyre, place);
    case JN_T_CURVE:
      return read_curve(r, node, field->quantity, place);
    case JN_T_SERIES:
      return read_curve_points(r, node, field->quantity, place);
    case JN_T_CARPET:
      return read_carpet(r, node, field->quantity, place);
    case JN_T_MAP:
      return read_map(r, node, field->quantity, place);
    case JN_T_NAME:
      return read_element_name(r, node, place);
    case JN_T_NAMES:
      return read_texts(r, node, read_element_name, "at least one name", place);
    case JN_T_CHANNEL:
      return read_channel(r, node, place);
    case JN_T_CHANNELS:
      return read_texts(r, node, read_pattern, "at least one name of a channel", place);
    case JN_T_MOTION:
      return read_motion(r, node, place);
    case JN_T_FILE:
      return read_file(r, node, place);
    case JN_T_PARAMETERS:
      return read_parameters(r, node, place);
    case JN_T_PATCHES:
      return read_patches(r, node, place);
    case JN_T_UNITS:
    case JN_T_FILES:
    case JN_T_SECTION:
    case JN_T_TOPOLOGY:
    case JN_T_ROAD:
    case JN_T_RECORD:
    case JN_NTYPE:
      break;  // parts of the file itself, read by jn_spec_read and jn_scenario_read
  }
  return st;
}
