/* SPDX-License-Identifier: MIT */
/* Prefix sums of integers; those of floats have no fixed order in CUB and do not compile here. */
#ifndef CUDA_ON_HOST_CUB_SCAN_CUH
#define CUDA_ON_HOST_CUB_SCAN_CUH

#include "cub/storage.cuh"

#include <type_traits>

namespace cub
{

struct DeviceScan {
    template <class T, class Count>
    static cudaError_t ExclusiveSum(void *storage, size_t &bytes, const T *in, T *out, Count count,
                                    cudaStream_t stream)
    {
        static_assert(std::is_integral<T>::value, "a scan of floats has no fixed order");
        const size_t n = (size_t)count, wanted = n * sizeof(T) / 128 + 1024;
        const char *const name = "cub::DeviceScan::ExclusiveSum";
        if (on_host::asks(storage, bytes, wanted, name)) return cudaSuccess;
        return cuda_on_host::enqueue(stream, name, [=] {
            T sum = 0;
            cuda_on_host::scribble(storage, wanted);
            cuda_on_host::reads(in, n * sizeof(T), "the input of a CUB scan");
            for (size_t i = 0; i < n; i++) {
                const T one = in[i];
                out[i] = sum;
                sum = (T)(sum + one);
            }
            cuda_on_host::wrote(out, n * sizeof(T));
        });
    }
};

} // namespace cub

#endif
