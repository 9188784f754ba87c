/* SPDX-License-Identifier: MIT */
/* Tile and fusion files: a row is a loop nest of a fused kernel that is cut in tiles, and the row's
   work is a first guess of the nest's ns (tpu/rows/columns.c). In a tile file an item is a tile
   size of its kernel; in a fusion file it is a kernel of its program, with its default tile. */
#include "examples/harness/harness.h"
#include "examples/nests/maker.h"
#include "examples/tpu/rows/rows.h"

/* A file is a group: the tile sizes of its kernel, or its kernels, from number 0 on. */
static void add_groups(nests_data *data, const tpu_data *from)
{
    for (int i = 0; i < from->kernels; i++) {
        const tpu_kernel *k = &from->kernel[i];
        if (!k->number)
            data->group[data->groups++] = (nests_group){.name = k->name,
                                                        .family = k->family,
                                                        .program = k->program,
                                                        .runtime = k->runtime,
                                                        .source = k};
        data->group[data->groups - 1].items += k->configs;
        data->items += k->configs;
    }
    if (from->task == TPU_FUSION) return;
    data->programs = from->programs;
    data->program = from->program;
}

static ag_status read_kernels(nests_data *data, const harness_files *paths, ag_failure *why)
{
    tpu_data *own = data->own = harness_alloc(sizeof *own);
    own->budget = data->budget;
    tpu_data_add(own, paths, why);
    data->budget = own->budget;
    data->group = HARNESS_NEW(data->group, own->kernels);
    data->families = own->families;
    data->family = own->family;
    data->hash = own->hash;
    data->columns = NESTS_TILE_COLUMNS;
    data->words = NESTS_TILE_KINDS;
    add_groups(data, own);
    return why->status;
}

static void drop_kernels(nests_data *data)
{
    tpu_data *own = data->own;
    harness_free(data->group);
    if (!own) return;
    tpu_data_free(own);
    data->budget = own->budget;
    harness_free(own);
}

static ag_status rows_of_kernels(nests_rows *rows, const nests_data *data, int group,
                                 const int *item, int n, ag_failure *why)
{
    const tpu_kernel *kernel = data->group[group].source;
    (void)why;
    rows->items = 0;
    if (kernel->tile)
        nests_tile_rows_add(rows, kernel, item, n);
    else
        for (int i = 0; i < n; i++) nests_tile_rows_add(rows, kernel + item[i], NULL, 1);
    return AG_OK;
}

const nests_maker nests_from_tile = {.name = "tile",
                                     .items = "tile sizes",
                                     .array = "config_feat",
                                     .read = read_kernels,
                                     .drop = drop_kernels,
                                     .rows = rows_of_kernels};

const nests_maker nests_from_fusion = {.name = "fusion",
                                       .items = "kernels",
                                       .absolute = true,
                                       .array = "kernel_runtime",
                                       .read = read_kernels,
                                       .drop = drop_kernels,
                                       .rows = rows_of_kernels};
