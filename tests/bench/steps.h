/* SPDX-License-Identifier: MIT */
/* Networks on made data, for timing their training steps. */
#ifndef BENCH_STEPS_H
#define BENCH_STEPS_H

#include "augur.h"

typedef struct bench_network {
    ag_params *params;
    void *data;
    ag_tensor *(*record)(void *data, ag_tape *tape); /* the loss */
    void (*close)(void *data);                       /* frees the parameters, too */
} bench_network;

/* Each fills *network, with its parameters on the CPU. `hidden` channels, where the network leaves
   the choice. 0: ready. */
ag_status bench_tgraph(bench_network *network, int configs, int nodes, int hidden, ag_failure *why);
ag_status bench_tpu_lstm(bench_network *network, int kernels, int nodes, int hidden,
                         ag_failure *why);
ag_status bench_tpu_transformer(bench_network *network, int kernels, int nodes, int hidden,
                                ag_failure *why);
ag_status bench_tpgnn(bench_network *network, int trees, int nodes, int hidden, ag_failure *why);

#endif
