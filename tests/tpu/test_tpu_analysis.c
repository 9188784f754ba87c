/* SPDX-License-Identifier: MIT */
/* The static analysis of kernels only from features, against the programs that they are of. */
#include "support/test.h"
#include "core/random.h"
#include "examples/harness/harness.h"
#include "examples/lab/nets/families.h"
#include "examples/lab/fusion/fusion.h"
#include "examples/tpu/baseline/roofline.h"
#include "examples/tpu/rows/rows.h"
#include "support/tpu_lab.h"

static void check(double got, double must, const char *what, const char *where)
{
    if (!(fabs(got - must) <= 1e-9 * fabs(must)))
        fail_msg("%s: %s is %.17g, but must be %.17g", where, what, got, must);
}

/* ---- from the program ---- */

static int is_special(lab_op op)
{
    return op == LAB_EXPONENTIAL || op == LAB_LOG || op == LAB_LOGISTIC || op == LAB_RSQRT ||
           op == LAB_SQRT || op == LAB_TANH || op == LAB_DIVIDE || op == LAB_POWER;
}

static int is_arithmetic(lab_op op) { return op >= LAB_ABS && op <= LAB_CLAMP && !is_special(op); }

static double window_of(const lab_node *node, int axes)
{
    double size = 1;
    for (int i = 0; i < axes; i++) size *= node->window[i].size;
    return size;
}

static double flops_of(const lab_program *p, const lab_node *node)
{
    const double out = (double)lab_elements(node->shape);
    const lab_shape *in = node->n_operands ? &p->nodes[node->operand[0]].shape : NULL;
    const lab_shape *second = node->n_operands > 1 ? &p->nodes[node->operand[1]].shape : NULL;
    switch (node->op) {
    case LAB_REDUCE: return (double)lab_elements(*in) - out;
    case LAB_REDUCE_WINDOW: return out * (window_of(node, node->shape.rank) - 1);
    case LAB_DOT: return 2 * out * in->size[node->dot.left];
    case LAB_CONVOLUTION:
        return 2 * out * window_of(node, node->conv.spatial) * second->size[node->conv.kernel_in];
    default: return is_arithmetic(node->op) ? out : 0;
    }
}

static double bytes_of(lab_shape shape)
{
    return (double)lab_elements(shape) * (shape.type == LAB_PRED ? 1 : 4);
}

/* Of parameters that are not only sliced or gathered from; -1: one is. */
static double read_of(const lab_program *p)
{
    double sum = 0;
    for (int v = 0; v < p->n; v++) {
        int whole = 0, part = 0;
        for (int u = v + 1; u < p->n; u++)
            for (int i = 0; i < p->nodes[u].n_operands; i++)
                if (p->nodes[u].operand[i] == v)
                    *(p->nodes[u].op == LAB_SLICE || p->nodes[u].op == LAB_GATHER ? &part
                                                                                  : &whole) = 1;
        if (p->nodes[v].op != LAB_PARAMETER) continue;
        if (part && !whole) return -1;
        sum += whole ? bytes_of(p->nodes[v].shape) : 0;
    }
    return sum;
}

static tpu_type type_of(lab_op op)
{
    return op == LAB_CONVOLUTION                         ? TPU_TYPE_CONVOLUTION
           : op == LAB_DOT                               ? TPU_TYPE_DOT
           : op == LAB_REDUCE || op == LAB_REDUCE_WINDOW ? TPU_TYPE_REDUCE
                                                         : TPU_TYPE_OTHER;
}

static void compare(const lab_program *p)
{
    tpu_kernel k;
    tpu_static s;
    double flops = 0, special = 0;
    tpu_type type = TPU_TYPE_OTHER;
    tpu_lab_kernel(&k, p);
    tpu_analyse(&s, &k);
    for (int i = 0; i < p->n; i++) {
        const tpu_type its = type_of(p->nodes[i].op);
        flops += flops_of(p, &p->nodes[i]);
        special += is_special(p->nodes[i].op) ? (double)lab_elements(p->nodes[i].shape) : 0;
        type = its < type ? its : type;
    }
    assert_int_equal(s.type, type);
    check(s.flops, flops, "flops", p->name);
    check(s.special, special, "special", p->name);
    check(s.written, bytes_of(p->nodes[p->n - 1].shape), "bytes written", p->name);
    if (read_of(p) >= 0) check(s.read, read_of(p), "bytes read", p->name);
    tpu_kernel_free(&k);
}

/* Whole programs, and the kernels that a partition cuts them in. */
static void families(void **state)
{
    int kernels = 0;
    for (int f = 0; f < lab_n_families; f++) {
        lab_program p = {0};
        expect_ok(lab_family_program(&p, lab_families[f].name, 3, 1, new_failure()));
        compare(&p);
        int *group = HARNESS_NEW(group, p.n);
        const int n = lab_partition(group, &p, 0.7, 5);
        for (int g = 0; g < n; g++) {
            lab_program kernel = {0};
            if (lab_kernel(&kernel, &p, group, g)) fail_msg("%s", kernel.why.sentence);
            compare(&kernel);
            kernels++;
            lab_program_clear(&kernel);
        }
        harness_free(group);
        lab_program_clear(&p);
    }
    assert_true(kernels > 300);
}

/* ---- by hand ---- */

/* Three rows of a thousand; one operand, twice. */
static void parts_are_read_once(void **state)
{
    static const double bytes[] = {4 * (3 * 16 + 3), 4 * 36};
    for (int i = 0; i < 2; i++) {
        lab_program p = {0};
        tpu_kernel k;
        tpu_static s;
        const int x = lab_parameter(&p, LAB_F32, 2, i ? (int[]){6, 6} : (int[]){1000, 16});
        if (i)
            lab_dot(&p, x, x, (lab_dot_dims){0, 1, 0});
        else
            lab_gather(&p, x, lab_parameter(&p, LAB_S32, 1, (int[]){3}));
        assert_int_equal(p.why.status, AG_OK);
        tpu_lab_kernel(&k, &p);
        tpu_analyse(&s, &k);
        check(s.read, bytes[i], "read", i ? "square" : "gather");
        tpu_kernel_free(&k);
        lab_program_clear(&p);
    }
}

/* A product of [48,64] and [64,40] in tiles of 16 x 20 with blocks of 32: the left operand is read
   twice, the right one three times, in 3 x 2 x 2 steps. */
static void loads_by_hand(void **state)
{
    float tile[2][24] = {{[0] = 32, [8] = 16, [9] = 20}, {[0] = 100, [8] = 48, [9] = 40}};
    lab_program p = {0};
    tpu_kernel k;
    tpu_load load[2];
    const int x = lab_parameter(&p, LAB_F32, 2, (int[]){48, 64}),
              w = lab_parameter(&p, LAB_F32, 2, (int[]){64, 40});
    lab_unary(&p, LAB_TANH, lab_dot(&p, x, w, (lab_dot_dims){0, 1, 0}));
    tpu_lab_kernel(&k, &p);
    tpu_loads(load, &k);
    check(load[0].bytes, 4.0 * (48 * 64 + 64 * 40 + 48 * 40), "bytes", "whole");
    check(load[0].steps, 1, "steps", "whole");
    k.tile = tile[0];
    k.configs = 2;
    tpu_loads(load, &k);
    check(load[0].bytes, 4.0 * (2 * 48 * 64 + 3 * 64 * 40 + 48 * 40), "bytes", "tiles");
    check(load[0].steps, 12, "steps", "tiles");
    check(load[0].flops, 2.0 * 48 * 64 * 40, "flops", "tiles");
    check(load[1].bytes, 4.0 * (48 * 64 + 64 * 40 + 48 * 40), "bytes", "one tile");
    check(load[1].steps, 1, "steps", "one tile");
    k.tile = NULL;
    tpu_kernel_free(&k);
    lab_program_clear(&p);
}

/* Numbers that make no sense are read as absent: nothing is read outside of its array. */
static void nonsense(void **state)
{
    lab_program p = {0};
    ag_random r = {7, 7, 0};
    const int x = lab_parameter(&p, LAB_F32, 2, (int[]){6, 8});
    const int w = lab_parameter(&p, LAB_F32, 2, (int[]){8, 5});
    lab_unary(&p, LAB_TANH, lab_dot(&p, x, w, (lab_dot_dims){0, 1, 0}));
    static const float odd[] = {-1, 0, 1, 2, 5, 6, 7, 1e9F, 1e30F, -1e30F, 0.5F, NAN};
    static const int32_t codes[] = {0, 11, 13, 22, 26, 27, 34, 41, 42, 62, 63, 70, 72, 75, 98, 100};
    for (int trial = 0; trial < 3000; trial++) {
        tpu_kernel k;
        tpu_static s;
        tpu_load load;
        nests_rows rows = {0};
        float tile[24];
        tpu_lab_kernel(&k, &p);
        for (int i = 0; i < 40; i++)
            k.feature[ag_random_below(&r, (uint32_t)k.nodes * 140)] = odd[ag_random_below(&r, 12)];
        for (int i = 0; i < k.nodes; i++)
            if (ag_random_below(&r, 2)) k.opcode[i] = codes[ag_random_below(&r, 16)];
        for (int i = 0; i < 24; i++) tile[i] = odd[ag_random_below(&r, 12)];
        tpu_analyse(&s, &k);
        assert_true((unsigned)s.type < TPU_TYPES);
        k.tile = tile;
        tpu_loads(&load, &k);
        assert_true(load.steps >= 1);
        if (trial % 2) k.tile = NULL;
        nests_tile_rows_add(&rows, &k, NULL, 1);
        assert_int_equal(rows.items, 1);
        nests_rows_free(&rows);
        k.tile = NULL;
        tpu_kernel_free(&k);
    }
    lab_program_clear(&p);
}

/* Kernels may call computations: their inner parameters are not traffic, and the result of a fusion
   is that of the computation that it calls. Here exp of x[8,4] in a fusion: node 1 is the root of
   the computation, node 3 of the kernel. */
static void called_computations(void **state)
{
    lab_program p = {0};
    tpu_kernel k;
    tpu_static s;
    for (int inside = 1; inside >= 0; inside--)
        lab_unary(&p, inside ? LAB_EXPONENTIAL : LAB_COPY,
                  lab_parameter(&p, LAB_F32, 2, (int[]){8, 4}));
    tpu_lab_kernel(&k, &p);
    k.opcode[3] = TPUGRAPHS_FUSED;
    k.feature[1 * TPUGRAPHS_FEATURES + TPUGRAPHS_IS_ROOT] = 1;
    k.edges = 3;
    k.edge = harness_grow(k.edge, 6 * sizeof *k.edge);
    memcpy(k.edge, ((int32_t[]){1, 0, 3, 1, 3, 2}), 6 * sizeof *k.edge);
    tpu_analyse(&s, &k);
    check(s.read, 4.0 * 32, "read", "fusion");
    check(s.written, 4.0 * 32, "written", "fusion");
    check(s.special, 32, "special", "fusion");
    tpu_hlo h = {0};
    tpu_hlo_open(&h, &k);
    assert_int_equal(h.root, 1);
    tpu_hlo_close(&h);
    tpu_kernel_free(&k);
    lab_program_clear(&p);
}

int main(void)
{
    return RUN_TESTS(parts_are_read_once, loads_by_hand, families, nonsense, called_computations);
}
