/* SPDX-License-Identifier: MIT */
/* Graphs: while a stream is captured, its work becomes nodes, each after the one before it in its
   stream and after those that an event orders before it. A replay takes the nodes in any order that
   this allows; with seed 0 the last of them that can run. */
#include "streams.hpp"

#include <algorithm>
#include <map>

namespace cuda_on_host
{

struct node {
    work w;
    std::vector<int> after;
};
struct graph {
    std::vector<node> nodes;
};
struct capture {
    cudaStream_t origin;
    bool spoilt = false;
    graph g;
    std::map<const event *, std::vector<int>> events; /* the nodes that it was recorded after */
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

void capture_work(cudaStream_t stream, work w)
{
    std::vector<node> &nodes = stream->capturing->g.nodes;
    nodes.push_back({std::move(w), std::move(stream->after)});
    stream->after.assign(1, (int)nodes.size() - 1);
}

void capture_record(cudaEvent_t event, cudaStream_t stream)
{
    event->state->captured = true;
    stream->capturing->events[event->state.get()] = stream->after;
}

bool capture_wait(cudaStream_t stream, cudaEvent_t event, cudaError_t *error)
{
    if (!event->state->captured) {
        if (!capturing(stream)) return false;
        stream->capturing->spoilt = true;
        *error = fail(cudaErrorStreamCaptureIsolation);
        return true;
    }
    for (cudaStream_t other : streams) {
        if (!other->capturing || !other->capturing->events.count(event->state.get())) continue;
        const std::vector<int> &nodes = other->capturing->events[event->state.get()];
        if (!stream->capturing) stream->capturing = other->capturing; /* it joins the capture */
        stream->after.insert(stream->after.end(), nodes.begin(), nodes.end());
        *error = cudaSuccess;
        return true;
    }
    *error = fail(cudaErrorCapturedEvent); /* of a capture that has ended */
    return true;
}

/* 1: node `late` comes after node `early`, at once or through others. */
static bool comes_after(const graph &g, int late, int early)
{
    if (late == early) return true;
    for (int before : g.nodes[(size_t)late].after)
        if (comes_after(g, before, early)) return true;
    return false;
}

/* 1: the stream's work in the capture is ordered before the end of the capture. */
static bool has_joined(const graph &g, const std::vector<int> &end, const std::vector<int> &of)
{
    for (int early : of) {
        bool found = false;
        for (int late : end) found = found || comes_after(g, late, early);
        if (!found) return false;
    }
    return true;
}

static void replay(const graph &g)
{
    std::vector<int> missing(g.nodes.size()), able;
    std::vector<std::vector<int>> followers(g.nodes.size());
    for (size_t i = 0; i < g.nodes.size(); i++) {
        missing[i] = (int)g.nodes[i].after.size();
        for (int before : g.nodes[i].after) followers[(size_t)before].push_back((int)i);
        if (!missing[i]) able.push_back((int)i);
    }
    while (!able.empty()) {
        const auto pick = option().seed ? able.begin() + draw((uint32_t)able.size())
                                        : std::max_element(able.begin(), able.end());
        const int i = *pick;
        able.erase(pick);
        carry_out(g.nodes[(size_t)i].w);
        for (int next : followers[(size_t)i])
            if (--missing[(size_t)next] == 0) able.push_back(next);
    }
}

} // namespace cuda_on_host

using namespace cuda_on_host;

struct CUgraph_st {
    graph g;
};
struct CUgraphExec_st {
    std::shared_ptr<const graph> g;
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
    stream->capturing->origin = stream;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *g)
{
    BEGIN_CALL("cudaStreamEndCapture");
    *g = nullptr;
    if (!capturing(stream)) return fail(cudaErrorInvalidValue);
    const std::shared_ptr<capture> c = stream->capturing;
    if (c->origin != stream) return fail(cudaErrorStreamCaptureUnmatched);
    cudaError_t error = c->spoilt ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
    for (cudaStream_t other : streams) {
        if (other->capturing != c) continue;
        if (!error && !has_joined(c->g, stream->after, other->after))
            error = cudaErrorStreamCaptureUnjoined;
        if (other == stream) continue;
        other->capturing.reset();
        other->after.clear();
    }
    stream->capturing.reset();
    stream->after.clear();
    if (error) return fail(error);
    *g = new CUgraph_st{std::move(c->g)};
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t g, unsigned long long flags)
{
    BEGIN_CALL("cudaGraphInstantiate");
    if (flags) misuse("cudaGraphInstantiate has flags %llu, but knows none", flags);
    *exec = new CUgraphExec_st{std::make_shared<const graph>(g->g)};
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    BEGIN_CALL("cudaGraphLaunch");
    if (capturing(stream)) misuse("a graph is launched within a capture, which is not known here");
    const std::shared_ptr<const graph> g = exec->g;
    return add_work(stream, {"graph", [g] { replay(*g); }});
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
