/* SPDX-License-Identifier: MIT */
/* The files that `lab` writes, and their arrays. */
#ifndef TEST_LAB_ARRAYS_H
#define TEST_LAB_ARRAYS_H

#include "support/test.h"

#include <dirent.h>

#include "core/io/io.h"
#include "examples/lab/program/program.h"

/* Any times will do: nothing waits for the machine to calm. The others are for small programs; the
   last two keep files however noisy. */
#define ANYHOW " --repeats 2 --probe-threshold 1000"
#define BRIEF  " --milliseconds 0.2" ANYHOW
#define ROUGH  BRIEF " --noise 1e9"
#define SMALL  ROUGH " --quiet"

typedef struct wanted {
    const char *name;
    ag_dtype dtype;
    int rank;
    int64_t size[3]; /* 0: any */
} wanted;

static inline ag_npz *open_npz(const char *path)
{
    return expect_made(ag_npz_open(path, 1 << 28, new_failure()));
}

/* The arrays of a graph of so many nodes (0: any), then n others, and no more. */
static inline void check_arrays(const ag_npz *npz, int64_t nodes, const wanted *own, int n)
{
    enum { GRAPH = 6 };
    const wanted graph[GRAPH] = {
        {"node_feat", AG_F32, 2, {nodes, 140}}, {"node_opcode", AG_U8, 1, {nodes}},
        {"node_reducer", AG_U8, 1, {nodes}},    {"edge_index", AG_I64, 2, {0, 2}},
        {"operand_index", AG_I64, 2, {0, 2}},   {"dot_axes", AG_I64, 2, {0, 4}}};
    assert_int_equal(ag_npz_count(npz), GRAPH + n);
    for (int i = 0; i < GRAPH + n; i++) {
        const wanted *w = i < GRAPH ? &graph[i] : &own[i - GRAPH];
        const ag_array_info *is = ag_npz_info(npz, i);
        assert_string_equal(is->name, w->name);
        assert_int_equal(is->dtype, w->dtype);
        assert_int_equal(is->rank, w->rank);
        assert_false(is->fortran);
        for (int k = 0; k < w->rank; k++)
            if (w->size[k]) assert_int_equal(is->size[k], w->size[k]);
    }
}

static void *arrays_read[32];
static int n_arrays_read;

/* An array, which close_npz frees, and its number of elements (NULL: not wanted). */
static inline void *read_all(ag_npz *npz, const char *name, ag_dtype as, int64_t *n)
{
    const ag_array_info *is = ag_npz_find(npz, name);
    void *out = malloc((size_t)is->count * ag_dtype_bytes(as) + 1);
    assert_in_range(n_arrays_read, 0, 31);
    arrays_read[n_arrays_read++] = out;
    expect_ok(ag_npz_read(npz, name, as, out, new_failure()));
    if (n) *n = is->count;
    return out;
}

static inline void close_npz(ag_npz *npz)
{
    while (n_arrays_read) free(arrays_read[--n_arrays_read]);
    ag_npz_close(npz);
}

/* Every operand in its order, and the axes of every dot; returns their number. */
static inline int64_t check_operands(ag_npz *npz, const lab_program *p)
{
    int64_t pairs, named;
    int64_t *pair = read_all(npz, "operand_index", AG_I64, &pairs), *next = pair;
    int64_t *axes = read_all(npz, "dot_axes", AG_I64, &named), *dot = axes;
    for (int i = 0; i < p->n; i++) {
        const lab_node *v = &p->nodes[i];
        for (int k = 0; k < v->n_operands; k++, next += 2) {
            assert_int_equal(next[0], i);
            assert_int_equal(next[1], v->operand[k]);
        }
        if (v->op != LAB_DOT) continue;
        assert_memory_equal(dot, ((int64_t[]){i, v->dot.batch, v->dot.left, v->dot.right}),
                            4 * sizeof *dot);
        dot += 4;
    }
    assert_true(next == pair + pairs && dot == axes + named);
    return named / 4;
}

/* The names of the files in a folder that end so; returns their number. */
static inline int list_files(char names[64][128], const char *folder, const char *tail)
{
    int n = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir)) && n < 64;) {
        if (ends_with(e->d_name, tail))
            snprintf(names[n++], 128, "%.*s", (int)(strlen(e->d_name) - strlen(tail)), e->d_name);
    }
    if (dir) closedir(dir);
    return n;
}

#endif
