/* SPDX-License-Identifier: MIT */
/* Sums and extremes of arrays: pieces, whose results are joined in order, as on a device, so that
   the bits are not those of a plain loop. */
#ifndef CUDA_ON_HOST_CUB_DEVICE_REDUCE_CUH
#define CUDA_ON_HOST_CUB_DEVICE_REDUCE_CUH

#include "cub/storage.cuh"

#include <limits>

namespace cub
{
namespace on_host
{

enum { REDUCE_PIECE = 1024 };

template <class T, class Join> T reduced(const T *in, size_t n, T start, Join join)
{
    T all = start;
    for (size_t first = 0; first < n; first += REDUCE_PIECE) {
        const size_t end = first + REDUCE_PIECE < n ? first + REDUCE_PIECE : n;
        T piece = in[first];
        for (size_t i = first + 1; i < end; i++) piece = join(piece, in[i]);
        all = first ? join(all, piece) : piece;
    }
    return all;
}

template <class T, class Join>
cudaError_t reduce(const char *name, void *storage, size_t &bytes, const T *in, T *out, size_t n,
                   T start, Join join, cudaStream_t stream)
{
    const size_t wanted = 1024;
    if (asks(storage, bytes, wanted, name)) return cudaSuccess;
    return cuda_on_host::enqueue(stream, name, [=] {
        cuda_on_host::scribble(storage, wanted);
        cuda_on_host::reads(in, n * sizeof(T), "the input of a CUB reduction");
        *out = reduced(in, n, start, join);
        cuda_on_host::wrote(out, sizeof *out);
    });
}

} // namespace on_host

struct DeviceReduce {
    template <class In, class T, class Count>
    static cudaError_t Sum(void *storage, size_t &bytes, In in, T *out, Count count,
                           cudaStream_t stream = nullptr)
    {
        return on_host::reduce(
            "cub::DeviceReduce::Sum", storage, bytes, (const T *)in, out, (size_t)count, (T)0,
            [](T a, T b) { return (T)(a + b); }, stream);
    }
    template <class In, class T, class Count>
    static cudaError_t Max(void *storage, size_t &bytes, In in, T *out, Count count,
                           cudaStream_t stream = nullptr)
    {
        return on_host::reduce(
            "cub::DeviceReduce::Max", storage, bytes, (const T *)in, out, (size_t)count,
            std::numeric_limits<T>::lowest(), [](T a, T b) { return b > a ? b : a; }, stream);
    }
    template <class In, class T, class Count>
    static cudaError_t Min(void *storage, size_t &bytes, In in, T *out, Count count,
                           cudaStream_t stream = nullptr)
    {
        return on_host::reduce(
            "cub::DeviceReduce::Min", storage, bytes, (const T *)in, out, (size_t)count,
            std::numeric_limits<T>::max(), [](T a, T b) { return b < a ? b : a; }, stream);
    }
};

} // namespace cub

#endif
