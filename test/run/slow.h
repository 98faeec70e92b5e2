// slow.h: is this a build with the address sanitizer, where counts are reduced?
#ifndef JN_TEST_SLOW_H
#define JN_TEST_SLOW_H

#if defined __SANITIZE_ADDRESS__
enum { SLOW = 1 };
#else
enum { SLOW = 0 };
#endif

#endif
