/* SPDX-License-Identifier: MIT */
/* The network of nests in float (ag__nests) and in double (ag64__nests); both are
   tests/both/nests_runner.c. */
#ifndef AG_TESTS_NESTS_RUNNER_H
#define AG_TESTS_NESTS_RUNNER_H

#include "examples/nests/model.h"

typedef struct nests_runner {
    /* ag_gradcheck of the loss of all training items of the first groups; infinite, and a sentence,
       when it cannot run. */
    double (*gradcheck)(const nests_set *set, const nests_settings *settings, int columns,
                        int words, int groups, char where[200]);
} nests_runner;

extern const nests_runner ag__nests, ag64__nests;

#endif
