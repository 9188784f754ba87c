/* SPDX-License-Identifier: MIT */
/* The configurations of a search: valid ones, none twice, the default first. */
#include "support/test.h"
#include "examples/lab/collect/search.h"
#include "examples/lab/text/text.h"

static lab_program p;

/* Two dots, a reshape and a convolution: nodes 2, 5, 6 and 8. */
static int make_program(void **state)
{
    static const char text[] = "program net test\n"
                               "a = f32[4,6] parameter()\n"
                               "b = f32[6,8] parameter()\n"
                               "c = f32[4,8] dot(a, b) left=1 right=0\n"
                               "w = f32[1,1,2,3] parameter()\n"
                               "y = f32[8,2] parameter()\n"
                               "d = f32[4,2] dot(c, y) left=1 right=0\n"
                               "x = f32[2,2,1,2] reshape(d)\n"
                               "t = f32[2,2,1,2] tanh(x)\n"
                               "z = f32[2,2,1,3] convolution(t, w) window={size=1x1} "
                               "dim_labels=b01f_01io->b01f\n";
    return (int)lab_text_read(&p, text, sizeof text - 1, "net");
}

static int drop_program(void **state)
{
    lab_program_clear(&p);
    return 0;
}

static void check_slot(const signed char *slot, int rank, int named)
{
    int seen = 0, n = 0;
    while (n < LAB_RANK && slot[n] >= 0) {
        assert_in_range(slot[n], 0, rank - 1);
        assert_false(seen >> slot[n] & 1);
        seen |= 1 << slot[n++];
    }
    assert_int_equal(n, named < rank ? named : rank);
    for (; n < LAB_RANK; n++) assert_int_equal(slot[n], -1);
}

static int all_default(const signed char *row)
{
    for (int k = 0; k < 18; k++)
        if (row[k] != -1) return 0;
    return 1;
}

/* As in TpuGraphs' files: two axes for convolutions, permutations for the others, and a reshape
   has no second operand. */
static void rows_fit_their_nodes(void **state)
{
    ag_random random = {1, 0, 0};
    int node[16], n = lab_configurable_nodes(node, &p), defaults = 0, differ = 0;
    assert_int_equal(n, 4);
    assert_int_equal(node[0], 2);
    assert_int_equal(node[3], 8);
    for (int i = 0; i < 400; i++) {
        signed char row[18];
        const lab_node *x = &p.nodes[node[i % 4]];
        const int named = x->op == LAB_CONVOLUTION ? 2 : LAB_RANK;
        lab_row_draw(row, &p, node[i % 4], &random);
        if (all_default(row)) {
            defaults++;
            continue;
        }
        const int has_second = x->op != LAB_RESHAPE, operand = x->operand[has_second];
        const int rank[3] = {x->shape.rank, p.nodes[x->operand[0]].shape.rank,
                             has_second ? p.nodes[operand].shape.rank : 0};
        int row_major = 1;
        for (int k = 0; k < 3; k++) check_slot(row + 6 * k, rank[k], named);
        for (int k = 0; k < 18; k++)
            if (row[k] >= 0) row_major &= row[k] == rank[k / 6] - 1 - k % 6;
        assert_false(row_major); /* the default has one name */
        differ++;
    }
    assert_true(defaults > 5);
    assert_true(differ > 200);
}

static lab_timing timing[400]; /* of the search at work */

/* The next configurations, of a batch. Every node likes a most minor axis 0; each that has it saves
   time. */
static int next(lab_search *s, int batch)
{
    const int fresh = lab_search_next(s, timing, s->count, batch);
    for (int i = s->count - fresh; i < s->count; i++) {
        timing[i].ns = 1000000;
        for (int k = 0; k < 3 * s->n_nodes; k++)
            timing[i].ns -= s->rows[i * s->n_nodes + k / 3][k % 3 * 6] == 0 ? 50000 : 0;
    }
    return fresh;
}

static void none_twice(void **state)
{
    for (int mode = 0; mode < 2; mode++) {
        lab_search *s = lab_search_new(&p, mode, 3);
        for (int batch = 0; batch < 20; batch++) {
            assert_int_equal(next(s, 16), 16);
            assert_int_equal(s->count, 16 * (batch + 1));
        }
        for (int k = 0; k < s->n_nodes; k++) assert_true(all_default(s->rows[k]));
        const size_t bytes = (size_t)s->n_nodes * sizeof *s->rows;
        for (int i = 0; i < s->count; i++)
            for (int j = 0; j < i; j++)
                assert_true(memcmp(s->rows + i * s->n_nodes, s->rows + j * s->n_nodes, bytes) != 0);
        lab_search_free(s);
    }
}

static void the_genetic_search_finds_faster_ones(void **state)
{
    double mean[2] = {0};
    for (int mode = 0; mode < 2; mode++) {
        lab_search *s = lab_search_new(&p, mode, 5);
        while (s->count < 256) assert_int_equal(next(s, 16), 16);
        for (int i = 192; i < 256; i++) mean[mode] += (double)timing[i].ns / 64;
        lab_search_free(s);
    }
    assert_true(mean[1] < mean[0] - 50000);
}

/* Few and many nodes are changed. */
static void random_changes_few_and_many(void **state)
{
    lab_search *s = lab_search_new(&p, 0, 7);
    int changed[5] = {0};
    assert_int_equal(next(s, 400), 400);
    for (int i = 0; i < s->count; i++) {
        int n = 0;
        for (int k = 0; k < 4; k++) n += !all_default(s->rows[4 * i + k]);
        changed[n]++;
    }
    assert_int_equal(changed[0], 1);
    for (int k = 1; k < 5; k++) assert_true(changed[k] > 30);
    lab_search_free(s);
}

static void the_seed_decides(void **state)
{
    lab_search *a = lab_search_new(&p, 0, 1);
    lab_search *b = lab_search_new(&p, 0, 1);
    lab_search *c = lab_search_new(&p, 0, 2);
    next(a, 40);
    next(b, 20);
    next(b, 20); /* batches make no difference */
    next(c, 40);
    assert_memory_equal(a->rows, b->rows, 40 * 4 * sizeof *a->rows);
    assert_true(memcmp(a->rows, c->rows, 40 * 4 * sizeof *a->rows) != 0);
    lab_search_free(a);
    lab_search_free(b);
    lab_search_free(c);
}

/* One dot of matrices: 2 x 2 x 2 layouts, and no more can be found; none without such nodes. */
static void small_spaces_end(void **state)
{
    lab_program one = {.name = "dot"};
    int a = lab_parameter(&one, LAB_F32, 2, (int[]){4, 6});
    int b = lab_parameter(&one, LAB_F32, 2, (int[]){6, 8});
    lab_search *none = lab_search_new(&one, 0, 0);
    assert_int_equal(next(none, 10), 0);
    lab_search_free(none);
    lab_dot(&one, a, b, (lab_dot_dims){0, 1, 0});
    for (int mode = 0; mode < 2; mode++) {
        lab_search *s = lab_search_new(&one, mode, 0);
        for (int i = 0; i < 6; i++) next(s, 4);
        assert_int_equal(s->count, 8);
        assert_int_equal(lab_search_next(s, timing, 5, 2), 2); /* forgets those after the fifth */
        assert_int_equal(s->count, 7);
        lab_search_free(s);
    }
    lab_program_clear(&one);
}

int main(void)
{
    return RUN_TESTS_WITH(make_program, drop_program, rows_fit_their_nodes, none_twice,
                          the_genetic_search_finds_faster_ones, random_changes_few_and_many,
                          the_seed_decides, small_spaces_end);
}
