// Models at the edge of what is a mechanism, and beyond it, through the command: each runs, or ends
// with exit code 1 and says when and where, or is refused with exit code 2 and a position. None
// crashes or hangs; no row has a value that is no number.
#include "cli/command.h"

static char folder[] = "/tmp/jounce-robust-XXXXXX";
static jt_run run;

// ---- models ----------------------------------------------------------------------------------------

#define BODY(name, mass, cg, inertia) \
  "  " name ": {mass: " mass ", cg: " cg ", inertia: [" inertia ", " inertia ", " inertia "]}\n"
#define A     "bodies:\n" BODY("a", "1", "[1, 0, 0]", "0.1")
#define AB    A BODY("b", "1", "[2, 0, 0]", "0.1")
#define TREE  "at: [0, 0, 0], axis: [0, 1, 0]"
#define HINGE "joints:\n  p: {type: revolute, bodies: [ground, a], " TREE "}\n"
#define DRIVEN(motion) \
  "joints:\n  p: {type: revolute, bodies: [ground, a], " TREE ", motion: {" motion "}}\n"
// Three bars on three hinges: a triangle.
#define TRIANGLE(motion)                                                      \
  HINGE                                                                       \
  "  q: {type: revolute, bodies: [a, b], at: [1.5, 0, 1], axis: [0, 1, 0]}\n" \
  "  r: {type: revolute, bodies: [ground, b], at: [3, 0, 0], axis: [0, 1, 0]" motion "}\n"
#define SPRING(ends, at, more) \
  "forces:\n  s: {type: tsda, bodies: [" ends "], at: " at ", stiffness: 10, " more "}\n"
// A double pendulum of that size; masses of its two bodies and their inertias.
#define PENDULUM(size, m1, j1, m2, j2)                                                            \
  "bodies:\n" BODY("a", m1, "[1" size ", 0, 0]", j1) BODY("b", m2, "[2" size ", 0, 0]", j2) HINGE \
      "  q: {type: spherical, bodies: [a, b], at: [1.5" size ", 0, 0]}\n"
// A four-bar linkage whose crank a channel turns.
#define CRANK \
  AB BODY("c", "1", "[2, 0, 1]", "0.1") DRIVEN("channel: u")                                    \
      "  q: {type: revolute, bodies: [a, b], at: [0, 0, 1], axis: [0, 1, 0]}\n"                 \
      "  r: {type: revolute, bodies: [b, c], at: [2, 0, 1], axis: [0, 1, 0]}\n"                 \
      "  s: {type: revolute, bodies: [ground, c], at: [2, 0, 0], axis: [0, 1, 0]}\n"
#define INPUT(signal) "end: 0.02\ninputs:\n  u: " signal "\n"
#define TWO_INPUTS                                                                      \
  A HINGE                                                                               \
      "forces:\n  f: {type: force, body: a, force: [1, 0, 0], channel: driver.brake}\n" \
      "  g: {type: force, body: a, force: [1, 0, 0], channel: driver.steer}\n"
#define INPUTS(name) "end: 0.02\ninputs:\n  " name ": 1\n"
#define ANY          NULL

// What it is; the model and, if there is one, the scenario without their first lines; exit codes of
// `run` and of `equilibrium` with a part of what each says.
static const struct {
  const char *what, *model, *scenario;
  int run_code;
  const char *run_text;
  int still_code;
  const char *still_text;
} cases[] = {
    // few joints, or none
    {"no joints", A "forces:\n  f: {type: force, body: a, force: [1, 0, 0]}\n", NULL, 0, ANY, 1,
     "nothing holds body \"a\", along z, against gravity (9.81 N)"},
    {"a body that nothing touches", A, NULL, 2, "model.yaml:3:3: bodies.a: nothing touches it", 2,
     "nothing touches it"},
    {"two free bodies and a spring", AB SPRING("a, b", "[[1, 0, 0], [2, 0, 0]]", "damping: 1"),
     NULL, 0, ANY, 1, "along z, against gravity (19.62 N)"},
    {"the same without weight",
     "gravity: [0, 0, 0]\n" AB SPRING("a, b", "[[1, 0, 0], [2, 0, 0]]", "free_length: 0.5"), NULL,
     0, ANY, 0, ANY},
    // what cannot move
    {"all fixed", A "joints:\n  p: {type: fixed, bodies: [ground, a]}\n", NULL, 2,
     "model.yaml:5:3: joints.p: nothing can move", 2, "nothing can move"},
    {"fixed joints in a ring",
     AB "joints:\n  p: {type: fixed, bodies: [a, b]}\n  q: {type: fixed, bodies: [b, a]}\n"
        "  r: {type: revolute, bodies: [ground, a], " TREE "}\n",
     NULL, 0, ANY, 0, ANY},
    {"locked", AB TRIANGLE(""), NULL, 2, "nothing can move: 2 coordinates, 5 constraints", 2,
     "nothing can move"},
    {"locked and driven", AB TRIANGLE(", motion: {curve: [[0, 0], [1, 1]]}"), NULL, 2,
     "model.yaml:8:3: joints.r: its motion", 2, "joints.r: its motion"},
    {"position error of 18 m",
     AB HINGE
     "  q: {type: revolute, bodies: [a, b], at: [1.5, 0, 1], axis: [0, 1, 0]}\n"
     "  r: {type: revolute, bodies: [ground, b], at: [[3, 0, 0], [21, 0, 0]], axis: [0, 1, "
     "0]}\n",
     NULL, 2, "its loop cannot be closed: the nearest position has an error of", 2,
     "cannot be closed"},
    {"three spheres in a point",
     AB "joints:\n  p: {type: spherical, bodies: [ground, a], at: [0, 0, 0]}\n"
        "  q: {type: spherical, bodies: [a, b], at: [0, 0, 0]}\n"
        "  r: {type: spherical, bodies: [ground, b], at: [0, 0, 0]}\n",
     NULL, 0, ANY, 0, ANY},
    // driven
    {"nothing but a motion", A DRIVEN("channel: u"), NULL, 0, ANY, 0, ANY},
    {"a curve that begins late", A DRIVEN("curve: [[0.0105, 0.2], [1, 1]]"), NULL, 0, ANY, 0, ANY},
    {"a curve that is over", A DRIVEN("curve: {points: [[-5, 0.2], [-4, 1]], outside: hold}"), NULL,
     0, ANY, 0, ANY},
    {"a filter that is none", A DRIVEN("channel: u, filter: 1e-300"),
     INPUT("{type: step, at: 0.005, to: 1}"), 1, "of the component \"joint.p.filter\" the output",
     0, ANY},
    {"an input with the name of another channel",
     A HINGE
     "forces:\n  f: {type: force, body: a, at: [0, 0, 0], force: [1, 0, 0], channel: a.x}\n",
     NULL, 2, "the input channel \"a.x\" has the name of another channel", 2,
     "has the name of another channel"},
    {"an input that is not there", A HINGE, INPUT("1"), 2,
     "scenario.yaml:5:3: inputs.u: the model has no input channels", 2, "no input channels"},
    {"an input of another name", TWO_INPUTS, INPUTS("driver.stear"), 2,
     "scenario.yaml:5:3: inputs.driver.stear: the model has no such input channel, did you mean "
     "\"driver.steer\"?",
     2, "did you mean \"driver.steer\"?"},
    {"an input of no name near", TWO_INPUTS, INPUTS("gearbox"), 2,
     "inputs.gearbox: the model has no such input channel; expected driver.brake, driver.steer", 2,
     "expected driver.brake, driver.steer"},
    {"a motion that jumps", CRANK, INPUT("{type: step, at: 0.0105, to: 2}"), 2,
     "scenario.yaml:5:3: inputs.u: jumps from 0 to 2 at t = 0.0105 s, and prescribes the motion of "
     "joint "
     "\"p\"",
     2, "use a ramp"},
    {"a motion that opens a loop", CRANK, INPUT("{type: sine, amplitude: 2, frequency: 300}"), 1,
     "body c: the constraint residual of a loop exceeds a tenth of its size", 0, ANY},
    {"an input of no double", CRANK, INPUT("{type: sine, amplitude: 1, frequency: 1e300}"), 2,
     "scenario.yaml:5:3: inputs.u: changes so fast", 2, "changes so fast"},
    {"corrections without end", CRANK, "end: 1\nstabilize: newton\nnewton_iterations: 1000000000\n",
     2, "scenario.yaml:1:1: `newton` takes 1 to 100 corrections", 2, "takes 1 to 100 corrections"},
    {"tolerance zero", CRANK, "end: 1\nintegrator: reference\ntolerance: 1e-300\n", 2,
     "scenario.yaml:1:1: the tolerance is 1e-300", 2, "the tolerance is 1e-300"},
    // springs
    {"a spring without length", A HINGE SPRING("ground, a", "[[1, 0, 0], [1, 0, 0]]", "damping: 1"),
     NULL, 2, "model.yaml:7:3: forces.s: its two points coincide", 2, "its two points coincide"},
    {"a free length of zero",
     A HINGE SPRING("ground, a", "[[1, 0, 1], [1, 0, 0]]", "free_length: 0"), NULL, 2,
     "forces.s.free_length: is 0, must be above zero", 2, "must be above zero"},
    {"a spring that passes through a point",
     A "joints:\n  p: {type: translational, bodies: [ground, a], at: [0, 0, 0], axis: [1, 0, "
       "0]}\n" SPRING("ground, a", "[[0, 0, 0], [1, 0, 0]]",
                      "damping: 2, free_length: 0.5") "initial:\n  p: {speed: -100}\n",
     NULL, 0, ANY, 0, ANY},
    {"a force on the ground",
     A HINGE "forces:\n  f: {type: force, body: ground, force: [1, 0, 0]}\n", NULL, 2,
     "model.yaml:7:3: forces.f: acts on the ground", 2, "acts on the ground"},
    // small and large numbers
    {"masses 12 decades apart", PENDULUM("", "1e6", "1e5", "1e-6", "1e-7"), NULL, 0, ANY, 0, ANY},
    {"the other way round", PENDULUM("", "1e-6", "1e-7", "1e6", "1e5"), NULL, 0, ANY, 0, ANY},
    {"hardly any mass", PENDULUM("", "1e-300", "1e-301", "1e-300", "1e-301"), NULL, 0, ANY, 0, ANY},
    {"a thousand kilometres", PENDULUM("e6", "1", "1e11", "1", "1e11"), NULL, 0, ANY, 0, ANY},
    {"a micrometre in steps that it needs", PENDULUM("e-6", "1", "1e-13", "1", "1e-13"),
     "end: 1e-4\nstep: 1e-6\nintegrator: rk4\n", 0, ANY, 0, ANY},
    {"and in steps that are too long", PENDULUM("e-6", "1", "1e-13", "1", "1e-13"), NULL, 1,
     "s: body b: the motion has diverged: beyond 1e6 m/s", 0, ANY},
    {"farther than the moon", PENDULUM("e9", "1", "1e17", "1", "1e17"), NULL, 2,
     "expected a length below 100,000 km", 2, "expected a length below"},
    {"a weight beyond numbers", "gravity: [0, 0, -1e300]\n" A HINGE, NULL, 1,
     "failed at t = 0 s: body a: the motion has diverged", 0, ANY},
    {"turning too fast", A HINGE "initial:\n  p: {angle: 1e300, speed: 1e300}\n", NULL, 1,
     "failed at t = 0 s: body a: a position, a speed or an acceleration is not a number; nothing "
     "was",
     0, ANY},
    {"a stiffness beyond numbers",
     A HINGE "forces:\n  s: {type: rsda, joint: p, stiffness: 1e300, damping: 1e300}\n"
             "initial:\n  p: {angle: 1, speed: 1}\n",
     NULL, 1, "failed at t = 0 s: body a", 0, ANY},
};
enum { NCASE = sizeof cases / sizeof *cases };

static void write_file(const char *name, const char *begin, const char *text)
{
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fprintf(out, "%s%s", begin, text);
  assert_int_equal(fclose(out), 0);
}

// A value of a row that is no number. Names of channels stand in the first line that is no comment.
static bool has_no_number(const char *rows)
{
  return strstr(rows, ",nan") || strstr(rows, ",-nan") || strstr(rows, ",inf") ||
         strstr(rows, ",-inf");
}

static int is_wrong(const char *what, int code, const char *text)
{
  const char *wrong = NULL;
  if (run.hung)
    wrong = "hangs";
  else if (run.code != code)
    wrong = "has the wrong exit code";
  else if (text && !strstr(run.err, text))
    wrong = "does not say what is wrong";
  else if (!code != !strstr(run.err, "jounce: ") && !strstr(run.err, "jounce: note: "))
    wrong = "has no message";
  else if (code == 2 && run.out[0])
    wrong = "prints a result";
  else if (has_no_number(run.out))
    wrong = "prints what is no number";
  if (!wrong) return 0;
  print_error("%s: %s: expected %d, %s; found %d: %s\n", what, wrong, code, text ? text : "",
              run.code, run.err);
  return 1;
}

static void models_run_or_say_why_not(void **state)
{
  (void)state;
  static const char *const formulation[] = {"subsystem", "recursive", "independent"};
  int wrong = 0;
  for (int i = 0; i < NCASE; i++) {
    const char *scenario = cases[i].scenario ? "scenario.yaml" : NULL;
    write_file("model.yaml", "jounce: 1\n", cases[i].model);
    if (scenario) write_file("scenario.yaml", "jounce: 1\nscenario: s\n", cases[i].scenario);
    for (int f = 0; f < 3; f++) {
      const char *const arguments[] = {"run",
                                       "--formulation",
                                       formulation[f],
                                       "--out",
                                       "-",
                                       "model.yaml",
                                       scenario ? scenario : "--end=0.02",
                                       NULL};
      jt_command(folder, arguments, &run);
      wrong += is_wrong(cases[i].what, cases[i].run_code, cases[i].run_text);
    }
    const char *const still[] = {"equilibrium", "model.yaml", scenario, NULL};
    jt_command(folder, still, &run);
    wrong += is_wrong(cases[i].what, cases[i].still_code, cases[i].still_text);
  }
  assert_int_equal(wrong, 0);
}

// ---- every joint, in the tree and cut ---------------------------------------------------------------

// What stands behind its bodies, between b and c.
static const struct {
  const char *type, *keys;
} joints[] = {{"fixed", ""},
              {"revolute", ", at: [1, 0, 0], axis: [0, 1, 0]"},
              {"translational", ", at: [1, 0, 0], axis: [0, 1, 0]"},
              {"cylindrical", ", at: [1, 0, 0], axis: [0, 1, 0]"},
              {"universal", ", at: [1, 0, 0], axis: [[0, 1, 0], [1, 0, 0]]"},
              {"spherical", ", at: [1, 0, 0]"},
              {"planar", ", at: [1, 0, 0], axis: [0, 1, 0]"},
              {"screw", ", at: [1, 0, 0], axis: [0, 1, 0], lead: 0.1"},
              {"free", ""},
              {"no-rotation", ""},
              {"distance", ", at: [[1, 0, 0], [1, 0.5, 0]]"},
              {"spherical-revolute", ", at: [[1, 0, 0], [1, 0, 0.5]], axis: [0, 1, 0]"},
              {"spherical-translational", ", at: [1, 0, 0], axis: [0, 1, 0]"}};

static void every_joint_runs_in_the_tree_and_cut(void **state)
{
  (void)state;
  static const char *const integrator[] = {"ab3", "reference"};
  int wrong = 0;
  for (size_t i = 0; i < sizeof joints / sizeof *joints; i++)
    for (int way = 0; way < 4; way++) {  // bodies in either order, in the tree or cut
      char text[2048], what[128];
      const bool cut = way / 2 == 1, turned = way % 2 == 1;
      if (cut && !strcmp(joints[i].type, "free"))
        continue;  // brings no constraint that could be cut
      snprintf(text, sizeof text,
               AB BODY("c", "1", "[2, 0, 0.5]", "0.2")
               "joints:\n  f: {type: free, bodies: [ground, a]}\n"
               "  p: {type: spherical, bodies: [a, b], at: [0.5, 0, 0.4]}\n%s"
               "  q: {type: %s, bodies: [%s]%s}\n%s",
               cut ? "  r: {type: cylindrical, bodies: [a, c], at: [0, 1, 0], axis: [0, 0.2, 1]}\n" : "",
               joints[i].type, turned ? "c, b" : "b, c", joints[i].keys,
               cut ? "topology: {cut: [q]}\n" : "");
      snprintf(what, sizeof what, "%s, %s%s", joints[i].type, cut ? "cut" : "in the tree",
               turned ? ", turned" : "");
      write_file("model.yaml", "jounce: 1\n", text);
      for (int k = 0; k < 2; k++) {
        const char *const arguments[] = {"run", "model.yaml",   "--end",       "0.01", "--out",
                                         "-",   "--integrator", integrator[k], NULL};
        jt_command(folder, arguments, &run);
        wrong += is_wrong(what, 0, NULL);
      }
    }
  assert_int_equal(wrong, 0);
}

// ---- many bodies -------------------------------------------------------------------------------------

// A chain of n links, and a rod across every third pair if there are loops.
static void write_chain(int n, bool loops)
{
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/model.yaml", folder);
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fputs("jounce: 1\nbodies:\n", out);
  for (int i = 0; i < n; i++)
    fprintf(out, "  b%d: {mass: 1, cg: [%d.5, 0, 0], inertia: [0.1, 0.1, 0.1]}\n", i, i);
  fputs("joints:\n  j0: {type: revolute, bodies: [ground, b0], " TREE "}\n", out);
  for (int i = 1; i < n; i++)
    fprintf(out, "  j%d: {type: revolute, bodies: [b%d, b%d], at: [%d, 0, 0], axis: [0, 1, 0]}\n",
            i, i - 1, i, i);
  for (int i = 0; loops && i + 2 < n; i += 3)
    fprintf(out, "  r%d: {type: distance, bodies: [b%d, b%d], at: [[%d.5, 0, 1], [%d.5, 0, 1]]}\n",
            i, i, i + 2, i, i + 2);
  assert_int_equal(fclose(out), 0);
}

static void sizes_have_a_limit(void **state)
{
  (void)state;
  static const struct {
    int n;
    bool loops;
    const char *formulation;
    int code;
    const char *text;
  } chain[] = {
      {4500, false, "subsystem", 0, ANY},
      {4500, false, "recursive", 2,
       "4500 coordinates with 0 constraints would be solved together; at most"},
      {4500, false, "independent", 2, "use `subsystem`"},
      {300, true, "subsystem", 0, ANY},
      {300, true, "independent", 0, ANY},
  };
  int wrong = 0;
  for (size_t i = 0; i < sizeof chain / sizeof *chain; i++) {
    const char *const arguments[] = {
        "run",           "model.yaml",         "--end",    "0.002", "--out", "-",
        "--formulation", chain[i].formulation, "--record", "b0.*",  NULL};
    write_chain(chain[i].n, chain[i].loops);
    jt_command(folder, arguments, &run);
    wrong += is_wrong(chain[i].formulation, chain[i].code, chain[i].text);
  }
  const char *const still[] = {"equilibrium", "model.yaml", NULL};
  write_chain(400, false);
  jt_command(folder, still, &run);
  wrong += is_wrong("equilibrium", 2, "at most 300 can be found");
  assert_int_equal(wrong, 0);
}

// ---- odd calls ---------------------------------------------------------------------------------------

static void odd_numbers_are_steps_or_refused(void **state)
{
  (void)state;
  static const struct {
    const char *option[3];
    int code;
    const char *text;
  } call[] = {
      {{"--step=1e-9", "--end=1e-6"}, 0, ANY},
      {{"--step=10"}, 3, "not to be trusted: energy has drifted by 491 J"},
      {{"--end=1e-9"}, 0, ANY},
      {{"--step=1e-300", "--end=1e-300"}, 0, ANY},
      {{"--every=1e-300", "--end=0.01"}, 0, ANY},
      {{"--every=1e300", "--end=0.01"}, 0, ANY},
      {{"--step=1e300"}, 1, "failed at t = 1e+300 s: body a"},
      {{"--step=1e-13"}, 2, "more than 1e12 steps"},
      {{"--step=1e-320"}, 2, "expected a number above zero"},
      {{"--step=nan"}, 2, "expected a number above zero"},
      {{"--end=inf"}, 2, "expected a number above zero"},
      {{"--end=-1"}, 2, "expected a number above zero"},
      {{"--every=0"}, 2, "expected a number above zero"},
      {{"--record=nonsense"}, 2, "there is no channel \"nonsense\""},
      {{"--integrator=reference", "--stabilize=baumgarte"}, 2, "does not go with `baumgarte`"},
      {{"--base=nobody"}, 2, "no body \"nobody\""},
  };
  int wrong = 0;
  write_file("model.yaml", "jounce: 1\n", A HINGE);
  for (size_t i = 0; i < sizeof call / sizeof *call; i++) {
    const char *const arguments[] = {
        "run", "model.yaml", "--out=-", call[i].option[0], call[i].option[1], NULL};
    jt_command(folder, arguments, &run);
    wrong += is_wrong(call[i].option[0], call[i].code, call[i].text);
  }
  assert_int_equal(wrong, 0);
}

static void folders_may_have_any_name(void **state)
{
  (void)state;
  char path[PATH_MAX];
  write_file("model.yaml", "jounce: 1\n", A HINGE);
  const char *const arguments[] = {"run",   "model.yaml",           "--end=0.01",
                                   "--out", "a folder/\xc3\xa9 %s", NULL};
  jt_command(folder, arguments, &run);
  assert_int_equal(is_wrong("a folder with spaces", 0, NULL), 0);
  static const char *const ending[] = {"csv", "h5"};
  for (int i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "%s/a folder/\xc3\xa9 %%s/model.%s", folder, ending[i]);
    assert_int_equal(unlink(path), 0);
  }
  *strrchr(path, '/') = 0;
  assert_int_equal(rmdir(path), 0);
  *strrchr(path, '/') = 0;
  assert_int_equal(rmdir(path), 0);
}

// ---- the folder ----------------------------------------------------------------------------------------

static int enter(void **state)
{
  (void)state;
  return mkdtemp(folder) ? 0 : -1;
}

static int leave(void **state)
{
  (void)state;
  static const char *const name[] = {"model.yaml", "scenario.yaml"};
  for (int i = 0; i < 2; i++) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name[i]);
    unlink(path);
  }
  return rmdir(folder);  // fails if anything is left in it
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(models_run_or_say_why_not),
      cmocka_unit_test(every_joint_runs_in_the_tree_and_cut),
      cmocka_unit_test(sizes_have_a_limit),
      cmocka_unit_test(odd_numbers_are_steps_or_refused),
      cmocka_unit_test(folders_may_have_any_name),
  };
  return cmocka_run_group_tests(tests, enter, leave);
}
