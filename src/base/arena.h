// arena.h: two ways to hold memory that is freed all at once.
//
// jn_arena: a block whose arrays are known beforehand. The same walk sizes the block (base NULL)
// and then places the arrays in it, so that the two can never disagree.
//
// jn_pool: a heap that only grows, for trees and texts whose size nobody knows until they are read.
#ifndef JN_BASE_ARENA_H
#define JN_BASE_ARENA_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define JN_ARENA_ALIGN 64u  // one cache line, and enough for any vector load

typedef struct jn_arena {
  unsigned char *base;  // aligned to JN_ARENA_ALIGN; NULL while measuring
  size_t used;          // SIZE_MAX once a request did not fit into size_t, and from then on
  size_t cap;           // bytes at base
} jn_arena;

// Room for `count` elements of `size` bytes, aligned, not cleared. NULL while measuring, and when
// the block is too small: after a walk, `used <= cap` says whether every array got its place.
static inline void *jn_arena_take(jn_arena *a, size_t count, size_t size)
{
  assert((uintptr_t)a->base % JN_ARENA_ALIGN == 0);
  const size_t low = JN_ARENA_ALIGN - 1;
  size_t bytes, end;
  if (__builtin_mul_overflow(count, size, &bytes) || __builtin_add_overflow(a->used, low, &end) ||
      __builtin_add_overflow(end & ~low, bytes, &end)) {
    a->used = SIZE_MAX;
    return NULL;
  }
  a->used = end;
  return a->base && end <= a->cap ? a->base + (end - bytes) : NULL;
}

// What a measuring walk found, in whole lines: what aligned_alloc wants, and what lets one block
// follow another. SIZE_MAX, which no allocator grants, if the sum does not fit into size_t.
static inline size_t jn_arena_size(const jn_arena *a)
{
  const size_t low = JN_ARENA_ALIGN - 1;
  return a->used > SIZE_MAX - low ? SIZE_MAX : (a->used + low) & ~low;
}

// A zeroed jn_pool is an empty one. Not for several threads at once.
typedef struct jn_pool {
  struct jn_pool_chunk *chunk;  // newest first
  bool failed;                  // a request was refused: whoever makes many asks once
} jn_pool;

// `count` elements of `size` bytes, zeroed, aligned for any standard type, never moved. NULL when
// memory is exhausted or count * size overflows; a request of zero bytes gives a pointer of its
// own.
JN_PRIVATE void *jn_pool_alloc(jn_pool *pool, size_t count, size_t size);

// Copies that end in a zero; jn_pool_text_n takes `length` bytes as they are. NULL when memory is
// exhausted.
JN_PRIVATE char *jn_pool_text(jn_pool *pool, const char *text);
JN_PRIVATE char *jn_pool_text_n(jn_pool *pool, const char *text, size_t length);

JN_PRIVATE void jn_pool_free(
    jn_pool *pool);  // frees everything; the pool is then empty and usable again

#endif
