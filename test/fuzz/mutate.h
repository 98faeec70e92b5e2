// mutate.h: changes of words and lines, which keep a text near one that is read; changed bytes seldom
// get past a reader.
#ifndef JN_TEST_FUZZ_MUTATE_H
#define JN_TEST_FUZZ_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);  // libFuzzer's own

static inline unsigned pick(unsigned *state, size_t n)  // below n
{
  *state = *state * 1664525u + 1013904223u;
  return (unsigned)((uint64_t)(*state >> 8) * n >> 24);
}

static inline bool is_word(uint8_t c)
{
  return c == '_' || c == '-' || c == '.' || c == '+' || (c >= '0' && c <= '9') ||
         (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// A word at random: its begin and its length, which is 0 if there is none.
static inline size_t find_word(const uint8_t *data, size_t size, unsigned *state, size_t *length)
{
  size_t at = pick(state, size);
  while (at < size && !is_word(data[at])) at++;
  while (at > 0 && at < size && is_word(data[at - 1])) at--;
  for (*length = 0; at + *length < size && is_word(data[at + *length]);) ++*length;
  return at;
}

static inline size_t find_line(const uint8_t *data, size_t size, unsigned *state, size_t *length)
{
  size_t at = pick(state, size);
  while (at > 0 && data[at - 1] != '\n') at--;
  for (*length = 0; at + *length < size && data[at + (*length)++] != '\n';) continue;
  return at;
}

// `old` bytes at `at` give way to `length` bytes of `text`, which may be a part of data.
static inline size_t splice(uint8_t *data, size_t size, size_t most, size_t at, size_t old,
                            const void *text, size_t length)
{
  uint8_t copy[4096];
  if (length > sizeof copy || size - old + length > most) return size;
  memcpy(copy, text, length);
  memmove(data + at + length, data + at + old, size - at - old);
  memcpy(data + at, copy, length);
  return size - old + length;
}

// A word gives way to another one of the text or, twice in three times, to one of the list.
static inline size_t change_word(uint8_t *data, size_t size, size_t most, unsigned *state,
                                 const char *const *words, size_t nword)
{
  size_t old, length, at = find_word(data, size, state, &old);
  if (pick(state, 3) == 0) {
    size_t from = find_word(data, size, state, &length);
    return splice(data, size, most, at, old, data + from, length);
  }
  const char *word = words[pick(state, nword)];
  return splice(data, size, most, at, old, word, strlen(word));
}

static inline size_t add_piece(uint8_t *data, size_t size, size_t most, unsigned *state,
                               const char *const *pieces, size_t npiece)
{
  const char *piece = pieces[pick(state, npiece)];
  return splice(data, size, most, pick(state, size + 1), 0, piece, strlen(piece));
}

// One to three of the given changes at random, or one of libFuzzer's own.
typedef size_t (*mutation)(uint8_t *data, size_t size, size_t most, unsigned *state);
static inline size_t mutate(uint8_t *data, size_t size, size_t most, unsigned seed,
                            const mutation *some, size_t n)
{
  unsigned state = seed;
  if (size == 0 || pick(&state, 4) == 0) return LLVMFuzzerMutate(data, size, most);
  for (unsigned times = 1 + pick(&state, 3); times > 0 && size > 0; times--)
    size = some[pick(&state, n)](data, size, most, &state);
  return size ? size : LLVMFuzzerMutate(data, size, most);
}

#endif
