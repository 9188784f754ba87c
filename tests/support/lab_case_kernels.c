/* SPDX-License-Identifier: MIT */
#include "support/test.h"
#include "lab_case_kernels.h"
#include "lab_cases.h"
#include "examples/lab/text/text.h"

void lab_case_tile(lab_run *run, const int *tile)
{
    expect_ok(lab_run_tile(run, tile, new_failure()));
    float *root = run->value[run->p->n - 1].home;
    const int64_t n = lab_elements(run->p->nodes[run->p->n - 1].shape);
    for (int64_t i = 0; i < n; i++) root[i] = -12345; /* every element is written */
    lab_run_go(run);
}

float **lab_case_reference(const lab_program *p)
{
    float **values = calloc((size_t)p->n, sizeof *values);
    if (p->why.status) fail_msg("%s", p->why.sentence);
    for (int i = 0; i < p->n; i++) {
        values[i] = malloc((size_t)lab_elements(p->nodes[i].shape) * sizeof **values);
        if (p->nodes[i].op == LAB_PARAMETER)
            lab__parameter_values(values[i], p, i);
        else
            lab__ref_node(values[i], p, i, values);
    }
    return values;
}

double lab_case_size(const float *x, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += (double)x[i] * (double)x[i];
    return sqrt(sum / (double)n);
}

void lab_case_compare(const float *a, const float *b, const lab_program *p, int node,
                      const char *what)
{
    const int64_t n = lab_elements(p->nodes[node].shape);
    const double size = lab_case_size(b, n);
    for (int64_t i = 0; i < n; i++)
        if (!(fabs((double)a[i] - (double)b[i]) <= 2e-5 * (size + fabs((double)b[i]))))
            fail_msg("%s, node %d: element %ld is %g, not %g: %s", p->name, node, (long)i,
                     (double)a[i], (double)b[i], what);
}

/* The program of a text that the fuzzer starts from, too, under the name that p has. */
static void load(lab_program *p, const char *text)
{
    char name[LAB_NAME];
    memcpy(name, p->name, sizeof name);
    if (lab_text_load(p, formatted(AG_SOURCE_DIR "/tests/fuzz/seeds/fuzz_lab_text/%s.txt", text)))
        fail_msg("%s", p->why.sentence);
    memcpy(p->name, name, sizeof name);
}

void lab_case_kernel(lab_program *p, int which)
{
    static const char *const kernels[LAB_CASE_KERNELS] = {
        "dot_bias_relu", "batch_dot", "conv_relu", "conv_groups", "conv_dilated", "softmax_part",
        "reduce_two",    "pool",      "moves",     "gates",       "embed"};
    load(p, kernels[which]);
}

void lab_case_net(lab_program *p, int which)
{
    static const char *const nets[LAB_CASE_NETS] = {"perceptron", "image", "attention", "cell"};
    load(p, nets[which]);
}
