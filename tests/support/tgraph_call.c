/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "support/tgraph_call.h"

#include "core/internal.h"
#include "examples/tgraph/program.h"
#include "support/tgraph_npz.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <xxhash.h>

#include <cmocka.h>

#include "tests/files.h"

int tgraph_pictures = 1;

static char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", test_folder, name);
    return path;
}

char *tgraph_text_of(const char *name)
{
    char *text = files_text(test_folder, name);
    if (!text) fail_msg("%s is not there", name);
    return text;
}

uint64_t tgraph_hash_of(const char *name)
{
    size_t bytes;
    char *text = files_get(path_of(name), &bytes);
    if (!text) fail_msg("%s is not there", name);
    const uint64_t hash = XXH3_64bits(text, bytes);
    free(text);
    return hash;
}

void tgraph_expect_same(const char *one, const char *two)
{
    static const char *const files[] = {"last.safetensors", "best.safetensors", "metrics.jsonl",
                                        "metrics.csv", "config.json"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char a[200], b[200];
        snprintf(a, sizeof a, "%s/%s", one, files[i]);
        snprintf(b, sizeof b, "%s/%s", two, files[i]);
        if (tgraph_hash_of(a) != tgraph_hash_of(b)) print_error("%s and %s differ\n", a, b);
        assert_true(tgraph_hash_of(a) == tgraph_hash_of(b));
    }
}

static void redirect(const char *name, int to)
{
    const int file = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    dup2(file, to);
    close(file);
}

static void slurp(const char *name, char *to, size_t bytes)
{
    FILE *file = fopen(path_of(name), "rb");
    to[file ? fread(to, 1, bytes - 1, file) : 0] = 0;
    if (file) fclose(file);
}

static pid_t start(const char *line, long nth)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child != 0) return child;
    int argc = 0;
    char *argv[64], *rest = NULL, *copy = strdup(line);
    for (char *word = strtok_r(copy, " ", &rest); word && argc < 63;
         word = strtok_r(NULL, " ", &rest))
        argv[argc++] = word;
    argv[argc] = NULL;
    if (chdir(test_folder) != 0) _exit(99);
    redirect("stdout", STDOUT_FILENO);
    redirect("stderr", STDERR_FILENO);
    if (!tgraph_pictures) setenv("PATH", "/none", 1);
    if (nth) ag__fail_allocation(nth, 0);
    const int code = tgraph_main(argc, argv);
    fflush(stdout);
    free(copy);
    exit(code); /* and not _exit: leaks are reported at exit */
}

static tgraph_outcome finish(pid_t child)
{
    tgraph_outcome o;
    int status;
    waitpid(child, &status, 0);
    o.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    slurp("stdout", o.out, sizeof o.out);
    slurp("stderr", o.err, sizeof o.err);
    return o;
}

tgraph_outcome tgraph_call_without_memory(const char *line, long nth)
{
    return finish(start(line, nth));
}

tgraph_outcome tgraph_call(const char *line) { return finish(start(line, 0)); }

tgraph_outcome tgraph_call_signal(const char *line, int signal, const char *name, long bytes)
{
    const pid_t child = start(line, 0);
    struct stat about;
    siginfo_t ended = {0};
    while (stat(path_of(name), &about) != 0 || about.st_size < bytes) {
        waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT);
        if (ended.si_pid == child) break;
        usleep(500);
    }
    kill(child, signal);
    return finish(child);
}

tgraph_outcome tgraph_expect(const char *line, int code, const char *out, const char *err)
{
    tgraph_outcome o = tgraph_call(line);
    if (o.code != code || !strstr(o.out, out) || !strstr(o.err, err))
        print_error("%s: exit %d\nstdout: %s\nstderr: %s\n", line, o.code, o.out, o.err);
    assert_int_equal(o.code, code);
    assert_non_null(strstr(o.out, out));
    assert_non_null(strstr(o.err, err));
    return o;
}

/* ---- files ------------------------------------------------------------------------------------
 */

enum { NODES = 12, EDGES = 11, CONFIGURABLE = 3, MOST = 512, TILE_NODES = 5 };

static void fill_node(float *row, int node)
{
    for (int k = 0; k < 134; k++) row[k] = (float)((node * 31 + k * 7) % 23);
    for (int k = 0; k < 6; k++) {
        row[21 + k] = k < node % 4 ? (float)(k + 2) : 0.0F;
        row[134 + k] = k < node % 4 ? (float)(node % 4 - 1 - k) : 0.0F;
    }
}

static uint32_t mixed(uint32_t x)
{
    x *= 2654435769u;
    x ^= x >> 15;
    x *= 2246822519u;
    return x ^ x >> 13;
}

void tgraph_write_layout(const char *name, int configs, int kind)
{
    static float node[NODES][140], config[MOST][CONFIGURABLE][18];
    static int64_t edge[EDGES][2], id[CONFIGURABLE] = {2, 5, 9}, runtime[MOST],
                                   split[2] = {0, NODES};
    uint8_t code[NODES];
    assert_true(configs >= 2 && configs <= MOST);
    for (int v = 0; v < NODES; v++) {
        fill_node(node[v], v + kind);
        code[v] = (uint8_t)(10 + v);
    }
    for (int e = 0; e < EDGES; e++) {
        edge[e][0] = e + 1;
        edge[e][1] = e / 2;
    }
    for (int c = 0; c < configs; c++) {
        const int from = c == configs - 1 ? 0 : c;
        runtime[c] = 1000 + from % 3;
        for (int v = 0; v < CONFIGURABLE; v++)
            for (int k = 0; k < 18; k++) {
                const int digit = (int)(mixed((uint32_t)(from * 97 + v * 18 + k)) % 7);
                config[c][v][k] = (float)(digit - 1);
                runtime[c] += digit * (k % 5) * (v + 1 + kind);
            }
        if (c == configs - 1) runtime[c] /= 2;
    }
    const test_array array[] = {
        {"node_feat", AG_F32, 2, {NODES, 140}, node},
        {"node_opcode", AG_U8, 1, {NODES}, code},
        {"edge_index", AG_I64, 2, {EDGES, 2}, edge},
        {"node_config_feat", AG_F32, 3, {configs, CONFIGURABLE, 18}, config},
        {"node_config_ids", AG_I64, 1, {CONFIGURABLE}, id},
        {"config_runtime", AG_I64, 1, {configs}, runtime},
        {"node_splits", AG_I64, 2, {1, 2}, split},
    };
    assert_true(test_arrays_write(path_of(name), array, 7));
}

void tgraph_write_tile(const char *name, int configs, int kind)
{
    static float node[TILE_NODES][140], config[MOST][24];
    static int64_t edge[TILE_NODES - 1][2], runtime[MOST], normalizer[MOST];
    uint8_t code[TILE_NODES];
    for (int v = 0; v < TILE_NODES; v++) {
        fill_node(node[v], v + kind);
        code[v] = (uint8_t)(60 + v);
    }
    for (int e = 0; e < TILE_NODES - 1; e++) {
        edge[e][0] = e + 1;
        edge[e][1] = e / 2;
    }
    for (int c = 0; c < configs; c++) {
        runtime[c] = 1000;
        normalizer[c] = 2000;
        for (int k = 0; k < 24; k++) {
            const int value = (int)(mixed((uint32_t)(c * 24 + k + kind)) % 9);
            config[c][k] = (float)value;
            runtime[c] += value * (k % 4) * 10;
        }
    }
    const test_array array[] = {
        {"node_feat", AG_F32, 2, {TILE_NODES, 140}, node},
        {"node_opcode", AG_U8, 1, {TILE_NODES}, code},
        {"edge_index", AG_I64, 2, {TILE_NODES - 1, 2}, edge},
        {"config_feat", AG_F32, 2, {configs, 24}, config},
        {"config_runtime", AG_I64, 1, {configs}, runtime},
        {"config_runtime_normalizers", AG_I64, 1, {configs}, normalizer},
    };
    assert_true(test_arrays_write(path_of(name), array, 6));
}
