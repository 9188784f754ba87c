/* SPDX-License-Identifier: MIT */
/* Times of partitions, and simulated annealing over them. */
#include "examples/harness/run/bag.h"
#include "examples/tpu/tune/tune.h"

#include <math.h>

enum { STREAM = 0x7e57, PATIENCE = 50 /* steps per evaluation, before a search gives up */ };

/* ---- times ---- */

ag_status tune_ask(tune_pool *pool, tune_way way, const tune_cut *const *cut, int count,
                   ag_failure *why)
{
    ag_status (*const meter)(void *, double *, const lab_fusion *, ag_failure *) =
        way == TUNE_HARDWARE ? pool->meters->measure : pool->meters->predict;
    lab_fusion kernels = {0};
    int *number = NULL;
    for (int c = 0; c < count && !why->status; c++)
        tune_cut_programs(&kernels, &number, pool, way, cut[c], why);
    double *ns = harness_alloc((size_t)kernels.n * sizeof *ns + 1);
    if (kernels.n && !why->status) meter(pool->meters->state, ns, &kernels, why);
    for (int i = 0; i < kernels.n; i++) pool->kernel[number[i]].ns[way] = ns[i];
    pool->asked[way] += kernels.n;
    lab_fusion_clear(&kernels);
    harness_free(ns);
    bag_free(number);
    return why->status;
}

double tune_time(const tune_pool *pool, const tune_cut *cut)
{
    double sum = 0;
    for (int g = 0; g < cut->parts; g++) {
        const double *ns = pool->kernel[cut->part[g]].ns;
        sum += ns[TUNE_HARDWARE] > 0 ? ns[TUNE_HARDWARE] : pool->factor * ns[TUNE_LEARNED];
    }
    return sum;
}

/* ---- annealing ---- */

typedef struct chain {
    tune_cut at, next;
    double ns;
    bool moved; /* next is a neighbour */
    ag_random random;
} chain;

typedef struct search {
    const tune_options *o;
    tune_pool *pool;
    tune_tried **list;
    chain *chain;
    tune_entry *seen; /* a map of partitions */
    int64_t used;
} search;

void tune_keep(tune_tried **list, tune_pool *pool, const tune_cut *cut, double ns)
{
    tune_tried one = {tune_cut_new(pool), ns};
    tune_cut_copy(&one.cut, cut, pool);
    bag_add(*list, one);
}

/* Lists a partition, in the place of the slowest where no more are kept. */
static void note(search *s, const tune_cut *cut, double ns)
{
    tune_tried *slowest = *s->list;
    map_add(s->seen, cut->key, 1);
    s->used++;
    if (bag_count(*s->list) < s->o->kept) {
        tune_keep(s->list, s->pool, cut, ns);
        return;
    }
    for (int i = 1; i < bag_count(*s->list); i++)
        if ((*s->list)[i].ns > slowest->ns) slowest = &(*s->list)[i];
    if (ns >= slowest->ns) return;
    tune_cut_copy(&slowest->cut, cut, s->pool);
    slowest->ns = ns;
}

static void open_chains(search *s, const tune_cut *start)
{
    const double ns = tune_time(s->pool, start);
    s->chain = harness_alloc((size_t)s->o->chains * sizeof *s->chain);
    for (int i = 0; i < s->o->chains; i++) {
        chain *c = &s->chain[i];
        *c = (chain){.at = tune_cut_new(s->pool), .next = tune_cut_new(s->pool), .ns = ns};
        c->random = (ag_random){s->o->seed, STREAM + (uint64_t)i, 0};
        tune_cut_copy(&c->at, start, s->pool);
    }
    note(s, start, ns);
}

/* Proposes a neighbour per chain; chains beyond the remaining evaluations do not move. */
static int propose(search *s, const tune_cut **fresh, ag_failure *why)
{
    int n = 0;
    for (int i = 0; i < s->o->chains; i++) {
        chain *c = &s->chain[i];
        c->moved = tune_cut_move(&c->next, &c->at, s->pool, &c->random, why);
        if (!c->moved || map_find(s->seen, c->next.key) >= 0) continue;
        c->moved = s->used + n < s->o->evaluations;
        if (c->moved) fresh[n++] = &c->next;
    }
    return n;
}

static bool accepts(const search *s, chain *c, double ns)
{
    const double part = (double)s->used / (double)s->o->evaluations;
    const double temperature = s->o->hot * pow(s->o->cold / s->o->hot, part);
    const double worse = log(ns / c->ns), draw = ag_random_uniform(&c->random);
    return worse <= 0 || draw < exp(-worse / temperature);
}

static void step(search *s)
{
    for (int i = 0; i < s->o->chains; i++) {
        chain *c = &s->chain[i];
        if (!c->moved) continue;
        const double ns = tune_time(s->pool, &c->next);
        if (map_find(s->seen, c->next.key) < 0) note(s, &c->next, ns);
        if (!accepts(s, c, ns)) continue;
        tune_cut_copy(&c->at, &c->next, s->pool);
        c->ns = ns;
    }
}

ag_status tune_anneal(tune_tried **list, tune_pool *pool, const tune_cut *start,
                      const tune_options *o, ag_failure *why)
{
    const int64_t most = PATIENCE * o->evaluations / o->chains + PATIENCE;
    const tune_cut **fresh = harness_alloc((size_t)o->chains * sizeof(tune_cut *));
    search s = {.o = o, .pool = pool, .list = list};
    map_owns(s.seen);
    if (o->evaluations > 0 && !tune_ask(pool, o->way, &start, 1, why)) {
        open_chains(&s, start);
        for (int64_t i = 0; i < most && s.used < o->evaluations; i++) {
            const int n = propose(&s, fresh, why);
            if (why->status || tune_ask(pool, o->way, fresh, n, why)) break;
            step(&s);
        }
    }
    map_free(s.seen);
    harness_free(s.chain);
    harness_free((void *)fresh);
    return why->status;
}
