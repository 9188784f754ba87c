/* SPDX-License-Identifier: MIT */
/* Graphs: while a stream is captured, its work is kept, and a replay does it in its order. Other
   streams do not join a capture, so events within one are refused. */
#include "streams.hpp"

namespace cuda_on_host
{

struct capture {
    bool spoilt = false;
    std::vector<work> all;
};

bool capturing(cudaStream_t stream) { return stream && stream->capturing != nullptr; }

bool any_capture()
{
    for (cudaStream_t s : streams)
        if (s->capturing) return true;
    return false;
}

void spoil_captures()
{
    for (cudaStream_t s : streams)
        if (s->capturing) s->capturing->spoilt = true;
}

void capture_work(cudaStream_t stream, work w) { stream->capturing->all.push_back(std::move(w)); }

} // namespace cuda_on_host

using namespace cuda_on_host;

struct CUgraph_st {
    std::shared_ptr<const capture> captured;
};
struct CUgraphExec_st {
    std::shared_ptr<const capture> captured;
};

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode)
{
    BEGIN_CALL("cudaStreamBeginCapture");
    if (mode == cudaStreamCaptureModeRelaxed)
        misuse("a capture is relaxed, so that mistakes would pass; use "
               "cudaStreamCaptureModeThreadLocal");
    if (!stream) misuse("the default stream is captured; name a stream");
    if (capturing(stream)) return fail(cudaErrorStreamCaptureUnsupported);
    stream->capturing = std::make_shared<capture>();
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *g)
{
    BEGIN_CALL("cudaStreamEndCapture");
    *g = nullptr;
    if (!capturing(stream)) return fail(cudaErrorInvalidValue);
    const std::shared_ptr<const capture> c = std::move(stream->capturing);
    if (c->spoilt) return fail(cudaErrorStreamCaptureInvalidated);
    *g = new CUgraph_st{c};
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t g, unsigned long long flags)
{
    BEGIN_CALL("cudaGraphInstantiate");
    if (flags) misuse("cudaGraphInstantiate has flags %llu, but knows none", flags);
    *exec = new CUgraphExec_st{g->captured};
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    BEGIN_CALL("cudaGraphLaunch");
    if (capturing(stream)) misuse("a graph is launched within a capture, which is not known here");
    const std::shared_ptr<const capture> c = exec->captured;
    return add_work(stream, {"graph", [c] {
                                 for (const work &w : c->all) carry_out(w);
                             }});
}

cudaError_t cudaGraphDestroy(cudaGraph_t g)
{
    delete g;
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    delete exec; /* a launch that still waits keeps the graph */
    return cudaSuccess;
}
}
