/* SPDX-License-Identifier: MIT */
/* Random tapes: buffers that live at the same time do not overlap, a kernel reads the values that
   were written for it, and fusing changes no bit. */
#include "support/test.h"
#include "augur.h"
#include "autograd/tape.h"

enum { TAPES = 25, OPS = 25, PARAMS = 3, SIDE = 6, ROWS = 4000 };

static ag_params *params;
static ag_param *param[PARAMS]; /* [n,SIDE], n = 4, 6, 4000: several blocks */
static float data[ROWS * SIDE];

static uint32_t below(ag_random *r, uint32_t n) { return ag_random_below(r, n); }

/* A tensor of the same shape as x, or x itself. */
static ag_tensor *twin(ag_tensor *const *made, int n, ag_tensor *x)
{
    for (int i = n - 1; i >= 0; i--)
        if (made[i] != x && ag_shape_equal(ag_shape_of(made[i]), ag_shape_of(x))) return made[i];
    return x;
}

static ag_tensor *flat(ag_tensor *x)
{
    return ag_reshape(x, AG_SHAPE(ag_size(x, 0) * ag_size(x, 1)));
}

/* Some op of one to three tensors made before; all results have two axes. */
static ag_tensor *random_op(ag_random *r, ag_tensor *const *made, int n)
{
    ag_tensor *x = made[below(r, (uint32_t)n)], *y = twin(made, n, x);
    const int rows = ag_size(x, 0), columns = ag_size(x, 1);
    switch (below(r, 10)) {
    case 0: return ag_tanh(x);
    case 1: return ag_sigmoid(ag_scale(x, 0.5f));
    case 2: return ag_tanh(ag_add(x, y));
    case 3: return ag_mul(x, ag_tanh(y));
    case 4: return ag_reshape(x, AG_SHAPE(columns, rows));
    case 5: return ag_tanh(ag_matmul_t(x, y, 0, 1));
    case 6: return ag_tanh(ag_gelu(ag_linear(x, ag_matmul_t(y, y, 1, 0), NULL)));
    case 7: return ag_tanh(ag_add_bias(x, flat(ag_slice(y, 0, 0, 1))));
    case 8: return ag_dropout(ag_concat2(x, y, 0), 0.3f);
    default: return ag_mul_rows(x, ag_mean_columns(y));
    }
}

/* Depends on most of the tensors; some of them are kept. */
static ag_tensor *random_loss(ag_tape *tape, uint64_t seed)
{
    ag_random r = {seed, 9, 0};
    ag_tensor *made[OPS + PARAMS + 1], *loss;
    int n = 0;
    for (int i = 0; i < PARAMS; i++) made[n++] = ag_parameter(tape, param[i]);
    made[n++] = ag_input(tape, data, AG_SHAPE(ROWS, SIDE));
    for (int i = 0; i < OPS; i++) {
        made[n] = random_op(&r, made, n);
        if (ag_size(made[n], 0) * ag_size(made[n], 1) > 50000) made[n] = made[0];
        if (below(&r, 8) == 0) ag_keep(made[n]);
        n++;
    }
    loss = ag_mean_all(made[n - 1]);
    for (int i = 2; i < n; i += 3) loss = ag_add(loss, ag_mean_all(made[i]));
    return loss;
}

/* ---- placement ---- */

static void check_buffers(const ag_plan *plan)
{
    for (int i = 0; i < plan->n_buffers; i++) {
        const ag_buffer *a = &plan->buffers[i];
        if (a->tile || a->first < 0) continue;
        assert_int_equal(a->offset % 64, 0);
        assert_true(a->offset >= 0 && a->offset + a->bytes <= plan->slab_bytes);
        for (int k = 0; k < i; k++) {
            const ag_buffer *b = &plan->buffers[k];
            if (b->tile || b->first < 0 || a->first > b->last || b->first > a->last) continue;
            if (a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes)
                fail_msg("buffers %d and %d overlap", k, i);
        }
    }
}

/* The last writer of each line of the slab. */
typedef struct owners {
    int *of;
    const ag_plan *plan;
} owners;

static void note_write(owners *o, ag_ref ref)
{
    if (ref.place != AT_SLAB) return;
    const ag_buffer *b = &o->plan->buffers[ref.id];
    assert_int_equal(ref.offset, b->offset);
    for (int64_t line = b->offset / 64; line < (b->offset + b->bytes + 63) / 64; line++)
        o->of[line] = ref.id;
}

static void check_read(const owners *o, ag_ref ref)
{
    if (ref.place != AT_SLAB) return;
    const ag_buffer *b = &o->plan->buffers[ref.id];
    for (int64_t line = b->offset / 64; line < (b->offset + b->bytes + 63) / 64; line++)
        if (o->of[line] != ref.id) fail_msg("buffer %d was overwritten before it is read", ref.id);
}

/* Goes through the run as the kernels will: reads first, then writes. */
static void check_reads(const ag_plan *plan)
{
    owners o = {calloc((size_t)plan->slab_bytes / 64 + 1, sizeof(int)), plan};
    memset(o.of, 0xff, (size_t)plan->slab_bytes / 64 * sizeof(int));
    for (int s = 0; s < plan->n_steps; s++)
        for (int k = 0; k < plan->steps[s].n; k++) {
            const ag_job *job = &plan->jobs[plan->steps[s].first + k];
            const int backward = plan->steps[s].backward;
            for (int i = 0; i < AG_MAX_IN; i++) check_read(&o, job->x[i]);
            for (int j = 0; j < AG_MAX_OUT; j++) {
                check_read(&o, job->dy[j]);
                if (backward)
                    check_read(&o, job->y[j]);
                else
                    note_write(&o, job->y[j]);
            }
            if (job->adds) check_read(&o, job->dx);
            note_write(&o, job->scratch);
            note_write(&o, job->dx);
        }
    for (int i = 0; i < plan->n_buffers; i++) /* kept values are still there */
        if (!plan->buffers[i].tile && plan->buffers[i].last == plan->n_steps)
            check_read(&o, (ag_ref){AT_SLAB, i, plan->buffers[i].offset});
    free(o.of);
}

/* Each order needs less than the other on one of these; the plan takes the better one. */
static void test_two_orders(void **state)
{
    ag_buffer by_size[] = {{192, 0, 2, 3, 0, 0}, {192, 0, 3, 3, 0, 0}, {128, 0, 0, 2, 0, 0}};
    ag_buffer by_life[] = {
        {64, 0, 3, 4, 0, 0}, {256, 0, 0, 1, 0, 0}, {256, 0, 4, 4, 0, 0}, {256, 0, 0, 3, 0, 0}};
    ag_plan plan[] = {{.buffers = by_size, .n_buffers = 3}, {.buffers = by_life, .n_buffers = 4}};
    ag_tape *tape = ag_tape_new(AG_CPU);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ag__plan_place(tape, &plan[i]), 0);
        check_buffers(&plan[i]);
    }
    assert_int_equal(plan[0].slab_bytes, 384); /* 512 by life */
    assert_int_equal(plan[1].slab_bytes, 512); /* 576 by size */
    ag_tape_free(tape);
}

static void test_placement(void **state)
{
    ag_tape *tape = ag_tape_new(AG_CPU);
    for (uint64_t seed = 0; seed < TAPES; seed++)
        for (int fused = 0; fused < 4; fused++) {
            setenv("AUGUR_FUSE", fused & 1 ? "1" : "0", 1);
            ag_tape_reset(tape);
            ag_tensor *loss = random_loss(tape, seed);
            assert_string_equal(ag_error(tape), "");
            const ag_plan *plan = ag__plan_find(tape, loss, fused >> 1);
            assert_non_null(plan);
            check_buffers(plan);
            check_reads(plan);
        }
    unsetenv("AUGUR_FUSE");
    ag_tape_free(tape);
}

/* ---- results ---- */

/* Gradients of a run in a slab full of NaN. */
static float *gradients(ag_tape *tape, uint64_t seed, float *loss)
{
    ag_tape_reset(tape);
    ag_tape_seed(tape, 0, 0); /* every way drops the same */
    ag_params_reset(params);
    memset(params->gradient, 0xff, (size_t)params->size * sizeof(float));
    if (tape->slab) memset(tape->slab, 0xff, (size_t)tape->slab_bytes);
    if (tape->tiles) memset(tape->tiles, 0xff, (size_t)tape->tiles_bytes);
    ag_tensor *y = random_loss(tape, seed);
    ag_backward(y);
    *loss = ag_item(y);
    assert_string_equal(ag_error(tape), "");
    float *all = malloc((size_t)params->size * sizeof *all);
    return memcpy(all, params->gradient, (size_t)params->size * sizeof *all);
}

static void test_ways_to_run_agree(void **state)
{
    ag_tape *tape = ag_tape_new(AG_CPU);
    const size_t bytes = (size_t)params->size * sizeof(float);
    for (uint64_t seed = 0; seed < TAPES; seed++) {
        float loss[4], *g[4];
        for (int way = 0; way < 4; way++) { /* plainly, fused, fused on 2 threads, checked */
            setenv("AUGUR_FUSE", way ? "1" : "0", 1);
            ag_set_threads(way == 2 && seed % 5 == 0 ? 2 : 1);
            ag_check_finite(tape, way == 3);
            g[way] = gradients(tape, seed, &loss[way]);
            if (!isfinite(loss[way]) || loss[way] != loss[0])
                fail_msg("tape %d, way %d: loss %.9g, plainly %.9g", (int)seed, way,
                         (double)loss[way], (double)loss[0]);
            assert_memory_equal(g[way], g[0], bytes);
        }
        for (int way = 0; way < 4; way++) free(g[way]);
    }
    unsetenv("AUGUR_FUSE");
    ag_set_threads(1);
    ag_tape_free(tape);
}

static int set_up(void **state)
{
    static const int rows[PARAMS] = {4, SIDE, ROWS};
    static const char *const names[PARAMS] = {"a", "b", "c"};
    ag_random r = {11, 0, 0};
    params = ag_params_new();
    for (int i = 0; i < PARAMS; i++)
        param[i] =
            ag_params_add(params, names[i], AG_SHAPE(rows[i], SIDE), ag_init_normal(0, 0.3), 1);
    for (int i = 0; i < ROWS * SIDE; i++) data[i] = (float)ag_random_normal(&r);
    ag_set_threads(1);
    return ag_params_build(params, 5) != AG_OK;
}

static int tear_down(void **state)
{
    ag_params_free(params);
    return 0;
}

int main(void)
{
    return RUN_TESTS_WITH(set_up, tear_down, test_two_orders, test_placement,
                          test_ways_to_run_agree);
}
