/* SPDX-License-Identifier: MIT */
/* Checkpoints that are cut short, have flipped bits, or are written while the process is killed.
   AUGUR_FULL=1 tries more. */
#include "core/io/safetensors_internal.h"
#include "optim/optim.h"
#include "support/test.h"
#include "support/checkpoint_file.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static int full(void) { return ag_switch("AUGUR_FULL", 0); }

/* ---- damaged files, in memory ---- */

typedef struct image {
    unsigned char *bytes;
    size_t size, header; /* header: length and text */
} image;

static ag_checkpoint *open_image(const image *x, size_t size, ag_failure *why)
{
    static unsigned char nothing[1];
    FILE *file = fmemopen(size ? x->bytes : nothing, size ? size : 1, "rb");
    assert_non_null(file);
    ag_checkpoint *c = ag__checkpoint_read_file(file, size, "image", why);
    fclose(file);
    return c;
}

/* A checkpoint of 8 KB as a run would write it: parameters, moments, own tensors, metadata. */
static image make_image(void)
{
    const int32_t order[200] = {3, 1, 2};
    const uint8_t flags[33] = {1, 0, 1};
    const ag_checkpoint_item extra[] = {{"state.order", AG_I32, AG_SHAPE(200), order},
                                        {"state.flags", AG_U8, AG_SHAPE(33), flags},
                                        {"state.none", AG_F32, AG_SHAPE(0, 3), NULL}};
    const ag_checkpoint_pair pairs[] = {{"model", "{\"hidden\":64}"}, {"seed", "1"}};
    ag_params *params = ag_params_new();
    image x;
    ag_params_add(params, "layer.weight", AG_SHAPE(40, 12), ag_init_normal(0, 1), 1);
    ag_params_add(params, "layer.bias", AG_SHAPE(12), ag_init_constant(0), 0);
    assert_int_equal(ag_params_build(params, 1), AG_OK);
    assert_int_equal(ag_params_save(path, params, 1, extra, 3, pairs, 2, NULL), AG_OK);
    ag_params_free(params);
    x.bytes = files_get(path, &x.size);
    assert_non_null(x.bytes);
    uint64_t length;
    memcpy(&length, x.bytes, 8);
    x.header = 8 + (size_t)length;
    assert_in_range(x.size, 7000, 10000);
    assert_int_equal(x.header % 8, 0);
    return x;
}

static void assert_sentence(const ag_failure *why)
{
    assert_int_equal(why->status, AG_EDATA);
    assert_memory_equal(why->sentence, "image: ", 7);
    assert_int_not_equal(why->sentence[strlen(why->sentence) - 1], '.');
    for (const char *s = why->sentence; *s; s++) assert_in_range(*s, ' ', '~');
}

static void every_truncation_is_refused(void **state)
{
    image x = make_image();
    for (size_t size = 0; size < x.size; size++) {
        ag_failure why = {0};
        assert_null(open_image(&x, size, &why));
        assert_sentence(&why);
    }
    ag_checkpoint *c = open_image(&x, x.size, NULL);
    assert_true(c && ag_checkpoint_verified(c));
    ag_checkpoint_close(c);
    free(x.bytes);
}

/* Flips bit after bit of the header and random bits of the rest: all are noticed. */
static void every_flipped_bit_is_refused(void **state)
{
    image x = make_image();
    ag_random r = {2026, 1, 0};
    size_t flips = full() ? 20000 : 800, header_bits = 8 * x.header;
    for (size_t i = 0; i < flips; i++) {
        size_t bit = full() && i < header_bits ? i : ag_random_below(&r, (uint32_t)(8 * x.size));
        ag_failure why = {0};
        x.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        ag_checkpoint *c = open_image(&x, x.size, &why);
        x.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        if (c)
            fail_msg("bit %zu of %zu (header %zu) was not noticed", bit, 8 * x.size, header_bits);
        assert_sentence(&why);
        if (bit >= header_bits) assert_non_null(strstr(why.sentence, "is damaged"));
    }
    free(x.bytes);
}

/* Several bytes change at once, so that the JSON often stays valid and tensors may be elsewhere. */
static void scrambled_headers_never_crash(void **state)
{
    static const char words[] = "0123456789,[]{}:\"FIU \\";
    image x = make_image();
    unsigned char *copy = malloc(x.size);
    ag_random r = {2026, 2, 0};
    memcpy(copy, x.bytes, x.size);
    for (int i = 0; i < (full() ? 20000 : 800); i++) {
        ag_failure why = {0};
        int n = 1 + (int)ag_random_below(&r, 4);
        for (int k = 0; k < n; k++)
            x.bytes[8 + ag_random_below(&r, (uint32_t)x.header - 8)] =
                (unsigned char)words[ag_random_below(&r, sizeof words - 1)];
        int same = memcmp(copy, x.bytes, x.size) == 0;
        ag_checkpoint *c = open_image(&x, x.size, &why);
        if (!c) assert_sentence(&why);
        if (same)
            assert_non_null(c);
        else if (c)
            assert_true(ag_checkpoint_verified(c)); /* a change that means the same */
        ag_checkpoint_close(c);
        memcpy(x.bytes, copy, x.header);
    }
    free(copy);
    free(x.bytes);
}

/* ---- saving that is cut off ---- */

enum { NUMBERS = 50000 };

/* Saves a checkpoint in which every number is `version`. */
static ag_status save_version(int32_t version, ag_failure *why)
{
    static int32_t data[NUMBERS];
    for (int i = 0; i < NUMBERS; i++) data[i] = version;
    const ag_checkpoint_item item = {"version", AG_I32, AG_SHAPE(NUMBERS), data};
    return ag_checkpoint_save(path, &item, 1, NULL, 0, why);
}

/* The version that the file holds as a whole. */
static int32_t load_version(void)
{
    static int32_t data[NUMBERS];
    ag_failure why = {0};
    ag_checkpoint *c = ag_checkpoint_open(path, &why);
    if (!c) fail_msg("%s", why.sentence);
    assert_int_equal(ag_checkpoint_read(c, "version", AG_I32, AG_SHAPE(NUMBERS), data, NULL),
                     AG_OK);
    for (int i = 1; i < NUMBERS; i++) assert_int_equal(data[i], data[0]);
    ag_checkpoint_close(c);
    return data[0];
}

static void a_killed_writer_leaves_the_old_or_the_new(void **state)
{
    ag_random r = {2026, 3, 0};
    int32_t last = 0;
    unlink(path);
    assert_int_equal(save_version(0, NULL), AG_OK);
    for (int i = 0; i < (full() ? 50 : 10); i++) {
        int saved[2]; /* the child reports its first save, however slow the machine is */
        char told;
        assert_int_equal(pipe(saved), 0);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            for (int32_t version = last + 1;; version++) {
                if (save_version(version, NULL) != AG_OK) _exit(1);
                if (version == last + 1 && write(saved[1], "s", 1) != 1) _exit(2);
            }
        assert_int_equal(close(saved[1]), 0);
        assert_int_equal(read(saved[0], &told, 1), 1);
        assert_int_equal(close(saved[0]), 0);
        const struct timespec pause = {0, 1000 * (long)(500 + ag_random_below(&r, 20000))};
        int status;
        nanosleep(&pause, NULL);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status)); /* it did not stop by itself */
        int32_t now = load_version();
        assert_true(now > last);
        last = now;
    }
    assert_int_equal(save_version(last + 1, NULL), AG_OK);
    assert_int_equal(load_version(), last + 1);
    /* The save removed the files that the killed ones had left; remove_folder checks the rest. */
    assert_int_equal(files_count(), 1);
}

int main(void)
{
    return RUN_TESTS_WITH(make_folder, remove_folder, every_truncation_is_refused,
                          every_flipped_bit_is_refused, scrambled_headers_never_crash,
                          a_killed_writer_leaves_the_old_or_the_new);
}
