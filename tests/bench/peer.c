/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* pipe2 */
#include "peer.h"

#include "bench.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define PEER AG_SOURCE_DIR "/tests/bench/peer.py"

/* The child reads from `in` and writes to `out`. It sees no other end of any pipe: a peer started
   later would keep the input of an earlier one from ending. */
static pid_t spawn(char *const *argv, const int in[2], const int out[2])
{
    pid_t pid = 0;
    posix_spawn_file_actions_t files;
    if (posix_spawn_file_actions_init(&files)) return 0;
    posix_spawn_file_actions_adddup2(&files, in[0], 0);
    posix_spawn_file_actions_adddup2(&files, out[1], 1);
    if (posix_spawn(&pid, argv[0], &files, NULL, argv, environ)) pid = 0;
    posix_spawn_file_actions_destroy(&files);
    return pid;
}

/* Reads the first line of its output. */
static json_t *read_about(FILE *from)
{
    char line[2048];
    return from && fgets(line, sizeof line, from) ? json_loads(line, 0, NULL) : NULL;
}

int bench_peer_open(bench_peer *p, const char *python, const char *model, int count, int nodes)
{
    char line[300];
    int in[2], out[2];
    memset(p, 0, sizeof *p);
    snprintf(line, sizeof line,
             "exec \"$@\" --serve --model %s --count %d --nodes %d --threads %d --device %s "
             "--precision %s",
             model, count, nodes, ag_threads(), bench_device == AG_CPU ? "cpu" : "cuda",
             bench_precision == AG_TF32 ? "tf32" : "fp32");
    const char *argv[] = {"/bin/sh", "-c", line, "bench", python, PEER, NULL};
    signal(SIGPIPE, SIG_IGN);
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) return 1;
    p->pid = spawn((char *const *)argv, in, out);
    close(in[0]);
    close(out[1]);
    p->to = fdopen(in[1], "w");
    p->from = fdopen(out[0], "r");
    p->about = p->pid ? read_about(p->from) : NULL;
    if (json_object_get(p->about, "ready")) return 0;
    bench_peer_close(p);
    if (json_object_get(p->about, "failed")) return 0;
    fprintf(stderr, "bench: %s %s --model %s does not start; it needs PyTorch.\n", python, PEER,
            model);
    return 1;
}

double bench_peer_run(bench_peer *p)
{
    char line[64];
    if (fputs("\n", p->to) < 0 || fflush(p->to) || !fgets(line, sizeof line, p->from)) return -1;
    return strtod(line, NULL) * 1e-3;
}

void bench_peer_close(bench_peer *p)
{
    char line[1024];
    if (p->to) fclose(p->to);
    if (p->from && fgets(line, sizeof line, p->from)) {
        json_t *json = json_loads(line, 0, NULL);
        p->peak = 1048576 * json_number_value(json_object_get(json, "peak_mb")); /* MiB */
        json_decref(json);
    }
    if (p->from) fclose(p->from);
    if (p->pid) waitpid(p->pid, NULL, 0);
    p->to = p->from = NULL;
    p->pid = 0;
}
