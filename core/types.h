/* SPDX-License-Identifier: MIT */
/* The types that nearly every header uses, and sums and products of sizes. Includes no other header
   of Augur. */
#ifndef AG_CORE_TYPES_H
#define AG_CORE_TYPES_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
# define AG_API          __attribute__((visibility("default")))
# define AG_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
# define AG_API
# define AG_PRINTF(f, a)
#endif

/* The element type of every real tensor: float, or double with AG_DOUBLE. Each file that includes
   this header needs a symbol that only a library with the same element type defines. So a program
   in double does not link with the library in float. */
#ifdef AG_DOUBLE
typedef double ag_real;
# define AG__BUILT ag_library_built_for_double
#else
typedef float ag_real;
# define AG__BUILT ag_library_built_for_float
#endif
AG_API extern const char AG__BUILT;
#if defined(__GNUC__)
static const char *const ag__needs __attribute__((used)) = &AG__BUILT;
#else
static const char *const ag__needs = &AG__BUILT;
#endif

typedef enum ag_device { AG_CPU, AG_CUDA } ag_device;

/* How a CUDA device multiplies matrices. AG_FP32 uses all 24 bits of a float. AG_TF32 is faster: it
   uses the tensor cores, which round operands to 11 bits and add in float. */
typedef enum ag_precision { AG_FP32, AG_TF32 } ag_precision;

/* a + b and a * b. A result that does not fit is SIZE_MAX, which no allocation can satisfy. */
static inline size_t ag_size_add(size_t a, size_t b) { return a > SIZE_MAX - b ? SIZE_MAX : a + b; }
static inline size_t ag_size_mul(size_t a, size_t b)
{
    return a && b > SIZE_MAX / a ? SIZE_MAX : a * b;
}

/* ---- errors ---- */

typedef enum ag_status {
    AG_OK,
    AG_EUSE,    /* a call that the documentation forbids */
    AG_ESHAPE,  /* shapes that do not fit */
    AG_EINDEX,  /* an index outside of its range */
    AG_EMEMORY, /* no memory, or more than the caller allowed */
    AG_EFILE,   /* a file that cannot be opened, read or written */
    AG_EDATA,   /* a file whose contents are not what its format says */
    AG_EFINITE, /* a value that is not finite */
    AG_EDEVICE, /* no such device, or the device failed */
    AG_ESTOPPED /* a caller's callback or signal handler ended the work */
} ag_status;

/* The first failure of a call that has no tape: a status and one sentence, without a full stop.
   Initialise it with {0}. */
typedef struct ag_failure {
    ag_status status;
    char sentence[480];
} ag_failure;

/* ---- shapes ---- */

enum { AG_MAX_AXES = 4 };

/* Sizes of up to four axes, row-major; rank 0 is a scalar. Passed by value. */
typedef struct ag_shape {
    int rank;
    int size[AG_MAX_AXES];
} ag_shape;

static inline ag_shape ag__shape(int rank, int a, int b, int c, int d)
{
    ag_shape s = {0, {1, 1, 1, 1}};
    s.rank = rank;
    s.size[0] = a;
    s.size[1] = b;
    s.size[2] = c;
    s.size[3] = d;
    return s;
}
#define AG__SHAPE_1(a)                            ag__shape(1, a, 1, 1, 1)
#define AG__SHAPE_2(a, b)                         ag__shape(2, a, b, 1, 1)
#define AG__SHAPE_3(a, b, c)                      ag__shape(3, a, b, c, 1)
#define AG__SHAPE_4(a, b, c, d)                   ag__shape(4, a, b, c, d)
#define AG__NINTH(a, b, c, d, e, f, g, h, i, ...) i

/* AG_SHAPE(3, 5) is the shape [3,5], in C and in C++. The sizes of unused axes are 1. With more
   than four sizes the compiler says that AG_SHAPE_has_1_to_4_sizes is not declared. */
#define AG_SHAPE(...)                                                                      \
 AG__NINTH(__VA_ARGS__, AG_SHAPE_has_1_to_4_sizes, AG_SHAPE_has_1_to_4_sizes,              \
           AG_SHAPE_has_1_to_4_sizes, AG_SHAPE_has_1_to_4_sizes, AG__SHAPE_4, AG__SHAPE_3, \
           AG__SHAPE_2, AG__SHAPE_1, 0)                                                    \
 (__VA_ARGS__)
#define AG_SCALAR ag__shape(0, 1, 1, 1, 1)

/* ---- names of types that other headers of core/ describe ---- */

typedef struct ag_arena ag_arena;   /* core/memory.h */
typedef struct ag_random ag_random; /* core/random.h */
typedef struct ag_param ag_param;   /* core/params.h */
typedef struct ag_params ag_params;

#ifdef __cplusplus
}
#endif

#endif
