/* SPDX-License-Identifier: MIT */
/* TpuGraphs files: the contents of a good one. */
#include "support/test.h"
#include "examples/harness/harness.h"
#include "examples/tgraph/set.h"
#include "support/program_call.h"
#include "support/tgraph_open.h"

#include <sys/stat.h>
#include <unistd.h>

static void a_file_is_pruned_and_padded(void **state)
{
    tgraph_file *f = test_small_open(tgraph_layout_defaults(), NULL);
    test_layout l;
    test_layout_make(&l);
    const tgraph_graph *g = &f->graph;
    const int32_t kept[] = {1, 2, 3, 5}, edge[] = {1, 0, 2, 1}, config[] = {1, 3};
    assert_string_equal(f->name, "x.npz");
    assert_int_equal(f->file_nodes, 7);
    assert_int_equal(f->file_edges, 5);
    assert_int_equal(g->nodes, 4);
    assert_int_equal(g->edges, 2);
    assert_memory_equal(g->edge, edge, sizeof edge);
    assert_memory_equal(g->config_node, config, sizeof config);
    for (int i = 0; i < 4; i++) {
        assert_memory_equal(g->raw + i * 134, l.node_feat[kept[i]], 134 * sizeof(float));
        assert_int_equal(g->opcode[i], 10 + kept[i]);
        for (int k = 0, rank = kept[i] % 4; k < 6; k++)
            assert_int_equal(g->layout[i * 6 + k], k < rank ? rank - 1 - k + 2 : 1);
    }
    tgraph_file_close(f);
}

static void options_turn_pruning_and_padding_off(void **state)
{
    tgraph_file *f = test_small_open((tgraph_data_options){0}, NULL);
    assert_int_equal(f->graph.nodes, 7);
    assert_int_equal(f->graph.edges, 5);
    assert_int_equal(f->graph.config_node[1], 5);
    assert_int_equal(f->graph.layout[6 + 1], 2); /* node 1 has rank 1: the rest stays 0 */
    tgraph_file_close(f);
}

static void check_kept(tgraph_dedup dedup, int configs, const int64_t *runtime, const int32_t *row)
{
    tgraph_data_options options = tgraph_layout_defaults();
    options.dedup = dedup;
    tgraph_file *f = test_small_open(options, NULL);
    assert_int_equal(f->file_configs, 6);
    assert_int_equal(f->configs, configs);
    assert_int_equal(f->store.rows, configs);
    assert_memory_equal(f->runtime, runtime, (size_t)configs * sizeof *runtime);
    assert_memory_equal(f->file_row, row, (size_t)configs * sizeof *row);
    assert_int_equal(f->fastest, 300);
    assert_int_equal(f->slowest, 700);
    tgraph_file_close(f);
}

static void equal_configurations_become_one(void **state)
{
    check_kept(TGRAPH_KEEP_ALL, 6, (int64_t[]){500, 300, 400, 700, 303, 450},
               (int32_t[]){0, 1, 2, 3, 4, 5});
    check_kept(TGRAPH_KEEP_FIRST, 3, (int64_t[]){500, 300, 700}, (int32_t[]){0, 1, 3});
    check_kept(TGRAPH_KEEP_FASTEST, 3, (int64_t[]){400, 300, 700}, (int32_t[]){2, 1, 3});
}

static void nodes_are_standardised_over_all_files(void **state)
{
    tgraph_entry e[2] = {{.train = 1}, {.train = 1}};
    tgraph_set set = {.entry = e, .count = 2};
    tgraph_scaler s;
    for (int i = 0; i < 2; i++) e[i].file = test_small_open(tgraph_layout_defaults(), NULL);
    tgraph_set_fit(&set, &s);
    assert_int_equal(s.count, 8);
    tgraph_set_scale(&set, &s);
    for (int k = 0; k < 134; k++) {
        double sum = 0, squares = 0;
        for (int v = 0; v < 4; v++) {
            double y = (double)e[0].file->graph.feature[v * 134 + k];
            sum += y;
            squares += y * y;
        }
        assert_true(sum > -1e-5 && sum < 1e-5);
        assert_true(squares == 0 || (squares > 4 - 1e-5 && squares < 4 + 1e-5));
    }
    for (int i = 0; i < 2; i++) tgraph_file_close(e[i].file);
}

static void make_folder(const char *name) { assert_int_equal(mkdir(test_file(name), 0700), 0); }

static void folders_are_searched_in_order(void **state)
{
    static const char *const names[] = {"tree/b.npz",    "tree/sub/c.npz",   "tree/a.npz",
                                        "tree/note.txt", "tree/.hidden.npz", "tree/sub/deep/d.npz"};
    static const char *const sorted[] = {"a.npz", "b.npz", "sub/c.npz", "sub/deep/d.npz"};
    static const char *const folders[] = {"tree", "tree/sub", "tree/sub/deep", "tree/empty"};
    for (int i = 0; i < 4; i++) make_folder(folders[i]);
    for (int i = 0; i < 6; i++) program_write_text(names[i], "");
    harness_files paths = {0};
    const size_t top = strlen(test_file("tree/"));
    expect_ok(harness_files_add(&paths, test_file("tree"), new_failure()));
    assert_int_equal(paths.count, 4);
    for (int i = 0; i < 4; i++) assert_string_equal(paths.path[i] + top, sorted[i]);
    expect_ok(harness_files_add(&paths, paths.path[0], new_failure()));
    assert_int_equal(paths.count, 5);
    assert_int_equal(symlink(test_file("tree"), test_file("tree/sub/circle")), 0);
    expect_status(harness_files_add(&paths, test_file("tree"), new_failure()), AG_EFILE,
                  "/tree/sub/circle: a link leads back to a folder above, "
                  "so the folders form a circle; remove the link");
    expect_status(harness_files_add(&paths, test_file("tree/empty"), new_failure()), AG_EFILE,
                  "there is no .npz file in this folder");
    assert_int_equal(harness_files_add(&paths, "/nowhere/x.npz", new_failure()), AG_EFILE);
    harness_files_free(&paths);
}

/* Two links a level: 2 to the 30 ways, of which each folder takes one. A deep tree is refused. */
static void a_folder_is_searched_once(void **state)
{
    char text[100];
    harness_files paths = {0};
    make_folder("many");
    for (int i = 0; i <= 30; i++) {
        make_folder(formatted("many/%d", i));
        for (int k = 0; k < 2 && i < 30; k++)
            assert_int_equal(
                symlink(formatted("../%d", i + 1), test_file(formatted("many/%d/%c", i, "ab"[k]))),
                0);
    }
    program_write_text("many/30/x.npz", "");
    alarm(60);
    expect_ok(harness_files_add(&paths, test_file("many"), new_failure()));
    alarm(0);
    assert_int_equal(paths.count, 1);
    harness_files_free(&paths);
    int n = snprintf(text, sizeof text, "many/d");
    for (int i = 0; i < 34; i++) {
        make_folder(text);
        n += snprintf(text + n, sizeof text - (size_t)n, "/d");
    }
    expect_status(harness_files_add(&paths, test_file("many"), new_failure()), AG_EFILE,
                  "more than 32 folders deep");
    harness_files_free(&paths);
}

static void what_is_no_file_is_refused(void **state)
{
    harness_files paths = {0};
    const char *const bad[] = {test_file("fifo.npz"), test_file("fifo.txt"), "/dev/null",
                               "/dev/zero"};
    for (int i = 0; i < 2; i++) assert_int_equal(mkfifo(bad[i], 0600), 0);
    alarm(60); /* no process writes to a pipe */
    for (int i = 0; i < 4; i++)
        expect_status(harness_files_add(&paths, bad[i], new_failure()), AG_EFILE,
                      ": it is a device or a pipe, not a file or a folder");
    make_folder("pipes");
    assert_int_equal(mkfifo(test_file("pipes/a.npz"), 0600), 0);
    expect_status(harness_files_add(&paths, test_file("pipes"), new_failure()), AG_EFILE,
                  "there is no .npz file");
    alarm(0);
    harness_files_free(&paths);
}

static void expect_refused_list(const char *text, const char *sentence)
{
    harness_files paths = {0};
    program_write_text("part.txt", text);
    expect_status(harness_files_add(&paths, test_file("part.txt"), new_failure()), AG_EFILE,
                  sentence);
    harness_files_free(&paths);
}

static void lists_name_files(void **state)
{
    char *wide = malloc(6000);
    harness_files paths = {0};
    make_folder("listed");
    program_write_text("listed/0.npz", "");
    program_write_text("listed/1.npz", "");
    program_write_text("part.txt", "# a part\nlisted/1.npz\r\n\nlisted\n");
    expect_ok(harness_files_add(&paths, test_file("part.txt"), new_failure()));
    assert_int_equal(paths.count, 3);
    assert_string_equal(paths.path[0], paths.path[2]);
    assert_string_equal(paths.path[2], test_file("listed/1.npz"));
    harness_files_free(&paths);
    expect_refused_list("", "the list names no file");
    expect_refused_list("listed/1.npz\nlisted/7.npz\n", "there is no such file");
    expect_refused_list("\npart.txt\n", "line 2: a list cannot name another list");
    memset(wide, 'x', 5999);
    wide[5999] = 0;
    expect_refused_list(wide, "line 1 is longer than");
    free(wide);
}

static void names_tell_files_apart(void **state)
{
    static const struct {
        const char *path, *name;
    } cases[] = {{"data/x/a.npz", "x/a"},
                 {"data/y/a.npz", "y/a"},
                 {"data/y/b.npz", "b"},
                 {"p/z/c.npz", "p/z/c"},
                 {"q//z/c.npz", "q//z/c"},
                 {"z/c.npz", "z/c"},
                 {"c.npz", "c"},
                 {"/c.npz", "/c"},
                 {"same/d.npz", "d"},
                 {"same/d.npz", "d"},
                 {"r/e.npz", "r/e"},
                 {"s/e.npz", "s/e"},
                 {"s/e", "e"},
                 {".npz", ".npz"}};
    enum { N = sizeof cases / sizeof *cases };
    char *path[N];
    ag_arena *memory = NULL;
    for (int i = 0; i < N; i++) path[i] = (char *)(uintptr_t)cases[i].path;
    char **name = harness_files_names(&memory, path, N, ".npz");
    for (int i = 0; i < N; i++) assert_string_equal(name[i], cases[i].name);
    ag_arena_free(memory);
}

int main(void)
{
    return RUN_TESTS_WITH(test_folder_make, test_folder_remove, a_file_is_pruned_and_padded,
                          options_turn_pruning_and_padding_off, equal_configurations_become_one,
                          nodes_are_standardised_over_all_files, folders_are_searched_in_order,
                          a_folder_is_searched_once, what_is_no_file_is_refused, lists_name_files,
                          names_tell_files_apart);
}
