/* SPDX-License-Identifier: MIT */
/* The searches of tile sizes, kernel by kernel. */
#include "examples/tune/tune.h"

#include <math.h>

enum {
    TOP = 10,               /* of TUNE_TEN */
    DEFAULT = TUNE_CHOICES, /* tile 0 */
    ALL = TUNE_CHOICES + 1
};

/* The number of scores better than this one; equal ones are in the order of the tiles. */
static int place_of(const double *score, int n, int i)
{
    int place = 0;
    for (int k = 0; k < n; k++) place += score[k] < score[i] || (score[k] == score[i] && k < i);
    return place;
}

static void choose(int chosen[ALL], const double *ns, const double *score, int n)
{
    int ten = -1;
    chosen[TUNE_EXHAUSTIVE] = chosen[DEFAULT] = 0;
    for (int i = 0; i < n; i++) {
        const int place = place_of(score, n, i);
        if (ns[i] < ns[chosen[TUNE_EXHAUSTIVE]]) chosen[TUNE_EXHAUSTIVE] = i;
        if (!place) chosen[TUNE_FIRST] = i;
        if (place < TOP && (ten < 0 || ns[i] < ns[ten])) ten = i;
    }
    chosen[TUNE_TEN] = ten;
}

/* The times of the n tiles that are chosen, measured again; ns, score: [n] room. */
static ag_status measure_choices(double all[ALL], double *ns, double *score,
                                 const lab_configs *tiles, int n, const tune_meters *m,
                                 ag_failure *why)
{
    int chosen[ALL];
    double again[ALL];
    if (m->meter[TUNE_LEARNED](m->state, score, tiles, NULL, n, why) ||
        m->meter[TUNE_HARDWARE](m->state, ns, tiles, NULL, n, why))
        return why->status;
    choose(chosen, ns, score, n);
    m->meter[TUNE_HARDWARE](m->state, again, tiles, chosen, ALL, why);
    for (int c = 0; c < ALL; c++) ns[chosen[c]] = (double)INFINITY;
    for (int c = 0; c < ALL; c++) ns[chosen[c]] = fmin(ns[chosen[c]], again[c]);
    for (int c = 0; c < ALL; c++) all[c] = ns[chosen[c]];
    return why->status;
}

/* The times of kernel k with each choice: a kernel with a single tile has the same time for all. */
static ag_status search_kernel(double all[ALL], const lab_fusion *f, int k, const tune_meters *m,
                               const tpu_settings *s, ag_failure *why)
{
    lab_configs configs = {.program = &f->kernel[k]};
    const int n =
        lab_tiles(&configs.tile, configs.program, s->tiles, (uint64_t)s->harness.common.seed);
    if (n < 2) {
        configs = (lab_configs){.fusion = f, .tile = configs.tile};
        m->meter[TUNE_HARDWARE](m->state, all, &configs, &k, 1, why);
        for (int c = 1; c < ALL; c++) all[c] = all[0];
    } else {
        double *ns = HARNESS_NEW(ns, 2 * n);
        measure_choices(all, ns, ns + n, &configs, n, m, why);
        harness_free(ns);
    }
    harness_free(configs.tile);
    return why->status;
}

ag_status tune_tiles_search(tune_result *result, const lab_program *p, const tune_meters *meters,
                            const tpu_settings *settings, ag_failure *why)
{
    lab_fusion f;
    double sum[ALL] = {0};
    lab_fusion_draw(&f, p, 2, 0); /* partition 1 fuses everything that it can */
    for (int k = 0; k < f.n && !why->status; k++) {
        double ns[ALL] = {0};
        int count = 0; /* of this kernel in the program */
        for (int64_t i = f.offset[1]; i < f.offset[2]; i++) count += f.part[i] == k;
        if (!count) continue;
        result->kernels++;
        search_kernel(ns, &f, k, meters, settings, why);
        for (int c = 0; c < ALL; c++) sum[c] += count * ns[c];
    }
    result->default_ns = sum[DEFAULT];
    for (int c = 0; c < TUNE_CHOICES && !why->status; c++)
        result->speedup[c] = sum[DEFAULT] / sum[c];
    lab_fusion_clear(&f);
    return why->status;
}
