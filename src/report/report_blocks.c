// report_blocks.c: numbers as base64.
#include "report/report_result.h"

enum { ALIGNMENT = 12 };  // bytes: 3 make 4 characters, and numbers have 4 bytes

static void put_three(FILE *out, const unsigned char b[3])
{
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char text[4] = {digit[b[0] >> 2], digit[(b[0] & 3) << 4 | b[1] >> 4],
                        digit[(b[1] & 15) << 2 | b[2] >> 6], digit[b[2] & 63]};
  fwrite(text, 1, sizeof text, out);
}

int64_t jn_blocks_put(jn_blocks *b, const void *bytes, size_t n)
{
  const unsigned char *from = bytes;
  const int64_t at = b->used;
  const size_t whole = (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  for (size_t i = 0; i < whole; i += 3) {
    unsigned char three[3] = {0};
    for (size_t k = 0; k < 3 && i + k < n; k++) three[k] = from[i + k];
    put_three(b->out, three);
  }
  b->used += (int64_t)whole;
  return at;
}
