/* SPDX-License-Identifier: MIT */
/* Data between the GPUs of ranks, moved by NCCL, which adds nothing. It is loaded when ranks ask
   for it, so a program does not need it otherwise. None of its calls waits, since NCCL has no time
   limit for a rank that hangs. */
#include "core/cuda/inside.h"
#include "core/error.h"
#include "core/internal.h"
#include "core/memory.h"
#include "core/ranks.h"
#include "core/threads.h"

#if defined AG_HAVE_NCCL || defined AG_CUDA_ON_HOST

# include <dlfcn.h>
# include <nccl.h>
# include <sched.h>
# include <string.h>
# include <time.h>

struct ag_ranks_link {
    ncclComm_t comm;
    cudaEvent_t moved;
    ag_ranks_part *out, *in; /* [count] of `seen` */
    char *seen;              /* [count] */
};

/* ---- the library ---- */

static struct calls {
    decltype(&ncclGetUniqueId) unique_id;
    decltype(&ncclCommInitRankConfig) init;
    decltype(&ncclCommAbort) abort;
    decltype(&ncclCommGetAsyncError) state;
    decltype(&ncclGroupStart) begin;
    decltype(&ncclGroupEnd) end;
    decltype(&ncclSend) send;
    decltype(&ncclRecv) receive;
    decltype(&ncclGetErrorString) text;
} nccl;

template <class F> static int find(F *to, void *library, const char *name)
{
    *to = (F)dlsym(library, name);
    return *to != NULL;
}

static int load(void)
{
    if (!ag_switch("AUGUR_NCCL", 1)) return 0;
    void *l = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    return l && find(&nccl.unique_id, l, "ncclGetUniqueId") &&
           find(&nccl.init, l, "ncclCommInitRankConfig") && find(&nccl.abort, l, "ncclCommAbort") &&
           find(&nccl.state, l, "ncclCommGetAsyncError") &&
           find(&nccl.begin, l, "ncclGroupStart") && find(&nccl.end, l, "ncclGroupEnd") &&
           find(&nccl.send, l, "ncclSend") && find(&nccl.receive, l, "ncclRecv") &&
           find(&nccl.text, l, "ncclGetErrorString");
}

/* ---- waiting ---- */

static double seconds(void)
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Turns awake for a moment, since a move is quick. 0: it is `due`. */
static int rest(double begin, double due)
{
    static const timespec nap = {0, 200000};
    const double now = seconds();
    if (now - begin < 0.02)
        sched_yield();
    else
        nanosleep(&nap, NULL);
    return now < due;
}

static ncclResult_t settle(const ag_ranks_link *l, ncclResult_t state, double begin, double due)
{
    while (state == ncclInProgress && rest(begin, due)) {
        const ncclResult_t asked = nccl.state(l->comm, &state);
        if (asked != ncclSuccess) return asked;
    }
    return state;
}

/* A byte to and from each rank through the hosts: that names a rank that does not come. */
static ag_status meet(ag_ranks *ranks, const char *what, ag_failure *why)
{
    return ranks->exchange(ranks, ranks->link->out, ranks->link->in, what, why);
}

/* A kernel that waits for another rank goes on waiting otherwise, and with it who frees memory. */
static void stop(ag_ranks_link *l)
{
    if (l->comm) nccl.abort(l->comm);
    l->comm = NULL;
}

static ag_status failed(ag_ranks *ranks, ncclResult_t state, const char *what, ag_failure *why)
{
    const ag_status status = state == ncclInProgress ? meet(ranks, what, why) : AG_OK;
    stop(ranks->link);
    if (status) return status;
    if (state != ncclInProgress)
        return ag_fail(why, AG_EDEVICE,
                       "NCCL cannot move %s between the GPUs: %s; NCCL_DEBUG=WARN says more, and "
                       "AUGUR_NCCL=0 moves it through the hosts",
                       what, nccl.text(state));
    return ag_fail(why, AG_EDEVICE,
                   "all ranks have come to %s, but NCCL has not moved it in %g s; NCCL_DEBUG=WARN "
                   "says more, and AUGUR_NCCL=0 moves it through the hosts",
                   what, ranks->patience);
}

/* ---- a move ---- */

static int wrong(ncclResult_t state) { return state != ncclSuccess && state != ncclInProgress; }

static ncclResult_t issue(const ag_ranks *ranks, const ag_ranks_part *send,
                          const ag_ranks_part *receive)
{
    const ag_ranks_link *l = ranks->link;
    cudaStream_t stream = ag__cuda_here()->compute;
    ncclResult_t state = nccl.begin();
    for (int r = 0; r < ranks->count && !wrong(state); r++) {
        if (r == ranks->rank) continue;
        if (send[r].bytes)
            state = nccl.send(send[r].at, send[r].bytes, ncclChar, r, l->comm, stream);
        if (receive[r].bytes && !wrong(state))
            state = nccl.receive(receive[r].at, receive[r].bytes, ncclChar, r, l->comm, stream);
    }
    const ncclResult_t end = nccl.end();
    return wrong(state) ? state : end;
}

/* The ranks meet when their GPUs have computed, so that patience is for what moves. */
static ag_status exchange(ag_ranks *ranks, const ag_ranks_part *send, const ag_ranks_part *receive,
                          const char *what, ag_failure *why)
{
    const ag_ranks_link *l = ranks->link;
    ag_status status = ag__device_wait(why);
    if (!status) status = meet(ranks, what, why);
    if (status) return status;
    const double begin = seconds(), due = begin + ranks->patience;
    ncclResult_t state = settle(l, issue(ranks, send, receive), begin, due);
    ag__device_doing("NCCL");
    if (state == ncclSuccess && !ag__cuda_keep(cudaEventRecord(l->moved, ag__cuda_here()->compute)))
        while (state == ncclSuccess && !ag__cuda_done(l->moved)) {
            status = ag__device_failed(why);
            if (status) return status;
            state = settle(l, ncclInProgress, begin, due); /* it may fail while the GPU waits */
        }
    return state == ncclSuccess ? ag__device_failed(why) : failed(ranks, state, what, why);
}

/* ---- beginning and end ---- */

typedef struct hello {
    int ready;
    cudaUUID_t device;
    ncclUniqueId id; /* of rank 0 */
} hello;

static ag_status greet(hello *all, ag_ranks *ranks, ag_failure *why)
{
    ag_ranks_link *l = ranks->link;
    hello *mine = &all[ranks->rank];
    cudaDeviceProp about;
    memset(mine, 0, sizeof *mine);
    mine->ready = load() && (ranks->rank || nccl.unique_id(&mine->id) == ncclSuccess);
    if (ag__cuda_keep(cudaGetDeviceProperties(&about, ag__cuda_here()->number)))
        return ag__device_failed(why);
    mine->device = about.uuid;
    for (int r = 0; r < ranks->count; r++) {
        l->out[r] = {mine, sizeof *mine};
        l->in[r] = {&all[r], sizeof all[r]};
    }
    return meet(ranks, "the beginning of NCCL", why);
}

/* All ranks find the same. */
static ag_status fit(const hello *all, int count, ag_failure *why)
{
    for (int r = 0; r < count; r++) {
        if (!all[r].ready)
            return ag_fail(why, AG_EUSE,
                           "rank %d has no NCCL, since AUGUR_NCCL is 0, or libnccl.so.2 cannot be "
                           "loaded or finds no network; have nvidia-nccl-cu13 on the "
                           "LD_LIBRARY_PATH of all ranks",
                           r);
        for (int other = 0; other < r; other++)
            if (memcmp(&all[r].device, &all[other].device, sizeof all->device) == 0)
                return ag_fail(why, AG_EUSE,
                               "ranks %d and %d have one GPU, which NCCL refuses; start as many "
                               "ranks on a machine as it has GPUs",
                               other, r);
    }
    return AG_OK;
}

static ag_status start(ag_ranks *ranks, const ncclUniqueId *id, ag_failure *why)
{
    ag_ranks_link *l = ranks->link;
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    const double begin = seconds();
    config.blocking = 0;
    for (int r = 0; r < ranks->count; r++) {
        l->out[r] = {&l->seen[ranks->rank], 1};
        l->in[r] = {&l->seen[r], 1};
    }
    if (ag__cuda_keep(cudaEventCreateWithFlags(&l->moved, cudaEventDisableTiming)))
        return ag__device_failed(why);
    ncclResult_t state = nccl.init(&l->comm, ranks->count, *id, ranks->rank, &config);
    state = settle(l, state, begin, begin + ranks->patience);
    if (state != ncclSuccess) return failed(ranks, state, "a first message", why);
    ranks->exchange_device = exchange;
    return AG_OK;
}

extern "C" ag_status ag_ranks_link_devices(ag_ranks *ranks, ag_failure *why)
{
    if (!ranks) return ag__refuse_null(why, "ag_ranks_link_devices", "ranks");
    if (ranks->link) return AG_OK;
    const size_t n = (size_t)ranks->count;
    const size_t bytes =
        sizeof(ag_ranks_link) + n * (sizeof(hello) + 2 * sizeof(ag_ranks_part) + 1);
    char *memory = (char *)ag_alloc(bytes);
    if (!memory)
        return ag_fail(why, AG_EMEMORY,
                       "ag_ranks_link_devices: there is no memory for %zu bytes; take fewer ranks",
                       bytes);
    ag_ranks_link *l = (ag_ranks_link *)memory;
    *l = {};
    l->out = (ag_ranks_part *)(l + 1);
    l->in = l->out + n;
    hello *all = (hello *)(l->in + n);
    l->seen = (char *)(all + n);
    memset(l->seen, 0, n);
    ranks->link = l;
    ag_status status = greet(all, ranks, why);
    if (!status) status = fit(all, ranks->count, why);
    if (!status) status = start(ranks, &all[0].id, why);
    if (status) ag_ranks_unlink(ranks);
    return status;
}

extern "C" void ag_ranks_unlink(ag_ranks *ranks)
{
    if (!ranks || !ranks->link) return;
    stop(ranks->link);
    if (ranks->link->moved) cudaEventDestroy(ranks->link->moved);
    ag_free(ranks->link);
    ranks->link = NULL;
    ranks->exchange_device = NULL;
}

#else

extern "C" ag_status ag_ranks_link_devices(ag_ranks *, ag_failure *why)
{
    return ag_fail(why, AG_EUSE,
                   "this build has no NCCL; install nvidia-nccl-cu13 (or -cu12) and configure with "
                   "-DAUGUR_NCCL_INCLUDE=FOLDER, which has its nccl.h");
}
extern "C" void ag_ranks_unlink(ag_ranks *) {}

#endif
