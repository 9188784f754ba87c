/* SPDX-License-Identifier: MIT */
/* Training steps of whole nets: gradients compared with central differences, and the effect of a
   step. */
#include "examples/lab/gradient/differentiate.h"
#include "support/lab_slopes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

typedef int (*build_net)(lab_net *);

static void nets(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        build_net build;
        double size;
    } all[] = {{"mlp", lab_net_mlp, 0.02},
               {"resnet", lab_net_resnet, 0.02},
               {"unet", lab_net_unet, 0.02},
               {"lstm", lab_net_lstm, 0.02},
               {"transformer", lab_net_transformer, 0.05},
               {"autoencoder", lab_net_autoencoder, 0.03}};
    static const lab_activation smooth[] = {LAB_TANH_UNIT, LAB_SWISH, LAB_GELU};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int seed = 0; seed < 3; seed++) {
            lab_program p = {0};
            lab_net net;
            snprintf(p.name, sizeof p.name, "%s_%d", all[i].name, seed);
            lab_net_start(&net, &p, all[i].size, (uint64_t)seed, 1);
            net.activation = smooth[seed]; /* a kink would spoil the differences */
            int loss = lab_net_loss(&net, all[i].build(&net));
            assert_int_equal(p.why.status, AG_OK);
            lab_check_slopes(&p, loss, net.weight, net.n_weights, 3e-3, 2e-2);
            lab_program_clear(&p);
        }
}

/* The effect of the training rules: a step against the gradient makes the loss smaller. */
static void steps_go_down(void **state)
{
    (void)state;
    int seen = 0;
    for (int seed = 0; seed < 12; seed++) {
        lab_program p = {.name = "descent"};
        lab_net net;
        lab_net_start(&net, &p, 0.02, (uint64_t)seed, 1);
        net.activation = LAB_TANH_UNIT;
        int loss = lab_net_loss(&net, lab_net_mlp(&net)), root;
        lab_net_train(&net, loss);
        assert_int_equal(p.why.status, AG_OK);
        root = p.n - 1;
        /* the second loss, from the parts of the flat array */
        lab_knob k[LAB_WEIGHTS];
        int start = 0;
        for (int i = 0; i < net.n_weights; i++) {
            lab_shape s = p.nodes[net.weight[i]].shape;
            int limit = start + (int)lab_elements(s);
            int part = lab_net_part(&net, root, 0, start, limit);
            k[i] =
                (lab_knob){.weight = net.weight[i], .moved = lab_reshape(&p, part, s.rank, s.size)};
            start = limit;
        }
        assert_int_equal(lab_elements(p.nodes[root].shape), start + 1);
        int second = lab_copied(&p, loss, k, net.n_weights);
        float *value[2];
        int plain = 1; /* without a running state and decay, which go their own way */
        for (int i = net.weight[net.n_weights - 1] + 1; i < root; i++)
            plain &= p.nodes[i].op != LAB_PARAMETER || i < loss;
        lab_evaluate(value, &p, (int[]){loss, second}, 2);
        if (plain) assert_true(*value[1] < *value[0]);
        seen += plain;
        assert_true(fabsf(*value[1] - *value[0]) > 0);
        free(value[0]);
        free(value[1]);
        lab_program_clear(&p);
    }
    assert_true(seen > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nets),
        cmocka_unit_test(steps_go_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
