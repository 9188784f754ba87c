/* SPDX-License-Identifier: MIT */
/* Ranks the items of tables: options and model of the program `tabular`. */
#ifndef TABULAR_TABULAR_H
#define TABULAR_TABULAR_H

#include "examples/harness/model/model.h"

typedef struct tabular_settings {
    harness_settings harness; /* first: the options that the harness reads */
    int hidden;
} tabular_settings;

extern const harness_program tabular_program;
extern const harness_model tabular_model;

#endif
