/* SPDX-License-Identifier: MIT */
#ifndef CUDA_ON_HOST_STREAMS_HPP
#define CUDA_ON_HOST_STREAMS_HPP

#include "inside.hpp"

#include <deque>
#include <vector>

struct CUstream_st {
    std::deque<cuda_on_host::work> queue;
    /* while a graph is captured */
    std::shared_ptr<cuda_on_host::capture> capturing;
    std::vector<int> after; /* nodes that its next node comes after */
};
struct CUevent_st {
    std::shared_ptr<cuda_on_host::event> state;
};

namespace cuda_on_host
{
extern std::vector<cudaStream_t> streams;
/* 1: the event was recorded in a capture, and `stream` now waits for it there. */
bool capture_wait(cudaStream_t stream, cudaEvent_t event, cudaError_t *error);
void capture_record(cudaEvent_t event, cudaStream_t stream);
} // namespace cuda_on_host

#endif
