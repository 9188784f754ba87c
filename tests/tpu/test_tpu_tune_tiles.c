/* SPDX-License-Identifier: MIT */
/* The autotuner's choice of tile sizes, with made-up times and scores. */
#include "support/test.h"
#include "examples/tpu/tune/tiles.h"
#include "examples/lab/fusion/kernels.h"
#include "support/lab_cases.h"

typedef struct fake_tiles {
    int64_t measured;
    int backwards; /* 1: the scores order the tiles the wrong way */
} fake_tiles;

/* The time of a tile depends on its numbers alone. */
static double tile_ns(const int *tile) { return 1000 + (tile[15] * 7 + tile[7] * 3) % 1009; }

static ag_status tile_measure(void *state, double *ns, const lab_program *kernel, int (*tile)[24],
                              const int *which, int count, int *stop, ag_failure *why)
{
    (void)stop, (void)why;
    ((fake_tiles *)state)->measured += count;
    for (int i = 0; i < count; i++) {
        assert_true(lab_tile_valid(kernel, tile[which[i]]));
        ns[i] = tile_ns(tile[which[i]]);
    }
    return AG_OK;
}

static ag_status tile_score(void *state, double *score, const lab_program *kernel, int (*tile)[24],
                            int count, ag_failure *why)
{
    (void)kernel, (void)why;
    for (int i = 0; i < count; i++)
        score[i] = ((fake_tiles *)state)->backwards ? -tile_ns(tile[i]) : log(tile_ns(tile[i]));
    return AG_OK;
}

static ag_status tile_plain(void *state, double *ns, const lab_fusion *kernels, int *stop,
                            ag_failure *why)
{
    (void)stop, (void)why;
    for (int i = 0; i < kernels->n; i++) ns[i] = 5;
    return AG_OK;
}

static void tiles_are_chosen(void **state)
{
    lab_program p = {.name = "net"};
    lab_case_net(&p, 1);
    for (int backwards = 0; backwards < 2; backwards++) {
        fake_tiles f = {.backwards = backwards};
        const tune_tile_meters meters = {&f, tile_measure, tile_score, tile_plain};
        tune_tiles r;
        ag_failure why = {0};
        int stop;
        assert_int_equal(tune_tiles_search(&r, &p, &meters, 40, 1, &stop, &why), AG_OK);
        assert_in_range(r.tiled, 1, r.kernels);
        assert_true(r.measurements[TUNE_TILE_EXHAUSTIVE] <= 40 * r.tiled);
        assert_true(r.measurements[TUNE_TILE_TEN] <= 10 * r.tiled);
        assert_int_equal(r.measurements[TUNE_TILE_FIRST], 0);
        assert_true(f.measured > r.measurements[TUNE_TILE_EXHAUSTIVE]);
        assert_true(r.ns[TUNE_TILE_EXHAUSTIVE] < r.ns[TUNE_TILE_DEFAULT]);
        assert_true(r.ns[TUNE_TILE_EXHAUSTIVE] <= r.ns[TUNE_TILE_TEN]);
        assert_true(r.ns[TUNE_TILE_TEN] <= r.ns[TUNE_TILE_FIRST]);
        if (backwards) assert_true(r.ns[TUNE_TILE_EXHAUSTIVE] < r.ns[TUNE_TILE_FIRST]);
        if (!backwards) assert_true(r.ns[TUNE_TILE_EXHAUSTIVE] == r.ns[TUNE_TILE_FIRST]);
    }
    lab_program_clear(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tiles_are_chosen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
