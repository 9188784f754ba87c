/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "memory.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#if defined(__GLIBC__)
# include <malloc.h>
#endif

/* A value of /proc/self/status in bytes, 0 where there is none. */
static double status(const char *field)
{
    char line[256];
    double kilobytes = 0;
    const size_t n = strlen(field);
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, field, n) == 0 && line[n] == ':') sscanf(line + n + 1, "%lf", &kilobytes);
    if (file) fclose(file);
    return kilobytes * 1024;
}

double bench_resident(void) { return status("VmRSS"); }

double bench_peak(void) { return status("VmHWM"); }

void bench_forget_peak(void)
{
#if defined(__GLIBC__)
    malloc_trim(0); /* memory that earlier rows freed would be reused unseen */
#endif
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (!file) return;
    fputs("5", file);
    fclose(file);
}

void bench_pause(void)
{
    const struct timespec pause = {0, 30 * 1000 * 1000};
    nanosleep(&pause, NULL);
}
