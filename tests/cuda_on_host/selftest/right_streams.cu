/* SPDX-License-Identifier: MIT */
/* Streams, events, and graphs that are captured and replayed. */
#include "selftest.hpp"

namespace
{

__global__ void fill(float *x, float v) { x[threadIdx.x] = v; }
__global__ void add(float *y, const float *x) { y[threadIdx.x] += x[threadIdx.x]; }

/* The second stream waits for the first, and the first for the second. */
void test_events()
{
    float *x = zeros<float>(32), *y = zeros<float>(32);
    cudaEvent_t filled, added;
    DONE(cudaEventCreate(&filled));
    DONE(cudaEventCreateWithFlags(&added, cudaEventDisableTiming));
    for (int turn = 0; turn < 10; turn++) {
        DONE(start(one, 1, 32, fill, x, 1.0f + (float)turn));
        DONE(cudaEventRecord(filled, one));
        DONE(cudaStreamWaitEvent(two, filled, 0));
        DONE(start(two, 1, 32, add, y, (const float *)x));
        DONE(cudaEventRecord(added, two));
        DONE(cudaStreamWaitEvent(one, added, 0));
        DONE(start(one, 1, 32, fill, x, -1.0f));
    }
    DONE(cudaEventSynchronize(added));
    DONE(cudaEventDestroy(added));
    EXPECT(fetched(y, 1)[0] == 55);
    EXPECT(fetched(x, 1)[0] == -1);
    DONE(cudaEventDestroy(filled));
    DONE(cudaFree(x));
    DONE(cudaFree(y));
}

void test_questions()
{
    cudaEvent_t early, late;
    float *x = zeros<float>(32), ms = -1;
    DONE(cudaEventCreate(&early));
    DONE(cudaEventCreate(&late));
    EXPECT(cudaEventQuery(early) == cudaSuccess); /* never recorded: done */
    DONE(cudaEventRecord(early, one));
    DONE(start(one, 1, 32, fill, x, 1.0f));
    DONE(cudaEventRecord(late, one));
    while (cudaEventQuery(late) == cudaErrorNotReady) {}
    DONE(cudaEventQuery(late));
    DONE(cudaEventElapsedTime(&ms, early, late));
    EXPECT(ms >= 0 && ms < 10000);
    cudaGetLastError(); /* "not ready" may be kept */
    DONE(cudaEventDestroy(early));
    DONE(cudaEventDestroy(late));
    DONE(cudaFree(x));
}

/* x = 1 in one stream and y = 2 in the other, then y += x, then a copy to pinned memory. */
void test_graph()
{
    float *x = zeros<float>(32), *y = zeros<float>(32), *back = NULL;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    DONE(cudaMallocHost(&back, 32 * sizeof *back));
    DONE(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    DONE(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    DONE(cudaStreamBeginCapture(one, cudaStreamCaptureModeThreadLocal));
    DONE(cudaEventRecord(fork, one));
    DONE(cudaStreamWaitEvent(two, fork, 0));
    DONE(start(one, 1, 32, fill, x, 1.0f));
    DONE(start(two, 1, 32, fill, y, 2.0f));
    DONE(cudaEventRecord(join, two));
    DONE(cudaStreamWaitEvent(one, join, 0));
    DONE(start(one, 1, 32, add, y, (const float *)x));
    DONE(cudaMemcpyAsync(back, y, 32 * sizeof *y, cudaMemcpyDeviceToHost, one));
    DONE(cudaStreamEndCapture(one, &graph));
    EXPECT(fetched(y, 1)[0] == 0); /* nothing was done */
    DONE(cudaGraphInstantiate(&exec, graph, 0));
    DONE(cudaGraphDestroy(graph));
    for (int turn = 0; turn < 5; turn++) {
        back[31] = 0;
        DONE(start(one, 1, 32, fill, x, 100.0f));
        DONE(cudaGraphLaunch(exec, one));
        DONE(cudaStreamSynchronize(one));
        EXPECT(back[0] == 3 && back[31] == 3);
    }
    DONE(cudaGraphLaunch(exec, one));
    DONE(cudaGraphExecDestroy(exec)); /* launched work is still done */
    DONE(cudaStreamSynchronize(one));
    DONE(cudaEventDestroy(fork));
    DONE(cudaEventDestroy(join));
    DONE(cudaFreeHost(back));
    DONE(cudaFree(x));
    DONE(cudaFree(y));
}

/* Calls that a capture cannot hold spoil it; afterwards all is as before. */
void test_spoilt()
{
    cudaGraph_t graph;
    cudaEvent_t event;
    float *x = zeros<float>(32);
    DONE(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));

    DONE(cudaStreamBeginCapture(one, cudaStreamCaptureModeThreadLocal));
    EXPECT(cudaStreamSynchronize(one) == cudaErrorStreamCaptureUnsupported);
    EXPECT(cudaStreamEndCapture(one, &graph) == cudaErrorStreamCaptureInvalidated && !graph);

    DONE(cudaStreamBeginCapture(one, cudaStreamCaptureModeThreadLocal));
    void *p;
    EXPECT(cudaMalloc(&p, 100) == cudaErrorStreamCaptureUnsupported);
    EXPECT(cudaStreamEndCapture(one, &graph) == cudaErrorStreamCaptureInvalidated);

    DONE(cudaEventRecord(event, two)); /* not in the capture */
    DONE(cudaStreamBeginCapture(one, cudaStreamCaptureModeThreadLocal));
    EXPECT(cudaStreamWaitEvent(one, event, 0) == cudaErrorStreamCaptureIsolation);
    EXPECT(cudaStreamEndCapture(one, &graph) == cudaErrorStreamCaptureInvalidated);

    DONE(cudaStreamBeginCapture(one, cudaStreamCaptureModeThreadLocal));
    DONE(cudaEventRecord(event, one));
    DONE(cudaStreamWaitEvent(two, event, 0));
    DONE(start(two, 1, 32, fill, x, 9.0f)); /* there is no wait for it */
    EXPECT(cudaStreamEndCapture(one, &graph) == cudaErrorStreamCaptureUnjoined);
    EXPECT(cudaEventSynchronize(event) == cudaErrorCapturedEvent);

    EXPECT(cudaGetLastError() != cudaSuccess);
    DONE(start(two, 1, 32, fill, x, 4.0f));
    EXPECT(fetched(x, 1, two)[0] == 4);
    DONE(cudaEventDestroy(event));
    DONE(cudaFree(x));
}

} // namespace

void right_streams()
{
    test_events();
    test_questions();
}

void right_graphs()
{
    test_graph();
    test_spoilt();
}
