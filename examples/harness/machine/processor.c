/* SPDX-License-Identifier: MIT */
/* Asks the system for the processor, its memory, and the most memory that this process had. */
#include "examples/harness/machine/processor.h"
#include "examples/harness/base/base.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#if defined(__GLIBC__)
# include <malloc.h>
#endif

char *harness_fact(char line[256], const char *path, const char *key)
{
    const size_t n = strlen(key);
    FILE *file = fopen(path, "re");
    char *value = NULL;
    while (file && !value && fgets(line, 256, file)) {
        if (strncmp(line, key, n) || line[n + strspn(line + n, " \t")] != ':') continue;
        value = strchr(line + n, ':') + 1;
        value += strspn(value, " \t");
        value[strcspn(value, "\r\n")] = 0;
    }
    if (file) fclose(file);
    return value;
}

const char *harness_processor(void)
{
    char line[256];
    const char *value = harness_fact(line, "/proc/cpuinfo", "model name");
    char *name = harness_format("%.127s", value && *value ? value : "unknown");
    for (char *c = name; *c; c++) /* JSON wants UTF-8 */
        if (*c < ' ' || *c > '~') *c = '?';
    return name;
}

int64_t harness_kib(const char *path, const char *key)
{
    char line[256];
    int64_t n = 0;
    const char *value = harness_fact(line, path, key);
    return value && sscanf(value, "%" SCNd64, &n) == 1 && n > 0 ? n : 0;
}

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
    const int64_t kib = begun ? harness_kib("/proc/self/status", "VmHWM") : 0;
    return kib ? (double)kib / 1024 : (double)NAN;
}
