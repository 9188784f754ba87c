/* SPDX-License-Identifier: MIT */
/* Tells the kinds of files apart by their arrays. */
#include "examples/harness/model/model.h"
#include "examples/tpugraphs/tpugraphs.h"

#include <stdint.h>

const char *tpugraphs_kind(const harness_settings *settings)
{
    static const char *const kinds[][2] = {{"node_config_feat", "layout files"},
                                           {"config_feat", "tile files"},
                                           {"kernel_runtime", "fusion files"}};
    const char *kind = NULL;
    harness_files paths = {0};
    ag_failure none = {0};
    ag_npz *npz = NULL;
    if (!harness_files_add(&paths, settings->common.data.list[0], &none))
        npz = ag_npz_open(paths.path[0], SIZE_MAX / 2, &none);
    for (int k = 0; npz && !kind && k < 3; k++)
        if (ag_npz_find(npz, kinds[k][0])) kind = kinds[k][1];
    ag_npz_close(npz);
    harness_files_free(&paths);
    return kind;
}
