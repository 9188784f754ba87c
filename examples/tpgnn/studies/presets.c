/* SPDX-License-Identifier: MIT */
/* The paper's model: models/gcn.py of the authors' repository; its text names GCNConv. */
#include "examples/tpgnn/studies/presets.h"

#include <stddef.h>

#define PAPER                                                                             \
 "network=paper types=words edges=tree compact=false nest=false hidden=128 layers=3 "     \
 "pool=topk ratio=0.8 dropout=0.5 loss=huber label=cost mixed=true tasks=40 schedules=1 " \
 "learning-rate=5e-6 schedule=constant clip=0 "

const char *const tpgnn_preset_settings[] = {NULL, PAPER "conv=graph", PAPER "conv=gcn"};
