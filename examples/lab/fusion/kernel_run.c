/* SPDX-License-Identifier: MIT */
/* Runs a kernel in tiles. */
#include "core/core.h"
#include "examples/lab/fusion/kernels.h"
#include "examples/lab/run/run_internal.h"
#include "examples/lab/tile/tile_plan.h"

static ag_status compile(lab_run *run, const int *tile, tile_items *t, ag_failure *why)
{
    const lab_program *kernel = run->p;
    tile_bounds bounds;
    tile_cost cost;
    lab__run_reset(run);
    if (tile) {
        if (tile_read(&bounds, t, kernel, tile, why)) return why->status;
    } else if (!tile_default(&bounds, t, &cost, kernel))
        return ag_fail(why, AG_EUSE,
                       "kernel %.63s cannot be cut in tiles; lab_fusible tells which can",
                       kernel->name);
    return tile_compile(run, t, &bounds, why);
}

ag_status lab_run_tile(lab_run *run, const int *tile, ag_failure *why)
{
    ag_failure own = {0};
    tile_items *t = ag_alloc(sizeof *t);
    if (!t)
        ag_fail(&own, AG_EMEMORY, "kernel %.63s: there is no memory to plan its tiles",
                run->p->name);
    else
        compile(run, tile, t, &own);
    ag_free(t);
    if (own.status) lab__run_reset(run); /* nothing that is only partly compiled is run */
    return own.status ? ag_fail(why, own.status, "%s", own.sentence) : AG_OK;
}

int lab_fusible(const lab_program *kernel)
{
    tile_bounds bounds;
    tile_cost cost;
    tile_items *t = ag_alloc(sizeof *t);
    const int fusible = t && tile_default(&bounds, t, &cost, kernel);
    ag_free(t);
    return fusible;
}

int lab_tile_valid(const lab_program *kernel, const int *tile)
{
    ag_failure why = {0};
    tile_bounds bounds;
    tile_items *t = ag_alloc(sizeof *t);
    const int valid = t && !tile_read(&bounds, t, kernel, tile, &why);
    ag_free(t);
    return valid;
}
