/* SPDX-License-Identifier: MIT */
/* Programs of the families: sound, of the wanted size. That they stay the same: test_lab_data.c. */
#include "support/test.h"
#include "core/error.h"
#include "examples/lab/nets/families.h"
#include "examples/lab/nets/net.h"
#include "support/lab_case_kernels.h"
#include "support/lab_cases.h"

enum { NUMBERS = 12 };

static lab_program make(const char *family, int number, double milliseconds)
{
    lab_program p = {0};
    if (lab_family_program(&p, family, number, milliseconds, new_failure()))
        fail_msg("%s %d: %s", family, number, last_failure()->sentence);
    return p;
}

static void sound(void **state)
{
    static const double wanted[] = {0.3, 1, 3};
    for (int f = 0; f < lab_n_families; f++)
        for (int i = 0; i < NUMBERS; i++) {
            const char *family = lab_families[f].name;
            double ms = wanted[i % 3];
            lab_program p = make(family, i, ms);
            assert_string_equal(p.name, formatted("%s_%d", family, i));
            assert_string_equal(p.family, family);
            assert_in_range(p.n, 20, 700);
            assert_in_range(lab_configurable_nodes(NULL, &p), 4, 400);
            assert_true((double)lab_program_work(&p) <= ms * LAB_WORK_PER_MS);
            assert_true((double)lab_program_work(&p) >= ms * LAB_WORK_PER_MS / 4);
            lab_program_clear(&p);
        }
}

/* Every node leads to the root: nothing is computed in vain, which a compiler would drop. */
static void nothing_in_vain(void **state)
{
    for (int f = 0; f < lab_n_families; f++) {
        lab_program p = make(lab_families[f].name, 5, 1);
        unsigned char *used = calloc((size_t)p.n, 1);
        used[p.n - 1] = 1;
        int idle = 0;
        for (int i = p.n - 1; i >= 0; i--) {
            for (int k = 0; used[i] && k < p.nodes[i].n_operands; k++)
                used[p.nodes[i].operand[k]] = 1;
            idle += !used[i];
        }
        if (idle > 0) fail_msg("%s: %d idle nodes", p.name, idle);
        free(used);
        lab_program_clear(&p);
    }
}

static void all_is_finite(void **state)
{
    for (int f = 0; f < lab_n_families; f++)
        for (int number = 0; number < 2; number++) {
            lab_program p = make(lab_families[f].name, number, 0.3);
            float **values = lab_case_reference(&p);
            double sum = 0;
            for (int64_t i = 0; i < lab_elements(p.nodes[p.n - 1].shape); i++)
                sum += fabs((double)values[p.n - 1][i]);
            if (!(isfinite(sum) && sum > 0)) fail_msg("%s: %g", p.name, sum);
            lab_case_free(values, &p);
            lab_program_clear(&p);
        }
}

static void misuse(void **state)
{
    lab_program p = {0};
    static const struct {
        const char *family;
        int number;
        double ms;
    } wrong[] = {{"nets", 0, 1},  {"mlp", -1, 1},  {"mlp", 0, 0},    {"mlp", 0, -1},
                 {"mlp", 0, NAN}, {"mlp", 0, 1e9}, {"unet", 0, 1e-4}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        expect_status(
            lab_family_program(&p, wrong[i].family, wrong[i].number, wrong[i].ms, new_failure()),
            AG_EUSE, wrong[i].family);
        assert_int_equal(p.n, 0);
    }
    lab_net net;
    lab_net_start(&net, &p, LAB_SCALE / 2, 1);
    ag_fail(&p.why, AG_EUSE, "Spoiled");
    assert_int_equal(lab_net_shape(&net, 0).rank, 0); /* after a failure sizes can still be asked */
    assert_int_equal(lab_net_size(&net, 0, 1), 1);
    lab_net_unet(&net);
    assert_int_equal(p.n, 0);
    lab_program_clear(&p);
}

int main(void) { return RUN_TESTS(sound, nothing_in_vain, all_is_finite, misuse); }
