/* SPDX-License-Identifier: MIT */
/* Reads a measured file in a form that can be measured again. */
#include "examples/lab/collect/stored.h"

#include "core/error.h"
#include "core/io/io.h"
#include "core/memory.h"
#include "examples/lab/nets/families.h"
#include "examples/lab/text/text.h"

#include <jansson.h>
#include <string.h>
#include <unistd.h>

/* A file while it is read. */
typedef struct reading {
    ag_npz *npz;
    const char *name;
    ag_arena **memory;
    ag_failure *why;
} reading;

void lab_stored_clear(lab_stored *x)
{
    lab_program_clear(&x->program);
    lab_fusion_clear(&x->fusion);
    lab_run_free(x->configs.run);
    ag_arena_free(x->memory);
    *x = (lab_stored){.n = 0};
}

static ag_status unlike(const reading *r, const char *what)
{
    return ag_fail(r->why, AG_EDATA,
                   "%s.npz: its %s are not those of the program in %s.txt; both must come from one "
                   "call of lab",
                   r->name, what, r->name);
}

/* A member with axes of these sizes (-1: any, at least 1), as values of type `as`; NULL after a
   failure. */
static void *member(const reading *r, const char *array, int rank, const int64_t *size, ag_dtype as)
{
    const ag_array_info *info = ag_npz_find(r->npz, array);
    if (ag_npz_check(r->npz, array, r->why)) return NULL;
    int right = info && info->rank == rank && info->count > 0 && info->size[0] <= INT32_MAX;
    for (int i = 0; i < rank && right; i++) right = size[i] < 0 || info->size[i] == size[i];
    if (!right) {
        unlike(r, array);
        return NULL;
    }
    void *out = harness_take(r->memory, (size_t)info->count * ag_dtype_bytes(as));
    return ag_npz_read(r->npz, array, as, out, r->why) ? NULL : out;
}

static ag_status read_times(lab_stored *x, const reading *r, const char *array)
{
    x->ns = member(r, array, 1, (int64_t[]){-1}, AG_I64);
    x->n = x->ns ? (int)ag_npz_find(r->npz, array)->size[0] : 0;
    for (int i = 0; i < x->n; i++)
        if (x->ns[i] < 1) unlike(r, array);
    return r->why->status;
}

/* A member of numbers from low to below high, without their fractions. */
static int *numbers(const reading *r, const char *array, int rank, const int64_t *size, float low,
                    float high)
{
    float *value = member(r, array, rank, size, AG_F32);
    if (!value) return NULL;
    const int64_t count = ag_npz_find(r->npz, array)->count;
    int *out = harness_take(r->memory, (size_t)count * sizeof *out);
    for (int64_t i = 0; i < count; i++)
        if (value[i] >= low && value[i] < high)
            out[i] = (int)value[i];
        else
            unlike(r, array);
    return out;
}

static ag_status read_layouts(lab_stored *x, const reading *r)
{
    const int nodes = lab_configurable_nodes(NULL, &x->program);
    const int64_t row = sizeof *x->rows, size[] = {x->n, nodes, row}, count = row * x->n * nodes;
    int *digit = numbers(r, "node_config_feat", 3, size, -1, LAB_RANK);
    x->configs.nodes = nodes;
    x->configs.rows = x->rows = digit ? harness_take(r->memory, (size_t)count) : NULL;
    for (int64_t i = 0; digit && i < count; i++) x->rows[i / row][i % row] = (signed char)digit[i];
    return r->why->status;
}

/* The kernels are drawn again; their hashes tell whether they are the same. */
static ag_status read_fusion(lab_stored *x, const lab_manifest *m, const reading *r)
{
    const json_t *facts = json_object_get(json_object_get(m->root, "files"), r->name);
    const int64_t partitions = json_integer_value(json_object_get(facts, "partitions"));
    const int64_t seed = json_integer_value(json_object_get(facts, "seed"));
    x->configs.fusion = &x->fusion;
    if (partitions < 1 || partitions > 100000) return unlike(r, "partitions");
    lab_fusion_draw(&x->fusion, &x->program, (int)partitions, (uint64_t)seed);
    uint64_t *hash = member(r, "kernel_hash", 1, (int64_t[]){x->n}, AG_I64);
    if (hash && (x->n > x->fusion.n || memcmp(hash, x->fusion.hash, (size_t)x->n * sizeof *hash)))
        unlike(r, "kernels");
    return r->why->status;
}

/* Reads the program from its text; without one, builds a program of a family again, if there is
   such a family. */
static ag_status load_program(lab_program *p, const lab_manifest *m, const char *name,
                              ag_failure *why)
{
    const char *family = NULL;
    json_int_t number;
    double milliseconds;
    json_t *facts = json_object_get(json_object_get(m->root, "programs"), name);
    const char *text = lab_manifest_path(m, name, ".txt");
    if (access(text, F_OK) && json_unpack(facts, "{ss sI sF}", "family", &family, "number", &number,
                                          "milliseconds", &milliseconds))
        family = NULL; /* it may have been found before what is missing */
    if (!family && lab_text_load(p, text))
        ag_fail(why, p->why.status, "%s", p->why.sentence);
    else if (family && lab_family_find(family))
        lab_family_program(p, family, (int)number, milliseconds, why);
    return why->status;
}

ag_status lab_stored_load(lab_stored *x, const lab_manifest *m, const char *name, ag_failure *why)
{
    const char *kind = lab_manifest_kind(m);
    *x = (lab_stored){
        .configs = {.program = &x->program, .rule = (tpugraphs_rule)lab_manifest_plan(m)}};
    if (load_program(&x->program, m, name, why) || !x->program.n) return why->status;
    const char *file = lab_manifest_path(m, name, ".npz");
    const reading r = {ag_npz_open(file, (size_t)1 << 31, why), name, &x->memory, why};
    const int fusion = !strcmp(kind, "fusion");
    if (r.npz && !read_times(x, &r, fusion ? "kernel_runtime" : "config_runtime")) {
        if (fusion)
            read_fusion(x, m, &r);
        else if (!strcmp(kind, "tile"))
            x->configs.tile = (int(*)[LAB_TILE])(void *)numbers(
                &r, "config_feat", 2, (int64_t[]){x->n, LAB_TILE}, 0, 2147483648.0f);
        else
            read_layouts(x, &r);
    }
    ag_npz_close(r.npz);
    return why->status;
}
