/* SPDX-License-Identifier: MIT */
/* How long work on the stream takes, by events between launches. */
#include "core/cuda/inside.h"
#include "core/internal.h"
#include "core/memory.h"

struct ag__timer {
    cudaEvent_t *marks;
    int n, made, capacity;
};

extern "C" ag__timer *ag__timer_new(void)
{
    ag__timer *t = (ag__timer *)ag_alloc(sizeof *t);
    if (t) *t = {};
    return t;
}

extern "C" void ag__timer_free(ag__timer *t)
{
    if (!t) return;
    for (int i = 0; i < t->made; i++) cudaEventDestroy(t->marks[i]);
    ag_free(t->marks);
    ag_free(t);
}

/* Room for one more event; 0: none. */
static int ready(ag__timer *t)
{
    if (t->n < t->made) return 1;
    if (ag__reserve(&t->marks, &t->capacity, t->made + 1, sizeof *t->marks) ||
        ag__cuda_keep(cudaEventCreate(&t->marks[t->made])))
        return 0;
    t->made++;
    return 1;
}

extern "C" void ag__timer_mark(ag__timer *t)
{
    if (ag__cuda_noting()) {
        ag__cuda_spoil(); /* a run that is repeated would set no mark */
        return;
    }
    if (!ready(t)) return;
    ag__cuda_keep(cudaEventRecord(t->marks[t->n], ag__cuda_here()->compute));
    t->n++;
}

extern "C" void ag__timer_start(ag__timer *t)
{
    t->n = 0;
    ag__timer_mark(t);
}

extern "C" double ag__timer_seconds(ag__timer *t, int i)
{
    float ms = 0;
    if (i + 1 >= t->n || ag__cuda_keep(cudaEventSynchronize(t->marks[i + 1]))) return 0;
    ag__cuda_keep(cudaEventElapsedTime(&ms, t->marks[i], t->marks[i + 1]));
    return 1e-3 * (double)ms;
}
