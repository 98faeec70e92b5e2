// hash.h: many bytes as one number (FNV-1a): each counts, wherever it is.
#ifndef JN_BASE_HASH_H
#define JN_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

static const uint64_t JN_HASH_BEGIN = 0xcbf29ce484222325u;

static inline uint64_t jn_hash(uint64_t h, const void *bytes, size_t n)
{
  const unsigned char *at = bytes;
  for (size_t i = 0; i < n; i++) h = (h ^ at[i]) * 0x100000001b3u;
  return h;
}

static inline uint64_t jn_hash_ints(uint64_t h, int n, const int *x)
{
  return jn_hash(h, x, (size_t)n * sizeof *x);
}

#define JN_HASH_INTS(h, ...) jn_hash(h, (const int[]){__VA_ARGS__}, sizeof(int[]){__VA_ARGS__})

#endif
