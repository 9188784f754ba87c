/* SPDX-License-Identifier: MIT */
/* Any bytes as a checkpoint: opened, looked through, loaded into a small model. */
#define _GNU_SOURCE /* fmemopen */
#include "core/io/safetensors_internal.h"
#include "core/shape.h"
#include "optim/optim.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Touches all that an opened checkpoint offers. */
static void look(const ag_checkpoint *c)
{
    ag_checkpoint_pair pair;
    unsigned sum = 0;
    for (int i = 0; i < ag_checkpoint_count(c); i++) {
        const ag_checkpoint_item *item = ag_checkpoint_at(c, i);
        size_t bytes = (size_t)ag_shape_count(item->shape) * ag_dtype_bytes(item->dtype);
        for (size_t k = 0; k < bytes; k++) sum += ((const unsigned char *)item->data)[k];
        if (!ag_checkpoint_find(c, item->name)) __builtin_trap();
    }
    for (int i = 0; ag_checkpoint_metadata_at(c, i, &pair); i++)
        sum += (unsigned)strlen(pair.value);
    if (sum == 1 && ag_checkpoint_count(c) < 0) __builtin_trap(); /* keeps sum alive */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ag_failure why = {0};
    if (size == 0) return 0;
    FILE *file = fmemopen((void *)(uintptr_t)data, size, "rb");
    if (!file) return 0;
    ag_checkpoint *c = ag__checkpoint_read_file(file, size, "input", &why);
    fclose(file);
    if (!c && (why.status == AG_OK || !why.sentence[0])) __builtin_trap();
    if (!c) return 0;
    look(c);
    for (int resume = 0; resume < 2; resume++) {
        ag_params *params = ag_params_new();
        ag_params_add(params, "w", AG_SHAPE(2, 3), ag_init_constant(1), 1);
        ag_params_build(params, 1);
        ag_params_load(params, c, resume, NULL);
        ag_params_free(params);
    }
    ag_checkpoint_close(c);
    return 0;
}
