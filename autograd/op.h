/* SPDX-License-Identifier: MIT */
/* The description of an op, which is all that autograd knows about it. ops/ and gnn/ define the
 * ops; docs/adding-an-op.md is the tutorial. */
#ifndef AG_AUTOGRAD_OP_H
#define AG_AUTOGRAD_OP_H

#include "autograd/autograd.h"
#include "core/internal.h"
#include "core/kernel.h"

/* A call of an op while it is recorded: what the shape rule reads and fills. */
typedef struct ag_call {
    const struct ag_op *op;
    ag_tape *tape;
    int n_in;
    ag_shape xs[AG_MAX_IN], ys[AG_MAX_OUT];
    ag_attr attr;
    const char *names[AG_MAX_IN]; /* the caller's names of the inputs; NULL: none */
} ag_call;

enum { AG_MAX_KERNELS = 4 };

/* Masks of what backward reads. */
#define SAVE_X(i) (1u << (i))
#define SAVE_Y(j) (1u << (8 + (j)))

/* One test case: shapes of the inputs, attributes, the range of real inputs, and the values of
 * int32 inputs. */
typedef struct ag_case {
    ag_shape x[AG_MAX_IN];
    ag_attr attr;
    double lo, hi;                  /* real inputs are uniform in lo..hi; 0,0: -1..1 */
    const int32_t *ints[AG_MAX_IN]; /* values of int32 inputs */
} ag_case;

/* The fields of an op for its list of cases. */
#define AG_CASES(list) .cases = (list), .n_cases = sizeof(list) / sizeof(ag_case)

/* Kernels that serve one device. */
typedef struct ag_kernels {
    const ag_kernel *forward[AG_MAX_KERNELS], *prepare[AG_MAX_KERNELS], *backward[AG_MAX_IN];
    int64_t (*scratch)(const ag_args *a, int backward);
    int also, with;    /* also > 0: if the gradients of inputs `with` and `also` are both wanted,
                          backward[with] writes both, that of `also` to ag_args.also, and
                          backward[also] does not run */
    const char *folds; /* name of an elementwise op of one input; `folded` replaces the last forward
                          kernel and in the same pass applies that op to output 0; NULL: none */
    const ag_kernel *folded;
} ag_kernels;

typedef struct ag_op {
    const char *name;    /* as in ag_<name> */
    const char *formula; /* one line for docs/ops.md */
    const char *inputs;  /* names of the inputs, "x w b"; "..." at the end repeats the last */
    unsigned ints;       /* mask of int32 inputs (SAVE_X bits) and outputs (SAVE_Y bits) */
    int outputs;         /* 0 means 1; further outputs carry what backward reads (statistics) */

    /* Checks xs and attr, fills ys. Returns 0, or ag__reject(call, "reason"). */
    int (*shape)(ag_call *call);

    const ag_kernel *forward[AG_MAX_KERNELS]; /* run one after the other, up to the first NULL */
    const ag_kernel *prepare[AG_MAX_KERNELS]; /* run before backward */
    const ag_kernel *backward[AG_MAX_IN]; /* gradient of input i; NULL: none flows. Variadic ops:
                                             [0] serves all */
    unsigned saves;                       /* what the backward kernels read, apart from dy */
    unsigned
        partial; /* inputs whose backward does not write every element exactly once (SAVE_X bits) */
    unsigned spare; /* outputs that only backward reads; in runs without backward they are NULL, and
                       forward omits them (SAVE_Y bits) */
    unsigned flows; /* outputs with a gradient (SAVE_Y bits); 0 means only output 0 */

    int first_serves_all; /* 1: backward[0] also fills the scratch that the others read, so it
                             always runs; 2: likewise, but dx is NULL if the gradient of input 0 is
                             not wanted */

    int also; /* i > 0: backward[0] also writes the gradient of input i, to ag_args.also, in the
                 same pass; backward[i] never runs and says only that input i has a gradient */

    /* Elements of scratch that forward (backward 0) or prepare and backward (1) need; NULL:
       none. */
    int64_t (*scratch)(const ag_args *a, int backward);

    unsigned given; /* int32 inputs with values that decide how CUDA kernels are launched; the
                       kernels get the host's array, ag_args.given (SAVE_X bits) */

    /* Kernels that CUDA runs. They replace forward, prepare, backward and scratch above, all four,
       and have a backward kernel for the same inputs. NULL: the kernels above have a CUDA form,
       too. */
    const ag_kernels *cuda;

    int elementwise; /* 1: one output, and its element i depends only on element i of each input;
                        the op may join a fused group */
    int leads;  /* 1: unit r of the last forward kernel writes row r of its output, all of it and
                   nothing else, so it may lead a fused group. 2: the same, but only if there are as
                   many units as the output's first axis has entries (strips that hold all
                   columns) */
    int view;   /* 1: the output is input 0 under another shape; no kernels */
    int random; /* 1: draws random numbers, so the tape numbers it */

    double kink;   /* elementwise ops: where the derivative jumps; NAN: nowhere */
    int has_kinks; /* structured ops (max, hinge...): tests compare gradients only where the
                      differences from both sides agree */
    const ag_case *cases;
    int n_cases;
    const char
        *replaces; /* fused ops: the composition that this one replaces, for docs and tests */
} ag_op;

/* Records a node (one call of an op) and returns its first output, or after any failure the tape's
   poison tensor. */
ag_tensor *ag__record(const ag_op *op, ag_tensor *const *x, int n_in, const ag_attr *attr);
ag_tensor *ag__record1(const ag_op *op, ag_tensor *x, const ag_attr *attr);
ag_tensor *ag__record2(const ag_op *op, ag_tensor *x0, ag_tensor *x1, const ag_attr *attr);
ag_tensor *ag__record3(const ag_op *op, ag_tensor *x0, ag_tensor *x1, ag_tensor *x2,
                       const ag_attr *attr);
ag_tensor *ag__output(ag_tensor *first, int j); /* output j of the node that made `first` */

/* The poison tensor of a tape, which ops return after a failure; with tape NULL, the poison tensor
   of ops without a tape. */
ag_tensor *ag__poison(ag_tape *tape);

/* 1: x is a tensor of its tape's present step; 0: x is of an earlier step, or poison. */
int ag__is_live(const ag_tensor *x);

/* 1: x can be used; else its tape has failed. If x is of an earlier step, the sentence begins with
   `who`. x may be NULL. */
int ag__usable(const ag_tensor *x, const char *who);

/* The borrowed values of a real input; NULL if x is NULL, a parameter, the result of an op, an
   int32 tensor or a tensor of an earlier step. */
const ag_real *ag__given(const ag_tensor *x);

/* The borrowed values of an int32 input; NULL if x is NULL, the result of an op, a real tensor or a
   tensor of an earlier step. */
const int32_t *ag__given_i32(const ag_tensor *x);

/* The index of the first of n values outside of low..high; -1: there is none. */
int64_t ag__first_outside(const int32_t *values, int64_t n, int32_t low, int32_t high);

/* Returns y, the first output of an op. But if input i of the op is a caller's array with a wrong
   value, the tape fails (AG_EINDEX), and the result is the poison. An index must be -1 or the
   number of a row of `table`; in the error sentence, `what` is the name of that tensor. A start
   must be at least the previous start and at most the number of rows of input 0. */
ag_tensor *ag__check_index(ag_tensor *y, int i, const ag_tensor *table, const char *what);
ag_tensor *ag__check_starts(ag_tensor *y, int i);

/* As ag_input_i32, for an array that never changes, so that a device may keep a copy. serial is the
   number of the array's owner; 0: none. */
ag_tensor *ag__input_lasting(ag_tape *tape, const int32_t *data, ag_shape shape, uint64_t serial);

/* Memory for an input of n int32 values that a call makes itself. The tape keeps it until the
   reset. NULL: the tape has failed. */
int32_t *ag__tape_ints(ag_tape *tape, int n);

/* ag__set_fit stores, until the reset, that these tensors fit together. ag__is_fit returns whether
   that was stored for these tensors in this order. */
void ag__set_fit(ag_tensor *const *x, int n);
int ag__is_fit(ag_tensor *const *x, int n);

/* Fails the tape with "op: x is [..], w is [..]: reason (op 17)"; returns 1. ag__reject_input
   blames input `culprit`: if ag_name has named it, the sentence ends with (op 17, "its name"). */
int ag__reject_input(ag_call *call, int culprit, const char *format, ...) AG_PRINTF(3, 4);
#define ag__reject(call, ...) ag__reject_input(call, -1, __VA_ARGS__)

/* A shape rule for ops whose output has the shape of input 0. */
int ag__same_shape(ag_call *call);

#endif
