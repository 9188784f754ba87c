/* SPDX-License-Identifier: MIT */
/* The parts of CUB that core/cuda uses. Include them first: kernel.h has short macros. */
#ifndef AG_CORE_CUDA_CUB_H
#define AG_CORE_CUDA_CUB_H

#include <cub/block/block_scan.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#endif
