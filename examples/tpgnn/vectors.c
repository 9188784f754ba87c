/* SPDX-License-Identifier: MIT */
#include "examples/tpgnn/vectors.h"

#include "examples/harness/harness.h"

/* The first schedule of each task, one behind the other. */
typedef struct corpus {
    int32_t *type, *parent;
    int64_t *start;
    int graphs;
} corpus;

static void corpus_new(corpus *c, const tpgnn_data *data)
{
    int64_t n = 0;
    for (int i = 0; i < data->tasks; i++) n += data->schedule[data->task[i].first].nodes;
    c->type = harness_alloc((size_t)n * sizeof *c->type);
    c->parent = harness_alloc((size_t)n * sizeof *c->parent);
    c->start = harness_alloc(((size_t)data->tasks + 1) * sizeof *c->start);
    c->graphs = data->tasks;
    n = 0;
    for (int i = 0; i < data->tasks; i++) {
        const tpgnn_schedule *s = &data->schedule[data->task[i].first];
        c->start[i] = n;
        for (int v = 0; v < s->nodes; v++) {
            c->type[n] = data->kind[s->kind[v]].index[TPGNN_CLASS];
            c->parent[n++] = s->parent[v];
        }
    }
    c->start[c->graphs] = n;
}

static void corpus_free(corpus *c)
{
    harness_free(c->type);
    harness_free(c->parent);
    harness_free(c->start);
}

static void fill(ag_real *vector, const tpgnn_fasttext *f)
{
    for (int k = 0; k < f->size; k++) {
        double sum = 0;
        for (int i = 1; i < f->words; i++) {
            const float x = f->vector[(size_t)i * (size_t)f->size + (size_t)k];
            vector[(size_t)i * (size_t)f->size + (size_t)k] = (ag_real)x;
            sum += (double)x;
        }
        vector[k] = (ag_real)(f->words > 1 ? sum / (f->words - 1) : 0);
    }
}

ag_status tpgnn_vectors(ag_real *vector, int size, const tpgnn_data *data, uint64_t seed,
                        ag_failure *why)
{
    const tpgnn_vocabulary *v = tpgnn_data_vocabulary(data);
    tpgnn_fasttext_options o = tpgnn_fasttext_defaults();
    tpgnn_walk_options walk = tpgnn_walk_defaults();
    corpus c;
    o.size = size;
    o.seed = walk.seed = seed;
    corpus_new(&c, data);
    tpgnn_walks *walks = tpgnn_walks_new(&walk, c.type, c.parent, c.start, c.graphs, why);
    if (walks) {
        const tpgnn_sentences sentences = tpgnn_walks_sentences(walks);
        tpgnn_fasttext *f = tpgnn_fasttext_train(&o, (const char *const *)v->word[TPGNN_CLASS],
                                                 v->words[TPGNN_CLASS], &sentences, why);
        if (f) fill(vector, f);
        tpgnn_fasttext_free(f);
    }
    tpgnn_walks_free(walks);
    corpus_free(&c);
    return why->status;
}
