/* SPDX-License-Identifier: MIT */
/* Physical mode: scores of the network of rows, and their loss, against plain sums in double. */
#define _GNU_SOURCE
#include "examples/tgraph/program.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

enum { CONFIGS = 12 };

enum { WIDTH = 8, INPUTS = TGRAPH_OP_WIDTH + TGRAPH_ROW_INPUTS };

/* y [n] = w x + b in double, at least 0 where `relu`. */
static void layer(double *y, const double *x, const ag_param *w, const ag_param *b, int n, int m,
                  int relu)
{
    for (int i = 0; i < n; i++) {
        y[i] = (double)b->value[i];
        for (int k = 0; k < m; k++) y[i] += (double)w->value[i * m + k] * x[k];
        if (relu && y[i] < 0) y[i] = 0;
    }
}

static double row_log(const tgraph_model *m, const tgraph_row_inputs *in, int row)
{
    double x[INPUTS], y[2][WIDTH], out;
    for (int k = 0; k < TGRAPH_OP_WIDTH; k++)
        x[k] = (double)m->op_table->value[in->opcode[row] * TGRAPH_OP_WIDTH + k];
    for (int k = 0; k < TGRAPH_ROW_INPUTS; k++)
        x[TGRAPH_OP_WIDTH + k] = (double)in->x[row * TGRAPH_ROW_INPUTS + k];
    layer(y[0], x, m->row[0], m->row_bias[0], WIDTH, INPUTS, 1);
    layer(y[1], y[0], m->row[1], m->row_bias[1], WIDTH, WIDTH, 1);
    layer(y[0], y[1], m->row[2], m->row_bias[2], WIDTH, WIDTH, 1);
    layer(&out, y[0], m->output, m->output_bias, 1, WIDTH, 0);
    return out + (double)in->work[row] - 10;
}

/* Sums over the rows of items, with those that all items count, and the loss of their order. */
static void scores_are_logs_of_sums(void **state)
{
    (void)state;
    ag_failure why = {0};
    const tgraph_data_options data = tgraph_layout_defaults();
    tgraph_file *f = tgraph_file_open(AG_SOURCE_DIR "/examples/data/layout/random/alexnet_1.npz",
                                      &data, NULL, &why);
    if (!f) fail_msg("%s", why.sentence);
    tgraph_options options = tgraph_paper_options();
    tgraph_model m = {0};
    tgraph_scaler scaler;
    tgraph_batch batch = {.rows = &scaler};
    double score[CONFIGS], mean = 0, variance = 0, loss = 0, error = 0;
    options.mode = TGRAPH_PHYSICAL;
    options.row_hidden = WIDTH;
    if (tgraph_model_add(&m, ag_params_new(), &options, &why) || ag_params_build(m.params, 3) ||
        tgraph_rows_fit(&scaler, &f, 1, &why) ||
        tgraph_batch_fill(&batch, f, (int32_t[]){5, 1, 2, 3, 4, 0, 6, 7, 8, 9, 10, 11}, CONFIGS,
                          &why))
        fail_msg("%s", why.sentence);
    ag_tape *tape = ag_tape_new(AG_CPU);
    ag_tensor *y = tgraph_batch_forward(&m, tape, NULL, &batch, CONFIGS);
    ag_forward(y);
    assert_non_null(ag_values(y));
    const tgraph_row_inputs *in = &batch.physical;
    for (int i = 0; i < CONFIGS; i++) {
        double time = 0;
        for (int r = 0; r < in->rows; r++)
            if (in->always[r] > 0) time += (double)in->always[r] * exp(row_log(&m, in, r));
        for (int e = in->first[i]; e < in->first[i + 1]; e++)
            time += (double)in->times[e] * exp(row_log(&m, in, in->row[e]));
        score[i] = log(time);
        assert_float_equal(ag_values(y)[i], score[i], 1e-4);
        mean += (double)in->runtime[i] / CONFIGS;
        error += (score[i] - (double)in->runtime[i]) / CONFIGS;
    }
    for (int i = 0; i < CONFIGS; i++) {
        variance += pow((double)in->runtime[i] - mean, 2) / CONFIGS;
        loss += pow(score[i] - (double)in->runtime[i] - error, 2) / CONFIGS;
    }
    assert_true(loss > 0.01);
    ag_tape_reset(tape);
    y = tgraph_batch_forward(&m, tape, NULL, &batch, CONFIGS);
    ag_tensor *l = tgraph_spread_loss(y, &batch.physical);
    ag_forward(l);
    assert_float_equal(ag_values(l)[0], loss / (variance + 1e-3), 1e-3 * loss / variance);
    ag_tape_free(tape);
    tgraph_batch_free(&batch);
    tgraph_model_free(&m);
    tgraph_file_close(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(scores_are_logs_of_sums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
