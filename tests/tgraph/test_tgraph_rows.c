/* SPDX-License-Identifier: MIT */
/* --rows: where the rows of a batch join its nodes, and runs with them. */
#include "support/test.h"
#include "examples/tgraph/data/data.h"
#include "support/checkpoint_change.h"
#include "support/program_call.h"
#include "support/program_files.h"
#include "support/tgraph_open.h"

#include "augur.h"

enum { ITEMS = 20 };

static int make_files(void **state)
{
    if (test_folder_make(state)) return -1;
    program_write_layout("a.npz", 30, 0);
    program_write_layout("b.npz", ITEMS, 1);
    return 0;
}

/* ---- places ---- */

static tgraph_file *open_file(int operations)
{
    tgraph_data_options options = tgraph_layout_defaults();
    options.operations = operations;
    return test_small_open(options, NULL);
}

/* Rows are of the whole program, of which pruning keeps nodes 1, 2, 3 and 5. */
static void rows_join_the_nodes_that_are_kept(void **state)
{
    static const int32_t kept[TEST_NODES] = {-1, 0, 1, 2, -1, 3, -1}, config[] = {4, 0, 3};
    enum { CONFIGS = sizeof config / sizeof *config };
    tgraph_file *f = open_file(1);
    assert_int_equal(f->graph.nodes, 4);
    assert_memory_equal(f->graph.kept, kept, sizeof kept);
    assert_int_equal(f->operations.operation[4].operands, 1); /* by an edge that is not kept */

    nests_joined joined = {0};
    ag_params *params = ag_params_new();
    tgraph_batch b = {.joined = &joined};
    nests_rows alone = {0};
    int missing = 0;
    nests_joined_add(&joined, params,
                     &(nests_joined_options){.use = NESTS_SUMS,
                                             .columns = NESTS_LAYOUT_COLUMNS,
                                             .words = TGRAPH_OPCODES,
                                             .flags = true,
                                             .in = 8,
                                             .out = 8});
    expect_ok(tgraph_batch_fill(&b, f, config, CONFIGS, new_failure()));
    assert_int_equal(b.nests.items, CONFIGS);
    assert_int_equal(b.nests.places, 4 * CONFIGS);
    for (int i = 0, e = 0; i < CONFIGS; i++) {
        tgraph_rows_take(&alone, f, true, &config[i], 1);
        assert_int_equal(b.nests.item_start[i], e);
        for (int k = 0; k < alone.first[1]; k++, e++) {
            const int place = kept[alone.node[k]];
            assert_int_equal(b.nests.item_place[e], place < 0 ? -1 : place * CONFIGS + i);
            missing += place < 0;
        }
        assert_int_equal(b.nests.item_start[i + 1], e);
    }
    assert_true(missing > 0);
    nests_rows_free(&alone);
    tgraph_batch_free(&b);
    nests_joined_free(&joined);
    ag_params_free(params);
    tgraph_file_close(f);
}

/* ---- runs ---- */

#define TINY  " --hidden 16 --configs 6 --steps 4 --quiet --no-baselines"
#define SMALL TINY " --eval-every 2"

/* A step that changes nothing has the loss of the scores of all but the last configuration, which
   repeats the first. */
static void errors_of_run_times(void **state)
{
    enum { N = ITEMS - 1 };
    double score[ITEMS], ns[ITEMS], mean_y = 0, mean_e = 0, variance = 0, error = 0, loss;
    program_expect(
        "tgraph train --data b.npz --out error --no-cross --rows costs --loss error "
        "--learning-rate 1e-30 --warmup 0 --dropout 0 --hidden 16 --configs 20 --steps 1 "
        "--log-every 1 --quiet --no-baselines",
        0, "", "");
    program_scores(score, ITEMS, "scores", "tgraph predict --data b.npz --run error");
    program_scores(ns, ITEMS, "measured_ns", "tgraph predict --data b.npz --run error");
    for (int i = 0; i < N; i++) {
        mean_y += log(ns[i]) / N;
        mean_e += (score[i] - log(ns[i])) / N;
    }
    for (int i = 0; i < N; i++) {
        variance += pow(log(ns[i]) - mean_y, 2) / N;
        error += pow(score[i] - log(ns[i]) - mean_e, 2) / N;
    }
    char *text = program_text_of("error/metrics.csv");
    assert_int_equal(sscanf(strstr(text, "\n1,"), "\n1,%lf", &loss), 1);
    free(text);
    assert_true(fabs(loss - error / (variance + 1e-3)) < 1e-4 * loss);
}

/* Batches without the graph have the same losses whatever the graph computes. */
static void batches_skip_the_graph(void **state)
{
    static const char *const share[] = {"0.99", "0"};
    for (int k = 0; k < 2; k++) {
        char *loss[2];
        for (int i = 0; i < 2; i++) {
            program_expect_line(0, "", "",
                                "tgraph train --data a.npz --out skip --force --rows costs "
                                "--residual %s --members 2 --skip-graph %s --log-every 1" TINY,
                                i ? "outside" : "inside", share[k]);
            loss[i] = program_text_of("skip/metrics.csv");
        }
        assert_int_equal(strcmp(loss[0], loss[1]) != 0, k);
        for (int i = 0; i < 2; i++) free(loss[i]);
    }
}

/* Options of a preset that do not suit --rows do nothing. */
static void the_preset_takes_other_rows(void **state)
{
    static const char *const word[] = {"none", "sums", "embedded"};
    for (int i = 0; i < 3; i++)
        program_expect_line(0, "", "",
                            "tgraph train --data a.npz --out other --force --preset rows "
                            "--rows %s" TINY,
                            word[i]);
}

static void a_checkpoint_without_rows_has_nothing_of_them(void **state)
{
    ag_checkpoint_pair pair;
    program_expect("tgraph train --data a.npz --valid b.npz --out plain --threads 1" SMALL, 0, "",
                   "");
    ag_checkpoint *file =
        expect_made(ag_checkpoint_open(test_file("plain/best.safetensors"), new_failure()));
    for (int i = 0; i < ag_checkpoint_count(file); i++)
        assert_null(strstr(ag_checkpoint_at(file, i)->name, "row"));
    int found = 0;
    for (int i = 0; ag_checkpoint_metadata_at(file, i, &pair); i++) {
        if (strcmp(pair.key, "configuration") != 0) continue;
        assert_true(!strstr(pair.value, "rows") || strstr(pair.value, "\"rows\":\"none\""));
        found++;
    }
    assert_int_equal(found, 1);
    ag_checkpoint_close(file);
}

static void a_damaged_scale_is_refused(void **state)
{
    const char *best = formatted("%s/costs/best.safetensors", test_folder);
    double mean[NESTS_LAYOUT_COLUMNS] = {0};
    mean[3] = NAN;
    program_expect("tgraph train --data a.npz --valid b.npz --rows costs --out costs" SMALL, 0, "",
                   "");
    checkpoint_change(best, best, NULL, NULL, "state.row.mean", mean);
    program_expect("tgraph predict --run costs --data b.npz", 3, "", "state.row.mean[3] is nan");
}

/* A file that does not say in which order nodes take their operands. */
static void a_guess_is_warned_of(void **state)
{
    tgraph_file_close(open_file(0));
    program_expect_line(0, "", "its rows are a guess",
                        "tgraph train --data %s --out guess --rows sums --hidden 16 --steps 1 "
                        "--no-baselines",
                        strrchr(test_path, '/') + 1);
}

int main(void)
{
    return RUN_TESTS_WITH(make_files, test_folder_remove, rows_join_the_nodes_that_are_kept,
                          errors_of_run_times, batches_skip_the_graph, the_preset_takes_other_rows,
                          a_checkpoint_without_rows_has_nothing_of_them, a_damaged_scale_is_refused,
                          a_guess_is_warned_of);
}
