/* SPDX-License-Identifier: MIT */
/* Draws fusions of a program and lists their kernels, each once. */
#include "examples/lab/fusion/fusion.h"

#include "core/random.h"
#include "examples/harness/base/bag.h"

void lab_fusion_clear(lab_fusion *f)
{
    for (int i = 0; i < f->n; i++) lab_program_clear(&f->kernel[i]);
    bag_free(f->kernel);
    bag_free(f->hash);
    harness_free(f->offset);
    bag_free(f->part);
    *f = (lab_fusion){0};
}

int lab_fusion_add(lab_fusion *f, lab_program *kernel)
{
    const uint64_t hash = lab_kernel_hash(kernel);
    for (int i = 0; i < f->n; i++)
        if (f->hash[i] == hash) {
            lab_program_clear(kernel);
            return i;
        }
    bag_add(f->hash, hash);
    bag_add(f->kernel, *kernel);
    return f->n++;
}

void lab_fusion_draw(lab_fusion *f, const lab_program *p, int partitions, uint64_t seed)
{
    ag_random random = {seed, lab_kernel_hash(p), 0};
    int *group = HARNESS_NEW(group, p->n);
    *f = (lab_fusion){.offset = HARNESS_NEW(f->offset, (size_t)partitions + 1)};
    while (f->partitions < partitions) {
        const double drawn = ag_random_uniform(&random);
        const double rate = f->partitions < 2 ? f->partitions : drawn;
        const int groups = lab_partition(group, p, rate, ag_random_bits(&random));
        for (int g = 0; g < groups; g++) {
            lab_program kernel;
            lab_kernel(&kernel, p, group, g);
            bag_add(f->part, lab_fusion_add(f, &kernel));
        }
        f->offset[++f->partitions] = bag_count(f->part);
    }
    harness_free(group);
}

int lab_fusion_within(const lab_fusion *f, int kernels)
{
    for (int q = 0; q < f->partitions; q++)
        for (int64_t i = f->offset[q]; i < f->offset[q + 1]; i++)
            if (f->part[i] >= kernels) return q;
    return f->partitions;
}
