/* SPDX-License-Identifier: MIT */
#include "examples/harness/run/settings.h"
#include "examples/tabular/tabular.h"

static const harness_option table[] = {
    HARNESS_COMMON_OPTIONS(tabular_settings, shell.common),
    {"hidden", HARNESS_FIELD(tabular_settings, hidden), "16", 0, 4096,
     HARNESS_TRAIN | HARNESS_ABLATE, .group = "Model",
     .help = "channels of the hidden layer (0: none, a linear model)"},
    HARNESS_TRAINING_OPTIONS(tabular_settings),
    HARNESS_MODEL_OPTIONS(tabular_settings),
};

static const harness_command commands[] = {HARNESS_MODEL_COMMANDS};

const harness_program tabular_program = {
    .name = "tabular",
    .version = "0.1.0",
    .help = "Ranks the items of tables by the run times that their features let expect",
    .options = table,
    .option_count = (int)(sizeof table / sizeof *table),
    .commands = commands,
    .command_count = (int)(sizeof commands / sizeof *commands),
    .options_bytes = sizeof(tabular_settings),
    .model = &tabular_model};
