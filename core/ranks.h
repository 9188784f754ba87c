/* SPDX-License-Identifier: MIT */
/* The processes of one run, ranks 0 to count - 1, as whatever moves data between them fills it in
   (MPI: examples/harness/ranks). The library starts none of them, and nothing that moves data adds
   numbers. */
#ifndef AG_CORE_RANKS_H
#define AG_CORE_RANKS_H

#include "core/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes for another rank, or from it. */
typedef struct ag_ranks_part {
    void *at;
    size_t bytes;
} ag_ranks_part;

typedef struct ag_ranks {
    int rank, count;
    double patience; /* seconds after which it is a failure that a rank does not come */
    /* Sends send[r] to each other rank r and waits until receive[r] has what r sends: both sides
       give one size. All ranks make the same calls in the same order, each from one thread. what:
       the work, for sentences. Fails: AG_EDEVICE (a rank does not come), AG_EMEMORY. */
    ag_status (*exchange)(struct ag_ranks *ranks, const ag_ranks_part *send,
                          const ag_ranks_part *receive, const char *what, ag_failure *why);
    /* The same between the CUDA devices of the ranks. NULL: through the hosts, by exchange. */
    ag_status (*exchange_device)(struct ag_ranks *ranks, const ag_ranks_part *send,
                                 const ag_ranks_part *receive, const char *what, ag_failure *why);
    struct ag_ranks_link *link; /* of exchange_device */
} ag_ranks;

/* Before ag_device_open, which then takes device `number` (0 or more) modulo how many there are.
   Ranks of one machine give 0, 1, 2, ... */
AG_API void ag_ranks_take_device(int number);

/* All ranks call it with an open device. AG_OK: NCCL is exchange_device until ag_ranks_unlink.
   AG_EUSE, which all ranks get: data moves through the hosts; the sentence says why (a rank has no
   libnccl.so.2, two have one device, AUGUR_NCCL=0). Fails: AG_EDEVICE, AG_EMEMORY, as exchange.
   After a failure of exchange_device there is no other exchange between devices. */
AG_API ag_status ag_ranks_link_devices(ag_ranks *ranks, ag_failure *why);
/* Waits for nobody: the ranks must have met since the last exchange. NULL is allowed. */
AG_API void ag_ranks_unlink(ag_ranks *ranks);

/* Rank `rank` of `count` has first..end-1 of 0..all-1: as many as the others, or one more. */
static inline void ag_ranks_share(int64_t *first, int64_t *end, int64_t all, int rank, int count)
{
    *first = all * rank / count;
    *end = all * (rank + 1) / count;
}

#ifdef __cplusplus
}
#endif

#endif
