/* SPDX-License-Identifier: MIT */
/* Parts of nodes: boxes of the output, boxes of the reduction one after the other, and buffers that
   hold no more than a box, against the plain reference of the whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "examples/lab/run/reference.h"
#include "examples/lab/run/run_internal.h"
#include "support/lab_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CASES = 150 };

static int below(ag_random *r, int n) { return (int)ag_random_below(r, (uint32_t)n); }

/* Cuts each of n axes in blocks of a random size; the number of boxes. */
static int random_blocks(int *block, const int *size, int n, ag_random *r)
{
    int boxes = 1;
    for (int i = 0; i < n; i++) {
        block[i] = 1 + below(r, size[i]);
        boxes *= (size[i] + block[i] - 1) / block[i];
    }
    return boxes;
}

static void nth_box(lab_box *box, int nth, const int *block, const int *size, int n)
{
    memset(box, 0, sizeof *box);
    for (int i = 0; i < n; i++) {
        const int count = (size[i] + block[i] - 1) / block[i];
        box->start[i] = nth % count * block[i];
        box->size[i] = size[i] - box->start[i] < block[i] ? size[i] - box->start[i] : block[i];
        nth /= count;
    }
}

/* Dense strides of a box in a random order of its axes. */
static int64_t random_view(lab_view *view, const lab_box *box, int n, ag_random *r)
{
    int32_t order[LAB_RANK];
    int64_t stride = 1;
    memset(view, 0, sizeof *view);
    for (int i = 0; i < n; i++) order[i] = i;
    ag_random_shuffle(r, order, n);
    for (int i = 0; i < n; i++) {
        view->stride[order[i]] = stride;
        stride *= box->size[order[i]];
    }
    memcpy(view->first, box->start, sizeof view->first);
    return stride;
}

/* The value of the case's last node, computed part by part into `out`, row-major. */
typedef struct parts {
    const lab_program *p;
    const lab_run *run;
    float *out, *box;
    int node;
} parts;

/* The same operand as a buffer that starts in its middle. */
static const float *from_the_middle(lab_view *view, const parts *c, int operand, ag_random *r)
{
    const lab_value *value = &c->run->value[operand];
    const float *data = value->data;
    *view = value->view;
    for (int i = 0; i < c->p->nodes[operand].shape.rank; i++) {
        view->first[i] = below(r, c->p->nodes[operand].shape.size[i]);
        data += view->first[i] * view->stride[i];
    }
    return data;
}

static void run_part(const parts *c, const lab_part *part, const lab_view *view, ag_random *r)
{
    const lab_node *v = &c->p->nodes[c->node];
    lab_piece pieces[LAB_PIECES];
    lab_view in[LAB_OPERANDS];
    const float *operand[LAB_OPERANDS];
    for (int k = 0; k < v->n_operands; k++)
        operand[k] = from_the_middle(&in[k], c, v->operand[k], r);
    const int n = lab_lower(pieces, c->p, c->node, view, in, part);
    assert_in_range(n, 1, LAB_PIECES);
    for (int i = 0; i < n; i++) {
        const float *data[NEST_INPUTS] = {NULL};
        for (int k = 0; k < NEST_INPUTS; k++) {
            const int from = pieces[i].from[k];
            if (from == LAB_RAMP) data[k] = c->run->ramp;
            if (from >= 0) data[k] = operand[from];
        }
        nest_run(&pieces[i].nest, c->box, data);
    }
}

/* Moves a box that has been computed to its place in the whole. */
static void put_box(const parts *c, const lab_box *box, const lab_view *view)
{
    const lab_shape shape = c->p->nodes[c->node].shape;
    int at[LAB_RANK] = {0};
    for (int i = 0; i >= 0;) {
        int64_t to = 0, from = 0;
        for (int k = 0; k < shape.rank; k++) {
            to = to * shape.size[k] + box->start[k] + at[k];
            from += at[k] * view->stride[k];
        }
        c->out[to] = c->box[from];
        for (i = shape.rank - 1; i >= 0 && ++at[i] == box->size[i]; i--) at[i] = 0;
    }
}

static void run_parts(const parts *c, ag_random *r)
{
    const lab_shape shape = c->p->nodes[c->node].shape;
    int block[LAB_RANK], sum_size[LAB_RANK], sum_block[LAB_RANK];
    const int sums = lab_sum_axes(sum_size, c->p, c->node);
    const int boxes = random_blocks(block, shape.size, shape.rank, r);
    const int sum_boxes = random_blocks(sum_block, sum_size, sums, r);
    for (int i = 0; i < boxes; i++) {
        lab_part part;
        lab_view view;
        memset(&part, 0, sizeof part);
        nth_box(&part.out, i, block, shape.size, shape.rank);
        random_view(&view, &part.out, shape.rank, r);
        for (int j = 0; j < sum_boxes; j++) {
            nth_box(&part.sum, j, sum_block, sum_size, sums);
            part.accumulate = j > 0;
            run_part(c, &part, &view, r);
        }
        put_box(c, &part.out, &view);
    }
}

static void check_case(const lab_program *p, ag_random *r)
{
    ag_failure why = {0};
    lab_run *run;
    lab_layout_row config[16];
    if (lab_run_new(&run, p, &why)) fail_msg("%s", why.sentence);
    lab_case_config(config, p, r);
    if (lab_configurable(&p->nodes[p->n - 1])) /* no copies of its operands */
        memset(config[lab_case_rows(p) - 1], -1, sizeof *config);
    if (lab_run_layout(run, (const lab_layout_row *)config, &why)) fail_msg("%s", why.sentence);
    lab_run_go(run);
    float **values = lab_case_read(run, p);
    const size_t bytes = (size_t)lab_elements(p->nodes[p->n - 1].shape) * sizeof(float);
    const parts c = {p, run, values[p->n - 1], malloc(bytes), p->n - 1};
    memset(c.out, 0, bytes);
    run_parts(&c, r);
    const double error = lab_case_error(p, p->n - 1, values);
    if (!(error < 1)) fail_msg("%s: %g", p->nodes[p->n - 1].name, error);
    free(c.box);
    lab_case_free(values, p);
    lab_run_free(run);
}

static void test_parts(void **state)
{
    (void)state;
    for (int op = LAB_IOTA; op < LAB_OPS; op++) {
        ag_random random = {11, (uint64_t)op, 0};
        if (op == LAB_RESHAPE || op == LAB_GATHER) continue;
        for (int done = 0; done < CASES;) {
            lab_program p = {0};
            if (!lab_case(&p, (lab_op)op, &random)) continue;
            check_case(&p, &random);
            lab_program_clear(&p);
            done++;
        }
    }
}

/* An input that is itself no more than a part: the middle rows of a matrix under a convolution. */
static void test_part_of_input(void **state)
{
    (void)state;
    enum { H = 9, W = 7, FIRST = 3, ROWS = 4 };
    lab_program p = {0};
    ag_failure why = {0};
    const lab_conv_dims d = {2, 0, 3, {1, 2}, 2, 3, {0, 1}, 0, 3, {1, 2}, 1};
    const lab_window w = {3, 1, 1, 1, 1, 1, 0};
    const int x = lab_parameter(&p, LAB_F32, 4, (int[]){1, H, W, 2});
    const int k = lab_parameter(&p, LAB_F32, 4, (int[]){3, 3, 2, 3});
    const int y = lab_convolution(&p, x, k, d, (lab_window[]){w, w});
    float *values[3] = {malloc(sizeof(float[H * W * 2])), malloc(sizeof(float[54])),
                        malloc(sizeof(float[H * W * 3]))};
    assert_int_equal(lab_reference(values, &p, &why), AG_OK);
    float part_of_x[ROWS * W * 2], out[2 * W * 3];
    memcpy(part_of_x, values[0] + FIRST * W * 2, sizeof part_of_x);
    lab_view in[2], view;
    lab_part part;
    lab_piece pieces[LAB_PIECES];
    lab_view_row_major(&in[0], p.nodes[x].shape);
    lab_view_row_major(&in[1], p.nodes[k].shape);
    lab_view_row_major(&view, p.nodes[y].shape);
    lab_part_whole(&part, &p, y);
    in[0].first[1] = FIRST;
    view.first[1] = part.out.start[1] = FIRST + 1;
    part.out.size[1] = 2;
    assert_int_equal(lab_lower(pieces, &p, y, &view, in, &part), 1);
    nest_run(&pieces[0].nest, out, (const float *const[]){part_of_x, values[1], NULL});
    for (int i = 0; i < 2 * W * 3; i++) {
        const double right = (double)values[2][(FIRST + 1) * W * 3 + i];
        assert_true(fabs((double)out[i] - right) < 1e-5);
    }
    for (int i = 0; i < 3; i++) free(values[i]);
    lab_program_clear(&p);
}

/* Neighbouring loops become one, and windows that are never cut none. */
static void test_plan(void **state)
{
    (void)state;
    nest n;
    nest_begin(&n, NEST_MAP, LAB_ADD, LAB_F32);
    nest_loop_add(&n, 3, 0, 20, 20, 20, 0);
    nest_loop_add(&n, 5, 0, 1, 1, 1, 0);
    nest_loop_add(&n, 4, 0, 5, 5, 5, 0);
    nest_plan(&n);
    assert_int_equal(n.depth, 0);
    assert_int_equal(n.n.size, 60);
    nest_begin(&n, NEST_DOT, LAB_CONVOLUTION, LAB_F32);
    const int x = nest_loop_add(&n, 6, 0, 1, 0, 0, 0), k = nest_loop_add(&n, 3, 1, 0, 0, 1, 0);
    nest_window_add(&n, (nest_window){{x, k}, {1, 1}, 0, 8, 1, 1});
    nest_plan(&n);
    assert_int_equal(n.n_windows, 0);
    assert_int_equal(n.depth, 0);
    nest_begin(&n, NEST_SUM, LAB_REDUCE, LAB_F32);
    for (int i = 0; i < NEST_LOOPS + 2; i++) nest_loop_add(&n, 1, 0, 1, 1, 0, 0);
    nest_plan(&n); /* more loops than there is room for: left out */
    float out = 7;
    nest_run(&n, &out, (const float *const[NEST_INPUTS]){(float[]){3}});
    assert_true(out == 3.0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_part_of_input),
        cmocka_unit_test(test_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
