/* SPDX-License-Identifier: MIT */
/* Allocates memory or ends the program, and makes texts: formatted, or safe to show. */
#include "examples/harness/base/guest.h"
#include "core/error.h"
#include "core/memory.h"
#include "examples/harness/base/base.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

void harness_no_memory(size_t bytes)
{
    char text[160]; /* on the stack, since nothing here may allocate */
    int n = snprintf(text, sizeof text,
                     "out of memory: %zu more bytes are not to be had; "
                     "use less data, a lower --ram-limit or a larger machine\n",
                     bytes);
    text[n - 1] = 0;
    harness__guest_end(AG_EMEMORY, text);
    text[n - 1] = '\n';
    if (write(STDERR_FILENO, text, (size_t)n) < 0) _exit(HARNESS_EXIT_MEMORY);
    _exit(HARNESS_EXIT_MEMORY);
}

void *harness_alloc(size_t bytes) { return memset(harness_grow(NULL, bytes), 0, bytes); }

void *harness_take(ag_arena **arena, size_t bytes)
{
    void *block = NULL;
    for (int tries = 0; !block && tries < 2; tries++) {
        if (!*arena) *arena = ag_arena_new();
        block = *arena ? ag_arena_take(*arena, bytes) : NULL;
        if (!block && !harness__guest_spends(bytes)) break;
    }
    if (!block) harness_no_memory(bytes);
    return memset(block, 0, bytes);
}

static _Thread_local ag_arena *lasting;

ag_arena *harness__lasting_swap(ag_arena *other)
{
    ag_arena *before = lasting;
    lasting = other;
    return before;
}

void *harness_lasting(size_t bytes) { return harness_take(&lasting, bytes); }

void harness_forget(void)
{
    ag_arena_free(lasting);
    lasting = NULL;
}

char *harness_copy(const char *text)
{
    size_t bytes = strlen(text) + 1;
    return memcpy(harness_alloc(bytes), text, bytes);
}

char *harness_printable(const char *text)
{
    const size_t bytes = 4 * strlen(text) + 1; /* a byte becomes \x1b at most */
    return ag_printable(harness_alloc(bytes), bytes, text);
}

void harness_show(FILE *to, const char *text)
{
    char *safe = harness_printable(text);
    fputs(safe, to);
    harness_free(safe);
}

static char *print(void *take(size_t bytes), const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    const int n = vsnprintf(NULL, 0, format, list);
    if (n < 0) harness_no_memory(0);
    const size_t bytes = (size_t)n + 1;
    char *text = take(bytes);
    vsnprintf(text, bytes, format, again);
    va_end(again);
    return text;
}

char *harness_text(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *text = print(harness_alloc, format, list);
    va_end(list);
    return text;
}

char *harness_format(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *text = print(harness_lasting, format, list);
    va_end(list);
    return text;
}
