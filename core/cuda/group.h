/* SPDX-License-Identifier: MIT */
/* A fused group on a GPU: a block takes 1,024 elements and runs every job of the group on them.
   Values that only the group uses are in tiles of shared memory; a thread has the same elements in
   all jobs, so there is no barrier. A file that includes this one first includes the bodies, with
   AG_BODIES_ALONE; AG_GROUP_BODIES names a file with a line BODY(name) for each of them. */
#ifndef AG_CORE_CUDA_GROUP_H
#define AG_CORE_CUDA_GROUP_H

#include "core/cuda/device.h"
#include "core/kernel.h"

#include <stdio.h>

enum {
#define BODY(name) BODY_##name,
#include AG_GROUP_BODIES
#undef BODY
    N_BODIES
};

typedef struct ag__body {
    void (*cuda)(const ag_args *a); /* by which a kernel is found */
    const char *name;
    int reads;
} ag__body;

static const ag__body ag__bodies[] = {
#define BODY(name) {ag__cuda_##name, #name, name##_reads},
#include AG_GROUP_BODIES
#undef BODY
};

/* A job as the device gets it: all jobs are one argument of the kernel. */
typedef struct ag__small_job {
    const ag_real *from[4]; /* inputs 0 and 1, output, its gradient, as in AG_READS_X ... */
    ag_real *to;
    double f0, f1;
    uint32_t ordinal;
    int16_t body;
    int8_t reads, add;
    int8_t from_tile[4], to_tile; /* -1: in memory */
} ag__small_job;

typedef struct ag__group {
    ag__small_job job[AG__GROUP_JOBS];
    int64_t elements;
    const ag_run_record *run;
    int jobs;
} ag__group;
static_assert(sizeof(ag__group) <= 4000, "4 KiB of arguments are what every CUDA allows");

/* Where this thread's first element is: `at` within the block. */
KERNEL ag_real *ag__place(const ag_real *p, int tile, ag_real *tiles, int64_t first, int at)
{
    return tile < 0 ? (ag_real *)p + first : tiles + tile * AG_BLOCK_ELEMENTS + at;
}

/* Operand o of a job, if its body reads it. */
KERNEL void ag__take_operand(ag_real v[AG_EACH], const ag__small_job *job, int o, ag_real *tiles,
                             int64_t first, int at, int mine)
{
    if (job->reads >> o & 1)
        ag__take(v, ag__place(job->from[o], job->from_tile[o], tiles, first, at), mine);
}

KERNEL void ag__run_body(int body, ag_args *own, ag__held *held)
{
    switch (body) {
#define BODY(name)                  \
case BODY_##name:                   \
 ag__show(own, held, name##_reads); \
 name(own, 0, AG_EACH, 0);          \
 break;
#include AG_GROUP_BODIES
#undef BODY
    default: break;
    }
}

static __global__ void __launch_bounds__(AG_BLOCK, 4)
    group_grid(const __grid_constant__ ag__group g)
{
    AG__SHARED(ag_real, tiles);
    const int at = ag__first_of_block();
    const int64_t first = (int64_t)blockIdx.x * AG_BLOCK_ELEMENTS + at;
    const int mine = ag__mine(first, g.elements);
    for (int k = 0; k < g.jobs; k++) {
        const ag__small_job *const job = &g.job[k];
        ag_real *const to = ag__place(job->to, job->to_tile, tiles, first, at);
        ag__held held;
        ag_args own;
        ag__take_operand(held.x[0], job, 0, tiles, first, at, mine);
        ag__take_operand(held.x[1], job, 1, tiles, first, at, mine);
        ag__take_operand(held.y, job, 2, tiles, first, at, mine);
        ag__take_operand(held.dy, job, 3, tiles, first, at, mine);
        ag__take(held.old, to, job->add ? mine : 0);
        ag__set_constants(&own, first, job->f0, job->f1, g.run, job->ordinal);
        ag__run_body(job->body, &own, &held);
        ag__give(to, &held, mine, job->add);
    }
}

extern "C" int ag__device_group_number(void (*cuda)(const ag_args *a))
{
    for (int i = 0; i < N_BODIES; i++)
        if (ag__bodies[i].cuda == cuda) return i;
    return -1;
}

static ag__small_job ag__small(const ag__group_job *job)
{
    const ag_args *a = job->args;
    ag__small_job to = {};
    const int reads = ag__bodies[job->number].reads, back = reads & AG_READS_DY;
    const void *const from[4] = {a->x[0], a->x[1], a->y[0], a->dy[0]};
    for (int o = 0; o < 4; o++) {
        to.from[o] = (const ag_real *)from[o];
        to.from_tile[o] = job->tile[o];
    }
    to.to = back ? a->dx : (ag_real *)a->y[0];
    to.to_tile = job->tile[back ? AG__TILE_DX : AG__TILE_Y];
    to.f0 = a->attr.f[0];
    to.f1 = a->attr.f[1];
    to.ordinal = a->ordinal;
    to.body = (int16_t)job->number;
    to.reads = (int8_t)reads;
    to.add = (int8_t)(back && a->add);
    return to;
}

/* The names of the kernels of a group, for its error sentence; valid until the next group. */
static const char *ag__group_names(const ag__group_job *jobs, int n)
{
    static char text[AG__GROUP_JOBS * 32];
    size_t at = 0;
    for (int k = 0; k < n && at < sizeof text; k++)
        at += (size_t)snprintf(text + at, sizeof text - at, k ? ", %s" : "%s",
                               ag__bodies[jobs[k].number].name);
    return text;
}

/* Does what AG__START_SHARED does, under the names of the jobs. */
static void ag__start_group(const ag__group *group, size_t tile_bytes, const char *names)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(ag__blocks(group->elements, AG_BLOCK_ELEMENTS));
    config.blockDim = AG__ELEMENTS_BLOCK;
    config.dynamicSmemBytes = tile_bytes;
    config.stream = (cudaStream_t)ag__cuda_stream();
    AG__NAME(group);
    ag__cuda_started(names, (int)cudaLaunchKernelEx(&config, group_grid, *group));
}

extern "C" void ag__device_group(const ag__group_job *jobs, int n, size_t tile_bytes)
{
    ag__group group = {};
    const ag_args *a = jobs[0].args;
    for (int k = 0; k < n; k++) group.job[k] = ag__small(&jobs[k]);
    group.jobs = n;
    group.elements = ag__elements(a->ys[0]);
    group.run = a->run;
    if (group.elements) ag__start_group(&group, tile_bytes, ag__group_names(jobs, n));
}

#endif
