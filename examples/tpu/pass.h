/* SPDX-License-Identifier: MIT */
/* All configurations of all kernels once, in batches of kernels of about one size: what a model
   pads to the longest of a batch is then little. */
#ifndef TPU_PASS_H
#define TPU_PASS_H

#include "examples/tpu/batch.h"

typedef struct tpu_pass {
    const tpu_data *data;
    int samples, nodes; /* the most of a batch */
    int32_t *order;     /* [kernels] by nodes, equal ones in the order of the data */
    int next, config;   /* the next sample: of kernel order[next] */
    int64_t *first;     /* [kernels + 1] the score of (kernel, config) has place first[kernel] +
                           config; the last is how many scores there are */
    tpu_sample *sample; /* [samples] the batch */
} tpu_pass;

/* A batch has at most so many samples and nodes, but at least one sample. Fails: AG_EUSE (less than
   1), AG_EMEMORY. */
ag_status tpu_pass_open(tpu_pass *pass, const tpu_data *data, int samples, int nodes,
                        ag_failure *why);
void tpu_pass_close(tpu_pass *pass);
/* Fills pass->sample; returns how many samples, 0 at the end. A kernel's configurations follow each
   other and may go on in the next batch. */
int tpu_pass_next(tpu_pass *pass);
/* Where the score of a sample belongs. */
int64_t tpu_pass_place(const tpu_pass *pass, const tpu_sample *sample);

#endif
