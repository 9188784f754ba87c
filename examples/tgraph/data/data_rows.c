/* SPDX-License-Identifier: MIT */
/* Physical rows of a batch, as the network reads them. */
#include "examples/tgraph/data/data_internal.h"

#include <math.h>
#include <string.h>

enum { FITTED = 64 /* configurations of a file that the scaler is fitted on */ };

ag_status tgraph_rows_add_config(tgraph_rows *rows, const tgraph_file *f, int config,
                                 ag_failure *why)
{
    const uint32_t *word = f->store.word + (int64_t)config * f->store.width;
    signed char *digit = rows->digit;
    for (int v = 0; v < f->graph.configurable; v++) {
        int32_t row[TGRAPH_DIGITS];
        tgraph_unpack(row, word + (size_t)v * TGRAPH_WORDS);
        for (int k = 0; k < TGRAPH_DIGITS; k++) *digit++ = (signed char)(row[k] - 2);
    }
    tgraph_store_settle((tgraph_store *)&f->store, (size_t)f->store.width * sizeof *word);
    return tgraph_rows_add(rows, rows->digit, why);
}

ag_status tgraph_rows_take(tgraph_rows *rows, const tgraph_file *f, const int32_t *config,
                           int count, ag_failure *why)
{
    if (tgraph_rows_open(rows, &f->physical, why)) return why->status;
    for (int i = 0; i < count && !why->status; i++)
        tgraph_rows_add_config(rows, f, config ? config[i] : i, why);
    return why->status;
}

ag_status tgraph_rows_fit(tgraph_scaler *s, tgraph_file *const *files, int count, ag_failure *why)
{
    tgraph_scaler_begin(s, TGRAPH_ROW_COLUMNS);
    for (int i = 0; i < count && !why->status; i++) {
        const tgraph_file *f = files[i];
        const int configs = f->train ? f->train_count : f->configs;
        tgraph_rows rows = {0};
        if (!tgraph_rows_take(&rows, f, f->train, configs < FITTED ? configs : FITTED, why))
            tgraph_scaler_add(s, rows.x, AG_F32, rows.rows);
        tgraph_rows_close(&rows);
    }
    tgraph_scaler_end(s);
    return why->status;
}

/* ---- inputs ---- */

static void lay_arrays(tgraph_row_inputs *in, size_t *bytes, int64_t rows, int64_t entries,
                       int64_t configs)
{
    *bytes = 0;
    in->x = tpugraphs_lay(in->block, bytes, rows * TGRAPH_ROW_INPUTS, sizeof *in->x);
    in->opcode = tpugraphs_lay(in->block, bytes, rows, sizeof *in->opcode);
    in->work = tpugraphs_lay(in->block, bytes, rows, sizeof *in->work);
    in->always = tpugraphs_lay(in->block, bytes, rows, sizeof *in->always);
    in->row = tpugraphs_lay(in->block, bytes, entries, sizeof *in->row);
    in->times = tpugraphs_lay(in->block, bytes, entries, sizeof *in->times);
    in->first = tpugraphs_lay(in->block, bytes, configs + 1, sizeof *in->first);
    in->runtime = tpugraphs_lay(in->block, bytes, configs, sizeof *in->runtime);
    in->weight = tpugraphs_lay(in->block, bytes, 1, sizeof *in->weight);
}

/* The op code is looked up. Of the others, the standardised value and whether it is 0 or less. */
static void put_row(tgraph_row_inputs *in, const tgraph_scaler *s, const float *x, int row)
{
    enum { VALUES = TGRAPH_ROW_COLUMNS - 1 };
    ag_real *to = in->x + (size_t)row * TGRAPH_ROW_INPUTS;
    const int code = (int)x[TGRAPH_ROW_OPCODE];
    for (int k = 0; k < VALUES; k++) {
        to[k] = (ag_real)(((double)x[1 + k] - s->mean[1 + k]) / s->scale[1 + k]);
        to[VALUES + k] = x[1 + k] <= 0;
    }
    in->opcode[row] = code < TGRAPH_OPCODES - 1 ? code : 0;
}

/* Sizes are rounded up, so that batches have few shapes, which are planned once each. What is added
   is no part of any sum. */
static int rounded(int n)
{
    enum { PIECE = 128 };
    return (n + PIECE - 1) / PIECE * PIECE;
}

static ag_status make_room(tgraph_row_inputs *in, int configs, ag_failure *why)
{
    const tgraph_rows *r = &in->all;
    size_t bytes;
    in->rows = rounded(r->rows);
    in->entries = rounded(r->first[configs]);
    lay_arrays(&(tgraph_row_inputs){0}, &bytes, in->rows, in->entries, configs);
    if (tpugraphs_room(&in->block, &in->room, bytes, why)) return why->status;
    lay_arrays(in, &bytes, in->rows, in->entries, configs);
    memset(in->block, 0, bytes);
    return AG_OK;
}

static void put_runtimes(tgraph_row_inputs *in, const tgraph_file *f, const int32_t *config,
                         int count)
{
    double mean = 0, variance = 0;
    for (int i = 0; i < count; i++) {
        const double y = log((double)f->runtime[config ? config[i] : i] + 1);
        in->runtime[i] = (ag_real)y;
        mean += y / count;
    }
    for (int i = 0; i < count; i++) variance += pow((double)in->runtime[i] - mean, 2) / count;
    *in->weight = (ag_real)(1 / (variance + 1e-3));
}

ag_status tgraph_row_inputs_fill(tgraph_row_inputs *in, const tgraph_scaler *s,
                                 const tgraph_file *f, const int32_t *config, int count,
                                 ag_failure *why)
{
    const tgraph_rows *r = &in->all;
    if (tgraph_rows_take(&in->all, f, config, count, why) || make_room(in, count, why))
        return why->status;
    for (int i = 0; i < r->rows; i++) {
        put_row(in, s, r->x + (size_t)i * TGRAPH_ROW_COLUMNS, i);
        in->work[i] = (ag_real)log(r->work[i]);
        in->always[i] = (ag_real)r->always[i];
    }
    for (int e = 0; e < r->first[count]; e++) {
        in->row[e] = r->row[e];
        in->times[e] = (ag_real)r->times[e];
    }
    for (int i = 0; i <= count; i++) in->first[i] = r->first[i];
    put_runtimes(in, f, config, count);
    return AG_OK;
}

void tgraph_row_inputs_free(tgraph_row_inputs *in)
{
    ag_free(in->block);
    tgraph_rows_close(&in->all);
    *in = (tgraph_row_inputs){0};
}
