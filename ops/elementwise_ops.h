/* SPDX-License-Identifier: MIT */
/* The elementwise ops. Made from ops/elementwise.def by docs/make_prototypes.c (cmake
   --build --preset release --target docs); do not edit.

   Each takes tensors of any shape and returns one of that shape: element i of y is a
   function of element i of the inputs, and p and q are the same for all elements. dy is
   the gradient of y; dx and dz are the gradients of x and z. A value outside of the
   domain of a function is not a failure: it gives what C gives (log of 0 is -inf, of -1
   NaN). NULL, and a tensor of another tape, of an earlier step or of int32 indices,
   fail the tape (AG_EUSE). In these cases, and for a poison input, the result is a
   poison tensor. */
#ifndef AG_ELEMENTWISE_OPS_H
#define AG_ELEMENTWISE_OPS_H

#include "autograd/autograd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* y = -x. x has any shape. dx = -dy. Errors: those above. Source: PyTorch torch.neg. */
AG_API ag_tensor *ag_neg(ag_tensor *x);

/* y = exp(x). x has any shape. dx = dy * y. Errors: those above. Source: PyTorch torch.exp. */
AG_API ag_tensor *ag_exp(ag_tensor *x);

/* y = log(x). x has any shape. dx = dy * (1 / x). Errors: those above. Source: PyTorch
   torch.log. */
AG_API ag_tensor *ag_log(ag_tensor *x);

/* y = sqrt(x). x has any shape. dx = dy * (0.5 / y). Errors: those above. Source: PyTorch
   torch.sqrt. */
AG_API ag_tensor *ag_sqrt(ag_tensor *x);

/* y = x * x. x has any shape. dx = dy * (2 * x). Errors: those above. Source: PyTorch
   torch.square. */
AG_API ag_tensor *ag_square(ag_tensor *x);

/* y = 1 / x. x has any shape. dx = dy * (-(y * y)). Errors: those above. Source: PyTorch
   torch.reciprocal. */
AG_API ag_tensor *ag_reciprocal(ag_tensor *x);

/* y = abs(x). x has any shape. dx = dy * (x > 0 ? 1 : x < 0 ? -1 : 0), which jumps at x = 0.
   Errors: those above. Source: PyTorch torch.abs. */
AG_API ag_tensor *ag_abs(ag_tensor *x);

/* y = tanh(x). x has any shape. dx = dy * (1 - y * y). Errors: those above. Source: PyTorch
   torch.tanh. */
AG_API ag_tensor *ag_tanh(ag_tensor *x);

/* y = sigmoid(x). x has any shape. dx = dy * (y * (1 - y)). Errors: those above. sigmoid(x) = 1 /
   (1 + exp(-x)). Source: PyTorch torch.sigmoid. */
AG_API ag_tensor *ag_sigmoid(ag_tensor *x);

/* y = (x < 0 ? 0 : x). x has any shape. dx = dy * (y > 0 ? 1 : 0), which jumps at x = 0. Errors:
   those above. Source: Nair and Hinton 2010; PyTorch nn.ReLU. */
AG_API ag_tensor *ag_relu(ag_tensor *x);

/* y = (x > 0 ? x : 0) + log1p(exp(-abs(x))). x has any shape. dx = dy * sigmoid(x). Errors: those
   above. This is ln(1 + exp(x)). Source: Dugas et al. 2000; PyTorch nn.Softplus. */
AG_API ag_tensor *ag_softplus(ag_tensor *x);

/* y = x * sigmoid(x). x has any shape. dx = dy * silu_slope(x). Errors: those above. silu_slope(x)
   = s (1 + x (1 - s)) with s = sigmoid(x). Source: Elfwing et al. 2017; PyTorch nn.SiLU. */
AG_API ag_tensor *ag_silu(ag_tensor *x);

/* y = gelu(x). x has any shape. dx = dy * gelu_slope(x). Errors: those above. gelu(x) = x F(x) and
   gelu_slope(x) = F(x) + x exp(-x x / 2) / sqrt(2 pi) with F(x) = (1 + erf(x / sqrt(2))) / 2.
   Source: Hendrycks and Gimpel 2016; PyTorch nn.GELU. */
AG_API ag_tensor *ag_gelu(ag_tensor *x);

/* y = 0.5 * x * (1 + tanh(gelu_inner(x))). x has any shape. dx = dy * gelu_tanh_slope(x). Errors:
   those above. gelu_inner(x) = sqrt(2 / pi) (x + 0.044715 x^3); gelu_tanh_slope is the derivative
   of y. Source: Hendrycks and Gimpel 2016; PyTorch nn.GELU(approximate=tanh). */
AG_API ag_tensor *ag_gelu_tanh(ag_tensor *x);

/* y = p * x. x has any shape. dx = dy * p. Errors: those above. Source: PyTorch torch.mul with a
   number. */
AG_API ag_tensor *ag_scale(ag_tensor *x, ag_real p);

/* y = x + p. x has any shape. dx = dy. Errors: those above. Source: PyTorch torch.add with a
   number. */
AG_API ag_tensor *ag_shift(ag_tensor *x, ag_real p);

/* y = (x > 0 ? x : p * x). x has any shape. dx = dy * (x > 0 ? 1 : p), which jumps at x = 0.
   Errors: those above. Source: Maas et al. 2013; PyTorch nn.LeakyReLU. */
AG_API ag_tensor *ag_leaky_relu(ag_tensor *x, ag_real p);

/* y = (x > 0 ? x : p * (exp(x) - 1)). x has any shape. dx = dy * (x > 0 ? 1 : y + p), which jumps
   at x = 0. Errors: those above. Source: Clevert et al. 2016; PyTorch nn.ELU. */
AG_API ag_tensor *ag_elu(ag_tensor *x, ag_real p);

/* y = (x < p ? p : x > q ? q : x). x has any shape. dx = dy * (x < p ? 0 : x > q ? 0 : 1), which
   jumps at x = p and x = q. Errors: those above. Source: PyTorch torch.clamp. */
AG_API ag_tensor *ag_clamp(ag_tensor *x, ag_real p, ag_real q);

/* y = x + z. x and z have the same shape, which may be any. dx = dy, dz = dy. Errors: those above,
   and AG_ESHAPE where x and z differ in shape. Source: PyTorch torch.add. */
AG_API ag_tensor *ag_add(ag_tensor *x, ag_tensor *z);

/* y = x - z. x and z have the same shape, which may be any. dx = dy, dz = -dy. Errors: those above,
   and AG_ESHAPE where x and z differ in shape. Source: PyTorch torch.sub. */
AG_API ag_tensor *ag_sub(ag_tensor *x, ag_tensor *z);

/* y = x * z. x and z have the same shape, which may be any. dx = dy * z, dz = dy * x. Errors: those
   above, and AG_ESHAPE where x and z differ in shape. Source: PyTorch torch.mul. */
AG_API ag_tensor *ag_mul(ag_tensor *x, ag_tensor *z);

/* y = x / z. x and z have the same shape, which may be any. dx = dy * (1 / z), dz = dy * (-(y /
   z)). Errors: those above, and AG_ESHAPE where x and z differ in shape. Source: PyTorch
   torch.div. */
AG_API ag_tensor *ag_div(ag_tensor *x, ag_tensor *z);

#ifdef __cplusplus
}
#endif

#endif
