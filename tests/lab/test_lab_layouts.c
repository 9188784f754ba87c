/* SPDX-License-Identifier: MIT */
/* The layouts that are drawn: valid ones, none twice, the default first. */
#include "support/test.h"
#include "examples/lab/collect/layouts.h"
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

/* The default comes first, none twice, and few and many nodes are changed. */
static void different_ones(void **state)
{
    enum { N = 400, NODES = 4 };
    lab_layouts *l = lab_layouts_new(&p, 7);
    int changed[NODES + 1] = {0};
    assert_int_equal(lab_layouts_next(l, N), N);
    assert_int_equal(l->count, N);
    for (int i = 0; i < N; i++) {
        int n = 0;
        for (int k = 0; k < NODES; k++) n += !all_default(l->rows[NODES * i + k]);
        assert_int_equal(!n, !i);
        changed[n]++;
        for (int j = 0; j < i; j++)
            assert_memory_not_equal(l->rows[NODES * i], l->rows[NODES * j], NODES * 18);
    }
    for (int k = 1; k <= NODES; k++) assert_true(changed[k] > 30);
    lab_layouts_free(l);
}

static void the_seed_decides(void **state)
{
    lab_layouts *a = lab_layouts_new(&p, 1), *b = lab_layouts_new(&p, 1),
                *c = lab_layouts_new(&p, 2);
    lab_layouts_next(a, 40);
    lab_layouts_next(b, 20);
    lab_layouts_next(b, 20); /* batches make no difference */
    lab_layouts_next(c, 40);
    assert_memory_equal(a->rows, b->rows, 40 * 4 * sizeof *a->rows);
    assert_true(memcmp(a->rows, c->rows, 40 * 4 * sizeof *a->rows) != 0);
    lab_layouts_free(a);
    lab_layouts_free(b);
    lab_layouts_free(c);
}

/* One dot of matrices: 2 x 2 x 2 layouts, and no more can be found; none without such nodes. */
static void small_spaces_end(void **state)
{
    lab_program one = {.name = "dot"};
    int a = lab_parameter(&one, LAB_F32, 2, (int[]){4, 6});
    int b = lab_parameter(&one, LAB_F32, 2, (int[]){6, 8});
    for (int dots = 0; dots < 2; dots++) {
        lab_layouts *l = lab_layouts_new(&one, 0);
        for (int i = 0; i < 6; i++) lab_layouts_next(l, 4);
        assert_int_equal(l->count, 8 * dots);
        lab_layouts_free(l);
        lab_dot(&one, a, b, (lab_dot_dims){0, 1, 0});
    }
    lab_program_clear(&one);
}

int main(void)
{
    return RUN_TESTS_WITH(make_program, drop_program, rows_fit_their_nodes, different_ones,
                          the_seed_decides, small_spaces_end);
}
