/* SPDX-License-Identifier: MIT */
/* Kernels cut in tiles, against the plain reference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/internal.h"
#include "examples/lab/kernels.h"
#include "support/lab_case_kernels.h"
#include "support/lab_cases.h"

#include <stdlib.h>
#include <stdio.h>

enum { CASES = 40, CASE_TILES = 6, TILES = 150 };

static const char *tile_text(const int *tile)
{
    static char text[160];
    snprintf(text, sizeof text, "reduction %d %d %d %d %d %d output %d %d %d %d %d %d", tile[0],
             tile[1], tile[2], tile[3], tile[4], tile[5], tile[8], tile[9], tile[10], tile[11],
             tile[12], tile[13]);
    return text;
}

/* Every op alone, under some of its tiles; the error is of the sum of absolute values. */
static void test_every_op(void **state)
{
    (void)state;
    for (int op = LAB_PARAMETER + 1; op < LAB_OPS; op++) {
        ag_random random = {17, (uint64_t)op, 0};
        for (int done = 0; done < CASES;) {
            lab_program p = {0};
            int(*tiles)[24];
            if (!lab_case(&p, (lab_op)op, &random)) continue;
            lab_run *run = lab_case_open(&p);
            if (!lab_fusible(&p)) fail_msg("%s %d is no kernel", lab_op_name((lab_op)op), done);
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
            ag__free(tiles);
            lab_case_free(values, &p);
            lab_run_free(run);
            lab_program_clear(&p);
            done++;
        }
    }
}

static void test_every_tile(void **state)
{
    (void)state;
    for (int k = 0; k < LAB_CASE_KERNELS; k++) {
        lab_program p = {.name = "kernel"};
        int(*tiles)[24];
        lab_case_kernel(&p, k);
        if (p.why.status) fail_msg("%s", p.why.sentence);
        assert_true(lab_fusible(&p));
        const int n = lab_tiles(&tiles, &p, TILES, 3);
        if (n < 20) fail_msg("kernel %d has %d tiles", k, n);
        float **values = lab_case_reference(&p);
        float *got = malloc((size_t)lab_elements(p.nodes[p.n - 1].shape) * sizeof *got);
        lab_run *run = lab_case_open(&p);
        for (int i = 0; i < n; i++) {
            assert_true(lab_tile_valid(&p, tiles[i]));
            for (int j = 0; j < i; j++) assert_memory_not_equal(tiles[i], tiles[j], sizeof *tiles);
            lab_case_tile(run, tiles[i]);
            lab_run_read(got, run, p.n - 1);
            lab_case_compare(got, values[p.n - 1], &p, p.n - 1, tile_text(tiles[i]));
        }
        lab_case_tile(run, NULL); /* the default tile is the first */
        float *standard = malloc((size_t)lab_elements(p.nodes[p.n - 1].shape) * sizeof *got);
        lab_run_read(standard, run, p.n - 1);
        lab_case_tile(run, tiles[0]);
        lab_run_read(got, run, p.n - 1);
        assert_memory_equal(got, standard, (size_t)lab_elements(p.nodes[p.n - 1].shape) * 4);
        free(standard);
        free(got);
        lab_run_free(run);
        lab_case_free(values, &p);
        ag__free(tiles);
        lab_program_clear(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_op),
                                       cmocka_unit_test(test_every_tile)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
