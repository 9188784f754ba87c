/* SPDX-License-Identifier: MIT */
#include "examples/tpu/tune/search.h"

#include "examples/harness/run/bag.h"

#include <math.h>

enum { STREAM = 0x7e57, PATIENCE = 50 /* steps per evaluation, before a search gives up */ };

/* ---- prices ---- */

void tune_prices_free(tune_prices *prices)
{
    harness_free(prices->ns);
    prices->ns = NULL;
    prices->known = 0;
}

double tune_prices_of(const tune_prices *prices, int kernel)
{
    return kernel < prices->known ? prices->ns[kernel] : 0;
}

static double believed(const tune_prices *prices, int kernel)
{
    const double better = prices->better ? tune_prices_of(prices->better, kernel) : 0;
    return better > 0 ? better : prices->factor * prices->ns[kernel];
}

static void make_room(tune_prices *prices, int kernels)
{
    if (kernels <= prices->known) return;
    const int room = kernels < 2 * prices->known ? 2 * prices->known : kernels;
    prices->ns = harness_grow(prices->ns, (size_t)room * sizeof *prices->ns);
    for (int i = prices->known; i < room; i++) prices->ns[i] = 0;
    prices->known = room;
}

/* Lists each unknown kernel once; a mark below 0 takes its place until its price is known. */
static int list_unknown(int **which, tune_prices *prices, const tune_cut *const *cut, int count)
{
    for (int c = 0; c < count; c++)
        for (int g = 0; g < cut[c]->parts; g++) {
            const int kernel = cut[c]->part[g];
            if (prices->ns[kernel] != 0) continue;
            if (prices->better && tune_prices_of(prices->better, kernel) > 0) continue;
            prices->ns[kernel] = -1;
            bag_add(*which, kernel);
        }
    return bag_count(*which);
}

static ag_status ask(tune_prices *prices, const tune_pool *pool, const int *which, int n,
                     ag_failure *why)
{
    lab_fusion kernels;
    double *fresh = harness_alloc((size_t)n * sizeof *fresh);
    const int good = !tune_pool_programs(&kernels, pool, which, n, why) &&
                     !prices->price(prices->state, fresh, &kernels, &prices->stop, why) &&
                     !prices->stop;
    for (int i = 0; i < n; i++) prices->ns[which[i]] = good ? fresh[i] : 0;
    if (good) prices->asked += n;
    lab_fusion_clear(&kernels);
    harness_free(fresh);
    return why->status;
}

ag_status tune_price(double *ns, tune_prices *prices, const tune_cut *const *cut, int count,
                     ag_failure *why)
{
    int *which = NULL;
    if (count < 1) return AG_OK;
    make_room(prices, cut[0]->pool->kernels);
    const int n = list_unknown(&which, prices, cut, count);
    if (n) ask(prices, cut[0]->pool, which, n, why);
    bag_free(which);
    for (int c = 0; c < count; c++) {
        ns[c] = 0;
        for (int g = 0; g < cut[c]->parts; g++) ns[c] += believed(prices, cut[c]->part[g]);
    }
    return why->status;
}

/* ---- annealing ---- */

typedef struct chain {
    tune_cut at, next;
    double ns, next_ns;
    int moved, fresh; /* moved: next is a neighbour; fresh: it was not seen before */
    ag_random random;
} chain;

typedef struct search {
    const tune_options *o;
    const tune_visitor *visitor;
    chain *chain;
    tune_map seen;   /* partition -> index in seen_ns */
    double *seen_ns; /* a bag: a price per evaluation */
    int64_t used;
} search;

static void open_chains(search *s, const tune_cut *start, double ns)
{
    s->chain = harness_alloc((size_t)s->o->chains * sizeof *s->chain);
    for (int i = 0; i < s->o->chains; i++) {
        chain *c = &s->chain[i];
        tune_cut_open(&c->at, start->pool);
        tune_cut_open(&c->next, start->pool);
        tune_cut_copy(&c->at, start);
        c->ns = ns;
        c->random = (ag_random){s->o->seed, STREAM + (uint64_t)i, 0};
    }
}

static void close_chains(search *s)
{
    for (int i = 0; s->chain && i < s->o->chains; i++) {
        tune_cut_close(&s->chain[i].at);
        tune_cut_close(&s->chain[i].next);
    }
    harness_free(s->chain);
    tune_map_free(&s->seen);
    bag_free(s->seen_ns);
}

static void note(search *s, const tune_cut *cut, double ns)
{
    tune_map_put(&s->seen, cut->hash, bag_count(s->seen_ns));
    bag_add(s->seen_ns, ns);
    s->visitor->visit(s->visitor->state, cut, ns, ++s->used);
}

/* Proposes a neighbour per chain; chains beyond the remaining evaluations do not move. */
static int propose(search *s, const tune_cut **fresh, ag_failure *why)
{
    int n = 0;
    for (int i = 0; i < s->o->chains; i++) {
        chain *c = &s->chain[i];
        c->moved = tune_cut_move(&c->next, &c->at, &c->random, why);
        const int at = c->moved ? tune_map_find(&s->seen, c->next.hash, -1) : 0;
        c->fresh = c->moved && at < 0;
        if (c->moved && at >= 0) c->next_ns = s->seen_ns[at];
        if (c->fresh && s->used + n >= s->o->evaluations) c->moved = c->fresh = 0;
        if (c->fresh) fresh[n++] = &c->next;
    }
    return n;
}

static int accepts(search *s, chain *c)
{
    const double part = (double)s->used / (double)s->o->evaluations;
    const double temperature = s->o->hot * pow(s->o->cold / s->o->hot, part);
    const double worse = log(c->next_ns / c->ns), draw = ag_random_uniform(&c->random);
    return worse <= 0 || draw < exp(-worse / temperature);
}

static void step(search *s, const double *ns)
{
    for (int i = 0, n = 0; i < s->o->chains; i++) {
        chain *c = &s->chain[i];
        if (!c->moved) continue;
        if (c->fresh) {
            c->next_ns = ns[n++];
            /* Two chains may have found the same partition. */
            if (tune_map_find(&s->seen, c->next.hash, -1) < 0) note(s, &c->next, c->next_ns);
        }
        if (!accepts(s, c)) continue;
        tune_cut_copy(&c->at, &c->next);
        c->ns = c->next_ns;
    }
}

ag_status tune_anneal(const tune_options *o, const tune_cut *start, tune_prices *prices,
                      const tune_visitor *visitor, ag_failure *why)
{
    search s = {.o = o, .visitor = visitor};
    double first, *ns = harness_alloc((size_t)o->chains * sizeof *ns);
    const tune_cut **fresh = harness_alloc((size_t)o->chains * sizeof(tune_cut *));
    if (o->evaluations > 0 && !tune_price(&first, prices, &start, 1, why) && !prices->stop) {
        const int64_t most = PATIENCE * o->evaluations / o->chains + PATIENCE;
        open_chains(&s, start, first);
        note(&s, start, first);
        for (int64_t i = 0; i < most && s.used < o->evaluations; i++) {
            const int n = propose(&s, fresh, why);
            if (why->status || tune_price(ns, prices, fresh, n, why) || prices->stop) break;
            step(&s, ns);
        }
    }
    close_chains(&s);
    harness_free(ns);
    harness_free(fresh);
    return why->status;
}
