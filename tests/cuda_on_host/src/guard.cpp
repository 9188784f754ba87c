/* SPDX-License-Identifier: MIT */
/* The address space of the device. Host code that touches it ends the program, and so does a kernel
   that touches memory that was never allocated or is freed. Memory protection keys do that without
   a system call for each change; on processors without them mprotect does. */
#include "inside.hpp"

#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <map>

namespace cuda_on_host
{

char *device_base;
size_t device_size;
static int key = -1;
static int open_calls;
static std::map<size_t, size_t> lent; /* without keys: pages to open and close */

static void on_fault(int, siginfo_t *info, void *)
{
    const char *p = (const char *)info->si_addr;
    const char *kernel = now.running ? now.running->name : "";
    char text[300];
    int n;
    if (on_device(p) && !now.running && !open_calls)
        n = snprintf(text, sizeof text,
                     "cuda_on_host: host code touches device memory, byte %zu of the device\n",
                     (size_t)(p - device_base));
    else if (on_device(p))
        n = snprintf(
            text, sizeof text,
            "cuda_on_host: kernel %s touches byte %zu of the device, which is not allocated;"
            " block %u, thread %u\n",
            kernel, (size_t)(p - device_base), now.block, now.thread);
    else if (p >= now.stack - PAGE && p < now.stack && now.running)
        n = snprintf(text, sizeof text, "cuda_on_host: kernel %s overflows its stack\n", kernel);
    else
        n = snprintf(text, sizeof text, "cuda_on_host: no memory at %p; %s %s\n", (const void *)p,
                     now.running ? "kernel" : "host code", kernel);
    if (write(2, text, (size_t)n) < 0) _exit(EXIT_MISUSE);
    if (cuda_on_host_check_report && now.inside) cuda_on_host_check_report();
    _exit(EXIT_MISUSE);
}

static void catch_faults()
{
    static char stack[64 << 10]; /* a fault may be the overflow of a stack */
    stack_t other = {};
    other.ss_sp = stack;
    other.ss_size = sizeof stack;
    sigaltstack(&other, nullptr);
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, nullptr);
    sigaction(SIGBUS, &action, nullptr);
}

void map_device()
{
    if (device_base) return;
    device_size = option().bytes / PAGE * PAGE;
    /* Each allocation has pages around it that are not memory, for which this is room. */
    void *p =
        mmap(nullptr, device_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        misuse("there is no address space for a device of %zu bytes; set CUDA_ON_HOST_BYTES",
               device_size);
    device_base = (char *)p;
#ifdef PKEY_DISABLE_ACCESS
    if (!option().mprotect) key = pkey_alloc(0, PKEY_DISABLE_ACCESS);
#endif
    catch_faults();
    if (cuda_on_host_check_map) cuda_on_host_check_map();
}

bool on_device(const void *p)
{
    return device_base && (const char *)p >= device_base &&
           (const char *)p < device_base + device_size;
}

/* The pages of the device can be read and written from here on, or cannot. */
static void allow(bool access)
{
#ifdef PKEY_DISABLE_ACCESS
    if (key >= 0) {
        pkey_set(key, access ? 0 : PKEY_DISABLE_ACCESS);
        return;
    }
#endif
    for (const auto &[at, bytes] : lent)
        mprotect(device_base + at, bytes, access ? PROT_READ | PROT_WRITE : PROT_NONE);
}

void open_device()
{
    if (!open_calls++) allow(true);
}

void close_device()
{
    if (!--open_calls) allow(false);
}

void lend_pages(size_t at, size_t bytes)
{
    if (bytes >= 8 * HUGE_PAGE) madvise(device_base + at, bytes, MADV_HUGEPAGE);
#ifdef PKEY_DISABLE_ACCESS
    if (key >= 0) {
        pkey_mprotect(device_base + at, bytes, PROT_READ | PROT_WRITE, key);
        return;
    }
#endif
    lent[at] = bytes;
    if (open_calls) mprotect(device_base + at, bytes, PROT_READ | PROT_WRITE);
}

void take_pages(size_t at, size_t bytes)
{
    lent.erase(at);
    mprotect(device_base + at, bytes, PROT_NONE);
    madvise(device_base + at, bytes, MADV_DONTNEED);
}

} // namespace cuda_on_host
