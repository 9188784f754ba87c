/* SPDX-License-Identifier: MIT */
/* Training: counts, tables, steps, the mean of each word's rows. */
#include "examples/harness/run/bag.h"
#include "examples/tpgnn/fasttext/parts.h"

#include <math.h>

typedef struct training {
    const tpgnn_fasttext_options *o;
    int words;
    int64_t *count, tokens; /* [words], and in all */
    tpgnn_rows of;
    float *input, *output; /* [words + grams,size]: own rows, then n-grams; [words,size] */
    float *work;           /* [2,size] */
    uint64_t *draw;        /* [words]: running sums of count^exponent, up to 2^32 */
    uint32_t *keep;        /* [words]: kept when 32 random bits are not above this */
    int32_t *kept;         /* bag: what is kept of a sentence */
    int32_t *targets;      /* [1 + negative] */
    ag_random random;
    ag_arena *memory; /* of all arrays but `kept` */
} training;

tpgnn_fasttext_options tpgnn_fasttext_defaults(int size, uint64_t seed)
{
    return (tpgnn_fasttext_options){.size = size,
                                    .window = 5,
                                    .min_n = 3,
                                    .max_n = 6,
                                    .buckets = 2000000,
                                    .negative = 5,
                                    .epochs = 5,
                                    .rate = 0.025,
                                    .last = 0.0001,
                                    .sample = 0.001,
                                    .exponent = 0.75,
                                    .seed = seed};
}

static void count_tokens(training *t, const tpgnn_sentences *s)
{
    t->count = harness_take(&t->memory, (size_t)t->words * sizeof *t->count);
    for (int64_t i = 0; i < s->count; i++) {
        int n;
        const int32_t *token = s->get(s->context, i, &n);
        for (int k = 0; k < n; k++) t->count[token[k]]++;
        t->tokens += n;
    }
}

static void fill_tables(training *t)
{
    double sum = 0, run = 0;
    for (int w = 0; w < t->words; w++)
        if (t->count[w]) sum += pow((double)t->count[w], t->o->exponent);
    for (int w = 0; w < t->words; w++) {
        if (t->count[w]) run += pow((double)t->count[w], t->o->exponent);
        t->draw[w] = (uint64_t)(run / sum * 0x1p32);
        const double over = t->o->sample * (double)t->tokens / (double)(t->count[w] + !t->count[w]);
        const double keep = t->o->sample > 0 ? sqrt(over) + over : 1;
        t->keep[w] = keep >= 1 ? UINT32_MAX : (uint32_t)(keep * 0x1p32);
    }
}

/* First values: input uniform in -1/size to 1/size, output 0. */
static void first_values(training *t)
{
    const size_t n = ((size_t)t->words + (size_t)t->of.grams) * (size_t)t->o->size;
    t->random = (ag_random){t->o->seed, 0, 0};
    for (size_t i = 0; i < n; i++)
        t->input[i] = (float)((2 * ag_random_uniform(&t->random) - 1) / t->o->size);
}

/* The right word and some drawn ones; a draw that is the right word is dropped. */
static int draw_targets(training *t, int32_t right)
{
    int n = 0;
    t->targets[n++] = right;
    for (int i = 0; i < t->o->negative; i++) {
        const uint64_t bits = ag_random_bits(&t->random);
        int low = 0, high = t->words - 1;
        while (low < high) {
            const int middle = (low + high) / 2;
            if (t->draw[middle] > bits)
                high = middle;
            else
                low = middle + 1;
        }
        if (low != right && t->count[low]) t->targets[n++] = low;
    }
    return n;
}

/* A word predicts a neighbour. */
static void step(training *t, int32_t word, int32_t right, float rate)
{
    const int from = t->of.first[word], n = t->of.first[word + 1] - from;
    const int count = draw_targets(t, right);
    tpgnn__fasttext_step(t->input, t->output, t->of.row + from, n, t->targets, count, rate,
                         t->o->size, t->work);
}

static void sentence(training *t, const int32_t *token, int n, float rate)
{
    if (t->kept) stbds_arrsetlen(t->kept, 0);
    for (int i = 0; i < n; i++)
        if (ag_random_bits(&t->random) <= t->keep[token[i]]) bag_add(t->kept, token[i]);
    n = bag_count(t->kept);
    for (int i = 0; i < n; i++) {
        const int reach = 1 + (int)ag_random_below(&t->random, (uint32_t)t->o->window);
        const int low = i > reach ? i - reach : 0, high = i + reach < n ? i + reach : n - 1;
        for (int c = low; c <= high; c++)
            if (c != i) step(t, t->kept[i], t->kept[c], rate);
    }
}

static void run_epochs(training *t, const tpgnn_sentences *s)
{
    const double all = (double)t->tokens * t->o->epochs;
    double done = 0;
    uint64_t stream = 0;
    for (int epoch = 0; epoch < t->o->epochs; epoch++)
        for (int64_t i = 0; i < s->count; i++) {
            int n;
            const int32_t *token = s->get(s->context, i, &n);
            t->random = (ag_random){t->o->seed, ++stream, 0};
            sentence(t, token, n, (float)(t->o->rate - (t->o->rate - t->o->last) * (done / all)));
            done += n;
        }
}

static void mean_of_rows(float *out, const training *t, int word)
{
    const int from = t->of.first[word], n = t->of.first[word + 1] - from, size = t->o->size;
    for (int k = 0; k < size; k++) out[k] = 0;
    for (int r = 0; r < n; r++)
        for (int k = 0; k < size; k++)
            out[k] += t->input[(size_t)t->of.row[from + r] * (size_t)size + (size_t)k];
    for (int k = 0; n && k < size; k++) out[k] /= (float)n;
}

static void make_tables(training *t)
{
    const size_t words = (size_t)t->words, size = (size_t)t->o->size;
    t->input = harness_take(&t->memory, (words + (size_t)t->of.grams) * size * sizeof *t->input);
    t->output = harness_take(&t->memory, words * size * sizeof *t->output);
    t->work = harness_take(&t->memory, 2 * size * sizeof *t->work);
    t->draw = harness_take(&t->memory, words * sizeof *t->draw);
    t->keep = harness_take(&t->memory, words * sizeof *t->keep);
    t->targets = harness_take(&t->memory, ((size_t)t->o->negative + 1) * sizeof *t->targets);
}

ag_status tpgnn_fasttext(float *vector, const tpgnn_fasttext_options *o, const char *const *name,
                         int words, const tpgnn_sentences *sentences, ag_failure *why)
{
    training t = {.o = o, .words = words};
    if (words > TPGNN_MOST_WORDS)
        return ag_fail(why, AG_EUSE,
                       "fasttext: there are %d words, but at most %d are possible; train on fewer "
                       "kinds of nodes",
                       words, TPGNN_MOST_WORDS);
    count_tokens(&t, sentences);
    t.of = tpgnn__rows(o, name, t.count, words);
    make_tables(&t);
    fill_tables(&t);
    first_values(&t);
    run_epochs(&t, sentences);
    for (int w = 0; w < words; w++) mean_of_rows(vector + (size_t)w * (size_t)o->size, &t, w);
    ag_arena_free(t.memory);
    bag_free(t.kept);
    tpgnn__rows_free(&t.of);
    return AG_OK;
}
