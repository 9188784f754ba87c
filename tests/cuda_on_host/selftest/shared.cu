/* SPDX-License-Identifier: MIT */
#include "selftest.hpp"

int failures;
cudaStream_t one, two;

void open_streams()
{
    DONE(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    DONE(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
}
