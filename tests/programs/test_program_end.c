/* SPDX-License-Identifier: MIT */
/* Where a run ends: beyond its end with --resume and more steps, or early with --patience. */
#include "support/test.h"
#include "support/program_models.h"
#include "support/program_stop.h"
#include "support/tgraph_npz.h"

#include <signal.h>

/* A finished run goes on to more steps: the schedule starts at the last rate, or at another one.
   Stopped within them, it ends with the same bytes. */
static void goes_beyond(void **state)
{
    static const char *const rates[] = {"", " --learning-rate 0.002"};
    for (int i = 0; i < 2 * PROGRAM_MODELS; i++) {
        const program_model *m = &program_models[i / 2];
        const char *rate = rates[i % 2];
        char run[2][64];
        if (i % 2 && i / 2 != 5) continue; /* one model will do for the other rate */
        for (int k = 0; k < 2; k++) {
            snprintf(run[k], sizeof run[k], "%s-beyond-%d%d", m->name, i, k);
            program_train(m, run[k], PROGRAM_LONG " --steps 20", 0);
        }
        const char *more = formatted(" --steps 40 --threads 1%s", rate);
        program_resume(m, run[0], more);
        program_stop_in(5, SIGKILL); /* before anything is saved, and after it */
        program_expect_line(-1, "", "", "%s train --out %s --resume%s" PROGRAM_QUIET,
                            m->program->name, run[1], more);
        program_stop_in(15, SIGKILL);
        program_expect_line(-1, "", "", "%s train --out %s --resume" PROGRAM_QUIET,
                            m->program->name, run[1]);
        program_stop_in(0, 0);
        program_resume(m, run[1], " --threads 1");
        program_expect_same(run[0], run[1]);
        program_expect_in("\n40,", "%s/metrics.csv", run[0]);
    }
    const program_model *m = &program_models[5];
    program_expect_line(2, "", "--resume: steps is 30, but the run",
                        "%s train --resume --out %s-beyond-100 --steps 30", m->program->name,
                        m->name);
    program_expect_line(2, "", "--resume: learning-rate is 0.5",
                        "%s train --resume --out %s-beyond-100 --learning-rate 0.5",
                        m->program->name, m->name);
    program_expect_line(
        0, "", "its schedule starts again, from the learning rate 0.5\n",
        "%s train --resume --out %s-beyond-100 --steps 41 --learning-rate 0.5 --no-baselines",
        m->program->name, m->name);
    program_stop_in(4, SIGINT);
    program_train(m, "early", PROGRAM_LONG, 130);
    program_stop_in(0, 0);
    program_expect_line(2, "", "has done 4 of its 60 steps; only a finished run goes on to 70",
                        "%s train --resume --out early --steps 70", m->program->name);
}

/* --epochs decides how many steps there are: it may grow, and --steps is refused. */
static void goes_beyond_in_epochs(void **state)
{
    program_train(&program_models[1], "epochs", " --epochs 3 --eval-every 2" PROGRAM_QUIET, 0);
    program_expect("tgraph train --resume --out epochs --steps 90000 --learning-rate 0.5", 2, "",
                   "--steps: 90000 has no effect together with --epochs; omit one of them");
    program_expect("tgraph train --resume --out epochs --epochs 5 --no-baselines", 0, "",
                   "going on after step 3 of 5\n");
    program_expect("tgraph train --resume --out epochs --epochs 4", 2, "", "--resume: epochs is 4");
}

/* A learning rate of almost 0 improves no score: with --patience 2 a run ends after its third
   validation, also when it is stopped and resumed, and goes on with more patience. */
static void patience(void **state)
{
    for (const program_model *m = program_models; m->name; m++) {
        static const char how[] = " --steps 60 --eval-every 5 --save-every 4 --learning-rate 1e-30 "
                                  "--weight-decay 0 --patience 2" PROGRAM_QUIET;
        char run[2][64];
        for (int k = 0; k < 2; k++) {
            snprintf(run[k], sizeof run[k], "%s-patience-%d", m->name, k);
            program_stop_in(k ? 13 : 0, SIGKILL);
            program_train(m, run[k], how, k ? -1 : 0);
        }
        program_stop_in(0, 0);
        program_outcome o = program_expect_line(
            0, "", "stopped after step 15 of 60: ", "%s train --out %s --resume --no-baselines",
            m->program->name, run[1]);
        assert_non_null(
            strstr(o.err, " has not improved in 2 validations, since step 5 (--patience)\n"));
        program_expect_same(run[0], run[1]);
        if (program_model_again(m)) continue;
        o = program_expect_line(0, "\"stopped\": true", "",
                                "%s train --out %s --resume --json --quiet --no-baselines",
                                m->program->name, run[0]);
        assert_non_null(strstr(o.out, "\"steps\": 15"));
        program_expect_line(0, "", "stopped after step 20 of 60: ",
                            "%s train --out %s --resume --no-baselines --patience 3",
                            m->program->name, run[0]);
        program_expect_in("Training stopped after step 20 of 60", "%s/report.html", run[0]);
        program_expect_line(2, "", "but nothing is held out",
                            "%s train --out alone --patience 1 --data %s", m->program->name,
                            m->data);
    }
}

int main(void)
{
    return RUN_TESTS_WITH(program_models_make, test_folder_remove, goes_beyond,
                          goes_beyond_in_epochs, patience);
}
