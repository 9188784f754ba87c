/* SPDX-License-Identifier: MIT */
/* Reads the program of a kernel and the family of a program from file names, and hashes all that
   was read. */
#include "examples/harness/base/bag.h"
#include "examples/tpu/data/data_internal.h"

#include <string.h>
#include <xxhash.h>

/* Length of a tile file's name without its last _HASH. */
static size_t program_length(const char *name)
{
    const char *bar = strrchr(name, '_');
    if (!bar || bar == name) return strlen(name);
    const char *digits = bar + 1 + (bar[1] == '-');
    const size_t count = strspn(digits, "0123456789abcdefABCDEF");
    return !digits[count] && count >= 8 && count <= 16 ? (size_t)(bar - name) : strlen(name);
}

/* Length of a program's name before its first _NUMBER. */
static size_t family_length(const char *name, size_t length)
{
    for (size_t i = 1; i + 1 < length; i++) {
        if (name[i] != '_') continue;
        const size_t digits = strspn(name + i + 1, "0123456789"), end = i + 1 + digits;
        if (digits && (end >= length || name[end] == '_')) return i;
    }
    return length;
}

void tpu_name(tpu_data *data, const char *name, tpu_task task, int *program, int *family)
{
    const size_t length = task == TPU_TILE ? program_length(name) : strlen(name);
    *family =
        harness_name_place(&data->family, &data->family_at, name, family_length(name, length));
    *program = harness_name_place(&data->program, &data->program_at, name, length);
    data->families = bag_count(data->family);
    data->programs = bag_count(data->program);
}

static uint64_t hash(uint64_t before, const void *x, size_t count, size_t size)
{
    return x ? XXH3_64bits_withSeed(x, count * size, before) : before;
}

uint64_t tpu_hash(uint64_t before, const tpu_data *data, const tpu_kernel *k,
                  const int64_t *normalizer)
{
    const size_t n = (size_t)k->nodes, m = (size_t)k->edges, c = (size_t)k->configs;
    const char *program = data->program[k->program];
    const int32_t sizes[] = {k->number, k->nodes, k->edges, k->configs, k->runtime != NULL};
    before = hash(before, program, strlen(program), 1);
    before = hash(before, sizes, sizeof sizes, 1);
    before = hash(before, k->feature, n * TPUGRAPHS_FEATURES, sizeof *k->feature);
    before = hash(before, k->opcode, n, sizeof *k->opcode);
    if (k->reducer) before = hash(before, k->reducer, n, sizeof *k->reducer);
    before = hash(before, k->edge, 2 * m, sizeof *k->edge);
    before = hash(before, k->dot, (size_t)k->dots, sizeof *k->dot);
    before = hash(before, k->tile, c * TPUGRAPHS_TILE_FEATURES, sizeof *k->tile);
    before = hash(before, k->runtime, c, sizeof *k->runtime);
    return hash(before, normalizer, c, sizeof *normalizer);
}
