// What `topology` and `check` print about models, compared with what somebody has read and found right (test/cli/expected). After a
// change that is meant, JT_EXPECTED=write build/test/test_texts writes the files anew; read what git shows.
#define _GNU_SOURCE  // memmem
#include <jansson.h>

#include "cli/command.h"

static char path[PATH_MAX];
static jt_run run;

static const struct {
  const char *name, *arguments[8];
} texts[] = {
    {"topology-pendulum", {"topology", "models/pendulum.yaml"}},
    {"topology-quarter-car", {"topology", "models/quarter-car.yaml"}},
    {"topology-quarter-car.json", {"topology", "models/quarter-car.yaml", "--json", "--trees"}},
    {"topology-quarter-car.dot", {"topology", "models/quarter-car.yaml", "--dot"}},
    {"topology-slider-crank-cut",
     {"topology", "models/slider-crank.yaml", "--cut", "A", "--trees"}},
    {"topology-hmmwv", {"topology", "models/hmmwv.yaml"}},
    {"topology-hmmwv.dot", {"topology", "models/hmmwv.yaml", "--dot"}},
    {"topology-hmmwv-base", {"topology", "models/hmmwv.yaml", "--base", "rack"}},
    {"topology-andrews", {"topology", "models/andrews.yaml", "--trees"}},
    {"topology-bricard", {"topology", "models/bricard.yaml"}},
    {"topology-bricard.json", {"topology", "models/bricard.yaml", "--json"}},
    {"topology-corner-002", {"topology", "models/corner-002.yaml"}},
    {"topology-five-link-bushings", {"topology", "models/five-link-bushings.yaml"}},
    {"topology-five-link-bushings.dot", {"topology", "models/five-link-bushings.yaml", "--dot"}},
    {"topology-five-link-joints", {"topology", "models/five-link-joints.yaml"}},
    {"topology-n-four-bar-singular", {"topology", "test/models/n-four-bar-singular.yaml"}},
    {"topology-n-four-bar-40", {"topology", "test/models/n-four-bar-40.yaml", "--trees"}},
    {"topology-open-tree-vehicle", {"topology", "models/open-tree-vehicle.yaml"}},
    {"topology-trailer-train", {"topology", "models/trailer-train.yaml"}},
    {"check-hmmwv-yaw-hold", {"check", "models/hmmwv.yaml", "scenarios/hmmwv-yaw-hold.yaml"}},
    {"check-andrews.json", {"check", "models/andrews.yaml", "scenarios/andrews.yaml", "--json"}},
    {"check-hmmwv-yaw-hold.dot",
     {"check", "models/hmmwv.yaml", "scenarios/hmmwv-yaw-hold.yaml", "--diagram"}},
    {"check-passenger-car", {"check", "models/passenger-car.yaml", "scenarios/passenger-car.yaml"}},
    {"check-passenger-car.dot",
     {"check", "models/passenger-car.yaml", "scenarios/passenger-car.yaml", "--diagram", "-"}},
    {"check-tractor-semitrailer", {"check", "models/tractor-semitrailer.yaml"}},
    {"check-odd-corners", {"check", "test/models/hmmwv-odd-corners.yaml"}},
    {"check-odd-diagram", {"check", "test/cli/odd-diagram.yaml"}},
    {"check-odd-diagram.dot", {"check", "test/cli/odd-diagram.yaml", "--diagram"}},
    {"check-quarter-car.channels", {"check", "models/quarter-car.yaml", "--channels"}},
    {"check-quarter-car.expanded", {"check", "models/quarter-car.yaml", "--expand"}},
};

// Which operation lists are precompiled is a matter of the build and the processor.
static void leave_out_the_path(char *text)
{
  static const char *const of_path[] = {"path: ", " lanes: ", "instructions", "\"engine\"",
                                        "\"advice\""};
  char *to = text;
  for (char *line = text, *next; *line; line = next) {
    const size_t n = strcspn(line, "\n");
    next = line + n + (line[n] == '\n');
    bool stays = true;
    for (size_t i = 0; i < sizeof of_path / sizeof *of_path; i++)
      stays = stays && !memmem(line, n, of_path[i], strlen(of_path[i]));
    if (stays) to = (char *)memmove(to, line, (size_t)(next - line)) + (next - line);
  }
  *to = 0;
}

static int differs(const char *name, const char *expected, const char *found)
{
  int line = 1;
  const char *a = expected, *b = found;
  for (; *a && *a == *b; a++, b++) line += *a == '\n';
  if (*a == *b) return 0;
  while (a > expected && a[-1] != '\n') a--, b--;
  print_error("%s:%d:\n  expected: %.*s\n  found:    %.*s\n", name, line, (int)strcspn(a, "\n"), a,
              (int)strcspn(b, "\n"), b);
  return 1;
}

static int compare(const char *name)
{
  static char expected[JT_MOST_OUTPUT];
  const char *mode = getenv("JT_EXPECTED");
  const bool writes = mode && !strcmp(mode, "write");
  snprintf(path, sizeof path, "test/cli/expected/%s", name);
  FILE *file = fopen(path, writes ? "w" : "r");
  assert_non_null(file);
  if (writes)
    fputs(run.out, file);
  else
    expected[fread(expected, 1, sizeof expected - 1, file)] = 0;
  fclose(file);
  return writes ? 0 : differs(path, expected, run.out);
}

static void texts_are_as_expected(void **state)
{
  (void)state;
  int wrong = 0;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    jt_command(".", texts[i].arguments, &run);
    assert_string_equal(run.err, "");
    assert_int_equal(run.code, 0);
    assert_true(strlen(run.out) + 1 < JT_MOST_OUTPUT);
    leave_out_the_path(run.out);
    wrong += compare(texts[i].name);
  }
  assert_int_equal(wrong, 0);
}

// ---- models that are too large to be read -----------------------------------------------------------------

static char folder[] = "/tmp/jounce-texts-XXXXXX";

static FILE *create(const char *name)
{
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  return out;
}

// Of three hundred bodies in a chain two hundred are listed; likewise of loops beside each other.
static void long_lists_end(void **state)
{
  (void)state;
  enum { MANY = 300 };
  FILE *out = create("many.yaml");
  fprintf(out, "jounce: 1\nname: many\nbodies:\n");
  for (int i = 0; i < MANY; i++)
    fprintf(out, "  b%d: {mass: 1, cg: [0, %d, 0], inertia: [1, 1, 1]}\n", i, i);
  fprintf(out, "joints:\n");
  for (int i = 0; i < MANY; i++)
    fprintf(out,
            "  j%d: {type: spherical, bodies: [ground, b%d], at: [1, %d, 0]}\n"
            "  d%d: {type: distance, bodies: [ground, b%d], at: [[0, %d, 1], [0, %d, 0]]}\n",
            i, i, i, i, i, i, i);
  fclose(out);
  const char *const arguments[] = {"topology", path, NULL};
  jt_command(".", arguments, &run);
  assert_int_equal(run.code, 0);
  assert_non_null(strstr(run.out, "many: 300 bodies, 600 joints\n"));
  assert_non_null(strstr(run.out, "\n... and 100 more\n"));
  assert_non_null(strstr(run.out, "\n300 loops in 300 decoupled sets\n"));
  assert_non_null(strstr(run.out, "\nset 199: 3 coordinates, 1 constraint, rank 1\n"));
  assert_null(strstr(run.out, "set 200:"));
  assert_non_null(strstr(run.out,
                         "\n900 coordinates, 300 constraints, 0 of them redundant: "
                         "600 degrees of freedom\n"));
}

// ---- joints whose first body is the child ------------------------------------------------------------------

static const struct {
  const char *body, *joint, *initial;
  double coordinate[7], velocity[6];
} reversed[] = {
    {"ball",
     "spherical",
     "orientation: [0.8, 0.6, 0, 0], angular_velocity: [0.1, 0.2, 0.3]",
     {0.8, 0.6, 0, 0},
     {0.1, 0.2, 0.3}},
    {"cross", "universal", "angles: [0.1, 0.2], speeds: [0.3, 0.4]", {0.1, 0.2}, {0.3, 0.4}},
    {"flier",
     "free",
     "offset: [0.1, 0.2, 0.3], orientation: [0.8, 0, 0.6, 0], velocity: [1, 2, 3], "
     "angular_velocity: [0.1, 0.2, 0.3]",
     {0.1, 0.2, 0.3, 0.8, 0, 0.6, 0},
     {1, 2, 3, 0.1, 0.2, 0.3}},
    {"glider",
     "no-rotation",
     "offset: [0.1, 0.2, 0.3], velocity: [1, 2, 3]",
     {0.1, 0.2, 0.3},
     {1, 2, 3}},
    {"slide", "translational", "position: 0.25, speed: -0.5", {0.25}, {-0.5}},
    {"hinge", "revolute", "angle: 0.25, speed: -0.5", {0.25}, {-0.5}},
    {"plate", "planar", NULL, {0, 0, 0}, {0, 0, 0}},
};
enum { NREVERSED = sizeof reversed / sizeof *reversed };

static void write_reversed(FILE *out)
{
  fputs("jounce: 1\nname: reversed\nbodies:\n", out);
  for (int i = 0; i < NREVERSED; i++)
    fprintf(out, "  %s: {mass: 1, cg: [0, %d, 0], inertia: [1, 1, 1]}\n", reversed[i].body, i);
  fputs("joints:\n", out);
  for (int i = 0; i < NREVERSED; i++) {
    const char *kind = reversed[i].joint;
    fprintf(out, "  J_%s: {type: %s, bodies: [%s, ground], at: [0, %d, 1]", reversed[i].body, kind,
            reversed[i].body, i);
    if (!strcmp(kind, "universal")) fputs(", axis: [[1, 0, 0], [0, 1, 0]]", out);
    if (strchr("trp", kind[0])) fputs(", axis: [0, 1, 0]", out);
    fputs("}\n", out);
  }
  fputs("initial:\n", out);
  for (int i = 0; i < NREVERSED; i++)
    if (reversed[i].initial) fprintf(out, "  J_%s: {%s}\n", reversed[i].body, reversed[i].initial);
  fclose(out);
}

static void are_numbers(const json_t *list, const double *x, const char *what)
{
  assert_true(json_array_size(list) > 0);
  for (size_t i = 0; i < json_array_size(list); i++) {
    const double found = json_number_value(json_array_get(list, i));
    if (!(fabs(found - x[i]) <= 1e-15)) fail_msg("%s: %zu: %.17g, not %.17g", what, i, found, x[i]);
  }
}

// Coordinates of the JSON lead from the first body of the file to the second, whichever is the parent in the tree: they are those
// that the file gives.
static void initial_coordinates_are_those_of_the_file(void **state)
{
  (void)state;
  write_reversed(create("reversed.yaml"));
  const char *const arguments[] = {"topology", path, "--json", NULL};
  jt_command(".", arguments, &run);
  assert_string_equal(run.err, "");
  json_t *o = json_loads(run.out, 0, NULL);
  const json_t *tree = json_object_get(o, "tree");
  assert_int_equal(json_array_size(tree), NREVERSED);
  int seen = 0;
  for (size_t k = 0; k < NREVERSED; k++) {
    const json_t *joint = json_array_get(tree, k), *initial = json_object_get(joint, "initial");
    const char *body = json_string_value(json_object_get(joint, "body"));
    assert_true(json_is_true(json_object_get(joint, "reversed")));
    for (int i = 0; i < NREVERSED; i++) {
      if (strcmp(body, reversed[i].body)) continue;
      are_numbers(json_object_get(initial, "coordinates"), reversed[i].coordinate, body);
      are_numbers(json_object_get(initial, "velocities"), reversed[i].velocity, body);
      seen++;
    }
  }
  assert_int_equal(seen, NREVERSED);
  json_decref(o);
}

static int enter(void **state)
{
  (void)state;
  return mkdtemp(folder) ? 0 : -1;
}

static int leave(void **state)
{
  (void)state;
  char command[96];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(texts_are_as_expected),
                                     cmocka_unit_test(long_lists_end),
                                     cmocka_unit_test(initial_coordinates_are_those_of_the_file)};
  return cmocka_run_group_tests(tests, enter, leave);
}
