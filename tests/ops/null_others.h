/* SPDX-License-Identifier: MIT */
/* Rows of test_null.c: the functions of core.h, io.h, autograd.h, optim.h and metrics.h, and those
 * of gnn.h without a tape. */
/* Functions that return a status or fill a failure. The last pointer is `why`, which may be
   NULL. */
STATUS(sort_u64, 3, 6, ag_sort_u64(P(0, f->keys), P(1, f->items), 3, P(2, &f->why)))
STATUS(split, 4, 14, ag_split(P(0, f->items), P(1, each), 3, P(2, half), 2, 1, P(3, &f->why)))
STATUS(save_file, 4, 12, ag_save_file(P(0, f->other), P(1, write_nothing), P(2, f), P(3, &f->why)))
STATUS(npz_check, 3, 4, ag_npz_check(P(0, f->npz), P(1, "x"), P(2, &f->why)))
STATUS(npz_read, 4, 8, ag_npz_read(P(0, f->npz), P(1, "x"), AG_F32, P(2, f->out), P(3, &f->why)))
STATUS(rows_next, 3, 4, ag_rows_next(P(0, f->rows), 1, AG_F32, P(1, f->out), P(2, &f->why)))
STATUS(npz_add, 5, 16,
       ag_npz_add(P(0, f->writer), P(1, "y"), AG_F32, 1, P(2, &one), P(3, values), P(4, &f->why)))
STATUS(npz_level, 2, 2, ag_npz_level(P(0, f->writer), 1, P(1, &f->why)))
STATUS(npz_write, 3, 4, ag_npz_write(P(0, f->writer), P(1, nowhere()), P(2, &f->why)))
STATUS(npz_finish, 2, 2,
       ag_npz_finish(P(0, null == 0 ? NULL : ag_npz_create(f->other, NULL)), P(1, &f->why)))
STATUS(params_build, 1, 0, ag_params_build(P(0, f->unbuilt), 1))
STATUS(params_to, 2, 2, ag_params_to(P(0, f->params), AG_CPU, P(1, &f->why)))
STATUS(params_fetch, 2, 2, ag_params_fetch(P(0, f->params), P(1, &f->why)))
STATUS(adamw_step, 3, 4, ag_adamw_step(P(0, f->params), P(1, &f->adamw), 0.1, P(2, &f->why)))
STATUS(adam_step, 3, 4, ag_adam_step(P(0, f->params), P(1, &f->adam), 0.1, P(2, &f->why)))
STATUS(sgd_step, 3, 4, ag_sgd_step(P(0, f->params), P(1, &f->sgd), 0.1, P(2, &f->why)))
STATUS(minimize, 4, 12,
       ag_minimize(P(0, ag_sum_all(ag_parameter(t, f->w))),
                   P(1, (ag_params_reset(f->params), f->params)), P(2, &f->adamw), 0.1,
                   P(3, &f->why)))
STATUS(clip_norm, 3, 6, ag_clip_norm(P(0, f->params), 1, P(1, &f->norm), P(2, &f->why)))
STATUS(params_norm, 3, 6,
       ag_params_norm(P(0, (ag_clip_norm(f->params, 1, NULL, NULL), f->params)), P(1, &f->norm),
                      P(2, &f->why)))
STATUS(shards_add, 2, 2, ag_shards_add(P(0, f->shards), P(1, &f->why)))
STATUS(shards_mean, 2, 2,
       ag_shards_mean(P(0, (ag_shards_add(f->shards, NULL), f->shards)), P(1, &f->why)))
STATUS(schedule_check, 2, 2, ag_schedule_check(P(0, &f->schedule), P(1, &f->why)))
STATUS(checkpoint_save, 4, 8,
       ag_checkpoint_save(P(0, f->other), P(1, &f->item), 1, P(2, &f->pair), 1, P(3, &f->why)))
STATUS(checkpoint_read, 4, 8,
       ag_checkpoint_read(P(0, f->checkpoint), P(1, "w"), AG_F32, AG_SHAPE(2, 6), P(2, f->out),
                          P(3, &f->why)))
STATUS(params_save, 5, 16,
       ag_params_save(P(0, f->other), P(1, f->params), 1, P(2, &f->item), 1, P(3, &f->pair), 1,
                      P(4, &f->why)))
STATUS(params_load, 3, 4, ag_params_load(P(0, f->params), P(1, f->checkpoint), 0, P(2, &f->why)))
STATUS(pairs_count, 4, 8,
       ag_pairs_count(P(0, &f->pairs), P(1, doubles), P(2, doubles), 3, P(3, &f->why)))
STATUS(pairwise, 4, 8,
       ag_pairwise(P(0, &f->norm), P(1, doubles), P(2, doubles), 3, 0.1, P(3, &f->why)))
STATUS(order, 3, 4, ag_order(P(0, f->order), P(1, doubles), 3, P(2, &f->why)))
STATUS(places, 3, 4, ag_places(P(0, f->places), P(1, doubles), 3, P(2, &f->why)))
STATUS(choose, 4, 8, ag_choose(P(0, &f->choice), P(1, doubles), P(2, doubles), 3, 1, P(3, &f->why)))
OBJECT(npz_open, 2, 2, ag_npz_close, ag_npz_open(P(0, f->path), 1000, P(1, &f->why)))
OBJECT(npz_open_bytes, 3, 4, ag_npz_close,
       ag_npz_open_bytes(P(0, no_members), sizeof no_members, P(1, "x"), 1000, P(2, &f->why)))
OBJECT(rows_open, 3, 4, ag_rows_close, ag_rows_open(P(0, f->npz), P(1, "x"), P(2, &f->why)))
OBJECT(npz_create, 2, 2, ag_npz_cancel, ag_npz_create(P(0, f->other), P(1, &f->why)))
OBJECT(npz_load, 4, 8, ag_free,
       ag_npz_load(P(0, f->path), P(1, "x"), AG_F32, P(2, &f->shape), P(3, &f->why)))
OBJECT(shards_new, 3, 6, ag_shards_free,
       ag_shards_new(P(0, f->params), 2, P(1, &f->ranks), P(2, &f->why)))
OBJECT(csv_load, 2, 2, ag_csv_free, ag_csv_load(P(0, f->table), P(1, &f->why)))
OBJECT(batches_new, 3, 6, ag_batches_free,
       ag_batches_new(P(0, &f->samples), P(1, each), 2, 2, 1, 1, P(2, &f->why)))
OBJECT(graph_build, 3, 4, ag_graph_free,
       ag_graph_build(4, P(0, each), P(1, each), 3, AG_ALONG, P(2, &f->why)))
OBJECT(graph_batch, 2, 2, ag_graph_free, ag_graph_batch(P(0, f->graphs), 1, P(1, &f->why)))
OBJECT(graph_cap, 2, 2, ag_graph_free, ag_graph_cap(P(0, f->graph), 1, P(1, &f->why)))
OBJECT(graph_loops, 2, 2, ag_graph_free, ag_graph_loops(P(0, f->graph), P(1, &f->why)))
OBJECT(checkpoint_open, 2, 2, ag_checkpoint_close,
       ag_checkpoint_open(P(0, f->saved), P(1, &f->why)))

/* Functions without one: they return a neutral number, NULL, or nothing at all. */
QUIET(fail, 2, assert_int_equal(ag_fail(P(0, &f->why), AG_EDATA, P(1, "%d"), 1), AG_EDATA))
QUIET(printable, 2, assert_int_equal(ag_printable(P(0, f->text), 64, P(1, "x")) == NULL, null == 0))
QUIET(report, 1, assert_int_equal(ag_report(P(0, &(const ag_failure){0})), 0))
QUIET(shape_text, 1, assert_non_null(ag_shape_text(P(0, f->text), AG_SCALAR)))
QUIET(grow, 1, ag_free(ag_grow(P(0, ag_alloc(8)), 8)))
QUIET(free, 1, ag_free(P(0, ag_alloc(8))))
QUIET(arena_take, 1, ag_arena_take(P(0, f->arena), 8))
QUIET(arena_reset, 1, ag_arena_reset(P(0, f->arena)))
QUIET(arena_bytes, 1, ag_arena_bytes(P(0, f->arena)))
QUIET(arena_intact, 1, assert_int_equal(ag_arena_intact(P(0, f->arena)), null != 0))
QUIET(arena_free, 1, ag_arena_free(P(0, ag_arena_new())))
QUIET(philox, 3, ag_philox(P(0, f->words), P(1, f->words), P(2, f->words)))
QUIET(random_bits, 1, ag_random_bits(P(0, &f->random)))
QUIET(random_uniform, 1, assert_int_equal(isnan(ag_random_uniform(P(0, &f->random))), null == 0))
QUIET(random_normal, 1, assert_int_equal(isnan(ag_random_normal(P(0, &f->random))), null == 0))
QUIET(random_below, 1, assert_in_range(ag_random_below(P(0, &f->random), 7), 0, 6))
QUIET(random_shuffle, 2, ag_random_shuffle(P(0, &f->random), P(1, f->items), 3))
QUIET(sample_softmax, 2,
      assert_int_equal(ag_sample_softmax(P(0, values), 1, 1, P(1, &f->random)), null < 0 ? 0 : -1))
QUIET(part, 2, assert_int_equal(ag_part(P(0, f->items), P(1, each), 3, 1, 0), null < 0))
QUIET(csv_column, 2, assert_int_equal(ag_csv_column(P(0, f->csv), P(1, "a")), null < 0 ? 0 : -1))
QUIET(csv_free, 1, ag_csv_free(P(0, null == 0 ? NULL : ag_csv_load(f->table, NULL))))
QUIET(parallel, 2, ag_parallel(2, P(0, no_work), P(1, f)))
QUIET(device_open, 1, ag_device_open(P(0, &f->why)))
QUIET(device_describe, 1, ag_device_describe(P(0, &f->about)))
QUIET(remove_leftovers, 1, ag_remove_leftovers(-1, P(0, "x")))
QUIET(switch, 1, assert_int_equal(ag_switch(P(0, "AUGUR_NOTHING"), 1), 1))
QUIET(path_tail, 1, assert_non_null(ag_path_tail(P(0, "x"))))
QUIET(json_too_deep, 1, assert_null(ag_json_too_deep(P(0, "["), 1)))
QUIET(file_mistaken, 1, assert_null(ag_file_mistaken(P(0, "/"))))
QUIET(npz_close, 1, ag_npz_close(P(0, null == 0 ? NULL : ag_npz_open(f->path, 1000, NULL))))
QUIET(npz_count, 1, assert_int_equal(ag_npz_count(P(0, f->npz)), null != 0))
QUIET(npz_info, 1, assert_int_equal(ag_npz_info(P(0, f->npz), 0) == NULL, null == 0))
QUIET(npz_find, 2, assert_int_equal(ag_npz_find(P(0, f->npz), P(1, "x")) == NULL, null >= 0))
QUIET(rows_close, 1, ag_rows_close(P(0, null == 0 ? NULL : ag_rows_open(f->npz, "x", NULL))))
QUIET(npz_cancel, 1, ag_npz_cancel(P(0, null == 0 ? NULL : ag_npz_create(f->other, NULL))))
QUIET(tape_free, 1, ag_tape_free(P(0, null == 0 ? NULL : ag_tape_new(AG_CPU))))
QUIET(tape_reset, 1, ag_tape_reset(P(0, t)))
QUIET(tape_seed, 1, ag_tape_seed(P(0, t), 1, 2))
QUIET(tape_training, 1, ag_tape_training(P(0, t), 1))
QUIET(tape_begin, 1, ag_tape_begin(P(0, t), 1))
QUIET(is_training, 1, assert_int_equal(ag_is_training(P(0, t)), null != 0))
QUIET(tape_device, 1, assert_int_equal(ag_tape_device(P(0, t)), AG_CPU))
QUIET(tape_precision, 1, ag_tape_precision(P(0, t), AG_FP32))
QUIET(check_finite, 1, ag_check_finite(P(0, t), 0))
QUIET(forward, 1, ag_forward(REAL(0, 2)))
QUIET(backward, 1, ag_backward(P(0, ag_sum_all(real(t, AG_SHAPE(2))))))
QUIET(failed, 1, assert_int_equal(ag_failed(P(0, t)), null == 0))
QUIET(error, 1, assert_non_null(ag_error(P(0, t))))
QUIET(tape_status, 1, ag_tape_status(P(0, t)))
QUIET(tape_fail, 2, ag_tape_fail(P(0, t), AG_EDATA, P(1, "%d"), 1))
QUIET(tape_of, 1, assert_int_equal(ag_tape_of(REAL(0, 2)) == NULL, null == 0))
QUIET(shape_of, 1, assert_int_equal(ag_shape_of(REAL(0, 2)).rank, null != 0))
QUIET(size, 1, assert_int_equal(ag_size(REAL(0, 2), 0), null == 0 ? 1 : 2))
QUIET(values, 1, ag_values(REAL(0, 2)))
QUIET(values_i32, 1, ag_values_i32(REAL(0, 2)))
QUIET(compute, 2,
      assert_int_equal(ag_compute(P(0, ag_exp(real(t, AG_SHAPE(2)))), P(1, &f->why)) == NULL,
                       null == 0))
QUIET(item, 1, assert_true(isnan(ag_item(REAL(0, 2)))))
QUIET(plan_print, 2, ag_plan_print(P(0, ag_exp(real(t, AG_SHAPE(2)))), 0, P(1, f->file)))
QUIET(plan_of, 1,
      assert_int_equal(ag_plan_of(P(0, ag_exp(real(t, AG_SHAPE(2)))), 0).nodes, null != 0))
QUIET(profile, 1, ag_profile(P(0, t), 1))
QUIET(profile_print, 2, (ag_profile(t, 1), ag_profile_print(P(0, t), P(1, f->file))))
QUIET(tape_dot, 2, ag_tape_dot(P(0, t), P(1, f->file)))
QUIET(print, 2, ag_print(REAL(0, 2), P(1, f->file)))
QUIET(gradcheck, 5,
      assert_int_equal(isinf(ag_gradcheck(P(0, loss), P(1, f), P(2, f->params), P(3, &f->options),
                                          P(4, f->where))) != 0,
                       null == 0 || null == 2 || null == 4))
QUIET(graph_free, 1, ag_graph_free(P(0, null == 0 ? NULL : ag_graph_loops(f->graph, NULL))))
QUIET(graph_dot, 4, ag_graph_dot(P(0, f->graph), P(1, label), P(2, f), P(3, f->file)))
QUIET(batches_free, 1,
      ag_batches_free(P(0, null == 0 ? NULL : ag_batches_new(&f->samples, NULL, 2, 1, 0, 1, NULL))))
QUIET(batches_begin, 1, ag_batches_begin(P(0, f->batches), 1))
QUIET(batches_next, 2,
      assert_int_equal(ag_batches_next(P(0, f->batches), P(1, &f->why)) == NULL, null == 0))
QUIET(params_free, 1, ag_params_free(P(0, ag_params_new())))
QUIET(params_add, 2,
      assert_non_null(ag_params_add(P(0, f->unbuilt), P(1, "z"), AG_SHAPE(1), ag_init_constant(0),
                                    1)))
QUIET(param_init, 1, ag_param_init(P(0, f->w), ag_init_constant(0)))
QUIET(params_init, 2,
      ag_params_init(P(0, f->unbuilt), P(1, "x"), ag_init_constant(0), ag_init_constant(0)))
QUIET(params_find, 2,
      assert_int_equal(ag_params_find(P(0, f->params), P(1, "w")) == NULL, null >= 0))
QUIET(params_count, 1, assert_int_equal(ag_params_count(P(0, f->params)) == 0, null == 0))
QUIET(params_print, 2, ag_params_print(P(0, f->params), P(1, f->file)))
QUIET(params_reset, 1, ag_params_reset(P(0, f->unbuilt)))
QUIET(shards_free, 1, ag_shards_free(P(0, ag_shards_new(f->params, 2, NULL, NULL))))
QUIET(shards_part, 3, ag_shards_part(P(0, &f->first), P(1, &f->end), P(2, f->shards)))
QUIET(shards_reset, 1, ag_shards_reset(P(0, f->shards)))
QUIET(schedule_at, 1,
      assert_int_equal(isnan(ag_schedule_at(P(0, &f->schedule), 1)) != 0, null == 0))
QUIET(checkpoint_close, 1,
      ag_checkpoint_close(P(0, null == 0 ? NULL : ag_checkpoint_open(f->saved, NULL))))
QUIET(checkpoint_verified, 1,
      assert_int_equal(ag_checkpoint_verified(P(0, f->checkpoint)), null != 0))
QUIET(checkpoint_count, 1,
      assert_int_equal(ag_checkpoint_count(P(0, f->checkpoint)) == 0, null == 0))
QUIET(checkpoint_at, 1,
      assert_int_equal(ag_checkpoint_at(P(0, f->checkpoint), 0) == NULL, null == 0))
QUIET(checkpoint_find, 2,
      assert_int_equal(ag_checkpoint_find(P(0, f->checkpoint), P(1, "w")) == NULL, null >= 0))
QUIET(checkpoint_metadata, 2,
      assert_int_equal(ag_checkpoint_metadata(P(0, f->checkpoint), P(1, "k")) == NULL, null >= 0))
QUIET(checkpoint_metadata_at, 2,
      assert_int_equal(ag_checkpoint_metadata_at(P(0, f->checkpoint), 0, P(1, &f->pair)), null < 0))
QUIET(accuracy, 2, assert_int_equal(isnan(ag_accuracy(P(0, values), P(1, each), 2, 2)), null >= 0))
QUIET(roc_auc, 2, assert_int_equal(isnan(ag_roc_auc(P(0, values), P(1, each), 2)), null >= 0))
QUIET(mae, 2, assert_int_equal(isnan(ag_mae(P(0, values), P(1, values), 2)), null >= 0))
QUIET(rmse, 2, assert_int_equal(isnan(ag_rmse(P(0, values), P(1, values), 2)), null >= 0))
QUIET(mape, 2, assert_int_equal(isnan(ag_mape(P(0, values), P(1, values), 2)), null >= 0))
QUIET(r2, 2, assert_int_equal(isnan(ag_r2(P(0, values), P(1, values), 2)), null >= 0))
QUIET(kendall_tau, 2,
      assert_int_equal(isnan(ag_kendall_tau(P(0, values), P(1, values), 2)), null >= 0))
QUIET(kendall_tau_groups, 3,
      assert_int_equal(isnan(ag_kendall_tau_groups(P(0, values), P(1, values), P(2, two), 1)),
                       null >= 0))
QUIET(tau_b, 1, assert_true(isnan(ag_tau_b(P(0, &f->pairs)))))
QUIET(tau_a, 1, assert_true(isnan(ag_tau_a(P(0, &f->pairs)))))
QUIET(opa, 1, assert_true(isnan(ag_opa(P(0, &f->pairs)))))
QUIET(tied, 1, assert_true(isnan(ag_tied(P(0, &f->pairs)))))
QUIET(slowdown, 1, assert_int_equal(isnan(ag_slowdown(P(0, &f->choice))), null == 0))
