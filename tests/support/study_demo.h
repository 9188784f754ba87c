/* SPDX-License-Identifier: MIT */
/* A study of the small program, for the tests that read one and that run one. */
#ifndef STUDY_DEMO_H
#define STUDY_DEMO_H

#include "support/files.h"
#include "support/harness_demo.h"

static const char study_text[] = "[study]\n"
                                 "title = What edges are worth\n"
                                 "seeds = 1, 3..4\n"
                                 "steps = 5\n"
                                 "[complete]\n"
                                 "; without keys\n"
                                 "[no edges]\n"
                                 "edges = false\n"
                                 "steps = 6\n"
                                 "[diverges]\n"
                                 "learning-rate = 10\n";

/* Of each test: the options of a call, a study of it. */
static demo_options values;
static harness_options *o;
static harness_study s;

static int set_up(void **state)
{
    o = harness_options_new(&demo, HARNESS_ABLATE, &values);
    s = (harness_study){0};
    harness_log_start("demo", true);
    return files_make(state);
}

static int tear_down(void **state)
{
    harness_study_free(&s);
    harness_options_free(o);
    return files_remove(state);
}

static ag_status parse(const char *text)
{
    return harness_study_parse(&s, "s.ini", text, strlen(text), o, new_failure());
}

#endif
