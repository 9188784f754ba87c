/* SPDX-License-Identifier: MIT */
/* The options of the demo program, parsed from words. */
#ifndef HARNESS_PARSED_H
#define HARNESS_PARSED_H

#include "harness_demo.h"

#include <string.h>

static ag_status nothing(harness_call *call, ag_failure *why)
{
    (void)call;
    return why->status;
}
static ag_status demo_train(harness_call *call, ag_failure *why) { return nothing(call, why); }
static ag_status demo_eval(harness_call *call, ag_failure *why) { return nothing(call, why); }

typedef struct parsed {
    demo_options values;
    harness_options *o;
    ag_failure why;
    ag_status status;
} parsed;

static inline void parse(parsed *p, unsigned command, const char *positional,
                         const char *const *words)
{
    enum { MOST = 12 };
    int argc = 0;
    char *argv[MOST];
    for (; words[argc]; argc++) argv[argc] = (char *)(uintptr_t)words[argc];
    memset(p, 0, sizeof *p);
    p->o = harness_options_new(&demo, command, &p->values);
    p->status = harness_options_argv(p->o, argc, argv, positional, &p->why);
}

#endif
