/* SPDX-License-Identifier: MIT */
/* Programs cut in kernels, and groups and tiles that are refused. */
#include "support/test.h"
#include "core/memory.h"
#include "examples/lab/fusion/fusion.h"
#include "examples/lab/run/run.h"
#include "support/lab_case_kernels.h"
#include "support/lab_cases.h"

#define SIZES(...) ((const int[]){__VA_ARGS__})

enum { PARTITIONS = 40 };

static int weights(lab_program *p, const int *size) { return lab_parameter(p, LAB_F32, 2, size); }

/* Runs a kernel on the values of the program's nodes that its parameters replace. */
static void run_group(float **values, const lab_program *p, const int *group, int g)
{
    lab_program kernel;
    assert_int_equal(lab_kernel(&kernel, p, group, g), AG_OK);
    assert_true(lab_fusible(&kernel));
    lab_run *run = lab_run_new(&kernel);
    int output = -1;
    for (int i = 0; i < p->n; i++) {
        if (group[i] == g) output = i;
        for (int k = 0; k < kernel.n; k++)
            if (kernel.nodes[k].op == LAB_PARAMETER &&
                !strcmp(kernel.nodes[k].name, p->nodes[i].name))
                memcpy(run->value[k].home, values[i],
                       (size_t)lab_elements(p->nodes[i].shape) * sizeof **values);
    }
    assert_true(output >= 0);
    lab_case_tile(run, NULL);
    lab_run_read(values[output], run, kernel.n - 1);
    lab_run_free(run);
    lab_program_clear(&kernel);
}

/* Every value that another group reads is its group's output, and comes from an earlier group. */
static void check_groups(const lab_program *p, const int *group, int groups)
{
    int *last = malloc((size_t)groups * sizeof *last);
    for (int i = 0; i < p->n; i++) {
        assert_in_range(group[i] + 1, 0, groups);
        if (group[i] >= 0) last[group[i]] = i;
    }
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < p->nodes[i].n_operands; k++) {
            const int x = p->nodes[i].operand[k];
            if (group[x] < 0 || group[x] == group[i]) continue;
            assert_true(group[x] < group[i]);
            assert_int_equal(last[group[x]], x);
        }
    assert_int_equal(group[p->n - 1], groups - 1);
    free(last);
}

static void test_partitions(void **state)
{
    for (int net = 0; net < LAB_CASE_NETS; net++) {
        lab_program p = {.name = "net"};
        lab_case_net(&p, net);
        int *group = malloc((size_t)p.n * sizeof *group), least = p.n, most = 0;
        float **right = lab_case_reference(&p);
        for (int i = 0; i < PARTITIONS; i++) {
            const int groups = lab_partition(group, &p, i / (PARTITIONS - 1.0), (uint64_t)i);
            float **values = lab_case_reference(&p);
            check_groups(&p, group, groups);
            least = groups < least ? groups : least;
            most = groups > most ? groups : most;
            for (int k = 0; k < p.n; k++)
                for (int64_t e = 0; group[k] >= 0 && e < lab_elements(p.nodes[k].shape); e++)
                    values[k][e] = -12345; /* a kernel that reads too early fails */
            for (int g = 0; g < groups; g++) run_group(values, &p, group, g);
            lab_case_compare(values[p.n - 1], right[p.n - 1], &p, p.n - 1, "partition");
            lab_case_free(values, &p);
        }
        if (!(least * 3 <= most * 2)) fail_msg("net %d: %d to %d groups", net, least, most);
        /* Rate 0: every node is alone; the same seed gives the same partition. */
        int alone = 0, *again = malloc((size_t)p.n * sizeof *again);
        for (int i = 0; i < p.n; i++) alone += lab_is_grouped(&p, i);
        assert_int_equal(lab_partition(group, &p, 0, 1), alone);
        lab_partition(group, &p, 0.5, 9);
        lab_partition(again, &p, 0.5, 9);
        assert_memory_equal(group, again, (size_t)p.n * sizeof *group);
        free(again);
        free(group);
        lab_case_free(right, &p);
        lab_program_clear(&p);
    }
}

/* Programs that cannot be one kernel are refused. */
static void test_not_fusible(void **state)
{
    lab_program p = {.name = "two"}, odd = {.name = "odd"};
    int(*tiles)[24];
    const int x =
        lab_dot(&p, weights(&p, SIZES(8, 8)), weights(&p, SIZES(8, 8)), (lab_dot_dims){0, 1, 0});
    assert_true(lab_fusible(&p));
    lab_reduce(&p, x, LAB_SUM, 1, SIZES(0));
    assert_false(lab_fusible(&p));
    assert_int_equal(lab_tiles(&tiles, &p, 5, 1), 0);
    assert_null(tiles);
    lab_run *run = lab_run_new(&p);
    expect_status(lab_run_tile(run, NULL, new_failure()), AG_EUSE,
                  "kernel two cannot be cut in tiles");
    lab_run_free(run);
    lab_program_clear(&p);
    const int y = lab_unary(&odd, LAB_TANH, weights(&odd, SIZES(4, 6)));
    lab_reshape(&odd, y, 2, SIZES(6, 4)); /* neither splits nor merges */
    assert_false(lab_fusible(&odd));
    lab_program_clear(&odd);
}

/* Windows over more elements than an integer can count. */
static void test_huge_windows(void **state)
{
    lab_program p = {.name = "huge"};
    const lab_window w = {1 << 27, 1, (1 << 27) - 1, 0, 1, 1, 0};
    const int x = lab_parameter(&p, LAB_F32, 6, SIZES(1, 1, 1, 1, 1, 1));
    lab_reduce_window(&p, x, LAB_SUM, (lab_window[]){w, w, w, w, w, w});
    if (p.why.status) fail_msg("%s", p.why.sentence);
    int(*tiles)[24], tile[24] = {1 << 27, 1 << 27, 1 << 27, 1, 1, 1};
    assert_true(lab_fusible(&p));
    const int n = lab_tiles(&tiles, &p, 10, 1);
    assert_true(n >= 1);
    assert_true(tiles[0][7] <= 1 << 16); /* the inputs of a block are in scratch */
    tile[6] = 3 * (1 << 27) + 3;
    tile[7] = INT_MAX;
    for (int i = 8; i < 14; i++) tile[i] = 1;
    tile[14] = 6;
    tile[15] = 1;
    assert_false(lab_tile_valid(&p, tile));
    ag_free(tiles);
    lab_program_clear(&p);
}

static void expect_refused(lab_run *run, int *tile, int at, int value, const char *sentence)
{
    const int old = tile[at];
    tile[at] = value;
    assert_false(lab_tile_valid(run->p, tile));
    assert_true(lab_run_tile(run, tile, new_failure()) != AG_OK);
    if (!strstr(last_failure()->sentence, sentence)) fail_msg("%s", last_failure()->sentence);
    lab_run_go(run); /* runs nothing */
    tile[at] = old;
    assert_true(lab_tile_valid(run->p, tile));
}

static void test_refused_tiles(void **state)
{
    lab_program p = {.name = "dense"}, large = {.name = "large"};
    int tile[24] = {16, [6] = 16, [7] = 16, [8] = 8, [9] = 32, [14] = 40, [15] = 256};
    lab_case_kernel(&p, 0);
    lab_run *run = lab_run_new(&p);
    lab_case_tile(run, tile);
    expect_refused(run, tile, 0, 0, "bound 0 of the tile's reduction is 0; 1 to 29");
    expect_refused(run, tile, 0, 30, "1 to 29 are possible");
    expect_refused(run, tile, 1, 1, "do not follow from its bounds");
    expect_refused(run, tile, 9, 46, "bound 1 of the tile's output is 46; 1 to 45");
    expect_refused(run, tile, 10, -1, "do not follow");
    expect_refused(run, tile, 6, 15, "sums, products and zeros");
    expect_refused(run, tile, 15, 255, "do not follow");
    expect_refused(run, tile, 16, 1, "do not follow");
    lab_run_free(run);
    lab_program_clear(&p);
    const int *shape = SIZES(600, 600); /* a whole intermediate value is too large */
    lab_unary(&large, LAB_TANH, lab_unary(&large, LAB_ABS, weights(&large, shape)));
    run = lab_run_new(&large);
    const int whole[24] = {[8] = 600, [9] = 600, [14] = 1200, [15] = 360000};
    expect_status(lab_run_tile(run, whole, new_failure()), AG_EUSE,
                  "needs 360000 floats of scratch");
    const int tiny[24] = {[8] = 1, [9] = 1, [14] = 2, [15] = 1};
    expect_status(lab_run_tile(run, tiny, new_failure()), AG_EUSE, "makes 360000 steps");
    lab_run_free(run);
    lab_program_clear(&large);
}

int main(void)
{
    return RUN_TESTS(test_partitions, test_not_fusible, test_huge_windows, test_refused_tiles);
}
