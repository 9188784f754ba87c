/* SPDX-License-Identifier: MIT */
/* The golden file of a whole model: members that are read are noted, so that a test can say that
   nothing is left out; and gradients are compared with what make_golden.py's `probe` stores. */
#ifndef AG_TESTS_GOLDEN_PROBE_H
#define AG_TESTS_GOLDEN_PROBE_H

#include "support/test.h"
#include "support/golden.h"

enum { PROBE_MEMBERS = 4096 };

static golden *file;
static char seen[PROBE_MEMBERS]; /* by member: it was read */

static inline int probe_open(const char *path)
{
    char name[100];
    file = golden_open(path);
    return file && !golden_name(file, PROBE_MEMBERS, name) ? 0 : -1;
}

static inline void probe_close(void) { golden_close(file); }

/* value NULL: no such member. */
static inline golden_array try_member(const char *name)
{
    const int64_t at = golden_find(file, name);
    if (at >= 0) seen[at] = 1;
    return golden_read(file, "%s", name);
}

static inline golden_array read_array(const char *format, ...)
{
    char name[128];
    va_list list;
    va_start(list, format);
    vsnprintf(name, sizeof name, format, list);
    va_end(list);
    golden_array a = try_member(name);
    if (!a.value) fail_msg("there is no member %s", name);
    return a;
}

static inline double worst_of(double *worst, double error) /* a NaN is worst */
{
    if (!(error <= *worst)) *worst = error == error ? error : (double)INFINITY;
    return *worst;
}

/* Largest difference between a gradient and the file's facts about it, in units of its scale, which
   is at least `floor`. about: stream, scale, offset, largest, norm, 3 dot products, 8 entries. */
static inline double compare_gradient(const double *g, int64_t n, const double *about, double floor)
{
    const double scale = fmax(about[3], floor), of_norm = fmax(about[4], floor * sqrt((double)n));
    double worst = 0, norm = 0, largest = 0;
    for (int64_t i = 0; i < n; i++) {
        norm += g[i] * g[i];
        largest = fmax(largest, fabs(g[i]));
    }
    worst_of(&worst, fabs(largest - about[3]) / scale);
    worst_of(&worst, fabs(sqrt(norm) - about[4]) / of_norm);
    for (uint32_t d = 0; d < 3; d++) {
        double dot = 0;
        for (int64_t i = 0; i < n; i++)
            dot += g[i] * golden_uniform(1000 + 3 * (uint32_t)about[0] + d, (uint32_t)i);
        worst_of(&worst, fabs(dot - about[5 + d]) / of_norm);
    }
    for (int i = 0; i < 8; i++) worst_of(&worst, fabs(g[i * n / 8] - about[8 + i]) / scale);
    return worst;
}

/* A test: nothing in the file is left out. */
static inline void test_whole_file(void **state)
{
    char name[100];
    for (int64_t i = 0; golden_name(file, i, name); i++)
        if (!seen[i]) fail_msg("%s was not compared", name);
}

#endif
