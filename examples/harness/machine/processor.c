/* SPDX-License-Identifier: MIT */
#include "examples/harness/machine/processor.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#if defined(__GLIBC__)
# include <malloc.h>
#endif

/* The value of the first line that begins with `key`, up to its end; NULL: there is none. */
static char *find(char line[256], const char *path, const char *key)
{
    FILE *file = fopen(path, "r");
    char *value = NULL;
    while (file && !value && fgets(line, 256, file)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, key, strlen(key)) || !colon) continue;
        value = colon + 1 + strspn(colon + 1, " \t");
        value[strcspn(value, "\r\n")] = 0;
    }
    if (file) fclose(file);
    return value;
}

const char *harness_processor(char name[128])
{
    char line[256];
    const char *value = find(line, "/proc/cpuinfo", "model name");
    snprintf(name, 128, "%.127s", value && *value ? value : "unknown");
    for (char *c = name; *c; c++) /* JSON wants UTF-8 */
        if (*c < ' ' || *c > '~') *c = '?';
    return name;
}

static int64_t kilobytes(const char *key)
{
    char line[256];
    int64_t n = 0;
    const char *value = find(line, "/proc/meminfo", key);
    return value && sscanf(value, "%" SCNd64, &n) == 1 && n > 0 ? n : 0;
}

int harness_memory(int64_t *all, int64_t *available)
{
    *all = kilobytes("MemTotal") * 1024;
    *available = kilobytes("MemAvailable") * 1024;
    if (*all && *available) return 0;
    *all = *available = 0;
    return 1;
}

/* ---- the peak of memory ---- */

static int begun;

void harness_peak_begin(void)
{
#if defined(__GLIBC__)
    malloc_trim(0); /* memory that an earlier run freed is not of this one */
#endif
    FILE *file = fopen("/proc/self/clear_refs", "we");
    begun = file && fputs("5", file) >= 0;
    if (file && fclose(file) != 0) begun = 0;
}

double harness_peak_mib(void)
{
    char line[256];
    double kib = (double)NAN;
    FILE *file = begun ? fopen("/proc/self/status", "re") : NULL;
    while (file && fgets(line, sizeof line, file)) sscanf(line, "VmHWM: %lf", &kib);
    if (file) fclose(file);
    return kib / 1024;
}
