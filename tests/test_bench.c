/* SPDX-License-Identifier: MIT */
/* The bench prints every row, in the table and as JSON, and says what is wrong with a call. */
#define _POSIX_C_SOURCE 200809L /* popen, mkstemp, fchmod */
#include "ops/ops.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Runs the bench; returns its exit code and fills text with what it printed, errors included. */
static int bench(char *text, size_t bytes, const char *options)
{
    char line[400];
    snprintf(line, sizeof line, "'%s/bench' %s 2>&1", AG_BIN_DIR, options);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    text[fread(text, 1, bytes - 1, pipe)] = 0;
    const int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static double value(json_t *row, const char *name)
{
    json_t *v = json_object_get(row, name);
    if (!json_is_number(v)) fail_msg("a row has no number \"%s\"", name);
    return json_number_value(v);
}

/* Of a product: in percent of the probe, which is one number for all in a run of one round. */
static void check_percent(json_t *row)
{
    static const char *const others[] = {"core", "onednn"};
    const double of_probe = value(row, "percent") * value(row, "median_ms");
    assert_true(of_probe > 0 && isfinite(of_probe));
    assert_true(fabs(value(row, "percent_least") / value(row, "percent") - 1) < 1e-4);
    for (int i = 0; i < 2; i++) {
        json_t *other = json_object_get(row, others[i]);
        if (!other && i == 1) continue; /* built without oneDNN */
        assert_true(value(other, "min_ms") > 0);
        assert_true(fabs(value(other, "percent") * value(other, "median_ms") / of_probe - 1) <
                    1e-3);
    }
}

/* Rows of a part, each with finite times above 0 and a floor. */
static int rows_of(json_t *rows, const char *part)
{
    size_t i;
    json_t *row;
    int n = 0;
    json_array_foreach(rows, i, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "part")), part) != 0) continue;
        n++;
        const double least = value(row, "min_ms"), median = value(row, "median_ms");
        assert_true(least > 0 && least <= median && isfinite(median));
        assert_true(value(row, "floor_ms") > 0);
        assert_int_equal((int)value(row, "rounds"), 1);
        if (strcmp(part, "gemm") == 0) check_percent(row);
        if (strcmp(part, "step") == 0) assert_true(value(row, "slab_mb") > value(row, "saved_mb"));
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
    json_t *all = json_load_file(path, 0, &error), *rows = json_object_get(all, "rows");
    unlink(path);
    if (!all) fail_msg("%s", error.text);
    /* A compiler that leaves the chains out makes the probe faster than any processor: two units of
       16 floats at 10 GHz. */
    const double fma = value(all, "fma_gflops");
    assert_true(fma > 0 && fma < 2 * 2 * 2 * 16 * 10 && value(all, "copy_gbs") > 0);
    assert_int_equal((int)value(all, "threads"), 2);
    assert_int_equal(rows_of(rows, "step"), 3);
    assert_int_equal(rows_of(rows, "tpu"), 7);
    assert_int_equal(rows_of(rows, "gemm"), 3 * 14);
    assert_int_equal(rows_of(rows, "ops"), 2 * 39 + 2); /* forward and backward; AdamW twice */
    json_decref(all);
}

/* Two peers at once, played by a script that answers as peer.py does. */
static void check_peers(const char *only, const char *first, const char *second, const char *peer)
{
    static const char script[] = "#!/bin/sh\necho '{\"ready\": true}'\n"
                                 "while read line; do echo 1000000; done\n"
                                 "echo '{\"peak_mb\": 1000, \"resident_mb\": 1}'\n";
    char text[8192], path[] = "/tmp/bench_peer_XXXXXX", table[] = "/tmp/bench_json_XXXXXX";
    char options[200];
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal((int)write(file, script, sizeof script - 1), (int)sizeof script - 1);
    assert_int_equal(fchmod(file, 0700), 0);
    close(file);
    close(mkstemp(table));
    snprintf(options, sizeof options, "--quick --steps --only '%s' --peer %s --json %s", only, path,
             table);
    const int code = bench(text, sizeof text, options);
    json_t *all = json_load_file(table, 0, NULL);
    json_t *row = json_array_get(json_object_get(all, "rows"), 0);
    unlink(path);
    unlink(table);
    if (code) fail_msg("exit %d: %s", code, text);
    const char *one = strstr(text, first), *two = strstr(text, second);
    if (!one || !two || !strstr(one, "1000000.0 ms") || !strstr(two, "1000000.0 ms") ||
        !strstr(two, "1048.6 MB"))
        fail_msg("%s", text);
    /* 1,000 MiB, in MB as in the table; the file has six digits. */
    assert_true(fabs(value(json_object_get(row, peer), "peak_mb") - 1048.576) < 0.01);
    assert_true(value(json_object_get(row, peer), "median_ms") == 1000000);
    assert_true(value(row, "growth_mb") >= 0);
    json_decref(all);
}

static void test_peers(void **state)
{
    (void)state;
    check_peers("2x50", "pyg ", "node ", "node");
    check_peers("lstm shared 16", "plain ", "best ", "best");
    check_peers("rank kernel", "plain ", "best ", "best");
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
        cmocka_unit_test(test_peers),
        cmocka_unit_test(test_only),
        cmocka_unit_test(test_wrong_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
