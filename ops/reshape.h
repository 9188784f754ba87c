/* SPDX-License-Identifier: MIT */
/* A view has no kernels. */
#include "core/kernel.h"
