/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L /* posix_spawn, fdopen */
#include "peer.h"

#include <fcntl.h>
#include <jansson.h>
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
    for (int i = 0; i < 2; i++) {
        fcntl(in[i], F_SETFD, FD_CLOEXEC);
        fcntl(out[i], F_SETFD, FD_CLOEXEC);
    }
    posix_spawn_file_actions_adddup2(&files, in[0], 0);
    posix_spawn_file_actions_adddup2(&files, out[1], 1);
    if (posix_spawnp(&pid, argv[0], &files, NULL, argv, environ)) pid = 0;
    posix_spawn_file_actions_destroy(&files);
    return pid;
}

int bench_peer_open(bench_peer *p, const char *python, const char *form, int configs, int nodes,
                    int threads)
{
    char c[16], n[16], t[16];
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    memset(p, 0, sizeof *p);
    snprintf(c, sizeof c, "%d", configs);
    snprintf(n, sizeof n, "%d", nodes);
    snprintf(t, sizeof t, "%d", threads);
    const char *argv[] = {python,    PEER, "--serve",  "--form", form,        "--configs", c,
                          "--nodes", n,    "--warmup", "2",      "--threads", t,           NULL};
    signal(SIGPIPE, SIG_IGN);
    if (pipe(in) || pipe(out)) return 1;
    p->pid = spawn((char *const *)argv, in, out);
    close(in[0]);
    close(out[1]);
    p->to = fdopen(in[1], "w");
    p->from = fdopen(out[0], "r");
    if (p->pid && fgets(p->about, sizeof p->about, p->from)) {
        p->about[strcspn(p->about, "\n")] = 0;
        return 0;
    }
    fprintf(stderr, "bench: %s %s --form %s does not start; it needs PyTorch%s.\n", python, PEER,
            form, strcmp(form, "pyg") == 0 ? " and PyG" : "");
    bench_peer_close(p);
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
        p->resident = 1048576 * json_number_value(json_object_get(json, "resident_mb"));
        json_decref(json);
    }
    if (p->from) fclose(p->from);
    if (p->pid) waitpid(p->pid, NULL, 0);
    p->to = p->from = NULL;
    p->pid = 0;
}
