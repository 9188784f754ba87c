/* SPDX-License-Identifier: MIT */
/* Walks over trees, and word vectors in files. */
#define _GNU_SOURCE
#include "support/tpgnn_corpus.h"
#include "tests/files.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* ---- walks */

/* Node 0 with the children 1, 2 and 5, node 2 with 3 and 4; a tree of one node; one of two. */
static const int32_t tree_type[] = {10, 11, 12, 13, 14, 15, 20, 30, 31};
static const int32_t tree_parent[] = {-1, 0, 0, 2, 2, 0, -1, -1, 0};
static const int64_t tree_start[] = {0, 6, 7, 9};

static int joined(int32_t a, int32_t b)
{
    static const int edges[][2] = {{10, 11}, {10, 12}, {10, 15}, {12, 13}, {12, 14}, {30, 31}};
    for (int i = 0; i < 6; i++)
        if ((edges[i][0] == a && edges[i][1] == b) || (edges[i][1] == a && edges[i][0] == b))
            return 1;
    return 0;
}

static void walks_go_to_neighbours(void **state)
{
    (void)state;
    ag_failure why = {0};
    const tpgnn_walk_options o = {.walks = 300, .steps = 50, .families = 1, .seed = 5};
    tpgnn_walks *w = tpgnn_walks_new(&o, tree_type, tree_parent, tree_start, 3, &why);
    assert_non_null(w);
    const tpgnn_sentences s = tpgnn_walks_sentences(w);
    int from[2][32] = {{0}}, visits[2] = {0}; /* of 10 and 12, which have 3 neighbours each */
    assert_int_equal(s.count, 9 * 301);
    for (int64_t i = 0; i < s.count; i++) {
        int n;
        const int32_t *t = s.get(s.context, i, &n);
        const int node = (int)(i / 301);
        if (i % 301 == 300) { /* a node and its children */
            assert_int_equal(n, node == 0 ? 4 : node == 2 ? 3 : 0);
            if (node == 2) assert_true(t[0] == 12 && t[1] == 13 && t[2] == 14);
            if (node == 0) assert_true(t[0] == 10 && t[1] == 11 && t[2] == 12 && t[3] == 15);
            continue;
        }
        assert_int_equal(t[0], tree_type[node]);
        assert_int_equal(n, node == 6 ? 1 : 51);
        for (int k = 1; k < n; k++) {
            assert_true(joined(t[k - 1], t[k]));
            const int which = t[k - 1] == 10 ? 0 : t[k - 1] == 12 ? 1 : -1;
            if (which >= 0) from[which][t[k]]++, visits[which]++;
        }
    }
    static const int to[2][3] = {{11, 12, 15}, {10, 13, 14}};
    for (int i = 0; i < 6; i++) { /* evenly, within 5 standard deviations */
        const double all = visits[i / 3], part = from[i / 3][to[i / 3][i % 3]];
        assert_true(fabs(part - all / 3) < 5 * sqrt(all * 2 / 9));
    }
    tpgnn_walks_free(w);
}

/* A sentence is the same whenever it is asked for; other seeds have others. */
static void walks_repeat(void **state)
{
    (void)state;
    ag_failure why = {0};
    tpgnn_walk_options o = tpgnn_walk_defaults();
    assert_true(o.walks == 3 && o.steps == 50 && !o.families);
    tpgnn_walks *a = tpgnn_walks_new(&o, tree_type, tree_parent, tree_start, 3, &why);
    o.seed = 1;
    tpgnn_walks *b = tpgnn_walks_new(&o, tree_type, tree_parent, tree_start, 3, &why);
    const tpgnn_sentences s = tpgnn_walks_sentences(a), t = tpgnn_walks_sentences(b);
    int32_t first[51];
    int n, differ = 0;
    assert_int_equal(s.count, 27);
    memcpy(first, s.get(s.context, 2, &n), sizeof first);
    assert_memory_equal(t.get(t.context, 2, &n), t.get(t.context, 2, &n), sizeof first);
    for (int i = 0; i < 18; i++) {
        const int32_t *x = s.get(s.context, i, &n);
        differ += memcmp(x, t.get(t.context, i, &n), sizeof first) != 0;
        differ += i != 2 && memcmp(x, first, sizeof first) != 0;
    }
    assert_memory_equal(first, s.get(s.context, 2, &n), sizeof first);
    assert_true(differ >= 34);
    tpgnn_walks_free(a);
    tpgnn_walks_free(b);
}

static void bad_trees(void **state)
{
    (void)state;
    static const struct {
        int32_t parent[3];
        int64_t start[3];
        const char *sentence;
    } bad[] = {
        {{-1, 1, 0}, {0, 2, 3}, "the parent of node 1 of graph 0 is 1"},
        {{-1, 0, 0}, {0, 2, 3}, "the parent of node 0 of graph 1 is 0"},
        {{-1, -2, -1}, {0, 2, 3}, "the parent of node 1 of graph 0 is -2"},
        {{-1, 0, -1}, {0, 4, 3}, "graph 2 begins at node 3"},
        {{-1, 0, -1}, {1, 2, 3}, "graph 0 begins at node 1"},
        {{-1, 0, -1}, {0, 2, (int64_t)1 << 40}, "graph 2 begins at node 1099511627776"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ag_failure why = {0};
        const tpgnn_walk_options o = tpgnn_walk_defaults();
        assert_null(tpgnn_walks_new(&o, tree_type, bad[i].parent, bad[i].start, 2, &why));
        if (!strstr(why.sentence, bad[i].sentence)) fail_msg("%s", why.sentence);
        assert_int_equal(why.status, AG_EINDEX);
    }
    ag_failure why = {0};
    const tpgnn_walk_options o = {.walks = -1};
    assert_null(tpgnn_walks_new(&o, tree_type, tree_parent, tree_start, 3, &why));
    assert_int_equal(why.status, AG_EUSE);
}

/* ---- files */

static tpgnn_fasttext *small(int max_n)
{
    static const char *const names[] = {"For", "IfThenElse", "unseen"};
    static const int32_t token[] = {0, 1, 0, 1, 1, 0, 0, 1};
    static const int first[] = {0, 8};
    ag_failure why = {0};
    corpus_list list = {token, first};
    const tpgnn_sentences s = corpus_sentences(&list, 1);
    tpgnn_fasttext_options o = tpgnn_fasttext_defaults();
    o.sample = 0;
    o.max_n = max_n;
    tpgnn_fasttext *f = tpgnn_fasttext_train(&o, names, 3, &s, &why);
    if (!f) fail_msg("%s", why.sentence);
    return f;
}

static void files_come_back(void **state)
{
    (void)state;
    static const char *const asked[] = {"For", "IfThenElse", "unseen", "Forr", "Else", "x"};
    for (int max_n = 0; max_n <= 6; max_n += 6) {
        ag_failure why = {0};
        tpgnn_fasttext *f = small(max_n);
        assert_int_equal(tpgnn_fasttext_save(f, files_path("v.npz"), &why), AG_OK);
        tpgnn_fasttext *g = tpgnn_fasttext_load(files_path("v.npz"), &why);
        if (!g) fail_msg("%s", why.sentence);
        assert_true(g->words == 3 && g->size == 18 && g->grams == f->grams);
        assert_true(g->min_n == f->min_n && g->max_n == max_n && g->buckets == 2000000);
        for (int i = 0; i < 6; i++) {
            float x[18], y[18];
            assert_int_equal(tpgnn_fasttext_vector(x, f, asked[i]),
                             tpgnn_fasttext_vector(y, g, asked[i]));
            assert_memory_equal(x, y, sizeof x);
        }
        tpgnn_fasttext_free(f);
        tpgnn_fasttext_free(g);
    }
}

static void damaged_files(void **state)
{
    (void)state;
    ag_failure why = {0};
    size_t n = 0;
    tpgnn_fasttext *f = small(6);
    assert_int_equal(tpgnn_fasttext_save(f, files_path("v.npz"), &why), AG_OK);
    char *good = files_get(files_path("v.npz"), &n), *bytes = malloc(n);
    ag_random random = {1, 0, 0};
    int refused = 0;
    for (size_t k = 0; k < n; k += 3) {
        ag_failure bad = {0};
        files_put(files_path("cut.npz"), good, k);
        assert_null(tpgnn_fasttext_load(files_path("cut.npz"), &bad));
        assert_true(bad.status && bad.sentence[0]);
    }
    for (int i = 0; i < 1000; i++) {
        ag_failure bad = {0};
        const uint32_t bit = ag_random_below(&random, (uint32_t)n * 8);
        memcpy(bytes, good, n);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << bit % 8));
        files_put(files_path("flip.npz"), bytes, n);
        tpgnn_fasttext *g = tpgnn_fasttext_load(files_path("flip.npz"), &bad);
        assert_int_equal(g == NULL, bad.status != AG_OK);
        refused += g == NULL;
        tpgnn_fasttext_free(g);
    }
    assert_true(refused > 700);
    free(good);
    free(bytes);
    tpgnn_fasttext_free(f);
}

/* Vectors that were spoiled before they were saved. */
static void spoiled_vectors(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        static const char *const sentence[] = {"a number of vector is not finite",
                                               "a number of bucket_vector is not finite",
                                               "bucket[1] is",
                                               "bucket[0] is -1",
                                               "ngram is 3, -1",
                                               "ngram is 3, 6, 0",
                                               "two words are called For",
                                               "word 2 of 3 has no name"};
        ag_failure why = {0};
        tpgnn_fasttext *f = small(6);
        if (i == 0) f->vector[20] = NAN;
        if (i == 1) f->gram[3] = INFINITY;
        if (i == 2) f->bucket[1] = f->bucket[0];
        if (i == 3) f->bucket[0] = -1;
        if (i == 4) f->max_n = 65;
        if (i == 5) f->buckets = 0;
        if (i == 6) memcpy(f->name[2], "For", 4);
        if (i == 7) f->name[2][0] = 0;
        assert_int_equal(tpgnn_fasttext_save(f, files_path("v.npz"), &why), AG_OK);
        assert_null(tpgnn_fasttext_load(files_path("v.npz"), &why));
        if (!strstr(why.sentence, sentence[i])) fail_msg("%d: %s", i, why.sentence);
        assert_int_equal(why.status, AG_EDATA);
        tpgnn_fasttext_free(f);
    }
    ag_failure why = {0};
    assert_null(tpgnn_fasttext_load(files_path("none.npz"), &why));
    assert_int_equal(why.status, AG_EFILE);
    why = (ag_failure){0};
    ag_npz_writer *w = ag_npz_create(files_path("v.npz"), &why);
    ag_npz_add(w, "ngram", AG_I64, 1, (int64_t[]){3}, (int64_t[]){3, 6, 5}, &why);
    assert_int_equal(ag_npz_finish(w, &why), AG_OK);
    assert_null(tpgnn_fasttext_load(files_path("v.npz"), &why));
    assert_non_null(strstr(why.sentence, "the array vector is not there"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_go_to_neighbours),
        cmocka_unit_test(walks_repeat),
        cmocka_unit_test(bad_trees),
        cmocka_unit_test(files_come_back),
        cmocka_unit_test(damaged_files),
        cmocka_unit_test(spoiled_vectors),
    };
    return cmocka_run_group_tests(tests, files_make, files_remove);
}
