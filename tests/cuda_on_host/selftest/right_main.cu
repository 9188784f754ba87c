/* SPDX-License-Identifier: MIT */
/* Results that the host execution must give as a GPU does. */
#include "selftest.hpp"

int main()
{
    int n = 0;
    if (cudaGetDeviceCount(&n) != cudaSuccess) {
        printf("There is no CUDA device.\n");
        return 77;
    }
    open_streams();
    right_threads();
    right_memory();
    right_streams();
    right_graphs();
    right_libraries();
    right_blas_lt();
#ifdef AG_CUDA_ON_HOST
    host_extras();
#endif
    DONE(cudaDeviceSynchronize());
    if (failures)
        printf("%d failed\n", failures);
    else
        printf("all right\n");
    return failures != 0;
}
