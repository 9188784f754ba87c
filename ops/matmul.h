/* SPDX-License-Identifier: MIT */
/* Products are host code over core/gemm: no bodies. */
#include "core/kernel.h"
