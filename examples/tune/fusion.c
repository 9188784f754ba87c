/* SPDX-License-Identifier: MIT */
/* The searches of partitions of one program: simulated annealing on hardware only, and with a
   model. */
#include "examples/harness/base/bag.h"
#include "core/random.h"
#include "examples/tune/tune.h"

#include <math.h>

/* PATIENCE: neighbours per partition that is asked for, before a search gives up. SPARE: partitions
   that are kept beyond those that are measured, since the ranks change while they are. */
enum { STREAM = 0x7e57, PATIENCE = 50, SPARE = 64 };

ag_status tune_ask(tune_pool *pool, tune_way way, const tune_cut *cut, int count, ag_failure *why)
{
    const lab_configs configs = {.fusion = &pool->kernels};
    int *which = NULL;
    for (int c = 0; c < count; c++)
        for (int g = 0; g < cut[c].parts; g++) {
            double *known = pool->time[cut[c].part[g]].ns;
            if (known[way] != 0) continue;
            known[way] = -1; /* is listed */
            bag_add(which, cut[c].part[g]);
        }
    const int n = bag_count(which);
    double *ns = HARNESS_NEW(ns, n + 1);
    if (n) pool->meters->meter[way](pool->meters->state, ns, &configs, which, n, why);
    for (int i = 0; i < n; i++) pool->time[which[i]].ns[way] = ns[i];
    harness_free(ns);
    bag_free(which);
    return why->status;
}

double tune_time(const tune_pool *pool, const tune_cut *cut)
{
    double sum = 0;
    for (int g = 0; g < cut->parts; g++) {
        const double *ns = pool->time[cut->part[g]].ns;
        sum += ns[TUNE_HARDWARE] > 0 ? ns[TUNE_HARDWARE] : pool->factor * ns[TUNE_LEARNED];
    }
    return sum;
}

static void forget(tune_pool *pool)
{
    for (int k = 0; k < pool->kernels.n; k++) pool->time[k] = (tune_times){0};
    pool->factor = 1;
}

/* Makes the sum of the model's times equal to that of the measured kernels. */
static void calibrate(tune_pool *pool)
{
    double measured = 0, predicted = 0;
    for (int k = 0; k < pool->kernels.n; k++) {
        const double *ns = pool->time[k].ns;
        if (!(ns[TUNE_HARDWARE] > 0 && ns[TUNE_LEARNED] > 0)) continue;
        measured += ns[TUNE_HARDWARE];
        predicted += ns[TUNE_LEARNED];
    }
    if (predicted > 0) pool->factor = measured / predicted;
}

/* share: of the search that is done. Temperatures are in ln(time) of the program; a search with
   thousands of steps starts hotter, which helps it out of local minima. */
static bool accepts(double ns, double before, tune_way way, double share, ag_random *random)
{
    static const double hot[TUNE_WAYS] = {0.02, 0.05}, cold = 0.0005;
    const double temperature = hot[way] * pow(cold / hot[way], share);
    const double worse = log(ns / before), draw = ag_random_uniform(random);
    return worse <= 0 || draw < exp(-worse / temperature);
}

/* In the place of the slowest but the start, where there are `kept`. */
static void keep(tune_cut **list, tune_pool *pool, const tune_cut *cut, int kept)
{
    const int n = bag_count(*list);
    const double ns = tune_time(pool, cut);
    int at = 1;
    if (n < kept) {
        tune_cut own = tune_cut_new(pool);
        bag_add(*list, own);
        at = n;
    } else {
        for (int i = 2; i < n; i++)
            if ((*list)[i].ns > (*list)[at].ns) at = i;
        if (n < 2 || ns >= (*list)[at].ns) return;
    }
    tune_cut_copy(&(*list)[at], cut, pool);
    (*list)[at].ns = ns;
}

ag_status tune_anneal(tune_cut **list, tune_pool *pool, const tune_cut *start, tune_way way,
                      int partitions, int kept, uint64_t seed, ag_failure *why)
{
    const int64_t most = (int64_t)PATIENCE * (1 + partitions);
    ag_random random = {seed, STREAM, 0};
    harness_name_at *seen = NULL; /* a map */
    tune_cut at = tune_cut_new(pool), next = tune_cut_new(pool);
    double before = (double)INFINITY;
    int done = 0;
    map_owns(seen);
    tune_cut_copy(&next, start, pool);
    for (int64_t i = 0; i < most && done < partitions; i++) {
        if (i && !tune_cut_move(&next, &at, pool, &random)) break;
        const bool fresh = map_find(seen, next.key) < 0;
        if (fresh && tune_ask(pool, way, &next, 1, why)) break;
        if (fresh) keep(list, pool, &next, kept);
        done += fresh;
        map_add(seen, next.key, 1);
        const double ns = tune_time(pool, &next);
        if (!accepts(ns, before, way, (double)done / partitions, &random)) continue;
        tune_cut_copy(&at, &next, pool);
        before = ns;
    }
    map_free(seen);
    return why->status;
}

static int best_of(const tune_cut *list, const tune_pool *pool)
{
    int best = 0;
    for (int i = 1; i < bag_count(list); i++)
        if (tune_time(pool, &list[i]) < tune_time(pool, &list[best])) best = i;
    return best;
}

/* Measures the first partition of the list and then those with the best current estimates: a kernel
   that was measured keeps its time, which changes the estimates of those that are left. */
static ag_status verify(tune_cut *found, tune_pool *pool, tune_cut *list, int most, ag_failure *why)
{
    for (int n = 0; n < most && bag_count(list) && !why->status; n++) {
        const int at = n ? best_of(list, pool) : 0;
        if (tune_ask(pool, TUNE_HARDWARE, &list[at], 1, why)) break;
        if (!n || tune_time(pool, &list[at]) < tune_time(pool, found)) *found = list[at];
        calibrate(pool);
        stbds_arrdelswap(list, at);
    }
    return why->status;
}

static ag_status search(tune_cut *found, tune_pool *pool, const tune_cut *start, tune_way way,
                        const tpu_settings *o, ag_failure *why)
{
    const bool learned = way == TUNE_LEARNED;
    const int partitions = learned ? o->search_steps : o->measurements;
    const int kept = learned ? SPARE + o->verify : 2;
    tune_cut *list = NULL;
    forget(pool);
    if (!tune_anneal(&list, pool, start, way, partitions, kept, (uint64_t)o->harness.common.seed,
                     why)) {
        *found = list[best_of(list, pool)];
        if (learned) verify(found, pool, list, o->verify, why);
    }
    bag_free(list);
    return why->status;
}

ag_status tune_fusion_search(tune_result *result, const lab_program *p, const tune_meters *meters,
                             const tpu_settings *o, ag_failure *why)
{
    ag_random random = {(uint64_t)o->harness.common.seed, lab_kernel_hash(p), 0};
    const double rate = ag_random_uniform(&random);
    tune_pool pool;
    tune_cut cut[2 + TUNE_SEARCHES]; /* the default partition, a random one, what is found */
    tune_pool_open(&pool, p, meters);
    for (int i = 0; i < 2; i++) cut[i] = tune_cut_new(&pool);
    tune_cut_draw(&cut[0], &pool, 1, 0);
    tune_cut_draw(&cut[1], &pool, rate, ag_random_bits(&random));
    for (int i = 0; i < TUNE_SEARCHES && !why->status; i++)
        search(&cut[2 + i], &pool, &cut[i / TUNE_WAYS], i % TUNE_WAYS, o, why);
    if (!why->status) {
        forget(&pool);
        tune_ask(&pool, TUNE_HARDWARE, cut, 2 + TUNE_SEARCHES, why);
        result->kernels = cut[0].parts;
        result->default_ns = tune_time(&pool, &cut[0]);
        for (int i = 0; i < TUNE_SEARCHES; i++)
            result->speedup[i] = result->default_ns / tune_time(&pool, &cut[2 + i]);
    }
    tune_pool_close(&pool);
    return why->status;
}
