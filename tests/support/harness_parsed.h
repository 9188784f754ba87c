/* SPDX-License-Identifier: MIT */
/* The options of the demo program, parsed from words. */
#ifndef HARNESS_PARSED_H
#define HARNESS_PARSED_H

#include "harness_demo.h"

#include <string.h>

typedef struct parsed {
    demo_options values;
    harness_options *o;
    ag_failure why;
    ag_status status;
    char line[800]; /* the words, which values point to */
} parsed;

static inline void parsed_free(parsed *p)
{
    harness_options_free(p->o);
    *p = (parsed){0};
}

/* Words are separated by single blanks or, where one of them has a blank or is empty, by `|`. What
   p held before is freed. */
static inline void parse(parsed *p, unsigned command, const char *positional, const char *line)
{
    enum { MOST = 20 };
    const char *between = strchr(line, '|') ? "|" : " ";
    int argc = 0;
    char *argv[MOST], *rest = p->line;
    parsed_free(p);
    snprintf(p->line, sizeof p->line, "%s", line);
    while (*line && rest && argc < MOST) argv[argc++] = strsep(&rest, between);
    p->o = harness_options_new(&demo, command, &p->values);
    p->status = harness_options_argv(p->o, argc, argv, positional, &p->why);
}

#endif
