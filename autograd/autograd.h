/* SPDX-License-Identifier: MIT */
/* autograd: a tape that records ops, plans memory once per shape, and runs forward and backward.

       ag_tape_reset(tape);
       ag_tensor *y = ag_tanh(ag_matmul(ag_input(tape, x, AG_SHAPE(8, 4)), ag_parameter(tape, w)));
       ag_backward(ag_sum_all(ag_square(y)));
       if (ag_failed(tape)) puts(ag_error(tape));

   Errors are sticky, like ferror: the first failure is kept as one sentence, later calls do
   nothing, and one check per step is enough. Ops never return NULL. */
#ifndef AG_AUTOGRAD_H
#define AG_AUTOGRAD_H

#include "core/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Only one thread at a time may use a tape and its tensors. Different threads may use different
   tapes at the same time. They may share parameters only for ag_forward, and only while no thread
   changes them. Results then have the same bits as in a program with one thread. An op with inputs
   from several tapes fails all of these tapes. */
typedef struct ag_tape ag_tape;
typedef struct ag_tensor ag_tensor;

/* A new tape; NULL: no memory. If there is no such device, the new tape has already failed. */
AG_API ag_tape *ag_tape_new(ag_device device);
AG_API void ag_tape_free(ag_tape *tape);

/* Clears the recorded ops and the failure; keeps memory and plans. All tensors of the tape become
   invalid: using one in an op, a run or a read fails with AG_EUSE. This check is certain for the
   next 7 steps of the same size; after that, the memory of the old tensor may hold a new one. */
AG_API void ag_tape_reset(ag_tape *tape);

/* Sets the key and the step of the tape's random numbers (dropout). Both stay until the next call,
   so call this in every step: else all steps drop the same elements. Without any call the key is 0
   and the tape counts its runs: the first is step 0, so each run uses a different dropout mask. */
AG_API void ag_tape_seed(ag_tape *tape, uint64_t seed, uint64_t step);

/* training 1 (the default): dropout drops elements; 0: it is the identity. Applies to ops recorded
   from now on. */
AG_API void ag_tape_training(ag_tape *tape, int training);
AG_API int ag_is_training(const ag_tape *tape);

/* Begins a step: ag_tape_reset, then ag_tape_training. training 1: to train; 0: to evaluate. */
AG_API void ag_tape_begin(ag_tape *tape, int training);

AG_API ag_device ag_tape_device(const ag_tape *tape); /* AG_CPU for NULL */

/* Sets how runs multiply matrices on a CUDA device; AG_FP32 is the default, and a reset keeps the
   setting. With AG_TF32, forward and backward products have a relative error of about 1e-3 instead
   of 1e-6; two runs still have the same bits. The setting applies only to products that cuBLAS
   computes; products inside an op's kernel and all else stay in float. Fails: AG_EUSE for AG_TF32
   on a tape of the CPU. */
AG_API void ag_tape_precision(ag_tape *tape, ag_precision precision);

/* `on` 1: every run checks its values, and fails at the first one that is not finite; the sentence
   names the op, the tensor and the step. */
AG_API void ag_check_finite(ag_tape *tape, int on);

/* Puts data on the tape, without a gradient. The data is borrowed: keep it valid and unchanged
   until the run returns. Fails: AG_ESHAPE when a size is negative or the count exceeds 2^40. In
   debug builds a run fails with AG_EUSE if the data has changed since the call. */
AG_API ag_tensor *ag_input(ag_tape *tape, const ag_real *data, ag_shape shape);
AG_API ag_tensor *ag_input_i32(ag_tape *tape, const int32_t *data, ag_shape shape);

/* Puts a parameter on the tape; all calls with the same parameter return the same tensor. The
 * gradient of the parameter goes to param->gradient. */
AG_API ag_tensor *ag_parameter(ag_tape *tape, ag_param *param);

/* Names x in error sentences and pictures; the name is borrowed until the reset. Returns x. */
AG_API ag_tensor *ag_name(ag_tensor *x, const char *name);

/* Makes a tensor readable after the run (ag_forward and ag_backward keep their argument). Returns
 * x.
 */
AG_API ag_tensor *ag_keep(ag_tensor *x);

/* Makes `average` a running average of x, for statistics or weights. When ag_backward has run the
   tape without a failure, it sets average = (1 - rate) average + rate x. ag_forward does not change
   the average, and this call has no effect while the tape is not training. x has the shape of the
   parameter and is kept. Several calls for one parameter apply in the order of the calls. The
   parameter must have decay = 0. As long as it gets no gradient, clipping and the optimizers do not
   change it; checkpoints store it like any other parameter. Returns x. Fails: AG_EUSE unless 0 <=
   rate <= 1, for a parameter with weight decay, and for an x that is an input; AG_ESHAPE for
   another shape. */
AG_API ag_tensor *ag_moving_average(ag_param *average, ag_tensor *x, ag_real rate);

/* Runs the ops that `y` and the kept tensors need and saves nothing for a backward run. In runs and
   in optimizer steps, subnormal numbers (below 1.2e-38 in float) count as 0, since most processors
   are slow with them. In runs and optimizer steps, and when parameters are built or clipped,
   numbers round to nearest and floating-point traps are off; afterwards the thread's own mode is
   restored. */
AG_API void ag_forward(ag_tensor *y);

/* Runs forward and backward from the scalar `loss`. Gradients of parameters are stored when their
   block (ag_params) is AG_EMPTY and added when it is AG_READY; afterwards the block is AG_READY, or
   AG_BAD if anything failed. A tape runs once between resets. Fails: AG_ESHAPE unless loss has one
   element; AG_EMEMORY; AG_EUSE on a second run or an int32 loss. */
AG_API void ag_backward(ag_tensor *loss);

AG_API int ag_failed(const ag_tape *tape);        /* 1 after a failure (and for NULL) */
AG_API const char *ag_error(const ag_tape *tape); /* the sentence, "" without a failure */
AG_API ag_status ag_tape_status(const ag_tape *tape);

/* Makes the tape fail with the caller's sentence, e.g. when a model refuses its input. The first
   failure is kept. */
AG_API void ag_tape_fail(ag_tape *tape, ag_status status, const char *format, ...) AG_PRINTF(3, 4);

AG_API ag_tape *ag_tape_of(const ag_tensor *x);
AG_API ag_shape ag_shape_of(const ag_tensor *x);
AG_API int ag_size(const ag_tensor *x,
                   int axis); /* size of an axis, from the back if negative; 1 beyond the rank */

/* The values of a kept tensor after a run; they are valid until the next reset. For any other
   tensor the tape fails, and the result is NULL. */
AG_API const ag_real *ag_values(const ag_tensor *x);
AG_API const int32_t *ag_values_i32(const ag_tensor *x);
AG_API ag_real ag_item(const ag_tensor *x); /* the only element; else NAN, and the tape fails */

/* Computes y: ag_forward(y), then ag_values(y). If one of them fails, ag_compute returns NULL, and
   `why` has the sentence of the tape. */
AG_API const ag_real *ag_compute(ag_tensor *y, ag_failure *why);

/* Prints a tensor's name (or its op's), shape and type, then its values in brackets as NumPy's,
   in aligned columns with four decimals. If an axis has more than 10 entries (6 in a tensor of more
   than 1,000 values), only the first and last 3 are shown, with "..." between them. Inputs and
   parameters can be printed at any time while their data exist, results of ops only after a run
   that kept them; otherwise it prints a sentence that says why there are no values. The tape fails
   only when a device cannot copy the values. */
AG_API void ag_print(const ag_tensor *x, FILE *file);

/* Prints the plan for ag_backward(y) (training 1) or ag_forward(y) (0) without running it: a line
   per kernel with its shapes and offsets, then the bytes of the slab, of saved tensors and of
   gradients. */
AG_API void ag_plan_print(ag_tensor *y, int training, FILE *file);

/* The sizes of a plan, for tests and reports. */
typedef struct ag_plan_summary {
    int nodes, steps; /* ops that run; kernels launched (a fused group counts once) */
    size_t slab;      /* bytes of the slab: peak memory of all intermediate tensors */
    size_t saved;     /* bytes of forward values that backward reads */
    size_t inputs;    /* bytes that go to the tape's device before a run; on the CPU 0 */
    long plans_made;  /* plans made by this tape so far: constant while plans are reused */
} ag_plan_summary;
AG_API ag_plan_summary ag_plan_of(ag_tensor *y, int training);

/* `on` 1: measures every launch from now on; 0: stops, and discards the measurements. The printed
   table lists kernels by their time; a fused group has the name of its first kernel and a +. On a
   device, two more columns show the bytes that a kernel reads and writes (a tensor that it adds to
   counts twice), and these bytes divided by the time. */
AG_API void ag_profile(ag_tape *tape, int on);
AG_API void ag_profile_print(const ag_tape *tape, FILE *file);

/* Writes the recorded ops as a Graphviz graph. */
AG_API void ag_tape_dot(const ag_tape *tape, FILE *file);

/* Checks the gradients of a loss against central differences, in the precision of the library, so
   use the double build. `build` records the scalar loss on the tape. In a parameter of at most
   `full` elements it checks every entry; in a larger one it checks `directions` random directions
   and `entries` random entries. Returns the largest error |a - n| / max(1, |a|, |n|), with a from
   backward and n from differences, and writes to `where` which entry or direction has it. If a run
   fails, it returns INFINITY, and `where` is the sentence. */
typedef struct ag_gradcheck_options {
    double step;    /* of the differences; 0: 1e-5 */
    int full;       /* 0: 64 */
    int directions; /* 0: 3 */
    int entries;    /* 0: 8 */
    uint64_t seed;
} ag_gradcheck_options;
AG_API double ag_gradcheck(ag_tensor *(*build)(ag_tape *tape, void *context), void *context,
                           ag_params *params, const ag_gradcheck_options *options, char where[200]);

#ifdef __cplusplus
}
#endif

#endif
