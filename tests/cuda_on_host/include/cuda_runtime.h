/* SPDX-License-Identifier: MIT */
/* The part of the CUDA runtime that Augur uses, carried out by the host. Types and signatures are
   those of the toolkit, so that the same sources compile with nvcc. Functions that Augur must not
   use are missing, or refused when they are called. */
#ifndef CUDA_ON_HOST_RUNTIME_H
#define CUDA_ON_HOST_RUNTIME_H

#include "cuda_on_host/language.h"
#include "cuda_on_host/warp.h"
#include "cuda_on_host/atomics.h"
#include "cuda_on_host/api.h"
#include "cuda_on_host/launch.h"

#endif
