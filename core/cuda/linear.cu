/* SPDX-License-Identifier: MIT */
/* Products of linear with what cuBLASLt does in the same pass (its epilogues). y = x w' + b is,
   column by column, y' = w x' with b added to each column (BIAS), then perhaps max(y, 0) (RELU). dw
   = dy' x is dw' = x' dy, which sums dy over its rows on the way (BGRADB). cuBLASLt chooses an
   algorithm once for a shape, and sums of parts have a fixed order: the bits are the same every
   time. */
#include "core/cuda/inside.h"
#include "core/cuda/launch.h"

#include <cublasLt.h>

enum { KEPT = 64, ALIGNED = 16 };

struct shape {
    int rows, in, out;
    ag_precision precision;
    cublasLtEpilogue_t epilogue;
};

struct kept {
    shape of;
    int used, ready; /* ready 0: there is no algorithm for this shape */
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t a, b, d;
    cublasLtMatmulAlgo_t algo;
};

/* Under the device's lock. */
static kept table[KEPT];
static unsigned next;
static cublasLtHandle_t handle;

static int fails(cublasStatus_t status) { return status != CUBLAS_STATUS_SUCCESS; }

static void forget(kept *k)
{
    if (k->desc) cublasLtMatmulDescDestroy(k->desc);
    if (k->a) cublasLtMatrixLayoutDestroy(k->a);
    if (k->b) cublasLtMatrixLayoutDestroy(k->b);
    if (k->d) cublasLtMatrixLayoutDestroy(k->d);
    *k = {};
}

static int has_bias(const shape *s) { return s->epilogue != CUBLASLT_EPILOGUE_RELU; }
static int is_gradient(const shape *s) { return s->epilogue == CUBLASLT_EPILOGUE_BGRADB; }

static int set(kept *k, cublasLtMatmulDescAttributes_t attribute, const void *value, size_t bytes)
{
    return fails(cublasLtMatmulDescSetAttribute(k->desc, attribute, value, bytes));
}

/* The bias that is read, or its gradient, which is written. */
static int set_bias(kept *k, const ag_real *bias)
{
    return has_bias(&k->of) && set(k, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias);
}

static int lay(cublasLtMatrixLayout_t *to, int rows, int columns)
{
    return fails(
        cublasLtMatrixLayoutCreate(to, CUDA_R_32F, (uint64_t)rows, (uint64_t)columns, rows));
}

/* w [out,in], x [rows,in] and y [rows,out] are, column by column, [in,out], [in,rows], [out,rows].
   d = a' b of w and x, or for the gradient d = a b' of x and dy. */
static int describe(kept *k, const ag_real *bias)
{
    const shape *s = &k->of;
    const int back = is_gradient(s);
    const cublasOperation_t turned = CUBLAS_OP_T;
    const cublasComputeType_t compute =
        s->precision == AG_TF32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
    return fails(cublasLtMatmulDescCreate(&k->desc, compute, CUDA_R_32F)) ||
           set(k, back ? CUBLASLT_MATMUL_DESC_TRANSB : CUBLASLT_MATMUL_DESC_TRANSA, &turned,
               sizeof turned) ||
           set(k, CUBLASLT_MATMUL_DESC_EPILOGUE, &s->epilogue, sizeof s->epilogue) ||
           set_bias(k, bias) || lay(&k->a, s->in, back ? s->rows : s->out) ||
           lay(&k->b, back ? s->out : s->in, s->rows) ||
           lay(&k->d, back ? s->in : s->out, back ? s->out : s->rows);
}

static int prefer(cublasLtMatmulPreference_t p, size_t bytes)
{
    const uint64_t most = bytes;
    const uint32_t schemes =
        CUBLASLT_REDUCTION_SCHEME_NONE | CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    const uint32_t aligned = ALIGNED;
    int bad = fails(cublasLtMatmulPreferenceSetAttribute(
                  p, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof most)) ||
              fails(cublasLtMatmulPreferenceSetAttribute(
                  p, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &schemes, sizeof schemes));
    const cublasLtMatmulPreferenceAttributes_t operands[] = {
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES};
    for (int i = 0; i < 4; i++)
        bad |=
            fails(cublasLtMatmulPreferenceSetAttribute(p, operands[i], &aligned, sizeof aligned));
    return bad;
}

/* The gradient's sum over many rows wants to be cut in parts, or a few multiprocessors have it all;
   and versions of cuBLASLt are known that sum up dy in a kernel of their own, which is slow when dy
   does not come from the cache. There cuBLAS and columns.cu are faster. */
static int is_slow(const shape *of, float waves)
{
    enum { MANY_ROWS = 4096, IN_CACHE = 32 << 20 };
    const int64_t dy = (int64_t)of->rows * of->out * (int64_t)sizeof(ag_real);
    return is_gradient(of) && (dy > IN_CACHE || (of->rows > MANY_ROWS && waves < 0.25f));
}

/* 1: cuBLASLt has an algorithm that is worth taking. */
static int choose(kept *k, size_t bytes)
{
    cublasLtMatmulPreference_t p;
    cublasLtMatmulHeuristicResult_t result = {};
    int found = 0;
    if (fails(cublasLtMatmulPreferenceCreate(&p))) return 0;
    const int bad =
        prefer(p, bytes) || fails(cublasLtMatmulAlgoGetHeuristic(handle, k->desc, k->a, k->b, k->d,
                                                                 k->d, p, 1, &result, &found));
    cublasLtMatmulPreferenceDestroy(p);
    k->algo = result.algo;
    return !bad && found > 0 && !fails(result.state) && !is_slow(&k->of, result.wavesCount);
}

static int equal(const shape *a, const shape *b)
{
    return a->rows == b->rows && a->in == b->in && a->out == b->out &&
           a->precision == b->precision && a->epilogue == b->epilogue;
}

/* The entry of this shape, if it was seen; else the oldest makes room. */
static kept *find(const shape *of, const ag_real *bias, size_t bytes)
{
    for (int i = 0; i < KEPT; i++)
        if (table[i].used && equal(&table[i].of, of)) return &table[i];
    kept *k = &table[next++ % KEPT];
    forget(k);
    k->of = *of;
    k->used = 1;
    k->ready = !describe(k, bias) && choose(k, bytes);
    return k;
}

static int aligned(const void *p) { return (uintptr_t)p % ALIGNED == 0; }

/* d = op(a) op(b) as `of` says; 0: there is no way in one pass. */
static int multiply(const shape *of, ag_real *d, const ag_real *a, const ag_real *b,
                    const ag_real *bias)
{
    const float one = 1, none = 0;
    size_t bytes;
    if (!aligned(d) || !aligned(a) || !aligned(b) || !aligned(bias)) return 0;
    const std::lock_guard<std::recursive_mutex> held(ag__cuda_here()->lock);
    void *workspace = ag__cuda_workspace(&bytes);
    if (!workspace || (!handle && fails(cublasLtCreate(&handle)))) return 0;
    kept *k = find(of, bias, bytes);
    if (!k->ready || set_bias(k, bias)) return 0;
    const cublasStatus_t status =
        cublasLtMatmul(handle, k->desc, &one, a, k->a, b, k->b, &none, d, k->d, d, k->d, &k->algo,
                       workspace, bytes, (cudaStream_t)ag__cuda_stream());
    if (fails(status)) ag__cuda_keep_text(cublasGetStatusString(status));
    return 1;
}

extern "C" int ag__device_linear(ag_real *y, const ag_real *x, const ag_real *w, const ag_real *b,
                                 int rows, int in, int out, int relu)
{
    const shape of = {rows, in, out, ag__cuda_precision(),
                      !b      ? CUBLASLT_EPILOGUE_RELU
                      : !relu ? CUBLASLT_EPILOGUE_BIAS
                              : CUBLASLT_EPILOGUE_RELU_BIAS};
    if (rows == 0 || out == 0) return 1;
    if (in == 0 || (!b && !relu)) return 0;
    return multiply(&of, y, w, x, b);
}

extern "C" int ag__device_linear_weights(ag_real *dw, ag_real *db, const ag_real *dy,
                                         const ag_real *x, int rows, int in, int out)
{
    const shape of = {rows, in, out, ag__cuda_precision(), CUBLASLT_EPILOGUE_BGRADB};
    if (rows == 0 || in == 0 || out == 0) return 0;
    return multiply(&of, dw, x, dy, db);
}
