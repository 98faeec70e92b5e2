// record_number.c: numbers as text, fast enough not to be what a run takes its time for (printf and
// strtod to find the shortest digits would take 1.5 us each, and a record has millions of them).
#include <string.h>

#include "report/record.h"

// Each product or quotient is wrong by less than 2^-124 of itself, so all are right to 2^-115.
void jn_powers_init(jn_powers *p)
{
  for (int up = 0; up < 2; up++) {
    jn_wide m = (jn_wide)1 << 127;
    int e = -127;
    for (int k = 0; k >= JN_POWER_LOW && k <= JN_POWER_HIGH; k += up ? 1 : -1) {
      p->m[k - JN_POWER_LOW] = m;
      p->e[k - JN_POWER_LOW] = e;
      if (up)
        m = (m >> 4) * 10, e += 4;
      else
        m /= 10;
      for (; !(m >> 127); m <<= 1) e--;
    }
  }
}

// Two digits at a time, from a table that the compiler makes.
#define TEN(d) d "0" d "1" d "2" d "3" d "4" d "5" d "6" d "7" d "8" d "9"
static const char pairs[] =
    TEN("0") TEN("1") TEN("2") TEN("3") TEN("4") TEN("5") TEN("6") TEN("7") TEN("8") TEN("9");

static inline void put_eight(char *out, uint32_t x)
{
  const uint32_t high = x / 10000, low = x % 10000;
  memcpy(out, pairs + 2 * (high / 100), 2);
  memcpy(out + 2, pairs + 2 * (high % 100), 2);
  memcpy(out + 4, pairs + 2 * (low / 100), 2);
  memcpy(out + 6, pairs + 2 * (low % 100), 2);
}

enum { DIGITS = 17, SPACE = 40 };  // and what is copied behind them, sixteen at a time

// All of them; returns how many there are without zeros at the end.
static inline int put_digits(char out[SPACE], uint64_t digits)
{
  const uint64_t tail = digits % 10000000000000000u;
  const uint32_t high = (uint32_t)(tail / 100000000), low = (uint32_t)(tail % 100000000);
  out[0] = (char)('0' + digits / 10000000000000000u);
  put_eight(out + 1, high);
  put_eight(out + 9, low);
  int n = low ? DIGITS : high ? 9 : 1;
  while (n > 1 && out[n - 1] == '0') n--;
  return n;
}

static int put_exponent(char *out, int e)
{
  int n = 0, a = e < 0 ? -e : e;
  out[n++] = 'e';
  out[n++] = e < 0 ? '-' : '+';
  if (a >= 100) out[n++] = (char)('0' + a / 100);
  out[n++] = (char)('0' + a / 10 % 10);
  out[n++] = (char)('0' + a % 10);
  return n;
}

// d.ddd x 10^e, in the manner of %g. Copies have a fixed length, which ends within the room, and what is too much of them
// is overwritten by whatever follows.
static int put_number(char *out, uint64_t digits, int e)
{
  char d[SPACE];
  const int nd = put_digits(d, digits);
  if (e < -5 || e > 16) {
    out[0] = d[0], out[1] = '.';
    memcpy(out + 2, d + 1, 16);
    const int n = nd > 1 ? nd + 1 : 1;
    return n + put_exponent(out + n, e);
  }
  if (e < 0) {
    memcpy(out, "0.0000", 6);
    memcpy(out + 1 - e, d, DIGITS);
    return 1 - e + nd;
  }
  memcpy(out, d, DIGITS);
  if (nd <= e + 1) return e + 1;
  out[e + 1] = '.';
  if (e < 13)
    memcpy(out + e + 2, d + e + 1, 16);
  else
    for (int i = e + 1; i < nd; i++) out[i + 1] = d[i];
  return nd + 1;
}

// x 10^(16 - e) < 10^18 in units of 2^-64, right to 2^6 of them.
static jn_wide scale(const jn_powers *p, uint64_t mantissa, int exponent, int e)
{
  const int k = 16 - e - JN_POWER_LOW, up = __builtin_clzll(mantissa);
  const jn_wide m = mantissa << up;
  const jn_wide product = m * (uint64_t)(p->m[k] >> 64) + (m * (uint64_t)p->m[k] >> 64);
  return product >> -(128 + exponent - up + p->e[k]);
}

// f, in units of 2^-64, rounded to a multiple of `unit`, if that stays nearer to it than `reach`; 0: it does not.
static inline uint64_t round_to(jn_wide f, uint64_t unit, jn_wide reach)
{
  enum { SLACK = 256 };
  const uint64_t near = ((uint64_t)(f >> 64) + unit / 2) / unit * unit;
  const jn_wide at = (jn_wide)near << 64, off = at > f ? at - f : f - at;
  return off + SLACK < reach ? near : 0;
}

// 17 digits always read back, because neighbours differ by more than 1.1 units of the last of them
// at least; 15 or 16 do if they stay nearer to x than half the way to its neighbours.
int jn_number_text(const jn_powers *p, double x, char out[JN_NUMBER_ROOM])
{
  const uint64_t high = 100000000000000000u;
  uint64_t bits, mantissa;
  int n = 0;
  memcpy(&bits, &x, sizeof bits);
  mantissa = bits & 0xfffffffffffffu;
  int exponent = (int)(bits >> 52 & 0x7ff);
  if (exponent == 0x7ff && mantissa) return (int)strlen(memcpy(out, "nan", 4));
  if (bits >> 63) out[n++] = '-';
  if (exponent == 0x7ff) return n + (int)strlen(memcpy(out + n, "inf", 4));
  if (!exponent && !mantissa) {
    out[n++] = '0';
    return n;
  }
  const bool narrow = mantissa == 0 && exponent > 1;  // the neighbour below is at half the distance
  if (exponent)
    mantissa |= 1ull << 52;
  else
    exponent = 1;
  exponent -= 1075;

  const int top = exponent + 63 - __builtin_clzll(mantissa);  // x in [2^top, 2^(top + 1))
  int e = top * 78913 >> 18;                                  // floor(top lg 2), or one more
  jn_wide f = scale(p, mantissa, exponent, e);
  if (f >= (jn_wide)high << 64) f = scale(p, mantissa, exponent, ++e);
  const int k = 16 - e - JN_POWER_LOW;
  const jn_wide reach = p->m[k] >> -(p->e[k] + exponent + (narrow ? 62 : 63));
  uint64_t digits = round_to(f, 100, reach);
  if (!digits) digits = round_to(f, 10, reach);
  if (!digits) digits = (uint64_t)((f + ((jn_wide)1 << 63)) >> 64);
  if (digits >= high) digits /= 10, e++;
  return n + put_number(out + n, digits, e);
}
