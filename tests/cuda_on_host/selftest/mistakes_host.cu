/* SPDX-License-Identifier: MIT */
/* Host code that uses streams, copies and libraries wrongly. */
#include <cub/device/device_scan.cuh>

#include "mistakes.hpp"

namespace
{

__global__ void fill(float *x, float v) { x[threadIdx.x] = v; }
__global__ void copy(float *y, const float *x) { y[threadIdx.x] = x[threadIdx.x]; }

} // namespace

const std::vector<mistake> mistakes_of_host = {
    {"a launch on the default stream",
     [] { DONE(start((cudaStream_t)NULL, 1, 32, fill, zeros<float>(32), 1.0f)); }, "name a stream"},
    {"waiting for the default stream", [] { DONE(cudaStreamSynchronize(NULL)); }, "name a stream"},
    {"a stream that waits for the default stream",
     [] {
         cudaStream_t s;
         DONE(cudaStreamCreateWithFlags(&s, cudaStreamDefault));
     },
     "cudaStreamNonBlocking"},
    {"a capture that lets mistakes pass",
     [] { DONE(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed)); },
     "a capture is relaxed"},
    {"an event within a capture",
     [] {
         cudaEvent_t event;
         DONE(cudaEventCreate(&event));
         DONE(cudaStreamBeginCapture(one, cudaStreamCaptureModeThreadLocal));
         DONE(cudaEventRecord(event, one));
     },
     "cudaEventRecord is called within a capture"},
    {"pinned memory changes before it is read",
     [] {
         float *x = zeros<float>(1), *pinned;
         DONE(cudaMallocHost(&pinned, sizeof *pinned));
         *pinned = 1;
         DONE(cudaMemcpyAsync(x, pinned, sizeof *x, cudaMemcpyHostToDevice, one));
         *pinned = 2;
         shows(fetched(x, 1)[0] != 1);
     },
     NULL},
    {"pinned memory is read before it is written",
     [] {
         float *x = zeros<float>(32), *pinned;
         DONE(cudaMallocHost(&pinned, sizeof *pinned));
         *pinned = 3;
         DONE(start(one, 1, 32, fill, x, 3.0f));
         DONE(cudaMemcpyAsync(pinned, x, sizeof *x, cudaMemcpyDeviceToHost, one));
         shows(*pinned != 3);
     },
     NULL},
    {"two streams without an event",
     [] {
         for (int turn = 0; turn < 20; turn++) {
             float *x = zeros<float>(32), *y = zeros<float>(32);
             DONE(start(one, 1, 32, fill, x, 1.0f));
             DONE(start(two, 1, 32, copy, y, (const float *)x));
             shows(fetched(y, 1, two)[0] != 1);
         }
     },
     NULL},
    {"a copy in the wrong direction",
     [] {
         float v[32] = {0};
         DONE(cudaMemcpyAsync(zeros<float>(32), v, sizeof v, cudaMemcpyDeviceToHost, one));
     },
     "does not fit its pointers"},
    {"a copy beyond the end of its target",
     [] {
         float v[40] = {0};
         DONE(cudaMemcpyAsync(zeros<float>(32), v, sizeof v, cudaMemcpyHostToDevice, one));
     },
     "the target of a copy has 160 bytes"},
    {"a copy onto itself",
     [] {
         float *x = zeros<float>(64);
         DONE(cudaMemcpyAsync(x + 1, x, 32 * sizeof *x, cudaMemcpyDeviceToDevice, one));
     },
     "source and target of a copy overlap"},
    {"cudaFree of a part", [] { DONE(cudaFree(zeros<float>(32) + 1)); },
     "not the start of an allocation"},
    {"cudaFree of what is freed",
     [] {
         float *x = zeros<float>(32);
         DONE(cudaFree(x));
         DONE(cudaFree(x));
     },
     "not the start of an allocation"},
    {"cudaFreeHost of what is not pinned",
     [] {
         float on_the_stack;
         DONE(cudaFreeHost(&on_the_stack));
     },
     "not pinned memory"},
    {"cuBLAS forgot its workspace",
     [] {
         cublasHandle_t blas = blas_on(one);
         cublasSetStream(blas, one);
         blas_product(blas);
     },
     "call cublasSetWorkspace after"},
    {"cuBLAS has no stream", [] { blas_product(blas_on(NULL)); }, "name a stream"},
    {"a product has an alpha of 2", [] { blas_product(blas_on(one), 2); }, "an alpha other than 1"},
    {"a leading dimension of cuBLAS is too small",
     [] {
         const float alpha = 1, beta = 0;
         float *x = zeros<float>(8);
         shows(cublasSgemm(blas_on(one), CUBLAS_OP_N, CUBLAS_OP_N, 2, 1, 1, &alpha, x, 1, x, 1,
                           &beta, x + 4, 2) == CUBLAS_STATUS_INVALID_VALUE);
     },
     NULL},
    {"cuBLAS may use atomics",
     [] {
         EXPECT(cublasSetAtomicsMode(blas_on(one), CUBLAS_ATOMICS_ALLOWED) ==
                CUBLAS_STATUS_SUCCESS);
     },
     "no fixed order"},
    {"CUB has too little storage",
     [] {
         size_t bytes = 16;
         int *x = zeros<int>(100);
         DONE(cub::DeviceScan::ExclusiveSum(zeros<char>(16), bytes, x, x, 100, one));
     },
     "16 bytes of storage"},
    {"somebody keeps values in CUB's storage",
     [] {
         size_t bytes = 0;
         int *x = zeros<int>(1000); /* 4,000 bytes, which serve as storage, too */
         cub::DeviceScan::ExclusiveSum(NULL, bytes, x, x, 100, one);
         cub::DeviceScan::ExclusiveSum(x, bytes, x + 500, x + 500, 100, one);
         shows(fetched(x, 1)[0] != 0);
     },
     NULL},
};
