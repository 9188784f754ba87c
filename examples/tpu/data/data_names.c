/* SPDX-License-Identifier: MIT */
/* Reads the program of a kernel and the family of a program from file names, and hashes all that
   was read. */
#include "examples/harness/run/bag.h"
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

/* A list of names, and the index of each. */
typedef struct names {
    char ***list;
    int *count, *room;
    tpu_place_of **place;
} names;

static ag_status add_name(tpu_data *data, const names *n, const char *name, ag_failure *why)
{
    char **grown = tpugraphs_grow(&data->budget, &data->parts->bytes, *n->list, n->room,
                                  *n->count + 1, sizeof *grown, why);
    if (!grown) return why->status;
    *n->list = grown;
    const size_t bytes = strlen(name) + 1;
    char *copy = tpugraphs_take(&data->budget, &data->parts->bytes, bytes, 1, "the names", why);
    if (!copy) return why->status;
    memcpy(copy, name, bytes);
    (*n->list)[*n->count] = copy;
    map_add(*n->place, copy, (*n->count)++);
    return AG_OK;
}

/* The index of a name in a list, to which it is added if necessary. */
static ag_status find_name(int *index, tpu_data *data, const names *n, const char *name,
                           size_t length, ag_failure *why)
{
    char *text = harness_text("%.*s", (int)length, name);
    const int at = map_find(*n->place, text);
    *index = at < 0 ? *n->count : (*n->place)[at].value;
    if (at < 0) add_name(data, n, text, why);
    harness_free(text);
    return why->status;
}

ag_status tpu_name(tpu_data *data, const char *name, tpu_task task, int *program, int *family,
                   ag_failure *why)
{
    const size_t length = task == TPU_TILE ? program_length(name) : strlen(name);
    struct tpu_data_parts *p = data->parts;
    const names families = {&data->family, &data->families, &p->family_room, &p->families};
    const names programs = {&data->program, &data->programs, &p->program_room, &p->programs};
    if (find_name(family, data, &families, name, family_length(name, length), why))
        return why->status;
    return find_name(program, data, &programs, name, length, why);
}

void tpu_names_free(tpu_data *data)
{
    for (int i = 0; i < data->programs; i++) ag_free(data->program[i]);
    for (int i = 0; i < data->families; i++) ag_free(data->family[i]);
    ag_free(data->program);
    ag_free(data->family);
    if (!data->parts) return;
    map_free(data->parts->programs);
    map_free(data->parts->families);
}

static uint64_t hash(uint64_t before, const void *x, size_t count, size_t size)
{
    return x ? XXH3_64bits_withSeed(x, count * size, before) : before;
}

uint64_t tpu_hash(uint64_t before, const tpu_data *data, const tpu_kernel *k)
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
    return hash(before, k->normalizer, c, sizeof *k->normalizer);
}
