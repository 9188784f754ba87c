/* SPDX-License-Identifier: MIT */
/* The loop nests of several configurations as rows of a table. */
#ifndef TPU_NEST_ROWS_H
#define TPU_NEST_ROWS_H

#include "examples/tpu/nest/nests.h"

/* The nests of all configurations of a kernel, one after the other. */
typedef struct tpu_rows {
    int configs;
    int *first;    /* [configs + 1] */
    float *x;      /* [first[configs], TPU_NEST_COLUMNS] */
    double *price; /* [first[configs]] ns, a guess: tpu_nest.price */
    int *node;     /* [first[configs]] */
    int room;
} tpu_rows;

/* Every n-th configuration, from `from` on; a fused kernel has its default tile. */
void tpu_rows_set(tpu_rows *rows, const tpu_kernel *kernel, int from, int every);
/* ln of the price of a configuration. */
double tpu_rows_log_price(const tpu_rows *rows, int config);
void tpu_rows_free(tpu_rows *rows);

#endif
