/* SPDX-License-Identifier: MIT */
/* The stack that calls of the library take: nothing below a small one is written, and what is used
   is no more than AG_STACK, the number of core/threads.h. Threads of the library have a megabyte.
 */
#include "support/test.h"
#include "augur.h"
#include "ops/table.h"
#include "support/files.h"
#include "support/op_runner.h"
#include "support/sanitized.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

/* Sanitizers need stacks of their own size. */
enum { KIB = 1 << 10, STACK = (SANITIZED ? 2048 : 128) * KIB, BELOW = 1024 * KIB, PAINT = 0x5a };

typedef struct call {
    void (*work)(void);
    char *top;
} call;

static void *run(void *context)
{
    call *c = context;
    char top;
    c->top = &top;
    c->work();
    return NULL;
}

/* `work` in a thread with STACK bytes, at the end of painted memory. */
static void expect_small(void (*work)(void))
{
    const size_t all = BELOW + STACK;
    call c = {work, NULL};
    pthread_attr_t attr;
    pthread_t thread;
    char *at = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(at != MAP_FAILED);
    memset(at, PAINT, all);
    pthread_attr_init(&attr);
    assert_int_equal(pthread_attr_setstack(&attr, at + BELOW, STACK), 0);
    assert_int_equal(pthread_create(&thread, &attr, run, &c), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
    size_t clean = 0;
    while (clean < all && at[clean] == PAINT) clean++;
    const size_t used = (size_t)(c.top - (at + clean));
    munmap(at, all);
    if (clean < BELOW) fail_msg("%zu bytes below the stack were written", BELOW - clean);
    if (!SANITIZED && used > AG_STACK)
        fail_msg("%zu bytes of stack were used, more than AG_STACK", used);
    print_message("%zu bytes of stack\n", used);
}

static char failure[480]; /* of the thread; the first */

static void say(const char *text)
{
    if (!*failure && *text) snprintf(failure, sizeof failure, "%s", text);
}

/* ---- every case of every op ---- */

static void every_op(void)
{
    const ag_op *op;
    for (int i = 0; (op = ag__op(i)); i++)
        for (int k = 0; k < op->n_cases; k++) {
            char why[480] = "";
            op_trial *t = ag__trial_new(op->name, k, why);
            if (!t) say(why);
            if (t) ag__trial_run(t, t->differentiable ? RUN_BACKWARD : 0);
            if (t) say(t->error);
            ag__trial_free(t);
        }
}

/* ---- sizes that take all ways of the products, and wide strips ---- */

static ag_real numbers[1 << 20];

static void layer(int rows, int in, int out)
{
    const int32_t starts[] = {0, rows / 3, rows};
    ag_failure why = {0};
    const ag_adamw options = ag_adamw_default();
    ag_params *params = ag_params_new();
    ag_param *w = ag_params_add(params, "w", AG_SHAPE(out, in), ag_init_xavier_uniform(1), 1),
             *b = ag_params_add(params, "b", AG_SHAPE(out), ag_init_constant(1), 0);
    ag_tape *tape = ag_tape_new(AG_CPU);
    ag_params_build(params, 1);
    ag_tensor *x = ag_input(tape, numbers, AG_SHAPE(rows, in)), *bias = ag_parameter(tape, b);
    ag_tensor *ends = ag_input_i32(tape, starts, AG_SHAPE(3));
    ag_tensor *h = ag_relu(ag_linear(x, ag_parameter(tape, w), bias));
    h = ag_layer_norm(ag_instance_norm(h, ends, 1e-5f), bias, NULL, 1e-5f);
    h = ag_add(h, ag_matmul(x, ag_transpose(ag_parameter(tape, w))));
    ag_tensor *t = ag_matmul_t(x, h, 1, 0);
    ag_tensor *y = ag_concat2(ag_segment_max(h, ends), ag_segment_mean(h, ends), 0);
    ag_backward(ag_add(ag_mean_all(ag_square(y)), ag_mean_all(ag_square(t))));
    say(ag_error(tape));
    ag_clip_norm(params, 1, NULL, &why);
    ag_adamw_step(params, &options, 0.1, &why);
    say(why.sentence);
    ag_tape_free(tape);
    ag_params_free(params);
}

static void layers(void)
{
    layer(512, 512, 512);
    layer(300, 1024, 1100); /* rows of A that are copied, strips of full width */
    layer(100, 512, 96);    /* few rows */
    layer(5000, 33, 65);    /* pieces */
    layer(1, 3, 2);
}

/* ---- files ---- */

static void files(void)
{
    const char *npz = files_path("x.npz"), *weights = files_path("x.safetensors");
    const int64_t size[] = {200, 1000};
    static float back[200 * 1000];
    ag_failure why = {0};
    ag_npz_writer *writer = ag_npz_create(npz, &why);
    ag_npz_add(writer, "x", AG_F32, 2, size, numbers, &why);
    ag_npz_finish(writer, &why);
    ag_npz *read = ag_npz_open(npz, 1 << 30, &why);
    if (read) ag_npz_read(read, "x", AG_F32, back, &why);
    ag_npz_close(read);
    ag_params *params = ag_params_new();
    ag_params_add(params, "w", AG_SHAPE(300, 200), ag_init_normal(0, 1), 1);
    ag_params_build(params, 1);
    ag_params_save(weights, params, 1, NULL, 0, NULL, 0, &why);
    ag_checkpoint *checkpoint = ag_checkpoint_open(weights, &why);
    if (checkpoint) ag_params_load(params, checkpoint, 1, &why);
    ag_checkpoint_close(checkpoint);
    ag_params_free(params);
    uint64_t keys[100];
    for (int i = 0; i < 100; i++) keys[i] = (uint64_t)(i * 7919 % 100);
    ag_sort_u64(keys, NULL, 100, &why);
    say(why.sentence);
}

/* A header with as many lists within one another as jansson reads, and as many as we do. */
static void deep_files(void)
{
    for (int depth = 2040; depth > 0; depth = depth > 62 ? 62 : 0) {
        static unsigned char file[8192];
        const char *path = files_path("deep.safetensors");
        int n = 8 + sprintf((char *)file + 8, "{\"__metadata__\":{\"a\":\"b\"},\"w\":");
        memset(file + n, '[', (size_t)depth);
        memset(file + n + depth, ']', (size_t)depth);
        n += 2 * depth;
        file[n++] = '}';
        file[0] = (unsigned char)(n - 8);
        file[1] = (unsigned char)((n - 8) >> 8);
        files_put(path, file, (size_t)n);
        if (ag_checkpoint_open(path, new_failure()) || last_failure()->status != AG_EDATA)
            say("it is read");
        if (!strstr(last_failure()->sentence,
                    depth > 62 ? "64 lists and objects" : "exactly dtype"))
            say(last_failure()->sentence);
    }
}

static void test_callers(void **state)
{
    void (*const work[])(void) = {every_op, layers, files, deep_files};
    for (size_t i = 0; i < sizeof work / sizeof *work; i++) {
        if (SANITIZED && work[i] == layers) continue; /* slow */
        expect_small(work[i]);
        assert_string_equal(failure, "");
    }
}

/* ---- threads of the library ---- */

static size_t asked_for[4];
static int asked, refuse;

int __real_pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*body)(void *),
                          void *context);
int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*body)(void *),
                          void *context);
int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*body)(void *),
                          void *context)
{
    size_t bytes = 0;
    if (attr) pthread_attr_getstacksize(attr, &bytes);
    if (asked < 4) asked_for[asked++] = bytes;
    return attr && refuse ? EINVAL : __real_pthread_create(id, attr, body, context);
}

/* Where threads have 128 KiB by default, and then where a larger stack is refused. */
static void test_helpers(void **state)
{
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, STACK);
    assert_int_equal(pthread_setattr_default_np(&small), 0);
    asked = 0;
    ag_set_threads(2);
    assert_int_equal(ag_start_threads(), 2);
    assert_int_equal(asked, 1);
    assert_true(asked_for[0] >= 1 << 20);
    asked = 0;
    refuse = 1;
    ag_set_threads(3);
    assert_int_equal(ag_start_threads(), SANITIZED ? 2 : 3);
    assert_int_equal(asked, SANITIZED ? 1 : 2);
    refuse = 0;
}

int main(void)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        numbers[i] = (ag_real)(i % 17) / 17 - 0.4f;
    ag_set_threads(1);
    return RUN_TESTS_WITH(files_make, files_remove, test_callers, test_helpers);
}
