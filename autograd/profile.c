/* SPDX-License-Identifier: MIT */
/* Where the time of a step goes. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "autograd/tape.h"
#include "core/memory.h"
#include "core/shape.h"

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
    ag_free(tape->profile);
    tape->n_profile = 0;
    tape->profile = on ? ag_alloc(AG_PROFILE_ROWS * sizeof *tape->profile) : NULL;
}

static double ref_bytes(ag_ref ref, ag_shape shape)
{
    const int there = ref.place != AT_NOTHING && ref.place != AT_TILE;
    return there ? (double)ag_shape_count(shape) * (double)sizeof(ag_real) : 0;
}

/* Each tensor once, and a gradient that is added to twice; scratch and what a kernel reads again
   are not counted. */
static double job_bytes(const ag_job *job)
{
    const ag_args *a = &job->args;
    double sum = (1 + (a->add != 0)) * ref_bytes(job->dx, a->xs[a->which]);
    if (job->also.place != AT_NOTHING)
        sum += (1 + (a->add_also != 0)) * ref_bytes(job->also, a->xs[job->also_of]);
    for (int i = 0; i < a->n_in; i++) sum += ref_bytes(job->x[i], a->xs[i]);
    for (int j = 0; j < AG_MAX_OUT; j++)
        sum += ref_bytes(job->y[j], a->ys[j]) + ref_bytes(job->dy[j], a->ys[j]);
    return sum;
}

double ag__step_bytes(const ag_plan *plan, const ag_step *step)
{
    double sum = 0;
    for (int k = 0; k < step->n; k++) sum += job_bytes(&plan->jobs[step->first + k]);
    return sum;
}

void ag__profile_add(ag_tape *tape, const char *name, int group, double seconds, double bytes)
{
    int i = 0;
    while (i < tape->n_profile &&
           (strcmp(tape->profile[i].name, name) != 0 || tape->profile[i].group != group))
        i++;
    if (i == AG_PROFILE_ROWS) return;
    if (i == tape->n_profile)
        tape->profile[tape->n_profile++] = (ag_profile_row){name, group, 0, 0, 0};
    tape->profile[i].count++;
    tape->profile[i].seconds += seconds;
    tape->profile[i].bytes += bytes;
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
    fprintf(file, "%-32s %8s %12s %7s", "kernel", "launches", "ms", "share");
    fprintf(file, "%s\n", tape->device == AG_CPU ? "" : "         MB      GB/s");
    for (int i = 0; i < tape->n_profile; i++) {
        const ag_profile_row *row = &tape->profile[order[i]];
        fprintf(file, "%-30s%2s %8ld %12.3f %6.1f%%", row->name, row->group ? " +" : "", row->count,
                row->seconds * 1e3, total > 0 ? 100 * row->seconds / total : 0);
        if (tape->device != AG_CPU)
            fprintf(file, " %10.3f %9.1f", row->bytes * 1e-6,
                    row->seconds > 0 ? row->bytes * 1e-9 / row->seconds : 0);
        fputs("\n", file);
    }
    fprintf(file, "%-32s %8s %12.3f\n", "all", "", total * 1e3);
}
