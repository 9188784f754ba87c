/* SPDX-License-Identifier: MIT */
/* Products are host code that calls core/gemm, so there are no bodies. */
#include "core/kernel.h"
