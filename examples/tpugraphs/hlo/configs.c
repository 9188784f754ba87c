/* SPDX-License-Identifier: MIT */
/* Layout configurations of a graph: drawn, one change at a time, or those of a file. */
#include "examples/tpugraphs/hlo/parts.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/sort.h"

#include <string.h>
#include <xxhash.h>

enum { DIGITS = 18, TRIES = 50 };

void hlo_configs_free(hlo_configs *c, tpugraphs_budget *budget)
{
    ag_free(c->digit);
    ag_free(c->runtime);
    budget->used -= c->bytes;
    *c = (hlo_configs){.count = 0};
}

/* Memory for n configurations with unknown run times. */
static ag_status take(hlo_configs *c, const hlo_graph *g, int64_t n, tpugraphs_budget *budget,
                      ag_failure *why)
{
    const size_t row = sizeof *c->digit * DIGITS * (size_t)(g->configurable + !g->configurable);
    *c = (hlo_configs){.count = 0};
    if (n < 1 || n > INT32_MAX)
        return ag_fail(why, AG_EDATA,
                       "there are %lld configurations, but a file has 1 to %d; draw them with "
                       "--configs N",
                       (long long)n, INT32_MAX);
    c->digit = tpugraphs_take(budget, &c->bytes, (size_t)n, row, "configurations", why);
    if (c->digit)
        c->runtime =
            tpugraphs_take(budget, &c->bytes, (size_t)n, sizeof *c->runtime, "configurations", why);
    if (c->runtime) memset(c->runtime, 0, (size_t)n * sizeof *c->runtime);
    return why->status;
}

static float *row_of(const hlo_configs *c, const hlo_graph *g, int64_t config, int node)
{
    return c->digit + (config * g->configurable + node) * DIGITS;
}

/* That of all first choices. */
static void first(hlo_configs *c, const hlo_graph *g)
{
    for (int v = 0; v < g->configurable; v++) hlo_choice(row_of(c, g, 0, v), &g->choosing[v], 0);
    c->count = 1;
}

/* ---- one change at a time ---- */

ag_status hlo_configs_sweep(hlo_configs *c, const hlo_graph *g, tpugraphs_budget *budget,
                            ag_failure *why)
{
    int64_t n = 1;
    for (int i = 0; i < g->configurable; i++) n += hlo_choices(&g->choosing[i]) - 1;
    if (take(c, g, n, budget, why)) return why->status;
    first(c, g);
    for (int64_t i = 1; i < n; i++)
        memcpy(row_of(c, g, i, 0), c->digit, sizeof *c->digit * DIGITS * (size_t)g->configurable);
    for (int v = 0; v < g->configurable; v++)
        for (int k = 1; k < hlo_choices(&g->choosing[v]); k++)
            hlo_choice(row_of(c, g, c->count++, v), &g->choosing[v], k);
    return AG_OK;
}

/* The nodes sorted so that those with the same choices follow each other. */
typedef struct drawing {
    const hlo_graph *g;
    uint64_t *kind; /* [configurable] hashes of what they choose from, ascending */
    int32_t *node;  /* [configurable] that each belongs to */
    uint64_t *seen; /* [room] hashes of configurations, 0: none */
    size_t room;    /* a power of 2, more than twice as many as are drawn */
    ag_random random;
    size_t bytes;
} drawing;

static void draw(drawing *d, float *digit, int alike)
{
    int choice = 0;
    for (int i = 0; i < d->g->configurable; i++) {
        const hlo_choosing *x = &d->g->choosing[d->node[i]];
        if (!alike || !i || d->kind[i] != d->kind[i - 1])
            choice = (int)ag_random_below(&d->random, (uint32_t)hlo_choices(x));
        hlo_choice(digit + (int64_t)d->node[i] * DIGITS, x, choice);
    }
}

/* 1: it was not there, and is now. */
static int add(drawing *d, const float *digit)
{
    const size_t bytes = sizeof *digit * DIGITS * (size_t)d->g->configurable;
    const uint64_t hash = XXH3_64bits(digit, bytes) | 1;
    size_t at = hash >> 1 & (d->room - 1);
    for (; d->seen[at]; at = (at + 1) & (d->room - 1))
        if (d->seen[at] == hash) return 0;
    d->seen[at] = hash;
    return 1;
}

static void draw_all(hlo_configs *c, drawing *d, int count)
{
    first(c, d->g);
    add(d, c->digit);
    for (int alike = 1, tries = 0; c->count < count && (alike || tries < TRIES); tries++) {
        if (alike && tries == TRIES) alike = tries = 0;
        float *digit = row_of(c, d->g, c->count, 0);
        draw(d, digit, alike);
        if (!add(d, digit)) continue;
        c->count++;
        tries = -1;
    }
}

static ag_status prepare(drawing *d, int count, tpugraphs_budget *budget, ag_failure *why)
{
    const size_t n = (size_t)d->g->configurable;
    for (d->room = 4; d->room <= 2 * (size_t)count;) d->room *= 2;
    if (!(d->kind = tpugraphs_take(budget, &d->bytes, n + 1, sizeof *d->kind, "layouts", why)) ||
        !(d->node = tpugraphs_take(budget, &d->bytes, n + 1, sizeof *d->node, "layouts", why)) ||
        !(d->seen = tpugraphs_take(budget, &d->bytes, d->room, sizeof *d->seen, "layouts", why)))
        return why->status;
    memset(d->seen, 0, d->room * sizeof *d->seen);
    for (size_t i = 0; i < n; i++) {
        enum { FROM = offsetof(hlo_choosing, opcode), SLOTS = offsetof(hlo_choosing, slot) };
        const hlo_choosing *x = &d->g->choosing[i];
        d->kind[i] = XXH3_64bits((const char *)x + FROM, SLOTS - FROM + sizeof x->slot);
        d->node[i] = (int32_t)i;
    }
    return ag_sort_u64(d->kind, d->node, (int64_t)n, why);
}

ag_status hlo_configs_draw(hlo_configs *c, const hlo_graph *g, int count, uint64_t seed,
                           tpugraphs_budget *budget, ag_failure *why)
{
    drawing d = {.g = g, .random = {seed, 0, 0}};
    if (!take(c, g, count, budget, why) && !prepare(&d, count, budget, why)) draw_all(c, &d, count);
    ag_free(d.kind);
    ag_free(d.node);
    ag_free(d.seen);
    budget->used -= d.bytes;
    return why->status;
}

static ag_status check_digits(const hlo_configs *c, const hlo_graph *g, const char *name,
                              ag_failure *why)
{
    const int64_t n = (int64_t)c->count * g->configurable * DIGITS;
    for (int64_t i = 0; i < n; i++)
        if (!(c->digit[i] >= -1 && c->digit[i] < TPUGRAPHS_AXES &&
              c->digit[i] == (float)(int)c->digit[i]))
            return ag_fail(why, AG_EDATA,
                           "%s: a layout of configuration %lld has %g, but axes are 0 to %d, and "
                           "-1 after the last",
                           name, (long long)(i / DIGITS / g->configurable), (double)c->digit[i],
                           TPUGRAPHS_AXES - 1);
    return AG_OK;
}

static ag_status check_nodes(const tpugraphs_raw *raw, const hlo_graph *g, ag_failure *why)
{
    for (int i = 0; i < raw->configurable; i++)
        if (raw->configurable != g->configurable || raw->config_node[i] != g->choosing[i].node)
            return ag_fail(why, AG_EDATA,
                           "%s: node_config_ids are not the %d nodes of %s whose layouts can be "
                           "chosen; make both from the same module",
                           raw->name, g->configurable, g->name);
    return AG_OK;
}

static ag_status read_configs(hlo_configs *c, const hlo_graph *g, tpugraphs_raw *raw,
                              ag_failure *why)
{
    if (tpugraphs_has(raw, "node_config_ids", why) &&
        (tpugraphs_raw_config_nodes(raw, why) || check_nodes(raw, g, why)))
        return why->status;
    const ag_array_info *info =
        tpugraphs_member(raw, "node_config_feat", AG_SHAPE(-1, g->configurable, DIGITS),
                         "18 layout values per configuration and configurable node", why);
    if (!info || take(c, g, info->size[0], raw->budget, why)) return why->status;
    c->count = raw->configs = (int)info->size[0];
    if (ag_npz_read(raw->npz, "node_config_feat", AG_F32, c->digit, why) ||
        check_digits(c, g, raw->name, why))
        return why->status;
    if (tpugraphs_has(raw, "config_runtime", why)) tpugraphs_raw_runtimes(raw, c->runtime, why);
    return why->status;
}

ag_status hlo_configs_read(hlo_configs *c, const hlo_graph *g, const char *path,
                           tpugraphs_budget *budget, ag_failure *why)
{
    tpugraphs_raw raw = {.path = path,
                         .name = harness_files_short(path),
                         .budget = budget,
                         .nodes = g->nodes,
                         .npz = ag_npz_open(path, SIZE_MAX / 2, why)};
    *c = (hlo_configs){.count = 0};
    if (raw.npz) read_configs(c, g, &raw, why);
    tpugraphs_raw_close(&raw);
    return why->status;
}
