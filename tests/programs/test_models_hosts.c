/* SPDX-License-Identifier: MIT */
/* libaugur_models in odd hosts: other modes and locales, threads with little stack, children. */
#include "support/test.h"
#include "support/models_library.h"
#include "support/sanitized.h"

#include <fenv.h>
#include <jansson.h>
#include <locale.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

/* Blocks that `free` does not know. */
static void *take_elsewhere(size_t bytes)
{
    char *block = malloc(bytes + 16);
    return block ? block + 16 : NULL;
}

static void give_elsewhere(void *block)
{
    if (block) free((char *)block - 16);
}

/* A host may round as it likes, end at exceptions, write numbers with a comma, and have memory of
   its own for JSON. */
static void in_an_odd_host(void **state)
{
    const int traps = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW;
    for (const program_model *m = program_models; m->name; m++) {
        const augur_models_items file = test_models_file(m);
        augur_models_scores *score[2];
        double loss[2][2];
        fenv_t plain;
        json_malloc_t take;
        json_free_t give;
        fegetenv(&plain);
        json_get_alloc_funcs(&take, &give);
        for (int odd = 0; odd < 2; odd++) {
            if (odd) setlocale(LC_ALL, "de_DE.UTF-8"); /* where there is one */
            if (odd) fesetround(FE_UPWARD);
            if (odd) json_set_alloc_funcs(take_elsewhere, give_elsewhere);
#ifdef __GLIBC__
            if (odd) feenableexcept(traps);
#endif
            augur_models *model = augur_models_open(test_file(m->name), 1);
            const int code = augur_models_update(model, &file, NULL, loss[odd]) |
                             augur_models_predict(model, &file, &score[odd]);
            if (odd) assert_int_equal(fegetround(), FE_UPWARD);
#ifdef __GLIBC__
            if (odd) assert_int_equal(fegetexcept(), traps);
#endif
            augur_models_close(model);
            fesetenv(&plain);
            assert_int_equal(code, 0);
        }
        setlocale(LC_ALL, "C");
        json_set_alloc_funcs(take, give);
        test_models_expect_same(score[0], score[1]);
        assert_memory_equal(loss[0], loss[1], sizeof loss[0]);
    }
}

typedef struct caller {
    augur_models *m;
    const augur_models_items *items;
    const augur_models_scores *before;
    augur_models_scores *after; /* the first that are others */
    atomic_int *stop;
    int others; /* sets of scores that are neither */
} caller;

static void *predict_on(void *context)
{
    caller *c = context;
    for (int stop = 0, calls = 0; !stop || calls < 5; calls++) {
        stop = atomic_load(c->stop);
        augur_models_scores *s = NULL;
        c->others += augur_models_predict(c->m, c->items, &s) != 0;
        if (s && !c->after && !test_models_same(s, c->before)) {
            c->after = s;
            continue;
        }
        if (s) c->others += !test_models_same(s, c->after ? c->after : c->before);
        augur_models_scores_free(s);
    }
    return NULL;
}

/* Threads that predict all the time see the parameters before an update or after it, and do not
   keep it from its turn. */
static void predictions_during_an_update(void **state)
{
    enum { THREADS = 4 };
    const augur_models_training how = {20, 3e-3};
    for (int k = 0; k < PROGRAM_MODELS; k += 3) {
        const program_model *m = &program_models[k];
        const augur_models_items file = test_models_file(m);
        caller c[THREADS];
        pthread_t thread[THREADS];
        atomic_int stop = 0;
        augur_models *model = test_models_open(m, 1);
        augur_models_scores *before = test_models_predict(model, &file);
        for (int i = 0; i < THREADS; i++) {
            c[i] = (caller){.m = model, .items = &file, .before = before, .stop = &stop};
            assert_int_equal(pthread_create(&thread[i], NULL, predict_on, &c[i]), 0);
        }
        const int code = augur_models_update(model, &file, &how, NULL);
        augur_models_scores *after = test_models_predict(model, &file);
        atomic_store(&stop, 1);
        for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
        assert_int_equal(code, 0);
        for (int i = 0; i < THREADS; i++) {
            assert_int_equal(c[i].others, 0);
            assert_non_null(c[i].after);
            assert_true(test_models_same(c[i].after, after));
            augur_models_scores_free(c[i].after);
        }
        augur_models_scores_free(before);
        augur_models_scores_free(after);
        augur_models_close(model);
    }
}

static void *update_once(void *context)
{
    const caller *c = context;
    return augur_models_update(c->m, c->items, NULL, NULL) ? context : NULL;
}

/* Updates of several threads are as if they came one after another. */
static void updates_at_once(void **state)
{
    enum { THREADS = 3 };
    const program_model *m = &program_models[0];
    const augur_models_items file = test_models_file(m);
    augur_models *model = test_models_open(m, 1), *other = test_models_open(m, 1);
    caller c = {.m = model, .items = &file};
    pthread_t thread[THREADS];
    void *bad;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, update_once, &c), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(thread[i], &bad), 0);
        assert_null(bad);
        assert_int_equal(augur_models_update(other, &file, NULL, NULL), 0);
    }
    test_models_expect_same(test_models_predict(model, &file), test_models_predict(other, &file));
    augur_models_close(model);
    augur_models_close(other);
}

/* All calls, in a thread with little stack. */
static void *call_all(void *context)
{
    const program_model *m = context;
    const augur_models_items file = test_models_file(m);
    augur_models_scores *scores = NULL;
    augur_models *model = augur_models_open(test_file(m->name), 1);
    const int bad = augur_models_predict(model, &file, &scores) ||
                    augur_models_update(model, &file, NULL, NULL) ||
                    augur_models_save(model, test_file("saved.safetensors"));
    augur_models_scores_free(scores);
    augur_models_close(model);
    return bad ? context : NULL;
}

static void with_little_stack(void **state)
{
    pthread_attr_t little;
    pthread_t thread;
    void *bad;
    pthread_attr_init(&little);
    if (!SANITIZED) pthread_attr_setstacksize(&little, 256 << 10);
    for (const program_model *m = program_models; m->name; m++) {
        assert_int_equal(pthread_create(&thread, &little, call_all, (void *)(uintptr_t)m), 0);
        assert_int_equal(pthread_join(thread, &bad), 0);
        assert_null(bad);
    }
    pthread_attr_destroy(&little);
}

/* A child goes on with the handle, and the parent is none the wiser. */
static void in_a_child(void **state)
{
    if (SANITIZED_THREADS) return; /* which ends children that start threads */
    const program_model *m = &program_models[0];
    const augur_models_items file = test_models_file(m);
    augur_models *model = test_models_open(m, 2);
    augur_models_scores *one = test_models_predict(model, &file);
    const pid_t child = program_fork();
    if (!child) {
        augur_models_scores *two = NULL;
        const int bad = augur_models_predict(model, &file, &two) || !test_models_same(one, two);
        _exit(bad || augur_models_update(model, &file, NULL, NULL));
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    test_models_expect_same(one, test_models_predict(model, &file));
    augur_models_close(model);
}

/* All models are trained before any thread is started. */
static int set_up(void **state)
{
    if (program_models_make(state)) return -1;
    for (const program_model *m = program_models; m->name; m++)
        augur_models_close(test_models_open(m, 1));
    return 0;
}

int main(void)
{
    return RUN_TESTS_WITH(set_up, test_folder_remove, in_an_odd_host, predictions_during_an_update,
                          updates_at_once, with_little_stack, in_a_child);
}
