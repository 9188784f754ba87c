/* SPDX-License-Identifier: MIT */
/* Walks over trees. */
#include "support/tpgnn_corpus.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* Node 0 with the children 1, 2 and 5, node 2 with 3 and 4; a tree of one node; one of two. */
static int32_t tree_type[] = {10, 11, 12, 13, 14, 15, 20, 30, 31};
static int32_t tree_parent[] = {-1, 0, 0, 2, 2, 0, -1, -1, 0};
static int64_t tree_start[] = {0, 6, 7, 9};
static const tpgnn_forest forest = {tree_type, tree_parent, tree_start, 3};

static int joined(int32_t a, int32_t b)
{
    static const int edges[][2] = {{10, 11}, {10, 12}, {10, 15}, {12, 13}, {12, 14}, {30, 31}};
    for (int i = 0; i < 6; i++)
        if ((edges[i][0] == a && edges[i][1] == b) || (edges[i][1] == a && edges[i][0] == b))
            return 1;
    return 0;
}

enum { SEEDS = 100 };

static void walks_go_to_neighbours(void **state)
{
    (void)state;
    int from[2][32] = {{0}}, visits[2] = {0}; /* of 10 and 12, which have 3 neighbours each */
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        tpgnn_walks *w = tpgnn_walks_new(&forest, seed);
        const tpgnn_sentences s = tpgnn_walks_sentences(w);
        assert_int_equal(s.count, 9 * TPGNN_WALKS);
        for (int64_t i = 0; i < s.count; i++) {
            int n;
            const int32_t *t = s.get(s.context, i, &n);
            const int node = (int)(i / TPGNN_WALKS);
            assert_int_equal(t[0], tree_type[node]);
            assert_int_equal(n, node == 6 ? 1 : TPGNN_WALK_STEPS + 1);
            for (int k = 1; k < n; k++) {
                assert_true(joined(t[k - 1], t[k]));
                const int which = t[k - 1] == 10 ? 0 : t[k - 1] == 12 ? 1 : -1;
                if (which >= 0) from[which][t[k]]++, visits[which]++;
            }
        }
        tpgnn_walks_free(w);
    }
    static const int to[2][3] = {{11, 12, 15}, {10, 13, 14}};
    for (int i = 0; i < 6; i++) { /* evenly, within 5 standard deviations */
        const double all = visits[i / 3], part = from[i / 3][to[i / 3][i % 3]];
        assert_true(fabs(part - all / 3) < 5 * sqrt(all * 2 / 9));
    }
}

/* A sentence is the same whenever it is asked for; other seeds have others. */
static void walks_repeat(void **state)
{
    (void)state;
    tpgnn_walks *a = tpgnn_walks_new(&forest, 0), *b = tpgnn_walks_new(&forest, 1);
    const tpgnn_sentences s = tpgnn_walks_sentences(a), t = tpgnn_walks_sentences(b);
    int32_t first[TPGNN_WALK_STEPS + 1];
    int n, differ = 0;
    memcpy(first, s.get(s.context, 2, &n), sizeof first);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_go_to_neighbours),
        cmocka_unit_test(walks_repeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
