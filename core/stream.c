/* SPDX-License-Identifier: MIT */
#include "core/stream.h"

#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
# ifdef __AVX512F__
#  include <immintrin.h>
# else
#  include <emmintrin.h>
# endif
#endif

#ifdef __AVX512F__
enum { LINE = 64 };
static void store(char *to, const char *from)
{
    _mm512_stream_si512((__m512i *)(void *)to, _mm512_loadu_si512(from));
}
#elif defined __SSE2__
enum { LINE = 16 };
static void store(char *to, const char *from)
{
    _mm_stream_si128((__m128i *)(void *)to, _mm_loadu_si128((const __m128i *)(const void *)from));
}
#else
enum { LINE = 1 };
static void store(char *to, const char *from) { *to = *from; }
#endif

void ag__stream(void *to, const void *from, size_t bytes)
{
    if (LINE > 1 && ((uintptr_t)to | bytes) % LINE == 0)
        for (size_t i = 0; i < bytes; i += LINE) store((char *)to + i, (const char *)from + i);
    else
        memcpy(to, from, bytes);
}

void ag__stream_end(void)
{
#ifdef __SSE2__
    _mm_sfence();
#endif
}
