/* SPDX-License-Identifier: MIT */
/* Any bytes as a module of HLO, text or protobuf by their beginning. A graph that is read is whole,
   and its configurations name axes once. */
#include "examples/tpugraphs/hlo/hlo.h"

#include <stdlib.h>

enum { LIMIT = 1 << 26, DRAWN = 5 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void check_graph(const hlo_graph *g)
{
    int roots = 0;
    if (g->nodes < 1 || g->splits < 2 || g->split[g->splits - 1] != g->nodes) abort();
    for (int i = 0; i < g->nodes; i++) roots += g->feature[i][0] == 1;
    if (!roots) abort();
    for (int i = 0; i < g->edges; i++)
        for (int k = 0; k < 2; k++)
            if (g->edge[i][k] < 0 || g->edge[i][k] >= g->nodes) abort();
    for (int i = 1; i < g->edges; i++)
        if (g->edge[i][0] == g->edge[i - 1][0] ? g->edge[i][1] <= g->edge[i - 1][1]
                                               : g->edge[i][0] < g->edge[i - 1][0])
            abort();
}

static void check_digits(const float *digit)
{
    for (int i = 0; i < 18; i++)
        for (int k = i / 6 * 6; k < i; k++)
            if (digit[i] < -1 || digit[i] > 5 || (digit[i] >= 0 && digit[i] == digit[k])) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    tpugraphs_budget budget = {.limit = LIMIT};
    ag_failure why = {0};
    hlo_graph g;
    hlo_configs c = {.count = 0};
    hlo_read_bytes(&g, bytes, n, "fuzz", HLO_NEAREST, &budget, &why);
    if ((why.status == AG_OK) != (why.sentence[0] == 0)) abort();
    if (!why.status) {
        check_graph(&g);
        hlo_configs_draw(&c, &g, DRAWN, 0, &budget, &why);
        for (int64_t i = 0; i < (int64_t)c.count * g.configurable; i++)
            check_digits(c.digit + 18 * i);
    }
    hlo_configs_free(&c, &budget);
    hlo_free(&g, &budget);
    if (budget.used) abort();
    return 0;
}
