/* SPDX-License-Identifier: MIT */
/* The baseline that a learned model has to beat: gradient boosting with TVM's settings. Its scores,
   and those of the rules in baselines.c, are small for schedules that are predicted fast. */
#ifndef TPGNN_BASELINES_H
#define TPGNN_BASELINES_H

#include "examples/harness/baseline/boosting.h"
#include "examples/tpgnn/data/data.h"

/* y [schedules]: fastest run time of the task / run time, in 0..1: TVM's label. */
void tpgnn_throughput(double *y, const tpgnn_data *data);

/* The score of a schedule is minus the sum of the outputs of the trees over its stored buffers. The
   loss is sum w (-score - y)^2 / 2 over stored buffers, with y the throughput and w = y. A row that
   several stores share enters once, with the sum of their derivatives. Its splits gain as much as
   with a copy for each store; only the bins of histograms may differ. Source: auto_scheduler's
   XGBModel, Apache TVM 0.8 to 0.19 ("pack-sum" objective; also that of MetaSchedule). */

typedef struct tpgnn_boosting_options {
    harness_boosting_options trees; /* without a loss */
    harness_boosting_loss loss; /* only its limits and `start` count; a schedule of n stores starts
                                   at n times `start` */
    /* Boosting ends after this many trees in a row that do not lower the error (root mean square
       over the fit's stored buffers); these trees are kept. 0: never before `rounds`. */
    int patience;
} tpgnn_boosting_options;

/* TVM's: seed 43, at most 10,000 trees of depth 10, patience 50, rate 0.2, least gain 0.001, least
   weight 0, start 0.5 (XGBoost's). With a start of 0 the number of stores does not favour a
   schedule; a fair comparison runs both. */
tpgnn_boosting_options tpgnn_boosting_defaults(void);

/* NULL: the failure is in `why`: AG_EUSE (a build without libxgboost; no schedules or rows),
   AG_EMEMORY, AG_EDATA (XGBoost's error). The result does not depend on the number of threads. */
harness_boosting *tpgnn_boosting_fit(const tpgnn_data *data, const tpgnn_boosting_options *options,
                                     ag_failure *why);
/* score [schedules] */
ag_status tpgnn_boosting_score(double *score, harness_boosting *boosting, const tpgnn_data *data,
                               ag_failure *why);

#endif
