/* SPDX-License-Identifier: MIT */
/* Tensors of a model that are no parameters, and the version of the columns that it reads. */
#include "examples/tpgnn/model/model.h"

#include "examples/harness/harness.h"

#include <jansson.h>
#include <math.h>

#define REALS (sizeof(ag_real) == sizeof(double) ? AG_F64 : AG_F32)

int tpgnn_model_state(ag_checkpoint_item *item, const tpgnn_model *m)
{
    const ag_shape shape = AG_SHAPE(m->options.words[TPGNN_CLASS], TPGNN_VECTOR);
    int n = 0;
    if (m->vector) item[n++] = (ag_checkpoint_item){"state.vector", REALS, shape, m->vector};
    return m->options.rows ? n + nests_scale_list(item + n, &m->joined.scale) : n;
}

ag_status tpgnn_model_check(const tpgnn_model *m, ag_failure *why)
{
    const int n = m->vector ? m->options.words[TPGNN_CLASS] * TPGNN_VECTOR : 0;
    for (int i = 0; i < n; i++)
        if (!isfinite((double)m->vector[i]))
            return ag_fail(why, AG_EDATA, "state.vector[%d] is %g, but it must be finite", i,
                           (double)m->vector[i]);
    return m->options.rows ? nests_scale_check(&m->joined.scale, why) : AG_OK;
}

ag_status tpgnn_model_columns(const tpgnn_options *o, const char *data, ag_failure *why)
{
    if (!o->rows && (o->network == TPGNN_PAPER || !o->nest)) return AG_OK;
    json_error_t error;
    json_t *j = harness_json_loads(data ? data : "", &error);
    if (!j && json_error_code(&error) == json_error_out_of_memory)
        return ag_fail(why, AG_EMEMORY, "There is no memory for the metadata \"data\"");
    const json_t *columns = json_object_get(j, "columns");
    const int version = json_is_integer(columns) ? (int)json_integer_value(columns) : 1;
    json_decref(j);
    if (version == TPGNN_COLUMNS) return AG_OK;
    return ag_fail(why, AG_EDATA,
                   "the model reads version %d of the columns of loop nests, but this program has "
                   "version %d; train it again",
                   version, TPGNN_COLUMNS);
}
