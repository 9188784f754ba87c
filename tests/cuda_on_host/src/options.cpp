/* SPDX-License-Identifier: MIT */
/* Options from the environment, random orders, and the end of a program that breaks CUDA's
   rules. */
#include "inside.hpp"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

namespace cuda_on_host
{

cuda_on_host_counts counts;

static uint64_t number(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    char *end;
    if (!text || !*text) return otherwise;
    const uint64_t n = strtoull(text, &end, 10);
    if (*end) misuse("%s is \"%s\", but must be a number", name, text);
    return n;
}

const options &option()
{
    static const options read = {number("CUDA_ON_HOST_SEED", 1),
                                 (size_t)number("CUDA_ON_HOST_BYTES", (uint64_t)4 << 30),
                                 (int)number("CUDA_ON_HOST_DEVICES", 1),
                                 number("CUDA_ON_HOST_PRINT", 0) != 0,
                                 number("CUDA_ON_HOST_COUNT", 0) != 0,
                                 number("CUDA_ON_HOST_MPROTECT", 0) != 0,
                                 number("CUDA_ON_HOST_CHECK", 1) != 0};
    return read;
}

/* splitmix64 */
uint32_t draw(uint32_t n)
{
    static uint64_t state = option().seed << 32;
    if (!option().seed || n < 2) return 0;
    uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return (uint32_t)((z >> 32) * n >> 32);
}

void misuse(const char *format, ...)
{
    va_list list;
    fflush(stdout);
    fprintf(stderr, "cuda_on_host: ");
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    if (now.running) fprintf(stderr, "; kernel %s, block %u", now.running->name, now.block);
    if (now.inside) fprintf(stderr, ", thread %u", now.thread);
    fprintf(stderr, "\n");
    fflush(stderr);
    if (cuda_on_host_check_report) cuda_on_host_check_report();
    _exit(EXIT_MISUSE);
}

} // namespace cuda_on_host

extern "C" cuda_on_host_counts cuda_on_host_count(void) { return cuda_on_host::counts; }
