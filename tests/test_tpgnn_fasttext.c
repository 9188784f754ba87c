/* SPDX-License-Identifier: MIT */
/* FastText: n-grams, one step against its formulas, the same bits, vectors of unknown words. */
#define _GNU_SOURCE
#include "examples/harness/bag.h"
#include "examples/tpgnn/fasttext_parts.h"
#include "support/tpgnn_corpus.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- n-grams */

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

/* ---- one step */

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

/* ---- training */

static tpgnn_fasttext *train(const tpgnn_fasttext_options *o, uint64_t walk_seed)
{
    ag_failure why = {0};
    corpus c = corpus_new(4, 1);
    tpgnn_walk_options w = tpgnn_walk_defaults();
    w.seed = walk_seed;
    tpgnn_walks *walks = tpgnn_walks_new(&w, c.type, c.parent, c.start, c.graphs, &why);
    const tpgnn_sentences s = tpgnn_walks_sentences(walks);
    tpgnn_fasttext *f = tpgnn_fasttext_train(o, corpus_names, CORPUS_TYPES, &s, &why);
    if (!f) fail_msg("%s", why.sentence);
    tpgnn_walks_free(walks);
    corpus_free(&c);
    return f;
}

static int same_bits(const tpgnn_fasttext *a, const tpgnn_fasttext *b)
{
    const size_t size = (size_t)a->size * sizeof(float);
    return a->grams == b->grams && !memcmp(a->vector, b->vector, (size_t)a->words * size) &&
           !memcmp(a->gram, b->gram, (size_t)a->grams * size) &&
           !memcmp(a->bucket, b->bucket, (size_t)a->grams * sizeof *a->bucket);
}

static void one_seed_gives_the_same_bits(void **state)
{
    (void)state;
    for (int cbow = 0; cbow < 2; cbow++) {
        tpgnn_fasttext_options o = tpgnn_fasttext_defaults();
        o.cbow = cbow;
        tpgnn_fasttext *a = train(&o, 0), *b = train(&o, 0), *walks = train(&o, 1);
        o.seed = 1;
        tpgnn_fasttext *seed = train(&o, 0);
        assert_true(same_bits(a, b));
        assert_false(same_bits(a, walks));
        assert_false(same_bits(a, seed));
        assert_int_equal(a->size, 18);
        tpgnn_fasttext_free(a);
        tpgnn_fasttext_free(b);
        tpgnn_fasttext_free(walks);
        tpgnn_fasttext_free(seed);
    }
}

/* Three words that stand together, and three others. */
static tpgnn_fasttext *train_two_groups(const tpgnn_fasttext_options *o)
{
    enum { LINES = 1200, LENGTH = 8 };
    static const char *const names[] = {"uno", "dos", "tres", "vier", "sechs", "acht", "tresor"};
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
    tpgnn_fasttext *f = tpgnn_fasttext_train(o, names, 7, &s, &why);
    if (!f) fail_msg("%s", why.sentence);
    return f;
}

static void words_that_stand_together_are_near(void **state)
{
    (void)state;
    for (int cbow = 0; cbow < 2; cbow++) {
        double within = 1, between = -1;
        tpgnn_fasttext_options o = tpgnn_fasttext_defaults();
        o.cbow = cbow;
        o.sample = 0;
        tpgnn_fasttext *f = train_two_groups(&o);
        for (int a = 0; a < 6; a++)
            for (int b = 0; b < a; b++) {
                const double c =
                    corpus_cosine(f->vector + a * f->size, f->vector + b * f->size, 18);
                if (a / 3 == b / 3) within = fmin(within, c);
                if (a / 3 != b / 3) between = fmax(between, c);
            }
        print_message("within at least %.3f, between at most %.3f\n", within, between);
        assert_true(within > between + 0.2);
        tpgnn_fasttext_free(f);
    }
}

/* What no sentence has, or nobody named, is made of the n-grams that were trained. */
static void unknown_words(void **state)
{
    (void)state;
    tpgnn_fasttext_options o = tpgnn_fasttext_defaults();
    o.sample = 0;
    tpgnn_fasttext *f = train_two_groups(&o);
    float x[18], y[18] = {0};
    const int row = tpgnn__gram_find(f->bucket, f->grams, tpgnn__hash("tre", 3) % o.buckets);
    assert_true(row >= 0);
    assert_int_equal(tpgnn__gram_find(f->bucket, f->grams, tpgnn__hash("sor", 3) % o.buckets), -1);
    assert_int_equal(tpgnn_fasttext_vector(x, f, "Xtrex"), 1);
    assert_memory_equal(x, f->gram + row * 18, sizeof x);
    /* <tr tre res <tre tres <tres occur in tres; those with so, or and > do not */
    assert_int_equal(tpgnn_fasttext_vector(x, f, "tresors"), 6);
    assert_int_equal(tpgnn__unknown(y, f, "tresor"), 6);
    assert_memory_equal(f->vector + 6 * 18, y, sizeof y); /* named, but in no sentence */
    assert_memory_equal(x, y, sizeof x);
    assert_int_equal(tpgnn_fasttext_vector(x, f, "tres"), -1);
    assert_memory_equal(x, f->vector + 2 * 18, sizeof x);
    assert_true(corpus_cosine(x, y, 18) > 0.8);
    assert_int_equal(tpgnn_fasttext_vector(x, f, "zzzz"), 0);
    for (int k = 0; k < 18; k++) assert_true(x[k] == 0);
    assert_int_equal(tpgnn_fasttext_find(f, "zzzz"), -1);
    assert_int_equal(tpgnn_fasttext_find(f, "acht"), 5);
    tpgnn_fasttext_free(f);
}

/* Each option changes what it should. */
static void options_do_what_they_say(void **state)
{
    (void)state;
    tpgnn_fasttext_options o = tpgnn_fasttext_defaults();
    o.max_n = 0; /* word2vec */
    tpgnn_fasttext *f = train_two_groups(&o);
    float x[18];
    assert_int_equal(f->grams, 0);
    assert_int_equal(tpgnn_fasttext_vector(x, f, "tresor"), -1);
    assert_true(x[0] == 0 && x[17] == 0);
    tpgnn_fasttext_free(f);
    o = tpgnn_fasttext_defaults();
    o.buckets = 3;
    f = train_two_groups(&o);
    assert_int_equal(f->grams, 3);
    tpgnn_fasttext_free(f);
    o = tpgnn_fasttext_defaults();
    o.sample = 1e-12; /* nothing is left: first values, which lie within 1/size */
    f = train_two_groups(&o);
    for (int i = 0; i < f->grams * 18; i++) assert_true(fabsf(f->gram[i]) <= 1.0f / 18);
    tpgnn_fasttext *untrained = f;
    o.sample = 0.5; /* each word is a sixth of all: all are kept */
    f = train_two_groups(&o);
    o.sample = 0;
    tpgnn_fasttext *all = train_two_groups(&o);
    assert_true(same_bits(f, all));
    assert_false(same_bits(f, untrained));
    tpgnn_fasttext_free(untrained);
    tpgnn_fasttext_free(f);
    o.rate = o.last = 1e-12;
    f = train_two_groups(&o);
    for (int i = 0; i < f->grams * 18; i++) assert_true(fabsf(f->gram[i]) <= 1.0f / 18);
    tpgnn_fasttext_free(f);
    tpgnn_fasttext_free(all);
}

/* An option that is not looked at leaves the bits as they are. */
static void every_option_counts(void **state)
{
    (void)state;
    const tpgnn_fasttext_options good = tpgnn_fasttext_defaults();
    tpgnn_fasttext_options o[] = {good, good, good, good, good, good, good, good, good};
    o[0].window = 4;
    o[1].min_n = 2;
    o[2].max_n = 5;
    o[3].negative = 4;
    o[4].epochs = 4;
    o[5].cbow = 1;
    o[6].rate = 0.02;
    o[7].last = 0.001;
    o[8].exponent = 0.5;
    tpgnn_fasttext *a = train(&good, 0);
    for (int i = 0; i < 9; i++) {
        tpgnn_fasttext *b = train(&o[i], 0);
        if (!memcmp(a->vector, b->vector, sizeof(float) * 18 * CORPUS_TYPES))
            fail_msg("option %d changes nothing", i);
        tpgnn_fasttext_free(b);
    }
    tpgnn_fasttext_free(a);
}

/* ---- refusals */

static void refused(const char *sentence, ag_status status, const tpgnn_fasttext_options *o,
                    const char *const *names, int words, int32_t token)
{
    ag_failure why = {0};
    const int first[] = {0, 2};
    const int32_t tokens[] = {0, token};
    corpus_list list = {tokens, first};
    const tpgnn_sentences s = corpus_sentences(&list, token == -9 ? 0 : 1);
    assert_null(tpgnn_fasttext_train(o, names, words, &s, &why));
    if (!strstr(why.sentence, sentence)) fail_msg("%s", why.sentence);
    assert_int_equal(why.status, status);
}

static void bad_calls(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b"}, *const twice[] = {"a", "a"},
                             *const none[] = {"a", ""};
    const tpgnn_fasttext_options good = tpgnn_fasttext_defaults();
#define REFUSED(MEMBER, VALUE, SENTENCE)       \
 do {                                          \
  tpgnn_fasttext_options o = good;             \
  o.MEMBER = VALUE;                            \
  refused(SENTENCE, AG_EUSE, &o, names, 2, 1); \
 } while (0)
    REFUSED(size, 0, "size 0");
    REFUSED(size, 4097, "size 4097");
    REFUSED(window, 0, "window 0");
    REFUSED(negative, -1, "negative -1");
    REFUSED(epochs, 0, "epochs 0");
    REFUSED(min_n, 7, "n-grams of 7 to 6 letters");
    REFUSED(min_n, 0, "n-grams of 0 to 6 letters");
    REFUSED(buckets, 0, "in 0 buckets");
    REFUSED(buckets, (int64_t)1 << 31, "in 2147483648 buckets");
    REFUSED(rate, 0, "rate 0");
    REFUSED(rate, NAN, "rate nan");
    REFUSED(last, 1, "to 1,");
    REFUSED(sample, -1, "sample -1");
    REFUSED(exponent, 5, "exponent 5");
    refused("1 to 10000 are possible", AG_EUSE, &good, names, 0, 1);
    refused("words 0 and 1 are both called a", AG_EUSE, &good, twice, 2, 1);
    refused("word 1 has no name", AG_EUSE, &good, none, 2, 1);
    refused("token 1 of sentence 0 is 2, but the words are 0 to 1", AG_EINDEX, &good, names, 2, 2);
    refused("token 1 of sentence 0 is -1", AG_EINDEX, &good, names, 2, -1);
    refused("the 0 sentences have no token", AG_EDATA, &good, names, 2, -9);
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
        cmocka_unit_test(unknown_words),
        cmocka_unit_test(options_do_what_they_say),
        cmocka_unit_test(every_option_counts),
        cmocka_unit_test(bad_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
