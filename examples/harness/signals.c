/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "examples/harness/harness.h"

#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t seen;

static void note(int signal)
{
    (void)signal;
    if (seen) _exit(HARNESS_EXIT_INTERRUPTED);
    seen = 1;
}

/* The handler has a stack of its own: generated kernels of oneDNN keep values below the pointer of
   the one that they run on, which a signal would write over. */
static void take_stack(void)
{
    static char room[1 << 16];
    const stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
    sigaltstack(&stack, NULL);
}

void harness_catch_signals(void)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART | SA_ONSTACK};
    take_stack();
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN); /* `| head` shows as a write error, with a sentence */
}

int harness_interrupted(void) { return seen; }
