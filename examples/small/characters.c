/* SPDX-License-Identifier: MIT */
/* The next letter of a text, by an LSTM: it learns the spelling of a file, this one say, and then
   writes some. The baseline knows how often each letter follows each.
   build/release/bin/small_characters examples/small/characters.c */
#include "augur.h"

#include <math.h>
#include <string.h>

enum {
    LETTERS = 128,
    WIDTH = 32,
    HIDDEN = 128,
    LENGTH = 64,
    BATCH = 16,
    STEPS = 400,
    MOST = 1 << 16
};

static char text[MOST];

/* Bits per letter of the last tenth, by the pairs of letters of the rest. */
static double pairs_of_letters(int count)
{
    static double seen[LETTERS][LETTERS], total[LETTERS];
    const int train = count * 9 / 10;
    double bits = 0;
    for (int i = 1; i < train; i++) {
        seen[(int)text[i - 1]][(int)text[i]]++;
        total[(int)text[i - 1]]++;
    }
    for (int i = train + 1; i < count; i++) {
        const int before = text[i - 1], now = text[i];
        bits -= log2((seen[before][now] + 0.05) / (total[before] + 0.05 * LETTERS));
    }
    return bits / (count - train - 1);
}

typedef struct net {
    ag_embedding_layer letter;
    ag_recurrent_layer lstm;
    ag_linear_layer next;
} net;

/* Logits of the letter after each of `count` pieces of `length` letters: [count length, LETTERS].
 */
static ag_tensor *apply(const net *n, ag_tape *tape, const int32_t *letters, const int32_t *starts,
                        int count, int length)
{
    ag_tensor *h = ag_input_i32(tape, letters, AG_SHAPE(count * length));
    h = ag_apply_embedding(&n->letter, h);
    h = ag_apply_recurrent(&n->lstm, h, ag_input_i32(tape, starts, AG_SHAPE(count + 1)));
    return ag_apply_linear(&n->next, h);
}

/* Pieces that begin at from[0..BATCH-1]: their letters, and the letters after these. */
static void take(int32_t *letters, int32_t *next, const int32_t *from)
{
    for (int i = 0; i < BATCH * LENGTH; i++) {
        letters[i] = text[from[i / LENGTH] + i % LENGTH];
        next[i] = text[from[i / LENGTH] + i % LENGTH + 1];
    }
}

int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    const int count = file ? (int)fread(text, 1, MOST, file) : 0, train = count * 9 / 10;
    if (count < 4000) return puts("usage: small_characters FILE (of 4,000 letters or more)"), 2;
    for (int i = 0; i < count; i++) text[i] &= 127;
    fclose(file);

    ag_params *params = ag_params_new();
    const net n = {ag_layer_embedding(params, "letter", LETTERS, WIDTH),
                   ag_layer_lstm(params, "lstm", WIDTH, HIDDEN, 1, 0),
                   ag_layer_linear(params, "next", HIDDEN, LETTERS, 1)};
    ag_params_build(params, 1);
    ag_tape *tape = ag_tape_new(AG_CPU);
    const ag_adamw adamw = ag_adamw_default();
    ag_random random = {.seed = 1};
    ag_failure why = {0};
    int32_t letters[BATCH * LENGTH], next[BATCH * LENGTH], starts[BATCH + 1], from[BATCH];
    for (int i = 0; i <= BATCH; i++) starts[i] = i * LENGTH;
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < BATCH; i++)
            from[i] = (int32_t)ag_random_below(&random, (uint32_t)(train - LENGTH - 1));
        take(letters, next, from);
        ag_tape_reset(tape);
        ag_tensor *y = apply(&n, tape, letters, starts, BATCH, LENGTH);
        ag_tensor *truth = ag_input_i32(tape, next, AG_SHAPE(BATCH * LENGTH));
        ag_tensor *loss = ag_cross_entropy(y, truth, NULL, 0);
        if (ag_minimize(loss, params, &adamw, 0.005, &why)) return puts(why.sentence), 1;
        if (step % 100 == 99)
            printf("step %d: %.2f bits a letter\n", step + 1, ag_item(loss) / log(2));
    }

    for (int i = 0; i < BATCH; i++) /* pieces of the last tenth, side by side */
        from[i] = train + i * (count - train - LENGTH - 1) / BATCH;
    take(letters, next, from);
    ag_tape_reset(tape);
    ag_tape_training(tape, 0);
    ag_tensor *loss = ag_cross_entropy(apply(&n, tape, letters, starts, BATCH, LENGTH),
                                       ag_input_i32(tape, next, AG_SHAPE(BATCH * LENGTH)), NULL, 0);
    ag_forward(loss);
    printf("bits a letter on the last tenth of the text\n");
    printf("pairs of letters  %.2f\nLSTM              %.2f\n", pairs_of_letters(count),
           ag_item(loss) / log(2));

    int32_t written[LENGTH] = {'\n'};
    for (int i = 1; i < LENGTH; i++) {
        ag_tape_reset(tape);
        ag_tape_training(tape, 0);
        ag_tensor *y = apply(&n, tape, written, (int32_t[]){0, i}, 1, i);
        ag_forward(y);
        written[i] = ag_sample_softmax(ag_values(y) + (i - 1) * LETTERS, LETTERS, 0.8, &random);
    }
    for (int i = 0; i < LENGTH; i++) putchar(written[i]);
    putchar('\n');
    ag_tape_free(tape);
    ag_params_free(params);
    return 0;
}
