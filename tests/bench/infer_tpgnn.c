/* SPDX-License-Identifier: MIT */
#include "infer.h"

#include "probe.h"

#include <stdlib.h>
#include <string.h>

/* A root, loops, and constants for the leaves. */
static const char kinds[] = "For parallel int32 - 0\nFor serial int32 - 0\nIntImm - int32 - 0\n"
                            "PrimFunc - - - 1\nSeqStmt - - - 0";
enum { LOOP = 1, LEAF = 2, ROOT = 3 };

/* A random tree in pre-order, as how many children each node has: the parent of a node is the one
   before it or an ancestor of that. */
static void make_tree(int32_t *children, int32_t *parent, int nodes, ag_random *r)
{
    memset(children, 0, (size_t)nodes * sizeof *children);
    parent[0] = 0;
    for (int v = 1; v < nodes; v++) {
        int u = v - 1;
        while (u && ag_random_below(r, 2)) u = parent[u];
        parent[v] = u;
        children[u]++;
    }
}

/* Pre-order with counts of children: every node is the next child of the last one that still lacks
   some, which is the same tree. */
static ag_status make_data(tpgnn_data *data, int trees, int nodes, ag_failure *why)
{
    ag_random r = {7, 0, 0};
    ag_failure bad = {0};
    const size_t all = (size_t)trees * (size_t)nodes;
    int32_t *kind = malloc(all * sizeof *kind), *children = malloc(all * sizeof *children),
            *refers = malloc(all * sizeof *refers), *parent = malloc(all * sizeof *parent),
            *index = malloc((size_t)trees * sizeof *index);
    float *value = calloc(all, sizeof *value);
    int64_t *offset = calloc((size_t)trees + 1, sizeof *offset);
    for (int t = 0; t < trees; t++) {
        offset[t + 1] = offset[t] + nodes;
        make_tree(children + offset[t], parent, nodes, &r);
    }
    for (size_t v = 0; v < all; v++) {
        kind[v] = v % (size_t)nodes == 0 ? ROOT : children[v] ? LOOP : LEAF;
        value[v] = kind[v] == LEAF ? (float)ag_random_below(&r, 64) : 0;
        refers[v] = 0; /* nothing */
    }
    const tpgnn_arrays arrays = {.name = "made",
                                 .kinds = kinds,
                                 .kinds_bytes = sizeof kinds - 1,
                                 .nodes = (int64_t)all,
                                 .schedules = trees,
                                 .kind = kind,
                                 .children = children,
                                 .refers = refers,
                                 .value = value,
                                 .offset = offset};
    if (!tpgnn_data_arrays(data, index, &arrays, &bad, why) && bad.status) *why = bad;
    free(kind);
    free(children);
    free(refers);
    free(parent);
    free(index);
    free(value);
    free(offset);
    return why->status;
}

int bench_infer_tpgnn_open(bench_infer_tpgnn *b, int trees, int nodes, int hidden)
{
    ag_failure why = {0};
    tpgnn_options options = tpgnn_default_options(TPGNN_PAPER);
    memset(b, 0, sizeof *b);
    b->score = calloc((size_t)trees, sizeof *b->score);
    b->tape = ag_tape_new(AG_CPU);
    make_data(&b->data, trees, nodes, &why);
    options.types = TPGNN_TABLE;
    options.hidden = options.paper.hidden = hidden;
    for (int f = 0; f < TPGNN_FIELDS && !why.status; f++)
        options.words[f] = tpgnn_data_vocabulary(&b->data)->words[f];
    if (!b->tape || why.status || tpgnn_model_add(&b->model, ag_params_new(), &options, &why) ||
        ag_params_build(b->model.params, 1)) {
        fprintf(stderr, "bench: %s\n", why.sentence);
        return 1;
    }
    b->scorer = (tpgnn_scorer){.model = &b->model,
                               .tape = b->tape,
                               .graphs = BENCH_TPGNN_GRAPHS,
                               .nodes = BENCH_TPGNN_NODES};
    return 0;
}

double bench_infer_tpgnn_run(void *context)
{
    bench_infer_tpgnn *b = context;
    ag_failure why = {0};
    memset(b->score, 0, (size_t)b->data.schedules * sizeof *b->score);
    const double start = bench_now();
    if (tpgnn_score(&b->scorer, b->score, &b->data, 1, &why)) {
        fprintf(stderr, "bench: %s\n", why.sentence);
        exit(1);
    }
    return bench_now() - start;
}

ag_plan_summary bench_infer_tpgnn_plan(bench_infer_tpgnn *b)
{
    ag_failure why = {0};
    const tpgnn_batch_options options = tpgnn_model_batch(&b->model);
    const int most = BENCH_TPGNN_NODES / b->data.schedule[0].nodes,
              count = most < b->data.schedules ? most : b->data.schedules;
    const tpgnn_schedule **schedule = malloc((size_t)count * sizeof *schedule);
    for (int i = 0; i < count; i++) schedule[i] = &b->data.schedule[i];
    tpgnn_batch_fill(&b->batch, &b->data, schedule, count, &options, &why);
    free(schedule);
    ag_tape_reset(b->tape);
    ag_tape_training(b->tape, 0);
    return why.status ? (ag_plan_summary){0}
                      : ag_plan_of(tpgnn_forward(&b->model, b->tape, &b->batch), 0);
}

void bench_infer_tpgnn_close(bench_infer_tpgnn *b)
{
    tpgnn_batch_free(&b->batch);
    tpgnn_data_free(&b->data);
    tpgnn_model_free(&b->model);
    ag_tape_free(b->tape);
    free(b->score);
}
