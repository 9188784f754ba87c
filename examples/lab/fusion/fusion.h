/* SPDX-License-Identifier: MIT */
/* The kernels of several random fusions of one program, each kernel once. */
#ifndef LAB_FUSION_H
#define LAB_FUSION_H

#include "examples/lab/fusion/kernels.h"

typedef struct lab_fusion {
    lab_program *kernel; /* [n], in the order in which the partitions need them; a bag, if
                            lab_fusion_clear frees it */
    uint64_t *hash;      /* [n], all different; a bag */
    int n;
    int64_t *offset, *part; /* partition q has the kernels part[offset[q]..offset[q + 1] - 1] */
    int partitions;
} lab_fusion;

/* Partition 0 fuses nothing, partition 1 everything possible, the others with a random rate. The
   same program, seed and number give the same partitions. Free with lab_fusion_clear, also after a
   failure. */
ag_status lab_fusion_draw(lab_fusion *f, const lab_program *p, int partitions, uint64_t seed,
                          ag_failure *why);
void lab_fusion_clear(lab_fusion *f);
/* Takes the kernel over, or clears it when there is an equal one. Returns its number. */
int lab_fusion_add(lab_fusion *f, lab_program *kernel);

/* How many partitions, from partition 0 on, have all of their kernels among the first `kernels`. */
int lab_fusion_within(const lab_fusion *f, int kernels);

#endif
