/* SPDX-License-Identifier: MIT */
/* core: errors, shapes, memory, random numbers, threads, the device and parameter storage. Includes
 * no other file of Augur. */
#ifndef AG_CORE_H
#define AG_CORE_H

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

/* The element type of every real tensor: float, or double in the oracle build. Every file that
   includes this header asks the linker for the library of its type, so that a program in double
   does not link with the library in float. */
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

/* How a CUDA device multiplies matrices: with all 24 bits of a float, or on its tensor cores with
   operands rounded to 11 bits and sums in float, which is faster. */
typedef enum ag_precision { AG_FP32, AG_TF32 } ag_precision;

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

/* The first failure of a call that has no tape: a status and one sentence, without a full
   stop. Start from {0}. */
typedef struct ag_failure {
    ag_status status;
    char sentence[480];
} ag_failure;

/* Records a failure unless one is there already (the first wins; `why` may be NULL); returns
 * status. */
AG_API ag_status ag_fail(ag_failure *why, ag_status status, const char *format, ...)
    AG_PRINTF(3, 4);

/* Copies `text` with control characters (C0, DEL, C1), line separators, marks that change the
   direction of writing and bytes that are not UTF-8 written as \x1b or \u202e. So a name can
   neither control a terminal nor look like another one. Omits what does not fit into `size` bytes.
   ag_fail applies it to its sentences. A NULL text counts as "". Returns out. */
AG_API char *ag_printable(char *out, size_t size, const char *text);

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

/* AG_SHAPE(3, 5) is the shape [3,5]; in C and in C++. The sizes of unused axes are 1. With more
   than four sizes the compiler says that AG_SHAPE_has_1_to_4_sizes is not declared. */
#define AG_SHAPE(...)                                                                      \
 AG__NINTH(__VA_ARGS__, AG_SHAPE_has_1_to_4_sizes, AG_SHAPE_has_1_to_4_sizes,              \
           AG_SHAPE_has_1_to_4_sizes, AG_SHAPE_has_1_to_4_sizes, AG__SHAPE_4, AG__SHAPE_3, \
           AG__SHAPE_2, AG__SHAPE_1, 0)                                                    \
 (__VA_ARGS__)
#define AG_SCALAR ag__shape(0, 1, 1, 1, 1)

/* Number of elements (1 for a scalar), or -1 if a size is negative or the count exceeds 2^40. */
AG_API int64_t ag_shape_count(ag_shape shape);
AG_API int ag_shape_equal(ag_shape a, ag_shape b);

/* Writes "[3,5]" to text and returns it. */
AG_API const char *ag_shape_text(char text[64], ag_shape shape);

/* ---- memory ---- */

/* Allocates `bytes` bytes, not zeroed, to be freed by ag_free; NULL: no memory. The library
   allocates all of its memory with it. */
AG_API void *ag_alloc(size_t bytes);
AG_API void *ag_grow(void *block, size_t bytes); /* realloc: after NULL the old block stays */
AG_API void ag_free(void *block);                /* NULL is allowed */

/* a + b and a * b, or SIZE_MAX when the result does not fit (which no allocation can satisfy). */
static inline size_t ag_size_add(size_t a, size_t b) { return a > SIZE_MAX - b ? SIZE_MAX : a + b; }
static inline size_t ag_size_mul(size_t a, size_t b)
{
    return a && b > SIZE_MAX / a ? SIZE_MAX : a * b;
}

/* A grow-only bump allocator: blocks are 64-byte aligned, slabs of 2 MiB and more ask for huge
   pages, ag_arena_reset keeps the slabs. Debug builds put guard bytes after each block. */
typedef struct ag_arena ag_arena;

AG_API ag_arena *ag_arena_new(void);                       /* NULL: no memory */
AG_API void *ag_arena_take(ag_arena *arena, size_t bytes); /* not zeroed; NULL: no memory */
AG_API void ag_arena_reset(ag_arena *arena);
AG_API size_t ag_arena_bytes(const ag_arena *arena); /* bytes of all slabs */
AG_API int ag_arena_intact(
    const ag_arena *arena); /* 1 if no guard byte was overwritten (always 1 in release) */
AG_API void ag_arena_free(ag_arena *arena);

/* ---- random numbers ---- */

/* Philox4x32-10 (Salmon et al., SC'11): four 32-bit words as a function of a 128-bit counter and a
 * 64-bit key. */
AG_API void ag_philox(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2]);

/* A stream of random numbers: a position in the Philox sequence of (seed, stream). Plain data: copy
   it to save it. Word number `position` is word position % 4 of ag_philox with counter {low, high
   32 bits of position / 4, low, high 32 bits of stream} and key {low, high 32 bits of seed}.
   cuRAND's Philox gives the same after curand_init(seed, stream, position). */
typedef struct ag_random {
    uint64_t seed, stream, position;
} ag_random;

AG_API uint32_t ag_random_bits(ag_random *r);  /* 32 random bits */
AG_API double ag_random_uniform(ag_random *r); /* uniform in (0,1), 32-bit resolution */
AG_API double ag_random_normal(ag_random *r);  /* mean 0, variance 1 (Box-Muller) */
AG_API uint32_t ag_random_below(ag_random *r,
                                uint32_t n); /* uniform in 0..n-1 without bias; 0 if n is 0 */
AG_API void ag_random_shuffle(ag_random *r, int32_t *items, int64_t n); /* Fisher-Yates; n < 2^32 */

/* One of 0..n-1, with the probabilities softmax(logits / temperature), such as the next letter of a
   text. Uses one word of the stream, so probabilities are multiples of 2^-32. At temperature 0, and
   if the largest logit is infinite or NaN, it returns the first largest and uses no word; a NaN is
   larger than all numbers (as in ag_argmax). Returns -1 where n < 1, temperature is below 0 or NaN,
   or a pointer is NULL. */
AG_API int ag_sample_softmax(const ag_real *logits, int n, double temperature, ag_random *random);

/* Puts n items into parts at random, as a function of the seed: part[i] is 0..parts-1, and part k
   gets share[k] of the items (NULL: equal shares, the folds of cross-validation), to the nearest
   item. Items with the same group[i] (a program, a user) stay together; group NULL: each item is a
   group of its own. Fails: AG_EUSE (a share outside of 0..1, or their sum is not 1), AG_EMEMORY. */
AG_API ag_status ag_split(int32_t *part, const int32_t *group, int n, const double *share,
                          int parts, uint64_t seed, ag_failure *why);

/* Writes the items of part k in order to which [n], or with `others` the items of all other parts
   (the training items of a fold). Returns their number. */
AG_API int ag_part(int32_t *which, const int32_t *part, int n, int k, int others);

/* ---- threads ---- */

/* Sets the number of threads, the caller's included; 0: one per processor. Before the first call it
   is the first number of OMP_NUM_THREADS, else 0. It is limited to the number of processors, or to
   eight if there are fewer, and to 1024; ag_threads returns it. Results do not depend on it. If the
   system refuses a thread, the others do its work. The library's threads start with the first
   parallel work, receive no signals, and sleep after a wait of 50 us.
   Several threads of a program may run tapes at once: the library's threads help one of them at a
   time, the others work alone. After fork, the child starts its own threads and inherits no lock;
   it must not use the CUDA device, or objects that another thread was changing. */
AG_API void ag_set_threads(int n);
AG_API int ag_threads(void);

/* The most bytes of stack that a call of the library takes in an optimized build, without
   callbacks: a thread needs no more than 64 KiB. The library's own threads have 1 MiB, or the
   system's default if that is more. */
enum { AG_STACK = 40 << 10 };

/* Starts the threads now instead of with the first work. Returns their number, the caller's
   included: ag_threads(), or fewer if the system refuses some. */
AG_API int ag_start_threads(void);

/* Runs body(context, block, thread) for each block of 0..blocks-1 and returns when all are done.
   thread is 0..ag_threads()-1; blocks that run at the same time have different ones. A call from a
   block, or while the threads help another thread of the program, runs only on its caller.
   A block may not wait for another, and its results should not depend on the thread.
   body NULL: no work is done. */
typedef void ag_block(void *context, int64_t block, int thread);
AG_API void ag_parallel(int64_t blocks, ag_block *body, void *context);

/* The instruction set of the matrix products: "avx512", "avx2", "sse2", "neon" or "plain". The best
   of this processor, or a lesser one that the environment variable AUGUR_ISA names. */
AG_API const char *ag_isa(void);

/* Whether an environment variable (AUGUR_FUSE, AUGUR_NCCL and others of docs/cuda.md) is on: 0,
   off, no and false are off; 1, on, yes and true are on, in upper or lower case; anything else
   gives `usual`. */
AG_API int ag_switch(const char *variable, int usual);

/* ---- the CUDA device ---- */

/* Makes the device ready, once; a tape on AG_CUDA does so itself. AG_OK, or AG_EDEVICE with the
   reason and a remedy. */
AG_API ag_status ag_device_open(ag_failure *why);

/* The facts of CUDA in this build and on this machine; needs no open device. */
typedef struct ag_device_about {
    int built;            /* version of CUDA that this is built for, such as 13000; 0: none */
    int on_host;          /* 1: the CUDA code runs on the CPU, for tests */
    int driver;           /* the newest version that the driver supports; 0: no driver */
    char name[256];       /* of the device; "": no device, and the rest is 0 */
    int major, minor;     /* its compute capability */
    size_t unused, bytes; /* of its memory; 0: not known */
} ag_device_about;
AG_API void ag_device_describe(ag_device_about *about);

/* ---- sorting ---- */

/* Sorts keys ascending and moves values with them; stable (radix sort). values may be NULL.
   Fails: AG_EMEMORY; AG_EUSE when n is negative. The arrays are then unchanged. */
AG_API ag_status ag_sort_u64(uint64_t *keys, int32_t *values, int64_t n, ag_failure *why);

/* ---- element types of arrays in files (core/io/io.h) ---- */

typedef enum ag_dtype { AG_F32, AG_F64, AG_U8, AG_I8, AG_I32, AG_I64 } ag_dtype;

AG_API size_t ag_dtype_bytes(ag_dtype dtype);
AG_API const char *ag_dtype_name(ag_dtype dtype); /* "float32", "uint8", ... */

/* ---- parameters ---- */

/* The state of the gradients of a block: nothing yet, the sum of the backward runs since the last
   step, or useless values of a failed run. */
typedef enum ag_gradient_state { AG_EMPTY, AG_READY, AG_BAD } ag_gradient_state;

struct ag_params;

/* One named parameter: a view into the flat arrays of its block. */
typedef struct ag_param {
    const char *name;
    ag_shape shape;
    int64_t offset, count; /* in elements, within the arrays of the block */
    ag_real *value, *gradient;
    struct ag_params *block;
    int decay; /* 1: weight decay applies */
} ag_param;

/* All parameters of a model: weights, gradients and both moments of Adam (of SGD: only m), each
   one flat array with the same layout (every parameter starts on a 64-byte boundary; the gaps are
   0). */
typedef struct ag_params {
    ag_arena *arena;
    ag_param **list;
    int count, capacity;
    int64_t size; /* elements of each flat array, gaps included */
    ag_real *value, *gradient, *m, *v;
    ag_gradient_state state;
    int64_t step; /* optimizer steps done */
    ag_failure failure;
    ag_device
        device; /* the device of the block (ag_params_to); on AG_CUDA the arrays above are a copy */
    int behind; /* 1: that copy is out of date (ag_params_fetch) */
    double norm;    /* of the last ag_clip_norm (ag_params_norm); below 0: not measured */
    ag_real *there; /* memory of the device: value, gradient, m and v, `size` elements each */
    int8_t *decays; /* memory of the device: `decay` of every 16 elements */
    struct ag__clip *clip; /* on the device: result of ag_clip_norm */
    int unread;            /* 1: the host has not read it yet */
    int clipped;           /* 1: gradients on the device are still to be multiplied by its factor */
} ag_params;

#ifdef __cplusplus
}
#endif

#endif
