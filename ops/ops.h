/* SPDX-License-Identifier: MIT */
/* ops: dense differentiable ops. Tensors are row-major; there is no implicit broadcasting. "rows"
   are all axes but the last, flattened. An op with inputs that do not fit fails the tape
   (AG_ESHAPE) and returns a poison tensor. In a caller's array, starts (of segments, sequences or
   graphs among n rows) must ascend within 0..n, and an index must be -1 (no row) or the number of a
   row; otherwise the tape fails (AG_EINDEX). Starts and indices that an op has computed are not
   checked: the comment of the op that reads them says what the op does with values out of range.
   docs/ops.md, made from the op table, lists formula, saved tensors and tests of each op. */
#ifndef AG_OPS_H
#define AG_OPS_H

#include "autograd/autograd.h"
#include "ops/elementwise_ops.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- dropout; the elementwise ops are in ops/elementwise_ops.h ---- */

/* y = x / (1 - p) with probability 1 - p, else 0; the identity when the tape is not training.
   Any shape. dx = dy / (1 - p) where kept. Fails unless 0 <= p < 1. The mask depends only on the
   seed, the step, the number of the dropout on the tape and the element (Philox); backward draws it
   again. Source: Srivastava et al. 2014; PyTorch nn.Dropout. */
AG_API ag_tensor *ag_dropout(ag_tensor *x, ag_real p);

/* ---- shape ---- */

/* The values of x in another shape with as many elements; a view. dx = dy in the shape of x. */
AG_API ag_tensor *ag_reshape(ag_tensor *x, ag_shape shape);

/* x without its last axis, which has size 1: [n,1] -> [n], for a score per row. A view. Fails:
   AG_ESHAPE if that axis has another size, and for a scalar. Source: PyTorch x.squeeze(-1). */
AG_API ag_tensor *ag_squeeze(ag_tensor *x);

/* y[j,i] = x[i,j]. x [n,m] -> [m,n]. dx = dy transposed. */
AG_API ag_tensor *ag_transpose(ag_tensor *x);

/* Joins 1 to 8 inputs along an axis (negative: from the back). All other sizes must be equal. dx =
   the slice of dy at the place of x. */
AG_API ag_tensor *ag_concat(ag_tensor *const *x, int n, int axis);
AG_API ag_tensor *ag_concat2(ag_tensor *x0, ag_tensor *x1, int axis);

/* Elements from..from+length-1 along an axis (negative: from the back). dx = dy there, 0 elsewhere.
 */
AG_API ag_tensor *ag_slice(ag_tensor *x, int axis, int from, int length);

/* Row k of y has row k of x in columns k d .. k d + d - 1, and 0 elsewhere. x [h,d] -> [h, h d]. dx
   = dy in these columns. So ag_linear(z, ag_block_diagonal(x), NULL) is the product of part k of
   each row of z with row k of x, for all heads k. Source: PyTorch block_diag of the rows.
 */
AG_API ag_tensor *ag_block_diagonal(ag_tensor *x);

/* ---- products ---- */

/* y = op(a) op(b), where op transposes a if ta is 1, and b if tb is 1. op(a) [n,k], op(b) [k,m] ->
   [n,m]. da = dy op(b)' and db = op(a)' dy, transposed like their inputs. Source: BLAS gemm. */
AG_API ag_tensor *ag_matmul(ag_tensor *a, ag_tensor *b);
AG_API ag_tensor *ag_matmul_t(ag_tensor *a, ag_tensor *b, int ta, int tb);

/* y = x w' + b, row by row; b may be NULL. x [..., in], w [out, in], b [out] -> [..., out].
   dx = dy w, dw = dy' x, db = column sums of dy. Source: PyTorch nn.Linear. */
AG_API ag_tensor *ag_linear(ag_tensor *x, ag_tensor *w, ag_tensor *b);

/* y[r,f] = x[r,f] + b[f]; b [f]. dx = dy, db = column sums of dy. */
AG_API ag_tensor *ag_add_bias(ag_tensor *x, ag_tensor *b);

/* y[r,f] = x[r,f] s[f]; s [f]. dx = dy s, ds[f] = sum over r of dy x. */
AG_API ag_tensor *ag_mul_columns(ag_tensor *x, ag_tensor *s);

/* y[r,f] = x[r,f] s[r]; s has as many elements as x has rows. dx = dy s, ds[r] = sum over f of dy
 * x. */
AG_API ag_tensor *ag_mul_rows(ag_tensor *x, ag_tensor *s);

/* ---- gather and scatter ---- */

/* Indices are int32. In ag_gather and ag_scatter_sum, a caller's array with an index out of range
   fails the tape, unless that index is -1; ag_embedding_bag and ag_spread do not check. In all
   other cases an index out of range reads zeros and contributes nothing. */

/* y[i,:] = x[index[i],:]. x [n, ...], index [m] -> [m, ...]. dx = sums of rows of dy in order of i.
   An embedding is ag_gather(table, index). */
AG_API ag_tensor *ag_gather(ag_tensor *x, ag_tensor *index);

/* y[index[i],:] += x[i,:] in order of i, from zero. x [m, ...], index [m] -> [n, ...]. dx[i,:] =
   dy[index[i],:]. Fails when n is negative. */
AG_API ag_tensor *ag_scatter_sum(ag_tensor *x, ag_tensor *index, int n);

/* y[i,:] = sum over k of table[k * stride + index[i,k],:]; with stride 0 all k share one table.
   Negative indices, and indices beyond the table, contribute nothing. table [n,f], index [m,k] ->
   [m,f]. dtable = sums of rows of dy in order of i. */
AG_API ag_tensor *ag_embedding_bag(ag_tensor *table, ag_tensor *index, int stride);

/* y[v,c,:] = base[v,:] + part[where[v],c,:]; where[v] < 0: nothing is added. base [n,f], part
   [m,c,f], `where` [n] -> [n,c,f]; `where` must name each row of part at most once. dbase[v,:] =
   sum over c of dy[v,c,:], dpart[where[v],c,:] = dy[v,c,:]. */
AG_API ag_tensor *ag_spread(ag_tensor *base, ag_tensor *part, ag_tensor *where);

/* ---- reductions ---- */

/* Reductions over all elements, over the rows (one value per column) or over the columns (one value
   per row). A maximum of no elements is 0; a NaN is larger than all numbers. */
AG_API ag_tensor *ag_sum_all(ag_tensor *x);   /* -> [] */
AG_API ag_tensor *ag_mean_all(ag_tensor *x);  /* -> [] */
AG_API ag_tensor *ag_sum_rows(ag_tensor *x);  /* [n, ...] -> [...]: y = sum over the first axis */
AG_API ag_tensor *ag_mean_rows(ag_tensor *x); /* [n, ...] -> [...]; 0 for n = 0 */
AG_API ag_tensor *
ag_max_rows(ag_tensor *x); /* [n, ...] -> [...]; the gradient goes to the first largest */
AG_API ag_tensor *ag_sum_columns(ag_tensor *x);  /* [..., f] -> [...]: y = sum over the last axis */
AG_API ag_tensor *ag_mean_columns(ag_tensor *x); /* [..., f] -> [...]; 0 for f = 0 */
AG_API ag_tensor *
ag_max_columns(ag_tensor *x); /* [..., f] -> [...]; the gradient goes to the first largest */

/* The column of the first largest value of each row: [..., f] -> int32 [...], which ag_values_i32
   reads. If f = 0, it is -1; a NaN is larger than all numbers. No gradient. Source: PyTorch
   argmax. */
AG_API ag_tensor *ag_argmax(ag_tensor *x);

/* Segments: rows starts[g]..starts[g+1]-1 of x [n, ...] belong to segment g; starts int32 [s+1]
   ascending -> [s, ...]. An empty segment gives 0, and a row outside of all segments has gradient
   0. The gradient of max goes to the first largest row. A start outside 0..n counts as the nearer
   end. */
AG_API ag_tensor *ag_segment_sum(ag_tensor *x, ag_tensor *starts);
AG_API ag_tensor *ag_segment_mean(ag_tensor *x, ag_tensor *starts);
AG_API ag_tensor *ag_segment_max(ag_tensor *x, ag_tensor *starts);

/* y = ln of the sum of e^x over the rows of each segment, by column, without overflow for large x.
   dx = dy e^(x - y), with dy and y of the row's segment. An empty segment gives 0 here, too, not
   -infinity, so that results stay finite. Source: PyTorch logsumexp. */
AG_API ag_tensor *ag_segment_log_sum_exp(ag_tensor *x, ag_tensor *starts);

/* ---- softmax and norms ---- */

/* Softmax over the last axis, and its logarithm. ag_softmax: dx = y (dy - <y, dy>). ag_log_softmax:
   dx = dy - e^y sum dy. */
AG_API ag_tensor *ag_softmax(ag_tensor *x);
AG_API ag_tensor *ag_log_softmax(ag_tensor *x);

/* y = (x - mean) / sqrt(var + epsilon) gamma + beta over the last axis; gamma and beta [f]; beta
   may be NULL. The variance is biased. Source: Ba et al. 2016; PyTorch nn.LayerNorm. */
AG_API ag_tensor *ag_layer_norm(ag_tensor *x, ag_tensor *gamma, ag_tensor *beta, ag_real epsilon);

/* y = (x - mean) / sqrt(var + epsilon) down the first axis, for every column and graph: the rows of
   graph g are starts[g]..starts[g+1]-1, starts int32 [graphs+1]. x [n, ...]. The variance is
   biased, and there are no parameters. The first start counts as 0, the last as n, and one outside
   0..n as the nearer end. Fails unless epsilon >= 0. Source: PyTorch nn.InstanceNorm1d without
   affine. */
AG_API ag_tensor *ag_instance_norm(ag_tensor *x, ag_tensor *starts, ag_real epsilon);

/* Parameters of one layer of f columns: gamma and beta [f] (both NULL: 1 and 0), the running mean
   and the running variance [f], which start as 0 and 1 and have no weight decay. */
typedef struct ag_batch_norm_weights {
    ag_param *gamma, *beta, *mean, *variance;
} ag_batch_norm_weights;

/* y = (x - mean) / sqrt(var + epsilon) gamma + beta for each of the f columns of x [...,f]; all
   earlier axes are rows. In training it uses the mean and biased variance of the rows,
   and ag_moving_average updates the running mean and (unbiased) variance with the rate `momentum`;
   otherwise it uses the running mean and variance, which get no gradient. With h = (x - mean) s, s
   = 1 / sqrt(var + epsilon): dgamma = sum of dy h, dbeta = sum of dy, dx = gamma s (dy - mean of dy
   - h mean of dy h), or gamma s dy with the running statistics. Without rows nothing is updated.
   Fails unless epsilon > 0, and in training also for a single row, which has no variance. Source:
   Ioffe and Szegedy 2015; PyTorch nn.BatchNorm1d (momentum 0.1, epsilon 1e-5) over all rows. */
AG_API ag_tensor *ag_batch_norm(const ag_batch_norm_weights *weights, ag_tensor *x,
                                ag_real momentum, ag_real epsilon);

/* y = x / max(|x|_2, epsilon) over the last axis. dx = (dy - y <y, dy>) / |x|, or dy / epsilon
   where |x| < epsilon. Fails unless epsilon > 0. Source: PyTorch F.normalize. */
AG_API ag_tensor *ag_l2_norm(ag_tensor *x, ag_real epsilon);

/* y = x softmax(x / t) over the middle axis of x [n,c,f] (the configurations); t [1], the
   temperature. dx = dy s + s (g - sum s g) / t with s the softmax and g = dy x; dt = -sum over all
   of s (g - sum s g) x / t^2. Source: TGraph (Khizbullin et al. 2024) eq. 6. */
AG_API ag_tensor *ag_cross_attention(ag_tensor *x, ag_tensor *t);

/* y = x sigmoid(relu(x w1' + b1) w2' + b2), row by row: channel attention by squeeze and
   excitation. x [..., f], w1 [r,f], b1 [r], w2 [f,r], b2 [f] -> [..., f]. With g the gate: dx = dy
   g plus the gradient through the two products. Replaces ag_mul(x,
   ag_sigmoid(ag_linear(ag_relu(ag_linear(x, w1, b1)), w2, b2))). Source: Hu et al. 2018; TGraph eq.
   5. */
AG_API ag_tensor *ag_channel_attention(ag_tensor *x, ag_tensor *w1, ag_tensor *b1, ag_tensor *w2,
                                       ag_tensor *b2);

/* The parameters of ag_attend: channel attention's weights w1 [k,f], b1 [k], w2 [f,k], b2 [f], and
   cross attention's temperature t [1]. */
typedef struct ag_attend_weights {
    ag_tensor *w1, *b1, *w2, *b2, *t;
} ag_attend_weights;

/* y = dropout(gelu(r + [v, v softmax(v / t)])), with the softmax over the configurations and v =
   ag_channel_attention(x, w1, b1, w2, b2): all that a layer of TGraph does after its matrix
   product. x [n,c,f], r [n,c,2f] or NULL -> [n,c,2f]; p as in ag_dropout, and the same elements are
   dropped. Gradients: those of the parts, in one pass; for them the tape keeps x, r and c k + 2 f
   numbers per node. Replaces ag_dropout(ag_gelu(ag_add(r, ag_concat2(v, ag_cross_attention(v, t),
   -1))), p). Source: TGraph (Khizbullin et al. 2024) eq. 3 to 6. */
AG_API ag_tensor *ag_attend(ag_tensor *x, const ag_attend_weights *w, ag_tensor *r, ag_real p);

/* The last state of an LSTM over the rows of each sequence, in order: rows starts[s]..starts[s+1]-1
   of x [n,in] are sequence s; starts int32 [sequences+1] ascending -> [sequences,h]. w_input
   [4h,in] and w_state [4h,h] hold the rows of the gates i, f, g, o; bias [4h] or NULL. State and
   cell begin as 0. With a = x w_input' + state w_state' + bias: i, f, o = sigmoid(a) and g =
   tanh(a), each from its quarter of a; cell = f cell + i g, then state = o tanh(cell). Gradients:
   back through all rows. A sequence without rows gives 0, and a row outside of all sequences has
   gradient 0. A start outside 0..n counts as the nearer end, and a start below the previous start
   as equal to it. Source: Hochreiter and Schmidhuber 1997; PyTorch nn.LSTM (one layer, the sum of
   its two biases) on packed sequences. */
AG_API ag_tensor *ag_lstm(ag_tensor *x, ag_tensor *starts, ag_tensor *w_input, ag_tensor *w_state,
                          ag_tensor *bias);

/* As ag_lstm, but returns the state after every row, in the order of the rows -> [n,h]; a row
   outside of all sequences gives 0. If backwards is not 0, each sequence runs from its last row to
   its first, like the second direction of PyTorch's bidirectional nn.LSTM: the state of row
   starts[s] is then the last one. ag_concat2 of two calls gives both directions. */
AG_API ag_tensor *ag_lstm_states(ag_tensor *x, ag_tensor *starts, ag_tensor *w_input,
                                 ag_tensor *w_state, ag_tensor *bias, int backwards);

/* The last state of a GRU over the rows of each sequence; x, starts and results are as in ag_lstm.
   w_input [3h,in], w_state [3h,h], b_input and b_state [3h] (or both NULL) hold the rows of the
   gates r, z, n. The state begins as 0. With p = x w_input' + b_input and q = state w_state' +
   b_state: r, z = sigmoid(p + q) and n = tanh(p + r q), each from its third of p and q, state = (1
   - z) n + z state. Gradients: back through all rows. Fails when only one bias is NULL. Source: Cho
   et al. 2014; PyTorch nn.GRU (one layer) on packed sequences. */
AG_API ag_tensor *ag_gru(ag_tensor *x, ag_tensor *starts, ag_tensor *w_input, ag_tensor *w_state,
                         ag_tensor *b_input, ag_tensor *b_state);

/* As ag_gru, but returns the state after every row, in either direction, as ag_lstm_states does. */
AG_API ag_tensor *ag_gru_states(ag_tensor *x, ag_tensor *starts, ag_tensor *w_input,
                                ag_tensor *w_state, ag_tensor *b_input, ag_tensor *b_state,
                                int backwards);

/* Attention within graphs: y[v,h,:] = sum over u of p[u] value[u,h,:], p = softmax over u of
   <query[v,h,:], key[u,h,:]> / sqrt(d), where u and v are rows of one graph. qkv [n, 3 heads d] is
   query, key and value, concatenated, as one product makes them (PyTorch's in_proj_weight); the
   rows of graph g are starts[g]..starts[g+1]-1, starts int32 [graphs+1] -> [n, heads d]. With P the
   weights: dvalue = P' dy, dS = P (dP - sum P dP) with dP = dy value', dquery = dS key / sqrt(d),
   dkey = dS' query / sqrt(d). It pads nothing, and for backward it keeps a number for each row and
   head, not the weights. In training ag_dropout applies to the weights after the softmax, with the
   same mask in dP and P'. The first start counts as 0, the last as n, and one outside 0..n as the
   nearer end. Fails unless the features split into 3 parts of `heads` heads and dropout is at least
   0 and at most 1 - 2^-16. Source: Vaswani et al. 2017; PyTorch F.scaled_dot_product_attention with
   a mask that keeps graphs apart. */
AG_API ag_tensor *ag_attention(ag_tensor *qkv, ag_tensor *starts, int heads, ag_real dropout);

/* ---- losses -> [] ---- */

/* The mean over all elements, 0 when there are none. y and target have the same shape; gradients
   flow to both. */
AG_API ag_tensor *ag_squared_error(ag_tensor *y, ag_tensor *target);  /* (y - t)^2 */
AG_API ag_tensor *ag_absolute_error(ag_tensor *y, ag_tensor *target); /* |y - t| */

/* e = y - t: e^2 / 2 where |e| <= delta, else delta (|e| - delta / 2). Fails unless delta > 0.
   Source: Huber 1964; PyTorch nn.HuberLoss. */
AG_API ag_tensor *ag_huber(ag_tensor *y, ag_tensor *target, ag_real delta);

/* Binary cross-entropy of logits x: the sum of weight (max(0, x) - x t + ln(1 + e^-|x|)), divided
   by the number n of elements. The target t must be from 0 to 1; a caller's array with another
   target fails the tape with AG_EINDEX. weight has the shape of x; NULL: all weights are 1. dx =
   weight (sigmoid(x) - t) / n, dtarget = -weight x / n; no gradient flows to weight. Source:
   PyTorch F.binary_cross_entropy_with_logits. */
AG_API ag_tensor *ag_binary_cross_entropy(ag_tensor *x, ag_tensor *target, ag_tensor *weight);

/* Softmax cross-entropy: the mean over the rows of -ln softmax(x)[label], without overflow for
   large logits x [n,classes]; label int32 [n], where -1 leaves the row out. A row counts
   weight[label] times (weight [classes]; NULL: all weights are 1), and the mean divides by the sum
   of these weights; if that sum is 0, the loss is 0. With smoothing s, a row has the target t[c] =
   (1 - s) weight[label] at its label, plus s weight[c] / classes at all c, and its loss is -sum t
   ln softmax(x). dx = (softmax(x) sum t - t) / (the sum of the weights), 0 in rows that are left
   out; no gradient flows to weight. Fails unless 0 <= s <= 1. A label below -1 or above classes - 1
   fails the tape with AG_EINDEX if it is in a caller's array; if an op made the labels, such a
   label leaves its row out. Source: PyTorch F.cross_entropy with ignore_index=-1 (it returns NaN if
   no row counts); Szegedy et al. 2016 (smoothing). */
AG_API ag_tensor *ag_cross_entropy(ag_tensor *x, ag_tensor *label, ag_tensor *weight,
                                   ag_real smoothing);

/* How a ranking loss adds its pairs: AG_MEAN divides the sum by n * n, the size of the matrix of
   pairs, as pytorchltr does with mean; AG_SUM does not divide it. */
typedef enum ag_reduction { AG_MEAN, AG_SUM } ag_reduction;

/* Losses over the pairs with rank[i] > rank[j] (i is the slower one): hinge max(0, margin - (s_i -
   s_j)), logistic ln(1 + e^-(s_i - s_j)). scores [n]; rank int32 [n], dense ranks of the exact run
   times (equal ranks make no pair). Each takes n * n steps. Source: Joachims 2002; TGraph eq. 8;
   Kaufman et al. eq. 1. */
AG_API ag_tensor *ag_pairwise_hinge(ag_tensor *scores, ag_tensor *rank, ag_real margin,
                                    ag_reduction reduction);
AG_API ag_tensor *ag_pairwise_logistic(ag_tensor *scores, ag_tensor *rank, ag_reduction reduction);

/* The same over the pairs within each group. Group g has the items starts[g]..starts[g+1]-1; starts
   int32 [groups+1] ascending. AG_MEAN: the mean over the groups of each group's loss; AG_SUM: the
   sum over all pairs. Items outside of all groups are ignored. */
AG_API ag_tensor *ag_pairwise_hinge_groups(ag_tensor *scores, ag_tensor *rank, ag_tensor *starts,
                                           ag_real margin, ag_reduction reduction);
AG_API ag_tensor *ag_pairwise_logistic_groups(ag_tensor *scores, ag_tensor *rank, ag_tensor *starts,
                                              ag_reduction reduction);

/* LambdaRank with the weights of NDCG: the sum of |D_i - D_j| |G_i - G_j| log2(1 + e^-(s_i - s_j))
   over the pairs of a group with label[i] > label[j]. D = 1 / log2(1 + place), where places count
   from 1 at the largest score, with equal scores in order of index. G = (2^label - 1) / the sum of
   (2^label - 1) D in the best order. scores [n]; labels [n] are real and 0 or more; starts int32
   [groups+1]. A larger label is better (such as a throughput), so the best item gets the highest
   score, unlike in the losses above. AG_MEAN: the mean over the groups; AG_SUM: the sum. A group in
   which all labels are equal gives 0. ds = the slopes of the logistic terms; places count as
   constants, and labels have no gradient. It takes n_g * n_g steps per group. Source: Burges et al.
   2006; Wang et al. 2018 (its lambdaRank scheme), as TenSet uses it, but without TenSet's bounds on
   small probabilities. */
AG_API ag_tensor *ag_lambda_rank(ag_tensor *scores, ag_tensor *labels, ag_tensor *starts,
                                 ag_reduction reduction);

/* ListMLE: -sum over positions k of ln( e^-s_(k) / sum over l >= k of e^-s_(l) ), with the items in
   order of ascending rank (the fastest first; a low score means fast) and ties in order of index.
   It takes n * n steps. ds_j = 1 - sum, over the positions k up to that of j, of e^-s_j / (sum over
   l >= k of e^-s_(l)). Source: Xia et al. 2008. */
AG_API ag_tensor *ag_listmle(ag_tensor *scores, ag_tensor *rank);

#ifdef __cplusplus
}
#endif

#endif
