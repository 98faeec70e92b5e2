// Wrong models and wrong command lines: one line on standard error that names the place and what is
// wrong there, exit code 2, nothing on standard output, no file left behind. That the work does not grow with the square of the input is
// seen by test/project/check_growth, which counts it.
#include "cli/command.h"

static char root[PATH_MAX];                         // the project
static char folder[] = "/tmp/jounce-wrong-XXXXXX";  // where the command runs, and what it reads
static int ncase;

// ---- one case ----------------------------------------------------------------------------------

// `place` is what stands in front of the text: "file:line:col", "file", or "" for a wrong call.
static int is_refused(const char *const *arguments, const char *place, const char *text)
{
  static jt_run run;
  char begin[PATH_MAX + 64];
  int before = jt_count_files(folder);
  jt_command(folder, arguments, &run);
  ncase++;
  snprintf(begin, sizeof begin, "jounce: %s%s", place, place[0] ? ": " : "");
  size_t length = strlen(run.err);
  const char *wrong = NULL;
  if (run.hung)
    wrong = "hangs";
  else if (run.code != 2)
    wrong = "has the wrong exit code";
  else if (run.out[0])
    wrong = "prints something on standard output";
  else if (length == 0 || strchr(run.err, '\n') != run.err + length - 1)
    wrong = "does not print one line";
  else if (strncmp(run.err, begin, strlen(begin)))
    wrong = "does not name the place";
  else if (!strstr(run.err + strlen(begin), text))
    wrong = "does not say what is wrong";
  else if (jt_count_files(folder) != before)
    wrong = "leaves a file behind";
  if (!wrong) return 0;
  print_error("jounce");
  for (int i = 0; arguments[i]; i++) print_error(" '%.80s'", arguments[i]);
  print_error(": %s\n  expected: %s...%s\n  found: %s  exit code %d\n", wrong, begin, text, run.err,
              run.code);
  return 1;
}

static int model_is_refused(const char *file, const char *place, const char *text)
{
  const char *arguments[] = {"check", file, NULL};
  char where[PATH_MAX];
  if (place[0] >= '0' && place[0] <= '9')
    snprintf(where, sizeof where, "%s:%s", file, place);
  else
    snprintf(where, sizeof where, "%s", place[0] == '-' ? file : place);
  return is_refused(arguments, where, text);
}

// ---- test/wrong/cases.txt ----------------------------------------------------------------------

static char *trim(char *s)
{
  while (*s == ' ') s++;
  for (char *end = s + strlen(s); end > s && strchr(" \n", end[-1]);) *--end = 0;
  return s;
}

static void small_files_are_refused_at_their_place(void **state)
{
  (void)state;
  char path[PATH_MAX + 32], line[1024];
  snprintf(path, sizeof path, "%s/test/wrong/cases.txt", root);
  FILE *in = fopen(path, "r");
  assert_non_null(in);
  int wrong = 0, nfile = 0;
  while (fgets(line, sizeof line, in)) {
    if (line[0] == '#' || line[0] == '\n') continue;
    char *place = strchr(line, '|'), *text = place ? strchr(place + 1, '|') : NULL;
    assert_non_null(text);
    *place++ = 0, *text++ = 0;
    char file[256], where[256];
    snprintf(file, sizeof file, "wrong/%s.yaml", trim(line));
    place = trim(place);
    bool elsewhere = strchr(place, '/');
    snprintf(where, sizeof where, "%s%s", elsewhere ? "wrong/" : "", place);
    wrong += model_is_refused(file, where, trim(text));
    nfile++;
  }
  fclose(in);
  snprintf(path, sizeof path, "%s/test/wrong", root);
  assert_int_equal(jt_count_files(path) - 3, nfile);  // each its line; the table, part/, scenario/
  assert_int_equal(wrong, 0);
}

// ---- files made here: large, deep or odd -------------------------------------------------------

static FILE *create(const char *name)
{
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *out = fopen(path, "wb");
  assert_non_null(out);
  return out;
}

static void discard(const char *name)
{
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  assert_int_equal(unlink(path), 0);
}

static void put_times(FILE *out, const char *text, int times)
{
  for (int i = 0; i < times; i++) fputs(text, out);
}

// What it is, how it begins, what is repeated how often, how it ends; place and text of the error.
static const struct {
  const char *what, *begin, *part;
  int times;
  const char *end, *place, *text;
} repeated[] = {
    {"a name of 10 MB", "jounce: 1\nbodies:\n  ", "x", 10000000, ": {mass: 1}\n", "3:3",
     "10000000 characters, at most 63 are allowed"},
    {"a name of 10 MB in quotes", "jounce: 1\nbodies:\n  \"", "x", 10000000, "\": {mass: 1}\n",
     "3:3", "10000000 characters, at most 63 are allowed"},
    {"a key of 10 MB", "jounce: 1\n", "x", 10000000, ": 1\n", "2:1", "a model has no key \"xxxx"},
    {"a model's name of 10 MB", "jounce: 1\nname: ", "x", 10000000, "\n", "2:7",
     "is 10000000 bytes long, at most 65536 are allowed"},
    {"a number of 10 MB", "jounce: 1\nbodies: {a: {mass: ", "1", 10000000, "}}\n", "2:20",
     "expected a number"},
    {"a scalar of 10 MB", "", "x", 10000000, "", "1:1", "expected a model"},
    {"text of 10 MB in lines", "jounce: 1\nname:\n", "  some words\n", 800000, "", "3:3",
     "bytes long, at most 65536"},
    {"text of 10 MB in a block", "jounce: 1\nname: |\n", "  some words\n", 800000, "", "3:1",
     "bytes long, at most 65536"},
    {"escapes of 10 MB", "jounce: 1\nname: \"", "\\n", 5000000, "\"\n", "2:7", "at most 65536"},
    {"17 MB", "jounce: 1\n", "# a long comment\n", 1 << 20, "", "-",
     "is too large: a model has at most 16777216 bytes"},
    {"100 MB", "jounce: 1\n",
     "# a long comment, which is six times as long as the first one was, more "
     "or less\n",
     1280000, "", "-", "is too large: a model has at most 16777216 bytes"},
    {"2 million lines of text", "jounce: 1\nname:\n", "  word\n", 2000000, "", "1000001:7",
     "one line too many: a model has at most 1000000"},
    {"100,000 brackets", "", "[", 100000, "", "1:25", "nested deeper than 24 levels"},
    {"10 million brackets", "", "[", 10000000, "", "1:500001", "too much for one model"},
    {"10 million braces", "", "{", 10000000, "", "1:500001", "too much for one model"},
    {"100,000 braces with keys", "", "{a: ", 100000, "", "1:97", "nested deeper than 24 levels"},
    {"100,000 dashes", "", "- ", 100000, "", "1:49", "nested deeper than 24 levels"},
    {"100,000 question marks", "", "? ", 100000, "", "1:1", "found ?, expected a key"},
    {"10 million closing brackets", "", "]", 10000000, "", "1:500001", "too much for one model"},
    {"10 million commas", "[", ",", 10000000, "", "1:500001", "too much for one model"},
    {"10 million quotes", "{", "\"", 10000000, "", "1:500001", "too much for one model"},
    {"2 million values in a line", "jounce: 1\nx: [", "1,", 2000000, "]\n", "2:1000000",
     "more than the 250000 values that are allowed"},
    {"2 million values in lines", "jounce: 1\nx:\n", "- 1\n", 2000000, "", "500001:1",
     "more than the 250000 values that are allowed"},
    {"300,000 values", "jounce: 1\nx:\n", "- 1\n", 300000, "", "250000:3",
     "one value too many: a model has at most 250000"},
    {"5 million anchors", "jounce: 1\nx: ", "&a ", 5000000, "", "2:1499998",
     "too much for one model"},
    {"4 million pairs", "[", "a: 1,", 4000000, "]\n", "-", "is too large"},
    {"400,000 pairs", "[", "a: 1,", 400000, "]\n", "1:1250001", "too much for one model"},
    {"2 million comments behind text", "", "a #\n", 2000000, "", "500001:3",
     "too much for one model"},
    {"blank lines in a block", "jounce: 1\nname: |\n", "\n", 10000000, "  x\n", "10001:1",
     "too much white space up to here"},
    {"blank lines in text", "jounce: 1\nname: a\n", "\n", 10000000, " b\n", "10001:1",
     "too much white space up to here"},
    {"blank lines in quotes", "jounce: 1\nname: \"", "                                \n", 400000,
     "\"\n", "1743:8", "too much white space up to here"},
    {"blanks behind a dash", "- ", " ", 10000000, "a\n", "1:10001",
     "too much white space up to here"},
    {"blanks behind a bracket", "jounce: 1\nx: []", " ", 10000000, "a\n", "2:10005",
     "too much white space up to here"},
    {"documents", "", "---\n", 100000, "", "2:1", "a second document begins here"},
    {"document ends", "", "...\n", 100000, "", "1:1", "is empty"},
    {"carriage returns alone", "jounce: 1", "\r", 10, "bodies: {a: {mass: 0}}\r", "11:20",
     "must be above zero"},
    {"a byte order mark, then a wrong version", "\xef\xbb\xbf", "jounce: 3\n", 1, "", "1:9",
     "the format's version is 3"},
    {"two byte order marks", "\xef\xbb\xbf\xef\xbb\xbf", "jounce: 1\n", 1, "", "1:1",
     "the character U+FEFF is not allowed"},
    {"an overlong character", "jounce: 1\nname: ", "\xc0\xaf", 1, "\n", "2:7",
     "the byte 0xc0 is not UTF-8 text"},
    {"half a character", "jounce: 1\nname: ", "\xe2\x82", 1, "", "2:7",
     "the byte 0xe2 is not UTF-8 text"},
    {"a surrogate", "jounce: 1\nname: ", "\xed\xa0\x80", 1, "\n", "2:7",
     "the byte 0xed is not UTF-8 text"},
    {"beyond Unicode", "jounce: 1\nname: ", "\xf4\x90\x80\x80", 1, "\n", "2:7",
     "the byte 0xf4 is not UTF-8 text"},
    {"Latin-1", "jounce: 1\nname: ",
     "Gr\xfc\xdf"
     "e",
     1, "\n", "2:9", "the byte 0xfc is not UTF-8 text"},
    {"a bell", "jounce: 1\nname: ", "\a", 1, "\n", "2:7", "the character U+0007 is not allowed"},
    {"an escape sequence", "jounce: 1\nname: ", "\x1b[31m", 1, "\n", "2:7",
     "the character U+001B is not allowed"},
    {"a rubout", "jounce: 1\nname: a", "\x7f", 1, "\n", "2:8",
     "the character U+007F is not allowed"},
    {"a next-line character", "jounce: 1\nname: é", "\xc2\x85", 1, "\n", "2:8",
     "the character U+0085 is not allowed"},
    {"a line separator", "jounce: 1\nname: ", "\xe2\x80\xa8", 1, "\n", "2:7",
     "the character U+2028 is not allowed"},
    {"text that ends in the middle", "jounce: 1\nname: \"a", "\\", 1, "", "2:7",
     "the quote that opens here is not closed"},
    {"a key behind ?, then a tab", "", "? a:\t>", 1, "", "1:1", "found ?, expected a key"},
    {"a key behind ? in a list", "jounce: 1\nx:\n- - ", "? ", 1, "a: b\n", "3:5",
     "found ?, expected a key"},
    {"a key behind ? in brackets", "jounce: 1\nx: [a, ", "?", 1, "\n b]\n", "2:8",
     "found ?, expected a key"},
    {"a document that is a block", "--- |\n", "- \n", 1, "   a\n", "2:1",
     "found a block of text, expected a mapping"},
    {"a block of blanks", "jounce: 1\nname: >1\n", "   \n", 1, "", "3:1",
     "found a block of blanks, expected text"},
    {"a block that the file ends in", "jounce: 1\nbodies: ", "|", 1, "", "3:1",
     "found the text \"\", expected a mapping"},
    {"%\\n%", "", "%\n", 1, "%", "1:1", "a line may not begin with %"},
    {"%%%", "", "%", 3, "", "1:1", "a line may not begin with %"},
    {"%a\\n", "", "%a\n", 1, "", "1:1", "a line may not begin with %"},
    {"% behind a carriage return", "jounce: 1\r", "%", 1, "", "2:1", "a line may not begin with %"},
    {"% behind a byte order mark", "\xef\xbb\xbf", "%", 3, "", "1:1",
     "a line may not begin with %"},
};

static void large_deep_and_odd_files_are_refused(void **state)
{
  (void)state;
  int wrong = 0;
  for (size_t i = 0; i < sizeof repeated / sizeof *repeated; i++) {
    FILE *out = create("made.yaml");
    fputs(repeated[i].begin, out);
    put_times(out, repeated[i].part, repeated[i].times);
    fputs(repeated[i].end, out);
    assert_int_equal(fclose(out), 0);
    if (model_is_refused("made.yaml", repeated[i].place, repeated[i].text)) {
      print_error("  (%s)\n", repeated[i].what);
      wrong++;
    }
    discard("made.yaml");
  }
  assert_int_equal(wrong, 0);
}

static void deep_indentation_is_refused(void **state)
{
  (void)state;
  static const struct {
    const char *part, *place;
  } kind[] = {{"a:\n", "25:25"}, {"-\n", "25:25"}};
  int wrong = 0;
  for (int k = 0; k < 2; k++) {
    FILE *out = create("made.yaml");
    for (int i = 0; i < 5000; i++) {
      fprintf(out, "%*s", i, "");
      fputs(kind[k].part, out);
    }
    fclose(out);
    wrong += model_is_refused("made.yaml", kind[k].place, "nested deeper than 24 levels");
    discard("made.yaml");
  }
  assert_int_equal(wrong, 0);
}

static void text_of_two_bytes_a_character_is_refused(void **state)
{
  (void)state;
  const char *text = "jounce: 1\n";
  int wrong = 0;
  for (int big = 0; big < 2; big++)
    for (int mark = 0; mark < 2; mark++) {
      FILE *out = create("made.yaml");
      if (mark) fputs(big ? "\xfe\xff" : "\xff\xfe", out);
      for (const char *s = text; *s; s++) {
        if (big) putc(0, out);
        putc(*s, out);
        if (!big) putc(0, out);
      }
      fclose(out);
      wrong += model_is_refused("made.yaml", "1:1", "the file is UTF-16, expected UTF-8");
      discard("made.yaml");
    }
  FILE *out = create("made.yaml");
  fwrite("jounce: 1\nname: a\0b\n", 1, 20, out);
  fclose(out);
  wrong += model_is_refused("made.yaml", "2:8", "the character U+0000 is not allowed");
  discard("made.yaml");
  assert_int_equal(wrong, 0);
}

static void random_bytes_are_refused(void **state)
{
  (void)state;
  int wrong = 0;
  for (uint64_t seed = 1; seed <= 8; seed++) {
    jt_random r = {seed};
    FILE *out = create("made.yaml");
    putc(0x80 + (int)seed, out);  // never the first byte of a character
    for (int i = 0; i < 100000; i++) putc((int)(jt_random_bits(&r) & 0xff), out);
    fclose(out);
    wrong += model_is_refused("made.yaml", "1:1", "is not UTF-8 text");
    discard("made.yaml");
  }
  assert_int_equal(wrong, 0);
}

// ---- models cut off ----------------------------------------------------------------------------

// A model may end so that the rest is still one; otherwise the message has a place inside the file.
static int cut_is_refused(const char *text, size_t length)
{
  static jt_run run;
  const char *const arguments[] = {"check", "cut.yaml", NULL};
  int lines = 1, line = 0, col = 0;
  for (size_t i = 0; i < length; i++) lines += text[i] == '\n';
  FILE *out = create("cut.yaml");
  fwrite(text, 1, length, out);
  fclose(out);
  jt_command(folder, arguments, &run);
  discard("cut.yaml");
  ncase++;
  if (run.code == 0 && !run.err[0]) return 0;
  bool one_line = run.err[0] && strchr(run.err, '\n') == run.err + strlen(run.err) - 1;
  bool place = sscanf(run.err, "jounce: cut.yaml:%d:%d: ", &line, &col) == 2 && line >= 1 &&
               line <= lines + 1 && col >= 1;
  if (run.code == 2 && !run.out[0] && one_line && place) return 0;
  print_error("cut after %zu bytes: exit code %d: %s", length, run.code, run.err);
  return 1;
}

static void models_cut_off_anywhere_are_refused_or_models(void **state)
{
  (void)state;
  static const char *const name[] = {"quarter-car", "slider-crank", "hmmwv", "five-link-bushings"};
  static char text[1 << 16];
  int wrong = 0;
  for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/models/%s.yaml", root, name[i]);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    size_t length = fread(text, 1, sizeof text, in);
    fclose(in);
    assert_true(length > 100 && length < sizeof text);
    for (int k = 1; k <= 20; k++)
      if (cut_is_refused(text, length * (size_t)k / 21)) {
        print_error("  (%s)\n", name[i]);
        wrong++;
      }
  }
  assert_int_equal(wrong, 0);
}

// ---- what is not a plain file ------------------------------------------------------------------

static void what_is_not_a_plain_file_is_refused_without_waiting(void **state)
{
  (void)state;
  char path[PATH_MAX];
  int wrong = 0;
  wrong += model_is_refused("nowhere.yaml", "-", "cannot be opened: No such file or directory");
  wrong +=
      model_is_refused("nowhere/model.yaml", "-", "cannot be opened: No such file or directory");
  wrong += model_is_refused("wrong", "-", "is a directory, expected a file");
  wrong += model_is_refused("wrong/cases.txt/x.yaml", "-", "cannot be opened: Not a directory");
  wrong += model_is_refused("/dev/null", "-", "is a device, a pipe or a socket, expected a file");
  wrong += model_is_refused("/dev/zero", "-", "is a device, a pipe or a socket, expected a file");
  wrong += model_is_refused("-", "-", "cannot be opened: No such file or directory");

  snprintf(path, sizeof path, "%s/pipe.yaml", folder);
  assert_int_equal(mkfifo(path, 0600), 0);
  wrong += model_is_refused("pipe.yaml", "-", "is a device, a pipe or a socket, expected a file");
  FILE *out = create("made.yaml");
  fputs("jounce: 1\nname: x\ninclude: pipe.yaml\n", out);
  fclose(out);
  wrong += model_is_refused("made.yaml", "3:10",
                            "\"pipe.yaml\" is a device, a pipe or a socket, expected a file");
  discard("made.yaml");
  discard("pipe.yaml");

  assert_int_equal(wrong, 0);
}

static void a_file_that_may_not_be_read_is_refused(void **state)
{
  (void)state;
  char path[PATH_MAX];
  if (geteuid() == 0) JT_SKIP("root may read anything");
  fclose(create("secret.yaml"));
  snprintf(path, sizeof path, "%s/secret.yaml", folder);
  assert_int_equal(chmod(path, 0), 0);
  const int wrong = model_is_refused("secret.yaml", "-", "cannot be opened: Permission denied");
  discard("secret.yaml");
  assert_int_equal(wrong, 0);
}

static void includes_have_a_limit(void **state)
{
  (void)state;
  int wrong = 0;
  char name[32];
  // A hundred side by side, and a hundred inside each other.
  FILE *out = create("made.yaml");
  fputs("jounce: 1\ninclude:\n", out);
  for (int i = 0; i < 100; i++) fprintf(out, "- part%d.yaml\n", i);
  fclose(out);
  for (int chain = 0; chain < 2; chain++) {
    for (int i = 0; i < 100; i++) {
      snprintf(name, sizeof name, "part%d.yaml", i);
      out = create(name);
      if (chain)
        fprintf(out, "include: part%d.yaml\n", i + 1);
      else
        fprintf(out, "points: {p%d: [0, 0, 0]}\n", i);
      fclose(out);
    }
    wrong +=
        model_is_refused(chain ? "part0.yaml" : "made.yaml", chain ? "part63.yaml:1:10" : "66:3",
                         "is one too many: a model has at most 64 files");
  }
  // Three that are small enough alone.
  for (int i = 0; i < 3; i++) {
    snprintf(name, sizeof name, "part%d.yaml", i);
    out = create(name);
    for (int k = 0; k < 70000; k++) fprintf(out, "# %098d\n", k);
    fputs("name: x\n", out);
    fclose(out);
  }
  wrong += model_is_refused("made.yaml", "5:3",
                            "\"part2.yaml\" is too large: a model has at most "
                            "16777216 bytes, all its files together");
  for (int i = 0; i < 100; i++) {
    snprintf(name, sizeof name, "part%d.yaml", i);
    discard(name);
  }
  discard("made.yaml");
  assert_int_equal(wrong, 0);
}

// ---- overrides and command lines ---------------------------------------------------------------

#define GOOD "wrong/part/good.yaml"

static const struct {
  const char *set, *place, *text;
} overrides[] = {
    {"bodies.a.mass", "--set", "found \"bodies.a.mass\", expected path=value"},
    {"=1", "--set", "found \"=1\", expected path=value"},
    {"a\nb", "--set", "found \"a\\x0ab\", expected path=value"},
    {".mass=1", "--set .mass:1:1", "the path has an empty part"},
    {"bodies..mass=1", "--set bodies..mass:1:1", "the path has an empty part"},
    {"bodies.a.=1", "--set bodies.a.:1:1", "the path has an empty part"},
    {"bodys.a.mass=1", "--set bodys.a.mass:1:1", "no \"bodys\" here, did you mean \"bodies\"?"},
    {"bodies.chassis.mass=1", "--set bodies.chassis.mass:1:1",
     "no \"chassis\" here; expected a, b"},
    {"bodies.a.mas=1", "--set bodies.a.mas:1:1", "has no key \"mas\", did you mean \"mass\"?"},
    {"bodies.a.mass=-1", "--set bodies.a.mass:1:1", "is -1, must be above zero"},
    {"bodies.a.mass=heavy", "--set bodies.a.mass:1:1", "found \"heavy\", expected a number"},
    {"bodies.a.mass=", "--set bodies.a.mass:1:1", "is empty, expected a value"},
    {"bodies.a.mass=1 # x\n2", "--set bodies.a.mass:2:1", "not YAML"},
    {"bodies.a.mass.kg=1", "--set bodies.a.mass.kg:1:1", "\"kg\" would be inside a single value"},
    {"bodies.a.cg.3=1", "--set bodies.a.cg.3:1:1",
     "\"3\" stands for a place in a list of 3, expected 0 to 2"},
    {"bodies.a.cg.-1=1", "--set bodies.a.cg.-1:1:1", "expected 0 to 2"},
    {"bodies.a.cg.z=1", "--set bodies.a.cg.z:1:1", "expected 0 to 2"},
    {"bodies.a.cg.99999999999999999999=1", "--set bodies.a.cg.99999999999999999999:1:1",
     "expected 0 to 2"},
    {"bodies.a.cg=[0, 0", "--set bodies.a.cg:1:6", "the [ of line 1, column 1 is still open"},
    {"bodies.a.cg=[0, 0]", "--set bodies.a.cg:1:1", "found a list of 2, expected three numbers"},
    {"bodies.a.cg=&a [0, 0, 0]", "--set bodies.a.cg:1:1", "anchors (&) and aliases (*)"},
    {"bodies.a.mass=%", "--set bodies.a.mass:1:1", "a line may not begin with %"},
    {"bodies.a.mass=\xff", "--set bodies.a.mass:1:1", "the byte 0xff is not UTF-8 text"},
    {"bodies={}", "--set bodies:1:1", "found no bodies"},
    {"units.length=mm", "--set units.length", "belong to a file and cannot be overridden"},
    {"axes=sae", "--set axes", "belong to a file and cannot be overridden"},
    {"include=x.yaml", "--set include", "belong to a file and cannot be overridden"},
    {"joints.q.axis=[0, 0, 0]", "--set joints.q.axis:1:1", "is zero, expected a direction"},
    {"topology={cut: [q]}", GOOD ":7:3", "cannot be cut"},
};

static void wrong_overrides_are_refused(void **state)
{
  (void)state;
  int wrong = 0;
  for (size_t i = 0; i < sizeof overrides / sizeof *overrides; i++) {
    const char *apart[] = {"check", GOOD, "--set", overrides[i].set, NULL};
    wrong += is_refused(apart, overrides[i].place, overrides[i].text);
  }
  assert_int_equal(wrong, 0);
}

static const struct {
  const char *arguments[6];
  const char *place, *text;
} calls[] = {
    {{"chek", GOOD},
     "",
     "there is no command \"chek\", did you mean \"check\"? (see jounce --help)"},
    {{"help", "rnu"}, "", "there is no command \"rnu\", did you mean \"run\"? (see jounce --help)"},
    {{"help", "nonsense"}, "", "there is no command \"nonsense\"; expected run, check, "},
    {{"help", "run", "plot"}, "", "help takes one command, found \"plot\" too (see jounce --help)"},
    {{"hel\x01p"}, "", "there is no command \"hel\\x01p\""},
    {{"check", GOOD, "--a\nb\x1b[31m"}, "", "check has no option \"--a\\x0ab\\x1b[31m\""},
    {{"--verbose"}, "", "there is no command \"--verbose\""},
    {{""}, "", "there is no command \"\""},
    {{"check"}, "", "check needs a model (see jounce check --help)"},
    {{"check", GOOD, "other.yaml", "third.yaml"},
     "",
     "check takes one model and one scenario, found \"third.yaml\" too"},
    {{"check", GOOD, "--fast"}, "", "check has no option \"--fast\""},
    {{"check", GOOD, "-x"}, "", "check has no option \"-x\""},
    {{"check", GOOD, "--jsonn"}, "", "check has no option \"--jsonn\""},
    {{"check", GOOD, "--set"}, "", "--set lacks its"},
    {{"check", GOOD, "--set="}, "", "--set lacks its"},
    {{"check", GOOD, "--expand", "--json"}, "", "choose one of --expand and --json"},
    {{"check", ""}, "", ""},
    {{"topology"}, "", "topology needs a model (see jounce topology --help)"},
    {{"topology", GOOD, GOOD}, "", "topology takes one model, found"},
    {{"topology", GOOD, "--expand"}, "", "topology has no option \"--expand\""},
    {{"topology", GOOD, "--dot", "--json"}, "", "choose one of --dot and --json"},
    {{"topology", GOOD, "--cut"}, "", "lacks its value"},
    {{"topology", GOOD, "--base"}, "", "lacks its value"},
    {{"topology", GOOD, "--set"}, "", "lacks its value"},
    {{"topology", GOOD, "--cut", "r"}, "", "no joint \"r\""},
    {{"topology", GOOD, "--base", "c"}, "", "no body \"c\""},
    {{"topology", GOOD, "--cut", "q"}, GOOD ":7:3", "cannot be cut"},
    {{"topology", "nowhere.yaml"}, "nowhere.yaml", "cannot be opened"},
    {{"topology", "wrong/mass-zero.yaml", "--json"},
     "wrong/mass-zero.yaml:3:13",
     "must be above zero"},
    {{"check", "wrong/mass-zero.yaml", "--expand"},
     "wrong/mass-zero.yaml:3:13",
     "must be above zero"},
};

static void wrong_command_lines_are_refused(void **state)
{
  (void)state;
  int wrong = 0;
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    wrong += is_refused(calls[i].arguments, calls[i].place, calls[i].text);
  assert_int_equal(wrong, 0);
}

// ---- the folder --------------------------------------------------------------------------------

static int enter(void **state)
{
  (void)state;
  char target[PATH_MAX + 32], link[PATH_MAX];
  if (!getcwd(root, sizeof root) || !mkdtemp(folder)) return -1;
  snprintf(target, sizeof target, "%s/test/wrong", root);
  snprintf(link, sizeof link, "%s/wrong", folder);
  return symlink(target, link);
}

static int leave(void **state)
{
  (void)state;
  char link[PATH_MAX];
  snprintf(link, sizeof link, "%s/wrong", folder);
  unlink(link);
  print_message("%d wrong inputs\n", ncase);
  return rmdir(folder);  // fails if anything is left in it
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_files_are_refused_at_their_place),
      cmocka_unit_test(large_deep_and_odd_files_are_refused),
      cmocka_unit_test(deep_indentation_is_refused),
      cmocka_unit_test(text_of_two_bytes_a_character_is_refused),
      cmocka_unit_test(random_bytes_are_refused),
      cmocka_unit_test(models_cut_off_anywhere_are_refused_or_models),
      cmocka_unit_test(what_is_not_a_plain_file_is_refused_without_waiting),
      cmocka_unit_test(a_file_that_may_not_be_read_is_refused),
      cmocka_unit_test(includes_have_a_limit),
      cmocka_unit_test(wrong_overrides_are_refused),
      cmocka_unit_test(wrong_command_lines_are_refused),
  };
  return cmocka_run_group_tests(tests, enter, leave);
}
