// functions.h: the elementary functions at one width, timed.
#ifndef JN_BENCH_FUNCTIONS_H
#define JN_BENCH_FUNCTIONS_H

#define BENCH_FUNCTIONS(X)             \
  X(sincos_near, r_sincos_near(x).sin) \
  X(sincos, r_sincos(x).sin)           \
  X(tan, r_tan(x))                     \
  X(asin, r_asin(x *r_set(0.1)))       \
  X(acos, r_acos(x *r_set(0.1)))       \
  X(atan, r_atan(x))                   \
  X(atan2, r_atan2(x, r_set(1.5)))     \
  X(exp, r_exp(x))                     \
  X(expm1, r_expm1(x))                 \
  X(log, r_log(x))                     \
  X(log1p, r_log1p(x))                 \
  X(pow, r_pow(x, r_set(1.5)))         \
  X(tanh, r_tanh(x))

enum {
#define X(name, expression) BENCH_##name,
  BENCH_FUNCTIONS(X) BENCH_NFUNCTION
#undef X
};

// Apply a function to n numbers (a multiple of 4), each call independent of the others.
void bench_functions_1(int function, const double *x, double *out, int n);
void bench_functions_4(int function, const double *x, double *out, int n);

#endif
