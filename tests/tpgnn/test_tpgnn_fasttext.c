/* SPDX-License-Identifier: MIT */
/* FastText: n-grams, one step against its formulas, the same bits, words in no sentence. */
#define _GNU_SOURCE
#include "examples/harness/run/bag.h"
#include "examples/tpgnn/fasttext/parts.h"
#include "support/tpgnn_corpus.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- n-grams ---- */

static void hashes_are_fnv_1a(void **state)
{
    (void)state;
    assert_int_equal(tpgnn__hash("", 0), 0x811c9dc5u);
    assert_int_equal(tpgnn__hash("a", 1), 0xe40c292cu);
    assert_int_equal(tpgnn__hash("foobar", 6), 0xbf9cf968u);
    /* bytes above 127 are signed, as fastText has it */
    assert_int_equal(tpgnn__hash("\xe9", 1), (0x811c9dc5u ^ 0xffffffe9u) * 16777619u);
}

static void expect_grams(const char *name, int min_n, int max_n, const char *const *gram)
{
    int n = 0;
    int64_t *is = tpgnn__grams(name, min_n, max_n, 2000000);
    for (; gram[n]; n++) {
        assert_true(n < bag_count(is));
        assert_int_equal(is[n], tpgnn__hash(gram[n], strlen(gram[n])) % 2000000);
    }
    assert_int_equal(bag_count(is), n);
    bag_free(is);
}

static void n_grams_of_words(void **state)
{
    (void)state;
    expect_grams("For", 3, 6, (const char *[]){"<Fo", "<For", "<For>", "For", "For>", "or>", NULL});
    expect_grams("LT", 3, 6, (const char *[]){"<LT", "<LT>", "LT>", NULL});
    expect_grams("", 3, 6, (const char *[]){NULL});
    expect_grams("ab", 1, 2, (const char *[]){"<a", "a", "ab", "b", "b>", NULL}); /* never < or > */
    expect_grams("aaaa", 3, 3, (const char *[]){"<aa", "aaa", "aaa", "aa>", NULL});
    expect_grams(
        "\xc3\xa9n", 2, 3, /* e with an accent is one letter */
        (const char *[]){"<\xc3\xa9", "<\xc3\xa9n", "\xc3\xa9n", "\xc3\xa9n>", "n>", NULL});
    expect_grams("For", 0, 0, (const char *[]){NULL});
    int64_t *few = tpgnn__grams("BufferStore", 3, 6, 7);
    for (int i = 0; i < bag_count(few); i++) assert_in_range(few[i], 0, 6);
    assert_int_equal(bag_count(few), 11 + 10 + 9 + 8);
    bag_free(few);
}

/* ---- one step ---- */

enum { SIZE = 5, ROWS = 4, WORDS = 3, TARGETS = 4 };

static const int32_t step_rows[] = {0, 2, 3}, step_targets[TARGETS] = {1, 0, 2, 0};

/* -ln s(h o_0) - sum ln s(-h o_t) at h. */
static double loss(const double *h, double output[WORDS][SIZE])
{
    double sum = 0;
    for (int j = 0; j < TARGETS; j++) {
        double dot = 0;
        for (int k = 0; k < SIZE; k++) dot += h[k] * output[step_targets[j]][k];
        sum += log1p(exp(j == 0 ? -dot : dot));
    }
    return sum;
}

/* With a small rate a step is rate times the slopes of the loss, by h for each input row. */
static void a_step_follows_the_slope(void **state)
{
    (void)state;
    float input[ROWS][SIZE], output[WORDS][SIZE], x[ROWS][SIZE], y[WORDS][SIZE], work[2 * SIZE];
    double h[SIZE] = {0}, o[WORDS][SIZE];
    const float rate = 1e-3f;
    const double d = 1e-5;
    ag_random random = {7, 0, 0};
    for (int i = 0; i < ROWS * SIZE; i++) (&input[0][0])[i] = (float)ag_random_normal(&random);
    for (int i = 0; i < WORDS * SIZE; i++) (&output[0][0])[i] = (float)ag_random_normal(&random);
    memcpy(x, input, sizeof x);
    memcpy(y, output, sizeof y);
    for (int k = 0; k < SIZE; k++)
        h[k] = ((double)input[0][k] + (double)input[2][k] + (double)input[3][k]) / 3;
    for (int i = 0; i < WORDS * SIZE; i++) (&o[0][0])[i] = (double)(&output[0][0])[i];
    tpgnn__fasttext_step(&x[0][0], &y[0][0], step_rows, 3, step_targets, TARGETS, rate, SIZE, work);
    for (int k = 0; k < SIZE; k++) {
        double more[SIZE], less[SIZE];
        memcpy(more, h, sizeof h);
        memcpy(less, h, sizeof h);
        more[k] += d;
        less[k] -= d;
        const double slope = (loss(more, o) - loss(less, o)) / (2 * d);
        for (int r = 0; r < 3; r++) {
            const int row = step_rows[r];
            assert_true(fabs((double)(input[row][k] - x[row][k]) / (double)rate - slope) < 5e-3);
        }
        assert_true(x[1][k] == input[1][k]); /* a row of another word */
    }
    for (int w = 0; w < WORDS; w++)
        for (int k = 0; k < SIZE; k++) {
            const double was = o[w][k];
            o[w][k] = was + d;
            const double up = loss(h, o);
            o[w][k] = was - d;
            const double slope = (up - loss(h, o)) / (2 * d);
            o[w][k] = was;
            assert_true(fabs((double)(output[w][k] - y[w][k]) / (double)rate - slope) < 5e-3);
        }
}

/* One pair with the rate 1, by hand: h = 0.5, o = 0.25, g = 1 - s(0.125). */
static void a_step_by_hand(void **state)
{
    (void)state;
    float input[2] = {0.25f, 0.75f}, output[1] = {0.25f}, work[2];
    const double g = 1 - 1 / (1 + exp(-0.125));
    tpgnn__fasttext_step(input, output, (int32_t[]){0, 1}, 2, (int32_t[]){0}, 1, 1, 1, work);
    assert_true(fabs((double)output[0] - (0.25 + g * 0.5)) < 1e-6);
    assert_true(fabs((double)input[0] - (0.25 + g * 0.25)) < 1e-6);
    assert_true(fabs((double)input[1] - (0.75 + g * 0.25)) < 1e-6);
}

/* ---- training ---- */

/* [CORPUS_TYPES,18]; the caller frees. */
static float *train(const tpgnn_fasttext_options *o, uint64_t walk_seed)
{
    ag_failure why = {0};
    tpgnn_forest c = corpus_new(4, 1);
    tpgnn_walks *walks = tpgnn_walks_new(&c, walk_seed);
    const tpgnn_sentences s = tpgnn_walks_sentences(walks);
    float *vector = calloc(CORPUS_TYPES * 18, sizeof *vector);
    if (tpgnn_fasttext(vector, o, corpus_names, CORPUS_TYPES, &s, &why))
        fail_msg("%s", why.sentence);
    tpgnn_walks_free(walks);
    corpus_free(&c);
    return vector;
}

static int same_bits(const float *a, const float *b)
{
    return !memcmp(a, b, sizeof(float) * 18 * CORPUS_TYPES);
}

static void one_seed_gives_the_same_bits(void **state)
{
    (void)state;
    const tpgnn_fasttext_options o = tpgnn_fasttext_defaults(18, 0);
    const tpgnn_fasttext_options other = tpgnn_fasttext_defaults(18, 1);
    float *a = train(&o, 0), *b = train(&o, 0), *walks = train(&o, 1), *seed = train(&other, 0);
    assert_true(same_bits(a, b));
    assert_false(same_bits(a, walks));
    assert_false(same_bits(a, seed));
    free(a);
    free(b);
    free(walks);
    free(seed);
}

/* Three words that occur together, three others, and four that are in no sentence. */
enum { NAMES = 10, TRES = 2, TRESOR = 6, X_TRE, Y_TRE, ZZZZ };

static void train_two_groups(float vector[NAMES][18], const tpgnn_fasttext_options *o)
{
    enum { LINES = 1200, LENGTH = 8 };
    static const char *const names[NAMES] = {"uno",  "dos",    "tres",  "vier",  "sechs",
                                             "acht", "tresor", "Xtrex", "Ytrey", "zzzz"};
    static int32_t token[LINES * LENGTH];
    static int first[LINES + 1];
    ag_failure why = {0};
    ag_random random = {3, 0, 0};
    for (int i = 0; i < LINES; i++) {
        first[i] = i * LENGTH;
        for (int k = 0; k < LENGTH; k++)
            token[i * LENGTH + k] = (int32_t)ag_random_below(&random, 3) + 3 * (i % 2);
    }
    first[LINES] = LINES * LENGTH;
    corpus_list list = {token, first};
    const tpgnn_sentences s = corpus_sentences(&list, LINES);
    memset(vector, 0xff, NAMES * 18 * sizeof(float)); /* NaN: all are written */
    if (tpgnn_fasttext(&vector[0][0], o, names, NAMES, &s, &why)) fail_msg("%s", why.sentence);
}

static void words_that_stand_together_are_near(void **state)
{
    (void)state;
    double within = 1, between = -1;
    float x[NAMES][18];
    tpgnn_fasttext_options o = tpgnn_fasttext_defaults(18, 0);
    o.sample = 0;
    train_two_groups(x, &o);
    for (int a = 0; a < 6; a++)
        for (int b = 0; b < a; b++) {
            const double c = corpus_cosine(x[a], x[b], 18);
            if (a / 3 == b / 3) within = fmin(within, c);
            if (a / 3 != b / 3) between = fmax(between, c);
        }
    print_message("within at least %.3f, between at most %.3f\n", within, between);
    assert_true(within > between + 0.2);
}

/* Words that are in no sentence are made of the n-grams that were trained. */
static void words_in_no_sentence(void **state)
{
    (void)state;
    float x[NAMES][18];
    tpgnn_fasttext_options o = tpgnn_fasttext_defaults(18, 0);
    o.sample = 0;
    train_two_groups(x, &o);
    assert_true(corpus_cosine(x[TRESOR], x[TRES], 18) > 0.8);
    assert_memory_equal(x[X_TRE], x[Y_TRE], sizeof x[0]); /* both have "tre" alone */
    assert_true(corpus_cosine(x[X_TRE], x[TRES], 18) > 0.5);
    for (int k = 0; k < 18; k++) assert_true(x[ZZZZ][k] == 0);
    o.max_n = 0; /* word2vec */
    train_two_groups(x, &o);
    for (int k = 0; k < 18; k++) assert_true(x[TRESOR][k] == 0);
}

/* The rows of a word, by hand: its own and one per n-gram. */
static void rows_of_words(void **state)
{
    (void)state;
    static const char *const names[] = {"ab", "abc", "abd"};
    const int64_t count[] = {5, 0, 2};
    tpgnn_fasttext_options o = tpgnn_fasttext_defaults(1, 0);
    o.min_n = o.max_n = 3; /* <ab ab>; <ab abc bc>; <ab abd bd> */
    tpgnn_rows r = tpgnn__rows(&o, names, count, 3);
    assert_int_equal(r.grams, 4); /* abc and bc> occur in no sentence */
    assert_true(r.first[0] == 0 && r.first[1] == 3 && r.first[2] == 4 && r.first[3] == 8);
    assert_true(r.row[0] == 0 && r.row[4] == 2);               /* own rows */
    assert_true(r.row[1] == r.row[3] && r.row[1] == r.row[5]); /* <ab */
    for (int i = 0; i < 8; i++) assert_in_range(r.row[i], 0, 3 + r.grams - 1);
    assert_true(r.row[2] != r.row[1] && r.row[6] != r.row[7]);
    tpgnn__rows_free(&r);
    o.buckets = 1;
    r = tpgnn__rows(&o, names, count, 3);
    assert_int_equal(r.grams, 1);
    tpgnn__rows_free(&r);
}

static void expect_first_values(const tpgnn_fasttext_options *o)
{
    float x[NAMES][18];
    train_two_groups(x, o);
    for (int i = 0; i < NAMES * 18; i++) assert_true(fabsf((&x[0][0])[i]) <= 1.0f / 18);
}

static void words_are_thinned_out(void **state)
{
    (void)state;
    float x[NAMES][18], y[NAMES][18];
    tpgnn_fasttext_options o = tpgnn_fasttext_defaults(18, 0);
    o.sample = 1e-12; /* no word is left */
    expect_first_values(&o);
    o.sample = 0.5; /* each word is a sixth of all: all are kept */
    train_two_groups(x, &o);
    o.sample = 0;
    train_two_groups(y, &o);
    assert_memory_equal(x, y, sizeof x);
    o.rate = o.last = 1e-12;
    expect_first_values(&o);
}

/* An option that is not looked at leaves the bits as they are. */
static void every_option_counts(void **state)
{
    (void)state;
    const tpgnn_fasttext_options good = tpgnn_fasttext_defaults(18, 0);
    tpgnn_fasttext_options o[] = {good, good, good, good, good, good, good, good};
    o[0].window = 4;
    o[1].min_n = 2;
    o[2].max_n = 5;
    o[3].negative = 4;
    o[4].epochs = 4;
    o[5].rate = 0.02;
    o[6].last = 0.001;
    o[7].exponent = 0.5;
    float *a = train(&good, 0);
    for (int i = 0; i < 8; i++) {
        float *b = train(&o[i], 0);
        if (same_bits(a, b)) fail_msg("option %d changes nothing", i);
        free(b);
    }
    free(a);
}

static void too_many_words(void **state)
{
    (void)state;
    ag_failure why = {0};
    const tpgnn_fasttext_options o = tpgnn_fasttext_defaults(18, 0);
    assert_int_equal(tpgnn_fasttext(NULL, &o, NULL, TPGNN_MOST_WORDS + 1, NULL, &why), AG_EUSE);
    assert_non_null(strstr(why.sentence, "there are 10001 words, but at most 10000 are possible"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_are_fnv_1a),
        cmocka_unit_test(n_grams_of_words),
        cmocka_unit_test(a_step_follows_the_slope),
        cmocka_unit_test(a_step_by_hand),
        cmocka_unit_test(one_seed_gives_the_same_bits),
        cmocka_unit_test(words_that_stand_together_are_near),
        cmocka_unit_test(words_in_no_sentence),
        cmocka_unit_test(rows_of_words),
        cmocka_unit_test(words_are_thinned_out),
        cmocka_unit_test(every_option_counts),
        cmocka_unit_test(too_many_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
