/* SPDX-License-Identifier: MIT */
/* Allocations of the device, each with a fence before and after it and pages of its own, and pinned
   memory of the host. Both begin as NaN. */
#include "inside.hpp"

#include <stdlib.h>

#include <algorithm>
#include <map>

namespace cuda_on_host
{

struct allocation {
    size_t page, pages; /* where its pages are, and how many bytes they have */
    size_t bytes;       /* that were asked for */
};
static std::map<size_t, allocation> live; /* by offset of the first byte */
static size_t fresh;                      /* offset of the first page that was never used */
static size_t used;                       /* bytes, without fences */
static std::map<const char *, size_t> pinned;

static size_t pages_for(size_t bytes) { return (bytes + 2 * FENCE + PAGE - 1) / PAGE * PAGE; }

/* Large parts begin where the system can give them huge pages, if there is room: protecting 32 MiB
   is then 16 entries of a table instead of 8192. */
static size_t begin_of(size_t pages)
{
    const size_t address = (size_t)device_base + fresh,
                 gap = (HUGE_PAGE - address % HUGE_PAGE) % HUGE_PAGE;
    const bool aligned = pages >= 8 * HUGE_PAGE && fresh + gap + pages + PAGE <= device_size;
    return aligned ? fresh + gap : fresh;
}

/* Freed pages come back only when there are no others, so that old pointers are found. A page that
   is no memory follows each part. */
static bool find_pages(size_t pages, size_t *at)
{
    *at = begin_of(pages);
    if (*at + pages + PAGE <= device_size) {
        fresh = *at + pages + PAGE;
        return true;
    }
    *at = 0;
    for (const auto &[offset, a] : live) { /* the first gap that is large enough */
        if (*at + pages + PAGE <= a.page) return true;
        *at = a.page + a.pages + PAGE;
    }
    if (*at + pages + PAGE > device_size) return false;
    fresh = std::max(fresh, *at + pages + PAGE); /* the last gap ends with the device */
    return true;
}

static bool is_fence(const char *p)
{
    static char whole[FENCE];
    if (!whole[0]) memset(whole, FENCE_BYTE, FENCE);
    return memcmp(p, whole, FENCE) == 0;
}

static void check_fence(size_t offset, const allocation &a, const char *last)
{
    const char *p = device_base + offset;
    if (!is_fence(p - FENCE))
        misuse("kernel %s, or work before it, wrote before an allocation of %zu bytes", last,
               a.bytes);
    if (!is_fence(p + a.bytes))
        misuse("kernel %s, or work before it, wrote beyond the end of an allocation of %zu bytes",
               last, a.bytes);
}

void check_fences(const char *last)
{
    opened now_open;
    for (const auto &[offset, a] : live) check_fence(offset, a, last);
}

/* The allocation that p points into, or live.end(). */
static std::map<size_t, allocation>::iterator holder(const void *p)
{
    if (!on_device(p)) return live.end();
    auto after = live.upper_bound((size_t)((const char *)p - device_base));
    if (after == live.begin()) return live.end();
    --after;
    const size_t within = (size_t)((const char *)p - device_base) - after->first;
    return within <= after->second.bytes ? after : live.end();
}

void check_range(const void *p, size_t bytes, const char *what)
{
    const auto it = holder(p);
    if (it == live.end())
        misuse("%s, %zu bytes at %p, is not allocated on the device", what, bytes, p);
    const size_t within = (size_t)((const char *)p - device_base) - it->first;
    if (within + bytes > it->second.bytes)
        misuse("%s has %zu bytes, but only %zu are left of its allocation of %zu bytes", what,
               bytes, it->second.bytes - within, it->second.bytes);
}

bool is_pinned(const void *p)
{
    auto after = pinned.upper_bound((const char *)p);
    if (after == pinned.begin()) return false;
    --after;
    return (const char *)p < after->first + after->second;
}

} // namespace cuda_on_host

using namespace cuda_on_host;

cudaError_t cuda_on_host_malloc(void **p, size_t bytes)
{
    size_t at;
    BEGIN_CALL("cudaMalloc");
    *p = nullptr;
    if (refuses_in_capture()) return cudaErrorStreamCaptureUnsupported;
    map_device();
    if (bytes > device_size - used || !find_pages(pages_for(bytes), &at))
        return fail(cudaErrorMemoryAllocation);
    const allocation a = {at, pages_for(bytes), bytes};
    char *first = device_base + at + FENCE;
    lend_pages(at, a.pages);
    opened now_open;
    memset(device_base + at, FENCE_BYTE, FENCE);
    memset(first, POISON, bytes);
    memset(first + bytes, FENCE_BYTE, a.pages - FENCE - bytes);
    live[at + FENCE] = a;
    used += bytes;
    if (cuda_on_host_check_taken) cuda_on_host_check_taken(first, bytes);
    *p = first;
    return cudaSuccess;
}

cudaError_t cuda_on_host_malloc_host(void **p, size_t bytes)
{
    BEGIN_CALL("cudaMallocHost");
    *p = aligned_alloc(PAGE, (bytes + PAGE) / PAGE * PAGE);
    if (!*p) return fail(cudaErrorMemoryAllocation);
    memset(*p, POISON, bytes);
    pinned[(const char *)*p] = bytes ? bytes : 1;
    return cudaSuccess;
}

extern "C" {

cudaError_t cudaFree(void *p)
{
    BEGIN_CALL("cudaFree");
    if (!p) return cudaSuccess;
    if (refuses_in_capture()) return cudaErrorStreamCaptureUnsupported;
    const cudaError_t before = wait_for_all();
    const auto it = on_device(p) ? live.find((size_t)((char *)p - device_base)) : live.end();
    if (it == live.end()) misuse("cudaFree gets %p, which is not the start of an allocation", p);
    const allocation a = it->second;
    {
        opened now_open;
        check_fence(it->first, a, "(the last one)");
    }
    if (cuda_on_host_check_given) cuda_on_host_check_given(p, a.bytes);
    live.erase(it);
    take_pages(a.page, a.pages);
    used -= a.bytes;
    return before;
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
    BEGIN_CALL("cudaMemGetInfo");
    map_device();
    *total = device_size;
    *free = device_size - used;
    return cudaSuccess;
}

cudaError_t cudaFreeHost(void *p)
{
    BEGIN_CALL("cudaFreeHost");
    if (!p) return cudaSuccess;
    const cudaError_t before = wait_for_all();
    if (!pinned.erase((const char *)p))
        misuse("cudaFreeHost gets %p, which is not pinned memory", p);
    free(p);
    return before;
}
}
