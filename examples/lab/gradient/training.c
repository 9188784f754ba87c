/* SPDX-License-Identifier: MIT */
/* A training step: the loss of a net's output, gradients, and the update of every weight. */
#include "examples/lab/gradient/differentiate.h"

enum { LOSS_BLOCK = 9998, RULE_BLOCK }; /* streams that no layer has */

typedef enum rule { SGD, MOMENTUM, NESTEROV, ADAM, RULES } rule;

static int mean_square(lab_net *net, int output)
{
    lab_program *p = net->p;
    lab_shape s = lab_net_shape(net, output);
    int error = lab_binary(p, LAB_SUBTRACT, output, lab_net_input(net, s.rank, s.size));
    int sum = lab_net_total(net, lab_binary(p, LAB_MULTIPLY, error, error));
    return lab_net_scaled(net, sum, 1 / (float)lab_elements(s));
}

/* Cross-entropy of a softmax over the last axis, with rows of probabilities as classes. */
static int cross_entropy(lab_net *net, int output)
{
    lab_program *p = net->p;
    lab_shape s = lab_net_shape(net, output);
    int axis = s.rank - 1, rows = (int)(lab_elements(s) / lab_net_size(net, output, axis));
    int target = lab_net_input(net, s.rank, s.size);
    int most = lab_reduce(p, output, LAB_MAX, 1, &axis);
    int shifted = lab_binary(p, LAB_SUBTRACT, output, lab_net_spread(net, most, output, 1, &axis));
    int e = lab_unary(p, LAB_EXPONENTIAL, shifted);
    int norm = lab_unary(p, LAB_LOG, lab_reduce(p, e, LAB_SUM, 1, &axis));
    int chance = lab_binary(p, LAB_SUBTRACT, shifted, lab_net_spread(net, norm, e, 1, &axis));
    int sum = lab_net_total(net, lab_binary(p, LAB_MULTIPLY, target, chance));
    return lab_net_scaled(net, sum, -1 / (float)rows);
}

static int state_of(lab_net *net, int weight)
{
    lab_shape s = lab_net_shape(net, weight);
    return lab_net_input(net, s.rank, s.size);
}

/* keep * state + (1 - keep) * value: a running mean */
static int running(lab_net *net, int state, int value, float keep)
{
    int old = lab_net_scaled(net, state, keep);
    return lab_binary(net->p, LAB_ADD, old, lab_net_scaled(net, value, 1 - keep));
}

static int adam(lab_net *net, int weight, int gradient)
{
    lab_program *p = net->p;
    int deviation = state_of(net, weight), square = lab_binary(p, LAB_MULTIPLY, gradient, gradient);
    int first = running(net, state_of(net, weight), gradient, 0.9f);
    int second = running(net, lab_binary(p, LAB_MULTIPLY, deviation, deviation), square, 0.99f);
    return lab_binary(p, LAB_DIVIDE, first,
                      lab_net_plus(net, lab_unary(p, LAB_SQRT, second), 1e-3f));
}

/* The update of a weight, before the learning rate. */
static int direction(lab_net *net, rule how, int weight, int gradient)
{
    if (how == SGD) return gradient;
    if (how == ADAM) return adam(net, weight, gradient);
    int old = lab_net_scaled(net, state_of(net, weight), 0.9f);
    int speed = lab_binary(net->p, LAB_ADD, old, gradient);
    if (how == MOMENTUM) return speed;
    return lab_binary(net->p, LAB_ADD, gradient, lab_net_scaled(net, speed, 0.9f));
}

static int updated(lab_net *net, rule how, int decay, int weight, int gradient)
{
    if (decay)
        gradient = lab_binary(net->p, LAB_ADD, gradient, lab_net_scaled(net, weight, 0.0078125f));
    int step = lab_net_scaled(net, direction(net, how, weight, gradient), 0.01f);
    return lab_binary(net->p, LAB_SUBTRACT, weight, step);
}

/* Joins everything in one flat array, so that the step has one root, which a sum over machines
   would work on. */
static void join(lab_net *net, int *part, int n)
{
    for (int i = 0; i < n; i++) {
        int size = (int)lab_elements(lab_net_shape(net, part[i]));
        if (lab_net_shape(net, part[i]).rank != 1) part[i] = lab_reshape(net->p, part[i], 1, &size);
    }
    while (n > 1) {
        int left = 0;
        for (int i = 0; i < n; i += LAB_OPERANDS) {
            int count = n - i < LAB_OPERANDS ? n - i : LAB_OPERANDS;
            part[left++] = count == 1 ? part[i] : lab_concatenate(net->p, count, part + i, 0);
        }
        n = left;
    }
}

int lab_net_loss(lab_net *net, int output)
{
    int classes = lab_net_size(net, output, -1);
    lab_net_block(net, LOSS_BLOCK);
    if (classes > 2 && lab_net_chance(net, 60)) return cross_entropy(net, output);
    return mean_square(net, output);
}

void lab_net_train(lab_net *net, int loss)
{
    int part[LAB_WEIGHTS + 1];
    lab_net_block(net, RULE_BLOCK);
    rule how = (rule)lab_net_below(net, RULES);
    int decay = lab_net_chance(net, 30);
    lab_differentiate(part, net->p, loss, net->weight, net->n_weights);
    for (int i = 0; i < net->n_weights; i++)
        part[i] = updated(net, how, decay, net->weight[i], part[i]);
    part[net->n_weights] = loss;
    join(net, part, net->n_weights + 1);
}
