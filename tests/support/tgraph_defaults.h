/* SPDX-License-Identifier: MIT */
/* TGraph as the program makes it without options. */
#ifndef AG_TESTS_TGRAPH_DEFAULTS_H
#define AG_TESTS_TGRAPH_DEFAULTS_H

#include "examples/harness/cli/options.h"
#include "examples/harness/harness.h"
#include "examples/tgraph/program.h"

static inline tgraph_options tgraph_defaults(void)
{
    tgraph_settings s;
    harness_options_free(harness_options_new(&tgraph_program_table, HARNESS_TRAIN, &s));
    return s.model;
}

#endif
