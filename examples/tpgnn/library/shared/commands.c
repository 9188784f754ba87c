/* SPDX-License-Identifier: MIT */
/* In place of the program's commands, which its table of options names: without them the shared
   object needs neither trainer nor baselines, and no second XGBoost comes into a tuner that has
   one. Nothing calls them. */
#include "examples/harness/harness.h"
#include "examples/tpgnn/program.h"

#define ABSENT(name)                                                                       \
 ag_status tpgnn_##name##_command(harness_call *call, ag_failure *why)                     \
 {                                                                                         \
  (void)call;                                                                              \
  return ag_fail(why, AG_EUSE, "the library has no command " #name "; run tpgnn instead"); \
 }

ABSENT(train)
ABSENT(eval)
ABSENT(predict)
ABSENT(ablate)
ABSENT(logs)
ABSENT(inspect)
