/* SPDX-License-Identifier: MIT */
/* The bench prints every row, in the table and as JSON, and reports errors of a call. */
#define _POSIX_C_SOURCE 200809L /* popen, mkstemp, fchmod */
#include "bench_runner.h"

/* Of a product: time, operations and percent belong to one probe, which the best of the run bounds.
 */
static void check_share(json_t *of, double flops, double best)
{
    const double probe = 100 * flops / (value(of, "percent") * value(of, "median_ms") * 1e6);
    if (!(probe > 0 && probe < best * 1.001)) fail_msg("a probe of %g, best %g", probe, best);
    assert_true(fabs(value(of, "percent_least") / value(of, "percent") - 1) < 1e-4);
}

static void check_percent(json_t *row, double best)
{
    static const char *const others[] = {"core", "onednn"};
    const int alone = strcmp(json_string_value(json_object_get(row, "name")), "tile in cache") == 0;
    check_share(row, value(row, "flops"), best);
    for (int i = 0; i < 2; i++) {
        json_t *other = json_object_get(row, others[i]);
        if (other || (i == 0 && !alone))
            check_share(other, value(row, "flops"), best); /* oneDNN: if there */
    }
}

/* Of a row that scores: how many configurations a second. */
static void check_score(json_t *row)
{
    const double run = value(row, "per_second") * value(row, "median_ms") / 1000;
    assert_true(fabs(run - round(run)) < 0.01 && run > 1.9); /* the configurations of a run */
    assert_true(value(row, "growth_mb") >= 0 && value(row, "flops") > 0);
    const double over = value(row, "median_ms") / value(row, "floor_ms");
    assert_true(fabs(value(row, "x_floor") / over - 1) < 1e-3);
}

/* The facts that a reader needs about the machine and the build. */
static void check_head(json_t *all)
{
    static const char *const texts[] = {"date",   "cpu",          "system",   "compiler",
                                        "build",  "isa_compiled", "isa_used", "flags",
                                        "onednn", "isa_processor"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!json_is_string(json_object_get(all, texts[i]))) fail_msg("no text \"%s\"", texts[i]);
    assert_string_equal(json_string_value(json_object_get(all, "format")), "augur-bench-1");
    assert_true(value(all, "cores") >= 1);
    assert_true(json_is_null(json_object_get(all, "peer")));
}

/* Rows of a part, each with finite times above 0 and a floor. */
static int rows_of(json_t *all, const char *part)
{
    const double best = value(all, "fma_gflops");
    size_t i;
    json_t *row;
    int n = 0;
    json_array_foreach(json_object_get(all, "rows"), i, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "part")), part) != 0) continue;
        n++;
        const double least = value(row, "min_ms"), median = value(row, "median_ms");
        assert_true(least > 0 && least <= median && isfinite(median));
        assert_true(value(row, "floor_ms") > 0);
        assert_int_equal((int)value(row, "rounds"), 1);
        if (strcmp(part, "gemm") == 0) check_percent(row, best);
        if (strcmp(part, "step") == 0) assert_true(value(row, "slab_mb") > value(row, "saved_mb"));
        if (strcmp(part, "infer") == 0) check_score(row);
    }
    return n;
}

static const char *const names[] = {
    "step 2x50",
    "step 4x50",
    "step 8x25",
    "tpu lstm shared 16",
    "tpu lstm shared 64",
    "tpu lstm separate 16",
    "tpu lstm separate 64",
    "tpu transformer 16",
    "tpu rank nodes 1000",
    "tpu rank kernel 1000",
    "tpgnn 64x20",
    "tpgnn 1x20",
    "score tgraph 50",
    "score tpgnn 20",
    "linear forward",
    "linear backward_x",
    "linear backward_w",
    "lstm",
    "lstm back",
    "neighbour_mean",
    "instance_norm",
    "gelu",
    "add+gelu+dropout",
    "softmax_middle",
    "sage_mean",
    "gat",
    "sage_concat",
    "graph_conv",
    "gcn_conv",
    "topk",
    "topk+edges",
    "relu_topk_readout",
    "sag_pool",
    "max_mean",
    "lambda_rank",
    "mean_rows",
    "cross_attention",
    "cross_attention_beside",
    "embedding_bag",
    "pairwise_hinge",
    "channel_attention",
    "attend ",
    "attention",
    "encoder",
    "AdamW",
    "listmle",
    "probes",
    "instance_norm back",
    "recording",
};

static void test_every_row(void **state)
{
    static char text[1 << 16];
    char path[] = "/tmp/bench_XXXXXX", options[100];
    const int file = mkstemp(path);
    json_error_t error;
    (void)state;
    assert_true(file >= 0);
    close(file);
    snprintf(options, sizeof options, "--quick --threads 2 --json %s", path);
    const int code = bench(text, sizeof text, options);
    if (code) fail_msg("exit %d: %s", code, text);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strstr(text, names[i])) fail_msg("no row \"%s\" in\n%s", names[i], text);
    json_t *all = json_load_file(path, 0, &error);
    unlink(path);
    if (!all) fail_msg("%s", error.text);
    /* A compiler that leaves the chains out makes the probe faster than any processor: two units of
       16 floats at 10 GHz. */
    const double fma = value(all, "fma_gflops");
    assert_true(fma > 0 && fma < 2 * 2 * 2 * 16 * 10 && value(all, "copy_gbs") > 0);
    assert_int_equal((int)value(all, "threads"), 2);
    assert_int_equal(rows_of(all, "step"), 3);
    assert_int_equal(rows_of(all, "tpu"), 5);
    assert_int_equal(rows_of(all, "tpgnn"), 2);
    assert_int_equal(rows_of(all, "infer"), 4);
    check_head(all);
    assert_int_equal(rows_of(all, "gemm"), 3 * 14 + 1);
    assert_int_equal(rows_of(all, "ops"), 2 * 40 + 2); /* forward and backward; AdamW twice */
    json_decref(all);
}

static void test_only(void **state)
{
    static char text[1 << 14];
    (void)state;
    assert_int_equal(bench(text, sizeof text, "--quick --only softmax_middle"), 0);
    assert_non_null(strstr(text, "softmax_middle back"));
    assert_null(strstr(text, "gelu"));
    assert_null(strstr(text, "step 2x50"));
    assert_null(strstr(text, "linear forward"));
}

static void test_wrong_calls(void **state)
{
    static const char *const calls[][2] = {
        {"--bogus", "unknown option \"--bogus\""},
        {"--rounds", "no value behind \"--rounds\""},
        {"--rounds 0", "\"0\""},
        {"--rounds 3x", "\"3x\""},
        {"--quick --only AdamW --ops --json /nowhere/x.json", "/nowhere/x.json cannot be written"},
        {"--quick --steps --only 2x50 --peer /nowhere/python", "/nowhere/python"},
        {"--quick --infer --only 'score tpgnn' --peer /nowhere/python", "/nowhere/python"},
    };
    char text[8192];
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const int code = bench(text, sizeof text, calls[i][0]);
        if (code != (i < 4 ? 2 : 1) || !strstr(text, calls[i][1]))
            fail_msg("%s: exit %d: %s", calls[i][0], code, text);
    }
    assert_int_equal(bench(text, sizeof text, "--help"), 0);
    assert_non_null(strstr(text, "--peer"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_row),
        cmocka_unit_test(test_only),
        cmocka_unit_test(test_wrong_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
