// Pages: what is in them is what is in the result, however large it is and whatever its names are.
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "harness.h"
#include "jounce/report.h"

static char folder[64];

static int make_folder(void **state)
{
  (void)state;
  strcpy(folder, "/tmp/jounce-page-XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
  char command[128];
  (void)state;
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

static const char *path(const char *name)
{
  static char text[4][192];
  static int next;
  char *out = text[next++ % 4];
  snprintf(out, sizeof text[0], "%s/%s", folder, name);
  return out;
}

// ---- reading a page --------------------------------------------------------------------------------

typedef struct opened {
  char *html;
  size_t size;
  json_t *about;
  const char *data;  // base64
} opened;

static const char *inside(const char *html, const char *id)
{
  char mark[64];
  snprintf(mark, sizeof mark, "id=\"%s\">", id);
  const char *at = strstr(html, mark);
  assert_non_null(at);
  return at + strlen(mark);
}

static opened open_page(const char *file)
{
  opened p = {0};
  struct stat there;
  assert_int_equal(stat(file, &there), 0);
  p.size = (size_t)there.st_size;
  p.html = calloc(1, p.size + 1);
  FILE *in = fopen(file, "rb");
  assert_true(p.html && in && fread(p.html, 1, p.size, in) == p.size);
  fclose(in);
  assert_int_equal(strlen(p.html), p.size);
  p.data = inside(p.html, "data");
  const char *about = inside(p.html, "about"), *end = strstr(about, "</script>");
  assert_non_null(end);
  json_error_t why;
  p.about = json_loadb(about, (size_t)(end - about), 0, &why);
  if (!p.about) fail_msg("the JSON of the page: %s", why.text);
  return p;
}

static void close_page(opened *p)
{
  json_decref(p->about);
  free(p->html);
}

// Bytes from an offset on; base64 as RFC 4648 has it.
static void decode(const opened *p, int64_t offset, void *out, size_t n)
{
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  assert_int_equal(offset % 12, 0);
  for (size_t i = 0; i < n; i++) {
    const char *four = p->data + (offset + (int64_t)i) / 3 * 4;
    unsigned bits = 0;
    for (int k = 0; k < 4; k++) {
      const char *d = strchr(digit, four[k]);
      assert_true(four[k] && d);
      bits = bits << 6 | (unsigned)(d - digit);
    }
    ((unsigned char *)out)[i] = (unsigned char)(bits >> (16 - 8 * ((offset + (int64_t)i) % 3)));
  }
}

static double number(json_t *o, const char *key)
{
  json_t *x = json_object_get(o, key);
  return json_is_number(x) ? json_number_value(x) : NAN;
}

static json_t *channel(const opened *p, int i)
{
  return json_array_get(json_object_get(p->about, "channels"), (size_t)i);
}

static jn_report write_page(const char *result, const char *page)
{
  jn_error err = {0};
  jn_result *r = NULL;
  jn_report out;
  if (jn_result_open(result, &r, &err) || jn_report_write(r, page, &out, &err))
    fail_msg("%s", err.text);
  jn_result_free(r);
  return out;
}

// ---- tests ------------------------------------------------------------------------------------------

static const char *run_model(const char *model, const char *end)
{
  static char file[192];
  static jt_run run;
  const char *arguments[] = {"run", model, "--without-tyres", "--end", end, "--out", folder, NULL};
  jt_command(".", arguments, &run);
  if (run.code) fail_msg("%s", run.err);
  const char *base = strrchr(model, '/') + 1;
  snprintf(file, sizeof file, "%s/%.*s.h5", folder, (int)strcspn(base, "."), base);
  return file;
}

static void channels_and_motion_are_those_of_the_result(void **state)
{
  (void)state;
  const char *file = run_model("models/hmmwv.yaml", "0.1");
  const jn_report made = write_page(file, path("hmmwv.html"));
  opened p = open_page(path("hmmwv.html"));
  jn_error err = {0};
  jn_result *r;
  assert_int_equal(jn_result_open(file, &r, &err), JN_OK);
  const int n = jn_result_channel_count(r);
  enum { ROWS = 101 };
  static double wanted[ROWS], time[ROWS], pose[ROWS * 14 * 7];
  static float found[ROWS * 7];
  assert_int_equal(jn_result_rows(r), ROWS);
  assert_int_equal(made.rows, ROWS);
  assert_int_equal(made.channels, n);
  assert_int_equal(json_array_size(json_object_get(p.about, "channels")), n);
  decode(&p, (int64_t)number(json_object_get(p.about, "rows"), "time"), time, sizeof time);
  assert_int_equal(jn_result_read(r, 0, 0, 1, ROWS, wanted, &err), JN_OK);
  assert_memory_equal(time, wanted, sizeof time);

  int constant = 0;
  for (int c = 0; c < n; c++) {
    json_t *o = channel(&p, c);
    double low = INFINITY, high = -INFINITY;
    assert_string_equal(json_string_value(json_object_get(o, "name")),
                        jn_result_channel_at(r, c).name);
    assert_string_equal(json_string_value(json_object_get(o, "unit")),
                        jn_result_channel_at(r, c).unit);
    assert_string_equal(json_string_value(json_object_get(o, "help")),
                        jn_result_channel_at(r, c).help);
    assert_int_equal(jn_result_read(r, c, 0, 1, ROWS, wanted, &err), JN_OK);
    for (int i = 0; i < ROWS; i++) low = fmin(low, wanted[i]), high = fmax(high, wanted[i]);
    JT_NEAR(number(o, "min"), low, 1e-8 * fabs(low));  // nine digits
    JT_NEAR(number(o, "max"), high, 1e-8 * fabs(high));
    JT_NEAR(number(o, "last"), wanted[ROWS - 1], 1e-8 * fabs(wanted[ROWS - 1]));
    if (!json_object_get(o, "at")) {
      JT_NEAR(low, high, 0.0);
      constant++;
      continue;
    }
    decode(&p, (int64_t)number(o, "at"), found, ROWS * sizeof *found);
    for (int i = 0; i < ROWS; i++) JT_NEAR(found[i], (float)wanted[i], 0.0);
  }
  assert_true(constant > 0 && constant < n);  // the rack stays, the chassis moves

  json_t *motion = json_object_get(p.about, "motion");
  assert_int_equal(jn_result_motion(r, 0, 1, ROWS, pose, &err), JN_OK);
  const int64_t block = (ROWS * 7 * 4 + 11) / 12 * 12;
  for (int b = 0; b < 14; b++) {
    const char *name =
        json_string_value(json_array_get(json_object_get(motion, "bodies"), (size_t)b));
    int own = 0;  // the page has bodies in the order of the model
    while (strcmp(jn_result_body_name(r, own), name)) own++;
    decode(&p, (int64_t)number(motion, "at") + b * block, found, sizeof found);
    for (int i = 0; i < ROWS; i++)
      for (int k = 0; k < 7; k++)
        JT_NEAR(found[7 * i + k], (float)pose[(i * 14 + own) * 7 + k], 0.0);
  }
  jn_result_free(r);
  close_page(&p);
}

static void scene_has_what_the_model_has(void **state)
{
  (void)state;
  write_page(path("hmmwv.h5"), path("hmmwv.html"));
  opened p = open_page(path("hmmwv.html"));
  json_t *scene = json_object_get(p.about, "scene");
  const struct {
    const char *key;
    size_t n;
  } list[] = {{"bodies", 14}, {"joints", 21}, {"links", 12},
              {"wheels", 4},  {"mounts", 0},  {"contacts", 0}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    assert_int_equal(json_array_size(json_object_get(scene, list[i].key)), list[i].n);
  json_t *wheel = json_array_get(json_object_get(scene, "wheels"), 0);
  JT_NEAR(number(wheel, "radius"), 0.47, 1e-3);
  json_t *joint = json_array_get(json_object_get(scene, "joints"), 1);
  assert_string_equal(json_string_value(json_object_get(joint, "name")), "lca_pivot_fl");
  assert_string_equal(json_string_value(json_object_get(joint, "type")), "revolute");
  json_t *point = json_array_get(json_object_get(joint, "at"), 0);
  JT_NEAR(json_number_value(json_array_get(point, 0)), 1.688965, 1e-9);
  const char *dof = json_string_value(json_object_get(
      json_object_get(json_object_get(p.about, "facts"), "Model"), "degrees of freedom"));
  assert_string_equal(dof, "11");
  close_page(&p);
}

// Rows 0, n, 2n ... and the last one; extremes of all rows, also of those that are not in the page.
static void large_results_are_thinned_out_evenly(void **state)
{
  (void)state;
  enum { CHANNELS = 400, ROWS = 20001, PEAK = 12345 };
  FILE *out = fopen(path("large.csv"), "w");
  fputs("time", out);
  for (int c = 1; c < CHANNELS; c++) fprintf(out, ",c%d", c);
  for (int i = 0; i < ROWS; i++) {
    fprintf(out, "\n%d", i);
    for (int c = 1; c < CHANNELS; c++)
      fputs(c == 1 ? i == PEAK ? ",7" : i % 2 ? ",1" : ",2" : ",3", out);
  }
  fputc('\n', out);
  fclose(out);
  const jn_report made = write_page(path("large.csv"), path("large.html"));
  opened p = open_page(path("large.html"));
  json_t *rows = json_object_get(p.about, "rows");
  const int every = (int)number(rows, "every"), count = (int)number(rows, "count");
  assert_int_equal(made.rows_every, every);
  assert_int_equal(count, (ROWS - 1 + every - 1) / every + 1);
  assert_true(count * CHANNELS * 4 <= 12 << 20);  // as few left out as fit
  assert_true((ROWS - 1) / (every - 1) * CHANNELS * 4 > 12 << 20);
  double *time = malloc((size_t)count * sizeof *time);
  decode(&p, (int64_t)number(rows, "time"), time, (size_t)count * sizeof *time);
  for (int i = 0; i < count; i++) JT_NEAR(time[i], i * every < ROWS ? i * every : ROWS - 1, 0.0);
  JT_NEAR(time[count - 1], ROWS - 1, 0.0);
  JT_NEAR(number(channel(&p, 1), "max"), 7.0, 0.0);
  JT_NEAR(number(channel(&p, 1), "max_time"), PEAK, 0.0);
  JT_NEAR(number(channel(&p, 2), "value"), 3.0, 0.0);  // constant: no block
  assert_null(json_object_get(channel(&p, 2), "at"));
  free(time);
  close_page(&p);
}

static void many_channels_are_cut_off_and_reported(void **state)
{
  (void)state;
  FILE *out = fopen(path("wide.csv"), "w");
  fputs("time", out);
  for (int c = 1; c < 2100; c++) fprintf(out, ",c%d", c);
  for (int i = 0; i < 2; i++) {
    fprintf(out, "\n%d", i);
    for (int c = 1; c < 2100; c++) fprintf(out, ",%d", c + i);
  }
  fputc('\n', out);
  fclose(out);
  const jn_report made = write_page(path("wide.csv"), path("wide.html"));
  assert_int_equal(made.channels, 2000);
  assert_int_equal(made.channels_of, 2100);
  opened p = open_page(path("wide.html"));
  JT_NEAR(number(p.about, "channels_left_out"), 100, 0.0);
  JT_NEAR(number(channel(&p, 1999), "last"), 2000, 0.0);
  close_page(&p);
}

static void names_and_numbers_of_any_kind_are_kept(void **state)
{
  static const char odd[] = "</script><!--\xc3\xa4\"\\'&";
  (void)state;
  FILE *out = fopen(path("odd.csv"), "wb");
  fprintf(out, "time,%s,gaps\n0,1,nan\n1,1e39,2\n2,-3,inf\n", odd);
  fclose(out);
  write_page(path("odd.csv"), path("odd.html"));
  opened p = open_page(path("odd.html"));
  // No "<" of the result's is in the page as it is.
  const char *about = inside(p.html, "about"), *end = strstr(about, "</script>");
  assert_null(memchr(about, '<', (size_t)(end - about)));
  assert_string_equal(json_string_value(json_object_get(channel(&p, 1), "name")), odd);
  float value[3];
  decode(&p, (int64_t)number(channel(&p, 2), "at"), value, sizeof value);
  assert_true(isnan(value[0]) && value[1] == 2.0f && isinf(value[2]));
  JT_NEAR(number(channel(&p, 2), "min"), 2.0, 0.0);
  JT_NEAR(number(channel(&p, 2), "max"), 2.0, 0.0);
  JT_NEAR(number(channel(&p, 2), "max_time"), 1.0, 0.0);
  JT_NEAR(number(channel(&p, 1), "max"), 1e39, 1e30);
  close_page(&p);
}

// The page needs nothing from elsewhere.
static void page_is_whole(void **state)
{
  (void)state;
  write_page(path("odd.csv"), path("odd.html"));
  opened p = open_page(path("odd.html"));
  assert_ptr_equal(strstr(p.html, "<!doctype html>"), p.html);
  assert_null(strstr(p.html, " src=\"/"));
  assert_null(strstr(p.html, "<link rel=\"stylesheet\""));
  assert_null(strstr(p.html, "<!--jounce:result-->"));
  assert_non_null(strstr(p.html, "</html>"));
  close_page(&p);
}

static void calls(void **state)
{
  (void)state;
  static const struct {
    const char *arguments[5];
    int code;
    const char *says;
  } list[] = {
      {{"plot"}, 2, "plot needs a result"},
      {{"plot", "a", "b"}, 2, "plot takes one result, found \"b\" too"},
      {{"plot", "--fast", "a"}, 2, "plot has no option \"--fast\""},
      {{"plot", "a", "--out"}, 2, "--out lacks its value"},
      {{"plot", "nothing.h5"}, 2, "nothing.h5: cannot be opened: No such file"},
      {{"plot", "odd.csv", "--out", "no/such/page.html"},
       2,
       "no/such/page.html: the report cannot be written: No such"},
      {{"plot", "odd.csv", "--out", "/dev/full"},
       2,
       "/dev/full: the report cannot be written: No space"},
      {{"plot", "odd.csv"}, 0, ""},
      {{"plot", "odd.csv", "--out=other.html"}, 0, ""},
  };
  static jt_run run;
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    jt_command(folder, list[i].arguments, &run);
    assert_int_equal(run.code, list[i].code);
    if (!strstr(run.err, list[i].says)) fail_msg("%s, not %s", run.err, list[i].says);
  }
  assert_int_equal(access(path("other.html"), R_OK), 0);
  struct stat device;  // what could not be written is removed if it is a file, and only then
  assert_true(!stat("/dev/full", &device) && S_ISCHR(device.st_mode));
  assert_int_not_equal(access(path("no/such/page.html"), F_OK), 0);
  const char *const call[] = {"plot", "odd.csv", NULL};
  jt_command(folder, call, &run);
  assert_non_null(strstr(run.out, "odd.html: 3 of 3 rows, 3 of 3 channels\n"));
  const char *const piped[] = {"plot", "odd.csv", "--out", "-", NULL};
  jt_command(folder, piped, &run);
  assert_int_equal(run.code, 0);
  assert_ptr_equal(strstr(run.out, "<!doctype html>"), run.out);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(channels_and_motion_are_those_of_the_result),
      cmocka_unit_test(scene_has_what_the_model_has),
      cmocka_unit_test(large_results_are_thinned_out_evenly),
      cmocka_unit_test(many_channels_are_cut_off_and_reported),
      cmocka_unit_test(names_and_numbers_of_any_kind_are_kept),
      cmocka_unit_test(page_is_whole),
      cmocka_unit_test(calls),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
