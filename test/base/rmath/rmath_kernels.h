// rmath_kernels.h: the functions under test behind one plain interface, so that builds of them with
// different compilers, flags, widths and products can stand in one program.
#ifndef JT_RMATH_KERNELS_H
#define JT_RMATH_KERNELS_H

// out[i] = f(x[i]) or f(x[i], y[i]); n is a multiple of 4, no alignment is asked for.
typedef void jt_rmath_run(const double *x, const double *y, double *out, int n);

// X(name, expression in x and y)
#define JT_RMATH_LIST(X)                            \
  X(sin, r_sin(x))                                  \
  X(cos, r_cos(x))                                  \
  X(sincos_sin, r_sincos(x).sin)                    \
  X(sincos_cos, r_sincos(x).cos)                    \
  X(sincos_near_sin, r_sincos_near(x).sin)          \
  X(sincos_near_cos, r_sincos_near(x).cos)          \
  X(tan, r_tan(x))                                  \
  X(asin, r_asin(x))                                \
  X(acos, r_acos(x))                                \
  X(atan, r_atan(x))                                \
  X(atan2, r_atan2(x, y))                           \
  X(exp, r_exp(x))                                  \
  X(expm1, r_expm1(x))                              \
  X(log, r_log(x))                                  \
  X(log1p, r_log1p(x))                              \
  X(pow, r_pow(x, y))                               \
  X(tanh, r_tanh(x))                                \
  X(fma, r_fma(x, y, x))                            \
  X(sqrt, r_sqrt(x))                                \
  X(min, r_min(x, y))                               \
  X(max, r_max(x, y))                               \
  X(abs, r_abs(x))                                  \
  X(copysign, r_copysign(x, y))                     \
  X(select_lt, r_select(r_lt(x, y), x, y))          \
  X(select_le, r_select(r_le(x, y), y, r_set(1.0))) \
  X(select_eq, r_select(r_eq(x, y), x, r_set(-1.0)))

enum {
#define X(name, expression) JT_RMATH_##name,
  JT_RMATH_LIST(X)
#undef X
      JT_RMATH_COUNT
};

typedef struct jt_rmath_build {
  const char *label;  // compiler, optimisation, width, products
  int width, fused;
  jt_rmath_run *run[JT_RMATH_COUNT];
} jt_rmath_build;

#endif
