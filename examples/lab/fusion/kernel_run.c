/* SPDX-License-Identifier: MIT */
/* Runs a kernel in tiles. */
#include "examples/harness/harness.h"
#include "examples/lab/fusion/kernels.h"
#include "examples/lab/run/run_internal.h"
#include "examples/lab/tile/tile_plan.h"

ag_status lab_run_tile(lab_run *run, const int *tile, ag_failure *why)
{
    tpugraphs_bounds bounds;
    tile_items *t = harness_alloc(sizeof *t);
    lab__run_reset(run);
    const ag_status status = tile_read(&bounds, t, run->p, tile, why);
    if (!status) tile_compile(run, t, &bounds);
    harness_free(t);
    return status;
}

int lab_fusible(const lab_program *kernel) { return lab_tile_valid(kernel, NULL); }

int lab_tile_valid(const lab_program *kernel, const int *tile)
{
    ag_failure why = {0};
    tpugraphs_bounds bounds;
    tile_items *t = harness_alloc(sizeof *t);
    const int valid = !tile_read(&bounds, t, kernel, tile, &why);
    harness_free(t);
    return valid;
}
