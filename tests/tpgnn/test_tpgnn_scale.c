/* SPDX-License-Identifier: MIT */
/* Standardised rows of statements: moments over the statements of training, bounds, batches. */
#include "examples/tpgnn/model/model.h"
#include "support/tpgnn_npz.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <string.h>

enum { MOST = 100 };

static void read_two(tpgnn_data *data)
{
    static const char *const name[] = {"sum-columns_784_64", "softmax_196_64"};
    *data = (tpgnn_data){0};
    for (int i = 0; i < 2; i++) {
        ag_failure why = {0};
        char path[512];
        snprintf(path, sizeof path, AG_SOURCE_DIR "/examples/data/schedules/%s.npz", name[i]);
        if (test_schedules_add(data, path, &why)) fail_msg("%s", why.sentence);
    }
}

/* Mean 0 and deviation 1 where nothing was cut off; what is constant is 0. */
static void moments_of_training(void **state)
{
    (void)state;
    tpgnn_data data;
    tpgnn_row_scale scale;
    ag_failure why = {0};
    static float row[MOST * TPGNN_ROW], cost[MOST];
    static double sum[TPGNN_ROW], squares[TPGNN_ROW];
    static int cut[TPGNN_ROW];
    int64_t rows = 0;
    int whole = 0, constant = 0;
    read_two(&data);
    assert_int_equal(tpgnn_row_scale_fit(&scale, &data, &why), AG_OK);
    for (int i = 0; i < data.schedules; i++) {
        const int n = tpgnn_nest_rows(row, cost, MOST, &data, &data.schedule[i], &why);
        for (int r = 0; r < n; r++, rows++) {
            float out[TPGNN_ROW];
            tpgnn_row_scale_apply(out, &scale, row + r * TPGNN_ROW);
            for (int k = 0; k < TPGNN_ROW; k++) {
                assert_true(fabs((double)out[k]) <= TPGNN_ROW_MOST);
                cut[k] |= fabs((double)out[k]) == TPGNN_ROW_MOST;
                sum[k] += (double)out[k];
                squares[k] += (double)out[k] * (double)out[k];
            }
        }
    }
    for (int k = 0; k < TPGNN_ROW; k++) {
        if (cut[k]) continue;
        assert_true(fabs(sum[k] / (double)rows) < 1e-4);
        if (squares[k] > 0) assert_true(fabs(squares[k] / (double)rows - 1) < 1e-3);
        whole += squares[k] > 0;
        constant += !(squares[k] > 0);
    }
    assert_true(whole > 50 && constant > 5);
    tpgnn_data_free(&data);
}

static void bounds_and_constants(void **state)
{
    (void)state;
    tpgnn_row_scale s = {{0}, {0}};
    float row[TPGNN_ROW] = {3, -9, 100, 0.5F};
    float out[TPGNN_ROW];
    ag_failure why = {0};
    s.mean[0] = 1;
    s.mean[3] = 0.25;
    for (int k = 0; k < 3; k++) s.deviation[k] = 1;
    s.deviation[3] = 1e-9; /* rounding of a constant */
    tpgnn_row_scale_apply(out, &s, row);
    assert_true(out[0] == 2 && out[1] == -TPGNN_ROW_MOST && out[2] == TPGNN_ROW_MOST);
    assert_true(out[3] == 0 && out[4] == 0);
    assert_int_equal(tpgnn_row_scale_check(&s, &why), AG_OK);
    s.deviation[7] = (double)INFINITY;
    assert_int_equal(tpgnn_row_scale_check(&s, &why), AG_EDATA);
    assert_non_null(strstr(why.sentence, "state.row.deviation[7] inf"));
}

/* Networks read the scaled rows, trees those of the tree. */
static void a_batch_scales_its_rows(void **state)
{
    (void)state;
    tpgnn_data data;
    tpgnn_row_scale scale;
    ag_failure why = {0};
    tpgnn_batch plain = {0}, scaled = {0};
    read_two(&data);
    const tpgnn_schedule *list[2] = {&data.schedule[0], &data.schedule[data.schedules - 1]};
    assert_int_equal(tpgnn_row_scale_fit(&scale, &data, &why), AG_OK);
    tpgnn_batch_options o = {.edges = TPGNN_TREE, .rows = 1};
    assert_int_equal(tpgnn_batch_fill(&plain, &data, list, 2, &o, &why), AG_OK);
    o.scale = &scale;
    assert_int_equal(tpgnn_batch_fill(&scaled, &data, list, 2, &o, &why), AG_OK);
    for (int i = 0; i < plain.stores; i++) {
        float row[TPGNN_ROW], out[TPGNN_ROW];
        for (int k = 0; k < TPGNN_ROW; k++) row[k] = (float)plain.row[i * TPGNN_ROW + k];
        tpgnn_row_scale_apply(out, &scale, row);
        for (int k = 0; k < TPGNN_ROW; k++)
            assert_true((ag_real)out[k] == scaled.row[i * TPGNN_ROW + k]);
        assert_memory_not_equal(out, row, sizeof out);
    }
    assert_memory_equal(plain.cycles, scaled.cycles, (size_t)plain.stores * sizeof *plain.cycles);
    tpgnn_batch_free(&plain);
    tpgnn_batch_free(&scaled);
    tpgnn_data_free(&data);
}

/* Networks of rows have no parameters for nodes; without rows there is nothing but nodes. */
static void rows_alone_know_no_nodes(void **state)
{
    (void)state;
    tpgnn_options o = tpgnn_default_options(TPGNN_STORES);
    assert_true(o.rows && o.standard && !o.graph);
    for (int i = 0; i < 3; i++) {
        tpgnn_model m;
        ag_failure why = {0};
        o.graph = i == 1;
        o.rows = i < 2;
        assert_int_equal(tpgnn_model_add(&m, ag_params_new(), &o, &why), AG_OK);
        const tpgnn_member *of = &m.member[0];
        assert_true((of->input.weight && of->table[0] && of->join.weight) == (i > 0));
        assert_true((of->row.weight != NULL) == (i < 2));
        assert_true(tpgnn_model_standard(&m) == (i < 2));
        tpgnn_model_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_of_training),
        cmocka_unit_test(bounds_and_constants),
        cmocka_unit_test(a_batch_scales_its_rows),
        cmocka_unit_test(rows_alone_know_no_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
