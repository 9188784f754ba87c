/* SPDX-License-Identifier: MIT */
/* The part of CUB that Augur uses. */
#ifndef CUDA_ON_HOST_CUB_CUH
#define CUDA_ON_HOST_CUB_CUH

#include "cub/block/block_reduce.cuh"
#include "cub/block/block_scan.cuh"
#include "cub/device/device_radix_sort.cuh"
#include "cub/device/device_reduce.cuh"
#include "cub/device/device_scan.cuh"

#endif
