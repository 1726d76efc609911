/* For wheels only: the C library's exp, log, pow and lgamma as they are called since 2002.

   Since glibc 2.29 there are newer entries of the first three, without the error handling of System V, and since 2.23 of
   the last, without the global sign; a linker takes the newest. The old entries compute the same bits and are in every
   glibc, so that a wheel built on a new system runs on an old one (manylinux_2_17). Included before every kernel by
   wheels/build.py. */
#include <features.h>
#if defined(__GLIBC__) && defined(__x86_64__)
__asm__(".symver exp, exp@GLIBC_2.2.5");
__asm__(".symver log, log@GLIBC_2.2.5");
__asm__(".symver pow, pow@GLIBC_2.2.5");
__asm__(".symver lgamma, lgamma@GLIBC_2.2.5");
#endif
