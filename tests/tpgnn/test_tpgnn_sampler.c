/* SPDX-License-Identifier: MIT */
/* The schedules of a training step: each once, tasks evenly or by family. */
#include "support/test.h"
#include "examples/tpgnn/steps.h"

enum { TASKS = 8, EACH = 5, STEPS = 4000 };

/* Family 0 has the tasks 0 to 4, family 1 the tasks 5 and 6, family 2 task 7. Task i has i + 2
   schedules, at most 5; those of task 6 are equally fast, and task 4 has only one. */
typedef struct made {
    tpgnn_data data;
    tpgnn_task task[TASKS];
    tpgnn_schedule schedule[TASKS * EACH];
} made;

static int size_of(int task)
{
    if (task == 4) return 1;
    return task + 2 < EACH ? task + 2 : EACH;
}

static void make(made *m)
{
    memset(m, 0, sizeof *m);
    int n = 0;
    for (int t = 0; t < TASKS; t++) {
        m->task[t] = (tpgnn_task){.family = t < 5   ? 0
                                            : t < 7 ? 1
                                                    : 2,
                                  .first = n,
                                  .schedules = size_of(t)};
        for (int k = 0; k < size_of(t); k++, n++)
            m->schedule[n] =
                (tpgnn_schedule){.task = t, .number = k, .runtime = t == 6 ? 9 : 9 + k};
    }
    m->data = (tpgnn_data){
        .task = m->task, .schedule = m->schedule, .tasks = TASKS, .schedules = n, .families = 3};
}

static tpgnn_sampler open_as(made *m, const tpgnn_settings *settings)
{
    tpgnn_sampler s;
    const tpgnn_batch_options batch = {0};
    make(m);
    expect_ok(tpgnn_sampler_open(&s, &m->data, settings, &batch, new_failure()));
    return s;
}

static void schedules_of_a_task_stand_together(void **state)
{
    made m;
    tpgnn_sampler s =
        open_as(&m, &(tpgnn_settings){.harness.common.seed = 3, .tasks = 4, .schedules = 3});
    assert_true(s.tasks == 6 && s.families == 3);
    for (int step = 0; step < 300; step++) {
        const int n = tpgnn_sampler_draw(&s, step);
        for (int i = 0, tasks = 0; i < n || tasks < 4; tasks++) {
            assert_true(i < n);
            const int task = s.drawn[i]->task, wanted = size_of(task) < 3 ? size_of(task) : 3;
            unsigned seen = 0;
            assert_true(task != 4 && task != 6);
            for (int k = 0; k < wanted; k++, i++) {
                assert_true(s.drawn[i]->task == task && !(seen & 1u << s.drawn[i]->number));
                seen |= 1u << s.drawn[i]->number;
            }
            assert_true(tasks < 4);
        }
    }
    tpgnn_sampler_close(&s);
}

static void tasks_evenly_or_by_family(void **state)
{
    for (int balanced = 0; balanced < 2; balanced++) {
        made m;
        int drawn[TASKS] = {0};
        tpgnn_sampler s = open_as(
            &m, &(tpgnn_settings){
                    .harness.common.seed = 5, .tasks = 1, .schedules = 1, .balanced = balanced});
        for (int step = 0; step < STEPS; step++) {
            assert_int_equal(tpgnn_sampler_draw(&s, step), 1);
            drawn[s.drawn[0]->task]++;
        }
        for (int t = 0; t < TASKS; t++) {
            const double family = t < 4 ? 1. / 12 : 1. / 3, share = balanced ? family : 1. / 6;
            expect_share(drawn[t], STEPS, t == 4 || t == 6 ? 0 : share);
        }
        tpgnn_sampler_close(&s);
    }
}

/* As in the paper: all schedules alike, whatever their task. */
static void mixed_from_all(void **state)
{
    made m;
    int drawn[TASKS * EACH] = {0};
    tpgnn_sampler s = open_as(
        &m, &(tpgnn_settings){.harness.common.seed = 5, .tasks = 4, .schedules = 10, .mixed = 1});
    for (int step = 0; step < STEPS / 40; step++) {
        assert_int_equal(tpgnn_sampler_draw(&s, step), 40);
        for (int i = 0; i < 40; i++) drawn[s.drawn[i] - m.schedule]++;
    }
    for (int i = 0; i < m.data.schedules; i++) expect_share(drawn[i], STEPS, 1. / m.data.schedules);
    tpgnn_sampler_close(&s);
}

static void expect_refusal(const tpgnn_data *data, int tasks, int schedules, const char *sentence)
{
    tpgnn_sampler s;
    const tpgnn_settings o = {.tasks = tasks, .schedules = schedules};
    const tpgnn_batch_options batch = {0};
    expect_status(tpgnn_sampler_open(&s, data, &o, &batch, new_failure()), AG_EUSE, sentence);
    tpgnn_sampler_close(&s);
}

static void what_cannot_be_drawn_is_refused(void **state)
{
    made m;
    make(&m);
    expect_refusal(&m.data, 0, 4, "0 tasks and 4 schedules of each a step; take at least 1");
    expect_refusal(&m.data, 4, -1, "take at least 1");
    expect_refusal(&m.data, 65536, 65536, "at most 2^24 together");
    for (int i = 0; i < m.data.schedules; i++) m.schedule[i].runtime = 9 + m.schedule[i].task;
    expect_refusal(&m.data, 4, 4, "none of the 8 tasks has two schedules with different run times");
    const tpgnn_data none = {0};
    expect_refusal(&none, 4, 4, "none of the 0 tasks");
}

int main(void)
{
    return RUN_TESTS(schedules_of_a_task_stand_together, tasks_evenly_or_by_family, mixed_from_all,
                     what_cannot_be_drawn_is_refused);
}
