/* SPDX-License-Identifier: MIT */
/* Runs each planted mistake and looks whether it was found, and for the right reason. Mistakes for
   the checker have to be missed without it, so that it is the checker that finds them. */
#include "mistakes.hpp"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { MISUSE = 96, CHECKER = 97, BROKEN = 91 };

/* 1 if the message contains one of the texts, between which is a |. */
static int says(const char *said, const char *texts)
{
    char one_text[200];
    for (const char *p = texts; p; p = strchr(p, '|')) {
        p += *p == '|';
        snprintf(one_text, sizeof one_text, "%.*s", (int)strcspn(p, "|"), p);
        if (strstr(said, one_text)) return 1;
    }
    return 0;
}

[[noreturn]] static void run(const mistake &m, FILE *messages)
{
    dup2(fileno(messages), 2);
    open_streams();
    if (m.run) m.run();
    if (cudaDeviceSynchronize() != cudaSuccess || failures) _exit(BROKEN);
    exit(0); /* the checker reports now */
}

/* The exit status of a process that makes the mistake, and its message. */
static int status_of(const mistake &m, char *said, size_t size)
{
    int status;
    FILE *messages = tmpfile();
    fflush(stdout);
    const pid_t child = fork();
    if (!child) run(m, messages);
    waitpid(child, &status, 0);
    rewind(messages);
    said[fread(said, 1, size - 1, messages)] = 0;
    fclose(messages);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int is_found(const mistake &m)
{
    char said[20000];
    const int status = status_of(m, said, sizeof said);
    const int found =
        m.text ? (status == MISUSE || status == CHECKER) && says(said, m.text) : status == WRONG;
    printf("%s: %s\n", found ? "found" : "MISSED", m.what);
    if (!found) printf("exit status %d\n%s", status, said);
    return found;
}

static int misses(const std::vector<mistake> &all)
{
    int missed = 0;
    for (const mistake &m : all) missed += !is_found(m);
    return missed;
}

/* Without the checker: each passes, or the results show it. */
static int finds(const std::vector<mistake> &all)
{
    int bad = 0;
    char said[20000];
    for (const mistake &m : all) {
        const int status = status_of(m, said, sizeof said);
        if (status == 0) continue;
        printf("found without the checker: %s: exit status %d\n%s", m.what, status, said);
        bad++;
    }
    return bad;
}

int main()
{
    char said[20000];
    int bad = misses(mistakes_of_threads) + misses(mistakes_of_host) + misses(mistakes_of_memory) +
              misses(mistakes_of_blas_lt) +
              (cuda_on_host_checked() ? misses : finds)(mistakes_checked);
    const int status = status_of({"none", NULL, NULL}, said, sizeof said);
    if (status) printf("no mistake: exit status %d\n%s", status, said);
    bad += status != 0;
    printf("%d failed\n", bad);
    return bad != 0;
}
