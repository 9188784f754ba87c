/* SPDX-License-Identifier: MIT */
/* The messages by which ranks agree that they begin alike and, after each step, that their weights
   are equal and whether one has to stop. */
#include "examples/harness/mpi/ranks.h"
#include "core/error.h"

#include <math.h>
#include <string.h>

/* Waits for all, however long: one reads or scores for longer than others. */
static ag_status exchange_endlessly(ag_ranks *ranks, const ag_ranks_part *out,
                                    const ag_ranks_part *from, const char *what, ag_failure *why)
{
    const double patience = ranks->patience;
    ranks->patience = (double)INFINITY;
    const ag_status status = ranks->exchange(ranks, out, from, what, why);
    ranks->patience = patience;
    return status;
}

ag_status harness_ranks_tell(ag_ranks *ranks, void *data, size_t bytes, const char *what,
                             ag_failure *why)
{
    if (!ranks) return AG_OK;
    const size_t count = (size_t)ranks->count;
    ag_ranks_part *from = harness_alloc(2 * count * sizeof *from), *out = from + count;
    for (size_t r = 0; r < count; r++)
        *(ranks->rank ? &from[0] : &out[r]) = (ag_ranks_part){data, bytes};
    exchange_endlessly(ranks, out, from, what, why);
    harness_free(from);
    return why->status;
}

static ag_status differ(int rank, const harness_identity *a, const harness_identity *b,
                        ag_failure *why)
{
    const char *what = NULL;
    if (strcmp(a->processor, b->processor) != 0)
        return ag_fail(why, AG_EUSE,
                       "rank %d runs on %s, but rank 0 on %s, which may compute other bits; start "
                       "all ranks on one kind of processor",
                       rank, b->processor, a->processor);
    if (strcmp(a->version, b->version) != 0 || a->program != b->program)
        what = "is another build";
    else if (a->options != b->options)
        what = "has other options";
    else if (a->data != b->data)
        what = "has read other data";
    else if (a->step != b->step || a->weights != b->weights)
        what = "begins with other weights";
    if (!what) return AG_OK;
    return ag_fail(why, AG_EUSE,
                   "rank %d %s than rank 0; give all machines the same program, files and command "
                   "line",
                   rank, what);
}

ag_status harness_ranks_compare(ag_ranks *ranks, const harness_identity *mine, ag_failure *why)
{
    if (!ranks) return AG_OK;
    const size_t count = (size_t)ranks->count;
    harness_identity *all = harness_alloc(count * sizeof *all);
    ag_ranks_part *from = harness_alloc(2 * count * sizeof *from), *out = from + count;
    for (size_t r = 0; r < count; r++) {
        from[r] = (ag_ranks_part){&all[r], sizeof *all};
        out[r] = (ag_ranks_part){&all[ranks->rank], sizeof *all};
    }
    all[ranks->rank] = *mine;
    if (!exchange_endlessly(ranks, out, from, "the beginning", why))
        for (int r = 1; r < ranks->count && !why->status; r++) differ(r, &all[0], &all[r], why);
    harness_free(from);
    harness_free(all);
    return why->status;
}

static ag_status agree(const ag_ranks_part *from, int count, ag_failure *why)
{
    const harness_said *first = from[0].at;
    for (int r = 1; r < count; r++)
        if (((const harness_said *)from[r].at)->weights != first->weights)
            return ag_fail(why, AG_EDATA,
                           "the weights of rank %d differ from those of rank 0 after this step: a "
                           "processor or memory of one of them is bad; go on with --resume on "
                           "other machines",
                           r);
    return AG_OK;
}

/* A message is what a rank says and its losses. */
ag_status harness_ranks_step(double *sum, harness_said *mine, ag_ranks *ranks, const double *loss,
                             int64_t shards, ag_failure *why)
{
    const int count = ranks->count, me = ranks->rank;
    const size_t bytes = (size_t)count * sizeof(harness_said) + (size_t)shards * sizeof *loss;
    char *message = harness_alloc(bytes), *at = message;
    ag_ranks_part *from = harness_alloc(2 * (size_t)count * sizeof *from), *out = from + count;
    for (int r = 0; r < count; r++) {
        int64_t first, end;
        ag_ranks_share(&first, &end, shards, r, count);
        from[r] = (ag_ranks_part){at, sizeof *mine + (size_t)(end - first) * sizeof *loss};
        at += from[r].bytes;
    }
    memcpy(from[me].at, mine, sizeof *mine);
    memcpy((char *)from[me].at + sizeof *mine, loss, from[me].bytes - sizeof *mine);
    for (int r = 0; r < count; r++) out[r] = from[me];
    if (!ranks->exchange(ranks, out, from, "the end of a step", why) && !agree(from, count, why)) {
        *sum = 0;
        for (int r = 0; r < count; r++) {
            const harness_said *said = from[r].at;
            const double *theirs = (const double *)(const void *)(said + 1);
            const size_t n = (from[r].bytes - sizeof *said) / sizeof *theirs;
            for (size_t i = 0; i < n; i++) *sum += theirs[i];
            mine->stops |= said->stops;
        }
    }
    harness_free(from);
    harness_free(message);
    return why->status;
}
