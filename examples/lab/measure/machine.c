/* SPDX-License-Identifier: MIT */
/* The facts, besides the program, that a measurement depends on. */
#define _GNU_SOURCE
#include "examples/harness/machine/processor.h"
#include "examples/lab/measure/clock.h"
#include "examples/lab/lab.h"
#include "examples/lab/measure/manifest.h"

#include <jansson.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

json_t *lab_cpu_numbers(void)
{
    static const char *const keys[] = {"cpu family", "model", "stepping", "cache size"};
    json_t *list = json_object();
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    while (file && fgets(line, sizeof line, file) && line[0] != '\n')
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            size_t n = strlen(keys[i]);
            const char *value = strchr(line, ':');
            if (strncmp(line, keys[i], n) || !value || strspn(line + n, " \t:") == 0) continue;
            if (line + n + strspn(line + n, " \t") != value) continue;
            json_t *text = json_stringn(value + 2, strcspn(value + 2, "\r\n"));
            if (text) json_object_set_new(list, keys[i], text);
        }
    if (file) fclose(file);
    return list;
}

const char *lab_date(char text[32])
{
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text;
}

json_t *lab_machine(int core, int repeats, int redo, double threshold)
{
    char name[128];
    struct utsname system;
    json_t *m = json_object();
    char *about = uname(&system) ? harness_copy("unknown")
                                 : harness_text("%.60s %.*s %.60s", system.sysname,
                                                (int)strspn(system.release, "0123456789."),
                                                system.release, system.machine);
    json_object_set_new(m, "cpu", json_string(harness_processor(name)));
    json_object_set_new(m, "cpu_numbers", lab_cpu_numbers());
    json_object_set_new(m, "cores", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
    json_object_set_new(m, "core", json_integer(core));
    json_object_set_new(m, "system", json_string(about));
#ifdef __clang__
    json_object_set_new(m, "compiler", json_string(__VERSION__));
#else
    json_object_set_new(m, "compiler", json_string("gcc " __VERSION__));
#endif
    json_object_set_new(m, "program", json_string("lab " LAB_VERSION));
    json_object_set_new(m, "clock", json_string(LAB_CLOCK_NAME));
    json_object_set_new(m, "repeats", json_integer(repeats));
    json_object_set_new(m, "redo", json_integer(redo));
    json_object_set_new(m, "probe_threshold", lab_real(threshold));
    harness_free(about);
    return m;
}
