/* SPDX-License-Identifier: MIT */
/* Programs under layout configurations: every op and small nets against the plain reference. */
#include "support/test.h"
#include "core/random.h"
#include "support/lab_case_kernels.h"
#include "support/lab_cases.h"

enum { CASES = 60, CONFIGS = 4, NET_CONFIGS = 250, ROWS = 128, RULES = TPUGRAPHS_AS_GIVEN + 1 };

static void compile(lab_run *run, const lab_layout_row *config, int rule)
{
    expect_ok(lab_run_layout(run, config, (tpugraphs_rule)rule, new_failure()));
}

/* Compiles and runs; every node has the value that follows from its operands. */
static void check_run(lab_run *run, const lab_program *p, const lab_layout_row *config, int rule)
{
    compile(run, config, rule);
    lab_run_go(run);
    float **values = lab_case_read(run, p);
    for (int i = 0; i < p->n; i++) {
        if (p->nodes[i].op == LAB_PARAMETER) continue;
        const double error = lab_case_error(p, i, values);
        if (!(error < 1)) fail_msg("%s, node %d %s: %g", p->name, i, p->nodes[i].name, error);
    }
    lab_case_free(values, p);
}

static void test_every_op(void **state)
{
    for (int op = 0; op < LAB_OPS; op++) {
        ag_random random = {7, (uint64_t)op, 0};
        for (int done = 0; done < CASES;) {
            lab_program p = {0};
            lab_layout_row config[ROWS];
            if (!lab_case(&p, (lab_op)op, &random)) continue;
            lab_run *run = lab_run_new(&p);
            check_run(run, &p, NULL, 0);
            for (int i = 0; i < CONFIGS; i++) {
                lab_case_config(config, &p, &random);
                check_run(run, &p, config, i % RULES);
            }
            lab_run_free(run);
            lab_program_clear(&p);
            done++;
        }
    }
}

/* Numbers below and above the rows of a table mean its first and its last. */
static void test_rows_out_of_range(void **state)
{
    lab_program p = {0};
    const int table = lab_parameter(&p, LAB_F32, 2, (int[]){3, 2});
    const int up = lab_iota(&p, 0, 1, (int[]){7}), down = lab_unary(&p, LAB_NEGATE, up);
    lab_gather(&p, table, up);
    lab_gather(&p, table, down);
    lab_run *run = lab_run_new(&p);
    check_run(run, &p, NULL, 0);
    lab_run_free(run);
    lab_program_clear(&p);
}

static void check_root(const lab_run *run, const lab_program *p)
{
    const int root = p->n - 1;
    float **right = lab_case_reference(p), **got = lab_case_read(run, p);
    assert_true(lab_case_size(right[root], lab_elements(p->nodes[root].shape)) > 1e-3);
    lab_case_compare(got[root], right[root], p, root, "layouts");
    lab_case_free(got, p);
    lab_case_free(right, p);
}

static void test_nets(void **state)
{
    for (int net = 0; net < LAB_CASE_NETS; net++) {
        lab_program p = {0};
        lab_case_net(&p, net);
        assert_in_range(lab_configurable_nodes(NULL, &p), 3, ROWS);
        ag_random random = {8, (uint64_t)net, 0};
        lab_layout_row config[ROWS];
        lab_run *run = lab_run_new(&p);
        int copies = 0;
        for (int i = 0; i < NET_CONFIGS; i++) {
            lab_case_config(config, &p, &random);
            check_run(run, &p, config, i % RULES);
            copies += run->n_copies;
            if (i % 10 == 0) check_root(run, &p);
        }
        assert_true(copies > NET_CONFIGS);
        lab_run_free(run);
        lab_program_clear(&p);
    }
}

/* Minus one everywhere is the default: no copies, row-major, the same steps as NULL. */
static void test_default(void **state)
{
    for (int net = 0; net < LAB_CASE_NETS; net++) {
        lab_program p = {0};
        lab_layout_row config[ROWS];
        lab_case_net(&p, net);
        lab_run *run = lab_run_new(&p);
        compile(run, NULL, 0);
        const int steps = run->n_steps;
        assert_int_equal(run->n_copies, 0);
        memset(config, -1, sizeof config);
        check_run(run, &p, config, 0);
        assert_int_equal(run->n_copies, 0);
        assert_int_equal(run->n_steps, steps);
        for (int i = 0; i < p.n; i++) {
            lab_view plain;
            lab_view_row_major(&plain, p.nodes[i].shape);
            if (lab_configurable(&p.nodes[i]))
                assert_memory_equal(&run->value[i].view, &plain, sizeof plain);
        }
        lab_run_free(run);
        lab_program_clear(&p);
    }
}

/* dot [3,4] x [4,5], then a transpose of it, then a reshape back to [3,5]'s elements. */
static void small(lab_program *p)
{
    const int a = lab_parameter(p, LAB_F32, 2, (int[]){3, 4});
    const int b = lab_parameter(p, LAB_F32, 2, (int[]){4, 5});
    const int y = lab_dot(p, a, b, (lab_dot_dims){0, 1, 0});
    const int t = lab_transpose(p, lab_unary(p, LAB_NEGATE, y), (int[]){1, 0});
    lab_reshape(p, t, 1, (int[]){15});
}

/* A row of the configuration from the first axes of output, operand 0 and operand 1. */
static void row(lab_layout_row *r, int o0, int o1, int a0, int a1, int b0, int b1)
{
    memset(*r, -1, sizeof *r);
    const int at[6] = {0, 1, 6, 7, 12, 13}, axis[6] = {o0, o1, a0, a1, b0, b1};
    for (int i = 0; i < 6; i++) (*r)[at[i]] = (signed char)axis[i];
}

static void test_layouts_follow(void **state)
{
    lab_program p = {0};
    lab_layout_row config[2];
    small(&p);
    lab_run *run = lab_run_new(&p);
    /* column-major result, operand 0 as it is, operand 1 turned: one copy; minus and transpose
       follow, and the transposed value is row-major, so the reshape is free */
    row(&config[0], 0, -1, 1, 0, 0, 1);
    row(&config[1], 0, -1, -1, -1, -1, -1);
    check_run(run, &p, config, 0);
    assert_int_equal(run->n_copies, 1);
    assert_int_equal(run->n_steps, 4); /* copy, dot, negate, transpose */
    assert_int_equal(run->value[2].view.stride[0], 1);
    assert_int_equal(run->value[2].view.stride[1], 3);
    assert_int_equal(run->value[3].view.stride[0], 1);
    assert_int_equal(run->value[4].view.stride[1], 1);
    assert_ptr_equal(run->value[5].data, run->value[4].data);
    /* the reshape needs its operand column-major: a copy, then a move */
    row(&config[1], -1, -1, 0, 1, -1, -1);
    check_run(run, &p, config, 0);
    assert_int_equal(run->n_copies, 2);
    assert_int_equal(run->n_steps, 6);
    lab_run_free(run);
    lab_program_clear(&p);
}

static void test_bad_layouts(void **state)
{
    lab_program p = {0};
    lab_layout_row config[2];
    small(&p);
    lab_run *run = lab_run_new(&p);
    static const int bad[][2] = {{0, 2},  {0, -2}, {7, 1},  {13, 4},
                                 {15, 0}, {2, 0},  {30, 0}, {19, 0}}; /* number, value */
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        row(&config[0], 0, 1, 1, 0, 1, -1);
        row(&config[1], -1, -1, -1, -1, -1, -1);
        config[bad[i][0] / 18][bad[i][0] % 18] = (signed char)bad[i][1];
        expect_status(lab_run_layout(run, config, TPUGRAPHS_BY_STRIDES, new_failure()), AG_EUSE,
                      i < 6 ? "node 2 (dot.2): layout " : "node 5");
        lab_run_go(run); /* nothing */
    }
    check_run(run, &p, NULL, 0);
    lab_run_free(run);
    lab_program_clear(&p);
}

static void test_parameters(void **state)
{
    enum { N = 4096 };
    lab_program p = {0};
    float x[N], y[N];
    int seen[13] = {0};
    lab_parameter(&p, LAB_F32, 2, (int[]){13, 2});
    lab_gather(&p, 0, lab_parameter(&p, LAB_S32, 1, (int[]){400}));
    lab__parameter_values(x, &p, 1);
    for (int i = 0; i < 400; i++) {
        assert_true(x[i] == floorf(x[i]) && x[i] >= 0 && x[i] < 13);
        seen[(int)x[i]]++;
    }
    for (int i = 0; i < 13; i++) assert_true(seen[i] > 5);
    lab_program_clear(&p);
    for (int i = 0; i < 2; i++) lab_parameter(&p, LAB_F32, 2, (int[]){64, 64});
    const int pred = lab_parameter(&p, LAB_PRED, 1, (int[]){64});
    lab_dot(&p, 0, 1, (lab_dot_dims){0, 1, 0});
    lab__parameter_values(x, &p, 0);
    lab__parameter_values(y, &p, 1);
    assert_true(fabs(lab_case_size(x, N) - 1) < 0.05);
    assert_true(fabs(lab_case_size(y, N) - 0.125) < 0.01);
    int truths = 0;
    lab__parameter_values(x, &p, pred);
    for (int i = 0; i < 64; i++) {
        assert_true(x[i] == 0.0f || x[i] == 1.0f);
        truths += x[i] == 1.0f;
    }
    assert_in_range(truths, 16, 48);
    lab_program_clear(&p);
}

/* Where b lies after a in a page. */
static size_t after(const float *a, const float *b)
{
    enum { PAGE = 4096 };
    return ((uintptr_t)b + PAGE - (uintptr_t)a % PAGE) % PAGE;
}

/* No load of an operand waits for a store that only ends in the same 12 bits: values lie at least
   320 bytes apart within a page, or at the same place; small ones start the next cache line. */
static void test_places_of_values(void **state)
{
    enum { NODES = 40, APART = 320 };
    lab_program p = {0};
    for (int i = 0; i < NODES; i++) {
        const int side = 64 + i / 4 % 3 * 13;
        lab_parameter(&p, LAB_F32, 2, (int[]){side, 64});
    }
    lab_run *run = lab_run_new(&p);
    for (int i = 1; i < NODES; i++) {
        const float *one = run->value[i - 1].home, *next = run->value[i].home;
        assert_true(one + lab_elements(p.nodes[i - 1].shape) <= next);
        assert_int_equal((uintptr_t)next % 64, 0);
        for (int j = 0; j < i; j++) {
            const size_t far = after(run->value[j].home, next);
            assert_true(!far || far >= APART);
        }
        for (int place = 1; place < 24; place += 2) /* of a copy */
            assert_in_range(after(lab__run_place(run->copies, 1024, place), next), APART,
                            4096 - APART);
    }
    for (float *free = run->copies; free < run->copies + 16; free++) {
        const float *small = lab__run_place(free, 1, 2);
        assert_int_equal((uintptr_t)small % 64, 0);
        assert_in_range(small - free, 0, 15);
    }
    lab_run_free(run);
    lab_program_clear(&p);
}

/* ---- the order of the loops of planned nests ---- */

/* Neighbouring loops become one, and windows that are never cut none. */
static void test_plan(void **state)
{
    nest n = {.kind = NEST_MAP, .op = LAB_ADD};
    nest_loop_add(&n, 3, 0, 20, 20, 20, 0);
    nest_loop_add(&n, 5, 0, 1, 1, 1, 0);
    nest_loop_add(&n, 4, 0, 5, 5, 5, 0);
    nest_plan(&n);
    assert_int_equal(n.depth, 0);
    assert_int_equal(n.n.size, 60);
    nest convolution = {.kind = NEST_DOT, .n_windows = 1, .window = {{{0, 1}, {1, 1}, 0, 8, 1, 1}}};
    nest_loop_add(&convolution, 6, 0, 1, 0, 0, 0);
    nest_loop_add(&convolution, 3, 1, 0, 0, 1, 0);
    nest_plan(&convolution);
    assert_int_equal(convolution.n_windows, 0);
    assert_int_equal(convolution.depth, 0);
}

/* Loops of these sizes outside, then the row and the reduction, in the order that a rule promises.
 */
static void expect_loops(const nest *n, const int *outside, int row, int sum, nest_body body)
{
    for (int i = 0; i < n->depth; i++) assert_int_equal(n->loop[i].size, outside[i]);
    assert_int_equal(n->n.size, row);
    assert_int_equal(n->r.size, sum);
    assert_ptr_equal(n->body, body);
}

/* A product of [6,3] and [3,5] with a column-major output, its sum too short to run inside by
   its strides. */
static void test_product(void **state)
{
    const int first[] = {5, 5, 6}, row[] = {6, 6, 5}, rows[] = {1, 0, 1};
    for (int rule = 0; rule <= TPUGRAPHS_AS_GIVEN; rule++) {
        nest n = {.kind = NEST_DOT, .rule = (tpugraphs_rule)rule};
        nest_loop_add(&n, 6, 0, 1, 3, 0, 0);
        nest_loop_add(&n, 5, 0, 6, 0, 1, 0);
        nest_loop_add(&n, 3, 1, 0, 1, 5, 0);
        nest_plan(&n);
        assert_int_equal(n.depth, 1);
        expect_loops(&n, &first[rule], row[rule], 3, nest_reduce_body(NEST_DOT, rows[rule]));
    }
}

/* A sum of windows over an image whose axes 0 and 1 are in memory the other way around; as given,
   the window's loop comes before the features that came first. */
static void test_windows(void **state)
{
    static const int outside[][2] = {{9, 3}, {9, 3}, {7, 3}}, row[] = {7, 7, 9}, rows[] = {1, 0, 1};
    for (int rule = 0; rule <= TPUGRAPHS_AS_GIVEN; rule++) {
        nest n = {.kind = NEST_SUM, .rule = (tpugraphs_rule)rule, .n_windows = 1};
        n.window[0] = (nest_window){{1, 3}, {1, 1}, -1, 7, 1, 5};
        nest_loop_add(&n, 5, 1, 0, 1, 0, 0);
        nest_loop_add(&n, 7, 0, 1, 0, 0, 0);
        nest_loop_add(&n, 9, 0, 7, 35, 0, 0);
        nest_loop_add(&n, 3, 1, 0, 0, 0, 0);
        nest_plan(&n);
        assert_int_equal(n.n_windows, 1);
        expect_loops(&n, outside[rule], row[rule], 5, nest_reduce_body(NEST_SUM, rows[rule]));
    }
}

int main(void)
{
    return RUN_TESTS(test_every_op, test_rows_out_of_range, test_nets, test_default,
                     test_layouts_follow, test_bad_layouts, test_parameters, test_places_of_values,
                     test_plan, test_product, test_windows);
}
