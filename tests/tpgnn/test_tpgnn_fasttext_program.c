/* SPDX-License-Identifier: MIT */
/* Our FastText against the program of the name (Debian: apt install fasttext) on the same
   sentences: which words are near which has to agree as well as between two of its own seeds. */
#define _GNU_SOURCE
#include "support/tpgnn_corpus.h"
#include "support/files.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { SIZE = 18, WORDS = CORPUS_TYPES + 1, END = CORPUS_TYPES }; /* END: of a line */

typedef struct vectors {
    float of[CORPUS_TYPES][SIZE];
} vectors;

/* All walks as one list, each with the token END, which the program has, too. */
static tpgnn_sentences make_sentences(corpus_list *list, int32_t **token, int **first)
{
    tpgnn_forest c = corpus_new(20, 1);
    tpgnn_walks *walks = tpgnn_walks_new(&c, 0);
    const tpgnn_sentences s = tpgnn_walks_sentences(walks);
    *token = malloc((size_t)s.count * 60 * sizeof **token);
    *first = malloc(((size_t)s.count + 1) * sizeof **first);
    int at = 0;
    for (int64_t i = 0; i < s.count; i++) {
        int n;
        const int32_t *from = s.get(s.context, i, &n);
        (*first)[i] = at;
        memcpy(*token + at, from, (size_t)n * sizeof *from);
        at += n;
        (*token)[at++] = END;
    }
    (*first)[s.count] = at;
    tpgnn_walks_free(walks);
    corpus_free(&c);
    *list = (corpus_list){*token, *first};
    return corpus_sentences(list, (int)s.count);
}

static void write_text(const tpgnn_sentences *s)
{
    FILE *file = fopen(files_path("corpus.txt"), "w");
    for (int64_t i = 0; i < s->count; i++) {
        int n;
        const int32_t *token = s->get(s->context, i, &n);
        for (int k = 0; k + 1 < n; k++) fprintf(file, "%s ", corpus_names[token[k]]);
        fputc('\n', file);
    }
    fclose(file);
}

static int names_word(const char *name)
{
    int i = CORPUS_TYPES - 1;
    while (i >= 0 && strcmp(corpus_names[i], name) != 0) i--;
    return i;
}

static void theirs(vectors *v, int seed)
{
    char command[2000], name[64];
    int words, size, found = 0;
    snprintf(
        command, sizeof command,
        "fasttext skipgram -input '%s' -output '%s' -dim 18 -ws 5 -minn 3 -maxn 6 -neg 5 -epoch 5 "
        "-lr 0.05 -t 0.001 -minCount 1 -bucket 100000 -thread 1 -seed %d >'%s' 2>&1",
        files_path("corpus.txt"), files_path("model"), seed, files_path("said"));
    if (system(command) != 0) fail_msg("%s failed", command);
    FILE *file = fopen(files_path("model.vec"), "r");
    assert_int_equal(fscanf(file, "%d %d", &words, &size), 2);
    assert_true(words == WORDS && size == SIZE);
    for (int i = 0; i < words; i++) {
        assert_int_equal(fscanf(file, "%63s", name), 1);
        const int w = names_word(name);
        for (int k = 0; k < SIZE; k++) {
            float x;
            assert_int_equal(fscanf(file, "%f", &x), 1);
            if (w >= 0) v->of[w][k] = x;
        }
        found += w >= 0;
    }
    fclose(file);
    assert_int_equal(found, CORPUS_TYPES);
}

static void ours(vectors *v, const tpgnn_sentences *s, uint64_t seed)
{
    ag_failure why = {0};
    const char *names[WORDS];
    tpgnn_fasttext_options o = tpgnn_fasttext_defaults(SIZE, seed);
    for (int i = 0; i < CORPUS_TYPES; i++) names[i] = corpus_names[i];
    names[END] = "</s>";
    o.rate = 0.05;
    o.last = 0;
    o.exponent = 0.5;
    float vector[WORDS][SIZE];
    if (tpgnn_fasttext(&vector[0][0], &o, names, WORDS, s, &why)) fail_msg("%s", why.sentence);
    memcpy(v->of, vector, sizeof v->of);
}

/* Kendall's tau between the orders in which two sets of vectors put the other words, by their
   cosine to each word. */
static double agreement(const vectors *a, const vectors *b)
{
    int same = 0, all = 0;
    for (int w = 0; w < CORPUS_TYPES; w++)
        for (int i = 0; i < CORPUS_TYPES; i++)
            for (int k = 0; k < i; k++) {
                if (i == w || k == w) continue;
                const double x = corpus_cosine(a->of[w], a->of[i], SIZE) -
                                 corpus_cosine(a->of[w], a->of[k], SIZE);
                const double y = corpus_cosine(b->of[w], b->of[i], SIZE) -
                                 corpus_cosine(b->of[w], b->of[k], SIZE);
                same += (x > 0) == (y > 0) ? 1 : -1;
                all++;
            }
    return (double)same / all;
}

/* How many words have the same nearest one. */
static int same_nearest(const vectors *a, const vectors *b)
{
    int same = 0;
    for (int w = 0; w < CORPUS_TYPES; w++) {
        int best[2] = {-1, -1};
        for (int i = 0; i < CORPUS_TYPES; i++)
            for (int side = 0; side < 2 && i != w; side++) {
                const vectors *v = side ? b : a;
                if (best[side] < 0 || corpus_cosine(v->of[w], v->of[i], SIZE) >
                                          corpus_cosine(v->of[w], v->of[best[side]], SIZE))
                    best[side] = i;
            }
        same += best[0] == best[1];
    }
    return same;
}

static double length_of(const vectors *v)
{
    double sum = 0;
    for (int w = 0; w < CORPUS_TYPES; w++) {
        double square = 0;
        for (int k = 0; k < SIZE; k++) square += (double)v->of[w][k] * (double)v->of[w][k];
        sum += sqrt(square);
    }
    return sum / CORPUS_TYPES;
}

static void near_words_are_the_same(void **state)
{
    (void)state;
    if (system("command -v fasttext >/dev/null 2>&1") != 0) {
        printf("skipped: the program fasttext is not installed\n");
        skip();
    }
    corpus_list list;
    int32_t *token;
    int *first;
    const tpgnn_sentences s = make_sentences(&list, &token, &first);
    write_text(&s);
    printf("%lld sentences, %d tokens\n", (long long)s.count, first[s.count]);
    static vectors a, b, c, d;
    theirs(&a, 1);
    theirs(&b, 2);
    ours(&c, &s, 1);
    ours(&d, &s, 2);
    const double own = agreement(&a, &b), other = (agreement(&a, &c) + agreement(&b, &d)) / 2;
    printf("tau of its seeds %.3f, of ours %.3f, of the two programs %.3f; same nearest "
           "%d, %d, %d of %d; lengths %.2f, %.2f\n",
           own, agreement(&c, &d), other, same_nearest(&a, &b), same_nearest(&c, &d),
           same_nearest(&a, &c), CORPUS_TYPES, length_of(&a), length_of(&c));
    assert_true(other > own - 0.1);
    assert_true(same_nearest(&a, &c) >= same_nearest(&a, &b) - 4);
    assert_true(fabs(log(length_of(&a) / length_of(&c))) < 0.06);
    free(token);
    free(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(near_words_are_the_same)};
    return cmocka_run_group_tests(tests, files_make, files_remove);
}
