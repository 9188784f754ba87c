/* SPDX-License-Identifier: MIT */
/* Tensors of a model that are no parameters: vectors of classes, the scale of rows,
   and trees. */
#include "examples/tpgnn/model/model.h"
#include "examples/tpgnn/nest/nest_rows.h"

#include <jansson.h>
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

ag_status tpgnn_model_columns(const tpgnn_options *o, const char *data, ag_failure *why)
{
    if (o->network == TPGNN_PAPER || !(o->nest || o->rows || o->trees)) return AG_OK;
    json_error_t error;
    json_t *j = json_loads(data ? data : "", JSON_REJECT_DUPLICATES, &error);
    if (!j && json_error_code(&error) == json_error_out_of_memory)
        return ag_fail(why, AG_EMEMORY, "There is no memory for the metadata \"data\"");
    const json_t *columns = json_object_get(j, "columns");
    const int version = json_is_integer(columns) ? (int)json_integer_value(columns) : 1;
    json_decref(j);
    if (version == TPGNN_COLUMNS) return AG_OK;
    return ag_fail(why, AG_EDATA,
                   "the model reads version %d of the columns of statements, but this program has "
                   "version %d; train it again",
                   version, TPGNN_COLUMNS);
}
