/* SPDX-License-Identifier: MIT */
/* The bodies of ops/group.def and, for CUDA, the kernel that runs groups of them. */
#define AG_BODIES_ALONE
#include "ops/dropout.h"
#include "ops/elementwise.h"

#define AG_GROUP_BODIES "ops/group.def"
#include "core/cuda/group.h"
