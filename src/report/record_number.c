// record_number.c: numbers as text, fast enough not to be what a run takes its time for (printf and
// strtod to find the shortest digits would take 1.5 us each, and a record has millions of them).
#include <math.h>
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

static int put_digits(char *out, uint64_t digits)  // without zeros at the end
{
  char back[24];
  int n = 0, k = 0;
  while (digits % 10 == 0) digits /= 10;
  for (; digits; digits /= 10) back[n++] = (char)('0' + digits % 10);
  while (n) out[k++] = back[--n];
  return k;
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

// d.ddd x 10^e, in the manner of %g.
static int put_number(char *out, uint64_t digits, int e)
{
  char d[24] = {0};
  int nd = put_digits(d, digits), n = 0;
  if (e < -5 || e > 16) {
    out[n++] = d[0];
    if (nd > 1) out[n++] = '.';
    memcpy(out + n, d + 1, (size_t)nd - 1);
    n += nd - 1;
    return n + put_exponent(out + n, e);
  }
  if (e < 0) {
    out[n++] = '0', out[n++] = '.';
    for (int i = -1; i > e; i--) out[n++] = '0';
    memcpy(out + n, d, (size_t)nd);
    return n + nd;
  }
  for (int i = 0; i <= e || i < nd; i++) {
    if (i == e + 1) out[n++] = '.';
    out[n++] = i < nd ? d[i] : '0';
  }
  return n;
}

// x 10^(16 - e) in units of 2^-64, right to 2^6 of them.
static jn_wide scale(const jn_powers *p, uint64_t mantissa, int exponent, int e)
{
  const int k = 16 - e - JN_POWER_LOW, up = __builtin_clzll(mantissa);
  const jn_wide m = mantissa << up;
  const jn_wide product = m * (uint64_t)(p->m[k] >> 64) + (m * (uint64_t)p->m[k] >> 64);
  return product >> -(128 + exponent - up + p->e[k]);
}

// 17 digits always read back, because neighbours differ by more than 1.1 units of the last of them
// at least; 15 or 16 do if they stay nearer to x than half the way to its neighbours.
int jn_number_text(const jn_powers *p, double x, char out[JN_NUMBER_ROOM])
{
  enum { SLACK = 256 };
  static const uint64_t unit[] = {100, 10};
  const uint64_t low = 10000000000000000u, high = 10 * low;
  uint64_t bits, mantissa;
  int n = 0;
  if (isnan(x)) return (int)strlen(memcpy(out, "nan", 4));
  if (signbit(x)) out[n++] = '-';
  if (isinf(x)) return n + (int)strlen(memcpy(out + n, "inf", 4));
  if (x == 0.0) {
    out[n++] = '0';
    return n;
  }
  memcpy(&bits, &x, sizeof bits);
  mantissa = bits & 0xfffffffffffffu;
  int exponent = (int)(bits >> 52 & 0x7ff);
  const bool narrow = mantissa == 0 && exponent > 1;  // the neighbour below is at half the distance
  if (exponent)
    mantissa |= 1ull << 52;
  else
    exponent = 1;
  exponent -= 1075;

  const int top = exponent + 63 - __builtin_clzll(mantissa);  // x in [2^top, 2^(top + 1))
  int e = (int)floor(top * 0.30102999566398120);              // or one more
  jn_wide f = scale(p, mantissa, exponent, e + 1);
  if (f < (jn_wide)low << 64)
    f = scale(p, mantissa, exponent, e);
  else
    e++;
  const int k = 16 - e - JN_POWER_LOW;
  const jn_wide reach = p->m[k] >> -(p->e[k] + exponent + (narrow ? 62 : 63));
  uint64_t digits = (uint64_t)((f + ((jn_wide)1 << 63)) >> 64);
  for (int i = 0; i < 2; i++) {
    const uint64_t near = ((uint64_t)(f >> 64) + unit[i] / 2) / unit[i] * unit[i];
    const jn_wide at = (jn_wide)near << 64, off = at > f ? at - f : f - at;
    if (off + SLACK >= reach) continue;
    digits = near;
    break;
  }
  if (digits >= high) digits /= 10, e++;
  return n + put_number(out + n, digits, e);
}
