/* SPDX-License-Identifier: MIT */
#include "examples/lab/collect/stored.h"

#include "core/io/io.h"
#include "examples/harness/harness.h"
#include "examples/lab/nets/families.h"
#include "examples/lab/text/text.h"

#include <jansson.h>
#include <string.h>
#include <unistd.h>

static const size_t byte_limit = (size_t)1 << 31;

void lab_stored_clear(lab_stored *x)
{
    lab_program_clear(&x->program);
    lab_fusion_clear(&x->fusion);
    harness_free(x->ns);
    harness_free(x->rows);
    harness_free(x->configs.tile);
    lab_run_free(x->configs.run);
    *x = (lab_stored){.n = 0};
}

static ag_status unlike(const char *name, const char *what, ag_failure *why)
{
    return ag_fail(why, AG_EDATA,
                   "%s.npz: its %s are not those of the program in %s.txt; both must come from one "
                   "call of lab",
                   name, what, name);
}

/* A member of this rank, whose last axis is `last` (0: any), as values of type `as`. */
static void *member(int64_t *n, ag_npz *npz, const char *name, const char *array, int rank,
                    int64_t last, ag_dtype as, ag_failure *why)
{
    const ag_array_info *info = ag_npz_find(npz, array);
    if (ag_npz_check(npz, array, why)) return NULL;
    if (!info || info->rank != rank || (last && info->size[rank - 1] != last) || info->count < 1) {
        unlike(name, array, why);
        return NULL;
    }
    void *out = harness_alloc((size_t)info->count * ag_dtype_bytes(as));
    *n = info->size[0];
    if (!ag_npz_read(npz, array, as, out, why)) return out;
    harness_free(out);
    return NULL;
}

static ag_status read_times(lab_stored *x, ag_npz *npz, const char *name, const char *array,
                            ag_failure *why)
{
    int64_t n = 0;
    x->ns = member(&n, npz, name, array, 1, 0, AG_I64, why);
    for (int64_t i = 0; i < n && !why->status; i++)
        if (x->ns[i] < 1) unlike(name, array, why);
    if (!why->status && n > INT32_MAX) unlike(name, array, why);
    x->n = (int)n;
    return why->status;
}

/* A member of numbers from low to below high, without their fractions; also after a failure of one
   of them. */
static int *numbers(int64_t *n, ag_npz *npz, const char *name, const char *array, int rank,
                    int64_t last, float low, float high, ag_failure *why)
{
    float *value = member(n, npz, name, array, rank, last, AG_F32, why);
    if (!value) return NULL;
    const int64_t count = ag_npz_find(npz, array)->count;
    int *out = harness_alloc((size_t)count * sizeof *out);
    for (int64_t i = 0; i < count && !why->status; i++)
        if (value[i] >= low && value[i] < high)
            out[i] = (int)value[i];
        else
            unlike(name, array, why);
    harness_free(value);
    return out;
}

static ag_status read_layouts(lab_stored *x, ag_npz *npz, const char *name, ag_failure *why)
{
    enum { ROW = sizeof *x->rows };
    int64_t n = 0;
    const ag_array_info *info = ag_npz_find(npz, "node_config_feat");
    int *digit = numbers(&n, npz, name, "node_config_feat", 3, ROW, -1, LAB_RANK, why);
    x->configs.nodes = lab_configurable_nodes(NULL, &x->program);
    if (!why->status && (n != x->n || info->size[1] != x->configs.nodes))
        unlike(name, "node_config_feat", why);
    if (!why->status) {
        x->configs.rows = x->rows = harness_alloc((size_t)info->count);
        for (int64_t i = 0; i < info->count; i++) x->rows[i / ROW][i % ROW] = (signed char)digit[i];
    }
    harness_free(digit);
    return why->status;
}

static ag_status read_tiles(lab_stored *x, ag_npz *npz, const char *name, ag_failure *why)
{
    int64_t n = 0;
    void *tile = numbers(&n, npz, name, "config_feat", 2, LAB_TILE, 0, 2147483648.0f, why);
    x->configs.tile = tile;
    return !why->status && n != x->n ? unlike(name, "config_feat", why) : why->status;
}

/* The kernels are drawn again; their hashes tell whether they are the same. */
static ag_status read_fusion(lab_stored *x, const lab_manifest *m, ag_npz *npz, const char *name,
                             ag_failure *why)
{
    int64_t n = 0;
    json_t *facts = json_object_get(json_object_get(m->root, "files"), name);
    const int64_t partitions = json_integer_value(json_object_get(facts, "partitions"));
    const int64_t seed = json_integer_value(json_object_get(facts, "seed"));
    x->configs.fusion = &x->fusion;
    if (partitions < 1 || partitions > 100000) return unlike(name, "partitions", why);
    if (lab_fusion_draw(&x->fusion, &x->program, (int)partitions, (uint64_t)seed, why))
        return why->status;
    uint64_t *hash = member(&n, npz, name, "kernel_hash", 1, 0, AG_I64, why);
    if (hash && (n != x->n || n > x->fusion.n || memcmp(hash, x->fusion.hash, (size_t)n * 8) != 0))
        unlike(name, "kernels", why);
    harness_free(hash);
    return why->status;
}

/* The family of a program that has a number in it and no text; else NULL. */
static const char *family_of(const json_t *facts, const char *text)
{
    const char *family = json_string_value(json_object_get(facts, "family"));
    const int numbered = json_is_integer(json_object_get(facts, "number"));
    return numbered && access(text, F_OK) ? family : NULL;
}

static const json_t *program_facts(const lab_manifest *m, const char *name)
{
    return json_object_get(json_object_get(m->root, "programs"), name);
}

int lab_stored_lost(const lab_manifest *m, const char *name)
{
    char *text = lab_manifest_path(m, name, ".txt");
    const char *family = family_of(program_facts(m, name), text);
    harness_free(text);
    return family && !lab_family_find(family);
}

/* Reads the program from its text; without one, builds a program of a family again. */
static ag_status load_program(lab_stored *x, const lab_manifest *m, const char *name,
                              ag_failure *why)
{
    char *text = lab_manifest_path(m, name, ".txt");
    const json_t *facts = program_facts(m, name);
    const char *family = family_of(facts, text);
    if (family)
        lab_family_program(&x->program, family,
                           (int)json_integer_value(json_object_get(facts, "number")),
                           json_number_value(json_object_get(facts, "milliseconds")), why);
    else if (lab_text_load(&x->program, text))
        ag_fail(why, x->program.why.status, "%s", x->program.why.sentence);
    harness_free(text);
    return why->status;
}

ag_status lab_stored_load(lab_stored *x, const lab_manifest *m, const char *name, ag_failure *why)
{
    char *file = lab_manifest_path(m, name, ".npz");
    const char *kind = lab_manifest_kind(m);
    *x = (lab_stored){
        .configs = {.program = &x->program, .rule = (tpugraphs_rule)lab_manifest_plan(m)}};
    load_program(x, m, name, why);
    ag_npz *npz = why->status ? NULL : ag_npz_open(file, byte_limit, why);
    if (npz && !strcmp(kind, "fusion")) {
        if (!read_times(x, npz, name, "kernel_runtime", why)) read_fusion(x, m, npz, name, why);
    } else if (npz && !read_times(x, npz, name, "config_runtime", why)) {
        if (!strcmp(kind, "tile"))
            read_tiles(x, npz, name, why);
        else
            read_layouts(x, npz, name, why);
    }
    ag_npz_close(npz);
    harness_free(file);
    return why->status;
}
