/* SPDX-License-Identifier: MIT */
/* Peers of the bench, played by scripts; the JSON of its rows, and the page that is made of it. */
#define _POSIX_C_SOURCE 200809L /* popen, mkstemp, fchmod */
#include "bench_runner.h"

/* Every form of the list is there, was asked for with these words, and compared. */
static void check_peers(const char *given, const char *const *forms, const char *words)
{
    static char text[1 << 14];
    json_t *all = with_peer(text, sizeof text, player, given);
    json_t *row = json_array_get(json_object_get(all, "rows"), 0);
    json_t *peers = json_object_get(row, "peers");
    const char *isa = json_string_value(json_object_get(all, "isa_used"));
    int n = 0;
    for (; forms[n]; n++) {
        char call[40];
        json_t *peer = json_object_get(peers, forms[n]);
        const char *called =
            json_string_value(json_object_get(json_object_get(peer, "about"), "call"));
        if (!peer || !called) fail_msg("no form %s in %s", forms[n], text);
        snprintf(call, sizeof call, "--form %s ", forms[n]);
        if (!strstr(called, call) || !strstr(called, words)) fail_msg("%s: %s", forms[n], called);
        assert_int_equal(strstr(called, "--avx2") != NULL, strcmp(isa, "AVX2") == 0);
        /* 1,000 MiB, in MB as in the table; the file has six digits. */
        assert_true(fabs(value(peer, "peak_mb") - 1048.576) < 0.01);
        assert_true(value(peer, "median_ms") == 1000000);
        const double ratio = 1000000 / value(row, "median_ms");
        assert_true(fabs(value(peer, "ratio") / ratio - 1) < 1e-3);
        const double memory = value(row, "growth_mb") / 1048.576;
        assert_true(fabs(value(peer, "memory_ratio") - memory) < 1e-3 * memory + 1e-9);
    }
    assert_int_equal(json_object_size(peers), n);
    assert_non_null(strstr(text, "1000000.0 ms"));
    assert_non_null(strstr(text, "1048.6 MB"));
    assert_string_equal(json_string_value(json_object_get(json_object_get(all, "peer"), "torch")),
                        "9.9");
    json_decref(all);
}

static void test_peers(void **state)
{
    static const char *const tgraph[] = {"pyg",  "pyg-tuned",     "pyg-compiled",
                                         "best", "best-compiled", NULL};
    static const char *const tpu[] = {"pyg", "plain", "best", "best-compiled", NULL};
    static const char *const tpgnn[] = {"pyg", "best", "best-compiled", NULL};
    static const char *const some[] = {"pyg", "best", NULL};
    (void)state;
    check_peers("--steps --only 2x50", tgraph, "--model tgraph");
    check_peers("--steps --only 'lstm shared 16'", tpu, "--model tpu-lstm-shared");
    check_peers("--steps --only 'tpgnn 1x20'", tpgnn, "--configs 1 --nodes 20");
    check_peers("--steps --only 'tpgnn 1x20' --forms best,pyg", some, "--model tpgnn");
    check_peers("--infer --only 'score tgraph'", tgraph, "--infer --chunk 128");
    check_peers("--infer --only 'rank kernel'", tpu, "--infer --chunk 199");
    check_peers("--infer --only 'score tpgnn'", tpgnn, "--infer --chunk");
}

/* A form that cannot run here is reported and left out; the others are measured. */
static void test_peer_that_cannot_run(void **state)
{
    char text[8192];
    (void)state;
    json_t *all = with_peer(text, sizeof text, half_player, "--steps --only 'tpgnn 1x20'");
    json_t *peers = json_object_get(json_array_get(json_object_get(all, "rows"), 0), "peers");
    json_t *failed = json_object_get(peers, "best-compiled");
    assert_string_equal(json_string_value(json_object_get(failed, "failed")), "no compiler");
    assert_true(value(json_object_get(peers, "best"), "median_ms") == 7);
    assert_non_null(strstr(text, "best-compiled  cannot run: no compiler"));
    json_decref(all);
}

/* Runs the tool that makes pages; text gets its output. */
static void page(char *text, size_t bytes, const char *words)
{
    char line[500];
    snprintf(line, sizeof line, "python3 -B '%s/tests/bench/page.py' %s 2>&1", AG_SOURCE_DIR,
             words);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    text[fread(text, 1, bytes - 1, pipe)] = 0;
    if (pclose(pipe)) fail_msg("%s: %s", line, text);
}

/* The row's line in the page has the ratio of a form, and a stroke for the one that cannot run. */
static void check_page(const char *text, json_t *all)
{
    char found[300], expected[100];
    json_t *row = json_array_get(json_object_get(all, "rows"), 0);
    const double best = value(json_object_get(json_object_get(row, "peers"), "best"), "ratio");
    const char *at = strstr(text, "| tpgnn 1x20 | ");
    if (!at) fail_msg("%s", text);
    snprintf(found, sizeof found, "%.*s", (int)strcspn(at, "\n"), at);
    snprintf(expected, sizeof expected, "| %.2f (%.2f); ", best, best);
    if (!strstr(found, expected) || !strstr(found, "| - |")) fail_msg("%s: %s", expected, found);
    assert_non_null(strstr(text, "best-compiled cannot run here: no compiler"));
    assert_non_null(strstr(text, json_string_value(json_object_get(all, "compiler"))));
}

static void test_page(void **state)
{
    static char text[1 << 15];
    char table[] = "/tmp/bench_json_XXXXXX", words[200];
    (void)state;
    if (system("python3 -c '' > /dev/null 2>&1") != 0) skip();
    json_t *all = with_peer(text, sizeof text, half_player, "--steps --only 'tpgnn 1x20'");
    close(mkstemp(table));
    assert_int_equal(json_dump_file(all, table, JSON_REAL_PRECISION(17)), 0);
    page(text, sizeof text, table);
    check_page(text, all);
    json_decref(all);
    snprintf(words, sizeof words, "--quick --gemm --only 500x64x64 --json %s", table);
    assert_int_equal(bench(text, sizeof text, words), 0);
    page(text, sizeof text, table);
    assert_non_null(strstr(text, "| linear backward_w | 500x64x64 | "));
    unlink(table);
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

static void test_documentation(void **state)
{
    static char docs[1 << 15], text[1 << 14];
    static const char *const calls[] = {"--steps --only 'tpgnn 1x20'", "--infer --only tpgnn",
                                        "--steps --only 'step 2x50'", "--gemm --only 500x64x64",
                                        "--ops --only instance_norm"};
    FILE *file = fopen(AG_SOURCE_DIR "/docs/bench.md", "r");
    (void)state;
    assert_non_null(file);
    docs[fread(docs, 1, sizeof docs - 1, file)] = 0;
    fclose(file);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        json_t *all = with_peer(text, sizeof text, half_player, calls[i]);
        assert_true(json_array_size(json_object_get(all, "rows")) > 0);
        check_documented(docs, all);
        json_decref(all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_peers),
        cmocka_unit_test(test_peer_that_cannot_run),
        cmocka_unit_test(test_page),
        cmocka_unit_test(test_documentation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
