/* SPDX-License-Identifier: MIT */
/* Copies and fills. Pinned memory is read when the copy is done; other memory is read in the call,
   and a copy to it waits, as the driver does with both. */
#include "streams.hpp"

#include <vector>

namespace cuda_on_host
{

void reads(const void *p, size_t bytes, const char *who)
{
    if (!bytes) return;
    check_range(p, bytes, who);
    if (cuda_on_host_check_reads) cuda_on_host_check_reads(p, bytes, who);
}

void wrote(const void *p, size_t bytes)
{
    if (!bytes) return;
    check_range(p, bytes, "what a library wrote");
    if (cuda_on_host_check_wrote) cuda_on_host_check_wrote(p, bytes);
}

void scribble(void *workspace, size_t bytes)
{
    const size_t part = std::min<size_t>(bytes, 64 << 10); /* both ends: all would take long */
    check_range(workspace, bytes, "a library's workspace");
    memset(workspace, POISON, part);
    memset((char *)workspace + bytes - part, POISON, part);
    if (!cuda_on_host_check_taken) return;
    cuda_on_host_check_taken(workspace, part);
    cuda_on_host_check_taken((char *)workspace + bytes - part, part);
}

static cudaMemcpyKind kind_of(const void *to, const void *from)
{
    if (on_device(to)) return on_device(from) ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
    return on_device(from) ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
}

static void check_copy(const void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    if (kind != cudaMemcpyDefault && kind != kind_of(to, from))
        misuse("a copy of %zu bytes has a direction that does not fit its pointers", bytes);
    if (on_device(to)) check_range(to, bytes, "the target of a copy");
    if (on_device(from)) check_range(from, bytes, "the source of a copy");
}

static void copy(void *to, const void *from, size_t bytes)
{
    const char *p = (const char *)to, *q = (const char *)from;
    if (p < q + bytes && q < p + bytes) misuse("source and target of a copy overlap");
    if (on_device(from) && !on_device(to)) reads(from, bytes, "the source of a copy to the host");
    memcpy(to, from, bytes);
    if (on_device(to) && !on_device(from)) wrote(to, bytes);
    /* Memory that was never written may be copied; it is marked in its new place, too. */
    if (on_device(to) && on_device(from) && cuda_on_host_check_copied)
        cuda_on_host_check_copied(to, from, bytes);
}

} // namespace cuda_on_host

using namespace cuda_on_host;

extern "C" {

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    BEGIN_CALL("cudaMemcpyAsync");
    if (!bytes) return cudaSuccess;
    check_copy(to, from, bytes, kind);
    kind = kind_of(to, from);
    const bool from_pageable = kind == cudaMemcpyHostToDevice && !is_pinned(from);
    const bool to_pageable = kind == cudaMemcpyDeviceToHost && !is_pinned(to);
    if ((from_pageable || to_pageable) && capturing(stream)) {
        spoil_captures();
        return fail(cudaErrorStreamCaptureUnsupported);
    }
    if (from_pageable) {
        const std::vector<char> staged((const char *)from, (const char *)from + bytes);
        return add_work(stream, {"copy to the device",
                                 [to, staged] { copy(to, staged.data(), staged.size()); }});
    }
    if (kind == cudaMemcpyDeviceToHost && !capturing(stream))
        memset(to, POISON, bytes); /* nothing is there until the copy is done */
    const cudaError_t error =
        add_work(stream, {"copy", [to, from, bytes] { copy(to, from, bytes); }});
    return to_pageable ? cudaStreamSynchronize(stream) : error;
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    BEGIN_CALL("cudaMemsetAsync");
    if (!bytes) return cudaSuccess;
    check_range(to, bytes, "the target of a fill");
    return add_work(stream, {"fill", [to, value, bytes] {
                                 memset(to, value, bytes);
                                 wrote(to, bytes);
                             }});
}
}
