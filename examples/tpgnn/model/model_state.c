/* SPDX-License-Identifier: MIT */
/* Tensors of a model that are no parameters: vectors of classes, the scale of rows,
   and trees. */
#include "examples/tpgnn/model/model.h"

#include <math.h>

#define REALS (sizeof(ag_real) == sizeof(double) ? AG_F64 : AG_F32)

int tpgnn_model_state(ag_checkpoint_item *item, const tpgnn_model *m)
{
    int n = 0;
    if (m->vector)
        item[n++] =
            (ag_checkpoint_item){"state.vector", REALS,
                                 AG_SHAPE(m->options.words[TPGNN_CLASS], TPGNN_VECTOR), m->vector};
    if (tpgnn_model_standard(m)) {
        const ag_shape columns = AG_SHAPE(TPGNN_ROW);
        item[n++] = (ag_checkpoint_item){"state.row.mean", AG_F64, columns, m->scale.mean};
        item[n++] =
            (ag_checkpoint_item){"state.row.deviation", AG_F64, columns, m->scale.deviation};
    }
    return n + (m->trees.count ? harness_trees_list(item + n, &m->trees) : 0);
}

ag_status tpgnn_model_check(const tpgnn_model *m, ag_failure *why)
{
    const int n = m->vector ? m->options.words[TPGNN_CLASS] * TPGNN_VECTOR : 0;
    for (int i = 0; i < n; i++)
        if (!isfinite((double)m->vector[i]))
            return ag_fail(why, AG_EDATA, "state.vector[%d] is %g, but it must be finite", i,
                           (double)m->vector[i]);
    if (tpgnn_model_standard(m) && tpgnn_row_scale_check(&m->scale, why)) return why->status;
    return harness_trees_check(&m->trees, TPGNN_ROW, why);
}
