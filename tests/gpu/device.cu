// SPDX-License-Identifier: MIT
// Prints the first CUDA device as lines `KEY VALUE`. Exit status 6, with a sentence, where there is
// none.
#include <cuda_runtime.h>

#include <cstdio>

static int refuse(cudaError_t error)
{
    if (error == cudaErrorInsufficientDriver)
        std::fprintf(stderr, "There is no NVIDIA driver, or one older than the CUDA toolkit; "
                             "install a newer driver, or see the "
                             "parts without a GPU by AUGUR_GPU_PRESET=cuda-host.\n");
    else
        std::fprintf(stderr,
                     "No CUDA device can be used: %s (error %d); look at nvidia-smi and "
                     "CUDA_VISIBLE_DEVICES.\n",
                     cudaGetErrorString(error), (int)error);
    return 6;
}

int main()
{
    int count = 0, driver = 0, runtime = 0;
    cudaDeviceProp p;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count == 0) error = cudaErrorNoDevice;
    if (error == cudaSuccess) error = cudaGetDeviceProperties(&p, 0);
    if (error == cudaSuccess) error = cudaFree(nullptr); // makes a context, as every program does
    if (error != cudaSuccess) return refuse(error);
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    std::printf("name %s\narchitecture %d%d\nmultiprocessors %d\nmemory %.1f GiB\nL2 %.0f "
                "MiB\ndriver CUDA %d.%d\ntoolkit CUDA %d.%d\n",
                p.name, p.major, p.minor, p.multiProcessorCount,
                (double)p.totalGlobalMem / (1 << 30), (double)p.l2CacheSize / (1 << 20),
                driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
    return 0;
}
