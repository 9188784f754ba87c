/* SPDX-License-Identifier: MIT */
/* The calls of NCCL that Augur uses, with its signatures and numbers. */
#ifndef CUDA_ON_HOST_NCCL_H
#define CUDA_ON_HOST_NCCL_H

#include "cuda_runtime.h"

typedef struct ncclComm *ncclComm_t;
typedef struct ncclUniqueId {
    char internal[128];
} ncclUniqueId;
typedef enum ncclResult_t {
    ncclSuccess = 0,
    ncclInvalidUsage = 5,
    ncclInProgress = 7
} ncclResult_t;
typedef enum ncclDataType_t { ncclChar = 0 } ncclDataType_t;
typedef struct ncclConfig_t {
    int blocking;
} ncclConfig_t;
#define NCCL_CONFIG_INITIALIZER \
 {                              \
  1                             \
 }

extern "C" {
ncclResult_t ncclGetUniqueId(ncclUniqueId *id);
ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int count, ncclUniqueId id, int rank,
                                    ncclConfig_t *config);
ncclResult_t ncclCommAbort(ncclComm_t comm);
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *state);
ncclResult_t ncclGroupStart(void);
ncclResult_t ncclGroupEnd(void);
ncclResult_t ncclSend(const void *from, size_t count, ncclDataType_t type, int to, ncclComm_t comm,
                      cudaStream_t stream);
ncclResult_t ncclRecv(void *to, size_t count, ncclDataType_t type, int from, ncclComm_t comm,
                      cudaStream_t stream);
const char *ncclGetErrorString(ncclResult_t result);
}

#endif
