// SPDX-License-Identifier: MIT
// The C program is C++ as well.
#include "use.c"
