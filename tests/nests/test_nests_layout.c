/* SPDX-License-Identifier: MIT */
/* Rows of layouts: layouts and copies are those that the lab runs, and rows describe loops. */
#include "support/test.h"
#include "examples/lab/nets/families.h"
#include "examples/lab/run/run_internal.h"
#include "examples/lab/text/text.h"
#include "support/tgraph_open.h"

enum { CONFIGS = 12, DIGITS = TGRAPH_DIGITS };
enum { CONCATENATE = 22, COPY = 27, DOT = 34, PAD = 62, PARAMETER = 63, SELECT = 83 };

static tgraph_file *open_embedded(const char *family, int number)
{
    return test_file_open(
        formatted(AG_SOURCE_DIR "/examples/data/layout/random/%s_%d.npz", family, number),
        test_operations(), NULL);
}

static const nests_layout_memory *memory_of(const nests_rows *r) { return r->memory; }

static const float *row_of(const nests_rows *r, int entry)
{
    return r->x + (size_t)r->row[entry] * NESTS_LAYOUT_COLUMNS;
}

/* ---- the lab's programs ---- */

/* Copies that the configuration needs; a copy that is a node of the program has sizes of a window.
 */
static int copies_of(const nests_rows *r)
{
    double n = 0;
    for (int e = 0; e < r->first[1]; e++)
        if (r->word[r->row[e]] == COPY) n += (double)r->times[e];
    return (int)n;
}

static void compare_strides(const nests_rows *r, const lab_run *run, int config)
{
    for (int v = 0; v < run->p->n; v++) {
        const lab_shape shape = run->p->nodes[v].shape;
        for (int i = 0; i < shape.rank; i++)
            if (shape.size[i] > 1 &&
                (double)run->value[v].view.stride[i] != memory_of(r)->strides[v].of[i])
                fail_msg("%s, configuration %d, node %d, axis %d: stride %g, but the lab's is %lld",
                         run->p->name, config, v, i, memory_of(r)->strides[v].of[i],
                         (long long)run->value[v].view.stride[i]);
    }
}

static int near(float column, double x) { return fabs((double)column - x) < 1e-4; }

/* The stride of input k, which a loop of a window that is cut moves by the window's. */
static double stride_of(const nest *n, const nest_loop *l, int k)
{
    const int window = l->closes >= 0 ? l->closes : l->opens;
    if (k || window < 0) return log2(1 + fabs((double)l->in[k]));
    return log2(1 + fabs((double)(n->window[window].stride * n->window[window].step[l->reduce])));
}

/* The two innermost loops of a row are those of the lab's nest. */
static int is_nest(const float *x, const nest *n)
{
    const float *row = x + NESTS_LAYOUT_FREE, *sum = x + NESTS_LAYOUT_SUM;
    int same = near(row[0], log2((double)n->n.size)) && near(sum[0], log2((double)n->r.size));
    if (n->n.size > 1) same &= near(row[1], log2(1 + fabs((double)n->n.out)));
    for (int k = 0; k < (n->kind == NEST_DOT ? 2 : 1); k++) {
        if (n->n.size > 1) same &= near(row[2 + k], stride_of(n, &n->n, k));
        if (n->r.size > 1) same &= near(sum[1 + k], stride_of(n, &n->r, k));
    }
    if (n->kind != NEST_DOT) return same;
    return same && (n->body == nest_reduce_body(NEST_DOT, 0)) == (int)x[NESTS_LAYOUT_FOLDS];
}

static void compare_nests(const nests_rows *r, const lab_run *run, int config)
{
    for (int e = 0; e < r->first[1]; e++) {
        const float *x = row_of(r, e);
        const int code = r->word[r->row[e]];
        /* A row has all nests of the first two as one, and no third operand. */
        int found = code == CONCATENATE || code == PAD || code == SELECT;
        for (int i = 0; i < run->n_steps && !found; i++)
            found = is_nest(x, &((const lab_nest_args *)run->steps[i].args)->nest);
        if (!found)
            fail_msg("%s, configuration %d: the lab runs no such nest of op code %d with rows of "
                     "2^%g elements and reductions of 2^%g",
                     run->p->name, config, code, (double)x[NESTS_LAYOUT_FREE],
                     (double)x[NESTS_LAYOUT_SUM]);
    }
}

/* Training steps are texts next to their files. */
static void program_of(lab_program *p, const char *family, int number)
{
    const char *path =
        formatted(AG_SOURCE_DIR "/examples/data/layout/random/%s_%d.txt", family, number);
    *p = (lab_program){0};
    if (strncmp(family, "train_", 6) == 0 ? lab_text_load(p, path)
                                          : lab_family_program(p, family, number, 2, new_failure()))
        fail_msg("%s", p->why.sentence);
}

static void compare_program(const char *family, int number)
{
    lab_program p;
    nests_rows rows = {0};
    tgraph_file *f = open_embedded(family, number);
    program_of(&p, family, number);
    lab_run *run = lab_run_new(&p);
    for (int c = 0; c < CONFIGS; c++) {
        tgraph_rows_take(&rows, f, false, &c, 1);
        expect_ok(lab_run_layout(run, (const lab_layout_row *)memory_of(&rows)->digit,
                                 TPUGRAPHS_BY_STRIDES, new_failure()));
        compare_strides(&rows, run, c);
        compare_nests(&rows, run, c);
        assert_int_equal(copies_of(&rows), run->n_copies);
    }
    nests_rows_free(&rows);
    lab_run_free(run);
    lab_program_clear(&p);
    tgraph_file_close(f);
}

static void layouts_and_nests_are_those_that_the_lab_runs(void **state)
{
    static const struct {
        const char *family;
        int number;
    } program[] = {
        {"mlp", 1},       {"alexnet", 1},     {"lstm", 1},       {"attention", 1},
        {"inception", 1}, {"recommender", 1}, {"train_mlp", 14}, {"train_autoencoder", 10},
        {"mixer", 1},     {"unet", 0},        {"wavenet", 0},    {"train_unet", 2}};
    for (size_t i = 0; i < sizeof program / sizeof *program; i++)
        compare_program(program[i].family, program[i].number);
}

/* ---- rows of items ---- */

/* By node an item has the nests of both lists, a row as often as it is counted. */
static void entries_by_node(void **state)
{
    nests_rows counted = {0}, by_node = {0};
    tgraph_file *f = open_embedded("transformer", 12);
    tgraph_rows_take(&counted, f, false, NULL, CONFIGS);
    tgraph_rows_take(&by_node, f, true, NULL, CONFIGS);
    assert_int_equal(by_node.rows, counted.rows);
    for (int i = 0; i < CONFIGS; i++) {
        float *left = calloc((size_t)counted.rows, sizeof *left);
        memcpy(left, counted.always, (size_t)counted.rows * sizeof *left);
        for (int e = counted.first[i]; e < counted.first[i + 1]; e++) {
            for (int d = counted.first[i]; d < e; d++)
                assert_true(counted.row[d] != counted.row[e]);
            left[counted.row[e]] += counted.times[e];
        }
        for (int e = by_node.first[i]; e < by_node.first[i + 1]; e++) {
            const int node = by_node.node[e], opcode = by_node.word[by_node.row[e]];
            left[by_node.row[e]]--;
            assert_true(by_node.times[e] == 1);
            assert_in_range(node, 0, f->operations.count - 1);
            if (opcode != COPY) assert_int_equal(opcode, f->operations.operation[node].opcode);
        }
        for (int r = 0; r < counted.rows; r++) assert_true(left[r] == 0 && by_node.always[r] == 0);
        free(left);
    }
    nests_rows_free(&counted);
    nests_rows_free(&by_node);
    tgraph_file_close(f);
}

/* ---- columns ---- */

/* out [8,16] = a [8,32] b [32,16], both parameters. */
static void a_dot_in_two_layouts(void **state)
{
    tpugraphs_operation o[3] = {
        {.kind = TPUGRAPHS_LEAF, .opcode = PARAMETER, .rank = 2, .size = {8, 32}, .config = -1},
        {.kind = TPUGRAPHS_LEAF, .opcode = PARAMETER, .rank = 2, .size = {32, 16}, .config = -1},
        {.kind = TPUGRAPHS_DOT,
         .opcode = DOT,
         .rank = 2,
         .size = {8, 16},
         .operands = 2,
         .operand = {0, 1},
         .dot = {.left = 1, .right = 0},
         .conv = {.groups = 1},
         .varying = 1}};
    for (int i = 0; i < TPUGRAPHS_AXES; i++) o[2].window[i].size = 1;
    const nests_layout p = {.count = 3, .configurable = 1, .operation = o};
    const signed char plain[DIGITS] = {1,  0,  -1, -1, -1, -1, -1, -1, -1,
                                       -1, -1, -1, -1, -1, -1, -1, -1, -1};
    const signed char turned[DIGITS] = {0,  1,  -1, -1, -1, -1, 0,  1,  -1,
                                        -1, -1, -1, -1, -1, -1, -1, -1, -1};
    nests_rows r = {0};
    nests_layout_open(&r, &p, false);
    nests_layout_add(&r, plain);
    nests_layout_add(&r, turned);
    assert_int_equal(r.first[1], 1);
    assert_int_equal(r.first[2], 3); /* the other layout of operand 0 takes a copy */
    assert_int_equal(r.word[r.row[1]], COPY);
    const float *x = row_of(&r, 0), *y = row_of(&r, 2);
    assert_true(r.work[r.row[0]] == 8 * 16 * 32);
    /* Row-major: the 16 columns are the innermost free loop, contiguous in out and b. */
    const float free_plain[] = {4, 1, 0, 1, 3, log2f(17), log2f(33), 0, 0, 0, 0, 0};
    const float sum_plain[] = {5, 1, log2f(17), 0, 0, 0, 0, 0, 0};
    for (int i = 0; i < 12; i++) assert_float_equal(x[NESTS_LAYOUT_FREE + i], free_plain[i], 1e-6);
    for (int i = 0; i < 9; i++) assert_float_equal(x[NESTS_LAYOUT_SUM + i], sum_plain[i], 1e-6);
    assert_true(x[NESTS_LAYOUT_JUMPS] == 0 && x[NESTS_LAYOUT_JUMPS + 1] == 1);
    assert_true(x[NESTS_LAYOUT_DEPTH] == 2 && x[NESTS_LAYOUT_DEPTH + 1] == 1);
    for (int i = 0; i < 5; i++) assert_true(x[NESTS_LAYOUT_LEFT + i] == 0);
    assert_true(x[NESTS_LAYOUT_SIZES] == 7 && x[NESTS_LAYOUT_SIZES + 1] == 8 &&
                x[NESTS_LAYOUT_SIZES + 2] == 9);
    /* Turned: the 8 rows are the innermost, contiguous in out and a. */
    const float free_turned[] = {3, 1, 1, 0, 4, log2f(9), 0, 1};
    for (int i = 0; i < 8; i++) assert_float_equal(y[NESTS_LAYOUT_FREE + i], free_turned[i], 1e-6);
    assert_float_equal(y[NESTS_LAYOUT_SUM + 1], log2f(9), 1e-6);
    assert_true(y[NESTS_LAYOUT_LEFT] == 0 &&
                y[NESTS_LAYOUT_LEFT + 1] == 1); /* 8 rows, vectors of 16 */
    nests_rows_free(&r);
}

/* Features may say anything: an op whose shapes do not fit it is a map. */
static void any_features_give_rows(void **state)
{
    static const uint8_t op[] = {13, 26, 34, 70, 72, 75, 98};
    for (int turn = 0; turn < 64; turn++) {
        test_layout l;
        ag_random random = {11, (uint64_t)turn, 0};
        nests_rows rows = {0};
        test_layout_make(&l);
        for (int v = 0; v < TEST_NODES; v++) {
            l.opcode[v] = op[(int)(7 * ag_random_uniform(&random)) % 7];
            for (int k = 21; k < 134; k++)
                l.node_feat[v][k] = (float)(int)(6 * ag_random_uniform(&random) - 1);
        }
        int64_t dot[TEST_NODES][4];
        int dots = 0;
        for (int v = 0; v < TEST_NODES; v++) {
            if (l.opcode[v] != DOT) continue;
            dot[dots][0] = v;
            dot[dots][1] = (int)(4 * ag_random_uniform(&random)) % 4;
            for (int k = 2; k < 4; k++)
                dot[dots][k] = dot[dots][1] + (int)(3 * ag_random_uniform(&random)) % 3;
            dots++;
        }
        if (turn % 2) l.array[l.arrays++] = (test_array){"dot_axes", AG_I64, 2, {dots, 4}, dot};
        tgraph_file *f = test_layout_open(&l, test_operations(), NULL);
        tgraph_rows_take(&rows, f, false, NULL, f->configs);
        for (int i = 0; i < rows.rows * NESTS_LAYOUT_COLUMNS; i++) assert_true(isfinite(rows.x[i]));
        nests_rows_free(&rows);
        tgraph_file_close(f);
    }
}

int main(void)
{
    return RUN_TESTS_WITH(test_folder_make, test_folder_remove,
                          layouts_and_nests_are_those_that_the_lab_runs, entries_by_node,
                          a_dot_in_two_layouts, any_features_give_rows);
}
