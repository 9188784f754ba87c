/* SPDX-License-Identifier: MIT */
/* The models that ship with the programs (examples/models): run folders, known by name. */
#ifndef HARNESS_SHIPPED_H
#define HARNESS_SHIPPED_H

#include "core/types.h"

/* The run folder of the model `name` (harness_lasting). Models are in
   share/augur/models, in the folder of the program or shared object that this function is part of,
   or else in the nearest folder above it that has them; so they are found in a build tree, too.
   NULL: AG_EFILE, and the sentence lists the names. */
const char *harness_shipped_path(const char *name, ag_failure *why);

#endif
