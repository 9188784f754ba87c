/* SPDX-License-Identifier: MIT */
/* Training: one pass that counts, then the epochs. */
#include "examples/harness/bag.h"
#include "examples/tpgnn/fasttext_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct training {
    const tpgnn_fasttext_options *o;
    tpgnn_fasttext *f;
    int64_t *count, tokens; /* [words], and in all */
    int32_t *row;           /* bag: rows of input of each word, one behind the other */
    int *first;             /* [words + 1]: where they begin */
    float *input, *output;  /* [words + grams,size]: own rows, then n-grams; [words,size] */
    float *work;            /* [2,size] */
    uint64_t *draw;         /* [words]: running sums of count^exponent, up to 2^32 */
    uint32_t *keep;         /* [words]: kept when 32 random bits are not above this */
    int32_t *kept, *rows;   /* bags: of a sentence; of a step of cbow */
    int32_t *targets;       /* [1 + negative] */
    ag_random random;
} training;

static ag_status count_tokens(training *t, const tpgnn_sentences *s, ag_failure *why)
{
    for (int64_t i = 0; i < s->count; i++) {
        int n;
        const int32_t *token = s->get(s->context, i, &n);
        for (int k = 0; k < n; k++) {
            if (token[k] < 0 || token[k] >= t->f->words)
                return ag_fail(why, AG_EINDEX,
                               "fasttext: token %d of sentence %lld is %d, but the words are 0 to "
                               "%d",
                               k, (long long)i, (int)token[k], t->f->words - 1);
            t->count[token[k]]++;
        }
        t->tokens += n;
    }
    if (t->tokens) return AG_OK;
    return ag_fail(why, AG_EDATA, "fasttext: the %lld sentences have no token to learn from",
                   (long long)s->count);
}

/* ---- tables */

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The buckets that occur, and the rows of each word. Words that no sentence has get none. */
static void number_rows(training *t)
{
    tpgnn_fasttext *f = t->f;
    int64_t *all = NULL, **grams = harness_alloc((size_t)f->words * sizeof *grams);
    for (int w = 0; w < f->words; w++) {
        if (t->count[w]) grams[w] = tpgnn__grams(f->name[w], f->min_n, f->max_n, f->buckets);
        for (int i = 0; i < bag_count(grams[w]); i++) bag_add(all, grams[w][i]);
    }
    const int n = bag_count(all);
    f->bucket = harness_alloc(((size_t)n + 1) * sizeof *f->bucket);
    if (n) qsort(all, (size_t)n, sizeof *all, ascending);
    for (int i = 0; i < n; i++)
        if (i == 0 || all[i] != all[i - 1]) f->bucket[f->grams++] = all[i];
    for (int w = 0; w < f->words; w++) {
        t->first[w] = bag_count(t->row);
        if (t->count[w]) bag_add(t->row, w);
        for (int i = 0; i < bag_count(grams[w]); i++)
            bag_add(t->row, f->words + tpgnn__gram_find(f->bucket, f->grams, grams[w][i]));
        bag_free(grams[w]);
    }
    t->first[f->words] = bag_count(t->row);
    bag_free(all);
    harness_free(grams);
}

static void fill_tables(training *t)
{
    double sum = 0, run = 0;
    const int words = t->f->words;
    for (int w = 0; w < words; w++)
        if (t->count[w]) sum += pow((double)t->count[w], t->o->exponent);
    for (int w = 0; w < words; w++) {
        if (t->count[w]) run += pow((double)t->count[w], t->o->exponent);
        t->draw[w] = (uint64_t)(run / sum * 0x1p32);
        const double over = t->o->sample * (double)t->tokens / (double)(t->count[w] + !t->count[w]);
        const double keep = t->o->sample > 0 ? sqrt(over) + over : 1;
        t->keep[w] = keep >= 1 ? UINT32_MAX : (uint32_t)(keep * 0x1p32);
    }
}

/* First rows: even in -1/size to 1/size; the outputs are 0. */
static void first_values(training *t)
{
    const size_t n = ((size_t)t->f->words + (size_t)t->f->grams) * (size_t)t->f->size;
    t->random = (ag_random){t->o->seed, 0, 0};
    for (size_t i = 0; i < n; i++)
        t->input[i] = (float)((2 * ag_random_uniform(&t->random) - 1) / t->f->size);
}

/* ---- steps */

/* The right word and some drawn ones; one that is drawn although it is right is left away. */
static int draw_targets(training *t, int32_t right)
{
    int n = 0;
    t->targets[n++] = right;
    for (int i = 0; i < t->o->negative; i++) {
        const uint64_t bits = ag_random_bits(&t->random);
        int low = 0, high = t->f->words - 1;
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

static void step(training *t, const int32_t *rows, int n, int32_t right, float rate)
{
    const int count = draw_targets(t, right);
    tpgnn__fasttext_step(t->input, t->output, rows, n, t->targets, count, rate, t->f->size,
                         t->work);
}

static void sentence(training *t, const int32_t *token, int n, float rate)
{
    if (t->kept) stbds_arrsetlen(t->kept, 0);
    for (int i = 0; i < n; i++)
        if (ag_random_bits(&t->random) <= t->keep[token[i]]) bag_add(t->kept, token[i]);
    n = bag_count(t->kept);
    for (int i = 0; i < n; i++) {
        const int32_t word = t->kept[i];
        const int reach = 1 + (int)ag_random_below(&t->random, (uint32_t)t->o->window);
        const int low = i > reach ? i - reach : 0, high = i + reach < n ? i + reach : n - 1;
        if (t->rows) stbds_arrsetlen(t->rows, 0);
        for (int c = low; c <= high; c++) {
            const int32_t other = t->kept[c], from = t->first[word];
            if (c == i) continue;
            if (!t->o->cbow)
                step(t, t->row + from, t->first[word + 1] - from, other, rate);
            else
                for (int r = t->first[other]; r < t->first[other + 1]; r++)
                    bag_add(t->rows, t->row[r]);
        }
        if (t->o->cbow && bag_count(t->rows)) step(t, t->rows, bag_count(t->rows), word, rate);
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

/* ---- results */

static void mean_of_rows(float *out, const training *t, int word)
{
    const int from = t->first[word], n = t->first[word + 1] - from, size = t->f->size;
    for (int r = 0; r < n; r++)
        for (int k = 0; k < size; k++)
            out[k] += t->input[(size_t)t->row[from + r] * (size_t)size + (size_t)k];
    for (int k = 0; k < size; k++) out[k] /= (float)n;
}

static ag_status keep_vectors(training *t, ag_failure *why)
{
    tpgnn_fasttext *f = t->f;
    const size_t size = (size_t)f->size, words = (size_t)f->words;
    memcpy(f->gram, t->input + words * size, (size_t)f->grams * size * sizeof *f->gram);
    for (int w = 0; w < f->words; w++)
        if (t->count[w])
            mean_of_rows(f->vector + (size_t)w * size, t, w);
        else
            tpgnn__unknown(f->vector + (size_t)w * size, f, f->name[w]);
    for (size_t i = 0; i < words * size; i++)
        if (!isfinite(f->vector[i]))
            return ag_fail(why, AG_EFINITE,
                           "fasttext: the vector of %.60s is not finite; take a smaller rate than "
                           "%g",
                           f->name[i / size], t->o->rate);
    return AG_OK;
}

static void start(training *t, const char *const *name, int words)
{
    tpgnn_fasttext *f = t->f;
    const size_t n = (size_t)words;
    f->size = t->o->size;
    f->min_n = t->o->max_n ? t->o->min_n : 0;
    f->max_n = t->o->max_n;
    f->buckets = t->o->buckets;
    f->words = words;
    f->name = harness_alloc(n * sizeof *f->name);
    for (int w = 0; w < words; w++) f->name[w] = harness_copy(name[w]);
    t->count = harness_alloc(n * sizeof *t->count);
    t->first = harness_alloc((n + 1) * sizeof *t->first);
    t->draw = harness_alloc(n * sizeof *t->draw);
    t->keep = harness_alloc(n * sizeof *t->keep);
    t->targets = harness_alloc(((size_t)t->o->negative + 1) * sizeof *t->targets);
}

static void make_rows(training *t)
{
    tpgnn_fasttext *f = t->f;
    const size_t words = (size_t)f->words, grams = (size_t)f->grams, size = (size_t)f->size;
    f->vector = harness_alloc(words * size * sizeof *f->vector);
    f->gram = harness_alloc((grams + 1) * size * sizeof *f->gram);
    t->input = harness_alloc((words + grams) * size * sizeof *t->input);
    t->output = harness_alloc(words * size * sizeof *t->output);
    t->work = harness_alloc(2 * size * sizeof *t->work);
}

static void end(training *t)
{
    harness_free(t->count);
    harness_free(t->first);
    harness_free(t->draw);
    harness_free(t->keep);
    harness_free(t->targets);
    harness_free(t->input);
    harness_free(t->output);
    harness_free(t->work);
    bag_free(t->row);
    bag_free(t->kept);
    bag_free(t->rows);
}

tpgnn_fasttext *tpgnn_fasttext_train(const tpgnn_fasttext_options *o, const char *const *name,
                                     int words, const tpgnn_sentences *sentences, ag_failure *why)
{
    if (tpgnn__fasttext_check(o, name, words, why)) return NULL;
    training t = {.o = o, .f = harness_alloc(sizeof *t.f)};
    start(&t, name, words);
    if (!count_tokens(&t, sentences, why)) {
        number_rows(&t);
        make_rows(&t);
        fill_tables(&t);
        first_values(&t);
        run_epochs(&t, sentences);
        keep_vectors(&t, why);
    }
    end(&t);
    if (!why->status) return t.f;
    tpgnn_fasttext_free(t.f);
    return NULL;
}
