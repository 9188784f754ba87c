/* SPDX-License-Identifier: MIT */
/* Uploads that do not wait. A step's inputs are written to pinned memory, copied to a landing area
   on the copy stream and from there moved to their places on the compute stream, since kernels of
   the step before may still read these places. With two slots neither side waits for the other. */
#include "core/cuda/inside.h"
#include "core/internal.h"
#include "core/memory.h"

typedef struct slot {
    char *host, *landing;
    size_t bytes;
    cudaEvent_t landed, moved;
    int busy; /* both events have been recorded */
} slot;

struct ag__stage {
    slot slots[2];
    int now;
};

static int slot_init(slot *s)
{
    return ag__cuda_keep(cudaEventCreateWithFlags(&s->landed, cudaEventDisableTiming)) ||
           ag__cuda_keep(cudaEventCreateWithFlags(&s->moved, cudaEventDisableTiming));
}

static void slot_clear(slot *s)
{
    if (s->busy) {
        ag__cuda_keep(cudaEventSynchronize(s->landed));
        ag__cuda_keep(cudaEventSynchronize(s->moved));
    }
    if (s->landing) ag__cuda_keep(cudaFree(s->landing));
    if (s->host) ag__cuda_keep(cudaFreeHost(s->host));
    s->host = s->landing = NULL;
    s->bytes = 0;
    s->busy = 0;
}

extern "C" void ag__stage_free(ag__stage *stage)
{
    if (!stage) return;
    for (int i = 0; i < 2; i++) {
        slot *s = &stage->slots[i];
        slot_clear(s);
        if (s->landed) cudaEventDestroy(s->landed);
        if (s->moved) cudaEventDestroy(s->moved);
    }
    ag_free(stage);
}

extern "C" ag__stage *ag__stage_new(void)
{
    ag__stage *stage = (ag__stage *)ag_alloc(sizeof *stage);
    if (!stage) return NULL;
    *stage = {};
    if (!slot_init(&stage->slots[0]) && !slot_init(&stage->slots[1])) return stage;
    ag__stage_free(stage);
    return NULL;
}

/* At least twice what the slot had, so that sizes that grow slowly are seldom seen here. */
static int slot_grow(slot *s, size_t bytes)
{
    const size_t wanted = ag__cuda_padded(bytes > 2 * s->bytes ? bytes : 2 * s->bytes);
    slot_clear(s);
    if (cudaMallocHost(&s->host, wanted) != cudaSuccess ||
        cudaMalloc(&s->landing, wanted) != cudaSuccess) {
        cudaGetLastError();
        slot_clear(s);
        return 1;
    }
    s->bytes = wanted;
    return 0;
}

extern "C" char *ag__stage_open(ag__stage *stage, size_t bytes)
{
    stage->now = !stage->now;
    slot *s = &stage->slots[stage->now];
    if (bytes > s->bytes || !s->host) return slot_grow(s, bytes ? bytes : 1) ? NULL : s->host;
    if (s->busy && !ag__cuda_done(s->landed)) ag__cuda_keep(cudaEventSynchronize(s->landed));
    return s->host;
}

extern "C" void ag__stage_send(ag__stage *stage, size_t bytes)
{
    const ag__cuda_device *d = ag__cuda_here();
    slot *s = &stage->slots[stage->now];
    if (s->busy) ag__cuda_keep(cudaStreamWaitEvent(d->copies, s->moved, 0));
    if (bytes)
        ag__cuda_keep(
            cudaMemcpyAsync(s->landing, s->host, bytes, cudaMemcpyHostToDevice, d->copies));
    ag__cuda_keep(cudaEventRecord(s->landed, d->copies));
    ag__cuda_keep(cudaStreamWaitEvent(d->compute, s->landed, 0));
}

extern "C" void ag__stage_move(ag__stage *stage, void *to, size_t at, size_t bytes)
{
    ag__device_copy(to, stage->slots[stage->now].landing + at, bytes);
}

extern "C" void ag__stage_close(ag__stage *stage)
{
    slot *s = &stage->slots[stage->now];
    ag__cuda_keep(cudaEventRecord(s->moved, ag__cuda_here()->compute));
    s->busy = 1;
}
