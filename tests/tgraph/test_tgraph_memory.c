/* SPDX-License-Identifier: MIT */
/* Large files: memory is near the packed size; and real files' counts. */
#include "support/test.h"
#include "support/sanitized.h"
#include "support/tgraph_open.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MANY = SANITIZED ? 5000 : 100000, WIDE = 26 };

static int write_large(void)
{
    static int64_t edge[WIDE][2], ids[WIDE], splits[2] = {0, WIDE + 1};
    static float node_feat[WIDE + 1][140];
    static uint8_t opcode[WIDE + 1];
    float *config = malloc((size_t)MANY * WIDE * 18 * sizeof *config), *at = config;
    int64_t *runtime = malloc(MANY * sizeof *runtime);
    for (int v = 0; v < WIDE; v++) {
        edge[v][0] = ids[v] = v + 1;
        edge[v][1] = v;
    }
    for (int64_t c = 0; c < MANY; c++) {
        runtime[c] = 1000 + c;
        for (int i = 0; i < WIDE * 18; i++) *at++ = (float)((i < 6 ? (c >> 3 * i & 3) : i % 7) - 1);
    }
    const test_array array[] = {
        {"node_feat", AG_F32, 2, {WIDE + 1, 140}, node_feat},
        {"node_opcode", AG_U8, 1, {WIDE + 1}, opcode},
        {"edge_index", AG_I64, 2, {WIDE, 2}, edge},
        {"node_config_feat", AG_F32, 3, {MANY, WIDE, 18}, config},
        {"node_config_ids", AG_I64, 1, {WIDE}, ids},
        {"config_runtime", AG_I64, 1, {MANY}, runtime},
        {"node_splits", AG_I64, 2, {1, 2}, splits},
    };
    int good = test_arrays_write(test_path, array, 7);
    free(config);
    free(runtime);
    return good;
}

static long peak_kb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* In a child, since its peak starts low: 0 when the file stays within its packed size. Beyond the
   limit it is in a file, of which the system keeps what it has room for. */
static int read_large(size_t limit, long packed_kb)
{
    long before = peak_kb();
    tpugraphs_budget budget = {limit, 0};
    tgraph_data_options options = tgraph_layout_defaults();
    ag_failure why = {0};
    tgraph_file *f = tgraph_file_open(test_path, &options, &budget, &why);
    if (!f) return 1;
    long grown = peak_kb() - before, constant = 8 << 10;
    if (f->configs != MANY || (f->store.mapped != 0) != (limit != 0)) return 2;
    if (!SANITIZED && !limit && grown > packed_kb + constant) return 3;
    tgraph_batch b = {0};
    if (tgraph_batch_fill(&b, f, (int32_t[]){0, MANY - 1}, 2, &why) || b.runtime[1] != 999 + MANY)
        return 4;
    for (int i = 0; i < 6; i++)
        if (b.digit[18 + i] != ((MANY - 1) >> 3 * i & 3) + 1) return 5;
    tgraph_batch_free(&b);
    tgraph_file_close(f);
    return budget.used ? 6 : 0;
}

static int in_child(int write, size_t limit)
{
    int status = -1;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) _exit(write ? !write_large() : read_large(limit, (long)MANY * WIDE * 12 >> 10));
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void memory_stays_near_the_packed_size(void **state)
{
    assert_int_equal(in_child(1, 0), 0);
    assert_int_equal(in_child(0, 0), 0);
    assert_int_equal(in_child(0, (size_t)MANY * 12 + 65536),
                     0); /* the run times fit, the packed rows do not */
}

static void real_files_have_the_published_counts(void **state)
{
#ifdef AG_SOURCE_DIR
    static const struct {
        const char *file;
        int nodes, edges, kept_nodes, kept_edges, configs, unique;
    } known[] = {
        {"xla/default/train/unet3d.npz", 2774, 4730, 168, 168, 1159, 681},
        {"xla/default/train/alexnet_train_batch_32.npz", 372, 597, 73, 73, 47712, 29905},
        {"xla/default/valid/unet_3d.4x4.bf16.npz", 3163, 5112, 223, 181, 1965, 1469},
        {"nlp/default/test/3a0c5517a87df8d82fd637b83298a3ba.npz", 21918, 36278, 2850, 2745, 1001,
         988},
    };
    int found = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const char *file =
            formatted(AG_SOURCE_DIR "/../shared/data/tpugraphs/layout/%s", known[i].file);
        if (access(file, R_OK)) continue;
        found++;
        tgraph_file *f = test_file_open(file, test_unique(), NULL);
        assert_int_equal(f->file_nodes, known[i].nodes);
        assert_int_equal(f->file_edges, known[i].edges);
        assert_int_equal(f->graph.nodes, known[i].kept_nodes);
        assert_int_equal(f->graph.edges, known[i].kept_edges);
        assert_int_equal(f->file_configs, known[i].configs);
        assert_int_equal(f->configs, known[i].unique);
        tgraph_file_close(f);
    }
    if (found) return;
#endif
    print_message("no TpuGraphs files next to the sources: their counts are not compared\n");
    skip();
}

int main(void)
{
    return RUN_TESTS_WITH(test_folder_make, test_folder_remove, memory_stays_near_the_packed_size,
                          real_files_have_the_published_counts);
}
