/* SPDX-License-Identifier: MIT */
/* Runs the bench, alone or with a peer that is played by a script. */
#ifndef BENCH_RUNNER_H
#define BENCH_RUNNER_H

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

/* Runs the bench; returns its exit code and fills text with its output, errors included. */
static inline int bench(char *text, size_t bytes, const char *options)
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

static inline double value(json_t *row, const char *name)
{
    json_t *v = json_object_get(row, name);
    if (!json_is_number(v)) fail_msg("a row has no number \"%s\"", name);
    return json_number_value(v);
}

/* Runs the bench with a script as its peer. Returns the rows that `bench OPTIONS --peer SCRIPT`
   writes, to be freed; text gets its output. */
static inline json_t *with_peer(char *text, size_t bytes, const char *script, const char *given)
{
    char path[] = "/tmp/bench_peer_XXXXXX", table[] = "/tmp/bench_json_XXXXXX", options[300];
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal((int)write(file, script, strlen(script)), (int)strlen(script));
    assert_int_equal(fchmod(file, 0700), 0);
    close(file);
    close(mkstemp(table));
    snprintf(options, sizeof options, "--quick %s --peer %s --json %s", given, path, table);
    const int code = bench(text, bytes, options);
    json_t *all = json_load_file(table, 0, NULL);
    unlink(path);
    unlink(table);
    if (code) fail_msg("exit %d: %s", code, text);
    return all;
}

/* One that answers as peer.py does, and cannot compile. */
static const char half_player[] =
    "#!/bin/sh\ncase \"$*\" in *compiled*) echo '{\"failed\": \"no compiler\"}'; exit 1;; esac\n"
    "echo '{\"ready\": true}'\nwhile read line; do echo 7; done\n"
    "echo '{\"peak_mb\": 1}'\n";

/* A script that answers as peer.py does, and reports how it was called. */
static const char player[] = "#!/bin/sh\necho \"{\\\"ready\\\": true, \\\"torch\\\": \\\"9.9\\\", "
                             "\\\"call\\\": \\\"$*\\\"}\"\n"
                             "while read line; do echo 1000000; done\n"
                             "echo '{\"peak_mb\": 1000, \"resident_mb\": 1}'\n";

#endif
