/* SPDX-License-Identifier: MIT */
/* One pass over all configurations of all kernels, in batches of kernels of similar size, which
   keeps the padding to the longest of a batch small. */
#ifndef TPU_PASS_H
#define TPU_PASS_H

#include "examples/tpu/model/batch.h"

typedef struct tpu_pass {
    const tpu_data *data;
    int samples, nodes; /* most of a batch */
    int32_t *order;     /* [kernels] by nodes, equal ones in the order of the data */
    int next, config;   /* the next sample: of kernel order[next] */
    int64_t *first; /* [kernels + 1] the score of (kernel, config) has place first[kernel] + config;
                       the last is the number of scores */
    tpu_sample *sample; /* [samples] the batch */
} tpu_pass;

/* A batch has at most so many samples and nodes, but at least one sample. Fails: AG_EMEMORY. */
ag_status tpu_pass_open(tpu_pass *pass, const tpu_data *data, int samples, int nodes,
                        ag_failure *why);
void tpu_pass_close(tpu_pass *pass);
/* Fills pass->sample and returns the number of samples, 0 at the end. A kernel's configurations are
   consecutive and may continue in the next batch. */
int tpu_pass_next(tpu_pass *pass);
/* The index of a sample's score. */
int64_t tpu_pass_place(const tpu_pass *pass, const tpu_sample *sample);

#endif
