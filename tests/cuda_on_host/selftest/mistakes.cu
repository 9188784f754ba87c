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

/* 1, and a message: it was not found for the right reason or, where it has to pass, was found. */
static int is_bad(const mistake &m, bool passes)
{
    char said[20000];
    const int status = status_of(m, said, sizeof said);
    const bool right = passes   ? status == 0
                       : m.text ? (status == MISUSE || status == CHECKER) && says(said, m.text)
                                : status == WRONG;
    printf("%s, %s: %s\n", right ? "right" : "WRONG", passes ? "passes" : "found", m.what);
    if (!right) printf("exit status %d\n%s", status, said);
    return !right;
}

static int count_bad(const std::vector<mistake> &all, bool pass = false)
{
    int bad = 0;
    for (const mistake &m : all) bad += is_bad(m, pass);
    return bad;
}

int main()
{
    const int bad = count_bad(mistakes_of_threads) + count_bad(mistakes_of_host) +
                    count_bad(mistakes_of_memory) + count_bad(mistakes_of_blas_lt) +
                    count_bad(mistakes_checked, !cuda_on_host_checked()) +
                    is_bad({"no mistake", NULL, NULL}, true);
    printf("%d failed\n", bad);
    return bad != 0;
}
