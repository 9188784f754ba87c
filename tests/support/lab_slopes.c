/* SPDX-License-Identifier: MIT */
#include "lab_slopes.h"

#include "examples/lab/gradient/differentiate.h"
#include "examples/lab/run/run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static int fill(lab_program *p, int constant, lab_shape s)
{
    return s.rank ? lab_broadcast(p, constant, NULL, s.rank, s.size) : constant;
}

static lab_knob make_knob(lab_program *p, int weight, int gradient)
{
    lab_shape s = p->nodes[weight].shape;
    lab_knob k = {.weight = weight, .gradient = gradient};
    k.random = lab_parameter(p, LAB_F32, s.rank, s.size);
    k.share = lab_constant(p, 0);
    k.step = lab_constant(p, 0);
    int part = lab_binary(p, LAB_MULTIPLY, k.random, fill(p, k.share, s));
    int way = lab_binary(p, LAB_ADD, gradient, part);
    way = lab_binary(p, LAB_MULTIPLY, way, fill(p, k.step, s));
    k.moved = lab_binary(p, LAB_ADD, weight, way);
    return k;
}

int lab_copied(lab_program *p, int loss, const lab_knob *k, int n)
{
    int *map = malloc(sizeof(int) * (size_t)(loss + 1));
    for (int i = 0; i <= loss; i++) {
        lab_node node = p->nodes[i];
        map[i] = i;
        for (int j = 0; j < n; j++)
            if (k[j].weight == i) map[i] = k[j].moved;
        if (node.n_operands == 0) continue;
        for (int j = 0; j < node.n_operands; j++) node.operand[j] = map[node.operand[j]];
        node.name[0] = 0;
        map[i] = lab_append(p, &node);
    }
    int second = map[loss];
    free(map);
    return second;
}

void lab_evaluate(float **result, const lab_program *p, const int *node, int n)
{
    float **values = calloc((size_t)p->n, sizeof *values);
    ag_failure why = {0};
    for (int i = 0; i < n; i++)
        result[i] = values[node[i]] =
            malloc(sizeof(float) * (size_t)lab_elements(p->nodes[node[i]].shape));
    ag_status status = lab_reference(values, p, &why);
    if (status != AG_OK) print_error("%s\n", why.sentence);
    assert_int_equal(status, AG_OK);
    free(values);
}

static double loss_at(lab_program *p, int loss, int step, double value)
{
    float *result;
    p->nodes[step].value = (float)value;
    lab_evaluate(&result, p, &loss, 1);
    p->nodes[step].value = 0;
    double l = *result;
    free(result);
    return l;
}

/* The slope along gradient + share * random, whose second part is half as long: from the gradient,
   and from the loss on both sides. */
static void compare_slopes(lab_program *p, const lab_knob *k, int second, double step,
                           double tolerance)
{
    float *v[2];
    lab_evaluate(v, p, (int[]){k->gradient, k->random}, 2);
    int64_t n = lab_elements(p->nodes[k->weight].shape);
    double gg = 0, rr = 0, slope = 0, length = 0;
    for (int64_t i = 0; i < n; i++) {
        double g = v[0][i], r = v[1][i];
        gg += g * g;
        rr += r * r;
    }
    float share = (float)(sqrt((gg > 0 ? gg : 1) / rr) / 2);
    for (int64_t i = 0; i < n; i++) {
        double g = v[0][i], r = v[1][i], way = g + (double)share * r;
        slope += g * way;
        length += way * way;
    }
    length = sqrt(length);
    slope /= length;
    p->nodes[k->share].value = share;
    double above = loss_at(p, second, k->step, step / length);
    double below = loss_at(p, second, k->step, -step / length);
    double measured = (above - below) / (2 * step);
    p->nodes[k->share].value = 0;
    double bound = tolerance * (sqrt(gg) + 1e-3 * fabs(above)) + 1e-7 * fabs(above) / step;
    if (!(fabs(measured - slope) <= bound))
        print_error("%s, node %d: slope %g, measured %g, loss %g, |g| %g\n", p->name, k->weight,
                    slope, measured, above, sqrt(gg));
    assert_true(fabs(measured - slope) <= bound);
    free(v[0]);
    free(v[1]);
}

void lab_check_slopes(lab_program *p, int loss, const int *weight, int n, double step,
                      double tolerance)
{
    int *gradient = malloc(sizeof(int) * (size_t)n);
    lab_knob *k = calloc((size_t)n, sizeof *k);
    lab_differentiate(gradient, p, loss, weight, n);
    if (p->why.status != AG_OK) print_error("%s\n", p->why.sentence);
    assert_int_equal(p->why.status, AG_OK);
    for (int i = 0; i < n; i++) k[i] = make_knob(p, weight[i], gradient[i]);
    int second = lab_copied(p, loss, k, n);
    ag_failure why = {0};
    ag_status status = lab_program_check(p, &why);
    if (status != AG_OK) print_error("%s\n", why.sentence);
    assert_int_equal(status, AG_OK);
    for (int i = 0; i < n; i++) compare_slopes(p, &k[i], second, step, tolerance);
    free(gradient);
    free(k);
}
