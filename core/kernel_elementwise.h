/* SPDX-License-Identifier: MIT */
/* The CUDA form of ELEMENTWISE: a thread takes four elements that are 32 apart, so that a warp
   reads whole lines and has four of them in flight. Its operands and results are in registers while
   the body runs; a fused group (core/cuda/group.h) calls the same bodies in the same way. */
#ifndef AG_CORE_KERNEL_ELEMENTWISE_H
#define AG_CORE_KERNEL_ELEMENTWISE_H

enum { AG_EACH = 4, AG_BLOCK_ELEMENTS = AG_EACH * AG_BLOCK }; /* elements of a thread, of a block */

#define NUMBER(i) (a->base + 32 * (i))

/* A thread's elements of each tensor that a body may read or write. */
typedef struct ag__held {
    ag_real x[2][AG_EACH], y[AG_EACH], dy[AG_EACH], to[AG_EACH], old[AG_EACH];
} ag__held;

/* A unit has one lane, as in ELEMENTS. */
#define AG__ELEMENTS_BLOCK dim3(1, AG_BLOCK)

/* The first element of this thread within its block, and how many it has below n. */
KERNEL int ag__first_of_block(void)
{
    return (int)(threadIdx.y / 32 * (32 * AG_EACH) + threadIdx.y % 32);
}
KERNEL int ag__mine(int64_t first, int64_t n)
{
    const int64_t left = n - first;
    return left <= 0 ? 0 : left > 32 * (AG_EACH - 1) ? AG_EACH : (int)((left + 31) / 32);
}

/* An element beyond the last one is read as 1, which is valid in every op. */
KERNEL void ag__take(ag_real v[AG_EACH], const ag_real *p, int mine)
{
    for (int e = 0; e < AG_EACH; e++) v[e] = e < mine ? p[32 * e] : 1;
}

/* The addition is outside of the body and never contracted with it, so each form of a body has the
   same bits wherever it is called. */
KERNEL ag_real ag__added(ag_real old, ag_real v)
{
#ifdef AG_CUDA_ON_HOST
    return old + v;
#else
    return __fadd_rn(old, v);
#endif
}

KERNEL void ag__give(ag_real *p, const ag__held *held, int mine, int add)
{
    for (int e = 0; e < AG_EACH; e++)
        if (e < mine) p[32 * e] = add ? ag__added(held->old[e], held->to[e]) : held->to[e];
}

/* Points the operands of a body to the held elements; `reads` is a constant. */
KERNEL void ag__show(ag_args *own, ag__held *held, const int reads)
{
    own->x[0] = held->x[0];
    own->x[1] = held->x[1];
    own->y[0] = reads & AG_READS_DY ? held->y : held->to;
    own->dy[0] = held->dy;
    own->dx = held->to;
}

/* Sets the other arguments of a body. first: index of the thread's first element in the whole
   tensor. */
KERNEL void ag__set_constants(ag_args *own, int64_t first, double f0, double f1,
                              const ag_run_record *run, uint32_t ordinal)
{
    own->base = first;
    own->attr.f[0] = f0;
    own->attr.f[1] = f1;
    own->run = run;
    own->ordinal = ordinal;
}

#ifdef AG_BODIES_ALONE /* for a group: the launching kernel is in another file */
# define ELEMENTWISE(name, reads)                    \
  extern "C" void ag__cuda_##name(const ag_args *a); \
  enum { name##_reads = (reads) };                   \
  KERNEL void name(const ag_args *a, int64_t lo, int64_t hi, const int add)
#else
# define ELEMENTWISE(name, reads)                                                           \
  KERNEL void name(const ag_args *a, int64_t lo, int64_t hi, const int add);                \
  static __global__ void name##_grid(const __grid_constant__ ag_args args, const int64_t n) \
  {                                                                                         \
   const int add = args.add && ((reads)&AG_READS_DY);                                       \
   const int64_t first = (int64_t)blockIdx.x * AG_BLOCK_ELEMENTS + ag__first_of_block();    \
   const int mine = ag__mine(first, n);                                                     \
   ag_real *const to = ((reads)&AG_READS_DY ? args.dx : (ag_real *)args.y[0]) + first;      \
   ag__held held;                                                                           \
   ag_args own;                                                                             \
   if ((reads)&AG_READS_X) ag__take(held.x[0], (const ag_real *)args.x[0] + first, mine);   \
   if ((reads)&AG_READS_Z) ag__take(held.x[1], (const ag_real *)args.x[1] + first, mine);   \
   if ((reads)&AG_READS_Y) ag__take(held.y, (const ag_real *)args.y[0] + first, mine);      \
   if ((reads)&AG_READS_DY) ag__take(held.dy, args.dy[0] + first, mine);                    \
   ag__take(held.old, to, add ? mine : 0);                                                  \
   ag__show(&own, &held, reads);                                                            \
   ag__set_constants(&own, first, args.attr.f[0], args.attr.f[1], args.run, args.ordinal);  \
   name(&own, 0, AG_EACH, 0);                                                               \
   ag__give(to, &held, mine, add);                                                          \
  }                                                                                         \
  extern "C" void ag__cuda_##name(const ag_args *a)                                         \
  {                                                                                         \
   const int64_t n = ag__elements(a->ys[0]);                                                \
   if (n > 0) AG__START(name, ag__blocks(n, AG_BLOCK_ELEMENTS), AG__ELEMENTS_BLOCK, *a, n); \
  }                                                                                         \
  KERNEL void name(const ag_args *a, int64_t lo, int64_t hi, const int add)
#endif

#endif
