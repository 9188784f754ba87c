/* SPDX-License-Identifier: MIT */
/* The losses of training. */
#ifndef TPGNN_LOSS_H
#define TPGNN_LOSS_H

#include "examples/tpgnn/program.h"

/* The labels of a batch [graphs], of a kind in program.h: large is slow. mean, deviation: of the
   labels of training. */
void tpgnn_labels(ag_real *out, const tpgnn_data *data, const tpgnn_batch *batch, int label,
                  double mean, double deviation);
/* Mean and standard deviation of the labels that are scaled (cost, log); 0 and 1 for others. */
void tpgnn_label_scale(double *mean, double *deviation, const tpgnn_data *data, int label);

/* The loss of a batch, a scalar, by --loss, --margin and --top of the settings: over pairs of
   schedules of one task, or an error of the predicted labels. cost [graphs]; label [graphs],
   borrowed until the run returns; only hinge, and pairs without `top`, need none (NULL). */
ag_tensor *tpgnn_loss(ag_tensor *cost, const tpgnn_batch *batch, const ag_real *label,
                      const tpgnn_settings *settings);

#endif
