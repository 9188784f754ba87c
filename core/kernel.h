/* SPDX-License-Identifier: MIT */
/* The macros that the body of an op may use, and the skeletons that turn a body into a kernel. A
   body is written once. Compiled as C, it has one lane per row; compiled by nvcc, a warp of 32
   lanes, or fewer for a short row. So a body uses the macros below instead of plain loops: EACH,
   SUM, MAXIMUM, PUT, SETTLE, OF_LANE.
   docs/design.md shows one worked expansion, docs/adding-an-op.md how to write a body. */
#ifndef AG_CORE_KERNEL_H
#define AG_CORE_KERNEL_H

#include "core/types.h"
#include "core/strict.h"
#include "core/vmath.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { AG_MAX_IN = 8, AG_MAX_OUT = 6 };

/* Constant attributes of a node; each op says what they mean. */
typedef struct ag_attr {
    double f[4];
    int i[4];
} ag_attr;

/* The part of the run that random ops read. It is in the memory of the device that runs the kernel,
   so that the same launches can serve another run. */
typedef struct ag_run_record {
    uint64_t seed, step; /* key of the random numbers */
} ag_run_record;

/* All that a kernel sees of a node. Pointers point to element 0 of a tensor; the pointer to a
   tensor that the kernel does not need (see `saves` in struct op) is NULL. */
typedef struct ag_args {
    void *y[AG_MAX_OUT];
    const void *x[AG_MAX_IN];
    const ag_real *dy[AG_MAX_OUT]; /* backward: gradients of the outputs; NULL: it has none */
    ag_real *dx;                   /* backward: gradient of input `which` */
    int which;
    int add;          /* 1: dx already holds another writer's part */
    ag_real *also;    /* kernel of an op with `also`: gradient of that input, NULL: not wanted */
    int add_also;     /* 1: it already holds another writer's part */
    int n_in;         /* number of inputs */
    int training;     /* 1: a backward run follows or this is one */
    ag_device device; /* the device of the memory that the pointers point to */
    const int32_t *given[AG_MAX_IN]; /* on a device, for CALL: the host's values of int32 inputs;
                                        NULL: an op made them */
    ag_shape xs[AG_MAX_IN], ys[AG_MAX_OUT];
    ag_attr attr;
    ag_real *scratch; /* as many elements as the op asked for */
    int64_t base; /* index of element 0 within the whole tensor (fused groups run tile by tile) */
    const ag_run_record *run;
    uint32_t ordinal; /* which random op of the tape this is */
} ag_args;

/* One function of an op. On the CPU, `range` runs units lo..hi-1 on one thread, and units are
   independent of each other; or `call` runs all units and divides them among threads itself. `cuda`
   launches all units; NULL: there is no CUDA form. */
typedef struct ag_kernel {
    const char *name;
    int64_t (*count)(const ag_args *a);
    void (*range)(const ag_args *a, int64_t lo, int64_t hi);
    void (*call)(const ag_args *a);
    void (*cuda)(const ag_args *a);
    int64_t (*grain)(
        const ag_args *a); /* units in a block that a thread takes; NULL: chosen from the sizes */
} ag_kernel;

#ifdef __cplusplus
}
#endif

#define X(i)  ((const ag_real *)a->x[i])
#define XI(i) ((const int32_t *)a->x[i])
#define Y(j)  ((ag_real *)a->y[j])
#define YI(j) ((int32_t *)a->y[j])
#define DY(j) (a->dy[j])
#define DX    (a->dx)

/* Writes v to a gradient: the first writer in the plan stores v, later ones add it. */
#define PUT(p, i, v) \
 do {                \
  if (add)           \
   (p)[i] += (v);    \
  else               \
   (p)[i] = (v);     \
 } while (0)

/* The operands that the body of an elementwise kernel reads: elements of inputs 0 and 1, of the
   output, and in backward of the output's gradient. */
enum { AG_READS_X = 1, AG_READS_Z = 2, AG_READS_Y = 4, AG_READS_DY = 8 };

/* Size of one axis, and the product of axes lo..hi-1. A GPU has no indexed registers: an array
   would be in slow memory there if its index were known only when the kernel runs. */
#ifdef __CUDACC__
AG_BOTH int ag__size(ag_shape s, int axis)
{
    return axis == 0 ? s.size[0] : axis == 1 ? s.size[1] : axis == 2 ? s.size[2] : s.size[3];
}
AG_BOTH int64_t ag__sizes(ag_shape s, int lo, int hi)
{
    const int64_t a = lo <= 0 && hi > 0 ? s.size[0] : 1, b = lo <= 1 && hi > 1 ? s.size[1] : 1;
    const int64_t c = lo <= 2 && hi > 2 ? s.size[2] : 1, d = lo <= 3 && hi > 3 ? s.size[3] : 1;
    return a * b * c * d;
}
#else
AG_BOTH int ag__size(ag_shape s, int axis) { return s.size[axis]; }
AG_BOTH int64_t ag__sizes(ag_shape s, int lo, int hi)
{
    int64_t n = 1;
    for (int i = lo; i < hi; i++) n *= s.size[i];
    return n;
}
#endif

/* Number of rows when the last axis is the row, and the size of that axis. */
AG_BOTH int64_t ag__rows(ag_shape s) { return ag__sizes(s, 0, s.rank - 1); }
AG_BOTH int ag__columns(ag_shape s) { return s.rank ? ag__size(s, s.rank - 1) : 1; }
AG_BOTH int64_t ag__elements(ag_shape s) { return ag__rows(s) * ag__columns(s); }

/* Columns that a strip kernel handles at a time on a CPU: fewer, in multiples of 64, where a single
   row of strips would leave threads without work. */
enum { AG_STRIP = 1024 };
AG_BOTH int ag__strip_width(int64_t outer, int64_t columns)
{
    const int64_t quarter = (columns / 4 + 63) / 64 * 64;
    return outer > 1 || quarter >= AG_STRIP ? AG_STRIP : quarter < 64 ? 64 : (int)quarter;
}
AG_BOTH int64_t ag__strips(int64_t outer, int64_t columns)
{
    const int width = ag__strip_width(outer, columns);
    return (columns + width - 1) / width;
}

/* A body that writes a gradient with PUT has a skeleton of its own, X_PUT where others have X: the
   compiler makes two copies of such a body, in which `add` is a constant. */
#define AG__WITH_ADD(run) \
 do {                     \
  if (a->add) {           \
   const int add = 1;     \
   run;                   \
  } else {                \
   const int add = 0;     \
   run;                   \
  }                       \
 } while (0)

#ifdef __CUDACC__
# include "core/kernel_cuda.h"
#else
# include "core/room.h"
# include "core/stream.h"

# include <string.h>

# define KERNEL           static inline __attribute__((always_inline, unused))

/* A long KERNEL that many bodies call, so in C it is not inlined. It does not use LANE. */
# define KERNEL_ONCE      static __attribute__((noinline, unused))

# define LANE             0
# define LANES            1

/* The most lanes that a row may have: a constant, 1 for the C compiler. LANES, the number of lanes
   of a row, need not be constant on CUDA. */
# define MOST_LANES       1

/* After SETTLE a lane may read what other lanes of its row wrote before it. All lanes of the row
   must reach it; the same holds for SUM and MAXIMUM. */
# define SETTLE           ((void)0)

/* The value of v in lane number `lane` of this row. All lanes of the row must reach it. */
# define OF_LANE(lane, v) ((void)(lane), (v))

/* Loops over this lane's share of 0..n-1. */
# define EACH(i, n)       for (int i = 0; i < (n); i++)

enum { AG_PARTS = 16 };

/* The sum of parts k, k + step, k + 2 step ... below n, at most 2, 4, 8 or 16 of them; k is below
   n. They are added in the tree of SUM, without the parts that are 0. */
KERNEL ag_real ag__parts_2(const ag_real *parts, int n, int k, int step)
{
    return k + step < n ? parts[k] + parts[k + step] : parts[k];
}
KERNEL ag_real ag__parts_4(const ag_real *parts, int n, int k, int step)
{
    const ag_real sum = ag__parts_2(parts, n, k, 2 * step);
    return k + step < n ? sum + ag__parts_2(parts, n, k + step, 2 * step) : sum;
}
KERNEL ag_real ag__parts_8(const ag_real *parts, int n, int k, int step)
{
    const ag_real sum = ag__parts_4(parts, n, k, 2 * step);
    return k + step < n ? sum + ag__parts_4(parts, n, k + step, 2 * step) : sum;
}
KERNEL ag_real ag__parts_16(const ag_real *parts, int n)
{
    const ag_real sum = n > 0 ? ag__parts_8(parts, n, 0, 2) : 0;
    return n > 1 ? sum + ag__parts_8(parts, n, 1, 2) : sum;
}

/* s = sum over i in 0..n-1 of value; a fixed number of partial sums added in a fixed order. Short
   rows are summed without vectors, since a vector waits for values that were stored one by one. Do
   not nest conditions within the value: gcc 12.2 compiles a sum over c1 ? (c2 ? v : 0) : 0 wrongly
   for AVX-512. */
# define SUM(s, i, n, value)                                                            \
  do {                                                                                  \
   ag_real parts_[AG_PARTS] = {0};                                                      \
   const int n_ = (n), whole_ = n_ - n_ % AG_PARTS;                                     \
   if (n_ < AG_PARTS) {                                                                 \
    for (int i = 0; i < n_; i++) parts_[i] = 0 + (value);                               \
    (s) = ag__parts_16(parts_, n_);                                                     \
    break;                                                                              \
   }                                                                                    \
   for (int first_ = 0; first_ < whole_; first_ += AG_PARTS)                            \
    for (int part_ = 0; part_ < AG_PARTS; part_++) {                                    \
     const int i = first_ + part_;                                                      \
     (void)i; /* `value` need not use i */                                              \
     parts_[part_] += (value);                                                          \
    }                                                                                   \
   for (int i = whole_; i < n_; i++) parts_[i - whole_] += (value);                     \
   for (int half_ = AG_PARTS / 2; half_ > 0; half_ /= 2)                                \
    for (int part_ = 0; part_ < half_; part_++) parts_[part_] += parts_[part_ + half_]; \
   (s) = parts_[0];                                                                     \
  } while (0)

/* m = largest value over i in 0..n-1, not below `least`. */
# define MAXIMUM(m, least, i, n, value)                                     \
  do {                                                                      \
   ag_real parts_[AG_PARTS];                                                \
   const int n_ = (n), whole_ = n_ - n_ % AG_PARTS;                         \
   if (n_ < AG_PARTS) {                                                     \
    ag_real most_ = (least);                                                \
    for (int i = 0; i < n_; i++) {                                          \
     const ag_real v_ = (value);                                            \
     most_ = v_ > most_ ? v_ : most_;                                       \
    }                                                                       \
    (m) = most_;                                                            \
    break;                                                                  \
   }                                                                        \
   for (int part_ = 0; part_ < AG_PARTS; part_++) parts_[part_] = (least);  \
   for (int first_ = 0; first_ < whole_; first_ += AG_PARTS)                \
    for (int part_ = 0; part_ < AG_PARTS; part_++) {                        \
     const int i = first_ + part_;                                          \
     (void)i;                                                               \
     const ag_real v_ = (value);                                            \
     parts_[part_] = v_ > parts_[part_] ? v_ : parts_[part_];               \
    }                                                                       \
   for (int i = whole_; i < n_; i++) {                                      \
    const ag_real v_ = (value);                                             \
    parts_[i - whole_] = v_ > parts_[i - whole_] ? v_ : parts_[i - whole_]; \
   }                                                                        \
   for (int part_ = 1; part_ < AG_PARTS; part_++)                           \
    parts_[0] = parts_[part_] > parts_[0] ? parts_[part_] : parts_[0];      \
   (m) = parts_[0];                                                         \
  } while (0)

/* Strip kernels keep one running value per column: an array over the strip on a CPU, one register
 * per lane on CUDA. */
# define AG_PER_LANE      AG_STRIP
# define AT(j)            (j)

/* Another such array of reals: number k in the room of the thread, since the stack (core/threads.h)
   has space for only three. It is for totals: the compiler vectorizes a loop that also reads
   tensors only if it knows that the array is other memory. */
# define IN_ROOM(name, k) ag_real *__restrict__ const name = ag__room()->op + (k)*AG_STRIP

/* Copies n running values of a strip to a row of a tensor of shape `whole`. A tensor that is too
   large to stay in the caches until the next op reads it is stored past them. */
KERNEL void write_row(ag_real *to, const ag_real *from, int n, ag_shape whole)
{
    const int64_t limit = 8 << 20; /* bytes */
    const size_t bytes = (size_t)n * sizeof(ag_real);
    if (ag__elements(whole) * (int64_t)sizeof(ag_real) < limit)
        memcpy(to, from, bytes);
    else
        ag__stream(to, from, bytes);
}

/* Marks a kernel that has a CUDA form in builds with CUDA. It is never called, since a build
   without CUDA has no tape on a GPU. Builds without CUDA have it, too, so that files without
   kernels are the same in all builds. */
KERNEL void ag__cuda_elsewhere(const ag_args *a) { (void)a; }
# ifdef AG_HAVE_CUDA
#  define AG__CUDA_DECLARE(id) extern void ag__cuda_##id(const ag_args *a);
#  define AG__CUDA_POINTER(id) ag__cuda_##id
# else
#  define AG__CUDA_DECLARE(id)
#  define AG__CUDA_POINTER(id) ag__cuda_elsewhere
# endif

# define AG__KERNEL(id, units, signature, run)                                              \
  AG__CUDA_DECLARE(id)                                                                      \
  KERNEL void id signature;                                                                 \
  static int64_t id##_count(const ag_args *a)                                               \
  {                                                                                         \
   (void)a;                                                                                 \
   return units;                                                                            \
  }                                                                                         \
  static void id##_range(const ag_args *a, int64_t lo, int64_t hi) { run; }                 \
  static const ag_kernel id##_kernel = {                                                    \
      .name = #id, .count = id##_count, .range = id##_range, .cuda = AG__CUDA_POINTER(id)}; \
  KERNEL void id signature

/* ROW(id, rows) { body }: the body runs once per row r of 0..rows-1. */
# define ROW(id, rows) \
  AG__KERNEL(id, rows, (const ag_args *a, int64_t r), for (int64_t r = lo; r < hi; r++) id(a, r))
# define ROW_PUT(id, rows)                                           \
  AG__KERNEL(id, rows, (const ag_args *a, int64_t r, const int add), \
             AG__WITH_ADD(for (int64_t r = lo; r < hi; r++) id(a, r, add)))

/* ROW_OF(id, rows, columns) { body }: ROW where a row may be short. `columns`, a function of
   shapes, is the largest n in the body's macros. On CUDA a row has that many lanes, rounded up to a
   power of two, at most 32, and rows with fewer than 32 share a warp. The functions that a body
   calls have the same lanes. */
# define ROW_OF(id, rows, columns)     ROW(id, rows)
# define ROW_OF_PUT(id, rows, columns) ROW_PUT(id, rows)

/* ELEMENTS(id, n) { body }: the body handles elements lo..hi-1 of n, one by one. */
# define ELEMENTS(id, n) \
  AG__KERNEL(id, n, (const ag_args *a, int64_t lo, int64_t hi), id(a, lo, hi))
# define ELEMENTS_PUT(id, n)                                                   \
  AG__KERNEL(id, n, (const ag_args *a, int64_t lo, int64_t hi, const int add), \
             AG__WITH_ADD(id(a, lo, hi, add)))

/* ELEMENTWISE(id, reads) { body }: ELEMENTS over the output, for a body that computes element i
   only from elements i of its operands. If `reads` has AG_READS_DY, it computes the gradient DX
   with PUT, else output 0. It reads only the tensors that the constant mask `reads` names, and of
   the attributes only f[0] and f[1]. On CUDA it sees the few elements of one thread, so it may also
   run in a fused group there; NUMBER(i) is the index of element i in the whole tensor. */
# define NUMBER(i) (a->base + (i))
# define ELEMENTWISE(id, reads)                                         \
  AG__KERNEL(id, ag__elements(a->ys[0]),                                \
             (const ag_args *a, int64_t lo, int64_t hi, const int add), \
             if ((reads)&AG_READS_DY) AG__WITH_ADD(id(a, lo, hi, add)); \
             else id(a, lo, hi, 0))

/* Runs the body of a STRIP: `run` for o, c and n of strips lo..hi-1. */
# define AG__STRIP(id, outer, columns, signature, run)                   \
  AG__KERNEL(id, (int64_t)(outer)*ag__strips(outer, columns), signature, \
             AG__EACH_STRIP(outer, columns, run))
# define AG__EACH_STRIP(outer, columns, run)                              \
  const int width = ag__strip_width(outer, columns);                      \
  const int64_t strips = ag__strips(outer, columns);                      \
  for (int64_t u = lo; u < hi; u++) {                                     \
   const int64_t o = u / strips;                                          \
   const int c = (int)(u % strips) * width;                               \
   const int left = (int)(columns)-c, some = left < width ? left : width; \
   if (some == AG_STRIP) {                                                \
    const int n = AG_STRIP;                                               \
    run;                                                                  \
   } else {                                                               \
    const int n = some;                                                   \
    run;                                                                  \
   }                                                                      \
  }

/* CALL(id) { body }: host code that calls gemm, columns and inverse on either device: it passes
   pointers to core, and reads a tensor only where a->device is the CPU. */
# define CALL(id)                                                             \
  static void id(const ag_args *a);                                           \
  static const ag_kernel id##_kernel = {.name = #id, .call = id, .cuda = id}; \
  static void id(const ag_args *a)

/* HOST(id) { body }: CALL for a body that reads tensors itself, so it runs only on the CPU. */
# define HOST(id)                                                 \
  static void id(const ag_args *a);                               \
  static const ag_kernel id##_kernel = {.name = #id, .call = id}; \
  static void id(const ag_args *a)

/* DEVICE(id) { body }: CALL for a body that only CUDA runs (struct op, cuda). */
# define DEVICE(id)                                               \
  static void id(const ag_args *a);                               \
  static const ag_kernel id##_kernel = {.name = #id, .cuda = id}; \
  static void id(const ag_args *a)

#endif /* __CUDACC__ */

/* STRIP(id, outer, columns) { body }: for each o of 0..outer-1 the columns are cut into strips; the
   body handles columns c..c+n-1 of o, n <= AG_STRIP, and keeps running values in arrays of
   AG_PER_LANE indexed by AT(j). */
#define STRIP(id, outer, columns) \
 AG__STRIP(id, outer, columns, (const ag_args *a, int64_t o, int c, int n), id(a, o, c, n))
#define STRIP_PUT(id, outer, columns)                                                      \
 AG__STRIP(id, outer, columns, (const ag_args *a, int64_t o, int c, int n, const int add), \
           AG__WITH_ADD(id(a, o, c, n, add)))

#endif
