/* SPDX-License-Identifier: MIT */
/* Host code that uses streams, copies and libraries wrongly. */
#include <cub/device/device_scan.cuh>

#include "mistakes.hpp"

#include <cublas_v2.h>

namespace
{

__global__ void fill(float *x, float v) { x[threadIdx.x] = v; }
__global__ void copy(float *y, const float *x) { y[threadIdx.x] = x[threadIdx.x]; }

int default_launch()
{
    return start((cudaStream_t)NULL, 1, 32, fill, zeros<float>(32), 1.0f) != cudaSuccess;
}
int default_wait() { return cudaStreamSynchronize(NULL) != cudaSuccess; }
int blocking_stream()
{
    cudaStream_t s;
    return cudaStreamCreateWithFlags(&s, cudaStreamDefault) != cudaSuccess;
}
int relaxed_capture()
{
    return cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed) != cudaSuccess;
}

/* Results that are wrong, since there was no wait. */
int early_change()
{
    float *x = zeros<float>(1), *pinned;
    DONE(cudaMallocHost(&pinned, sizeof *pinned));
    *pinned = 1;
    DONE(cudaMemcpyAsync(x, pinned, sizeof *x, cudaMemcpyHostToDevice, one));
    *pinned = 2;
    return fetched(x, 1)[0] != 1;
}
int early_read()
{
    float *x = zeros<float>(32), *pinned;
    DONE(cudaMallocHost(&pinned, sizeof *pinned));
    *pinned = 3;
    DONE(start(one, 1, 32, fill, x, 3.0f));
    DONE(cudaMemcpyAsync(pinned, x, sizeof *x, cudaMemcpyDeviceToHost, one));
    return *pinned != 3;
}
int streams_apart()
{
    for (int turn = 0; turn < 20; turn++) {
        float *x = zeros<float>(32), *y = zeros<float>(32);
        DONE(start(one, 1, 32, fill, x, 1.0f));
        DONE(start(two, 1, 32, copy, y, (const float *)x));
        if (fetched(y, 1, two)[0] != 1) return 1;
    }
    return 0;
}

int wrong_direction()
{
    float v[32] = {0};
    return cudaMemcpyAsync(zeros<float>(32), v, sizeof v, cudaMemcpyDeviceToHost, one) !=
           cudaSuccess;
}
int copy_too_long()
{
    float v[40] = {0};
    return cudaMemcpyAsync(zeros<float>(32), v, sizeof v, cudaMemcpyHostToDevice, one) !=
           cudaSuccess;
}
int copy_onto_itself()
{
    float *x = zeros<float>(64);
    return cudaMemcpyAsync(x + 1, x, 32 * sizeof *x, cudaMemcpyDeviceToDevice, one) != cudaSuccess;
}
int free_of_a_part() { return cudaFree(zeros<float>(32) + 1) != cudaSuccess; }
int free_twice()
{
    float *x = zeros<float>(32);
    DONE(cudaFree(x));
    return cudaFree(x) != cudaSuccess;
}
int free_pinned()
{
    float on_the_stack;
    return cudaFreeHost(&on_the_stack) != cudaSuccess;
}

int product(cublasHandle_t blas)
{
    const float alpha = 1, beta = 0;
    float *x = zeros<float>(1), *y = zeros<float>(1);
    return cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &alpha, x, 1, x, 1, &beta, y, 1) !=
           CUBLAS_STATUS_SUCCESS;
}
int forgotten_workspace()
{
    cublasHandle_t blas;
    cublasCreate(&blas);
    cublasSetWorkspace(blas, zeros<char>(1 << 20), 1 << 20);
    cublasSetStream(blas, one);
    return product(blas);
}
int blas_without_stream()
{
    cublasHandle_t blas;
    cublasCreate(&blas);
    cublasSetWorkspace(blas, zeros<char>(1 << 20), 1 << 20);
    return product(blas);
}
int blas_atomics()
{
    cublasHandle_t blas;
    cublasCreate(&blas);
    return cublasSetAtomicsMode(blas, CUBLAS_ATOMICS_ALLOWED) != CUBLAS_STATUS_SUCCESS;
}
int little_storage()
{
    size_t bytes = 16;
    int *x = zeros<int>(100);
    return cub::DeviceScan::ExclusiveSum(zeros<char>(16), bytes, x, x, 100, one) != cudaSuccess;
}
int storage_is_used()
{
    size_t bytes = 0;
    int *x = zeros<int>(1000); /* 4,000 bytes, which serve as storage, too */
    cub::DeviceScan::ExclusiveSum(NULL, bytes, x, x, 100, one);
    cub::DeviceScan::ExclusiveSum(x, bytes, x + 500, x + 500, 100, one);
    return fetched(x, 1)[0] != 0;
}

} // namespace

MISTAKES(mistakes_of_host,
         {
             {"a launch on the default stream", default_launch, "name a stream"},
             {"waiting for the default stream", default_wait, "name a stream"},
             {"a stream that waits for the default stream", blocking_stream,
              "cudaStreamNonBlocking"},
             {"a capture that lets mistakes pass", relaxed_capture, "a capture is relaxed"},
             {"pinned memory changes before it is read", early_change, NULL},
             {"pinned memory is read before it is written", early_read, NULL},
             {"two streams without an event", streams_apart, NULL},
             {"a copy in the wrong direction", wrong_direction, "does not fit its pointers"},
             {"a copy beyond the end of its target", copy_too_long,
              "the target of a copy has 160 bytes"},
             {"a copy onto itself", copy_onto_itself, "source and target of a copy overlap"},
             {"cudaFree of a part", free_of_a_part, "not the start of an allocation"},
             {"cudaFree of what is freed", free_twice, "not the start of an allocation"},
             {"cudaFreeHost of what is not pinned", free_pinned, "not pinned memory"},
             {"cuBLAS forgot its workspace", forgotten_workspace, "call cublasSetWorkspace after"},
             {"cuBLAS has no stream", blas_without_stream, "name a stream"},
             {"cuBLAS may use atomics", blas_atomics, "no fixed order"},
             {"CUB has too little storage", little_storage, "16 bytes of storage"},
             {"somebody keeps values in CUB's storage", storage_is_used, NULL},
         });
