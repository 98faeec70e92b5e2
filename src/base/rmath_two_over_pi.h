// rmath_two_over_pi.h: 2/pi for the reduction of huge angles (M. H. Payne, R. N. Hanek, Radian
// reduction for trigonometric functions, SIGNUM Newsl. 18 (1983)).
//
// A double |x| >= 1 is y 2^(32k) with 1 <= y < 2^32, a multiple of 2^-52. Then x 2/pi modulo 4 is
// y t modulo 4 with t = 2/pi 2^(32k) modulo 2^54, because y times 2^54 is a multiple of 4. Row k
// is the t nearest to zero, as a sum of four doubles, each the nearest to what is left: known to
// 2^-163, so y t to 2^-131, where the smallest distance of a double from a multiple of pi/2 is
// above 2^-62. Made by test/base/rmath/constants.py.
#ifndef JN_BASE_RMATH_TWO_OVER_PI_H
#define JN_BASE_RMATH_TWO_OVER_PI_H

// clang-format off
static const double r_two_over_pi[32 * 4] = {
  0x1.45f306dc9c883p-1, -0x1.6b01ec5417056p-55, -0x1.6447e493ad4cep-109, 0x1.e21c820ff28b2p-163,
  0x1.45f306dc9c883p+31, -0x1.6b01ec5417056p-23, -0x1.6447e493ad4cep-77, 0x1.e21c820ff28b2p-131,
  -0x1.9f246c6efab58p+50, -0x1.ec54170565912p-7, 0x1.b6c52b3278872p-65, 0x1.07f9458eaf7afp-122,
  0x1.054a7f09d5f48p+50, -0x1.596447e493ad5p-5, 0x1.93c439041fe51p-60, 0x1.8eaf7aef1586ep-114,
  -0x1.8a82e0acb223fp+52, -0x1.24eb53361de38p-3, 0x1.07f9458eaf7afp-58, -0x1.d4f246dc8e2dfp-115,
  -0x1.6447e493ad4cep+51, 0x1.e21c820ff28b2p-3, -0x1.508510ea79237p-58, 0x1.b8e909374b802p-114,
  -0x1.d6a66c3bc6fbep+52, -0x1.ae9c5421443aap-8, 0x1.b7246e3a424ddp-64, 0x1.700324977504fp-119,
  0x1.c820ff28b1d5fp+49, -0x1.443a9e48db91cp-8, -0x1.6f6c8b47fe6dbp-62, -0x1.115f62e6de302p-116,
  0x1.163abdebbc562p+52, -0x1.236e4716f6c8bp-2, -0x1.1ff9b6d115f63p-56, 0x1.921cfe1deb1cbp-112,
  -0x1.0ea79236e4717p+50, 0x1.26e9700324977p-7, 0x1.413a32439fc3cp-61, -0x1.4e34ed658c117p-116,
  -0x1.b91c5bdb22d20p+52, 0x1.924bba8274648p-6, 0x1.cfe1deb1cb12ap-60, -0x1.63045df7282b4p-114,
  0x1.ba5c00c925dd4p+51, 0x1.3a32439fc3bd6p-5, 0x1.cb129a73ee882p-60, 0x1.afa975da24275p-115,
  0x1.25dd413a3243ap+51, -0x1.e214e34ed658cp-8, -0x1.177dca0ad144cp-64, 0x1.213a671c09ad1p-118,
  0x1.1921cfe1deb1dp+52, -0x1.3b5963045df73p-2, 0x1.f52ebb4484e9ap-56, -0x1.c7eca5d040df6p-111,
  0x1.deb1cb129a73fp+52, -0x1.77dca0ad144bbp-4, -0x1.ec598e3f652e8p-58, -0x1.037d8cdc538d0p-113,
  -0x1.658c1177dca0bp+52, 0x1.75da24274ce38p-3, 0x1.35a2fbf209cc9p-59, -0x1.4e33e566305b2p-115,
  0x1.1afa975da2427p+49, 0x1.338e04d68befdp-5, -0x1.f633714e33e56p-59, -0x1.8c16c6f740e88p-113,
  -0x1.2edec598e3f65p+50, -0x1.741037d8cdc54p-5, 0x1.cc1a99cfa4e42p-59, 0x1.7e2ef7e4a0ec8p-114,
  0x1.c7026b45f7e41p+52, 0x1.cc8eb1cc1a99dp-3, -0x1.6c6f740e8840ep-61, 0x1.41d8ffc4bffefp-115,
  0x1.f7e413991d63ap+52, -0x1.f2b3182d8dee8p-2, -0x1.d1081b5f13802p-58, 0x1.2fffbc0b301fep-113,
  0x1.1d639835339f5p+52, -0x1.8dee81d1081b6p-2, 0x1.d8ffc4bffef03p-59, -0x1.9fc04343b9d29p-114,
  0x1.339f49c845f8cp+52, -0x1.081b5f13801dap-2, -0x1.0fd33f8086877p-67, -0x1.d297d64b824b2p-122,
  0x1.17e2ef7e4a0ecp+50, 0x1.ff897ffde0598p-4, 0x1.fde5e2316b415p-61, -0x1.2e092c98130d8p-116,
  -0x1.b5f13801da001p+50, 0x1.e05980fef2f12p-4, -0x1.d297d64b824b2p-58, -0x1.8130d834f648bp-112,
  -0x1.da00087e99fc0p+50, -0x1.0d0ee74a5f593p-4, 0x1.f6d367ecf27cbp-60, 0x1.36e9e8c7ecd3dp-117,
  0x1.6603fbcbc462dp+50, 0x1.a0a6d1f6d367fp-4, -0x1.86c1a7b24585dp-59, 0x1.fb34f2ff516bbp-115,
  -0x1.0ee74a5f592e1p+52, 0x1.b4d9fb3c9f2c2p-2, 0x1.b74f463f669e6p-56, -0x1.5d28ad8453814p-116,
  0x1.4da3eda6cfd9ep+51, 0x1.3e584dba7a320p-3, -0x1.32c3402ba515bp-57, -0x1.14e050683a131p-114,
  -0x1.30261b069ec91p+51, -0x1.85ce04cb0d00bp-3, 0x1.6ba93dd63f5f3p-59, -0x1.d0985f18c10ebp-117,
  0x1.6136e9e8c7ecdp+51, 0x1.e5fea2d7527bbp-4, -0x1.c0a0d0742617cp-59, -0x1.8c10eb5ada2b3p-113,
  0x1.8fd9a797fa8b6p+50, -0x1.5b08a7028341dp-5, -0x1.30be31821d6b6p-62, 0x1.2ea6bfb5fb120p-116,
  0x1.fea2d7527bac8p+52, -0x1.41a0e84c2f8c6p-4, -0x1.0eb5ada2b2809p-61, -0x1.0277039517bd5p-115,
};
// clang-format on

#endif
