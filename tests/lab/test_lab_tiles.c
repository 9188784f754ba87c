/* SPDX-License-Identifier: MIT */
/* Kernels cut in tiles, against the plain reference. */
#include "support/test.h"
#include "core/memory.h"
#include "core/random.h"
#include "examples/lab/fusion/fusion.h"
#include "examples/lab/tile/tile_plan.h"
#include "support/lab_case_kernels.h"
#include "support/lab_cases.h"

enum { CASES = 40, CASE_TILES = 6, TILES = 150 };

static const char *tile_text(const int *tile)
{
    return formatted("reduction %d %d %d %d %d %d output %d %d %d %d %d %d", tile[0], tile[1],
                     tile[2], tile[3], tile[4], tile[5], tile[8], tile[9], tile[10], tile[11],
                     tile[12], tile[13]);
}

/* Every op alone, under some of its tiles; the error is of the sum of absolute values. */
static void test_every_op(void **state)
{
    for (int op = LAB_PARAMETER + 1; op < LAB_OPS; op++) {
        ag_random random = {17, (uint64_t)op, 0};
        for (int done = 0; done < CASES;) {
            lab_program p = {0};
            int(*tiles)[24];
            if (!lab_case(&p, (lab_op)op, &random)) continue;
            lab_run *run = lab_run_new(&p);
            if (!lab_fusible(&p)) fail_msg("%s %d is not a kernel", lab_op_name((lab_op)op), done);
            const int n = lab_tiles(&tiles, &p, CASE_TILES, (uint64_t)done);
            assert_true(n >= 1);
            float **values = lab_case_reference(&p);
            for (int i = 0; i < n; i++) {
                lab_case_tile(run, tiles[i]);
                lab_run_read(values[p.n - 1], run, p.n - 1);
                const double error = lab_case_error(&p, p.n - 1, values);
                if (!(error < 1))
                    fail_msg("%s %d: %g, %s", lab_op_name((lab_op)op), done, error,
                             tile_text(tiles[i]));
            }
            ag_free(tiles);
            lab_case_free(values, &p);
            lab_run_free(run);
            lab_program_clear(&p);
            done++;
        }
    }
}

static void fill_bounds(int *part, const int *size, int n, ag_random *random)
{
    for (int i = 0; i < n; i++) {
        part[i] = 1 + (int)ag_random_below(random, (uint32_t)size[i]);
        part[6] += part[i];
        part[7] = i ? part[7] * part[i] : part[i];
    }
}

/* Any bounds at all, not only those that lab_tiles draws. whole: the axes of the reduction. */
static void any_tile(int *tile, const lab_program *p, const int *whole, ag_random *random)
{
    const lab_shape root = p->nodes[p->n - 1].shape;
    int n = 0;
    do {
        memset(tile, 0, 24 * sizeof *tile);
        for (n = 0; n < LAB_RANK && whole[n]; n++) continue;
        fill_bounds(tile, whole, n, random);
        fill_bounds(tile + 8, root.size, root.rank, random);
    } while (!lab_tile_valid(p, tile));
}

typedef struct trial {
    lab_program p;
    lab_run *run;
    float **values, *got;
    size_t bytes;
} trial;

static void check_tile(trial *x, const int *tile)
{
    const int root = x->p.n - 1;
    lab_case_tile(x->run, tile);
    lab_run_read(x->got, x->run, root);
    lab_case_compare(x->got, x->values[root], &x->p, root, tile ? tile_text(tile) : "default");
}

/* The tiles of one kernel; the first is the default. */
static void check_kernel(trial *x, int (*tiles)[24], int n, const int *whole)
{
    ag_random random = {19, (uint64_t)n, 0};
    float *first = malloc(x->bytes);
    for (int i = 0; i < n; i++) {
        assert_true(lab_tile_valid(&x->p, tiles[i]));
        for (int j = 0; j < i; j++) assert_memory_not_equal(tiles[i], tiles[j], sizeof *tiles);
        check_tile(x, tiles[i]);
        if (i == 0) memcpy(first, x->got, x->bytes);
    }
    check_tile(x, NULL);
    assert_memory_equal(x->got, first, x->bytes);
    for (int i = 0; i < TILES; i++) {
        int tile[24];
        any_tile(tile, &x->p, whole, &random);
        check_tile(x, tile);
    }
    free(first);
}

static void test_every_tile(void **state)
{
    for (int k = 0; k < LAB_CASE_KERNELS; k++) {
        trial x = {.p = {.name = "kernel"}};
        int(*tiles)[24], whole[LAB_RANK + 1] = {0};
        lab_case_kernel(&x.p, k);
        assert_true(lab_fusible(&x.p));
        for (int i = 0; i < x.p.n; i++) /* a kernel has one op of these at most */
            if (tile_is_reduction(&x.p.nodes[i])) lab_sum_axes(whole, &x.p, i);
        const int n = lab_tiles(&tiles, &x.p, TILES, 3);
        if (n < 10) fail_msg("kernel %d has %d tiles", k, n);
        const lab_shape out = x.p.nodes[x.p.n - 1].shape;
        for (int i = 1; i < n; i++) { /* rows are not cut in less than a vector */
            const int row = tiles[i][8 + out.rank - 1];
            assert_true(row >= 8 || row == out.size[out.rank - 1]);
        }
        x.bytes = (size_t)lab_elements(out) * sizeof(float);
        x.got = malloc(x.bytes);
        x.values = lab_case_reference(&x.p);
        x.run = lab_run_new(&x.p);
        check_kernel(&x, tiles, n, whole);
        free(x.got);
        lab_run_free(x.run);
        lab_case_free(x.values, &x.p);
        ag_free(tiles);
        lab_program_clear(&x.p);
    }
}

int main(void) { return RUN_TESTS(test_every_op, test_every_tile); }
