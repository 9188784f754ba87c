/* SPDX-License-Identifier: MIT */
#define STB_DS_IMPLEMENTATION
#include "examples/harness/base/bag.h"
