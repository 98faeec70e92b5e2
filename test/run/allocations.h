// allocations.h: counts calls of the allocator between two instants. One program, one file that includes it.
#ifndef JN_TEST_RUN_ALLOCATIONS_H
#define JN_TEST_RUN_ALLOCATIONS_H

#include <stddef.h>
#include <stdlib.h>

// Every call of the allocator, libc's own calls included. Under the sanitizer, which has an
// allocator of its own, its hooks count.
static volatile int watching, calls;  // the compiler knows what malloc does not touch

#if defined __SANITIZE_ADDRESS__
int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void *, size_t),
                                              void (*)(const volatile void *));

static void on_malloc(const volatile void *p, size_t n)
{
  (void)p, (void)n;
  calls += watching;
}

static void on_free(const volatile void *p)
{
  (void)p;
  calls += watching;
}

static int watch(void **state)
{
  (void)state;
  return __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free) > 0 ? 0 : -1;
}
#elif defined __GLIBC__
// Visible, or libc would go on calling its own.
#define SEEN __attribute__((visibility("default")))

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t align, size_t n);
void __libc_free(void *p);

SEEN void *malloc(size_t n)
{
  calls += watching;
  return __libc_malloc(n);
}

SEEN void *calloc(size_t n, size_t size)
{
  calls += watching;
  return __libc_calloc(n, size);
}

SEEN void *realloc(void *p, size_t n)
{
  calls += watching;
  return __libc_realloc(p, n);
}

SEEN void *aligned_alloc(size_t align, size_t n)
{
  calls += watching;
  return __libc_memalign(align, n);
}

SEEN void free(void *p)
{
  calls += watching;
  __libc_free(p);
}

static int watch(void **state)
{
  (void)state;
  return 0;
}
#else
#error "no way to watch the allocator of this platform"
#endif

#endif
