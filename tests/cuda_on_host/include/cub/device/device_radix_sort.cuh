/* SPDX-License-Identifier: MIT */
/* A stable sort of pairs by bits begin..end-1 of the key, whose order is that of its type. */
#ifndef CUDA_ON_HOST_CUB_RADIX_SORT_CUH
#define CUDA_ON_HOST_CUB_RADIX_SORT_CUH

#include "cub/storage.cuh"

#include <numeric>
#include <type_traits>
#include <vector>

namespace cub
{
namespace on_host
{

/* Bits whose order as a number is that of the keys. */
template <class Key> uint64_t ordered_bits(Key key, int begin, int end)
{
    const uint64_t sign = (uint64_t)1 << (8 * sizeof key - 1);
    uint64_t bits = 0;
    memcpy(&bits, &key, sizeof key);
    if (std::is_floating_point<Key>::value)
        bits = bits & sign ? ~bits & (sign | (sign - 1)) : bits | sign;
    else if (std::is_signed<Key>::value)
        bits ^= sign;
    bits >>= begin;
    return end - begin < 64 ? bits & (((uint64_t)1 << (end - begin)) - 1) : bits;
}

} // namespace on_host

struct DeviceRadixSort {
    template <class Key, class Value, class Count>
    static cudaError_t SortPairs(void *storage, size_t &bytes, const Key *keys_in, Key *keys_out,
                                 const Value *values_in, Value *values_out, Count count,
                                 int begin = 0, int end = (int)sizeof(Key) * 8,
                                 cudaStream_t stream = nullptr)
    {
        const size_t n = (size_t)count, wanted = n * (sizeof(Key) + sizeof(Value)) + 1024;
        const char *const name = "cub::DeviceRadixSort::SortPairs";
        if (on_host::asks(storage, bytes, wanted, name)) return cudaSuccess;
        if (begin < 0 || end > (int)sizeof(Key) * 8 || begin > end) return cudaErrorInvalidValue;
        return cuda_on_host::enqueue(stream, name, [=] {
            cuda_on_host::scribble(storage, wanted);
            cuda_on_host::reads(keys_in, n * sizeof(Key), "the keys of a CUB sort");
            cuda_on_host::reads(values_in, n * sizeof(Value), "the values of a CUB sort");
            std::vector<size_t> order(n);
            std::iota(order.begin(), order.end(), (size_t)0);
            std::stable_sort(order.begin(), order.end(), [=](size_t a, size_t b) {
                return on_host::ordered_bits(keys_in[a], begin, end) <
                       on_host::ordered_bits(keys_in[b], begin, end);
            });
            const std::vector<Key> keys(keys_in, keys_in + n);
            const std::vector<Value> values(values_in, values_in + n);
            for (size_t i = 0; i < n; i++) {
                keys_out[i] = keys[order[i]];
                values_out[i] = values[order[i]];
            }
            cuda_on_host::wrote(keys_out, n * sizeof(Key));
            cuda_on_host::wrote(values_out, n * sizeof(Value));
        });
    }
};

} // namespace cub

#endif
