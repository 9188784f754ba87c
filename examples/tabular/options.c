/* SPDX-License-Identifier: MIT */
/* The options and commands of `tabular`: one option of its own, --hidden. */
#include "examples/harness/model/settings.h"
#include "examples/tabular/tabular.h"

static const harness_option table[] = {
    HARNESS_COMMON_OPTIONS(tabular_settings, harness.common),
    {"hidden", HARNESS_FIELD(tabular_settings, hidden), "16", 0, 4096,
     HARNESS_TRAIN | HARNESS_ABLATE, .group = "Model",
     .help = "channels of the hidden layer (0: none, a linear model)"},
    HARNESS_TRAINING_OPTIONS(tabular_settings),
    HARNESS_MODEL_OPTIONS(tabular_settings),
};

static const harness_command commands[] = {HARNESS_RUN_COMMANDS("files with run times", "items"),
                                           HARNESS_INSPECT_COMMAND("files"),
                                           HARNESS_ABLATE_COMMAND};

const harness_program tabular_program = {
    .name = "tabular",
    .version = "0.1.0",
    .help = "Ranks the items of tables by run times predicted from their features",
    HARNESS_TABLES(table, commands),
    .options_bytes = sizeof(tabular_settings),
    .model = &tabular_model};
