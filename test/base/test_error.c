// Messages: whatever comes from outside is shown printable, short and in one line.
#include "base/error.h"

#include <string.h>

#include "../harness.h"

static void text_is_shown_as_it_is(void **state)
{
  (void)state;
  char out[32];
  assert_string_equal(jn_quote("arm_fl", 6, out, sizeof out), "arm_fl");
  assert_string_equal(jn_quote("", 0, out, sizeof out), "");
  assert_string_equal(jn_quote("Stra\xc3\x9f"
                               "e",
                               7, out, sizeof out),
                      "Stra\xc3\x9f"
                      "e");
}

static void control_characters_and_broken_text_are_escaped(void **state)
{
  (void)state;
  char out[64];
  assert_string_equal(jn_quote("a\nb\x1b\x7f", 5, out, sizeof out), "a\\x0ab\\x1b\\x7f");
  assert_string_equal(jn_quote("\xff\xc3(", 3, out, sizeof out), "\\xff\\xc3(");
  assert_string_equal(jn_quote("a\0b", 3, out, sizeof out), "a\\x00b");
  assert_string_equal(jn_quote("\xe2\x82", 2, out, sizeof out), "\\xe2\\x82");  // cut off
}

static void long_text_is_cut_with_dots_and_never_overflows(void **state)
{
  (void)state;
  char text[500], out[40];
  memset(text, 'x', sizeof text);
  for (size_t size = 4; size <= sizeof out; size++) {
    memset(out, '#', sizeof out);
    jn_quote(text, sizeof text, out, size);
    assert_true(strlen(out) < size);
    assert_string_equal(out + strlen(out) - 3, "...");
    for (size_t i = size; i < sizeof out; i++) assert_int_equal(out[i], '#');
  }
}

static void a_line_has_only_the_parts_that_are_there(void **state)
{
  (void)state;
  jn_error err;
  char line[200];
  assert_int_equal(jn_fail(&err, JN_E_RANGE, (jn_pos){"a.yaml", 3, 7}, "bodies.a", "is %d", 5),
                   JN_E_RANGE);
  assert_string_equal(jn_error_line(&err, line, sizeof line), "a.yaml:3:7: bodies.a: is 5");
  jn_fail(&err, JN_E_FILE, (jn_pos){"a.yaml", 0, 0}, NULL, "is missing");
  assert_string_equal(jn_error_line(&err, line, sizeof line), "a.yaml: is missing");
  jn_fail(&err, JN_E_CALL, (jn_pos){NULL, 0, 0}, NULL, "no");
  assert_string_equal(jn_error_line(&err, line, sizeof line), "no");
  assert_int_equal(jn_fail(NULL, JN_E_CALL, (jn_pos){NULL, 0, 0}, NULL, "no"), JN_E_CALL);
}

static void every_status_has_a_text(void **state)
{
  (void)state;
#define X(name, code, text) assert_string_equal(jn_status_text(name), text);
  JN_STATUS_LIST(X)
#undef X
  assert_string_equal(jn_status_text((jn_status)12345), "unknown status");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_is_shown_as_it_is),
      cmocka_unit_test(control_characters_and_broken_text_are_escaped),
      cmocka_unit_test(long_text_is_cut_with_dots_and_never_overflows),
      cmocka_unit_test(a_line_has_only_the_parts_that_are_there),
      cmocka_unit_test(every_status_has_a_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
