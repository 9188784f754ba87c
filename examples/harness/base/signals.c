/* SPDX-License-Identifier: MIT */
/* The first signal asks the program to stop; a second SIGINT or SIGTERM ends it. */
#define _GNU_SOURCE
#include "examples/harness/base/base.h"
#include "core/error.h"

#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t seen;

/* A terminal that goes away may send SIGHUP more than once. */
static void note(int signal)
{
    if (seen && signal != SIGHUP) _exit(HARNESS_EXIT_INTERRUPTED);
    seen = 1;
}

void harness_catch_signals(void)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART}, before;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &before) || before.sa_handler != SIG_IGN) /* nohup ignores it */
        sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN); /* `| head` then shows as a write error, with a sentence */
    signal(SIGXFSZ, SIG_IGN); /* and so does a file that exceeds `ulimit -f` */
}

int harness_interrupted(void) { return seen; }

bool harness_go_on(ag_failure *why)
{
    if (!why->status && seen) ag_fail(why, AG_ESTOPPED, "interrupted");
    return !why->status;
}
