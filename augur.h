/* SPDX-License-Identifier: MIT */
/* Includes all of Augur. */
#ifndef AUGUR_H
#define AUGUR_H

#include "core/core.h"
#include "core/io/io.h"
#include "autograd/autograd.h"
#include "ops/ops.h"
#include "gnn/gnn.h"
#include "gnn/batches.h"
#include "optim/optim.h"
#include "metrics/metrics.h"
#include "layers/layers.h"

#endif
