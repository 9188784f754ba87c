/* SPDX-License-Identifier: MIT */
/* Simulated annealing over partitions. Prices of kernels come through an interface: measured,
   predicted, or made up by a test. */
#ifndef TPU_TUNE_SEARCH_H
#define TPU_TUNE_SEARCH_H

#include "examples/tpu/tune/cut.h"

/* Prices of the kernels of a pool; each is asked for once. Start from {state, price} and a factor,
   free with tune_prices_free. */
typedef struct tune_prices {
    void *state;
    /* ns[i]: above 0, of kernel i of n. It may set *stop: then the numbers mean nothing. */
    ag_status (*price)(void *state, double *ns, const lab_fusion *kernels, int *stop,
                       ag_failure *why);
    const struct tune_prices
        *better;   /* prices that take precedence where they are known; NULL: none */
    double factor; /* factor for the own prices */
    double *ns;    /* [known]; 0: not asked for yet */
    int known, stop;
    int64_t asked; /* kernels so far */
} tune_prices;

void tune_prices_free(tune_prices *prices);
/* The own price of a kernel, without factor; 0: not asked for yet. */
double tune_prices_of(const tune_prices *prices, int kernel);

/* The sum over the kernels of each cut; unknown kernels are priced in one call. */
ag_status tune_price(double *ns, tune_prices *prices, const tune_cut *const *cut, int count,
                     ag_failure *why);

typedef struct tune_options {
    int64_t evaluations; /* different partitions that are priced at most, the start included */
    int chains; /* chains that run in parallel; each step prices the kernels of all in one call */
    double hot, cold; /* temperature at the begin and at the end, in ln(time) */
    uint64_t seed;
} tune_options;

/* Called for every partition that is priced for the first time; evaluation 1 is the start. */
typedef struct tune_visitor {
    void *state;
    void (*visit)(void *state, const tune_cut *cut, double ns, int64_t evaluation);
} tune_visitor;

/* All chains begin at `start`. A partition that is `ns` slower in ln(time) than the one before it
   is accepted with probability exp(-ns / temperature); the temperature falls geometrically with the
   evaluations used. A partition that was priced before costs nothing. The search ends when the
   evaluations are used, when nearly all partitions were seen, or when prices->stop is set. */
ag_status tune_anneal(const tune_options *options, const tune_cut *start, tune_prices *prices,
                      const tune_visitor *visitor, ag_failure *why);

#endif
