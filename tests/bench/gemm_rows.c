/* SPDX-License-Identifier: MIT */
/* linear and matmul beside dnnl_sgemm called once with all threads on the same arrays, in turn. */
#include "bench.h"

#include "augur.h"
#include "probe.h"

#include <stdlib.h>

#if defined(AG_BENCH_DNNL)
# include <dnnl.h>
#endif

typedef struct product {
    const char *name;
    int linear, ta, tb, m, n, k; /* op(a) [m,k], op(b) [k,n] */
} product;

/* The products of the cost models (64,000 rows: 64 configurations of 1,000 nodes). */
static const product products[] = {
    {"linear", 1, 0, 1, 64000, 256, 256},    {"linear", 1, 0, 1, 64000, 256, 512},
    {"linear", 1, 0, 1, 64000, 32, 256},     {"linear", 1, 0, 1, 64000, 256, 32},
    {"linear", 1, 0, 1, 32000, 64, 64},      {"linear", 1, 0, 1, 32000, 128, 128},
    {"linear", 1, 0, 1, 32000, 256, 256},    {"linear", 1, 0, 1, 4000, 1024, 1024},
    {"linear", 1, 0, 1, 500, 64, 64},        {"linear", 1, 0, 1, 41, 1024, 1024},
    {"linear", 1, 0, 1, 64, 4096, 1024},     {"linear", 1, 0, 1, 32, 2048, 512},
    {"matmul NN", 0, 0, 0, 64000, 256, 256}, {"matmul NN", 0, 0, 0, 64000, 256, 512},
    {"matmul NN", 0, 0, 0, 64000, 32, 256},  {"matmul NN", 0, 0, 0, 64000, 256, 32},
    {"matmul NT", 0, 0, 1, 64000, 256, 256}, {"matmul TN", 0, 1, 0, 256, 256, 64000},
    {"matmul TN", 0, 1, 0, 256, 32, 64000},  {"matmul TN", 0, 1, 0, 128, 128, 32000},
    {"matmul TN", 0, 1, 0, 64, 64, 32000},   {"matmul NN", 0, 0, 0, 32000, 64, 64},
    {"matmul NN", 0, 0, 0, 32000, 128, 128}, {"matmul NN", 0, 0, 0, 4000, 1024, 1024},
    {"matmul NN", 0, 0, 0, 64, 4096, 1024},  {"matmul NN", 0, 0, 0, 32, 2048, 512},
    {"matmul NN", 0, 0, 0, 500, 64, 64},     {"matmul NN", 0, 0, 0, 41, 1024, 1024},
    {"matmul NN", 0, 0, 0, 64, 64, 64},
};

typedef struct arrays {
    ag_tape *tape;
    float *a, *b, *bias, *c;
    int copies; /* products in one timing: a short one is repeated, each time with its own result */
} arrays;

static float *numbers(int64_t n, uint64_t stream)
{
    ag_random random = {3, stream, 0};
    float *x = malloc((size_t)n * sizeof *x + 1);
    for (int64_t i = 0; x && i < n; i++)
        x[i] = (float)ag_random_bits(&random) * (2.0f / 4294967296.0f) - 1;
    return x;
}

static int make(arrays *s, const product *p, int quick)
{
    const double flops = 2.0 * p->m * p->n * p->k;
    s->copies = flops < 2e8 ? (int)(2e8 / flops) + 1 : 1;
    if (s->copies > 40) s->copies = 40;
    if (quick) s->copies = 2;
    s->tape = ag_tape_new(AG_CPU);
    s->a = numbers((int64_t)p->m * p->k, 1);
    s->b = numbers((int64_t)p->k * p->n, 2);
    s->bias = numbers(p->n, 3);
    s->c = numbers((int64_t)p->m * p->n * s->copies, 4);
    return !s->tape || !s->a || !s->b || !s->bias || !s->c;
}

static void drop(arrays *s)
{
    ag_tape_free(s->tape);
    free(s->a);
    free(s->b);
    free(s->bias);
    free(s->c);
}

/* The time of the run alone: what recording costs is a line of its own below the steps. */
static double run_ours(arrays *s, const product *p)
{
    ag_tape_reset(s->tape);
    ag_tensor *a = ag_input(s->tape, s->a, p->ta ? AG_SHAPE(p->k, p->m) : AG_SHAPE(p->m, p->k));
    ag_tensor *b = ag_input(s->tape, s->b, p->tb ? AG_SHAPE(p->n, p->k) : AG_SHAPE(p->k, p->n));
    ag_tensor *bias = ag_input(s->tape, s->bias, AG_SHAPE(p->n)), *y = NULL;
    for (int i = 0; i < s->copies; i++)
        y = ag_keep(p->linear ? ag_linear(a, b, bias) : ag_matmul_t(a, b, p->ta, p->tb));
    const double start = bench_now();
    ag_forward(y);
    return bench_now() - start;
}

#if !defined(AG_BENCH_DNNL)

static const int has_peer = 0;
static double run_peer(const arrays *s, const product *p) { return (void)s, (void)p, 0; }

#else

static const int has_peer = 1;
static double run_peer(const arrays *s, const product *p)
{
    const double start = bench_now();
    for (int i = 0; i < s->copies; i++)
        dnnl_sgemm(p->ta ? 'T' : 'N', p->tb ? 'T' : 'N', p->m, p->n, p->k, 1, s->a,
                   p->ta ? p->m : p->k, s->b, p->tb ? p->k : p->n, 0,
                   s->c + (int64_t)i * p->m * p->n, p->n);
    return bench_now() - start;
}

#endif

static int shorter(int size) { return size > 2000 ? size / 500 : size >= 512 ? size / 8 : size; }

static int measure(const bench_options *options, product p, json_t *rows)
{
    char shape[40];
    arrays s = {0};
    bench_samples ours = {0}, peer = {0};
    if (options->quick) p.m = shorter(p.m), p.n = shorter(p.n), p.k = shorter(p.k);
    snprintf(shape, sizeof shape, "%dx%dx%d", p.m, p.n, p.k);
    if (!bench_wanted(options, p.name, shape)) return 0;
    int bad = make(&s, &p, options->quick);
    const int warm = options->quick ? 0 : 2, rounds = warm + bench_rounds(options, 15);
    for (int r = 0; !bad && r < rounds; r++) {
        const double probe = bench_probe(), a = run_ours(&s, &p), b = run_peer(&s, &p);
        bad = ag_failed(s.tape);
        if (r < warm) continue;
        bench_sample(&ours, a / s.copies, probe);
        bench_sample(&peer, b / s.copies, probe);
    }
    if (bad)
        fprintf(stderr, "bench: %s %s: %s\n", p.name, shape, s.tape ? ag_error(s.tape) : "memory");
    const double sizes = (double)p.m * p.k + (double)p.k * p.n + (double)p.m * p.n;
    const bench_row row = {p.name,
                           shape,
                           &ours,
                           has_peer ? &peer : NULL,
                           2.0 * p.m * p.n * p.k,
                           sizes * sizeof(float)};
    if (!bad) {
        bench_print(&row);
        json_array_append_new(rows, bench_json(&row, "gemm", "onednn"));
    }
    drop(&s);
    return bad;
}

int bench_gemm(const bench_options *options, json_t *rows)
{
    int bad = 0;
    bench_head("Products; \"of oneDNN\": the time of dnnl_sgemm alone, all threads, over ours "
               "(0.85 is wanted)",
               "of oneDNN");
    for (size_t i = 0; !bad && i < sizeof products / sizeof *products; i++)
        bad = measure(options, products[i], rows);
    return bad;
}
