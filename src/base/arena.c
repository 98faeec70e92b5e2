#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

// Under the address sanitizer whatever is not handed out is poisoned, and a gap stays between two
// objects: an overrun inside a chunk is then found as it would be with malloc.
#if defined __SANITIZE_ADDRESS__
#define POOL_POISON 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define POOL_POISON 1
#endif
#endif

#ifdef POOL_POISON
#include <sanitizer/asan_interface.h>
#define POOL_GAP             16u
#define POOL_HIDE(at, bytes) __asan_poison_memory_region(at, bytes)
#define POOL_SHOW(at, bytes) __asan_unpoison_memory_region(at, bytes)
#else
#define POOL_GAP             0u
#define POOL_HIDE(at, bytes) ((void)0)
#define POOL_SHOW(at, bytes) ((void)0)
#endif

enum {
  POOL_ALIGN = 16,         // malloc's own alignment
  POOL_FIRST = 4096,       // bytes of the first chunk; each next one is twice the last
  POOL_LAST = 1024 * 1024  // growth stops here, so that at most this much is ever wasted
};

struct jn_pool_chunk {
  _Alignas(POOL_ALIGN) struct jn_pool_chunk *next;
  size_t used, cap;  // bytes of data
  _Alignas(POOL_ALIGN) unsigned char data[];
};
_Static_assert(POOL_ALIGN >= _Alignof(max_align_t), "the pool serves any standard type");

static struct jn_pool_chunk *chunk_create(size_t cap)
{
  // calloc, because large blocks come zeroed from the system at no cost.
  struct jn_pool_chunk *c = calloc(1, sizeof *c + cap);
  if (!c) return NULL;
  c->cap = cap;
  POOL_HIDE(c->data, cap);
  return c;
}

static void *take(jn_pool *pool, size_t count, size_t size)
{
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX - POOL_LAST) return NULL;
  size_t step = ((bytes ? bytes : 1) + POOL_GAP + POOL_ALIGN - 1) & ~(size_t)(POOL_ALIGN - 1);

  struct jn_pool_chunk *c = pool->chunk;
  if (!c || step > c->cap - c->used) {
    size_t cap = !c ? POOL_FIRST : c->cap < POOL_LAST ? 2 * c->cap : POOL_LAST;
    // A large object gets a chunk of its own behind the newest, whose rest stays in use.
    int own = step > cap / 4;
    struct jn_pool_chunk *fresh = chunk_create(own ? step : cap);
    if (!fresh) return NULL;
    if (own && c) {
      fresh->next = c->next;
      c->next = fresh;
    } else {
      fresh->next = c;
      pool->chunk = fresh;
    }
    c = fresh;
  }
  void *at = c->data + c->used;
  c->used += step;
  POOL_SHOW(at, bytes);
  return at;
}

void *jn_pool_alloc(jn_pool *pool, size_t count, size_t size)
{
  void *at = take(pool, count, size);
  pool->failed |= !at;
  return at;
}

char *jn_pool_text_n(jn_pool *pool, const char *text, size_t length)
{
  char *copy = length < SIZE_MAX ? jn_pool_alloc(pool, length + 1, 1) : NULL;
  if (copy && length) memcpy(copy, text, length);
  return copy;
}

char *jn_pool_text(jn_pool *pool, const char *text)
{
  return jn_pool_text_n(pool, text, strlen(text));
}

void jn_pool_free(jn_pool *pool)
{
  for (struct jn_pool_chunk *c = pool->chunk; c;) {
    struct jn_pool_chunk *next = c->next;
    POOL_SHOW(c->data, c->cap);
    free(c);
    c = next;
  }
  *pool = (jn_pool){0};
}
