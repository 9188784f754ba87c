/* SPDX-License-Identifier: MIT */
/* A stable sort of pairs by bits begin..end-1 of the key, an integer; its sign is not among them.
 */
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

template <class Key> uint64_t bits_of(Key key, int begin, int end)
{
    static_assert(std::is_integral<Key>::value, "only integers are sorted");
    return (uint64_t)key >> begin & (((uint64_t)1 << (end - begin)) - 1);
}

} // namespace on_host

struct DeviceRadixSort {
    template <class Key, class Value, class Count>
    static cudaError_t SortPairs(void *storage, size_t &bytes, const Key *keys_in, Key *keys_out,
                                 const Value *values_in, Value *values_out, Count count, int begin,
                                 int end, cudaStream_t stream)
    {
        const size_t n = (size_t)count, wanted = n * (sizeof(Key) + sizeof(Value)) + 1024;
        const char *const name = "cub::DeviceRadixSort::SortPairs";
        if (on_host::asks(storage, bytes, wanted, name)) return cudaSuccess;
        if (begin < 0 || end >= (int)sizeof(Key) * 8 || begin > end) return cudaErrorInvalidValue;
        return cuda_on_host::enqueue(stream, name, [=] {
            cuda_on_host::scribble(storage, wanted);
            cuda_on_host::reads(keys_in, n * sizeof(Key), "the keys of a CUB sort");
            cuda_on_host::reads(values_in, n * sizeof(Value), "the values of a CUB sort");
            std::vector<size_t> order(n);
            std::iota(order.begin(), order.end(), (size_t)0);
            std::stable_sort(order.begin(), order.end(), [=](size_t a, size_t b) {
                return on_host::bits_of(keys_in[a], begin, end) <
                       on_host::bits_of(keys_in[b], begin, end);
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
