/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* setenv, execv */
#include "onednn.h"

#include "isa.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(BENCH_ONEDNN)

# include <dnnl.h>

int bench_onednn_there(void) { return 1; }

const char *bench_onednn_text(char text[32])
{
    const dnnl_version_t *v = dnnl_version();
    snprintf(text, 32, "oneDNN %d.%d.%d", v->major, v->minor, v->patch);
    return text;
}

void bench_onednn_asleep(char **argv)
{
    static const char again[] = "AUGUR_BENCH_AGAIN";
    if (!getenv(again)) {
        if (getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT")) return;
        if (setenv(again, "1", 1) || setenv("OMP_WAIT_POLICY", "passive", 1)) return;
        execv("/proc/self/exe", argv);
    }
    unsetenv(again);
    unsetenv("OMP_WAIT_POLICY");
}

/* Of the OpenMP that oneDNN brings, if it does. */
extern void omp_set_num_threads(int) __attribute__((weak));

void bench_onednn_limit(int threads)
{
    if (omp_set_num_threads) omp_set_num_threads(threads);
    if (bench_isa_compiled() == BENCH_AVX2) dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx2);
}

void bench_onednn_product(float *c, const float *a, const float *b, int ta, int tb, int m, int n,
                          int k)
{
    dnnl_sgemm(ta ? 'T' : 'N', tb ? 'T' : 'N', m, n, k, 1, a, ta ? m : k, b, tb ? k : n, 0, c, n);
}

#else

int bench_onednn_there(void) { return 0; }

const char *bench_onednn_text(char text[32])
{
    snprintf(text, 32, "none");
    return text;
}

void bench_onednn_asleep(char **argv) { (void)argv; }

void bench_onednn_limit(int threads) { (void)threads; }

void bench_onednn_product(float *c, const float *a, const float *b, int ta, int tb, int m, int n,
                          int k)
{
    (void)c, (void)a, (void)b, (void)ta, (void)tb, (void)m, (void)n, (void)k;
}

#endif
