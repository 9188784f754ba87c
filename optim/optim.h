/* SPDX-License-Identifier: MIT */
/* optim: named parameters, initialisers, Adam, AdamW and SGD, clipping, sums of gradients,
 * schedules, checkpoints of parameters. Knows no tape. */
#ifndef AG_OPTIM_H
#define AG_OPTIM_H

#include "core/io/io.h"
#include "core/params.h"
#include "core/ranks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- initialisers ---- */

typedef enum ag_init_kind {
    AG_INIT_CONSTANT,
    AG_INIT_UNIFORM,
    AG_INIT_NORMAL,
    AG_INIT_XAVIER_UNIFORM,
    AG_INIT_XAVIER_NORMAL,
    AG_INIT_KAIMING_UNIFORM,
    AG_INIT_KAIMING_NORMAL
} ag_init_kind;

/* How a parameter gets its initial values; made by the functions below, passed by value. */
typedef struct ag_init {
    ag_init_kind kind;
    double a, b;
} ag_init;

AG_API ag_init ag_init_constant(double value);
AG_API ag_init ag_init_uniform(double low, double high);
AG_API ag_init ag_init_normal(double mean, double deviation);

/* For weights [out,in] or [out,in,...]; fan_in and fan_out are in and out, each times all sizes
   after the second. The uniform one draws from U(-b,b), b = gain sqrt(6/(fan_in+fan_out)), the
   normal one from N(0,s^2), s = gain sqrt(2/(fan_in+fan_out)). Glorot and Bengio, AISTATS 2010;
   torch.nn.init.xavier_*. */
AG_API ag_init ag_init_xavier_uniform(double gain);
AG_API ag_init ag_init_xavier_normal(double gain);

/* a is the slope of the leaky ReLU that follows (0: ReLU). With gain = sqrt(2/(1+a^2)), the uniform
   one draws from U(-b,b), b = gain sqrt(3/fan_in), the normal one from N(0,s^2), s =
   gain/sqrt(fan_in). He et al., ICCV 2015; torch.nn.init.kaiming_* with mode fan_in. The weight of
   torch's Linear has a = sqrt(5), so it is U(+-1/sqrt(fan_in)). */
AG_API ag_init ag_init_kaiming_uniform(double a);
AG_API ag_init ag_init_kaiming_normal(double a);

/* The bias of torch's Linear: U(+-1/sqrt(fan_in)); 0 when fan_in is 0. */
AG_API ag_init ag_init_linear_bias(int fan_in);

/* ---- parameters (struct ag_param and ag_params: core/params.h) ---- */

AG_API ag_params *ag_params_new(void);         /* NULL: no memory */
AG_API void ag_params_free(ag_params *params); /* frees the parameters, too; NULL is allowed */

/* Declares a parameter; its memory comes with ag_params_build.
   name: 1 to 127 printable ASCII characters without space, used once; it may not begin with
   "optimizer." or "state.". decay: 1 if weight decay applies. Every call returns a pointer that
   stays valid, never NULL. A call that fails returns an empty parameter, and the first failure
   (AG_EUSE, AG_ESHAPE, AG_EMEMORY) is kept in params->failure. So the constructor of a model needs
   no checks: ag_params_build reports the failure. */
AG_API ag_param *ag_params_add(ag_params *params, const char *name, ag_shape shape, ag_init init,
                               int decay);

/* Changes the initial values of a declared parameter, before ag_params_build; NULL (a layer without
   bias) is ignored. Fails as ag_params_add does, in params->failure: AG_EUSE (built already),
   AG_ESHAPE. */
AG_API void ag_param_init(ag_param *param, ag_init init);

/* The same for all declared parameters with names that begin with `prefix` (NULL or "": all). A
   parameter of two or more axes with "weight" in the last part of its name (conv.lin.weight,
   in_proj_weight) gets `weights`; a parameter of one axis with "bias" there (bias_ih_l0) gets
   `biases`. Others, such as weights of norms, do not change. Source: torch.nn.init in a loop over
   named_parameters. */
AG_API void ag_params_init(ag_params *params, const char *prefix, ag_init weights, ag_init biases);

/* Lays out the flat arrays and initialises every parameter from the random stream (seed, index of
   the parameter), so a parameter added at the end leaves the others as they were. Fails: the first
   failure of ag_params_add, AG_EUSE when built twice, AG_EMEMORY; the sentence is in
   params->failure. */
AG_API ag_status ag_params_build(ag_params *params, uint64_t seed);

AG_API ag_param *ag_params_find(const ag_params *params,
                                const char *name); /* NULL: no such parameter */
AG_API int64_t
ag_params_count(const ag_params *params); /* real numbers in all parameters, without gaps */

/* Moves a built block to a device: values, gradients, moments and state, with the same bits. From
   then on only tapes of that device can use it, and steps and clipping run there. On AG_CUDA the
   arrays on the host (params->value, param->value and so on) are a copy that ag_params_fetch
   refreshes; to change them, move the block to the CPU and back. If the block is there already,
   nothing happens. Fails, leaving the block where it is: AG_EUSE (not built), AG_EDEVICE (no such
   device, or it failed), AG_EMEMORY, AG_EFINITE (see ag_clip_norm). */
AG_API ag_status ag_params_to(ag_params *params, ag_device device, ag_failure *why);

/* Refreshes the copy on the host if the device has newer numbers, and waits until it is complete.
   For a block on the CPU nothing happens. ag_params_save calls this function itself. Fails: AG_EUSE
   (not built), AG_EDEVICE (the copy is then useless), AG_EFINITE (see ag_clip_norm). */
AG_API ag_status ag_params_fetch(ag_params *params, ag_failure *why);

/* Prints a line for each parameter (name, shape, number of elements, whether weight decay applies)
   and the total, also before ag_params_build. */
AG_API void ag_params_print(const ag_params *params, FILE *file);

/* Discards the gradients (state AG_EMPTY). An optimizer step does so, too. */
AG_API void ag_params_reset(ag_params *params);

/* ---- optimizers ---- */

typedef struct ag_adamw {
    double beta1, beta2; /* in [0,1) */
    double epsilon;      /* at least 1.2e-38 */
    double decay;        /* weight decay of the parameters with decay = 1; at least 0 */
} ag_adamw;
typedef ag_adamw ag_adam;

AG_API ag_adamw ag_adamw_default(void); /* 0.9, 0.999, 1e-8, 0.01: torch.optim.AdamW */
AG_API ag_adam ag_adam_default(void);   /* 0.9, 0.999, 1e-8, 0: torch.optim.Adam */

/* One step of AdamW (decoupled decay), t = step + 1: w *= 1 - lr decay; m = b1 m + (1-b1) g; v = b2
   v + (1-b2) g^2; w -= lr (m/(1-b1^t)) / (sqrt(v/(1-b2^t)) + epsilon). Needs gradients (state
   AG_READY) and leaves the state AG_EMPTY. Fails, changing nothing: AG_EUSE (state, not built,
   options out of range). Loshchilov and Hutter, ICLR 2019, Algorithm 2; torch.optim.AdamW. */
AG_API ag_status ag_adamw_step(ag_params *params, const ag_adamw *options, double lr,
                               ag_failure *why);

/* As ag_adamw_step, but with Adam's L2 term in place of the decoupled decay: first g += decay w.
 * Kingma and Ba, ICLR 2015; torch.optim.Adam. */
AG_API ag_status ag_adam_step(ag_params *params, const ag_adam *options, double lr,
                              ag_failure *why);

/* momentum: in [0,1); decay: L2 term of the parameters with decay = 1, at least 0; nesterov: 1 for
   Nesterov's momentum. {0} is plain gradient descent, as in torch.optim.SGD. */
typedef struct ag_sgd {
    double momentum, decay;
    int nesterov;
} ag_sgd;

/* One step of stochastic gradient descent: g += decay w; m = momentum m + g; w -= lr m, or with
   nesterov w -= lr (g + momentum m). m is stored as the first moment of the parameters, so
   checkpoints keep it. States and failures are as for ag_adamw_step. Sutskever et al., ICML 2013;
   torch.optim.SGD, dampening 0. */
AG_API ag_status ag_sgd_step(ag_params *params, const ag_sgd *options, double lr, ag_failure *why);

/* Scales all gradients by min(1, max_norm / (norm + 1e-6)), where norm is the L2 norm of all
   gradients together. Writes that norm to *norm; the pointer may be NULL. With max_norm INFINITY it
   only measures and checks. If a gradient is not finite, it fails with AG_EFINITE, names the first
   such gradient and makes the state AG_BAD, so that no step can use it. On a device, a call with
   norm NULL does not wait: the result stays there, and after a gradient that is not finite the next
   steps change nothing. The first later call that reads this result then fails with AG_EFINITE and
   the same sentence. Step count, parameters and moments are then as they were at the ag_clip_norm
   that found this gradient; the state is AG_BAD. ag_params_norm, ag_params_fetch, ag_params_to and
   ag_params_save always read the result. Fails: AG_EUSE, AG_EFINITE, AG_EDEVICE.
   torch.nn.utils.clip_grad_norm_. */
AG_API ag_status ag_clip_norm(ag_params *params, double max_norm, double *norm, ag_failure *why);

/* Writes the norm of the last ag_clip_norm to *norm (may be NULL). On a device it waits until the
   clipping is done. ag_item on a tensor of the tape waits for all earlier work of the device, so
   this training step waits only once:
     ag_backward(loss);
     ag_clip_norm(params, 1, NULL, &why);
     ag_adamw_step(params, &adamw, lr, &why);
     value = ag_item(loss);
     ag_params_norm(params, &norm, &why);
   Fails: AG_EUSE (no norm was measured), AG_EFINITE (see ag_clip_norm), AG_EDEVICE. */
AG_API ag_status ag_params_norm(ag_params *params, double *norm, ag_failure *why);

/* ---- gradients of several runs, added in one order ---- */

/* A step over the shards of a large batch, with the mean of their gradients. The additions form a
   binary tree that depends only on the number of shards, so the bits do not depend on how many
   processes share the shards. At most log2(shards) + 1 copies of the gradients are kept, on the
   device of the block. For first <= i < end of ag_shards_part:
     ag_tape_reset(tape);
     ag_tape_seed(tape, seed, step * shards + i);
     ag_backward(loss of shard i);
     ag_shards_add(sum, &why);
   then ag_shards_mean, ag_clip_norm and the optimizer's step. With one shard, ag_shards_add and
   ag_shards_mean only run their checks. */
typedef struct ag_shards ag_shards;

/* The block `params` must be built, and must stay on its device until ag_shards_free. ranks: the
   processes that divide the shards; they have equal parameters and make the same calls. NULL: there
   is only this process. Returns NULL on failure: AG_EUSE (not built; shards not in 1..2^40, or
   fewer than ranks), AG_EMEMORY. */
AG_API ag_shards *ag_shards_new(ag_params *params, int64_t shards, ag_ranks *ranks,
                                ag_failure *why);
AG_API void ag_shards_free(ag_shards *sum); /* NULL is allowed */

/* The shards of this rank: *first..*end-1; without other ranks 0..shards-1. */
AG_API void ag_shards_part(int64_t *first, int64_t *end, const ag_shards *sum);

/* Takes the gradients of the block as those of the next shard: needs AG_READY and leaves AG_EMPTY.
   Fails: AG_EUSE (no gradients; all shards have been added; the block has moved to another device),
   AG_EMEMORY, AG_EDEVICE. */
AG_API ag_status ag_shards_add(ag_shards *sum, ag_failure *why);

/* The gradients of the block become the mean of all shards (AG_READY), and the next ag_shards_add
   begins with the first shard. Fails: AG_EUSE (a shard has not been added), AG_EMEMORY, AG_EDEVICE
   (a rank does not make the call in time, or the device failed). */
AG_API ag_status ag_shards_mean(ag_shards *sum, ag_failure *why);

/* Forgets what was added since the last mean, for example after a shard that failed. NULL is
   allowed. */
AG_API void ag_shards_reset(ag_shards *sum);

/* ---- schedules ---- */

typedef enum ag_schedule_kind {
    AG_CONSTANT,
    AG_COSINE,
    AG_LINEAR,
    AG_EXPONENTIAL
} ag_schedule_kind;

// clang-format off
/* The learning rate as a function of the step: lr step/warmup for the first `warmup` steps, then with
   t = step - warmup and p = min(1, t/(total-warmup)):
     AG_CONSTANT     lr
     AG_COSINE       lr (last + (1-last) (1 + cos(pi p))/2)
     AG_LINEAR       lr (last + (1-last) (1-p))
     AG_EXPONENTIAL  lr rate^(t/every), with a real exponent
   With last = 0, cosine and linear are get_cosine_schedule_with_warmup and get_linear_... of transformers. */
// clang-format on
typedef struct ag_schedule {
    ag_schedule_kind kind;
    double lr;
    int64_t warmup, total; /* steps; total is 1 or more and includes the warm-up (cosine, linear) */
    double last;           /* share of lr at the end, in [0,1] (cosine, linear) */
    double rate;           /* in (0,1] (exponential) */
    int64_t every;         /* steps, at least 1 (exponential) */
} ag_schedule;

/* Fails with AG_EUSE and a sentence when a field that `kind` uses is out of its range. */
AG_API ag_status ag_schedule_check(const ag_schedule *schedule, ag_failure *why);
AG_API double ag_schedule_at(const ag_schedule *schedule,
                             int64_t step); /* of a checked schedule; NAN for NULL */

/* ---- checkpoints of parameters (files: core/io/io.h) ---- */

/* Saves the parameters under their names, and the caller's own tensors `extra` (sample order,
   statistics of the data...), with the prefix "state." in their names. With resume = 1 it also
   saves both moments ("optimizer.m.<name>", "optimizer.v.<name>") and the step ("optimizer.step",
   int64 scalar). Fails as ag_checkpoint_save. */
AG_API ag_status ag_params_save(const char *path, const ag_params *params, int resume,
                                const ag_checkpoint_item *extra, int n,
                                const ag_checkpoint_pair *metadata, int pairs, ag_failure *why);

/* Loads parameters by name; with resume = 1 the moments and the step as well (else moments and step
   become 0). The file and the block must have the same names and shapes, except for "state."
   tensors and PyTorch's counters (names that end with "num_batches_tracked"). Reads float32 and
   float64. Changes nothing when it fails: AG_EUSE, AG_EDATA (missing or unexpected tensor, type),
   AG_ESHAPE, AG_EFINITE. */
AG_API ag_status ag_params_load(ag_params *params, const ag_checkpoint *checkpoint, int resume,
                                ag_failure *why);

#ifdef __cplusplus
}
#endif

#endif
