// What the reader does itself because the YAML library does it wrong: text in single quotes, text at
// the end of a file, characters that a file may only hold as escapes.
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "jounce/jounce.h"
#include "spec/spec_internal.h"

#define REST                                                    \
  "\nbodies: {a: {mass: 1, cg: [0, 0, 0], inertia: [1, 1, 1]}}" \
  "\njoints: {j: {type: free, bodies: [ground, a]}}"

// A model whose `name` is written as `text`, at the end of the file or in front of the rest.
static jn_spec *model_named(const char *text, bool at_end)
{
  char file[1024], line[1024];
  jn_error err = {0};
  jn_spec *spec = NULL;
  if (at_end)
    snprintf(file, sizeof file, "jounce: 1%s\nname: %s", REST, text);
  else
    snprintf(file, sizeof file, "jounce: 1\nname: %s%s\n", text, REST);
  if (jn_spec_parse(file, strlen(file), "test.yaml", NULL, 0, &spec, &err))
    fail_msg("%s\n%s", jn_error_line(&err, line, sizeof line), file);
  return spec;
}

static void text_is(const char *written, const char *meant)
{
  for (int at_end = 0; at_end < 2; at_end++) {
    jn_spec *spec = model_named(written, at_end);
    assert_string_equal(spec->name, meant);
    jn_spec_free(spec);
  }
}

static void single_quotes_hold_quotes_and_fold_lines(void **state)
{
  (void)state;
  text_is("''", "");
  text_is("' a '", " a ");
  text_is("'it''s'", "it's");
  text_is("''''", "'");
  text_is("''''''''", "'''");
  text_is("'''''b'", "''b");
  text_is("'a''''''b'", "a'''b");
  text_is("'\\n \" # : - [x'", "\\n \" # : - [x");
  text_is("'a\n  b'", "a b");
  text_is("'a  \n  b'", "a b");
  text_is("'a \t\n  \tb'", "a b");
  text_is("'a\n\n  b'", "a\nb");
  text_is("'a\n \n\n  b'", "a\n\nb");
  text_is("'\n  a\n  '", " a ");
  text_is("'a\r\n  b\r\n\r\n  c'", "a b\nc");
  text_is("'a\r  b\r\r  c'", "a b\nc");
  text_is("'ä''\n  ö'", "ä' ö");
}

static void quotes_of_any_number_read_as_half_as_many(void **state)
{
  (void)state;
  for (int n = 0; n < 200; n++) {
    char written[512] = "'x", meant[512] = "x";
    for (int i = 0; i < n; i++) strcat(written, "''"), strcat(meant, "'");
    strcat(written, "y'"), strcat(meant, "y");
    text_is(written, meant);
  }
}

static void blocks_end_with_the_file_or_before(void **state)
{
  (void)state;
  static const struct {
    const char *written, *meant;
  } block[] = {
      {"|\n  a\n  b\n", "a\nb\n"},
      {"|-\n  a\n\n", "a"},
      {">\n  a\n  b\n", "a b\n"},
      {"|+\n  a\n", "a\n"},
      {"|\n", ""},
      {"|", ""},
      {">-\n  a\n\n  b\n   c\n", "a\nb\n c"},
      {"| # nothing\n", ""},
      {"|2\n   a\n", " a\n"},
  };
  for (size_t i = 0; i < sizeof block / sizeof *block; i++) {
    jn_spec *spec = model_named(block[i].written, true);
    assert_string_equal(spec->name, block[i].meant);
    jn_spec_free(spec);
  }
}

// Whatever text a file can mean is printed so that it reads back.
static void any_text_reads_back(void **state)
{
  (void)state;
  static const unsigned code[] = {0x1,    0x9,    0xa,     0xd,     0x1b,    0x20,   0x22,
                                  0x23,   0x27,   0x5c,    0x7f,    0x80,    0x85,   0x9f,
                                  0xa0,   0x2028, 0x2029,  0xd7ff,  0xe000,  0xfeff, 0xfffd,
                                  0xfffe, 0xffff, 0x10000, 0x1f697, 0x10ffff};
  for (size_t i = 0; i < sizeof code / sizeof *code; i++) {
    char written[64], *text, *again;
    snprintf(written, sizeof written, "\"%s\\U%08X%s\"", i % 2 ? "a" : "", code[i],
             i % 3 ? "b" : "");
    jn_spec *spec = model_named(written, false), *copy = NULL;
    jn_error err = {0};
    assert_int_equal(jn_spec_print(spec, &text, NULL, &err), JN_OK);
    if (jn_spec_parse(text, strlen(text), "test.yaml", NULL, 0, &copy, &err))
      fail_msg("U+%04X: %d:%d: %s", code[i], err.line, err.col, err.text);
    assert_string_equal(copy->name, spec->name);
    assert_int_equal(jn_spec_print(copy, &again, NULL, &err), JN_OK);
    assert_string_equal(text, again);
    free(text), free(again);
    jn_spec_free(spec), jn_spec_free(copy);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(single_quotes_hold_quotes_and_fold_lines),
      cmocka_unit_test(quotes_of_any_number_read_as_half_as_many),
      cmocka_unit_test(blocks_end_with_the_file_or_before),
      cmocka_unit_test(any_text_reads_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
