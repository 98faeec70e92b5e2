#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#include "harness.h"

// Asking for more than the machine has must give NULL under the sanitizer too, as malloc does.
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
  return "allocator_may_return_null=1";
}

typedef struct things {
  double *numbers;
  char *letters;
  int *none;
  int64_t *wide;
} things;

static void place(things *t, jn_arena *a)
{
  t->numbers = jn_arena_take(a, 7, sizeof *t->numbers);
  t->letters = jn_arena_take(a, 3, sizeof *t->letters);
  t->none = jn_arena_take(a, 0, sizeof *t->none);
  t->wide = jn_arena_take(a, 100, sizeof *t->wide);
}

static void one_walk_sizes_and_places(void **state)
{
  (void)state;
  things t;
  jn_arena measure = {0};
  place(&t, &measure);
  assert_null(t.numbers);
  assert_null(t.wide);
  size_t size = jn_arena_size(&measure);
  assert_int_equal(size % 64, 0);
  assert_int_equal(measure.used, 64 + 64 + 800);  // 7 doubles, 3 letters, nothing, 100 wide ones
  assert_int_equal(size, 64 + 64 + 832);

  void *block = aligned_alloc(64, size);
  jn_arena a = {.base = block, .cap = size};
  place(&t, &a);
  assert_int_equal(a.used, measure.used);
  assert_true(a.used <= a.cap);
  assert_ptr_equal(t.numbers, block);
  assert_int_equal((uintptr_t)t.letters % 64, 0);
  assert_int_equal((uintptr_t)t.wide % 64, 0);
  for (int i = 0; i < 7; i++) t.numbers[i] = i;
  memset(t.letters, 'x', 3);
  for (int i = 0; i < 100; i++) t.wide[i] = -1;
  for (int i = 0; i < 7; i++) JT_NEAR(t.numbers[i], i, 0.0);
  assert_memory_equal(t.letters, "xxx", 3);
  free(block);
}

static void block_too_small_gives_no_place(void **state)
{
  (void)state;
  _Alignas(64) unsigned char block[128];
  jn_arena a = {.base = block, .cap = sizeof block};
  assert_non_null(jn_arena_take(&a, 65, 1));
  assert_null(jn_arena_take(&a, 1, 1));  // begins at 128
  assert_true(a.used > a.cap);

  jn_arena b = {.base = block, .cap = sizeof block};
  assert_non_null(jn_arena_take(&b, 16, 8));  // fills it to the last byte
  assert_true(b.used <= b.cap);
}

static void sizes_beyond_memory_do_not_wrap_around(void **state)
{
  (void)state;
  static const size_t counts[][2] = {
      {SIZE_MAX / 8 + 1, 8},  // the product wraps
      {SIZE_MAX, 1},          // the sum wraps
      {(size_t)-1, 16},       // a count of -1
      {SIZE_MAX - 64, 1},     // fits alone, not behind another array
  };
  for (int i = 0; i < 4; i++) {
    jn_arena a = {0};
    jn_arena_take(&a, 1, 1);
    assert_null(jn_arena_take(&a, counts[i][0], counts[i][1]));
    assert_int_equal(a.used, SIZE_MAX);
    assert_int_equal(jn_arena_size(&a), SIZE_MAX);
    jn_arena_take(&a, 1, 1);  // and it stays so
    assert_int_equal(jn_arena_size(&a), SIZE_MAX);
  }
}

static void pool_gives_zeroed_aligned_memory_that_stays(void **state)
{
  (void)state;
  enum { N = 3000 };
  static unsigned char *kept[N];
  static size_t size[N];
  jt_random random = {1};
  jn_pool pool = {0};
  for (int round = 0; round < 2; round++) {  // a freed pool serves again
    for (int i = 0; i < N; i++) {
      // Mostly small, sometimes larger than a chunk.
      size[i] = (size_t)jt_random_below(&random, i % 50 ? 200 : 40000);
      kept[i] = jn_pool_alloc(&pool, size[i], 1);
      assert_non_null(kept[i]);
      assert_int_equal((uintptr_t)kept[i] % 16, 0);
      for (size_t j = 0; j < size[i]; j++) assert_int_equal(kept[i][j], 0);
      memset(kept[i], i % 251 + 1, size[i]);
    }
    for (int i = 0; i < N; i++)
      for (size_t j = 0; j < size[i]; j++) assert_int_equal(kept[i][j], i % 251 + 1);
    jn_pool_free(&pool);
    assert_null(pool.chunk);
  }
  jn_pool_free(&pool);  // an empty one may be freed
}

static void pool_objects_of_no_size_are_distinct(void **state)
{
  (void)state;
  jn_pool pool = {0};
  void *a = jn_pool_alloc(&pool, 0, 8), *b = jn_pool_alloc(&pool, 8, 0);
  assert_non_null(a);
  assert_non_null(b);
  assert_ptr_not_equal(a, b);
  jn_pool_free(&pool);
}

static void pool_copies_texts(void **state)
{
  (void)state;
  jn_pool pool = {0};
  char source[] = "lower arm";
  char *copy = jn_pool_text(&pool, source);
  char *part = jn_pool_text_n(&pool, source, 5);
  char *none = jn_pool_text_n(&pool, NULL, 0);
  char *with_zero = jn_pool_text_n(&pool, "a\0b", 3);
  memset(source, '?', sizeof source);
  assert_string_equal(copy, "lower arm");
  assert_string_equal(part, "lower");
  assert_string_equal(none, "");
  assert_memory_equal(with_zero, "a\0b", 4);
  jn_pool_free(&pool);
}

static void pool_without_memory_gives_null_and_keeps_the_rest(void **state)
{
  (void)state;
  jn_pool pool = {0};
  char *text = jn_pool_text(&pool, "still here");
  volatile size_t huge = (size_t)1 << 60;
  assert_null(jn_pool_alloc(&pool, huge, 1));      // malloc refuses
  assert_null(jn_pool_alloc(&pool, huge, 32));     // the product wraps to zero
  assert_null(jn_pool_alloc(&pool, SIZE_MAX, 1));  // no object is this large
  assert_null(jn_pool_alloc(&pool, PTRDIFF_MAX, 1));
  assert_null(jn_pool_text_n(&pool, text, SIZE_MAX));
  assert_string_equal(text, "still here");
  assert_non_null(jn_pool_alloc(&pool, 1, 1));
  jn_pool_free(&pool);

  jn_pool empty = {0};
  assert_null(jn_pool_alloc(&empty, huge, 1));
  assert_null(empty.chunk);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_walk_sizes_and_places),
      cmocka_unit_test(block_too_small_gives_no_place),
      cmocka_unit_test(sizes_beyond_memory_do_not_wrap_around),
      cmocka_unit_test(pool_gives_zeroed_aligned_memory_that_stays),
      cmocka_unit_test(pool_objects_of_no_size_are_distinct),
      cmocka_unit_test(pool_copies_texts),
      cmocka_unit_test(pool_without_memory_gives_null_and_keeps_the_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
