/* SPDX-License-Identifier: MIT */
/* Launches that are recorded once and repeated as one. They are captured in a stream of their own,
   so that other threads launch as usual meanwhile, and repeated in the stream of all work. */
#include "core/cuda/inside.h"
#include "core/threads.h"

static thread_local int noting, spoilt;

int ag__cuda_noting(void) { return noting; }
void ag__cuda_spoil(void) { spoilt = 1; }

extern "C" int ag__graph_wanted(void)
{
    return !ag__cuda_here()->waits && ag_switch("AUGUR_GRAPHS", 1);
}

static int works(cudaError_t error)
{
    if (error == cudaSuccess) return 1;
    cudaGetLastError();
    return 0;
}

extern "C" int ag__graph_begin(void)
{
    ag__cuda_device *d = ag__cuda_here();
    ag__cuda_gemm_ready();
    if (!d->notes.try_lock()) return 1; /* another thread's turn */
    noting = works(cudaStreamBeginCapture(d->noting, cudaStreamCaptureModeThreadLocal));
    spoilt = 0;
    if (!noting) d->notes.unlock();
    return !noting;
}

extern "C" ag__graph *ag__graph_end(void)
{
    ag__cuda_device *d = ag__cuda_here();
    cudaGraph_t notes = NULL;
    const int ended = works(cudaStreamEndCapture(d->noting, &notes));
    noting = 0;
    d->notes.unlock();
    ag__graph *graph = NULL;
    if (ended && notes && !spoilt && !works(cudaGraphInstantiate(&graph, notes, 0))) graph = NULL;
    if (notes) works(cudaGraphDestroy(notes));
    return graph;
}

extern "C" void ag__graph_launch(ag__graph *graph)
{
    ag__cuda_keep(cudaGraphLaunch(graph, ag__cuda_here()->compute));
}

extern "C" void ag__graph_free(ag__graph *graph)
{
    if (graph)
        works(cudaGraphExecDestroy(graph)); /* a launch that is not done keeps what it needs */
}
