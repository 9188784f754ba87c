/* SPDX-License-Identifier: MIT */
#ifndef CUDA_ON_HOST_STREAMS_HPP
#define CUDA_ON_HOST_STREAMS_HPP

#include "inside.hpp"

#include <deque>
#include <vector>

struct CUstream_st {
    std::deque<cuda_on_host::work> queue;
    std::shared_ptr<cuda_on_host::capture> capturing; /* NULL: it is not captured */
};
struct CUevent_st {
    std::shared_ptr<cuda_on_host::event> state;
};

namespace cuda_on_host
{
extern std::vector<cudaStream_t> streams;
} // namespace cuda_on_host

#endif
