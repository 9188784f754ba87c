/* SPDX-License-Identifier: MIT */
/* What must come out, of the host execution as of a GPU. */
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
