/* SPDX-License-Identifier: MIT */
/* --precision of the programs: its effect, where it is reported, where it is refused. */
#include "support/test.h"
#include "support/program_call.h"
#include "support/program_files.h"
#include "support/tgraph_npz.h"

#include <unistd.h>

static int there; /* 1: a device opens */

static int make_files(void **state)
{
    if (test_folder_make(state)) return -1;
    program_write_layout("a.npz", 30, 0);
    program_write_layout("b.npz", 20, 1);
    there = program_call("tgraph doctor --device cuda").code == 0;
    return 0;
}

static void train(const char *device, const char *run)
{
    program_expect_line(
        0, "", "",
        "tgraph train --out %s --device %s --data a.npz b.npz --split 0.8 --hidden 16 "
        "--configs 6 --steps 3 --log-every 1 --threads 1 --quiet --no-baselines",
        run, device);
}

/* The loss of step 2: that of step 1 is before any weight has moved. */
static double second_loss(const char *run)
{
    char *text = program_text_of(formatted("%s/metrics.csv", run));
    const char *row = strstr(text, "\n2,");
    assert_non_null(row);
    const double loss = atof(row + 3);
    free(text);
    return loss;
}

/* The files of a run that was begun in tf32 say so; it can continue in fp32. */
static void precision_is_told(void **state)
{
    if (!there) skip();
    train("cuda", "plain");
    train("cuda --precision tf32", "tf32");
    const double loss = second_loss("plain"), apart = fabs(second_loss("tf32") - loss);
    assert_true(apart > 0 && apart < 1e-2 * fabs(loss));
    program_expect_in("\"precision\": \"tf32\"", "tf32/config.json");
    program_expect_in(", products in tf32).</p>", "tf32/report.html");
    program_expect_in("\"precision\": \"fp32\"", "plain/config.json");
    program_expect("tgraph eval --run tf32 --data a.npz --device cuda --precision tf32 --quiet "
                   "--no-baselines",
                   0, "Scores of", "");
}

/* The CPU has no such products, and the call fails before anything is read or made. */
static void tf32_wants_cuda(void **state)
{
    static const char *const calls[] = {
        "tgraph train --out none --data a.npz",
        "tgraph eval --run of-cpu --data a.npz",
        "tgraph predict --run of-cpu --data a.npz",
        "tpu train --out none --data t.npz --valid u.npz",
        "tpgnn train --out none --data s_1.npz --valid s_2.npz",
    };
    train("cpu", "of-cpu");
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        program_expect_line(2, "", "--precision: tf32 has no effect, since it needs --device=cuda",
                            "%s --precision tf32 --device cpu", calls[i]);
    assert_int_not_equal(access(test_file("none"), F_OK), 0);
    program_expect("tgraph train --out none --data a.npz --precision fp16", 2, "", "fp32");
    if (!there)
        program_expect("tgraph train --out none --data a.npz --precision tf32 --device auto", 2, "",
                       "--device auto takes cpu here; leave fp32");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(precision_is_told),
                                       cmocka_unit_test(tf32_wants_cuda)};
    return cmocka_run_group_tests(tests, make_files, test_folder_remove);
}
