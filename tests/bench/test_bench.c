/* SPDX-License-Identifier: MIT */
/* The bench prints every row, in the table and as JSON; its peer is played by a script. */
#include "bench_call.h"

#include <sys/stat.h>

/* The facts that a reader needs about the machine and the build. */
static void check_head(json_t *all)
{
    static const char *const texts[] = {"date",     "cpu",   "system",
                                        "compiler", "build", "instructions"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!json_is_string(json_object_get(all, texts[i]))) fail_msg("no text \"%s\"", texts[i]);
    assert_string_equal(json_string_value(json_object_get(all, "format")), "augur-bench-3");
    assert_true(value(all, "cores") >= 1);
    assert_int_equal((int)value(all, "threads"), 2);
}

/* Every row has a time above 0, and a copy or memory that it is compared with. */
static void check_rows(json_t *all)
{
    size_t i;
    json_t *row;
    int steps = 0, ops = 0;
    json_array_foreach(json_object_get(all, "rows"), i, row)
    {
        const int step = strcmp(json_string_value(json_object_get(row, "part")), "steps") == 0;
        const double least = value(row, "min_ms"), median = value(row, "median_ms");
        step ? steps++ : ops++;
        assert_true(least > 0 && least <= median && isfinite(median));
        assert_int_equal((int)value(row, "rounds"), 1);
        if (step) assert_true(value(row, "slab_mb") > value(row, "saved_mb"));
        if (!step) assert_true(value(row, "copy_ms") > 0);
    }
    assert_int_equal(steps, 7);
    assert_int_equal(ops, 2 * 32 + 2); /* forward and backward; AdamW twice */
}

static void test_every_row(void **state)
{
    static char text[1 << 16];
    int code;
    json_t *all = bench_json(&code, text, sizeof text, "--quick --threads 2");
    if (code) fail_msg("exit %d: %s", code, text);
    check_head(all);
    check_rows(all);
    json_decref(all);
}

static void test_only(void **state)
{
    static char text[1 << 14];
    assert_int_equal(bench(text, sizeof text, "--quick --only cross_attention"), 0);
    assert_non_null(strstr(text, "cross_attention back"));
    assert_null(strstr(text, "gelu"));
    assert_null(strstr(text, "tgraph 2x50"));
}

static void test_wrong_calls(void **state)
{
    static const char *const calls[][2] = {
        {"--bogus", "unknown option \"--bogus\""},
        {"--rounds", "no value behind \"--rounds\""},
        {"--rounds 0", "\"0\""},
        {"--rounds 3x", "\"3x\""},
        {"--device gpu", "not cpu or cuda: \"gpu\""},
        {"--device cuda --precision fp16", "not fp32 or tf32: \"fp16\""},
        {"--precision tf32", "only --device cuda has products in \"tf32\""},
        {"--quick --only AdamW --ops --json /nowhere/x.json", "/nowhere/x.json cannot be written"},
        {"--quick --steps --only 2x50 --peer /nowhere/python", "does not start; it needs PyTorch"},
    };
    char text[8192];
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const int code = bench(text, sizeof text, calls[i][0]);
        if (code != (i < 7 ? 2 : 1) || !strstr(text, calls[i][1]))
            fail_msg("%s: exit %d: %s", calls[i][0], code, text);
    }
    assert_int_equal(bench(text, sizeof text, "--help"), 0);
    assert_non_null(strstr(text, "--peer"));
}

/* A row of one step with a script as its peer; text gets the output. */
static json_t *with_peer(char *text, size_t bytes, const char *script)
{
    char path[] = "/tmp/bench_peer_XXXXXX", options[300];
    const int file = mkstemp(path);
    int code;
    assert_true(file >= 0);
    assert_int_equal((int)write(file, script, strlen(script)), (int)strlen(script));
    assert_int_equal(fchmod(file, 0700), 0);
    close(file);
    snprintf(options, sizeof options, "--quick --steps --only 'tpgnn 1x25' --peer %s", path);
    json_t *all = bench_json(&code, text, bytes, options);
    unlink(path);
    if (code) fail_msg("exit %d: %s", code, text);
    return all;
}

static json_t *peer_of(json_t *all)
{
    return json_object_get(json_array_get(json_object_get(all, "rows"), 0), "peer");
}

/* Every key of the file is in the documentation. */
static void check_documented(const char *docs, json_t *json)
{
    const char *key;
    char quoted[64];
    json_t *inner;
    size_t i;
    json_array_foreach(json, i, inner) check_documented(docs, inner);
    json_object_foreach(json, key, inner)
    {
        snprintf(quoted, sizeof quoted, "`%s`", key);
        if (!strstr(docs, quoted)) fail_msg("docs/bench.md does not tell what %s is", quoted);
        if (strcmp(key, "cpu_numbers") != 0 && strcmp(key, "about") != 0)
            check_documented(docs, inner);
    }
}

/* It was asked for the same work, and its times and memory are compared with ours. */
static void test_peer(void **state)
{
    static const char player[] =
        "#!/bin/sh\necho \"{\\\"ready\\\": true, \\\"call\\\": \\\"$*\\\"}\"\n"
        "while read line; do echo 1000000; done\necho '{\"peak_mb\": 1000}'\n";
    static char text[1 << 14], docs[1 << 15];
    FILE *file = fopen(AG_SOURCE_DIR "/docs/bench.md", "r");
    json_t *all = with_peer(text, sizeof text, player), *peer = peer_of(all);
    json_t *row = json_array_get(json_object_get(all, "rows"), 0);
    const char *call = json_string_value(json_object_get(json_object_get(peer, "about"), "call"));
    if (!call || !strstr(call, "--model tpgnn --count 1 --nodes 25 ")) fail_msg("%s", call);
    assert_true(value(peer, "median_ms") == 1000000);
    assert_true(fabs(value(peer, "ratio") * value(row, "median_ms") / 1000000 - 1) < 1e-3);
    assert_true(fabs(value(peer, "growth_mb") - 1048.576) < 0.01); /* 1,000 MiB */
    assert_non_null(file);
    docs[fread(docs, 1, sizeof docs - 1, file)] = 0;
    fclose(file);
    check_documented(docs, all);
    json_decref(all);
}

/* It is reported and left out. */
static void test_peer_that_cannot_run(void **state)
{
    char text[8192];
    json_t *all =
        with_peer(text, sizeof text, "#!/bin/sh\necho '{\"failed\": \"no module\"}'\nexit 1\n");
    assert_string_equal(json_string_value(json_object_get(peer_of(all), "failed")), "no module");
    assert_non_null(strstr(text, "PyG cannot run: no module"));
    json_decref(all);
}

int main(void)
{
    return RUN_TESTS(test_every_row, test_only, test_wrong_calls, test_peer,
                     test_peer_that_cannot_run);
}
