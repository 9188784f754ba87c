/* SPDX-License-Identifier: MIT */
/* The edges of files of the TpuGraphs data set, if they are next to the project
   (../shared/data/tpugraphs); else skipped. tgraph refuses other configurations than integers. */
#include "core/io/io.h"
#include "support/test.h"

#include <unistd.h>

static const struct {
    const char *path;
    int nodes, edges, fortran;
} files[] = {
#define LAYOUT AG_SOURCE_DIR "/../shared/data/tpugraphs/layout/xla/default/train/"
    {LAYOUT "unet3d.npz", 2774, 4730, 1},
    {LAYOUT "alexnet_train_batch_32.npz", 372, 597, 0},
};

/* They run from a node to an earlier one, in ascending order: true only when the order of the axes
   is right. */
static void check_edges(int i)
{
    ag_failure why = {0};
    ag_npz *npz = ag_npz_open(files[i].path, 1 << 30, &why);
    if (!npz) fail_msg("%s", why.sentence);
    const ag_array_info *info = ag_npz_find(npz, "edge_index");
    assert_non_null(info);
    assert_int_equal(info->dtype, AG_I64);
    assert_int_equal(info->size[0], files[i].edges);
    assert_int_equal(info->size[1], 2);
    assert_int_equal(info->fortran, files[i].fortran);
    int32_t *edge = malloc((size_t)info->count * sizeof *edge);
    if (ag_npz_read(npz, "edge_index", AG_I32, edge, &why)) fail_msg("%s", why.sentence);
    for (int64_t e = 0; e < info->count; e += 2) {
        assert_true(edge[e] < files[i].nodes && edge[e] > edge[e + 1] && edge[e + 1] >= 0);
        if (e) assert_true(edge[e] >= edge[e - 2]);
    }
    free(edge);
    ag_npz_close(npz);
}

static void edges_are_in_order(void **state)
{
    int found = 0;
    for (int i = 0; i < 2; i++) {
        if (access(files[i].path, R_OK) != 0) {
            print_message("skipped: %s is not here\n", files[i].path);
            continue;
        }
        check_edges(i);
        found++;
    }
    if (!found) skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(edges_are_in_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
