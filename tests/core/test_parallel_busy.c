/* SPDX-License-Identifier: MIT */
/* A small model trains while programs that never wait occupy every processor: with two threads it
   takes about the processor time of one. Threads that spin while they wait take ten times as
   much. */
#include "augur.h"
#include "support/test.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROWS = 512, WIDTH = 64, STEPS = 40, ROUNDS = 5, NEIGHBOURS = 64 };

static pid_t neighbour[NEIGHBOURS];
static int neighbours;

static int start_neighbours(void **state)
{
    const int wanted = (int)sysconf(_SC_NPROCESSORS_ONLN);
    for (; neighbours < wanted && neighbours < NEIGHBOURS; neighbours++) {
        neighbour[neighbours] = fork();
        if (neighbour[neighbours] < 0) return -1;
        if (neighbour[neighbours] > 0) continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        alarm(240);
        for (volatile unsigned i = 0;; i++) continue;
    }
    return 0;
}

static int end_neighbours(void **state)
{
    for (int i = 0; i < neighbours; i++) kill(neighbour[i], SIGKILL);
    for (int i = 0; i < neighbours; i++) waitpid(neighbour[i], NULL, 0);
    return 0;
}

typedef struct model {
    ag_params *params;
    ag_param *first, *second;
    ag_real x[ROWS * WIDTH], target[ROWS * WIDTH];
    ag_tape *tape;
} model;

static void step(model *m)
{
    const ag_adamw how = ag_adamw_default();
    ag_tape_reset(m->tape);
    ag_tensor *x = ag_input(m->tape, m->x, AG_SHAPE(ROWS, WIDTH));
    for (int layer = 0; layer < 4; layer++)
        x = ag_gelu(ag_linear(x, ag_parameter(m->tape, layer % 2 ? m->second : m->first), NULL));
    ag_backward(ag_squared_error(x, ag_input(m->tape, m->target, AG_SHAPE(ROWS, WIDTH))));
    assert_false(ag_failed(m->tape));
    expect_ok(ag_adamw_step(m->params, &how, 1e-3, new_failure()));
}

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Processor seconds of all threads. */
static double train(model *m, int threads)
{
    ag_set_threads(threads);
    step(m);
    const double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < STEPS; i++) step(m);
    return seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
}

static int smaller(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void test_processor_time(void **state)
{
    static model m;
    double one[ROUNDS], two[ROUNDS];
    ag_random random = {.seed = 1};
    m.params = ag_params_new();
    m.first = ag_params_add(m.params, "first", AG_SHAPE(WIDTH, WIDTH), ag_init_normal(0, 0.1), 1);
    m.second = ag_params_add(m.params, "second", AG_SHAPE(WIDTH, WIDTH), ag_init_normal(0, 0.1), 1);
    ag_params_build(m.params, 42);
    for (int i = 0; i < ROWS * WIDTH; i++) m.x[i] = (ag_real)ag_random_normal(&random);
    m.tape = ag_tape_new(AG_CPU);
    for (int round = 0; round < ROUNDS; round++) {
        one[round] = train(&m, 1);
        two[round] = train(&m, 2);
    }
    qsort(one, ROUNDS, sizeof *one, smaller);
    qsort(two, ROUNDS, sizeof *two, smaller);
    print_message("one thread %.4f s, two %.4f s\n", one[ROUNDS / 2], two[ROUNDS / 2]);
    assert_true(two[ROUNDS / 2] < 2 * one[ROUNDS / 2]);
    ag_tape_free(m.tape);
    ag_params_free(m.params);
}

int main(void) { return RUN_TESTS_WITH(start_neighbours, end_neighbours, test_processor_time); }
