/* SPDX-License-Identifier: MIT */
/* The code of stb_ds, compiled once. */
#define STB_DS_IMPLEMENTATION
#include "examples/harness/base/bag.h"
