/* SPDX-License-Identifier: MIT */
/* The forward pass of physical mode: a run time is a sum over loop nests. */
#include "examples/tgraph/model/model.h"

/* ln of the run time of each row once, [rows, 1], but for the unit: iterations take about e^-10 of
   a millisecond, so that no sum is far from 1. */
static ag_tensor *row_logs(const tgraph_model *m, ag_tape *tape, const tgraph_row_inputs *in)
{
    ag_tensor *code = ag_input_i32(tape, in->opcode, AG_SHAPE(in->rows));
    ag_tensor *x = ag_concat2(ag_gather(ag_parameter(tape, m->op_table), code),
                              ag_input(tape, in->x, AG_SHAPE(in->rows, TGRAPH_ROW_INPUTS)), 1);
    for (int k = 0; k < TGRAPH_ROW_LAYERS; k++)
        x = ag_relu(
            ag_linear(x, ag_parameter(tape, m->row[k]), ag_parameter(tape, m->row_bias[k])));
    x = ag_linear(x, ag_parameter(tape, m->output), ag_parameter(tape, m->output_bias));
    return ag_shift(ag_add(x, ag_input(tape, in->work, AG_SHAPE(in->rows, 1))), -10);
}

ag_tensor *tgraph_physical_forward(const tgraph_model *m, ag_tape *tape,
                                   const tgraph_row_inputs *in, int configs)
{
    const int entries = in->entries;
    ag_tensor *cost = ag_exp(row_logs(m, tape, in));
    ag_tensor *alike = ag_sum_all(ag_mul(cost, ag_input(tape, in->always, AG_SHAPE(in->rows, 1))));
    ag_tensor *each = ag_gather(cost, ag_input_i32(tape, in->row, AG_SHAPE(entries)));
    each = ag_mul_rows(each, ag_input(tape, in->times, AG_SHAPE(entries)));
    each = ag_segment_sum(each, ag_input_i32(tape, in->first, AG_SHAPE(configs + 1)));
    ag_tensor *time = ag_add_bias(each, ag_reshape(alike, AG_SHAPE(1)));
    /* A program of which no node runs takes no time, whose ln would not be finite. */
    return ag_reshape(ag_log(ag_shift(time, (ag_real)1e-20)), AG_SHAPE(configs));
}

static ag_tensor *centred(ag_tensor *x)
{
    const int n = ag_size(x, 0);
    ag_tensor *mean = ag_reshape(ag_mean_all(x), AG_SHAPE(1));
    return ag_add_bias(ag_reshape(x, AG_SHAPE(n, 1)), ag_scale(mean, -1));
}

ag_tensor *tgraph_spread_loss(ag_tensor *score, const tgraph_row_inputs *in)
{
    ag_tape *tape = ag_tape_of(score);
    ag_tensor *y = ag_input(tape, in->runtime, AG_SHAPE(ag_size(score, 0)));
    ag_tensor *error = ag_mean_all(ag_square(centred(ag_sub(score, y))));
    return ag_mul(error, ag_input(tape, in->weight, AG_SCALAR));
}

ag_tensor *tgraph_batch_forward(const tgraph_model *m, ag_tape *tape, const tgraph_program *p,
                                const tgraph_batch *batch, int configs)
{
    return m->options.mode == TGRAPH_PHYSICAL
               ? tgraph_physical_forward(m, tape, &batch->physical, configs)
               : tgraph_forward(m, tape, p, batch->digit, configs);
}
