/* SPDX-License-Identifier: MIT */
/* Where the time of a step goes. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "autograd/tape.h"

#include <string.h>
#include <time.h>

double ag__clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void ag_profile(ag_tape *tape, int on)
{
    if (!tape) return;
    ag__free(tape->profile);
    tape->n_profile = 0;
    tape->profile = on ? ag__alloc(AG_PROFILE_ROWS * sizeof *tape->profile) : NULL;
}

void ag__profile_add(ag_tape *tape, const char *name, int group, double seconds)
{
    int i = 0;
    while (i < tape->n_profile &&
           (strcmp(tape->profile[i].name, name) != 0 || tape->profile[i].group != group))
        i++;
    if (i == AG_PROFILE_ROWS) return;
    if (i == tape->n_profile)
        tape->profile[tape->n_profile++] = (ag_profile_row){name, group, 0, 0};
    tape->profile[i].count++;
    tape->profile[i].seconds += seconds;
}

void ag_profile_print(const ag_tape *tape, FILE *file)
{
    int order[AG_PROFILE_ROWS];
    double total = 0;
    if (!tape || !tape->profile || !file) return;
    for (int i = 0; i < tape->n_profile; i++) {
        int at = i;
        while (at > 0 && tape->profile[order[at - 1]].seconds < tape->profile[i].seconds) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = i;
        total += tape->profile[i].seconds;
    }
    fprintf(file, "%-32s %8s %12s %7s\n", "kernel", "launches", "ms", "share");
    for (int i = 0; i < tape->n_profile; i++) {
        const ag_profile_row *row = &tape->profile[order[i]];
        fprintf(file, "%-30s%2s %8ld %12.3f %6.1f%%\n", row->name, row->group ? " +" : "",
                row->count, row->seconds * 1e3, total > 0 ? 100 * row->seconds / total : 0);
    }
    fprintf(file, "%-32s %8s %12.3f\n", "all", "", total * 1e3);
}
