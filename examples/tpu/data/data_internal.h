/* SPDX-License-Identifier: MIT */
/* Declarations for the files that read data. The model does not see them. */
#ifndef TPU_DATA_PARTS_H
#define TPU_DATA_PARTS_H

#include "examples/tpu/data/data.h"

/* The memory of a file; its kernels point into these arrays. */
typedef struct tpu_file {
    char *name;     /* without .npz */
    tpu_kernel all; /* its arrays; run times that are hidden, too */
    int64_t *normalizer;
    tpu_task task;
    int kernels;
    size_t bytes; /* taken from the budget */
} tpu_file;

/* Puts the nodes in topological order; file: its name in sentences. Fails: AG_EDATA (a circle),
   AG_EMEMORY. */
ag_status tpu_order(tpu_kernel *kernel, const char *file, const tpugraphs_budget *budget,
                    ag_failure *why);

/* Finds or adds the program and family of a file named so (without .npz). */
void tpu_name(tpu_data *data, const char *name, tpu_task task, int *program, int *family);
/* XXH3 of a kernel and of the normalizers of its run times (NULL: fusion); only this hash reads the
   normalizers. It starts from `before`, the hash of what was read earlier. */
uint64_t tpu_hash(uint64_t before, const tpu_data *data, const tpu_kernel *kernel,
                  const int64_t *normalizer);

#endif
