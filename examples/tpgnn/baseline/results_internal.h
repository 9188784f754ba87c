/* SPDX-License-Identifier: MIT */
#ifndef TPGNN_RESULTS_PARTS_H
#define TPGNN_RESULTS_PARTS_H

#include "examples/tpgnn/results.h"

/* The method whose columns are next to the model's: the strongest of them on the schedules that
   come with the sources. */
#define TPGNN_BESIDE "XGBoost (tuned)"

/* Adds a method with scores of 0 and returns its number. Takes the note. */
int tpgnn_results_method(tpgnn_results *r, const char *name, char *note);

#endif
