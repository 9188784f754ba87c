/* SPDX-License-Identifier: MIT */
/* The next letter of a text, by an LSTM: it learns the spelling of a file, this one say, and then
   writes some. The baseline knows how often each letter follows each.
   build/release/bin/small_characters examples/small/characters.c */
#include "augur.h"

#include <math.h>

enum { LETTERS = 256, WIDTH = 32, HIDDEN = 128, LENGTH = 64, BATCH = 16, STEPS = 400 };

static unsigned char text[1 << 16];
static int count, train; /* letters of the text, and of its first nine tenths */

/* Bits per letter of the last tenth, by the pairs of letters of the rest. */
static double pairs_of_letters(void)
{
    static double seen[LETTERS][LETTERS], total[LETTERS];
    double bits = 0;
    for (int i = 0; i < train - 1; i++) total[text[i]]++;
    for (int i = 1; i < train; i++) seen[text[i - 1]][text[i]]++;
    for (int i = train + 1; i < count; i++)
        bits -= log2((seen[text[i - 1]][text[i]] + 0.05) / (total[text[i - 1]] + 0.05 * LETTERS));
    return bits / (count - train - 1);
}

typedef struct net {
    ag_embedding_layer letter;
    ag_recurrent_layer lstm;
    ag_linear_layer next;
} net;

/* Logits of the letter after each one: [letters, LETTERS]. Pieces of text begin at `starts`. */
static ag_tensor *apply(const net *n, ag_tensor *letters, ag_tensor *starts)
{
    ag_tensor *h = ag_apply_recurrent(&n->lstm, ag_apply_embedding(&n->letter, letters), starts);
    return ag_apply_linear(&n->next, h);
}

/* The loss on pieces of the text: of what is learned from at random, or of the rest side by side.
 */
static ag_tensor *loss_of(const net *n, ag_tape *tape, ag_random *random)
{
    static int32_t letters[BATCH * LENGTH], next[BATCH * LENGTH], starts[BATCH + 1];
    for (int i = 0, at = 0; i < BATCH; i++, starts[i] = at) {
        const int from = random ? (int)ag_random_below(random, (uint32_t)(train - LENGTH - 1))
                                : train + i * (count - train - LENGTH - 1) / BATCH;
        for (int k = 0; k < LENGTH; k++, at++) {
            letters[at] = text[from + k];
            next[at] = text[from + k + 1];
        }
    }
    ag_tensor *y = apply(n, ag_input_i32(tape, letters, AG_SHAPE(BATCH * LENGTH)),
                         ag_input_i32(tape, starts, AG_SHAPE(BATCH + 1)));
    return ag_cross_entropy(y, ag_input_i32(tape, next, AG_SHAPE(BATCH * LENGTH)), NULL, 0);
}

int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    count = file ? (int)fread(text, 1, sizeof text, file) : 0;
    train = count * 9 / 10;
    if (count < 4000) return ag_report(&(ag_failure){AG_EUSE, "name a text of 4,000 letters"});
    fclose(file);

    ag_params *params = ag_params_new();
    const net n = {ag_layer_embedding(params, "letter", LETTERS, WIDTH),
                   ag_layer_lstm(params, "lstm", WIDTH, HIDDEN, 1, 0),
                   ag_layer_linear(params, "next", HIDDEN, LETTERS, 1)};
    ag_params_build(params, 1);
    ag_tape *tape = ag_tape_new(AG_CPU);
    ag_random random = {.seed = 1};
    ag_failure why = {0};
    for (int step = 1; step <= STEPS; step++) {
        ag_tape_begin(tape, 1);
        ag_tensor *loss = loss_of(&n, tape, &random);
        if (ag_minimize(loss, params, NULL, 0.005, &why)) return ag_report(&why);
        if (step % 100 == 0) printf("step %d: %.2f bits a letter\n", step, ag_item(loss) / log(2));
    }

    ag_tape_begin(tape, 0);
    const ag_real *loss = ag_compute(loss_of(&n, tape, NULL), &why);
    if (!loss) return ag_report(&why);
    printf("bits a letter on the last tenth of the text\n");
    printf("pairs of letters  %.2f\nLSTM              %.2f\n", pairs_of_letters(), *loss / log(2));

    int32_t written[LENGTH] = {'\n'};
    for (int i = 1; i < LENGTH && !why.status; i++) {
        ag_tape_begin(tape, 0);
        ag_tensor *starts = ag_input_i32(tape, (int32_t[]){0, i}, AG_SHAPE(2));
        ag_tensor *y = apply(&n, ag_input_i32(tape, written, AG_SHAPE(i)), starts);
        const ag_real *last = ag_compute(ag_slice(y, 0, i - 1, 1), &why);
        putchar(written[i] = ag_sample_softmax(last, LETTERS, 0.8, &random));
    }
    putchar('\n');
    ag_tape_free(tape);
    ag_params_free(params);
    return ag_report(&why);
}
