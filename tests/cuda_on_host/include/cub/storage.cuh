/* SPDX-License-Identifier: MIT */
/* Temporary storage of device-wide calls: the first call asks how much, the second one brings it.
 */
#ifndef CUDA_ON_HOST_CUB_STORAGE_CUH
#define CUDA_ON_HOST_CUB_STORAGE_CUH

#include "cuda_runtime.h"

namespace cub
{
namespace on_host
{

/* 1: the call only asked. */
inline bool asks(void *storage, size_t &bytes, size_t wanted, const char *call)
{
    if (!storage) {
        bytes = wanted;
        return true;
    }
    if (bytes < wanted)
        cuda_on_host::misuse("%s has %zu bytes of storage, but asked for %zu", call, bytes, wanted);
    return false;
}

} // namespace on_host
} // namespace cub

#endif
