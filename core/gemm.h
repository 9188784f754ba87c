/* SPDX-License-Identifier: MIT */
/* Matrix product, row-major: C = op(A) op(B), or C += with add. op(A) is [m,k], op(B) is [k,n]; ta
   and tb transpose. The product is cut into blocks that depend only on the shape, and one thread
   computes each block. With ta, a long inner sum is cut into pieces, which are added in order. So
   the bits do not depend on the number of threads. Without ta, the bits of a row of C depend only
   on that row of A and on B. */
#ifndef AG_CORE_GEMM_H
#define AG_CORE_GEMM_H

#include "core/types.h"

/* A product of at most this many rows is cut by columns, and B is not packed beforehand
   (core/panels.h). */
enum { AG_FEW_ROWS = 128 };

/* Elements of scratch that ag__gemm needs for a shape; on CUDA none. */
int64_t ag__gemm_scratch(ag_device device, int ta, int tb, int m, int n, int k);

/* Computes the whole product of matrices in the memory of `device`: on all threads of the CPU, or
   on the CUDA device after the work that was started before. scratch: ag__gemm_scratch elements. */
void ag__gemm(ag_device device, ag_real *c, const ag_real *a, const ag_real *b, int ta, int tb,
              int m, int n, int k, int add, ag_real *scratch);

/* Computes a product of parts of larger matrices on the calling thread. Stored rows of C, A and B
   are ldc, lda and ldb elements apart. */
void ag__gemm_part(ag_real *c, const ag_real *a, const ag_real *b, int ta, int tb, int m, int n,
                   int k, int64_t ldc, int64_t lda, int64_t ldb, int add);

#endif
