/* SPDX-License-Identifier: MIT */
/* The arguments of the calls of test_null.c. */
/* Everything that calls need, made again for every call. */
typedef struct fixture {
    char path[300], other[300], saved[300], table[300], text[64], where[200];
    ag_failure why;
    ag_tape *tape;
    ag_params *params, *unbuilt;
    ag_shards *shards;
    ag_ranks ranks;
    int64_t first, end;
    ag_param *w, *b, *average;
    ag_graph *graph;
    const ag_graph *graphs[1];
    ag_samples samples;
    ag_batches *batches;
    ag_csv *csv;
    ag_shape shape;
    ag_edges edges;
    ag_sage_weights sage;
    ag_sage_concat_weights concat;
    ag_gcn_weights gcn;
    ag_gat_weights gat;
    ag_gat2_weights gat2;
    ag_encoder_weights encoder;
    null_layers layers;
    ag_batch_norm_weights batch_norm;
    ag_arena *arena;
    ag_npz *npz;
    ag_rows *rows;
    ag_npz_writer *writer;
    ag_checkpoint *checkpoint;
    ag_checkpoint_item item;
    ag_checkpoint_pair pair;
    ag_device_about about;
    ag_random random;
    ag_adamw adamw, adam;
    ag_schedule schedule;
    ag_gradcheck_options options;
    ag_sgd sgd;
    ag_pairs pairs;
    ag_choice choice;
    double norm, places[3];
    int64_t order[3];
    uint64_t keys[3];
    uint32_t words[4];
    int32_t items[3];
    float out[64];
    FILE *file;
} fixture;

static fixture made;
static int layers_too; /* the call of this turn takes layers: they are most of a model */
static const unsigned char no_members[22] = "PK\5\6"; /* an npz */

static ag_tensor *real(ag_tape *tape, ag_shape shape) { return ag_input(tape, values, shape); }

static ag_tensor *loss(ag_tape *tape, void *context)
{
    return ag_sum_all(ag_parameter(tape, made.w));
}

static const char *label(void *context, int node, char text[64])
{
    snprintf(text, 64, "%d", node);
    return node ? text : NULL;
}

static ag_status write_nothing(FILE *file, void *context) { return AG_OK; }

static FILE *nowhere(void)
{
    static FILE *file;
    return file ? file : (file = fopen("/dev/null", "w"));
}

static void no_work(void *context, int64_t block, int thread) {}

static ag_param *add(const char *name, ag_shape shape)
{
    return ag_params_add(made.params, name, shape, ag_init_constant(1), 1);
}

static void make_model(fixture *f)
{
    f->params = ag_params_new();
    f->w = add("w", AG_SHAPE(2, 6));
    f->b = add("b", AG_SHAPE(2));
    ag_param *from = add("from", AG_SHAPE(1, 2)), *to = add("to", AG_SHAPE(1, 2));
    ag_param *edge = add("edge", AG_SHAPE(2, 3));
    ag_param *join = add("join", AG_SHAPE(2, 10)), *qkv = add("qkv", AG_SHAPE(18, 6));
    ag_param *square = add("square", AG_SHAPE(6, 6)), *norm = add("norm", AG_SHAPE(6));
    if (layers_too) f->layers = make_layers(f->params);
    f->average = ag_params_add(f->params, "average", AG_SHAPE(6), ag_init_constant(1), 0);
    assert_int_equal(ag_params_build(f->params, 1), AG_OK);
    f->unbuilt = ag_params_new();
    f->sage = (ag_sage_weights){f->w, f->b, f->w};
    f->concat = (ag_sage_concat_weights){.operands = f->w, .join = join};
    f->gcn = (ag_gcn_weights){f->w, f->b};
    f->gat = (ag_gat_weights){f->w, from, to, f->b, edge, from};
    f->gat2 = (ag_gat2_weights){f->w, f->b, f->w, f->b, from, f->b, edge};
    f->encoder = (ag_encoder_weights){
        .qkv = qkv, .out = square, .norm1 = norm, .widen = square, .narrow = square, .norm2 = norm};
    f->batch_norm = (ag_batch_norm_weights){norm, norm, f->average, f->average};
    ag_tape *tape = ag_tape_new(AG_CPU);
    ag_backward(ag_sum_all(ag_parameter(tape, f->w)));
    ag_tape_free(tape);
    assert_int_equal(f->params->state, AG_READY);
}

/* Once: no call writes to them. */
static void write_files(const fixture *f)
{
    ag_npz_writer *writer = ag_npz_create(f->path, NULL);
    assert_int_equal(ag_npz_add(writer, "x", AG_F32, 1, &one, values, NULL), AG_OK);
    assert_int_equal(ag_npz_finish(writer, NULL), AG_OK);
    assert_int_equal(ag_params_save(f->saved, f->params, 1, NULL, 0, &f->pair, 1, NULL), AG_OK);
    assert_int_equal(files_put(f->table, "a\n1\n", 4), 0);
}

static void open_files(fixture *f)
{
    static int written;
    strcpy(f->path, files_path("x.npz"));
    strcpy(f->other, files_path("other"));
    strcpy(f->saved, files_path("x.safetensors"));
    strcpy(f->table, files_path("x.csv"));
    f->item = (ag_checkpoint_item){"state.x", AG_F32, AG_SHAPE(2), values};
    f->pair = (ag_checkpoint_pair){"k", "v"};
    if (!written++) write_files(f);
    f->csv = ag_csv_load(f->table, NULL);
    f->npz = ag_npz_open(f->path, 1000, NULL);
    f->rows = ag_rows_open(f->npz, "x", NULL);
    f->writer = ag_npz_create(f->other, NULL);
    f->checkpoint = ag_checkpoint_open(f->saved, NULL);
    assert_non_null(f->rows);
    assert_non_null(f->checkpoint);
}

static fixture *set_up(const char *call)
{
    fixture *f = &made;
    layers_too = strncmp(call, "ag_apply_", 9) == 0;
    memset(f, 0, sizeof *f);
    make_model(f);
    open_files(f);
    f->tape = ag_tape_new(AG_CPU);
    f->graph = ag_graph_build(4, each, each, 3, AG_BOTH_WAYS, NULL);
    f->graphs[0] = f->graph;
    f->samples = (ag_samples){.count = 2, .columns = 1, .column = {{.real = values}}};
    f->batches = ag_batches_new(&f->samples, NULL, 2, 1, 0, 1, NULL);
    f->ranks.count = 1;
    f->shards = ag_shards_new(f->params, 1, NULL, NULL);
    f->edges = ag_graph_edges(f->tape, f->graph);
    f->arena = ag_arena_new();
    f->adamw = ag_adamw_default();
    f->adam = ag_adam_default();
    f->choice.best_least = 1;
    f->schedule = (ag_schedule){.kind = AG_CONSTANT, .lr = 0.1};
    f->options = (ag_gradcheck_options){.step = 1e-2};
    f->file = tmpfile();
    return f;
}

static void tear_down(fixture *f)
{
    ag_rows_close(f->rows);
    ag_npz_close(f->npz);
    ag_npz_cancel(f->writer);
    ag_checkpoint_close(f->checkpoint);
    ag_tape_free(f->tape);
    ag_graph_free(f->graph);
    ag_batches_free(f->batches);
    ag_csv_free(f->csv);
    ag_arena_free(f->arena);
    ag_shards_free(f->shards);
    ag_params_free(f->params);
    ag_params_free(f->unbuilt);
    fclose(f->file);
}
