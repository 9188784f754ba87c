/* SPDX-License-Identifier: MIT */
/* The clock and the core of measurements, and the facts that they depend on. */
#define _GNU_SOURCE
#include "examples/harness/machine/processor.h"
#include "core/error.h"
#include "examples/lab/measure/measure.h"
#include "examples/lab/measure/manifest.h"

#include <jansson.h>
#include <sched.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

int64_t lab_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int lab_pin(int core)
{
    cpu_set_t set;
    if (core < 0) {
        if (sched_getaffinity(0, sizeof set, &set)) return -1;
        for (int i = CPU_SETSIZE - 1; i >= 0 && core < 0; i--)
            if (CPU_ISSET(i, &set)) core = i;
    }
    if (core < 0 || core >= CPU_SETSIZE) return -1;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    return sched_setaffinity(0, sizeof set, &set) ? -1 : core;
}

ag_status lab_core_check(int core, ag_failure *why)
{
    cpu_set_t set;
    char cores[200] = "";
    if (core < 0 || sched_getaffinity(0, sizeof set, &set)) return AG_OK;
    if (core < CPU_SETSIZE && CPU_ISSET(core, &set)) return AG_OK;
    for (int i = 0, n = 0, last; i < CPU_SETSIZE && n < 180; i = last + 1) {
        last = i;
        if (!CPU_ISSET(i, &set)) continue;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set)) last++;
        n += sprintf(cores + n, "%s%d", n ? ", " : "", i);
        if (last > i) n += sprintf(cores + n, " to %d", last);
    }
    return ag_fail(
        why, AG_EUSE,
        "--core is %d, which is not a core that the program may run on (%s); name one of "
        "these, or omit --core for the last one",
        core, cores);
}

/* Family, model and stepping of the CPU, and its cache: names can be as short as "AMD EPYC", and
   the numbers tell such processors apart. */
static json_t *cpu_numbers(void)
{
    static const char *const keys[] = {"cpu family", "model", "stepping", "cache size"};
    json_t *list = json_object();
    char line[256];
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *value = harness_fact(line, "/proc/cpuinfo", keys[i]);
        if (value) json_object_set_new(list, keys[i], json_string(value));
    }
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
#ifdef __clang__
    static const char compiler[] = __VERSION__;
#else
    static const char compiler[] = "gcc " __VERSION__;
#endif
    struct utsname system;
    const char *about = uname(&system) ? "unknown"
                                       : harness_format("%.60s %.*s %.60s", system.sysname,
                                                        (int)strspn(system.release, "0123456789."),
                                                        system.release, system.machine);
    return json_pack("{ss so sI si ss ss ss ss si si so}", "cpu", harness_processor(),
                     "cpu_numbers", cpu_numbers(), "cores",
                     (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "core", core, "system", about,
                     "compiler", compiler, "program", "lab " LAB_VERSION, "clock", LAB_CLOCK_NAME,
                     "repeats", repeats, "redo", redo, "probe_threshold", lab_real(threshold));
}
