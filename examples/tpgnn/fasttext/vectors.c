/* SPDX-License-Identifier: MIT */
#include "examples/tpgnn/fasttext/vectors.h"

#include "examples/harness/harness.h"
#include "examples/tpgnn/fasttext/walks.h"

/* The first schedule of each task. */
static tpgnn_forest forest_of(const tpgnn_data *data)
{
    tpgnn_forest f = {.trees = data->tasks};
    int64_t n = 0;
    for (int i = 0; i < data->tasks; i++) n += data->schedule[data->task[i].first].nodes;
    f.type = harness_alloc((size_t)n * sizeof *f.type);
    f.parent = harness_alloc((size_t)n * sizeof *f.parent);
    f.start = harness_alloc(((size_t)data->tasks + 1) * sizeof *f.start);
    n = 0;
    for (int i = 0; i < data->tasks; i++) {
        const tpgnn_schedule *s = &data->schedule[data->task[i].first];
        f.start[i] = n;
        for (int v = 0; v < s->nodes; v++) {
            f.type[n] = data->kind[s->kind[v]].index[TPGNN_CLASS];
            f.parent[n++] = s->parent[v];
        }
    }
    f.start[f.trees] = n;
    return f;
}

static void forest_free(tpgnn_forest *f)
{
    harness_free(f->type);
    harness_free(f->parent);
    harness_free(f->start);
}

/* Word 0 is for unknown classes: the mean of the others. */
static void fill(ag_real *vector, const float *from, int words, int size)
{
    for (int k = 0; k < size; k++) {
        double sum = 0;
        for (int i = 1; i < words; i++) {
            const float x = from[(size_t)i * (size_t)size + (size_t)k];
            vector[(size_t)i * (size_t)size + (size_t)k] = (ag_real)x;
            sum += (double)x;
        }
        vector[k] = (ag_real)(words > 1 ? sum / (words - 1) : 0);
    }
}

ag_status tpgnn_vectors(ag_real *vector, int size, const tpgnn_data *data, uint64_t seed,
                        ag_failure *why)
{
    const tpgnn_vocabulary *v = tpgnn_data_vocabulary(data);
    const int words = v->words[TPGNN_CLASS];
    const tpgnn_fasttext_options o = tpgnn_fasttext_defaults(size, seed);
    float *learned = harness_alloc((size_t)words * (size_t)size * sizeof *learned);
    tpgnn_forest forest = forest_of(data);
    tpgnn_walks *walks = tpgnn_walks_new(&forest, seed);
    const tpgnn_sentences sentences = tpgnn_walks_sentences(walks);
    if (!tpgnn_fasttext(learned, &o, (const char *const *)v->word[TPGNN_CLASS], words, &sentences,
                        why))
        fill(vector, learned, words, size);
    tpgnn_walks_free(walks);
    forest_free(&forest);
    harness_free(learned);
    return why->status;
}
