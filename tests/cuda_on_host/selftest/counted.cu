/* SPDX-License-Identifier: MIT */
/* A kernel that reads 1,000 words twice and writes them once, for the table of CUDA_ON_HOST_COUNT.
 */
#include "selftest.hpp"

static __global__ void twice_read(float *y, const float *x, int n)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) y[i] = x[i] + x[n - 1 - i];
}

int main(void)
{
    enum { N = 1000 };
    open_streams();
    float *y = zeros<float>(N);
    const float *x = uploaded(std::vector<float>(N, 1));
    DONE(start(one, 8, 128, twice_read, y, x, (int)N));
    EXPECT(fetched(y, N)[0] == 2);
    return failures != 0;
}
