/* SPDX-License-Identifier: MIT */
/* Rows of test_null.c: the functions of ops.h and gnn.h, each pointer of which takes its turn at
 * being NULL. */
RESULT(dropout, 1, 0, ag_dropout(MATRIX(0), 0.5f))
RESULT(reshape, 1, 0, ag_reshape(MATRIX(0), AG_SHAPE(24)))
RESULT(squeeze, 1, 0, ag_squeeze(P(0, real(t, AG_SHAPE(4, 1)))))
RESULT(transpose, 1, 0, ag_transpose(MATRIX(0)))
RESULT(concat, 1, 0,
       ag_concat(P(0, ((ag_tensor *[]){real(t, AG_SHAPE(2)), real(t, AG_SHAPE(2))})), 2, 0))
RESULT(concat2, 2, 0, ag_concat2(MATRIX(0), MATRIX(1), 0))
RESULT(slice, 1, 0, ag_slice(MATRIX(0), 1, 0, 2))
RESULT(block_diagonal, 1, 0, ag_block_diagonal(MATRIX(0)))
RESULT(matmul, 2, 0, ag_matmul(MATRIX(0), P(1, real(t, AG_SHAPE(6, 2)))))
RESULT(matmul_t, 2, 0, ag_matmul_t(MATRIX(0), P(1, real(t, AG_SHAPE(2, 6))), 0, 1))
RESULT(linear, 3, 4, ag_linear(MATRIX(0), P(1, real(t, AG_SHAPE(2, 6))), VECTOR(2, 2)))
RESULT(add_bias, 2, 0, ag_add_bias(MATRIX(0), VECTOR(1, 6)))
RESULT(mul_columns, 2, 0, ag_mul_columns(MATRIX(0), VECTOR(1, 6)))
RESULT(mul_rows, 2, 0, ag_mul_rows(MATRIX(0), VECTOR(1, 4)))
RESULT(gather, 2, 0, ag_gather(MATRIX(0), P(1, ag_input_i32(t, each, AG_SHAPE(4)))))
RESULT(scatter_sum, 2, 0,
       ag_scatter_sum(P(0, real(t, AG_SHAPE(4, 2))), P(1, ag_input_i32(t, each, AG_SHAPE(4))), 4))
RESULT(embedding_bag, 2, 0,
       ag_embedding_bag(MATRIX(0), P(1, ag_input_i32(t, two, AG_SHAPE(1, 3))), 0))
RESULT(spread, 3, 0,
       ag_spread(MATRIX(0), P(1, real(t, AG_SHAPE(4, 2, 6))),
                 P(2, ag_input_i32(t, each, AG_SHAPE(4)))))
RESULT(sum_all, 1, 0, ag_sum_all(MATRIX(0)))
RESULT(mean_all, 1, 0, ag_mean_all(MATRIX(0)))
RESULT(sum_rows, 1, 0, ag_sum_rows(MATRIX(0)))
RESULT(mean_rows, 1, 0, ag_mean_rows(MATRIX(0)))
RESULT(max_rows, 1, 0, ag_max_rows(MATRIX(0)))
RESULT(sum_columns, 1, 0, ag_sum_columns(MATRIX(0)))
RESULT(mean_columns, 1, 0, ag_mean_columns(MATRIX(0)))
RESULT(max_columns, 1, 0, ag_max_columns(MATRIX(0)))
RESULT(argmax, 1, 0, ag_argmax(MATRIX(0)))
RESULT(softmax, 1, 0, ag_softmax(MATRIX(0)))
RESULT(log_softmax, 1, 0, ag_log_softmax(MATRIX(0)))
RESULT(segment_sum, 2, 0, ag_segment_sum(MATRIX(0), ENDS(1)))
RESULT(segment_mean, 2, 0, ag_segment_mean(MATRIX(0), ENDS(1)))
RESULT(segment_max, 2, 0, ag_segment_max(MATRIX(0), ENDS(1)))
RESULT(segment_log_sum_exp, 2, 0, ag_segment_log_sum_exp(MATRIX(0), ENDS(1)))
RESULT(segment_max_mean, 2, 0, ag_segment_max_mean(MATRIX(0), ENDS(1)))
RESULT(softmax_middle, 1, 0, ag_softmax_middle(P(0, real(t, AG_SHAPE(2, 3, 2)))))
RESULT(log_softmax_middle, 1, 0, ag_log_softmax_middle(P(0, real(t, AG_SHAPE(2, 3, 2)))))
RESULT(layer_norm, 3, 4, ag_layer_norm(MATRIX(0), VECTOR(1, 6), VECTOR(2, 6), 1))
RESULT(instance_norm, 2, 0, ag_instance_norm(MATRIX(0), ENDS(1), 1))
RESULT(batch_norm, 2, 0, ag_batch_norm(P(0, &f->batch_norm), MATRIX(1), 0.1f, 1))
RESULT(l2_norm, 1, 0, ag_l2_norm(MATRIX(0), 1))
RESULT(cross_attention, 2, 0, ag_cross_attention(P(0, real(t, AG_SHAPE(2, 3, 2))), VECTOR(1, 1)))
RESULT(cross_attention_beside, 2, 0,
       ag_cross_attention_beside(P(0, real(t, AG_SHAPE(2, 3, 2))), VECTOR(1, 1)))
RESULT(channel_attention, 5, 0,
       ag_channel_attention(MATRIX(0), P(1, real(t, AG_SHAPE(2, 6))), VECTOR(2, 2),
                            P(3, real(t, AG_SHAPE(6, 2))), VECTOR(4, 6)))
RESULT(attend, 3, 4,
       ag_attend(P(0, real(t, AG_SHAPE(2, 3, 6))),
                 P(1, (&(ag_attend_weights){real(t, AG_SHAPE(2, 6)), real(t, AG_SHAPE(2)),
                                            real(t, AG_SHAPE(6, 2)), real(t, AG_SHAPE(6)),
                                            real(t, AG_SHAPE(1))})),
                 P(2, real(t, AG_SHAPE(2, 3, 12))), 0))
RESULT(lstm, 5, 16,
       ag_lstm(MATRIX(0), ENDS(1), P(2, real(t, AG_SHAPE(8, 6))), P(3, real(t, AG_SHAPE(8, 2))),
               VECTOR(4, 8)))
RESULT(lstm_states, 5, 16,
       ag_lstm_states(MATRIX(0), ENDS(1), P(2, real(t, AG_SHAPE(8, 6))),
                      P(3, real(t, AG_SHAPE(8, 2))), VECTOR(4, 8), 0))
RESULT(gru, 6, 0,
       ag_gru(MATRIX(0), ENDS(1), P(2, real(t, AG_SHAPE(6, 6))), P(3, real(t, AG_SHAPE(6, 2))),
              VECTOR(4, 6), VECTOR(5, 6)))
RESULT(gru_states, 6, 0,
       ag_gru_states(MATRIX(0), ENDS(1), P(2, real(t, AG_SHAPE(6, 6))),
                     P(3, real(t, AG_SHAPE(6, 2))), VECTOR(4, 6), VECTOR(5, 6), 1))
RESULT(attention, 2, 0, ag_attention(MATRIX(0), ENDS(1), 1, 0))
RESULT(squared_error, 2, 0, ag_squared_error(MATRIX(0), MATRIX(1)))
RESULT(absolute_error, 2, 0, ag_absolute_error(MATRIX(0), MATRIX(1)))
RESULT(log_squared_error, 2, 0, ag_log_squared_error(MATRIX(0), MATRIX(1)))
RESULT(huber, 2, 0, ag_huber(MATRIX(0), MATRIX(1), 1))
RESULT(binary_cross_entropy, 3, 4,
       ag_binary_cross_entropy(MATRIX(0), P(1, ag_sigmoid(real(t, AG_SHAPE(4, 6)))), MATRIX(2)))
RESULT(cross_entropy, 3, 4,
       ag_cross_entropy(MATRIX(0), P(1, ag_input_i32(t, each, AG_SHAPE(4))), VECTOR(2, 6), 0))
RESULT(pairwise_hinge, 2, 0,
       ag_pairwise_hinge(VECTOR(0, 4), P(1, ag_input_i32(t, each, AG_SHAPE(4))), 1, AG_MEAN))
RESULT(pairwise_logistic, 2, 0,
       ag_pairwise_logistic(VECTOR(0, 4), P(1, ag_input_i32(t, each, AG_SHAPE(4))), AG_MEAN))
RESULT(pairwise_hinge_groups, 3, 0,
       ag_pairwise_hinge_groups(VECTOR(0, 4), P(1, ag_input_i32(t, each, AG_SHAPE(4))), ENDS(2), 1,
                                AG_MEAN))
RESULT(pairwise_logistic_groups, 3, 0,
       ag_pairwise_logistic_groups(VECTOR(0, 4), P(1, ag_input_i32(t, each, AG_SHAPE(4))), ENDS(2),
                                   AG_MEAN))
RESULT(lambda_rank, 3, 0, ag_lambda_rank(VECTOR(0, 4), VECTOR(1, 4), ENDS(2), AG_MEAN))
RESULT(listmle, 2, 0, ag_listmle(VECTOR(0, 4), P(1, ag_input_i32(t, each, AG_SHAPE(4)))))
RESULT(spmm, 2, 0, ag_spmm(MATRIX(0), E(1), AG_AGGREGATE_SUM))
RESULT(message_sum, 2, 0, ag_message_sum(FEATURES(0), E(1)))
RESULT(message_aggregate, 2, 0, ag_message_aggregate(FEATURES(0), E(1), AG_AGGREGATE_STD))
RESULT(spmm_weighted, 3, 0, ag_spmm_weighted(MATRIX(0), VECTOR(1, 6), E(2)))
RESULT(sddmm, 3, 0, ag_sddmm(MATRIX(0), MATRIX(1), E(2), 1))
RESULT(edge_add, 3, 0, ag_edge_add(MATRIX(0), MATRIX(1), E(2)))
RESULT(edge_softmax, 2, 0, ag_edge_softmax(P(0, real(t, AG_SHAPE(6, 2))), E(1)))
RESULT(sage, 3, 0, ag_sage(P(0, &f->sage), MATRIX(1), E(2), AG_AGGREGATE_SUM, 0))
RESULT(graph_conv, 3, 0, ag_graph_conv(P(0, &f->sage), MATRIX(1), E(2)))
RESULT(graph_conv_relu, 3, 0, ag_graph_conv_relu(P(0, &f->sage), MATRIX(1), E(2)))
RESULT(graph_conv_weighted, 4, 4,
       ag_graph_conv_weighted(P(0, &f->sage), MATRIX(1), VECTOR(2, 6), E(3)))
RESULT(sage_concat, 4, 8,
       ag_sage_concat(P(0, &f->concat), MATRIX(1), E(2), P(3, &f->edges), AG_AGGREGATE_SUM, 0))
RESULT(gcn_norm, 1, 0, ag_gcn_norm(E(0)))
RESULT(gcn_conv, 4, 4, ag_gcn_conv(P(0, &f->gcn), MATRIX(1), VECTOR(2, 4), E(3)))
RESULT(gcn_conv_weighted, 4, 4, ag_gcn_conv_weighted(P(0, &f->gcn), MATRIX(1), VECTOR(2, 6), E(3)))
RESULT(gat, 4, 0, ag_gat(P(0, &f->gat), MATRIX(1), FEATURES(2), E(3), 1, 0, 0.2f, 0))
RESULT(gat2, 4, 0, ag_gat2(P(0, &f->gat2), MATRIX(1), FEATURES(2), E(3), 1, 0, 0.2f, 0))
RESULT(pna, 2, 0, ag_pna(MATRIX(0), E(1), 1))
RESULT(message_pna, 2, 0, ag_message_pna(FEATURES(0), E(1), 1))
RESULT(encoder, 3, 0, ag_encoder(P(0, &f->encoder), MATRIX(1), E(2), 1, 0))
RESULT(topk, 3, 0, ag_topk(MATRIX(0), VECTOR(1, 6), E(2), 0.5f).x)
RESULT(relu_topk_readout, 3, 0, ag_relu_topk_readout(MATRIX(0), VECTOR(1, 6), E(2), 0.5f).x)
RESULT(sag_pool, 3, 0, ag_sag_pool(MATRIX(0), VECTOR(1, 4), E(2), 0.5f).x)
RESULT(readout_sum, 2, 0, ag_readout_sum(MATRIX(0), E(1)))
RESULT(readout_mean, 2, 0, ag_readout_mean(MATRIX(0), E(1)))
RESULT(readout_max, 2, 0, ag_readout_max(MATRIX(0), E(1)))
RESULT(readout_max_mean, 2, 0, ag_readout_max_mean(MATRIX(0), E(1)))
RESULT(graph_edges, 2, 0, ag_graph_edges(P(0, t), P(1, f->graph)).rows)
RESULT(edge_rows, 2, 0, ag_edge_rows(P(0, real(t, AG_SHAPE(3, 2))), P(1, f->graph)))
RESULT(batch_column, 2, 0, ag_batch_column(P(0, t), P(1, ag_batches_next(f->batches, NULL)), 0))
RESULT(input, 2, 0, ag_input(P(0, t), P(1, values), AG_SHAPE(2)))
RESULT(input_i32, 2, 0, ag_input_i32(P(0, t), P(1, two), AG_SHAPE(2)))
RESULT(parameter, 2, 0, ag_parameter(P(0, t), P(1, f->w)))
RESULT(name, 2, 2, ag_name(VECTOR(0, 2), P(1, "x")))
RESULT(keep, 1, 0, ag_keep(VECTOR(0, 2)))
RESULT(moving_average, 2, 0, ag_moving_average(P(0, f->average), P(1, ag_neg(VECTOR(2, 6))), 1))
