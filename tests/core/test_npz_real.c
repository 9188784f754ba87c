/* SPDX-License-Identifier: MIT */
/* Files of the TpuGraphs data set, if they are next to the project (../shared/data/tpugraphs); else
   skipped. */
#define _GNU_SOURCE
#include "core/io/io.h"
#include "support/test.h"

#include <unistd.h>

enum { LIMIT = 1 << 30 };

#ifndef AG_SOURCE_DIR
# define AG_SOURCE_DIR "."
#endif

/* NULL with a message when the file is not there. */
static const char *find_file(const char *name)
{
    static char path[1000];
    snprintf(path, sizeof path, "%s/../shared/data/tpugraphs/%s", AG_SOURCE_DIR, name);
    if (access(path, R_OK) == 0) return path;
    printf("skipped: %s is not here\n", path);
    return NULL;
}

static void *read_all(ag_npz *npz, const char *name, ag_dtype as)
{
    ag_failure why = {0};
    void *out = malloc((size_t)ag_npz_find(npz, name)->count * ag_dtype_bytes(as) + 1);
    if (ag_npz_read(npz, name, as, out, &why) != AG_OK) fail_msg("%s", why.sentence);
    return out;
}

/* Edges run from a node to an earlier one, in ascending order: true only when the order of the axes
 * is right. */
static void check_edges(ag_npz *npz, int nodes, int edges)
{
    const ag_array_info *info = ag_npz_find(npz, "edge_index");
    assert_non_null(info);
    assert_int_equal(info->dtype, AG_I64);
    assert_int_equal(info->size[0], edges);
    assert_int_equal(info->size[1], 2);
    int32_t *edge = read_all(npz, "edge_index", AG_I32);
    for (int i = 0; i < edges; i++) {
        assert_true(edge[2 * i] < nodes && edge[2 * i] > edge[2 * i + 1] && edge[2 * i + 1] >= 0);
        if (i) assert_true(edge[2 * i] >= edge[2 * i - 2]);
    }
    free(edge);
}

static ag_npz *open_layout(const char *name, int nodes)
{
    ag_failure why = {0};
    const char *path = find_file(name);
    if (!path) return NULL;
    ag_npz *npz = ag_npz_open(path, LIMIT, &why);
    if (!npz) fail_msg("%s", why.sentence);
    assert_int_equal(ag_npz_count(npz), 7);
    assert_int_equal(ag_npz_find(npz, "node_feat")->size[0], nodes);
    assert_int_equal(ag_npz_find(npz, "node_feat")->size[1], 140);
    assert_int_equal(ag_npz_find(npz, "node_opcode")->dtype, AG_U8);
    assert_null(ag_npz_find(npz, "node_opcodes"));
    return npz;
}

/* The configurations by rows are those of the whole array: integers from -1 to 5. */
static void check_configurations(ag_npz *npz)
{
    const ag_array_info *info = ag_npz_find(npz, "node_config_feat");
    int64_t row = info->size[1] * info->size[2];
    float *all = read_all(npz, "node_config_feat", AG_F32);
    float *some = malloc((size_t)(64 * row) * sizeof *some);
    ag_failure why = {0};
    ag_rows *rows = ag_rows_open(npz, "node_config_feat", &why);
    assert_non_null(rows);
    for (int64_t at = 0, n; at < info->size[0]; at += n) {
        n = info->size[0] - at < 64 ? info->size[0] - at : 64;
        if (ag_rows_next(rows, n, AG_F32, some, &why) != AG_OK) fail_msg("%s", why.sentence);
        assert_memory_equal(some, all + at * row, (size_t)(n * row) * sizeof *some);
    }
    for (int64_t i = 0; i < info->count; i++)
        if (all[i] != (float)(int)all[i] || all[i] < -1 || all[i] > 5)
            fail_msg("value %g", (double)all[i]);
    ag_rows_close(rows);
    free(all);
    free(some);
}

static void a_file_with_edges_in_fortran_order(void **state)
{
    ag_npz *npz = open_layout("layout/xla/default/train/unet3d.npz", 2774);
    if (!npz) skip();
    assert_true(ag_npz_find(npz, "edge_index")->fortran);
    check_edges(npz, 2774, (int)ag_npz_find(npz, "edge_index")->size[0]);
    check_configurations(npz);
    ag_npz_close(npz);
}

static void a_file_with_many_configurations(void **state)
{
    ag_npz *npz = open_layout("layout/xla/default/train/alexnet_train_batch_32.npz", 372);
    if (!npz) skip();
    check_edges(npz, 372, 597);
    check_configurations(npz);
    ag_npz_close(npz);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_with_edges_in_fortran_order),
        cmocka_unit_test(a_file_with_many_configurations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
