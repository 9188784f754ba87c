/* SPDX-License-Identifier: MIT */
/* Streams and events. Work waits in the queue of its stream until there is a wait for the stream,
   and streams take turns in random order (with seed 0, what was issued last runs first). So results
   that were not waited for are missing, and memory that is changed too early is read too late. */
#include "streams.hpp"

#include <stdio.h>
#include <time.h>

#include <algorithm>

namespace cuda_on_host
{

std::vector<cudaStream_t> streams;

static double seconds()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void carry_out(const work &w)
{
    if (option().print) fprintf(stderr, "cuda_on_host: %s\n", w.name.c_str());
    opened now_open;
    if (cuda_on_host_check_begins) cuda_on_host_check_begins(w.name.c_str());
    if (!lost()) w.body();
}

static bool can_run(const work &w) { return !w.awaits || w.awaits->done >= w.version; }

static bool issued_before(const CUstream_st *a, const CUstream_st *b)
{
    return a->queue.front().issued < b->queue.front().issued;
}

/* With seed 0 as far from the order of the program as the queues allow: where an event is missing,
   a stream then always does its work too early. */
static cudaStream_t choose(const std::vector<cudaStream_t> &able)
{
    if (!option().seed) return *std::max_element(able.begin(), able.end(), issued_before);
    return able[draw((uint32_t)able.size())];
}

/* One piece of work of some stream; false: there is none that could run. */
static bool run_one()
{
    std::vector<cudaStream_t> able;
    for (cudaStream_t s : streams)
        if (!s->queue.empty() && can_run(s->queue.front())) able.push_back(s);
    if (able.empty()) return false;
    cudaStream_t s = choose(able);
    const work w = std::move(s->queue.front());
    s->queue.pop_front();
    if (w.body) carry_out(w);
    return true;
}

static bool streams_idle()
{
    for (cudaStream_t s : streams)
        if (!s->queue.empty()) return false;
    return true;
}

/* Waits until `done`; returns the error of the work that it waited for. */
template <class F> static cudaError_t run_until(F done)
{
    counts.waits++;
    {
        opened now_open; /* once for all that runs */
        while (!done())
            if (!run_one())
                misuse("streams wait for each other, or for an event that is never recorded");
    }
    return lost() ? refused("") : cudaSuccess;
}

cudaError_t wait_for_all() { return run_until(streams_idle); }

cudaError_t add_work(cudaStream_t stream, work w)
{
    static long issued;
    w.issued = issued++;
    if (!stream) misuse("%s is asked of the default stream; name a stream", w.name.c_str());
    if (capturing(stream))
        capture_work(stream, std::move(w));
    else
        stream->queue.push_back(std::move(w));
    return cudaSuccess;
}

cudaError_t enqueue(cudaStream_t stream, const char *name, std::function<void()> body)
{
    counts.library_calls++;
    return add_work(stream, {name, std::move(body)});
}

static void refuse_in_capture(const char *call, cudaStream_t stream)
{
    if (capturing(stream)) misuse("%s is called within a capture, which is not known here", call);
}

bool refuses_in_capture()
{
    if (!any_capture()) return false;
    spoil_captures();
    fail(cudaErrorStreamCaptureUnsupported);
    return true;
}

} // namespace cuda_on_host

using namespace cuda_on_host;

extern "C" {

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    BEGIN_CALL("cudaStreamCreateWithFlags");
    map_device();
    if (flags != cudaStreamNonBlocking)
        misuse("a stream is created that waits for the default stream; use cudaStreamNonBlocking");
    streams.push_back(*stream = new CUstream_st);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    BEGIN_CALL("cudaStreamSynchronize");
    if (!stream) misuse("the default stream is waited for; name a stream");
    if (refuses_in_capture()) return cudaErrorStreamCaptureUnsupported;
    return run_until([stream] { return stream->queue.empty(); });
}

cudaError_t cudaDeviceSynchronize(void)
{
    BEGIN_CALL("cudaDeviceSynchronize");
    if (refuses_in_capture()) return cudaErrorStreamCaptureUnsupported;
    return wait_for_all();
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    BEGIN_CALL("cudaStreamWaitEvent");
    if (flags) misuse("cudaStreamWaitEvent has flags %u, but knows none", flags);
    refuse_in_capture("cudaStreamWaitEvent", stream);
    return add_work(stream, {"wait", nullptr, event->state, event->state->recorded});
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    BEGIN_CALL("cudaEventCreateWithFlags");
    if (flags & ~(unsigned)cudaEventDisableTiming)
        misuse("an event is created with flags %u, of which only %u is known", flags,
               (unsigned)cudaEventDisableTiming);
    *event = new CUevent_st{std::make_shared<cuda_on_host::event>()};
    (*event)->state->timed = !flags;
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    BEGIN_CALL("cudaEventDestroy");
    delete event; /* the work that waits for it keeps the parts that it needs */
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    BEGIN_CALL("cudaEventRecord");
    refuse_in_capture("cudaEventRecord", stream);
    const std::shared_ptr<cuda_on_host::event> state = event->state;
    const long version = ++state->recorded;
    return add_work(stream, {"event", [state, version] {
                                 state->done = version;
                                 state->when = seconds();
                             }});
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    BEGIN_CALL("cudaEventSynchronize");
    if (refuses_in_capture()) return cudaErrorStreamCaptureUnsupported;
    const cuda_on_host::event *state = event->state.get();
    return run_until([state] { return state->done >= state->recorded || lost(); });
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    BEGIN_CALL("cudaEventQuery");
    if (!any_capture() && (!option().seed || draw(2))) run_one(); /* it may well be done by now */
    if (lost()) return refused("");
    return event->state->done >= event->state->recorded ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    BEGIN_CALL("cudaEventElapsedTime");
    if (!start->state->timed || !end->state->timed || !start->state->recorded ||
        !end->state->recorded)
        return fail(cudaErrorInvalidResourceHandle);
    for (cudaEvent_t e : {start, end})
        if (e->state->done < e->state->recorded) return fail(cudaErrorNotReady);
    *ms = (float)((end->state->when - start->state->when) * 1e3);
    return cudaSuccess;
}
}
