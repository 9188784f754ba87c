/* SPDX-License-Identifier: MIT */
/* The processes of one run, ranks 0 to count - 1. The code that moves data between them fills this
   struct (for MPI, examples/harness/mpi). The library starts no process. It does all additions
   itself; that code only moves data. */
#ifndef AG_CORE_RANKS_H
#define AG_CORE_RANKS_H

#include "core/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes to send to another rank, or to receive from it. */
typedef struct ag_ranks_part {
    void *at;
    size_t bytes;
} ag_ranks_part;

typedef struct ag_ranks {
    int rank, count;
    double patience; /* seconds to wait for a rank before the call fails */
    /* Sends send[r] to each other rank r and waits until receive[r] has what r sends. Both ranks
       must give the same size. All ranks make the same calls in the same order, each from one
       thread. `what` names the work in error sentences. Fails: AG_EDEVICE (a rank does not make the
       call in time), AG_EMEMORY. */
    ag_status (*exchange)(struct ag_ranks *ranks, const ag_ranks_part *send,
                          const ag_ranks_part *receive, const char *what, ag_failure *why);
    /* The same between the CUDA devices of the ranks. NULL: data moves through the hosts, by
       exchange. */
    ag_status (*exchange_device)(struct ag_ranks *ranks, const ag_ranks_part *send,
                                 const ag_ranks_part *receive, const char *what, ag_failure *why);
    struct ag_ranks_link *link; /* what exchange_device uses */
} ag_ranks;

/* Call this before ag_device_open, which then takes device `number` (0 or more) modulo the number
   of devices. The ranks of one machine give 0, 1, 2, ... */
AG_API void ag_ranks_take_device(int number);

/* Links the devices of the ranks; all ranks call it with an open device. After AG_OK,
   exchange_device uses NCCL until ag_ranks_unlink. After AG_EUSE, which all ranks get, data moves
   through the hosts; the sentence says why (a rank has no libnccl.so.2, two ranks have one device,
   AUGUR_NCCL=0). Fails: AG_EDEVICE, AG_EMEMORY, as exchange. Do not call exchange_device
   again after it has failed. */
AG_API ag_status ag_ranks_link_devices(ag_ranks *ranks, ag_failure *why);
/* Ends the link. Does not wait: call it when every rank has finished its last exchange. NULL is
   allowed. */
AG_API void ag_ranks_unlink(ag_ranks *ranks);

/* Rank `rank` of `count` has first..end-1 of 0..all-1. The shares of two ranks differ by at most
   one. */
static inline void ag_ranks_share(int64_t *first, int64_t *end, int64_t all, int rank, int count)
{
    *first = all * rank / count;
    *end = all * (rank + 1) / count;
}

#ifdef __cplusplus
}
#endif

#endif
