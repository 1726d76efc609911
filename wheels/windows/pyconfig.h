/* What Python's headers must be told to compile against its stable interface on 64-bit Windows, with zig.

   It replaces pyconfig.h in a copy of the building Python's own headers (see wheels/cross_build.py): sizes and features of the
   system, and nothing else. Only modules of the limited interface may be built with it. */
#ifndef Py_PYCONFIG_H
#define Py_PYCONFIG_H

#include <sys/types.h>

#define MS_WINDOWS 1
#define MS_WIN32 1
#define MS_WIN64 1
#define NT_THREADS 1
#define WITH_THREAD 1
#define WITH_DOC_STRINGS 1
#define Py_ENABLE_SHARED 1
#define HAVE_DECLSPEC_DLL 1

#define HAVE_ERRNO_H 1
#define HAVE_STDDEF_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_WCHAR_H 1
#define HAVE_SSIZE_T 1

#define SIZEOF__BOOL 1
#define SIZEOF_SHORT 2
#define SIZEOF_WCHAR_T 2
#define SIZEOF_INT 4
#define SIZEOF_LONG 4
#define SIZEOF_OFF_T 4
#define SIZEOF_PID_T 4
#define SIZEOF_FLOAT 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_DOUBLE 8
#define SIZEOF_VOID_P 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_TIME_T 8
#define SIZEOF_UINTPTR_T 8
#define SIZEOF_FPOS_T 8
#define ALIGNOF_SIZE_T 8
#define ALIGNOF_MAX_ALIGN_T 8

#endif
