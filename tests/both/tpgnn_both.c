/* SPDX-License-Identifier: MIT */
/* The network of examples/tpgnn in double (in float it comes from the program's library). */
#include "examples/tpgnn/model/paper.h"

#ifdef AG_DOUBLE
# include "examples/tpgnn/model/paper.c"
#endif
