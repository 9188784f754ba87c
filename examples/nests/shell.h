/* SPDX-License-Identifier: MIT */
/* nests as the harness sees it (examples/harness/run/model.h). */
#ifndef NESTS_SHELL_H
#define NESTS_SHELL_H

#include "examples/nests/checkpoint.h"
#include "examples/nests/results.h"
#include "examples/nests/steps.h"

extern const harness_model nests_shell;

#endif
